"""Data frames of every kind: one table is the same table whoever holds it."""

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfsagg
from pyfsagg._table.columns import Kind
from pyfsagg._table.frames import NarwhalsFrame, open_frame, pandas_frame, pandas_series
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.extending import as_table, check_target, data_hash

N = 60
MAKERS: dict[str, Any] = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
GRADES = ["low", "middle", "high", "never"]


def arrow_table() -> pa.Table:
    """Every kind of column, each with a gap where its type has a way to say so."""
    rng = np.random.default_rng(0)
    gap = rng.random((20, N)) < 0.1

    def cells(values: Any, at: int, arrow_type: Any) -> pa.Array:
        kept = [None if missing else v for v, missing in zip(values, gap[at], strict=True)]
        return pa.array(kept, arrow_type)

    def words(values: list[str], at: int, levels: list[str], *, ordered: bool) -> pa.Array:
        codes = cells([levels.index(each) for each in values], at, pa.int8())
        return pa.DictionaryArray.from_arrays(codes, levels, ordered=ordered)

    whole = [Decimal(v) for v in rng.integers(0, 50, N).tolist()]
    float32 = rng.normal(size=N).astype(np.float32)
    cents = [Decimal(int(v)).scaleb(-13) for v in rng.integers(-(10**16), 10**16, N)]
    return pa.table(
        {
            "float": cells(rng.normal(size=N).tolist(), 0, pa.float64()),
            "full": pa.array(rng.normal(size=N)),
            "float32": cells(float32.tolist(), 1, pa.float32()),
            "whole": cells(rng.integers(-(2**40), 2**40, N).tolist(), 2, pa.int64()),
            "whole_full": pa.array(rng.integers(0, 9, N)),
            "small": cells(rng.integers(-100, 100, N).tolist(), 3, pa.int8()),
            "small_full": pa.array(rng.integers(0, 200, N), pa.uint8()),
            "unsigned": cells(rng.integers(0, 2**40, N).tolist(), 4, pa.uint64()),
            "flag": cells((rng.random(N) < 0.4).tolist(), 5, pa.bool_()),
            "flag_full": pa.array(rng.random(N) < 0.4),
            "text": cells(rng.choice(["b", "é", "a", "ZZ"], N).tolist(), 6, pa.string()),
            "category": words(rng.choice(["a", "c"], N).tolist(), 7, list("abcd"), ordered=False),
            "grade": words(rng.choice(GRADES[:3], N).tolist(), 8, GRADES, ordered=True),
            "decimal": cells(cents, 9, pa.decimal128(20, 13)),
            "decimal_whole": cells(whole, 10, pa.decimal128(20, 0)),
            "empty": pa.array([None] * N, pa.float64()),
        }
    )


ARROW = arrow_table()


def as_pandas() -> pd.DataFrame:
    """NumPy's columns: floats, objects, categories."""
    return ARROW.to_pandas(integer_object_nulls=True)


def as_nullable() -> pd.DataFrame:
    frame = as_pandas()
    whole = {"whole": "Int64", "unsigned": "UInt64", "small": "Int8", "flag": "boolean"}
    return frame.astype({**whole, "float": "Float64", "text": "string"})


def as_polars() -> pl.DataFrame:
    pl.Series(["d", "c", "b", "a"], dtype=pl.Categorical)  # what others read has no effect
    return pl.from_arrow(ARROW).with_columns(
        pl.col("category").cast(pl.String).cast(pl.Categorical),
        pl.col("grade").cast(pl.String).cast(pl.Enum(GRADES)),
    )


def as_duckdb() -> Any:
    duckdb = pytest.importorskip("duckdb")
    place, levels = ARROW.column_names.index("grade"), ", ".join(map(repr, GRADES))
    table = ARROW.set_column(place, "grade", ARROW["grade"].cast(pa.string()))
    return duckdb.from_arrow(table).project(f"* replace (grade::enum({levels}) as grade)")


KINDS: dict[str, Callable[[], Any]] = {
    "pandas": as_pandas,
    "nullable": as_nullable,
    "pandas_arrow": lambda: ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "pyarrow": lambda: ARROW,
    "pyarrow_chunks": lambda: pa.concat_tables([ARROW.slice(0, 7), ARROW.slice(7)]),
    "polars": as_polars,
    "polars_chunks": lambda: pl.concat([as_polars()[:7], as_polars()[7:]], rechunk=False),
    "duckdb": as_duckdb,
    "modin": lambda: pytest.importorskip("modin.pandas").DataFrame(as_pandas()),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Any:
    """One table in every kind of frame."""
    return KINDS[request.param]()


# -- tables ---------------------------------------------------------------------------------------
def test_a_table_has_the_same_bits_in_every_kind(kind: Any) -> None:
    table, expected = as_table(kind), as_table(ARROW)
    assert table.feature_names == expected.feature_names
    assert table.kinds.tolist() == expected.kinds.tolist()
    assert table.levels == expected.levels
    np.testing.assert_array_equal(table.values, expected.values)
    assert data_hash(table, None) == data_hash(expected, None)


def test_cells_are_those_that_were_written() -> None:
    table = as_table(ARROW)
    place = {name: j for j, name in enumerate(table.feature_names)}

    def cells(name: str) -> list[Any]:
        values = table.values[:, place[name]]
        return [None if np.isnan(value) else value for value in values.tolist()]

    for name in ("float", "float32", "whole", "small", "unsigned", "flag", "empty"):
        assert cells(name) == ARROW[name].to_pylist(), name
    for name in ("decimal", "decimal_whole"):
        written = [None if v is None else float(v) for v in ARROW[name].to_pylist()]
        assert cells(name) == written, name
    levels = {"text": ("ZZ", "a", "b", "é"), "category": ("a", "c"), "grade": tuple(GRADES[:3])}
    for name, known in levels.items():
        assert table.levels[place[name]] == known
        read = [None if code is None else known[int(code)] for code in cells(name)]
        assert read == ARROW[name].to_pylist(), name
    kinds = {name: Kind(table.kinds[j]).name for name, j in place.items()}
    assert {name for name, found in kinds.items() if found == "NUMERIC"} == {
        *("float", "full", "float32", "decimal", "empty")
    }
    assert kinds["decimal_whole"] == kinds["small"] == kinds["unsigned"] == "INTEGER"
    assert kinds["flag"] == kinds["flag_full"] == "BOOLEAN"
    (batch, *_) = ARROW.combine_chunks().to_batches()
    for given in (batch, pa.RecordBatchReader.from_batches(ARROW.schema, [batch])):
        np.testing.assert_array_equal(as_table(given).values, as_table(ARROW).values)
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3]), ["b", "a", "b", None])
    chunks = pa.chunked_array([pa.array(list(part)).dictionary_encode() for part in ("xy", "yz")])
    table = as_table(pa.table({"twice": twice, "chunks": chunks}))
    assert table.levels == {0: ("a", "b"), 1: ("x", "y", "z")}
    np.testing.assert_array_equal(table.values, [[1, 0], [0, 1], [1, 1], [np.nan, 2]])


def test_declared_columns_by_name_and_by_position(kind: Any) -> None:
    expected = as_table(ARROW, nominal=["whole_full", "float32", 6])
    table = as_table(kind, nominal=["whole_full", "float32", 6])
    assert Kind(table.kinds[6]) is Kind(table.kinds[2]) is Kind.NOMINAL
    assert table.levels.keys() == expected.levels.keys()
    assert all(list(table.levels[j]) == list(expected.levels[j]) for j in table.levels)
    np.testing.assert_array_equal(table.values, expected.values)


def test_objects_of_python_in_a_column_of_polars() -> None:
    columns = {"object": ([1, None, 3], pl.Object), "long": ([2**70, None, 1], pl.Int128)}
    frame = pl.DataFrame({name: pl.Series(cells, dtype=t) for name, (cells, t) in columns.items()})
    table = as_table(frame.with_columns(none=None))
    assert [Kind(kind).name for kind in table.kinds] == ["INTEGER", "INTEGER", "NOMINAL"]
    written = [[1, 2.0**70, np.nan], [np.nan] * 3, [3, 1, np.nan]]
    np.testing.assert_array_equal(table.values, written)


def test_objects_that_would_be_read_as_something_else_are_refused() -> None:
    for cells, message in (
        ([2**70, 2**70 + 1], "beyond 2\\^53"),
        ([1, "1"], "contains '1' as a word and as something else"),
        ([1.0, "1"], "contains '1' as a word and as something else"),
        ([Decimal("sNaN"), Decimal(1)], "signaling NaN"),
    ):
        frame = pd.DataFrame({"a": np.arange(20.0), "x": pd.Series(cells * 10, dtype=object)})
        with pytest.raises(DataError, match=f"column 'x' .*{message}"):
            as_table(frame)
        (finding,) = pyfsagg.datasets.check_table(frame[["x"]]).findings[:1]
        assert finding.code == "unreadable"


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp < 2000, reason="no wider numbers here")
def test_numbers_beyond_floats_are_infinite_and_refused() -> None:
    wide = np.array([["1e400", "1"], ["2", "3"]]).astype(np.longdouble)
    for X in (wide, pd.DataFrame(wide)):
        with pytest.raises(DataError, match="infinite value"):
            as_table(X)
    assert pyfsagg.datasets.check_table(pd.DataFrame(wide)).findings[0].code == "infinite"


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_decimals_are_the_nearest_numbers(make: Callable[..., Any]) -> None:
    written = [Decimal("0.29"), Decimal("1.15"), Decimal("-1e-9"), None]
    table = as_table(make({"a": written, "b": [1, 2, 3, 4]}))
    np.testing.assert_array_equal(table.values[:, 0], [0.29, 1.15, -1e-9, np.nan])


@pytest.mark.parametrize("make", ["numpy", "pandas", "polars", "pyarrow"])
def test_whole_numbers_that_would_be_one_are_refused(make: str) -> None:
    frame = pd.DataFrame({"big": pd.array([2**53, 2**53 + 1, None], dtype="Int64"), "b": [1, 2, 3]})
    frame = {
        "numpy": lambda: frame,
        "pandas": frame.convert_dtypes,
        "polars": lambda: pl.DataFrame({"big": [2**53, 2**53 + 1, None], "b": [1, 2, 3]}),
        "pyarrow": lambda: pa.Table.from_pandas(frame),
    }[make]()
    with pytest.raises(DataError, match=r"'big' has whole numbers beyond 2.53"):
        as_table(frame)
    assert as_table(frame, nominal=["big"]).levels[0] == (2**53, 2**53 + 1)


# -- what is refused ------------------------------------------------------------------------------
DAYS = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), None]
HOURS = [datetime.datetime(2020, 1, 1, 5), datetime.datetime(2020, 1, 1, 6), None]
LENGTHS = [datetime.timedelta(hours=2), datetime.timedelta(hours=1), None]
CLOCK = [datetime.time(5), datetime.time(6), None]
FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda cells: pd.DataFrame({"x": [1, 2, 3], "odd": cells}),
    "objects": lambda cells: pd.DataFrame({"x": [1, 2, 3], "odd": pd.Series(cells, dtype=object)}),
    "pandas_arrow": lambda cells: FRAMES["pyarrow"](cells).to_pandas(types_mapper=pd.ArrowDtype),
    "pyarrow": lambda cells: pa.table({"x": [1, 2, 3], "odd": cells}),
    "polars": lambda cells: pl.DataFrame({"x": [1, 2, 3], "odd": cells}),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("cells", [DAYS, HOURS, LENGTHS, CLOCK])
def test_dates_are_refused_with_what_to_do(cells: list[Any], make: Callable[[Any], Any]) -> None:
    message = r"'odd' contains dates or times.*number of days.*leave the column"
    with pytest.raises(DataError, match=message):
        as_table(make(cells))
    assert [each.code for each in pyfsagg.datasets.check_table(make(cells)).findings] == ["dates"]


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("cells", [[[1], [2]], [{"a": 1}, {"a": 2}], [b"x", b"y"]])
def test_nested_values_are_refused(cells: list[Any], make: Callable[[Any], Any]) -> None:
    message = r"'odd' contains values of type .*a column of its own"
    with pytest.raises(InputTypeError, match=message):
        as_table(make([*cells, None]))


def test_a_query_that_has_not_run_is_refused() -> None:
    with pytest.raises(InputTypeError, match=r"LazyFrame.*\.collect\(\).*same rows"):
        as_table(as_polars().lazy())
    dask = pytest.importorskip("dask.dataframe")
    frame = dask.from_pandas(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), npartitions=1)
    with pytest.raises(InputTypeError, match=r"\.compute\(\).*rank_out_of_core"):
        as_table(frame)


def test_names_of_targets_and_what_is_no_table() -> None:
    months = pd.period_range("2020", periods=2, freq="M")
    for given, error, message in (
        (pa.table([[1, 2], [3, 4]], names=["a", "a"]), DataError, r"duplicate column name.*'a'"),
        (object(), InputTypeError, "pandas, polars, PyArrow, Modin or DuckDB"),
        (pl.Series([1, 2, 3]), DataError, "Reshape"),
        (pd.DataFrame({"x": [1, 2], "odd": months}), DataError, "'odd' contains dates"),
    ):
        with pytest.raises(error, match=message):
            as_table(given)
    assert check_target(pl.Series("kind", Y), N).name == "kind"
    assert check_target(pa.chunked_array([pa.array(Y)]), N).name == "target"
    categories = pl.Series(["b", "a"] * 30, dtype=pl.Enum(["b", "c", "a"]))
    assert check_target(categories, N).classes == ("a", "b")


# -- targets and other columns --------------------------------------------------------------------
Y = np.random.default_rng(1).integers(0, 2, N)
SERIES: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.Series,
    "nullable": lambda cells: pd.Series(cells).convert_dtypes(),
    "pandas_arrow": lambda cells: pd.Series(cells).convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.Series,
    "arrow_array": pa.array,
    "chunked_array": lambda cells: pa.chunked_array([pa.array(cells[:7]), pa.array(cells[7:])]),
    "polars_frame": lambda cells: pl.DataFrame({"y": cells}),
    "arrow_table": lambda cells: pa.table({"y": cells}),
}


@pytest.mark.parametrize("make", SERIES.values(), ids=SERIES)
@pytest.mark.parametrize("cells", [Y * 10, Y == 1, np.array(["no", "yes"])[Y], Y + 0.5])
def test_targets_of_every_kind(cells: np.ndarray, make: Callable[[Any], Any]) -> None:
    expected, target = check_target(cells, N), check_target(make(cells.tolist()), N)
    assert target.classes == expected.classes
    assert list(map(type, target.classes)) == list(map(type, expected.classes))
    np.testing.assert_array_equal(target.codes, expected.codes)


@pytest.mark.parametrize("make", SERIES.values(), ids=SERIES)
def test_numeric_targets_of_every_kind(make: Callable[[Any], Any]) -> None:
    numbers = np.random.default_rng(2).normal(size=N)
    target = check_target(make(numbers.tolist()), N, task="regression")
    np.testing.assert_array_equal(target.values, numbers)
    with pytest.raises(DataError, match=r"missing .NaN. in 1 of 60"):
        check_target(make([None, *numbers.tolist()[1:]]), N, task="regression")


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_times_and_events_of_every_kind(make: Callable[[Any], Any]) -> None:
    columns = {"time": np.random.default_rng(3).exponential(size=N), "status": Y}
    target = check_target(make(columns), N, task="survival")
    assert target.name == "time, status"
    np.testing.assert_array_equal(target.survival.time, columns["time"])
    np.testing.assert_array_equal(target.survival.event, Y == 1)


# -- from the frame to the result -----------------------------------------------------------------


COLUMNS = {
    "noise": np.random.default_rng(4).normal(size=N),
    "signal": Y + np.random.default_rng(5).normal(size=N) / 4,
    "other": np.random.default_rng(6).normal(size=N),
}


def test_a_run_has_the_same_scores(kind: Any) -> None:
    run = {"filter": "chi_squared", "n_resamples": 5, "random_state": 0}
    grouped, groups = pyfsagg.resampling.GroupedBootstrap, np.arange(N) // 2
    plan = grouped(pl.Series(groups))
    found = pyfsagg.wam(kind, pl.Series("kind", Y), resampling=plan, **run)
    expected = pyfsagg.wam(as_pandas(), Y, resampling=grouped(groups), **run)
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert found.feature_names == tuple(ARROW.column_names)
    clusters = found.clusters(kind, found.selection(3))
    pd.testing.assert_frame_equal(clusters, expected.clusters(as_pandas(), expected.selection(3)))


def test_what_a_look_at_the_table_finds(kind: Any) -> None:
    found = pyfsagg.datasets.check_table(kind, pl.Series("y", Y))
    expected = pyfsagg.datasets.check_table(as_pandas(), Y)
    codes = {(each.code, each.columns) for each in found.findings}
    assert codes == {(each.code, each.columns) for each in expected.findings}


def selector() -> pyfsagg.ensemble.WithinAggregationSelector:
    options = {"n_features_to_select": 1, "n_resamples": 5, "random_state": 0}
    return pyfsagg.ensemble.WithinAggregationSelector("chi_squared", **options)


@pytest.mark.parametrize("kind", MAKERS)
def test_selectors(kind: str) -> None:
    X = MAKERS[kind](COLUMNS)
    plain = selector().fit(X, Y)
    assert plain.feature_names_in_.tolist() == list(COLUMNS)
    assert plain.get_feature_names_out().tolist() == ["signal"]
    chosen = plain.transform(X)
    assert isinstance(chosen, np.ndarray)
    np.testing.assert_array_equal(chosen[:, 0], COLUMNS["signal"])
    for output in ("pandas", "polars"):
        framed = selector().set_output(transform=output)
        chosen = framed.fit_transform(X, Y)
        assert isinstance(chosen, MAKERS[output])
        assert list(chosen.columns) == ["signal"]
        np.testing.assert_array_equal(chosen["signal"].to_numpy(), COLUMNS["signal"])
        with pytest.raises(ValueError, match="feature names should match"):
            framed.transform(MAKERS[kind]({"z": COLUMNS["noise"], **COLUMNS}))


def test_polars_keeps_its_types_through_a_selector() -> None:
    copy = pl.Series(np.array(["no", "yes"])[Y], dtype=pl.Enum(["yes", "no"]))
    X = pl.DataFrame({"noise": COLUMNS["noise"], "copy": copy})
    chosen = selector().set_output(transform="polars").fit_transform(X, Y)
    assert chosen.schema == {"copy": pl.Enum(["yes", "no"])}


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_discretization_of_new_data(kind: str) -> None:
    X = MAKERS[kind](COLUMNS)
    found = pyfsagg.discretization.discretize(X, Y)
    np.testing.assert_array_equal(found.transform(X), found.codes)
    with pytest.raises(DataError, match="was made for"):
        found.transform(MAKERS[kind]({"z": COLUMNS["noise"], **COLUMNS}))


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_matrices_of_scores(kind: str) -> None:
    rng = np.random.default_rng(7)
    columns = {name: rng.integers(0, 9, 6) for name in "abcd"}
    chosen = {name: cells > 4 for name, cells in columns.items()}
    for function, table in (
        (lambda frame: pyfsagg.stability(frame, "pearson").table, columns),
        (lambda frame: pyfsagg.aggregate(frame, "mean_rank").to_frame(), columns),
        (lambda frame: pyfsagg.vote(frame).to_frame(), chosen),
        (lambda frame: pd.Series(pyfsagg.statistics.friedman(frame).p_value), columns),
    ):
        assert function(MAKERS[kind](table)).equals(function(pd.DataFrame(table)))


def test_pandas_frames_of_other_kinds_hold_numpys_numbers(kind: Any) -> None:
    frame = pandas_frame(kind)
    assert list(frame) == ARROW.column_names
    numbers = ["float", "float32", "small", "unsigned", "whole_full", "decimal"]
    if frame["decimal"].dtype == object:  # pandas' own objects stay what they are
        numbers.remove("decimal")
        numbers = [name for name in numbers if frame[name].dtype != object]
    assert all(isinstance(frame[name].dtype, np.dtype) for name in numbers)
    assert pandas_frame(frame) is frame


def test_numbers_are_views_and_lists_stay_what_they_are() -> None:
    X = pl.DataFrame(COLUMNS)
    frame = open_frame(X)
    assert isinstance(frame, NarwhalsFrame)
    held = frame.pandas()["noise"].to_numpy()
    assert np.shares_memory(held, X["noise"].to_numpy())
    for given in ([1, 2], (1, 2), np.arange(3), None, "text"):
        assert pandas_series(given) is given
