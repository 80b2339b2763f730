"""The report and the pictures of an influence run."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pyfsagg._base.registry import Registry
from pyfsagg._base.words import number, plural, probabilities, readable, titled
from pyfsagg._report.closing import THESIS, closing, glossary, settings_groups, software
from pyfsagg._report.drawing import (
    BLUE,
    INK,
    clear_frame,
    draw_tiles,
    feature_axis,
    new_axes,
    picture,
    set_title,
)
from pyfsagg._report.page import Block, Page, PageTable, Section, Text, heads
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.aggregator_influence.comparison import TEST_HEADS, TEST_NAMES, AggregatorComparison
from pyfsagg.aggregator_influence.result import THESIS_MEASURES, InfluenceResult
from pyfsagg.exceptions import DataError
from pyfsagg.filters import FILTERS
from pyfsagg.stability_measures import STABILITY_MEASURES
from pyfsagg.stability_measures._report import STABILITY_PAGE

PSEUDO_VALUES = (
    "The pseudo-value of a fold is its contribution to the stability of all folds. The "
    "repeated-measures test pairs the aggregators by fold; the one-way test, which the thesis "
    "prints, takes them for independent groups."
)
SMALLEST_SHOWN = 1e-4  # adjusted p-values below have the same colour


def plot_aggregator_stability(
    result: InfluenceResult,
    measure: str = "spearman",
    *,
    filter: str | None = None,
    n_features_to_select: float | int = 0.25,
    confidence_level: float = 0.95,
    ax: Axes | None = None,
) -> Axes:
    """Stability of the ranking by each aggregator over the folds, with jackknife intervals."""
    label = result._filter_label(filter)
    spec = STABILITY_MEASURES.get(measure)
    frame = result.to_frame(
        [spec.name], n_features_to_select=n_features_to_select, confidence_level=confidence_level
    )
    frame = frame[frame["filter"] == label]
    value = frame["value"].to_numpy()
    if np.isnan(value).all():
        raise DataError(str(frame["note"].iloc[0]))
    low, high = frame["lower"].to_numpy(), frame["upper"].to_numpy()
    rows = np.arange(len(frame))
    ax = new_axes(ax, 1.5 + 0.36 * len(frame))
    ax.hlines(rows, low, high, color=BLUE, linewidth=2.0)
    ax.plot(value, rows, "o", color=BLUE, markersize=7.0)
    for row, stability in enumerate(value):
        if np.isfinite(stability):
            ax.annotate(
                f"{stability:.3f}".replace("-", "−"),
                (stability, row),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize="small",
                color=INK,
            )
    feature_axis(ax, [readable(name) for name in frame["aggregator"]])
    ax.set_ylim(len(frame) - 0.5, -0.7)
    ax.margins(x=0.08)
    hint = "larger" if spec.higher_is_better else "smaller"
    ax.set_xlabel(
        f"{readable(spec.name).capitalize()} over {result.n_folds} folds, {100 * confidence_level:g} % "
        f"interval ({hint} = more stable)"
    )
    clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    set_title(ax, f"Stability by aggregator: {readable(label)}")
    return ax


def plot_pairwise(comparison: AggregatorComparison, *, ax: Axes | None = None) -> Axes:
    """Heat map of all pairs of aggregators.

    Below the diagonal is the adjusted p-value of a pair, the darker the smaller; above it the
    difference of the mean stability, row minus column.
    """
    names = [str(name) for name in comparison.values.columns]
    size = len(names)
    ax = new_axes(ax, 1.9 + 0.5 * size)
    if comparison.pairwise is None:
        reason = f"no pairwise tests: {comparison.refused['pairwise']}"
        text = "\n".join(textwrap.wrap(reason, 70))
        ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes, parse_math=False)
        ax.set_axis_off()
        return ax
    frame = comparison.pairwise.to_frame()
    p_values = np.full((size, size), np.nan)
    texts = np.full((size, size), "", dtype=object)
    means = comparison.values.mean().to_numpy()
    for first, second, p in zip(frame["group1"], frame["group2"], frame["p_adjusted"], strict=True):
        i, j = sorted((names.index(first), names.index(second)))
        p_values[j, i] = p
        texts[j, i] = "< 0.0001" if p < SMALLEST_SHOWN else f"{p:.2g}"
        texts[i, j] = f"{means[i] - means[j]:+.3f}".replace("-", "−")
    # Twice the range that occurs, so that dark text can be read on all tiles.
    limits = (0.0, -2.0 * np.log10(SMALLEST_SHOWN))
    shades = -np.log10(np.maximum(p_values, SMALLEST_SHOWN))
    labels = [readable(name) for name in names]
    draw_tiles(ax, labels, shades, texts.tolist(), cmap="Blues", limits=limits)
    ax.set_xlabel(
        f"Below the diagonal: p-value, adjusted ({comparison.pairwise.adjust})\n"
        "Above: difference of the stability, row − column"
    )
    set_title(ax, f"Pairs of aggregators: {readable(comparison.measure)}")
    return ax


def _plot_pairs_of_result(
    result: InfluenceResult,
    measure: str = "spearman",
    *,
    filter: str | None = None,
    n_features_to_select: float | int = 0.25,
    adjust: str = "holm",
    ax: Axes | None = None,
) -> Axes:
    options: dict[str, Any] = {"n_features_to_select": n_features_to_select, "adjust": adjust}
    return plot_pairwise(result.compare(measure, filter, **options), ax=ax)


INFLUENCE_PLOTS: dict[str, Callable[..., Axes]] = {
    "stability": plot_aggregator_stability,
    "pairwise": _plot_pairs_of_result,
}
"""The pictures of :meth:`pyfsagg.InfluenceResult.plot`, by name."""


def influence_page(
    result: InfluenceResult,
    *,
    measures: Sequence[str] = THESIS_MEASURES,
    n_features_to_select: float | int = 0.25,
    adjust: str = "holm",
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of an influence run as a page for :func:`pyfsagg._report.page.write_page`.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.influence(
    ...     data.X, data.y, aggregators=["am", "gm"], n_folds=4, n_resamples=10, random_state=0
    ... )
    >>> [section.id for section in influence_page(result).sections]
    ['summary', 'information-gain', 'words', 'settings', 'repeat', 'cite']
    """
    frame = result.to_frame(measures, n_features_to_select=n_features_to_select)
    names = list(dict.fromkeys(frame["measure"]))
    shown = {"measures": measures, "n_features_to_select": n_features_to_select}
    sections = [Section("summary", "Summary", result._facts(shown))]
    options: dict[str, Any] = {"n_features_to_select": n_features_to_select, "adjust": adjust}
    for label in result.filters:
        blocks = _filter_blocks(result, frame[frame["filter"] == label], label, options)
        sections.append(Section(label.replace("_", "-").lower(), titled(label), blocks))
    kind = "a number of" if isinstance(n_features_to_select, int) else "a fraction of the"
    size = ("Best features compared", f"{n_features_to_select} ({kind} features)")
    sections += glossary(
        (titled(name), STABILITY_MEASURES.get(name).summary, STABILITY_PAGE.entry(name))
        for name in names
    )
    sections += closing(
        settings_groups(result, last=[size]),
        _references(result, names),
        command=command,
        code=result._code(result._options_in_force({"reading": reading})),
    )
    title = f"Influence of the aggregator{f' on {data_name}' if data_name else ''}"
    subtitle = (
        f"{plural(result.data['n_samples'], 'sample')}, {plural(result.n_features, 'feature')}, "
        f"{plural(result.n_folds, 'fold')}"
    )
    return Page(title, subtitle, sections)


def _filter_blocks(
    result: InfluenceResult, frame: pd.DataFrame, label: str, options: dict[str, Any]
) -> list[Block]:
    measures = list(dict.fromkeys(frame["measure"]))
    blocks: list[Block] = []
    prefix = label.replace("_", "-").lower()
    comparisons: dict[str, AggregatorComparison] = {}
    for measure in measures if len(result.aggregators) > 1 else ():
        try:
            comparisons[measure] = result.compare(measure, label, **options)
        except DataError as reason:
            blocks.append(Text(f"No comparison by {titled(measure)}: {reason}.", quiet=True))
    first = frame[frame["measure"] == measures[0]]
    if first["value"].notna().any():
        blocks.append(
            picture(
                f"Stability by {titled(measures[0])}",
                f"{prefix}-stability",
                plot_aggregator_stability,
                *(result, measures[0]),
                filter=label,
                n_features_to_select=options["n_features_to_select"],
                label=f"Stability by {titled(measures[0])} of each aggregator",
                caption="Dot: stability over the folds. Line: its 95 % jackknife interval, which shows how "
                "far single folds matter.",
            )
        )
    if comparisons:
        blocks.append(_tests_table(comparisons))
        blocks += [
            picture(
                f"Pairs of aggregators by {titled(measure)}",
                f"{prefix}-{measure}-pairs",
                plot_pairwise,
                comparison,
                label=f"Adjusted p-values of all pairs of aggregators by {titled(measure)}",
                caption="Paired t tests over the folds. Below the diagonal: adjusted p-value, the "
                "darker the smaller. Above it: row minus column in the mean stability.",
            )
            for measure, comparison in comparisons.items()
        ]
        blocks.append(Text(next(iter(comparisons.values())).caution, quiet=True))
    return blocks


def _tests_table(comparisons: dict[str, AggregatorComparison]) -> PageTable:
    rows, reasons = [], []
    for measure, comparison in comparisons.items():
        for test, row in comparison.tests().iterrows():
            values = [number(row[name], 2) for name in ("statistic", "df_effect", "df_error")]
            p = probabilities([row["p"]])[0]
            rows.append([titled(measure), TEST_NAMES[str(test)], *values, p])
        reasons += [f"{titled(measure)}: {why}." for why in comparison.refused.values()]
    return PageTable(
        "Do the aggregators differ? Tests over the pseudo-values of the folds.",
        heads(("Measure", *TEST_HEADS), words=("Measure", "Test")),
        rows,
        " ".join([PSEUDO_VALUES, *dict.fromkeys(reasons)]),
    )


def _references(result: InfluenceResult, measures: Sequence[str]) -> list[tuple[str, str]]:
    filters = [label for label in result.parameters["filters"] if label in FILTERS]
    methods: list[tuple[str, Registry[Any], Sequence[str]]] = [
        ("Filter", FILTERS, filters),
        ("Aggregator", AGGREGATORS, result.aggregators),
        ("Measure", STABILITY_MEASURES, measures),
    ]
    return [
        software(result.versions["pyfsagg"]),
        ("Influence of the aggregator", f"{THESIS}, section 3.3.2 (“thesis” below)"),
        *(
            (f"{kind} {readable(name)}", registry.get(name).source)
            for kind, registry, names in methods
            for name in names
        ),
    ]
