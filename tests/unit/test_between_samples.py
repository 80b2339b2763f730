"""Stability between samples: what pairs of disjoint samples say, and how a run gets them."""

import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import spearmanr
from scipy.stats import t as student

import pyfsagg
from pyfsagg import Checks, Execution, resampling
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures import between_sample_stability

WINE = pyfsagg.load_dataset("wine")
P = 9


def scores(seed: int, ties: bool = False, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(2, n, P)) + np.linspace(2.0, 0.0, P)
    if ties:
        drawn = np.maximum(np.round(drawn), 0.0)
    return drawn[0], drawn[1]


def expected_common(a: np.ndarray, b: np.ndarray, k: int) -> float:
    """Mean size of the intersection over all orders of ties, by enumeration of the sets."""

    def sets(row: np.ndarray) -> list[set[int]]:
        edge = np.sort(row)[::-1][k - 1]
        sure = set(np.flatnonzero(row > edge))
        tied = np.flatnonzero(row == edge)
        return [sure | set(some) for some in itertools.combinations(tied, k - len(sure))]

    return float(np.mean([len(x & y) for x in sets(a) for y in sets(b)]))


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_measures_of_a_pair(ties: bool, k: int) -> None:
    first, second = scores(3, ties)
    found = between_sample_stability(first, second, n_features_to_select=k)
    for j in range(len(first)):
        common = expected_common(first[j], second[j], k)
        chance = k * k / P
        assert found.pairs["nogueira"][j] == pytest.approx((common - chance) / (k - chance))
        rho = spearmanr(first[j], second[j]).statistic
        assert found.pairs["spearman"][j] == pytest.approx(rho)
        assert found.pairs["pearson"][j] == pytest.approx(np.corrcoef(first[j], second[j])[0, 1])
    assert found.estimates["estimate"].to_dict() == pytest.approx(found.pairs.mean().to_dict())


def test_the_interval_is_the_one_of_the_notes() -> None:
    first, second = scores(5, n=12)
    found = between_sample_stability(first, second, confidence_level=0.9)
    values = found.pairs["spearman"].to_numpy()
    mean = values.mean()
    added = (1.0 - abs(mean)) / 2.0
    # Eleven degrees of freedom of the pairs, and two pairs above and below the mean.
    spread = (((values - mean) ** 2).sum() + 2 * added**2) / 13.0
    half = student.ppf(0.95, 11) * np.sqrt(spread * (1.0 + 1.0 / 12.0))
    row = found.estimates.loc["spearman"]
    assert (row["lower"], row["upper"]) == pytest.approx((mean - half, min(mean + half, 1.0)))


def test_rankings_that_agree_or_say_nothing_or_are_refused() -> None:
    first, _ = scores(1, n=8)
    same = between_sample_stability(first, first).estimates
    assert same["estimate"].to_numpy() == pytest.approx(1.0)
    assert (same["lower"] < 1.0).all()  # eight pairs that agree do not prove that all do
    assert (same["upper"] == 1.0).all()
    nothing = between_sample_stability(np.zeros((6, P)), first[:6]).estimates
    assert nothing["estimate"].tolist() == [0.0, 0.0, 0.0]
    assert (nothing["lower"] < 0).all()
    everything = between_sample_stability(first, first, n_features_to_select=P).estimates
    assert np.isnan(everything.loc["nogueira"]).all()
    few = between_sample_stability(first[:4], first[4:]).estimates
    assert few["estimate"].notna().all()
    assert few["lower"].isna().all()
    for options, message in (
        ({"first": np.zeros((3, 4)), "second": np.zeros((3, 5))}, "got the shapes"),
        ({"first": np.where(np.eye(3, 4) > 0, np.nan, 1.0)}, "missing scores"),
        ({"confidence_level": 1.0}, "level"),
        ({"confidence_level": 0.0}, "level"),
        ({"n_features_to_select": 50}, "n_features_to_select"),
        ({"n_rows": 0}, "n_rows"),
    ):
        given = {"first": np.eye(3, 4), "second": np.eye(3, 4), **options}
        with pytest.raises((DataError, ParameterError), match=message):
            between_sample_stability(**given)


# -- beside a run ---------------------------------------------------------------------------------
OPTIONS = {"filter": "cs", "n_resamples": 48, "random_state": 3}


def ranked(X: Any = WINE.X, y: Any = WINE.y, **options: Any) -> pyfsagg.ensemble.EnsembleResult:
    return pyfsagg.wam(X, y, **{**OPTIONS, **options})


@pytest.fixture(scope="module")
def run() -> pyfsagg.ensemble.EnsembleResult:
    return ranked()


def test_the_halves_of_a_run_are_those_of_the_plan(run: pyfsagg.ensemble.EnsembleResult) -> None:
    plan = ranked(n_resamples=12, resampling="complementary_pairs")
    np.testing.assert_array_equal(run.checked.halves, plan.combined)
    assert plan.checked.halves is None
    assert run.parameters["pairs"] == {"n_pairs": 6, "rows_in_a_half": 88}
    found, same = (one.between_sample_stability(one.selection(4)) for one in (run, plan))
    pd.testing.assert_frame_equal(found.estimates, same.estimates)
    assert (found.n_pairs, found.n_features_to_select, found.n_rows) == (6, 4, 88)


def test_pairs_leave_the_ranking_alone_and_can_be_turned_off(
    run: pyfsagg.ensemble.EnsembleResult,
) -> None:
    without = ranked(checks=Checks(pairs=0))
    np.testing.assert_array_equal(run.scores, without.scores)
    assert without.checked.halves is None
    with pytest.raises(DataError, match=r"give checks=pyfsagg.Checks\(pairs=30\), or 8 resamples"):
        without.between_sample_stability()
    assert ranked(checks=Checks(pairs=9)).checked.halves.shape == (18, 13)
    text = without.summary_text(n_features_to_select=0.25)
    assert "Unknown: the run has no pairs" in " ".join(text.split())
    X = np.random.default_rng(0).normal(size=(9, 4))  # which cannot be halved
    result = ranked(X, [0, 0, 0, 0, 0, 0, 0, 0, 1], resampling="stratified", n_resamples=16)
    with pytest.raises(DataError, match="fewer than two classes"):
        result.between_sample_stability()


def test_a_bam_run_a_number_and_a_sparse_table_have_pairs() -> None:
    bam = pyfsagg.bam(WINE.X, WINE.y, filters=["ig", "cs"], n_resamples=40, random_state=0)
    assert bam.checked.halves.shape == (10, 13)
    assert (
        bam.between_sample_stability(bam.selection(5)).estimates["estimate"].between(0.5, 1.0).all()
    )
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    number = ranked(X, X[:, 0] + rng.normal(size=60), filter="pearson", task="regression")
    assert number.between_sample_stability().n_rows == 30
    dense, sparse = (ranked(of(WINE.X.to_numpy())) for of in (np.asarray, csr_matrix))
    np.testing.assert_array_equal(sparse.checked.halves, dense.checked.halves)


def test_pairs_keep_groups_together_and_know_their_numbers() -> None:
    groups = np.arange(178) // 2
    seen = []

    def watch(X, y, sample_weight):
        seen.append(np.asarray(sample_weight))
        return np.var(np.asarray(X), axis=0)

    ranked(filter=watch, resampling=resampling.GroupedBootstrap(groups), n_resamples=8)
    first, second = seen[-2:]
    assert set(groups[first > 0]).isdisjoint(groups[second > 0])
    assert resampling.ComplementaryPairs.pairs(5).tolist() == [[0, 1], [2, 3]]
    assert resampling.ComplementaryPairs.pairs(0).shape == (0, 2)


def test_the_halves_are_kept_and_shown(run: pyfsagg.ensemble.EnsembleResult, tmp_path) -> None:
    run.save(tmp_path / "run")
    np.testing.assert_array_equal(
        pyfsagg.load_result(tmp_path / "run").checked.halves, run.checked.halves
    )
    document = json.loads((tmp_path / "run" / "run.json").read_text())
    found = run.between_sample_stability()
    assert document["between_sample_stability"] == found.record() == json.loads(found.to_json())
    text = run.summary_text(n_features_to_select=0.25)
    assert text.index("would agree on") < text.index("Agreement of the resamples")
    page = run.to_html()
    question = page.index("Would another sample give the same selection?")
    assert question < page.index("Agreement of the resamples")
    assert "take for evidence" not in page
    assert "take for evidence" in ranked(filter="ig", n_resamples=8).to_html()
    for _ in range(2):
        kept = ranked(execution=Execution(checkpoint=tmp_path / "kept"))
        np.testing.assert_array_equal(kept.checked.halves, run.checked.halves)


@pytest.mark.parametrize("threshold", [4, 12])
def test_the_sentence_says_what_0_is_and_for_how_many_features(run, threshold) -> None:
    chosen = "The number of features was chosen from the rows of both samples"
    little = "With 12 of 13 features selected, it depends only on the 1 not selected"
    for said in (
        " ".join(run.summary_text(n_features_to_select=threshold).split()),
        run.to_html(n_features_to_select=threshold),
    ):
        assert "the agreement of two samples with shuffled targets" in said
        assert f"the best {threshold} features" in said
        assert chosen not in said
        assert (little in said) == (threshold == 12)
