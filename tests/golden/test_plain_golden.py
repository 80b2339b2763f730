"""F, Welch, Kruskal and Wallis, AUC, variance and MAD against base R 4.2.2 (make_plain_r.R)."""

import pytest
from golden import stored, typed

import pyfsagg
from pyfsagg.resampling import Rows

VALUES = stored("plain_r.json")


@pytest.mark.parametrize(
    ("name", "filter"),
    [(name, filter) for name in ("sonar", "mixed") for filter in VALUES[name]],
)
def test_values_of_base_r(name: str, filter: str) -> None:
    X, y = typed(name)
    expected = VALUES[name][filter]
    run = pyfsagg.wam(
        X[list(expected)], y, filter=filter, resampling=Rows([list(range(len(X)))]), checks="none"
    )
    found = run.score_matrices[filter][0]
    assert found.tolist() == pytest.approx(list(expected.values()), rel=1e-10)
