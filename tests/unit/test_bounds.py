"""The tier that looks at every index of a kernel: that it does look."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
from pyfsagg._kernels.ranks import tied_ranks

try:
    tied_ranks(np.zeros((1, 2)), np.array([[0, 5]]), 0.0)
except IndexError:
    print("looked")
"""

RUBBISH = """
import numba, numpy as np

@numba.njit
def forgotten():
    return np.empty(4000)

print(np.unique(forgotten().view(np.uint8)).tolist())
"""


def printed(program: str, **environment: str) -> str:
    command, environment = [sys.executable, "-c", program], {**os.environ, **environment}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the C library of Linux fills memory"
)
def test_memory_that_is_never_written_is_rubbish_in_the_tier() -> None:
    assert "90" in printed(RUBBISH, MALLOC_PERTURB_="165")  # the complement of 165


def test_the_tier_looks_at_indices(tmp_path: Path) -> None:
    looks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    assert printed(PROGRAM, **looks) == "looked\n"
