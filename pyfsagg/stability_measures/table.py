"""Every stability measure that applies to a collection, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from pyfsagg._base.checks import check_choice, check_list, check_real
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures._base import (
    STABILITY_MEASURES,
    BoundStatistic,
    StabilitySpec,
    require_defined,
)
from pyfsagg.stability_measures._input import Matrix, Selection, read_collection
from pyfsagg.stability_measures._similarity import check_similarity
from pyfsagg.stability_measures._ties import check_ties
from pyfsagg.stability_measures.intervals import Interval
from pyfsagg.stability_measures.measure import bind_read, find_interval, refuse_accidents

__all__ = ["stability_table"]

VISIT_PAIRS = ("kendall", "weighted_kendall")
"""Measures whose intervals visit all pairs of resamples one by one, at p log p each."""

NARROW = (
    "the interval is too narrow where the resamples nearly agree: it rests on their spread alone"
)

MOST_CELLS = 20_000_000
"""m^2 p up to which the table of all measures computes these intervals (a second or two)."""


def stability_table(
    data: Any,
    measures: Sequence[str] | None = None,
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    top: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    interval: str | None = "jackknife",
    level: float = 0.95,
    n_boot: int = 1000,
    ties: str = "random",
    random_state: int | Generator | None = None,
) -> pd.DataFrame:
    """All stability measures that apply to scores, rankings or selections over resamples.

    Parameters
    ----------
    data : EnsembleResult, array, frame or list
        The result of :func:`pyfsagg.wam` or :func:`pyfsagg.bam`, whose combined scores are taken; or
        a collection as in :func:`pyfsagg.stability`.
    measures : sequence of str, optional
        Names or aliases of :func:`pyfsagg.list_stability_measures`.  By default every measure that
        applies: those of selections only for selections, those that need `n_features` or
        `similarity` only if it is known.
    n_features, feature_names, top, similarity, input, n_boot, ties, random_state
        As in :func:`pyfsagg.stability`.
    interval : {"jackknife", "bootstrap", None}
        Interval over resamples: for the value of a repetition with another seed, if they are
        resamples of one data set; for the population, if they come from independent samples.  For
        the Kendall measures it takes time of the order m^2 p log p; with many resamples it is left
        out, with a note, unless `measures` names them.
    level : float, default 0.95
        Confidence level.

    Returns
    -------
    DataFrame
        One row per measure (index ``measure``): ``value``, ``lower``, ``upper``, ``bounds``,
        ``corrected_for_chance``, ``larger_is_stabler``, ``kind`` (scores, ranks or sets),
        ``n_pairs`` and ``n_undefined`` (in the unit ``unit``), ``n_tied`` (resamples in which equal
        scores compete for places, so that the value is a mean over their orders), and ``note``,
        the reason why a value or an interval is missing, empty otherwise.  The seed of the
        random draws is in ``table.attrs["seed"]``.

    Raises
    ------
    DataError
        For one resample, missing or infinite scores, a similarity matrix that does not fit.
    ParameterError
        For an unknown measure, or one named in `measures` that does not apply to the data; for `top`
        or `level` out of range.

    Examples
    --------
    >>> from pyfsagg.stability_measures import stability_table
    >>> scores = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1], [0.4, 0.3, 0.1, 0.2]]
    >>> stability_table(scores, ["spearman", "canberra"], interval=None)["value"].round(4)
    measure
    spearman    0.6667
    canberra    0.1750
    Name: value, dtype: float64
    """
    check_choice("input", input, ("auto", "scores", "ranks", "sets"))
    check_ties(ties)
    seed = resolve_seed(random_state)
    if interval is not None:
        check_choice("interval", interval, ("jackknife", "bootstrap"))
    level = check_real("level", level, low=0.0, high=1.0, low_open=True)
    if level == 1.0:
        raise ParameterError("level must be below 1, got 1.0")
    if (
        isinstance(similarity, pd.DataFrame)
        and feature_names is None
        and not hasattr(data, "shape")
    ):
        feature_names = list(map(str, similarity.columns))  # lists need not hold every feature
    read = read_collection(
        data, kind=input, wanted="sets", n_features=n_features, feature_names=feature_names
    )
    matrix = None if similarity is None else _fitting_similarity(similarity, read)
    if measures is None:
        chosen = [spec for spec in STABILITY_MEASURES if not _missing(spec, read, matrix)]
    else:
        chosen = [STABILITY_MEASURES.get(name) for name in check_list("measures", measures)]
        if not chosen:
            raise ParameterError("measures is empty; name at least one, or leave it out for all")
        for spec in chosen:
            reason = _missing(spec, read, matrix)
            if reason:
                raise ParameterError(f"the measure {spec.name!r} {reason}")
    rows = {}
    for spec in chosen:
        options: dict[str, Any] = {"similarity": matrix} if "similarity" in spec.needs else {}
        statistic, p, _, n_tied, by_accident = bind_read(spec, read, top, ties, seed, options)
        slow = spec.name in VISIT_PAIRS and statistic.n_rows**2 * p > MOST_CELLS
        method = None if slow and measures is None else interval
        rows[spec.name] = _row(spec, statistic, method, level, n_boot, seed, by_accident)
        rows[spec.name]["n_tied"] = n_tied
        if method != interval:
            rows[spec.name]["note"] = (
                f"no interval: it would visit {statistic.n_rows:,} x {statistic.n_rows:,} rankings "
                f"one by one; name {spec.name!r} among measures to have it"
            )
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
    table["note"] = table.pop("note")  # the last column
    table.attrs["seed"] = seed
    return table


def _fitting_similarity(similarity: Any, read: Matrix | Selection) -> Floats:
    """The similarity matrix, one row per column of the data."""
    labels = read.labels if isinstance(read, Selection) else read.feature_names
    matrix, _ = check_similarity(similarity, labels, "similarity-adjusted")
    p = len(labels)
    if len(matrix) != p or (isinstance(read, Selection) and read.n_features not in (None, p)):
        raise DataError(
            f"similarity has size {len(matrix)} x {len(matrix)}, but the data name {p} features; "
            "it needs a row for every feature to choose from, in their order (for lists, a data frame "
            "with their names)"
        )
    return matrix


def _missing(spec: StabilitySpec, read: Matrix | Selection, similarity: Floats | None) -> str:
    """What a measure would need and the data do not have; empty if it applies."""
    if "similarity" in spec.needs and similarity is None:
        return "compares selections by the similarity of features; pass similarity="
    if isinstance(read, Selection):
        if spec.kind != "sets":
            return f"compares {spec.kind}, and the data are selections"
        if "n_features" in spec.needs and read.n_features is None:
            return (
                "depends on the number of features to choose from, which lists do not give; "
                "pass n_features"
            )
    return ""


def _row(
    spec: StabilitySpec,
    statistic: BoundStatistic,
    method: str | None,
    level: float,
    n_boot: int,
    seed: int,
    by_accident: bool,
) -> dict[str, Any]:
    """One line of the table; an undefined value or interval is explained in the note."""
    found = statistic.estimate()
    limits: Interval | None = None
    note = ""
    try:
        require_defined(found, spec.name, statistic.unit)
        if method is not None:
            refuse_accidents(spec, by_accident)
            limits = find_interval(method, spec, statistic, found.value, level, n_boot, seed)
        if limits is not None and spec.kind == "sets" and statistic.least_variance is None:
            note = NARROW
    except DataError as reason:
        note = str(reason)
    return {
        "value": found.value,
        "lower": np.nan if limits is None else spec.within(limits.lower, statistic.n_rows),
        "upper": np.nan if limits is None else spec.within(limits.upper, statistic.n_rows),
        "bounds": spec.bounds,
        "corrected_for_chance": spec.corrected_for_chance,
        "larger_is_stabler": spec.larger_is_stabler,
        "kind": spec.kind,
        "n_pairs": found.n_pairs,
        "n_undefined": found.n_undefined,
        "unit": statistic.unit,
        "note": note,
    }
