"""``pyfsagg standings``: which places of a table of scores are real."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pyfsagg._command.flags import TABLE_HELP, Flags, add_output_flags
from pyfsagg._command.results import keep_result, name_of_table
from pyfsagg._command.tables import read_files, require_column

if TYPE_CHECKING:
    from pyfsagg.score_tables import Standings


DESCRIPTION = """\
Find which places of a table of scores are real.

The table has a row per data set (task, instance) and a column per method, and may have one column with the
names of the data sets. Rows with the same name are replicates: instances, folds or seeds that are the same
for all methods. A long table has a row per score, and --method, --dataset and --value name its columns.
"""
EPILOG = """\
examples:
  pyfsagg standings scores.csv
  pyfsagg standings errors.csv --lower-is-better --by rank
  pyfsagg standings runs.csv --method model --dataset task --value accuracy
  pyfsagg standings folds.csv --method model --dataset task --value auc --replicate fold \\
      --test-train-ratio 0.111
"""


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "standings",
        help="which places of a table of scores are real",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add = Flags(parser)
    add("table", metavar="TABLE", help=TABLE_HELP)
    add.column("--method", help="of a long table, the column of the methods")
    add.column("--value", help="of a long table, the column of the scores")
    add.column("--dataset", help="the column of the data sets")
    text = "of a long table, the column of folds or instances that are the same for all methods"
    add.column("--replicate", help=text)
    add.switch("--lower-is-better", help="small scores are good, such as errors and losses")
    add.choice("--by", ("mean", "rank"), "places by mean scores or by average ranks")
    add.choice("--test", ("auto", "t", "wilcoxon"), "test of the pairs, corrected by Holm")
    text = "test rows by training rows if replicates are folds of the same rows"
    add.number("--test-train-ratio", default=0.0, metavar="R", text=text)
    text = "of sets and intervals"
    add.number("--confidence-level", default=0.95, metavar="C", text=text)
    add.seed("random signs and draws")
    add("--top", type=int, default=10, metavar="K", help="methods to show (default: 10)")
    add_output_flags(parser, "pyfsagg-standings")
    parser.set_defaults(run=_standings, called={"higher_is_better": "lower_is_better"})


def _standings(options: argparse.Namespace) -> None:
    from pyfsagg._base.validation import check_integer
    from pyfsagg.datasets import read_table
    from pyfsagg.score_tables import standings

    check_integer("--top", options.top, low=1)
    table = read_table(options.table)
    columns = {name: getattr(options, name) for name in ("method", "dataset", "value", "replicate")}
    for flag, name in columns.items():
        require_column(table, flag, name)

    def compute(progress: Any) -> Standings:
        return standings(
            table,
            **columns,
            higher_is_better=not options.lower_is_better,
            by=options.by,
            test=options.test,
            test_train_ratio=options.test_train_ratio,
            confidence_level=options.confidence_level,
            random_state=options.seed,
        )

    view = {
        "top": options.top,
        "data_name": name_of_table(options.table),
        "reading": [f"data = pyfsagg.read_table({options.table!r})"],
        "read": read_files([options.table]),
    }
    keep_result(options, compute, view=view)
