"""``pyfsagg cross-check``: compare pyfsagg with R packages, value by value."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import add_output_flags, free_folder, reporter
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from r_bridge.comparisons import CrossCheck

__all__ = ["add_commands"]

DESCRIPTION = """\
Compute what pyfsagg and R packages have in common with both, on the same data and the same row
numbers of resamples, and say how far the values are apart. Needs R and rpy2; R packages that are
not installed are left out, with a line that says how to install them.
"""
EPILOG = """\
exit codes:
  0  everything that was compared agrees, or differs for a documented reason
  1  a value disagrees, or an R function failed
  2  the input was refused, or nothing could be compared (R or the packages are missing)

examples:
  pyfsagg cross-check
  pyfsagg cross-check --package RobustRankAggreg,stats --json --quiet
  pyfsagg cross-check --data table.csv --target class --output check
"""
PACKAGES = "RobustRankAggreg, stats, afex, rstatix, FSelectorRcpp, praznik, stabm, mRMRe"


def add_commands(commands: Any) -> None:
    """Add ``cross-check``."""
    parser = commands.add_parser(
        "cross-check",
        help="compare the results of pyfsagg with those of R packages",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--package",
        action="extend",
        type=names_of,
        metavar="A,B",
        help=f"R packages to compare with (default: all that are installed of {PACKAGES})",
    )
    add(
        "--data",
        metavar="TABLE",
        help="a CSV, TSV, Parquet or ARFF file, - for standard input, or the name of a data set; by "
        "default data that come with pyfsagg",
    )
    add("--target", metavar="COLUMN", help="column with the classes, for a file")
    add("--exclude", type=names_of, default=[], metavar="A,B", help="columns that are no features")
    add(
        "--n-resamples",
        type=int,
        default=10,
        metavar="M",
        help="resamples of each table (default: %(default)s)",
    )
    add("--seed", type=int, default=0, help="seed of resamples and lists (default: %(default)s)")
    add_output_flags(parser, "pyfsagg-cross-check")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    """Compare, write everything into a folder, and say what was found."""
    from pyfsagg._base.output import new_folder
    from r_bridge.comparisons import cross_check

    data = _read(options)
    folder = free_folder(options.output, "pyfsagg-cross-check")
    with new_folder(folder) as draft:
        started = time.perf_counter()
        with reporter(options.quiet, "comparison") as progress:
            result = cross_check(
                options.package,
                n_resamples=options.n_resamples,
                random_state=options.seed,
                progress=progress,
                **data,
            )
        elapsed = time.perf_counter() - started
        result.write_into(draft, command=shlex.join(sys.argv[1:]))
        files = sorted(path.name for path in draft.iterdir())
    if options.json:
        print(result.to_json())
    elif not options.quiet:
        print(_summary(result, folder, files, elapsed))
    return 0 if result.agrees else 1


def _read(options: argparse.Namespace) -> dict[str, Any]:
    """The table to compare on, as arguments of ``cross_check``; none for the embedded data."""
    from pyfsagg._table.table import check_table
    from pyfsagg.datasets import load_dataset, read_table, split_target

    if options.data is None:
        if options.target or options.exclude:
            raise ParameterError("--target and --exclude belong to a table: give --data as well")
        return {}
    if options.data != "-" and not Path(options.data).exists():
        found = load_dataset(options.data)
        if options.target:
            raise ParameterError(
                f"--target is for files; {options.data!r} is a data set, which has its own"
            )
        check_table(found.X)  # refuses the sparse ones
        label = str(found.y.name)
        X, y = split_target(found.X.assign(**{label: found.y}), label, options.exclude)
        return {"X": X, "y": y, "name": found.name}
    if options.target is None:
        raise ParameterError("--data needs --target, the column with the classes")
    X, y = split_target(read_table(options.data), options.target, options.exclude)
    name = "standard input" if options.data == "-" else Path(options.data).name
    return {"X": X, "y": y, "name": name}


def _summary(result: CrossCheck, folder: Path, files: list[str], elapsed: float) -> str:
    """What a person reads at the end of a run."""
    rows = [("package", "quantity", "cases", "difference", "tolerance", "verdict")]
    rows += [
        (
            each.package,
            each.quantity,
            str(each.n_cases),
            "–" if each.largest is None else f"{each.largest:.1e}",
            f"{each.tolerance:.0e} {each.scale}",
            each.verdict,
        )
        for each in result.outcomes
    ]
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    sides = "<<>>><"
    table = "\n".join(
        "  ".join(
            f"{cell:{side}{width}}" for cell, side, width in zip(row, sides, widths, strict=True)
        )
        for row in rows
    )
    notes = [
        f"{each.package}, {each.quantity}: {each.verdict}; {each.n_beyond} of {each.n_values} values"
        f"{f'. {each.note}' if each.note else ''}"
        for each in result.outcomes
        if each.verdict != "agrees"
    ]
    missing = [f"{name} is not installed; {hint}" for name, hint in result.missing.items()]
    versions = ", ".join(
        f"{name} {result.versions[name]}" for name in ("R", *result.packages, "rpy2", "pyfsagg")
    )
    counts = ", ".join(f"{number} {verdict}" for verdict, number in result.counts().items())
    parts = [
        table,
        *notes,
        *missing,
        versions,
        f"{len(result.outcomes)} comparisons, {elapsed:.1f} s: {counts}",
        f"Results are in {folder}: {', '.join(files)}",
    ]
    return "\n\n".join(parts)
