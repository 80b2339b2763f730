"""Published cells beside our own values over several repetitions, with a verdict for each."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t

from pyfsagg._identity import data_hash
from pyfsagg._output import new_file
from pyfsagg._target import check_target
from pyfsagg._validation import check_integer, check_table
from pyfsagg.datasets import load_dataset, load_published
from pyfsagg.exceptions import OutputError, ParameterError, UnknownNameError
from pyfsagg.reproduce.experiments import (
    EXPERIMENTS,
    LOCAL_NAMES,
    PAPERS,
    UNOBTAINABLE,
    Experiment,
    find_experiment,
)

__all__ = ["VERDICTS", "cells", "coverage", "table"]

VERDICTS = ("inside", "near", "outside", "not checkable")
SCHEMA = 1
EXACT_STUART = (
    "the printed column is that of a recursion which breaks down with many lists; ours is exact"
)

Say = Callable[[str], None]


def table(
    table: str,
    dataset: str | Sequence[str] | None = None,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    say: Say | None = None,
) -> pd.DataFrame:
    """Repeat a published table, and compare cell by cell.

    Parameters
    ----------
    table : {"4.4", "4.5", "4.6", "frcm_2"}
        As in :func:`pyfsagg.load_published`.
    dataset : str or sequence of str, optional
        Data sets of the table, as published; all of them by default.
    quick : bool
        Fewer resamples, folds and repetitions: minutes instead of hours.
    random_state : int
    n_jobs : int, optional
        Workers; no number depends on them.
    cache : path, optional
        A folder in which each repetition is kept as soon as it is done; a later call with the same
        data and settings takes it from there.
    say : callable (str), optional
        Told what is being done.

    Returns
    -------
    DataFrame
        One row per published cell: ``paper``, ``table``, ``dataset``, ``row``, ``measure``,
        ``published``; ``mean``, ``sd`` and ``n`` of our repetitions; ``lower`` and ``upper``, the
        limits within which 95 % of published values of this kind would lie; ``verdict``; ``reason``.

    Raises
    ------
    UnknownNameError, ParameterError
        For a table, data set or number that is not allowed.
    OutputError
        If the cache cannot be written or holds a damaged file.

    Notes
    -----
    A printed value is one more draw of the same kind (a split of the rows, a division into folds) or
    the mean of many (trials).  With k repetitions of mean m and standard deviation s the limits are
    those of prediction, m ± t(k − 1) s √(1/k + 1/K), with K the repetitions behind the printed
    value, widened by half of the last printed digit.  ``inside``: within them; ``near``: within one
    more of their width; ``outside``: farther; ``not checkable``: the cell is lost in the source, or
    doubtful there, or the data could not be had.

    Examples
    --------
    >>> found = table("frcm_2", "nutt_2003_v1", quick=True)  # doctest: +SKIP
    >>> found.loc[found["verdict"] == "inside", ["row", "measure"]]  # doctest: +SKIP
    """
    experiment = find_experiment(table)
    check_integer("random_state", random_state, low=0)
    published = load_published(table)
    names = list(published["dataset"].unique())
    wanted = names if dataset is None else [dataset] if isinstance(dataset, str) else list(dataset)
    for name in wanted:
        if name not in names:
            raise UnknownNameError(f"data set of table {table}", name, names)
    frames = []
    for name in wanted:
        own = published[published["dataset"] == name]
        values, reason = _repetitions(
            experiment, name, quick, random_state, n_jobs, cache, say or (lambda _: None)
        )
        frames.append(_compare(experiment, name, own, values, reason))
    return pd.concat(frames, ignore_index=True)


def cells(
    paper: str | None = None, dataset: str | Sequence[str] | None = None, **options: Any
) -> pd.DataFrame:
    """All tables of a paper, or of all papers; options as in :func:`table`.

    A data set that a table does not have is left out of that table.

    Raises
    ------
    ParameterError
        For a paper without experiments here, or data sets that no table has.
    """
    if paper is not None and paper not in PAPERS:
        raise ParameterError(f"paper must be one of {', '.join(map(repr, PAPERS))}, got {paper!r}")
    frames = []
    for experiment in EXPERIMENTS.values():
        if paper not in (None, experiment.paper):
            continue
        names = list(load_published(experiment.table)["dataset"].unique())
        asked = [dataset] if isinstance(dataset, str) else dataset
        chosen = names if asked is None else [name for name in asked if name in names]
        if chosen:
            frames.append(table(experiment.table, chosen, **options))
    if not frames:
        raise ParameterError(f"no table of this paper has the data sets {dataset!r}")
    return pd.concat(frames, ignore_index=True)


def coverage(found: pd.DataFrame, by: Sequence[str] = ("table", "dataset")) -> pd.DataFrame:
    """How many cells are inside, near and outside, by groups of cells.

    Returns
    -------
    DataFrame
        One row per group with a column for each verdict, ``checkable``, and ``inside_share``.
    """
    counts = found.groupby([*by, "verdict"], sort=False).size().unstack(fill_value=0)
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0).rename_axis(columns=None)
    counts["checkable"] = counts[["inside", "near", "outside"]].sum(axis=1)
    counts["inside_share"] = counts["inside"] / counts["checkable"].where(counts["checkable"] > 0)
    return counts


# ---------------------------------------------------------------------------------------------
# repetitions
# ---------------------------------------------------------------------------------------------
def _repetitions(
    experiment: Experiment,
    name: str,
    quick: bool,
    seed: int,
    n_jobs: int | None,
    cache: str | os.PathLike[str] | None,
    say: Say,
) -> tuple[pd.DataFrame | None, str]:
    """Values (repetition, row, measure, value), or why there are none."""
    if name in UNOBTAINABLE:
        return None, UNOBTAINABLE[name]
    try:
        data = load_dataset(LOCAL_NAMES.get(name, name))
    except UnknownNameError:
        return None, "the data set is not here; PYFSAGG_DATA names the folder of data sets"
    settings = experiment.settings(quick)
    repetitions = settings.pop("repetitions")
    table = check_table(data.X)
    identity = data_hash(table, check_target(data.y, table.n_samples))
    frames = []
    for r in range(repetitions):
        key = {
            "schema": SCHEMA, "table": experiment.table, "dataset": name, "data": identity,
            "settings": settings, "seed": seed, "repetition": r,
        }  # fmt: skip
        kept = _read_kept(cache, key)
        if kept is None:
            say(f"table {experiment.table}, {name}: repetition {r + 1} of {repetitions}")
            draw = int(np.random.SeedSequence(seed, spawn_key=(7, r)).generate_state(1)[0])
            found = experiment.repeat(data.X, data.y, settings, draw, n_jobs)
            kept = [[row, measure, value] for (row, measure), value in found.items()]
            _keep(cache, key, kept)
        frame = pd.DataFrame(kept, columns=["row", "measure", "value"])
        frames.append(frame.assign(repetition=r))
    values = pd.concat(frames, ignore_index=True)
    for column in ("row", "measure"):
        values[column] = values[column].replace(dict(experiment.renamed))
    differs = f"the data differ: {'; '.join(data.differences)}" if data.differences else ""
    return values, differs


def _path(cache: str | os.PathLike[str], key: dict[str, Any]) -> Path:
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
    return Path(cache) / f"{key['table']}-{key['dataset']}-{key['repetition']}-{digest}.json"


def _read_kept(cache: str | os.PathLike[str] | None, key: dict[str, Any]) -> list[Any] | None:
    if cache is None or not (path := _path(cache, key)).is_file():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["key"] != key:
            raise ValueError("it belongs to another computation")
        values: list[Any] = document["values"]
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(f"{path} is damaged ({error}); delete it to compute it again") from None
    return values


def _keep(cache: str | os.PathLike[str] | None, key: dict[str, Any], values: list[Any]) -> None:
    if cache is None:
        return
    Path(cache).mkdir(parents=True, exist_ok=True)
    with new_file(_path(cache, key)) as draft:
        draft.write_text(json.dumps({"key": key, "values": values}), encoding="utf-8")


# ---------------------------------------------------------------------------------------------
# verdicts
# ---------------------------------------------------------------------------------------------
def _compare(
    experiment: Experiment,
    name: str,
    published: pd.DataFrame,
    values: pd.DataFrame | None,
    reason: str,
) -> pd.DataFrame:
    if experiment.table == "frcm_2":
        keys = ["dataset", experiment.row]
        measures = ["n_features", "nmi", "ari"]
        published = published[[*keys, *measures]].melt(keys, var_name="measure")
    rows = []
    for cell in published.to_dict("records"):
        row, measure = cell[experiment.row], cell["measure"]
        own = np.empty(0)
        if values is not None:
            chosen = (values["row"] == row) & (values["measure"] == measure)
            own = values.loc[chosen, "value"].to_numpy(dtype=float)
        note = cell.get("note")
        rows.append(
            {
                "paper": experiment.paper,
                "table": experiment.table,
                "dataset": name,
                "row": row,
                "measure": measure,
                "published": cell["value"],
                **_verdict(experiment, cell["value"], own, reason, note),
            }
        )
    frame = pd.DataFrame(rows)
    stuart = (frame["row"] == "stuart") & frame["verdict"].isin(["near", "outside"])
    frame.loc[stuart, "reason"] = EXACT_STUART
    return frame


def _verdict(
    experiment: Experiment, published: float, own: np.ndarray, reason: str, note: Any
) -> dict[str, Any]:
    """Mean, limits and verdict of one cell."""
    k = own.size
    mean = float(own.mean()) if k else math.nan
    sd = float(own.std(ddof=1)) if k > 1 else math.nan
    lower = upper = math.nan
    if k > 1 and math.isfinite(mean):
        spread = sd * math.sqrt(1 / k + 1 / experiment.published_repetitions)
        margin = float(t.ppf(0.975, k - 1)) * spread + experiment.unit / 2
        lower, upper = mean - margin, mean + margin
    verdict, why = "not checkable", reason
    if not math.isfinite(published):
        why = note if isinstance(note, str) else "the paper prints no value"
    elif isinstance(note, str) and note:
        why = note
    elif math.isfinite(lower):
        width = upper - lower
        if lower <= published <= upper:
            verdict = "inside"
        else:
            verdict = "near" if lower - width <= published <= upper + width else "outside"
    elif not why:
        why = "our computation has no such value"
    return {
        "mean": mean, "sd": sd, "n": k, "lower": lower, "upper": upper, "verdict": verdict,
        "reason": why,
    }  # fmt: skip
