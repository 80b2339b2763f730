"""From a table to orders: ties, missing values and scales are decided here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._message import DIVIDE_WEIGHTS, NAN, Param, Remedy, Use
from pyfsagg._table import columns
from pyfsagg._table.table import Table, as_table, full_weights
from pyfsagg._table.target import check_target
from pyfsagg.exceptions import DataError, ParameterError

TIES = ("average", "ordinal", "random", "error")
MISSING = ("error", "unknown")
SCALE_RATIO = 0.5  # 0.28 for raw gene expression, 0.66 for tables of mixed units
PROBED_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Orders:
    """Labelled orders, rows grouped by class."""

    # int16 or int32, (n_samples, n_features).  Only comparisons within a row are meaningful: equal =
    # tied, negative = unknown position.
    ranks: NDArray[Any]
    weights: NDArray[np.int64]  # how often each row counts (above 0)
    codes: NDArray[np.int32]  # class of each row, ascending
    starts: NDArray[np.int64]  # class c owns rows starts[c] to starts[c + 1]
    rows: NDArray[np.intp]  # where each row stood in the table
    classes: tuple[Any, ...]
    feature_names: tuple[str, ...]
    has_ties: bool
    has_unknown: bool

    @property
    def n_samples(self) -> int:
        return int(self.ranks.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.ranks.shape[1])

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """Weight of each class."""
        sizes = np.bincount(self.codes, weights=self.weights, minlength=self.n_classes)
        return sizes.astype(np.int64)

    def counts(self) -> NDArray[np.float64]:
        """All counts of instances that can occur, for tables of logarithms: 0 to the total weight."""
        total = int(self.weights.sum())
        what = f"the logarithms of counts up to {total:,}, the weights together,"
        memory.require_memory(24 * total, what, DIVIDE_WEIGHTS)
        return np.arange(total + 1, dtype=np.float64)


def order_table(X: TableLike, *, min_samples: int = 1, min_features: int = 2) -> Table:
    """A table whose cells are comparable with each other."""
    table = as_table(X, min_samples=min_samples, min_features=min_features, allow_constant=True)
    nominal = np.flatnonzero(table.kinds == columns.Kind.NOMINAL)
    if nominal.size:
        raise DataError(
            f"column {table.feature_names[nominal[0]]!r} is nominal; orders compare the features "
            "of a sample with one another, so all must be numbers on one scale. Leave it out"
        )
    return table


def check_rules(table: Table, ties: str, missing: str, random_state: RandomState) -> None:
    """Refuse an unknown rule, and data that a rule does not allow."""
    validation.check_choice("ties", ties, TIES)
    validation.check_choice("missing", missing, MISSING)
    if ties == "random" and random_state is None:
        state = Param("random_state")
        raise ParameterError(
            Use(ties="random"), " draws the order of ties; give ", state, ", such as 0"
        )
    unknown = np.argwhere(np.isnan(table.values))
    if missing == "error" and unknown.size:
        row, column = unknown[0]
        use = Use(missing="unknown")
        raise DataError(
            f"column {table.feature_names[column]!r} has a missing value (",
            NAN,
            f") in row {row + 1} ({len(unknown)} in all)",
            Remedy("impute them, or pass ", use, " to leave the place of a missing value open"),
        )
    for row, values in enumerate(table.values if ties == "error" else ()):
        order = np.argsort(values, kind="stable")
        equal = np.flatnonzero(np.diff(values[order]) == 0)
        if equal.size:
            first, second = order[equal[0]], order[equal[0] + 1]
            raise DataError(
                f"row {row + 1} has the same value in {table.feature_names[first]!r} and "
                f"{table.feature_names[second]!r}, so it defines no order of the two; choose "
                'a rule for ties: "average" (equal), "ordinal" (order of columns) or "random"'
            )


def integer_ranks(
    values: NDArray[np.float64], ties: str, random_state: RandomState
) -> NDArray[Any]:
    """Ascending ranks 0, 1, … within rows; equal = tied, -1 = missing."""
    n, p = values.shape
    dtype = np.int16 if p <= np.iinfo(np.int16).max else np.int32
    ranks = np.empty((n, p), dtype=dtype)
    rng = np.random.default_rng(random_state) if ties == "random" else None
    for out, row in zip(ranks, values, strict=True):
        order = np.lexsort((row,) if rng is None else (rng.random(p), row))
        if ties in ("ordinal", "random"):
            out[order] = np.arange(p)
        else:
            out[order] = np.append(0, np.cumsum(np.diff(row[order]) != 0))
        out[np.isnan(row)] = -1
    return ranks


def read_orders(
    X: TableLike,
    y: TargetLike,
    *,
    sample_weight: Any = None,
    ties: str = "average",
    missing: str = "error",
    random_state: RandomState = None,
) -> Orders:
    """Validate a labelled table and return :class:`Orders`."""
    table = order_table(X, min_samples=2)
    target = check_target(y, table.n_samples, min_per_class=2.0)
    check_rules(table, ties, missing, random_state)
    weights = full_weights(table.n_samples, sample_weight)[0].astype(np.int64)
    rows = np.flatnonzero(weights)
    rows = rows[np.argsort(target.codes[rows], kind="stable")]
    present, codes = np.unique(target.codes[rows], return_inverse=True)
    if present.size < 2:
        raise DataError(
            Param("sample_weight"),
            f" leaves one class only ({target.classes[present[0]]!r}); at least two are needed. ",
            'For resamples use the plan "stratified_bootstrap"',
        )
    ranks = integer_ranks(table.values, ties, random_state)[rows]
    if (ranks == ranks[0]).all():
        raise DataError(
            "all samples have the same order of features, so orders cannot separate the classes"
        )
    known = (ranks >= 0).sum(axis=1)
    return Orders(
        ranks=ranks,
        weights=weights[rows],
        codes=codes.astype(np.int32),
        starts=np.searchsorted(codes, np.arange(present.size + 1)).astype(np.int64),
        rows=rows,
        classes=tuple(target.classes[c] for c in present),
        feature_names=table.feature_names,
        # Tied ranks are dense: without ties the largest is the number of known entries less one.
        has_ties=bool((ranks.max(axis=1) < known - 1).any()),
        has_unknown=bool((ranks < 0).any()),
    )


def doubts(orders: Orders) -> tuple[str, ...]:
    """Remarks on orders that may mean little: features not on one scale, or a class of one sample."""
    remarks, p = [], orders.n_features
    if p >= 4:  # with fewer there are too few pairs to speak of
        # Almost all pairs of features in one and the same order in every sample are a bad sign.
        rng = np.random.default_rng(0)
        first = rng.integers(0, p, PROBED_PAIRS)
        second = (first + rng.integers(1, p, PROBED_PAIRS)) % p
        a, b = orders.ranks[:, first], orders.ranks[:, second]
        fixed = float(((a < b).all(axis=0) | (a > b).all(axis=0)).mean())
        if fixed >= SCALE_RATIO:
            remarks.append(
                f"about {fixed:.0%} of the feature pairs have the same order in all samples: the "
                "features seem not to be on one scale. Orders compare the features of a sample with "
                "one another (is a above b?), which is meaningful only if all measure the same "
                "kind of quantity in one unit. Bring them to one scale first, if that makes sense"
            )
    single = np.flatnonzero(orders.class_sizes == 1)
    if single.size:
        remarks.append(
            f"the class {orders.classes[single[0]]!r} has one sample: it is its own centre, has no "
            "inversions (so that spoiler counts ignore it), and cross-validation cannot learn it"
        )
    return tuple(remarks)


def read_features(features: Sequence[str | int] | Any, names: tuple[str, ...]) -> NDArray[np.int64]:
    """Positions of features given by name or position (from 0)."""
    if isinstance(features, str):
        features = [features]
    place = {name: j for j, name in enumerate(names)}
    positions = []
    for feature in validation.check_list("features", features):
        if isinstance(feature, (int, np.integer)) and not isinstance(feature, bool):
            if not 0 <= feature < len(names):
                problem = f" has the position {feature}; the columns are 0 to {len(names) - 1}"
                raise ParameterError(Param("features"), problem)
            positions.append(int(feature))
        elif isinstance(feature, str) and feature in place:
            positions.append(place[feature])
        else:
            first = ", ".join(map(repr, names[:5]))
            problem = f" names {feature!r}, which is not a column; the first are {first}"
            raise ParameterError(Param("features"), problem)
    if len(set(positions)) < len(positions):
        raise ParameterError(Param("features"), " names a column twice", Remedy("give each once"))
    if not positions:
        raise ParameterError(Param("features"), " is empty", Remedy("name at least one"))
    return np.array(positions, dtype=np.int64)
