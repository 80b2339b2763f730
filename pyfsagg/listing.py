"""Every method that has a name: :func:`list_methods`."""

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import pandas as pd

from pyfsagg.exceptions import UnknownNameError

__all__ = ["list_methods"]


class _Kind(NamedTuple):
    """The registry of a kind and its module, fields that are not shown, and more columns."""

    summary: str
    module: str
    registry: str
    hidden: tuple[str, ...] = ()
    columns: Callable[[Iterable[Any]], dict[str, list[Any]]] = lambda specs: {}


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
          (:class:`pyfsagg.Task`), ``adjusts`` for which columns of ``Task(adjust=…)`` scores are adjusted.
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
        summaries = {name: entry.summary for name, entry in _KINDS.items()}
        return pd.Series(summaries, name="summary").rename_axis("kind").to_frame()
    key = str(kind).strip().lower().replace("-", "_").replace(" ", "_")
    if key not in _KINDS:
        raise UnknownNameError("kind", str(kind), _KINDS)
    entry = _KINDS[key]
    registry = getattr(import_module(entry.module), entry.registry)
    if callable(registry):  # the data sets
        table: pd.DataFrame = registry()
        return table
    table = registry.to_frame(*entry.hidden)
    return table.assign(**entry.columns(registry))


_KINDS = {
    "filters": _Kind(
        "scores of features, for wam, bam and influence",
        "pyfsagg.filters.unlabelled",  # adds the rankings without labels
        "FILTERS",
        ("latex", "prepare", "output", "accepts_missing", "settle", "within"),
        lambda specs: {
            "targets": [", ".join(spec.targets) for spec in specs],
            "adjusts": [spec.adjusts for spec in specs],
        },
    ),
    "aggregators": _Kind(
        "many scores or ranks of an item into one",
        "pyfsagg.aggregation._base",
        "AGGREGATORS",
        ("latex", "compute", "by_item", "in_loops", "extreme"),
    ),
    "stability": _Kind(
        "measures of how far selections, ranks or scores agree",
        "pyfsagg.stability_measures._base",
        "STABILITY_MEASURES",
        ("latex", "bind", "chance", "breaks_ties"),
    ),
    "resampling": _Kind(
        "plans by which resamples are drawn",
        "pyfsagg.resampling.plan",
        "PLANS",
        columns=lambda specs: {"plan": [spec.plan.__name__ for spec in specs]},
    ),
    "classifiers": _Kind(
        "learners of evaluate and committee, for classes",
        "pyfsagg.evaluation.learners",
        "CLASSIFIERS",
        ("make", "make_mixed"),
    ),
    "regressors": _Kind(
        "learners of evaluate and committee, for a numeric target",
        "pyfsagg.evaluation.learners",
        "REGRESSORS",
        ("make", "make_mixed"),
    ),
    "survival_models": _Kind(
        "models of evaluate, for times and events",
        "pyfsagg.evaluation.metrics",
        "SURVIVAL_MODELS",
        ("make", "make_mixed"),
        lambda specs: {"installed": [not s.needs or find_spec(s.needs) is not None for s in specs]},
    ),
    "metrics": _Kind(
        "what evaluate measures of predictions",
        "pyfsagg.evaluation.metrics",
        "METRICS",
        ("compute",),
    ),
    "eliminations": _Kind(
        "methods of rank_order.eliminate",
        "pyfsagg.rank_order.elimination",
        "ELIMINATIONS",
        ("latex", "title", "build", "seconds", "settings", "takes"),
        lambda specs: {"options": [", ".join(spec.settings.names()) for spec in specs]},
    ),
    "unsupervised": _Kind(
        "rankings without labels, filters as well",
        "pyfsagg.unsupervised.registry",
        "UNSUPERVISED_METHODS",
        ("latex", "load", "clusters"),
        lambda specs: {"options": [", ".join(spec.options) for spec in specs]},
    ),
    "voting_rules": _Kind(
        "selections of many voters into an order",
        "pyfsagg.committees.rules",
        "VOTING_RULES",
        ("latex", "count"),
    ),
    "datasets": _Kind(
        "data sets that load_dataset knows by name", "pyfsagg.datasets._loaders", "list_datasets"
    ),
}
