"""An evaluation from its arguments to its cells: read, rank, fit, collect."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.registry import Call, Registry
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import check_list, resolve_seed
from pyfsagg._message import Got, Param, Remedy, Use
from pyfsagg._run.checkpoint import Checkpoint, kept_seed, open_checkpoint
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._table.groups import FeatureGroups, read_feature_groups
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.table import Table, as_table
from pyfsagg._table.target import Target, read_target
from pyfsagg.ensemble import EnsembleResult, scoring
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.evaluation import cells, learners
from pyfsagg.evaluation import methods as ways
from pyfsagg.evaluation.metrics import SURVIVAL_MODELS, read_metrics
from pyfsagg.evaluation.protocol import Protocol
from pyfsagg.evaluation.result import ALL_FEATURES, COLUMNS, RANDOM_SUBSETS, Evaluation
from pyfsagg.exceptions import ParameterError
from pyfsagg.filters.plain import drop_features

FOUR = ("logistic_regression", "naive_bayes", "random_forest", "svm")
MODELS: dict[str, tuple[Registry[learners.ClassifierSpec], tuple[str, ...], str]] = {
    "classes": (learners.CLASSIFIERS, FOUR, "accuracy"),
    "numeric": (learners.REGRESSORS, ("ridge", "nearest_neighbors", "random_forest", "svm"), "r2"),
    "survival": (SURVIVAL_MODELS, ("cox_ridge",), "concordance_index"),
}
"""By kind of target the models that predict it, the default models and the default metric."""

BASELINES = ("all_features", "random_subsets", "single_filters")


class RankedSet(NamedTuple):
    """A ranking to be tested in the folds of a part: feature positions, best first."""

    label: str
    kind: str
    draw: int
    order: NDArray[np.intp]
    thresholds: tuple[cells.Threshold, ...]


@dataclass(frozen=True, eq=False)
class Design:
    """Everything that is settled before the first feature is ranked."""

    table: Table
    target: Target
    parts: Sequence[cells.SplitPart]
    groups: FeatureGroups | None
    given: Mapping[str, ways.GivenRanking]
    repeats: Mapping[str, Ensemble]
    methods: Mapping[str, ways.Method]
    singles: Mapping[str, ways.Method]
    classifiers: Mapping[str, Any]
    thresholds: tuple[cells.Threshold, ...]
    largest: int | None
    parameters: Mapping[str, Any]
    execution: Execution

    @property
    def n_features(self) -> int:
        """Number of features: of columns, or of groups."""
        return self.table.n_features if self.groups is None else len(self.groups)

    def remarks(self) -> tuple[str, ...]:
        """What a reader has to know about rankings that may have seen the test rows."""
        tested = any(part.protocol == "thesis" for part in self.parts)
        return tuple(
            ranking.remark(label)
            for label, ranking in self.given.items()
            if tested and ranking.leakage == "possible"
        )

    def run(self, n_jobs: int | None, remarks: tuple[str, ...], call: Call) -> Evaluation:
        """Rank the features of each part, fit each classifier on each different set, collect."""
        total = len(self.parts)
        for part in self.parts:
            n_given = len(self.repeats if part.protocol == "nested" else self.given)
            n_rankings = n_given + len(self.methods) + len(self.singles)
            n_rankings += self.parameters["n_random"] or 0
            whole = "all_features" in self.parameters["baselines"]
            n_subsets = n_rankings * len(self.thresholds) + whole
            total += len(part.folds) * len(self.classifiers) * n_subsets
        requests: list[tuple[tuple[Any, ...], cells.Fit]] = []
        places: dict[str, list[NDArray[np.int32]]] = {}
        with (
            open_checkpoint(self.execution.checkpoint, self._identity()) as checkpoint,
            progress_sink(self.execution.progress, total, "step") as advance,
        ):
            for number, part in enumerate(self.parts, start=1):
                for ranked in self._rank(part, number, n_jobs, checkpoint):
                    requests += self._requests(part, ranked)
                    if part.protocol == "nested" and ranked.kind != "baseline":
                        place = np.argsort(ranked.order).astype(np.int32) + np.int32(1)
                        places.setdefault(ranked.label, []).append(place)
                advance(number)
            uses = Counter(fit for _, fit in requests)
            answered = len(self.parts)

            def done(fit: cells.Fit) -> None:
                nonlocal answered
                answered += uses[fit]
                advance(answered)

            folds = {(f.pool, f.repeat, f.number): f for part in self.parts for f in part.folds}
            settled = self.parameters["metrics"], self.parameters["seed"]
            work = cells.FitWork(folds, self.table, self.target, self.classifiers, *settled)
            outcomes = cells.fit_all(
                list(uses), work, n_jobs=n_jobs, done=done, checkpoint=checkpoint
            )
        rows = []
        for row, fit in requests:
            outcome = outcomes[fit]
            for metric, value in outcome.values.items():
                failure = outcome.failures.get(metric, "")
                status = "failed" if failure else "warned" if outcome.warning else "ok"
                rows.append((*row, metric, value, status, failure or outcome.warning))
        counts = {"n_cells": len(rows), "n_fits": len(uses)}
        names = self.table.feature_names if self.groups is None else self.groups.names
        return Evaluation(
            pd.DataFrame(rows, columns=list(COLUMNS)),
            remarks,
            parameters={**self.parameters, **counts, "call": call.record()},
            data=self._data(),
            feature_names=tuple(names) if places else (),
            places={label: np.stack(rows) for label, rows in places.items()},
        )

    def _identity(self) -> dict[str, Any]:
        """Everything on which an outcome depends."""
        return {
            "kind": "evaluate",
            **self.parameters,
            "models": dict(self.classifiers),
            "methods asked": {**self.methods, **self.repeats},
            "functions": [m.functions() for m in (*self.methods.values(), *self.repeats.values())],
            "given": {label: ranking.order for label, ranking in self.given.items()},
            "divisions": [
                [part.rank_rows, *([fold.train, fold.test] for fold in part.folds)]
                for part in self.parts
            ],
            "data": self._data()["sha256"],
            "groups": None if self.groups is None else self.groups.record(),
            "versions": versions(),
        }

    def _rank(
        self, part: cells.SplitPart, number: int, n_jobs: int | None, checkpoint: Checkpoint | None
    ) -> Iterator[RankedSet]:
        """The rankings of a part, the given ones first."""
        methods = {**self.methods, **self.singles}
        if part.protocol == "nested":
            methods = {**self.repeats, **methods}
        else:
            for label, ranking in self.given.items():
                yield RankedSet(label, "ranking", 0, ranking.order, self.thresholds)
        key, seed = f"ranking {number}", part.seed(self.parameters["seed"])
        if checkpoint is not None and key in checkpoint:
            orders = checkpoint.get(key)
        else:
            table, target = cells.take_rows(self.table, self.target, part.rank_rows)
            orders = ways.rank_methods(
                methods,
                table,
                target,
                part.rank_rows,
                seed=seed,
                n_jobs=n_jobs,
                largest=self.largest,
                rounds=len(self.parts) if number == 1 else 0,
                groups=self.groups,
            )
            if checkpoint is not None:
                checkpoint.put(key, orders)
        kinds = dict.fromkeys(self.singles, "baseline") | dict.fromkeys(self.repeats, "ranking")
        for label, order in orders.items():
            yield RankedSet(label, kinds.get(label, "method"), 0, order, self.thresholds)
        p = self.n_features
        if "all_features" in self.parameters["baselines"]:
            yield RankedSet(ALL_FEATURES, "baseline", 0, np.arange(p), (cells.Threshold(1.0, p),))
        for draw in range(self.parameters["n_random"] or 0):
            order = np.random.default_rng([seed, draw]).permutation(p)
            yield RankedSet(RANDOM_SUBSETS, "baseline", draw, order, self.thresholds)

    def _requests(
        self, part: cells.SplitPart, ranked: RankedSet
    ) -> Iterator[tuple[tuple[Any, ...], cells.Fit]]:
        """Rows of cells, up to the draw in ``COLUMNS``, and the fit that gives the value of each."""
        of = (part.protocol, ranked.label, ranked.kind)
        for size in ranked.thresholds:
            columns = ranked.order[: size.n_features]
            if self.groups is not None:
                columns = self.groups.columns_of(columns)
            for fold in part.folds:
                for label in self.classifiers:
                    row = (*of, label, *size, part.repeat, fold.number, ranked.draw)
                    yield row, cells.Fit.of(fold, label, columns)

    def _data(self) -> dict[str, Any]:
        return {
            "sha256": data_hash(self.table, self.target),
            "n_samples": self.table.n_samples,
            "n_features": self.n_features,
            **({} if self.groups is None else self.groups.record()),
            "target": self.target.name,
            "target_kind": self.target.kind,
            "class_counts": self.target.class_counts,
            **self.target.event_count,
            **self.target.always_in,
        }


def read_design(
    X: Any,
    y: Any,
    rankings: Any,
    *,
    methods: Any,
    classifiers: Any,
    thresholds: Sequence[float | int],
    protocol: Protocol,
    metrics: str | Sequence[str] | None,
    baselines: Sequence[str],
    n_resamples: int,
    task: Task,
    random_state: Any,
    execution: Execution,
) -> Design:
    """Validate the arguments of :func:`pyfsagg.evaluate` and divide the rows."""
    table, target = read_target(task, as_table(X, nominal=task.nominal), y)
    groups = read_feature_groups(task, table)
    if task.drop_near_zero_variance:
        table, groups = drop_features(table, groups)
    members = cells.read_row_groups(protocol.groups, table.n_samples)
    protocols, rows = protocol.names_given, protocol.ranking_rows
    seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
    usual = scoring.usual_filters(table, target, groups)
    if rankings is None and methods is None:
        methods = (*usual, "bam")
    if rows is not None:
        if rankings is None or protocols != ("thesis",):
            belongs = " belongs to rankings with "
            raise ParameterError(Param("ranking_rows"), belongs, Use(protocol="thesis"))
        rows = cells.read_ranking_rows(rows, table.n_samples)
    features = table.feature_names if groups is None else groups.names
    given = {} if rankings is None else ways.read_rankings(rankings, table, target, rows, features)
    for label, ranking in given.items():
        if "thesis" in protocols and ranking.leakage == "certain":
            raise ParameterError(ranking.remark(label))
    read = {} if methods is None else ways.read_methods(methods, n_resamples, usual)
    chosen = _read_baselines(baselines)
    singles = ways.single_filters([*read.values()]) if "single_filters" in chosen else {}
    repeats = _repeats(rankings, given) if "nested" in protocols else {}
    labels = [ALL_FEATURES, RANDOM_SUBSETS, *given, *read, *singles]
    for label, count in Counter(labels).items():
        if count > 1:
            raise ParameterError(
                f"duplicate label {label!r} among rankings, methods and baselines; labels must differ"
            )
    known, defaults, metric = MODELS[target.kind]
    models = learners.read_classifiers(defaults if classifiers is None else classifiers, known)
    sizes = cells.read_thresholds(thresholds, len(features))
    names = read_metrics(metric if metrics is None else metrics, task.task)
    parts = cells.draw_parts(table, target, protocol, seed, rows, members)
    told = {
        label: item.summary
        if isinstance(item, learners.ClassifierSpec)
        else " ".join(repr(item).split())
        for label, item in models.items()
    }
    parameters = {
        "protocols": list(protocols),
        "rankings": {label: ranking.record() for label, ranking in given.items()},
        "methods": {label: method.record() for label, method in read.items()},
        "baselines": list(chosen),
        "classifiers": told,
        "thresholds": [size.share for size in sizes],
        "metrics": list(names),
        "n_folds": protocol.n_folds,
        "n_repeats": protocol.n_repeats,
        "n_random": protocol.n_random if "random_subsets" in chosen else None,
        "test_size": None if rows is not None else protocol.test_size,
        "n_ranking_rows": None if rows is None else len(rows),
        "n_resamples": n_resamples,
        **task.record(),
        "n_groups": None if members is None else int(members.max()) + 1,
        "seed": seed,
    }
    return Design(
        table,
        target,
        parts,
        groups,
        given,
        repeats,
        read,
        singles,
        models,
        sizes,
        cells.largest_count(thresholds),
        parameters,
        execution,
    )


def _read_baselines(baselines: Any) -> tuple[str, ...]:
    listed = [baselines] if isinstance(baselines, str) else check_list("baselines", baselines)
    for name in listed:
        if not isinstance(name, str) or name not in BASELINES:
            must = f" must be some of {', '.join(map(repr, BASELINES))}"
            raise ParameterError(Param("baselines"), must, Got(name))
    return tuple(name for name in BASELINES if name in listed)


def _repeats(rankings: Any, given: Mapping[str, ways.GivenRanking]) -> dict[str, Ensemble]:
    """Saved runs as methods that can be repeated inside folds."""
    single = isinstance(rankings, EnsembleResult)
    items = [rankings] if single else [*(rankings or {}).values()]
    repeats = {}
    for label, item in zip(given, items, strict=True):
        if not isinstance(item, EnsembleResult):
            raise ParameterError(
                f"the ranking {label!r} cannot be repeated inside the folds of ",
                Use(protocol="nested"),
                ", because how it was made is not known",
                Remedy("use ", Use(protocol="thesis"), ", or give methods"),
            )
        repeats[label] = ways.repeat_of(label, item)
    return repeats
