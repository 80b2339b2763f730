"""What the rank-order paper states of its figures 7 to 13, decided on our own runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pyfsagg.reproduce.orders.experiment import Finding
from pyfsagg.reproduce.orders.figures import QUICK_REPEATS, REPEATS, run_experiment
from pyfsagg.reproduce.orders.genes import gene_findings
from pyfsagg.reproduce.statements.claims import OWN, statement_row
from pyfsagg.reproduce.statements.data import AGREES, FAILS, OPEN, Claim, Outcome
from pyfsagg.reproduce.tables.genes import path_of
from pyfsagg.reproduce.tables.repetitions import Options, Repeated

__all__ = ["figure_statements"]

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
    """The statements on the figures, in the columns of :func:`pyfsagg.reproduce.claims`.

    Parameters
    ----------
    genes : mapping of data set to Repeated
        The repetitions of the table ``orders_genes``; a figure whose data are not there is not
        checkable, with the reason.
    options : Options
        For the generated data of figures 7 to 10.
    generated : bool
        Whether these figures are repeated at all.

    Returns
    -------
    DataFrame
        One row per statement; ``basis`` is "own runs".
    """
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
