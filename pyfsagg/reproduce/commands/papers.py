"""``pyfsagg reproduce thesis``, ``fpcps``, ``frcm`` and ``orders``: tables and figures of a paper."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg._base.settings import names_of
from pyfsagg.exceptions import ParameterError
from pyfsagg.reproduce.commands import _run

__all__ = ["add_commands"]

TABLES = {
    "thesis": {name: name for name in ("4.3", "4.4", "4.5", "4.6")},
    "fpcps": {"1": "fpcps_1", "2": "fpcps_2"},
    "frcm": {"2": "frcm_2"},
    "orders": {"genes": "orders_genes"},
}
"""The tables of each paper by the name that a user gives them."""

FIGURES = {"frcm": ("1",), "orders": tuple(str(number) for number in range(7, 14))}

TITLES = {
    "thesis": "tables 4.3 to 4.6 of the bootstrap aggregation thesis",
    "fpcps": "tables 1 and 2 of the paper on ensembles of ranking filters",
    "frcm": "table 2 and figure 1 of the consensus affinity paper",
    "orders": "numbers on genes in section 5.2 and figures 7 to 13 of the rank-order paper",
}


def add_commands(commands: Any) -> None:
    """Add a command for each paper whose tables are repeated."""
    for paper, tables in TABLES.items():
        parser = commands.add_parser(
            paper,
            help=TITLES[paper],
            description=f"Repeat the {TITLES[paper]}, and compare every printed cell with the "
            "limits of our repetitions.",
        )
        add = parser.add_argument
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--table", choices=tuple(tables), help="one table (default: all)")
        what.add_argument("--all", action="store_true", help="all tables, the default")
        if paper in FIGURES:
            what.add_argument(
                "--figure", choices=tuple(FIGURES[paper]), help="a figure, not a table"
            )
        add(
            "--dataset", type=names_of, metavar="A,B", help="data sets of the tables (default: all)"
        )
        if paper == "orders":
            add(
                "--repeats",
                type=int,
                metavar="N",
                help="generated data sets per curve of figures 7 to 10 (default: 5; with --quick 2)",
            )
        _run.add_run_flags(parser, f"pyfsagg-{paper}", _write)
        parser.set_defaults(paper=paper, figure=None)


def _write(options: argparse.Namespace, folder: Path) -> _run.Written:
    if options.figure is None:
        if getattr(options, "repeats", None) is not None:
            raise ParameterError("--repeats belongs to a --figure")
        return _tables(options, folder)
    if options.checkpoint is not None:
        raise ParameterError("--checkpoint belongs to tables; a figure is computed as a whole")
    return _clustering(options, folder) if options.paper == "frcm" else _orders(options, folder)


def _tables(options: argparse.Namespace, folder: Path) -> _run.Written:
    from pyfsagg._run.result import records
    from pyfsagg.reproduce import cells, coverage, evidence, table
    from pyfsagg.reproduce.tables._page import cells_page

    how = _run.how(options)
    if options.table:
        found = table(TABLES[options.paper][options.table], options.dataset, **how)
    else:
        found = cells(options.paper, options.dataset, **how)
    told = found.join(evidence(found))
    told.to_csv(folder / "cells.csv", index=False)
    coverage(found, ("table", "dataset", "measure")).to_csv(folder / "coverage.csv")
    text = _run.as_json("cells", quick=options.quick, seed=options.seed, cells=records(told))
    (folder / "cells.json").write_text(text + "\n", encoding="utf-8")
    lines = [coverage(found).to_string(float_format="{:.2f}".format, na_rep="–")]
    lost = found.loc[found["verdict"] == "not checkable", "reason"]
    lines += [f"Not checkable ({n}): {reason}" for reason, n in lost.value_counts().items()]
    return _run.Written(
        text,
        "\n".join(lines),
        "cells.csv (every cell with its verdict, and what it is worth), coverage.csv, cells.json and "
        f"{_run.REPORT_FILE}",
        cells_page(found, quick=options.quick, seed=options.seed, command=_run.command()),
    )


def _clustering(options: argparse.Namespace, folder: Path) -> _run.Written:
    """Figure 1 of the consensus affinity paper."""
    from pyfsagg.reproduce import clustering_curves
    from pyfsagg.reproduce.tables.frcm import FIGURE_1, mean_over_sizes

    curves = clustering_curves(
        options.dataset or FIGURE_1,
        quick=options.quick,
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    curves.to_csv(folder / "curves.csv", index=False)
    means = mean_over_sizes(curves)
    means.to_csv(folder / "means.csv")
    return _run.Written(
        means.to_json(orient="index"),
        "Mean NMI over the numbers of features, and the best method (the paper states: frcm)\n"
        + means.to_string(float_format="{:.3f}".format),
        "curves.csv, means.csv",
    )


def _orders(options: argparse.Namespace, folder: Path) -> _run.Written:
    """Figures 7 to 13 of the rank-order paper."""
    from pyfsagg.reproduce.orders._page import experiment_page
    from pyfsagg.reproduce.orders._plot import plot_experiment
    from pyfsagg.reproduce.orders.figures import QUICK_REPEATS, REPEATS, run_experiment

    if options.dataset is not None:
        raise ParameterError("--dataset belongs to tables; each figure has its own data")
    usual = QUICK_REPEATS if options.quick else REPEATS
    found = run_experiment(
        f"figure-{options.figure}",
        n_repeats=usual if options.repeats is None else options.repeats,
        random_state=options.seed,
        n_jobs=options.jobs,
        log=_run.log(options),
    )
    found.curves.to_csv(folder / "curves.csv", index=False)
    if found.baseline is not None:
        found.baseline.to_csv(folder / "baseline.csv", index=False)
    (folder / "findings.json").write_text(found.to_json(), encoding="utf-8")
    axes = plot_experiment(found)[0]
    axes.figure.savefig(folder / "curves.png", dpi=150)  # type: ignore[union-attr]
    lines = [f"{found.name}: {found.title}", ""]
    for finding in found.findings:
        verdict = "holds" if finding.holds else "does not hold"
        lines += [f"[{verdict}] {finding.statement}", f"    {finding.evidence}"]
    return _run.Written(
        found.to_json(),
        "\n".join(lines),
        f"curves.csv, curves.png, findings.json and {_run.REPORT_FILE}",
        experiment_page(found, command=_run.command()),
    )
