"""Designs on tests: subjects, folds, effect sizes, and sets of ranks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from pyfsagg import Checks
from pyfsagg.ensemble import wam
from pyfsagg.evaluation.comparison import divisions_of
from pyfsagg.ranks import rank_scores
from pyfsagg.score_tables.question import StandingsOptions
from pyfsagg.statistics import (
    RankConfidence,
    friedman,
    nemenyi,
    one_way_anova,
    pairwise_tests,
    rank_biserial_paired,
    rank_biserial_unpaired,
    rank_confidence,
    rm_anova,
    sphericity_test,
    wilcoxon,
)
from pyfsagg.statistics.effect_sizes import variance_share
from pyfsagg_papers.calibration.design import ALPHA, SIGNALS, Claim, calibrated, labelled_table

# -------------------------------------------------------------------------------------------------
# intervals of effect sizes: how often they hold the value in the population
# -------------------------------------------------------------------------------------------------

OF_SUBJECTS = "the population of the independent subjects"
MANY = 20_000
"""Subjects of the one large sample that stands for the population."""
FEW = "with few subjects or a large effect, coverage is below the nominal level"


def _coverage(name: str) -> Claim:
    return Claim(name, "coverage", 0.95, (0.93, 1.0), of=OF_SUBJECTS, caution=FEW)


def _held(limits: tuple[float, float], truth: float) -> float:
    low, high = limits
    return np.nan if np.isnan(low) else float(low <= truth <= high)


@calibrated(
    "effect_sizes",
    _coverage("rank_biserial_paired.interval"),
    _coverage("rank_biserial_unpaired.interval"),
    designs=[{"n": n, "shift": shift} for n in (6, 12, 30) for shift in (0.0, 0.5, 2.0)],
    runs=2000,
)
def shifted_normals(rng: np.random.Generator, n: int, shift: float) -> tuple[float, ...]:
    """Normal differences with a mean of `shift` standard deviations, and two normal groups of n values
    that far apart: coverage of the interval of the rank-biserial correlation."""
    differences, other = rng.standard_normal((2, n))
    paired = rank_biserial_paired(differences + shift)
    unpaired = rank_biserial_unpaired(differences + shift, other)
    return (
        _held((paired.lower, paired.upper), 2.0 * ndtr(np.sqrt(2.0) * shift) - 1.0),
        _held((unpaired.lower, unpaired.upper), 2.0 * ndtr(shift / np.sqrt(2.0)) - 1.0),
    )


@calibrated(
    "effect_sizes",
    _coverage("one_way_anova.eta_squared_interval"),
    designs=[{"n": n, "effect": effect} for n in (6, 20) for effect in (0.0, 0.3, 1.0)],
    runs=2000,
)
def groups_apart(rng: np.random.Generator, n: int, effect: float) -> tuple[float, ...]:
    """Four groups of n normal values whose means differ by `effect` standard deviations."""
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
    "effect_sizes",
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


# -------------------------------------------------------------------------------------------------
# comparisons of methods of equal worth on the folds of one table
# -------------------------------------------------------------------------------------------------

METHODS = 4
WIDTH = 6
"""Features among which a method chooses."""
KEPT = 2
OF_TABLES = "the methods on other tables of this size from the same population"


def _table(rng: np.random.Generator, n: int, signal: float) -> tuple[np.ndarray, np.ndarray]:
    """Two classes; every method has features of its own, all with the same graded distances."""
    y = np.arange(n) % 2
    shift = np.tile(np.linspace(signal, 0.0, WIDTH), METHODS)
    return rng.standard_normal((n, METHODS * WIDTH)) + np.outer(y - 0.5, shift), y


def _fold_of(rng: np.random.Generator, y: np.ndarray, k: int) -> np.ndarray:
    """The fold of each row, stratified."""
    fold = np.empty(y.size, dtype=np.intp)
    dealt = np.concatenate([rng.permutation(np.flatnonzero(y == c)) for c in (0, 1)])
    fold[dealt] = np.arange(y.size) % k
    return fold


def _moments(X: np.ndarray, y: np.ndarray, fold: np.ndarray, k: int) -> tuple[np.ndarray, ...]:
    """Means of both classes and variances of the training rows of each fold, (k, p) each."""
    outside = (fold[None, :] != np.arange(k)[:, None]).astype(float)
    means = [
        (outside * (y == c)) @ X / (outside * (y == c)).sum(axis=1, keepdims=True) for c in (0, 1)
    ]
    count = outside.sum(axis=1, keepdims=True)
    variance = outside @ X**2 / count - (outside @ X / count) ** 2
    return means[0], means[1], variance


def _chosen(scores: np.ndarray) -> np.ndarray:
    """The best features of every method, (…, p) of bool."""
    blocks = scores.reshape(*scores.shape[:-1], METHODS, WIDTH)
    limit = np.sort(blocks, axis=-1)[..., -KEPT, None]
    return (blocks >= limit).reshape(scores.shape)


def _accuracies(
    X: np.ndarray, y: np.ndarray, fold: np.ndarray, k: int, chosen: np.ndarray | None
) -> np.ndarray:
    """Accuracy of a linear classifier on each fold with the features of each method, (k, METHODS)."""
    low, high, variance = _moments(X, y, fold, k)
    if chosen is None:
        chosen = _chosen(np.abs(high - low) / np.sqrt(variance))
    weights = chosen * (high - low) / variance
    scores = weights[fold] * (X - (low + high)[fold] / 2.0)
    found = scores.reshape(y.size, METHODS, WIDTH).sum(axis=2) > 0.0
    hits = found == (y[:, None] == 1)
    return np.stack([hits[fold == i].mean(axis=0) for i in range(k)])


def _values(
    rng: np.random.Generator, n: int, folds: int, repeats: int, protocol: str, signal: float
) -> pd.DataFrame:
    X, y = _table(rng, n, signal)
    found = []
    for _ in range(repeats):
        chosen, rows = None, np.arange(n)
        if protocol == "thesis":
            tested = _fold_of(rng, y, 3) == 0
            low, high, variance = _moments(X, y, (~tested).astype(int), 1)
            rows = np.flatnonzero(tested)
            chosen = _chosen(np.abs(high - low) / np.sqrt(variance))[0]
        fold = _fold_of(rng, y[rows], folds)
        found.append(_accuracies(X[rows], y[rows], fold, folds, chosen))
    index = pd.MultiIndex.from_product([range(repeats), range(folds)], names=["repeat", "fold"])
    return pd.DataFrame(np.concatenate(found), index=index, columns=list("abcd"))


def _design(
    n: int, folds: int, repeats: int, protocol: str = "nested", signal: float = 0.4
) -> dict[str, Any]:
    return {
        "n": n,
        "folds": folds,
        "repeats": repeats,
        "protocol": protocol,
        "signal": signal,
    }


@calibrated(
    "folds",
    Claim("Evaluation.compare: corrected t (any pair)", "level", ALPHA, (0.0, 0.065), of=OF_TABLES),
    Claim("Evaluation.compare: interval (first pair)", "coverage", 0.95, (0.93, 1.0), of=OF_TABLES),
    Claim(
        "Evaluation.compare: P(above) of .95 (first pair)",
        "level",
        ALPHA,
        (0.0, 0.065),
        of=OF_TABLES,
    ),
    designs=[
        *(_design(n, folds, 1) for n in (100, 400) for folds in (5, 10)),
        *(_design(n, 10, 10) for n in (100, 400)),
        _design(100, 5, 10),
        _design(100, 10, 10, signal=0.0),
        _design(100, 10, 10, signal=1.5),
        *(_design(n, 5, repeats, "thesis") for n in (100, 400) for repeats in (3, 10)),
    ],
    runs=400,
)
def equal_methods(
    rng: np.random.Generator, n: int, folds: int, repeats: int, protocol: str, signal: float
) -> tuple[float, ...]:
    """Four equally good methods choose two of six features, each from a separate block, inside each
    training fold (nested) or on two thirds of the rows (thesis); a linear classifier is tested on the
    folds: how often a comparison finds a difference at 0.05, how often the interval of the first
    difference contains zero, and how often the posterior probability that it is positive exceeds 0.95."""
    values = _values(rng, n, folds, repeats, protocol, signal)
    divisions = divisions_of(
        values, protocol=protocol, n_folds=folds, n_repeats=repeats, test_size=1 / 3
    )
    asked = StandingsOptions(confidence_level=1.0 - ALPHA, rope=0.0)
    pairs = divisions.standings(asked, higher_is_better=True, what="accuracy").pairs()
    first = pairs[(pairs["method1"] == "a") & (pairs["method2"] == "b")].iloc[0]
    held = np.nan if np.isnan(first["lower"]) else float(first["lower"] <= 0.0 <= first["upper"])
    return (
        float((pairs["p_adjusted"] <= ALPHA).any()),
        held,
        float(first["p_above"] > 1.0 - ALPHA),
    )


@calibrated(
    "folds",
    Claim(
        "Evaluation.compare: corrected t (any pair)",
        "level",
        ALPHA,
        (0.0, 0.065),
        of="these rankings, with classifiers trained on other rows",
    ),
    designs=[{"n": n, "folds": folds} for n in (100, 400) for folds in (5, 10)],
    runs=400,
)
def equal_rankings(rng: np.random.Generator, n: int, folds: int) -> tuple[float, ...]:
    """Four equally good rankings, made once (thesis protocol without repeats) and tested on folds of the
    other rows: how often a comparison finds a difference at 0.05."""
    X, y = _table(rng, n, 0.8)
    fold = _fold_of(rng, y, folds)
    chosen = _chosen(np.tile(np.arange(WIDTH, 0.0, -1.0), METHODS))
    index = pd.MultiIndex.from_product([[0], range(folds)], names=["repeat", "fold"])
    values = pd.DataFrame(_accuracies(X, y, fold, folds, chosen), index=index, columns=list("abcd"))
    divisions = divisions_of(values, protocol="thesis", n_folds=folds, n_repeats=1, test_size=1 / 3)
    asked = StandingsOptions(confidence_level=1.0 - ALPHA)
    pairs = divisions.standings(asked, higher_is_better=True, what="accuracy").pairs()
    return (float((pairs["p_adjusted"] <= ALPHA).any()),)


# -------------------------------------------------------------------------------------------------
# confidence sets for ranks: of estimates with known errors, and of ensembles
# -------------------------------------------------------------------------------------------------

JOINTLY = (0.94, 1.0)
SINGLY = (0.93, 1.0)


def sets_held(found: RankConfidence, truth: np.ndarray, k: int) -> tuple[float, float, float]:
    """Whether all sets hold the true ranks, the share of single ones that do, and the true top k."""
    first = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    last = truth.size - (truth[None, :] < truth[:, None]).sum(axis=1)
    jointly = bool(((found.lower_all <= first) & (found.upper_all >= last)).all())
    singly = float(((found.lower <= first) & (found.upper >= last)).mean())
    best = {found.names[j] for j in np.flatnonzero(first <= k)}
    return float(jointly), singly, float(best <= set(found.top(k)))


@calibrated(
    "rank_sets",
    Claim("rank_confidence: all ranks", "coverage", 0.95, JOINTLY, of="the quantities estimated"),
    Claim("rank_confidence: one rank", "coverage", 0.95, SINGLY, of="the quantities estimated"),
    Claim("rank_confidence: top 5", "coverage", 0.95, JOINTLY, of="the quantities estimated"),
    designs=[
        {"p": p, "spread": spread, "correlation": correlation}
        for p in (8, 20)
        for spread in (0.0, 3.0)
        for correlation in (0.0, 0.7)
    ],
    runs=1500,
)
def normal_estimates(
    rng: np.random.Generator, p: int, spread: float, correlation: float
) -> tuple[float, ...]:
    """Estimates with normal errors of unequal size around true values that are all equal (spread 0) or
    spaced, some of them equal: coverage of all true ranks by the simultaneous sets and of single ranks
    by the marginal sets, and how often the named items include the top 5."""
    truth = np.round(spread * np.linspace(1.0, 0.0, p) ** 2, 1)
    errors = np.linspace(0.1, 0.4, p)
    covariance = np.outer(errors, errors) * (correlation + (1 - correlation) * np.eye(p))
    noise = rng.standard_normal((p,)) * np.sqrt(1 - correlation)
    noise += rng.standard_normal() * np.sqrt(correlation)
    estimates = truth + errors * noise
    draws: dict[str, Any] = {"n_draws": 500, "random_state": int(rng.integers(2**31))}
    if correlation:
        found = rank_confidence(estimates, covariance, **draws)
    else:
        found = rank_confidence(estimates, standard_errors=errors, **draws)
    return sets_held(found, truth, 5)


def _of_estimate(what: str, accept: tuple[float, float]) -> Claim:
    return Claim(
        f"rank_confidence(df): {what}", "coverage", 0.95, accept, of="the quantities estimated"
    )


@calibrated(
    "rank_sets",
    _of_estimate("all ranks", JOINTLY),
    _of_estimate("one rank", SINGLY),
    _of_estimate("top 5", JOINTLY),
    Claim(
        "rank_confidence without df: all ranks", "reference", 0.95, of="the quantities estimated"
    ),
    designs=[
        {"methods": methods, "tasks": tasks, "spread": spread}
        for methods, tasks in ((8, 10), (8, 30), (20, 10), (90, 10), (181, 41), (134, 500))
        for spread in (0.0, 2.0)
    ],
    runs=400,
)
def methods_on_tasks(
    rng: np.random.Generator, methods: int, tasks: int, spread: float
) -> tuple[float, ...]:
    """Methods with unequal variances on tasks with different effects, with the covariance of the means
    estimated from the same table (df = tasks - 1); all methods are equal, or a tenth of them is better:
    coverage as above, also with the covariance taken as known."""
    truth = np.zeros(methods)
    truth[: max(1, methods // 10)] = spread
    errors = np.exp(rng.normal(size=methods) * 0.3)
    table = truth + rng.normal(size=(tasks, methods)) * errors + rng.normal(size=(tasks, 1))
    means, covariance = table.mean(axis=0), np.cov(table.T) / tasks
    found = rank_confidence(means, covariance, df=tasks - 1)
    known = rank_confidence(means, covariance, n_draws=200)
    return *sets_held(found, truth, 5), sets_held(known, truth, 5)[0]


OF_FEATURES = "expected scores in samples of the size of a resample"


@calibrated(
    "rank_sets",
    Claim("EnsembleResult.rank_confidence: all ranks", "coverage", 0.95, JOINTLY, of=OF_FEATURES),
    Claim("EnsembleResult.rank_confidence: one rank", "coverage", 0.95, SINGLY, of=OF_FEATURES),
    Claim("EnsembleResult.rank_confidence: top 5", "coverage", 0.95, JOINTLY, of=OF_FEATURES),
    Claim("EnsembleResult: 95 % of ranks of resamples", "reference", 0.95, of=OF_FEATURES),
    designs=[
        {"signal": signal, "n": 100, "filter": filter, "plan": "bootstrap", "m": 50}
        for signal, filter in (
            ("noise", "spearman"),
            ("noise", "chi_squared"),
            ("graded", "spearman"),
            ("graded", "chi_squared"),
            ("graded", "information_gain"),
            ("strong", "chi_squared"),
        )
    ]
    + [
        {"signal": "graded", "n": 400, "filter": "spearman", "plan": "bootstrap", "m": 100},
        {"signal": "noise", "n": 100, "filter": "spearman", "plan": "subsample", "m": 100},
        {
            "signal": "graded",
            "n": 100,
            "filter": "spearman",
            "plan": "complementary_pairs",
            "m": 100,
        },
    ],
    runs=80,
)
def ranks_of_features(
    rng: np.random.Generator, signal: str, n: int, filter: str, plan: str, m: int
) -> tuple[float, ...]:
    """Thirty features, ten of them with graded or equal signals: coverage of the sets of a run as above,
    and the share of features whose true rank is within the central 95 % of its ranks in resamples."""
    p = 30
    X, y = labelled_table(rng, signal, n, p)
    truth = np.zeros(p)
    truth[: len(SIGNALS[signal])] = SIGNALS[signal]
    result = wam(
        X,
        y,
        filter=filter,
        resampling=plan,
        n_resamples=m,
        checks=Checks(shuffles=0),
        random_state=int(rng.integers(2**31)),
    )
    first = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    last = p - (truth[None, :] < truth[:, None]).sum(axis=1)
    low, high = np.quantile(rank_scores(result.combined), [0.025, 0.975], axis=0)
    percentiles = float(((low <= first) & (high >= last)).mean())
    return *sets_held(result.rank_confidence(), truth, 5), percentiles


@calibrated(
    "rank_sets",
    *(
        Claim(
            f"EnsembleResult.rank_confidence (levels): {what}",
            "coverage",
            0.95,
            accept,
            of=OF_FEATURES,
        )
        for what, accept in (("all ranks", JOINTLY), ("one rank", SINGLY), ("top 4", JOINTLY))
    ),
    designs=[
        {
            "filter": filter,
            "plan": plan,
            "n": n,
            "levels": levels,
            "gap": gap,
            "normalize": normalize,
        }
        for normalize in ("auto", "none")
        for filter, plan, n, levels, gap in (
            ("chi_squared", "bootstrap", 1000, 150, 0.42),
            ("chi_squared", "bootstrap", 1000, 100, 0.34),
            ("chi_squared", "bootstrap", 300, 40, 0.42),
            ("information_gain", "bootstrap", 1000, 100, 0.35),
            ("chi_squared", "subsample", 1000, 100, 0.34),
            ("chi_squared", "complementary_pairs", 1000, 100, 0.34),
        )
    ],
    runs=100,
)
def features_of_unequal_levels(
    rng: np.random.Generator,
    filter: str,
    plan: str,
    n: int,
    levels: int,
    gap: float,
    normalize: str,
) -> tuple[float, ...]:
    """Four binary features related to two classes (probabilities that differ by the gap) and four noise
    features of many levels. Compared with noise, the default, the binary features rank first. Raw
    scores (none) refer to samples of the size of a resample, where the binary features rank first after
    a bootstrap, and last after subsamples and halves."""
    y = np.repeat([0, 1], n // 2)
    binary = rng.random((n, 4)) < 0.5 + gap * (y[:, None] - 0.5)
    codes = np.hstack([binary, rng.integers(0, levels, (n, 4))])
    result = wam(
        pd.DataFrame(codes).add_prefix("x").astype("category"),
        y,
        filter=filter,
        normalize=normalize,
        resampling=plan,
        n_resamples=50,
        checks=Checks(pairs=0, shuffles=0),
        random_state=int(rng.integers(2**31)),
    )
    truth = np.repeat([0.0, 1.0] if normalize == "none" and plan != "bootstrap" else [1.0, 0.0], 4)
    return sets_held(result.rank_confidence(), truth, 4)


# -------------------------------------------------------------------------------------------------
# tests of conditions measured on independent subjects (or data sets), under the null
# -------------------------------------------------------------------------------------------------


def _level(name: str, caution: str = "") -> Claim:
    return Claim(name, "level", ALPHA, (0.0, 0.065), of=OF_SUBJECTS, caution=caution)


def _measurements(rng: np.random.Generator, n: int, k: int, shape: str) -> np.ndarray:
    """Measurements of n subjects under k conditions whose means are equal."""
    effect = rng.standard_normal((n, 1))
    noise = rng.standard_normal((n, k))
    if shape == "skewed":
        noise = np.log(rng.random((n, k)))
    elif shape == "growing variances":
        noise *= np.linspace(0.3, 3.0, k)
    values = effect + noise
    return np.round(values) if shape == "ties" else values


@calibrated(
    "subjects",
    _level("friedman.p_value"),
    _level("friedman.f_p_value", "use p_value, or compare more subjects"),
    _level("rm_anova.p_value", "use p_greenhouse_geisser, the default"),
    _level("rm_anova.p_greenhouse_geisser"),
    _level("rm_anova.p_huynh_feldt", "use p_greenhouse_geisser"),
    _level("pairwise_tests.p_adjusted (any pair)"),
    _level("pairwise_tests(wilcoxon).p_adjusted (any pair)"),
    _level("nemenyi.p (any pair)"),
    Claim("pairwise_tests.interval (first pair)", "coverage", 0.95, (0.93, 0.98), of=OF_SUBJECTS),
    designs=[
        {"n": n, "k": 4, "shape": shape}
        for n in (12, 60)
        for shape in ("normal", "skewed", "growing variances")
    ],
    runs=600,
)
def equal_conditions(rng: np.random.Generator, n: int, k: int, shape: str) -> tuple[float, ...]:
    """Conditions with equal means on independent subjects: how often a test rejects at 0.05 (for pairs:
    for any pair), and coverage of the interval of the first difference."""
    values = _measurements(rng, n, k, shape)
    ranks, anova = friedman(values), rm_anova(values)
    pairs = pairwise_tests(values, pooled=False).to_frame()
    rank_pairs = pairwise_tests(values, test="wilcoxon").to_frame()
    return (
        float(ranks.p_value <= ALPHA),
        float(ranks.f_p_value <= ALPHA),
        float(anova.p_value <= ALPHA),
        float(anova.p_greenhouse_geisser <= ALPHA),
        float(anova.p_huynh_feldt <= ALPHA),
        float((pairs["p_adjusted"] <= ALPHA).any()),
        float((rank_pairs["p_adjusted"] <= ALPHA).any()),
        float((nemenyi(values).to_frame()["p"] <= ALPHA).any()),
        float(pairs["lower"].iloc[0] <= 0.0 <= pairs["upper"].iloc[0]),
    )


@calibrated(
    "subjects",
    _level("wilcoxon.p_value"),
    Claim("wilcoxon.interval", "coverage", 0.95, (0.93, 1.0), of=OF_SUBJECTS),
    designs=[{"n": n, "shape": shape} for n in (6, 20, 100) for shape in ("normal", "ties")],
    runs=1500,
)
def symmetric_differences(rng: np.random.Generator, n: int, shape: str) -> tuple[float, ...]:
    """Pairs with differences symmetric around zero, with ties and zeros if they are whole numbers: how
    often the signed-rank test rejects at 0.05, and coverage of its interval, if there are enough pairs
    for one."""
    values = _measurements(rng, n, 2, shape)
    found = wilcoxon(values[:, 0], values[:, 1])
    low, high = found.interval
    covered = np.nan if found.note else float(low <= 0.0 <= high)
    return float(found.p_value <= ALPHA), covered


@calibrated(
    "subjects",
    _level("one_way_anova.p_value"),
    _level("one_way_anova(welch).p_value"),
    designs=[{"n": 10, "spread": 1.0}, {"n": 40, "spread": 1.0}],
    runs=1500,
)
def equal_groups(rng: np.random.Generator, n: int, spread: float) -> tuple[float, ...]:
    """Four groups of n independent values with equal means and spreads: how often a one-way analysis of
    variance rejects at 0.05."""
    groups = {name: rng.standard_normal(n) * spread for name in "abcd"}
    return tuple(
        float(one_way_anova(groups, welch=welch).p_value <= ALPHA) for welch in (False, True)
    )


@calibrated(
    "subjects",
    _level("sphericity_test.p_value"),
    designs=[{"n": 12, "k": 4}, {"n": 60, "k": 4}],
    runs=1500,
)
def spherical(rng: np.random.Generator, n: int, k: int) -> tuple[float, ...]:
    """Normal measurements with equal variances and correlations: how often Mauchly's test rejects
    sphericity at 0.05."""
    return (float(sphericity_test(_measurements(rng, n, k, "normal")).p_value <= ALPHA),)
