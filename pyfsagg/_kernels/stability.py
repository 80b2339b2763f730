"""Loops behind the stability measures: pairs of rankings, similar features, ties."""

from typing import NamedTuple

import numpy as np

from pyfsagg._base.arithmetic import Booleans, Floats, Indices, Integers
from pyfsagg._kernels import Bits, kernel


# Reordering a sum of finite, non-negative terms is safe, and it lets the compiler use SIMD; so does
# NumPy's rule for a division by zero, which does not occur.
@kernel(fastmath={"reassoc", "contract"}, error_model="numpy")
def canberra_pair_sum(columns: Floats) -> float:
    """Sum over rows and over all pairs a < b of a row of |x_a - x_b| / (x_a + x_b). Rows hold positive values
    in ascending order; d distinct values cost O(d^2), two fractions a division."""
    n_rows, n_values = columns.shape
    distinct = np.empty(n_values)
    counts = np.empty(n_values)
    total = 0.0
    for j in range(n_rows):
        d = -1
        previous = -1.0
        for i in range(n_values):
            if columns[j, i] != previous:
                d += 1
                previous = columns[j, i]
                distinct[d] = previous
                counts[d] = 0.0
            counts[d] += 1.0
        for a in range(1, d + 1):
            high = distinct[a]
            half = a // 2
            inner = 0.0
            for b in range(half):
                near = high + distinct[b]
                far = high + distinct[b + half]
                near_part = counts[b] * (high - distinct[b])
                far_part = counts[b + half] * (high - distinct[b + half])
                inner += (near_part * far + far_part * near) / (near * far)
            if a % 2:
                inner += counts[a - 1] * ((high - distinct[a - 1]) / (high + distinct[a - 1]))
            total += counts[a] * inner
    return total


@kernel(fastmath={"reassoc", "contract"}, error_model="numpy")
def canberra_block(left: Floats, right: Floats) -> Floats:
    """Canberra distance of every row of `left` to every row of `right` (positive values)."""
    out = np.empty((left.shape[0], right.shape[0]))
    for a, b in np.ndindex(out.shape):
        total = 0.0
        for j in range(left.shape[1]):
            total += abs(left[a, j] - right[b, j]) / (left[a, j] + right[b, j])
        out[a, b] = total
    return out


@kernel
def kendall_pair_sum(ranks: Floats, scale: Floats) -> float:
    """Sum over column pairs j < l of (sum over rows i of scale_i sign(r_il - r_ij))^2. With the reciprocal
    norms as scale, Kendall's tau summed over all ordered pairs of rows, self included."""
    n_rows, n_columns = ranks.shape
    sums = np.empty(n_columns)
    total = 0.0
    for j in range(n_columns - 1):
        width = n_columns - j - 1
        sums[:width] = 0.0
        for i in range(n_rows):
            own = ranks[i, j]
            weight = scale[i]
            tail = ranks[i, j + 1 :]
            for c in range(width):
                sums[c] += weight * (
                    (1.0 if tail[c] > own else 0.0) - (1.0 if tail[c] < own else 0.0)
                )
        for c in range(width):
            total += sums[c] * sums[c]
    return total


@kernel
def _discordance(values: Floats, weights: Floats, spare: Floats, spare_weights: Floats) -> float:
    """Sum of w_a + w_b over inversions a < b, values_a > values_b; sorts `values` on the way."""
    n = values.shape[0]
    total = 0.0
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle = min(low + width, n)
            high = min(low + 2 * width, n)
            remaining = 0.0
            for a in range(low, middle):
                remaining += weights[a]
            left = low
            right = middle
            for out in range(low, high):
                if right >= high or (left < middle and values[left] <= values[right]):
                    remaining -= weights[left]
                    spare[out] = values[left]
                    spare_weights[out] = weights[left]
                    left += 1
                else:
                    total += remaining + (middle - left) * weights[right]
                    spare[out] = values[right]
                    spare_weights[out] = weights[right]
                    right += 1
        values[:] = spare
        weights[:] = spare_weights
        width *= 2
    return total


@kernel
def _tied_weight(order: Indices, values: Floats, weights: Floats) -> float:
    """Sum of w_a + w_b over pairs that are tied in `values`; `order` sorts `values`."""
    n = order.shape[0]
    total = 0.0
    start = 0
    while start < n:
        stop = start
        inside = 0.0
        while stop < n and values[order[stop]] == values[order[start]]:
            inside += weights[order[stop]]
            stop += 1
        total += (stop - start - 1) * inside
        start = stop
    return total


@kernel
def _tau(x: Floats, y: Floats, order: Indices, order_y: Indices, weights: Floats) -> float:
    """Weighted tau-b of x and y by merge sort; a pair of positions weighs w_a + w_b."""
    n = x.shape[0]
    sorted_y = np.empty(n)
    sorted_weights = np.empty(n)
    spare = np.empty(n)
    spare_weights = np.empty(n)
    joint = 0.0
    start = 0
    while start < n:
        stop = start
        while stop < n and x[order[stop]] == x[order[start]]:
            stop += 1
        group = order[start:stop]
        if stop - start > 1:
            group = group[np.argsort(y[group])]
            joint += _tied_weight(group, y, weights)
        for c in range(stop - start):
            sorted_y[start + c] = y[group[c]]
            sorted_weights[start + c] = weights[group[c]]
        start = stop
    all_pairs = (n - 1) * weights.sum()
    free_x = all_pairs - _tied_weight(order, x, weights)
    free_y = all_pairs - _tied_weight(order_y, y, weights)
    if free_x <= 0.0 or free_y <= 0.0:
        return np.nan
    discordant = _discordance(sorted_y, sorted_weights, spare, spare_weights)
    balance = free_x + free_y - all_pairs + joint - 2.0 * discordant
    return float(balance / np.sqrt(free_x * free_y))


@kernel
def kendall_block(
    left: Floats,
    right: Floats,
    order_left: Indices,
    order_right: Indices,
    weights_left: Floats,
    weights_right: Floats,
    symmetric: bool,
) -> Floats:
    """Weighted tau-b of every row of `left` with every row of `right`, NaN where undefined; `symmetric` takes
    the mean of the coefficients weighted by the left and the right row."""
    out = np.empty((left.shape[0], right.shape[0]))
    for a, b in np.ndindex(out.shape):
        x, y, order_x, order_y = left[a], right[b], order_left[a], order_right[b]
        out[a, b] = _tau(x, y, order_x, order_y, weights_left[a])
        if symmetric:
            out[a, b] = 0.5 * (out[a, b] + _tau(x, y, order_x, order_y, weights_right[b]))
    return out


@kernel
def weighted_kendall_pair_sum(ranks: Floats, weights: Floats) -> float:
    """Sum over column pairs of (sum_i s_i) (sum_i w_i s_i), s_i = sign(r_il - r_ij), w_i = weights_ij +
    weights_il: over the common norm of rows without ties, the weighted tau of all ordered pairs."""
    n_rows, n_columns = ranks.shape
    plain = np.empty(n_columns)
    weighted = np.empty(n_columns)
    total = 0.0
    for j in range(n_columns - 1):
        width = n_columns - j - 1
        plain[:width] = 0.0
        weighted[:width] = 0.0
        for i in range(n_rows):
            own = ranks[i, j]
            own_weight = weights[i, j]
            tail = ranks[i, j + 1 :]
            tail_weights = weights[i, j + 1 :]
            for c in range(width):
                sign = (1.0 if tail[c] > own else 0.0) - (1.0 if tail[c] < own else 0.0)
                plain[c] += sign
                weighted[c] += sign * (own_weight + tail_weights[c])
        for c in range(width):
            total += plain[c] * weighted[c]
    return total


@kernel
def common_members(left: Bits, right: Bits) -> Floats:
    """How many bits every row of `left` has in common with every row of `right`."""
    out = np.empty((left.shape[0], right.shape[0]))
    pairs, nibbles = np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
    odd, ones = np.uint64(0x5555555555555555), np.uint64(0x0101010101010101)
    for a in range(left.shape[0]):
        for b in range(right.shape[0]):
            total = np.uint64(0)
            for k in range(left.shape[1]):  # the compiler knows these sums of bits by their look
                word = left[a, k] & right[b, k]
                word -= (word >> np.uint64(1)) & odd
                word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
                word = (word + (word >> np.uint64(4))) & nibbles
                total += (word * ones) >> np.uint64(56)
            out[a, b] = total
    return out


@kernel
def overlap_block(left: Indices, right: Indices, gain: Floats) -> Floats:
    """Sum over columns of gain[max(rank, rank)] for every pair of rows."""
    out = np.empty((left.shape[0], right.shape[0]))
    for a, b in np.ndindex(out.shape):
        total = 0.0
        for j in range(left.shape[1]):
            total += gain[max(left[a, j], right[b, j])]
        out[a, b] = total
    return out


COUNT, YU, MEAN, GREEDY, MATCHING = range(5)


class Neighbours(NamedTuple):
    """The similarity graph by rows, without self similarities. The neighbours of x are
    ``features[start[x]:start[x + 1]]``, with their similarities in `strength` and the positions of the edges
    in the order of a greedy matching in `place`."""

    start: Indices
    features: Indices
    strength: Floats
    place: Indices


@kernel
def _one_way(own: Booleans, other: Booleans, graph: Neighbours, mean: bool) -> float:
    """Features of `own` alone with a neighbour in `other` alone: their number, or the sum of
    their mean similarities to these neighbours."""
    start, neighbours, strength, _ = graph
    total = 0.0
    for x in range(own.shape[0]):
        if own[x] and not other[x]:
            count = 0
            inside = 0.0
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if other[y] and not own[y]:
                    count += 1
                    inside += strength[e]
            if count > 0:
                total += inside / count if mean else 1.0
    return total


@kernel
def _greedy(left: Booleans, right: Booleans, graph: Neighbours) -> float:
    """Size of the greedy matching by similarity."""
    start, neighbours, _, place = graph
    p, n_edges = left.shape[0], 0
    places, sources, targets = np.empty_like(place), np.empty_like(place), np.empty_like(place)
    for x in range(p):
        if left[x] and not right[x]:
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if right[y] and not left[y]:
                    places[n_edges] = place[e]
                    sources[n_edges] = x
                    targets[n_edges] = y
                    n_edges += 1
    taken = np.zeros(p, dtype=np.bool_)
    size = 0.0
    for e in np.argsort(places[:n_edges]):
        if not taken[sources[e]] and not taken[targets[e]]:
            taken[sources[e]] = True
            taken[targets[e]] = True
            size += 1.0
    return size


@kernel
def _matching(left: Booleans, right: Booleans, graph: Neighbours) -> float:
    """Size of a maximum matching: one breadth-first augmenting path per feature of `left`."""
    start, neighbours = graph.start, graph.features
    p = left.shape[0]
    partner = np.full(p, -1, dtype=np.intp)
    parent = np.empty(p, dtype=np.intp)
    seen = np.full(p, -1, dtype=np.intp)
    queue = np.empty(p, dtype=np.intp)
    size = 0.0
    for root in range(p):
        if not left[root] or right[root]:
            continue
        queue[0] = root
        head, tail = 0, 1
        free = -1
        while head < tail and free < 0:
            x = queue[head]
            head += 1
            for e in range(start[x], start[x + 1]):
                y = neighbours[e]
                if right[y] and not left[y] and seen[y] != root:
                    seen[y] = root
                    parent[y] = x
                    if partner[y] < 0:
                        free = y
                        break
                    queue[tail] = partner[y]
                    tail += 1
        if free >= 0:
            size += 1.0
            y = free
            while y >= 0:
                x = parent[y]
                following = partner[x]
                partner[x] = y
                partner[y] = x
                y = following
    return size


@kernel
def _pair(kind: int, left: Booleans, right: Booleans, graph: Neighbours) -> float:
    shared = float((left & right).sum())
    if kind == GREEDY:
        return shared + _greedy(left, right, graph)
    if kind == MATCHING:
        return shared + _matching(left, right, graph)
    there = _one_way(left, right, graph, kind == MEAN)
    back = _one_way(right, left, graph, kind == MEAN)
    if kind == YU:
        return shared + 0.5 * (there + back)
    return shared + min(there, back)


@kernel
def adjusted_block(kind: int, left: Booleans, right: Booleans, graph: Neighbours) -> Floats:
    """Adjusted intersection of every row of `left` with every row of `right`."""
    out = np.empty((left.shape[0], right.shape[0]))
    for a, b in np.ndindex(out.shape):
        out[a, b] = _pair(kind, left[a], right[b], graph)
    return out


@kernel
def adjusted_rows(kind: int, left: Booleans, right: Booleans, graph: Neighbours) -> Floats:
    """Adjusted intersection of row a of `left` with row a of `right`."""
    out = np.empty(left.shape[0])
    for a in range(left.shape[0]):
        out[a] = _pair(kind, left[a], right[a], graph)
    return out


@kernel
def pick_tied(support: Booleans, tied: Booleans, room: Integers, draws: Floats) -> None:
    """Set `room[i]` of the cells of `support` that are tied in row i, each subset equally likely; `draws` has
    a number of [0, 1) for each (a partial Fisher-Yates shuffle)."""
    m, p = tied.shape
    columns = np.empty(p, dtype=np.int64)
    used = 0
    for i in range(m):
        if room[i] == 0:
            continue
        n = 0
        for j in range(p):
            if tied[i, j]:
                columns[n] = j
                n += 1
        for s in range(room[i]):
            other = s + int(draws[used] * (n - s))
            used += 1
            columns[other], columns[s] = columns[s], columns[other]
            support[i, columns[s]] = True
