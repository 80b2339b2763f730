"""R packages from Python through rpy2, and the comparison of pyfsagg with them.

Needs R, rpy2 (``pip install pyfsagg[r]``) and the R package in question; without them a function
raises :class:`~pyfsagg.exceptions.MissingDependencyError`, whose message says what to install.
Nothing here is imported by pyfsagg itself, except by the command ``pyfsagg cross-check``.

======================  ==========================  ===============================================
Module                  R packages                  What
======================  ==========================  ===============================================
``rank_aggregation``    RobustRankAggreg            ``aggregate_ranks``, ``rank_matrix``
``statistics``          stats, afex, rstatix        analysis of variance, t, Wilcoxon, Friedman tests
``correlation``         base, stats                 ranks, correlations, distances, ``p.adjust``
``entropy``             FSelectorRcpp               information gain and its relatives, MDL cuts
``mutual_information``  praznik                     mutual information, mRMR
``association``         mRMRe                       mutual information from correlations, mRMR
``stability``           stabm                       stability of selections
``comparisons``         all of these                :func:`cross_check`
======================  ==========================  ===============================================
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from r_bridge._session import InsideRError as InsideRError
    from r_bridge._session import RError as RError
    from r_bridge.comparisons import CrossCheck as CrossCheck
    from r_bridge.comparisons import cross_check as cross_check
    from r_bridge.comparisons import list_comparisons as list_comparisons
    from r_bridge.rank_aggregation import aggregate_ranks as aggregate_ranks
    from r_bridge.rank_aggregation import rank_matrix as rank_matrix

_HOMES = {
    "_session": ("InsideRError", "RError"),
    "comparisons": ("CrossCheck", "cross_check", "list_comparisons"),
    "rank_aggregation": ("aggregate_ranks", "rank_matrix"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*sorted(_HOME_OF)]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'r_bridge' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"r_bridge.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
