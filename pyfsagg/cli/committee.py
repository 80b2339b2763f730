"""``pyfsagg committee`` and ``vote``: learners vote on the features of a table; votes that exist already."""

import argparse
import csv
import io
import sys
from pathlib import Path
from typing import Any

import pyfsagg
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Task
from pyfsagg._command.flags import Flags, assignments, at_work, given, target_columns
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import code_of_lists, is_saved, load_table, origin
from pyfsagg.committees.selection import LearnerSelection
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError

DESCRIPTION = """\
Let learners vote on the features of a table. Each learner selects features on each resample
of the rows, and is tested with them on the other rows. A voting rule orders the features by all
selections. The report also has the front of performance against number of features.
"""
EPILOG = """\
examples:
  pyfsagg committee table.csv --target class
  pyfsagg committee table.csv --target class --learners rf,lr --by elimination --n-features auto
  pyfsagg committee table.csv --target class --learners knn --by sequential --n-features 5
"""
VOTE_DESCRIPTION = """\
Order features by a vote over existing selections.

FILE is one of
  a folder         a saved result: the selections of a committee; a run, each of whose resamples
                   selects its --n-features-to-select best; an aggregation, whose lists vote
  lines of names   one selection per line, names separated by tabs, commas, semicolons or
                   blanks; an empty line selects nothing
  a table          with --selection: a row per voter, the names of its features in that column, and
                   columns for --learner and --performance
  a matrix         with --matrix: a row per voter, a column per feature; its cells
                   are 0/1, scores (larger = better) or ranks (1 = best), of which
                   each voter selects its --n-features-to-select best
"""
VOTE_EPILOG = """\
examples:
  pyfsagg vote selections.txt
  pyfsagg vote selections.csv --selection features --learner learner --performance accuracy \\
      --voter-weights performance --rule phragmen
"""


def add_commands(commands: Any) -> None:
    text = "learners select features on resamples, and vote"
    add = Flags.of(commands, "committee", _committee, text, DESCRIPTION, EPILOG)
    add.table("adjust")
    add.names(
        "--learners",
        help="of logistic_regression, random_forest (these are the default), naive_bayes, svm, "
        "nearest_neighbors; for a regression of ridge, random_forest (these are the default), "
        "linear_regression, nearest_neighbors, svm; without importances (--by sequential only): "
        "naive_bayes, svm, nearest_neighbors",
    )
    LearnerSelection.add_flags(add.parser)
    add("--metric", metavar="NAME", help="a scorer of scikit-learn (default: accuracy, or r2)")
    _add_rule_flags(add)
    add("--resampling", metavar="PLAN", default="subsample", help="(default: %(default)s)")
    text = "setting of the resampling plan (default: fraction=0.8 of a subsample)"
    add.settings("--resampling-param", default=[], help=text)
    add.number("-n", "--n-resamples", default=30, metavar="M")
    add.seed("all random draws")
    add.work()
    add.output("pyfsagg-committee")

    text = "order features by a vote over selections"
    add = Flags.of(commands, "vote", _vote, text, VOTE_DESCRIPTION, VOTE_EPILOG)
    add("file", metavar="FILE", help="selections; - is standard input")
    add.column("--selection", help="column of a table with the names of the features")
    add.switch("--matrix", help="the table has a column per feature: 0/1, scores or ranks")
    add.column("--learner", help="column with the learner of each voter")
    add.column("--performance", help="column with the performance of each voter, larger = better")
    add.size(" of scores or ranks of all features (default: 0.25)")
    _add_rule_flags(add)
    add.output("pyfsagg-vote")


def _add_rule_flags(add: Flags) -> None:
    """How votes are counted."""
    text = "approval, satisfaction_approval, sequential_proportional_approval, phragmen "
    text += "(default: %(default)s)"
    add("--rule", default="approval", metavar="NAME", help=text)
    text = "weight of a voter: 1, or its performance"
    add.choice("--voter-weights", ("none", "performance"), text)
    text = "places to fill one by one by a sequential rule (default: all)"
    add("--size", type=int, metavar="K", help=text)


def _votes(options: argparse.Namespace) -> dict[str, Any]:
    weights = None if options.voter_weights == "none" else options.voter_weights
    return {"voter_weights": weights, **given(options, "rule", "size")}


def _committee(options: argparse.Namespace) -> None:
    from pyfsagg.evaluation.learners import named_learners
    from pyfsagg.resampling.plan import PLANS, read_plan

    table = load_table(options, target_columns(options))
    task = Task.from_flags(options)
    learners = named_learners(options.learners, task.task)
    table.code.append("from pyfsagg.evaluation import named_learners")
    table.code.append(f"learners = named_learners({options.learners!r}, {task.task!r})")
    default = {"fraction": 0.8} if PLANS.get(options.resampling).name == "subsample" else {}
    settings = {**default, **assignments(options.resampling_param)}

    def compute(progress: Any) -> Any:
        return pyfsagg.committee(
            table.X,
            table.y,
            learners,
            selection=LearnerSelection.from_flags(options),
            **_votes(options),
            task=task,
            resampling=read_plan(options.resampling, settings),
            **given(options, "metric", "n_resamples"),
            **at_work(options, progress),
        )

    compute_and_save(options, compute, unit="voter", view=table.view, messages=table.lines)


def _vote(options: argparse.Namespace) -> None:
    selections, voters, reading = _read(options)
    view = origin([options.file], reading, name_of_table(options.file))
    how = {**_votes(options), **voters}
    if options.n_features_to_select is not None:
        if isinstance(selections, list):
            raise ParameterError(
                "--n-features-to-select belongs to a saved result or a --matrix that ranks all features"
            )
        how["n_features_to_select"] = options.n_features_to_select
    compute_and_save(options, lambda _: pyfsagg.vote(selections, **how), view=view)


def _read(options: argparse.Namespace) -> tuple[Any, dict[str, Any], list[str]]:
    """The selections, what is known of their voters, and the code that reads both."""
    columns = {"learners": options.learner, "performance": options.performance}
    columns = {name: column for name, column in columns.items() if column is not None}
    if is_saved([options.file]):
        from pyfsagg.cli._rankings import rankings_of

        if columns or options.selection or options.matrix:
            raise ParameterError(
                "--selection, --matrix, --learner and --performance belong to a table, and "
                f"{options.file} is a saved result"
            )
        reading = f"selections = pyfsagg.load_result({options.file!r})"
        return rankings_of([options.file]), {}, [reading]
    if options.selection is None and not options.matrix:
        if columns:
            raise ParameterError(
                "--learner and --performance name columns of a table; give its selections by "
                "--selection COLUMN or --matrix"
            )
        path = options.file
        try:
            text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise DataError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise DataError(f"{path} is not valid UTF-8; selections are lines of names") from None
        names = _divided(text.splitlines())
        return names, {}, code_of_lists("selections", names)
    if options.selection is not None and options.matrix:
        raise ParameterError(
            "--selection names a column of names, and --matrix has none; give one of them"
        )
    table = pyfsagg.datasets.read_table(options.file)
    for column in (*columns.values(), *([options.selection] if options.selection else [])):
        if column not in table.columns:
            raise UnknownNameError("column", column, map(str, table.columns))
    voters: dict[str, Any] = {name: table[column] for name, column in columns.items()}
    code = [f"table = pyfsagg.datasets.read_table({options.file!r})"]
    code += [f"{name} = table[{column!r}]" for name, column in columns.items()]
    if options.matrix:
        others = list(columns.values())
        code.append(f"selections = table.drop(columns={others!r})")
        matrix = table.drop(columns=others)
        selected, size = matrix.isin([0, 1]).all(axis=None), options.n_features_to_select
        if selected and size is not None:
            raise ParameterError(
                "--n-features-to-select belongs to scores and ranks; a 0/1 table is selected"
            )
        if not selected and size is None:
            warn(
                f"{options.file} has cells other than 0/1, so each voter selects the best 0.25 of its row; "
                "--n-features-to-select says how many",
                stacklevel=2,
            )
        return matrix, voters, code
    cells = table[options.selection]
    names = _divided(["" if cell != cell or cell is None else str(cell) for cell in cells])
    return names, voters, [*code, *code_of_lists("selections", names)]


def _divided(cells: list[str]) -> list[list[str]]:
    """The names in each cell: divided by the first of tab, comma, semicolon that occurs, else by blanks."""
    divider = next((mark for mark in "\t,;" if any(mark in cell for cell in cells)), None)
    if divider is None:
        return [cell.split() for cell in cells]
    rows = [next(csv.reader(io.StringIO(cell), delimiter=divider), []) for cell in cells]
    return [[name.strip() for name in row if name.strip()] for row in rows]
