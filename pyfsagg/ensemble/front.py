"""The front door of Python: a table is checked and ranked, as the terminal does."""

import os
from collections.abc import Sequence
from inspect import signature
from typing import Any

import numpy as np

from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Task
from pyfsagg._base.spellings import answers_spellings, other_argument
from pyfsagg._base.validation import check_list
from pyfsagg._message import Param
from pyfsagg._table import frames, look, sparse, table
from pyfsagg._table.findings import TableCheck
from pyfsagg.datasets import check_table, load_dataset, read_table
from pyfsagg.datasets._loaders import in_memory, list_datasets, split_labels
from pyfsagg.ensemble.methods import bam, wam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.exceptions import ParameterError
from pyfsagg.resampling import GroupedBootstrap

_OPTIONS = signature(wam).parameters.keys() & signature(bam).parameters.keys()


@answers_spellings
def rank(
    X: TableLike,
    y: TargetLike = None,
    *,
    groups: Any = None,
    task: str | Task = "classification",
    filters: str | Sequence[Any] = "auto",
    accept: Sequence[str] = (),
    n_resamples: Any = 1000,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    **options: Any,
) -> EnsembleResult:
    """Check a table and rank its features, as ``pyfsagg rank`` does on the terminal.

    Parameters
    ----------
    X : array, data frame, sparse matrix (n_samples, n_features), or path
        A file is read as by :func:`pyfsagg.datasets.read_table`.  The name of a data set, without `y`, ranks
        that set.
    y : str, array (n_samples,) or data frame, optional
        The column of `X` that is the target, or the target itself; for survival two columns, times and
        events, or their names.
    groups : str or array (n_samples,), optional
        Subjects with several rows, or their column: all rows of a subject are drawn together.
    task : str or Task
        ``"classification"``, ``"regression"``, ``"survival"``, or a :class:`pyfsagg.Task`.
    filters : str or sequence
        One filter, as for :func:`pyfsagg.wam`, or several, or ``"auto"``, as for :func:`pyfsagg.bam`.
    accept : sequence of str
        Findings of :func:`pyfsagg.datasets.check_table` that do not stop the run, or ``["all"]``. Rows
        without a target are omitted if ``"missing_target"`` is accepted.
    n_resamples, random_state, n_jobs
        As for :func:`pyfsagg.wam`.
    **options
        Other arguments of :func:`pyfsagg.wam` and :func:`pyfsagg.bam`.

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
    for name in options:
        if name not in _OPTIONS:
            raise other_argument(rank, name)
    task = Task.of_argument(task)
    options = {
        "n_resamples": n_resamples, "random_state": random_state, "n_jobs": n_jobs, "task": task, **options
    }  # fmt: skip
    if isinstance(X, str) and y is None and X in list_datasets().index and not os.path.exists(X):
        data = load_dataset(X)
        X, y = data.X, data.y
    elif isinstance(X, (str, os.PathLike)):
        X = read_table(os.fspath(X))
    if sparse.is_sparse(X):
        _accepted(check_table(X, y, task=task.task), accept, stacklevel=4)
    else:
        X, y, groups = _checked(X, y, groups, task, accept)
    if groups is not None:
        if "resampling" in options:
            raise ParameterError(
                "give ", Param("groups"), " to the plan of ", Param("resampling"), ", not beside it"
            )
        options["resampling"] = GroupedBootstrap(groups)
    if isinstance(filters, str) and filters == "auto":
        return bam(X, y, **options)
    alone = isinstance(filters, str) or callable(filters) or hasattr(filters, "fit")
    names = [filters] if alone else check_list("filters", filters)
    if len(names) != 1:
        return bam(X, y, filters=names, **options)
    return wam(X, y, filter=names[0], **options)


def _checked(
    X: TableLike, y: TargetLike, groups: Any, task: Task, accept: Sequence[str]
) -> tuple[Any, Any, Any]:
    """Features, target and subjects of a table in which nothing stops a run; other findings warn."""
    frame = in_memory(X)
    inside = [groups] if isinstance(groups, str) else []
    frame, labels = split_labels(frame, y, inside)
    if inside:
        groups = in_memory(X)[groups]
    nominal = {str(name) for name in task.nominal or ()}
    declared = {j for j, name in enumerate(frame.columns) if str(name) in nominal}
    found = look.find_in_table(
        frame, labels, nominal=nominal, task=task.task, grouped=groups is not None
    )
    _accepted(found, accept, stacklevel=5)
    if labels is not None:
        cells: Any = labels.notna().to_numpy().reshape(len(labels), -1)
        known: Any = cells.all(axis=1)
        if known.any():
            frame, labels = frame.loc[known], labels.loc[known]
            groups = None if groups is None else np.asarray(groups)[known]
    return table.convert_frame(frames.PandasFrame(frame), declared), labels, groups


def _accepted(found: TableCheck, accept: Sequence[str], stacklevel: int) -> None:
    """Refuse what stops a run; other findings warn."""
    found.require(accept)
    for finding in found.findings:
        if finding.severity == "warning":
            warn(finding.message, stacklevel=stacklevel)
