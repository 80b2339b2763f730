from pathlib import Path

import pytest

from pyfsaggr import SOURCE, libraries, run

STANDINS = Path(__file__).parent / "standins"


def install(package: Path, library: Path) -> None:
    quick = ("--no-byte-compile", "--no-test-load")  # the check of the package does both
    command = ("R", "CMD", "INSTALL", *quick, f"--library={library}")
    run(*command, str(package), folder=library, R_LIBS=libraries(library))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of the R package."""
    folder = tmp_path_factory.mktemp("pyfsaggr")
    run("R", "CMD", "build", "--no-build-vignettes", str(SOURCE), folder=folder)
    (package,) = folder.glob("pyfsaggr_*.tar.gz")
    return package


@pytest.fixture(scope="session")
def library(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the R package installed."""
    folder = tmp_path_factory.mktemp("library")
    install(built, folder)
    return folder


@pytest.fixture(scope="session")
def mlr3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with stand-ins of packages that Debian lacks, for those that are not installed."""
    folder = tmp_path_factory.mktemp("mlr3")
    for name in ("paradox", "mlr3", "mlr3filters", "S7", "filtro"):
        install(STANDINS / name, folder)
    return folder


@pytest.fixture(scope="session")
def new_reticulate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a stand-in of reticulate from 1.41 on, which says what it is told."""
    folder = tmp_path_factory.mktemp("reticulate")
    install(STANDINS / "reticulate", folder)
    return folder
