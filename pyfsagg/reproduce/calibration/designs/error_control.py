"""Limits on false selections: what happened beside what was promised."""

from __future__ import annotations

import numpy as np

from pyfsagg.ensemble import EnsembleResult, wam
from pyfsagg.ensemble.permuted_target import permute_target
from pyfsagg.error_control import ErrorControl, e_bh, mean_e_values, stability_e_values
from pyfsagg.reproduce.calibration._row import Claim, calibrated
from pyfsagg.reproduce.calibration.data import N_SIGNAL, labelled_table

OF_SAMPLES = "samples of the population: features unrelated to the target among the selected"
N_FEATURES = 60
N_HALVES = 60
FDR = 0.1
FILTERS = {"tied": "information_gain", "tie-free": "fit_criterion"}
DESIGNS = [
    {"signal": signal, "scores": scores, "correlation": correlation}
    for signal in ("noise", "graded", "strong")
    for scores, correlation in (("tie-free", 0.0), ("tie-free", 0.5), ("tied", 0.0))
]


def _bound(name: str, caution: str = "") -> Claim:
    return Claim(name, "bound", 1.0, (0.0, 1.0), of=OF_SAMPLES, caution=caution)


def _fdr(name: str, caution: str = "") -> Claim:
    return Claim(name, "level", FDR, (0.0, FDR), of=OF_SAMPLES, caution=caution)


def _run(rng: np.random.Generator, X: np.ndarray, y: np.ndarray, scores: str) -> EnsembleResult:
    return wam(
        X,
        y,
        filter=FILTERS[scores],
        resampling="complementary_pairs",
        n_resamples=N_HALVES,
        random_state=int(rng.integers(2**31)),
    )


def _false(support: np.ndarray, signal: str) -> int:
    """How many noise features are selected."""
    return int(support[0 if signal == "noise" else N_SIGNAL :].sum())


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
    """100 rows of two classes, 60 normal features, 30 complementary pairs: false selections divided by
    the bound, and their share among the selected at a false discovery rate of 0.1.  Tied: information
    gain with MDL cuts, which is exactly 0 for most features."""
    X, y = labelled_table(rng, signal, 100, N_FEATURES, correlation)
    result = _run(rng, X, y, scores)
    found = [
        result.error_control(max_false=1.0, assumption=each)
        for each in ("unimodal", "r-concave", "none")
    ]
    path = result.error_control(max_false=1.0, method="integrated_path")
    shares = [
        result.error_control(fdr=FDR),
        result.error_control(fdr=FDR, method="e_values", assumption="r-concave"),
    ]
    return (
        *(_ratio(each, signal) for each in found),
        float(_false(path.support, signal)),
        *(_share(each.support, signal) for each in shares),
    )


def _ratio(control: ErrorControl, signal: str) -> float:
    return _false(control.support, signal) / control.bound


UNEQUAL = (
    "noise features with more levels score higher by chance, so that they are not exchangeable; use a "
    "filter that corrects for levels, or p-values against shuffled targets (permute_target)"
)


@calibrated(
    _bound("error_control(unequal levels).bound", UNEQUAL),
    _fdr("error_control(unequal levels).q_values", UNEQUAL),
    designs=[{"share": 0.1}, {"share": 0.5}],
    runs=500,
)
def unequal_levels(rng: np.random.Generator, share: float) -> tuple[float, ...]:
    """100 rows of noise by chi-squared: a share of the 60 features has ten levels, the others two."""
    X, y = labelled_table(rng, "noise", 100, N_FEATURES)
    many = int(share * N_FEATURES)
    X[:, many:] = X[:, many:] > 0
    result = wam(
        X,
        y,
        filter="chi_squared",
        resampling="complementary_pairs",
        n_resamples=N_HALVES,
        random_state=int(rng.integers(2**31)),
    )
    bound = _ratio(result.error_control(max_false=1.0), "noise")
    return bound, _share(result.error_control(fdr=FDR).support, "noise")


@calibrated(
    _fdr("e_bh(mean_e_values)"),
    designs=[{"signal": "noise"}, {"signal": "strong"}],
    runs=300,
)
def joined_runs(rng: np.random.Generator, signal: str) -> tuple[float, ...]:
    """The mean of the e-values of three runs with seeds of their own, by e-BH at 0.1."""
    X, y = labelled_table(rng, signal, 100, N_FEATURES)
    runs = [
        stability_e_values(_run(rng, X, y, "tie-free").combined, FDR, assumption="r-concave")
        for _ in range(3)
    ]
    return (_share(e_bh(mean_e_values(runs), FDR), signal),)


@calibrated(
    Claim("permute_target.family_wise_p_values", "level", 0.05, (0.0, 0.065), of=OF_SAMPLES),
    Claim("permute_target.p_values", "level", 0.05, (0.0, 0.065), of=OF_SAMPLES),
    designs=[
        {"signal": "noise", "scores": "tie-free"},
        {"signal": "noise", "scores": "tied"},
        {"signal": "strong", "scores": "tie-free"},
    ],
    runs=400,
)
def shuffled_targets(rng: np.random.Generator, signal: str, scores: str) -> tuple[float, ...]:
    """60 rows, 20 features, 39 shuffled targets, 3 subsamples each: how often any noise feature has a
    family-wise p-value of at most 0.05, and the share of noise features with such a p-value."""
    X, y = labelled_table(rng, signal, 60, 20)
    found = permute_target(
        X,
        y,
        filter=FILTERS[scores],
        resampling="subsample",
        n_permutations=39,
        n_resamples=3,
        random_state=int(rng.integers(2**31)),
    )
    first = 0 if signal == "noise" else N_SIGNAL
    return (
        float((found.family_wise_p_values[first:] <= 0.05).any()),
        float((found.p_values[first:] <= 0.05).mean()),
    )
