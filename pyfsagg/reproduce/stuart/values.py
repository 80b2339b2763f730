"""The tables of the Stuart experiment, and what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyfsagg.reproduce.records import JsonResult
from pyfsagg.reproduce.statements.data import SMALLER_IS_BETTER
from pyfsagg.reproduce.stuart.fold_rankings import IN_R, STUART_COLUMN_ORDER

__all__ = ["KINDS", "TABLE_OF_FILTER", "StuartValues"]

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
        ``pyfsagg.reproduce.claims("thesis", "4.5", runs=finding.runs())`` decides the statements on
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
