"""Simulations of tables of methods by tasks: rank sets whose errors come from the table itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyfsagg.statistics import RankConfidence, rank_confidence
from pyfsagg_papers.calibration.design import Claim, calibrated
from pyfsagg_papers.calibration.statistics import JOINTLY, SINGLY, sets_held

OF_TASKS = "the means over the population of tasks"
SKEWED = (
    "Both random signs and Student's limits suppose errors that are not strongly skewed; of exponential ones "
    "fewer sets hold if methods are many."
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
    """A table of methods by tasks whose methods are equal, or spread over a range with groups of equal ones;
    their errors have unequal variances and are normal, shared by families of methods, of another size in
    each task, or exponential. How often all sets hold the true ranks, the share of single sets that do,
    and how many places a single set has, beside that of Student's limits by Holm for the same table."""
    truth = np.round(2.0 * np.linspace(spread, 0.0, methods)) / 2.0
    table = table_of_methods(rng, methods, tasks, errors, truth)
    found = rank_confidence(table)
    covariance: Any = np.cov(table.T) / tasks
    holm = rank_confidence(table.mean(axis=0), covariance, df=tasks - 1)
    jointly, singly, _ = sets_held(found, truth, 5)
    return jointly, singly, _places(found), _places(holm)
