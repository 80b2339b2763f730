"""Designs on p-values from shuffled targets: the proposal, limits on false selections, and their power."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pyfsagg import Checks, Task, wam
from pyfsagg.ensemble import permute_target
from pyfsagg.error_control import TargetPermutation
from pyfsagg.filters import cox_score
from pyfsagg.resampling import Bootstrap, GroupedBootstrap
from pyfsagg.statistics import adjust_p_values
from pyfsagg_papers.calibration.design import ALPHA, Claim, calibrated

OF_POPULATION = "features unrelated to the target in the population"
OF_RELATED = "the related features"
SHUFFLES = 199
FDR = 0.1


@dataclass(frozen=True)
class Sample:
    """A table, its target, which of its columns are related to it, and how it is read."""

    X: pd.DataFrame
    y: np.ndarray
    related: np.ndarray
    options: Mapping[str, Any]


def _levels(rng: np.random.Generator, n: int, sizes: list[int]) -> pd.DataFrame:
    """Nominal columns with so many levels each, which say nothing."""
    columns = {f"l{j}": rng.integers(0, size, n).astype(str) for j, size in enumerate(sizes)}
    return pd.DataFrame(columns).astype("category")


def _numbers(values: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(values, columns=[f"x{j}" for j in range(values.shape[1])])


def survival_times(rng: np.random.Generator, signal: np.ndarray) -> np.ndarray:
    """Times and events (n, 2) with log hazards `signal`, censored at random."""
    times = rng.exponential(size=len(signal)) * np.exp(-signal)
    censored = rng.exponential(size=len(signal)) * 1.5
    return np.column_stack([np.minimum(times, censored), times <= censored])


def noise_table(rng: np.random.Generator, table: str) -> Sample:
    """Tables without any relation between the columns and the target."""
    n, p = 80, 12
    y: np.ndarray = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    options: dict[str, Any] = {}
    if table == "correlated":
        X = np.sqrt(0.5) * (X + rng.standard_normal((n, 1)))
    elif table == "three classes, skewed":
        X, y = np.exp(1.5 * X), np.arange(n) % 3
    elif table == "one row in ten":
        y = (np.arange(n) % 10 == 0).astype(int)
    elif table == "counts":
        X = rng.poisson(0.15, (n, 40)).astype(float)
    elif table == "missing":
        X = np.where(rng.random((n, p)) < 0.3, np.nan, X)
    elif table == "heavy tails, a number":
        X, y = rng.standard_t(2, (n, p)), rng.standard_normal(n)
        options = {"task": "regression"}
    elif table == "survival":
        times = rng.exponential(size=n)
        y = np.column_stack([times, rng.random(n) < 0.6])
        options = {"task": "survival"}
    elif table == "subjects of 4 rows":
        subjects = np.repeat(np.arange(n // 4), 4)
        y = (subjects % 2).astype(int)
        X = rng.standard_normal((n // 4, p))[subjects] + 0.3 * X
        options = {"resampling": GroupedBootstrap(subjects)}
    frame = _numbers(X)
    if table == "counts of equal rows":  # rows that are alike are written once, with their number
        alike = rng.integers(0, 2, (2 * n, 4)), rng.integers(0, 2, (2 * n, 1))
        counts = _numbers(np.hstack(alike).astype(float)).value_counts().reset_index()
        times = counts.pop("count").to_numpy()
        y, frame = counts.pop("x4").to_numpy().astype(int), counts.astype(str).astype("category")
        options = {"resampling": Bootstrap(counts=times)}
    if table == "2 to 40 levels":
        frame = pd.concat([frame, _levels(rng, n, [2] * 6 + [3, 8, 20, 25, 40])], axis=1)
    if table == "rare levels":
        rare = rng.random((n, 40)) < rng.choice([0.03, 0.1, 0.5], 40)
        frame = _numbers(rare.astype(float)).astype(str).astype("category")
    return Sample(frame, y, np.zeros(frame.shape[1], dtype=bool), options)


def _tested(rng: np.random.Generator, sample: Sample, filters: str) -> TargetPermutation:
    by: dict[str, Any] = {} if filters == "default" else {"filter": filters}
    seed = int(rng.integers(2**31))
    return permute_target(
        sample.X, sample.y, shuffles=SHUFFLES, random_state=seed, **by, **sample.options
    )


@calibrated(
    "proposal",
    Claim("selection (any feature above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("permutation.p_values", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("error_control(fdr=0.1) (any selected)", "level", FDR, (0.0, 0.12), OF_POPULATION),
    designs=[
        {"table": table, "filters": filters}
        for filters, table in (
            ("default", "normal"),
            ("default", "correlated"),
            ("default", "2 to 40 levels"),
            ("default", "rare levels"),
            ("default", "counts"),
            ("default", "three classes, skewed"),
            ("default", "one row in ten"),
            ("default", "missing"),
            ("default", "subjects of 4 rows"),
            ("default", "counts of equal rows"),
            ("information_gain", "2 to 40 levels"),
            ("chi_squared", "2 to 40 levels"),
            ("chi_squared", "rare levels"),
            ("spearman", "counts"),
            ("mrmr", "correlated"),
            ("mrmr", "2 to 40 levels"),
            ("jmi", "2 to 40 levels"),
            ("pearson", "heavy tails, a number"),
            ("cox_score", "survival"),
            ("concordance", "survival"),
            ("default", "heavy tails, a number"),
            ("default", "survival"),
        )
    ],
    runs=600,
)
def nothing_to_find(rng: np.random.Generator, table: str, filters: str) -> tuple[float, ...]:
    """80 rows, 12 to 40 features unrelated to the target, 199 shuffled targets: how often any feature is
    above noise, the share of p-values of at most 0.05, and how often a limit of 0.1 on the false
    discovery rate selects any. Columns differ in kind: numbers, 2 to 40 levels, levels of 3 to 50 % of
    the rows, counts that are mostly 0."""
    found = _tested(rng, noise_table(rng, table), filters)
    return (
        float(found.above.any()),
        float((found.p_values <= ALPHA).mean()),
        float(found.limited("fdr", FDR).support.any()),
    )


# -------------------------------------------------------------------------------------------------
# what is found where there is something, beside what users would take instead
# -------------------------------------------------------------------------------------------------


def table_with_signal(rng: np.random.Generator, table: str) -> Sample:
    """Tables some of whose columns are related to the target."""
    sizes = {
        "5 of 40": (60, 40, 5, 0.9),
        "5 of 50, weak": (200, 50, 5, 0.5),
        "20 of 60": (200, 60, 20, 1.5),
        "a giant and 9 of 60": (120, 60, 10, 1.2),
        "20 of 1,000": (60, 1000, 20, 1.4),
        "one row in twenty": (300, 40, 3, 1.2),
        "spread, not place": (200, 40, 5, 0.0),
        "4 binary beside many levels": (120, 0, 0, 0.0),
        "a number": (100, 40, 5, 0.0),
        "survival": (120, 40, 5, 0.0),
        "six classes": (180, 40, 5, 0.0),
        "5 of 20, 40 rows": (40, 20, 5, 1.2),
        "10 of 100, 1,000 rows, weak": (1000, 100, 10, 0.25),
        "20 of 5,000": (100, 5000, 20, 1.2),
        "blocks": (120, 60, 10, 0.6),
        "near copies": (120, 60, 15, 0.6),
        "mixed columns": (150, 14, 3, 0.7),
    }
    n, p, k, distance = sizes[table]
    X = rng.standard_normal((n, p))
    y: np.ndarray = np.arange(n) % 2
    if table == "one row in twenty":
        y = (np.arange(n) % 20 == 0).astype(int)
    if table in ALIKE:
        size, correlation = ALIKE[table]
        shared = np.repeat(rng.standard_normal((n, p // size)), size, axis=1)
        X = np.sqrt(correlation) * shared + np.sqrt(1.0 - correlation) * X
    X[:, :k] += distance * y[:, np.newaxis]
    options: dict[str, Any] = {}
    if table == "a giant and 9 of 60":
        X[:, 0] += 4.8 * y
    elif table == "six classes":
        y = np.arange(n) % 6
        X[:, :k] += 0.4 * rng.permutation(6)[y][:, np.newaxis]
    elif table == "spread, not place":
        X[:, :k] *= np.where(y == 1, 1.8, 1.0)[:, np.newaxis]
    elif table in ("a number", "survival"):
        signal = 0.35 * X[:, :k].sum(axis=1)
        if table == "a number":
            y, options = signal + rng.standard_normal(n), {"task": "regression"}
        else:
            y = survival_times(rng, signal)
            options = {"task": "survival"}
    frame = _numbers(X)
    if table == "4 binary beside many levels":
        k = 4
        related = rng.random((n, k)) < np.where(y == 1, 0.7, 0.3)[:, np.newaxis]
        plain = _numbers(related.astype(float)).astype(str).astype("category")
        frame = pd.concat([plain, _levels(rng, n, [2] * 16 + [25] * 6)], axis=1)
    related = np.arange(frame.shape[1]) < k
    if table == "mixed columns":  # numbers, two levels, five, a few of each related to the target
        for size, number, share in ((2, 3, 0.28), (5, 2, 0.35)):
            own = rng.integers(0, size, (n, number + 10))
            moved = rng.random((n, number)) < share
            own[:, :number] = np.where(moved, (size - 1) * y[:, np.newaxis], own[:, :number])
            names = [f"{size} levels, {j}" for j in range(number + 10)]
            frame = frame.join(pd.DataFrame(own.astype(str), columns=names).astype("category"))
            related = np.r_[related, np.arange(number + 10) < number]
    return Sample(frame, y, related, options)


ALIKE = {"blocks": (5, 0.6), "near copies": (3, 0.95)}
"""Neighbouring columns that go together, and their correlation within classes."""


def plain_tests(sample: Sample) -> np.ndarray:
    """P-values of one usual test for each column: rank sum, chi-squared, rank correlation, score test."""
    X, y = sample.X, sample.y
    if "task" not in sample.options:
        p_values = np.empty(X.shape[1])
        nominal = (X.dtypes == "category").to_numpy()
        tables = [pd.crosstab(X[name], y) for name in X.columns[nominal]]
        p_values[nominal] = [stats.chi2_contingency(t, correction=False)[1] for t in tables]
        if not nominal.all():
            values = X.loc[:, ~nominal].to_numpy()
            p_values[~nominal] = stats.mannwhitneyu(values[y == 0], values[y == 1])[1]
        return p_values
    if sample.options["task"] == "regression":
        return np.array([stats.spearmanr(X[name], y)[1] for name in X])
    return np.asarray(stats.chi2.sf(cox_score(X, y), 1))


def _of(support: np.ndarray, related: np.ndarray) -> tuple[float, float]:
    """Share of the related that are selected, and of the unrelated among the selected."""
    false = float((support & ~related).sum()) / max(1, int(support.sum()))
    return float(support[related].mean()), false


@calibrated(
    "proposal",
    Claim("selection (related features above noise)", "power", 1.0, of=OF_RELATED),
    Claim("Bonferroni-Holm on plain tests (related features)", "power", 1.0, of=OF_RELATED),
    Claim("error_control(fdr=0.1) (related features selected)", "power", 1.0, of=OF_RELATED),
    Claim("Benjamini-Hochberg on plain tests (related features)", "power", 1.0, of=OF_RELATED),
    Claim("error_control(max_false=1) of pairs (related features)", "power", 1.0, of=OF_RELATED),
    Claim("integrated_path, fdr=0.1 (related features)", "power", 1.0, of=OF_RELATED),
    Claim("selection (any unrelated above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION),
    Claim("error_control(fdr=0.1) (share unrelated)", "level", FDR, (0.0, 0.12), OF_POPULATION),
    designs=[
        {"table": table, "filters": filters}
        for filters, table in (
            ("default", "5 of 40"),
            ("default", "5 of 50, weak"),
            ("default", "20 of 60"),
            ("default", "a giant and 9 of 60"),
            ("default", "20 of 1,000"),
            ("default", "one row in twenty"),
            ("default", "spread, not place"),
            ("default", "4 binary beside many levels"),
            ("chi_squared", "4 binary beside many levels"),
            ("spearman", "5 of 40"),
            ("spearman", "20 of 60"),
            ("spearman", "a number"),
            ("cox_score", "survival"),
            ("default", "a number"),
            ("default", "survival"),
        )
    ],
    runs=300,
)
def something_to_find(rng: np.random.Generator, table: str, filters: str) -> tuple[float, ...]:
    """Tables with 3 to 20 features related to the target, 199 shuffled targets: share of them that is
    found, also by a plain test of each column (rank sum, chi-squared, rank correlation, Cox's score
    test) with the corrections of Holm and of Benjamini and Hochberg, and by 15 pairs of halves of one
    filter (that of the design, or chi-squared)."""
    sample = table_with_signal(rng, table)
    found = _tested(rng, sample, filters)
    p_values = plain_tests(sample)
    holm = np.empty(len(p_values), dtype=bool)
    order = np.argsort(p_values)
    holm[order] = np.maximum.accumulate(p_values[order] * np.arange(len(order), 0, -1)) <= ALPHA
    pairs = wam(
        sample.X,
        sample.y,
        filter="chi_squared" if filters == "default" else filters,
        resampling="complementary_pairs",
        n_resamples=30,
        task=sample.options.get("task", Task()),
        checks="none",
        random_state=int(rng.integers(2**31)),
    )
    related = sample.related
    rate, false = _of(found.limited("fdr", FDR).support, related)
    return (
        _of(found.above, related)[0],
        _of(holm, related)[0],
        rate,
        _of(adjust_p_values(p_values, "bh") <= FDR, related)[0],
        _of(pairs.get_support(max_false=1.0), related)[0],
        _of(pairs.get_support(fdr=FDR, method="integrated_path"), related)[0],
        float(found.above[~related].any()),
        false,
    )


@calibrated(
    "proposal",
    Claim("mrmr: selection (related features above noise)", "power", 1.0, of=OF_RELATED),
    Claim("information_gain: selection (the same features)", "reference", 1.0, of=OF_RELATED),
    Claim("mrmr: error_control(fdr=0.1) (related features)", "power", 1.0, of=OF_RELATED),
    Claim("information_gain: error_control(fdr=0.1) (the same)", "reference", 1.0, of=OF_RELATED),
    Claim(
        "mrmr: selection (any unrelated above noise)", "level", ALPHA, (0.0, 0.065), OF_POPULATION
    ),
    Claim(
        "mrmr: error_control(fdr=0.1) (share unrelated)", "level", FDR, (0.0, 0.12), OF_POPULATION
    ),
    designs=[{"table": table} for table in ("5 of 40", "mixed columns", "blocks")],
    runs=300,
)
def one_column_after_the_other(rng: np.random.Generator, table: str) -> tuple[float, ...]:
    """mRMR alone, whose p-values are those of its relevance (as for JMI, JMIM, NJMIM, DISR and CMIM), on
    tables with 5 to 10 related features, 199 shuffled targets: share of them that is found, beside
    information gain on the same tables, and unrelated ones among the found."""
    sample = table_with_signal(rng, table)
    mrmr, gain = (_tested(rng, sample, name) for name in ("mrmr", "information_gain"))
    (rate, false), related = _of(mrmr.limited("fdr", FDR).support, sample.related), sample.related
    return (
        _of(mrmr.above, related)[0],
        _of(gain.above, related)[0],
        rate,
        _of(gain.limited("fdr", FDR).support, related)[0],
        float(mrmr.above[~related].any()),
        false,
    )


@calibrated(
    "proposal",
    Claim("permutation.repeats", "bias", 0.0, (-0.1, 0.1), "the same table with other shuffles"),
    Claim("same features above noise with another seed", "power", 1.0, of="pairs of runs"),
    designs=[{"table": "5 of 40"}, {"table": "5 of 50, weak"}, {"table": "20 of 60"}],
    runs=300,
)
def other_shuffles(rng: np.random.Generator, table: str) -> tuple[float, ...]:
    """One table with two seeds, 199 shuffled targets: the stated probability that both find the same
    features above noise, minus whether they do."""
    sample = table_with_signal(rng, table)
    one, two = (_tested(rng, sample, "spearman") for _ in range(2))
    same = float((one.above == two.above).all())
    return one.repeats - same, same


@calibrated(
    "front_page",
    Claim(
        "front page: most unrelated of the best, all numbers",
        "level",
        ALPHA,
        (0.0, 0.065),
        OF_POPULATION,
    ),
    Claim(
        "front page: unrelated of the best 10, as a share of the most",
        "reference",
        1.0,
        of=OF_POPULATION,
    ),
    designs=[
        {"table": table, "filter": label}
        for label, table in (
            ("spearman", "5 of 40"),
            ("spearman", "5 of 50, weak"),
            ("spearman", "20 of 60"),
            ("spearman", "a number"),
            ("cox_score", "survival"),
            ("information_gain", "six classes"),
            ("chi_squared", "4 binary beside many levels"),
        )
    ],
    runs=600,
)
def best_of_the_page(rng: np.random.Generator, table: str, filter: str) -> tuple[float, ...]:
    """Tables with 4 to 20 related features, 20 resamples, 199 shuffled targets: how often, for any number
    of best features, more are unrelated than the upper limit on the first screen of a report (those not
    distinguished from noise), and the difference among the best ten."""
    sample = table_with_signal(rng, table)
    found = wam(
        sample.X,
        sample.y,
        filter=filter,
        n_resamples=20,
        task=sample.options.get("task", Task()),
        checks=Checks(pairs=0, shuffles=SHUFFLES),
        random_state=int(rng.integers(2**31)),
    )
    assert found.permutation is not None
    order = np.argsort(found.ranking, kind="stable")
    unrelated = np.cumsum(~sample.related[order])
    most = np.cumsum(~found.permutation.above[order])
    return float((unrelated > most).any()), float(unrelated[9] / max(1, most[9]))
