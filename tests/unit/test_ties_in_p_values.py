"""Ties in the p-values of rank aggregation: never too small, unchanged without ties."""

import json

import numpy as np
import pytest

from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.ranks.ranking import last_places

NAN = np.nan
METHODS = [("rra", {}), ("rra", {"exact": True}), ("mean_p_value", {})]
both_readings = pytest.mark.parametrize(("method", "options"), METHODS)


def tied_scores(seed, m=6, p=40, missing=0.0):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (m, p)).astype(float)
    scores[rng.random((m, p)) < missing] = NAN
    return scores


@both_readings
@pytest.mark.parametrize(
    "reading",
    [
        {},
        {"absent": "unknown"},
        {"absent": "worst"},
        {"absent": "worst", "universe": [40, 50, 90, 400, 41, 40]},
    ],
)
def test_p_is_at_least_that_of_any_order_of_the_ties(method, options, reading):
    scores = tied_scores(3, missing=0.3 if reading else 0.0)
    tied = aggregate(Rankings.from_scores(scores, **reading), method, **options)
    for seed in range(20):
        table = Rankings.from_scores(scores, ties="random", random_state=seed, **reading)
        untied = aggregate(table, method, **options)
        assert untied.remarks == ()
        assert (tied.p_values >= untied.p_values * (1 - 1e-12)).all()
    ordinal = Rankings.from_scores(scores, ties="ordinal", **reading)
    np.testing.assert_array_equal(
        aggregate(ordinal, method, **options).p_values, tied.p_values
    )  # the order of the columns is no evidence


@both_readings
def test_scores_and_ranking_keep_average_ranks(method, options):
    scores = tied_scores(4)
    tied = aggregate(scores, method, **options)
    published = aggregate(scores, method, ties="average", **options)
    for name in ("scores", "statistic", "ranking"):
        np.testing.assert_array_equal(getattr(tied, name), getattr(published, name))
    assert (tied.p_values >= published.p_values).all()
    assert (tied.p_values > published.p_values).any()
    assert "last of the places" in tied.remarks[0]
    assert "too small" in published.remarks[0]
    assert json.loads(tied.to_json())["remarks"] == list(tied.remarks)


@both_readings
def test_without_ties_nothing_changes(method, options):
    scores = np.random.default_rng(5).random((6, 40))
    for table in (
        Rankings.from_scores(scores),
        Rankings.from_ranks(rank_scores(scores)),
        Rankings.from_normalized_ranks(rank_scores(scores) / 40),
        Rankings.from_normalized_ranks(np.where(scores < 0.5, 1.0, scores)),  # 1: not listed
        Rankings.from_lists([["a", "b", "c"], ["b", "d"], ["c", "a"]], universe=30),
    ):
        assert table._with_last_places() is table
        values = aggregate(table, method, **options)
        published = aggregate(table, method, ties="average", **options)
        np.testing.assert_array_equal(values.p_values, published.p_values)
        assert values.remarks == published.remarks == ()


@pytest.mark.parametrize("convention", ["min", "average", "max"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_given_ranks_are_read_in_any_convention(convention, missing):
    scores = tied_scores(6, missing=missing)
    expected = Rankings.from_scores(scores, absent="worst")._with_last_places().ranks
    table = Rankings.from_ranks(rank_scores(scores, convention))
    np.testing.assert_array_equal(table._with_last_places().ranks, expected)
    if not missing:
        shares = Rankings.from_normalized_ranks(rank_scores(scores, convention) / 40)
        found = shares._with_last_places().ranks
        np.testing.assert_allclose(found, expected / 40, rtol=1e-14)


def test_last_places_of_lists_with_gaps_and_of_names():
    # Items 2 to 9 of the list are not in the table: 12 is read as an average of 11.5 and 12.5.
    found = last_places(np.array([[1.0, 12.0, 12.0, 20.0, 20.0, NAN]]), np.array([20.0]))
    np.testing.assert_array_equal(found, [[1.0, 12.5, 12.5, 20.0, 20.0, NAN]])
    # Shares of a large universe never pass the next entry.
    found = last_places(np.array([[0.001, 0.002, 0.002, 0.003]]), np.array([1.0]))
    np.testing.assert_array_equal(found, [[0.001, 0.003, 0.003, 0.003]])
    table = Rankings.from_lists([["a", ("b", "c", "d")], ["a", "b", "c", "d"]], universe=100)
    np.testing.assert_array_equal(table._with_last_places().ranks, [[1, 4, 4, 4], [1, 2, 3, 4]])


@pytest.mark.parametrize("cutoffs", [0.5, [0.5, 0.6, 0.5, 0.5]])
@pytest.mark.parametrize("exact", [False, True])
def test_a_last_place_beyond_the_cutoff_counts_as_not_kept(cutoffs, exact):
    ranks = np.array([[1, 2, 5, 5, 5, 5, 5, 8, 9, 10.0]] * 4)
    rra = AGGREGATORS.get("rra").compute
    kept = np.where(ranks > 5, 10.0, ranks)
    table = Rankings.from_ranks(kept)
    values = rra(table, top_cutoff=cutoffs, exact=exact)
    dropped = Rankings.from_ranks(np.where(ranks >= 5, 10.0, ranks))
    expected = rra(dropped, top_cutoff=cutoffs, exact=exact)
    np.testing.assert_allclose(values.p_values, expected.p_values, rtol=1e-12)
    assert values.p_values[2] == 1.0


def test_unknown_reading_is_refused():
    for method in ("rra", "mean_p_value"):
        with pytest.raises(ParameterError, match="ties must be one of"):
            aggregate(tied_scores(1), method, ties="max")
