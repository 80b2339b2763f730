"""Markov chain consensus of ranked lists, and Tukey's running-median smoother 3RS3R."""

import numpy as np

from pyfsagg._base.arithmetic import Floats, Integers
from pyfsagg._kernels import Bytes, kernel

Counts = Integers | Floats

ANY, HALF, MOST = 0, 1, 2
BLOCK = 2048  # items compared at a time, so their counts stay in the nearest cache


@kernel
def prefix_step(
    mass: Floats,
    order: Integers,
    ends: Integers,
    held: Integers,
    weights: Floats,
    strict: bool,
    out: Floats,
) -> None:
    """Move mass from every item to all items that a list ranks at least as high (or higher, if `strict`).
    out[q] += Σ mass[i]·weights[l, i] over lists l and items i at or after q: O(m p). `order` (m, p) has the
    items of each list, best first, of which held[l] count; `ends` the position after the last tied."""
    for row in range(order.shape[0]):
        below = 0.0
        stop = held[row]
        while stop > 0:
            start = stop - 1
            while start > 0 and ends[row, start - 1] == stop:
                start -= 1
            group = 0.0
            for position in range(start, stop):
                item = order[row, position]
                group += mass[item] * weights[row, item]
            reach = below if strict else below + group
            for position in range(start, stop):
                out[order[row, position]] += reach
            below += group
            stop = start


@kernel
def _most(part: float, whole: float) -> bool:
    """More than half; sums of fractions that are half but for rounding are not."""
    return 2 * part > whole * (1.0 + 1e-12)


@kernel
def better_counts(
    ranks: Floats, weights: Counts, majority: bool, multiplicity: Integers, out: Integers
) -> None:
    """out[i] = number of items j ranked better than i in at least one list, or in a majority. ranks (m, p),
    NaN = not compared; an item j counts multiplicity[j] times, a list by its weight (m,), whole or in a
    kernel of its own type. O(p² m) time; blocks of items, list by list, vectorise."""
    m, p = ranks.shape
    nothing = weights[0] - weights[0]  # of the type of the weights
    better = np.empty(BLOCK, dtype=weights.dtype)
    compared = np.empty(BLOCK, dtype=weights.dtype)
    out[:] = 0
    for first in range(0, p, BLOCK):
        size = min(BLOCK, p - first)
        for i in range(p):
            better[:size] = 0
            compared[:size] = 0
            for row in range(m):
                here, weight = ranks[row, i], weights[row]
                for b in range(size):
                    there = ranks[row, first + b]
                    better[b] += weight if there < here else nothing
                    compared[b] += weight if (there < here) | (there >= here) else nothing
            found = 0
            for b in range(size):
                wins = _most(better[b], compared[b]) if majority else better[b] > 0
                found += multiplicity[first + b] if wins else 0
            out[i] += found


@kernel
def _moves(here: Floats, there: Floats, weights: Counts, m: int, needed: int) -> bool:
    better = compared = weights[0] - weights[0]
    for row in range(m):
        if there[row] < here[row]:
            if needed == ANY:
                return True
            better += weights[row]
            compared += weights[row]
        elif there[row] >= here[row]:
            compared += weights[row]
    if needed == HALF:
        return bool(compared > 0 and 2 * better >= compared * (1.0 - 1e-12))
    return _most(better, compared)


@kernel
def win_matrix(ranks: Floats, weights: Counts, needed: int, out: Bytes) -> None:
    """out[i, j] = 1 if of the lists that compare the two ANY, HALF (at least) or MOST rank j higher."""
    p, m = ranks.shape
    for i in range(p):
        for j in range(p):
            out[i, j] = 1 if _moves(ranks[i], ranks[j], weights, m, needed) else 0


@kernel
def majorities(ranks: Floats, weights: Counts, won: Integers, equal: Integers) -> None:
    """For each item how many others it beats in more lists than it loses to, and in as many."""
    p, m = ranks.shape
    won[:] = 0
    equal[:] = 0
    for i in range(p):
        here = ranks[i]
        for j in range(i):
            there = ranks[j]
            better = worse = weights[0] - weights[0]
            for row in range(m):
                better += weights[row] if here[row] < there[row] else 0
                worse += weights[row] if here[row] > there[row] else 0
            if _most(better, better + worse):
                won[i] += 1
            elif _most(worse, better + worse):
                won[j] += 1
            else:
                equal[i] += 1
                equal[j] += 1


@kernel
def pairwise_step(mass: Floats, wins: Bytes, out: Floats) -> None:
    """out[j] += Σ_i mass[i]/p over the moves i → j, and what does not move stays."""
    p = mass.size
    for i in range(p):
        share = mass[i] / p
        leaving = 0
        for j in range(p):
            leaving += wins[i, j]
            out[j] += share * wins[i, j]
        out[i] += share * (p - leaving)


@kernel
def _median(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


@kernel
def _repeated_medians(given: Floats) -> Floats:
    """3R: medians of three neighbours until nothing changes; ends by Tukey's rule."""
    n = given.size
    values = given.copy()
    if n < 3:
        return values
    changed = True
    while changed:
        changed = False
        before = values.copy()
        for i in range(1, n - 1):
            values[i] = _median(before[i - 1], before[i], before[i + 1])
            changed = changed or values[i] != before[i]
    values[0] = _median(3.0 * values[1] - 2.0 * values[2], given[0], values[1])
    values[n - 1] = _median(values[n - 2], given[n - 1], 3.0 * values[n - 2] - 2.0 * values[n - 3])
    return values


@kernel
def _flat_peak(values: Floats, i: int) -> bool:
    """Two equal values, both neighbours of which are below, or both above."""
    here = values[i]
    if here != values[i + 1]:
        return False
    left, right = values[i - 1], values[i + 2]
    return not ((left <= here and here <= right) or (left >= here and here >= right))


@kernel
def smooth_medians(given: Floats) -> Floats:
    """3RS3R: repeated medians, flat peaks of two split, and repeated medians again if any was. At a flat peak
    each half becomes the median of itself, its neighbour and the line through the next two."""
    once = _repeated_medians(given)
    n = once.size
    if n <= 4:
        return once
    split = once.copy()
    changed = False
    for i in range(2, n - 3):
        if _flat_peak(once, i):
            split[i] = _median(once[i], once[i - 1], 3.0 * once[i - 1] - 2.0 * once[i - 2])
            split[i + 1] = _median(once[i + 1], once[i + 2], 3.0 * once[i + 2] - 2.0 * once[i + 3])
            changed = changed or split[i + 1] != once[i + 1] or split[i] != once[i]
    return _repeated_medians(split) if changed else once
