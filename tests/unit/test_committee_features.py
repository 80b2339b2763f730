"""Features of a committee that are no column of numbers: nominal ones, groups; functions as learners."""

from __future__ import annotations

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
from pyfsagg import LearnerSelection, Task
from pyfsagg.exceptions import DataError, ParameterError

TREE = DecisionTreeClassifier(max_depth=3)
LINEAR = make_pipeline(StandardScaler(), LogisticRegression())
PREFIX = Task(feature_groups="prefix:=")
ROWS = pyfsagg.resampling.Rows(np.array([np.arange(0, 60), np.arange(20, 80)]))


def nominal(n: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    """A class that three of five levels of `deck` tell, and noise."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age": rng.normal(size=n),
            "deck": rng.choice(list("ABCDE"), n),
            "port": rng.choice(["Cork", "Lyon"], n),
            "fare": rng.normal(size=n),
        }
    )
    return X, (X["deck"].isin(["A", "C", "E"]) ^ (rng.random(n) < 0.05)).astype(int).to_numpy()


def encoded(X: pd.DataFrame) -> pd.DataFrame:
    blocks = pd.get_dummies(X, columns=["deck", "port"], prefix_sep="=")
    return blocks[[name for j in X for name in blocks if name.partition("=")[0] == j]]


class Seen(ClassifierMixin, BaseEstimator):
    """A classifier that keeps what it was fitted to, and whose importances are 1, 2, 3, …"""

    tables: ClassVar[list[np.ndarray]] = []

    def fit(self, X: Any, y: Any) -> Seen:
        self.classes_ = np.unique(y)
        self.feature_importances_ = np.arange(1.0, X.shape[1] + 1.0)
        Seen.tables.append(X)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


# ---------------------------------------------------------------------------------------------
# nominal features and groups
# ---------------------------------------------------------------------------------------------
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
    given: dict[str, Any] = {
        "learners": {"tree": TREE, "linear": LINEAR},
        "selection": way,
        "resampling": ROWS,
        "n_resamples": 2,
        "random_state": 1,
    }
    one = pyfsagg.committee(X, y, **given)
    blocks = pyfsagg.committee(encoded(X), y, task=PREFIX, **given)
    first_left_out = encoded(X).drop(columns=["deck=A", "port=Cork"])
    groups = {"deck": [f"deck={level}" for level in "BCDE"]}
    other = pyfsagg.committee(
        first_left_out.rename(columns={"port=Lyon": "port"}),
        y,
        task=Task(feature_groups=groups, nominal=["port"]),
        **given,
    )
    for found in (blocks, other):
        assert found.feature_names == one.feature_names == ("age", "deck", "port", "fare")
        np.testing.assert_array_equal(found.support, one.support)
        pd.testing.assert_frame_equal(found.voters, one.voters)
    assert one.support[:, 1].all()
    assert one.voters["performance"].min() > 0.8


def test_levels_are_columns_and_those_that_the_rows_lack_are_left_out() -> None:
    X = pd.DataFrame(
        {"n": np.arange(12.0), "c": ["u", "v", None] * 3 + ["w"] * 3, "k": ["one"] * 12}
    )
    Seen.tables = []
    rows = pyfsagg.resampling.Rows(np.array([np.arange(9)]))
    found = pyfsagg.committee(
        X, np.arange(12) % 2, {"seen": Seen()}, resampling=rows, n_resamples=1,
        selection=LearnerSelection(n_features=1),
    )  # fmt: skip
    first, last = Seen.tables
    levels = np.eye(3)[np.arange(9) % 3]  # u, v and missing; w is in no row that trains
    np.testing.assert_array_equal(first, np.column_stack([np.arange(9.0), levels, np.ones(9)]))
    # Importances 1; 2 + 3 + 4; 5.
    assert found.select(1) == ["c"]
    np.testing.assert_array_equal(last, levels)
    assert found.voters["n_test"].tolist() == [3]


@pytest.mark.parametrize(
    ("score", "best"),
    [
        ("auto", ["c", "g", "b", "a"]),  # importances 1, 2, 12 (3 + 4 + 5) and 9 (largest of 6 … 9)
        ("max", ["c", "g", "b", "a"]),
        ("mean", ["c", "g", "b", "a"]),  # … and 7.5
        ("joint", ["g", "c", "b", "a"]),  # four combinations: 6 + 7 + 8 + 9
    ],
)
def test_importances_of_levels_add_up_and_of_groups_as_it_is_said(
    score: str, best: list[str]
) -> None:
    n = 24
    X = pd.DataFrame({"a": np.arange(n), "b": np.arange(n) ** 2, "c": list("uvw") * 8})
    X = X.assign(**{f"g{j}": (np.arange(n) + j) % 4 for j in range(4)})
    task = Task(feature_groups={"g": ["g0", "g1", "g2", "g3"]}, group_score=score)
    y = np.arange(n) // 2 % 2
    shown = []
    for k in (1, 2, 3):
        found = pyfsagg.committee(
            X, y, {"seen": Seen()}, task=task, n_resamples=1, random_state=0,
            selection=LearnerSelection(n_features=k),
        )  # fmt: skip
        shown.append({name for name, votes in found.ranking["votes"].items() if votes})
    assert shown == [set(best[:1]), set(best[:2]), set(best[:3])]


def test_means_and_largest_of_a_group_differ() -> None:
    n = 24
    X = pd.DataFrame({f"g{j}": np.arange(n) + j for j in range(3)}).assign(b=np.arange(n)[::-1])[
        ["b", "g0", "g1", "g2"]
    ]
    y = np.arange(n) % 2

    def importances(X: Any, y: Any) -> list[float]:
        return [2.0, 0.0, -3.0, 1.0]

    best = {}
    for score in ("max", "mean"):
        task = Task(feature_groups={"g": ["g0", "g1", "g2"]}, group_score=score)
        found = pyfsagg.committee(
            X, y, importances, task=task, n_resamples=1, random_state=0,
            selection=LearnerSelection(n_features=1),
        )  # fmt: skip
        best[score] = found.select(1)
    assert best == {"max": ["g"], "mean": ["b"]}  # 3 and 4/3 against 2


def test_several_classes_and_a_regression() -> None:
    X, _ = nominal()
    three = X["deck"].map({"A": 0, "B": 0, "C": 1, "D": 1, "E": 2})
    for way in (LearnerSelection(n_features=1), LearnerSelection("elimination", n_features=1)):
        found = pyfsagg.committee(
            X, three, LINEAR, selection=way, resampling=ROWS, n_resamples=2, random_state=0
        )
        assert found.select(1) == ["deck"]
        assert found.ranking["votes"].iloc[0] == 2
    number = pyfsagg.committee(
        X.assign(age=X["age"].where(X.index > 3)), three + 0.5, Ridge(), task="regression",
        resampling=ROWS, n_resamples=2, random_state=0, selection=LearnerSelection(n_features=1),
    )  # fmt: skip
    assert number.select(1) == ["deck"]


def test_a_result_on_groups_is_kept_and_shown(tmp_path: Path) -> None:
    X, y = nominal()
    found = pyfsagg.committee(
        encoded(X), y, {"tree": TREE}, task=Task(feature_groups="prefix:=", group_score="max"),
        resampling=ROWS, n_resamples=2, random_state=0, selection=LearnerSelection(n_features=1),
    )  # fmt: skip
    deck = [f"deck={level}" for level in "ABCDE"]
    assert found.columns(1) == deck == list(found.groups["deck"])
    assert found.data["n_columns"] == 9
    assert found.data["n_features"] == 4
    assert "Features have 1 to 5 columns" in " ".join(found.sentences())
    page = found.to_html()
    assert "Groups of columns, most important first." in page
    found.save(tmp_path / "kept")
    again = pyfsagg.load_result(tmp_path / "kept")
    assert again.columns(2) == found.columns(2)
    assert again.to_json() == found.to_json()
    repeated = pyfsagg.committee(
        encoded(X), y, {"tree": TREE}, resampling=ROWS, n_resamples=2, random_state=0,
        task=Task(feature_groups=str(tmp_path / "kept" / "groups.csv"), group_score="max"),
        selection=LearnerSelection(n_features=1),
    )  # fmt: skip
    assert repeated.feature_names == found.feature_names
    np.testing.assert_array_equal(repeated.support, found.support)
    assert pyfsagg.vote([["a"]]).groups == {}


def test_a_checkpoint_knows_the_groups(tmp_path: Path) -> None:
    X, y = nominal()
    given: dict[str, Any] = {"learners": {"tree": TREE}, "n_resamples": 2, "random_state": 0}
    execution = pyfsagg.Execution(checkpoint=tmp_path / "kept")
    first, second = (
        Task(feature_groups={"g": pair}) for pair in (["age", "fare"], ["age", "port"])
    )
    one = pyfsagg.committee(X, y, task=first, execution=execution, **given)
    again = pyfsagg.committee(X, y, task=first, execution=execution, n_jobs=2, **given)
    assert again.to_json() == one.to_json()
    with pytest.raises(ParameterError, match="belongs to another run"):
        pyfsagg.committee(X, y, task=second, execution=execution, **given)


def test_near_constant_columns_of_a_group_stay_with_it() -> None:
    X, y = nominal()
    X = X.assign(flat=0.0, level=["one"] * len(X), also=0.0)
    task = Task(feature_groups={"pair": ["age", "flat"]}, drop_near_zero_variance=True)
    found = pyfsagg.committee(X, y, {"tree": TREE}, task=task, n_resamples=1, random_state=0)
    assert found.feature_names == ("pair", "deck", "port", "fare")


def test_what_does_not_go_with_features_of_several_columns_is_said() -> None:
    X, y = nominal()
    turned = make_pipeline(PCA(2), LogisticRegression())
    given: dict[str, Any] = {"n_resamples": 1, "random_state": 0}
    with pytest.raises(ParameterError, match="has 2 importances for 9 columns"):
        pyfsagg.committee(X, y, {"turned": turned}, **given)
    with pytest.raises(ParameterError, match="there are no groups"):
        pyfsagg.committee(X, y, TREE, task=Task(group_score="max"), **given)
    joint = Task(feature_groups={"g": ["age", "fare"]}, group_score="joint")
    with pytest.raises(ParameterError, match="more than 10"):
        pyfsagg.committee(X, y, TREE, task=joint, **given)
    way = LearnerSelection("sequential", n_features=4)
    with pytest.raises(ParameterError, match="one by one"):
        pyfsagg.committee(encoded(X), y, TREE, task=PREFIX, selection=way, **given)
    many = pd.DataFrame({"id": [f"n{j}" for j in range(60000)], "x": np.arange(60000.0)})
    with pyfsagg.memory_limit("20GB"), pytest.raises(DataError, match="one per level of nominal"):
        pyfsagg.committee(many, np.arange(60000) % 2, TREE, **given)


# ---------------------------------------------------------------------------------------------
# functions
# ---------------------------------------------------------------------------------------------
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
    found = pyfsagg.committee(
        X, y, [gap, TREE], n_resamples=3, random_state=0,
        selection=LearnerSelection(by, n_features=1),
    )  # fmt: skip
    assert found.learners == ["gap", "DecisionTreeClassifier"]
    assert found.select(1) == ["x2"]
    assert found.voters["performance"].isna().tolist() == [True] * 3 + [False] * 3
    assert (
        found.voters["message"].tolist()[:3]
        == ["a function predicts nothing, and has no performance"] * 3
    )
    assert found.parameters["learners"]["gap"] == "the function gap"
    weighted = found.vote(voter_weights="performance")
    assert weighted.voters["weight"].tolist()[:3] == [0.0] * 3
    alone = pyfsagg.committee(X, y, gap, n_resamples=3, random_state=0, n_jobs=2)
    with pytest.raises(DataError, match="give performance"):
        alone.knee()


def test_a_function_and_a_nominal_feature() -> None:
    X, y = nominal()
    found = pyfsagg.committee(
        X, y, {"own": gap}, n_resamples=2, random_state=0, selection=LearnerSelection(n_features=1)
    )
    assert found.select(1) == ["deck"]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_function_is_given_labels_or_numbers(task: str) -> None:
    X = np.arange(24.0).reshape(12, 2) % 5
    y = np.array(["no", "yes", "perhaps"] * 4) if task == "classification" else np.arange(12) / 4
    seen = []

    def keeps(X: Any, y: Any) -> Any:
        seen.append(y)
        return np.ones(2)

    rows = np.array([0, 1, 2, 5, 4])
    plan = pyfsagg.resampling.Rows(rows[None, :])
    pyfsagg.committee(X, y, keeps, task=task, resampling=plan, n_resamples=1, n_jobs=1)
    np.testing.assert_array_equal(seen[0], y[np.sort(rows)])


def test_functions_that_cannot_be_used_are_refused() -> None:
    X, y = nominal()
    given: dict[str, Any] = {"n_resamples": 1, "random_state": 0}
    for way in (
        LearnerSelection("sequential", n_features=1),
        LearnerSelection("elimination", n_features="auto"),
    ):
        with pytest.raises(ParameterError, match="'gap' is a function and predicts nothing"):
            pyfsagg.committee(X, y, gap, selection=way, **given)
    for wrong in ([1.0], [np.nan] * 9, 3.0):
        with pytest.raises(DataError, match="one finite number per column, 9 in all"):
            pyfsagg.committee(X, y, lambda X, y, wrong=wrong: wrong, **given)
    with pytest.raises(DataError, match="performance above 0"):
        pyfsagg.committee(X, y, gap, voter_weights="performance", **given)

    def fails(X: Any, y: Any) -> Any:
        raise ValueError("no idea")

    with pytest.raises(DataError, match="no learner could select features: ValueError: no idea"):
        pyfsagg.committee(X, y, fails, **given)
