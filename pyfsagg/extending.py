"""For packages that build on pyfsagg: parts of methods, results, pages, pictures and commands.

A method is a spec (``FilterSpec``, …), found by an entry point or added to its registry (``FILTERS``, …).
With the public names of pyfsagg and these, a package with methods, results, pages, pictures or commands of
its own needs nothing that has an underscore.  Its commands are found by entry points of the group
``pyfsagg.commands`` (the name of a command, and a function that adds its parser), its results by
``pyfsagg.results`` (the kind of a result, and its class).

The names stand in ``extending.pyi``, each with the file that it comes from: registries and specs, results,
pages, pictures, messages and words, checks of input, runs, and the flags of commands.  They are imported
when they are first used: a module that only declares the flags of a command stays light.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

# lazy_loader reads the stub of a package only, and keeps what it found among the names of the package.
_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOME_OF = {
    alias.name: f".{node.module}"
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME_OF[name], __package__), name)
    return value


def __dir__() -> list[str]:
    return __all__
