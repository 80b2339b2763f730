"""Bins of one sorted column with integer row weights: MDL, equal width and equal frequency."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Integer, Integers
from pyfsagg._kernels import Bytes, Codes, Weights, Words, kernel
from pyfsagg._kernels.class_tables import width_cutpoints

SLACK = 16
"""Table units by which a cut must beat an earlier one.  Cuts that are equally good by an identity
of logarithms (4 log 4 = 8 log 2) may differ by the rounding of a few table values."""

_ROUNDING = 1e-9
"""Share by which a gain may miss the requirement and still be computed in full."""

TABLE_BITS = 50
"""Size of the largest table value: exact as a float, and sums of a few of them fit into 64 bits."""


class CutSpace(NamedTuple):
    """Work space for one column: its entries, and the search for cuts between them. Entry i has the class
    ``classes[i]`` and weight ``sizes[i]``; ``cut[i]`` is 1 if a cut before it is admissible, 2 if made.
    `left`, `right`: class counts; `stack`: intervals to be searched; `codes`: see :func:`log_codes`."""

    classes: Codes
    sizes: Codes
    cut: Bytes
    left: Integers
    right: Integers
    stack: Codes
    codes: Floats


@kernel
def cut_space(size: Integer, n_classes: Integer) -> CutSpace:
    """Room for columns of less than `size` entries."""
    return CutSpace(
        np.empty(size, np.int32),
        np.empty(size, np.int32),
        np.zeros(size, np.uint8),
        np.empty(n_classes, np.int64),
        np.empty(n_classes, np.int64),
        np.empty((size, 2), np.int32),
        log_codes(n_classes),
    )


@kernel
def xlogx_shift(total: Integer) -> int:
    """Binary digits after the point for which ``total log total`` fits into `TABLE_BITS`."""
    if total < 2:
        return TABLE_BITS
    return TABLE_BITS - math.frexp(total * math.log(total))[1]


@kernel
def xlogx(x: Integer, scale: float) -> Integer:
    """``x log x`` (nats) in units of ``1 / scale``, rounded to a whole number."""
    return np.int64(0) if x < 2 else np.int64(math.floor(x * math.log(x) * scale + 0.5))


@kernel
def fill_xlogx(table: Integers, start: Integer, stop: Integer, shift: int) -> None:
    """Set ``table[x]`` to ``x log x`` (nats) in units of ``2**-shift`` for start <= x < stop."""
    scale = math.ldexp(1.0, shift)
    for x in range(start, stop):
        table[x] = xlogx(x, scale)


@kernel
def pack_rows(weights: Weights, labels: Codes, packed: Words) -> None:
    """Weight (low half) and label of each row in one word: one random access instead of two."""
    for row in range(weights.shape[0]):
        packed[row] = np.uint32((np.int64(labels[row]) << 16) | np.int64(weights[row]))


class DrawnRows(NamedTuple):
    """One resample: its packed rows, its class counts, and the table of ``x log x`` (its shift, and how far
    it is filled, in `state`), which resamples of one size share."""

    packed: Words
    class_counts: Integers
    table: Integers
    state: Integers


@kernel
def room_for_rows(n_samples: Integer, n_classes: Integer, table_size: Integer) -> DrawnRows:
    """Room for resamples of a total weight below `table_size`; 0 where no entropy is asked for."""
    return DrawnRows(
        np.empty(n_samples, np.uint32),
        np.empty(n_classes, np.int64),
        np.empty(table_size, np.int64),
        np.full(2, -(2**40), np.int64),
    )


@kernel
def start_resample(
    r: Integer, weights: Weights, labels: Codes, drawn: DrawnRows
) -> tuple[Integer, int, Integer]:
    """Pack the rows of resample `r` and make the lookup table large enough; returns the total weight, the
    shift of the table, and the sum of ``x log x`` over the classes."""
    row_weights, row_labels = weights[r], labels[min(r, labels.shape[0] - 1)]
    class_counts, table, state = drawn.class_counts, drawn.table, drawn.state
    pack_rows(row_weights, row_labels, drawn.packed)
    class_counts[:] = 0
    for row in range(row_weights.shape[0]):
        class_counts[row_labels[row]] += row_weights[row]
    total = class_counts.sum()
    if table.shape[0] == 0:
        return total, TABLE_BITS, np.int64(0)
    shift = xlogx_shift(total)
    if shift != state[0]:
        state[0], state[1] = shift, 0
    if state[1] <= total:
        fill_xlogx(table, state[1], total + 1, shift)
        state[1] = total + 1
    class_sum = np.int64(0)
    for count in class_counts:
        class_sum += table[count]
    return total, shift, class_sum


@kernel
def build_entries(
    order: NDArray[Any],
    n_known: Integer,
    tied: bool,
    row_bits: Integer,
    packed: Words,
    space: CutSpace,
) -> Integer:
    """Entries of one column, in space for n_known + 1; returns how many.

    ``order[:n_known]`` lists the rows by rising value.  If the column is `tied`, the bit above the
    `row_bits` bits of the row number says that the value differs from the one before, and every change
    of value is a candidate.  Without ties the entries are the runs of one class, as the best cut never
    lies inside one, not even as a tie (the boundary points of Fayyad and Irani).
    """
    if tied:
        return _runs_of_value(order, n_known, row_bits, packed, space)
    return _runs_of_class(order, n_known, packed, space)


@kernel
def _runs_of_class(
    order: NDArray[Any], n_known: Integer, packed: Words, space: CutSpace
) -> Integer:
    """Runs of one class among the rows present, free of branches, which could not be predicted."""
    classes, sizes = space.classes, space.sizes
    last = np.int64(-1)
    entry = np.int64(0)  # one past the running entry
    seen = np.int64(0)
    for position in range(n_known):
        word = np.int64(packed[order[position]])
        weight = word & 0xFFFF
        label = word >> 16 if weight != 0 else last
        sizes[entry] = seen
        entry += np.int64(label != last)
        last = label
        classes[entry] = label
        seen += weight
    sizes[entry] = seen
    for i in range(entry):
        classes[i] = classes[i + 1]
        sizes[i] = sizes[i + 1] - sizes[i]
    space.cut[:entry] = 1
    return entry


@kernel
def _runs_of_value(
    order: NDArray[Any], n_known: Integer, row_bits: Integer, packed: Words, space: CutSpace
) -> Integer:
    """Runs of one value and class; `cut` says where the value changes.  Free of branches, too."""
    classes, sizes, cut = space.classes, space.sizes, space.cut
    last = np.int64(-1)
    entry = np.int64(0)
    seen = np.int64(0)
    changed = np.int64(0)  # since the last row that is present
    opened = np.int64(0)  # whether the running entry began with a change
    mask = np.uint64((1 << row_bits) - 1)
    for position in range(n_known):
        row = np.int64(order[position])
        changed |= row >> row_bits
        word = np.int64(packed[np.uint64(row) & mask])
        weight = word & 0xFFFF
        absent = np.int64(weight == 0)
        label = last if absent else word >> 16
        starts = np.int64(label != last) | (changed & (1 - absent))
        opened = changed if starts else opened
        sizes[entry] = seen
        entry += starts
        cut[entry] = opened
        classes[entry] = label
        last = label
        changed &= absent
        seen += weight
    sizes[entry] = seen
    for i in range(entry):
        classes[i] = classes[i + 1]
        sizes[i] = sizes[i + 1] - sizes[i]
        cut[i] = cut[i + 1]
    return entry


@kernel
def log_codes(n_classes: Integer) -> Floats:
    """``log(3**k - 2)`` for k = 1 … n_classes, without overflow; place 0 is not used."""
    codes = np.zeros(n_classes + 1)
    for k in range(1, n_classes + 1):
        codes[k] = k * math.log(3.0) + math.log1p(-2.0 * 3.0**-k)
    return codes


@kernel
def mark_cuts(
    n_entries: Integer, space: CutSpace, parity: bool, table: Integers, shift: int
) -> Integer:
    """Set ``cut[i] = 2`` where the column is cut before entry i; returns the number of cuts. With `parity` as
    FSelectorRcpp: k1 and E1 without the boundary sample, the right part without its first."""
    sizes, cut, stack = space.sizes, space.cut, space.stack
    n_cuts = 0
    depth = 1
    stack[0, 0], stack[0, 1] = 0, n_entries
    while depth > 0:
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        best = _best_cut(start, stop, space, parity, table, shift)
        if best < 0:
            continue
        cut[best] = 2
        n_cuts += 1
        if parity:
            sizes[best] -= 1
        stack[depth, 0], stack[depth, 1] = best, stop
        stack[depth + 1, 0], stack[depth + 1, 1] = start, best
        depth += 2
    if parity:
        for i in range(n_entries):
            sizes[i] += cut[i] == 2
    return n_cuts


@kernel
def _best_cut(
    start: Integer, stop: Integer, space: CutSpace, parity: bool, table: Integers, shift: int
) -> Integer:
    """First best cut of an interval of entries, or -1 if there is none or MDL rejects it."""
    part = slice(start, stop)
    classes, sizes, cut = space.classes[part], space.sizes[part], space.cut[part]
    left, right, codes = space.left, space.right, space.codes
    _count(classes, sizes, right)
    total = right.sum()
    whole, k_whole = np.int64(0), 0
    for label in range(right.shape[0]):
        whole += table[right[label]]
        k_whole += right[label] > 0
    unit = math.ldexp(1.0, -shift)
    spread = np.float64(table[total] - whole) * unit  # N times the entropy of the interval
    # What any cut costs at least: most intervals are left without a sweep, or without the rest.
    asked = (
        math.log(total - 1) + codes[k_whole] - k_whole * (spread / total) if total > 1 else np.inf
    )
    if whole == table[total] or spread < asked * (1.0 - _ROUNDING):  # the former: a single class
        return -1
    if right.shape[0] == 2:
        best, value = _sweep_two(classes, sizes, cut, table, right)
    else:
        best, value = _sweep(classes, sizes, cut, table, left, right, whole)
    gain = np.float64(table[total] - whole + value) * unit
    if best < 0 or gain < asked * (1.0 - _ROUNDING):
        return -1
    _count(classes[:best], sizes[:best], left)
    _count(classes[best:], sizes[best:], right)
    if parity:
        left[classes[best - 1]] -= 1
    k_left, h_left = _classes_and_entropy(left, table, unit)
    k_right, h_right = _classes_and_entropy(right, table, unit)
    cost = codes[k_whole] - (k_whole * (spread / total) - k_left * h_left - k_right * h_right)
    return start + best if gain >= math.log(total - 1) + cost else -1


@kernel
def _count(classes: Codes, sizes: Codes, counts: Integers) -> None:
    """Set `counts` to the weight of each class in the entries; two classes need no table."""
    if counts.shape[0] == 2:
        both, second = np.int64(0), np.int64(0)
        for i in range(classes.shape[0]):
            both += sizes[i]
            second += sizes[i] * classes[i]
        counts[0], counts[1] = both - second, second
    else:
        counts[:] = 0
        for i in range(classes.shape[0]):
            counts[classes[i]] += sizes[i]


@kernel
def _sweep(
    classes: Codes,
    sizes: Codes,
    cut: Bytes,
    table: Integers,
    left: Integers,
    right: Integers,
    gathered: Integer,
) -> tuple[int, Integer]:
    """First cut of the largest value: the sum of ``x log x`` over the class counts of both parts less that
    over their sizes. `right` has the class counts and `gathered` the sum over them; both are used up."""
    left[:] = 0
    n_left, n_right = np.uint64(0), np.uint64(right.sum())
    best, best_value = -1, np.int64(-(2**62))
    for i in range(classes.shape[0]):
        if cut[i]:
            value = gathered - table[n_left] - table[n_right]
            if value > best_value + SLACK and n_left > 0:
                best, best_value = i, value
        label, size = np.uint64(classes[i]), np.uint64(sizes[i])
        in_left, in_right = np.uint64(left[label]), np.uint64(right[label])
        gathered += table[in_left + size] - table[in_left]
        gathered += table[in_right - size] - table[in_right]
        left[label] = in_left + size
        right[label] = in_right - size
        n_left += size
        n_right -= size
    return best, best_value


@kernel
def _sweep_two(
    classes: Codes, sizes: Codes, cut: Bytes, table: Integers, right: Integers
) -> tuple[int, Integer]:
    """As :func:`_sweep` for two classes, with the counts in registers: markedly faster. Unsigned counts spare
    the test for negative indices, which costs as much as the look-up."""
    left_0, left_1 = np.uint64(0), np.uint64(0)
    right_0, right_1 = np.uint64(right[0]), np.uint64(right[1])
    best, best_value = -1, np.int64(-(2**62))
    for i in range(classes.shape[0]):
        if cut[i]:
            value = table[left_0] + table[left_1] + table[right_0] + table[right_1]
            value -= table[left_0 + left_1] + table[right_0 + right_1]
            if value > best_value + SLACK and left_0 + left_1 > 0:
                best, best_value = i, value
        second = np.uint64(sizes[i] * classes[i])
        first = np.uint64(sizes[i]) - second
        left_0 += first
        left_1 += second
        right_0 -= first
        right_1 -= second
    return best, best_value


@kernel
def _classes_and_entropy(counts: Integers, table: Integers, unit: float) -> tuple[Integer, float]:
    """Number of classes present and entropy in nats; `unit` is that of the table."""
    total = counts.sum()
    if total == 0:
        return 0, 0.0
    present = 0
    gathered = np.int64(0)
    for label in range(counts.shape[0]):
        present += counts[label] > 0
        gathered += table[counts[label]]
    return present, np.float64(table[total] - gathered) * unit / total


@kernel
def mdl_cut_weights(
    order: NDArray[Any],
    n_known: Integer,
    tied: bool,
    row_bits: Integer,
    weights: Weights,
    labels: Codes,
    n_classes: Integer,
    parity: bool,
) -> Integers:
    """Where the column is cut: the total weight of the known rows below each cut, rising."""
    drawn = room_for_rows(weights.shape[0], n_classes, np.int64(weights.sum()) + 1)
    _, shift, _ = start_resample(0, weights.reshape(1, -1), labels.reshape(1, -1), drawn)
    space = cut_space(n_known + 1, n_classes)
    n_entries = build_entries(order, n_known, tied, row_bits, drawn.packed, space)
    n_cuts = mark_cuts(n_entries, space, parity, drawn.table, shift)
    below = np.empty(n_cuts, np.int64)
    found = 0
    seen = np.int64(0)
    for i in range(n_entries):
        if space.cut[i] == 2:
            below[found] = seen
            found += 1
        seen += space.sizes[i]
    return below


@kernel(inline="always")
def drawn_extent(
    order: NDArray[Any], n_known: Integer, mask: np.uint64, packed: Words
) -> tuple[Integer, Integer]:
    """Sorted positions of the first and the last known row that is present; (n_known, -1) if none is."""
    first: Integer = 0
    last = n_known - 1
    while first < n_known and packed[np.uint64(order[first]) & mask] & 0xFFFF == 0:
        first += 1
    while last >= first and packed[np.uint64(order[last]) & mask] & 0xFFFF == 0:
        last -= 1
    return first, last if first < n_known else -1


@kernel
def middle_cut(below: float, above: float) -> float:
    """Midpoint of two neighbouring values, kept below the upper one: ``x > cut`` goes up."""
    cutpoint = 0.5 * below + 0.5 * above
    return below if cutpoint >= above else cutpoint


@kernel(inline="always")
def width_edges(
    values: Floats,
    first: Integer,
    last: Integer,
    n_bins: Integer,
    edges: Integers,
    cutpoints: Floats,
) -> Integer:
    """Bins of equal width of rising `values`, from the `first` to the `last` one drawn; how many there are.
    Bin b holds the places ``edges[b] <= place < edges[b + 1]``, up to ``cutpoints[b]``. All cuts are bisected
    in step, so their look-ups overlap."""
    n_known = values.shape[0]
    edges[0], edges[1] = 0, n_known
    if last < 0 or values[first] == values[last]:
        return 1
    width_cutpoints(values[first], values[last], n_bins, cutpoints)
    for k in range(1, n_bins):
        edges[k] = 0
    remaining = n_known
    while remaining > 0:
        half = (remaining + 1) // 2
        for k in range(1, n_bins):
            probe = np.uint64(min(edges[k] + half, n_known) - 1)
            edges[k] += half if values[probe] <= cutpoints[k - 1] else 0
        remaining -= half
    for k in range(1, n_bins):
        edges[k] = min(edges[k], n_known)
    edges[n_bins] = n_known
    return n_bins


@kernel
def frequency_edges(
    values: Floats,
    order: NDArray[Any],
    mask: np.uint64,
    packed: Words,
    n_bins: Integer,
    edges: Integers,
    cutpoints: Floats,
) -> Integer:
    """As :func:`width_edges`; a bin ends with the first value at which k / n_bins of the weight are full."""
    n_known = values.shape[0]
    total = np.int64(0)
    for row in order[:n_known]:
        total += np.int64(packed[np.uint64(row) & mask]) & 0xFFFF
    edges[0], found = 0, 1
    seen = np.int64(0)
    position = 0
    goal = total  # n_bins times the weight at which the next share is full
    while total > 0:
        while position < n_known and seen * n_bins < goal:
            seen += np.int64(packed[np.uint64(order[position]) & mask]) & 0xFFFF
            position += 1
        below = values[position - 1]
        while position < n_known:
            weight = np.int64(packed[np.uint64(order[position]) & mask]) & 0xFFFF
            if weight > 0 and values[position] != below:
                break
            seen += weight
            position += 1
        if position == n_known:
            break
        edges[found] = position
        cutpoints[found - 1] = middle_cut(below, values[position])
        found += 1
        goal = (seen * n_bins // total + 1) * total
    edges[found] = n_known
    return found
