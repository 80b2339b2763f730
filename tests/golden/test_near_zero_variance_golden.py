"""Near-zero variance against caret 6.0-93 (R 4.2.2); the values are by make_tables_r.R."""

import numpy as np
import pandas as pd
import pytest
from golden import DATA, path_of

from pyfsagg.filters import near_zero_variance


@pytest.mark.parametrize("name", ["ionosphere", "zoo", "pima_missing"])
def test_metrics_and_verdict_are_those_of_caret(name: str) -> None:
    X = pd.read_csv(path_of(name)).drop(columns="target")
    expected = pd.read_csv(DATA / f"{name}_near_zero_variance.csv", index_col="feature")
    found = near_zero_variance(X).to_frame()
    assert list(found.index) == list(expected.index)
    np.testing.assert_allclose(found["frequency_ratio"], expected["freqRatio"], rtol=1e-12)
    np.testing.assert_allclose(found["unique_percent"], expected["percentUnique"], rtol=1e-12)
    assert found["constant"].tolist() == expected["zeroVar"].tolist()
    assert (~found["keep"]).tolist() == expected["nzv"].tolist()
