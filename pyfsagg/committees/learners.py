"""Learners of scikit-learn as voters: each selects on the rows of a resample, and is tested on the rest."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Indices, RandomState, TableLike, TargetLike
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.remarks import ALONE
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import check_integer, check_list, resolve_seed
from pyfsagg._message import SUBSAMPLE, Got, Param, Public, Remedy, Use
from pyfsagg._run.checkpoint import Piece, kept_seed, open_checkpoint, resume_tasks
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._table.groups import read_feature_groups
from pyfsagg._table.identity import data_hash, versions
from pyfsagg._table.selectors import check_learner, seeded_clone
from pyfsagg._table.table import as_table
from pyfsagg._table.target import is_survival_model, last_step, read_target
from pyfsagg.committees import coding
from pyfsagg.committees.result import Committee, Weights, read_voter_weights
from pyfsagg.committees.rules import VOTING_RULES
from pyfsagg.committees.selection import LearnerSelection
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggError
from pyfsagg.filters.plain import drop_features
from pyfsagg.resampling import Plan, Resamples, Subsample, draw_resamples
from pyfsagg.resampling.plan import read_plan

DRAWN = Subsample(0.8)
METRIC = {"classification": "accuracy", "regression": "r2"}
Rows = Indices


@repeatable
def committee(
    X: TableLike,
    y: TargetLike,
    learners: Any,
    *,
    selection: LearnerSelection | Mapping[str, LearnerSelection] | None = None,
    metric: str | None = None,
    rule: str = "approval",
    voter_weights: Weights = None,
    size: int | None = None,
    task: str | Task = "classification",
    resampling: str | Plan = DRAWN,
    n_resamples: int = 30,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> Committee:
    """Rank features by the votes of learners that select on every resample of the rows.

    Each learner is one voter per resample.  It selects features on the rows that the resample draws, is
    fitted to these with the selected features, and is measured on the rows that are not drawn.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_columns)
        A missing number becomes the median of the rows that a resample draws.  A nominal column becomes
        a column of 0 and 1 per level that the rows of a fit have; a missing value is a level.
    y : array of shape (n_samples,)
        Class labels, or numbers with ``task="regression"``.
    learners : mapping of name to estimator, list of estimators, or one
        Classifiers or regressors of scikit-learn, as they are: where the scale of features matters,
        ``make_pipeline(StandardScaler(), …)``, whose last step has the importances.  Or functions
        ``(X, y)`` that return a number per column, larger in size = more important; they have no
        performance and are not cross-validated.
    selection : LearnerSelection, or mapping of name of a learner to it, optional
        How a learner selects: by default a quarter of the features by importance.
    metric : str, optional
        A scorer of scikit-learn, larger = better, for performance and cross-validation; ``"accuracy"``
        or ``"r2"`` by default.
    rule, voter_weights, size
        As in :func:`vote`, which counts; with ``voter_weights="performance"`` a learner whose performance is
        not above 0, or not known, counts nothing.
    task : {"classification", "regression"} or Task
        With `feature_groups`, each group is one feature, which is selected or not.  `group_score` says
        which importance it has (Notes).
    resampling : str or Plan
        Which rows select: 80 % of them without replacement by default.  Some rows must be left to be
        tested on.
    n_resamples : int
    random_state : None, int or NumPy generator
        Seed of resamples, folds and learners.
    n_jobs, execution
        Processes; checkpoint and progress.  They have no influence on the result.

    Raises
    ------
    DataError
        For a resample that draws all rows, a function that does not return one finite number per
        column, or if every voter fails.

    See Also
    --------
    vote : The same for existing selections.

    Notes
    -----
    The importance of a nominal feature is the sum over its levels.  That of a group is the largest of its
    columns (``group_score="max"``) or their mean (``"mean"``); with ``"joint"``, and with ``"auto"`` if its
    columns are one-hot, the group is read as one nominal column.  A sequential selection lets all
    columns of a feature enter, or leave, together.

    A voter whose learner fails (for instance with one class drawn) selects nothing and counts nothing; one
    whose test rows do not allow the metric has no performance.  ``voters["message"]`` says why.

    Examples
    --------
    >>> import pyfsagg
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.committee(
    ...     data.X, data.y, {"tree": DecisionTreeClassifier(max_depth=3)},
    ...     selection=pyfsagg.committees.LearnerSelection(n_features=2), n_resamples=5, random_state=0,
    ... )
    >>> result.n_voters, result.voters["n_features"].tolist()
    (5, [2, 2, 2, 2, 2])
    """
    settings = Task.of_argument(task)
    execution = Execution._without_scratch("committee", execution)
    seed = resolve_seed(kept_seed(execution.checkpoint, random_state))
    call = Call.of(committee, data=("X", "y", "learners"), random_state=seed)
    if settings.task == "survival":
        remedy = Remedy("use ", Public("wam"), " with ", Use(task="survival"))
        raise ParameterError("a committee takes classes or numbers", remedy)
    if settings.adjust is not None:
        remedy = Remedy("rank with ", Public("wam"), " or ", Public("bam"))
        does = ("learners do not adjust for columns as ", Param("adjust"), " does")
        raise ParameterError(*does, remedy)
    models = _read_learners(learners, settings.task)
    ways = _read_selection(selection, models)
    metric = _check_metric(METRIC[settings.task] if metric is None else metric, voter_weights)
    rule = VOTING_RULES.get(rule).name
    table, target = read_target(settings, as_table(X, nominal=settings.nominal), y)
    for model in models.values():
        if not hasattr(model, "predict") and settings.task == "classification":
            model.set_params(labels=np.asarray(target.classes))
    groups = read_feature_groups(settings, table)
    if settings.drop_near_zero_variance:
        table, groups = drop_features(table, groups)
    features = table.feature_names if groups is None else groups.names
    _check_sizes(len(features), ways, size)
    plan = read_plan(resampling)
    resamples = draw_resamples(table, target, plan, n_resamples=n_resamples, seed=seed)
    together = getattr(plan, "groups", None)
    if together is not None:
        together = np.unique(np.asarray(together).astype(str), return_inverse=True)[1]
    work = _Work(
        coding.code_features(table, groups, target.always),
        np.asarray(target.outcome),
        settings.task == "classification",
        _rows_of(resamples, plan, table.n_samples),
        together,
        models,
        ways,
        metric,
        seed,
    )
    items = [(number, name) for name in models for number in range(len(resamples))]
    if voter_weights is not None and not isinstance(voter_weights, str):
        read_voter_weights(voter_weights, pd.DataFrame(index=range(len(items))))
    data = {
        "sha256": data_hash(table, target),
        "n_samples": table.n_samples,
        "n_features": len(features),
        **({} if groups is None else groups.record()),
        "n_voters": len(items),
        "target": target.name,
        "target_kind": target.kind,
        "class_counts": target.class_counts,
        **target.always_in,
    }
    scored: dict[str, Any] = {}
    if groups is not None:  # as in the settings of a run with groups
        scores = dict.fromkeys(models, groups.how(counts_levels=True))
        scored = {"group_score": settings.group_score, "group_scores": scores}
    parameters = {
        "learners": {name: " ".join(repr(model).split()) for name, model in models.items()},
        "selection": {name: way.record() for name, way in ways.items()},
        "metric": metric,
        "task": settings.record(),
        **scored,
        "resampling": resamples.plan,
        "resampling_params": dict(resamples.parameters),
        "n_resamples": len(resamples),
        "seed": seed,
    }
    identity = {
        "kind": "committee",
        **parameters,
        "models": models,
        "rows": [part for pair in work.rows for part in pair],
        "data": data["sha256"],
        "groups": None if groups is None else groups.record(),
        "versions": versions(),
    }
    votes: list[Piece] = []
    with (
        open_checkpoint(execution.checkpoint, identity) as checkpoint,
        progress_sink(execution.progress, len(items), "voter") as advance,
    ):
        keys = [f"voter {name} {number}" for number, name in items]
        tasks = (checkpoint, keys, _vote_alone, work, items)
        for vote in resume_tasks(*tasks, n_jobs=n_jobs, threads=False):
            votes.append(vote)
            advance(len(votes))
    support = np.array([vote["support"] for vote in votes])
    messages = [str(vote["message"]) for vote in votes]
    if not support.any():
        raise DataError(f"no learner could select features: {messages[0]}")
    columns = {
        "learner": [name for _, name in items],
        "resample": [number for number, _ in items],
        "n_features": support.sum(axis=1),
        "performance": [float(vote["performance"]) for vote in votes],
        "n_test": [work.rows[number][1].size for number, _ in items],
        "message": messages,
    }
    return Committee._counted(
        pd.DataFrame(columns),
        support,
        features,
        rule=rule,
        voter_weights=voter_weights,
        size=size,
        parameters={**parameters, "call": call.record()},
        data=data,
    )


@dataclass(frozen=True, eq=False)
class _Work:
    """What all voters share: `rows` has those of each resample that train, and that test."""

    table: coding.FeatureCoding
    outcome: NDArray[Any]
    classes: bool
    rows: Sequence[tuple[Rows, Rows]]
    groups: Indices | None
    models: Mapping[str, Any]
    ways: Mapping[str, LearnerSelection]
    metric: str
    seed: int


def _vote_alone(work: _Work, item: tuple[int, str]) -> Piece:
    number, name = item
    # Warnings can be distinguished by voter only where one voter works at a time in a process.
    with ALONE, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        support, performance, message = _vote_of(work, number, name)
    said = "; ".join(dict.fromkeys([message] * bool(message) + [_line(w.message) for w in caught]))
    return {"support": support, "performance": np.array(performance), "message": np.array(said)}


def _vote_of(work: _Work, number: int, name: str) -> tuple[Booleans, float, str]:
    """What a learner selects on a resample, its performance on the other rows, and what went wrong."""
    from sklearn.base import clone
    from sklearn.metrics import get_scorer

    train, test = work.rows[number]
    known, unseen = work.table.values[train], work.table.values[test]
    if np.isnan(work.table.values).any():
        from sklearn.impute import SimpleImputer

        impute = SimpleImputer(strategy="median", keep_empty_features=True).fit(known)
        known, unseen = impute.transform(known), impute.transform(unseen)
    outcome, seeds = work.outcome[train], np.random.SeedSequence(work.seed, spawn_key=(5, number))
    seed = int(seeds.generate_state(1)[0]) >> 1
    model, scorer = seeded_clone(work.models[name], seed), get_scorer(work.metric)
    if not work.table.as_they_are:
        model, known, unseen = coding.addressed(model, work.table, known, unseen)
    none = np.zeros(work.table.n_features, dtype=bool)
    try:
        selector = _selector(work, name, model, train, seed)
        selector.fit(known, outcome)
        support = np.asarray(selector.get_support(), dtype=bool)
    except PyfsaggError:
        raise
    except Exception as error:
        return none, math.nan, _line(error)
    if not support.any():
        return none, math.nan, "no feature was selected"
    if not hasattr(model, "predict"):
        return support, math.nan, "a function predicts nothing, and has no performance"
    try:
        fitted = clone(model).fit(known[:, support], outcome)
        performance = float(scorer(fitted, unseen[:, support], work.outcome[test]))
    except Exception as error:
        return support, math.nan, _line(error)
    if not math.isfinite(performance):
        return support, math.nan, f"{work.metric} is not defined on the test rows"
    return support, performance, ""


def _selector(work: _Work, name: str, model: Any, train: Rows, seed: int) -> Any:
    """The class of scikit-learn that selects."""
    from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SequentialFeatureSelector

    way = work.ways[name]
    importance = coding.Importance(name, 1 if way.by == "importance" else 2)
    k = way.count(work.table.n_features)
    if way.by == "importance":
        limit = {} if k is None else {"threshold": -np.inf, "max_features": k}
        return SelectFromModel(model, importance_getter=importance, **limit)
    if way.by == "elimination" and k is not None:
        return RFE(model, n_features_to_select=k, step=way.step, importance_getter=importance)
    inner: dict[str, Any] = {"scoring": work.metric, "cv": _folds(work, train, way.folds, seed)}
    if way.by == "elimination":
        return RFECV(model, step=way.step, importance_getter=importance, **inner)
    gain = way.tolerance if way.direction == "forward" else -way.tolerance
    inner |= (
        {"tol": gain, "n_features_to_select": "auto"} if k is None else {"n_features_to_select": k}
    )
    return SequentialFeatureSelector(model, direction=way.direction, **inner)


def _folds(work: _Work, train: Rows, folds: int, seed: int) -> list[tuple[Rows, Rows]]:
    """Folds of the training rows, in which copies of a row and rows of a group stay together."""
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    distinct, copy_of = np.unique(train, return_inverse=True)
    groups = None if work.groups is None else work.groups[distinct]
    shuffled: dict[str, Any] = {"shuffle": True, "random_state": seed}
    splitter: Any
    if work.classes:
        splitter = (StratifiedKFold if groups is None else StratifiedGroupKFold)(folds, **shuffled)
    else:
        splitter = KFold(folds, **shuffled) if groups is None else GroupKFold(folds)
    held_out = [
        np.isin(copy_of, outside)
        for inside, outside in splitter.split(distinct, work.outcome[distinct], groups)
        if inside.size and outside.size
    ]
    return [(np.flatnonzero(~held), np.flatnonzero(held)) for held in held_out]


def _line(error: Any) -> str:
    """The first line of an error or a warning, with its class if it is an error."""
    lines = str(error).strip().splitlines() or [""]
    kind = "" if isinstance(error, Warning) else f"{type(error).__name__}: "
    return f"{kind}{lines[0]}"


def _read_learners(learners: Any, task: str) -> dict[str, Any]:
    if isinstance(learners, Mapping):
        pairs = [(str(name), model) for name, model in learners.items()]
    else:
        single = hasattr(learners, "fit") or callable(learners)
        models = [learners] if single else check_list("learners", learners)
        lasts = [last_step(model) for model in models]
        names = [str(getattr(last, "__name__", type(last).__name__)) for last in lasts]
        pairs = list(zip(names, models, strict=True))
    checked: dict[str, Any] = {}
    for name, model in pairs:
        if name in checked:
            raise ParameterError(
                f"the learner {name!r} is given twice; a mapping gives each a name of its own"
            )
        checked[name] = _checked(name, model, task)
    if not checked:
        example = Remedy("give at least one, for instance {'forest': RandomForestClassifier()}")
        raise ParameterError(Param("learners"), " is empty", example)
    return checked


def _checked(name: str, model: Any, task: str) -> Any:
    if not name:
        raise ParameterError("the name of a learner is empty; give each a name")
    if callable(model) and not isinstance(model, type) and not hasattr(model, "fit"):
        return coding.FunctionLearner(model)
    methods = ("fit", "predict", "get_params")
    if isinstance(model, type) or not all(hasattr(model, method) for method in methods):
        raise InputTypeError(
            f"the learner {name!r} must be an estimator with fit and predict, or a function (X, y)",
            Got(model),
        )
    if is_survival_model(model):
        raise ParameterError(f"{name!r} is a model of survival; a committee takes other learners")
    check_learner(name, model, "classifier" if task == "classification" else "regressor")
    return model


def _read_selection(selection: Any, models: Mapping[str, Any]) -> dict[str, LearnerSelection]:
    if not isinstance(selection, Mapping):
        selection = dict.fromkeys(models, LearnerSelection.read("selection", selection))
    for name in selection:
        if name not in models:
            unknown = f" names {name!r}, which is not a learner; these are {', '.join(models)}"
            raise ParameterError(Param("selection"), unknown)
    ways = {name: LearnerSelection.read("selection", selection.get(name)) for name in models}
    for name, way in ways.items():
        validated = way.by == "sequential" or (way.by, way.n_features) == ("elimination", "auto")
        if validated and not hasattr(models[name], "predict"):
            others = "select by importance, or by elimination with a number "
            raise ParameterError(
                f"the learner {name!r} is a function and predicts nothing to be cross-validated",
                Remedy(others, Param("n_features")),
            )
    return ways


def _check_metric(metric: Any, voter_weights: Weights) -> str:
    from sklearn.metrics import get_scorer_names

    if not isinstance(metric, str) or metric not in get_scorer_names():
        must = " must be the name of a scorer of scikit-learn, for instance 'roc_auc' or 'r2'"
        raise ParameterError(Param("metric"), must, Got(metric))
    if isinstance(voter_weights, str) and metric.startswith("neg_"):
        raise ParameterError(
            Use(voter_weights="performance"),
            f" needs performances above 0, and {metric!r} has none",
            Remedy("take another metric, or no weights"),
        )
    return metric


def _check_sizes(p: int, ways: Mapping[str, LearnerSelection], size: int | None) -> None:
    for name, way in ways.items():
        if way.count(p) == p and way.by == "sequential":
            raise ParameterError(
                f"the learner {name!r} is to select all {p} features one by one",
                Remedy("give a smaller ", Param("n_features"), " in its LearnerSelection"),
            )
    if size is not None:
        check_integer("size", size, low=1, high=p)


def _rows_of(resamples: Resamples, plan: Plan, n_samples: int) -> list[tuple[Rows, Rows]]:
    """Rows that train, each as often as it was drawn, and rows that were not drawn."""
    if resamples.changes_table or resamples.labels.shape[0] > 1:
        needs = " changes the table; a committee needs a plan that draws rows, for instance "
        raise ParameterError(Use(resampling=plan.name), needs, SUBSAMPLE)
    there = plan._row_weights(n_samples).astype(np.intp)
    pairs = []
    for number, drawn in enumerate(resamples.weights):
        train = np.repeat(np.arange(n_samples), drawn)
        test = np.repeat(np.arange(n_samples), np.where(drawn == 0, there, 0))
        if test.size == 0:
            raise DataError(
                f"resample {number} draws all rows, and none is left to test on",
                Remedy("draw fewer, for instance by ", SUBSAMPLE),
            )
        pairs.append((train, test))
    return pairs
