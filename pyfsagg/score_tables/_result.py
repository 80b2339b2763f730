"""Standings: sets of places, pairs, groups, and what data sets and holes could change."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import (
    Booleans,
    Floats,
    adjust_p_values,
    content_order,
    levelled,
)
from pyfsagg._base.fields import plain, stored
from pyfsagg._base.validation import check_integer
from pyfsagg._base.words import count, enumerate_names, number, numbers, plural
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.result import Recorded, records
from pyfsagg.exceptions import DataError
from pyfsagg.score_tables import _tests as tests
from pyfsagg.statistics import RankConfidence, friedman, rank_confidence
from pyfsagg.statistics._base import p_text, significance_level

WAYS, TESTS = ("mean", "rank"), ("t", "wilcoxon", "signs")
FEWEST = 8
"""Fewest data sets for statements about others (chosen; levels: calibration, topic standings)."""

MANY_DRAWS = 100  # chosen: degrees of freedom above which standard errors are treated as known
MOST_LEFT_OUT = 2_000  # data sets up to which each is omitted in turn; of more none alone decides
ASKED = {
    "datasets": "data sets like these (the data sets are the sample)",
    "replicates": "these data sets, with other instances, folds or seeds (the replicates are the sample)",
    "folds": "other tables of this kind and size (the folds are the sample; the correction allows for "
    "common rows)",
}
"""The populations that are kept apart; of folds of the same rows it is another one than of replicates."""

NAMES = {
    "t": "paired t tests",
    "wilcoxon": "Wilcoxon’s signed-rank tests",
    "signs": "exact tests by all signs of the differences",
    "replicates": "t tests of the replicates",
    "folds": "corrected t tests of the folds",
}


def percent(level: float) -> str:
    """A level in words."""
    return f"{100 * level:.3g} %"


def spans(
    frame: pd.DataFrame, known: bool, low: str = "lower_all", high: str = "upper_all"
) -> list[str]:
    """Sets of places as texts."""
    return [
        "–" if not known or np.isnan(a) else f"{a:.0f}" if a == b else f"{a:.0f} to {b:.0f}"
        for a, b in zip(frame[low], frame[high], strict=True)
    ]


@dataclass(frozen=True, eq=False, repr=False)
class Standings(Recorded):
    """Standings of p methods on T data sets.

    Attributes
    ----------
    methods, datasets : tuple of str
    cells : ndarray (T, p)
        Mean score of each cell; NaN for a hole.
    replicates : ndarray of int (T, p)
    within : ndarray (p, p) or None
        Covariance of the means from the replicates of the cells.
    df : float
        Degrees of freedom of `within`; NaN without it.
    higher_is_better, by, test, rope, confidence_level, test_train_ratio
        As in :func:`pyfsagg.standings`.
    what : str
        What was compared, if a result of this package was.
    remarks : tuple of str
        What the reader should know of the scores.
    unanswered : str
        Why the replicates allow no conclusions: they depend on each other in unknown ways.
    parameters, data, versions : dict
        Settings of the call, data and software versions.

    See Also
    --------
    pyfsagg.standings : Makes one.

    Notes
    -----
    Shown with `top`, how many of the first methods (10 by default).  Pictures: ``"places"``, ``"ranks"`` (the
    critical-difference diagram), ``"pairs"``.
    """

    _kind: ClassVar[str] = "standings"
    _noun: ClassVar[str] = "standings"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10})

    methods: tuple[str, ...] = field(metadata=stored(array=True))
    datasets: tuple[str, ...] = field(metadata=stored(array=True))
    cells: Floats
    replicates: NDArray[np.int64]
    within: Floats | None
    df: float
    paired: bool
    higher_is_better: bool
    by: str
    test: str
    confidence_level: float
    random_state: int
    rope: float | None = None
    test_train_ratio: float = 0.0
    what: str = ""
    remarks: tuple[str, ...] = ()
    unanswered: str = ""

    @cached_property
    def _holes(self) -> int:
        return int(np.isnan(self.cells).sum())

    @cached_property
    def _rows(self) -> Floats:
        """The cells in an order of the data sets that depends on their scores alone."""
        return self.cells[content_order(self.cells)]

    @cached_property
    def _means(self) -> Floats:
        return tests.additive_means(self._rows)

    @cached_property
    def _ranks(self) -> Floats:
        """Ranks within data sets (T, p), of a data set with holes as if it had all methods."""
        ranks = tests.ranks_within(self._rows, self.higher_is_better)
        size = (~np.isnan(ranks)).sum(axis=1, keepdims=True)
        return np.asarray((ranks - 0.5) / size * len(self.methods) + 0.5)

    @cached_property
    def _average_ranks(self) -> Floats:
        error = len(self._ranks) * np.finfo(np.float64).eps * len(self.methods)
        return levelled(np.nanmean(self._ranks, axis=0), error)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Place of each method (p,), 1 = best; equal ones share the best place."""
        if self.by == "rank":
            return tests.place_of(self._average_ranks, False)
        return tests.place_of(self._means, self.higher_is_better)

    @property
    def _order(self) -> NDArray[np.intp]:
        return np.argsort(self._places, kind="stable")

    @cached_property
    def _answers(self) -> dict[str, RankConfidence | str]:
        """The sets of each population, or why there are none."""
        return {"datasets": self._on_datasets(), "replicates": self._on_replicates()}

    def _on_datasets(self) -> RankConfidence | str:
        """Sets over data sets; with holes from pairs, each on its common data sets, one-sided by Holm."""
        T, p, level = len(self.datasets), len(self.methods), self.confidence_level
        if T < FEWEST:
            few = f"{plural(T, 'data set')} {'is' if T == 1 else 'are'} too few"
            return f"{few} to generalise to others; {FEWEST} are needed"
        table = self._ranks if self.by == "rank" else self._rows
        higher = self.higher_is_better and self.by == "mean"
        if not self._holes:
            how: dict[str, Any] = {"confidence_level": level, "random_state": self.random_state}
            try:
                return rank_confidence(table, names=self.methods, higher_is_better=higher, **how)
            except DataError as problem:
                return str(problem)
        pairs = tests.pairs_on_datasets(
            table, higher_is_better=higher, confidence_level=level, test="t"
        )
        gaps, share = pairs["difference"] * (1 if higher else -1), significance_level(level)
        places = self._places
        alone, together = (
            (np.minimum(1 + above, places), np.maximum(p - below, places))
            for items in (True, False)
            for above, below in [tests.decided_by_pairs(gaps, pairs["p"], p, share, items)]
        )
        estimates = self._average_ranks if self.by == "rank" else self._means
        return RankConfidence(self.methods, estimates, places, *alone, *together, level)

    def _on_replicates(self) -> RankConfidence | str:
        if self.unanswered:
            return self.unanswered
        if self.within is None:
            if int(self.replicates.max()) < 2:
                return "each cell has one score, so its error is unknown"
            return "not every cell has replicates that its data set shares among all methods"
        means, df = self._complete_means, None if self.df >= MANY_DRAWS else self.df
        how: dict[str, Any] = {"names": self.methods, "higher_is_better": self.higher_is_better}
        how |= {"confidence_level": self.confidence_level, "random_state": self.random_state}
        return rank_confidence(means, self.within, df=df, n_draws=2_000, **how)

    @property
    def _complete_means(self) -> Floats:
        """Means over the data sets without a hole."""
        return tests.additive_means(self._rows[~np.isnan(self._rows).any(axis=1)])

    @property
    def _population(self) -> str | None:
        """The population that places, pairs and groups are about; None if there is an answer for none."""
        known = (name for name, sets in self._answers.items() if isinstance(sets, RankConfidence))
        return next(known, None)

    def _asked(self, population: str) -> str:
        """What a population is, in words."""
        return ASKED["folds" if population == "replicates" and self._of_folds else population]

    @property
    def _of_folds(self) -> bool:
        return self.test_train_ratio > 0.0

    @property
    def _test_name(self) -> str:
        """The test of the pairs in words."""
        of_replicates = "folds" if self._of_folds else "replicates"
        return NAMES[self.test if self._population == "datasets" else of_replicates]

    def sets(self, population: str | None = None) -> RankConfidence:
        """Sets of places for other data sets (``"datasets"``) or other replicates (``"replicates"``).

        By default for the first of these that can be answered; a DataError says why one cannot.
        """
        name = population or self._population or "datasets"
        if name not in self._answers:
            raise DataError(f"there are answers for {' and '.join(self._answers)}, got {name!r}")
        sets = self._answers[name]
        if isinstance(sets, str):
            raise DataError(f"there are no sets of places for {self._asked(name)}: {sets}")
        return sets

    @property
    def may_be_first(self) -> list[str]:
        """The methods that may be the best, the highest place first; all where nothing is known."""
        known = self._population is not None
        return [self.methods[j] for j in self._order if not known or self.sets().lower_all[j] == 1]

    def to_frame(self) -> pd.DataFrame:
        """One row per method, best first.

        Columns: ``place``; ``lower`` and ``upper`` of its own set and ``lower_all`` and ``upper_all`` of the
        sets of all methods together (missing without an answer); ``mean`` (fitted if there are holes),
        ``average_rank``, the places by both, ``n_datasets``, and with holes the ``best`` and the
        ``worst`` place that filling them could give.
        """
        p = len(self.methods)
        columns: dict[str, Any] = {"place": self._places}
        for name in ("lower", "upper", "lower_all", "upper_all"):
            known = self._population is not None
            columns[name] = getattr(self.sets(), name) if known else np.full(p, np.nan)
        columns |= {
            "mean": self._means,
            "average_rank": self._average_ranks,
            "place_by_mean": tests.place_of(self._means, self.higher_is_better),
            "place_by_rank": tests.place_of(self._average_ranks, False),
            "n_datasets": (~np.isnan(self.cells)).sum(axis=0),
        }
        if self._holes:
            columns["best"], columns["worst"] = tests.places_with_holes(
                self.cells, self.higher_is_better
            )
        return pd.DataFrame(columns, index=pd.Index(self.methods, name="method")).iloc[self._order]

    @cached_property
    def _pairs(self) -> dict[str, Any]:
        i, j = np.triu_indices(len(self.methods), 1)
        names = np.array(self.methods, dtype=object)
        if self._population == "replicates" and self.within is not None:
            found = tests.pairs_within(
                self._complete_means, self.within, self.df, self.confidence_level
            )
        else:
            found = tests.pairs_on_datasets(
                self._rows,
                higher_is_better=self.higher_is_better,
                confidence_level=self.confidence_level,
                test=self.test,
            )
            if self._population is None:  # what cannot be tested has no interval either
                unknown = ("p", "lower", "upper", "superiority_lower", "superiority_upper")
                found |= dict.fromkeys(unknown, np.full(i.size, np.nan))
        if self.rope is not None:
            found |= tests.posterior(found, self.rope)
        adjusted = adjust_p_values(found["p"], "holm")
        apart = adjusted <= significance_level(self.confidence_level)
        of_pair = {"method1": names[i], "method2": names[j]}
        return {**of_pair, **found, "p_adjusted": adjusted, "apart": apart}

    def pairs(self) -> pd.DataFrame:
        """One row per pair of methods, the smallest p-value first.

        Columns: the ``difference`` of means (first − second) with its own interval, Student's ``t``, ``p``
        of the chosen test, ``p_adjusted`` (Holm) and ``apart``, whether the pair can be distinguished.  Over
        data sets also ``n``, how many both have, ``wins``, ``ties`` and ``losses`` of the first, and its
        ``superiority``: how often it is better, ties as halves, with Wilson's interval.  With a `rope` also
        ``p_below``, ``p_equivalent`` and ``p_above``, probabilities of where the difference is.
        """
        return pd.DataFrame(self._pairs).sort_values("p", kind="stable", ignore_index=True)

    @cached_property
    def _separate(self) -> Booleans:
        """Whether two methods can be distinguished, in the order of the places (p, p)."""
        p = len(self.methods)
        apart = np.zeros((p, p), dtype=bool)
        i, j = np.triu_indices(p, 1)
        apart[i, j] = apart[j, i] = self._pairs["apart"]
        return np.asarray(apart[np.ix_(self._order, self._order)])

    def cliques(self) -> list[list[str]]:
        """The largest sets of neighbours without a significant difference, best first; they may overlap."""
        names, p = [self.methods[j] for j in self._order], len(self.methods)
        # From which place on nobody can be distinguished from the next, or from each other.
        before = np.where(np.triu(self._separate, 1), np.arange(1, p + 1)[:, None], 0).max(axis=0)
        starts = np.maximum.accumulate(before)
        ends = np.flatnonzero(np.append(np.diff(starts) > 0, True))
        return [names[starts[j] : j + 1] for j in ends]

    def tiers(self) -> list[list[str]]:
        """Classes, best first: every method of one can be distinguished from every method of the others."""
        names, p = [self.methods[j] for j in self._order], len(self.methods)
        last = p - 1 - np.argmax(~self._separate[:, ::-1], axis=1)  # that is not distinguished
        ends = np.flatnonzero(np.maximum.accumulate(last) == np.arange(p)) + 1
        return [names[a:b] for a, b in itertools.pairwise([0, *ends])]

    @cached_property
    def _global_test(self) -> tests.GlobalTest | None:
        """Whether all methods could be equal; None if it cannot be tested."""
        ranks = tests.ranks_within(self._rows, self.higher_is_better)
        if self._holes:
            return tests.skillings_mack(ranks)
        if len(self.datasets) < 3 or bool((ranks == ranks[:, :1]).all()):
            return None
        if (exact := tests.friedman_exact(ranks)) is not None:
            return exact
        found = friedman(pd.DataFrame(self._rows), higher_is_better=self.higher_is_better)
        name = "Friedman’s test (Iman and Davenport’s F)"
        return tests.GlobalTest(name, found.f, found.f_df[0], found.f_p_value)

    def without_each(self) -> pd.DataFrame:
        """One row per data set: what the standings by mean would be without it.

        ``first`` is the best method then, and ``swaps`` counts the pairs of methods whose order changes; both
        are missing where the methods could not be compared without the data set.
        """
        T = len(self.datasets)
        if not 3 <= T <= MOST_LEFT_OUT:
            raise DataError(
                f"each data set is omitted in turn for 3 to {MOST_LEFT_OUT:,} data sets, and there are {T:,}"
            )
        swaps, first = tests.without_each(self.cells, self.higher_is_better)
        names = [self.methods[j] if j >= 0 else "" for j in first]
        counts = pd.Series(swaps).astype("Int64").where(pd.Series(swaps >= 0)).array
        values = {"first": names, "swaps": counts}
        frame = pd.DataFrame(values, index=pd.Index(self.datasets, name="dataset"))
        return frame.sort_values("swaps", ascending=False, kind="stable")

    def _told(self) -> list[str]:
        """The answer and what it rests on, in sentences, without tables and remarks."""
        texts = [*self._first(), *filter(None, [self._told_apart()]), *self._populations()]
        if not self._holes:
            return texts
        best, worst = tests.places_with_holes(self.cells, self.higher_is_better)
        moved, leaders = int((best < worst).sum()), int((best == 1).sum())
        who = f"{leaders} could be the first" if leaders > 1 else "the first would stay the same"
        change = "no mean would change its place."
        if moved:
            change = f"{plural(moved, 'method')} could have another place, and {who}."
        text = (
            f"{count(self._holes)} of {plural(self.cells.size, 'score')} are missing. Pairs are "
            "compared on their common data sets, and means are fitted. "
            f"If they were as good or as bad as any result on these data sets, {change}"
        )
        return [*texts, text]

    def methods_text(self) -> str:
        """A paragraph for the methods section of a paper."""
        p, T = len(self.methods), len(self.datasets)
        way = "average rank" if self.by == "rank" else "mean score"
        level = percent(self.confidence_level)
        parts = [f"We compared {plural(p, 'method')} on {plural(T, 'data set')} by their {way}."]
        if self._holes:
            parts.append(
                f"{count(self._holes)} of {count(p * T)} results were missing; means were fitted by an "
                "additive model of methods and data sets, and pairs compared on their common data sets."
            )
        if self._population is not None:
            how = (
                "were made by step-down sign flips over data sets, with wider limits for small tables whose "
                "errors look skewed (Mogstad et al. 2024; Romano and Wolf 2005)"
            )
            if self._population == "replicates":
                how = "on these data sets were made from the errors of the replicates (Mogstad et al. 2024)"
            elif self._holes:
                how = "were made from one-sided paired t tests with Holm’s correction"
            parts += [
                f"Simultaneous {level} confidence sets for the places {how}.",
                f"Pairs were compared by {self._test_name} with Holm’s correction at the "
                f"{100 * significance_level(self.confidence_level):.3g} % level.",
            ]
        version = self.versions.get("pyfsagg", "")
        return " ".join([*parts, f"Computed with pyfsagg {version}.".replace(" .", ".")])

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        top = check_integer("top", view["top"], low=1)
        facts: list[Block] = [Text(text) for text in self._told()]
        facts.insert(len(self._first()), self._table(top))
        compared = [f"Compared: {self.what}."] if self.what else []
        return [*facts, *(Text(text, quiet=True) for text in (*compared, *self.remarks))]

    def _first(self, *, brief: bool = False) -> list[str]:
        """The answer: how many places are certain, and which methods may be first; `brief`: without the
        population."""
        p, first = len(self.methods), self.may_be_first
        if self._population is None:
            reasons = self.unanswered or "; ".join(map(str, self._answers.values()))
            return [f"No rank of these {plural(p, 'method')} can be established: {reasons}."]
        sets = self.sets()
        single = [self.methods[j] for j in self._order if sets.lower_all[j] == sets.upper_all[j]]
        level = percent(self.confidence_level)
        if len(first) == p:
            who = f"any of the {plural(p, 'method')} may be the first"
        elif len(first) == 1:
            who = f"the first is {first[0]}"
        else:
            who = f"the first is among {plural(len(first), 'method')}: {enumerate_names(first, most=6)}"
        if len(single) in (0, p):
            certain = f"All {p} places are certain" if single else "No place is certain"
        else:
            certain = f"{len(single)} of {p} places {'is' if len(single) == 1 else 'are'} certain"
        named = f" ({enumerate_names(single, most=6)})" if 0 < len(single) < p else ""
        verdict = Markup("<b>{}</b>{}, and {}.").format(certain, named, who)
        about = f"{self._asked(self._population)}, with {level} confidence for all places together"
        return [verdict if brief else verdict + Markup(" This is about {}.").format(about)]

    def _told_apart(self) -> str:
        if self._population is None:
            return ""
        n_apart, n = int(self._pairs["apart"].sum()), len(self._pairs["apart"])
        tiers = self.tiers()
        shown = "No pair" if not n_apart else f"{count(n_apart)} of {plural(n, 'pair')}"
        text = f"{shown} can be distinguished ({self._test_name}, Holm)"
        if not n_apart:
            return f"{text}."
        if len(tiers) == 1:
            return f"{text}; no line can be drawn that divides the methods."
        sizes = " | ".join(enumerate_names(tier, most=4) for tier in tiers[:6])
        more = f" | and {len(tiers) - 6} more" if len(tiers) > 6 else ""
        return f"{text}. They divide the methods into {len(tiers)} classes: {sizes}{more}."

    def _populations(self) -> list[str]:
        """Sentences on the population that the answer does not refer to, and on the global test."""
        texts = []
        alone = len(self.datasets) == 1  # nobody asks one data set about others
        for name, sets in self._answers.items():
            if self._population in (name, None) or (name == "datasets" and alone):
                continue
            if isinstance(sets, str):
                texts.append(f"Nothing is said about {self._asked(name)}: {sets}.")
            else:
                first = [self.methods[j] for j in self._order if sets.lower_all[j] == 1]
                single = int((sets.lower_all == sets.upper_all).sum())
                certain = f"places {'is' if single == 1 else 'are'} certain"
                texts.append(
                    f"About {self._asked(name)}: {single} of {len(self.methods)} {certain}, and the first "
                    f"may be {enumerate_names(first, most=6)}."
                )
        test = self._global_test
        if test is not None and self._population == "datasets":
            texts.append(f"That all methods are equal: {test.name}, {p_text(test.p_value)}.")
        by_mean = tests.place_of(self._means, self.higher_is_better)
        by_rank = tests.place_of(self._average_ranks, False)
        moved = int((by_mean != by_rank).sum())
        if moved and len(self.datasets) > 1:
            others = "has another place" if moved == 1 else "have other places"
            shown = "average rank" if self.by == "rank" else "mean score"
            texts.append(
                f"By mean scores and by average ranks {plural(moved, 'method')} {others}; shown are places "
                f"by {shown}."
            )
        return texts

    def _table(self, top: int) -> PageTable:
        frame = self.to_frame().head(top)
        known = self._population is not None
        columns: list[tuple[PageColumn, list[str]]] = [
            (PageColumn("Method", numeric=False), [str(name) for name in frame.index]),
            (PageColumn("Place"), [str(place) for place in frame["place"]]),
            (PageColumn("Places of all"), spans(frame, known)),
            (PageColumn("Alone"), spans(frame, known, "lower", "upper")),
            (PageColumn("Mean"), numbers(frame["mean"])),
        ]
        if len(self.datasets) > 1:
            ranks = [number(rank, 2) for rank in frame["average_rank"]]
            columns.append((PageColumn("Average rank"), ranks))
            columns.append((PageColumn("Data sets"), [str(n) for n in frame["n_datasets"]]))
        caption = f"The first {plural(len(frame), 'method')} of {count(len(self.methods))}."
        note = (
            "Places of all: together they contain all true places with "
            f"{percent(self.confidence_level)} confidence. Alone: the set of one method that was chosen "
            "beforehand."
        )
        return PageTable.of_columns(caption, columns, note if known else "")

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        test = self._global_test
        return {
            **super()._record(view),
            "standings": records(self.to_frame().reset_index()),
            "may_be_first": self.may_be_first,
            "cliques": self.cliques(),
            "tiers": self.tiers(),
            "global_test": test and {k: plain(v) for k, v in test._asdict().items()},
            "methods_text": self.methods_text(),
            "tables": {name: TABLES[name] for name in self._tables(view)},
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        tables = {"standings.csv": self.to_frame(), "pairs.csv": self.pairs()}
        if 3 <= len(self.datasets) <= MOST_LEFT_OUT:
            tables["datasets.csv"] = self.without_each()
        return tables

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f"result.to_frame().head({view['top']})", "result.pairs()"]

    def __repr__(self) -> str:
        return (
            f"Standings({plural(len(self.methods), 'method')}, {plural(len(self.datasets), 'data set')}; "
            f"may be first: {enumerate_names(self.may_be_first, most=3)})"
        )


TABLES = {
    "standings.csv": "every method",
    "pairs.csv": "every pair of methods",
    "datasets.csv": "the standings without each data set",
}
