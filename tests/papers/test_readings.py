"""Readings of tables of the thesis: what each changes, and how the best is found."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from pyfsagg._report.page import render_page
from pyfsagg.cli import main
from pyfsagg.datasets import load_dataset
from pyfsagg.exceptions import DataError, MissingDependencyError, ParameterError, UnknownNameError
from pyfsagg.extending import PageTable, Text
from pyfsagg.filters import value_difference_metric
from pyfsagg.unsupervised import frmv
from pyfsagg_papers import best_readings, coverage, readings
from pyfsagg_papers.tables.experiments import EXPERIMENTS
from pyfsagg_papers.tables.fpcps import (
    AS_READ,
    BY_COLUMN,
    BY_SAMPLE,
    BY_VALUE,
    _value_differences,
    tanimoto_of_aggregators,
)
from pyfsagg_papers.tables.frcm import (
    BY_NUMBER,
    BY_RATIO,
    COSINE,
    COSINE_AND_SELF,
    LARGE_IS_GOOD,
    SMALL_IS_GOOD,
    clustering_on_selected,
)
from pyfsagg_papers.tables.page import plot_readings, readings_page
from pyfsagg_papers.tables.readings import READINGS
from pyfsagg_papers.tables.thesis import (
    BY_AGGREGATOR_AS_READ,
    BY_FILTER_AS_READ,
    _prepare,
    stability_by_aggregator_information_gain,
    stability_by_aggregator_mrmr,
    stability_by_filter,
)


def table() -> tuple[pd.DataFrame, pd.Series]:
    """Two classes; a and b have two values (b hardly varies), c and d are numbers, c tells most."""
    rng = np.random.default_rng(3)
    y = pd.Series(np.repeat(["u", "v"], 60))
    frame = pd.DataFrame(
        {
            "a": rng.integers(0, 2, 120),
            "b": (np.arange(120) % 60 == 0).astype(int),
            "whole": rng.integers(0, 40, 120),
            "c": rng.normal(size=120) + 1.5 * (y == "v"),
            "d": rng.normal(size=120),
        }
    )
    return frame, y


def values(**changed: str) -> dict[tuple[str, str], float]:
    X, y = table()
    return stability_by_filter(X, y, {**BY_FILTER_AS_READ, "n_resamples": 12, **changed}, 1, 1)


def test_every_reading_is_another_computation() -> None:
    for table_, tried in READINGS.items():
        usual = EXPERIMENTS[table_].full
        changed = {name for name, value in tried[0].settings.items() if usual[name] != value}
        assert tried[0].name == "standard"
        assert changed <= {"methods"}  # a part of the rows, which are the same then
        assert len({json.dumps(each.settings, sort_keys=True) for each in tried}) == len(tried)
        for each in tried:
            assert set(each.settings) <= set(EXPERIMENTS[table_].full)


def test_each_setting_changes_the_values() -> None:
    changed = {
        "rows": "all",
        "near_zero_variance": "kept",
        "two_valued": "nominal",
        "class_column": "feature too",
        "target": "shuffled",
        "whole_numbers": "doubles",
    }
    usual = values()
    for name, value in changed.items():
        assert values(**{name: value}) != usual, name


@pytest.mark.parametrize(
    ("repeat", "changed", "named"),
    [
        (stability_by_aggregator_information_gain, {"canberra": "ascending ranks"}, "canberra"),
        (
            stability_by_aggregator_mrmr,
            {"geometric_mean": "positive scores only"},
            "geometric_mean",
        ),
        (stability_by_aggregator_mrmr, {"near_zero_variance": "kept"}, ""),
    ],
)
def test_each_setting_of_the_aggregators_changes_what_it_names(repeat, changed, named):
    X, y = table()
    settings = {**BY_AGGREGATOR_AS_READ, "n_folds": 5, "n_resamples": 12}
    usual, other = (repeat(X, y, {**settings, **extra}, 1, 1) for extra in ({}, changed))
    moved = {key for key in usual if usual[key] != other[key]}
    assert moved
    if named:
        assert all(named in key for key in moved)


def test_the_laplacian_graphs_are_their_definitions() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(14, 6)) + np.repeat([0.0, 2.0], 7)[:, np.newaxis]
    settings = {**EXPERIMENTS["frcm_2"].full, "methods": ["laplacian_score"]}
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    cosine = unit @ unit.T
    n = len(X)
    near = np.zeros((n, n))
    for i in range(n):
        others = [j for j in np.argsort(-cosine[i]) if j != i]
        near[i, others[:5]] = 1.0
    near = np.maximum(near, near.T)
    for graph, joined in ((COSINE, near), (COSINE_AND_SELF, near + np.eye(n))):
        W = joined * cosine
        degree = W.sum(axis=1)
        centred = Z - degree @ Z / degree.sum()
        laplacian = [(f @ (np.diag(degree) - W) @ f) / (f @ np.diag(degree) @ f) for f in centred.T]
        for direction, taken in (
            (SMALL_IS_GOOD, np.negative(laplacian)),
            (LARGE_IS_GOOD, laplacian),
        ):
            given = {**settings, "laplacian_graph": graph, "laplacian_direction": direction}
            found = clustering_on_selected(X, np.arange(n) % 2, given, 0, 1)
            size = int((taken > np.mean(taken) + np.std(taken)).sum())
            assert found["laplacian_score", "n_features"] == size
            assert {row for row, _ in found} == {"laplacian_score"}


def test_value_differences_are_their_definitions() -> None:
    first = np.array([0.0, 0, 0, 2, 2, 7, 7, 10])
    X = np.column_stack([first, first[::-1]])
    y = np.array([0, 0, 1, 1, 1, 0, 1, 1])
    # Of the values 0, 2, 7 and 10: shares of both classes, and how many there are.
    shares = [(2 / 3, 1 / 5, 3), (0.0, 2 / 5, 2), (1 / 3, 1 / 5, 2), (0, 1 / 5, 1)]
    by_class = sum(abs(a - b) for a, b, _ in shares) / 2
    assert value_difference_metric(X, y, bins=None)[0] == pytest.approx(by_class)
    by_sample = sum(n * abs(a - b) for a, b, n in shares) / 2
    by_value = (1 / 3 + 1.0 + 0.0 + 1.0) / 2
    assert _value_differences(X, y, None, BY_SAMPLE)[0] == pytest.approx(by_sample)
    assert _value_differences(X, y, None, BY_VALUE)[0] == pytest.approx(by_value)
    # Two bins, 0 to 5 and 5 to 10: shares of the first class 2/5 and 1/3.
    assert _value_differences(X, y, 2, BY_VALUE)[0] == pytest.approx((1 / 5 + 1 / 3) / 2)


def test_stuart_as_r_returns_it_needs_r(no_r, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingDependencyError, match=r"needs R: R is <not> here"):
        readings("ionosphere", table="4.5", names=["as_r_returns"], quick=True)
    said: list[str] = []
    few = [each for each in READINGS["4.5"] if each.name in ("standard", "as_r_returns")]
    monkeypatch.setitem(READINGS, "4.5", tuple(few))
    left = readings("ionosphere", table="4.5", quick=True, log=said.append)
    assert list(left["reading"].unique()) == ["standard"]
    assert said[0] == "left out, because they need R (R is <not> here): as_r_returns"


def test_a_class_column_among_the_features_steadies_the_scores() -> None:
    data = load_dataset("ionosphere")
    settings = {**BY_FILTER_AS_READ, "n_resamples": 12}
    usual, leaked = (
        stability_by_filter(data.X, data.y, {**settings, "class_column": where}, 1, 1)
        for where in ("target only", "feature too")
    )
    for name in ("information_gain", "symmetric_uncertainty", "chi_squared"):
        assert leaked[name, "pearson"] > usual[name, "pearson"]
        assert leaked[name, "asd"] < usual[name, "asd"]


def test_a_filter_that_sees_nothing_has_no_value() -> None:
    """MDL cuts nothing where a feature and the labels are balanced: all scores are zero."""
    pairs = np.tile([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], (60, 1))
    X, y = pairs.astype(float), np.repeat(["u", "v"], 120)
    found = stability_by_filter(X, y, {**BY_FILTER_AS_READ, "n_resamples": 3}, 1, 1)
    assert ("information_gain", "pearson") not in found
    assert math.isfinite(found["mrmr", "spearman"])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    names = ["standard", "factors", "no_relation"]
    return readings("ionosphere", names=names, quick=True, n_jobs=2)


def test_the_best_reading_has_most_cells_inside(found: pd.DataFrame) -> None:
    assert list(found["reading"].unique()) == ["standard", "factors", "no_relation"]
    assert found.groupby("reading").size().eq(25).all()
    own = found.set_index(["reading", "row", "measure"])["mean"]
    assert not own["standard"].equals(own["no_relation"])
    best = best_readings(found)
    counts = coverage(found, ["row", "reading"])["inside"]
    assert len(best) == 5
    for row in best.itertuples():
        assert row.inside == counts[row.row, "standard"]
        assert row.inside_best == counts[row.row].max()
        if row.inside == row.inside_best:
            assert row.best == "standard"  # of equals, the usual one
    axes = plot_readings(coverage(found, ["dataset", "row", "reading"]))
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["standard", "factors", "no relation"]
    assert len(axes.texts) == 15


def test_best_reading_of_made_up_verdicts() -> None:
    made_up = pd.DataFrame(
        {
            "table": "4.4",
            "dataset": "sonar",
            "row": "mrmr",
            "measure": ["pearson", "spearman"] * 2,
            "reading": ["standard", "standard", "factors", "factors"],
            "verdict": ["outside", "near", "inside", "not checkable"],
            "published": 0.5,
            "mean": [0.05, 0.15, 0.4, 0.4],
            "sd": 0.1,
            "n": 5,
            "lower": [0.0, 0.0, 0.1, 0.1],
            "upper": [0.1, 0.3, 0.7, 0.7],
        }
    )
    (row,) = best_readings(made_up).to_dict("records")
    counts = [row[name] for name in ("best", "inside", "inside_best", "checkable")]
    assert counts == ["factors", 0, 1, 2]
    assert row["all"] == "factors 1, standard 0"
    assert row["widening"] == pytest.approx(3.0)
    lost = made_up.assign(verdict="not checkable")
    assert best_readings(lost).empty
    with pytest.raises(DataError, match="at least one cell"):
        plot_readings(coverage(lost, ["dataset", "row", "reading"]))


def test_label_columns_are_features_left_out_or_the_target() -> None:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.standard_normal((90, 4)), columns=list("abcd"))
    X = X.assign(label_sea=rng.integers(0, 2, 90), label_trees=(X["a"] > 0).astype(int))
    y = np.where(X["b"] > 0, "u", "v")
    read = {
        name: _prepare(X, y, {**BY_FILTER_AS_READ, **settings}, 0)
        for name, settings in {
            "usual": {},
            "left out": {"label_columns": "left out"},
            "trees": {"label_columns": "left out", "target": "label_trees"},
        }.items()
    }
    names = {name: list(table.feature_names) for name, (table, _) in read.items()}
    assert names["usual"] == [*"abcd", "label_sea", "label_trees"]
    assert names["left out"] == names["trees"] == [*"abcd"]
    assert (read["left out"][1].codes == read["usual"][1].codes).all()
    trees = read["trees"][1].codes
    assert (trees == X["label_trees"]).all()
    assert (trees != read["usual"][1].codes).any()


def test_a_reading_about_another_data_set_is_left_out_and_an_unknown_one_is_named() -> None:
    with pytest.raises(ParameterError, match="none of the readings target_trees is about 'splice'"):
        readings("splice", names=["target_trees"])
    with pytest.raises(ParameterError, match=r"names must be some of standard, all_rows.*'guess'"):
        readings("ionosphere", names=["guess"])
    with pytest.raises(UnknownNameError, match=r"unknown table with readings '4.3'.*4.5"):
        readings("ionosphere", table="4.3")
    said: list[str] = []
    found = readings(
        "ionosphere", names=["standard", "no_label_columns"], quick=True, log=said.append
    )
    assert set(found["reading"]) == {"standard"}
    assert "left out: the reading no_label_columns is about image only" in said


def test_the_page_counts_blocks_and_shows_every_cell(found: pd.DataFrame) -> None:
    page = readings_page(found, command="reproduce readings --dataset ionosphere")
    blocks = [block for section in page.sections for block in section.blocks]
    by_reading, best, cells = (block for block in blocks if isinstance(block, PageTable))
    assert [int(row[-1]) for row in by_reading.rows] == [25, 25, 25]
    inside = found[found["verdict"] == "inside"].groupby("reading").size()
    assert int(by_reading.rows[0][1]) == inside["standard"]
    assert len(best.rows) == 5
    assert len(cells.rows) == 75
    assert "pyfsagg reproduce readings --dataset ionosphere" in render_page(page)
    first = next(block for block in blocks if isinstance(block, Text))
    assert str(first.text).startswith("Of 5 blocks another reading")


def test_the_command_writes_what_it_found(tmp_path, capsys):
    out = tmp_path / "out"
    command = ["reproduce", "readings", "--dataset", "ionosphere", "--readings", "standard"]
    assert main([*command, "--quick", "--quiet", "--json", "--output", str(out)]) == 0
    assert {path.name for path in out.iterdir()} == {"best.csv", "readings.csv", "report.html"}
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "readings"
    assert len(document["cells"]) == 25


def test_equal_scores_in_the_order_of_the_columns_look_stable() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(40, 2)), np.zeros((40, 30))])  # 30 columns score 0
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    settings = {**AS_READ, "share": 0.5, "n_splits": 4}
    at_random = tanimoto_of_aggregators(X, y, settings, 0, 1)
    by_column = tanimoto_of_aggregators(X, y, {**settings, "equal_scores": BY_COLUMN}, 0, 1)
    assert by_column["borda", "tanimoto"] == 1.0
    assert at_random["borda", "tanimoto"] < 0.7  # two of 16 places are earned


@pytest.mark.parametrize("association", [BY_RATIO, BY_NUMBER])
def test_the_views_are_read_as_named(association: str) -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 15)
    X = rng.normal(size=(30, 8)) + np.outer(y, [4.0, 4.0, 4.0, 0, 0, 0, 0, 0])
    settings = {**EXPERIMENTS["frcm_2"].full, "methods": ["frmv"], "n_clusterings": 12}
    given = {"association": association, "aggregator": "arithmetic_mean"}
    named = {f"frmv_{name}": value for name, value in given.items()}
    found = clustering_on_selected(X, y, {**settings, **named}, 5, 1)
    views = frmv(X, **given, n_clusterings=12, random_state=5)
    shares = [
        np.abs(
            [np.corrcoef(x, labels if association == BY_NUMBER else means_of(x, labels))[0, 1]
             for x in X.T]
        )
        for labels in views.labels
    ]  # fmt: skip
    mean = np.mean(shares, axis=0)
    assert found["frmv", "n_features"] == int((mean > mean.mean() + mean.std()).sum()) > 0
    assert found["frmv", "nmi"] > 0.9


def means_of(x: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The cluster mean of each sample: its correlation with `x` is the correlation ratio."""
    return np.array([x[labels == label].mean() for label in labels])
