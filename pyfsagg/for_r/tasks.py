"""The tasks that R asks for by name."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg._base.settings import Settings
from pyfsagg._run.result import Result
from pyfsagg._table.findings import with_remedies
from pyfsagg._table.sparse import SparseTable
from pyfsagg.aggregation import AGGREGATORS, AggregatedValues
from pyfsagg.committees import Committee, LearnerSelection
from pyfsagg.committees.learners import DRAWN
from pyfsagg.ensemble.flat import flat_names, gather_settings
from pyfsagg.error_control import control_errors
from pyfsagg.error_control.control import require_pairs
from pyfsagg.exceptions import DataError, PyfsaggError, UnknownNameError
from pyfsagg.for_r._files import packed
from pyfsagg.for_r._given import (
    counts,
    filter_of,
    learners_of,
    listed,
    numbers_of,
    progress_of,
    rank_table_of,
    table_of,
    target_of,
)
from pyfsagg.for_r._plain import ensemble_parts, frame_of, plain, returned
from pyfsagg.for_r._words import IN_R
from pyfsagg.for_r.calls import (
    CALLS,
    call,
    call_method,
    call_reproduce,
    decoded,
    keep,
    signature_of,
    write,
)
from pyfsagg.ranks import RankTable
from pyfsagg.resampling import PLANS

__all__ = ["TASKS"]

_R_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "RRA": ("robust_rank_aggregation", {}),
    "mean": ("mean_p_value", {}),
    "median": ("median_rank", {"normalized": True}),
    "min": ("minimum_rank", {"normalized": True}),
    "geom.mean": ("geometric_mean_rank", {"normalized": True}),
    "stuart": ("stuart", {}),
}
"""Methods of R's aggregateRanks as aggregators with options."""


def _settings(
    run: Callable[..., Any], options: Mapping[str, Any], **groups: type[Settings]
) -> dict[str, Any]:
    """R's flat arguments as those of a run: by Python's names, whole doubles as counts."""
    known = [IN_R.get(name, name) for name in flat_names(run, **groups)]
    for name in options:
        if name not in known:
            raise UnknownNameError("argument", name, known)
    python = {name: key for key, name in IN_R.items()}
    return gather_settings(
        {
            python.get(name, name): _argument(name, value)
            for name, value in options.items()
            if value is not None
        },
        **groups,
    )


_LISTS = (
    "aggregators", "baselines", "classifiers", "filters", "groups", "methods", "metrics", "nominal",
    "protocol", "thresholds", "weights",
)  # fmt: skip
"""One value is a list of one."""

_SHARES = ("thresholds",)
"""Where 1 is all and not one."""


def _argument(name: str, value: Any) -> Any:
    if name == "row_indices":
        return np.asarray(value, dtype=np.intp) - 1
    if name == "groups":
        return [str(each) for each in listed(value)]
    if name == "filter":
        return filter_of(value)
    if name == "progress":
        return progress_of(value)
    if name in ("filters", "methods"):
        return [filter_of(each) for each in listed(value)]
    if name in _LISTS and not isinstance(value, Mapping):
        value = listed(value)
    return value if name in _SHARES else counts(value)


def _ensemble(
    method: str, table: Mapping[str, Any], target: Mapping[str, Any] | None, **options: Any
) -> dict[str, Any]:
    run: Callable[..., pyfsagg.EnsembleResult] = pyfsagg.wam if method == "wam" else pyfsagg.bam
    kept = _taken(options)
    result = run(table_of(table), target_of(target), **_settings(run, options))
    keep(result, **kept)
    return ensemble_parts(result)


def _taken(options: dict[str, Any]) -> dict[str, Any]:
    """Where the result is to be written, which is no setting of a run; taken out of `options`."""
    return {name: options.pop(name, None) for name in ("save", "report")}


def _load(path: str, report: str | None = None) -> dict[str, Any]:
    result = pyfsagg.load_result(path)
    shapes: dict[type, tuple[str, Callable[[Any], dict[str, Any]]]] = {
        pyfsagg.EnsembleResult: ("ensemble", ensemble_parts),
        pyfsagg.Evaluation: ("evaluation", _evaluation_parts),
        pyfsagg.InfluenceResult: ("influence", _influence_parts),
        Committee: ("committee", _committee_parts),
    }
    keep(result, None, report)
    if type(result) not in shapes:
        return {"of": "other", "result": returned(result)}
    of, parts = shapes[type(result)]
    return {"of": of, "result": parts(result)}


def _error_control(scores: Any, features: Any, resampling: str, **options: Any) -> dict[str, Any]:
    """Limits on false selections of an ensemble, out of its combined scores."""
    require_pairs(resampling)
    given = {name: counts(value) for name, value in options.items() if value is not None}
    found = control_errors(np.asarray(scores), listed(features), **given)
    return {
        "table": frame_of(found.to_frame(), "feature"),
        "selected": found.selected,
        "sentences": list(found.sentences),
        "q": found.q,
        "threshold": found.threshold,
        "bound": found.bound,
    }


def _permute_target(
    method: str,
    table: Mapping[str, Any],
    target: Mapping[str, Any] | None,
    n_permutations: float = 199,
    **options: Any,
) -> dict[str, Any]:
    """P-values of an ensemble against shuffled targets."""
    given = _settings(pyfsagg.bam if method == "bam" else pyfsagg.wam, options)
    found = pyfsagg.permute_target(
        table_of(table),
        target_of(target),
        method=method,
        n_permutations=counts(n_permutations),
        **given,
    )
    return {"table": frame_of(found.to_frame(), "feature"), "sentences": list(found.sentences)}


def _aggregate(
    method: str,
    ranks: Any,
    normalized: bool = False,
    universe: Any = None,
    full: bool = False,
    exact: bool = False,
    top_cutoff: Any = None,
    ties: str = "last",
    weights: Any = None,
) -> dict[str, Any]:
    """R's ``aggregateRanks``, exact for any number of lists; every other aggregator by name.

    `ranks` has shape (n_lists, n_items), NaN = not in the list, or is a table of ranked lists.
    The answer has positions of items, from 0: their names stay in R.
    """
    options: dict[str, Any] = {}
    if method in _R_METHODS:
        name, options = _R_METHODS[method]
        options = dict(options)
    else:
        name = AGGREGATORS.get(method).name
    if name in ("robust_rank_aggregation", "mean_p_value"):
        options["ties"] = ties
    if name == "robust_rank_aggregation":
        options["exact"] = exact
        if top_cutoff is not None:
            options["top_cutoff"] = [float(each) for each in listed(top_cutoff)]
    matrix = None if isinstance(ranks, Mapping) else np.asarray(ranks)
    if isinstance(ranks, Mapping):
        table = rank_table_of(ranks)
    elif normalized:
        table = RankTable.from_normalized_ranks(matrix)
    else:
        sizes = None if universe is None else [int(size) for size in listed(universe)]
        table = RankTable.from_ranks(matrix, universe=_one_or_all(sizes), full=full)
    if weights is not None:
        table = table.weighted([float(each) for each in listed(weights)])
    values = AGGREGATORS.get(name).apply(table, **options)
    order, score = _in_order(values, method)
    names = list(table.names) if matrix is None else None
    return {"order": order, "score": score, "names": names}


def _in_order(values: AggregatedValues, method: str) -> tuple[Any, Any]:
    """Positions of the items, best first, and what R's aggregateRanks shows of each."""
    shown = values.statistic if values.p_values is None else values.p_values
    if method not in _R_METHODS:
        shown = values.scores
    order = np.argsort(-values.scores, kind="stable")
    return order, np.asarray(shown)[order]


def _aggregate_groups(
    scores: Any,
    groups: Any,
    higher_is_better: bool = True,
    method: str = "RRA",
    exact: bool = False,
) -> dict[str, Any]:
    """Groups of members as items; positions of the groups in the order of their first members."""
    name, options = _R_METHODS.get(method, (method, {}))
    spec = AGGREGATORS.get(name)
    options = dict(options)
    if spec.name == "robust_rank_aggregation":
        options["exact"] = exact
    table = RankTable.from_groups(listed(scores), listed(groups), higher_is_better)
    values = spec.apply(table, **options)
    order, score = _in_order(values, method)
    return {"names": [table.names[position] for position in order.tolist()], "score": score}


def _list_agreement(
    ranks: Any, names: Any, distance: float = 6, pilot: float = 10, persistence: float = 0.98
) -> dict[str, Any]:
    """How deep lists agree; `ranks` as for :func:`_aggregate`, `names` of the lists."""
    frame = pd.DataFrame(np.asarray(ranks), index=listed(names))
    table = RankTable.from_ranks(frame)
    found = pyfsagg.list_agreement(
        table, distance=counts(distance), pilot=counts(pilot), persistence=persistence
    )
    return {
        "k": found.k,
        "pairs": frame_of(found.pairs),
        "curve": frame_of(found.curve.reset_index()),
        "sentences": found.sentences(),
        "files": packed(found),
    }


def _advice(ranks: Any, method: str = "RRA", universe: Any = None) -> str | None:
    """Which aggregator is measured to find more in lists that look like these; `ranks` as above."""
    sizes = None if universe is None else [int(size) for size in listed(universe)]
    table = RankTable.from_ranks(np.asarray(ranks), universe=_one_or_all(sizes))
    name = _R_METHODS[method][0] if method in _R_METHODS else method
    return pyfsagg.reproduce.shipped_aggregator_choice().advice(table, name)


def _vote(
    selections: Any,
    rule: str = "approval",
    weights: Any = None,
    performance: Any = None,
    learners: Any = None,
    feature_names: Any = None,
    size: float | None = None,
) -> dict[str, Any]:
    """A vote over selections, each a list of names; `weights` are numbers or "performance"."""
    found = pyfsagg.vote(
        [[str(name) for name in listed(each)] for each in selections],
        rule,
        weights=weights if weights is None or isinstance(weights, str) else listed(weights),
        performance=None if performance is None else numbers_of(performance),
        learners=None if learners is None else listed(learners),
        feature_names=None if feature_names is None else listed(feature_names),
        size=None if size is None else counts(size),
    )
    return _committee_parts(found)


def _committee(
    table: Mapping[str, Any],
    target: Mapping[str, Any],
    learners: Any = None,
    selection: Any = None,
    voter_weights: Any = None,
    **options: Any,
) -> dict[str, Any]:
    """The vote of learners; `selection` has settings by learner, for those that differ from the others."""
    kept = _taken(options)
    task = options.get("task") or "classification"
    if options.get("row_indices") is None and PLANS.get(options["resampling"]).name == DRAWN.name:
        given = dict(options.get("resampling_params") or {})
        options["resampling_params"] = {"fraction": DRAWN.fraction, **given}
    given = _settings(pyfsagg.committee, options, selection=LearnerSelection)
    models = {} if task == "survival" else learners_of(learners, task)
    if selection is not None:
        every = given.get("selection", LearnerSelection())
        given["selection"] = dict.fromkeys(models, every)
        given["selection"] |= {name: _changed(every, own) for name, own in selection.items()}
    found = pyfsagg.committee(
        table_of(table),
        target_of(target),
        models,
        weights=voter_weights if isinstance(voter_weights, str | None) else listed(voter_weights),
        **given,
    )
    keep(found, **kept)
    return _committee_parts(found)


def _changed(way: LearnerSelection, own: Any) -> LearnerSelection:
    """How one learner selects in another way than all others."""
    changes = counts(dict(own))
    for name in changes:
        if name not in way.names():
            raise UnknownNameError("setting of a selection", name, way.names())
    return replace(way, **changes)


def _kept(result: Result) -> dict[str, Any]:
    """What R keeps of every result, to hand it back."""
    return {
        "files": packed(result),
        "parameters": plain(result.parameters),
        "data": plain(result.data),
        "versions": plain(result.versions),
    }


def _committee_parts(found: Committee) -> dict[str, Any]:
    known = bool(found.voters["performance"].notna().any())
    return {
        "ranking": frame_of(found.ranking, "feature"),
        "voters": frame_of(found.voters),
        "front": frame_of(found.pareto_front()) if known else None,
        "knee": plain(found.knee()) if known else None,
        "learners": frame_of(found.summary(), "learner"),
        "sentences": found.sentences(),
        "support": found.support,
        "features": list(found.feature_names),
        **_kept(found),
    }


def _screen(
    scores: Any,
    genes: Any,
    guides: Any = None,
    log_fold_changes: Any = None,
    p_values: Any = None,
    alpha: Any = None,
    control_guides: Any = None,
    control_genes: Any = None,
    min_guides: float = 1,
    **options: Any,
) -> dict[str, Any]:
    """The genes of a screen."""
    limits: Any = listed(alpha)
    vectors: dict[str, Any] = {
        name: None if given is None else listed(given)
        for name, given in (
            ("guides", guides),
            ("control_guides", control_guides),
            ("control_genes", control_genes),
            ("log_fold_changes", log_fold_changes),
            ("p_values", p_values),
        )
    }
    found = pyfsagg.screen(
        listed(scores),
        listed(genes),
        alpha=None if alpha is None else limits[0] if len(limits) == 1 else tuple(limits),
        min_guides=counts(min_guides),
        **vectors,
        **options,
    )
    return {
        "table": frame_of(found.to_frame(), "gene"),
        "alpha": {side: each.alpha for side, each in found.sides.items()},
        "remarks": list(found.remarks),
        "files": packed(found),
    }


def _one_or_all(sizes: list[int] | None) -> int | list[int] | None:
    return sizes[0] if sizes is not None and len(sizes) == 1 else sizes


def _collection(kind: str, data: Any, n_features: int | None) -> tuple[Any, dict[str, Any]]:
    """Scores, ranks or selections, and what has to be said of them."""
    if kind == "lists":
        return [{str(one) for one in listed(each)} for each in data], {"n_features": n_features}
    return np.asarray(data), {"input": kind}


def _stability(
    kind: str,
    data: Any,
    measures: Any = None,
    n_features: int | None = None,
    feature_names: Any = None,
    top: float | int = 0.25,
    level: float = 0.95,
    ties: str = "random",
    seed: int = 0,
    similarity: Any = None,
    interval: str | None = "jackknife",
    n_boot: int = 1000,
) -> dict[str, Any]:
    """The table of stability measures of scores, ranks or selections."""
    options: dict[str, Any] = {"top": top, "level": level, "ties": ties, "random_state": seed}
    options |= {"interval": interval, "n_boot": n_boot, "similarity": decoded(similarity)}
    given, about = _collection(kind, data, n_features)
    options |= about
    options["feature_names"] = None if feature_names is None else listed(feature_names)
    names = None if measures is None else listed(measures)
    return frame_of(pyfsagg.stability_table(given, names, **options), "measure")


def _influence(
    table: Mapping[str, Any],
    target: Mapping[str, Any] | None,
    **options: Any,
) -> dict[str, Any]:
    kept = _taken(options)
    if isinstance(options.get("filter"), list):
        options["filter"] = [filter_of(each) for each in options["filter"]]
    result = pyfsagg.influence(
        table_of(table), target_of(target), **_settings(pyfsagg.influence, options)
    )
    keep(result, **kept)
    return _influence_parts(result)


def _influence_parts(result: pyfsagg.InfluenceResult) -> dict[str, Any]:
    return {
        "stability": frame_of(result.to_frame()),
        "ranks": {name: result.ranks(name) for name in result.aggregators},
        "features": list(result.feature_names),
        **_kept(result),
    }


def _evaluate(
    table: Mapping[str, Any], target: Mapping[str, Any], **options: Any
) -> dict[str, Any]:
    kept = _taken(options)
    rankings = options.pop("rankings", None)
    given = _settings(pyfsagg.evaluate, options, protocol=pyfsagg.Protocol)
    if rankings is not None:
        given["rankings"] = {name: np.asarray(listed(each)) for name, each in rankings.items()}
    result = pyfsagg.evaluate(table_of(table), target_of(target), **given)
    keep(result, **kept)
    return _evaluation_parts(result)


def _evaluation_parts(result: pyfsagg.Evaluation) -> dict[str, Any]:
    return {
        "cells": frame_of(result.to_frame()),
        "summary": frame_of(result.summary()),
        "weighted": frame_of(result.weighted_average_accuracy()),
        "comparison": _comparison(result),
        "remarks": list(result.remarks),
        **_kept(result),
    }


def _comparison(result: pyfsagg.Evaluation) -> list[str]:
    """The sentences of the comparison of the methods, or why there is none."""
    try:
        found = result.compare()
        return [*found.sentences.values(), *found.remarks]
    except PyfsaggError as reason:
        return [str(reason)]


def _evaluate_many(datasets: Mapping[str, Any], **options: Any) -> Any:
    """The same methods on several data sets, each a table and a target."""
    pairs = {
        str(name): (table_of(each["table"]), target_of(each["target"]))
        for name, each in datasets.items()
    }
    given = _settings(pyfsagg.evaluate, options, protocol=pyfsagg.Protocol)
    return returned(pyfsagg.evaluation.evaluate_many(pairs, **given))


def _out_of_core(source: Any, target: str, **options: Any) -> dict[str, Any]:
    """The ranking of a table in files."""
    kept = _taken(options)
    given = _settings(pyfsagg.rank_out_of_core, options)
    result = pyfsagg.rank_out_of_core(source, target, **given)
    keep(result, **kept)
    return ensemble_parts(result)


def _cross_check(
    package: Any = None,
    data: str | None = None,
    target: str | None = None,
    exclude: Any = None,
    n_resamples: int = 10,
    seed: int = 0,
    output: str | None = None,
) -> Any:
    """The comparison with R packages, in a process of its own: inside R no second R can run."""
    from r_bridge.comparisons.result import CrossCheck

    with tempfile.TemporaryDirectory() as name:
        folder = str(Path(name) / "found") if output is None else output
        flags = {
            "--package": ",".join(listed(package)),
            "--data": data,
            "--target": target,
            "--exclude": ",".join(listed(exclude)),
        }
        command = [sys.executable, "-m", "pyfsagg", "cross-check", "--quiet", "--output", folder]
        command += ["--n-resamples", str(n_resamples), "--seed", str(seed)]
        command += [word for flag, value in flags.items() if value for word in (flag, value)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1) or not Path(folder).is_dir():
            lines = done.stderr.strip().splitlines() or ["the comparison failed"]
            raise DataError(lines[-1].removeprefix("pyfsagg cross-check: ").removeprefix("error: "))
        return returned(CrossCheck.load(folder))


def _check_table(
    table: Mapping[str, Any], target: Mapping[str, Any] | None = None, task: str = "classification"
) -> dict[str, Any]:
    """What to look at in a table, with remedies in R's words."""
    found = pyfsagg.check_table(table_of(table), target_of(target), task=task)
    found = with_remedies(found, lambda _: _REMEDIES)
    return {"facts": found.facts, "findings": frame_of(found.to_frame())}


_REMEDIES = {
    "drop": "leave it out",
    "groups": "give that column as groups to wam, bam and evaluate",
    "missing": "replace it by NA",
    "rows": "leave these rows out",
    "number": 'say task = "regression"',
    "time": "give times and events as a Surv()",
}
"""What R users do about a finding."""


_OWN = (
    "chi_squared", "concordance", "cox_score", "fit_criterion", "gain_ratio", "information_gain", "mrmr",
    "spearman", "symmetric_uncertainty", "value_difference_metric",
)  # fmt: skip
"""Filters that are public functions of their name."""


def _score_features(
    table: Mapping[str, Any],
    target: Mapping[str, Any] | None,
    filter: str,
    task: str | None = None,
    weights: Any = None,
    nominal: Any = None,
    options: Any = None,
) -> dict[str, Any]:
    """Scores of one filter on a table as it is; of mRMR the order of selection as well."""
    name = pyfsagg.filters.FILTERS.get(filter).name
    X, y = table_of(table), target_of(target)
    given = {key: counts(decoded(value)) for key, value in dict(options or {}).items()}
    if name in _OWN and task in (None, "classification", "survival"):
        run = getattr(pyfsagg, name)
        known = [each for each in signature(run).parameters if each not in ("X", "y")]
        own = {"sample_weight": weights, "nominal": None if nominal is None else listed(nominal)}
        given |= {key: value for key, value in own.items() if value is not None}
        for key in given:
            if key not in known:
                raise UnknownNameError("argument", IN_R.get(key, key), known)
        found = run(X, y, **given)
        if name != "mrmr":
            return {"scores": found}
        return {"scores": found.scores, "order": [found.feature_names[at] for at in found.order]}
    n_samples = X.n_samples if isinstance(X, SparseTable) else len(X)
    times = np.ones(n_samples) if weights is None else np.asarray(weights)
    rows = np.repeat(np.arange(n_samples), times.astype(int))
    result = pyfsagg.wam(
        X,
        y,
        filter=name,
        filter_params=given or None,
        resampling=pyfsagg.Rows(rows[np.newaxis]),
        task=pyfsagg.Task(
            task=task or "classification", nominal=None if nominal is None else listed(nominal)
        ),
        checks="none",
    )
    return {"scores": result.scores}


def _catalogue(of: str) -> dict[str, Any]:
    listing: dict[str, Callable[[], pd.DataFrame]] = {
        "filters": pyfsagg.list_filters,
        "aggregators": pyfsagg.list_aggregators,
        "stability_measures": pyfsagg.list_stability_measures,
        "resampling_plans": pyfsagg.list_resampling_plans,
    }
    return frame_of(listing[of](), "name")


_GROUPS: dict[str, dict[str, type[Settings]]] = {
    "evaluate": {"protocol": pyfsagg.Protocol},
    "committee": {"selection": LearnerSelection},
}
"""Arguments that are objects of settings, which R has field by field."""


def _signature(of: str) -> dict[str, Any]:
    """The arguments of a function as R knows them, with those defaults that R can hold."""
    if of in CALLS:
        return signature_of(of)
    run: Callable[..., Any] = getattr(pyfsagg, of)
    groups = _GROUPS.get(of, {})
    flat = of in ("wam", "bam", "influence", *_GROUPS)
    own = {name: each.default for name, each in signature(run).parameters.items()}
    names = flat_names(run, **groups) if flat else list(own)[1:]
    return {
        "names": [IN_R.get(name, name) for name in names],
        "defaults": {
            name: plain(own[name])
            for name in names
            if isinstance(own.get(name), (bool, int, float, str))
        },
    }


TASKS: dict[str, Callable[..., Any]] = {
    "ensemble": _ensemble,
    "error_control": _error_control,
    "permute_target": _permute_target,
    "aggregate": _aggregate,
    "aggregate_groups": _aggregate_groups,
    "list_agreement": _list_agreement,
    "advice": _advice,
    "vote": _vote,
    "committee": _committee,
    "screen": _screen,
    "stability": _stability,
    "influence": _influence,
    "evaluate": _evaluate,
    "load": _load,
    "check_table": _check_table,
    "catalogue": _catalogue,
    "call": call,
    "method": call_method,
    "cross_check": _cross_check,
    "evaluate_many": _evaluate_many,
    "out_of_core": _out_of_core,
    "reproduce": call_reproduce,
    "write": write,
    "score_features": _score_features,
    "calls": lambda of: [name for name in CALLS if of in name],
    "signature": _signature,
}
