"""Limits on false selections of a run: what is selected, what is said, and what is refused."""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import pyfsagg
from pyfsagg._base.fields import as_record
from pyfsagg.ensemble.selection import Limit, parse_rule
from pyfsagg.error_control import control_errors, pfer_bound
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.for_r._answers import ensemble_of, ensemble_parts
from pyfsagg.results import load_result


def table(seed: int = 0, n: int = 80, p: int = 12, real: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :real] += 2.5 * y[:, np.newaxis]
    return X, y


GIVEN = pyfsagg.resampling.Rows(np.tile(np.arange(80), (4, 1)))
PAIRS: dict[str, Any] = {"resampling": "pairs", "n_resamples": 60, "random_state": 0}


@pytest.fixture(scope="module")
def run() -> pyfsagg.ensemble.EnsembleResult:
    return pyfsagg.wam(*table(), filter="fit_criterion", **PAIRS)


@pytest.fixture(scope="module")
def noise() -> pyfsagg.ensemble.EnsembleResult:
    return pyfsagg.wam(*table(3, real=0), filter="fit_criterion", **PAIRS)


def test_a_limit_finds_what_is_real_and_may_be_a_word(run: pyfsagg.ensemble.EnsembleResult) -> None:
    found = run.selection(max_false=0.5).control
    assert set(found.selected) == {"x0", "x1"}
    assert found.bound <= 0.5
    assert found.bound == pfer_bound(found.q, 12, found.threshold, n_pairs=30)
    frame = found.to_frame()
    assert frame.index[:2].isin(["x0", "x1"]).all()
    np.testing.assert_array_equal(frame["controlled"], frame["pair_frequency"] >= 0.75)
    assert (np.diff(frame["expected_false"]) >= 0).all()
    assert run.select(max_false=0.5) == run.selection(max_false=0.5).control.selected
    np.testing.assert_array_equal(run.get_support(fdr=0.3), run.selection(fdr=0.3).control.support)
    assert parse_rule(fdr=0.1) == Limit("fdr", 0.1)
    path = run.selection(fdr=0.2, method="integrated_path").control
    assert "not a bound" in path.sentences[-1]


def test_tables_and_pages_take_a_selection(run: Any, tmp_path: Path) -> None:
    by_limit = run.selection(fdr=0.3, method="integrated_path")
    assert list(by_limit.names) == by_limit.control.selected
    assert list(by_limit.names) == run.select(fdr=0.3, method="integrated_path")
    frame = run.to_frame(by_limit)
    assert frame.index[frame["controlled"]].tolist() == frame.index[: len(by_limit.names)].tolist()
    run.save(tmp_path / "kept", selection=by_limit)
    for record in (run.to_json(selection=by_limit), load_result(tmp_path / "kept").to_json()):
        assert json.loads(record)["selected"] == by_limit.control.selected
        assert json.loads(record)["error_control"]["method"] == "integrated_path"
    for view in ({"n_features_to_select": 3}, {"max_false": 0.5}):
        page = run.to_html(selection=run.selection(**view))
        assert page == run.to_html(**view) != run.to_html()
    with pytest.raises(InputTypeError, match=r"selection must be a selection.*result\.selection"):
        run.to_frame(5)
    with pytest.raises(ParameterError, match=r"method is an option of a limit.*max_false or fdr"):
        run.selection(3, method="integrated_path")


def test_nothing_can_be_selected_from_noise(noise: pyfsagg.ensemble.EnsembleResult) -> None:
    found = noise.selection(max_false=0.2).control
    assert (
        found.selected
        == noise.select(max_false=0.2)
        == np.flatnonzero(found.support).tolist()
        == []
    )
    assert "no feature can be selected: the most frequent one" in found.sentences[0]
    assert found.sentences[0].endswith("does not say that no feature is related to the target.")
    impossible = noise.selection(max_false=1e-9).control
    assert (impossible.q, impossible.threshold) == (0, np.inf)
    assert "not even one feature that every half puts first" in impossible.sentences[0]
    assert impossible.record()["threshold"] is None
    text = " ".join(noise.summary_text(n_features_to_select=3).split())
    assert "even from noise: by chance a feature is among the best 3 in 25% of resamples" in text
    assert "By chance alone a feature is" in noise.to_html()


def test_a_small_limit_and_the_order_of_columns(run: pyfsagg.ensemble.EnsembleResult) -> None:
    scores = np.random.default_rng(0).normal(size=(100, 40))
    scores[:, 5] += 9.0
    found = control_errors(scores, max_false=0.001)
    assert (found.q, found.selected) == (1, ["x5"])
    assert found.threshold > 0.95
    assert found.bound <= 0.001
    # Tied zeros are not selected because of their column.
    scores = np.zeros((60, 30))
    scores[:, 20] = 1.0
    found = control_errors(scores, max_false=1.0)
    assert found.selected == ["x20"]
    assert not found.frequency[:20].any()
    order = np.random.default_rng(1).permutation(12)
    one, other = (control_errors(s, max_false=1.0) for s in (run.combined, run.combined[:, order]))
    for name in ("support", "expected_false", "q_values"):
        np.testing.assert_array_equal(getattr(one, name)[order], getattr(other, name))


@pytest.mark.parametrize("assumption", ["none", "unimodal", "r-concave"])
def test_the_assumption_stands_beside_the_number(run, assumption) -> None:
    text = repr(run.selection(max_false=1, assumption=assumption).control)
    assert "exchangeable" in text
    for name in ("unimodal", "r-concave"):
        assert (f"{name} distribution" in text) == (assumption == name)


@pytest.mark.parametrize("goal", [{"fdr": 0.1}, {"max_false": 0.1, "method": "integrated_path"}])
def test_an_empty_path_is_no_statement_about_noise(goal: dict[str, object]) -> None:
    """A third of the features is far ahead of all others in every half, and none is selected."""
    rng = np.random.default_rng(0)
    scores = np.abs(rng.normal(size=(100, 60))) / 14
    scores[:, :20] = 0.83 + rng.normal(size=(100, 20)) * 0.03
    found = control_errors(scores, **goal)
    assert not found.selected
    said = found.sentences[0]
    assert "noise" not in said
    assert "q-value is 1, of x" in said or "expected false selections is 60, of x" in said
    assert "it can select none however strongly they are related" in said
    assert "More rows" not in said


def test_resamples_and_pairs_that_tell_nothing() -> None:
    how = {"filter": "fit_criterion", "n_resamples": 4, "random_state": 0}
    result = pyfsagg.wam(*table(), **how)
    without = pyfsagg.wam(*table(), **how, checks="none")
    again, method = (
        r"'bootstrap'; run it again with .*complementary_pairs",
        "method must be one of ",
    )
    refused(
        result.selection,
        ((), {"max_false": 1, "method": "stability_selection"}, DataError, again),
        ((), {"max_false": 1, "q": 3}, DataError, again),
        ((), {"fdr": 0.1, "method": "b"}, ParameterError, f"{method}'benjamini_hochberg'"),
    )
    refused(without.to_json, ((), {"max_false": 1}, DataError, again))
    refused(
        control_errors,
        ((np.ones((2, 5)),), {}, DataError, r"at least two pairs .* n_resamples=100"),
        ((np.ones((5, 5)),), {}, DataError, "halves of a pair one after the other"),
    )


def test_limits_and_targets_that_are_refused(run) -> None:
    for options, message in (
        ({"max_false": 1.0, "fdr": 0.1}, "give one of them"),
        ({"max_false": 0.0}, "max_false must be a number above 0"),
        ({"fdr": 1.0}, "fdr must be above 0 and below 1"),
        ({"fdr": 0.1, "method": "stability_selection"}, "'integrated_path'"),
        ({"fdr": 0.1, "q": 3}, "need method='stability_selection'"),
        ({"q": 7}, "q must be at most 6 of 12"),
        ({"q": 3, "threshold": 0.6}, "give one of the two, and the other is found"),
        ({"q": 3, "threshold": 0.4, "max_false": 9}, "threshold must be above"),
        ({"threshold": 0.5}, "threshold must be a number above 0.5"),
        ({"assumption": "normal"}, "'unimodal'"),
        ({"function": "h4"}, "'h3'"),
    ):
        limit = {} if "fdr" in options else {"max_false": 1.0}
        refused(run.selection, ((), limit | options, ParameterError, message))
    for options, error, message in (
        ({"y": None}, DataError, "no target to shuffle; give y"),
        ({"shuffles": -1}, ParameterError, "shuffles"),
        ({"shuffles": 0}, DataError, "cannot be shuffled: shuffles = 0"),
        ({"resampling": GIVEN}, DataError, "it is not known how they were drawn"),
        ({"shuffles": 10**12}, DataError, "12 features with 1,000,000,000,000 shuffled.*fewer"),
    ):
        X, y = table()
        refused(
            pyfsagg.ensemble.permute_target,
            ((X,), {"y": y, "shuffles": 19, **options}, error, message),
        )


@pytest.mark.parametrize("word", ["pfer:1", "fdr:0.1", "best"])
def test_other_words_are_no_threshold(run: pyfsagg.ensemble.EnsembleResult, word: str) -> None:
    with pytest.raises(ParameterError, match="limits on false selections are max_false and fdr"):
        run.select(word)


def test_the_limit_is_kept_with_the_result(
    run: pyfsagg.ensemble.EnsembleResult, tmp_path: Path
) -> None:
    run.save(tmp_path / "kept", max_false=0.5)
    again = pyfsagg.load_result(tmp_path / "kept")
    assert isinstance(again, pyfsagg.ensemble.EnsembleResult)
    assert again._view["max_false"] == 0.5
    assert again.selection(max_false=0.5).control.selected == run.select(max_false=0.5)
    ranking = (tmp_path / "kept" / "ranking.csv").read_text(encoding="utf-8")
    assert "controlled,pair_frequency,expected_false,path_expected_false,q_value" in ranking
    assert "can be selected" in again.summary_text()
    page = again.to_html()
    assert "How many of the selected may be false?" in page
    assert "print(result.selection(max_false=0.5).control)" in page


@pytest.mark.parametrize(("seed", "real", "limit"), [(3, 0, 0.2), (0, 2, 0.5)])
def test_a_selector_may_keep_nothing(seed: int, real: int, limit: float) -> None:
    selector = pyfsagg.ensemble.WithinAggregationSelector("fit_criterion", max_false=limit, **PAIRS)
    kept = selector.fit(*table(seed, real=real)).get_support(indices=True)
    np.testing.assert_array_equal(kept, np.arange(real))


# -- kept with the result -----------------------------------------------------------------------
def test_all_parts_are_kept_with_the_result_and_in_r(tmp_path: Path) -> None:
    # Few rows, and nothing above noise: every part is there.
    result = pyfsagg.bam(
        *table(n=24, real=0), filters=["chi_squared", "spearman"], n_resamples=50, random_state=3
    )
    result.save(tmp_path / "kept")
    again = pyfsagg.load_result(tmp_path / "kept")
    assert isinstance(again, pyfsagg.ensemble.EnsembleResult)
    assert_same_parts(again, result)
    assert "family_wise_p_value" in again.to_frame().columns
    assert "from shuffled targets" in again.to_html()
    held = ensemble_parts(result)
    held["score_matrices"] = list(held["score_matrices"].values())  # R has a list of matrices
    assert_same_parts(ensemble_of(held), result)


def assert_same_parts(one: Any, other: Any) -> None:
    """Every field is there, and the same: a new one is compared without being named here."""
    for field in fields(other):
        left, right = getattr(one, field.name), getattr(other, field.name)
        assert right is not None, field.name
        if is_dataclass(right):
            assert_same_parts(left, right)
        elif isinstance(right, pd.DataFrame):
            pd.testing.assert_frame_equal(left, right)
        elif field.name in ("parameters", "data", "versions"):
            assert left == json.loads(json.dumps(right, default=as_record))
        elif field.name == "score_matrices":
            assert list(left) == list(right)
            for label in right:
                np.testing.assert_array_equal(left[label], right[label])
        else:
            np.testing.assert_array_equal(left, right)
