"""What a run computes beside its resamples, to check what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from pyfsagg._base.checks import check_integer, shown
from pyfsagg._base.settings import Settings, number_or_auto, option
from pyfsagg.exceptions import InputTypeError, ParameterError

__all__ = ["Checks"]

MOST_PAIRS = 30
RESAMPLES_PER_PAIR = 8
"""A run draws one pair, which is two halves, for each so many resamples, at most `MOST_PAIRS`."""

N_SHUFFLES = 19
"""Runs with shuffled targets; the true one is the best of these twenty by chance in one of twenty."""


@dataclass(frozen=True, eq=False)
class Checks(Settings):
    """What a run computes beside its resamples, to check what it says; the ranking does not depend on it.

    Parameters
    ----------
    pairs : int or "auto"
        Pairs of disjoint halves that are scored in addition to the resamples, for
        :meth:`EnsembleResult.between_sample_stability`.  ``"auto"`` is one for every 8 resamples and at
        most 30; 0 turns it off.  The plan ``"complementary_pairs"`` needs none.
    shuffles : int or "auto"
        Targets with shuffled rows that the same filters score in the first resamples, a fiftieth of them
        (from 2 to 10): they show which scores and which stability noise reaches
        (:meth:`EnsembleResult.selection`).  ``"auto"`` is 19; 0 turns it off.  There are none without a
        target, and with groups or weights, whose rows cannot be shuffled one by one.

    Raises
    ------
    ParameterError
        For a value that is neither ``"auto"`` nor a whole number of at least 0.

    Examples
    --------
    >>> Checks(pairs=12).changed()
    {'pairs': 12}
    """

    kind: ClassVar[str] = "checks"

    pairs: int | str = option(
        "auto",
        metavar="N",
        read=number_or_auto,
        help="pairs of disjoint halves that measure the agreement of samples; auto: one for every "
        f"{RESAMPLES_PER_PAIR} resamples, at most {MOST_PAIRS}; 0: none",
    )
    shuffles: int | str = option(
        "auto",
        metavar="K",
        read=number_or_auto,
        help="targets with shuffled rows that show what noise reaches; "
        f"auto: {N_SHUFFLES}; 0: none",
    )

    def check(self) -> None:
        for name, value in (("pairs", self.pairs), ("shuffles", self.shuffles)):
            if not isinstance(value, str):
                check_integer(name, value, low=0)
            elif value != "auto":
                raise ParameterError(f"{name} must be a number or 'auto', got {value!r}")

    @classmethod
    def of_argument(cls, given: object) -> Self:
        """Checks, or a word: ``"auto"``, the defaults, or ``"none"``.

        Raises
        ------
        ParameterError, InputTypeError
            For another word, or anything else.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, str) and given in _WORDS:
            return cls(**_WORDS[given])
        refused = ParameterError if isinstance(given, str) else InputTypeError
        raise refused(f"checks must be 'auto', 'none' or a pyfsagg.Checks, got {shown(given)}")

    def n_pairs(self, n_resamples: int) -> int:
        """Number of pairs beside so many resamples."""
        if isinstance(self.pairs, str):
            return min(MOST_PAIRS, n_resamples // RESAMPLES_PER_PAIR)
        return self.pairs

    @property
    def n_shuffles(self) -> int:
        """Number of shuffled targets."""
        return N_SHUFFLES if isinstance(self.shuffles, str) else self.shuffles


_WORDS: dict[str, dict[str, int]] = {"auto": {}, "none": {"pairs": 0, "shuffles": 0}}
