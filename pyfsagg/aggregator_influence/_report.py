"""The report and the picture of an influence run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from pyfsagg._base.registry import Registry
from pyfsagg._base.words import plural, readable, titled
from pyfsagg._report import closing, drawing
from pyfsagg._report.page import Block, Section, Text
from pyfsagg.aggregation._base import AGGREGATORS
from pyfsagg.aggregator_influence.experiments import ListInfluence
from pyfsagg.aggregator_influence.result import DEPENDENT, InfluenceResult
from pyfsagg.exceptions import DataError
from pyfsagg.filters._base import FILTERS
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.stability_measures._report import STABILITY_PAGE

ONE_TABLE = (
    f"Which differences between aggregators are real cannot be said from one table: {DEPENDENT}. With runs "
    "on 8 data sets or more, pyfsagg standings RUN RUN … (standings of a mapping in Python) says it."
)

TITLES = ("Influence of the aggregator", "Influence of the aggregator on {}")
BERKER = (
    "Berker, Armstrong, Conitzer, Shah (2026). Designing rules to pick a rule: aggregation by "
    "consistency. ICLR"
)


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
    how = {"n_features_to_select": n_features_to_select, "confidence_level": confidence_level}
    frame = result.to_frame([spec.name], **how)
    frame = frame[frame["filter"] == label]
    if frame["value"].isna().all():
        raise DataError(str(frame["note"].iloc[0]))
    ax = _draw_values(frame, ax)
    hint = "larger" if spec.higher_is_better else "smaller"
    ax.set_xlabel(
        f"{readable(spec.name).capitalize()} over {result.n_folds} folds, {100 * confidence_level:g} % "
        f"interval ({hint} = more stable)"
    )
    drawing.set_title(ax, f"Stability by aggregator: {readable(label)}")
    return ax


def plot_agreement_of_halves(result: ListInfluence, *, ax: Axes | None = None) -> Axes:
    """Agreement of two halves of the lists by each aggregator, with jackknife intervals."""
    ax = _draw_values(result.to_frame().reset_index(), ax)
    measure = readable(result.measure).capitalize()
    ax.set_xlabel(f"{measure} of two halves of the lists, 95 % interval")
    drawing.set_title(ax, "Agreement of halves by aggregator")
    return ax


def _draw_values(frame: pd.DataFrame, ax: Axes | None) -> Axes:
    """A dot with its interval for each aggregator."""
    value = frame["value"].to_numpy()
    low, high = frame["lower"].to_numpy(), frame["upper"].to_numpy()
    rows = np.arange(len(frame))
    ax = drawing.new_axes(ax, 1.5 + 0.36 * len(frame))
    ax.hlines(rows, low, high, color=drawing.BLUE, linewidth=2.0)
    ax.plot(value, rows, "o", color=drawing.BLUE, markersize=7.0)
    for row, stability in enumerate(value):
        if np.isfinite(stability):
            ax.annotate(
                f"{stability:.3f}".replace("-", "−"),
                (stability, row),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                fontsize="small",
                color=drawing.INK,
            )
    drawing.feature_axis(ax, [readable(name) for name in frame["aggregator"]])
    ax.set_ylim(len(frame) - 0.5, -0.7)
    ax.margins(x=0.08)
    drawing.clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    return ax


INFLUENCE_PLOTS: dict[str, Callable[..., Axes]] = {"stability": plot_aggregator_stability}
"""The pictures of :meth:`pyfsagg.InfluenceResult.plot`, by name."""


def influence_page(result: InfluenceResult, view: Mapping[str, Any]) -> closing.Report:
    """The report of an influence run."""
    k = view["n_features_to_select"]
    frame = result.to_frame(view["measures"], n_features_to_select=k)
    names = list(dict.fromkeys(frame["measure"]))
    known = frame[(frame["measure"] == names[0]) & frame["value"].notna()]
    sections = []
    for label in result.filters:
        blocks: list[Block] = []
        name = label.replace("_", "-").lower()
        if (known["filter"] == label).any():
            drawn = drawing.picture(
                f"Stability by {titled(names[0])}",
                f"{name}-stability",
                plot_aggregator_stability,
                *(result, names[0]),
                filter=label,
                n_features_to_select=k,
                label=f"Stability by {titled(names[0])} of each aggregator",
                caption="Dot: stability over the folds. Line: its 95 % jackknife interval, which shows how "
                "far single folds matter.",
            )
            blocks.append(drawn)
        if len(result.aggregators) > 1:
            blocks.append(Text(ONE_TABLE, quiet=True))
        sections.append(Section(name, titled(label), blocks))
    sections += closing.glossary(
        (titled(name), STABILITY_MEASURES.get(name).summary, STABILITY_PAGE.entry(name))
        for name in names
    )
    kind = "a number of" if isinstance(k, int) else "a fraction of the"
    size = ("Best features compared", f"{k} ({kind} features)")
    subtitle = (
        f"{plural(result.data['n_samples'], 'sample')}, {plural(result.n_features, 'feature')}, "
        f"{plural(result.n_folds, 'fold')}"
    )
    filters = [label for label in result.parameters["filters"] if label in FILTERS]
    references = [
        closing.software(result.versions["pyfsagg"]),
        ("Influence of the aggregator", f"{closing.THESIS}, section 3.3.2 (“thesis” below)"),
        *_sources("Filter", FILTERS, filters),
        *_sources("Aggregator", AGGREGATORS, result.aggregators),
        *_sources("Measure", STABILITY_MEASURES, names),
    ]
    settings = closing.settings_groups(result, last=[size])
    return closing.Report(TITLES, subtitle, sections, settings, references)


def _sources(kind: str, registry: Registry[Any], names: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{kind} {readable(name)}", registry.get(name).source) for name in names]


def list_influence_page(result: ListInfluence, view: Mapping[str, Any]) -> closing.Report:
    """The report on halves of lists."""
    drawn = drawing.picture(
        "Agreement of two halves",
        "agreement",
        plot_agreement_of_halves,
        result,
        label="Agreement of two halves of the lists by each aggregator",
        caption="Dot: mean over the splits. Line: its 95 % interval, by a jackknife over the lists.",
    )
    sections = [Section("agreement", "Agreement of two halves", [drawn], short="Agreement")]
    of = _sources("Aggregator", AGGREGATORS, result.aggregators)
    references = [closing.software(result.versions["pyfsagg"]), ("Choice by halves", BERKER), *of]
    subtitle = f"{plural(result.data['n_lists'], 'list')}, {plural(result.data['n_items'], 'item')}"
    return closing.Report(TITLES, subtitle, sections, closing.settings_groups(result), references)
