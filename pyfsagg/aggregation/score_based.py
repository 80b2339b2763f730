"""Aggregators that work on scores: means, and the first principal component (FPCPS)."""

from functools import partial
from typing import Any, Literal

import numpy as np

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Booleans, Floats, in_range, scaled_rows
from pyfsagg._message import NONE, Got, Param, Remedy, Use
from pyfsagg.aggregation import _base
from pyfsagg.aggregation._base import (
    SOLVED,
    AggregatedValues,
    geometric_means,
    over_lists,
    required_scores,
    rounding_of_mean,
)
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings, rank_scores


def reduced_score(method: str, sibling: str, how: _base.How, table: Rankings) -> AggregatedValues:
    """Mean (thesis eq. 3.15), median, lowest or highest score over the lists that contain the item."""
    scores = required_scores(table, method, sibling)
    values = over_lists(scores, how, table.weights)
    exact = np.zeros(table.n_items)  # medians and extremes are values of the lists
    rounding = rounding_of_mean(scores, table.weights) if how == "mean" else exact
    return AggregatedValues(values, values, rounding=rounding)


def geometric_mean(
    table: Rankings, *, shift: float | str | None = None, nonpositive_as: float | None = None
) -> AggregatedValues:
    """Geometric mean of the scores over the lists with the item (thesis eq. 3.16); 0 with a zero,
    unless `nonpositive_as` replaces it."""
    scores = required_scores(table, "geometric_mean", "geometric_mean_rank")
    if shift == "minimum":
        scores = scores + np.maximum(-np.nanmin(scores, axis=1, keepdims=True), 0.0)
    elif shift is not None:
        if not isinstance(shift, (int, float)) or isinstance(shift, bool) or not np.isfinite(shift):
            allowed = " must be a finite number, 'minimum' or "
            raise ParameterError(Param("shift"), allowed, NONE, Got(shift))
        scores = scores + float(shift)
    if nonpositive_as is not None:
        stand_in = validation.check_real("nonpositive_as", nonpositive_as, low=0.0, low_open=True)
        scores = np.where(scores <= 0, stand_in, scores)
    if bool((scores < 0).any()):
        i, j = np.argwhere(scores < 0)[0]
        raise DataError(
            f"geometric_mean needs scores of at least 0, and {table.items[j]!r} has ",
            f"{scores[i, j]:.6g} in list {i + 1}",
            Remedy("use arithmetic_mean, or shift the scores with ", Use(shift="minimum")),
        )
    with np.errstate(divide="ignore"):
        logs = np.log(scores)
    values, rounding = geometric_means(logs, table.weights)
    return AggregatedValues(values, values, rounding=rounding)


def l2_norm(table: Rankings) -> AggregatedValues:
    """Euclidean norm of the scores of an item, without their sign (thesis eq. 3.17); the sum of squares
    from s of m lists is scaled by m/s."""
    scores = required_scores(table, "l2_norm", "mean_rank")
    # Scaling keeps the squares of very large and very small scores inside the floating range.
    largest = np.nanmax(np.abs(scores), axis=0)
    scaled = scores / np.where(largest > 0.0, largest, 1.0)
    mean_square = over_lists(np.square(scaled), "mean", table.weights)
    with np.errstate(over="ignore"):  # infinite if it is beyond the largest number
        values = largest * np.sqrt(table._total_weight * mean_square)
    return AggregatedValues(values, values)


def fused_scores(
    method: str, table: Rankings, *, normalize: Literal["minmax", "zscore", "none"] = "minmax"
) -> AggregatedValues:
    """CombSUM: the sum of the scores of an item, each list scaled to [0, 1], or to mean 0 and standard
    deviation 1, over its items; constant lists and absent items add 0. CombMNZ: the same, times the
    number of lists that contain the item."""
    validation.check_choice("normalize", normalize, ("minmax", "zscore", "none"))
    scores = required_scores(table, method, "borda")
    missing = np.isnan(scores)
    if normalize != "none":
        scores = scaled_rows(scores)
        low = np.nanmin(scores, axis=1, keepdims=True)
        spread = np.nanmax(scores, axis=1, keepdims=True) - low
        if normalize == "zscore":
            low, spread = (f(scores, axis=1, keepdims=True) for f in (np.nanmean, np.nanstd))
        constant = spread <= 1e-14 * np.nanmax(np.abs(scores), axis=1, keepdims=True)
        scores = (scores - low) / np.where(constant, np.inf, spread)
    weights = np.ones(table.n_lists) if table.weights is None else table.weights

    def total(known: Floats) -> Floats:
        # Sorted, so the sum does not depend on the order of the lists.
        return np.asarray(np.sort(known * weights[:, np.newaxis], axis=0).sum(axis=0))

    values = in_range(total, np.where(missing, 0.0, scores))
    if method == "comb_mnz":
        values = values * (weights @ ~missing)
    return AggregatedValues(values, values)


def _score_based(**parts: Any) -> _base.AggregatorSpec:
    """What the aggregators of this file have in common."""
    common: dict[str, Any] = {
        "bounds": "(-inf, inf)",
        "ties": "do not matter",
        "source": "Salman (2022), section 3.5",
        "by_item": lambda options: options.get("shift") != "minimum",  # which looks at whole lists
    }
    return _base.AggregatorSpec(
        input="scores", list_weights="any", unranked="refused", **{**common, **parts}
    )


def _fusion(**parts: Any) -> _base.AggregatorSpec:
    """What CombSUM and CombMNZ have in common."""
    return _score_based(
        source="Fox, Shaw (1994), TREC-2; Lee (1997), SIGIR, for the normalization",
        by_item=lambda options: options.get("normalize") == "none",
        **parts,
    )


_base.AGGREGATORS.add(
    _score_based(
        name="arithmetic_mean",
        aliases=("am", "mean"),
        summary="mean of the scores",
        formula="1/m sum_i s_i",
        latex=r"\frac{1}{m} \sum_{i=1}^{m} s_i",
        compute=partial(reduced_score, "arithmetic_mean", "mean_rank", "mean"),
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
        compute=partial(reduced_score, "median", "median_rank", "median"),
    ),
    _score_based(
        name="minimum",
        extreme=True,
        aliases=("min",),
        summary="lowest score",
        formula="min_i s_i",
        latex=r"\min_{i} s_i",
        compute=partial(reduced_score, "minimum", "median_rank", "min"),
    ),
    _score_based(
        name="maximum",
        extreme=True,
        aliases=("max",),
        summary="highest score",
        formula="max_i s_i",
        latex=r"\max_{i} s_i",
        compute=partial(reduced_score, "maximum", "minimum_rank", "max"),
    ),
    _fusion(
        name="comb_sum",
        aliases=("combsum",),
        summary="sum of scores, each list scaled to 0..1",
        formula="sum_i z_i over the lists with the item, z_i the score from 0 to 1 in list i",
        latex=r"\sum_{i} z_i, \quad z_i = \frac{s_i - \min s_i}{\max s_i - \min s_i}",
        compute=partial(fused_scores, "comb_sum"),
    ),
    _fusion(
        name="comb_mnz",
        aliases=("combmnz",),
        summary="comb_sum times the number of lists with the item",
        formula="h sum_i z_i over the h lists with the item, z_i the score from 0 to 1 in list i",
        latex=r"h \sum_{i} z_i, \quad z_i = \frac{s_i - \min s_i}{\max s_i - \min s_i}",
        compute=partial(fused_scores, "comb_mnz"),
    ),
)


def fpcps(
    table: Rankings,
    *,
    n_features_to_select: int | float | None = 0.25,
    normalize: Literal["zscore", "minmax"] = "zscore",
) -> AggregatedValues:
    """First principal component of the lists over the `n_features_to_select` best features of any list
    (fpcps section 3), with loadings of positive sum."""
    scores, chosen = normalized_best(table, n_features_to_select, normalize)
    loadings, coordinates = first_component(scores, table.weights)
    rounding = np.zeros(table.n_items)
    rounding[chosen] = SOLVED * (np.abs(loadings) @ np.abs(scores))
    if (loadings < -1e-9).any():
        against = int((loadings < -1e-9).sum())
        remarks.warn(
            f"{against} of {loadings.size} lists have a negative loading on the first principal "
            "component: a high score there lowers the combined score. Select fewer features "
            "(n_features_to_select), or leave these lists out.",
            stacklevel=2,
        )
    statistic = np.full(table.n_items, np.nan)
    statistic[chosen] = coordinates
    below = coordinates.min() - coordinates.std()
    return AggregatedValues(np.where(chosen, statistic, below), statistic, rounding=rounding)


def normalized_best(
    table: Rankings, n_features_to_select: int | float | None, normalize: str
) -> tuple[Floats, Booleans]:
    """Normalized scores (n_lists, n_best) and the mask of their features."""
    scores = required_scores(table, "fpcps", "borda")
    validation.check_choice("normalize", normalize, ("zscore", "minmax"))
    best: Booleans = np.ones(table.n_items, dtype=np.bool_)
    if n_features_to_select is not None:
        k = validation.n_selected(n_features_to_select, table.n_items, "n_features_to_select")
        # Comparing with NaN is False: a missing score is among no list's best.
        best = np.asarray((rank_scores(scores, ties="ordinal") <= k).any(axis=0))
    chosen = scaled_rows(scores)[:, best]
    missing = np.isnan(chosen)
    if missing.any():
        counts = np.maximum(1, (~missing).sum(axis=1, keepdims=True))
        means = np.where(missing, 0.0, chosen).sum(axis=1, keepdims=True) / counts
        chosen = np.where(missing, means, chosen)
    centred = chosen - chosen.mean(axis=1, keepdims=True)
    spread = chosen.std(axis=1) if normalize == "zscore" else np.ptp(chosen, axis=1)
    # Rounding leaves a constant list a spread of a few units in the last place of its values.
    constant = spread <= 1e-14 * np.abs(chosen).max(axis=1)
    if constant.all():
        raise DataError(
            f"every list is constant on the {chosen.shape[1]} features, so there "
            "is no principal component; select more (n_features_to_select)"
        )
    scale = np.where(constant, np.inf, spread)
    if table.weights is not None:
        # As many equal variables as the list is written times have the variance of one of this scale.
        scale = scale / np.sqrt(table.weights)
    return centred / scale[:, np.newaxis], best


def first_component(scores: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Loadings and coordinates, from the smaller Gram matrix; `scores` of a list of weight w, and its
    loading, are longer by √w."""
    m, n = scores.shape
    if m <= n:
        loadings = np.linalg.eigh(scores @ scores.T)[1][:, -1]
    else:
        loadings = scores @ np.linalg.eigh(scores.T @ scores)[1][:, -1]
        loadings = loadings / np.linalg.norm(loadings)
    total = (loadings if weights is None else loadings * np.sqrt(weights)).sum()
    lead = total if abs(total) > 1e-12 else loadings[np.argmax(np.abs(loadings))]
    loadings = loadings if lead > 0 else -loadings
    return loadings, np.asarray(loadings @ scores, dtype=np.float64)


_base.AGGREGATORS.add(
    _score_based(
        name="fpcps",
        aliases=("first_principal_component",),
        summary="first principal component of the lists",
        formula="sum_i a_i z_i, z_i the normalized score in list i, a the first principal component",
        latex=r"\sum_{i=1}^{m} a_i z_i, \quad a \text{ the first eigenvector of the covariance "
        r"of } z_1, \dots, z_m",
        ties="at the limit of n_features_to_select, the first column; of two lists that are negatively "
        "correlated, rounding decides which one counts as right",
        source="Filchenkov, Dolganov, Smetannikov (2015), section 3",
        by_item=lambda options: False,
        compute=fpcps,
    )
)
