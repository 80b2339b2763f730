"""The pages on simulated gene lists: published cells beside ours, and which aggregator for which lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from pyfsagg._base.words import count, number, plural, readable, titled
from pyfsagg._page.page import Column, Page, Section, Table, Text
from pyfsagg.reproduce._page import closing, numbers, run_settings, words
from pyfsagg.reproduce.unequal_lists.choice import AggregatorChoice
from pyfsagg.reproduce.unequal_lists.result import KIND_WORDS, GeneListComparison

__all__ = ["aggregator_choice_page", "gene_lists_page"]

SOURCE = (
    "Gene lists",
    "B. Wang, A. Law, T. Regan et al. (2022). Systematic comparison of ranking aggregation methods for "
    "gene lists in experimental results. Bioinformatics 38, 4927-4933",
)


def gene_lists_page(found: GeneListComparison, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg.reproduce.gene_lists`.

    Parameters
    ----------
    found : GeneListComparison
    command : str, optional
        The arguments of the ``pyfsagg`` command that repeat it.
    """
    counts = found.summary()
    rows = zip(counts.index, counts.to_numpy().tolist(), strict=True)
    cells = Table(
        "Printed cells by method, as the paper names them.",
        [*words("Method"), *numbers(*map(titled, counts.columns))],
        [[str(name), *map(count, row)] for name, row in rows],
        "A cell is the mean accuracy of a method over the data sets of one setting; it is compared with "
        "ours by the standard errors (SE) of both together. Where unranked lists were among the lists, "
        "the published program left them out for some methods, and printed the accuracies of ranked lists "
        "only once more.",
    )
    repetitions = plural(found.record["n_repetitions"], "data set")
    return _page(
        "Aggregators on gene lists of unequal quality",
        f"{repetitions} for each setting",
        found.conclusions(),
        [
            Section("cells", "Published cells beside ours", [cells]),
            Section("means", "Accuracy of our aggregators", [_means(found)]),
        ],
        found.record,
        command,
    )


def _means(found: GeneListComparison) -> Table:
    means = found.means()
    kinds = [kind for kind in KIND_WORDS if kind in means]
    means = means.sort_values(kinds[0], ascending=False)
    columns: list[tuple[Column, list[str]]] = [
        (Column("Aggregator", numeric=False), [readable(str(name)) for name in means.index])
    ]
    for kind in kinds:
        columns.append((Column(KIND_WORDS[kind].capitalize()), _texts(means[kind])))
        columns.append((Column("± SE"), _texts(means[f"se_{kind}"], 4)))
    return Table.of_columns(
        "Share of the true best 100 genes that was found, over all settings, by kind of lists.",
        columns,
        "SE is the standard error over the simulated data sets. A dash: the method takes ranked lists only.",
    )


def _texts(values: pd.Series[float], decimals: int = 3) -> list[str]:
    return [number(value, decimals) for value in values.tolist()]


def aggregator_choice_page(found: AggregatorChoice, *, command: str | None = None) -> Page:
    """The page of :func:`pyfsagg.reproduce.aggregator_choice`.

    Parameters
    ----------
    found : AggregatorChoice
    command : str, optional
        The arguments of the ``pyfsagg`` command that repeat it.
    """
    worth = found.check().sort_values(ascending=False)
    named = {
        "advised": "as advised",
        "best": "the best of each set, known only afterwards",
    }
    table = Table.of_columns(
        "Share of the true best 100 that was found, over all sets of lists.",
        [
            (
                Column("Aggregator", numeric=False),
                [named.get(str(name), readable(str(name))) for name in worth.index],
            ),
            (Column("Share found"), _texts(worth)),
        ],
        "“As advised” asks of each set as if it were new: the sets that look most like it decide. Methods "
        "that take ranked lists only are left out.",
    )
    return _page(
        "Which aggregator for which lists",
        plural(len(found.sets), "simulated set") + " of lists",
        found.conclusions(),
        [Section("worth", "What the advice is worth", [table])],
        found.record,
        command,
    )


def _page(
    title: str,
    subtitle: str,
    conclusions: list[str],
    sections: list[Section],
    record: Mapping[str, Any],
    command: str | None,
) -> Page:
    summary = Section("summary", "Summary", [Text(text) for text in conclusions])
    last = [run_settings(record), *closing(command, [], [SOURCE])]
    return Page(title, subtitle, [summary, *sections, *last])
