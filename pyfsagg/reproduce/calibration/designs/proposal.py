"""How many features are proposed where none, or only some, are related to the target."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pyfsagg._run.beside import Checks
from pyfsagg.ensemble import EnsembleResult, bam, wam
from pyfsagg.ensemble.bam import DEFAULT_FILTERS
from pyfsagg.reproduce.calibration._row import ALPHA, Claim, calibrated

N_ROWS, N_FEATURES, N_RELATED = 80, 12, 3
DISTANCE = 1.5
"""Of the class means of a related feature, in standard deviations."""

OF_POPULATION = "features unrelated to the target in the population"
WHAT = "EnsembleResult.selection"


def _table(rng: np.random.Generator, table: str, related: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Two classes; the first `related` features differ between them."""
    rare = table == "one row in five"
    y = (np.arange(N_ROWS) % 5 == 0) if rare else np.arange(N_ROWS) % 2 == 0
    X = rng.standard_normal((N_ROWS, N_FEATURES))
    if table == "correlated":
        X = np.sqrt(0.5) * (X + rng.standard_normal((N_ROWS, 1)))
    X[:, :related] += DISTANCE * y[:, np.newaxis]
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(N_FEATURES)])
    if table == "many levels":
        for j in range(N_FEATURES - 4, N_FEATURES):
            levels = rng.integers(0, (3, 8, 20, 40)[j - N_FEATURES + 4], N_ROWS)
            frame[f"x{j}"] = pd.Categorical(levels.astype(str))
    return frame, y.astype(int)


def _run(
    rng: np.random.Generator,
    table: str,
    filters: str,
    related: int,
    resamples: int,
    aggregator: str = "arithmetic_mean",
) -> EnsembleResult:
    X, y = _table(rng, table, related)
    seed = int(rng.integers(2**31))
    if filters == "all four":
        return bam(
            X, y, filters=DEFAULT_FILTERS, n_resamples=resamples, aggregator=aggregator,
            checks=Checks(pairs=0), random_state=seed,
        )  # fmt: skip
    return wam(
        X,
        y,
        filter=filters,
        n_resamples=resamples,
        aggregator=aggregator,
        checks=Checks(pairs=0),
        random_state=seed,
    )


@calibrated(
    Claim(f"{WHAT} (any feature proposed)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    designs=[
        *(
            {"table": table, "filters": filters, "resamples": 6}
            for filters, table in (
                ("all four", "normal"),
                ("all four", "many levels"),
                ("all four", "correlated"),
                ("all four", "one row in five"),
                ("information_gain", "normal"),
                ("information_gain", "many levels"),
                ("chi_squared", "many levels"),
                ("chi_squared", "one row in five"),
                ("mrmr", "correlated"),
            )
        ),
        {"table": "normal", "filters": "all four", "resamples": 6, "aggregator": "rra"},
        {"table": "normal", "filters": "spearman", "resamples": 500},
    ],
    runs=150,
)
def nothing_to_find(
    rng: np.random.Generator,
    table: str,
    filters: str,
    resamples: int,
    aggregator: str = "arithmetic_mean",
) -> tuple[float, ...]:
    """80 rows of two classes, 12 features without any relation to them, 19 shuffled targets: how often any
    feature is proposed. Many levels: four of the features are nominal with 3, 8, 20 and 40 levels.
    Correlated: any two features by 0.5. One row in five: the smaller class."""
    found = _run(rng, table, filters, 0, resamples, aggregator)
    return (float(found.selection().number > 0),)


@calibrated(
    Claim(
        f"{WHAT} (any unrelated feature above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION
    ),
    Claim(f"{WHAT} (any unrelated feature proposed)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim(f"{WHAT} (any unrelated feature firm)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim(f"{WHAT} (related features above noise)", "power", 1.0, of="the related features"),
    Claim(f"{WHAT} (related features proposed)", "power", 1.0, of="the related features"),
    designs=[
        *(
            {"table": table, "filters": filters, "resamples": 6}
            for filters, table in (
                ("all four", "normal"),
                ("all four", "many levels"),
                ("all four", "correlated"),
                ("all four", "one row in five"),
                ("information_gain", "normal"),
                ("chi_squared", "many levels"),
                ("mrmr", "normal"),
            )
        ),
        {"table": "normal", "filters": "all four", "resamples": 6, "aggregator": "rra"},
        {"table": "normal", "filters": "spearman", "resamples": 500},
    ],
    runs=150,
)
def something_to_find(
    rng: np.random.Generator,
    table: str,
    filters: str,
    resamples: int,
    aggregator: str = "arithmetic_mean",
) -> tuple[float, ...]:
    """The same tables, but the class means of three of the 12 features are 1.5 standard deviations apart: how
    often any of the nine others is above noise, proposed, or firm, and the share of the three that is above
    noise, and that is proposed."""
    found = _run(rng, table, filters, N_RELATED, resamples, aggregator)
    frame = found.selection().frame
    related = frame.index.isin([f"x{j}" for j in range(N_RELATED)])
    above, chosen = frame["status"] != "noise", frame["selected"]
    return (
        float(above[~related].any()),
        float(chosen[~related].any()),
        float((frame["status"] == "firm")[~related].any()),
        float(above[related].mean()),
        float(chosen[related].mean()),
    )
