"""Confidence sets for ranks: of estimates with known errors, and of ensembles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._run.beside import Checks
from pyfsagg.ensemble import wam
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import SIGNALS, labelled_table
from pyfsagg.statistics import RankConfidence, rank_confidence

JOINTLY = (0.94, 1.0)
SINGLY = (0.93, 1.0)


def _held(found: RankConfidence, truth: np.ndarray, k: int) -> tuple[float, float, float]:
    """Whether all sets hold the true ranks, the share of single ones that do, and the true top k."""
    first = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    last = truth.size - (truth[None, :] < truth[:, None]).sum(axis=1)
    jointly = bool(((found.lower_all <= first) & (found.upper_all >= last)).all())
    singly = float(((found.lower <= first) & (found.upper >= last)).mean())
    best = {found.names[j] for j in np.flatnonzero(first <= k)}
    return float(jointly), singly, float(best <= set(found.top(k)))


@calibrated(
    Claim("rank_confidence: all ranks", "coverage", 0.95, JOINTLY, of="the quantities estimated"),
    Claim("rank_confidence: one rank", "coverage", 0.95, SINGLY, of="the quantities estimated"),
    Claim("rank_confidence: top 5", "coverage", 0.95, JOINTLY, of="the quantities estimated"),
    designs=[
        {"p": p, "spread": spread, "correlation": correlation}
        for p in (8, 20)
        for spread in (0.0, 3.0)
        for correlation in (0.0, 0.7)
    ],
    runs=1500,
)
def normal_estimates(
    rng: np.random.Generator, p: int, spread: float, correlation: float
) -> tuple[float, ...]:
    """Estimates with normal errors of unequal size around true values that are all equal (spread 0)
    or spaced, with some of them equal: how often the simultaneous sets hold all true ranks, the share
    of marginal sets that hold theirs, and how often the top 5 are among those named."""
    truth = np.round(spread * np.linspace(1.0, 0.0, p) ** 2, 1)
    errors = np.linspace(0.1, 0.4, p)
    covariance = np.outer(errors, errors) * (correlation + (1 - correlation) * np.eye(p))
    noise = rng.standard_normal((p,)) * np.sqrt(1 - correlation)
    noise += rng.standard_normal() * np.sqrt(correlation)
    estimates = truth + errors * noise
    draws: dict[str, Any] = {"n_draws": 500, "random_state": int(rng.integers(2**31))}
    if correlation:
        found = rank_confidence(estimates, covariance, **draws)
    else:
        found = rank_confidence(estimates, standard_errors=errors, **draws)
    return _held(found, truth, 5)


def _of_estimate(what: str, accept: tuple[float, float]) -> Claim:
    return Claim(
        f"rank_confidence(df): {what}", "coverage", 0.95, accept, of="the quantities estimated"
    )


@calibrated(
    _of_estimate("all ranks", JOINTLY),
    _of_estimate("one rank", SINGLY),
    _of_estimate("top 5", JOINTLY),
    Claim(
        "rank_confidence without df: all ranks", "reference", 0.95, of="the quantities estimated"
    ),
    designs=[
        {"methods": methods, "tasks": tasks, "spread": spread}
        for methods, tasks in ((8, 10), (8, 30), (20, 10), (90, 10), (181, 41), (134, 500))
        for spread in (0.0, 2.0)
    ],
    runs=400,
)
def methods_on_tasks(
    rng: np.random.Generator, methods: int, tasks: int, spread: float
) -> tuple[float, ...]:
    """Methods with results of unequal variance on tasks with effects of their own, and the covariance of
    the means estimated from the same table, with df = tasks - 1: methods that are all equal, or a tenth of
    them better; how often the simultaneous sets hold all true ranks, the share of marginal sets that hold
    theirs, how often the top 5 are among those named, and all ranks if the covariance is taken for known."""
    truth = np.zeros(methods)
    truth[: max(1, methods // 10)] = spread
    errors = np.exp(rng.normal(size=methods) * 0.3)
    table = truth + rng.normal(size=(tasks, methods)) * errors + rng.normal(size=(tasks, 1))
    means, covariance = table.mean(axis=0), np.cov(table.T) / tasks
    found = rank_confidence(means, covariance, df=tasks - 1)
    known = rank_confidence(means, covariance, n_draws=200)
    return *_held(found, truth, 5), _held(known, truth, 5)[0]


OF_FEATURES = "the expected scores in samples of the size of a resample from the same population"


@calibrated(
    Claim("EnsembleResult.rank_confidence: all ranks", "coverage", 0.95, JOINTLY, of=OF_FEATURES),
    Claim("EnsembleResult.rank_confidence: one rank", "coverage", 0.95, SINGLY, of=OF_FEATURES),
    Claim("EnsembleResult.rank_confidence: top 5", "coverage", 0.95, JOINTLY, of=OF_FEATURES),
    Claim("EnsembleResult: 95 % of ranks of resamples", "reference", 0.95, of=OF_FEATURES),
    designs=[
        {"signal": signal, "n": 100, "filter": filter, "plan": "bootstrap", "m": 50}
        for signal, filter in (
            ("noise", "spearman"),
            ("noise", "chi_squared"),
            ("graded", "spearman"),
            ("graded", "chi_squared"),
            ("graded", "information_gain"),
            ("strong", "chi_squared"),
        )
    ]
    + [
        {"signal": "graded", "n": 400, "filter": "spearman", "plan": "bootstrap", "m": 100},
        {"signal": "noise", "n": 100, "filter": "spearman", "plan": "subsample", "m": 100},
        {
            "signal": "graded",
            "n": 100,
            "filter": "spearman",
            "plan": "complementary_pairs",
            "m": 100,
        },
    ],
    runs=80,
)
def ranks_of_features(
    rng: np.random.Generator, signal: str, n: int, filter: str, plan: str, m: int
) -> tuple[float, ...]:
    """Thirty features, ten of them with graded or equal signals: how often the simultaneous sets
    of a run hold all true ranks, the share of marginal sets that hold theirs, how often the true top 5
    are among those named; and the share of features whose true rank is inside the 95 % of its ranks in
    resamples."""
    p = 30
    X, y = labelled_table(rng, signal, n, p)
    truth = np.zeros(p)
    truth[: len(SIGNALS[signal])] = SIGNALS[signal]
    result = wam(
        X,
        y,
        filter=filter,
        resampling=plan,
        n_resamples=m,
        checks=Checks(shuffles=0),
        random_state=int(rng.integers(2**31)),
    )
    first = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    last = p - (truth[None, :] < truth[:, None]).sum(axis=1)
    low, high = np.quantile(result.resample_ranks, [0.025, 0.975], axis=0)
    percentiles = float(((low <= first) & (high >= last)).mean())
    return *_held(result.rank_confidence(), truth, 5), percentiles


@calibrated(
    *(
        Claim(
            f"EnsembleResult.rank_confidence (levels): {what}",
            "coverage",
            0.95,
            accept,
            of=OF_FEATURES,
        )
        for what, accept in (("all ranks", JOINTLY), ("one rank", SINGLY), ("top 4", JOINTLY))
    ),
    designs=[
        {"filter": filter, "plan": plan, "n": n, "levels": levels, "gap": gap}
        for filter, plan, n, levels, gap in (
            ("chi_squared", "bootstrap", 1000, 150, 0.42),
            ("chi_squared", "bootstrap", 1000, 100, 0.34),
            ("chi_squared", "bootstrap", 300, 40, 0.42),
            ("information_gain", "bootstrap", 1000, 100, 0.35),
            ("chi_squared", "subsample", 1000, 100, 0.34),
            ("chi_squared", "complementary_pairs", 1000, 100, 0.34),
        )
    ],
    runs=100,
)
def features_of_unequal_levels(
    rng: np.random.Generator, filter: str, plan: str, n: int, levels: int, gap: float
) -> tuple[float, ...]:
    """Four binary features that are related to two classes (probabilities that differ by the gap) beside
    four noise features of many levels: the true ranks go by scores of samples of the size of a resample,
    where the binary features come first after a bootstrap, and last after subsamples and halves."""
    y = np.repeat([0, 1], n // 2)
    binary = rng.random((n, 4)) < 0.5 + gap * (y[:, None] - 0.5)
    codes = np.hstack([binary, rng.integers(0, levels, (n, 4))])
    result = wam(
        pd.DataFrame(codes).add_prefix("x").astype("category"),
        y,
        filter=filter,
        resampling=plan,
        n_resamples=50,
        checks=Checks(pairs=0, shuffles=0),
        random_state=int(rng.integers(2**31)),
    )
    truth = np.repeat([1.0, 0.0] if plan == "bootstrap" else [0.0, 1.0], 4)
    return _held(result.rank_confidence(), truth, 4)
