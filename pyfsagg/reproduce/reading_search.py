"""Which reading of the method or of the data brings a published block inside.

A block is the cells of one data set and one row (filter) of thesis table 4.4.  Where our repetitions
do not contain the printed values, something was done differently: each reading here is one guess,
tried on the same splits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from pyfsagg.exceptions import ParameterError
from pyfsagg.reproduce.tables import coverage, table

__all__ = ["READINGS", "Reading", "best_readings", "readings"]

TABLE = "4.4"
STANDARD = "standard"


@dataclass(frozen=True)
class Reading:
    """A guess: settings of the experiment that differ from the usual ones.

    Attributes
    ----------
    name, what : str
    settings : mapping
    """

    name: str
    what: str
    settings: dict[str, Any] = field(default_factory=dict)


_CLASS = {"class_column": "feature too"}
_KEPT = {"near_zero_variance": "kept"}
_FACTORS = {"two_valued": "nominal"}
_DOUBLES = {"whole_numbers": "doubles"}

READINGS = (
    Reading(STANDARD, "as all tables are repeated here"),
    Reading("all_rows", "all rows, not two thirds of them", {"rows": "all"}),
    Reading("all_features", "features of near-zero variance are kept", _KEPT),
    Reading("textbook_mdl", "MDL as published, not as in FSelectorRcpp", {"mdl": "textbook"}),
    Reading("factors", "columns with two values are nominal", _FACTORS),
    Reading("factors_all_features", "the two before together", {**_FACTORS, **_KEPT}),
    Reading(
        "doubles",
        "whole numbers are doubles, as R reads them from ARFF files; praznik then bins them",
        _DOUBLES,
    ),
    Reading("class_as_feature", "the class column is among the features as well", _CLASS),
    Reading(
        "class_as_feature_all_features",
        "the same, and features of near-zero variance are kept",
        {**_CLASS, **_KEPT},
    ),
    Reading(
        "class_as_feature_doubles",
        "the class column is among the features, and whole numbers are doubles",
        {**_CLASS, **_DOUBLES},
    ),
    Reading(
        "no_relation",
        "the labels are in random order, so that no feature has to do with them",
        {"target": "shuffled"},
    ),
    Reading(
        "no_relation_factors",
        "the same, and columns with two values are nominal",
        {"target": "shuffled", **_FACTORS},
    ),
)


def readings(
    dataset: str | Sequence[str] | None = None,
    *,
    names: Sequence[str] | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Cells of thesis table 4.4 under each reading.

    Parameters
    ----------
    dataset : str or sequence of str, optional
        As in :func:`table`; all data sets by default.
    names : sequence of str, optional
        Names in ``READINGS``; all by default.
    **options
        ``quick``, ``random_state``, ``n_jobs``, ``cache`` and ``say`` of :func:`table`.

    Returns
    -------
    DataFrame
        The columns of :func:`table` after a first column ``reading``.

    Raises
    ------
    ParameterError
        For an unknown reading.

    Examples
    --------
    >>> found = readings("jasmine", quick=True)  # doctest: +SKIP
    >>> best_readings(found)  # doctest: +SKIP
    """
    known = {each.name: each for each in READINGS}
    wanted = list(known) if names is None else list(names)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise ParameterError(f"names must be some of {', '.join(known)}; got {wanted!r}")
    frames = []
    for name in wanted:
        found = table(TABLE, dataset, settings=known[name].settings, **options)
        found.insert(0, "reading", name)
        frames.append(found)
    return pd.concat(frames, ignore_index=True)


def best_readings(found: pd.DataFrame) -> pd.DataFrame:
    """For each block, how many cells are inside as usual, and under the best reading.

    Returns
    -------
    DataFrame
        One row per data set and filter: ``checkable``, ``inside`` (of the standard reading),
        ``best`` (the reading with most cells inside; the first of equals, and the standard reading
        before all), ``inside_best``, ``all`` (every reading with its number, best first).
    """
    counts = coverage(found, ("dataset", "row", "reading"))
    counts = counts[counts["checkable"] > 0]
    rows = []
    for (dataset, row), own in counts.groupby(level=["dataset", "row"], sort=False):
        inside = own["inside"].droplevel(["dataset", "row"])
        ranked = inside.sort_values(ascending=False, kind="stable")
        rows.append(
            {
                "dataset": dataset,
                "row": row,
                "checkable": int(own["checkable"].max()),
                "inside": inside.get(STANDARD, pd.NA),
                "best": ranked.index[0],
                "inside_best": int(ranked.iloc[0]),
                "all": ", ".join(f"{name} {number}" for name, number in ranked.items()),
            }
        )
    columns = ["dataset", "row", "checkable", "inside", "best", "inside_best", "all"]
    return pd.DataFrame(rows, columns=columns)
