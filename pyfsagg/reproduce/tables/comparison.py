"""Published cells beside our own values over several repetitions, with a verdict for each."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from pyfsagg.exceptions import ParameterError
from pyfsagg.reproduce.published import find_datasets, printed_cells
from pyfsagg.reproduce.records import Log
from pyfsagg.reproduce.tables.evidence import evidence
from pyfsagg.reproduce.tables.experiments import EXPERIMENTS, PAPERS, Experiment, find_experiment
from pyfsagg.reproduce.tables.repetitions import Options, Repeated, repeat_on

__all__ = ["VERDICTS", "cells", "compare", "coverage", "prediction_limits", "table"]

VERDICTS = ("inside", "near", "outside", "not checkable")
EXACT_STUART = (
    "the printed column is that of a recursion which breaks down with many lists; ours is exact"
)


def table(
    table: str,
    dataset: str | Sequence[str] | None = None,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    log: Log | None = None,
    settings: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Repeat a published table, and compare it cell by cell.

    Parameters
    ----------
    table : {"4.3", "4.4", "4.5", "4.6", "fpcps_1", "fpcps_2", "frcm_2", "orders_genes"}
        As in :func:`pyfsagg.load_published`.
    dataset : str or sequence of str, optional
        Data sets of the table, as published; all of them by default.
    quick : bool
        Fewer resamples, folds and repetitions: minutes instead of hours.
    random_state : int
    n_jobs : int, optional
        Workers; no number depends on them.
    checkpoint : path, optional
        A folder in which finished repetitions are saved, in a sub-folder for each table, data set and
        seed: a later call reads them.  A folder with other data or settings is refused.
    log : callable (str), optional
        Called with a line on each step.
    settings : mapping, optional
        Other readings or sizes of the experiment, for instance ``{"share": 0.25}`` for the tables of
        the fpcps paper; the names are those of the settings of ``EXPERIMENTS[table]``.

    Returns
    -------
    DataFrame
        One row per published cell: ``paper``, ``table``, ``dataset``, ``row``, ``measure``,
        ``published``; ``mean``, ``sd`` and ``n`` of our repetitions; ``lower`` and ``upper``, the
        limits within which 95 % of published values of this kind would lie; ``verdict``; ``reason``.

    Raises
    ------
    UnknownNameError, ParameterError
        For a table, data set or number that is not allowed, or a checkpoint of another run.
    OutputError
        If the checkpoint is damaged, in use, or cannot be written.

    Notes
    -----
    A printed value is one more draw of the same kind (a split of the rows, a division into folds) or
    the mean of many (trials).  With k repetitions of mean m and standard deviation s the limits are
    those of prediction, m ± t(k − 1) s √(1/k + 1/K), with K the repetitions behind the printed
    value, widened by half of the last printed digit.  ``inside``: within them; ``near``: within one
    more of their width; ``outside``: farther; ``not checkable``: the cell is lost in the source, or
    doubtful there, or the data are not available or differ (our value is then shown nevertheless).

    Examples
    --------
    >>> found = table("frcm_2", "nutt_2003_v1", quick=True)  # doctest: +SKIP
    >>> found.loc[found["verdict"] == "inside", ["row", "measure"]]  # doctest: +SKIP
    """
    experiment = find_experiment(table)
    options = Options.read(
        quick=quick, random_state=random_state, n_jobs=n_jobs, checkpoint=checkpoint, log=log,
        settings=settings,
    )  # fmt: skip
    published = printed_cells(table)
    frames = [
        compare(
            experiment,
            published[published["dataset"] == name],
            repeat_on(experiment, name, options),
        )
        for name in find_datasets([table], dataset)
    ]
    return pd.concat(frames, ignore_index=True)


def cells(
    paper: str | None = None, dataset: str | Sequence[str] | None = None, **options: Any
) -> pd.DataFrame:
    """All tables of a paper, or of all papers; options as in :func:`table`.

    A data set that a table does not have is left out of that table.

    Raises
    ------
    UnknownNameError, ParameterError
        For a data set that no table of the paper has, or a paper without experiments here.
    """
    if paper is not None and paper not in PAPERS:
        raise ParameterError(f"paper must be one of {', '.join(map(repr, PAPERS))}, got {paper!r}")
    tables = [each.table for each in EXPERIMENTS.values() if paper in (None, each.paper)]
    asked = find_datasets(tables, dataset)
    frames = []
    for name in tables:
        own = find_datasets([name], None)
        chosen = [each for each in asked if each in own]
        if chosen:
            frames.append(table(name, chosen, **options))
    return pd.concat(frames, ignore_index=True)


def compare(experiment: Experiment, published: pd.DataFrame, own: Repeated) -> pd.DataFrame:
    """The printed cells of a data set beside our repetitions; columns as of :func:`table`."""
    groups = {} if own.values is None else dict(list(own.values.groupby(["row", "measure"])))
    rows = []
    for cell in published.to_dict("records"):
        group = groups.get((cell["row"], cell["measure"]))
        values = np.empty(0) if group is None else group["value"].to_numpy(dtype=float)
        rows.append(
            {
                "paper": experiment.paper,
                "table": experiment.table,
                "dataset": cell["dataset"],
                "row": cell["row"],
                "measure": cell["measure"],
                "published": cell["value"],
                **_verdict(experiment, cell["value"], values, own, cell["note"]),
            }
        )
    frame = pd.DataFrame(rows)
    stuart = (frame["row"] == "stuart") & frame["verdict"].isin(["near", "outside"])
    frame.loc[stuart, "reason"] = EXACT_STUART
    return frame


def coverage(found: pd.DataFrame, by: Sequence[str] = ("table", "dataset")) -> pd.DataFrame:
    """Numbers of cells inside, near and outside, by groups of cells.

    Parameters
    ----------
    found : DataFrame
        Cells as of :func:`table`.
    by : sequence of str
        Columns of `found`.

    Returns
    -------
    DataFrame
        One row per group with a column for each verdict, ``checkable``, ``inside_share``,
        ``decisive``, the cells inside limits that are narrow enough (:func:`evidence`), and
        ``others_inside``, the mean share of other printed values within the same limits: the
        approximate ``inside_share`` for values of other data sets.
    """
    told = evidence(found)
    found = found.assign(
        decisive=told["decisive"].fillna(False) & (found["verdict"] == "inside"),
        others_inside=told["others_inside"],
    )
    counts = found.groupby([*by, "verdict"], sort=False).size().unstack(fill_value=0)
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0).rename_axis(columns=None)
    counts["checkable"] = counts[["inside", "near", "outside"]].sum(axis=1)
    counts["inside_share"] = counts["inside"] / counts["checkable"].where(counts["checkable"] > 0)
    groups = found.groupby(list(by), sort=False)
    counts["decisive"] = groups["decisive"].sum().astype(int)
    counts["others_inside"] = groups["others_inside"].mean()
    return counts


def prediction_limits(
    own: tuple[int, float, float], behind: int, unit: float
) -> tuple[float, float]:
    """Within which 95 % of printed values lie that are the mean of `behind` draws like our own.

    `own` are number, mean and standard deviation of our repetitions; NaN for fewer than two.
    """
    n, mean, sd = own
    if n < 2 or not math.isfinite(mean):
        return math.nan, math.nan
    margin = float(t.ppf(0.975, n - 1)) * sd * math.sqrt(1 / n + 1 / behind) + unit / 2
    return mean - margin, mean + margin


def _verdict(
    experiment: Experiment, published: float, values: np.ndarray, own: Repeated, note: Any
) -> dict[str, Any]:
    """Mean, limits and verdict of one cell."""
    k = values.size
    mean = float(values.mean()) if k else math.nan
    sd = float(values.std(ddof=1)) if k > 1 else math.nan
    lower, upper = prediction_limits(
        (k, mean, sd), experiment.published_repetitions, experiment.unit
    )
    verdict, why = "not checkable", own.reason
    if isinstance(note, str) and note:
        why = note
    elif not math.isfinite(published):
        why = "the paper prints no value"
    elif not math.isfinite(lower):
        why = why or "our computation has no such value"
    elif own.comparable:
        width = upper - lower
        if lower <= published <= upper:
            verdict = "inside"
        else:
            verdict = "near" if lower - width <= published <= upper + width else "outside"
    return {
        "mean": mean, "sd": sd, "n": k, "lower": lower, "upper": upper, "verdict": verdict,
        "reason": why,
    }  # fmt: skip
