"""P-values from shuffled targets: one scale for all columns, designs of rows, limits, and what is said."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from two_classes import table

import pyfsagg
from pyfsagg.ensemble.null import Nulls, Shuffling, _less_means, _rank_statistics, kinds_of_features
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.error_control import TargetPermutation, permutation
from pyfsagg.error_control.permutation import comparable_evidence, step_down_max_t
from pyfsagg.exceptions import DataError
from pyfsagg.resampling import Bootstrap, FeatureSubspace, GroupedBootstrap
from pyfsagg.statistics import adjust_p_values


def mixed(n: int, real: float, seed: int, levels: int = 25) -> tuple[pd.DataFrame, np.ndarray]:
    """One binary column that is related to two classes, and three of many levels that are not."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n // 2)
    related = rng.random(n) < 0.5 + real * (y - 0.5)
    X = pd.DataFrame(np.column_stack([related, rng.integers(0, levels, (n, 3))]))
    return X.astype("category").add_prefix("x"), y


# --- one scale -------------------------------------------------------------------------------
def by_definition(observed, null, kinds):
    """The evidence, score by score, as the documentation defines it."""

    def of(value, pool):
        pool = np.sort(pool)
        return pool, (1 + (pool >= value).sum()) / (1 + len(pool))

    own, others = np.empty(len(observed)), np.empty(null.shape)
    for kind in set(kinds.tolist()):
        columns = np.flatnonzero(kinds == kind)
        everything = np.sort(null[:, columns].ravel())
        n_tail = min(max(20, min(250, len(everything) // 50)), len(everything) // 2)
        start = everything[len(everything) - n_tail - 1]
        for j in columns:
            for k in range(-1, len(null)):
                rows = [r for r in range(len(null)) if r != k]
                value = observed[j] if k < 0 else null[k, j]
                pool, p_value = of(value, null[rows][:, columns].ravel())
                if value > start:
                    excess = pool[pool > start] - start
                    tail = (len(excess) + 1) / (len(pool) + 1)
                    tail *= (1 + (value - start) / excess.sum()) ** -len(excess)
                    p_value = max(tail, (pool >= value).sum() / (len(pool) + 1))
                if k < 0:
                    own[j] = -np.log(p_value)
                else:
                    others[k, j] = -np.log(p_value)
    return own, others


@pytest.mark.parametrize("decimals", [6, 0])
def test_evidence_is_what_its_definition_says(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    null = np.round(rng.chisquare([1, 1, 1, 9, 4], (39, 5)), decimals)
    observed = np.array([0.0, 12.0, null[:, 2].max(), 30.0, null[3, 4]])
    kinds = np.array([7, 7, 7, 2, 5])
    expected = by_definition(observed, null, kinds)
    for one, other in zip(comparable_evidence(observed, null, kinds), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_evidence_does_not_depend_on_the_unit_and_grows_with_the_score() -> None:
    rng = np.random.default_rng(0)
    null, observed = rng.exponential(size=(99, 6)), np.linspace(0.0, 20.0, 6)
    one, two = (comparable_evidence(c * observed, c * null, np.zeros(6)) for c in (1.0, 1e6))
    np.testing.assert_allclose(one[0], two[0], rtol=1e-9)
    np.testing.assert_allclose(one[1], two[1], rtol=1e-9)
    assert (np.diff(one[0]) > 0).all()
    # Beyond all that was seen the p-value goes on falling, not below what an exponential tail gives.
    assert np.exp(-one[0][-1]) < 1 / (1 + 99 * 6)
    assert np.exp(-one[0][-1]) > 0.1 * np.exp(-20.0)


def test_a_row_is_standardised_by_the_others() -> None:
    null = np.random.default_rng(0).normal(size=(19, 4)) * [1.0, 10.0, 1e-6, 1e6]
    own, others = permutation.standardised(null[0], null[1:])
    left = np.delete(null[1:], 5, axis=0)
    np.testing.assert_allclose(others[5], (null[6] - left.mean(axis=0)) / left.std(axis=0))
    np.testing.assert_allclose(own, (null[0] - null[1:].mean(axis=0)) / null[1:].std(axis=0))
    # A column of one value has the usual spread.
    null = np.random.default_rng(3).normal(size=(39, 4)) * [0.01, 0.02, 0.03, 0.0]
    usual = np.median(null[:, :3].std(axis=0))
    own, _ = permutation.standardised(np.array([0.0, 0.0, 0.0, 0.06]), null)
    assert own[3] == pytest.approx(0.06 / usual)
    # Scores that are all equal say nothing.
    for own, others in (
        comparable_evidence(np.zeros(3), np.zeros((19, 3)), np.zeros(3)),
        permutation.standardised(np.zeros(3), np.zeros((19, 3))),
    ):
        assert own.tolist() == [0.0] * 3
        assert not others.any()


# --- tests -----------------------------------------------------------------------------------


def test_numbers_with_other_shuffles_by_hand_and_q_values_of_scipy() -> None:
    rng = np.random.default_rng(0)
    null = rng.exponential(size=(99, 5))
    observed = np.array([9.0, 4.2, 4.0, 0.1, 0.0])
    numbers = permutation.numbers_with_other_shuffles(observed, null, 3)
    drawn = np.random.default_rng([3, 99]).multinomial(99, np.full(99, 1 / 99), size=100)
    for counts, number in zip(drawn, numbers, strict=True):
        again = step_down_max_t(observed, np.repeat(null, counts, axis=0))[1]
        assert number == (again <= 0.05 + 1e-9).sum()
    assert len(set(numbers.tolist())) > 1
    p_values = np.random.default_rng(0).random(40) ** 3
    p_values[:2] = p_values[2]
    for any_dependence, method in ((False, "bh"), (True, "by")):
        expected = stats.false_discovery_control(p_values, method=method)
        found = permutation.false_discovery_rates(p_values, any_dependence=any_dependence)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        np.testing.assert_allclose(adjust_p_values(p_values, method), expected, rtol=1e-12)


def test_a_missing_p_value_is_no_test_and_others_lie_from_0_to_1() -> None:
    found = adjust_p_values([0.1, np.nan, 0.01, 0.5], "bh")  # as p.adjust(method = "BH")
    np.testing.assert_allclose(found, [0.15, np.nan, 0.03, 0.5], rtol=1e-14)
    found = adjust_p_values([0.1, np.nan, 0.01, 0.5], "by")  # method = "BY"
    np.testing.assert_allclose(found, [0.275, np.nan, 0.055, 0.5 * 11 / 6], rtol=1e-14)
    found = adjust_p_values([0.1, 0.01], "by", n=3)  # p.adjust(c(0.1, 0.01), "BY", 3)
    np.testing.assert_allclose(found, [0.275, 0.055], rtol=1e-14)
    assert np.isnan(adjust_p_values([np.nan], "by")).all()
    with pytest.raises(DataError, match="a p-value is 2"):
        adjust_p_values([0.1, 2.0], "by")


# --- runs ------------------------------------------------------------------------------------
def test_what_is_related_is_found_and_zeros_are_not() -> None:
    found, again = (pyfsagg.ensemble.permute_target(*table(2.5), random_state=1) for _ in range(2))
    assert set(found.select()) == {"x0", "x1"}
    assert found.strong
    assert (found.family_wise_p_values >= found.p_values - 1e-12).all()
    np.testing.assert_array_equal(found.p_values, again.p_values)
    frame = found.to_frame()
    assert set(frame.index[:2]) == {"x0", "x1"}
    np.testing.assert_allclose(frame["q_value"], adjust_p_values(frame["p_value"], "bh"))
    assert found.judges[-1] == "kruskal_wallis"
    cut = pyfsagg.ensemble.permute_target(
        *table(0.0, seed=3), filter="fit_criterion", random_state=0
    )
    assert cut.judges == ("fit_criterion",)  # it does not cut numbers
    assert cut.select() == []
    assert cut.sentences[0].startswith("No feature can be distinguished from noise")


def test_numbers_are_judged_by_ranks_first_and_levels_by_the_filter_alone() -> None:
    """Score by score: the p-value of a filter that cuts is multiplied by four beside that of ranks."""
    X, y = table(0.8, n=40, p=4, seed=5)
    X["level"] = pd.Series(np.random.default_rng(5).integers(0, 3, 40)).astype(str)
    options: dict[str, Any] = {"random_state": 2}
    nulls = Nulls(set_up_run(X, y, Ensemble(["chi_squared"], n_resamples=2), **options))
    codes = [nulls.run.target.codes, *(one.target.codes for one in nulls.shuffled(nulls.run, 99))]
    filters = np.array([pyfsagg.filters.chi_squared(X, labels) for labels in codes])
    ranks = np.array(
        [[stats.kruskal(*(X[x][c == k] for k in (0, 1)))[0] for x in X.columns[:4]] for c in codes]
    )
    kinds = np.array([0, 0, 0, 0, 1])
    by_filter = comparable_evidence(filters[0], filters[1:], kinds)
    by_ranks = comparable_evidence(ranks[0], ranks[1:], kinds[:4])
    best = []
    for filtered, ranked in zip(by_filter, by_ranks, strict=True):
        filtered, ranked = np.atleast_2d(filtered), np.atleast_2d(ranked)
        numbers = np.maximum(np.maximum(filtered[:, :4] - np.log(4.0), ranked), 0.0)
        best.append(np.column_stack([numbers, filtered[:, 4]]))
    expected = np.exp(-comparable_evidence(best[0][0], best[1], kinds)[0])
    found = pyfsagg.ensemble.permute_target(X, y, filter="chi_squared", shuffles=99, **options)
    np.testing.assert_allclose(found.p_values, expected, rtol=1e-9)


def test_survival_times_are_judged_by_the_score_of_cox_in_the_ranks() -> None:
    rng = np.random.default_rng(8)
    X = pd.DataFrame(np.exp(rng.normal(size=(60, 3))), columns=list("abc")).round(1)
    Y = np.column_stack(
        [rng.exponential(np.exp(-np.log(X["a"] + 0.1))).round(2) + 0.01, rng.random(60) < 0.7]
    )
    options: dict[str, Any] = {"random_state": 2, "task": "survival"}
    nulls = Nulls(set_up_run(X, Y, Ensemble(["chi_squared"], n_resamples=2), **options))
    ranks = X.rank()
    statistics = []
    for target in (one.target for one in nulls.shuffled(nulls.run, 5)):
        residuals = pyfsagg.filters.martingale_residuals(target.outcome)
        statistics.append([60 * np.corrcoef(ranks[x], residuals)[0, 1] ** 2 for x in X])
    found = _rank_statistics(nulls, 5)
    np.testing.assert_allclose(found[1:], np.array(statistics) * 59 / 60, rtol=1e-9)
    # The score that Cox's test divides by another estimate of its variance.
    tested = pyfsagg.filters.cox_score(ranks, Y)
    np.testing.assert_allclose(np.sqrt(found[0]), np.sqrt(tested), atol=0.35)
    assert (
        pyfsagg.ensemble.permute_target(X, Y, filter="chi_squared", **options).judges[-1]
        == "cox_score"
    )


def test_a_few_levels_are_found_beside_many() -> None:
    """The binary column has a p-value of 1e-8 by chi-squared, and the lowest score of all."""
    X, y = mixed(200, 0.34, 2, levels=45)
    scores = pyfsagg.filters.chi_squared(X, y)
    assert scores[0] < scores[1:].max()
    found = pyfsagg.ensemble.permute_target(X, y, filter="chi_squared", random_state=0)
    assert found.select() == ["x0"]
    result = pyfsagg.wam(X, y, filter="chi_squared", n_resamples=50, random_state=0)
    assert result.select() == ["x0"]
    assert result.selection(fdr=0.1).control.selected == ["x0"]


def test_a_limit_on_the_rate_finds_a_third_of_the_table() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 30))
    X[100:, :10] += 3.0
    result = pyfsagg.wam(X, y, filter="spearman", n_resamples=20, random_state=0)
    for options in (
        {"fdr": 0.05},
        {"fdr": 0.05, "method": "benjamini_yekutieli"},
        {"max_false": 0.5},
    ):
        limited = result.selection(**options).control
        assert set(limited.selected) >= {f"x{j}" for j in range(10)}
        assert len(limited.selected) <= 11
        assert limited.support.sum() == len(limited.selected)
        assert limited.selected == list(limited.to_frame().query("controlled").index)
        assert limited.record()["selected"] == limited.selected
    # Pairs of halves select by a bound where only the number is limited, as asked for by the plan.
    pairs = pyfsagg.wam(X, y, filter="spearman", n_resamples=40, resampling="pairs", random_state=0)
    assert pairs.selection(max_false=1).control.method == "stability_selection"
    assert pairs.selection(fdr=0.05).control.method == "benjamini_hochberg"
    assert pairs.selection(fdr=0.05, method="integrated_path").control.method == "integrated_path"


def test_what_a_limit_says_when_nothing_is_selected() -> None:
    result = pyfsagg.wam(*table(0.0, seed=3), filter="spearman", n_resamples=8, random_state=0)
    limited = result.selection(fdr=0.01).control
    assert limited.selected == []
    best = limited.to_frame().iloc[0]
    assert f"which a limit of {best['q_value']:.2g} would select" in limited.sentences[0]
    assert "does not say that no feature is related" in limited.sentences[0]
    page = result.to_html(fdr=0.01)
    assert "no feature is selected: the nearest is" in page


def test_p_values_are_near_those_of_the_rank_sum_test() -> None:
    X, y = table(0.6, n=60, p=40, seed=2)
    found = pyfsagg.ensemble.permute_target(X, y, filter="spearman", random_state=0)
    exact = stats.mannwhitneyu(X[y == 0], X[y == 1], method="asymptotic", use_continuity=False)[1]
    np.testing.assert_allclose(np.log(found.p_values), np.log(exact), atol=0.35)


@pytest.mark.parametrize("method", [pyfsagg.wam, pyfsagg.bam])
def test_they_change_no_bit_of_the_ranking_and_no_worker_changes_them(method: Any) -> None:
    X, y = table(1.0)
    options = {"n_resamples": 30, "random_state": 5}
    without = method(X, y, checks=pyfsagg.Checks(shuffles=0), **options)
    one, two = (method(X, y, n_jobs=jobs, **options) for jobs in (1, 2))
    for name in ("combined", "scores", "ranking"):
        np.testing.assert_array_equal(getattr(without, name), getattr(one, name))
    np.testing.assert_array_equal(without.checked.halves, one.checked.halves)
    for name in ("p_values", "family_wise_p_values", "numbers"):
        first, second = (getattr(each.permutation, name) for each in (one, two))
        np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(one.checked.noise_halves, two.checked.noise_halves)
    assert without.permutation is None
    assert without.checked.noise_halves is None
    assert "shuffles" not in without.parameters
    assert one.parameters["shuffles"] == {"n_shuffles": 999, "unit": "rows", "n_pairs": 3}


@pytest.mark.parametrize("criterion", ["mrmr", "jmi", "jmim", "njmim", "disr", "cmim"])
def test_a_criterion_beside_others_is_judged_by_its_relevance(criterion: str) -> None:
    """Under each shuffled target some feature is selected first, so its own scores find nothing."""
    rng = np.random.default_rng([23, 0])
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 15))
    X[:, 0] += 1.5 * y
    found = pyfsagg.ensemble.permute_target(X, y, filter=criterion, shuffles=199, random_state=0)
    assert found.select() == ["x0"]
    assert (found.judges, found.relevance_of) == (("mim", "kruskal_wallis"), (criterion,))
    assert found.strong
    assert f"The ranking is by {criterion}, which scores a feature beside those" in found.scale
    mim = pyfsagg.ensemble.permute_target(X, y, filter="mim", shuffles=199, random_state=0)
    np.testing.assert_array_equal(found.p_values, mim.p_values)
    assert mim.relevance_of == ()


def test_relevance_is_by_the_bins_of_the_criterion_and_once_for_several() -> None:
    X, y = table(1.0, n=60)
    how = {"shuffles": 99, "random_state": 0}
    three, four = (
        pyfsagg.ensemble.permute_target(
            X, y, filter="mim", filter_params={"bins": bins}, **how
        ).p_values
        for bins in (3, 4)
    )
    assert (three != four).any()
    params = {"mrmr": {"bins": 4, "n_features": 2}, "jmi": {"bins": 3}}
    both = pyfsagg.ensemble.permute_target(
        X, y, filters=["mrmr", "jmi"], filter_params=params, **how
    )
    np.testing.assert_array_equal(both.p_values, four)
    assert both.relevance_of == ("mrmr", "jmi")
    run = pyfsagg.wam(X, y, filter="mrmr", n_resamples=20, random_state=0)
    assert run.permutation is not None
    assert (
        run.permutation.n_permutations == 999
    )  # one column at a time: as many as for other filters
    number = X["x0"] + np.random.default_rng(0).normal(size=60)
    options = {"task": "regression", **how}
    found = pyfsagg.ensemble.permute_target(X, number, filter="mrmr_correlation", **options)
    alone = pyfsagg.ensemble.permute_target(X, number, filter="pearson", **options)
    np.testing.assert_array_equal(found.p_values, alone.p_values)
    assert found.judges == ("pearson",)


@pytest.mark.parametrize(("n_resamples", "n_shuffles"), [(20, 19), (200, 39), (299, 39)])
def test_a_function_scores_a_shuffled_target_for_each_five_resamples(n_resamples, n_shuffles):
    how = {"n_resamples": n_resamples, "random_state": 0, "checks": pyfsagg.Checks(pairs=0)}
    found = pyfsagg.wam(*table(0.6, n=30, p=4), filter=lambda X, y, weight: X.mean(axis=0), **how)
    assert found.parameters["shuffles"]["n_shuffles"] == n_shuffles


def test_a_resumed_run_has_the_same(tmp_path) -> None:
    X, y = table(1.0)
    options = {"n_resamples": 30, "random_state": 5}
    execution = pyfsagg.Execution(checkpoint=tmp_path / "kept")
    first, second = (pyfsagg.bam(X, y, execution=execution, **options) for _ in range(2))
    alone = pyfsagg.bam(X, y, **options)
    for other in (second, alone):
        np.testing.assert_array_equal(first.permutation.p_values, other.permutation.p_values)
        np.testing.assert_array_equal(first.checked.noise_halves, other.checked.noise_halves)


def test_the_order_of_the_rows_and_the_number_of_resamples_do_not_matter() -> None:
    X, y = table(1.0)
    rows = np.random.default_rng(1).permutation(len(y))
    options = {"filter": "information_gain", "random_state": 2}
    one = pyfsagg.wam(X, y, n_resamples=20, **options).permutation
    moved = X.iloc[rows].reset_index(drop=True), y[rows]
    two = pyfsagg.wam(*moved, n_resamples=9, **options).permutation
    np.testing.assert_allclose(one.p_values, two.p_values, rtol=1e-9)
    np.testing.assert_array_equal(one.family_wise_p_values, two.family_wise_p_values)


def test_a_filter_that_looks_at_other_features_does_not_judge() -> None:
    X, y = table(1.0)
    options = {"n_resamples": 20, "random_state": 2}
    alone = pyfsagg.wam(X, y, filter="fit_criterion", **options).permutation
    both = pyfsagg.bam(X, y, filters=["fit_criterion", "mrmr"], **options).permutation
    np.testing.assert_array_equal(alone.p_values, both.p_values)
    assert both.judges == ("fit_criterion",)
    assert both.relevance_of == ()
    only = pyfsagg.wam(X, y, filter="car_score", **options).permutation
    assert not only.strong
    assert only.n_permutations == 19
    assert "a selection says that some are" in only.supposed


@pytest.mark.parametrize("name", ["slope", "variance"])
def test_a_function_is_judged_in_the_unit_of_each_column(name: str) -> None:
    """Coefficients of columns in other units are compared with their own, whatever the function is called."""
    X, y = table(2.5)
    X["x1"] *= 1e-4
    X["x5"] *= 1e4

    def slope(X: Any, y: Any, sample_weight: Any) -> Any:
        gap = np.average(X, axis=0, weights=sample_weight * y)
        return np.abs(gap - np.average(X, axis=0, weights=sample_weight * (1 - y)))

    slope.__name__ = name
    how = {"n_resamples": 100, "checks": pyfsagg.Checks(shuffles=99), "random_state": 0}
    result = pyfsagg.wam(X, y, filter=slope, **how)
    assert set(result.select()) == {"x0", "x1"}
    assert not result.permutation.strong


@pytest.mark.parametrize(("task", "filter"), [("regression", "pearson"), ("survival", "cox_score")])
def test_numbers_and_times_are_shuffled_too(task: str, filter: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 8))
    y = X[:, 0] + 0.5 * rng.normal(size=100)
    target = y if task == "regression" else np.column_stack([np.exp(y), rng.random(100) < 0.8])
    how = {"task": task, "random_state": 0}
    checks = pyfsagg.Checks(shuffles=99)
    result = pyfsagg.wam(X, target, filter=filter, checks=checks, n_resamples=30, **how)
    assert result.permutation.above.tolist() == [True, *[False] * 7]
    cut = pyfsagg.ensemble.permute_target(X, target, filter="chi_squared", shuffles=99, **how)
    by_ranks = {"regression": "spearman", "survival": "cox_score"}[task]
    assert cut.judges == ("chi_squared", by_ranks)
    assert cut.above.tolist() == [True, *[False] * 7]


def test_missing_cells_constant_columns_and_parts_of_the_features_are_judged() -> None:
    X, y = table(2.5)
    rng = np.random.default_rng(0)
    X = X.mask(rng.random(X.shape) < 0.2)
    X["constant"] = 1.0
    X["empty"] = np.nan
    found = pyfsagg.ensemble.permute_target(X, y, filter="information_gain", random_state=0)
    assert set(found.select()) == {"x0", "x1"}
    assert found.p_values[-2:].tolist() == [1.0, 1.0]
    how = {"resampling": FeatureSubspace(0.5), "n_resamples": 60, "random_state": 0}
    result = pyfsagg.wam(*table(2.5), filter="fit_criterion", **how)
    assert set(result.select()) == {"x0", "x1"}


def test_columns_of_one_kind_and_means_within_strata() -> None:
    rng = np.random.default_rng(0)
    n = 64
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n), "b": rng.normal(size=n) ** 3, "c": np.arange(n) % 2,
            "d": np.arange(n) // 32, "rare": np.arange(n) < 3, "words": pd.Categorical(np.arange(n) % 7),
            "once": np.arange(n) == 5, "twice": np.arange(n) < 2, "levels": np.arange(n) % 29,
        }
    )  # fmt: skip
    run = set_up_run(
        frame, np.arange(n) % 2, Ensemble(["chi_squared"], n_resamples=2), random_state=0
    )
    a, b, c, d, *others = kinds_of_features(run).tolist()
    assert a == b
    assert c == d
    assert len({a, c, *others}) == 2 + len(others)
    rng = np.random.default_rng(1)  # what is seen of numbers in ten bins of equal width
    z = rng.normal(size=(90, 8))
    shapes = np.hstack([z, 1e6 + z[:, :2], rng.random((90, 2)), np.exp(2.0 * z[:, :4])])
    run = set_up_run(shapes, np.arange(90) % 2, Ensemble(["mim"], n_resamples=2), random_state=0)
    assert not kinds_of_features(run).any()
    kinds = kinds_of_features(run, 10)
    assert len(set(kinds[:12])) == 1
    assert not set(kinds[12:]) & {kinds[0]}
    values, strata = np.array([[1.0, 2, 3, 7, 8], [0, 0, 1, 1, 0]]), np.array([0, 1, 0, 1, 1])
    expected = [[-1, -11 / 3, 1, 4 / 3, 7 / 3], [-0.5, -1 / 3, 0.5, 2 / 3, -1 / 3]]
    np.testing.assert_allclose(_less_means(values, strata), expected, atol=1e-15)


def test_numbers_of_unlike_shape_are_compared_with_their_like() -> None:
    """Uniform columns occupy ten bins and skewed ones few, so scores of chi-squared differ by chance."""
    shares = []
    for seed in range(60):
        rng = np.random.default_rng([7, seed])
        X = np.exp(2.0 * rng.normal(size=(120, 30)))
        X[:, :3] = rng.random((120, 3))
        test = pyfsagg.ensemble.permute_target(
            X, np.arange(120) % 2, filter="chi_squared", shuffles=99, random_state=seed
        )
        shares.append((test.p_values[:3] <= 0.05).mean())
    assert np.mean(shares) < 0.08  # 180 p-values; one kind of numbers gave .13
    X = np.random.default_rng(0).normal(size=(60, 4))
    judges = {"chi_squared": 10, "mim": 10, "information_gain": 0}
    run = set_up_run(X, X[:, 0] > 0, Ensemble(list(judges), n_resamples=2), random_state=0)
    assert {n: s.width_bins(run.ensemble.params.get(n, {})) for n, s in run.specs.items()} == judges


# --- designs of rows ---------------------------------------------------------------------------
def shuffling_of(y: Any, groups: Any) -> tuple[Shuffling, np.ndarray]:
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(len(y), 3)), columns=list("abc"))
    plan = GroupedBootstrap(groups)
    run = set_up_run(
        X, y, Ensemble(["chi_squared"], n_resamples=2, resampling=plan), random_state=0
    )
    return Shuffling.of(run), run.target.codes


def test_groups_with_one_target_each_exchange_it_as_wholes() -> None:
    groups = np.repeat([f"s{k}" for k in range(12)], [1, 2, 3] * 4)
    y = np.isin(groups, ["s0", "s1", "s2", "s5", "s6"]).astype(int)
    shuffling, codes = shuffling_of(y, groups)
    assert shuffling.unit == "groups"
    seen = set()
    for k in range(20):
        shuffled = codes[shuffling.rows(0, k)]
        by_group = pd.Series(shuffled).groupby(groups)
        assert (by_group.nunique() == 1).all()
        assert by_group.first().sum() == 5  # as many groups of each class
        seen.add(tuple(shuffled))
    assert len(seen) > 15


def test_targets_that_vary_within_groups_stay_there() -> None:
    groups = np.repeat(np.arange(10), 4)
    y = np.tile([0, 1, 0, 1], 10)
    y[:4] = [0, 0, 0, 1]
    shuffling, codes = shuffling_of(y, groups)
    assert shuffling.unit == "rows within groups"
    shuffled = np.stack([codes[shuffling.rows(0, k)] for k in range(30)])
    for group in range(10):
        of = groups == group
        assert (shuffled[:, of].sum(axis=1) == codes[of].sum()).all()
        assert len(np.unique(shuffled[:, of], axis=0)) > 1


def test_counts_are_rows_that_stand_several_times() -> None:
    X, y = table(1.0, n=40)
    counts = np.random.default_rng(0).integers(0, 4, 40)
    rows = np.repeat(np.arange(40), counts)
    how = {"filter": "information_gain", "n_resamples": 16, "random_state": 0}
    one = pyfsagg.wam(X, y, resampling=Bootstrap(counts=counts), **how)
    two = pyfsagg.wam(X.iloc[rows], y[rows], **how)
    np.testing.assert_allclose(one.permutation.p_values, two.permutation.p_values, rtol=1e-9)
    np.testing.assert_array_equal(one.combined, two.combined)
    np.testing.assert_array_equal(one.checked.noise_halves, two.checked.noise_halves)
    assert one.between_sample_stability().n_rows == two.between_sample_stability().n_rows
    assert "so many" in one.methods_text()


def weighted(kind: str, seed: int, **options: Any) -> pyfsagg.error_control.TargetPermutation:
    """P-values of 15 features of noise in 60 rows with weights."""
    rng = np.random.default_rng([23, seed])
    X, y = rng.normal(size=(60, 15)), np.arange(60) % (5 if kind == "class" else 2) == 0
    weights = {"random": rng.integers(1, 4, 60), "class": np.where(y, 4, 1)}[kind]
    plan = Bootstrap(sample_weight=weights)
    return pyfsagg.ensemble.permute_target(
        X, y.astype(int), shuffles=99, random_state=seed, resampling=plan, **options
    )


@pytest.mark.parametrize("kind", ["random", "class"])
def test_weights_do_not_make_noise_significant(kind: str) -> None:
    """With one unit for each unit of weight some feature of every table was above noise."""
    found = [weighted(kind, seed, filter="chi_squared") for seed in range(8)]
    assert sum(each.above.any() for each in found) <= 1
    assert np.mean([each.p_values <= 0.05 for each in found]) <= 0.1
    assert found[0].weighted
    assert "targets together with weights" in found[0].scale
    assert "independent of target and weight together" in found[0].supposed


def test_each_shuffled_target_has_the_weight_of_its_row() -> None:
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def watch(X: Any, y: Any, sample_weight: Any) -> Any:
        seen.append((np.asarray(y), np.asarray(sample_weight)))
        return np.abs(np.asarray(X).T @ (sample_weight * y))

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 4 == 0
    weights = np.where(y, rng.integers(5, 9, 40), rng.integers(1, 4, 40))
    plan = Bootstrap(sample_weight=weights)
    how = {"filter": watch, "resampling": plan, "shuffles": 19, "random_state": 0}
    pyfsagg.ensemble.permute_target(X, y.astype(int), **how)
    whole = [(labels, weight) for labels, weight in seen if weight.sum() == weights.sum()][-19:]
    assert len(np.unique([weight for _, weight in whole], axis=0)) == 19
    for labels, weight in whole:
        assert sorted(zip(labels, weight, strict=True)) == sorted(zip(y, weights, strict=True))


@pytest.mark.parametrize("task", ["classification", "regression", "survival"])
def test_equal_weights_change_no_p_value(task: str) -> None:
    rng = np.random.default_rng(1)
    X, number = rng.normal(size=(50, 4)), rng.normal(size=50)
    y: Any = {
        "classification": np.arange(50) % 3,
        "regression": number,
        "survival": np.column_stack([np.exp(number), np.arange(50) % 3 > 0]),
    }[task]
    label = {"classification": "chi_squared", "regression": "spearman", "survival": "cox_score"}
    how = {"filter": label[task], "task": task, "n_resamples": 8, "random_state": 0}
    plain = pyfsagg.wam(X, y, **how)
    ones = pyfsagg.wam(X, y, resampling=Bootstrap(sample_weight=np.ones(50)), **how)
    for name in ("p_values", "family_wise_p_values"):
        found, expected = (getattr(each.permutation, name) for each in (ones, plain))
        assert found.tobytes() == expected.tobytes()
    assert ones.combined.tobytes() == plain.combined.tobytes()
    assert ones.checked.noise_halves.tobytes() == plain.checked.noise_halves.tobytes()


def test_weighted_halves_are_of_rows_and_the_text_says_what_moved() -> None:
    X, y = table(1.0, n=60)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    plan = Bootstrap(sample_weight=weights)
    result = pyfsagg.wam(
        X, y, filter="chi_squared", resampling=plan, n_resamples=16, random_state=0
    )
    assert result.between_sample_stability().n_rows == 30
    assert "Two samples of 30 rows each" in result.summary_text()
    assert "its weight moved with its target" in result.methods_text()


def test_weights_within_groups_that_have_one_target_are_equal() -> None:
    X, _ = table(1.0)
    groups, weights = np.arange(80) // 4, np.arange(80) % 3 + 1
    plan = GroupedBootstrap(groups, sample_weight=weights)
    with pytest.raises(pyfsagg.exceptions.DataError, match="weights of rows vary within groups"):
        pyfsagg.ensemble.permute_target(X, groups % 2, filter="chi_squared", resampling=plan)
    equal = GroupedBootstrap(groups, sample_weight=groups % 3 + 1)
    how = {"filter": "chi_squared", "shuffles": 19, "random_state": 0}
    assert pyfsagg.ensemble.permute_target(X, groups % 2, resampling=equal, **how).unit == "groups"


def test_why_there_are_none() -> None:
    for options, reason in (
        ({"y": None, "filter": "frcm"}, "there is no target"),
        ({"filter": "frcm"}, "the filters do not use the target"),
        (
            {"resampling": GroupedBootstrap(np.arange(80) // 20), "y": np.repeat([0, 1], 40)},
            "4 groups with one target each can hardly be shuffled",
        ),
        (
            {"resampling": Bootstrap(counts=np.full(80, 30))},
            "rows with counts stand for several samples, here too many to be shuffled one by one",
        ),
        (
            {"resampling": pyfsagg.resampling.Rows(np.tile(np.arange(80), (4, 1)))},
            "the rows of the resamples were given, and it is not known how they were drawn",
        ),
    ):
        X, y = table(1.0)
        given: dict[str, Any] = {"y": y, "filter": "fit_criterion", "n_resamples": 4, **options}
        result = pyfsagg.wam(X, given.pop("y"), random_state=0, **given)
        assert result.permutation is None
        assert result.parameters["shuffles"] == {"reason": reason}
        assert result.selection().reason.endswith(f"above noise: {reason}.")
        assert "indistinct" not in set(result.selection().frame["status"])
        with pytest.raises(DataError, match="no p-values from shuffled targets"):
            result.select(fdr=0.1, method="benjamini_hochberg")


# --- what it is good for -------------------------------------------------------------------------
def test_what_two_samples_agree_on_without_signal_is_said() -> None:
    """Columns of 2 and of 12 levels: on noise the halves agree on the latter by chi-squared."""
    rng = np.random.default_rng(0)
    levels = np.hstack([rng.integers(0, 2, (120, 20)), rng.integers(0, 12, (120, 6))])
    X = pd.DataFrame(levels).astype("category").add_prefix("c")
    y = rng.permutation(np.arange(120) % 2)
    options = {"filter": "chi_squared", "n_resamples": 160, "random_state": 0}
    result = pyfsagg.wam(X, y, normalize="none", **options)
    noise = pyfsagg.ensemble.trust.noise_between(result, 6)
    assert noise.n_pairs == 190  # each half with those of ten targets
    reference = noise.estimates.loc["nogueira", "estimate"]
    true = result.between_sample_stability(result.selection(6)).estimates.loc[
        "nogueira", "estimate"
    ]
    assert reference > 0.5
    assert abs(true - reference) < 0.15
    text = " ".join(result.summary_text(n_features_to_select=6).split())
    assert f"{reference:.2f} the agreement of two samples with shuffled targets" in text
    assert "With shuffled targets" in result.to_html()


def test_a_selector_can_leave_the_number_open() -> None:
    X, y = table(2.0)
    selector = pyfsagg.ensemble.WithinAggregationSelector(
        "fit_criterion", n_resamples=30, random_state=1
    )
    assert selector.fit(X, y).result_.permutation is None
    selector.set_params(n_features_to_select="auto").fit(X, y)
    assert selector.get_support().tolist() == [True, True, *[False] * 8]


def permuted(p_values: list[float], family_wise: list[float], **more: Any) -> TargetPermutation:
    names = tuple(f"x{j}" for j in range(len(p_values)))
    given = {"judges": ("chi_squared",), "unit": "rows", "strong": True, "n_permutations": 99}
    given |= {"numbers": np.repeat([0, 1, 2], [5, 90, 5]), **more}
    return TargetPermutation(names, np.array(p_values), np.array(family_wise), **given)


def test_the_line_of_noise_and_the_sentences() -> None:
    for p_values, family_wise, noise in (
        ([0.2, 0.02, 0.5], [0.8, 0.1, 1.0], 0.02 * 0.05 / 0.1),
        ([0.2, 0.001, 0.5], [0.8, 0.01, 1.0], np.sqrt(0.001 * 0.2)),
        ([0.001, 0.002], [0.01, 0.04], 0.002 * 0.05 / 0.04),
    ):
        assert permuted(p_values, family_wise).noise == pytest.approx(noise)
    found = permuted([0.001, 0.5], [0.01, 1.0])
    assert "0 to 2 would be found, and the same ones in 8 of 10 repetitions" in found.repetition
    strata = permuted([0.001, 0.5], [0.01, 1.0], strata=("batch",))
    assert "beyond what batch tells of the target" in strata.supposed
    both = permuted([0.001, 0.5], [0.01, 1.0], strata=("batch",), cleared=("age",))
    assert "age and batch tell of the target" in both.supposed
    for other, words in ((0.9, "is selected: x0"), (0.0001, "are selected:")):
        limited = permuted([0.0001, other], [0.0001, other]).limited("fdr", 0.05)
        assert words in limited.sentences[0]


def test_of_many_columns_the_lower_ones_take_their_own_row_as_one_part_in_k() -> None:
    rng = np.random.default_rng(5)
    null = rng.normal(size=(9, permutation.FEW_OF_A_KIND + 50))
    _, others = comparable_evidence(null[0], null, np.zeros(null.shape[1]))
    pool = np.sort(null, axis=None)
    low = null < pool[null.size // 2]
    reached = null.size - np.searchsorted(pool, null[low])
    share = (reached * (1.0 - 1.0 / 9) + 1.0) / (null.size - null.shape[1] + 1.0)
    np.testing.assert_allclose(others[low], -np.log(share), rtol=1e-6)


def test_tables_that_are_too_small_say_so() -> None:
    """Six rows show nothing: no sets of ranks, no agreement of halves, no call for another filter."""
    rng = np.random.default_rng(0)
    options = {"filter": "spearman", "random_state": 0, "n_jobs": 1}

    def said(n: int, y: np.ndarray, **more: Any) -> tuple[pyfsagg.ensemble.EnsembleResult, str]:
        X = rng.normal(size=(n, 5))
        result = pyfsagg.wam(X, y, n_resamples=60, **options, **more)
        return result, " ".join(result.summary_text().split())

    small, text = said(6, np.arange(6) % 2)
    assert (
        "No feature could have been: with so few rows the smallest possible p-value is 0.1" in text
    )
    assert "Two samples of" not in text
    for ask, reason in (
        (small.rank_confidence, "6 rows are too few for standard errors of ranks; at least 12"),
        (small.between_sample_stability, "halves of 6 rows have 3, and 6 are needed"),
    ):
        with pytest.raises(DataError, match=reason):
            ask()
    rare, _ = said(40, np.arange(40) < 4)
    with pytest.raises(
        DataError, match="has 2 rows outside of the largest class, and 3 are needed"
    ):
        rare.between_sample_stability()
    usual, text = said(40, np.arange(40) % 2)
    assert usual.rank_confidence().to_frame().shape[0] == 5
    assert "More rows would help" in text
    everything = " ".join(usual.summary_text(n_features_to_select=5).split())
    assert "All 5 features are selected in every resample" in everything
    assert "100% of resamples" not in everything


def test_where_perfect_numbers_are_not_above_noise_this_is_said(tmp_path: Path) -> None:
    """Of 8 rows and 50 columns even columns that separate two classes have large family-wise p-values."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(8, 50)), np.arange(8) % 2
    X[:, :3] += 10.0 * y[:, np.newaxis]
    how: dict[str, Any] = {"filter": "spearman", "n_resamples": 20, "random_state": 0, "n_jobs": 1}
    result = pyfsagg.wam(X, y, **how)
    test, text = result.permutation, " ".join(result.summary_text().split())
    assert test is not None
    assert test.attainable is not None
    assert test.attainable > permutation.LEVEL
    # The three are as good as any can be.
    assert test.attainable == pytest.approx(test.family_wise_p_values[:3].max(), abs=0.05)
    assert "even numbers that separate the classes perfectly have a family-wise p-value of" in text
    assert "More rows would help" not in text
    again = pyfsagg.ensemble.EnsembleResult.load(result.save(tmp_path / "run"))
    assert again.permutation is not None
    assert again.permutation.attainable == test.attainable
    # Of one column more rows than these are not needed, and of 40 rows it is not asked.
    single = pyfsagg.wam(X[:, 10:11], y, **how).permutation
    assert single is not None
    assert single.attainable is not None
    assert single.attainable <= permutation.LEVEL
    many = pyfsagg.wam(rng.normal(size=(40, 5)), np.arange(40) % 2, **how).permutation
    assert many is not None
    assert many.attainable is None


def test_perfect_numbers_follow_a_number_or_times() -> None:
    rng = np.random.default_rng(1)
    X, times = rng.normal(size=(8, 3)), rng.exponential(size=8)
    for filter, y, task in (
        ("spearman", times, "regression"),
        ("cox_score", pd.DataFrame({"time": times, "event": True}), "survival"),
    ):
        test = pyfsagg.wam(
            X, y, filter=filter, task=task, n_resamples=20, random_state=0, n_jobs=1
        ).permutation
        assert test is not None
        assert test.attainable is not None
        assert test.attainable <= permutation.LEVEL < test.family_wise_p_values.min()
