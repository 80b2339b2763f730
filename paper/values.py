"""Every number of the paper, by the name of its placeholder, computed from runs that come with pyfsagg.

Only public functions are called and shipped files read, so that a reader can repeat each line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import pyfsagg
import pyfsagg_papers as reproduce

ROOT = Path(__file__).resolve().parents[1]
FULL = {"44": "full-4.4", "45": "full-4.5", "46": "full-4.6", "frcm": "full-frcm"}
KEYS = {
    "thesis": "salman2022",
    "fpcps": "filchenkov2015",
    "frcm": "zhang2012",
    "orders": "slotta2005",
}
"""The reference of each paper."""
SCORE_BASED = ["arithmetic_mean", "geometric_mean", "l2_norm"]
RANK_BASED = ["stuart", "rra"]
CAPTION_STUART = (
    "Spearman stability of aggregated rankings against the number of lists, information gain. The "
    "recursion follows the exact values until it breaks down, and meets the printed values at about the "
    "number of lists that the next section finds."
)
CAPTION_CALIBRATION = (
    "Every simulated claim of a level or a coverage with the most frequent nominal value, with its "
    "Monte Carlo interval, ordered by the measured share; black: not kept. Levels below the nominal "
    "value and coverages above it are on the safe side."
)
JUDGED = ("level", "coverage", "bound", "bias")
Values = dict[str, str]


def compute() -> Values:
    """All values as text; a name that two sections compute is an error."""
    found: Values = {}
    for section in SECTIONS:
        for name, value in section():
            if name in found:
                raise ValueError(f"{name} is computed twice")
            found[name] = shown(value)
    return found


def shown(value: Any) -> str:
    """Whole numbers with separators of thousands; text as it is."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def percent(value: float) -> str:
    return "–" if value != value else f"{100 * value:.0f} %"


def span(values: pd.Series, digits: int = 3) -> str:
    return f"{values.min():.{digits}f} to {values.max():.{digits}f}"


# ---------------------------------------------------------------------------------------------
# the package
# ---------------------------------------------------------------------------------------------
def package() -> Iterator[tuple[str, Any]]:
    yield "version", pyfsagg.__version__
    yield "n_filters", len(pyfsagg.list_methods("filters"))
    yield "n_aggregators", len(pyfsagg.list_methods("aggregators"))
    yield "n_measures", len(pyfsagg.list_methods("stability"))
    yield "n_plans", len(pyfsagg.list_methods("resampling"))
    runs = reproduce.list_shipped_runs()
    yield "date", runs["date"].max()
    yield "machine", ", ".join(sorted(runs["machine"].unique()))
    yield "n_runs", len(runs)


def cross_check() -> Iterator[tuple[str, Any]]:
    path = ROOT / "data" / "validation" / "cross_check.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    yield "check_agrees", found["counts"]["agrees"]
    yield "check_documented", found["counts"]["differs as documented"]
    yield "check_total", len(found["outcomes"])
    yield "check_values", sum(each["n_values"] for each in found["outcomes"])
    yield "check_packages", ", ".join(dict.fromkeys(each["package"] for each in found["outcomes"]))
    yield "check_missing", ", ".join(found["missing"])
    yield "check_r", found["versions"]["R"]


# ---------------------------------------------------------------------------------------------
# cells and statements
# ---------------------------------------------------------------------------------------------
def cells() -> Iterator[tuple[str, Any]]:
    found = {end: coverage(name) for end, name in FULL.items()}
    row = found["44"]
    yield "inside_44", int(row["inside"])
    yield "checkable_44", int(row["checkable"])
    yield "lost_44", int(row["not checkable"])
    yield "share_44", percent(row["inside_share"])
    yield "others_44", percent(row["others_inside"])
    yield "decisive_44", int(row["decisive"])
    yield "inside_frcm", int(found["frcm"]["inside"])
    yield "checkable_frcm", int(found["frcm"]["checkable"])
    quick = reproduce.shipped_run("quick").cells
    yield "cells_quick", len(quick)
    yield "lost_quick", int((quick["verdict"] == "not checkable").sum())
    limits = reproduce.shipped_run(FULL["44"]).cells.dropna(subset=["lower", "sd"]).iloc[0]
    yield "prediction_level", percent(level_of(limits))


def coverage(name: str) -> pd.Series:
    """The coverage of a shipped run of one table."""
    return reproduce.shipped_run(name).coverage(["table"]).iloc[0]


def cells_table() -> tuple[list[str], list[list[str]], str]:
    """Heads, rows and caption of the table of all repeated tables, full runs first."""
    heads = [
        "Paper",
        "Table",
        "Settings",
        "Inside",
        "Near",
        "Outside",
        "Not checkable",
        "Inside, share",
    ]
    heads += ["Other data sets inside", "Decisive"]
    quick = reproduce.shipped_run("quick").coverage(["table"])
    shipped = reproduce.list_shipped_runs()
    full = pd.concat(reproduce.shipped_run(name).cells for name in shipped.index[~shipped["quick"]])
    whole = reproduce.coverage(full, ["table"])
    runs = [("full", whole.loc[table]) for table in quick.index if table in whole.index]
    runs += [("quick", quick.loc[table]) for table in quick.index]
    rows = [[*place(str(row.name)), settings, *_cells(row)] for settings, row in runs]
    caption = (
        "Verdicts on printed cells by table. *Other data sets inside*: mean share of the printed "
        "values of other data sets that the limits hold. *Decisive*: cells inside limits that hold "
        "hardly any of these."
    )
    return heads, rows, caption


def _cells(row: pd.Series) -> list[str]:
    counts = [str(int(row[name])) for name in ("inside", "near", "outside", "not checkable")]
    return [
        *counts,
        percent(row["inside_share"]),
        percent(row["others_inside"]),
        str(int(row["decisive"])),
    ]


def place(table: str) -> tuple[str, str]:
    """The reference of the paper that prints a table, and its number there."""
    paper = reproduce.EXPERIMENTS[table].paper
    return f"@{KEYS[paper]}", table.removeprefix(f"{paper}_")


def level_of(row: pd.Series) -> float:
    """The level of the prediction limits of a cell, from its limits, mean, spread and number."""
    from scipy.stats import t

    experiment = reproduce.EXPERIMENTS[row["table"]]
    spread = row["sd"] * (1 / row["n"] + 1 / experiment.published_repetitions) ** 0.5
    quantile = (row["upper"] - row["mean"] - experiment.unit / 2) / spread
    return float(2 * t.cdf(quantile, row["n"] - 1) - 1)


def statements() -> Iterator[tuple[str, Any]]:
    run = reproduce.shipped_run("quick")
    printed = run.statements[run.statements["basis"] == "published table"]
    verdicts = printed["verdict"].value_counts()
    yield "statements", len(printed)
    yield "statements_hold", int(verdicts["holds"])
    yield "statements_otherwise", int(verdicts["holds under another reading"])
    yield "statements_fail", int(verdicts["does not hold"])
    yield "statements_open", int(verdicts["not checkable"])
    first, *_ = run.conclusions()
    yield "conclusions", first


def gene_lists() -> Iterator[tuple[str, Any]]:
    found = reproduce.shipped_gene_lists()
    verdicts = found.summary().sum()
    ours = int(verdicts[["within 2 SE", "within 3 SE", "apart"]].sum())
    yield "lists_cells", ours
    few, more = (re.sub(r"\D", "", name) for name in ("within 2 SE", "within 3 SE"))
    yield "lists_se_few", few
    yield "lists_se_more", more
    yield "lists_two", int(verdicts["within 2 SE"])
    yield "lists_three", int(verdicts[["within 2 SE", "within 3 SE"]].sum())


# ---------------------------------------------------------------------------------------------
# findings
# ---------------------------------------------------------------------------------------------
def stuart() -> Iterator[tuple[str, Any]]:
    found = reproduce.shipped_stuart()
    most = found.n_lists
    exact = found.wide(most).xs("spearman", level="measure")["stuart"]
    printed = found.published.query("aggregator == 'stuart' and measure == 'spearman'")["value"]
    yield "stuart_lists", most
    yield "stuart_folds", found.parameters["n_folds"]
    yield "stuart_exact", span(exact)
    yield "stuart_printed", span(printed)
    yield "stuart_r", f"RobustRankAggreg {found.r['RobustRankAggreg']} on R {found.r['R']}"
    kinds = found.values.drop(columns=["dataset", "filter"]).groupby("n_lists").sum()
    total = kinds.sum(axis=1)
    yield "stuart_values", int(total[most])
    yield "stuart_nan", f"{100 * kinds.loc[most, 'nan'] / total[most]:.1f} %"
    yield "stuart_infinite", f"{100 * kinds.loc[most, 'infinite'] / total[most]:.1f} %"
    majority = kinds["right"] < 0.5 * total
    yield "stuart_breaks", int(majority.index[majority].min())
    gaps = found.differences()
    recursion = gaps["stuart_in_r"].groupby(level="n_lists").mean()
    yield "stuart_nearest", int(recursion.idxmin())
    yield "stuart_gap_nearest", f"{recursion.min():.3f}"
    yield "stuart_gap_most", f"{recursion[most]:.3f}"
    signed = found.signed(found.wide(most))
    last = found.least_stable()
    yield "stuart_rows", len(last)
    yield "stuart_last", int((last == "stuart").sum())
    table = found.published.pivot(
        index=["dataset", "filter", "measure"], columns="aggregator", values="value"
    ).dropna()
    yield "stuart_rows_printed", len(table)
    yield "stuart_last_printed", int((found.signed(table).idxmin(axis=1) == "stuart").sum())
    groups = signed[SCORE_BASED].min(axis=1) > signed[RANK_BASED].max(axis=1)
    yield "stuart_groups", int(groups.sum())


LAPLACIAN_READING = "cosine_self_reversed"


def resamples() -> Iterator[tuple[str, Any]]:
    usual = reproduce.EXPERIMENTS["4.5"].full["n_resamples"]
    fewer = {each.name: each.settings.get("n_resamples") for each in reproduce.READINGS["4.5"]}
    yield "resamples_stated", int(usual)
    yield "resamples_fewer", int(fewer["hundred_resamples"])
    yield "n_readings", reproduce.shipped_readings("4.5")["reading"].nunique()
    for end, table in (("45", "4.5"), ("46", "4.6")):
        found = reproduce.shipped_readings(table)
        inside = found["verdict"].eq("inside").groupby(found["reading"]).sum()
        yield f"cells_{end}", int((found["reading"] == "standard").sum())
        yield f"standard_{end}", int(inside["standard"])
        yield f"hundred_{end}", int(inside["hundred_resamples"])
        yield f"as_r_{end}", int(inside["as_r_returns"])
    tables = (reproduce.shipped_readings(table) for table in ("4.5", "4.6"))
    best = pd.concat([reproduce.best_readings(table) for table in tables])
    explained = best[best["explained"]]
    fewer_resamples = explained["best"].map(fewer) == fewer["hundred_resamples"]
    yield "blocks", len(best)
    yield "explained", len(explained)
    yield "explained_fewer", int(fewer_resamples.sum())
    found = reproduce.shipped_stuart()
    gaps = found.differences().groupby(level="n_lists").mean()
    plain = gaps[["arithmetic_mean", "l2_norm", "rra_in_r_first_list"]].mean(axis=1)
    yield "plain_nearest", int(plain.idxmin())
    yield "plain_gap_nearest", f"{plain.min():.4f}"
    yield "plain_gap_most", f"{plain[found.n_lists]:.4f}"


def laplacian() -> Iterator[tuple[str, Any]]:
    found = reproduce.shipped_readings("frcm_2").query("row == 'laplacian_score'")
    inside = found["verdict"].eq("inside").groupby(found["reading"]).sum()
    sizes = found[(found["measure"] == "n_features") & (found["reading"] == LAPLACIAN_READING)]
    yield "laplacian_readings", found["reading"].nunique()
    yield "laplacian_cells", int((found["reading"] == "standard").sum())
    yield "laplacian_standard", int(inside["standard"])
    yield "laplacian_inside", int(inside[LAPLACIAN_READING])
    yield "laplacian_sizes", ", ".join(f"{size:.0f}" for size in sizes["published"])
    yield "laplacian_sizes_met", int(sizes["mean"].eq(sizes["published"]).sum())
    yield "laplacian_sets", len(sizes)
    search = reproduce.shipped_laplacian_search()
    other = search[search["met"] < len(sizes)]
    yield "search_combinations", f"{len(search):,}"
    yield "search_complete", len(search) - len(other)
    yield "search_next_met", int(other["met"].max())
    yield "search_next_missed", int(other["missed"].min())


# ---------------------------------------------------------------------------------------------
# calibration
# ---------------------------------------------------------------------------------------------
def calibration() -> Iterator[tuple[str, Any]]:
    rows = reproduce.shipped_calibration().rows
    judged = rows[rows["kind"].isin(JUDGED)]
    yield "claims", len(judged)
    yield "claims_kept", int((judged["verdict"] == "kept").sum())
    yield "claims_near", int((judged["verdict"] == "within Monte Carlo error").sum())
    yield "claims_refused", int((judged["verdict"] == "refused").sum())
    lost = judged[judged["verdict"] == "not kept"]
    yield "claims_lost", len(lost)
    yield "claims_warned", int((lost["caution"] != "").sum())
    yield "n_designs", len(rows[["simulation", "design"]].drop_duplicates())
    yield "n_inferences", judged["inference"].nunique()
    worst = lost[lost["kind"] == "bound"]["measured"].max()
    yield "bound_worst", f"{worst:.1f}"


SECTIONS: tuple[Callable[[], Iterator[tuple[str, Any]]], ...] = (
    package,
    cross_check,
    cells,
    statements,
    gene_lists,
    stuart,
    laplacian,
    resamples,
    calibration,
)
