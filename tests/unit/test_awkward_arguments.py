"""What is refused in one sentence, and was Python's or NumPy's own error before."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from command_line import words

import pyfsagg
from pyfsagg._command.flags import assignments
from pyfsagg.aggregation import compare_aggregations, permutation_p_values
from pyfsagg.cli import main
from pyfsagg.error_control import control_errors
from pyfsagg.exceptions import OutputError, ParameterError, PyfsaggError
from pyfsagg.extending import as_table
from pyfsagg.rank_order import make_planted_orders
from pyfsagg.rank_order.distances import kendall_distance
from pyfsagg.rank_order.naive_bayes import naive_bayes_accuracy
from pyfsagg.statistics import (
    adjust_p_values,
    bayesian_t_tests,
    friedman,
    one_way_anova,
    pairwise_tests,
    rank_biserial_paired,
    rank_biserial_unpaired,
    rank_confidence,
    sphericity_test,
    wilcoxon,
    win_tie_loss,
)
from pyfsagg.statistics.effect_sizes import noncentral_f_interval, noncentral_t_interval
from pyfsagg.unsupervised import frcm, laplacian_score, svd_entropy
from pyfsagg.unsupervised.clusterings import consensus_matrix
from pyfsagg.unsupervised.rankings import correlation_ratio

WINE = pyfsagg.load_dataset("wine")
QUICK = {"filter": "chi_squared", "n_resamples": 4, "random_state": 0}
NOTHING = np.empty(0)
DAYS = np.arange(2).astype("datetime64[D]")
RAGGED = [[1, 2], [3]]
WAVES = np.array([1, 2, 3, 4]) + 1j
BOX = np.zeros((4, 3))
HALF = np.array(["a", "\udcff"] * 4, dtype=object)
NAMES = ["a", "b", "\udcff", "d"]
BEYOND = np.array([[10**400, 1], [2, 3], [4, 5]])


def evaluated(**options: Any) -> pyfsagg.evaluation.Evaluation:
    return pyfsagg.evaluate(WINE.X, WINE.y, n_resamples=2, **options)


def ranked(X: Any = WINE.X, y: Any = WINE.y, **options: Any) -> pyfsagg.ensemble.EnsembleResult:
    return pyfsagg.wam(X, y, **{**QUICK, **options})


CALLS = {
    "half a worker": lambda: ranked(n_jobs=0.5),
    "an array for a word": lambda: adjust_p_values([0.1, 0.2], np.zeros(3)),
    "a list for a word": lambda: adjust_p_values([0.1, 0.2], ["holm"]),
    "t without end": lambda: noncentral_t_interval(float("nan"), 4),
    "t of an array": lambda: noncentral_t_interval(np.zeros(3), 4),
    "no degrees of freedom": lambda: noncentral_t_interval(1.0, 0),
    "F below 0": lambda: noncentral_f_interval(-1.0, 2, 3),
    "F of text": lambda: noncentral_f_interval("1", 2, 3),
    "no differences": lambda: rank_biserial_paired(NOTHING),
    "infinite differences": lambda: rank_biserial_paired(np.array([1.0, np.inf])),
    "an empty sample": lambda: rank_biserial_unpaired(np.ones(3), NOTHING),
    "texts": lambda: rank_biserial_unpaired(["a"], ["b"]),
    "a seed that is a word": lambda: make_planted_orders(3, 3, random_state="one"),
    "a negative seed of orders": lambda: make_planted_orders(3, 3, random_state=-1),
    "rows of unequal length": lambda: one_way_anova([[1, 2], [3]]),
    "ragged blocks": lambda: friedman([[1, 2, 3], [3, "a"]]),
    "sphericity of one row": lambda: sphericity_test([1.0, 2.0, 3.0]),
    "sphericity of nothing": lambda: sphericity_test(np.ones((5, 3))),
    "orders that are sets": lambda: kendall_distance({1, 2}, {1, 2}),
    "squares without numbers": lambda: svd_entropy(WINE.X * 1e200, standardize="none"),
    "distances without numbers": lambda: laplacian_score(WINE.X * 1e200, standardize="none"),
    "an array for a file": lambda: pyfsagg.datasets.read_table(np.eye(3)),
    "a name that no file has": lambda: pyfsagg.datasets.read_table("a" * 5000),
    "a null character": lambda: pyfsagg.datasets.read_table("a\0b"),
    "half a character": lambda: pyfsagg.aggregate([["a", "\udcff"], ["a", "b"]], "rra"),
    "half a character in a header": lambda: as_table(np.eye(4), feature_names=NAMES),
    "half a character in a class": lambda: ranked(np.arange(8.0)[:, np.newaxis], HALF),
    "half a character in a level": lambda: ranked(
        pd.DataFrame({"a": HALF}, dtype=object), [0, 1] * 4
    ),
    "half a character in a vote": lambda: pyfsagg.vote([["a", "\udcff"], ["a"]], size=1),
    "half a character in a table to check": lambda: pyfsagg.datasets.check_table(
        pd.DataFrame(np.eye(4), columns=pd.Index(NAMES, dtype=object))
    ),
    "a list for options": lambda: ranked(aggregator_params=[1]),
    "a number for methods": lambda: compare_aggregations([["a"], ["a"]], 3),
    "a number beyond floats": lambda: pyfsagg.aggregate(BEYOND, "borda"),
    "many brackets": lambda: assignments(["a=" + "[" * 100_000]),
    "a number for a list": lambda: pyfsagg.Rankings.from_lists([1, 2]),
    "a date for a list": lambda: pyfsagg.Rankings.from_lists(DAYS),
    "a date for an unranked list": lambda: pyfsagg.Rankings.from_lists([["a"]], unranked=DAYS),
    "a number for names": lambda: pyfsagg.Rankings.from_ranks([[1, 2]], names=1.5),
    "a number for names of scores": lambda: pyfsagg.Rankings.from_scores([[1, 2]], names=True),
    "a number for names of estimates": lambda: rank_confidence(
        [1.0, 2.0], standard_errors=[1.0, 1.0], names=3
    ),
    "a number for names of halves": lambda: control_errors(np.eye(4), feature_names=3),
    "a number for names of columns": lambda: as_table(np.eye(4), feature_names=3),
    "ragged universes": lambda: pyfsagg.Rankings.from_ranks([[1], [1]], universe=RAGGED),
    "ragged cut-offs": lambda: pyfsagg.aggregate([["a"], ["a"]], "rra", top_cutoff=RAGGED),
    "complex scores of guides": lambda: pyfsagg.screen(WAVES, ["a", "a", "b", "b"]),
    "complex scores of members": lambda: pyfsagg.Rankings.from_groups(WAVES, list("aabb")),
    "guides beyond floats": lambda: pyfsagg.screen([10**400, 1], ["a", "b"]),
    "an array for the word auto": lambda: ranked(n_resamples=BOX),
    "an array for the word auto of pairs": lambda: pyfsagg.Checks(BOX),
    "an array for the word auto of checks": lambda: ranked(checks=BOX),
    "an array for the word auto of a threshold": lambda: pyfsagg.ensemble.WithinAggregationSelector(
        n_features_to_select=BOX, **QUICK
    ).fit(WINE.X, WINE.y),
    "an array for a depth": lambda: ranked(filter="mrmr", filter_params={"n_features": BOX}),
    "an array for exact": lambda: wilcoxon([1.0, 2.0, 3.0], exact=BOX),
    "an array for a flag": lambda: pyfsagg.stability_measures.pareto_front(
        [0.5], [0.5], higher_is_better=BOX
    ),
    "more workers than there are": lambda: ranked(n_jobs=10**30),
    "more repetitions than fit": lambda: pyfsagg.stability_measures.adequacy(
        np.eye(4), n_boot=10**30
    ),
    "more clusterings than fit": lambda: frcm(WINE.X, n_clusterings=10**30),
    "a function that cannot filter": lambda: ranked(filter=len),
    "a number for aggregators": lambda: pyfsagg.influence(WINE.X, WINE.y, aggregators=1.5),
    "an array for a baseline": lambda: evaluated(baselines=BOX),
    "nothing for thresholds": lambda: evaluated(n_features_to_select=None),
    "a number for metrics": lambda: evaluated(metrics=1),
    "a table of labels": lambda: pyfsagg.datasets.check_table(WINE.X, y=np.zeros((2, 3, 4))),
    "ragged times": lambda: pyfsagg.filters.cox_score(WINE.X, RAGGED),
    "times beyond floats": lambda: pyfsagg.filters.cox_score(np.eye(3), BEYOND),
    "no measures": lambda: pyfsagg.stability(np.eye(3), []),
    "no similarities": lambda: pyfsagg.stability(np.eye(3), similarity=pd.DataFrame()),
    "an array for sizes": lambda: pyfsagg.stability([{0}, {1}], sizes=BOX),
    "one name of two": lambda: pyfsagg.stability([{0}, {1}], names=["a"]),
    "a seed of folds that is a word": lambda: naive_bayes_accuracy(
        np.arange(12).reshape(6, 2), list("aaabbb"), random_state="one"
    ),
    "a list as a source": lambda: permutation_p_values(
        [["a", "b"], ["b", "a"]], "rra", groups=RAGGED
    ),
    "an array for a subject": lambda: friedman(pd.DataFrame(np.eye(4)), subject=BOX),
    "blocks beyond floats": lambda: friedman(BEYOND),
    "labels without order": lambda: consensus_matrix(np.array([[1, "a"], [2, 3]], dtype=object)),
    "ragged labels": lambda: correlation_ratio(WINE.X, RAGGED),
    "a word for decimals": lambda: pairwise_tests(np.eye(4), **T_TESTS["corrected"], decimals="a"),
    "a difference beyond floats": lambda: pairwise_tests(np.array([[1.5e308, -1.5e308]] * 4)),
    "a negative seed of a bootstrap": lambda: pyfsagg.stability_measures.adequacy(
        np.eye(4), random_state=-1
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_refused_in_one_sentence(case: str) -> None:
    with pytest.raises(PyfsaggError) as refused:
        CALLS[case]()
    assert "\n" not in str(refused.value)


FOLDS = np.array([[6.0, 8, 13], [8, 12, 9], [4, 9, 11], [5, 11, 8], [7, 9, 12]])
T_TESTS = {
    "paired": {},
    "corrected": {"test": "corrected_t", "test_train_ratio": 0.25},
    "pooled": {"paired": False},
    "Welch": {"paired": False, "pooled": False},
    "signed ranks": {"test": "wilcoxon"},
    "rank sums": {"paired": False, "test": "wilcoxon"},
}


@pytest.mark.parametrize("exponent", [-1050, -600, 600, 1020])
@pytest.mark.parametrize("test", T_TESTS)
def test_tests_of_pairs_know_no_size(test: str, exponent: int) -> None:
    usual = pairwise_tests(FOLDS, **T_TESTS[test]).to_frame()
    found = pairwise_tests(np.ldexp(FOLDS, exponent), **T_TESTS[test]).to_frame()
    same = ["statistic", "p", "effect_size", "effect_lower", "effect_upper"]
    pd.testing.assert_frame_equal(found[same], usual[same], check_exact=True)
    with np.errstate(over="ignore"):
        shifts = np.ldexp(usual[["estimate", "lower", "upper"]].to_numpy(), exponent)
    np.testing.assert_array_equal(found[["estimate", "lower", "upper"]], shifts)


@pytest.mark.parametrize("exponent", [-1000, 600, 1020])
def test_a_posterior_and_an_analysis_of_variance_know_no_size(exponent: int) -> None:
    def computed(exponent: int) -> tuple[list[float], pd.DataFrame]:
        data, rope = np.ldexp(FOLDS, exponent), float(np.ldexp(0.5, exponent))
        frame = bayesian_t_tests(data, rope=rope, test_train_ratio=0.25).to_frame()
        anova = one_way_anova(dict(zip("abc", data[:4].T, strict=True)))
        values = [anova.f, anova.p_value, anova.omega_squared]
        return values, frame[["p_below", "p_equivalent", "p_above"]]

    (values, frame), (usual, expected) = computed(exponent), computed(0)
    assert values == usual
    pd.testing.assert_frame_equal(frame, expected, check_exact=True)


def test_huge_values_are_rounded_compared_and_ranked() -> None:
    values = [1e300, 2.25e300, -0.5e300, 4e300]
    assert wilcoxon(values, decimals=300).estimate == wilcoxon(values).estimate
    found = win_tie_loss(np.array([[1.5e308, -1.5e308]] * 4))
    assert found[["wins", "ties", "losses"]].to_numpy().tolist() == [[4, 0, 0]]
    scores = np.random.default_rng(0).normal(size=(9, 4))
    usual, found = (
        pyfsagg.stability_measures.adequacy(
            np.ldexp(scores, size), n_features_to_select=2, random_state=0
        )
        for size in (0, 1021)
    )
    assert found.expected_kendall == usual.expected_kendall
    np.testing.assert_array_equal(found.features["score"], np.ldexp(usual.features["score"], 1021))


@pytest.mark.parametrize("standardize", ["z_score", "min_max"])
@pytest.mark.parametrize("exponent", [-1060, 1010])
def test_standard_scores_know_no_size(standardize: str, exponent: int) -> None:
    values = np.arange(48.0).reshape(12, 4) % 7
    usual, found = (
        svd_entropy(np.ldexp(values, size), standardize=standardize) for size in (0, exponent)
    )
    np.testing.assert_array_equal(found, usual)


def test_strange_and_allowed() -> None:
    found = pyfsagg.stability([[1, 2], [3], [1, 3]], random_state=0)
    assert found.data["n_resamples"] == 3
    y = np.column_stack([np.arange(1.0, 11.0), np.arange(10) % 2])
    X = np.random.default_rng(0).normal(size=(10, 2))
    pyfsagg.datasets.check_table(X, y=y, task="survival")
    one = make_planted_orders(3, 3, n_extraneous=2, random_state=np.random.default_rng(7))
    two = make_planted_orders(3, 3, n_extraneous=2, random_state=7)
    np.testing.assert_array_equal(one.X, two.X)
    usual = ranked(n_jobs=1)
    with joblib.parallel_config("multiprocessing", n_jobs=2):
        found = ranked()
    np.testing.assert_array_equal(found.combined, usual.combined)
    with pytest.raises(ParameterError, match="-1 for all cores, got 0"):
        ranked(n_jobs=0)


def test_a_full_terminal_is_said() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "pyfsagg", "datasets"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_a_saved_run_that_lacks_a_name_is_damaged(tmp_path: Path) -> None:
    folder = ranked().save(tmp_path / "run")
    document = json.loads((folder / "run.json").read_text())
    for names in (document["features"][1:], [*document["features"][:-1], "alcohol"]):
        (folder / "run.json").write_text(json.dumps({**document, "features": names}))
        with pytest.raises(OutputError, match="names of features"):
            pyfsagg.ensemble.EnsembleResult.load(folder)


def test_a_terminal_without_unicode_gets_escapes(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    table = WINE.X.iloc[:, :3].set_axis(["ärger", "b", "c"], axis=1).assign(kind=WINE.y)
    table.to_csv("table.csv", index=False)
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(words("rank table.csv --target kind --filter cs --n-resamples 4 --seed 0")) == 0
    out.flush()
    assert rb"\xe4rger" in out.buffer.getvalue()
