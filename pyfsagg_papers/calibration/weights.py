"""Designs on rows with weights of several meanings: what noise reaches, what is found, and merged rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pyfsagg.ensemble import permute_target
from pyfsagg.error_control import TargetPermutation
from pyfsagg.resampling import Bootstrap, Plan
from pyfsagg_papers.calibration.design import ALPHA, Claim, calibrated
from pyfsagg_papers.calibration.shuffles import FDR, OF_POPULATION, OF_RELATED

N_SAMPLES, N_FEATURES = 60, 15
SHUFFLES = 99
DISTANCE = 1.3  # of the classes, in standard deviations, where a feature is related to them


def _weights(rng: np.random.Generator, kind: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Whole numbers, a weight for each row."""
    if kind == "1 to 3 at random":
        return rng.integers(1, 4, len(y))
    large, where = {
        "4 for a class of 20 %": (4, y == 1),
        "9 for a class of 10 %": (9, y == 1),
        "of a feature, 4 or 1": (4, X[:, 0] > 0.84),
    }[kind]
    return np.where(where, large, 1)


def _classes(kind: str) -> np.ndarray:
    """Two classes, of which one has as large a share as the name of the weights says."""
    step = 5 if "20 %" in kind else 10 if "10 %" in kind else 2
    return np.asarray(np.arange(N_SAMPLES) % step == 0, dtype=int)


def _tested(
    rng: np.random.Generator, X: np.ndarray, y: np.ndarray, plan: Plan, filters: str
) -> TargetPermutation:
    by: dict[str, Any] = {} if filters == "default" else {"filter": filters}
    seed = int(rng.integers(2**31))
    return permute_target(X, y, shuffles=SHUFFLES, random_state=seed, resampling=plan, **by)


@calibrated(
    "weights",
    Claim("weights: selection (any feature above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("weights: permutation.p_values", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim(
        "weights: error_control(fdr=0.1) (any selected)", "level", FDR, (0.0, 0.12), OF_POPULATION
    ),
    designs=[
        {"weights": weights, "filters": filters}
        for weights, filters in (
            ("1 to 3 at random", "default"),
            ("4 for a class of 20 %", "default"),
            ("9 for a class of 10 %", "chi_squared"),
        )
    ],
    runs=600,
)  # fmt: skip
def weighted_noise(rng: np.random.Generator, weights: str, filters: str) -> tuple[float, ...]:
    """60 rows with weights, 15 features unrelated to target and weights, 99 shuffled targets: how often any
    feature is above noise, the share of p-values of at most 0.05, and how often a limit of 0.1 on the
    false discovery rate selects any. Weights are random, or those of a rare class, by which it counts as
    much as the other."""
    X, y = rng.standard_normal((N_SAMPLES, N_FEATURES)), _classes(weights)
    plan = Bootstrap(sample_weight=_weights(rng, weights, X, y))
    found = _tested(rng, X, y, plan, filters)
    return (
        float(found.above.any()),
        float((found.p_values <= ALPHA).mean()),
        float(found.limited("fdr", FDR).support.any()),
    )


@calibrated(
    "weights",
    Claim("weights of a feature: selection (any above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("weights of a feature: p_values of the others", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("weights of a feature: its own p_value", "level", ALPHA, (0.0, 0.075), OF_POPULATION),
    designs=[
        {"weights": weights}
        for weights in ("of a feature, 4 or 1",)
    ],
    runs=600,
)  # fmt: skip
def weights_of_a_feature(rng: np.random.Generator, weights: str) -> tuple[float, ...]:
    """The same where weights depend on one of the 15 features, by chi-squared: how
    often any feature is above noise, and the share of p-values of at most 0.05 of the other features and of
    that one. It is unrelated to the target, but not to target and weight together, as the shuffles
    suppose."""
    X, y = rng.standard_normal((N_SAMPLES, N_FEATURES)), _classes(weights)
    plan = Bootstrap(sample_weight=_weights(rng, weights, X, y))
    found = _tested(rng, X, y, plan, "chi_squared")
    low = found.p_values <= ALPHA
    return float(found.above.any()), float(low[1:].mean()), float(low[0])


@calibrated(
    "weights",
    Claim("weights: selection (related features above noise)", "power", 1.0, of=OF_RELATED),
    Claim("no weights, the same rows (related features above noise)", "power", 1.0, of=OF_RELATED),
    Claim("weights: selection (any unrelated above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("weights: error_control(fdr=0.1) (share unrelated)", "level", FDR, (0.0, 0.12), OF_POPULATION),
    designs=[
        {"weights": weights}
        for weights in ("1 to 3 at random", "4 for a class of 20 %")
    ],
    runs=300,
)  # fmt: skip
def weights_beside_signal(rng: np.random.Generator, weights: str) -> tuple[float, ...]:
    """The same with 4 of 15 features related to the class, by chi-squared: share of them above noise, with
    and without the weights; how often any unrelated feature is; share of unrelated ones under a limit of
    0.1. Weights that carry no information lose power, as a weighted sample is worth fewer rows."""
    X, y = rng.standard_normal((N_SAMPLES, N_FEATURES)), _classes(weights)
    related = np.arange(N_FEATURES) >= N_FEATURES - 4
    X[:, related] += DISTANCE * y[:, np.newaxis]
    plan = Bootstrap(sample_weight=_weights(rng, weights, X, y))
    found, plain = (_tested(rng, X, y, each, "chi_squared") for each in (plan, Bootstrap()))
    chosen = found.limited("fdr", FDR).support
    return (
        float(found.above[related].mean()),
        float(plain.above[related].mean()),
        float(found.above[~related].any()),
        float((chosen & ~related).sum()) / max(1, int(chosen.sum())),
    )


@calibrated(
    "weights",
    Claim(
        "counts: p_values minus those of the table with all rows", "bias", 0.0, (-1e-9, 1e-9),
        "the same samples",
    ),
    runs=20,
)  # fmt: skip
def counts_of_merged_rows(rng: np.random.Generator) -> tuple[float]:
    """200 rows of four binary columns, and the table in which equal rows are written once, with their number
    as `counts`: the largest difference between the p-values of a feature."""
    values = rng.integers(0, 2, (200, 5))
    merged = pd.DataFrame(values).value_counts().reset_index()
    counts, cells = merged.pop("count").to_numpy(), merged.to_numpy()
    seed = int(rng.integers(2**31))
    how: dict[str, Any] = {"filter": "chi_squared", "shuffles": SHUFFLES, "random_state": seed}
    whole = permute_target(values[:, :4].astype(bool), values[:, 4], **how)
    plan = Bootstrap(counts=counts)
    once = permute_target(cells[:, :4].astype(bool), cells[:, 4], resampling=plan, **how)
    return (float(np.abs(whole.p_values - once.p_values).max()),)
