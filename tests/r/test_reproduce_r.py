"""Statements of the thesis tested in R, and the recursion of RobustRankAggreg in the experiment."""

import numpy as np
import pytest
from r_packages import need

from pyfsagg import load_dataset
from pyfsagg.extending import measure_stability
from pyfsagg_papers import claim_variants, load_published, stuart_finding
from pyfsagg_papers.stuart.rankings import RRA_FIRST_LIST, STUART_FIRST_LIST, FoldRankings, r_ranks
from pyfsagg_papers.tables.experiments import EXPERIMENTS
from pyfsagg_papers.tables.thesis import stability_by_aggregator_information_gain
from pyfsagg_rpy2 import aggregate_ranks
from pyfsagg_rpy2 import statistics as r

pytestmark = pytest.mark.r

need("RobustRankAggreg", "afex", "rstatix")


@pytest.fixture(scope="module")
def forms():
    return claim_variants("thesis").set_index(["id", "test"])["value"]


def test_run_times(forms):
    times = load_published("4.2").astype({"wam_seconds": float, "bam_seconds": float})
    for side, r_side in (("two-sided", "two-sided"), ("one-sided", "greater")):
        for correction, word in ((True, "normal, corrected"), (False, "normal")):
            found = r.wilcoxon(
                times["bam_seconds"], times["wam_seconds"], paired=True, alternative=r_side,
                exact=False, correction=correction,
            )  # fmt: skip
            name = f"signed rank, {side}, {word}, zeros dropped"
            assert forms["bam-slower-p", name] == pytest.approx(found["p"], rel=1e-8)


@pytest.mark.parametrize("classifier", ["logistic_regression", "svm", "naive_bayes"])
def test_repeated_measures(forms, classifier):
    table = load_published("4.3")
    values = table[table["classifier"] == classifier].iloc[:, 2:].to_numpy(dtype=float)
    found = r.rm_anova(values)
    name = f"anova-{classifier.replace('_', '-')}"
    for word, column in (("uncorrected", "p"), ("Greenhouse-Geisser", "p_gg")):
        value = forms[name, f"repeated measures, {word}"]
        assert value == pytest.approx(found[column], rel=1e-6)


def test_pairs_of_aggregators(forms):
    table = load_published("4.5")
    part = table[table["measure"] == "canberra"]
    names = sorted(part["aggregator"].unique())
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    for adjust, word in (("bonferroni", "Bonferroni"), ("holm", "Holm"), ("none", "not adjusted")):
        p = r.pooled_t_tests(part["value"], part["aggregator"], adjust=adjust)
        of = dict(zip(pairs, p, strict=True))
        value = forms["canberra-mean-l2", f"pooled t, {word}"]
        assert value == pytest.approx(of["arithmetic_mean", "l2_norm"], rel=1e-8)
        value = forms["canberra-mean-rra", f"pooled t, {word}"]
        assert value == pytest.approx(of["arithmetic_mean", "rra"], rel=1e-8)


def test_recursion_by_number_of_lists():
    data = load_dataset("ionosphere")
    found = stuart_finding([data], filters=["mrmr"], n_folds=4, list_counts=[10, 100, 400])
    assert found.r["available"]
    assert set(found.r) == {"available", "R", "RobustRankAggreg"}
    wide = found.stability.pivot(index=["n_lists", "measure"], columns="aggregator", values="value")
    few = wide.loc[10]  # the recursion is right: the same ranking as ours
    np.testing.assert_allclose(few["stuart_in_r"], few["stuart"], rtol=1e-12)
    np.testing.assert_allclose(few["stuart_in_r_first_list"], few["stuart"], atol=0.03)
    kinds = found.values.set_index("n_lists")
    total = kinds[["nan", "infinite", "negative", "above_one", "right", "wrong"]].sum(axis=1)
    assert (total == 4 * 33).all()
    assert kinds.loc[10, "right"] == 132
    assert kinds.loc[100, ["nan", "infinite"]].sum() == 0
    assert kinds.loc[100, ["negative", "above_one"]].sum() > 66
    assert kinds.loc[400, "nan"] + kinds.loc[400, "infinite"] == 132
    assert kinds.loc[400, "nan"] > 110
    # The noise of 100 lists agrees in nothing; NaN in the order of the columns agree again.
    noise, ordered = (wide.loc[(n, "spearman"), "stuart_in_r"] for n in (100, 400))
    assert noise < 0.5
    assert ordered > noise + 0.3
    assert wide.loc[(400, "spearman"), "stuart"] > 0.9


def test_places_are_those_in_which_r_returns_names():
    """p-values capped at 1, and the values of the recursion where they are noise, sort as R does."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 12)), np.repeat([0, 1], 45)
    X[:, 0] += y
    task = FoldRankings.set_up(
        X, y, "mrmr", filter_params={}, geometric_mean={"shift": "minimum"}, n_folds=3,
        counts=[80], random_state=0, recursion=True,
    )  # fmt: skip
    matrix = task.plan.score_fold(1)["mrmr"]
    assert all(len(set(row)) == row.size for row in matrix)  # no ties: names say all
    scores, _ = task.rank(1)
    lists = [[f"x{j}" for j in np.argsort(-row)] for row in matrix]
    for method, name in (("RRA", RRA_FIRST_LIST), ("stuart", STUART_FIRST_LIST)):
        found = aggregate_ranks(lists, method=method)
        assert [f"x{j}" for j in np.argsort(-scores[80, name])] == list(found.index)
    capped = aggregate_ranks(lists, method="RRA")
    assert (capped == 1.0).sum() > 3


def test_a_column_as_r_returns_it_changes_that_column_alone():
    data = load_dataset("ionosphere")
    settings = {**EXPERIMENTS["4.5"].quick, "n_folds": 4, "n_resamples": 100}
    usual, in_r = (
        stability_by_aggregator_information_gain(data.X, data.y, {**settings, **extra}, 5, 2)
        for extra in ({}, {"rank_aggregation": "as R returns it"})
    )
    changed = {row for row, measure in usual if usual[row, measure] != in_r[row, measure]}
    assert changed == {"stuart", "robust_rank_aggregation"}
    assert usual["stuart", "spearman"] > 0.8
    assert in_r["stuart", "spearman"] < 0.4  # noise


def test_rank_of_nan_in_r():
    values = np.array([np.nan, 0.5, np.nan, -np.inf, np.inf, 0.5])
    np.testing.assert_array_equal(r_ranks(values), [5, 2.5, 6, 1, 4, 2.5])
    repeated = np.vstack([r_ranks(np.full(5, np.nan))] * 3)
    assert measure_stability(repeated, "spearman").value == pytest.approx(1.0)
