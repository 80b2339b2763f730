"""Write the reference pages in docs/reference from the specs: ``python tools/reference.py``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from pyfsagg._base.registry import Registry, Spec
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble import list_filters  # noqa: F401  # adds the rankings without labels
from pyfsagg.filters import FILTERS
from pyfsagg.rank_order import ELIMINATIONS
from pyfsagg.rank_order.methods import recorded_options
from pyfsagg.stability_measures import STABILITY_MEASURES
from pyfsagg.unsupervised import UNSUPERVISED_METHODS
from r_bridge.comparisons import COMPARISONS

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
Column = tuple[str, Callable[[Any], str]]


class Page(NamedTuple):
    """One kind of method: its registry, what is said above the table, and columns of its own."""

    title: str
    registry: Registry[Any]
    text: str
    columns: tuple[Column, ...]


def direction(spec: Spec) -> str:
    return "larger is better" if spec.higher_is_better else "smaller is better"


NAMES: tuple[Column, ...] = (
    ("Name", lambda spec: f"`{spec.name}`"),
    ("Aliases", lambda spec: ", ".join(f"`{alias}`" for alias in spec.aliases)),
    ("What it is", lambda spec: spec.summary),
)
VALUES: tuple[Column, ...] = (
    ("Formula", lambda spec: f"`{spec.formula}`"),
    ("Range", lambda spec: spec.bounds),
    ("Direction", direction),
    ("Ties", lambda spec: spec.ties),
)
SOURCE: tuple[Column, ...] = (("Source", lambda spec: spec.source),)
OPTIONS: Column = ("Options", lambda spec: ", ".join(f"`{name}`" for name in spec.options))

PAGES = {
    "filters": Page(
        "Filters",
        FILTERS,
        "Scores of features, for `wam`, `bam` and `influence`. X is the feature, Y the target, n the "
        "number of rows, counted by their weights.",
        (
            *NAMES,
            *VALUES,
            ("Targets", lambda spec: ", ".join(spec.targets)),
            ("Sparse tables", lambda spec: "yes" if spec.sparse else "no"),
            *SOURCE,
        ),
    ),
    "aggregators": Page(
        "Aggregators",
        AGGREGATORS,
        "Many scores or ranks of an item into one, for `aggregate` and the ensembles. s_i and r_i are "
        "the score and the rank of an item in list i of m, p is the number of items, N the size of "
        "the universe that lists rank. Range and direction are those of the statistic as published.",
        (*NAMES, ("Reads", lambda spec: spec.input), *VALUES, OPTIONS, *SOURCE),
    ),
    "stability_measures": Page(
        "Stability measures",
        STABILITY_MEASURES,
        "How far resamples agree, for `stability`. i (or s) and v are two of m resamples, l_i and V_i "
        "the scores and the subset of n_i features of one, I the number of features that two subsets "
        "share, j one of p features, r_sj its rank, h_j how many subsets hold it, q the sum of all h_j.",
        (
            *NAMES,
            ("Compares", lambda spec: spec.kind),
            *VALUES,
            ("Corrected for chance", lambda spec: "yes" if spec.corrected_for_chance else "no"),
            ("Needs", lambda spec: ", ".join(f"`{name}`" for name in spec.needs)),
            *SOURCE,
        ),
    ),
    "eliminations": Page(
        "Eliminations in rank-order space",
        ELIMINATIONS,
        "Methods of `rank_order.eliminate`. The formula is the criterion of a feature f among the "
        "features F that are present; the better its criterion, the longer a feature is kept.",
        (
            *NAMES,
            *VALUES,
            ("Options", lambda spec: ", ".join(f"`{name}`" for name in recorded_options(spec))),
            *SOURCE,
        ),
    ),
    "unsupervised_methods": Page(
        "Rankings without labels",
        UNSUPERVISED_METHODS,
        "Methods of `unsupervised.rank_unsupervised`, and filters of the same names. x is the feature.",
        (*NAMES, *VALUES, OPTIONS, *SOURCE),
    ),
    "comparisons": Page(
        "Comparisons with R",
        COMPARISONS,
        "What `pyfsagg cross-check` computes on both sides, and how far the sides may be apart.",
        (
            NAMES[0],
            ("R package", lambda spec: spec.package),
            NAMES[2],
            ("Here", lambda spec: f"`{spec.ours}`"),
            ("In R", lambda spec: f"`{spec.theirs}`"),
            ("Tolerance", lambda spec: f"{spec.tolerance.limit:g} {spec.tolerance.scale}"),
            ("Known difference", lambda spec: spec.departs.reason if spec.departs else ""),
        ),
    ),
}


def markdown(page: Page) -> str:
    """The page of one kind; plug-ins that happen to be installed are not on it."""
    rows = [[heading for heading, _ in page.columns], ["---"] * len(page.columns)]
    rows += [[shown(spec) for _, shown in page.columns] for spec in page.registry.own()]
    table = "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows)
    return (
        f"# {page.title}\n\n<!-- Written by tools/reference.py from the specs; do not edit. -->\n\n"
        f"{page.text}\n\n{table}\n"
    )


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / f"{name}.md").write_text(markdown(page), encoding="utf-8")


if __name__ == "__main__":
    main()
