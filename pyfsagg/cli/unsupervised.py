"""``pyfsagg unsupervised``: rank the features of a table without labels."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyfsagg
from pyfsagg._base.validation import n_selected
from pyfsagg._command.flags import TABLE_HELP, Flags, given, size
from pyfsagg._command.results import compute_and_save
from pyfsagg._command.tables import load_table
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import ParameterError

EPILOG = """\
examples:
  pyfsagg unsupervised table.csv
  pyfsagg unsupervised table.csv --classes kind --n-clusterings 200 --seed 1
  pyfsagg unsupervised table.parquet --method svd_entropy --n-features-to-select 10%
  zcat table.csv.gz | pyfsagg unsupervised - --standardize none --json --quiet
"""


def add_commands(commands: Any) -> None:
    text = "rank and select the features of a table without labels"
    about = "Rank the features of a table without labels, by consensus affinity or another "
    about += "method, and write the ranking, the consensus matrix, pictures and a report."
    add = Flags.of(commands, "unsupervised", _unsupervised, text, about, EPILOG)
    add("table", metavar="TABLE", help=TABLE_HELP)
    text = "column with classes, used only to judge the ranking"
    add.column("--classes", "--target", help=text)
    add.reading()
    text = "how features are ranked; an unknown name lists them (default: %(default)s)"
    add("--method", default="frcm", metavar="NAME", help=text)
    add.number("--n-clusterings", default=100, metavar="T")
    text = "share of the features in each clustering"
    add.number("--feature-fraction", default=0.5, metavar="SHARE", text=text)
    add("--k-range", type=_pair, metavar="LOW,HIGH", help="clusters (default: 2 to min(√N, 20))")
    add("--clusterer", default="k_means", metavar="NAME", help="(default: %(default)s)")
    scales = ("z_score", "min_max", "center", "none")
    add.choice("--standardize", scales, "scaling of the features, on which the ranking depends")
    add("--n-neighbors", type=int, metavar="K", help="of laplacian_score (default: 5)")
    add("--aggregator", metavar="NAME", help="of frmv (default: borda)")
    add.size(
        ", or mean_plus_sd (default: %(default)s)",
        type=lambda text: text if text == "mean_plus_sd" else size(text),
        default="mean_plus_sd",
    )
    add("--trials", type=int, default=10, metavar="N", help="of the curves for --classes")
    add.seed("the clusterings")
    add.work()
    add.output("pyfsagg-unsupervised")


def _pair(text: str) -> tuple[int, int]:
    try:
        low, high = map(int, text.split(","))
    except ValueError:
        message = f"expected two whole numbers (2,8), got {text!r}"
        raise argparse.ArgumentTypeError(message) from None
    return low, high


def _unsupervised(options: argparse.Namespace) -> None:
    from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS

    table = load_table(options, options.classes)
    X, y, size = table.X, table.y, options.n_features_to_select
    if not isinstance(size, str):
        n_selected(size, X.shape[1], "--n-features-to-select")  # refuse before the work is done
    spec = UNSUPERVISED_METHODS.get(options.method)
    chosen: dict[str, Any] = {"standardize": options.standardize}
    if spec.clusters:
        chosen |= given(options, "n_clusterings", "feature_fraction", "k_range", "clusterer")
        chosen["random_state"] = options.seed
    elif options.checkpoint:
        names = " and ".join(method.name for method in UNSUPERVISED_METHODS if method.clusters)
        raise ParameterError(f"--checkpoint belongs to --method {names}; others are quick")
    if "n_jobs" in spec.options:
        chosen["n_jobs"] = options.jobs
    for name, value in given(options, "n_neighbors", "aggregator").items():
        if value is not None and name not in spec.options:
            methods = [method.name for method in UNSUPERVISED_METHODS if name in method.options]
            flag = name.replace("_", "-")
            raise ParameterError(f"--{flag} belongs to --method {' and '.join(methods)}")
        if value is not None:
            chosen[name] = value

    def compute(progress: Any) -> pyfsagg.unsupervised.ConsensusRanking:
        if spec.clusters:
            chosen["execution"] = Execution.from_flags(options, progress=progress)
        result = pyfsagg.unsupervised.rank_unsupervised(X, spec.name, **chosen)
        return result if y is None else replace(result, curves=_judge(options, result, X, y))

    def draw(result: pyfsagg.unsupervised.ConsensusRanking, folder: Path) -> None:
        from pyfsagg.unsupervised._report import plot_borda_curve, plot_clustering_curve

        pictures = {"spectrum": result.plot("spectrum", n_features_to_select=size)}
        if result.consensus is not None:
            pictures["consensus"] = result.plot("consensus")
        if result.curves:
            pictures["clustering_curve"] = plot_clustering_curve(result.curves["clustering_curve"])
            pictures["borda_curve"] = plot_borda_curve(result.curves["borda_curve"])
        for name, axes in pictures.items():
            axes.figure.savefig(folder / f"{name}.png", dpi=150)

    view = {"n_features_to_select": size, **table.view}
    compute_and_save(
        options, compute, unit="clustering", view=view, draw=draw, messages=table.lines
    )


def _judge(
    options: argparse.Namespace, result: pyfsagg.unsupervised.ConsensusRanking, X: Any, y: Any
) -> dict[str, Any]:
    """Compare with the classes."""
    import numpy as np

    from pyfsagg.unsupervised.evaluation import borda_curve
    from pyfsagg.unsupervised.rankings import correlation_ratio

    sizes = np.unique(np.linspace(1, X.shape[1], min(20, X.shape[1])).round().astype(int))
    how: dict[str, Any] = {"n_trials": options.trials, **given(options, "standardize")}
    how |= {"random_state": options.seed, "n_jobs": options.jobs}
    rankings = {result.method: result}
    curve = pyfsagg.unsupervised.clustering_curve(X, y, rankings, sizes.tolist(), **how)
    borda = borda_curve(result.scores, correlation_ratio(X, y))
    return {"clustering_curve": curve, "borda_curve": borda}
