"""Settings as objects: what a run is, said once.

A group of settings is a frozen dataclass that is checked when it is made.  Everything else derives
from its fields: what is recorded of a run, the code that repeats it, the flags of the command line
and the arguments of the R package.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from pyfsagg.exceptions import InputTypeError, ParameterError

__all__ = ["Settings", "is_default", "names_of", "number_or_auto", "option"]


def option(
    default: Any = dataclasses.MISSING,
    *,
    help: str,
    metavar: str | None = None,
    read: Callable[[str], Any] | None = None,
    choices: tuple[str, ...] | None = None,
    flag: bool = True,
    kw_only: bool = False,
) -> Any:
    """A field of :class:`Settings`.

    Parameters
    ----------
    default : object
        Its value where nothing is said; required if there is none.
    help : str
        One line for the help of the command line.
    metavar : str, optional
        What stands for the value in that help.
    read : callable, optional
        Makes the value of the text of a flag; ``str`` by default.
    choices : tuple of str, optional
        The only values that there are.
    flag : bool
        Whether the command line has a flag for it; arrays and functions have none.
    kw_only : bool
        Whether it can be given by its name only.
    """
    about = {"help": help, "metavar": metavar, "read": read, "choices": choices, "flag": flag}
    return dataclasses.field(default=default, metadata=about, kw_only=kw_only)


@dataclasses.dataclass(frozen=True, eq=False)
class Settings:
    """The base of all groups of settings; a subclass is a frozen dataclass of :func:`option` fields.

    ``check`` is called when an object is made, and raises for a value that is not allowed.
    """

    kind: ClassVar[str]
    """What the group is called in messages."""
    alone: ClassVar[tuple[type, ...]] = ()
    """Types of the first setting, where it may stand for the group in an argument."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            choices = field.metadata.get("choices")
            value = getattr(self, field.name)
            if choices is not None and not (isinstance(value, str) and value in choices):
                raise ParameterError(
                    f"{field.name} must be one of {', '.join(map(repr, choices))}, got {value!r}"
                )
        self.check()

    def check(self) -> None:
        """Raise for a value that is not allowed."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the settings."""
        return tuple(field.name for field in dataclasses.fields(cls))

    @classmethod
    def of(cls, given: Mapping[str, Any] | None) -> Self:
        """The settings of a mapping of names to values; what is not given has its default.

        Raises
        ------
        ParameterError
            For a name that the group does not have.
        InputTypeError
            If `given` is not a mapping.
        """
        if not isinstance(given, (Mapping, type(None))):
            raise InputTypeError(
                f"the parameters of {cls.kind} must be a mapping of names to values, got {given!r}"
            )
        chosen = dict(given or {})
        for name in chosen:
            if name not in cls.names():
                allowed = ", ".join(cls.names()) or "none"
                raise ParameterError(f"{cls.kind} has no parameter {name!r}; it takes: {allowed}")
        return cls(**chosen)

    @classmethod
    def read(cls, name: str, given: object) -> Self:
        """`given` if it is of this group, the defaults for None.

        Raises
        ------
        InputTypeError
            For anything else; `name` is that of the argument.
        """
        if given is None:
            return cls()
        if not isinstance(given, cls):
            raise InputTypeError(f"{name} must be a pyfsagg.{cls.__name__}, got {given!r}")
        return given

    @classmethod
    def of_argument(cls, given: object) -> Self:
        """`given` if it is of this group, or the group with `given` as its first setting.

        Raises
        ------
        InputTypeError
            For anything else.
        """
        if isinstance(given, cls):
            return given
        if isinstance(given, cls.alone):
            return cls.of({cls.names()[0]: given})
        raise InputTypeError(
            f"{cls.kind} must be a name or a pyfsagg.{cls.__name__}, got {given!r}"
        )

    def changed(self) -> dict[str, Any]:
        """The settings that differ from their defaults, by name."""
        return {
            field.name: value
            for field in dataclasses.fields(self)
            if not is_default(value := getattr(self, field.name), field.default)
        }

    def record(self) -> dict[str, Any]:
        """All settings by name, as they are written into a file; of an array only that it is given."""
        return {name: _plain(getattr(self, name)) for name in self.names()}

    # -----------------------------------------------------------------------------------------
    # the command line
    # -----------------------------------------------------------------------------------------
    @classmethod
    def add_flags(cls, parser: Any, *leave_out: str) -> None:
        """Add a flag for each setting that has one, ``--name-of-the-field``."""
        for field in dataclasses.fields(cls):
            about = field.metadata
            if not about.get("flag") or field.name in leave_out:
                continue
            name = "--" + field.name.replace("_", "-")
            if field.type == "bool":
                parser.add_argument(name, action="store_true", help=about["help"])
                continue
            shown = (
                "" if field.default in (None, dataclasses.MISSING) else " (default: %(default)s)"
            )
            choices = about["choices"]
            parser.add_argument(
                name,
                type=about["read"] or _READERS.get(str(field.type), str),
                default=None if field.default is dataclasses.MISSING else field.default,
                choices=choices,
                metavar=None if choices else about["metavar"] or "VALUE",
                help=about["help"] + shown,
            )

    @classmethod
    def from_flags(cls, options: argparse.Namespace, **others: Any) -> Self:
        """The settings that the flags of :meth:`add_flags` say, and `others`."""
        found = {name: getattr(options, name) for name in cls.names() if hasattr(options, name)}
        return cls(**{**found, **others})


# By the annotation as it is written: settings postpone the evaluation of theirs.
_READERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float}


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
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)) and len(value) <= 100:
        return [_plain(each) for each in value]
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
