"""CAR scores against care 1.1, and CAT scores of sda 1.3, on R 4.2.2 (make_car_r.R)."""

import numpy as np
import pytest
from golden import scores, stored, typed
from loading import load_beside
from scipy import stats

import pyfsagg

adjusted = load_beside(__file__, "test_adjusted_golden")
VALUES = stored("car_r.json")
TABLE = adjusted.TABLE
SONAR, CLASSES = typed("sonar")
EVERY, FEW = np.arange(len(TABLE)), np.r_[0:15, 190:205]
CASES = {
    "number": (TABLE, TABLE["number"], "regression", EVERY),
    "repeated": (TABLE, TABLE["number"], "regression", np.repeat(EVERY, TABLE["times"])),
    "two": (TABLE, TABLE["two"], "classification", EVERY),
    "survival": (TABLE, TABLE[["time", "event"]], "survival", EVERY),
    "many_rows": (SONAR, CLASSES, "classification", np.arange(len(SONAR))),
    "few_rows": (SONAR, CLASSES, "classification", FEW),
}


@pytest.mark.parametrize("name", CASES)
def test_values_of_care(name: str) -> None:
    X, y, task, rows = CASES[name]
    found = scores(X[list(VALUES[name])], y, "car_score", rows, task=task)
    assert found == pytest.approx(VALUES[name], rel=1e-8, abs=1e-10)


def test_several_classes_are_ranked_like_by_cat_scores() -> None:
    """CAT scores take the classes out of the correlations of features, too, so values differ."""
    wine = pyfsagg.load_dataset("wine")
    found = scores(wine.X, wine.y, "car_score")
    expected = [VALUES["cat_wine"][name] for name in found]
    assert stats.spearmanr(list(found.values()), expected).statistic > 0.9
