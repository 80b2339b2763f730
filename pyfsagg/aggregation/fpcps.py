"""The first principal component of the filters' scores as one score (FPCPS)."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg._base.remarks import warn
from pyfsagg._base.types import Floats
from pyfsagg.aggregation._base import (
    AGGREGATORS,
    AggregatedValues,
    AggregatorSpec,
    required_scores,
)
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import RankTable, rank_scores

__all__ = ["fpcps", "fpcps_loadings"]


def fpcps(
    table: RankTable,
    *,
    keep: int | float | None = 0.25,
    normalize: Literal["zscore", "minmax"] = "zscore",
) -> AggregatedValues:
    """First principal component projection score (fpcps section 3).

    The features among the `keep` best of at least one list are the objects of a principal component
    analysis with one variable per list; a feature's coordinate on the first component is its score.
    The component is oriented so that its loadings sum to a positive number.

    Parameters
    ----------
    table : RankTable
        With scores.  A missing score counts as the mean of its list.
    keep : int, float or None
        The cutting rule, applied before the analysis: how many features (int) or which share of
        them (float, rounded up) each list keeps; the union is analysed.  None keeps all.
    normalize : {"zscore", "minmax"}
        How the scores of a list are scaled (over the kept features); a list
        that is constant there contributes nothing.

    Returns
    -------
    AggregatedValues
        `statistic` is the coordinate, NaN for a feature that was cut.  In `scores` the features
        that were cut tie one standard deviation below the lowest kept one.

    Raises
    ------
    DataError
        If the table holds ranks only, or all lists are constant on the kept features.
    ParameterError
        For a bad `keep` or `normalize`.

    Warns
    -----
    PyfsaggWarning
        If loadings have mixed signs: a high score in one list then counts against a feature.

    Examples
    --------
    >>> table = RankTable.from_scores([[3.0, 2.0, 1.0, 0.0], [6.0, 5.0, 1.0, 0.5]])
    >>> fpcps(table, keep=None).statistic.round(3)
    array([ 1.793,  0.867, -0.94 , -1.72 ])
    """
    scores, kept = _prepare(table, keep, normalize)
    loadings, coordinates = _first_component(scores, table.weights)
    if (loadings < -1e-9).any():
        against = int((loadings < -1e-9).sum())
        warn(
            f"{against} of {loadings.size} lists have a negative loading on the first principal "
            "component: a high score there lowers the combined score. Keep fewer features (keep), "
            "or leave these lists out.",
            stacklevel=2,
        )
    statistic = np.full(table.n_items, np.nan)
    statistic[kept] = coordinates
    below = coordinates.min() - coordinates.std()
    return AggregatedValues(np.where(kept, statistic, below), statistic)


def fpcps_loadings(
    table: RankTable,
    *,
    keep: int | float | None = 0.25,
    normalize: Literal["zscore", "minmax"] = "zscore",
) -> Floats:
    """Loadings (n_lists,) of the component that :func:`fpcps` projects on; they have norm 1.

    Examples
    --------
    >>> table = RankTable.from_scores([[3.0, 2.0, 1.0], [6.0, 5.0, 1.0]])
    >>> fpcps_loadings(table, keep=None).round(3)
    array([0.707, 0.707])
    """
    return _first_component(_prepare(table, keep, normalize)[0], table.weights)[0]


def _prepare(
    table: RankTable, keep: int | float | None, normalize: str
) -> tuple[Floats, NDArray[np.bool_]]:
    """Normalized scores (n_lists, n_kept) and the mask of the features kept."""
    scores = required_scores(table, "fpcps", "borda")
    check_choice("normalize", normalize, ("zscore", "minmax"))
    kept = _union_of_best(scores, keep)
    chosen = scores[:, kept]
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
            f"every list is constant on the {chosen.shape[1]} features kept, so that there "
            "is no principal component; keep more features (keep)"
        )
    scale = np.where(constant, np.inf, spread)
    if table.weights is not None:
        # As many equal variables as the list is written times have the variance of one of this scale.
        scale = scale / np.sqrt(table.weights)
    return centred / scale[:, np.newaxis], kept


def _union_of_best(scores: Floats, keep: int | float | None) -> NDArray[np.bool_]:
    p = scores.shape[1]
    if keep is None:
        return np.ones(p, dtype=np.bool_)
    if isinstance(keep, (float, np.floating)):
        share = check_real("keep", keep, low=0.0, high=1.0, low_open=True)
        k = max(1, math.ceil(share * p - 1e-9))
    else:
        k = check_integer("keep", keep, low=1, high=p)
    # Comparing with NaN is False: a missing score is among no list's best.
    kept: NDArray[np.bool_] = (rank_scores(scores, ties="ordinal") <= k).any(axis=0)
    return kept


def _first_component(scores: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Loadings and coordinates, from the smaller of the two Gram matrices.

    `scores` of a list of weight w are longer by √w, and so is its loading: the sum over its copies.
    """
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


AGGREGATORS.add(
    AggregatorSpec(
        name="fpcps",
        aliases=("first_principal_component",),
        summary="coordinate on the first principal component of the lists",
        formula="sum_i a_i z_i, z_i the normalized score in list i, a the first principal component",
        latex=r"\sum_{i=1}^{m} a_i z_i, \quad a \text{ the first eigenvector of the covariance "
        r"of } z_1, \dots, z_m",
        bounds="(-inf, inf)",
        ties="equally good features at the limit of keep: the first column",
        source="Filchenkov, Dolganov, Smetannikov (2015), section 3",
        compute=fpcps,
        input="scores",
        weights="any",
        unranked="has no scores, so that it is not taken",
        options=("keep", "normalize"),
    )
)
