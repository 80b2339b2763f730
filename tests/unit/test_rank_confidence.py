"""Confidence sets for ranks."""

import dataclasses
import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

import pyfsagg
from pyfsagg._kernels.ranks import (
    dense_item_maxima,
    dense_maxima,
    independent_item_maxima,
    independent_maxima,
)
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.statistics import rank_confidence, rank_sets
from pyfsagg.statistics.rank_sets import WIDER, _Flipped, _of_table, sets_of_replicates

WINE = pyfsagg.load_dataset("wine")

PISA = Path(__file__).parents[1] / "golden" / "data" / "pisa_2018_mathematics.csv"


@pytest.mark.parametrize("dependent", [False, True])
def test_published_sets(dependent: bool) -> None:
    given = pd.read_csv(PISA, index_col="name")
    covariance = {"covariance": np.diag(given["error"] ** 2)}
    errors = covariance if dependent else {"standard_errors": given["error"]}
    found = rank_confidence(given["score"], **errors)
    row = found.to_frame().loc["United Kingdom"]
    # Printed with 1,000 draws: 7. With 40,000 draws it is 7 or 8, by the seed.
    assert row[["rank", "upper"]].tolist() == [13, 23]
    assert row["lower"] in (7, 8)
    # csranks (commit bd4f755, R 4.2.2, 2,000 draws): 9.79 with stepdown=TRUE, 10.11 without.
    assert (found.upper - found.lower + 1).mean() == pytest.approx(9.79, abs=0.15)
    assert len(found.top(5)) == 12
    less = rank_confidence(given["score"], **errors, confidence_level=0.9)
    assert set(found.top(5)) - set(less.top(5)) == {"Sweden"}


def test_kernels_agree_with_all_pairs() -> None:
    rng = np.random.default_rng(0)
    p, n = 9, 40
    variances = rng.random(p) * np.array([1, 1, 1, 0, 4, 9, 0.01, 0, 1])
    draws = rng.standard_normal((n, p)) * np.sqrt(variances)
    total = variances[:, None] + variances
    scale = np.divide(1.0, np.sqrt(total), out=np.zeros((p, p)), where=total > 0)
    np.fill_diagonal(scale, 0.0)
    estimates = rng.standard_normal(p) * 3
    statistic = (estimates[None, :] - estimates[:, None]) * scale
    signed = (draws[:, None, :] - draws[:, :, None]) * scale
    items = np.array([0, 3, 8, 5])
    columns = np.ascontiguousarray(draws.T)
    for limits in (np.full(p, np.inf), rng.random(p) * 2):
        above = np.where(statistic <= limits[:, None], signed, 0.0)
        below = np.where(-statistic <= limits[:, None], -signed, 0.0)
        expected = np.maximum(above, below).max(axis=2).T[items]
        given = (estimates, limits, items)
        np.testing.assert_allclose(independent_item_maxima(draws, variances, *given), expected)
        np.testing.assert_allclose(dense_item_maxima(columns, scale, *given), expected)
    every = dense_item_maxima(columns, scale, estimates, np.full(p, np.inf), np.arange(p))
    np.testing.assert_allclose(every, np.abs(signed).max(axis=2).T)
    for limit in (np.inf, 1.5):
        open_now = (statistic <= limit) & ~np.eye(p, dtype=bool)
        most = np.where(open_now, signed, 0.0).max(axis=(1, 2))
        for found in (
            independent_maxima(draws, variances, estimates, limit),
            dense_maxima(columns, scale, estimates, limit),
        ):
            np.testing.assert_allclose(found, most, atol=1e-14)


def test_two_items_are_a_z_test() -> None:
    # One pair: the critical value is the two-sided normal quantile of the draws.
    edge = stats.norm.isf(0.025) * np.sqrt(2.0)
    for gap, apart in ((edge * 1.06, True), (edge * 0.94, False)):
        found = rank_confidence([gap, 0.0], standard_errors=[1.0, 1.0], n_draws=20_000)
        assert bool(found.upper[0] == 1) is apart
        assert bool(found.upper_all[0] == 1) is apart


def test_marginal_limits_are_taken_again_without_the_statements_that_are_made() -> None:
    """An item with one neighbour, below all others: "it is above another" is omitted for these."""
    z = np.random.default_rng(5).standard_normal((40_000, 52))
    below = (z[:, 1:] - z[:, :1]) / np.sqrt(2.0)
    first = np.quantile(np.abs(below).max(axis=1), 0.95)
    second = np.quantile(np.maximum(below.max(axis=1), -below[:, 0]), 0.95)
    assert second < first - 0.2
    gap = (first + second) / 2 * np.sqrt(2.0)
    estimates = np.array([gap, 0.0, *np.arange(50.0, 550.0, 10.0)])
    for errors in ({"standard_errors": np.ones(52)}, {"covariance": np.eye(52)}):
        found = rank_confidence(estimates, **errors)
        assert found.lower[:2].tolist() == found.upper[:2].tolist() == [51, 52]


def test_an_estimated_covariance_takes_holms_limits_of_student() -> None:
    df, p = 7, 6
    edge = stats.t.isf(0.05 / (p * (p - 1)), df) * np.sqrt(2.0)
    far = 1e3 * np.arange(2, p)
    for gap, apart in ((edge * 1.001, True), (edge * 0.999, False)):
        # All others are equal, so no statement but the two on x0 could be made.
        values = np.array([gap, *np.zeros(p - 1)])
        for errors in ({"standard_errors": np.ones(p)}, {"covariance": np.eye(p)}):
            found = rank_confidence(values, **errors, df=df)
            assert bool(found.upper_all[0] == 1) is apart
    # Of x0 and x1, apart from all others, one pair remains for the marginal set of either.
    last = stats.t.isf(0.05 / (p - 1 + 1), df) * np.sqrt(2.0)
    for gap, apart in ((last * 1.001, True), (last * 0.999, False)):
        found = rank_confidence([gap, 0.0, *-far], standard_errors=np.ones(p), df=df)
        assert bool(found.upper[0] == 1) is apart


def test_correlated_errors_cancel() -> None:
    covariance = 0.99 + 0.01 * np.eye(3)
    apart = rank_confidence([1.0, 0.0, -1.0], covariance)
    assert apart.upper_all.tolist() == [1, 2, 3]
    alone = rank_confidence([1.0, 0.0, -1.0], standard_errors=np.ones(3))
    assert alone.lower_all.tolist() == [1, 1, 1]
    copies = rank_confidence([1.0, 0.9, 0.9], np.ones((3, 3)))
    assert copies.lower.tolist() == [1, 2, 2]
    assert copies.upper.tolist() == [1, 3, 3]


def test_direction_names_and_ties() -> None:
    series = pd.Series([3.0, 1.0, 1.0], index=["c", "a", "b"])
    found = rank_confidence(series, standard_errors=np.full(3, 0.01), higher_is_better=False)
    assert found.to_frame()["rank"].to_dict() == {"a": 1, "b": 1, "c": 3}
    assert found.to_frame().loc["a", ["lower", "upper"]].tolist() == [1, 2]
    assert found.top(1) == ["a", "b"]
    assert "2 items: a and b" in found.sentence
    rows = json.loads(found.to_json())["rows"]
    assert rows[2]["upper_all"] == 3


def test_more_items_than_critical_values(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    estimates, errors = rng.standard_normal(60) * 3, rng.random(60) + 0.1
    exact = rank_confidence(estimates, standard_errors=errors)
    monkeypatch.setattr("pyfsagg.statistics.rank_sets.MOST_ITEMS", 12)
    coarse = rank_confidence(estimates, standard_errors=errors)
    # The larger critical value of two neighbours: hardly wider, and never much narrower.
    assert (coarse.upper - coarse.lower >= exact.upper - exact.lower - 2).all()
    assert np.abs(coarse.lower - exact.lower).max() <= 4


def test_bad_data_and_options() -> None:
    two, ones = [1.0, 2.0], [1.0, 1.0]
    for estimates, errors, message in (
        ([1.0], {"standard_errors": [1.0]}, "at least two"),
        ([[[1.0, 2.0]]], {"standard_errors": [1.0]}, "at least two"),
        ([1.0, np.nan], {"standard_errors": ones}, "estimates has a missing"),
        (two, {"standard_errors": [1.0, np.inf]}, "standard_errors has a missing"),
        (two, {"standard_errors": [1.0, -1.0]}, "negative"),
        (two, {"standard_errors": [1.0]}, r"shape \(1,\)"),
        (two, {"covariance": ones}, "given as standard_errors"),
        (two, {"covariance": [[1, 2], [2, 1]]}, "positive semi-definite"),
        (two, {"covariance": [[-1, 0], [0, -1]]}, "positive semi-definite"),
        (two, {"covariance": [[1, 0.5], [0.2, 1]]}, "not symmetric"),
        (two, {"covariance": [[1, np.nan], [0, 1]]}, "covariance has a missing"),
        (two, {"standard_errors": ones, "names": ["a"]}, "1 names for 2"),
        (np.arange(20_001.0), {"standard_errors": np.ones(20_001)}, "at most 20,000"),
        (np.arange(2_001.0), {"covariance": np.eye(2_001)}, "at most 2,000"),
    ):
        refused(rank_confidence, ((estimates,), errors, DataError, message))
    for options, message in (
        ({"confidence_level": 0.0}, "confidence_level must be"),
        ({"confidence_level": 1.0}, "confidence_level must be"),
        ({"n_draws": 10}, "n_draws must be"),
        ({"covariance": np.eye(2)}, "either covariance"),
        ({"standard_errors": None}, "either covariance"),
        ({"df": 0}, "df must be a number above 0"),
    ):
        options = {"standard_errors": ones, **options}
        refused(rank_confidence, ((two,), options, ParameterError, message))
    found = rank_confidence(two, standard_errors=ones)
    refused(found.top, ((3,), {}, ParameterError, "k must be"))


# --- runs ------------------------------------------------------------------------------------
def run(**options):
    given = {"filter": "chi_squared", "n_resamples": 60, "random_state": 0, "checks": "none"}
    return pyfsagg.wam(WINE.X, WINE.y, **{**given, **options})


def test_replicates_give_their_covariance() -> None:
    rng = np.random.default_rng(0)
    m = 4000
    replicates = rng.standard_normal((m, 3)) * 0.3 + np.array([2.0, 1.0, 0.9])
    mean = replicates.mean(axis=0)
    options = {"names": "abc", "confidence_level": 0.95, "of": "x"}
    found = sets_of_replicates(mean, replicates, factor=1.0, **options)
    expected = rank_confidence(mean, np.cov(replicates, rowvar=False), n_draws=2000)
    for name in ("lower", "upper_all"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    wide = sets_of_replicates(mean, replicates, factor=100.0, **options)
    assert wide.upper.tolist() == [3, 3, 3]


def test_a_run_has_sets_in_its_table() -> None:
    result = run()
    found = result.rank_confidence()
    frame = result.to_frame()
    sets = found.to_frame().loc[frame.index, ["lower", "upper"]]
    np.testing.assert_array_equal(frame[["rank_set_lower", "rank_set_upper"]], sets)
    assert (found.lower_all <= found.lower).all()
    assert "expected score in samples of this size" in found.sentence
    text, page = result.summary_text(n_features_to_select=0.25), result.to_html()
    assert "95 % set of the" in text
    assert "1 to 4" in text
    assert "Which features may be the best?" in page
    assert "with 95\u00a0% confidence, among these" in page
    less = result.rank_confidence(0.5)
    assert (less.upper - less.lower).sum() <= (found.upper - found.lower).sum()


@pytest.mark.parametrize(
    ("plan", "share", "size"),
    [
        (pyfsagg.resampling.Subsample(0.5), 0.5, "50 % of this size"),
        (pyfsagg.resampling.Subsample(0.8), 0.8, "80 % of this size"),
        ("complementary_pairs", 0.5, "50 % of this size"),
        ("bootstrap", 1.0, "this size"),
    ],
)
def test_the_size_of_a_resample_scales_the_errors_and_is_said(plan, share, size) -> None:
    from pyfsagg.ensemble.trust import drawn_share

    result = run(resampling=plan)
    assert drawn_share(result._ensemble) == pytest.approx(share)
    said = f"the expected score in samples of {size} from the same population"
    assert said in result.rank_confidence().sentence
    assert result.to_html().count(said) == 2  # below the table, and below the true best


def test_ranks_are_averaged_where_the_aggregator_does() -> None:
    result = run(aggregator="mean_rank", resampling=pyfsagg.resampling.Subsample(0.5))
    found = result.rank_confidence()
    expected = stats.rankdata(result.ranking, method="min")
    assert found.ranks.tolist() == expected.tolist()
    assert "expected rank" in found.sentence


@pytest.mark.parametrize("aggregator", ["arithmetic_mean", "mean_rank"])
def test_sets_of_a_bootstrap_are_centred_on_the_table_itself(aggregator) -> None:
    result = run(aggregator=aggregator)
    rows = np.arange(len(WINE.y))
    itself = run(resampling=pyfsagg.resampling.Rows([rows, rows]), n_resamples=2)
    np.testing.assert_array_equal(result.checked.own_scores, itself.scores)
    by = itself.scores if aggregator == "arithmetic_mean" else -itself.ranking
    np.testing.assert_array_equal(result.rank_confidence().estimates, by)
    assert "centred on the rank in the table itself" in result.to_html()
    without = dataclasses.replace(result, checked=type(result.checked)())
    with pytest.raises(DataError, match="run it again"):
        without.rank_confidence()
    assert run(n_resamples=10).checked.own_scores is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 10}, "at least 50"),
        ({"aggregator": "rra"}, "not a mean over resamples"),
        ({"resampling": pyfsagg.resampling.LabelNoise(0.1)}, "sample to sample"),
        ({"resampling": pyfsagg.resampling.FeatureSubspace(0.5)}, "sample to sample"),
    ],
)
def test_runs_without_sets_say_why(options: dict, message: str) -> None:
    result = run(**options)
    with pytest.raises(DataError, match=message):
        result.rank_confidence()
    assert "rank_set_lower" not in result.to_frame()
    assert "There are no confidence sets" in result.to_html()


def signs_by_hand(x: np.ndarray, level: float) -> float:
    """The limit of all pairs of columns by all signs of the rows, with Student's statistic itself."""
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=len(x))))
    pairs = list(itertools.combinations(range(x.shape[1]), 2))
    largest = [
        max(abs(stats.ttest_1samp(s * (x[:, i] - x[:, j]), 0.0).statistic) for i, j in pairs)
        for s in signs
    ]
    return float(np.sort(largest)[int(np.ceil(level * len(signs))) - 1])


def test_a_table_is_judged_by_all_signs_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_sets, "FEW_ROWS", 0)
    x = np.random.default_rng(4).standard_normal((7, 4))
    decided = set()
    for push in np.linspace(0.0, 4.0, 9):
        y = x + push * np.eye(4)[0]
        limit = signs_by_hand(y, 0.9)
        t = [stats.ttest_rel(y[:, 0], y[:, j]).statistic for j in range(1, 4)]
        found = rank_confidence(y, confidence_level=0.9)
        if max(t) <= limit:
            assert found.upper_all[0] == 4
        assert found.upper_all[0] <= 4 - sum(np.array(t) > limit)
        decided.add(max(t) > limit)
    assert decided == {True, False}


def test_effects_of_rows_and_their_scale_change_nothing() -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((15, 6)) + np.linspace(2, 0, 6)
    found = rank_confidence(x)
    shifted = rank_confidence(3.0 * x + 50.0 * rng.standard_normal((15, 1)))
    for same in (shifted, rank_confidence(1e200 * x), rank_confidence(1e-200 * x)):
        for name in ("lower", "upper", "lower_all", "upper_all"):
            np.testing.assert_array_equal(getattr(found, name), getattr(same, name))
    turned = rank_confidence(-x, higher_is_better=False)
    np.testing.assert_array_equal(found.lower_all, turned.lower_all)
    nested = [found.lower_all, found.lower, found.ranks, found.upper, found.upper_all]
    assert (np.diff(nested, axis=0) >= 0).all()


def test_small_tables_take_students_limit_at_least() -> None:
    x = np.random.default_rng(2).exponential(size=(10, 30))
    table = rank_confidence(x)
    holm = rank_confidence(x.mean(axis=0), np.cov(x.T) / 10, df=9)
    assert (table.lower_all <= holm.lower_all).all()
    assert (table.upper_all >= holm.upper_all).all()


def test_differences_without_error_are_judged_by_their_signs() -> None:
    step = np.arange(6.0)[:, None] + [0.0, -1.0, -2.0]
    # Six equal signs have the chance 2/64: enough for one pair, and for all, which are flipped together.
    for level in (0.95, 0.96):
        assert rank_confidence(step, confidence_level=level).upper_all.tolist() == [1, 2, 3]
    message = r"the signs of 6 rows can decide nothing at 97 %.* at least 7"
    refused(rank_confidence, ((step,), {"confidence_level": 0.97}, DataError, message))
    ties = rank_confidence(np.ones((9, 3)))
    assert (ties.lower_all.tolist(), ties.upper_all.tolist()) == ([1, 1, 1], [3, 3, 3])


def test_tables_with_names_and_refusals() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(8, 3)), columns=["a", "b", "c"])
    assert rank_confidence(frame).names == ("a", "b", "c")
    holed = frame.mask(np.add.outer(10 * np.arange(8), np.arange(3)) == 21)
    refused(
        rank_confidence,
        ((frame,), {"df": 7}, ParameterError, "the errors of a table are in its rows"),
        ((holed,), {}, DataError, r"missing or infinite value \(position 2, 1\)"),
        ((frame[["a"]],), {}, DataError, "a table of rows with at least two"),
    )


def test_a_limit_counts_the_data_among_its_draws() -> None:
    assert rank_sets._quantiles(np.arange(1.0, 200.0)[np.newaxis], 0.95).tolist() == [190.0]


def test_how_many_sets_hold_one_place_is_told() -> None:
    found = rank_confidence([9.0, 5.0, 4.9, 4.8, 1.0], standard_errors=[0.1] * 5)
    assert (found.upper - found.lower + 1).tolist() == [1, 3, 3, 3, 1]
    assert "contain at most 3 of 5 places, 2 contain one place" in found.sentence


def test_limits_of_skewed_rows_are_at_least_students_on_the_scale_of_the_signs() -> None:
    errors = _Flipped(np.zeros((3, 1)), np.ones(3), np.ones((3, 3)), n_rows=8, skewed=True)
    found = np.array([0.3, 0.95, 1.0])
    t = np.maximum(found * np.sqrt(7 / np.maximum(1 - found**2, 1e-300)), stats.t.isf(0.05 / 3, 7))
    t *= 1 + WIDER / 8
    expected = np.where(found < 1, t / np.sqrt(7 + t**2), 1.0)
    np.testing.assert_allclose(errors._at_least(found, 3, 0.95), expected, rtol=1e-12)
    # A limit that decides nothing stays: statistics of a table are at most 1 but for rounding.
    beyond = np.array([1.0 + 1e-10, np.inf, 2.0])
    np.testing.assert_array_equal(errors._at_least(beyond, np.ones(3), 0.95), beyond)


def test_wide_tables_take_fewer_flips(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(_Flipped, "of_table", lambda values, rng, n_draws: asked.append(n_draws))
    for p, given in ((2, None), (500, None), (501, None), (501, 7)):
        _of_table(np.zeros((8, p)), 0.95, np.random.default_rng(0), given)
    assert asked == [2000, 2000, 500, 7]


def test_errors_of_replicates_are_those_of_their_covariance(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    replicates = rng.normal(size=(6, 3))
    asked = []

    def seen(draws, covariance, df=None):
        asked.append((draws, covariance, df))
        return made(draws, covariance, df)

    made = rank_sets._with_covariance
    monkeypatch.setattr(rank_sets, "_with_covariance", seen)
    how = {"names": list("abc"), "confidence_level": 0.9, "factor": 4.0, "of": ""}
    sets_of_replicates(replicates.mean(axis=0), replicates, **how)
    [(draws, covariance, df)] = asked
    np.testing.assert_allclose(covariance, 4.0 * np.cov(replicates.T), rtol=1e-12)
    assert (df, len(draws)) == (5.0, 2000)
    # Three standard errors of a variance of 2,000 draws.
    np.testing.assert_allclose(draws.var(axis=0), np.diag(covariance), rtol=3 * np.sqrt(2 / 2000))


@pytest.mark.parametrize("seed", range(12))
def test_sets_of_single_ranks_go_down_until_nothing_is_decided(seed: int) -> None:
    """All limits are renewed in each round; the package renews those of which something was decided."""
    rng = np.random.default_rng(seed)
    p, level = 4, 0.8
    values = 2.0 * rng.normal(size=p)
    errors = rank_sets._Errors(rng.normal(size=(199, p)), np.ones(p))
    limits, before = np.full(p, np.inf), None
    for _ in range(rank_sets.MOST_STEPS):
        limits = errors.item_limits(values, limits, level, np.arange(p))
        gaps = (values[None, :] - values[:, None]) / np.sqrt(2.0)
        lower = 1 + (gaps > limits[:, None]).sum(axis=1)
        upper = p - (-gaps > limits[:, None]).sum(axis=1)
        if before == (lower.tolist(), upper.tolist()):
            break
        before = lower.tolist(), upper.tolist()
    found = rank_sets._sets(values, tuple("abcd"), errors, level)
    assert (found.lower.tolist(), found.upper.tolist()) == before


@pytest.mark.parametrize(("p", "steps"), [(512, rank_sets.MOST_STEPS), (513, 1)])
def test_of_many_independent_items_limits_depend_on_the_variance_alone(p: int, steps: int) -> None:
    """So that there is nothing to renew."""
    assert rank_sets._Errors(np.zeros((1, p)), np.ones(p)).item_steps == steps
