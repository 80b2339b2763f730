"""How far a greedy selection goes: the depth of mRMR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyfsagg._base.checks import check_integer, is_word
from pyfsagg.exceptions import ParameterError

__all__ = ["LEAST", "read_depth", "settle_depth"]

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

    Raises
    ------
    ParameterError
        For anything else.
    """
    if depth is None or is_word(depth, "all"):
        return n_features
    if is_word(depth, "auto"):
        enough = max(LEAST, TIMES * (largest or 0))
        return n_features if n_features <= WIDE else min(n_features, enough)
    if isinstance(depth, str):
        raise ParameterError(f"n_features must be a whole number, 'all' or 'auto', got {depth!r}")
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
