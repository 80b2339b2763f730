"""The published tables in one form: a row for each cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pandas as pd

from pyfsagg.datasets import load_published
from pyfsagg.exceptions import ParameterError, UnknownNameError

__all__ = ["WEIGHTED_ACCURACY", "find_datasets", "printed_cells", "readable_cells"]

WEIGHTED_ACCURACY = "wacc_"
"""What stands before the name of a classifier in the measures of table 4.3."""

CLUSTERING = ["n_features", "nmi", "ari"]

COLUMNS = ["dataset", "row", "measure", "value", "note"]


def printed_cells(table: str) -> pd.DataFrame:
    """The cells of a published table with an experiment.

    Parameters
    ----------
    table : str
        As :func:`pyfsagg.load_published` names it.

    Returns
    -------
    DataFrame
        ``dataset``, ``row`` (filter, aggregator or method), ``measure``, ``value`` (missing if the
        source text lost it), ``note`` (missing if there is none).

    Examples
    --------
    >>> printed_cells("fpcps_1").loc[0, ["dataset", "row", "measure"]].tolist()
    ['dorothea', 'borda', 'tanimoto']
    """
    frame = _LAYOUTS.get(table, _long)(load_published(table))
    return frame.reindex(columns=COLUMNS).reset_index(drop=True)


def find_datasets(tables: Sequence[str], asked: str | Sequence[str] | None) -> list[str]:
    """The data sets of these tables, or those of them that are asked for; none may be unknown."""
    printed = (name for table in tables for name in printed_cells(table)["dataset"])
    known = list(dict.fromkeys(map(str, printed)))
    if asked is None:
        return known
    wanted = [asked] if isinstance(asked, str) else list(asked)
    if not wanted:
        raise ParameterError("dataset must name at least one data set, or be None for all")
    place = f"table {tables[0]}" if len(tables) == 1 else "these tables"
    for name in wanted:
        if name not in known:
            raise UnknownNameError(f"data set of {place}", name, known)
    return wanted


@cache
def readable_cells(table: str) -> pd.DataFrame:
    """The cells of :func:`printed_cells` whose value is neither lost nor doubtful in the source."""
    printed = printed_cells(table)
    return printed[printed["value"].notna() & printed["note"].isna()]


def _long(frame: pd.DataFrame) -> pd.DataFrame:
    """A table that is printed so already; its rows are methods or aggregators."""
    return frame.rename(columns={"method": "row", "aggregator": "row"})


def _weighted_accuracy(frame: pd.DataFrame) -> pd.DataFrame:
    cells = frame.melt(["dataset", "classifier"], var_name="row")
    return cells.assign(measure=WEIGHTED_ACCURACY + cells["classifier"])


def _stability(frame: pd.DataFrame) -> pd.DataFrame:
    cells = frame.melt("aggregator", var_name="dataset").rename(columns={"aggregator": "row"})
    return cells.assign(measure="tanimoto")


def _auc(frame: pd.DataFrame) -> pd.DataFrame:
    cells = frame.melt("classifier", var_name="row")
    return cells.assign(dataset="madelon", measure="auc_" + cells["classifier"])


def _clustering(frame: pd.DataFrame) -> pd.DataFrame:
    cells = frame[["dataset", "method", *CLUSTERING]].melt(
        ["dataset", "method"], var_name="measure"
    )
    return cells.rename(columns={"method": "row"})


_LAYOUTS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {
    "4.3": _weighted_accuracy,
    "fpcps_1": _stability,
    "fpcps_2": _auc,
    "frcm_2": _clustering,
}
