"""Residuals, the score test and concordance of R's survival, and that weights mean repeated rows."""

import numpy as np
import pandas as pd
import pytest
from golden import DATA, stored

import pyfsagg

FOUND = stored("survival_r.json")
TIED = pd.read_csv(DATA / "survival_tied.csv")
TIMES, COUNT = TIED[["time", "status"]], TIED["count"].to_numpy()
FEATURES = ["normal", "whole", "flag", "huge"]


def better_direction(name: str) -> np.ndarray:
    index = np.array(list(FOUND[name]["concordance"].values()))
    return np.maximum(index, 1 - index)


@pytest.mark.parametrize("ties", ["efron", "breslow"])
@pytest.mark.parametrize(("rows", "weight"), [("tied", None), ("repeated", COUNT)])
def test_score_and_residuals(ties: str, rows: str, weight: np.ndarray | None) -> None:
    """Rows that count are rows repeated in R."""
    expected = FOUND[rows][ties]
    score = pyfsagg.filters.cox_score(TIED[FEATURES], TIMES, ties=ties, sample_weight=weight)
    np.testing.assert_allclose(score, list(expected["score"].values()), rtol=1e-9)
    residuals = pyfsagg.filters.martingale_residuals(TIMES, ties=ties, sample_weight=weight)
    repeated = np.repeat(residuals, 1 if weight is None else weight)
    np.testing.assert_allclose(repeated, expected["martingale"], rtol=0, atol=1e-12)


def test_concordance() -> None:
    found = pyfsagg.filters.concordance(TIED[FEATURES], TIMES)
    np.testing.assert_allclose(found, better_direction("tied"), rtol=1e-12)
    found = pyfsagg.filters.concordance(TIED[FEATURES], TIMES, sample_weight=COUNT)
    np.testing.assert_allclose(found, better_direction("repeated"), rtol=1e-12)
