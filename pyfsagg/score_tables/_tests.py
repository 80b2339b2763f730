"""Tests of scores: all pairs, a test of all methods with holes, and what holes and data sets could change."""

import itertools
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from pyfsagg._base.arithmetic import (
    Floats,
    adjust_p_values,
    levelled,
    levelled_means,
    wilson_interval,
)
from pyfsagg._message import Remedy, Use
from pyfsagg._run.execution import counted
from pyfsagg.exceptions import DataError
from pyfsagg.statistics import wilcoxon

MOST_ROUNDS = 1_000
ALL_SIGNS = 16  # data sets up to which tests of pairs go through all signs of the differences
ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
"""Share of the largest score within which differences of two scores are equal, or none."""
MOST_ARRANGEMENTS = 1_000_000  # sums of ranks up to which Friedman's test is exact


def additive_means(cells: Floats) -> Floats:
    """Column means (p,) by least squares with effects of methods and of data sets, as if without holes; those
    whose difference can be rounding are equal."""
    known = ~np.isnan(cells)
    if known.all():
        return levelled_means(cells)
    order = np.lexsort(
        np.sort(cells, axis=0)
    )  # sums do not depend on the order of the methods either
    cells, known = cells[:, order], known[:, order]
    reached = np.arange(cells.shape[1]) == 0  # methods that share data sets, or others that do
    while (more := known[known[:, reached].any(axis=1)].any(axis=0)).sum() > reached.sum():
        reached = more
    if not reached.all():
        raise DataError(
            f"{int((~reached).sum())} of {reached.size} methods share no data set with the others, not even "
            "through a third method; compare them in a separate table"
        )
    values = np.where(known, cells, 0.0)
    in_row, in_column = known.sum(axis=1), known.sum(axis=0)
    methods = np.zeros(cells.shape[1])
    scale = float(np.abs(values).max()) or 1.0
    for _ in range(MOST_ROUNDS):
        rows = (values.sum(axis=1) - known @ methods) / in_row
        new = (values.sum(axis=0) - rows @ known) / in_column
        change, methods = float(np.abs(new - methods).max()), new
        if change <= 1e-13 * scale:
            break
    rows = (values.sum(axis=1) - known @ methods) / in_row
    return levelled(methods + rows.mean(), 1e-12 * scale)[np.argsort(order)]


def place_of(values: Floats, higher_is_better: bool) -> NDArray[np.int64]:
    """1 + the number of better values along the last axis; equal ones share the best place."""
    signed = -values if higher_is_better else values
    return np.asarray(stats.rankdata(signed, method="min", axis=-1), dtype=np.int64)


def ranks_within(cells: Floats, higher_is_better: bool) -> Floats:
    """Ranks within each data set, 1 = best, ties share the average; NaN where there is no score."""
    signed = -cells if higher_is_better else cells
    return np.asarray(stats.rankdata(signed, axis=1, nan_policy="omit"), dtype=np.float64)


class GlobalTest(NamedTuple):
    """Whether all methods could be equal."""

    name: str
    statistic: float
    df: float
    p_value: float


def skillings_mack(ranks: Floats) -> GlobalTest:
    """Friedman's test of ranks (T, p) with holes (NaN): χ² of A_j = Σ_i √(12 / (s_i + 1)) (r_ij − (s_i +
    1) / 2), s_i > 1, with p − 1 degrees of freedom (Skillings and Mack 1981); too small with ties."""
    known = ~np.isnan(ranks)
    used = known.sum(axis=1) > 1
    known, ranks = known[used], ranks[used]
    size = known.sum(axis=1, keepdims=True)
    centred = np.where(known, np.sqrt(12.0 / (size + 1.0)) * (ranks - (size + 1.0) / 2.0), 0.0)
    sums = centred.sum(axis=0)
    together = known.T.astype(np.float64) @ known
    covariance = -together
    covariance[np.diag_indices_from(covariance)] = together.sum(axis=1) - np.diag(together)
    statistic = float(sums @ np.linalg.pinv(covariance, hermitian=True) @ sums)
    df = float(np.linalg.matrix_rank(covariance, hermitian=True))
    return GlobalTest("Skillings–Mack", statistic, df, float(stats.chi2.sf(statistic, df)))


def friedman_exact(ranks: Floats) -> GlobalTest | None:
    """Friedman's test over all orders of the ranks (T, p) within data sets; None if these are too many."""
    T, p = ranks.shape
    if T > ALL_SIGNS or p > 6:
        return None
    doubled = np.rint(2.0 * ranks).astype(np.int64)  # whole numbers with ties, too
    orders = np.array(list(itertools.permutations(range(p))))
    digits = (2 * T * p + 1) ** np.arange(p)  # a number for all sums of the methods
    sums: NDArray[np.int64] = np.zeros((1, p), dtype=np.int64)
    chance: Floats = np.ones(1)
    for row in doubled:
        steps, weight = np.unique(row[orders], axis=0, return_counts=True)
        if len(sums) * len(steps) > MOST_ARRANGEMENTS:
            return None
        reached = np.sort((sums[:, None, :] + steps).reshape(-1, p), axis=1)
        _, first, place = np.unique(reached @ digits, return_index=True, return_inverse=True)
        sums = reached[first]
        shares = np.multiply.outer(chance, weight / weight.sum()).ravel()
        chance = np.asarray(np.bincount(np.ravel(place), weights=shares), dtype=np.float64)
    middle = T * (p + 1)  # of the doubled sums
    squares = ((sums - middle) ** 2).sum(axis=1)
    seen = ((doubled.sum(axis=0) - middle) ** 2).sum()
    spread = ((ranks - (p + 1) / 2.0) ** 2).sum()
    statistic = float((p - 1) * seen / 4.0 / spread)
    p_value = float(min(chance[squares >= seen].sum(), 1.0))
    return GlobalTest("Friedman’s test, exact", statistic, p - 1.0, p_value)


def _gaps(first: Floats, others: Floats, sign: float) -> tuple[Floats, ...]:
    """Common data sets with the later methods, means and errors of differences, how often better, worse."""
    differences = first[:, None] - others
    known = ~np.isnan(differences)
    n = known.sum(axis=0)
    mean = np.divide(np.nansum(differences, axis=0), n, out=np.full(n.size, np.nan), where=n > 0)
    squares = np.nansum((differences - mean) ** 2, axis=0)
    error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
    largest = max(float(np.nanmax(np.abs(first))), float(np.nanmax(np.abs(others))))
    error[error <= np.maximum(1e-12 * np.abs(mean), ROUNDING * largest)] = (
        0.0  # nothing but rounding
    )
    error[n < 2] = np.nan
    better = sign * differences
    return n, mean, error, (better > 0.0).sum(axis=0), (better < 0.0).sum(axis=0)


def pairs_on_datasets(
    cells: Floats, *, higher_is_better: bool, confidence_level: float, test: str
) -> dict[str, Floats]:
    """All pairs of columns (i < j) on the data sets that both have, as columns of a frame."""
    p = cells.shape[1]
    sign = 1.0 if higher_is_better else -1.0
    first = counted(range(p - 1), p - 1, "method")
    parts = [_gaps(cells[:, i], cells[:, i + 1 :], sign) for i in first]
    n, mean, error, wins, losses = (np.concatenate(part) for part in zip(*parts, strict=True))
    found = _student(mean, error, n - 1.0, confidence_level)
    if test == "wilcoxon":
        columns = itertools.combinations(cells.T, 2)
        found["p"] = np.array([_signed_rank(first, second) for first, second in columns])
    elif test == "signs":
        signed = [_by_all_signs(cells[:, i, None] - cells[:, i + 1 :]) for i in range(p - 1)]
        found["p"] = np.where(n > 0, np.concatenate(signed), np.nan)
    else:
        # Differences that are all equal have no error to be estimated: their signs alone speak.
        equal = (error == 0.0) & (mean != 0.0)
        found["p"][equal] = 2.0 ** (1.0 - n[equal])
    ties, size = n - wins - losses, np.where(n > 0, n, np.nan)
    share = (wins + 0.5 * ties) / size
    lower, upper = wilson_interval(share, size, confidence_level)
    counts = {"n": n, "wins": wins, "ties": ties, "losses": losses}
    limits = {"superiority_lower": lower, "superiority_upper": upper}
    return {**counts, **found, "superiority": share, **limits}


def pairs_within(
    means: Floats, within: Floats, df: float, confidence_level: float
) -> dict[str, Floats]:
    """All pairs of methods on the data sets of the table, by the errors of their replicates."""
    i, j = np.triu_indices(means.size, 1)
    variance = np.diag(within)[i] + np.diag(within)[j] - 2.0 * within[i, j]
    error = np.sqrt(np.maximum(variance, 0.0))
    return _student(means[i] - means[j], error, np.full(i.size, df), confidence_level)


def _student(mean: Floats, error: Floats, df: Floats, confidence_level: float) -> dict[str, Floats]:
    """Differences with their interval, Student's statistic and two-sided p-value."""
    df = np.where(df > 0.0, df, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where((error == 0.0) & (mean == 0.0), 0.0, mean / error)
    reach = stats.t.isf((1.0 - confidence_level) / 2.0, df) * error
    p = 2.0 * stats.t.sf(np.abs(t), df)
    found = {"difference": mean, "lower": mean - reach, "upper": mean + reach}
    return {**found, "t": t, "df": df, "error": error, "p": np.asarray(p)}


def _by_all_signs(differences: Floats) -> Floats:
    """Two-sided p-values of the columns (T, k): how often the sum with other signs is as far from zero."""
    T = len(differences)
    if T > ALL_SIGNS:
        raise DataError(
            f"all signs of {T} data sets are too many; {ALL_SIGNS} are allowed",
            Remedy("use ", Use(test="t"), " or ", Use(test="wilcoxon")),
        )
    # A missing difference adds nothing with either sign; the first row has the observed signs.
    known = np.nan_to_num(differences)
    signs = 1.0 - 2.0 * (np.arange(2 ** (T - 1))[:, None] >> np.arange(T) & 1)
    sums = np.abs(signs @ known)
    return np.asarray((sums >= sums[0] * (1.0 - 1e-10)).mean(axis=0))


def posterior(pairs: Mapping[str, Floats], rope: float) -> dict[str, Floats]:
    """Probabilities that differences are below, within and above ±`rope`, by a flat prior (Benavoli 2017)."""
    error = pairs["error"]
    with np.errstate(divide="ignore", invalid="ignore"):
        below = np.asarray(stats.t.sf((rope + pairs["difference"]) / error, pairs["df"]))
        above = np.asarray(stats.t.sf((rope - pairs["difference"]) / error, pairs["df"]))
    return {"p_below": below, "p_equivalent": 1.0 - below - above, "p_above": above}


def _signed_rank(x: Floats, y: Floats) -> float:
    known = ~np.isnan(x) & ~np.isnan(y)
    if known.sum() < 3:
        return math.nan
    if bool((x[known] == y[known]).all()):
        return 1.0
    exact = True if known.sum() <= ALL_SIGNS else "auto"
    differences = x[known] - y[known]
    largest = max(float(np.abs(x[known]).max()), float(np.abs(y[known]).max()))
    sizes = levelled(np.append(np.abs(differences), 0.0), ROUNDING * largest)[:-1]
    return wilcoxon(np.sign(differences) * sizes, exact=exact).p_value


def decided_by_pairs(
    mean: Floats, p: Floats, n_methods: int, share: float, items: bool
) -> tuple[Floats, Floats]:
    """Numbers of methods surely above and below each, by one-sided Holm tests of all pairs, or of its own
    (`items`)."""
    i, j = np.triu_indices(n_methods, 1)
    gap, p_matrix = np.zeros((n_methods, n_methods)), np.ones((n_methods, n_methods))
    gap[i, j], gap[j, i] = np.nan_to_num(mean), -np.nan_to_num(mean)
    one_sided = np.where(np.isnan(p), 1.0, p / 2.0)
    p_matrix[i, j] = p_matrix[j, i] = one_sided
    real = np.zeros_like(p_matrix, dtype=bool)
    if items:
        for row in range(n_methods):
            others = np.arange(n_methods) != row
            adjusted = adjust_p_values(p_matrix[row, others], "holm", n=2 * (n_methods - 1))
            real[row, others] = adjusted <= share
    else:
        adjusted = adjust_p_values(one_sided, "holm", n=2 * one_sided.size)
        real[i, j] = real[j, i] = adjusted <= share
    return (real & (gap < 0.0)).sum(axis=1), (real & (gap > 0.0)).sum(axis=1)


def without_each(
    cells: Floats, higher_is_better: bool
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Without each data set the number of pairs that change order, and the first method; −1 = unknown."""
    T, p = cells.shape
    whole, left = additive_means(cells), (cells.sum(axis=0) - cells) / (T - 1.0)
    if np.isnan(cells).any():
        left = np.full_like(cells, np.nan)
        for t in range(T):
            with suppress(DataError):  # a data set that alone connects the methods
                left[t] = additive_means(np.delete(cells, t, axis=0))
    sign = 1.0 if higher_is_better else -1.0
    left = levelled(left, T * ROUNDING * float(np.nanmax(np.abs(cells))))
    order = np.argsort(-sign * whole, kind="stable")
    ordered = sign * left[:, order]
    swaps = np.zeros(T, dtype=np.int64)
    for k in counted(range(1, p), p - 1, "method"):
        swaps += (ordered[:, :k] < ordered[:, k : k + 1]).sum(axis=1)
    first = order[np.argmax(ordered, axis=1)]
    lost = np.isnan(left).any(axis=1)
    return np.where(lost, -1, swaps), np.where(lost, -1, first)


def places_with_holes(
    cells: Floats, higher_is_better: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best and the worst place of each method, if its holes were as good, or as bad, as any score of
    these data sets, and those of others the opposite."""
    signed = cells if higher_is_better else -cells
    known = ~np.isnan(signed)
    low = np.where(known, signed, np.nanmin(signed, axis=1, keepdims=True)).mean(axis=0)
    high = np.where(known, signed, np.nanmax(signed, axis=1, keepdims=True)).mean(axis=0)
    low, high = levelled(
        np.append(low, high), len(cells) * ROUNDING * float(np.nanmax(np.abs(cells)))
    ).reshape(2, -1)
    apart = ~np.eye(low.size, dtype=bool)
    above = ((low[None, :] > high[:, None]) & apart).sum(axis=1)
    below = ((high[None, :] < low[:, None]) & apart).sum(axis=1)
    return 1 + above, low.size - below
