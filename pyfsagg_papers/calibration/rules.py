"""Designs on the choice of an aggregator by halves of the lists."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from pyfsagg import Rankings, aggregate
from pyfsagg.aggregator_influence import influence_of_lists
from pyfsagg_papers.calibration.design import ALPHA, Claim, calibrated

N_JUDGED, N_SPLITS = 30, 40
OF_LISTS = "other lists of the same kind"
APART = "influence_of_lists.told_apart"


@calibrated(
    "rules",
    Claim(f"{APART} (two equal rules)", "level", ALPHA, (0.0, 0.065), of=OF_LISTS),
    Claim(f"{APART} (a better rule)", "power", 1.0, of=OF_LISTS),
    Claim("influence_of_lists.lower, upper", "coverage", 0.95, (0.93, 1.0), of=OF_LISTS),
    designs=[{"m": m, "signal": signal} for m in (6, 10, 20) for signal in (0.0, 1.0)],
    runs=150,
)
def halves_by_equal_rules(rng: np.random.Generator, m: int, signal: float) -> tuple[float, ...]:
    """Scores of 30 items by judges, normal around values that are equal or evenly spread. By symmetry, the
    smallest and the largest score of an item are equally good rules, so no difference should be found;
    the mean is better if there is a signal. Coverage is that of the difference of the equal rules."""
    scores = rng.normal(signal * np.linspace(-1.0, 1.0, N_JUDGED), size=(m, N_JUDGED))
    rules = ["minimum", "maximum", "arithmetic_mean"]
    seed = int(rng.integers(2**31))
    equal = influence_of_lists(scores, rules[:2], n_splits=N_SPLITS, random_state=seed).to_frame()
    better = influence_of_lists(scores, rules[::2], n_splits=N_SPLITS, random_state=seed).to_frame()
    low, high = equal[["difference_lower", "difference_upper"]].iloc[1]
    power = float(better["told_apart"].iloc[1]) if signal else np.nan
    return float(equal["told_apart"].iloc[1]), power, float(low <= 0.0 <= high)


@calibrated(
    "rules",
    *(
        Claim(f"{what}: correlation with the truth", "reference", 1.0, of="complete lists")
        for what in (
            "robust rank aggregation",
            "the rule whose halves agree most",
            "that rule where it is told apart, otherwise robust rank aggregation",
            "mean rank",
        )
    ),
    designs=[
        {"judges": judges, "m": m} for judges in ("equal", "unequal", "a third random") for m in (8, 16)
    ],
    runs=60,
)  # fmt: skip
def choice_by_halves(rng: np.random.Generator, judges: str, m: int) -> tuple[float, ...]:
    """Complete lists of 30 items by judges of equal or unequal precision, or a third of whom rank at
    random: Spearman correlation of the aggregate ranking with the truth."""
    truth = rng.normal(size=N_JUDGED)
    errors = {"equal": np.full(m, 2.0), "unequal": np.exp(rng.normal(0.7, 0.8, m))}.get(
        judges, np.where(np.arange(m) < m // 3, 1e6, 1.5)
    )
    scores = truth + errors[:, np.newaxis] * rng.normal(size=(m, N_JUDGED))
    lists = Rankings.from_scores(scores, absent="worst")
    found = influence_of_lists(lists, n_splits=20, random_state=int(rng.integers(2**31)))
    frame = found.to_frame()
    agree = {
        rule: float(spearmanr(aggregate(lists, rule).scores, truth).statistic)
        for rule in frame.index
    }
    best, first = str(frame["value"].idxmax()), found.aggregators[0]
    careful = best if bool(frame["told_apart"][best]) else first
    return agree[first], agree[best], agree[careful], agree["mean_rank"]
