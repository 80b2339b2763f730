"""The house rules that a machine can check: imports point one way and stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pyfsagg

ROOT = Path(pyfsagg.__file__).parent

# From the ground up. A module may import from floors below its own, and from its own room.
FLOORS = (
    ("exceptions", "_version"),
    ("_blocks", "_registry", "_columns", "_delimited", "_kernels", "_output", "_parallel"),
    ("_sparse_check",),
    ("_sparse",),
    ("_validation", "_checkpoint"),
    ("_target", "_adjustment"),
    ("_identity", "_poisson_bootstrap", "_selection", "_sklearn"),
    ("discretization", "resampling", "ranks", "datasets"),
    ("filters", "aggregation", "stability_measures", "statistics"),
    ("ensemble", "rank_order", "unsupervised"),
    ("evaluation", "aggregator_influence", "out_of_core"),
    ("reproduce",),
    ("plotting",),
    ("report",),
    ("cli",),
    ("__main__",),
)
FLOOR_OF = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}


def _imports(path: Path) -> list[str]:
    """Rooms of pyfsagg that a file imports, wherever in the file."""
    rooms = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "pyfsagg" and len(parts) > 1:
                rooms.append(parts[1])
            elif parts == ["pyfsagg"]:
                rooms.append("")
    return rooms


def _room(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def test_every_room_has_a_floor() -> None:
    assert {_room(path) for path in MODULES} <= set(FLOOR_OF)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = _room(path)
    for imported in _imports(path):
        assert imported, "import names from their own rooms, not from the top level"
        allowed = imported == room or FLOOR_OF[imported] < FLOOR_OF[room]
        assert allowed, f"{room} imports {imported}"


def test_the_check_sees_an_arrow_that_points_up(tmp_path: Path) -> None:
    file = tmp_path / "filters.py"
    file.write_text("def f():\n    from pyfsagg.cli import main\n    import pyfsagg.report\n")
    assert _imports(file) == ["cli", "report"]


def test_plain_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, pyfsagg; "
        "print([m for m in ('numpy', 'pandas', 'numba', 'sklearn', 'matplotlib', 'rpy2') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_had() -> None:
    for name in pyfsagg.__all__:
        assert getattr(pyfsagg, name) is not None
    assert set(pyfsagg.__all__) <= set(dir(pyfsagg))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pyfsagg.nothing  # noqa: B018


def test_no_file_is_too_long_to_read() -> None:
    long = {str(path): n for path in MODULES if (n := len(path.read_text().splitlines())) > 450}
    assert not long
