"""The backward elimination that the four methods share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pyfsagg._run.checkpoint import Checkpoint

__all__ = ["Strategy", "run_elimination"]


class Strategy(Protocol):
    """What a method knows: which features it would remove next, and what a removal changes."""

    def candidates(self) -> tuple[NDArray[np.intp], float]:
        """The features (original positions) that are equally good to remove, and their criterion."""
        ...

    def remove(self, feature: int) -> None:
        """Take a feature out."""
        ...

    def remove_all(self, features: NDArray[np.intp]) -> None:
        """Take out the features that an earlier run has removed, in this order."""
        for feature in features:
            self.remove(int(feature))


def run_elimination(
    strategy: Strategy,
    priority: NDArray[np.intp],
    told: Callable[[int], None] = lambda removed: None,
    checkpoint: Checkpoint | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Remove features one by one; returns the order (p,) and the criterion at each removal (p,).

    Among equally good candidates the one with the largest `priority` goes first.  The feature that
    is left at the end closes the order; its criterion is NaN, as nothing was weighed.  Removals that
    a checkpoint holds are repeated without weighing.  `told` hears how many are removed.
    """
    p = priority.size
    order = np.empty(p, dtype=np.intp)
    criterion = np.full(p, np.nan)
    present = np.ones(p, dtype=np.bool_)
    done = _kept_steps(checkpoint, order, criterion)
    present[order[:done]] = False
    if 0 < done < p - 1:
        strategy.remove_all(order[:done])
    for step in range(done, p - 1):
        candidates, criterion[step] = strategy.candidates()
        removed = int(candidates[np.argmax(priority[candidates])])
        order[step] = removed
        present[removed] = False
        if step < p - 2:
            strategy.remove(removed)
        if checkpoint is not None:
            piece = {"removed": np.array(removed), "criterion": np.array(criterion[step])}
            checkpoint.put(f"step {step}", piece)
        told(step + 1)
    order[-1] = np.flatnonzero(present)[0]
    return order, criterion


def _kept_steps(
    checkpoint: Checkpoint | None, order: NDArray[np.intp], criterion: NDArray[np.float64]
) -> int:
    """Fill in the steps of an earlier run; returns their number."""
    step = 0
    while checkpoint is not None and (key := f"step {step}") in checkpoint:
        piece = checkpoint.get(key)
        order[step], criterion[step] = piece["removed"], piece["criterion"]
        step += 1
    return step
