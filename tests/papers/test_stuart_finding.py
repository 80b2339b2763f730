"""The Stuart experiment: what is computed without R, and what is concluded from given numbers."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfsagg import Task, influence, load_dataset
from pyfsagg.exceptions import (
    DataError,
    InputTypeError,
    OutputError,
    ParameterError,
    UnknownNameError,
)
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg_papers import StuartFinding, claims, stuart_finding
from pyfsagg_papers.stuart.page import plot_stuart_lists, plot_stuart_values
from pyfsagg_papers.stuart.rankings import count_kinds, places_by_first_list

WINE, IONOSPHERE = load_dataset("wine"), load_dataset("ionosphere")
AGGREGATORS = ["arithmetic_mean", "geometric_mean", "l2_norm", "stuart", "rra"]


@pytest.fixture
def found(no_r: None) -> StuartFinding:
    return stuart_finding([IONOSPHERE], n_folds=4, list_counts=[12, 6], random_state=3)


def made(recursion, exact=0.9, printed=0.1, rra=0.8):
    """A finding on one data set in which every value is known."""
    rows = []
    names = (*AGGREGATORS, "stuart_in_r", "stuart_in_r_first_list", "rra_in_r_first_list")
    for n, value in recursion.items():
        of = (0.99, 0.5, 0.98, exact, rra, value, 0.4, rra)
        for name, one in zip(names, of, strict=True):
            rows += [("set", "mrmr", n, name, m, one) for m in ("spearman", "jaccard")]
            rows.append(("set", "mrmr", n, name, "canberra", 1.0 - one))
    columns = ["dataset", "filter", "n_lists", "aggregator", "measure", "value"]
    kinds = [("set", "mrmr", n, 90, 10, 0, 0, 0, 0) for n in recursion]
    heads = ["nan", "infinite", "negative", "above_one", "right", "wrong"]
    prints = [("set", "mrmr", m, "stuart", printed) for m in ("spearman", "jaccard")]
    prints.append(("set", "mrmr", "canberra", "stuart", 1.0 - printed))
    others = ("arithmetic_mean", "l2_norm", "rra")
    prints += [("set", "mrmr", "spearman", name, 0.97) for name in others]
    return StuartFinding(
        stability=pd.DataFrame(rows, columns=columns),
        values=pd.DataFrame(kinds, columns=[*columns[:3], *heads]),
        published=pd.DataFrame(prints, columns=[*columns[:2], "measure", "aggregator", "value"]),
        r={"available": True, "R": "4.2.2", "RobustRankAggreg": "1.2.1"},
        parameters={
            "datasets": ["set"], "filters": ["mrmr"], "n_folds": 5,
            "list_counts": list(recursion), "seed": 0, "quick": False,
        },
        record={"date": "2026-01-01", "machine": "none", "versions": {}, "seconds": 1.0},
    )  # fmt: skip


def test_exact_column_is_that_of_the_influence_experiment(found: StuartFinding) -> None:
    same = influence(
        IONOSPHERE.X, IONOSPHERE.y, filter=["information_gain"],
        filter_params={"information_gain": {"mdl": "fselectorrcpp"}}, n_folds=4, n_resamples=12,
        task=Task(drop_near_zero_variance=True), random_state=3,
    )  # fmt: skip
    names = {"rra": "robust_rank_aggregation"}
    shown = found.stability.query("n_lists == 12 and filter == 'information_gain'")
    assert list(dict.fromkeys(shown["aggregator"])) == [*AGGREGATORS, "rra_in_r_first_list"]
    for row in shown[shown["aggregator"].isin(AGGREGATORS)].to_dict(orient="records"):
        scores = same.scores["information_gain", names.get(row["aggregator"], row["aggregator"])]
        options = {"direction": "descending"} if row["measure"] == "canberra" else {}
        how = {"input": "scores", "n_features_to_select": 0.25, **options}
        expected = measure_stability(scores, row["measure"], **how).value
        assert row["value"] == pytest.approx(expected, abs=1e-12)


def test_fewer_lists_are_the_first_ones(found: StuartFinding, no_r: None) -> None:
    few = stuart_finding([IONOSPHERE], n_folds=4, list_counts=[6], random_state=3)
    part = found.stability.query("n_lists == 6").reset_index(drop=True)
    pd.testing.assert_frame_equal(part, few.stability)


def test_without_r_nothing_takes_its_place(found: StuartFinding) -> None:
    assert found.r == {"available": False, "reason": "R is <not> here"}
    assert found.values.empty
    assert found.nearest().empty
    assert "where the printed tables have it last in 6 of 6" in " ".join(found.conclusions())
    table = found.table()
    assert table["in_r"].isna().all()
    assert table["nearest_lists"].isna().all()
    assert table["published"].notna().all()
    assert table["exact"].notna().all()
    text = " ".join(found.conclusions())
    assert "The recursion was not run: R is <not> here." in text
    assert "RobustRankAggreg" not in text
    with pytest.raises(DataError, match="R is <not> here"):
        plot_stuart_values(found)
    labels = plot_stuart_lists(found).get_legend_handles_labels()[1]
    assert "Stuart, recursion in R" not in labels
    assert "Stuart as printed" in labels


def test_workers_do_not_matter_nor_need_values_be_printed(no_r: None) -> None:
    how = {"filters": ["mrmr"], "n_folds": 3, "list_counts": [5]}
    one, two = (stuart_finding([WINE], **how, n_jobs=n) for n in (1, 2))
    keys = ["aggregator", "measure"]
    joined = one.stability.merge(two.stability, on=keys, suffixes=("_one", "_two"))
    assert len(joined) == len(one.stability) == 18
    np.testing.assert_array_equal(joined["value_one"], joined["value_two"])
    assert one.published.empty  # of wine nothing is printed
    assert one.nearest().empty
    assert one.table()["published"].isna().all()
    assert "printed column" not in one.conclusions()[0]


def test_bad_input(no_r: None) -> None:
    for arguments, error, message in (
        (([WINE], ["chi_squared"]), ParameterError, "information_gain, mrmr, got chi_squared"),
        (([WINE], ["mrmr"], 2), ParameterError, "n_folds"),
        (([WINE], ["mrmr"], 3, [1]), ParameterError, "list_counts"),
        (([WINE], ["mrmr"], 3, []), ParameterError, "list_counts"),
        (([WINE, "wine"],), ParameterError, r"different and at least one, got \['wine', 'wine'\]"),
        (([],), ParameterError, r"at least one, got \[\]"),
        (("wine",), InputTypeError, "one name 'wine'"),
        ((["nowhere"],), UnknownNameError, "nowhere"),
        (([WINE.X],), InputTypeError, "got DataFrame"),
    ):
        names = ("datasets", "filters", "n_folds", "list_counts")[: len(arguments)]
        with pytest.raises(error, match=message):
            stuart_finding(**dict(zip(names, arguments, strict=True)))
    with pytest.raises(ParameterError, match="kind must be one of 'lists', 'values', got 'x'"):
        made({100: 0.1}).plot("x")
    with pytest.raises(ParameterError, match="dataset must be"):
        plot_stuart_lists(made({100: 0.1}), "wine")


# --- what R returned -------------------------------------------------------------------------
def test_kinds_of_values() -> None:
    values = np.array([np.nan, np.inf, -np.inf, -0.1, 1.5, 0.5, 0.502, 0.6])
    exact = np.full(8, 0.5)
    assert count_kinds(values, exact) == [1, 2, 1, 1, 2, 1]


def test_nan_come_in_the_order_of_the_first_list() -> None:
    first = np.array([3.0, 1.0, 2.0, 4.0])  # column 1 leads, then 2, 0, 3
    np.testing.assert_array_equal(places_by_first_list(np.full(4, np.nan), first), first)
    values = np.array([np.nan, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(places_by_first_list(values, first), [3, 2, 1, 4])
    tied = np.array([0.1, 0.2, 0.1, 0.2])
    np.testing.assert_array_equal(places_by_first_list(tied, first), [2, 3, 1, 4])


# --- what is concluded -----------------------------------------------------------------------
def test_the_nearest_number_of_lists() -> None:
    finding = made({10: 0.9, 100: 0.13, 200: 0.2, 1000: 1.0})
    row = finding.nearest().loc[("set", "mrmr")]
    assert row["n_lists"] == 100
    assert row["difference"] == pytest.approx(0.03)
    assert row["at_most"] == pytest.approx(0.9)
    assert row["exact"] == pytest.approx(0.8)
    table = finding.table().xs("spearman", level="measure").iloc[0]
    names = ["published", "exact", "in_r", "nearest_lists", "in_r_nearest"]
    assert table[names].tolist() == [0.1, 0.9, 1.0, 100, 0.13]
    gaps = finding.differences()
    assert gaps.loc[("set", "mrmr", 10), "arithmetic_mean"] == pytest.approx(0.02)
    text = " ".join(finding.conclusions())
    assert "set with mrmr 100" in text
    assert "by 0.030 on average at 100 lists" in text
    assert "by 0.900 at 1000" in text
    assert "The printed values are of 100 folds; with 5 " in text
    as_printed = replace(finding, parameters={**finding.parameters, "n_folds": 100})
    assert "are of 100 folds; with" not in " ".join(as_printed.conclusions())


def test_conclusions_follow_the_numbers() -> None:
    above, below = made({100: 0.2}), made({100: 0.2}, exact=0.3)
    assert set(above.least_stable()) == {"geometric_mean"}
    assert set(below.least_stable()) == {"stuart"}
    good, bad = (" ".join(each.conclusions()) for each in (above, below))
    assert "least stable aggregator in 0 of 3 rows" in good
    assert "least stable aggregator in 3 of 3 rows" in bad
    assert "in 3 and than robust rank aggregation in 3 of 3 rows" in good
    assert "in 0 and than robust rank aggregation in 0 of 3 rows" in bad
    assert "above both rank-based ones in 0 of 3 rows" in good
    assert "the best is a score-based one in 3" in good
    assert "90.0% NaN, 10.0% infinite" in good
    assert "order of the columns" in good
    finite = replace(above, values=above.values.assign(nan=0, right=90))
    assert "order of the columns" not in " ".join(finite.conclusions())


def test_finding_feeds_the_statements(found: StuartFinding) -> None:
    own = claims(table="4.6", runs=found.runs()).query("basis == 'own runs'").set_index("id")
    assert own.loc["aggregator-anova", "verdict"] == "not checkable"  # one data set
    share = (found.least_stable() == "stuart").mean()
    assert own.loc["stuart-least-stable", "recomputed"] == pytest.approx(share)


def test_pictures() -> None:
    finding = made({10: 0.9, 100: 0.13, 1000: 1.0})
    axes = finding.plot("lists", measure="jaccard")
    line = next(each for each in axes.lines if each.get_label() == "Stuart, recursion in R")
    np.testing.assert_array_equal(line.get_xdata(), [10, 100, 1000])
    np.testing.assert_array_equal(line.get_ydata(), [0.9, 0.13, 1.0])
    printed = next(each for each in axes.lines if each.get_label() == "Stuart as printed")
    assert set(printed.get_ydata()) == {0.1}
    bars = finding.plot("values").containers
    heights = {bar.get_label(): bar[0].get_height() for bar in bars}
    assert heights["NaN"] == pytest.approx(0.9)
    assert sum(heights.values()) == pytest.approx(1.0)


# --- files -----------------------------------------------------------------------------------
def test_round_trip(found: StuartFinding, tmp_path: Path) -> None:
    for number, finding in enumerate([found, made({10: np.nan, 100: 0.1})]):
        path = finding.save(tmp_path / f"{number}.json")
        back = StuartFinding.load(path)
        assert back.to_json() == finding.to_json()
        pd.testing.assert_frame_equal(back.to_frame(), finding.to_frame())
        assert repr(back) == repr(finding)


def test_a_finding_without_its_values_is_damaged(tmp_path: Path) -> None:
    path = made({100: 0.1}).save(tmp_path / "a.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "values": None}))
    with pytest.raises(OutputError, match="damaged"):
        StuartFinding.load(path)
