"""The table of scores that an evaluation compares: values by data set, or by division of one table.

Data sets are independent.  Folds of one table are not: they share rows, and their tests count that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pyfsagg._base.registry import Call
from pyfsagg._message import Got, Remedy
from pyfsagg.exceptions import DataError
from pyfsagg.score_tables import Standings
from pyfsagg.score_tables._table import score_table
from pyfsagg.score_tables.question import Question

DECIMALS = 10  # differences below are rounding errors
TABLE = "the table"
"""What the one data set of an evaluation is called."""

RANKED_ONCE = (
    "The features were ranked once, so that the tests are about these rankings and not about the "
    "methods that made them."
)


@dataclass(frozen=True, eq=False)
class Divisions:
    """Values (n_divisions, n_methods) of divisions of one table: its folds or repeats.

    `test_train_ratio` is test rows by training rows, `df` None for the number of divisions − 1, and
    `ranked_once` tells whether all divisions have the same rankings.
    """

    values: pd.DataFrame
    subjects: str
    test_train_ratio: float
    df: float | None
    ranked_once: bool

    def standings(
        self, asked: Question, *, higher_is_better: bool, what: str, call: Call | None = None
    ) -> Standings:
        """Standings of the methods; divisions in which one has no value are left out."""
        values = _rounded(self.values)
        whole = values.dropna()
        remarks = _left_out(values, self.subjects)
        if len(whole) < 2:
            raise DataError(
                " ".join([f"{len(whole)} complete {self.subjects} are too few.", *remarks])
            )
        rows = np.ascontiguousarray(whole.to_numpy(dtype=np.float64))
        table = score_table(
            rows,
            np.zeros(len(rows), dtype=np.intp),
            (TABLE,),
            tuple(map(str, whole.columns)),
            self.test_train_ratio,
            most_df=self.df,
        )
        if self.ranked_once:
            remarks += (RANKED_ONCE,)
        return asked.of(
            table, higher_is_better=higher_is_better, what=what, remarks=remarks, call=call
        )


def divisions_of(
    folds: pd.DataFrame, *, protocol: str, n_folds: int, n_repeats: int, test_size: float | None
) -> Divisions:
    """What can be compared, from values by repeat and fold (index) and method (columns).

    Under the thesis protocol a repeat is one division; `test_size` is None if rankings were given.
    """
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


def standings_over_data_sets(
    values: pd.DataFrame,
    asked: Question,
    *,
    higher_is_better: bool,
    what: str,
    call: Call | None = None,
) -> Standings:
    """Standings of methods (columns) over independent data sets (rows); a failed cell is a hole."""
    values = _rounded(values)
    rows = np.ascontiguousarray(values.to_numpy(dtype=np.float64))
    names = tuple(map(str, values.index))
    table = score_table(rows, np.arange(len(rows)), names, tuple(map(str, values.columns)))
    return asked.of(table, higher_is_better=higher_is_better, what=what, call=call)


def _rounded(values: pd.DataFrame) -> pd.DataFrame:
    """The values without rounding errors: means of the same numbers in another order are ties."""
    if values.shape[1] < 2:
        raise DataError(
            "a comparison needs at least two methods",
            Got(list(values.columns)),
            Remedy("evaluate more, or let baselines take part"),
        )
    return values.round(DECIMALS)


def _left_out(values: pd.DataFrame, subjects: str) -> tuple[str, ...]:
    missing = values.isna()
    if not missing.to_numpy().any():
        return ()
    columns = ", ".join(str(name) for name in values.columns[missing.any()])
    return (
        f"{int(missing.any(axis=1).sum())} of {len(values)} {subjects} are left out of all tests, "
        f"because a cell failed or is missing for {columns}.",
    )
