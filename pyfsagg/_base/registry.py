"""Name → spec tables: the one way in which pyfsagg, and packages beside it, register a method.

A module that brings a method adds its :class:`Spec` to the registry of its room; lists, reference
pages, the command line and the error messages all read from there.  Another package does the same by
an entry point of the registry's group, which names a spec.
"""

from __future__ import annotations

import inspect
import keyword
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, Protocol, TypeVar

import pandas as pd

from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Settings, is_default
from pyfsagg._message import Got
from pyfsagg.exceptions import InputTypeError, UnknownNameError


class Named(Protocol):
    """What every entry of a registry has: a name, other names it answers to, and one line about it."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def summary(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class Spec:
    """What is said of a method of any kind; each room adds what it needs to call it.

    Attributes
    ----------
    name : str
        Lower case, words joined by ``_``.
    aliases : tuple of str
        Other names it answers to.
    summary : str
        One line.
    formula : str
        In plain text, with the symbols of the room: what a terminal shows.
    latex : str
        The same in LaTeX, for the pages of the documentation.
    bounds : str
        The range of its values, for instance ``"[0, 1]"``.
    higher_is_better : bool
        Direction of its values.
    ties : str
        What it does with equal values.
    source : str
        Where it is published.
    """

    name: str
    aliases: tuple[str, ...] = ()
    summary: str
    formula: str = ""
    latex: str = ""
    bounds: str = ""
    higher_is_better: bool = True
    ties: str = ""
    source: str = ""


NamedT = TypeVar("NamedT", bound=Named)


class Registry(Generic[NamedT]):
    """Specs of one kind by name and alias; lookup is case-insensitive, `-` and space count as `_`."""

    def __init__(self, kind: str, spec: type[NamedT] | None = None, group: str = "") -> None:
        self.kind = kind
        self.spec = spec
        self.group = group
        self._specs: dict[str, NamedT] = {}
        self._names: dict[str, str] = {}
        self._own: tuple[str, ...] | None = None  # the names before plug-ins, once these are loaded
        self._followers: list[Callable[[NamedT], None]] = []
        self._before: list[Callable[[], None]] = [self._load_entry_points] if group else []
        self._lock = threading.RLock()

    def add(self, *specs: NamedT) -> None:
        """Register specs under their names and aliases."""
        for spec in specs:
            for name in (spec.name, *spec.aliases):
                if name in self._names:
                    raise RuntimeError(
                        f"{self.kind} name {name!r} is registered twice: it belongs to "
                        f"{self._names[name]!r}, choose another for {spec.name!r}"
                    )
                if name != _key(name):
                    raise RuntimeError(
                        f"{self.kind} name {name!r} must be lower case with _ between words: "
                        f"{_key(name)!r}"
                    )
            for follow in self._followers:
                follow(spec)
            self._names |= dict.fromkeys((spec.name, *spec.aliases), spec.name)
            self._specs[spec.name] = spec

    def feed(self, other: Registry[Any], convert: Callable[[NamedT], Any]) -> None:
        """Add every spec, also those of plug-ins, to `other` as well, as `convert` makes it."""
        other.add(*map(convert, self._specs.values()))
        self._followers.append(lambda spec: other.add(convert(spec)))
        other._before.append(self._load_plugins)

    def get(self, name: str) -> NamedT:
        """Return the spec called `name`."""
        if not isinstance(name, str):
            raise InputTypeError(f"a {self.kind} name must be a string", Got(name))
        key = _key(name)
        if key not in self:
            raise UnknownNameError(self.kind, name, self._specs, self._names)
        return self._specs[self._names[key]]

    def __contains__(self, name: str) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._names:
            self._load_plugins()
        return name in self._names

    def __iter__(self) -> Iterator[NamedT]:
        self._load_plugins()
        return iter(list(self._specs.values()))

    def names(self) -> list[str]:
        """Canonical names in order of registration."""
        return [spec.name for spec in self]

    def own(self) -> list[NamedT]:
        """The specs that pyfsagg brings itself."""
        return [self._specs[name] for name in (self._own or self._specs)]

    def to_frame(self, *hidden: str) -> pd.DataFrame:
        """One row per spec, one column per field; fields named in `hidden` are left out."""
        rows = []
        for spec in self:
            row = {field.name: getattr(spec, field.name) for field in fields(spec)}  # type: ignore[arg-type]
            rows.append({**row, "aliases": ", ".join(spec.aliases)})
        return pd.DataFrame(rows).drop(columns=list(hidden)).set_index("name")

    def _load_plugins(self) -> None:
        with self._lock:  # threads wait for the names; a plug-in that looks one up does not
            if self._own is None:
                self._own = tuple(self._specs)
                for load in self._before:
                    load()

    def _load_entry_points(self) -> None:
        from importlib.metadata import entry_points

        failures = []
        for point in sorted(entry_points(group=self.group), key=lambda point: point.name):
            try:
                spec = point.load()
                if self.spec is not None and not isinstance(spec, self.spec):
                    raise TypeError(f"it must be a {self.spec.__name__}, got {spec!r}")
                self.add(spec)
            except (
                Exception,
                SystemExit,
            ) as error:  # whatever foreign code does must not stop ours
                package = point.dist.name if point.dist else "an unknown package"
                failures.append(
                    f"the plug-in {point.name!r} of {package} ({point.value}) adds no {self.kind}: "
                    f"{type(error).__name__}: {error}"
                )
        for failure in failures:
            warn(failure, stacklevel=2)


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


# They decide how a result is reached, not what it is.
_NOT_REPEATED = ("n_jobs", "execution", "progress", "checkpoint", "scratch")
_DATA = ("X", "y")


@dataclass(frozen=True)
class Call:
    """A call of a public function.

    Attributes
    ----------
    function : str
        Its name below ``pyfsagg``, for instance ``"wam"`` or ``"rank_order.eliminate"``.
    data : tuple of str
        What is handed over first: the names of the data.
    arguments : mapping of str to str
        Code of each keyword argument that differs from its default, and of the seed.
    own : mapping of str to str
        Names in that code that the reader has to define, and what they are.
    """

    function: str
    data: tuple[str, ...]
    arguments: Mapping[str, str]
    own: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        given: Mapping[str, Any],
        *,
        name: str | None = None,
        data: Sequence[str] = _DATA,
        **settled: Any,
    ) -> Call:
        """The call of `function` with the arguments `given`."""
        own: dict[str, str] = {}
        arguments: dict[str, str] = {}
        for parameter in inspect.signature(function).parameters.values():
            key = parameter.name
            if key in data or key in _NOT_REPEATED:
                continue
            value = settled.get(key, given[key])
            if parameter.kind is parameter.VAR_KEYWORD:
                arguments |= {name: _code(each, name, own) for name, each in value.items()}
                continue
            empty = (
                parameter.default is None
                and isinstance(value, (Mapping, list, tuple))
                and not value
            )
            if key in settled or not (empty or is_default(value, parameter.default)):
                arguments[key] = _code(value, key, own)
        shown = tuple(each for each in data if given.get(each) is not None)
        return cls(name or function.__name__, shown, arguments, own)

    def record(self) -> dict[str, Any]:
        """The call as it is written into a file."""
        return {
            "function": self.function,
            "data": list(self.data),
            "arguments": dict(self.arguments),
            "own": dict(self.own),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Call:
        """What :meth:`record` wrote."""
        return cls(
            record["function"], tuple(record["data"]), record["arguments"], record.get("own", {})
        )

    def code(
        self, before: Sequence[str] = (), after: Sequence[str] = (), *, result: str = "result"
    ) -> str:
        """Python code that repeats the call."""
        made = {line.partition(" = ")[0] for line in before}
        owned = [f"# {name}: {what}" for name, what in self.own.items() if name not in made]
        return "\n".join(
            ["import pyfsagg", "", *before, *owned, *self.lines(result=result), *after]
        )

    def lines(self, *, result: str = "result") -> list[str]:
        """The statement alone; `result` is what its value is called."""
        given = [*self.data, *(f"{name}={code}" for name, code in self.arguments.items())]
        return [f"{result} = pyfsagg.{self.function}(", *(f"    {each}," for each in given), ")"]


def _code(value: Any, name: str, own: dict[str, str]) -> str:
    """Code of a value; what cannot be written down gets a name that the reader has to define."""
    if isinstance(value, Settings):
        inner = [f"{key}={_code(each, key, own)}" for key, each in value.changed().items()]
        return f"{_room(type(value))}.{type(value).__name__}({', '.join(inner)})"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    import numpy as np

    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, os.PathLike):
        return repr(os.fsdecode(value))
    if isinstance(value, Mapping):
        if _is_long(value):
            return _name(value, name, own)
        inner = [
            f"{_code(key, name, own)}: {_code(each, str(key), own)}" for key, each in value.items()
        ]
        return f"{{{', '.join(inner)}}}"
    if isinstance(value, (list, tuple)) and not _is_array_like(value):
        return f"[{', '.join(_code(each, name, own) for each in value)}]"
    return _name(value, name, own)


def _room(kind: type) -> str:
    """Where a class of settings is reached from after ``import pyfsagg``: plans have a room of their own."""
    return "pyfsagg.resampling" if kind.__module__.startswith("pyfsagg.resampling.") else "pyfsagg"


def _is_long(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is data, such as the groups of many columns, and not a list of choices."""
    return sum(len(each) if isinstance(each, (list, tuple)) else 1 for each in value.values()) > 50


def _is_array_like(value: Sequence[Any]) -> bool:
    """Whether a sequence is one label or number per row, and not a list of choices."""
    return len(value) > 50


def _name(value: Any, name: str, own: dict[str, str]) -> str:
    """A name for what cannot be written as code, noted in `own`."""
    if callable(value) or hasattr(value, "fit"):
        given = str(getattr(value, "__name__", type(value).__name__))
        usable = given.isidentifier() and not keyword.iskeyword(given)
        base = given if usable else f"my_{name}"
        meaning = "your own function or estimator"
    else:
        base, meaning = name, "as you gave it"
    chosen, number = base, 1
    while chosen in own:
        number += 1
        chosen = f"{base}_{number}"
    own[chosen] = meaning
    return chosen
