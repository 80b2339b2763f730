"""The report and the pictures of stability."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.words import MISSING, count, number, percentages, plural, ranks, readable, titled
from pyfsagg._message import Param
from pyfsagg._report import drawing
from pyfsagg._report.closing import Report, Topic, leads_to, linked, settings_groups, software
from pyfsagg._report.page import Block, PageColumn, PageTable, Picture, Section, Text, heads
from pyfsagg._version import __version__
from pyfsagg.exceptions import DataError, InputTypeError, UnknownNameError
from pyfsagg.stability_measures._base import STABILITY_MEASURES
from pyfsagg.stability_measures.curves import pareto_front
from pyfsagg.stability_measures.result import StabilityResult

MOST_LABELS = 30


def _require(frame: pd.DataFrame, columns: tuple[str, ...], source: str) -> None:
    if not isinstance(frame, pd.DataFrame):
        kind = type(frame).__name__
        message = f"the picture is drawn from a data frame as {source} returns it, got {kind}"
        raise InputTypeError(message)
    for column in columns:
        if column not in frame:
            raise UnknownNameError("column", column, [str(name) for name in frame.columns])


def plot_stability_curve(curve: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Stability of the best k features against k, with the level of random selection.

    The curve is a result of :func:`pyfsagg.stability_measures.stability_curve`; without `ax` the figure is
    new.  A solid line with markers is the stability, the dotted line of the same colour its value when k
    features are selected at random.  Sizes at which a measure is undefined are omitted.

    Examples
    --------
    >>> from pyfsagg.stability_measures import stability_curve
    >>> scores = [[0.9, 0.5, 0.2, 0.1], [0.8, 0.6, 0.1, 0.2], [0.7, 0.2, 0.4, 0.1]]
    >>> ax = plot_stability_curve(stability_curve(scores, ["jaccard"]))
    >>> ax.get_xlabel()
    'Number of features selected, k (of 4)'
    """
    _require(curve, ("measure", "size", "fraction", "value", "chance"), "stability_curve")
    ax = drawing.new_axes(ax, 3.4)
    for position, (measure, part) in enumerate(curve.groupby("measure", sort=False)):
        part, label = part.sort_values("size"), readable(str(measure))
        colour, marker = drawing.look(position)
        look: dict[str, Any] = {"color": colour, "markersize": 4.5, "label": label}
        ax.plot(part["size"], part["value"], f"{marker}-", **look)
        ax.plot(part["size"], part["chance"], ":", color=colour, label=f"{label} by chance")
    p = round(float((curve["size"] / curve["fraction"]).iloc[0]))
    ax.set_xlim(0, p * 1.03)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    values = curve[["value", "chance"]].to_numpy()
    lowest, highest = float(np.nanmin(values)), float(np.nanmax(values))
    ax.set_ylim(min(0.0, lowest) - 0.03, max(1.0, highest) + 0.04)
    ax.set_xlabel(f"Number of features selected, k (of {p:,})")
    ax.set_ylabel("Stability")
    return drawing.finished(ax, "Stability of the best k features", grid="y")


def plot_trade_off(
    frame: pd.DataFrame,
    *,
    stability: str = "stability",
    accuracy: str = "accuracy",
    higher_is_better: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Stability (along x) and accuracy (along y), with the Pareto front.

    Points on the front are filled and joined: no other point is at least as good in both and better
    in one.  Points are named by the index of the frame, up to 30 of them.

    Parameters
    ----------
    frame : DataFrame
        One row per method or subset size.
    stability, accuracy : str
        Names of the columns with the two numbers.
    higher_is_better : bool
        False for distances such as canberra and asd; the axis is then reversed, so better
        is always up and to the right.
    ax : Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"stability": [0.9, 0.7, 0.5], "accuracy": [0.7, 0.8, 0.75]}, index=["a", "b", "c"]
    ... )
    >>> sorted(text.get_text() for text in plot_trade_off(frame).texts)
    ['a', 'b', 'c']
    """
    _require(frame, (stability, accuracy), "an evaluation")
    x = frame[stability].to_numpy(dtype=np.float64)
    y = frame[accuracy].to_numpy(dtype=np.float64)
    front = pareto_front(x, y, higher_is_better=higher_is_better)
    ax = drawing.new_axes(ax, 4.0)
    order = np.flatnonzero(front)[np.lexsort((y[front], x[front]))]
    ax.plot(x[order], y[order], "o-", color=drawing.BLUE, markersize=7.0, label="Pareto front")
    if not front.all():
        look: dict[str, Any] = {"color": drawing.GREY, "mfc": "white", "markersize": 7.0}
        ax.plot(x[~front], y[~front], "o", label="others", **look)
    if len(frame) <= MOST_LABELS:
        for name, left, up in zip(frame.index, x, y, strict=True):
            drawing.write_beside(ax, drawing.feature_label(str(name)), (left, up), (6, 5))
    ax.margins(0.12)
    if not higher_is_better:
        ax.invert_xaxis()
    hint = "larger" if higher_is_better else "smaller"
    ax.set_xlabel(f"{readable(stability).capitalize()} ({hint} = more stable)")
    ax.set_ylabel(f"{readable(accuracy).capitalize()} (larger = better)")
    return drawing.finished(ax, "Stability and accuracy", grid="both")


def plot_adequacy(curve: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Expected agreement of two repetitions against the number of resamples, on a logarithmic axis.

    The curve is that of :func:`pyfsagg.stability_measures.adequacy`; without `ax` the figure is new.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import adequacy
    >>> scores = np.array([2.0, 1.0, 0.0]) + np.random.default_rng(0).normal(size=(60, 3))
    >>> len(plot_adequacy(adequacy(scores, sizes="auto", n_features_to_select=1).curve).lines)
    2
    """
    columns = ("n_resamples", "n_features_to_select", "expected_kendall", "expected_top_overlap")
    _require(curve, columns, "adequacy")
    if curve.empty:
        raise DataError("the curve has no rows; there is nothing to draw")
    ax = drawing.new_axes(ax, 3.4)
    sizes = curve["n_resamples"].to_numpy()
    k = int(curve["n_features_to_select"].iloc[0])
    for name, style, colour, label in (
        ("expected_kendall", "o-", drawing.BLUE, "Kendall correlation of the rankings"),
        ("expected_top_overlap", "s--", drawing.ORANGE, f"share of the best {k:,} kept"),
    ):
        ax.plot(sizes, curve[name], style, color=colour, markersize=4.5, label=label)
    drawing.log_ticks(ax, sizes.tolist())
    ax.tick_params(axis="x", rotation=0 if len(sizes) < 9 else 45)
    lowest = float(np.nanmin(curve[["expected_kendall", "expected_top_overlap"]].to_numpy()))
    ax.set_ylim(min(0.0, lowest) - 0.02, 1.04)
    ax.set_xlabel("Number of resamples (logarithmic)")
    ax.set_ylabel("Agreement of two repetitions")
    return drawing.finished(ax, "Would a repetition agree?", grid="y")


def _plot_curve_of_report(report: StabilityResult, *, ax: Axes | None = None) -> Axes:
    if report.curve is None:
        raise DataError(
            Param("selections"), " have one size only, and no curve of stability against size"
        )
    return plot_stability_curve(report.curve, ax=ax)


STABILITY_PLOTS = {"curve": _plot_curve_of_report}
STABILITY_PAGE = Topic("reference/stability_measures", "Stability measures", "list stability")
MOST_ROWS = 500
CURVE_CAPTION = (
    "Stability of the best k features of the resamples, for different k. Dotted: what selecting k "
    "features at random would give. Only the distance from the dotted line is evidence for the "
    "ranking; a measure that is not corrected for chance rises with k by itself."
)


def stability_page(result: StabilityResult, view: Mapping[str, Any]) -> Report:
    """The report about a collection."""
    table, p = result.table, result.data["n_features"]
    sections = []
    # Measures of other packages may be absent here.
    known = [STABILITY_MEASURES.get(name) for name in table.index if name in STABILITY_MEASURES]
    if known:
        rows = [
            [linked(titled(spec.name), STABILITY_PAGE.entry(spec.name)), spec.summary, spec.formula]
            for spec in known
        ]
        titles = ("Measure", "What it is", "Formula")
        note = Markup("Formulas as they are set: {}.").format(leads_to(STABILITY_PAGE))
        definitions = PageTable("What each measure is.", heads(titles, titles), rows, note)
        sections.append(Section("measures", "Measures", [definitions]))
    if result.curve is not None and result.curve["value"].notna().any():
        curve = [curve_picture(result.curve)]
        sections.append(Section("size", "Stability against subset size", curve))
    level = f"{100 * result.parameters['confidence_level']:g} %"
    if (pair := result.pair) is not None:
        limits = [
            MISSING if one.interval is None else " to ".join(map(number, one.interval))
            for one in pair.results
        ]
        columns = [
            (PageColumn("Collection", numeric=False), pair.names),
            (PageColumn("Resamples"), [count(one.n_resamples) for one in pair.results]),
            (PageColumn("Stability"), [number(one.estimate) for one in pair.results]),
            (PageColumn("Interval"), limits),
        ]
        caption = f"Nogueira's stability of two collections, with {level} intervals."
        about = (
            "Resamples of one data set are independent given these data only: the test is then about "
            "a repetition with another seed."
        )
        both: list[Block] = [PageTable.of_columns(caption, columns), Text(about)]
        sections.append(Section("comparison", "Comparison", both))
    if result.features is not None:
        sections.append(Section("features", "Features", [_features(result.features, level)]))
    references = [
        (titled(str(name)), STABILITY_MEASURES.get(str(name)).source) for name in table.index
    ]
    features = f", {plural(p, 'feature')}" if p else ""
    return Report(
        ("Stability", "Stability of {}"),
        f"{plural(result.data['n_resamples'], 'resample')}{features}",
        sections,
        settings_groups(result),
        [software(__version__), *references],
    )


def curve_picture(curve: pd.DataFrame) -> Picture:
    """Stability of the best k features against k."""
    label = "Lines: stability of the best k features against k, with the level of chance"
    about = {"label": label, "caption": CURVE_CAPTION}
    title = "Stability of the best k features"
    return drawing.picture(title, "curve", plot_stability_curve, curve, **about)


def _features(features: pd.DataFrame, level: str) -> PageTable:
    frame = features.sort_values("frequency", ascending=False, kind="stable").head(MOST_ROWS)
    limits = zip(percentages(frame["lower"]), percentages(frame["upper"]), strict=True)
    columns = [
        (PageColumn("Feature", numeric=False), [str(name) for name in frame.index]),
        (PageColumn("Selected in %"), percentages(frame["frequency"])),
        (PageColumn(f"Its {level} interval"), [f"{low} to {high}" for low, high in limits]),
    ]
    if "rank_median" in frame:
        columns += [
            (PageColumn("Median rank"), ranks(frame["rank_median"])),
            (PageColumn("5 % of ranks"), ranks(frame["rank_q05"])),
            (PageColumn("95 % of ranks"), ranks(frame["rank_q95"])),
        ]
    hidden = len(features) - len(frame)
    more = f" {count(hidden)} more features are in features.csv." if hidden else ""
    caption = "Features by the share of resamples that select them."
    note = f"Interval of the share: Wilson.{more}"
    return PageTable.of_columns(caption, columns, note, find="feature")
