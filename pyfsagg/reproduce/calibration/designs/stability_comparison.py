"""Whether two collections of selections are equally stable: independent ones, and paired ones."""

from __future__ import annotations

import numpy as np

from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated, rejected
from pyfsagg.reproduce.calibration.data import N_RESAMPLED, N_SELECTED, seen_by_filter
from pyfsagg.stability_measures import nogueira
from pyfsagg.stability_measures.nogueira import NogueiraResult

OF = "what resamples drawn in the same way would give: the run repeated with another seed"
SIGNALS = ("noise", "graded", "strong")


@calibrated(
    Claim("nogueira.compare", "level", ALPHA, (0.0, 0.065), of=OF),
    Claim("nogueira.compare (paired)", "level", ALPHA, (0.0, 0.065), of=OF),
    designs=[
        {"M": m, "signal": signal, "filter": filter}
        for m in (3, 5, 10, 30, 100)
        for signal in SIGNALS
        for filter in ("tie-free", "tied")
    ],
    runs=300,
)
def equally_stable(rng: np.random.Generator, M: int, signal: str, filter: str) -> tuple[float, ...]:
    """Two filters that are equally stable: on resamples of their own, and on the same resamples,
    where half of the variance of the scores is common to both."""

    def seen(noise: np.ndarray) -> NogueiraResult:
        return nogueira(seen_by_filter(noise, signal, filter), top=N_SELECTED, input="scores")

    common, one, other, apart = (rng.standard_normal((M, N_RESAMPLED)) for _ in range(4))
    first, second = (seen(np.sqrt(0.5) * (common + own)) for own in (one, other))
    return (
        rejected(first.compare(seen(apart)).p_value),
        rejected(first.compare(second, paired=True).p_value),
    )
