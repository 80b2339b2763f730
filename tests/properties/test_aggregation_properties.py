"""What must hold for any lists: order of input, monotonicity, symmetry, bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyfsagg.aggregation import aggregate
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.ranks import RankTable, rank_scores
from pyfsagg.ranks.ranking import select_top

RANK_METHODS = [spec.name for spec in AGGREGATORS if spec.input == "ranks"]
# The first three take the first of equally good items or orders; MAIC is slow, and has a test of its own.
FIRST = ("best_go_first", "birra", "kemeny", "maic")
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
        before = aggregate(RankTable.from_normalized_ranks(ranks), method).scores[j]
        after = aggregate(RankTable.from_normalized_ranks(better), method).scores[j]
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
