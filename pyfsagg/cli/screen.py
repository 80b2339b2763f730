"""``pyfsagg screen``: genes of a CRISPR screen out of the scores of their guides."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import add_output_flags
from pyfsagg._command.results import keep_result, name_of_table
from pyfsagg._command.tables import read_files, require_column
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from pyfsagg.screens import Screen


DESCRIPTION = """\
Test the genes of a CRISPR screen by alpha-RRA (the RRA of MAGeCK), with exact p-values.

The table has a row per guide: its gene, and a score whose small values are the low side (depleted
guides) and whose large values are the high side (enriched ones).  If scores have no sign,
--sign names the column that gives it.
"""
EPILOG = """\
examples:
  pyfsagg screen guides.tsv --item gene --score score
  pyfsagg screen test.sgrna_summary.txt --item Gene --guide sgrna --score score --sign LFC \\
      --lfc LFC --p-low p.low --p-high p.high
  pyfsagg screen guides.csv --item gene --score z --control-genes NonTargeting --fdr 0.1
  pyfsagg screen guides.csv --item gene --score p_value --side low
"""


def add_commands(commands: Any) -> None:
    """Add ``screen``."""
    parser = commands.add_parser(
        "screen",
        help="genes of a CRISPR screen out of the scores of their guides",
        description=DESCRIPTION,
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("table", metavar="TABLE", help="CSV, TSV or Parquet file; - for standard input")
    add("--item", required=True, metavar="COLUMN", help="the gene of each guide")
    add("--score", required=True, metavar="COLUMN", help="the score of each guide")
    add("--guide", metavar="COLUMN", help="names of the guides")
    add("--sign", metavar="COLUMN", help="give the scores the sign of this column")
    add("--lfc", metavar="COLUMN", help="log fold changes of the guides")
    add("--p-low", metavar="COLUMN", help="one-sided p-values of the guides, to choose alpha from")
    add("--p-high", metavar="COLUMN", help="the same for the high side")
    add("--side", choices=("both", "low", "high"), default="both", help="(default: both)")
    add(
        "--alpha",
        type=_alpha,
        metavar="A",
        help="percentile up to which guides count, one number or LOW,HIGH (default: the share of "
        "guides with p-values of at most 0.25; 0.05 if that is 0.01 or less, or without p-values)",
    )
    add(
        "--null",
        choices=("guides", "uniform"),
        default="guides",
        help="null distribution: guides permuted over genes, or uniform percentiles (default: guides)",
    )
    add(
        "--control-guides",
        metavar="A,B",
        help="guides without an effect, or a file with one a line: p-values are against them",
    )
    add("--control-genes", metavar="A,B", help="genes whose guides are controls, or a file")
    add(
        "--ties",
        choices=("average", "last"),
        default="average",
        help="place of guides of equal score (default: average)",
    )
    add("--min-guides", type=int, default=1, metavar="K", help="test genes of K guides or more")
    add("--drop-missing", action="store_true", help="leave guides without a score out")
    add("--top", type=int, default=10, metavar="K", help="best genes to show (default: 10)")
    add("--fdr", type=float, default=0.05, metavar="Q", help="limit to show (default: 0.05)")
    add_output_flags(parser, "pyfsagg-screen")
    parser.set_defaults(run=_screen, called={"missing": "drop_missing"})


def _alpha(text: str) -> float | list[float]:
    try:
        numbers = [float(part) for part in names_of(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected one number or two, got {text!r}") from None
    return numbers[0] if len(numbers) == 1 else numbers


def _screen(options: argparse.Namespace) -> None:
    import numpy as np

    from pyfsagg._base.validation import check_integer, check_real
    from pyfsagg.datasets import read_table
    from pyfsagg.screens import screen

    check_integer("--top", options.top, low=1)
    check_real("--fdr", options.fdr, low=0.0, high=1.0, low_open=True)
    table = read_table(options.table)
    p_columns = _p_columns(options)
    for flag in ("item", "score", "guide", "sign", "lfc"):
        require_column(table, flag, getattr(options, flag))
    for flag, name in p_columns.items():
        require_column(table, flag, name)
    scores = table[options.score]
    if options.sign:
        scores = scores.abs() * np.sign(table[options.sign])
    p_values = [table[name] for name in p_columns.values()]

    def compute(progress: Any) -> Screen:
        return screen(
            scores,
            table[options.item],
            guides=table[options.guide] if options.guide else None,
            log_fold_changes=table[options.lfc] if options.lfc else None,
            p_values=None if not p_values else p_values[0] if len(p_values) == 1 else p_values,
            side=options.side,
            alpha=options.alpha,
            null=options.null,
            control_guides=_names(options.control_guides),
            control_genes=_names(options.control_genes),
            ties=options.ties,
            min_guides=options.min_guides,
            missing="drop" if options.drop_missing else "error",
        )

    given = (options.control_guides, options.control_genes)
    controls = list(dict.fromkeys(each for each in given if each and Path(each).is_file()))
    view = {
        "top": options.top,
        "fdr": options.fdr,
        "data_name": name_of_table(options.table),
        "reading": _reading_code(options, p_columns),
        "read": read_files([options.table, *controls]),
    }
    keep_result(options, compute, view=view)


def _p_columns(options: argparse.Namespace) -> dict[str, str]:
    """The columns of p-values by their flags, in the order of the sides."""
    given = {"p-low": options.p_low, "p-high": options.p_high}
    wanted = {"both": ("p-low", "p-high"), "low": ("p-low",), "high": ("p-high",)}[options.side]
    named = {flag: name for flag, name in given.items() if name}
    if named and set(named) != set(wanted):
        raise ParameterError(
            f"--side {options.side} takes {' and '.join(f'--{flag}' for flag in wanted)} together, got "
            f"{' and '.join(f'--{flag}' for flag in named)} alone"
        )
    return named


def _names(given: str | None) -> list[str] | None:
    """Names between commas, or the lines of a file."""
    if given is None:
        return None
    file = Path(given)
    if file.is_file():
        lines = file.read_text(encoding="utf-8").splitlines()
        return [line.strip() for line in lines if line.strip()]
    return names_of(given)


def _reading_code(options: argparse.Namespace, p_columns: dict[str, str]) -> list[str]:
    """Lines of code that read the table as the command does."""
    lines = [f"table = pyfsagg.read_table({options.table!r})"]
    scores = f"table[{options.score!r}]"
    if options.sign:
        lines.insert(0, "import numpy as np\n")
        scores += f".abs() * np.sign(table[{options.sign!r}])"
    lines += [f"scores = {scores}", f"genes = table[{options.item!r}]"]
    if options.guide:
        lines.append(f"guides = table[{options.guide!r}]")
    if options.lfc:
        lines.append(f"log_fold_changes = table[{options.lfc!r}]")
    for name, column in zip(("p_values", "p_values_2"), p_columns.values(), strict=False):
        lines.append(f"{name} = table[{column!r}]")
    for what in ("control_guides", "control_genes"):
        given = getattr(options, what)
        if given is not None and Path(given).is_file():
            lines.append(f"{what} = Path({given!r}).read_text(encoding='utf-8').splitlines()")
            if "from pathlib import Path" not in lines:
                lines.insert(0, "from pathlib import Path")
    return lines
