"""Features of a committee that are no column of numbers: nominal ones, groups; functions as learners."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import pyfsagg
from pyfsagg import Task
from pyfsagg.committees import LearnerSelection
from pyfsagg.exceptions import DataError, ParameterError

TREE = DecisionTreeClassifier(max_depth=3)
LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
PREFIX = Task(feature_groups="prefix:=")
BEST = LearnerSelection(n_features=1)
ROWS = pyfsagg.resampling.Rows(np.array([np.arange(0, 60), np.arange(20, 80)]))


def nominal(n: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    """A class that three of five levels of `deck` tell, and noise."""
    rng = np.random.default_rng(3)
    columns = {"age": rng.normal(size=n), "deck": rng.choice(list("ABCDE"), n)}
    columns |= {"port": rng.choice(["Cork", "Lyon"], n), "fare": rng.normal(size=n)}
    X = pd.DataFrame(columns)
    return X, (X["deck"].isin(["A", "C", "E"]) ^ (rng.random(n) < 0.05)).astype(int).to_numpy()


def encoded(X: pd.DataFrame) -> pd.DataFrame:
    blocks = pd.get_dummies(X, columns=["deck", "port"], prefix_sep="=")
    return blocks[[name for j in X for name in blocks if name.partition("=")[0] == j]]


def voted(learners: Any, X: Any = None, y: Any = None, **options: Any) -> Any:
    """A committee of one resample, on the nominal table unless another is given."""
    own_X, own_y = nominal()
    given = (own_X if X is None else X, own_y if y is None else y)
    return pyfsagg.committee(*given, learners, **{"n_resamples": 1, "random_state": 0, **options})


class Seen(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what it was fitted to, and whose importances are 1, 2, 3, …"""

    tables: ClassVar[list[np.ndarray]] = []

    def fit(self, X: Any, y: Any) -> Any:
        self.classes_ = np.unique(y)
        self.feature_importances_ = np.arange(1.0, X.shape[1] + 1.0)
        Seen.tables.append(X)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


# -- nominal features and groups ------------------------------------------------------------------
WAYS = [
    LearnerSelection(n_features=2),
    LearnerSelection(n_features="auto"),
    LearnerSelection("elimination", n_features=2),
    LearnerSelection("elimination", n_features="auto", folds=3),
    LearnerSelection("sequential", n_features=2, folds=3),
    LearnerSelection("sequential", n_features=2, folds=3, direction="backward"),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.by} {way.n_features} {way.direction}")
def test_a_one_hot_block_is_the_nominal_feature_that_it_encodes(way: LearnerSelection) -> None:
    X, y = nominal()
    given: dict[str, Any] = {"learners": {"tree": TREE, "linear": LINEAR}, "selection": way}
    given |= {"resampling": ROWS, "n_resamples": 2, "random_state": 1, "y": y}
    one = voted(X=X, **given)
    blocks = voted(X=encoded(X), task=PREFIX, **given)
    first_left_out = encoded(X).drop(columns=["deck=A", "port=Cork"])
    task = Task(feature_groups={"deck": [f"deck={level}" for level in "BCDE"]}, nominal=["port"])
    other = voted(X=first_left_out.rename(columns={"port=Lyon": "port"}), task=task, **given)
    for found in (blocks, other):
        assert found.feature_names == one.feature_names == ("age", "deck", "port", "fare")
        np.testing.assert_array_equal(found.support, one.support)
        pd.testing.assert_frame_equal(found.voters, one.voters)
    assert one.support[:, 1].all()
    assert one.voters["performance"].min() > 0.8


def test_levels_are_columns_and_near_constant_ones_stay() -> None:
    columns = {"n": np.arange(12.0), "c": ["u", "v", None] * 3 + ["w"] * 3, "k": ["one"] * 12}
    X = pd.DataFrame(columns)
    Seen.tables = []
    rows = pyfsagg.resampling.Rows(np.array([np.arange(9)]))
    found = voted({"seen": Seen()}, X, np.arange(12) % 2, resampling=rows, selection=BEST)
    first, last = Seen.tables
    levels = np.eye(3)[np.arange(9) % 3]  # u, v and missing; w is in no row that trains
    np.testing.assert_array_equal(first, np.column_stack([np.arange(9.0), levels, np.ones(9)]))
    # Importances 1; 2 + 3 + 4; 5.
    assert found.select(1) == ["c"]
    np.testing.assert_array_equal(last, levels)
    assert found.voters["n_test"].tolist() == [3]
    X, y = nominal()
    X = X.assign(flat=0.0, level=["one"] * len(X), also=0.0)
    task = Task(feature_groups={"pair": ["age", "flat"]}, drop_near_zero_variance=True)
    found = voted({"tree": TREE}, X, y, task=task)
    assert found.feature_names == ("pair", "deck", "port", "fare")


@pytest.mark.parametrize(
    ("score", "best"),
    [
        ("auto", ["c", "g", "b", "a"]),  # importances 1, 2, 12 (3 + 4 + 5) and 9 (largest of 6 … 9)
        ("max", ["c", "g", "b", "a"]),
        ("mean", ["c", "g", "b", "a"]),  # … and 7.5
        ("joint", ["g", "c", "b", "a"]),  # four combinations: 6 + 7 + 8 + 9
    ],
)
def test_importances_of_levels_add_up_and_of_groups_as_it_is_said(score, best) -> None:
    n = 24
    X = pd.DataFrame({"a": np.arange(n), "b": np.arange(n) ** 2, "c": list("uvw") * 8})
    X = X.assign(**{f"g{j}": (np.arange(n) + j) % 4 for j in range(4)})
    task = Task(feature_groups={"g": ["g0", "g1", "g2", "g3"]}, group_score=score)
    y = np.arange(n) // 2 % 2
    shown = []
    for k in (1, 2, 3):
        found = voted({"seen": Seen()}, X, y, task=task, selection=LearnerSelection(n_features=k))
        shown.append({name for name, votes in found.ranking["votes"].items() if votes})
    assert shown == [set(best[:1]), set(best[:2]), set(best[:3])]
    if score in ("max", "mean"):  # 3 and 4/3 of the group against 2
        n, task = np.arange(24), Task(feature_groups={"g": ["g0", "g1", "g2"]}, group_score=score)
        X = pd.DataFrame({"b": n[::-1], **{f"g{j}": n + j for j in range(3)}})
        found = voted(lambda X, y: [2.0, 0.0, -3.0, 1.0], X, n % 2, task=task, selection=BEST)
        assert found.select(1) == ["g" if score == "max" else "b"]


def test_several_classes_and_a_regression() -> None:
    X, _ = nominal()
    three = X["deck"].map({"A": 0, "B": 0, "C": 1, "D": 1, "E": 2})
    how: dict[str, Any] = {"resampling": ROWS, "n_resamples": 2}
    for way in (BEST, LearnerSelection("elimination", n_features=1)):
        found = voted(LINEAR, X, three, selection=way, **how)
        assert found.select(1) == ["deck"]
        assert found.ranking["votes"].iloc[0] == 2
    gaps = X.assign(age=X["age"].where(X.index > 3))
    number = voted(Ridge(), gaps, three + 0.5, task="regression", selection=BEST, **how)
    assert number.select(1) == ["deck"]


def test_a_result_on_groups_is_kept_and_shown(tmp_path: Path) -> None:
    X, y = nominal()
    how: dict[str, Any] = {"resampling": ROWS, "n_resamples": 2, "selection": BEST}
    task = Task(feature_groups="prefix:=", group_score="max")
    found = voted({"tree": TREE}, encoded(X), y, task=task, **how)
    deck = [f"deck={level}" for level in "ABCDE"]
    assert found.columns(1) == deck == list(found.groups["deck"])
    assert found.data["n_columns"] == 9
    assert found.data["n_features"] == 4
    assert "Features have 1 to 5 columns" in " ".join(found.sentences)
    page = found.to_html()
    assert "Groups of columns, most important first." in page
    found.save(tmp_path / "kept")
    again = pyfsagg.load_result(tmp_path / "kept")
    assert again.columns(2) == found.columns(2)
    assert again.to_json() == found.to_json()
    task = Task(feature_groups=str(tmp_path / "kept" / "groups.csv"), group_score="max")
    repeated = voted({"tree": TREE}, encoded(X), y, task=task, **how)
    assert repeated.feature_names == found.feature_names
    np.testing.assert_array_equal(repeated.support, found.support)
    assert pyfsagg.vote([["a"]]).groups == {}


def test_a_checkpoint_knows_the_groups(tmp_path: Path) -> None:
    execution = pyfsagg.Execution(checkpoint=tmp_path / "kept")
    first, second = (Task(feature_groups={"g": ["age", name]}) for name in ("fare", "port"))
    one = voted({"tree": TREE}, task=first, execution=execution)
    again = voted({"tree": TREE}, task=first, execution=execution, n_jobs=2)
    assert again.to_json() == one.to_json()
    with pytest.raises(ParameterError, match="belongs to another run"):
        voted({"tree": TREE}, task=second, execution=execution)


def test_importances_and_groups_that_do_not_fit_the_columns_are_refused() -> None:
    X, _ = nominal()
    turned = make_pipeline(PCA(2), LogisticRegression())
    joint = Task(feature_groups={"g": ["age", "fare"]}, group_score="joint")
    way = LearnerSelection("sequential", n_features=4)
    for learner, options, message in (
        ({"turned": turned}, {}, "has 2 importances for 9 columns"),
        (TREE, {"task": Task(group_score="max")}, "there are no groups"),
        (TREE, {"task": joint}, "more than 10"),
        (TREE, {"X": encoded(X), "task": PREFIX, "selection": way}, "one by one"),
    ):
        with pytest.raises(ParameterError, match=message):
            voted(learner, **options)
    many = pd.DataFrame({"id": [f"n{j}" for j in range(60000)], "x": np.arange(60000.0)})
    with (
        pyfsagg.out_of_core.memory_limit("20GB"),
        pytest.raises(DataError, match="one per level of nominal"),
    ):
        voted(TREE, many, np.arange(60000) % 2)

    def fails(X: Any, y: Any) -> Any:
        raise ValueError("no idea")

    sequential = LearnerSelection("sequential", n_features=1)
    folds = LearnerSelection("elimination", n_features="auto")
    nothing = "'gap' is a function and predicts nothing"
    returned, finite = ([1.0], [np.nan] * 9, 3.0), "one finite number per column, 9 in all"
    for learner, options, error, message in (
        (gap, {"selection": sequential}, ParameterError, nothing),
        (gap, {"selection": folds}, ParameterError, nothing),
        *((lambda X, y, given=given: given, {}, DataError, finite) for given in returned),
        (gap, {"voter_weights": "performance"}, DataError, "performance above 0"),
        (fails, {}, DataError, "no learner could select features: ValueError: no idea"),
    ):
        with pytest.raises(error, match=message):
            voted(learner, **options)


# -- functions ------------------------------------------------------------------------------------
def gap(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Difference of the class means."""
    return X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)


@pytest.mark.parametrize("by", ["importance", "elimination"])
def test_a_function_is_a_voter_without_performance(by: str) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 4))
    X[:, 2] -= 3.0 * y
    X[5, 0] = np.nan
    found = voted([gap, TREE], X, y, n_resamples=3, selection=LearnerSelection(by, n_features=1))
    assert found.learners == ["gap", "DecisionTreeClassifier"]
    assert found.select(1) == ["x2"]
    assert found.voters["performance"].isna().tolist() == [True] * 3 + [False] * 3
    message = "a function predicts nothing, and has no performance"
    assert found.voters["message"].tolist()[:3] == [message] * 3
    assert found.parameters["learners"]["gap"] == "the function gap"
    weighted = found.vote(voter_weights="performance")
    assert weighted.voters["weight"].tolist()[:3] == [0.0] * 3
    with pytest.raises(DataError, match="give performance"):
        voted(gap, X, y, n_jobs=2).knee()
    assert voted({"own": gap}, selection=BEST).select(1) == ["deck"]  # of nominal features


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_function_is_given_labels_or_numbers(task: str) -> None:
    X = np.arange(24.0).reshape(12, 2) % 5
    y = np.array(["no", "yes", "perhaps"] * 4) if task == "classification" else np.arange(12) / 4
    seen = []

    def keeps(X: Any, y: Any) -> Any:
        seen.append(y)
        return np.ones(2)

    rows = np.array([0, 1, 2, 5, 4])
    voted(keeps, X, y, task=task, resampling=pyfsagg.resampling.Rows(rows[None, :]), n_jobs=1)
    np.testing.assert_array_equal(seen[0], y[np.sort(rows)])
