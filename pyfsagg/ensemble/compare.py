"""Two runs side by side: which features moved, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from pyfsagg.exceptions import DataError

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["compare_runs", "differing_settings"]

COLUMNS = ("rank", "rank_set_lower", "rank_set_upper", "selection_frequency", "selected")


def compare_runs(
    first: EnsembleResult, second: EnsembleResult, threshold: float | int | str = "auto"
) -> pd.DataFrame:
    """See :meth:`pyfsagg.EnsembleResult.compare`."""
    frames = []
    for number, result in enumerate((first, second), start=1):
        frame = result.to_frame(threshold)
        frame["selected"] = frame.index.isin(result.select(threshold))
        frame = frame[[name for name in COLUMNS if name in frame]]
        frames.append(frame.add_suffix(f"_{number}"))
    if not len(frames[0].index.intersection(frames[1].index)):
        raise DataError("the two runs have no feature in common: they rank different things")
    joined = frames[0].join(frames[1], how="outer")
    for number in (1, 2):
        name = f"selected_{number}"
        joined[name] = joined[name].eq(True)
    joined.insert(0, "moved", joined["rank_1"] - joined["rank_2"])
    order = joined.assign(_by=-joined["moved"].abs()).sort_values(
        ["_by", "rank_1", "rank_2"], kind="stable"
    )
    return order.drop(columns="_by").rename_axis("feature")


def differing_settings(first: EnsembleResult, second: EnsembleResult) -> pd.DataFrame:
    """Settings and facts about the data that are not the same in two runs.

    Returns
    -------
    DataFrame
        A row for each, with the columns ``first`` and ``second``; empty if all are equal.
    """
    records = [
        {
            "method": each.method,
            **each.parameters,
            **{f"data: {k}": v for k, v in each.data.items()},
        }
        for each in (first, second)
    ]
    names = dict.fromkeys([*records[0], *records[1]])
    names.pop("call", None)  # it says the settings again
    rows = {
        name: {"first": records[0].get(name), "second": records[1].get(name)}
        for name in names
        if records[0].get(name) != records[1].get(name)
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["first", "second"])
