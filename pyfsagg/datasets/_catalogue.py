"""The data sets of the papers: what they print of them, and where OpenML has those of the thesis."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg.exceptions import DataError

__all__ = ["catalogue", "differences", "fetch"]


Entry = Mapping[str, Any]


def catalogue(folder: Path) -> dict[str, Entry]:
    """The entries by name of the data set.

    Each has ``paper``, ``openml_id`` (empty if it is not known there), ``published_as`` (the name in
    the paper), ``n_samples``, ``n_features``, ``counts_target`` (whether the printed number of features
    counts the class), ``classes`` (sizes in ascending order, where they are printed).
    """
    rows = pd.read_csv(folder / "datasets.csv", keep_default_na=False).to_dict("records")
    return {str(row["name"]): row for row in rows}  # type: ignore[misc]


def differences(entry: Entry, X: Any, y: pd.Series[Any]) -> tuple[str, ...]:
    """Where a loaded data set differs from what its paper prints, in words."""
    n, p = X.shape
    found = []
    if n != entry["n_samples"]:
        found.append(f"{n} samples, printed {entry['n_samples']}")
    printed = int(entry["n_features"]) - (entry["counts_target"] == "yes")
    if p != printed:
        beside = " beside the class" if entry["counts_target"] == "yes" else ""
        found.append(f"{p} features, printed {printed}{beside}")
    sizes = " ".join(map(str, sorted(y.value_counts().tolist())))
    if entry["classes"] and sizes != entry["classes"]:
        found.append(f"classes of {sizes} samples, printed {entry['classes']}")
    return tuple(found)


def fetch(
    name: str, openml_id: int, cache: str | os.PathLike[str] | None
) -> tuple[Any, pd.Series[Any]]:
    """Features and labels from OpenML by scikit-learn, which keeps and checks the file.

    Raises
    ------
    DataError
        Without a network, or for a download that is not whole.
    """
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(
            data_id=int(openml_id),
            data_home=None if cache is None else str(cache),
            as_frame=True,
            parser="liac-arff",
        )
    except ValueError as error:
        raise DataError(
            f"the download of {name!r} is not whole or not what OpenML says it is ({error}); delete the "
            "cache of scikit-learn (sklearn.datasets.get_data_home()) and try again"
        ) from error
    except OSError as error:
        raise DataError(
            f"{name!r} cannot be fetched from OpenML ({error}); without a network put it into the folder "
            f"that PYFSAGG_DATA names, as {name}/{name}.csv.gz with the last column 'target'"
        ) from error
    labels = bunch.target
    if labels is None or getattr(labels, "ndim", 1) != 1:
        raise DataError(f"OpenML names no single target for {name!r} (data set {openml_id})")
    return bunch.data, pd.Series(labels).astype(str).rename("target")
