"""Scores beside age and batch against ppcor, coxph and linear models of R 4.2.2 (make_adjusted_r.R)."""

import numpy as np
import pandas as pd
import pytest
from golden import DATA, scores, stored

import pyfsagg

TABLE = pd.read_csv(DATA / "adjusted.csv")
VALUES = stored("adjusted_r.json")
TARGETS = {
    "pearson": ("number", "regression"),
    "f_statistic": ("number", "regression"),
    "spearman": ("number", "regression"),
    "spearman_of_classes": ("two", "classification"),
    "anova_f": ("three", "classification"),
    "welch_t": ("two", "classification"),
    "cox_score": (["time", "event"], "survival"),
    "cox_score_breslow": (["time", "event"], "survival"),
    "cox_score_strata": (["time", "event"], "survival"),
}


@pytest.mark.parametrize("counted", ["once", "repeated"])
@pytest.mark.parametrize("name", VALUES["once"])
def test_scores_beside_adjusters(name: str, counted: str) -> None:
    expected = VALUES[counted][name]
    target, task = TARGETS[name]
    adjust = ["batch"] if name.endswith("strata") else ["age", "batch"]
    filter = next(known for known in ("cox_score", "spearman", name) if name.startswith(known))
    rows = np.repeat(np.arange(len(TABLE)), TABLE["times"] if counted == "repeated" else 1)
    params = {"ties": "breslow"} if name.endswith("breslow") else None
    how = {"filter_params": params, "task": pyfsagg.Task(task, adjust=adjust)}
    found = scores(TABLE[[*expected, *adjust]], TABLE[target], filter, rows, **how)
    assert found == pytest.approx(expected, rel=1e-7)
