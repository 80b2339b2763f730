"""Table 2 of the consensus affinity paper: its competitors, compared by the clusters of what they select."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import check_integer
from pyfsagg.unsupervised.clusterings import Clusterings, check_numbers
from pyfsagg.unsupervised.evaluation import agreement_with_classes
from pyfsagg.unsupervised.methods import rank_unsupervised
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS
from pyfsagg.unsupervised.result import MEAN_PLUS_SD
from pyfsagg_papers.records import Floats

PCA = "pca"
METHODS = ("frcm", "frmv", "laplacian_score", "svd_entropy")
N_INIT = 10
"""Starts of the final k-means, which the paper does not state: with 10 the row of principal components in its
Table 2 is reproduced, with 1 the values are lower and more variable."""


def evaluate_rankings(
    X: Any,
    y: Any,
    methods: Sequence[str] = (*METHODS, PCA),
    *,
    n_features_to_select: str | float | int = MEAN_PLUS_SD,
    n_trials: int = 1,
    n_clusterings: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Cluster the samples on the features that each method selects, and compare with the classes.

    In each trial FRCM and FRMV share one new ensemble of clusterings, and the other methods rank without
    randomness; then k-means (k-means++, best of 10 starts) is run on z-scores of the selected features.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Classes; used for the comparison only.
    methods : sequence of str
        Names in ``pyfsagg.list_methods("unsupervised")``, and "pca" for as many leading principal components
        as FRCM selects features (or as there are).
    n_features_to_select : "mean_plus_sd", int or float
        As in :meth:`pyfsagg.unsupervised.ConsensusRanking.select`.
    n_trials, n_clusterings, random_state : int
    n_jobs : int, optional
        Threads of the clusterings; no number depends on it.

    Returns
    -------
    DataFrame
        One row per trial and method: ``trial``, ``method``, ``n_features``, ``nmi`` (normalised by the
        geometric mean of the entropies), ``ari``.

    Notes
    -----
    The protocol of Table 2 of Zhang and others (2012); NMI after Strehl and Ghosh (2002).
    """
    table = check_numbers(X, standardize="z_score")
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    check_integer("n_trials", n_trials, low=1)
    if not methods or (PCA in methods and "frcm" not in methods):
        raise ParameterError(
            "name a method, and with 'pca' also 'frcm', for its number of components"
        )
    names = [PCA if name == PCA else UNSUPERVISED_METHODS.get(name).name for name in methods]
    drawing = [name for name in names if name != PCA and UNSUPERVISED_METHODS.get(name).clusters]

    def support(name: str, **how: Any) -> Any:
        ranking = rank_unsupervised(table, name, standardize="none", **how)
        return ranking.get_support(n_features_to_select=n_features_to_select)

    fixed = {name: support(name) for name in names if name != PCA and name not in drawing}
    rows = []
    with threadpool_limits(limits=1, user_api="blas"):
        for t in range(n_trials):
            rng = np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(t,)))
            supports = dict(fixed)
            if drawing:
                how = Clusterings(n_clusterings)
                labels, _ = how.draw(table, random_state=rng, n_jobs=n_jobs)
                supports |= {name: support(name, labels=labels, n_jobs=1) for name in drawing}
            for name in names:
                if name == PCA:
                    values = _principal_components(table.values, int(supports["frcm"].sum()))
                else:
                    values = table.values[:, supports[name]]
                draw = int(rng.integers(2**31 - 1))
                nmi, ari = agreement_with_classes(values, codes, len(classes), N_INIT, draw)
                row = {"trial": t, "method": name, "n_features": values.shape[1]}
                rows.append({**row, "nmi": nmi, "ari": ari})
    return pd.DataFrame(rows)


def _principal_components(values: Floats, n_components: int) -> Floats:
    left, singular, _ = np.linalg.svd(values - values.mean(axis=0), full_matrices=False)
    width = min(n_components, int((singular > 1e-12 * singular[0]).sum()))
    components: Floats = left[:, :width] * singular[:width]
    return components
