"""What all methods without labels share: numbers without gaps, on a stated scale, in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import as_array, check_choice
from pyfsagg._base.scale import scaled as in_range
from pyfsagg._base.types import Floats
from pyfsagg._table.table import Kind, Table, check_table
from pyfsagg.exceptions import DataError

__all__ = ["FEWER_SAMPLES", "Labels", "blocks", "check_labels", "check_numbers", "feature_block"]

Labels = NDArray[np.int32]

FEWER_SAMPLES = "every pair of samples has its cell: take a random part of the rows"

FEWEST_SAMPLES = 3
SCALES = ("none", "center", "z_score", "min_max")
SMALLEST, LARGEST = 1e-150, 1e150
BLOCK = 512  # features per task: a block of 100 samples stays in the cache of a core


def check_numbers(X: Any, *, standardize: str = "none") -> Table:
    """A table of numbers without missing values, on the scale asked for.

    Parameters
    ----------
    X : array, data frame or Table of shape (n_samples, n_features)
        Numeric, integer or boolean features; at least 2 of them, at least one not constant.
    standardize : {"none", "center", "z_score", "min_max"}
        Per feature: leave it, subtract the mean, also divide by the standard deviation (ddof 0), or
        map its range to [0, 1].  A constant feature becomes 0.

    Raises
    ------
    DataError
        Too few samples or features, a missing value, a nominal column; the column is named.
    ParameterError
        Unknown `standardize`.
    """
    check_choice("standardize", standardize, SCALES)
    table = check_table(X, min_samples=FEWEST_SAMPLES)
    if table.n_samples < FEWEST_SAMPLES:
        raise DataError(
            f"X has {table.n_samples} sample(s); a minimum of {FEWEST_SAMPLES} is required"
        )
    nominal = np.flatnonzero(table.kinds == Kind.NOMINAL)
    if nominal.size:
        raise DataError(
            f"column {table.feature_names[nominal[0]]!r} is nominal, and words have no distances; "
            "encode it as numbers or leave it out"
        )
    for part in blocks(table.n_features):  # a mask of the whole table would be large
        missing = np.isnan(table.values[:, part]).any(axis=0)
        if not missing.any():
            continue
        name = table.feature_names[part.start + int(np.argmax(missing))]
        raise DataError(
            f"column {name!r} has missing values (NaN), and distances between samples need all "
            "values; impute them or leave the column out"
        )
    if standardize in ("none", "center"):
        _refuse_squares(table)
    if standardize == "none":
        return table
    # What was read for this call only is overwritten: a large table fits once.
    scaled = np.empty_like(table.values) if isinstance(X, Table) else table.values
    _scale(table.values, scaled, standardize)
    return table.with_values(scaled)


def _refuse_squares(table: Table) -> None:
    """Distances and variances need squares that are numbers, and not 0 for all."""
    largest = max(
        float(np.abs(table.values[:, part]).max(initial=0.0)) for part in blocks(table.n_features)
    )
    if not SMALLEST < largest < LARGEST:
        raise DataError(
            f"the largest value of X is {largest:g}, whose square is too large or too small for a float; "
            "divide the table by a constant, or take standardize='z_score'"
        )


def _scale(values: Floats, scaled: Floats, how: str) -> None:
    """Fill `scaled` column by column; it may be `values` itself."""
    for j in range(values.shape[1]):
        # Sums and squares of very large or very small numbers leave the range of numbers.
        column, exponent = in_range(values[:, j])
        low, high = column.min(), column.max()
        if low == high:
            scaled[:, j] = 0.0
        elif how == "min_max":
            scaled[:, j] = (column - low) / (high - low)
        else:
            centred = column - column.mean()
            if how == "z_score":
                centred /= np.abs(centred).max()
                scaled[:, j] = centred / centred.std()
            else:
                scaled[:, j] = np.ldexp(centred, exponent)


def check_labels(labels: Any, n_samples: int | None = None) -> Labels:
    """Partitions as integer labels (n_clusterings, n_samples) that count from 0 in each row.

    Raises
    ------
    DataError
        If `labels` is not one row per partition with one label per sample, or a label is missing.
    """
    array = as_array("labels", labels)
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(
            "labels must have the shape (n_clusterings, n_samples), one row per partition; got "
            f"{array.shape}"
        )
    if n_samples is not None and array.shape[1] != n_samples:
        raise DataError(f"labels has {array.shape[1]} samples per partition, X has {n_samples}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise DataError("labels has missing values (NaN); every sample needs a cluster")
    codes = np.empty(array.shape, dtype=np.int32)
    for t, row in enumerate(array):
        try:
            codes[t] = np.unique(row, return_inverse=True)[1]
        except TypeError:
            raise DataError(
                f"the labels of partition {t + 1} have no order: give numbers or words, not both"
            ) from None
    return codes


def blocks(size: int, width: int = BLOCK) -> list[slice]:
    """Slices of fixed width, whatever the number of workers."""
    return [slice(start, min(start + width, size)) for start in range(0, size, width)]


def feature_block(table: Table, part: slice) -> Floats:
    """Features in `part`, one sample per row of memory."""
    return np.ascontiguousarray(table.values[:, part])
