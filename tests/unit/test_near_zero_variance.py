"""Near-zero variance: the rule at its borders, missing values, the reduced table."""

import numpy as np
import pandas as pd
import pytest

from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import as_table
from pyfsagg.filters.plain import drop_near_zero_variance, near_zero_variance


def column(*counts: int) -> list[float]:
    """A column of 40 rows with these counts, the rest missing."""
    values = [float(level) for level, count in enumerate(counts) for _ in range(count)]
    return values + [np.nan] * (40 - len(values))


def test_the_rule_at_its_borders() -> None:
    counts = [(38, 2), (20, 1), (40,), (), (20, 1, 1, 1, 1), (20, 1, 1, 1)]
    found = near_zero_variance(np.column_stack([column(*each) for each in counts]))
    frame = found.to_frame()
    assert frame["frequency_ratio"].tolist() == [19, 20, 0, 0, 20, 20]
    assert frame["unique_percent"].tolist() == [5, 5, 2.5, 0, 12.5, 10]
    assert frame["constant"].tolist() == [False, False, True, True, False, False]
    assert found.keep.tolist() == [True, False, False, False, True, False]
    assert repr(found) == "NearZeroVariance(keeps 2 of 6 features)"


def test_the_reduced_table_keeps_kinds_and_levels() -> None:
    X = pd.DataFrame({"a": [1, 1, 1], "w": ["x", "y", "x"], "b": [True, False, True]})
    table = drop_near_zero_variance(as_table(X))
    assert table.feature_names == ("w", "b")
    assert table.levels == {0: ("x", "y")}


def test_refusals() -> None:
    X = pd.DataFrame({"a": column(39, 1), "b": column(40)})
    with pytest.raises(DataError, match="all 2 features have near-zero variance"):
        drop_near_zero_variance(as_table(X))
    for name, value in (("frequency_ratio", 0.5), ("unique_percent", 101), ("unique_percent", -1)):
        with pytest.raises(ParameterError, match=f"{name} must be a number"):
            near_zero_variance(X, **{name: value})
