"""Every number that reads like an inference has a simulation that says what it keeps."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pyfsagg
from pyfsagg.exceptions import DataError, UnknownNameError
from pyfsagg_papers import calibrate, shipped_calibration
from pyfsagg_papers.calibration import run
from pyfsagg_papers.calibration.design import ENOUGH, NEAR, Claim, Design
from pyfsagg_papers.calibration.pictures import stated_errors
from pyfsagg_papers.calibration.run import Calibration, markdown

ROOT = Path(__file__).parents[2]
INDEX = tomllib.loads(Path(__file__).with_name("calibration_index.toml").read_text("utf-8"))
READS_LIKE_INFERENCE = re.compile(
    r"(?:^|_)(?:p|p_values?|pvalues?|e_values?|q_values?|intervals?|ci|lower|upper|bound|pfer|fdr"
    r"|confidence|adequacy|significant|test|level|alpha|error_control|false)(?:_|$)"
)


LEVEL = Claim("p", "level", 0.05, (0.0, 0.065))
COVERAGE = Claim("interval", "coverage", 0.95, (0.93, 1.0))
BOTH_SIDES = Claim("interval", "coverage", 0.95, (0.93, 0.98))


def public_names() -> set[str]:
    """Public functions, and members of all classes with fields, whose name reads like an inference."""
    modules = [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(pyfsagg.__path__, "pyfsagg.")
        if not re.match(r"pyfsagg\.(cli|for_r|_)", module.name)
    ]
    names = {name for module in (pyfsagg, *modules) for name in getattr(module, "__all__", ())}
    classes = {
        thing
        for module in modules
        for thing in vars(module).values()
        if inspect.isclass(thing) and dataclasses.is_dataclass(thing)
    }
    for one in classes:
        members = {*dir(one), *(field.name for field in dataclasses.fields(one))}
        names |= {f"{one.__name__}.{name}" for name in members if not name.startswith("_")}
    return {name for name in names if READS_LIKE_INFERENCE.search(name.rpartition(".")[2])}


def test_every_inference_has_a_row_or_a_reason() -> None:
    named = [name for part in INDEX.values() for name in part]
    assert len(named) == len(set(named))
    assert public_names() == set(named), "tests/papers/calibration_index.toml"
    measured = {name for names in INDEX["rows"].values() for name in names}
    assert measured <= set(shipped_calibration().rows["inference"])


def test_figures_are_those_of_full_runs_of_the_designs() -> None:
    kept = shipped_calibration()
    designed = {
        (each.topic, each.function.__name__, each.settings_text, claim.inference): each.runs
        for each in run.designs()
        for claim in each.claims
    }
    runs = kept.rows.set_index(["topic", "simulation", "design", "inference"])["runs"]
    assert set(runs.index) == set(designed), "tools/calibration.py"
    usual = np.array([designed[key] for key in runs.index])
    assert ((runs == usual) | ((runs == ENOUGH) & (usual < ENOUGH))).all()
    assert not any(record["quick"] for record in kept.record.values())
    missed = kept.not_kept()
    assert missed["caution"].ne("").all(), missed[["inference", "design", "measured"]]


@pytest.mark.parametrize(
    ("claim", "measured", "error", "verdict"),
    [
        (LEVEL, 0.06, np.sqrt(0.06 * 0.94 / 200), NEAR),
        (LEVEL, 0.06, np.sqrt(0.06 * 0.94 / 1200), "kept"),
        (LEVEL, 0.036, 0.0, "kept"),
        (LEVEL, 0.03, 0.003, "kept"),
        (LEVEL, 0.03, 0.002, "conservative"),
        (LEVEL, 0.0, 0.0, "conservative"),
        (LEVEL, np.nan, np.nan, "refused"),
        (COVERAGE, 0.979, 0.0, "kept"),
        (COVERAGE, 0.985, 0.003, "kept"),
        (COVERAGE, 0.985, 0.002, "conservative"),
        (Claim("limit", "bound", 1.0, (0.0, 1.05)), 0.1, 0.0, "kept"),
        (BOTH_SIDES, 0.925, 0.004, "within Monte Carlo error"),
        (BOTH_SIDES, 0.925, 0.001, "not kept"),
        (BOTH_SIDES, 0.985, 0.001, "not kept"),
    ],
)
def test_verdicts(claim: Claim, measured: float, error: float, verdict: str) -> None:
    assert claim.verdict(measured, error) == verdict


def test_a_row_is_called_kept_only_if_a_larger_error_would_have_been_seen() -> None:
    # With 200 repetitions a level of 0.075 is below this limit with probability 0.1.
    limit = 0.075 - stats.norm.ppf(0.9) * np.sqrt(0.075 * 0.925 / 200)
    for share, verdict in ((limit - 1e-4, "kept"), (limit + 1e-4, NEAR)):
        error = np.sqrt(share * (1 - share) / 200)
        assert LEVEL.verdict(share, error) == verdict
        assert COVERAGE.verdict(1 - share, error) == verdict
    with pytest.raises(ValueError, match="accept"):
        Claim("interval", "coverage", 0.95)
    rows = shipped_calibration().rows
    claims = {(e.function.__name__, c.inference): c for e in run.designs() for c in e.claims}
    for row in rows.to_dict(orient="records"):
        claim = claims[row["simulation"], row["inference"]]
        assert claim.verdict(row["measured"], row["error"]) == row["verdict"]


def rejects(rng: np.random.Generator, level: float = 0.05) -> tuple[float]:
    """Rejects a true hypothesis with the given probability, else in one of twenty."""
    return (float(rng.random() < level),)


def test_a_design_that_cannot_tell_is_repeated_more_often(monkeypatch) -> None:
    few = Design("few", rejects, (LEVEL,), runs=20)
    monkeypatch.setattr(run, "designs", lambda: [few])
    found = calibrate("few", n_jobs=1)
    assert found.rows["runs"].tolist() == [ENOUGH]
    values = [few.repeat(0, number)[0] for number in range(ENOUGH)]
    assert found.rows["measured"].tolist() == [np.mean(values)]
    assert calibrate("few", quick=True, n_jobs=1).rows["runs"].tolist() == [2]


def test_a_repetition_of_a_kept_row_comes_again(tmp_path: Path) -> None:
    one = calibrate("lists", quick=True, random_state=3)
    two = calibrate("lists", quick=True, random_state=3, n_jobs=2)
    np.testing.assert_array_equal(one.rows["measured"], two.rows["measured"])
    one.save(tmp_path / "calibration.json")
    again = Calibration.load(tmp_path / "calibration.json")
    np.testing.assert_array_equal(again.rows["measured"], one.rows["measured"])
    assert again.rows["verdict"].tolist() == one.rows["verdict"].tolist()


@pytest.mark.parametrize(("level", "verdict"), [(0.05, "kept"), (0.12, "not kept")])
def test_a_wrong_level_is_found(level: float, verdict: str) -> None:
    design = Design("here", rejects, (LEVEL,), {"level": level}, 2000)
    values = np.array([design.repeat(0, number) for number in range(2000)])
    (row,) = run._rows(design, values, 0.0)
    assert row["verdict"] == verdict
    assert row["measured"] == pytest.approx(level, abs=4 * row["error"])
    assert row["error"] == pytest.approx(np.sqrt(level * (1 - level) / 2000), rel=0.2)


def test_conclusions_name_what_is_not_kept() -> None:
    rows = shipped_calibration().rows.head(2).assign(verdict=["kept", "not kept"])
    text = Calibration(rows, {}).conclusions()
    assert text[0].startswith("1 of 2 claims were kept")
    assert rows["inference"].iloc[1] in text[1]


def test_unknown_topic() -> None:
    with pytest.raises(UnknownNameError, match=r"topic of the calibration.*lists"):
        calibrate("lits")


def test_the_pictures_show_every_stated_error_and_every_way() -> None:
    found = shipped_calibration()
    rows = stated_errors(found.rows)
    drawn = found.plot("errors")
    assert sum(len(part.get_offsets()) for part in drawn.collections) == len(rows)
    level = rows[rows["kind"] == "level"].iloc[0]
    assert level["ratio"] == level["measured"] / level["nominal"]
    coverage = rows[rows["kind"] == "coverage"].iloc[0]
    assert coverage["ratio"] == pytest.approx(
        (1 - coverage["measured"]) / (1 - coverage["nominal"])
    )
    power = found.plot("power")
    points = [part.get_offsets() for part in power.collections if len(part.get_offsets())]
    measured = found.rows[found.rows["inference"].str.endswith(": related features")]
    assert len(points) == measured["measured"].notna().sum()
    with pytest.raises(DataError, match="lacks the topic peers"):
        Calibration(found.rows[found.rows["topic"] == "lists"], {}).plot("power")


def test_page_and_file_of_the_site_are_up_to_date() -> None:
    found = shipped_calibration()
    written = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")
    assert written == markdown(found, run.designs()), "run: python tools/calibration.py --page"
    kept = pd.read_csv(ROOT / "docs" / "_static" / "calibration.csv")
    assert kept["inference"].tolist() == found.rows["inference"].tolist()
    np.testing.assert_allclose(kept["measured"], found.rows["measured"], rtol=1e-5)
