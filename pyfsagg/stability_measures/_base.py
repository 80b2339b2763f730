"""What a stability measure is, and intervals for a statistic over resamples."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import Part, columns, row_of
from pyfsagg._base.registry import Registry, Spec
from pyfsagg._message import Param, Remedy
from pyfsagg._run.execution import counted
from pyfsagg.exceptions import DataError

BY_FORMULA = "averaged over all orders at the cut (exact)"
BY_DRAWS = "averaged over random orders at the cut"
"""How measures of subsets treat ties where they are given scores or ranks."""

BLOCK_CELLS = 1 << 20  # cells of the similarity matrix that are held at once (8 MB of float64)
AT_ONCE = 100_000_000  # numbers that a compiled loop reads in a tenth of a second or two


@dataclass(frozen=True)
class Estimate:
    """A value with the number of pairs (or rows) it rests on and of those omitted as undefined."""

    value: float
    n_pairs: int
    n_undefined: int


@dataclass(eq=False)
class PairwiseAverage:
    """The mean of a similarity over all pairs of rows, computed in blocks.

    ``block(rows, columns)`` returns the similarities of two slices of rows; NaN = undefined.
    `shortcut` is a direct way to the same mean that needs no m x m similarities, and `without_each` one to
    the values without row 0, 1, ….
    """

    n_rows: int
    block: Callable[[slice, slice], Floats]
    shortcut: Callable[[], Estimate] | None = None
    least_variance: Callable[[], float] | None = None
    without_each: Callable[[], Floats] | None = None
    variance: Callable[[], float] | None = field(default=None, init=False)
    unit: str = field(default="pairs", init=False)

    def estimate(self) -> Estimate:
        if self.shortcut is not None:
            return self.shortcut()
        total, defined = 0.0, 0
        for rows in _slices(self.n_rows):
            cells = self.block(rows, slice(rows.start, self.n_rows))
            height, width = cells.shape
            upper = np.arange(width)[None, :] > np.arange(height)[:, None]
            known = upper & ~np.isnan(cells)
            total += float(cells.sum(where=known))
            defined += int(np.count_nonzero(known))
        n_pairs = self.n_rows * (self.n_rows - 1) // 2
        value = total / defined if defined else np.nan
        return Estimate(value, defined, n_pairs - defined)

    def reweighted(self, resample_weights: Floats) -> Floats:
        total = np.zeros(resample_weights.shape[0])
        mass = np.zeros(resample_weights.shape[0])
        for rows in _slices(self.n_rows):
            cells, known = self._off_diagonal(rows)
            total += np.einsum("bi,bi->b", resample_weights[:, rows], resample_weights @ cells.T)
            mass += np.einsum("bi,bi->b", resample_weights[:, rows], resample_weights @ known.T)
        return _divide(total, mass)

    def leave_one_out(self) -> Floats:
        if self.without_each is not None:
            return self.without_each()
        row_sums = np.empty(self.n_rows)
        row_counts = np.empty(self.n_rows)
        for rows in _slices(self.n_rows):
            cells, known = self._off_diagonal(rows)
            row_sums[rows] = cells.sum(axis=1)
            row_counts[rows] = known.sum(axis=1)
        return _divide(row_sums.sum() / 2 - row_sums, row_counts.sum() / 2 - row_counts)

    def _off_diagonal(self, rows: slice) -> tuple[Floats, Floats]:
        """Similarities with undefined and self pairs at zero, and 1 where a pair counts."""
        cells = self.block(rows, slice(0, self.n_rows))
        known = (~np.isnan(cells)).astype(np.float64)
        position = np.arange(rows.start, rows.stop)
        known[position - rows.start, position] = 0.0
        return np.where(known > 0, cells, 0.0), known


def imputed(base: PairwiseAverage, value: float) -> PairwiseAverage:
    """An average over pairs in which undefined pairs count with a given value."""

    def block(rows: slice, columns: slice) -> Floats:
        cells = base.block(rows, columns)
        return np.where(np.isnan(cells), value, cells)

    def estimate() -> Estimate:
        found = base.estimate()
        n_pairs = found.n_pairs + found.n_undefined
        defined = found.value * found.n_pairs if found.n_pairs else 0.0
        return replace(found, value=(defined + value * found.n_undefined) / n_pairs)

    return PairwiseAverage(base.n_rows, block, estimate, base.least_variance)


@dataclass(eq=False)
class WholeSample:
    """A statistic of the whole collection of rows that depends on row counts only.

    `evaluate` takes counts (b, m) and returns values (b,); NaN where the statistic is undefined.
    `n_undefined` rows carry no information (constant scores) and are omitted, `variance` is analytic,
    and `without_each` is a faster way to the values without row 0, 1, ….
    """

    n_rows: int
    evaluate: Callable[[Floats], Floats]
    n_undefined: int = 0
    variance: Callable[[], float] | None = None
    least_variance: Callable[[], float] | None = None
    without_each: Callable[[], Floats] | None = None
    unit: str = field(default="rows", init=False)

    def reweighted(self, resample_weights: Floats) -> Floats:
        return self.evaluate(resample_weights)

    def estimate(self) -> Estimate:
        value = float(self.reweighted(np.ones((1, self.n_rows)))[0])
        return Estimate(value, self.n_rows - self.n_undefined, self.n_undefined)

    def leave_one_out(self) -> Floats:
        if self.without_each is not None:
            return self.without_each()
        values = np.empty(self.n_rows)
        for rows in _slices(self.n_rows):
            weights = np.ones((rows.stop - rows.start, self.n_rows))
            np.fill_diagonal(weights[:, rows], 0.0)
            values[rows] = self.reweighted(weights)
        return values


BoundStatistic = PairwiseAverage | WholeSample
"""A measure bound to its data, for the intervals: `unit` is what `n_pairs` and `n_undefined` count,
`least_variance` a lower bound of the variance of the estimate. ``reweighted(weights)`` gives values (b,) with
row i counted weights[b, i] times, ``leave_one_out()`` those (m,) without row 0, 1, …; NaN where undefined."""


def in_stripes(
    block: Callable[[slice, slice], Floats], numbers: int
) -> Callable[[slice, slice], Floats]:
    """The same cells by stripes, between which an interrupt is met; for a row the loop reads `numbers`."""
    height = max(1, AT_ONCE // numbers)

    def cells(left: slice, right: slice) -> Floats:
        stripes = [
            slice(i, min(i + height, left.stop)) for i in range(left.start, left.stop, height)
        ]
        return np.concatenate([block(rows, right) for rows in stripes])

    return cells


def _slices(n_rows: int) -> Iterator[slice]:
    height = max(1, min(n_rows, BLOCK_CELLS // n_rows))
    parts = [slice(first, min(first + height, n_rows)) for first in range(0, n_rows, height)]
    return counted(parts, len(parts), "block")


def _divide(total: Floats, mass: Floats) -> Floats:
    out = np.full(total.shape, np.nan)
    np.divide(total, mass, out=out, where=mass > 0)
    return out


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

    def within(self, limit: float, n_rows: int) -> float:
        """A limit, cut off at the ends of the range that depend on nothing but the number of rows."""
        text = self.bounds.replace("-1/(m-1)", repr(-1.0 / (n_rows - 1)))
        low, high = (_number(end) for end in text.strip("[()]").partition(", ")[::2])
        return min(limit if low is None else max(limit, low), math.inf if high is None else high)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def over_pairs(formula: str, latex: str) -> dict[str, Any]:
    """The formulas of a mean over all pairs of resamples."""
    sums = r"\frac{2}{m (m - 1)} \sum_{i < v} "
    return {"formula": f"mean over pairs of {formula}", "latex": sums + latex}


STABILITY_MEASURES = Registry(
    "stability measure", StabilitySpec, group="pyfsagg.stability_measures"
)


@dataclass(frozen=True, repr=False)
class MeasureValue(Part):
    """The stability of a collection of scores, ranks or selections.

    The columns of :class:`StabilityResult.table <pyfsagg.StabilityResult>` say what the fields are;
    `n_features` is 0 where it is neither known nor needed, and `seed` None where nothing was drawn.
    """

    value: float
    measure: str
    n_resamples: int
    n_features: int
    n_pairs: int
    n_undefined: int
    unit: str
    kind: str
    interval: tuple[float, float] | None = field(default=None, metadata=columns("lower", "upper"))
    interval_method: str | None = None
    confidence_level: float | None = None
    standard_error: float | None = None
    higher_is_better: bool = True
    n_tied: int = 0
    seed: int | None = None

    def __float__(self) -> float:
        return self.value

    def to_frame(self) -> pd.DataFrame:
        """One row, with the interval in the columns `lower` and `upper` (missing if none)."""
        return pd.DataFrame([row_of(self)]).set_index("measure")

    def __repr__(self) -> str:
        text = f"MeasureValue({self.measure} = {self.value:.6g}"
        if self.interval is not None and self.confidence_level is not None:
            low, high = self.interval
            level = f"{100 * self.confidence_level:g} %"
            text += f", {level} {self.interval_method} [{low:.4g}, {high:.4g}]"
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
        f"the stability measure {measure!r} is undefined on these data: {estimate.n_pairs} ",
        f"{unit} defined, {estimate.n_undefined} undefined. Constant score rows have no ",
        "correlation, and all-empty or all-full subsets have nothing to compare",
        Remedy(
            "drop these resamples, select another number, or give a value by ", Param("undefined")
        ),
    )


BOOTSTRAP_ROWS = 256  # bootstrap samples that are evaluated at once


def jackknife_variance(without_each: Floats) -> float:
    """The variance of a statistic from its values without resample 0, 1, …."""
    m = len(without_each)
    return float((m - 1) / m * ((without_each - without_each.mean()) ** 2).sum())


def jackknife_values(statistic: BoundStatistic) -> Floats:
    """The statistic without resample 0, 1, …, shape (m,)."""
    values = statistic.leave_one_out()
    if len(values) < 3 or not np.isfinite(values).all():
        raise DataError(
            "the jackknife needs at least 3 resamples and a defined value without each of them; of "
            f"{len(values)} resamples, {int((~np.isfinite(values)).sum())} leave an undefined value"
        )
    return values


def bootstrap_variance(statistic: BoundStatistic, n_boot: int, seed: int) -> float:
    """The variance over bootstrap samples of the resamples, without pairs of copies, times m / (m - 1) for
    the bias of m rows. Percentiles would cover far too little with few resamples."""
    rng = np.random.default_rng(seed)
    m = statistic.n_rows
    values = np.empty(n_boot)
    shares = np.full(m, 1.0 / m)
    for first in range(0, n_boot, BOOTSTRAP_ROWS):
        stop = min(first + BOOTSTRAP_ROWS, n_boot)
        weights = rng.multinomial(m, shares, size=stop - first).astype(np.float64)
        values[first:stop] = statistic.reweighted(weights)
    defined = values[np.isfinite(values)]
    if len(defined) < max(2, 0.5 * n_boot):
        raise DataError(
            f"only {len(defined)} of {n_boot} bootstrap samples of {m} resamples have a defined "
            "value; there are too few resamples, or too few that carry information"
        )
    return float(defined.var(ddof=1)) * m / (m - 1)
