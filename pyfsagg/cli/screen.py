"""``pyfsagg screen``: genes of a CRISPR screen, from the scores of their guides."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyfsagg
from pyfsagg._base.settings import names_of
from pyfsagg._base.validation import check_integer, check_real
from pyfsagg._base.words import enumerate_names
from pyfsagg._command.flags import Flags, given, one_or_several
from pyfsagg._command.results import compute_and_save, name_of_table
from pyfsagg._command.tables import origin, require_column
from pyfsagg.exceptions import ParameterError

DESCRIPTION = """\
Test the genes of a CRISPR screen by alpha-RRA (the RRA of MAGeCK), with exact p-values.

The table has a row per guide: its gene, and a score, small for depleted guides (the low side)
and large for enriched ones (the high side). If scores have no sign, --sign names a column with
it. The columns of MAGeCK's tables (….sgrna_summary.txt) are known; others need --item and
--score.
"""
MAGECK = {
    "item": "Gene",
    "guide": "sgrna",
    "score": "score",
    "sign": "LFC",
    "lfc": "LFC",
    "p_low": "p.low",
    "p_high": "p.high",
}
"""The columns of MAGeCK's table of guides, by flag; its scores have no sign."""
EPILOG = """\
examples:
  pyfsagg screen guides.tsv --item gene --score score
  pyfsagg screen test.sgrna_summary.txt
  pyfsagg screen guides.csv --item gene --score z --control-genes 'NonTargeting*' --fdr 0.1
  pyfsagg screen guides.csv --item gene --score p_value --side low
"""


def add_commands(commands: Any) -> None:
    text = "genes of a CRISPR screen, from the scores of their guides"
    called = {"missing": "drop_missing", "guide_weights": "weight"}
    add = Flags.of(commands, "screen", _screen, text, DESCRIPTION, EPILOG, **called)
    add("table", metavar="TABLE", help="CSV, TSV or Parquet file; - for standard input")
    add.column("--item", help="the gene of each guide")
    add.column("--score", help="the score of each guide")
    add.column("--guide", help="names of the guides")
    add.column("--sign", help="give the scores the sign of this column")
    add.column("--lfc", help="log fold changes of the guides")
    add.column("--p-low", help="one-sided p-values of the guides, to choose alpha from")
    add.column("--p-high", help="the same for the high side")
    add.choice("--side", ("both", "low", "high"))
    text = (
        "percentile up to which guides count, one number or LOW,HIGH (default: the share of guides "
    )
    text += "with p-values of at most 0.25; 0.05 if that is 0.01 or less, or without p-values)"
    add("--alpha", type=one_or_several(float, "one number or two"), metavar="A", help=text)
    text = "null distribution: guides permuted over genes, or uniform percentiles"
    add.choice("--null", ("guides", "uniform"), text)
    text = "guides without an effect, as the null of the p-values: names, patterns such as 'NTC*', or a "
    text += "file with one per line"
    add("--control-guides", metavar="A,B", help=text)
    text = "genes whose guides are controls: names, patterns such as 'NonTargeting*', or a file"
    add("--control-genes", metavar="A,B", help=text)
    add.choice("--ties", ("average", "last"), "rank of tied guides")
    text = "test only genes with at least K guides"
    add("--min-guides", type=int, default=1, metavar="K", help=text)
    add.names("--replicates", help="score columns of further replicates or pairs")
    add.column("--weight", help="reliability of each guide; with --null uniform")
    text = "guides in several genes: refuse them, drop them, or count them for each gene"
    add.choice("--shared-guides", ("error", "drop", "each"), text)
    add.names("--genes", default=[], help="genes whose guides the page shows among all guides")
    add.switch("--drop-missing", help="omit guides without a score")
    add("--top", type=int, default=10, metavar="K", help="best genes to show (default: 10)")
    add("--fdr", type=float, default=0.05, metavar="Q", help="limit to show (default: 0.05)")
    add.output("pyfsagg-screen")


def _screen(options: argparse.Namespace) -> None:
    import numpy as np

    check_integer("--top", options.top, low=1)
    check_real("--fdr", options.fdr, low=0.0, high=1.0, low_open=True)
    table = pyfsagg.datasets.read_table(options.table)
    lacking = [flag for flag in ("item", "score") if getattr(options, flag) is None]
    if len(lacking) == 2 and set(MAGECK.values()) <= set(table.columns):
        other = {"low": "p_high", "high": "p_low"}.get(options.side)
        for flag, name in MAGECK.items():
            if getattr(options, flag) is None and flag != other:
                setattr(options, flag, name)
        lacking = []
    if lacking:
        raise ParameterError(
            f"a screen needs {' and '.join(f'--{flag}' for flag in lacking)}; the columns of the table "
            f"are {enumerate_names(list(table.columns))}"
        )
    p_columns = {"p-low": options.p_low, "p-high": options.p_high}
    p_columns = {flag: name for flag, name in p_columns.items() if name}
    needed = ("p-low", "p-high") if options.side == "both" else (f"p-{options.side}",)
    if p_columns and set(p_columns) != set(needed):
        raise ParameterError(
            f"--side {options.side} takes {' and '.join(f'--{flag}' for flag in needed)} together, got "
            f"{' and '.join(f'--{flag}' for flag in p_columns)} alone"
        )
    flags = ("item", "score", "guide", "sign", "lfc", "weight")
    for name in options.replicates or ():
        require_column(table, "replicates", name)
    for flag, name in {**given(options, *flags), **p_columns}.items():
        require_column(table, flag, name)
    columns = [table[name] for name in (options.score, *(options.replicates or ()))]
    if options.sign:
        columns = [scores.abs() * np.sign(table[options.sign]) for scores in columns]
    p_values = [table[name] for name in p_columns.values()]

    def compute(progress: Any) -> pyfsagg.screens.Screen:
        return pyfsagg.screen(
            columns[0],
            table[options.item],
            guides=table[options.guide] if options.guide else None,
            log_fold_changes=table[options.lfc] if options.lfc else None,
            p_values=None if not p_values else p_values[0] if len(p_values) == 1 else p_values,
            **given(options, "side", "alpha", "null", "ties", "min_guides", "shared_guides"),
            control_guides=_names(options.control_guides),
            control_genes=_names(options.control_genes),
            missing="drop" if options.drop_missing else "error",
            replicates=columns[1:] or None,
            guide_weights=table[options.weight] if options.weight else None,
        )

    controls = dict.fromkeys(filter(None, (options.control_guides, options.control_genes)))
    files = [options.table, *(name for name in controls if Path(name).is_file())]
    view = {
        **given(options, "top", "fdr"),
        "genes": tuple(options.genes),
        **origin(files, _reading_code(options, p_columns), name_of_table(options.table)),
    }
    compute_and_save(options, compute, view=view)


def _names(text: str | None) -> list[str] | None:
    """Names between commas, or the lines of a file."""
    if text is None:
        return None
    if Path(text).is_file():
        lines = Path(text).read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip()]
    return names_of(text)


def _reading_code(options: argparse.Namespace, p_columns: dict[str, str]) -> list[str]:
    """Lines of code that read the table as the command does."""
    lines = [f"table = pyfsagg.datasets.read_table({options.table!r})"]
    scores = f"table[{options.score!r}]"
    if options.sign:
        lines.insert(0, "import numpy as np\n")
        scores += f".abs() * np.sign(table[{options.sign!r}])"
    lines += [f"scores = {scores}", f"genes = table[{options.item!r}]"]
    columns = {"guides": options.guide, "log_fold_changes": options.lfc}
    columns |= zip(("p_values", "p_values_2"), p_columns.values(), strict=False)
    columns["guide_weights"] = options.weight
    lines += [f"{name} = table[{column!r}]" for name, column in columns.items() if column]
    for number, column in enumerate(options.replicates or (), start=1):
        name = "replicates" if number == 1 else f"replicates_{number}"
        lines.append(f"{name} = {scores.replace(repr(options.score), repr(column), 1)}")
    for name in ("control_guides", "control_genes"):
        path = getattr(options, name)
        if path is not None and Path(path).is_file():
            lines.append(f"{name} = Path({path!r}).read_text(encoding='utf-8').splitlines()")
            if "from pathlib import Path" not in lines:
                lines.insert(0, "from pathlib import Path")
    return lines
