"""Within- and between-aggregation: what is computed, from what, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

import pyfsagg
from pyfsagg import Checks, Execution, Task, bam, load_dataset, wam
from pyfsagg.aggregation import aggregate
from pyfsagg.ensemble import EnsembleResult, Precision, core, data, scoring
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    ParameterError,
    PyfsaggWarning,
    UnknownNameError,
)
from pyfsagg.extending import as_table, check_target
from pyfsagg.filters import information_gain, mrmr, symmetric_uncertainty
from pyfsagg.resampling import (
    Bootstrap,
    FeatureSubspace,
    GroupedBootstrap,
    Rows,
    Subsample,
    draw_resamples,
)
from pyfsagg.resampling.plan import PLANS

IONOSPHERE = load_dataset("ionosphere")
WINE = load_dataset("wine")


def ranked(X: Any = WINE.X, y: Any = WINE.y, **options: Any) -> EnsembleResult:
    return wam(X, y, **{"n_resamples": 5, "random_state": 0, **options})


def told_by(X: Any = WINE.X, y: Any = WINE.y, **options: Any) -> tuple[Any, list[tuple[int, int]]]:
    """A run and the steps that it tells."""
    told: list[tuple[int, int]] = []
    tell = Execution(progress=lambda *step: told.append(step))
    return ranked(X, y, execution=tell, **options), told


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(3).integers(0, 178, size=(7, 178))


def drawn(rows: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    return WINE.X.iloc[rows].reset_index(drop=True), WINE.y.iloc[rows].to_numpy()


def test_wam_and_bam_by_hand(rows: np.ndarray) -> None:
    result = wam(WINE.X, WINE.y, filter="su", resampling=Rows(rows))
    by_hand = np.array([symmetric_uncertainty(*drawn(r)) for r in rows])
    np.testing.assert_array_equal(result.score_matrices["symmetric_uncertainty"], by_hand)
    np.testing.assert_allclose(result.scores, by_hand.mean(axis=0), rtol=1e-14)
    order = np.argsort(-result.scores, kind="stable")
    assert result.select(13) == [WINE.X.columns[j] for j in order]
    assert result.n_resamples == 7
    result = bam(WINE.X, WINE.y, filters=["ig", "mrmr"], resampling=Rows(rows))
    expected = []
    for r in rows:
        both = [information_gain(*drawn(r)), mrmr(*drawn(r))]
        expected.append(np.mean([(s - s.min()) / (s.max() - s.min()) for s in both], axis=0))
    np.testing.assert_allclose(result.combined, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(result.scores, np.mean(expected, axis=0), rtol=1e-12)
    assert list(result.score_matrices) == ["information_gain", "mrmr"]


def test_scores_that_are_infinite_and_normalisation_over_rows_or_columns() -> None:
    matrix = np.zeros((4, 3))
    matrix[1, 2] = matrix[2, 0] = np.inf
    message = "the filter 'own' gave an infinite score for 'c' in resample 1; scores must be finite"
    with pytest.raises(DataError, match=message):
        scoring._check_scores("own", matrix, list("abc"), core.MatrixStore())
    scores = np.array([[1.0, 3.0, 2.0], [5.0, 5.0, np.nan]])
    for way, expected in (
        ("per_resample", [[0.0, 1.0, 0.5], [0.0, 0.0, np.nan]]),
        ("per_feature", [[0.0, 0.0, 0.0], [1.0, 1.0, np.nan]]),
    ):
        np.testing.assert_array_equal(core.normalize_scores(scores, way), expected)


def test_one_pass_gives_what_three_runs_give_whatever_the_workers() -> None:
    names = ["information_gain", "gain_ratio", "symmetric_uncertainty"]
    how = {"n_resamples": 20, "random_state": 1}
    together = bam(WINE.X, WINE.y, filters=names, **how)
    for name in names:
        alone = wam(WINE.X, WINE.y, filter=name, **how)
        np.testing.assert_array_equal(together.score_matrices[name], alone.combined)
    one, many = (bam(IONOSPHERE.X, IONOSPHERE.y, n_jobs=n, **how) for n in (1, 3))
    for label, matrix in one.score_matrices.items():
        np.testing.assert_array_equal(matrix, many.score_matrices[label])
    assert one.to_json() == many.to_json()


def test_the_order_of_features_and_rows_and_the_names_of_classes_change_nothing() -> None:
    rng = np.random.default_rng(0)
    one = ranked(n_resamples=25)
    other = ranked(WINE.X.iloc[:, rng.permutation(13)], n_resamples=25)
    by_name = dict(zip(other.feature_names, other.scores, strict=True))
    assert [by_name[name] for name in one.feature_names] == one.scores.tolist()
    shuffle = rng.permutation(178)
    renamed = WINE.y.map({"class_0": "z", "class_1": "y", "class_2": "x"})
    other = ranked(WINE.X.iloc[shuffle], renamed.iloc[shuffle], n_resamples=25)
    np.testing.assert_array_equal(one.combined, other.combined)


@pytest.mark.parametrize("plan", PLANS.names())
def test_a_plan_is_the_filter_on_what_each_resample_sees(plan: str) -> None:
    groups = np.random.default_rng(1).permutation(178) // 2
    chosen = GroupedBootstrap(groups) if plan == "grouped_bootstrap" else plan
    result = wam(WINE.X, WINE.y, resampling=chosen, n_resamples=6, random_state=3).combined
    table = as_table(WINE.X)
    drawn = draw_resamples(table, check_target(WINE.y, 178), chosen, n_resamples=6, seed=3)
    if plan == "grouped_bootstrap":
        pairs = drawn.weights[:, np.argsort(groups, kind="stable")].reshape(6, 89, 2)
        np.testing.assert_array_equal(pairs[:, :, 0], pairs[:, :, 1])
    everything = np.ones((6, 13), dtype=bool)
    for r, features in enumerate(everything if drawn.features is None else drawn.features):
        rows = np.repeat(np.arange(178), drawn.weights[r])
        labels = drawn.labels_of(slice(r, r + 1))[0]
        expected = np.full(13, np.nan)
        expected[features] = information_gain(drawn.table_of(r, table).values[rows], labels[rows])
        np.testing.assert_array_equal(result[r], expected)


@pytest.mark.parametrize("plan", [name for name in PLANS.names() if name != "grouped_bootstrap"])
def test_stability_of_a_plan_needs_a_score_everywhere(plan: str) -> None:
    how = {"resampling": plan, "n_resamples": 12, "random_state": 0}
    result = bam(WINE.X, WINE.y, filters=["ig", "mrmr"], **how)
    assert np.isfinite(result.scores).all()
    assert np.isnan(result.combined).any() == (plan == "feature_subspace")
    if plan == "feature_subspace":
        with pytest.raises(DataError, match="missing scores"):
            result.stability()
        assert result.to_frame()["selection_frequency"].between(0.0, 1.0).all()
    else:
        assert np.isfinite(result.stability().to_numpy()).all()


def test_a_remark_on_the_resamples_names_the_filter() -> None:
    """Cut points by MDL leave a column of noise in one piece: all scores of a resample are 0."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    filters = ["information_gain", "gain_ratio", "anova"]
    result = bam(X, np.arange(40) % 2, filters=filters, n_resamples=12, random_state=0)
    with pytest.warns(PyfsaggWarning, match="have the same score for all features") as caught:
        result.stability()
    said = [str(each.message).partition(":")[0] for each in caught]
    assert said == ["Information gain", "Gain ratio"]


@pytest.mark.parametrize("aggregator", ["gm", "l2", "median", "min", "max", "mean_rank"])
def test_aggregators(aggregator: str) -> None:
    result = ranked(filter="cs", aggregator=aggregator)
    expected = aggregate(result.combined, aggregator).scores
    np.testing.assert_allclose(result.scores, expected, rtol=1e-12)


def corner(X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> np.ndarray:
    """A filter of the user's own: weighted absolute covariance with the first class."""
    centred = X - np.average(X, axis=0, weights=sample_weight)
    return np.abs(((y == np.unique(y)[0]) * sample_weight) @ centred)


MODELS = [RandomForestClassifier(10), LogisticRegression(C=0.01, solver="liblinear")]


@pytest.mark.parametrize("filter", [corner, *MODELS])
def test_a_function_or_an_estimator_is_a_filter(filter: Any) -> None:
    y, how = WINE.y == "class_0", {"n_resamples": 4, "random_state": 0}
    result, again = (bam(WINE.X, y, filters=["ig", filter], n_jobs=n, **how) for n in (None, 2))
    label = "corner" if filter is corner else type(filter).__name__
    assert list(result.score_matrices) == ["information_gain", label]
    np.testing.assert_array_equal(result.scores, again.scores)
    assert not hasattr(filter, "classes_"), "the caller's estimator is not fitted"


def test_near_constant_features_are_left_out() -> None:
    task = Task(drop_near_zero_variance=True)
    result = ranked(IONOSPHERE.X, IONOSPHERE.y, task=task)
    assert "V2" in result.data["dropped_features"]
    assert "V2" not in result.feature_names
    assert result.n_features == 34 - len(result.data["dropped_features"])
    result = ranked(IONOSPHERE.X, IONOSPHERE.y)
    assert (result.scores[1], result.ranking[1]) == (0.0, 34.0)  # where they are not
    # One column may be left.
    X = WINE.X[["flavanoids"]].assign(rare=np.arange(len(WINE.y)) == 0)
    result = ranked(X, task=task)
    assert result.select(1) == ["flavanoids"]
    assert result.data["dropped_features"] == ["rare"]


def test_unknown_methods_plans_and_numbers_of_resamples_are_refused() -> None:
    for options, error, message in (
        ({"filter": "infogian"}, UnknownNameError, "unknown filter 'infogian'; did you mean"),
        ({"filter": 3}, InputTypeError, "a filter must be a name, a scikit-learn estimator"),
        ({"aggregator": "artihmetic_mean"}, UnknownNameError, "did you mean 'arithmetic_mean'"),
        ({"filter_params": {"mdll": 1}}, ParameterError, "no parameter 'mdll'; it takes: mdl"),
        ({"filter_params": {"mdl": "r"}}, ParameterError, "mdl must be one of"),
        ({"n_resamples": 0}, ParameterError, "n_resamples"),
        ({"resampling": Rows([[0, 999]])}, ParameterError, "between 0 and 177"),
        (
            {"resampling": Bootstrap(sample_weight=np.full(178, 0.5))},
            ParameterError,
            "whole numbers",
        ),
        (
            {"resampling": Bootstrap(sample_weight=np.ones(3))},
            ParameterError,
            "one number per sample",
        ),
        ({"resampling": "boostrap"}, UnknownNameError, "did you mean 'bootstrap'"),
        ({"resampling": 3}, InputTypeError, "a plan such as pyfsagg.resampling.Subsample"),
        ({"resampling": Subsample}, InputTypeError, "a plan such as pyfsagg.resampling.Subsample"),
        ({"task": 3}, InputTypeError, "a name or a pyfsagg.Task"),
        ({"execution": {"scratch": "."}}, InputTypeError, "must be a pyfsagg.Execution"),
        ({"aggregator_params": {"shift": 1}}, ParameterError, "no option 'shift'"),
        ({"filter": "mrmr", "aggregator": "gm"}, DataError, r"at least 0.*shift='minimum'"),
        ({"n_resamples": "many"}, ParameterError, "a number or 'auto', got 'many'"),
        ({"n_resamples": "auto", "resampling": "k_fold"}, ParameterError, "'auto'.*give a number"),
        ({"n_resamples": "auto", "resampling": Rows([[0, 1]])}, ParameterError, "give a number"),
        ({"n_resamples": Precision(), "resampling": Rows([[0, 1]])}, ParameterError, "a number"),
    ):
        with pytest.raises(error, match=message):
            ranked(**options)
    for options, error, message in (
        ({"filters": ["ig"]}, ParameterError, "at least two filters"),
        ({"filters": "ig"}, ParameterError, "at least two filters"),
        ({"filters": ["ig", "infogain"]}, ParameterError, "'information_gain' is given twice"),
        ({"normalize": "rows"}, ParameterError, "normalize must be one of"),
        ({"filter_params": {"spearman": {}}}, ParameterError, "not among the filters"),
    ):
        with pytest.raises(error, match=message):
            bam(WINE.X, WINE.y, **{"n_resamples": 5, **options})
    for given, message in (
        ({"maximum": 10}, "of at least 100"),
        ({"max_change": 0}, "max_change must be"),
        ({"tpo": 3}, "precision has no parameter 'tpo'; it takes: max_change, top, maximum"),
    ):
        with pytest.raises(ParameterError, match=message):
            Precision.of(given)
    with pytest.raises(ParameterError, match="sample_weight cannot be given with them"):
        Rows([[0, 1]], sample_weight=np.ones(178))


def test_the_usual_filters_follow_the_kind_of_target() -> None:
    """Ranks where the target has an order and all columns have one; else filters that count."""
    counting = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared")
    ranks = ("spearman", "information_gain")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 4)), columns=list("abcd"))
    X["two"] = rng.choice(["u", "v"], 40)
    X.loc[3, "a"] = np.nan
    number = rng.normal(size=40)
    times = np.column_stack([rng.exponential(size=40), rng.random(40) < 0.7])
    words = X.assign(three=rng.choice(["u", "v", "w"], 40))
    grouped = Task("regression", feature_groups={"one": ["b", "c"]})
    for table, target, task, expected in (
        (X, np.arange(40) % 2, "classification", counting),
        (X, number, "regression", ranks),
        (X, times, "survival", ranks),
        (words, number, "regression", counting),
        (X, number, grouped, counting),
        (X, number, Task("regression", adjust=["two"]), counting),
    ):
        how = {"task": task, "n_resamples": 4, "random_state": 0, "checks": "none"}
        assert tuple(bam(table, target, **how).score_matrices) == expected
        named = bam(table, target, filters=expected, **how)
        np.testing.assert_array_equal(bam(table, target, **how).scores, named.scores)
    assert tuple(pyfsagg.rank(X, number, task="regression", n_resamples=4).score_matrices) == ranks
    few = {"classifiers": ["ridge"], "n_resamples": 2, "random_state": 0, "task": "regression"}
    cells = pyfsagg.evaluate(X, number, methods={"bam": {"filters": "auto"}}, **few).cells
    same = pyfsagg.evaluate(X, number, methods={"bam": {"filters": ranks}}, **few).cells
    pd.testing.assert_frame_equal(cells, same)
    how = {"n_features_to_select": 2, "task": "regression", "n_resamples": 4}
    selector = pyfsagg.ensemble.BetweenAggregationSelector(**how)
    chosen = selector.fit(X.drop(columns="two"), number)
    assert tuple(chosen.result_.score_matrices) == ranks


def test_progress_is_told_to_the_last_shuffled_target() -> None:
    for more, total in (
        ({"checks": "none"}, 20),
        # Pairs of halves, the table with the true and with shuffled targets, halves with these.
        ({}, 20 + 2 * 2 + 1000 + 2 * 2),
        ({"n_jobs": 2}, 20 + 2 * 2 + 1000 + 2 * 2),
        ({"checks": Checks(shuffles=5)}, 20 + 2 * 2 + 6 + 2 * 2),
    ):
        _, told = told_by(n_resamples=20, **more)
        done = [step for step, _ in told]
        assert {total for _, total in told} == {total}
        assert (done[0], done[-1]) == (0, total)
        assert done == sorted(set(done))
        assert max(np.diff(done)) <= 8  # whatever part it is in


def test_progress_of_other_runs() -> None:
    checks = Checks(pairs=0, shuffles=6)
    run = {"filter": "spearman", "task": "regression", "n_resamples": 8, "checks": checks}
    _, told = told_by(y=np.arange(178.0), **run)
    assert told == [(0, 15), (8, 15), *((9 + k, 15) for k in range(7))]
    result, told = told_by(n_resamples=40, resampling=FeatureSubspace(fraction=0.2))
    assert told[-1] == (told[-1][1], 40 + 2 * 5 + 1000 + 2 * 5)
    result, told = told_by(n_resamples="auto", checks=Checks(shuffles=3))
    done = [step for step, _ in told]
    assert done == sorted(set(done))
    m, pairs, shuffles = (result.parameters[name] for name in ("n_resamples", "pairs", "shuffles"))
    total = m + 2 * pairs["n_pairs"] + 4 + 2 * shuffles["n_pairs"]
    assert told[-1] == (total, total)


def test_the_number_of_resamples_follows_from_a_precision() -> None:
    X, y = IONOSPHERE.X, IONOSPHERE.y
    auto = ranked(X, y, n_resamples=Precision(max_change=0.05))
    record = auto.parameters["precision"]
    assert record["reached"]
    assert record["expected_change"] <= 0.05
    assert auto.parameters["n_resamples"] == auto.n_resamples
    fixed = ranked(X, y, n_resamples=auto.n_resamples)
    np.testing.assert_array_equal(auto.combined, fixed.combined)
    np.testing.assert_array_equal(auto.scores, fixed.scores)
    assert ranked(X, y, n_resamples=Precision(max_change=0.2)).n_resamples < auto.n_resamples
    how = {"aggregator": "mean_rank", "n_resamples": Precision(max_change=0.2, top=4)}
    found = bam(X, y, filters=["ig", "su"], random_state=3, **how)
    assert found.parameters["precision"]["reached"]
    X, y = np.random.default_rng(0).normal(size=(40, 30)), np.repeat([0, 1], 20)
    with pytest.warns(PyfsaggWarning, match="do not reach the requested precision"):
        result = ranked(X, y, filter="cs", n_resamples=Precision(max_change=1e-6, maximum=150))
    assert result.n_resamples == 150
    assert not result.parameters["precision"]["reached"]


def test_files_summary_and_report_look_at_the_resamples_once(monkeypatch, tmp_path) -> None:
    calls = []
    count = data.feature_stability

    def counted(*args, **keywords):
        calls.append(keywords["n_features_to_select"])
        return count(*args, **keywords)

    monkeypatch.setattr(data, "feature_stability", counted)
    result = ranked(filter="chi_squared")
    result.save(tmp_path / "run")
    result.summary_text()
    result.report(tmp_path / "report.html")
    assert calls == [result.selection().compared]
    first = result.to_frame(result.selection(5))
    first["rank"] = 0.0  # a caller may write into what it is given
    assert (result.to_frame(result.selection(5))["rank"] > 0).all()
    assert calls == [result.selection().compared, 5]


@pytest.mark.parametrize("run", [wam, bam])
@pytest.mark.parametrize("resampling", ["bootstrap", "feature_subspace"])
def test_a_single_column_is_ranked_and_its_stability_is_not_defined(run, resampling) -> None:
    """It is first of one; what is shown of other tables is shown, and nothing warns."""
    X = WINE.X[["flavanoids"]]
    result = run(X, WINE.y, n_resamples=50, resampling=resampling, random_state=0)
    assert result.ranking.tolist() == [1.0]
    assert result.select(1) == result.select() == ["flavanoids"]
    reason = "a single feature has one ranking only"
    for measured in (result.stability, result.between_sample_stability):
        with pytest.raises(DataError, match=reason):
            measured()
    assert " ".join(result.summary_text().split()).count(reason) == 2
    assert reason in result.to_html()
    assert reason in result.to_json()
