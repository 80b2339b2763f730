"""Equal scores in a ranking: how many there are, and whether they decide what is selected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["about_ties", "tie_sizes"]


def tie_sizes(scores: Floats) -> NDArray[np.int64]:
    """How many entries have the score of each entry, itself included: 1 where nothing is tied.

    Examples
    --------
    >>> tie_sizes(np.array([0.5, 2.0, 0.5, 1.0]))
    array([2, 1, 2, 1])
    """
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    found: NDArray[np.int64] = sizes[group]
    return found


def about_ties(scores: Floats, k: int | None = None, noun: str = "features") -> str:
    """A sentence on equal scores, and on those at the edge of the best `k`; empty without ties.

    Examples
    --------
    >>> about_ties(np.array([0.5, 2.0, 0.5, 1.0]))
    '2 of 4 features have the same score: their order is arbitrary.'
    """
    sizes = tie_sizes(scores)
    tied, p = int((sizes > 1).sum()), len(scores)
    if not tied:
        return ""
    largest = int(sizes.max())
    text = f"{tied:,} of {p:,} {noun} have the same score: their order is arbitrary."
    if largest < tied:
        text = (
            f"{tied:,} of {p:,} {noun} share their score with others (up to {largest:,} have the "
            "same): their order among these is arbitrary."
        )
    if k is None or k >= p:
        return text
    edge = np.partition(scores, p - k)[p - k]
    room = k - int((scores > edge).sum())
    group = int((scores == edge).sum())
    if room == group:
        return text
    verb = "is" if room == 1 else "are"
    return (
        f"{text} {room:,} of {'these' if group == tied else 'a group of'} {group:,} {verb} among the "
        f"best {k:,} only because of the order of the columns."
    )
