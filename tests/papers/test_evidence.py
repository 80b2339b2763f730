"""Verdicts that could have failed: limits against the printed values of other data sets."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from pyfsagg_papers import best_readings, coverage, evidence, load_published, shipped_run
from pyfsagg_papers.published import readable_cells
from pyfsagg_papers.tables.comparison import likelihood_ratio

GAIN = readable_cells("4.4").query("row == 'information_gain'")
PEARSON = GAIN[GAIN["measure"] == "pearson"].set_index("dataset")["value"]


def cell(dataset: str, lower: float, upper: float, **changed: object) -> dict[str, object]:
    """A cell of table 4.4: MDL's information gain, Pearson."""
    printed = float(PEARSON[dataset])
    inside = lower <= printed <= upper
    return {
        "table": "4.4", "dataset": dataset, "row": "information_gain", "measure": "pearson",
        "published": printed, "mean": (lower + upper) / 2, "sd": (upper - lower) / 6, "n": 10,
        "lower": lower, "upper": upper, "verdict": "inside" if inside else "outside", **changed,
    }  # fmt: skip


def others(dataset: str) -> np.ndarray:
    return PEARSON.drop(dataset).to_numpy()


def test_limits_that_hold_anything_tell_nothing() -> None:
    found = pd.DataFrame([cell("ionosphere", -1.0, 2.0)])
    (told,) = evidence(found).to_dict("records")
    assert told["others"] == len(others("ionosphere")) >= 8
    assert told["others_inside"] == 1.0
    assert told["decisive"] is False
    assert 0.1 < told["likelihood_ratio"] < 10
    counts = coverage(found).iloc[0]
    assert (counts["inside"], counts["decisive"], counts["others_inside"]) == (1, 0, 1.0)


def test_narrow_limits_around_the_printed_value_are_decisive() -> None:
    printed = PEARSON["ionosphere"]
    gap = np.abs(others("ionosphere") - printed).min()
    found = pd.DataFrame([cell("ionosphere", printed - gap / 5, printed + gap / 5)])
    (told,) = evidence(found).to_dict("records")
    assert (told["others_inside"], told["decisive"]) == (0.0, True)
    assert told["likelihood_ratio"] > 100
    assert coverage(found)["decisive"].tolist() == [1]


def test_limits_around_the_value_of_another_data_set() -> None:
    """The printed value is not inside, and is far more likely that of the other data set."""
    other = PEARSON["semeion"]
    found = pd.DataFrame([cell("ionosphere", other - 1e-4, other + 1e-4)])
    (told,) = evidence(found).to_dict("records")
    assert told["others_inside"] == np.mean(np.abs(others("ionosphere") - other) <= 1e-4) > 0
    assert told["likelihood_ratio"] < 0.1
    assert coverage(found)["decisive"].tolist() == [0]


def test_what_cannot_be_checked_has_no_evidence() -> None:
    lost = {**cell("ionosphere", 0.0, 1.0, verdict="not checkable"), "mean": math.nan}
    found = evidence(pd.DataFrame([lost]))
    assert found.isna().all(axis=None)
    lonely = shipped_run("quick").cells.query("table == 'orders_genes'")
    assert evidence(lonely)["others_inside"].isna().all()
    counts = coverage(lonely, ["table"]).iloc[0]
    assert counts["decisive"] == 0
    assert math.isnan(counts["others_inside"])


def test_a_table_of_one_data_set_is_compared_with_its_other_rows() -> None:
    found = shipped_run("quick").cells.query("table == 'fpcps_2'")
    printed = load_published("fpcps_2")
    assert set(evidence(found)["others"].dropna()) == {printed.shape[1] - 2}


@pytest.mark.parametrize(("behind", "unit"), [(1, 0.0), (40, 1e-3)])
def test_ratio_is_that_of_densities(behind: int, unit: float) -> None:
    printed, around, own = 0.4, np.array([0.1, 0.55, 0.8]), (5, 0.38, 0.07)
    rounding = unit**2 / 12
    ours = t(4, 0.38, math.sqrt(0.07**2 * (1 / 5 + 1 / behind) + rounding))
    theirs = t(4, around, math.sqrt(0.07**2 * 2 / behind + 2 * rounding))
    expected = ours.pdf(printed) / theirs.pdf(printed).mean()
    found = likelihood_ratio(printed, around, own, behind, unit)
    assert found == pytest.approx(expected, rel=1e-12)
    # Repetitions without spread:
    far = likelihood_ratio(0.4, np.array([0.9]), (5, 0.4, 0.0), 1, 1e-3)
    assert 100 < far <= 1e12
    assert likelihood_ratio(0.9, np.array([0.9]), (5, 0.4, 0.0), 1, 1e-3) < 0.01


def test_shares_of_the_full_run_are_those_by_hand() -> None:
    cells = shipped_run("full-4.4").cells
    told = evidence(cells)
    printed = readable_cells("4.4")
    checkable = cells[cells["verdict"] != "not checkable"]
    for index, own in checkable.iloc[::7].iterrows():
        same = printed[(printed["row"] == own["row"]) & (printed["measure"] == own["measure"])]
        values = same.loc[same["dataset"] != own["dataset"], "value"]
        held = ((values >= own["lower"]) & (values <= own["upper"])).mean()
        assert told.loc[index, "others_inside"] == held
    assert told.loc[cells["verdict"] == "not checkable", "others_inside"].isna().all()
    total = coverage(cells, ["table"]).iloc[0]
    assert 0 < total["decisive"] < total["inside"]
    assert total["others_inside"] < total["inside_share"] / 3


def block(reading: str, half_width: float) -> list[dict[str, object]]:
    """The readable cells of ionosphere and information gain, with limits around the printed values."""
    own = GAIN[GAIN["dataset"] == "ionosphere"]
    return [
        {
            "table": "4.4", "dataset": "ionosphere", "row": "information_gain",
            "measure": each.measure, "reading": reading, "published": each.value,
            "mean": each.value, "sd": half_width, "n": 10,
            "lower": each.value - half_width, "upper": each.value + half_width,
            "verdict": "inside",
        }
        for each in own.itertuples()
    ]  # fmt: skip


def test_a_reading_explains_only_what_others_would_not_get_too() -> None:
    narrow = pd.DataFrame(block("standard", 1e-6))
    (row,) = best_readings(narrow).to_dict("records")
    assert (row["others_as_good"], row["explained"]) == (0.0, True)
    # One more reading whose limits hold everything: the best reading of any other data set.
    wide = pd.concat([narrow, pd.DataFrame(block("factors", 1e6))], ignore_index=True)
    (row,) = best_readings(wide).to_dict("records")
    assert (row["best"], row["others_as_good"], row["explained"]) == ("standard", 1.0, False)
    missed = narrow.copy()
    missed.loc[0, "verdict"] = "near"
    (row,) = best_readings(missed).to_dict("records")
    assert row["explained"] is False
