"""Designs on the stability of selections: intervals, comparisons, and pairs of halves."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from pyfsagg.ensemble import wam
from pyfsagg.exceptions import DataError
from pyfsagg.extending import as_table, check_target, measure_stability
from pyfsagg.filters import chi_squared, information_gain
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import ComplementaryPairs, Plan, Subsample, draw_resamples
from pyfsagg.stability_measures import (
    NogueiraResult,
    UndefinedStabilityError,
    between_sample_stability,
    nogueira,
)
from pyfsagg_papers.calibration.design import (
    ALPHA,
    N_RESAMPLED,
    N_SELECTED,
    Claim,
    calibrated,
    labelled_table,
    rejected,
    resampled_scores,
    seen_by_filter,
)

# -------------------------------------------------------------------------------------------------
# stability between samples, from complementary pairs of one table
# -------------------------------------------------------------------------------------------------

N_FEATURES = 40
TRUTH_FROM = 1000
"""Independent pairs of samples behind the truth of a design."""

SMALLEST = 2.2
"""Below it the tied filter sees nothing, and gives 0."""

PAIR_MEASURES = ("nogueira", "spearman", "pearson")
OF_POPULATION = "two independent samples of half the size"
WIDER = (0.93, 1.0)
NOTHING_FOUND = "may be too narrow if a filter finds nothing in most samples"


def _scores(weights: np.ndarray, X: np.ndarray, y: np.ndarray, ties: bool) -> np.ndarray:
    """Distance of the class means in standard errors, in each resample (n_resamples, n_features).

    With `ties` it is 0 where it is small and rounded to tenths elsewhere, as of a filter that sees
    nothing in most features.
    """
    size = weights.sum(axis=1)[:, np.newaxis]
    side = weights * np.where(y == 1, 1.0, -1.0)
    variance = weights @ (X * X) / size - (weights @ X / size) ** 2
    scores = np.abs(side @ X) / np.sqrt(variance * size)
    return np.where(scores < SMALLEST, 0.0, np.round(scores, 1)) if ties else scores


@lru_cache(maxsize=64)
def _truth(n: int, signal: str, ties: bool) -> tuple[float, ...]:
    """Mean agreement of independent samples of n/2 rows each, by simulation."""
    rng = np.random.default_rng(2013)
    whole = np.ones((1, n // 2))
    first, second = (
        np.concatenate(
            [
                _scores(whole, *labelled_table(rng, signal, n // 2, N_FEATURES), ties)
                for _ in range(TRUTH_FROM)
            ]
        )
        for _ in range(2)
    )
    estimates = between_sample_stability(first, second).estimates["estimate"]
    return tuple(float(estimates[name]) for name in PAIR_MEASURES)


@calibrated(
    "pairs",
    *(
        Claim(f"between_sample_stability.{name}.interval", "coverage", 0.95, WIDER, OF_POPULATION,
              NOTHING_FOUND)
        for name in PAIR_MEASURES
    ),
    *(
        Claim(f"between_sample_stability.{name}", "bias", 0.0, (-0.02, 0.02), OF_POPULATION)
        for name in PAIR_MEASURES
    ),
    designs=[
        {"n": n, "signal": signal, "ties": ties, "pairs": 12}
        for n in (60, 400)
        for signal in ("noise", "graded", "strong")
        for ties in (False, True)
    ]
    + [
        {"n": 120, "signal": "graded", "ties": True, "pairs": pairs} for pairs in (5, 30)
    ]
    + [{"n": 100, "signal": "few weak", "ties": ties, "pairs": 30} for ties in (False, True)],
    runs=300,
)  # fmt: skip
def pairs_of_halves(
    rng: np.random.Generator, n: int, signal: str, ties: bool, pairs: int
) -> tuple[float, ...]:
    """Tables of n rows and 40 features; both halves of each complementary pair are ranked by the distance
    of the class means (with ties: small ones are 0), and ten features are selected. The truth is the
    mean agreement of 1,000 pairs of independent samples of n/2 rows."""
    X, y = labelled_table(rng, signal, n, N_FEATURES)
    seed = int(rng.integers(2**31))
    drawn = draw_resamples(
        as_table(X), check_target(y, n), ComplementaryPairs(), n_resamples=2 * pairs, seed=seed
    )
    scores = _scores(drawn.weights.astype(float), X, y, ties)
    first, second = ComplementaryPairs.pairs(2 * pairs).T
    found = between_sample_stability(scores[first], scores[second]).estimates
    truth = np.array(_truth(n, signal, ties))
    estimate, low, high = (
        found.loc[list(PAIR_MEASURES), name].to_numpy() for name in ("estimate", "lower", "upper")
    )
    covered = np.where(np.isnan(low), np.nan, (low <= truth) & (truth <= high))
    return (*covered.tolist(), *(estimate - truth).tolist())


@calibrated(
    "pairs",
    *(
        Claim(f"{what} of noise by {plan}", "reference", 0.0, of="features unrelated to the target")
        for what in ("share split by MDL", "mean chi-squared")
        for plan in ("the sample itself", "bootstraps", "subsamples of 63 %", "halves")
    ),
    designs=[{"n": 100}],
    runs=20,
)  # fmt: skip
def repeated_rows(rng: np.random.Generator, n: int) -> tuple[float, ...]:
    """40 noise features: how many have information by a filter on the sample, on bootstraps, whose
    repeated rows look like evidence, and on resamples without replacement."""
    X, y = labelled_table(rng, "noise", n, N_FEATURES)
    seed = int(rng.integers(2**31))
    plans: tuple[str | Plan, ...] = ("bootstrap", Subsample(0.632), "complementary_pairs")
    found = []
    for filter, score in (("information_gain", information_gain), ("chi_squared", chi_squared)):
        scores = [
            score(X, y),
            *(
                wam(
                    X,
                    y,
                    filter=filter,
                    n_resamples=20,
                    resampling=plan,
                    checks="none",
                    random_state=seed,
                ).combined
                for plan in plans
            ),
        ]
        found += [np.mean(each > 0.0 if filter == "information_gain" else each) for each in scores]
    return tuple(map(float, found))


# -------------------------------------------------------------------------------------------------
# nogueira's stability of few and many resamples: interval, test, and ties at the edge of a selection
# -------------------------------------------------------------------------------------------------

OF = "the run repeated with another seed"
SIGNALS = ("noise", "graded", "strong")
WIDE = (0.93, 1.0)
"""Few resamples that nearly agree have wider intervals than 95 % needs; their label says so."""


def _subsets(rng: np.random.Generator, m: int, signal: str, filter: str) -> NogueiraResult:
    """Nogueira's stability of m resamples by a filter with or without ties, or of unequal lists."""
    scores = resampled_scores(rng, m, signal, filter)
    if filter == "unequal lists":
        sizes = rng.integers(N_SELECTED // 2, 3 * N_SELECTED // 2 + 1, m)
        return nogueira(rank_scores(scores) <= sizes[:, np.newaxis])
    return nogueira(scores, n_features_to_select=N_SELECTED, input="scores")


@lru_cache
def _true_nogueira(signal: str, filter: str) -> float:
    return _subsets(np.random.default_rng(0), 4000, signal, filter).estimate


@calibrated(
    "stability",
    Claim("nogueira.interval", "coverage", 0.95, WIDE, of=OF),
    Claim("nogueira.test (of the true value)", "level", ALPHA, (0.0, 0.065), of=OF),
    Claim("nogueira, normal theory of the paper", "reference", 0.95, of=OF),
    designs=[
        {"M": m, "signal": signal, "filter": filter}
        for m in (2, 3, 5, 10, 30, 100)
        for signal in SIGNALS
        for filter in ("tie-free", "tied", "unequal lists")
    ],
    runs=1200,
)
def subsets(rng: np.random.Generator, M: int, signal: str, filter: str) -> tuple[float, ...]:
    """Independent resamples of scores of 50 features, of which the best ten are selected (unequal lists:
    five to fifteen; tied filter: scores below 2 are 0): coverage of the interval, and whether the test
    rejects the true stability. Two resamples are refused."""
    truth = _true_nogueira(signal, filter)
    found = _subsets(rng, M, signal, filter)
    error = np.sqrt(found.asymptotic_variance)
    normal = float(abs(found.estimate - truth) <= 1.96 * error)
    if found.interval is None:
        return np.nan, np.nan, normal
    low, high = found.interval
    return float(low <= truth <= high), rejected(found.test(min(truth, 1.0)).p_value), normal


@calibrated(
    "stability",
    Claim("nogueira (ties in random order)", "bias", 0.0, (-0.02, 0.02), of="chance agreement"),
    Claim("nogueira, ties by columns", "reference", 0.0, of="chance agreement"),
    Claim("nogueira.test (of 0 on noise)", "level", ALPHA, (0.0, 0.065), of="chance agreement"),
    designs=[{"M": m, "zeros": zeros} for m in (3, 10, 30) for zeros in (0.5, 0.9, 0.98)],
    runs=1200,
)
def tied_noise(rng: np.random.Generator, M: int, zeros: float) -> tuple[float, ...]:
    """Independent noise tables with scores of 50 features, a share of which is 0; the best quarter is
    selected. The true stability is 0."""
    scores = rng.random((M, 50)) + 1.0
    scores[rng.random(scores.shape) < zeros] = 0.0
    found = nogueira(scores, input="scores")
    first = nogueira(scores, input="scores", ties="first")
    return found.estimate, first.estimate, rejected(found.test(0.0).p_value)


# -------------------------------------------------------------------------------------------------
# whether two collections of selections are equally stable: independent ones, and paired ones
# -------------------------------------------------------------------------------------------------


@calibrated(
    "stability_comparison",
    Claim("nogueira.compare", "level", ALPHA, (0.0, 0.065), of=OF),
    Claim("nogueira.compare (paired)", "level", ALPHA, (0.0, 0.065), of=OF),
    designs=[
        {"M": m, "signal": signal, "filter": filter}
        for m in (3, 5, 10, 30, 100)
        for signal in SIGNALS
        for filter in ("tie-free", "tied")
    ],
    runs=1200,
)
def equally_stable(rng: np.random.Generator, M: int, signal: str, filter: str) -> tuple[float, ...]:
    """Two equally stable filters on different resamples, and on the same resamples, where they share half
    of the variance of the scores."""

    def seen(noise: np.ndarray) -> NogueiraResult:
        return nogueira(
            seen_by_filter(noise, signal, filter), n_features_to_select=N_SELECTED, input="scores"
        )

    common, one, other, apart = (rng.standard_normal((M, N_RESAMPLED)) for _ in range(4))
    first, second = (seen(np.sqrt(0.5) * (common + own)) for own in (one, other))
    return (
        rejected(first.compare(seen(apart)).p_value),
        rejected(first.compare(second, paired=True).p_value),
    )


# -------------------------------------------------------------------------------------------------
# intervals of the stability measures, over independent resamples
# -------------------------------------------------------------------------------------------------

MEASURES = ("jaccard", "phi", "somol", "pearson", "spearman", "canberra", "asd")
PAIRWISE = ("jaccard", "phi", "pearson", "spearman", "canberra")
NARROW = (
    "the interval uses only the spread of the resamples, which is too small if they nearly agree, or if "
    "the union of many random subsets is all features; the table says so"
)


@lru_cache
def _true_value(measure: str, signal: str, filter: str, m: int) -> float:
    """Of an average over pairs, from many rows; of another one, over collections of m rows."""
    rng = np.random.default_rng(0)

    def value(rows: int) -> float:
        scores = resampled_scores(rng, rows, signal, filter)
        try:
            return measure_stability(
                scores, measure, n_features_to_select=N_SELECTED, input="scores", random_state=0
            ).value
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
            limits = measure_stability(
                scores, name, n_features_to_select=N_SELECTED, input="scores", **options
            ).interval
        except DataError:  # refused
            limits = None
        hits.append(np.nan if limits is None else float(limits[0] <= truth <= limits[1]))
    return tuple(hits)


@calibrated(
    "stability_intervals",
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
    """Independent resamples of scores of 50 features, ten selected: coverage of the jackknife interval of
    each measure. It is refused if most features are tied in few resamples."""
    return _covered(rng, MEASURES, M, signal, filter, "jackknife")


@calibrated(
    "stability_intervals",
    *(
        Claim(f"stability({name}, interval=jackknife)", "coverage", 0.95, WIDE, OF, NARROW)
        for name in ("davis", "novovicova")
    ),
    designs=[{"M": m, "signal": signal} for m in (5, 10, 30) for signal in SIGNALS],
    runs=100,
)
def whole_collections(rng: np.random.Generator, M: int, signal: str) -> tuple[float, ...]:
    """As above, without ties, for the two measures that use the frequencies of single features."""
    return _covered(rng, ("davis", "novovicova"), M, signal, "tie-free", "jackknife")


@calibrated(
    "stability_intervals",
    *(
        Claim(f"stability({name}, interval=bootstrap)", "coverage", 0.95, WIDE, of=OF)
        for name in ("phi", "somol", "spearman")
    ),
    designs=[{"M": m, "signal": signal} for m in (5, 10, 30) for signal in SIGNALS],
    runs=100,
)
def bootstrap(rng: np.random.Generator, M: int, signal: str) -> tuple[float, ...]:
    """As above, without ties: the bootstrap interval."""
    return _covered(rng, ("phi", "somol", "spearman"), M, signal, "tie-free", "bootstrap")


@calibrated(
    "stability_intervals",
    Claim("stability(nogueira, interval=analytic)", "coverage", 0.95, (0.9, 1.0), of=OF),
    designs=[{"M": m, "signal": signal} for m in (30, 100) for signal in SIGNALS],
    runs=100,
)
def analytic(rng: np.random.Generator, M: int, signal: str) -> tuple[float, ...]:
    """As above, without ties: the published normal interval, refused below 30 resamples."""
    return _covered(rng, ("nogueira",), M, signal, "tie-free", "analytic")
