"""Limits on false selections: what happened beside what was promised."""

from __future__ import annotations

import numpy as np

from pyfsagg.error_control import (
    control_errors,
    e_bh,
    mean_e_values,
    stability_e_values,
    step_down_max_t,
)
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import N_SIGNAL, labelled_table

OF_SAMPLES = "samples of the population: features unrelated to the target among the selected"
N_ROWS, N_FEATURES, N_PAIRS = 100, 60, 30
FDR = 0.1
TIED = 4.0
"""Chi-squared below which a tied filter says 0."""
DESIGNS = [
    {"signal": signal, "scores": scores, "correlation": correlation}
    for signal in ("noise", "graded", "strong")
    for scores, correlation in (("tie-free", 0.0), ("tie-free", 0.5), ("tied", 0.0))
]


def _bound(name: str, caution: str = "") -> Claim:
    return Claim(name, "bound", 1.0, (0.0, 1.0), of=OF_SAMPLES, caution=caution)


def _fdr(name: str, caution: str = "") -> Claim:
    return Claim(name, "level", FDR, (0.0, FDR), of=OF_SAMPLES, caution=caution)


def _halves(rng: np.random.Generator, y: np.ndarray, n_pairs: int) -> np.ndarray:
    """Weights (2 n_pairs, n) of the halves of complementary pairs, class by class."""
    weights = np.zeros((2 * n_pairs, y.size))
    for first in range(0, 2 * n_pairs, 2):
        for label in (0, 1):
            rows = rng.permutation(np.flatnonzero(y == label))
            middle = rows.size // 2
            weights[first, rows[:middle]] = 1.0
            weights[first + 1, rows[middle : 2 * middle]] = 1.0
    return weights


def _scores(X: np.ndarray, y: np.ndarray, weights: np.ndarray, tied: bool) -> np.ndarray:
    """Squared correlation with the class in each half, times its rows; a tied filter has zeros."""
    size = weights.sum(axis=1, keepdims=True)
    mean, label = weights @ X / size, weights @ y[:, np.newaxis] / size
    product = weights @ (X * y[:, np.newaxis]) / size - mean * label
    spread = (weights @ X**2 / size - mean**2) * (label - label**2)
    found = size * product**2 / np.maximum(spread, 1e-12)
    return np.where(found >= TIED, found, 0.0) if tied else found


def _false(support: np.ndarray, signal: str) -> float:
    """How many noise features are selected."""
    return float(support[0 if signal == "noise" else N_SIGNAL :].sum())


def _share(support: np.ndarray, signal: str) -> float:
    return _false(support, signal) / max(1, int(support.sum()))


@calibrated(
    _bound("error_control(max_false=1).bound"),
    _bound("error_control(assumption='r-concave').bound"),
    _bound("error_control(assumption='none').bound"),
    _bound("error_control(method='integrated_path').path_expected_false"),
    _fdr("error_control(fdr=0.1).q_values"),
    _fdr("error_control(method='e_values').e_values"),
    designs=DESIGNS,
    runs=1000,
)
def false_selections(
    rng: np.random.Generator, signal: str, scores: str, correlation: float
) -> tuple[float, ...]:
    """100 rows of two classes, 60 normal features, 30 complementary pairs, squared correlation: false
    selections divided by the bound, and their share among the selected at a false discovery rate of
    0.1.  Tied: a score below 4 rows of a chi-squared statistic is exactly 0."""
    X, y = labelled_table(rng, signal, N_ROWS, N_FEATURES, correlation)
    halves = _scores(X, y, _halves(rng, y, N_PAIRS), scores == "tied")
    found = [
        control_errors(halves, max_false=1.0, assumption=each)
        for each in ("unimodal", "r-concave", "none")
    ]
    path = found[0]
    e_values = stability_e_values(halves, FDR, assumption="r-concave")
    return (
        *(_false(each.support, signal) / each.bound for each in found),
        _false(path.path_expected_false <= 1.0, signal),
        _share(path.q_values <= FDR, signal),
        _share(e_bh(e_values, FDR), signal),
    )


UNEQUAL = (
    "Noise features that the filter favours (here: those with ten levels over those with two) are "
    "not exchangeable with the others, and the bound does not hold; use a filter that treats all alike, "
    "or p-values against shuffled targets (permute_target)."
)


@calibrated(
    _bound("error_control(unequal features).bound", UNEQUAL),
    _fdr("error_control(unequal features).q_values", UNEQUAL),
    designs=[{"share": 0.1}, {"share": 0.5}],
    runs=400,
)
def unequal_features(rng: np.random.Generator, share: float) -> tuple[float, ...]:
    """100 rows of noise: a share of the 60 features has the sum of nine scores, as chi-squared of a
    feature with ten levels has nine degrees of freedom, and the others have one."""
    many = int(share * N_FEATURES)
    X, y = labelled_table(rng, "noise", N_ROWS, N_FEATURES + 8 * many)
    halves = _scores(X, y, _halves(rng, y, N_PAIRS), False)
    sums = halves[:, : 9 * many].reshape(-1, many, 9).sum(axis=2)
    found = control_errors(np.hstack([sums, halves[:, 9 * many :]]), max_false=1.0)
    return _false(found.support, "noise") / found.bound, _share(found.q_values <= FDR, "noise")


@calibrated(
    _fdr("e_bh(mean_e_values)"),
    designs=[{"signal": "noise"}, {"signal": "strong"}],
    runs=400,
)
def joined_runs(rng: np.random.Generator, signal: str) -> tuple[float, ...]:
    """The mean of the e-values of three draws of 30 pairs from the same rows, by e-BH at 0.1."""
    X, y = labelled_table(rng, signal, N_ROWS, N_FEATURES)
    runs = [
        stability_e_values(
            _scores(X, y, _halves(rng, y, N_PAIRS), False), FDR, assumption="r-concave"
        )
        for _ in range(3)
    ]
    return (_share(e_bh(mean_e_values(runs), FDR), signal),)


@calibrated(
    Claim("step_down_max_t.family_wise", "level", 0.05, (0.0, 0.065), of=OF_SAMPLES),
    Claim("step_down_max_t.p_values", "level", 0.05, (0.0, 0.065), of=OF_SAMPLES),
    designs=[
        {"signal": signal, "scores": scores, "correlation": correlation}
        for signal, scores, correlation in (
            ("noise", "tie-free", 0.0),
            ("noise", "tie-free", 0.5),
            ("noise", "tied", 0.0),
            ("strong", "tie-free", 0.0),
        )
    ],
    runs=1000,
)
def shuffled_targets(
    rng: np.random.Generator, signal: str, scores: str, correlation: float
) -> tuple[float, ...]:
    """60 rows, 20 features, the mean score of two pairs of halves, 39 shuffled targets: how often any
    noise feature has a family-wise p-value of at most 0.05, and the share with such a p-value."""
    X, y = labelled_table(rng, signal, 60, 20, correlation)
    weights = _halves(rng, np.zeros_like(y), 2)  # of rows, whatever their label
    targets = [y, *(rng.permutation(y) for _ in range(39))]
    means = np.stack([_scores(X, each, weights, scores == "tied").mean(axis=0) for each in targets])
    p_values, family_wise = step_down_max_t(means[0], means[1:])
    noise = slice(0 if signal == "noise" else N_SIGNAL, None)
    return (
        float((family_wise[noise] <= 0.05).any()),
        float((p_values[noise] <= 0.05).mean()),
    )
