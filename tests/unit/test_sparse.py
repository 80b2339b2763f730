"""Sparse tables: what is read, what is refused, and runs that equal those of the dense table."""

import os

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import pyfsagg
from pyfsagg._table.sparse import SparseTable
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.extending import FILTERS, as_table

SPARSE_FILTERS = [spec.name for spec in FILTERS if spec.sparse]
OTHERS = [spec.name for spec in FILTERS if not spec.sparse]


def wide(n: int = 60, p: int = 30, seed: int = 0):
    """Counts of which nine in ten are zero, with signal in the first three columns."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = np.where(rng.random((n, p)) < 0.1, rng.integers(1, 5, (n, p)), 0)
    for j in range(3):
        X[:, j] = np.where(rng.random(n) < 0.7, y * (j + 1), X[:, j])
    return X, y


def test_the_counting_filters_read_sparse_tables():
    counting = "chi_squared cramers_v value_difference_metric"
    assert f"{counting} information_gain gain_ratio symmetric_uncertainty".split() == SPARSE_FILTERS
    assert pyfsagg.list_methods("filters")["sparse"].sum() == len(SPARSE_FILTERS)


VARYING = pyfsagg.Task(drop_near_zero_variance=True)
FOUR = ["ig", "su", "chi_squared", "vdm"]
PLANS = ["stratified_bootstrap", "subsample", "k_fold", "feature_subspace", "label_noise"]
RUNS = [
    *({"filter": name, "n_resamples": 20, "n_jobs": 2} for name in SPARSE_FILTERS),
    *({"filter": name, "n_resamples": 20, "task": VARYING} for name in SPARSE_FILTERS),
    *({"resampling": plan, "n_resamples": 8} for plan in PLANS),
    {"filters": FOUR, "aggregator": "mean_rank", "n_resamples": 10, "checks": "auto"},
    {"filter": "chi_squared", "task": "regression", "n_resamples": 5},
]


@pytest.mark.parametrize("options", RUNS, ids=str)
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array])
def test_a_run_equals_that_of_the_dense_table(options, form):
    X, y = wide()
    if options.get("task") == "regression":
        y = y + np.random.default_rng(1).normal(size=len(y))
    run = pyfsagg.bam if "filters" in options else pyfsagg.wam
    dense, found = (
        run(table, y, **{"checks": "none", **options}, random_state=3) for table in (X, form(X))
    )
    for name in ("combined", "scores", "ranking"):
        np.testing.assert_array_equal(getattr(found, name), getattr(dense, name))
    assert found.feature_names == dense.feature_names
    assert found.data == dense.data
    if options["n_resamples"] == 20:
        assert set(found.select(3)) == {"x0", "x1", "x2"}


def test_influence_equals_that_of_the_dense_table():
    X, y = wide()
    options = {"aggregators": ["am", "rra"], "n_folds": 3, "n_resamples": 5, "random_state": 1}
    dense, found = (pyfsagg.influence(table, y, **options) for table in (X, sparse.csr_matrix(X)))
    np.testing.assert_array_equal(found.table(), dense.table())


def test_a_selector_between_a_vectorizer_and_a_classifier():
    words = np.array(["cheap", "offer", "now", "meeting", "agenda", "minutes", "the", "a"])
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    texts = [" ".join(rng.choice(words[[0, 1, 2, 6, 7] if k else 3 + np.arange(5)], 6)) for k in y]
    options = {"n_features_to_select": 4, "n_resamples": 20, "random_state": 0}
    selector = pyfsagg.ensemble.WithinAggregationSelector("su", **options)
    model = make_pipeline(CountVectorizer(), selector, MultinomialNB()).fit(texts, y)
    assert model.score(texts, y) > 0.9
    names = model[0].get_feature_names_out()[model[1].get_support()]
    assert "the" not in names
    dense = clone(selector).fit(model[0].transform(texts).toarray(), y)
    np.testing.assert_array_equal(dense.scores_, model[1].scores_)


def test_the_functions_read_sparse_tables():
    X, y = wide()
    S = sparse.csr_matrix(X)
    weight = np.random.default_rng(0).integers(0, 3, len(y))
    for name in SPARSE_FILTERS:
        function, options = (
            getattr(pyfsagg.filters, name),
            {"nominal": [2], "sample_weight": weight},
        )
        np.testing.assert_array_equal(function(S, y, **options), function(X, y, **options))
    kept = pyfsagg.filters.near_zero_variance(S).to_frame()
    np.testing.assert_array_equal(kept, pyfsagg.filters.near_zero_variance(X).to_frame())


def test_stored_zeros_duplicates_and_the_input_itself():
    """A stored zero is a zero; entries stored twice add up; the matrix handed over stays."""
    rows, columns, values = [0, 0, 1, 2, 2], [0, 0, 1, 0, 1], [1.0, 2.0, 0.0, 4.0, np.nan]
    S = sparse.coo_matrix((values, (rows, columns)), shape=(3, 2))
    before = S.copy()
    table = as_table(S, sparse=True)
    assert isinstance(table, SparseTable)
    assert table.cells.tolist()[:2] == [3.0, 4.0]
    assert table.start.tolist() == [0, 2, 3]
    np.testing.assert_array_equal(table.column(1), [0.0, 0.0, np.nan])
    assert (S.data[:4] == before.data[:4]).all()
    assert S.nnz == before.nnz
    assert as_table(table, sparse=True) is table
    assert as_table(S, sparse=True, feature_names=["a", "b"]).feature_names == ("a", "b")


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        (sparse.csr_matrix(np.eye(3) * 1j), {}, DataError, "Complex data not supported"),
        (sparse.csr_matrix(np.diag([1.0, np.inf, 1])), {}, DataError, "'x1' has an inf.* row 2"),
        (sparse.csr_matrix((3, 4)), {}, DataError, "every feature is constant"),
        (sparse.csr_matrix(np.ones((3, 4))), {}, DataError, "every feature is constant"),
        (sparse.csr_matrix(np.eye(3)[:1]), {}, DataError, r"1 sample\(s\)"),
        (sparse.csr_matrix(np.eye(3)[:, :1]), {}, DataError, r"1 feature\(s\)"),
        (sparse.csr_matrix(np.eye(3)), {"feature_names": ["a"]}, ParameterError, "1 names for 3"),
        (sparse.csr_matrix(np.eye(2)), {"feature_names": ["a", "a"]}, DataError, "duplicate"),
        (sparse.csr_matrix(np.eye(3)), {"nominal": ["b"]}, ParameterError, "column 'b'"),
    ],
)
def test_what_is_no_sparse_table(X, options, error, message):
    with pytest.raises(error, match=message):
        as_table(X, sparse=True, **options)


@pytest.mark.parametrize("name", OTHERS)
def test_other_filters_refuse_and_name_those_that_do(name):
    X, y = wide()
    targets = FILTERS.get(name).targets
    kinds = {"classes": "classification", "numeric": "regression", "survival": "survival"}
    task = next(task for kind, task in kinds.items() if kind in targets)
    if task == "survival":
        y = np.column_stack([np.arange(1, len(y) + 1), y])
    with pytest.raises(InputTypeError, match=f"'{name}' does not read sparse.*{SPARSE_FILTERS[0]}"):
        pyfsagg.wam(sparse.csr_matrix(X), y, filter=name, task=task, n_resamples=2)


def spread(X, y, sample_weight):
    return X.T @ sample_weight


def test_functions_as_filters_and_noise_on_cells_are_refused():
    X, y = wide()
    with pytest.raises(InputTypeError, match=r"'spread' does not read sparse.* 1 MB fit"):
        pyfsagg.wam(sparse.csr_matrix(X), y, filter=spread, n_resamples=2)
    with pytest.raises(DataError, match=r"value_noise.*sparse; use another plan"):
        pyfsagg.wam(sparse.csr_matrix(X), y, resampling="value_noise", n_resamples=2)


def test_what_needs_a_dense_table_says_so():
    X, y = wide()
    for name in ("mrmr", "spearman"):
        with pytest.raises(InputTypeError, match=f"{name!r} does not read sparse input.*toarray"):
            pyfsagg.filters.score_features(sparse.csr_matrix(X), y, name)
    message = r"sparse input is read by wam, bam .*toarray"
    for function in (pyfsagg.discretization.discretize, pyfsagg.evaluate):
        with pytest.raises(InputTypeError, match=message):
            function(sparse.csr_matrix(X), y)
    with pytest.raises(InputTypeError, match=message):
        pyfsagg.unsupervised.frcm(sparse.csr_matrix(X))


@pytest.mark.skipif("PYFSAGG_DATA" not in os.environ, reason="needs the local data folder")
@pytest.mark.parametrize(("name", "step"), [("dexter", 5), ("dorothea", 20)])
@pytest.mark.parametrize("filter", ["information_gain", "chi_squared"])
def test_real_tables_equal_their_dense_form(name, step, filter):
    data = pyfsagg.load_dataset(name)
    some = data.X[:, ::step]
    options = {"filter": filter, "n_resamples": 3, "random_state": 1}
    dense = pyfsagg.wam(some.toarray(), data.y, **options)
    found = pyfsagg.wam(some, data.y, **options)
    np.testing.assert_array_equal(found.combined, dense.combined)
    assert found.data == dense.data
