"""Name → spec tables: the one way in which pyfsagg and plug-in packages register a method.

A module that brings a method adds its :class:`Spec` to the registry of its room; lists, reference
pages, the command line and the error messages all read from there.  Another package does the same by
an entry point of the registry's group, which names a spec.
"""

from __future__ import annotations

import functools
import inspect
import keyword
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from pyfsagg._base.remarks import pass_over, set_inside, warn
from pyfsagg._base.settings import Settings, is_default
from pyfsagg._message import Got, home
from pyfsagg.exceptions import InputTypeError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


F = TypeVar("F", bound=Callable[..., Any])


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
    """The description of a method of any kind; each room adds what it needs to call it."""

    name: str  # lower case, words joined by "_"
    aliases: tuple[str, ...] = ()
    summary: str  # one line
    formula: str = ""  # in plain text, with the symbols of the room: what a terminal shows
    latex: str = ""  # the same for the pages of the documentation
    bounds: str = ""  # the range of its values, for instance "[0, 1]"
    higher_is_better: bool = True
    ties: str = ""  # what it does with equal values
    source: str = ""  # where it is published


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
                if name != (key := _key(name)):
                    raise RuntimeError(
                        f"{self.kind} name {name!r} must be lower case with _ between words: {key!r}"
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
        if _key(name) not in self:
            raise UnknownNameError(self.kind, name, self._specs, self._names)
        return self._specs[self._names[_key(name)]]

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str) and name not in self._names:
            self._load_plugins()
        return isinstance(name, str) and name in self._names

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
        """One row per spec, one column per field; fields named in `hidden` are omitted."""
        import pandas as pd  # heavy, and commands import this file

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
            # A faulty plug-in must not stop pyfsagg.
            except (Exception, SystemExit) as error:
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
MOST_CHOICES = 50


_GIVEN: ContextVar[Mapping[str, Any]] = ContextVar("arguments")


def repeatable(function: F) -> F:
    """The function; while it runs, :meth:`Call.of` knows the arguments that it was given."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(*given, **named)
        except TypeError:  # which Python words better
            return function(*given, **named)
        bound.apply_defaults()
        with set_inside(_GIVEN, bound.arguments):
            return function(*given, **named)

    pass_over(called)
    return cast(F, called)


@dataclass(frozen=True)
class Call:
    """A call of a public function."""

    function: str  # its name below pyfsagg, for instance "wam" or "rank_order.eliminate"
    data: tuple[str, ...]  # the names of the data, which come first
    arguments: Mapping[str, str]  # code of those that differ from their defaults, and of the seed
    own: Mapping[str, str] = field(default_factory=dict)  # what the reader has to define, by name

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        given: Mapping[str, Any] | None = None,
        *,
        name: str | None = None,
        data: Sequence[str] = _DATA,
        **settled: Any,
    ) -> Call:
        """The call of `function` with the arguments `given`: by default those of the :func:`repeatable`
        function that runs, as they came."""
        given = _GIVEN.get() if given is None else given
        own: dict[str, str] = {}
        arguments: dict[str, str] = {}
        for parameter in inspect.signature(function).parameters.values():
            key, default = parameter.name, parameter.default
            if key in data or key in _NOT_REPEATED:
                continue
            value = settled.get(key, given[key])
            if parameter.kind is parameter.VAR_KEYWORD:
                arguments |= {name: _code(option, name, own) for name, option in value.items()}
                continue
            empty = isinstance(value, (Mapping, list, tuple)) and not value and default is None
            if key in settled or not (empty or is_default(value, default)):
                arguments[key] = _code(value, key, own)
        shown = tuple(argument for argument in data if given.get(argument) is not None)
        return cls(name or home(function.__name__), shown, arguments, own)

    def record(self) -> dict[str, Any]:
        """The call as it is written into a file."""
        return {**asdict(self), "data": list(self.data)}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Call:
        """The call that :meth:`record` wrote."""
        return cls(**{**record, "data": tuple(record["data"])})

    def code(
        self, before: Sequence[str] = (), after: Sequence[str] = (), *, result: str = "result"
    ) -> str:
        """Python code that repeats the call."""
        made = {line.partition(" = ")[0] for line in before}
        owned = [f"# {name}: {what}" for name, what in self.own.items() if name not in made]
        lines = ["import pyfsagg", "", *before, *owned, *self.lines(result=result), *after]
        return "\n".join(lines)

    def lines(self, *, result: str = "result") -> list[str]:
        """The statement alone; `result` is what its value is called."""
        parts = [*self.data, *(f"{name}={code}" for name, code in self.arguments.items())]
        return [f"{result} = pyfsagg.{self.function}(", *(f"    {part}," for part in parts), ")"]


def _code(value: Any, name: str, own: dict[str, str]) -> str:
    """Code of a value; what cannot be written down gets a name that the reader has to define."""
    if isinstance(value, Settings):
        kind = type(value)  # plans have a room of their own
        planned = kind.__module__.startswith("pyfsagg.resampling.")
        name_of_kind = f"resampling.{kind.__name__}" if planned else home(kind.__name__)
        inner = [f"{key}={_code(one, key, own)}" for key, one in value.changed().items()]
        return f"pyfsagg.{name_of_kind}({', '.join(inner)})"
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    import numpy as np

    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, os.PathLike):
        return repr(os.fsdecode(value))
    # What is longer is data, such as the groups of many columns or a label for each row.
    if isinstance(value, Mapping):
        sizes = (len(one) if isinstance(one, (list, tuple)) else 1 for one in value.values())
        if sum(sizes) <= MOST_CHOICES:
            pairs = ((_code(key, name, own), key, one) for key, one in value.items())
            inner = [f"{key_code}: {_code(one, str(key), own)}" for key_code, key, one in pairs]
            return f"{{{', '.join(inner)}}}"
    elif isinstance(value, (list, tuple)) and len(value) <= MOST_CHOICES:
        return f"[{', '.join(_code(one, name, own) for one in value)}]"
    return _name(value, name, own)


def _name(value: Any, name: str, own: dict[str, str]) -> str:
    """A name for a value that cannot be written as code, noted in `own`."""
    if callable(value) or hasattr(value, "fit"):
        called = str(getattr(value, "__name__", type(value).__name__))
        usable = called.isidentifier() and not keyword.iskeyword(called)
        base = called if usable else f"my_{name}"
        meaning = "your own function or estimator"
    else:
        base, meaning = name, "as you gave it"
    chosen, number = base, 1
    while chosen in own:
        number += 1
        chosen = f"{base}_{number}"
    own[chosen] = meaning
    return chosen
