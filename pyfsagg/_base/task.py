"""How a table is read: what is to be explained, and what its columns mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pyfsagg._base.checks import check_integer
from pyfsagg._base.settings import Settings, names_of, option
from pyfsagg.exceptions import InputTypeError

__all__ = ["TASKS", "Task"]

TASKS = ("classification", "regression", "survival")


@dataclass(frozen=True, eq=False)
class Task(Settings):
    """The task: the kind of target, and the columns that are used.

    Parameters
    ----------
    task : {"classification", "regression", "survival"}
        Whether the target holds classes, numbers, or times until an event of which some are censored.
    target_bins : int
        For a regression: bins of (nearly) equal size into which entropy filters and stratified plans
        put the numbers; for survival, into which entropy filters put the martingale residuals; at
        least 2.
    nominal : sequence of column names or positions, optional
        Columns to be taken as nominal whatever their type.
    drop_near_zero_variance : bool
        Leave near-constant features out first (see :func:`pyfsagg.near_zero_variance`).

    Raises
    ------
    ParameterError
        For a value that is not allowed.

    Examples
    --------
    >>> Task("regression", target_bins=10).changed()
    {'task': 'regression', 'target_bins': 10}
    """

    kind: ClassVar[str] = "task"

    task: str = option(
        "classification",
        choices=TASKS,
        help="whether the target holds classes, numbers, or times until an event",
    )
    target_bins: int = option(
        5,
        metavar="N",
        help="number of bins of a numeric target, or of residuals, for filters that need classes",
    )
    nominal: Sequence[str | int] | None = option(
        None,
        metavar="A,B",
        read=names_of,
        help="columns to be taken as nominal although they hold numbers",
    )
    drop_near_zero_variance: bool = option(False, help="leave out near-constant features")

    def check(self) -> None:
        check_integer("target_bins", self.target_bins, low=2)

    @classmethod
    def of_argument(cls, given: str | Task) -> Task:
        """A task, or the name of one.

        Raises
        ------
        InputTypeError
            For anything else.
        """
        if isinstance(given, str):
            return cls(given)
        if isinstance(given, cls):
            return given
        raise InputTypeError(f"task must be a name or a pyfsagg.Task, got {given!r}")

    def record(self) -> dict[str, Any]:
        """All settings by name; columns by their names."""
        nominal = None if self.nominal is None else [str(column) for column in self.nominal]
        return {**super().record(), "nominal": nominal}
