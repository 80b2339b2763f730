"""Table 2 and figure 1 of the consensus affinity paper: clustering on the features that are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix, identity
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import normalize

from pyfsagg.datasets import load_dataset
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.extending import as_table, check_integer
from pyfsagg.unsupervised import (
    clustering_curve,
    frmv,
    laplacian_score,
    rank_unsupervised,
)
from pyfsagg.unsupervised.rankings import score_on_graph
from pyfsagg.unsupervised.result import mean_plus_sd
from pyfsagg_papers.records import Floats
from pyfsagg_papers.tables.clustering_trials import METHODS, evaluate_rankings

FIGURE_1 = ("dermatology", "segmentation_test", "pendigits_test", "wine")
SEEDED = ("frcm", "frmv")
TRIALS, QUICK_TRIALS = 40, 3

HEAT_KERNEL, BINARY = "heat kernel", "weights of 1"
COSINE, COSINE_AND_SELF = "cosine similarity", "cosine similarity, each sample its own neighbour"
SMALL_IS_GOOD, LARGE_IS_GOOD = "small is important", "large is important"
BY_RATIO, BY_NUMBER = "correlation_ratio", "label_correlation"
AS_READ = {
    "methods": [*METHODS, "pca"],
    "laplacian_graph": HEAT_KERNEL,
    "laplacian_direction": SMALL_IS_GOOD,
    "frmv_association": BY_RATIO,
    "frmv_aggregator": "borda",
}
"""How the paper is read unless a reading says otherwise; see :mod:`.readings`."""


def clustering_on_selected(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> dict[tuple[str, str], float]:
    """One trial: k-means on the features that each method selects."""
    drawn: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs}
    many = {"n_clusterings": settings["n_clusterings"], **drawn}
    if all(settings[name] == usual for name, usual in AS_READ.items() if name != "methods"):
        trial = evaluate_rankings(X, y, settings["methods"], n_trials=1, **many)
    else:  # a reading of one row
        (method,) = settings["methods"]
        if method == "frmv":
            how = {name: settings[f"frmv_{name}"] for name in ("association", "aggregator")}
            scores = frmv(X, **how, **many).scores
        else:
            scores = _laplacian(X, settings["laplacian_graph"], settings["laplacian_direction"])
        size = int(mean_plus_sd(scores).sum())
        trial = clustering_curve(X, y, {method: scores}, [size], n_trials=1, **drawn)
    trial = trial.set_index("method")
    return {
        (str(row), measure): float(trial.loc[row, measure])
        for row in trial.index
        for measure in ("n_features", "nmi", "ari")
    }


def _laplacian(X: Any, graph: str, direction: str) -> Floats:
    """Laplacian scores on another graph of the five nearest neighbours, larger = taken first."""
    if graph in (HEAT_KERNEL, BINARY):
        scores = laplacian_score(X, bandwidth="mean" if graph == HEAT_KERNEL else "binary")
    else:
        table = _z_scores(X)
        unit = normalize(table.values)
        near = kneighbors_graph(unit, 5).maximum(kneighbors_graph(unit, 5).T)
        if graph == COSINE_AND_SELF:
            near = near + identity(table.n_samples)
        scores = score_on_graph(table, csr_matrix(near.multiply(unit @ unit.T)))
    return scores if direction == SMALL_IS_GOOD else -scores


def _z_scores(X: Any) -> Any:
    """The table with every column on the scale of its standard deviation."""
    table = as_table(X)
    scaled = np.zeros_like(table.values)
    for j, column in enumerate(table.values.T):
        centred = column - column.mean()
        if (largest := np.abs(centred).max()) > 0.0:
            centred /= largest
            scaled[:, j] = centred / centred.std()
    return table.with_values(scaled)


def clustering_curves(
    datasets: Sequence[str] = FIGURE_1,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """Mean NMI and ARI of k-means on the best d features, d = 1, …, p, by ranking method.

    The figure has no printed values; the statement of the paper, that consensus affinity (FRCM) is
    best, is checked by ``mean_over_sizes``.  Rows with a missing value are left out.

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


def summarise_trials(trials: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation (ddof 1) over trials, one row per method."""
    measured = ["n_features", "nmi", "ari"]
    keys = ["method", "size"] if "size" in trials else ["method"]
    grouped = trials.groupby(keys, sort=False)[measured]
    means, spreads = grouped.mean(), grouped.std().add_suffix("_sd")
    columns = [c for name in means.columns for c in (name, f"{name}_sd")]
    return means.join(spreads)[columns]


def mean_over_sizes(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean NMI over all numbers of features but all of them, data sets by methods.

    The column ``best`` names the method with the largest mean: the paper states that it is FRCM.
    """
    last = curves.groupby("dataset")["size"].transform("max")
    part = curves[curves["size"] < last]
    wide = part.pivot_table(index="dataset", columns="method", values="nmi", sort=False)
    return wide.rename_axis(columns=None).assign(best=wide.idxmax(axis=1))
