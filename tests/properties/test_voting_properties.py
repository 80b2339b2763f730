"""Voting rules against their definitions in exact fractions, and what must hold for any selections."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pyfsagg
from pyfsagg.committees.rules import VOTING_RULES

RULES = VOTING_RULES.names()
SEQUENTIAL = [name for name in RULES if VOTING_RULES.get(name).proportional]
NAMES = ["f0", "f1", "f2", "f3", "f4", "f5"]


@st.composite
def weighted_selections(draw: st.DrawFn) -> tuple[list[list[str]], list[int]]:
    """Selections of six features, one at least not empty, with whole weights above 0."""
    selections = draw(
        st.lists(
            st.lists(st.sampled_from(NAMES), unique=True, max_size=6), min_size=1, max_size=9
        ).filter(lambda found: any(map(len, found)))
    )
    m = len(selections)
    weights = draw(st.lists(st.integers(1, 4), min_size=m, max_size=m))
    return selections, weights


def exact(rule: str, selections: list[list[str]], weights: list[int]) -> dict[str, Fraction]:
    """The definition: all features in their order, with the scores at which they are elected."""
    voters = list(zip(map(set, selections), weights, strict=True))
    if rule in ("approval", "satisfaction_approval"):
        shares = [
            (own, Fraction(w, 1 if rule == "approval" else max(len(own), 1))) for own, w in voters
        ]
        scores = {f: sum((w for own, w in shares if f in own), Fraction(0)) for f in NAMES}
        return dict(sorted(scores.items(), key=lambda each: -each[1]))
    # Each voter as often as it counts, so weights are nothing of their own here.
    ballots = [own for own, w in voters for _ in range(w)]
    elected: dict[str, Fraction] = {}
    load = [Fraction(0)] * len(ballots)
    while len(elected) < len(NAMES):
        best, best_score = "", Fraction(-1)
        for f in NAMES:
            if f in elected:
                continue
            own = [v for v, ballot in enumerate(ballots) if f in ballot]
            if rule == "phragmen":
                score = Fraction(len(own), 1) / (1 + sum(load[v] for v in own))
            else:
                score = sum(Fraction(1, 1 + len(ballots[v] & elected.keys())) for v in own)
            if score > best_score:
                best, best_score = f, Fraction(score)
        elected[best] = best_score
        for v, ballot in enumerate(ballots):
            if rule == "phragmen" and best in ballot:
                load[v] = 1 / best_score
    return elected


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None)
@given(given=weighted_selections())
def test_rule_is_its_definition(rule: str, given: tuple[list[list[str]], list[int]]) -> None:
    selections, weights = given
    found = pyfsagg.vote(selections, rule, voter_weights=weights, feature_names=NAMES).ranking
    expected = exact(rule, selections, weights)
    assert found.index.tolist() == list(expected)
    np.testing.assert_allclose(found["score"], [float(s) for s in expected.values()], rtol=1e-12)


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=40, deadline=None)
@example(([[], [], [], ["f0", "f1", "f2", "f3", "f4", "f5"], [], ["f0"], ["f0"]], [1] * 7))
@given(given=weighted_selections())
def test_empty_selections_and_weight_zero_count_nothing(rule, given):
    selections, weights = given
    one = pyfsagg.vote(selections, rule, voter_weights=weights, feature_names=NAMES).ranking
    more = [*selections, [], ["f5", "f4"]]
    other = pyfsagg.vote(more, rule, voter_weights=[*weights, 3, 0], feature_names=NAMES).ranking
    assert one.index.tolist() == other.index.tolist()
    assert one[["score", "rank", "tied"]].equals(other[["score", "rank", "tied"]])


@pytest.mark.parametrize("rule", SEQUENTIAL)
@settings(max_examples=40, deadline=None)
@given(given=weighted_selections(), size=st.integers(1, 6))
def test_size_leaves_the_first_places_as_they_are(rule, given, size):
    selections, weights = given
    one = pyfsagg.vote(selections, rule, voter_weights=weights, feature_names=NAMES)
    other = pyfsagg.vote(selections, rule, voter_weights=weights, feature_names=NAMES, size=size)
    assert one.select(size) == other.select(size)
    scores = other.ranking["score"].to_numpy()
    assert (np.diff(scores) <= 1e-12).all()


@pytest.mark.parametrize("rule", RULES)
def test_unanimous_selections(rule: str) -> None:
    found = pyfsagg.vote([["f1", "f3"]] * 4, rule, feature_names=NAMES)
    assert found.select(2) == ["f1", "f3"]
    others = found.ranking.iloc[2:]
    assert (others["score"] == 0).all()
    assert (others["rank"] == 4.5).all()
    assert others["tied"].all()
    assert others.index.tolist() == ["f0", "f2", "f4", "f5"]


def test_proportional_rules_hear_the_minority() -> None:
    selections = [["a", "b", "c"]] * 4 + [["x"]] * 3
    assert pyfsagg.vote(selections).select(2) == ["a", "b"]
    for rule in SEQUENTIAL:
        assert pyfsagg.vote(selections, rule).select(2) == ["a", "x"]
