"""BIRRA, MAIC, reciprocal rank fusion and vote counting: what their definitions say."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import curve_fit

from pyfsagg import Rankings, aggregate
from pyfsagg._kernels.consensus import smooth_medians
from pyfsagg.aggregation.learned import _falling_curve
from pyfsagg.exceptions import ParameterError

LISTS = {"a": ["x", "y", "z"], "b": ["y", "x"], "c": ["w", "x", "z", "v"]}


def by_name(method: str, lists: Any = LISTS, **options: Any) -> dict[str, float]:
    result = aggregate(Rankings.from_lists(lists, universe=50), method, **options)
    return dict(zip(result.names, result.statistic.tolist(), strict=True))


def maic_by_hand(lists: dict[str, Any], rounds: int) -> dict[str, float]:
    """The definition in loops; a list is a tuple if it has an order, a set if it has none."""
    names = {name for one in lists.values() for name in one}
    score = {name: float(sum(name in one for one in lists.values())) for name in names}
    for _ in range(rounds):
        given = []
        for one in lists.values():
            items = list(one)
            if isinstance(one, set):
                weight = np.sqrt(sum(score[name] for name in items) / len(items))
                given.append(dict.fromkeys(items, weight))
            else:
                sums = np.cumsum([score[name] for name in items])
                weights = np.sqrt(sums / np.arange(1, len(items) + 1))
                given.append(dict(zip(items, weights, strict=True)))
        score = {name: float(sum(one.get(name, 0.0) for one in given)) for name in names}
    return score


@pytest.mark.parametrize("last", [tuple("wxzv"), set("wxzv")], ids=["ranked", "unranked"])
def test_maic_by_its_definition(last: Any) -> None:
    """A list without an order gives all its items one weight."""
    lists = {"a": ("x", "y", "z"), "b": ("y", "x"), "c": last}
    rows = [lists["a"], lists["b"], *([last] if isinstance(last, tuple) else [])]
    unranked = [last] if isinstance(last, set) else []
    table = Rankings.from_lists(rows, unranked=unranked)
    found = aggregate(table, "maic", fit="none", tolerance=1e-14, n_iterations=1000)
    expected = maic_by_hand(lists, rounds=200)
    assert dict(zip(found.names, found.statistic, strict=True)) == pytest.approx(expected, rel=1e-9)


def test_maic_takes_the_most_and_learning_keeps_clear_orders() -> None:
    lists = {"a": ["x", "y"], "again": ["x", "y"], "b": ["z", "y"]}
    apart = by_name("maic", lists, fit="none")
    together = by_name("maic", lists, fit="none", categories=["one", "one", "two"])
    once = by_name("maic", {"a": lists["a"], "b": lists["b"]}, fit="none")
    assert together == pytest.approx(once)
    assert apart["x"] > together["x"]
    found = by_name("maic", fit="none", longest=1)
    assert (found["z"], found["v"]) == (0.0, 0.0)
    assert found["w"] > 0.0
    orders = np.argsort(np.arange(60) + np.random.default_rng(0).normal(0, 6, (4, 60)))
    lists = [[f"g{j}" for j in order[:40]] for order in orders]
    plain = aggregate(Rankings.from_lists(lists), "maic", fit="none")
    curved = aggregate(Rankings.from_lists(lists), "maic")
    assert np.corrcoef(plain.ranking, curved.ranking)[0, 1] > 0.95
    assert not np.allclose(plain.statistic, curved.statistic)
    rng = np.random.default_rng(3)
    truth = np.arange(300.0)
    ranks = [np.argsort(np.argsort(truth + rng.normal(0, sd, 300))) + 1.0 for sd in (20, 30, 40)]
    ranks += [rng.permutation(300) + 1.0 for _ in range(4)]
    table = Rankings.from_ranks(ranks)
    birra, mean = (
        (aggregate(table, one)._order()[:20] < 20).sum() for one in ("birra", "mean_rank")
    )
    assert birra > mean


def test_counts_by_hand_and_bad_options() -> None:
    assert by_name("rrf", constant=1.0) == pytest.approx(
        {"x": 1 / 2 + 1 / 3 + 1 / 3, "y": 1 / 3 + 1 / 2, "z": 1 / 4 + 1 / 4, "w": 1 / 2, "v": 1 / 5}
    )
    assert aggregate([list("dacb")], "rrf").select(4) == list("dacb")
    assert by_name("votes") == {"x": 3, "y": 2, "z": 2, "w": 1, "v": 1}
    assert by_name("votes", top=1) == {"x": 1, "y": 1, "z": 0, "w": 1, "v": 0}
    assert by_name("maic", n_iterations=1, fit="none").keys() == by_name("maic").keys()
    for method, option, value in (
        ("birra", "prior", 0.0),
        ("birra", "prior", 1.0),
        ("birra", "n_bins", 0),
        ("maic", "tolerance", 0.0),
        ("maic", "longest", 0),
        ("maic", "fit", "knn"),
        ("maic", "categories", ["one"]),
        ("maic", "n_iterations", 0),
        ("rrf", "constant", -1.0),
        ("votes", "top", 0),
    ):
        with pytest.raises(ParameterError, match=option):
            by_name(method, **{option: value})


def test_the_first_guess_is_the_mean_share_of_the_lists_that_hold_an_item() -> None:
    """In a long list place 3 is better than place 2 of a short one."""
    lists = [["a", "b"], ["c", "d", "e", "f", "g", "h", "i", "j"], ["a", "b"], list("cdefghij")]
    table = Rankings.from_lists(lists, absent="unknown")
    found = aggregate(table, "birra", n_iterations=1, prior=0.25, n_bins=4)
    scores = dict(zip(found.names, found.statistic.tolist(), strict=True))
    # With shares the true ones are c and d (1/8, 2/8); with products a (2) would be beside c (8).
    assert scores["c"] == scores["d"] > scores["e"]
    assert scores["c"] > scores["a"]


def birra_by_hand(ranks: np.ndarray, p: int, prior: float, n_bins: int, rounds: int, full: bool):
    """The definition in loops, with exact shares of places."""
    places = []
    for row in ranks:
        known = sorted(value for value in row if value == value)
        behind = (len(known) + 1 + p) / 2
        mean = {v: known.index(v) + (known.count(v) + 1) / 2 for v in known}
        places.append([mean.get(value, None if full else behind) for value in row])
    sizes = [sum(place is not None for place in row) for row in places]
    bins = [
        [None if k is None else math.ceil(Fraction(k) * n_bins / n) - 1 for k in row]
        for row, n in zip(places, sizes, strict=True)
    ]
    shares = [
        [row[j] / n for row, n in zip(places, sizes, strict=True) if row[j] is not None]
        for j in range(p)
    ]
    order = sorted(range(p), key=lambda j: np.mean(shares[j]))
    n_true = max(1, math.floor(Fraction(prior).limit_denominator(1000) * p))
    for _ in range(rounds):
        true = set(order[:n_true])
        factors = []
        for row in bins:
            logs = []
            for b in range(n_bins):
                hits = sum(row[j] is not None and row[j] <= b for j in true)
                others = sum(row[j] is not None and row[j] <= b for j in range(p) if j not in true)
                logs.append(math.log((hits + 1) / (others + 1) * (1 - prior) / prior))
            smooth = smooth_medians(np.array(logs))
            factors.append([max(smooth[b:]) for b in range(n_bins)])
        for b in range(n_bins):
            column = sorted(row[b] for row in factors)
            for row in factors:
                row[b] = min(row[b], column[-2])
        total = [
            sum(f[row[j]] for f, row in zip(factors, bins, strict=True) if row[j] is not None)
            for j in range(p)
        ]
        order = sorted(range(p), key=lambda j: -round(total[j], 9))
    return total


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(("prior", "n_bins", "rounds"), [(0.2, 5, 1), (0.1, 7, 2), (0.4, 3, 3)])
def test_birra_by_its_definition(prior: float, n_bins: int, rounds: int, full: bool) -> None:
    rng = np.random.default_rng(rounds)
    p = 20
    noisy = np.arange(p) + rng.normal(0.0, 8.0, (4, p))
    ranks = noisy.argsort(axis=1).argsort(axis=1) + 1.0
    ranks[0, ranks[0] > 15] = np.nan
    ranks[1, 3] = ranks[1, 4]
    table = Rankings.from_ranks(ranks, absent="unknown" if full else "worst")
    found = aggregate(table, "birra", prior=prior, n_bins=n_bins, n_iterations=rounds).statistic
    expected = birra_by_hand(ranks, p, prior, n_bins, rounds, full)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_curve_of_maic_is_the_weighted_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    places = np.array([1.0, 2, 3, 5, 5, 6, 8, 9, 10, 12])
    weight, n = 1.5, places.size

    def curve(k, a, b, c, d):
        return a * np.exp(-b * k) - c * k + d

    exact = curve(places, 2.0, 0.3, 0.01, 0.5)
    np.testing.assert_allclose(_falling_curve(exact, places, weight), exact, atol=1e-4)
    given = exact + np.random.default_rng(0).normal(0, 0.1, n)
    # The first places of a list are trusted least.
    spread = np.abs(weight * (n - places + 1.0) / n)
    bounds = ([0.0, 0.0, 1e-8, 0.0], np.inf)
    start = [3.0, 0.01, 0.0001, weight]
    best = curve_fit(curve, places, given, p0=start, sigma=spread, bounds=bounds)[0]
    fitted = _falling_curve(given, places, weight)
    np.testing.assert_allclose(fitted, curve(places, *best), atol=1e-3)
    fails = SimpleNamespace(success=False)
    monkeypatch.setattr("scipy.optimize.least_squares", lambda *_, **__: fails)
    fallen = _falling_curve(given, places, weight)
    np.testing.assert_allclose(fallen - weight, 1e-8 * (5.0 - (places - 1.0)), atol=1e-15)


def test_lists_without_an_order_have_no_curve() -> None:
    lists = [["a", "b", "c"], ["b", "d"], ["e"]]
    table = Rankings.from_lists([["c"]], unranked=lists)
    curved, plain = (aggregate(table, "maic", fit=fit).statistic for fit in ("exponential", "none"))
    assert curved.tolist() == plain.tolist()


@pytest.mark.parametrize("first", [1.0, 2.0])
def test_ties_add_up_to_the_same_bits_in_any_table(first: float) -> None:
    rng = np.random.default_rng(0)
    ranks = np.sort(rng.integers(2, 6, (5, 40)).astype(float), axis=1)
    ranks[:, 0] = first
    ranks = np.array([rng.permutation(row) for row in ranks])
    order = rng.permutation(40)
    tables = (Rankings.from_ranks(given) for given in (ranks, ranks[:, order]))
    one, two = (aggregate(table, "maic", fit="none").statistic for table in tables)
    assert one[order].tolist() == two.tolist()
