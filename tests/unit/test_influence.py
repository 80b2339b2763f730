"""Influence of the aggregator: what is computed in a fold, tables, comparisons, and refusals."""

import json

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg import Execution, influence, load_dataset
from pyfsagg.aggregator_influence import InfluenceResult, compare_aggregators
from pyfsagg.aggregator_influence.experiments import _fold_seed
from pyfsagg.aggregator_influence.result import over_data_sets, with_options
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Rows, draw_resamples
from pyfsagg.score_tables.question import StandingsOptions
from pyfsagg.stability_measures.measure import measure_stability

WINE = load_dataset("wine")
AGGREGATORS = ["arithmetic_mean", "geometric_mean", "robust_rank_aggregation"]


def small(**options: object) -> InfluenceResult:
    options = {"n_folds": 8, "n_resamples": 15, "random_state": 3, **options}
    return influence(WINE.X, WINE.y, **options)


@pytest.fixture(scope="module")
def result() -> InfluenceResult:
    return small(aggregators=["am", "gm", "rra"])


def made_of(scores: dict[str, np.ndarray], **parameters: object) -> InfluenceResult:
    """A result from given scores of folds, one filter."""
    names = tuple(f"f{j}" for j in range(next(iter(scores.values())).shape[1]))
    by_filter = {("information_gain", name): matrix for name, matrix in scores.items()}
    how = {"filters": ["information_gain"], "method": "wam", "n_resamples": 1, "seed": 0}
    return InfluenceResult(by_filter, names, parameters={**how, **parameters}, versions={})


def fold_rows(fold: int, n_folds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the training part, and the rows (in it) of its bootstraps."""
    ensemble = Ensemble(["ig"], n_resamples=n_folds, resampling="k_fold")
    run = set_up_run(WINE.X, WINE.y, ensemble, random_state=seed)
    kept = run.resamples.weights[fold]
    drawn = draw_resamples(
        run.table, run.target, n_resamples=6, seed=_fold_seed(seed, fold), counts=kept
    )
    train = np.flatnonzero(kept)
    place = {row: position for position, row in enumerate(train)}
    rows = [[place[row] for row in np.repeat(np.arange(178), w)] for w in drawn.weights]
    return train, np.array(rows)


@pytest.mark.parametrize("method", ["wam", "bam"])
def test_a_fold_is_an_ensemble_on_its_training_part(method: str) -> None:
    filters = ["ig", "chi_squared"]
    options = {"n_folds": 4, "n_resamples": 6, "random_state": 11, "aggregators": ["am", "median"]}
    result = influence(WINE.X, WINE.y, filter=filters, method=method, **options)
    for fold in range(4):
        train, rows = fold_rows(fold, 4, 11)
        X, y = WINE.X.iloc[train].reset_index(drop=True), WINE.y.iloc[train].reset_index(drop=True)
        assert len(rows[0]) == len(train)
        for (label, aggregator), scores in result.scores.items():
            how = {"resampling": Rows(rows), "aggregator": aggregator}
            one = {"filters": filters} if method == "bam" else {"filter": label}
            alone = getattr(pyfsagg, method)(X, y, **one, **how)
            np.testing.assert_allclose(scores[fold], alone.scores, rtol=1e-12)
    assert len(result.scores) == (2 if method == "bam" else 4)


def test_folds_are_ensembles_of_all_rows_but_one_part(result: InfluenceResult) -> None:
    left_out = np.zeros(178)
    for fold in range(8):
        train, _ = fold_rows(fold, 8, 5)
        missing = np.setdiff1d(np.arange(178), train)
        left_out[missing] += 1
        shares = WINE.y.iloc[missing].value_counts()
        assert shares.max() - WINE.y.value_counts().max() / 8 < 1
        assert len(shares) == 3
    assert (left_out == 1).all()
    assert result.aggregators == AGGREGATORS
    assert result.filters == ["information_gain"]
    assert (result.n_folds, result.n_features) == (8, 13)
    assert result.parameters["seed"] == 3
    ranks = rank_scores(result.scores["information_gain", "geometric_mean"])
    np.testing.assert_array_equal(result.ranks("geometric_mean"), ranks)
    assert repr(result).startswith("InfluenceResult(information_gain; arithmetic_mean, ")
    other = small(aggregators=["rra", "am"], n_jobs=3)
    for name in other.aggregators:
        key = ("information_gain", name)
        np.testing.assert_array_equal(other.scores[key], result.scores[key])


def test_tables_hold_what_stability_says(result: InfluenceResult) -> None:
    measures = ["spearman", "jaccard", "canberra", "nogueira"]
    frame = result.to_frame(measures, n_features_to_select=4, confidence_level=0.9)
    assert len(frame) == 12
    assert frame.columns[:3].tolist() == ["filter", "aggregator", "measure"]
    table = result.table(measures=measures)
    assert table.columns.tolist() == AGGREGATORS
    pd.testing.assert_frame_equal(table, result.table("information_gain", measures))
    for row in frame.itertuples():
        scores = result.scores[row.filter, row.aggregator]
        how = {"n_features_to_select": 4, "interval": "jackknife", "confidence_level": 0.9}
        how["random_state"] = result._seed
        alone = measure_stability(scores, row.measure, input="scores", **how)
        expected = (alone.value, *alone.interval, alone.higher_is_better)
        assert (row.value, row.lower, row.upper, row.higher_is_better) == expected
    wide = frame.pivot_table(index="measure", columns="aggregator", values="value", sort=False)
    table = result.table(n_features_to_select=4)
    pd.testing.assert_frame_equal(table, wide.loc[["spearman", "jaccard", "canberra"], AGGREGATORS])
    for measure, small in (("spearman", False), ("canberra", True)):
        values = result.table().loc[measure].rename(lambda name: name.replace("_", " "))
        ordered = values.sort_values(ascending=small)
        most, least = (f"{name} ({ordered[name]:.3f})" for name in ordered.index[[0, -1]])
        text = " ".join(result.summary_text(measures=[measure]).split())
        assert f"the most stable aggregator is {most}, the least stable {least}." in text
    wide = result.table(intervals=True, measures=["canberra"])
    assert wide.columns.tolist()[:3] == [(AGGREGATORS[0], c) for c in ("value", "lower", "upper")]
    assert (wide[AGGREGATORS[0], "lower"] < wide[AGGREGATORS[0], "value"]).all()


def test_options_intervals_and_values_that_are_missing() -> None:
    found = small(aggregators=["am"], n_folds=2).to_frame()
    assert found["value"].notna().all()
    assert found["lower"].isna().all()
    assert found["note"].str.contains("at least 3 resamples").all()
    document = json.loads(made_of({"a": np.ones((4, 5))}).to_json())
    (row,) = (row for row in document["stability"] if row["measure"] == "spearman")
    assert row["value"] is None
    assert "undefined" in row["note"]
    with pytest.raises(DataError, match="shift='minimum'"):
        small(filter="mrmr", n_folds=3, aggregators=["gm"])
    found = small(filter="mrmr", n_folds=3, aggregators={"gm": {"shift": "minimum"}})
    assert np.isfinite(found.scores["mrmr", "geometric_mean"]).all()
    assert found.parameters["aggregator_params"] == {"geometric_mean": {"shift": "minimum"}}
    found = with_options(["am", "gm"], {"geometric_mean": {"shift": 1}})
    assert found == {"arithmetic_mean": {}, "geometric_mean": {"shift": 1}}
    with pytest.raises(ParameterError, match="not among the aggregators"):
        with_options(["am", "gm"], {"median": {}})


# -- comparisons ----------------------------------------------------------------------------------
def test_values_of_folds_are_pseudo_values(result: InfluenceResult) -> None:
    found = result.compare("spearman")
    values = result.by_fold("spearman")

    def stability_of(scores: np.ndarray) -> float:
        return measure_stability(scores, "spearman", input="scores").value

    for name in AGGREGATORS:
        scores = result.scores["information_gain", name]
        whole = stability_of(scores)
        without = [stability_of(np.delete(scores, i, 0)) for i in range(8)]
        np.testing.assert_allclose(values[name], 8 * whole - 7 * np.array(without), atol=1e-10)
        assert values[name].mean() == pytest.approx(whole, abs=1e-12)
    np.testing.assert_allclose(found.cells[0], values[list(found.methods)].mean(), atol=1e-9)
    assert "share most of their rows" in found.summary_text()
    assert found.pairs()[["p", "lower", "upper"]].isna().all(axis=None)
    assert len(found.may_be_first) == len(AGGREGATORS)


def test_comparison_over_data_sets() -> None:
    rng = np.random.default_rng(1)
    results = {}
    base = np.linspace(0, 1, 8)
    for name, noise in (("one", 0.1), ("two", 0.3), ("three", 0.6), ("four", 0.9)):
        of = {key: base + k * noise * rng.random((6, 8)) for key, k in (("a", 1), ("b", 2))}
        results[name] = made_of(of)
    found = compare_aggregators(results, "kendall")
    assert found.datasets == tuple(results)
    for row, result in zip(found.cells, results.values(), strict=True):
        for value, aggregator in zip(row, ("a", "b"), strict=True):
            scores = result.scores["information_gain", aggregator]
            alone = measure_stability(scores, "kendall", input="scores").value
            assert value == pytest.approx(alone, abs=1e-10)
    quarter = compare_aggregators(results, "jaccard").cells
    two = compare_aggregators(results, "jaccard", n_features_to_select=2).cells
    np.testing.assert_array_equal(quarter, two)
    other = compare_aggregators(results, "jaccard", n_features_to_select=5).cells
    assert not np.array_equal(quarter, other)
    np.testing.assert_array_equal(
        quarter, over_data_sets(results, StandingsOptions(), "jaccard").cells
    )
    distance = compare_aggregators(results, "canberra")
    assert not distance.higher_is_better
    assert "4 data sets are too few" in distance.summary_text()


def test_comparisons_that_the_result_does_not_hold_are_refused(result: InfluenceResult) -> None:
    one = made_of({"a": np.random.default_rng(0).random((4, 5))})
    unlike = {"a": result, "b": one, "c": result}
    for call, error, message in (
        (one.compare, ParameterError, "at least two aggregators"),
        (lambda: result.compare("speerman"), UnknownNameError, "did you mean 'spearman'"),
        (lambda: result.compare(filter="mrmr"), UnknownNameError, "filter of this result"),
        (lambda: result.ranks("stuart"), UnknownNameError, "aggregator of this result"),
        (lambda: compare_aggregators([result]), InputTypeError, "must be a mapping"),
        (lambda: compare_aggregators(unlike), ParameterError, "they must be the same"),
    ):
        with pytest.raises(error, match=message):
            call()
    for options, error, message in (
        ({"n_folds": 49}, DataError, r"smallest class has 48; use at most 48 folds \(n_folds\)"),
        ({"n_folds": 1}, ParameterError, "n_folds must be a whole number of at least 2"),
        ({"n_resamples": 0}, ParameterError, "n_resamples"),
        ({"aggregators": []}, ParameterError, "different and at least one"),
        ({"aggregators": ["am", "arithmetic_mean"]}, ParameterError, "different"),
        ({"aggregators": "am"}, ParameterError, "sequence of names"),
        ({"aggregators": ["amm"]}, UnknownNameError, "unknown aggregator"),
        ({"aggregators": {"am": {"x": 1}}}, ParameterError, "'x'"),
        ({"aggregators": {}}, ParameterError, "different and at least one"),
        ({"aggregators": {"am": {}, "arithmetic_mean": {}}}, ParameterError, "different"),
        ({"execution": Execution(scratch=".")}, ParameterError, "influence writes none: drop it"),
        ({"resampling": "k_fold"}, ParameterError, "cannot be drawn inside the training part"),
        ({"resampling": Rows([[0, 1]])}, ParameterError, "cannot be drawn inside the training"),
        ({"method": "tam"}, ParameterError, "method must be one of"),
        ({"method": "bam"}, ParameterError, "at least two filters"),
        ({"filter": "igg"}, UnknownNameError, "unknown filter"),
        ({"normalize": "rows"}, ParameterError, "normalize must be one of"),
    ):
        with pytest.raises(error, match=message):
            small(**options)
