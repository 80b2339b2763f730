"""Public functions that R calls as they are: by their names, with their arguments.

:data:`CALLS` says which function of Python is behind a function of R.  What R hands over is read by
the annotations of that function, so that one number is a vector where a vector is meant, and a whole
double a count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg._run.execution import Execution
from pyfsagg.exceptions import OutputError, UnknownNameError
from pyfsagg.for_r._files import ensemble_of, unpacked
from pyfsagg.for_r._given import (
    aggregator_of,
    counts,
    listed,
    null_of,
    numbers_of,
    progress_of,
    rank_table_of,
    table_of,
    target_of,
)
from pyfsagg.for_r._plain import returned
from pyfsagg.for_r._words import IN_R

__all__ = [
    "CALLS",
    "Called",
    "call",
    "call_method",
    "call_reproduce",
    "decoded",
    "keep",
    "signature_of",
    "write",
]


@dataclass(frozen=True)
class Called:
    """A function of Python behind one of R.

    Attributes
    ----------
    function : str
        Its public name, from ``pyfsagg`` on.
    names : dict of str to str
        Arguments of Python that have another name in R, beside those of :data:`IN_R`.
    without : tuple of str
        Arguments that R does not have, because what it hands over says the same.
    method : str
        What R asks of the result, if it is a method of it.
    later : dict of str to str
        Arguments of R that are those of the method, with the names that they have there.
    """

    function: str
    names: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    method: str = ""
    later: Mapping[str, str] = field(default_factory=dict)

    @property
    def python(self) -> Callable[..., Any]:
        found: Callable[..., Any] = attrgetter(self.function)(pyfsagg)
        return found

    def in_r(self, name: str) -> str:
        return self.names.get(name, IN_R.get(name, "x" if name == "X" else name))


_COLLECTION = ("feature_names",)
"""Names of features are those of the columns in R."""

CALLS: dict[str, Called] = {
    # statistics
    **{
        name: Called(f"statistics.{name}")
        for name in (
            "bayesian_t_tests", "critical_difference", "friedman", "nemenyi", "noncentral_f_interval",
            "noncentral_t_interval", "one_way_anova", "pairwise_tests", "rank_biserial_paired",
            "rank_biserial_unpaired", "rank_confidence", "rm_anova", "sphericity_test", "wilcoxon",
            "win_tie_loss",
        )
    },
    # data
    "list_datasets": Called("list_datasets"),
    "load_dataset": Called("load_dataset"),
    "load_published": Called("load_published"),
    "read_feature_table": Called("read_table"),
    # levels and columns
    "discretize": Called("discretize"),
    "martingale_residuals": Called("martingale_residuals"),
    "near_zero_variance": Called("near_zero_variance"),
    # orders of the features within samples
    **{
        name: Called(f"rank_order.{name}")
        for name in (
            "class_centers", "instance_divergence", "inversion_counts", "kendall_distance",
            "list_eliminations", "make_concordant_orders", "make_planted_orders",
            "random_subset_baseline", "spearman_distance", "spoiler_counts", "subset_divergence",
            "to_boolean_order", "to_rank_order",
        )
    },
    "eliminate_features": Called("rank_order.eliminate"),
    "elimination_seconds": Called("rank_order.estimate_seconds"),
    "order_accuracy": Called("rank_order.naive_bayes_accuracy"),
    "order_center": Called("rank_order.center"),
    "order_concordance": Called("rank_order.concordance"),
    "project_orders": Called("rank_order.project"),
    # tables without classes
    **{
        name: Called(f"unsupervised.{name}")
        for name in (
            "adjusted_rand_between_matrices", "affinity_matrix", "borda_curve", "clustering_curve",
            "consensus_matrix", "consensus_partition", "correlation_ratio", "enough_clusterings",
            "evaluate_rankings", "frcm", "frmv", "laplacian_score", "list_unsupervised_methods",
            "mean_plus_sd", "rank_unsupervised", "summarise_trials", "svd_entropy",
        )
    },
    # limits on false selections
    **{
        name: Called(f"error_control.{name}", {"function": "form"})
        for name in (
            "e_bh", "e_values_of_p_values", "integrated_path", "mean_e_values", "pfer_bound", "pfer_size",
            "pfer_threshold", "stability_e_values", "step_down_max_t",
        )
    },
    "frequency_in_halves": Called("error_control.selection_frequency"),
    # what selections are worth
    **{
        name: Called(f"evaluation.{name}")
        for name in (
            "list_classifiers", "list_metrics", "list_regressors", "list_survival_models",
            "weighted_average_accuracy",
        )
    },
    "list_voting_rules": Called("committees.list_voting_rules"),
    # ranked lists
    "aggregate_lists": Called("aggregate", {"table_or_scores": "x"}),
    "compare_aggregations": Called("aggregation.compare_methods", {"table_or_scores": "x"}),
    "permutation_p_values": Called(
        "aggregation.permutation_p_values", {"table_or_scores": "x"}
    ),
    "compare_aggregators": Called("compare_aggregators"),
    # stability of selections
    "adequacy": Called("adequacy", {"scores": "x"}, _COLLECTION),
    "between_sample_stability": Called("between_sample_stability", {}, _COLLECTION),
    "feature_stability": Called("feature_stability", {"data": "x"}, _COLLECTION),
    "nogueira": Called("nogueira", {"sets": "x"}, _COLLECTION),
    "nogueira_test": Called(
        "nogueira", {"sets": "x"}, _COLLECTION,
        method="test", later={"null_value": "value", "alternative": "alternative"},
    ),
    "pareto_front": Called("pareto_front"),
    "stability_curve": Called("stability_curve", {"scores": "x"}, _COLLECTION),
    "stability_measure": Called("stability", {"data": "x"}, _COLLECTION),
    "stability_report": Called("stability_report", {"data": "x"}, _COLLECTION),
}  # fmt: skip


def call(of: str, arguments: Mapping[str, Any]) -> Any:
    """What a function of :data:`CALLS` returns.

    Parameters
    ----------
    of : str
        The name in R.
    arguments : dict
        By the names in R; what is None keeps Python's default.  Without any it arrives as a list.
    """
    called = CALLS[of]
    given = {name: decoded(value) for name, value in dict(arguments).items() if value is not None}
    kept = {name: given.pop(name, None) for name in ("save", "report")}
    later = {name: given.pop(name) for name in called.later if name in given}
    result = called.python(**arguments_of(called, given))
    if called.method:
        method = getattr(result, called.method)
        result = method(**{called.later[name]: value for name, value in later.items()})
    keep(result, **kept)
    return returned(result)


def keep(result: Any, save: str | None, report: str | None) -> None:
    """Write a result into a folder, and its page into a file."""
    if save is not None:
        result.save(save)
    if report is not None:
        result.report(report)


METHODS = ("clusters", "compare", "rank_confidence")
"""Methods of results that R calls."""


def call_method(object: Any, method: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """What a method of a result that R holds returns."""
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    run = getattr(decoded(object), method)
    parameters = signature(run).parameters
    return returned(
        run(
            **{
                name: as_annotated(decoded(value), str(parameters[name].annotation))
                for name, value in dict(arguments or {}).items()
            }
        )
    )


def call_reproduce(what: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """What a function of :mod:`pyfsagg.reproduce` returns."""
    known = [name for name in pyfsagg.reproduce.__all__ if name[0].islower() and "plot" not in name]
    if what not in known:
        raise UnknownNameError("what", what, known)
    called = Called(f"reproduce.{what}")
    given = {name: decoded(value) for name, value in dict(arguments or {}).items()}
    return returned(called.python(**arguments_of(called, given)))


def write(
    object: Any,
    save: str | None = None,
    report: str | None = None,
    picture: str | None = None,
    kind: str | None = None,
    options: Any = None,
) -> str:
    """Write a result, its page or a picture of it; the path."""
    result = decoded(object)
    given = {name: counts(decoded(value)) for name, value in dict(options or {}).items()}
    if save is not None:
        return str(result.save(save, **given))
    if report is not None:
        return str(result.report(report, **given))
    axes = result.plot(kind, **given)
    figure = np.ravel(np.asarray(axes, dtype=np.object_))[0].figure
    try:
        figure.savefig(picture, bbox_inches="tight")
    except (OSError, ValueError) as problem:
        raise OutputError(f"{picture} cannot be written: {problem}") from None
    return str(picture)


def decoded(value: Any) -> Any:
    """What R has marked as something of its own kind."""
    if not isinstance(value, Mapping):
        return value
    kind = value.get("is")
    if kind is None:
        return {str(name): decoded(each) for name, each in value.items()}
    return _KINDS[kind](value["value"])


_KINDS: dict[str, Callable[[Any], Any]] = {
    "table": table_of,
    "target": target_of,
    "ensemble": ensemble_of,
    "files": unpacked,
    "sets": lambda given: [{str(name) for name in listed(each)} for each in given],
    "matrix": np.asarray,
    "square": lambda given: pd.DataFrame(
        given["values"], listed(given["rows"]), listed(given["columns"])
    ),
    "numbers": numbers_of,
    "pairs": lambda given: np.asarray(given).reshape(len(given) // 2, 2, -1),
    "rank_table": rank_table_of,
    "aggregator": aggregator_of,
    "null": null_of,
    "list": lambda given: [decoded(each) for each in given],
}
"""How each kind of R's objects is read."""


def arguments_of(called: Called, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of the function by the names and types of Python."""
    parameters = signature(called.python).parameters
    open_end = any(each.kind is Parameter.VAR_KEYWORD for each in parameters.values())
    in_r = {called.in_r(name): name for name in parameters}
    in_python = {name: key for key, name in IN_R.items()}
    groups: dict[str, Any] = {}
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name in in_r:
            found[in_r[name]] = as_annotated(value, str(parameters[in_r[name]].annotation))
        elif ("execution" in parameters or open_end) and name in Execution.names():
            groups[name] = progress_of(value) if name == "progress" else counts(value)
        elif open_end:
            found[in_python.get(name, name)] = counts(value)
        else:
            known = [each for each in in_r if each not in ("execution", *called.without)]
            known += Execution.names() if "execution" in parameters else ()
            raise UnknownNameError("argument", name, known)
    if groups:
        found["execution"] = Execution(**groups)
    return found


def as_annotated(value: Any, annotation: str) -> Any:
    """A value of R as an annotation of Python means it."""
    outer, inner = annotation, ""
    while "[" in outer:
        inner += " ".join(re.findall(r"\[[^\[\]]*\]", outer))
        outer = re.sub(r"\[[^\[\]]*\]", "", outer)
    kinds = {each.strip() for each in outer.split("|")}
    if isinstance(value, float):
        whole = "int" in kinds or ("Sequence" in kinds and "int" in inner)
        value = counts(value) if whole else value
    elif (
        isinstance(value, int)
        and not isinstance(value, bool)
        and kinds & {"float"}
        and "int" not in kinds
    ):
        value = float(value)
    if "tuple" in kinds and isinstance(value, (list, np.ndarray)):
        return tuple(counts(np.asarray(value).tolist()))
    vector = kinds & {"Sequence", "ArrayLike", "Iterable", "Floats", "NDArray"}
    if vector and not kinds & {"str", "int", "float", "Any"} and np.ndim(value) == 0:
        value = listed(value) if not isinstance(value, Mapping) else value
    if isinstance(value, np.ndarray) and value.ndim == 1 and kinds & {"Sequence", "Iterable"}:
        value = value.tolist()
        return counts(value) if "int" in inner else value
    return counts(value) if isinstance(value, Mapping) else value


def signature_of(of: str) -> dict[str, Any]:
    """The arguments that the function of R should have, with those defaults that R can hold."""
    called = CALLS[of]
    names, defaults, open_end = list(called.later), {}, False
    for name, each in signature(called.python).parameters.items():
        if each.kind is Parameter.VAR_KEYWORD:
            open_end = True
        elif name == "execution":
            names += list(Execution.names())
        elif name not in called.without:
            names.append(called.in_r(name))
            if isinstance(each.default, (bool, int, float, str)):
                defaults[called.in_r(name)] = each.default
    return {"names": names, "defaults": defaults, "open": open_end}
