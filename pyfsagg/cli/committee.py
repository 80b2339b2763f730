"""``pyfsagg committee``: learners vote on the features of a table."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import Task
from pyfsagg._command.flags import (
    Flags,
    add_output_flags,
    add_table_flags,
    add_work_flags,
    assignments,
    target_columns,
)
from pyfsagg._command.results import keep_result
from pyfsagg._command.tables import load_table
from pyfsagg._run.execution import Execution
from pyfsagg.cli.vote import add_rule_flags
from pyfsagg.committees.selection import LearnerSelection

if TYPE_CHECKING:
    from pyfsagg.committees import Committee


DESCRIPTION = """\
Let learners vote on the features of a table. Each learner selects features on every resample of the
rows, and is tested with them on the rows that the resample does not draw. A voting rule makes an order
of the features of all selections; the front of performance against number of features is reported, too.
"""
EPILOG = """\
examples:
  pyfsagg committee table.csv --target class
  pyfsagg committee table.csv --target class --learners rf,lr --by elimination --n-features auto
  pyfsagg committee table.csv --target class --learners knn --by sequential --n-features 5
"""


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "committee",
        help="learners select features on resamples, and vote",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add_table_flags(parser, "adjust")
    add = Flags(parser)
    add.names(
        "--learners",
        help="of logistic_regression, random_forest (these are the default), naive_bayes, svm, "
        "nearest_neighbors; for a regression of ridge, random_forest (these are the default), "
        "linear_regression, nearest_neighbors, svm; without importances (--by sequential only): "
        "naive_bayes, svm, nearest_neighbors",
    )
    LearnerSelection.add_flags(parser)
    add("--metric", metavar="NAME", help="a scorer of scikit-learn (default: accuracy, or r2)")
    add_rule_flags(parser)
    add("--resampling", metavar="PLAN", default="subsample", help="(default: %(default)s)")
    text = "setting of the resampling plan (default: fraction=0.8 of a subsample)"
    add.settings("--resampling-param", default=[], help=text)
    add.number("-n", "--n-resamples", default=30, metavar="M")
    add.seed("all random draws")
    add_work_flags(parser)
    add_output_flags(parser, "pyfsagg-committee")
    parser.set_defaults(run=_committee)


def _committee(options: argparse.Namespace) -> None:
    from pyfsagg.committees import committee
    from pyfsagg.evaluation.learners import named_learners
    from pyfsagg.resampling.plan import PLANS, read_plan

    table = load_table(options, target_columns(options))
    task = Task.from_flags(options)
    learners = named_learners(options.learners, task.task)
    table.code.append("from pyfsagg.evaluation import named_learners")
    table.code.append(f"learners = named_learners({options.learners!r}, {task.task!r})")
    default = {"fraction": 0.8} if PLANS.get(options.resampling).name == "subsample" else {}
    settings = {**default, **assignments(options.resampling_param)}

    def compute(progress: Any) -> Committee:
        return committee(
            table.X,
            table.y,
            learners,
            selection=LearnerSelection.from_flags(options),
            metric=options.metric,
            rule=options.rule,
            voter_weights=None if options.voter_weights == "none" else options.voter_weights,
            size=options.size,
            task=task,
            resampling=read_plan(options.resampling, settings),
            n_resamples=options.n_resamples,
            random_state=options.seed,
            n_jobs=options.jobs,
            execution=Execution.from_flags(options, progress=progress),
        )

    keep_result(options, compute, unit="voter", view=table.view, said=table.lines)
