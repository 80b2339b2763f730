"""``pyfsagg rank`` on sparse tables."""

import gzip

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from pyfsagg import wam
from pyfsagg.datasets import read_sparse_table
from pyfsagg.datasets._loaders import is_sparse_file
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.exceptions import DataError


@pytest.fixture
def table(tmp_path) -> tuple[sparse.csr_matrix, np.ndarray]:
    """A sparse table, in the folder as ``words.npz`` with labels and as ``words.svmlight``."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.where(rng.random((60, 40)) < 0.1, rng.integers(1, 4, (60, 40)), 0).astype(float)
    X[:, 3] += y
    matrix = sparse.csr_matrix(X)
    sparse.save_npz(tmp_path / "words.npz", matrix)
    pd.Series(y, name="target").to_csv(tmp_path / "words.target.csv", index=False)
    dump_svmlight_file(matrix, y, str(tmp_path / "words.svmlight"))
    return matrix, y


def test_rank_agrees_with_python(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg(
        "rank words.npz --filter ig --n-resamples 20 --seed 1 --n-features-to-select 5 --scratch . "
        "--output out"
    )
    assert "5 of 40 features are selected:" in done.stdout
    found = EnsembleResult.load(tmp_path / "out")
    expected = wam(*table, filter="ig", n_resamples=20, random_state=1)
    np.testing.assert_array_equal(found.combined, expected.combined)
    assert found.select(1) == ["x3"]
    assert found.data["class_counts"] == {"0": 30, "1": 30}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("words.npz", "'mrmr' does not read sparse input. Filters that do: chi_squared"),
        ("words.npz --target class", "--target names columns"),
        ("other.npz --filter ig", "other.npz has no labels: put them into the column"),
        ("nowhere.svmlight --filter ig", "no such file"),
        ("words.npz --filter ig --scratch none", "scratch must be an existing"),
    ],
)
def test_flags_that_a_sparse_table_cannot_obey_are_refused(
    refused, table, arguments, message, tmp_path
) -> None:
    sparse.save_npz(tmp_path / "other.npz", table[0])
    assert message in refused(f"rank {arguments} --output out --quiet")


def test_reading(table, tmp_path) -> None:
    X, y = read_sparse_table(tmp_path / "words.npz")
    again, labels = read_sparse_table(tmp_path / "words.svmlight")
    assert (table[0] != X).nnz == (again != table[0]).nnz == 0
    assert y.tolist() == labels.tolist() == table[1].tolist()
    packed = tmp_path / "words.svm.gz"
    packed.write_bytes(gzip.compress((tmp_path / "words.svmlight").read_bytes()))
    assert is_sparse_file(packed)
    assert (read_sparse_table(packed)[0] != table[0]).nnz == 0
    assert not is_sparse_file("table.csv.gz")


def save_damaged(path, matrix: sparse.csr_matrix, **changes: np.ndarray) -> None:
    """What :func:`scipy.sparse.save_npz` writes, with arrays exchanged and not looked at."""
    parts = {
        "format": np.array(matrix.format.encode()),
        "shape": np.array(matrix.shape),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
    }
    np.savez(path, **{**parts, **changes})


def test_a_damaged_table_ends_in_one_line(refused, table, tmp_path) -> None:
    indices = table[0].indices.copy()
    indices[3] = 77
    save_damaged(tmp_path / "words.npz", table[0], indices=indices)
    assert refused("rank words.npz --filter ig --n-resamples 5 --output out") == (
        "pyfsagg rank: words.npz is a damaged sparse matrix (csr): a cell lies in column 77, and there "
        "are 40, counted from 0; make it anew from its rows, columns and values\n"
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": lambda X: X.indices - 1}, "damaged sparse matrix .csr.: .* column -1"),
        ({"indptr": lambda X: np.sort(X.indptr)[::-1] * 0 + X.nnz}, "index pointer should start"),
        (
            {"indptr": lambda X: np.r_[0, X.nnz, X.indptr[2:]]},
            "indptr falls from .* at row 1",
        ),
        ({"indptr": lambda X: X.indptr[:-1]}, "no SciPy sparse matrix: index pointer size .?60"),
        ({"shape": lambda X: np.array([60, 7])}, "a cell lies in column .*, and there are 7"),
        ({"shape": lambda X: np.array([7, 60])}, "no SciPy sparse matrix: index pointer size .?61"),
        ({"shape": lambda X: np.array([60, 40, 2])}, "no SciPy|two dimensions"),
        ({"format": lambda X: np.array(b"csc")}, "no SciPy sparse matrix: index pointer size"),
        ({"data": lambda X: X.data[:5]}, "no SciPy sparse matrix: .* same size"),
    ],
)
def test_damaged_arrays_in_a_file(table, changes, message: str, tmp_path) -> None:
    made = {name: change(table[0]) for name, change in changes.items()}
    save_damaged(tmp_path / "words.npz", table[0], **made)
    with pytest.raises(DataError, match=f"words.npz .*{message}"):
        read_sparse_table(tmp_path / "words.npz")


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_stored_format_is_read(table, format: str, tmp_path) -> None:
    sparse.save_npz(tmp_path / "words.npz", table[0].asformat(format))
    found, _ = read_sparse_table(tmp_path / "words.npz")
    np.testing.assert_array_equal(found.toarray(), table[0].toarray())


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.svm", b"1 3:1 2:1", "sorted and unique"),
        ("a.svm", b"1 2:1 2:1", "sorted and unique"),
        ("a.svm", b"1 -2:1", "is not a readable svmlight file"),
        ("a.svm", b"1 99999999999:1", "is not a readable svmlight file"),
        ("a.npz", b"no archive", "a.npz contains no SciPy sparse matrix"),
        ("a.svm", b"1 one:2", "a.svm is not a readable svmlight file"),
    ],
)
def test_damaged_files(name: str, content: bytes, message: str, tmp_path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_sparse_table(tmp_path / name)


def test_labels_without_the_column(table, tmp_path) -> None:
    (tmp_path / "words.target.csv").write_text("class\n" + "1\n" * 60)
    with pytest.raises(DataError, match="has no column 'target'"):
        read_sparse_table(tmp_path / "words.npz")
