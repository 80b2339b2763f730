"""Signed-rank and rank-sum tests, Friedman, Nemenyi, critical difference, wins and losses."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats
from scipy.special import binom

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, PyfsaggWarning
from pyfsagg.statistics import (
    critical_difference,
    friedman,
    nemenyi,
    pairwise_tests,
    rm_anova,
    wilcoxon,
    win_tie_loss,
)
from pyfsagg.statistics.average_ranks import _range_tail

SIDES = ["two-sided", "less", "greater"]
PLAIN = np.array([1.1, 2.5, 0.4, 3.2, 1.9, -0.3, 0.7, -1.2, 2.2])
TIES = np.array([1.0, 1, 2, -2, 3, 3, 3, -1, 4, -5])
ZEROS = np.array([0.0, 0, 1.5, -2.5, 3.25, 4, 4, -0.5, 6])


def enumerated(differences, zero_method):
    """W₊ under all signs of the non-zero differences, by brute force."""
    used = differences[differences != 0] if zero_method == "wilcox" else differences
    ranks = stats.rankdata(np.abs(used))
    moving = ranks[used != 0]
    fixed = ranks[used == 0].sum() / 2 if zero_method == "zsplit" else 0.0
    signs = np.array(list(itertools.product([0, 1], repeat=moving.size)))
    return signs @ moving + fixed


# --- signed ranks ----------------------------------------------------------------------------
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("differences", [PLAIN, TIES, ZEROS], ids=["plain", "ties", "zeros"])
def test_exact_is_the_share_of_all_signs(differences, zero_method):
    null = enumerated(differences, zero_method)
    for side in SIDES:
        found = wilcoxon(differences, alternative=side, exact=True, zero_method=zero_method)
        at_least = (null >= found.statistic - 1e-9).mean()
        at_most = (null <= found.statistic + 1e-9).mean()
        tails = {"greater": at_least, "less": at_most, "two-sided": 2 * min(at_least, at_most)}
        assert found.p_value == pytest.approx(min(1.0, tails[side]), rel=1e-12)
        assert found.z is None


@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
@pytest.mark.parametrize("correction", [True, False])
@pytest.mark.parametrize("side", SIDES)
def test_normal_form_agrees_with_scipy(zero_method, correction, side):
    differences = np.round(np.random.default_rng(6).normal(0.4, 1.5, 30))
    how = {"zero_method": zero_method, "alternative": side}
    expected = stats.wilcoxon(differences, correction=correction, method="approx", **how)
    found = wilcoxon(differences, exact=False, continuity=correction, **how)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert abs(found.z) == pytest.approx(abs(expected.zstatistic))


def test_exact_is_chosen_as_in_r():
    rng = np.random.default_rng(7)
    assert wilcoxon(rng.normal(size=49)).method == "exact"
    assert wilcoxon(rng.normal(size=50)).method == "normal"
    assert wilcoxon(rng.normal(size=50), exact=True).method == "exact"
    assert wilcoxon(TIES).method == "normal"
    assert wilcoxon(TIES, exact=True).method == "exact given ties"
    # A zero sends the test to the normal form even where it is omitted, as in R.
    assert wilcoxon(np.append(PLAIN, 0.0)).method == "normal"


def test_pseudomedian_and_exact_interval_by_definition():
    found = wilcoxon(PLAIN)
    n = PLAIN.size
    walsh = np.sort([(PLAIN[i] + PLAIN[j]) / 2 for i in range(n) for j in range(i, n)])
    assert found.estimate == np.median(walsh)
    # A shift inside the interval is not rejected at 5 %, one outside is.
    low, high = found.interval
    for shift, inside in [(low - 1e-6, False), (low + 1e-6, True), (high - 1e-6, True),
                          (high + 1e-6, False)]:  # fmt: skip
        assert (wilcoxon(PLAIN - shift).p_value > 1 - found.interval_confidence) == inside
    assert 0.95 <= found.interval_confidence < 0.97


@pytest.mark.parametrize("correction", [True, False])
def test_normal_interval_inverts_the_test(correction):
    differences = np.round(np.random.default_rng(8).normal(0.5, 2, 25), 1)
    how = {"exact": False, "continuity": correction}
    interval = wilcoxon(differences, **how).interval
    for limit, outward in zip(interval, (-1e-7, 1e-7), strict=True):
        beyond, within = (
            wilcoxon(differences - limit - step, **how).p_value for step in (outward, -outward)
        )
        assert beyond < 0.05 <= within


def test_one_sided_interval():
    up, down = wilcoxon(PLAIN, alternative="greater"), wilcoxon(PLAIN, alternative="less")
    assert up.interval[1] == math.inf
    assert down.interval[0] == -math.inf
    assert up.p_value + down.p_value > 1
    two = wilcoxon(PLAIN, confidence_level=0.9).interval
    assert (up.interval[0], down.interval[1]) == two
    assert json.loads(up.to_json())["rows"][0]["upper"] is None


def test_all_differences_zero():
    found = wilcoxon([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (found.p_value, found.statistic, found.estimate, found.interval) == (1, 0, 0, (0, 0))
    assert found.n_zero == 3
    assert "all differences are zero" in found.sentence
    assert "p = 1 by definition" in found.to_frame()["note"].iloc[0]


def test_too_few_pairs_for_the_level_is_said():
    found = wilcoxon([0.5, 1.25, -2.0])
    assert found.interval_confidence == pytest.approx(0.75)
    assert found.interval == (-2.0, 1.25)
    assert "too few pairs" in found.note
    assert "75 % interval" in found.sentence
    # Ties: no exact form. 2 / 2^5 > 0.05, so no interval of five pairs has the level.
    assert "too few pairs" in wilcoxon([1.0, 1.0, 2.0, 3.0, -1.0, 0.0]).note
    assert wilcoxon([1.0, 1.0, 2.0, 3.0, -1.0, 4.0]).note == ""
    assert wilcoxon([1.0, 1.0, 2.0, 3.0, -1.0], alternative="greater").note == ""


def test_rounding_errors_are_not_taken_for_differences_unseen():
    x, y = np.array([0.3, 0.2, 0.5, 0.9, 1.7]), np.array([0.2, 0.1, 0.1, 0.2, 0.9])
    assert 0.3 - 0.2 != 0.2 - 0.1
    with pytest.warns(PyfsaggWarning, match="decimals"):
        assert not wilcoxon(x, y).has_ties
    rounded = wilcoxon(x, y, decimals=6)
    assert (rounded.has_ties, rounded.method) == (True, "normal")


def test_missing_pairs():
    x = [1.0, 2.5, np.nan, 4.0, 5.5]
    with pytest.raises(DataError, match="1 of 5 pairs have a missing value, the first in row 3"):
        wilcoxon(x)
    dropped = wilcoxon(x, missing="drop")
    assert (dropped.n, dropped.n_dropped) == (4, 1)
    assert "1 omitted" in dropped.sentence


def test_bad_pairs_and_options():
    refused(
        wilcoxon,
        (([1.0, 2.0],), {}, DataError, "at least 3 complete pairs"),
        (([1.0, 2.0, 3.0], [1.0, 2.0]), {}, ParameterError, "same length, got 3 and 2"),
        (([1.0, 2.0, np.inf],), {}, DataError, "infinite value in row 3"),
        ((["a", "b", "c"],), {}, DataError, "not a number"),
        ((np.ones((3, 2)),), {}, DataError, "one dimension"),
        ((PLAIN,), {"alternative": "two.sided"}, ParameterError, "alternative"),
        ((PLAIN,), {"exact": "yes"}, ParameterError, "exact"),
        ((PLAIN,), {"zero_method": "drop"}, ParameterError, "zero_method"),
        ((PLAIN,), {"continuity": 1}, InputTypeError, "continuity"),
        ((PLAIN,), {"confidence_level": 1.0}, ParameterError, "confidence_level"),
        ((PLAIN,), {"decimals": 1.5}, ParameterError, "decimals"),
    )


# --- rank sums -------------------------------------------------------------------------------
@pytest.mark.parametrize("digits", [6, 0], ids=["exact", "ties"])
def test_rank_sum_interval_holds_the_shifts_that_are_not_rejected(digits):
    rng = np.random.default_rng(9)
    method = "exact" if digits else "asymptotic"
    for m, n in [(9, 11), (6, 7), (12, 8), (15, 15), (5, 20), (10, 10)]:
        x, y = np.round(rng.normal(2, 3, m), digits), np.round(rng.normal(0, 3, n), digits)
        row = pairwise_tests({"x": x, "y": y}, paired=False, test="wilcoxon").to_frame().iloc[0]
        assert row["statistic"] == stats.mannwhitneyu(x, y).statistic
        assert row["estimate"] == np.median(np.subtract.outer(x, y))
        for limit, outward in ((row["lower"], -1e-7), (row["upper"], 1e-7)):
            beyond, within = (
                stats.mannwhitneyu(x - limit - step, y, method=method).pvalue
                for step in (outward, -outward)
            )
            assert beyond < 0.05 <= within


def test_rank_sum_of_single_values():
    row = pairwise_tests({"a": [1], "b": [2, 3]}, paired=False, test="wilcoxon").to_frame().iloc[0]
    assert (row["lower"], row["upper"]) == (-2.0, -1.0)
    assert "too few values" in row["note"]
    assert row["p"] == pytest.approx(2 / binom(3, 1))


# --- Friedman and Nemenyi --------------------------------------------------------------------
SCORES = np.array(
    [[0.9, 0.8, 0.7, 0.7], [0.8, 0.7, 0.75, 0.6], [0.6, 0.5, 0.4, 0.4], [0.9, 0.7, 0.8, 0.9],
     [0.5, 0.6, 0.4, 0.3]]
)  # fmt: skip


def test_friedman_agrees_with_scipy_and_with_an_anova_of_ranks():
    found = friedman(SCORES)
    expected = stats.friedmanchisquare(*SCORES.T)
    assert (found.statistic, found.p_value) == pytest.approx(tuple(expected))
    ranks = stats.rankdata(-SCORES, axis=1)
    assert found.average_ranks == pytest.approx(tuple(ranks.mean(axis=0)))
    anova = rm_anova(ranks, sphericity_correction="none")
    assert (found.f, found.f_p_value) == pytest.approx((anova.f, anova.p_value))
    assert found.kendall_w == pytest.approx(anova.partial_eta_squared)
    assert found.kendall_w_interval == pytest.approx(anova.partial_eta_squared_interval)


def test_friedman_direction_reverses_the_ranks_only():
    up, down = friedman(SCORES), friedman(SCORES, higher_is_better=False)
    assert up.statistic == pytest.approx(down.statistic)
    np.testing.assert_allclose(np.add(up.average_ranks, down.average_ranks), 5.0)
    with pytest.raises(InputTypeError, match="higher_is_better"):
        friedman(SCORES, higher_is_better="max")


def test_full_agreement():
    found = friedman(np.tile([3.0, 2.0, 1.0], (4, 1)))
    assert (found.kendall_w, found.f, found.f_p_value) == (1.0, math.inf, 0.0)
    assert found.statistic == pytest.approx(8.0)
    assert "all subjects rank them alike" in found.sentence
    assert "F is infinite" in found.to_frame()["note"].iloc[0]


@pytest.mark.parametrize("test", [friedman, nemenyi, critical_difference])
def test_ranks_of_conditions_that_always_agree(test):
    with pytest.raises(DataError, match="all ranks are tied"):
        test(np.repeat(SCORES[:, :1], 3, axis=1))
    with pytest.raises(DataError, match="2 complete subject"):
        test(SCORES[:2])


def test_critical_values_of_demsar():
    """Table 5 of Demšar (2006): q_0.05 and q_0.10 for 2 to 10 classifiers."""
    table = {
        0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
        0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
    }
    rng = np.random.default_rng(1)
    for alpha, values in table.items():
        for k, q in enumerate(values, start=2):
            found = critical_difference(rng.normal(size=(6, k)), 1 - alpha)
            assert found.q == pytest.approx(q, abs=1.01e-3)
            assert found.critical_difference == pytest.approx(found.q * math.sqrt(k * (k + 1) / 36))


def test_nemenyi_limits_p_and_significance_agree():
    rng = np.random.default_rng(3)
    found = nemenyi(rng.normal(size=(15, 5)) + np.arange(5) / 2)
    frame = found.to_frame()
    assert 0 < frame["significant"].sum() < len(frame)
    assert ((frame["p"] <= 0.05) == frame["significant"]).all()
    assert ((frame["lower"] * frame["upper"] >= 0) == frame["significant"]).all()
    assert f"{frame['significant'].sum()} of 10 pairs differ" in found.sentence


def test_cliques_are_the_maximal_runs():
    rng = np.random.default_rng(4)
    for shift in (0.0, 0.3, 0.8, 3.0):
        found = critical_difference(rng.normal(size=(12, 6)) + shift * np.arange(6))
        ranks = dict(zip(found.conditions, found.average_ranks, strict=True))
        pairs, limit = itertools.combinations(found.conditions, 2), found.critical_difference
        alike = {(a, b) for a, b in pairs if abs(ranks[a] - ranks[b]) < limit}
        covered = {p for clique in found.cliques for p in itertools.combinations(clique, 2)}
        assert covered == alike
        for one, other in itertools.permutations(found.cliques, 2):
            assert not set(one) <= set(other)
    assert list(found.average_ranks) == sorted(found.average_ranks)
    frame = found.to_frame()
    assert frame.index.tolist() == list(found.conditions)
    assert found.conditions[0] in found.sentence


def test_alpha():
    message = "confidence_level must be a number above 0 and below 1"
    for bad in (0, 1, 5, "0.05"):
        refused(critical_difference, ((SCORES, bad), {}, ParameterError, message))


def test_wins_ties_losses():
    table = pd.DataFrame(SCORES, columns=list("abcd"))
    frame = win_tie_loss(table)
    row = frame.set_index(["group1", "group2"]).loc[("a", "d")]
    assert (row["wins"], row["ties"], row["losses"]) == (4, 1, 0)
    assert row["p"] == pytest.approx(2 * 0.5**4)
    assert (frame[["wins", "ties", "losses"]].sum(axis=1) == 5).all()
    reverse = win_tie_loss(table, higher_is_better=False)
    assert (frame["wins"] == reverse["losses"]).all()
    alike = win_tie_loss(SCORES, tolerance=1.0)
    assert (alike[["ties", "p"]] == [5, 1.0]).all(axis=None)
    with pytest.raises(ParameterError, match="tolerance"):
        win_tie_loss(SCORES, tolerance=-0.1)


@pytest.mark.parametrize("q", [0.0, 1e-6, 0.5, 3.0, 10.0, 25.0, 50.0])
def test_the_range_of_two_is_a_normal_difference(q):
    assert _range_tail(q, 2) == pytest.approx(2.0 * stats.norm.sf(q / np.sqrt(2.0)), rel=1e-11)


@pytest.mark.parametrize("k", [3, 5, 12])
def test_the_tail_of_the_range_meets_its_limits(k):
    tails = [_range_tail(q, k) for q in (0.5, 2.0, 4.0)]
    assert tails == pytest.approx(stats.studentized_range.sf([0.5, 2, 4], k, np.inf), rel=1e-9)
    # Far out one pair alone is that far apart: the sum over pairs is sharp.
    far = k * (k - 1) * stats.norm.sf(30.0 / np.sqrt(2.0))
    assert _range_tail(30.0, k) == pytest.approx(far, rel=1e-9)


def test_nemenyi_far_in_the_tail():
    values = np.tile([1.0, 2.0, 3.0], (60, 1)) + np.arange(60)[:, None]
    row = nemenyi(values).to_frame().iloc[1]
    assert 0.0 < row["p"] < 1e-20
    assert row["p"] == pytest.approx(6 * stats.norm.sf(abs(row["statistic"])), rel=1e-6)
