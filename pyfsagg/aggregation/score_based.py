"""Aggregators that work on the scores themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pyfsagg._base.checks import check_real
from pyfsagg._base.types import Floats
from pyfsagg.aggregation._base import (
    AGGREGATORS,
    AggregatedValues,
    AggregatorSpec,
    required_scores,
)
from pyfsagg.aggregation._reduction import over_lists
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import RankTable

__all__ = [
    "arithmetic_mean",
    "geometric_mean",
    "l2_norm",
    "maximum_score",
    "median_score",
    "minimum_score",
]


def arithmetic_mean(table: RankTable) -> AggregatedValues:
    """Mean score over the lists that hold the item (thesis eq. 3.15).

    Raises
    ------
    DataError
        If the table holds ranks only.

    Examples
    --------
    >>> arithmetic_mean(RankTable.from_scores([[1.0, 2.0], [3.0, 6.0]])).scores
    array([2., 4.])
    """
    scores = required_scores(table, "arithmetic_mean", "mean_rank")
    return _same(over_lists(scores, "mean", table.weights))


def geometric_mean(
    table: RankTable,
    *,
    shift: float | str | None = None,
    nonpositive_as: float | None = None,
) -> AggregatedValues:
    """Geometric mean of the scores over the lists that hold the item (thesis eq. 3.16).

    One zero makes the result 0, unless `nonpositive_as` gives its replacement.

    Parameters
    ----------
    table : RankTable
    shift : float or "minimum", optional
        Added to every score first, so that negative scores (mRMR has them) can be used;
        ``"minimum"`` adds just enough to lift the lowest score of each list to 0.
    nonpositive_as : float, optional
        Value that replaces scores of 0 or below, after shifting.  With 1 this is
        ``exp(sum(log(x[x > 0])) / length(x))``, a form often seen in R; mind that 0 then beats 0.5.

    Raises
    ------
    DataError
        If a score is negative (after shifting), or the table holds ranks only.
    ParameterError
        If `shift` is neither a finite number nor ``"minimum"``, or `nonpositive_as` is not positive.

    Examples
    --------
    >>> table = RankTable.from_scores([[1.0, 0.0], [4.0, 9.0]])
    >>> geometric_mean(table).scores
    array([2., 0.])
    >>> geometric_mean(table, nonpositive_as=1.0).scores
    array([2., 3.])
    """
    scores = required_scores(table, "geometric_mean", "geometric_mean_rank")
    if shift is not None:
        scores = scores + _shift(scores, shift)
    if nonpositive_as is not None:
        stand_in = check_real("nonpositive_as", nonpositive_as, low=0.0, low_open=True)
        scores = np.where(scores <= 0, stand_in, scores)
    if bool((scores < 0).any()):
        i, j = np.argwhere(scores < 0)[0]
        raise DataError(
            f"geometric_mean needs scores of at least 0, and {table.names[j]!r} has "
            f"{scores[i, j]:.6g} in list {i + 1}; use arithmetic_mean, or shift the scores with "
            "shift='minimum'"
        )
    with np.errstate(divide="ignore"):
        logs = np.log(scores)
    # exp(-inf) is the 0 that one zero score asks for.
    return _same(np.exp(over_lists(logs, "mean", table.weights)))


def _shift(scores: Floats, shift: float | str) -> Floats:
    if shift == "minimum":
        lowest: Floats = np.nanmin(scores, axis=1, keepdims=True)
        return np.maximum(-lowest, 0.0)
    if isinstance(shift, (int, float)) and not isinstance(shift, bool) and np.isfinite(shift):
        return np.full((1, 1), float(shift))
    raise ParameterError(f"shift must be a finite number, 'minimum' or None, got {shift!r}")


def l2_norm(table: RankTable) -> AggregatedValues:
    """Euclidean norm of the scores of an item (thesis eq. 3.17).

    The sign of a score is lost.  An item that only s of m lists hold has its sum of squares scaled
    by m/s, so that it is neither rewarded nor punished for its absence.

    Raises
    ------
    DataError
        If the table holds ranks only.

    Examples
    --------
    >>> l2_norm(RankTable.from_scores([[3.0, 1.0], [4.0, 1.0]])).scores.round(3)
    array([5.   , 1.414])
    """
    scores = required_scores(table, "l2_norm", "mean_rank")
    # Scaling keeps the squares of very large and very small scores inside the floating range.
    largest = np.nanmax(np.abs(scores), axis=0)
    scaled = scores / np.where(largest > 0.0, largest, 1.0)
    mean_square = over_lists(np.square(scaled), "mean", table.weights)
    return _same(largest * np.sqrt(table.total_weight * mean_square))


def median_score(table: RankTable) -> AggregatedValues:
    """Median score over the lists that hold the item.

    Raises
    ------
    DataError
        If the table holds ranks only.
    """
    scores = required_scores(table, "median", "median_rank")
    return _same(over_lists(scores, "median", table.weights))


def minimum_score(table: RankTable) -> AggregatedValues:
    """Lowest score over the lists that contain the item.

    Raises
    ------
    DataError
        If the table holds ranks only.
    """
    scores = required_scores(table, "minimum", "median_rank")
    return _same(over_lists(scores, "min"))


def maximum_score(table: RankTable) -> AggregatedValues:
    """Highest score over the lists that hold the item.

    Raises
    ------
    DataError
        If the table holds ranks only.
    """
    scores = required_scores(table, "maximum", "minimum_rank")
    return _same(over_lists(scores, "max"))


def _same(values: Floats) -> AggregatedValues:
    return AggregatedValues(values, values)


def _without_minimum(options: Mapping[str, Any]) -> bool:
    return options.get("shift") != "minimum"  # which looks at whole lists


def _score_based(**said: Any) -> AggregatorSpec:
    """What the aggregators of this file have in common."""
    return AggregatorSpec(
        input="scores",
        ties="not concerned: scores count as they are",
        source="Salman (2022), section 3.5",
        by_item=_without_minimum,
        weights="any",
        unranked="has no scores, so that it is not taken",
        **said,
    )


AGGREGATORS.add(
    _score_based(
        name="arithmetic_mean",
        aliases=("am", "mean"),
        summary="mean of the scores",
        formula="1/m sum_i s_i",
        latex=r"\frac{1}{m} \sum_{i=1}^{m} s_i",
        bounds="(-inf, inf)",
        compute=arithmetic_mean,
    ),
    _score_based(
        name="geometric_mean",
        extreme=True,
        aliases=("gm",),
        summary="geometric mean of the scores",
        formula="(prod_i s_i)^(1/m)",
        latex=r"\left( \prod_{i=1}^{m} s_i \right)^{1/m}",
        bounds="[0, inf)",
        compute=geometric_mean,
        options=("shift", "nonpositive_as"),
    ),
    _score_based(
        name="l2_norm",
        aliases=("l2",),
        summary="Euclidean norm of the scores",
        formula="sqrt(sum_i s_i^2)",
        latex=r"\sqrt{\sum_{i=1}^{m} s_i^2}",
        bounds="[0, inf)",
        compute=l2_norm,
    ),
    _score_based(
        name="median",
        summary="median of the scores",
        formula="median_i s_i",
        latex=r"\operatorname{median}_{i} \; s_i",
        bounds="(-inf, inf)",
        compute=median_score,
    ),
    _score_based(
        name="minimum",
        extreme=True,
        aliases=("min",),
        summary="lowest score",
        formula="min_i s_i",
        latex=r"\min_{i} s_i",
        bounds="(-inf, inf)",
        compute=minimum_score,
    ),
    _score_based(
        name="maximum",
        extreme=True,
        aliases=("max",),
        summary="highest score",
        formula="max_i s_i",
        latex=r"\max_{i} s_i",
        bounds="(-inf, inf)",
        compute=maximum_score,
    ),
)
