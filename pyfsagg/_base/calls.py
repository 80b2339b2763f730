"""The call that made a result, as it is recorded and as code that repeats it.

There is one writer of such code: a function records its own arguments when it is called, and
everything that shows how to repeat a result formats this record.
"""

from __future__ import annotations

import inspect
import keyword
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyfsagg._base.settings import Settings, is_default

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
