"""What a filter is: prepared once for a table, then asked for the scores of many resamples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.validation import check_integer, is_word
from pyfsagg._message import Got, Param
from pyfsagg._table.groups import GroupedColumns
from pyfsagg._table.table import AnyTable, Weights, as_table, full_weights
from pyfsagg._table.target import Target, check_target
from pyfsagg.exceptions import ParameterError


class Scorer(Protocol):
    """A filter bound to a table.

    Called with the weights (b, n_samples) of a block of resamples and the labels (b or 1,
    n_samples; one row means the same labels for all), it returns one score matrix (b, n_features)
    for each of its `outputs`, larger = more important.  It holds no state that a call changes, so
    that several threads may call it at once, and row r of a result depends on row r of the weights
    and labels only.
    """

    @property
    def outputs(self) -> tuple[str, ...]: ...

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]: ...


@dataclass(eq=False)
class BoundFilter:
    """Filters that are computed in one pass over a table.

    `outputs` says which of the scorer's outputs belongs to the label of which filter.  With `grouped`
    columns the features are groups, called `names`; the scores of the scorer are those of columns.
    """

    prepare: Callable[..., Scorer]
    parameters: Mapping[str, Any]
    table: AnyTable
    target: Target
    outputs: dict[str, str] = field(default_factory=dict)
    grouped: GroupedColumns | None = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.names = self.names or self.table.feature_names

    def scorer(self, table: AnyTable | None = None) -> Scorer:
        """The scorer of the table, prepared at the first call, or of another table."""
        if table is not None:
            return self.prepare(table, self.target, **self.parameters)
        if not hasattr(self, "_scorer"):
            self._scorer = self.prepare(self.table, self.target, **self.parameters)
        return self._scorer

    def scores(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, NDArray[np.float64]]:
        """Scores of the features (b, n_features) by label of the filter, one row per row of weights."""
        found = self.scorer()(weights, labels)
        own = {label: found[output] for label, output in self.outputs.items()}
        if self.grouped is None:
            return own
        return {label: self.grouped.reduce(scores) for label, scores in own.items()}


@dataclass(frozen=True, eq=False)
class KernelScorer:
    """A compiled loop bound to a table: a :class:`Scorer`.

    ``kernel(*arguments, labels, weights, scores)`` writes the scores, of shape (number of outputs, b,
    n_features).  A loop that scores some resamples in little more time than one says how many in `together`.
    """

    kernel: Callable[..., object]
    arguments: tuple[Any, ...]
    outputs: tuple[str, ...]
    n_features: int
    releases_gil: bool = True
    together: int = 1

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        # One type and memory layout, so that the kernels are compiled once.
        weights = np.ascontiguousarray(weights, dtype=np.uint16)
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        scores = np.empty((len(self.outputs), len(weights), self.n_features))
        self.kernel(*self.arguments, labels, weights, scores)
        return dict(zip(self.outputs, scores, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        """A loop of a module travels by its name, with its compiled code left where it is kept.

        numba would send the source, and every worker of a cluster would compile it anew.
        """
        given = [getattr(self, field.name) for field in fields(self)]
        function = getattr(self.kernel, "py_func", self.kernel)
        home, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "")
        if home == "__main__" or getattr(sys.modules.get(home), name, None) is not self.kernel:
            return type(self), tuple(given)
        return _with_named_kernel, (home, name, *given[1:])


def _with_named_kernel(home: str, name: str, *given: Any) -> KernelScorer:
    return KernelScorer(getattr(import_module(home), name), *given)


def score_features(
    prepare: Callable[..., Scorer],
    output: str,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None,
    reading: Mapping[str, Any],
    task: str = "classification",
    **parameters: Any,
) -> Floats:
    """Scores (n_features,) of one table, which is read with the options `reading`."""
    table = as_table(X, **reading)
    target = check_target(y, table.n_samples, task=task)
    scorer = prepare(table, target, **parameters)
    weights = full_weights(table.n_samples, sample_weight)
    scores: Floats = scorer(weights, target.codes[np.newaxis, :])[output][0]
    return scores


def always(_parameters: Mapping[str, Any]) -> bool:
    return True


def never(_parameters: Mapping[str, Any]) -> bool:
    return False


def as_given(
    parameters: Mapping[str, Any], _n_features: int, _largest: int | None
) -> dict[str, Any]:
    return dict(parameters)


@dataclass(frozen=True, kw_only=True)
class FilterSpec(Spec):
    """A registered filter.

    In formulas X is the feature, Y the target, n the number of rows, counted by their weights.

    `prepare(table, target, **parameters)` returns a :class:`Scorer`; filters that share one
    `prepare` (information gain, gain ratio, symmetric uncertainty) are computed in one pass, and
    `output` names which of the scorer's matrices is meant.  `accepts_missing(parameters)` says whether
    features may have missing values; ``settle(parameters, n_features, largest)`` puts numbers for what
    the parameters leave open, where `largest` is the largest number of features that will be asked
    for, or None; `targets` are the kinds of target that it can use, of
    ``"classes"``, ``"numeric"``, ``"survival"`` and ``"none"``; `sparse` says whether `prepare` also takes a
    sparse table; `counts_levels` whether of a nominal column
    nothing matters but which rows share a level, so that a group of columns can be read as one;
    `two_classes` whether a target of classes must have two of them.
    """

    prepare: Callable[..., Scorer]
    output: str
    accepts_missing: Callable[[Mapping[str, Any]], bool] = always
    settle: Callable[[Mapping[str, Any], int, int | None], dict[str, Any]] = as_given
    targets: tuple[str, ...] = ("classes",)
    sparse: bool = False
    counts_levels: bool = False
    two_classes: bool = False


FILTERS = Registry("filter", FilterSpec, group="pyfsagg.filters")


WIDE = 300
"""Up to so many features, ``"auto"`` ranks all of them."""

LEAST = 100
"""So many features at least are selected of a wider table,"""

TIMES = 4
"""and so many times as many as will be asked for."""


def read_depth(depth: object, n_features: int, largest: int | None = None) -> int:
    """How many of `n_features` to select: a number, None or ``"all"``, or ``"auto"``.

    `largest` is the largest number of features that will be asked for, where it is known.  A number
    above `n_features` means all: a resample may show a part of the features only.
    """
    if depth is None or is_word(depth, "all"):
        return n_features
    if is_word(depth, "auto"):
        enough = max(LEAST, TIMES * (largest or 0))
        return n_features if n_features <= WIDE else min(n_features, enough)
    if isinstance(depth, str):
        raise ParameterError(
            Param("n_features"), " must be a whole number, 'all' or 'auto'", Got(depth)
        )
    return min(check_integer("n_features", depth, low=1), n_features)


def settle_depth(
    parameters: Mapping[str, Any], n_features: int, largest: int | None
) -> dict[str, Any]:
    """The parameters of a filter with its depth, where the table is wide or the depth was given."""
    given = parameters.get("n_features", "auto")
    depth = read_depth(given, n_features, largest)
    if is_word(given, "auto") and n_features <= WIDE:
        return dict(parameters)
    return {**parameters, "n_features": depth if depth < n_features else "all"}
