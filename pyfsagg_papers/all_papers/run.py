"""All published tables and statements at once."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import NONE, Param
from pyfsagg_papers.all_papers.result import Reproduction
from pyfsagg_papers.orders.experiment import Finding
from pyfsagg_papers.orders.figures import QUICK_REPEATS, REPEATS, run_experiment
from pyfsagg_papers.orders.genes import gene_findings, path_of
from pyfsagg_papers.published import find_datasets, printed_cells
from pyfsagg_papers.records import Log, record
from pyfsagg_papers.statements.claims import OWN, claims, statement_row
from pyfsagg_papers.statements.data import AGREES, FAILS, OPEN, Claim, Outcome
from pyfsagg_papers.tables.comparison import compare
from pyfsagg_papers.tables.experiments import EXPERIMENTS, find_experiment
from pyfsagg_papers.tables.repetitions import OTHER_DATA, Options, Repeated, repeat_on

# -------------------------------------------------------------------------------------------------
# what the rank-order paper states of its figures 7 to 13, decided on our own runs
# -------------------------------------------------------------------------------------------------

GENERATED = ("figure-7", "figure-8", "figure-9", "figure-10")
GENES = {
    "drosophila": "figure-11",
    "leukaemia_two_classes": "figure-12",
    "leukaemia_three_classes": "figure-13",
}
"""The figure of each data set of the table ``orders_genes``."""


def figure_statements(
    genes: Mapping[str, Repeated], options: Options, *, generated: bool = True
) -> pd.DataFrame:
    """The statements on the figures, in the columns of :func:`pyfsagg_papers.claims`."""
    rows = []
    for name in GENERATED if generated else ():
        findings = [Finding(**each) for each in _of_generated(name, options)]
        rows += _rows(name, findings, "")
    for dataset, figure in GENES.items():
        if dataset in genes:
            rows += _of_genes(figure, genes[dataset])
    return pd.DataFrame(rows)


def _of_generated(name: str, options: Options) -> list[dict[str, Any]]:
    n_repeats = QUICK_REPEATS if options.quick else REPEATS

    def compute() -> list[dict[str, Any]]:
        found = run_experiment(
            name,
            n_repeats=n_repeats,
            random_state=options.random_state,
            n_jobs=options.n_jobs,
        )
        return [vars(finding) for finding in found.findings]

    with options.work(name, "generated", settings={"n_repeats": n_repeats}) as work:
        found: list[dict[str, Any]] = work.answer("findings", f"orders, {name}", compute)[0]
    return found


def _of_genes(figure: str, own: Repeated) -> list[dict[str, Any]]:
    if own.values is None:
        nothing = Finding("what the paper says of this figure", False, own.reason)
        return _rows(figure, [nothing], own.reason)
    curves, baseline = path_of(own.values)
    findings = gene_findings(figure, curves, baseline)
    return _rows(figure, findings, "" if own.comparable else own.reason)


def _rows(figure: str, findings: Sequence[Finding], other: str) -> list[dict[str, Any]]:
    rows = []
    for number, finding in enumerate(findings, start=1):
        evidence = finding.evidence
        if other and other != evidence:
            would = "holds" if finding.holds else "does not hold"
            evidence = f"{other}; on these it {would}: {evidence}"
        statement = f"{finding.statement[:1].upper()}{finding.statement[1:]}."
        name, table = f"{figure}-{number}", figure.replace("-", " ")
        claim = Claim(name, "orders", "5.2", table, statement, published="", check="none")
        verdict = OPEN if other else (AGREES if finding.holds else FAILS)
        found = Outcome(verdict, "mean over repetitions", math.nan, math.nan, evidence, quantity="")
        rows.append(statement_row(claim, found, OWN))
    return rows


# -------------------------------------------------------------------------------------------------
# all published tables and statements at once
# -------------------------------------------------------------------------------------------------


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
        Only these tables, named as in :func:`pyfsagg_papers.table`.
    quick, random_state, n_jobs, checkpoint, log
        As in :func:`pyfsagg_papers.table`.

    Returns
    -------
    Reproduction
        Cells with verdicts, statements with verdicts, and the record of the run.

    Raises
    ------
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
        raise ParameterError(
            Param("tables"), " must name at least one table, or be ", NONE, " for all"
        )
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
