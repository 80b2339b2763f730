"""Results on groups of columns: which columns they hold, and what is to be said of their sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import pandas as pd

from pyfsagg._base.words import count, enumerate_names

__all__ = ["Grouped"]

UNEQUAL = 2
"""Times as many columns as another feature from which on the sizes are said to differ."""

_SAID = {
    "joint": "groups are read as one nominal column ({}), and without any relation to the target a group "
    "with many combinations of values scores higher than one with few, as columns with many levels do",
    "max": "the score of a group is the largest of its columns ({}), and without any relation to the target "
    "the largest of many scores is larger than that of few, so that large groups are selected first",
    "mean": "the score of a group is the mean of its columns ({}), and without any relation to the target "
    "means of few scores differ more than means of many, so that single columns are selected more often than "
    "groups of ten",
}


class Grouped:
    """A result whose features may be groups of columns."""

    feature_names: tuple[str, ...]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Columns of each group of columns (:class:`pyfsagg.Task`), by its name; empty without groups.

        A feature that is not among them is a column of its own.
        """
        found = self.data.get("groups") or {}
        return {name: tuple(columns) for name, columns in found.items()}

    def _columns_of(self, features: Iterable[str]) -> list[str]:
        """Columns of the table that features stand for."""
        return [column for name in features for column in self.groups.get(name, (name,))]

    def about_groups(self) -> str:
        """Whether the scores of groups depend on their sizes, in words; empty if they do not."""
        sizes = [len(self.groups.get(name, (name,))) for name in self.feature_names]
        scored: dict[str, list[str]] = {}
        for label, how in (self.parameters.get("group_scores") or {}).items():
            for way in how:
                if way == "joint" and self.parameters["group_score"] != "joint":
                    continue  # the nominal columns that the groups encode
                scored.setdefault(way, []).append(label)
        if not scored or max(sizes) < UNEQUAL * min(sizes):
            return ""
        told = "; ".join(_SAID[way].format(enumerate_names(each)) for way, each in scored.items())
        return (
            f"Features have {count(min(sizes))} to {count(max(sizes))} columns, and their scores are not "
            f"comparable: {told}."
        )

    def _table_of_groups(self) -> dict[str, pd.DataFrame]:
        """The groups as a file that ``feature_groups`` reads; none without groups."""
        rows = [(column, name) for name, columns in self.groups.items() for column in columns]
        if not rows:
            return {}
        return {"groups.csv": pd.DataFrame(rows, columns=["column", "group"]).set_index("column")}
