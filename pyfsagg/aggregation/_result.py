"""What an aggregation leaves behind, with its permutation test and other methods beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import kendalltau

from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.selection import size_of_share
from pyfsagg._base.words import plural, ranks, titled
from pyfsagg._run.result import Arrays, Result, Saved, records
from pyfsagg._table.identity import versions
from pyfsagg.aggregation.description import describe_items, describe_lists
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import RankTable, about_ties, tie_sizes

__all__ = ["INDEPENDENCE", "Aggregation", "Comparison", "PermutationTest"]

FloatArray = NDArray[np.float64]
INDEPENDENCE = (
    "The p-values suppose that the lists are independent of one another. Lists that come from one "
    "data set (bootstraps or subsamples of it, several methods on the same samples) are not: such "
    "p-values are far too small, and serve for ordering only."
)
SMALL = 0.05
"""Adjusted p-values up to here are counted."""
VALUES = ("scores", "statistic", "ranking", "p_values", "log10_p_values", "adjusted_p_values")
PERMUTED = ("scores", "p_values", "adjusted_p_values", "family_wise_p_values")


@dataclass(frozen=True, eq=False, repr=False)
class Aggregation(Result):
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
        1 = most important; equal scores share the average of their ranks.
    log10_p_values : ndarray (p,) or None
        Decimal logarithms of the p-values: finite where a p-value is 0, that is, below 1e-308.
    p_values, adjusted_p_values : ndarray (p,) or None
        For methods with a null distribution; `adjust` names the correction across items.
    method, higher_is_better, n_lists, adjust
    n_tests : int
        Number of items over which p-values are adjusted: the universe of the lists; items that
        no list holds have p = 1.  With universes of different sizes the largest one counts.
    remarks : tuple of str
        Remarks on the p-values, for instance on ties.
    parameters, data, versions : dict
        Settings, lists and software versions.
    table : RankTable or None
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

    The p-values assume that the lists are independent.  Lists that come from bootstraps of one
    data set are not: such p-values are far too small, and only their order is meaningful.
    :func:`pyfsagg.aggregation.permutation_p_values` keeps the dependence.
    """

    kind: ClassVar[str] = "aggregation"
    noun: ClassVar[str] = "aggregation"
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10, "adjusted": True})

    names: tuple[str, ...]
    scores: FloatArray
    statistic: FloatArray
    ranking: FloatArray
    p_values: FloatArray | None
    adjusted_p_values: FloatArray | None
    method: str
    higher_is_better: bool
    n_lists: int
    adjust: str
    n_tests: int
    remarks: tuple[str, ...] = ()
    log10_p_values: FloatArray | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)
    table: RankTable | None = None
    permutation: PermutationTest | None = None
    others: tuple[Aggregation, ...] = ()

    @property
    def adjustment(self) -> str | None:
        """A sentence on the number of items over which p-values are adjusted; None without p-values."""
        if self.p_values is None:
            return None
        held = len(self.names)
        if self.n_tests == held:
            return f"The p-values are adjusted over the {held:,} items that the lists hold."
        return (
            f"The p-values are adjusted over all {self.n_tests:,} items that could have been "
            f"listed; the {self.n_tests - held:,} that no list holds count with p = 1."
        )

    def answer(self, adjusted: bool = True) -> list[str]:
        """How many items have a small adjusted p-value, and whether that is over the right number of items.

        Empty without p-values; the first sentence is left out without `adjusted` ones.
        """
        if self.p_values is None or self.adjusted_p_values is None:
            return []
        small = int((self.adjusted_p_values <= SMALL).sum())
        has = "has" if small == 1 else "have"
        told = [
            f"{small:,} of {plural(len(self.names), 'item')} {has} an adjusted p-value of at most {SMALL}."
        ]
        table = self.table
        # A list that holds all of them shows that there are no more.
        cut_off = table is not None and not table.full and bool(table.missing.any(axis=1).all())
        if not cut_off or bool((self.given_table().sizes != len(self.names)).any()):
            return told if adjusted else []
        universe = (
            f"The universe is taken to be the {len(self.names):,} items that some list holds. If the lists "
            "were chosen from more items, such as all genes of a screen, give their number (universe): "
            "without it the p-values are too large, often by far, also those that are adjusted."
        )
        return [*(told if adjusted else []), universe]

    @property
    def pool(self) -> str | None:
        """A sentence on items that no list holds, which every p-value takes for possible ones, or None."""
        held = len(self.names)
        if self.p_values is None or self.n_tests == held:
            return None
        return (
            f"The p-values suppose that each list could have held any of {self.n_tests:,} items. If the "
            "lists come from fewer items, such as the genes that were measured in all studies, these are "
            "in several lists by chance, and the p-values are far too small."
        )

    def about_p_values(self, adjusted: bool) -> list[str]:
        """What belongs to the p-values, `adjusted` ones among them or not, or why there are none."""
        said = (self.adjustment if adjusted else None, self.pool)
        return [*(each for each in said if each), *self.remarks]

    def order(self) -> NDArray[np.intp]:
        """Positions of the items, best first; ties in the order of the table."""
        return np.argsort(-self.scores, kind="stable")

    def select(self, n_or_fraction: int | float) -> list[str]:
        """Names of the best items, best first; ties in the order of the table.

        Parameters
        ----------
        n_or_fraction : int or float
            How many (int), or which share of all, in (0, 1] (float; rounded up).

        Raises
        ------
        ParameterError
            For a number above p, or a share outside (0, 1].
        """
        p = len(self.names)
        if isinstance(n_or_fraction, (float, np.floating)):
            share = check_real("n_or_fraction", n_or_fraction, low=0.0, high=1.0, low_open=True)
            n = size_of_share(share, p)
        else:
            n = check_integer("n_or_fraction", n_or_fraction, low=1, high=p)
        return [self.names[j] for j in self.order()[:n]]

    def about_ties(self, top: int | None = None) -> str:
        """Number of items with equal scores, and whether ties decide the best `top`.

        Empty without ties.  :meth:`select` breaks ties by the order of the table.
        """
        return about_ties(self.scores, top, "items")

    def to_frame(self) -> pd.DataFrame:
        """One row per item, best first: ranking, score, statistic, and p-values if any.

        ``tied`` is the number of items with this score (1: no tie).
        """
        columns: dict[str, Any] = {
            "ranking": self.ranking,
            "score": self.scores,
            "statistic": self.statistic,
            "tied": tie_sizes(self.scores),
        }
        if self.p_values is not None and self.adjusted_p_values is not None:
            columns["p_value"] = self.p_values
            if self.log10_p_values is not None:
                columns["log10_p_value"] = self.log10_p_values
            columns["adjusted_p_value"] = self.adjusted_p_values
        frame = pd.DataFrame(columns, index=pd.Index(self.names, name="name"))
        return frame.iloc[self.order()]

    @property
    def comparison(self) -> Comparison | None:
        """This aggregation and the others; None if there are no others."""
        return Comparison((self, *self.others), self.parameters) if self.others else None

    def given_table(self) -> RankTable:
        """The lists.

        Raises
        ------
        DataError
            If they were not kept.
        """
        if self.table is None:
            raise DataError("this aggregation does not hold its lists; aggregate() keeps them")
        return self.table

    def items(self, *, adjusted: bool = True) -> pd.DataFrame:
        """One row per item, best first, with its ranks in the lists and all its p-values."""
        frame = describe_items(self.given_table(), self, self.permutation)
        left_out = [] if adjusted else [name for name in frame.columns if "adjusted" in str(name)]
        return frame.drop(columns=left_out)

    def lists(self, top: int = 10) -> pd.DataFrame:
        """One row per list: its length, and its agreement with the result."""
        return describe_lists(self.given_table(), self, top)

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    @property
    def settings(self) -> dict[str, Any]:
        """What is single-valued."""
        return {
            "method": self.method,
            "higher_is_better": self.higher_is_better,
            "n_lists": self.n_lists,
            "adjust": None if self.p_values is None else self.adjust,
            "n_tests": None if self.p_values is None else self.n_tests,
            "remarks": list(self.remarks),
        }

    def value_arrays(self, suffix: str = "") -> dict[str, FloatArray]:
        """The values of the items, by name."""
        named = {name: getattr(self, name) for name in VALUES}
        return {name + suffix: array for name, array in named.items() if array is not None}

    @classmethod
    def of_arrays(
        cls,
        names: tuple[str, ...],
        settings: Mapping[str, Any],
        arrays: Arrays,
        suffix: str = "",
        **more: Any,
    ) -> Self:
        """An aggregation of its :attr:`settings` and :meth:`value_arrays`."""
        own = {name: settings[name] for name in ("method", "higher_is_better", "n_lists")}
        values: dict[str, Any] = {name: arrays.get(name + suffix) for name in VALUES}
        return cls(
            names,
            **values,
            **own,
            adjust=settings["adjust"] or "bh",
            n_tests=settings["n_tests"] or len(names),
            remarks=tuple(settings["remarks"]),
            **more,
        )

    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        record: dict[str, Any] = {**self.settings, "names": list(self.names)}
        record["ties"] = self.about_ties(min(view["top"], len(self.names)))
        if self.table is None:
            return {**record, "items": records(self.to_frame().reset_index())}
        top = min(view["top"], len(self.names))
        record["items"] = records(self.items(adjusted=view["adjusted"]).reset_index())
        record["lists"] = records(self.lists(top).reset_index())
        record["table"] = {
            "full": self.table.full,
            "ties": self.table.ties,
            "random_state": self.table.random_state,
        }
        if self.comparison is not None:
            record["comparison"] = self.comparison.agreement(top)
            record["others"] = [other.settings for other in self.others]
        if self.permutation is not None:
            fields = asdict(self.permutation)
            record["permutation"] = {
                name: fields[name] for name in fields if name not in ("names", *PERMUTED)
            }
        if self.p_values is not None:
            record["note"] = INDEPENDENCE
            record["answer"] = self.answer(view["adjusted"])
            record["adjustment"] = self.adjustment if view["adjusted"] else None
            record["pool"] = self.pool
            record["adjusted_over"] = self.n_tests if view["adjusted"] else None
        return record

    def arrays(self) -> dict[str, FloatArray]:
        arrays = self.value_arrays()
        for i, other in enumerate(self.others, start=1):
            arrays |= other.value_arrays(f"_{i}")
        if self.permutation is not None:
            arrays |= {f"permutation_{name}": getattr(self.permutation, name) for name in PERMUTED}
        if self.table is not None:
            # Ties that were broken at random are kept as they fell.
            drawn = self.table.ties == "random"
            parts = {
                "sizes": self.table.sizes,
                "scores": self.table.scores,
                "weights": self.table.weights,
                "ranks": self.table.ranks if drawn else self.table.given_ranks,
            }
            arrays |= {f"table_{name}": part for name, part in parts.items() if part is not None}
        return arrays

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        if self.table is None:
            return {"aggregation.csv": self.to_frame()}
        tables = {"aggregation.csv": self.items(adjusted=view["adjusted"])}
        if self.comparison is not None:
            tables["comparison.csv"] = self.comparison.to_frame()
        return tables

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document, arrays = saved.document, saved.arrays
        names = tuple(document["names"])
        table = permutation = None
        if "table" in document:
            table = RankTable(
                names,
                tuple(each["list"] for each in document["lists"]),
                arrays.get("table_scores"),
                arrays["table_sizes"],
                given_ranks=arrays.get("table_ranks"),
                weights=arrays.get("table_weights"),
                **document["table"],
            )
        if "permutation" in document:
            permuted: dict[str, Any] = {name: arrays[f"permutation_{name}"] for name in PERMUTED}
            permutation = PermutationTest(names, **permuted, **document["permutation"])
        return cls.of_arrays(
            names,
            document,
            arrays,
            parameters=document["parameters"],
            data=document["data"],
            versions=document["versions"],
            table=table,
            permutation=permutation,
            others=tuple(
                cls.of_arrays(names, settings, arrays, f"_{i}")
                for i, settings in enumerate(document.get("others", ()), start=1)
            ),
        )

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        lines = ["result.to_frame()"]
        if self.permutation is not None and self.permutation.call:
            lines += ["", *Call.from_record(self.permutation.call).lines(result="test")]
        if self.others and "compared" in self.parameters:
            top = min(view["top"], len(self.names))
            lines += ["", *Call.from_record(self.parameters["compared"]).lines(result="comparison")]
            lines += [f"comparison.kendall(), comparison.overlap({top})"]
        return lines

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        top = min(view["top"], len(self.names))
        frame = self.to_frame() if self.table is None else self.items(adjusted=view["adjusted"])
        best = frame.head(top)
        columns = {
            "rank": ranks(best["ranking"]),
            "statistic": [f"{value:.5g}" for value in best["statistic"]],
        }
        for key, title in (
            ("p_value", "p-value"),
            ("adjusted_p_value", "adjusted p"),
            ("permutation_p_value", "permutation p"),
            ("permutation_family_wise_p_value", "family-wise"),
        ):
            if key in best:
                columns[title] = [f"{value:.2g}" for value in best[key]]
        if self.table is not None:
            held = best["n_lists"].tolist()
            columns["in lists"] = [f"{value} of {self.n_lists}" for value in held]
            columns["median rank"] = ranks(best["median_rank"])
        table = pd.DataFrame(columns, index=[_printable(name) for name in best.index]).to_string()
        comparison = self.comparison
        return [
            f"{titled(self.method)} of {plural(self.n_lists, 'list')}, "
            f"{plural(len(self.names), 'item')}",
            *(textwrap.fill(each, 88) for each in self.answer(view["adjusted"])),
            f"The best {top}:\n{table}",
            *([textwrap.fill(ties, 88)] if (ties := self.about_ties(top)) else []),
            *([] if comparison is None else comparison.paragraphs({"top": top})),
            *(
                textwrap.fill(text, 88)
                for text in (
                    *self.about_p_values(view["adjusted"]),
                    *([] if self.p_values is None else [INDEPENDENCE]),
                )
            ),
        ]

    def __repr__(self) -> str:
        best = ", ".join(self.names[j] for j in self.order()[:3])
        more = ", …" if len(self.names) > 3 else ""
        return (
            f"Aggregation({self.method}: {len(self.names)} items from {self.n_lists} list(s); "
            f"best first: {best}{more})"
        )


@dataclass(frozen=True, eq=False)
class PermutationTest:
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
    scores: FloatArray
    p_values: FloatArray
    adjusted_p_values: FloatArray
    family_wise_p_values: FloatArray
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
            index=pd.Index(self.names, name="name"),
        )
        return frame.iloc[np.argsort(-self.scores, kind="stable")]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
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

    kind: ClassVar[str] = "method_comparison"
    noun: ClassVar[str] = "comparison"
    options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10})

    results: tuple[Aggregation, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the aggregators."""
        return tuple(result.method for result in self.results)

    @property
    def names(self) -> tuple[str, ...]:
        """The p items, in the order of the table."""
        return self.results[0].names

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """Place (t, p) of each item by each aggregator, 1 to p; ties in the order of the table."""
        places = np.empty((len(self.results), len(self.names)), dtype=np.intp)
        for row, result in zip(places, self.results, strict=True):
            row[result.order()] = np.arange(1, len(row) + 1)
        return places

    @cached_property
    def _kendall(self) -> FloatArray:
        scores = [result.scores for result in self.results]
        values = np.eye(len(scores))
        for i, j in zip(*np.triu_indices(len(scores), 1), strict=True):
            values[i, j] = values[j, i] = kendalltau(scores[i], scores[j]).statistic
        return values

    def kendall(self) -> pd.DataFrame:
        """Kendall's tau-b between the rankings of two aggregators, (t, t).

        1 = same ranking, 0 = no relation, −1 = reversed; NaN where an aggregator ties all items.

        Examples
        --------
        >>> from pyfsagg.aggregation import compare_methods
        >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
        >>> float(compare_methods(lists, ["mean_rank", "borda"]).kendall().iloc[0, 1])
        1.0
        """
        return pd.DataFrame(self._kendall, index=self.methods, columns=self.methods)

    def overlap(self, k: int) -> pd.DataFrame:
        """How many items two aggregators have in common among their best `k`, (t, t).

        Ties at the cut are broken by the order of the table.

        Raises
        ------
        ParameterError
            If `k` is not from 1 to the number of items.

        Examples
        --------
        >>> from pyfsagg.aggregation import compare_methods
        >>> lists = [["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]]
        >>> int(compare_methods(lists, ["mean_rank", "borda"]).overlap(2).iloc[0, 1])
        2
        """
        k = check_integer("k", k, low=1, high=len(self.names))
        best = (self.places <= k).astype(np.intp)
        return pd.DataFrame(best @ best.T, index=self.methods, columns=self.methods)

    def to_frame(self) -> pd.DataFrame:
        """Rank of each item by each aggregator, ties averaged; in the order of the first one."""
        frame = pd.DataFrame(
            {result.method: result.ranking for result in self.results},
            index=pd.Index(self.names, name="name"),
        )
        return frame.iloc[self.results[0].order()]

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

    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **self.agreement(view["top"]),
            "names": list(self.names),
            "results": [result.settings for result in self.results],
        }

    def arrays(self) -> dict[str, FloatArray]:
        return {
            name: array
            for i, result in enumerate(self.results)
            for name, array in result.value_arrays(f"_{i}").items()
        }

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"comparison.csv": self.to_frame()}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document = saved.document
        results = tuple(
            Aggregation.of_arrays(tuple(document["names"]), settings, saved.arrays, f"_{i}")
            for i, settings in enumerate(document["results"])
        )
        return cls(results, document["parameters"], document["data"], document["versions"])

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        """The other methods beside the first one."""
        first, top = self.methods[0], min(view["top"], len(self.names))
        frame = pd.DataFrame(
            {
                "Kendall tau-b": [f"{value:.3f}" for value in self.kendall()[first]],
                f"of the best {top}": self.overlap(top)[first].tolist(),
            },
            index=list(self.methods),
        )
        return [f"In common with {first}:\n{frame.iloc[1:].to_string()}"]

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.methods)}; {len(self.names)} items)"


def _printable(name: object) -> str:
    """A name that cannot steer the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in str(name))
