"""Plain NumPy twins of the counting kernels: slow, short and independent of them."""

from __future__ import annotations

import numpy as np


def equal_width_codes(x: np.ndarray, bins: int) -> np.ndarray:
    """Bins of equal width of one column; missing is the level `bins`."""
    known = ~np.isnan(x)
    codes = np.full(len(x), bins)
    if known.any():
        low, high = x[known].min(), x[known].max()
        k = np.arange(1, bins)
        with np.errstate(over="ignore", invalid="ignore"):
            cuts = low + (high - low) * k / bins
            if not np.isfinite((high - low) * bins):
                cuts = low / bins * (bins - k) + high / bins * k
        codes[known] = (x[known, np.newaxis] > cuts).sum(axis=1) if high > low else 0
    return codes


def praznik_codes(x: np.ndarray) -> np.ndarray:
    """praznik's bins of one column."""
    bins = max(2, min(10, len(x) // 3))
    low, high = x.min(), x.max()
    if low == high:
        return np.zeros(len(x), dtype=int)
    if all(1e-14 < abs(end) < 1e300 for end in (low, high)):
        low -= (high - low) / 1000
        high += (high - low) / 1000
    return np.minimum(np.floor((x - low) / (high - low) * bins).astype(int), bins - 1)


def contingency(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Joint counts of two columns over the values that occur."""
    rows, i = np.unique(a, return_inverse=True)
    columns, j = np.unique(b, return_inverse=True)
    counts = np.zeros((len(rows), len(columns)), dtype=int)
    np.add.at(counts, (i, j), 1)
    return counts


def mutual_information(a: np.ndarray, b: np.ndarray) -> float:
    """Plug-in mutual information in nats."""
    p = contingency(a, b) / len(a)
    independent = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    cells = p > 0
    return float((p[cells] * np.log(p[cells] / independent[cells])).sum())


def mrmr(codes: np.ndarray, y: np.ndarray, n_features: int) -> tuple[np.ndarray, list[int]]:
    """Greedy selection on coded columns; scores in column order."""
    p = codes.shape[1]
    relevance = np.array([mutual_information(codes[:, j], y) for j in range(p)])
    scores, order = np.full(p, np.nan), []
    for _ in range(n_features):
        criterion = {}
        for j in set(range(p)) - set(order):
            shared = [mutual_information(codes[:, j], codes[:, w]) for w in order]
            criterion[j] = relevance[j] - (np.mean(shared) if order else 0)
        # Values that differ by rounding only are ties, and go to the lowest column.
        best = min(j for j in criterion if criterion[j] >= max(criterion.values()) - 1e-12)
        scores[best] = criterion[best]
        order.append(best)
    return scores, order


def chi_squared(a: np.ndarray, b: np.ndarray) -> float:
    """Pearson's statistic over the levels that occur."""
    counts = contingency(a, b)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0, keepdims=True) / counts.sum()
    return float(((counts - expected) ** 2 / expected).sum())
