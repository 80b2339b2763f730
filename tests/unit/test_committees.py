"""Committees of learners: what a voter sees, selects and is tested on; votes over given selections."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
import pyfsagg.resampling
from pyfsagg.committees import LearnerSelection
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError

TREE = DecisionTreeClassifier(max_depth=2)
LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
THREE = [["a", "b"], [], ["b", "c"]]


def table(n: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Two classes that x0 and x1 tell apart, and noise."""
    y = np.arange(n) % 2
    X = np.random.default_rng(0).normal(size=(n, 5)) + np.outer(y, [3.0, -3.0, 0.0, 0.0, 0.0])
    return pd.DataFrame(X).add_prefix("x"), y


def voted(learners: Any = LINEAR, X: Any = None, y: Any = None, **options: Any) -> Any:
    """A committee of few resamples, on the table unless another is given."""
    own_X, own_y = table()
    given = (own_X if X is None else X, own_y if y is None else y)
    return pyfsagg.committee(*given, learners, **{"n_resamples": 2, "random_state": 0, **options})


class Spy(ClassifierMixin, BaseEstimator):
    """A classifier that keeps which rows, by their value, it was fitted to and asked about."""

    seen: ClassVar[list[tuple[str, set[int]]]] = []

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        self.feature_importances_ = np.arange(X.shape[1], 0.0, -1.0)
        Spy.seen.append(("fit", set(X[:, 0].astype(int))))
        return self

    def predict(self, X: Any) -> Any:
        Spy.seen.append(("predict", set(X[:, 0].astype(int))))
        return np.full(len(X), self.classes_[0])


# -- learners as voters ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    "way",
    [
        LearnerSelection(n_features=2),
        LearnerSelection("elimination", n_features=2),
        LearnerSelection("elimination", n_features=0.4, step=0.5),
        LearnerSelection("sequential", n_features=2, folds=3),
        LearnerSelection("sequential", n_features=2, folds=3, direction="backward"),
    ],
    ids=lambda way: f"{way.by} {way.direction} {way.step}",
)
def test_learners_find_what_tells_classes_apart(way: LearnerSelection) -> None:
    found = voted({"tree": TREE, "linear": LINEAR}, selection=way, n_resamples=3, random_state=1)
    assert found.voters["learner"].tolist() == ["tree"] * 3 + ["linear"] * 3
    assert found.voters["resample"].tolist() == [0, 1, 2] * 2
    assert (found.voters[["n_features", "n_test"]] == [2, 12]).all(axis=None)
    assert found.support[3:, :2].all()
    assert found.voters["performance"].iloc[3:].min() > 0.9


@pytest.mark.parametrize("by", ["importance", "elimination", "sequential"])
def test_auto_selects_as_many_as_are_useful(by: str) -> None:
    X, y = table(80)
    found = voted(LINEAR, X, y, selection=LearnerSelection(by, n_features="auto", folds=3))
    assert found.learners == ["LogisticRegression"]
    assert found.support[:, :2].any(axis=1).all()
    assert found.voters["n_features"].between(1, 4).all()


@pytest.mark.parametrize("plan", [pyfsagg.resampling.Subsample(0.7), "bootstrap"])
@pytest.mark.parametrize(
    "way",
    [
        LearnerSelection(n_features=2),
        LearnerSelection("elimination", n_features="auto", folds=3),
        LearnerSelection("sequential", n_features=2, folds=3),
    ],
    ids=lambda way: way.by,
)
def test_test_rows_take_no_part(plan: Any, way: LearnerSelection) -> None:
    X = pd.DataFrame(dict.fromkeys("abc", np.arange(30.0)))
    y = np.arange(30) % 2
    Spy.seen = []
    how = {"selection": way, "resampling": plan, "n_resamples": 1, "random_state": 3}
    found = voted({"spy": Spy()}, X, y, **how)
    *inside, (first, fitted), (last, tested) = Spy.seen
    assert (first, last) == ("fit", "predict")
    assert len(tested) == found.voters["n_test"][0]
    assert fitted == set(range(30)) - tested
    assert inside
    assert all(rows <= fitted for _, rows in inside)
    # Copies of a row are never on both sides of a fold.
    checked = 0
    for (one, known), (other, asked) in pairwise(inside):
        if (one, other) == ("fit", "predict"):
            checked += 1
            assert not known & asked
    assert (checked > 0) == (way.by != "importance")


def test_medians_are_those_of_the_rows_that_were_drawn() -> None:
    X, y = table()
    X.loc[:4, "x0"] = np.nan
    plan = pyfsagg.resampling.Rows(np.array([np.arange(40)]))
    one = voted({"m": LINEAR}, X, y, resampling=plan, n_resamples=1)
    X.loc[40:, "x0"] += 1000.0  # rows that are not drawn
    other = voted({"m": LINEAR}, X, y, resampling=plan, n_resamples=1)
    assert one.voters["n_test"].tolist() == [20]
    assert (one.support == other.support).all()
    assert one.voters["performance"][0] != other.voters["performance"][0]


def test_neither_workers_nor_a_checkpoint_change_anything(tmp_path: Path) -> None:
    learners = [TREE, make_pipeline(StandardScaler(), StandardScaler(), LogisticRegression())]
    one = voted(learners, voter_weights="performance")
    assert one.learners == ["DecisionTreeClassifier", "LogisticRegression"]
    how = {"n_jobs": 2, "execution": pyfsagg.Execution(checkpoint=tmp_path / "kept")}
    for _ in range(2):
        again = voted(learners, voter_weights="performance", **how)
        assert again.to_json() == one.to_json()


def test_numbers_by_r2_and_groups_in_one_fold() -> None:
    X, _ = table()
    how = {"task": "regression", "selection": LearnerSelection(n_features=2)}
    found = voted({"ridge": Ridge()}, X, 2.0 * X["x2"] + X["x3"], **how)
    assert sorted(found.select(2)) == ["x2", "x3"]
    assert found.parameters["metric"] == "r2"
    assert found.voters["performance"].min() > 0.99
    plan = pyfsagg.resampling.GroupedBootstrap(np.arange(60) // 4)
    way = LearnerSelection("sequential", n_features=2, folds=3)
    found = voted(resampling=plan, selection=way)
    assert (found.voters["n_test"] % 4 == 0).all()
    assert found.voters["performance"].min() > 0.9


def test_voters_without_a_class() -> None:
    _, y = table()
    first = [*np.flatnonzero(y == 0)[:10], *np.flatnonzero(y == 1)]  # leaves one class
    plan = pyfsagg.resampling.Rows(np.array([first, np.arange(40)]))
    found = voted(resampling=plan, metric="roc_auc", voter_weights="performance")
    performance = found.voters["performance"]
    assert np.isnan(performance[0])
    assert performance[1] > 0.9
    assert "roc_auc" in found.voters["message"][0] or "class" in found.voters["message"][0]
    assert found.voters["weight"].tolist() == [0.0, performance[1]]
    assert any("something is missing" in text for text in found.sentences)
    assert voted(resampling=plan).voters["performance"].notna().all()
    only = np.flatnonzero(table()[1] == 0)
    found = voted(resampling=pyfsagg.resampling.Rows(np.array([only, range(30)])))
    assert found.voters["n_features"][0] == 0
    assert "class" in found.voters["message"][0]
    assert found.ranking["votes"].max() == 1
    with pytest.raises(DataError, match="no learner could select features: ValueError"):
        voted(resampling=pyfsagg.resampling.Rows(np.array([only])), n_resamples=1)


def test_learners_metrics_and_weights_that_cannot_vote_are_refused() -> None:
    for error, text, changed in (
        (ParameterError, "learners is empty", {"learners": {}}),
        (ParameterError, "given twice", {"learners": [TREE, TREE]}),
        (InputTypeError, "must be an estimator", {"learners": {"a": "tree"}}),
        (InputTypeError, "must be an estimator", {"learners": {"a": DecisionTreeClassifier}}),
        (ParameterError, "is a regressor", {"learners": Ridge()}),
        (ParameterError, "is a classifier", {"task": "regression", "y": np.arange(60.0)}),
        (ParameterError, "neither coef", {"learners": KNeighborsClassifier()}),
        (ParameterError, "survival", {"task": "survival"}),
        (ParameterError, "must be the name of a scorer", {"metric": "accurate"}),
        (ParameterError, "above 0", {"metric": "neg_log_loss", "voter_weights": "performance"}),
        (UnknownNameError, "phragmen", {"rule": "phragman"}),
        (ParameterError, "1 in all", {"voter_weights": [1.0, 2.0]}),
        (ParameterError, "not a learner", {"selection": {"forest": LearnerSelection()}}),
        (
            ParameterError,
            "one by one",
            {"selection": LearnerSelection("sequential", n_features=5)},
        ),
        (ParameterError, "changes the table", {"resampling": pyfsagg.resampling.ValueNoise()}),
        (DataError, "none is left to test", {"resampling": pyfsagg.resampling.Subsample(1.0)}),
        (ParameterError, "size", {"size": 6}),
        (ParameterError, "n_features", {"selection": LearnerSelection(n_features=6)}),
    ):
        with pytest.raises(error, match=text):
            voted(**{"learners": {"tree": TREE}, "n_resamples": 1, **changed})
    bad = {"n_features": "many", "step": 1.0, "folds": 1, "tolerance": 0.0}
    for setting, value in (*bad.items(), ("n_features", 1.5)):
        with pytest.raises(ParameterError):
            LearnerSelection(**{setting: value})
    for selections, options, error, text in (
        ([], {}, DataError, "no voter"),
        ([[], []], {}, DataError, "no voter selects anything"),
        ([["a"], []], {"voter_weights": [0.0, 1.0]}, DataError, "no voter of a weight above 0"),
        (THREE, {"voter_weights": [1.0, -1.0, 1.0]}, ParameterError, "not negative"),
        (THREE, {"voter_weights": [0.0, 0.0, 0.0]}, ParameterError, "all 0"),
        (THREE, {"voter_weights": [1.0]}, ParameterError, "3 in all"),
        (THREE, {"voter_weights": [1.0, np.nan, 1.0]}, ParameterError, "not negative"),
        (THREE, {"voter_weights": "size"}, ParameterError, "'performance'"),
        (THREE, {"voter_weights": "performance"}, DataError, "performance above 0"),
        (THREE, {"performance": [0.5]}, ParameterError, "3 in all"),
        (THREE, {"performance": [0.5, np.inf, 1]}, ParameterError, "finite"),
        (THREE, {"learners": ["x"]}, ParameterError, "3 in all"),
        (THREE, {"feature_names": ["a", "b"]}, DataError, "'c', which is not in feature_names"),
        ([["a", "a"]], {}, DataError, "twice"),
        ([["1", 1]], {}, DataError, "'1' occurs twice"),
        (THREE, {"size": 4}, ParameterError, "size"),
        (THREE, {"rule": "majority"}, UnknownNameError, "majority"),
        ("abc", {}, InputTypeError, "selections must be Rankings"),
        (np.array(1), {}, DataError, "two dimensions"),
    ):
        with pytest.raises(error, match=re.escape(text)):
            pyfsagg.vote(selections, **options)


# -- votes over selections ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "selections",
    [
        THREE,
        [set(own) for own in THREE],
        np.array([[1, 1, 0], [0, 0, 0], [0, 1, 1]]),
        pd.DataFrame([[True, True, False], [False] * 3, [False, True, True]], columns=list("abc")),
        [[0, 1], [], [1, 2]],
    ],
    ids=["names", "sets", "array", "frame", "positions"],
)
def test_selections_in_every_form(selections: Any) -> None:
    found = pyfsagg.vote(selections, feature_names=["a", "b", "c"])
    assert found.ranking["votes"].to_dict() == {"b": 2, "a": 1, "c": 1}
    assert found.ranking["rank"].tolist() == [1.0, 2.5, 2.5]
    assert found.ranking["tied"].tolist() == [False, True, True]
    assert found.ranking["share"].iloc[0] == pytest.approx(2 / 3)
    assert found.voters["n_features"].tolist() == [2, 0, 2]
    assert "1 voter selected nothing" in found.sentences[1]


def test_the_first_sentence_tells_sizes_and_the_first_five() -> None:
    first, second = pyfsagg.vote([["a", "b"], [], ["b"], ["c"]]).sentences
    assert first == "4 voters selected 0 to 2 of 3 features. First by approval: b, a, c."
    assert second == "1 voter selected nothing and did not count."
    found = pyfsagg.vote([["a", "b"], ["b", "c"]], feature_names=list("abcdefg"))
    said = "2 voters selected 2 of 7 features. First by approval: b, a, c, d, e."
    assert found.sentences == (said,)
    other = pyfsagg.vote([["a", "b"], ["b", "d"]], feature_names=list("abcdefg"))
    assert other.data["sha256"] != found.data["sha256"]


def test_features_are_sorted_and_performances_below_0_weigh_nothing() -> None:
    assert pyfsagg.vote([["c", "a"], ["b"]]).select(3) == ["a", "b", "c"]
    assert pyfsagg.vote([[10, 9]]).select(2) == ["9", "10"]
    assert pyfsagg.vote([["b"]], feature_names=["a", "b"]).select(1.0) == ["b", "a"]
    found = pyfsagg.vote(THREE, performance=[-0.2, np.nan, 0.5], voter_weights="performance")
    assert found.voters["weight"].tolist() == [0.0, 0.0, 0.5]
    assert found.select(2) == ["b", "c"]


def test_knee() -> None:
    for n, performance, knee in (
        ([1, 2, 3], [0.5, 0.9, 1.0], (2, 0.9)),
        ([1, 2, 3], [0.5, 0.6, 1.0], None),  # below the line
        ([1, 2, 3], [0.5, 0.75, 1.0], None),  # on the line
        ([1, 3], [0.5, 1.0], None),
        ([2, 3, 4], [0.9, 0.8, 0.9], (2, 0.9)),  # one point is the front
        ([0, 1, 2, 3], [0.99, 0.5, 0.9, 1.0], (2, 0.9)),  # an empty selection is no point
        ([1, 2, 3, 5], [0.5, 0.75, 0.875, 1.0], (2, 0.75)),
    ):
        names = [f"f{j}" for j in range(6)]
        found = pyfsagg.vote([names[:k] for k in n], performance=performance, feature_names=names)
        assert found.knee() == knee
        front = found.pareto_front()
        assert front["knee"].sum() == (knee is not None)
        assert front["performance"].is_monotonic_increasing
        said = " ".join(found.sentences)
        assert ("has its knee at" in said) == (knee is not None and len(front) > 1)
        assert ("none with fewer or more features does better" in said) == (len(front) == 1)


def test_another_rule_is_another_call() -> None:
    given = {"performance": [0.9, 0.5, 0.7], "feature_names": list("abcd")}
    other = {"voter_weights": "performance", "size": 2}
    first = pyfsagg.vote(THREE, **given)
    second = first.vote("phragmen", **other)
    direct = pyfsagg.vote(THREE, "phragmen", **given, **other)
    for one, same in ((second, direct), (second.vote(), first)):
        assert json.loads(one.to_json()) == json.loads(same.to_json())
    with pytest.raises(DataError, match="give performance"):
        pyfsagg.vote(THREE).knee()


def test_agreement_pictures_and_page() -> None:
    found = pyfsagg.vote([["a", "b"], [], ["b"], ["c"]], learners=["x", "x", "x", "y"])
    assert found.agreement()["x"] == pytest.approx(0.5)
    assert found.agreement()["all voters"] == pytest.approx(0.5 / 3)
    assert np.isnan(found.agreement()["y"])
    summary = found.summary()
    assert summary["empty"].tolist() == [1, 1, 0]
    assert summary["n_features"].tolist() == pytest.approx([4 / 3, 1.5, 1.0])
    given = {"performance": [0.5, 0.9, 1.0], "learners": ["x", "y", "y"]}
    found = pyfsagg.vote([["a"], ["a", "b"], ["a", "b", "<c>"]], **given)
    bars = found.plot()
    assert [bar.get_width() for bar in bars.patches] == pytest.approx([1, 2 / 3, 1 / 3])
    front = found.plot("front")
    assert any("knee: 2" in text.get_text() for text in front.get_legend().get_texts())
    page = found.to_html()
    assert "&lt;c&gt;" in page
    assert "<c>" not in page
    assert "Points of the front" in page
    bare = pyfsagg.vote([["a"], ["a", "b"]], "spav").to_html()
    assert "Points of the front" not in bare
    assert "Proportional" in bare
