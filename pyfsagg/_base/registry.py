"""Name → spec tables for filters, aggregators and stability measures.

A module that brings a new method builds its spec and adds it to the registry of its room; lists,
documentation tables, the command line and the error messages all read from there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Generic, Protocol, TypeVar

import pandas as pd

from pyfsagg.exceptions import InputTypeError, UnknownNameError

__all__ = ["Registry", "Spec"]


class Spec(Protocol):
    """What every spec has: a name, other names it answers to, and one line about it."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def summary(self) -> str: ...


SpecT = TypeVar("SpecT", bound=Spec)


class Registry(Generic[SpecT]):
    """Specs of one kind by name and alias; lookup is case-insensitive, `-` and space count as `_`.

    Parameters
    ----------
    kind : str
        What the entries are called in messages, for instance ``"filter"``.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._specs: dict[str, SpecT] = {}
        self._names: dict[str, str] = {}

    def add(self, spec: SpecT) -> SpecT:
        """Register `spec` under its name and aliases; a name that is taken is a defect."""
        for name in (spec.name, *spec.aliases):
            if name in self._names:
                raise RuntimeError(f"{self.kind} name {name!r} is registered twice")
            self._names[name] = spec.name
        self._specs[spec.name] = spec
        return spec

    def get(self, name: str) -> SpecT:
        """Return the spec called `name`.

        Raises
        ------
        InputTypeError
            If `name` is not a string.
        UnknownNameError
            If nothing answers to `name`; the nearest known name is suggested.
        """
        if not isinstance(name, str):
            raise InputTypeError(f"a {self.kind} name must be a string, got {name!r}")
        key = name.strip().lower().replace("-", "_").replace(" ", "_")
        if key not in self._names:
            raise UnknownNameError(self.kind, name, self._specs, self._names)
        return self._specs[self._names[key]]

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[SpecT]:
        return iter(self._specs.values())

    def names(self) -> list[str]:
        """Canonical names in order of registration."""
        return list(self._specs)

    def to_frame(self, *hidden: str) -> pd.DataFrame:
        """One row per spec, one column per field; fields named in `hidden` are left out."""
        rows = []
        for spec in self:
            row = {field.name: getattr(spec, field.name) for field in fields(spec)}  # type: ignore[arg-type]
            rows.append({**row, "aliases": ", ".join(spec.aliases)})
        return pd.DataFrame(rows).drop(columns=list(hidden)).set_index("name")
