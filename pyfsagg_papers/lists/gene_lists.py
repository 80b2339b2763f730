"""Our cells beside those of Wang et al. (2022)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyfsagg.extending import Block, PageColumn, PageTable
from pyfsagg_papers.lists.simulation import GRID, METHODS, gene_list_accuracy
from pyfsagg_papers.published import load_published
from pyfsagg_papers.records import JsonResult, Log, record

_KEYS = ["kind", "M", "D", "top"]
KIND_WORDS = {
    "0r": "11 ranked lists",
    "0m": "11 ranked and 21 unranked lists",
    "1r": "5 ranked lists",
    "1m": "5 ranked and 5 unranked lists",
}
_AGAIN = "ranked lists only"
_RANKED_ONLY = {method.ranked for method in METHODS.values()} - {
    method.mixed for method in METHODS.values()
}


@dataclass(frozen=True, eq=False)
class GeneListComparison(JsonResult):
    """Accuracy of aggregators on gene lists with a known truth.

    Attributes
    ----------
    cells : DataFrame
        As `gene_list_accuracy` returns them.
    record : dict
        Machine, versions, date, seed and number of data sets for each setting.
    """

    _kind: ClassVar[str] = "gene_lists"
    _noun: ClassVar[str] = "comparison on gene lists"
    frames: ClassVar[tuple[str, ...]] = ("cells",)

    cells: pd.DataFrame
    record: Mapping[str, Any]

    def to_frame(self) -> pd.DataFrame:
        """One row per printed cell: the published mean and ours.

        ``verdict`` is "within 2 SE" or "within 3 SE" of both means together, "apart", "not ours" for
        a method that we do not have, or "ranked lists only": the published program left unranked
        lists out, and printed the accuracies of the ranked ones again.
        """
        printed = load_published("gene_lists")
        names: list[Any] = [
            METHODS[name].mixed if kind.endswith("m") else METHODS[name].ranked
            for name, kind in zip(self.cells["method"], self.cells["kind"], strict=True)
        ]
        ours = self.cells.assign(published=names).dropna(subset="published")
        frame = printed.rename(columns={"method": "published"}).merge(
            ours, how="left", on=[*_KEYS, "published"], suffixes=("_printed", "")
        )
        error = np.sqrt(
            frame["std"] ** 2 / frame["count"] + frame["std_printed"] ** 2 / frame["count_printed"]
        )
        difference = frame["mean"] - frame["mean_printed"]
        frame["difference"] = difference
        frame["in_errors"] = difference / error.where(error > 0)
        away = frame["in_errors"].abs()
        again = frame["kind"].str.endswith("m") & frame["published"].isin(_RANKED_ONLY)
        frame["verdict"] = np.select(
            [again, frame["mean"].isna(), (away <= 2) | (difference == 0), away <= 3],
            [_AGAIN, "not ours", "within 2 SE", "within 3 SE"],
            "apart",
        )
        return frame

    def summary(self) -> pd.DataFrame:
        """Number of cells of each published method within two and three standard errors."""
        frame = self.to_frame()
        table = frame.groupby(["published", "verdict"]).size().unstack(fill_value=0)
        wanted = ["within 2 SE", "within 3 SE", "apart", _AGAIN, "not ours"]
        return table.reindex(columns=wanted, fill_value=0)

    def means(self, top: int = 100) -> pd.DataFrame:
        """Mean accuracy over all settings, one row per aggregator and one column per kind of lists.

        Beside each mean its standard error over the data sets, in the columns ``se_…``.
        """
        cells = self.cells[self.cells["top"] == top]
        groups = cells.groupby(["method", "kind"])
        mean = groups["mean"].mean().unstack()
        squares = cells.assign(square=cells["std"] ** 2 / cells["count"])
        error = squares.groupby(["method", "kind"])["square"].agg(
            lambda values: float(np.sqrt(values.sum())) / len(values)
        )
        return mean.join(error.unstack().add_prefix("se_"))

    def conclusions(self) -> list[str]:
        """The results in sentences."""
        frame = self.to_frame()
        ours = frame[~frame["verdict"].isin(["not ours", _AGAIN])]
        within = (ours["verdict"] == "within 2 SE").sum()
        near = within + (ours["verdict"] == "within 3 SE").sum()
        found = [
            f"{within} of {len(ours)} published cells of methods that we have are within two standard "
            f"errors of ours, {near} within three; {(frame['verdict'] == 'not ours').sum()} cells are of "
            "methods that are not ours."
        ]
        means = self.means()
        for kind, said in KIND_WORDS.items():
            if kind in means:
                order = means[kind].dropna().sort_values(ascending=False)
                best = ", ".join(f"{name} {value:.3f}" for name, value in order.head(3).items())
                found.append(f"Most of the true best 100 of {said}: {best}.")
        return found

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"cells.csv": self.to_frame(), "means.csv": self.means().reset_index()}

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        counts = self.summary()
        heads = [PageColumn(str(name)[:1].upper() + str(name)[1:]) for name in counts.columns]
        rows = zip(counts.index, counts.to_numpy().tolist(), strict=True)
        cells = PageTable(
            "Printed cells by method, as the paper names them.",
            [PageColumn("Method", numeric=False), *heads],
            [[str(name), *(f"{cell:,}" for cell in row)] for name, row in rows],
            "A cell is the mean accuracy of a method over the data sets of one setting; it is compared with "
            "ours by the standard errors (SE) of both together. Where unranked lists were among the lists, "
            "the published program left them out for some methods, and printed the accuracies of ranked "
            "lists only once more.",
        )
        return [*super()._facts(view), cells]


def gene_lists(
    *,
    quick: bool = False,
    n_repetitions: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> GeneListComparison:
    """Repeat the comparison of aggregators by Wang et al. (2022), for the methods that we have.

    Parameters
    ----------
    quick : bool
        3 data sets for each setting in place of 100.
    n_repetitions : int, optional
        Another number of data sets.
    random_state, n_jobs
        Values do not depend on `n_jobs`.
    log : callable, optional
        Called with a line after each setting.

    Notes
    -----
    Ties are broken by the order in which entities appear, list by list, as R's ``aggregateRanks()``
    leaves them; that order, and not chance, makes the printed accuracy of the median: with many short
    lists most medians are the last rank.  The printed mean over ranked and unranked lists finds fewer
    of the best 1,000 than ours, because it goes by a p-value that is 1 in floating numbers for most
    items.  ``maic`` runs with ``fit="none"``.
    """
    count = n_repetitions if n_repetitions is not None else (3 if quick else 100)
    cells = gene_list_accuracy(
        GRID, n_repetitions=count, random_state=random_state, n_jobs=n_jobs, log=log
    )
    return GeneListComparison(cells, {**record(), "seed": random_state, "n_repetitions": count})
