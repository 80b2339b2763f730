"""Intervals of the stability measures, over independent resamples."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from pyfsagg.exceptions import DataError
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import N_SELECTED, resampled_scores
from pyfsagg.stability_measures import UndefinedStabilityError, stability

OF = "what resamples drawn in the same way would give: the run repeated with another seed"
SIGNALS = ("noise", "graded", "strong")
WIDE = (0.93, 1.0)
"""Few resamples that nearly agree have wider intervals than 95 % needs; their label says so."""


MEASURES = ("jaccard", "phi", "somol", "pearson", "spearman", "canberra", "asd")
PAIRWISE = ("jaccard", "phi", "pearson", "spearman", "canberra")
NARROW = (
    "the table notes it: their intervals rest on the spread of the resamples alone, which is too small "
    "where these nearly agree, or where the union of many random subsets is all features"
)


@lru_cache
def _true_value(measure: str, signal: str, filter: str, m: int) -> float:
    """Of an average over pairs, from many rows; of another one, over collections of m rows."""
    rng = np.random.default_rng(0)

    def value(rows: int) -> float:
        scores = resampled_scores(rng, rows, signal, filter)
        try:
            return stability(scores, measure, top=N_SELECTED, input="scores", random_state=0).value
        except UndefinedStabilityError:  # fewer than two rows that vary
            return np.nan

    if measure in PAIRWISE:
        return value(1500)
    return float(np.nanmean([value(m) for _ in range(400)]))


def _covered(
    rng: np.random.Generator, names: tuple[str, ...], m: int, signal: str, filter: str, method: str
) -> tuple[float, ...]:
    scores = resampled_scores(rng, m, signal, filter)
    hits = []
    for name in names:
        truth = _true_value(name, signal, filter, 0 if name in PAIRWISE else m)
        options: dict[str, Any] = {"interval": method, "n_boot": 300, "random_state": rng}
        try:
            limits = stability(scores, name, top=N_SELECTED, input="scores", **options).interval
        except DataError:  # refused
            limits = None
        hits.append(np.nan if limits is None else float(limits[0] <= truth <= limits[1]))
    return tuple(hits)


@calibrated(
    *(
        Claim(f"stability({name}, interval=jackknife)", "coverage", 0.95, WIDE, of=OF)
        for name in MEASURES
    ),
    designs=[
        {"M": m, "signal": signal, "filter": filter}
        for m in (5, 10, 30)
        for signal in SIGNALS
        for filter in ("tie-free", "tied")
    ],
    runs=100,
)
def jackknife(rng: np.random.Generator, M: int, signal: str, filter: str) -> tuple[float, ...]:
    """Independent resamples of scores of 50 features, ten selected: whether the jackknife interval
    of each measure holds its true value. It is refused where most features have one score in few
    resamples."""
    return _covered(rng, MEASURES, M, signal, filter, "jackknife")


@calibrated(
    *(
        Claim(f"stability({name}, interval=jackknife)", "coverage", 0.95, WIDE, OF, NARROW)
        for name in ("davis", "novovicova")
    ),
    designs=[{"M": m, "signal": signal} for m in (5, 10, 30) for signal in SIGNALS],
    runs=100,
)
def whole_collections(rng: np.random.Generator, M: int, signal: str) -> tuple[float, ...]:
    """As above, without ties, for the two measures that rest on the frequencies of single features."""
    return _covered(rng, ("davis", "novovicova"), M, signal, "tie-free", "jackknife")


@calibrated(
    *(
        Claim(f"stability({name}, interval=bootstrap)", "coverage", 0.95, WIDE, of=OF)
        for name in ("phi", "somol", "spearman")
    ),
    designs=[{"M": m, "signal": signal} for m in (5, 10, 30) for signal in SIGNALS],
    runs=100,
)
def bootstrap(rng: np.random.Generator, M: int, signal: str) -> tuple[float, ...]:
    """As above, without ties: whether the bootstrap interval holds the true value."""
    return _covered(rng, ("phi", "somol", "spearman"), M, signal, "tie-free", "bootstrap")


@calibrated(
    Claim("stability(nogueira, interval=analytic)", "coverage", 0.95, (0.9, 1.0), of=OF),
    designs=[{"M": m, "signal": signal} for m in (30, 100) for signal in SIGNALS],
    runs=100,
)
def analytic(rng: np.random.Generator, M: int, signal: str) -> tuple[float, ...]:
    """As above, without ties: the published normal interval, refused below 30 resamples."""
    return _covered(rng, ("nogueira",), M, signal, "tie-free", "analytic")
