"""Columns that are always in: begun with, beside the features in models, reported apart."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import pyfsagg
from pyfsagg import Task, exceptions, filters, wam
from pyfsagg.extending import FILTERS
from pyfsagg.resampling import Bootstrap, Rows

N = 120
CRITERIA = ("mrmr", "jmi", "disr", "jmim", "njmim", "cmim", "mim")


def codes(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Whole numbers with ties, a target of three classes, and three unequal strata."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    strata = rng.choice(3, N, p=[0.6, 0.3, 0.1])
    X = pd.DataFrame(rng.integers(0, 4, (N, 7))).add_prefix("x")
    X["x1"] = (X["x1"] + y) // 2
    X["x2"] = X["x1"] + (rng.random(N) < 0.2)
    X["x3"] = (X["x3"] + y + strata) // 3
    X["x6"] = 1
    return X, y, strata


X, Y, STRATA = codes()


def entropy(*columns: Any) -> float:
    return float(stats.entropy(pd.Series(zip(*columns, strict=True)).value_counts()))


def terms(X: pd.DataFrame, y: np.ndarray, strata: np.ndarray) -> Any:
    """I(A; B | strata) of lists of columns, and their entropy joined with the strata."""
    columns = {**{name: X[name].to_numpy() for name in X}, "y": y}

    def h(names: str) -> float:
        return entropy(strata, *(columns[name] for name in names.split()))

    def information(one: str, other: str, beside: str = "") -> float:
        both = f"{one} {other} {beside}"
        return h(f"{one} {beside}") + h(f"{other} {beside}") - h(both) - h(beside)

    return information, h


def selected(
    criterion: str, X: pd.DataFrame, y: np.ndarray, strata: np.ndarray, first: list[str]
) -> list[str]:
    """The order of selection after `first`, by the formulas."""
    information, h = terms(X, y, strata)
    base = entropy(strata)

    def worth(x: str, done: list[str]) -> float:
        alone = information(x, "y")
        if criterion == "mim" or not done:
            return alone
        if criterion == "mrmr":
            return alone - float(np.mean([information(x, w) for w in done]))
        if criterion == "cmim":
            return min(alone, *(information(x, "y", w) for w in done))
        joint = [information(f"{x} {w}", "y") for w in done]
        if criterion in ("disr", "njmim"):
            joint = [(i + base) / h(f"{x} {w} y") for i, w in zip(joint, done, strict=True)]
        return sum(joint) if criterion in ("jmi", "disr") else min(joint)

    done, left = list(first), [name for name in X if name not in first]
    while left:
        worths = np.round([worth(x, done) for x in left], 11)
        done.append(left.pop(int(worths.argmax())))
    return done[len(first) :]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("always", [["x2"], ["x3", "x0"], ["x6"]])
def test_a_selection_begins_with_them(criterion: str, always: list[str]) -> None:
    found = filters.information_selection(X, Y, criterion=criterion, always=always)
    expected = selected(criterion, X, Y, np.zeros(N), always)
    assert [found.feature_names[j] for j in found.order] == expected
    assert not set(found.feature_names) & set(always)
    deep = filters.information_selection(X, Y, criterion=criterion, always=always, n_features=2)
    assert deep.order.tolist() == found.order[:2].tolist()
    np.testing.assert_allclose(deep.scores[deep.order], found.scores[deep.order], rtol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("always", [None, ["x2"]])
def test_information_is_conditional_on_strata(criterion: str, always: Any) -> None:
    frame = X.assign(site=pd.Series(STRATA).map(str))
    task = Task(adjust=["site"], always=always)
    run = wam(frame, Y, filter=criterion, task=task, resampling=Rows([list(range(N))]))
    expected = selected(criterion, X, Y, STRATA, always or [])
    scores = run.score_matrices[criterion][0]
    information, _ = terms(X, Y, STRATA)
    if criterion in ("jmi", "disr", "jmim", "njmim"):
        assert [run.feature_names[j] for j in np.argsort(-scores, kind="stable")] == expected
    elif criterion == "mim":
        alone = [information(name, "y") for name in run.feature_names]
        np.testing.assert_allclose(scores, alone, atol=1e-11)
    else:  # the criterion at which each was selected
        done = list(always or [])
        for name in expected:
            score = scores[run.feature_names.index(name)]
            if criterion == "cmim":
                beside = (information(name, "y", w) for w in done)
                worth = min(information(name, "y"), *beside, np.inf)
            else:
                shared = [information(name, w) for w in done] or [0.0]
                worth = information(name, "y") - float(np.mean(shared))
            assert score == pytest.approx(worth, abs=1e-11)
            done.append(name)


# --- filters by correlation and models ---------------------------------------------------------
def numbers(seed: int = 3) -> tuple[pd.DataFrame, np.ndarray]:
    """Decimal columns, of which `known` makes most of the number, and x1 is nearly a copy of it."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(N, 5))).add_prefix("x").round(2)
    frame["known"] = rng.normal(size=N)
    frame["x1"] = frame["known"] + 0.2 * rng.normal(size=N)
    return frame, (2 * frame["known"] + frame["x0"] + rng.normal(size=N)).to_numpy()


FRAME, NUMBER = numbers()


def whole(filter: Any, X: pd.DataFrame, y: Any, **task: Any) -> Any:
    return wam(X, y, filter=filter, task=Task(**task), resampling=Rows([list(range(len(y)))]))


@pytest.mark.parametrize("adjust", [False, True])
def test_mrmr_by_correlation_begins_with_them(adjust: bool) -> None:
    frame, y = numbers()
    task: dict[str, Any] = {"task": "regression"}
    rest, cleared, y_left = frame.drop(columns="known"), frame.to_numpy(), y
    if adjust:
        age = np.random.default_rng(0).normal(size=N)
        design = np.column_stack([np.ones(N), age])
        cleared = cleared - design @ np.linalg.lstsq(design, frame, rcond=None)[0]
        y_left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        frame, task = frame.assign(age=age), {**task, "adjust": "age"}
    found = whole("mrmr_correlation", frame, y, always="known", **task)
    assert found.feature_names == tuple(rest)
    r = np.abs(np.corrcoef(np.column_stack([cleared, y_left]), rowvar=False))
    done, left = [5], [0, 1, 2, 3, 4]
    while left:
        worth = [r[j, 6] - r[j, done].mean() for j in left]
        best = left.pop(int(np.argmax(worth)))
        assert found.scores[best] == pytest.approx(max(worth), abs=1e-10)
        done.append(best)


def test_models_have_them_beside_the_features_and_filters_of_single_columns_do_not() -> None:
    frame, y = numbers()
    found = whole(LinearRegression(), frame, y, task="regression", always=["known"])
    together = LinearRegression().fit(frame, y)
    np.testing.assert_allclose(found.scores, np.abs(together.coef_[:5]), rtol=1e-10)
    levels = frame.assign(known=np.where(frame["known"] > 0, "high", "low"))
    assert whole(RandomForestClassifier(5), levels, y > 0, always="known").n_features == 5
    frame, y = numbers()
    found = whole("pearson", frame, y, task="regression", always=["known"])
    alone = whole("pearson", frame.drop(columns="known"), y, task="regression")
    np.testing.assert_array_equal(found.scores, alone.scores)
    assert found.data["sha256"] != alone.data["sha256"]
    assert FILTERS.get("jmi").begins
    assert not FILTERS.get("mim").begins


# --- what is refused and recorded ---------------------------------------------------------------
def test_columns_that_cannot_be_always_in_are_refused() -> None:
    for task, error, message in (
        ({"always": ["nobody"]}, exceptions.ParameterError, "always names the column 'nobody'"),
        ({"always": []}, exceptions.DataError, "always names no column"),
        ({"always": list(X)}, exceptions.DataError, "leaves none to be scored"),
        ({"always": "x0", "adjust": "x0"}, exceptions.DataError, "'x0' is in adjust and always"),
    ):
        with pytest.raises(error, match=message):
            whole("mim", X, Y, **task)


def test_they_are_told_apart_and_kept(tmp_path: Any) -> None:
    options = {"filters": ["jmi", "mrmr"], "task": Task(always=["x0", "x3"]), "n_resamples": 20}
    one = pyfsagg.bam(X, Y, random_state=1, n_jobs=1, **options)
    two = pyfsagg.bam(X, Y, random_state=1, n_jobs=2, **options)
    np.testing.assert_array_equal(one.scores, two.scores)
    assert one.data["always"] == ["x0", "x3"]
    assert "Always in, and not ranked: x0 and x3." in one.methods_text()
    one.save(tmp_path / "kept")
    kept = pyfsagg.load_result(tmp_path / "kept")
    assert kept.methods_text() == one.methods_text()
    assert "Always in" in one.report(tmp_path / "page.html").read_text()


# --- above noise ------------------------------------------------------------------------------
def test_targets_are_shuffled_beside_them() -> None:
    """What the marker says of the target is not noise, and not what a feature adds to it."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 3, (N, 8))).add_prefix("n")
    frame["marker"] = np.where(Y > 0, "high", "low")
    frame["n0"] = np.where(rng.random(N) < 0.7, Y, frame["n0"])
    frame["n1"] = np.where(rng.random(N) < 0.8, Y > 0, frame["n1"])  # says no more than the marker
    how: dict[str, Any] = {"filter": "cmim", "random_state": 0, "shuffles": 199}
    test = pyfsagg.ensemble.permute_target(frame, Y, task=Task(always="marker"), **how)
    assert test.select() == ["n0"]
    assert (test.unit, test.strata) == ("rows within strata", ("marker",))
    given = pyfsagg.ensemble.permute_target(
        frame, Y, task=Task(adjust="marker"), **{**how, "filter": "mim"}
    )
    np.testing.assert_array_equal(test.p_values, given.p_values)  # beyond what the marker tells
    alone = frame.drop(columns="marker")
    assert {"n0", "n1"} <= set(pyfsagg.ensemble.permute_target(alone, Y, **how).select())
    number = frame.assign(marker=rng.normal(size=N))
    with pytest.raises(exceptions.DataError, match="'marker', which is always in, is a number"):
        pyfsagg.ensemble.permute_target(number, Y, task=Task(always="marker"), **how)
    column = {**how, "filter": "chi_squared"}  # which does not look at it
    free = pyfsagg.ensemble.permute_target(frame, Y, task=Task(always="marker"), **column)
    assert free.unit == "rows"


# --- evaluations, committees, selectors --------------------------------------------------------
def test_evaluations_have_them_in_every_model() -> None:
    classes = (np.median(NUMBER) < NUMBER).astype(int)
    options: dict[str, Any] = {
        "methods": {"f": {"filter": "anova_f", "resampling": Bootstrap()}},
        "classifiers": {"tree": LogisticRegression()},
        "thresholds": [1],
        "n_resamples": 3,
        "baselines": ["all_features"],
        "protocol": pyfsagg.evaluation.Protocol("nested", n_folds=3),
        "random_state": 0,
    }
    noise = FRAME[["x2", "x3", "x4", "known"]]
    found = pyfsagg.evaluate(noise, classes, task=Task(always="known"), **options)
    without = pyfsagg.evaluate(noise.drop(columns="known"), classes, **options)
    assert found.data["n_features"] == 3
    assert found.data["always"] == ["known"]
    assert "Always in, and not ranked: known." in " ".join(found._question())
    for kind in ("method", "baseline"):
        better, worse = (
            each.cells.loc[each.cells["kind"] == kind, "value"].mean() for each in (found, without)
        )
        assert better > worse + 0.2


@pytest.mark.parametrize("by", ["importance", "elimination", "sequential"])
@pytest.mark.parametrize("nominal", [False, True])
def test_learners_of_a_committee_have_them(by: str, nominal: bool) -> None:
    frame, y = numbers()
    classes = (y > np.median(y)).astype(int)
    # x1 is nearly a copy of what is known, and says the most without it.
    frame = frame[["x1", "x2", "x0", "known"]]
    frame = frame.assign(x0=frame["x0"] * 1.5)
    if nominal:
        frame["known"] = np.where(frame["known"] > 0, "high", "low")
        flipped = np.random.default_rng(1).random(N) < 0.1
        frame["x1"] = ((frame["known"] == "high") ^ flipped) * 1.0
    options: dict[str, Any] = {
        "selection": pyfsagg.committees.LearnerSelection(by=by, n_features=1),
        "n_resamples": 10,
        "random_state": 0,
    }
    learner = LogisticRegression(C=10.0)
    with_known = pyfsagg.committee(frame, classes, learner, task=Task(always="known"), **options)
    without = pyfsagg.committee(frame.drop(columns="known"), classes, learner, **options)
    assert with_known.feature_names == ("x1", "x2", "x0")
    assert without.support.sum(axis=0).tolist() == [10, 0, 0]
    assert with_known.support[:, 0].sum() < 10
    if (by, nominal) != ("sequential", True):  # the accuracy of few rows hardly tells the two apart
        assert with_known.support[:, 2].sum() >= 8
    assert with_known.voters["performance"].mean() > without.voters["performance"].mean()
    assert "Always in, and not ranked: known." in " ".join(with_known.sentences)


def test_selectors_keep_them() -> None:
    how = {"n_features_to_select": 1, "n_resamples": 5, "random_state": 0}
    task = Task("regression", always=["x4"])
    selector = pyfsagg.ensemble.WithinAggregationSelector("pearson", task=task, **how).fit(
        FRAME, NUMBER
    )
    assert list(selector.get_feature_names_out()) == ["x4", "known"]
    by_position = selector.set_params(task=Task("regression", always=[4])).fit(
        FRAME.to_numpy(), NUMBER
    )
    assert by_position.get_support(indices=True).tolist() == [4, 5]
