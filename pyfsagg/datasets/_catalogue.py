"""The data sets of the papers: what they print of them, and where OpenML has those of the thesis."""

from __future__ import annotations

import hashlib
import json
import os
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.output import new_file
from pyfsagg.exceptions import DataError

__all__ = ["catalogue", "check_content", "content_hash", "differences", "fetch"]

MOST_BYTES = 200_000_000
"""Of one download, packed as it is sent; the largest table of the thesis has 10 MB as text."""


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
        Without a network, for more than `MOST_BYTES`, or for a download that is not whole.
    """
    from sklearn.datasets import fetch_openml

    try:
        with _limited_downloads(MOST_BYTES):
            bunch = fetch_openml(
                data_id=int(openml_id),
                data_home=None if cache is None else str(cache),
                as_frame=True,
                parser="liac-arff",
            )
    except _TooLargeError as error:
        raise DataError(f"the download of {name!r} was stopped: {error}") from None
    except ValueError as error:
        raise DataError(
            f"the download of {name!r} is incomplete or differs from the record of OpenML ({error}); "
            "delete the cache of scikit-learn (sklearn.datasets.get_data_home()) and try again"
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


def content_hash(X: pd.DataFrame, y: pd.Series[Any]) -> str:
    """SHA-256 of the names, cells and labels of a table, each as text; not of how it was packed."""
    digest = hashlib.sha256()
    for name, column in [*X.items(), ("target", y)]:
        cells = column.astype(object).where(column.notna(), None).tolist()
        numbers = [float(cell) if isinstance(cell, Real) else cell for cell in cells]
        digest.update(json.dumps([str(name), numbers]).encode() + b"\0")
    return digest.hexdigest()


def check_content(name: str, found: str, pinned: str, cache: str | os.PathLike[str] | None) -> None:
    """Refuse a table whose content is not what was pinned, or what the first download here was.

    The SHA-256 of a first download is kept in ``pyfsagg-sha256.json`` beside the downloads.

    Raises
    ------
    DataError
        With both hashes.
    """
    from sklearn.datasets import get_data_home

    path = Path(get_data_home(None if cache is None else str(cache))) / "pyfsagg-sha256.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        first = str(kept.get(name, found))
    except (OSError, ValueError, AttributeError):
        raise DataError(f"{path} is damaged; delete it to trust the next download") from None
    for wanted, whose in ((pinned or found, "pinned"), (first, f"of the first download ({path})")):
        if found != wanted:
            raise DataError(
                f"the download of {name!r} has the SHA-256 {found}, and the one {whose} is {wanted}: its "
                "content has changed. Find out why before you use it"
            )
    if name not in kept:
        with new_file(path) as draft:
            draft.write_text(json.dumps({**kept, name: found}, indent=1) + "\n", encoding="utf-8")


class _TooLargeError(Exception):
    """More was sent than any of these data sets holds."""


@contextmanager
def _limited_downloads(most: int) -> Iterator[None]:
    """Stop whatever `urlopen` reads inside the block after so many bytes."""

    class Limit(urllib.request.BaseHandler):
        def http_response(self, request: Any, response: Any) -> Any:
            read, taken = response.read, 0

            def limited(*size: Any) -> Any:
                nonlocal taken
                part = read(*(size or (most + 1,)))
                taken += len(part)
                if taken > most:
                    raise _TooLargeError(
                        f"more than {most / 1e6:,.0f} MB were sent, and none of these data sets is so large"
                    )
                return part

            response.read = limited
            return response

        https_response = http_response

    before = urllib.request._opener  # type: ignore[attr-defined]
    urllib.request.install_opener(urllib.request.build_opener(Limit))
    try:
        yield
    finally:
        urllib.request.install_opener(before)
