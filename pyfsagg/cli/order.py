"""``pyfsagg order``: eliminate features by the order of their values within each sample."""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import (
    add_output_flags,
    add_work_flags,
    threshold,
)
from pyfsagg._command.results import keep_result, reading_code
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import ParameterError
from pyfsagg.rank_order.methods import ELIMINATIONS, find_elimination

if TYPE_CHECKING:
    from pyfsagg.rank_order import Elimination

__all__ = ["add_commands"]

EPILOG = """\
examples:
  pyfsagg order table.csv --target class --method spoilers --threshold 10
  pyfsagg order table.csv --target class --method cdv --divergence 0.05 --accuracy 50 --baseline
"""
REPORT_FILE = "report.html"


def add_commands(commands: Any) -> None:
    """Add ``order``."""
    parser = commands.add_parser(
        "order",
        help="eliminate features by the order of their values within each sample",
        description="Read each sample as an order of its features, remove features one by one, and "
        "write the order of removal with the divergence (and accuracy) of what is left.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("table", metavar="TABLE", help="CSV, TSV, Parquet or ARFF file; - for standard input")
    add("--target", required=True, metavar="COLUMN", help="column with the classes")
    add(
        "--exclude",
        type=names_of,
        default=[],
        metavar="A,B",
        help="columns that are neither features nor target (identifiers)",
    )
    _add_method_flags(parser)
    add_work_flags(parser, "threads", dask=False)
    add_output_flags(parser, "pyfsagg-order")
    parser.set_defaults(run=_order)


def _add_method_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--method",
        default="cdv",
        metavar="NAME",
        help="how features are removed; an unknown name lists them (default: %(default)s)",
    )
    add(
        "--threshold",
        type=threshold,
        metavar="K",
        help="features to select: a number (10) or a fraction (0.25 or 25%%; default: 0.25)",
    )
    add(
        "--divergence",
        type=float,
        metavar="NATS",
        help="select the smallest subset of at most this divergence instead",
    )
    add(
        "--ties",
        choices=("average", "ordinal", "random", "error"),
        default="average",
        help="equal values in one sample: equal, by column, at random, or refused",
    )
    add(
        "--missing",
        choices=("error", "unknown"),
        default="error",
        help="missing values: refused, or of unknown place",
    )
    add(
        "--tie-break",
        choices=("first", "last", "random"),
        default="first",
        help="which of equally good features is removed (default: the first column)",
    )
    for spec in ELIMINATIONS:
        spec.settings.add_flags(parser)
    add(
        "--accuracy",
        type=_sizes,
        metavar="N",
        help="cross-validate naive Bayes for up to N features, or 'all'",
    )
    add(
        "--baseline",
        action="store_true",
        help="also random subsets of 2 to 30 features, for comparison",
    )
    add(
        "--max-seconds",
        type=float,
        default=3600.0,
        metavar="S",
        help="refuse a run that would take longer; 0: never (default: %(default)s)",
    )
    add("--seed", type=int, default=0, help="seed of folds and random ties")


def _sizes(text: str) -> bool | int:
    if text == "all":
        return True
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or 'all', got {text!r}") from None


def _order(options: argparse.Namespace) -> None:
    from pyfsagg._base.selection import n_selected
    from pyfsagg.datasets import read_table, split_target
    from pyfsagg.rank_order import eliminate, random_subset_baseline

    if options.threshold is not None and options.divergence is not None:
        raise ParameterError("--threshold and --divergence exclude each other; give one")
    spec = find_elimination(options.method)
    X, y = split_target(read_table(options.table), options.target, options.exclude)
    share = 0.25 if options.threshold is None else options.threshold
    size = n_selected(share, X.shape[1])  # refuse before the work is done
    rules = {"ties": options.ties, "missing": options.missing, "random_state": options.seed}

    def compute(progress: Any) -> Elimination:
        result = eliminate(
            X,
            y,
            spec.name,
            method_params=spec.settings.from_flags(options).changed(),
            tie_break=options.tie_break,
            accuracy=False if options.accuracy is None else options.accuracy,
            max_seconds=options.max_seconds or None,
            n_jobs=options.jobs,
            execution=Execution.from_flags(options, progress=progress),
            **rules,
        )
        if not options.baseline:
            return result
        baseline = random_subset_baseline(X, y, max_size=min(30, X.shape[1]), **rules)
        return dataclasses.replace(result, baseline=baseline)

    def view(result: Elimination) -> dict[str, Any]:
        limit = options.divergence
        return {
            "size": size if limit is None else result.size_by_divergence(limit),
            "reading": reading_code(options.table, options.target, options.exclude),
        }

    keep_result(options, "pyfsagg-order", compute, unit="feature", view=view, draw=_draw)


def _draw(result: Elimination, folder: Path) -> None:
    for measure in ("divergence", "accuracy"):
        if measure == "divergence" or result.accuracy is not None:
            axes = result.plot(measure=measure)
            axes.figure.savefig(folder / f"{measure}.png", dpi=150)
