"""The benchmarks take the flags with which all of them are run together."""

import argparse
import json
import re
import runpy
from pathlib import Path

import pytest
from loading import python

FOLDER = Path(__file__).parents[2] / "benchmarks"
SPEED = (FOLDER.parent / "docs" / "match" / "speed.md").read_text(encoding="utf-8")


def record(name: str):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def tool(name: str):
    return runpy.run_path(str(FOLDER.parent / "tools" / f"{name}.py"), run_name=name)


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


def test_scripts_that_are_refused(tmp_path: Path) -> None:
    for path, *options, code, message in (
        ("run_all.py", "--only", "mrrm", 2, "no benchmark is called 'mrrm'; there are aggregation"),
        ("page.py", "--results", str(tmp_path), 1, "run run_all.py first"),
    ):
        assert message in python(FOLDER / path, *options, code=code).stderr


def test_every_figure_of_the_page_is_read_from_a_record(monkeypatch, capsys):
    blocks = re.compile(r"^```python prose\n(.*?)^```", re.MULTILINE | re.DOTALL)
    assert not re.search(r"\d", blocks.sub("", SPEED))
    monkeypatch.syspath_prepend(str(FOLDER.parent / "tools"))
    for block in blocks.findall(SPEED):
        exec(block, {})
    told = capsys.readouterr().out
    for name in ("peers", "information_praznik"):
        for row in record(name)["rows"]:
            assert f"| {row['times faster']:.1f} |" in told
    wide = record("wide_commands")["rows"][-1]
    assert f"| {wide['wall s']:.0f} | {wide['CPU s']:.0f} |" in told
    assert f"took {record('out_of_core')['run']['in all s']:.0f} s" in told
    assert all(f"| {row['ratio']:.2f} |" in told for row in record("shuffles")["rows"])
    last = json.loads((FOLDER / "hot.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert f"`{last['commit']}` |" in told
    assert all(f"| {task} |" in told for task in last["figures"])


def test_distances_from_the_bound_in_the_notes_are_those_measured() -> None:
    found = record("kernels_wide")
    notes = (FOLDER / "KERNELS.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (\d+ × \d+) \| (.+?) \| (.+) \|$", notes, re.MULTILINE)
    measured = []
    for row in found["rows"]:
        times = [f"{row[name]:.2f}" for name in ("ms a resample", "ms to read", "ms to count")]
        numbers = [*times, f"{100 * row['share']:.0f} %"]
        measured.append((row["table"], row["kernel"], " | ".join(numbers)))
    assert told == measured
    assert {row[0] for row in told} == {"72 × 7129", "3888 × 308"}


def test_recorded_peaks_and_times_keep_their_limits() -> None:
    found = record("memory")
    ratios = [shape["peak"] / shape["estimate"] for shape in found["shapes"]]
    assert len({shape["name"] for shape in found["shapes"]}) == 10
    assert max(ratios) <= found["goal"] == 1.3
    assert found["worst"] == round(max(ratios), 3)
    rows = record("survival")["rows"]
    assert {row["filter"] for row in rows} >= {"cox_score", "concordance", "spearman"}
    for base in ("pearson of a number", "pearson of survival"):
        assert max(row[f"times {base}"] for row in rows) <= 3.0


def parts_of_records():
    """What one run of a tool or a benchmark has written."""
    for path in FOLDER.glob("*.json"):
        found = record(path.stem)
        if path.stem == "kills":
            parts = {**dict(enumerate(found["runs"])), "older": found["older"]}
        elif path.stem == "limits":
            parts = found["cases"]
        elif path.stem in ("mutants", "r_interrupts", "builds"):
            parts = found
        else:
            parts = {"": found}
        for name, part in parts.items():
            yield f"{path.stem} {name}", part


def test_records_tell_of_which_code_they_speak() -> None:
    told = dict(parts_of_records())
    assert len(told) > 60
    for name, part in told.items():
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", part["environment"]["date"]), name
        assert re.fullmatch(r"[0-9a-f]{7,40}\+?", part["environment"]["commit"]), name
    found = record("kills")
    for total, key in (("all kills", "kills"), ("all conditions", "tries")):
        assert sum(run[key] for run in found["runs"]) == found[total][key]


def test_recorded_kills_and_interrupts_changed_no_bit() -> None:
    found = record("dask_kills")
    assert found["kills"] >= 30
    assert found["all"] == {"same bits": found["kills"]}
    moments = [found[moment]["same bits"] for moment in ("before", "scatter", "work")]
    assert sum(moments) == found["kills"]
    assert min(moments) >= 10
    found = record("kills")
    assert len(found["kills"]) == 20
    assert min(each["kills"] for each in found["kills"].values()) >= 5
    assert min(found["kills"][each]["KILL to a worker"] for each in ("evaluate", "committee")) >= 5
    assert found["all kills"]["kills"] >= 500
    for part in ("kills", "conditions"):
        for key, times in found[f"all {part}"].items():
            assert times == sum(figures.get(key, 0) for figures in found[part].values())
    ended = ("other bits", "traceback", "ended otherwise", "hung", "left behind")
    assert set(found["conditions"]) == set(tool("kills")["CONDITIONS"])
    assert min(each["tries"] for each in found["conditions"].values()) >= 8
    # OpenBLAS ends the process itself where a limit on addresses leaves it no memory.
    assert all("OpenBLAS" in each for each in found["findings"])
    wrong = sum(
        found[part].get(key, 0) for part in ("all kills", "all conditions") for key in ended
    )
    assert wrong == len(found["mended"]) + len(found["findings"])
    found = record("r_interrupts")
    versions = ("reticulate 1.28", "reticulate 1.46")
    assert set(found) >= {f"{version}, {load}" for version in versions for load in ("idle", "busy")}
    times = 0
    for figures in found.values():
        ended = dict(figures["all"])
        times += ended.pop("interrupt in the call") + ended.pop("interrupt after the call")
        # While R looks for Python, Ctrl-C ends that program, too.
        assert ended.pop("restart asked for") == figures["start"]["restart asked for"]
        assert set(ended.values()) == {0}
    assert times >= 500


def test_recorded_files_of_strangers_and_limits() -> None:
    found = record("hostile")
    assert found["findings"] == {}
    assert found["outcomes"]["finding"] == 0
    assert max(max(each.values()) for each in found["growth"].values()) <= 8.0


def test_recorded_limits_are_of_every_case_and_hold() -> None:
    """A case fits into the limit, or is refused by it; where it fits it ends as it was foreseen to."""
    limits = tool("limits")
    cases = record("limits")["cases"]
    assert set(cases) == set(limits["CASES"])
    for name, case in cases.items():
        if "needs" in case:
            assert case["6 GB"] == "estimate", name
            assert case["needs"] + 1e9 > limits["MOST"], name
            continue
        assert 0.8 <= case["peak / foreseen"] <= 1.2, name
        assert (case["limit"], case["addresses"]) == ("estimate", "estimate"), name
        assert case["interrupt"] == "clean", name
        assert case["of the processor"] <= 2.0, name
        assert case["progress"], name


def test_recorded_builds_have_the_same_bits_but_for_the_last_digits() -> None:
    found = record("builds")
    assert {"generic", "x86-64-v3", "bounds", "rubbish 165", "python"} <= set(found)
    for name, build in found.items():
        assert build["errors"] == {}, name
        assert build["largest relative difference"] < 1e-14, name
        assert build["cases"] == build["same bits"] or build["others"], name
        names = "cox_score f_statistic mrmr_correlation pearson"
        sums = {f"filter-{each}" for each in names.split()}
        assert set(build["others"]) <= sums, name


def test_a_step_back_of_a_hot_task_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    hot = runpy.run_path(str(FOLDER / "bench_hot.py"))
    kept = [(f"c{i}", {"rra": 2.0, "old": 1.0}) for i in range(12)]
    kept.append(("now", {"rra": 2.21, "new": 5.0}))
    assert hot["steps_back"](kept[-2][1], kept[-1][1]) == ["rra"]
    assert hot["steps_back"](kept[-2][1], {"rra": 2.19, "old": 1.0}) == []
    first, second = hot["rows_of"](kept)
    assert list(first) == ["task", *(f"c{i}" for i in range(3, 12)), "now"]
    assert (first["c11"], first["now"]) == ("2", "2.21 !")
    assert (second["c11"], second["now"]) == ("", "5")
    names = [set(figures) for _, figures in hot["earlier"]()]
    assert names[-1] == set(hot["tasks"]())
