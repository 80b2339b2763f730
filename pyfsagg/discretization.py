"""Cutting numeric features into levels: by minimum description length, or into equal parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import CACHED, Floats, TableLike, row_blocks
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._kernels import entropy_bins
from pyfsagg._message import Param, Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.frames import open_frame
from pyfsagg._table.table import Table, Weights, as_table, full_weights
from pyfsagg._table.target import Target, check_target
from pyfsagg.exceptions import DataError, ParameterError

__all__ = ["Discretization", "discretize"]

METHODS = ("mdl", "equal_width", "equal_frequency")
MDL_READINGS = ("textbook", "fselectorrcpp")

MISSING = -1  # the code of a missing value
MAX_TOTAL_WEIGHT = 2**24
MAX_CLASSES = 2**16


@dataclass(frozen=True, eq=False)
class SortedColumns:
    """Numeric columns sorted once: `order` (n_columns, n_samples) are rows by ascending value, stable,
    missing last, with `row_bits` bits and, if `tied`, a bit above them at the first row of each value;
    `n_known` values are known."""

    columns: NDArray[np.int64]
    order: NDArray[np.uint16] | NDArray[np.uint32]
    n_known: NDArray[np.int64]
    tied: NDArray[np.bool_]
    row_bits: int

    @classmethod
    def of(cls, values: Floats, columns: NDArray[np.int64]) -> SortedColumns:
        """Sort the given columns of `values` (n_samples, n_features)."""
        n_samples = values.shape[0]
        row_bits = 15 if n_samples <= 2**15 else 31
        order = np.empty((len(columns), n_samples), np.uint16 if row_bits == 15 else np.uint32)
        n_known = np.empty(len(columns), np.int64)
        tied = np.empty(len(columns), np.bool_)
        for part in row_blocks(order.shape, CACHED):
            cells = np.ascontiguousarray(values[:, columns[part]].T)
            rows = np.argsort(cells, axis=1, kind="stable")
            rising = np.take_along_axis(cells, rows, axis=1)
            known = ~np.isnan(rising)
            first = np.ones(rows.shape, dtype=np.bool_)
            first[:, 1:] = (rising[:, 1:] != rising[:, :-1]) & known[:, 1:]
            n_known[part], tied[part] = known.sum(axis=1), (known & ~first).any(axis=1)
            order[part] = rows | ((first & tied[part, np.newaxis]).astype(np.int64) << row_bits)
        return cls(columns, order, n_known, tied, row_bits)

    def mdl_cuts(
        self, i: int, values: Floats, weights: NDArray[np.uint16], target: Target, parity: bool
    ) -> Floats:
        """The cut points of column `i`, whose cells are `values`, by minimum description length."""
        column = (self.order[i], self.n_known[i], self.tied[i], self.row_bits)
        below = entropy_bins.mdl_cut_weights(
            *column, weights, target.codes, target.n_classes, parity
        )
        rows = self.order[i, : self.n_known[i]] & ((1 << self.row_bits) - 1)
        rows = rows[weights[rows] > 0]
        ends = np.searchsorted(np.cumsum(weights[rows], dtype=np.int64), below)
        pairs = zip(values[rows[ends]], values[rows[ends + 1]], strict=True)
        return np.array([entropy_bins.middle_cut(*pair) for pair in pairs], dtype=np.float64)

    def equal_cuts(
        self, i: int, values: Floats, weights: NDArray[np.uint16], bins: int, by_width: bool
    ) -> Floats:
        """Its cut points into parts of equal width or frequency."""
        order, n_known, mask = self.order[i], self.n_known[i], (1 << self.row_bits) - 1
        packed = np.empty(len(values), np.uint32)
        entropy_bins.pack_rows(weights, np.zeros(len(values), np.int32), packed)
        known, drawn = values[order[:n_known] & mask], (np.uint64(mask), packed)
        edges, cuts = np.empty(bins + 2, np.int64), np.empty(bins, np.float64)
        if by_width:
            extent = entropy_bins.drawn_extent(order, n_known, *drawn)
            n_edges = entropy_bins.width_edges(known, *extent, bins, edges, cuts)
        else:
            n_edges = entropy_bins.frequency_edges(known, order, *drawn, bins, edges, cuts)
        return cuts[: n_edges - 1].copy()

    def rising(self, values: Floats) -> Floats:
        """The values (n_columns, n_samples) of the columns in this order."""
        rising, mask = np.empty(self.order.shape), (1 << self.row_bits) - 1
        for part in row_blocks(rising.shape, CACHED):
            cells, rows = values[:, self.columns[part]].T, self.order[part] & mask
            rising[part] = np.take_along_axis(cells, rows.astype(np.intp), axis=1)
        return rising


@dataclass(frozen=True, eq=False)
class Discretization:
    """A discretised table, with its cut points.

    Attributes
    ----------
    method : str
        ``"mdl"``, ``"equal_width"`` or ``"equal_frequency"``.
    feature_names : tuple of str
    cutpoints : dict of str to ndarray of float64
        For each feature that was taken as a number its rising cut points, none if it is not split.
        A value goes up if it is greater than the cut point.
    levels : dict of str to tuple
        For each nominal or boolean feature, which is left as it is, its levels.
    codes : ndarray of int32, shape (n_samples, n_features)
        Number of cut points below the value, or position of the level; -1 (`MISSING`) for a missing
        value.
    """

    method: str
    feature_names: tuple[str, ...]
    cutpoints: dict[str, Floats]
    levels: dict[str, tuple[Any, ...]]
    codes: NDArray[np.int32]

    def __repr__(self) -> str:
        n_split = sum(len(cuts) > 0 for cuts in self.cutpoints.values())
        return (
            f"Discretization({self.method}: {len(self.feature_names)} features, "
            f"{n_split} of {len(self.cutpoints)} numeric ones split, {self.codes.shape[0]} samples)"
        )

    def to_frame(self) -> pd.DataFrame:
        """The codes with the feature names as columns; missing values are -1."""
        return pd.DataFrame(self.codes, columns=list(self.feature_names))

    def transform(self, X: TableLike) -> NDArray[np.int32]:
        """Codes (n_samples, n_features) of new data by the same cut points and levels.

        The features must be the same ones in the same order, and have no new levels.
        """
        frame = None if isinstance(X, Table) else open_frame(X)
        names = self.feature_names if frame is None and not isinstance(X, Table) else None
        if (
            names is not None
            and len(shape := np.shape(cast("ArrayLike", X))) == 2
            and shape[1] != len(names)
        ):
            made = f"but the discretisation was made for {len(names)}"
            raise DataError(Param("X"), f" has {shape[1]} features, {made}")
        present = set(self.feature_names if frame is None else frame.names)
        words = [name for name, levels in self.levels.items() if levels != (False, True)]
        table = as_table(
            X if frame is None else frame,
            nominal=[name for name in words if name in present],
            feature_names=names,
            min_samples=1,
            min_features=1,
            allow_constant=True,
        )
        if table.feature_names != self.feature_names:
            raise DataError(
                Param("X"),
                f" has the features {list(table.feature_names)[:5]}…, but the discretisation was ",
                f"made for {list(self.feature_names)[:5]}…",
                Remedy("give the same ones in the same order"),
            )
        return _codes(table, self.cutpoints, self.levels)


def discretize(
    X: TableLike,
    y: ArrayLike | Any = None,
    *,
    method: str = "mdl",
    mdl: str = "textbook",
    bins: int = 10,
    nominal: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Discretization:
    """Cut the numeric features of a table into levels.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numeric and integer columns are cut; nominal and boolean ones keep their levels.
    y : array of shape (n_samples,), optional
        Class labels; needed by ``method="mdl"`` only.
    method : {"mdl", "equal_width", "equal_frequency"}
        ``"mdl"`` divides a feature where the class entropy falls most, as long as the gain pays
        for the description of the cut [1]_: candidates are the places where the sorted value
        changes, the first best one wins, the cut is at the midpoint, and an interval of N samples
        with k classes and entropy E (bits) is divided if ::

            gain >= (log2(N - 1) + log2(3**k - 2) - (k E - k1 E1 - k2 E2)) / N

        An interval with a single class is never divided.
        ``"equal_width"`` cuts the range into `bins` equal parts, at low + k·(high − low)/bins for
        k = 1, …, bins − 1: the same cuts that all filters with bins of equal width make.
        ``"equal_frequency"`` cuts after the first value at or below which 1, 2, … of `bins` equal
        shares of the samples lie: equal values stay together, so there may be fewer bins.
    mdl : {"textbook", "fselectorrcpp"}
        The second reading follows the R package FSelectorRcpp 0.3.13: k1 and E1 leave out the
        sample below the cut, the part above it is divided further without its first sample (in the
        order of the rows where values are equal), and boolean columns are cut like numbers.  One
        thing is not followed: the package also cuts an interval of two samples of one class, which
        changes the entropy of the feature but not its information gain.
    bins : int
        Number of parts, at least 2, for the two equal methods.
    nominal : sequence of names or positions, optional
        Columns that are treated as nominal regardless of their type.
    sample_weight : array of shape (n_samples,), optional
        How often each row counts (whole numbers): the result is that of the table with its rows
        repeated.

    Returns
    -------
    Discretization

    See Also
    --------
    check_table : what may be wrong with a table.

    References
    ----------
    .. [1] U. M. Fayyad and K. B. Irani (1993), Multi-interval discretization of continuous-valued
       attributes for classification learning, IJCAI 93, 1022-1027.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0], [11.0], [12.0]])
    >>> cut = discretize(X, ["a", "a", "a", "b", "b", "b"])
    >>> cut.cutpoints
    {'x0': array([6.5])}
    >>> cut.transform([[6.5], [6.6]]).tolist()
    [[0], [1]]
    >>> discretize(X, method="equal_frequency", bins=3).codes.ravel().tolist()
    [0, 0, 1, 1, 2, 2]
    """
    method = check_choice("method", method, METHODS)
    parity = check_choice("mdl", mdl, MDL_READINGS) == "fselectorrcpp"
    bins = check_integer("bins", bins, low=2, high=2**15)
    table = as_table(X, nominal=nominal, min_features=1)
    weights = full_weights(table.n_samples, sample_weight)
    check_totals(weights)
    if method == "mdl":
        if y is None:
            raise ParameterError(
                Use(method="mdl"),
                " needs class labels: give ",
                Param("y"),
                ", or use an equal_width or equal_frequency discretisation",
            )
        target = check_classes(check_target(y, table.n_samples))
    columns = numeric_columns(table.kinds, booleans=parity and method == "mdl")
    ordered = SortedColumns.of(table.values, columns)
    cutpoints, by_width = {}, method == "equal_width"
    for i, j in enumerate(columns):
        column = (i, table.values[:, j], weights[0])
        cutpoints[table.feature_names[j]] = (
            ordered.mdl_cuts(*column, target, parity)
            if method == "mdl"
            else ordered.equal_cuts(*column, bins, by_width)
        )
    levels = {
        table.feature_names[j]: table.levels.get(j, (False, True))
        for j in np.setdiff1d(np.arange(table.n_features), columns)
    }
    codes = _codes(table, cutpoints, levels)
    return Discretization(method, table.feature_names, cutpoints, levels, codes)


def numeric_columns(kinds: NDArray[np.int8], *, booleans: bool) -> NDArray[np.int64]:
    """Positions of the columns that are cut: numbers, and with `booleans` also two-valued ones."""
    cut = [Kind.NUMERIC, Kind.INTEGER, *([Kind.BOOLEAN] if booleans else [])]
    return np.flatnonzero(np.isin(kinds, cut)).astype(np.int64)


def check_totals(weights: Weights) -> int:
    """Largest total weight of a resample; the tables of ``x log x`` bound it."""
    largest = int(weights.sum(axis=1, dtype=np.int64).max(initial=0))
    if largest > MAX_TOTAL_WEIGHT:
        raise ParameterError(
            f"the row weights sum to {largest}; at most {MAX_TOTAL_WEIGHT} is supported: divide "
            "the weights by a common factor or take fewer rows"
        )
    return largest


def check_classes(target: Target) -> Target:
    """Return `target` if its labels fit into the packed words of the kernels."""
    if target.n_classes > MAX_CLASSES:
        raise DataError(
            f"the target {target.name!r} has {target.n_classes} classes; at most {MAX_CLASSES} are "
            "supported"
        )
    return target


def _codes(
    table: Table, cutpoints: dict[str, Floats], levels: dict[str, tuple[Any, ...]]
) -> NDArray[np.int32]:
    """Codes of the cells of `table`, whose features are those of `cutpoints` and `levels`."""
    codes = np.empty((table.n_samples, table.n_features), np.int32)
    for j, name in enumerate(table.feature_names):
        column = table.values[:, j]
        missing = np.isnan(column)
        if name in cutpoints:
            if j in table.levels:
                raise DataError(
                    f"column {name!r} has words ({table.levels[j][0]!r}), but it was cut as numbers"
                )
            codes[:, j] = np.searchsorted(cutpoints[name], column, side="left")
        else:
            present = table.levels.get(j, (False, True))
            position = {level: at for at, level in enumerate(levels[name])}
            unknown: list[Any] = [level for level in present if level not in position]
            if not unknown and j not in table.levels:
                unknown = column[~missing & ~np.isin(column, (0.0, 1.0))].tolist()
            if unknown:
                raise DataError(
                    f"column {name!r} has the value {unknown[0]!r}, which is not one of its levels "
                    f"{list(levels[name])[:10]}; mark it missing"
                )
            translate = np.array([position[level] for level in present] or [0], np.int32)
            codes[:, j] = translate[np.where(missing, 0.0, column).astype(np.intp)]
        codes[missing, j] = MISSING
    return codes
