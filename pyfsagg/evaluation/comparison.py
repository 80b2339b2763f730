"""Differences over folds and data sets, and the fewest features that are as good as the best."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.registry import Call
from pyfsagg._message import Got, Remedy
from pyfsagg.exceptions import DataError
from pyfsagg.score_tables import Standings
from pyfsagg.score_tables.question import StandingsOptions, score_table

DECIMALS = 10  # differences below are rounding errors
TABLE = "the table"  # what the one data set of an evaluation is called
RANKED_ONCE = (
    "The features were ranked once, so the tests are about these rankings and not about the "
    "methods that made them."
)


@dataclass(frozen=True, eq=False)
class Divisions:
    """Values (n_divisions, n_methods) of folds or repeats of a table; `df` None is divisions − 1."""

    values: pd.DataFrame
    subjects: str
    test_train_ratio: float
    df: float | None
    ranked_once: bool

    def standings(
        self,
        options: StandingsOptions,
        *,
        higher_is_better: bool,
        what: str,
        call: Call | None = None,
    ) -> Standings:
        """Standings of the methods; divisions in which one has no value are omitted."""
        values = without_rounding_errors(self.values)
        whole, missing = values.dropna(), values.isna()
        remarks: tuple[str, ...] = ()
        if len(whole) < len(values):
            columns = ", ".join(str(name) for name in values.columns[missing.any()])
            remarks = (
                f"{len(values) - len(whole)} of {len(values)} {self.subjects} are omitted from all "
                f"tests, because a cell failed or is missing for {columns}.",
            )
        if len(whole) < 2:
            few = f"{len(whole)} complete {self.subjects} are too few."
            raise DataError(" ".join([few, *remarks]))
        rows = np.ascontiguousarray(whole.to_numpy(dtype=np.float64))
        names, codes = tuple(map(str, whole.columns)), np.zeros(len(rows), dtype=np.intp)
        table = score_table(rows, codes, (TABLE,), names, self.test_train_ratio, most_df=self.df)
        if self.ranked_once:
            remarks += (RANKED_ONCE,)
        told = {"what": what, "remarks": remarks}
        return options.of(table, higher_is_better=higher_is_better, call=call, **told)


def divisions_of(
    folds: pd.DataFrame, *, protocol: str, n_folds: int, n_repeats: int, test_size: float | None
) -> Divisions:
    """What can be compared, from values by repeat and fold, and method; under the thesis protocol
    repeats are divisions, and `test_size` is None for given rankings."""
    if protocol == "thesis" and n_repeats > 1 and test_size is not None:
        groups = folds.groupby(level="repeat", sort=False)
        values = groups.mean().where(groups.count() == groups.size().max())
        values.index = pd.Index([f"repeat {r + 1}" for r in values.index], name="repeat")
        return Divisions(values, "repeats", test_size / (1.0 - test_size), None, False)
    names = [f"repeat {r + 1}, fold {f + 1}" for r, f in folds.index]
    values = folds.set_axis(pd.Index(names, name="fold"))
    # Repeats of one table say little about other tables: they add no degrees of freedom.
    df = n_folds - 1.0 if n_repeats > 1 else None
    return Divisions(values, "folds", 1.0 / (n_folds - 1.0), df, protocol != "nested")


def without_rounding_errors(values: pd.DataFrame) -> pd.DataFrame:
    """The values without rounding errors: means of the same numbers in another order are ties."""
    if values.shape[1] < 2:
        raise DataError(
            "a comparison needs at least two methods",
            Got(list(values.columns)),
            Remedy("evaluate more, or let baselines take part"),
        )
    return values.round(DECIMALS)


MEAN = "mean of classifiers"


def fewest_of_folds(
    folds: pd.DataFrame, *, protocol: str, higher_is_better: bool, design: Mapping[str, Any]
) -> dict[str, Any]:
    """The best number of features and the fewest within its standard error, sd · √(1/n + test /
    training rows) over the n complete divisions of `folds`, which share rows (Nadeau and Bengio 2003);
    missing for fewer than two."""
    divisions = divisions_of(folds.dropna(axis=1, how="all"), protocol=protocol, **design)
    values = divisions.values.dropna().round(DECIMALS).sort_index(axis=1)
    n = len(values)
    names = ("best_n_features", "best", "standard_error", "n_features", "value")
    if n < 2:
        return {**dict.fromkeys(names, float("nan")), "n": n}
    sizes = values.columns.to_numpy(dtype=np.float64)
    means = values.to_numpy().mean(axis=0).round(DECIMALS)
    gains = means if higher_is_better else -means
    best = int(gains.argmax())  # the fewest of several
    spread = values.to_numpy()[:, best].std(ddof=1)
    error = float(spread * np.sqrt(1.0 / n + divisions.test_train_ratio))
    enough = int((gains >= gains[best] - error).argmax())
    found = (sizes[best], means[best], error, sizes[enough], means[enough])
    return {**dict(zip(names, map(float, found), strict=True)), "n": n}


def list_of_folds(places: NDArray[np.int32], names: tuple[str, ...], size: int) -> pd.DataFrame:
    """Features by how often they were among the best `size` of a fold, then by mean place; `places`
    (n_folds, p), 1 = best."""
    among, mean = (places <= size).mean(axis=0), places.mean(axis=0)
    order = np.lexsort((mean, -among))
    columns = {
        "share_of_folds": among,
        "mean_place": mean,
        "best_place": places.min(axis=0),
        "worst_place": places.max(axis=0),
    }
    frame = pd.DataFrame(columns, index=pd.Index(names, name="feature")).iloc[order]
    frame.insert(0, "rank", np.arange(1, len(names) + 1))
    return frame[frame["share_of_folds"] > 0]
