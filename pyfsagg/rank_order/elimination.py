"""Backward elimination in rank-order space: four methods, one engine, one result."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg._run.checkpoint import Checkpoint, open_checkpoint
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import DataError
from pyfsagg.rank_order._engine import Progress, run_elimination
from pyfsagg.rank_order._orders import Orders, read_orders
from pyfsagg.rank_order._result import Elimination
from pyfsagg.rank_order.cdv import CENTER_DISTANCES
from pyfsagg.rank_order.divergence import divergence_path
from pyfsagg.rank_order.koller_sahami import PARTNERS
from pyfsagg.rank_order.methods import EliminationSpec, find_elimination, recorded_options
from pyfsagg.rank_order.naive_bayes import accuracy_path

__all__ = ["eliminate", "elimination_scores"]

TIE_BREAKS = ("first", "last", "random")


def eliminate(
    X: Any,
    y: Any,
    method: str = "cdv",
    *,
    sample_weight: Any = None,
    ties: str = "average",
    missing: str = "error",
    tie_break: str = "first",
    center_distance: str = "raw",
    blanket_size: int = 5,
    partners: str = "redundant",
    accuracy: bool | int = False,
    n_folds: int = 5,
    max_seconds: float | None = 3600.0,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Elimination:
    """Remove features one by one by what their orders say about the classes.

    Each sample is read as an order of the features: smallest value first.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
        Numbers on one scale, so that the values of different features can be compared.
    y : array of shape (n_samples,)
        Class labels.
    method : str
        A name in :func:`~pyfsagg.rank_order.list_eliminations`.  What is removed at each step:

        - ``"cdv"``: the feature without which the Spearman distances between the class centres
          stay nearest to those of all features;
        - ``"spoilers"``: the feature with most inversions between instances of the same class;
        - ``"greedy_kl"``: the feature without which the subset divergence Δ is least;
        - ``"koller_sahami"``: the feature that adds least to its approximate Markov blanket.
    sample_weight : array of whole numbers (n_samples,), optional
        How often each instance counts.
    ties : {"average", "ordinal", "random", "error"}
        Equal values in one instance: tied (a state of their own, average ranks), ordered by column,
        ordered at random, or refused.
    missing : {"error", "unknown"}
        Refuse missing values, or leave the place of the feature open in that instance (not for
        ``"cdv"``, which needs ranks).
    tie_break : {"first", "last", "random"}
        Which of equally good features goes: the first column, the last, or the one that comes first
        in a random order drawn once.
    center_distance : {"raw", "relative"}
        What ``"cdv"`` compares: the Spearman distances as the paper prints them, or their shares of
        the largest distance that as many features can have.  The raw distance of two centres falls
        with every removal, so that features which merely hold others apart are kept; the relative
        one finds the planted features of generated data far more often.  On the leukaemia data of
        the paper, with 7129 features, the raw one is the better.
    blanket_size : int
        Features per blanket of ``"koller_sahami"`` (κ).
    partners : {"redundant", "informative"}
        Which features form a blanket of k: those to which the order with k adds least about the
        class, as Koller and Sahami do, or those whose order with k says most about it (the other
        reading of the sentence in the paper).
    accuracy : bool or int
        Also measure the accuracy of naive Bayes along the path: at all sizes, or at sizes up to a
        number.  O(n c s²) for sizes up to s.
    n_folds : int
        Folds of that cross-validation, stratified.
    max_seconds : float or None
        Refuse a run that is estimated to take longer (see :func:`estimate_seconds`); None: never.
    random_state : int, Generator or None
        Seed of the folds, of ``ties="random"`` and of ``tie_break="random"``.
    n_jobs : int, optional
        Threads, as in joblib; the result does not depend on it.
    progress : callable (features removed, features to remove), optional
    checkpoint : path, optional
        A folder in which removals are kept, as in :func:`pyfsagg.wam`; a later call repeats them
        without weighing.

    Returns
    -------
    Elimination
        ``removal_order``, ``divergence``, ``accuracy``, ``ranking``, ``select`` …

    Raises
    ------
    DataError
        For missing or nominal values, one class, one feature, samples that are all alike, or a run
        that would take too long.
    ParameterError
        For an unknown method or rule.

    Warns
    -----
    PyfsaggWarning
        If the features seem not to be on one scale, or a class has one instance.

    Notes
    -----
    Source: orders, section 4.  Cost of a complete elimination of p features from n instances of c
    classes: Spoilers O(n p²); Greedy KL O(n p² + n² p² / 64); CDV O(n p² + p³ (w c + c²)) simple
    operations on bytes, w being the number of features near another one in a class centre;
    Koller–Sahami O(n p²) for the partners, then O(n (p + n κ²)) for each blanket that loses a
    member and finds no spare partner.  CDV holds c p² counts of 1 or 2 bytes in memory.

    Examples
    --------
    >>> from pyfsagg.rank_order import eliminate, make_planted_orders
    >>> data = make_planted_orders(n_classes=3, n_per_class=10, n_extraneous=4, random_state=1)
    >>> result = eliminate(data.X, data.y, "spoilers")
    >>> sorted(result.select(3)) == sorted(data.planted)
    True
    >>> result.select_by_divergence(0.0) == result.select(3)
    True
    """
    spec = find_elimination(method)
    options = _check_options(
        tie_break, center_distance, blanket_size, partners, accuracy, max_seconds
    )
    orders = read_orders(
        X,
        y,
        sample_weight=sample_weight,
        ties=ties,
        missing=missing,
        random_state=random_state,
        advise=True,
    )
    _refuse_long_run(orders, spec, max_seconds)
    priority = _priority(orders.n_features, tie_break, random_state)
    identity = {
        "kind": "eliminate",
        "method": spec.name,
        "tie_break": tie_break,
        **options,
        "data": [orders.ranks, orders.weights, orders.starts],
        "priority": priority,
        "versions": versions(),
    }
    with open_checkpoint(checkpoint, identity) as kept:
        order, criterion = _run(orders, spec, priority, options, n_jobs, progress, kept)
    p = orders.n_features
    accuracies = None
    if accuracy is not False:
        largest = p if accuracy is True else min(int(accuracy), p)
        accuracies = np.full(p, np.nan)
        accuracies[p - largest :] = accuracy_path(
            orders, order[::-1][:largest], n_folds=n_folds, random_state=random_state
        )[::-1]
    return Elimination(
        method=spec.name,
        feature_names=orders.feature_names,
        removal_order=order,
        criterion=criterion,
        divergence=divergence_path(orders, order),
        accuracy=accuracies,
        parameters={
            "ties": ties,
            "missing": missing,
            "tie_break": tie_break,
            **{name: options[name] for name in recorded_options(spec)},
            **({"n_folds": n_folds} if accuracies is not None else {}),
            "random_state": random_state if isinstance(random_state, int) else None,
        },
    )


def elimination_scores(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    method: str = "spoilers",
    ties: str = "average",
    missing: str = "error",
    tie_break: str = "random",
    center_distance: str = "raw",
    blanket_size: int = 5,
    partners: str = "redundant",
    random_state: int = 0,
) -> NDArray[np.float64]:
    """Place of each feature in a removal order, for use as a filter in an ensemble.

    Parameters are those of :func:`eliminate`, except for ``tie_break="random"``, the default here:
    features that are equally good to remove are drawn in another order for each resample, seeded by
    `random_state` and `sample_weight`, so that equal resamples have equal scores.  A fixed order of
    columns would make a method with many ties (Greedy KL on many features) look perfectly stable.

    Returns
    -------
    ndarray (n_features,)
        1 for the feature removed first, …, n_features for the one that is left; larger = more
        important.

    Examples
    --------
    >>> import functools
    >>> from pyfsagg.rank_order import elimination_scores, make_planted_orders
    >>> data = make_planted_orders(n_classes=3, n_per_class=8, n_extraneous=3, random_state=1)
    >>> scores = elimination_scores(data.X, data.y, method="cdv")
    >>> sorted(scores.tolist())
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    >>> cdv = functools.partial(elimination_scores, method="cdv")  # pyfsagg.wam(X, y, filter=cdv)
    """
    spec = find_elimination(method)
    options = _check_options(tie_break, center_distance, blanket_size, partners, False, None)
    orders = read_orders(
        X, y, sample_weight=sample_weight, ties=ties, missing=missing, random_state=random_state
    )
    seed = _resample_seed(random_state, sample_weight)
    priority = _priority(orders.n_features, tie_break, seed)
    order, _ = _run(orders, spec, priority, options, n_jobs=1)
    scores = np.empty(order.size)
    scores[order] = np.arange(1, order.size + 1)
    return scores


def _resample_seed(random_state: int, sample_weight: Any) -> np.random.SeedSequence:
    """A seed of its own for each resample, the same for equal ones."""
    seed = check_integer("random_state", random_state, low=0)
    weights = np.empty(0) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    digest = hashlib.blake2b((weights + 0.0).tobytes(), digest_size=16).digest()
    return np.random.SeedSequence([seed, int.from_bytes(digest, "little")])


def _check_options(
    tie_break: str,
    center_distance: str,
    blanket_size: int,
    partners: str,
    accuracy: bool | int,
    max_seconds: float | None,
) -> dict[str, Any]:
    check_choice("tie_break", tie_break, TIE_BREAKS)
    check_choice("center_distance", center_distance, CENTER_DISTANCES)
    check_choice("partners", partners, PARTNERS)
    if not isinstance(accuracy, bool):
        check_integer("accuracy (the largest size of a subset)", accuracy, low=1)
    if max_seconds is not None:
        check_real("max_seconds", max_seconds, low=0.0, low_open=True)
    size = check_integer("blanket_size", blanket_size, low=1)
    return {"center_distance": center_distance, "blanket_size": size, "partners": partners}


def _refuse_long_run(orders: Orders, spec: EliminationSpec, max_seconds: float | None) -> None:
    if max_seconds is None:
        return
    n, p = orders.n_samples, orders.n_features
    seconds = spec.seconds(n, p, orders.n_classes)
    if seconds > max_seconds:
        raise DataError(
            f"the elimination of {p} features from {n} samples by {spec.name!r} would take about "
            f"{_spoken(seconds)}, more than max_seconds={max_seconds:g}. Reduce the features "
            'first, take "spoilers", which is the fastest, or pass max_seconds=None'
        )


def _spoken(seconds: float) -> str:
    if seconds >= 7200.0:
        return f"{seconds / 3600.0:.0f} hours"
    return f"{seconds / 60.0:.0f} minutes" if seconds >= 120.0 else f"{seconds:.0f} seconds"


def _run(
    orders: Orders,
    spec: EliminationSpec,
    priority: NDArray[np.intp],
    options: dict[str, Any],
    n_jobs: int | None,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    given = {**options, "priority": priority, "n_jobs": n_jobs}
    strategy = spec.build(orders, **{name: given[name] for name in spec.options})
    return run_elimination(strategy, priority, progress, checkpoint)


def _priority(p: int, tie_break: str, random_state: Any) -> NDArray[np.intp]:
    """Among equals the feature of largest priority is removed."""
    if tie_break == "random":
        return np.random.default_rng(random_state).permutation(p)
    return np.arange(p) if tie_break == "last" else np.arange(p)[::-1].copy()
