"""Data frames of every kind: pandas as it is, the others through narwhals, column by column.

A frame is never copied as a whole.  Columns of numbers go to NumPy many at a time, the others one at a
time: as Arrow holds them, or as pandas does where the frame is made of pandas columns (Modin).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.validation import require_extra
from pyfsagg._table.columns import numpy_column, pandas_column
from pyfsagg.exceptions import DataError, InputTypeError

FRAMES = "pandas, polars, PyArrow, Modin or DuckDB"
"""The kinds of data frames, as messages name them."""

_NO_FRAMES = (np.ndarray, list, tuple, dict, set, str, bytes, int, float, type(None))

_NUMBERS = {"Boolean": np.dtype(bool), "Float32": np.dtype("f4"), "Float64": np.dtype("f8")}
for _bits in (8, 16, 32, 64):
    _NUMBERS |= {f"{kind}{_bits}": np.dtype(f"{kind.lower()}{_bits}") for kind in ("Int", "UInt")}
"""NumPy's type of columns of numbers, by the name that narwhals has for it."""

_HAS_ARROW = find_spec("pyarrow") is not None  # without it columns are taken as Python objects
_OBJECTS = ("Object", "Int128", "UInt128")
"""Columns that Arrow does not hold, or not rightly: their cells are taken as Python objects."""


def as_slice(columns: Sequence[int]) -> slice | list[int]:
    """Rising positions as an index; a slice if they have no gaps, which copies nothing."""
    if columns[-1] - columns[0] == len(columns) - 1:
        return slice(columns[0], columns[-1] + 1)
    return list(columns)


@dataclass(frozen=True, eq=False)
class PandasFrame:
    """A pandas frame."""

    frame: pd.DataFrame

    @property
    def names(self) -> pd.Index:
        """Names of the columns."""
        return self.frame.columns

    @property
    def shape(self) -> tuple[int, int]:
        return self.frame.shape

    def types(self) -> list[np.dtype[Any] | None]:
        """NumPy's type of each column of numbers or booleans; None for every other column."""
        return [
            dtype if isinstance(dtype, np.dtype) and dtype.kind in "biuf" else None
            for dtype in self.frame.dtypes.to_numpy()
        ]

    def cells(self, columns: Sequence[int]) -> NDArray[Any]:
        """Cells (n_samples, len(columns)) of columns that have one type."""
        return self.frame.iloc[:, as_slice(columns)].to_numpy()

    def column(self, j: int) -> Any:
        """A column as a pandas Series or an Arrow array."""
        return self.frame.iloc[:, j]


@dataclass(frozen=True, eq=False)
class NarwhalsFrame:
    """A frame of another kind; has what :class:`PandasFrame` has."""

    frame: Any

    @cached_property
    def names(self) -> pd.Index:
        names: pd.Index = pd.Index(self.frame.columns, dtype=object)
        return names

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.frame.shape
        return int(n_rows), int(n_columns)

    def types(self) -> list[np.dtype[Any] | None]:
        types: list[np.dtype[Any] | None] = []
        for name, kind in self.frame.schema.items():
            dtype = _NUMBERS.get(str(kind))
            # With missing cells NumPy makes other types of booleans and 64-bit numbers, which hold less.
            if dtype is not None and (dtype.kind == "b" or str(dtype) in ("int64", "uint64")):
                dtype = None if self.frame.get_column(name).null_count() else dtype
            types.append(dtype)
        return types

    def cells(self, columns: Sequence[int]) -> NDArray[Any]:
        return np.asarray(self.frame[:, list(columns)].to_numpy())

    def column(self, j: int) -> Any:
        return _column(self.frame.get_column(self.names[j]))

    def pandas(self) -> pd.DataFrame:
        """The frame with NumPy's columns where they contain numbers, copied only if necessary."""
        columns: dict[str, Any] = {}
        for j, (name, dtype) in enumerate(zip(self.names, self.types(), strict=True)):
            if dtype is None:
                columns[name] = pandas_column(self.column(j), name)
            else:
                columns[name] = self.frame.get_column(name).to_numpy()
        return pd.DataFrame(columns, index=range(self.shape[0]), copy=False)


Frame = PandasFrame | NarwhalsFrame
"""A data frame of any kind: its names, its shape, and its columns."""


def _column(series: Any) -> Any:
    """A narwhals Series as a pandas Series or an Arrow array."""
    if series.implementation.is_pandas_like():
        return series.to_pandas()
    kind = str(series.dtype)
    if kind.startswith("Enum") and not _HAS_ARROW:
        levels = series.cat.get_categories().to_list()
        return pd.Series(pd.Categorical(series.to_list(), categories=levels))
    if kind in _OBJECTS or not _HAS_ARROW:
        return pd.Series(series.to_list(), dtype=object)
    if series.implementation.is_polars() and kind == "Categorical":
        # The order of the categories of polars depends on what else the process has read.
        import narwhals as nw

        words = pandas_column(series.cast(nw.String).to_arrow(), series.name)
        return words.astype("category")
    return series.to_arrow()


def open_frame(X: Any) -> Frame | None:
    """A data frame of any kind, otherwise None; a query of DuckDB, Ibis or Spark is run once."""
    if isinstance(X, Frame):
        return X
    if isinstance(X, pd.DataFrame):
        return PandasFrame(X)
    if isinstance(X, _NO_FRAMES) or hasattr(X, "tocsc"):  # SciPy's matrices are no frames
        return None
    import narwhals as nw

    package = type(X).__module__.split(".")[0]
    try:
        # A query of polars or Dask, run twice, for X and for y, may give the rows in other orders.
        # Dask is known by what it has: narwhals is about to give it up.
        if hasattr(X, "npartitions") and hasattr(X, "to_delayed"):
            raise InputTypeError(
                "the table is a Dask frame; .compute() brings it into memory, and rank_out_of_core "
                "reads it in parts"
            )
        frame = nw.from_native(_arrow_table(X), pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            if frame.implementation.is_polars():
                raise InputTypeError(
                    "the table is a LazyFrame, a query that has not run; run it once with .collect(), "
                    "so that X and y have the same rows"
                )
            refuse_duplicates(X.columns)
            frame = frame.collect()
        if isinstance(frame, nw.DataFrame):
            return NarwhalsFrame(frame)
    except (DataError, InputTypeError):
        raise
    except ModuleNotFoundError as error:
        require_extra(str(error.name), "parquet", f"a table of {package}")
        raise
    except Exception as error:  # third-party tables may raise anything
        reason = (str(error).splitlines() or [""])[0]
        raise InputTypeError(
            f"the {package} {type(X).__name__} cannot be read as a data frame ({type(error).__name__}: "
            f"{reason}); known are data frames of {FRAMES}; a later narwhals may know it"
        ) from None
    is_frame = hasattr(X, "to_pandas") and hasattr(X, "columns")
    if is_frame and isinstance(other := X.to_pandas(), pd.DataFrame):
        return PandasFrame(other)
    return None


def _arrow_table(X: Any) -> Any:
    """What narwhals does not know and Arrow does, as Arrow's table: record batches and their readers."""
    if type(X).__module__.split(".")[0] != "pyarrow":
        return X
    import pyarrow as pa

    if isinstance(X, (pa.RecordBatch, pa.RecordBatchReader)):
        X = pa.table(X) if isinstance(X, pa.RecordBatch) else X.read_all()
    if isinstance(X, pa.Table):
        refuse_duplicates(X.column_names)
    return X


def refuse_duplicates(names: Iterable[Any]) -> None:
    """Refuse columns of one name, which narwhals does not let pass, in our words."""
    twice = [str(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(map(repr, twice[:5]))
        raise DataError(f"duplicate column name(s) {shown}; every feature needs a different name")


def frame_of_array(array: NDArray[Any], **labels: Any) -> pd.DataFrame:
    """A frame of a matrix; objects stay objects, in which some versions of pandas look for dates."""
    return pd.DataFrame(array, dtype=object if array.dtype == object else None, **labels)


def pandas_frame(X: Any, *, nullable: bool = False) -> Any:
    """A data frame of any kind as a pandas frame; what is no data frame as it is."""
    opened = open_frame(X)
    if opened is None:
        return X
    frame = opened.frame if isinstance(opened, PandasFrame) else opened.pandas()
    if nullable:
        return frame
    odd = [j for j, dtype in enumerate(frame.dtypes) if hasattr(dtype, "numpy_dtype")]
    if odd:
        frame = frame.copy(deep=False)
        for j in odd:
            frame.isetitem(j, numpy_column(frame.iloc[:, j]).array)
    return frame


def pandas_series(y: Any) -> Any:
    """A column of any kind as a pandas Series of NumPy's types; what is no column as it is."""
    if isinstance(y, pd.Series):
        return numpy_column(y)
    if isinstance(y, (pd.DataFrame, *_NO_FRAMES)):
        return y
    import narwhals as nw

    if type(y).__module__.split(".")[0] == "pyarrow" and hasattr(y, "null_count"):
        return numpy_column(pandas_column(y, "y"))
    series = nw.from_native(y, allow_series=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return y
    name = str(series.name) if series.name else None
    return numpy_column(pandas_column(_column(series), name or "y").rename(name))
