"""Tables with a known truth, for the designs."""

from __future__ import annotations

import numpy as np

__all__ = [
    "N_RESAMPLED",
    "N_SELECTED",
    "SIGNALS",
    "labelled_table",
    "resampled_scores",
    "scores_of_lists",
    "seen_by_filter",
]

N_SIGNAL = 10
"""So many first features differ between the classes, except with ``noise``."""

SIGNALS: dict[str, np.ndarray] = {
    "noise": np.zeros(0),
    "graded": np.linspace(1.0, 0.1, N_SIGNAL),
    "strong": np.full(N_SIGNAL, 1.5),
    "few weak": np.full(3, 0.6),
}
"""Distance of the class means in standard deviations, for each feature that has a signal."""


def labelled_table(
    rng: np.random.Generator, signal: str, n: int, p: int, correlation: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Normal features of two equally large classes.

    Parameters
    ----------
    rng : Generator
    signal : {"noise", "graded", "strong", "few weak"}
    n, p : int
        Rows and features; the first ten features carry the signal (three of "few weak").
    correlation : float
        Of any two features inside a class.

    Returns
    -------
    X : ndarray of float, shape (n, p)
    y : ndarray of int, shape (n,)
    """
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    if correlation:
        X *= np.sqrt(1.0 - correlation)
        X += np.sqrt(correlation) * rng.standard_normal((n, 1))
    shift = SIGNALS[signal][:p]
    X[:, : len(shift)] += np.outer(y - 0.5, shift)
    return X, y


def scores_of_lists(
    rng: np.random.Generator, n_lists: int, n_items: int, zeros: float = 0.0
) -> np.ndarray:
    """Independent scores of items without any truth in them, shape (n_lists, n_items).

    `zeros` is the expected share of scores that are exactly 0, as of filters that find nothing.
    """
    scores = rng.random((n_lists, n_items))
    scores[rng.random(scores.shape) < zeros] = 0.0
    return scores


N_RESAMPLED, N_SELECTED = 50, 10
"""Features of :func:`resampled_scores`, and how many of them are selected."""

_RESAMPLED = {
    "noise": np.zeros(N_RESAMPLED),
    "graded": np.r_[np.linspace(2.5, 0.0, 2 * N_SELECTED), np.zeros(N_RESAMPLED - 2 * N_SELECTED)],
    "strong": np.r_[np.full(N_SELECTED, 4.0), np.zeros(N_RESAMPLED - N_SELECTED)],
}


def seen_by_filter(noise: np.ndarray, signal: str, filter: str) -> np.ndarray:
    """Scores of a signal and noise, shape (m, 50); of the filter "tied" those below 2 are 0."""
    scores = _RESAMPLED[signal] + noise
    return np.where(scores < 2.0, 0.0, scores) if filter == "tied" else scores


def resampled_scores(rng: np.random.Generator, m: int, signal: str, filter: str) -> np.ndarray:
    """Independent normal scores of 50 features in m resamples; see :func:`seen_by_filter`."""
    return seen_by_filter(rng.standard_normal((m, N_RESAMPLED)), signal, filter)
