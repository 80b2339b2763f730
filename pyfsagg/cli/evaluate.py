"""``pyfsagg evaluate``: the performance of classifiers with the selected features."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

import pyfsagg
from pyfsagg._base.settings import Task
from pyfsagg._command.flags import Flags, at_work, given, sizes, target_columns
from pyfsagg._command.results import compute_and_save
from pyfsagg._command.tables import ReadTable, load_table
from pyfsagg.evaluation.protocol import Protocol
from pyfsagg.exceptions import DataError, ParameterError

EPILOG = """\
examples:
  pyfsagg evaluate table.csv --target class
  pyfsagg evaluate table.csv --target class --methods ig,mrmr/rra,bam --classifiers nb,rf
  pyfsagg evaluate table.csv --target class --n-features-to-select 5,10,25% --metrics accuracy,auc
  pyfsagg evaluate table.csv --target time --event status --methods cox_score,pearson
  pyfsagg evaluate table.csv --target class --from pyfsagg-rank
"""


def add_commands(commands: Any) -> None:
    text = "test the selected features with classifiers"
    about = "Rank the features of a table by several methods, classify with the best of "
    about += "them in cross-validation, and test which differences between the methods are real."
    add = Flags.of(commands, "evaluate", _evaluate, text, about, EPILOG)
    add.table()
    text = "rank with the settings of this run of `pyfsagg rank`, again inside each training fold"
    add("--from", dest="run_folder", metavar="RUN", help=text)
    text = "filters, or bam; with another aggregator as mrmr/rra (default: ig,su,mrmr,cs,bam, or of --from)"
    add.names("--methods", help=text)
    add.names(
        "--classifiers",
        help="of logistic_regression, naive_bayes, random_forest, svm (these are the default), "
        "nearest_neighbors; for a regression of ridge, nearest_neighbors, random_forest, svm (these "
        "are the default), linear_regression; for survival of cox_ridge (the default), cox, and with "
        "scikit-survival random_survival_forest, gradient_boosting",
    )
    add.column("--groups", help="column of groups that folds must not divide")
    text = (
        "features to keep: numbers (10) or fractions (0.25 or 25%%; default: 10%%, 20%%, …, 100%%)"
    )
    add("--n-features-to-select", type=sizes, metavar="K,K", help=text)
    add.names(
        "--metrics",
        help="of accuracy (the default), balanced_accuracy, roc_auc, matthews_correlation, "
        "average_precision, log_loss; of r2 (the default), mean_absolute_error, "
        "root_mean_squared_error with --task regression; of concordance_index (the default), "
        "integrated_brier_score with --event",
    )
    usual = ["all_features", "random_subsets"]
    text = "of all_features, random_subsets (these are the default), single_filters"
    add.names("--baselines", default=usual, help=text)
    Protocol.add_flags(add.parser)
    add.parser.set_defaults(protocol=None)
    add.number("-n", "--n-resamples", default=1000, metavar="M")
    add.seed("all random draws")
    add.work()
    add.output("pyfsagg-evaluate")


def _evaluate(options: argparse.Namespace) -> None:
    table = load_table(options, target_columns(options), options.groups)
    way = options.protocol or ("nested" if options.run_folder else "both")
    protocol = Protocol.from_flags(options, protocol=way, groups=table.groups)
    arguments: dict[str, Any] = {"protocol": protocol, "task": Task.from_flags(options)}
    if options.run_folder:
        saved, label, arguments["task"] = _saved_run(options, table)
        arguments["rankings"] = {label: saved}
        code = f"pyfsagg.ensemble.EnsembleResult.load({options.run_folder!r})"
        table.code.append(f"rankings = {{{label!r}: {code}}}")
    named = given(options, "classifiers", "n_features_to_select")
    arguments |= {flag: value for flag, value in named.items() if value is not None}
    arguments |= given(options, "methods", "metrics", "baselines", "n_resamples")
    compute_and_save(
        options,
        lambda progress: pyfsagg.evaluate(
            table.X, table.y, **arguments, **at_work(options, progress)
        ),
        unit="step",
        view=table.view,
        messages=table.lines,
    )


def _saved_run(
    options: argparse.Namespace, table: ReadTable
) -> tuple[pyfsagg.ensemble.EnsembleResult, str, Task]:
    """A saved run, if it was made for this table, its name here, and how it read the table."""
    from pyfsagg._table.identity import data_hash
    from pyfsagg._table.table import as_table
    from pyfsagg._table.target import read_target

    saved = pyfsagg.ensemble.EnsembleResult.load(options.run_folder)
    nominal = saved.parameters.get("nominal")
    if options.nominal is not None and options.nominal != nominal:
        raise ParameterError(
            f"--nominal {','.join(options.nominal)} differs from the run in {options.run_folder}; "
            "drop it; the nominal columns are those of the run"
        )
    adjust, always = (saved.parameters.get(role) for role in ("adjust", "always"))
    task = replace(Task.from_flags(options), nominal=nominal, adjust=adjust, always=always)
    columns = {*(nominal or ()), *(adjust or ()), *(always or ())}
    for name in saved.feature_names:
        columns.update(saved.groups.get(name, (name,)))
    X = table.X
    known = columns <= set(X.columns)
    read = read_target(task, as_table(X, nominal=nominal), table.y) if known else None
    if read is None or data_hash(*read) != saved.data["sha256"]:
        raise DataError(
            f"the run in {options.run_folder} was made for another table: it ranked "
            f"{saved.data['n_features'] + len(saved.data['dropped_features'])} features of "
            f"{saved.data['n_samples']} samples with the target {saved.data['target']!r}; this one "
            f"has {X.shape[1]} features and {X.shape[0]} samples. Give the same file with the same "
            "--target and --exclude"
        )
    label = "bam" if saved.method == "bam" else next(iter(saved.score_matrices))
    if saved.groups and task.feature_groups is None:
        score = saved.parameters["group_score"]
        task = replace(task, feature_groups=saved.groups, group_score=score)
    return saved, f"{label} (saved)", task
