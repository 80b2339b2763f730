"""The wheel: what is packed, and that it works away from the checkout."""

import os
import re
import zipfile
from pathlib import Path

import pytest
from loading import ROOT, python

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    python("-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ".", cwd=ROOT)
    (found,) = folder.glob("*.whl")
    return found


def test_data_templates_and_type_marker_are_packed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for table in (ROOT / "data" / "published").glob("*.*"):
        assert f"pyfsagg/datasets/data/published/{table.name}" in names
    assert "pyfsagg/datasets/data/ionosphere.csv" in names
    assert "pyfsagg/py.typed" in names
    assert any(name.startswith("pyfsagg/_report/templates/") for name in names)
    unwanted = re.compile(r"(^|/)(tests?/|test_|__pycache__)")
    assert not [name for name in names if unwanted.search(name)]


def test_installed_wheel_works_in_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    pip = "pip install --quiet --no-deps --disable-pip-version-check --target"
    python("-m", *pip.split(), site, wheel)
    empty = tmp_path / "empty"
    empty.mkdir()
    code = """
from importlib.metadata import entry_points
import pyfsagg, pyfsagg_papers, pyfsagg_rpy2
from pyfsagg.cli import main
print(pyfsagg.__file__)
print(*sorted(entry_points(group="pyfsagg.commands").names))
print(pyfsagg.load_dataset("ionosphere").X.shape, len(pyfsagg_papers.load_published("4.3")))
demo = "demo --method wam --filter chi_squared --n-resamples 5 --output out --quiet"
raise SystemExit(main(demo.split()))
"""
    # The question is what is packed; kernels would be compiled once more for the new folder.
    environment = {**os.environ, "PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "1"}
    done = python("-c", code, cwd=empty, env=environment)
    where, commands, shape = done.stdout.splitlines()
    assert Path(where).is_relative_to(site)
    assert commands == "cross-check reproduce"
    assert shape == "(351, 34) 46"
    assert (empty / "out" / "report.html").is_file()
