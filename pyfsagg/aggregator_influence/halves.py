"""Which aggregator for my lists?  The one whose results for two halves of the lists agree most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy
from markupsafe import Markup

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Call
from pyfsagg._base.remarks import set_aside
from pyfsagg._base.validation import check_integer, check_level, resolve_seed
from pyfsagg._base.words import number, plural, readable, titled
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.result import Result, records
from pyfsagg._table.identity import versions
from pyfsagg.aggregation._base import AGGREGATORS, as_rank_table
from pyfsagg.aggregation._call import hash_of_table
from pyfsagg.aggregator_influence.result import bound_aggregators
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import RankTable
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.stability_measures.measure import measure_stability

LIST_AGGREGATORS = (
    *("robust_rank_aggregation", "mean_rank", "median_rank", "geometric_mean_rank", "stuart"),
)
FEWEST_LISTS = 6


@dataclass(frozen=True, eq=False, repr=False)
class ListInfluence(Result):
    """Agreement of aggregated halves of lists, by aggregator.

    Attributes
    ----------
    aggregators : tuple of str
        The others are compared with the first.
    measure : str
    agreement : ndarray (k, m + 1)
        Of k aggregators, the mean over splits without each of m lists, and with all.
    parameters, data, versions : dict
        Settings, lists and software versions.

    Notes
    -----
    Picture: ``"agreement"`` (of each aggregator, with its interval).
    """

    _kind: ClassVar[str] = "list_influence"
    _noun: ClassVar[str] = "comparison of aggregators by halves"

    aggregators: tuple[str, ...]
    measure: str
    agreement: Floats
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """One row per aggregator: agreement of halves, and its difference to the first one.

        ``value`` with ``lower`` and ``upper``; ``difference`` with ``difference_lower`` and
        ``difference_upper``, which hold for all aggregators together, and ``told_apart``, whether 0 is
        outside.  Intervals are about other lists of the same kind, by a jackknife over the lists.
        """
        alpha = 1.0 - check_level("confidence_level", confidence_level)
        k, m = len(self.aggregators), self.data["n_lists"]
        tails = 1.0 - 0.5 * alpha / np.array([1, max(k - 1, 1)])
        single, joint = scipy.special.stdtrit(m - 1, tails)
        gaps = self.agreement - self.agreement[0]
        values, differences = self.agreement[:, -1], gaps[:, -1]
        half, width = single * _jackknife_error(self.agreement), joint * _jackknife_error(gaps)
        columns = {
            "value": values,
            "lower": values - half,
            "upper": values + half,
            "difference": differences,
            "difference_lower": differences - width,
            "difference_upper": differences + width,
            "told_apart": np.abs(differences) > width,
        }
        return pd.DataFrame(columns, index=pd.Index(self.aggregators, name="aggregator"))

    def sentences(self) -> list[str]:
        """Which aggregator agrees most with itself, and whether it is told apart from the first one."""
        frame, first = self.to_frame(), self.aggregators[0]
        sign = 1.0 if STABILITY_MEASURES.get(self.measure).higher_is_better else -1.0
        best = str((sign * frame["value"]).idxmax())
        shown = {name: f"{readable(name)} {number(frame['value'][name])}" for name in (first, best)}
        answer = f"No aggregator agrees clearly more with itself than {shown[first]}"
        answer += "." if best == first else f" (most: {shown[best]})."
        if frame["told_apart"][best]:
            answer = f"Halves agree most by {shown[best]}, told apart from {shown[first]}."
        lists = plural(self.data["n_lists"], "list")
        return [
            answer,
            f"{lists} were split {plural(self.parameters['n_splits'], 'time')} into halves, and the "
            f"results of both compared ({titled(self.measure)}), with a jackknife over the lists.",
            "Agreement is not truth: a rule that neglects what lists tell agrees with itself, too.",
        ]

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {**super()._record(view), "compared": records(self.to_frame().reset_index())}

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"influence.csv": self.to_frame()}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.to_frame()"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        first, *rest = self.sentences()
        frame, default = self.to_frame(), readable(self.aggregators[0])
        gaps = _spans(frame, "difference", "difference_lower", "difference_upper")
        apart = ["yes" if one else "" for one in frame["told_apart"]]
        columns = [
            (PageColumn("Aggregator", numeric=False), [*map(readable, self.aggregators)]),
            (PageColumn("Agreement of halves"), _spans(frame, "value", "lower", "upper")),
            (PageColumn(f"Difference to {default}"), ["–", *gaps[1:]]),
            (PageColumn("Told apart", numeric=False), apart),
        ]
        note = "With 95 % intervals; those of the differences hold together."
        table = PageTable.of_columns("Agreement of halves of the lists.", columns, note)
        return [Text(Markup("<b>{}</b>").format(first)), table, *map(Text, rest)]

    def __repr__(self) -> str:
        lists = plural(self.data["n_lists"], "list")
        return f"ListInfluence({', '.join(self.aggregators)}; {lists})"


def _spans(frame: pd.DataFrame, *names: str) -> list[str]:
    values = zip(*(frame[name] for name in names), strict=True)
    return [f"{number(value)} ({number(low)} to {number(high)})" for value, low, high in values]


def _jackknife_error(values: Floats) -> Floats:
    """Standard errors from the values (k, m + 1) without each list, which stand before those of all."""
    left_out = values[:, :-1]
    m = left_out.shape[1]
    spread = np.square(left_out - left_out.mean(axis=1, keepdims=True)).sum(axis=1)
    return np.asarray(np.sqrt((m - 1) / m * spread))


def influence_of_lists(
    lists: Any,
    aggregators: Sequence[str] | Mapping[str, Mapping[str, Any]] | None = None,
    *,
    measure: str = "spearman",
    n_splits: int = 100,
    random_state: Any = None,
) -> ListInfluence:
    """Which aggregator suits complete lists, scores or partial judges: agreement of halves of the lists.

    The lists are split into two halves many times.  Each half is aggregated by each rule, and the two
    results are compared over the items that both halves know.  A jackknife over the lists says how far the
    answer depends on them, and which rules are told apart from the first one.

    Parameters
    ----------
    lists : RankTable, or any input of :func:`pyfsagg.aggregate`
        At least six lists.
    aggregators : sequence of str, or mapping of str to options, optional
        Names from ``pyfsagg.list_methods("aggregators")``; the others are compared with the first.  By
        default robust rank aggregation, mean, median and geometric mean rank, and Stuart.
    measure : str
        Of ``pyfsagg.list_methods("stability")``; those of selections compare the best quarter.
    n_splits : int
        The time is that of (m + 2) aggregations of half of the m lists for each split and rule.
    random_state : int, optional

    Returns
    -------
    ListInfluence

    Raises
    ------
    DataError
        For fewer than six lists, which say nothing of the choice.

    See Also
    --------
    influence : The same question of the resamples of a table.

    Notes
    -----
    The rule is that of Berker, Armstrong, Conitzer and Shah (ICLR 2026), who take the aggregator of least
    disagreement; interval and comparison are ours.  An aggregator that agrees more with itself need not
    be nearer to the truth.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.random.default_rng(0).normal(np.arange(20.0) / 4.0, size=(8, 20))
    >>> found = influence_of_lists(
    ...     scores, ["mean_rank", "minimum_rank"], n_splits=20, random_state=0
    ... )
    >>> found.to_frame()["value"].round(1).tolist()
    [0.9, 0.9]
    """
    seed = resolve_seed(random_state)
    call = Call.of(influence_of_lists, locals(), data=("lists",), random_state=seed)
    options = bound_aggregators(LIST_AGGREGATORS if aggregators is None else aggregators)
    table = as_rank_table(lists)
    check_integer("n_splits", n_splits, low=1)
    measure, m = STABILITY_MEASURES.get(measure).name, table.n_lists
    if m < FEWEST_LISTS:
        few = f"{plural(m, 'list')}: fewer than {FEWEST_LISTS}"
        raise DataError(f"{few} say nothing of the choice of an aggregator")
    rng = np.random.default_rng(seed)
    rules = [AGGREGATORS.get(name).bind(**chosen) for name, chosen in options.items()]
    agreement = np.zeros((len(rules), m + 1))
    for _ in range(n_splits):
        halves = np.array_split(rng.permutation(m), 2)
        for k, rule in enumerate(rules):
            whole = [_scores(table, half, rule) for half in halves]
            pairs = {m: whole}
            for half, other in zip(halves, whole[::-1], strict=True):
                pairs |= {i: [_scores(table, half[half != i], rule), other] for i in half.tolist()}
            for i, pair in pairs.items():
                both = np.stack(pair)[:, ~np.isnan(pair).any(axis=0)]
                value = measure_stability(both, measure, input="scores", random_state=seed).value
                agreement[k, i] += value / n_splits
    parameters = {
        "aggregators": list(options),
        "measure": measure,
        "n_splits": n_splits,
        "seed": seed,
        "call": call.record(),
    }
    data = {"n_lists": m, "n_items": table.n_items, "sha256": hash_of_table(table)}
    return ListInfluence(tuple(options), measure, agreement, parameters, data)


def _scores(table: RankTable, rows: Any, rule: Any) -> Floats:
    """What a rule makes of some of the lists (p,): an item that none of them has is last, or unknown."""
    with set_aside():
        half = table._of_lists(rows)
    if table.list_weights is not None:
        half = replace(half, list_weights=table.list_weights[rows])
    values, held = rule(half).scores, ~table.missing[rows].all(axis=0)
    scores = np.full(table.n_items, np.nan if table.full else values.min() - 1.0)
    scores[held] = values
    return scores
