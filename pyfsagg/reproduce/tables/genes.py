"""The two real-data results of the rank-order paper: features removed once, accuracy by fold division.

The removal does not depend on chance: all repetitions share it.  A repetition divides the samples
into five folds anew and draws random subsets anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg.rank_order import naive_bayes_accuracy, random_subset_baseline
from pyfsagg.reproduce.orders.experiment import eliminated
from pyfsagg.reproduce.orders.genes import BASELINE, LARGEST

__all__ = ["METHODS", "genes_left", "orders_of_removal", "path_of"]

METHODS = ("cdv", "spoilers")
RANDOM = "random"
ACCURACY, ZERO = "accuracy_of_", "zero_divergence_size"


def orders_of_removal(
    X: Any, y: Any, settings: Mapping[str, Any], n_jobs: int | None
) -> dict[str, Any]:
    """What all repetitions share, by method: the features kept longest, and at what divergence.

    ``kept``: positions of the last features, the last of all first; ``zero_divergence_size``: the
    smallest subset of the path whose divergence is 0.
    """
    found = {}
    for method in METHODS:
        path = eliminated(X, y, method, random_state=0, n_jobs=n_jobs)
        kept = path.removal_order[::-1][:LARGEST]
        found[method] = {"kept": kept.tolist(), ZERO: int(path.size_by_divergence(0.0))}
    return found


def genes_left(
    X: Any,
    y: Any,
    settings: Mapping[str, Any],
    seed: int,
    n_jobs: int | None,
    shared: Mapping[str, Any],
) -> dict[tuple[str, str], float]:
    """Accuracy with the last 1, 2, … genes of each method, and with random genes."""
    values: dict[tuple[str, str], float] = {}
    for method in METHODS:
        values[method, ZERO] = float(shared[method][ZERO])
        kept = shared[method]["kept"]
        for size, accuracy in naive_bayes_accuracy(X, y, kept, random_state=seed).items():
            values[method, f"{ACCURACY}{size}"] = float(accuracy)
    largest = min(BASELINE, X.shape[1])
    chance = random_subset_baseline(
        X, y, max_size=largest, n_subsets=settings["n_subsets"], random_state=seed
    )
    for size, accuracy in chance["accuracy_mean"].items():
        values[RANDOM, f"{ACCURACY}{size}"] = float(accuracy)
    return values


def path_of(values: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean over repetitions as the curves and the baseline of a figure of the paper.

    Parameters
    ----------
    values : DataFrame
        ``row``, ``measure``, ``value`` of all repetitions.

    Returns
    -------
    curves, baseline : DataFrame
        ``method``, ``size``, ``accuracy``, ``divergence`` (of the smallest subset where it is 0,
        otherwise missing); ``size``, ``accuracy_mean``.
    """
    accuracy = values[values["measure"].str.startswith(ACCURACY)]
    sizes = accuracy["measure"].str.removeprefix(ACCURACY).astype(int)
    mean = accuracy.assign(size=sizes).groupby(["row", "size"], sort=False)["value"].mean()
    means = mean.rename("accuracy").rename_axis(["method", "size"]).reset_index()
    zero = values[values["measure"] == ZERO].groupby("row", sort=False)["value"].first()
    ends = pd.DataFrame({"method": zero.index, "size": zero.to_numpy().astype(int)})
    chance = means["method"] == RANDOM
    curves = pd.concat([means[~chance], ends.assign(accuracy=np.nan, divergence=0.0)])
    baseline = means.loc[chance, ["size", "accuracy"]].rename(columns={"accuracy": "accuracy_mean"})
    return curves.reset_index(drop=True), baseline.reset_index(drop=True)
