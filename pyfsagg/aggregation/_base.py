"""What an aggregator is: one table of lists in, one value per item out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import RankTable, whole_weights

__all__ = [
    "AGGREGATORS",
    "AggregatedValues",
    "AggregatorSpec",
    "comparable_ranks",
    "required_scores",
]

NO_P_VALUES = (
    "The lists have weights, so that there are no p-values: a list with weight counts more than "
    "once, and is not independent of itself. Permutation p-values keep their level with weights."
)


@dataclass(frozen=True, eq=False)
class AggregatedValues:
    """What an aggregator returns, one entry per item.

    Attributes
    ----------
    scores : ndarray (p,)
        Always larger = more important, finite, whatever the direction of the statistic.
    statistic : ndarray (p,)
        The method's own value as published (a mean, a mean rank, Q, ρ, …).
    p_values : ndarray (p,) or None
        For methods that come with a null distribution.
    remarks : tuple of str
        Remarks on the p-values, for instance on ties.
    log10_p_values : ndarray (p,) or None
        Their decimal logarithms, which stay exact where a p-value is too small for a float (1e-308).
    """

    scores: Floats
    statistic: Floats
    p_values: Floats | None = None
    remarks: tuple[str, ...] = ()
    log10_p_values: Floats | None = None


def _never(_options: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class AggregatorSpec(Spec):
    """A registered aggregator; `compute(table, **options)` returns :class:`AggregatedValues`.

    In formulas s_i and r_i are the score and the rank of an item in list i of m, p is the number of
    items and N the size of the universe that lists rank.

    `input` says whether it reads scores or ranks, `higher_is_better` is the direction of the
    statistic, `options` the names of its keyword options.  `by_item(options)` says whether the value
    of an item depends on its own scores only, so that a table may be aggregated in parts.
    `extreme` says whether one list can decide the value of an item, as the smallest does: what other
    lists would give cannot be told by a bootstrap of these.
    `in_loops` are options that save time where scores alone are read, and leave these as they are.

    `weights` says what the method makes of weights of the lists.  "any": `compute` reads
    `table.weights`, and a whole weight k gives what the list written k times gives.  "whole": such a
    table is written out before `compute` sees it, options named in `per_list` with it.  A text refuses
    them and says why.  `unranked` says what becomes of a list that names items in no order.
    """

    compute: Callable[..., AggregatedValues]
    input: Literal["scores", "ranks"]
    options: tuple[str, ...] = ()
    in_loops: Mapping[str, Any] = field(default_factory=dict)
    by_item: Callable[[Mapping[str, Any]], bool] = _never
    extreme: bool = False
    weights: str = "whole"
    per_list: tuple[str, ...] = ()
    unranked: str = "its k items share the mean rank (k + 1)/2"

    @property
    def takes_weights(self) -> str:
        """Which weights of lists the method takes, in words."""
        words = {"any": "any", "whole": "whole numbers"}
        return words.get(self.weights, f"none: {self.weights}")

    def apply(self, table: RankTable, **options: Any) -> AggregatedValues:
        """What the method computes from a table, whose lists may have weights.

        Lists that count more than once are not independent of themselves: with weights there are no
        p-values.

        Raises
        ------
        ParameterError
            If the method refuses weights, or takes whole ones only.
        """
        if table.weights is None:
            return self.compute(table, **options)
        if self.weights not in ("any", "whole"):
            raise ParameterError(f"{self.name} takes no weights: {self.weights}")
        if self.weights == "whole":
            copies = _copies(self.name, table)
            for name in self.per_list:
                if isinstance(options.get(name), (Sequence, np.ndarray)):
                    options[name] = list(np.repeat(options[name], copies))
            table = table.written_out()
        values = self.compute(table, **options)
        if values.p_values is None:
            return values
        return AggregatedValues(values.scores, values.statistic, remarks=(NO_P_VALUES,))

    def bind(self, **options: Any) -> Callable[[RankTable], AggregatedValues]:
        """The aggregator with its options checked and filled in, for loops that read scores only.

        P-values, if any, are then those of average ranks: tie-safe ones need a second pass over
        the table, for nothing that such a loop reads.
        """
        check_options(self, options)
        given = {**self.in_loops, **options}
        return lambda table: self.apply(table, **given)


def _copies(method: str, table: RankTable) -> NDArray[np.int64]:
    assert table.weights is not None
    try:
        return whole_weights(table.weights)
    except ParameterError as error:
        raise ParameterError(f"{method} takes whole weights: {error}") from None


AGGREGATORS = Registry("aggregator", AggregatorSpec, group="pyfsagg.aggregators")


def check_options(spec: AggregatorSpec, options: dict[str, Any]) -> None:
    """Refuse an option that the aggregator does not have.

    Raises
    ------
    ParameterError
        Naming the option and those that exist.
    """
    for name in options:
        if name not in spec.options:
            known = ", ".join(spec.options) or "none"
            raise ParameterError(f"{spec.name} has no option {name!r}; its options: {known}")


def required_scores(table: RankTable, method: str, sibling: str) -> Floats:
    """The scores of `table`, or an error that names the aggregator of ranks to use instead.

    Raises
    ------
    DataError
        If the table holds ranks only.
    """
    if table.scores is None:
        raise DataError(
            f"{method} aggregates scores, and this table holds ranks only; use {sibling!r}, which "
            "aggregates ranks, or build the table with RankTable.from_scores"
        )
    return table.scores


def comparable_ranks(table: RankTable) -> Floats:
    """Ranks (m, p) on the scale of the largest universe; absent as in `RankTable.filled_ranks`.

    A rank r of a list with N_i items counts as r·max(N)/N_i, so that ranks from lists of different
    size can be averaged.  With equal sizes these are the ranks themselves, to the last bit.
    """
    ranks = table.filled_ranks()
    largest = table.sizes.max()
    if (table.sizes == largest).all():
        return ranks
    scale: Floats = (largest / table.sizes)[:, np.newaxis]
    return np.asarray(ranks * scale, dtype=np.float64)
