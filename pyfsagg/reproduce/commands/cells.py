"""``pyfsagg reproduce thesis``, ``fpcps``, ``frcm`` and ``orders``: tables, cell by cell."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from typing import Any

from pyfsagg._base.output import new_folder
from pyfsagg._base.settings import names_of
from pyfsagg._command.flags import add_output_flags, add_work_flags, free_folder
from pyfsagg.exceptions import ParameterError

__all__ = ["add_tables"]

REPORT_FILE = "report.html"
TABLES = {
    "thesis": {name: name for name in ("4.3", "4.4", "4.5", "4.6")},
    "fpcps": {"1": "fpcps_1", "2": "fpcps_2"},
    "frcm": {"2": "frcm_2"},
    "orders": {"genes": "orders_genes"},
}
"""The tables of each paper by the name that a user gives them."""

TITLES = {
    "thesis": "tables 4.3 to 4.6 of the bootstrap aggregation thesis",
    "fpcps": "tables 1 and 2 of the paper on ensembles of ranking filters",
    "frcm": "table 2 and figure 1 of the consensus affinity paper",
    "orders": "numbers on genes in section 5.2 of the rank-order paper",
}


def add_tables(commands: Any) -> None:
    """Add a command for each paper whose tables are repeated."""
    for paper, tables in TABLES.items():
        parser = commands.add_parser(
            paper,
            help=TITLES[paper],
            description=f"Repeat the {TITLES[paper]}, and say of every cell whether it is inside what "
            "our repetitions allow.",
        )
        add = parser.add_argument
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--table", choices=tables, help="one table (default: all)")
        what.add_argument("--all", action="store_true", help="all tables, the default")
        if paper == "frcm":
            what.add_argument("--figure", choices=("1",), help="the curves of a figure")
        add("--dataset", type=names_of, metavar="A,B", help="data sets as printed (default: all)")
        add("--quick", action="store_true", help="fewer resamples, folds and repetitions")
        add("--cache", metavar="FOLDER", help="keep each repetition here, and take it from here")
        add("--seed", type=int, default=0, help="(default: %(default)s)")
        add_work_flags(parser, checkpoint=False)
        add_output_flags(parser, f"pyfsagg-{paper}")
        parser.set_defaults(run=_run, paper=paper)


def _run(options: argparse.Namespace) -> None:
    if getattr(options, "figure", None):
        _figure(options)
        return
    from pyfsagg._page.page import write_page
    from pyfsagg.reproduce import cells, coverage, table
    from pyfsagg.reproduce.pages.cells import cells_page

    folder = free_folder(options.output, f"pyfsagg-{options.paper}")
    shared: dict[str, Any] = {
        "quick": options.quick,
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "cache": options.cache,
        "say": None if options.quiet else lambda text: print(text, file=sys.stderr, flush=True),
    }
    with new_folder(folder) as draft:
        if options.table:
            found = table(TABLES[options.paper][options.table], options.dataset, **shared)
        else:
            found = cells(options.paper, options.dataset, **shared)
        summary = coverage(found, ("table", "dataset", "measure"))
        found.to_csv(draft / "cells.csv", index=False)
        summary.to_csv(draft / "coverage.csv")
        records = found.astype(object).where(found.notna(), None).to_dict(orient="records")
        document = {
            "schema": 1, "kind": "cells", "quick": options.quick, "seed": options.seed,
            "cells": records,
        }  # fmt: skip
        text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
        (draft / "cells.json").write_text(text + "\n", encoding="utf-8")
        page = cells_page(
            found, quick=options.quick, seed=options.seed, command=shlex.join(sys.argv[1:])
        )
        write_page(page, draft / REPORT_FILE)
    if options.json:
        print(text)
    elif not options.quiet:
        print(coverage(found).to_string(float_format="{:.2f}".format, na_rep="–"))
        lost = found.loc[found["verdict"] == "not checkable", "reason"]
        for reason, number in lost.value_counts().items():
            print(f"Not checkable ({number}): {reason}")
        print(
            f"\nResults are in {folder}/: cells.csv (every cell with its verdict), coverage.csv, "
            f"cells.json and {REPORT_FILE}"
        )


def _figure(options: argparse.Namespace) -> None:
    from pyfsagg.reproduce import clustering_curves
    from pyfsagg.reproduce.curves import FIGURE_1, mean_over_sizes

    if options.cache:
        raise ParameterError("--cache belongs to tables; the curves are computed as a whole")
    folder = free_folder(options.output, f"pyfsagg-{options.paper}")
    with new_folder(folder) as draft:
        curves = clustering_curves(
            options.dataset or FIGURE_1,
            quick=options.quick,
            random_state=options.seed,
            n_jobs=options.jobs,
        )
        curves.to_csv(draft / "curves.csv", index=False)
        means = mean_over_sizes(curves)
        means.to_csv(draft / "means.csv")
    if options.json:
        print(means.to_json(orient="index"))
    elif not options.quiet:
        print("Mean NMI over the numbers of features, and the best method (the paper states: frcm)")
        print(means.to_string(float_format="{:.3f}".format))
        print(f"\nResults are in {folder}/: curves.csv, means.csv")
