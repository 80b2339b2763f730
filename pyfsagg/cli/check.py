"""``pyfsagg check``: what a table holds, and what to look at before a run."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._command.flags import (
    TABLE_HELP,
    Flags,
    add_event_flag,
    add_reading_flags,
    target_columns,
)

EPILOG = """\
examples:
  pyfsagg check table.csv --target class
  pyfsagg check genes.tsv --transpose --labels samples.csv --target tumour
  pyfsagg check patients.csv --target time --event status
  pyfsagg check words.svmlight
  pyfsagg check encoded.csv --target class --feature-groups groups.csv
  pyfsagg check measurements.xlsx --sheet 2 --target dose --task regression --missing=-999

Findings marked "stop" end a run of another command, unless --accept names them. The exit code is 1 if there
are such findings.
"""


def add_commands(commands: Any) -> None:
    from pyfsagg._base.settings import Task

    parser = commands.add_parser(
        "check",
        help="check a table for problems before a run",
        description="Read a table as the other commands do, and report types, missing "
        "cells, identifiers, copies of the target, odd labels, codes, duplicates.",
        epilog=EPILOG,
    )
    add = Flags(parser)
    add("table", metavar="TABLE", help=TABLE_HELP)
    add.column("-t", "--target", help="column with the classes, numbers or times")
    add_event_flag(parser)
    add.column("--groups", help="column of subjects whose rows are kept together")
    Task.add_flags(
        parser, "target_bins", "drop_near_zero_variance", "group_score", "adjust", "always"
    )
    add_reading_flags(parser, accept=False)
    add.switch("--json", help="print the findings as JSON")
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    from pyfsagg._command.tables import check_file, check_sparse_file
    from pyfsagg.datasets._loaders import is_sparse_file

    if is_sparse_file(options.table):
        read = check_sparse_file(options)
    else:
        read = check_file(options, target_columns(options), options.groups)
    record = {**read.record, **_groups(options, read.table.feature_names)}
    if options.json:
        print(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        lines = [f"read: {note}" for note in read.notes]
        if groups := record.get("groups"):
            sizes, alone = list(map(len, groups.values())), record["without_group"]
            rest = f", and {plural(alone, 'column')} without a group" if alone else ""
            lines.append(
                f"groups: {plural(len(groups), 'group')} of {min(sizes)} to {max(sizes)} columns{rest}: "
                f"{enumerate_names(list(groups))}"
            )
        print("\n".join([*lines, read.check.text()]))
    return 1 if any(finding.severity == "stop" for finding in read.check.findings) else 0


def _groups(options: argparse.Namespace, columns: Iterable[Any]) -> dict[str, Any]:
    """What the record says of the groups that --feature-groups makes; nothing without the flag."""
    from pyfsagg._base.settings import Task
    from pyfsagg._table.groups import group_columns

    task = Task.from_flags(options)
    if task.feature_groups is None:
        return {}
    features = group_columns(task, columns)
    groups = {name: list(members) for name, members in features.items() if members != (name,)}
    return {"groups": groups, "without_group": len(features) - len(groups)}
