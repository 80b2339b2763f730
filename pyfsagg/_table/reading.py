"""A table and a target as a task says."""

from __future__ import annotations

from typing import Any

from pyfsagg._base.task import Task
from pyfsagg._table.table import AnyTable, Table, check_table
from pyfsagg._table.target import Target, check_target

__all__ = ["read_any_table", "read_table", "read_target"]


def read_any_table(task: Task, X: Any) -> AnyTable:
    """The table, also a sparse one, and one of a single column."""
    return check_table(X, nominal=task.nominal, sparse=True, min_features=1)


def read_table(task: Task, X: Any) -> Table:
    """The table; a sparse one is refused."""
    return check_table(X, nominal=task.nominal)


def read_target(task: Task, y: Any, n_samples: int, *, optional: bool = False) -> Target:
    """The target of `n_samples` rows; none is accepted if `optional`."""
    return check_target(y, n_samples, task=task.task, bins=task.target_bins, optional=optional)
