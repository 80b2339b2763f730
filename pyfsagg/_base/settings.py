"""Settings as frozen objects: each field is declared once, with its default and its check."""

import argparse
import dataclasses
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar, Self, get_type_hints

from pyfsagg._base.validation import check_choice, check_integer, check_real, got_short
from pyfsagg._message import MAPPING, Got, Param, Public, Remedy, Use, named
from pyfsagg.exceptions import InputTypeError, ParameterError


def option(
    default: Any = dataclasses.MISSING,
    *,
    help: str,
    metavar: str | None = None,
    read: Callable[[str], Any] | None = None,
    choices: tuple[str, ...] | None = None,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    flag: bool = True,
    kw_only: bool = False,
) -> Any:
    """A field of :class:`Settings`; its range is checked where the settings are made.

    `low`, or `above` where the limit itself is not allowed, and `high` are those of a number: a whole one if
    `low` is an int.  None passes where it is the default.
    """
    about: dict[str, Any] = {"help": help, "metavar": metavar, "read": read, "choices": choices}
    about |= {"flag": flag, "range": (low, high, above)}
    return dataclasses.field(default=default, metadata=about, kw_only=kw_only)


@dataclasses.dataclass(frozen=True, eq=False)
class Settings:
    """The base of all groups of settings; a subclass is a frozen dataclass of :func:`option` fields."""

    kind: ClassVar[str]  # what the group is called in messages
    alone: ClassVar[tuple[type, ...]] = ()
    """Types of the first setting, where it may stand for the group in an argument."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value, about = getattr(self, field.name), field.metadata
            if about.get("choices") is not None:
                check_choice(field.name, value, about["choices"])
            low, high, above = about.get("range", (None, None, None))
            if (low, high, above) != (None, None, None) and not (value is field.default is None):
                what = self._called(field.name)
                if isinstance(low, int):
                    check_integer(what, value, low=low, high=high)
                else:
                    floor = low if above is None else above
                    check_real(what, value, low=floor, high=high, low_open=above is not None)
        self._check()

    def _called(self, name: str) -> Any:
        """What a setting is called in messages about its range."""
        return name

    def _check(self) -> None:
        """Raise for a value that is not allowed."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the settings."""
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> Self:
        """The settings of a mapping of names to values; what is not given has its default."""
        if not isinstance(given, (Mapping, type(None))):
            raise InputTypeError(f"the parameters of {cls.kind} must be ", MAPPING, Got(given))
        for name in given or ():
            if name not in cls.names():
                allowed = ", ".join(cls.names()) or "none"
                raise ParameterError(f"{cls.kind} has no parameter {name!r}; it takes: {allowed}")
        return cls(**(given or {}))

    @classmethod
    def read(cls, name: str, given: object) -> Self:
        """`given` if it is of this group, the defaults for None."""
        if given is None:
            return cls()
        if not isinstance(given, cls):
            raise InputTypeError(named(name), " must be a ", Public(cls.__name__), Got(given))
        return given

    @classmethod
    def of_argument(cls, given: object) -> Self:
        """`given` if it is of this group, or the group with `given` as its first setting."""
        if isinstance(given, cls):
            return given
        if isinstance(given, cls.alone):
            return cls.of({cls.names()[0]: given})
        raise InputTypeError(f"{cls.kind} must be a name or a ", Public(cls.__name__), Got(given))

    def changed(self) -> dict[str, Any]:
        """The settings that differ from their defaults, by name."""
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if not is_default(value := getattr(self, field.name), field.default)
        }

    def record(self) -> dict[str, Any]:
        """All settings by name, for a file; arrays only as given or not."""
        return {name: _plain(getattr(self, name)) for name in self.names()}

    @classmethod
    def add_flags(cls, parser: Any, *leave_out: str) -> None:
        """Add a flag for each setting that has one, ``--name-of-the-field``."""
        for field in dataclasses.fields(cls):
            about = field.metadata
            if not about.get("flag") or field.name in leave_out:
                continue
            name = "--" + field.name.replace("_", "-")
            # The type of one field: those of others may name arrays, for which NumPy would be loaded.
            owner = next(c for c in cls.__mro__ if field.name in vars(c).get("__annotations__", ()))
            alone = SimpleNamespace(__annotations__={field.name: field.type})
            kind = get_type_hints(alone, vars(sys.modules[owner.__module__]))[field.name]
            if kind is bool:
                parser.add_argument(name, action="store_true", help=about["help"])
                continue
            default = None if field.default is dataclasses.MISSING else field.default
            parser.add_argument(
                name,
                type=about["read"] or (kind if kind in (int, float) else str),
                default=default,
                choices=about["choices"],
                metavar=None if about["choices"] else about["metavar"] or "VALUE",
                help=about["help"] + ("" if default is None else " (default: %(default)s)"),
            )

    @classmethod
    def from_flags(cls, options: argparse.Namespace, **others: Any) -> Self:
        """The settings from the flags of :meth:`add_flags`, and `others`."""
        values = {name: getattr(options, name) for name in cls.names() if hasattr(options, name)}
        return cls(**{**values, **others})


def is_default(value: Any, default: Any) -> bool:
    """Whether a value is the default of its argument, by type and value; arrays never are."""
    if value is default:
        return True
    if isinstance(value, Settings) and isinstance(default, str):
        return False
    return (
        type(value) is type(default)
        and isinstance(value, (bool, int, float, str, tuple, list))
        and bool(value == default)
    )


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Settings):
        return {"settings": type(value).__name__, **value.record()}
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:  # a NumPy number
        return value.item()
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)) and len(value) <= 100:
        return list(map(_plain, value))
    return f"given ({type(value).__name__})"


def names_of(text: str) -> list[str]:
    """``a,b`` as a list of names."""
    return [part.strip() for part in text.split(",") if part.strip()]


def number_or_auto(text: str) -> int | str:
    """``1000`` or ``auto``."""
    try:
        return text if text == "auto" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number or auto, got {text!r}") from None


SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "pipe": "|", "space": " "}
_DECIMALS = {"comma": ",", "point": ".", "dot": "."}


@dataclass(frozen=True, eq=False)
class Reading(Settings):
    """How a file is read as a table; settings that are not given are detected."""

    kind: ClassVar[str] = "reading"

    sep: str | None = option(
        None,
        metavar="CHARACTER",
        help="separator of the cells: , ; tab | space (default: detected)",
    )
    decimal: str | None = option(
        None, metavar="MARK", help="decimal mark, . or , (default: detected)"
    )
    encoding: str | None = option(
        None, metavar="NAME", help="encoding of a text, such as cp1252 (default: UTF-8 or UTF-16)"
    )
    sheet: str | None = option(
        None, metavar="NAME", help="sheet of a workbook by name or number (default: the first)"
    )
    missing: Sequence[str] = option(
        (),
        metavar="A,B",
        read=names_of,
        help="more codes for missing values, of all columns or of some: --missing=-999,age=99,q*=9",
    )
    header: str | int | None = option(
        None,
        metavar="ROW",
        help="line or row with the names of the columns, 3 or, of a merged header, 3-4 (default: detected)",
    )
    limits: str = option(
        "error",
        choices=("error", "half", "limit", "missing"),
        help="how to read <5: half of a lower limit, the limit, missing; error: refuse it",
    )
    transpose: bool = option(False, help="rows are features: their names are in the first column")
    labels: str | None = option(
        None, metavar="FILE", help="second file with columns (the target) for the same samples"
    )
    drop: Sequence[str] = option(
        (),
        metavar="A,B",
        read=names_of,
        help="columns to be omitted (identifiers); also --exclude",
    )
    id: str | None = option(None, metavar="COLUMN", help="column with the names of the samples")

    def _check(self) -> None:
        for name in ("missing", "drop"):
            value = getattr(self, name)
            words = [value] if isinstance(value, (str, int, float)) else list(value)
            object.__setattr__(self, name, tuple(map(str, words)))
        for name in ("sheet", "labels", "header"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, str(getattr(self, name)))
        if self.header is not None and not re.fullmatch(r"[1-9]\d*(-[1-9]\d*)?", str(self.header)):
            raise ParameterError(
                Param("header"), " must be the number of a row, 3, or of two, 3-4", Got(self.header)
            )
        if self.sep is not None:
            mark = SEPARATORS.get(self.sep, self.sep)
            if len(mark) != 1 or mark in '"\n\r':
                problem = " must be one character, or comma, semicolon, tab, pipe or space"
                raise ParameterError(Param("sep"), problem, Got(self.sep))
            object.__setattr__(self, "sep", mark)
        if self.decimal is not None:
            mark = _DECIMALS.get(self.decimal, self.decimal)
            if mark not in (",", "."):
                raise ParameterError(Param("decimal"), " must be '.' or ','", Got(self.decimal))
            object.__setattr__(self, "decimal", mark)
        if self.sep is not None and self.sep == self.decimal:
            raise ParameterError(
                Param("sep"), " and ", Param("decimal"), f" are both {self.sep!r}; they must differ"
            )

    @property
    def header_rows(self) -> tuple[int, int | None]:
        """The row of the header, from 1, and how many rows it has; 0 and None where it is detected."""
        first, _, last = str(self.header or 0).partition("-")
        return int(first), (max(1, int(last or first) - int(first) + 1) if self.header else None)

    @property
    def missing_codes(self) -> dict[str, list[str]]:
        """Codes of missing values by the pattern of names of their columns; ``""`` for all columns."""
        codes: dict[str, list[str]] = {"": []}
        for word in self.missing:
            pattern, equals, code = word.rpartition("=")
            pattern, code = (pattern, code) if equals and code else ("", word)
            codes.setdefault(pattern, []).append(code)
        return codes


TASKS = ("classification", "regression", "survival")
GROUP_SCORES = ("auto", "joint", "max", "mean")
PREFIX = "prefix:"  # how the rule begins that makes groups of the names of columns


@dataclass(frozen=True, eq=False)
class Task(Settings):
    """The task: the kind of target, and the columns that are used.

    Parameters
    ----------
    task : {"classification", "regression", "survival"}
        Whether the target contains classes, numbers, or times until an event of which some are censored.
    target_bins : int
        For a regression: bins of (nearly) equal size into which entropy filters and stratified plans
        put the numbers; for survival, into which entropy filters put the martingale residuals; at
        least 2.
    nominal : sequence of column names or positions, optional
        Columns to be taken as nominal regardless of their type.
    adjust : sequence of column names or positions, optional
        Columns of the table that are no features, and for which scores and p-values are adjusted: age, sex,
        batch.  Words, booleans, columns of two values and those in `nominal` are levels, the others
        numbers.  Filters by a linear or Cox model have the columns in it.  Others score within strata, the
        combinations of levels, and refuse numbers (how-to page: what adjusted means, and what not).
    always : sequence of column names or positions, optional
        Columns that are always in, such as markers that are measured anyhow.  They are not ranked.  mRMR and
        its relatives begin with them, models have them in addition to the features: estimators as filters,
        those of :func:`pyfsagg.evaluate` and learners of a committee.  Other filters do not look at them.
    drop_near_zero_variance : bool
        Leave near-constant features out first (see :func:`pyfsagg.filters.near_zero_variance`); a group stays
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
        ``pyfsagg.list_methods("filters")``), and columns that are nominal or have at most ten values.
        ``"max"`` and ``"mean"``: the largest score of its columns, or their mean.  ``"auto"``: joint for
        one-hot columns (two values each, and at most one of them set in any row) by filters that count
        levels, which then score them as the nominal column that they encode; the maximum otherwise.

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
    >>> result.select(1), result.select(1, columns=True)
    (['colour'], ['colour=blue', 'colour=green', 'colour=red'])
    """

    kind: ClassVar[str] = "task"
    alone: ClassVar[tuple[type, ...]] = (str,)

    task: str = option(
        "classification",
        choices=TASKS,
        help="kind of target: classes, numbers, or times to an event",
    )
    target_bins: int = option(
        5,
        low=2,
        metavar="N",
        help="number of bins of a numeric target, or of residuals, for filters that need classes",
    )
    nominal: Sequence[str | int] | None = option(
        None,
        metavar="A,B",
        read=names_of,
        help="columns that are nominal although they contain numbers",
    )
    adjust: Sequence[str | int] | None = option(
        None,
        metavar="A,B",
        read=names_of,
        help="covariates: not ranked, scores are adjusted for them: age,sex,batch",
    )
    always: Sequence[str | int] | None = option(
        None,
        metavar="A,B",
        read=names_of,
        help="columns that are not ranked, but are in every model and selection: stage,grade",
    )
    drop_near_zero_variance: bool = option(False, help="drop near-constant features")
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

    def _check(self) -> None:
        for name in ("adjust", "always"):
            if isinstance(given := getattr(self, name), str):
                object.__setattr__(self, name, (given,))
        groups = self.feature_groups
        if not isinstance(groups, (Mapping, str, os.PathLike, type(None))):
            raise InputTypeError(
                Param("feature_groups"),
                f" must be a mapping of group to columns (or of column to group), '{PREFIX}=', or ",
                "the path of a file with the columns column and group",
                got_short(groups),
            )
        if groups == PREFIX:
            remedy = f"give the text that ends the prefix, for instance '{PREFIX}=' or '{PREFIX}_'"
            raise ParameterError(Use(feature_groups=PREFIX), " names no separator", Remedy(remedy))
        if groups in ("", {}):
            remedy = "drop it, or name the columns of a group"
            raise ParameterError(Param("feature_groups"), " is empty", Remedy(remedy))

    def record(self) -> dict[str, Any]:
        """All settings by name; columns by their names; of groups in a mapping only that they are given."""
        columns = {
            name: None if (given := getattr(self, name)) is None else [str(each) for each in given]
            for name in ("nominal", "adjust", "always")
        }
        groups = self.feature_groups
        if isinstance(groups, os.PathLike):
            groups = os.fsdecode(groups)
        elif isinstance(groups, Mapping):
            groups = "given (mapping)"
        return {**super().record(), **columns, "feature_groups": groups}
