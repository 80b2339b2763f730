"""What a filter is: prepared once for a table, then asked for the scores of many resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.registry import Registry, Spec
from pyfsagg._table.table import Weights, full_weights

__all__ = ["FILTERS", "FilterSpec", "Scorer", "Weights", "always", "full_weights", "never"]


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

    def __call__(
        self, weights: Weights, labels: NDArray[np.int32]
    ) -> dict[str, NDArray[np.float64]]: ...


def always(_parameters: Mapping[str, Any]) -> bool:
    return True


def never(_parameters: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True, kw_only=True)
class FilterSpec(Spec):
    """A registered filter.

    In formulas X is the feature, Y the target, n the number of rows, counted by their weights.

    `prepare(table, target, **parameters)` returns a :class:`Scorer`; filters that share one
    `prepare` (information gain, gain ratio, symmetric uncertainty) are computed in one pass, and
    `output` names which of the scorer's matrices is meant.  `accepts_missing(parameters)` says whether
    features may have missing values; `targets` are the kinds of target that it can use, of
    ``"classes"``, ``"numeric"`` and ``"none"``; `sparse` says whether `prepare` also takes a
    :class:`~pyfsagg._table.table.SparseTable`.
    """

    prepare: Callable[..., Scorer]
    output: str
    accepts_missing: Callable[[Mapping[str, Any]], bool] = always
    targets: tuple[str, ...] = ("classes",)
    sparse: bool = False


FILTERS = Registry("filter", FilterSpec, group="pyfsagg.filters")
