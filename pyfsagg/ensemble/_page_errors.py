"""How many of the selected may be false: a section of the page of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from pyfsagg._base.words import count, numbers, percentages, probabilities
from pyfsagg._page.page import Block, Column, Section, Table, Text
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.error_control import ErrorControl, TargetPermutation

__all__ = ["error_sections"]

MOST_ROWS = 50


def error_sections(result: EnsembleResult, view: Mapping[str, Any]) -> list[Section]:
    """The section, if a limit on false selections was asked for."""
    control = result.controlled(view)
    blocks = _sentences(control)
    if control is not None:
        blocks.append(_table(control))
    blocks += _sentences(result.permutation)
    if result.permutation is not None:
        blocks.append(_permutation_table(result.permutation))
    if not blocks:
        return []
    return [Section("errors", "How many of the selected may be false?", blocks, short="Errors")]


def _sentences(found: ErrorControl | TargetPermutation | None) -> list[Block]:
    if found is None:
        return []
    first, *rest = found.sentences
    return [Text(Markup("<b>{}</b>").format(first)), *(Text(each) for each in rest)]


def _permutation_table(found: TargetPermutation) -> Table:
    best = found.to_frame().head(MOST_ROWS)
    return Table.of_columns(
        "Features against shuffled targets, best first.",
        [
            (Column("Feature", numeric=False), [str(name) for name in best.index]),
            (Column("Score"), numbers(best["score"])),
            (Column("p-value"), probabilities(best["p_value"])),
            (Column("Family-wise p-value"), probabilities(best["family_wise_p_value"])),
        ],
        f"Scores of {found.n_resamples} resamples. The p-value is that of the feature by itself; the "
        "family-wise one is adjusted across features by the step-down maximum statistic.",
        tinted=len(found.select(0.05)),
    )


def _table(control: ErrorControl) -> Table:
    frame = control.to_frame()
    best = frame.head(MOST_ROWS)
    columns = [
        (Column("Feature", numeric=False), [str(name) for name in best.index]),
        (
            Column("Selected", numeric=False, sortable=False),
            ["yes" if chosen else "no" for chosen in best["controlled"]],
        ),
        (
            Column(f"Among the best {max(control.q, 1)} in\u00a0%"),
            percentages(best["pair_frequency"]),
        ),
        (Column("Expected false"), numbers(best["expected_false"])),
        (Column("Along the path"), numbers(best["path_expected_false"])),
        (Column("q-value"), numbers(best["q_value"])),
    ]
    more = len(frame) - len(best)
    note = (
        "Expected false: bound on the number of false selections if this feature and all that are as "
        "frequent were selected. Along the path: the same by integrated path stability selection, and "
        "its q-value, the estimated share of false selections. Each value assumes that the limit "
        "was fixed before the table was seen."
    )
    hidden = f" {count(more)} more features are in ranking.csv." if more else ""
    return Table.of_columns(
        "Features, the safest first.",
        columns,
        note + hidden,
        tinted=int(control.support.sum()),
    )
