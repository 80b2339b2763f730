"""The reports of a rank aggregation and of the agreement of lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pyfsagg._base.validation import check_integer
from pyfsagg._base.words import (
    count,
    enumerate_names,
    number,
    plural,
    probabilities,
    readable,
    titled,
)
from pyfsagg._report.closing import Report, settings_groups, software
from pyfsagg._report.drawing import picture
from pyfsagg._report.page import Block, PageColumn, PageTable, Section, Text
from pyfsagg._version import __version__
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregation._plot import (
    MOST_DOTS,
    plot_consensus,
    plot_list_agreement,
    plot_list_ranks,
    plot_method_agreement,
    plot_overlap,
    plot_places,
)
from pyfsagg.aggregation._result import (
    Aggregation,
    AggregationComparison,
    PermutationTest,
    item_columns,
)
from pyfsagg.aggregation.agreement import ListAgreement
from pyfsagg.ranks import RankTable

MOST_ROWS = 500
MOST_DRAWN = 20
_REMEDY = (
    "Permutation p-values can respect the dependence: permutations with sources, which name the "
    "origin of each list, keep whatever ties the lists of one origin together. If all lists "
    "have one origin, only the data themselves can help: pyfsagg.aggregation.permutation_p_values "
    "with null, a function that shuffles the target and makes the lists again."
)


def aggregation_page(result: Aggregation, view: Mapping[str, Any]) -> Report:
    """The report of an aggregation."""
    table, comparison, permutation = result._given_table(), result.comparison, result.permutation
    top, adjusted = min(check_integer("top", view["top"], low=1), table.n_items), view["adjusted"]
    sections = [
        Section(
            "ranking",
            "Ranking",
            [_ranking(result, top, adjusted), *_permutation(result, permutation)],
        ),
        Section("pictures", "Pictures", _pictures(table, result)),
    ]
    if comparison is not None:
        sections.append(Section("methods", "Methods", _methods(comparison, top)))
    return Report(
        ("Rank aggregation", "Rank aggregation of {}"),
        f"{plural(table.n_lists, 'list')}, {plural(table.n_items, 'item')}",
        [*sections, Section("lists", "Lists", [_lists(result, top)])],
        settings_groups(result, words=_words(table, result)),
        _references(result, comparison),
        settled={"top": top},
    )


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


def _ranking(result: Aggregation, top: int, adjusted: bool) -> PageTable:
    frame = result.items(adjusted=adjusted)
    shown = frame.head(MOST_ROWS)
    spec = AGGREGATORS.get(result.method)
    direction = "larger" if spec.higher_is_better else "smaller"
    across = f"corrected across items ({result.adjust}), {count(result.n_tests)} of them"
    meanings = {
        "Statistic": f"{readable(spec.name)}, {spec.summary}; {direction} = better; "
        f"range {spec.bounds}",
        "P-value": "chance of so good a value for one item in independent lists",
        "Adjusted p": f"the same, {across}",
        "Permutation p": "share of relabelled items with so high a score",
        "Family-wise permutation p": "share of relabelled tables whose best item scores as high",
        "In lists": "how many hold the item; best and median rank are over these",
    }
    columns = item_columns(shown)
    note = Markup(" ").join(
        Markup("<b>{}</b>: {}.").format(head.title, meanings[head.title])
        for head, _ in columns
        if head.title in meanings
    )
    hidden = len(frame) - len(shown)
    if hidden:
        note += (
            f" The first {count(len(shown))} items are listed; {count(hidden)} more are in "
            "aggregation.csv and in result.to_frame()."
        )
    return PageTable.of_columns(
        f"Items, best first; the best {count(top)} are tinted. Ties share their average rank.",
        columns,
        note,
        header=1,
        tinted=top,
        find="item",
    )


def _permutation(result: Aggregation, permutation: PermutationTest | None) -> list[Block]:
    """What permutation p-values are, or could be."""
    if permutation is None:
        return [] if result.p_values is None else [Text(_REMEDY)]
    smallest = probabilities(permutation.p_values.min(keepdims=True))[0]
    return [
        Text(
            f"The permutation p-values come from {plural(permutation.n_permutations, 'table')} "
            "in which the items of each source were relabelled at random, all lists of a "
            f"source alike. The smallest of them is {smallest}; more permutations can resolve "
            "smaller ones. They respect the dependence inside the sources that were named, "
            "and no other. Labels are drawn from the whole universe, also from the items that "
            "no list holds."
        )
    ]


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
            result,
            n=drawn,
            label=f"Ranks of the {drawn} best items in the single lists; best first: {best}",
            caption=f"{drawn_as}. Bar: median over the lists that hold the item. On the right, if not all "
            f"do: how many. An item whose {wide} owes its place to some lists only.",
        ),
    ]


def _methods(comparison: AggregationComparison, top: int) -> list[Block]:
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
        PageTable(
            f"How many of their best {count(top)} two methods have in common.",
            [PageColumn("Method", numeric=False), *(PageColumn(label) for label in labels)],
            rows,
            "The rank of every item by every method is in comparison.csv.",
        ),
    ]


def _lists(result: Aggregation, top: int) -> PageTable:
    frame = result.lists(top)
    columns = [(PageColumn("List", numeric=False), [str(name) for name in frame.index])]
    if "weight" in frame:
        columns.append((PageColumn("Weight"), [number(weight) for weight in frame["weight"]]))
    titles = {"items": "Items", "universe": "Universe", "in_top": f"Of the best {count(top)}"}
    columns += [
        (PageColumn(title), [count(value) for value in frame[key].tolist()])
        for key, title in titles.items()
    ]
    columns.append((PageColumn("Spearman with the result"), [*map(number, frame["spearman"])]))
    return PageTable.of_columns(
        "The lists, in the order in which they were given.",
        columns,
        "Spearman: rank correlation of the list with the combined ranking, over the items that the "
        "list holds; the list itself has a share in that ranking. A clearly negative value may mean "
        "that a list is sorted worst first.",
        find="list" if len(frame) > 30 else "",
    )


def _references(
    result: Aggregation, comparison: AggregationComparison | None
) -> list[tuple[str, str]]:
    methods = [result.method] if comparison is None else list(comparison.methods)
    return [
        software(__version__),
        *((titled(method), AGGREGATORS.get(method).source) for method in methods),
    ]


DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
REFERENCES = [
    (
        "End of agreement",
        "Hall, Schimek (2012). Moderate-deviation-based inference for random degeneration in paired "
        "rank lists. Journal of the American Statistical Association 107, 661–672",
    ),
    (
        "Rank-biased overlap",
        "Webber, Moffat, Zobel (2010). A similarity measure for indefinite rankings. ACM Transactions "
        "on Information Systems 28, 20",
    ),
]


def agreement_page(result: ListAgreement, view: Mapping[str, Any]) -> Report:
    """The report on how deep lists agree."""
    lists, items = result.data["n_lists"], result.data["n_items"]
    sections = [
        Section("curve", "Common items by depth", _curve(result), short="Curve"),
        Section("pairs", "Pairs of lists", [result._pair_table(MOST_ROWS)], short="Pairs"),
        Section("reading", "How to read it", _reading(result)),
    ]
    return Report(
        ("Agreement of lists", "Agreement of the lists in {}"),
        f"{plural(lists, 'list')}, {plural(items, 'item')}",
        sections,
        settings_groups(result),
        [software(__version__), *REFERENCES],
    )


def _curve(result: ListAgreement) -> list[Block]:
    drawn = picture(
        "Common items by depth",
        "agreement",
        plot_list_agreement,
        result,
        label="Line: share of common items among the first places of two lists, by depth",
        caption="Line: of the first so many places of two lists the share of items that both have, mean over "
        "the pairs; band: all pairs. Upright line: the largest place of a pair at which agreement "
        "ends. Dots on the right: rank-biased overlap of each pair, on a bar from its least to its "
        "largest possible value.",
    )
    depths = [depth for depth in DEPTHS if depth < len(result.curve)] + [len(result.curve)]
    shown = result.curve.iloc[[depth - 1 for depth in depths]]
    columns = [
        (PageColumn("Depth"), [*map(count, depths)]),
        (PageColumn("Mean"), [*map(number, shown["mean"])]),
        (PageColumn("Lowest pair"), [*map(number, shown["lowest"])]),
        (PageColumn("Highest pair"), [*map(number, shown["highest"])]),
    ]
    table = PageTable.of_columns(
        "Share of common items among the first places of two lists.",
        columns,
        "Every depth is in curve.csv. A list that has ended stays as it is, so that beyond the end of "
        "short lists the share falls.",
    )
    return [drawn, table]


def _reading(result: ListAgreement) -> list[Block]:
    settings = result.parameters
    end = (
        "An item of a list is confirmed if the other list has it within "
        f"{plural(settings['distance'], 'place')}. The rule walks down and up again over stretches of "
        f"{plural(settings['pilot'], 'place')}, and finds where confirmed items cease to be the "
        "majority by more than chance deviates. It is an estimate without an error bound, and depends "
        "on both numbers: try others."
    )
    overlap = (
        "The share of common items, averaged over all depths with weights that fall by the factor "
        f"{settings['persistence']:g} from place to place: the first "
        f"{1 / (1 - settings['persistence']):.0f} places carry most of it. 0: nothing in common, 1: "
        "the same list."
    )
    return [
        Text(Markup("<b>Where agreement ends.</b> {}").format(end)),
        Text(Markup("<b>Rank-biased overlap.</b> {}").format(overlap)),
        Text(
            "Neither is a test of chance: of long lists over few items the share of common items is "
            "large in any case."
        ),
    ]
