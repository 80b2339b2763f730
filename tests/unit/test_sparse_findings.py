"""Sparse tables are looked through as dense ones are, without being made dense."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import pyfsagg
from pyfsagg._table.look import find_in_sparse, find_in_table
from pyfsagg.datasets import check_table
from pyfsagg.exceptions import ParameterError, PyfsaggWarning


def awkward(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """A table with something of everything, and classes."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, n)
    y[:4], y[7] = (0, 1, 0, 1), y[9]
    X = np.where(rng.random((n, 14)) < 0.15, rng.normal(size=(n, 14)), 0.0)
    X[:, 1] = 0.0
    X[:, 2] = 3.0
    X[:, 3] = X[:, 0]
    X[:, 4] = 5.0 * y
    X[:, 5] = np.arange(n)
    X[:, 6] = np.arange(1, n + 1)
    X[:, 7] = rng.permutation(n)
    X[:, 8] = np.where(np.arange(n) < 40, np.nan, X[:, 8])
    X[:, 9] = np.where(np.arange(n) % 9 == 0, -999.0, rng.integers(0, 3, n))
    X[:, 10] = np.where(np.arange(n) == 3, 9.0, y)
    X[:, 11] = np.nan
    X[7] = X[9]
    X[7, 5:8] = X[9, 5:8] + 0.5  # or they would count no more
    return X, y


def assert_same(X: np.ndarray, y: pd.Series | None, task: str = "classification") -> set[str]:
    names = [f"x{j}" for j in range(X.shape[1])]
    dense = find_in_table(pd.DataFrame(X, columns=names), y, task=task)
    seen = {(each.code, each.columns, each.sentence) for each in dense.findings}
    for made in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        found = find_in_sparse(made(X), y, task=task)
        assert found.facts == dense.facts
        assert {(each.code, each.columns, each.sentence) for each in found.findings} == seen
        assert "--drop" not in str(found)
    return {each.code for each in dense.findings}


def test_findings_are_those_of_the_dense_table() -> None:
    X, y = awkward()
    labels = pd.Series(np.where(y, "yes", "no"), name="target")
    seen = assert_same(X, labels)
    assert seen >= {"constant", "duplicate_columns", "target_copy", "near_copy", "code",
                    "mostly_missing"}  # fmt: skip
    X[7, 5:8] = (7, 8, X[9, 7])
    assert assert_same(X, labels) >= {"row_number"}
    assert_same(X, None)
    odd = labels.copy()
    odd[:3] = ["rare", "Yes", None]
    assert assert_same(X, odd) >= {"single_member", "similar_classes", "missing_target"}
    twice = np.vstack([X[20:], X[20:30]])
    double = pd.concat([labels[20:], labels[20:30].map({"yes": "no", "no": "yes"})])
    seen = assert_same(twice, double.reset_index(drop=True))
    assert seen >= {"duplicate_rows", "contradictions"}


def test_numbers_as_target() -> None:
    X, _ = awkward()
    rng = np.random.default_rng(5)
    y = pd.Series(np.where(rng.random(60) < 0.2, rng.normal(size=60), 0.0), name="target")
    X[:, 12] = -2.0 * y
    X[:, 13] = y + 1e-4 * rng.normal(size=60) * (y != 0)
    assert assert_same(X, y, "regression") >= {"target_copy", "near_copy"}


def test_columns_that_go_with_the_target() -> None:
    rng = np.random.default_rng(5)
    X, kind = np.where(rng.random((60, 6)) < 0.2, rng.normal(size=(60, 6)), 0.0), np.arange(60) % 3
    X[:, 2] = np.where(kind == 1, 0.0, np.where(kind == 0, -1.0, 1.0) * (1 + rng.random(60)))
    labels = pd.Series(np.array(["a", "b", "c"])[kind], name="target")
    assert assert_same(X, labels) >= {"separates"}
    X[:, 3] = rng.normal(size=60)
    with pytest.warns(PyfsaggWarning, match=r"without a single exception: 'x2'"):
        pyfsagg.rank(sparse.csr_array(X), labels, filters="ig", n_resamples=4, random_state=0)
    number = pd.Series(np.where(rng.random(60) < 0.2, 1 + rng.random(60), 0.0), name="target")
    X[:, 2] = number**8
    assert assert_same(X, number, "regression") >= {"separates"}
    X[:, 2] = (number > 0) * (1.0 + (number > 1.5))
    assert assert_same(X, number, "regression") >= {"separates"}
    number[:5], X[7:12, 2] = np.nan, np.nan
    assert assert_same(X, number, "regression") >= {"separates"}


@pytest.mark.parametrize("dtype", [np.bool_, np.int8])
def test_other_types(dtype: type) -> None:
    rng = np.random.default_rng(3)
    X = (rng.random((40, 6)) < 0.3).astype(dtype)
    found = find_in_sparse(sparse.csr_matrix(X), pd.Series(np.arange(40) % 2))
    kind = "boolean" if dtype is np.bool_ else "integer"
    assert found.kinds[kind] == 6


def test_a_wide_table_stays_sparse() -> None:
    """200,000 columns of 500 rows would take 800 MB."""
    rng = np.random.default_rng(0)
    cells, shape = 50_000, (500, 200_000)
    places = (rng.integers(0, shape[0], cells), rng.integers(0, shape[1], cells))
    X = sparse.coo_matrix((rng.random(cells), places), shape=shape)
    y = pd.Series(rng.integers(0, 2, 500), name="target")
    tracemalloc.start()
    found = find_in_sparse(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.n_features == 200_000
    assert peak < 200e6


def test_public_function_reads_sparse_tables(tmp_path) -> None:
    X, y = awkward()
    table = sparse.csr_matrix(X)
    found = check_table(table, y)
    assert {"constant", "target_copy"} <= {each.code for each in found.findings}
    sparse.save_npz(tmp_path / "t.npz", table)
    pd.Series(y, name="target").to_csv(tmp_path / "t.target.csv", index=False)
    assert check_table(tmp_path / "t.npz").text() == found.text()
    for arguments, message in (
        ({"target": "x1"}, "columns of a sparse table have no names"),
        ({"nominal": ["x1"]}, "columns of a sparse table have no names"),
        ({"sep": ","}, "sets how a file is read"),
        ({"y": y[:5]}, "y has 5 labels for 60 rows"),
    ):
        with pytest.raises(ParameterError, match=message):
            check_table(table, **arguments)
