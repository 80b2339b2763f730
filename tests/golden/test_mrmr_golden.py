"""mRMR and mutual information against praznik 11.0.0 (R 4.2.2).

Nine columns of `sonar` begin at 0, and those of `range_ends` begin or end at 0 or near the limits
within which praznik widens the range; both tables are written by make_praznik_r.R.
"""

import numpy as np
import pandas as pd
import pytest
from golden import stored, typed

from pyfsagg.filters import information_selection, mrmr

TOLERANCE = 1e-9
NAMES = ["ionosphere", "iris", "zoo", "sonar", "range_ends"]


@pytest.mark.parametrize("name", NAMES)
def test_order_and_scores_are_those_of_praznik(name: str) -> None:
    X, y = typed(name)
    expected = stored(f"{name}_mrmr.json")
    result = information_selection(X, y, criterion="mrmr", binning="praznik")
    frame = result.to_frame()
    assert list(frame.index) == expected["order"]
    np.testing.assert_allclose(frame["score"], expected["score"], rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", NAMES)
def test_first_score_of_each_feature_is_its_mutual_information(name: str) -> None:
    X, y = typed(name)
    check_informations(X, y, stored(f"{name}_mutual_information.json"))


@pytest.mark.parametrize("size", [5, 20, 30, 31])
def test_number_of_bins_follows_the_number_of_rows(size: int) -> None:
    X, y = typed("range_ends")
    by_rows = stored("range_ends_mutual_information_by_rows.json")
    check_informations(X[:size], y[:size], by_rows[str(size)])


def check_informations(X: pd.DataFrame, y: pd.Series, expected: dict[str, float]) -> None:
    # The score of the first selected feature is I(X; Y): make each column the only informative one.
    constant = pd.Series(0, index=X.index, dtype="int64")
    for column, value in expected.items():
        alone = pd.DataFrame({"other": constant, column: X[column]})
        if X[column].nunique() == 1:
            alone["varies"] = X.iloc[:, 0]
        scores = dict(zip(alone.columns, mrmr(alone, y, binning="praznik"), strict=True))
        if X[column].nunique() == 1:
            assert value == 0
        assert scores[column] == pytest.approx(value, abs=TOLERANCE)
