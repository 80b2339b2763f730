"""F, Welch, Kruskal and Wallis, AUC, variance and MAD against base R 4.2.2 (make_plain_r.R)."""

import pytest
from golden import scores, stored, typed

VALUES = stored("plain_r.json")


@pytest.mark.parametrize(
    ("name", "filter"),
    [(name, filter) for name in ("sonar", "mixed") for filter in VALUES[name]],
)
def test_values_of_base_r(name: str, filter: str) -> None:
    X, y = typed(name)
    expected = VALUES[name][filter]
    assert scores(X[list(expected)], y, filter) == pytest.approx(expected, rel=1e-10)
