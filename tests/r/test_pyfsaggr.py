"""The R package pyfsaggr: its own tests; checked as R checks packages; and the Python that it finds."""

import json
import os
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest
from loading import tool

import pyfsagg
from pyfsagg.cli import main
from pyfsaggr import ROOT, SOURCE, libraries, need_pyfsaggr, rscript, run

pytestmark = pytest.mark.r
need_pyfsaggr()


def check(package, folder, mlr3, *options, **environment):
    """What R CMD check writes, and the output of the tests in it; all examples run once."""
    run(
        *("R", "CMD", "check", "--no-manual", "--run-donttest", *options),
        str(package),
        folder=folder,
        R_LIBS=libraries(last=mlr3),
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


def test_its_own_tests_find_nothing(library: Path, mlr3: Path, tmp_path: Path) -> None:
    """Those that take seconds; the check of the package runs all of them."""
    shutil.copytree(SOURCE / "tests", tmp_path / "tests")
    quick = "bad-input|ensemble|feature-groups|install|lists|mlr3|names|praznik|studies|table|vote"
    code = f"testthat::test_check('pyfsaggr', filter = '{quick}')"
    tests = run(
        *("Rscript", "-e", code),
        folder=tmp_path / "tests",
        R_LIBS=libraries(library, last=mlr3),
        PYFSAGG_REQUIRE_ALL="1",  # nothing is skipped for want of Python
    )
    assert "[ FAIL 0 | WARN 0 | SKIP 0 |" in tests


@pytest.mark.thorough
def test_r_cmd_check_finds_nothing(built: Path, mlr3: Path, tmp_path: Path) -> None:
    log, tests = check(
        built,
        tmp_path,
        mlr3,
        *("--as-cran", "--no-build-vignettes", "--ignore-vignettes"),
        PYFSAGG_REQUIRE_ALL="1",  # inside, nothing is skipped for want of Python
        _R_CHECK_EXAMPLE_TIMING_THRESHOLD_="600",  # kernels are compiled in the first example
    )
    assert "Status: OK" in log, log[-3000:]
    assert "[ FAIL 0 | WARN 0 | SKIP 0 |" in tests


@pytest.mark.thorough
def test_r_cmd_check_without_python_finds_nothing(mlr3: Path, tmp_path: Path) -> None:
    """As on the machines of a package archive: vignette, examples and tests step back.

    What --as-cran and codetools see in the files alone was seen in the check with Python.
    """
    absent = str(tmp_path / "absent")
    run("R", "CMD", "build", str(SOURCE), folder=tmp_path, PYFSAGG_PYTHON=absent)
    (package,) = tmp_path.glob("pyfsaggr_*.tar.gz")
    log, tests = check(
        package,
        tmp_path,
        mlr3,
        PYFSAGG_PYTHON=absent,
        PYFSAGG_REQUIRE_ALL="",
        _R_CHECK_USE_CODETOOLS_="false",
    )
    assert "Status: OK" in log, log[-3000:]
    assert "FAIL 0 | WARN 0" in tests


IN_CHECK = {"_R_CHECK_PACKAGE_NAME_": "pyfsaggr", "NOT_CRAN": ""}
SITUATION = (  # whether loading has started a Python, and whether one can be used
    "suppressMessages(library(pyfsaggr)); cat(reticulate::py_available(initialize = FALSE), ''); "
    "cat(pyfsagg_available(), '\\n'); pyfsagg_sitrep(); "
    "tryCatch(invisible(list_methods('filters')), error = function(e) cat(class(e)[1])); "
    "if (reticulate::py_available()) cat(' started')"
)


def test_a_python_that_cannot_be_used_is_said(library: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    run("python3", "-m", "venv", "--without-pip", str(empty), folder=tmp_path)
    broken, old = tmp_path / "broken", tmp_path / "old"
    for program, says in ((broken, "exit 1"), (old, "echo 3.9")):
        program.write_text(f"#!/bin/sh\n{says}\n", encoding="utf-8")
        program.chmod(0o755)
    reasons = {
        broken: "it does not start",
        old: "it is Python 3.9, and pyfsagg needs 3.11 or later",
        empty / "bin" / "python": "it has no pyfsagg",
        tmp_path / "absent": "no Python and no virtual environment",
        # numpy 2 or later, which reticulate reads since 1.39
        Path(sys.executable): "update reticulate to 1.39 or later",
    }
    for python, reason in reasons.items():
        said = rscript(SITUATION, library, folder=tmp_path, PYFSAGG_PYTHON=str(python))
        if "1.39" in reason and "can be used" in said:
            continue  # a reticulate of today
        assert said.startswith("FALSE FALSE")
        assert reason in " ".join(said.split())
        assert "What to do: ." not in said
        assert "install_pyfsagg()" in said
        # One that does not do is not started, so install_pyfsagg() can be used in this session.
        started = " started" if "1.39" in reason else ""
        assert said.endswith(f"pyfsagg_missing_dependency_error{started}")


KEPT = """
suppressMessages(library(pyfsaggr))
result <- load_result("run")
saveRDS(result, "run.rds")
result <- readRDS("run.rds")
stopifnot(c("p_value", "family_wise_p_value") %in% names(summary(result)$ranking))
print(summary(result))
write_report(result, "report.html")
write_result(result, "again")
own <- wam(iris[1:4], iris$Species, n_resamples = 5, seed = 1, progress = FALSE,
           shuffles = 9)
stopifnot(max(own$ranking$p_value) <= 1)
"""


def test_p_values_of_the_terminal_stay_in_r(library: Path, tmp_path: Path) -> None:
    made = f"demo --filter ig --n-resamples 5 --shuffles 9 --quiet --output {tmp_path / 'run'}"
    assert main(made.split()) == 0
    said = rscript(KEPT, library, folder=tmp_path)
    assert "family_wise_p_value" in said
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "from shuffled targets" in page
    first, again = (
        pyfsagg.ensemble.EnsembleResult.load(tmp_path / name).to_frame()
        for name in ("run", "again")
    )
    pd.testing.assert_frame_equal(first, again)
    assert {"p_value", "family_wise_p_value"} <= set(first.columns)


def test_a_check_of_packages_starts_no_python_that_was_not_named(library, tmp_path):
    settings = {"WORKON_HOME": str(tmp_path), "PYFSAGG_PYTHON": ""}
    code = SITUATION + "; cat(reticulate::py_available())"
    said = rscript(code, library, folder=tmp_path, **settings, **IN_CHECK)
    assert said.startswith("FALSE FALSE")
    assert said.endswith("FALSE")
    assert "must not download one" in " ".join(said.split())


def test_the_environment_that_was_installed_is_found_with_nothing_set(library, tmp_path):
    environment = Path(os.environ["PYFSAGG_PYTHON"]).parents[1]
    (tmp_path / "r-pyfsagg").symlink_to(environment)
    settings = {"WORKON_HOME": str(tmp_path), "PYFSAGG_PYTHON": ""}
    said = rscript(SITUATION, library, folder=tmp_path, **settings)
    assert said.startswith("FALSE TRUE")
    assert any(f"Python: {folder}/" in said for folder in (tmp_path / "r-pyfsagg", environment))


def test_a_reticulate_of_today_is_told_where_to_look(library, new_reticulate, tmp_path):
    def said(environment: str, **settings: str) -> list[str]:
        settings["STANDIN_ENVIRONMENT"] = environment
        there = (new_reticulate, library)
        return rscript("library(pyfsaggr)", *there, folder=tmp_path, **settings).split()

    assert said("there") == ["use_virtualenv", "r-pyfsagg", "FALSE"]
    told = said("")
    assert (told[0], told[-1]) == ("py_require", ">=3.11")
    code = "cat(pyfsaggr::pyfsagg_available(), ''); pyfsaggr::pyfsagg_sitrep()"
    question = rscript(code, new_reticulate, library, folder=tmp_path, PYFSAGG_PYTHON="")
    assert "FALSE" in question  # the stand-in cannot start any
    assert "a question downloads nothing" in " ".join(question.split())
    assert said("", **IN_CHECK) == []
    assert told[1] == "pyfsagg"  # by its name: this archive has no wheel


@pytest.mark.thorough
def test_the_package_installs_its_wheel_without_an_index(tmp_path: Path) -> None:
    """As after ``make dist``: a new session then finds the environment with nothing set."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]
    run(*command, str(tmp_path), str(ROOT), folder=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    archive = tool("r_archive").build(wheel, tmp_path, "--no-build-vignettes")
    library = tmp_path / "library"
    library.mkdir()
    run("R", "CMD", "INSTALL", f"--library={library}", str(archive), folder=tmp_path)
    # What pyfsagg depends on is there already; pyfsagg itself is not.
    python = Path(os.environ["PYFSAGG_PYTHON"])
    run(str(python), "-m", "venv", str(tmp_path / "r-pyfsagg"), folder=tmp_path)
    (site,) = (tmp_path / "r-pyfsagg").glob("lib/python3*/site-packages")
    for each in json.loads(run(str(python), "-c", INSTALLED, folder=tmp_path)):
        if "pyfsagg" not in Path(each).name and not (site / Path(each).name).exists():
            (site / Path(each).name).symlink_to(each)
    settings = {
        "R_LIBS": libraries(library),
        "WORKON_HOME": str(tmp_path),
        "PYFSAGG_PYTHON": "",
        "PIP_NO_INDEX": "1",
        # R puts libraries of the system first, with which a Python of another build has no ssl.
        "R_LD_LIBRARY_PATH": run("R", "RHOME", folder=tmp_path).strip() + "/lib",
    }
    install = "cat(pyfsaggr::install_pyfsagg(python = commandArgs(TRUE)))"
    run("Rscript", "-e", install, str(python), folder=tmp_path, **settings)
    file = "reticulate::import('pyfsagg')$`__file__`"
    code = f"cat(pyfsaggr::list_methods('filters')$name[1], {file})"
    said = run("Rscript", "-e", code, folder=tmp_path, **settings)
    assert "r-pyfsagg/lib" in said


INSTALLED = """
import json, sys
from pathlib import Path
folders = [Path(folder) for folder in sys.path if folder.endswith("site-packages")]
print(json.dumps([str(each) for folder in folders for each in folder.iterdir()]))
"""
