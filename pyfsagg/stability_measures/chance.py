"""What a stability measure is expected to be when features are selected at random.

Random selection means that every resample draws its subset, of the size it has, uniformly and
independently of the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import gammaln

from pyfsagg._base.memory import require_memory
from pyfsagg._base.types import Floats
from pyfsagg.stability_measures._input import Selection

__all__: list[str] = []


class ExpectedPairs:
    """Expected similarity for every pair of subset sizes that occurs, each computed once."""

    def __init__(self, sizes: Floats, expected: Callable[[int, int], float]) -> None:
        distinct, self.position = np.unique(sizes.astype(np.int64), return_inverse=True)
        self.table = np.empty((len(distinct), len(distinct)))
        for a, left in enumerate(distinct):
            for b, right in enumerate(distinct[: a + 1]):
                self.table[a, b] = self.table[b, a] = expected(int(left), int(right))

    def block(self, left: slice, right: slice) -> Floats:
        cells: Floats = self.table[np.ix_(self.position[left], self.position[right])]
        return cells


def hypergeometric_mean(
    formula: Callable[[Floats, Floats, Floats, float], Floats], left: int, right: int, p: int
) -> float:
    """E f(I, n_i, n_v, p) for I hypergeometric; NaN where the formula is undefined."""
    shared = np.arange(max(0, left + right - p), min(left, right) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = formula(
            shared.astype(np.float64), np.full(1, float(left)), np.full(1, float(right)), float(p)
        )
    return float(hypergeometric_law(left, right, p) @ np.asarray(values))


def hypergeometric_law(left: int, right: int, p: int) -> Floats:
    """Probabilities of the sizes of the intersection that are possible, the smallest first.

    Neighbours have a simple ratio, so that one pass upwards and one downwards from the mode give them
    all, without the loss of digits of large factorials; they are then divided by their sum.  To a
    relative error of 1e-13 for the probabilities above 1e-290.
    """
    low, high = max(0, left + right - p), min(left, right)
    size = np.arange(low, high, dtype=np.float64)
    rise = (left - size) * (right - size) / ((size + 1.0) * (p - left - right + size + 1.0))
    mode = int((rise >= 1.0).sum())
    law = np.ones(high - low + 1)
    law[mode + 1 :] = np.cumprod(rise[mode:])
    law[:mode] = np.cumprod(1.0 / rise[:mode][::-1])[::-1]
    return np.asarray(law / law.sum())


def novovicova_level(selection: Selection) -> float:
    """E of the measure: every h_j has the law of a sum of Bernoulli(n_i / p)."""
    p = selection.p
    sizes = selection.support.sum(axis=1)
    law = np.ones(1)
    for size in sizes:
        share = size / p
        law = np.append(law * (1 - share), 0.0) + np.append(0.0, law * share)
    counts = np.arange(len(law), dtype=np.float64)
    mean = law @ (counts * np.log2(np.maximum(counts, 1.0)))
    q = float(sizes.sum())
    return float(p * mean / (q * np.log2(len(sizes)))) if q > 0 else float("nan")


def union_law(sizes: Floats, p: int) -> Floats:
    """Distribution over 0..p of the size of the union of independent uniform subsets.

    One step per subset: the number of its features that are new to the union is hypergeometric.
    States with a probability below 1e-20 are left out.
    """
    require_memory(
        40 * p,
        f"the law of the union of subsets of {p:,} features",
        "take a measure that is an average over pairs, such as jaccard",
    )
    log_factorial = gammaln(np.arange(p + 1) + 1.0)
    law = np.zeros(p + 1)
    law[0] = 1.0
    for size in sizes.astype(np.int64):
        have = np.flatnonzero(law > 1e-20)[:, None]
        fresh = np.arange(max(0, size - have.max()), min(size, p - have.min()) + 1)[None, :]
        require_memory(
            120 * have.size * fresh.size,
            f"the law of the union of subsets of {p:,} features",
            "take a measure that is an average over pairs, such as jaccard",
        )
        possible = (fresh <= p - have) & (size - fresh <= have)
        rows, columns = np.nonzero(possible)
        old, new = have[rows, 0], fresh[0, columns]
        log_law = (
            log_factorial[p - old] - log_factorial[new] - log_factorial[p - old - new]
            + log_factorial[old] - log_factorial[size - new] - log_factorial[old - size + new]
            - log_factorial[p] + log_factorial[size] + log_factorial[p - size]
        )  # fmt: skip
        reached = np.bincount(old + new, law[old] * np.exp(log_law), minlength=p + 1)
        law = reached.astype(np.float64) / reached.sum()
    return law


def davis_level(selection: Selection, penalty: float) -> float:
    """E of the measure; it depends on the size of the union only."""
    p = selection.p
    sizes = selection.support.sum(axis=1).astype(np.float64)
    law = union_law(sizes, p)
    union = np.arange(1, p + 1)
    plain = sizes.sum() / (len(sizes) * union) - penalty * float(np.median(sizes)) / p
    return float(law[1:] @ np.maximum(0.0, plain))


def log_choose(n: Floats | float, k: Floats | float) -> Floats:
    """log of the binomial coefficient; minus infinity where k > n."""
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        found = gammaln(n + 1) - gammaln(np.asarray(k) + 1) - gammaln(np.maximum(n - k, 0) + 1)
    return np.where(n >= k, found, -np.inf)
