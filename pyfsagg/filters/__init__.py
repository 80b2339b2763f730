"""Importance scores of features, mostly with respect to a target; one function for each filter.

Each filter of ``list_methods("filters")`` is a function ``(X, y, sample_weight=None, *, …) -> scores`` of its
name; :func:`score_features` calls any of them by name.

>>> from pyfsagg.filters import chi_squared
>>> chi_squared([[0.0, 1.0], [0.1, 2.0], [0.9, 1.0], [1.0, 2.0]], [0, 0, 1, 1], bins=2).tolist()
[4.0, 0.0]
"""

from collections.abc import Callable

from pyfsagg._base.arithmetic import Floats
from pyfsagg.filters import adjusted, association, entropy  # noqa: F401 - they register filters
from pyfsagg.filters._base import FILTERS
from pyfsagg.filters.functions import filter_function, score_features
from pyfsagg.filters.information import information_selection
from pyfsagg.filters.plain import near_zero_variance
from pyfsagg.filters.survival import martingale_residuals

__all__ = ["information_selection", "martingale_residuals", "near_zero_variance", "score_features"]
__all__ += sorted(spec.name for spec in FILTERS.own())


def __getattr__(name: str) -> Callable[..., Floats]:
    """The function of a filter, plug-ins among them, made when it is first used."""
    if name.startswith("_") or name not in FILTERS.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = globals()[name] = filter_function(FILTERS.get(name))
    return function


def __dir__() -> list[str]:
    return sorted({*__all__, *FILTERS.names()})
