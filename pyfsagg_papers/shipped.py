"""Runs that come with the package, so that their results can be read without hours of work."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pyfsagg.exceptions import UnknownNameError
from pyfsagg.extending import data_folder, duration, plural
from pyfsagg_papers.all_papers.result import Reproduction
from pyfsagg_papers.calibration.run import Calibration
from pyfsagg_papers.lists.choice import AggregatorChoice
from pyfsagg_papers.lists.gene_lists import GeneListComparison
from pyfsagg_papers.published import find_datasets, printed_cells
from pyfsagg_papers.stuart.result import StuartFinding
from pyfsagg_papers.tables.experiments import EXPERIMENTS, find_experiment

_RUNS = "runs/*.json"


def list_shipped_runs() -> pd.DataFrame:
    """Table of the runs that come with the package: settings, machine and date.

    Returns
    -------
    DataFrame
        Index ``name``; columns ``quick``, ``tables``, ``n_datasets``, ``minutes``, ``machine``,
        ``date``, ``seed``.

    Examples
    --------
    >>> bool(list_shipped_runs().loc["quick", "quick"])
    True
    """
    rows = {}
    for name in _files(_RUNS):
        run = shipped_run(name)
        rows[name] = {
            "quick": run.record["quick"],
            "tables": ", ".join(dict.fromkeys(run.cells["table"])),
            "n_datasets": int(run.cells["dataset"].nunique()),
            "minutes": round(float(run.times["seconds"].sum()) / 60.0, 1),
            "machine": run.record["machine"],
            "date": run.record["date"],
            "seed": run.record["seed"],
        }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("name")


def shipped_run(name: str = "quick") -> Reproduction:
    """A shipped run of :func:`reproduce_all`, with its machine, versions, seed and date.

    Parameters
    ----------
    name : str
        From :func:`list_shipped_runs`.

    Examples
    --------
    >>> shipped_run("quick").record["quick"]
    True
    """
    files = _files(_RUNS)
    if name not in files:
        raise UnknownNameError("run", name, files)
    return Reproduction.load(files[name])


def time_of_shipped_runs(
    tables: Sequence[str] | None, datasets: Sequence[str] | None, *, quick: bool
) -> str:
    """A sentence on the time that runs like this one took; empty where that is not worth a line."""
    wanted = [find_experiment(name).table for name in tables or EXPERIMENTS]
    named = find_datasets(wanted, datasets)
    alike = []
    for run in map(shipped_run, _files(_RUNS)):
        mine = run.times[run.times["seconds"] > 0].assign(machine=run.record["machine"])
        if run.record["quick"] == quick:
            alike.append(mine)
    times = pd.concat(alike)
    times = times[times["table"].isin(wanted) & times["dataset"].isin(named)]
    seconds = times["seconds"].sum()
    if seconds < 1.0:
        return ""
    return (
        f"The runs of {plural(times['table'].nunique(), 'table')} that come with the package took "
        f"{duration(seconds)} ({'; '.join(times['machine'].unique())})."
    )


def shipped_readings(table: str = "4.4") -> pd.DataFrame:
    """The shipped cells of :func:`readings`.

    Quick settings for 4.4, fpcps_1 and fpcps_2, full ones otherwise.

    Parameters
    ----------
    table : {"4.4", "4.5", "4.6", "fpcps_1", "fpcps_2", "frcm_2"}

    Examples
    --------
    >>> "standard" in set(shipped_readings()["reading"])
    True
    """
    files = _files("readings/*.csv")
    if table not in files:
        raise UnknownNameError("table with readings", table, files)
    return pd.read_csv(files[table], keep_default_na=False, na_values=[""], dtype={"table": str})


def shipped_stuart() -> StuartFinding:
    """The shipped result of :func:`stuart_finding`; full settings.

    Examples
    --------
    >>> shipped_stuart().n_lists
    1000
    """
    return StuartFinding.load(data_folder() / "validation" / "stuart.json")


def shipped_gene_lists() -> GeneListComparison:
    """The shipped run of :func:`gene_lists`; ``record`` has its number of data sets.

    Examples
    --------
    >>> bool(shipped_gene_lists().means().loc["robust_rank_aggregation", "0r"] > 0.3)
    True
    """
    return GeneListComparison.load(data_folder() / "validation" / "gene_lists.json")


def shipped_laplacian_search() -> pd.DataFrame:
    """The shipped search for the reading of the Laplacian score in table 2 of the consensus affinity paper.

    Returns
    -------
    DataFrame
        One row for each combination; columns ``scale`` and ``metric`` (in which neighbours are found),
        ``neighbours`` (how many), ``edges``, ``own neighbour``, ``weights``, ``direction`` (which scores
        are important); the number of features that are selected, by data set; ``met``, how many of the
        printed numbers it gives, and ``missed``, the sum of the differences from them.  ``attrs["record"]``
        has the machine, the versions and the date.

    Examples
    --------
    >>> int((shipped_laplacian_search()["met"] == 4).sum()) > 0
    True
    """
    path = data_folder() / "validation" / "laplacian_search.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    axes, sizes = document["axes"], document["sizes"]
    found = pd.DataFrame(itertools.product(*axes.values()), columns=list(axes))
    cells = printed_cells("frcm_2")
    own = cells[(cells["row"] == "laplacian_score") & (cells["measure"] == "n_features")]
    printed = own.set_index("dataset")["value"].astype(int)
    numbers = pd.DataFrame(sizes)
    apart = (numbers - printed[numbers.columns]).abs()
    found = pd.concat([found, numbers], axis=1)
    found["met"] = (apart == 0).sum(axis=1)
    found["missed"] = apart.sum(axis=1)
    found.attrs["record"] = document["record"]
    return found


def shipped_aggregator_choice() -> AggregatorChoice:
    """The shipped run of :func:`aggregator_choice`; full settings.

    Examples
    --------
    >>> len(shipped_aggregator_choice().sets)
    1600
    """
    return AggregatorChoice.load(data_folder() / "validation" / "aggregator_choice.json")


def shipped_calibration() -> Calibration:
    """The shipped full run of :func:`calibrate`; ``record`` has that of each topic.

    Examples
    --------
    >>> "kept" in set(shipped_calibration().rows["verdict"])
    True
    """
    parts = {name: Calibration.load(path) for name, path in _files("calibration/*.json").items()}
    rows = pd.concat([part.rows for part in parts.values()], ignore_index=True)
    return Calibration(rows, {name: part.record for name, part in parts.items()})


def _files(pattern: str) -> dict[str, Path]:
    """By name without its ending."""
    paths = sorted((data_folder() / "validation").glob(pattern))
    return {path.name.removesuffix(path.suffix): path for path in paths}
