"""What a comparison with R is: cases with values of both sides, how far they may differ, the outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg_papers.comparisons.material import Material
from pyfsagg_papers.records import Floats

# -------------------------------------------------------------------------------------------------
# the outcome of one comparison, and what its verdict means
# -------------------------------------------------------------------------------------------------

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
        As in :class:`~pyfsagg_rpy2.comparisons.Comparison`.
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


# -------------------------------------------------------------------------------------------------
# what a comparison with R is: cases with values of both sides, and how far they may differ
# -------------------------------------------------------------------------------------------------


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
class Comparison:
    """A quantity that pyfsagg and an R package both compute.

    Attributes
    ----------
    name : str
    summary : str
        Which quantity.
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

    name: str
    summary: str
    package: str
    ours: str
    theirs: str
    tolerance: Tolerance
    cases: Callable[[Material], Iterable[Case]]
    departs: Departure | None = None


COMPARISONS: list[Comparison] = []


def compare(
    **fields: Any,
) -> Callable[[Callable[[Material], Iterator[Case]]], Callable[[Material], Iterator[Case]]]:
    """Add the generator of cases that follows as a :class:`Comparison` with these fields."""

    def add(cases: Callable[[Material], Iterator[Case]]) -> Callable[[Material], Iterator[Case]]:
        COMPARISONS.append(Comparison(cases=cases, **fields))
        return cases

    return add


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
        """Take a case in."""
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
