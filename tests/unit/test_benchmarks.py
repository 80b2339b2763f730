"""The benchmarks take the flags with which all of them are run together."""

from __future__ import annotations

import argparse
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("bench_*.py"))


def test_there_are_benchmarks() -> None:
    assert {"bench_ensemble.py", "bench_entropy.py", "bench_mrmr.py"} <= {s.name for s in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_flags_of_run_all(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def stop(parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        given.append(parser)
        raise StopIteration

    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    with pytest.raises(StopIteration):
        runpy.run_path(str(script), run_name="__main__")
    monkeypatch.undo()
    options = given[0].parse_args(["--output", "numbers.json", "--quick"])
    assert (str(options.output), options.quick) == ("numbers.json", True)


def test_run_all_refuses_an_unknown_name() -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "run_all.py"), "--only", "mrrm"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no benchmark is called 'mrrm'; there are aggregation" in done.stderr


ROW = re.compile(r"^\| (.+?) \| (.+?) \| (\d+) \|$", re.MULTILINE)


def test_ratios_of_the_readme_are_those_of_the_last_record() -> None:
    last = json.loads((FOLDER / "history.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    quoted = ROW.findall(readme.split("## How fast is it?")[1].split("\n## ")[0])
    assert len(quoted) >= 6
    for task, other, ratio in quoted:
        (measured,) = (
            value
            for label, value in last["ratios"].items()
            if label.startswith(f"{task}, 1 thread: {other}")
        )
        assert ratio == f"{float(f'{measured:.2g}'):.0f}", f"{task} beside {other}: {measured}"


def test_the_run_out_of_core_in_the_readme_is_the_recorded_one() -> None:
    run = json.loads((FOLDER / "out_of_core.json").read_text(encoding="utf-8"))["run"]
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8").replace("\n", " ")
    assert (run["rows"], run["features"], run["resamples"]) == (50_000_000, 50, 200)
    gigabytes = run["peak MB"] * 2**20 / 1e9
    told = f"features took {run['in all s']:.0f} s and {gigabytes:.2g} GB on four cores"
    assert f"50 million rows × 50 {told}" in readme


def test_distances_from_the_bound_in_the_notes_are_those_measured() -> None:
    found = json.loads((FOLDER / "kernels_wide.json").read_text(encoding="utf-8"))
    notes = (FOLDER / "KERNELS.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\d+ × \d+) \| (.+?) \| (.+) \|$", notes, re.MULTILINE)
    measured = []
    for row in found["rows"]:
        times = [f"{row[name]:.2f}" for name in ("ms a resample", "ms to read", "ms to count")]
        numbers = [*times, f"{100 * row['share']:.0f} %"]
        measured.append((row["table"], row["kernel"], " | ".join(numbers)))
    assert told == measured
    assert {row[0] for row in told} == {"72 × 7129", "3888 × 308"}


def test_peaks_of_memory_are_near_their_estimates() -> None:
    found = json.loads((FOLDER / "memory.json").read_text(encoding="utf-8"))
    ratios = [shape["peak"] / shape["estimate"] for shape in found["shapes"]]
    assert len({shape["name"] for shape in found["shapes"]}) == 10
    assert max(ratios) <= found["goal"] == 1.3
    assert found["worst"] == round(max(ratios), 3)


def test_runs_outlive_thirty_killed_workers() -> None:
    found = json.loads((FOLDER / "dask_kills.json").read_text(encoding="utf-8"))
    assert found["kills"] >= 30
    assert found["all"] == {"same bits": found["kills"]}
    moments = [found[moment]["same bits"] for moment in ("before", "scatter", "work")]
    assert sum(moments) == found["kills"]
    assert min(moments) >= 10


def test_killed_commands_go_on_to_the_same_bits() -> None:
    found = json.loads((FOLDER / "kills.json").read_text(encoding="utf-8"))
    commands = {name: found[name] for name in found if name not in ("seeds", "all")}
    assert set(commands) == {"rank", "influence", "evaluate", "order", "unsupervised"}
    assert min(figures["kills"] for figures in commands.values()) >= 10
    for key, times in found["all"].items():
        assert times == sum(figures[key] for figures in commands.values())
    assert [found["all"][key] for key in ("other bits", "left behind", "ended otherwise")] == [
        0
    ] * 3


def test_ctrl_c_in_r_is_one_interrupt() -> None:
    found = json.loads((FOLDER / "r_interrupts.json").read_text(encoding="utf-8"))
    versions = ("reticulate 1.28", "reticulate 1.46")
    assert set(found) == {f"{version}, {load}" for version in versions for load in ("idle", "busy")}
    times = 0
    for figures in found.values():
        ended = dict(figures["all"])
        times += ended.pop("interrupt in the call") + ended.pop("interrupt after the call")
        assert set(ended.values()) == {0}
    assert times >= 200


def test_survival_filters_take_at_most_three_times_the_time_of_pearson() -> None:
    rows = json.loads((FOLDER / "survival.json").read_text(encoding="utf-8"))["rows"]
    assert {row["filter"] for row in rows} >= {"cox_score", "concordance", "spearman"}
    for base in ("pearson of a number", "pearson of survival"):
        assert max(row[f"times {base}"] for row in rows) <= 3.0


def test_the_page_needs_results(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(FOLDER / "page.py"), "--results", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "run run_all.py first" in done.stderr
