"""Collections of selected features, for tests of stability."""

import itertools

import numpy as np


def all_subsets(p: int, size: int) -> np.ndarray:
    """Every selection of `size` of `p` features, one in a row."""
    chosen = list(itertools.combinations(range(p), size))
    out = np.zeros((len(chosen), p), dtype=bool)
    for row, columns in zip(out, chosen, strict=True):
        row[list(columns)] = True
    return out
