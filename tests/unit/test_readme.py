"""The Python of the README runs as it is printed, with a tenth of the resamples."""

import re
from pathlib import Path

import pytest

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
