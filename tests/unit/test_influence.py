"""Influence of the aggregator: what is computed in a fold, tables, comparisons, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.multitest import multipletests

from pyfsagg import (
    Execution,
    InfluenceResult,
    bam,
    compare_aggregators,
    influence,
    load_dataset,
    wam,
)
from pyfsagg.aggregator_influence.cross_validation import _fold_seed, with_options
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    OutputError,
    ParameterError,
    UnknownNameError,
)
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Rows, draw_resamples
from pyfsagg.stability_measures.measure import measure_stability

WINE = load_dataset("wine")
AGGREGATORS = ["arithmetic_mean", "geometric_mean", "robust_rank_aggregation"]


@pytest.fixture(scope="module")
def result() -> InfluenceResult:
    return influence(
        WINE.X, WINE.y, aggregators=["am", "gm", "rra"], n_folds=8, n_resamples=15, random_state=3
    )


def made_of(scores: dict[str, np.ndarray], **parameters: object) -> InfluenceResult:
    """A result from given scores of folds, one filter."""
    p = next(iter(scores.values())).shape[1]
    return InfluenceResult(
        {("information_gain", name): matrix for name, matrix in scores.items()},
        tuple(f"f{j}" for j in range(p)),
        {
            "filters": ["information_gain"],
            "method": "wam",
            "n_resamples": 1,
            "seed": 0,
            **parameters,
        },
        {},
        {},
    )


def fold_rows(fold: int, n_folds: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the training part, and the rows (in it) of its bootstraps."""
    run = set_up_run(
        WINE.X, WINE.y, filters=["ig"], filter_params={}, n_resamples=n_folds,
        resampling="k_fold", random_state=seed,
    )  # fmt: skip
    kept = run.resamples.weights[fold]
    drawn = draw_resamples(
        run.table, run.target, n_resamples=6, seed=_fold_seed(seed, fold), sample_weight=kept
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
        for aggregator in result.aggregators:
            if method == "bam":
                alone = bam(X, y, filters=filters, resampling=Rows(rows), aggregator=aggregator)
                np.testing.assert_allclose(
                    result.scores["bam", aggregator][fold], alone.scores, rtol=1e-12
                )
                continue
            for label in ("information_gain", "chi_squared"):
                alone = wam(X, y, filter=label, resampling=Rows(rows), aggregator=aggregator)
                np.testing.assert_allclose(
                    result.scores[label, aggregator][fold], alone.scores, rtol=1e-12
                )


def test_folds_leave_every_sample_out_once_and_keep_class_shares() -> None:
    left_out = np.zeros(178)
    for fold in range(8):
        train, _ = fold_rows(fold, 8, 5)
        missing = np.setdiff1d(np.arange(178), train)
        left_out[missing] += 1
        shares = WINE.y.iloc[missing].value_counts()
        assert shares.max() - WINE.y.value_counts().max() / 8 < 1
        assert len(shares) == 3
    assert (left_out == 1).all()


def test_shape_names_and_seed(result: InfluenceResult) -> None:
    assert result.aggregators == AGGREGATORS
    assert result.filters == ["information_gain"]
    assert (result.n_folds, result.n_features) == (8, 13)
    assert result.parameters["seed"] == 3
    np.testing.assert_array_equal(
        result.ranks("geometric_mean"),
        rank_scores(result.scores["information_gain", "geometric_mean"]),
    )
    assert repr(result).startswith("InfluenceResult(information_gain; arithmetic_mean, ")
    other = influence(
        WINE.X, WINE.y, aggregators=["rra", "am"], n_folds=8, n_resamples=15, random_state=3,
        n_jobs=3,
    )  # fmt: skip
    for name in other.aggregators:
        key = ("information_gain", name)
        np.testing.assert_array_equal(other.scores[key], result.scores[key])


def test_tables_hold_what_stability_says(result: InfluenceResult) -> None:
    frame = result.to_frame(
        ["spearman", "jaccard", "canberra", "nogueira"],
        n_features_to_select=4,
        confidence_level=0.9,
    )
    assert len(frame) == 12
    for row in frame.itertuples():
        scores = result.scores[row.filter, row.aggregator]
        alone = measure_stability(
            scores,
            row.measure,
            input="scores",
            n_features_to_select=4,
            interval="jackknife",
            confidence_level=0.9,
            random_state=result._seed,
        )
        assert row.value == alone.value
        assert (row.lower, row.upper) == alone.interval
        assert row.higher_is_better == alone.higher_is_better
    table = result.table(n_features_to_select=4)
    assert table.index.tolist() == ["spearman", "jaccard", "canberra"]
    assert table.columns.tolist() == AGGREGATORS
    wanted = frame.set_index(["measure", "aggregator"])
    assert (
        table.loc["jaccard", "geometric_mean"] == wanted.loc[("jaccard", "geometric_mean"), "value"]
    )
    wide = result.table(intervals=True, measures=["canberra"])
    assert wide.columns.tolist()[:3] == [(AGGREGATORS[0], c) for c in ("value", "lower", "upper")]
    assert (wide[AGGREGATORS[0], "lower"] < wide[AGGREGATORS[0], "value"]).all()


def test_two_folds_have_no_interval_and_say_so() -> None:
    found = influence(
        WINE.X, WINE.y, aggregators=["am"], n_folds=2, n_resamples=5, random_state=0
    ).to_frame()
    assert found["value"].notna().all()
    assert found["lower"].isna().all()
    assert found["note"].str.contains("at least 3 resamples").all()


def test_an_aggregator_gets_its_options() -> None:
    common = {"filter": "mrmr", "n_folds": 3, "n_resamples": 6, "random_state": 0}
    with pytest.raises(DataError, match="shift='minimum'"):
        influence(WINE.X, WINE.y, aggregators=["gm"], **common)
    found = influence(WINE.X, WINE.y, aggregators={"gm": {"shift": "minimum"}}, **common)
    assert np.isfinite(found.scores["mrmr", "geometric_mean"]).all()
    assert found.parameters["aggregator_params"] == {"geometric_mean": {"shift": "minimum"}}


# ---------------------------------------------------------------------------------------------
# comparisons
# ---------------------------------------------------------------------------------------------
def test_comparison_over_folds_against_other_implementations(result: InfluenceResult) -> None:
    found = result.compare("spearman", adjust="bonferroni")
    values = found.values
    for name in AGGREGATORS:
        scores = result.scores["information_gain", name]
        whole = measure_stability(scores, "spearman", input="scores").value
        without = [
            measure_stability(np.delete(scores, i, 0), "spearman", input="scores").value
            for i in range(8)
        ]
        np.testing.assert_allclose(values[name], 8 * whole - 7 * np.array(without), atol=1e-10)
        assert values[name].mean() == pytest.approx(whole, abs=1e-12)
    values = values.round(10)
    long = values.reset_index().melt(id_vars="fold", var_name="aggregator")
    expected = AnovaRM(long, "value", "fold", within=["aggregator"]).fit().anova_table
    assert found.repeated is not None
    assert found.repeated.f == pytest.approx(expected["F Value"].iloc[0], rel=1e-8)
    assert found.repeated.p_value == pytest.approx(expected["Pr > F"].iloc[0], rel=1e-6)
    columns = [values[name] for name in AGGREGATORS]
    tests = found.tests()
    one_way = stats.f_oneway(*columns)
    assert tests.loc["one_way", "statistic"] == pytest.approx(one_way.statistic)
    assert tests.loc["one_way", "p"] == pytest.approx(one_way.pvalue)
    ranks = stats.friedmanchisquare(*columns)
    assert tests.loc["friedman", "p"] == pytest.approx(ranks.pvalue)
    p = [
        stats.ttest_rel(values[a], values[b]).pvalue
        for a, b in [(AGGREGATORS[0], AGGREGATORS[1]), (AGGREGATORS[0], AGGREGATORS[2]),
                     (AGGREGATORS[1], AGGREGATORS[2])]
    ]  # fmt: skip
    np.testing.assert_allclose(
        found.to_frame()["p_adjusted"], multipletests(p, method="bonferroni")[1], rtol=1e-9
    )


def test_the_overlap_of_folds_is_said_wherever_tests_are(result: InfluenceResult) -> None:
    found = result.compare()
    assert "not independent" in found.caution
    assert found.caution in found.sentence
    document = json.loads(found.to_json())
    assert document["caution"] == found.caution
    assert document["values"]["arithmetic_mean"] == found.values["arithmetic_mean"].tolist()
    assert set(document["tests"]) == {"repeated", "one_way", "friedman", "pairwise"}
    assert repr(found).startswith("AggregatorComparison(spearman over 8 folds: arithmetic_mean 0.")


def test_aggregators_that_agree_are_refused_test_by_test() -> None:
    rng = np.random.default_rng(0)
    scores = np.linspace(0, 1, 6) + 0.3 * rng.random((5, 6))
    found = made_of({"a": scores, "b": 2 * scores}).compare("spearman")
    assert found.repeated is None
    assert "repeated" in found.refused
    assert found.refused["repeated"] in found.tests().loc["repeated", "note"]
    assert "No repeated test" in found.sentence
    assert found.to_frame()["p"].tolist() == [1.0]
    steady = np.tile(np.arange(6.0), (5, 1))
    constant = made_of({"a": steady, "b": steady[:, ::-1].copy()}).compare("spearman")
    assert constant.tests()["p"].isna().all()
    assert json.loads(constant.to_json())["refused"].keys() == constant.refused.keys()


def test_comparison_over_data_sets() -> None:
    rng = np.random.default_rng(1)
    results = {}
    for name, noise in (("one", 0.1), ("two", 0.3), ("three", 0.6), ("four", 0.9)):
        base = np.linspace(0, 1, 8)
        results[name] = made_of(
            {"a": base + noise * rng.random((6, 8)), "b": base + 2 * noise * rng.random((6, 8))}
        )
    found = compare_aggregators(results, "kendall", adjust="none")
    assert found.unit == "data set"
    assert found.values.index.tolist() == list(results)
    for name, result in results.items():
        for aggregator in ("a", "b"):
            scores = result.scores["information_gain", aggregator]
            alone = measure_stability(scores, "kendall", input="scores").value
            assert found.values.loc[name, aggregator] == alone
    p = stats.ttest_rel(found.values["a"], found.values["b"]).pvalue
    assert found.to_frame()["p"].iloc[0] == pytest.approx(p)
    assert "Each data set counts once" in found.sentence
    distance = compare_aggregators(results, "canberra")
    assert not distance.higher_is_better
    assert distance.friedman is not None
    means = distance.values.rank(axis=1).mean()
    assert distance.friedman.average_ranks == tuple(means)


def test_comparisons_that_cannot_be_made(result: InfluenceResult) -> None:
    one = made_of({"a": np.random.default_rng(0).random((4, 5))})
    with pytest.raises(ParameterError, match="at least two aggregators"):
        one.compare()
    with pytest.raises(ParameterError, match="adjust must be one of"):
        result.compare(adjust="sidak")
    with pytest.raises(UnknownNameError, match="did you mean 'spearman'"):
        result.compare("speerman")
    with pytest.raises(UnknownNameError, match="filter of this result"):
        result.compare(filter="mrmr")
    with pytest.raises(ParameterError, match="at least three of them, got 1"):
        compare_aggregators({"a": result})
    with pytest.raises(InputTypeError, match="must be a mapping"):
        compare_aggregators([result])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="they must be the same"):
        compare_aggregators({"a": result, "b": one, "c": result})


# ---------------------------------------------------------------------------------------------
# files and refusals
# ---------------------------------------------------------------------------------------------
def test_saved_and_loaded(result: InfluenceResult, tmp_path: Path) -> None:
    folder = result.save(tmp_path / "kept", measures=["spearman"], n_features_to_select=5)
    assert sorted(p.name for p in folder.iterdir()) == [
        "comparison.csv",
        "influence.csv",
        "matrices.npz",
        "run.json",
    ]
    back = InfluenceResult.load(folder)
    assert list(back.scores) == list(result.scores)
    for key, matrix in result.scores.items():
        np.testing.assert_array_equal(back.scores[key], matrix)
    assert back.feature_names == result.feature_names
    assert dict(back.parameters) == dict(result.parameters)
    pd.testing.assert_frame_equal(back.table(), result.table())
    table = pd.read_csv(folder / "influence.csv")
    assert table["aggregator"].tolist() == AGGREGATORS
    with pytest.raises(OutputError, match="not empty"):
        result.save(folder)


def test_a_folder_that_holds_something_else(result: InfluenceResult, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"run\.json is missing"):
        InfluenceResult.load(tmp_path)
    wam(WINE.X, WINE.y, n_resamples=3, random_state=0).save(tmp_path / "run")
    with pytest.raises(OutputError, match="holds a 'ensemble'"):
        InfluenceResult.load(tmp_path / "run")
    folder = result.save(tmp_path / "damaged")
    (folder / "matrices.npz").write_bytes(b"PK")
    with pytest.raises(OutputError, match="damaged"):
        InfluenceResult.load(folder)
    (folder / "run.json").write_text("{")
    with pytest.raises(OutputError, match="damaged"):
        InfluenceResult.load(folder)


def test_json_holds_no_nan(tmp_path: Path) -> None:
    steady = made_of({"a": np.ones((4, 5))})
    document = json.loads(steady.to_json())
    by_measure = {row["measure"]: row for row in document["stability"]}
    assert by_measure["spearman"]["value"] is None
    assert "undefined" in by_measure["spearman"]["note"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
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
        ({"execution": Execution(scratch=".")}, ParameterError, "influence writes none: leave it"),
        ({"resampling": "k_fold"}, ParameterError, "cannot be drawn inside the training part"),
        ({"resampling": Rows([[0, 1]])}, ParameterError, "cannot be drawn inside the training"),
        ({"method": "tam"}, ParameterError, "method must be one of"),
        ({"method": "bam"}, ParameterError, "at least two filters"),
        ({"filter": "igg"}, UnknownNameError, "unknown filter"),
        ({"normalize": "rows"}, ParameterError, "normalize must be one of"),
    ],
)
def test_refusals(options: dict, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        influence(WINE.X, WINE.y, random_state=0, **{"n_resamples": 3, "n_folds": 3, **options})


def test_options_that_come_apart_from_their_aggregators() -> None:
    found = with_options(["am", "gm"], {"geometric_mean": {"shift": 1}})
    assert found == {"arithmetic_mean": {}, "geometric_mean": {"shift": 1}}
    with pytest.raises(ParameterError, match="not among the aggregators"):
        with_options(["am", "gm"], {"median": {}})


def test_unknown_names_of_a_result(result: InfluenceResult) -> None:
    with pytest.raises(UnknownNameError, match="aggregator of this result"):
        result.ranks("stuart")
    with pytest.raises(ParameterError, match="kind must be one of 'stability', 'pairwise'"):
        result.plot("bars")
