"""``pyfsagg list``, ``datasets`` and ``completion``: what there is to choose from."""

import argparse
import shutil
from typing import Any

import pyfsagg
from pyfsagg._base.validation import require_extra
from pyfsagg._command.flags import Flags
from pyfsagg._command.results import print_records
from pyfsagg.exceptions import UnknownNameError

LIST_EPILOG = """\
examples:
  pyfsagg list filters
  pyfsagg list aggregators rra
"""
COMPLETION_EPILOG = """\
examples:
  pyfsagg completion bash > ~/.local/share/bash-completion/completions/pyfsagg
  pyfsagg completion zsh > ~/.zfunc/_pyfsagg
"""
SHOWN = (
    *("better", "bounds", "input", "targets", "kind", "task", "parameter", "default", "needs"),
    *("installed", "origin", "summary"),
)
# The kinds of pyfsagg.listing, which loads everything that it lists, and one of each in a message.
KINDS = {
    "filters": "filter",
    "aggregators": "aggregator",
    "stability": "stability measure",
    "resampling": "resampling plan",
    "classifiers": "classifier",
    "regressors": "regressor",
    "survival-models": "survival model",
    "metrics": "metric",
    "eliminations": "elimination",
    "unsupervised": "unsupervised method",
    "voting-rules": "voting rule",
    "datasets": "dataset",
}
LONGEST = 48  # characters of a cell


def add_commands(commands: Any) -> None:
    text = "list filters, aggregators, stability measures, resampling plans and other methods"
    about = "List the methods of a kind, or show all details of one of them; without KIND, list "
    about += "the kinds."
    add = Flags.of(commands, "list", _list, text, about, LIST_EPILOG)
    add("kind", nargs="?", choices=tuple(KINDS), metavar="KIND", help=", ".join(KINDS))
    add("name", nargs="?", metavar="NAME", help="one method, by name or alias")
    add.switch("--json", help="print the list as JSON, in full")

    text = "list the data sets that can be loaded by name"
    about = "List the available data sets (embedded, of scikit-learn, or in the folder "
    about += "that PYFSAGG_DATA names) and those of the papers that are not available, with their sizes, and "
    about += "whether these are as printed in the papers."
    add = Flags.of(commands, "datasets", _datasets, text, about)
    add("names", nargs="*", metavar="NAME", help="data sets (default: all)")
    add.switch("--json", help="print the list as JSON, in full")

    text = "print a script that completes commands and flags in a shell"
    about = "Print the completion of commands, flags and choices for a shell."
    add = Flags.of(commands, "completion", _completion, text, about, COMPLETION_EPILOG)
    add("shell", choices=("bash", "zsh", "tcsh"), metavar="SHELL", help="bash, zsh or tcsh")


def _list(options: argparse.Namespace) -> None:
    methods = pyfsagg.list_methods(options.kind)
    if options.name:
        key = options.name.strip().lower().replace("-", "_").replace(" ", "_")
        names = {method: method for method in methods.index}
        if "aliases" in methods:
            for method, aliases in methods["aliases"].items():
                names |= dict.fromkeys(filter(None, str(aliases).split(", ")), method)
        if key not in names:
            raise UnknownNameError(KINDS[options.kind], options.name, methods.index, names)
        methods = methods.loc[[names[key]]]
    if options.json:
        print_records(methods)
        return
    if options.name:
        # Everything about one method, a line for each property that it has.
        details = {str(column): _text(value) for column, value in methods.iloc[0].items()}
        width = max(map(len, details))
        lines = [f"  {key.ljust(width)}  {text}" for key, text in details.items() if text]
        print("\n".join([methods.index[0], *lines]))
        return
    # A line for each method, cut at the width of the terminal.
    if "higher_is_better" in methods:
        better = methods["higher_is_better"].map({True: "higher", False: "lower"})
        methods = methods.assign(better=better)
    frame = methods[[column for column in SHOWN if column in methods]].reset_index()
    cells = [list(map(str, frame.columns)), *(list(map(_text, row)) for row in frame.to_numpy())]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    room = max(shutil.get_terminal_size((160, 24)).columns, 60)
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(_cut(line.rstrip(), room))


def _text(cell: Any) -> str:
    if isinstance(cell, (tuple, list)):
        return ", ".join(map(str, cell))
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return "" if cell is None or cell != cell else str(cell)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _datasets(options: argparse.Namespace) -> None:
    from pyfsagg.datasets._loaders import describe_datasets

    datasets = describe_datasets(options.names or None)
    if options.json:
        print_records(datasets)
        return
    from pyfsagg._report.page import PageColumn, PageTable, render_text, terminal_width

    shown = datasets.reset_index().astype(object).where(lambda cells: cells.notna(), "–")
    titles = {"name": "Name", "origin": "Origin", "n_samples": "n", "n_features": "p"}
    titles["paper"] = "Paper"
    heads = [PageColumn(title, numeric=len(title) == 1) for title in titles.values()]
    cells = [[_cut(str(cell), LONGEST) for cell in shown[name]] for name in titles]
    note = "Classes, and the sizes printed in the papers: --json."
    table = PageTable.of_columns("Data sets by name.", zip(heads, cells, strict=True), note)
    print(render_text([table], terminal_width()))


def _completion(options: argparse.Namespace) -> None:
    shtab = require_extra("shtab", "completion", "completion")
    print(shtab.complete(options.whole, shell=options.shell))
