"""What an aggregator is: one table of lists in, one value per item out, and how it agrees with its lists."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from pyfsagg._base.arithmetic import EPSILON, Floats, Indices, in_range, levelled, scaled
from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.validation import check_labels
from pyfsagg._message import SCORES, Param, Remedy
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings, ranking

NO_P_VALUES = (
    "The lists have weights, so there are no p-values: a list that counts more than once is not "
    "independent of itself. Permutation p-values keep their level with weights."
)

ONE_DATA_SET = (
    "The lists come from one data set (resamples, folds or voters), so they are not independent and there "
    "are no p-values: the order says how the features rank in these, and not which of them matter."
)

SOLVED = 1e-12
"""Share of its size by which rounding may move what is solved for numerically, as an eigenvector is."""


@dataclass(frozen=True, eq=False)
class AggregatedValues:
    """What an aggregator returns, one entry per item.

    Attributes
    ----------
    scores : ndarray (p,)
        Finite, larger = more important for statistics of either direction.
    statistic : ndarray (p,)
        The method's own value as published (a mean, a mean rank, Q, ρ, …).
    p_values : ndarray (p,) or None
        For methods that come with a null distribution.
    remarks : tuple of str
        Remarks on the p-values, for instance on ties, or on the order.
    log10_p_values : ndarray (p,) or None
        Their decimal logarithms, which stay exact where a p-value is too small for a float (1e-308).
    rounding : ndarray (p,) or None
        How far rounding can move each score; None: at most m ε times its size, for m lists and
        ε = 2.2e-16.  Terms that cancel, or a logarithm on the way, move it further.
    """

    scores: Floats
    statistic: Floats
    p_values: Floats | None = None
    remarks: tuple[str, ...] = ()
    log10_p_values: Floats | None = None
    rounding: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class AggregatorSpec(Spec):
    """A registered aggregator; `compute(table, **options)` returns :class:`AggregatedValues`.

    In formulas s_i and r_i are the score and the rank of an item in list i of m, p is the number of
    items and N the size of the universe that lists rank.

    `input` says whether it reads scores or ranks, `higher_is_better` is the direction of the
    statistic, `options` the names of its options (by default the keywords of `compute`).
    `by_item(options)` says whether the value of an item depends on its own scores only, so a table may
    be aggregated in parts.
    `extreme` says whether one list can decide the value of an item, as the smallest does: what other
    lists would give cannot be told by a bootstrap of these.
    `in_loops` are options that save time where scores alone are read, and leave these as they are.

    `list_weights` says what the method makes of weights of the lists.  "any": `compute` reads
    `table.weights`, and a whole weight k gives what the list written k times gives.  "whole": such a
    table is written out before `compute` sees it, options named in `per_list` with it.  A text refuses
    them and says why.  `unranked` says what becomes of a list that names items in no order.
    """

    compute: Callable[..., AggregatedValues]
    input: Literal["scores", "ranks"]
    options: tuple[str, ...] = ()
    in_loops: Mapping[str, Any] = field(default_factory=dict)
    by_item: Callable[[Mapping[str, Any]], bool] = lambda _options: False
    extreme: bool = False
    list_weights: str = "whole"
    per_list: tuple[str, ...] = ()
    unranked: str = "mean rank (k + 1)/2"

    def __post_init__(self) -> None:
        parameters = inspect.signature(self.compute).parameters.values()
        named = tuple(one.name for one in parameters if one.kind is one.KEYWORD_ONLY)
        object.__setattr__(self, "options", self.options or named)

    @property
    def takes_weights(self) -> str:
        """Which weights of lists the method takes, in words."""
        words = {"any": "any", "whole": "whole numbers"}
        return words.get(self.list_weights, f"none: {self.list_weights}")

    def apply(self, table: Rankings, **options: Any) -> AggregatedValues:
        """What the method computes from a table; scores whose difference can be rounding are equal, so the
        order of the lists, in which sums are taken, breaks no tie."""
        values = self._computed(table, **options)
        scores, rounding = values.scores, values.rounding
        if rounding is None:
            rounding = np.where(np.isfinite(scores), table.n_lists * EPSILON * np.abs(scores), 0.0)
        return replace(values, scores=levelled(scores, rounding))

    def _computed(self, table: Rankings, **options: Any) -> AggregatedValues:
        """What the method computes from a table; with weights, or of lists from one data set, there are no
        p-values."""
        reason = ONE_DATA_SET if table.dependent else ""
        if table.weights is not None:
            reason, table = NO_P_VALUES, self._weighted(table, table.weights, options)
        values = self.compute(table, **options)
        if not reason or values.p_values is None:
            return values
        return replace(values, p_values=None, log10_p_values=None, remarks=(reason,))

    def _weighted(self, table: Rankings, weights: Floats, options: dict[str, Any]) -> Rankings:
        """A table with `weights` as `compute` takes it; `options` of single lists are written out with it."""
        if self.list_weights not in ("any", "whole"):
            raise ParameterError(f"{self.name} takes no weights: {self.list_weights}")
        if self.list_weights == "any":
            return table
        try:
            copies = ranking.whole_weights(weights)
        except ParameterError as error:
            raise ParameterError(f"{self.name} takes whole weights: ", error) from None
        for name in self.per_list:
            if isinstance(options.get(name), (Sequence, np.ndarray)):
                options[name] = list(np.repeat(options[name], copies))
        return table._written_out()

    def bind(self, **options: Any) -> Callable[[Rankings], AggregatedValues]:
        """The aggregator with its options checked and filled in, for loops that read scores only.

        P-values are then those of average ranks: tie-safe ones would need a second pass.  Scores are as
        computed, because a loop keeps the order of its lists and may aggregate a table in parts.
        """
        check_aggregator_params(self, options)
        chosen = {**self.in_loops, **options}
        return lambda table: self._computed(table, **chosen)


AGGREGATORS = Registry("aggregator", AggregatorSpec, group="pyfsagg.aggregators")


def rank_aggregator(*, list_weights: str = "any", **parts: Any) -> AggregatorSpec:
    """An aggregator of ranks, most of which read the weights of the lists."""
    return AggregatorSpec(input="ranks", list_weights=list_weights, **parts)


def check_aggregator_params(spec: AggregatorSpec, method_params: dict[str, Any]) -> None:
    """Refuse an option that the aggregator does not have."""
    for name in method_params:
        if name not in spec.options:
            known = ", ".join(spec.options) or "none"
            raise ParameterError(f"{spec.name} has no option {name!r}; its options: {known}")


def as_rankings(values: Any) -> Rankings:
    """What :meth:`Rankings.of` reads, without items that no list has."""
    return Rankings.of(values, name="table_or_scores")._of_listed()


def codes_of_lists(name: str, labels: Sequence[Any] | None, m: int) -> Indices:
    """The number of the label of each list, from 0; without labels all differ."""
    if labels is None:
        return np.arange(m)
    labels = check_labels(name, labels)
    if len(labels) != m:
        raise ParameterError(
            Param(name), f" must have one label per list ({m}), got {len(labels)} labels"
        )
    distinct = list(dict.fromkeys(labels))
    return np.array([distinct.index(label) for label in labels], dtype=np.intp)


def required_scores(table: Rankings, method: str, sibling: str) -> Floats:
    """The scores of `table`, or an error that names the aggregator of ranks to use instead."""
    if table.scores is None:
        raise DataError(
            f"{method} aggregates scores, and this table contains ranks only",
            Remedy(f"use {sibling!r}, which aggregates ranks, or build the table with ", SCORES),
        )
    return table.scores


How = Literal["mean", "median", "min", "max"]
_PLAIN: dict[str, tuple[Callable[..., Floats], Callable[..., Floats]]] = {
    "mean": (np.mean, np.nanmean),
    "median": (np.median, np.nanmedian),
    "min": (np.min, np.nanmin),
    "max": (np.max, np.nanmax),
}


def over_lists(values: Floats, how: How, weights: Floats | None = None) -> Floats:
    """Reduce (m, p) to (p,) over the lists, as if a list of weight k were written k times; without NaN."""
    if weights is not None and how in ("mean", "median"):
        size = scaled(weights)[0]
        return in_range(lambda known: _weighted(known, how, size), values)
    complete, with_missing = _PLAIN[how]

    def reduced(known: Floats) -> Floats:
        result = complete(known, axis=0)
        # The slower form only where a NaN makes it necessary.
        return with_missing(known, axis=0) if np.isnan(result).any() else result

    return in_range(reduced, values)


def rounding_of_mean(values: Floats, weights: Floats | None = None) -> Floats:
    """How far rounding can move the means over the lists: m ε times the mean size of what is averaged."""
    return len(values) * EPSILON * over_lists(np.abs(values), "mean", weights)


def geometric_means(logs: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """Geometric means over the lists from logarithms, and how far rounding can move them."""
    means = np.exp(over_lists(logs, "mean", weights))
    relative = rounding_of_mean(logs, weights) + len(logs) * EPSILON
    return means, means * np.where(means > 0.0, relative, 0.0)


def _weighted(values: Floats, how: How, weights: Floats) -> Floats:
    # Sorting first makes the floating sum independent of the order of the lists.
    order = np.argsort(values, axis=0, kind="stable")
    in_order = np.take_along_axis(values, order, axis=0)  # missing ones last
    counted = np.where(np.isnan(in_order), 0.0, weights[order])
    if how == "mean":
        known = np.where(counted > 0, in_order, 0.0)
        return np.asarray((known * counted).sum(axis=0) / counted.sum(axis=0), dtype=np.float64)
    reached = np.cumsum(counted, axis=0)
    half = 0.5 * reached[-1]
    slack = 1e-12 * reached[-1]  # a sum of fractions need not be its half to the last bit
    low = (reached >= half - slack).argmax(axis=0)[np.newaxis]
    high = (reached > half + slack).argmax(axis=0)[np.newaxis]
    middle = np.take_along_axis(in_order, low, 0) + np.take_along_axis(in_order, high, 0)
    return np.asarray(0.5 * middle[0], dtype=np.float64)
