"""Files around the code agree with each other: one version, a changelog entry, a valid citation."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import pyfsagg
from pyfsagg._base.deprecation import deprecated

ROOT = Path(__file__).parents[2]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_one_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "pyfsagg/_version.py"
    in_r = re.search(r"^Version: (.+)$", read("r_bridge/pyfsaggr/DESCRIPTION"), re.MULTILINE)
    cited = re.search(r"^version: (.+)$", read("CITATION.cff"), re.MULTILINE)
    newest = re.search(r"^## \[(.+?)\]", read("CHANGELOG.md"), re.MULTILINE)
    assert in_r is not None
    assert cited is not None
    assert newest is not None
    assert {in_r[1], cited[1], newest[1]} == {pyfsagg.__version__}


def test_every_tier_of_the_makefile_is_explained() -> None:
    targets = re.findall(r"^([a-z-]+):.*##", read("Makefile"), re.MULTILINE)
    told = read("CONTRIBUTING.md") + read("README.md")
    assert {"test", "lint", "docs", "validate"} <= set(targets)
    for target in targets:
        assert f"make {target}" in told, target


def test_a_deprecated_function_says_what_to_use() -> None:
    @deprecated(since="0.3", removed_in="0.5", instead="new(x)")
    def old(x: int) -> int:
        """Return x + 1."""
        return x + 1

    with pytest.warns(FutureWarning, match=r"old is deprecated since pyfsagg 0.3 .* use new\(x\)"):
        assert old(1) == 2
    assert old.__doc__ == "Return x + 1."
