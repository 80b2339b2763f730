"""The boundary: what counts as a table and as a target, and what is refused in which words."""

import tempfile

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import pyfsagg
from pyfsagg._table.columns import Kind
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.extending import as_table, check_target, data_hash
from pyfsagg.ranks import Rankings

FRAME = pd.DataFrame(
    {
        "number": [0.5, np.nan, 2.0, 3.5],
        "count": [3, 1, 2, 2],
        "flag": [True, False, True, True],
        "word": ["low", None, "high", "low"],
        "level": pd.Categorical(["b", "a", "b", "b"], categories=["unused", "b", "a"]),
        "grade": pd.Categorical([2, 1, 2, 3]),
    }
)


def test_columns_keep_their_kind() -> None:
    table = as_table(FRAME)
    assert table.feature_names == ("number", "count", "flag", "word", "level", "grade")
    kinds = [Kind.NUMERIC, Kind.INTEGER, Kind.BOOLEAN, *[Kind.NOMINAL] * 3]
    assert table.kinds.tolist() == kinds
    assert table.levels == {3: ("high", "low"), 4: ("b", "a"), 5: (1, 2, 3)}
    np.testing.assert_array_equal(table.values[:, 3], [1.0, np.nan, 0.0, 1.0])
    np.testing.assert_array_equal(table.values[:, 4], [0.0, 1.0, 0.0, 0.0])
    assert table.values.flags.f_contiguous


def test_objects_are_read_by_what_they_hold() -> None:
    columns = {"i": [1, 2, None], "f": [1.5, 2, None], "b": [True, None, False]}
    table = as_table(pd.DataFrame(columns, dtype=object))
    assert table.kinds.tolist() == [Kind.INTEGER, Kind.NUMERIC, Kind.BOOLEAN]
    np.testing.assert_array_equal(table.values[:, 2], [1.0, np.nan, 0.0])


def test_arrays_get_names_and_columns_are_declared_nominal() -> None:
    assert as_table(np.eye(3)).feature_names == ("x0", "x1", "x2")
    named = as_table(np.eye(3, dtype=int), feature_names=["a", "b", "c"])
    assert named.feature_names == ("a", "b", "c")
    assert named.kinds.tolist() == [Kind.INTEGER] * 3
    by_name = as_table(FRAME, nominal=["count", "word"])
    assert by_name.kinds[1] == Kind.NOMINAL
    assert by_name.levels[1] == (1, 2, 3)
    by_position = as_table(np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 6.0]]), nominal=[1])
    assert by_position.kinds.tolist() == [Kind.NUMERIC, Kind.NOMINAL]
    mixed = pd.DataFrame({"m": ["1", "x", "2"], "n": [1, 2, 3]})
    assert as_table(mixed, nominal="m").levels[0] == ("1", "2", "x")
    with pytest.raises(ParameterError, match="'nothing', which the table does not have"):
        as_table(FRAME, nominal=["nothing"])


def table_of(**columns: object) -> pd.DataFrame:
    return pd.DataFrame({"ok": [1.0, 2.0, 3.0], **columns})


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.zeros(3), DataError, "Reshape your data"),
        (np.zeros((2, 2, 2)), DataError, "two dimensions"),
        (np.eye(3)[:1], DataError, r"1 sample\(s\).*minimum of 2"),
        (np.eye(3)[:, :1], DataError, r"1 feature\(s\)"),
        (np.ones((3, 2)), DataError, "every feature is constant"),
        (np.full((3, 2), np.nan), DataError, "every feature is constant"),
        (sparse.csr_matrix(np.eye(3)), InputTypeError, "sparse input"),
        (table_of(bad=[1.0, np.inf, 0.0]), DataError, "'bad' has an infinite value.*row 2"),
        (table_of(bad=[1, "word", 2]), DataError, "'bad' mixes numbers and words .'1', 'word'."),
        (table_of(bad=["1", "word", "2"]), DataError, "'bad' mixes numbers and words"),
        (table_of(bad=[[1], [2], [3]]), InputTypeError, "'bad'.*list"),
        (pd.DataFrame(np.eye(3), columns=["a", "b", "a"]), DataError, "duplicate.*'a'"),
        (pd.DataFrame(np.eye(3), columns=["a", "", "c"]), DataError, "column 2 .* no name"),
        (pd.DataFrame(np.eye(2), columns=[[1, 1], [2, 3]]), DataError, "several levels"),
    ],
)
def test_what_is_no_table(X: object, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        as_table(X)


def test_targets() -> None:
    target = check_target(pd.Series(["b", "a", "b"], name="outcome"), 3)
    found = (target.codes.tolist(), target.classes, target.name)
    assert found == ([1, 0, 1], ("a", "b"), "outcome")
    assert check_target([[1], [0], [1]], 3).classes == (0, 1)
    assert check_target([2.0, 1.0, 2.0], 3).classes == (1.0, 2.0)
    words = pd.Categorical(["x", "y", "x"], categories=["y", "x", "z"])
    assert check_target(words, 3).n_classes == 2
    assert check_target(pl.Series("s", ["x", "y"]), 2).name == "s"


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y"),
        ([0, 1], "2 labels for 12 samples"),
        ([1] * 12, "one class only .1."),
        (["x"] * 12, "one class only .'x'."),
        ([None] * 12, "missing in every row"),
        ([None, *"ab" * 5, "a"], "missing .NaN. in 1 of 12 rows"),
        ([np.nan] + [0.0, 1.0] * 5 + [1.0], "missing .NaN. in 1"),
        ([np.inf] + [0.0, 1.0] * 5 + [1.0], "infinite"),
        (range(12), "12 different values in 12 samples"),
        (np.zeros((12, 2)), "one dimension"),
    ],
)
def test_what_is_no_target(y: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check_target(y, 12)


def test_the_hash_knows_names_cells_and_labels() -> None:
    X = np.arange(12.0).reshape(6, 2)
    table, target = as_table(X), check_target(list("ababab"), 6)
    hashes = {
        data_hash(table, target),
        data_hash(as_table(X, feature_names=["a", "b"]), target),
        data_hash(as_table(X + 1.0), target),
        data_hash(as_table(X.astype(int)), target),
        data_hash(table, check_target(list("ababba"), 6)),
        data_hash(table, check_target(list("xyxyxy"), 6)),
        data_hash(table, None),
    }
    assert len(hashes) == 7
    assert data_hash(as_table(X.copy()), check_target(list("ababab"), 6)) in hashes


# R's NA, which is a signalling NaN; a negative one, as processors make of 0 / 0; and one with a payload.
FOREIGN = np.array([0x7FF00000000007A2, 0xFFF8000000000000, 0x7FF8000000001234], dtype=np.uint64)


def with_foreign_nan(values: np.ndarray) -> np.ndarray:
    """The values with NaN of other bits than ``np.nan`` in the missing cells."""
    values = np.array(values, dtype=np.float64)
    cells = values.view(np.uint64)
    cells[np.isnan(values)] = np.resize(FOREIGN, int(np.isnan(values).sum()))
    return values


HOLES = np.random.default_rng(0).integers(1, 100, (47, 4)) / 100
HOLES[np.random.default_rng(1).random(HOLES.shape) < 0.2] = np.nan
HOLES[0], HOLES[1], HOLES[-3:, :3] = 0.001, 0.999, np.nan  # extremes before missing cells
HALVES = np.arange(47) % 2


def _parquet(values: np.ndarray) -> pd.Series:
    """The ranking of a table in a file, which Arrow has written."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = {f"x{j}": pa.array(column, from_pandas=False) for j, column in enumerate(values.T)}
    with tempfile.TemporaryDirectory() as folder:
        parquet.write_table(pa.table({**columns, "y": HALVES}), f"{folder}/t.parquet")
        run = {"filters": "chi_squared", "n_resamples": 5, "random_state": 0}
        found = pyfsagg.out_of_core.rank_out_of_core(f"{folder}/t.parquet", "y", **run)
    return found.to_frame()


def _resamples(X: object) -> np.ndarray:
    return pyfsagg.wam(
        X, HALVES, filter="chi_squared", n_resamples=5, random_state=0, checks="none"
    ).combined


def _single(values: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        short = values.astype(np.float32)
    missing = np.isnan(values) & (values.view(np.uint64) != np.array(np.nan).view(np.uint64))
    short.view(np.uint32)[missing] = 0x7F8007A2  # a signalling one, which the cast does not keep
    return short


READERS = {
    "array": _resamples,
    "float32": lambda x: _resamples(_single(x)),
    "polars": lambda x: _resamples(pl.DataFrame(x, schema=list("abcd"))),
    "sparse": lambda x: _resamples(sparse.csr_array(np.where(x > 0.8, 0.0, x))),
    "parquet": _parquet,
    "minimum of scores": lambda x: pyfsagg.aggregate(Rankings.from_scores(x), "minimum").to_frame(),
    "maximum of scores": lambda x: pyfsagg.aggregate(Rankings.from_scores(x), "maximum").to_frame(),
    "length of scores": lambda x: pyfsagg.aggregate(Rankings.from_scores(x), "l2_norm").to_frame(),
    "smallest rank": lambda x: pyfsagg.aggregate(
        Rankings.from_normalized_ranks(x), "minimum_rank"
    ).to_frame(),
    "standings": lambda x: pyfsagg.standings(x, random_state=0).to_frame(),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_missing_number_is_one_value_whatever_its_bits(read) -> None:
    foreign = with_foreign_nan(HOLES)
    assert not np.array_equal(foreign.view(np.uint64), HOLES.view(np.uint64))
    bits = foreign.tobytes()
    plain, other = (read(values) for values in (HOLES, foreign))
    assert foreign.tobytes() == bits  # what the user holds stays as it is
    if isinstance(plain, pd.DataFrame):
        pd.testing.assert_frame_equal(plain, other, check_exact=True)
    else:
        assert plain.tobytes() == other.tobytes()
