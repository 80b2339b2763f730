"""What the Stuart column of thesis tables 4.5 and 4.6 measured.

The influence experiment (thesis 3.3.2) once more, with Stuart's statistic computed exactly and by the
recursion of the R package RobustRankAggreg, for several numbers of lists.  The recursion is called in
R: its arithmetic is no part of this package.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg.datasets import Dataset, load_dataset
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.extending import Param, check_integer
from pyfsagg_papers.published import load_published
from pyfsagg_papers.records import Log, record, silent
from pyfsagg_papers.stuart.rankings import (
    PRAZNIK,
    Fold,
    FoldRankings,
    fold_stability,
    geometric_mean_options,
    look_for_r,
)
from pyfsagg_papers.stuart.result import KINDS, TABLE_OF_FILTER, StuartFinding

DATASETS = ("ionosphere", "semeion", "optdigits", "splice")
N_FOLDS, QUICK_FOLDS = 100, 10
LIST_COUNTS = (10, 20, 30, 40, 50, 60, 80, 100, 120, 150, 170, 171, 200, 300, 500, 1000)
QUICK_COUNTS = (20, 50, 100, 171, 1000)
FILTERS: dict[str, Mapping[str, Any]] = {
    "information_gain": {"mdl": "fselectorrcpp"},
    "mrmr": PRAZNIK,
}
"""The filters of the published tables, and their parity readings."""


def stuart_finding(
    datasets: Sequence[str | Dataset] | None = None,
    *,
    filters: Sequence[str] = tuple(FILTERS),
    n_folds: int | None = None,
    list_counts: Sequence[int] | None = None,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> StuartFinding:
    """Stability of Stuart's aggregation, exact and by R's recursion, and of the other aggregators.

    Each fold of a stratified cross-validation leaves some samples out; the filter scores bootstraps
    of the rest, and every aggregator ranks the features by the first 10, 20, … of them.  The
    stability of a ranking is that over the folds.

    Parameters
    ----------
    datasets : sequence of names or Datasets, optional
        By default ionosphere, semeion, optdigits and splice (``quick``: ionosphere alone); all but
        ionosphere must be in the folder that ``PYFSAGG_DATA`` names.
    filters : sequence of {"information_gain", "mrmr"}
        Those of tables 4.5 and 4.6.
    n_folds : int, optional
        100 by default as in the thesis, 10 if `quick`.
    list_counts : sequence of int, optional
        Numbers of lists; the largest is the number of bootstraps, 1000 in the thesis and by default.
    quick : bool
        Smaller defaults: about a minute instead of half an hour or more.  Nearly all of the time is
        spent in R, and grows with folds × features × the square of the number of lists.
    random_state : int
        The result does not depend on the number of workers.
    n_jobs : int, optional
        Worker processes, each with its own R; -1: all cores.
    log : callable (str), optional
        Called with a line on each step.

    Returns
    -------
    StuartFinding
        If R, rpy2 or RobustRankAggreg is missing, it has no values of the recursion and
        ``finding.r["available"]`` is False.

    Raises
    ------
    ParameterError, UnknownNameError, DataError
        For numbers out of range, an unknown filter or data set, or more folds than the smallest
        class has samples.

    Notes
    -----
    Features of near-zero variance are removed first (thesis 4.1).  R is given average ranks divided
    by the number of features, as a matrix with features in column order.  Its NaN are ranked in two
    ways: by R's ``rank``, which puts them last in the order of the columns; and as
    ``aggregateRanks`` returns them for lists of names, last in the order of the first list.  Scores
    of mRMR can be negative: the geometric mean takes them shifted to a minimum of 0.

    Examples
    --------
    >>> import pyfsagg
    >>> found = stuart_finding(
    ...     [pyfsagg.load_dataset("wine")], filters=["mrmr"], n_folds=3, list_counts=[5, 10]
    ... )
    >>> exact = found.stability.query("aggregator == 'stuart' and measure == 'spearman'")
    >>> exact["n_lists"].tolist()
    [5, 10]
    """
    log = log or silent
    chosen = _datasets((DATASETS[:1] if quick else DATASETS) if datasets is None else datasets)
    filters = _filters(filters)
    folds = QUICK_FOLDS if quick else N_FOLDS
    folds = folds if n_folds is None else check_integer("n_folds", n_folds, low=3)
    counts = _counts(
        (QUICK_COUNTS if quick else LIST_COUNTS) if list_counts is None else list_counts
    )
    r = look_for_r()
    if not r["available"]:
        log(f"without R's recursion: {r['reason']}")
    started = time.perf_counter()
    parts = []
    for data in chosen:
        for name in filters:
            log(f"{data.name}, {name}: {folds} folds of up to {counts[-1]} lists")
            task = FoldRankings.set_up(
                data.X,
                data.y,
                name,
                filter_params=FILTERS[name],
                geometric_mean=geometric_mean_options(name),
                n_folds=folds,
                counts=counts,
                random_state=random_state,
                recursion=bool(r["available"]),
                drop_near_zero_variance=True,
            )
            found = _run(task, folds, n_jobs, log)
            parts.append(_tables(data.name, name, counts, found))
    return StuartFinding(
        stability=pd.concat([part[0] for part in parts], ignore_index=True),
        values=pd.concat([part[1] for part in parts], ignore_index=True),
        published=_published([data.name for data in chosen], filters),
        r=r,
        parameters={
            "datasets": [data.name for data in chosen],
            "filters": filters,
            "n_folds": folds,
            "list_counts": counts,
            "seed": random_state,
            "quick": bool(quick),
        },
        record={**record(), "seconds": round(time.perf_counter() - started, 1)},
    )


def _run(task: FoldRankings, folds: int, n_jobs: int | None, log: Log) -> list[Fold]:
    found: list[Fold] = []
    for one in task.rank_all(n_jobs):
        found.append(one)
        if 4 * len(found) // folds > 4 * (len(found) - 1) // folds:
            log(f"{len(found)} of {folds} folds done")
    return found


def _datasets(given: Sequence[str | Dataset]) -> list[Dataset]:
    """Loaded data sets of different names."""
    if isinstance(given, str):
        raise InputTypeError(
            Param("datasets"), f" must be a sequence of names, got the one name {given!r}"
        )
    found = [load_dataset(each) if isinstance(each, str) else each for each in given]
    for each in found:
        if not isinstance(each, Dataset):
            raise InputTypeError(
                Param("datasets"),
                f" must be names or Datasets of load_dataset, got {type(each).__name__}",
            )
    names = [each.name for each in found]
    if not names or len(set(names)) < len(names):
        raise ParameterError(Param("datasets"), f" must be different and at least one, got {names}")
    return found


def _filters(given: Sequence[str]) -> list[str]:
    names = [given] if isinstance(given, str) else list(dict.fromkeys(given))
    unknown = [name for name in names if name not in FILTERS]
    if unknown or not names:
        raise ParameterError(
            Param("filters"),
            f" must be some of {', '.join(FILTERS)}, got {unknown[0] if unknown else 'none'}",
        )
    return names


def _counts(given: Sequence[int]) -> list[int]:
    counts = sorted({check_integer("list_counts", each, low=2) for each in given})
    if not counts:
        raise ParameterError(
            Param("list_counts"), " must hold at least one number of lists, got none"
        )
    return [int(each) for each in counts]


def _tables(
    dataset: str,
    name: str,
    counts: Sequence[int],
    found: Sequence[Fold],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Stability by number of lists, aggregator and measure; kinds of values by number of lists."""
    rows = []
    for m, aggregator in found[0][0]:
        scores = np.stack([scores[m, aggregator] for scores, _ in found])
        for measure, value in fold_stability(scores).items():
            rows.append((dataset, name, m, aggregator, measure, value))
    columns = ["dataset", "filter", "n_lists", "aggregator", "measure", "value"]
    kinds = [
        (dataset, name, m, *np.sum([parts[m] for _, parts in found], axis=0).tolist())
        for m in counts
        if m in found[0][1]
    ]
    return (
        pd.DataFrame(rows, columns=columns),
        pd.DataFrame(kinds, columns=[*columns[:3], *KINDS]),
    )


def _published(datasets: Sequence[str], filters: Sequence[str]) -> pd.DataFrame:
    parts = []
    for name in filters:
        frame = load_published(TABLE_OF_FILTER[name])
        part = frame[frame["dataset"].isin(datasets)].copy()
        part.insert(1, "filter", name)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)
