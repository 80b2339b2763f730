"""Comparisons of methods of equal worth on the folds of one table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pyfsagg.evaluation.comparison import compare_folds, divisions_of
from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated

METHODS = 4
WIDTH = 6
"""Features among which a method chooses."""
KEPT = 2
OF_TABLES = "the methods on other tables of this size from the same population"


def _table(rng: np.random.Generator, n: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Two classes; every method has features of its own, all with the same graded distances."""
    y = np.arange(n) % 2
    shift = np.tile(np.linspace(signal, 0.0, WIDTH), METHODS)
    return rng.standard_normal((n, METHODS * WIDTH)) + np.outer(y - 0.5, shift), y


def _fold_of(rng: np.random.Generator, y: np.ndarray, k: int) -> np.ndarray:
    """The fold of each row, stratified."""
    fold = np.empty(y.size, dtype=np.intp)
    dealt = np.concatenate([rng.permutation(np.flatnonzero(y == c)) for c in (0, 1)])
    fold[dealt] = np.arange(y.size) % k
    return fold


def _moments(X: np.ndarray, y: np.ndarray, fold: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    """Means of both classes and variances of the training rows of each fold, (k, p) each."""
    outside = (fold[None, :] != np.arange(k)[:, None]).astype(float)
    means = [
        (outside * (y == c)) @ X / (outside * (y == c)).sum(axis=1, keepdims=True) for c in (0, 1)
    ]
    count = outside.sum(axis=1, keepdims=True)
    variance = outside @ X**2 / count - (outside @ X / count) ** 2
    return means[0], means[1], variance


def _chosen(scores: np.ndarray) -> np.ndarray:
    """The best features of every method, (…, p) of bool."""
    blocks = scores.reshape(*scores.shape[:-1], METHODS, WIDTH)
    limit = np.sort(blocks, axis=-1)[..., -KEPT, None]
    return (blocks >= limit).reshape(scores.shape)


def _accuracies(
    X: np.ndarray, y: np.ndarray, fold: np.ndarray, k: int, chosen: np.ndarray | None
) -> np.ndarray:
    """Accuracy of a linear classifier on each fold with the features of each method, (k, METHODS)."""
    low, high, variance = _moments(X, y, fold, k)
    if chosen is None:
        chosen = _chosen(np.abs(high - low) / np.sqrt(variance))
    weights = chosen * (high - low) / variance
    scores = weights[fold] * (X - (low + high)[fold] / 2.0)
    found = scores.reshape(y.size, METHODS, WIDTH).sum(axis=2) > 0.0
    hits = found == (y[:, None] == 1)
    return np.stack([hits[fold == i].mean(axis=0) for i in range(k)])


def _values(
    rng: np.random.Generator, n: int, folds: int, repeats: int, protocol: str, signal: float
) -> pd.DataFrame:
    X, y = _table(rng, n, signal)
    found = []
    for _ in range(repeats):
        chosen, rows = None, np.arange(n)
        if protocol == "thesis":
            tested = _fold_of(rng, y, 3) == 0
            low, high, variance = _moments(X, y, (~tested).astype(int), 1)
            rows = np.flatnonzero(tested)
            chosen = _chosen(np.abs(high - low) / np.sqrt(variance))[0]
        fold = _fold_of(rng, y[rows], folds)
        found.append(_accuracies(X[rows], y[rows], fold, folds, chosen))
    index = pd.MultiIndex.from_product([range(repeats), range(folds)], names=["repeat", "fold"])
    return pd.DataFrame(np.concatenate(found), index=index, columns=list("abcd"))


def _design(
    n: int, folds: int, repeats: int, protocol: str = "nested", signal: float = 0.4
) -> dict[str, Any]:
    return {
        "n": n,
        "folds": folds,
        "repeats": repeats,
        "protocol": protocol,
        "signal": signal,
    }


@calibrated(
    Claim("Evaluation.compare: corrected t (any pair)", "level", ALPHA, (0.0, 0.065), of=OF_TABLES),
    Claim("Evaluation.compare: interval (first pair)", "coverage", 0.95, (0.93, 1.0), of=OF_TABLES),
    Claim(
        "Evaluation.compare: P(above) of .95 (first pair)",
        "level",
        ALPHA,
        (0.0, 0.065),
        of=OF_TABLES,
    ),
    designs=[
        *(_design(n, folds, 1) for n in (100, 400) for folds in (5, 10)),
        *(_design(n, 10, 10) for n in (100, 400)),
        _design(100, 5, 10),
        _design(100, 10, 10, signal=0.0),
        _design(100, 10, 10, signal=1.5),
        *(_design(n, 5, repeats, "thesis") for n in (100, 400) for repeats in (3, 10)),
    ],
    runs=400,
)
def equal_methods(
    rng: np.random.Generator, n: int, folds: int, repeats: int, protocol: str, signal: float
) -> tuple[float, ...]:
    """Four methods choose two of six features, each from a block of its own with the same distances
    between the classes, inside each training fold (nested) or on two thirds of the rows (thesis); a
    linear classifier is tested on the folds. How often a comparison says at 0.05 that any two methods
    differ, how often the interval of the first difference holds zero, and how often the posterior
    gives more than 0.95 to its being above zero."""
    values = _values(rng, n, folds, repeats, protocol, signal)
    divisions = divisions_of(
        values, protocol=protocol, n_folds=folds, n_repeats=repeats, test_size=1 / 3
    )
    found = compare_folds(divisions, what="accuracy", higher_is_better=True, alpha=ALPHA, rope=0.0)
    pairs = found.tests["corrected_t"].to_frame()
    first = pairs.iloc[0]
    held = np.nan if np.isnan(first["lower"]) else float(first["lower"] <= 0.0 <= first["upper"])
    return (
        float((pairs["p_adjusted"] <= ALPHA).any()),
        held,
        float(found.tests["bayesian_t"].to_frame()["p_above"].iloc[0] > 1.0 - ALPHA),
    )


@calibrated(
    Claim(
        "Evaluation.compare: corrected t (any pair)",
        "level",
        ALPHA,
        (0.0, 0.065),
        of="these rankings, with classifiers trained on other rows",
    ),
    designs=[{"n": n, "folds": folds} for n in (100, 400) for folds in (5, 10)],
    runs=400,
)
def equal_rankings(rng: np.random.Generator, n: int, folds: int) -> tuple[float, ...]:
    """Four rankings of equal worth, made once (thesis protocol without repeats), tested on the folds
    of the rows left: how often a comparison says at 0.05 that any two differ."""
    X, y = _table(rng, n, 0.8)
    fold = _fold_of(rng, y, folds)
    chosen = _chosen(np.tile(np.arange(WIDTH, 0.0, -1.0), METHODS))
    index = pd.MultiIndex.from_product([[0], range(folds)], names=["repeat", "fold"])
    values = pd.DataFrame(_accuracies(X, y, fold, folds, chosen), index=index, columns=list("abcd"))
    divisions = divisions_of(values, protocol="thesis", n_folds=folds, n_repeats=1, test_size=1 / 3)
    found = compare_folds(divisions, what="accuracy", higher_is_better=True, alpha=ALPHA, rope=None)
    return (float((found.tests["corrected_t"].to_frame()["p_adjusted"] <= ALPHA).any()),)
