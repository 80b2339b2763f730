"""Equal scores at the edge of a selection: no evidence of agreement, whatever their column."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from refusals import refused
from stability_cases import near, value

import pyfsagg
from pyfsagg._report.page import sentences_of
from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import STABILITY_MEASURES
from pyfsagg.ranks.ranking import about_ties, select_top, tie_sizes
from pyfsagg.stability_measures import feature_stability, nogueira, stability, stability_curve
from pyfsagg.stability_measures._base import MeasureValue
from pyfsagg.stability_measures._input import read_matrix
from pyfsagg.stability_measures.chance import draw_selections, select
from pyfsagg.stability_measures.curves import chance_level
from pyfsagg.stability_measures.measure import measure_stability, pseudo_values, stability_table
from pyfsagg.stability_measures.pairwise import thesis_measures

SETS = [spec.name for spec in STABILITY_MEASURES if spec.kind == "sets"]
BY_FORMULA = [name for name in SETS if not STABILITY_MEASURES.get(name).needs_strict]
BY_DRAWS = [name for name in SETS if STABILITY_MEASURES.get(name).needs_strict]
TOP = 3
# Row 0: two of three; row 1: three of four; row 2: no tie at the edge; row 3: one of two.
SCORES = np.array(
    [
        [9.0, 1.0, 1.0, 1.0, 0.0, 0.5],
        [2.0, 2.0, 0.0, 2.0, 2.0, 1.0],
        [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
        [5.0, 0.0, 7.0, 0.0, 3.0, 3.0],
    ]
)


def options_of(name: str, p: int = 6) -> dict[str, object]:
    options: dict[str, object] = {}
    if "similarity" in STABILITY_MEASURES.get(name).needs:
        options["similarity"] = near(p, 8)
    if name.startswith("intersection_"):
        options["chance_correction"] = "none"
    return options


def orders(scores: NDArray[np.float64]) -> list[NDArray[np.bool_]]:
    """Every way in which each row can choose three among its ties, all equally likely."""
    ways = []
    for row in scores:
        edge = np.sort(row)[-TOP]
        above, level = np.flatnonzero(row > edge), np.flatnonzero(row == edge)
        chosen = itertools.combinations(level, TOP - len(above))
        ways.append([np.isin(np.arange(len(row)), [*above, *each]) for each in chosen])
    return [np.array(each) for each in itertools.product(*ways)]


def of_scores(name: str, **more: object) -> MeasureValue:
    """The measure of the best three of the example, whose ties are scores."""
    options = options_of(name) | {"n_features_to_select": TOP, "input": "scores", **more}
    return measure_stability(SCORES, name, **options)


def mean_over_orders(name: str, scores: NDArray[np.float64] = SCORES) -> float:
    return float(np.mean([value(each, name, **options_of(name)) for each in orders(scores)]))


def test_the_example_has_24_orders() -> None:
    assert len(orders(SCORES)) == 3 * 4 * 1 * 2
    assert set(BY_FORMULA) >= {"nogueira", "phi", "kappa", "dice", "somol", "sechidis"}
    assert set(BY_DRAWS) >= {"jaccard", "davis", "novovicova", "zucknick", "yu"}


@pytest.mark.parametrize("name", BY_FORMULA)
def test_a_formula_is_the_mean_over_all_orders(name: str) -> None:
    found = of_scores(name)
    assert found.value == pytest.approx(mean_over_orders(name), abs=1e-12)
    assert (found.n_tied, found.seed) == (3, None)


@pytest.mark.parametrize("name", ["dice", "ochiai", "hamming"])
def test_a_correction_for_chance_keeps_the_mean_over_all_orders(name: str) -> None:
    found = of_scores(name, chance_correction="exact").value
    slow = [value(each, name, chance_correction="exact") for each in orders(SCORES)]
    assert found == pytest.approx(np.mean(slow), abs=1e-12)


@pytest.mark.parametrize("name", BY_DRAWS)
def test_draws_are_near_the_mean_over_all_orders(name: str) -> None:
    found = of_scores(name, random_state=1)
    values = [value(each, name, **options_of(name)) for each in orders(SCORES)]
    # 4000 / (4 x 3) draws of the four rows; six standard errors of their mean.
    error = 6 * np.std(values) / np.sqrt(333) + 1e-12
    assert found.value == pytest.approx(np.mean(values), abs=error)
    assert (found.n_tied, found.seed) == (3, 1)
    assert of_scores(name, random_state=1) == found


@pytest.mark.parametrize("name", ["jaccard", "novovicova"])
def test_two_draws_are_averaged(name: str) -> None:
    """Of fifty resamples two are drawn, by pairs or of the whole collection."""
    scores = np.random.default_rng(6).integers(0, 3, (50, 6)).astype(float)
    drawn = list(draw_selections(select(read_matrix(scores), TOP, "random"), 7))
    assert len(drawn) == 2
    how = {"n_features_to_select": TOP, "input": "scores", "random_state": 7}
    expected = np.mean([value(each, name) for each in drawn])
    assert value(scores, name, **how) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", BY_FORMULA)
def test_the_jackknife_is_that_of_the_mean_over_orders(name: str) -> None:
    options = options_of(name)
    found = pseudo_values(SCORES, name, n_features_to_select=TOP, input="scores", **options)
    without = [mean_over_orders(name, np.delete(SCORES, i, axis=0)) for i in range(4)]
    slow = 4 * mean_over_orders(name) - 3 * np.array(without)
    np.testing.assert_allclose(found, slow, atol=1e-10)


@pytest.mark.parametrize("name", BY_FORMULA)
def test_the_order_of_the_columns_changes_nothing(name: str) -> None:
    rng = np.random.default_rng(2)
    scores = np.maximum(rng.integers(-6, 3, (8, 12)), 0).astype(float)
    options = options_of(name, 12)
    common = {"n_features_to_select": 4, "input": "scores", "interval": "jackknife"}
    found = measure_stability(scores, name, **common, **options)
    order = rng.permutation(12)
    if "similarity" in options:
        options["similarity"] = options["similarity"][np.ix_(order, order)]  # type: ignore[index]
    mixed = measure_stability(scores[:, order], name, **common, **options)
    assert mixed.value == pytest.approx(found.value, abs=1e-12)
    assert mixed.interval == pytest.approx(found.interval, abs=1e-12)


@pytest.mark.parametrize("name", [*SETS, "rank_biased_overlap"])
def test_without_ties_both_rules_are_the_same_to_the_last_bit(name: str) -> None:
    scores = np.random.default_rng(3).normal(size=(6, 9))
    options = {"n_features_to_select": 3, "interval": "jackknife", "random_state": 1}
    options |= {"input": "scores", **options_of(name, 9)}
    random = measure_stability(scores, name, **options)
    assert random == measure_stability(scores, name, ties="first", **options)
    assert random.n_tied == 0


@pytest.mark.parametrize("name", SETS)
def test_first_takes_the_first_columns(name: str) -> None:
    first = of_scores(name, ties="first")
    expected = value(select_top(SCORES, TOP), name, **options_of(name))
    assert (first.value, first.n_tied) == (expected, 0)


def test_noise_with_many_zeros_is_not_stable() -> None:
    rng = np.random.default_rng(4)
    scores = np.where(rng.random((30, 60)) < 0.9, 0.0, rng.random((30, 60)))
    scores[np.arange(30), rng.integers(0, 60, 30)] = 1.5  # no row is constant
    found, first = nogueira(scores), nogueira(scores, ties="first")
    assert found.interval[0] < 0 < found.interval[1]
    assert first.estimate > 0.3
    assert found.n_tied == 30
    assert "30 with ties at the edge" in repr(found)
    table = stability_table(scores, ["phi", "kappa", "nogueira"])
    assert table["value"].to_numpy() == pytest.approx(found.estimate, abs=1e-12)
    assert table["n_tied"].tolist() == [30, 30, 30]
    curve = stability_curve(scores, ["nogueira"], [0.1, 0.5, 0.9])
    assert curve["value"].abs().max() < 0.05
    assert stability_curve(scores, ["nogueira"], [0.5], ties="first")["value"].iloc[0] > 0.3
    level = chance_level("jaccard", 15, 60, 30)
    assert thesis_measures(scores, random_state=0)["jaccard"] == pytest.approx(level, abs=0.03)
    assert thesis_measures(scores, ties="first")["jaccard"] > 2 * level
    assert feature_stability(scores)["frequency"].max() < 0.5


def test_rank_biased_overlap_draws_the_order_of_ties() -> None:
    zeros = np.zeros((12, 40))
    zeros[:, 0] = 1.0
    first = measure_stability(zeros, "rank_biased_overlap", input="scores", ties="first").value
    found = measure_stability(zeros, "rank_biased_overlap", input="scores", random_state=0)
    assert first == pytest.approx(1.0)
    assert found.value < 0.6
    assert (found.n_tied, found.seed) == (12, 0)


def test_selections_have_no_ties() -> None:
    sets = [{"a", "b"}, {"a", "c"}, {"a", "b"}]
    table = stability_table(sets, n_features=6, random_state=0)
    assert table["n_tied"].eq(0).all()
    assert table.equals(stability_table(sets, n_features=6, ties="first", random_state=0))


def test_an_unknown_rule_is_refused() -> None:
    one, many = (stability, measure_stability, nogueira), (stability_table, feature_stability)
    for call in (*one, *many, thesis_measures):
        refused(call, ((SCORES,), {"ties": "average"}, ParameterError, "ties"))


def test_the_report_says_that_ties_decide() -> None:
    report = stability(SCORES, ["nogueira", "spearman"], n_features_to_select=TOP, input="scores")
    assert report._about_ties.startswith("In 3 of 4 resamples equal scores compete")
    assert report._about_ties in sentences_of(report._facts({}))
    untied = stability(SCORES[[2, 2]], ["nogueira"], n_features_to_select=TOP, input="scores")
    assert untied._about_ties == ""


def test_equal_aggregated_scores_are_told() -> None:
    scores = np.array([0.0, 3.0, 0.0, 2.0, 0.0, 2.0])
    assert tie_sizes(scores).tolist() == [3, 1, 3, 2, 3, 2]
    assert about_ties(scores, 3) == (
        "5 of 6 features share their score with others (up to 3 have the same): their order among "
        "these is arbitrary."
    )
    assert about_ties(scores, 5).endswith(
        " 2 of a group of 3 are among the best 5 only because of the order of the columns."
    )
    assert about_ties(np.arange(4.0), 2) == ""


def test_a_run_tells_its_ties() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 12))
    y = np.arange(60) % 2
    X[:, 0] += 3 * y
    result = pyfsagg.wam(X, y, n_resamples=20, random_state=0, resampling="subsample")
    frame = result.to_frame()
    counted = frame["score"].map(frame["score"].value_counts())
    assert frame["tied"].tolist() == counted.tolist()
    assert frame["tied"].max() > 1
    sentence = about_ties(result.scores, result.selection().compared)
    assert "of 12 features" in sentence
    assert sentence in " ".join(result.summary_text().split())
    assert result.stability().equals(result.stability())
    assert (
        result.stability("first").loc["information_gain", "jaccard"]
        > (result.stability().loc["information_gain", "jaccard"])
    )
