"""The result of the Stuart experiment: tables, what follows from them, and one JSON file."""

from __future__ import annotations

import datetime
import importlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._output import new_file
from pyfsagg.ensemble.run import versions
from pyfsagg.exceptions import OutputError, ParameterError
from pyfsagg.reproduce.claims_data import SMALLER_IS_BETTER

__all__ = [
    "KINDS",
    "MEASURES",
    "R_COLUMN_ORDER",
    "R_FIRST_LIST",
    "TABLE_OF_FILTER",
    "StuartFinding",
    "record",
]

MEASURES = ("spearman", "jaccard", "canberra")
R_COLUMN_ORDER = "stuart_in_r"
R_FIRST_LIST = "stuart_in_r_first_list"
TABLE_OF_FILTER = {"information_gain": "4.5", "mrmr": "4.6"}
SCORE_BASED = ("arithmetic_mean", "geometric_mean", "l2_norm")
WITHOUT_CHOICE = ("arithmetic_mean", "l2_norm", "rra")
"""Other columns that are comparable as they are: the geometric mean depends on how zeros and negative
scores were treated, which the thesis does not say."""
KINDS = ("nan", "infinite", "negative", "above_one", "right", "wrong")
SCHEMA = 1
_FRAMES = ("stability", "values", "published")


@dataclass(frozen=True, eq=False)
class StuartFinding:
    """Result of :func:`pyfsagg.reproduce.stuart_finding`.

    Attributes
    ----------
    stability : DataFrame
        ``dataset``, ``filter``, ``n_lists``, ``aggregator``, ``measure``, ``value``.  Aggregators:
        the five of the thesis with Stuart computed exactly, and the recursion in R as
        ``stuart_in_r`` (NaN last in the order of columns) and ``stuart_in_r_first_list`` (NaN last
        in the order of the first list).
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

    @property
    def n_lists(self) -> int:
        """The largest number of lists."""
        return int(max(self.parameters["list_counts"]))

    def table(self) -> pd.DataFrame:
        """One row per data set, filter and measure: what was printed, and what it should be.

        Columns: ``published`` (Stuart as printed), ``exact`` and ``in_r`` (at the largest number of
        lists), ``nearest_lists`` (the number of lists at which the recursion comes nearest to the
        three printed values of the data set and filter) and ``in_r_nearest`` (what it gives there).
        NaN where nothing is printed or R is missing.
        """
        printed = self.published[self.published["aggregator"] == "stuart"]
        keys = ["dataset", "filter", "measure"]
        at_most = self._wide(self.n_lists)
        table = at_most[["stuart"]].rename(columns={"stuart": "exact"})
        table.insert(0, "published", printed.set_index(keys)["value"].reindex(table.index))
        table["in_r"] = at_most.get(R_COLUMN_ORDER, np.nan)
        nearest = self.nearest()["n_lists"]
        labels = pd.MultiIndex.from_arrays([table.index.get_level_values(i) for i in (0, 1)])
        table["nearest_lists"] = nearest.reindex(labels).to_numpy()
        recursion = self.stability[self.stability["aggregator"] == R_COLUMN_ORDER]
        by_count = recursion.set_index([*keys, "n_lists"])["value"]
        found = pd.MultiIndex.from_frame(table.reset_index()[[*keys, "nearest_lists"]])
        table["in_r_nearest"] = by_count.reindex(found).to_numpy()
        return table

    def differences(self) -> pd.DataFrame:
        """How far the values are from the printed ones, by number of lists.

        Returns
        -------
        DataFrame
            Indexed by ``dataset``, ``filter`` and ``n_lists``; a column per aggregator with the mean
            absolute difference over the three measures.  ``stuart`` (exact) and both forms of the
            recursion are compared with the printed Stuart column.  Empty where nothing is printed.
        """
        keys = ["dataset", "filter", "measure", "printed_as"]
        printed = self.published.rename(columns={"aggregator": "printed_as"}).set_index(keys)
        shown = self.stability.assign(
            printed_as=self.stability["aggregator"].str.replace("^stuart.*", "stuart", regex=True)
        )
        shown = shown.join(printed["value"].rename("printed"), on=keys).dropna(subset=["printed"])
        shown["difference"] = (shown["value"] - shown["printed"]).abs()
        rows = ["dataset", "filter", "n_lists"]
        gaps = shown.groupby([*rows, "aggregator"], sort=False)["difference"].mean()
        return gaps.unstack("aggregator").sort_index(level="n_lists", sort_remaining=False)

    def nearest(self) -> pd.DataFrame:
        """Per data set and filter the number of lists that gives the printed Stuart values.

        Returns
        -------
        DataFrame
            Indexed by ``dataset`` and ``filter``: ``n_lists``, and the mean absolute difference to
            the three printed values there (``difference``), at the largest number of lists
            (``at_most``) and for exact Stuart at that number (``exact``).  Only numbers of lists
            that were tried can be found.  No row where nothing is printed, and none without R.
        """
        gaps = self.differences()
        if R_COLUMN_ORDER not in gaps:
            return pd.DataFrame(columns=["n_lists", "difference", "at_most", "exact"])
        recursion = gaps[R_COLUMN_ORDER].unstack("n_lists")
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
        aggregators once more, on right numbers.
        """
        part = self.stability[self.stability["n_lists"] == self.n_lists]
        part = part[~part["aggregator"].isin([R_COLUMN_ORDER, R_FIRST_LIST])]
        frame = part.rename(columns={"aggregator": "method"})
        frame.insert(0, "table", frame["filter"].map(TABLE_OF_FILTER))
        return frame[["table", "dataset", "measure", "method", "value"]].reset_index(drop=True)

    def least_stable(self) -> pd.Series[str]:
        """The least stable of the five aggregators, Stuart exact, at the largest number of lists."""
        frame = self._wide(self.n_lists)
        frame = frame[[name for name in frame if name not in (R_COLUMN_ORDER, R_FIRST_LIST)]]
        return self._signed(frame).idxmin(axis=1).astype(str).rename("least_stable")

    def _wide(self, n_lists: int) -> pd.DataFrame:
        part = self.stability[self.stability["n_lists"] == n_lists]
        keys = ["dataset", "filter", "measure"]
        wide = part.pivot(index=keys, columns="aggregator", values="value")
        return wide.loc[pd.MultiIndex.from_frame(part[keys].drop_duplicates())]

    @staticmethod
    def _signed(frame: pd.DataFrame) -> pd.DataFrame:
        """Larger = more stable."""
        smaller = frame.index.get_level_values("measure").isin(SMALLER_IS_BETTER)
        return frame.mul(np.where(smaller, -1.0, 1.0), axis=0)

    def conclusions(self) -> list[str]:
        """What follows, in sentences made from the numbers."""
        return [*self._on_exact(), *self._on_recursion(), *self._on_groups()]

    def _on_exact(self) -> list[str]:
        exact = self._wide(self.n_lists).xs("spearman", level="measure")["stuart"]
        text = (
            f"Computed exactly, Stuart's ranking of {self.n_lists} lists has a Spearman stability of "
            f"{_range(exact)} over {self.parameters['n_folds']} folds"
        )
        printed = self.published.query("aggregator == 'stuart' and measure == 'spearman'")["value"]
        if printed.empty:
            return [f"{text}."]
        return [f"{text}; the printed column says {_range(printed)}."]

    def _on_recursion(self) -> list[str]:
        if not self.r["available"]:
            return [f"The recursion was not run: {self.r['reason']}."]
        sentences = []
        at_most = self.values[self.values["n_lists"] == self.n_lists][list(KINDS)].sum()
        total = int(at_most.sum())
        shares = ", ".join(
            f"{at_most[kind] / total:.1%} {word}"
            for kind, word in zip(
                KINDS,
                ("NaN", "infinite", "negative", "above 1", "right", "wrong between 0 and 1"),
                strict=True,
            )
            if at_most[kind]
        )
        sentences.append(
            f"With {self.n_lists} lists the recursion of RobustRankAggreg "
            f"{self.r['RobustRankAggreg']} (R {self.r['R']}) returned {total:,} values: {shares}."
        )
        sums = self.values.groupby("n_lists")[list(KINDS)].sum()
        wrong = sums.index[sums["right"] < 0.99 * sums.sum(axis=1)]
        if len(wrong):
            sentences.append(
                f"From {wrong[0]} lists on fewer than 99 % of its values are within 1 % of the exact "
                "ones."
            )
        spearman = self._wide(self.n_lists).xs("spearman", level="measure")
        by_rank, by_first = (_range(spearman[name]) for name in (R_COLUMN_ORDER, R_FIRST_LIST))
        text = f"The ranking by these values has a Spearman stability of {by_rank}"
        if at_most["nan"] > 0.5 * total:
            text += (
                ", because R's rank puts NaN last in the order of the columns, which is the same in "
                f"every fold. For lists of names NaN come in the order of the first list: {by_first}, "
                "the stability of single lists"
            )
        sentences.append(f"{text}.")
        return [*sentences, *self._on_print()]

    def _on_print(self) -> list[str]:
        """Which number of lists the printed values point to, by the recursion and by the others."""
        nearest = self.nearest()
        if nearest.empty:
            return []
        counts = ", ".join(
            f"{dataset} with {name.replace('_', ' ')} {count}"
            for dataset, name, count in nearest["n_lists"].reset_index().to_numpy().tolist()
        )
        gaps = self.differences().groupby(level="n_lists").mean()
        others = gaps[list(WITHOUT_CHOICE)].mean(axis=1)
        recursion, exact = gaps[R_COLUMN_ORDER], gaps["stuart"]
        best, other_best = _place(recursion), _place(others)
        names = ", ".join(name.replace("_", " ") for name in WITHOUT_CHOICE)
        return [
            "Of the numbers of lists tried, the printed values of Spearman, Jaccard and Canberra are "
            f"nearest to the recursion at: {counts}. Over all, the recursion differs from the "
            f"printed Stuart column by {recursion[best]:.3f} on average at {best} lists, where it is "
            f"nearest, and by {recursion[self.n_lists]:.3f} at {self.n_lists}; exact Stuart differs "
            f"from it by {exact[best]:.3f} and {exact[self.n_lists]:.3f}.",
            f"The columns that need no recursion ({names}) differ from their printed values by "
            f"{others[other_best]:.4f} on average at {other_best} lists, where they are nearest, by "
            f"{others[best]:.4f} at {best} and by {others[self.n_lists]:.4f} at {self.n_lists}.",
        ]

    def _on_groups(self) -> list[str]:
        """The conclusion of the thesis on rank-based aggregation, on right numbers."""
        frame = self._signed(self._wide(self.n_lists))
        worst = self.least_stable()
        counts = ", ".join(
            f"{str(name).replace('_', ' ')} {count}" for name, count in worst.value_counts().items()
        )
        scores = frame[list(SCORE_BASED)]
        above = int((frame["stuart"] > scores.min(axis=1)).sum())
        rra = int((frame["stuart"] > frame["rra"]).sum())
        n = len(frame)
        spearman = self._wide(self.n_lists).xs("spearman", level="measure")
        means = ", ".join(
            f"{str(name).replace('_', ' ')} {spearman[name].mean():.3f}"
            for name in (*SCORE_BASED, "stuart", "rra")
        )
        return [
            f"On right numbers Stuart is the least stable aggregator in {int((worst == 'stuart').sum())} "
            f"of {n} rows (data set, filter, measure), where the thesis has it last in all; last are "
            f"{counts}.",
            f"Exact Stuart is more stable than at least one of the score-based aggregators in {above} "
            f"and than robust rank aggregation in {rra} of {n} rows. Mean Spearman stability: {means}.",
        ]

    def plot(self, kind: str = "lists", **options: Any) -> Any:
        """Draw the result; returns Matplotlib axes.

        Parameters
        ----------
        kind : {"lists", "values"}
            Stability against the number of lists beside what was printed; what kinds of values the
            recursion returned.
        **options
            Passed on to ``pyfsagg.plotting.stuart``: `dataset`, `filter`, `measure`, `ax`.

        Raises
        ------
        ParameterError
            For another kind.
        """
        kinds = importlib.import_module("pyfsagg.plotting.stuart").STUART_PLOTS
        if kind not in kinds:
            raise ParameterError(f"kind must be one of {', '.join(map(repr, kinds))}, got {kind!r}")
        return kinds[kind](self, **options)

    def to_frame(self) -> pd.DataFrame:
        """The stability table, one row per cell."""
        return self.stability.copy()

    def to_json(self) -> str:
        """Everything as JSON text; what is missing is null."""
        document = {
            "schema": SCHEMA,
            "kind": "stuart_finding",
            "parameters": self.parameters,
            "record": self.record,
            "r": self.r,
            "conclusions": self.conclusions(),
            **{name: _records(getattr(self, name)) for name in _FRAMES},
        }
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write one JSON file, which appears complete or not at all; an existing one is replaced.

        Raises
        ------
        OutputError
            If it cannot be written.
        """
        with new_file(path) as draft:
            draft.write_text(self.to_json() + "\n", encoding="utf-8")
        return Path(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> StuartFinding:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If there is no such file, it is damaged, or it is of another kind or schema.
        """
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            kind, schema = document.get("kind"), document.get("schema")
            if (kind, schema) != ("stuart_finding", SCHEMA):
                raise OutputError(
                    f"{path} holds a {kind!r} of schema {schema!r}; this version reads a "
                    f"'stuart_finding' of schema {SCHEMA}"
                )
            frames = {
                name: pd.DataFrame(document[name]["rows"], columns=document[name]["columns"])
                for name in _FRAMES
            }
            return cls(
                r=document["r"], parameters=document["parameters"], record=document["record"],
                **frames,
            )  # fmt: skip
        except OutputError:
            raise
        except OSError as error:
            raise OutputError(f"cannot read {path}: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise OutputError(f"{path} is damaged: {error!r}") from None

    def __repr__(self) -> str:
        sets = ", ".join(self.parameters["datasets"])
        return (
            f"StuartFinding({sets}; {self.parameters['n_folds']} folds of up to {self.n_lists} "
            f"lists; R {'yes' if self.r['available'] else 'no'})"
        )


def _place(values: pd.Series[float]) -> int:
    """The number of lists with the smallest value."""
    return int(values.index.to_numpy()[values.to_numpy().argmin()])


def _range(values: pd.Series[float]) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"


def _records(frame: pd.DataFrame) -> dict[str, Any]:
    cells = frame.astype(object).where(frame.notna(), None)
    return {"columns": list(frame.columns), "rows": cells.to_numpy().tolist()}


def record() -> dict[str, Any]:
    """Machine, versions and date of a run that is kept."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": versions(),
    }
