"""The recipes of the handbook work as they are printed, in a copy of the package."""

import os
import re
import shutil
from pathlib import Path

from loading import ROOT, program, python

HANDBOOK = (ROOT / "docs" / "maintaining.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"[Ii]n\s+`(pyfsagg/\S+\.py)`[^`]*:\n\n```python\n(.*?)```", re.DOTALL)

USED = """
import numpy as np, pyfsagg
assert pyfsagg.__file__.startswith({folder!r})
X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
X[:, 1] += 5 * y
result = pyfsagg.wam(X, y, filter="mean_gap", n_resamples=3, random_state=0, checks="none")
assert result.to_frame()["rank"].idxmin() == "x1"
assert "mean_gap" in pyfsagg.list_methods("filters").index
sets = [["a", "b"], ["a", "b", "c"]]
assert pyfsagg.stability(sets, measures=["overlap"], n_features=5).table["value"].tolist() == [1.0]
"""


def test_the_recipes_for_a_filter_and_a_measure(tmp_path: Path) -> None:
    shutil.copytree(
        ROOT / "pyfsagg", tmp_path / "pyfsagg", ignore=shutil.ignore_patterns("__pycache__")
    )
    blocks = BLOCK.findall(HANDBOOK)
    assert [Path(name).name for name, _ in blocks] == ["mean_gap.py", "__init__.py", "sets.py"]
    for name, code in blocks:
        assert "pyfsagg.extending" not in code  # a door above the rooms
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{code}")
    rules = ["--select", "ANN,F", "--config", ROOT / "pyproject.toml"]
    program(
        shutil.which("ruff") or ROOT / ".venv/bin/ruff", "check", *rules, tmp_path / blocks[0][0]
    )
    python(
        "-c",
        USED.format(folder=str(tmp_path)),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
