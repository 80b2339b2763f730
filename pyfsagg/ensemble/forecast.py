"""What a run will cost in time and memory: measured on a piece, said before it is spent."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from pyfsagg._base.memory import require_memory
from pyfsagg._base.remarks import warn
from pyfsagg._base.words import duration
from pyfsagg._run.parallel import count_workers
from pyfsagg.filters._base import BoundFilter
from pyfsagg.filters._depth import LEAST
from pyfsagg.resampling import Resamples

__all__ = [
    "TENTH",
    "Work",
    "block_size",
    "expected_seconds",
    "require_score_memory",
    "resamples_together",
    "warn_of_time",
]

TENTH = "a tenth of the resamples"

LONG = 120.0
"""Seconds above which a run is announced."""

SMALL = 50_000_000
"""Cells (resamples times rows times features) below which no time is spent on a forecast."""

_BLOCK_CELLS = 1_000_000
_MOST = 8
_FEATURE = 1000  # bytes of its name and its row in the tables of a result


def block_size(n_samples: int, n_features: int, together: int = 1) -> int:
    """Resamples per task: enough to make calls worth while, few enough that progress is seen.

    At least as many as a filter scores `together`, up to eight.
    """
    few = _BLOCK_CELLS // max(1, n_samples * n_features)
    return max(1, min(_MOST, max(few, together)))


def resamples_together(bound: Sequence[BoundFilter]) -> int:
    """The most resamples that one of the filters scores at once."""
    return max(getattr(each.scorer(), "together", 1) for each in bound)


def expected_seconds(
    bound: Sequence[BoundFilter], resamples: Resamples
) -> dict[BoundFilter, float] | None:
    """Seconds that each filter takes for one resample; None where a piece would cost too much.

    A compiled filter is timed on the first resample, or on as many as it scores at once; mRMR on the
    first steps of its selection, from which the time of the others follows.
    """
    scorers = [each.scorer() for each in bound]
    if resamples.changes_table or not all(getattr(s, "releases_gil", True) for s in scorers):
        return None
    found = {}
    for each, scorer in zip(bound, scorers, strict=True):
        first = slice(0, min(len(resamples), getattr(scorer, "together", 1)))
        weights, labels = resamples.weights[first], resamples.labels_of(first)
        if hasattr(scorer, "expected_seconds"):
            found[each] = scorer.expected_seconds(weights, labels)
        else:
            scorer(weights, labels)  # the first call may compile
            start = time.perf_counter()
            scorer(weights, labels)
            found[each] = (time.perf_counter() - start) / first.stop
    return found


@dataclass(frozen=True)
class Work:
    """How many resamples are scored in all, and how many with settings that would shorten the run."""

    total: int
    fewer: Mapping[str, int]

    @classmethod
    def of(cls, total: int) -> Self:
        """Work that follows the number of resamples."""
        return cls(total, {TENTH: max(1, total // 10)})


def warn_of_time(
    bound: Sequence[BoundFilter], resamples: Resamples, n_jobs: int | None, work: Work
) -> None:
    """Warn if the work will take long, and name the settings that would shorten it."""
    table, total = bound[0].table, work.total
    if total * table.n_samples * table.n_features < SMALL:
        return
    pieces = expected_seconds(bound, resamples)
    if pieces is None:
        return
    workers = min(count_workers(n_jobs), os.cpu_count() or 1)
    each = sum(pieces.values())
    expected = each * total / workers
    if expected < LONG:
        return
    ways = []
    for filter_, seconds in pieces.items():
        scorer = filter_.scorer()
        depth = getattr(scorer, "n_selected", 0)
        if depth > LEAST:
            weights, labels = resamples.weights[:1], resamples.labels_of(slice(0, 1))
            less = scorer.expected_seconds(weights, labels, LEAST)  # type: ignore[attr-defined]
            label = next(iter(filter_.outputs))
            shorter = duration((each - seconds + less) * total / workers)
            ways.append(f"filter_params={{{label!r}: {{'n_features': {LEAST}}}}}: about {shorter}")
    ways += [
        f"{setting}: about {duration(each * number / workers)}"
        for setting, number in work.fewer.items()
    ]
    warn(
        f"this will take about {duration(expected)} with {workers} worker(s); " + "; ".join(ways),
        stacklevel=2,
    )


def require_score_memory(n_matrices: int, shape: tuple[int, int]) -> None:
    """Refuse score matrices that, with what is computed from them, do not fit into memory.

    Raises
    ------
    DataError
        With the estimate and a number that would fit.
    """
    m, p = shape
    require_memory(
        8 * m * p * (n_matrices + 4) + _FEATURE * p,
        f"the score matrices of {m:,} resamples and {p:,} features, and what is computed from them,",
        "execution=Execution(scratch='FOLDER') keeps them in files; or draw fewer resamples",
    )
