"""Verdicts on printed values: limits of their own kind, and values of other data sets."""

from __future__ import annotations

import numpy as np

from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.tables.comparison import prediction_limits
from pyfsagg.reproduce.tables.evidence import likelihood_ratio

OF_DRAWS = "further draws of the same experiment on the same data (splits, folds, trials)"
N_OTHERS = 9
CALLED = 10.0


@calibrated(
    Claim("reproduce.table(inside)", "coverage", 0.95, (0.93, 0.97), of=OF_DRAWS),
    Claim("reproduce.evidence(ratio of 10) of another cell", "level", 0.1, (0.0, 0.1), of=OF_DRAWS),
    Claim("reproduce.evidence(ratio of 10) of its own cell", "power", 0.0, of=OF_DRAWS),
    Claim("share of other values inside", "reference", 0.0, of=OF_DRAWS),
    designs=[
        {"repetitions": repetitions, "behind": behind, "between": between}
        for repetitions, behind in ((3, 1), (10, 1), (40, 40))
        for between in (0.0, 1.0, 10.0)
    ],
    runs=20_000,
)
def printed_values(
    rng: np.random.Generator, repetitions: int, behind: int, between: float
) -> tuple[float, ...]:
    """Ten cells of a table with normal draws; their means differ by `between` standard deviations.

    A printed value is the mean of `behind` draws, ours are single draws.  One printed value is judged
    by the limits of its own cell, and by those of another one.
    """
    centres = between * rng.standard_normal(N_OTHERS + 1)
    printed = centres + rng.standard_normal(N_OTHERS + 1) / np.sqrt(behind)
    draws = centres[0] + rng.standard_normal(repetitions)
    own = (repetitions, float(draws.mean()), float(draws.std(ddof=1)))
    lower, upper = prediction_limits(own, behind, 0.0)
    held = (printed >= lower) & (printed <= upper)
    # The value of another cell, taken for that of the first one; its own is then among the others.
    others = np.concatenate([printed[:1], printed[2:]])
    mistaken = likelihood_ratio(float(printed[1]), others, own, behind, 0.0)
    right = likelihood_ratio(float(printed[0]), printed[1:], own, behind, 0.0)
    return (
        float(held[0]),
        float(mistaken >= CALLED),
        float(right >= CALLED),
        float(held[1:].mean()),
    )
