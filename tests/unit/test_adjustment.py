"""Corrections of p-values for the number of tests, and over how many items an aggregation makes them."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from pyfsagg._base.arithmetic import adjust_p_values
from pyfsagg.aggregation import aggregate
from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning
from pyfsagg.ranks import Rankings

STATSMODELS = {"bh": "fdr_bh", "holm": "holm", "bonferroni": "bonferroni"}
NAN = float("nan")


def test_adjusted_by_hand_and_refused():
    for p, adjust, n, expected in (
        ([0.01, NAN, 0.04, 0.9], "bonferroni", 10, [0.1, NAN, 0.4, 1.0]),
        ([0.01, NAN, 0.04, 0.9], "holm", 10, [0.1, NAN, 0.36, 1.0]),
        ([0.01, NAN, 0.04, 0.9], "bh", 10, [0.1, NAN, 0.2, 1.0]),
        ([0.01, NAN, 0.04, 0.9], "none", 10, [0.01, NAN, 0.04, 0.9]),
        ([0.01, NAN, 0.04], "holm", None, [0.02, NAN, 0.04]),  # missing values are no tests
        ([NAN, NAN], "bh", None, [NAN, NAN]),
        ([], "bh", None, []),
    ):
        np.testing.assert_allclose(adjust_p_values(p, adjust, n=n), expected, rtol=1e-14)
    for p, options, error, message in (
        ([0.1, NAN, -0.2], {}, DataError, "a p-value is -0.2"),
        ([0.1, NAN, 1.5], {}, DataError, "a p-value is 1.5"),
        ([0.1, NAN, np.inf], {}, DataError, "a p-value is inf"),
        ([0.1], {"method": "fdr"}, ParameterError, "method must be one of"),
        ([0.1, NAN, 0.2], {"n": 1}, ParameterError, "n must be a whole number of at least 2"),
    ):
        with pytest.raises(error, match=message):
            adjust_p_values(p, **{"method": "bh", **options})


@pytest.mark.parametrize("adjust", STATSMODELS)
@pytest.mark.parametrize("n", [40, 41, 5000])
def test_left_out_tests_count_as_one(adjust, n):
    p = np.random.default_rng(n).beta(0.2, 3, 40)
    p[7] = p[11]
    padded = np.r_[p, np.ones(n - 40)]
    expected = multipletests(padded, method=STATSMODELS[adjust])[1][:40]
    np.testing.assert_allclose(adjust_p_values(p, adjust, n=n), expected, rtol=1e-13)


LISTS = [["a", "b", "c"], ["b", "a"], ["b", "d", "a"]]


@pytest.mark.parametrize(
    ("options", "n"),
    [
        ({"universe": 1000}, 1000),
        ({"universe": [50, 1000, 20]}, 1000),  # the largest is what could have been held
        ({"universe": 4}, 4),
        ({}, 4),
        ({"absent": "unknown"}, 4),
    ],
)
@pytest.mark.parametrize("adjust", STATSMODELS)
def test_aggregate_adjusts_over_the_universe(options, n, adjust):
    result = aggregate(Rankings.from_lists(LISTS, **options), "rra", p_adjust=adjust)
    padded = np.r_[result.p_values, np.ones(n - 4)]
    expected = multipletests(padded, method=STATSMODELS[adjust])[1][:4]
    np.testing.assert_allclose(result.adjusted_p_values, expected, rtol=1e-13)
    assert result.n_tests == n
    assert f"{n:,} items" in result._adjustment


def test_other_tables_and_methods():
    scores = np.random.default_rng(0).random((3, 6))
    scores[0, 2] = np.nan
    assert aggregate(Rankings.from_scores(scores), "rra").n_tests == 6
    cut = Rankings.from_scores(scores, absent="worst", universe=90)  # of which all lists have six
    with pytest.warns(PyfsaggWarning, match="assume independent lists from 90 items"):
        assert aggregate(cut, "mean_p_value").n_tests == 90
    normalized = Rankings.from_normalized_ranks([[0.1, 0.2], [0.3, 1.0]])
    assert aggregate(normalized, "rra").n_tests == 2
    assert aggregate(scores[1:], "mean_rank")._adjustment is None


def test_what_the_adjustment_is_over_is_told() -> None:
    lists = [["a", "b", "c"], ["b", "a"]]
    pooled = Rankings.from_lists(lists, universe=2000)
    given = aggregate(pooled, "rra")
    text = " ".join(given.summary_text(top=3, adjusted=False).split())
    assert "assume that each list could contain any of 2,000 items" in text
    assert "could contain any of 2,000 items" in given.to_html()
    assert given._pool in given._about_p_values(adjusted=False)
    assert aggregate(Rankings.from_lists(lists), "rra")._pool is None
    assert aggregate(pooled, "mean_rank")._pool is None
    table = Rankings.from_lists([["a", "b"], ["b", "a"]], universe=500)
    result = aggregate(table, list_weights=[2, 1])
    text = " ".join(result.summary_text(top=2, adjusted=True).split())
    assert "Rank Item Statistic In lists" in text
    assert "value" not in text.replace("p-value", "")
    assert "The lists have weights, so there are no p-values" in text
    assert "The lists have weights, so there are no p-values" in result.to_html()
