"""What the report of an ensemble says of the true ranks."""

from __future__ import annotations

from pyfsagg._base.words import count, enumerate_names, plural
from pyfsagg._page.page import Block, Column, Text
from pyfsagg.ensemble.rank_sets import MOST_SHOWN, why_no_sets
from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["SET_MEANING", "rank_set_columns", "true_rank_blocks"]

MOST_NAMED = 50
SET_MEANING = (
    "95\u00a0% set of the true rank",
    "the ranks that the feature may have by its expected score in samples of this size from the same "
    "population, with 95\u00a0% confidence for this feature alone",
)


def rank_set_columns(result: EnsembleResult, order: list[int]) -> list[tuple[Column, list[str]]]:
    """The column of confidence sets of a table of features, in the order given; or none."""
    sets = result.rank_sets
    if sets is None:
        return []
    cells = [f"{count(int(sets.lower[j]))} to {count(int(sets.upper[j]))}" for j in order]
    return [(Column("95\u00a0% set of the true rank", sortable=False), cells)]


def true_rank_blocks(result: EnsembleResult, k: int) -> list[Block]:
    """Which features may be among the true best, or why nothing can be said."""
    sets = result.rank_sets
    if sets is None:
        reason = why_no_sets(result) or (
            f"the sets are computed by default for at most {MOST_SHOWN} features; ask for them with "
            "result.rank_confidence()"
        )
        return [Text(f"There are no confidence sets for the ranks here: {reason}.")]
    best = sets.top(k)
    named = [
        *best[:MOST_NAMED],
        *([f"{count(len(best) - MOST_NAMED)} more"] if len(best) > 50 else []),
    ]
    one = k == 1
    return [
        Text(
            f"The true best {'feature' if one else count(k)} of {plural(result.n_features, 'feature')} "
            f"{'is' if one else 'are'}, with 95\u00a0% confidence, among these "
            f"{plural(len(best), 'feature')}: {enumerate_names(named)}."
        ),
        Text(
            "True ranks are those by the expected score in samples of this size from the same "
            "population. Two features count as different if their scores differ by more than all pairs "
            "together may differ by chance (Mogstad, Romano, Shaikh and Wilhelm 2024). The set is wide "
            "where the sample cannot separate features; a larger sample makes it smaller, more "
            "resamples do not.",
            quiet=True,
        ),
    ]
