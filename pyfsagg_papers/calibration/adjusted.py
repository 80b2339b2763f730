"""Designs on tables that are adjusted for batch, centre or age: what is above noise before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pyfsagg import Task
from pyfsagg.ensemble import permute_target
from pyfsagg_papers.calibration.design import ALPHA, Claim, calibrated
from pyfsagg_papers.calibration.shuffles import FDR, SHUFFLES, _of

N_ROWS, N_FEATURES, N_RELATED = 150, 24, 4
"""Rows and features; the first few are related to the target, and half of the others follow the batch."""

OF_WITHIN = "features unrelated to the target given the adjusters"
OF_FOLLOWERS = "unrelated features that are correlated with the batch, centre or age"
OF_RELATED = "features related to the target within batches, centres or ages"

SHARES = {
    "two batches": (0.5, 0.5),
    "strata of 70, 20, 7 and 3 %": (0.7, 0.2, 0.07, 0.03),
    "age and batch": (0.6, 0.4),
    "survival by age and centre": (0.5, 0.3, 0.2),
}


def confounded(rng: np.random.Generator, table: str) -> tuple[pd.DataFrame, np.ndarray, Task]:
    """A table in which batch, centre or age shifts half of the features and goes with the target."""
    n, followers = N_ROWS, slice(N_RELATED, (N_FEATURES + N_RELATED) // 2)
    shares = SHARES.get(table, (1.0,))
    batch = rng.choice(len(shares), n, p=shares)
    age = rng.standard_normal(n)
    by_age, by_batch = "age" in table, len(shares) > 1
    known = by_age * age + by_batch * (batch - batch.mean()) / max(batch.std(), 1e-9)
    X = rng.standard_normal((n, N_FEATURES))
    if table == "skewed features by age":
        X = np.exp(X) - np.exp(0.5)
    X[:, followers] += known[:, np.newaxis]
    X[:, :2] += 0.5 * known[:, np.newaxis]
    signal = X[:, :N_RELATED].sum(axis=1) - known
    latent = 0.8 * signal + 1.2 * known + rng.logistic(size=n)
    y: np.ndarray = (latent > np.median(latent)).astype(int)
    task = "classification"
    if table == "a number by age":
        y, task = latent, "regression"
    elif table.startswith("survival"):
        times = rng.exponential(size=n) * np.exp(-0.45 * signal - 0.6 * known)
        censored = rng.exponential(size=n) * 2.0
        y, task = np.column_stack([np.minimum(times, censored), times <= censored]), "survival"
    frame = pd.DataFrame(X).add_prefix("x")
    if by_age:
        frame["age"] = age
    if by_batch:
        frame["batch"] = pd.Series(batch).map(lambda code: f"b{code}")
    return frame, y, Task(task, adjust=frame.columns[N_FEATURES:].tolist())


@calibrated(
    "adjusted",
    Claim("without adjust (followers above noise)", "reference", 0.0, of=OF_FOLLOWERS),
    Claim("adjust: selection (any unrelated above noise)", "level", ALPHA, (0.0, 0.07), OF_WITHIN),
    Claim("adjust: permutation.p_values (followers)", "level", ALPHA, (0.0, 0.065), OF_FOLLOWERS),
    Claim("adjust: error_control(fdr=0.1) (share unrelated)", "level", FDR, (0.0, 0.12), OF_WITHIN),
    Claim("adjust: selection (related features above noise)", "power", 1.0, of=OF_RELATED),
    designs=[
        {"table": table, "filter": filter}
        for table, filter in (
            ("two batches", "anova_f"),
            ("two batches", "auc"),
            ("two batches", "chi_squared"),
            ("strata of 70, 20, 7 and 3 %", "anova_f"),
            ("strata of 70, 20, 7 and 3 %", "kruskal_wallis"),
            ("classes by age", "anova_f"),
            ("classes by age", "spearman"),
            ("skewed features by age", "welch_t"),
            ("age and batch", "anova_f"),
            ("a number by age", "pearson"),
            ("survival by age and centre", "cox_score"),
        )
    ],
    runs=150,
)
def batch_or_age(rng: np.random.Generator, table: str, filter: str) -> tuple[float, ...]:
    """150 rows, 24 features, 199 shuffled targets. Batch, centre or age is related to the target and
    shifts ten features that are unrelated within it, and, less, two of four related ones: features
    above noise before and after adjustment."""
    X, y, task = confounded(rng, table)
    how: dict[str, Any] = {"filter": filter, "shuffles": SHUFFLES}
    how["random_state"] = int(rng.integers(2**31))
    before = permute_target(X.drop(columns=list(task.adjust or ())), y, task=task.task, **how)
    after = permute_target(X, y, task=task, **how)
    related = np.arange(N_FEATURES) < N_RELATED
    followers = slice(N_RELATED, (N_FEATURES + N_RELATED) // 2)
    return (
        float(before.above[followers].mean()),
        float(after.above[~related].any()),
        float((after.p_values[followers] <= ALPHA).mean()),
        _of(after.limited("fdr", FDR).support, related)[1],
        float(after.above[related].mean()),
    )


@calibrated(
    "adjusted",
    Claim("without adjust (features above noise)", "reference", 0.0, of="features"),
    Claim("adjust: selection (features above noise)", "reference", 0.0, of="features"),
    designs=[{"place": "on the path"}, {"place": "a common result"}],
    runs=150,
)
def column_between(rng: np.random.Generator, place: str) -> tuple[float, ...]:
    """150 rows, 24 normal features. Four of them affect a column that affects the target (a mediator), or
    affect a column together with a target unrelated to them (a collider): share of the four above noise
    before and after adjustment for that column."""
    X = rng.standard_normal((N_ROWS, N_FEATURES))
    cause = 0.6 * X[:, :N_RELATED].sum(axis=1)
    if place == "on the path":
        between = cause + rng.standard_normal(N_ROWS)
        y = between + rng.standard_normal(N_ROWS)
    else:
        y = rng.standard_normal(N_ROWS)
        between = cause + y + 0.5 * rng.standard_normal(N_ROWS)
    frame = pd.DataFrame(X).add_prefix("x").assign(between=between)
    how: dict[str, Any] = {"filter": "pearson", "shuffles": SHUFFLES}
    how["random_state"] = int(rng.integers(2**31))
    before = permute_target(frame.drop(columns="between"), y, task="regression", **how)
    after = permute_target(frame, y, task=Task("regression", adjust=["between"]), **how)
    return float(before.above[:N_RELATED].mean()), float(after.above[:N_RELATED].mean())


@calibrated(
    "always",
    Claim("without always (followers above noise)", "reference", 0.0, of="followers of the marker"),
    Claim(
        "always: selection (any feature above noise)", "level", ALPHA, (0.0, 0.07), of="features"
    ),
    Claim("always: permutation.p_values (followers)", "level", ALPHA, (0.0, 0.065), of="followers"),
    Claim("always: selection (the related feature above noise)", "power", 1.0, of="the feature"),
    designs=[{"filter": "cmim"}, {"filter": "mrmr"}],
    runs=300,
)
def beside_a_marker(rng: np.random.Generator, filter: str) -> tuple[float, ...]:
    """150 rows, 199 shuffled targets; a marker of three levels related to the target, and 12 features of
    three levels, four of them correlated with the marker. With the marker always included: how often
    any feature is above noise if the target depends on the marker alone, and how often a feature is
    that the target also depends on. Without it: the share of the four above noise."""
    marker = rng.integers(0, 3, N_ROWS)
    X = rng.integers(0, 3, (N_ROWS, 12))
    X[:, 1:5] = np.where(rng.random((N_ROWS, 4)) < 0.6, marker[:, np.newaxis], X[:, 1:5])
    frame = pd.DataFrame(X).add_prefix("x").assign(marker=pd.Series(marker).map("m{}".format))
    noise = rng.logistic(size=N_ROWS)
    how: dict[str, Any] = {"filter": filter, "shuffles": SHUFFLES}
    how["random_state"] = int(rng.integers(2**31))
    latent = marker + noise
    y = (latent > np.median(latent)).astype(int)
    before = permute_target(frame.drop(columns="marker"), y, **how)
    after = permute_target(frame, y, task=Task(always=["marker"]), **how)
    latent = latent + X[:, 0]
    related = (latent > np.median(latent)).astype(int)
    found = permute_target(frame, related, task=Task(always=["marker"]), **how)
    return (
        float(before.above[1:5].mean()),
        float(after.above.any()),
        float((after.p_values[1:5] <= ALPHA).mean()),
        float(found.above[0]),
    )
