"""Chi-squared and value difference metric of columns of which most rows are zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._kernels import kernel
from pyfsagg._kernels.class_tables import width_rows, write_statistic


class SortedPlaces(NamedTuple):
    """The columns of a sparse table, each sorted once.

    A column has one place for every cell that is not zero and one for all zeros together, if there
    are any, by rising value; missing values come last, equal values in row order.

    Attributes
    ----------
    start : ndarray of int64, shape (n_features + 1,)
        The places of column j are those from ``start[j]`` up to ``start[j + 1]``.
    rows : ndarray of int32, shape (n_places,)
        Row of each place; n_samples for the zeros.
    values : ndarray of float64, shape (n_places,)
    n_known : ndarray of int64, shape (n_features,)
        Number of places that are not missing.
    tied : ndarray of bool, shape (n_features,)
        Whether some value occurs more than once.
    levels : ndarray of uint32, shape (n_places,)
        Position among the distinct values of the column, missing being the last of them.
    n_levels : ndarray of int64, shape (n_features,)
    """

    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    values: Floats
    n_known: NDArray[np.int64]
    tied: NDArray[np.bool_]
    levels: NDArray[np.uint32]
    n_levels: NDArray[np.int64]


@kernel
def _class_counts(
    weights: NDArray[np.uint16], labels: NDArray[np.int32], n_classes: int
) -> NDArray[np.int64]:
    """Weight of each class in each resample, (n_resamples, n_classes)."""
    counts = np.zeros((weights.shape[0], n_classes), dtype=np.int64)
    for r in range(weights.shape[0]):
        label = labels[r if labels.shape[0] > 1 else 0]
        for i in range(weights.shape[1]):
            counts[r, label[i]] += weights[r, i]
    return counts


@kernel
def _known_range(
    rows: NDArray[np.int32],
    values: Floats,
    n_known: int,
    weights: NDArray[np.uint16],
    n_zeros: int,
) -> tuple[float, float]:
    """Smallest and largest value of the known places present; (inf, -inf) if there are none."""
    n_samples = weights.shape[0]
    low, high = np.inf, -np.inf
    for place in range(n_known):
        row = rows[place]
        if (weights[row] if row < n_samples else n_zeros) > 0:
            low = values[place]
            break
    for place in range(n_known - 1, -1, -1):
        row = rows[place]
        if (weights[row] if row < n_samples else n_zeros) > 0:
            high = values[place]
            break
    return low, high


@kernel
def _count_cells(
    rows: NDArray[np.int32],
    codes: NDArray[np.uint32],
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
    zeros: NDArray[np.int64],
    cells: NDArray[np.int64],
) -> None:
    """Weighted counts by code and class: ``cells[code * n_classes + label]``."""
    n_samples, n_classes = weights.shape[0], zeros.shape[0]
    cells[:] = 0
    for place in range(rows.shape[0]):
        row = rows[place]
        first = np.int64(codes[place]) * n_classes
        if row < n_samples:
            cells[first + labels[row]] += weights[row]
        else:
            for label in range(n_classes):
                cells[first + label] += zeros[label]


@kernel
def _count_column(
    rows: NDArray[np.int32],
    values: Floats,
    n_known: int,
    binned: bool,
    bins: int,
    weights: NDArray[np.uint16],
    labels: NDArray[np.int32],
    class_counts: NDArray[np.int64],
    extent: tuple[float, float],
    codes: NDArray[np.uint32],
    zeros: NDArray[np.int64],
    cells: NDArray[np.int64],
) -> tuple[float, float]:
    """Set `cells` for one column and resample; returns the range that `codes` are made for.

    `extent` is the range that they are made for so far: resamples often share it.
    """
    n_samples = weights.shape[0]
    zeros[:] = class_counts
    for row in rows:
        if row < n_samples:
            zeros[labels[row]] -= weights[row]
    if binned:
        found = _known_range(rows, values, n_known, weights, zeros.sum())
        if not (found[0] == extent[0] and found[1] == extent[1]):
            extent = found
            width_rows(values, extent[0], extent[1], bins, codes)
    _count_cells(rows, codes, weights, labels, zeros, cells)
    return extent


@kernel
def sparse_class_tables(
    statistic: int,
    places: SortedPlaces,
    n_codes: NDArray[np.int64],
    binned: NDArray[np.bool_],
    bins: int,
    n_classes: int,
    labels: NDArray[np.int32],
    weights: NDArray[np.uint16],
    scores: Floats,
) -> None:
    """Write the `scores` (n_outputs, n_resamples, n_features) of every column and resample.

    Parameters
    ----------
    statistic : int
        As in :func:`pyfsagg._kernels.class_tables.class_tables`.
    n_codes : ndarray of int64, shape (n_features,)
        Bound on the number of codes: levels, or bins and one for missing values.
    binned : ndarray of bool, shape (n_features,)
        Which columns are cut into `bins` of equal width in every resample.
    """
    start, rows, values, n_known = places.start, places.rows, places.values, places.n_known
    class_counts = _class_counts(weights, labels, n_classes)
    cells = np.empty(int(n_codes.max()) * n_classes, dtype=np.int64)
    zeros = np.empty(n_classes, dtype=np.int64)
    for j in range(n_codes.shape[0]):
        part = slice(start[j], start[j + 1])
        part_rows, part_values, codes = rows[part], values[part], places.levels[part].copy()
        used = cells[: n_codes[j] * n_classes]
        extent = (np.nan, np.nan)
        for r in range(weights.shape[0]):
            extent = _count_column(
                part_rows,
                part_values,
                n_known[j],
                binned[j],
                bins,
                weights[r],
                labels[r if labels.shape[0] > 1 else 0],
                class_counts[r],
                extent,
                codes,
                zeros,
                used,
            )
            write_statistic(statistic, used, n_classes, scores, r, j)
