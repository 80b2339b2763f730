"""Modules that are no part of a package: reference implementations and tools of the checkout."""

import importlib.util
from pathlib import Path


def load(path: Path):
    """The module in a file, as `import` would run it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_beside(test: str, name: str):
    """The module `name` in the folder of a test, whose `__file__` is given."""
    return load(Path(test).with_name(f"{name}.py"))
