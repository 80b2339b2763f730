"""The report of an ensemble run: what was done, what was found, how to repeat and to cite it."""

from __future__ import annotations

import os
import warnings
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from pyfsagg._base.checks import check_integer
from pyfsagg._base.selection import n_selected
from pyfsagg._base.words import (
    enumerate_names,
    number,
    numbers,
    percentages,
    ranks,
    readable,
)
from pyfsagg._draw.svg import inline_svg
from pyfsagg._page.html import render_html, write_html
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.ensemble._page_resamples import adequacy_words, curve_picture
from pyfsagg.ensemble._record import python_snippet, references, settings, target_words
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggWarning
from pyfsagg.resampling import PLANS
from pyfsagg.stability_measures import STABILITY_MEASURES

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["render_report", "write_report"]

SECTIONS = (
    ("summary", "Summary"),
    ("ranking", "Ranking"),
    ("pictures", "Pictures"),
    ("stability", "Stability"),
    ("enough", "Enough resamples?"),
    ("size", "Subset size"),
    ("settings", "Settings"),
    ("repeat", "Repeat"),
    ("cite", "Cite"),
)
MOST_ROWS = 500
MOST_DRAWN = 20
METHODS = {"wam": "within-aggregation (WAM)", "bam": "between-aggregation (BAM)"}
MEASURES = {
    "pearson": ("Pearson", "correlation of the scores of two resamples"),
    "spearman": ("Spearman", "correlation of the rankings of two resamples"),
    "jaccard": ("Jaccard", "share of features in common among the best quarter of two resamples"),
    "canberra": ("Canberra", "distance of the rankings of two resamples, per feature"),
    "asd": ("ASD", "standard deviation of the standardised scores of a feature, averaged"),
}
"""Names and plain words for the measures of the thesis, each averaged over pairs of resamples."""


def write_report(
    result: EnsembleResult,
    path: str | os.PathLike[str],
    *,
    threshold: float | int = 0.25,
    command: str | None = None,
    data_name: str | None = None,
) -> Path:
    """Write the report of :func:`render_report` to a file, which appears complete or not at all.

    Parameters
    ----------
    result, threshold, command, data_name
        As in :func:`render_report`.
    path : path
        The HTML file; an existing one is replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        If the file cannot be written.
    ParameterError, InputTypeError
        As in :func:`render_report`.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(data.X, data.y, filter="chi_squared", n_resamples=5, random_state=0)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(result, Path(folder) / "report.html", threshold=3).name
    'report.html'
    """
    page = render_report(result, threshold=threshold, command=command, data_name=data_name)
    return write_html(page, path)


def render_report(
    result: EnsembleResult,
    *,
    threshold: float | int = 0.25,
    command: str | None = None,
    data_name: str | None = None,
) -> str:
    """One self-contained HTML page about an ensemble run.

    It needs no network and no script to be read, and equal results give equal pages.

    Parameters
    ----------
    result : EnsembleResult
    threshold : int or float
        The selection, as in :meth:`pyfsagg.EnsembleResult.select`.
    command : str, optional
        The arguments of the ``pyfsagg`` command that made the result, quoted for a shell.
    data_name : str, optional
        What the data are called, for the title; the target is named otherwise.

    Returns
    -------
    str
        The page.  At most 500 features are listed.

    Raises
    ------
    ParameterError
        If `threshold` is out of range.
    InputTypeError
        If `result` is no result of an ensemble run.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(data.X, data.y, filter="chi_squared", n_resamples=5, random_state=0)
    >>> page = render_report(result, threshold=3, data_name="wine")
    >>> "<h1>Feature ranking of wine</h1>" in page
    True
    """
    if not isinstance(result, EnsembleResult):
        raise InputTypeError(
            f"a report is made of an EnsembleResult, got {type(result).__name__}; wam and bam "
            "return one"
        )
    k = n_selected(threshold, result.n_features)
    threshold = int(threshold) if isinstance(threshold, Integral) else float(threshold)
    stability = _stability_table(result)
    return render_html(
        "ensemble.html.j2",
        heading=f"Feature ranking of {data_name}" if data_name else "Feature ranking",
        navigation=SECTIONS,
        **_facts(result, threshold, k),
        table=_ranking_table(result, threshold, k),
        enough=adequacy_words(result, threshold),
        size=curve_picture(result),
        pictures=_pictures(result, threshold, k),
        stability=stability,
        spearman=next(
            (row["cells"][-1] for row in stability["rows"] if row["name"] == "Spearman"), None
        ),
        settings=settings(result, threshold),
        snippet=python_snippet(result, threshold),
        command=command,
        references=references(result),
    )


def _facts(result: EnsembleResult, threshold: float | int, k: int) -> dict[str, Any]:
    """What the sentences of the page say."""
    data, parameters = result.data, result.parameters
    plan = parameters["resampling"]
    aggregator = AGGREGATORS.get(parameters["aggregator"])
    return {
        "method": METHODS[result.method],
        "is_bam": result.method == "bam",
        "k": k,
        "share": f"{number(100 * threshold, 1).removesuffix('.0')}\u00a0%"
        if isinstance(threshold, float)
        else None,
        "selected": enumerate_names(result.select(threshold)),
        "n_features": result.n_features,
        "n_samples": data["n_samples"],
        "target_words": target_words(data),
        "target": data["target"],
        "target_kind": data.get("target_kind", "classes"),
        "n_classes": len(data["class_counts"]),
        "n_dropped": len(data["dropped_features"]),
        "binning": readable(parameters["binning"]) if "binning" in parameters else None,
        "bins": parameters.get("bins"),
        "n_resamples": result.n_resamples,
        "plan": readable(plan),
        "plan_summary": PLANS.get(plan).summary if plan in PLANS else "rows given by the user",
        "filters": enumerate_names([readable(label) for label in result.score_matrices]),
        "n_filters": len(result.score_matrices),
        "normalize": readable(parameters.get("normalize", "")),
        "aggregator": readable(aggregator.name),
        "aggregator_summary": aggregator.summary,
        "version": result.versions["pyfsagg"],
    }


def _ranking_table(result: EnsembleResult, threshold: float | int, k: int) -> dict[str, Any]:
    """Rows of formatted cells, best feature first."""
    frame = result.to_frame(threshold)
    shown = frame.head(MOST_ROWS)
    low, high = percentages(shown["frequency_lower"]), percentages(shown["frequency_upper"])
    means = [f"mean_{label}" for label in result.score_matrices]
    columns = [
        ranks(shown["rank"]),
        [str(name) for name in shown.index],
        numbers(shown["score"]),
        ranks(shown["rank_median"]),
        _intervals(ranks(shown["rank_lower"]), ranks(shown["rank_upper"])),
        percentages(shown["selection_frequency"]),
        _intervals(low, high),
        *(numbers(shown[column]) for column in means),
    ]
    return {
        "rows": list(zip(*columns, strict=True)),
        "filters": [readable(label) for label in result.score_matrices],
        "n_hidden": len(frame) - len(shown),
        "n_selected_shown": min(k, len(shown)),
    }


def _intervals(low: list[str], high: list[str]) -> list[str]:
    return [f"{a} to {b}" for a, b in zip(low, high, strict=True)]


def _pictures(result: EnsembleResult, threshold: float | int, k: int) -> dict[str, Markup]:
    """Inline SVG by kind."""
    drawn = min(MOST_DRAWN, result.n_features)
    best = result.select(check_integer("drawn", drawn))[:3]
    several = len(result.score_matrices) > 1
    labels = {
        "ranking": f"Median rank and 95 % rank interval of the {drawn} best features; best first: "
        f"{', '.join(best)}",
        "scores": f"Box plots of the scores of the {drawn} best features over the resamples",
        "agreement": "Heat map of the rank correlation between filters"
        if several
        else "Histogram of the rank correlation between pairs of resamples",
        "convergence": "Lines: agreement of the ranking from the first resamples with the final "
        "ranking",
    }
    options: dict[str, dict[str, Any]] = {
        "ranking": {"n": MOST_DRAWN, "threshold": threshold},
        "scores": {"n": MOST_DRAWN},
        "agreement": {},
        "convergence": {"threshold": threshold},
    }
    return {
        kind: inline_svg(
            lambda kind=kind: result.plot(kind, **options[kind]),  # type: ignore[misc]
            prefix=kind,
            label=label,
        )
        for kind, label in labels.items()
    }


def _stability_table(result: EnsembleResult) -> dict[str, Any]:
    """One row per measure, one value per filter; or the reason why there is none."""
    try:
        frame, remarks = _stability_with_remarks(result)
    except DataError as error:
        return {"reason": str(error), "remarks": [], "rows": [], "filters": []}
    rows = []
    for measure in frame.columns:
        spec = STABILITY_MEASURES.get(str(measure))
        name, meaning = MEASURES.get(spec.name, (readable(spec.name), spec.summary))
        rows.append(
            {
                "name": name,
                "meaning": meaning,
                "bounds": spec.bounds.replace("-", "−").replace("inf", "∞"),
                "direction": "larger" if spec.larger_is_stabler else "smaller",
                "cells": [number(value) for value in frame[measure]],
            }
        )
    labels = ["all combined" if label == "bam" else readable(label) for label in frame.index]
    return {"reason": None, "remarks": remarks, "rows": rows, "filters": labels}


def _stability_with_remarks(result: EnsembleResult) -> tuple[pd.DataFrame, list[str]]:
    """The stability of a result, and what the measures had to warn of, for the reader."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = result.stability()
    remarks = []
    for each in caught:
        if issubclass(each.category, PyfsaggWarning):
            remarks.append(str(each.message))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return frame, list(dict.fromkeys(remarks))
