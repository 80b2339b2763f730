"""What an evaluation says, how it is kept, and evaluations of several data sets."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg import evaluate, load_dataset
from pyfsagg.evaluation import Evaluation, evaluate_many, weighted_average_accuracy
from pyfsagg.evaluation.comparison import divisions_of
from pyfsagg.evaluation.result import widen
from pyfsagg.exceptions import DataError, InputTypeError, OutputError, ParameterError
from pyfsagg.score_tables.question import StandingsOptions

WINE = load_dataset("wine")


@pytest.fixture(scope="module")
def result() -> Evaluation:
    return evaluate(
        WINE.X,
        WINE.y,
        methods=["ig", "mrmr", "bam"],
        classifiers=["nb", "knn"],
        n_features_to_select=[0.2, 0.5, 1.0],
        metrics=["accuracy", "log_loss"],
        n_resamples=10,
        random_state=5,
        protocol=pyfsagg.evaluation.Protocol(["thesis", "nested", "leaky"], n_random=2),
    )


def rows_of(frame: pd.DataFrame, **values: object) -> pd.DataFrame:
    for name, value in values.items():
        frame = frame[frame[name] == value]
    return frame


def test_cells_are_there_once_and_widen(result: Evaluation) -> None:
    keys = [c for c in result.cells.columns if c not in ("value", "status", "message", "kind")]
    assert not result.cells.duplicated(keys).any()
    # 3 protocols x 2 classifiers x 5 folds x 2 metrics x (3 methods x 3 + 1 + 2 draws x 3)
    assert len(result.cells) == 3 * 2 * 5 * 2 * 16
    rows = [("b", 2, "y", 1.0), ("b", 2, "x", 2.0), ("a", 9, "x", 3.0), ("a", 1, "y", 4.0)]
    names = ["one", "two", "three"]
    frame = pd.DataFrame(rows, columns=[*names, "value"]).set_index(names)["value"]
    index = pd.MultiIndex.from_tuples([("b", 2), ("a", 9), ("a", 1)], names=names[:2])
    cells = [[1.0, 2.0], [np.nan, 3.0], [4.0, np.nan]]
    expected = pd.DataFrame(cells, index, pd.Index(["y", "x"], name="three"))
    pd.testing.assert_frame_equal(widen(frame, "three"), expected)


def test_summaries_are_means_over_folds(result: Evaluation) -> None:
    cell = {"protocol": "nested", "method": "mrmr", "classifier": "naive_bayes"}
    cell |= {"threshold": 0.5, "metric": "log_loss"}
    row = rows_of(result.summary(), **cell)
    own = rows_of(result.cells, **cell)["value"]
    expected = [own.mean(), own.std(ddof=1), 5]
    np.testing.assert_allclose(row[["mean", "sd", "n"]].to_numpy()[0], expected, rtol=1e-12)
    rows = rows_of(result.summary(), method="random subsets")
    assert set(rows["n"]) == {5}
    cell = {"method": "random subsets", "protocol": "thesis", "classifier": "naive_bayes"}
    cell |= {"threshold": 0.2, "metric": "accuracy"}
    expected = rows_of(result.cells, **cell).groupby("fold")["value"].mean().std(ddof=1)
    assert rows_of(rows, **cell)["sd"].item() == pytest.approx(expected, rel=1e-12)
    frame = result.weighted_average_accuracy()
    assert "all features" not in set(frame["method"])
    cell = {"protocol": "leaky", "method": "bam", "classifier": "nearest_neighbors"}
    means = rows_of(result.summary(), **cell, metric="accuracy")
    expected = float(weighted_average_accuracy(means["mean"], means["threshold"]))
    found = rows_of(frame, **cell)[["wacc", "n", "n_missing"]].to_numpy()[0]
    np.testing.assert_allclose(found, [expected, 5, 0], rtol=1e-12)


def test_optimism_and_comparisons_need_protocols_and_methods(result: Evaluation) -> None:
    frame = result.optimism()
    assert np.allclose(frame["thesis_minus_nested"], frame["thesis"] - frame["nested"])
    whole = frame[frame["threshold"] == 1.0]
    # Without selection there is nothing that could leak.
    assert (whole["leaky_minus_nested"] == 0.0).all()
    how = {"methods": ["ig"], "classifiers": "nb", "n_features_to_select": [3], "n_resamples": 3}
    found = evaluate(WINE.X, WINE.y, **how)
    with pytest.raises(DataError, match="at least two methods"):
        found.compare()
    assert len(found.compare(baselines=True).methods) == 2
    with pytest.raises(DataError, match="run evaluate with protocol='both'"):
        found.optimism()


def test_comparisons_are_of_what_they_say(result: Evaluation) -> None:
    found = result.compare(value=0.5, protocol="thesis", classifier="naive_bayes")
    cell = {"protocol": "thesis", "classifier": "naive_bayes", "threshold": 0.5}
    own = rows_of(result.cells, **cell, metric="accuracy", kind="method")
    wide = own.pivot_table(index="fold", columns="method", values="value")
    np.testing.assert_allclose(found.cells[0], wide.mean()[list(found.methods)])
    assert "0.5 of the features" in found.what
    assert "thesis protocol" in found.what
    by_count = result.compare(value=7, protocol="thesis", classifier="naive_bayes")
    pd.testing.assert_frame_equal(by_count.pairs(), found.pairs())
    found = result.compare(metric="log_loss", baselines=True)
    frame = found.to_frame()
    assert "random subsets" in frame.index
    assert frame["mean"].idxmin() == frame.index[0]
    assert "p_above" not in found.pairs()  # log loss has no region by itself
    assert "the correction allows for common rows" in " ".join(found.sentences)
    assert "omitted" not in found.summary_text()
    assert "p_above" in result.compare(metric="log_loss", rope=0.1).pairs()


def test_folds_are_no_independent_subjects(result: Evaluation) -> None:
    found = result.compare()
    folds = result._wacc_by_fold()
    folds = folds[folds["protocol"] == "nested"].groupby(["method", "fold"], sort=False)["wacc"]
    values = folds.mean().unstack("method")
    row = found.pairs().iloc[0]
    gap = values[row["method1"]] - values[row["method2"]]
    assert row["t"] == pytest.approx(gap.mean() / (gap.std() * np.sqrt(1 / 5 + 1 / 4)), rel=1e-6)
    assert row["df"] == 4
    assert any("ranked once" in remark for remark in result.compare(protocol="leaky").remarks)
    assert not any("ranked once" in remark for remark in found.remarks)
    found = result.compare(value=1.0)  # all methods keep everything: nothing differs
    assert (found.pairs()["p_adjusted"] == 1.0).all()
    design = {"protocol": "nested", "n_folds": 5, "n_repeats": 1, "test_size": 1 / 3}
    one = divisions_of(folds_of(1), **design)
    one.values.iloc[1:] = np.nan
    with pytest.raises(DataError, match=r"1 complete folds are too few\. 4 of 5 folds are omitted"):
        one.standings(StandingsOptions(), higher_is_better=True, what="x")


def folds_of(repeats: int, k: int = 5) -> pd.DataFrame:
    index = pd.MultiIndex.from_product([range(repeats), range(k)], names=["repeat", "fold"])
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.random((repeats * k, 2)), index, ["a", "b"])


def test_repeats_add_no_degrees_of_freedom() -> None:
    asked = {"protocol": "nested", "n_folds": 5, "test_size": 1 / 3}
    one, ten = (divisions_of(folds_of(n), n_repeats=n, **asked) for n in (1, 10))
    assert (one.df, ten.df, len(ten.values)) == (None, 4.0, 50)
    assert one.test_train_ratio == ten.test_train_ratio == 0.25
    values = folds_of(4)
    values.iloc[7, 1] = np.nan
    asked = {"protocol": "thesis", "n_folds": 5, "n_repeats": 4}
    found = divisions_of(values, **asked, test_size=0.25)
    assert found.test_train_ratio == pytest.approx(1 / 3)
    assert (found.subjects, found.df, found.ranked_once) == ("repeats", None, False)
    means = values["a"].to_numpy().reshape(4, 5).mean(axis=1)
    assert found.values["a"].tolist() == pytest.approx(means.tolist())
    assert found.values["b"].isna().tolist() == [False, True, False, False]
    given = divisions_of(values, **asked, test_size=None)
    assert (given.subjects, given.ranked_once) == ("folds", True)


def test_folders_and_choices_that_an_evaluation_does_not_have_are_refused(
    result: Evaluation, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text('{"kind": "ensemble", "schema": 1}')
    with pytest.raises(OutputError, match="contains no saved evaluation: its record is 'ensemble'"):
        Evaluation.load(tmp_path)
    for options, message in (
        ({"value": 0.3}, "'wacc' or one of the thresholds 0.2, 0.5, 1"),
        ({"value": 4}, "'wacc' or one of the thresholds"),
        ({"protocol": "both"}, "protocol must be one of"),
        ({"classifier": "svm"}, "classifier must be one of"),
        ({"metric": "roc_auc"}, "metric must be one of"),
        ({"confidence_level": 1.0}, "confidence_level"),
        ({"rope": -0.01}, "rope"),
    ):
        with pytest.raises(ParameterError, match=message):
            result.compare(**options)
    for datasets, error, message in (
        ({}, InputTypeError, "mapping of name"),
        ({"a": WINE.X}, InputTypeError, "must be a pair"),
        ({"a": (WINE.X, np.zeros(178))}, DataError, "data set 'a': "),
    ):
        with pytest.raises(error, match=message):
            evaluate_many(datasets, n_resamples=2)


def test_several_data_sets_give_the_form_of_table_4_3() -> None:
    rng = np.random.default_rng(0)
    sets = {f"half {i}": WINE.X.iloc[:, [*rng.permutation(13)[:8]]] for i in range(4)}
    found = evaluate_many(
        {name: (X, WINE.y) for name, X in sets.items()},
        methods=["ig", "su", "mrmr"],
        classifiers=["nb", "knn"],
        n_features_to_select=[0.2, 0.6],
        baselines=["all_features"],
        n_resamples=5,
        random_state=0,
    )
    table = found.table()
    assert table.index.names == ["dataset", "classifier"]
    assert table.shape == (8, 3)
    one = found.evaluations["half 2"].weighted_average_accuracy()
    wacc = rows_of(one, method="mrmr", classifier="naive_bayes")["wacc"].item()
    assert table.loc[("half 2", "naive_bayes"), "mrmr"] == wacc
    comparison = found.compare(classifier="nearest_neighbors")
    assert comparison.cells.shape == (4, 3)
    assert "4 data sets are too few" in comparison.summary_text()
    whole = found.compare()
    at = whole.datasets.index("half 1"), whole.methods.index("mrmr")
    assert whole.cells[at] == pytest.approx(table.loc["half 1", "mrmr"].mean(), abs=1e-9)
    assert len(found.to_frame()) == sum(len(each.cells) for each in found.evaluations.values())
