"""What a filter is: prepared once for a table, then asked for the scores of many resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.registry import Registry
from pyfsagg._table.table import Weights, full_weights

__all__ = ["FILTERS", "FilterSpec", "Scorer", "Weights", "full_weights"]


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


def _always(_parameters: Mapping[str, Any]) -> bool:
    return True


@dataclass(frozen=True)
class FilterSpec:
    """A registered filter.

    `prepare(table, target, **parameters)` returns a :class:`Scorer`; filters that share one
    `prepare` (information gain, gain ratio, symmetric uncertainty) are computed in one pass, and
    `output` names which of the scorer's matrices is meant.  `accepts_missing(parameters)` says whether
    features may have missing values; `targets` are the kinds of target that it can use, of
    ``"classes"``, ``"numeric"`` and ``"none"``; `sparse` says whether `prepare` also takes a
    :class:`~pyfsagg._table.table.SparseTable`.
    """

    name: str
    aliases: tuple[str, ...]
    summary: str
    prepare: Callable[..., Scorer]
    output: str
    bounds: str
    source: str
    accepts_missing: Callable[[Mapping[str, Any]], bool] = _always
    targets: tuple[str, ...] = ("classes",)
    sparse: bool = False


FILTERS: Registry[FilterSpec] = Registry("filter")
