"""Genes of screens: exact p-values against enumeration and rational arithmetic, rules for bad input."""

import itertools
import math
import re
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from exact_probabilities import crossing, stuart
from scipy.stats import beta

import pyfsagg
from pyfsagg import screen
from pyfsagg._kernels.order_statistics import (
    log_crossing_of_draws,
    log_group_p,
    log_group_rho,
    log_weighted_p,
)
from pyfsagg._kernels.rho import log_exact_p
from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggWarning
from pyfsagg.ranks import Rankings
from pyfsagg.screens._call import _hash, _without_missing
from pyfsagg.screens._result import estimate_alpha, storey

NOTHING = np.empty(0)


def p_of(log_rho, sizes, alpha, known):
    """log p of groups whose places are all among the known ones."""
    return log_group_p(
        log_rho, sizes, alpha, known, NOTHING, np.zeros(len(sizes) + 1, dtype=np.int64)
    )


def exact_tail(n: int, k: int, x: Fraction) -> Fraction:
    """P(at least k of n uniform numbers are at most x)."""
    return sum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(k, n + 1))


def exact_rho(places, alpha) -> Fraction:
    """ρ of percentiles given as fractions, by its definition."""
    ordered = sorted(places)
    counted = [(k, x) for k, x in enumerate(ordered, start=1) if k == 1 or x <= alpha]
    return min(exact_tail(len(ordered), k, x) for k, x in counted)


# --- exact p-values --------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_uniform_levels_are_crossed_as_rationals_say(n):
    rng = np.random.default_rng(n)
    for size in range(1, n + 1):
        for scale in (1, 10**9):
            levels = sorted(Fraction(int(v), 1000 * scale) for v in rng.integers(0, 900, size))
            expected, _ = crossing(levels, n)
            got = log_crossing_of_draws(np.array(levels, dtype=float), 1.0, n, 0.0)
            log = math.log(expected) if expected else -np.inf
            assert got == pytest.approx(log, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 40, 150])
def test_all_guides_counted_is_robust_rank_aggregation(n):
    log_rho = np.sort(np.log(np.random.default_rng(n).random(30)) * np.linspace(0.1, 40, 30))
    sizes = np.full(30, n)
    expected = log_exact_p(log_rho, sizes)
    np.testing.assert_allclose(p_of(log_rho, sizes, 1.0, NOTHING), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("ties", ["average", "last"])
@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.62, 1.0])
@pytest.mark.parametrize("kind", ["distinct", "tied"])
def test_p_of_dealt_guides_is_that_of_all_deals(ties, alpha, kind):
    """Every way to give the guides to a gene, counted; ρ in rational arithmetic."""
    tied = np.array([0, 0, 0, 1, 2, 2, 3, 4, 4, 4, 5.0])
    scores = tied if kind == "tied" else np.arange(11.0)
    genes = ["a", "b", "b", "c", "c", "c", "d", "d", "d", "d", "a"]
    shuffled = np.random.default_rng(3).permutation(11)
    genes = [genes[i] for i in shuffled]
    found = screen(scores, genes, alpha=alpha, ties=ties)
    for side in ("low", "high"):
        of_side = found.of_side(side)
        places = [Fraction(round(u * 22), 22) for u in of_side.percentiles]
        limit = Fraction(alpha)
        for g, gene in enumerate(found.genes):
            own = exact_rho([places[i] for i, name in enumerate(genes) if name == gene], limit)
            every = itertools.combinations(places, found.n_guides[g])
            deals = [exact_rho(deal, limit) for deal in every]
            assert of_side.rho[g] == pytest.approx(float(own), rel=1e-12)
            expected = sum(value <= own for value in deals) / len(deals)
            assert of_side.p_values[g] == pytest.approx(expected, rel=1e-12), (gene, side)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 1.0])
def test_p_against_controls_is_that_of_all_draws_from_the_pool(alpha):
    """The guides of a gene and the controls together, every choice of so many counted."""
    rng = np.random.default_rng(11)
    genes = np.array(["c"] * 5 + ["a"] * 2 + ["b"] * 3 + ["d"] * 4)
    with pytest.warns(PyfsaggWarning, match="rests on 5 control guides"):
        found = screen(np.round(rng.standard_normal(14), 1), genes, control_genes="c", alpha=alpha)
    for of_side in found.sides.values():
        places = np.array([Fraction(round(u * 28), 28) for u in of_side.percentiles])
        for g, gene in enumerate(found.genes):
            pool = places[(genes == "c") | (genes == gene)]
            own = exact_rho(places[genes == gene], Fraction(alpha))
            draws = itertools.combinations(pool, int((genes == gene).sum()))
            values = [exact_rho(draw, Fraction(alpha)) for draw in draws]
            expected = sum(value <= own for value in values) / len(values)
            assert of_side.p_values[g] == pytest.approx(expected, rel=1e-12), gene
    # No p-value is below that of the best place before all controls.
    scores, genes = np.r_[[-9.0, -8.0, -7.0], np.linspace(-1, 1, 20)], ["hit"] * 3 + ["none"] * 20
    with pytest.warns(
        PyfsaggWarning, match="no gene with 3 guides can have a p-value below 0.0006,"
    ):
        found = screen(scores, genes, control_genes=["none"], alpha=alpha)
    assert found.of_side("low").p_values[0] == pytest.approx(1 / math.comb(23, 3), rel=1e-12)
    assert found.controls.sum() == 20
    assert found.parameters["null"] == "controls"


def test_p_values_far_out_have_their_digits():
    """100 guides in front of a million: ρ and p beyond the floating range, in logarithms."""
    n, total = 100, 1_000_000
    known = (np.arange(total) + 0.5) / total
    log_rho = n * math.log((n - 0.5) / total)
    (log_p,) = p_of(np.array([log_rho]), np.array([n]), 1.0, known)
    all_in_front = -(math.lgamma(total + 1) - math.lgamma(n + 1) - math.lgamma(total - n + 1))
    assert log_p == pytest.approx(all_in_front, rel=1e-9)
    (bound,) = p_of(np.array([log_rho]), np.array([n]), 1.0, NOTHING)
    assert bound == pytest.approx(log_rho + math.log(n), rel=1e-12)
    w = np.array([1.5, 0.5])  # weighted p-values have a bound
    found = log_weighted_p(np.array([-2000.0, -650.0]), np.array([0, 2, 4]), np.tile(w, 2), 0.5)
    assert found[0] == pytest.approx(-2000.0 + np.log(2.0) + 2.0 * np.log(1.5))
    assert -650.0 <= found[1] <= -650.0 + np.log(2.0) + 2.0 * np.log(1.5)


def test_large_genes_agree_with_small_steps():
    """A gene of 1,000 guides beside one of 999: their p-values for one ρ are neighbours."""
    known = (np.arange(20_000) + 0.5) / 20_000
    for alpha in (0.05, 1.0):
        for places in (known, NOTHING):
            p = np.exp(p_of(np.log([0.001, 0.001]), np.array([999, 1000]), alpha, places))
            assert p[0] == pytest.approx(p[1], rel=0.02)
            assert 0.001 < p[0] < 0.2


# --- the whole call --------------------------------------------------------------------------
def drawn(n_genes=60, seed=0, hits=4):
    rng = np.random.default_rng(seed)
    genes = np.repeat([f"g{i}" for i in range(n_genes)], rng.integers(1, 7, n_genes))
    scores = rng.standard_normal(len(genes)) - 3.0 * np.isin(genes, [f"g{i}" for i in range(hits)])
    return scores, genes


def test_sides_are_mirrored():
    scores, genes = drawn()
    found, mirrored = screen(scores, genes), screen(-scores, genes)
    for one, other in (("low", "high"), ("high", "low")):
        here, there = found.of_side(one), mirrored.of_side(other)
        np.testing.assert_array_equal(here.log_p_values, there.log_p_values)
    alone = screen(scores, genes, side="low")
    assert list(alone.sides) == ["low"]
    np.testing.assert_array_equal(alone.of_side("low").log_rho, found.of_side("low").log_rho)
    with pytest.raises(ParameterError, match="side must be one of 'low', got 'high'"):
        alone.of_side("high")


def test_effects_are_those_of_a_plain_loop():
    scores, genes = drawn(seed=3)
    lfc = np.where(np.arange(len(scores)) % 7 == 0, np.nan, scores * 0.5 + 0.1)
    found = screen(scores, genes, log_fold_changes=lfc, alpha=(0.2, 0.1))
    frame = found.to_frame()
    for gene in found.genes:
        own = pd.Series(lfc[genes == gene])
        row = frame.loc[gene]
        known = own.dropna().sort_values()
        middle = known.median() if len(known) else np.nan  # old pandas warns of none
        np.testing.assert_allclose(row["median_lfc"], middle)
        for side, second in (("low", known.iloc[1:2]), ("high", known.iloc[-2:-1])):
            expected = second.iloc[0] if len(known) > 1 else np.nan
            np.testing.assert_allclose(row[f"{side}_second_best_lfc"], expected)
            of_side = found.of_side(side)
            counted = (of_side.percentiles <= of_side.alpha)[genes == gene]
            np.testing.assert_allclose(row[f"{side}_alpha_mean_lfc"], own[counted].mean())
            assert row[f"{side}_counted"] == counted.sum()


def test_adjusted_p_values_and_storeys_share():
    scores, genes = drawn(200, seed=4, hits=40)
    side = screen(scores, genes).of_side("low")
    assert side.null_share == storey(side.p_values)
    np.testing.assert_allclose(side.q_values, side.null_share * side.adjusted_p_values)
    assert storey(np.array([0.9, 0.8])) == 1.0
    # 3 of 20 above 1/2: (1 + 3) / 10
    assert storey(np.r_[np.full(17, 0.5), 0.51, 0.9, 1.0]) == pytest.approx(0.4)


def test_alpha_of_p_values():
    assert estimate_alpha(None) == 0.05
    assert estimate_alpha(np.r_[np.full(30, 0.25), np.full(70, 0.3)]) == 0.3
    assert estimate_alpha(np.r_[np.full(30, 0.25), np.full(30, 0.3), np.full(40, np.nan)]) == 0.5
    assert estimate_alpha(np.r_[0.1, np.full(99, 0.3)]) == 0.05
    assert estimate_alpha(np.array([np.nan])) == 0.05
    scores, genes = drawn()
    p = np.linspace(0, 1, len(scores))
    found = screen(scores, genes, p_values=(p, p[::-1]))
    high = screen(scores, genes, p_values=p, side="high").of_side("high")
    assert found.of_side("low").alpha == high.alpha == pytest.approx((p <= 0.25).mean())


def test_genes_with_few_guides_and_guides_without_a_score_are_told_of():
    scores = np.array([1.0, np.nan, 2.0, 3.0, -1.0, 0.5])
    genes = ["a", "a", "b", "b", "c", "d"]
    found = screen(scores, genes, missing="drop", min_guides=2)
    assert found.genes == ("b",)
    assert found.data["guides_without_score"] == 1
    assert any("1 guide without a score omitted" in text for text in found.remarks)
    assert any("3 genes with too few guides not tested: a, c and d" in t for t in found.remarks)
    # the guides of genes that are not tested keep their places
    assert len(found.guides) == 5
    assert found.guide_frame()["gene"].tolist() == ["", "b", "b", "", ""]
    single = screen([3.0, 1.0, 2.0], ["a", "b", "c"])
    none = [text for text in single.remarks if text.startswith("No guide counts on the ")]
    assert [text.split()[5] for text in none] == ["low", "high"]
    assert "No guide counts" not in str(screen([3.0, 1.0], ["a", "b"], alpha=0.25).remarks)
    assert any("3 genes of 3 with one guide" in text for text in single.remarks)
    np.testing.assert_allclose(single.of_side("low").p_values, [1.0, 1 / 3, 2 / 3])
    assert "2 of 3 guides share one score." in screen([1.0, 1.0, 2.0], list("abb")).remarks
    library = SimpleNamespace(scores=np.array([1.0, 2.0]))
    assert _without_missing(library, "error") == (library, 0)


def test_a_large_tie_is_more_than_a_hundredth_of_the_guides():
    for tied, told in ((2, False), (3, True)):
        scores = np.arange(200.0)
        scores[:tied] = 0.0
        remarks = " ".join(screen(scores, np.arange(200) // 4).remarks)
        assert (f"{tied} of 200 guides" in remarks) == told


def test_names_of_guides():
    scores = pd.Series([1.0, 2.0], index=["s1", "s2"])
    assert screen(scores, ["a", "a"]).guides == ("s1", "s2")
    assert screen([1.0, 2.0], ["a", "a"]).guides == ("guide1", "guide2")
    assert screen(scores, ["a", "a"], guides=["x", "y"]).guides == ("x", "y")
    frame = pd.DataFrame({"gene": pd.array([7, 7], dtype="Int64"), "score": [1, 2]})
    assert screen(frame["score"], frame["gene"]).genes == ("7",)


SEVENTEEN = {"scores": np.arange(17.0), "genes": ["a"] * 17, "guides": None}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"scores": []}, DataError, "no guide was given"),
        ({"scores": [[1.0, 2.0]]}, DataError, r"one number per guide, got shape \(1, 2\)"),
        ({"scores": ["x", "y", "z"]}, InputTypeError, "scores must be one number per guide"),
        ({"scores": [1.0, np.nan, 3.0]}, DataError, "3 without a score, the first is 's2'.*'drop'"),
        ({"scores": [1.0, np.inf, 3.0]}, DataError, "score of the guide 's2' is infinite"),
        ({"scores": [np.nan] * 3, "missing": "drop"}, DataError, "no guide has a score"),
        ({"genes": ["a", "b"]}, DataError, "genes has 2 names for 3 guides"),
        ({"genes": ["a", None, "b"]}, DataError, "1 guide of 3 without a name, the first in place 2"),
        ({"genes": "abc"}, InputTypeError, "genes must be one name per guide"),
        ({"guides": ["s1", "s2", "s1"]}, DataError, "'s1' is in 2 genes, a and b.*shared_guides='drop'"),
        ({"guides": ["s1", "s1", "s2"]}, DataError, "'s1' of the gene 'a' is given twice"),
        ({"log_fold_changes": [1.0]}, DataError, "log_fold_changes has 1 values for 3 guides"),
        ({"p_values": [0.1, 0.2, 0.3]}, ParameterError, "p_values must be a pair"),
        ({"p_values": ([0.1, 0.2, 3.0], [0.1] * 3)}, DataError, "is 3; p-values lie from 0 to 1"),
        ({"alpha": 0.0}, ParameterError, "alpha must be a number above 0.0 and at most 1.0, got 0.0"),
        ({"alpha": 1.2}, ParameterError, "alpha must be a number above 0.0"),
        ({"alpha": (0.1, 0.2, 0.3)}, ParameterError, "one for each side"),
        ({"alpha": (0.1, 0.2), "side": "low"}, ParameterError, "one for each side"),
        ({"side": "left"}, ParameterError, "side must be one of"),
        ({"null": "normal"}, ParameterError, "null must be one of"),
        ({"ties": "min"}, ParameterError, "ties must be one of"),
        ({"missing": "keep"}, ParameterError, "missing must be one of"),
        ({"min_guides": 0}, ParameterError, "min_guides must be a whole number of at least 1"),
        ({"min_guides": 3}, DataError, "no gene has 3 guides; the most that a gene has is 2"),
        ({"control_guides": ["s9"]}, DataError, "no guide of the screen is a control.*control_guides"),
        ({"control_genes": "z"}, DataError, "control_genes names z, but the screen contains a and b"),
        ({"control_genes": []}, DataError, "names no control"),
        ({"control_genes": ["a"], "null": "uniform"}, ParameterError, "exclude each other"),
        ({"guide_weights": [1, 2, 3]}, ParameterError, "guide_weights need null='uniform'"),
        ({"guide_weights": [1, 2, 0], "null": "uniform"}, DataError, "finite numbers above 0"),
        ({**SEVENTEEN, "guide_weights": np.ones(17), "null": "uniform"}, DataError,
         "17 guides; with guide_weights a gene may have 16"),
        ({"replicates": [[1, 2]]}, DataError, "replicates has 2 values for 3 guides"),
        ({"replicates": [[1, 2, np.inf]]}, DataError, "'s3' is infinite"),
        ({"shared_guides": "both"}, ParameterError, "shared_guides must be one of"),
        ({"guides": ["s1", "s2", "s1"], "shared_guides": "each"}, DataError,
         "'s1' has another score in another gene"),
        ({"guides": ["s1", "s1", "s2"], "shared_guides": "each"}, DataError,
         "'s1' of the gene 'a' is given twice"),
        ({"scores": [1.0, 1.0], "genes": ["a", "b"], "guides": ["s", "s"], "shared_guides": "drop"},
         DataError, "every guide is in several genes"),
    ],
)  # fmt: skip
def test_bad_input(arguments, error, message):
    given = {"scores": [1.0, 2.0, 3.0], "genes": ["a", "a", "b"], "guides": ["s1", "s2", "s3"]}
    given |= arguments
    with pytest.raises(error, match=message):
        screen(given.pop("scores"), given.pop("genes"), **given)


def test_warnings():
    scores, genes = [1.0, 2.0, 3.0], ["a", "a", "b"]
    said = "1 of 2 names in control_genes are not in the screen: z"
    few = r"rests on 1 control guide: no gene with 2 guides can have a p-value below 0\.3,"
    with pytest.warns(PyfsaggWarning, match=said), pytest.warns(PyfsaggWarning, match=few):
        found = screen(scores, genes, control_genes=["b", "z"])
    assert found.controls.tolist() == [False, False, True]
    with pytest.warns(PyfsaggWarning, match="no score is below 0 although log fold changes are"):
        screen(scores, genes, log_fold_changes=[-1.0, 0.3, 0.2])
    rng = np.random.default_rng(0)
    for name in ("NonTargeting", "non-targeting control", "NegCtrl", "controls", "safe_harbor"):
        with pytest.warns(PyfsaggWarning, match=f"guides of '{name}' seem to be controls"):
            screen(rng.standard_normal(12), ["a"] * 4 + ["NTRK1"] * 4 + [name] * 4)
    given = {"guides": list("wxyz"), "control_guides": ["w"], "control_genes": ["c"]}
    with pytest.warns(PyfsaggWarning, match="rests on 2 control guides"):
        found = screen([1.0, 2.0, 3.0, 4.0], ["a", "a", "b", "c"], **given)
    assert found.controls.tolist() == [True, False, False, True]


def test_controls_by_pattern():
    """The advice names all controls, and followed it finds what is there."""
    rng = np.random.default_rng(1)
    genes = np.array([f"g{i // 4}" for i in range(400)])
    genes = np.r_[genes, [f"NonTargetingGuide_{i:04d}" for i in range(60)], ["NTC*"]]
    scores = np.r_[np.repeat([-5.0, 0.0], [8, 392]), np.zeros(61)] + rng.standard_normal(461)
    with pytest.warns(PyfsaggWarning, match="60 genes such as 'NonTargetingGuide_0000'") as caught:
        screen(scores, genes)
    advice = re.search(r"60 control guides: control_genes='(.*)'$", str(caught[0].message))
    assert advice is not None
    found = screen(scores, genes, control_genes=advice[1])
    assert found.controls.tolist() == [name.startswith("Non") for name in genes]
    assert set(found.select("low")) == {"g0", "g1"}
    names = [f"NonTargetingGuide_{i:04d}" for i in range(60)]
    assert screen(scores, genes, control_genes=names).to_frame().equals(found.to_frame())
    for pattern, number in (("NonTargetingGuide_000?", 10), ("*_005[0-4]", 5), ("NTC*", 1)):
        with pytest.warns(PyfsaggWarning, match="rests on"):
            assert screen(scores, genes, control_genes=pattern).controls.sum() == number
    with pytest.raises(DataError, match=r"no guide of the screen is a control.*patterns with \*"):
        screen(scores, genes, control_genes="nontargeting*")  # case counts
    for kinds, advised in (
        (["ctrl1", "ctrl2"], r"control_genes=\['ctrl1', 'ctrl2'\]"),
        ([*(f"NTC_{i}" for i in range(9)), *(f"ctrl{i}" for i in range(9))], r"'NTC_\*', 'ctrl\*'"),
        (
            [*(f"ctrl{i}" for i in range(9)), "ctrlG1"],
            "name them in a file, one per line, for control_g",
        ),
    ):
        more = np.r_[genes[:400], kinds]
        with pytest.warns(PyfsaggWarning, match=advised):
            screen(scores[: len(more)], more)


# --- the result ------------------------------------------------------------------------------
def test_order_selection_and_text():
    scores, genes = drawn(300, seed=7, hits=10)
    found = screen(scores, genes)
    frame = found.to_frame("low")
    assert frame["low_p_value"].is_monotonic_increasing
    chosen = found.select("low", 0.1)
    assert chosen == frame.index[frame["low_fdr"] <= 0.1].tolist()
    assert 0 < len(chosen) <= 12
    both = found.to_frame()[["low_p_value", "high_p_value"]].min(axis=1)
    assert both.is_monotonic_increasing
    text = found.summary_text(fdr=0.1)
    assert found.to_json() == found.to_json(fdr=0.05, top=10) != found.to_json(fdr=1.0)
    assert f"{len(chosen)} genes with a false discovery rate of at most 0.1" in text
    assert chosen[0] in text.split("Enriched")[0]
    said = f"Screen(300 genes, {len(scores):,} guides; best low: {chosen[0]}, "
    assert repr(found).startswith(said)
    with pytest.raises(ParameterError, match="fdr must be"):
        found.select("low", 0)


# --- grouped items for every aggregator ------------------------------------------------------
def test_groups_as_items():
    scores, genes = drawn(40, seed=9)
    table = Rankings.from_groups(scores, genes, higher_is_better=False)
    assert table.absent == "unknown"
    assert table.ranks.shape == (max(np.bincount(pd.factorize(genes)[0])), 40)
    places = pd.Series(scores).rank(method="max") / len(scores)
    found = aggregate(table, "rra", exact=True)
    for j, name in enumerate(table.items):
        own = np.sort(places[genes == name].to_numpy())
        np.testing.assert_array_equal(table.ranks[: len(own), j], own)
        k = np.arange(1, len(own) + 1)
        rho = beta.cdf(own, k, len(own) - k + 1).min()
        assert found.statistic[j] == pytest.approx(rho, rel=1e-10)
    assert found.n_tests == 40
    means = places.groupby(genes, sort=False).mean()
    np.testing.assert_allclose(aggregate(table, "mean_rank").statistic, means)
    # Tied members have their last place, also in p-values.
    table = Rankings.from_groups([1.0, 0.0, 0.0, 0.0], ["a", "a", "b", "b"])
    np.testing.assert_array_equal(table.ranks, [[0.25, 1.0], [1.0, 1.0]])
    assert table._with_last_places() is table


def test_bad_groups():
    for scores, groups, message in (
        ([1.0, 2.0], ["a"], "one value per member"),
        ([], [], "one value per member"),
        ([1.0, np.nan], ["a", "b"], "score of member 2 is missing or infinite"),
        ([1.0, 2.0], ["a", None], "member 2 has no group"),
    ):
        with pytest.raises(DataError, match=message):
            Rankings.from_groups(scores, groups)


def test_a_guide_at_the_limit_counts() -> None:
    """The first guide of four has the percentile 1/8."""
    found = screen([1.0, 2.0, 3.0, 4.0], list("aabb"), alpha=0.125).to_frame()
    assert found["low_counted"].tolist() == [1, 0]
    np.testing.assert_array_equal(found["low_alpha_mean_score"], [1.0, np.nan])
    np.testing.assert_array_equal(found["high_alpha_mean_score"], [np.nan, 4.0])


# -- replicates, weights, guides in several genes -------------------------------------------------
def test_replicates_place_guides_by_stuarts_q() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(3, 40)).round(1)
    scores[1, 5] = np.nan
    genes = np.repeat(list("abcdefgh"), 5)
    found = screen(scores[0], genes, replicates=list(scores[1:]), alpha=0.3)
    table = pyfsagg.Rankings.from_scores(-scores, absent="unknown")
    shares = (table.ranks - 0.5) / (~np.isnan(table.ranks)).sum(axis=1, keepdims=True)
    whole = [np.rint(3120 * each[~np.isnan(each)]).astype(int).tolist() for each in shares.T]
    q = [float(stuart(each, 3120)) for each in whole]  # 2 * 40 * 39
    expected = (np.argsort(np.argsort(q, kind="stable")) + 0.5) / 40
    values, counts = np.unique(np.round(q, 12), return_counts=True)
    alone = np.isin(np.round(q, 12), values[counts == 1])
    assert alone.sum() > 30
    np.testing.assert_allclose(found.of_side("low").percentiles[alone], expected[alone])
    np.testing.assert_allclose(found.scores, np.nanmean(scores, axis=0))
    # Equal replicates keep the order of one, and so its places and p-values.
    once = screen(scores[0], genes, alpha=0.3)
    again = screen(scores[0], genes, replicates=[scores[0], scores[0]], alpha=0.3)
    for side in ("low", "high"):
        np.testing.assert_allclose(again.of_side(side).percentiles, once.of_side(side).percentiles)
        np.testing.assert_allclose(again.of_side(side).p_values, once.of_side(side).p_values)
    assert "in 3 replicates" in again.remarks[0]
    swapped = screen(-scores[0], genes, replicates=list(-scores[1:]), alpha=0.3).of_side("high")
    np.testing.assert_allclose(swapped.percentiles, found.of_side("low").percentiles)


def test_a_weight_divides_the_percentile_and_p_values_are_exact() -> None:
    rng = np.random.default_rng(2)
    genes = np.repeat([f"g{i}" for i in range(50)], 4)
    scores = rng.normal(size=200)
    weights = rng.choice([1.0, 2.0, 5.0], 200)
    plain = screen(scores, genes, null="uniform", alpha=0.3)
    found = screen(scores, genes, null="uniform", alpha=0.3, guide_weights=weights)
    means = pd.Series(weights).groupby(genes).transform("mean").to_numpy()
    np.testing.assert_allclose(found.guide_weights, weights / means)
    told = "Percentiles of guides are divided by their weights, which have mean 1 in each gene."
    assert told in found.remarks
    assert told not in plain.remarks
    places = np.minimum(1.0, plain.of_side("low").percentiles * means / weights)
    np.testing.assert_allclose(found.of_side("low").percentiles, places)
    equal = screen(scores, genes, null="uniform", alpha=0.3, guide_weights=np.full(200, 7.0))
    once, again = (one.of_side("high").log_p_values for one in (plain, equal))
    np.testing.assert_allclose(again, once, rtol=1e-11)


@pytest.mark.parametrize("alpha", [0.1, 0.4, 1.0])
@pytest.mark.parametrize("weights", [(1.0,), (1.5, 0.5), (2.0, 0.5, 0.5), (0.4, 1.2, 2.0, 0.4)])
def test_weighted_p_values_are_the_volume_where_a_level_is_reached(weights, alpha) -> None:
    w = np.array(weights)
    n = len(w)
    for log_rho in (-0.2, -2.0, -6.0):
        levels = np.array([beta.ppf(np.exp(log_rho), k, n - k + 1) for k in range(1, n + 1)])
        levels[1:] = np.minimum(levels[1:], alpha)
        levels = np.maximum.accumulate(levels)
        chance = 0.0
        cuts = np.r_[0.0, levels]
        # Each guide falls between two levels, or beyond the last one.
        shares = np.diff(np.minimum(1.0, np.outer(w, cuts)), axis=1)
        shares = np.column_stack([shares, 1.0 - shares.sum(axis=1)])
        for cells in itertools.product(range(n + 1), repeat=n):
            reached = [sum(cell < k for cell in cells) >= k for k in range(1, n + 1)]
            if any(reached):
                chance += np.prod(shares[range(n), cells])
        found = log_weighted_p(np.array([log_rho]), np.array([0, n]), w, alpha)[0]
        assert np.exp(found) == pytest.approx(chance, rel=1e-9)


def test_guides_in_several_genes_have_one_place() -> None:
    scores = [0.1, 0.2, 0.3, 0.4, 0.1]
    guides, genes = ["s1", "s2", "s3", "s4", "s1"], ["a", "a", "b", "b", "b"]
    each = screen(scores, genes, guides=guides, alpha=0.6, shared_guides="each", side="low")
    np.testing.assert_allclose(each.of_side("low").percentiles, [0.125, 0.375, 0.625, 0.875, 0.125])
    assert each.n_guides.tolist() == [2, 3]
    assert each.data["n_guides"] == 4
    triples = np.array(list(itertools.combinations([0.125, 0.375, 0.625, 0.875], 3)))
    log_rho, _ = log_group_rho(triples.ravel(), np.arange(5) * 3, 0.6)
    share = np.mean(log_rho <= each.of_side("low").log_rho[1] + 1e-12)
    assert each.of_side("low").p_values[1] == pytest.approx(share)
    drop = screen(scores, genes, guides=guides, alpha=0.6, shared_guides="drop", side="low")
    assert (drop.guides, drop.genes) == (("s2", "s3", "s4"), ("a", "b"))
    assert "In several genes: 1 guide, omitted." in drop.remarks


def test_the_picture_of_genes_among_all_guides() -> None:
    scores, genes = drawn()[:2]
    found = screen(scores, genes, alpha=0.3)
    name = found.genes[3]
    ax = found.plot("genes", genes=[name, found.genes[0]])
    assert [label.get_text() for label in ax.get_yticklabels()] == [name, found.genes[0]]
    mine = np.asarray(scores)[np.asarray(genes) == name]
    ticks = np.sort([segment[0, 0] for segment in ax.collections[0].get_segments()])
    np.testing.assert_allclose(ticks, np.sort(mine))
    with pytest.raises(ParameterError, match="'nothing' is not a tested gene"):
        found.plot("genes", genes=["nothing"])


def test_the_fingerprint_of_guides_knows_all_that_is_given():
    given = {
        "names": np.array(["a", "b"]), "gene_names": np.array(["x", "y"]), "gene": np.array([0, 1]),
        "scores": np.array([0.0, 2.0]), "log_fold_changes": None, "p_values": {}, "replicates": None,
        "weights": None,
    }  # fmt: skip
    other = {
        "names": np.array(["a", "c"]), "gene_names": np.array(["x", "z"]), "gene": np.array([1, 0]),
        "scores": np.array([0.0, 3.0]), "log_fold_changes": np.ones(2), "p_values": {"up": np.ones(2)},
        "replicates": np.ones(2), "weights": np.ones(2),
    }  # fmt: skip
    known = {_hash(SimpleNamespace(**{**given, name: value})) for name, value in other.items()}
    known.add(_hash(SimpleNamespace(**given)))
    assert len(known) == 1 + len(other)
    # No sign of zero.
    assert _hash(SimpleNamespace(**{**given, "scores": np.array([-0.0, 2.0])})) in known
