"""Modules that are no part of a package, and programs: references, tools of the checkout, other processes."""

import importlib.util
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def load(path: Path):
    """The module in a file, as `import` would run it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_beside(test: str, name: str):
    """The module `name` in the folder of a test, whose `__file__` is given."""
    return load(Path(test).with_name(f"{name}.py"))


def tool(name: str):
    """A module of ``tools``, which may import its neighbours."""
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


def program(*command, code: int = 0, **options) -> subprocess.CompletedProcess[str]:
    """What a command prints; it must end with `code`."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == code, done.stdout[-4000:] + done.stderr[-4000:]
    return done


def python(*arguments, **options) -> subprocess.CompletedProcess[str]:
    """The same of this Python in a process of its own."""
    return program(sys.executable, *arguments, **options)
