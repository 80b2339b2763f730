"""The four eliminations against the definitions, and what the paper says of figure 5."""

import warnings
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from loading import load_beside

from pyfsagg import Execution
from pyfsagg.exceptions import DataError, OutputError, ParameterError, PyfsaggWarning
from pyfsagg.rank_order import (
    Elimination,
    RankOrderSelector,
    eliminate,
    make_planted_orders,
)
from pyfsagg.rank_order._orders import read_orders
from pyfsagg.rank_order.criteria import CentreStrategy, SpoilerStrategy, total_spoiler_counts
from pyfsagg.rank_order.distances import subset_divergence
from pyfsagg.rank_order.elimination import ELIMINATIONS, elimination_scores
from pyfsagg.rank_order.naive_bayes import stratified_folds

reference = load_beside(__file__, "rank_order_reference")

METHODS = ("spoilers", "cdv", "greedy_kl", "koller_sahami")
VARIANTS = [
    ("spoilers", {}),
    ("greedy_kl", {}),
    ("cdv", {}),
    ("cdv", {"center_distance": "relative"}),
    ("koller_sahami", {"blanket_size": 2}),
    ("koller_sahami", {"blanket_size": 3, "partners": "informative"}),
]

BLANKETS = {"method": "koller_sahami"}

# Orders of figure 5, first feature first; the printed rank table has d and e of row 4 exchanged.
FIGURE_5 = [
    "afecbd",
    "afbced",
    "afebdc",
    "fdcbea",
    "bfceda",
    "fdceab",
    "cbefda",
    "ecfdba",
    "ecfdba",
]
RANKS_5 = [[order.index(f) + 1 for f in "abcdef"] for order in FIGURE_5]
X5 = pd.DataFrame(RANKS_5, columns=list("abcdef"))
Y5 = np.repeat(["C1", "C2", "C3"], 3)


def random_table(seed: int, *, unknown: bool) -> tuple[np.ndarray, list[str]]:
    """Few distinct values, hence ties, for even seeds; missing cells if asked for."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(6, 12)), int(rng.integers(3, 8))
    X = rng.integers(0, (3 if seed % 2 == 0 else 100) * p, (n, p)).astype(float)
    if unknown:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, [f"c{a % (2 + seed % 2)}" for a in range(n)]


@pytest.fixture(autouse=True)
def _no_advice():
    """Tiny random tables may look as if they were not on one scale."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyfsaggWarning)
        yield


@pytest.mark.parametrize(("method", "params"), VARIANTS)
@pytest.mark.parametrize("seed", range(6))
def test_removal_order_follows_the_definitions(seed: int, method: str, params: dict) -> None:
    X, y = random_table(seed, unknown=seed % 3 == 0 and method != "cdv")
    result = eliminate(X, y, method, method_params=params, missing="unknown")
    assert result.removal_order.tolist() == reference.eliminate(X, y, method, **params)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_divergence_and_accuracy_along_the_path(seed: int, method: str) -> None:
    X, y = random_table(seed, unknown=seed % 3 == 0 and method != "cdv")
    result = eliminate(X, y, method, missing="unknown", accuracy=True, n_folds=3, random_state=0)
    left = [result.removal_order[s:].tolist() for s in range(X.shape[1])]
    everything = list(range(X.shape[1]))
    expected = [reference.divergence(X, y, kept, everything) for kept in left]
    np.testing.assert_allclose(result.divergence, expected, rtol=0, atol=1e-12)
    orders = read_orders(X, y, missing="unknown")
    folds = np.empty(len(y), dtype=int)
    folds[orders.rows] = stratified_folds(orders.codes, 3, 0)
    states = "<>=" if orders.has_ties else "<>"
    accuracy = [reference.naive_bayes(X, y, kept, folds, 1.0, states) for kept in left]
    np.testing.assert_allclose(result.accuracy, accuracy, rtol=0, atol=1e-12)


def test_criteria_are_what_the_methods_weigh() -> None:
    X, y = random_table(3, unknown=False)
    full = list(range(X.shape[1]))
    spoilers, greedy, cdv = (eliminate(X, y, name) for name in ("spoilers", "greedy_kl", "cdv"))
    original = np.array(reference.centre_distances(X, y, full), dtype=float)
    for step in range(X.shape[1] - 1):
        left = spoilers.removal_order[step:].tolist()
        assert spoilers.criterion[step] == max(reference.spoilers(X, y, left))
        after = greedy.removal_order[step + 1 :].tolist()
        assert greedy.criterion[step] == pytest.approx(reference.divergence(X, y, after, full))
        now = reference.centre_distances(X, y, cdv.removal_order[step + 1 :].tolist())
        change = np.array(now, dtype=float) - original
        assert cdv.criterion[step] == pytest.approx(np.linalg.norm(change))
    assert np.isnan(spoilers.criterion[-1])


@pytest.mark.parametrize("ties", [False, True])
def test_large_classes_use_wider_counts(ties: bool) -> None:
    """More than 127 (or 63 with ties) instances per class do not fit into 8 bits."""
    rng = np.random.default_rng(5)
    X = rng.integers(0, 12, (300, 9)).astype(float) if ties else rng.random((300, 9))
    X[:150, 0] += 3
    X[150:, 1] += 2
    y = np.repeat(["a", "b"], 150)
    strategy = CentreStrategy(read_orders(X, y))
    assert strategy._tables.dtype == np.uint16
    for step in range(3):
        present = [f for f in range(9) if f not in range(step)]
        squares = strategy._squares()
        for column, feature in enumerate(strategy._features):
            if feature in present:
                left = [f for f in present if f != feature]
                expected = [4 * d for d in reference.centre_distances(X, y, left)]
                assert squares[:, column].tolist() == expected
        strategy.remove(step)


def test_many_equal_sums_do_not_overflow() -> None:
    """Every pair of sums is close: changes of ranks as large as they can be."""
    p, y = 300, ["a", "a", "b", "b"]
    up = np.arange(p)
    X = np.vstack([up, up[::-1], np.roll(up, p // 2), up**2])
    strategy = CentreStrategy(read_orders(X, y))
    squares = strategy._squares()
    for feature in (0, 17, p // 2, p - 1):
        left = [f for f in range(p) if f != feature]
        assert squares[0, feature] == 4 * reference.centre_distances(X.astype(float), y, left)[0]


def test_blankets_when_the_list_of_partners_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyfsagg.rank_order.criteria.SPARE", 0)
    for seed in range(6):
        X, y = random_table(seed, unknown=False)
        found = eliminate(X, y, "koller_sahami", method_params={"blanket_size": 1})
        expected = reference.eliminate(X, y, "koller_sahami", blanket_size=1)
        assert found.removal_order.tolist() == expected


@pytest.mark.parametrize("method", METHODS)
def test_workers_do_not_matter(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyfsagg.rank_order.criteria.WORTH_SHARING", 0)
    rng = np.random.default_rng(1)
    X, y = rng.random((20, 300)), np.arange(20) % 3
    X[y == 1, :40] += 0.4
    one = eliminate(X, y, method, n_jobs=1)
    three = eliminate(X, y, method, n_jobs=3)
    np.testing.assert_array_equal(one.removal_order, three.removal_order)
    np.testing.assert_array_equal(one.criterion, three.criterion)


# --- figure 5 --------------------------------------------------------------------------------
def test_figure_5_divergences() -> None:
    def loss(removed: tuple[str, ...]) -> float:
        return subset_divergence(X5, Y5, [f for f in "abcdef" if f not in removed])

    assert [loss(one) for one in combinations("abcdef", 1)] == [0.0] * 6
    removable = {removed for removed in combinations("abcdef", 3) if loss(removed) == 0.0}
    assert removable == {tuple("bcd"), tuple("bde")}
    assert subset_divergence(X5, Y5, list("abc")) == pytest.approx(0.249, abs=1e-3)
    bits = subset_divergence(X5, Y5, list("abc"), unit="bits")
    assert bits == pytest.approx(0.249 / np.log(2), abs=2e-3)


def test_figure_5_eliminations() -> None:
    spoilers = eliminate(X5, Y5, "spoilers")
    assert set(spoilers.select(3)) == set("afe")
    assert spoilers.divergence[3] == 0.0
    # The paper says that b, c and e go first: d and e are equally bad at the third step.
    assert set(eliminate(X5, Y5, "spoilers", tie_break="last").select(3)) == set("afd")
    greedy = eliminate(X5, Y5, "greedy_kl")
    assert greedy.removal_order[0] == 0
    assert greedy.divergence[1] == greedy.divergence[2] == 0.0 < greedy.divergence[3]
    # With a blanket of all other features Koller-Sahami removes what the paper says it does.
    removed = eliminate(X5, Y5, "koller_sahami", method_params={"blanket_size": 5})
    assert set(removed.select(3)) == set("def")
    assert removed.divergence[3] == pytest.approx(0.249, abs=1e-3)


# --- what must not matter, and what the rules mean -------------------------------------------
@pytest.mark.parametrize("method", METHODS)
def test_weights_are_repeated_instances(method: str) -> None:
    X, y = random_table(1, unknown=False)
    y = np.array(y)
    weights = np.random.default_rng(2).integers(0, 4, len(y))
    weights[:3] = 1
    rows = np.repeat(np.arange(len(y)), weights)
    params = {"blanket_size": 2} if method == "koller_sahami" else {}
    options = {"method": method, "method_params": params, "tie_break": "first"}
    written = elimination_scores(X[rows], y[rows], **options)
    np.testing.assert_array_equal(elimination_scores(X, y, weights, **options), written)


def test_ties_among_features_go_by_the_rule() -> None:
    # a, b, c, d are interchangeable: each instance of a class has its own place for them.
    X = np.array([[1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2], [4, 1, 2, 3]] * 2)
    y = np.repeat([0, 1], 4)
    assert eliminate(X, y, "spoilers").removal_order[0] == 0
    assert eliminate(X, y, "spoilers", tie_break="last").removal_order[0] == 3
    how = {"method": "spoilers", "tie_break": "random"}
    drawn = {eliminate(X, y, **how, random_state=s).removal_order[0] for s in range(30)}
    assert drawn == {0, 1, 2, 3}


def test_two_features() -> None:
    for method in METHODS:
        result = eliminate([[1, 2], [1, 3], [3, 1], [2, 1]], [0, 0, 1, 1], method)
        assert result.removal_order.tolist() == [0, 1]
        assert result.divergence == pytest.approx([0.0, np.log(2)])


def test_greedy_removes_more_than_a_constant_pair() -> None:
    """Several instances that differ in one pair only: the last difference is found."""
    X = np.array([[1, 2, 3, 4, 5, 6]] * 3 + [[2, 1, 3, 4, 5, 6]] * 3, dtype=float)
    result = eliminate(X, [0, 0, 0, 1, 1, 1], "greedy_kl")
    assert set(result.select(2)) == {"x0", "x1"}
    assert result.select_by_divergence(0.0) == result.select(2)
    assert result.divergence[-1] == pytest.approx(np.log(2))


# --- the result ------------------------------------------------------------------------------
@pytest.fixture
def result() -> Elimination:
    data = make_planted_orders(3, 10, n_extraneous=4, random_state=1)
    return eliminate(data.X, data.y, "spoilers", accuracy=5, random_state=0)


def test_result_is_consistent(result: Elimination) -> None:
    p = result.n_features
    assert sorted(result.removal_order.tolist()) == list(range(p))
    assert result.select(p) == [result.feature_names[j] for j in result.removal_order[::-1]]
    np.testing.assert_array_equal(result.ranking[result.removal_order], np.arange(p, 0, -1))
    np.testing.assert_array_equal(result.scores, p + 1 - result.ranking)
    assert (np.diff(result.divergence) >= 0).all()
    size = result.size_by_divergence(0.2)
    assert result.divergence[p - size] <= 0.2 < result.divergence[p - size + 1]
    even = replace(result, divergence=np.linspace(0.0, 1.0, p))  # the path itself is steep
    half = even.size_by_divergence(0.5)
    bits = 0.5 / np.log(2) * (1 + 1e-12)
    assert even.select_by_divergence(bits, unit="bits") == result.select(half)
    assert np.isnan(result.accuracy[: p - 5]).all()
    assert not np.isnan(result.accuracy[p - 5 :]).any()
    assert result.accuracy[p - result.best_size()] == np.nanmax(result.accuracy)
    frame = result.to_frame(unit="bits")
    assert frame["feature"].tolist() == result.select(p)[::-1]
    np.testing.assert_allclose(frame["divergence"], result.divergence / np.log(2))
    assert repr(result).startswith("Elimination(spoilers: 7 features, zero divergence down to ")


def test_what_is_kept_and_what_is_no_elimination(result: Elimination, tmp_path: Path) -> None:
    for text in ("", "{}", "[1]"):
        (tmp_path / "other.json").write_text(text)
        with pytest.raises(OutputError):
            Elimination.load(tmp_path / "other.json")
    path = result.save(tmp_path / "one.json")
    assert Elimination.load(path).to_json() == result.to_json()
    with pytest.raises(OutputError, match="exists"):
        result.save(path)
    bare = eliminate(X5, Y5, "spoilers")
    assert bare.accuracy is None
    with pytest.raises(DataError, match="accuracy=True"):
        bare.best_size()
    assert Elimination.load(bare.save(tmp_path / "bare.json")).accuracy is None


# --- refused ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "kl"}, "method must be one of 'cdv'"),
        ({"ties": "mean"}, "ties must be one of"),
        ({"missing": "drop"}, "missing must be one of"),
        ({"tie_break": "middle"}, "tie_break must be one of"),
        ({**BLANKETS, "method_params": {"partners": "best"}}, "partners must be one of"),
        ({"method_params": {"center_distance": "kendall"}}, "center_distance must be one of"),
        ({**BLANKETS, "method_params": {"blanket_size": 0}},
         "blanket_size must be a whole number of at least 1, got 0"),
        ({"method_params": {"partners": "redundant"}},
         "method='cdv' has no parameter 'partners'; it takes: center_distance"),
        ({"method": "spoilers", "method_params": {"blanket_size": 5}},
         "this method has no parameter 'blanket_size'; it takes: none"),
        ({"execution": Execution(scratch=".")}, "eliminate writes none: drop it"),
        ({"accuracy": 0}, "accuracy"),
        ({"n_folds": 1, "accuracy": True}, "n_folds"),
        ({"n_folds": 10, "accuracy": True}, "at most the number of samples"),
        ({"max_seconds": 0.0}, "max_seconds"),
    ],
)  # fmt: skip
def test_bad_parameters(options: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        eliminate(X5, Y5, **options)


def test_bad_data() -> None:
    tied, missing = X5.copy(), X5.astype(float)
    tied.loc[2, "b"] = tied.loc[2, "e"]
    missing.loc[4, "c"] = np.nan
    alike = np.tile([1.0, 2.0, 3.0], (9, 1)) + np.arange(9)[:, None]
    for X, y, options, message in (
        (tied, Y5, {"ties": "error"}, r"row 3 has the same value in 'b' and 'e'.*rule for ties"),
        (missing, Y5, {}, r"'c' has a missing value .* row 5"),
        (missing, Y5, {"missing": "unknown"}, "need complete orders"),
        (X5.assign(f=list("xyzxyzxyz")), Y5, {}, "'f' is nominal"),
        (alike, Y5, {}, "same order of features"),
        (X5[["a"]], Y5, {}, "1 feature"),
        (X5, ["x"] * 9, {}, "one class"),
        (X5, Y5, {"sample_weight": [1, 2, 1, *[0] * 6]}, r"one class only.*stratified_bootstrap"),
    ):
        with pytest.raises(DataError, match=message):
            eliminate(X, y, "cdv", **options)


def test_a_long_run_is_refused_with_its_estimate() -> None:
    with pytest.raises(
        DataError, match=r"would take about .* seconds, more than max_seconds=1e-09"
    ):
        eliminate(X5, Y5, max_seconds=1e-9)
    seconds = {spec.name: spec.seconds for spec in ELIMINATIONS}
    assert seconds["cdv"](72, 100_000, 2) > 24 * 3600
    assert seconds["spoilers"](72, 7129, 3) < 60
    assert seconds["koller_sahami"](144, 100, 2) == 2 * seconds["koller_sahami"](72, 100, 2)


def test_advice() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PyfsaggWarning)
        with pytest.warns(PyfsaggWarning, match="not to be on one scale"):
            eliminate(X5 * [1, 1000, 10**6, 10**9, 1, 1], Y5, "spoilers")
        with pytest.warns(PyfsaggWarning, match="class 'C0' has one sample"):
            eliminate(X5, ["C0", *Y5[1:]], "spoilers")


def test_what_was_warned_of_stays_with_the_result(tmp_path: Path) -> None:
    with pytest.warns(PyfsaggWarning, match="not to be on one scale"):
        result = eliminate(X5 * [1, 1000, 10**6, 10**9, 1, 1], ["C0", *Y5[1:]], "spoilers")
    again = Elimination.load(result.save(tmp_path / "one.json"))
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for text in (result.summary_text(), again.summary_text(), page):
        text = " ".join(text.split())
        assert "seem not to be on one scale" in text
        assert "has one sample: it is its own centre" in text


def test_nothing_is_lost_down_to_all_features_is_not_said() -> None:
    lossy = eliminate([[1, 2], [1, 2], [2, 1], [2, 1]], ["a", "a", "b", "b"], "spoilers")
    assert lossy.size_by_divergence(0.0) == lossy.n_features
    assert "nothing is lost" not in lossy.summary_text()
    assert "nothing is lost down to" in eliminate(X5, Y5, "spoilers").summary_text()


def test_spoiler_counts_by_brute_force() -> None:
    for seed in range(4):
        X, y = random_table(seed, unknown=seed == 3)
        counts = total_spoiler_counts(read_orders(X, y, missing="unknown"))
        assert counts.tolist() == reference.spoilers(X, y, list(range(X.shape[1])))


def test_spoiler_counts_of_heavy_rows_are_exact() -> None:
    """More than 2**31 on one side of a pair, and class weights beyond that."""
    n, swapped = 40_000, 3_000
    X = np.tile([1.0, 2.0, 3.0], (n, 1))
    X[:swapped] = [2.0, 1.0, 3.0]
    y = np.r_[np.zeros(n - 4), np.ones(4)]
    weight = np.full(n, 65_535)
    weight[0] = 65_534
    expected = (swapped * 65_535 - 1) * (n - 4 - swapped) * 65_535
    assert (n - 4 - swapped) * 65_535 > 2**31
    orders = read_orders(X, y, sample_weight=weight)
    assert total_spoiler_counts(orders).tolist() == [expected, expected, 0]
    strategy = SpoilerStrategy(orders)
    assert strategy.candidates(np.ones(3, bool))[0].tolist() == [0, 1]
    strategy.remove(0)
    left = np.array([False, True, True])
    assert strategy.candidates(left)[0].tolist() == [1, 2]
    assert strategy.candidates(left)[1] == 0.0


def test_spoiler_counts_beyond_64_bits_are_refused() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40_000, 8)), np.arange(40_000) % 2
    with pytest.raises(ParameterError, match=r"may reach \d{19,}, and at most .*: divide"):
        total_spoiler_counts(read_orders(X, y, sample_weight=np.full(40_000, 65_535)))


def test_class_centres_of_heavy_rows() -> None:
    """Rows that count 65,535 times change no order of removal, nor do tables of 64 bits."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40_000, 5)) + np.arange(5) / 4
    y = np.arange(40_000) % 2
    X[y == 1] -= np.arange(5)[::-1] / 8
    X[::7, 1] = X[::7, 2]
    heavy = CentreStrategy(read_orders(X, y, sample_weight=np.full(40_000, 65_535)))
    light = CentreStrategy(read_orders(X, y))
    assert heavy._tables.dtype == np.int64
    np.testing.assert_array_equal(heavy._tables, 65_535 * light._tables.astype(np.int64))
    free = np.ones(5, bool)
    np.testing.assert_array_equal(heavy.candidates(free)[0], light.candidates(free)[0])
    assert heavy.candidates(free)[1] == light.candidates(free)[1]


@pytest.mark.parametrize(("method", "params"), VARIANTS)
@pytest.mark.parametrize("seed", range(3))
def test_features_that_are_always_in_come_last(seed: int, method: str, params: dict) -> None:
    X, y = random_table(seed, unknown=seed % 3 == 0 and method != "cdv")
    options = {"method": method, "method_params": params, "missing": "unknown"}
    first, second = eliminate(X, y, **options).removal_order[:2]
    for always in ([first], sorted([first, second])):
        result = eliminate(X, y, **options, always=always)
        expected = reference.eliminate(X, y, method, always=always, **params)
        assert result.removal_order.tolist() == expected
        assert result.removal_order[-len(always) :].tolist() == always
        assert np.isnan(result.criterion[-len(always) :]).all()
        names = [result.feature_names[j] for j in always]
        assert result.parameters["always"] == names
        facts = str(result._facts({"n_features_to_select": 2}))
        assert f"Always in: {' and '.join(names)}." in facts


def test_always_leaves_something_to_remove_and_knows_its_columns(tmp_path: Path) -> None:
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 2
    with pytest.raises(DataError, match="names all columns, and leaves none to be removed"):
        eliminate(X, y, always=[0, 1, 2])
    with pytest.raises(ParameterError, match="always"):
        eliminate(X, y, always=["unheard"])
    run = Execution(checkpoint=tmp_path / "kept")
    one = eliminate(X, y, "spoilers", always=[1], random_state=0, execution=run)
    again = eliminate(X, y, "spoilers", always=[1], random_state=0, execution=run)
    np.testing.assert_array_equal(one.removal_order, again.removal_order)
    assert one.removal_order[-1] == 1
    selector = RankOrderSelector("spoilers", n_features_to_select=1, always=[1]).fit(X, y)
    assert selector.get_support().tolist() == [False, True, False]
