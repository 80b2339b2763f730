"""What a stability measure is, what it returns, and how a statistic over resamples is evaluated."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol

import numpy as np
import pandas as pd

from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError

__all__ = [
    "BY_DRAWS",
    "BY_FORMULA",
    "STABILITY_MEASURES",
    "BoundStatistic",
    "Estimate",
    "Imputed",
    "PairwiseAverage",
    "StabilityResult",
    "StabilitySpec",
    "UndefinedStabilityError",
    "WholeSample",
    "require_defined",
]


BY_FORMULA = "equal scores at the edge of a subset: the mean over all their orders, by formula"
BY_DRAWS = "equal scores at the edge of a subset: the mean over orders drawn with the seed"
"""How measures of subsets treat ties where they are given scores or ranks."""

BLOCK_CELLS = 1 << 20
"""Cells of the similarity matrix that are held at once (8 MB of float64)."""


@dataclass(frozen=True)
class Estimate:
    """A value with the number of pairs (or rows) it rests on and of those left out as undefined."""

    value: float
    n_pairs: int
    n_undefined: int


class BoundStatistic(Protocol):
    """A measure bound to its data: what the interval methods need to know about it.

    `unit` says what `n_pairs` and `n_undefined` of the estimate count; `least_variance` is what the
    variance of the estimate is at least, however well the resamples at hand agree.
    """

    n_rows: int
    unit: str
    pairwise: bool
    variance: Callable[[], float] | None
    least_variance: Callable[[], float] | None

    def estimate(self) -> Estimate: ...

    def reweighted(self, weights: Floats) -> Floats:
        """Values (b,) with row i counted weights[b, i] times; NaN where nothing is defined."""
        ...

    def leave_one_out(self) -> Floats:
        """Values (m,) without row 0, 1, …; NaN where nothing is defined."""
        ...


class PairwiseAverage:
    """The mean of a similarity over all pairs of rows, computed in blocks.

    Parameters
    ----------
    n_rows : int
        Number of resamples m.
    block : callable
        ``block(rows, columns)`` returns the similarities of two slices of rows; NaN = undefined.
    shortcut : callable, optional
        A direct way to the same mean that needs no m x m similarities.
    least_variance : callable, optional
        See ``BoundStatistic``.
    """

    unit = "pairs"
    pairwise = True
    variance: Callable[[], float] | None = None

    def __init__(
        self,
        n_rows: int,
        block: Callable[[slice, slice], Floats],
        shortcut: Callable[[], Estimate] | None = None,
        least_variance: Callable[[], float] | None = None,
    ) -> None:
        self.n_rows = n_rows
        self.block = block
        self.shortcut = shortcut
        self.least_variance = least_variance

    def _slices(self) -> list[slice]:
        height = max(1, min(self.n_rows, BLOCK_CELLS // self.n_rows))
        return [slice(a, min(a + height, self.n_rows)) for a in range(0, self.n_rows, height)]

    def estimate(self) -> Estimate:
        if self.shortcut is not None:
            return self.shortcut()
        total, defined = 0.0, 0
        for rows in self._slices():
            cells = self.block(rows, slice(rows.start, self.n_rows))
            height, width = cells.shape
            upper = np.arange(width)[None, :] > np.arange(height)[:, None]
            known = upper & ~np.isnan(cells)
            total += float(cells.sum(where=known))
            defined += int(np.count_nonzero(known))
        n_pairs = self.n_rows * (self.n_rows - 1) // 2
        value = total / defined if defined else np.nan
        return Estimate(value, defined, n_pairs - defined)

    def reweighted(self, weights: Floats) -> Floats:
        total = np.zeros(weights.shape[0])
        mass = np.zeros(weights.shape[0])
        everything = slice(0, self.n_rows)
        for rows in self._slices():
            cells, known = self._off_diagonal(rows, everything)
            total += np.einsum("bi,bi->b", weights[:, rows], weights @ cells.T)
            mass += np.einsum("bi,bi->b", weights[:, rows], weights @ known.T)
        return _divide(total, mass)

    def leave_one_out(self) -> Floats:
        row_sums = np.empty(self.n_rows)
        row_counts = np.empty(self.n_rows)
        for rows in self._slices():
            cells, known = self._off_diagonal(rows, slice(0, self.n_rows))
            row_sums[rows] = cells.sum(axis=1)
            row_counts[rows] = known.sum(axis=1)
        return _divide(row_sums.sum() / 2 - row_sums, row_counts.sum() / 2 - row_counts)

    def _off_diagonal(self, rows: slice, columns: slice) -> tuple[Floats, Floats]:
        """Similarities with undefined and self pairs at zero, and 1 where a pair counts."""
        cells = self.block(rows, columns)
        known = (~np.isnan(cells)).astype(np.float64)
        own = np.arange(rows.start, rows.stop)
        known[own - rows.start, own] = 0.0
        return np.where(known > 0, cells, 0.0), known


class Imputed(PairwiseAverage):
    """An average over pairs in which undefined pairs count with a given value."""

    def __init__(self, base: PairwiseAverage, value: float) -> None:
        def block(rows: slice, columns: slice) -> Floats:
            cells = base.block(rows, columns)
            return np.where(np.isnan(cells), value, cells)

        super().__init__(base.n_rows, block, least_variance=base.least_variance)
        self.base = base
        self.value = value

    def estimate(self) -> Estimate:
        found = self.base.estimate()
        n_pairs = found.n_pairs + found.n_undefined
        defined = found.value * found.n_pairs if found.n_pairs else 0.0
        value = (defined + self.value * found.n_undefined) / n_pairs
        return Estimate(value, found.n_pairs, found.n_undefined)


class WholeSample:
    """A statistic of the whole collection of rows that depends on row counts only.

    Parameters
    ----------
    n_rows : int
        Number of resamples m.
    evaluate : callable
        Takes counts (b, m) and returns values (b,); NaN where the statistic is undefined.
    n_undefined : int
        Rows that are left out because they carry no information (constant score rows).
    variance : callable, optional
        Analytic variance of the statistic.
    least_variance : callable, optional
        See ``BoundStatistic``.
    """

    unit = "rows"
    pairwise = False

    def __init__(
        self,
        n_rows: int,
        evaluate: Callable[[Floats], Floats],
        n_undefined: int = 0,
        variance: Callable[[], float] | None = None,
        least_variance: Callable[[], float] | None = None,
    ) -> None:
        self.n_rows = n_rows
        self.evaluate = evaluate
        self.n_undefined = n_undefined
        self.variance = variance
        self.least_variance = least_variance

    def reweighted(self, weights: Floats) -> Floats:
        return self.evaluate(weights)

    def estimate(self) -> Estimate:
        value = float(self.reweighted(np.ones((1, self.n_rows)))[0])
        return Estimate(value, self.n_rows - self.n_undefined, self.n_undefined)

    def leave_one_out(self) -> Floats:
        out = np.empty(self.n_rows)
        height = max(1, min(self.n_rows, BLOCK_CELLS // self.n_rows))
        for a in range(0, self.n_rows, height):
            own = np.arange(a, min(a + height, self.n_rows))
            weights = np.ones((own.size, self.n_rows))
            weights[own - a, own] = 0.0
            out[own] = self.reweighted(weights)
        return out


def _divide(total: Floats, mass: Floats) -> Floats:
    out = np.full(total.shape, np.nan)
    np.divide(total, mass, out=out, where=mass > 0)
    return out


_RANGE = re.compile(r"[\[(](.+), (.+)[\])]")


@dataclass(frozen=True, kw_only=True)
class StabilitySpec(Spec):
    """A registered stability measure.

    In formulas i (or s) and v are two of m resamples, l_i and V_i the scores and the subset of n_i
    features of one, I the number of features that two subsets share, j one of p features, r_sj its
    rank, h_j how many subsets hold it, q the sum of all h_j.

    `bind(data, **options)` returns a ``BoundStatistic``, where `data` is what `kind` says: a
    score matrix, ascending ranks, or a selection.  `needs` names the arguments without which the
    measure is not defined ("n_features", "similarity").  `chance(size, n_features, n_resamples,
    **options)` is the mean of a set measure over random subsets of one size, if it is known.
    A measure that `breaks_ties` needs strict selections or orders: tied ones are drawn for it.  One
    that does not takes the expected shares of a selection, or tied ranks, itself.  By default
    measures of sets need strict ones.
    """

    corrected_for_chance: bool = False
    kind: Literal["scores", "ranks", "sets"]
    needs: tuple[str, ...] = ()
    bind: Callable[..., BoundStatistic]
    chance: Callable[..., float] | None = None
    breaks_ties: bool | None = None

    @property
    def needs_strict(self) -> bool:
        return self.kind == "sets" if self.breaks_ties is None else self.breaks_ties

    @property
    def larger_is_stabler(self) -> bool:
        return self.higher_is_better

    def within(self, limit: float, n_rows: int) -> float:
        """A limit of an interval, moved to the end of the range of the measure if it is beyond it.

        An end that depends on more than the number of rows (m) does not move it.
        """
        ends = _RANGE.fullmatch(self.bounds)
        if ends is None:
            return limit
        low, high = _end(ends[1], n_rows), _end(ends[2], n_rows)
        return min(limit if low is None else max(limit, low), math.inf if high is None else high)


def _end(text: str, n_rows: int) -> float | None:
    """An end of a range as a number; None if it is none."""
    if text == "-1/(m-1)":
        return -1.0 / (n_rows - 1) if n_rows > 1 else None
    try:
        return float(text)
    except ValueError:
        return None


STABILITY_MEASURES = Registry(
    "stability measure", StabilitySpec, group="pyfsagg.stability_measures"
)


@dataclass(frozen=True)
class StabilityResult:
    """The stability of a collection of scores, ranks or selections.

    Attributes
    ----------
    value : float
        The estimate.
    measure : str
        Name of the measure in :data:`STABILITY_MEASURES`.
    n_resamples, n_features : int
        Size of the collection; `n_features` is 0 where it is not known and not needed.
    n_pairs : int
        Pairs of resamples (or rows, see `unit`) over which the value is taken.
    n_undefined : int
        Pairs (or rows) for which the measure is not defined; they were left out, or counted with
        the value given as ``undefined``.
    unit : {"pairs", "rows"}
        Unit of `n_pairs` and `n_undefined`.
    kind : {"scores", "ranks", "sets"}
        How the data were read.
    interval : tuple of float or None
        Lower and upper limit at `level`.
    interval_method : str or None
        "analytic", "bootstrap" or "jackknife".
    level : float or None
        Confidence level of the interval.
    standard_error : float or None
        Standard error that belongs to the interval.
    larger_is_stabler : bool
        False for distances (canberra, asd).
    n_tied : int
        Resamples in which equal scores compete for the last places of the subset, for a measure of
        subsets.
    seed : int or None
        The seed, where anything was drawn (a bootstrap, an order of ties, a chance level).
    """

    value: float
    measure: str
    n_resamples: int
    n_features: int
    n_pairs: int
    n_undefined: int
    unit: str
    kind: str
    interval: tuple[float, float] | None = None
    interval_method: str | None = None
    level: float | None = None
    standard_error: float | None = None
    larger_is_stabler: bool = True
    n_tied: int = 0
    seed: int | None = None

    def __float__(self) -> float:
        return self.value

    def to_frame(self) -> pd.DataFrame:
        """One row, with the interval in the columns `lower` and `upper` (missing if none)."""
        row: dict[str, Any] = asdict(self)
        lower, upper = row.pop("interval") or (np.nan, np.nan)
        row |= {"lower": lower, "upper": upper}
        return pd.DataFrame([row]).set_index("measure")

    def to_json(self) -> str:
        """The fields as a JSON object."""
        return json.dumps(asdict(self))

    def __repr__(self) -> str:
        text = f"StabilityResult({self.measure} = {self.value:.6g}"
        if self.interval is not None and self.level is not None:
            low, high = self.interval
            text += f", {100 * self.level:g} % {self.interval_method} [{low:.4g}, {high:.4g}]"
        text += f"; {self.n_resamples} resamples read as {self.kind}, {self.n_pairs} {self.unit}"
        if self.n_undefined:
            text += f", {self.n_undefined} undefined"
        if self.n_tied:
            text += f", {self.n_tied} with ties at the edge"
        return text + ")"


class UndefinedStabilityError(DataError):
    """The measure is undefined for every pair of the data."""


def require_defined(estimate: Estimate, measure: str, unit: str) -> Estimate:
    """Refuse an estimate that rests on nothing."""
    if np.isfinite(estimate.value):
        return estimate
    raise UndefinedStabilityError(
        f"the stability measure {measure!r} is undefined on these data: "
        f"{estimate.n_pairs} {unit} defined, {estimate.n_undefined} undefined. Constant score rows "
        "have no correlation, and all-empty or all-full subsets have nothing to compare; drop "
        "these resamples, use another number of features, or give undefined= a value to impute"
    )
