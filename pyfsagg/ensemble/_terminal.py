"""What the terminal says of a run."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from pyfsagg._base.words import count
from pyfsagg.ensemble._between import between_text
from pyfsagg.exceptions import DataError

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["paragraphs_of"]

FIRST = 10  # features that are listed
FIRST_OF_NOISE = 5  # where none is selected
COLUMNS = {
    "rank": ("rank", "{:g}"),
    "score": ("score", "{:.4f}"),
    "rank_set_lower": ("true rank from", "{:d}"),
    "rank_set_upper": ("to (95 %)", "{:d}"),
    "rank_lower": ("rank 2.5 %", "{:g}"),
    "rank_upper": ("rank 97.5 %", "{:g}"),
    "selection_frequency": ("selected in", "{:.0%}"),
    "status": ("status", "{}"),
}
SETS, RANKS = ("rank_set_lower", "rank_set_upper"), ("rank_lower", "rank_upper")
SHUFFLED = "with shuffled target"


def paragraphs_of(result: EnsembleResult, view: Mapping[str, Any]) -> list[str]:
    """The paragraphs of :meth:`pyfsagg.EnsembleResult.summary_text`."""
    k = result.chosen(view).compared
    width = result.data.get("n_columns", result.n_features)
    noun = "columns" if result.groups else "features"
    depth = [
        f"The filter {label} selected {chosen['n_features']} {noun} greedily in each resample; the "
        "others keep the criterion of its last step."
        for label, chosen in result.parameters.get("filter_params", {}).items()
        if isinstance(chosen.get("n_features"), int) and chosen["n_features"] < width
    ]
    notes = (result.about_ties(k), result.about_copies(k), result.about_groups())
    return [
        *depth,
        f"{result.method.upper()} with {', '.join(result.score_matrices)}; "
        f"{result.parameters['aggregator']} over {result.n_resamples} resamples "
        f"({result.parameters['resampling']})",
        between_text(result, result.threshold_of(view)),
        *_about_errors(result, view),
        _selected(result, view),
        _filled(_by_chance(result, k, view["threshold"])),
        *(textwrap.fill(note, 88) for note in notes if note),
        f"Agreement of the resamples, which share rows of one sample:\n{_stability(result)}",
    ]


def _selected(result: EnsembleResult, view: Mapping[str, Any]) -> str:
    """How many features, why, and the first of them."""
    found = result.selection_of(view)
    left_out = RANKS if result.rank_sets is not None else SETS
    columns = {name: told for name, told in COLUMNS.items() if name not in left_out}
    frame = result.frame_of(view)
    shown = frame.loc[list(found.names[:FIRST])] if found.names else frame.head(FIRST_OF_NOISE)
    shown = shown[list(columns)]
    shown.columns = pd.Index([title for title, _ in columns.values()])
    formatters = {title: form.format for title, form in columns.values()}
    table = shown.to_string(formatters=formatters, index_names=False)
    rest = f"\n… and {found.number - FIRST} more" if found.number > FIRST else ""
    # A number that was asked for needs no reason.
    said = found.sentences if isinstance(result.threshold_of(view), str) else found.sentences[1:]
    head = f"Selected {found.number} of {result.n_features} features{_of_columns(result, view)}"
    head = _filled(f"{head}. {' '.join(said)}") if said else f"{head}:"
    return f"{head}\n{table}{rest}"


def _of_columns(result: EnsembleResult, view: Mapping[str, Any]) -> str:
    """How many columns the selected features have, if these are groups."""
    if not result.groups:
        return ""
    columns = result.columns(result.threshold_of(view))
    return f" ({count(len(columns))} of {count(result.data['n_columns'])} columns)"


def _stability(result: EnsembleResult) -> str:
    """The measures of each filter, and below them those of shuffled targets."""
    try:
        found = result.stability()
    except DataError as reason:
        return f"not defined: {reason}"
    noise = result.shuffled
    if noise is None:
        return found.round(3).to_string(index_names=False)
    table = noise.stability.reindex(index=found.index, columns=found.columns)
    rows = []
    for label in found.index:
        rows += [found.loc[[label]], table.loc[[label]].rename(index={label: SHUFFLED})]
    text: str = pd.concat(rows).round(3).to_string(index_names=False, na_rep="–")
    return f"{text}\n{_filled(noise.sentence)}"


def _about_errors(result: EnsembleResult, view: Mapping[str, Any]) -> list[str]:
    found = (result.controlled(view), result.permutation)
    return ["\n".join(map(_filled, each.sentences)) for each in found if each is not None]


def _by_chance(result: EnsembleResult, k: int, threshold: Any) -> str:
    """What a selection frequency is without any signal."""
    proposed = threshold == "auto" and result.shuffled is not None
    first = (
        f"If the target were unrelated to all features, some would be proposed in at most "
        f"{result.shuffled.false_alarms:.0%} of runs. A high selection frequency alone is no evidence"
        if proposed and result.shuffled is not None
        else "With a fixed number, features are selected even from noise"
    )
    return (
        f"{first}: by chance a feature is among the best {k} in {k / result.n_features:.0%} of resamples, "
        "and one that the sample favours in many more, because resamples share rows. How many of the "
        "selected may be false: error control (max_false or fdr)."
    )


def _filled(text: str) -> str:
    return textwrap.fill(text, 88, break_on_hyphens=False)
