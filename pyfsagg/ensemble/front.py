"""The front door: a table is checked, and its features are ranked, for Python and the terminal alike."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Task
from pyfsagg._base.spellings import answers_spellings
from pyfsagg._message import Param
from pyfsagg._run.execution import Checks, Execution
from pyfsagg.datasets import load_dataset, read_sparse_table, read_table
from pyfsagg.datasets._checked import CheckedTable
from pyfsagg.datasets._loaders import is_sparse_file, list_datasets
from pyfsagg.ensemble.methods import bam, wam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.scoring import deep_enough, likely_filters
from pyfsagg.ensemble.selection import read_wish
from pyfsagg.ensemble.settings import Ensemble, Precision
from pyfsagg.exceptions import ParameterError
from pyfsagg.resampling import Plan
from pyfsagg.resampling.plan import read_plan, with_data


@answers_spellings
def rank(
    X: TableLike,
    y: TargetLike = None,
    *,
    groups: Any = None,
    event: Any = None,
    accept: Sequence[str] = (),
    filters: str | Sequence[Any] = "auto",
    filter_params: Mapping[str, Any] | None = None,
    normalize: str = "auto",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_features_to_select: int | float | str = "auto",
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Check a table and rank its features, as ``pyfsagg rank`` does on the terminal.

    Parameters
    ----------
    X : array, data frame, sparse matrix (n_samples, n_features), or path
        A file is read as by :func:`pyfsagg.datasets.read_table`, or
        :func:`pyfsagg.datasets.read_sparse_table`, which brings its target along.  The name of a data set,
        without `y`, ranks that set.
    y : str, array (n_samples,) or data frame, optional
        The column of `X` that is the target, or the target itself; for survival two columns, times and
        events, or their names.
    groups : str or array (n_samples,), optional
        Subjects with several rows, or their column: all rows of a subject are drawn together.
    event : scalar, optional
        The value in the column of events that is one; all other values are censored times.  The task is
        survival then.  Without it 1 is the event, and 2 if the values are 1 and 2, as in R's ``Surv``.
    accept : sequence of str
        Findings of :func:`pyfsagg.datasets.check_table` that do not stop the run, or ``["all"]``. Rows
        without a target are omitted if ``"missing_target"`` is accepted.
    filters : str or sequence
        One filter, as for :func:`pyfsagg.wam`, or several, or ``"auto"``, as for :func:`pyfsagg.bam`.
    n_features_to_select : int, float or str
        How many features the report of the result selects, as in :meth:`EnsembleResult.selection`.  Filters
        that select one feature after the other, such as mRMR, go as deep as a number needs.
    filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling, task, checks, \
random_state, n_jobs, execution
        As for :func:`pyfsagg.wam` and :func:`pyfsagg.bam`.  With `groups` the bootstrap draws groups.

    Returns
    -------
    EnsembleResult

    Raises
    ------
    DataError
        If the table would give a misleading ranking: identifiers, copies of the target, subjects with
        several rows. The message says what to do.

    See Also
    --------
    wam, bam : The same without checking the table.

    Examples
    --------
    >>> import pyfsagg
    >>> wine = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.rank(wine.X, wine.y, n_resamples=50, random_state=0, n_jobs=1)
    >>> result.select(3)
    ['flavanoids', 'proline', 'od280/od315_of_diluted_wines']
    """
    task = Task.of_argument(task)
    if event is not None and task.task != "survival":
        if task.task == "regression":
            raise ParameterError(Param("event"), " belongs to survival, not to a regression")
        task = replace(task, task="survival")
    if isinstance(X, str) and y is None and X in list_datasets().index and not os.path.exists(X):
        data = load_dataset(X)
        X, y = data.X, data.y
    elif isinstance(X, (str, os.PathLike)) and is_sparse_file(path := os.fspath(X)):
        X, beside = read_sparse_table(path)
        y = beside if y is None else y
    elif isinstance(X, (str, os.PathLike)):
        X = read_table(os.fspath(X))
    how: dict[str, Any] = {"nominal": task.nominal, "task": task.task}
    table = CheckedTable.of(X, y, groups=groups, event=event, **how)
    table.check.require(accept)
    for finding in table.check.findings:
        if finding.severity == "warning":
            warn(finding.message, stacklevel=3)
    if event is None:
        for note in table.notes:
            warn(note, stacklevel=3)
    ensemble = Ensemble(
        filters, filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling
    )
    return rank_checked(
        table.with_target(),
        ensemble,
        n_features_to_select,
        task=task,
        checks=checks,
        random_state=random_state,
        n_jobs=n_jobs,
        execution=execution,
    )


def rank_checked(
    table: CheckedTable,
    ensemble: Ensemble,
    n_features_to_select: int | float | str,
    *,
    task: str | Task = "classification",
    **how: Any,
) -> EnsembleResult:
    """Rank a table that was checked; `how` are the other arguments of :func:`pyfsagg.wam`."""
    read_wish(n_features_to_select)  # refused before the work is done
    named = likely_filters(ensemble.filters, Task.of_argument(task).task)
    n_columns = len(table.table.feature_names)
    deep = deep_enough(named, ensemble.filter_params, n_columns, n_features_to_select)
    plan: str | Plan = ensemble.resampling
    if table.groups is not None:
        plan = ensemble.plan
        if plan.name == "bootstrap":  # of groups
            plan = with_data(read_plan("grouped_bootstrap"), **plan._of_rows())
        plan = with_data(plan, groups=table.groups)
    given = replace(ensemble, filter_params=deep, resampling=plan).changed()
    filters = given.pop("filters", "auto")
    if ensemble.method == "wam":
        result = wam(table.table, table.y, filter=filters[0], task=task, **given, **how)
    else:
        result = bam(table.table, table.y, filters=filters, task=task, **given, **how)
    if n_features_to_select == "auto":
        return result
    return result._shown_with({"n_features_to_select": n_features_to_select})
