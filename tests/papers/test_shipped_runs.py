"""The runs that come with the package are what the package would say of their numbers."""

import json
import math
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import pyfsagg_papers
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.unsupervised import laplacian_score
from pyfsagg.unsupervised.result import mean_plus_sd
from pyfsagg_papers import (
    best_readings,
    coverage,
    list_shipped_runs,
    shipped_laplacian_search,
    shipped_readings,
    shipped_run,
    shipped_stuart,
)
from pyfsagg_papers.published import printed_cells
from pyfsagg_papers.tables.comparison import VERDICTS
from pyfsagg_papers.tables.experiments import EXPERIMENTS
from pyfsagg_papers.tables.readings import READINGS

RUNS = list(list_shipped_runs().index)


def test_there_is_a_quick_run_of_everything_and_a_full_one() -> None:
    runs = list_shipped_runs()
    quick = shipped_run("quick")
    assert set(quick.cells["table"]) == set(EXPERIMENTS)
    assert not runs["quick"].all()
    assert (runs["minutes"] > 0).all()
    with pytest.raises(UnknownNameError, match="unknown run 'slow'"):
        shipped_run("slow")


@pytest.mark.parametrize("name", RUNS)
def test_printed_values_are_those_of_the_tables_and_the_record_says_how_it_was_made(
    name: str,
) -> None:
    cells, record = shipped_run(name).cells, shipped_run(name).record
    assert {"date", "machine", "versions", "seed", "quick", "settings"} <= set(record)
    assert "pyfsagg" in record["versions"]
    keys = ["dataset", "row", "measure"]
    for number, own in cells.groupby("table"):
        printed = printed_cells(str(number)).set_index(keys)["value"]
        published = own.set_index(keys)["published"]
        np.testing.assert_array_equal(published, printed[published.index])


@pytest.mark.parametrize("name", RUNS)
def test_verdicts_follow_from_the_numbers(name: str) -> None:
    cells = shipped_run(name).cells
    assert set(cells["verdict"]) <= set(VERDICTS)
    decided = cells[cells["verdict"] != "not checkable"]
    assert (decided["n"] > 1).all()
    assert decided[["mean", "sd", "lower", "upper", "published"]].notna().all(axis=None)
    of = decided["table"].map(EXPERIMENTS)
    behind, unit = of.map(lambda each: each.published_repetitions), of.map(lambda each: each.unit)
    spread = decided["sd"] * np.sqrt(1 / decided["n"] + 1 / behind)
    margin = t.ppf(0.975, decided["n"] - 1) * spread + unit / 2
    # Quantiles of t differ between versions of SciPy in the ninth digit.
    np.testing.assert_allclose(decided["upper"], decided["mean"] + margin, rtol=1e-7)
    np.testing.assert_allclose(decided["lower"], decided["mean"] - margin, rtol=1e-7, atol=1e-9)
    within = decided["published"].between(decided["lower"], decided["upper"])
    assert ((decided["verdict"] == "inside") == within).all()


def test_the_room_is_public_as_the_readme_has_it() -> None:
    """In a process of its own, where no other import has loaded the room."""
    code = (
        "import pyfsagg_papers\n"
        "print(len(pyfsagg_papers.list_shipped_runs()))\n"
        "print(callable(pyfsagg_papers.table), 'table' in dir(pyfsagg_papers))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(len(RUNS)), "True", "True"]
    for name in pyfsagg_papers.__all__:
        assert getattr(pyfsagg_papers, name) is not None


def test_the_quick_run_is_what_is_computed_now() -> None:
    """The same data, settings and seed: equal but for the last digits of other library versions.

    By the call that the README names.
    """
    kept = shipped_run("quick").cells
    keys = ["row", "measure"]
    own = kept[(kept["table"] == "4.4") & (kept["dataset"] == "ionosphere")].set_index(keys)["mean"]
    found = pyfsagg_papers.table("4.4", "ionosphere", quick=True)
    assert found["verdict"].isin(["inside", "near"]).all()
    now = found.set_index(keys)["mean"]
    pd.testing.assert_series_equal(now, own[now.index], rtol=1e-6)


@pytest.mark.parametrize("number", list(READINGS))
def test_the_readings_are_those_of_the_list(number: str) -> None:
    found = shipped_readings(number)
    assert set(found["table"]) == {number}
    assert list(dict.fromkeys(found["reading"])) == [each.name for each in READINGS[number]]


def test_the_stuart_experiment_is_a_full_one() -> None:
    finding = shipped_stuart()
    assert not finding.parameters["quick"]
    assert finding.parameters["n_folds"] == 100
    assert len(finding.parameters["datasets"]) >= 4
    assert finding.r["available"]
    gaps = finding.differences()
    at_most, hundred = gaps.xs(1000, level="n_lists"), gaps.xs(100, level="n_lists")
    # The printed columns are nearest to what R returns for a hundred lists, not for a thousand.
    for name in ("stuart_in_r_first_list", "rra_in_r_first_list"):
        assert hundred[name].mean() < at_most[name].mean()
    assert "at 100 lists, where they are nearest too" in " ".join(finding.conclusions())


def _search_tool() -> Any:
    return runpy.run_path(str(Path(__file__).parents[2] / "tools" / "laplacian_search.py"))


def test_the_search_for_the_laplacian_row_is_one_of_all_combinations() -> None:
    tool, found = _search_tool(), shipped_laplacian_search()
    axes, printed = tool["AXES"], tool["printed_sizes"]()
    assert len(found) == math.prod(len(values) for values in axes.values())
    for name, values in axes.items():
        assert found[name].unique().tolist() == values
    for name, size in printed.items():
        assert found[name].median() == pytest.approx(size, rel=0.15)
        assert found[name].min() >= 1
    (complete,) = found[found["met"] == len(printed)].to_dict(orient="records")
    assert {name: complete[name] for name in printed} == printed
    named = {"metric": "cosine", "neighbours": 5, "own neighbour": True, "direction": "large"}
    assert {name: complete[name] for name in named} == named
    readings = shipped_readings("frcm_2").query("row == 'laplacian_score'")
    sizes = readings[readings["measure"] == "n_features"].set_index(["reading", "dataset"])["mean"]
    for reading, weights in (("standard", "heat, mean square of edges"), ("binary", "1")):
        own = found[
            (found["scale"] == "z_score") & (found["metric"] == "euclidean")
            & (found["neighbours"] == 5) & (found["edges"] == axes["edges"][0])
            & ~found["own neighbour"] & (found["weights"] == weights)
        ].set_index("direction")  # fmt: skip
        other = "heat_kernel" if reading == "standard" else reading
        for name in printed:
            assert own.loc["small", name] == sizes[reading, name]
            assert own.loc["large", name] == sizes[f"{other}_reversed", name]


def test_the_search_for_the_laplacian_row_scores_as_the_public_function() -> None:
    tool = _search_tool()
    X = np.random.default_rng(0).normal(size=(30, 60)) * np.arange(1, 61)
    axes = {
        "scale": ["none"], "metric": ["euclidean"], "neighbours": [4], "edges": tool["AXES"]["edges"],
        "own neighbour": [False, True], "weights": tool["AXES"]["weights"], "direction": ["small"],
    }  # fmt: skip
    found = np.array(list(tool["numbers_of_features"](X, axes))).reshape(3, 2, 6)
    for place, width in ((0, "binary"), (3, "mean")):
        scores = laplacian_score(X, n_neighbors=4, bandwidth=width, standardize="none")
        assert found[0, 0, place] == mean_plus_sd(scores).sum()
    assert len(np.unique(found)) > 3


def test_what_the_readings_found() -> None:
    best = best_readings(shipped_readings()).set_index(["dataset", "row"])
    assert best.loc[("jasmine", "information_gain"), "best"] == "no_relation_factors"
    assert best.loc[("semeion", "information_gain"), "best"] == "factors"
    assert best.loc[("ada", "information_gain"), "inside_best"] == 3
    whole = best_readings(shipped_readings(), ["dataset"]).set_index("dataset")
    assert whole.loc["image", "best"] == "target_trees"
    assert whole.loc["image", "inside_best"] > 2 * whole.loc["image", "inside"]
    found = shipped_readings("4.5")
    counts = coverage(found, ["reading", "dataset"])["inside"]
    for name in ("ionosphere", "splice"):
        assert counts["as_r_returns", name] > counts["standard", name] + 5
    clustered = shipped_readings("frcm_2")
    assert not best_readings(clustered).set_index("row").loc["frmv", "explained"].any()
    sizes = clustered[clustered["measure"] == "n_features"]
    met = sizes["mean"].eq(sizes["published"]).groupby(sizes["reading"]).sum()
    assert met["cosine_self_reversed"] == 4
    assert met.drop("cosine_self_reversed").max() <= 1
    with pytest.raises(UnknownNameError, match=r"unknown table with readings '4\.3'"):
        shipped_readings("4.3")


def test_the_kept_cross_check_is_of_comparisons_that_exist_and_agrees() -> None:
    from pyfsagg_papers.comparisons.base import COMPARISONS

    file = Path(__file__).parents[2] / "data" / "validation" / "cross_check.json"
    kept = json.loads(file.read_text(encoding="utf-8"))
    known = {spec.name: spec for spec in COMPARISONS}
    assert kept["agrees"]
    assert kept["record"]["date"] >= "2026-11-22"
    # Also the packages that Debian does not have; "whole numbers" is the table of ties.
    assert kept["missing"] == {}
    assert {"FSelectorRcpp", "praznik", "stabm", "mRMRe"} <= set(kept["versions"])
    assert {"mixed types", "ranges that end at 0", "whole numbers"} <= set(kept["data"])
    assert kept["record"]["versions"]["pyfsagg"] == kept["versions"]["pyfsagg"]
    for outcome in kept["outcomes"]:
        spec = known[outcome["name"]]
        assert outcome["tolerance"] == spec.tolerance.limit
        assert outcome["verdict"] in ("agrees", "differs as documented")
