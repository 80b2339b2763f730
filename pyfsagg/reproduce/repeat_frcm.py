"""One repetition of Table 2 of the consensus affinity paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyfsagg.unsupervised import evaluate_rankings

__all__ = ["clustering_on_selected"]


def clustering_on_selected(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> dict[tuple[str, str], float]:
    """One trial: k-means on the features that each method selects."""
    trial = evaluate_rankings(
        X, y, n_trials=1, n_clusterings=settings["n_clusterings"], random_state=seed, n_jobs=n_jobs
    ).set_index("method")
    return {
        (str(row), measure): float(trial.loc[row, measure])
        for row in trial.index
        for measure in ("n_features", "nmi", "ari")
    }
