"""Values between NumPy or pandas and R, whole blocks of memory at a time.

===================================  =====================  =====================================
pandas or NumPy                      R                      back
===================================  =====================  =====================================
float                                double                 float64; NA and NaN are NaN
int, nullable or not                 integer                int64; Int64 if some are missing
bool, nullable or not                logical                bool; boolean if some are missing
text                                 character              text of pandas' own type
categorical (ordered or not)         factor (ordered)       categorical, unused levels included
===================================  =====================  =====================================

Names of columns cross unchanged.  The index of a data frame stays behind; row names other than
R's automatic ones arrive as an index.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg_rpy2.session import environment

NA_INTEGER = -(2**31)
# R's missing double is the NaN with the payload 1954; any other NaN prints as NaN, not as NA.
NA_REAL = np.array([0x7FF00000000007A2], dtype=np.uint64).view(np.float64)[0]

# `class<-` marks the value as an object, which setting the attribute from outside would not.
_FACTOR = "function(x, levels, kind) { attr(x, 'levels') <- levels; class(x) <- kind; x }"
_DATA_FRAME = """function(x, names, size) {
  names(x) <- names
  attr(x, "row.names") <- .set_row_names(size)
  class(x) <- "data.frame"
  x
}"""


# ---------------------------------------------------------------------------------------------
# to R
# ---------------------------------------------------------------------------------------------
# The low level of rpy2 is used throughout: its high level asks R for the class of every value, which
# for a data frame of some hundred columns takes longer than the data themselves.
def _vectors() -> Any:
    return environment().rinterface


@cache
def _function(code: str) -> Any:
    """An R function from its source, without conversion of arguments or results."""
    return _vectors().evalr(code)


def to_vector(values: Any, name: str = "values") -> Any:
    """A column as an R vector of the type in the table of this module."""
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    if isinstance(series.dtype, pd.CategoricalDtype):
        return to_factor(series)
    kind = _kind(series, name)
    if kind == "text":
        return to_strings(series)
    missing = series.isna().to_numpy()
    if kind == "double":
        array = series.to_numpy(np.float64, na_value=np.nan)
        return _vectors().FloatSexpVector(np.where(missing, NA_REAL, array))
    if missing.any():
        series = series.astype(object).where(~missing, 0)
    if kind == "logical":
        codes = np.where(missing, NA_INTEGER, series.to_numpy(bool)).astype(np.int32)
        return _vectors().BoolSexpVector(codes)
    return _integers(series.to_numpy(np.int64), missing, name)


def _kind(series: pd.Series[Any], name: str) -> str:
    """What a column is in R: "double", "integer", "logical" or "text"."""
    by_type = {"f": "double", "i": "integer", "u": "integer", "b": "logical"}
    if series.dtype.kind in by_type:
        return by_type[series.dtype.kind]
    if isinstance(series.dtype, pd.StringDtype):
        return "text"
    found = pd.api.types.infer_dtype(series, skipna=True)
    # As in R, a column of missing values alone is logical.
    known = {"boolean": "logical", "integer": "integer", "floating": "double", "string": "text"}
    known["empty"] = "logical"
    if found in known and series.dtype.kind != "M":
        return known[found]
    raise InputTypeError(
        f"the column {name!r} contains values of type {found} ({series.dtype}), which do not cross to "
        "R; numbers, booleans, text and categoricals do"
    )


def _integers(whole: NDArray[np.int64], missing: NDArray[np.bool_], name: str) -> Any:
    too_large = ~missing & (np.abs(whole) > 2**31 - 1)
    if too_large.any():
        raise DataError(
            f"the column {name!r} has the whole number {whole[too_large][0]}, beyond R's largest "
            f"integer {2**31 - 1}; convert the column to float"
        )
    return _vectors().IntSexpVector(np.where(missing, NA_INTEGER, whole).astype(np.int32))


def to_factor(values: Any) -> Any:
    """Labels as an R factor; the levels of a categorical in their order, of others sorted."""
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    categories = series.array
    if not isinstance(categories, pd.Categorical):
        categories = pd.Categorical(series)
    levels = [str(level) for level in categories.categories]
    if len(set(levels)) < len(levels):
        raise DataError(
            f"{len(levels)} levels have only {len(set(levels))} different names as text"
        )
    codes = np.asarray(categories.codes, dtype=np.int32)
    vector = _vectors().IntSexpVector(np.where(codes < 0, NA_INTEGER, codes + 1).astype(np.int32))
    kind = ["ordered", "factor"] if categories.ordered else ["factor"]
    return _function(_FACTOR)(
        vector, _vectors().StrSexpVector(levels), _vectors().StrSexpVector(kind)
    )


def to_strings(values: Any) -> Any:
    """Text as an R character vector; each different text crosses once."""
    codes, levels = pd.factorize(np.asarray(values, dtype=object))
    distinct = _vectors().StrSexpVector([str(level) for level in levels])
    positions = np.where(codes < 0, NA_INTEGER, codes + 1).astype(np.int32)
    return _function("base::`[`")(distinct, _vectors().IntSexpVector(positions))


def to_frame(table: Any) -> Any:
    """A table as an R data frame, every column with its type and its name."""
    frame = table if isinstance(table, pd.DataFrame) else _named_frame(np.asarray(table))
    names = [str(name) for name in frame.columns]
    columns = [to_vector(frame.iloc[:, j], name) for j, name in enumerate(names)]
    size = np.array([len(frame)], dtype=np.int32)
    return _function(_DATA_FRAME)(
        _vectors().ListSexpVector(columns),
        _vectors().StrSexpVector(names),
        _vectors().IntSexpVector(size),
    )


def _named_frame(array: NDArray[Any]) -> pd.DataFrame:
    if array.ndim != 2:
        raise DataError(f"a table has two dimensions, got an array of shape {array.shape}")
    return pd.DataFrame(array, columns=[f"x{j}" for j in range(array.shape[1])])


def to_matrix(
    values: ArrayLike,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> Any:
    """A two-dimensional array as an R matrix, with names of rows and columns if given."""
    array = np.asarray(values)
    if array.ndim != 2:
        raise DataError(f"a matrix has two dimensions, got an array of shape {array.shape}")
    for label, names, size in zip(("rows", "columns"), (rows, columns), array.shape, strict=True):
        if names is not None and len(names) != size:
            raise ParameterError(f"{label} has {len(names)} names for {size} {label}")
    matrix = to_vector(array.ravel(order="F"))
    matrix.do_slot_assign("dim", _vectors().IntSexpVector(np.array(array.shape, dtype=np.int32)))
    if rows is not None or columns is not None:
        parts = [
            _vectors().NULL if names is None else _vectors().StrSexpVector(list(names))
            for names in (rows, columns)
        ]
        matrix.do_slot_assign("dimnames", _vectors().ListSexpVector(parts))
    return matrix


# ---------------------------------------------------------------------------------------------
# from R
# ---------------------------------------------------------------------------------------------
def from_r(value: Any) -> Any:
    """An R vector, matrix or data frame as array, Series or DataFrame.

    A matrix with names of rows or columns becomes a DataFrame, one without an array; its missing
    integers and logicals are NaN.  A factor, and a vector with missing values that an array cannot
    hold, becomes a Series.
    """
    if isinstance(value, _vectors().ListSexpVector) and "data.frame" in _texts(value, "class"):
        return _frame(value)
    column = _column(value)
    if "dim" in value.list_attrs():
        shape = tuple(int(size) for size in value.do_slot("dim"))
        if not isinstance(column, np.ndarray):
            column = column.to_numpy(np.float64, na_value=np.nan)
        return _labelled(column.reshape(shape, order="F"), value)
    return column if isinstance(column, np.ndarray) else pd.Series(column)


def _texts(value: Any, attribute: str) -> list[str]:
    """The strings of an attribute; empty if there is none."""
    if attribute not in value.list_attrs():
        return []
    return [str(each) for each in value.do_slot(attribute)]


def _labelled(array: NDArray[Any], value: Any) -> Any:
    if "dimnames" not in value.list_attrs():
        return array
    names = [
        None if each is _vectors().NULL else [str(name) for name in each]
        for each in value.do_slot("dimnames")
    ]
    return pd.DataFrame(array, index=names[0], columns=names[1])


def _frame(value: Any) -> pd.DataFrame:
    columns = _vectors().ListSexpVector(value)
    found = pd.DataFrame({j: _column(column) for j, column in enumerate(columns)})
    found.columns = pd.Index(_texts(value, "names"))
    rows = value.do_slot("row.names")
    if isinstance(rows, _vectors().StrSexpVector):
        found.index = pd.Index([str(row) for row in rows])
    return found


def _cells(vector: Any, dtype: Any) -> NDArray[Any]:
    """A copy of the cells in R's order.

    NumPy reads them through the array interface of the vector: each call of its method `memoryview`
    takes a reference to None that it does not own, which ends Python 3.11 after some thousands.
    """
    return np.array(vector if len(vector) else [], dtype=dtype).ravel(order="F")


@lru_cache(maxsize=64)  # the columns of a table often share their levels
def _categories(levels: tuple[str, ...], ordered: bool) -> pd.CategoricalDtype:
    return pd.CategoricalDtype(list(levels), ordered)


def _column(vector: Any) -> Any:
    """A plain R vector as an array, or a pandas array where NumPy has no such values."""
    types = _vectors()
    if isinstance(vector, types.FloatSexpVector):
        return _cells(vector, np.float64)
    if isinstance(vector, types.IntSexpVector | types.BoolSexpVector):
        codes = _cells(vector, np.int32)
        missing = codes == NA_INTEGER
        kind = _texts(vector, "class")
        if "factor" in kind:
            dtype = _categories(tuple(_texts(vector, "levels")), "ordered" in kind)
            return pd.Categorical.from_codes(np.where(missing, 0, codes) - 1, dtype=dtype)
        whole = isinstance(vector, types.IntSexpVector)
        values = codes.astype(np.int64 if whole else bool)
        if not missing.any():
            return values
        return (pd.arrays.IntegerArray if whole else pd.arrays.BooleanArray)(values, missing)
    if isinstance(vector, types.StrSexpVector):
        levels, positions = _function("function(x) { u <- unique(x); list(u, match(x, u)) }")(
            vector
        )
        texts = [None if each is types.NA_Character else str(each) for each in levels]
        return np.array(texts, dtype=object)[_cells(positions, np.int32) - 1]
    raise InputTypeError(f"an R value of type {type(vector).__name__} has no counterpart here")
