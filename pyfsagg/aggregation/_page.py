"""The report of a rank aggregation: what was combined, what came out, how far to trust it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._base.words import (
    count,
    enumerate_names,
    number,
    numbers,
    plural,
    probabilities,
    ranks,
    readable,
    titled,
)
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.page import (
    Block,
    Column,
    Page,
    Section,
    Table,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregation._plot import MOST_DOTS, plot_consensus, plot_list_ranks
from pyfsagg.aggregation._plot_comparison import plot_method_agreement, plot_overlap, plot_places
from pyfsagg.aggregation._result import INDEPENDENCE, Aggregation, Comparison, PermutationTest
from pyfsagg.ranks import RankTable

__all__ = ["aggregation_page"]

MOST_ROWS = 500
MOST_DRAWN = 20
_REMEDY = (
    "Permutation p-values can respect the dependence: permutations with sources, which name the "
    "origin of each list, keep whatever ties the lists of one origin together. If all lists "
    "have one origin, only the data themselves can help: pyfsagg.aggregation.permutation_p_values "
    "with null, a function that shuffles the target and makes the lists again."
)


def aggregation_page(
    result: Aggregation,
    *,
    top: int = 10,
    adjusted: bool = True,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of an aggregation as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : Aggregation
        With its lists; its permutation test and its comparison are shown if there are any.
    top : int
        How many of the best items the text and the comparison are about.
    adjusted : bool
        Whether p-values adjusted across items are shown.
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 500 items are listed.

    Raises
    ------
    DataError
        If the result does not hold its lists.
    ParameterError
        If `top` is below 1.

    Examples
    --------
    >>> from pyfsagg import RankTable, aggregate
    >>> table = RankTable.from_lists([["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"]])
    >>> aggregation_page(aggregate(table, "mean_rank")).title
    'Rank aggregation'
    """
    table, comparison, permutation = result.given_table(), result.comparison, result.permutation
    top = min(check_integer("top", top, low=1), table.n_items)
    view = result.full_view({"top": top, "adjusted": adjusted, "reading": reading})
    sections = [
        Section(
            "summary",
            "Summary",
            [
                *(Text(Markup("<b>{}</b>").format(each)) for each in result.answer(adjusted)),
                Text(_summary(table, result, top)),
            ],
        ),
        Section(
            "ranking",
            "Ranking",
            [
                _ranking(result.items(), result, top, adjusted),
                *_significance(result, permutation, adjusted),
            ],
        ),
        Section("pictures", "Pictures", _pictures(table, result)),
    ]
    if comparison is not None:
        sections.append(Section("methods", "Methods", _methods(comparison, top)))
    sections += [
        Section("lists", "Lists", [_lists(result, top)]),
        *closing(
            settings_groups(result, words=_words(table, result)),
            _references(result, comparison),
            command=command,
            code=result.code(view),
        ),
    ]
    title = f"Rank aggregation of {data_name}" if data_name else "Rank aggregation"
    subtitle = f"{plural(table.n_lists, 'list')}, {plural(table.n_items, 'item')}"
    return Page(title, subtitle, sections)


def _words(table: RankTable, result: Aggregation) -> dict[str, str]:
    """Settings that deserve other words than their value."""
    words = {}
    if result.parameters.get("universe", 0) is None and not table.full:
        words["universe"] = f"{table.n_items} (not given: all different names)"
    if "files" in result.data:
        words["files"] = enumerate_names(
            [Path(file).name for file in (*result.data["files"], *result.data.get("unranked", ()))]
        )
    return words


def _summary(table: RankTable, result: Aggregation, top: int) -> str:
    spec = AGGREGATORS.get(result.method)
    held = (~table.missing).sum(axis=1)
    absent = ""
    if table.missing.any():
        absent = (
            " An item that is not in a list has no rank in it."
            if table.full
            else " An item that is not in a list counts as worse than all items in it."
        )
    universe = (
        "each list is its own universe"
        if table.full
        else f"out of a universe of {_span(table.sizes.astype(np.int64))}"
    )
    everywhere = int((~table.missing).all(axis=0).sum())
    common = (
        "the same in all lists"
        if everywhere == table.n_items
        else f"{plural(table.n_items, 'different item')}, of which every list holds "
        f"{count(everywhere)}"
    )
    return Markup(
        "{} of {} items ({}): {}.{} They were combined by {}: {}. <b>The best {}:</b> {}."
    ).format(
        plural(table.n_lists, "list"),
        _span(held),
        universe,
        common,
        absent,
        readable(spec.name),
        spec.summary,
        count(top),
        enumerate_names(result.select(top), most=20),
    )


def _span(values: NDArray[np.int64]) -> str:
    low, high = int(values.min()), int(values.max())
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _ranking(frame: pd.DataFrame, result: Aggregation, top: int, adjusted: bool) -> Table:
    shown = frame.head(MOST_ROWS)
    spec = AGGREGATORS.get(result.method)
    small = spec.bounds == "[0, 1]" and not spec.higher_is_better
    columns = [
        (Column("Rank"), ranks(shown["ranking"])),
        (Column("Item", numeric=False), [str(name) for name in shown.index]),
        (
            Column(titled(spec.name)),
            (probabilities if small else numbers)(shown["statistic"]),
        ),
    ]
    meanings = [
        (
            titled(spec.name),
            f"{spec.summary}; "
            f"{'larger' if spec.higher_is_better else 'smaller'} = better; range {spec.bounds}",
        )
    ]
    if "p_value" in shown:
        columns.append((Column("P-value"), probabilities(shown["p_value"])))
        meanings.append(("P-value", "chance of so good a value for one item in independent lists"))
        if adjusted:
            columns.append((Column("Adjusted p"), probabilities(shown["adjusted_p_value"])))
            across = f"the same, corrected across items ({result.adjust}), {count(result.n_tests)}"
            meanings.append(("Adjusted p", f"{across} of them"))
    if "permutation_p_value" in shown:
        columns += [
            (Column("Permutation p"), probabilities(shown["permutation_p_value"])),
            (
                Column("Family-wise permutation p"),
                probabilities(shown["permutation_family_wise_p_value"]),
            ),
        ]
        meanings += [
            ("Permutation p", "share of relabelled items with so high a score"),
            (
                "Family-wise permutation p",
                "share of relabelled tables whose best item scores as high",
            ),
        ]
    columns += [
        (Column("In lists"), [count(value) for value in shown["n_lists"].tolist()]),
        (Column("Best rank"), ranks(shown["best_rank"])),
        (Column("Median rank"), ranks(shown["median_rank"])),
    ]
    meanings.append(("In lists, best and median rank", "over the lists that hold the item"))
    hidden = len(frame) - len(shown)
    where = (
        f"The first {count(len(shown))} items are listed; {count(hidden)} more are in "
        "aggregation.csv and in result.to_frame(). "
        if hidden
        else ""
    )
    note = Markup(" ").join(
        [Markup("{}").format(where), *(Markup("<b>{}</b>: {}.").format(*each) for each in meanings)]
    )
    return Table.of_columns(
        f"Items, best first; the best {count(top)} are tinted. Ties share their average rank.",
        columns,
        note,
        header=1,
        tinted=top,
        find="item",
    )


def _significance(
    result: Aggregation, permutation: PermutationTest | None, adjusted: bool
) -> list[Block]:
    if result.p_values is None and permutation is None:
        return [Text(remark) for remark in result.remarks]
    blocks: list[Block] = []
    if result.p_values is not None:
        blocks.append(Text(Markup("<b>How far to trust the p-values.</b> {}").format(INDEPENDENCE)))
    blocks += [Text(remark) for remark in result.about_p_values(adjusted)]
    if permutation is None:
        blocks.append(Text(_REMEDY))
    else:
        smallest = probabilities(permutation.p_values.min(keepdims=True))[0]
        blocks.append(
            Text(
                f"The permutation p-values come from {plural(permutation.n_permutations, 'table')} "
                "in which the items of each source were relabelled at random, all lists of a "
                f"source alike. The smallest of them is {smallest}; more permutations can resolve "
                "smaller ones. They respect the dependence inside the sources that were named, "
                "and no other. Labels are drawn from the whole universe, also from the items that "
                "no list holds."
            )
        )
    return blocks


def _pictures(table: RankTable, result: Aggregation) -> list[Block]:
    drawn = min(MOST_DRAWN, table.n_items)
    best = ", ".join(result.select(min(3, drawn)))
    about = "p-values" if result.p_values is not None else "values"
    consensus = (
        "Filled dot: −log10 of the p-value; open dot: adjusted across items. Beyond the dashed line "
        "a p-value is below 0.05. Gaps between items are natural places for a cut."
        if result.p_values is not None
        else f"{titled(result.method)} of the best items. Gaps between items are "
        "natural places for a cut."
    )
    wide, drawn_as = (
        ("line is long", "Line: from the 2.5 % to the 97.5 % quantile of the ranks")
        if table.n_lists > MOST_DOTS
        else ("dots lie wide apart", "Dot: rank in one list")
    )
    return [
        picture(
            "Values of the best items",
            "consensus",
            plot_consensus,
            result,
            n=drawn,
            label=f"The {drawn} best items by their {about}; best first: {best}",
            caption=consensus,
        ),
        picture(
            "Ranks in the lists",
            "list-ranks",
            plot_list_ranks,
            *(table, result),
            n=drawn,
            label=f"Ranks of the {drawn} best items in the single lists; best first: {best}",
            caption=f"{drawn_as}. Bar: median over the lists that hold the item. On the right, if not all "
            f"do: how many. An item whose {wide} owes its place to some lists only.",
        ),
    ]


def _methods(comparison: Comparison, top: int) -> list[Block]:
    labels = [readable(method) for method in comparison.methods]
    overlap = comparison.overlap(top).to_numpy()
    rows = [
        [label, *(count(value) for value in line)]
        for label, line in zip(labels, overlap.tolist(), strict=True)
    ]
    return [
        picture(
            "Agreement of the methods",
            "agreement",
            plot_method_agreement,
            comparison,
            label="Heat map of Kendall's tau between the methods",
            caption="Kendall’s rank correlation (tau-b) between the rankings of all items by two methods. "
            "1: same ranking. 0: no relation. −1: reversed.",
        ),
        picture(
            f"Places of the best {count(top)}",
            "places",
            plot_places,
            comparison,
            n=top,
            label=f"Bump chart: places of the best {top} items from method to method",
            caption=f"Every item that some method has among its best {count(top)}; left: the order of "
            f"{labels[0]}. Pale lines lead to items that are no longer among them. Ties are in the "
            "order of the lists.",
        ),
        picture(
            "Overlap of the best k",
            "overlap",
            plot_overlap,
            comparison,
            label=f"Lines: share of the best k items in common with {labels[0]}, for every k",
            caption=f"Share of the best k items of {labels[0]} that another method has among its best k "
            "too. Dotted: what a random ranking would share on average.",
        ),
        Table(
            f"How many of their best {count(top)} two methods have in common.",
            [Column("Method", numeric=False), *(Column(label) for label in labels)],
            rows,
            "The rank of every item by every method is in comparison.csv.",
        ),
    ]


def _lists(result: Aggregation, top: int) -> Table:
    frame = result.lists(top)
    weighted = [number(weight) for weight in frame["weight"]] if "weight" in frame else None
    return Table(
        "The lists, in the order in which they were given.",
        [
            Column("List", numeric=False),
            *([] if weighted is None else [Column("Weight")]),
            Column("Items"),
            Column("Universe"),
            Column(f"Of the best {count(top)}"),
            Column("Spearman with the result"),
        ],
        list(
            zip(
                [str(name) for name in frame.index],
                *([] if weighted is None else [weighted]),
                *(map(count, frame[key].tolist()) for key in ("items", "universe", "in_top")),
                map(number, frame["spearman"].tolist()),
                strict=True,
            )
        ),
        "Spearman: rank correlation of the list with the combined ranking, over the items that the "
        "list holds; the list itself has a share in that ranking. A clearly negative value may mean "
        "that a list is sorted worst first.",
        find="list" if len(frame) > 30 else "",
    )


def _references(result: Aggregation, comparison: Comparison | None) -> list[tuple[str, str]]:
    methods = [result.method] if comparison is None else list(comparison.methods)
    return [
        software(__version__),
        *((titled(method), AGGREGATORS.get(method).source) for method in methods),
    ]
