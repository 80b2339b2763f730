"""The protocol of an evaluation: which rows rank, train and test, as settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pyfsagg._base.settings import Settings, names_of, option
from pyfsagg._base.validation import check_list
from pyfsagg._message import Got, Param
from pyfsagg.exceptions import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

PROTOCOLS = {
    "thesis": "features are ranked on one part of the rows, classifiers are cross-validated on the "
    "rest",
    "nested": "all rows are cross-validated, and features are ranked inside each training fold",
    "leaky": "all rows are cross-validated, but features are ranked once on all rows, the test "
    "rows among them",
}


@dataclass(frozen=True, eq=False)
class Protocol(Settings):
    """The division of the rows into those that rank the features, train a classifier, and test it.

    Parameters
    ----------
    protocol : {"thesis", "nested", "both", "leaky"} or several of them
        ``"thesis"``: rank on 1 − `test_size` of the rows, cross-validate classifiers on the rest.
        ``"nested"``: cross-validate on all rows, ranking inside each training fold.  ``"both"``:
        these two.  ``"leaky"``: the folds of ``"nested"``, but one ranking on all rows, a common
        mistake; its difference from ``"nested"`` is the selection bias.
    n_folds, n_repeats : int
        Folds of each cross-validation (stratified), at least 2, and how often it is repeated with
        another division of the rows.
    n_random : int
        Number of random rankings of the baseline ``"random_subsets"``.
    test_size : float
        Share of the rows of each class on which classifiers are tested under ``"thesis"``.
    ranking_rows : mask or positions of rows, optional
        The rows on which given rankings were made; under ``"thesis"`` all others are test rows.
    groups : array of shape (n_samples,), optional
        Group (subject, batch) of each row: no group is on both sides of any division.

    Examples
    --------
    >>> Protocol("nested", n_folds=10, n_repeats=3).changed()
    {'protocol': 'nested', 'n_folds': 10, 'n_repeats': 3}
    """

    kind: ClassVar[str] = "protocol"
    alone: ClassVar[tuple[type, ...]] = (str, Sequence)

    protocol: str | Sequence[str] = option(
        "thesis",
        metavar="NAME",
        read=names_of,
        help="thesis (rank on two thirds, test on the rest), nested (rank inside each fold), both "
        "(the default; nested with --from), leaky (rank on all rows: shows the selection bias)",
    )
    n_folds: int = option(5, low=2, metavar="N", help="folds of each cross-validation")
    n_repeats: int = option(1, low=1, metavar="N", help="repeats of the cross-validation")
    n_random: int = option(
        5, low=1, metavar="N", help="random rankings of the baseline random_subsets"
    )
    test_size: float = option(
        1 / 3,
        above=0.0,
        high=0.95,
        metavar="SHARE",
        help="share of the rows that test under the thesis protocol",
    )
    ranking_rows: ArrayLike | None = option(None, flag=False, help="rows of given rankings")
    groups: ArrayLike | None = option(None, flag=False, help="group of each row")

    def _check(self) -> None:
        _ = self.names_given  # refused if it is none

    @property
    def names_given(self) -> tuple[str, ...]:
        """The protocols of this evaluation, one by one."""
        given = self.protocol
        names = {given} if isinstance(given, str) else {*map(str, check_list("protocol", given))}
        if "both" in names:
            names = names - {"both"} | {"thesis", "nested"}
        if not names or names - set(PROTOCOLS):
            must = (
                f" must be one of {', '.join(map(repr, [*PROTOCOLS, 'both']))}, or several of them"
            )
            raise ParameterError(Param("protocol"), must, Got(given))
        return tuple(name for name in PROTOCOLS if name in names)
