"""What must hold for any lists: order of input, monotonicity, symmetry, bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyfsagg.aggregation import aggregate
from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.ranks.ranking import select_top

RANK_METHODS = [spec.name for spec in AGGREGATORS if spec.input == "ranks"]
# The first three take the first of equally good items or orders; MAIC is slow, and has a test of its own.
FIRST = ("best_go_first", "birra", "kemeny", "maic")
APART = ("best_go_first", "maic")  # the lists of the first have turns; MAIC has a test of its own
SYMMETRIC = [name for name in RANK_METHODS if name not in FIRST]

score_tables = st.tuples(st.integers(1, 6), st.integers(1, 8)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 9).map(float))
)


@settings(max_examples=30, deadline=None)
@given(score_tables, st.randoms(use_true_random=False))
def test_order_of_lists_and_items_does_not_matter(scores, random):
    rows, columns = list(range(scores.shape[0])), list(range(scores.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    for method in SYMMETRIC:
        plain = aggregate(scores, method).scores
        shuffled = aggregate(scores[rows][:, columns], method).scores
        np.testing.assert_allclose(shuffled, plain[columns], rtol=1e-9, atol=1e-10, err_msg=method)


@pytest.mark.filterwarnings("ignore:.*negative loading")
@pytest.mark.parametrize("case", ["complete", "missing", "full", "signed", "weighted"])
@pytest.mark.parametrize("method", [name for name in AGGREGATORS.names() if name not in APART])
def test_the_order_of_the_lists_changes_no_rank(method, case):
    rng = np.random.default_rng(5)
    n_tables = 3 if method == "kemeny" else 30
    spec = AGGREGATORS.get(method)
    for decimals in (1, 2):
        for _ in range(n_tables):
            m, p = int(rng.integers(3, 8)), int(rng.integers(6, 14))
            scores, order = np.round(rng.random((m, p)), decimals), rng.permutation(m)
            weights = None
            if case == "signed":
                if method == "geometric_mean":
                    return
                scores = np.round(scores - 0.5, decimals)
            elif case in ("missing", "full"):
                scores[1:][rng.random((m - 1, p)) < 0.2] = np.nan
            elif case == "weighted" and spec.list_weights in ("any", "whole"):
                weights = rng.integers(1, 4, m) / (10 if spec.list_weights == "any" else 1)
            found = [
                aggregate(
                    Rankings.from_scores(
                        scores[rows], absent="unknown" if case == "full" else "worst"
                    ),
                    method,
                    list_weights=None if weights is None else weights[rows].tolist(),
                ).ranking
                for rows in (np.arange(m), order)
            ]
            np.testing.assert_array_equal(*found)


def test_scores_that_rounding_alone_tells_apart_are_tied():
    scores = [[0.1, 0.3, 0.2, 1e-9], [0.2, 0.3, 0.2, 1e-9], [0.3, 0.0, 0.2, 1e-9 * (1 + 1e-13)]]
    for lists in (scores, scores[::-1]):
        found = aggregate(lists, "arithmetic_mean")
        np.testing.assert_array_equal(found.ranking, [2, 2, 2, 4])
    # An item whose terms are large and cancel; others, however close, keep their places beside large scores.
    signed = [[0.1, 0.0, 5.0, 1e300], [0.2, 0.0, 5.0 + 1e-13, 1e300], [-0.3, 0.0, 5.0, 1e300]]
    np.testing.assert_array_equal(aggregate(signed, "arithmetic_mean").ranking, [3.5, 3.5, 2, 1])
    near = [[1e300, 1.0, 1.0 + 1e-13]] * 3
    for method in ("arithmetic_mean", "geometric_mean", "l2_norm", "comb_sum"):
        assert aggregate(near, method, **({"normalize": "none"} if method == "comb_sum" else {})
                         ).ranking.tolist() == [1, 3, 2], method  # fmt: skip


@settings(max_examples=20, deadline=None)
@given(score_tables, st.randoms(use_true_random=False))
def test_maic_gives_the_same_bits_in_any_order(scores, random):
    # A curve of four numbers through three places would make 1e-6 of a last digit.
    rows, columns = list(range(scores.shape[0])), list(range(scores.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    for fit in ("exponential", "none"):
        plain = aggregate(scores, "maic", fit=fit).scores
        shuffled = aggregate(scores[rows][:, columns], "maic", fit=fit).scores
        np.testing.assert_array_equal(shuffled, plain[columns])


def test_maic_of_lists_that_are_nearly_all_tied():
    scores = np.zeros((5, 3))
    scores[4] = 0, 1, 2
    plain = aggregate(scores, "maic").scores
    for rows in ([4, 0, 1, 2, 3], [0, 4, 1, 2, 3], [3, 2, 4, 1, 0]):
        for columns in ([2, 1, 0], [1, 2, 0], [0, 2, 1]):
            shuffled = aggregate(scores[rows][:, columns], "maic").scores
            np.testing.assert_array_equal(shuffled, plain[columns])


@settings(max_examples=40, deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 5), st.integers(2, 7)), elements=st.integers(1, 20)
    ),
    st.data(),
)
def test_improving_one_rank_never_worsens_the_score(numerators, data):
    ranks = numerators / 20
    i = data.draw(st.integers(0, ranks.shape[0] - 1))
    j = data.draw(st.integers(0, ranks.shape[1] - 1))
    better = ranks.copy()
    better[i, j] = data.draw(st.integers(1, int(numerators[i, j]))) / 20
    for method in ("stuart", "robust_rank_aggregation", "mean_p_value", "mean_rank", "median_rank",
                   "minimum_rank", "geometric_mean_rank"):  # fmt: skip
        before = aggregate(Rankings.from_normalized_ranks(ranks), method).scores[j]
        after = aggregate(Rankings.from_normalized_ranks(better), method).scores[j]
        assert after >= before - 1e-12 * abs(before), method


@settings(max_examples=40, deadline=None)
@given(score_tables)
def test_markov_chains_are_distributions_and_keep_unanimity(scores):
    column = np.c_[scores, scores.max(axis=1) + 1]
    for method in ("mc1", "mc2", "mc3", "mc4"):
        mass = aggregate(column, method).statistic
        assert mass.sum() == pytest.approx(1.0)
        assert mass[-1] == mass.max()


@settings(max_examples=50, deadline=None)
@given(score_tables, st.data())
def test_select_top_takes_the_first_ranks(scores, data):
    k = data.draw(st.integers(1, scores.shape[1]))
    chosen = select_top(scores, k)
    np.testing.assert_array_equal(chosen, rank_scores(scores, "ordinal") <= k)
    assert (chosen.sum(axis=1) == k).all()
