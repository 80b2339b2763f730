"""``pyfsagg rank FOLDER``: a table larger than memory, as a folder of Parquet files."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyfsagg._run.beside import Checks
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from pyfsagg.ensemble import EnsembleResult

__all__ = ["add_folder_flags", "rank_folder", "refuse_folder_flags"]

FOLDER_FLAGS = ("binning", "bins")
MEMORY_FLAGS = {
    "task": "classification",
    "target_bins": 5,
    "event": None,
    "groups": None,
    "resampling": None,
    "resampling_param": None,
    "filter_param": None,
    "precision": None,
    **Checks().record(),
    "max_false": None,
    "fdr": None,
    "drop_near_zero_variance": False,
    "feature_groups": None,
    "group_score": "auto",
    "scratch": None,
}
"""Flags that need the table in memory, with their neutral values."""


def add_folder_flags(parser: argparse.ArgumentParser) -> None:
    """Flags of a folder of Parquet files only."""
    group = parser.add_argument_group(
        "a table larger than memory",
        "If TABLE is a folder of Parquet files, it is read piece by piece, by filters that work by "
        "counts (ig, gr, su, cs, cv, vdm) and a Poisson bootstrap.",
    )
    group.add_argument(
        "--binning",
        choices=("equal_width", "equal_frequency"),
        help="how numbers are divided into bins (default: equal_width)",
    )
    group.add_argument("--bins", type=int, metavar="N", help="number of bins (default: 10)")


def refuse_folder_flags(options: argparse.Namespace) -> None:
    """A table in memory has no use for the flags of a folder."""
    for name in FOLDER_FLAGS:
        if getattr(options, name) is not None:
            raise ParameterError(
                f"{_flag(name)} needs a folder of Parquet files, and {options.table} is not one"
            )


def rank_folder(
    options: argparse.Namespace,
) -> tuple[int, Callable[[Any], EnsembleResult]]:
    """Number of features of the folder, and the function that ranks them and tells its progress."""
    from pyfsagg.out_of_core import rank_out_of_core
    from pyfsagg.out_of_core.source import open_source

    options.parser.set_defaults(called={})  # here the bins are those of --binning and --bins
    for name, neutral in MEMORY_FLAGS.items():
        if getattr(options, name) != neutral:
            raise ParameterError(
                f"{_flag(name)} needs the table in memory, and {options.table} is a folder, which is "
                "read piece by piece"
            )
    if options.n_resamples == "auto":
        raise ParameterError("--n-resamples auto needs the table in memory; give a number")
    given: dict[str, Any] = {
        "filters": _filters(options),
        "n_resamples": options.n_resamples,
        **{name: getattr(options, name) for name in FOLDER_FLAGS},
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if options.target is None:
        raise ParameterError("give the target by --target COLUMN: filters that count need classes")
    columns = set(open_source(options.table).types)

    def rank(progress: Any) -> EnsembleResult:
        return rank_out_of_core(
            options.table,
            options.target,
            normalize=options.normalize,
            aggregator=options.aggregator,
            nominal=options.nominal,
            exclude=options.drop,
            random_state=options.seed,
            n_jobs=options.jobs,
            execution=Execution.from_flags(options, progress=progress),
            **chosen,
        )

    return len(columns - {options.target, *options.drop}), rank


def _filters(options: argparse.Namespace) -> str | list[str] | None:
    """The filters that the flags name; one is wam, several are bam."""
    if options.filter and options.filters:
        raise ParameterError("--filter is the one of wam, --filters those of bam; give one of them")
    named: str | list[str] | None = options.filter or options.filters
    n_filters = 1 if isinstance(named, str) else len(named or [])
    if options.method == "wam" and named is None:
        return "information_gain"
    if options.method is not None and named and (options.method == "bam") != (n_filters > 1):
        raise ParameterError(
            f"--method {options.method} ranks by {'several filters' if n_filters < 2 else 'one filter'}, "
            f"got {n_filters}"
        )
    return named


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
