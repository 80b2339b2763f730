"""Data sets and published tables by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg.datasets._catalogue import (
    catalogue,
    check_content,
    content_hash,
    differences,
    fetch,
)
from pyfsagg.datasets._files import read_sparse_table
from pyfsagg.exceptions import DataError, UnknownNameError

__all__ = ["Dataset", "list_datasets", "load_dataset", "load_published"]

LOCAL_FOLDER = "PYFSAGG_DATA"

_SKLEARN = {
    "wine": "load_wine",
    "breast_cancer": "load_breast_cancer",
    "digits": "load_digits",
}

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


@dataclass(frozen=True, eq=False)
class Dataset:
    """Features, labels, and where they come from.

    Attributes
    ----------
    X : DataFrame (n_samples, n_features), or a SciPy sparse matrix for the large sparse sets
    y : Series (n_samples,)
    name : str
    source : str
        A sentence on the origin.
    differences : tuple of str
        Differences of a data set from the description in its paper, in sentences; empty if
        nowhere, or if it is in none of them.
    """

    X: Any
    y: pd.Series[Any]
    name: str
    source: str
    differences: tuple[str, ...] = ()

    def __repr__(self) -> str:
        n, p = self.X.shape
        counts = ", ".join(f"{label}: {count}" for label, count in self.y.value_counts().items())
        other = (
            f"; differs from the paper: {'; '.join(self.differences)}" if self.differences else ""
        )
        return f"Dataset({self.name!r}: {n} samples, {p} features; {counts}{other})"


def load_dataset(
    name: str,
    *,
    download: bool = False,
    cache: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
) -> Dataset:
    """Load a data set by name.

    It is searched in this order: embedded in the package (``ionosphere``), shipped with scikit-learn
    (``wine``, ``breast_cancer``, ``digits``), in the folder that the environment variable
    ``PYFSAGG_DATA`` names (``<name>/<name>.csv.gz`` with the last column ``target``, or
    ``<name>/<name>.npz`` with ``<name>.target.csv.gz``), and, only with `download`, on OpenML (the
    twelve data sets of the thesis).

    Parameters
    ----------
    name : str
    download : bool
        Whether a data set of the thesis that is not available may be fetched from OpenML.
    cache : path, optional
        Folder of the downloads; that of scikit-learn by default.
    sha256 : str, optional
        Expected SHA-256 of the download, as in ``source`` of an earlier one.  It is the hash of names,
        cells and labels, not of the packed file.  Without it the first download is trusted, and every
        later one must be the same.  More than 200 MB are not read.

    Raises
    ------
    UnknownNameError
        If there is no data set of that name; the message lists the names.
    DataError
        If a local file does not have the expected layout, or a download fails, is incomplete, is too
        large, or differs from an earlier one.

    Examples
    --------
    >>> load_dataset("ionosphere")
    Dataset('ionosphere': 351 samples, 34 features; good: 225, bad: 126)
    """
    key = str(name).strip().lower()
    loader = _find(key)
    published = catalogue(data_folder())
    if loader is None and download and key in published and published[key]["openml_id"]:
        loader = partial(_download, key, published[key], cache, sha256)
    if loader is None:
        raise UnknownNameError("data set", name, list_datasets().index)
    data = loader()
    if key not in published:
        return data
    return replace(data, differences=differences(published[key], data.X, data.y))


def list_datasets() -> pd.DataFrame:
    """The available data sets, one row each, with their origin."""
    rows = [("ionosphere", "embedded")]
    rows += [(name, "scikit-learn") for name in _SKLEARN]
    taken = {name for name, _ in rows}
    rows += [(name, f"folder {LOCAL_FOLDER}") for name in _local_tables() if name not in taken]
    return pd.DataFrame(rows, columns=["name", "origin"]).set_index("name")


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


def data_folder() -> Path:
    """Where the embedded data are: inside an installed package, beside it in a checkout."""
    installed = Path(__file__).parent / "data"
    return installed if installed.is_dir() else Path(__file__).parents[2] / "data"


def _find(name: str) -> Callable[[], Dataset] | None:
    if name == "ionosphere":
        return _load_ionosphere
    if name in _SKLEARN:
        return lambda: _load_sklearn(name)
    local = _local_tables()
    if name in local:
        return lambda: _load_local(name, local[name])
    return None


def _download(
    name: str, entry: Mapping[str, Any], cache: str | os.PathLike[str] | None, sha256: str | None
) -> Dataset:
    openml_id = int(entry["openml_id"])
    X, y = fetch(name, openml_id, cache)
    found = content_hash(X, y)
    check_content(name, found, sha256 or entry.get("sha256", ""), cache)
    return Dataset(X, y, name, f"OpenML, data set {openml_id}, SHA-256 of its content {found}")


def _load_ionosphere() -> Dataset:
    frame = pd.read_csv(data_folder() / "ionosphere.csv")
    features = frame.drop(columns="target").astype(float)
    return Dataset(
        features,
        frame["target"],
        "ionosphere",
        "UCI Ionosphere radar returns, exported from R's mlbench package",
    )


def _load_sklearn(name: str) -> Dataset:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, _SKLEARN[name])(as_frame=True)
    labels = pd.Series(bunch.target_names.astype(str)[bunch.target], name="target")
    return Dataset(bunch.data, labels, name, f"scikit-learn's {_SKLEARN[name]}")


def _local_folder() -> Path | None:
    folder = os.environ.get(LOCAL_FOLDER)
    if not folder:
        return None
    path = Path(folder)
    if not path.is_dir():
        raise DataError(f"{LOCAL_FOLDER} names {folder!r}, which is not a folder")
    return path


def _local_tables() -> dict[str, Path]:
    """The folder of each table by its name."""
    folder = _local_folder()
    if folder is None:
        return {}
    return {
        entry.name: entry
        for entry in sorted(folder.iterdir())
        if (entry / f"{entry.name}.csv.gz").is_file() or (entry / f"{entry.name}.npz").is_file()
    }


def _load_local(name: str, folder: Path) -> Dataset:
    source = f"folder {LOCAL_FOLDER}, {name}"
    sparse = folder / f"{name}.npz"
    if sparse.is_file():
        return Dataset(*read_sparse_table(sparse), name, source)
    frame = _read_csv(folder / f"{name}.csv.gz")
    if frame.columns[-1] != "target":
        raise DataError(
            f"{name}.csv.gz must have the last column 'target', it has {frame.columns[-1]!r}"
        )
    return Dataset(frame.iloc[:, :-1], frame["target"], name, source)


def _read_csv(path: Path) -> pd.DataFrame:
    # Letters such as N and texts such as NA are values there; only an empty cell is missing.
    return pd.read_csv(path, keep_default_na=False, na_values=[""])
