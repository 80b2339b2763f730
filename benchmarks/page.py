"""One page with pictures out of the JSON files of the benchmarks, and their history.

    python benchmarks/page.py --results benchmarks/results      # writes index.html there

`run_all.py` writes the page at its end; with --record it also adds one line to `history.jsonl`: the
ratios of the run with machine, versions and commit, so that a loss of speed is seen over time.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from _timing import commit
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pyfsagg._report.drawing import BLUE, GREY, ORANGE, clear_frame, inline_svg
from pyfsagg._report.page import (
    Block,
    Page,
    PageColumn,
    PageTable,
    Picture,
    Section,
    Text,
    write_page,
)
from pyfsagg._version import __version__

HISTORY = Path(__file__).resolve().parent / "history.jsonl"

Row = Mapping[str, Any]


def axes(height: float) -> Axes:
    return Figure(figsize=(6.4, height), layout="constrained").add_subplot()


def task_label(row: Row) -> str:
    threads = f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}"
    return f"{row['task']}, {threads}"


def cell(value: Any) -> str:
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(caption: str, rows: Sequence[Row], columns: Mapping[str, str], words: int) -> PageTable:
    """A table of the keys of `columns` under their titles; the first `words` columns are words."""
    return PageTable(
        caption,
        [PageColumn(title, numeric=i >= words) for i, title in enumerate(columns.values())],
        [[cell(row.get(key)) for key in columns] for row in rows],
    )


# ---------------------------------------------------------------------------------------------
# sections, one for each file of results
# ---------------------------------------------------------------------------------------------
def side_by_side(found: Mapping[str, Any]) -> list[Block]:
    rows = found["rows"]

    def draw() -> Axes:
        ax = axes(0.42 * len(rows) + 0.8)
        places = np.arange(len(rows))[::-1]
        for row, place in zip(rows, places, strict=True):
            ax.plot([row["low"], row["high"]], [place, place], color=BLUE, linewidth=2)
            ax.plot(row["times faster"], place, "o", color=BLUE, markersize=5)
            if row["target"] is not None:
                ax.plot(row["target"], place, "|", color=ORANGE, markersize=14, mew=2)
        ax.set_xscale("log")
        ax.axvline(1.0, color=GREY, linewidth=0.8)
        ax.set_yticks(places, [task_label(row).replace(", ", ",\n", 1) for row in rows])
        ax.set_xlabel("times faster; orange: the target")
        clear_frame(ax, grid="x")
        return ax

    columns = {
        "label": "Task",
        "other": "Beside",
        "times faster": "Times faster",
        "low": "95 % from",
        "high": "to",
        "target": "Target",
        "pyfsagg ms": "pyfsagg, ms",
        "other ms": "other, ms",
    }
    labelled = [{**row, "label": task_label(row)} for row in rows]
    blocks: list[Block] = [
        Text(
            "Both sides run in turn in one process on the same number of threads. Times are for one "
            "resample, one aggregation, or one pair of resamples; the interval is that of the mean "
            "ratio over the rounds."
        ),
        Picture("Ratios of times", inline_svg(draw, prefix="ratios", label="ratios"), ""),
        table("Side by side", labelled, columns, 2),
    ]
    return blocks + [Text(f"Left out: {reason}", quiet=True) for reason in found["left_out"]]


def growth(found: Mapping[str, Any]) -> list[Block]:
    rows = found["growth"]
    methods = list(dict.fromkeys(row["filter"] for row in rows))

    def draw() -> Axes:
        ax = axes(3.2)
        for colour, method in zip((BLUE, ORANGE), methods, strict=True):
            for what, style in (("m", "-"), ("n", "--"), ("p", ":")):
                line = [row for row in rows if row["filter"] == method and row["grows"] == what]
                sizes = np.array([row[what] for row in line], dtype=float)
                label = f"{method.replace('_', ' ')}, {what}"
                best = np.array([row["ms"] for row in line])
                worst = np.array([row["ms at most"] for row in line])
                ax.errorbar(
                    sizes / sizes[0],
                    best,
                    yerr=(np.zeros_like(best), worst - best),
                    linestyle=style,
                    color=colour,
                    label=label,
                    marker=".",
                    capsize=2,
                )
        ax.set_xscale("log", base=2)
        ax.set_yscale("log", base=2)
        ax.set_xlabel("size, in units of the smallest (m resamples, n samples, p features)")
        ax.set_ylabel("ms")
        ax.legend(frameon=False, fontsize="small")
        clear_frame(ax, grid="both")
        return ax

    return [
        Picture(
            "Growth",
            inline_svg(draw, prefix="growth", label="growth of the time"),
            "Best of the rounds; bars reach to the worst.",
        ),
        table(
            "Time per resample",
            found["per_resample"],
            {
                "method": "Method",
                "threads": "Threads",
                "ms per resample": "ms",
                "marginal": "Marginal ms",
            },
            1,
        ),
        table(
            "Peak memory of one run, MB",
            found["memory"],
            {
                "method": "Method",
                "m": "Resamples",
                "libraries MB": "Libraries",
                "data MB": "Data",
                "weights MB": "Weights",
                "matrices MB": "Scores",
                "peak MB": "Peak",
            },
            1,
        ),
    ]


def kernels(found: Mapping[str, Any]) -> list[Block]:
    columns = {
        "kernel": "Kernel",
        "bound by": "Bound by",
        "for": "Because it needs",
        "ns per operation": "ns each",
        "at best": "At best",
        "share": "Share of the bound",
    }
    return [
        Text(
            "On one core. The share is the least time for the operations that the algorithm cannot do "
            "without, at the rate that a loop of nothing else reaches on this machine, over the time "
            "measured."
        ),
        table("Kernels and their bounds", found["rows"], columns, 3),
    ]


def sparse_tables(found: Mapping[str, Any]) -> list[Block]:
    density = {
        "density": "Share of cells not zero",
        "filter": "Filter",
        "ns per feature": "ns per feature and resample",
        "times faster than dense": "Times faster than dense",
    }
    wide = {
        "filter": "Filter",
        "data": "Data",
        "scores in": "Scores in",
        "threads": "Threads",
        "seconds": "Seconds",
        "matrix MB": "Scores, MB",
        "peak MB": "Peak, MB",
    }
    size = (
        f"{found['samples']} samples, {found['features']} features, {found['resamples']} resamples"
    )
    return [
        table("Sparse beside dense, same scores, one thread", found["by density"], density, 2),
        table(f"One run of wam: {size}", found["wide"], wide, 3),
    ]


SECTIONS: dict[str, tuple[str, Callable[[Mapping[str, Any]], list[Block]]]] = {
    "alternatives": ("Beside other packages", side_by_side),
    "ensemble": ("Growth and memory", growth),
    "sparse": ("Sparse tables", sparse_tables),
    "kernels": ("How far from the machine's limit", kernels),
}


def history_section(lines: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Ratios of the recorded runs, one line for each task that the last run had."""
    tasks = list(lines[-1]["ratios"])

    def draw() -> Axes:
        ax = axes(3.6)
        for task in tasks:
            ax.plot([line["ratios"].get(task) for line in lines], ".-", label=task)
        ax.set_yscale("log")
        ax.set_xticks(range(len(lines)), [line["date"] for line in lines], rotation=30)
        ax.set_ylabel("times faster")
        ax.legend(frameon=False, fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        clear_frame(ax, grid="y")
        return ax

    return [Picture("History", inline_svg(draw, prefix="history", label="history"), "")]


def read_history() -> list[dict[str, Any]]:
    if not HISTORY.is_file():
        return []
    return [json.loads(line) for line in HISTORY.read_text(encoding="utf-8").splitlines()]


def record(results: Path) -> None:
    """Add the ratios of a run to the history."""
    found = json.loads((results / "alternatives.json").read_text(encoding="utf-8"))
    line = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "pyfsagg": __version__,
        "commit": commit(),
        "environment": found["environment"],
        "size": found["size"],
        "ratios": {
            f"{task_label(row)}: {row['other']}": round(row["times faster"], 2)
            for row in found["rows"]
        },
    }
    with HISTORY.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def make_page(results: Path) -> Path:
    """Write `index.html` out of the files of results that are there."""
    sections, environment = [], None
    for name, (title, build) in SECTIONS.items():
        path = results / f"{name}.json"
        if path.is_file():
            found = json.loads(path.read_text(encoding="utf-8"))
            environment = environment or found["environment"]
            sections.append(Section(name, title, build(found)))
    if not sections:
        raise SystemExit(f"{results} holds none of {', '.join(SECTIONS)}; run run_all.py first")
    history = read_history()
    if len(history) > 1:
        sections.append(Section("history", "History", history_section(history)))
    machine = ", ".join(
        f"{key} {value}" for key, value in (environment or {}).items() if key != "load"
    )
    page = Page("How fast is pyfsagg?", machine, sections)
    return write_page(page, results / "index.html")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path(__file__).resolve().parent / "results"
    parser.add_argument("--results", type=Path, default=default, help="folder of the JSON files")
    parser.add_argument("--record", action="store_true", help="add the ratios to the history")
    options = parser.parse_args()
    if options.record:
        record(options.results)
    print(make_page(options.results))


if __name__ == "__main__":
    main()
