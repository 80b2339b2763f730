"""Build the documentation site: ``python tools/documentation.py --output build/docs``.

The pages are Markdown in ``docs``.  Before Sphinx sees them, their Python blocks are run in order, page by
page, and what a block prints, or the value of its last line, is set below it: an error stops the build.
A block that begins with ```python prose is hidden: it prints Markdown, with figures from shipped runs.
The reference is written from what the code says of itself: one page for each public name, each
registered method and each command, so that a new one cannot be forgotten.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

BLOCK = re.compile(r"^```python( prose)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ALONE = "---\norphan: true\n---\n\n"  # reached from its list; the menu of every page stays short
BASES = "object, tuple, SelectorMixin, TransformerMixin, BaseEstimator"  # documented elsewhere
OTHERS = (
    "set_output, get_metadata_routing, set_fit_request, set_transform_request, to_bytes, from_bytes"
)
CLASS = f"\n   :members:\n   :inherited-members: {BASES}\n   :exclude-members: {OTHERS}\n"
ROOMS = (
    "aggregation",
    "aggregator_influence",
    "committees",
    "datasets",
    "discretization",
    "ensemble",
    "error_control",
    "evaluation",
    "filters",
    "out_of_core",
    "plotting",
    "rank_order",
    "resampling",
    "screens",
    "stability_measures",
    "statistics",
    "unsupervised",
)


SPHINX = """
import gc, sys
from sphinx.cmd.build import main
gc.disable()
sys.exit(main(sys.argv[1:]))
"""
"""Sphinx keeps what it reads until it ends: to look for garbage takes a quarter of its time."""


# ---------------------------------------------------------------------------------------------
# Python blocks and their output
# ---------------------------------------------------------------------------------------------
def run_block(source: str, scope: dict[str, Any], name: str) -> str:
    """Run a block; what it prints, with the value of its last line as an interpreter shows it."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, name, "exec"), scope)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), name, "eval"), scope)
            if value is not None:
                print(value if type(value).__module__.startswith("pandas") else repr(value))
    return said.getvalue().rstrip()


def execute(text: str, name: str) -> str:
    """The page with the output of every Python block below it.

    A block that is marked as ``prose`` prints Markdown with computed figures, which takes its place.
    """
    scope: dict[str, Any] = {"__name__": "__main__"}

    def shown(match: re.Match[str]) -> str:
        try:
            output = run_block(match[2], scope, name)
        except Exception as reason:
            raise SystemExit(f"{name}: {reason!r} in\n{match[2]}") from reason
        if match[1]:
            return output
        return match[0] + (f"\n\n```text\n{output}\n```" if output else "")

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return BLOCK.sub(shown, text)


# ---------------------------------------------------------------------------------------------
# The reference
# ---------------------------------------------------------------------------------------------
METHODS = (
    *(
        "AggregatedValues",
        "AggregatorSpec",
        "Count",
        "EliminationSpec",
        "FilterSpec",
        "PairwiseAverage",
    ),
    *(
        "Scorer",
        "SetPairs",
        "StabilitySpec",
        "Strategy",
        "UnsupervisedSpec",
        "VotingRule",
        "WholeSample",
    ),
    "function_filter",
)
"""Of :mod:`pyfsagg.extending`, what a method of another package is made of."""


def public_names() -> dict[str, tuple[str, ...]]:
    """Names of each public module, the package itself first."""
    import pyfsagg

    found = {"pyfsagg": tuple(pyfsagg.__all__)}
    for room in ROOMS:
        module = importlib.import_module(f"pyfsagg.{room}")
        found[f"pyfsagg.{room}"] = tuple(sorted(module.__all__))
    found["pyfsagg_papers"] = tuple(importlib.import_module("pyfsagg_papers").__all__)
    found["pyfsagg.extending"] = METHODS
    found["pyfsagg.exceptions"] = tuple(importlib.import_module("pyfsagg.exceptions").__all__)
    return found


def api_page(module: str, name: str, value: object) -> str:
    """The page of one public name, from its docstring."""
    if inspect.isclass(value):
        directive, extra = "autoclass", CLASS
    elif callable(value):
        directive, extra = "autofunction", "\n"
    else:
        directive, extra = "autodata", "\n   :no-value:\n"
    return (
        f"{ALONE}# {name}\n\n```{{eval-rst}}\n.. currentmodule:: {module}\n\n"
        f".. {directive}:: {name}{extra}```\n"
    )


def first_line(value: object) -> str:
    text = inspect.getdoc(value) or ""
    return text.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def write_api(folder: Path) -> None:
    """One page for each public name, and one list of them for each module."""
    pages = []
    written: dict[int, str] = {}
    for module, names in public_names().items():
        home = importlib.import_module(module)
        rows = []
        for name in names:
            value = getattr(home, name)
            if inspect.ismodule(value) or name == "__version__":
                continue
            page = written.get(id(value))
            if page is None:
                page = written[id(value)] = f"{module}.{name}"
                write(folder / f"{page}.md", api_page(module, name, value))
            rows.append(f"| [`{name}`]({page}.md) | {first_line(value)} |")
        about = first_line(home)
        write(
            folder / f"{module}.md",
            f"# {module}\n\n{about}\n\n| Name | What it is |\n| --- | --- |\n"
            + "\n".join(rows)
            + "\n",
        )
        pages.append(module)
    write(
        folder / "index.md",
        "# Python\n\nEvery public function and class, by module.\n" + contents(pages),
    )


def contents(pages: list[str]) -> str:
    return "\n```{toctree}\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"


SETS = """sets = [["a", "b", "c"], ["a", "b", "d"], ["a", "c", "b"], ["b", "a", "e"]]"""
SCORES = """import numpy as np

scores = np.array([
    [0.9, 0.7, 0.5, 0.1, 0.3, 0.2],
    [0.8, 0.7, 0.3, 0.2, 0.3, 0.1],
    [0.9, 0.6, 0.6, 0.1, 0.2, 0.3],
])"""


OBSERVED = """import numpy as np
from pyfsagg import statistics as st

table = np.array([[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59]])
groups = {"a": [6, 8, 4, 5], "b": [8, 12, 9, 11], "c": [13, 9, 11, 8]}"""


def example(kind: str, spec: Any) -> str:
    """A short call of a registered method on data that every reader has."""
    lines = {
        "filters": _filter_example,
        "aggregators": _aggregator_example,
        "stability_measures": _stability_example,
        "eliminations": lambda spec: (
            'data = pyfsagg.load_dataset("ionosphere")\n'
            f'found = pyfsagg.rank_order.eliminate(data.X.iloc[:, 2:8], data.y, method="{spec.name}")\n'
            "found.to_frame().head(3)"
        ),
        "statistical_tests": lambda spec: f"{OBSERVED}\n{spec.call}",
        "unsupervised_methods": lambda spec: (
            'data = pyfsagg.load_dataset("wine")\n'
            f'result = pyfsagg.unsupervised.rank_unsupervised(data.X, method="{spec.name}")\n'
            "result.to_frame().head(3)"
        ),
        "voting_rules": lambda spec: (
            'selections = [["a", "b", "c"]] * 4 + [["x"]] * 3\n'
            f'pyfsagg.vote(selections, "{spec.name}").to_frame()'
        ),
    }
    return f"import pyfsagg\n\n{lines[kind](spec)}\n" if kind in lines else ""


def _filter_example(spec: Any) -> str:
    data, X, y, task = "wine", "data.X", "data.y", ""
    if spec.targets == ("survival",):
        return (
            "import numpy as np\n\n"
            "rng = np.random.default_rng(0)\n"
            "X = rng.normal(size=(100, 4))\n"
            "time, event = rng.exponential(np.exp(-X[:, 0])), rng.random(100) < 0.7\n"
            "y = np.column_stack([time, event])\n"
            f'result = pyfsagg.wam(X, y, filter="{spec.name}", task="survival", n_resamples=20, '
            "random_state=0)\n"
            'result.to_frame()[["rank", "score", "selection_frequency"]].head(3)'
        )
    if spec.two_classes or "numeric" not in spec.targets:
        data = "ionosphere"
    elif "classes" not in spec.targets:
        X, y, task = 'data.X.drop(columns="proline")', 'data.X["proline"]', ', task="regression"'
    few = 3 if spec.name in ("frcm", "frmv") else 20  # an ensemble of clusterings in each resample
    return (
        f'data = pyfsagg.load_dataset("{data}")\n'
        f"X, y = {X}, {y}\n"
        f'result = pyfsagg.wam(X, y, filter="{spec.name}"{task}, n_resamples={few}, random_state=0)\n'
        'result.to_frame()[["rank", "score", "selection_frequency"]].head(3)'
    )


def _aggregator_example(spec: Any) -> str:
    if spec.input == "scores":
        return f'{SCORES}\npyfsagg.aggregate(scores, "{spec.name}").to_frame().head(3)'
    return (
        'lists = [["a", "b", "c", "d"], ["a", "c", "b", "d"], ["b", "a", "d", "c"]]\n'
        f'pyfsagg.aggregate(lists, "{spec.name}").to_frame().head(3)'
    )


def _stability_example(spec: Any) -> str:
    if spec.kind != "sets":
        return f'{SCORES}\npyfsagg.stability(scores, "{spec.name}")'
    options = ", n_features=20" if "n_features" in spec.needs else ""
    if "similarity" not in spec.needs:
        return f'{SETS}\npyfsagg.stability(sets, "{spec.name}"{options})'
    return (
        f"{SCORES}\nsimilarity = np.eye(6)\nsimilarity[0, 1] = similarity[1, 0] = 0.95\n"
        f'pyfsagg.stability(scores, "{spec.name}", n_features_to_select=2, similarity=similarity)'
    )


def write_methods(folder: Path) -> None:
    """One page for each registered method: formula, range, direction, ties, source, example."""
    from reference import PAGES

    for kind, page in PAGES.items():
        rows = []
        for spec in page.specs:
            facts = [
                ("In plain text" if heading == "Formula" else heading, shown(spec))
                for heading, shown in page.columns
                if heading not in ("Name", "What it is")
            ]
            table = "\n".join(
                f"| {heading} | {value.replace('|', chr(92) + '|')} |"
                for heading, value in facts
                if value
            )
            text = f"{ALONE}# {spec.name}\n\n{spec.summary}.\n\n"
            if kind != "comparisons":
                text += f"$$\n{spec.latex}\n$$\n\n"
            text += f"| | |\n| --- | --- |\n{table}\n"
            code = example(kind, spec)
            if code:
                text += f"\n## Example\n\n```python\n{code}```\n"
            write(folder / kind / f"{spec.name}.md", execute(text, f"{kind}/{spec.name}.md"))
            summary = spec.summary.replace("|", "\\|")
            anchor = spec.name.replace("_", "-")
            rows.append(
                f'| <span id="{anchor}"></span>[`{spec.name}`]({kind}/{spec.name}.md) | {summary} |'
            )
        write(
            folder / f"{kind}.md",
            f"# {page.title}\n\n{page.text}\n\n| Name | What it is |\n| --- | --- |\n"
            + "\n".join(rows)
            + "\n",
        )


def write_commands(folder: Path) -> None:
    """The command line, from its parsers."""
    from pyfsagg.cli import build_parser

    os.environ["COLUMNS"] = "100"
    names = []
    for name, parser in commands(build_parser()):
        write(folder / f"{name}.md", f"# pyfsagg {name}\n\n```text\n{parser.format_help()}```\n")
        names.append(name)
    write(
        folder / "index.md",
        "# Command line\n\nWhat `pyfsagg COMMAND --help` prints. Exit codes: 0 on success, 2 when the "
        "input was refused, 130 after Ctrl-C; `cross-check` says with 1 that something disagrees.\n"
        + contents(names),
    )


def commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """All commands, those below a command as ``name-below``."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield name, below
                for inner, parser_of in commands(below):
                    yield f"{name}-{inner}", parser_of


def write_r(folder: Path) -> None:
    """The help pages of the R package."""
    from r_help import help_pages

    pages = help_pages()
    rows = []
    for name, text in pages.items():
        write(folder / f"{name}.md", ALONE + text)
        rows.append(f"| [`{name}`]({name}.md) | {text.splitlines()[0].removeprefix('# ')} |")
    listed = "| Page | What it is |\n| --- | --- |\n" + "\n".join(rows)
    text = (
        listed
        if rows
        else "Here `make docs` writes the help pages, where R and pandoc are installed."
    )
    write(
        folder / "index.md",
        "# R\n\nThe help pages of the package pyfsaggr, as `?wam` and its like show them.\n\n"
        f"{text}\n",
    )


# ---------------------------------------------------------------------------------------------
# The site
# ---------------------------------------------------------------------------------------------
def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def prepare(source: Path, vignettes: Path | None) -> None:
    """Write the pages that Sphinx reads into an empty folder."""
    import matplotlib

    matplotlib.use("Agg")
    shutil.copytree(
        ROOT / "docs",
        source,
        ignore=shutil.ignore_patterns("reference", "release.md", "maintaining.md", "__pycache__"),
    )
    for page in sorted(source.rglob("*.md")):
        page.write_text(execute(page.read_text(encoding="utf-8"), page.name), encoding="utf-8")
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "GOVERNANCE.md", "CODE_OF_CONDUCT.md"):
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        text = re.sub(r"\]\(([A-Z_]+\.md)", lambda link: link[0].lower(), text)
        alone = "" if name.startswith("C") and "_" not in name else ALONE
        write(source / name.lower(), alone + text)
    words = (ROOT / "docs" / "reference" / "vocabulary.md").read_text(encoding="utf-8")
    write(source / "reference" / "vocabulary.md", words)
    # For maintainers: reached from the page on contributing.
    for name in ("release.md", "maintaining.md"):
        write(source / name, ALONE + (ROOT / "docs" / name).read_text(encoding="utf-8"))
    write_tutorials(source, vignettes)
    write_api(source / "reference" / "python")
    write_methods(source / "reference")
    write_commands(source / "reference" / "commands")
    write_r(source / "reference" / "r")


def write_tutorials(source: Path, vignettes: Path | None) -> None:
    """A page that leads to the executed vignettes, which ``tools/vignettes.py`` has set."""
    text = "# Tutorials\n\n"
    pages = sorted(vignettes.glob("*.html")) if vignettes else []
    for page in pages:
        title = re.search(r"<title>(.*?)</title>", page.read_text(encoding="utf-8"), re.DOTALL)
        text += (
            f'- <a href="tutorials/{page.name}">{title[1].strip() if title else page.stem}</a>\n'
        )
    if not pages:
        text += "`make vignettes` executes the tutorials; `make docs` then shows them here.\n"
    write(source / "tutorials.md", text)


def write_map(source: Path, output: Path) -> None:
    """``llms.txt``: what the site holds, one line a page, for programs that read."""
    lines = [
        "# pyfsagg",
        "",
        "> Ensemble feature selection, rank aggregation and selection stability; Python, terminal, R.",
        "",
        "## Pages",
        "",
    ]
    for page in sorted(source.rglob("*.md")):
        title = next(
            (x[2:] for x in page.read_text("utf-8").splitlines() if x.startswith("# ")), ""
        )
        if title:
            lines.append(f"- [{title}]({page.relative_to(source).with_suffix('.html').as_posix()})")
    write(output / "llms.txt", "\n".join(lines) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--vignettes", type=Path, help="folder of executed vignettes")
    options = parser.parse_args()
    output = options.output.resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        prepare(source, options.vignettes)
        call = ["-b", "html", "-q", "-W", "--keep-going", "-d", f"{folder}/trees"]
        failed = subprocess.run(
            [sys.executable, "-c", SPHINX, *call, str(source), str(output)]
        ).returncode
        if failed:
            return failed
        write_map(source, output)
        if options.vignettes:
            shutil.copytree(options.vignettes, output / "tutorials", dirs_exist_ok=True)
    print(f"The site is in {options.output}/index.html")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
