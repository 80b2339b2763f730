"""The tier that looks at every index of a kernel: that it does look."""

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import numpy as np
from pyfsagg._kernels.ranks import tied_ranks

try:
    tied_ranks(np.zeros((1, 2)), np.array([[0, 5]]), 0.0)
except IndexError:
    print("looked")
"""


def test_the_tier_looks_at_indices(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "looked\n"
