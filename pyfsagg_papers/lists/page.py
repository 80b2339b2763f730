"""The pages on simulated gene lists: published cells beside ours, and which aggregator for which lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pyfsagg.extending import Block, Page, PageColumn, PageTable, Section, number, plural, readable
from pyfsagg_papers.lists.choice import AggregatorChoice
from pyfsagg_papers.lists.gene_lists import KIND_WORDS, GeneListComparison
from pyfsagg_papers.pages import closing, run_settings

SOURCE = (
    "Gene lists",
    "B. Wang, A. Law, T. Regan et al. (2022). Systematic comparison of ranking aggregation methods for "
    "gene lists in experimental results. Bioinformatics 38, 4927-4933",
)


def gene_lists_page(found: GeneListComparison, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.gene_lists`."""
    repetitions = plural(found.record["n_repetitions"], "data set")
    return _page(
        "Aggregators on gene lists of unequal quality",
        f"{repetitions} for each setting",
        found._facts({}),
        [
            Section("means", "Accuracy of our aggregators", [_means(found)]),
        ],
        found.record,
        command,
    )


def _means(found: GeneListComparison) -> PageTable:
    means = found.means()
    kinds = [kind for kind in KIND_WORDS if kind in means]
    means = means.sort_values(kinds[0], ascending=False)
    columns: list[tuple[PageColumn, list[str]]] = [
        (PageColumn("Aggregator", numeric=False), [readable(str(name)) for name in means.index])
    ]
    for kind in kinds:
        columns.append((PageColumn(KIND_WORDS[kind].capitalize()), _texts(means[kind])))
        columns.append((PageColumn("± SE"), _texts(means[f"se_{kind}"], 4)))
    return PageTable.of_columns(
        "Share of the true best 100 genes that was found, over all settings, by kind of lists.",
        columns,
        "SE is the standard error over the simulated data sets. A dash: the method takes ranked lists only.",
    )


def _texts(values: pd.Series[float], decimals: int = 3) -> list[str]:
    return [number(value, decimals) for value in values.tolist()]


def aggregator_choice_page(found: AggregatorChoice, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg_papers.aggregator_choice`."""
    worth = found.simulated.check().sort_values(ascending=False)
    named = {
        "advised": "as advised",
        "best": "the best of each set, known only afterwards",
    }
    table = PageTable.of_columns(
        "Share of the true best 100 that was found, over all sets of lists.",
        [
            (
                PageColumn("Aggregator", numeric=False),
                [named.get(str(name), readable(str(name))) for name in worth.index],
            ),
            (PageColumn("Share found"), _texts(worth)),
        ],
        "“As advised” asks of each set as if it were new: the sets that look most like it decide. Methods "
        "that take ranked lists only are left out.",
    )
    return _page(
        "Which aggregator for which lists",
        plural(len(found.sets), "simulated set") + " of lists",
        found._facts({}),
        [Section("worth", "What the advice is worth", [table])],
        found.record,
        command,
    )


def _page(
    title: str,
    subtitle: str,
    facts: list[Block],
    sections: list[Section],
    record: Mapping[str, Any],
    command: str | None,
) -> Page:
    summary = Section("summary", "Summary", facts)
    last = [run_settings(record), *closing(command, [], [SOURCE])]
    return Page(title, subtitle, [summary, *sections, *last])
