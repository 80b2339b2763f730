"""What must hold for every stability measure, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import rankdata

from pyfsagg._kernels.stability.pairs import canberra_pair_sum
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import stability
from pyfsagg.stability_measures._base import STABILITY_MEASURES

NAMES = [spec.name for spec in STABILITY_MEASURES]
BOUNDS = {
    "pearson": (-1, 1), "spearman": (-1, 1), "kendall": (-1, 1), "top_down": (-1, 1),
    "weighted_kendall": (-1, 1), "rank_biased_overlap": (0, 1), "canberra": (0, 1),
    "asd": (0, np.inf), "davis": (0, 1), "dice": (0, 1), "hamming": (0, 1), "jaccard": (0, 1),
    "tanimoto": (0, 1), "kappa": (-1, 1), "lustgarten": (-1, 1), "nogueira": (-1, 1),
    "novovicova": (0, 1), "ochiai": (0, 1), "phi": (-1, 1), "somol": (0, 1), "wald": (-9, 1),
}  # fmt: skip

# Lustgarten's measure of equal subsets of size k is 1 - k/p when k is at most p/2.
PERFECT_IF_EQUAL = [
    spec.name
    for spec in STABILITY_MEASURES
    if "similarity" not in spec.needs and spec.name != "lustgarten"
]

matrices = st.tuples(st.integers(2, 7), st.integers(2, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(-3, 3).map(float))
)


def value(scores: NDArray[np.float64], name: str, top: int = 1) -> float | None:
    spec = STABILITY_MEASURES.get(name)
    options: dict[str, object] = {}
    if "similarity" in spec.needs:
        position = np.arange(scores.shape[1])
        options["similarity"] = np.exp(-np.abs(position[:, None] - position) / 12)
    if name.startswith("intersection_"):
        options["correction"] = "none"
    try:
        return stability(scores, name, input="scores", top=top, **options).value
    except DataError:
        return None


@pytest.mark.parametrize("name", sorted(BOUNDS))
@settings(max_examples=25, deadline=None)
@given(scores=matrices)
def test_values_stay_within_their_bounds(name: str, scores: NDArray[np.float64]) -> None:
    found = value(scores, name, top=max(1, scores.shape[1] // 2))
    low, high = BOUNDS[name]
    assert found is None or low - 1e-9 <= found <= high + 1e-9


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, deadline=None)
@given(scores=matrices, seed=st.integers(0, 99))
def test_the_order_of_the_resamples_does_not_matter(
    name: str, scores: NDArray[np.float64], seed: int
) -> None:
    shuffled = np.random.default_rng(seed).permutation(scores)
    expected = value(scores, name, 2)
    assert value(shuffled, name, 2) == (
        None if expected is None else pytest.approx(expected, abs=1e-9)
    )


@pytest.mark.parametrize("name", [s.name for s in STABILITY_MEASURES if s.kind != "scores"])
@settings(max_examples=15, deadline=None)
@given(scores=matrices)
def test_monotone_transformations_change_nothing(name: str, scores: NDArray[np.float64]) -> None:
    expected = value(scores, name, 2)
    assert value(np.exp(scores) + 1, name, 2) == (
        None if expected is None else pytest.approx(expected, abs=1e-12)
    )


@pytest.mark.parametrize("name", PERFECT_IF_EQUAL)
@settings(max_examples=15, deadline=None)
@given(row=arrays(np.float64, 8, elements=st.floats(-5, 5), unique=True), m=st.integers(2, 6))
def test_equal_resamples_are_perfectly_stable(name: str, row: NDArray[np.float64], m: int) -> None:
    found = value(np.tile(row, (m, 1)), name, top=3)
    perfect = 1.0 if STABILITY_MEASURES.get(name).larger_is_stabler else 0.0
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
