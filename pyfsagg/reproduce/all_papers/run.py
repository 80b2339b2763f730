"""All published tables and statements at once."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import pandas as pd

from pyfsagg.exceptions import ParameterError
from pyfsagg.reproduce.all_papers.figure_statements import figure_statements
from pyfsagg.reproduce.all_papers.result import Reproduction
from pyfsagg.reproduce.published import find_datasets, printed_cells
from pyfsagg.reproduce.records import Log, record
from pyfsagg.reproduce.statements.claims import claims
from pyfsagg.reproduce.tables.comparison import compare
from pyfsagg.reproduce.tables.experiments import EXPERIMENTS, find_experiment
from pyfsagg.reproduce.tables.repetitions import Options, Repeated, repeat_on
from pyfsagg.reproduce.tables.sources import OTHER_DATA

__all__ = ["reproduce_all"]


def reproduce_all(
    dataset: str | Sequence[str] | None = None,
    *,
    tables: str | Sequence[str] | None = None,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    log: Log | None = None,
) -> Reproduction:
    """Repeat every published table on the available data, and check every statement.

    Parameters
    ----------
    dataset : str or sequence of str, optional
        Only these data sets, named as published; all of them by default, and generated data too.
    tables : str or sequence of str, optional
        Only these tables, named as in :func:`pyfsagg.reproduce.table`.
    quick, random_state, n_jobs, checkpoint, log
        As in :func:`pyfsagg.reproduce.table`.

    Returns
    -------
    Reproduction
        Cells with verdicts, statements with verdicts, and the record of the run.

    Raises
    ------
    UnknownNameError
        For a table without an experiment, or a data set that none of the tables has.
    ParameterError
        If no table is named, or the checkpoint is of another run.
    OutputError
        If the checkpoint is damaged, in use, or cannot be written.

    Notes
    -----
    Statements are checked on the printed tables and, if they refer to tables that are repeated,
    also on our own means (``basis``); those on figures 7 to 13 of the rank-order paper on own
    runs only.

    Examples
    --------
    >>> found = reproduce_all("ionosphere", quick=True, checkpoint="kept")  # doctest: +SKIP
    >>> found.coverage(["paper", "table"])  # doctest: +SKIP
    """
    options = Options.read(
        quick=quick, random_state=random_state, n_jobs=n_jobs, checkpoint=checkpoint, log=log
    )
    start = time.perf_counter()
    frames: list[pd.DataFrame] = []
    times: list[dict[str, object]] = []
    genes: dict[str, Repeated] = {}
    names = [tables] if isinstance(tables, str) else tables
    chosen = [find_experiment(name) for name in (EXPERIMENTS if names is None else names)]
    if not chosen:
        raise ParameterError("tables must name at least one table, or be None for all")
    asked = find_datasets([experiment.table for experiment in chosen], dataset)
    for experiment in chosen:
        published = printed_cells(experiment.table)
        for name, own in published.groupby("dataset", sort=False):
            if name not in asked:
                continue
            found = repeat_on(experiment, str(name), options)
            frames.append(compare(experiment, own, found))
            times.append({"table": experiment.table, "dataset": name, "seconds": found.seconds})
            if experiment.table == "orders_genes":
                genes[str(name)] = found
    found_cells = pd.concat(frames, ignore_index=True)
    statements = claims(runs=_own_means(found_cells))
    whole = dataset is None and names is None
    if whole or genes:
        of_figures = figure_statements(genes, options, generated=whole)
        statements = pd.concat([statements, of_figures], ignore_index=True)
    return Reproduction(
        found_cells,
        statements,
        pd.DataFrame(times),
        {
            **record(),
            "quick": quick,
            "seed": random_state,
            "settings": {name: options.of(each) for name, each in EXPERIMENTS.items()},
            "elapsed_seconds": round(time.perf_counter() - start, 1),
        },
    )


def _own_means(found: pd.DataFrame) -> pd.DataFrame:
    """Our values as the statements read them; values on other data decide nothing."""
    own = found[found["mean"].notna() & ~found["dataset"].isin(OTHER_DATA)]
    own = own.rename(columns={"row": "method"})
    return own[["table", "dataset", "measure", "method"]].assign(value=own["mean"])
