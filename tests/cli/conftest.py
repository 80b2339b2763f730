"""The command line as users type it, and a table to rank."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from markupsafe import Markup
from matplotlib import rc_context
from terminal import command, process, pyfsagg, refused

from pyfsagg import load_dataset
from pyfsagg._base.remarks import ALONE
from pyfsagg._command import results
from pyfsagg._report import drawing

__all__ = ["command", "process", "pyfsagg", "refused"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
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
    if request.node.get_closest_marker("rendered"):
        return

    def compose(draw: Callable[[], object], *, prefix: str, label: str) -> Markup:
        with ALONE, rc_context():
            draw()
        return Markup('<svg role="img" aria-label="{}"></svg>').format(label)

    monkeypatch.setattr(drawing, "inline_svg", compose)
