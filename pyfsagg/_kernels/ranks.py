"""Ranks of the rows of a matrix, correlations, and the largest standardised differences."""

import numpy as np

from pyfsagg._base.arithmetic import Floats, Indices, Integers
from pyfsagg._kernels import Codes, Weights, kernel
from pyfsagg._kernels.mrmr import next_selected


@kernel
def tied_ranks(values: Floats, order: Indices, place: float) -> Floats:
    """Ascending ranks of each row; `order` is the argsort of each row. NaN keeps rank NaN. Equal values that
    share the ranks a to b have a + place (b - a): place 0.5 is their mean."""
    n_rows, n_columns = values.shape
    ranks = np.empty((n_rows, n_columns))
    for i in range(n_rows):
        start = 0
        while start < n_columns:
            stop = start + 1
            value = values[i, order[i, start]]
            while stop < n_columns and values[i, order[i, stop]] == value:
                stop += 1
            rank = np.nan if np.isnan(value) else start + 1.0 + place * (stop - start - 1)
            for position in range(start, stop):
                ranks[i, order[i, position]] = rank
            start = stop
    return ranks


@kernel
def first_within(ordered: Floats, slack: float) -> Integers:
    """For each of the rising values the place of the first one that is at most `slack` below it."""
    places, first = np.empty(ordered.size, np.int64), 0
    for place in range(ordered.size):
        while ordered[first] < ordered[place] - slack:
            first += 1
        places[place] = first
    return places


@kernel
def dense_item_maxima(
    draws: Floats, inverse: Floats, estimates: Floats, limits: Floats, items: Indices
) -> Floats:
    """For each item j of `items` and draw the largest standardised difference over its open statements: "k is
    above j", (z_k - z_j) * inverse[j, k] up to ``limits[j]``, and the reverse; `draws` is (p, n)."""
    p, n_draws = draws.shape
    found = np.zeros((items.size, n_draws))
    for i in range(items.size):
        j = items[i]
        for k in range(p):
            scale = inverse[j, k]
            statistic = (estimates[k] - estimates[j]) * scale
            above, below = statistic <= limits[j], -statistic <= limits[j]
            if k == j or not (above or below):
                continue
            for r in range(n_draws):
                value = (draws[k, r] - draws[j, r]) * scale
                if not above or (below and value < 0.0):
                    value = -value
                found[i, r] = value if value > found[i, r] else found[i, r]
    return found


@kernel
def dense_maxima(draws: Floats, inverse: Floats, estimates: Floats, limit: float) -> Floats:
    """For each draw the largest (z_k - z_j) * inverse[j, k] over the statements "k is above j" that are open:
    whose statistic is at most `limit`."""
    p, n_draws = draws.shape
    found = np.zeros(n_draws)
    for j in range(p):
        for k in range(p):
            scale = inverse[j, k]
            if k == j or (estimates[k] - estimates[j]) * scale > limit:
                continue
            for r in range(n_draws):
                value = (draws[k, r] - draws[j, r]) * scale
                found[r] = value if value > found[r] else found[r]
    return found


@kernel
def _standardised(draw: Floats, variances: Floats) -> Floats:
    """z / sd, 0 where there is no variance."""
    found = np.zeros(draw.size)
    for j in range(draw.size):
        if variances[j] > 0.0:
            found[j] = draw[j] / np.sqrt(variances[j])
    return found


@kernel
def independent_item_maxima(
    draws: Floats, variances: Floats, estimates: Floats, limits: Floats, items: Indices
) -> Floats:
    """As `dense_item_maxima`, for independent items; `draws` is (n, p). (z_k - z_j)^2 / (v_j + v_k) is at
    most u_j^2 + u_k^2, u = z / sd: in the order of |u| the search ends where that falls below the largest
    value found."""
    n_draws = draws.shape[0]
    found = np.zeros((items.size, n_draws))
    for r in range(n_draws):
        u = _standardised(draws[r], variances)
        order = np.argsort(-np.abs(u))
        for i in range(items.size):
            j = items[i]
            best = 0.0
            for k in order:
                if u[j] * u[j] + u[k] * u[k] <= best * best:
                    break
                total = variances[j] + variances[k]
                if k == j or total == 0.0:
                    continue
                scale = 1.0 / np.sqrt(total)
                statistic = (estimates[k] - estimates[j]) * scale
                value = (draws[r, k] - draws[r, j]) * scale
                if statistic <= limits[j] and value > best:
                    best = value
                if -statistic <= limits[j] and -value > best:
                    best = -value
            found[i, r] = best
    return found


@kernel
def independent_maxima(draws: Floats, variances: Floats, estimates: Floats, limit: float) -> Floats:
    """As `dense_maxima`, for independent items, with the bound of `independent_item_maxima`."""
    n_draws, p = draws.shape
    found = np.zeros(n_draws)
    for r in range(n_draws):
        u = _standardised(draws[r], variances)
        order = np.argsort(-np.abs(u))
        best = 0.0
        for a in range(p):
            j = order[a]
            if 2.0 * u[j] * u[j] <= best * best:
                break
            for b in range(a + 1, p):
                k = order[b]
                if u[j] * u[j] + u[k] * u[k] <= best * best:
                    break
                total = variances[j] + variances[k]
                if total == 0.0:
                    continue
                scale = 1.0 / np.sqrt(total)
                statistic = (estimates[k] - estimates[j]) * scale
                value = (draws[r, k] - draws[r, j]) * scale
                if statistic <= limit and value > best:
                    best = value
                if -statistic <= limit and -value > best:
                    best = -value
        found[r] = best
    return found


@kernel(fastmath={"reassoc", "contract"})
def _standardise(column: Floats, weights: Floats, total: float, out: Floats) -> bool:
    """Fill `out` so that dot products are correlations; False (and zeros) for a constant column."""
    n = column.shape[0]
    mean = 0.0
    for i in range(n):
        mean += weights[i] * column[i]
    mean /= total
    spread = 0.0
    for i in range(n):
        out[i] = column[i] - mean
        spread += weights[i] * out[i] * out[i]
    # A column that is constant but for the rounding of its mean has no direction.
    if spread <= total * (1e-14 * mean) ** 2:
        out[:] = 0.0
        return False
    scale = 1.0 / np.sqrt(spread)
    for i in range(n):
        out[i] *= scale * np.sqrt(weights[i])
    return True


@kernel(fastmath={"reassoc", "contract"})
def _dot(a: Floats, b: Floats) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i]
    return total


@kernel
def pearson_block(values: Floats, targets: Floats, weights: Weights, scores: Floats) -> None:
    """|r| of every column with `targets` (1 or b, n), (b, p); 0 where either is constant."""
    n, p = values.shape
    z, zy = np.empty(n), np.empty(n)
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        total = w.sum()
        known = _standardise(targets[r % len(targets)], w, total, zy)
        for j in range(p):
            scores[r, j] = 0.0
            if known and _standardise(values[:, j], w, total, z):
                scores[r, j] = min(abs(_dot(z, zy)), 1.0)


@kernel
def _average_ranks(
    levels: Codes, n_levels: int, weights: Floats, counts: Floats, out: Floats
) -> None:
    """Average ranks of the drawn rows, from the positions of their values among the distinct ones. Rows
    without a value, which are at -1 and weigh nothing, have 0."""
    counts[:n_levels] = 0.0
    for i in range(levels.shape[0]):
        counts[max(levels[i], 0)] += weights[i]
    before = 0.0
    for level in range(n_levels):
        size = counts[level]
        counts[level] = before + (size + 1.0) / 2.0
        before += size
    for i in range(levels.shape[0]):
        out[i] = counts[levels[i]] if levels[i] >= 0 else 0.0


@kernel
def spearman_numeric_block(
    levels: Codes,
    n_levels: Integers,
    targets: Codes,
    n_target: int,
    weights: Weights,
    scores: Floats,
) -> None:
    """|rho| of every column with `targets` (1 or b, n), positions among the distinct values, (b, p); 0 where
    either is constant. Rows without a value, at -1, are omitted for their column."""
    n, p = levels.shape
    ranks, z, zy, z_known = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    counts = np.empty(max(n_levels.max(), n_target))
    complete = np.empty(p, dtype=np.bool_)
    for j in range(p):
        complete[j] = levels[:, j].min() >= 0
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        total = w.sum()
        target = targets[r % len(targets)]
        _average_ranks(target, n_target, w, counts, ranks)
        varies = _standardise(ranks, w, total, zy)
        for j in range(p):
            scores[r, j] = 0.0
            if not varies:
                continue
            column = levels[:, j]
            if complete[j]:
                _average_ranks(column, n_levels[j], w, counts, ranks)
                if _standardise(ranks, w, total, z):
                    scores[r, j] = min(abs(_dot(z, zy)), 1.0)
                continue
            of_known = np.where(column >= 0, w, 0.0)
            n_known = of_known.sum()
            if n_known == 0.0:
                continue
            _average_ranks(target, n_target, of_known, counts, ranks)
            if _standardise(ranks, of_known, n_known, z_known):
                _average_ranks(column, n_levels[j], of_known, counts, ranks)
                if _standardise(ranks, of_known, n_known, z):
                    scores[r, j] = min(abs(_dot(z, z_known)), 1.0)


@kernel
def correlation_mrmr(
    values: Floats,
    targets: Floats,
    weights: Weights,
    n_selected: int,
    scores: Floats,
    orders: Integers,
) -> None:
    """Greedy |r(x, y)| minus the mean |r(x, w)| over the selected w; ties to the lowest column. Scores (b, p)
    are those at selection, or else the last ones. `orders` is -1 but for the columns to begin with."""
    n, p = values.shape
    z, zy = np.empty((p, n)), np.empty(n)
    relevance, redundancy = np.empty(p), np.empty(p)
    left = np.empty(p, dtype=np.bool_)
    for r in range(weights.shape[0]):
        w = weights[r].astype(np.float64)
        total = w.sum()
        _standardise(targets[r % len(targets)], w, total, zy)
        for j in range(p):
            _standardise(values[:, j], w, total, z[j])
            relevance[j] = min(abs(_dot(z[j], zy)), 1.0)
        scores[r] = relevance
        redundancy[:] = 0.0
        left[:] = True
        for k in range(n_selected):
            best = orders[r, k] if orders[r, k] >= 0 else next_selected(scores[r], left)
            left[best] = False
            orders[r, k] = best
            if k + 1 < n_selected:
                for j in range(p):
                    if left[j]:
                        redundancy[j] += min(abs(_dot(z[j], z[best])), 1.0)
                        scores[r, j] = relevance[j] - redundancy[j] / (k + 1)
