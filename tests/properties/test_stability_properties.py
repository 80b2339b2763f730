"""What must hold for every stability measure, whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyfsagg._kernels.stability import canberra_pair_sum
from pyfsagg.extending import STABILITY_MEASURES
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import UndefinedStabilityError
from pyfsagg.stability_measures.measure import measure_stability

NAMES = [spec.name for spec in STABILITY_MEASURES]

# Lustgarten's measure of equal subsets of size k is 1 - k/p when k is at most p/2.
PERFECT_IF_EQUAL = [
    spec.name
    for spec in STABILITY_MEASURES
    if "similarity" not in spec.needs and spec.name != "lustgarten"
]

ALWAYS_DEFINED_ON_RANKS = {"canberra", "rank_biased_overlap"}
UNDEFINED_IF_ALL_SELECTED = {
    "intersection_mean", "kappa", "lustgarten", "nogueira", "phi", "sechidis", "somol",
    "unadjusted", "wald",
}  # fmt: skip

matrices = st.tuples(st.integers(2, 7), st.integers(2, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-3, 3).map(float))
)


def is_undefined(scores: NDArray[np.float64], name: str, n_features_to_select: int) -> bool:
    """Whether the definition of the measure has no value for any pair of these rows."""
    if STABILITY_MEASURES.get(name).kind != "sets":
        varying = np.ptp(scores, axis=1) > 0
        return name not in ALWAYS_DEFINED_ON_RANKS and varying.sum() < 2
    if name in ("yu", "intersection_count", "intersection_greedy", "intersection_mbm"):
        # Two features are similar to each other here, and any selection is as good as another.
        return scores.shape[1] == 2
    return name in UNDEFINED_IF_ALL_SELECTED and n_features_to_select == scores.shape[1]


def value(scores: NDArray[np.float64], name: str, n_features_to_select: int = 1) -> float | None:
    """The value; None, where the measure is undefined, and nowhere else."""
    spec = STABILITY_MEASURES.get(name)
    options: dict[str, object] = {}
    if "similarity" in spec.needs:
        position = np.arange(scores.shape[1])
        options["similarity"] = np.exp(-np.abs(position[:, None] - position) / 12)
    if name.startswith("intersection_"):
        options["chance_correction"] = "exact"
    # Orders of ties that have to be drawn depend on the order of rows and columns.
    options["ties"] = "first" if spec.needs_strict else "random"
    options |= {"input": "scores", "n_features_to_select": n_features_to_select}
    if is_undefined(scores, name, n_features_to_select):
        with pytest.raises(UndefinedStabilityError, match=f"{name!r} is undefined on these data"):
            measure_stability(scores, name, **options)
        return None
    return measure_stability(scores, name, **options).value


def bounds(name: str, m: int, p: int) -> tuple[float, float]:
    """The range that the registry states, for m resamples of p features."""
    low, high = STABILITY_MEASURES.get(name).bounds.strip("[()]").split(", ")
    low = {"1 - p": str(1 - p), "-1/(m-1)": str(-1 / (m - 1))}.get(low, low)
    return float(low), float(high)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=25, deadline=None)
@given(scores=matrices, seed=st.integers(0, 99))
def test_bounds_of_the_registry_and_what_does_not_matter(name, scores, seed):
    """The order of resamples and of features, and monotone transformations of what is not a score."""
    spec, half = STABILITY_MEASURES.get(name), max(1, scores.shape[1] // 2)
    rng, expected = np.random.default_rng(seed), {k: value(scores, name, k) for k in {2, half}}
    same = [(rng.permutation(scores), 2, 1e-9)]
    if not spec.needs_strict and "similarity" not in spec.needs:
        same.append((rng.permutation(scores, axis=1), half, 1e-9))
    if spec.kind != "scores":
        same.append((np.exp(scores) + 1, 2, 1e-12))
    for changed, k, slack in same:
        found = value(changed, name, k)
        assert expected[k] is None or found == pytest.approx(expected[k], abs=slack)
    if expected[half] is not None:
        low, high = bounds(name, *scores.shape)
        assert low - 1e-9 <= expected[half] <= high + 1e-9


@pytest.mark.parametrize("name", PERFECT_IF_EQUAL)
@settings(max_examples=15, deadline=None)
@given(row=arrays(np.float64, 8, elements=st.floats(-5, 5), unique=True), m=st.integers(2, 6))
def test_equal_resamples_are_perfectly_stable(name: str, row: NDArray[np.float64], m: int) -> None:
    found = value(np.tile(row, (m, 1)), name, n_features_to_select=3)
    perfect = 1.0 if STABILITY_MEASURES.get(name).higher_is_better else 0.0
    assert found == pytest.approx(perfect, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(scores=matrices)
def test_kernel_twins(scores: NDArray[np.float64]) -> None:
    ranks = rankdata(scores, axis=1)
    assert np.array_equal(rank_scores(scores, higher_is_better=False), ranks)
    columns = np.sort(ranks.T, axis=1)
    cells = columns[:, :, None] - columns[:, None, :]
    total = (np.abs(cells) / (columns[:, :, None] + columns[:, None, :])).sum() / 2
    assert canberra_pair_sum(columns) == pytest.approx(total, abs=1e-10)
