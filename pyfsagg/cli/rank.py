"""``pyfsagg rank`` and ``demo``: rank the features of a table; ``check``: look at it before."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyfsagg
from pyfsagg._base.settings import Task, names_of, number_or_auto
from pyfsagg._base.validation import n_selected
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._command import tables
from pyfsagg._command.flags import (
    TABLE_HELP,
    Flags,
    assignments,
    at_work,
    given,
    require_target,
    size_or_auto,
    target_columns,
)
from pyfsagg._command.results import compute_and_save
from pyfsagg._run.execution import Checks, Execution
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from pyfsagg.datasets._checked import CheckedTable

FOLDER_FLAGS = ("binning", "bins")
MEMORY_FLAGS: dict[str, Any] = {
    **{"task": "classification", "target_bins": 5, "group_score": "auto"},
    **dict.fromkeys(("event", "groups", "resampling", "resampling_param", "filter_param")),
    **dict.fromkeys(("precision", "max_false", "fdr", "feature_groups", "scratch")),
    **dict.fromkeys(("adjust", "always")),
    **{"drop_near_zero_variance": False, **Checks().record()},
}
"""Flags that need the table in memory, with their neutral values."""


def _rank_folder(options: argparse.Namespace) -> None:
    """Rank the features of a folder of Parquet files, which is read piece by piece."""
    from pyfsagg.out_of_core import rank_out_of_core
    from pyfsagg.out_of_core.counting import open_source

    require_target(options.target, options.filter or options.filters)
    tables.refuse_reading_flags(options, "is a folder of Parquet files", "drop")
    options.parser.set_defaults(called={})  # here the bins are those of --binning and --bins
    for name, neutral in MEMORY_FLAGS.items():
        if getattr(options, name) != neutral:
            raise ParameterError(
                f"{_flag(name)} needs the table in memory, and {options.table} is a folder, which is "
                "read piece by piece"
            )
    if options.n_resamples == "auto":
        raise ParameterError("--n-resamples auto needs the table in memory; give a number")
    flags = {
        "filters": _named_filters(options, None),
        **given(options, "n_resamples", *FOLDER_FLAGS),
    }
    chosen: dict[str, Any] = {name: value for name, value in flags.items() if value is not None}
    if options.target is None:
        raise ParameterError("give the target by --target COLUMN: filters that count need classes")
    columns = set(open_source(options.table).types)

    def rank(progress: Any) -> pyfsagg.ensemble.EnsembleResult:
        return rank_out_of_core(
            options.table,
            options.target,
            normalize="per_resample" if options.normalize == "auto" else options.normalize,
            **given(options, "aggregator", "nominal"),
            exclude=options.drop,
            **at_work(options, progress),
            **chosen,
        )

    reading = [f"source = {options.table!r}", f"target = {options.target!r}"]
    view = tables.origin([options.table], reading, Path(options.table).resolve().name)
    view["read"]["format"] = "Parquet files"
    _run(options, len(columns - {options.target, *options.drop}), rank, view, unit="row")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


Progress = Callable[[int, int], None]

EPILOG = """\
examples:
  pyfsagg rank table.csv --target class
  pyfsagg rank table.csv --target dose --task regression
  pyfsagg rank patients.csv --target time --event status=2
  pyfsagg rank table.csv --target class --filter mrmr --n-resamples 500 --seed 1
  pyfsagg rank table.csv --target class --filters ig,su,chi_squared --aggregator rra
  pyfsagg rank table.csv --target class --max-false 1                  # how many can be selected?
  pyfsagg rank encoded.csv --target class --feature-groups prefix:=    # one-hot columns as one feature
  pyfsagg rank parts/ --target class --memory-limit 2GB                # larger than memory
  pyfsagg rank genes.csv --filter frcm --n-resamples 50
  pyfsagg rank words.svmlight --filters ig,su,chi_squared
  zcat table.csv.gz | pyfsagg rank - -t class --n-features-to-select 10 --json --quiet
"""
CHECK_EPILOG = """\
examples:
  pyfsagg check table.csv --target class
  pyfsagg check genes.tsv --transpose --labels samples.csv --target tumour
  pyfsagg check patients.csv --target time --event status
  pyfsagg check words.svmlight
  pyfsagg check encoded.csv --target class --feature-groups groups.csv
  pyfsagg check measurements.xlsx --sheet 2 --target dose --task regression --missing=-999

Findings marked "stop" end a run of another command, unless --accept names them. The exit code is 1 if there
are such findings.
"""


def add_commands(commands: Any) -> None:
    text = "rank and select features by an ensemble of filters"
    about = "Rank the features of a table by filters over resamples (WAM: one filter, "
    about += "BAM: several) and write the ranking, the score matrices and a report."
    # The bins of a table in memory are those of a filter: --filter-param mrmr.bins=5.
    add = Flags.of(commands, "rank", _rank, text, about, EPILOG, binning=None, bins=None)
    add.table(target_required=False)
    _add_method_flags(add)
    add.column("--groups", help="column of groups (subjects); a group is drawn as a whole")
    group = add.parser.add_argument_group(
        "a table larger than memory",
        "If TABLE is a folder of Parquet files, it is read piece by piece, by filters that count (ig, "
        "gr, su, cs, cv, vdm) and a Poisson bootstrap.",
    )
    text = "how numbers are divided into bins (default: equal_width)"
    group.add_argument("--binning", choices=("equal_width", "equal_frequency"), help=text)
    group.add_argument("--bins", type=int, metavar="N", help="number of bins (default: 10)")
    add.output("pyfsagg-rank", brief=True)

    text = "run the main job on embedded data"
    about = "Rank the 34 features of the embedded Ionosphere data by four filters over "
    about += "resamples and write the ranking, the score matrices and a report."
    demo = partial(_rank_loaded, name="ionosphere")
    add = Flags.of(commands, "demo", demo, text, about)
    _add_method_flags(add)
    add.output("pyfsagg-demo", brief=True)

    text = "check a table for problems before a run"
    about = "Read a table as the other commands do, and report types, missing "
    about += "cells, identifiers, copies of the target, suspicious labels, codes, duplicates."
    add = Flags.of(commands, "check", _check, text, about, CHECK_EPILOG)
    add("table", metavar="TABLE", help=TABLE_HELP)
    add.column("-t", "--target", help="column with the classes, numbers or times")
    add.event()
    add.column("--groups", help="column of subjects whose rows are kept together")
    Task.add_flags(
        add.parser, "target_bins", "drop_near_zero_variance", "group_score", "adjust", "always"
    )
    add.reading(accept=False)
    add.switch("--json", help="print the findings as JSON")


def _add_method_flags(add: Flags) -> None:
    add("--method", choices=("wam", "bam"), help="one filter (wam) or several (bam, the default)")
    add("--filter", metavar="NAME", help="the filter of wam (default: information_gain)")
    add.names(
        "--filters",
        type=lambda text: None if text == "auto" else names_of(text),
        help="the filters of bam (default: auto: ig,su,mrmr,cs; of numbers and times: spearman,ig)",
    )
    ways = ("auto", "none", "per_resample", "per_feature", "against_noise")
    add.filters(ways)
    add("--aggregator", default="arithmetic_mean", metavar="NAME", help="(default: %(default)s)")
    text = "option of the aggregator, for instance shift=minimum (may be repeated)"
    add.settings("--aggregator-param", help=text)
    text = "a number (default: 1000; 200 for a folder), or auto: as many as --precision needs"
    add("-n", "--n-resamples", type=number_or_auto, metavar="M", help=text)
    add.settings(
        "--precision",
        help="goal of --n-resamples auto: max_change=0.05 (share of the best features that a "
        "repetition may replace), top=0.25, maximum=10000",
    )
    add("--resampling", metavar="PLAN", help="(default: bootstrap)")
    Checks.add_flags(add.parser)
    add.settings("--resampling-param", help="parameter of the plan, for instance fraction=0.8")
    add.size(
        ", auto (all that score above noise) or knee (those before the knee of the scores) "
        "(default: %(default)s)",
        type=size_or_auto,
        default="auto",
    )
    text = "select with at most V expected false selections, by p-values from shuffled targets; "
    text += "with --resampling complementary_pairs by stability selection"
    add("--max-false", type=float, metavar="V", help=text)
    text = "select with an expected share of false selections of at most A, by the same p-values"
    add("--fdr", type=float, metavar="A", help=text)
    add.seed("the resamples")
    add.work(scratch=True)


def _rank(options: argparse.Namespace) -> None:
    from pyfsagg._table.groups import group_columns
    from pyfsagg.datasets._loaders import is_sparse_file, list_datasets

    if Path(options.table).is_dir():
        _rank_folder(options)
        return
    for name in FOLDER_FLAGS:
        if getattr(options, name) is not None:
            raise ParameterError(
                f"{_flag(name)} needs a folder of Parquet files, and {options.table} is not one"
            )
    by_name = options.table in list_datasets().index or (
        options.table.isalnum() and not options.target
    )
    if by_name and not Path(options.table).exists():
        tables.refuse_reading_flags(options, "is a data set, and not a file")
        for flag in ("target", "event", "groups"):
            if getattr(options, flag):
                raise ParameterError(
                    f"--{flag} has no meaning here: there is no file {options.table}, and the data set "
                    f"of that name has its own target; leave --{flag} out"
                )
        _rank_loaded(options, options.table)
        return
    if is_sparse_file(options.table):
        table = tables.load_sparse(options)
    else:
        require_target(options.target, options.filter or options.filters)
        table = tables.load_table(options, target_columns(options), options.groups)

    rank = partial(_ensemble, options, table.checked)
    apart = {*(options.adjust or ()), *(options.always or ())}
    features = set(table.checked.table.feature_names) - apart
    n_features = len(group_columns(Task.from_flags(options), sorted(features)))
    _run(options, n_features, rank, table.view, messages=table.lines)


def _rank_loaded(options: argparse.Namespace, name: str) -> None:
    """A data set loaded by name, with its target."""
    from pyfsagg.datasets._checked import CheckedTable

    data = pyfsagg.load_dataset(name)
    reading = [f"data = pyfsagg.load_dataset({data.name!r})", "X, y = data.X, data.y"]
    view = {"data_name": data.name, "reading": reading}
    how = {flag: getattr(options, flag) for flag in ("nominal", "task") if flag in options}
    checked = CheckedTable.of(data.X, data.y, **how)
    checked.check.require(getattr(options, "accept", ()))
    rank = partial(_ensemble, options, checked.with_target())
    _run(options, data.X.shape[1], rank, view)


def _run(
    options: argparse.Namespace,
    n_features: int,
    rank: Callable[[Progress | None], pyfsagg.ensemble.EnsembleResult],
    view: dict[str, Any],
    unit: str = "resample",
    messages: Sequence[str] = (),
) -> None:
    """Rank, write everything into a folder, and print the answer."""
    from pyfsagg.error_control.control import check_goals

    if not isinstance(options.n_features_to_select, str):
        n_selected(options.n_features_to_select, n_features)  # refuse before the work is done
    limits = given(options, "max_false", "fdr")
    limits = {name: level for name, level in limits.items() if level is not None}
    if limits:
        check_goals(**limits)  # before the work is done, too
    view = {"n_features_to_select": options.n_features_to_select, **limits, **view}
    if unit == "resample" and Checks.from_flags(options).any:
        messages = [*messages, "progress includes halves and shuffled targets"]
    compute_and_save(options, rank, unit=unit, view=view, messages=messages)


def _named_filters(options: argparse.Namespace, usual: Any = "auto") -> Any:
    """The filter of --filter, or those of --filters, if there are as many as --method wants."""
    if options.filter and options.filters:
        raise ParameterError("--filter is for wam, --filters is for bam; give one of them")
    named = options.filter or options.filters
    if named is None:
        return "information_gain" if options.method == "wam" else usual
    n_filters = 1 if isinstance(named, str) else len(named)
    if options.method is not None and (options.method == "bam") != (n_filters > 1):
        raise ParameterError(
            f"--method {options.method} ranks by {'several filters' if n_filters < 2 else 'one filter'}, "
            f"got {n_filters}"
        )
    return named


def _ensemble(
    options: argparse.Namespace, table: CheckedTable, progress: Progress | None
) -> pyfsagg.ensemble.EnsembleResult:
    """Rank a table with the settings of the flags."""
    from pyfsagg.ensemble.methods import rank_checked
    from pyfsagg.ensemble.run import gather_settings
    from pyfsagg.ensemble.settings import Ensemble

    flat = {
        **{name: getattr(options, name, None) for name in (*Task.names(), *Checks.names())},
        **{name: getattr(options, name, None) for name in Execution.names()},
        "n_resamples": 1000 if options.n_resamples is None else options.n_resamples,
        "precision": assignments(options.precision) or None,
        "resampling": options.resampling or "bootstrap",
        "resampling_params": assignments(options.resampling_param),
        "progress": progress,
    }
    how = {"random_state": options.seed, "n_jobs": options.jobs, **gather_settings(flat)}
    ensemble = Ensemble(
        _named_filters(options),
        assignments(options.filter_param) or None,
        aggregator_params=assignments(options.aggregator_param) or None,
        **given(options, "normalize", "aggregator"),
        **{name: how.pop(name) for name in ("n_resamples", "resampling")},
    )
    return rank_checked(table, ensemble, options.n_features_to_select, **how)


def _check(options: argparse.Namespace) -> int:
    from pyfsagg._table.groups import group_columns
    from pyfsagg.datasets._loaders import is_sparse_file

    if is_sparse_file(options.table):
        read = tables.check_sparse_file(options)
    else:
        read = tables.check_file(options, target_columns(options), options.groups)
    record, task = dict(read.record), Task.from_flags(options)
    if task.feature_groups is not None:
        features = group_columns(task, read.checked.table.feature_names)
        several = {name: list(each) for name, each in features.items() if each != (name,)}
        record |= {"groups": several, "without_group": len(features) - len(several)}
    if options.json:
        print(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        lines = [f"read: {note}" for note in read.notes]
        if groups := record.get("groups"):
            sizes, alone = list(map(len, groups.values())), record["without_group"]
            rest = f", and {plural(alone, 'column')} without a group" if alone else ""
            lines.append(
                f"groups: {plural(len(groups), 'group')} of {min(sizes)} to {max(sizes)} columns{rest}: "
                f"{enumerate_names(list(groups))}"
            )
        print("\n".join([*lines, read.check.text()]))
    return 1 if any(finding.severity == "stop" for finding in read.check.findings) else 0
