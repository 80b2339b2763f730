"""Table 2 and figure 1 of the consensus affinity paper: clustering on the features that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pyfsagg._base.checks import check_integer
from pyfsagg.datasets import load_dataset
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.unsupervised import (
    clustering_curve,
    evaluate_rankings,
    rank_unsupervised,
    summarise_trials,
)

__all__ = ["FIGURE_1", "clustering_curves", "clustering_on_selected", "mean_over_sizes"]

FIGURE_1 = ("dermatology", "segmentation_test", "pendigits_test", "wine")
METHODS = ("frcm", "frmv", "laplacian_score", "svd_entropy")
SEEDED = ("frcm", "frmv")
TRIALS, QUICK_TRIALS = 40, 3


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


def clustering_curves(
    datasets: Sequence[str] = FIGURE_1,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Mean NMI and ARI of k-means on the best d features, d = 1, …, p, by ranking method.

    The figure has no printed values; what the paper says of it, that consensus affinity (FRCM) is
    best, is decided by :func:`mean_over_sizes`.  Rows with a missing value are left out.

    Parameters
    ----------
    datasets : sequence of str
        Of the four UCI sets of the figure; ``PYFSAGG_DATA`` names the folder that has them.
    quick : bool
        Three trials for each size instead of forty.
    random_state : int
    n_jobs : int, optional

    Returns
    -------
    DataFrame
        ``dataset``, ``method``, ``size``, ``nmi``, ``nmi_sd``, ``ari``, ``ari_sd``.

    Raises
    ------
    UnknownNameError
        For a data set that the figure does not have, or that is not here.
    """
    check_integer("random_state", random_state, low=0)
    frames = []
    for name in [datasets] if isinstance(datasets, str) else datasets:
        if name not in FIGURE_1:
            raise UnknownNameError("data set of figure 1", name, FIGURE_1)
        data = load_dataset(name)
        complete = ~data.X.isna().any(axis=1)
        X, y = data.X[complete], data.y[complete]
        options = {"random_state": random_state, "n_jobs": n_jobs}
        rankings = {
            method: rank_unsupervised(X, method, **(options if method in SEEDED else {}))
            for method in METHODS
        }
        trials = clustering_curve(
            X,
            y,
            rankings,
            range(1, X.shape[1] + 1),
            n_trials=QUICK_TRIALS if quick else TRIALS,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        frame = summarise_trials(trials).reset_index().drop(columns=["n_features", "n_features_sd"])
        frame.insert(0, "dataset", name)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def mean_over_sizes(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean NMI over all numbers of features but all of them, data sets by methods.

    The column ``best`` names the method with the largest mean: the paper states that it is FRCM.
    """
    last = curves.groupby("dataset")["size"].transform("max")
    part = curves[curves["size"] < last]
    wide = part.pivot_table(index="dataset", columns="method", values="nmi", sort=False)
    return wide.rename_axis(columns=None).assign(best=wide.idxmax(axis=1))
