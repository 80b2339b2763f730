"""Designs on tables whose columns differ in their levels: the order of the features, and noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pyfsagg import Checks, bam, wam
from pyfsagg.ensemble import permute_target
from pyfsagg.ensemble.scoring import USUAL_FILTERS
from pyfsagg.filters import cox_score
from pyfsagg_papers.calibration.design import ALPHA, Claim, calibrated
from pyfsagg_papers.calibration.shuffles import survival_times

OF_RELATED = "the related features"
PLAIN = {"wam": "none", "bam": "per_resample"}


def mixed_table(
    rng: np.random.Generator, table: str
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Columns of unlike levels, two classes, and which columns are related to these."""
    n, shift, tilt = {"150 rows": (150, 0.6, 0.55), "300 rows": (300, 0.45, 0.45)}.get(
        table, (1000, 0.22, 0.3)
    )
    y: np.ndarray = rng.integers(0, 2, n)
    columns: dict[str, Any] = {}
    related: list[bool] = []

    def nominal(n_levels: int, number: int, n_related: int) -> None:
        for j in range(number):
            usual = rng.dirichlet(np.full(n_levels, 3.0))
            other = usual * np.exp(tilt * rng.standard_normal(n_levels) * (j < n_related))
            codes = np.where(
                y == 1,
                rng.choice(n_levels, n, p=other / other.sum()),
                rng.choice(n_levels, n, p=usual),
            )
            columns[f"l{n_levels}_{j}"] = codes.astype(str)
            related.append(j < n_related)

    if table == "two binary among numbers":
        nominal(2, 2, 1)
    else:
        nominal(2, 20, 3)
        nominal(6, 5, 1)
        nominal(12, 6, 2)
        nominal(40, 4, 1)
    for j in range(15):
        columns[f"x{j}"] = rng.standard_normal(n) + shift * y * (j < 3)
        related.append(j < 3)
    return pd.DataFrame(columns), y, np.array(related)


def _precision(scores: np.ndarray, related: np.ndarray) -> float:
    """Average precision: the share of related features among the best k, over the places k of the related."""
    order = np.argsort(-scores, kind="stable")
    shares = np.cumsum(related[order]) / np.arange(1, len(order) + 1)
    return float(shares[related[order]].mean())


@calibrated(
    "unlike",
    Claim("average precision against noise (the default)", "power", 1.0, of=OF_RELATED),
    Claim("average precision of scores as they are", "power", 1.0, of=OF_RELATED),
    Claim("average precision of one plain test for each column", "reference", 1.0, of=OF_RELATED),
    designs=[
        {"table": table, "filter": filter, "plan": plan}
        for table, filter, plan in (
            ("300 rows", "default", "bootstrap"),
            ("150 rows", "default", "bootstrap"),
            ("1000 rows", "default", "bootstrap"),
            ("two binary among numbers", "default", "bootstrap"),
            ("300 rows", "default", "subsample"),
            ("300 rows", "information_gain", "bootstrap"),
            ("300 rows", "symmetric_uncertainty", "bootstrap"),
            ("300 rows", "chi_squared", "bootstrap"),
            ("300 rows", "mrmr", "bootstrap"),
            ("300 rows", "jmi", "bootstrap"),
        )
    ],
    runs=100,
)
def order_of_unlike_columns(
    rng: np.random.Generator, table: str, filter: str, plan: str
) -> tuple[float, ...]:
    """Ten of 50 columns are related to two classes (of 20 with two levels, 5 with six, 6 with twelve, 4
    with forty and 15 numbers: 3, 1, 2, 1 and 3), or 4 of 17 (one of two binary ones, 3 of 15 numbers);
    100 resamples. Plain tests are chi-squared, and Mann and Whitney's for numbers."""
    X, y, related = mixed_table(rng, table)
    seed = int(rng.integers(2**31))
    method: Any = bam if filter == "default" else wam
    by = {"filters": USUAL_FILTERS} if filter == "default" else {"filter": filter}
    options = {**by, "resampling": plan, "n_resamples": 100, "checks": "none", "random_state": seed}
    plain = PLAIN[method.__name__]
    p_values = [
        stats.mannwhitneyu(X[name][y == 0], X[name][y == 1])[1]
        if X[name].dtype.kind == "f"
        else stats.chi2_contingency(pd.crosstab(X[name], y), correction=False)[1]
        for name in X
    ]
    return (
        _precision(method(X, y, **options).scores, related),
        _precision(method(X, y, normalize=plain, **options).scores, related),
        _precision(-np.array(p_values), related),
    )


@calibrated(
    "unlike",
    Claim(
        "between_sample_stability (nogueira, noise of unlike columns)",
        "bias",
        0.0,
        (-0.05, 0.05),
        of="noise",
    ),
    Claim(
        "between_sample_stability.lower above 0 (noise of unlike columns)",
        "level",
        0.025,
        (0.0, 0.04),
        of="noise",
    ),
    Claim("nogueira of noise, scores as they are", "reference", 0.0, of="noise"),
    designs=[{"filter": filter} for filter in ("default", "chi_squared", "information_gain")],
    runs=200,
)
def halves_of_unlike_noise(rng: np.random.Generator, filter: str) -> tuple[float, ...]:
    """20 binary columns and 6 of twelve levels, 120 rows, unrelated to two classes: agreement of 20 pairs
    of halves on 6 features, and how often its interval is above 0."""
    columns = [rng.integers(0, 2, (120, 20)), rng.integers(0, 12, (120, 6))]
    X = pd.DataFrame(np.hstack(columns)).add_prefix("x").astype("category")
    y = rng.integers(0, 2, 120)
    method: Any = bam if filter == "default" else wam
    by = {"filters": USUAL_FILTERS} if filter == "default" else {"filter": filter}
    options = {
        **by,
        "n_resamples": 20,
        "checks": Checks(pairs=20, shuffles=0),
        "random_state": int(rng.integers(2**31)),
    }
    plain_scores = {"normalize": PLAIN[method.__name__]}
    runs = (method(X, y, **options, **how) for how in ({}, plain_scores))
    found, plain = (
        run.between_sample_stability(run.selection(6)).estimates.loc["nogueira"] for run in runs
    )
    return float(found["estimate"]), float(found["lower"] > 0.0), float(plain["estimate"])


SHAPES = {"uniform": 4, "normal": 4, "skewed": 8, "very skewed": 24}
"""Numbers by their shape, and how many columns: the last ones are log-normal with deviations 1 and 2."""


@calibrated(
    "unlike",
    *(
        Claim(f"permutation.p_values ({shape} numbers)", "level", ALPHA, (0.0, 0.065), of="noise")
        for shape in SHAPES
    ),
    Claim("selection (any above noise, unlike numbers)", "level", ALPHA, (0.0, 0.065), of="noise"),
    Claim("error_control(fdr=0.1) (any, unlike numbers)", "level", 0.1, (0.0, 0.12), of="noise"),
    designs=[{"filter": filter} for filter in ("chi_squared", "default", "mrmr")],
    runs=600,
)
def noise_of_unlike_numbers(rng: np.random.Generator, filter: str) -> tuple[float, ...]:
    """120 rows, two classes and 40 unrelated columns of numbers, 199 shuffled targets: 4 uniform, 4 normal, 8
    log-normal and 24 log-normal with twice the deviation. Share of p-values of at most 0.05 by shape, and how
    often any feature is above noise, or selected by a limit of 0.1 on the false discovery rate."""
    z = rng.standard_normal((120, sum(SHAPES.values())))
    parts = np.split(z, np.cumsum(list(SHAPES.values()))[:-1], axis=1)
    X = np.hstack([stats.norm.cdf(parts[0]), parts[1], np.exp(parts[2]), np.exp(2.0 * parts[3])])
    by: dict[str, Any] = {} if filter == "default" else {"filter": filter}
    seed = int(rng.integers(2**31))
    found = permute_target(X, np.arange(120) % 2, shuffles=199, random_state=seed, **by)
    of_shape = np.repeat(list(SHAPES), list(SHAPES.values()))
    return (
        *(float((found.p_values[of_shape == shape] <= ALPHA).mean()) for shape in SHAPES),
        float(found.above.any()),
        float(found.limited("fdr", 0.1).support.any()),
    )


PLACED = {"uniform": 4, "normal": 4, "very skewed": 24, "binary": 8}
"""Columns by their shape, beside each other in one table."""


@calibrated(
    "unlike",
    *(
        Claim(f"mean place of noise, as a share of all places ({shape})", "reference", 0.5, of="noise")
        for shape in PLACED
    ),
    designs=[{"filter": filter} for filter in ("chi_squared", "mrmr", "default")],
    runs=100,
)  # fmt: skip
def places_of_unlike_noise(rng: np.random.Generator, filter: str) -> tuple[float, ...]:
    """120 rows, two classes and 40 unrelated columns: 4 uniform, 4 normal and 24 log-normal numbers (with
    deviation 2) and 8 words of two levels, 30 resamples, scores against noise. Mean place by shape; 0.5: no
    shape is preferred."""
    z = rng.standard_normal((120, 32))
    numbers = np.hstack([stats.norm.cdf(z[:, :4]), z[:, 4:8], np.exp(2.0 * z[:, 8:])])
    X = pd.DataFrame(numbers).add_prefix("x")
    X = X.assign(**{f"b{j}": rng.integers(0, 2, 120).astype(str) for j in range(PLACED["binary"])})
    y, seed = np.arange(120) % 2, int(rng.integers(2**31))
    how: dict[str, Any] = {"n_resamples": 30, "checks": "none", "random_state": seed}
    run = bam(X, y, **how) if filter == "default" else wam(X, y, filter=filter, **how)
    places = (stats.rankdata(-run.scores) - 0.5) / X.shape[1]
    of_shape = np.repeat(list(PLACED), list(PLACED.values()))
    return tuple(float(places[of_shape == shape].mean()) for shape in PLACED)


def table_with_order(
    rng: np.random.Generator, table: str
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, str]:
    """Columns of which six of 40 are related to a number or to survival times, and the task."""
    n = 100
    X = rng.standard_normal((n, 40))
    signal = 0.35 * X[:, :6].sum(axis=1)
    if table == "up and down":
        signal = 0.6 * (X[:, :3] ** 2).sum(axis=1) + 0.35 * X[:, 3:6].sum(axis=1)
    y = signal + rng.standard_normal(n)
    related = np.arange(40) < 6
    if table == "skewed, whole numbers":
        X, y = np.floor(np.exp(X)), np.exp(1.5 * y)
    if table == "a cell in five is missing":
        X = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    if table == "survival":
        y = survival_times(rng, signal)
    return (
        pd.DataFrame(X).add_prefix("x"),
        y,
        related,
        "survival" if table == "survival" else "regression",
    )


@calibrated(
    "usual_filters",
    Claim("average precision, the usual filters", "power", 1.0, of=OF_RELATED),
    Claim("average precision, the four filters for classes", "power", 1.0, of=OF_RELATED),
    Claim("average precision, spearman alone", "power", 1.0, of=OF_RELATED),
    Claim("average precision, one plain test a column", "power", 1.0, of=OF_RELATED),
    designs=[
        {"table": table}
        for table in (
            "lines", "up and down", "skewed, whole numbers", "a cell in five is missing", "survival"
        )
    ],
    runs=100,
)  # fmt: skip
def order_by_usual_filters(rng: np.random.Generator, table: str) -> tuple[float, ...]:
    """A numeric target or survival times, 100 rows, 50 resamples: average precision of six related columns
    of 40. The plain test is Spearman's correlation of the complete rows, and Cox's score test for
    survival."""
    X, y, related, task = table_with_order(rng, table)
    how: dict[str, Any] = {
        "task": task,
        "checks": "none",
        "n_resamples": 50,
        "random_state": int(rng.integers(2**31)),
    }
    if task == "survival":
        plain = np.asarray(cox_score(X, y))
    else:
        plain = np.array([abs(stats.spearmanr(X[one], y, nan_policy="omit")[0]) for one in X])
    return (
        _precision(bam(X, y, **how).scores, related),
        _precision(bam(X, y, filters=USUAL_FILTERS, **how).scores, related),
        _precision(wam(X, y, filter="spearman", **how).scores, related),
        _precision(plain, related),
    )
