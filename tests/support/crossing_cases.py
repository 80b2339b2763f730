"""Boundaries that sorted uniform numbers may cross, the same for the program and for the package."""

import numpy as np
from scipy.special import betaincinv


def ranks(n: int, shape: str) -> np.ndarray:
    """Sorted ranks, rounded to 40 binary digits so that 1 - r is exact, too."""
    k = np.arange(1.0, n + 1.0)
    share = (k + np.sqrt(n)) / (n + np.sqrt(n)) if shape == "ahead" else np.sqrt(k / (n + 1.0))
    return np.round(share * 2.0**40) / 2.0**40


def boundaries(n: int, log_rho: float, alpha: float) -> np.ndarray:
    """The rho quantiles of Beta(k, n - k + 1), at most alpha for k > 1."""
    k = np.arange(1.0, n + 1.0)
    levels = betaincinv(k, n - k + 1.0, np.exp(log_rho))
    levels[1:] = np.minimum(levels[1:], alpha)
    return levels
