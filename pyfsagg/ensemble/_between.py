"""Stability between samples of a run: pairs of disjoint halves beside its resamples, and how it is told."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.words import count, number, plural
from pyfsagg._page.page import Block, Column, Table, Text
from pyfsagg.exceptions import DataError
from pyfsagg.resampling import ComplementaryPairs, Plan, Resamples
from pyfsagg.stability_measures import BetweenSampleStability

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = [
    "between_blocks",
    "between_sentence",
    "between_text",
    "pairs_plan",
    "record_of_pairs",
    "repeated_rows",
]

SPLIT_BY_MDL = ("information_gain", "gain_ratio", "symmetric_uncertainty")

WORDS = {
    "nogueira": ("Selected features", "Nogueira: features in common beyond chance"),
    "spearman": ("Ranks", "Spearman correlation"),
    "pearson": ("Scores", "Pearson correlation"),
}


def pairs_plan(plan: Plan) -> ComplementaryPairs:
    """Pairs for the same population as that of another plan: its groups, its weights."""
    return ComplementaryPairs(
        groups=getattr(plan, "groups", None), sample_weight=plan.sample_weight
    )


def record_of_pairs(drawn: Resamples) -> dict[str, Any]:
    """How many pairs there are, and how many rows their halves have, on average."""
    rows = drawn.weights.sum(axis=1, dtype=np.int64)
    return {"n_pairs": len(drawn) // 2, "rows_in_a_half": round(float(rows.mean()))}


def halves_of(result: EnsembleResult) -> tuple[NDArray[np.float64], int | None]:
    """Scores of the halves (2 n_pairs, n_features), and the rows of a half.

    Raises
    ------
    DataError
        If there are none, with the reason.
    """
    if result.parameters["resampling"] == ComplementaryPairs.name:
        counted = result.data["n_samples"] // 2
        weighted = result.parameters.get("weighted") or result.parameters.get("grouped")
        return result.combined, None if weighted else counted
    if result.halves is None:
        reason = (result.parameters.get("pairs") or {}).get("reason")
        raise DataError(
            "the run has no pairs of halves for the stability between samples"
            + (
                f": {reason}"
                if reason
                else "; give checks=Checks(pairs=30), or 8 resamples or more, or "
                "resampling='complementary_pairs'"
            )
        )
    return result.halves, result.parameters["pairs"]["rows_in_a_half"]


def split_pairs(
    halves: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The first and the second half of each pair."""
    first, second = ComplementaryPairs.pairs(len(halves)).T
    return halves[first], halves[second]


CHANCE = (
    "the agreement of as many features drawn at random, as on noise if all features are alike. Features that "
    "differ, for instance in their number of levels, agree on noise, too"
)
MOST = 0.75
"""Share of selected features above which their agreement is told by the few that are left out."""


def _sizes(
    found: BetweenSampleStability, result: EnsembleResult, threshold: float | int | str
) -> tuple[str, str, str]:
    """Rows of a sample, features of a selection, and what has to be said of their number."""
    rows = "half of the rows" if found.n_rows is None else f"{count(found.n_rows)} rows"
    k, p = found.top, found.n_features
    remarks = []
    if isinstance(threshold, str) and result.select(threshold):
        remarks.append(
            "The number of features was chosen from the rows of both samples, so that the agreement may be "
            "too high."
        )
    if k > MOST * p:
        remarks.append(
            f"With {count(k)} of {count(p)} features, it is the agreement on the {count(p - k)} left out, "
            "and says little about the best."
        )
    return rows, f"the best {plural(k, 'feature')}", " ".join(remarks)


def _sentences(
    found: BetweenSampleStability, result: EnsembleResult, threshold: float | int | str
) -> tuple[str, str]:
    rows, best, remarks = _sizes(found, result, threshold)
    noise = (
        "; the agreement of resamples with shuffled targets, below, shows how far resamples of this table do"
        if result.shuffled is not None
        else ""
    )
    what = (
        f"Two samples of {rows} each, without a common row, were ranked by the same filters; "
        f"{count(found.n_pairs)} such pairs were drawn. Selected are {best} of each. 1: the same "
        f"ranking. 0: {CHANCE}{noise}. {remarks}"
    ).strip()
    tells = (
        "This estimates how far another sample of that size would give the same features. The "
        "agreement of the resamples below answers another question. Resamples of one sample share "
        "rows, so that they agree even on noise: it shows whether more resamples would change the ranking"
    )
    return what, tells


def _limits(row: Mapping[Any, Any]) -> str:
    low, high = row["lower"], row["upper"]
    return "too few pairs" if np.isnan(low) else f"{number(low, 2)} to {number(high, 2)}"


def between_sentence(result: EnsembleResult, threshold: float | int | str) -> list[str]:
    """The stability of the selection between samples in a sentence, if there is one."""
    try:
        found = result.between_sample_stability(threshold)
    except DataError:
        return []
    row = found.estimates.loc["nogueira"].to_dict()
    estimate = float(row["estimate"])
    if np.isnan(estimate):
        return []
    rows, best, remarks = _sizes(found, result, threshold)
    return [
        f"Two samples of {rows} each would agree on {best} to {number(estimate, 2)} "
        f"({100 * found.level:g}\u00a0% interval for the population: {_limits(row)}), where 1 "
        f"is the same selection and 0 {CHANCE}.{' ' * bool(remarks)}{remarks}"
    ]


def between_text(result: EnsembleResult, threshold: float | int | str) -> str:
    """The stability between samples for the terminal, or the reason why there is none."""
    try:
        found = result.between_sample_stability(threshold)
    except DataError as reason:
        return f"Would another sample give the same? Not known: {reason}."
    what, tells = _sentences(found, result, threshold)
    shown = found.estimates.dropna(subset=["estimate"])
    lines = [
        f"  {WORDS[str(name)][0]:<18}{row['estimate']:6.3f}   "
        f"({100 * found.level:g} % interval for the population: {_limits(row.to_dict())})"
        for name, row in shown.iterrows()
    ]
    told = textwrap.fill(f"{what} {tells}.", 88, break_on_hyphens=False)
    return "\n".join(["Would another sample give the same?", *lines, told])


def between_blocks(result: EnsembleResult, threshold: float | int | str) -> list[Block]:
    """The same for the page of a run."""
    try:
        found = result.between_sample_stability(threshold)
    except DataError as reason:
        return [Text(f"This cannot be measured here: {reason}.")]
    rows = [
        [WORDS[str(name)][0], WORDS[str(name)][1], number(row["estimate"]), _limits(row.to_dict())]
        for name, row in found.estimates.dropna(subset=["estimate"]).iterrows()
    ]
    columns = [
        Column("Agreement of", numeric=False),
        Column("Measure", numeric=False),
        Column("Estimate"),
        Column(f"{100 * found.level:g}\u00a0% interval of the population", sortable=False),
    ]
    what, tells = _sentences(found, result, threshold)
    note = (
        "The interval is about the population, not about a repetition of this run, and usually "
        "wider than necessary. It may be too narrow if a filter finds nothing in most samples. "
        "The agreement of samples of the full size is not estimated, because no rule of "
        "extrapolation was correct in simulations; with signal, it is higher than this value."
    )
    table = Table("How far two independent samples agree", columns, rows)
    return [Text(what), table, Text(f"{tells}."), Text(note, quiet=True)]


def repeated_rows(result: EnsembleResult) -> list[Block]:
    """A note where a bootstrap meets filters to which repeated rows look like evidence."""
    parameters = result.parameters
    concerned = any(label in SPLIT_BY_MDL for label in result.score_matrices)
    if not concerned or "bootstrap" not in parameters["resampling"] or "binning" in parameters:
        return []
    return [
        Text(
            "Note. A bootstrap repeats rows, and repeated rows look like evidence to filters that split "
            "a feature by MDL (information gain and its kin): more features without any relation to the "
            "target get a score above 0 than on the data themselves. Compare the scores with each other, "
            "do not read them as information; resampling='subsample' and 'complementary_pairs' repeat "
            "no rows.",
            quiet=True,
        )
    ]
