"""The R package pyfsaggr: checked as R checks packages, with its own tests and examples."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "r_bridge" / "pyfsaggr"

pytestmark = pytest.mark.r

REASON = ""
if shutil.which("Rscript") is None:
    REASON = "R is not installed"
elif not os.environ.get("PYFSAGG_PYTHON"):
    REASON = "PYFSAGG_PYTHON names no Python that reticulate can use"
if REASON and os.environ.get("PYFSAGG_REQUIRE_ALL") != "1":
    pytest.skip(REASON, allow_module_level=True)


def run(*command: str, folder: Path, **environment: str) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env=clean({**os.environ, **environment}),
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def clean(environment: Mapping[str, str]) -> dict[str, str]:
    """Without the paths of the Python of this test, which is another than that of R."""
    others = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {key: value for key, value in environment.items() if key not in others}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pyfsaggr")
    run("R", "CMD", "build", "--no-build-vignettes", str(SOURCE), folder=folder)
    (package,) = folder.glob("pyfsaggr_*.tar.gz")
    return package


@pytest.fixture(scope="module")
def library(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package installed."""
    folder = tmp_path_factory.mktemp("library")
    run("R", "CMD", "INSTALL", f"--library={folder}", str(built), folder=folder)
    return folder


def test_r_cmd_check_finds_nothing(built: Path, tmp_path: Path) -> None:
    run(
        *("R", "CMD", "check", "--no-manual", "--no-build-vignettes", "--ignore-vignettes"),
        str(built),
        folder=tmp_path,
        _R_CHECK_FORCE_SUGGESTS_="false",
        PYFSAGG_REQUIRE_ALL="1",  # inside, nothing is skipped for want of Python
    )
    log = (tmp_path / "pyfsaggr.Rcheck" / "00check.log").read_text(encoding="utf-8")
    assert "Status: OK" in log, log[-3000:]
    tests = (tmp_path / "pyfsaggr.Rcheck" / "tests" / "testthat.Rout").read_text(encoding="utf-8")
    assert "[ FAIL 0 | WARN 0 | SKIP 0 |" in tests


def test_loading_starts_no_python(library: Path, tmp_path: Path) -> None:
    code = (
        "suppressMessages(library(pyfsaggr)); "
        "cat(reticulate::py_available(initialize = FALSE), pyfsagg_available(), "
        "reticulate::py_available(initialize = FALSE))"
    )
    assert run("Rscript", "-e", code, folder=tmp_path, R_LIBS=str(library)) == "FALSE TRUE TRUE"


SITUATION = (
    "suppressMessages(library(pyfsaggr)); cat(pyfsagg_available(), '\\n'); pyfsagg_sitrep(); "
    "tryCatch(invisible(list_filters()), error = function(e) cat(class(e)[1]))"
)


def test_a_python_that_cannot_be_used_is_said(library: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    run("python3", "-m", "venv", "--without-pip", str(empty), folder=tmp_path)
    reasons = {
        empty / "bin" / "python": "No module named 'pyfsagg'",
        tmp_path / "absent": "no Python and no virtual environment",
        # numpy 2 or later, which reticulate reads since 1.39
        Path(sys.executable): "update reticulate to 1.39 or later",
    }
    for python, reason in reasons.items():
        said = run(
            *("Rscript", "-e", SITUATION),
            folder=tmp_path,
            R_LIBS=str(library),
            PYFSAGG_PYTHON=str(python),
        )
        if "1.39" in reason and "can be used" in said:
            continue  # a reticulate of today
        assert said.startswith("FALSE")
        assert reason in " ".join(said.split())
        assert "install_pyfsagg()" in said
        assert said.endswith("pyfsagg_missing_dependency_error")


def test_the_environment_that_was_installed_is_found_with_nothing_set(
    library: Path, tmp_path: Path
) -> None:
    environment = Path(os.environ["PYFSAGG_PYTHON"]).parents[1]
    (tmp_path / "r-pyfsagg").symlink_to(environment)
    said = run(
        *("Rscript", "-e", SITUATION),
        folder=tmp_path,
        R_LIBS=str(library),
        WORKON_HOME=str(tmp_path),
        PYFSAGG_PYTHON="",
    )
    assert said.startswith("TRUE")
    assert any(f"Python: {folder}/" in said for folder in (tmp_path / "r-pyfsagg", environment))


def test_without_python_nothing_fails(library: Path, tmp_path: Path) -> None:
    """As on the machines of a package archive: tests and examples step back."""
    code = (
        "library(pyfsaggr); stopifnot(!pyfsagg_available()); "
        "example(wam, run.dontrun = FALSE, echo = FALSE); "
        f"testthat::test_dir('{SOURCE / 'tests' / 'testthat'}', reporter = 'stop')"
    )
    run(
        *("Rscript", "-e", code),
        folder=tmp_path,
        R_LIBS=str(library),
        PYFSAGG_PYTHON=str(tmp_path / "absent"),
        PYFSAGG_REQUIRE_ALL="",
    )
