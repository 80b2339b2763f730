"""The published tables: as they are printed, and in one form, a row for each cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pandas as pd

from pyfsagg.exceptions import ParameterError, UnknownNameError
from pyfsagg.extending import NONE, Param, data_folder

WEIGHTED_ACCURACY = "wacc_"
"""What stands before the name of a classifier in the measures of table 4.3."""

CLUSTERING = ["n_features", "nmi", "ari"]

COLUMNS = ["dataset", "row", "measure", "value", "note"]


_PUBLISHED = {
    "4.1": "table_4_1_datasets",
    "4.2": "table_4_2_running_times",
    "4.3": "table_4_3_weighted_average_accuracy",
    "4.4": "table_4_4_stability_by_filter",
    "4.5": "table_4_5_stability_by_aggregator_information_gain",
    "4.6": "table_4_6_stability_by_aggregator_mrmr",
    "fpcps_1": "fpcps_table_1_stability",
    "fpcps_2": "fpcps_table_2_madelon_auc",
    "frcm_2": "frcm_table_2_clustering",
    "orders_genes": "orders_genes",
    "gene_lists": "wang_2022_gene_lists",
}


def load_published(table: str) -> pd.DataFrame:
    """A published table as printed (cells that are illegible in the source are missing).

    Parameters
    ----------
    table : str
        ``"4.1"`` … ``"4.6"`` of the bootstrap aggregation thesis, ``"fpcps_1"``, ``"fpcps_2"`` of
        the paper on ensembles of ranking filters, ``"frcm_2"`` of the consensus affinity paper,
        ``"orders_genes"``: the numbers of section 5.2 of the rank-order paper on genes,
        ``"gene_lists"``: accuracies of the comparison of aggregators by Wang et al. (2022).

    Examples
    --------
    >>> int(load_published("4.2").loc[0, "wam_seconds"])
    1838
    """
    if not isinstance(table, str) or table not in _PUBLISHED:
        raise UnknownNameError("published table", table, _PUBLISHED)
    return pd.read_csv(data_folder() / "published" / f"{_PUBLISHED[table]}.csv")


def printed_cells(table: str) -> pd.DataFrame:
    """The cells of a published table with an experiment.

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
        raise ParameterError(
            Param("dataset"), " must name at least one data set, or be ", NONE, " for all"
        )
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
