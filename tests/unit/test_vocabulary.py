"""One idea, one word: public signatures against docs/reference/vocabulary.md; one name, one meaning."""

import ast
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from pathlib import Path

import pyfsagg

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "vocabulary.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
HOOKS = {"add_commands"}  # each file of commands has one


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def public_signatures():
    """Functions, constructors and methods that the package and its rooms offer."""
    rooms = [found.name for found in pkgutil.iter_modules(pyfsagg.__path__, "pyfsagg.")]
    offered = {}
    for room in ["pyfsagg", *(room for room in rooms if "._" not in room)]:
        if room == "pyfsagg.reproduce":  # the papers
            continue
        module = importlib.import_module(room)
        offered |= {name: getattr(module, name) for name in getattr(module, "__all__", ())}
    for name, value in offered.items():
        if inspect.isfunction(value):
            yield name, inspect.signature(value)
        elif inspect.isclass(value) and not issubclass(value, Exception):
            yield name, inspect.signature(value)
            for part, member in vars(value).items():
                function = getattr(member, "__func__", member)
                if part[0] != "_" and inspect.isfunction(function):
                    yield f"{name}.{part}", inspect.signature(function)


SIGNATURES = dict(public_signatures())


def test_no_replaced_word_is_a_public_parameter() -> None:
    found = {}
    for replaced, _, exceptions in rows("Replaced"):
        word, allowed = CODE.findall(replaced)[0], set(CODE.findall(exceptions))
        having = {name for name, signature in SIGNATURES.items() if word in signature.parameters}
        assert allowed <= having, f"{word} is no longer a word of {sorted(allowed - having)}"
        found |= {word: sorted(having - allowed)} if having - allowed else {}
    assert not found


def test_a_word_has_the_defaults_of_the_page() -> None:
    strange = []
    for word, _, _, defaults, *_ in rows("Words"):
        name, known = CODE.findall(word)[0], CODE.findall(defaults)
        for function, signature in SIGNATURES.items():
            parameter = signature.parameters.get(name)
            if parameter is None or parameter.default is parameter.empty or not known:
                continue
            if repr(parameter.default) not in known:
                strange.append(f"{function}({name}={parameter.default!r})")
    assert not strange


def test_every_word_of_the_page_is_used() -> None:
    used = {name for signature in SIGNATURES.values() for name in signature.parameters}
    words = {CODE.findall(row[0])[0] for row in rows("Words")}
    assert len(words) > 20
    assert words <= used | {"filter_params", "resampling_params", "aggregator_params"}
    replaced = {CODE.findall(row[0])[0] for row in rows("Replaced")}
    assert not words & replaced


def test_no_public_name_is_defined_twice() -> None:
    places: dict[str, set[str]] = defaultdict(set)
    for path in sorted((ROOT / "pyfsagg").rglob("*.py")):
        file = path.relative_to(ROOT / "pyfsagg")
        if file.parts[0] == "reproduce":  # the papers are users of the package
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_":
                places[node.name].add(file.as_posix())
    twice = {name: sorted(files) for name, files in places.items() if len(files) > 1}
    assert set(twice) <= HOOKS, twice
