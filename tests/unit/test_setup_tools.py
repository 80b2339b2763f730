"""The scripts behind ``make test`` choose what fits the machine."""

import platform
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from loading import ROOT, program, python, tool

TOOLS = ("bash", "sed", "sort", "head", "cat", "tr", "id")

pytestmark = pytest.mark.skipif(
    any(shutil.which(name) is None for name in TOOLS), reason="needs a Unix shell"
)


@pytest.fixture
def run(tmp_path: Path):
    """Run a script of ``tools`` with nothing on the PATH but basic tools and a made-up R."""

    def run(script: str, r_version: str | None, *, headers: bool = True):
        programs = tmp_path / "bin"
        programs.mkdir(exist_ok=True)
        for name in TOOLS:
            (programs / name).symlink_to(shutil.which(name))
        if r_version:
            if headers:
                (tmp_path / "R.h").touch()
            fake = programs / "R"
            fake.write_text(
                f'#!{shutil.which("bash")}\ncase "$*" in\n'
                f'  *--version*) echo "R version {r_version} (2022-11-10) -- \\"A name\\"" ;;\n'
                f'  *R.home*) printf %s "{tmp_path}" ;;\nesac\n'
            )
            fake.chmod(0o755)
        return subprocess.run(
            [str(programs / "bash"), str(ROOT / "tools" / script)],
            env={"PATH": str(programs), "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("version", "extra"),
    [("4.2.2", ",r"), ("4.4.3", ",r"), ("4.5.0", ",r45"), ("4.10.1", ",r45"), ("5.0.0", ",r45")],
)
def test_the_rpy2_that_fits_the_r_found(run, version: str, extra: str) -> None:
    done = run("r_extra.sh", version)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, extra, "")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (requirement,) = project["optional-dependencies"][extra.removeprefix(",")]
    assert requirement == ("rpy2==3.5.17" if extra == ",r" else "rpy2>=3.6.4")


def test_without_r_or_without_its_headers_the_bridge_is_left_out(run, tmp_path: Path) -> None:
    done = run("r_extra.sh", None)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    shutil.rmtree(tmp_path / "bin")
    done = run("r_extra.sh", "4.2.2", headers=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert "without its headers" in done.stderr


def test_the_setup_script_says_what_is_missing_and_how_to_get_it(run) -> None:
    done = run("setup_system.sh", None)
    assert (done.returncode, done.stdout) == (0, "")
    missing, debian, elsewhere, in_r = done.stderr.splitlines()
    assert missing.endswith("will be skipped: R pandoc chromium ")
    packages = ["RobustRankAggreg", "rstatix", "afex", "mlbench", "reticulate", "testthat"]
    packages += ["knitr", "rmarkdown", "ggplot2", "recipes", "bit64", "caret"]
    programs = ["sudo", "apt-get", "install", "r-base-core", "r-base-dev", "pandoc", "chromium"]
    names = [f"r-cran-{name.lower()}" for name in packages]
    assert debian.split(": ")[1].split() == [*programs, *names]
    assert elsewhere.startswith("Elsewhere: install R, pandoc and Chromium")
    assert in_r == f"install.packages(c({', '.join(map(repr, packages))}))"


def test_an_environment_keeps_its_compiled_kernels_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        python("-m", "venv", "--without-pip", tmp_path / name)
        processor = "x86-64-v3" if name == "two" else None
        tool("environment").keep_kernels_apart(tmp_path / name / "bin" / "python", processor)
    own = {name: str(tmp_path / name / "numba") for name in ("one", "two")}
    for given, expected in [("", own["one"]), (own["two"], own["one"]), ("/some", "/some")]:
        code = "import os; print(os.environ['NUMBA_CACHE_DIR'])"
        one = tmp_path / "one" / "bin" / "python"
        done = program(one, "-c", code, env={"NUMBA_CACHE_DIR": given})
        assert done.stdout.strip() == expected
    code = "import os; print(os.environ.get('NUMBA_CPU_NAME'))"
    for name, given, expected in [
        ("one", {}, "None"),
        ("two", {}, "x86-64-v3"),
        ("two", {"NUMBA_CPU_NAME": "a"}, "a"),
    ]:
        done = program(tmp_path / name / "bin" / "python", "-c", code, env=given)
        known = platform.machine() == "x86_64" or given
        assert done.stdout.strip() == (expected if known else "None")


def test_the_lowest_versions_meet_every_test_that_speaks_of_a_library(tmp_path: Path) -> None:
    chosen = tool("lowest_selection")
    first, thorough = chosen.selections()
    for part, _, test in (named.partition("::") for named in (*first, *thorough)):
        assert (ROOT / part).exists()
        assert not test or f"def {test}(" in (ROOT / part).read_text("utf-8")
    (tmp_path / "tests" / "unit").mkdir(parents=True)
    text = (ROOT / "tests" / "lowest_selection.txt").read_text(encoding="utf-8")
    (tmp_path / "tests" / "lowest_selection.txt").write_text(text)
    (tmp_path / "tests" / "unit" / "test_new.py").write_text("def test_a():\n    import sklearn\n")
    (tmp_path / "tests" / "unit" / "test_own.py").write_text("import numpy\n")
    chosen.ROOT = tmp_path
    assert "tests/unit/test_new.py" in chosen.selections()[1]
    assert "tests/unit/test_own.py" not in chosen.selections()[1]
