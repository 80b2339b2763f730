"""What ``pyfsagg aggregate`` writes and says: tables, the record of the run, the report."""

from __future__ import annotations

import argparse
import hashlib
import json
import textwrap
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from pyfsagg._base.words import enumerate_names, plural, ranks, setting, titled
from pyfsagg._page.page import write_page
from pyfsagg._table.identity import versions
from pyfsagg.aggregation import Aggregation, PermutationTest
from pyfsagg.aggregation._page import INDEPENDENCE, aggregation_page
from pyfsagg.aggregation.comparison import Comparison
from pyfsagg.aggregation.description import describe_items, describe_lists
from pyfsagg.ranks import RankTable

__all__ = ["Outcome", "summary", "to_json", "write_into"]

SCHEMA = 1
ITEMS_FILE = "aggregation.csv"
COMPARISON_FILE = "comparison.csv"
RUN_FILE = "run.json"
REPORT_FILE = "report.html"
MOST_FILES = 30  # that the report spells out


@dataclass(frozen=True, eq=False)
class Outcome:
    """Everything that a run has computed."""

    table: RankTable
    result: Aggregation
    comparison: Comparison | None
    permutation: PermutationTest | None
    top: int
    adjust: str

    @cached_property
    def items(self) -> pd.DataFrame:
        """One row per item, best first."""
        frame = describe_items(self.table, self.result, self.permutation)
        if self.adjust == "none":
            frame = frame.drop(columns=[c for c in frame.columns if "adjusted" in str(c)])
        return frame

    @cached_property
    def lists(self) -> pd.DataFrame:
        """One row per list."""
        return describe_lists(self.table, self.result, self.top)


def write_into(
    folder: Path,
    outcome: Outcome,
    options: argparse.Namespace,
    params: dict[str, dict[str, Any]],
    command: str,
) -> None:
    """Write all files of a run into an existing folder."""
    outcome.items.to_csv(folder / ITEMS_FILE)
    if outcome.comparison is not None:
        outcome.comparison.to_frame().to_csv(folder / COMPARISON_FILE)
    (folder / RUN_FILE).write_text(to_json(outcome, options, params) + "\n", encoding="utf-8")
    page = aggregation_page(
        outcome.table,
        outcome.result,
        top=outcome.top,
        comparison=outcome.comparison,
        permutation=outcome.permutation,
        adjusted=outcome.adjust != "none",
        data_name=_data_name(options.files),
        settings=_settings(outcome, options, params),
        command=command,
        snippet=_snippet(outcome, options, params),
    )
    write_page(page, folder / REPORT_FILE)


def to_json(
    outcome: Outcome, options: argparse.Namespace, params: dict[str, dict[str, Any]]
) -> str:
    """The record of a run as JSON text."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": "aggregation",
        "method": outcome.result.method,
        "parameters": _parameters(outcome, options, params),
        "data": {"files": options.files, **_data(outcome.table)},
        "versions": versions(),
        "items": _records(outcome.items),
        "lists": _records(outcome.lists),
    }
    if outcome.comparison is not None:
        document["comparison"] = {
            "methods": list(outcome.comparison.methods),
            "kendall": _without_nan(outcome.comparison.kendall()).to_dict("index"),
            "overlap": outcome.comparison.overlap(outcome.top).to_dict("index"),
            "overlap_k": outcome.top,
        }
    if outcome.result.p_values is not None:
        document["note"] = INDEPENDENCE
        document["remarks"] = _remarks(outcome)
        document["adjusted_over"] = None if outcome.adjust == "none" else outcome.result.n_tests
    return json.dumps(document, indent=2, allow_nan=False, ensure_ascii=False)


def _remarks(outcome: Outcome) -> list[str]:
    """What belongs to the p-values of this result."""
    adjustment = None if outcome.adjust == "none" else outcome.result.adjustment
    return [*([adjustment] if adjustment else []), *outcome.result.remarks]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(key): value for key, value in row.items()}
        for row in _without_nan(frame.reset_index()).to_dict("records")
    ]


def _without_nan(frame: pd.DataFrame) -> pd.DataFrame:
    """NaN is no JSON number."""
    values = frame.astype(object)
    return values.where(values.notna(), None)


def _parameters(
    outcome: Outcome, options: argparse.Namespace, params: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    comparison = outcome.comparison
    return {
        "methods": list(comparison.methods) if comparison else [outcome.result.method],
        "options": params,
        "universe": options.universe,
        "full": options.full,
        "scores": outcome.table.scores is not None,
        "lower_is_better": options.lower_is_better,
        "reverse": options.reverse,
        "ties": outcome.table.ties if outcome.table.scores is not None else None,
        "duplicates": options.duplicates,
        "header": options.header,
        "format": options.format,
        "ids": options.ids,
        "adjust": options.adjust,
        "permutations": options.permutations,
        "sources": options.sources,
        "seed": options.seed,
        "top": outcome.top,
    }


def _data(table: RankTable) -> dict[str, Any]:
    values = table.ranks if table.scores is None else table.scores
    digest = hashlib.sha256("\0".join((*table.names, "", *table.list_names)).encode())
    digest.update((values + 0.0).tobytes())
    digest.update(table.sizes.tobytes())
    return {"n_lists": table.n_lists, "n_items": table.n_items, "sha256": digest.hexdigest()}


_NAMES = {
    "methods": "Methods",
    "options": "Options of the methods",
    "universe": "Universe",
    "full": "Lists are complete in themselves",
    "scores": "Scores given",
    "lower_is_better": "Smaller scores are better",
    "reverse": "Lists that run the other way",
    "ties": "Ties of scores",
    "duplicates": "A name twice in a list",
    "header": "First line of lists skipped",
    "format": "Format",
    "ids": "Column of names",
    "adjust": "Correction of p-values",
    "permutations": "Permutations",
    "sources": "Sources of the lists",
    "seed": "Seed",
    "top": "Best items shown",
}


def _settings(
    outcome: Outcome, options: argparse.Namespace, params: dict[str, dict[str, Any]]
) -> list[tuple[str, list[tuple[str, str]]]]:
    parameters = _parameters(outcome, options, params)
    if parameters["universe"] is None and not options.full:
        parameters["universe"] = f"{outcome.table.n_items} (not given: all different names)"
    data = _data(outcome.table)
    return [
        ("Method", [(_NAMES[key], setting(value)) for key, value in parameters.items()]),
        (
            "Data",
            [
                ("Files", enumerate_names([_shown(file) for file in options.files])),
                ("Lists", f"{data['n_lists']:,}"),
                ("Items", f"{data['n_items']:,}"),
                ("SHA-256 of names and ranks", data["sha256"]),
            ],
        ),
        ("Software", list(versions().items())),
    ]


def _shown(file: str) -> str:
    return "standard input" if file == "-" else Path(file).name


def _data_name(files: list[str]) -> str | None:
    return _shown(files[0]) if len(files) == 1 else None


def _snippet(
    outcome: Outcome, options: argparse.Namespace, params: dict[str, dict[str, Any]]
) -> str:
    """Python code that repeats the aggregation."""
    reading = {
        "universe": options.universe,
        "full": options.full or None,
        "format": options.format if options.format != "auto" else None,
        "ids": options.ids,
        "header": options.header or None,
        "duplicates": options.duplicates if options.duplicates != "error" else None,
        "matrix": "scores" if outcome.table.scores is not None else None,
        "higher_is_better": False if options.lower_is_better else None,
        "ties": options.ties,
        "random_state": options.seed if options.ties == "random" else None,
    }
    method = outcome.result.method
    computing = {
        "adjust": options.adjust if options.adjust not in ("bh", "none") else None,
        **params.get(method, {}),
    }
    lines = [
        *_import_and_files(options.files),
        f"table = pyfsagg.RankTable.from_files(files{_arguments(reading)})",
    ]
    if options.reverse:
        lines.append(f"# then the scores of {', '.join(options.reverse)} with the other sign")
    lines += [
        f"result = pyfsagg.aggregate(table, {method!r}{_arguments(computing)})",
        "result.to_frame()",
    ]
    if outcome.permutation is not None:
        permuting = {
            "groups": options.sources,
            "n_permutations": options.permutations,
            **computing,
            "random_state": options.seed,
        }
        lines += [
            "",
            "from pyfsagg.aggregation import permutation_p_values",
            "",
            f"permutation_p_values(table, {method!r}{_arguments(permuting)}).to_frame()",
        ]
    if outcome.comparison is not None:
        methods = list(outcome.comparison.methods)
        given = f", options={params!r}" if params else ""
        lines += [
            "",
            "from pyfsagg.aggregation.comparison import compare_methods",
            "",
            f"comparison = compare_methods(table, {methods!r}{given})",
            f"comparison.kendall(), comparison.overlap({outcome.top})",
        ]
    return "\n".join(lines)


def _import_and_files(files: list[str]) -> list[str]:
    if len(files) <= MOST_FILES:
        return ["import pyfsagg", "", "files = [", *(f"    {file!r}," for file in files), "]"]
    return [
        "import json",
        "from pathlib import Path",
        "",
        "import pyfsagg",
        "",
        f"# all {len(files):,} files, as they are recorded beside this report",
        f'files = json.loads(Path("{RUN_FILE}").read_text(encoding="utf-8"))["data"]["files"]',
    ]


def _arguments(values: dict[str, Any]) -> str:
    return "".join(f", {name}={value!r}" for name, value in values.items() if value is not None)


def summary(outcome: Outcome, folder: Path) -> str:
    """What a person reads at the end of a run."""
    table, result = outcome.table, outcome.result
    best = outcome.items.head(outcome.top)
    columns = {
        "rank": ranks(best["ranking"]),
        "value": [f"{value:.5g}" for value in best["statistic"]],
    }
    for key, title in (
        ("p_value", "p-value"),
        ("adjusted_p_value", "adjusted p"),
        ("permutation_p_value", "permutation p"),
        ("permutation_family_wise_p_value", "family-wise"),
    ):
        if key in best:
            columns[title] = [f"{value:.2g}" for value in best[key]]
    columns["in lists"] = [f"{value} of {table.n_lists}" for value in best["n_lists"].tolist()]
    columns["median rank"] = ranks(best["median_rank"])
    shown = pd.DataFrame(columns, index=[_printable(name) for name in best.index]).to_string()
    parts = [
        f"{titled(result.method)} of {plural(table.n_lists, 'list')}, "
        f"{plural(table.n_items, 'item')}",
        f"The best {outcome.top}:\n{shown}",
    ]
    if outcome.comparison is not None:
        parts.append(_agreement(outcome.comparison, outcome.top))
    if result.p_values is not None:
        parts += [textwrap.fill(text, 88) for text in (*_remarks(outcome), INDEPENDENCE)]
    files = [ITEMS_FILE, *([COMPARISON_FILE] if outcome.comparison else []), RUN_FILE]
    parts.append(
        f"Results are in {folder}{'/' if str(folder) != '.' else ''}: {', '.join(files)} and the "
        f"report {REPORT_FILE}"
    )
    return "\n\n".join(parts)


def _agreement(comparison: Comparison, top: int) -> str:
    """The other methods beside the first one."""
    first = comparison.methods[0]
    frame = pd.DataFrame(
        {
            "Kendall tau-b": [f"{value:.3f}" for value in comparison.kendall()[first]],
            f"of the best {top}": comparison.overlap(top)[first].tolist(),
        },
        index=list(comparison.methods),
    )
    return f"In common with {first}:\n{frame.iloc[1:].to_string()}"


def _printable(name: object) -> str:
    """A name that cannot steer the terminal."""
    return "".join(c if c.isprintable() else "\ufffd" for c in str(name))
