"""Every reference case of RobustRankAggreg 1.2.1; the values are by make_rank_aggregation_r.R."""

from typing import Any

import numpy as np
import pytest
from exact_probabilities import stuart
from golden import stored
from numpy.typing import NDArray

from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings

FULL = stored("rank_aggregation_full.json")
PARTIAL = stored("rank_aggregation_partial.json")
RTOL = 1e-9
# R's recursion for Stuart's Q alternates in sign; it is compared where it still holds six digits,
# and the same recursion in fractions elsewhere.
STUART_RTOL, STUART_LISTS = 1e-6, 20


def computed(table: Rankings, method: str) -> NDArray[np.float64]:
    """Our value of what RobustRankAggreg calls `method`."""
    options: dict[str, Any]
    name, options = {
        "RRA": ("robust_rank_aggregation", {}),
        "RRA_exact": ("robust_rank_aggregation", {"exact": True}),
        "stuart": ("stuart", {}),
        "min": ("minimum_rank", {"normalized": True}),
        "mean": ("mean_p_value", {}),
        "median": ("median_rank", {"normalized": True}),
        "geom.mean": ("geometric_mean_rank", {"normalized": True}),
    }[method]
    values = AGGREGATORS.get(name).compute(table, **options)
    return values.p_values if method.startswith("RRA") else values.statistic


def methods(case: dict[str, Any]) -> list[str]:
    return [key for key in case if key not in {"p", "m", "rmat", "lists", "N", "full"}]


@pytest.mark.parametrize(
    ("case", "method"),
    [(case, method) for case in FULL for method in methods(case)],
    ids=lambda value: value if isinstance(value, str) else f"p{value['p']}-m{value['m']}",
)
def test_full(case: dict[str, Any], method: str) -> None:
    normalized = np.array(case["rmat"], dtype=float).T
    table = Rankings.from_normalized_ranks(normalized)
    expected = np.array(case[method], dtype=float)
    ours = computed(table, method)
    if method == "stuart" and case["m"] > STUART_LISTS:
        whole = np.rint(normalized.T * case["p"]).astype(int).tolist()
        expected = np.array([float(stuart(row, case["p"])) for row in whole])
        np.testing.assert_allclose(ours, expected, rtol=RTOL)
        return
    rtol = STUART_RTOL if method == "stuart" else RTOL
    # R takes the exact p-value as 1 minus a probability, which leaves it 1e-12 in absolute terms.
    atol = 1e-12 if method == "RRA_exact" else 0.0
    np.testing.assert_allclose(ours, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize(
    ("number", "method"),
    [(i, method) for i, case in enumerate(PARTIAL) for method in methods(case)],
)
def test_partial(number: int, method: str) -> None:
    case = PARTIAL[number]
    universe = None if case["full"] else case["N"]
    table = Rankings.from_lists(
        case["lists"], universe=universe, absent="unknown" if bool(case["full"]) else "worst"
    )
    ours = dict(zip(table.items, computed(table, method), strict=True))
    assert set(ours) == set(case[method])
    rtol = STUART_RTOL if method == "stuart" else RTOL
    for name, expected in case[method].items():
        assert ours[name] == pytest.approx(expected, rel=rtol, abs=0.0), name
