"""Plain statistics of a column by class, from the counts of its distinct values."""

import numpy as np

from pyfsagg._base.arithmetic import Floats, Integers
from pyfsagg._kernels import Codes, Weights, kernel

_LEAST = 2.0**-53
"""The smallest number above 0 that 1 less a share can be: statistics of a perfect fit stay finite."""


@kernel
def _moments(values: Floats, cells: Integers, n: Floats, means: Floats) -> float:
    """Write the size and mean of each class; return the sum of squares within them. Summed over distinct
    values in ascending order, so weights and repeated rows agree."""
    n[:] = 0.0
    means[:] = 0.0
    within = 0.0
    for c in range(n.shape[0]):
        for level in range(values.shape[0]):
            n[c] += cells[level, c]
            means[c] += cells[level, c] * values[level]
        if n[c] > 0.0:
            means[c] /= n[c]
        for level in range(values.shape[0]):
            within += cells[level, c] * (values[level] - means[c]) ** 2
    return within


@kernel
def _anova(n: Floats, means: Floats, within: float) -> float:
    """F of the one-way analysis of variance over the classes that occur."""
    total, grand, groups = n.sum(), 0.0, 0
    for c in range(n.shape[0]):
        grand += n[c] * means[c]
        groups += n[c] > 0.0
    if groups < 2 or total <= groups:
        return 0.0
    grand /= total
    between = 0.0
    for c in range(n.shape[0]):
        between += n[c] * (means[c] - grand) ** 2
    if between <= 0.0:
        return 0.0
    rest = max(within / (between + within), _LEAST)
    return float(between / (between + within) / rest * (total - groups) / (groups - 1.0))


@kernel
def _welch(values: Floats, cells: Integers, n: Floats, means: Floats) -> float:
    """|t| of Welch's test of two classes."""
    if n[0] < 2.0 or n[1] < 2.0:
        return 0.0
    error = 0.0
    for c in range(2):
        squares = 0.0
        for level in range(values.shape[0]):
            squares += cells[level, c] * (values[level] - means[c]) ** 2
        error += squares / (n[c] - 1.0) / n[c]
    gap = abs(means[1] - means[0])
    if gap == 0.0:
        return 0.0
    return float(gap / np.sqrt(max(error, gap * gap * _LEAST)))


@kernel
def _ranks(cells: Integers, n: Floats, sums: Floats) -> float:
    """Write the rank sums of the classes (average ranks); return the sum of t³ - t over the ties."""
    sums[:] = 0.0
    before, ties = 0.0, 0.0
    for level in range(cells.shape[0]):
        size = float(cells[level].sum())
        for c in range(n.shape[0]):
            sums[c] += cells[level, c] * (before + (size + 1.0) / 2.0)
        before += size
        ties += size**3 - size
    return ties


@kernel
def group_tests_block(
    distinct: Floats,
    start: Integers,
    levels: Codes,
    n_classes: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """F, H of Kruskal and Wallis, and of two classes |t| of Welch and the better AUC, (4, b, p).
    ``distinct[start[j]:start[j + 1]]`` are the values of feature j in ascending order; level -1 is
    missing."""
    most = int(np.diff(start).max())
    cells = np.empty((most, n_classes), dtype=np.int64)
    n, means, sums = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    for j in range(levels.shape[1]):
        values = distinct[start[j] : start[j + 1]]
        counts = cells[: values.shape[0]]
        for r in range(weights.shape[0]):
            label = labels[r if labels.shape[0] > 1 else 0]
            counts[:] = 0
            for i in range(levels.shape[0]):
                if levels[i, j] >= 0:
                    counts[levels[i, j], label[i]] += weights[r, i]
            within = _moments(values, counts, n, means)
            ties, total = _ranks(counts, n, sums), n.sum()
            scores[0, r, j] = _anova(n, means, within)
            scores[1, r, j], scores[2, r, j], scores[3, r, j] = 0.0, 0.0, 0.5
            if total**3 - total > ties:
                squares = 0.0
                for c in range(n_classes):
                    if n[c] > 0.0:
                        squares += (sums[c] - n[c] * (total + 1.0) / 2.0) ** 2 / n[c]
                spread = (total**3 - total - ties) / (total * (total - 1.0))
                scores[1, r, j] = 12.0 * squares / spread / total
            if n_classes == 2:
                scores[2, r, j] = _welch(values, counts, n, means)
                if n[0] > 0.0 and n[1] > 0.0:
                    area = (sums[1] - n[1] * (n[1] + 1.0) / 2.0) / (n[0] * n[1])
                    scores[3, r, j] = max(area, 1.0 - area)


@kernel
def _median(values: Floats, counts: Integers, total: int) -> float:
    """Median of ascending values with multiplicities."""
    before, lower = 0, np.nan
    for level in range(values.shape[0]):
        before += counts[level]
        if lower != lower and 2 * before >= total:
            lower = values[level]
            if 2 * before > total:
                return float(lower)
        elif lower == lower and counts[level] > 0:
            return float(lower + (values[level] - lower) / 2.0)
    return float(lower)


@kernel
def spread_block(
    distinct: Floats,
    start: Integers,
    levels: Codes,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Variance (divisor n - 1) and median absolute deviation, (2, b, p); level -1 is missing."""
    most = int(np.diff(start).max())
    counts = np.empty(most, dtype=np.int64)
    for j in range(levels.shape[1]):
        values = distinct[start[j] : start[j + 1]]
        cells = counts[: values.shape[0]]
        for r in range(weights.shape[0]):
            cells[:] = 0
            for i in range(levels.shape[0]):
                if levels[i, j] >= 0:
                    cells[levels[i, j]] += weights[r, i]
            total = cells.sum()
            scores[0, r, j], scores[1, r, j] = 0.0, 0.0
            if total < 2:
                continue
            mean, squares = 0.0, 0.0
            for level in range(values.shape[0]):
                mean += cells[level] * values[level]
            mean /= total
            for level in range(values.shape[0]):
                squares += cells[level] * (values[level] - mean) ** 2
            scores[0, r, j] = squares / (total - 1.0)
            far = np.abs(values - _median(values, cells, total))
            order = np.argsort(far)
            scores[1, r, j] = _median(far[order], cells[order], total)
