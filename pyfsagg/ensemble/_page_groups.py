"""Groups of columns on the page of a run: which columns they hold, and how each was scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyfsagg._base.words import count, enumerate_names, readable
from pyfsagg._page.page import Block, Column, Table

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["group_blocks"]

MOST_GROUPS = 100
MOST_COLUMNS = 12
WORDS = {"joint": "as levels", "max": "largest", "mean": "mean"}


def group_blocks(result: EnsembleResult) -> list[Block]:
    """A table of the groups, best first; none without groups."""
    groups = result.groups
    if not groups:
        return []
    ranked = [name for name in result.select(result.n_features) if name in groups]
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
        for name in ranked[:MOST_GROUPS]
    ]
    columns = [
        Column("Group", numeric=False),
        Column("Columns"),
        Column("Which", numeric=False, sortable=False),
        *(Column(f"Score, {readable(label)}", numeric=False) for label in scored),
    ]
    more = len(ranked) - len(rows)
    rest = f" {count(more)} more groups are in groups.csv and result.groups." if more else ""
    note = (
        "A group is ranked and selected as one feature. As levels: it is read as one nominal column, whose "
        "levels are the combinations of its values. Largest, mean: of the scores of its columns."
        + rest
    )
    return [Table("Groups of columns, most important first.", columns, rows, note, header=1)]
