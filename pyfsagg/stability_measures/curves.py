"""Stability against subset size with its chance level, and the trade-off with accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import as_array, check_flag, check_integer, check_list
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.selection import n_selected
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures._base import STABILITY_MEASURES, UndefinedStabilityError
from pyfsagg.stability_measures._input import read_matrix
from pyfsagg.stability_measures._similarity import check_similarity
from pyfsagg.stability_measures.measure import check_options, stability
from pyfsagg.stability_measures.similarity_adjusted import AdjustedPairs

__all__ = ["chance_level", "pareto_front", "stability_curve"]


def chance_level(
    measure: str,
    size: int,
    n_features: int,
    n_resamples: int,
    *,
    random_state: int | Generator | None = None,
    **options: Any,
) -> float:
    """Expected value of a set measure when every resample selects `size` features at random.

    Parameters
    ----------
    measure : str
        A measure of kind "sets".
    size, n_features, n_resamples : int
        Size k of each subset, number of features p to choose from, number m of subsets.
    random_state : int, Generator or None
        Seed for the measures without closed form: the uncorrected intersection_* measures, with
        `n_random` (10 000) random pairs.
    **options
        Options of the measure, `similarity` among them.

    Returns
    -------
    float
        Exact for pairwise measures (the intersection is hypergeometric), nogueira (0), somol
        (linear in the intersections; above 0, because its 0 stands for subsets spread as evenly as
        possible and not for random ones), novovicova (binomial frequencies), davis (law of the size
        of the union), yu and zucknick.  Zero for the measures of
        :func:`pyfsagg.list_stability_measures` that are corrected for chance.  NaN where the measure
        is always undefined, as nogueira at k = p.

    Raises
    ------
    ParameterError
        If the measure does not work on sets, or a size is out of range.

    Examples
    --------
    >>> from pyfsagg.stability_measures import chance_level
    >>> round(chance_level("hamming", 2, 4, n_resamples=10), 6)
    0.5
    """
    spec = STABILITY_MEASURES.get(measure)
    if spec.kind != "sets":
        raise ParameterError(
            f"chance_level is about subsets, and {spec.name!r} works on {spec.kind}; rank and "
            "score correlations have chance level 0"
        )
    p = check_integer("n_features", n_features, low=1)
    k = check_integer("size", size, low=0, high=p)
    m = check_integer("n_resamples", n_resamples, low=2)
    if spec.chance is None:
        raise ParameterError(f"no chance level is known for the measure {spec.name!r}")
    if "similarity" in spec.needs:
        options["similarity"], _ = check_similarity(options.get("similarity"), None, spec.name)
        size = len(options["similarity"])
        if size != p:
            raise DataError(f"similarity has size {size} x {size} for {p} features")
    if isinstance(spec.bind, AdjustedPairs):
        options["random_state"] = random_state
    check_options(spec, options)
    return spec.chance(k, p, m, **options)


def stability_curve(
    scores: Any,
    measures: Sequence[str] = ("jaccard", "nogueira"),
    sizes: Sequence[float | int] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    input: str = "auto",
    ties: str = "random",
    random_state: int | Generator | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Stability of the top-k subsets against k, with the expected value under random selection.

    Parameters
    ----------
    scores : array or frame of shape (m, p)
        Scores (larger = more important) or ranks, as in :func:`pyfsagg.stability`.
    measures : sequence of str
        Measures of kind "sets".
    sizes : sequence of float or int, optional
        Subset sizes as fractions of p or counts; 10 %, 20 %, …, 100 % by default.
    feature_names, input, ties
        As in :func:`pyfsagg.stability`.
    random_state
        For orders of ties, and for chance levels without closed form, see :func:`chance_level`.
    **options
        Passed on to the measures.

    Returns
    -------
    DataFrame
        Columns ``measure``, ``size`` (k), ``fraction`` (k/p), ``value``, ``chance`` and
        ``defined``.  Where a measure is undefined for every pair (all subsets full, k = p), the
        value is missing and ``defined`` is False.

    Examples
    --------
    >>> from pyfsagg.stability_measures import stability_curve
    >>> scores = [[0.9, 0.5, 0.2, 0.1], [0.8, 0.6, 0.1, 0.2], [0.7, 0.2, 0.4, 0.1]]
    >>> stability_curve(scores, ["jaccard"], [1, 2, 4])[["size", "value", "chance"]].round(3)
       size  value  chance
    0     1  1.000   0.250
    1     2  0.556   0.389
    2     4  1.000   1.000
    """
    matrix = read_matrix(scores, feature_names=feature_names, kind=input, name="scores")
    m, p = matrix.values.shape
    asked = [i / 10 for i in range(1, 11)] if sizes is None else check_list("sizes", sizes)
    measures = check_list("measures", measures)
    if not asked or not measures:
        raise ParameterError("sizes and measures must not be empty")
    seed = resolve_seed(random_state)
    counts = list(dict.fromkeys(n_selected(size, p, "each of sizes") for size in asked))
    rows = []
    for name in measures:
        spec = STABILITY_MEASURES.get(name)
        for k in counts:
            level = np.nan
            if spec.kind != "sets" or spec.chance is not None:
                level = chance_level(spec.name, k, p, m, random_state=seed, **options)
            try:
                value = stability(
                    matrix.values,
                    spec.name,
                    input="scores",
                    top=k,
                    ties=ties,
                    random_state=seed,
                    **options,
                ).value
                defined = True
            except UndefinedStabilityError:
                value, defined = float("nan"), False
            rows.append((spec.name, k, k / p, value, level, defined))
    return pd.DataFrame(rows, columns=["measure", "size", "fraction", "value", "chance", "defined"])


def pareto_front(
    stability: ArrayLike,
    accuracy: ArrayLike,
    *,
    larger_stability_is_better: bool = True,
) -> NDArray[np.bool_]:
    """The methods on the Pareto front of stability and accuracy.

    Parameters
    ----------
    stability, accuracy : array of shape (n,)
        One point per method or subset size.
    larger_stability_is_better : bool, default True
        False for distances such as canberra and asd.

    Returns
    -------
    ndarray of bool, shape (n,)
        True on the front: no other point is at least as good in both and better in one.  Equal
        points on the front are all kept.  O(n log n).

    Raises
    ------
    DataError
        If the lengths differ, are zero, or a value is missing.

    Examples
    --------
    >>> from pyfsagg.stability_measures import pareto_front
    >>> pareto_front([0.9, 0.7, 0.5, 0.6], [0.70, 0.80, 0.90, 0.75])
    array([ True,  True,  True, False])
    """
    larger_stability_is_better = check_flag(
        "larger_stability_is_better", larger_stability_is_better
    )
    x = as_array("stability", stability, np.float64)
    y = as_array("accuracy", accuracy, np.float64)
    if x.ndim != 1 or x.shape != y.shape or x.size == 0:
        raise DataError(
            "stability and accuracy must be one-dimensional, of one length and not empty, got "
            f"shapes {x.shape} and {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise DataError("stability and accuracy must be finite; leave out undefined points")
    if not larger_stability_is_better:
        x = -x
    order = np.lexsort((-y, -x))
    front = np.zeros(x.size, dtype=bool)
    best = -np.inf
    held = (np.nan, np.nan)
    for i in order:
        if y[i] > best or (x[i], y[i]) == held:
            front[i] = True
            best = y[i]
            held = (x[i], y[i])
    return front
