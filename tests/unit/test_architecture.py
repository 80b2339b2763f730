"""The house rules that a machine can check: imports point one way, and none hides in a string."""

import ast
import functools
import re
from pathlib import Path

import pytest
from loading import python

import pyfsagg
import pyfsagg.extending

ROOT = Path(pyfsagg.__file__).parents[1]

# From the ground up (drawn in docs/maintaining.md). A file may import from floors below its own, and from
# its own room; `exceptions`, `_version` and `_message` lie under every floor, each under the one before.
# The packages that build on pyfsagg are one room each, above it.
FLOORS = (
    ("_base",),
    ("_kernels", "_table", "_report"),
    ("_run", "ranks", "resampling", "discretization", "datasets"),
    (
        *("_command", "aggregation", "screens", "study_tables", "stability_measures"),
        *("statistics", "error_control"),
    ),
    ("unsupervised", "rank_order", "score_tables"),
    ("filters",),
    ("ensemble",),
    ("evaluation", "aggregator_influence", "committees", "out_of_core"),
    ("plotting", "results", "extending", "listing"),
    ("cli", "for_r"),
)
CLIENTS = ("pyfsagg_rpy2", "pyfsagg_papers")
THRESHOLD = ("exceptions", "_version", "_message")
FLOOR_OF = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
FLOOR_OF |= {client: len(FLOORS) + level for level, client in enumerate(CLIENTS)}
FLOOR_OF |= {name: -1 - depth for depth, name in enumerate(THRESHOLD)}


def _room_of(module: str) -> str | None:
    """The room of a dotted name: "" for the top level of pyfsagg, None for what is not ours."""
    parts = module.split(".")
    if parts[0] in CLIENTS:
        return parts[0]
    if parts[0] == "pyfsagg":
        return parts[1] if len(parts) > 1 else ""
    return None


def _imported(tree: ast.AST):
    """Every module of ours that a file imports, wherever in the file, by statement or by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            tops = node.module in ("pyfsagg", *CLIENTS)
            yield from (f"{node.module}.{x.name}" if tops else node.module for x in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
    yield from _named(tree)


def _named(tree: ast.AST):
    """Every module of ours that a file loads by a string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _loads_by_name(node.func):
            texts = [c.value for a in node.args for c in ast.walk(a) if isinstance(c, ast.Constant)]
            yield from (
                text for text in texts if isinstance(text, str) and _room_of(text) is not None
            )


def _loads_by_name(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__", "lazy_import", "find_spec")


TOPS = (ROOT / "pyfsagg", ROOT / "r_bridge" / "pyfsagg_rpy2", ROOT / "pyfsagg_papers")
MODULES = sorted(path for top in TOPS for path in top.rglob("*.py") if path != top / "__init__.py")


def _of(paths: list[Path]):
    """One test of all files; what fails is said for each of them."""

    def of_all(test):
        def of_every_file() -> None:
            wrong = {}
            for path in paths:
                try:
                    test(path)
                except AssertionError as error:
                    wrong[str(path.relative_to(ROOT))] = str(error)
            assert not wrong

        return of_every_file

    return of_all


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _parts(path: Path) -> tuple[str, ...]:
    """The dotted name of a file, in pieces."""
    (top,) = (top for top in TOPS if path.is_relative_to(top))
    return path.relative_to(top.parent).with_suffix("").parts


def _room(path: Path) -> str:
    top, room, *_ = _parts(path)
    return top if top in CLIENTS else "cli" if room == "__main__" else room


USERS = sorted((ROOT / "benchmarks").glob("*.py"))


def test_every_room_has_a_floor_and_no_file_is_in_a_circle() -> None:
    assert {_room(path) for path in MODULES} == set(FLOOR_OF)
    assert len(FLOORS) <= 10
    files = {".".join(_parts(path)): path for path in MODULES}
    edges = {name: _targets(_tree(path), files) - {name} for name, path in files.items()}
    assert _circles(edges) == []
    assert _circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [{"a", "b", "c"}]


@_of(MODULES)
def test_imports_point_down(path: Path) -> None:
    room = _room(path)
    for module in _imported(_tree(path)):
        imported = _room_of(module)
        if imported is None:
            continue
        if imported not in FLOOR_OF:  # a public name: what the doors and clients go through
            assert room in ("cli", "for_r", *CLIENTS), "import names from their own rooms"
            continue
        allowed = imported == room or FLOOR_OF[imported] < FLOOR_OF[room]
        assert allowed, f"{room} imports {imported}"


THEIRS = [path for path in MODULES if not path.is_relative_to(ROOT / "pyfsagg")]


@_of(MODULES)
def test_words_and_names_that_a_file_may_not_use(path: Path) -> None:
    """Pyfsagg knows no package that builds on it, and those packages use its public names; warnings
    go through the function that a thread can set aside."""
    text = path.read_text(encoding="utf-8")
    if path in THEIRS:
        assert list(_hidden(_tree(path))) == []
    else:
        assert not [name for name in (*CLIENTS, "pyfsagg.extending") if name in text]
    if path.name not in ("remarks.py", "deprecation.py"):
        assert "warnings.warn(" not in text


def _hidden(tree: ast.AST):
    """What a file imports of pyfsagg through a name with an underscore."""
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute):
            names = [ast.unparse(node)]
        for name in names:
            first, *others = name.split(".")
            if first == "pyfsagg" and any(re.match("_(?!_)", part) for part in others):
                yield name


def test_the_checks_see_what_they_look_for() -> None:
    text = """from pyfsagg import _run, wam, __version__
from pyfsagg._base.validation import check_integer
def f():
    import pyfsagg._page
    from pyfsagg.ranks import _files
    return pyfsagg.ranks._ranking.read, _own
"""
    hidden = (
        "_run _base.validation.check_integer _page ranks._files ranks._ranking ranks._ranking.read"
    )
    assert set(_hidden(ast.parse(text))) == {f"pyfsagg.{name}" for name in hidden.split()}
    text = """'--a'\nf(help='--b')\nsay = f"{x} or --c"\ng('--d', h={1: 'pass --e'})\nk = 'a--f'"""
    flags = [each for each in _said(ast.parse(text)) if _FLAG.search(each)]
    assert flags == [" or --c", "--d", "pass --e"]
    text = """import pyfsagg.plain
if TYPE_CHECKING:
    from pyfsagg.typed import Name
def f():
    from pyfsagg.room import late
"""
    wanted = {"pyfsagg.plain", "pyfsagg.typed", "pyfsagg.room.late"}
    assert _targets(ast.parse(text), {*wanted, "pyfsagg.room.__init__"}) == wanted
    text = """import importlib
def f():
    from pyfsagg.cli import main
    import pyfsagg_papers.shipped
    from pyfsagg import plotting
    importlib.import_module('pyfsagg.ensemble')
    importlib.import_module(f'pyfsagg_rpy2.{main}')
"""
    rooms = [_room_of(module) for module in _imported(ast.parse(text))]
    expected = ["None", "cli", "pyfsagg_papers", "plotting", "ensemble", "pyfsagg_rpy2"]
    assert sorted(map(str, rooms)) == sorted(expected)


METHODS = [
    "AGGREGATORS", "AggregatedValues", "AggregatorSpec", "ELIMINATIONS", "EliminationSpec", "FILTERS",
    "FilterSpec", "PLANS", "PairwiseAverage", "STABILITY_MEASURES", "Scorer", "SetPairs",
    "StabilitySpec", "Strategy", "UNSUPERVISED_METHODS", "UnsupervisedSpec", "VOTING_RULES", "Count",
    "VotingRule", "WholeSample", "function_filter",
]  # fmt: skip
"""What methods of other packages are made of: registries, specs and what these bind."""


def test_the_doors_have_the_names_that_are_used() -> None:
    names = pyfsagg.extending.__all__
    assert all(getattr(pyfsagg.extending, name) is not None for name in names)
    used = {
        alias.name
        for path in THEIRS
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.ImportFrom) and node.module == "pyfsagg.extending"
        for alias in node.names
    }
    assert used | set(METHODS) == set(names)
    assert len(set(names) - set(METHODS)) <= 55
    for name in pyfsagg.__all__:
        assert getattr(pyfsagg, name) is not None
    assert set(pyfsagg.__all__) <= set(dir(pyfsagg))
    with pytest.raises(AttributeError, match="attribute nothing"):
        pyfsagg.nothing  # noqa: B018


@_of([*MODULES, *USERS])
def test_no_module_of_ours_is_loaded_by_a_string(path: Path) -> None:
    assert not list(_named(_tree(path)))


_FLAG = re.compile(r"(?<![\w-])--[a-z]")
STARTS_A_COMMAND = "pyfsagg/for_r/tasks.py"
TERMINAL = (
    *("pyfsagg/cli", "pyfsagg/_command", "pyfsagg_papers/commands", "pyfsagg/__main__.py"),
    STARTS_A_COMMAND,
)


def _said(tree: ast.AST):
    """The strings of a file that somebody may read, without docstrings and the help of flags."""
    unsaid = {
        id(text)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg == "help")
        for text in ([node.value] if isinstance(node, ast.Expr) else ast.walk(node))
    }
    for node in ast.walk(tree):
        said = isinstance(node, ast.Constant) and id(node) not in unsaid
        if said and isinstance(node.value, str):
            yield node.value


@_of([p for p in MODULES if not p.relative_to(ROOT).as_posix().startswith(TERMINAL)])
def test_only_the_terminal_speaks_of_flags(path: Path) -> None:
    """Users of Python and R have never seen them; the terminal translates what it is told."""
    assert not [text for text in _said(_tree(path)) if _FLAG.search(text)]


PROCESS = [ROOT / "pyfsagg" / "cli" / "__init__.py", ROOT / "pyfsagg" / "for_r" / "tasks.py"]
"""Who has the process for itself: the terminal and R."""


@_of([each for each in MODULES if each not in PROCESS])
def test_what_threads_share_is_changed_by_one_at_a_time(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.With):
            opened = [ast.unparse(item.context_expr) for item in node.items]
            shared = [each for each in opened if re.search(r"catch_warnings|rc_context", each)]
            assert not shared or opened[0] == "ALONE"


def _circles(edges: dict[str, set[str]]) -> list[set[str]]:
    """Files that import each other, directly or in a round: each reaches the others."""
    reached = {}
    for file in edges:
        seen, new = set(), set(edges[file])
        while new:
            seen |= new
            new = {later for other in new for later in edges.get(other, ())} - seen
        reached[file] = seen
    rounds = [{other for other in reached[f] if f in reached.get(other, ())} for f in edges]
    return [one for j, one in enumerate(rounds) if one and one not in rounds[:j]]


def _targets(tree: ast.AST, files) -> set[str]:
    """The files that a file imports: for its types and inside its functions, too."""
    found = set()
    for node in ast.walk(tree):
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


HEAVY = "numpy pandas scipy numba sklearn matplotlib jinja2 rpy2"
STARTS = {
    "import pyfsagg": HEAVY,
    "from pyfsagg.cli import build_parser; build_parser()": HEAVY,  # the help of the terminal
    "import pyfsagg; pyfsagg.wam": "scipy.stats scipy.special scipy.optimize sklearn statsmodels matplotlib",
}


@pytest.mark.parametrize("start", STARTS)
def test_what_is_often_started_loads_nothing_heavy(start: str) -> None:
    heavy = STARTS[start].split()
    code = f"{start}; import sys; print([m for m in {heavy} if m in sys.modules])"
    assert python("-c", code).stdout.strip() == "[]"
