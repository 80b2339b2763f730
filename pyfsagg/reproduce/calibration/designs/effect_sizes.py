"""Intervals of effect sizes: how often they hold the value in the population."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.special import ndtr

from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.statistics import (
    friedman,
    one_way_anova,
    rank_biserial_paired,
    rank_biserial_unpaired,
    rm_anova,
)
from pyfsagg.statistics.effect_sizes import variance_share

OF_SUBJECTS = "the population from which the subjects were drawn independently"
MANY = 20_000
"""Subjects of the one large sample that stands for the population."""
FEW = "with few subjects or a large effect it holds the population value less often than it says"


def _coverage(name: str) -> Claim:
    return Claim(name, "coverage", 0.95, (0.93, 1.0), of=OF_SUBJECTS, caution=FEW)


def _held(limits: tuple[float, float], truth: float) -> float:
    low, high = limits
    return np.nan if np.isnan(low) else float(low <= truth <= high)


@calibrated(
    _coverage("rank_biserial_paired.interval"),
    _coverage("rank_biserial_unpaired.interval"),
    designs=[{"n": n, "shift": shift} for n in (6, 12, 30) for shift in (0.0, 0.5, 2.0)],
    runs=2000,
)
def shifted_normals(rng: np.random.Generator, n: int, shift: float) -> tuple[float, ...]:
    """Normal differences with a mean of so many standard deviations, and two normal groups of n values
    that far apart: how often the interval of the rank-biserial correlation holds that of the
    population."""
    differences, other = rng.standard_normal((2, n))
    paired = rank_biserial_paired(differences + shift)
    unpaired = rank_biserial_unpaired(differences + shift, other)
    return (
        _held((paired.lower, paired.upper), 2.0 * ndtr(np.sqrt(2.0) * shift) - 1.0),
        _held((unpaired.lower, unpaired.upper), 2.0 * ndtr(shift / np.sqrt(2.0)) - 1.0),
    )


@calibrated(
    _coverage("one_way_anova.eta_squared_interval"),
    designs=[{"n": n, "effect": effect} for n in (6, 20) for effect in (0.0, 0.3, 1.0)],
    runs=2000,
)
def groups_apart(rng: np.random.Generator, n: int, effect: float) -> tuple[float, ...]:
    """Four groups of n normal values whose means spread by `effect` standard deviations."""
    means = effect * np.array([-1.0, -1.0, 1.0, 1.0])
    groups = {name: rng.standard_normal(n) + mean for name, mean in zip("abcd", means, strict=True)}
    truth = variance_share(4 * n * effect**2, 3, 4 * n - 4)
    return (_held(one_way_anova(groups).eta_squared_interval, truth),)


def _measured(rng: np.random.Generator, n: int, effect: float) -> np.ndarray:
    means = effect * np.array([0.0, 0.5, 1.0, 1.5])
    return rng.standard_normal((n, 1)) + rng.standard_normal((n, 4)) + means


@cache
def _in_population(effect: float) -> tuple[float, float, float]:
    values = _measured(np.random.default_rng(1), MANY, effect)
    anova = rm_anova(values)
    return (
        anova.generalized_eta_squared,
        anova.partial_eta_squared,
        friedman(values).kendall_w,
    )


@calibrated(
    _coverage("rm_anova.generalized_eta_squared_interval"),
    _coverage("rm_anova.partial_eta_squared_interval"),
    _coverage("friedman.kendall_w_interval"),
    designs=[{"n": n, "effect": effect} for n in (12, 40) for effect in (0.3, 1.0)],
    runs=600,
)
def conditions_apart(rng: np.random.Generator, n: int, effect: float) -> tuple[float, ...]:
    """Four conditions on n subjects, with means 0, 0.5, 1 and 1.5 times `effect`; the population is one
    sample of 20,000 subjects."""
    values = _measured(rng, n, effect)
    anova = rm_anova(values)
    limits = (
        anova.generalized_eta_squared_interval,
        anova.partial_eta_squared_interval,
        friedman(values).kendall_w_interval,
    )
    return tuple(map(_held, limits, _in_population(effect)))
