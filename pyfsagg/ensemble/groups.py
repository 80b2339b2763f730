"""What a run of groups of columns has to say about the sizes of its groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyfsagg._base.words import count, enumerate_names

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["about_groups"]

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


def about_groups(result: EnsembleResult) -> str:
    """What follows from the score of groups if they are of different sizes; empty if they are not."""
    sizes = [len(result.groups.get(name, (name,))) for name in result.feature_names]
    scored: dict[str, list[str]] = {}
    for label, how in (result.parameters.get("group_scores") or {}).items():
        for way in how:
            if way == "joint" and result.parameters["group_score"] != "joint":
                continue  # the nominal columns that the groups encode
            scored.setdefault(way, []).append(label)
    if not scored or max(sizes) < UNEQUAL * min(sizes):
        return ""
    told = "; ".join(_SAID[way].format(enumerate_names(each)) for way, each in scored.items())
    return (
        f"Features have {count(min(sizes))} to {count(max(sizes))} columns, and their scores are not "
        f"comparable: {told}."
    )
