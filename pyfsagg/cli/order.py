"""``pyfsagg order``: eliminate features by what their orders say, or repeat the paper."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.output import new_folder
from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import (
    add_output_flags,
    add_work_flags,
    free_folder,
    threshold,
)
from pyfsagg._command.results import keep_result, reading_code
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from pyfsagg.rank_order import Elimination
    from pyfsagg.reproduce.orders.experiments import Experiment

__all__ = ["add_commands"]

EPILOG = """\
examples:
  pyfsagg order table.csv --target class --method spoilers --threshold 10
  pyfsagg order table.csv --target class --method cdv --divergence 0.05 --accuracy 50 --baseline
  pyfsagg order --experiment figure-8 --seed 1
"""
REPORT_FILE = "report.html"
METHODS = ("cdv", "spoilers", "greedy-kl", "koller-sahami")
FIGURES = tuple(f"figure-{number}" for number in range(7, 14))


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
    add(
        "table",
        nargs="?",
        metavar="TABLE",
        help="CSV, TSV, Parquet or ARFF file; - for standard input",
    )
    add("--target", metavar="COLUMN", help="column with the classes")
    add(
        "--exclude",
        type=names_of,
        default=[],
        metavar="A,B",
        help="columns that are neither features nor target (identifiers)",
    )
    add(
        "--experiment",
        choices=FIGURES,
        metavar="figure-N",
        help="repeat figure 7 to 13 of the paper, without a table (11 to 13 need its data)",
    )
    _add_method_flags(add)
    add_work_flags(parser, "threads", dask=False)
    add_output_flags(parser, "pyfsagg-order")
    parser.set_defaults(run=_order)


def _add_method_flags(add: Any) -> None:
    add("--method", choices=METHODS, default="cdv", help="(default: %(default)s)")
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
    add(
        "--center-distance",
        choices=("raw", "relative"),
        default="raw",
        help="distances of cdv as printed, or as shares of the largest possible",
    )
    add(
        "--blanket-size",
        type=int,
        default=5,
        metavar="K",
        help="blanket of koller-sahami (default: %(default)s)",
    )
    add(
        "--partners",
        choices=("redundant", "informative"),
        default="redundant",
        help="which features form a blanket of koller-sahami",
    )
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
    add(
        "--repeats",
        type=int,
        default=5,
        metavar="R",
        help="generated data sets per curve of an experiment (default: %(default)s)",
    )
    add("--seed", type=int, default=0, help="seed of folds, random ties and experiments")


def _sizes(text: str) -> bool | int:
    if text == "all":
        return True
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or 'all', got {text!r}") from None


def _order(options: argparse.Namespace) -> None:
    if options.experiment:
        if options.table is not None:
            raise ParameterError("--experiment takes no table; leave one of them out")
        if options.checkpoint is not None:
            raise ParameterError("--checkpoint belongs to a table, not to an --experiment")
        _experiment(options)
        return
    if options.table is None or options.target is None:
        raise ParameterError("name a TABLE and its --target, or an --experiment")
    if options.threshold is not None and options.divergence is not None:
        raise ParameterError("--threshold and --divergence exclude each other; give one")
    _eliminate(options)


def _eliminate(options: argparse.Namespace) -> None:
    from pyfsagg._base.selection import n_selected
    from pyfsagg.datasets import read_table, split_target
    from pyfsagg.rank_order import eliminate, random_subset_baseline

    X, y = split_target(read_table(options.table), options.target, options.exclude)
    share = 0.25 if options.threshold is None else options.threshold
    size = n_selected(share, X.shape[1])  # refuse before the work is done
    rules = {"ties": options.ties, "missing": options.missing, "random_state": options.seed}

    def compute(progress: Any) -> Elimination:
        result = eliminate(
            X,
            y,
            options.method.replace("-", "_"),
            tie_break=options.tie_break,
            center_distance=options.center_distance,
            blanket_size=options.blanket_size,
            partners=options.partners,
            accuracy=False if options.accuracy is None else options.accuracy,
            max_seconds=options.max_seconds or None,
            n_jobs=options.jobs,
            progress=progress,
            checkpoint=options.checkpoint,
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


def _experiment(options: argparse.Namespace) -> None:
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce.orders.experiments import run_experiment
    from pyfsagg.reproduce.pages.orders import experiment_page
    from pyfsagg.reproduce.pictures.orders import plot_experiment

    folder = free_folder(options.output, f"pyfsagg-{options.experiment}")
    with new_folder(folder) as draft:
        found = run_experiment(
            options.experiment,
            n_repeats=options.repeats,
            random_state=options.seed,
            n_jobs=options.jobs,
            say=None if options.quiet else lambda text: print(text, file=sys.stderr, flush=True),
        )
        found.curves.to_csv(draft / "curves.csv", index=False)
        if found.baseline is not None:
            found.baseline.to_csv(draft / "baseline.csv", index=False)
        (draft / "findings.json").write_text(found.to_json(), encoding="utf-8")
        page = experiment_page(found, command=shlex.join(sys.argv[1:]))
        write_page(page, draft / REPORT_FILE)
        axes = plot_experiment(found)[0]
        axes.figure.savefig(draft / "curves.png", dpi=150)  # type: ignore[union-attr]
    if options.json:
        print(found.to_json())
    elif not options.quiet:
        print(_findings(found, folder))


def _findings(found: Experiment, folder: Path) -> str:
    lines = [f"{found.name}: {found.title}", ""]
    for finding in found.findings:
        lines += [
            f"[{'holds' if finding.holds else 'does not hold'}] {finding.statement}",
            f"    {finding.evidence}",
        ]
    return "\n".join(
        [
            *lines,
            "",
            f"Results are in {folder}/: curves.csv, curves.png, findings.json and {REPORT_FILE}",
        ]
    )
