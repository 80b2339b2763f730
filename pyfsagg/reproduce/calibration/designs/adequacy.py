"""How much of a selection a repetition of a run replaces: what is expected, and what happens."""

from __future__ import annotations

import numpy as np

from pyfsagg.ensemble import wam
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import labelled_table
from pyfsagg.stability_measures import adequacy

N_ROWS, N_FEATURES, N_RESAMPLES = 100, 40, 100
OF_REPETITION = "a repetition of the run on the same data with another seed"


@calibrated(
    Claim("adequacy.expected_top_overlap", "bias", 0.0, (-0.03, 0.03), OF_REPETITION),
    Claim("share replaced that is expected", "reference", 0.0, of=OF_REPETITION),
    Claim("share replaced in truth", "reference", 0.0, of=OF_REPETITION),
    Claim("share replaced that a bootstrap expects", "reference", 0.0, of=OF_REPETITION),
    designs=[
        {"aggregator": aggregator, "signal": "noise"}
        for aggregator in ("arithmetic_mean", "minimum", "maximum")
    ],
    runs=30,
)
def repeated_runs(
    rng: np.random.Generator, aggregator: str, signal: str
) -> tuple[float, float, float, float]:
    """100 rows, 40 features, 100 bootstraps, chi-squared, the best 10: share of the selection that is
    replaced by a second run with another seed, of as many resamples as the statement is about (half as
    many for aggregators that one resample can decide)."""
    X, y = labelled_table(rng, signal, N_ROWS, N_FEATURES)

    def run(m: int):  # type: ignore[no-untyped-def]
        seed = int(rng.integers(2**31))
        return wam(
            X,
            y,
            filter="chi_squared",
            aggregator=aggregator,
            n_resamples=m,
            random_state=seed,
            checks="none",
        )

    result = run(N_RESAMPLES)
    found = adequacy(result, n_boot=20, random_state=0)
    naive = adequacy(result, by="bootstrap", n_boot=20, random_state=0)
    m = found.n_compared
    first, second = run(m), run(m)
    k = found.top
    kept = len(set(first.select(k)) & set(second.select(k))) / k
    expected = 1.0 - found.expected_top_overlap
    return expected - (1.0 - kept), expected, 1.0 - kept, 1.0 - naive.expected_top_overlap
