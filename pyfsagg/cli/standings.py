"""``pyfsagg standings``: which places of a table of scores are real."""

import argparse
from pathlib import Path
from typing import Any

import pyfsagg
from pyfsagg._base.validation import check_integer
from pyfsagg._command.flags import Flags, given
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import origin, require_column
from pyfsagg.exceptions import ParameterError

DESCRIPTION = """\
Find which places of a table of scores are real.

The table has a row per data set (task, instance) and a column per method; one column may have
the names of the data sets. A column that numbers the rows (fold, seed, id) is no method.
Rows with the same name are replicates: instances, folds or seeds that
all methods share. A long table has a row per score; --method, --dataset and --value name its
columns. Several tables have the same methods by several metrics. The folder of a run of
`pyfsagg evaluate` or `pyfsagg influence` is a table of its folds; several folders are data sets.
"""
EPILOG = """\
examples:
  pyfsagg standings scores.csv
  pyfsagg standings errors.csv --lower-is-better --by rank
  pyfsagg standings runs.csv --method model --dataset task --value accuracy
  pyfsagg standings folds.csv --method model --dataset task --value auc --replicate fold \\
      --test-train-ratio 0.111
  pyfsagg standings runs.csv --method model --dataset task --value score --metric metric --losses loss,time
  pyfsagg standings accuracy.csv loss.csv --losses loss
  pyfsagg standings pyfsagg-evaluate
"""


def add_commands(commands: Any) -> None:
    text = "which places of a table of scores are real"
    called = {"higher_is_better": "lower_is_better"}
    add = Flags.of(commands, "standings", _standings, text, DESCRIPTION, EPILOG, **called)
    text = "CSV, TSV or Parquet files (CSV or TSV may be compressed, - is standard input), or folders of runs"
    add("tables", metavar="TABLE", nargs="+", help=text)
    add.column("--method", help="of a long table, the column of the methods")
    add.column("--value", help="of a long table, the column of the scores")
    add.column("--dataset", help="the column of the data sets")
    text = "of a long table, the column of folds or instances that are the same for all methods"
    add.column("--replicate", help=text)
    add.column("--metric", help="the column with the metric of each row")
    add.switch("--lower-is-better", help="smaller scores are better, as for errors and losses")
    add.names("--losses", help="metrics whose smaller scores are better")
    add.choice("--by", ("mean", "rank"), "places by mean scores or by average ranks")
    text = "test of the pairs, corrected by Holm"
    add.choice("--test", ("auto", "t", "wilcoxon", "signs"), text)
    text = "ratio of test to training rows, if replicates are folds of the same rows"
    add.number("--test-train-ratio", default=0.0, metavar="R", text=text)
    text = "largest difference that does not matter, for probabilities of equivalence"
    add("--rope", type=float, metavar="D", help=text)
    text = "of sets and intervals"
    add.number("--confidence-level", default=0.95, metavar="C", text=text)
    add.seed("random signs and draws")
    add("--top", type=int, default=10, metavar="K", help="methods to show (default: 10)")
    add.output("pyfsagg-standings")


def _standings(options: argparse.Namespace) -> None:
    check_integer("--top", options.top, low=1)
    paths = options.tables
    columns = given(options, "method", "dataset", "value", "replicate", "metric")
    data, code, metrics = _read(paths, columns)
    higher: bool | dict[str, bool] = not options.lower_is_better
    if options.losses is not None:
        if options.lower_is_better or not set(options.losses) <= set(metrics):
            known = f"here {', '.join(metrics)}" if metrics else "named by --metric, or files"
            raise ParameterError(f"--losses names some of several metrics, {known}")
        higher = {name: name not in options.losses for name in metrics}

    how = given(options, "by", "test", "test_train_ratio", "rope", "confidence_level")
    how |= {**columns, "higher_is_better": higher, "random_state": options.seed}
    name = ", ".join(map(name_of_table, paths))
    view = {"top": options.top, **origin(paths, [f"data = {code}"], name)}
    compute_and_save(options, lambda _: pyfsagg.standings(data, **how), view=view)


def _read(paths: list[str], columns: dict[str, str | None]) -> tuple[Any, str, list[str]]:
    """What is compared, the code that reads it, and the metrics where there are several."""
    folders = [Path(path).is_dir() for path in paths]
    if any(folders) and not all(folders):
        raise ParameterError("give tables, or folders of runs, but not both")
    read: Any = pyfsagg.load_result if all(folders) else pyfsagg.datasets.read_table
    one = f"pyfsagg.{'load_result' if all(folders) else 'datasets.read_table'}({{!r}})"
    found = [read(path) for path in paths]
    for table in found if not any(folders) else ():
        for flag, name in columns.items():
            require_column(table, flag, name)
    if len(paths) == 1:
        metric = columns["metric"]
        metrics = [] if metric is None else list(map(str, found[0][metric].dropna().unique()))
        return found[0], one.format(paths[0]), metrics
    names = [Path(path).name for path in paths]
    if not all(folders):
        names = [name.partition(".")[0] for name in names]
    if len(set(names)) < len(names):
        names = list(paths)
    pairs = (f"{name!r}: {one.format(path)}" for name, path in zip(names, paths, strict=True))
    code = "{" + ", ".join(pairs) + "}"
    return dict(zip(names, found, strict=True)), code, [] if all(folders) else names
