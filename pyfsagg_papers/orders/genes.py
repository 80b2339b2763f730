"""The rank-order paper on gene expression: figures 11 to 13, and the numbers of section 5.2."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg.datasets import load_dataset
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order.naive_bayes import naive_bayes_accuracy, random_subset_baseline
from pyfsagg_papers.orders.experiment import (
    Experiment,
    Finding,
    curve_of,
    eliminated,
    mean_curves,
    to_words,
)
from pyfsagg_papers.records import Log, silent

# -------------------------------------------------------------------------------------------------
# figures 11 to 13 of the rank-order paper: eliminations on gene expression
# -------------------------------------------------------------------------------------------------

LARGEST = 80  # sizes along which accuracy is measured on real data
BASELINE = 30  # largest random subset
PRINTED = {"figure-12": (0.93, 25), "figure-13": (0.97, 16)}
"""Printed accuracy and number of genes."""


def gene_experiment(
    name: str, n_repeats: int, random_state: int, n_jobs: int | None, log: Log
) -> Experiment:
    """Figures 11 (fruit fly), 12 and 13 (leukaemia, two and three classes)."""
    if name == "figure-11":
        data = load_dataset("drosophila_lifecycle_artiva")
        X, y, title = data.X, data.y, "Life cycle of Drosophila (another version of the data)"
    else:
        data = load_dataset("golub")
        X, y = data.X, data.y
        title = "Leukaemia, two classes"
        if name == "figure-13":
            y, title = leukaemia_subtypes(len(y)), "Leukaemia, three classes"
    curves, baseline = compare_with_random(
        X, y, panel=title, random_state=random_state, n_jobs=n_jobs, log=log
    )
    return Experiment(
        name,
        title,
        "accuracy",
        curves,
        baseline,
        tuple(gene_findings(name, curves, baseline)),
        {
            "data": data.name,
            "n_samples": len(y),
            "n_features": X.shape[1],
            "random_state": random_state,
            "n_random_subsets": 100,
        },
    )


def leukaemia_subtypes(n: int) -> pd.Series[Any]:
    """AML, B-ALL and T-ALL of the leukaemia samples, from the file beside the table."""
    path = Path(os.environ.get("PYFSAGG_DATA", ".")) / "golub" / "golub.samples.csv.gz"
    if not path.is_file():
        raise DataError(
            "the three classes of the leukaemia data are read from golub/golub.samples.csv.gz in "
            "the folder that PYFSAGG_DATA names; it is not there"
        )
    labels = pd.read_csv(path)["subtype"]
    if len(labels) != n:
        raise DataError(f"golub.samples.csv.gz has {len(labels)} rows for {n} samples")
    return labels


def compare_with_random(
    X: Any,
    y: Any,
    *,
    methods: Sequence[str] = ("cdv", "spoilers"),
    largest: int = LARGEST,
    panel: str = "",
    n_subsets: int = 100,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log = silent,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Curves of eliminations beside random subsets of 2 to 30 features."""
    rows = []
    for method in methods:
        log(f"{panel}: {method}")
        result = eliminated(
            X, y, method, accuracy=largest, n_jobs=n_jobs, random_state=random_state
        )
        rows.append(curve_of(result, panel, method))
    log(f"{panel}: random subsets")
    band = random_subset_baseline(
        X, y, max_size=min(BASELINE, X.shape[1]), n_subsets=n_subsets, random_state=random_state
    )
    return mean_curves(rows), band.reset_index().assign(panel=panel)


def _compared(curves: pd.DataFrame, baseline: pd.DataFrame) -> pd.DataFrame:
    """Accuracy by size: one column per method, and that of random subsets."""
    table = curves.pivot_table(index="size", columns="method", values="accuracy")
    return table.join(baseline.set_index("size")["accuracy_mean"].rename("random")).dropna()


def _zero_down_to(curves: pd.DataFrame) -> dict[str, int]:
    zero = curves[curves["divergence"] == 0.0]
    return {str(method): int(size) for method, size in zero.groupby("method")["size"].min().items()}


def gene_findings(figure: str, curves: pd.DataFrame, baseline: pd.DataFrame) -> list[Finding]:
    """What the paper states of ``figure-11``, ``figure-12`` or ``figure-13``."""
    if figure in PRINTED:
        return leukaemia_findings(curves, baseline, *PRINTED[figure])
    return fly_findings(curves, baseline)


def fly_findings(curves: pd.DataFrame, baseline: pd.DataFrame) -> list[Finding]:
    """What the paper states of figure 11, on curves and random subsets as in :class:`Experiment`."""
    table = _compared(curves, baseline)
    means = table.mean()
    zero = _zero_down_to(curves)
    return [
        Finding(
            "zero divergence is maintained until about ten features are left",
            max(zero.values()) <= 10,
            f"smallest subsets of zero divergence: {zero}",
        ),
        Finding(
            "CDV and Spoilers have about the same accuracy (within 0.03 on average)",
            bool(abs(means["cdv"] - means["spoilers"]) <= 0.03),
            to_words(means),
        ),
        Finding(
            "both are better than random subsets on average",
            bool(means[["cdv", "spoilers"]].min() > means["random"]),
            to_words(means),
        ),
        _best(curves, "spoilers", 0.933, 6),
        _best(curves, "cdv", 0.933, 13),
    ]


def leukaemia_findings(
    curves: pd.DataFrame, baseline: pd.DataFrame, accuracy: float, size: int
) -> list[Finding]:
    """What the paper states of figures 12 and 13, and of the set of `size` genes that it prints."""
    table = _compared(curves, baseline)
    means = table.mean()
    zero = _zero_down_to(curves)
    return [
        Finding(
            "CDV is markedly better than Spoilers (by more than 0.05 on average)",
            bool(means["cdv"] > means["spoilers"] + 0.05),
            to_words(means),
        ),
        Finding(
            "CDV is better than random subsets on average",
            bool(means["cdv"] > means["random"]),
            to_words(means),
        ),
        Finding(
            "Spoilers is no better than the average random subset",
            bool(means["spoilers"] <= means["random"]),
            to_words(means),
        ),
        Finding(
            "CDV keeps zero divergence down to fewer features than Spoilers",
            zero["cdv"] < zero["spoilers"],
            f"smallest subsets of zero divergence: {zero}",
        ),
        _best(curves, "cdv", accuracy, size),
    ]


def _best(curves: pd.DataFrame, method: str, accuracy: float, size: int) -> Finding:
    own = curves[curves["method"] == method].dropna(subset="accuracy")
    small = own[own["size"] <= size]
    best = small.iloc[int(small["accuracy"].to_numpy().argmax())]
    return Finding(
        f"{method} finds {size} features or fewer with an accuracy of {accuracy:.1%}",
        bool(best["accuracy"] >= accuracy - 0.0005),
        f"best of up to {size} features: {best['accuracy']:.1%} with {int(best['size'])}; best of up "
        f"to {LARGEST}: {own['accuracy'].max():.1%}",
    )


# -------------------------------------------------------------------------------------------------
# the two real-data results of the rank-order paper: features removed once, accuracy by fold division
# -------------------------------------------------------------------------------------------------

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
    """Mean over repetitions as the curves and the baseline of a figure of the paper."""
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
