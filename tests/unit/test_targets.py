"""Targets that are numbers, or not there at all: filters, ensembles and evaluation."""

import inspect

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, spearmanr
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.feature_selection import f_regression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg import discretization, filters, rank_order, unsupervised
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.extending import FILTERS, as_table, check_target, data_hash
from pyfsagg.filters import information_selection
from pyfsagg.listing import list_methods
from pyfsagg.unsupervised.methods import UnsupervisedFilter

X, y = load_diabetes(return_X_y=True, as_frame=True)
RNG = np.random.default_rng(0)
ROWS = RNG.integers(0, len(y), (3, len(y)))


def ranked(name, table=X, numbers=y, **options) -> pyfsagg.ensemble.EnsembleResult:
    return pyfsagg.wam(table, numbers, filter=name, task="regression", **options)


def scores_of(name: str, rows: np.ndarray = ROWS) -> np.ndarray:
    return ranked(name, resampling=pyfsagg.resampling.Rows(rows)).combined


# --- numbers ---------------------------------------------------------------------------------
def test_correlations_are_those_of_scipy_on_the_drawn_rows() -> None:
    for found, rho, rows in zip(scores_of("pearson"), scores_of("spearman"), ROWS, strict=True):
        for j in range(X.shape[1]):
            drawn, numbers = X.iloc[rows, j], y.iloc[rows]
            assert found[j] == pytest.approx(abs(pearsonr(drawn, numbers).statistic), abs=1e-12)
            assert rho[j] == pytest.approx(abs(spearmanr(drawn, numbers).statistic), abs=1e-12)


def test_f_statistic_is_that_of_scikit_learn() -> None:
    for found, rows in zip(scores_of("f_statistic"), ROWS, strict=True):
        np.testing.assert_allclose(found, f_regression(X.iloc[rows], y.iloc[rows])[0], rtol=1e-10)


def test_mrmr_by_correlation_is_the_greedy_difference() -> None:
    found = scores_of("mrmr_correlation", np.arange(len(y))[np.newaxis])[0]
    r = np.abs(np.corrcoef(X.to_numpy(), rowvar=False))
    relevance = np.array([abs(pearsonr(X.iloc[:, j], y).statistic) for j in range(X.shape[1])])
    chosen: list[int] = []
    expected = np.empty(X.shape[1])
    while len(chosen) < X.shape[1]:
        left = [j for j in range(X.shape[1]) if j not in chosen]
        criterion = [relevance[j] - (r[j, chosen].mean() if chosen else 0.0) for j in left]
        best = int(np.argmax(criterion))
        expected[left[best]] = criterion[best]
        chosen.append(left[best])
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_constant_columns_and_a_perfect_fit() -> None:
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=40)
    table = pd.DataFrame({"same": 0.1, "twice": 2 * numbers + 1, "noise": rng.normal(size=40)})
    rows = np.arange(40)[np.newaxis]
    # F of a perfect fit has the residual of rounding as its denominator.
    for name, low, high in (
        ("pearson", 1 - 1e-12, 1 + 1e-12),
        ("spearman", 1 - 1e-12, 1 + 1e-12),
        ("f_statistic", 1e12, np.finfo(float).max),
    ):
        run = ranked(name, table, numbers, resampling=pyfsagg.resampling.Rows(rows))
        same, twice, noise = run.combined[0]
        assert same == 0.0
        assert low <= twice <= high
        assert twice > noise


def test_f_of_a_copy_of_the_target_is_a_finite_number_everywhere() -> None:
    """Its sums and squares, too: in reports, and in the agreement of halves (warnings are errors here)."""
    noise = np.random.default_rng(1).normal(size=(40, 3))
    table, numbers = pd.DataFrame(noise, columns=["copy", "a", "b"]), noise[:, 0]
    run = ranked("f_statistic", table, numbers, n_resamples=20, random_state=0)
    assert run.to_frame().index[0] == "copy"
    assert np.isfinite(run.scores).all()
    assert "copy" in run.summary_text()
    assert "copy" in run.to_html()


def test_entropy_filters_see_bins_of_equal_size() -> None:
    bins = pd.qcut(y, 5, labels=False)
    for name in ("information_gain", "mrmr", "chi_squared"):
        by_class = pyfsagg.wam(X, bins, filter=name, resampling=pyfsagg.resampling.Rows(ROWS))
        np.testing.assert_array_equal(scores_of(name), by_class.combined)


@pytest.mark.parametrize("name", ["pearson", "spearman", "f_statistic", "mrmr_correlation"])
def test_a_count_of_two_is_a_row_written_twice(name: str) -> None:
    weight = np.random.default_rng(3).integers(1, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    twice = ranked(name, X.iloc[rows], y.iloc[rows], n_resamples=4, random_state=5)
    plan = pyfsagg.resampling.Bootstrap(counts=weight)
    weighted = ranked(name, n_resamples=4, random_state=5, resampling=plan)
    np.testing.assert_allclose(twice.combined, weighted.combined, rtol=1e-9)


@pytest.mark.parametrize("name", ["pearson", "spearman", "mrmr_correlation"])
def test_workers_and_the_order_of_rows_change_nothing(name: str) -> None:
    options = {"n_resamples": 20, "random_state": 2, "checks": "none"}
    one, two = (ranked(name, n_jobs=n_jobs, **options) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.combined, two.combined)
    order = np.random.default_rng(4).permutation(len(y))
    shuffled = ranked(name, X.iloc[order], y.iloc[order], **options)
    np.testing.assert_allclose(shuffled.combined, one.combined, atol=1e-12)


def test_estimators_and_functions_see_the_numbers() -> None:
    seen: list[np.ndarray] = []

    def look(features: np.ndarray, numbers: np.ndarray, weight: np.ndarray) -> np.ndarray:
        seen.append(numbers)
        return np.ones(features.shape[1])

    ranked(look, n_resamples=1)
    np.testing.assert_array_equal(seen[0], y)
    forest = RandomForestRegressor(n_estimators=5, random_state=0)
    run = ranked(forest, n_resamples=3, random_state=0)
    assert set(run.select(3)) & {"bmi", "s5"}
    with pytest.raises(DataError, match="'DecisionTreeClassifier' ranks by classes"):
        ranked(DecisionTreeClassifier(), n_resamples=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"filter": "pearson"}, "use task='regression'"),
        ({"filter": "fit_criterion", "task": "regression"}, "Filters for a number: pearson"),
        ({"filter": "pearson", "task": "regression", "y": ["a"] * 442}, "needs numbers"),
        ({"filter": "pearson", "task": "regression", "y": [1.0] * 442}, "is constant"),
        ({"filter": "pearson", "y": [0, 1] * 221}, "ranks by a number"),
        ({"filter": "pearson", "task": "ranking"}, "task must be one of"),
        ({"filter": "pearson", "task": "regression", "resampling": "label_noise"}, "label_noise"),
    ],
)
def test_bad_input_with_numbers(options: dict[str, object], message: str) -> None:
    numbers = options.pop("y", y)
    with pytest.raises((DataError, ParameterError), match=message):
        pyfsagg.wam(X, numbers, n_resamples=2, **options)


WITHOUT_TASK = {
    f"{door.__name__}.{name}": getattr(door, name)
    for door in (filters, rank_order, discretization, unsupervised)
    for name in door.__all__
    if {"X", "y"} <= (known := inspect.signature(getattr(door, name)).parameters.keys())
    and "task" not in known
}


@pytest.mark.parametrize("name", WITHOUT_TASK)
def test_no_function_is_told_to_use_an_argument_that_it_lacks(name: str) -> None:
    """A number where classes are needed: filters send to a function that has a task, others nowhere."""
    more = {"rankings": {"first": np.arange(10.0)}, "sizes": [2]}
    call = WITHOUT_TASK[name]
    known = inspect.signature(call).parameters
    with pytest.raises(DataError) as told:
        call(X.iloc[:60], y=y[:60], **{key: value for key, value in more.items() if key in known})
    text = str(told.value)
    assert "task=" not in text.replace("pyfsagg.wam with task='regression'", "")
    if "different values in 60 samples" in text:
        assert ("pyfsagg.wam" in text) == name.startswith("pyfsagg.filters.")


def test_classes_without_an_order_are_not_told_to_be_a_number() -> None:
    with pytest.raises(
        DataError, match=r"use two classes or binning='equal_width', or rank by pyfsagg\.wam"
    ):
        information_selection(X.iloc[:60], np.arange(60) % 8, binning="kendall")


@pytest.mark.parametrize("bins", [1, 2.5])
def test_a_number_of_bins_that_makes_none(bins: float) -> None:
    with pytest.raises(ParameterError, match="target_bins"):
        pyfsagg.wam(X, y, task=pyfsagg.Task("regression", target_bins=bins), n_resamples=2)


def test_missing_values_and_words_without_order_are_refused_by_name() -> None:
    gaps = X.copy()
    gaps.loc[3, "bmi"] = np.nan
    words = X.assign(site=np.resize(["a", "b", "c"], len(y)))
    for name in ("pearson", "spearman", "mrmr_correlation", "f_statistic"):
        if name != "spearman":  # which uses the rows in which a feature is known
            with pytest.raises(DataError, match="'bmi' has missing values"):
                ranked(name, gaps, n_resamples=2)
        with pytest.raises(DataError, match="'site' is nominal with 3 levels"):
            ranked(name, words, n_resamples=2)


def test_few_different_numbers_make_fewer_bins() -> None:
    target = check_target([0.0] * 9 + [5.0], 10, task="regression")
    assert target.kind == "numeric"
    assert target.n_classes == 2
    assert target.codes.tolist() == [0] * 9 + [1]


# --- no target -------------------------------------------------------------------------------
WINE = pyfsagg.load_dataset("wine")
FEW = {
    "frcm": {"n_clusterings": 10},
    "frmv": {"n_clusterings": 5},
    "laplacian_score": {},
    "svd_entropy": {},
}


def test_the_filters_without_labels() -> None:
    run = pyfsagg.wam(WINE.X, filter="variance", n_resamples=9, random_state=0)
    assert run.select(1) == ["proline"]
    alone = {spec.name for spec in FILTERS if "none" in spec.targets}
    assert alone == {*FEW, "variance", "mad"}


@pytest.mark.parametrize("name", list(FEW))
def test_unsupervised_rankings_are_filters(name: str) -> None:
    table = as_table(WINE.X)
    options = {"filter": name, "filter_params": FEW[name], "checks": "none"}
    few = {"n_resamples": 3, "random_state": 1, **options}
    run, again = (pyfsagg.wam(WINE.X, n_jobs=jobs, **few) for jobs in (1, 2))
    np.testing.assert_array_equal(run.combined, again.combined)
    rows = pyfsagg.resampling.Rows(np.arange(table.n_samples)[np.newaxis])
    whole = pyfsagg.wam(WINE.X, resampling=rows, **options)
    np.testing.assert_array_equal(whole.combined[0], UnsupervisedFilter(name, FEW[name])(table))


def test_labels_make_no_difference_to_them() -> None:
    rows = np.random.default_rng(0).integers(0, 178, (2, 178))
    options = {"filter": "laplacian_score", "resampling": pyfsagg.resampling.Rows(rows)}
    alone = pyfsagg.wam(WINE.X, **options)
    np.testing.assert_array_equal(alone.combined, pyfsagg.wam(WINE.X, WINE.y, **options).combined)
    assert alone.data["target_kind"] == "none"
    assert alone.data["class_counts"] == {}


def test_everything_around_an_ensemble_does_without_a_target(tmp_path) -> None:
    few = ("laplacian_score", "svd_entropy")
    run = pyfsagg.bam(WINE.X, filters=few, n_resamples=4, random_state=0)
    assert run.stability().shape == (3, 5)
    run.save(tmp_path / "run")
    loaded = pyfsagg.ensemble.EnsembleResult.load(tmp_path / "run")
    np.testing.assert_array_equal(loaded.combined, run.combined)
    run.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "without a target" in page
    assert "labels, called" not in page
    options = {"filter": "laplacian_score", "n_resamples": 3}
    assert pyfsagg.influence(WINE.X, n_folds=4, random_state=0, **options).n_folds == 4
    selector = pyfsagg.ensemble.WithinAggregationSelector(n_features_to_select=2, **options)
    assert selector.fit_transform(WINE.X).shape == (178, 2)
    assert not selector._requires_target()
    assert pyfsagg.ensemble.BetweenAggregationSelector()._requires_target()
    mixed = pyfsagg.ensemble.BetweenAggregationSelector(["laplacian_score", "information_gain"])
    assert mixed._requires_target()  # one of them reads it


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "'information_gain' requires y to be passed"),
        (
            {"filter": DecisionTreeClassifier()},
            "Filters that need none: frcm, frmv, laplacian_score",
        ),
        ({"filter": "frcm", "resampling": "stratified_bootstrap"}, "use 'bootstrap'"),
        ({"filter": "frcm", "resampling": "label_noise"}, "the target has none"),
        ({"filter": "frcm", "filter_params": {"clusterings": 3}}, "no parameter 'clusterings'"),
    ],
)
def test_bad_input_without_a_target(options: dict[str, object], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        pyfsagg.wam(WINE.X, n_resamples=2, **options)


def test_the_kind_of_target_is_known_to_the_identity_of_the_data_and_to_the_list_of_filters() -> (
    None
):
    classes, number = check_target(WINE.y, 178), check_target(WINE.X["ash"], 178, task="regression")
    kinds = (classes, number, check_target(None, 178, optional=True))
    assert len({data_hash(as_table(WINE.X), target) for target in kinds}) == 3
    targets = list_methods("filters")["targets"]
    assert targets["frcm"] == "classes, numeric, survival, none"
    assert targets["value_difference_metric"] == "classes"


# --- evaluation ------------------------------------------------------------------------------
QUICK = {"n_features_to_select": [0.3], "n_resamples": 5, "random_state": 0, "task": "regression"}


def test_evaluation_of_a_regression() -> None:
    found = pyfsagg.evaluate(
        X, y, methods=["pearson"], classifiers=["ridge", "knn"], metrics=["r2", "mae", "rmse"],
        protocol="both", **QUICK,
    )  # fmt: skip
    means = found.summary().set_index(["protocol", "method", "classifier", "metric"])["mean"]
    assert 0.3 < means["nested", "pearson", "ridge", "r2"] < 0.6
    assert means["nested", "pearson", "ridge", "mean_absolute_error"] < 60
    assert found.data["target_kind"] == "numeric"
    assert found.classifiers == ["ridge", "nearest_neighbors"]


def test_its_values_are_those_of_scikit_learn() -> None:
    model = Ridge(alpha=3.0)
    found = pyfsagg.evaluate(
        X, y, methods=["pearson"], classifiers=[model], protocol="nested", baselines="all_features",
        **QUICK,
    ).to_frame()  # fmt: skip
    cells = found[found["method"] == "all features"]
    # Folds cover all rows once; the mean of the test sizes is a fifth.
    assert len(cells) == 5
    whole = r2_score(y, model.fit(X, y).predict(X))
    assert cells["value"].mean() < whole


def test_groups_stay_together() -> None:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 6)
    # Rows of a group are copies: a neighbour knows the answer unless the group stays together.
    table = rng.normal(size=(20, 5))[groups] + 1e-6 * rng.normal(size=(120, 5))
    coin = rng.permutation(np.repeat([0, 1], 10))[groups]
    options = {"methods": ["chi_squared"], "classifiers": ["knn"], "n_features_to_select": [1.0]}
    options |= {"baselines": [], "n_resamples": 3, "random_state": 0}
    apart, together = (
        pyfsagg.evaluate(table, coin, **options, protocol=protocol).summary()["mean"]
        for protocol in ("nested", pyfsagg.evaluation.Protocol("nested", groups=groups))
    )
    assert (apart > 0.95).all()
    assert (together < 0.85).all()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"classifiers": ["naive_bayes"]}, UnknownNameError, "unknown regressor"),
        ({"classifiers": [LogisticRegression()]}, ParameterError, "is a classifier"),
        ({"metrics": ["accuracy"]}, ParameterError, "does not belong to a regression; take of r2"),
        ({"groups": [1, 2]}, ParameterError, "2 entries for 442"),
        ({"groups": np.resize([0, 1], 442)}, DataError, "fewer than the 5 folds"),
        ({"n_folds": 100}, DataError, "fewer than two for each"),
    ],
)
def test_bad_input_to_evaluation(options: dict[str, object], error: type, message: str) -> None:
    given = {"methods": ["pearson"], **QUICK, **options}
    own = {name: given.pop(name) for name in pyfsagg.evaluation.Protocol.names() if name in given}
    with pytest.raises(error, match=message):
        pyfsagg.evaluate(X, y, **given, protocol=pyfsagg.evaluation.Protocol(**own))
