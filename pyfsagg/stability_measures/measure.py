"""One entry to all stability measures, and the table of them."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.random import Generator

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import (
    check_choice,
    check_integer,
    check_real,
    n_selected,
    resolve_seed,
)
from pyfsagg._message import Param, Remedy, Use
from pyfsagg._table.frames import pandas_frame
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import (
    pairwise,  # noqa: F401
    sets,  # noqa: F401
    similarity_adjusted,  # noqa: F401
)
from pyfsagg.stability_measures._base import (
    STABILITY_MEASURES,
    BoundStatistic,
    Imputed,
    Interval,
    MeasureValue,
    PairwiseAverage,
    StabilitySpec,
    bootstrap_interval,
    jackknife_interval,
    jackknife_values,
    normal_interval,
    require_defined,
)
from pyfsagg.stability_measures._input import Matrix, SelectedSets, read_collection
from pyfsagg.stability_measures.chance import (
    average_of_draws,
    check_ties,
    draw_orders,
    draw_selections,
    select,
)
from pyfsagg.stability_measures.similarity_adjusted import AdjustedPairs, check_similarity

MANY = 30
"""Resamples from which on asymptotic intervals cover about what they say (measured)."""


def measure_stability(
    data: Any,
    measure: str = "nogueira",
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    n_features_to_select: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    undefined: float | None = None,
    interval: str | None = None,
    confidence_level: float = 0.95,
    n_boot: int = 1000,
    ties: str = "random",
    random_state: int | Generator | None = None,
    **measure_params: Any,
) -> MeasureValue:
    """One measure of the stability of scores, rankings or selections over resamples.

    Parameters
    ----------
    data : EnsembleResult, array, frame or list
        The result of an ensemble run, whose combined scores are taken; a score matrix (m, p),
        larger = more important; a rank matrix (m, p), 1 = most important; a
        boolean or 0/1 matrix of selections; or a list of m sets of names or zero-based positions.
    measure : str, default "nogueira"
        A name or alias of ``pyfsagg.list_methods("stability")``.
    n_features : int, optional
        Number of features p to choose from; needed by most set measures when `data` is a list.
    feature_names : sequence of str, optional
        Names of the columns; for a list of sets, all features to choose from.
    n_features_to_select : float or int, default 0.25
        For a set measure on scores or ranks: how many of the most important features are selected,
        a fraction of p (rounded up) or a count.
    similarity : array or frame of shape (p, p), optional
        Similarities within [0, 1] for the similarity-adjusted measures; with `threshold` (0.9).
    input : {"auto", "scores", "ranks", "sets"}
        How to read `data`; the result records the choice.  "auto" reads a matrix in which every
        row is a ranking of 1..p (average ties) as ranks, booleans as selections, 0/1 as
        selections if the measure compares sets, and any other matrix as scores.
    undefined : float, optional
        Value for pairs that are undefined (two empty subsets, a constant score row).  By default
        they are left out and counted in ``n_undefined``.
    interval : {None, "analytic", "bootstrap", "jackknife"}
        Interval over resamples: of the value that a repetition with another seed would have, if
        they are resamples of one data set; of the population, if they come from independent
        samples.  "jackknife" and "bootstrap" use Student's quantile and have at least the nominal
        coverage from 5 resamples on, except for davis and novovicova, and for scores and ranks where most
        features are tied (see ``docs/calibration.md``); "analytic" (nogueira only) is asymptotic
        and needs 30 resamples.
    confidence_level : float, default 0.95
        Confidence level.
    n_boot : int, default 1000
        Bootstrap samples.
    ties : {"random", "first"}
        Treatment of equal scores that compete for the last places of a subset.  "random": their
        order is no evidence, and the value is the mean over all orders, drawn independently for
        each resample: exact where it follows from expected intersections (nogueira, somol,
        sechidis, and all averages over pairs but those of jaccard and of similar features), over
        orders drawn with the seed otherwise.  "first": every resample takes the first columns, as
        in published results; a filter with many equal scores is then stable on pure noise.
    random_state : int, Generator or None
        Seed of the bootstrap, of orders of ties and of estimated chance levels, recorded in
        ``result.seed``; None draws one.
    **options
        Options of the measure: `direction`, `location` (canberra), `feature_weights` (pearson,
        spearman), `persistence` (rank_biased_overlap), `penalty` (davis), `chance_correction` ("none",
        "exact", "estimate") where the measure has one, `threshold` and `n_random`
        (similarity-adjusted).

    Returns
    -------
    MeasureValue
        ``float(result)`` is the value.

    Raises
    ------
    DataError
        One resample; missing scores; no pair for which the measure is defined; a similarity matrix
        that is not square or not of size p.

    Notes
    -----
    Averages over pairs are computed without an m x m x p array: O(m p) for correlations, one matrix
    product for set measures, O(p d^2) for canberra with d distinct ranks per feature, O(m p^2) for
    kendall.  Kendall's weighted form with ties and the similarity-adjusted intersections visit all
    pairs one by one.

    ``chance_correction="exact"`` maps the score to (score - E) / (maximum - E), with E the mean under
    random selection of subsets of the same sizes: pair by pair for averages over pairs; for davis
    and novovicova over all m subsets together, where stabm 1.2.2 takes E over pairs of subsets.

    Examples
    --------
    >>> from pyfsagg.stability_measures.measure import measure_stability
    >>> sets = [{"a", "b"}, {"a", "b"}, {"a", "c"}]
    >>> measure_stability(sets, n_features=4)
    MeasureValue(nogueira = 0.333333; 3 resamples read as sets, 3 rows)
    >>> scores = [[0.3, 0.2, 0.1], [0.3, 0.1, 0.2], [0.5, 0.2, 0.1]]
    >>> round(float(measure_stability(scores, "spearman")), 4)
    0.6667
    """
    spec = STABILITY_MEASURES.get(measure)
    seed = resolve_seed(random_state)
    statistic, n_known, kind, n_tied, by_accident = bind(
        spec,
        data,
        n_features=n_features,
        feature_names=feature_names,
        n_features_to_select=n_features_to_select,
        similarity=similarity,
        input=input,
        ties=ties,
        seed=seed,
        **measure_params,
    )
    if undefined is not None:
        statistic = impute(spec, statistic, check_real("undefined", undefined))
    confidence_level = check_real(
        "confidence_level", confidence_level, low=0.0, high=1.0, low_open=True
    )
    estimate = require_defined(statistic.estimate(), spec.name, statistic.unit)
    limits = None
    if interval is not None:
        refuse_accidents(spec, by_accident)
        limits = find_interval(
            interval, spec, statistic, estimate.value, confidence_level, n_boot, seed
        )
    drawn = (
        interval == "bootstrap"
        or isinstance(spec.bind, AdjustedPairs)
        or (n_tied > 0 and spec.needs_strict and ties == "random")
    )
    return MeasureValue(
        estimate.value,
        spec.name,
        statistic.n_rows,
        n_known,
        estimate.n_pairs,
        estimate.n_undefined,
        statistic.unit,
        kind,
        None
        if limits is None
        else (
            spec.within(limits.lower, statistic.n_rows),
            spec.within(limits.upper, statistic.n_rows),
        ),
        None if limits is None else limits.method,
        None if limits is None else limits.confidence_level,
        None if limits is None else limits.standard_error,
        spec.higher_is_better,
        n_tied,
        seed if drawn else None,
    )


class Bound(NamedTuple):
    """A measure bound to data; p (0 if unknown), how the data were read, resamples with ties.

    `by_accident`: whether the resamples may agree by accident, so that they give no interval.
    """

    statistic: BoundStatistic
    n_features: int
    kind: str
    n_tied: int
    by_accident: bool


def bind(
    spec: StabilitySpec,
    data: Any,
    *,
    n_features: int | None,
    feature_names: Sequence[str] | None,
    n_features_to_select: float | int,
    similarity: Any,
    input: str,
    ties: str,
    seed: int,
    **options: Any,
) -> Bound:
    """Read the data for `spec` and bind the measure."""
    check_choice("input", input, ("auto", "scores", "ranks", "sets"))
    check_ties(ties)
    data = pandas_frame(data)
    names: tuple[str, ...] | None = None
    if "similarity" in spec.needs:
        labels = data.columns if isinstance(data, pd.DataFrame) else feature_names
        similarity, names = check_similarity(
            similarity, None if labels is None else tuple(labels), spec.name
        )
        n_features, feature_names = _size_from(similarity, names, data, n_features, feature_names)
        options["similarity"] = similarity
    elif similarity is not None:
        raise ParameterError(f"the measure {spec.name!r} takes no similarity matrix")
    read = read_collection(
        data, kind=input, wanted=spec.kind, n_features=n_features, feature_names=feature_names
    )
    return bind_read(spec, read, n_features_to_select, ties, seed, options)


def bind_read(
    spec: StabilitySpec,
    read: Matrix | SelectedSets,
    n_features_to_select: float | int,
    ties: str,
    seed: int,
    options: dict[str, Any],
) -> Bound:
    """Bind the measure to a collection that was read; draw orders of ties where it needs them."""
    if isinstance(spec.bind, AdjustedPairs):
        options = {**options, "random_state": seed}
    check_measure_params(spec, options)
    prepared, p, kind = prepare(spec, read, n_features_to_select, ties)
    drawn, n_tied = [prepared], 0
    if isinstance(prepared, SelectedSets):
        n_tied = prepared.n_tied
        if n_tied and spec.needs_strict:
            drawn = [
                SelectedSets(support, prepared.n_features, prepared.labels)
                for support in draw_selections(prepared, seed)
            ]
    elif spec.kind == "ranks" and spec.needs_strict and ties == "random":
        drawn = draw_orders(prepared, seed)
        n_tied = int((drawn[0] != prepared).any(axis=1).sum())
    statistic = average_of_draws(lambda data: spec.bind(data, **options), drawn)
    by_accident = spec.kind != "sets" and isinstance(read, Matrix) and _mostly_tied(read.values)
    return Bound(statistic, p, kind, n_tied, by_accident)


def _mostly_tied(values: Floats) -> bool:
    """Whether, in few resamples, most features have one score: their spread says little then."""
    if len(values) >= MANY:
        return False
    middle = np.median(values, axis=1, keepdims=True)
    return bool(np.median((values == middle).mean(axis=1)) > 0.5)


def refuse_accidents(spec: StabilitySpec, by_accident: bool) -> None:
    """Few resamples in which most features have one score nearly always agree: no interval."""
    if by_accident:
        raise DataError(
            f"no interval of {spec.name!r}: most features have the same score in these few resamples, "
            f"which then agree by accident; draw at least {MANY}, or use a set measure"
        )


def check_measure_params(spec: StabilitySpec, measure_params: dict[str, Any]) -> None:
    parameters = inspect.signature(spec.bind).parameters.values()
    allowed = {each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}
    unknown = sorted(set(measure_params) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed - {"similarity", "random_state"})) or "none"
        raise ParameterError(
            f"the measure {spec.name!r} has no option {unknown[0]!r}; its options: {known}"
        )


def _size_from(
    similarity: np.ndarray[Any, Any],
    names: tuple[str, ...] | None,
    data: Any,
    n_features: int | None,
    feature_names: Sequence[str] | None,
) -> tuple[int, Sequence[str] | None]:
    """p and the feature names, as far as the similarity matrix settles them."""
    p = len(similarity)
    shape = getattr(data, "shape", None)
    wide = shape[1] if shape is not None and len(shape) == 2 else None
    for what, size in (
        ("n_features", n_features),
        ("feature_names", None if feature_names is None else len(feature_names)),
        ("the number of columns of data", wide),
    ):
        if size is not None and size != p:
            raise DataError(
                Param("similarity"),
                f" has size {p} x {p}, but {what} says that there are {size} features",
            )
    if feature_names is None and wide is None:
        feature_names = names
    return p, feature_names


def prepare(
    spec: StabilitySpec, read: Matrix | SelectedSets, n_features_to_select: float | int, ties: str
) -> tuple[Any, int, str]:
    """What the measure's `bind` takes: scores, ascending ranks or a selection."""
    if spec.kind == "sets":
        if isinstance(read, Matrix):
            p = read.values.shape[1]
            return (
                select(read, n_selected(n_features_to_select, p, "n_features_to_select"), ties),
                p,
                read.kind,
            )
        if "n_features" in spec.needs and read.n_features is None:
            raise ParameterError(
                f"the measure {spec.name!r} depends on the number of features to choose from, which a ",
                "list of sets does not give",
                Remedy("pass ", Param("n_features")),
            )
        if "similarity" in spec.needs and read.support.shape[1] != read.n_features:
            raise ParameterError(
                "sets of names cannot be matched to the rows of similarity",
                Remedy(
                    "pass ",
                    Param("feature_names"),
                    " in the order of its rows, or a data frame with names",
                ),
            )
        return read, read.n_features or 0, "sets"
    if isinstance(read, Matrix):
        if spec.kind == "ranks":
            return rank_scores(read.values, higher_is_better=False), read.values.shape[1], read.kind
        return read.values, read.values.shape[1], read.kind
    if spec.kind == "ranks":
        raise InputTypeError(
            f"the measure {spec.name!r} compares rankings, and selections ",
            "have none; use a set measure, or pass scores or ranks",
        )
    scores = np.zeros((len(read.support), read.p))
    scores[:, : read.support.shape[1]] = read.support
    return scores, read.p, "sets"


def impute(spec: StabilitySpec, statistic: BoundStatistic, value: float) -> BoundStatistic:
    """The same average with `value` for undefined pairs."""
    if not isinstance(statistic, PairwiseAverage):
        raise ParameterError(
            "the parameter ",
            Param("undefined"),
            f" gives pairs a value, and {spec.name!r} is not an average over pairs",
        )
    return Imputed(statistic, value)


def find_interval(
    method: str,
    spec: StabilitySpec,
    statistic: BoundStatistic,
    value: float,
    confidence_level: float,
    n_boot: int,
    random_state: int | Generator | None,
) -> Interval:
    """The interval of a bound measure by the method asked for."""
    check_choice("interval", method, ("analytic", "bootstrap", "jackknife"))
    if confidence_level == 1.0:
        raise ParameterError(Param("level"), " must be below 1 for an interval, got 1.0")
    if method == "bootstrap":
        n_boot = check_integer("n_boot", n_boot, low=2)
        return bootstrap_interval(statistic, value, confidence_level, n_boot, random_state)
    if method == "jackknife":
        return jackknife_interval(statistic, value, confidence_level)
    if statistic.variance is None:
        raise ParameterError(
            Use(interval="analytic"),
            f" has no formula for {spec.name!r}, only for 'nogueira'",
            Remedy("use 'bootstrap' or 'jackknife'"),
        )
    if statistic.n_rows < MANY:
        raise DataError(
            Use(interval="analytic"),
            f" needs many resamples, and with {statistic.n_rows} it covers far less than its ",
            "level",
            Remedy(f"use 'jackknife', or at least {MANY} resamples"),
        )
    return normal_interval(value, statistic.variance(), confidence_level)


def pseudo_values(
    data: Any,
    measure: str = "nogueira",
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    n_features_to_select: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    ties: str = "random",
    random_state: int | Generator | None = None,
    **measure_params: Any,
) -> Floats:
    """Jackknife pseudo-values of a stability measure, one per resample.

    The pseudo-value of resample i is m S - (m - 1) S_(i), with S the stability of all m resamples
    and S_(i) that of the others.  A resample that agrees with the rest has a pseudo-value above S
    (below S for a distance).

    Notes
    -----
    Quenouille (1956), Biometrika 43:353; Tukey (1958).  For an average over pairs one pass over the
    pairs gives all of them.

    Examples
    --------
    >>> from pyfsagg.stability_measures.measure import pseudo_values
    >>> pseudo_values([{"a", "b"}, {"a", "b"}, {"a", "c"}, {"a", "b"}], "jaccard").round(4)
    array([ 1.    ,  1.    , -0.3333,  1.    ])
    """
    spec = STABILITY_MEASURES.get(measure)
    statistic = bind(
        spec,
        data,
        n_features=n_features,
        feature_names=feature_names,
        n_features_to_select=n_features_to_select,
        similarity=similarity,
        input=input,
        ties=ties,
        seed=resolve_seed(random_state),
        **measure_params,
    ).statistic
    value = require_defined(statistic.estimate(), spec.name, statistic.unit).value
    m = statistic.n_rows
    found: Floats = m * value - (m - 1) * jackknife_values(statistic)
    return found
