"""Which ranks are possible: confidence sets for the ranks of items from estimates with errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import (
    Floats,
    Indices,
    Integers,
    content_order,
    levelled_means,
    row_blocks,
    scaled,
)
from pyfsagg._base.validation import as_array, check_flag, check_integer, check_list, check_real
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._kernels import ranks as kernels
from pyfsagg._message import Param, Remedy, named
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.statistics._base import TestResult, check_confidence_level

MOST_DEPENDENT, MOST_INDEPENDENT = 2_000, 20_000
"""Largest numbers of items with a covariance and with standard errors; work grows as p²."""

MOST_ITEMS = 512  # items whose own critical value is computed, if errors are independent
MOST_STEPS = 10
DRAWS_OF_REPLICATES = 2000

ALL_SIGNS = 12
"""Rows of a table up to which all signs of the rows are gone through; there are 2^(n − 1) that differ."""

FEW_ROWS = 300  # rows of a table below which errors that look skewed get wider limits
SKEWED, WIDER = 0.5, 1.5
"""Below this p-value errors look skewed, and limits are then Student's at least, times 1 + `WIDER` / rows.

Chosen by simulation of 8 to 181 items with normal, exponential and log-normal errors, on 10 to 41 rows.
"""


@dataclass(frozen=True, eq=False, repr=False)
class RankConfidence(TestResult):
    """Result of :func:`rank_confidence`; arrays have the order of the items given.

    Attributes
    ----------
    names : tuple of str
    estimates : ndarray (p,)
    ranks : ndarray (p,)
        1 + the number of better estimates.
    lower, upper : ndarray (p,)
        Marginal set of each item: it contains the true rank of that item.
    lower_all, upper_all : ndarray (p,)
        Simultaneous sets: together they hold all true ranks.
    confidence_level : float
    of : str
        The quantity by which the true ranks are defined.
    """

    names: tuple[str, ...]
    estimates: Floats
    ranks: Integers
    lower: Integers
    upper: Integers
    lower_all: Integers
    upper_all: Integers
    confidence_level: float
    of: str = "the quantities that were estimated"

    def to_frame(self) -> pd.DataFrame:
        """One row per item (index ``item``), best first: ``rank``, ``estimate`` and the limits.

        ``lower`` to ``upper`` is the marginal set, ``lower_all`` to ``upper_all`` the simultaneous one.
        """
        limits = {
            name: getattr(self, name) for name in ("lower", "upper", "lower_all", "upper_all")
        }
        values = {"rank": self.ranks, "estimate": self.estimates, **limits}
        frame = pd.DataFrame(values, index=pd.Index(self.names, name="item"))
        return frame.iloc[np.argsort(self.ranks, kind="stable")]

    def top(self, k: int) -> list[str]:
        """The items that may be among the true top k, the best estimates first.

        The whole true top k is among them with probability `confidence_level`.
        """
        k = check_integer("k", k, low=1, high=len(self.names))
        order = np.argsort(self.ranks, kind="stable")
        return [self.names[j] for j in order if self.lower_all[j] <= k]

    @property
    def sentence(self) -> str:
        """The sizes of the sets, and the items that may be the first."""
        first = self.top(1)
        certain = int((self.lower == self.upper).sum())
        width = float(np.median(self.upper - self.lower)) + 1.0
        return (
            f"{100 * self.confidence_level:.3g} % confidence sets for the ranks of "
            f"{plural(len(self.names), 'item')}, by {self.of}: half of the sets of single ranks contain "
            f"at most {width:g} of {len(self.names)} places, {certain} contain one place; the true first "
            f"is among {plural(len(first), 'item')}: {enumerate_names(first, most=5)}."
        )


@dataclass(frozen=True, eq=False)
class _Errors:
    """Normal `draws` of the errors of p estimates, (n, p) if independent with `variances`, otherwise
    (p, n), and the `inverse` standard errors (p, p) of differences, 0 for none. With `df` quantiles
    become Student's."""

    draws: Floats
    variances: Floats
    inverse: Floats | None = None
    df: float | None = None

    def item_limits(
        self, estimates: Floats, limits: Floats, confidence_level: float, items: Indices
    ) -> Floats:
        """The critical value of some items, by their statements that are open at their limits."""
        open_items = (estimates, limits, items)
        if self.inverse is not None:
            maxima = kernels.dense_item_maxima(self.draws, self.inverse, *open_items)
        elif self.variances.size <= MOST_ITEMS:
            maxima = kernels.independent_item_maxima(self.draws, self.variances, *open_items)
        else:
            return self._of_variances(confidence_level)[items]
        return self._critical(
            maxima, confidence_level, lambda: self._open(estimates, limits)[items]
        )

    def _of_variances(self, confidence_level: float) -> Floats:
        """The critical values of many items, all statements open: they depend on the variance alone."""
        p = self.variances.size
        order = np.argsort(self.variances, kind="stable")
        # Items between two others get the larger of their values.
        places = np.unique(np.linspace(0, p - 1, MOST_ITEMS).astype(np.intp))
        maxima = kernels.independent_item_maxima(
            self.draws, self.variances, np.zeros(p), np.full(p, math.inf), order[places]
        )
        known = self._critical(maxima, confidence_level, lambda: 0)
        above = np.searchsorted(places, np.arange(p))
        below = np.searchsorted(places, np.arange(p), side="right") - 1
        limits = np.empty(p)
        limits[order] = np.maximum(known[below], known[above])
        return limits

    @property
    def item_steps(self) -> int:
        """How often the limits of single items may be taken again."""
        return MOST_STEPS if self.inverse is not None or self.variances.size <= MOST_ITEMS else 1

    def limit(self, estimates: Floats, limit: float, confidence_level: float) -> float:
        """The critical value of all statements that are open at a limit."""
        if self.inverse is None:
            maxima = kernels.independent_maxima(self.draws, self.variances, estimates, limit)
        else:
            maxima = kernels.dense_maxima(self.draws, self.inverse, estimates, limit)
        n_open = lambda: self._open(estimates, np.full(estimates.size, limit)).sum() / 2.0  # noqa: E731
        return float(self._critical(maxima[None, :], confidence_level, n_open)[0])

    def _critical(
        self, maxima: Floats, confidence_level: float, n_open: Callable[[], Any]
    ) -> Floats:
        """Of each row the value that this share of the draws stays below, as a quantile of Student's."""
        quantiles = _quantiles(maxima, confidence_level)
        if self.df is None:
            return quantiles
        return np.asarray(scipy.stats.t.isf(scipy.stats.norm.sf(quantiles), self.df))

    def _open(self, estimates: Floats, limits: Floats) -> Floats:
        """How many statements on each item, above or below another one, are open at its limit."""
        lower, upper = _places(estimates, self, limits)
        p = estimates.size
        return np.asarray(2.0 * (p - 1) - (lower - 1) - (p - upper), dtype=np.float64)

    def scale(self, rows: slice) -> Floats:
        """1 / standard error of the differences of some items from all items."""
        if self.inverse is not None:
            return self.inverse[rows]
        return _inverse_root(self.variances[rows, None] + self.variances[None, :])


@dataclass(frozen=True, eq=False)
class _Estimated(_Errors):
    """Errors whose covariance is estimated with `df` degrees of freedom: Student's quantiles by the
    number of open statements, since maxima of draws would be too small."""

    item_steps = MOST_STEPS

    def item_limits(
        self, estimates: Floats, limits: Floats, confidence_level: float, items: Indices
    ) -> Floats:
        assert self.df is not None  # or the errors are known
        return _shared(self._open(estimates, limits)[items], confidence_level, self.df)

    def limit(self, estimates: Floats, limit: float, confidence_level: float) -> float:
        assert self.df is not None  # or the errors are known
        n_open = self._open(estimates, np.full(estimates.size, limit)).sum() / 2.0
        return float(_shared(n_open, confidence_level, self.df))


def _shared(n_open: Any, confidence_level: float, df: float) -> Floats:
    """Student's quantile for each number of statements that jointly keep the level."""
    return np.asarray(scipy.stats.t.isf((1.0 - confidence_level) / np.maximum(n_open, 1.0), df))


@dataclass(frozen=True, eq=False)
class _Flipped(_Errors):
    """Errors of column means by random signs of rows, valid if the errors of a row are symmetric.
    `draws` (p, n) are means under signs; differences are divided by the root of the sum of their
    squares (`scale`, `inverse`), which signs do not change, so they are ordered as by Student's
    statistic.
    """

    item_steps = MOST_STEPS
    n_rows: int = 0
    n_signs: int = 0  # that the draws stand for: themselves, and the signs of the table
    skewed: bool = False

    @classmethod
    def of_table(cls, values: Floats, rng: np.random.Generator, n_draws: int) -> _Flipped:
        """From a table (n_rows, p) without missing values."""
        n_rows = values.shape[0]
        # What all items have in common in a row is in no difference.
        values = values - values.mean(axis=1, keepdims=True)
        if n_rows <= ALL_SIGNS:
            codes = np.arange(1, 2 ** (n_rows - 1))[:, None] >> np.arange(n_rows)
            draws = (1.0 - 2.0 * (codes & 1)) @ values
        else:
            draws = np.zeros((n_draws, values.shape[1]))
            for rows in row_blocks((n_rows, n_draws)):
                signs = rng.integers(0, 2, size=(n_draws, len(values[rows])), dtype=np.int8)
                draws += (2.0 * signs - 1.0) @ values[rows]
        products = values.T @ values / n_rows
        total = np.add.outer(np.diag(products), np.diag(products))
        squares = total - 2.0 * products
        squares[squares <= 1e-12 * total] = 0.0  # nothing but rounding
        inverse, n_signs = _inverse_root(squares), draws.shape[0] + 1
        draws = np.ascontiguousarray(draws.T) / n_rows
        skewed = n_rows < FEW_ROWS and _skewness_p_value(values, rng) < SKEWED
        return cls(draws, np.diag(products), inverse, n_rows=n_rows, n_signs=n_signs, skewed=skewed)

    def _critical(
        self, maxima: Floats, confidence_level: float, n_open: Callable[[], Any]
    ) -> Floats:
        """The value that this share of all signs stays at or below, infinite if only all of them do."""
        place = math.ceil(confidence_level * self.n_signs - 1e-9)
        if place > maxima.shape[1]:
            return np.full(maxima.shape[0], math.inf)
        # Equal values of other signs must not count as larger because of their last digits.
        found = np.asarray(np.partition(maxima, place - 1, axis=1)[:, place - 1]) * (1.0 + 1e-10)
        return self._at_least(found, n_open(), confidence_level) if self.skewed else found

    def _at_least(self, found: Floats, n_open: Any, confidence_level: float) -> Floats:
        """The limits of a small table with skewed errors: Student's at least, and wider."""
        # On Student's scale; that of the limits is t / √(n − 1 + t²), and one from 1 on decides nothing.
        freedom = self.n_rows - 1.0
        with np.errstate(divide="ignore"):
            own = found * np.sqrt(freedom / np.maximum(1.0 - np.square(found), 0.0))
        t = np.maximum(own, _shared(n_open, confidence_level, freedom)) * (
            1.0 + WIDER / self.n_rows
        )
        wider = 1.0 / np.sqrt(1.0 + freedom / np.square(t))
        return np.where(found < 1.0, wider, found)


def _skewness_p_value(values: Floats, rng: np.random.Generator) -> float:
    """Share of random signs of rows with columns (n, p) at least as skewed, by m₃² / m₂³, about
    medians: means would move with rows of large errors."""
    n = values.shape[0]
    errors = values - np.median(values, axis=0)
    signs = np.ones((500, n))
    signs[1:] = 2.0 * rng.integers(0, 2, size=(499, n)) - 1.0
    mean, squares = signs @ errors / n, np.square(errors).sum(axis=0) / n
    variance = squares - np.square(mean)
    third = signs @ errors**3 / n - 3.0 * mean * squares + 2.0 * mean**3
    varies = variance > 1e-12 * squares
    skewness = np.divide(third**2, variance**3, out=np.zeros_like(third), where=varies).sum(axis=1)
    return float((skewness >= skewness[0] * (1.0 - 1e-10)).mean())


def rank_confidence(
    estimates: ArrayLike,
    covariance: ArrayLike | None = None,
    *,
    standard_errors: ArrayLike | None = None,
    df: float | None = None,
    confidence_level: float = 0.95,
    names: Sequence[str] | None = None,
    higher_is_better: bool = True,
    n_draws: int | None = None,
    random_state: int = 0,
) -> RankConfidence:
    """Confidence sets for ranks, from estimates and their errors alone.

    Parameters
    ----------
    estimates : array-like (p,) or (n, p), Series or DataFrame
        One estimate of each item, approximately normal around the true value.  Or a table of independent
        rows, such as data sets, tasks or subjects, with a value of each item (columns): its means are the
        estimates, and their errors come from the table.
    covariance : array-like (p, p), optional
        Covariance of the errors of the estimates; at most 2,000 items.
    standard_errors : array-like (p,), optional
        Instead of `covariance`, if the errors are independent; at most 20,000 items.
    df : float, optional
        Degrees of freedom of estimated errors: n − 1 for n replicates of each estimate (data sets, tasks
        or folds without common rows); None if the errors are known.  Sets that take errors from few
        replicates for known hold far less often than stated (``docs/calibration.md``).
    confidence_level : float
    names : sequence of str, optional
        Names of the items; by default the index of a Series, the columns of a DataFrame, or item 1, item 2, …
    higher_is_better : bool
        Whether the largest value has rank 1.
    n_draws : int, optional
        Normal draws of the errors, for the critical values; 10,000 for up to 200 items, 2,000 for more
        by default.  With `df` there are none.  Of a table, random signs of its rows: 2,000, or 500 for
        more than 500 items; of up to 12 rows all signs are taken.
    random_state : int
        Seed of the draws.

    Returns
    -------
    RankConfidence
        A marginal set of each item, simultaneous sets, and by ``top(k)`` the items that may be among the
        true top k.  Equal true values share their ranks, and a set contains all of them.

    Raises
    ------
    DataError
        For fewer than two items or more than stated above, numbers that are missing or infinite, errors
        that are no standard errors or no covariance, and tables with too few rows for the level (6 for
        0.95).

    Notes
    -----
    An item is above another one if their difference exceeds its standard error times a critical
    value, the quantile of the largest standardised difference of errors: over the pairs with one
    item for its marginal set, over all pairs for the simultaneous sets.  The quantile is taken again
    without the pairs that are decided, until no more are (for marginal sets of more than 512 items with
    independent errors once).  A rank is from 1 + the number of items above to p − the number below.

    With `df` the critical value is Student's quantile at the level divided by the number of statements,
    which holds for any number of items and any covariance.

    Of a table it is a quantile of the largest mean difference over its root mean square, for all or
    random signs of the rows.  This is exact for equal items if the errors of a row and the same errors with
    all signs reversed are equally likely, with any covariance, in each row, and for any number of
    items; rows may differ in variance.  Random signs belong to the contents of a row, so the order of the
    rows does not matter, and means whose difference can be rounding are equal.  Skewed errors need wider
    limits: of fewer than 300 rows whose columns are more skewed than with most other signs of the rows, the
    limit is at least Student's, times 1 + 1.5 / n.  ``docs/calibration.md`` has what is kept.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks with applications to mobility
    across neighbourhoods and academic achievement across countries, Review of Economic Studies 91; Holm
    (1979), Scandinavian Journal of Statistics 6; Romano and Wolf (2005), JASA 100, on steps with signs.

    Examples
    --------
    >>> result = rank_confidence([5.0, 4.8, 3.0, 1.0], standard_errors=[0.2, 0.2, 0.3, 0.2])
    >>> result.to_frame()[["rank", "lower", "upper"]]
            rank  lower  upper
    item
    item 1     1      1      2
    item 2     2      1      2
    item 3     3      3      3
    item 4     4      4      4
    >>> result.top(1)
    ['item 1', 'item 2']
    >>> noise = np.random.default_rng(0).normal(size=(10, 3))
    >>> rank_confidence(noise + [2.0, 0.0, 0.0]).to_frame()[["rank", "lower", "upper"]]
            rank  lower  upper
    item
    item 1     1      1      1
    item 2     2      2      3
    item 3     3      2      3
    """
    level = check_confidence_level("confidence_level", confidence_level)
    check_flag("higher_is_better", higher_is_better)
    rng = np.random.default_rng(check_integer("random_state", random_state, low=0))
    if n_draws is not None:
        n_draws = check_integer("n_draws", n_draws, low=100)
    values, labels = _read_estimates(estimates, names)
    if values.ndim == 2:
        if covariance is not None or standard_errors is not None or df is not None:
            problem = "the errors of a table are in its rows: leave out covariance, "
            raise ParameterError(problem, Param("standard_errors"), " and df")
        unit, exponent = scaled(values)  # whose squares neither overflow nor vanish
        # Signs belong to what a row holds, not to its position.
        unit = unit[content_order(unit if higher_is_better else -unit)]
        means, signs = levelled_means(unit), _of_table(unit, level, rng, n_draws)
        found = _sets(means, labels, signs, level, higher_is_better=bool(higher_is_better))
        return replace(found, estimates=np.ldexp(means, exponent))
    if n_draws is None:
        n_draws = 10_000 if values.size <= 200 else 2_000
    if (covariance is None) == (standard_errors is None):
        either = "give either covariance (p, p) or "
        raise ParameterError(either, Param("standard_errors"), " (p,), the errors of the estimates")
    if df is not None:
        df = check_real("df", df, low=0.0, low_open=True)
        n_draws = 0
    if covariance is None:
        errors = _independent(standard_errors, values.size, rng, n_draws)
    else:
        errors = _dependent(
            as_array("covariance", covariance, np.float64), values.size, rng, n_draws
        )
    if df is not None:
        errors = _Estimated(errors.draws, errors.variances, errors.inverse, df)
    return _sets(values, labels, errors, level, higher_is_better=bool(higher_is_better))


def sets_of_replicates(
    estimates: Floats,
    replicates: Floats,
    *,
    names: Sequence[str],
    confidence_level: float,
    factor: float,
    of: str,
) -> RankConfidence:
    """The sets of :func:`rank_confidence`, with the covariance of m replicates (m, p) times `factor`,
    with m − 1 degrees of freedom."""
    m, p = replicates.shape
    _check_size(p, MOST_DEPENDENT, "replicates")
    rng = np.random.default_rng(0)
    centred = (replicates - replicates.mean(axis=0)) * math.sqrt(factor / (m - 1.0))
    errors = _with_covariance(
        rng.standard_normal((DRAWS_OF_REPLICATES, m)) @ centred, centred.T @ centred, df=m - 1.0
    )
    return _sets(estimates, tuple(names), errors, confidence_level, of=of)


def _read_estimates(estimates: Any, names: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    if names is None and isinstance(estimates, (pd.Series, pd.DataFrame)):
        names = [str(name) for name in estimates.keys()]  # noqa: SIM118 - of a Series the index
    values = as_array("estimates", estimates, np.float64)
    if values.ndim not in (1, 2) or values.shape[-1] < 2:
        raise DataError(
            "ranks need at least two estimates in one row, or a table of rows with at least two, got an "
            f"array of shape {values.shape}"
        )
    _check_finite("estimates", values)
    labels = tuple(map(str, check_list("names", names))) if names is not None else ()
    p = values.shape[-1]
    labels = labels or tuple(f"item {j + 1}" for j in range(p))
    if len(labels) != p:
        raise DataError(f"there are {len(labels)} names for {p} estimates")
    return values, labels


def _check_finite(what: str, values: Floats) -> None:
    if not np.isfinite(values).all():
        place = ", ".join(str(i) for i in np.argwhere(~np.isfinite(values))[0])
        problem = f" has a missing or infinite value (position {place})"
        raise DataError(named(what), problem, Remedy("leave that item out"))


def _check_size(p: int, most: int, what: str, *instead: object) -> None:
    if p > most:
        raise DataError(
            f"confidence sets for the ranks of {p:,} items compare {p * (p - 1) // 2:,} pairs; with ",
            f"{what} at most {most:,} items are possible. Leave out items that no one would select",
            *instead,
        )


def _inverse_root(variances: Floats) -> Floats:
    roots = np.zeros_like(variances)
    np.divide(1.0, np.sqrt(variances), out=roots, where=variances > 0.0)
    return roots


def _independent(standard_errors: Any, p: int, rng: np.random.Generator, n_draws: int) -> _Errors:
    name = Param("standard_errors")
    errors = as_array("standard_errors", standard_errors, np.float64)
    if errors.shape != (p,):
        raise DataError(name, f" has the shape {errors.shape} for {p} estimates")
    _check_finite("standard_errors", errors)
    if (errors < 0.0).any():
        raise DataError(f"a standard error is negative: {errors.min():g}")
    _check_size(p, MOST_INDEPENDENT, "standard errors")
    return _Errors(rng.standard_normal((n_draws, p)) * errors, errors**2)


def _dependent(covariance: Floats, p: int, rng: np.random.Generator, n_draws: int) -> _Errors:
    name, independent = Param("covariance"), Param("standard_errors")
    if covariance.shape != (p, p):
        shape = f"the shape {covariance.shape} for {p} estimates; it must be ({p}, {p})"
        raise DataError(name, f" has {shape}. Independent errors are given as ", independent)
    limit = f" (independent errors, up to {MOST_INDEPENDENT:,} items)"
    _check_size(p, MOST_DEPENDENT, "a covariance", ", or give ", independent, limit)
    _check_finite("covariance", covariance)
    size = float(np.abs(covariance).max())
    if np.abs(covariance - covariance.T).max() > 1e-8 * size:
        raise DataError(name, " is not symmetric")
    values, vectors = np.linalg.eigh(covariance)
    if values[0] < -1e-8 * max(float(values[-1]), 0.0) or values[-1] < 0.0:
        raise DataError(
            name,
            f" is not positive semi-definite (its smallest eigenvalue is {values[0]:.3g})",
            Remedy("check how it was estimated"),
        )
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return _with_covariance(rng.standard_normal((n_draws, p)) @ root.T, covariance)


def _of_table(
    values: Floats, confidence_level: float, rng: np.random.Generator, n_draws: int | None
) -> _Flipped:
    n, p = values.shape
    _check_size(p, MOST_DEPENDENT, "a table")
    fewest = 1 + math.ceil(-math.log2(1.0 - confidence_level) - 1e-9)
    if n < fewest:
        raise DataError(
            f"the signs of {n} rows can decide nothing at {100 * confidence_level:.3g} %: the table "
            f"needs at least {fewest}"
        )
    return _Flipped.of_table(values, rng, n_draws or (2_000 if p <= 500 else 500))


def _with_covariance(draws: Floats, covariance: Floats, df: float | None = None) -> _Errors:
    variances = np.diag(covariance)
    total = variances[:, None] + variances[None, :]
    differences = total - 2.0 * covariance
    # The difference of copies has no variance but for rounding.
    differences[differences <= 1e-12 * total] = 0.0
    return _Errors(np.ascontiguousarray(draws.T), variances, _inverse_root(differences), df)


def _sets(
    values: Floats,
    names: tuple[str, ...],
    errors: _Errors,
    confidence_level: float,
    *,
    higher_is_better: bool = True,
    of: str = "the quantities that were estimated",
) -> RankConfidence:
    signed = values if higher_is_better else -values
    p = values.size
    limits, items, made = np.full(p, math.inf), np.arange(p), np.zeros(p, dtype=np.int64)
    for _ in range(errors.item_steps):
        limits[items] = errors.item_limits(signed, limits, confidence_level, items)
        lower, upper = _places(signed, errors, limits)
        before, made = made, lower - 1 + p - upper
        items = np.flatnonzero(made > before)
        if items.size == 0:
            break
    limit, count = math.inf, -1
    for _ in range(MOST_STEPS):
        limit = errors.limit(signed, limit, confidence_level)
        lower_all, upper_all = _places(signed, errors, np.full(p, limit))
        now = int(lower_all.sum())
        if now == count:
            break
        count = now
    ranks = scipy.stats.rankdata(-signed, method="min").astype(np.int64)
    return RankConfidence(
        names, values, ranks, lower, upper, lower_all, upper_all, confidence_level, of
    )


def _quantiles(maxima: Floats, confidence_level: float) -> Floats:
    """Of each row the smallest value that this share of the draws, and of one more, stay below."""
    n = maxima.shape[1]
    place = min(math.ceil(confidence_level * (n + 1)), n) - 1
    return np.asarray(np.partition(maxima, place, axis=1)[:, place])


def _places(values: Floats, errors: _Errors, limits: Floats) -> tuple[Integers, Integers]:
    """Smallest and largest possible rank of each item, some items at a time."""
    p = values.size
    lower, upper = np.empty(p, dtype=np.int64), np.empty(p, dtype=np.int64)
    for rows in row_blocks((p, p)):
        gaps = values[None, :] - values[rows, None]
        scale = errors.scale(rows)
        statistic = gaps * scale
        # Without an error of the difference, any difference is real.
        statistic[(scale == 0.0) & (gaps > 0.0)] = np.inf
        statistic[(scale == 0.0) & (gaps < 0.0)] = -np.inf
        limit = limits[rows, None]
        lower[rows] = 1 + (statistic > limit).sum(axis=1)
        upper[rows] = p - (-statistic > limit).sum(axis=1)
    return lower, upper
