"""Residuals, the score test and concordance of R's survival, and that weights mean repeated rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfsagg

DATA = Path(__file__).parent / "data"
FOUND = json.loads((DATA / "survival_r.json").read_text(encoding="utf-8"))
TIED = pd.read_csv(DATA / "survival_tied.csv")
TIMES, COUNT = TIED[["time", "status"]], TIED["count"].to_numpy()
FEATURES = ["normal", "whole", "flag", "huge"]


def better_direction(name: str) -> np.ndarray:
    index = np.array(list(FOUND[name]["concordance"].values()))
    return np.maximum(index, 1 - index)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_one_row_each(ties: str) -> None:
    expected = FOUND["tied"][ties]
    score = pyfsagg.cox_score(TIED[FEATURES], TIMES, ties=ties)
    np.testing.assert_allclose(score, list(expected["score"].values()), rtol=1e-9)
    residuals = pyfsagg.filters.martingale_residuals(TIMES, ties=ties)
    np.testing.assert_allclose(residuals, expected["martingale"], rtol=0, atol=1e-12)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_rows_that_count_are_rows_repeated_in_r(ties: str) -> None:
    expected = FOUND["repeated"][ties]
    score = pyfsagg.cox_score(TIED[FEATURES], TIMES, ties=ties, sample_weight=COUNT)
    np.testing.assert_allclose(score, list(expected["score"].values()), rtol=1e-9)
    residuals = pyfsagg.filters.martingale_residuals(TIMES, ties=ties, sample_weight=COUNT)
    np.testing.assert_allclose(
        np.repeat(residuals, COUNT), expected["martingale"], rtol=0, atol=1e-12
    )


def test_concordance() -> None:
    found = pyfsagg.concordance(TIED[FEATURES], TIMES)
    np.testing.assert_allclose(found, better_direction("tied"), rtol=1e-12)
    found = pyfsagg.concordance(TIED[FEATURES], TIMES, sample_weight=COUNT)
    np.testing.assert_allclose(found, better_direction("repeated"), rtol=1e-12)
