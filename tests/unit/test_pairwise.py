"""Copeland and Kemeny against all orders of a few items."""

from itertools import combinations, permutations

import numpy as np
import pytest

from pyfsagg import Rankings, aggregate
from pyfsagg.exceptions import DataError, ParameterError


def drawn(seed: int) -> Rankings:
    """Few lists of few items, some tied, some cut off, some without the item, some with weights."""
    rng = np.random.default_rng(seed)
    m, p = rng.integers(1, 6), rng.integers(1, 7)
    scores = rng.integers(0, 5, (m, p)).astype(float)
    if seed % 3:
        scores[rng.random((m, p)) < 0.3] = np.nan
        scores[0] = rng.random(p)
        scores[np.isnan(scores).all(axis=1), 0] = 1.0
    table = Rankings.from_scores(scores, absent="unknown" if seed % 3 == 2 else "worst")
    return table if seed % 2 else table.weighted(rng.random(m) + 0.1)


def preferences(table: Rankings) -> np.ndarray:
    """[a, b]: the weight of the lists that rank a above b."""
    weights = np.ones(table.n_lists) if table.weights is None else table.weights
    known = table.ranks
    if table.absent == "worst":
        known = np.where(table.missing, np.inf, known)
    return sum(w * (row[:, np.newaxis] < row) for w, row in zip(weights, known, strict=True))


def cost(order, above) -> float:
    return sum(above[below, better] for better, below in combinations(order, 2))


@pytest.mark.parametrize("seed", range(20))
def test_kemeny_is_the_best_of_all_orders(seed: int) -> None:
    table = drawn(seed)
    above = preferences(table)
    best = min(cost(order, above) for order in permutations(range(table.n_items)))
    result = aggregate(table, "kemeny")
    order = np.argsort(result.statistic)
    assert cost(order, above) == pytest.approx(best, abs=1e-9)
    assert f"in {best:,.6g} pairs" in result.remarks[0]
    rough = aggregate(table, "kemeny", max_exact=2)
    found = cost(np.argsort(rough.statistic), above)
    assert found >= best - 1e-9
    if "between" in rough.remarks[0]:
        low = rough.remarks[0].split("between ")[1].split(" and")[0]
        assert float(low.replace(",", "")) <= best * (1 + 1e-5)
    else:
        assert found == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_copeland_counts_majorities(seed: int) -> None:
    table = drawn(seed)
    above = preferences(table)
    p = table.n_items
    equal = np.isclose(above, above.T, atol=1e-9)
    for tie in (0.5, 0.0, 1.0):
        points = ((above > above.T) & ~equal).sum(axis=1) + tie * (equal.sum(axis=1) - 1)
        result = aggregate(table, "copeland", tie=tie)
        np.testing.assert_allclose(result.statistic, points)
        wins = ((above > above.T) & ~equal).sum(axis=1)
        has_winner = bool((wins == p - 1).any())
        assert result.remarks[0].startswith("No item") != has_winner


def test_a_circle_and_a_condorcet_winner() -> None:
    circle = [list("abc"), list("bca"), list("cab")]
    assert aggregate(circle, "copeland").statistic.tolist() == [1.0, 1.0, 1.0]
    assert "in 4 pairs" in aggregate(circle, "kemeny").remarks[0]
    led = [["w", *one] for one in circle]
    assert "'w' beats every other item" in aggregate(led, "copeland").remarks[0]
    assert aggregate(led, "kemeny").select(1) == ["w"]


def test_many_items_are_ordered_by_majorities_and_a_knot_lies_between_bounds() -> None:
    rng = np.random.default_rng(1)
    scores = np.arange(300.0)[::-1] + rng.normal(0, 0.9, (9, 300))
    result = aggregate(scores, "kemeny")
    assert "no order contradicts them less" in result.remarks[0]
    assert np.corrcoef(result.ranking, np.arange(300))[0, 1] > 0.999
    noise = Rankings.from_scores(rng.normal(size=(5, 80)))
    exact = aggregate(noise, "kemeny", max_exact=40)
    above = preferences(noise)
    borda = np.argsort(-aggregate(noise, "borda").scores, kind="stable")
    found = cost(np.argsort(exact.statistic), above)
    assert found < cost(borda, above)
    low = float(exact.remarks[0].split("between ")[1].split(" and")[0].replace(",", ""))
    assert np.minimum(above, above.T)[np.triu_indices(80, 1)].sum() - 1 <= low <= found


def test_too_many_items_and_unknown_ties_are_refused() -> None:
    with pytest.raises(DataError, match="refused above max_items=2"):
        aggregate([list("abc")], "kemeny", max_items=2)
    with pytest.raises(ParameterError, match="tie"):
        aggregate([list("abc")], "copeland", tie=2)


def test_of_several_best_orders_one_is_shown_whatever_the_order_of_the_lists() -> None:
    circle = [list("abc"), list("bca"), list("cab")]
    found = [aggregate(list(lists), "kemeny") for lists in permutations(circle)]
    assert len({tuple(one.to_frame().index) for one in found}) == 1
    assert all("but others as little" in one.remarks[0] for one in found)
    apart = aggregate([list("abc"), list("abc"), list("cba")], "kemeny")
    assert apart.remarks[0].endswith("and no other as little.")


@pytest.mark.parametrize("seed", range(12))
def test_whether_other_orders_are_as_good_by_all_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, m = 4, int(rng.integers(2, 6))
    lists = [[f"i{j}" for j in rng.permutation(p)] for _ in range(m)]
    result = aggregate(lists, "kemeny")

    def distance(order: tuple[str, ...]) -> int:
        return sum(
            order.index(above) > order.index(below)
            for one in lists
            for above, below in combinations(one, 2)
        )

    costs = [distance(order) for order in permutations(lists[0])]
    assert distance(tuple(result.to_frame().index)) == min(costs)
    assert ("but others as little" in result.remarks[0]) == (costs.count(min(costs)) > 1)
    turned = aggregate(lists[::-1], "kemeny")
    assert turned.to_frame().index.tolist() == result.to_frame().index.tolist()
