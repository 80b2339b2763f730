"""Measures of stability, one or all that apply: the data are read, bound, and given an interval."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import scipy

from pyfsagg._base import validation
from pyfsagg._base.arithmetic import Floats, RandomState
from pyfsagg._message import Message, Param, Remedy, Use
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import _base, chance, pairwise, sets, similarity_adjusted  # noqa: F401
from pyfsagg.stability_measures._input import Matrix, SelectedSets, names_in, read_collection
from pyfsagg.stability_measures.similarity_adjusted import AdjustedPairs, check_similarity

MANY = 30  # fewest resamples for nominal coverage of asymptotic intervals (simulated)


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
    random_state: RandomState = None,
    **measure_params: Any,
) -> _base.MeasureValue:
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
        Seed of all random draws, recorded in ``result.seed``; None draws a seed.
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
    spec = _base.STABILITY_MEASURES.get(measure)
    seed = validation.resolve_seed(random_state)
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
    confidence_level = validation.check_level("confidence_level", confidence_level)
    estimate = bound.estimate()
    limits: dict[str, Any] = {}
    if interval is not None:
        *ends, error = bound.interval(interval, estimate.value, confidence_level, n_boot, seed)
        limits = {"interval": tuple(ends), "interval_method": interval, "standard_error": error}
        limits["confidence_level"] = confidence_level
    drawn = (
        interval == "bootstrap"
        or isinstance(spec.bind, AdjustedPairs)
        or (bound.n_tied > 0 and spec.needs_strict and ties == "random")
    )
    return _base.MeasureValue(
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

    spec: _base.StabilitySpec
    statistic: _base.BoundStatistic
    n_features: int
    kind: str
    n_tied: int
    by_accident: bool

    def estimate(self) -> _base.Estimate:
        """The estimate; an error if the measure is undefined on the data."""
        return _base.require_defined(self.statistic.estimate(), self.spec.name, self.statistic.unit)

    def interval(
        self, method: str, value: float, confidence_level: float, n_boot: int, seed: int
    ) -> tuple[float, float, float]:
        """The limits by one of the methods, within the range of the measure, and the standard error. They
        are Student's with m - 1 degrees of freedom and at least the least variance, or analytic."""
        spec, statistic, m = self.spec, self.statistic, self.statistic.n_rows
        if self.by_accident:
            raise DataError(
                f"{spec.name!r} has no interval here: most features have the same score in these few rows of "
                f"scores, which then agree by accident; use at least {MANY} rows, or a set measure"
            )
        validation.check_choice("interval", method, ("analytic", "bootstrap", "jackknife"))
        if method == "bootstrap":
            n_boot = validation.check_integer("n_boot", n_boot, low=2)
            variance = _base.bootstrap_variance(statistic, n_boot, seed)
        elif method == "jackknife":
            variance = _base.jackknife_variance(_base.jackknife_values(statistic))
        elif statistic.variance is None:
            raise ParameterError(
                Use(interval="analytic"),
                f" has no formula for {spec.name!r}, only for 'nogueira'",
                Remedy("use 'bootstrap' or 'jackknife'"),
            )
        elif m < MANY:
            raise DataError(
                Use(interval="analytic"),
                f" needs many resamples, and with {m} it covers far less than its level",
                Remedy(f"use 'jackknife', or at least {MANY} resamples"),
            )
        else:
            variance = statistic.variance()
        analytic = method == "analytic"
        if not analytic and statistic.least_variance is not None:
            variance = max(variance, statistic.least_variance())
        error = float(np.sqrt(variance))
        if not analytic and error <= 1e-12 * max(1.0, abs(value)):
            raise DataError(
                f"the value does not change with the choice among the {m} resamples, so they give "
                "no interval; more resamples may show one"
            )
        share = 0.5 + confidence_level / 2
        quantile = scipy.special.ndtri(share) if analytic else scipy.special.stdtrit(m - 1, share)
        half = float(quantile) * error
        return spec.within(value - half, m), spec.within(value + half, m), error


def bind(
    spec: _base.StabilitySpec,
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
    chance.check_ties(ties)
    options = dict(measure_params)
    if "similarity" in spec.needs:
        columns, shape = names_in(data), tuple(getattr(data, "shape", ()))
        labels = feature_names if columns is None else columns
        similarity, names = check_similarity(
            similarity, None if labels is None else tuple(labels), spec.name
        )
        p, n_columns = len(similarity), shape[1] if len(shape) == 2 else None
        n_columns = n_columns if columns is None else len(columns)
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
        n_features, options["similarity"] = p, similarity
        if feature_names is None and n_columns is None:
            feature_names = names
    elif similarity is not None:
        raise ParameterError(f"the measure {spec.name!r} takes no similarity matrix")
    read = read_collection(
        data, kind=input, compares=spec.kind, n_features=n_features, feature_names=feature_names
    )
    return bind_read(spec, read, n_features_to_select, ties, seed, options, undefined)


def bind_read(
    spec: _base.StabilitySpec,
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
                for support in chance.draw_selections(prepared, seed)
            ]
    elif spec.kind == "ranks" and spec.needs_strict and ties == "random":
        in_order, rng = np.sort(prepared, axis=1), np.random.default_rng(seed)
        if (in_order[:, 1:] == in_order[:, :-1]).any():
            how: dict[str, Any] = {"higher_is_better": False, "random_state": rng}
            n_draws = chance.n_draws(*prepared.shape)
            drawn = [rank_scores(prepared, "random", **how) for _ in range(n_draws)]
        n_tied = int((drawn[0] != prepared).any(axis=1).sum())
    statistic = chance.average_of_draws(lambda data: spec.bind(data, **options), drawn)
    if undefined is not None:
        if not isinstance(statistic, _base.PairwiseAverage):
            raise ParameterError(
                "the parameter ",
                Param("undefined"),
                f" gives pairs a value, and {spec.name!r} is not an average over pairs",
            )
        statistic = _base.imputed(statistic, validation.check_real("undefined", undefined))
    by_accident = False
    if spec.kind != "sets" and isinstance(read, Matrix) and len(read.values) < MANY:
        # Most features are tied in few resamples: their spread is not informative.
        middle = np.median(read.values, axis=1, keepdims=True)
        by_accident = bool(np.median((read.values == middle).mean(axis=1)) > 0.5)
    return Bound(spec, statistic, p, kind, n_tied, by_accident)


def check_measure_params(spec: _base.StabilitySpec, measure_params: dict[str, Any]) -> None:
    """Refuse an option that the measure does not have."""
    parameters = inspect.signature(spec.bind).parameters.values()
    allowed = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    unknown = sorted(set(measure_params) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed - {"similarity", "random_state"})) or "none"
        raise ParameterError(
            f"the measure {spec.name!r} has no option {unknown[0]!r}; its options: {known}"
        )


def _prepare(
    spec: _base.StabilitySpec,
    read: Matrix | SelectedSets,
    n_features_to_select: float | int,
    ties: str,
) -> tuple[Any, int, str]:
    """What the measure's `bind` takes (scores, ascending ranks or a selection), p and the kind."""
    if isinstance(read, Matrix):
        values, p = read.values, read.values.shape[1]
        if spec.kind == "sets":
            size = validation.n_selected(n_features_to_select, p, "n_features_to_select")
            return chance.select(read, size, ties), p, read.kind
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
    random_state: RandomState = None,
    **how: Any,
) -> Floats:
    """Jackknife pseudo-values m S - (m - 1) S_(i) of a measure, one per resample, above S if it agrees with
    the rest (below for a distance); `how` is that of :func:`bind`. Quenouille (1956), Biometrika 43:353."""
    seed = validation.resolve_seed(random_state)
    bound = bind(_base.STABILITY_MEASURES.get(measure), data, seed=seed, **how)
    value, m = bound.estimate().value, bound.statistic.n_rows
    return np.asarray(m * value - (m - 1) * _base.jackknife_values(bound.statistic))


VISIT_PAIRS = ("kendall", "weighted_kendall")
"""Measures whose intervals visit all pairs of resamples, at p log p each."""

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
    n_features_to_select: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    interval: str | None = "jackknife",
    confidence_level: float = 0.95,
    n_boot: int = 1000,
    ties: str = "random",
    random_state: RandomState = None,
) -> pd.DataFrame:
    """All stability measures that apply to scores, rankings or selections over resamples."""
    chance.check_ties(ties)
    seed = validation.resolve_seed(random_state)
    if interval is not None:
        validation.check_choice("interval", interval, ("jackknife", "bootstrap"))
    confidence_level = validation.check_level("confidence_level", confidence_level)
    no_columns = names_in(data) is None and not isinstance(data, (np.ndarray, Matrix))
    if isinstance(similarity, pd.DataFrame) and feature_names is None and no_columns:
        feature_names = list(map(str, similarity.columns))  # lists need not contain every feature
    read = read_collection(
        data, kind=input, compares="sets", n_features=n_features, feature_names=feature_names
    )
    matrix = None
    if similarity is not None:  # one row for each column of the data
        labels = read.labels if isinstance(read, SelectedSets) else read.feature_names
        matrix, p = check_similarity(similarity, labels, "similarity-adjusted")[0], len(labels)
        of_sets = isinstance(read, SelectedSets) and read.n_features not in (None, p)
        if len(matrix) != p or of_sets:
            raise DataError(
                Param("similarity"),
                f" has size {len(matrix)} x {len(matrix)}, but the data name {p} features; it ",
                "needs a row for every feature to choose from, in their order (for lists, a data ",
                "frame with their names)",
            )
    if measures is None:
        chosen = [spec for spec in _base.STABILITY_MEASURES if not _missing(spec, read, matrix)]
    else:
        chosen = [
            _base.STABILITY_MEASURES.get(name)
            for name in validation.check_list("measures", measures)
        ]
        if not chosen:
            raise ParameterError(
                Param("measures"), " is empty", Remedy("name at least one, or drop it for all")
            )
        for spec in chosen:
            reason = _missing(spec, read, matrix)
            if reason:
                raise ParameterError(f"the measure {spec.name!r} ", reason)
    rows = {}
    for spec in chosen:
        options: dict[str, Any] = {"similarity": matrix} if "similarity" in spec.needs else {}
        bound = bind_read(spec, read, n_features_to_select, ties, seed, options)
        m = bound.statistic.n_rows
        slow = spec.name in VISIT_PAIRS and m**2 * bound.n_features > MOST_CELLS
        method = None if slow and measures is None else interval
        estimate = bound.statistic.estimate()
        row = table_row(bound, estimate, method, confidence_level, n_boot, seed)
        if method != interval:
            row["note"] = (
                f"no interval: it would visit {m:,} x {m:,} rankings "
                f"one by one; name {spec.name!r} among measures to have it"
            )
        rows[spec.name] = row
    table = measures_frame(rows).drop(columns="standard_error")
    table.attrs["seed"] = seed
    return table


def measures_frame(rows: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Values by the name of their measure, a row for each."""
    return pd.DataFrame(list(rows.values()), index=pd.Index(list(rows), name="measure"))


def _missing(
    spec: _base.StabilitySpec, read: Matrix | SelectedSets, similarity: Floats | None
) -> str:
    """What a measure would need and the data do not have; empty if it applies."""
    if "similarity" in spec.needs and similarity is None:
        return Message(
            "compares selections by the similarity of features; pass ", Param("similarity")
        )
    if isinstance(read, SelectedSets):
        if spec.kind != "sets":
            return f"compares {spec.kind}, and the data are selections"
        if "n_features" in spec.needs and read.n_features is None:
            return Message(
                "depends on the number of features to choose from, which lists do not give; pass ",
                Param("n_features"),
            )
    return ""


def table_row(
    bound: Bound,
    estimate: _base.Estimate,
    method: str | None,
    confidence_level: float,
    n_boot: int,
    seed: int,
) -> dict[str, Any]:
    """One line of the table; an undefined value or interval is explained in the note."""
    spec, statistic, note = bound.spec, bound.statistic, ""
    lower = upper = error = np.nan
    try:
        _base.require_defined(estimate, spec.name, statistic.unit)
        if method is not None:
            lower, upper, error = bound.interval(
                method, estimate.value, confidence_level, n_boot, seed
            )
            if spec.kind == "sets" and statistic.least_variance is None:
                note = NARROW
    except DataError as reason:
        note = str(reason)
    return {
        "value": estimate.value,
        "lower": lower,
        "upper": upper,
        "standard_error": error,
        "bounds": spec.bounds,
        "corrected_for_chance": spec.corrected_for_chance,
        "higher_is_better": spec.higher_is_better,
        "kind": spec.kind,
        "n_pairs": estimate.n_pairs,
        "n_undefined": estimate.n_undefined,
        "unit": statistic.unit,
        "n_tied": bound.n_tied,
        "note": note,
    }
