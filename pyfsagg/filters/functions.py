"""Every filter as a function of a table, made from its spec: signature, docstring and name."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from textwrap import indent
from typing import Any

from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Floats, TableLike, TargetLike
from pyfsagg._base.settings import Task
from pyfsagg._table.table import as_table, full_weights
from pyfsagg._table.target import read_target
from pyfsagg.filters._base import FilterSpec
from pyfsagg.filters.binding import bind_filters, filter_label


def score_features(
    X: TableLike,
    y: TargetLike,
    filter: Any,
    sample_weight: ArrayLike | None = None,
    *,
    task: str | Task = "classification",
    nominal: Sequence[str | int] | None = None,
    **filter_params: Any,
) -> Floats:
    """Score the features of a table, as it is, by one filter.

    Parameters
    ----------
    X : array, data frame or SciPy sparse matrix, shape (n_samples, n_features)
        Sparse for the filters that ``list_methods("filters")`` marks as sparse.
    y : array-like, shape (n_samples,), or None
        Labels of classes, or numbers; for survival two columns, times and events.  None for filters that
        need no target.
    filter : str, function or estimator
        A name from ``list_methods("filters")``, a function ``(X, y, sample_weight) -> scores``, or an
        estimator of scikit-learn that knows importances.
    sample_weight : array-like of int, shape (n_samples,), optional
        How often each row counts; the result is that of the table with its rows so repeated.
    task : str or Task
        ``"classification"``, ``"regression"``, ``"survival"``, or a :class:`pyfsagg.Task`, with columns
        that scores are adjusted for, for instance.
    nominal : sequence of str or int, optional
        Columns to be taken as nominal regardless of their type.
    **filter_params
        Parameters of the filter; the function of its name in :mod:`pyfsagg.filters` describes them.

    Returns
    -------
    ndarray of float64, shape (n_features,)
        Larger is more important.

    Raises
    ------
    DataError
        If the filter cannot use such a target or table.  The message names filters that can.

    See Also
    --------
    pyfsagg.wam : The same filter over resamples.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.filters import score_features
    >>> X = np.array([[0.0, 1.0], [0.1, 2.0], [0.9, 1.0], [1.0, 2.0]])
    >>> score_features(X, [0, 0, 1, 1], "chi_squared", bins=2).tolist()
    [4.0, 0.0]
    """
    task = Task.of_argument(task)
    if nominal is not None:
        task = replace(task, nominal=nominal)
    read = as_table(X, nominal=task.nominal, min_features=1, sparse=True)
    table, target = read_target(task, read, y, optional=True)
    label = filter_label(filter)
    (bound,) = bind_filters([filter], {label: filter_params}, table, target, seed=0)
    weights = full_weights(table.n_samples, sample_weight)
    scores: Floats = bound.scores(weights, target.codes[None])[label][0]
    return scores


def filter_function(spec: FilterSpec) -> Callable[..., Floats]:
    """The function ``(X, y, sample_weight=None, *, …) -> scores`` of a registered filter."""
    usual = "classification" if "classes" in spec.targets else _TASKS[spec.targets[0]]
    needs = "none" not in spec.targets

    def function(
        X: TableLike, y: TargetLike = None, sample_weight: ArrayLike | None = None, **options: Any
    ) -> Floats:
        return score_features(X, y, spec.name, sample_weight, **{"task": usual, **options})

    own = list(inspect.signature(spec.prepare).parameters.values())[2:]
    common = inspect.signature(score_features).parameters
    y = common["y"] if needs else common["y"].replace(default=None)
    settings = [common["task"].replace(default=usual), common["nominal"]]
    ordered = sorted([*own, *settings], key=lambda one: one.kind)  # **options are last
    function.__name__ = function.__qualname__ = spec.name
    function.__module__ = "pyfsagg.filters"
    function.__doc__ = _describe(spec, usual)
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [common["X"], y, common["sample_weight"], *ordered], return_annotation=Floats
    )
    return function


_TASKS = {"numeric": "regression", "survival": "survival"}
_TARGETS = {
    "classes": "labels of classes",
    "numeric": 'numbers (``task="regression"``)',
    "survival": 'times and events, two columns (``task="survival"``)',
    "none": "None",
}


def _describe(spec: FilterSpec, usual: str) -> str:
    """The docstring of a filter, from its spec and the sections of what prepares it."""
    parts = _sections(inspect.getdoc(getattr(spec.prepare, "func", spec.prepare)) or "")
    about = inspect.getdoc(score_features) or ""
    targets = ", or ".join(_TARGETS[kind] for kind in spec.targets)
    if spec.two_classes:
        targets = targets.replace("labels of classes", "labels of two classes")
    sparse = " or SciPy sparse matrix" if spec.sparse else ""
    wanted = {name: _entry(about, name) for name in ("sample_weight", "task", "nominal")}
    blocks = [
        f"{spec.summary}.",
        f"``{spec.formula}``" if spec.formula else "",
        "Parameters\n----------\n"
        f"X : array or data frame{sparse}, shape (n_samples, n_features)\n"
        f"y : array-like, shape (n_samples,)\n{indent(targets[0].upper() + targets[1:] + '.', '    ')}\n"
        + wanted["sample_weight"]
        + "".join(f"{text}\n" for text in [parts.get("Parameters", "")] if text)
        + wanted["task"]
        + wanted["nominal"].rstrip(),
        "Returns\n-------\nndarray of float64, shape (n_features,)\n"
        f"    In {spec.bounds or '(-inf, inf)'}; larger is more important.  Ties: {spec.ties or '-'}.",
        "Raises\n------\nDataError\n"
        "    If the filter cannot use such a target or table.  The message names filters that can.",
        "See Also\n--------\nscore_features : Any filter, by its name.\n"
        "pyfsagg.wam : The filter over resamples.",
        f"Notes\n-----\n{parts['Notes']}" if "Notes" in parts else "",
        f"References\n----------\n{spec.source}." if spec.source else "",
        f"Examples\n--------\n{_example(spec, usual)}",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _sections(doc: str) -> dict[str, str]:
    """The text below each heading of a docstring."""
    pieces = re.split(r"^(\w[\w ]*)\n-{3,}\n", doc, flags=re.MULTILINE)
    return {title: text.strip("\n") for title, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def _entry(doc: str, name: str) -> str:
    """The description of one parameter."""
    found = re.search(rf"^{name} : .*\n(?:    .*\n)+", doc, flags=re.MULTILINE)
    assert found is not None
    return found[0]


def _example(spec: FilterSpec, usual: str) -> str:
    """A call on six rows."""
    target = {
        "classification": '["a", "a", "a", "b", "b", "b"]',
        "regression": "[0.5, 1.5, 2.0, 3.0, 4.5, 5.0]",
        "survival": "[[2, 1], [4, 1], [5, 0], [7, 1], [8, 1], [9, 1]]",
    }[usual]
    return (
        f">>> from pyfsagg.filters import {spec.name}\n"
        ">>> X = [[1.0, 5.0], [2.0, 1.0], [3.0, 3.0], [7.0, 2.0], [8.0, 6.0], [9.5, 4.0]]\n"
        f">>> {spec.name}(X, {target}).shape\n"
        "(2,)"
    )
