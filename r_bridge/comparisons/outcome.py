"""The outcome of one comparison, and what its verdict means."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VERDICTS", "Outcome"]

VERDICTS = {
    "agrees": "no difference beyond the tolerance",
    "disagrees": "a difference beyond the tolerance that nothing explains",
    "differs as documented": "a difference whose cause is known and stated",
    "R failed": "the R function raised an error",
    "no case": "the data have no case for the comparison, or do not allow it",
}


@dataclass(frozen=True)
class Outcome:
    """One comparison: what was compared, how far the sides are apart, the verdict.

    Attributes
    ----------
    name, package, quantity, ours, theirs : str
        As in :class:`~r_bridge.comparisons.Comparison`.
    n_cases, n_values, n_beyond : int
        Cases and values compared, and values beyond the tolerance.
    largest : float or None
        The largest difference among values that both sides define, absolute or relative as `scale`
        says; None without values, or where R has zero and the difference is relative.
    worst : str
        The case in which it is.
    tolerance : float
    scale : {"absolute", "relative"}
    reason : str
        Why the tolerance is not smaller.
    verdict : str
        A key of :data:`VERDICTS`.
    note : str
        What is known of the difference, or the message of an error.
    """

    name: str
    package: str
    quantity: str
    ours: str
    theirs: str
    n_cases: int
    n_values: int
    n_beyond: int
    largest: float | None
    worst: str
    tolerance: float
    scale: str
    reason: str
    verdict: str
    note: str
