"""Votes over 200 published selections of the sonar data, against the figures of the R package mlr3fselect."""

import numpy as np
import pandas as pd
import pytest
from golden import DATA

import pyfsagg

VOTERS = pd.read_csv(DATA / "sonar_selections.csv")
FEATURES = [f"V{j}" for j in range(1, 61)]


@pytest.fixture(scope="module")
def committee() -> pyfsagg.committees.Committee:
    return pyfsagg.vote(
        [cell.split() for cell in VOTERS["features"]],
        performance=VOTERS["accuracy"],
        learners=VOTERS["learner"],
        feature_names=FEATURES,
    )


def test_similarity_of_the_selections(committee: pyfsagg.committees.Committee) -> None:
    found = committee.agreement("jaccard")
    assert found.index.tolist() == [
        "all voters", "xgb.fselector", "tree.fselector", "rf.fselector", "svm.fselector"
    ]  # fmt: skip
    expected = [0.2640504, 0.3657964, 0.3554681, 0.4716744, 0.3119381]
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-8)


def test_approval_counts(committee: pyfsagg.committees.Committee) -> None:
    expected = [179, 170, 123, 121, 118, 113, 104, 99]
    assert committee.ranking["votes"].head(8).tolist() == expected
    assert committee.ranking["score"].head(8).tolist() == expected


def test_votes_weighted_by_accuracy(committee: pyfsagg.committees.Committee) -> None:
    approval = committee.vote("approval", voter_weights="performance").ranking["score"]
    np.testing.assert_allclose(approval.head(2), [134.786, 127.333], rtol=0, atol=5e-4)
    shared = committee.vote("satisfaction_approval", voter_weights="performance").ranking["score"]
    np.testing.assert_allclose(shared.head(2), [15.3535, 14.1077], rtol=0, atol=5e-5)


def test_knee_of_the_front(committee: pyfsagg.committees.Committee) -> None:
    assert committee.knee() == (10, pytest.approx(0.9047619, abs=5e-8))
    front = committee.pareto_front()
    assert front["n_features"].tolist() == [2, 4, 8, 10, 30]
    assert front["knee"].tolist() == [False, False, False, True, False]


@pytest.mark.parametrize("rule", ["sequential_proportional_approval", "phragmen"])
def test_sequential_rules_begin_with_the_most_approved(
    committee: pyfsagg.committees.Committee, rule: str
) -> None:
    found = committee.vote(rule)
    assert found.select(1) == committee.select(1)
    assert found.select(60) != committee.select(60)
