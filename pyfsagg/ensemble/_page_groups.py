"""Groups of columns on the page of a run: which columns they hold, and how each was scored."""

from __future__ import annotations

from collections.abc import Iterable

from pyfsagg._base.words import count, enumerate_names, readable
from pyfsagg._page.page import Block, Column, Table
from pyfsagg.ensemble.groups import Grouped

__all__ = ["group_blocks"]

MOST_GROUPS = 100
MOST_COLUMNS = 12
WORDS = {"joint": "as levels", "max": "largest", "mean": "mean"}


def group_blocks(result: Grouped, ranked: Iterable[str]) -> list[Block]:
    """A table of the groups, in the order of the features `ranked`; none without groups."""
    groups = result.groups
    if not groups:
        return []
    found = [name for name in ranked if name in groups]
    scored = result.parameters.get("group_scores") or {}
    way = {
        (label, name): WORDS[how]
        for label, ways in scored.items()
        for how, names in ways.items()
        for name in names
    }
    rows = [
        (
            name,
            count(len(groups[name])),
            enumerate_names(groups[name], MOST_COLUMNS),
            *(way.get((label, name), "as it is") for label in scored),
        )
        for name in found[:MOST_GROUPS]
    ]
    columns = [
        Column("Group", numeric=False),
        Column("Columns"),
        Column("Which", numeric=False, sortable=False),
        *(Column(f"Score, {readable(label)}", numeric=False) for label in scored),
    ]
    more = len(found) - len(rows)
    rest = f" {count(more)} more groups are in groups.csv and result.groups." if more else ""
    note = (
        "A group is ranked and selected as one feature. As levels: it is read as one nominal column, whose "
        "levels are the combinations of its values. Largest, mean: of the scores of its columns."
        + rest
    )
    return [Table("Groups of columns, most important first.", columns, rows, note, header=1)]
