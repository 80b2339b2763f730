"""The command line as users type it, and a table to rank."""

import numpy as np
import pytest
from html_pages import compose_pictures
from terminal import command, process, pyfsagg, refused

from pyfsagg import load_dataset
from pyfsagg._command import results

__all__ = ["command", "process", "pyfsagg", "refused"]


@pytest.fixture
def table(tmp_path):
    """``wine.csv`` with the classes in `kind` and the number of a pair of rows in `subject`."""
    wine, path = load_dataset("wine"), tmp_path / "wine.csv"
    wine.X.assign(kind=wine.y, subject=np.arange(178) // 2).to_csv(path, index=False)
    return path


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that are usually short show no progress, however busy the machine is."""
    monkeypatch.setattr(results, "DELAY", float("inf"))


@pytest.fixture(autouse=True)
def composed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are composed and not rendered, which is most of the time of a run with its page.

    Pages with their pictures are the subject of tests/report; a test here that looks at pictures is marked.
    """
    if not request.node.get_closest_marker("rendered"):
        compose_pictures(monkeypatch)
