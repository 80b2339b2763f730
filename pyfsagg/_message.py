"""Sentences that keep their parts, so Python, the terminal and R each spell them their own way.

A sentence that names a parameter, a setting or a value of Python is built from parts:
``Message(Param("n_jobs"), " must be a whole number", Got(None))``.  As a string it is the sentence for users
of Python; a :class:`Door` renders it for others.  All other sentences are ordinary strings.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

PartT = TypeVar("PartT")
SMALL = 20  # entries of a list or mapping that a message keeps as they are


class Message(str):
    """A sentence for users of Python that another door can render, from strings, references such as
    `Param`, messages and errors.

    Examples
    --------
    >>> message = Message("too few resamples; use ", Use(n_jobs=2), " and ", Param("n_resamples"))
    >>> message
    'too few resamples; use n_jobs=2 and n_resamples'
    >>> class Shouting(Door):
    ...     def param(self, name):
    ...         return name.upper()
    >>> message.render(Shouting())
    'too few resamples; use N_JOBS=2 and N_RESAMPLES'
    """

    parts: tuple[object, ...]

    def __new__(cls, *parts: object) -> Message:
        flat: list[object] = []
        for part in parts:
            inner = getattr(part, "message", part)  # that of an error
            flat += inner.parts if isinstance(inner, Message) else [part]
        message = super().__new__(cls, "".join(map(str, flat)))
        message.parts = tuple(part if isinstance(part, MessagePart) else str(part) for part in flat)
        return message

    def __reduce__(self) -> tuple[type[Message], tuple[object, ...]]:
        return type(self), self.parts

    def render(self, door: Door) -> str:
        """The sentence as `door` spells it."""
        return "".join(
            part.render(door) if isinstance(part, MessagePart) else str(part) for part in self.parts
        )

    def first(self, kind: type[PartT]) -> PartT | None:
        """The first part of a kind."""
        return next((part for part in self.parts if isinstance(part, kind)), None)


def rendered(text: object, door: Door) -> str:
    """A message as `door` spells it; any other text as it is."""
    return text.render(door) if isinstance(text, Message) else str(text)


class MessagePart:
    """A part of a message that each door (Python, terminal, R) spells differently."""

    def render(self, door: Door) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        return self.render(PYTHON)


@dataclass(frozen=True)
class Param(MessagePart):
    """A parameter by its name: ``n_jobs``, ``--jobs``, ``cores``."""

    name: str

    def render(self, door: Door) -> str:
        return door.param(self.name)


@dataclass(frozen=True)
class Public(MessagePart):
    """A public function or class: ``pyfsagg.wam``, ``wam``."""

    name: str

    def render(self, door: Door) -> str:
        return door.public(self.name)


class Value(MessagePart):
    """A value; `text` replaces its repr, and of values that are not plain only the repr is kept."""

    def __init__(self, value: object, text: str | None = None) -> None:
        if isinstance(value, numbers.Number) and hasattr(value, "item"):  # of NumPy
            value = value.item()
        self.value = value if _is_plain(value) else Name(shown(value))
        self.text = shown(self.value) if text is None else text

    def render(self, door: Door) -> str:
        return door.value(self)


class Got(Value):
    """The value that was met, at the end of a sentence: ``, got None``."""

    def render(self, door: Door) -> str:
        return f", got {door.value(self)}"


class Name(str):
    """A placeholder for a value, without quotation marks: ``groups``, ``CODE``."""

    def __repr__(self) -> str:
        return str(self)


class Use(MessagePart):
    """Parameters with values, ``n_jobs=2``; with the name of their settings ``Use("Checks", pairs=30)``."""

    def __init__(self, settings: str = "", /, **values: object) -> None:
        self.settings = settings
        self.values = {name: Value(value) for name, value in values.items()}

    def render(self, door: Door) -> str:
        return door.use(self)


class Phrase(MessagePart):
    """Words that some doors have other ones for."""

    def __init__(self, key: str, text: str, /, **about: Any) -> None:
        self.key, self.text, self.about = key, text, about

    def render(self, door: Door) -> str:
        return door.phrase(self)


class Remedy(MessagePart):
    """What to do, at the end of a sentence: ``; use n_jobs=2``."""

    def __init__(self, *parts: object) -> None:
        self.text = Message(*parts)

    def render(self, door: Door) -> str:
        return f"; {self.text.render(door)}"


class Door:
    """How Python spells the parts of a message; other doors override it."""

    def param(self, name: str) -> str:
        return name

    def public(self, name: str) -> str:
        return f"pyfsagg.{home(name)}"

    def value(self, value: Value) -> str:
        return value.text

    def use(self, use: Use) -> str:
        values = ", ".join(f"{self.param(name)}={value.text}" for name, value in use.values.items())
        if not use.settings:
            return values
        argument = ARGUMENTS.get(use.settings, use.settings.lower())
        return f"{argument}={self.public(use.settings)}({values})"

    def phrase(self, phrase: Phrase) -> str:
        return phrase.text


ARGUMENTS = {"Precision": "n_resamples", "LearnerSelection": "selection"}
"""Arguments that take settings, where they are not called as the class is."""

ROOMS = {
    **dict.fromkeys(("compare_aggregators", "influence_of_lists"), "aggregator_influence"),
    "LearnerSelection": "committees",
    "check_table": "datasets",
    **dict.fromkeys(("EnsembleResult", "Precision", "permute_target"), "ensemble"),
    "Protocol": "evaluation",
    "list_agreement": "aggregation",
    "rank_out_of_core": "out_of_core",
}
"""Rooms of public names that are not at the top, where messages and recorded calls name them."""


def home(name: str) -> str:
    """A public name below ``pyfsagg``, with its room."""
    return f"{ROOMS[name]}.{name}" if name in ROOMS else name


PYTHON = Door()


def named(name: str) -> object:
    """The parameter of this name; other words, such as "each of sizes", are kept."""
    return Param(name) if type(name) is str and name.isidentifier() else name


def shown(value: object) -> str:
    """`value` in a sentence: its repr in one line."""
    text = repr(value)
    return " ".join(text.split()) if "\n" in text else text


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        plain = all(isinstance(key, str) and _is_plain(one) for key, one in value.items())
        return plain and len(value) <= SMALL
    if type(value) in (list, tuple):
        return len(value) <= SMALL and all(map(_is_plain, value))
    return value is None or type(value) in (bool, int, float, str, Name)


NAN = Value(math.nan, "NaN")
NONE, TRUE, FALSE = Value(None), Value(True), Value(False)
INF = Phrase("inf", " (inf)")
MAPPING = Phrase("mapping", "a mapping of names to values")
FILTER = Phrase("filter", "a scikit-learn estimator or a function (X, y, sample_weight) -> scores")
ONE_FILTER = Phrase("one_filter", "; use wam for one")
DENSE = Phrase("dense", "X.toarray()")
DIVIDE_WEIGHTS = Message("divide ", Param("sample_weight"), " by a common factor")
DIVIDE_COUNTS = Message("divide ", Param("counts"), " by a common factor")
SUBSAMPLE = Phrase("subsample", "pyfsagg.resampling.Subsample(0.8)")
SCORES = Phrase("scores", "Rankings.from_scores")
UNKNOWN = Phrase("unknown", "absent='unknown'")
WORST = Phrase("worst", "absent='worst'")
