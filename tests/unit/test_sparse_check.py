"""Damaged sparse matrices are refused before compiled code reads them; odd ones are read rightly."""

import copy
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import bsr_matrix, coo_matrix, csc_matrix, csr_array, csr_matrix, dia_matrix

import pyfsagg
from pyfsagg._table.sparse import SparseTable
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.extending import as_table

FORMATS = ["csr", "csc", "coo", "bsr", "dok", "lil", "dia"]
DENSE = np.zeros((20, 6))
DENSE[np.arange(20), np.arange(20) % 6] = 1.0 + np.arange(20) % 3
DENSE[::2, 1] = 2.0
Y = np.arange(20) % 2


def made(kind: Any, **changes: Any) -> Any:
    """A sound matrix whose arrays are then changed: entries by a dict, or the whole array."""
    X = kind(DENSE)
    for name, change in changes.items():
        if isinstance(change, dict):
            array = getattr(X, name).copy()
            for place, value in change.items():
                array[place] = value
            change = array
        setattr(X, name, change)
    return X


def blocks(X: np.ndarray) -> Any:
    return bsr_matrix(X, blocksize=(2, 3))


def with_keys(*keys: Any) -> Any:
    X = sparse.dok_matrix(DENSE)
    X._dict = dict.fromkeys(keys, 1.0)
    return X


def with_lists(columns: list[Any], values: list[float]) -> Any:
    X = sparse.lil_matrix(DENSE)
    X.rows[3], X.data[3] = columns, values
    return X


DAMAGED = {
    "csr, column too large": (made(csr_matrix, indices={3: 77}), "column 77"),
    "csr, column just too large": (made(csr_matrix, indices={-1: 6}), "column 6"),
    "csr array": (made(csr_array, indices={3: 77}), "column 77, and there are 6"),
    "csr, negative column": (made(csr_matrix, indices={3: -1}), "column -1"),
    "csr, pointer falls": (
        made(csr_matrix, indptr={4: 1000}),
        "falls from 1000 to .* at row 4",
    ),
    "csr, pointer negative": (made(csr_matrix, indptr={4: -5}), "indptr falls"),
    "csr, pointer beyond the end": (
        made(csr_matrix, indptr={-1: 1000}),
        "indptr ends with 1000",
    ),
    "csr, pointer begins late": (made(csr_matrix, indptr={0: 1}), "begins with 1"),
    "csr, pointer too short": (
        made(csr_matrix, indptr=np.zeros(3, np.int32)),
        "3 entries instead of 21 for 20 rows",
    ),
    "csr, shape too small": (made(csr_matrix, _shape=(20, 3)), "there are 3"),
    "csr, shape exchanged": (made(csr_matrix, _shape=(6, 20)), "instead of 7"),
    "csr, fewer values": (made(csr_matrix, data=np.ones(3)), "indices for 3 values"),
    "csr, table of values": (made(csr_matrix, data=np.ones((3, 3))), "2 dimensions"),
    "csc, row too large": (made(csc_matrix, indices={0: 20}), "row 20, and there are 20"),
    "csc, pointer falls": (made(csc_matrix, indptr={1: 30}), "falls .* at column 1"),
    "coo, row": (made(coo_matrix, row={2: 20}), "row 20"),
    "coo, column": (made(coo_matrix, col={2: -7}), "column -7"),
    "coo, fewer values": (made(coo_matrix, data=np.ones(2)), "for 2 values"),
    "bsr, block": (
        made(blocks, indices={0: 2}),
        "block column 2, and there are 2",
    ),
    "bsr, blocks that do not fill": (
        made(bsr_matrix, data=np.ones((9, 3, 3))),
        r"blocks of \(3, 3\) do not fill",
    ),
    "bsr, no blocks": (made(bsr_matrix, data=np.ones(9)), "not that of blocks"),
    "lil, column": (with_lists([77], [1.0]), "column 77"),
    "lil, more values": (with_lists([1], [1.0, 2.0]), "row 3 has 1 columns for 2"),
    "lil, fewer rows": (
        made(sparse.lil_matrix, rows=np.array([[1]], dtype=object)),
        "1 and 20 lists",
    ),
    "dok, column": (with_keys((0, 1), (3, 77)), "column 77"),
    "dok, row": (with_keys((-1, 2)), "row -1"),
    "dok, no pair": (with_keys("a"), "not a pair"),
    "dia, far away": (made(dia_matrix, offsets={0: -(2**31) + 1}), "lies outside"),
    "dia, twice": (made(dia_matrix, offsets={0: 0, 1: 0}), "twice"),
    "dia, fewer": (made(dia_matrix, offsets=np.array([0])), "1 diagonals"),
}


@pytest.mark.parametrize("case", list(DAMAGED))
def test_damage_is_named(case: str) -> None:
    X, message = DAMAGED[case]
    with pytest.raises(DataError, match=f"X is a damaged sparse matrix.*{message}.*; make it anew"):
        pyfsagg.wam(X, Y, n_resamples=3)


@pytest.mark.parametrize("function", ["information_gain", "chi_squared", "near_zero_variance"])
def test_every_reader_of_sparse_tables_refuses(function: str) -> None:
    X = made(csc_matrix, indices={3: 77})
    arguments = (X,) if function == "near_zero_variance" else (X, Y)
    with pytest.raises(DataError, match="row 77"):
        getattr(pyfsagg.filters, function)(*arguments)


@pytest.mark.parametrize(
    "X",
    [
        made(csr_matrix, indices=np.zeros(30)),
        made(csr_matrix, indptr=np.zeros((3, 3), dtype=int)),
        with_lists([1.5], [1.0]),
        with_lists(["a"], [1.0]),
        with_keys((0, 1.5)),
        made(dia_matrix, offsets=np.array([0.5])),
    ],
    ids=["csr", "csr-table", "lil", "lil-text", "dok", "dia"],
)
def test_indices_must_be_whole_numbers(X: Any) -> None:
    with pytest.raises(InputTypeError, match=r"of a sparse matrix must be a list of whole numbers"):
        pyfsagg.wam(X, Y, n_resamples=3)


def test_a_selector_refuses_damaged_new_data() -> None:
    options = {"n_features_to_select": 2, "n_resamples": 5, "random_state": 0}
    selector = pyfsagg.ensemble.WithinAggregationSelector("ig", **options).fit(csr_matrix(DENSE), Y)
    kept = selector.transform(csr_matrix(DENSE)).toarray()
    np.testing.assert_array_equal(kept, DENSE[:, selector.get_support()])
    with pytest.raises(DataError, match="column 77"):
        selector.transform(made(csr_matrix, indices={3: 77}))


def test_a_table_of_too_many_rows_is_refused() -> None:
    X = csc_matrix((2**31, 2), dtype=np.float64)
    with pytest.raises(DataError, match="2147483648 rows; at most 2147483646"):
        as_table(X, sparse=True)


def arrays(X: Any) -> list[np.ndarray]:
    """Copies of everything that a matrix is made of."""
    names = ("data", "indices", "indptr", "row", "col", "offsets", "rows")
    found = [copy.deepcopy(getattr(X, name)) for name in names if hasattr(X, name)]
    return found if X.format != "dok" else [np.array(list(X.items()), dtype=object)]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_dense_table_and_is_left_alone(format):
    for dtype in [np.float64, np.float32, np.int8, np.uint64, np.bool_]:
        for kind in ["matrix", "array"]:
            dense = DENSE.astype(dtype)
            X = getattr(sparse, f"{format}_{kind}")(dense)
            before = arrays(X)
            table = as_table(X, sparse=True)
            assert isinstance(table, SparseTable)
            read = np.column_stack([table.column(j) for j in range(6)])
            np.testing.assert_array_equal(read, dense.astype(np.float64))
            for old, new in zip(before, arrays(X), strict=True):
                np.testing.assert_array_equal(old, new)


def doubled(format: str, dtype: Any) -> Any:
    """100 stored twice at (0, 0), once at (1, 0), unsorted; flags that say that all is in order."""
    data = np.array([1, 100, 100, 100]).astype(dtype)
    shape = (3, 2)
    if format == "coo":
        X = coo_matrix((data, ([0, 0, 1, 0], [1, 0, 0, 0])), shape)
        X.has_canonical_format = True
        return X
    if format == "bsr":
        return bsr_matrix((data[:, None, None], [1, 0, 0, 0], [0, 3, 4, 4]), shape)
    by_row = csr_matrix((data, [1, 0, 0, 0], [0, 3, 4, 4]), shape)
    by_column = csc_matrix((data[[1, 2, 3, 0]], [1, 0, 0, 0], [0, 3, 4]), shape)
    X = by_row if format == "csr" else by_column
    X.has_sorted_indices = X.has_canonical_format = True
    return X


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr"])
def test_doubles_add_up_whatever_their_type_and_order(format):
    for dtype in (np.float64, np.float32, np.int8, np.uint8, bool):
        X = doubled(format, dtype)
        before = arrays(X)
        table = as_table(X, sparse=True)
        assert isinstance(table, SparseTable)
        total, single = (1.0, 1.0) if dtype is bool else (200.0, 100.0)
        assert table.column(0).tolist() == [total, single, 0.0]
        assert table.column(1).tolist() == [1.0, 0.0, 0.0]
        assert table.rows.tolist() == [0, 1, 0]
        for old, new in zip(before, arrays(X), strict=True):
            np.testing.assert_array_equal(old, new)


def test_levels_of_doubles_do_not_overflow() -> None:
    table = as_table(doubled("csr", np.int8), nominal=[0], sparse=True)
    assert table.levels[0] == (0, 100, 200)
    assert table.column(0).tolist() == [2.0, 1.0, 0.0]


@pytest.mark.parametrize("second", [np.inf, -np.inf, 1.7e308])
def test_infinite_sums_are_refused(second: float) -> None:
    first = np.inf if second == -np.inf else second
    X = coo_matrix(([first, second, 1.0], ([0, 0, 1], [0, 0, 1])), (2, 2))
    with pytest.raises(DataError, match=r"\(inf"):
        as_table(X, sparse=True)


def test_room_left_over_at_the_end_is_no_damage() -> None:
    X = made(csr_matrix)
    X.data, X.indices = np.append(X.data, [9.0, 9.0]), np.append(X.indices, [99, -1])
    table = as_table(X, sparse=True)
    np.testing.assert_array_equal(table.column(1), DENSE[:, 1])
    assert X.data.size == X.indptr[-1] + 2
