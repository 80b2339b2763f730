"""What a comparison with R is: cases with values of both sides, and how far they may differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.types import Floats
from r_bridge.comparisons._material import Material

__all__ = [
    "CLOSED_FORM",
    "COMPARISONS",
    "SAME",
    "Case",
    "Comparison",
    "Departure",
    "Difference",
    "Tolerance",
    "compare",
]


@dataclass(frozen=True)
class Tolerance:
    """How far two values may be apart, and why not less.

    Attributes
    ----------
    limit : float
        The largest difference that still counts as agreement.
    scale : {"absolute", "relative"}
        What the difference is taken of.
    reason : str
        Where differences of this size come from.
    floor : float
        For relative differences: values of R below it are divided by it instead of by themselves.
    """

    limit: float
    scale: str
    reason: str
    floor: float = 0.0

    def differences(self, ours: Floats, theirs: Floats) -> Floats:
        """Differences in the unit of the limit; equal values, infinities included, have 0."""
        with np.errstate(invalid="ignore", divide="ignore"):
            apart = np.where(ours == theirs, 0.0, np.abs(ours - theirs))
            if self.scale == "relative":
                apart = np.where(apart == 0.0, 0.0, apart / np.maximum(np.abs(theirs), self.floor))
        return apart


SAME = Tolerance(0.0, "absolute", "counts, orders and codes are the same or not")
CLOSED_FORM = Tolerance(
    1e-8,
    "relative",
    "both sides evaluate the same closed form in double precision, in another order of terms",
    floor=1e-4,
)


class Case(NamedTuple):
    """Values of one quantity on one set of data, by both sides and in the same order."""

    label: str
    ours: ArrayLike
    theirs: ArrayLike


@dataclass(frozen=True)
class Departure:
    """Why the sides are known to differ under the conditions of a comparison.

    Attributes
    ----------
    reason : str
    at_most : float
        Share of the values that may differ for this reason; with more the verdict is "disagrees".
    """

    reason: str
    at_most: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Comparison(Spec):
    """A quantity that pyfsagg and an R package both compute; `summary` says which.

    Attributes
    ----------
    package : str
        The R package.
    ours, theirs : str
        The calls.
    tolerance : Tolerance
    cases : callable
        Takes a :class:`Material` and yields cases; an R error or a refusal of the data ends it.
    departs : Departure, optional
        Of sides that are known to differ on these cases: the difference is then reported as
        documented and not as a disagreement.
    """

    package: str
    ours: str
    theirs: str
    tolerance: Tolerance
    cases: Callable[[Material], Iterable[Case]]
    departs: Departure | None = None


COMPARISONS = Registry("comparison", Comparison)


def compare(
    *,
    name: str,
    package: str,
    summary: str,
    ours: str,
    theirs: str,
    tolerance: Tolerance,
    departs: Departure | None = None,
) -> Callable[[Callable[[Material], Iterator[Case]]], Callable[[Material], Iterator[Case]]]:
    """Register the generator of cases that follows as a :class:`Comparison`."""

    def register(cases: Callable[[Material], Iterator[Case]]) -> Callable[..., Iterator[Case]]:
        COMPARISONS.add(
            Comparison(
                name=name,
                package=package,
                summary=summary,
                ours=ours,
                theirs=theirs,
                tolerance=tolerance,
                cases=cases,
                departs=departs,
            )
        )
        return cases

    return register


@dataclass
class Difference:
    """The differences of the cases met so far.

    Attributes
    ----------
    n_cases, n_values : int
        Cases and single values compared.
    largest : float
        The largest difference among values that both sides define, in the unit of the tolerance.
    worst : str
        The case in which it is.
    n_beyond : int
        Values that are further apart than the tolerance, or that only one side defines.
    n_one_sided : int
        Values that one side defines (as a number) and the other does not.
    """

    tolerance: Tolerance
    n_cases: int = 0
    n_values: int = 0
    largest: float = 0.0
    worst: str = ""
    n_beyond: int = 0
    n_one_sided: int = 0

    def add(self, case: Case) -> None:
        """Take a case in.

        Raises
        ------
        RuntimeError
            If the sides have different shapes: the comparison itself is wrong.
        """
        ours, theirs = (_numbers(side) for side in (case.ours, case.theirs))
        if ours.shape != theirs.shape:
            raise RuntimeError(f"{case.label}: shapes {ours.shape} and {theirs.shape} differ")
        self.n_cases += 1
        self.n_values += ours.size
        undefined = np.isnan(ours), np.isnan(theirs)
        one_sided = int((undefined[0] != undefined[1]).sum())
        self.n_one_sided += one_sided
        both = ~(undefined[0] | undefined[1])
        apart = self.tolerance.differences(ours[both], theirs[both])
        self.n_beyond += one_sided + int((apart > self.tolerance.limit).sum())
        if apart.size and (apart.max() > self.largest or not self.worst):
            self.largest, self.worst = float(apart.max()), case.label

    @property
    def agrees(self) -> bool:
        return self.n_beyond == 0


def _numbers(values: Any) -> Floats:
    return np.atleast_1d(np.asarray(values, dtype=np.float64))
