"""mRMR and mutual information against praznik 11.0.0 (R 4.2.2).

Nine columns of `sonar` begin at 0, and those of `range_ends` begin or end at 0 or near the limits
within which praznik widens the range; both tables are written by make_praznik_r.R.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfsagg.filters.mrmr import mrmr

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
TOLERANCE = 1e-9
NAMES = ["ionosphere", "iris", "zoo", "sonar", "range_ends"]


def load(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """The table with the storage types that R had."""
    path = ROOT / "data" / "ionosphere.csv" if name == "ionosphere" else DATA / f"{name}.csv"
    # Text first: not every version of pandas reads a number to its last digit.
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""], dtype=object)
    types = json.loads((DATA / f"{name}_r_types.json").read_text())
    storage = {"double": "float64", "integer": "int64", "factor": "category"}
    X = frame[list(types)].astype({column: storage[kind] for column, kind in types.items()})
    return X, frame["target"]


@pytest.mark.parametrize("name", NAMES)
def test_order_and_scores_are_those_of_praznik(name: str) -> None:
    X, y = load(name)
    expected = json.loads((DATA / f"{name}_mrmr.json").read_text())
    result = mrmr(X, y, binning="praznik")
    frame = result.to_frame()
    assert list(frame.index) == expected["order"]
    np.testing.assert_allclose(frame["score"], expected["score"], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_first_score_of_each_feature_is_its_mutual_information(name: str) -> None:
    X, y = load(name)
    check_informations(X, y, json.loads((DATA / f"{name}_mutual_information.json").read_text()))


@pytest.mark.parametrize("size", [5, 20, 30, 31])
def test_number_of_bins_follows_the_number_of_rows(size: int) -> None:
    X, y = load("range_ends")
    by_rows = json.loads((DATA / "range_ends_mutual_information_by_rows.json").read_text())
    check_informations(X[:size], y[:size], by_rows[str(size)])


def check_informations(X: pd.DataFrame, y: pd.Series, expected: dict[str, float]) -> None:
    # The score of the first selected feature is I(X; Y): make each column the only informative one.
    constant = pd.Series(0, index=X.index, dtype="int64")
    for column, value in expected.items():
        alone = pd.DataFrame({"other": constant, column: X[column]})
        if X[column].nunique() == 1:
            alone["varies"] = X.iloc[:, 0]
        scores = dict(zip(alone.columns, mrmr(alone, y, binning="praznik").scores, strict=True))
        if X[column].nunique() == 1:
            assert value == 0
        assert scores[column] == pytest.approx(value, abs=TOLERANCE)
