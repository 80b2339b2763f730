"""The result of an aggregation, its permutation test, and its comparison with other methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
import scipy
from markupsafe import Markup
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.fields import Part, Parts, stored
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_integer, n_selected
from pyfsagg._base.words import count, number, numbers, plural, probabilities, ranks, readable
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.result import Recorded, Saved, Selecting, records
from pyfsagg.aggregation import _base, about_lists
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.ranks.ranking import about_ties, tie_sizes

INDEPENDENCE = (
    "The p-values assume independent lists. Lists from one data set (bootstraps, subsamples, several "
    "methods on the same samples) are not independent: their p-values are far too small, and serve only "
    "for ordering."
)
P_VALUES = {
    "p_value": "P-value",
    "adjusted_p_value": "Adjusted p",
    "permutation_p_value": "Permutation p",
    "permutation_family_wise_p_value": "Family-wise permutation p",
}
"""Columns of p-values and their titles."""
SMALL = 0.05  # adjusted p-values up to here are counted
OF_SAME_LISTS: dict[str, Any] = {
    "names": "{}_{part}",
    "without": ("names", "parameters", "data", "versions", "table", "permutation", "others"),
}
"""How several aggregations of the same lists are kept in another result."""


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation(Selecting, Recorded):
    """The combined ranking of several lists: one value per item.

    Attributes
    ----------
    names : tuple of str
        The p items, in the order of the table.
    scores : ndarray (p,)
        Larger = more important, for every method.
    statistic : ndarray (p,)
        The method's own value (mean rank, ρ, Q, …), in the direction of `higher_is_better`.
    ranking : ndarray (p,)
        1 = most important; equal scores share the average of their ranks.  Scores whose difference can
        be rounding, at most m ε (ε = 2.2e-16) of the size of what m lists add, are equal.
    log10_p_values : ndarray (p,) or None
        Decimal logarithms of the p-values: finite where a p-value is 0, that is, below 1e-308.
    p_values, adjusted_p_values : ndarray (p,) or None
        For methods with a null distribution; `adjust` names the correction across items.
    method, higher_is_better, n_lists, adjust
    n_tests : int
        Number of items over which p-values are adjusted: the universe of the lists; items that
        no list contains have p = 1.  With universes of different sizes the largest one counts.
    remarks : tuple of str
        Remarks on the p-values, for instance on ties, or on the order.
    parameters, data, versions : dict
        Settings, lists and software versions.
    universe_check : UniverseCheck or None
        Whether cut-off lists with p-values look as if they came from fewer items than the universe.
    table : Rankings or None
        The lists.
    permutation : PermutationTest or None
        Permutation test of the same lists by the same method.
    others : tuple of Aggregation
        Other aggregations of the same lists; :attr:`comparison` compares them.

    Notes
    -----
    Shown with `top`, how many of the best items (10 by default), and `adjusted`, whether p-values
    adjusted across items are shown.  Pictures: ``"consensus"`` (the best items), ``"list_ranks"``
    (their ranks in the lists).

    The p-values assume independent lists: those of bootstraps of one data set are far too small, and
    only their order has a meaning.  :func:`pyfsagg.aggregation.permutation_p_values` keeps the dependence.
    """

    _kind: ClassVar[str] = "aggregation"
    _noun: ClassVar[str] = "aggregation"
    _selectable: ClassVar[str] = "names"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10, "adjusted": True})

    names: tuple[str, ...]
    scores: Floats
    statistic: Floats
    ranking: Floats
    p_values: Floats | None
    adjusted_p_values: Floats | None
    method: str
    higher_is_better: bool
    n_lists: int
    adjust: str
    n_tests: int
    remarks: tuple[str, ...] = ()
    log10_p_values: Floats | None = None
    universe_check: about_lists.UniverseCheck | None = None
    table: Rankings | None = field(
        default=None, metadata=stored(names="table_{}", without=("items", "names"))
    )
    permutation: PermutationTest | None = field(
        default=None, metadata=stored(names="permutation_{}", shared=("names",))
    )
    others: tuple[Aggregation, ...] = field(
        default=(), metadata=stored(shared=("names",), start=1, **OF_SAME_LISTS)
    )

    def __post_init__(self) -> None:
        if self.p_values is None:  # a file says that nothing is adjusted
            object.__setattr__(self, "adjust", self.adjust or "bh")
            object.__setattr__(self, "n_tests", self.n_tests or len(self.names))

    @property
    def _adjustment(self) -> str | None:
        """A sentence on the number of items over which p-values are adjusted; None without p-values."""
        if self.p_values is None:
            return None
        held = len(self.names)
        if self.n_tests == held:
            return f"The p-values are adjusted over the {held:,} items that the lists contain."
        return (
            f"The p-values are adjusted over all {self.n_tests:,} items that could have been "
            f"listed; the {self.n_tests - held:,} that no list contains count with p = 1."
        )

    def _answer(self, adjusted: bool = True) -> list[str]:
        """How many items have a small adjusted p-value, and a warning if the universe is assumed; where the
        lists contradict the p-values, that comes first."""
        if self.p_values is None or self.adjusted_p_values is None:
            return []
        p = len(self.names)
        sentences: list[str] = []
        check, table = self.universe_check, self.table
        contradicted = check is not None and check._contradicted
        if check is not None and contradicted:
            sentences.append(check.sentence)
        if adjusted:
            small = int((self.adjusted_p_values <= SMALL).sum())
            has = "has" if small == 1 else "have"
            found = f"{small:,} of {plural(p, 'item')} {has} an adjusted p-value of at most {SMALL}"
            sentences.append(
                f"If the universe is right, and the lists share true items but depend on each other in no "
                f"other way, {found}; otherwise this number has no meaning."
                if contradicted
                else f"{found}."
            )
        # A list that contains all items shows that there are no more.
        if (
            table is not None
            and table.absent == "worst"
            and bool(table.missing.any(axis=1).all())
            and bool((table.sizes == p).all())
        ):
            sentences.append(
                f"The universe is taken to be the {p:,} items that some list contains. If the lists were "
                "chosen from more items, such as all genes of a screen, give their number (universe): "
                "without it all p-values, adjusted ones too, are too large, often by far."
            )
        return sentences

    @property
    def _pool(self) -> str | None:
        """A sentence on items that no list contains, which every p-value takes for possible ones, or None."""
        held = len(self.names)
        if self.p_values is None or self.n_tests == held:
            return None
        assumed = (
            f"The p-values assume that each list could contain any of {self.n_tests:,} items. If the "
            "lists come from fewer items, such as the genes measured in all studies, the p-values are "
            "far too small."
        )
        check = self.universe_check
        return assumed if check is None or check._contradicted else f"{assumed} {check.sentence}"

    def _about_p_values(self, adjusted: bool) -> list[str]:
        """Remarks on the p-values, or the reason why there are none."""
        sentences = (self._adjustment if adjusted else None, self._pool)
        return [*(sentence for sentence in sentences if sentence), *self.remarks]

    def _order(self) -> Indices:
        """Positions of the items, best first; ties in the order of the table."""
        return np.argsort(-self.scores, kind="stable")

    def select(self, n_features_to_select: int | float) -> list[str]:
        """Names of the best items, best first; ties in the order of the table.

        Parameters
        ----------
        n_features_to_select : int or float
            How many (int), or which share of all, in (0, 1] (float; rounded up).
        """
        n = n_selected(n_features_to_select, len(self.names), "n_features_to_select")
        return [self.names[j] for j in self._order()[:n]]

    def to_frame(self) -> pd.DataFrame:
        """One row per item, best first: rank, score, statistic, and p-values if any.

        ``tied`` is the number of items with this score (1: no tie).
        """
        columns: dict[str, Any] = {
            "rank": self.ranking,
            "score": self.scores,
            "statistic": self.statistic,
            "tied": tie_sizes(self.scores),
        }
        if self.p_values is not None and self.adjusted_p_values is not None:
            columns["p_value"] = self.p_values
            if self.log10_p_values is not None:
                columns["log10_p_value"] = self.log10_p_values
            columns["adjusted_p_value"] = self.adjusted_p_values
        frame = pd.DataFrame(columns, index=pd.Index(self.names, name="item"))
        return frame.iloc[self._order()]

    @property
    def comparison(self) -> AggregationComparison | None:
        """This aggregation and the others; None if there are no others."""
        results = (self, *self.others)
        return AggregationComparison(results, parameters=self.parameters) if self.others else None

    def _rankings(self) -> Rankings:
        """The lists that were aggregated."""
        return self._given_table()

    def _given_table(self) -> Rankings:
        """The lists."""
        if self.table is None:
            raise DataError("this aggregation does not contain its lists; aggregate() keeps them")
        for part in (self, self.permutation):
            if part is not None and part.names != self.table.items:
                raise DataError(
                    f"the {type(part).__name__} is not about the items of this table; make it from "
                    "the same table"
                )
        return self.table

    def items(self, *, adjusted: bool = True) -> pd.DataFrame:
        """One row per item, best first: :meth:`to_frame`, with ``n_lists`` of the item, ``best_rank`` and
        ``median_rank`` in these, and permutation p-values if there are any."""
        frame, test, order = self.to_frame(), self.permutation, self._order()
        known = self._given_table().ranks[:, order]
        frame["n_lists"] = (~np.isnan(known)).sum(axis=0)
        frame["best_rank"] = np.nanmin(known, axis=0)
        frame["median_rank"] = np.nanmedian(known, axis=0)
        if test is not None:
            frame["permutation_p_value"] = test.p_values[order]
            frame["permutation_adjusted_p_value"] = test.adjusted_p_values[order]
            frame["permutation_family_wise_p_value"] = test.family_wise_p_values[order]
        left_out = [] if adjusted else [name for name in frame.columns if "adjusted" in str(name)]
        return frame.drop(columns=left_out)

    def lists(self, top: int = 10) -> pd.DataFrame:
        """One row per list: ``weight`` if there are weights, length, universe, ``in_top`` (how many of the
        best `top` items it contains), and ``spearman`` with the result over its items (NaN for one item
        or only ties)."""
        table = self._given_table()
        held = ~table.missing
        columns = {
            "items": held.sum(axis=1),
            "universe": table.sizes.astype(np.int64),
            "in_top": held[:, self._order()[:top]].sum(axis=1),
            "spearman": [
                _spearman(row[known], self.ranking[known])
                for row, known in zip(table.ranks, held, strict=True)
            ],
        }
        weights = {} if table.weights is None else {"weight": table.weights}
        return pd.DataFrame(weights | columns, index=pd.Index(table.names, name="list"))

    def _to_parts(self) -> Parts:
        table = self.table
        if table is None or table.ties != "random":
            return super()._to_parts()
        # Ties that were broken at random are kept as they fell.
        fallen = replace(self, table=replace(table, given_ranks=table.ranks))
        return super(Aggregation, fallen)._to_parts()

    def _settled(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record of the fields in which an adjustment that there is not is None."""
        return record if self.p_values is not None else {**record, "adjust": None, "n_tests": None}

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        record = self._settled(super()._record(view))
        top = min(view["top"], len(self.names))
        if self.table is None:
            return {**record, "items": records(self.to_frame().reset_index())}
        record["items"] = records(self.items(adjusted=view["adjusted"]).reset_index())
        record["lists"] = records(self.lists(top).reset_index())
        if self.comparison is not None:
            record["comparison"] = self.comparison.agreement(top)
            record["others"] = [
                other._settled(part)
                for other, part in zip(self.others, record["others"], strict=True)
            ]
        if self.p_values is not None:
            record["adjusted_over"] = self.n_tests if view["adjusted"] else None
        return record

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        if self.table is None:
            return {"aggregation.csv": self.to_frame()}
        tables = {"aggregation.csv": self.items(adjusted=view["adjusted"])}
        if self.comparison is not None:
            tables["comparison.csv"] = self.comparison.to_frame()
        return tables

    @classmethod
    def _from_files(cls, saved: Saved) -> Self:
        if "table" in saved.document:
            lists = [row["list"] for row in saved.document["lists"]]
            saved.document["table"] |= {"items": saved.document["names"], "names": lists}
        return super()._from_files(saved)

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        lines = ["result.to_frame()"]
        if self.permutation is not None and self.permutation.call:
            lines += ["", *Call.from_record(self.permutation.call).lines(result="test")]
        if self.others and "compared" in self.parameters:
            top = min(view["top"], len(self.names))
            lines += ["", *Call.from_record(self.parameters["compared"]).lines(result="comparison")]
            lines += [f"comparison.kendall(), comparison.overlap({top})"]
        return lines

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        top, adjusted = min(view["top"], len(self.names)), view["adjusted"]
        ties = about_ties(self.scores, top, "items")
        frame = self.to_frame() if self.table is None else self.items(adjusted=adjusted)
        best = frame.head(top).drop(columns="best_rank", errors="ignore")
        spec, table = _base.AGGREGATORS.get(self.method), self.table
        told = f"{plural(self.n_lists, 'list')} of {plural(len(self.names), 'item')}."
        if table is not None:
            universe = f"out of a universe of {_span(table.sizes)}"
            meaning = "counts as worse than all items in it"
            if table.absent == "unknown":
                universe, meaning = "each list is its own universe", "has no rank in it"
            common, everywhere = "the same in all lists", int((~table.missing).all(axis=0).sum())
            if everywhere < table.n_items:
                common = f"{plural(table.n_items, 'different item')}, of which every list contains "
                common += count(everywhere)
            lengths = _span((~table.missing).sum(axis=1))
            told = f"{plural(table.n_lists, 'list')} of {lengths} items ({universe}): {common}."
            if table.missing.any():
                told += f" An item that is not in a list {meaning}."
        return [
            *(Text(Markup("<b>{}</b>").format(sentence)) for sentence in self._answer(adjusted)),
            Text(f"{told} They were combined by {readable(spec.name)}: {spec.summary}."),
            PageTable.of_columns(f"The best {count(top)}.", item_columns(best), header=1),
            *([Text(ties)] if ties else []),
            *([] if self.comparison is None else self.comparison._facts(view)),
            *(Text(sentence) for sentence in self._about_p_values(adjusted)),
            *([] if self.p_values is None else [Text(INDEPENDENCE)]),
        ]

    def __repr__(self) -> str:
        best = ", ".join(self.names[j] for j in self._order()[:3])
        more = ", …" if len(self.names) > 3 else ""
        universe = (
            "" if self.p_values is None else f"; p-values assume a universe of {self.n_tests:,}"
        )
        if (check := self.universe_check) is not None and check._contradicted:
            universe += f", its lists at most {check.pool_upper:,}"
        return (
            f"Aggregation({self.method}: {len(self.names)} items from {self.n_lists} list(s); "
            f"best first: {best}{more}{universe})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Part):
    """Permutation p-values, one per item.

    Attributes
    ----------
    names : tuple of str
    scores : ndarray (p,)
        Observed scores, larger = more important.
    p_values : ndarray (p,)
        For each item by itself.
    adjusted_p_values : ndarray (p,)
        `p_values` corrected by `adjust` across all items of the universe; those that no list
        holds count with p = 1.  Given null tables are corrected across the items of the table.
    family_wise_p_values : ndarray (p,)
        Chance that the best item of a null table scores as high (maximum statistic).
    method, n_permutations, adjust
    call : dict
        The call that made it: the function and its arguments.
    """

    names: tuple[str, ...]
    scores: Floats
    p_values: Floats
    adjusted_p_values: Floats
    family_wise_p_values: Floats
    method: str
    n_permutations: int
    adjust: str
    call: Mapping[str, Any] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """One row per item, best first."""
        frame = pd.DataFrame(
            {
                "score": self.scores,
                "p_value": self.p_values,
                "adjusted_p_value": self.adjusted_p_values,
                "family_wise_p_value": self.family_wise_p_values,
            },
            index=pd.Index(self.names, name="item"),
        )
        return frame.iloc[np.argsort(-self.scores, kind="stable")]


@dataclass(frozen=True, eq=False, repr=False)
class AggregationComparison(Recorded):
    """Rankings of the same items by several aggregators.

    Attributes
    ----------
    results : tuple of Aggregation
        One per aggregator, over the same items in the same order.
    parameters, data, versions : dict
        Settings, data and software versions.

    Notes
    -----
    Shown with `top`, the number of best items for which the overlap is given (10 by default).
    """

    _kind: ClassVar[str] = "method_comparison"
    _noun: ClassVar[str] = "comparison"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10})

    results: tuple[Aggregation, ...] = field(metadata=stored(**OF_SAME_LISTS))

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the aggregators."""
        return tuple(result.method for result in self.results)

    def _rankings(self) -> Rankings:
        """The ranking by each method."""
        ranks = np.stack([result.ranking for result in self.results])
        return Rankings(self.names, tuple(self.methods), None, given_ranks=ranks)

    @property
    def names(self) -> tuple[str, ...]:
        """The p items, in the order of the table."""
        return self.results[0].names

    @cached_property
    def places(self) -> Indices:
        """Place (t, p) of each item by each aggregator, 1 to p; ties in the order of the table."""
        places = np.empty((len(self.results), len(self.names)), dtype=np.intp)
        for row, result in zip(places, self.results, strict=True):
            row[result._order()] = np.arange(1, len(row) + 1)
        return places

    @cached_property
    def _kendall(self) -> Floats:
        scores = [result.scores for result in self.results]
        values = np.eye(len(scores))
        for i, j in zip(*np.triu_indices(len(scores), 1), strict=True):
            values[i, j] = values[j, i] = scipy.stats.kendalltau(scores[i], scores[j]).statistic
        return values

    def kendall(self) -> pd.DataFrame:
        """Kendall's tau-b between the rankings of two aggregators, (t, t).

        1 = same ranking, 0 = no relation, −1 = reversed; NaN where an aggregator ties all items.

        Examples
        --------
        >>> from pyfsagg.aggregation import compare_aggregations
        >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
        >>> float(compare_aggregations(lists, ["mean_rank", "borda"]).kendall().iloc[0, 1])
        1.0
        """
        return pd.DataFrame(self._kendall, index=self.methods, columns=self.methods)

    def overlap(self, k: int) -> pd.DataFrame:
        """How many items two aggregators have in common among their best `k`, (t, t).

        Ties at the cut are broken by the order of the table.

        Examples
        --------
        >>> from pyfsagg.aggregation import compare_aggregations
        >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
        >>> int(compare_aggregations(lists, ["mean_rank", "borda"]).overlap(2).iloc[0, 1])
        2
        """
        k = check_integer("k", k, low=1, high=len(self.names))
        best = (self.places <= k).astype(np.intp)
        return pd.DataFrame(best @ best.T, index=self.methods, columns=self.methods)

    def to_frame(self) -> pd.DataFrame:
        """Rank of each item by each aggregator, ties averaged; in the order of the first one."""
        frame = pd.DataFrame(
            {result.method: result.ranking for result in self.results},
            index=pd.Index(self.names, name="item"),
        )
        return frame.iloc[self.results[0]._order()]

    def agreement(self, top: int) -> dict[str, Any]:
        """Agreement of the methods as plain values: for a record."""
        k = min(top, len(self.names))
        return {
            "methods": list(self.methods),
            "kendall": {row["index"]: {name: row[name] for name in self.methods}
                        for row in records(self.kendall().reset_index())},
            "overlap": self.overlap(k).to_dict("index"),
            "overlap_k": k,
        }  # fmt: skip

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        record = super()._record(view)
        parts = zip(self.results, record["results"], strict=True)
        return {
            **self.agreement(view["top"]),
            "names": list(self.names),
            "results": [result._settled(part) for result, part in parts],
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"comparison.csv": self.to_frame()}

    @classmethod
    def _from_files(cls, saved: Saved) -> Self:
        for part in saved.document["results"]:
            part["names"] = saved.document["names"]
        return super()._from_files(saved)

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        first, top = self.methods[0], min(view["top"], len(self.names))
        tau, overlap = self.kendall()[first], self.overlap(top)[first]
        columns = [
            (PageColumn("Method", numeric=False), [readable(name) for name in self.methods[1:]]),
            (PageColumn("Kendall tau-b"), [number(value) for value in tau[1:]]),
            (PageColumn(f"Of the best {count(top)}"), [count(n) for n in overlap.tolist()[1:]]),
        ]
        return [PageTable.of_columns(f"In common with {readable(first)}.", columns)]

    def __repr__(self) -> str:
        return f"AggregationComparison({', '.join(self.methods)}; {len(self.names)} items)"


def item_columns(frame: pd.DataFrame) -> list[tuple[PageColumn, Sequence[str]]]:
    """The columns of a table of items: value, p-values, and places in the lists if they are known."""
    statistic = frame["statistic"]
    chance = not P_VALUES.keys().isdisjoint(frame) and bool(statistic.between(0, 1).all())
    columns: list[tuple[PageColumn, Sequence[str]]] = [
        (PageColumn("Rank"), ranks(frame["rank"])),
        (PageColumn("Item", numeric=False), [str(name) for name in frame.index]),
        (PageColumn("Statistic"), (probabilities if chance else numbers)(statistic)),
    ]
    for key, title in P_VALUES.items():
        if key in frame:
            columns.append((PageColumn(title), probabilities(frame[key])))
    if "n_lists" in frame:
        columns.append((PageColumn("In lists"), [count(n) for n in frame["n_lists"].tolist()]))
    for key, title in (("best_rank", "Best rank"), ("median_rank", "Median rank")):
        if key in frame:
            columns.append((PageColumn(title), ranks(frame[key])))
    return columns


def _span(values: NDArray[Any]) -> str:
    low, high = int(values.min()), int(values.max())
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _spearman(ranks_in_list: Floats, consensus: Floats) -> float:
    left, right = (rank_scores(-values) for values in (ranks_in_list, consensus))
    left, right = left - left.mean(), right - right.mean()
    length = float(np.sqrt((left @ left) * (right @ right)))
    return float(left @ right) / length if length > 0 else float("nan")
