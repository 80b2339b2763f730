"""Standings by several metrics, and how they agree."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup
from scipy import stats

from pyfsagg._base.fields import stored
from pyfsagg._base.validation import check_integer
from pyfsagg._base.words import count, enumerate_names, number, plural
from pyfsagg._report.page import Block, PageColumn, PageTable, Text, heads
from pyfsagg._run.result import Recorded, records
from pyfsagg.score_tables._result import Standings, percent, spans

MADE = ("parameters", "data", "versions")


@dataclass(frozen=True, eq=False, repr=False)
class MetricStandings(Recorded):
    """Standings of the same methods by several metrics.

    Attributes
    ----------
    metrics : tuple of str
    of : tuple of Standings
        By each metric, at a level that keeps `confidence_level` for all together.
    confidence_level : float
        Simultaneous level of the sets of all metrics, and likewise of all significant pairs.
    parameters, data, versions : dict
        Settings of the call, data and software versions.

    See Also
    --------
    pyfsagg.standings : Makes one.

    Notes
    -----
    Shown with `top`, how many of the first methods by the first metric (10 by default).  Pictures: those of
    :class:`Standings`, with the name of a `metric` (the first by default).
    """

    _kind: ClassVar[str] = "metric_standings"
    _noun: ClassVar[str] = "standings"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10})

    metrics: tuple[str, ...]
    of: tuple[Standings, ...] = field(metadata=stored(names="{part}_{}", without=MADE))
    confidence_level: float

    def by(self, metric: str) -> Standings:
        """The standings by one metric."""
        return dict(zip(self.metrics, self.of, strict=True))[metric]

    @property
    def may_be_first(self) -> list[str]:
        """The methods that may be the first by every metric, in the order of the first one."""
        first, *others = (one.may_be_first for one in self.of)
        return [name for name in first if all(name in other for other in others)]

    def to_frame(self) -> pd.DataFrame:
        """One row per metric and method, as :meth:`Standings.to_frame` has it, with a column ``metric``."""
        return self._joined({name: one.to_frame().reset_index() for name, one in self._items()})

    def pairs(self) -> pd.DataFrame:
        """One row per metric and pair of methods, as :meth:`Standings.pairs` has it."""
        return self._joined({name: one.pairs() for name, one in self._items()})

    def agreement(self) -> pd.DataFrame:
        """One row per pair of metrics: how far the places agree.

        Columns: ``metric1``, ``metric2``; ``tau``, Kendall's tau-b of the places of the methods that both
        have; and of their pairs ``same`` and ``opposite``, told apart by both metrics in the same and in
        opposite directions, ``one``, told apart by one metric alone, and ``neither``.
        """
        rows = []
        for (first, a), (second, b) in itertools.combinations(self._items(), 2):
            places = pd.concat([a.to_frame()["place"], b.to_frame()["place"]], axis=1).dropna()
            i, j = _decided(a, places.index), _decided(b, places.index)
            above = np.triu_indices(len(places), 1)
            products, sizes = (i * j)[above], (np.abs(i) + np.abs(j))[above]
            tau = stats.kendalltau(*places.to_numpy().T).statistic if len(places) > 1 else np.nan
            pairs = {"same": products > 0, "opposite": products < 0, "one": sizes == 1}
            pairs["neither"] = sizes == 0
            counts = {name: int(which.sum()) for name, which in pairs.items()}
            rows.append({"metric1": first, "metric2": second, "tau": float(tau), **counts})
        return pd.DataFrame(rows)

    def methods_text(self) -> str:
        """Paragraphs for the methods section of a paper."""
        share = (
            f"Levels were divided by the {len(self.of)} metrics, so all sets and pairs keep "
            f"{percent(self.confidence_level)} together."
        )
        texts = [f"By {name}: {one.methods_text()}" for name, one in self._items()]
        return "\n\n".join([*texts, share])

    def _items(self) -> list[tuple[str, Standings]]:
        return list(zip(self.metrics, self.of, strict=True))

    def _joined(self, frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        joined = pd.concat(frames, names=["metric", None]).reset_index("metric")
        return joined.reset_index(drop=True)

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        top = check_integer("top", view["top"], low=1)
        agreement = self.agreement()
        against = int(agreement["opposite"].sum())
        n, p, first = len(self.metrics), len(self.of[0].methods), self.may_be_first
        every = "both metrics" if n == 2 else f"all {n} metrics"
        if len(first) == p:
            who = f"Any of the {plural(p, 'method')} may be the first by {every}"
        elif first:
            names = enumerate_names(first, most=6)
            who = f"{len(first)} of {plural(p, 'method')} may be the first by {every}: {names}"
        else:
            who = f"No method may be the first by {every}"
        pairs = f"{plural(against, 'pair')} of methods {'is' if against == 1 else 'are'}"
        conflict = pairs if against else "no pair of methods is"
        conflict += " significantly different in opposite directions by two metrics"
        answer = Markup("<b>{}</b>; {}.").format(who, conflict)
        asked = dict.fromkeys(one._asked(one._population) for one in self.of if one._population)
        if not asked:  # by no metric is there an answer; one reason is told once
            reasons = {name: one._first()[0] for name, one in self._items()}
            told = [f"By {name}: {reason}" for name, reason in reasons.items()]
            if len(set(reasons.values())) == 1:
                told = [*reasons.values()][:1]
            return [*map(Text, told), self._table(top)]
        each = [
            Text(Markup(" ").join([f"By {name}:", *one._first(brief=True), one._told_apart()]))
            for name, one in self._items()
        ]
        level = (
            f"This is about {'; '.join(asked)}. The sets of all metrics hold simultaneously with "
            f"{percent(self.confidence_level)} confidence, and so do all pairs: each metric has "
            f"{percent(self.of[0].confidence_level)}."
        )
        rows = [
            [f"{one} and {other}", number(tau, 2), *map(count, counts)]
            for one, other, tau, *counts in agreement.itertuples(index=False)
        ]
        titles = ("Metrics", "Kendall’s tau", "Same way", "Opposite", "By one", "By neither")
        caption = "Agreement of the metrics: places, and significant pairs of methods."
        alike = PageTable(caption, heads(titles, ["Metrics"]), rows)
        return [Text(answer), self._table(top), alike, *each, Text(level, quiet=True)]

    def _table(self, top: int) -> PageTable:
        frames = [one.to_frame() for one in self.of]
        shown = frames[0].head(top).index
        columns = [(PageColumn("Method", numeric=False), [str(name) for name in shown])]
        for (name, one), frame in zip(self._items(), frames, strict=True):
            part = frame.reindex(shown)
            cells = [number(place, 0) for place in part["place"]]
            if one._population:
                cells = [f"{a} ({b})" for a, b in zip(cells, spans(part, True), strict=True)]
            columns.append((PageColumn(name, sortable=False), cells))
        total = count(len(self.of[0].methods))
        caption = (
            f"Places by each metric, and in brackets the set of places: the first {len(shown)} of {total} "
            f"methods by {self.metrics[0]}."
        )
        return PageTable.of_columns(caption, columns)

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {
            **super()._record(view),
            "standings": records(self.to_frame()),
            "may_be_first": self.may_be_first,
            "agreement": records(self.agreement()),
            "methods_text": self.methods_text(),
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        tables = {"standings.csv": self.to_frame(), "pairs.csv": self.pairs()}
        return {**tables, "agreement.csv": self.agreement()}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.to_frame()", "result.agreement()"]

    def __repr__(self) -> str:
        return f"MetricStandings({', '.join(self.metrics)}; {plural(len(self.of[0].methods), 'method')})"


def _decided(result: Standings, names: pd.Index[str]) -> np.ndarray:
    """1 where the method of the row is better than that of the column, −1 where it is worse, else 0."""
    p = len(result.methods)
    better = np.zeros((p, p))
    i, j = np.triu_indices(p, 1)
    sign = np.sign(result._pairs["difference"]) * (1.0 if result.higher_is_better else -1.0)
    better[i, j] = np.where(result._pairs["apart"], sign, 0.0)
    better -= better.T
    at = pd.Index(result.methods).get_indexer(names)
    return np.asarray(better[np.ix_(at, at)])
