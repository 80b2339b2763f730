"""``pyfsagg unsupervised``: rank the features of a table without labels."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import (
    add_output_flags,
    add_work_flags,
    free_folder,
    reporter,
    threshold,
)
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from pyfsagg.unsupervised import ConsensusRanking

__all__ = ["add_commands"]

REPORT_FILE = "report.html"
EPILOG = """\
examples:
  pyfsagg unsupervised table.csv
  pyfsagg unsupervised table.csv --classes kind --n-clusterings 200 --seed 1
  pyfsagg unsupervised table.parquet --method svd_entropy --threshold 10%
  zcat table.csv.gz | pyfsagg unsupervised - --standardize none --json --quiet
"""


def add_commands(commands: Any) -> None:
    """Add ``unsupervised``."""
    parser = commands.add_parser(
        "unsupervised",
        help="rank and select the features of a table without labels",
        description="Rank the features of a table without labels, by consensus affinity or another "
        "method, and write the ranking, the consensus matrix, pictures and a report.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("table", metavar="TABLE", help="CSV, TSV, Parquet or ARFF file; - for standard input")
    add(
        "--classes",
        "--target",
        metavar="COLUMN",
        help="column with classes: not used for the ranking, but to judge it",
    )
    add("--exclude", type=names_of, default=[], metavar="A,B", help="columns that are no features")
    add(
        "--method",
        default="frcm",
        metavar="NAME",
        help="how features are ranked; an unknown name lists them (default: %(default)s)",
    )
    add("--n-clusterings", type=int, default=100, metavar="T", help="(default: %(default)s)")
    add(
        "--feature-fraction",
        type=float,
        default=0.5,
        metavar="SHARE",
        help="share of the features in each clustering (default: %(default)s)",
    )
    add("--k-range", type=_pair, metavar="LOW,HIGH", help="clusters (default: 2 to min(√N, 20))")
    add("--clusterer", default="k_means", metavar="NAME", help="(default: %(default)s)")
    add(
        "--standardize",
        choices=("none", "center", "z_score", "min_max"),
        default="z_score",
        help="scale of the features; the ranking depends on it (default: %(default)s)",
    )
    add("--n-neighbors", type=int, metavar="K", help="of laplacian_score (default: 5)")
    add("--aggregator", metavar="NAME", help="of frmv (default: borda)")
    add(
        "--threshold",
        type=_rule,
        default="mean_plus_sd",
        metavar="K",
        help="features to select: mean_plus_sd, a number (10) or a fraction (0.25 or 25%%; default: "
        "%(default)s)",
    )
    add("--trials", type=int, default=10, metavar="N", help="of the curves for --classes")
    add("--seed", type=int, default=0, help="seed of the clusterings (default: %(default)s)")
    add_work_flags(parser)
    add_output_flags(parser, "pyfsagg-unsupervised")
    parser.set_defaults(run=_run)


def _pair(text: str) -> tuple[int, int]:
    try:
        low, high = (int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected two whole numbers (2,8), got {text!r}"
        ) from None
    return low, high


def _rule(text: str) -> str | float | int:
    return text if text == "mean_plus_sd" else threshold(text)


def _run(options: argparse.Namespace) -> None:
    """Rank, write everything into a folder, and say what was found."""
    from pyfsagg._base.output import new_folder
    from pyfsagg._base.selection import n_selected
    from pyfsagg.unsupervised._page import write_unsupervised_report

    X, y = _read(options)
    if not isinstance(options.threshold, str):
        n_selected(options.threshold, X.shape[1])  # refuse before the work is done
    folder = free_folder(options.output, "pyfsagg-unsupervised")
    with new_folder(folder) as draft:
        started = time.perf_counter()
        with reporter(options.quiet, "clustering") as progress:
            result = _rank(options, X, progress)
        curves = {} if y is None else _judge(options, result, X, y, draft)
        elapsed = time.perf_counter() - started
        result.write_into(draft, rule=options.threshold)
        _draw(result, options.threshold, curves, draft)
        write_unsupervised_report(
            result,
            draft / REPORT_FILE,
            rule=options.threshold,
            command=shlex.join(sys.argv[1:]),
            data_name="" if options.table == "-" else Path(options.table).name,
            **curves,
        )
        files = sorted(path.name for path in draft.iterdir())
    if options.json:
        print(result.to_json(options.threshold))
    elif not options.quiet:
        print(_summary(result, options.threshold, folder, files, elapsed))


def _read(options: argparse.Namespace) -> tuple[pd.DataFrame, pd.Series[Any] | None]:
    from pyfsagg.datasets import read_table, split_target
    from pyfsagg.exceptions import UnknownNameError

    frame = read_table(options.table)
    if options.classes:
        return split_target(frame, options.classes, options.exclude)
    frame = frame.set_axis([str(name) for name in frame.columns], axis="columns")
    for column in options.exclude:
        if column not in frame:
            raise UnknownNameError("column", column, frame.columns)
    return frame.drop(columns=options.exclude), None


def _rank(options: argparse.Namespace, X: pd.DataFrame, progress: Any) -> ConsensusRanking:
    from pyfsagg.unsupervised import UNSUPERVISED_METHODS, rank_unsupervised

    spec = UNSUPERVISED_METHODS.get(options.method)
    chosen: dict[str, Any] = {"standardize": options.standardize}
    if spec.clusters:
        chosen |= {
            "n_clusterings": options.n_clusterings,
            "feature_fraction": options.feature_fraction,
            "k_range": options.k_range,
            "clusterer": options.clusterer,
            "random_state": options.seed,
            "execution": Execution.from_flags(options, progress=progress),
        }
    elif options.checkpoint:
        able = " and ".join(each.name for each in UNSUPERVISED_METHODS if each.clusters)
        raise ParameterError(f"--checkpoint belongs to --method {able}; others are quick")
    if "n_jobs" in spec.options:
        chosen["n_jobs"] = options.jobs
    for name in ("n_neighbors", "aggregator"):
        value = getattr(options, name)
        if value is not None and name not in spec.options:
            able = " and ".join(each.name for each in UNSUPERVISED_METHODS if name in each.options)
            raise ParameterError(f"--{name.replace('_', '-')} belongs to --method {able}")
        if value is not None:
            chosen[name] = value
    return rank_unsupervised(X, spec.name, **chosen)


def _judge(
    options: argparse.Namespace, result: ConsensusRanking, X: Any, y: Any, draft: Path
) -> dict[str, pd.DataFrame]:
    """Compare with the classes, write the numbers."""
    import numpy as np

    from pyfsagg.unsupervised import borda_curve, clustering_curve, correlation_ratio

    sizes = np.unique(np.linspace(1, X.shape[1], min(20, X.shape[1])).round().astype(int))
    curve = clustering_curve(
        X,
        y,
        {result.method: result},
        sizes.tolist(),
        n_trials=options.trials,
        standardize=options.standardize,
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    borda = borda_curve(result.scores, correlation_ratio(X, y))
    curve.to_csv(draft / "clustering_curve.csv", index=False)
    borda.to_csv(draft / "borda_curve.csv", index=False)
    return {"curve": curve, "borda": borda}


def _draw(
    result: ConsensusRanking, rule: Any, curves: dict[str, pd.DataFrame], draft: Path
) -> None:
    """Write the pictures as PNG files."""
    from pyfsagg.unsupervised._plot import (
        plot_borda_curve,
        plot_clustering_curve,
        plot_consensus,
        plot_spectrum,
    )

    pictures = {"spectrum": plot_spectrum(result, rule=rule)}
    if result.consensus is not None:
        pictures["consensus"] = plot_consensus(result)
    if curves:
        pictures["clustering_curve"] = plot_clustering_curve(curves["curve"])
        pictures["borda_curve"] = plot_borda_curve(curves["borda"])
    for name, axes in pictures.items():
        axes.figure.savefig(draft / f"{name}.png", dpi=150)  # type: ignore[union-attr]


def _summary(
    result: ConsensusRanking, rule: Any, folder: Path, files: list[str], elapsed: float
) -> str:
    """What a person reads at the end of a run."""
    selected = result.selected(rule)
    shown = result.to_frame(rule).loc[selected[:10], ["rank", "score"]]
    table = shown.to_string(
        formatters={"rank": "{:g}".format, "score": "{:.4g}".format}, index_names=False
    )
    rest = f"\n… and {len(selected) - 10} more" if len(selected) > 10 else ""
    return (
        f"{result.method} on {result.data['n_samples']} samples, scale "
        f"{result.parameters['standardize']}, {elapsed:.1f} s\n\n"
        f"Selected {len(selected)} of {result.n_features} features:\n{table}{rest}\n\n"
        f"Results are in {folder}{'/' if str(folder) != '.' else ''}: {', '.join(files)}"
    )
