"""Stability against subset size, and feature by feature."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base import arithmetic, validation
from pyfsagg._base.arithmetic import Booleans, Floats, Integers, RandomState, row_blocks
from pyfsagg._base.memory import require_memory
from pyfsagg._message import Message, Param
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import rank_scores, ranking
from pyfsagg.stability_measures import _base, _input, chance, similarity_adjusted
from pyfsagg.stability_measures.measure import check_measure_params, measure_stability


def chance_level(
    measure: str,
    size: int,
    n_features: int,
    n_resamples: int,
    *,
    random_state: RandomState = None,
    **measure_params: Any,
) -> float:
    """Expected value of a set measure when every resample selects `size` features at random."""
    spec = _base.STABILITY_MEASURES.get(measure)
    if spec.kind != "sets":
        raise ParameterError(
            f"chance_level is about subsets, and {spec.name!r} works on {spec.kind}; rank and "
            "score correlations have chance level 0"
        )
    p = validation.check_integer("n_features", n_features, low=1)
    k = validation.check_integer("size", size, low=0, high=p)
    m = validation.check_integer("n_resamples", n_resamples, low=2)
    if spec.chance is None:
        raise ParameterError(f"no chance level is known for the measure {spec.name!r}")
    if "similarity" in spec.needs:
        measure_params["similarity"], _ = similarity_adjusted.check_similarity(
            measure_params.get("similarity"), None, spec.name
        )
        size = len(measure_params["similarity"])
        if size != p:
            raise DataError(Param("similarity"), f" has size {size} x {size} for {p} features")
    if isinstance(spec.bind, similarity_adjusted.AdjustedPairs):
        measure_params["random_state"] = random_state
    check_measure_params(spec, measure_params)
    return spec.chance(k, p, m, **measure_params)


def stability_curve(
    scores: Any,
    measures: Sequence[str] = ("jaccard", "nogueira"),
    sizes: Sequence[float | int] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    input: str = "auto",
    ties: str = "random",
    random_state: RandomState = None,
    **measure_params: Any,
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
        For orders of ties, and for chance levels without closed form.
    **measure_params
        Options of the measures.

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
    matrix = _input.read_matrix(scores, feature_names=feature_names, kind=input, name="scores")
    m, p = matrix.values.shape
    sizes = (
        [i / 10 for i in range(1, 11)] if sizes is None else validation.check_list("sizes", sizes)
    )
    measures = validation.check_list("measures", measures)
    if not sizes or not measures:
        raise ParameterError("sizes and measures must not be empty")
    seed = validation.resolve_seed(random_state)
    name = Message("each of ", Param("sizes"))
    counts = list(dict.fromkeys(validation.n_selected(size, p, name) for size in sizes))
    specs = list(map(_base.STABILITY_MEASURES.get, measures))
    rows = []
    for k in counts:
        selected = chance.select(matrix, k, ties)
        for place, spec in enumerate(specs):
            takes_sets = spec.kind == "sets" and "similarity" not in spec.needs
            level = np.nan
            if spec.kind != "sets" or spec.chance is not None:
                level = chance_level(spec.name, k, p, m, random_state=seed, **measure_params)
            try:
                value = measure_stability(
                    selected if takes_sets else matrix.values,
                    spec.name,
                    input="scores",
                    n_features_to_select=k,
                    ties=ties,
                    random_state=seed,
                    **measure_params,
                ).value
                defined = True
            except _base.UndefinedStabilityError:
                value, defined = np.nan, False
            rows.append((place, (spec.name, k, k / p, value, level, defined)))
    ordered = [row for _, row in sorted(rows, key=lambda row: row[0])]
    return pd.DataFrame(
        ordered, columns=["measure", "size", "fraction", "value", "chance", "defined"]
    )


def pareto_front(
    stability: ArrayLike, accuracy: ArrayLike, *, higher_is_better: bool = True
) -> Booleans:
    """The methods on the Pareto front of stability and accuracy.

    Parameters
    ----------
    stability, accuracy : array of shape (n,)
        One point per method or subset size.
    higher_is_better : bool, default True
        False for distances such as canberra and asd.

    Returns
    -------
    ndarray of bool, shape (n,)
        True on the front: no other point is at least as good in both and better in one.  Equal
        points on the front are all kept.  O(n log n).

    Examples
    --------
    >>> from pyfsagg.stability_measures import pareto_front
    >>> pareto_front([0.9, 0.7, 0.5, 0.6], [0.70, 0.80, 0.90, 0.75])
    array([ True,  True,  True, False])
    """
    higher_is_better = validation.check_flag("higher_is_better", higher_is_better)
    x = validation.as_array("stability", stability, np.float64)
    y = validation.as_array("accuracy", accuracy, np.float64)
    if x.ndim != 1 or x.shape != y.shape or x.size == 0:
        raise DataError(
            "stability and accuracy must be one-dimensional, of one length and not empty, got "
            f"shapes {x.shape} and {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise DataError("stability and accuracy must be finite; leave out undefined points")
    if not higher_is_better:
        x = -x
    order = np.lexsort((-y, -x))
    front = np.zeros(x.size, dtype=bool)
    last = (np.nan, -np.inf)
    for i in order:
        if y[i] > last[1] or (x[i], y[i]) == last:
            front[i] = True
            last = (x[i], y[i])
    return front


def feature_stability(
    data: Any,
    *,
    n_features_to_select: float | int = 0.25,
    confidence_level: float = 0.95,
    quantiles: Sequence[float] = (0.05, 0.25, 0.75, 0.95),
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    input: str = "auto",
    ties: str = "random",
) -> pd.DataFrame:
    """Stability of each feature: its selection frequency and its ranks over resamples.

    Parameters
    ----------
    data : array, frame or list
        Scores, ranks or selections of m resamples, read as in
        :func:`pyfsagg.stability`; a missing score or rank (NaN) means that the resample did not see
        the feature.
    n_features_to_select : float or int, default 0.25
        Size k of the selected subset for scores and ranks: a fraction of p (rounded up) or a count.
        A resample that saw s of the p features selects k s / p of them, rounded up.
    confidence_level : float, default 0.95
        Confidence level of the Wilson interval of the selection frequency.
    quantiles : sequence of float
        Quantiles of the rank, each in [0, 1].
    n_features, feature_names, input, ties
        As in :func:`pyfsagg.stability`; a tied feature counts with the share of orders that select it.

    Returns
    -------
    DataFrame
        One row per feature (index ``feature``, in column order) with ``seen``, the number of
        resamples that saw the feature; ``count`` and ``frequency`` of its selection in these (with
        ties the expected ones), ``lower`` and ``upper`` limit.  For scores and ranks also
        ``rank_mean``, ``rank_median``, ``rank_sd`` (ddof 1, missing for a feature
        seen once), the columns ``rank_q05``, … and
        ``probability_in_top``: the mean share of equally likely orders of tied features in which
        the feature is among the top k.  Ranks: 1 = most important, average ties, among the features
        that the resample saw.

    See Also
    --------
    stability : Agreement of whole selections and rankings.

    Notes
    -----
    The interval (Wilson 1927, JASA 22:209) covers the share with another seed, and not another sample.
    With ``ties="first"`` a feature that is selected only because of its column position has a
    ``probability_in_top`` well below its ``frequency``.

    Examples
    --------
    >>> from pyfsagg.stability_measures import feature_stability
    >>> scores = [[0.9, 0.5, 0.1], [0.8, 0.1, 0.2], [0.5, 0.9, 0.3]]
    >>> table = feature_stability(scores, n_features_to_select=1)
    >>> table[["count", "rank_mean", "probability_in_top"]].round(2).rename_axis(None)
        count  rank_mean  probability_in_top
    x0      2       1.33                0.67
    x1      1       2.00                0.33
    x2      0       2.67                0.00
    """
    chance.check_ties(ties)
    confidence_level = validation.check_level("confidence_level", confidence_level)
    quantiles = [
        validation.check_real(Message("each of ", Param("quantiles")), q, low=0.0, high=1.0)
        for q in validation.check_list("quantiles", quantiles)
    ]
    reading: dict[str, Any] = {"n_features": n_features, "feature_names": feature_names}
    read = _input.read_collection(data, kind=input, compares="sets", per_feature=True, **reading)
    if isinstance(read, _input.SelectedSets):
        support = read.support
        seen = np.full(support.shape[1], len(support))
        count = support.sum(axis=0)
        labels: Sequence[Any] = read.labels
    else:
        m, p = read.values.shape
        size = validation.n_selected(n_features_to_select, p, "n_features_to_select")
        # The ranks in single precision, and some copies of a part of the matrix.
        needed = 4 * m * p + 7 * min(8 * m * p, arithmetic.PART)
        require_memory(needed, f"the ranks of {p:,} features", "take fewer features or resamples")
        # How often each feature was seen and selected, and its share of orders of ties.
        seen, count = np.zeros(p, dtype=np.int64), np.zeros(p, dtype=np.int64)
        share = np.zeros(p)
        ranks = np.empty((m, p), dtype=np.float32)  # halves up to 8 million are exact
        for rows in row_blocks(read.values.shape):
            block = read.values[rows]
            support, part = select_seen(block, size)
            seen += (~np.isnan(block)).sum(axis=0)
            count += support.sum(axis=0)
            share += part.sum(axis=0)
            ranks[rows] = rank_scores(block)
        in_top = share / seen
        if ties == "random" and not np.array_equal(share, count):
            count = share
        labels = read.feature_names
    frequency = count / seen  # lies between the limits, but for rounding where it is 0 or 1
    lower, upper = arithmetic.wilson_interval(frequency, seen, confidence_level)
    columns: dict[str, Any] = {
        "seen": seen,
        "count": count,
        "frequency": frequency,
        "lower": np.minimum(lower, frequency),
        "upper": np.maximum(upper, frequency),
    }
    if not isinstance(read, _input.SelectedSets):
        columns |= _rank_columns(ranks, seen, quantiles) | {"probability_in_top": in_top}
    return pd.DataFrame(columns, index=pd.Index(list(labels), name="feature"))


def _rank_columns(
    ranks: NDArray[np.float32], seen: Integers, quantiles: Sequence[float]
) -> dict[str, Floats]:
    """Mean, median, standard deviation and quantiles of the ranks, some features at a time."""
    names = ["rank_mean", "rank_median", "rank_sd", *(f"rank_q{100 * q:02g}" for q in quantiles)]
    values = np.empty((len(names), ranks.shape[1]))
    for part in arithmetic.column_blocks(ranks.shape):
        block = ranks[:, part].astype(np.float64)
        values[0, part] = np.nanmean(block, axis=0)
        squares = np.nansum((block - values[0, part]) ** 2, axis=0)
        several = seen[part] > 1
        freedom = np.where(several, seen[part] - 1, 1)
        values[2, part] = np.sqrt(np.where(several, squares / freedom, np.nan))
        ordered = np.sort(
            block, axis=0
        )  # what is missing comes last; `nanquantile` is slow by columns
        for n in np.unique(seen[part]):
            columns = np.flatnonzero(seen[part] == n)
            known = np.quantile(ordered[:n, columns], [0.5, *quantiles], axis=0)
            values[np.ix_([1, *range(3, len(names))], columns + part.start)] = known
    return dict(zip(names, values, strict=True))


def select_seen(scores: Floats, size: int) -> tuple[Booleans, Floats]:
    """Selection of each resample, and the share of orders of ties that select a feature; `size` is
    scaled to the share of features that a resample saw."""
    p = scores.shape[1]
    support = np.zeros(scores.shape, dtype=np.bool_)
    share = np.zeros(scores.shape)
    seen = (~np.isnan(scores)).sum(axis=1)
    for s in np.unique(seen):
        alike = np.flatnonzero(seen == s)
        k = -(-size * int(s) // p)
        for part in row_blocks((len(alike), p), arithmetic.CACHED):
            rows = alike[part]
            chosen = scores[rows]
            support[rows] = selected = ranking.select_top(chosen, k)
            edge = np.where(selected, chosen, np.inf).min(axis=1, keepdims=True)
            above, tied = chosen > edge, chosen == edge
            room = (k - above.sum(axis=1, keepdims=True)) / tied.sum(axis=1, keepdims=True)
            share[rows] = np.where(above, 1.0, np.where(tied, room, 0.0))
    return support, share
