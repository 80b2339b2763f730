"""Nearly equal features share the votes of one signal: clusters count as one, and a note says so."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.stats import spearmanr

import pyfsagg
from pyfsagg.ensemble import groups as clusters
from pyfsagg.ensemble.data import Checked, Copies
from pyfsagg.ensemble.groups import about_copies, absolute_correlations
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.extending import as_table
from pyfsagg.resampling import Bootstrap


def noisy_copies(sign: int = 1) -> tuple[pd.DataFrame, np.ndarray]:
    """Eight noisy copies of one signal, the odd ones times `sign`, among twenty noise features."""
    rng = np.random.default_rng(0)
    signal = rng.normal(size=150)
    y = (signal + rng.normal(size=150) > 0).astype(int)
    near = [signal + 0.15 * rng.normal(size=150) for _ in range(8)]
    columns = [sign**j * each for j, each in enumerate(near)] + list(rng.normal(size=(20, 150)))
    return pd.DataFrame({f"V{j}": column for j, column in enumerate(columns)}), y


def run(X: pd.DataFrame, y: np.ndarray, **options: object) -> pyfsagg.ensemble.EnsembleResult:
    return pyfsagg.wam(X, y, n_resamples=60, random_state=0, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def split() -> pyfsagg.ensemble.EnsembleResult:
    return run(*noisy_copies())


def with_scores(scores: list[list[float]], *groups: str) -> pyfsagg.ensemble.EnsembleResult:
    """A result with the given scores of each resample; `groups` are clusters of its features a, b, …"""
    matrix = np.array(scores)
    names = tuple("abcdefgh"[: matrix.shape[1]])
    X = np.random.default_rng(0).normal(size=(20, len(names)))
    result = run(pd.DataFrame(X, columns=list(names)), np.arange(20) % 2)
    mean = np.nanmean(matrix, axis=0)
    ranking = pd.Series(-mean).rank().to_numpy()
    copies = Copies("pearson", 0.9, tuple(map(tuple, groups)))
    checked = Checked(copies=copies)
    return replace(result, combined=matrix, scores=mean, ranking=ranking, checked=checked)


def test_eight_copies_count_as_one_and_the_note_says_so(split, tmp_path) -> None:
    found = split.clusters(selection=split.selection(3)).iloc[0]
    assert set(found["members"]) == {f"V{j}" for j in range(8)}
    assert found.name == split.select(1)[0]
    assert found["rank"] == 1
    frame = split.to_frame(split.selection(3))["selection_frequency"]
    assert found["largest_frequency"] == pytest.approx(frame[list(found["members"])].max())
    assert found["frequency"] == 1.0
    assert found["splits_vote"]
    assert "|r| at least 0.9" in found["note"]
    assert "at least one of them in 100%." in found["note"]
    rows = split.clusters(selection=split.selection(3))
    assert sorted(itertools.chain(*rows["members"])) == sorted(split.feature_names)
    alone = rows[rows["size"] == 1]
    np.testing.assert_allclose(alone["frequency"], frame[alone.index], rtol=1e-12)
    note = about_copies(split, 3)
    assert "split the vote" in note
    assert note in " ".join(split.summary_text(n_features_to_select=3).split())
    assert "split the vote" in split.to_html(n_features_to_select=3)
    again = pyfsagg.ensemble.EnsembleResult.load(
        split.save(tmp_path / "run", n_features_to_select=3)
    )
    assert again.checked.copies == split.checked.copies
    assert about_copies(again, 3) == note


def test_no_copies_no_note(split: pyfsagg.ensemble.EnsembleResult) -> None:
    X, y = noisy_copies()
    result = run(X.iloc[:, 7:], y)
    assert result.checked.copies == Copies("pearson", 0.9, ())
    assert about_copies(result, result.selection().compared) == ""
    assert not result.clusters()["splits_vote"].any()
    assert "copies" not in result.summary_text()
    # Nor where there is room for all copies.
    assert about_copies(split, 8) == ""
    assert split.clusters(selection=split.selection(8))["size"].iloc[0] == 8


def test_a_flipped_sign_is_a_copy_and_the_order_of_columns_does_not_matter() -> None:
    X, y = noisy_copies(sign=-1)
    result = run(X, y)
    other = run(X.iloc[:, np.random.default_rng(1).permutation(28)], y)
    assert result.checked.copies == other.checked.copies
    one, two = (
        result.clusters(selection=result.selection(3)),
        other.clusters(selection=other.selection(3)),
    )
    assert one["size"].iloc[0] == 8
    pd.testing.assert_frame_equal(one.loc[one["size"] > 1], two.loc[two["size"] > 1])
    pd.testing.assert_frame_equal(one.sort_index(), two.sort_index())


@pytest.mark.parametrize("threshold", [1, 2, 3, 4, 5])
def test_ties_count_with_the_share_of_their_orders(threshold: int) -> None:
    scores = [
        [9.0, 1.0, 1.0, 1.0, 0.0, 0.5],
        [2.0, 2.0, 0.0, 2.0, 2.0, 1.0],
        [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
        [5.0, 0.0, 7.0, 0.0, 3.0, 3.0],
    ]
    result = with_scores(scores, "bcd", "ae")
    found = result.clusters(selection=result.selection(threshold))
    for members in ("bcd", "ae", "f"):
        chosen = ["abcdef".index(name) for name in members]
        expected = []
        for row in scores:
            picked = [
                set(sorted(range(6), key=lambda j: (-row[j], order[j]))[:threshold])
                for order in itertools.permutations(range(6))
            ]
            expected.append(np.mean([bool(each & set(chosen)) for each in picked]))
        (row_of,) = (r for _, r in found.iterrows() if set(r["members"]) == set(members))
        assert row_of["frequency"] == pytest.approx(np.mean(expected), abs=1e-12)


def test_what_counts_as_a_cluster() -> None:
    nan = np.nan
    result = with_scores([[3.0, 2.0, 1.0, 0.0], [nan, nan, 1.0, 0.0], [nan, 0.0, 1.0, 2.0]], "ab")
    row = result.clusters(selection=result.selection(1)).loc["a"]
    assert row["frequency"] == 0.5  # of the first and the third resample
    assert row["largest_frequency"] == 1.0  # a: of the first
    # A chain a - b - c - d is cut: single linkage would make it one.
    matrix = np.eye(4)
    for i, j in ((0, 1), (1, 2), (2, 3)):
        matrix[i, j] = matrix[j, i] = 0.95
    result = with_scores([[4.0, 3.0, 2.0, 1.0]])
    found = result.clusters(similarity=matrix)
    assert sorted(found["size"]) == [2, 2]
    place = {name: j for j, name in enumerate(result.feature_names)}
    for members in found["members"]:
        for one, two in itertools.combinations(members, 2):
            assert matrix[place[one], place[two]] >= 0.9


def test_correlations_are_those_of_the_rows_known_in_both_and_weighted() -> None:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(size=(40, 4)), columns=list("abcd")).round(1)
    X["d"] = X["a"] + 0.3 * X["b"]
    complete = absolute_correlations(as_table(X))
    np.testing.assert_allclose(complete, X.corr().abs(), atol=1e-11)
    ranks = absolute_correlations(as_table(X), "spearman")
    np.testing.assert_allclose(ranks, np.abs(spearmanr(X).statistic), atol=1e-11)
    X.loc[rng.random(40) < 0.2, "a"] = np.nan
    X.loc[rng.random(40) < 0.2, "b"] = np.nan
    np.testing.assert_allclose(absolute_correlations(as_table(X)), X.corr().abs(), atol=1e-9)
    rng = np.random.default_rng(6)
    X = rng.integers(0, 9, size=(30, 5)) + np.arange(30)[:, np.newaxis] / 3
    weights = rng.integers(0, 4, size=30)
    for similarity in ("pearson", "spearman"):
        one = absolute_correlations(as_table(X), similarity, weights)
        two = absolute_correlations(as_table(np.repeat(X, weights, axis=0)), similarity)
        np.testing.assert_allclose(one, two, atol=1e-11)
    y = np.arange(30) % 2
    weighted = run(X, y, resampling=Bootstrap(counts=weights))
    repeated = run(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.checked.copies == repeated.checked.copies


def test_what_has_no_correlation_stays_alone() -> None:
    rng = np.random.default_rng(7)
    value = rng.normal(size=60)
    X = pd.DataFrame({"value": value, "copy": value * 1e200, "constant": 3.0, "zero": 0.0})
    X["word"] = X["same word"] = np.where(value > 0, "high", "low")
    X["rare"], X["flag"] = np.where(np.arange(60) < 25, value, np.nan), value > 0
    y = (value > 0).astype(int)
    assert run(X, y).checked.copies == Copies("pearson", 0.9, (("copy", "value"),))
    X["known"] = np.where(np.arange(60) < 30, value, np.nan)
    assert run(X, y).checked.copies == Copies("pearson", 0.9, (("copy", "known", "value"),))
    result = run(X.drop(columns=["constant", "zero"]), y)
    assert result.clusters()["size"].sum() == 7


def test_the_similarity_and_its_limit_can_be_chosen(split: pyfsagg.ensemble.EnsembleResult) -> None:
    X, _ = noisy_copies()
    pd.testing.assert_frame_equal(split.clusters(X), split.clusters())
    assert (split.clusters(X, min_similarity=1.0)["size"] == 1).all()
    assert (split.clusters(np.exp(5 * X), similarity="spearman")["size"] == 8).sum() == 1
    assert not (split.clusters(np.exp(5 * X))["size"] == 8).any()
    usual = split.clusters()
    pd.testing.assert_frame_equal(split.clusters(X.iloc[:, ::-1].assign(more=0.0)), usual)
    by_matrix = split.clusters(similarity=X.corr().abs().clip(upper=1.0))
    assert by_matrix["members"].tolist() == usual["members"].tolist()


@pytest.mark.parametrize("first", [0, "0", "V0"])
def test_nominal_columns_are_those_of_the_run(first: int | str) -> None:
    X, y = noisy_copies()
    X = X.round().rename(columns={"V0": first})
    task = pyfsagg.Task(nominal=[first, 1])
    result = run(X, y, task=task)
    assert (result.clusters(X, min_similarity=0.5)["size"] == 6).sum() == 1
    pd.testing.assert_frame_equal(result.clusters(X), result.clusters())


def test_what_is_not_looked_at_or_refused(split, monkeypatch) -> None:
    X, y = noisy_copies()
    for table, options, error, message in (
        (X.drop(columns="V3"), {}, DataError, "no column 'V3'"),
        (None, {"min_similarity": 0.8}, ParameterError, "give X"),
        (X, {"similarity": np.eye(28)}, ParameterError, "leave out X"),
        (None, {"similarity": np.eye(3)}, DataError, "has 3 features"),
        (X, {"similarity": "kendall"}, ParameterError, "similarity"),
        (X, {"min_similarity": 0.0}, ParameterError, "min_similarity"),
        (None, {"selection": 3}, InputTypeError, "selection must be a selection"),
        (scipy.sparse.csr_array(X.to_numpy()), {}, InputTypeError, "sparse"),
    ):
        with pytest.raises(error, match=message):
            split.clusters(table, **options)
    counts = scipy.sparse.csr_array(np.random.default_rng(0).poisson(0.5, size=(150, 6)))
    sparse = run(counts, y)  # type: ignore[arg-type]
    assert sparse.checked.copies is None
    assert about_copies(sparse, sparse.selection().compared) == ""
    with pytest.raises(DataError, match="did not look for copies"):
        sparse.clusters()
    for limit, value in (("MOST_FEATURES", 27), ("MOST_PRODUCTS", 150 * 28**2 - 1)):
        with monkeypatch.context() as limited:
            limited.setattr(clusters, limit, value)
            assert run(X, y).checked.copies is None
