"""One repetition of each table of the bootstrap aggregation thesis.

The readings are those of its R packages: FSelectorRcpp's MDL, praznik's bins, ten bins of equal width
for chi-squared, a logistic regression without penalty as R's ``glm``.  Canberra compares ranks with
1 = worst in table 4.4 and with 1 = best in 4.5 and 4.6, as the printed values do.
Features of near-zero variance are dropped first (thesis 4.1).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from pyfsagg.aggregator_influence import influence
from pyfsagg.aggregator_influence.experiments import THESIS_AGGREGATORS
from pyfsagg.aggregator_influence.result import with_options
from pyfsagg.ensemble import bam
from pyfsagg.evaluation import evaluate
from pyfsagg.exceptions import MissingDependencyError
from pyfsagg.extending import as_table, check_target, collect_warnings
from pyfsagg.filters.plain import drop_near_zero_variance
from pyfsagg.resampling.plan import canonical_order
from pyfsagg.stability_measures import UndefinedStabilityError
from pyfsagg.stability_measures.pairwise import thesis_measures
from pyfsagg_papers.published import WEIGHTED_ACCURACY
from pyfsagg_papers.stuart.rankings import (
    AGGREGATORS_OF_TABLE,
    AS_R_RETURNS,
    PRAZNIK,
    FoldRankings,
    fold_stability,
    geometric_mean_options,
    look_for_r,
)

Values = dict[tuple[str, str], float]
"""One repetition: (row, measure) -> value."""

PARITY = {"mdl": "fselectorrcpp"}
FILTERS = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared")
BY_FILTER: dict[str, dict[str, Any]] = {
    "information_gain": PARITY,
    "symmetric_uncertainty": PARITY,
    "mrmr": dict(PRAZNIK),
}
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

LABEL = "label_"
"""How the names of columns begin that are labels of a multi-label data set (Image)."""

AS_READ = {
    "near_zero_variance": "dropped",
    "mdl": "fselectorrcpp",
    "two_valued": "numeric",
    "whole_numbers": "as stored",
    "class_column": "target only",
    "target": "as given",
    "label_columns": "features",
}
"""How the data and the filters are read (see ``READINGS``)."""

BY_FILTER_AS_READ = {**AS_READ, "rows": "two thirds"}
BY_AGGREGATOR_AS_READ = {
    **AS_READ,
    "canberra": "best first",
    "geometric_mean": "as defined",
    "rank_aggregation": "as defined",
}


def _prepare(X: Any, y: Any, settings: Mapping[str, Any], seed: int) -> tuple[Any, Any]:
    """The table and its target, read as the settings say; the seed is for shuffled labels."""
    frame = pd.DataFrame(X)
    labels = [name for name in frame if str(name).startswith(LABEL)]
    if settings["target"] in labels:
        y = frame[settings["target"]]
    if settings["label_columns"] == "left out":
        frame = frame.drop(columns=labels)
    nominal: list[str] = []
    if settings["two_valued"] == "nominal":
        nominal = [str(name) for name in frame if frame[name].nunique() <= 2]
    if settings["whole_numbers"] == "doubles":
        frame = frame.astype({name: float for name in frame if is_integer_dtype(frame[name])})
    if settings["class_column"] == "feature too":
        codes = pd.factorize(np.asarray(y), sort=True)[0]
        frame = pd.concat([frame, pd.Series(codes, frame.index, name="class_column")], axis=1)
    table = as_table(frame, nominal=nominal)
    target = check_target(y, table.n_samples)
    if settings["target"] == "shuffled":  # then no feature has to do with it
        target = target.take(np.random.default_rng([seed, 1]).permutation(target.codes.size))
    dropped = settings["near_zero_variance"] == "dropped"
    return (drop_near_zero_variance(table) if dropped else table), target


def two_thirds(table: Any, target: Any, seed: int) -> tuple[Any, Any]:
    """A stratified random two thirds of the rows."""
    rng = np.random.default_rng(seed)
    order = canonical_order(table, target)
    codes = target.codes[order]
    kept = [
        rng.permutation(order[codes == c])[: round(2 * int((codes == c).sum()) / 3)]
        for c in range(target.n_classes)
    ]
    rows = np.sort(np.concatenate(kept))
    return table.with_values(table.values[rows]), target.take(rows)


def weighted_accuracy(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    """Thesis table 4.3: weighted average accuracy by filter (and BAM) and classifier."""
    table, target = _prepare(X, y, AS_READ, seed)
    methods: dict[str, Any] = {
        name: {
            "filter": name,
            "filter_params": BY_FILTER.get(name, {}),
            "normalize": "none",
        }
        for name in FILTERS
    }
    methods["bam"] = {
        "filters": list(FILTERS),
        "filter_params": BY_FILTER,
        "normalize": "per_resample",
    }
    found = evaluate(
        table,
        target,
        methods=methods,
        classifiers=_classifiers(target.n_classes, settings["n_trees"]),
        n_features_to_select=THRESHOLDS,
        baselines=(),
        n_resamples=settings["n_resamples"],
        random_state=seed,
        n_jobs=n_jobs,
    ).weighted_average_accuracy()
    return {
        (str(row), f"{WEIGHTED_ACCURACY}{classifier}"): float(value)
        for row, classifier, value in found[["method", "classifier", "wacc"]].itertuples(
            index=False
        )
    }


def _classifiers(n_classes: int, n_trees: int) -> dict[str, Any]:
    """The classifiers of the thesis; logistic regression for two classes only, as there."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    found: dict[str, Any] = {
        "naive_bayes": "naive_bayes",
        "random_forest": RandomForestClassifier(n_estimators=n_trees, n_jobs=1),
        "svm": "svm",
    }
    if n_classes == 2:
        without_penalty = LogisticRegression(C=np.inf, max_iter=200)
        found["logistic_regression"] = make_pipeline(StandardScaler(), without_penalty)
    return found


def stability_by_filter(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    """Thesis table 4.4: stability over the bootstraps of each filter and of all four (BAM)."""
    table, target = _prepare(X, y, settings, seed)
    if settings["rows"] == "two thirds":
        table, target = two_thirds(table, target, seed)
    result = bam(
        table,
        target,
        filters=FILTERS,
        filter_params={label: _parity(label, settings) for label in BY_FILTER},
        normalize="per_resample",
        n_resamples=settings["n_resamples"],
        checks="none",
        random_state=seed,
        n_jobs=n_jobs,
    )
    found: Values = {}
    for row, matrix in {**result.score_matrices, "bam": result.combined}.items():
        # With shuffled targets some resamples hold zeros only.
        with collect_warnings() if settings["target"] == "shuffled" else nullcontext():
            try:
                measured = thesis_measures(matrix, ties="first")
            except UndefinedStabilityError:
                continue  # a filter that gives every feature the same score has no such value
        found |= {(row, measure): value for measure, value in measured.items()}
    return found


def _parity(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that make a filter that of its R package."""
    return dict(PRAZNIK) if name == "mrmr" else {"mdl": settings["mdl"]}


def _by_aggregator(
    name: str, X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    table, target = _prepare(X, y, settings, seed)
    parity = _parity(name, settings)
    positive_only = settings["geometric_mean"] == "positive scores only"
    geometric_mean = geometric_mean_options(name, positive_only=positive_only)
    if settings["rank_aggregation"] == "as R returns it":
        scores = _scores_in_r(table, target, name, parity, geometric_mean, settings, seed, n_jobs)
    else:
        found = influence(
            table,
            target,
            filter=name,
            filter_params={name: parity},
            aggregators=with_options(THESIS_AGGREGATORS, {"geometric_mean": geometric_mean}),
            n_folds=settings["n_folds"],
            n_resamples=settings["n_resamples"],
            random_state=seed,
            n_jobs=n_jobs,
        )
        scores = {aggregator: matrix for (_, aggregator), matrix in found.scores.items()}
    best_first = settings["canberra"] == "best first"
    return {
        (row, measure): value
        for row, matrix in scores.items()
        for measure, value in fold_stability(matrix, best_first=best_first).items()
    }


def _scores_in_r(
    table: Any,
    target: Any,
    name: str,
    filter_params: Mapping[str, Any],
    geometric_mean: Mapping[str, Any],
    settings: Mapping[str, Any],
    seed: int,
    n_jobs: int | None,
) -> dict[str, Any]:
    """Scores by aggregator; those on ranks are the places in which R returns the features."""
    r = look_for_r()
    if not r["available"]:
        raise MissingDependencyError(f"Stuart as R returns it needs R: {r['reason']}")
    lists = settings["n_resamples"]
    task = FoldRankings.set_up(
        table,
        target,
        name,
        filter_params=filter_params,
        geometric_mean=geometric_mean,
        n_folds=settings["n_folds"],
        counts=[lists],
        random_state=seed,
        recursion=True,
    )
    folds = [scores for scores, _ in task.rank_all(n_jobs)]
    return {
        AGGREGATORS_OF_TABLE[row]: np.stack(
            [one[lists, AS_R_RETURNS.get(row, row)] for one in folds]
        )
        for row in AGGREGATORS_OF_TABLE
    }


stability_by_aggregator_information_gain = partial(_by_aggregator, "information_gain")
"""Thesis table 4.5: stability over the folds of the ranking by each aggregator."""

stability_by_aggregator_mrmr = partial(_by_aggregator, "mrmr")
"""Thesis table 4.6: the same for mRMR."""
