"""Statistical tests: stats, afex with car, and rstatix."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg.statistics import friedman, nemenyi, one_way_anova, pairwise_tests, rm_anova, wilcoxon
from pyfsagg_papers.comparisons.base import CLOSED_FORM, Case, Tolerance, compare
from pyfsagg_papers.comparisons.material import Material
from pyfsagg_papers.records import Floats
from pyfsagg_rpy2 import statistics as r

ROUNDED = Tolerance(5.01e-4, "absolute", "rstatix rounds to three decimals")
SHIFT = Tolerance(
    1e-8,
    "relative",
    "limits of the normal form are roots, searched to 1e-14 in R",
    floor=1e-1,
)
STUDENTIZED = Tolerance(
    1e-8, "absolute", "the studentized range is a numerical integral on both sides"
)
RM_COLUMNS = [
    "ss_effect", "ss_error", "ss_subjects", "df_effect", "df_error", "f", "p", "mauchly_w",
    "mauchly_p", "gg_epsilon", "p_gg", "hf_epsilon", "p_hf", "ges", "partial_eta_squared",
]  # fmt: skip


def _row(result: Any, columns: Any) -> Floats:
    """Cells of the first row of a result's frame."""
    return np.asarray(result.to_frame().iloc[0][list(columns)], dtype=np.float64)


def _groups(material: Material) -> Iterator[tuple[str, dict[str, Floats]]]:
    """Independent groups of unequal sizes: the columns of the blocks, each without its last rows."""
    for label, values in material.blocks.items():
        n, k = values.shape
        sizes = [max(3, n - j) for j in range(k)]
        yield label, {f"g{j}": values[: sizes[j], j] for j in range(k)}


def _neighbours(k: int) -> Iterator[tuple[int, int, int]]:
    """Positions in the list of all pairs of those of neighbouring conditions, and the conditions.

    rstatix takes tens of milliseconds for each.
    """
    for position, (i, j) in enumerate(itertools.combinations(range(k), 2)):
        if j == i + 1:
            yield position, i, j


def _flat(groups: dict[str, Floats]) -> tuple[Floats, NDArray[np.str_]]:
    names = np.repeat(list(groups), [len(values) for values in groups.values()])
    return np.concatenate(list(groups.values())), names


# ---------------------------------------------------------------------------------------------
# analysis of variance
# ---------------------------------------------------------------------------------------------
@compare(
    name="rm_anova",
    package="afex",
    summary="repeated-measures ANOVA: SS, F, p, η², sphericity",
    ours="statistics.rm_anova(values, mauchly='r')",
    theirs="aov_ez(…) and car's summary",
    tolerance=CLOSED_FORM,
)
def _rm_anova(material: Material) -> Iterator[Case]:
    for label, values in material.blocks.items():
        ours = _row(rm_anova(values, mauchly="r"), RM_COLUMNS)
        yield Case(label, ours, r.rm_anova(values)[RM_COLUMNS])


@compare(
    name="rm_anova_rstatix",
    package="rstatix",
    summary="repeated-measures ANOVA, rounded by rstatix",
    ours="statistics.rm_anova(values, mauchly='r')",
    theirs="anova_test(…)",
    tolerance=ROUNDED,
)
def _rm_anova_rstatix(material: Material) -> Iterator[Case]:
    for label, values in material.blocks.items():
        theirs = r.rm_anova_rstatix(values)
        yield Case(label, _row(rm_anova(values, mauchly="r"), theirs.index), theirs)


def _register_one_way(welch: bool) -> None:
    words = "Welch's ANOVA: F, df, p" if welch else "one-way ANOVA: F, df, p, SS"

    @compare(
        name="one_way_welch" if welch else "one_way_anova",
        package="stats",
        summary=words,
        ours=f"statistics.one_way_anova(groups, welch={welch})",
        theirs="oneway.test(…)" if welch else "aov(…)",
        tolerance=CLOSED_FORM,
    )
    def _cases(material: Material) -> Iterator[Case]:
        for label, groups in _groups(material):
            theirs = r.one_way_anova(*_flat(groups), welch=welch)
            yield Case(label, _row(one_way_anova(groups, welch=welch), theirs.index), theirs)


_register_one_way(False)
_register_one_way(True)


# ---------------------------------------------------------------------------------------------
# pairs
# ---------------------------------------------------------------------------------------------
@compare(
    name="t_test_paired",
    package="rstatix",
    summary="paired t test: estimate, interval, t, p, Cohen's d",
    ours="statistics.pairwise_tests(values, paired=True, p_adjust='none')",
    theirs="t.test(x, y, paired = TRUE), cohens_d(…)",
    tolerance=CLOSED_FORM,
)
def _t_paired(material: Material) -> Iterator[Case]:
    for label, values in material.blocks.items():
        frame = pairwise_tests(values, paired=True, p_adjust="none").to_frame()
        for position, i, j in _neighbours(values.shape[1]):
            theirs = r.t_test(values[:, i], values[:, j], paired=True)
            ours = frame.iloc[position][list(theirs.index)]
            yield Case(f"{label}, {i + 1} and {j + 1}", ours, theirs)


@compare(
    name="t_test_welch",
    package="rstatix",
    summary="Welch's t test: estimate, interval, t, p, Cohen's d",
    ours="statistics.pairwise_tests(groups, paired=False, pooled=False, p_adjust='none')",
    theirs="t.test(x, y), cohens_d(…)",
    tolerance=CLOSED_FORM,
)
def _t_welch(material: Material) -> Iterator[Case]:
    for label, groups in _groups(material):
        frame = pairwise_tests(groups, paired=False, pooled=False, p_adjust="none").to_frame()
        samples = list(groups.values())
        for position, i, j in _neighbours(len(samples)):
            theirs = r.t_test(samples[i], samples[j], paired=False)
            ours = frame.iloc[position][list(theirs.index)]
            yield Case(f"{label}, {i + 1} and {j + 1}", ours, theirs)


@compare(
    name="t_test_pooled",
    package="stats",
    summary="t tests with pooled variance: adjusted p",
    ours="statistics.pairwise_tests(groups, paired=False, p_adjust=adjust)",
    theirs="pairwise.t.test(x, g, p.adjust.method)",
    tolerance=CLOSED_FORM,
)
def _t_pooled(material: Material) -> Iterator[Case]:
    for label, groups in _groups(material):
        for adjust in ("none", "bonferroni", "holm", "bh"):
            frame = pairwise_tests(groups, paired=False, p_adjust=adjust).to_frame()
            theirs = r.pooled_t_tests(*_flat(groups), adjust="BH" if adjust == "bh" else adjust)
            yield Case(f"{label}, {adjust}", frame["p_adjusted"], theirs)


# ---------------------------------------------------------------------------------------------
# ranks
# ---------------------------------------------------------------------------------------------
@compare(
    name="wilcoxon_signed_rank",
    package="stats",
    summary="Wilcoxon's signed-rank test: statistic, p",
    ours="statistics.wilcoxon(x, y, alternative, exact, correction)",
    theirs="wilcox.test(x, y, paired = TRUE, …)",
    tolerance=CLOSED_FORM,
)
def _signed_rank(material: Material) -> Iterator[Case]:
    for label, found, theirs in _signed_rank_tests(material):
        yield Case(label, [found.statistic, found.p_value], theirs[["statistic", "p"]])


@compare(
    name="wilcoxon_interval",
    package="stats",
    summary="Wilcoxon's signed-rank test: interval",
    ours="statistics.wilcoxon(x, y, …).interval",
    theirs="wilcox.test(x, y, paired = TRUE, conf.int = TRUE, tol.root = 1e-14)$conf.int",
    tolerance=SHIFT,
)
def _signed_rank_interval(material: Material) -> Iterator[Case]:
    for label, found, theirs in _signed_rank_tests(material):
        # R lowers the level where the data are too few for the one that was asked for.
        if theirs["confidence"] > 0.95 - 1e-12:
            yield Case(label, found.interval, theirs[["lower", "upper"]])


@lru_cache(maxsize=1)
def _signed_rank_tests(material: Material) -> list[tuple[str, Any, Any]]:
    tests = []
    sides: tuple[r.Alternative, ...] = ("two-sided", "less", "greater")
    choices = itertools.product(sides, (None, False), (True, False))
    for (label, x, y), (side, exact, correction) in itertools.product(
        list(material.pairs()), list(choices)
    ):
        form = "auto" if exact is None else exact
        found = wilcoxon(x, y, alternative=side, exact=form, continuity=correction)
        theirs = r.wilcoxon(x, y, paired=True, alternative=side, exact=exact, correction=correction)
        tests.append((f"{label}, {side}, exact {form}, correction {correction}", found, theirs))
    return tests


@compare(
    name="wilcoxon_rank_sum",
    package="stats",
    summary="Wilcoxon's rank-sum test: statistic, p, interval",
    ours="statistics.pairwise_tests(groups, paired=False, test='wilcoxon', p_adjust='none')",
    theirs="wilcox.test(x, y, conf.int = TRUE, tol.root = 1e-14)",
    tolerance=SHIFT,
)
def _rank_sum(material: Material) -> Iterator[Case]:
    columns = ["statistic", "p", "lower", "upper"]
    for label, groups in _groups(material):
        frame = pairwise_tests(groups, paired=False, test="wilcoxon", p_adjust="none").to_frame()
        for position, (x, y) in enumerate(itertools.combinations(groups.values(), 2)):
            theirs = r.wilcoxon(x, y, paired=False)
            if theirs["confidence"] > 0.95 - 1e-12:
                ours = frame.iloc[position][columns]
                yield Case(f"{label}, pair {position + 1}", ours, theirs[columns])


@compare(
    name="friedman",
    package="rstatix",
    summary="Friedman's test and Kendall's W",
    ours="statistics.friedman(values)",
    theirs="friedman.test(values), friedman_effsize(…)",
    tolerance=CLOSED_FORM,
)
def _friedman(material: Material) -> Iterator[Case]:
    for label, values in material.blocks.items():
        theirs = r.friedman(values)
        yield Case(label, _row(friedman(values), theirs.index), theirs)


@compare(
    name="nemenyi",
    package="stats",
    summary="p-values of Nemenyi's comparisons",
    ours="statistics.nemenyi(values)",
    theirs="ptukey(q, k, Inf, lower.tail = FALSE)",
    tolerance=STUDENTIZED,
)
def _nemenyi(material: Material) -> Iterator[Case]:
    for label, values in material.blocks.items():
        pairs = nemenyi(values).to_frame()
        tail = r.studentized_range_tail(pairs["statistic"].abs() * np.sqrt(2), values.shape[1])
        yield Case(label, pairs["p"], tail)
