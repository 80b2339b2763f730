"""Votes against the winning committees of abcvoting's 480 test profiles, and fastVoteR's orders."""

import pytest
from golden import stored

from pyfsagg import vote

PROFILES = stored("abcvoting.json.gz")
RULES = {
    "approval": "av",
    "satisfaction_approval": "sav",
    "sequential_proportional_approval": "seqpav",
    "phragmen": "seqphragmen",
}


@pytest.mark.parametrize("rule", RULES)
def test_committees_are_winning_ones(rule: str) -> None:
    alone = 0
    for profile in PROFILES:
        voters = [list(one) for one in profile["p"]]
        names = [str(j) for j in range(profile["n"])]
        found = vote(voters, rule, feature_names=names, size=profile["k"])
        winning = [set(committee) for committee in profile[RULES[rule]]]
        assert set(found.select(profile["k"])) in winning
        if len(winning) > 1:
            # Several committees win, and a place was drawn between equals; the reverse need not hold.
            assert found.ranking["tied"].any()
        alone += len(winning) == 1
    assert len(PROFILES) == 480
    assert 0 < alone < 480


SMALL = [["V3", "V1", "V2"], ["V3", "V1"], ["V3", "V4"], ["V3"]]
WEIGHTS = {"unequal": [0.27, 0.23, 0.4, 0.5], "equal": [1, 1, 1, 1]}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_expected_orders_of_fastvoter(rule: str, weights: str) -> None:
    names = [f"V{j}" for j in range(1, 6)]
    found = vote(SMALL, rule, voter_weights=WEIGHTS[weights], feature_names=names)
    order = found.select(5)
    if rule == "approval" and weights == "equal":
        assert (order[:2], set(order[2:4]), order[4]) == (["V3", "V1"], {"V2", "V4"}, "V5")
        assert found.ranking["score"].tolist() == [4, 2, 1, 1, 0]
    else:
        assert order == ["V3", "V1", "V4", "V2", "V5"]


def test_phragmen_of_example_2_9_of_lackner_and_skowron() -> None:
    voters = ["12"] * 3 + ["13"] * 3 + ["14"] * 2 + ["236", "5", "6", "7"]
    for names in ("1234567", "7654321"):
        order = vote([list(one) for one in voters], "phragmen", feature_names=list(names)).select(7)
        assert (order[0], set(order[1:3]), order[3:5]) == ("1", {"2", "3"}, ["4", "6"])
        assert set(order[5:]) == {"5", "7"}
