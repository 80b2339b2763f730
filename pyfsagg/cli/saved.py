"""``pyfsagg report``, ``show`` and ``compare``: what saved results say."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pyfsagg
from pyfsagg._base.words import percentages, ranks, setting, words
from pyfsagg._command.flags import Flags, size_or_auto, view_of
from pyfsagg._command.results import print_records
from pyfsagg._report.page import PageTable, Text, render_text, terminal_width
from pyfsagg._run.result import REPORT_FILE
from pyfsagg.exceptions import DataError, ParameterError

COMPARE_EPILOG = """\
examples:
  pyfsagg compare pyfsagg-rank pyfsagg-rank-2
  pyfsagg compare before after --n-features-to-select 20 --json
"""
MOST = 15  # features shown on the terminal
SHORT = 40  # characters of a setting


def add_commands(commands: Any) -> None:
    text = "write the report of a saved result again"
    about = "Write the HTML report of a result that a command or save() wrote into a folder."
    add = Flags.of(commands, "report", _report, text, about)
    add("folder", metavar="FOLDER", help="the folder, or the file of a result")
    add.view()
    add("-o", "--output", metavar="FILE", help="file to write (default: report.html in the folder)")
    add.switch("-q", "--quiet", help="print errors only")

    text = "print the summary of a saved result"
    about = "Print the summary of a result that a command or save() wrote into a folder."
    add = Flags.of(commands, "show", _show, text, about)
    add("folder", metavar="FOLDER", help="the folder, or the file of a result")
    add.view()
    add.switch("--json", help="print the result as JSON")

    text = "show which features moved between two runs"
    about = "Compare two runs of `pyfsagg rank`: their settings, what both select, and the "
    about += "features that moved farthest, with the confidence sets of their ranks."
    add = Flags.of(commands, "compare", _compare, text, about, COMPARE_EPILOG)
    add("first", metavar="RUN", help="folder of a run")
    add("second", metavar="RUN", help="folder of another run with the same features")
    text = ", or auto, the proposal of each run (default: auto)"
    add.size(text, type=size_or_auto, default="auto")
    add.switch("--json", help="print all features as JSON")


def _report(options: argparse.Namespace) -> None:
    result = pyfsagg.load_result(options.folder)
    folder = Path(options.folder)
    if options.output is None and not folder.is_dir():
        raise ParameterError(f"{folder} is a file; name the report with --output FILE")
    view = view_of(options, result._options)
    path = result.report(options.output or folder / REPORT_FILE, **view)
    if not options.quiet:
        print(f"The report is in {path}")


def _show(options: argparse.Namespace) -> None:
    result = pyfsagg.load_result(options.folder)
    view = view_of(options, result._options)
    facts = result._facts(result._options_in_force(view))
    print(result.to_json(**view) if options.json else render_text(facts, terminal_width()))


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[:SHORT].rstrip(', ')} …"


def _compare(options: argparse.Namespace) -> None:
    from pyfsagg.ensemble.selection import differing_settings

    runs: list[pyfsagg.ensemble.EnsembleResult] = []
    for folder in (options.first, options.second):
        run = pyfsagg.load_result(folder)
        if not isinstance(run, pyfsagg.ensemble.EnsembleResult):
            kind = f"{folder} contains a result of kind {run._kind!r}"
            raise DataError(f"{kind}; name runs of pyfsagg rank")
        runs.append(run)
    features = runs[0].compare(runs[1], runs[0].selection(options.n_features_to_select))
    if options.json:
        print_records(features)
        return
    one, two = (set(run.select(options.n_features_to_select)) for run in runs)
    both, either = len(one & two), len(one | two)
    shared = f"Jaccard {both / either:.3f}" if either else "none by either"
    same = "The selections are the same; " if one == two else ""
    lines = [
        f"{same}selected by 1: {len(one)}, by 2: {len(two)}, by both: {both} ({shared})",
        f"1: {options.first}, 2: {options.second}",
    ]
    differing = differing_settings(*runs)
    for name, *values in differing.itertuples(name=None):  # rows as Series turn None into NaN
        pair = (_short(setting(value)) for value in values)
        lines.append(f"{str(name).replace('_', ' ')}: {' | '.join(pair)}")
    if not len(differing):
        lines.append("all settings and the data are the same")
    columns: dict[str, Any] = {"feature": ("Feature", words), "moved": ("Moved", ranks)}
    for title, name, cells in (
        ("Rank", "rank", ranks),
        ("Selected in %", "selection_frequency", percentages),
        ("Selected", "selected", words),
    ):
        columns |= {f"{name}_{run}": (f"{title}, {run}", cells) for run in (1, 2)}
    frame = features.head(MOST).rename_axis("feature").reset_index()
    for name in ("selected_1", "selected_2"):
        frame[name] = frame[name].map({True: "yes", False: "no"})
    caption = "The features that moved most (moved: rank in 1 minus rank in 2)."
    table = PageTable.of_frame(caption, frame, columns)
    print(render_text([*map(Text, lines), table], terminal_width()))
    if len(features) > MOST:
        print(f"{len(features) - MOST:,} more features: --json")
