"""The aggregate() call, the registry, and the aggregators of scores and ranks by hand."""

import json
import warnings

import numpy as np
import pytest
from sklearn.decomposition import PCA

from pyfsagg.aggregation import aggregate, permutation_p_values
from pyfsagg.aggregation.order_statistics import _relabelled
from pyfsagg.aggregation.score_based import first_component, normalized_best
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    ParameterError,
    PyfsaggWarning,
    UnknownNameError,
)
from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings

NAMES = [spec.name for spec in AGGREGATORS]
SCORES = np.array([[0.9, 0.1, 0.5, 0.0], [0.7, 0.2, 0.2, 0.1], [0.8, 0.0, 0.9, 0.3]])


@pytest.mark.parametrize("method", NAMES)
def test_every_aggregator_takes_every_table_it_can(method):
    spec = AGGREGATORS.get(method)
    options = {"n_features_to_select": None} if method == "fpcps" else {}
    tables = {
        "scores": Rankings.from_scores(SCORES),
        "gaps": Rankings.from_scores(np.where(SCORES == 0.2, np.nan, SCORES)),
        "ranks": Rankings.from_ranks([[1, 2, 3, 4], [2, 1, 3.5, 3.5]]),
        "lists": Rankings.from_lists([["a", "b"], ["b", "c", "a"]], universe=[10, 20]),
        "full": Rankings.from_lists([["a", "b"], ["b", "c", "a"]], absent="unknown"),
    }
    for label, table in tables.items():
        if spec.input == "scores" and table.scores is None:
            with pytest.raises(DataError, match="aggregates ranks"):
                spec.compute(table, **options)
            continue
        values = spec.compute(table, **options)
        assert values.scores.shape == (table.n_items,), label
        assert np.isfinite(values.scores).all(), label
        # Scores and statistic order the items alike, in the direction that the spec states.
        sign = 1 if spec.higher_is_better else -1
        same_n = not (table.absent == "unknown" and table.missing.any())
        if same_n:
            gaps = np.subtract.outer(values.scores, values.scores)
            stated = sign * np.subtract.outer(values.statistic, values.statistic)
            assert (gaps * stated >= -1e-12).all(), label


GAPS = [[1.0, 4.0], [np.nan, 2.0], [3.0, 8.0]]


def test_scores_by_hand():
    for method, expected, of_gaps in (
        ("am", SCORES.mean(axis=0), [2.0, 14 / 3]),
        ("gm", [(0.9 * 0.7 * 0.8) ** (1 / 3), 0.0, (0.5 * 0.2 * 0.9) ** (1 / 3), 0], [3**0.5, 4.0]),
        ("l2", np.sqrt((SCORES**2).sum(axis=0)), [(3 * 10 / 2) ** 0.5, 84**0.5]),
        ("median", [0.8, 0.1, 0.5, 0.1], [2.0, 4.0]),
        ("min", [0.7, 0.0, 0.2, 0.0], [1.0, 2.0]),
        ("max", [0.9, 0.2, 0.9, 0.3], [3.0, 8.0]),
    ):
        for scores, values in ((SCORES, expected), (GAPS, of_gaps)):
            result = aggregate(Rankings.from_scores(scores), method)
            np.testing.assert_allclose(result.scores, values, rtol=1e-12)
            np.testing.assert_array_equal(result.scores, result.statistic)
    scores = [[0.5, -0.1], [0.2, 0.3]]
    for shift, first in (("minimum", 0.6 * 0.2), (0.1, 0.6 * 0.3)):
        shifted = aggregate(scores, "gm", shift=shift).scores
        np.testing.assert_allclose(shifted, [first**0.5, 0.0], atol=1e-15)
    scores = np.array([[0.5, -0.1, 0.0], [0.2, 0.3, 0.0]])
    expected = [np.exp(np.log(x[x > 0]).sum() / len(x)) for x in scores.T]  # a form seen in R
    np.testing.assert_allclose(aggregate(scores, "gm", nonpositive_as=1.0).scores, expected)
    small = aggregate(scores, "gm", nonpositive_as=0.01).scores
    np.testing.assert_allclose(small, [0.1**0.5, 0.003**0.5, 0.01])
    shifted = aggregate(scores, "gm", shift=0.1, nonpositive_as=0.5).scores
    np.testing.assert_allclose(shifted, [(0.6 * 0.3) ** 0.5, (0.5 * 0.4) ** 0.5, 0.1])
    absent = Rankings.from_scores([[0.5, np.nan], [0.2, -1.0]])
    np.testing.assert_allclose(aggregate(absent, "gm", nonpositive_as=1.0).scores, [0.1**0.5, 1.0])
    for wrong in (0.0, -1.0, np.nan):
        with pytest.raises(ParameterError, match="nonpositive_as must be"):
            aggregate(scores, "gm", nonpositive_as=wrong)
    for scale in (1e200, 1e-200, 0.0):
        np.testing.assert_allclose(aggregate([[3 * scale], [4 * scale]], "l2").scores, [5 * scale])


def test_ranks_by_hand():
    for method, expected in (
        ("mean_rank", [4 / 3, 7 / 3, 3, 10 / 3]),
        ("median_rank", [1, 2, 3, 3]),
        ("minimum_rank", [1, 1, 2, 3]),
        ("geometric_mean_rank", np.cbrt([2, 8, 24, 36])),
        ("borda", [8, 5, 3, 2]),
        (("mean_rank", {"normalized": True}), np.array([4, 7, 9, 10]) / 12),
    ):
        name, options = (method, {}) if isinstance(method, str) else method
        table = Rankings.from_ranks([[1, 2, 3, 4], [2, 1, 4, 3], [1, 4, 2, 3]])
        statistic = AGGREGATORS.get(name).compute(table, **options).statistic
        np.testing.assert_allclose(statistic, expected, rtol=1e-14)
    lists = [["a", "b"], ["c", "a", "b"]]
    # Full lists: on the scale of the longer list (3) the first list's ranks 1, 2 of 2 are 1.5 and 3.
    for options, mean_rank, borda in (
        ({"universe": 10}, [1.5, 2.5, 5.5], [3.0, 1.0, 2.0]),
        ({"absent": "unknown"}, [1.75, 3.0, 1.0], [2.0, 0.0, 4.0]),
    ):
        table = Rankings.from_lists(lists, **options)
        np.testing.assert_allclose(aggregate(table, "mean_rank").statistic, mean_rank)
        np.testing.assert_allclose(aggregate(table, "borda").statistic, borda)
    table = Rankings.from_scores([[3.0, 1.0, 1.0, 0.0]])
    np.testing.assert_array_equal(aggregate(table, "borda").statistic, [3, 1.5, 1.5, 0])
    strict = aggregate(table, "borda", ties="strict").statistic
    np.testing.assert_array_equal(strict, [3, 1, 1, 0])
    rng = np.random.default_rng(0)
    column = rng.permutation(40) + 1.0
    ranks = np.array([rng.permutation(column) for _ in range(40)]).T
    assert len(np.unique(aggregate(Rankings.from_ranks(ranks), "geometric_mean_rank").scores)) == 1
    table = Rankings.from_lists([["a", "b", "c", "d"], ["c", "a", "d", "b"], ["c", "d", "b", "a"]])
    # Step 1: a, c; step 2: b, (a), d.
    assert aggregate(table, "bgf").select(4) == ["a", "c", "b", "d"]
    tied = Rankings.from_scores([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_array_equal(aggregate(tied, "bgf").statistic, [1, 3, 2])


@pytest.mark.parametrize("shape", [(4, 30), (12, 5)])
def test_fpcps_is_the_first_principal_component(shape):
    rng = np.random.default_rng(1)
    scores = rng.normal(size=shape[1]) + 0.5 * rng.normal(size=shape)
    table = Rankings.from_scores(scores)
    ours = aggregate(table, "fpcps", n_features_to_select=None).scores
    standard = (scores.T - scores.mean(axis=1)) / scores.std(axis=1)
    reference = PCA(1, svd_solver="full").fit(standard)
    sign = np.sign(reference.components_[0].sum())
    expected = sign * reference.transform(standard)[:, 0]
    np.testing.assert_allclose(ours, expected, rtol=1e-8, atol=1e-10)
    loadings, _ = first_component(normalized_best(table, None, "zscore")[0], None)
    np.testing.assert_allclose(loadings, sign * reference.components_[0], rtol=1e-8, atol=1e-10)


def test_fpcps_keeps_the_best_items_of_each_list_a_quarter_by_itself():
    scores = np.random.default_rng(1).gamma(2.0, size=(3, 24)) + np.linspace(40.0, 0.0, 24) ** 2
    found = aggregate(scores, "fpcps").scores
    quarter, half = (
        aggregate(scores, "fpcps", n_features_to_select=keep).scores for keep in (0.25, 0.5)
    )
    np.testing.assert_array_equal(found, quarter)
    assert (half > half.min()).sum() > (found > found.min()).sum()
    scores = np.array([[9.0, 8, 4, 1, 0, 0, 0, 0], [9.0, 5, 6, 0, 1, 0, 0, 0]])
    result = aggregate(scores + np.arange(8) * 1e-6, "fpcps", n_features_to_select=2)
    assert np.isnan(result.statistic[3:]).all()
    assert not np.isnan(result.statistic[:3]).any()
    assert (result.scores[3:] == result.scores[3]).all()
    assert result.scores[3] < result.scores[:3].min()
    scores = Rankings.from_scores([[4.0, 3.0, 2.0, 1.0], [1.0, 4.0, 2.0, 3.0]])
    for keep, kept in ((0.3, [0, 1, 3]), (0.5, [0, 1, 3]), (1e-12, [0, 1])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PyfsaggWarning)  # two kept items: opposed lists
            statistic = aggregate(scores, "fpcps", n_features_to_select=keep).statistic
        assert np.flatnonzero(~np.isnan(statistic)).tolist() == kept


def test_fpcps_of_one_list_and_of_lists_whose_loadings_cancel_or_are_opposed():
    scores = np.array([[0.1, 0.9, 0.4, 0.3]])
    result = aggregate(Rankings.from_scores(scores), "fpcps", n_features_to_select=None)
    np.testing.assert_allclose(result.scores - result.scores[0], (scores[0] - 0.1) / scores.std())
    # The lists are u and -u/2 ± v, with u and v at right angles: the loadings are as 2 to -1 to -1.
    u = np.array([0.5, 0.5, -0.5, -0.5, 0.0, 0.0])
    v = np.array([0.0, 0.0, 0.0, 0.0, 0.5, -0.5])
    for sign in (1.0, -1.0):
        lists = Rankings.from_scores(sign * np.array([u, -u / 2 + v, -u / 2 - v]) + 2.0)
        loadings, _ = first_component(normalized_best(lists, None, "minmax")[0], None)
        np.testing.assert_allclose(loadings, np.array([2.0, -1.0, -1.0]) / 6**0.5, rtol=1e-12)
    opposed = [[1.0, 2.0, 3.0, 5.0], [4.0, 3.0, 2.2, 1.0], [1.0, 2.1, 3.0, 4.0]]
    with pytest.warns(PyfsaggWarning, match="1 of 3 lists have a negative loading"):
        aggregate(opposed, "fpcps", n_features_to_select=None)


def test_aggregation_result():
    result = aggregate({"one": ["a", "b", "c"], "two": ["a", "c", "b"], "three": ["a", "b"]}, "rra")
    frame = result.to_frame()
    assert list(frame.index) == ["a", "b", "c"]
    values = ["rank", "score", "statistic", "tied"]
    assert list(frame.columns) == [*values, "p_value", "log10_p_value", "adjusted_p_value"]
    assert result.select(1) == ["a"]
    assert result.select(0.5) == ["a", "b"]
    assert repr(result).startswith("Aggregation(robust_rank_aggregation: 3 items from 3 list(s)")
    with pytest.raises(ParameterError, match="n_features_to_select"):
        result.select(9)
    values = np.array([[1.0, 4.0, 3.0, 3.0]])
    assert repr(aggregate(values, "am")).endswith("best first: x1, x2, x3, …)")
    best = aggregate(values[:, 1:], "am")
    assert repr(best).endswith("best first: x0, x1, x2)")
    np.testing.assert_array_equal(best.ranking, [1.0, 2.5, 2.5])
    plus, minus = (aggregate([[zero, 1.0], [2.0, 3.0]], "am") for zero in (0.0, -0.0))
    assert plus.data["sha256"] == minus.data["sha256"]
    # Ranks are digested in fewer bytes where they are whole or halves, and no two tables as one.
    others = [[1.0, 2.0, 3.0], [1.5, 1.5, 3.0], [1.25, 1.5, 3.0], [1.0, 2.0, np.nan]]
    tables = [[[3.0, 1.0, 2.0], ranks] for ranks in others]
    digests = {aggregate(Rankings.from_ranks(ranks), "borda").data["sha256"] for ranks in tables}
    assert len(digests) == len(tables)
    result = aggregate([[0.1, 0.7, 1 / 3], [0.2, 0.5, 0.4]], "fpcps", n_features_to_select=2)
    content = json.loads(result.to_json())
    assert [item["item"] for item in content["items"]] == result.select(3)
    by_name = {item["item"]: item for item in content["items"]}
    assert by_name["x0"]["statistic"] is None
    assert by_name["x1"]["score"] == result.scores[1]


def test_a_geometric_mean_knows_whether_a_table_may_be_aggregated_in_parts():
    spec, table = AGGREGATORS.get("gm"), Rankings.from_scores(SCORES - 0.4)
    parts = [Rankings.from_scores(table.scores[:, columns]) for columns in ([0, 1], [2, 3])]
    for shift in (0.5, "minimum"):
        whole = spec.compute(table, shift=shift).scores
        pieces = np.concatenate([spec.compute(part, shift=shift).scores for part in parts])
        assert spec.by_item({"shift": shift}) is np.array_equal(whole, pieces)
    assert spec.by_item({})


def test_refusals():
    kept = "n_features_to_select"
    for values, method, options, error, words in (
        (SCORES, "robust_rank_agregation", {}, UnknownNameError, "did you mean 'robust_rank"),
        (SCORES, "rra", {"topcutoff": 1}, ParameterError, "no option 'topcutoff'; its options"),
        (SCORES, "rra", {"p_adjust": "fdr"}, ParameterError, "p_adjust must be one of"),
        (7, "rra", {}, InputTypeError, "table_or_scores must be"),
        ([], "rra", {}, DataError, "no list"),
        ([["a"]], "am", {}, DataError, "'mean_rank'"),
        ([["a"]], "gm", {}, DataError, "'geometric_mean_rank'"),
        *(
            (SCORES, "fpcps", {kept: k}, ParameterError, f"{kept} .*must be")
            for k in (0.0, 1.5, 0, 5)
        ),
        (SCORES, "fpcps", {"normalize": "z-score"}, ParameterError, "normalize must be one of"),
        ([[1.0, 1.0], [2.0, 2.0]], "fpcps", {"n_features_to_select": None}, DataError, "constant"),
        (SCORES - 0.1, "gm", {"shift": "lots"}, ParameterError, "shift must be"),
        (SCORES - 0.1, "gm", {}, DataError, r"'x3' has -0.1 in list 1; .*shift='minimum'"),
        (SCORES, "mc1", {"damping": 0}, ParameterError, "damping"),
        (SCORES, "mc4", {"max_items": 3}, DataError, "max_items=3"),
    ):
        with pytest.raises(error, match=words):
            aggregate(values, method, **options)
    for options, error, message in (
        ({"groups": [1, 1, 1]}, ParameterError, "single source"),
        ({"groups": [1, 2]}, ParameterError, "one label per list"),
        ({"groups": [1, 2, 2], "null": lambda g: SCORES}, ParameterError, "give one of them"),
        ({"null": lambda g: SCORES[:, :2]}, DataError, "other items"),
        ({"n_permutations": 0}, ParameterError, "n_permutations"),
    ):
        with pytest.raises(error, match=message):
            permutation_p_values(SCORES, "am", **{"n_permutations": 1, **options})


def test_aggregators_on_one_list_and_one_item():
    for method in NAMES:
        if method == "fpcps":
            continue
        one = aggregate([[0.3, 0.9, 0.5]], method)
        # Two see only that one list holds them all: log 1 is 0.
        if method not in ("vote_counting", "log_inverse_square_rank"):
            assert one.select(1) == ["x1"], method
        assert aggregate([[0.3], [0.5]], method).ranking.tolist() == [1.0]


# -- permutation ----------------------------------------------------------------------------------
def test_permutations_agree_with_exact_p_values_and_keep_groups_together():
    rng = np.random.default_rng(5)
    table = Rankings.from_scores(rng.random((6, 150)))
    exact = aggregate(table, "rra", exact=True).p_values
    test = permutation_p_values(table, "rra", n_permutations=150, random_state=2)
    # 22,500 pooled null scores; ranks of 150 items are discrete, which adds a few thousandths.
    np.testing.assert_allclose(test.p_values, exact, atol=0.03)
    assert (test.family_wise_p_values >= test.p_values - 1e-12).all()
    rng = np.random.default_rng(6)
    sources = rng.random((3, 40))
    lists = np.repeat(sources, 20, axis=0) + 0.01 * rng.random((60, 40))
    naive = permutation_p_values(lists, "rra", n_permutations=100, random_state=2)
    how = {"groups": np.repeat([0, 1, 2], 20), "n_permutations": 100, "random_state": 2}
    grouped = permutation_p_values(lists, "rra", **how)
    # Nothing is planted: three unrelated sources, each repeated twenty times.
    assert naive.adjusted_p_values.min() < 0.05
    assert grouped.adjusted_p_values.min() > 0.05


def test_null_tables_are_compared_item_by_item():
    rng = np.random.default_rng(8)
    observed = rng.random((10, 5)) + np.array([2.0, 0, 0, 0, 0])
    null = {"null": lambda g: g.random((10, 5)), "n_permutations": 99}
    test = permutation_p_values(observed, "am", **null, random_state=0)
    assert test.p_values[0] == pytest.approx(0.01)
    assert test.p_values[1:].min() > 0.01
    assert test.to_frame().index[0] == "x0"
    null = {"null": lambda g: np.zeros((2, 2)), "n_permutations": 4}
    test = permutation_p_values([[0.0, -1.0], [0.0, -3.0]], "am", **null)
    assert test.p_values.tolist() == test.family_wise_p_values.tolist() == [1.0, 1.0]


def test_permutations_are_a_thousand_and_repeat_with_their_seed():
    seen = []

    def null(rng):
        seen.append(rng)
        return np.zeros((1, 1))

    test = permutation_p_values([[1.0]], "am", null=null, random_state=0)
    assert test.n_permutations == len(seen) == 1000
    assert test.p_values.tolist() == [1 / 1001]
    table = Rankings.from_lists([["a", "b", "c"], ["b", "d"], ["c", "a"]], absent="unknown")
    how = {"n_permutations": 50, "random_state": 4}
    first, second = (permutation_p_values(table, "mean_rank", **how) for _ in range(2))
    np.testing.assert_array_equal(first.p_values, second.p_values)
    assert ((first.p_values > 0) & (first.p_values <= 1)).all()


def test_relabelling_keeps_scores_and_meets_as_often_as_chance():
    nan = np.nan
    scores = np.array([[3.0, nan, nan, 1.0], [nan, 5.0, nan, nan], [7.0, nan, 8.0, 9.0]])
    table, rng, sizes = Rankings.from_scores(scores), np.random.default_rng(0), set()
    for _ in range(20):
        drawn = _relabelled(table, [np.array([i]) for i in range(3)], rng)
        sizes.add(drawn.n_items)
        assert len(drawn.items) == drawn.n_items
        for i in range(3):
            known = drawn.scores[i][~np.isnan(drawn.scores[i])]
            assert sorted(known) == sorted(scores[i][~np.isnan(scores[i])])
            np.testing.assert_array_equal(np.isnan(drawn.scores), np.isnan(drawn.ranks))
    assert sizes == {3, 4}  # an item that no list contains is omitted
    table = Rankings.from_lists([["a", "b"], ["a", "d"]], universe=10)
    rng, sources = np.random.default_rng(0), [np.array([0]), np.array([1])]
    shared = [4 - _relabelled(table, sources, rng).n_items for _ in range(2000)]
    assert np.mean(shared) == pytest.approx(0.4, abs=0.05)


def test_labels_are_drawn_from_the_whole_universe():
    rng = np.random.default_rng(1)
    others = np.arange(1, 20_000)
    lists = [[f"g{j}" for j in rng.choice(others, 20, replace=False)] for _ in range(5)]
    for each in lists[:3]:
        each[9] = "g0"
    table = Rankings.from_lists(lists, universe=20_000)
    test = permutation_p_values(table, "rra", n_permutations=200, random_state=0)
    frame = test.to_frame()
    assert frame.index[0] == "g0"
    # Twenty of twenty thousand, three times: no relabelled table comes near.
    assert frame.loc["g0", "p_value"] == 1 / (200 * 20_000 + 1)
    assert frame.loc["g0", "adjusted_p_value"] == pytest.approx(20_000 / (200 * 20_000 + 1))
    assert frame.loc["g0", "family_wise_p_value"] == 1 / 201
    # What stands in one list only is nothing: so does everything else.
    assert frame["family_wise_p_value"].iloc[1:].min() > 0.2


@pytest.mark.parametrize(
    ("method", "options"), [("rra", {}), ("rra", {"exact": True}), ("mean_p_value", {})]
)
def test_logarithms_of_p_values_go_on_below_the_smallest_number(method: str, options: dict) -> None:
    rng = np.random.default_rng(2)
    some = aggregate(rng.integers(0, 4, (5, 30)).astype(float), method, **options)
    np.testing.assert_allclose(some.log10_p_values, np.log10(some.p_values), rtol=1e-12, atol=1e-15)
    lists = [["a", "b"]] * (100 if method == "rra" else 500)
    tiny = aggregate(Rankings.from_lists(lists, universe=10**6), method, **options).to_frame()
    assert tiny["p_value"].iloc[0] == 0.0
    # RRA: 100 lists in which an item is first of a million, p = 100 * (1e-6)^100 at most.
    if method == "rra":
        assert tiny.loc["a", "log10_p_value"] == pytest.approx(-598.0, rel=1e-9)
    assert -1000 < tiny["log10_p_value"].iloc[0] < -308
    assert tiny["log10_p_value"].is_monotonic_increasing


def test_standardised_scores_are_summed_by_hand() -> None:
    # Means 2, 2, 6 and standard deviations 1, 2, 1; the constant list adds nothing.
    scores = [[1.0, 1.0, 3.0, 3.0], [0.0, 4.0, 4.0, 0.0], [5.0, np.nan, 7.0, np.nan], [9.0] * 4]
    summed = aggregate(np.array(scores), "comb_sum", normalize="zscore")
    np.testing.assert_allclose(summed.scores, [-3.0, 0.0, 3.0, 0.0], atol=1e-12)
    times = aggregate(np.array(scores), "comb_mnz", normalize="zscore")
    np.testing.assert_allclose(times.scores, [-12.0, 0.0, 12.0, 0.0], atol=1e-12)
