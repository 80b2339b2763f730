"""The pictures and the pages of aggregated lists, and of how far lists agree."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes

from pyfsagg._base.arithmetic import Indices
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
from pyfsagg._report import closing, drawing
from pyfsagg._report.drawing import picture
from pyfsagg._report.page import Block, PageColumn, PageTable, Section, Text
from pyfsagg._version import __version__
from pyfsagg.aggregation import _base, _result
from pyfsagg.aggregation._result import Aggregation
from pyfsagg.aggregation.agreement import ListAgreement
from pyfsagg.ranks import Rankings

MOST_DOTS = 60  # lists; beyond, dots are a smear and an interval says more
LOGARITHMIC_FROM = 50  # chosen: rank above which the axis is logarithmic
SMALLEST_P = 1e-300  # what is left of a p-value that underflows


def plot_consensus(result: Aggregation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """The best items with their p-values, or with the statistic if the method has none.

    A filled dot is −log10 of the p-value of the item by itself (at least 1e-300), an open one that of
    the p-value adjusted across items; beyond the dashed line it is below 0.05.
    """
    best = _best(result, n)
    ax, rows = drawing.feature_rows(ax, [result.names[j] for j in best], 1.5, 0.24)
    if result.p_values is not None and result.adjusted_p_values is not None:
        both = np.array([result.p_values, result.adjusted_p_values])[:, best]
        single, adjusted = -np.log10(np.maximum(both, SMALLEST_P))
        ax.hlines(rows, adjusted, single, color=drawing.BLUE, linewidth=1.2)
        dots: dict[str, Any] = {"color": drawing.BLUE, "markersize": 6.0}
        ax.plot(single, rows, "o", **dots, label="p-value")
        ax.plot(adjusted, rows, "o", **dots, mfc="white", label="adjusted p-value")
        dashes: dict[str, Any] = {"linestyle": (0, (4, 3)), "linewidth": 1.0}
        ax.axvline(-np.log10(0.05), color=drawing.INK, label="p = 0.05", **dashes)
        ax.set_xlim(left=min(-0.05, -0.03 * float(single.max())))
        ax.set_xlabel("−log10 of the p-value (larger = less expected by chance)")
        drawing.legend_above(ax)
    else:
        ax.plot(result.statistic[best], rows, "o", color=drawing.BLUE, markersize=6.0)
        direction = "larger" if result.higher_is_better else "smaller"
        ax.set_xlabel(f"{readable(result.method)} ({direction} = better)")
    drawing.clear_frame(ax, grid="x")
    drawing.set_title(ax, _title(readable(result.method), len(best), result), above_legend=True)
    return ax


def plot_list_ranks(result: Aggregation, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """Ranks of the best items in the single lists.

    A dot is the rank in one list; beyond 60 lists a line from the 2.5 % to the 97.5 % quantile takes
    their place.  The bar is the median over the lists that contain the item, counted on the right.
    """
    table, best = result._given_table(), _best(result, n)
    ranks = table.ranks[:, best]
    ax, rows = drawing.feature_rows(ax, [result.names[j] for j in best], 1.5, 0.24)
    if table.n_lists > MOST_DOTS:
        low, high = np.nanquantile(ranks, (0.025, 0.975), axis=0)
        ax.hlines(rows, low, high, color=drawing.BLUE, linewidth=2.0, label="95 % of the lists")
    else:
        i, j = np.nonzero(~np.isnan(ranks))
        # Lists stand one below the other, so equal ranks do not hide one another.
        shift = (i - (table.n_lists - 1) / 2) * 0.5 / max(table.n_lists - 1, 1)
        dots: dict[str, Any] = {"color": drawing.BLUE, "ms": 4.5, "mew": 0, "alpha": 0.45}
        ax.plot(ranks[i, j], j + shift, "o", label="rank in a list", **dots)
    median = np.nanmedian(ranks, axis=0)
    ax.vlines(median, rows - 0.36, rows + 0.36, color=drawing.ORANGE, linewidth=2.4, label="median")
    rank_axis(ax, float(np.nanmax(ranks)))
    held = (~np.isnan(ranks)).sum(axis=0)
    if (held < table.n_lists).any():
        for row, count in zip(rows.tolist(), held.tolist(), strict=True):
            drawing.write_at_right(ax, row, f"in {count:,} of {table.n_lists:,}")
    return drawing.finished(ax, _title("Ranks", len(best), result), grid="x")


def _best(result: Aggregation, n: int) -> Indices:
    return result._order()[: check_integer("n", n, low=1)]


def rank_axis(ax: Axes, high: float) -> None:
    """Ranks from 1 along x; logarithmic where there are many."""
    ax.set_xlabel("Rank in a list (1 = best)")
    if high > LOGARITHMIC_FROM:
        ticks = [step * 10**power for power in range(len(str(int(high)))) for step in (1, 3)]
        drawing.log_ticks(ax, [tick for tick in ticks if tick <= high])
        ax.set_xlim(0.9, high * 1.1)
    else:
        margin = max(0.5, 0.03 * high)
        ax.set_xlim(1.0 - margin, high + margin)
        ax.set_xticks(drawing.number_ticks(high))


def _title(what: str, shown: int, result: Aggregation) -> str:
    which = f"the {shown} best" if shown < len(result.names) else f"all {shown}"
    plural = "" if result.n_lists == 1 else "s"
    return f"{what[:1].upper()}{what[1:]} of {which} items, {result.n_lists:,} list{plural}"


AGGREGATION_PLOTS: dict[str, Callable[..., Axes]] = {
    "consensus": plot_consensus,
    "list_ranks": plot_list_ranks,
}


def plot_list_agreement(agreement: ListAgreement, *, ax: Axes | None = None) -> Axes:
    """Share of common items by depth, the place where agreement ends, and rank-biased overlap.

    The band covers all pairs of lists; the bars at the right show the extrapolated overlap of
    each pair between its smallest and largest possible value; of more than 200 pairs some, evenly spaced.
    """
    axes = drawing.new_axes(ax, 4.2)
    curve = agreement.curve
    axes.fill_between(
        curve.index, curve["lowest"], curve["highest"], color=drawing.BLUE, alpha=0.18, lw=0
    )
    label = "mean over the pairs of lists (band: all pairs)"
    axes.plot(curve.index, curve["mean"], color=drawing.BLUE, label=label)
    if agreement.k is not None:
        label = f"agreement ends: place {agreement.k}"
        axes.axvline(agreement.k, color=drawing.ORANGE, lw=1.4, label=label)
    depth = len(curve)
    axes.set_xscale("log")
    axes.set_xlim(1, depth * 1.7)
    pairs = agreement.pairs.iloc[::2].sort_values("rbo")
    pairs = pairs.iloc[:: math.ceil(len(pairs) / 200)]
    at = depth * (1.1 + 0.5 * (np.arange(len(pairs)) + 0.5) / len(pairs))
    axes.vlines(at, pairs["rbo_low"], pairs["rbo_high"], color=drawing.GREY, lw=1.2)
    label = "rank-biased overlap of a pair, and its limits"
    axes.plot(at, pairs["rbo"], "o", color=drawing.INK, ms=3.5, label=label)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("First places of each list (depth)")
    axes.set_ylabel("Share of common items")
    return drawing.finished(axes, "How deep the lists agree", grid="y", columns=1, lines=3)


MOST_SIZES = 60  # values of k at which an overlap is computed


def plot_method_agreement(
    comparison: _result.AggregationComparison, *, ax: Axes | None = None
) -> Axes:
    """Heat map of Kendall's tau-b between the rankings of two methods."""
    labels = [readable(method) for method in comparison.methods]
    ax = drawing.new_axes(ax, 1.6 + 0.5 * len(labels))
    drawing.draw_correlations(ax, comparison.kendall().to_numpy(), labels)
    ax.set_xlabel("Kendall rank correlation, tau-b (−1 to 1)")
    drawing.set_title(ax, "Agreement of the methods")
    return ax


def plot_places(
    comparison: _result.AggregationComparison, *, n: int = 10, ax: Axes | None = None
) -> Axes:
    """Bump chart: the places of the best items from method to method.

    Every item that some method has among its best `n` is a line.  Where it is not among them, its
    line goes to the strip below the last place.  Ties are in the order of the table.
    """
    n = min(check_integer("n", n, low=1), len(comparison.names))
    places = comparison.places
    shown = np.flatnonzero((places <= n).any(axis=0))
    shown = shown[np.lexsort((shown, places[0, shown]))]
    below = n + 1.0
    x = np.arange(len(places))
    ax = drawing.new_axes(ax, 1.5 + 0.3 * n)
    ax.axhspan(n + 0.5, n + 1.5, color="#F0F0F0", linewidth=0)
    for position, item in enumerate(shown.tolist()):
        y = np.where(places[:, item] <= n, places[:, item], below)
        colour, _ = drawing.look(position)
        # A line that stays below is no news, and one on its way there steps back.
        among = np.where(y < below, y, np.nan)
        ax.plot(x, y, "-", color=colour, linewidth=1.2, alpha=0.3)
        ax.plot(x, among, "o-", color=colour, linewidth=2.2, markersize=6.0)
        # The name is at the right end, or at the last point of what starts and ends below.
        last = int(np.flatnonzero(y < below)[-1])
        name, end = drawing.feature_label(comparison.names[item], 22), (last, y[last])
        if y[-1] < below:
            look: dict[str, Any] = {"fontsize": None, "va": "center", "annotation_clip": False}
            drawing.write_beside(ax, name, end, (8, 0), **look)
        elif y[0] == below:
            drawing.write_beside(ax, name, end, (0, 6), ha="center")
    ax.set_ylim(n + 1.5, 0.5)
    first = [comparison.names[item] for item in np.argsort(places[0])[:n].tolist()]
    ticks = [f"{drawing.feature_label(name, 22)}  {k}" for k, name in enumerate(first, start=1)]
    ax.set_yticks([*range(1, n + 1), below], [*ticks, f"> {n}"], parse_math=False)
    labels = [drawing.feature_label(readable(method)) for method in comparison.methods]
    ax.set_xticks(x, labels, rotation=20, ha="right")
    ax.set_xlim(-0.15, len(x) - 0.85)
    ax.tick_params(length=0)
    ax.tick_params(axis="y", pad=6)
    ax.spines[:].set_visible(False)
    ax.set_ylabel("Place (1 = best)")
    drawing.set_title(ax, f"The best {n} of each method")
    return ax


def plot_overlap(
    comparison: _result.AggregationComparison, *, n: int | None = None, ax: Axes | None = None
) -> Axes:
    """Overlap of the best k items of each method with those of the first method, for every k.

    The dotted line is the share that a random ranking has on average, k/p.
    """
    p = len(comparison.names)
    n = p if n is None else min(check_integer("n", n, low=1), p)
    sizes = np.arange(1, n + 1)
    if n > MOST_SIZES:
        sizes = np.unique(np.geomspace(1, n, MOST_SIZES).round().astype(np.intp))
    ax = drawing.new_axes(ax, 3.4)
    first, *others = comparison.places
    for position, (method, places) in enumerate(zip(comparison.methods[1:], others, strict=True)):
        # An item is among the best k of both from the larger of its two places on.
        joint = np.searchsorted(np.sort(np.maximum(first, places)), sizes, side="right")
        colour, marker = drawing.look(position)
        line = f"{marker}{'-' if position % 2 == 0 else '--'}"
        marked = (position, 5) if len(sizes) > 20 else None
        look: dict[str, Any] = {"color": colour, "markersize": 4.0, "markevery": marked}
        ax.plot(sizes, joint / sizes, line, label=readable(method), **look)
    ax.plot(sizes, sizes / p, ":", color=drawing.GREY, label="by chance")
    ax.set_ylim(-0.03, 1.05)
    rank_axis(ax, float(n))
    ax.set_xlabel("k (how many of the best items)")
    ax.set_ylabel(f"Shared with {readable(comparison.methods[0])}")
    drawing.clear_frame(ax, grid="y")
    drawing.set_title(ax, "Overlap of the best k", above_legend=True)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return ax


COMPARISON_PLOTS: dict[str, Callable[..., Axes]] = {
    "agreement": plot_method_agreement,
    "places": plot_places,
    "overlap": plot_overlap,
}


MOST_ROWS = 500
MOST_DRAWN = 20
_REMEDY = (
    "Permutation p-values can respect the dependence: with sources, which name the origin of each list, "
    "they keep the dependence within an origin. If all lists have one origin, use "
    "pyfsagg.aggregation.permutation_p_values with null, a function that shuffles the target and makes "
    "the lists again."
)


def aggregation_page(result: Aggregation, view: Mapping[str, Any]) -> closing.Report:
    """The report of an aggregation."""
    table, comparison, permutation = result._given_table(), result.comparison, result.permutation
    top, adjusted = min(check_integer("top", view["top"], low=1), table.n_items), view["adjusted"]
    ranking: list[Block] = [_ranking(result, top, adjusted)]
    if permutation is not None:
        smallest = probabilities(permutation.p_values.min(keepdims=True))[0]
        about = (
            f"The permutation p-values come from {plural(permutation.n_permutations, 'table')} "
            "in which the items of each source were relabelled at random, in all its lists alike. The "
            f"smallest is {smallest}; more permutations can resolve smaller ones. They respect the "
            "dependence within the named sources, and no other. Labels are drawn from the whole universe."
        )
        ranking.append(Text(about))
    elif result.p_values is not None:
        ranking.append(Text(_REMEDY))
    sections = [
        Section("ranking", "Ranking", ranking),
        Section("pictures", "Pictures", _pictures(table, result)),
    ]
    methods = [result.method]
    if comparison is not None:
        methods = list(comparison.methods)
        sections.append(Section("methods", "Methods", _methods(comparison, top)))
    words = {}  # of settings that deserve others than their value
    if result.parameters.get("universe", 0) is None and table.absent == "worst":
        words["universe"] = f"{table.n_items} (not given: all different names)"
    if "files" in result.data:
        files = (*result.data["files"], *result.data.get("unranked", ()))
        words["files"] = enumerate_names([Path(file).name for file in files])
    sources = [(titled(method), _base.AGGREGATORS.get(method).source) for method in methods]
    return closing.Report(
        ("Rank aggregation", "Rank aggregation of {}"),
        f"{plural(table.n_lists, 'list')}, {plural(table.n_items, 'item')}",
        [*sections, Section("lists", "Lists", [_lists(result, top)])],
        closing.settings_groups(result, words=words),
        [closing.software(__version__), *sources],
        settled={"top": top},
    )


def _ranking(result: Aggregation, top: int, adjusted: bool) -> PageTable:
    frame = result.items(adjusted=adjusted)
    shown = frame.head(MOST_ROWS)
    spec = _base.AGGREGATORS.get(result.method)
    direction = "larger" if spec.higher_is_better else "smaller"
    across = f"corrected across items ({result.p_adjust}), {count(result.n_tests)} of them"
    meanings = {
        "Statistic": f"{readable(spec.name)}, {spec.summary}; {direction} = better; "
        f"range {spec.bounds}",
        "P-value": "probability of such a value for one item in independent lists",
        "Adjusted p": f"the same, {across}",
        "Permutation p": "share of relabelled items with at least this score",
        "Family-wise permutation p": "share of relabelled tables whose best item has at least this score",
        "In lists": "number of lists with the item; best and median rank are over these",
    }
    columns = _result.item_columns(shown)
    note = Markup(" ").join(
        Markup("<b>{}</b>: {}.").format(head.title, meanings[head.title])
        for head, _ in columns
        if head.title in meanings
    )
    if hidden := len(frame) - len(shown):
        note += (
            f" The first {count(len(shown))} items are listed; {count(hidden)} more are in "
            "aggregation.csv and in result.to_frame()."
        )
    caption = f"Items, best first; the best {count(top)} are tinted. Ties share their average rank."
    return PageTable.of_columns(caption, columns, note, header=1, tinted=top, find="item")


def _pictures(table: Rankings, result: Aggregation) -> list[Block]:
    drawn = min(MOST_DRAWN, table.n_items)
    best = ", ".join(result.select(min(3, drawn)))
    about, consensus = "values", f"{titled(result.method)} of the best items."
    if result.p_values is not None:
        about, consensus = (
            "p-values",
            "Filled dot: −log10 of the p-value; open dot: adjusted across ",
        )
        consensus += "items. Beyond the dashed line a p-value is below 0.05."
    wide, drawn_as = "dots lie wide apart", "Dot: rank in one list"
    if table.n_lists > MOST_DOTS:
        wide, drawn_as = "line is long", "Line: from the 2.5 % to the 97.5 % quantile of the ranks"
    return [
        picture(
            "Values of the best items",
            "consensus",
            plot_consensus,
            result,
            n=drawn,
            label=f"The {drawn} best items by their {about}; best first: {best}",
            caption=f"{consensus} Gaps between items are natural places for a cut.",
        ),
        picture(
            "Ranks in the lists",
            "list-ranks",
            plot_list_ranks,
            result,
            n=drawn,
            label=f"Ranks of the {drawn} best items in the single lists; best first: {best}",
            caption=f"{drawn_as}. Bar: median over the lists that contain the item. On the right, if not all "
            f"do: how many. An item whose {wide} owes its place to a few lists.",
        ),
    ]


def _methods(comparison: _result.AggregationComparison, top: int) -> list[Block]:
    labels = [readable(method) for method in comparison.methods]
    lines = comparison.overlap(top).to_numpy().tolist()
    rows = [[label, *map(count, line)] for label, line in zip(labels, lines, strict=True)]
    return [
        picture(
            "Agreement of the methods",
            "agreement",
            plot_method_agreement,
            comparison,
            label="Heat map of Kendall's tau between the methods",
            caption="Kendall’s rank correlation (tau-b) between the rankings of all items by two methods. "
            "1: same ranking, 0: unrelated, −1: reversed.",
        ),
        picture(
            f"Places of the best {count(top)}",
            "places",
            plot_places,
            comparison,
            n=top,
            label=f"Bump chart: places of the best {top} items from method to method",
            caption=f"Every item that some method has among its best {count(top)}; left: the order of "
            f"{labels[0]}. Pale lines lead to items that are not among them. Ties are in the order of "
            "the lists.",
        ),
        picture(
            "Overlap of the best k",
            "overlap",
            plot_overlap,
            comparison,
            label=f"Lines: share of the best k items in common with {labels[0]}, for every k",
            caption=f"Share of the best k items of {labels[0]} that are also among the best k of "
            "another method. Dotted: the expected share for a random ranking.",
        ),
        PageTable(
            f"Number of common items among the best {count(top)} of two methods.",
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
        "The lists, in the given order.",
        columns,
        "Spearman: rank correlation of the list with the combined ranking, to which it contributes, "
        "over the items of the list. A clearly negative value may mean that a list is sorted worst "
        "first.",
        find="list" if len(frame) > 30 else "",
    )


DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
REFERENCES = {
    "End of agreement": "Hall, Schimek (2012). Moderate-deviation-based inference for random degeneration in "
    "paired rank lists. Journal of the American Statistical Association 107, 661–672",
    "Rank-biased overlap": "Webber, Moffat, Zobel (2010). A similarity measure for indefinite rankings. ACM "
    "Transactions on Information Systems 28, 20",
}


def agreement_page(result: ListAgreement, view: Mapping[str, Any]) -> closing.Report:
    """The report on how deep lists agree."""
    lists, items = result.data["n_lists"], result.data["n_items"]
    drawn = picture(
        "Common items by depth",
        "agreement",
        plot_list_agreement,
        result,
        label="Line: share of common items among the first places of two lists, by depth",
        caption="Line: share of common items among the first places of two lists, mean over the pairs; "
        "band: all pairs. Vertical line: the largest place of a pair at which agreement ends. Dots "
        "on the right: rank-biased overlap of each pair, on a bar from its least to its "
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
        "Every depth is in curve.csv. Beyond the end of short lists the share falls.",
    )
    settings = result.parameters
    end = (
        "An item of a list is confirmed if the other list has it within "
        f"{plural(settings['distance'], 'place')}. The rule goes down and up again over stretches of "
        f"{plural(settings['pilot'], 'place')}, and finds where confirmed items are no longer the "
        "majority, beyond chance deviations. It is an estimate without an error bound, and depends on "
        "both numbers: try others."
    )
    overlap = (
        "The share of common items, averaged over all depths with weights that decrease by the factor "
        f"{settings['persistence']:g} from place to place: the first "
        f"{1 / (1 - settings['persistence']):.0f} places have most of the weight. 0: nothing in common, "
        "1: the same list."
    )
    reading = [
        Text(Markup("<b>Where agreement ends.</b> {}").format(end)),
        Text(Markup("<b>Rank-biased overlap.</b> {}").format(overlap)),
        Text("Neither is a test: long lists of few items always share many of them."),
    ]
    sections = [
        Section("curve", "Common items by depth", [drawn, table], short="Curve"),
        Section("pairs", "Pairs of lists", [result._pair_table(MOST_ROWS)], short="Pairs"),
        Section("reading", "How to read it", reading),
    ]
    return closing.Report(
        ("Agreement of lists", "Agreement of the lists in {}"),
        f"{plural(lists, 'list')}, {plural(items, 'item')}",
        sections,
        closing.settings_groups(result),
        [closing.software(__version__), *REFERENCES.items()],
    )
