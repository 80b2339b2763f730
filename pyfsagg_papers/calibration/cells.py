"""What the most stable number and threshold of a selection are worth, which nothing promises."""

from __future__ import annotations

import numpy as np

from pyfsagg.error_control import calibrate_selection, control_errors
from pyfsagg_papers.calibration.design import N_SIGNAL, Claim, calibrated, labelled_table
from pyfsagg_papers.calibration.selections import N_FEATURES, N_PAIRS, N_ROWS, _halves, _scores

OF_CELLS = "samples of the population; nothing is promised"


@calibrated(
    "calibrated_selection",
    Claim("calibrate_selection: false selections", "reference", 0.0, of=OF_CELLS),
    Claim(
        "calibrate_selection: bound of the cell (Meinshausen and Bühlmann)",
        "reference",
        0.0,
        of=OF_CELLS,
    ),
    Claim("calibrate_selection: share of the related features", "power", 0.0, of=OF_CELLS),
    Claim("error_control(max_false=1): false selections", "reference", 1.0, of=OF_CELLS),
    Claim("error_control(max_false=1): share of the related features", "power", 0.0, of=OF_CELLS),
    designs=[{"signal": "noise"}, {"signal": "graded"}, {"signal": "strong"}],
    runs=200,
)
def most_stable_cell(rng: np.random.Generator, signal: str) -> tuple[float, ...]:
    """100 rows, 60 features, 30 pairs of halves: selections of the most stable settings, and selections
    with a limit on false selections."""
    X, y = labelled_table(rng, signal, N_ROWS, N_FEATURES)
    halves = _scores(X, y, _halves(rng, y, N_PAIRS), False)
    found = calibrate_selection(halves)
    chosen = np.array([int(name[1:]) for name in found.selected], dtype=int)
    related = 0 if signal == "noise" else N_SIGNAL
    right = float((chosen < related).sum())
    limited = np.flatnonzero(control_errors(halves, max_false=1.0).support)
    shares = [
        right / related if related else float("nan"),
        float((limited < related).sum()) / related if related else float("nan"),
    ]
    bound = float(found.to_frame()["bound"].iloc[0])
    return len(chosen) - right, bound, shares[0], float((limited >= related).sum()), shares[1]
