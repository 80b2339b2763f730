"""The page and the pictures of standings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._base.words import count, number, numbers, plural, probabilities, words
from pyfsagg._report import drawing
from pyfsagg._report.closing import Report, settings_groups, software
from pyfsagg._report.page import Block, PageTable, Section, Text
from pyfsagg._version import __version__
from pyfsagg.exceptions import DataError
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import MOST_LEFT_OUT, Standings, percent
from pyfsagg.statistics import RankConfidence, critical_difference

Columns = dict[str, tuple[str, Callable[[Any], Sequence[str]]]]
MOST_DRAWN, MOST_TILES, MOST_ROWS = 40, 20, 500
REFERENCES = [
    (
        "Sets of places",
        "Mogstad, Romano, Shaikh, Wilhelm (2024). Inference for ranks with applications to mobility across "
        "neighbourhoods and academic achievement across countries. Review of Economic Studies 91",
    ),
    ("Average ranks", "Demšar (2006). JMLR 7, 1–30"),
    ("Correction for all pairs", "Holm (1979). Scandinavian Journal of Statistics 6, 65–70"),
]
TITLES = ("Standings", "Standings: {}")
HOLES = ("Holes", "Skillings, Mack (1981). Technometrics 23, 171–177")
EQUIVALENCE = (
    "Probabilities of equivalence",
    "Benavoli, Corani, Demšar, Zaffalon (2017). JMLR 18, 1–36",
)
FOLDS = ("Folds", "Nadeau, Bengio (2003). Machine Learning 52, 239–281")


def _texts(values: Iterable[Any]) -> list[str]:
    return list(map(str, values))


def _whole(values: Iterable[float]) -> list[str]:
    return [number(value, 0) for value in values]


def _hundredths(values: Iterable[float]) -> list[str]:
    return [number(value, 2) for value in values]


def plot_place_sets(
    result: Standings, *, population: str | None = None, n: int = 30, ax: Axes | None = None
) -> Axes:
    """Sets of places of the first `n` methods: of each alone (thick) and of all together (thin)."""
    sets = result.sets(population)
    shown = result._order[: check_integer("n", n, low=1)]
    ax = drawing.new_axes(ax, 1.3 + 0.26 * len(shown))
    rows = np.arange(len(shown))
    ax.hlines(rows, sets.lower_all[shown], sets.upper_all[shown], color=drawing.GREY, linewidth=1.2)
    ax.hlines(
        rows, sets.lower[shown], sets.upper[shown], color=drawing.BLUE, linewidth=4.0, alpha=0.5
    )
    label = "place; thick: set of one method, thin: sets of all"
    ax.plot(sets.ranks[shown], rows, "o", color=drawing.INK, ms=5.0, label=label)
    ax.set_xlabel("Place")
    ax.set_xlim(0.5, float(sets.upper_all[shown].max()) + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    drawing.feature_axis(ax, [result.methods[j] for j in shown])
    return drawing.finished(ax, f"Places of {plural(len(shown), 'method')}", grid="x")


def plot_average_ranks(result: Standings, *, ax: Axes | None = None) -> Axes:
    """The critical-difference diagram of the data sets that all methods have."""
    cells = pd.DataFrame(result.cells, columns=list(result.methods), index=list(result.datasets))
    found = critical_difference(
        cells, result.confidence_level, higher_is_better=result.higher_is_better, missing="drop"
    )
    return drawing.draw_average_ranks(found, ax=ax)


def plot_pairs(result: Standings, *, n: int = 15, ax: Axes | None = None) -> Axes:
    """Holm-adjusted p-values of all pairs of the first `n` methods."""
    names = [result.methods[j] for j in result._order[: check_integer("n", n, low=2)]]
    wide = result.pairs().pivot(index="method1", columns="method2", values="p_adjusted")
    wide = wide.reindex(index=names, columns=names)
    p = wide.fillna(wide.T).to_numpy()
    texts = [
        ["" if np.isnan(one) else f"{one:.2g}" if one >= 0.001 else "<0.001" for one in row]
        for row in p
    ]
    ax = drawing.new_axes(ax, 1.5 + 0.36 * len(names))
    drawing.draw_tiles(
        ax, names, -np.log10(np.clip(p, 1e-4, 1.0)), texts, cmap="Blues", limits=(0.0, 6.0)
    )
    ax.set_xlabel("Holm-adjusted p")
    drawing.set_title(ax, "Pairs of methods")
    return ax


STANDINGS_PLOTS: dict[str, Callable[..., Axes]] = {
    "places": plot_place_sets,
    "ranks": plot_average_ranks,
    "pairs": plot_pairs,
}
"""The pictures of :meth:`pyfsagg.score_tables.Standings.plot`, by name."""


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
    holes = any(one._holes for one in of)
    more = ((HOLES, holes), (FOLDS, of[0]._of_folds), (EQUIVALENCE, of[0].rope is not None))
    references = [software(__version__), *REFERENCES, *(one for one, used in more if used)]
    text = Section("text", "For a methods section", [Text(result.methods_text())], short="Text")
    return Report(TITLES, subtitle, [*sections, text], settings_groups(result), references)


def _pictures(result: Standings, prefix: str = "") -> list[Block]:
    blocks: list[Block] = []

    def show(
        title: str, name: str, draw: Callable[..., Axes], caption: str, **options: Any
    ) -> None:
        blocks.append(
            drawing.picture(title, prefix + name, draw, result, caption=caption, **options)
        )

    drawn = min(MOST_DRAWN, len(result.methods))
    for name, sets in result._answers.items():
        if isinstance(sets, RankConfidence):
            caption = (
                f"About {result._asked(name)}. Dot: place in this table. Thick line: set of one method "
                "that was chosen beforehand; thin line: sets that hold all true places together."
            )
            title = "Sets of places" + ("" if name == result._population else ", these data sets")
            show(title, name, plot_place_sets, caption, population=name, n=drawn)
    if result._population == "datasets" and len(result.methods) <= MOST_DRAWN:
        try:
            caption = (
                "Average ranks over the data sets that all methods have; methods under one bar do not "
                "differ by Nemenyi’s test. The sets of places above are more precise."
            )
            show("Critical differences", "cd", plot_average_ranks, caption)
        except DataError as problem:
            blocks.append(Text(f"There is no critical-difference diagram: {problem}.", quiet=True))
    if result._population is not None and len(result.methods) <= MOST_TILES:
        caption = (
            "Small and dark: the two methods can be distinguished. Corrected for all pairs by Holm."
        )
        show("p-values of pairs", "tiles", plot_pairs, caption, n=MOST_TILES)
    return blocks or [Text("Without an answer there are no sets of places to draw.")]


def _methods(result: Standings) -> PageTable:
    frame = result.to_frame()
    shown = frame.head(MOST_ROWS).reset_index()
    columns: Columns = {"method": ("Method", words), "place": ("Place", _texts)}
    titles = {"lower_all": "From (all)", "upper_all": "To (all)"}
    titles |= {"lower": "From (alone)", "upper": "To (alone)"}
    columns |= {name: (title, _whole) for name, title in titles.items()}
    columns["mean"] = ("Mean", numbers)
    note = ""
    if len(result.datasets) > 1:
        columns |= {
            "place_by_mean": ("Place by mean", _texts),
            "average_rank": ("Average rank", _hundredths),
            "place_by_rank": ("Place by rank", _texts),
            "n_datasets": ("Data sets", _texts),
        }
        note = (
            "By mean: scores are averaged and then ranked. By rank: they are ranked in each data set, and "
            "ranks are averaged."
        )
    if result._holes:
        shown["filled"] = [
            f"{a} to {b}" for a, b in zip(shown["best"], shown["worst"], strict=True)
        ]
        columns["filled"] = ("With any filling", _texts)
    note += _hidden(frame, shown, "standings.csv")
    return PageTable.of_frame("All methods, best first.", shown, columns, note, find="method")


def _hidden(frame: pd.DataFrame, shown: pd.DataFrame, file: str) -> str:
    """How many rows are in a file alone."""
    n = len(frame) - len(shown)
    return f" {count(n)} more are in {file}." if n else ""


def _pairs(result: Standings) -> list[Block]:
    if result._population is None:
        return [Text("Pairs cannot be tested, for the reasons in the summary.")]
    frame = result.pairs()
    shown = frame.head(MOST_ROWS)
    shown = shown.assign(pair=shown["method1"] + " − " + shown["method2"])
    columns: Columns = {
        "pair": ("Pair", words),
        "difference": ("Difference", numbers),
        "lower": (f"{percent(result.confidence_level)} from", numbers),
        "upper": ("to", numbers),
        "p": ("p", probabilities),
        "p_adjusted": ("Holm p", probabilities),
    }
    note = (
        f"Differences of means, each with its own interval; p by {result._test_name}, corrected for all "
        "pairs by Holm."
    )
    if "superiority" in shown:
        games = zip(shown["wins"], shown["ties"], shown["losses"], strict=True)
        shown = shown.assign(games=[f"{w} / {t} / {x}" for w, t, x in games])
        columns |= {
            "games": ("Wins / ties / losses", words),
            "superiority": ("Better in", _hundredths),
            "superiority_lower": ("from", _hundredths),
            "superiority_upper": ("up to", _hundredths),
        }
        note += (
            " Better in: share of the data sets where the first is better, ties as halves, with Wilson’s "
            "interval."
        )
    if result.rope is not None:
        chances = {"p_below": "P(below)", "p_equivalent": "P(equivalent)", "p_above": "P(above)"}
        columns |= {name: (title, numbers) for name, title in chances.items()}
        note += (
            f" P: probabilities that the difference is below −{result.rope:g}, within ±{result.rope:g} "
            "(equivalent in practice) and above; flat prior, not corrected for the number of pairs."
        )
    note += _hidden(frame, shown, "pairs.csv")
    tinted = int(shown["apart"].sum())
    caption = f"{plural(len(frame), 'pair')}, smallest p first; tinted: significant."
    table = PageTable.of_frame(caption, shown, columns, note, tinted=tinted, find="pair")
    together = [" · ".join(group) for group in result.groups() if len(group) > 1][:20]
    texts = ["Every method can be distinguished from its neighbours."]
    if together:
        texts = ["Neighbours that cannot be distinguished:", *together]
    return [table, *map(Text, texts)]


def _datasets(result: Standings) -> list[Section]:
    if not 3 <= len(result.datasets) <= MOST_LEFT_OUT:
        return []
    frame = result.without_each()
    shown = frame.head(MOST_ROWS).reset_index()
    places = result.to_frame()["place_by_mean"].reindex(result.methods)
    usual = result.methods[int(np.argmin(places))]
    text = f"{usual} has the best mean, whichever data set is omitted."
    if others := int((~frame["first"].isin([usual, ""])).sum()):
        without = plural(others, "data set")
        text = f"{usual} has the best mean; without one of {without} another would have it."
    columns: Columns = {
        "dataset": ("Left out", words),
        "first": ("Best mean", words),
        "swaps": ("Pairs that change order", lambda n: _whole(n.to_numpy(float, na_value=np.nan))),
    }
    caption, title = "The order by mean without each data set.", "What each data set contributes"
    table = PageTable.of_frame(caption, shown, columns, find="data set")
    return [Section("datasets", title, [Text(text), table], short="Data sets")]
