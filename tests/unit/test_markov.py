"""The Markov chains against dense transition matrices written from their definitions."""

import math

import numpy as np
import pytest

from pyfsagg.aggregation import aggregate, pairwise
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings

DAMPING = 0.05


def compared(table):
    if table.absent == "unknown":
        return table.ranks
    return np.where(table.missing, table.sizes[:, None] + 1, table.ranks)


def dense(table, chain):
    """Row-stochastic matrix of the chain, item by item and list by list."""
    ranks = compared(table)
    p = ranks.shape[1]
    matrix = np.zeros((p, p))
    for i in range(p):
        holding = [r for r in ranks if not np.isnan(r[i])]
        if chain == "mc1":
            reachable = [j for r in holding for j in range(p) if r[j] <= r[i]]
            for j in reachable:
                matrix[i, j] += 1 / len(reachable)
        elif chain == "mc2":
            for r in holding:
                reachable = [j for j in range(p) if r[j] <= r[i]]
                for j in reachable:
                    matrix[i, j] += 1 / len(reachable) / len(holding)
        elif chain == "mc3":
            for r in holding:
                held = [j for j in range(p) if not np.isnan(r[j])]
                for j in held:
                    target = j if r[j] < r[i] else i
                    matrix[i, target] += 1 / len(held) / len(holding)
        else:
            for j in range(p):
                better = sum(r[j] < r[i] for r in ranks)
                worse = sum(r[j] >= r[i] for r in ranks)
                wins = {
                    "mc4": better > worse,
                    "half": better + worse > 0 and better >= worse,
                    "any": better > 0,
                }[chain]
                matrix[i, j if wins else i] += 1 / p
    return matrix


def stationary(matrix):
    p = len(matrix)
    damped = (1 - DAMPING) * matrix + DAMPING / p
    system = np.vstack([damped.T - np.eye(p), np.ones(p)])
    return np.linalg.lstsq(system, np.r_[np.zeros(p), 1.0], rcond=None)[0]


def tables():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 6, (5, 9)).astype(float)
    lists = [["a", "b", "c", "d"], ["c", "a", "e"], ["d", "b"], [("e", "a"), "c", "b"]]
    return {
        "ties": Rankings.from_scores(scores),
        "cut off": Rankings.from_lists(lists, universe=[5, 9, 30, 5]),
        "full": Rankings.from_lists(lists, absent="unknown"),
        "permutations": Rankings.from_ranks([rng.permutation(7) + 1 for _ in range(3)]),
    }


@pytest.mark.parametrize("label", ["ties", "cut off", "full", "permutations"])
@pytest.mark.parametrize(
    ("method", "options", "chain"),
    [
        ("mc1", {}, "mc1"), ("mc2", {}, "mc2"), ("mc3", {}, "mc3"), ("mc4", {}, "mc4"),
        ("mc1", {"definition": "lin"}, "any"), ("mc2", {"definition": "lin"}, "half"),
    ],
)  # fmt: skip
def test_stationary_distribution(label, method, options, chain):
    table = tables()[label]
    matrix = dense(table, chain)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=1e-12)
    ours = aggregate(table, method, **options).statistic
    np.testing.assert_allclose(ours, stationary(matrix), rtol=1e-9)


# MC(lists, a=0.15)$MC2.Prob of the R package TopKLists (CRAN, commit 3d5c017 of its mirror), run in R 4.2.2.
TOPKLISTS = {
    ("abcd", "badc"): {"a": 0.4347826087, "b": 0.4347826087, "c": 0.0652173913, "d": 0.0652173913},
    ("abcde", "ecab", "bedac", "da"): {
        "a": 0.3030303030, "b": 0.3030303030, "c": 0.0665571376, "d": 0.1484848485, "e": 0.1788974078,
    },
    ("abcde", "ecabd", "bedac"): {
        "a": 0.3030303030, "b": 0.3030303030, "c": 0.0547645126, "d": 0.0361445783, "e": 0.3030303030,
    },
    ("uvw", "vxu", "xwy", "wuvy", "yx", "uyx"): {
        "u": 0.4081632653, "v": 0.1352157943, "w": 0.1081360919, "x": 0.2132690542, "y": 0.1352157943,
    },
}  # fmt: skip


@pytest.mark.parametrize("lists", TOPKLISTS)
def test_mc2_of_lin_is_that_of_topklists(lists):
    table = Rankings.from_lists([list(each) for each in lists])
    found = aggregate(table, "mc2", definition="lin", damping=0.15).statistic
    expected = [TOPKLISTS[lists][name] for name in table.items]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    majority = aggregate(table, "mc4", damping=0.15).statistic
    # Half and majority are one for three lists, and by symmetry for the first two.
    assert np.allclose(found, majority, atol=1e-6) == (len(lists) in (2, 3))


@pytest.mark.parametrize("label", ["ties", "cut off", "full", "permutations"])
def test_row_scores_are_chances_to_stay(label):
    table = tables()[label]
    for method, chain in (("mc1_row", "any"), ("mc2_row", "mc4")):
        expected = np.diag(dense(table, chain))
        np.testing.assert_allclose(aggregate(table, method).statistic, expected, rtol=1e-14)


def test_row_scores_of_many_items_with_ties():
    """More items than are compared at a time, many of them with the same ranks in all lists."""
    rng = np.random.default_rng(2)
    scores = np.vstack([rng.integers(0, 5, (2, 2500)), rng.normal(size=(2, 2500)).round(2)])
    scores = np.hstack([scores, scores[:, :700]])
    table = Rankings.from_scores(scores)
    better = sum((row[:, np.newaxis] < row).astype(int) for row in scores)
    for method, wins in (("mc1_row", better > 0), ("mc2_row", better > 2)):
        expected = 1 - wins.sum(axis=1) / scores.shape[1]
        np.testing.assert_array_equal(aggregate(table, method).statistic, expected)


def test_twenty_thousand_items_without_a_matrix_of_pairs():
    rng = np.random.default_rng(1)
    quality = np.arange(20_000.0)
    scores = -quality + rng.normal(0, 500, (6, 20_000))
    result = aggregate(scores, "mc3", tolerance=1e-8)
    assert result.statistic.sum() == pytest.approx(1.0)
    top = np.array([int(name[1:]) for name in result.select(100)])
    assert np.median(top) < 1000


def test_a_limit_of_items_holds_at_its_edge():
    one, two = Rankings.from_lists([["a"]]), Rankings.from_lists([["a", "b"]])
    assert aggregate(one, "mc4", max_items=1).scores.tolist() == [1.0]
    with pytest.raises(DataError, match="max_items=1"):
        aggregate(two, "mc4", max_items=1)


def test_the_iteration_stops_at_the_first_step_whose_error_bound_meets_the_tolerance():
    # From b the chain goes to a with probability 1/2, so the masses are binary fractions.  The
    # first damped step moves 1/4 in all, which the damping of 1/2 bounds by 1/4.
    table = Rankings.from_ranks([[1, 2]])
    mc3 = AGGREGATORS.get("mc3").compute
    steps = {0.25: [0.625, 0.375], 0.249: [0.65625, 0.34375], 0.0625: [0.65625, 0.34375]}
    for tolerance, expected in steps.items():
        values = mc3(table, damping=0.5, tolerance=tolerance).statistic
        assert values.tolist() == expected


@pytest.mark.parametrize("method", ["mc1", "mc2", "mc3", "mc4"])
def test_all_chains_have_the_same_options_and_defaults(method):
    chain, table = AGGREGATORS.get(method).compute, tables()["ties"]
    given, other = (chain(table, damping=0.05, tolerance=each).statistic for each in (1e-12, 2e-12))
    np.testing.assert_array_equal(chain(table).statistic, given)
    assert (given != other).any()
    # With a damping of 1 each item is as likely.
    np.testing.assert_allclose(chain(table, damping=1.0).statistic, 1 / 9, rtol=1e-12)
    if method in ("mc1", "mc2"):
        with pytest.raises(ParameterError, match="definition must be one of"):
            chain(table, definition="Lin")


def test_the_time_that_is_left_is_told_by_how_fast_errors_fall(monkeypatch):
    """A chain of two items forgets 1 - 0.95 · 0.4 of its error in a step."""
    chain, steps, asked = np.array([[0.9, 0.1], [0.5, 0.5]]), [], []

    def step(mass, out):
        steps.append(1)
        out += mass @ chain

    monkeypatch.setattr(pairwise, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(
        pairwise, "_warn_if_long", lambda *given: asked.append((len(steps), *given))
    )
    found = pairwise._stationary(step, 2, DAMPING, 1e-9)
    [(after, left, _, damping, tolerance)] = asked
    assert (after, damping, tolerance) == (3, DAMPING, 1e-9)
    assert len(steps) == 3 + math.ceil(left)
    assert found.scores[0] == pytest.approx((0.95 * 0.5 + 0.025) / (1 - 0.95 * 0.4))
