"""Which reading of the method or of the data brings a published block inside.

A block is the cells of one data set and one row (filter, aggregator or method) of a table.  Where
our repetitions do not contain the printed values, something was done differently: each reading
here is one guess, tried on the same splits.
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg.exceptions import ParameterError, UnknownNameError
from pyfsagg.extending import Param
from pyfsagg_papers.published import find_datasets, readable_cells
from pyfsagg_papers.records import Log, silent
from pyfsagg_papers.stuart.rankings import look_for_r
from pyfsagg_papers.tables.comparison import MOST_OTHERS, coverage
from pyfsagg_papers.tables.comparison import table as repeat_table
from pyfsagg_papers.tables.fpcps import BY_COLUMN, BY_SAMPLE, BY_VALUE
from pyfsagg_papers.tables.frcm import (
    BINARY,
    BY_NUMBER,
    BY_RATIO,
    COSINE,
    COSINE_AND_SELF,
    HEAT_KERNEL,
    LARGE_IS_GOOD,
    SMALL_IS_GOOD,
)

STANDARD = "standard"
ENOUGH = 0.9
"""Share of the cells of a block that are inside if its reading is right; limits hold 95 %."""


@dataclass(frozen=True)
class Reading:
    """A guess: settings of the experiment that differ from the usual ones.

    Attributes
    ----------
    name, what : str
    settings : mapping
    needs_r : bool
        Whether RobustRankAggreg is called in R.
    datasets : tuple of str
        The data sets that it is about; empty for all.
    rows : tuple of str
        The rows that it is about; empty for all.
    """

    name: str
    what: str
    settings: dict[str, Any] = field(default_factory=dict)
    needs_r: bool = False
    datasets: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()


_CLASS = {"class_column": "feature too"}
_KEPT = {"near_zero_variance": "kept"}
_FACTORS = {"two_valued": "nominal"}
_DOUBLES = {"whole_numbers": "doubles"}
_LABELS = {"label_columns": "left out"}
_STANDARD = Reading(STANDARD, "as all tables are repeated here")

_BY_FILTER = (
    _STANDARD,
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
        "class_as_feature_factors_all_features",
        "the class column is among the features, columns with two values are nominal, and features of "
        "near-zero variance are kept",
        {**_CLASS, **_FACTORS, **_KEPT},
    ),
    Reading(
        "no_label_columns",
        "the four other labels of this multi-label data set are left out",
        _LABELS,
        datasets=("image",),
    ),
    *(
        Reading(
            f"target_{label}",
            f"the target is the label {label!r}; the other labels are left out",
            {**_LABELS, "target": f"label_{label}"},
            datasets=("image",),
        )
        for label in ("desert", "mountains", "sunset", "trees")
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


_HUNDRED = {"n_resamples": 100}
_POSITIVE = {"geometric_mean": "positive scores only"}
_IN_R = {**_HUNDRED, **_POSITIVE, "rank_aggregation": "as R returns it"}

_BY_AGGREGATOR = (
    _STANDARD,
    Reading("hundred_resamples", "100 resamples in each fold, not 1000", _HUNDRED),
    Reading(
        "hundred_resamples_ascending_ranks",
        "the same, and Canberra on ranks with 1 = worst, as in table 4.4",
        {**_HUNDRED, "canberra": "ascending ranks"},
    ),
    Reading(
        "hundred_resamples_positive_scores",
        "100 resamples, and in the geometric mean scores of 0 and below count as 1, as in "
        "exp(sum(log(x[x > 0])) / length(x))",
        {**_HUNDRED, **_POSITIVE},
    ),
    Reading(
        "as_r_returns",
        "the same, and Stuart and robust rank aggregation as aggregateRanks of RobustRankAggreg "
        "returns them for lists of names: Stuart by its recursion, p-values capped at 1, and equal "
        "ones in the order of the first list",
        _IN_R,
        needs_r=True,
    ),
    Reading(
        "as_r_returns_factors",
        "the same, and columns with two values are nominal",
        {**_IN_R, **_FACTORS},
        needs_r=True,
    ),
    Reading(
        "as_r_returns_all_features",
        "as R returns them, and features of near-zero variance are kept",
        {**_IN_R, **_KEPT},
        needs_r=True,
    ),
    Reading(
        "as_r_returns_factors_all_features",
        "the two before together",
        {**_IN_R, **_FACTORS, **_KEPT},
        needs_r=True,
    ),
)

_LAPLACIAN, _VIEWS = ("laplacian_score",), ("frmv",)
_GRAPHS = {
    "heat_kernel": (HEAT_KERNEL, "the heat kernel"),
    "binary": (BINARY, "weights of 1"),
    "cosine": (COSINE, "neighbours and weights by cosine similarity"),
    "cosine_self": (
        COSINE_AND_SELF,
        "neighbours and weights by cosine similarity, and each sample joined to itself",
    ),
}
_BY_GRAPH = tuple(
    Reading(
        f"{name}{suffix}",
        f"Laplacian score: {what}; {taken}",
        {"methods": list(_LAPLACIAN), "laplacian_graph": graph, "laplacian_direction": end},
        rows=_LAPLACIAN,
    )
    for end, suffix, taken in (
        (SMALL_IS_GOOD, "", "small scores are important, as defined"),
        (LARGE_IS_GOOD, "_reversed", "large scores are taken, the reverse of the definition"),
    )
    for name, (graph, what) in _GRAPHS.items()
    if (name, end) != ("heat_kernel", SMALL_IS_GOOD)
)
_BY_VIEWS = tuple(
    Reading(
        f"{name}{suffix}",
        f"FRMV: {what}; {put}",
        {"methods": list(_VIEWS), "frmv_association": association, "frmv_aggregator": aggregator},
        rows=_VIEWS,
    )
    for association, name, what in (
        (BY_RATIO, "ratio", "the correlation ratio of a feature with a clustering"),
        (BY_NUMBER, "number", "the correlation of a feature with the numbers of the clusters"),
    )
    for aggregator, suffix, put in (
        ("borda", "", "places in the rankings are added"),
        ("arithmetic_mean", "_mean", "the mean over the clusterings"),
    )
    if (association, aggregator) != (BY_RATIO, "borda")
)
_BY_ROW = (
    Reading(
        STANDARD,
        "as the Laplacian score and FRMV are defined; see the documentation of both",
        {"methods": [*_LAPLACIAN, *_VIEWS]},
        rows=(*_LAPLACIAN, *_VIEWS),
    ),
    *_BY_GRAPH,
    *_BY_VIEWS,
)

_BY_DIFFERENCES = tuple(
    Reading(
        STANDARD if (bins, form) == (10, "") else f"{name}{form}",
        f"value difference metric: {what}{taken}",
        {"bins": bins, **settings},
        rows=("value_difference_metric",),
    )
    for bins, name, what in (
        (10, "ten_bins", "ten bins of equal width"),
        (5, "five_bins", "five bins of equal width"),
        (None, "no_bins", "every value of its own"),
    )
    for form, taken, settings in (
        ("", "", {}),
        ("_by_value", "; shares of the classes in each value", {"value_differences": BY_VALUE}),
        ("_by_sample", "; the sum is over samples", {"value_differences": BY_SAMPLE}),
    )
)

_BY_SHARE = tuple(
    Reading(
        STANDARD if (share, end) == (0.15, "") else f"{name}{end}",
        f"{share:.0%} of the attributes are kept{taken}",
        {"share": share, **settings},
        datasets=("dorothea", "dexter"),
    )
    for share, name in ((0.15, "fifteen"), (0.1, "ten"), (0.2, "twenty"), (0.25, "twenty_five"))
    for end, taken, settings in (
        ("", "; equal scores in random order", {}),
        ("_by_column", "; equal scores in the order of the columns", {"equal_scores": BY_COLUMN}),
    )
)

READINGS = {
    "4.4": _BY_FILTER,
    "4.5": _BY_AGGREGATOR,
    "4.6": _BY_AGGREGATOR,
    "fpcps_1": _BY_SHARE,
    "fpcps_2": _BY_DIFFERENCES,
    "frcm_2": _BY_ROW,
}
"""The readings of each table that has some; those of fpcps_1 are about two data sets, those of fpcps_2
about one row, those of frcm_2 about two."""


def readings(
    dataset: str | Sequence[str] | None = None,
    *,
    table: str = "4.4",
    names: Sequence[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    log: Log | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Cells of a published table under each reading.

    Parameters
    ----------
    dataset : str or sequence of str, optional
        As in :func:`table`; all data sets by default.
    table : {"4.4", "4.5", "4.6", "fpcps_1", "fpcps_2", "frcm_2"}
    names : sequence of str, optional
        Names in ``READINGS[table]``; by default all, but without R those that need none.
    checkpoint : path, optional
        As in :func:`table`, with a sub-folder for each reading.
    log : callable (str), optional
    **options
        ``quick``, ``random_state`` and ``n_jobs`` of :func:`table`.

    Returns
    -------
    DataFrame
        The columns of :func:`table` after a first column ``reading``.

    Raises
    ------
    MissingDependencyError
        If R is needed and not available.

    Examples
    --------
    >>> found = readings("jasmine", quick=True)  # doctest: +SKIP
    >>> best_readings(found)  # doctest: +SKIP
    """
    if table not in READINGS:
        raise UnknownNameError("table with readings", table, READINGS)
    known = {each.name: each for each in READINGS[table]}
    log = log or silent
    wanted = _possible(known, log) if names is None else list(names)
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise ParameterError(Param("names"), f" must be some of {', '.join(known)}; got {wanted!r}")
    asked = find_datasets([table], dataset)
    frames = []
    for name in wanted:
        about = [each for each in asked if each in (known[name].datasets or asked)]
        if not about:
            log(f"left out: the reading {name} is about {' and '.join(known[name].datasets)} only")
            continue
        log(f"reading {name}")
        folder = None if checkpoint is None else Path(checkpoint) / name
        found = repeat_table(
            table, about, checkpoint=folder, log=log, settings=known[name].settings, **options
        )
        if known[name].rows:
            found = found[found["row"].isin(known[name].rows)]
        found.insert(0, "reading", name)
        frames.append(found)
    if not frames:
        raise ParameterError(f"none of the readings {', '.join(wanted)} is about {dataset!r}")
    return pd.concat(frames, ignore_index=True)


def _possible(known: Mapping[str, Reading], log: Log) -> list[str]:
    """The readings that can be tried here; the log names those left out for want of R."""
    need = [name for name, each in known.items() if each.needs_r]
    r = look_for_r() if need else {"available": True}
    if r["available"]:
        return list(known)
    log(f"left out, because they need R ({r['reason']}): {', '.join(need)}")
    return [name for name in known if name not in need]


def best_readings(found: pd.DataFrame, by: Sequence[str] = ("dataset", "row")) -> pd.DataFrame:
    """For each block, the number of cells inside under the standard and the best reading.

    Parameters
    ----------
    found : DataFrame
        As of :func:`readings`.
    by : sequence of str
        Definition of a block: the cells of a data set and a row, or of a whole data set (``["dataset"]``),
        which one run of the authors would have read in one way.

    Returns
    -------
    DataFrame
        One row per block: the columns `by`, ``checkable``, ``inside`` (of the standard reading),
        ``best`` (the reading with most cells inside; the first of equals, and the standard reading
        before all), ``inside_best``, ``widening`` (how much wider its limits are, as a ratio of
        medians: wide limits hold nearly anything), ``others_as_good`` (of the other data sets with
        printed values in these rows, the share whose values, put in the place of these, would have as
        large a share of cells inside under the best reading for them: what trying this many readings
        brings by chance; NaN without others), ``explained`` (whether 90 % of the cells, of fewer than
        ten all, are inside under the best reading and at most 5 % of the others would do as well),
        ``all`` (every reading with its number, best first).
    """
    by = list(by)
    sized = found.assign(width=found["upper"] - found["lower"])
    widths = sized.groupby([*by, "reading"])["width"].median().reset_index("reading")
    counts = coverage(found, (*by, "reading")).query("checkable > 0").reset_index("reading")
    rows = []
    for key, own in counts.groupby(by, sort=False):
        limits = _of_block(widths, by, key).set_index("reading")["width"]
        ranked = own.set_index("reading")["inside"].sort_values(ascending=False, kind="stable")
        block = _of_block(found, by, key)
        chance = _as_good_by_chance(block[block["verdict"] != "not checkable"])
        rows.append(
            {
                **dict(zip(by, key, strict=True)),
                "checkable": int(own["checkable"].max()),
                "inside": ranked.get(STANDARD, pd.NA),
                "best": ranked.index[0],
                "inside_best": int(ranked.iloc[0]),
                "widening": _ratio(limits, str(ranked.index[0])),
                "others_as_good": chance,
                "explained": bool(ranked.iloc[0] >= ENOUGH * own["checkable"].max())
                and chance <= MOST_OTHERS,
                "all": ", ".join(f"{name} {number}" for name, number in ranked.items()),
            }
        )
    columns = [*by, "checkable", "inside", "best", "inside_best", "widening"]
    columns += ["others_as_good", "explained", "all"]
    return pd.DataFrame(rows, columns=columns)


def _of_block(frame: pd.DataFrame, by: list[str], key: tuple[Hashable, ...]) -> pd.DataFrame:
    """The rows of a block; `by` names columns or levels of the index."""
    plain = frame if set(by) <= set(frame.columns) else frame.reset_index()
    return plain[(plain[by] == list(key)).all(axis=1)]


def _as_good_by_chance(block: pd.DataFrame) -> float:
    """The share of other data sets whose printed values would fit as well as those of a block.

    Every other data set is judged in the cells that it has, and as well means at least the same share
    of them inside under the reading that is best for it.
    """
    own = block["verdict"].eq("inside").groupby(block["reading"]).mean().max()
    (table,) = block["table"].unique()
    printed = readable_cells(str(table))
    others = printed[~printed["dataset"].isin(block["dataset"])]
    cells = pd.MultiIndex.from_frame(block[["row", "measure"]])
    best = []
    for _, other in others.groupby("dataset"):
        values = other.set_index(["row", "measure"])["value"].reindex(cells).to_numpy()
        held = block["lower"].le(values) & block["upper"].ge(values)
        known = ~np.isnan(values)
        if known.any():
            best.append(held[known].groupby(block["reading"][known]).mean().max())
    return float(np.mean(np.array(best) >= own)) if best else math.nan


def _ratio(widths: pd.Series[float], name: str) -> float:
    """How much wider the limits of a reading are than the usual ones."""
    usual = float(widths.get(STANDARD, math.nan))
    return float(widths[name]) / usual if usual > 0 else math.nan
