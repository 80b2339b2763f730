"""Every method that has a name: :func:`list_methods`."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import pandas as pd

from pyfsagg.exceptions import UnknownNameError

__all__ = ["list_methods"]


class _Kind(NamedTuple):
    summary: str
    table: Callable[[], pd.DataFrame]


def list_methods(kind: str | None = None) -> pd.DataFrame:
    """Table of the methods of a kind; without `kind`, table of the kinds.

    Parameters
    ----------
    kind : str, optional
        ``"filters"``, ``"aggregators"``, ``"stability"``, ``"resampling"``, ``"classifiers"``,
        ``"regressors"``, ``"survival_models"``, ``"metrics"``, ``"eliminations"``,
        ``"unsupervised"``, ``"voting_rules"`` or ``"datasets"``.

    Returns
    -------
    DataFrame
        One row per method, index ``name``.  Most kinds have ``aliases``, ``summary``, ``formula``,
        ``bounds``, ``higher_is_better``, ``ties`` and ``source``, and columns of their own:

        - filters: ``targets`` lists the targets that they can use (classes, a numeric target,
          survival, none); ``sparse`` shows whether they read a SciPy sparse matrix as well,
          ``counts_levels`` whether they can read a group of columns as one nominal column
          (:class:`pyfsagg.Task`).
        - stability: ``kind`` is what a measure compares (scores, ranks or sets), ``needs`` its
          required arguments, ``corrected_for_chance``.
        - survival models: ``needs`` names the package that must be installed, ``installed`` says
          whether it is.
        - eliminations: ``formula``, ``bounds`` and ``higher_is_better`` (kept longer) are about the
          criterion.

    Examples
    --------
    >>> list_methods("filters").loc["information_gain", "aliases"]
    'ig, infogain'
    >>> list_methods("stability").loc[["nogueira", "canberra"], "kind"].tolist()
    ['sets', 'ranks']
    >>> float(list_methods("resampling").loc["subsample", "default"])
    0.5
    >>> list_methods().index[:4].tolist()
    ['filters', 'aggregators', 'stability', 'resampling']
    """
    if kind is None:
        summaries = {name: each.summary for name, each in _KINDS.items()}
        return pd.Series(summaries, name="summary").rename_axis("kind").to_frame()
    key = str(kind).strip().lower().replace("-", "_").replace(" ", "_")
    if key not in _KINDS:
        raise UnknownNameError("kind", str(kind), _KINDS)
    return _KINDS[key].table()


def _filters() -> pd.DataFrame:
    from pyfsagg.filters import FILTERS
    from pyfsagg.unsupervised import _filters  # noqa: F401 - adds the rankings without labels

    frame = FILTERS.to_frame("latex", "prepare", "output", "accepts_missing", "settle")
    return frame.assign(targets=frame["targets"].map(", ".join))


def _aggregators() -> pd.DataFrame:
    from pyfsagg.aggregation import AGGREGATORS

    return AGGREGATORS.to_frame("latex", "compute", "by_item", "in_loops", "extreme")


def _stability() -> pd.DataFrame:
    from pyfsagg.stability_measures import STABILITY_MEASURES

    return STABILITY_MEASURES.to_frame("latex", "bind", "chance", "breaks_ties")


def _resampling() -> pd.DataFrame:
    from pyfsagg.resampling import PLANS

    frame = PLANS.to_frame()
    return frame.assign(plan=[plan.__name__ for plan in frame["plan"]])


def _classifiers() -> pd.DataFrame:
    from pyfsagg.evaluation.learners import CLASSIFIERS

    return CLASSIFIERS.to_frame("make", "make_mixed")


def _regressors() -> pd.DataFrame:
    from pyfsagg.evaluation.learners import REGRESSORS

    return REGRESSORS.to_frame("make", "make_mixed")


def _survival_models() -> pd.DataFrame:
    from pyfsagg.evaluation.metrics import SURVIVAL_MODELS

    frame = SURVIVAL_MODELS.to_frame("make", "make_mixed")
    installed = [not package or find_spec(package) is not None for package in frame["needs"]]
    return frame.assign(installed=installed)


def _metrics() -> pd.DataFrame:
    from pyfsagg.evaluation.metrics import METRICS

    return METRICS.to_frame("compute")


def _eliminations() -> pd.DataFrame:
    from pyfsagg.rank_order import ELIMINATIONS

    frame = ELIMINATIONS.to_frame("latex", "title", "build", "seconds", "settings", "takes")
    return frame.assign(options=[", ".join(spec.settings.names()) for spec in ELIMINATIONS])


def _unsupervised() -> pd.DataFrame:
    from pyfsagg.unsupervised import UNSUPERVISED_METHODS

    frame = UNSUPERVISED_METHODS.to_frame("latex", "load", "clusters")
    return frame.assign(options=[", ".join(spec.options) for spec in UNSUPERVISED_METHODS])


def _voting_rules() -> pd.DataFrame:
    from pyfsagg.committees import VOTING_RULES

    return VOTING_RULES.to_frame("latex", "count")


def _datasets() -> pd.DataFrame:
    from pyfsagg.datasets._loaders import list_datasets

    return list_datasets()


_KINDS = {
    "filters": _Kind("scores of features, for wam, bam and influence", _filters),
    "aggregators": _Kind("many scores or ranks of an item into one", _aggregators),
    "stability": _Kind("measures of how far selections, ranks or scores agree", _stability),
    "resampling": _Kind("plans by which resamples are drawn", _resampling),
    "classifiers": _Kind("learners of evaluate and committee, for classes", _classifiers),
    "regressors": _Kind("learners of evaluate and committee, for a numeric target", _regressors),
    "survival_models": _Kind("models of evaluate, for times and events", _survival_models),
    "metrics": _Kind("what evaluate measures of predictions", _metrics),
    "eliminations": _Kind("methods of rank_order.eliminate", _eliminations),
    "unsupervised": _Kind("rankings without labels, filters as well", _unsupervised),
    "voting_rules": _Kind("selections of many voters into an order", _voting_rules),
    "datasets": _Kind("data sets that load_dataset knows by name", _datasets),
}
