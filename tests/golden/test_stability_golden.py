"""Set measures against values of stabm 1.2.2.

The adjusted intersections and Yu in stability_sets.json are not corrected for chance
(`correction.for.chance = "none"`), the similarity of the features i and j is exp(-|i - j|), and the
threshold 0.3, so neighbours are similar and no others.  Greedy and maximum matching agree on
these chains, and the greedy variant needs no tolerance of its own.
"""

from typing import Any

import pytest
from golden import stored
from stability_cases import near, value

from pyfsagg.stability_measures.measure import measure_stability

KINDS = ("MBM", "Greedy", "Count", "Mean")
CASES = stored("stability_sets.json")
SNAKE = {f"Intersection{kind}": f"intersection_{kind.lower()}" for kind in KINDS}
ADJUSTED = {*SNAKE, "Yu", "Zucknick", "Sechidis"}
UNCORRECTED = {*SNAKE, "Yu"}


@pytest.mark.parametrize("measure", sorted(CASES[0]["values"]))
def test_values_of_stabm(measure: str) -> None:
    for case in CASES:
        sets = [[feature - 1 for feature in row] for row in case["features"]]
        options: dict[str, Any] = {"n_features": case["p"]}
        if measure in ADJUSTED:
            options |= {"similarity": near(case["p"], 1), "threshold": 0.3}
        if measure in UNCORRECTED:
            options["chance_correction"] = "none"
        found = measure_stability(sets, SNAKE.get(measure, measure.lower()), **options)
        assert found.value == pytest.approx(case["values"][measure], rel=0, abs=1e-10)
        assert found.n_undefined == 0


EXACT = stored("stability_exact.json")


def value_of(measure: str, key: str, **options: Any) -> float:
    sets = [[feature - 1 for feature in row] for row in EXACT[key]]
    if measure in {*SNAKE.values(), "yu", "zucknick"}:
        options |= {"similarity": EXACT["similarity"], "threshold": EXACT["threshold"]}
    return value(sets, measure, n_features=EXACT["p"], **options)


@pytest.mark.parametrize("measure", sorted(EXACT["exact"]))
def test_exact_correction_of_stabm(measure: str) -> None:
    """Correction for chance by all pairs of subsets (`correction.for.chance = "exact"`)."""
    found = value_of(measure, "features", chance_correction="exact")
    assert found == pytest.approx(EXACT["exact"][measure], rel=0, abs=1e-10)


@pytest.mark.parametrize("measure", sorted(EXACT["imputed"]))
def test_undefined_pairs_of_stabm(measure: str) -> None:
    """The same pairs are undefined: with a value imputed for them the averages agree."""
    options: dict[str, Any] = {"undefined": EXACT["undefined_pairs_as"]}
    if measure in {*SNAKE.values(), "yu"}:
        options["chance_correction"] = "none"
    found = value_of(measure, "features_with_empty_and_full", **options)
    assert found == pytest.approx(EXACT["imputed"][measure], rel=0, abs=1e-10)
