"""Results of ensemble runs, built from simulated score matrices."""

from collections.abc import Callable

import numpy as np
import pytest
from html_pages import compose_pictures

from pyfsagg._base.registry import Call
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble.core import Recipe
from pyfsagg.ranks import rank_scores

FILTERS_OF_BAM = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared")
HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><img src=x onerror=alert(1)>",
    "\"><svg onload='alert(1)'>",
    "{{ 7 * 7 }} {% raw %}",
    "$\\frac{x}{0$ & --> ]]>",
    "line\nbreak\x00\u202eright-to-left",
    "Körpergröße, 体重",
    "mean_corpuscular_haemoglobin_concentration_in_grams_per_decilitre",
)

Make = Callable[..., EnsembleResult]


def make_result(
    names=12, n_resamples=40, filters=("information_gain",), aggregator="arithmetic_mean", scores=None,
    missing=0.0, classes=("bad", "good"), target="class", dropped=(), **parameters,
):  # fmt: skip
    """A result with scores that fall from feature to feature, plus noise; or with given scores."""
    features = tuple(f"V{j + 1}" for j in range(names)) if isinstance(names, int) else tuple(names)
    rng = np.random.default_rng(5)
    p = len(features)
    matrices = {}
    for label in filters:
        matrix = np.linspace(1.0, 0.1, p) + 0.1 * rng.standard_normal((n_resamples, p))
        matrix[rng.random(matrix.shape) < missing] = np.nan
        matrices[label] = matrix if scores is None else np.array(scores, dtype=float)
    recipe = Recipe.of(aggregator)
    bam = len(filters) > 1
    combined = recipe.combine(matrices, features)
    aggregated = recipe.aggregate(combined, features)
    recorded = {
        "filters": list(filters),
        "filter_params": {},
        "n_resamples": len(combined),
        "resampling": "bootstrap",
        "resampling_params": {},
        "weighted": False,
        "drop_near_zero_variance": bool(dropped),
        "seed": 20240607,
        "aggregator": aggregator,
        "aggregator_params": {},
        **({"normalize": "per_resample"} if bam else {}),
        **parameters,
    }
    bam_filters = {"filters": repr(list(filters)), "normalize": "'per_resample'"}
    chosen = bam_filters if bam else {"filter": repr(filters[0])}
    recorded["call"] = Call(
        "bam" if bam else "wam", ("X", "y"), {**chosen, "random_state": "20240607"}
    ).record()
    data = {
        "sha256": "0123456789abcdef" * 4,
        "n_samples": 1234,
        "n_features": p,
        "target": target,
        "class_counts": dict.fromkeys(classes, 617),
        "dropped_features": list(dropped),
    }
    versions = {"pyfsagg": "0.1.0", "python": "3.11.9", "numpy": "2.4.0"}
    return EnsembleResult(
        method="bam" if bam else "wam",
        feature_names=features,
        score_matrices=matrices,
        combined=combined,
        scores=aggregated,
        ranking=rank_scores(aggregated),
        parameters=recorded,
        data=data,
        versions=versions,
    )


@pytest.fixture(scope="session")
def make() -> Make:
    return make_result


@pytest.fixture(scope="session")
def bam_filters() -> tuple[str, ...]:
    return FILTERS_OF_BAM


@pytest.fixture(scope="session")
def hostile() -> tuple[str, ...]:
    return HOSTILE


@pytest.fixture
def composed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages whose words are read, and whose pictures are not."""
    compose_pictures(monkeypatch)
