"""How a table is read: what is to be explained, and what its columns mean."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pyfsagg._base.checks import check_integer
from pyfsagg._base.settings import Settings, names_of, option
from pyfsagg.exceptions import InputTypeError, ParameterError

__all__ = ["PREFIX", "TASKS", "Task"]

TASKS = ("classification", "regression", "survival")
GROUP_SCORES = ("auto", "joint", "max", "mean")
PREFIX = "prefix:"
"""How the rule begins that makes groups of the names of columns."""


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
        Leave near-constant features out first (see :func:`pyfsagg.near_zero_variance`); a group stays
        whole, unless all its columns are near-constant.
    feature_groups : mapping, str or path, optional
        Columns that are ranked and selected together, as one feature: the columns that encode one
        nominal variable, a layer of measurements, a cluster.  A mapping of group to columns, or of
        column to group (columns by name or position); ``"prefix:="``, which puts the columns
        ``colour=red`` and ``colour=blue`` into the group ``colour`` (the part before the first
        ``=``; any other separator works, too); or a text file with the columns ``column`` and
        ``group``.  A column without a group is a feature of its own.
    group_score : {"auto", "joint", "max", "mean"}
        The score of a group.  ``"joint"``: the group is read as one nominal column, whose levels are the
        combinations of its values that occur; for filters that count levels (marked in
        :func:`pyfsagg.list_filters`), and columns that are nominal or have at most ten values.  ``"max"``
        and ``"mean"``: the largest score of its columns, or their mean.  ``"auto"``: joint for
        one-hot columns (two values each, and at most one of them set in any row) by filters that count
        levels, which then score them as the nominal column that they encode; the maximum otherwise.

    Raises
    ------
    ParameterError
        For a value that is not allowed.
    InputTypeError
        If `feature_groups` is of another type.

    Notes
    -----
    Columns in any order give the same scores.  In a joint column a missing value is a value like others,
    and the group is missing where all its columns are.  The largest of many scores of noise is larger
    than that of a few: by ``"max"`` large groups are selected more often without any relation to the
    target, and by ``"mean"`` the few good columns of a large group count less (simulated in the how-to on
    column groups).

    Examples
    --------
    >>> Task("regression", target_bins=10).changed()
    {'task': 'regression', 'target_bins': 10}

    >>> import pandas as pd
    >>> import pyfsagg
    >>> colour = pd.Series(["red", "red", "blue", "green"] * 10, name="colour")
    >>> X = pd.get_dummies(colour.to_frame(), prefix_sep="=").assign(size=range(40))
    >>> y = (colour == "red").to_numpy()
    >>> task = Task(feature_groups="prefix:=")
    >>> result = pyfsagg.wam(X, y, task=task, n_resamples=10, random_state=0)
    >>> result.select(1), result.columns(1)
    (['colour'], ['colour=blue', 'colour=green', 'colour=red'])
    """

    kind: ClassVar[str] = "task"
    alone: ClassVar[tuple[type, ...]] = (str,)

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
    feature_groups: Mapping[Any, Any] | str | os.PathLike[str] | None = option(
        None,
        metavar="GROUPS",
        help="columns that are ranked and selected as one feature: a text file with the columns column "
        "and group, or prefix:= (prefix:_, …) to group colour=red and colour=blue as colour",
    )
    group_score: str = option(
        "auto",
        choices=GROUP_SCORES,
        help="score of a group of columns: of all values together (joint), the largest (max), the mean; "
        "auto: joint for one-hot columns by filters that count levels, otherwise max",
    )

    def check(self) -> None:
        check_integer("target_bins", self.target_bins, low=2)
        given = self.feature_groups
        if not isinstance(given, (Mapping, str, os.PathLike, type(None))):
            raise InputTypeError(
                "feature_groups must be a mapping of group to columns (or of column to group), "
                f"'{PREFIX}=', or the path of a file with the columns column and group, got "
                f"{reprlib.repr(given)}"
            )
        if given == PREFIX:
            raise ParameterError(
                f"feature_groups={PREFIX!r} names no separator; give the text that ends the prefix, for "
                f"instance '{PREFIX}=' or '{PREFIX}_'"
            )
        if given in ("", {}):
            raise ParameterError(
                "feature_groups is empty; leave it out, or name the columns of a group"
            )

    def record(self) -> dict[str, Any]:
        """All settings by name; columns by their names; of groups in a mapping only that they are given."""
        nominal = None if self.nominal is None else [str(column) for column in self.nominal]
        groups = self.feature_groups
        if isinstance(groups, os.PathLike):
            groups = os.fsdecode(groups)
        elif isinstance(groups, Mapping):
            groups = "given (mapping)"
        return {**super().record(), "nominal": nominal, "feature_groups": groups}
