"""Simulations of tables of methods by tasks: rank sets whose errors come from the table itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg.statistics import RankConfidence, rank_confidence
from pyfsagg_papers.calibration.design import Claim, calibrated
from pyfsagg_papers.calibration.statistics import JOINTLY, SINGLY, sets_held

OF_TASKS = "the means over the population of tasks"
SKEWED = (
    "random signs assume errors that are not skewed; the wider limits for skewed ones suffice for "
    "exponential errors, but not for many methods with stronger skewness on few tasks"
)


def table_of_methods(
    rng: np.random.Generator, methods: int, tasks: int, errors: str, truth: np.ndarray
) -> np.ndarray:
    """Results (tasks, methods) with an effect of each task and an error of each cell."""
    noise = rng.normal(size=(tasks, methods))
    if errors == "families":
        family = rng.integers(0, max(2, methods // 4), methods)
        noise = 0.6 * noise + 0.8 * rng.normal(size=(tasks, methods))[:, family]
    elif errors == "unequal tasks":
        noise *= np.exp(0.8 * rng.normal(size=(tasks, 1)))
    elif errors == "skewed":
        noise = rng.exponential(size=(tasks, methods)) - 1.0
    noise *= np.exp(0.3 * rng.normal(size=methods))
    return np.asarray(truth + noise + 2.0 * rng.normal(size=(tasks, 1)))


def _places(found: RankConfidence) -> float:
    return float((found.upper - found.lower + 1).mean())


SHAPES = ((8, 10), (20, 10), (90, 10), (8, 30), (181, 41), (20, 150))


@calibrated(
    "rank_tables",
    Claim("rank_confidence(table): all ranks", "coverage", 0.95, JOINTLY, OF_TASKS, SKEWED),
    Claim("rank_confidence(table): one rank", "coverage", 0.95, SINGLY, OF_TASKS, SKEWED),
    Claim("rank_confidence(table): places of a set", "reference", 1.0, of=OF_TASKS),
    Claim("rank_confidence(df), the same table: places of a set", "reference", 1.0, of=OF_TASKS),
    designs=[
        {"methods": methods, "tasks": tasks, "errors": errors, "spread": spread}
        for methods, tasks in SHAPES
        for errors, spread in (
            ("normal", 0.0),
            ("normal", 3.0),
            ("families", 0.0),
            ("unequal tasks", 0.0),
            ("skewed", 0.0),
        )
    ],
    runs=200,
)
def methods_by_tasks(
    rng: np.random.Generator, methods: int, tasks: int, errors: str, spread: float
) -> tuple[float, ...]:
    """A table of methods by tasks whose methods are equal, or spread with groups of equal ones; their
    errors have unequal variances and are normal, shared by families of methods, of different size in
    each task, or exponential: coverage of all true ranks and of single ones, and the width of a single
    set, also by Student's limits with Holm's correction."""
    truth = np.round(2.0 * np.linspace(spread, 0.0, methods)) / 2.0
    table = table_of_methods(rng, methods, tasks, errors, truth)
    found = rank_confidence(table)
    covariance: Any = np.cov(table.T) / tasks
    holm = rank_confidence(table.mean(axis=0), covariance, df=tasks - 1)
    jointly, singly, _ = sets_held(found, truth, 5)
    return jointly, singly, _places(found), _places(holm)


ANY_PAIR = (0.0, 0.065)


@calibrated(
    "standings",
    Claim("Standings.sets: all places", "coverage", 0.95, JOINTLY, OF_TASKS),
    Claim("Standings.pairs.apart (any equal pair)", "level", 0.05, ANY_PAIR, OF_TASKS),
    Claim("Standings.pairs.apart (share of unequal pairs)", "power", 0.0, of=OF_TASKS),
    Claim("Standings.sets: places of a set", "reference", 1.0, of=OF_TASKS),
    designs=[
        {"kind": kind, "methods": methods, "tasks": tasks, "spread": spread, "by": by}
        for kind, methods, tasks, spread, by in (
            ("coin flips", 6, 12, 0.0, "mean"),
            ("coin flips", 6, 12, 0.0, "rank"),
            ("scores", 6, 8, 0.0, "mean"),
            ("scores", 12, 20, 0.0, "mean"),
            ("scores", 12, 20, 0.0, "rank"),
            ("scores", 12, 20, 3.0, "mean"),
            ("scores", 12, 20, 3.0, "rank"),
            ("families", 12, 20, 3.0, "mean"),
            ("holes", 6, 16, 0.0, "mean"),
            ("holes", 6, 16, 3.0, "mean"),
            ("replicates", 6, 4, 0.0, "mean"),
            ("replicates", 6, 4, 1.0, "mean"),
            ("few replicates", 6, 3, 0.0, "mean"),
            ("folds", 4, 1, 0.0, "mean"),
            ("ties", 6, 12, 0.0, "mean"),
            ("ties", 6, 12, 0.0, "rank"),
            ("skewed", 12, 20, 0.0, "mean"),
            ("unequal tasks", 12, 20, 3.0, "mean"),
            ("all signs", 5, 10, 0.0, "mean"),
            ("all signs", 5, 10, 3.0, "mean"),
            ("two metrics", 6, 16, 0.0, "mean"),
            ("two metrics", 6, 16, 3.0, "mean"),
        )
    ],
    runs=400,
)
def standings_of_tables(
    rng: np.random.Generator, kind: str, methods: int, tasks: int, spread: float, by: str
) -> tuple[float, ...]:
    """Standings of tables of methods by tasks: wins and losses at random; scores with errors of unequal
    variance (in families of methods, or with 15 % missing); four tasks with 30 instances, or three with
    4 seeds, if the question is about these tasks; ten folds that share a part of their error, as the
    corrected variance assumes; whole numbers with many ties; exponential errors; tasks with errors of
    unequal size; exact tests of pairs by all signs; two metrics with correlated errors at a common
    level. Coverage of all places, how often any two equal methods are distinguished, the share of
    unequal pairs that are, and the width of a single set."""
    truth = np.round(2.0 * np.linspace(spread, 0.0, methods)) / 2.0
    options: dict[str, Any] = {"by": by, "random_state": int(rng.integers(2**31))}
    if kind == "coin flips":
        data: Any = pd.DataFrame(rng.integers(0, 2, size=(tasks, methods)).astype(float))
    elif kind in ("replicates", "few replicates"):
        n = 30 if kind == "replicates" else 4
        effects = rng.normal(
            size=(tasks, methods)
        )  # of these tasks; they leave the means as they are
        scores = truth + effects - effects.mean(axis=0)
        rows = np.repeat(scores, n, axis=0) + rng.normal(size=(tasks * n, methods))
        data = pd.DataFrame(rows).assign(task=np.repeat(np.arange(tasks), n))
        options["dataset"] = "task"
    elif kind == "folds":
        # Ten folds: the mean has the variance (1/10 + 1/9) s² instead of s²/10.
        rows = truth + rng.normal(size=(10, methods)) + rng.normal(size=methods) / 3.0
        data = pd.DataFrame(rows).assign(task="one")
        options |= {"dataset": "task", "test_train_ratio": 1 / 9}
    else:
        errors = kind if kind in ("families", "skewed", "unequal tasks") else "normal"
        table = table_of_methods(rng, methods, tasks, errors, truth)
        if kind == "ties":
            table = np.round(table)
        elif kind == "all signs":
            options["test"] = "signs"
        elif kind == "two metrics":
            other = table_of_methods(rng, methods, tasks, errors, truth)
            frames = {"first": table, "second": 0.6 * table + 0.8 * other}
            named = {name: pd.DataFrame(one).rename(columns=str) for name, one in frames.items()}
            both: Any = pyfsagg.standings(named, **options)
            held = np.array([_held(one, truth) for one in both.of])
            return (
                float(held[:, 0].min()),
                float(held[:, 1].max()),
                *map(float, held[:, 2:].mean(axis=0)),
            )
        if kind == "holes":
            table[rng.random(table.shape) < 0.15] = np.nan
        data = pd.DataFrame(table)
    result: Any = pyfsagg.standings(data.rename(columns=str), **options)
    return _held(result, truth)


def _held(result: Any, truth: np.ndarray) -> tuple[float, float, float, float]:
    """Whether all places are held and any equal pair is told apart, the share of unequal pairs that are, and
    the places of a set."""
    jointly, _, _ = sets_held(result.sets(), truth, 1)
    pairs = result.pairs()
    gap = np.abs(truth[pairs["method1"].astype(int)] - truth[pairs["method2"].astype(int)])
    apart, equal = pairs["apart"].to_numpy(), gap < 1e-12
    found = float(apart[~equal].mean()) if (~equal).any() else np.nan
    return jointly, float(apart[equal].any()), found, _places(result.sets())
