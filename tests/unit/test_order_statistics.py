"""Stuart's Q and the exact RRA p-value against rational arithmetic, extremes and simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from exact_probabilities import crossing, exact_log, stuart
from scipy.special import log_ndtr
from scipy.stats import beta, binom

from pyfsagg._kernels import rho
from pyfsagg._kernels.order_statistics import log_stuart
from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings
from pyfsagg.ranks.ranking import half_places, has_ties


def log_q(ranks) -> float:
    row = np.sort(np.asarray(ranks, dtype=float))[np.newaxis, :]
    return float(log_stuart(row, np.array([row.size]))[0])


SHAPES = [(1, 1), (0.3, 3), (5, 1), (1, 8), (30, 1)]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 41, 60])
@pytest.mark.parametrize("denominator", [5, 37, 1000])
def test_stuart_is_exact(n, denominator):
    rng = np.random.default_rng([n, denominator])
    for a, b in SHAPES:
        numerators = np.maximum(1, np.ceil(rng.beta(a, b, n) * denominator)).astype(int).tolist()
        expected = exact_log(stuart(numerators, denominator))
        ours = log_q(np.array(numerators) / denominator)
        assert ours == pytest.approx(expected, rel=1e-12, abs=0.0), (a, b, numerators)


@pytest.mark.parametrize("n", [1, 30, 60, 1000, 10_000])
def test_stuart_closed_forms_at_the_extremes(n):
    p = 1000
    assert log_q(np.full(n, 1 / p)) == pytest.approx(-n * math.log(p), rel=1e-13)
    assert log_q(np.ones(n)) == 0.0
    # One list puts the item last: all but one below 1/p.
    one_last = np.r_[np.full(n - 1, 1 / p), 1.0]
    expected = math.log(n * (p - 1) + 1) - n * math.log(p)
    assert log_q(one_last) == pytest.approx(expected, rel=1e-12)
    # One list puts it first: at least one below 1/p.
    expected = math.log1p(-math.exp(n * math.log1p(-1 / p)))
    assert log_q(np.r_[1 / p, np.ones(n - 1)]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 5, 20, 40])
@pytest.mark.parametrize("log_value", [-1e-3, -0.5, -3.0, -40.0, -250.0])
def test_exact_p_is_exact(n, log_value):
    log_times = np.empty(n)
    rho.log_quantiles(n, log_value, log_times)
    levels = [Fraction(math.exp(value)) for value in log_times]
    crossed, none = crossing(levels, n)
    assert crossed + none == 1
    # The levels were rounded to doubles for the rational sum: that costs k·eps in their powers.
    log_p, log_none = rho.log_crossing(log_times, n, log_value)
    assert log_p == pytest.approx(exact_log(crossed), rel=1e-11, abs=0.0)
    assert log_none == pytest.approx(exact_log(none), rel=1e-11, abs=0.0)


@pytest.mark.parametrize("n", [1, 2, 10, 200])
@pytest.mark.parametrize("log_value", [-0.01, -2.0, -100.0, -5000.0])
def test_quantiles_invert_the_beta_distribution(n, log_value):
    log_times = np.empty(n)
    rho.log_quantiles(n, log_value, log_times)
    assert (np.diff(log_times) > 0).all()
    for k in (1, n // 2 + 1, n):
        log_x = log_times[k - 1]
        if log_x > -600:
            x, y = math.exp(log_x), -math.expm1(log_x)
            back = rho.log_binomial_tail(n, k, x, y)
        else:
            back = math.log(math.comb(n, k)) + k * log_x
        assert back == pytest.approx(log_value, rel=1e-11)


@pytest.mark.parametrize("n", [3, 50, 400])
def test_exact_p_lies_between_rho_and_its_bonferroni_bound(n):
    log_rhos = np.array([-4000.0, -900.0, -50.0, -8.0, -1.0, -0.01, 0.0])
    log_p = rho.log_exact_p(log_rhos, np.full(log_rhos.size, n))
    assert (log_p >= log_rhos).all()
    assert (log_p <= np.minimum(0.0, log_rhos + math.log(n)) + 1e-12).all()
    assert (np.diff(log_p) >= 0).all()
    few, many = rho.log_exact_p(np.full(2, -3.0), np.array([n, n + 1]))
    assert few < many


@pytest.mark.parametrize("n", [1, 2, 17, 300])
def test_binomial_kernels_against_scipy(n):
    rng = np.random.default_rng(n)
    for x in (1e-9, 0.03, *rng.random(3), 0.97):
        for k in sorted({0, 1, n // 3, n // 2 + 1, n} & set(range(n + 1))):
            expected = pytest.approx(binom.logpmf(k, n, x), rel=1e-10, abs=1e-13)
            assert rho.log_binomial_pmf(n, k, x, 1 - x) == expected
            if 1 <= k <= n and (tail := beta.cdf(x, k, n - k + 1)) > 1e-280:
                ours = rho.log_binomial_tail(n, k, x, 1 - x)
                expected = math.log1p(-beta.sf(x, k, n - k + 1)) if tail > 0.5 else math.log(tail)
                assert ours == pytest.approx(expected, rel=1e-9, abs=0.0)


def test_the_quantile_by_which_order_statistics_are_left_out_is_never_too_large():
    log_tail = -np.concatenate([np.geomspace(1e-299, 1.0, 2000), np.geomspace(1.0, 5000.0, 2000)])
    w = np.array([rho.normal_quantile_below(each) for each in log_tail])
    small = log_tail > -0.5  # the tail is 1 in floating numbers; its complement is not
    assert (log_ndtr(-w[~small]) >= log_tail[~small]).all()
    assert (log_ndtr(w[small]) <= np.log(-np.expm1(log_tail[small]))).all()
    near = log_tail > -600.0
    assert (log_ndtr(-w - 2e-3)[near & ~small] < log_tail[near & ~small]).all()
    assert (log_ndtr(w + 2e-3)[small] > np.log(-np.expm1(log_tail[small]))).all()
    assert rho.normal_quantile_below(-0.0) <= -40.0


@pytest.mark.parametrize("full", [False, True])
def test_ranks_in_two_bytes_are_sorted_like_numbers(full):
    rng = np.random.default_rng(3)
    ranks = rng.permuted(np.tile(np.arange(1.0, 151.0), (120, 1)), axis=1)
    gaps = np.where(rng.random(ranks.shape) < 0.1, np.nan, ranks)
    gaps[0] = ranks[0]
    halves = np.where(ranks > 148, 149.5, ranks)
    for given, universe in (
        (ranks, None),
        (gaps, None),
        (halves, None),
        (ranks / 3 + 1.0, None),  # no halves
        (ranks, [150 + i % 2 for i in range(120)]),
        (ranks, 40_000),  # absent ones have no place in two bytes
        (gaps, 40_000),
    ):
        table = Rankings.from_scores(-given)
        if not full:
            table = Rankings.from_ranks(given, universe=universe)
        expected = np.sort(table.normalized_ranks().T[20:90], axis=1)
        np.testing.assert_array_equal(table._sorted_columns(20, 90), expected)
        in_order = np.sort(given, axis=1)
        tied = bool((in_order[:, 1:] == in_order[:, :-1]).any())
        assert has_ties(given, half_places(given)) == has_ties(given, None) == tied


def plain_log_rho(ranks):
    """The NumPy twin: every order statistic evaluated."""
    r = np.sort(ranks)
    n = r.size
    return min(rho.log_binomial_tail(n, k, r[k - 1], 1 - r[k - 1]) for k in range(1, n + 1))


@pytest.mark.parametrize("n", [1, 2, 3, 10, 77, 1000])
@pytest.mark.parametrize("p", [3, 50, 10_000])
def test_bounded_search_finds_the_smallest_beta_probability(n, p):
    rng = np.random.default_rng([n, p])
    rows = [np.ceil(rng.beta(a, b, n) * p) / p for a, b in [*SHAPES, (2, 2), (0.5, 0.5)]]
    rows += [np.full(n, 1 / p), np.ones(n), np.r_[np.full(n - 1, 1 / p), 1.0]]
    matrix = np.sort(np.array(rows), axis=1)
    ours = rho.log_rho(matrix, np.full(len(rows), n))
    expected = [plain_log_rho(row) for row in matrix]
    np.testing.assert_allclose(ours, expected, rtol=1e-13, atol=0)


def test_poisson_binomial_tail_against_enumeration_and_binomial():
    chances = np.array([0.1, 0.4, 0.4, 0.9, 0.02])
    mass = np.array([1.0])
    for chance in chances:
        mass = np.convolve(mass, [1 - chance, chance])
    for k in range(6):
        expected = pytest.approx(math.log(mass[k:].sum()), rel=1e-12, abs=1e-15)
        assert rho.log_poisson_binomial_tail(chances, k) == expected
    expected = pytest.approx(rho.log_binomial_tail(400, 300, 1e-3, 1 - 1e-3), rel=1e-12)
    assert rho.log_poisson_binomial_tail(np.full(400, 1e-3), 300) == expected


def test_equal_cutoffs_change_nothing_and_unequal_ones_do():
    lists = [["a", "b"], ["b", "a", "c"], ["a", "d"]]
    table = Rankings.from_lists(lists, universe=20)
    rra = AGGREGATORS.get("rra")
    plain = rra.compute(table)
    np.testing.assert_array_equal(rra.compute(table, top_cutoff=0.15).scores, plain.scores)
    capped = rra.compute(table, top_cutoff=[0.1, 0.15, 0.1])
    # With chances capped at 0.1, 0.15, 0.1 by hand: c is third of one list only.
    expected = 1 - (1 - 0.1) * (1 - 0.15) * (1 - 0.1)
    assert capped.statistic[2] == pytest.approx(expected, rel=1e-12)
    assert (capped.scores >= plain.scores - 1e-12).all()
    for cutoff, error, said in (
        (0.12, DataError, "beyond its top_cutoff"),
        ([0.5, 0.5], ParameterError, "one per list"),
        (0.0, ParameterError, "top_cutoff"),
    ):
        with pytest.raises(error, match=said):
            rra.compute(table, top_cutoff=cutoff)


@pytest.mark.parametrize("method", ["stuart", "rra", "mean_p_value"])
@pytest.mark.parametrize(("m", "ends"), [(100, "both"), (1000, "best"), (10_000, "best")])
def test_no_ties_at_the_ends(method, m, ends):
    # Each item contains one rank for all lists but one, where neighbours are swapped pairwise.
    p = 8
    ranks = np.tile(np.arange(1.0, p + 1), (m, 1))
    ranks[0] = [2, 1, 4, 3, 6, 5, 8, 7]
    scores = aggregate(Rankings.from_ranks(ranks), method).scores
    assert np.isfinite(scores).all()
    assert (np.diff(scores[:4] if ends == "best" else scores) < 0).all()


def test_stuart_can_tell_the_last_items_of_many_lists_apart():
    # log Q is as small as 12^-100 here; 1 − Q by itself would be 0 for both.
    one, two = (-log_q(np.r_[np.full(k, 11 / 12), np.ones(100 - k)]) for k in (1, 2))
    assert 0 < one < two
    assert one == pytest.approx((1 / 12) ** 100, rel=1e-9)


@pytest.mark.parametrize("exact", [False, True])
def test_scores_are_the_logarithms_that_the_documentation_names(exact):
    complete = aggregate([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]], "rra", exact=exact)
    np.testing.assert_allclose(complete.scores, -np.log(complete.statistic), rtol=1e-14, atol=1e-15)
    lists = [["a", "b", "c", "d"], ["a", "c", "b"], ["b", "a", "d"]]
    rra = AGGREGATORS.get("rra").compute
    gaps = rra(Rankings.from_lists(lists, absent="unknown"), exact=exact)
    counts = np.array([3, 3, 2, 2])
    # n ρ over the largest n, which is 3 here, so an item of all lists has its −log ρ.
    expected = np.log(gaps.p_values) if exact else np.log(gaps.statistic * counts / 3)
    np.testing.assert_allclose(gaps.scores, -expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("c", "keep", "limit", "lowest"),
    [(40, 0.1, 39, 2), (40, 0.1, 40, 1), (60, 0.3, 59, 10), (12, 0.6, 11, 3), (50, 0.02, 49, 4)],
)
def test_points_that_were_there_before_against_rational_numbers(c, keep, limit, lowest):
    """Chances far in the tail keep their digits: nothing near the middle is as small."""
    log_keep = math.log(keep)
    share = Fraction(math.exp(log_keep))
    rng = np.random.default_rng(c)
    for far in (False, True):
        free, hit = np.zeros((2, c + 1)) if far else rng.random((2, c + 1))
        reached = missed = Fraction(0)
        for a in range(c + 1):
            p = math.comb(c, a) * share**a * (1 - share) ** (c - a)
            reached += p * (1 if a > limit else 0 if a < lowest else Fraction(hit[a]))
            missed += p * (0 if a > limit else 1 if a < lowest else Fraction(free[a]))
        found = rho._thin(c, limit, log_keep, lowest, free, hit)
        assert found == pytest.approx((float(missed), float(reached)), rel=1e-11, abs=0.0)
