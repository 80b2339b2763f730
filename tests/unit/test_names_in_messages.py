"""What a message names exists: its parts are compared with the signatures.

A function that names a parameter is reached from public functions, directly or through others.  One of
these, or of the settings that they take, must have the parameter.  Callers are found by their words: whatever
mentions a name may call it.
"""

import ast
import functools
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

import pyfsagg
from pyfsagg._message import home

CORE = Path(pyfsagg.__file__).parent
PAPERS = CORE.with_name("pyfsagg_papers")
DOORS = ("cli", "_command", "for_r")
"""Rooms that nobody imports from; their strings are flags and arguments of R."""

BY_NAME = {"elimination_scores", "noncentral_t_interval", "noncentral_f_interval"}
"""Functions to which no public function hands its arguments; who calls them reads their signature."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NAMES_ONE = re.compile(r"Param|named|check_\w+")
"""Calls whose first argument is the name of a parameter."""


@dataclass(eq=False)
class Definition:
    """A function, a class with its special methods, or a constant."""

    name: str
    public: bool = False
    constant: bool = False
    method: bool = False
    whole: bool = False
    used: bool = False
    outside: bool = False
    takes: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)
    mentions: set[str] = field(default_factory=set)
    names: list[tuple[str, str, int]] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The word by which others mention it."""
        return f".{self.name}" if self.method else self.name

    def read(self, *nodes: ast.AST) -> None:
        """Enter what the code mentions and names."""
        for node in (inner for outer in nodes for inner in ast.walk(outer)):
            if isinstance(node, (ast.Name, ast.Attribute)):
                self.mentions.add(word_of(node))
                if isinstance(node, ast.Attribute):
                    self.mentions.add(f".{node.attr}")
            elif isinstance(node, ast.Call):
                self.names += [(owner, name, node.lineno) for owner, name in named_by(node)]

    def take(self, arguments: ast.arguments) -> None:
        """Enter the parameters, and the classes that their annotations name."""
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            self.takes.add(each.arg)
            self.settings.update(re.findall(r"\w+", ast.unparse(each.annotation or ast.Name(""))))


def word_of(node: ast.expr) -> str:
    return str(getattr(node, "id", getattr(node, "attr", "")))


def named_by(call: ast.Call) -> Iterator[tuple[str, str]]:
    """``Param("a")``, ``check_real("a", …)``, ``Use(a=1)`` and ``Use("Task", a=1)``: owner and parameter."""
    first = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
    if word_of(call.func) == "Use":
        yield from ((str(first), each.arg) for each in call.keywords if each.arg)
    elif NAMES_ONE.fullmatch(word_of(call.func)) and str(first).isidentifier():
        yield "", str(first)
    elif word_of(call.func) == "Public" and first:
        yield "Public", str(first)


def definitions(
    body: Iterable[ast.stmt], path: str, public: set[str], outer: Definition, kind: bool = False
) -> Iterator[Definition]:
    """All that a module or class defines; the rest of it is read into `outer`."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            inner = Definition(node.name, f"{path}.{node.name}" in public, whole=True)
            inner.read(*node.bases, *node.keywords)
            inside = list(definitions(node.body, f"{path}.{node.name}", public, inner, kind=True))
            yield from (inner, *inside)
        elif isinstance(node, FUNCTIONS) and kind and node.name.startswith("__"):
            outer.read(*node.body)
            outer.take(node.args)
        elif isinstance(node, FUNCTIONS):
            shown = path in public and not node.name.startswith("_")
            one = Definition(node.name, shown or f"{path}.{node.name}" in public)
            one.method = kind
            one.read(*node.body)
            one.take(node.args)
            if not kind and len(node.body) > 1 and isinstance(node.body[-2], FUNCTIONS):
                one.take(node.body[-2].args)  # what it returns
            for each in (each for each in node.decorator_list if isinstance(each, ast.Call)):
                for word in each.args[:1]:  # ``@register_plan("bootstrap")`` is told by the name
                    yield Definition(getattr(word, "value", ""), constant=True, mentions={one.key})
            if kind and shown:  # a method of a public class: what it was built from is known, too
                one.settings.add(outer.name)
            yield one
        elif kind:
            outer.read(node)
            if isinstance(node, ast.AnnAssign):
                outer.takes.add(word_of(node.target))
                if word_of(node.target) == "_kind" and isinstance(node.value, ast.Constant):
                    yield Definition(node.value.value, outer.public, takes=outer.takes)
                if word_of(node.target) == "_options":
                    values = (each for each in ast.walk(node) if isinstance(each, ast.Constant))
                    outer.takes |= {str(each.value) for each in values}
        else:  # ``FILTERS.add(…)``, ``MEASURES = {…}``: who mentions the constant may call what is in it
            words = [word_of(inner) for inner in ast.walk(node) if isinstance(inner, ast.Name)]
            held = Definition(next(iter(words), ""), constant=True)
            held.read(node)
            yield held


def whole() -> list[Definition]:
    """All definitions; of a door one that takes what its strings say."""
    rooms = [
        importlib.import_module(f"pyfsagg.{room.name}")
        for room in pkgutil.iter_modules(pyfsagg.__path__)
        if not room.name.startswith("_") and room.name not in DOORS
    ]
    shown = [getattr(room, name) for room in (pyfsagg, *rooms) for name in room.__all__]
    public = {
        f"{one.__module__}.{one.__qualname__}" for one in shown if hasattr(one, "__qualname__")
    }
    trees = {
        path.relative_to(CORE.parent).with_suffix(""): ast.parse(path.read_text(encoding="utf-8"))
        for path in [*CORE.rglob("*.py"), *PAPERS.rglob("*.py")]
    }
    outside = {path for path in trees if path.parts[0] != CORE.name or path.parts[1] in DOORS}
    found, used = [], set()
    for tree in map(trees.get, outside):
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        used |= {f"{node.module}.{each.name}" for node in imports for each in node.names}
    for path, tree in trees.items():
        module = Definition(str(path))
        if path in outside:
            module.read(tree)
            module.public, module.outside, module.names = True, True, []
            constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
            module.takes = {str(value).lstrip("-").replace("-", "_") for value in constants}
        else:
            dotted = ".".join(path.parts).removesuffix(".__init__")
            for one in definitions(tree.body, dotted, public, module):
                one.names = [(owner, name, f"{path}:{line}") for owner, name, line in one.names]
                one.used = f"{dotted}.{one.name}" in used
                found.append(one)
        found.append(module)
    return found


def unknown() -> Iterator[str]:
    """Where a message names what nobody takes."""
    found, mentioning, called = whole(), defaultdict(set), defaultdict(list)
    options = set().union(*(one.mentions for one in found if one.constant))
    for one in found:
        called[one.name].append(one)
        for word in one.mentions:
            mentioning[word].add(one)
    for one in (one for one in found if one.names and one.name not in BY_NAME):
        reached, queue = {one}, [(one, 0)]
        for this, passed in queue:  # one public function may call another
            passed += this.public and not (this.method or this.whole)
            new = mentioning[this.key] - reached if passed < 2 else set()
            reached |= new
            queue += ((each, passed) for each in new)
        doors = [each for each in reached if each.public or each.used or each.key in options]
        doors += [kind for each in reached if each.constant for kind in called[each.name]]
        if any(each.public and not each.outside for each in doors):
            doors = [each for each in doors if not each.outside]
        taken = set().union(*(each.takes for each in doors))
        for word in set().union(*(each.settings for each in doors)):
            taken |= set().union(*(each.takes for each in called[word] if each.public))
        for owner, name, where in (each for each in one.names if each[0] != "Public"):
            own = set().union(*(each.takes for each in called[owner])) if owner else taken
            if name not in own:
                yield f"{where} {name}"


def test_a_named_parameter_is_one_of_a_function_that_can_say_it() -> None:
    assert not sorted(unknown())


def sentences() -> Iterator[str]:
    """The strings of the package that have words and are no docstrings."""
    for path in CORE.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for node in (node for node in nodes if not isinstance(node, ast.Expr)):
            for inner in ast.iter_child_nodes(node):
                if isinstance(inner, ast.Constant) and " " in str(inner.value).strip():
                    yield str(inner.value)


def test_a_named_function_exists() -> None:
    known = {one.name for one in whole() if one.public} | set(dir(pd.Series)) | set(dir(np))
    missing = {
        (name, text)
        for text in sentences()
        for name in re.findall(r"(?:\bresult\.|(?<![\w.:`]))([a-z_]\w*)\(\)", text)
        if name not in known
    }
    assert not missing


def test_a_public_name_in_a_message_is_public() -> None:
    names = [name for one in whole() for owner, name, _ in one.names if owner == "Public"]
    assert len(names) > 5
    for name in names:
        assert functools.reduce(getattr, home(name).split("."), pyfsagg)
