"""``pyfsagg order``: eliminate features by the order of values in each sample."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyfsagg
from pyfsagg._base.validation import check_real, n_selected
from pyfsagg._command.flags import TABLE_HELP, Flags, assignments, given
from pyfsagg._command.results import compute_and_save
from pyfsagg._command.tables import load_table
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import ParameterError

EPILOG = """\
examples:
  pyfsagg order table.csv --target class --method spoilers --n-features-to-select 10
  pyfsagg order table.csv --target class --method cdv --divergence 0.05 --accuracy 50 --baseline
"""


def add_commands(commands: Any) -> None:
    text = "eliminate features by the order of values in each sample"
    about = (
        "Read each sample as an order of its features, remove features one by one, and write the "
    )
    about += "order of removal with the divergence (and accuracy) of the remaining features."
    add = Flags.of(commands, "order", _order, text, about, EPILOG, missing="missing_values")
    add("table", metavar="TABLE", help=TABLE_HELP)
    add.column("-t", "--target", help="column with the classes")
    add.parser.set_defaults(target_required=True)
    add.reading()
    text = "how features are removed; an unknown name lists them (default: %(default)s)"
    add("--method", default="cdv", metavar="NAME", help=text)
    add.size(" (default: 0.25)")
    text = "select the smallest subset of at most this divergence instead"
    add("--divergence", type=float, metavar="NATS", help=text)
    text = "equal values in a sample: tied, by column, at random, or refused"
    add.choice("--ties", ("average", "ordinal", "random", "error"), text)
    text = "missing values: refused, or at an unknown place"
    add.choice("--missing-values", ("error", "unknown"), text)
    text = "which of equally good features is removed: by column or at random"
    add.choice("--tie-break", ("first", "last", "random"), text)
    add.names("--always", metavar="A,B", help="features that are kept, and come last in the order")
    text = "parameter of the method, for instance blanket_size=8 (may be repeated)"
    add.settings("--method-param", help=text)
    text = "cross-validate naive Bayes for up to N features, or 'all'"
    add("--accuracy", type=_sizes, metavar="N", help=text)
    add.switch("--baseline", help="also test random subsets of 2 to 30 features")
    text = "refuse a run that would take longer; 0: never"
    add.number("--max-seconds", default=3600.0, metavar="S", text=text)
    add.seed("folds and random ties")
    add.work("threads", dask=False)
    add.output("pyfsagg-order")


def _sizes(text: str) -> bool | int:
    if text == "all":
        return True
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or 'all', got {text!r}") from None


def _order(options: argparse.Namespace) -> None:
    from pyfsagg.rank_order.elimination import find_elimination
    from pyfsagg.rank_order.naive_bayes import random_subset_baseline

    if options.n_features_to_select is not None and options.divergence is not None:
        raise ParameterError("--n-features-to-select and --divergence exclude each other; give one")
    if options.divergence is not None:
        check_real("--divergence", options.divergence, low=0.0)
    find_elimination(options.method)  # refuse before the table is read
    table = load_table(options, options.target)
    X, y, share = table.X, table.y, options.n_features_to_select
    share = 0.25 if share is None else share
    size = n_selected(share, X.shape[1], "--n-features-to-select")  # refuse before the work is done
    rules = {"ties": options.ties, "missing": options.missing_values, "random_state": options.seed}

    def compute(progress: Any) -> Any:
        result = pyfsagg.rank_order.eliminate(
            X,
            y,
            options.method,
            method_params=assignments(options.method_param),
            **given(options, "always", "tie_break"),
            accuracy=False if options.accuracy is None else options.accuracy,
            max_seconds=options.max_seconds or None,
            n_jobs=options.jobs,
            execution=Execution.from_flags(options, progress=progress),
            **rules,
        )
        if not options.baseline:
            return result
        baseline = random_subset_baseline(X, y, max_size=min(30, X.shape[1]), **rules)
        return replace(result, baseline=baseline)

    def view(result: Any) -> dict[str, Any]:
        limit = options.divergence
        chosen = size if limit is None else result.size_by_divergence(limit)
        return {"n_features_to_select": chosen, **table.view}

    def draw(result: Any, folder: Path) -> None:
        for measure in ("divergence", *(() if result.accuracy is None else ("accuracy",))):
            result.plot(measure=measure).figure.savefig(folder / f"{measure}.png", dpi=150)

    compute_and_save(options, compute, unit="feature", view=view, draw=draw, messages=table.lines)
