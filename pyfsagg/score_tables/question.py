"""How standings are made of a table of scores: what the table does not say itself."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pyfsagg._base.registry import Call
from pyfsagg._base.validation import check_choice, check_integer, check_real
from pyfsagg.score_tables._metrics import MetricStandings
from pyfsagg.score_tables._result import TESTS, WAYS, Standings
from pyfsagg.score_tables._table import ScoreTable
from pyfsagg.statistics._base import check_confidence_level

MOST_SIGNED = 60
"""Methods up to which signed ranks are the default; each pair takes a millisecond."""


@dataclass(frozen=True)
class Question:
    """How standings are made of a table, as in :func:`standings`; it is checked when it is made."""

    by: str = "mean"
    test: str = "auto"
    rope: float | None = None
    confidence_level: float = 0.95
    random_state: int = 0

    def __post_init__(self) -> None:
        check_choice("by", self.by, WAYS)
        check_choice("test", self.test, ("auto", *TESTS))
        if self.rope is not None:
            check_real("rope", self.rope, low=0.0)
        check_confidence_level("confidence_level", self.confidence_level)
        check_integer("random_state", self.random_state, low=0)

    def of(
        self, table: ScoreTable, *, higher_is_better: bool, call: Call | None = None, **told: Any
    ) -> Standings:
        """The standings of a table; `told` are fields that say what it is about."""
        few = len(table.methods) <= MOST_SIGNED
        test = "wilcoxon" if self.by == "rank" and few else "t"
        asked = replace(self, test=test) if self.test == "auto" else self
        asked_for = {"higher_is_better": higher_is_better, **asdict(asked)}
        repeated = {} if call is None else {"call": call.record()}
        return Standings(
            methods=table.methods,
            datasets=table.datasets,
            cells=table.cells,
            replicates=table.replicates,
            within=table.within,
            df=table.df,
            paired=table.paired,
            test_train_ratio=table.ratio,
            **asked_for,
            **told,
            parameters={**asked_for, "test_train_ratio": table.ratio, **repeated},
            data={
                "n_methods": len(table.methods),
                "n_datasets": len(table.datasets),
                "sha256": _hash(table),
            },
        )

    def each(
        self,
        metrics: Sequence[str],
        make: Callable[[Question, str, Call | None], Standings],
        call: Call | None = None,
    ) -> Standings | MetricStandings:
        """Standings by one metric, or by several at levels that keep the stated one together (Bonferroni)."""
        if len(metrics) == 1:
            return make(self, metrics[0], call)
        level = 1.0 - (1.0 - self.confidence_level) / len(metrics)
        of = tuple(make(replace(self, confidence_level=level), name, None) for name in metrics)
        higher = {name: one.higher_is_better for name, one in zip(metrics, of, strict=True)}
        repeated = {} if call is None else {"call": call.record()}
        own = {"higher_is_better": higher, "confidence_level": self.confidence_level}
        sha256 = hashlib.sha256("".join(one.data["sha256"] for one in of).encode())
        return MetricStandings(
            metrics=tuple(metrics),
            of=of,
            confidence_level=self.confidence_level,
            parameters={**of[0].parameters, **own, **repeated},
            data={**of[0].data, "n_metrics": len(of), "sha256": sha256.hexdigest()},
        )


def _hash(table: ScoreTable) -> str:
    """SHA-256 of the names, the cells and the replicates."""
    digest = hashlib.sha256("\0".join((*table.methods, "", *table.datasets)).encode())
    digest.update((table.cells + 0.0).tobytes())
    digest.update(table.replicates.tobytes())
    return digest.hexdigest()
