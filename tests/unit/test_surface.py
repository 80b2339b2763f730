"""How many names a person has to choose from.  The ceilings may be lowered; to raise one takes a reason.

The last one rose from 380 by the four names of `Rankings` (of, top, depth, sizes) by which all
functions of lists, resamples and selections take each other's objects.
"""

import importlib
import inspect
import pkgutil
from dataclasses import is_dataclass
from functools import cached_property
from typing import Any

import pyfsagg
from pyfsagg.extending import FILTERS

TOP_LEVEL, OF_A_CLASS, IN_ALL = 32, 26, 380

OTHER_DOORS = ("cli", "extending", "for_r")
"""Modules without an underscore that nobody imports who ranks features: the terminal, what packages beside
this one build on, and R."""

MODULES = [
    pyfsagg,
    *(
        importlib.import_module(f"pyfsagg.{module.name}")
        for module in pkgutil.iter_modules(pyfsagg.__path__)
        if not module.name.startswith("_") and module.name not in OTHER_DOORS
    ),
]
PUBLIC: dict[int, Any] = {
    id(value): value
    for module in MODULES
    for value in (getattr(module, name) for name in module.__all__ if name not in FILTERS)
    if not isinstance(value, str)
}
"""What the public modules name in ``__all__``, once; filters are one function of many names."""


def methods(kind: type) -> set[tuple[str, str]]:
    """Public methods and properties of a class, once where defined; fields do not count."""
    return {
        (base.__qualname__, name)
        for base in kind.__mro__
        if base.__module__.startswith("pyfsagg")
        for name, value in vars(base).items()
        if not name.startswith("_")
        and (
            callable(value)
            or isinstance(value, (property, cached_property, classmethod, staticmethod))
        )
    }


CLASSES = {value for value in PUBLIC.values() if inspect.isclass(value)}


def test_the_top_level_fits_on_a_page() -> None:
    assert len(pyfsagg.__all__) <= TOP_LEVEL


def test_a_class_can_be_known() -> None:
    for kind in sorted(CLASSES, key=lambda kind: kind.__qualname__):
        known = {name for _, name in methods(kind)}
        assert len(known) <= OF_A_CLASS, sorted(known)


def test_a_ranking_offers_at_most_24_names() -> None:
    """Fields without a default are not in the class, and told by its docstring."""
    names = [name for name in dir(pyfsagg.ensemble.EnsembleResult) if not name.startswith("_")]
    assert len(names) <= 24


def test_the_names_of_all_modules_can_be_known() -> None:
    assert len(PUBLIC) + len(set().union(*map(methods, CLASSES))) <= IN_ALL


def test_no_public_name_is_a_module_but_a_room() -> None:
    for module in MODULES[1:]:
        assert not [name for name in module.__all__ if inspect.ismodule(getattr(module, name))]


TYPED = {
    "X": "TableLike",
    "y": "TargetLike",
    "random_state": "RandomState",
    "sample_weight": "ArrayLike",
    "counts": "ArrayLike",
}


def test_tables_targets_weights_and_seeds_are_annotated_as_such() -> None:
    members = [getattr(kind, name) for kind in CLASSES for _, name in methods(kind)]
    inits = [
        vars(kind)["__init__"]
        for kind in CLASSES
        if "__init__" in vars(kind) and not is_dataclass(kind)
    ]
    for function in filter(callable, [*PUBLIC.values(), *members, *inits]):
        if inspect.isclass(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            told = function.__qualname__, parameter.name, f"use {TYPED.get(parameter.name)}"
            assert parameter.name not in TYPED or parameter.annotation not in (Any, "Any"), told
