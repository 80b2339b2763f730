"""Greedy selection by what each feature says together with those selected before (JMI and its relatives)."""

from typing import NamedTuple

import numpy as np

from pyfsagg._base.arithmetic import Booleans, Floats, Integers
from pyfsagg._kernels import Codes, Unsigned, Weights, Words, kernel
from pyfsagg._kernels.class_tables import CountedColumns
from pyfsagg._kernels.mrmr import (
    CMIM,
    DISR,
    JMI,
    NJMIM,
    Resample,
    encode_resample,
    encode_rows,
    next_selected,
    relevances,
    way_of_counting,
    write_pairs,
)
from pyfsagg._kernels.mrmr_counts import MAX_TABULATED, allocate, encode, nats, write_information

_AT_ONCE = 64
"""Features whose minima are updated before the bound is checked again."""


@kernel
def _join(resample: Resample, w: int, joint: int, free_word: int, row_codes: Words) -> int:
    """Write feature `w` together with the class as column `joint`; return the next free word."""
    encoded, draws, few, by_rows, tables, weight, classes = resample
    if by_rows:
        k, n_classes = few.rows.shape[0], few.n_levels[classes]
        for i in range(k):
            level = np.int64(few.codes[w * k + i])
            row_codes[few.rows[i]] = level * n_classes + np.int64(few.codes[classes * k + i])
        encode_rows(few, joint, row_codes, few.n_levels[w] * n_classes, tables)
        return free_word
    stride, n_classes = (
        encoded.codes.shape[0] // encoded.n_levels.shape[0],
        encoded.n_levels[classes],
    )
    gap = draws.first_double - draws.n_single
    for i in range(draws.rows.shape[0]):
        place = i if i < draws.n_single else gap + i
        level = np.int64(encoded.codes[w * stride + place])
        code = np.int64(encoded.codes[classes * stride + place])
        row_codes[draws.rows[i]] = level * n_classes + code
    most = encoded.n_levels[w] * n_classes
    free_word = encode(encoded, joint, free_word, row_codes, most, weight, draws, tables)
    if encoded.n_levels[joint] <= MAX_TABULATED:
        for i in range(draws.rows.shape[0]):
            place = i if i < draws.n_single else gap + i
            level = np.int64(encoded.codes[joint * stride + place])
            encoded.parent[joint, level] = np.int64(encoded.codes[w * stride + place])
    return free_word


class State(NamedTuple):
    """How far the selection is, by feature; what is in fixed point is mutual information."""

    current: Floats  # the criterion, or a bound of it
    seen: Integers  # over how many of the selected features the criterion runs
    n_levels: Integers  # of all columns
    level_sums: Integers
    with_class: Integers
    with_selected: Integers  # scratch
    with_joint: Integers  # scratch


@kernel(inline="always")
def _meet_selected(
    resample: Resample, state: State, criterion: int, w: int, joint: int, others: Integers
) -> None:
    """Take a selected feature `w`, with the class column `joint`, into the criterion of `others`."""
    encoded, draws, _, by_rows, tables = resample[:5]
    current, seen, n_levels, level_sums, with_class, with_selected, with_joint = state
    if by_rows or n_levels[joint] > MAX_TABULATED:
        write_pairs(resample, w, others, with_selected)
        write_pairs(resample, joint, others, with_joint)
    else:
        write_information(encoded, draws, joint, others, tables, with_joint, w, with_selected)
    whole = tables.value[-1]
    for j in others:
        # I(X; Y | W) = I(X; (W, Y)) - I(X; W), and I((X, W); Y) = I(W; Y) + I(X; Y | W).
        value = with_joint[j] - with_selected[j]
        if nats(value, 2 * n_levels[joint] * n_levels[j], tables) == 0.0:
            value = 0
        if criterion != CMIM:
            value += with_class[w]
        if criterion == DISR or criterion == NJMIM:
            entropy = 2 * whole - level_sums[joint] - level_sums[j] - with_joint[j]
            term = value / entropy if value > 0 else 0.0
        else:
            term = value * tables.unit
        if seen[j] == 0 and criterion != CMIM:
            current[j] = term
        elif criterion == JMI or criterion == DISR:
            current[j] += term
        elif current[j] > 0.0:
            current[j] = min(current[j], term)
        seen[j] += 1


@kernel
def _least_known(
    resample: Resample,
    state: State,
    criterion: int,
    order: Integers,
    k: int,
    others: Integers,
    mark: float,
) -> None:
    """Bring the minima of `others` up to date with `k` selected features, as long as they reach the mark."""
    current, seen = state.current, state.seen
    still = np.empty(others.shape[0], dtype=np.int64)
    for s in range(seen[others].min(), k):
        n = 0
        for j in others:
            if seen[j] == s and current[j] >= mark and current[j] > 0.0:
                still[n] = j
                n += 1
        if n > 0:
            joint = resample.n_features + 1 + s
            _meet_selected(resample, state, criterion, order[s], joint, still[:n])


@kernel
def _first_largest(
    resample: Resample,
    state: State,
    criterion: int,
    order: Integers,
    k: int,
    best: int,
    left: Booleans,
) -> int:
    """The first column of the largest minimum, where that of `best` has the largest bound."""
    # It sets a mark, which few others can reach.
    current, n_features = state.current, resample.n_features
    _least_known(resample, state, criterion, order, k, np.full(1, best), 0.0)
    others = np.empty(_AT_ONCE, dtype=np.int64)
    j = 0
    while j < n_features:
        n, first, mark = 0, best, current[best]
        while j < n_features and n < _AT_ONCE:
            if left[j] and (current[j] > mark or (current[j] == mark and j <= first)):
                others[n] = j
                n += 1
            j += 1
        if n > 0:
            _least_known(resample, state, criterion, order, k, others[:n], mark)
        for i in others[:n]:
            if current[i] > current[best] or (current[i] == current[best] and i < best):
                best = i
    return best


@kernel(inline="always")
def _select_joint(
    resample: Resample, criterion: int, free_word: int, scores: Floats, order: Integers
) -> None:
    """Fill `scores` and `order` of one resample; the others keep their last criterion, or its bound."""
    n_features, few, encoded = resample.n_features, resample.few, resample.encoded
    with_class, current = relevances(resample)
    state = State(
        current,
        np.zeros(n_features, dtype=np.int64),
        few.n_levels if resample.by_rows else encoded.n_levels,
        few.level_sums if resample.by_rows else encoded.level_sums,
        with_class,
        np.empty_like(with_class),
        np.empty_like(with_class),
    )
    left = np.ones(n_features, dtype=np.bool_)
    row_codes = np.zeros(resample.weight.shape[0], dtype=np.uint32)
    depth, joint = order.shape[0], n_features + 1
    each = state.n_levels.shape[0] <= n_features + 2  # no room for more than one joint column
    for k in range(depth):
        best = order[k] if order[k] >= 0 else next_selected(current, left)
        if order[k] < 0 and not each and state.seen[best] < k:
            best = _first_largest(resample, state, criterion, order, k, best, left)
        order[k] = best
        scores[best] = current[best]
        left[best] = False
        if k + 1 < depth:
            next_word = _join(resample, best, joint, free_word, row_codes)
            if each or (k == 0 and criterion != CMIM):
                others = np.flatnonzero(left)
                _meet_selected(resample, state, criterion, best, joint, others)
            if not each:
                free_word, joint = next_word, joint + 1
    for j in np.flatnonzero(left):
        scores[j] = current[j]


@kernel
def joint_block(
    columns: CountedColumns,
    n_codes: Integers,
    bins: int,
    reading: int,
    criterion: int,
    labels: Codes,
    weights: Weights,
    like: Unsigned,
    scores: Floats,
    orders: Integers,
) -> None:
    """As :func:`mrmr_block`, for criteria that join selected features with the class. `n_codes` bounds the
    codes of these, too: of one, with which all features meet at once, or of one for each selected feature for
    minima, which are then found no further than the selection needs."""
    by_rows, most_masked = way_of_counting(weights, n_codes)
    encoded = allocate(most_masked, n_codes, like)
    for r in range(weights.shape[0]):
        label = labels[r if labels.shape[0] > 1 else 0]
        resample, word = encode_resample(
            columns, n_codes, bins, reading, label, weights[r], by_rows[r], like, encoded
        )
        _select_joint(resample, criterion, word, scores[r], orders[r])
