"""What the report of an ensemble says of the true ranks."""

from __future__ import annotations

from pyfsagg._base.words import count, enumerate_names, plural
from pyfsagg._page.page import Block, Column, Text
from pyfsagg.ensemble.rank_sets import MOST_SHOWN, why_no_sets
from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["rank_set_columns", "set_meanings", "true_rank_blocks"]

MOST_NAMED = 50
CENTRED = (
    " It is centred on the rank in the table itself: repeated rows raise the scores of features with many "
    "levels, so that such a feature may be ranked above its set."
)


def rank_set_columns(result: EnsembleResult, order: list[int]) -> list[tuple[Column, list[str]]]:
    """The column of confidence sets of a table of features, in the order given; or none."""
    sets = result.rank_sets
    if sets is None:
        return []
    cells = [f"{count(int(sets.lower[j]))} to {count(int(sets.upper[j]))}" for j in order]
    return [(Column("95\u00a0% set of the true rank", sortable=False), cells)]


def set_meanings(result: EnsembleResult) -> list[tuple[str, str]]:
    """What the column of confidence sets says, where there is one."""
    if result.rank_sets is None:
        return []
    return [
        (
            "95\u00a0% set of the true rank",
            f"the ranks that the feature may have by {result.rank_sets.of}, with 95\u00a0% confidence for "
            "this feature alone",
        )
    ]


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
    centred = CENTRED if result.own_scores is not None else ""
    return [
        Text(
            f"The true best {'feature' if one else count(k)} of {plural(result.n_features, 'feature')} "
            f"{'is' if one else 'are'}, with 95\u00a0% confidence, among these "
            f"{plural(len(best), 'feature')}: {enumerate_names(named)}."
        ),
        Text(
            f"True ranks are those by {sets.of}. Two features count as different if their scores "
            "differ by more than all pairs together may differ by chance (Mogstad, Romano, Shaikh and "
            "Wilhelm 2024). The set is wide where the sample cannot separate features; a larger sample makes "
            f"it smaller, more resamples do not.{centred}",
            quiet=True,
        ),
    ]
