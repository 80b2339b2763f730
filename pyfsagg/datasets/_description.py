"""What is known of the data sets: size, origin, and whether they are as the papers print them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from pyfsagg._base.checks import check_list
from pyfsagg.datasets._catalogue import Entry, catalogue
from pyfsagg.datasets._loaders import LOCAL_FOLDER, data_folder, list_datasets, load_dataset
from pyfsagg.exceptions import UnknownNameError

__all__ = ["describe_datasets"]

COLUMNS = ["name", "origin", "n_samples", "n_features", "classes", "paper", "printed", "match"]


def describe_datasets(names: str | Sequence[str] | None = None) -> pd.DataFrame:
    """The data sets that can be loaded here, and those of the papers that are not here.

    Each available data set is loaded, so that its actual values are shown.

    Parameters
    ----------
    names : str or sequence of str, optional
        All by default.

    Returns
    -------
    DataFrame, index = name
        ``origin``: embedded, scikit-learn, the local folder, or where it would come from;
        ``n_samples``, ``n_features``, ``classes`` (label: count; missing if it is not here);
        ``paper`` and ``printed`` (samples × features there); ``match``: "as printed", where it
        differs, "not here", or "in no paper".

    Raises
    ------
    UnknownNameError
        For a name that is neither here nor in a paper.

    Examples
    --------
    >>> describe_datasets("ionosphere").loc["ionosphere", ["origin", "printed", "match"]].tolist()
    ['embedded', '351 × 34', 'as printed']
    """
    here = {str(name): str(origin) for name, origin in list_datasets()["origin"].items()}
    printed = catalogue(data_folder())
    known = list(dict.fromkeys([*here, *printed]))
    asked = (
        known
        if names is None
        else [names]
        if isinstance(names, str)
        else check_list("names", names)
    )
    rows = []
    for name in asked:
        if name not in known:
            raise UnknownNameError("data set", name, known)
        rows.append([name, *_row(name, here.get(name), printed.get(name))])
    frame = pd.DataFrame(rows, columns=COLUMNS).set_index("name")
    return frame.astype({"n_samples": "Int64", "n_features": "Int64"})


def _row(name: str, origin: str | None, entry: Entry | None) -> list[Any]:
    paper, size = ("", "") if entry is None else (entry["paper"], _printed(entry))
    if origin is None:
        elsewhere = f"{LOCAL_FOLDER} or OpenML {entry['openml_id']}" if entry else ""
        if entry and not entry["openml_id"]:
            elsewhere = f"folder {LOCAL_FOLDER}"
        return [elsewhere, None, None, None, paper, size, "not here"]
    data = load_dataset(name)
    n, p = data.X.shape
    classes = ", ".join(f"{label}: {count}" for label, count in data.y.value_counts().items())
    match = "; ".join(data.differences) or ("as printed" if entry else "in no paper")
    return [origin, n, p, classes, paper, size, match]


def _printed(entry: Entry) -> str:
    features = int(entry["n_features"]) - (entry["counts_target"] == "yes")
    return f"{entry['n_samples']} × {features}"
