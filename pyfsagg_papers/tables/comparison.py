"""Published cells beside our own values: a verdict for each, and what that verdict is worth."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import t

from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import Got, Param
from pyfsagg_papers.published import find_datasets, printed_cells, readable_cells
from pyfsagg_papers.records import Floats, Log
from pyfsagg_papers.tables.experiments import EXPERIMENTS, PAPERS, Experiment, find_experiment
from pyfsagg_papers.tables.repetitions import Options, Repeated, repeat_on

# -------------------------------------------------------------------------------------------------
# what a verdict is worth: whether the limits of a cell would have held the value of another one
# -------------------------------------------------------------------------------------------------

MOST_OTHERS = 0.05
"""Share of other printed values that the limits of a decisive cell may hold: as many as they may miss
of their own kind."""

_LARGEST = math.log(1e12)
"""Beyond this a ratio says no more, and would depend on how far the tails of t reach."""


def evidence(found: pd.DataFrame) -> pd.DataFrame:
    """The evidence of the verdict of each cell.

    Wide limits contain nearly any value. Each cell is therefore also judged with the printed values of
    the other data sets in the same row and measure instead of its own (of the other rows, if the table
    has only one data set).

    Parameters
    ----------
    found : DataFrame
        Cells as of :func:`pyfsagg_papers.table` or :func:`pyfsagg_papers.readings`.

    Returns
    -------
    DataFrame
        Same index: ``others``, how many other printed values there are; ``others_inside``, the share
        of them within the limits of this cell; ``decisive``, whether that is at most 5 %;
        ``likelihood_ratio``, how many times more likely the printed value is as a further draw of our
        repetitions than as one of the other cells of the table (other data sets with this row, other
        rows with this data set, all equally likely before; NaN without any).  Missing values where a
        cell is not checkable.

    Notes
    -----
    With k repetitions of mean m and standard deviation s, and K repetitions behind a printed value v,
    the first likelihood is that of Student's t with k − 1 degrees of freedom around m with the scale
    s √(1/k + 1/K); the second is the mean of those around each of the other printed values with the
    scale s √(2/K), as if all data sets scattered alike.  The variance of rounding is added to both.  A
    ratio near 1 means that the cell is not informative.  How often limits contain a value of their
    own kind, and how often a value of another kind has a ratio of 10, is in the calibration report.

    Examples
    --------
    >>> from pyfsagg_papers import shipped_run
    >>> cells = shipped_run("full-4.4").cells
    >>> told = evidence(cells)
    >>> bool(told.loc[cells["verdict"] == "inside", "likelihood_ratio"].median() > 1)
    True
    """
    told = [
        _of_cell(cell, find_experiment(cell["table"]))
        for cell in found[["table", "dataset", "row", "measure", *_NUMBERS]].to_dict("records")
    ]
    columns = ["others", "others_inside", "decisive", "likelihood_ratio"]
    frame = pd.DataFrame(told, columns=columns, index=found.index)
    return frame.astype({"others": "Int64", "decisive": "boolean"})


_NUMBERS = ("published", "mean", "sd", "n", "lower", "upper", "verdict")


def _of_cell(
    cell: Mapping[Any, Any], experiment: Experiment
) -> tuple[int | None, float, bool | None, float]:
    """A row of the frame of :func:`evidence`."""
    same_row, same_dataset = _others(
        *(cell[name] for name in ("table", "dataset", "row", "measure"))
    )
    others = same_row if same_row.size else same_dataset
    if cell["verdict"] == "not checkable" or not others.size:
        return None, math.nan, None, math.nan
    held = float(((others >= cell["lower"]) & (others <= cell["upper"])).mean())
    ratio = likelihood_ratio(
        cell["published"],
        np.concatenate([same_row, same_dataset]),
        (cell["n"], cell["mean"], cell["sd"]),
        experiment.published_repetitions,
        experiment.unit,
    )
    return others.size, held, held <= MOST_OTHERS, ratio


def likelihood_ratio(
    printed: float, others: Floats, own: tuple[int, float, float], behind: int, unit: float
) -> float:
    """How many times more likely `printed` is as one more of our draws than as one of `others`."""
    n, mean, sd = own
    rounding = unit**2 / 12.0
    around_own = _log_t(printed - mean, n - 1, sd**2 * (1 / n + 1 / behind) + rounding)
    around_others = _log_t(printed - others, n - 1, sd**2 * 2 / behind + 2 * rounding)
    log_ratio = float(around_own - (logsumexp(around_others) - math.log(others.size)))
    return math.exp(min(log_ratio, _LARGEST))


def _log_t(deviations: float | Floats, df: int, variance: float) -> Floats:
    """The log density of Student's t without its constant, which a ratio does not need."""
    return np.asarray(
        -(df + 1) / 2 * np.log1p(np.square(deviations) / (variance * df)) - math.log(variance) / 2
    )


def _others(table: str, dataset: str, row: str, measure: str) -> tuple[Floats, Floats]:
    """Printed values of a measure: of the other data sets in this row, of the other rows with this data."""
    if measure not in _printed(table):
        return np.empty(0), np.empty(0)
    datasets, rows, values = _printed(table)[measure]
    own_row, own_data = rows == row, datasets == dataset
    return values[own_row & ~own_data], values[~own_row & own_data]


@cache
def _printed(table: str) -> Mapping[str, tuple[NDArray[Any], NDArray[Any], Floats]]:
    """Data sets, rows and values of the cells that can be read, by measure."""
    return {
        str(measure): (
            part["dataset"].to_numpy(dtype=object),
            part["row"].to_numpy(dtype=object),
            part["value"].to_numpy(dtype=float),
        )
        for measure, part in readable_cells(table).groupby("measure")
    }


# -------------------------------------------------------------------------------------------------
# published cells beside our own values over several repetitions, with a verdict for each
# -------------------------------------------------------------------------------------------------

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
        As in :func:`pyfsagg_papers.load_published`.
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
    """
    if paper is not None and paper not in PAPERS:
        raise ParameterError(
            Param("paper"), f" must be one of {', '.join(map(repr, PAPERS))}", Got(paper)
        )
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
