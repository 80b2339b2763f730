"""The result of the Stuart experiment: its tables, what is computed from them, and what follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyfsagg_papers.records import JsonResult
from pyfsagg_papers.statements.data import SMALLER_IS_BETTER
from pyfsagg_papers.stuart.rankings import (
    IN_R,
    RRA_FIRST_LIST,
    STUART_COLUMN_ORDER,
    STUART_FIRST_LIST,
)

# -------------------------------------------------------------------------------------------------
# the tables of the Stuart experiment, and what is computed from them
# -------------------------------------------------------------------------------------------------

TABLE_OF_FILTER = {"information_gain": "4.5", "mrmr": "4.6"}
KINDS = ("nan", "infinite", "negative", "above_one", "right", "wrong")
"""What a value of the recursion can be; see ``values`` below."""


@dataclass(frozen=True, eq=False)
class StuartValues(JsonResult):
    """The measured values of the Stuart experiment.

    Attributes
    ----------
    stability : DataFrame
        ``dataset``, ``filter``, ``n_lists``, ``aggregator``, ``measure``, ``value``.  Aggregators:
        the five of the thesis with Stuart computed exactly, and the recursion in R as
        ``stuart_in_r`` (NaN last in the order of columns) and ``stuart_in_r_first_list`` (NaN last
        in the order of the first list); ``rra_in_r_first_list`` has the order in which R returns
        names (p-values capped at 1, equal ones in the order of the first list).
    values : DataFrame
        ``dataset``, ``filter``, ``n_lists``, and how many values of the recursion, over all folds,
        are ``nan``, ``infinite``, ``negative``, ``above_one``, ``right`` (within 1 % of the exact
        value) and ``wrong`` (between 0 and 1, but not right).  Empty without R.
    published : DataFrame
        ``dataset``, ``filter``, ``measure``, ``aggregator``, ``value`` of tables 4.5 and 4.6.
    r : dict
        ``available``; the versions of R and RobustRankAggreg, or the reason why they are missing.
    parameters, record : dict
        Settings; machine, versions, date and seconds.
    """

    stability: pd.DataFrame
    values: pd.DataFrame
    published: pd.DataFrame
    r: Mapping[str, Any]
    parameters: Mapping[str, Any]
    record: Mapping[str, Any]

    frames: ClassVar[tuple[str, ...]] = ("stability", "values", "published")

    @property
    def n_lists(self) -> int:
        """The largest number of lists."""
        return int(max(self.parameters["list_counts"]))

    def table(self) -> pd.DataFrame:
        """One row per data set, filter and measure: the printed value and the exact one.

        Columns: ``published`` (Stuart as printed), ``exact`` and ``in_r`` (at the largest number of
        lists), ``nearest_lists`` (the number of lists at which the recursion comes nearest to the
        three printed values of the data set and filter) and ``in_r_nearest`` (its value there).
        NaN where nothing is printed or R is missing.
        """
        printed = self.published[self.published["aggregator"] == "stuart"]
        keys = ["dataset", "filter", "measure"]
        at_most = self.wide(self.n_lists)
        table = at_most[["stuart"]].rename(columns={"stuart": "exact"})
        table.insert(0, "published", printed.set_index(keys)["value"].reindex(table.index))
        table["in_r"] = at_most.get(STUART_COLUMN_ORDER, np.nan)
        nearest = self.nearest()["n_lists"]
        labels = pd.MultiIndex.from_arrays([table.index.get_level_values(i) for i in (0, 1)])
        table["nearest_lists"] = nearest.reindex(labels).to_numpy()
        recursion = self.stability[self.stability["aggregator"] == STUART_COLUMN_ORDER]
        by_count = recursion.set_index([*keys, "n_lists"])["value"]
        found = pd.MultiIndex.from_frame(table.reset_index()[[*keys, "nearest_lists"]])
        table["in_r_nearest"] = by_count.reindex(found).to_numpy()
        return table

    def differences(self) -> pd.DataFrame:
        """Differences from the printed values, by number of lists.

        Returns
        -------
        DataFrame
            Indexed by ``dataset``, ``filter`` and ``n_lists``; a column per aggregator with the mean
            absolute difference over the three measures.  Values of R are compared with the printed
            column of the same aggregator.  Empty where nothing is printed.
        """
        keys = ["dataset", "filter", "measure", "printed_as"]
        printed = self.published.rename(columns={"aggregator": "printed_as"}).set_index(keys)
        shown = self.stability.assign(
            printed_as=self.stability["aggregator"].str.replace("_in_r.*", "", regex=True)
        )
        shown = shown.join(printed["value"].rename("printed"), on=keys).dropna(subset=["printed"])
        shown["difference"] = (shown["value"] - shown["printed"]).abs()
        rows = ["dataset", "filter", "n_lists"]
        gaps = shown.groupby([*rows, "aggregator"], sort=False)["difference"].mean()
        return gaps.unstack("aggregator").sort_index(level="n_lists", sort_remaining=False)

    def nearest(self) -> pd.DataFrame:
        """The number of lists whose values are nearest to the printed ones, by data set and filter.

        Returns
        -------
        DataFrame
            Indexed by ``dataset`` and ``filter``: ``n_lists``, and the mean absolute difference to
            the three printed values there (``difference``), at the largest number of lists
            (``at_most``) and for exact Stuart at that number (``exact``).  Only numbers of lists
            that were tried can be found.  No row where nothing is printed, and none without R.
        """
        gaps = self.differences()
        if STUART_COLUMN_ORDER not in gaps:
            return pd.DataFrame(columns=["n_lists", "difference", "at_most", "exact"])
        recursion = gaps[STUART_COLUMN_ORDER].unstack("n_lists")
        return pd.DataFrame(
            {
                "n_lists": recursion.idxmin(axis=1),
                "difference": recursion.min(axis=1),
                "at_most": recursion[self.n_lists],
                "exact": gaps["stuart"].unstack("n_lists")[self.n_lists],
            }
        )

    def runs(self) -> pd.DataFrame:
        """The values at the largest number of lists, in the form that ``claims(runs=…)`` takes.

        Stuart is the exact one; the recursion is left out.

        Examples
        --------
        ``pyfsagg_papers.claims("thesis", "4.5", runs=finding.runs())`` decides the statements on
        aggregators on exact values.
        """
        part = self.stability[self.stability["n_lists"] == self.n_lists]
        part = part[~part["aggregator"].isin(IN_R)]
        frame = part.rename(columns={"aggregator": "method"})
        frame.insert(0, "table", frame["filter"].map(TABLE_OF_FILTER))
        return frame[["table", "dataset", "measure", "method", "value"]].reset_index(drop=True)

    def least_stable(self) -> pd.Series[str]:
        """The least stable of the five aggregators, Stuart exact, at the largest number of lists."""
        frame = self.wide(self.n_lists)
        frame = frame[[name for name in frame if name not in IN_R]]
        return self.signed(frame).idxmin(axis=1).astype(str).rename("least_stable")

    def wide(self, n_lists: int) -> pd.DataFrame:
        """Stability at one number of lists: rows by aggregators."""
        part = self.stability[self.stability["n_lists"] == n_lists]
        keys = ["dataset", "filter", "measure"]
        wide = part.pivot(index=keys, columns="aggregator", values="value")
        return wide.loc[pd.MultiIndex.from_frame(part[keys].drop_duplicates())]

    @staticmethod
    def signed(frame: pd.DataFrame) -> pd.DataFrame:
        """A table of :meth:`wide` with distances negative: larger = more stable."""
        smaller = frame.index.get_level_values("measure").isin(SMALLER_IS_BETTER)
        return frame.mul(np.where(smaller, -1.0, 1.0), axis=0)


# -------------------------------------------------------------------------------------------------
# the result of the Stuart experiment: its tables, and what follows from them in sentences
# -------------------------------------------------------------------------------------------------

PRINTED_FOLDS = 100
KIND_WORDS = ("NaN", "infinite", "negative", "above 1", "right", "wrong between 0 and 1")
SCORE_BASED = ("arithmetic_mean", "geometric_mean", "l2_norm")
WITHOUT_CHOICE = ("arithmetic_mean", "l2_norm", RRA_FIRST_LIST)
"""Other columns that are comparable: the geometric mean depends on how zeros and negative scores were
treated, which the thesis does not say."""


@dataclass(frozen=True, eq=False)
class StuartFinding(StuartValues):
    """Result of :func:`pyfsagg_papers.stuart_finding`; the attributes are those of its base.

    Notes
    -----
    Pictures: ``lists``, stability against the number of lists with the printed value (`dataset`,
    `filter` and `measure` choose which), and ``values``, the kinds of values that the recursion
    returned.
    """

    _kind: ClassVar[str] = "stuart_finding"
    _noun: ClassVar[str] = "finding on Stuart's statistic"

    def conclusions(self) -> list[str]:
        """The results in sentences."""
        return [*_on_exact(self), *_on_recursion(self), *_on_groups(self)]

    def to_frame(self) -> pd.DataFrame:
        """The stability table, one row per cell."""
        return self.stability.copy()

    def derived(self) -> dict[str, Any]:
        """The conclusions, for readers of the file."""
        return {"conclusions": self.conclusions()}

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {
            "printed.csv": self.table().reset_index(),
            "runs.csv": self.runs(),
            "stability.csv": self.stability,
        }

    def __repr__(self) -> str:
        sets = ", ".join(self.parameters["datasets"])
        return (
            f"StuartFinding({sets}; {self.parameters['n_folds']} folds of up to {self.n_lists} "
            f"lists; R {'yes' if self.r['available'] else 'no'})"
        )


def _on_exact(found: StuartValues) -> list[str]:
    exact = found.wide(found.n_lists).xs("spearman", level="measure")["stuart"]
    text = (
        f"Computed exactly, Stuart's ranking of {found.n_lists} lists has a Spearman stability of "
        f"{_range(exact)} over {found.parameters['n_folds']} folds"
    )
    printed = found.published.query("aggregator == 'stuart' and measure == 'spearman'")["value"]
    if printed.empty:
        return [f"{text}."]
    return [f"{text}; the printed column says {_range(printed)}."]


def _on_recursion(found: StuartValues) -> list[str]:
    if not found.r["available"]:
        return [f"The recursion was not run: {found.r['reason']}."]
    sentences = []
    at_most = found.values[found.values["n_lists"] == found.n_lists][list(KINDS)].sum()
    total = int(at_most.sum())
    shares = ", ".join(
        f"{at_most[kind] / total:.1%} {word}"
        for kind, word in zip(KINDS, KIND_WORDS, strict=True)
        if at_most[kind]
    )
    sentences.append(
        f"With {found.n_lists} lists the recursion of RobustRankAggreg "
        f"{found.r['RobustRankAggreg']} (R {found.r['R']}) returned {total:,} values: {shares}."
    )
    sums = found.values.groupby("n_lists")[list(KINDS)].sum()
    wrong = sums.index[sums["right"] < 0.99 * sums.sum(axis=1)]
    if len(wrong):
        sentences.append(
            f"From {wrong[0]} lists on fewer than 99 % of its values are within 1 % of the exact "
            "ones."
        )
    spearman = found.wide(found.n_lists).xs("spearman", level="measure")
    by_rank, by_first = (
        _range(spearman[name]) for name in (STUART_COLUMN_ORDER, STUART_FIRST_LIST)
    )
    text = f"The ranking by these values has a Spearman stability of {by_rank}"
    if at_most["nan"] > 0.5 * total:
        text += (
            ", because R's rank puts NaN last in the order of the columns, which is the same in "
            f"every fold. For lists of names NaN come in the order of the first list: {by_first}, "
            "the stability of single lists"
        )
    sentences.append(f"{text}.")
    return [*sentences, *_on_print(found)]


def _on_print(found: StuartValues) -> list[str]:
    """Which number of lists the printed values point to, by the recursion and by the others."""
    nearest = found.nearest()
    if nearest.empty:
        return []
    counts = ", ".join(
        f"{dataset} with {_name(name)} {count}"
        for dataset, name, count in nearest["n_lists"].reset_index().to_numpy().tolist()
    )
    gaps = found.differences().groupby(level="n_lists").mean()
    others = gaps[list(WITHOUT_CHOICE)].mean(axis=1)
    recursion, exact = gaps[STUART_COLUMN_ORDER], gaps["stuart"]
    best, other_best = _place(recursion), _place(others)
    names = ", ".join(_name(name) for name in WITHOUT_CHOICE)
    caution = (
        f" The printed values are of {PRINTED_FOLDS} folds; with {found.parameters['n_folds']} the "
        "training parts share fewer samples, and the stability of every aggregator is another."
        if found.parameters["n_folds"] != PRINTED_FOLDS
        else ""
    )
    return [
        "Of the numbers of lists tried, the printed values of Spearman, Jaccard and Canberra are "
        f"nearest to the recursion at: {counts}. Over all, the recursion differs from the "
        f"printed Stuart column by {recursion[best]:.3f} on average at {best} lists, where it is "
        f"nearest, and by {recursion[found.n_lists]:.3f} at {found.n_lists}; exact Stuart differs "
        f"from it by {exact[best]:.3f} and {exact[found.n_lists]:.3f}.",
        f"The columns that need no recursion ({names}) differ from their printed values by "
        f"{others[other_best]:.4f} on average at {other_best} lists, where they are nearest too, "
        f"and by {others[found.n_lists]:.4f} at {found.n_lists}.{caution}"
        if best == other_best
        else f"The columns that need no recursion ({names}) differ from their printed values by "
        f"{others[other_best]:.4f} on average at {other_best} lists, where they are nearest, by "
        f"{others[best]:.4f} at {best} and by {others[found.n_lists]:.4f} at {found.n_lists}."
        f"{caution}",
    ]


def _on_groups(found: StuartValues) -> list[str]:
    """The conclusion of the thesis on rank-based aggregation, on right numbers."""
    frame = found.signed(found.wide(found.n_lists))
    worst = found.least_stable()
    n = len(frame)
    scores, ranks = frame[list(SCORE_BASED)], frame[["stuart", "rra"]]
    above = int((frame["stuart"] > scores.min(axis=1)).sum())
    rra = int((frame["stuart"] > frame["rra"]).sum())
    groups = int((scores.mean(axis=1) > ranks.mean(axis=1)).sum())
    each = int((scores.min(axis=1) > ranks.max(axis=1)).sum())
    best = int((scores.max(axis=1) > ranks.max(axis=1)).sum())
    spearman = found.wide(found.n_lists).xs("spearman", level="measure")
    means = ", ".join(
        f"{_name(name)} {spearman[name].mean():.3f}" for name in (*SCORE_BASED, "stuart", "rra")
    )
    return [
        f"On right numbers Stuart is the least stable aggregator in {int((worst == 'stuart').sum())} "
        f"of {n} rows (data set, filter, measure){_printed_last(found)}; last are {_counts(worst)}.",
        f"Exact Stuart is more stable than at least one of the score-based aggregators in {above} "
        f"and than robust rank aggregation in {rra} of {n} rows. Mean Spearman stability: {means}.",
        "Of the conclusion that score-based aggregation is stabler than rank-based aggregation "
        f"remains: each score-based aggregator is above both rank-based ones in {each} of {n} rows, "
        f"the mean of the former above that of the latter in {groups}, and the best is a score-based "
        f"one in {best}.",
    ]


def _printed_last(found: StuartValues) -> str:
    """In how many of the same rows the printed tables have Stuart last."""
    printed = found.published.pivot(
        index=["dataset", "filter", "measure"], columns="aggregator", values="value"
    ).dropna()
    if printed.empty:
        return ""
    last = int((found.signed(printed).idxmin(axis=1) == "stuart").sum())
    return f", where the printed tables have it last in {last} of {len(printed)}"


def _counts(names: pd.Series[str]) -> str:
    return ", ".join(f"{_name(name)} {count}" for name, count in names.value_counts().items())


def _name(label: object) -> str:
    if label == RRA_FIRST_LIST:
        return "robust rank aggregation in the order of R's rows"
    return str(label).replace("_", " ")


def _place(values: pd.Series[float]) -> int:
    """The number of lists with the smallest value."""
    return int(values.index.to_numpy()[values.to_numpy().argmin()])


def _range(values: pd.Series[float]) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"
