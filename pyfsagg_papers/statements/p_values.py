"""Statements that rest on a test or a mean, recomputed in every form that may have been meant."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pyfsagg.extending import collect_warnings
from pyfsagg.statistics import (
    adjust_p_values,
    friedman,
    one_way_anova,
    pairwise_tests,
    rm_anova,
    wilcoxon,
)
from pyfsagg_papers.published import load_published
from pyfsagg_papers.statements.data import (
    AGREES,
    FAILS,
    Claim,
    Outcome,
    Tables,
    Variant,
    agrees,
    judge,
    methods_table,
    narrow,
    need,
    outcome,
)

LEVEL = 0.05
PAIR_TESTS: dict[str, dict[str, Any]] = {
    "paired t": {"paired": True, "test": "t"},
    "pooled t": {"paired": False, "pooled": True},
    "Welch t": {"paired": False, "pooled": False},
    "signed rank": {"paired": True, "test": "wilcoxon"},
    "rank sum": {"paired": False, "test": "wilcoxon"},
}


def _judge_p(claim: Claim, tried: Sequence[tuple[str, float, float, bool]]) -> Outcome:
    """Verdict on (test, statistic, p, stated): against the printed p, or against 5 %."""
    wanted = claim.settings.get("significant", True)

    def fits(p: float) -> bool:
        return agrees(claim.published, p) if claim.published else (p < LEVEL) == wanted

    variants = [
        Variant(name, statistic, p, fits(p), stated) for name, statistic, p, stated in tried
    ]
    verdict, shown, reading = judge(variants)
    if not claim.published and verdict != AGREES:
        # Significance is decided by the test that was named; another one is no other reading of it.
        verdict, reading = FAILS, ""
        shown = next(each for each in variants if each.stated)
    smallest, largest = (pick(each.value for each in variants) for pick in (min, max))
    evidence = f"{shown.test}: p = {shown.value:.4g}"
    if len(variants) > 1:
        evidence += f"; {len(variants)} forms give p from {smallest:.3g} to {largest:.3g}"
        if claim.published:
            n_found = sum(each.agrees for each in variants)
            word = "below the printed bound" if claim.published[0] == "<" else "the printed p"
            evidence += f", {n_found or 'none'} of them {word}"
    return Outcome(
        verdict, shown.test, shown.statistic, shown.value, evidence, reading, tuple(variants)
    )


def mean(claim: Claim, own: Tables) -> Outcome:
    """A mean of a column (or of all cells); the evidence names how far one data set moves it."""
    frame = narrow(methods_table(claim.table), claim.settings.get("where"))
    column = claim.settings.get("column")
    values = frame if column is None else frame[[column]]
    by_set = values.mean(axis=1).groupby(level="dataset").mean()
    variants = [
        Variant(name, math.nan, value, agrees(claim.published, value), name == "mean")
        for name, value in (("mean", float(by_set.mean())), ("median", float(by_set.median())))
    ]
    without = [float(by_set.drop(name).mean()) for name in by_set.index]
    evidence = (
        f"mean of {len(by_set)} data sets {variants[0].value:.4g} (without one of them "
        f"{min(without):.4g} to {max(without):.4g}), median {variants[1].value:.4g}"
    )
    return outcome(variants, evidence, "mean")


def signed_rank(claim: Claim, own: Tables) -> Outcome:
    """Wilcoxon's test in all its forms; R's default is the stated one."""
    frame = methods_table(claim.table)
    first, second = (frame[claim.settings[name]].to_numpy() for name in ("first", "second"))
    n_zero = int((first == second).sum())
    tried = []
    for side, form, zeros in itertools.product(
        ("two-sided", "greater"), ("exact", "normal", "normal, corrected"), ("wilcox", "pratt")
    ):
        found = wilcoxon(
            first, second, alternative=side, exact=form == "exact", zero_method=zeros,
            continuity=form.endswith("corrected"),
        )  # fmt: skip
        kept = "dropped" if zeros == "wilcox" else "ranked"
        name = f"signed rank, {side.replace('greater', 'one-sided')}, {form}, zeros {kept}"
        # wilcox.test drops zeros and, as there are some, takes the corrected normal form.
        default = (side, form, zeros) == ("two-sided", "normal, corrected", "wilcox")
        tried.append((name, found.statistic, found.p_value, default))
    if n_zero:
        nudged = np.where(first == second, 0.5, first - second)  # less than the last printed digit
        for side in ("two-sided", "greater"):
            found = wilcoxon(nudged, alternative=side, exact=True)
            name = (
                f"signed rank, {side.replace('greater', 'one-sided')}, exact, zeros counted as "
                "differences of the same sign"
            )
            tried.append((name, found.statistic, found.p_value, False))
    tried.sort(key=lambda each: not each[3])
    found_p = _judge_p(claim, tried)
    share = f" ({n_zero} of {len(first)} differences are zero)" if n_zero else ""
    return replace(found_p, evidence=found_p.evidence + share)


def anova(claim: Claim, own: Tables) -> Outcome:
    """Analyses of variance of the methods, with and without correction.

    Of several tables and measures the p that counts against the statement: the largest, or the
    smallest if the statement is that there is no difference.
    """
    blocks = list(_blocks(claim, own))
    pick = max if claim.settings.get("significant", True) else min
    tests = [_anovas(block) for block in blocks]
    family = claim.settings["family"]
    tried = []
    for name in tests[0]:
        statistic, p = pick((found[name] for found in tests), key=lambda each: each[1])
        stated = name.startswith(claim.settings["stated"])
        tried.append((f"{name}, Bonferroni ×{family}", statistic, min(1.0, family * p), stated))
        tried.append((name, statistic, p, stated and not claim.published))
    tried.sort(key=lambda each: not each[3])
    return _judge_p(claim, tried)


def _blocks(claim: Claim, own: Tables) -> Iterator[pd.DataFrame]:
    """Complete tables of data sets by methods: one per table and measure."""
    for table in claim.tables:
        frame = methods_table(table, own.get(table))
        frame = narrow(frame, claim.settings.get("where"))
        frame = frame.drop(columns=claim.settings.get("without", []), errors="ignore")
        for measure in claim.settings.get("measures", [None]):
            part = frame if measure is None else narrow(frame, {"measure": measure})
            yield part.dropna().droplevel(1)


def _anovas(block: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """Statistic and p of every test of all methods."""
    groups = {str(name): block[name].to_numpy() for name in block}
    repeated, ranks = rm_anova(block), friedman(block)
    one, welch = one_way_anova(groups), one_way_anova(groups, welch=True)
    return {
        "repeated measures, uncorrected": (repeated.f, repeated.p_value),
        "repeated measures, Greenhouse-Geisser": (repeated.f, repeated.p_greenhouse_geisser),
        "repeated measures, Huynh-Feldt": (repeated.f, repeated.p_huynh_feldt),
        "one-way, equal variances": (one.f, one.p_value),
        "one-way, Welch": (welch.f, welch.p_value),
        "Friedman": (ranks.statistic, ranks.p_value),
        "Friedman, F form": (ranks.f, ranks.f_p_value),
    }


def pairs(claim: Claim, own: Tables) -> Outcome:
    """Pairs of one method with others; the largest p of several pairs, measures and tables."""
    settings = claim.settings
    named = [settings["first"], *settings["others"]]
    blocks = [need(block, named) for block in _blocks(claim, own)]
    stated = settings["stated"]
    tried = []
    for name, options in PAIR_TESTS.items():
        frames = [_pair_frame(block, options) for block in blocks]
        for adjust in ("bonferroni", "holm", "none"):
            worst = max(
                (row for frame in frames for row in _with_first(frame, adjust, claim)),
                key=lambda row: row[1],
            )
            label = "not adjusted" if adjust == "none" else adjust.title()
            tried.append((f"{name}, {label}", *worst, (name, adjust) == (stated, "bonferroni")))
    tried.sort(key=lambda each: not each[3])
    return _judge_p(claim, tried)


def _pair_frame(block: pd.DataFrame, options: Mapping[str, Any]) -> pd.DataFrame:
    data: Any = block
    if not options["paired"]:
        data = {str(name): block[name].to_numpy() for name in block}
    with (
        collect_warnings()
    ):  # printed figures have six digits: their last bits are no ties, and need no advice
        return pairwise_tests(data, p_adjust="none", **options).to_frame()


def _with_first(frame: pd.DataFrame, adjust: str, claim: Claim) -> list[tuple[float, float]]:
    """Statistic and adjusted p (over all pairs) of the pairs that the statement names."""
    first, others = claim.settings["first"], claim.settings["others"]
    adjusted = adjust_p_values(frame["p"].to_numpy(), adjust)
    return [
        (float(statistic), float(p))
        for one, two, statistic, p in zip(
            frame["group1"], frame["group2"], frame["statistic"], adjusted, strict=True
        )
        if (one == first and two in others) or (two == first and one in others)
    ]


def summary_t(claim: Claim, own: Tables) -> Outcome:
    """Welch's t test from printed means and standard deviations, pair by pair."""
    settings = claim.settings
    frame = load_published(claim.table).set_index(["dataset", "method"])
    sets = settings.get("datasets") or list(frame.index.unique("dataset"))
    wanted = settings.get("significant", True)
    rows, variants = [], []
    for dataset, measure, other in itertools.product(sets, ("nmi", "ari"), settings["others"]):
        a, b = frame.loc[(dataset, settings["first"])], frame.loc[(dataset, other)]
        t, p = stats.ttest_ind_from_stats(
            a[measure], a[f"{measure}_sd"], settings["n"],
            b[measure], b[f"{measure}_sd"], settings["n"], equal_var=False,
        )  # fmt: skip
        rows.append((f"{dataset}, {measure}, {other}", float(t), float(p)))
    adjusted = adjust_p_values(np.array([row[2] for row in rows]), "holm")
    for (name, t, _), p in zip(rows, adjusted.tolist(), strict=True):
        holds = (p < LEVEL and t > 0) if wanted else p >= LEVEL
        variants.append(Variant(f"Welch t, Holm: {name}", t, p, holds, True))
    held = [each for each in variants if each.agrees]
    against = [each for each in variants if not each.agrees]
    shown = max(against or held, key=lambda each: each.value if wanted else -each.value)
    word = "significantly better" if wanted else "not significantly different"
    evidence = (
        f"{len(held)} of {len(variants)} comparisons {word} at the 5 % level (Welch t from means "
        f"and standard deviations of {settings['n']} trials, Holm adjusted)"
    )
    if against:
        names = [
            f"{each.test.partition(': ')[2]} (t = {each.statistic:.2f}, p = {each.value:.3g})"
            for each in against
        ]
        evidence += f"; the others: {'; '.join(names)}".replace("_", " ")
    return Outcome(
        FAILS if against else AGREES, shown.test, shown.statistic, shown.value, evidence,
        variants=tuple(variants),
    )  # fmt: skip
