"""What a run computes beside its resamples, to check what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

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
    null : {"none", "permutation"}
        ``"permutation"`` adds p-values of the aggregated scores (:func:`pyfsagg.permute_target`) to the
        result and its tables.
    n_permutations : int
        Shuffled targets of these p-values, none of which is below 1 / (n_permutations + 1).
    permutation_resamples : int
        Resamples in which each of these targets is scored, and the true one for the comparison: the first
        ones of the run (all of a plan that has no further ones, as ``"k_fold"``).

    Raises
    ------
    ParameterError
        For a number out of range, and for a setting of the permutations without ``null="permutation"``.

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
    null: str = option(
        "none",
        choices=("none", "permutation"),
        help="permutation: also compute p-values from shuffled targets (max-T)",
    )
    n_permutations: int = option(199, metavar="K", help="shuffled targets of null=permutation")
    permutation_resamples: int = option(
        50, metavar="R", help="resamples in which each of them is scored"
    )

    def check(self) -> None:
        for name, value in (("pairs", self.pairs), ("shuffles", self.shuffles)):
            if not isinstance(value, str):
                check_integer(name, value, low=0)
            elif value != "auto":
                raise ParameterError(f"{name} must be a number or 'auto', got {value!r}")
        for name in ("n_permutations", "permutation_resamples"):
            check_integer(name, getattr(self, name), low=1)
            if self.null == "none" and name in self.changed():
                raise ParameterError(f"{name} belongs to null='permutation'")

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

    @property
    def n_permuted(self) -> int:
        """Number of shuffled targets for p-values."""
        return 0 if self.null == "none" else self.n_permutations

    @property
    def any(self) -> bool:
        """Whether anything is scored beside the resamples."""
        return bool(self.pairs or self.n_shuffles or self.n_permuted)


_WORDS: dict[str, dict[str, Any]] = {"auto": {}, "none": {"pairs": 0, "shuffles": 0}}
