"""A small table whose answer is known."""

import numpy as np
import pandas as pd


def table(
    signal: float, n: int = 80, p: int = 10, seed: int = 0
) -> tuple[pd.DataFrame, np.ndarray]:
    """Two classes; the first two features differ between them by `signal` standard deviations."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :2] += signal * y[:, np.newaxis]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]), y
