"""One measure of stability: the data are read, bound to the measure, and given an interval."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import (
    check_choice,
    check_integer,
    check_level,
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
    Estimate,
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

MANY = 30  # resamples from which on asymptotic intervals cover about what they say (measured)


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
    """One measure of the stability of scores, rankings or selections; ``float(result)`` is the value.

    Parameters
    ----------
    data, n_features, feature_names, n_features_to_select, similarity, undefined, n_boot, ties
        As in :func:`pyfsagg.stability`.
    measure : str, default "nogueira"
        A name or alias of ``pyfsagg.list_methods("stability")``.
    input : {"auto", "scores", "ranks", "sets"}
        As in :func:`pyfsagg.stability`, but "auto" reads 0/1 as selections only if the measure
        compares sets.
    interval : {None, "analytic", "bootstrap", "jackknife"}
        None gives no interval; the others are those of :func:`pyfsagg.stability`.
    confidence_level : float, default 0.95
    random_state : int, Generator or None
        Seed of whatever is drawn, recorded in ``result.seed``; None draws one.
    **measure_params
        Options of the measure; see `measure_params` of :func:`pyfsagg.stability`.

    Notes
    -----
    Time: O(m p) for correlations, common bits of each pair for set measures, O(p d^2) for canberra with d
    distinct ranks per feature, O(m p^2) for kendall.  Kendall's weighted form with ties and the
    similarity-adjusted intersections visit all pairs one by one.

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
    bound = bind(
        spec,
        data,
        measure_params,
        n_features=n_features,
        feature_names=feature_names,
        n_features_to_select=n_features_to_select,
        similarity=similarity,
        input=input,
        undefined=undefined,
        ties=ties,
        seed=seed,
    )
    confidence_level = check_level("confidence_level", confidence_level)
    estimate = bound.estimate()
    limits: dict[str, Any] = {}
    if interval is not None:
        ends = bound.interval(interval, estimate.value, confidence_level, n_boot, seed)
        limits = {
            "interval": (ends.lower, ends.upper),
            "interval_method": ends.method,
            "confidence_level": ends.confidence_level,
            "standard_error": ends.standard_error,
        }
    drawn = (
        interval == "bootstrap"
        or isinstance(spec.bind, AdjustedPairs)
        or (bound.n_tied > 0 and spec.needs_strict and ties == "random")
    )
    return MeasureValue(
        estimate.value,
        spec.name,
        bound.statistic.n_rows,
        bound.n_features,
        estimate.n_pairs,
        estimate.n_undefined,
        bound.statistic.unit,
        bound.kind,
        higher_is_better=spec.higher_is_better,
        n_tied=bound.n_tied,
        seed=seed if drawn else None,
        **limits,
    )


@dataclass(frozen=True)
class Bound:
    """A measure bound to data: `n_features` (0: unknown), the `kind` of reading, `n_tied` resamples
    with ties; no interval if resamples may agree `by_accident`."""

    spec: StabilitySpec
    statistic: BoundStatistic
    n_features: int
    kind: str
    n_tied: int
    by_accident: bool

    def estimate(self) -> Estimate:
        """The estimate; an error if the measure is undefined on the data."""
        return require_defined(self.statistic.estimate(), self.spec.name, self.statistic.unit)

    def interval(
        self, method: str, value: float, confidence_level: float, n_boot: int, seed: int
    ) -> Interval:
        """The interval by one of the methods, within the range of the measure."""
        spec, statistic = self.spec, self.statistic
        if self.by_accident:
            raise DataError(
                f"{spec.name!r} has no interval here: most features have the same score in these few rows of "
                f"scores, which then agree by accident; use at least {MANY} rows, or a set measure"
            )
        check_choice("interval", method, ("analytic", "bootstrap", "jackknife"))
        if method == "bootstrap":
            n_boot = check_integer("n_boot", n_boot, low=2)
            limits = bootstrap_interval(statistic, value, confidence_level, n_boot, seed)
        elif method == "jackknife":
            limits = jackknife_interval(statistic, value, confidence_level)
        elif statistic.variance is None:
            raise ParameterError(
                Use(interval="analytic"),
                f" has no formula for {spec.name!r}, only for 'nogueira'",
                Remedy("use 'bootstrap' or 'jackknife'"),
            )
        elif statistic.n_rows < MANY:
            raise DataError(
                Use(interval="analytic"),
                f" needs many resamples, and with {statistic.n_rows} it covers far less than its ",
                "level",
                Remedy(f"use 'jackknife', or at least {MANY} resamples"),
            )
        else:
            limits = normal_interval(value, statistic.variance(), confidence_level)
        lower, upper = (spec.within(end, statistic.n_rows) for end in (limits.lower, limits.upper))
        return replace(limits, lower=lower, upper=upper)


def bind(
    spec: StabilitySpec,
    data: Any,
    measure_params: Mapping[str, Any] = MappingProxyType({}),
    *,
    seed: int,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    n_features_to_select: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    undefined: float | None = None,
    ties: str = "random",
) -> Bound:
    """Read the data for `spec` and bind the measure."""
    check_ties(ties)
    options = dict(measure_params)
    data = pandas_frame(data)
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
        data, kind=input, compares=spec.kind, n_features=n_features, feature_names=feature_names
    )
    return bind_read(spec, read, n_features_to_select, ties, seed, options, undefined)


def bind_read(
    spec: StabilitySpec,
    read: Matrix | SelectedSets,
    n_features_to_select: float | int,
    ties: str,
    seed: int,
    options: dict[str, Any],
    undefined: float | None = None,
) -> Bound:
    """Bind the measure to a collection that was read; draw orders of ties where it needs them."""
    if isinstance(spec.bind, AdjustedPairs):
        options = {**options, "random_state": seed}
    check_measure_params(spec, options)
    prepared, p, kind = _prepare(spec, read, n_features_to_select, ties)
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
    if undefined is not None:
        if not isinstance(statistic, PairwiseAverage):
            raise ParameterError(
                "the parameter ",
                Param("undefined"),
                f" gives pairs a value, and {spec.name!r} is not an average over pairs",
            )
        statistic = Imputed(statistic, check_real("undefined", undefined))
    by_accident = spec.kind != "sets" and isinstance(read, Matrix) and _mostly_tied(read.values)
    return Bound(spec, statistic, p, kind, n_tied, by_accident)


def _mostly_tied(values: Floats) -> bool:
    """Whether most features are tied in few resamples, so their spread is not informative."""
    if len(values) >= MANY:
        return False
    middle = np.median(values, axis=1, keepdims=True)
    return bool(np.median((values == middle).mean(axis=1)) > 0.5)


def check_measure_params(spec: StabilitySpec, measure_params: dict[str, Any]) -> None:
    """Refuse an option that the measure does not have."""
    parameters = inspect.signature(spec.bind).parameters.values()
    allowed = {
        parameter.name
        for parameter in parameters
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
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
    n_columns = shape[1] if shape is not None and len(shape) == 2 else None
    for what, size in (
        ("n_features", n_features),
        ("feature_names", None if feature_names is None else len(feature_names)),
        ("the number of columns of data", n_columns),
    ):
        if size is not None and size != p:
            raise DataError(
                Param("similarity"),
                f" has size {p} x {p}, but {what} says that there are {size} features",
            )
    return p, names if feature_names is None and n_columns is None else feature_names


def _prepare(
    spec: StabilitySpec, read: Matrix | SelectedSets, n_features_to_select: float | int, ties: str
) -> tuple[Any, int, str]:
    """What the measure's `bind` takes (scores, ascending ranks or a selection), p and the kind."""
    if isinstance(read, Matrix):
        values, p = read.values, read.values.shape[1]
        if spec.kind == "sets":
            size = n_selected(n_features_to_select, p, "n_features_to_select")
            return select(read, size, ties), p, read.kind
        if spec.kind == "ranks":
            values = rank_scores(values, higher_is_better=False)
        return values, p, read.kind
    if spec.kind == "ranks":
        raise InputTypeError(
            f"the measure {spec.name!r} compares rankings, and selections ",
            "have none; use a set measure, or pass scores or ranks",
        )
    if spec.kind == "scores":
        scores = np.zeros((len(read.support), read.p))
        scores[:, : read.support.shape[1]] = read.support
        return scores, read.p, "sets"
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


def pseudo_values(
    data: Any,
    measure: str = "nogueira",
    *,
    n_features_to_select: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    ties: str = "random",
    random_state: int | Generator | None = None,
    **measure_params: Any,
) -> Floats:
    """Jackknife pseudo-values m S - (m - 1) S_(i) of a measure, one per resample, above S if it agrees
    with the rest (below for a distance). Arguments of :func:`measure_stability`. Quenouille (1956),
    Biometrika 43:353; Tukey (1958)."""
    bound = bind(
        STABILITY_MEASURES.get(measure),
        data,
        measure_params,
        n_features_to_select=n_features_to_select,
        similarity=similarity,
        input=input,
        ties=ties,
        seed=resolve_seed(random_state),
    )
    value, m = bound.estimate().value, bound.statistic.n_rows
    values: Floats = m * value - (m - 1) * jackknife_values(bound.statistic)
    return values
