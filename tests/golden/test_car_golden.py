"""CAR scores against care 1.1 on R 4.2.2 (make_car_r.R)."""

import json

import numpy as np
import pytest
from loading import load_beside

import pyfsagg
from pyfsagg.resampling import Rows

golden = load_beside(__file__, "test_mrmr_golden")
adjusted = load_beside(__file__, "test_adjusted_golden")
VALUES = json.loads((golden.DATA / "car_r.json").read_text())
TABLE = adjusted.TABLE
SONAR, CLASSES = golden.load("sonar")
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
    expected = VALUES[name]
    run = pyfsagg.wam(
        X[list(expected)],
        y,
        filter="car_score",
        task=task,
        resampling=Rows([rows.tolist()]),
        checks="none",
    )
    found = dict(zip(run.feature_names, run.score_matrices["car_score"][0], strict=True))
    assert found == pytest.approx(expected, rel=1e-8, abs=1e-10)
