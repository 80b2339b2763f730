"""Limits on false selections of a run: what is selected, what is said, and what is refused."""

import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg._base.fields import as_record
from pyfsagg.ensemble.selection import Limit, read_wish
from pyfsagg.error_control import control_errors, e_bh, pfer_bound, stability_e_values
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.for_r._answers import ensemble_of, ensemble_parts


def table(seed: int = 0, n: int = 80, p: int = 12, real: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :real] += 2.5 * y[:, np.newaxis]
    return X, y


GROUPED = pyfsagg.resampling.GroupedBootstrap(np.arange(80) // 2)
PAIRS: dict[str, Any] = {"resampling": "pairs", "n_resamples": 60, "random_state": 0}


@pytest.fixture(scope="module")
def run() -> pyfsagg.EnsembleResult:
    return pyfsagg.wam(*table(), filter="fit_criterion", **PAIRS)


@pytest.fixture(scope="module")
def noise() -> pyfsagg.EnsembleResult:
    return pyfsagg.wam(*table(3, real=0), filter="fit_criterion", **PAIRS)


def test_a_limit_finds_what_is_real_and_may_be_a_word(run: pyfsagg.EnsembleResult) -> None:
    found = run.error_control(max_false=0.5)
    assert set(found.selected) == {"x0", "x1"}
    assert found.bound <= 0.5
    assert found.bound == pfer_bound(found.q, 12, found.threshold, n_pairs=30)
    frame = found.to_frame()
    assert frame.index[:2].isin(["x0", "x1"]).all()
    np.testing.assert_array_equal(frame["controlled"], frame["pair_frequency"] >= 0.75)
    assert (np.diff(frame["expected_false"]) >= 0).all()
    assert run.select("pfer:0.5") == run.error_control(max_false=0.5).selected
    np.testing.assert_array_equal(run.get_support(fdr=0.3), run.error_control(fdr=0.3).support)
    assert read_wish("fdr:0.1") == read_wish(fdr=0.1) == Limit("fdr", 0.1)
    assert "not a bound" in run.error_control(fdr=0.2).sentences[-1]
    e_values = run.error_control(fdr=0.2, method="e_values", assumption="r-concave")
    assert "no bound" not in repr(e_values)


def test_nothing_can_be_selected_from_noise(noise: pyfsagg.EnsembleResult) -> None:
    found = noise.error_control(max_false=0.2)
    assert found.selected == []
    assert not found.support.any()
    assert "no feature can be selected: the most frequent one" in found.sentences[0]
    assert found.sentences[0].endswith("does not say that no feature is related to the target.")
    assert noise.select("pfer:0.2") == []
    impossible = noise.error_control(max_false=1e-9)
    assert (impossible.q, impossible.threshold) == (0, np.inf)
    assert "not even one feature that every half puts first" in impossible.sentences[0]
    assert impossible.record()["threshold"] is None
    text = " ".join(noise.summary_text(n_features_to_select=3).split())
    assert "even from noise: by chance a feature is among the best 3 in 25% of resamples" in text
    page = noise.to_html()
    assert "By chance alone a feature is" in page
    assert "How many of the selected may be false?" not in page


def test_a_small_limit_and_the_order_of_columns(run: pyfsagg.EnsembleResult) -> None:
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
    text = repr(run.error_control(assumption=assumption))
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


def test_e_values_that_no_data_could_make_large_enough_are_refused() -> None:
    rng = np.random.default_rng(0)
    perfect = rng.normal(size=(100, 60))
    for k in (1, 3, 10, 20):
        scores = perfect + 50.0 * (np.arange(60) < k)
        assert not e_bh(stability_e_values(scores, 0.1), 0.1).any()
    message = "can select none of 60 features at fdr=0.1 with 50 pairs, whatever the data"
    with pytest.raises(ParameterError, match=message):
        control_errors(perfect, fdr=0.1, method="e_values")
    many = control_errors(rng.normal(size=(100, 200)), fdr=0.1, method="e_values")
    assert "no e-value is large enough" in many.sentences[0]
    few = rng.normal(size=(100, 200)) + 50.0 * (np.arange(200) < 5)
    assert control_errors(few, fdr=0.1, method="e_values").support.sum() == 5


def test_resamples_and_pairs_that_tell_nothing() -> None:
    result = pyfsagg.wam(*table(), filter="fit_criterion", n_resamples=4, random_state=0)
    for call in (result.error_control, lambda: result.to_frame(max_false=1)):
        with pytest.raises(
            DataError, match=r"'bootstrap'; run it again with .*complementary_pairs"
        ):
            call()
    with pytest.raises(DataError, match=r"at least two pairs .* n_resamples=100"):
        control_errors(np.ones((2, 5)))
    with pytest.raises(DataError, match="halves of a pair one after the other"):
        control_errors(np.ones((5, 5)))


def test_limits_and_targets_that_are_refused(run) -> None:
    for options, message in (
        ({"max_false": 1.0, "fdr": 0.1}, "give one of them"),
        ({"max_false": 0.0}, "max_false must be a number above 0"),
        ({"fdr": 1.0}, "fdr must be above 0 and below 1"),
        ({"fdr": 0.1, "method": "stability_selection"}, "'e_values'"),
        ({"fdr": 0.1, "q": 3}, "need method='stability_selection'"),
        ({"q": 7}, "q must be at most 6 of 12"),
        ({"q": 3, "threshold": 0.6}, "give one of the two, and the other is found"),
        ({"q": 3, "threshold": 0.4, "max_false": 9}, "threshold must be above"),
        ({"threshold": 0.5}, "threshold must be a number above 0.5"),
        ({"assumption": "normal"}, "'unimodal'"),
        ({"function": "h4"}, "'h3'"),
    ):
        with pytest.raises(ParameterError, match=message):
            run.error_control(**options)  # type: ignore[arg-type]
    for options, error, message in (
        ({"y": None}, DataError, "no target to shuffle; give y"),
        ({"n_permutations": 0}, ParameterError, "n_permutations"),
        ({"method": "mean"}, ParameterError, "'bam'"),
        (
            {"resampling": GROUPED},
            ParameterError,
            "take them for single rows would be far too small",
        ),
        ({"resampling": "pairs", "n_resamples": 3}, ParameterError, "must be a multiple of 2"),
    ):
        X, y = table()
        given = {"y": y, "n_resamples": 2, "n_permutations": 2, **options}
        with pytest.raises(error, match=message):
            pyfsagg.permute_target(X, **given)  # type: ignore[arg-type]
    few = replace(PERMUTED, permutation_resamples=1)
    with pytest.raises(DataError, match=r"the first 1 resamples .* raise permutation_re"):
        pyfsagg.wam(*table(), resampling="feature_subspace", n_resamples=30, checks=few)
    how = {"filter": "chi_squared", "n_permutations": 10**12, "n_resamples": 2, "random_state": 0}
    message = r"12 features with 1,000,000,000,000 shuffled targets.*permutations"
    with pytest.raises(DataError, match=message):
        pyfsagg.permute_target(*table(), **how)


@pytest.mark.parametrize("word", ["pfer", "pfer:", "pfer:many", "fwer:0.05", "best"])
def test_other_words_are_no_threshold(run: pyfsagg.EnsembleResult, word: str) -> None:
    with pytest.raises(ParameterError, match="'pfer:1'"):
        run.select(word)


def test_the_limit_is_kept_with_the_result(run: pyfsagg.EnsembleResult, tmp_path: Path) -> None:
    run.save(tmp_path / "kept", max_false=0.5)
    again = pyfsagg.load_result(tmp_path / "kept")
    assert isinstance(again, pyfsagg.EnsembleResult)
    assert again._view["max_false"] == 0.5
    assert again.error_control(max_false=0.5).selected == run.select("pfer:0.5")
    ranking = (tmp_path / "kept" / "ranking.csv").read_text(encoding="utf-8")
    assert "controlled,pair_frequency,expected_false,path_expected_false,q_value" in ranking
    assert "can be selected" in again.summary_text()
    page = again.to_html()
    assert "How many of the selected may be false?" in page
    assert "print(result.error_control(max_false=0.5))" in page


@pytest.mark.parametrize(("seed", "real", "limit"), [(3, 0, 0.2), (0, 2, 0.5)])
def test_a_selector_may_keep_nothing(seed: int, real: int, limit: float) -> None:
    selector = pyfsagg.WithinAggregationSelector("fit_criterion", max_false=limit, **PAIRS)
    kept = selector.fit(*table(seed, real=real)).get_support(indices=True)
    np.testing.assert_array_equal(kept, np.arange(real))


# -- shuffled targets -----------------------------------------------------------------------------
def test_shuffled_targets_find_what_is_real_and_no_zeros() -> None:
    how = {"filter": "fit_criterion", "n_resamples": 3, "n_permutations": 59, "random_state": 1}
    found, again = (pyfsagg.permute_target(*table(), **how) for _ in range(2))
    assert set(found.select(0.05)) == {"x0", "x1"}
    assert found.strong
    assert (found.family_wise_p_values >= found.p_values - 1e-12).all()
    np.testing.assert_array_equal(found.p_values, again.p_values)
    how = {"n_permutations": 19, "n_resamples": 2, "random_state": 0}
    found = pyfsagg.permute_target(*table(3, real=0), **how)
    assert (found.scores == 0).sum() >= 6
    for p_values in (found.p_values, found.family_wise_p_values):
        np.testing.assert_array_equal(p_values[found.scores == 0], 1.0)


@pytest.mark.parametrize(
    "options",
    [
        {"filter": "mrmr"},
        {"filter": "fit_criterion", "aggregator": "mean_rank"},
        {"method": "bam", "filters": ["fit_criterion", "chi_squared"]},
    ],
)
def test_scores_that_depend_on_other_features_control_in_the_weak_sense(options) -> None:
    found = pyfsagg.permute_target(
        *table(), n_permutations=2, n_resamples=2, random_state=0, **options
    )
    assert not found.strong
    assert "a selection says that some are" in found.sentences[2]


def test_no_selection_by_the_largest_score_is_no_statement_about_chance() -> None:
    """A binary feature with the smallest possible p-value is hidden by noise of 25 levels."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    related = rng.random(200) < 0.5 + 0.36 * (y - 0.5)
    X = pd.DataFrame(np.column_stack([related, rng.integers(0, 25, (200, 3))]))
    how = {"filter": "chi_squared", "n_permutations": 39, "n_resamples": 5, "random_state": 0}
    found = pyfsagg.permute_target(X.astype("category").add_prefix("x"), y, **how)
    assert found.p_values[0] == 1 / 40
    assert found.select() == []
    assert "No feature scores above the largest scores with shuffled targets" in found.sentences[0]
    assert "chance" not in repr(found)
    assert "1 of 4 have a p-value of at most 0.05" in found.sentences[1]


PERMUTED = pyfsagg.Checks(null="permutation", n_permutations=19, permutation_resamples=4)


@pytest.fixture(scope="module")
def permuted() -> pyfsagg.EnsembleResult:
    return pyfsagg.bam(*table(), n_resamples=50, checks=PERMUTED, random_state=3)


@pytest.mark.parametrize("m", [16, 2])  # more resamples than the permuted targets have, and fewer
@pytest.mark.parametrize("method", ["wam", "bam"])
def test_a_run_has_the_p_values_of_permute_target(m: int, method: str) -> None:
    run = getattr(pyfsagg, method)
    found = run(*table(), n_resamples=m, checks=PERMUTED, random_state=3)
    how = {"n_permutations": 19, "n_resamples": 4, "random_state": 3}
    alone = pyfsagg.permute_target(*table(), method=method, **how)
    assert found.permutation is not None
    assert found.permutation.to_json() == alone.to_json()
    np.testing.assert_array_equal(found.permutation.p_values, alone.p_values)
    without = run(*table(), n_resamples=m, checks="none", random_state=3)
    np.testing.assert_array_equal(found.scores, without.scores)


@pytest.mark.parametrize(("m", "scored"), [(16, 16 + 19 * 4), (2, 2 + 2 + 19 * 4)])
def test_no_resample_is_scored_twice_for_p_values(m: int, scored: int) -> None:
    done: list[tuple[int, int]] = []
    rows: list[int] = []

    def count(X: Any, y: Any, sample_weight: Any) -> Any:
        rows.append(len(y))
        return np.abs(np.average(X, axis=0, weights=sample_weight))

    pyfsagg.wam(
        *table(), filter=count, n_resamples=m, random_state=3,
        checks=replace(PERMUTED, pairs=0, shuffles=0),
        execution=pyfsagg.Execution(progress=lambda *told: done.append(told)),
    )  # fmt: skip
    assert done[-1] == (scored, scored)
    assert len(rows) == scored


def test_p_values_are_kept_with_the_result_and_in_r(tmp_path, permuted) -> None:
    permuted.save(tmp_path / "kept")
    again = pyfsagg.load_result(tmp_path / "kept")
    assert isinstance(again, pyfsagg.EnsembleResult)
    assert_same_parts(again, permuted)
    assert "family_wise_p_value" in again.to_frame().columns
    assert "against shuffled targets" in again.to_html()
    assert "null='permutation'" in again.repeat()
    held = ensemble_parts(permuted)
    held["score_matrices"] = list(held["score_matrices"].values())  # R has a list of matrices
    assert_same_parts(ensemble_of(held), permuted)


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
