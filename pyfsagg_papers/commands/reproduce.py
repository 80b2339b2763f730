"""``pyfsagg reproduce``: published results beside recomputed ones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import names_of
from pyfsagg_papers.commands import running


def add_commands(commands: Any) -> None:
    """Add ``reproduce`` with its own commands."""
    parser = commands.add_parser(
        "reproduce",
        help="recompute what the papers published, and what this package promises",
        description="Recompute published tables and statements, and decide which hold.",
    )
    own = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    for add in (
        _add_all,
        _add_papers,
        _add_gene_lists,
        _add_aggregator_choice,
        _add_claims,
        _add_stuart,
        _add_readings,
        _add_calibration,
    ):
        add(own)


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce all``: every table and statement of all papers
# -------------------------------------------------------------------------------------------------

OUTPUT = "pyfsagg-reproduction"
CHECKPOINT = f"{OUTPUT}-checkpoint"


def _add_all(commands: Any) -> None:
    """Add ``all``."""
    parser = commands.add_parser(
        "all",
        help="every table and statement of all papers",
        description="Repeat every published table on the available data, and decide every "
        f"statement. Finished repetitions are kept in {CHECKPOINT}, unless --checkpoint names "
        "another folder: the same command goes on from there.",
    )
    add = parser.add_argument
    add(
        "--table",
        type=names_of,
        metavar="A,B",
        help="tables, for instance 4.4,frcm_2 (default: all)",
    )
    add("--dataset", type=names_of, metavar="A,B", help="data sets of the tables (default: all)")
    running.add_run_flags(parser, OUTPUT, _write_all)


def _write_all(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg.extending import write_page
    from pyfsagg_papers import reproduce_all
    from pyfsagg_papers.shipped import time_of_shipped_runs
    from pyfsagg_papers.tables.page import cells_page

    say = running.log(options)
    expected = time_of_shipped_runs(options.table, options.dataset, quick=options.quick)
    if say is not None and expected:
        say(expected)
    found = reproduce_all(
        options.dataset,
        tables=options.table,
        **{**running.how(options), "checkpoint": options.checkpoint or CHECKPOINT},
    )
    for paper, own in found.cells.groupby("paper", sort=False):
        page = cells_page(own, quick=options.quick, seed=options.seed, command=running.command())
        write_page(page, folder / f"{paper}.html")
    return running.keep(
        found,
        folder,
        "report.html, a page of cells for each paper, cells.csv, coverage.csv, "
        "not_checkable.csv, statements.csv, times.csv",
    )


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce thesis``, ``fpcps``, ``frcm`` and ``orders``: tables and figures of a paper
# -------------------------------------------------------------------------------------------------

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


def _add_papers(commands: Any) -> None:
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
        running.add_run_flags(parser, f"pyfsagg-{paper}", _write_papers)
        parser.set_defaults(paper=paper, figure=None)


def _write_papers(options: argparse.Namespace, folder: Path) -> running.Written:
    if options.figure is None:
        if getattr(options, "repeats", None) is not None:
            raise ParameterError("--repeats belongs to a --figure")
        return _tables(options, folder)
    if options.checkpoint is not None:
        raise ParameterError("--checkpoint belongs to tables; a figure is computed as a whole")
    return _clustering(options, folder) if options.paper == "frcm" else _orders(options, folder)


def _tables(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg_papers import cells, coverage, evidence, table
    from pyfsagg_papers.tables.page import cells_page

    how = running.how(options)
    if options.table:
        found = table(TABLES[options.paper][options.table], options.dataset, **how)
    else:
        found = cells(options.paper, options.dataset, **how)
    told = found.join(evidence(found))
    told.to_csv(folder / "cells.csv", index=False)
    coverage(found, ("table", "dataset", "measure")).to_csv(folder / "coverage.csv")
    text = running.as_json("cells", quick=options.quick, seed=options.seed, cells=told)
    (folder / "cells.json").write_text(text + "\n", encoding="utf-8")
    lines = [coverage(found).to_string(float_format="{:.2f}".format, na_rep="–")]
    lost = found.loc[found["verdict"] == "not checkable", "reason"]
    lines += [f"Not checkable ({n}): {reason}" for reason, n in lost.value_counts().items()]
    return running.Written(
        text,
        "\n".join(lines),
        "cells.csv (every cell with its verdict, and what it is worth), coverage.csv, cells.json and "
        "report.html",
        cells_page(found, quick=options.quick, seed=options.seed, command=running.command()),
    )


def _clustering(options: argparse.Namespace, folder: Path) -> running.Written:
    """Figure 1 of the consensus affinity paper."""
    from pyfsagg_papers import clustering_curves
    from pyfsagg_papers.tables.frcm import FIGURE_1, mean_over_sizes

    curves = clustering_curves(
        options.dataset or FIGURE_1,
        quick=options.quick,
        random_state=options.seed,
        n_jobs=options.jobs,
    )
    curves.to_csv(folder / "curves.csv", index=False)
    means = mean_over_sizes(curves)
    means.to_csv(folder / "means.csv")
    return running.Written(
        means.to_json(orient="index"),
        "Mean NMI over the numbers of features, and the best method (the paper states: frcm)\n"
        + means.to_string(float_format="{:.3f}".format),
        "curves.csv, means.csv",
    )


def _orders(options: argparse.Namespace, folder: Path) -> running.Written:
    """Figures 7 to 13 of the rank-order paper."""
    from pyfsagg_papers.orders.figures import (
        QUICK_REPEATS,
        REPEATS,
        experiment_page,
        plot_experiment,
        run_experiment,
    )

    if options.dataset is not None:
        raise ParameterError("--dataset belongs to tables; each figure has its own data")
    usual = QUICK_REPEATS if options.quick else REPEATS
    found = run_experiment(
        f"figure-{options.figure}",
        n_repeats=usual if options.repeats is None else options.repeats,
        random_state=options.seed,
        n_jobs=options.jobs,
        log=running.log(options),
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
    return running.Written(
        found.to_json(),
        "\n".join(lines),
        "curves.csv, curves.png, findings.json and report.html",
        experiment_page(found, command=running.command()),
    )


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce gene-lists``: which aggregator finds the true genes of unequal lists
# -------------------------------------------------------------------------------------------------


def _add_gene_lists(commands: Any) -> None:
    """Add ``gene-lists``."""
    parser = commands.add_parser(
        "gene-lists",
        help="the comparison of aggregators on gene lists by Wang et al. (2022)",
        description="Repeat the simulations of Wang et al. (2022), ranked and unranked gene lists of "
        "unequal quality and length, and set the accuracy of our aggregators beside the printed one. "
        "Methods that we do not have are named as not ours.",
    )
    parser.add_argument(
        "--repeats",
        type=int,
        metavar="N",
        help="data sets for each of the 46 settings (default: 100; with --quick 3)",
    )
    running.add_run_flags(
        parser, "pyfsagg-gene-lists", _write_gene_lists, "processes", checkpoint=False
    )


def _write_gene_lists(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg_papers import gene_lists

    found = gene_lists(n_repetitions=options.repeats, **running.how(options))
    files = "cells.csv (every printed cell beside ours), means.csv (accuracy over all settings)"
    return running.keep(found, folder, f"{files}, report.html")


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce aggregator-choice``: which aggregator for which lists
# -------------------------------------------------------------------------------------------------


def _add_aggregator_choice(commands: Any) -> None:
    """Add ``aggregator-choice``."""
    parser = commands.add_parser(
        "aggregator-choice",
        help="which aggregator finds more in lists of which kind",
        description="Generate sets of lists as Wang et al. (2022) do, of random number, length, noise, "
        "heterogeneity and share without an order, and measure how many of the true best 100 each "
        "aggregator finds. The run that comes with the package is where the advice of pyfsagg aggregate "
        "comes from.",
    )
    parser.add_argument(
        "--sets",
        type=int,
        metavar="N",
        help="sets of lists (default: 1600; with --quick 60)",
    )
    running.add_run_flags(
        parser, "pyfsagg-aggregator-choice", _write_aggregator_choice, "processes", checkpoint=False
    )


def _write_aggregator_choice(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg_papers import aggregator_choice

    found = aggregator_choice(n_sets=options.sets, **running.how(options))
    files = "sets.csv (what each set looks like, and what each aggregator found)"
    return running.keep(found, folder, f"{files}, report.html")


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce claims``: statements of the papers, decided on their printed tables
# -------------------------------------------------------------------------------------------------


def _add_claims(commands: Any) -> None:
    """Add ``claims``."""
    parser = commands.add_parser(
        "claims",
        help="recompute the statistical statements of the papers",
        description="Recompute every statistical statement of the papers from their printed tables, "
        "in every form of the test that may have been meant, and decide which hold.",
    )
    add = parser.add_argument
    papers = ("thesis", "fpcps", "frcm", "orders")
    add("--paper", choices=papers, help="statements of one paper (default: all)")
    add("--table", metavar="T", help="statements that rest on one table, for instance 4.5")
    add(
        "--runs",
        metavar="CSV",
        help="own values with the columns table, dataset, measure, method and value: decide on "
        "them too what they can decide",
    )
    running.fill_folder(parser, "pyfsagg-claims", _write_claims)


def _write_claims(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg.datasets import read_table
    from pyfsagg_papers import claim_variants, claims
    from pyfsagg_papers.statements.page import claims_page

    runs = None if options.runs is None else read_table(options.runs)
    found = claims(options.paper, options.table, runs=runs)
    variants = claim_variants(options.paper, options.table)
    text = running.as_json("claims", claims=found)
    found.to_csv(folder / "claims.csv", index=False)
    variants.to_csv(folder / "forms.csv", index=False)
    (folder / "claims.json").write_text(text + "\n", encoding="utf-8")
    lines = []
    for verdict, part in found.groupby("verdict", sort=False):
        lines.append(f"{verdict}: {len(part)}")
        marks = part["basis"].map({"own runs": " (own runs)"}).fillna("")
        labels = zip(part["paper"], part["id"] + marks, strict=True)
        lines += [f"  {paper} {name}" for paper, name in labels]
    return running.Written(
        text,
        "\n".join(lines),
        "claims.csv, forms.csv (every form that was tried), claims.json and report.html",
        claims_page(found, variants, command=running.command()),
    )


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce stuart``: what the printed Stuart column measured
# -------------------------------------------------------------------------------------------------


def _add_stuart(commands: Any) -> None:
    """Add ``stuart``."""
    parser = commands.add_parser(
        "stuart",
        help="what the printed Stuart column of tables 4.5 and 4.6 measured",
        description="Repeat the influence experiment with Stuart's statistic computed exactly and by "
        "the recursion of the R package RobustRankAggreg, for several numbers of lists. Without R "
        "the recursion is left out, and the report names the reason.",
    )
    add = parser.add_argument
    add(
        "--datasets",
        type=names_of,
        metavar="A,B",
        help="data sets (default: ionosphere,semeion,optdigits,splice; with --quick ionosphere)",
    )
    add(
        "--filters",
        type=names_of,
        default=["information_gain", "mrmr"],
        metavar="A,B",
        help="information_gain (table 4.5), mrmr (table 4.6) or both, the default",
    )
    add("--folds", type=int, metavar="F", help="folds (default: 100; with --quick 10)")
    add(
        "--lists",
        type=_counts,
        metavar="N,M",
        help="numbers of lists; the largest is the number of bootstraps (default: 10 to 1000)",
    )
    running.add_run_flags(parser, "pyfsagg-stuart", _write_stuart, "processes", checkpoint=False)


def _counts(text: str) -> list[int]:
    try:
        return [int(part) for part in names_of(text)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected whole numbers, got {text!r}") from None


def _write_stuart(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg_papers import stuart_finding

    finding = stuart_finding(
        options.datasets,
        filters=options.filters,
        n_folds=options.folds,
        list_counts=options.lists,
        **running.how(options),
    )
    finding.plot().figure.savefig(folder / "lists.png", dpi=150)
    return running.keep(
        finding,
        folder,
        "stability.csv, printed.csv, lists.png, report.html, runs.csv for pyfsagg reproduce "
        "claims --runs",
    )


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce readings``: what may have been done where published cells are not met
# -------------------------------------------------------------------------------------------------


def _add_readings(commands: Any) -> None:
    """Add ``readings``."""
    parser = commands.add_parser(
        "readings",
        help="try other readings of published tables",
        description="Repeat a published table under other readings of the method and of the data, "
        "and show which of them brings the printed cells inside.",
    )
    add = parser.add_argument
    add(
        "--table",
        default="4.4",
        metavar="NAME",
        help="4.4, 4.5, 4.6, fpcps_1, fpcps_2 or frcm_2 (default: %(default)s)",
    )
    add("--dataset", type=names_of, metavar="A,B", help="data sets of the tables (default: all)")
    add("--readings", type=names_of, metavar="A,B", help="names of readings (default: all)")
    running.add_run_flags(parser, "pyfsagg-readings", _write_readings)


def _write_readings(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg_papers import best_readings, coverage, readings
    from pyfsagg_papers.tables.page import readings_page

    found = readings(
        options.dataset,
        table=options.table,
        names=options.readings,
        **running.how(options),
    )
    best = best_readings(found)
    found.to_csv(folder / "readings.csv", index=False)
    best.to_csv(folder / "best.csv", index=False)
    counts = coverage(found, ["reading"]).drop(columns="inside_share").to_string()
    blocks = best.drop(columns="all").to_string(index=False, float_format="{:.1f}".format)
    return running.Written(
        running.as_json("readings", quick=options.quick, cells=found),
        f"{counts}\n\n{blocks}",
        "best.csv (each block), readings.csv (every cell under every reading) and report.html",
        readings_page(found, command=running.command()),
    )


# -------------------------------------------------------------------------------------------------
# ``pyfsagg reproduce calibration``: what every p-value, interval and error bound keeps
# -------------------------------------------------------------------------------------------------


def _add_calibration(commands: Any) -> None:
    """Add ``calibration``."""
    parser = commands.add_parser(
        "calibration",
        help="level, coverage or bound of every p-value, interval and error bound, by simulation",
        description="Repeat the simulations behind every p-value, interval and error bound of this "
        "package, on data whose truth is known, and compare the measured with the nominal values.",
    )
    parser.add_argument(
        "--only", type=names_of, metavar="A,B", help="topics, for instance lists (default: all)"
    )
    running.add_run_flags(
        parser, "pyfsagg-calibration", _write_calibration, "processes", checkpoint=False
    )


def _write_calibration(options: argparse.Namespace, folder: Path) -> running.Written:
    from pyfsagg_papers import calibrate

    found = calibrate(options.only, **running.how(options))
    return running.keep(found, folder, "calibration.csv, report.html")
