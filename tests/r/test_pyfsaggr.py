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


def check(package: Path, folder: Path, *options: str, **environment: str) -> tuple[str, str]:
    """What R CMD check --as-cran writes, and the output of the tests in it."""
    run(
        *("R", "CMD", "check", "--as-cran", "--no-manual", *options),
        str(package),
        folder=folder,
        _R_CHECK_FORCE_SUGGESTS_="false",
        _R_CHECK_CRAN_INCOMING_="false",  # asks the network
        _R_CHECK_SYSTEM_CLOCK_="false",  # likewise
        R_QPDF="true",  # a program that is always there: the package has no PDF to make smaller
        TZ="UTC",
        _R_CHECK_RD_XREFS_="false",  # links to packages that are not installed
        **environment,
    )
    log = (folder / "pyfsaggr.Rcheck" / "00check.log").read_text(encoding="utf-8")
    tests = folder / "pyfsaggr.Rcheck" / "tests" / "testthat.Rout"
    return log, tests.read_text(encoding="utf-8")


def test_r_cmd_check_finds_nothing(built: Path, tmp_path: Path) -> None:
    log, tests = check(
        built,
        tmp_path,
        *("--no-build-vignettes", "--ignore-vignettes"),
        PYFSAGG_REQUIRE_ALL="1",  # inside, nothing is skipped for want of Python
        _R_CHECK_EXAMPLE_TIMING_THRESHOLD_="600",  # kernels are compiled in the first example
    )
    assert "Status: OK" in log, log[-3000:]
    assert "[ FAIL 0 | WARN 0 | SKIP 0 |" in tests


def test_r_cmd_check_without_python_finds_nothing(tmp_path: Path) -> None:
    """As on the machines of a package archive: vignette, examples and tests step back."""
    absent = str(tmp_path / "absent")
    run("R", "CMD", "build", str(SOURCE), folder=tmp_path, PYFSAGG_PYTHON=absent)
    (package,) = tmp_path.glob("pyfsaggr_*.tar.gz")
    log, tests = check(package, tmp_path, PYFSAGG_PYTHON=absent, PYFSAGG_REQUIRE_ALL="")
    assert "Status: OK" in log, log[-3000:]
    assert "FAIL 0 | WARN 0" in tests


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
