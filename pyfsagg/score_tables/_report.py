"""The page and the pictures of standings."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._base.words import count, number, numbers, plural, probabilities, readable
from pyfsagg._report import drawing
from pyfsagg._report.closing import Report, settings_groups, software
from pyfsagg._report.page import Block, PageColumn, PageTable, Section, Text
from pyfsagg._version import __version__
from pyfsagg.exceptions import DataError
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import MOST_LEFT_OUT, Standings, percent
from pyfsagg.statistics import RankConfidence, critical_difference

MOST_DRAWN, MOST_TILES, MOST_ROWS = 40, 20, 500
REFERENCES = {
    "Sets of places": "Mogstad, Romano, Shaikh, Wilhelm (2024). Inference for ranks with applications to "
    "mobility across neighbourhoods and academic achievement across countries. Review of Economic Studies 91",
    "Average ranks": "Demšar (2006). JMLR 7, 1–30",
    "Correction for all pairs": "Holm (1979). Scandinavian Journal of Statistics 6, 65–70",
    "Holes": "Skillings, Mack (1981). Technometrics 23, 171–177",
    "Folds": "Nadeau, Bengio (2003). Machine Learning 52, 239–281",
    "Probabilities of equivalence": "Benavoli, Corani, Demšar, Zaffalon (2017). JMLR 18, 1–36",
}


def plot_place_sets(
    result: Standings, *, population: str | None = None, n: int = 30, ax: Axes | None = None
) -> Axes:
    """Sets of places of the first `n` methods: of each alone (thick) and of all together (thin)."""
    sets = result.sets(population)
    shown = result._order[: check_integer("n", n, low=1)]
    ax, rows = drawing.feature_rows(ax, [result.methods[j] for j in shown], 1.3, 0.26)
    ax.hlines(rows, sets.lower_all[shown], sets.upper_all[shown], color=drawing.GREY, linewidth=1.2)
    ax.hlines(
        rows, sets.lower[shown], sets.upper[shown], color=drawing.BLUE, linewidth=4.0, alpha=0.5
    )
    label = "place; thick: set of one method, thin: sets of all"
    ax.plot(sets.ranks[shown], rows, "o", color=drawing.INK, ms=5.0, label=label)
    ax.set_xlabel("Place")
    ax.set_xlim(0.5, float(sets.upper_all[shown].max()) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return drawing.finished(ax, f"Places of {plural(len(shown), 'method')}", grid="x")


def plot_average_ranks(result: Standings, *, ax: Axes | None = None) -> Axes:
    """The critical-difference diagram of the data sets that all methods have."""
    cells = pd.DataFrame(result.cells, columns=list(result.methods), index=list(result.datasets))
    found = critical_difference(
        cells, result.confidence_level, higher_is_better=result.higher_is_better, missing="drop"
    )
    names, ranks, cliques = list(found.conditions), list(found.average_ranks), found.cliques
    k, ink = len(names), drawing.INK
    half = math.ceil(k / 2)
    ax = drawing.new_axes(ax, 1.5 + 0.27 * half + 0.12 * len(cliques))
    ax.set_xlim(1.0 - 0.08 * (k - 1), k + 0.08 * (k - 1))
    bars = 0.34 * len(cliques) + 0.5
    ax.set_ylim(bars + half + 0.2, -2.0)
    ax.axis("off")
    ax.plot([1, k], [0, 0], color=ink, linewidth=1.2)
    for tick in range(1, k + 1, max(1, math.ceil(k / 20))):
        ax.plot([tick, tick], [0, -0.18], color=ink, linewidth=1.2)
        ax.text(tick, -0.3, str(tick), ha="center", va="bottom", color=ink, fontsize="small")
    width = found.critical_difference
    shown = min(width, k - 1)
    ax.plot([1, 1 + shown], [-1.35, -1.35], color=drawing.ORANGE, linewidth=2.5)
    words = f"critical difference {width:.2f}{' (wider than the axis)' if width > k - 1 else ''}"
    ax.text(1, -1.5, words, va="bottom", color=drawing.ORANGE, fontsize="small")
    for place, clique in enumerate(cliques):
        low, high = (ranks[names.index(name)] for name in (clique[0], clique[-1]))
        y = 0.4 + 0.34 * place
        ax.plot([low - 0.03, high + 0.03], [y, y], color=ink, linewidth=4, solid_capstyle="round")
    for position, (name, rank) in enumerate(zip(names, ranks, strict=True)):
        left = position < half
        y = bars + (position if left else k - 1 - position) + 0.35
        edge = 1.0 - 0.03 * (k - 1) if left else k + 0.03 * (k - 1)
        ax.plot([rank, rank, edge], [0, y, y], color=drawing.GREY, linewidth=1.0)
        beside, side = edge + (-0.015 if left else 0.015) * (k - 1), "right" if left else "left"
        words = f"{drawing.feature_label(readable(name), 34)} ({rank:.2f})"
        ax.text(beside, y, words, ha=side, va="center", color=ink, parse_math=False)
    drawing.set_title(ax, "Average ranks (1 = best)")
    return ax


def plot_pairs(result: Standings, *, n: int = 15, ax: Axes | None = None) -> Axes:
    """Holm-adjusted p-values of all pairs of the first `n` methods."""
    names = [result.methods[j] for j in result._order[: check_integer("n", n, low=2)]]
    frame = result.pairs()
    p = np.full((len(names), len(names)), np.nan)
    columns = frame[["method1", "method2", "p_adjusted"]]
    for first, second, value in columns.itertuples(index=False):
        if first in names and second in names:
            i, j = names.index(first), names.index(second)
            p[i, j] = p[j, i] = value
    texts = [
        ["" if np.isnan(one) else f"{one:.2g}" if one >= 0.001 else "<0.001" for one in row]
        for row in p
    ]
    ax = drawing.new_axes(ax, 1.5 + 0.36 * len(names))
    shades = -np.log10(np.clip(p, 1e-4, 1.0))
    drawing.draw_tiles(ax, names, shades, texts, cmap="Blues", limits=(0.0, 6.0))
    ax.set_xlabel("Holm-adjusted p")
    drawing.set_title(ax, "Pairs of methods")
    return ax


STANDINGS_PLOTS: dict[str, Callable[..., Axes]] = {
    "places": plot_place_sets,
    "ranks": plot_average_ranks,
    "pairs": plot_pairs,
}


def _by_metric(draw: Callable[..., Axes]) -> Callable[..., Axes]:
    def drawn(result: MetricStandings, *, metric: str | None = None, **options: Any) -> Axes:
        chosen = check_choice("metric", metric or result.metrics[0], result.metrics)
        return draw(result.by(chosen), **options)

    return drawn


METRIC_PLOTS = {name: _by_metric(draw) for name, draw in STANDINGS_PLOTS.items()}


def standings_page(result: Standings, view: Mapping[str, Any]) -> Report:
    """The report of standings."""
    sections = [
        Section("pictures", "Places", _pictures(result)),
        Section("methods", "All methods", [_methods(result)], short="Methods"),
        Section("pairs", "Pairs of methods", _pairs(result), short="Pairs"),
        *_datasets(result),
    ]
    return _report(result, [result], _sizes(result), sections)


def metrics_page(result: MetricStandings, view: Mapping[str, Any]) -> Report:
    """The report of standings by several metrics."""
    sections = [
        Section(f"metric-{k}", f"By {name}", difference_blocks(one, f"{k}-"), short=name)
        for k, (name, one) in enumerate(result._items(), 1)
    ]
    subtitle = f"{_sizes(result.of[0])}, {plural(len(result.of), 'metric')}"
    return _report(result, result.of, subtitle, sections)


def difference_blocks(result: Standings, prefix: str = "") -> list[Block]:
    """The answer of standings on the page of another result; `prefix` makes pictures unique."""
    return [*_pictures(result, prefix), _methods(result), *_pairs(result)]


def _sizes(result: Standings) -> str:
    return f"{plural(len(result.methods), 'method')}, {plural(len(result.datasets), 'data set')}"


def _report(
    result: Standings | MetricStandings,
    of: Sequence[Standings],
    subtitle: str,
    sections: Sequence[Section],
) -> Report:
    unused = set() if any(one._holes for one in of) else {"Holes"}
    unused |= set() if of[0]._of_folds else {"Folds"}
    unused |= {"Probabilities of equivalence"} if of[0].rope is None else set()
    used = [(what, source) for what, source in REFERENCES.items() if what not in unused]
    text = Section("text", "For a methods section", [Text(result.methods_text())], short="Text")
    titles, settings = ("Standings", "Standings: {}"), settings_groups(result)
    return Report(titles, subtitle, [*sections, text], settings, [software(__version__), *used])


def _pictures(result: Standings, prefix: str = "") -> list[Block]:
    blocks: list[Block] = []

    def show(title: str, name: str, draw: Callable[..., Axes], **about: Any) -> None:
        blocks.append(drawing.picture(title, prefix + name, draw, result, **about))

    drawn = min(MOST_DRAWN, len(result.methods))
    for name, sets in result._answers.items():
        if isinstance(sets, RankConfidence):
            caption = (
                f"About {result._asked(name)}. Dot: place in this table. Thick line: set of one method "
                "that was chosen beforehand; thin line: sets that hold all true places together."
            )
            title = "Sets of places" + ("" if name == result._population else ", these data sets")
            show(title, name, plot_place_sets, caption=caption, population=name, n=drawn)
    if result._population == "datasets" and len(result.methods) <= MOST_DRAWN:
        try:
            caption = (
                "Average ranks over the data sets that all methods have; methods under one bar do not "
                "differ by Nemenyi’s test. The sets of places above are more precise."
            )
            show("Critical differences", "cd", plot_average_ranks, caption=caption)
        except DataError as problem:
            blocks.append(Text(f"There is no critical-difference diagram: {problem}.", quiet=True))
    if result._population is not None and len(result.methods) <= MOST_TILES:
        caption = (
            "Small and dark: the two methods can be distinguished. Corrected for all pairs by "
        )
        show("p-values of pairs", "tiles", plot_pairs, caption=f"{caption}Holm.", n=MOST_TILES)
    return blocks or [Text("Without an answer there are no sets of places to draw.")]


def _methods(result: Standings) -> PageTable:
    frame = result.to_frame()
    shown = frame.head(MOST_ROWS)
    columns: list[tuple[PageColumn, list[str]]] = [
        (PageColumn("Method", numeric=False), [str(name) for name in shown.index]),
        (PageColumn("Place"), [str(place) for place in shown["place"]]),
    ]
    for ending, who in (("_all", "all"), ("", "alone")):
        for name, title in (("lower", "From"), ("upper", "To")):
            places = [number(value, 0) for value in shown[name + ending]]
            columns.append((PageColumn(f"{title} ({who})"), places))
    columns.append((PageColumn("Mean"), numbers(shown["mean"])))
    note = ""
    if len(result.datasets) > 1:
        columns += [
            (PageColumn("Place by mean"), [str(place) for place in shown["place_by_mean"]]),
            (PageColumn("Average rank"), [number(rank, 2) for rank in shown["average_rank"]]),
            (PageColumn("Place by rank"), [str(place) for place in shown["place_by_rank"]]),
            (PageColumn("Data sets"), [str(n) for n in shown["n_datasets"]]),
        ]
        note = (
            "By mean: scores are averaged and then ranked. By rank: they are ranked in each data set, and "
            "ranks are averaged."
        )
    if result._holes:
        holes = [f"{a} to {b}" for a, b in zip(shown["best"], shown["worst"], strict=True)]
        columns.append((PageColumn("With any filling"), holes))
    note += _hidden(frame, shown, "standings.csv")
    return PageTable.of_columns("All methods, best first.", columns, note, find="method")


def _hidden(frame: pd.DataFrame, shown: pd.DataFrame, file: str) -> str:
    """How many rows are in a file alone."""
    n = len(frame) - len(shown)
    return f" {count(n)} more are in {file}." if n else ""


def _pairs(result: Standings) -> list[Block]:
    if result._population is None:
        return [Text("Pairs cannot be tested, for the reasons in the summary.")]
    frame = result.pairs()
    shown = frame.head(MOST_ROWS)
    level = percent(result.confidence_level)
    difference, low, high = (numbers(shown[name]) for name in ("difference", "lower", "upper"))
    pairs = [f"{a} − {b}" for a, b in zip(shown["method1"], shown["method2"], strict=True)]
    columns: list[tuple[PageColumn, list[str]]] = [
        (PageColumn("Pair", numeric=False), pairs),
        (PageColumn("Difference"), difference),
        (PageColumn(f"{level} from"), low),
        (PageColumn("to"), high),
        (PageColumn("p"), probabilities(shown["p"])),
        (PageColumn("Holm p"), probabilities(shown["p_adjusted"])),
    ]
    if "superiority" in shown:
        spans = zip(shown["wins"], shown["ties"], shown["losses"], strict=True)
        games = [f"{w} / {t} / {x}" for w, t, x in spans]
        columns.append((PageColumn("Wins / ties / losses", numeric=False), games))
        for title, ending in (("Better in", ""), ("from", "_lower"), ("up to", "_upper")):
            shares = [number(one, 2) for one in shown[f"superiority{ending}"]]
            columns.append((PageColumn(title), shares))
    if result.rope is not None:
        chances = {"p_below": "P(below)", "p_equivalent": "P(equivalent)", "p_above": "P(above)"}
        columns += [(PageColumn(title), numbers(shown[name])) for name, title in chances.items()]
    note = (
        f"Differences of means, each with its own interval; p by {result._test_name}, corrected for all "
        "pairs by Holm."
    )
    if "superiority" in shown:
        note += (
            " Better in: share of the data sets where the first is better, ties as halves, with Wilson’s "
            "interval."
        )
    if result.rope is not None:
        note += (
            f" P: probabilities that the difference is below −{result.rope:g}, within ±{result.rope:g} "
            "(equivalent in practice) and above; flat prior, not corrected for the number of pairs."
        )
    note += _hidden(frame, shown, "pairs.csv")
    tinted = int(shown["apart"].sum())
    caption = f"{plural(len(frame), 'pair')}, smallest p first; tinted: significant."
    table = PageTable.of_columns(caption, columns, note, tinted=tinted, find="pair")
    together = [" · ".join(group) for group in result.cliques() if len(group) > 1][:20]
    words = ["Every method can be distinguished from its neighbours."]
    if together:
        words = ["Neighbours that cannot be distinguished:", *together]
    return [table, *map(Text, words)]


def _datasets(result: Standings) -> list[Section]:
    if not 3 <= len(result.datasets) <= MOST_LEFT_OUT:
        return []
    frame = result.without_each()
    shown = frame.head(MOST_ROWS)
    places = result.to_frame()["place_by_mean"].reindex(result.methods)
    usual = result.methods[int(np.argmin(places))]
    others = int((~frame["first"].isin([usual, ""])).sum())
    text = f"{usual} has the best mean, whichever data set is omitted."
    if others:
        text = (
            f"{usual} has the best mean; without one of {plural(others, 'data set')} another would "
        )
        text += "have it."
    swaps = ["–" if n is pd.NA else count(int(n)) for n in shown["swaps"]]
    columns = [
        (PageColumn("Left out", numeric=False), [str(name) for name in shown.index]),
        (PageColumn("Best mean", numeric=False), [str(name) for name in shown["first"]]),
        (PageColumn("Pairs that change order"), swaps),
    ]
    caption, title = "The order by mean without each data set.", "What each data set contributes"
    table = PageTable.of_columns(caption, columns, find="data set")
    return [Section("datasets", title, [Text(text), table], short="Data sets")]
