"""Designs on what a run selects: its repetition, groups of columns, error control, the proposal."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pyfsagg import Checks, Task
from pyfsagg.ensemble import wam
from pyfsagg.error_control import (
    control_errors,
)
from pyfsagg.error_control.permutation import step_down_max_t
from pyfsagg.stability_measures import adequacy
from pyfsagg_papers.calibration.design import N_SIGNAL, Claim, calibrated, labelled_table

# -------------------------------------------------------------------------------------------------
# how much of a selection a repetition of a run replaces: what is expected, and what happens
# -------------------------------------------------------------------------------------------------

RUN_ROWS, RUN_FEATURES, N_RESAMPLES = 100, 40, 100
OF_REPETITION = "the run repeated with another seed"


@calibrated(
    "adequacy",
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
    """100 rows, 40 features, 100 bootstraps, chi-squared, the best 10: share of the selection that a
    second run with another seed replaces (with half as many resamples for aggregators that one resample
    can decide)."""
    X, y = labelled_table(rng, signal, RUN_ROWS, RUN_FEATURES)

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
    k = found.n_features_to_select
    kept = len(set(first.select(k)) & set(second.select(k))) / k
    expected = 1.0 - found.expected_top_overlap
    return expected - (1.0 - kept), expected, 1.0 - kept, 1.0 - naive.expected_top_overlap


# -------------------------------------------------------------------------------------------------
# groups of columns without any relation to the target: are large ones selected before small ones?
# -------------------------------------------------------------------------------------------------

GROUPED_ROWS, N_GROUPS, N_SELECTED = 80, 20, 5
NO_PREFERENCE = 0.5
OF_NOISE = "features unrelated to the target; 0.5: no preference"


def _large_among_selected(
    X: pd.DataFrame, groups: dict[str, list[str]], filter: str, score: str, seed: int
) -> float:
    """Share of the selected groups that are called large; NaN if all scores are equal."""
    result = wam(
        X,
        np.arange(len(X)) % 2,
        filter=filter,
        n_resamples=10,
        checks=Checks(pairs=0),
        task=Task(feature_groups=groups, group_score=score),
        random_state=seed,
    )
    if np.ptp(result.scores) == 0.0:
        return float("nan")
    return float(np.mean([name.startswith("large") for name in result.select(N_SELECTED)]))


def _layers(rng: np.random.Generator, sizes: tuple[int, int]) -> dict[str, np.ndarray]:
    """Normal noise for each of twenty groups, half of them of each size, in random order."""
    names = [f"{what} {j}" for what in ("small", "large") for j in range(N_GROUPS // 2)]
    columns = {"small": sizes[0], "large": sizes[1]}
    return {
        names[j]: rng.standard_normal((GROUPED_ROWS, columns[names[j].split()[0]]))
        for j in rng.permutation(N_GROUPS)
    }


def _share_of_layers(
    rng: np.random.Generator, sizes: tuple[int, int], filter: str, score: str
) -> float:
    cells = _layers(rng, sizes)
    groups = {name: [f"{name}: {k}" for k in range(own.shape[1])] for name, own in cells.items()}
    labels = [column for own in groups.values() for column in own]
    X = pd.DataFrame(np.hstack(list(cells.values())), columns=labels)
    return _large_among_selected(X, groups, filter, score, int(rng.integers(2**31)))


@calibrated(
    "column_groups",
    Claim("Task(feature_groups): large groups among the selected", "reference", NO_PREFERENCE,
          of=OF_NOISE),
    designs=[
        {"group_score": score, "columns": columns, "filter": filter}
        for score in ("max", "mean")
        for filter in ("spearman", "chi_squared")
        for columns in (2, 10)
    ],
    runs=100,
)  # fmt: skip
def unequal_layers(
    rng: np.random.Generator, group_score: str, columns: int, filter: str
) -> tuple[float, ...]:
    """80 rows of noise: ten groups of one column and ten of `columns` columns, five of which are selected
    by 10 bootstraps: share of large groups among them."""
    return (_share_of_layers(rng, (1, columns), filter, group_score),)


@calibrated(
    "column_groups",
    Claim("Task(feature_groups): groups of equal size", "bias", 0.0, (-0.06, 0.06),
          "the probability that a group is selected"),
    designs=[
        {"group_score": score, "columns": 5, "filter": "spearman"} for score in ("max", "mean")
    ],
    runs=200,
)  # fmt: skip
def equal_layers(
    rng: np.random.Generator, group_score: str, columns: int, filter: str
) -> tuple[float, ...]:
    """As above with twenty groups of equal size, ten of which are called large: their share among the
    selected, minus one half."""
    return (_share_of_layers(rng, (columns, columns), filter, group_score) - NO_PREFERENCE,)


@calibrated(
    "column_groups",
    Claim("Task(feature_groups): large one-hot blocks among the selected", "reference", NO_PREFERENCE,
          of=OF_NOISE),
    designs=[
        {"filter": filter, "group_score": score}
        for filter in ("information_gain", "symmetric_uncertainty", "chi_squared", "cramers_v")
        for score in ("auto", "max")
    ],
    runs=100,
)  # fmt: skip
def unequal_blocks(rng: np.random.Generator, filter: str, group_score: str) -> tuple[float, ...]:
    """80 rows of nominal noise, one-hot encoded: ten variables of two levels and ten of eight, five of
    which are selected by 10 bootstraps: share of those with eight levels. Joint scores ("auto") equal
    those of the nominal columns."""
    blocks = {}
    for j in rng.permutation(N_GROUPS):
        large = j >= N_GROUPS // 2
        levels = rng.integers(0, 8 if large else 2, GROUPED_ROWS)
        name = f"{'large' if large else 'small'} {j}"
        blocks[name] = pd.get_dummies(pd.Series(levels), prefix=name)
    groups = {name: list(map(str, block)) for name, block in blocks.items()}
    X = pd.concat(list(blocks.values()), axis=1)
    return (_large_among_selected(X, groups, filter, group_score, int(rng.integers(2**31))),)


# -------------------------------------------------------------------------------------------------
# limits on false selections: what happened beside what was promised
# -------------------------------------------------------------------------------------------------

OF_SAMPLES = "unrelated features among the selected, in samples of the population"
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
    "error_control",
    _bound("error_control(max_false=1).bound"),
    _bound("error_control(assumption='r-concave').bound"),
    _bound("error_control(assumption='none').bound"),
    _bound("error_control(method='integrated_path').path_expected_false"),
    _fdr("error_control(method='integrated_path').q_values"),
    designs=DESIGNS,
    runs=1000,
)
def false_selections(
    rng: np.random.Generator, signal: str, scores: str, correlation: float
) -> tuple[float, ...]:
    """100 rows of two classes, 60 normal features, 30 complementary pairs, squared correlation: false
    selections divided by the bound, and their share among the selected at a false discovery rate of
    0.1. Tied: small scores are exactly 0."""
    X, y = labelled_table(rng, signal, N_ROWS, N_FEATURES, correlation)
    halves = _scores(X, y, _halves(rng, y, N_PAIRS), scores == "tied")
    found = [
        control_errors(halves, max_false=1.0, assumption=each)
        for each in ("unimodal", "r-concave", "none")
    ]
    path = found[0]
    return (
        *(_false(each.support, signal) / each.bound for each in found),
        _false(path.path_expected_false <= 1.0, signal),
        _share(path.q_values <= FDR, signal),
    )


UNEQUAL = (
    "noise features that the filter favours (here those with ten levels) are not exchangeable with the "
    "others, and the bound does not hold; use a filter that treats all alike, or permute_target"
)


@calibrated(
    "error_control",
    _bound("error_control(unequal features).bound", UNEQUAL),
    _fdr("error_control(unequal features).q_values", UNEQUAL),
    designs=[{"share": 0.1}, {"share": 0.5}],
    runs=400,
)
def unequal_features(rng: np.random.Generator, share: float) -> tuple[float, ...]:
    """100 rows of noise: a share of the 60 features has chi-squared scores with nine degrees of freedom,
    as with ten levels, and the others with one."""
    many = int(share * N_FEATURES)
    X, y = labelled_table(rng, "noise", N_ROWS, N_FEATURES + 8 * many)
    halves = _scores(X, y, _halves(rng, y, N_PAIRS), False)
    sums = halves[:, : 9 * many].reshape(-1, many, 9).sum(axis=2)
    found = control_errors(np.hstack([sums, halves[:, 9 * many :]]), max_false=1.0)
    return _false(found.support, "noise") / found.bound, _share(found.q_values <= FDR, "noise")


@calibrated(
    "error_control",
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
    noise feature has a family-wise p-value of at most 0.05, and the share of p-values of at most 0.05."""
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
