"""Rankings that were made before, and whether they have seen the rows they are tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import as_array
from pyfsagg._table.identity import data_hash
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.evaluation.splits import Rows, take_rows
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import rank_scores

__all__ = ["GivenRanking", "read_rankings"]

LEAKAGE = {
    "excluded": "was computed on rows that are not tested on",
    "declared": "was computed, by declaration (ranking_rows), on rows that are not tested on",
    "possible": "was computed on rows that are not known: leakage cannot be excluded, and the "
    "results may be too good. Say which rows they were (ranking_rows), or give methods instead",
    "certain": "was computed on the whole table, the rows to test on among them, and its results "
    "would be too good. protocol='nested' ranks again with its settings inside each training fold; "
    "protocol='leaky' shows the effect of the mistake",
}


@dataclass(frozen=True, eq=False)
class GivenRanking:
    """Feature positions, best first, and what is known about the rows behind them."""

    order: NDArray[np.intp]
    leakage: str

    def remark(self, label: str) -> str:
        return f"the ranking {label!r} {LEAKAGE[self.leakage]}"

    def record(self) -> dict[str, Any]:
        return {"method": "given ranking", "leakage": self.leakage}


def read_rankings(
    rankings: Any,
    table: Table,
    target: Target,
    ranking_rows: Rows | None,
    features: tuple[str, ...] | None = None,
) -> dict[str, GivenRanking]:
    """Results, arrays of ranks and lists of names, as positions of the features (of the columns by default).

    Raises
    ------
    ParameterError
        If two rankings have the same label.
    DataError
        If a ranking does not rank each feature of the table once, or its ranks are not numbers.
    InputTypeError
        For something that is not a ranking.
    """
    if isinstance(rankings, EnsembleResult):
        rankings = {rankings.method: rankings}
    if not hasattr(rankings, "items"):
        raise InputTypeError(
            "rankings must be a mapping of label to ranking, for instance {'bam': result}, got "
            f"{type(rankings).__name__}"
        )
    whole = data_hash(table, target)
    part = None if ranking_rows is None else data_hash(*take_rows(table, target, ranking_rows))
    found = {}
    for key, item in rankings.items():
        label = str(key)
        if label in found:
            raise ParameterError(f"the ranking {label!r} is given twice")
        leakage = "possible" if part is None else "declared"
        if isinstance(item, EnsembleResult):
            origin = item.data["sha256"]
            if origin == whole:
                leakage = "certain"
            elif origin == part:
                leakage = "excluded"
        found[label] = GivenRanking(_order(label, item, features or table.feature_names), leakage)
    return found


def _order(label: str, item: Any, known: tuple[str, ...]) -> NDArray[np.intp]:
    if isinstance(item, EnsembleResult):
        _check_groups(label, item, known)
        # Near-constant features that the run left out come last.
        item = [*item.select(item.n_features), *item.data["dropped_features"]]
    if hasattr(item, "tolist"):
        item = item.tolist()
    if isinstance(item, (str, bytes)) or not hasattr(item, "__len__"):
        raise InputTypeError(
            f"the ranking {label!r} must be an EnsembleResult, an array of ranks or a list of "
            f"feature names (best first), got {item!r}"
        )
    if len(item) and all(isinstance(name, str) for name in item):
        return _order_of_names(label, list(item), known)
    try:
        ranks = as_array("a ranking", item, np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"the ranking {label!r} holds neither names nor numbers only: {item!r}"
        ) from None
    if ranks.shape != (len(known),) or not np.isfinite(ranks).all():
        raise DataError(
            f"the ranking {label!r} must have one rank for each of the {len(known)} features, "
            f"1 = most important; got the shape {ranks.shape}"
            + ("" if np.isfinite(ranks).all() else " with missing or infinite ranks")
        )
    return np.argsort(rank_scores(-ranks), kind="stable")


def _check_groups(label: str, result: EnsembleResult, known: tuple[str, ...]) -> None:
    """Refuse a run of groups where columns are evaluated, and the other way round."""
    ranked = [*result.feature_names, *result.data["dropped_features"]]
    if set(ranked) != set(known) and result.groups:
        raise DataError(
            f"the ranking {label!r} is one of groups of columns; give the same groups here, by "
            "task=pyfsagg.Task(feature_groups=result.groups)"
        )


def _order_of_names(label: str, names: list[str], known: tuple[str, ...]) -> NDArray[np.intp]:
    position = {name: j for j, name in enumerate(known)}
    strange = [name for name in names if name not in position]
    if strange:
        raise DataError(
            f"the ranking {label!r} names the feature {strange[0]!r}, which the table does not have"
        )
    twice = (
        [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    )
    if twice:
        raise DataError(f"the ranking {label!r} names the feature {twice[0]!r} twice")
    absent = [name for name in known if name not in set(names)]
    if absent:
        raise DataError(
            f"the ranking {label!r} leaves out {len(absent)} of {len(known)} features, "
            f"{absent[0]!r} among them; rank all, or leave these columns out of the table"
        )
    return np.array([position[name] for name in names], dtype=np.intp)
