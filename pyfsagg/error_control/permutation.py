"""P-values of features from shuffled targets, and selections that limit false ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, Indices, Integers, adjust_p_values
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import as_array, check_level, got_short
from pyfsagg._base.words import enumerate_names, number, plural, readable
from pyfsagg._kernels.ranks import first_within
from pyfsagg._message import Param
from pyfsagg.exceptions import DataError

LEVEL = 0.05
"""Family-wise error of the features that are reported above noise (chosen: the customary one)."""

ROUNDING = 1e-9

TAIL_SHARE, TAIL_LEAST, TAIL_MOST = 50, 20, 250
"""The tail of the pooled scores is the largest one in fifty, within limits (chosen; the levels that p-values
keep with it are simulated in the topic `proposal` of the calibration)."""

FEW_OF_A_KIND, COUNTED_SHARE = 100, 10
"""Among more features than this only the largest tenth of the scores is compared with other rows exactly."""

REDRAWS = 100
"""Sets of shuffled targets that are drawn anew from those of the run, to see what would change (chosen)."""

NEAREST = 3

BY = {
    "benjamini_hochberg": "The rate is kept for independent or positively dependent p-values (Benjamini and "
    "Hochberg 1995).",
    "benjamini_yekutieli": "The rate is kept however the p-values depend on each other (Benjamini and "
    "Yekutieli 2001).",
    "expected_number": "The limit is kept however the p-values depend on each other (p-values at most the "
    "limit divided by the number of features).",
}
"""Ways to select by p-values: what they keep, and their sources."""

UNITS = {
    "rows": "rows",
    "groups": "whole groups of rows",
    "rows within groups": "rows within their groups",
    "rows within strata": "rows within strata",
    "groups within strata": "whole groups of rows within strata",
    "rows within groups and strata": "rows within their groups and strata",
}
"""What is exchanged when a target is shuffled."""


def comparable_evidence(
    observed: ArrayLike, null: ArrayLike, kinds: ArrayLike
) -> tuple[Floats, Floats]:
    """Scores of features on one scale: minus the logarithm of a p-value among features of their kind.

    Parameters
    ----------
    observed : array-like (p,)
        Scores with the true target, larger = more important.
    null : array-like (K, p)
        Scores with K shuffled targets.
    kinds : array-like (p,)
        Features with equal numbers have the same distribution of scores if they are unrelated to the target.

    Returns
    -------
    observed : ndarray (p,)
        Of the true target, compared with the shuffled ones.
    null : ndarray (K, p)
        Of each shuffled target, compared with the others.

    Notes
    -----
    The null distribution of a kind is that of the scores of all its features with all shuffled targets.
    Above its tail (the largest one in fifty, from 20 to 250 scores) the excess is taken as
    exponential with an estimated mean, and a p-value is the predictive probability of a new value, which
    is what allows for the estimate; up to the largest score with a shuffled target it is not below the share
    of scores at least as high.  A target is never compared with its own scores.

    Examples
    --------
    >>> null = np.random.default_rng(0).exponential(size=(199, 3))
    >>> np.exp(-comparable_evidence([0.0, 3.0, 12.0], null, [0, 0, 0])[0]).round(5).tolist()
    [1.0, 0.05184, 4e-05]
    """
    scores, drawn = _checked(observed, null)
    kind = as_array("kinds", kinds, np.float64)
    if kind.shape != scores.shape or np.isnan(kind).any():
        raise DataError(
            Param("kinds"),
            f" must have one number for each of the {scores.size} features",
            got_short(kinds),
        )
    own, others = np.empty(scores.shape), np.empty(drawn.shape)
    values = np.unique(kind)
    for value in values:
        of = np.flatnonzero(kind == value) if len(values) > 1 else slice(None)
        own[of], others[:, of] = _of_one_kind(scores[of], drawn[:, of])
    return own, others


@dataclass(frozen=True)
class _Tail:
    """Null scores of one kind of features, the lowest first, and where their tail begins."""

    pool: Floats
    start: float
    tiny: float

    @classmethod
    def of(cls, pool: Floats, scores: Floats) -> _Tail:
        n_tail = min(max(TAIL_LEAST, min(TAIL_MOST, pool.size // TAIL_SHARE)), pool.size // 2)
        tiny = ROUNDING * max(float(np.abs(pool).max()), float(np.abs(scores).max()))
        return cls(pool, float(pool[pool.size - n_tail - 1]), tiny)

    @property
    def excess(self) -> Floats:
        """Excess of the scores of the tail over its start, in ascending order."""
        first = np.searchsorted(self.pool, self.start + self.tiny, side="right")
        return self.pool[first:] - self.start

    def evidence(
        self, values: Floats, n: int, n_reached: Any, n_above: Any, sum_above: Any
    ) -> Floats:
        beyond = np.maximum(values - self.start, 0.0)
        mean_excess = np.where(n_above > 0, sum_above, 1.0)
        tail = np.log((n_above + 1.0) / (n + 1.0)) - n_above * np.log1p(beyond / mean_excess)
        reached = np.log(np.maximum(n_reached, 1) / (n + 1.0))
        share = np.where(np.asarray(n_reached) > 0, reached, -np.inf)
        counted = np.log((n_reached + 1.0) / (n + 1.0))
        values = 0.0 - np.where(values > self.start + self.tiny, np.maximum(tail, share), counted)
        return values

    def of_others(self, scores: Floats) -> Floats:
        """Evidence of scores that are not among those of the pool."""
        excess = self.excess
        n_reached = self.pool.size - np.searchsorted(self.pool, scores - self.tiny)
        return self.evidence(scores, self.pool.size, n_reached, excess.size, excess.sum())


def evidence_against(null: Floats, scores: Floats) -> Floats:
    """Minus the logarithm of the p-value of each score (of any shape) among null scores (of any shape)."""
    return _Tail.of(np.sort(null, axis=None), scores).of_others(scores)


def _of_one_kind(scores: Floats, drawn: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(drawn, axis=None)
    pool = drawn.ravel()[order]
    tail = _Tail.of(pool, scores)
    size, (k, width) = pool.size, drawn.shape
    places = first_within(pool, tail.tiny)
    # Among many features of a kind the largest scores of a row decide; what a row itself adds to the pool is
    # counted for those, and taken as one part in K for the others.
    first = 0 if width <= FEW_OF_A_KIND else int(places[size - size // COUNTED_SHARE])
    ordered = np.zeros(size)
    ordered[:first] = -np.log(
        ((size - places[:first]) * (1.0 - 1.0 / k) + 1.0) / (size - width + 1.0)
    )
    if not first:  # all others reach the lowest scores, which are evidence of nothing
        lowest = int(np.searchsorted(places, 0, side="right"))
        first = int(places[lowest]) if lowest < size else size
    rows = order[first:] // width
    # And by size within each; few bytes are sorted several times faster.
    by_row = np.argsort(rows.astype(np.min_scalar_type(k)), kind="stable")
    # Places in the pool, with each row in a range of its own.
    kept = (rows * (size + 1) + np.arange(first, size))[by_row]
    sought = rows * (size + 1) + np.maximum(places[first:], first)
    ends = np.cumsum(np.bincount(rows, minlength=k))[rows]
    in_own_row = ends - np.searchsorted(kept, sought)
    excess = tail.excess
    rows_above = order[size - excess.size :] // width
    n_above = np.bincount(rows_above, minlength=k)
    sum_above = np.bincount(rows_above, weights=excess, minlength=k)
    ordered[first:] = tail.evidence(
        pool[first:],
        size - width,
        size - places[first:] - in_own_row,
        (n_above.sum() - n_above)[rows],
        (sum_above.sum() - sum_above)[rows],
    )
    others = np.empty(size)
    others[order] = ordered
    return tail.of_others(scores), others.reshape(drawn.shape)


def standardised(observed: Floats, null: Floats) -> tuple[Floats, Floats]:
    """Scores less their mean with (other) shuffled targets, in standard deviations of these."""
    k = len(null)
    centre, spread = null.mean(axis=0), null.std(axis=0)
    usual = np.median(spread[spread > 0.0]) if (spread > 0.0).any() else 1.0
    least = np.where(spread > 0.0, ROUNDING * spread, usual)
    total, squares = (null - centre).sum(axis=0), ((null - centre) ** 2).sum(axis=0)
    away = null - centre
    mean = (total - away) / (k - 1)
    variance = (squares - away**2) / (k - 1) - mean**2
    others = (away - mean) / np.maximum(np.sqrt(np.maximum(variance, 0.0)), least)
    return (observed - centre) / np.maximum(spread, least), others


def step_down_max_t(observed: ArrayLike, null: ArrayLike) -> tuple[Floats, Floats]:
    """Unadjusted p-values of the features, and p-values that control the family-wise error.

    Parameters
    ----------
    observed : array-like (p,)
        Scores of the data, larger = more important.
    null : array-like (K, p)
        Scores of K data sets of the null hypothesis, such as those with a permuted target.

    Returns
    -------
    p_values : ndarray (p,)
        (1 + number of null scores of the feature at least as high) / (1 + K).
    family_wise : ndarray (p,)
        Step-down adjusted: each feature is compared with the highest null score among those that do
        not stand above it.  Equal scores get equal values.

    Notes
    -----
    A null score that equals the observed one up to rounding counts as reached, so ties make
    p-values larger, never smaller.  Strong control (for any behaviour of the other features) needs a score
    that depends on its own column only; otherwise the level holds where no feature is related to the target.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, algorithm 4.1; Phipson and Smyth
    (2010).

    Examples
    --------
    >>> p_values, family_wise = step_down_max_t([3.0, 1.0], [[1.0, 0.5], [0.2, 2.0], [0.1, 0.3]])
    >>> p_values, family_wise
    (array([0.25, 0.5 ]), array([0.25, 0.5 ]))
    """
    scores, drawn = _checked(observed, null)
    limit = scores - 1e-12 * np.abs(scores)
    k = drawn.shape[0]
    p_values = (1.0 + (drawn >= limit).sum(axis=0)) / (1.0 + k)
    order, reached = _reached(scores, drawn)
    family_wise = np.empty(scores.size)
    family_wise[order] = np.maximum.accumulate((1.0 + reached.sum(axis=0)) / (1.0 + k))
    return p_values, family_wise


def _checked(observed: ArrayLike, null: ArrayLike) -> tuple[Floats, Floats]:
    scores = as_array("observed", observed, np.float64)
    drawn = as_array("null", null, np.float64)
    if scores.ndim != 1 or not scores.size:
        raise DataError(
            Param("observed"),
            f" must have one score for each feature, got the shape {scores.shape}",
        )
    if drawn.ndim != 2 or drawn.shape[1] != scores.size or not drawn.size:
        raise DataError(
            Param("null"),
            f" must have one column per feature ({scores.size}) and at least one row, got the ",
            f"shape {drawn.shape}",
        )
    if not (np.isfinite(scores).all() and np.isfinite(drawn).all()):
        raise DataError("a score is missing or infinite; every feature needs one in every run")
    return scores, drawn


def _reached(scores: Floats, drawn: Floats) -> tuple[Indices, Booleans]:
    """The features, best first, and whether the best of those from each one on reaches it (K, p)."""
    order = np.argsort(-scores, kind="stable")
    ordered = (scores - 1e-12 * np.abs(scores))[order]
    # Where the features that tie with each one begin: what stands there is compared with all of them.
    first = np.searchsorted(-scores[order], -scores[order] - 1e-12 * np.abs(scores[order]))
    best = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    return order, best[:, first] >= ordered


def numbers_with_other_shuffles(observed: Floats, null: Floats, seed: int) -> Integers:
    """How many features are below the family-wise level in each of 100 sets of K targets drawn from the K."""
    _, reached = _reached(observed, null)
    k = len(null)
    usual = np.maximum.accumulate((1.0 + reached.sum(axis=0)) / (1.0 + k))
    reached = reached[:, : int((usual <= 0.5).sum()) + 1]
    drawn = np.random.default_rng([seed, k]).multinomial(k, np.full(k, 1.0 / k), size=REDRAWS)
    family_wise = np.maximum.accumulate((1.0 + drawn @ reached) / (1.0 + k), axis=1)
    return np.asarray((family_wise <= LEVEL + ROUNDING).sum(axis=1), dtype=np.int64)


def false_discovery_rates(p_values: Floats, *, any_dependence: bool = False) -> Floats:
    """Smallest false discovery rate at which each of (p,) is selected, as ``p.adjust`` of R rounds it; NaN is
    no test."""
    adjusted = adjust_p_values(p_values, "none")
    tested = np.flatnonzero(~np.isnan(adjusted))
    size = tested.size
    order = tested[np.argsort(adjusted[tested], kind="stable")[::-1]]
    factor = size / np.arange(size, 0, -1)
    if any_dependence:
        factor = factor * (1.0 / np.arange(1, size + 1)).sum()
    adjusted[order] = np.minimum(np.minimum.accumulate(adjusted[order] * factor), 1.0)
    return adjusted


@dataclass(frozen=True, eq=False)
class TargetPermutation(Part):
    """P-values of the features from shuffled targets.

    Attributes
    ----------
    feature_names : tuple of str
    p_values : ndarray (p,)
        For each feature by itself: chance that one of its kind without relation to the target scores as high.
    family_wise_p_values : ndarray (p,)
        Adjusted across features by the step-down maximum: at a level of 0.05 any false selection at
        all has a probability of at most 0.05.
    judges : tuple of str
        The filters whose scores were compared; of several, a feature has the best evidence, for which the
        p-value of a filter beside a test of ranks is multiplied by four.
    unit : str
        What was exchanged: ``"rows"``, ``"groups"`` or ``"rows within groups"``; with adjusting levels
        ``"rows within strata"``, ``"groups within strata"`` or ``"rows within groups and strata"``.
    strata, cleared : tuple of str
        The adjusting columns within whose levels targets were exchanged, and those of numbers, of which the
        features were cleared by a linear model before rows were exchanged.
    weighted : bool
        Whether rows have weights, which then moved with the targets: a feature is compared with what it
        scores if it is independent of target and weight together.
    strong : bool
        Whether the levels also hold for unrelated features when other features are related to the target.
    n_permutations : int
    numbers : ndarray of int (100,)
        How many features would be above noise with other shuffled targets, in 100 repetitions.
    relevance_of : tuple of str
        Filters of the ranking that score a feature given those selected before it, such as mRMR: under
        each target they choose some feature first, so the first of `judges` is their relevance, what a
        feature alone tells of the target by the same bins. Empty for others.
    attainable : float or None
        Family-wise p-value of numbers that go with the target perfectly (each class, number or time is a
        range of its own), in the place of the least important numeric feature; in a wide table beside
        some of the others, which makes it smaller.  Computed of at most 30 rows if no feature is above noise.
    """

    feature_names: tuple[str, ...]
    p_values: Floats
    family_wise_p_values: Floats
    judges: tuple[str, ...]
    unit: str
    strong: bool
    n_permutations: int
    numbers: Integers
    strata: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    weighted: bool = False
    relevance_of: tuple[str, ...] = ()
    attainable: float | None = None

    @property
    def above(self) -> Booleans:
        """Which features (p,) score above noise: a family-wise p-value of at most 0.05."""
        return self.family_wise_p_values <= LEVEL + ROUNDING

    @property
    def noise(self) -> float:
        """Approximate p-value at which a feature is distinguishable from noise, for pictures: between the
        features next to it, or in proportion to the nearest one."""
        order = self._order()
        single, wide = self.p_values[order], self.family_wise_p_values[order]
        k = int(self.above.sum())
        if 0 < k < len(order):
            return float(np.sqrt(single[k - 1] * single[k]))
        edge = max(k - 1, 0)
        return float(min(LEVEL, single[edge] * LEVEL / wide[edge]))

    @property
    def repeats(self) -> float:
        """Share of pairs of repetitions with other shuffles that find the same features above noise."""
        shares = np.unique(self.numbers, return_counts=True)[1] / self.numbers.size
        return float((shares**2).sum())

    def columns(self) -> dict[str, Floats]:
        """The p-values, in the order of the table."""
        return {
            "p_value": self.p_values,
            "q_value": false_discovery_rates(self.p_values),
            "family_wise_p_value": self.family_wise_p_values,
        }

    def to_frame(self) -> pd.DataFrame:
        """``p_value``, ``q_value`` and ``family_wise_p_value`` by feature, the smallest p-value first."""
        frame = pd.DataFrame(self.columns(), index=pd.Index(self.feature_names, name="feature"))
        return frame.iloc[self._order()]

    def _order(self) -> Indices:
        return np.lexsort((self.p_values, self.family_wise_p_values))

    def select(self, level: float = LEVEL) -> list[str]:
        """Features with a family-wise p-value of at most `level`, best first; the list may be empty."""
        level = check_level("level", level)
        frame = self.to_frame()
        return [str(name) for name in frame.index[frame["family_wise_p_value"] <= level + ROUNDING]]

    @property
    def scale(self) -> str:
        """How the p-values come about, in a sentence."""
        moved = "exchanged, targets together with weights" if self.weighted else "exchanged"
        return (
            f"The p-values compare the scores of the whole table with those of "
            f"{plural(self.n_permutations, 'shuffled target')} ({UNITS[self.unit]} {moved}) by "
            f"{enumerate_names([readable(judge) for judge in self.judges])}.{self._relevance} "
            "Features of one kind (numbers, of like shape where a filter cuts them into bins of equal width; "
            "or as many levels as often) share what their shuffled scores "
            f"are, so a p-value may be smaller than 1 / {self.n_permutations + 1}."
        )

    @property
    def _relevance(self) -> str:
        """What the p-values are by where the filters of the ranking score no feature alone."""
        if not self.relevance_of:
            return ""
        names = enumerate_names([readable(name) for name in self.relevance_of])
        verb, whose = ("scores", "its") if len(self.relevance_of) == 1 else ("score", "their")
        return (
            f" The ranking is by {names}, which {verb} a feature beside those selected before it; the "
            f"p-values are by {whose} relevance, what each feature alone tells of the target."
        )

    @property
    def repetition(self) -> str:
        """A sentence on whether other shuffles would give the same selection."""
        low, high = np.quantile(self.numbers, [0.025, 0.975]).round().astype(int).tolist()
        would = "With other shuffled targets "
        if low == high:
            return f"{would}the same would be found in more than 9 of 10 repetitions."
        share = number(10.0 * self.repeats, 0)
        return f"{would}{low} to {high} would be found, and the same ones in {share} of 10 repetitions."

    @property
    def supposed(self) -> str:
        """The assumptions, in a sentence."""
        reach = (
            "The level holds whichever features are related to the target."
            if self.strong
            else "Scores depend on other features too, so the level holds only if no feature is "
            "related to the target: a selection says that some are."
        )
        unit, beyond = UNITS[self.unit], ""
        if self.strata:
            unit += f" ({enumerate_names(self.strata)})"
        if self.cleared:
            given = enumerate_names(self.cleared)
            unit += f", cleared of {given} by a linear model of each feature,"
        if names := (*self.cleared, *self.strata):
            tell = "tell" if len(names) > 1 else "tells"
            beyond = (
                f" Above noise means beyond what {enumerate_names(names)} {tell} of the target."
            )
        weights = ""
        if self.weighted:
            weights = (
                " Weights moved with their targets: an unrelated feature is one that is independent of "
                "target and weight together."
            )
        can = f"{unit} are exchangeable, so the target can be shuffled."
        return f"Supposed: {can} {reach}{beyond}{weights}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """The result at a family-wise error of 0.05 and its assumptions, in sentences."""
        chosen, p = self.select(LEVEL), len(self.feature_names)
        if chosen:
            finding = (
                f"{len(chosen)} of {plural(p, 'feature')} {'scores' if len(chosen) == 1 else 'score'} above "
                f"shuffled targets (family-wise error {LEVEL}): {enumerate_names(chosen)}."
            )
        else:
            best = self.to_frame()["family_wise_p_value"].head(NEAREST)
            nearest = enumerate_names([f"{name} ({value:.2g})" for name, value in best.items()])
            finding = (
                f"No feature can be distinguished from noise (family-wise error {LEVEL}); the nearest are "
                f"{nearest}, with their family-wise p-values."
            )
        return (f"{finding} {self.repetition}", self.scale, self.supposed)

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def limited(self, goal: str, level: float, method: str | None = None) -> LimitedSelection:
        """The features under a limit on the expected number or share of false selections."""
        p = len(self.feature_names)
        if goal == "max_false":
            method = method or "expected_number"
            values = np.minimum(self.p_values * p, p)
        else:
            method = method or "benjamini_hochberg"
            any_dependence = method == "benjamini_yekutieli"
            values = false_discovery_rates(self.p_values, any_dependence=any_dependence)
        return LimitedSelection(self, goal, level, method, values)


def selections(number: float) -> str:
    """``selection``, or ``selections`` of another number than 1."""
    return "selection" if number == 1 else "selections"


def limit_text(goal: str, level: float) -> str:
    """A limit on false selections in words."""
    if goal == "max_false":
        return f"at most {level:g} expected false {selections(level)}"
    return f"a false discovery rate of at most {level:g}"


@dataclass(frozen=True, eq=False)
class LimitedSelection:
    """Features under a limit on false selections, by p-values from shuffled targets.

    Attributes
    ----------
    permutation : TargetPermutation
    goal : {"max_false", "fdr"}
    level : float
        The limit.
    method : str
        ``"expected_number"`` of `max_false`; of `fdr` ``"benjamini_hochberg"``, which holds for independent
        and positively dependent p-values, or ``"benjamini_yekutieli"``, which holds for any.
    values : ndarray (p,)
        The smallest limit at which each feature is selected: a q-value, or an expected number.
    """

    permutation: TargetPermutation
    goal: str
    level: float
    method: str
    values: Floats

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.permutation.feature_names

    @property
    def support(self) -> Booleans:
        """Which features (p,) are selected."""
        return self.values <= self.level + ROUNDING * self.level

    def _order(self) -> Indices:
        return np.argsort(self.permutation.p_values, kind="stable")

    @property
    def selected(self) -> list[str]:
        """Names of the selected features, smallest p-value first; may be empty."""
        return [self.feature_names[j] for j in self._order() if self.support[j]]

    def columns(self) -> dict[str, NDArray[Any]]:
        """What :meth:`to_frame` holds, in the order of the table."""
        name = "q_value" if self.goal == "fdr" else "expected_false"
        return {"controlled": self.support, "p_value": self.permutation.p_values, name: self.values}

    def to_frame(self) -> pd.DataFrame:
        """One row per feature, the smallest p-value first: ``controlled``, ``p_value``, and its limit."""
        frame = pd.DataFrame(self.columns(), index=pd.Index(self.feature_names, name="feature"))
        return frame.iloc[self._order()]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The selection and its assumptions, in sentences."""
        p, chosen = len(self.feature_names), self.selected
        limit = limit_text(self.goal, self.level)
        if chosen:
            verb = "is" if len(chosen) == 1 else "are"
            finding = (
                f"With {limit}, {len(chosen)} of {plural(p, 'feature')} {verb} selected: "
                f"{enumerate_names(chosen)}."
            )
        else:
            best = int(self.values.argmin())
            finding = (
                f"With {limit}, no feature is selected: the nearest is {self.feature_names[best]}, which a "
                f"limit of {self.values[best]:.2g} would select. That does not say that no feature is "
                "related to the target."
            )
        ground = f"{BY[self.method]} {self.permutation.scale}"
        return (finding, ground, self.permutation.supposed)

    def record(self) -> dict[str, Any]:
        """Plain values, for a file."""
        names = ("goal", "level", "method", "selected")
        record = {name: getattr(self, name) for name in names}
        return {**record, "sentences": list(self.sentences)}

    def __repr__(self) -> str:
        return "\n".join(self.sentences)
