"""Remedies of findings in a table, as they are typed on the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from pyfsagg._table.findings import subject_among

__all__ = ["in_flags", "in_flags_of_sparse"]


def in_flags(columns: Sequence[str]) -> Mapping[str, str]:
    """What to do with columns of a table in a file; for the shell, which divides words at blanks."""
    shown = [*columns[:5], *("…" for _ in columns[5:6])]
    return {
        "drop": f"leave it out: --drop {shlex.quote(','.join(shown))}",
        "groups": f"--groups {shlex.quote(subject_among(columns))} of rank and evaluate keeps them together",
        "missing": "name it: --missing=CODE",
        "rows": "--accept missing_target continues without these rows",
        "number": "--task regression",
        "time": "name the column of events: --event",
    }


def in_flags_of_sparse(columns: Sequence[str]) -> Mapping[str, str]:
    """The same for a sparse table, whose columns have no names that a flag could take."""
    return {
        **in_flags(columns),
        "drop": "leave it out of the file",
        "missing": "write nan in the file",
    }
