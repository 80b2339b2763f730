"""Which filters rank features alike: ``python tools/filters_alike.py``, with PYFSAGG_DATA, draws it.

As in Bommert et al. (2020): the rank correlation of the scores of each pair of filters, the mean over tables,
and an order of the filters by average linkage. The tables have two classes, so that all filters can be asked.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

import pyfsagg
from pyfsagg.filters._base import FILTERS
from pyfsagg.resampling import Rows

PLACE = Path(__file__).resolve().parents[1] / "docs" / "_static" / "filters_alike"
TABLES = ("golub", "arcene", "madelon", "ionosphere")
LARGEST = 1000
"""Features of a table, drawn at random from more."""
LEFT_OUT = ("frcm", "frmv", "svd_entropy")
"""Filters by many clusterings, or an eigenproblem for each feature."""


def correlations(name: str) -> pd.DataFrame:
    """Rank correlations of the scores of all filters on one table."""
    data = pyfsagg.load_dataset(name)
    X = data.X.loc[:, data.X.nunique() > 1]
    if X.shape[1] > LARGEST:
        rng = np.random.default_rng(0)
        X = X.iloc[:, np.sort(rng.choice(X.shape[1], LARGEST, replace=False))]
    pyfsagg.list_methods("filters")  # those of the unsupervised room are among them
    names = [s.name for s in FILTERS if "classes" in s.targets and s.name not in LEFT_OUT]
    run = pyfsagg.bam(
        X,
        data.y,
        filters=names,
        filter_params={one: {"n_features": "all"} for one in names if FILTERS.get(one).begins},
        resampling=Rows([list(range(len(X)))]),
        checks="none",
    )
    scores = pd.DataFrame({one: run.score_matrices[one][0] for one in names})
    return scores.corr(method="spearman")


def main() -> None:
    """The mean over tables, as numbers and as a picture."""
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "pyfsagg"
    from matplotlib import pyplot as plt

    found = [correlations(name) for name in TABLES]
    mean = sum(found[1:], found[0]) / len(found)
    distance = squareform(1.0 - mean.to_numpy(), checks=False)
    mean = mean.iloc[(order := leaves_list(linkage(distance, "average"))), order]
    mean.round(3).to_csv(PLACE.with_suffix(".csv"), index_label="filter")
    labels = [name.replace("_", " ") for name in mean]
    figure, axes = plt.subplots(figsize=(7.6, 6.6), layout="constrained")
    image = axes.imshow(mean, cmap="RdBu_r", vmin=-1.0, vmax=1.0)
    axes.set_xticks(range(len(labels)), labels, rotation=90)
    axes.set_yticks(range(len(labels)), labels)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, label="Mean rank correlation of scores", shrink=0.7)
    figure.savefig(PLACE.with_suffix(".svg"), metadata={"Date": None})


if __name__ == "__main__":
    main()
