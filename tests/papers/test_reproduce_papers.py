"""The experiments of all papers: printed cells, repetitions, what cannot be checked, statements."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from pyfsagg.datasets import Dataset, load_dataset
from pyfsagg.exceptions import OutputError, ParameterError, UnknownNameError
from pyfsagg.extending import warn
from pyfsagg.filters import spearman
from pyfsagg_papers import (
    Reproduction,
    cells,
    claims,
    load_published,
    readings,
    reproduce_all,
    table,
)
from pyfsagg_papers.all_papers import run
from pyfsagg_papers.all_papers.run import figure_statements
from pyfsagg_papers.orders.genes import genes_left, orders_of_removal, path_of
from pyfsagg_papers.published import printed_cells
from pyfsagg_papers.statements.data import methods_table
from pyfsagg_papers.tables import repetitions
from pyfsagg_papers.tables.experiments import EXPERIMENTS
from pyfsagg_papers.tables.fpcps import (
    AGGREGATORS,
    AS_READ,
    FILTERS,
    auc_on_selected,
    selections,
    tanimoto_of_aggregators,
)
from pyfsagg_papers.tables.repetitions import Options, Repeated
from pyfsagg_papers.tables.thesis import weighted_accuracy

PRINTED = {
    "4.3": 46 * 5,
    "4.4": 12 * 5 * 5,
    "fpcps_1": 5 * 5,
    "fpcps_2": 4 * 9,
    "frcm_2": 4 * 5 * 3,
    "orders_genes": 6,
}
SETTINGS = {**AS_READ, "share": 0.2}


def planted(n: int = 60, p: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that the first four columns tell apart; the last ten are constant."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(n, p)).round(1)
    X[:, :4] += 4.0 * y[:, np.newaxis]
    X[:, -10:] = 0.0
    return X, y


# ------------------------------------------------------------------------------- printed cells
def test_every_printed_value_is_a_cell_where_it_is_printed() -> None:
    for name, n_cells in PRINTED.items():
        cells = printed_cells(name)
        assert len(cells) == n_cells, name
        assert not cells.duplicated(["dataset", "row", "measure"]).any()
    thesis = load_published("4.3").set_index(["dataset", "classifier"])
    cells = printed_cells("4.3").set_index(["dataset", "row", "measure"])["value"]
    assert cells["ada", "mrmr", "wacc_svm"] == thesis.loc[("ada", "svm"), "mrmr"]
    stability = printed_cells("fpcps_1").set_index(["dataset", "row"])["value"]
    assert stability["arcene", "mc2"] == 0.613
    auc = printed_cells("fpcps_2").set_index(["row", "measure"])["value"]
    assert auc["best_go_first", "auc_random_forest"] == 0.779


# ------------------------------------------------------------------------------- thesis 4.3
def test_weighted_accuracy_has_every_printed_cell() -> None:
    data = load_dataset("ionosphere")
    few = data.X.iloc[:, 2:10]
    found = weighted_accuracy(few, data.y, {"n_resamples": 3, "n_trees": 5}, 0, 1)
    printed = printed_cells("4.3").query("dataset == 'ionosphere'")
    assert set(found) == set(zip(printed["row"], printed["measure"], strict=True))
    assert 0.7 < min(found.values()) <= max(found.values()) < 1.0
    assert found == weighted_accuracy(few, data.y, {"n_resamples": 3, "n_trees": 5}, 0, 2)
    wine = load_dataset("wine")  # logistic regression is for two classes only
    found = weighted_accuracy(wine.X.iloc[:, :3], wine.y, {"n_resamples": 2, "n_trees": 2}, 0, 1)
    measures = {f"wacc_{name}" for name in ("naive_bayes", "random_forest", "svm")}
    assert {measure for _, measure in found} == measures


# ------------------------------------------------------------------------------- fpcps
def test_selections_find_what_was_planted_on_dense_and_sparse_data() -> None:
    X, y = planted()
    rows = np.arange(0, 60, 2)
    dense, thin = (
        selections(data, y, rows, SETTINGS, np.random.default_rng(1))
        for data in (X, sparse.csr_matrix(X))
    )
    assert list(dense) == [*FILTERS, *AGGREGATORS]
    for name, kept in dense.items():
        assert kept.sum() == 8
        assert kept[:4].all(), name
        np.testing.assert_array_equal(kept, thin[name])
    best = np.argsort(-spearman(X[rows][:, :30], y[rows]))[:8]
    assert set(np.flatnonzero(dense["spearman"])) == set(best)


def test_equal_scores_are_put_in_a_random_order() -> None:
    """Symmetric uncertainty is 0 for all columns but four; by column, 4 to 7 would fill up."""
    X, y = planted()
    rngs = map(np.random.default_rng, range(4))
    kept = [selections(X, y, np.arange(60), SETTINGS, rng) for rng in rngs]
    assert len({tuple(one["symmetric_uncertainty"].tolist()) for one in kept}) == 4


def test_stability_is_the_mean_over_pairs_of_splits() -> None:
    X, y = planted()
    one = tanimoto_of_aggregators(X, y, {**SETTINGS, "n_splits": 4}, 3, 1)
    assert one == tanimoto_of_aggregators(X, y, {**SETTINGS, "n_splits": 4}, 3, 2)
    assert {row for row, _ in one} == set(AGGREGATORS)
    # Four of eight are always kept: similarity is at least 4 / 12.
    assert all(4 / 12 <= value < 1.0 for value in one.values())


def test_curves_of_classifiers_on_what_is_kept() -> None:
    X, y = planted()
    settings = {**SETTINGS, "most_neighbours": 1, "n_inner_folds": 3, "n_trees": 5}
    found = auc_on_selected(pd.DataFrame(X).add_prefix("f"), y, settings, 0, 1)
    printed = printed_cells("fpcps_2")
    assert set(found) == set(zip(printed["row"], printed["measure"], strict=True))
    assert min(found.values()) > 0.9


# ------------------------------------------------------------------------------- orders
@pytest.fixture(scope="module")
def genes() -> pd.DataFrame:
    """Repetitions on generated orders in place of genes."""
    from pyfsagg.rank_order import make_planted_orders

    data = make_planted_orders(2, 10, 6, 0, random_state=1)
    shared = orders_of_removal(data.X, data.y, {}, 1)
    frames = []
    for seed in range(2):
        values = genes_left(data.X, data.y, {"n_subsets": 3}, seed, 1, shared)
        rows = [[row, measure, value] for (row, measure), value in values.items()]
        frames.append(pd.DataFrame(rows, columns=["row", "measure", "value"]))
    return pd.concat(frames)


def test_genes_left_have_an_accuracy_for_every_size(genes: pd.DataFrame) -> None:
    sizes = genes.groupby(["row", "measure"]).size()
    assert sizes.eq(2).all()
    curves, baseline = path_of(genes)
    assert set(curves["method"]) == {"cdv", "spoilers"}
    zero = genes[genes["measure"] == "zero_divergence_size"].groupby("row")["value"].first()
    ends = curves[curves["divergence"] == 0.0].set_index("method")["size"]
    assert ends.to_dict() == zero.to_dict()
    assert baseline["size"].iloc[0] == 2


def _accuracies(level: float) -> list[list[object]]:
    levels = {"cdv": level, "spoilers": 0.6, "random": 0.7}
    rows = [[row, f"accuracy_of_{k}", one] for row, one in levels.items() for k in range(2, 31)]
    return [*rows, ["cdv", "zero_divergence_size", 7.0], ["spoilers", "zero_divergence_size", 34.0]]


@pytest.mark.parametrize(("level", "verdict"), [(0.95, "holds"), (0.55, "does not hold")])
def test_statements_on_genes_follow_the_values(level: float, verdict: str) -> None:
    values = pd.DataFrame(_accuracies(level), columns=["row", "measure", "value"])
    own = {"leukaemia_two_classes": Repeated(values, "", True)}
    found = figure_statements(own, Options(), generated=False).set_index("id")
    assert found.loc["figure-12-1", "verdict"] == verdict
    assert found.loc["figure-12-5", "verdict"] == verdict
    assert found.loc["figure-12-4", "verdict"] == "holds"
    assert set(found["basis"]) == {"own runs"}


def test_statements_on_other_data_are_not_checkable_but_told() -> None:
    values = pd.DataFrame(_accuracies(0.95), columns=["row", "measure", "value"])
    own = {
        "drosophila": Repeated(values, "other data: another version", False),
        "leukaemia_three_classes": Repeated(None, "the data set is not here", False),
    }
    found = figure_statements(own, Options(), generated=False)
    assert set(found["verdict"]) == {"not checkable"}
    assert "Other data: another version; on these it" in found["sentence"].iloc[0]
    assert found["sentence"].iloc[-1] == "The data set is not here."


# ------------------------------------------------------------------------------- data
def test_other_data_give_values_but_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = planted()
    given = Dataset(X, pd.Series(y), "given", "")
    monkeypatch.setattr(repetitions, "load_dataset", lambda name: given)
    small = {"n_splits": 2, "repetitions": 2, "share": 0.2}
    found = table("fpcps_1", ["gisette", "arcene"], settings=small)
    gisette = found[found["dataset"] == "gisette"]
    assert set(gisette["verdict"]) == {"not checkable"}
    assert gisette["mean"].notna().all()
    assert gisette["reason"].str.contains("1000 of the validation part").all()
    arcene = found[found["dataset"] == "arcene"]
    assert not arcene["verdict"].eq("not checkable").any()


def test_identity_of_sparse_data_is_that_of_its_cells() -> None:
    X, y = planted()
    other = X.copy()
    other[0, 0] += 1.0
    one, same, another = (
        repetitions.identity(Dataset(sparse.csr_matrix(matrix), pd.Series(y), "x", ""))
        for matrix in (X, sparse.csc_matrix(X), other)
    )
    assert one == same != another


def test_what_repetitions_share_is_computed_once(monkeypatch, tmp_path):
    calls = []

    def prepare(X, y, settings, n_jobs):
        calls.append("shared")
        return {"best": 3}

    def repeat(X, y, settings, seed, n_jobs, shared):
        calls.append("one")
        warn("this will take about 3 hours; …")  # not told
        return {("cdv", "accuracy_of_25"): shared["best"] + seed % 7}

    own = EXPERIMENTS["orders_genes"]
    changed = own.__class__(**{**own.__dict__, "prepare": prepare, "repeat": repeat})
    monkeypatch.setitem(EXPERIMENTS, "orders_genes", changed)
    X, y = planted()
    given = Dataset(X, pd.Series(y), "given", "")
    monkeypatch.setattr(repetitions, "load_dataset", lambda name: given)
    options = {"settings": {"repetitions": 3}, "checkpoint": tmp_path}
    first = table("orders_genes", "leukaemia_two_classes", **options)
    assert calls == ["shared", "one", "one", "one"]
    again = table("orders_genes", "leukaemia_two_classes", **options)
    assert len(calls) == 4
    pd.testing.assert_frame_equal(first, again)


# ------------------------------------------------------------------------------- all papers
@pytest.fixture
def stand_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every experiment gives the printed values with some noise, at once."""
    for name, own in list(EXPERIMENTS.items()):

        def repeat(X, y, settings, seed, n_jobs, *shared, table=name):
            rng = np.random.default_rng(seed)
            cells = printed_cells(table)
            own = cells[cells["dataset"] == "ionosphere"]
            return {
                (row, measure): value + rng.normal(0.0, 0.01)
                for row, measure, value in own[["row", "measure", "value"]].itertuples(index=False)
            }

        changed = {**own.__dict__, "repeat": repeat, "renamed": {}}
        monkeypatch.setitem(EXPERIMENTS, name, own.__class__(**changed))


def test_all_papers_at_once(stand_ins: None, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)
    # All statements take their time; those on one table show that they are handed our values.
    monkeypatch.setattr(run, "claims", partial(claims, "thesis", "4.4"))
    found = reproduce_all(["ionosphere", "philippine"], quick=True, checkpoint=tmp_path / "kept")
    counts = found.coverage(["dataset"])
    assert counts.loc["ionosphere", "checkable"] == 75
    assert counts.loc["ionosphere", "inside_share"] > 0.7
    assert counts.loc["philippine", "checkable"] == 0
    assert set(found.not_checkable()["reason"]) == {"the data set could not be obtained"}
    bases = found.statements.groupby("basis").size()
    assert bases["own runs"] > 3
    assert found.record["seed"] == 0
    assert "checkable cells inside" in repr(found)
    path = found.save(tmp_path / "all.json")
    again = Reproduction.load(path)
    as_read = {"check_dtype": False, "check_column_type": False}
    for name in ("cells", "statements", "times"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(found, name), **as_read)
    assert again.record == found.record


def test_no_unknown_data_set_is_passed_over() -> None:
    for call in (reproduce_all, partial(cells, "thesis"), partial(table, "4.4"), readings):
        with pytest.raises(UnknownNameError, match=r"unknown data set of .*'iris'"):
            call(["ionosphere", "iris"], quick=True)
        with pytest.raises(ParameterError, match="at least one data set"):
            call([], quick=True)
    with pytest.raises(ParameterError, match="at least one table"):
        reproduce_all(tables=[])
    has = r"table fpcps_1 has bins, value_differences, equal_scores, share, n_splits"
    with pytest.raises(ParameterError, match=has):
        table("fpcps_1", "madelon", settings={"shares": 0.1})


def test_a_file_that_is_no_reproduction_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"kind": "cells", "schema": 1}')
    with pytest.raises(OutputError, match="its record is 'cells' of schema 1"):
        Reproduction.load(path)
    missing = r"none\.json contains no saved reproduction: [^ ]*none\.json is missing"
    with pytest.raises(OutputError, match=missing):
        Reproduction.load(tmp_path / "none.json")


def test_own_accuracies_are_read_as_table_4_3() -> None:
    rows = [("ada", "wacc_svm", "mrmr", 0.8), ("ada", "wacc_svm", "bam", 0.9)]
    own = pd.DataFrame(rows, columns=["dataset", "measure", "method", "value"])
    wide = methods_table("4.3", own)
    assert wide.loc[("ada", "svm"), "bam"] == 0.9
    assert wide.index.names == ["dataset", "classifier"]


def test_ionosphere_is_described_as_it_is() -> None:
    from pyfsagg.datasets._loaders import describe_datasets

    found = describe_datasets(["ionosphere", "digits"])
    data = load_dataset("ionosphere")
    assert found.loc["ionosphere", "n_features"] == data.X.shape[1]
    assert found.loc["ionosphere", "match"] == "as printed"
    assert found.loc["digits", "match"] == "in no paper"
