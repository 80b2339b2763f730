"""The Python of the README runs as it is printed, with a tenth of the resamples."""

import re
from pathlib import Path

import pytest

import pyfsagg_papers

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


def test_python_blocks_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, items in {"a": "wxyz", "b": "xwz", "c": "yx"}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(items) + "\n")
    assert len(BLOCKS) >= 4
    scope: dict[str, object] = {}
    for block in BLOCKS:
        shorter = re.sub(r"(?<=n_resamples=)(\d+)0\b", r"\1", block)
        shorter = re.sub(r"(?<=n_jobs=)\d+", "2", shorter)
        exec(compile(shorter, "README.md", "exec"), scope)
    assert (tmp_path / "run" / "run.json").is_file()


def test_commands_of_the_readme_exist() -> None:
    from pyfsagg.cli import build_parser

    (commands,) = (a for a in build_parser()._actions if a.dest == "command")
    named = set(re.findall(r"^pyfsagg ([a-z-]+)", README, flags=re.MULTILINE))
    assert len(README.split()) <= 900  # one page; the rest is on the site
    assert named <= set(commands.choices or ())
    assert {"rank", "aggregate", "stability", "influence"} <= named


def test_figures_of_what_was_found_are_those_of_the_shipped_run() -> None:
    told = README.split("## What it found on real data")[1].split("##")[0]
    finding = pyfsagg_papers.shipped_stuart()
    numbers = re.findall(r"\d[\d.]*\d", told)
    assert numbers == ["0.048", "0.267", "0.983", "0.999", "40"]
    found = " ".join(finding.conclusions())
    assert all(number in found for number in numbers)
    assert len(finding.parameters["datasets"]) == 4
