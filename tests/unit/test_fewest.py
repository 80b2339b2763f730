"""The fewest features within a standard error of the best, and one list out of all folds."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg.evaluation.comparison import fewest_of_folds, list_of_folds
from pyfsagg.exceptions import DataError, ParameterError

DESIGN = {"n_folds": 5, "n_repeats": 1, "test_size": 1 / 3}


def folds(columns: dict[int, list[float]]) -> pd.DataFrame:
    n = len(next(iter(columns.values())))
    index = pd.MultiIndex.from_product([[0], range(n)], names=["repeat", "fold"])
    return pd.DataFrame(columns, index)


def fewest(values: pd.DataFrame, *, higher: bool = True, protocol: str = "nested") -> dict:
    return fewest_of_folds(values, protocol=protocol, higher_is_better=higher, design=DESIGN)


def test_by_hand_with_ties_and_cells_without_a_value() -> None:
    best = [0.8, 0.9, 1.0, 0.9, 0.9]
    error = np.std(best, ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    near, far = 0.9 - 0.99 * error, 0.9 - 1.01 * error
    for sign in (1.0, -1.0):
        values = sign * folds({20: [0.85] * 5, 2: [far] * 5, 5: [near] * 5, 10: best})
        found = fewest(values, higher=sign > 0)
        assert (found["best_n_features"], found["n_features"], found["n"]) == (10, 5, 5)
        assert found["standard_error"] == pytest.approx(error, rel=1e-9)
        assert found["best"] == pytest.approx(sign * 0.9)
        assert found["value"] == pytest.approx(sign * near, abs=1e-9)
    same = [0.9, 0.8, 1.0, 0.7, 0.9]
    assert fewest(folds({3: same, 8: same}))["best_n_features"] == 3
    exact = fewest(folds({3: [0.9] * 5, 8: [1.0] * 5}))
    assert (exact["standard_error"], exact["n_features"]) == (0.0, 8)
    gone = fewest(folds({3: [0.9, np.nan, 0.8, 0.9, 0.9], 8: same, 9: [np.nan] * 5}))
    assert gone["n"] == 4
    assert np.isnan(fewest(folds({3: [0.9, *[np.nan] * 4], 8: same}))["n_features"])
    # Repeats of the thesis protocol are the divisions.
    values = folds({3: [0.9, 0.8, 0.7, 0.8], 8: [0.95, 0.9, 0.8, 0.9]})
    values.index = pd.MultiIndex.from_product([range(2), range(2)], names=["repeat", "fold"])
    design = {"n_folds": 2, "n_repeats": 2, "test_size": 1 / 3}
    found = fewest_of_folds(values, protocol="thesis", higher_is_better=True, design=design)
    error = np.std([0.925, 0.85], ddof=1) * np.sqrt(1 / 2 + 1 / 2)
    assert found["standard_error"] == pytest.approx(error)
    assert found["n"] == 2
    # The list counts folds first, and places then.
    places = np.array([[1, 2, 3, 4], [1, 3, 2, 4], [2, 4, 1, 3]], dtype=np.int32)
    frame = list_of_folds(places, ("a", "b", "c", "d"), 2)
    assert frame.index.tolist() == ["a", "c", "b"]  # d never is
    np.testing.assert_allclose(frame["share_of_folds"], [1, 2 / 3, 1 / 3])
    assert frame.loc["c", ["mean_place", "best_place", "worst_place"]].tolist() == [2, 1, 3]


@pytest.fixture(scope="module")
def result() -> pyfsagg.evaluation.Evaluation:
    wine = pyfsagg.load_dataset("wine")
    options = {
        "methods": ["ig", "mrmr"],
        "classifiers": ["nb", "knn"],
        "n_features_to_select": [1, 4, 13],
    }
    options |= {"metrics": ["accuracy", "log_loss"], "n_resamples": 5, "protocol": "both"}
    return pyfsagg.evaluate(wine.X, wine.y, random_state=0, **options)


def test_an_evaluation_says_how_few_are_enough(result: pyfsagg.evaluation.Evaluation) -> None:
    frame = result.fewest()
    assert len(frame) == 2 * 2 * 3  # protocols, methods, two classifiers and their mean
    one = frame.set_index(["protocol", "method", "classifier"]).sort_index()
    asked = "protocol == 'nested' and method == 'mrmr' and metric == 'accuracy'"
    own = result.cells.query(f"{asked} and classifier == 'naive_bayes'")
    own = own.pivot(index="fold", columns="n_features", values="value")
    row = one.loc[("nested", "mrmr", "naive_bayes")]
    best = own.mean().idxmax()
    error = own[best].std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert (row["best_n_features"], row["best"]) == (best, pytest.approx(own.mean().max()))
    assert row["n_features"] == own.columns[own.mean() >= own.mean().max() - error][0]
    loss = result.fewest("log_loss")
    assert (loss["best"] <= loss["value"]).all()
    both = one.loc[("nested", "mrmr")].drop("mean of classifiers")["best"]
    assert both.min() <= one.loc[("nested", "mrmr", "mean of classifiers"), "best"] <= both.max()


def test_one_list_out_of_the_folds_is_told_and_kept(result, tmp_path: Path) -> None:
    shapes = {name: rows.shape for name, rows in result.places.items()}
    assert shapes == dict.fromkeys(("information_gain", "mrmr"), (5, 13))
    assert all((np.sort(rows, axis=1) == np.arange(1, 14)).all() for rows in result.places.values())
    final = result.final_list(4, method="mrmr")
    among = (result.places["mrmr"] <= 4).mean(axis=0)
    assert final["share_of_folds"].to_dict() == {
        name: share for name, share in zip(result.feature_names, among, strict=True) if share > 0
    }
    default = result.final_list()
    assert default.attrs["method"] in result.places
    text = " ".join(result.summary_text().split())
    assert "The fewest features whose mean accuracy is within one standard error" in text
    assert f"that were most often among the best {default.attrs['n_features']}" in text
    assert "One list out of all training folds" in result.to_html()
    result.save(tmp_path / "kept")
    again = pyfsagg.load_result(tmp_path / "kept")
    pd.testing.assert_frame_equal(again.final_list(), default)
    written = pd.read_csv(tmp_path / "kept" / "final_list.csv", index_col="feature")
    pd.testing.assert_frame_equal(written, default, check_dtype=False)
    for number, method in (("auto", "bam"), (14, None), ("many", None)):
        with pytest.raises(ParameterError):
            result.final_list(number, method=method)


def test_without_rankings_inside_folds_there_is_no_list() -> None:
    wine = pyfsagg.load_dataset("wine")
    thesis = pyfsagg.evaluate(
        wine.X, wine.y, methods=["ig"], classifiers="nb", n_features_to_select=[1.0], n_resamples=5,
        random_state=0, baselines=[],
    )  # fmt: skip
    with pytest.raises(DataError, match="no features were ranked inside training folds"):
        thesis.final_list()
    assert "One list" not in thesis.summary_text()
    assert "The fewest features" not in thesis.summary_text()  # one number is no choice
