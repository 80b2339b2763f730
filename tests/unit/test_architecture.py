"""The house rules that a machine can check: imports point one way, and none hides in a string."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import pyfsagg

ROOT = Path(pyfsagg.__file__).parents[1]

# From the ground up (drawn in CONTRIBUTING.md). A file may import from floors below its own, and from
# its own room; `exceptions` and `_version` lie under every floor. r_bridge counts as one room.
FLOORS = (
    ("_base",),
    ("_kernels", "_table", "_draw", "_page"),
    ("_run", "ranks", "resampling", "discretization", "datasets"),
    (
        "_command",
        "filters",
        "aggregation",
        "screens",
        "stability_measures",
        "statistics",
        "error_control",
    ),
    ("unsupervised", "rank_order"),
    ("ensemble",),
    ("evaluation", "aggregator_influence", "committees", "out_of_core", "r_bridge"),
    ("plotting", "reproduce"),
    ("results",),
    ("cli", "for_r"),
)
THRESHOLD = ("exceptions", "_version")
FLOOR_OF = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
FLOOR_OF |= dict.fromkeys(THRESHOLD, -1)


def _room_of(module: str) -> str | None:
    """The room of a dotted name: "" for the top level of pyfsagg, None for what is not ours."""
    parts = module.split(".")
    if parts[0] == "r_bridge":
        return "r_bridge"
    if parts[0] == "pyfsagg":
        return parts[1] if len(parts) > 1 else ""
    return None


def _imported(path: Path) -> Iterator[str]:
    """Every module of ours that a file imports, wherever in the file, by statement or by a string."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module in ("pyfsagg", "r_bridge"):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and _loads_by_name(node.func):
            yield from (
                text.value
                for argument in node.args
                for text in ast.walk(argument)
                if isinstance(text, ast.Constant)
                and isinstance(text.value, str)
                and _room_of(text.value) is not None
            )


def _loads_by_name(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__", "lazy_import", "find_spec")


def _room(path: Path) -> str:
    parts = path.relative_to(ROOT).parts
    if parts[0] == "r_bridge":
        return "r_bridge"
    return "cli" if parts[1] == "__main__.py" else parts[1].removesuffix(".py")


DOORS = (ROOT / "pyfsagg/__init__.py", ROOT / "r_bridge/__init__.py")
MODULES = sorted(
    path
    for top in ("pyfsagg", "r_bridge")
    for path in (ROOT / top).rglob("*.py")
    if path not in DOORS
)
USERS = sorted((ROOT / "benchmarks").glob("*.py"))


def test_every_room_has_a_floor() -> None:
    assert {_room(path) for path in MODULES} == set(FLOOR_OF)
    assert len(FLOORS) <= 10


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_down(path: Path) -> None:
    room = _room(path)
    for module in _imported(path):
        imported = _room_of(module)
        if imported is None:
            continue
        if imported == "":  # the door for R goes through the public names, as every user does
            assert room == "for_r", "import names from their own rooms, not from the top level"
            continue
        allowed = imported == room or FLOOR_OF[imported] < FLOOR_OF[room]
        assert allowed, f"{room} imports {imported}"


@pytest.mark.parametrize("path", [*MODULES, *USERS], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_of_ours_is_loaded_by_a_string(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and _loads_by_name(node.func):
            texts = [c.value for a in node.args for c in ast.walk(a) if isinstance(c, ast.Constant)]
            ours = [text for text in texts if isinstance(text, str) and _room_of(text) is not None]
            assert not ours


_FLAG = re.compile(r"(?<![\w-])--[a-z]")
TERMINAL = ("pyfsagg/cli", "pyfsagg/_command", "pyfsagg/reproduce/commands", "pyfsagg/__main__.py")
STARTS_A_COMMAND = "pyfsagg/for_r/tasks.py"


def _said(tree: ast.AST) -> Iterator[str]:
    """The strings of a file that somebody may read, without docstrings and the help of flags."""
    unsaid = {
        id(text)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg == "help")
        for text in ([node.value] if isinstance(node, ast.Expr) else ast.walk(node))
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in unsaid
        ):
            yield node.value


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_terminal_speaks_of_flags(path: Path) -> None:
    """Users of Python and R have never seen them; the terminal translates what it is told."""
    name = path.relative_to(ROOT).as_posix()
    if name.startswith(TERMINAL) or name == STARTS_A_COMMAND:
        return
    assert not [text for text in _said(ast.parse(path.read_text("utf-8"))) if _FLAG.search(text)]


def test_a_flag_is_seen_wherever_it_is_said() -> None:
    text = """'--a'\nf(help='--b')\nsay = f"{x} or --c"\ng('--d', h={1: 'pass --e'})\nk = 'a--f'"""
    assert [each for each in _said(ast.parse(text)) if _FLAG.search(each)] == [
        " or --c",
        "--d",
        "pass --e",
    ]


PROCESS = [ROOT / "pyfsagg" / "cli" / "__init__.py", ROOT / "pyfsagg" / "for_r" / "_door.py"]
"""Who has the process for itself: the terminal and R."""


@pytest.mark.parametrize(
    "path",
    [each for each in MODULES if each not in PROCESS],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_what_threads_share_is_changed_by_one_at_a_time(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.With):
            opened = [ast.unparse(item.context_expr) for item in node.items]
            shared = [each for each in opened if re.search(r"catch_warnings|rc_context", each)]
            assert not shared or opened[0] == "ALONE"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_warnings_go_through_the_function_that_a_thread_can_set_aside(path: Path) -> None:
    if path.name not in ("remarks.py", "deprecation.py"):
        assert "warnings.warn(" not in path.read_text(encoding="utf-8")


def _circles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Files that import each other, directly or in a round (Tarjan's components of more than one)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(file: str) -> None:
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in edges.get(file, ()):
            if other not in index:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], index[other])
        if low[file] == index[file]:
            cut = stack.index(file)
            if len(stack) - cut > 1:
                found.append(sorted(stack[cut:]))
            del stack[cut:]

    for file in edges:
        if file not in index:
            visit(file)
    return found


def _targets(path: Path, files: Mapping[str, Path]) -> set[str]:
    """The files that a file imports: for its types and inside its functions, too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            named = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
        elif isinstance(node, ast.Import):
            named = [(alias.name,) for alias in node.names]
        else:
            continue
        for candidates in named:
            known = [n for c in candidates for n in (c, f"{c}.__init__") if n in files]
            found.update(known[:1])
    return found


KNOWN_CIRCLES = {
    frozenset(
        f"pyfsagg.ensemble.{name}"
        for name in (
            "_between", "_terminal", "clusters", "compare", "rank_sets", "result", "selection",
        )
    ): "the functions of a ranking name its class, which calls them: it has no core of data yet",
}  # fmt: skip
"""Circles that stand, with the reason; one that is mended leaves the list."""


def test_no_file_is_in_a_circle() -> None:
    files = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in MODULES}
    edges = {name: _targets(path, files) - {name} for name, path in files.items()}
    assert {frozenset(circle) for circle in _circles(edges)} == set(KNOWN_CIRCLES)


def test_an_import_is_seen_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "from typing import TYPE_CHECKING\n"
        "import pyfsagg.plain\n"
        "if TYPE_CHECKING:\n"
        "    from pyfsagg.typed import Name\n"
        "def f():\n"
        "    from pyfsagg.room import late\n"
    )
    files = dict.fromkeys(
        ("pyfsagg.plain", "pyfsagg.typed", "pyfsagg.room.__init__", "pyfsagg.room.late"), file
    )
    assert _targets(file, files) == set(files) - {"pyfsagg.room.__init__"}


def test_the_check_sees_what_points_up(tmp_path: Path) -> None:
    file = tmp_path / "filters.py"
    file.write_text(
        "import importlib\n"
        "def f():\n"
        "    from pyfsagg.cli import main\n"
        "    import pyfsagg.reproduce\n"
        "    from pyfsagg import plotting\n"
        "    importlib.import_module('pyfsagg.ensemble')\n"
        "    importlib.import_module(f'r_bridge.{main}')\n"
    )
    rooms = [_room_of(module) for module in _imported(file)]
    assert sorted(map(str, rooms)) == sorted(
        ["None", "cli", "reproduce", "plotting", "ensemble", "r_bridge"]
    )
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]]


def test_plain_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, pyfsagg; "
        "print([m for m in ('numpy', 'pandas', 'numba', 'sklearn', 'matplotlib', 'rpy2') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_help_of_the_command_line_loads_nothing_heavy() -> None:
    code = (
        "import sys; from pyfsagg.cli import build_parser; build_parser(); "
        "print([m for m in ('numpy', 'pandas', 'scipy', 'numba', 'sklearn', 'matplotlib', 'jinja2') "
        "if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_had() -> None:
    for name in pyfsagg.__all__:
        assert getattr(pyfsagg, name) is not None
    assert set(pyfsagg.__all__) <= set(dir(pyfsagg))
    with pytest.raises(AttributeError, match="attribute nothing"):
        pyfsagg.nothing  # noqa: B018
