"""The report and the picture of an influence run."""

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
    frame = result.to_frame(
        [spec.name], n_features_to_select=n_features_to_select, confidence_level=confidence_level
    )
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
    ax, rows = drawing.feature_rows(ax, list(map(readable, frame["aggregator"])), 1.5, 0.36)
    ax.hlines(rows, low, high, color=drawing.BLUE, linewidth=2.0)
    ax.plot(value, rows, "o", color=drawing.BLUE, markersize=7.0)
    for row, stability in enumerate(value):
        if np.isfinite(stability):
            text = f"{stability:.3f}".replace("-", "−")
            drawing.write_beside(ax, text, (stability, row), (0, 7), ha="center")
    ax.set_ylim(len(frame) - 0.5, -0.7)
    ax.margins(x=0.08)
    drawing.clear_frame(ax, grid="x")
    ax.spines["left"].set_visible(False)
    return ax


INFLUENCE_PLOTS: dict[str, Callable[..., Axes]] = {"stability": plot_aggregator_stability}


def influence_page(result: InfluenceResult, view: Mapping[str, Any]) -> closing.Report:
    """The report of an influence run."""
    k = view["n_features_to_select"]
    frame = result.to_frame(view["measures"], n_features_to_select=k)
    names = list(dict.fromkeys(frame["measure"]))
    measure, sections = str(names[0]), []
    for label in result.filters:
        anchor, blocks = label.replace("_", "-").lower(), list[Block]()
        part = frame[(frame["filter"] == label) & (frame["measure"] == measure)]
        if part["value"].notna().any():
            drawn = drawing.picture(
                f"Stability by {titled(measure)}",
                f"{anchor}-stability",
                plot_aggregator_stability,
                *(result, measure),
                filter=label,
                n_features_to_select=k,
                label=f"Stability by {titled(measure)} of each aggregator",
                caption="Dot: stability over the folds. Line: its 95 % jackknife interval, which shows how "
                "far single folds matter.",
            )
            blocks.append(drawn)
        if len(result.aggregators) > 1:
            blocks.append(Text(ONE_TABLE, quiet=True))
        sections.append(Section(anchor, titled(label), blocks))
    kind = "a number of" if isinstance(k, int) else "a fraction of the"
    size = ("Best features compared", f"{k} ({kind} features)")
    sections += closing.glossary(
        (titled(name), STABILITY_MEASURES.get(name).summary, STABILITY_PAGE.entry(name))
        for name in names
    )
    subtitle = (
        f"{plural(result.data['n_samples'], 'sample')}, {plural(result.n_features, 'feature')}, "
        f"{plural(result.n_folds, 'fold')}"
    )
    methods: list[tuple[str, Registry[Any], Sequence[str]]] = [
        ("Filter", FILTERS, [each for each in result.parameters["filters"] if each in FILTERS]),
        ("Aggregator", AGGREGATORS, result.aggregators),
        ("Measure", STABILITY_MEASURES, names),
    ]
    references = [
        closing.software(result.versions["pyfsagg"]),
        ("Influence of the aggregator", f"{closing.THESIS}, section 3.3.2 (“thesis” below)"),
        *(
            (f"{kind} {readable(name)}", registry.get(name).source)
            for kind, registry, known in methods
            for name in known
        ),
    ]
    settings = closing.settings_groups(result, last=[size])
    return closing.Report(TITLES, subtitle, sections, settings, references)


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
    of = [
        (f"Aggregator {readable(name)}", AGGREGATORS.get(name).source)
        for name in result.aggregators
    ]
    references = [closing.software(result.versions["pyfsagg"]), ("Choice by halves", BERKER), *of]
    subtitle = f"{plural(result.data['n_lists'], 'list')}, {plural(result.data['n_items'], 'item')}"
    return closing.Report(TITLES, subtitle, sections, closing.settings_groups(result), references)
