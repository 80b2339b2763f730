"""The command line as users type it, and a table to rank."""

from pathlib import Path

import numpy as np
import pytest
from terminal import command, process, pyfsagg, refused

from pyfsagg import load_dataset

__all__ = ["command", "process", "pyfsagg", "refused"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """``wine.csv`` with the classes in `kind` and the number of a pair of rows in `subject`."""
    wine, path = load_dataset("wine"), tmp_path / "wine.csv"
    wine.X.assign(kind=wine.y, subject=np.arange(178) // 2).to_csv(path, index=False)
    return path
