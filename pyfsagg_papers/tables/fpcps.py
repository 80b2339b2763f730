"""One repetition of each table of the paper on ensembles of ranking filters (fpcps).

What the paper leaves open is read so: the value difference metric counts the values of numeric
columns in ten bins of equal width; equal scores are put in a random order, anew for each split (most
scores of symmetric uncertainty are 0, and an order by column makes them look stable: a reading); every
split keeps the same share of the attributes.  The classifiers are those of Weka with its defaults.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg.aggregation import aggregate
from pyfsagg.evaluation.cells import Fit, FitWork, Fold, fit_all
from pyfsagg.evaluation.learners import read_classifiers
from pyfsagg.extending import as_table, check_target, run_tasks
from pyfsagg.filters import fit_criterion, spearman, symmetric_uncertainty, value_difference_metric
from pyfsagg.ranks import Rankings
from pyfsagg.ranks.ranking import select_top
from pyfsagg.stability_measures.measure import measure_stability

Mask = NDArray[np.bool_]
FloatArray = NDArray[np.float64]

FILTERS = ("spearman", "symmetric_uncertainty", "value_difference_metric", "fit_criterion")
AGGREGATORS = {
    "borda": "borda",
    "mc1": "mc1_row",
    "mc2": "mc2_row",
    "best_go_first": "best_go_first",
    "fpcps": "fpcps",
}
"""Our aggregators by the names of the paper's tables."""

BY_CLASS, BY_VALUE, BY_SAMPLE = "value given class", "class given value", "summed over samples"
RANDOMLY, BY_COLUMN = "in random order", "in the order of the columns"
AS_READ = {"bins": 10, "value_differences": BY_CLASS, "equal_scores": RANDOMLY}
"""How the paper is read unless a reading says otherwise; see :mod:`.readings`."""

METRIC_OF = {"svm": "balanced_accuracy"}
"""SMO votes for classes: the area under the curve of a single point is the balanced accuracy."""

TRAINING = 0.6
BLOCK = 4000  # columns of a sparse table that are made dense at a time


def tanimoto_of_aggregators(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> dict[tuple[str, str], float]:
    """Table 1: mean similarity of the subsets of all pairs of random splits."""
    seeds = np.random.SeedSequence(seed).spawn(settings["n_splits"])
    splits = list(run_tasks(_of_split, (X, y, settings), seeds, n_jobs=n_jobs))
    return {
        (name, "tanimoto"): float(
            measure_stability(np.array([split[name] for split in splits]), "jaccard")
        )
        for name in AGGREGATORS
    }


def _of_split(
    shared: tuple[Any, Any, Mapping[str, Any]], seed: np.random.SeedSequence
) -> dict[str, Mask]:
    X, y, settings = shared
    rng = np.random.default_rng(seed)
    rows = rng.permutation(X.shape[0])[: round(TRAINING * X.shape[0])]
    return selections(X, np.asarray(y), np.sort(rows), settings, rng)


def selections(
    X: Any,
    y: NDArray[Any],
    rows: NDArray[np.intp],
    settings: Mapping[str, Any],
    rng: np.random.Generator,
) -> dict[str, Mask]:
    """The attributes (n_features,) that each filter and each aggregator keeps on some rows."""
    p = X.shape[1]
    order = rng.permutation(p)
    if settings["equal_scores"] == BY_COLUMN:
        order = np.arange(p)
    scores = _scores(X, y, rows, settings)[:, order]
    k = math.ceil(round(settings["share"] * p, 9))
    table = Rankings.from_scores(scores)
    values = dict(zip(FILTERS, scores, strict=True))
    for name, aggregator in AGGREGATORS.items():
        options: dict[str, Any] = {"n_features_to_select": k} if name == "fpcps" else {}
        values[name] = aggregate(table, aggregator, **options).scores
    found = {}
    for name, value in values.items():
        kept = np.zeros(p, dtype=np.bool_)
        kept[order[select_top(value, k)]] = True
        found[name] = kept
    return found


def _scores(
    X: Any, y: NDArray[Any], rows: NDArray[np.intp], settings: Mapping[str, Any]
) -> FloatArray:
    """Scores (4, n_features) on some rows; columns without two values there score 0.

    All four depend only on the values that each class has: columns that agree in them, as most of a
    sparse table do, are scored once.
    """
    sparse = hasattr(X, "tocsc")
    rows = rows[np.argsort(y[rows], kind="stable")]
    part: Any = X[rows].tocsc() if sparse else np.asarray(X, dtype=np.float64)[rows]
    labels = y[rows]
    ends = np.flatnonzero(labels[1:] != labels[:-1]) + 1
    scores = np.zeros((len(FILTERS), part.shape[1]))
    for first in range(0, part.shape[1], BLOCK):
        block = part[:, first : first + BLOCK]
        dense = np.array((block.toarray() if sparse else block).T, dtype=np.float64, order="C")
        for own in np.split(dense, ends, axis=1):
            own.sort(axis=1)
        place: dict[bytes, int] = {}
        which = [place.setdefault(column.tobytes(), len(place)) for column in dense]
        columns = dense[np.unique(which, return_index=True)[1]]
        found = np.zeros((len(FILTERS), len(columns)))
        varied = np.flatnonzero(np.ptp(columns, axis=1) > 0)
        if varied.size:
            found[:, varied] = _scores_of_block(columns[varied].T, labels, settings)
        scores[:, first : first + BLOCK] = found[:, which]
    return scores


def _scores_of_block(
    X: NDArray[np.float64], y: NDArray[Any], settings: Mapping[str, Any]
) -> NDArray[np.float64]:
    table = as_table(X)
    bins, form = settings["bins"], settings["value_differences"]
    return np.array(
        [
            spearman(table, y),
            symmetric_uncertainty(table, y),
            value_difference_metric(table, y, bins=bins)
            if form == BY_CLASS
            else _value_differences(X, y, bins, form),
            fit_criterion(table, y),
        ]
    )


def _value_differences(
    X: NDArray[np.float64], y: NDArray[Any], bins: int | None, form: str
) -> FloatArray:
    """Other readings of the value difference metric for two classes: (n_features,)."""
    of_first = y == y.min()
    scores = np.empty(X.shape[1])
    for j, column in enumerate(X.T):
        if bins is not None:
            scaled = (column - column.min()) / np.ptp(column) * bins
            column = np.minimum(scaled.astype(np.intp), bins - 1)
        codes = np.unique(column, return_inverse=True)[1]
        counts = np.array([np.bincount(codes[rows], minlength=codes.max() + 1)
                           for rows in (of_first, ~of_first)])  # fmt: skip
        whole = counts.sum(axis=0)
        given = counts / (whole if form == BY_VALUE else counts.sum(axis=1, keepdims=True))
        differences = np.abs(given[0] - given[1])
        scores[j] = (differences * whole if form == BY_SAMPLE else differences).sum() / 2
    return scores


def auc_on_selected(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> dict[tuple[str, str], float]:
    """Table 2, one split: area under the ROC curve of classifiers on what each method keeps."""
    rng = np.random.default_rng(seed)
    table = as_table(X)
    target = check_target(y, table.n_samples)
    rows = rng.permutation(table.n_samples)
    n_training = round(TRAINING * rows.size)
    fold = Fold("all", 0, 0, np.sort(rows[:n_training]), np.sort(rows[n_training:]))
    kept = selections(table.values, np.asarray(y), fold.train, settings, rng)
    classifiers = _classifiers(settings)
    fits = {
        (method, name): Fit.of(fold, name, np.flatnonzero(mask))
        for method, mask in kept.items()
        for name in classifiers
    }
    folds = {(fold.pool, fold.repeat, fold.number): fold}
    metrics = ("roc_auc", "balanced_accuracy")
    work = FitWork(folds, table, target, classifiers, metrics, seed)
    distinct = list(dict.fromkeys(fits.values()))
    outcomes = fit_all(distinct, work, n_jobs=n_jobs, done=lambda _: None)
    return {
        (method, f"auc_{name}"): outcomes[fit].values[METRIC_OF.get(name, "roc_auc")]
        for (method, name), fit in fits.items()
    }


def _classifiers(settings: Mapping[str, Any]) -> dict[str, Any]:
    """IBk, naive Bayes, random forest and SMO as Weka has them by default.

    Its search for k goes from 1 to the k that is set, which is 1 by default.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler
    from sklearn.svm import SVC

    grid = {"kneighborsclassifier__n_neighbors": list(range(1, settings["most_neighbours"] + 1))}
    neighbours = make_pipeline(MinMaxScaler(), KNeighborsClassifier())
    found = {
        "knn": GridSearchCV(neighbours, grid, cv=settings["n_inner_folds"]),
        "naive_bayes": "naive_bayes",
        "random_forest": RandomForestClassifier(n_estimators=settings["n_trees"], n_jobs=1),
        "svm": make_pipeline(MinMaxScaler(), SVC(kernel="linear", C=1.0)),
    }
    return read_classifiers(found)
