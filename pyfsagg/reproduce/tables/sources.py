"""The data behind the names of published tables: what is here, and where it differs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pyfsagg._table.identity import data_hash
from pyfsagg._table.table import check_table
from pyfsagg._table.target import check_target
from pyfsagg.datasets import Dataset, list_datasets, load_dataset
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.reproduce.orders.genes import leukaemia_subtypes

__all__ = ["OTHER_DATA", "Source", "find_source", "identity"]

LOCAL_NAMES = {
    "musk": "musk_v2",
    "gisette": "gisette_valid_only",
    "drosophila": "drosophila_lifecycle_artiva",
    "leukaemia_two_classes": "golub",
    "leukaemia_three_classes": "golub",
}
UNOBTAINABLE = {
    "philippine": "the data set could not be obtained",
    "indian_pines": "the data set could not be obtained",
}
OTHER_DATA = {
    "gisette": "other data: of the 7000 rows only the 1000 of the validation part could be obtained",
    "drosophila": "other data: a version with 67 samples of 4028 genes, where the paper has 74 of 3107",
}


@dataclass(frozen=True)
class Source:
    """Data of a published table, or why there are none.

    Attributes
    ----------
    data : Dataset or None
    reason : str
        Why there are none, or where they differ from the published description.
    comparable : bool
        Whether values on these data can decide a cell.
    """

    data: Dataset | None
    reason: str
    comparable: bool


def find_source(name: str) -> Source:
    """The data of a data set as published tables name it."""
    local = name if name in list_datasets().index else LOCAL_NAMES.get(name, name)
    try:
        data = load_dataset(local)
    except UnknownNameError:
        missing = "the data set is not here; PYFSAGG_DATA names the folder of data sets"
        return Source(None, UNOBTAINABLE.get(name, missing), False)
    if name == "leukaemia_three_classes":
        data = replace(data, y=leukaemia_subtypes(len(data.y)).rename("target"))
    if local != name and name in OTHER_DATA:
        return Source(data, OTHER_DATA[name], False)
    differs = f"the data differ: {'; '.join(data.differences)}" if data.differences else ""
    return Source(data, differs, True)


def identity(data: Dataset) -> str:
    """SHA-256 of the cells and labels of a data set."""
    table = check_table(data.X, sparse=True)
    return data_hash(table, check_target(data.y, table.n_samples))
