"""Loops over clusterings: co-clustering, affinities, spectra of Gram matrices, separation."""

import numpy as np

from pyfsagg._base.arithmetic import Floats
from pyfsagg._kernels import Codes, kernel


@kernel
def coassociation_counts(labels: Codes, start: int, stop: int, counts: Codes) -> None:
    """Fill rows `start` to `stop` of `counts` (n, n): how many of the `labels` (n, T) join two samples."""
    n, n_clusterings = labels.shape
    for i in range(start, stop):
        for j in range(n):
            met = np.int32(0)
            for t in range(n_clusterings):
                met += np.int32(labels[i, t] == labels[j, t])
            counts[i, j] = met


@kernel
def add_squared_distances(block: Floats, start: int, stop: int, squared: Floats) -> None:
    """Add the share of `block` (n, b) to rows `start` to `stop` of `squared`, above the diagonal."""
    n, width = block.shape
    partial = np.empty(4)
    for i in range(start, stop):
        for j in range(i + 1, n):
            # Four running sums: without reordering of floating-point sums the compiler cannot
            # make them itself.
            partial[:] = 0.0
            whole = width - width % 4
            for d in range(0, whole, 4):
                a = block[i, d] - block[j, d]
                b = block[i, d + 1] - block[j, d + 1]
                c = block[i, d + 2] - block[j, d + 2]
                e = block[i, d + 3] - block[j, d + 3]
                partial[0] += a * a
                partial[1] += b * b
                partial[2] += c * c
                partial[3] += e * e
            for d in range(whole, width):
                a = block[i, d] - block[j, d]
                partial[0] += a * a
            squared[i, j] += (partial[0] + partial[1]) + (partial[2] + partial[3])


@kernel(error_model="numpy")
def shortfall_sums(
    block: Floats, squared: Floats, consensus: Floats, weighted: Floats, total: Floats
) -> None:
    """Sums over pairs of 1 - A_ij, the shortfall of the affinity (7), per feature of `block` (n, b).
    `weighted` has them times each matrix of `consensus` (g, n, n). With thousands of features all affinities
    are close to 1, and sums of them would lose the digits in which features differ."""
    n, width = block.shape
    n_matrices = consensus.shape[0]
    shortfall = np.empty(width)
    # Sums of sums: each has n terms, not n squared, and rounds less.
    row_total = np.empty(width)
    row_weighted = np.empty((n_matrices, width))
    for i in range(n):
        row_total[:] = 0.0
        row_weighted[:] = 0.0
        for j in range(i + 1, n):
            distance = squared[i, j]
            inverse = 1.0 / distance if distance > 0.0 else 0.0
            for d in range(width):
                difference = block[i, d] - block[j, d]
                square = difference * difference
                # Where a feature is all of the distance, the product with the inverse may miss 1 by
                # a bit, of which the root would make 1e-8.
                rest = max(0.0, 1.0 - square * inverse) if square < distance else 0.0
                shortfall[d] = 1.0 - np.sqrt(rest) if square > 0.0 else 0.0
                row_total[d] += shortfall[d]
            for g in range(n_matrices):
                weight = consensus[g, i, j]
                if weight != 0.0:
                    for d in range(width):
                        row_weighted[g, d] += weight * shortfall[d]
        for d in range(width):
            total[d] += row_total[d]
        for g in range(n_matrices):
            for d in range(width):
                weighted[g, d] += row_weighted[g, d]


@kernel
def pair_totals(consensus: Floats) -> Floats:
    """``sum M^(g)_ij`` over the pairs i < j for each matrix of `consensus` (g, n, n)."""
    n_matrices, n, _ = consensus.shape
    totals = np.zeros(n_matrices)
    for g in range(n_matrices):
        for i in range(n):
            for j in range(i + 1, n):
                totals[g] += consensus[g, i, j]
    return totals


MAX_STEPS = 100  # bisection alone needs about 55; interpolation takes 5 to 8


@kernel(error_model="numpy")
def secular_root(
    c: float, poles: Floats, weights: Floats, gap: int, low: float, high: float
) -> float:
    """Root of g between `low` and `high`, the gap below the pole number `gap`. Each step takes the root of a
    fit of one pole to the terms on either side (Bunch, Nielsen and Sorensen 1978), or halves the bracket;
    with a weight of zero it shrinks to the pole that stays."""
    size = poles.shape[0]
    tolerance = 2e-15 * poles[size - 1]
    x = 0.5 * (low + high)
    if high - low <= tolerance:
        return x
    for _ in range(MAX_STEPS):
        left, left_slope, right, right_slope = 0.0, 0.0, 0.0, 0.0
        for i in range(gap):
            term = weights[i] / (poles[i] - x)
            left += term
            left_slope += term / (poles[i] - x)
        for i in range(gap, size):
            term = weights[i] / (poles[i] - x)
            right += term
            right_slope += term / (poles[i] - x)
        if c - left - right > 0.0:
            low = x
        else:
            high = x
        if high - low <= tolerance:
            break
        # left ~ r + s / (a - y) and right ~ R + S / (b - y), with values and slopes at the current iterate.
        to_right = poles[gap] - x
        scale_right = right_slope * to_right * to_right
        constant = c - (right - right_slope * to_right)
        if gap == 0:
            step = to_right - scale_right / constant if constant > 0.0 else np.nan
        else:
            to_left = poles[gap - 1] - x
            scale_left = left_slope * to_left * to_left
            constant -= left - left_slope * to_left
            # constant·(a - t)(b - t) - s·(b - t) - S·(a - t) = 0 in the step t
            linear = constant * (to_left + to_right) - scale_left - scale_right
            product = constant * to_left * to_right - scale_left * to_right - scale_right * to_left
            root = np.sqrt(max(0.0, linear * linear - 4.0 * constant * product))
            # The two forms of the quadratic formula: neither subtracts equal numbers.
            if linear <= 0.0:
                step = 2.0 * product / (linear - root) if linear - root != 0.0 else np.nan
            else:
                step = (linear + root) / (2.0 * constant) if constant != 0.0 else np.nan
                if not (low < x + step < high) and linear + root != 0.0:
                    step = 2.0 * product / (linear + root)
        following = x + step
        if not (low < following < high):
            following = 0.5 * (low + high)
        if abs(following - x) <= tolerance:
            return following
        x = following
    return x


@kernel(error_model="numpy")
def spectral_entropy(eigenvalues: Floats) -> float:
    """-Σ v log v in nats of the eigenvalues divided by their sum; not normalised."""
    total = 0.0
    for value in eigenvalues:
        total += max(value, 0.0)
    entropy = 0.0
    if total > 0.0:
        for value in eigenvalues:
            share = value / total
            if share > 0.0:
                entropy -= share * np.log(share)
    return entropy


@kernel
def spectral_entropy_without(c: float, poles: Floats, weights: Floats) -> Floats:
    """Entropy after the update with each row of `weights` (b, size); `poles` (size,) ascend."""
    size = poles.shape[0]
    first = 0 if c > 0.0 else 1
    entropies = np.empty(weights.shape[0])
    roots = np.empty(size - first)
    for d in range(weights.shape[0]):
        row = weights[d]
        for gap in range(first, size):
            if gap == 0:
                # The update lowers the eigenvalues by Σ w in all, and none below zero.
                low = max(0.0, poles[0] - row.sum())
            else:
                low = poles[gap - 1]
            roots[gap - first] = secular_root(c, poles, row, gap, low, poles[gap])
        entropies[d] = spectral_entropy(roots)
    return entropies


@kernel(error_model="numpy")
def correlation_ratios(block: Floats, labels: Codes, ratios: Floats) -> None:
    """Fill `ratios` (T, b): root of the between-cluster share of the variance; 0 without variance. `block`
    (n, b) holds features with mean zero; `labels` (T, n) counts clusters from 0."""
    n, width = block.shape
    variation = np.zeros(width)
    for i in range(n):
        for d in range(width):
            variation[d] += block[i, d] * block[i, d]
    sums = np.empty((labels.max() + 1, width))
    sizes = np.empty(labels.max() + 1)
    for t in range(labels.shape[0]):
        sums[:] = 0.0
        sizes[:] = 0.0
        for i in range(n):
            cluster = labels[t, i]
            sizes[cluster] += 1.0
            for d in range(width):
                sums[cluster, d] += block[i, d]
        for d in range(width):
            ratios[t, d] = 0.0
        for cluster in range(sizes.shape[0]):
            if sizes[cluster] > 0.0:
                for d in range(width):
                    ratios[t, d] += sums[cluster, d] * sums[cluster, d] / sizes[cluster]
        for d in range(width):
            share = ratios[t, d] / variation[d] if variation[d] > 0.0 else 0.0
            ratios[t, d] = np.sqrt(min(1.0, share))
