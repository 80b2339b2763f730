"""Which rows rank the features, which train a learner and which test it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.remarks import ALONE
from pyfsagg._base.validation import as_array
from pyfsagg._message import Got, Param, Remedy
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.evaluation.protocol import PROTOCOLS
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling.plan import canonical_order

if TYPE_CHECKING:
    pass


Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows that train and rows that test; `pool` says which rows were divided into folds.

    Protocols that divide the same rows share their folds, so that a classifier on the same features
    is fitted once for all of them.
    """

    pool: str
    repeat: int
    number: int
    train: Rows
    test: Rows

    def seed(self, seed: int) -> int:
        """A seed for the classifiers of this fold, the same for all of them."""
        pools = ("rest", "all")
        key = (3, pools.index(self.pool), self.repeat, self.number)
        return _seed(seed, key) % 2**32


@dataclass(frozen=True, eq=False)
class SplitPart:
    """Rows on which features are ranked, and the folds in which that ranking is used."""

    protocol: str
    repeat: int
    rank_rows: Rows
    folds: tuple[Fold, ...]

    def seed(self, seed: int) -> int:
        """A seed for the ranking, the same for all methods."""
        inside = self.folds[0].number if self.protocol == "nested" else 0
        return _seed(seed, (4, list(PROTOCOLS).index(self.protocol), self.repeat, inside))


def _seed(seed: int, key: tuple[int, ...]) -> int:
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0]) >> 1


def read_ranking_rows(ranking_rows: Any, n_samples: int) -> Rows:
    """Positions of the rows that were used for given rankings, from a mask or positions."""
    array = as_array("ranking_rows", ranking_rows)
    if array.ndim == 1 and array.dtype == np.bool_ and array.size == n_samples:
        rows = np.flatnonzero(array)
    elif array.ndim == 1 and array.dtype.kind in "iu" and array.size:
        rows = np.unique(array).astype(np.intp)
        if rows.size < array.size or rows[0] < 0 or rows[-1] >= n_samples:
            raise ParameterError(
                Param("ranking_rows"),
                f" must be different positions from 0 to {n_samples - 1}, got {array.size} ",
                f"positions from {array.min()} to {array.max()}",
            )
    else:
        raise ParameterError(
            Param("ranking_rows"),
            f" must be a boolean mask of {n_samples} rows or a list of row positions",
            Got(ranking_rows),
        )
    if not 0 < rows.size < n_samples:
        raise ParameterError(
            Param("ranking_rows"),
            f" holds {rows.size} of {n_samples} rows; some are needed, and others must be ",
            "left to test on",
        )
    return rows


def read_row_groups(groups: Any, n_samples: int) -> NDArray[np.intp] | None:
    """Codes of the groups by row."""
    if groups is None:
        return None
    series = pd.Series(as_array("groups", groups).ravel())
    if len(series) != n_samples:
        raise ParameterError(
            Param("groups"), f" has {len(series)} entries for {n_samples} samples of ", Param("X")
        )
    if series.isna().any():
        raise ParameterError(Param("groups"), " has missing entries; every row needs a group")
    return np.unique(series.astype(str), return_inverse=True)[1].astype(np.intp)


def draw_parts(
    table: Table,
    target: Target,
    *,
    protocols: Sequence[str],
    n_folds: int,
    n_repeats: int,
    test_size: float,
    seed: int,
    ranking_rows: Rows | None = None,
    groups: NDArray[np.intp] | None = None,
) -> list[SplitPart]:
    """All parts of all protocols.

    The division depends on what the rows hold, not on where they stand.  Rows of one of the `groups`
    (codes by row) stay together.
    """
    order = canonical_order(table, target)
    parts = []
    for repeat in range(n_repeats):
        if "thesis" in protocols:
            rank_rows, rest = _split(
                order, target, test_size, _seed(seed, (5, repeat)), ranking_rows, groups
            )
            where = "the part of the rows that classifiers are tested on"
            _check_classes(target, rest, n_folds, where, groups)
            draw = _seed(seed, (6, 0, repeat))
            folds = _folds(rest, target, n_folds, draw, "rest", repeat, groups)
            parts.append(SplitPart("thesis", repeat, rank_rows, folds))
        if "nested" in protocols or "leaky" in protocols:
            _check_classes(target, order, n_folds, "the table", groups)
            draw = _seed(seed, (6, 1, repeat))
            folds = _folds(order, target, n_folds, draw, "all", repeat, groups)
            if "nested" in protocols:
                parts += [SplitPart("nested", repeat, fold.train, (fold,)) for fold in folds]
            if "leaky" in protocols:
                parts.append(SplitPart("leaky", repeat, order, folds))
    return parts


def _check_classes(
    target: Target, rows: Rows, n_folds: int, where: str, groups: NDArray[np.intp] | None
) -> None:
    if groups is not None and (n_groups := np.unique(groups[rows]).size) < n_folds:
        raise DataError(
            f"there are {n_groups} group(s) in {where}, fewer than the {n_folds} folds; lower ",
            Param("n_folds"),
            ", or raise ",
            Param("test_size"),
        )
    if target.kind == "numeric":
        if rows.size < 2 * n_folds:
            raise DataError(
                f"there are {rows.size} rows in {where}, fewer than two for each of the ",
                f"{n_folds} folds",
                Remedy("lower ", Param("n_folds"), ", or raise ", Param("test_size")),
            )
        return  # its bins only spread the folds over its range
    counts = np.bincount(target.strata[rows], minlength=target.n_strata)
    if target.kind == "survival":
        if counts[1] < n_folds:
            raise DataError(
                f"there are {counts[1]} event(s) in {where}, fewer than the {n_folds} folds; lower ",
                Param("n_folds"),
                ", or raise ",
                Param("test_size"),
            )
        return
    smallest = int(counts.argmin())
    if counts[smallest] < n_folds:
        raise DataError(
            f"the class {target.classes[smallest]!r} has {counts[smallest]} row(s) in ",
            f"{where}, fewer than the {n_folds} folds",
            Remedy(
                "lower ",
                Param("n_folds"),
                ", raise ",
                Param("test_size"),
                ", or merge or drop the class",
            ),
        )


def _split(
    order: Rows,
    target: Target,
    test_size: float,
    seed: int,
    ranking_rows: Rows | None,
    groups: NDArray[np.intp] | None,
) -> tuple[Rows, Rows]:
    """Rows to rank on and rows to test on, each class divided in the same proportion."""
    if ranking_rows is not None:
        used = np.isin(order, ranking_rows)
        return order[used], order[~used]
    if groups is not None:
        from sklearn.model_selection import GroupShuffleSplit

        splitter = GroupShuffleSplit(1, test_size=test_size, random_state=seed % 2**32)
        ((kept, tried),) = splitter.split(order, groups=groups[order])
        return order[kept], order[tried]
    rng = np.random.default_rng(seed)
    tested = np.zeros(order.size, dtype=np.bool_)
    codes = target.strata[order]
    for c in range(target.n_strata):
        members = rng.permutation(np.flatnonzero(codes == c))
        # A class is in both parts, however small it is, unless it has one row only.
        size = min(max(1, round(test_size * members.size)), members.size - 1)
        tested[members[:size]] = True
    return order[~tested], order[tested]


def _folds(
    rows: Rows,
    target: Target,
    n_folds: int,
    seed: int,
    pool: str,
    repeat: int,
    groups: NDArray[np.intp] | None,
) -> tuple[Fold, ...]:
    """Stratified folds: the rows of a class are dealt out in turn, in random order.

    Dealing goes on from class to class, so that the folds are of equal size up to one row.  Groups
    stay whole, and the classes are spread as evenly as they allow.
    """
    codes = target.strata[rows]
    fold_of = np.empty(rows.size, dtype=np.intp)
    if groups is None:
        rng = np.random.default_rng(seed)
        dealt = np.concatenate(
            [rng.permutation(np.flatnonzero(codes == c)) for c in range(target.n_strata)]
        )
        fold_of[dealt] = np.arange(rows.size) % n_folds
    else:
        from sklearn.model_selection import StratifiedGroupKFold

        splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed % 2**32)
        with ALONE, warnings.catch_warnings():
            # Classes smaller than the folds were refused, bins of a number may be.
            warnings.filterwarnings(
                "ignore", message="The least populated class", category=UserWarning
            )
            for number, (_, test) in enumerate(splitter.split(rows, codes, groups[rows])):
                fold_of[test] = number
    return tuple(
        Fold(pool, repeat, number, rows[fold_of != number], rows[fold_of == number])
        for number in range(n_folds)
    )


def take_rows(table: Table, target: Target, rows: Rows) -> tuple[Table, Target]:
    """The table and target with the rows at these positions."""
    return (
        table.with_values(table.values[rows]),
        target.take(rows),
    )
