"""``pyfsagg studies``: combine the differential-expression tables of several studies."""

import argparse
from typing import Any

import pyfsagg
from pyfsagg._base.validation import check_integer, check_real
from pyfsagg._command.flags import Flags, given
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import origin

DESCRIPTION = """\
Find items, such as genes, with an effect of the same sign in at least --min-studies studies.

Each study is a table with a row for each item, also those that are not significant: its name, an
effect with a sign (log fold change) and an unadjusted p-value. Columns of DESeq2, edgeR, limma,
sleuth, Seurat and scanpy are known; flags name others. In one long table --study names the column
of the studies. For lists without signs use pyfsagg aggregate.
"""
EPILOG = """\
examples:
  pyfsagg studies GSE1.csv GSE2.csv GSE3.tsv
  pyfsagg studies results/*.csv --min-studies 3 --fdr 0.1
  pyfsagg studies long.csv --study cohort --item gene --effect beta --p-value p
  pyfsagg studies a.csv b.csv c.csv --statistic z --evidence ranks
"""
COLUMNS = {
    "item": "the names of the items",
    "effect": "effects with signs",
    "p_value": "two-sided p-values, not adjusted",
    "statistic": "statistics with signs",
    "standard_error": "standard errors of the effects",
    "study": "the studies, in one long table",
}


def add_commands(commands: Any) -> None:
    text = "effects of one sign in several differential-expression tables"
    add = Flags.of(commands, "studies", _studies, text, DESCRIPTION, EPILOG)
    text = "CSV, TSV or Parquet files (CSV or TSV may be compressed), one per study"
    add("tables", metavar="TABLE", nargs="+", help=text)
    for name, text in COLUMNS.items():
        add.column(f"--{name.replace('_', '-')}", help=f"the column of {text}")
    text = "least number of studies (default: 2)"
    add("--min-studies", type=int, default=2, metavar="R", help=text)
    text = "evidence of a study: the p-value of an item, or its rank"
    add.choice("--evidence", ("p_values", "ranks"), text)
    text = "correction across items"
    add.choice("--p-adjust", ("adafilter", "adafilter_bounded", "bh", "holm", "bonferroni"), text)
    text = "refuse repeated items of a study, or keep the first row"
    add.choice("--duplicates", ("error", "first"), text)
    text = "cut the versions of Ensembl and RefSeq identifiers, such as .18 of ENSG00000141510.18"
    add.switch("--strip-version", help=text)
    add("--top", type=int, default=10, metavar="K", help="best items to show (default: 10)")
    add("--fdr", type=float, default=0.05, metavar="Q", help="limit to show (default: 0.05)")
    add.output("pyfsagg-studies")


def _studies(options: argparse.Namespace) -> None:
    check_integer("--top", options.top, low=1)
    check_real("--fdr", options.fdr, low=0.0, high=1.0, low_open=True)
    paths = options.tables
    tables = paths[0] if options.study and len(paths) == 1 else paths
    how = given(
        options, *COLUMNS, "min_studies", "evidence", "p_adjust", "duplicates", "strip_version"
    )
    name = ", ".join(map(name_of_table, paths[:5])) + (", …" if len(paths) > 5 else "")
    view = {**given(options, "top", "fdr"), **origin(paths, [f"tables = {tables!r}"], name)}
    compute_and_save(options, lambda _: pyfsagg.studies(tables, **how), view=view)
