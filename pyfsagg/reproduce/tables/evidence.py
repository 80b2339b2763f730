"""What a verdict is worth: whether the limits of a cell would have held the value of another one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp

from pyfsagg._base.types import Floats
from pyfsagg.reproduce.published import readable_cells
from pyfsagg.reproduce.tables.experiments import Experiment, find_experiment

__all__ = ["MOST_OTHERS", "evidence", "likelihood_ratio"]

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
        Cells as of :func:`pyfsagg.reproduce.table` or :func:`pyfsagg.reproduce.readings`.

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
    >>> from pyfsagg.reproduce import shipped_run
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
    """How many times more likely `printed` is as one more of our draws than as one of `others`.

    Parameters
    ----------
    printed : float
    others : (m,) array
        Printed values of other cells, equally likely before.
    own : (number, mean, standard deviation) of our repetitions
    behind : int
        Repetitions behind a printed value.
    unit : float
        Its last digit.

    Returns
    -------
    float
        As in the notes of :func:`evidence`; at most 1e12.
    """
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
