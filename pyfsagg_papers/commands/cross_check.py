"""``pyfsagg cross-check``: compare pyfsagg with R packages, value by value."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import add_output_flags, compute_and_save, names_of

if TYPE_CHECKING:
    from pyfsagg_papers.comparisons.run import CrossCheck

DESCRIPTION = """\
Compute the same quantities with pyfsagg and with R packages, on the same data and the same row
numbers of resamples, and report the differences. Needs R and rpy2; R packages that are
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
  pyfsagg cross-check table.csv --target class --output check
"""
PACKAGES = "RobustRankAggreg, stats, afex, rstatix, FSelectorRcpp, praznik, stabm, mRMRe"


def add_commands(commands: Any) -> None:
    """Add ``cross-check``."""
    parser = commands.add_parser(
        "cross-check",
        help="compare the results of pyfsagg with those of R packages",
        description=DESCRIPTION,
        epilog=EPILOG,
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
        "data",
        metavar="TABLE",
        nargs="?",
        help="a CSV, TSV, Parquet or ARFF file, - for standard input, or the name of a data set; by "
        "default data that come with pyfsagg",
    )
    add("-t", "--target", metavar="COLUMN", help="column with the classes, for a file")
    add("--exclude", type=names_of, default=[], metavar="A,B", help="columns to leave out")
    add(
        "-n",
        "--n-resamples",
        type=int,
        default=10,
        metavar="M",
        help="resamples of each table (default: %(default)s)",
    )
    add(
        "-s",
        "--seed",
        type=int,
        default=0,
        help="seed of resamples and lists (default: %(default)s)",
    )
    add_output_flags(parser, "pyfsagg-cross-check")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    """Compare, write everything into a folder, and say what was found."""
    from pyfsagg_papers.comparisons.run import cross_check

    data = _read(options)

    def compute(progress: Any) -> CrossCheck:
        return cross_check(
            options.package,
            n_resamples=options.n_resamples,
            random_state=options.seed,
            progress=progress,
            **data,
        )

    view = {"read": _read_file(options.data)} if _is_file(options.data) else {}
    result = compute_and_save(options, compute, unit="comparison", view=view)
    return 0 if result.agrees else 1


def _is_file(data: str | None) -> bool:
    """Whether `data` is a file, and not the name of a data set."""
    return data is not None and (data == "-" or Path(data).exists())


def _read_file(path: str) -> dict[str, str]:
    """The name and the SHA-256 of the file, for the page."""
    if path == "-":
        return {"file": "standard input", "sha256": "none: it is read once"}
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return {"file": Path(path).name, "sha256": digest}


def _read(options: argparse.Namespace) -> dict[str, Any]:
    """The table to compare on, as arguments of ``cross_check``; none for the embedded data."""
    from pyfsagg.datasets import load_dataset, read_table
    from pyfsagg.extending import as_table, split_target

    if options.data is None:
        if options.target or options.exclude:
            raise ParameterError(
                "--target and --exclude belong to a table: name one first, as in "
                "pyfsagg cross-check table.csv --target class"
            )
        return {}
    if not _is_file(options.data):
        found = load_dataset(options.data)
        if options.target:
            raise ParameterError(
                f"--target is for files; {options.data!r} is a data set, which has its own"
            )
        as_table(found.X)  # refuses the sparse ones
        label = str(found.y.name)
        X, y = split_target(found.X.assign(**{label: found.y}), label, options.exclude)
        return {"X": X, "y": y, "name": found.name}
    if options.target is None:
        raise ParameterError("a file needs --target, the column with the classes")
    X, y = split_target(read_table(options.data), options.target, options.exclude)
    name = "standard input" if options.data == "-" else Path(options.data).name
    return {"X": X, "y": y, "name": name}
