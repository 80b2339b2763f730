"""What tests of the R package pyfsaggr share: where it is, and how R is started."""

import os
import shutil
from pathlib import Path

import pytest
from loading import ROOT, program

SOURCE = ROOT / "r_bridge" / "pyfsaggr"


def need_pyfsaggr() -> None:
    """Skip the module where R, or a Python that reticulate can use, is not there."""
    reason = ""
    if shutil.which("Rscript") is None:
        reason = "R is not installed"
    elif not os.environ.get("PYFSAGG_PYTHON"):
        reason = "PYFSAGG_PYTHON names no Python that reticulate can use"
    if reason and os.environ.get("PYFSAGG_REQUIRE_ALL") != "1":
        pytest.skip(reason, allow_module_level=True)


def run(*command: str, folder: Path, **environment: str) -> str:
    """What a command prints; it must succeed."""
    settings = clean({**os.environ, **environment})
    return program(*command, cwd=folder, timeout=900, env=settings).stdout


def rscript(code: str, *folders: Path, folder: Path, **environment: str) -> str:
    """What R prints of code, with packages from further folders."""
    return run("Rscript", "-e", code, folder=folder, R_LIBS=libraries(*folders), **environment)


def clean(environment) -> dict[str, str]:
    """Without the paths of the Python of this test, which is another than that of R."""
    others = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    return {key: value for key, value in environment.items() if key not in others}


def libraries(*first: Path, last: Path | None = None) -> str:
    """`R_LIBS` with these folders around those that are set, such as one with a newer reticulate."""
    folders = [*first, os.environ.get("R_LIBS"), last]
    return os.pathsep.join(str(folder) for folder in folders if folder)
