"""Mutation testing: do the tests notice when the package is wrong?

    python tools/mutate.py run ranks statistics --sample 80     sample, run, go on where it stopped
    python tools/mutate.py run ranks --near 3                   with the three nearest files of tests only
    python tools/mutate.py again ranks                          the survivors once more
    python tools/mutate.py show ranks                           the table and the survivors

A mutant is the package with one small error: `<` for `<=`, `+` for `-`, a number one too large, a
negated condition, a slice one too short.  From all mutants of a room a seeded random sample is
drawn.  Each is made in a copy of the checkout, never in the tree, and run in a process of its own
with the tests that call the mutated function, fastest first, until one fails.  It is *killed* by a
failing test or by a time limit, else it *survived*.  Times are those of the processor, so that a busy
machine kills nothing.

To find out which tests call what takes longer than a small sample.  `--near` does without: it takes the
files of tests whose words are those of the mutated code, the nearest tests first, and ends after
twelve seconds; a survivor may still be killed by `again`.

Of texts the numbers count, unless a value stands in them; docstrings, annotations, what follows `raise`,
assertions (they help mypy) and decorators do not, nor the pictures of a room (`_plot*.py`, `_report.py`).  In
`_kernels` numba is switched off, so that a mutated loop needs no compiling; elsewhere no loop is mutated,
and what numba has compiled for the checkout goes into the copy: run the room's tests once before.  Tests that
fail or take too long are left out.  Survivors that no test can kill are listed with a reason in
`tests/mutation_survivors.toml`.

Needs a Unix system (os.fork) and the extra `test`.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import hashlib
import importlib
import inspect
import json
import math
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from _timing import environment

ROOT = Path(__file__).resolve().parents[1]
EQUIVALENT = ROOT / "tests" / "mutation_survivors.toml"
COPIED = (
    "pyfsagg",
    "r_bridge/pyfsagg_rpy2",
    "pyfsagg_papers",
    "tests",
    "data",
    "benchmarks",
    "tools",
    "README.md",
    "pyproject.toml",
)

PROPERTIES = "tests/properties/test_{}_properties.py"
GOLDEN = "tests/golden/test_{}_golden.py"
SMALL = "tests/unit/test_small_examples.py"
TOLD = "tests/report/test_numbers_told.py"
ROOMS: dict[str, tuple[str, ...]] = {
    "_kernels": (
        "tests/unit/test_ranks.py",
        "tests/unit/test_markov.py",
        "tests/unit/test_order_statistics.py",
        "tests/unit/test_discretize.py",
        "tests/unit/test_equal_width.py",
        "tests/unit/test_entropy*.py",
        "tests/unit/test_class_filters.py",
        "tests/unit/test_mrmr.py",
        "tests/unit/test_sparse.py",
        "tests/unit/test_poisson_bootstrap.py",
        "tests/unit/test_out_of_core.py",
        "tests/unit/test_rank_confidence.py",
        "tests/unit/test_screens.py",
        "tests/unit/test_survival.py",
        "tests/unit/test_learned_and_counted.py",
        "tests/unit/test_extreme_numbers.py",
        "tests/unit/test_plain_filters.py",
        "tests/unit/test_information.py",
        "tests/unit/test_rank_order_*.py",
        "tests/unit/test_unsupervised_*.py",
        "tests/unit/test_stability_*.py",
        PROPERTIES.format("*"),
        GOLDEN.format("*"),
    ),
    "ranks": (
        "tests/unit/test_ranks.py",
        "tests/unit/test_order_statistics.py",
        "tests/unit/test_rank_files.py",
        "tests/unit/test_aggregation.py",
        "tests/unit/test_list_*.py",
        "tests/unit/test_unranked_lists.py",
        "tests/cli/test_aggregate.py",
        "tests/cli/test_files_on_pages.py",
        "tests/unit/test_ties_in_stability.py",
        SMALL,
        PROPERTIES.format("aggregation"),
        "pyfsagg/ranks/*.py",
    ),
    "aggregation": (
        "tests/unit/test_aggreg*.py",
        "tests/unit/test_list_*.py",
        "tests/unit/test_pairwise.py",
        "tests/unit/test_universe.py",
        "tests/unit/test_unranked_lists.py",
        "tests/cli/test_aggregate.py",
        "tests/unit/test_learned_and_counted.py",
        "tests/papers/test_aggregator_choice.py",
        "tests/unit/test_markov.py",
        "tests/unit/test_order_statistics.py",
        "tests/unit/test_ties_in_p_values.py",
        "tests/unit/test_result.py",
        SMALL,
        PROPERTIES.format("aggregation"),
        GOLDEN.format("rank_aggregation"),
        GOLDEN.format("fusion"),
        "pyfsagg/aggregation/*.py",
    ),
    "stability_measures": (
        "tests/unit/test_stability_*.py",
        "tests/unit/test_between_samples.py",
        "tests/unit/test_ties_in_stability.py",
        SMALL,
        PROPERTIES.format("stability"),
        GOLDEN.format("stability"),
        "tests/cli/test_stability.py",
        "pyfsagg/stability_measures/*.py",
    ),
    "statistics": (
        "tests/unit/test_statistics_*.py",
        "tests/unit/test_rank_confidence.py",
        "tests/unit/test_standings.py",
        "tests/unit/test_pairwise.py",
        SMALL,
        PROPERTIES.format("statistics"),
        GOLDEN.format("statistics"),
        "pyfsagg/statistics/*.py",
    ),
    "ensemble/null.py": (
        "tests/unit/test_target_permutation.py",
        "tests/unit/test_noise_scale.py",
        "tests/unit/test_adjusters.py",
        "tests/unit/test_between_samples.py",
        "tests/unit/test_false_selections.py",
    ),
    "ensemble/larger_samples.py": ("tests/unit/test_larger_samples.py",),
    "ensemble/selection.py": (
        "tests/unit/test_selection.py",
        "tests/unit/test_false_selections.py",
        "tests/unit/test_ensemble.py",
        "pyfsagg/ensemble/selection.py",
    ),
    "error_control": (
        "tests/unit/test_target_permutation.py",
        "tests/unit/test_error_control.py",
        "tests/unit/test_calibrated_selection.py",
        "tests/unit/test_false_selections.py",
        GOLDEN.format("error_control"),
        "pyfsagg/error_control/*.py",
    ),
    "study_tables": (
        "tests/unit/test_studies.py",
        GOLDEN.format("studies"),
        "tests/cli/test_studies.py",
        "pyfsagg/study_tables/*.py",
    ),
    "aggregator_influence": (
        "tests/unit/test_influence*.py",
        "tests/unit/test_aggregator_comparison.py",
        "tests/cli/test_influence.py",
        "pyfsagg/aggregator_influence/*.py",
    ),
    "score_tables": (
        "tests/unit/test_standings.py",
        GOLDEN.format("standings"),
        "tests/cli/test_standings.py",
        TOLD,
        "pyfsagg/score_tables/*.py",
    ),
    "screens": (
        "tests/unit/test_screens.py",
        PROPERTIES.format("screen"),
        GOLDEN.format("screen"),
        "tests/cli/test_screen.py",
        TOLD,
        "pyfsagg/screens/*.py",
    ),
    "filters": (
        "tests/unit/test_class_filters.py",
        "tests/unit/test_entropy.py",
        "tests/unit/test_information.py",
        "tests/unit/test_model_filters.py",
        "tests/unit/test_mrmr.py",
        "tests/unit/test_near_zero_variance.py",
        "tests/unit/test_plain_filters.py",
        "tests/unit/test_sparse.py",
        "tests/unit/test_survival.py",
        "tests/unit/test_adjusters.py",
        "tests/unit/test_car_score.py",
        SMALL,
        PROPERTIES.format("filter"),
        PROPERTIES.format("entropy"),
        *map(
            GOLDEN.format,
            ("adjusted", "car", "entropy", "information", "mrmr", "plain", "survival"),
        ),
        "pyfsagg/filters/*.py",
    ),
    "filters/adjusted.py": ("tests/unit/test_adjusters.py", GOLDEN.format("adjusted")),
    "filters/association.py": (
        "tests/unit/test_car_score.py",
        "tests/unit/test_adjusters.py",
        GOLDEN.format("car"),
    ),
    "unsupervised": (
        "tests/unit/test_unsupervised_*.py",
        "tests/unit/test_clusters.py",
        "tests/estimators/test_unsupervised_selectors.py",
        "tests/cli/test_unsupervised.py",
        PROPERTIES.format("unsupervised"),
        "pyfsagg/unsupervised/*.py",
    ),
    "rank_order": (
        "tests/unit/test_rank_order_*.py",
        "tests/estimators/test_rank_order_selector.py",
        "tests/cli/test_order.py",
        PROPERTIES.format("rank_order"),
        "pyfsagg/rank_order/*.py",
    ),
    "evaluation": (
        "tests/unit/test_evaluation_*.py",
        "tests/unit/test_fewest.py",
        "tests/unit/test_checkpoint*.py",
        "tests/cli/test_evaluate.py",
        "pyfsagg/evaluation/*.py",
    ),
    "committees": (
        "tests/unit/test_committee*.py",
        "tests/cli/test_vote.py",
        TOLD,
        PROPERTIES.format("voting"),
        GOLDEN.format("committee"),
        GOLDEN.format("vote"),
        "pyfsagg/committees/*.py",
    ),
    "resampling": (
        "tests/unit/test_resampling.py",
        "tests/unit/test_poisson_bootstrap.py",
        "tests/unit/test_reinterpretations.py",
        "tests/unit/test_calls.py",
        "tests/unit/test_targets.py",
        "tests/unit/test_clusters.py",
        "pyfsagg/resampling/*.py",
    ),
    "cli": ("tests/cli/*.py",),
    "_command": ("tests/cli/*.py",),
    "out_of_core": ("tests/unit/test_out_of_core.py", "pyfsagg/out_of_core/*.py"),
    "discretization.py": (
        "tests/unit/test_discretize.py",
        "tests/unit/test_equal_width.py",
        "tests/unit/test_entropy*.py",
        PROPERTIES.format("entropy"),
        GOLDEN.format("entropy"),
        "pyfsagg/discretization.py",
    ),
    "ensemble": (
        "tests/unit/test_ensemble.py",
        "tests/unit/test_selection.py",
        "tests/unit/test_false_selections.py",
        "tests/unit/test_target_permutation.py",
        "tests/unit/test_between_samples.py",
        "tests/unit/test_larger_samples.py",
        "tests/unit/test_feature_groups.py",
        "tests/unit/test_noise_scale.py",
        "tests/unit/test_facts.py",
        "tests/unit/test_forecast.py",
        "tests/unit/test_reinterpretations.py",
        "tests/unit/test_settings.py",
        "tests/unit/test_targets.py",
        "tests/unit/test_frames.py",
        "tests/unit/test_always.py",
        "tests/unit/test_result.py",
        "tests/estimators/test_selectors.py",
        "tests/cli/test_rank.py",
        "tests/report/test_report.py",
        TOLD,
        "pyfsagg/ensemble/*.py",
    ),
    "aggregation/learned.py": (
        "tests/unit/test_learned_and_counted.py",
        SMALL,
        PROPERTIES.format("aggregation"),
        GOLDEN.format("learned"),
        "pyfsagg/aggregation/learned.py",
    ),
    "statistics/rank_sets.py": (
        "tests/unit/test_rank_confidence.py",
        "tests/unit/test_standings.py",
        "pyfsagg/statistics/rank_sets.py",
    ),
}
"""Tests by room: a folder of the package, or a file whose tests are fewer than those of its folder."""
IMPORTED = (
    "pytest",
    "hypothesis.extra.numpy",
    "matplotlib.pyplot",
    "numba",
    "pandas",
    "pyarrow",
    "scipy.stats",
    "sklearn.ensemble",
    "statsmodels.api",
)
LEFT_OUT = ("_plot", "_report")
SECONDS_OF_A_TEST = 30.0
SECONDS_NEARBY = 12.0
"""After so long no further test of the nearest files is begun."""
KEPT = os.environ.get("NUMBA_CACHE_DIR", "")
LOOPS = "_kernels"
"""The room whose mutants run as Python."""
WRITTEN_FOR_THE_PROCESSOR = "pyfsagg/_kernels/mrmr_counts.py"
IN_PYTHON = """

def equal_bits(codes, position, level):
    same = [codes[position + k] == level for k in range(WORD_BITS)]
    return np.uint64(sum(1 << k for k, bit in enumerate(same) if bit))


def count_equal(codes, places, times, first, last, wanted, start, out, number):
    total = np.zeros(BLOCK, dtype=np.int64)
    for i in range(first, last):
        same = codes[places[i] : places[i] + BLOCK] == wanted[start : start + BLOCK]
        total += int(times[i]) * same
    out[number * BLOCK : (number + 1) * BLOCK] = total


def _meet_in_python(rows, columns):
    def meet(masks, first, second, n_words, n_single, out, place, stride):
        for i in range(rows):
            for j in range(columns):
                left, right = first + i * n_words, second + j * n_words
                both = masks[left : left + n_words] & masks[right : right + n_words]
                bits = [int(word).bit_count() for word in both]
                out[place + i * stride + j] = sum(bits) + sum(bits[n_single:])

    return meet


meet_1x1, meet_1x3 = _meet_in_python(1, 1), _meet_in_python(1, TILE)
meet_3x1, meet_3x3 = _meet_in_python(TILE, 1), _meet_in_python(TILE, TILE)
"""
"""What numba compiles from instructions and Python cannot run, appended to that file of the copy."""
ARGUMENTS = (
    "-x -q --no-header --no-summary -p no:cacheprovider -p no:xdist --import-mode=importlib "
    "-W ignore::pytest.PytestAssertRewriteWarning"
)


# ------------------------------------------------------------------------------------------------
# mutants
# ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Mutant:
    """One change of one expression or statement; `line` and `column` are where it starts."""

    room: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str
    operator: str
    before: str
    after: str
    source: str
    nth: int = 0

    @property
    def key(self) -> str:
        """Known again after lines above have moved; `nth` tells equal lines of a function apart."""
        parts = (self.file, self.function, self.source, self.column, self.before, self.after)
        text = "\0".join(map(str, (*parts, self.nth)))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
OPPOSITES = [
    ("min", "max"),
    ("minimum", "maximum"),
    ("nanmin", "nanmax"),
    ("argmin", "argmax"),
    ("any", "all"),
    ("floor", "ceil"),
    ("log", "log1p"),
    ("exp", "expm1"),
    ("triu", "tril"),
]
CALLS = dict(OPPOSITES) | {b: a for a, b in OPPOSITES}
MESSAGES = ("warn", "overload", "TypeVar", "cast")


class Finder(ast.NodeVisitor):
    """All mutants of one file."""

    def __init__(self, room: str, file: str, text: str) -> None:
        self.room, self.file, self.text = room, file, text
        self.lines = text.splitlines(keepends=True)
        self.bytes = [line.encode() for line in self.lines]
        self.scope: list[str] = []
        self.depth = 0
        self.found: list[Mutant] = []
        self.visit(ast.parse(text))

    def change(self, node: ast.expr | ast.stmt, operator: str, after: str) -> None:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        held = self.bytes[node.lineno - 1 : node.end_lineno]
        held[-1] = held[-1][: node.end_col_offset]
        held[0] = held[0][node.col_offset :]
        before = b"".join(held).decode()
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        function = ".<locals>.".join(self.scope if self.depth else ()).replace(".<locals>.::", ".")
        source = self.lines[node.lineno - 1].strip()
        self.found.append(
            Mutant(self.room, self.file, *place, function, operator, before, after, source)
        )

    def swap(self, node: ast.expr, operator: str, **fields: Any) -> None:
        """`node` with other fields, in parentheses: it may stand inside another expression."""
        other = type(node)(**{name: getattr(node, name) for name in node._fields} | fields)
        self.change(node, operator, f"({ast.unparse(ast.fix_missing_locations(other))})")

    # what holds code, and what is not code
    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if any("overload" in ast.unparse(decorator) for decorator in node.decorator_list):
            return
        self.scope.append(node.name)
        self.depth += 1
        for default in [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(default)
        for statement in node.body:
            self.visit(statement)
        self.depth -= 1
        self.scope.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        # A method's qualified name has a dot and no <locals> after the class.
        outer, self.scope = self.scope, [*self.scope, node.name]
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                name, statement.name = statement.name, f"::{statement.name}"
                self.visit(statement)
                statement.name = name
            else:
                self.visit(statement)
        self.scope = outer

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call) and not self.is_message(node.value):
            self.change(node, "statement left out", "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self.negate(node.test)
        self.generic_visit(node)

    def visit_While(self, node: ast.While) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.negate(node.test)
        self.generic_visit(node)

    def negate(self, test: ast.expr) -> None:
        if not isinstance(test, ast.Compare):  # those are negated by their operators
            self.change(test, "condition negated", f"(not ({ast.unparse(test)}))")

    def visit_Raise(self, node: ast.Raise) -> None:
        """Messages."""

    def visit_Assert(self, node: ast.Assert) -> None:
        """For mypy."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Messages."""

    def visit_Import(self, node: ast.Import) -> None:
        """Nothing to get wrong."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Nothing to get wrong."""

    @staticmethod
    def is_message(node: ast.Call) -> bool:
        name = ast.unparse(node.func).rsplit(".", 1)[-1]
        return name in MESSAGES or name.endswith(("Error", "Warning"))

    # changes
    def visit_Compare(self, node: ast.Compare) -> None:
        for i, found in enumerate(node.ops):
            for other in COMPARISONS[type(found)]:
                ops = [*node.ops[:i], other(), *node.ops[i + 1 :]]
                self.swap(node, "comparison", ops=ops)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        text = any(
            isinstance(side, ast.JoinedStr)
            or (isinstance(side, ast.Constant) and isinstance(side.value, str))
            for side in (node.left, node.right)
        )
        alias = isinstance(node.op, ast.BitOr) and not self.depth
        if type(node.op) in ARITHMETIC and not text and not alias:
            self.swap(node, "arithmetic", op=ARITHMETIC[type(node.op)]())
        if not text:
            self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if type(node.op) in ARITHMETIC:
            other = ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value)
            self.change(node, "arithmetic", ast.unparse(other))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.swap(node, "and/or", op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            self.change(node, "sign or not left out", f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            self.change(node, "truth", str(not value))
        elif isinstance(value, int):
            self.change(node, "number", str(value + 1))
            if value > 0:
                self.change(node, "number", str(value - 1))
        elif isinstance(value, float):
            self.change(node, "number", repr(value + 1.0))
            if value != 0.0:
                self.change(node, "number", repr(value * 2.0))
        elif isinstance(value, str) and (digits := re.search(r"\d+", value)) and " " in value:
            other = f"{value[: digits.start()]}{int(digits[0]) + 1}{value[digits.end() :]}"
            self.change(node, "number in a text", repr(other))

    def visit_Call(self, node: ast.Call) -> None:
        if self.is_message(node):
            return
        *module, name = ast.unparse(node.func).rsplit(".", 1)
        if name in CALLS:
            self.change(node.func, "call", ".".join([*module, CALLS[name]]))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in parts:
            if isinstance(part, ast.Slice):
                self.move_slice(part)
        self.generic_visit(node)

    def move_slice(self, node: ast.Slice) -> None:
        step = f":{ast.unparse(node.step)}" if node.step else ""
        lower, upper = (ast.unparse(end) if end else "" for end in (node.lower, node.upper))
        if node.lower is None and node.upper is None and node.step is not None:
            return
        later = f"({lower}) + 1" if lower else "1"
        sooner = f"({upper}) - 1" if upper else "-1"
        self.change(node, "slice end", f"{later}:{upper}{step}")
        self.change(node, "slice end", f"{lower}:{sooner}{step}")

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None and not isinstance(node.value, ast.Constant):
            self.change(node.value, "return value", "None")
            self.generic_visit(node)

    def visit_Break(self, node: ast.Break) -> None:
        self.change(node, "break or continue", "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        self.change(node, "break or continue", "break")

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(t, ast.Name) and t.id.startswith("__") for t in node.targets):
            return
        self.generic_visit(node)


def apply(text: str, mutant: Mutant) -> str:
    """The text of the file with the mutant in it; columns count bytes, as those of ast do."""
    lines = text.encode().splitlines(keepends=True)
    first, last = lines[mutant.line - 1], lines[mutant.end_line - 1]
    changed = first[: mutant.column] + mutant.after.encode() + last[mutant.end_column :]
    return b"".join([*lines[: mutant.line - 1], changed, *lines[mutant.end_line :]]).decode()


def files_in(room: str) -> list[str]:
    """The files of a room whose code is changed."""
    place = ROOT / "pyfsagg" / room
    paths = [place] if place.is_file() else sorted(place.rglob("*.py"))
    return [p.relative_to(ROOT).as_posix() for p in paths if not p.name.startswith(LEFT_OUT)]


def mutants_of(room: str) -> list[Mutant]:
    usable: list[Mutant] = []
    seen: Counter[str] = Counter()
    for file in files_in(room):
        text = (ROOT / file).read_text(encoding="utf-8")
        lines, parts = text.splitlines(keepends=True), ast.parse(text).body
        for mutant in Finder(room, file, text).found:
            seen[mutant.key] += 1
            mutant = replace(mutant, nth=seen[mutant.key] - 1)
            # It must be Python: the statement of the file that holds it tells as much as the file.
            part = next(p for p in parts if (p.end_lineno or 0) >= mutant.end_line)
            before = part.lineno - 1
            moved = replace(mutant, line=mutant.line - before, end_line=mutant.end_line - before)
            with contextlib.suppress(SyntaxError):
                compile(apply("".join(lines[before : part.end_lineno]), moved), "x", "exec")
                usable.append(mutant)
    return usable


# ------------------------------------------------------------------------------------------------
# processes
# ------------------------------------------------------------------------------------------------
class Recorder:
    """A pytest plugin: choose and order tests, keep what each did."""

    def __init__(
        self,
        chosen: list[str] | None,
        seconds: float,
        watch: str | None,
        weights: dict[str, float] | None,
    ) -> None:
        self.place = {node: i for i, node in enumerate(chosen)} if chosen is not None else None
        self.weights = weights
        self.seconds = seconds
        self.began = 0.0
        self.watch = watch
        self.called: set[tuple[str, str]] = set()
        self.tests: dict[str, dict[str, Any]] = {}
        self.failed: str | None = None

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        if self.place is not None:
            place = self.place
            items[:] = sorted(
                (item for item in items if item.nodeid in place), key=lambda i: place[i.nodeid]
            )
        if (weights := self.weights) is not None:

            def nearness(item: Any) -> float:
                words = _words(item.nodeid + inspect.getsource(item.obj))
                return sum(weights.get(word, 0.0) for word in words) / math.sqrt(len(words))

            items.sort(key=nearness, reverse=True)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed = self.failed or f"{report.nodeid} (import)"

    def trace(self, frame: Any, event: str, argument: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.watch):
            self.called.add((code.co_filename, code.co_qualname))

    def pytest_runtest_protocol(self, item: Any) -> None:
        if self.weights is not None and time.process_time() > SECONDS_NEARBY:
            item.session.shouldstop = "the time is up"

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.called = set()
        self.began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, self.seconds)
        if self.watch:
            sys.settrace(self.trace)

    def pytest_runtest_logreport(self, report: Any) -> None:
        test = self.tests.setdefault(report.nodeid, {"seconds": 0.0, "good": True})
        if report.failed:
            test["good"] = False
            self.failed = self.failed or report.nodeid

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        self.tests[nodeid]["seconds"] = time.process_time() - self.began
        if self.watch:
            calls = ((Path(f).relative_to(os.getcwd()).as_posix(), q) for f, q in self.called)
            self.tests[nodeid]["calls"] = sorted(set(calls))


def _alarm(*_: object) -> None:
    raise TimeoutError("the test takes too long")


def run_pytest(
    copy: Path,
    files: Iterable[str],
    seconds: float,
    *,
    chosen: list[str] | None = None,
    test_seconds: float = 0.0,
    watch: str | None = None,
    weights: dict[str, float] | None = None,
) -> dict[str, Any] | None:
    """Fork, run pytest on the copy, return what the plugin saw; None when the time was up.

    The fork saves the import of NumPy, pandas, SciPy and scikit-learn, which takes longer than
    most tests; the package itself is imported by the child.
    """
    answer = copy / "answer.json"
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        os.setsid()
        os.chdir(copy)
        with open(copy / "log.txt", "w", encoding="utf-8") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        sys.path.insert(0, str(copy))
        sys.dont_write_bytecode = False  # the copy's, which spare most of the time of a mutant
        signal.signal(signal.SIGPROF, _alarm)
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        import pytest
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutants",
            deadline=None,
            derandomize=True,
            database=None,
            phases=(Phase.explicit, Phase.generate),
            suppress_health_check=list(HealthCheck),
        )
        settings.load_profile("mutants")
        recorder = Recorder(chosen, test_seconds, watch and str(copy / "pyfsagg" / watch), weights)
        options = ARGUMENTS.split()
        if watch:
            options.remove("-x")
        try:
            code = pytest.main([*options, *files], plugins=[recorder])
            usual = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
            if code not in usual and (weights is None or time.process_time() < SECONDS_NEARBY):
                recorder.failed = recorder.failed or f"pytest: {code!r}"
        except BaseException:
            traceback.print_exc()
            recorder.failed = recorder.failed or "pytest broke off"
        import pyfsagg

        assert Path(pyfsagg.__file__).parent.parent == copy
        answer.write_text(json.dumps({"failed": recorder.failed, "tests": recorder.tests}))
        os._exit(0)
    end = time.monotonic() + 20.0 * seconds  # one that waits for ever uses no time of the processor
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return None
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return None
    if not answer.is_file():
        return {"failed": "the process ended", "tests": {}}
    result: dict[str, Any] = json.loads(answer.read_text())
    return result


@contextlib.contextmanager
def copied(room: str) -> Iterator[Path]:
    """A copy of the checkout; with what numba has compiled, which goes by names, times and contents."""
    ignored = shutil.ignore_patterns("__pycache__")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder).resolve()
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, copy / name, ignore=ignored)
            else:
                shutil.copy2(source, copy / name)
        here, there = compiled_of(ROOT, KEPT), compiled_of(copy, str(copy / "numba"))
        if not room.startswith(LOOPS) and here.is_dir():
            shutil.copytree(here, there)
        if room.startswith(LOOPS):
            file = copy / WRITTEN_FOR_THE_PROCESSOR
            file.write_text(file.read_text(encoding="utf-8") + IN_PYTHON, encoding="utf-8")
        yield copy


def compiled_of(tree: Path, kept: str) -> Path:
    """Where numba keeps the kernels of a checkout: in the folder that is set, or beside the sources."""
    from numba.core.caching import UserProvidedCacheLocator

    kernels = tree / "pyfsagg" / LOOPS
    name = UserProvidedCacheLocator.get_suitable_cache_subpath(str(kernels / "__init__.py"))
    return Path(kept, name) if kept else kernels / "__pycache__"


def set_numba(*, on: bool, folder: str) -> None:
    """For this process, whose children import the package, and for what they start."""
    from numba import config

    os.environ |= {"NUMBA_DISABLE_JIT": str(int(not on)), "NUMBA_CACHE_DIR": folder}
    config.DISABLE_JIT = int(not on)  # type: ignore[attr-defined]
    config.CACHE_DIR = folder  # type: ignore[attr-defined]


def warm_up() -> None:
    """Import in this process what every child needs."""
    for name in IMPORTED:
        importlib.import_module(name)


# ------------------------------------------------------------------------------------------------
# a room
# ------------------------------------------------------------------------------------------------
def files_of(room: str) -> list[str]:
    found = {p for pattern in ROOMS[room] for p in ROOT.glob(pattern)}
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted(found)
        if "test" in path.name or ">>>" in path.read_text(encoding="utf-8")
    ]


def digest(paths: Iterable[Path]) -> str:
    parts = (hashlib.sha256(path.read_bytes()).digest() for path in sorted(paths))
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def tests_of(room: str, copy: Path, cache: Path) -> dict[str, dict[str, Any]]:
    """Every usable test of the room: seconds and the functions it calls; kept until room or test change."""
    tests: dict[str, dict[str, Any]] = {}
    sources = digest(copy / each for each in files_in(room))
    for file in files_of(room):
        name = room.replace("/", "-")
        kept = cache / f"{Path(file).stem}-{sources}-{digest([copy / file])}-{name}.json"
        if not kept.is_file():
            seen = run_pytest(
                copy,
                [*(["--doctest-modules"] if file.startswith("pyfsagg") else []), file],
                900.0,
                test_seconds=SECONDS_OF_A_TEST,
                watch=room,
            )
            if seen and not seen["tests"] and file.startswith("tests"):
                raise RuntimeError(f"{file}: {(copy / 'log.txt').read_text()}")
            kept.write_text(json.dumps(seen["tests"] if seen else {}))
            print(f"  {file}: {_described(seen)}", flush=True)
        tests |= {node: test for node, test in json.loads(kept.read_text()).items() if test["good"]}
    return tests


def _described(seen: dict[str, Any] | None) -> str:
    if seen is None:
        return "left out, too slow"
    bad = [node for node, test in seen["tests"].items() if not test["good"]]
    return f"{len(seen['tests'])} tests" + (f", left out: {', '.join(bad)}" if bad else "")


def chosen_for(mutant: Mutant, tests: dict[str, dict[str, Any]]) -> list[str]:
    """Tests that call the function; for code that only an import runs, files of tests that call into its own.

    A test may read a constant and call nothing.
    """

    def concerns(test: dict[str, Any], function: str) -> bool:
        for file, name in test.get("calls", ()):
            inside = name == function or name.startswith(function + ".<locals>.<")
            if file == mutant.file and (inside or not function):
                return True
        return False

    usable = [node for node, test in tests.items() if concerns(test, mutant.function)]
    if not mutant.function or not usable:
        files = {node.split("::")[0] for node, test in tests.items() if concerns(test, "")}
        usable = [node for node in tests if node.split("::")[0] in files]
    return sorted(usable, key=lambda node: tests[node]["seconds"])


def near_to(mutant: Mutant, count: int) -> tuple[list[str], dict[str, float]]:
    """The room's files of tests that share most rare words with the mutated function and its file.

    And the weights of the words.
    """
    texts = {
        file: f"{file} {(ROOT / file).read_text(encoding='utf-8')}"
        for file in files_of(mutant.room)
    }
    words = {file: _words(text) for file, text in texts.items() if file.startswith("tests")}
    usual = Counter(word for found in words.values() for word in found)
    whole = (ROOT / mutant.file).read_text(encoding="utf-8")
    name = mutant.function.split(".<locals>")[0].rsplit(".", 1)[-1]
    parts = [n for n in ast.walk(ast.parse(whole)) if getattr(n, "name", None) == name]
    own = _words(" ".join([mutant.file, mutant.function, *map(ast.unparse, parts)]))
    weights = dict.fromkeys(_words(whole), 0.3) | dict.fromkeys(own, 1.0)
    weights |= dict.fromkeys(_words(Path(mutant.file).stem + mutant.function), 4.0)
    weights = {w: v * math.log((len(words) + 1) / usual[w]) for w, v in weights.items() if usual[w]}

    def nearness(file: str) -> float:
        return sum(weights[w] for w in words[file] & weights.keys()) / math.sqrt(len(words[file]))

    return sorted(words, key=nearness, reverse=True)[:count], weights


def _words(text: str) -> set[str]:
    return set(re.findall("[a-z]{3,}", text.lower()))


def write_source(path: Path, text: str) -> None:
    """Without its bytecode, which Python takes for that of a text of the same length and second."""
    path.write_text(text, encoding="utf-8")
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        compiled.unlink()


def judge(
    mutant: Mutant, tests: dict[str, dict[str, Any]], copy: Path, near: int = 0
) -> dict[str, Any]:
    """Whether the tests that call the mutated function kill it, or those of the `near` nearest files.

    Then `tests` keeps those that are known to pass on the package as it is.
    """
    chosen = None if near else chosen_for(mutant, tests)
    files, weights = near_to(mutant, near)
    if chosen is not None:
        files = sorted({node.split("::")[0] for node in chosen})
    result: dict[str, Any] = {"key": mutant.key, **asdict(mutant), "tests": len(chosen or files)}
    result["near"] = near
    if not files:
        return result | {"status": "survived", "by": "no test calls it", "seconds": 0.0}
    usual = sum(tests[node]["seconds"] for node in chosen) if chosen else 10.0 * near
    doctests = ["--doctest-modules"] if any(f.startswith("pyfsagg") for f in files) else []
    path = copy / mutant.file
    good = path.read_text(encoding="utf-8")
    start = time.monotonic()
    while True:
        bad = [f"--deselect={node}" for node in tests if near and not tests[node]["good"]]
        try:
            write_source(path, apply(good, mutant))
            seen = run_pytest(
                copy,
                [*doctests, *bad, *files],
                40.0 + 4.0 * usual,
                chosen=chosen,
                test_seconds=2.0 * SECONDS_OF_A_TEST,
                weights=weights if near else None,
            )
        finally:
            write_source(path, good)
        by = seen["failed"] if seen else None
        if near and by and "::" in by and by not in tests:
            plain = run_pytest(
                copy, [by.split("::")[0]], 60.0, chosen=[by], test_seconds=SECONDS_OF_A_TEST
            )
            tests[by] = {"good": bool(plain and not plain["failed"])}
            if not tests[by]["good"]:
                continue
        break
    seconds = round(time.monotonic() - start, 1)
    if seen is None:
        return result | {"status": "timeout", "by": "", "seconds": seconds}
    status = "killed" if by else "survived"
    return result | {"status": status, "by": by or " ".join(files * bool(near)), "seconds": seconds}


def read_results(folder: Path, room: str = "", *, first: bool = False) -> dict[str, dict[str, Any]]:
    """The last verdict on each mutant, or the first of those that looked at most files of tests.

    Of one room, where a file of a folder is one by itself.
    """
    path = folder / "results.jsonl"
    if not path.is_file():
        return {}
    rows = list(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    if first:  # of equal ones, the last that is written down stays
        rows.reverse()
        rows.sort(key=lambda row: row.get("near") or math.inf)
    return {row["key"]: row for row in rows if room in ("", row["room"])}


@contextlib.contextmanager
def copies() -> Iterator[Callable[[str], Path]]:
    """One copy for all rooms whose loops are compiled, and one for that of the loops."""
    with contextlib.ExitStack() as stack:
        made: dict[bool, Path] = {}

        def copy_for(room: str) -> Path:
            loops = room.startswith(LOOPS)
            if loops not in made:
                made[loops] = stack.enter_context(copied(room))
            set_numba(on=not loops, folder=str(made[loops] / "numba"))
            return made[loops]

        yield copy_for


def work(
    room: str,
    folder: Path,
    size: int,
    seed: int,
    minutes: float,
    again: bool,
    near: int,
    copy_for: Callable[[str], Path],
) -> None:
    everything = mutants_of(room)
    order = random.Random(f"{seed} {room}").sample(range(len(everything)), len(everything))
    known, reasons = read_results(folder, room if again else ""), read_reasons()
    if again:
        wanted = [
            m
            for m in everything
            if known.get(m.key, {}).get("status") == "survived" and not reason_of(m, reasons)
        ]
    else:
        wanted = [everything[i] for i in order[:size]]
        wanted = [mutant for mutant in wanted if mutant.key not in known]
    print(f"{room}: {len(everything)} mutants, {len(wanted)} to run", flush=True)
    if not wanted:
        return
    cache = folder / "calls"
    cache.mkdir(exist_ok=True)
    copy = copy_for(room)
    with open(folder / "results.jsonl", "a", encoding="utf-8") as log:
        tests = {} if near else tests_of(room, copy, cache)
        end = time.monotonic() + 60.0 * minutes
        for i, mutant in enumerate(wanted):
            if time.monotonic() > end:
                print("  the time is up; the same command goes on", flush=True)
                return
            if reason_of(mutant, reasons):
                verdict = {"key": mutant.key, **asdict(mutant), "status": "survived"}
                verdict |= {"by": "known to be equal", "seconds": 0.0}
            else:
                verdict = judge(mutant, tests, copy, near)
            log.write(json.dumps(verdict | {"of": len(everything)}) + "\n")
            log.flush()
            print(
                f"  {i + 1}/{len(wanted)} {verdict['status']} {verdict['seconds']} s "
                f"{mutant.file}:{mutant.line} {mutant.operator}: {mutant.before!r} → "
                f"{mutant.after!r} {verdict['by']}",
                flush=True,
            )


# ------------------------------------------------------------------------------------------------
# results
# ------------------------------------------------------------------------------------------------
def read_reasons() -> list[dict[str, str]]:
    if not EQUIVALENT.is_file():
        return []
    found: list[dict[str, str]] = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["survivor"]
    return found


def reason_of(mutant: Mutant, reasons: list[dict[str, str]]) -> str:
    """Why a mutant cannot be killed: known by its file, its line of source and its change."""
    for row in reasons:
        same = (row["file"], row["source"], row["after"]) == (
            mutant.file,
            mutant.source,
            mutant.after,
        )
        here = row.get("function", mutant.function) == mutant.function
        if same and here and row.get("before", mutant.before) == mutant.before:
            return row["reason"]
    return ""


def figures(folder: Path, rooms: Iterable[str], seed: int) -> dict[str, dict[str, Any]]:
    """What became of the sampled mutants of each room that still exist, with the tests of today."""
    reasons = read_reasons()
    found = {}
    for room in rooms:
        everything, known = mutants_of(room), read_results(folder, room)
        rows = [(each, known[each.key]["status"]) for each in everything if each.key in known]
        alive = [mutant for mutant, status in rows if status == "survived"]
        excused = sum(bool(reason_of(mutant, reasons)) for mutant in alive)
        begun = read_results(folder, room, first=True)
        if rows:
            found[room] = {
                "environment": environment(),
                "mutants": len(everything),
                "sampled": len(rows),
                "seed": seed,
                "killed at first": sum(begun[m.key]["status"] != "survived" for m, _ in rows),
                "killed": len(rows) - len(alive),
                "equal": excused,
                "survived": len(alive) - excused,
            }
    return found


def summary(folder: Path, rooms: Iterable[str]) -> str:
    from scipy.stats import binomtest

    reasons = read_reasons()
    lines = [
        "| room | mutants | sampled | killed | by time | equivalent | survived | score | 95 % |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    details: list[str] = []
    for room in rooms:
        everything = {mutant.key: mutant for mutant in mutants_of(room)}
        known = read_results(folder, room)
        rows = [row for key, row in known.items() if key in everything]
        if not rows:
            continue
        count = Counter(row["status"] for row in rows)
        alive = [everything[row["key"]] for row in rows if row["status"] == "survived"]
        excused = [mutant for mutant in alive if reason_of(mutant, reasons)]
        rest = [mutant for mutant in alive if mutant not in excused]
        killed = count["killed"] + count["timeout"]
        tried = len(rows) - len(excused)
        interval = binomtest(killed, tried).proportion_ci(method="exact")
        lines.append(
            f"| `{room}` | {len(everything)} | {len(rows)} | {count['killed']} | "
            f"{count['timeout']} | {len(excused)} | {len(rest)} | {killed / tried:.1%} | "
            f"{interval.low:.0%} to {interval.high:.0%} |"
        )
        details += [
            f"- `{m.file}:{m.line}` in `{m.function or 'the module'}`, {m.operator}: "
            f"`{m.before}` → `{m.after}` in `{m.source}`"
            for m in sorted(rest, key=lambda m: (m.file, m.line))
        ]
    return "\n".join([*lines, "", *(details or ["No survivors are left."])]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").split("\n\n")[0],
    )
    parser.add_argument("action", choices=("run", "again", "show"))
    parser.add_argument("rooms", nargs="*", help=f"of {', '.join(ROOMS)}; all without")
    parser.add_argument("--sample", type=int, default=60, help="mutants per room")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--near", type=int, default=0, help="look at so many files of tests only")
    parser.add_argument("--minutes", type=float, default=600.0, help="stop after so long, per room")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "mutation")
    parser.add_argument(
        "--figures", type=Path, metavar="FILE", help="JSON for the counts; other rooms in it stay"
    )
    options = parser.parse_args()
    rooms = options.rooms or list(ROOMS)
    if unknown := sorted(set(rooms) - set(ROOMS)):
        parser.error(f"no room is called {unknown[0]!r}; there are {', '.join(ROOMS)}")
    folder: Path = options.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if options.action != "show":
        os.environ |= {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        warm_up()
        again = options.action == "again"
        with copies() as copy_for:
            for room in rooms:
                work(
                    room,
                    folder,
                    options.sample,
                    options.seed,
                    options.minutes,
                    again,
                    options.near,
                    copy_for,
                )
    text = summary(folder, rooms)
    if options.figures:
        file = options.figures
        kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        counts = json.dumps({**kept, **figures(folder, rooms, options.seed)}, indent=1)
        file.write_text(counts + "\n", encoding="utf-8")
    (folder / "table.md").write_text(text, encoding="utf-8")
    (folder / "results.json").write_text(json.dumps(list(read_results(folder).values()), indent=1))
    print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
