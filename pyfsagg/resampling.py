"""Resampling plans: a seed and a table in, row weights out.

A resample is never a copy of the table.  It is a row of integer weights that say how often each
sample occurs, so that kernels sort or bin a feature once and then look at weights only.

Row r of a plan depends on the seed and on r, not on how many resamples are drawn or by how many
workers.  Samples are drawn in a canonical order that does not depend on the order of the rows in
the table: shuffling the rows, or writing a row k times instead of giving it the weight k, leaves
every resample the same multiset of rows.  Plans that put noise on cells or labels draw no rows and do
not promise this; nor does the Poisson bootstrap, which goes by the number of a row.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._identity import row_digests
from pyfsagg._poisson_bootstrap import poisson_resamples
from pyfsagg._registry import Registry
from pyfsagg._target import Target
from pyfsagg._validation import (
    AnyTable,
    Kind,
    SparseTable,
    Table,
    check_integer,
    check_real,
    weights_from_counts,
)
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError

__all__ = [
    "PLANS",
    "PlanSpec",
    "Resamples",
    "draw_resamples",
    "list_resampling_plans",
    "resamples_from_indices",
    "resolve_seed",
]


@dataclass(frozen=True, eq=False)
class Resamples:
    """What each resample sees of the table.

    Attributes
    ----------
    weights : ndarray of uint16, shape (n_resamples, n_samples)
        How often each row occurs in each resample.
    labels : ndarray of int32, shape (1 or n_resamples, n_samples)
        Class codes; one row when all resamples share the true labels.
    features : ndarray of bool, shape (n_resamples, n_features), or None
        Which features each resample may see; a feature that it does not see has a missing score.
    noise : float
        Standard deviation of the noise added to numeric cells, in units of the feature's own.
    plan, seed, parameters
        How the resamples were drawn; `seed` is None for rows given by the caller.
    """

    weights: NDArray[np.uint16]
    labels: NDArray[np.int32]
    features: NDArray[np.bool_] | None
    noise: float
    plan: str
    seed: int | None
    parameters: Mapping[str, Any]

    def __len__(self) -> int:
        return int(self.weights.shape[0])

    def labels_of(self, rows: slice) -> NDArray[np.int32]:
        """The labels that belong to the resamples in `rows`."""
        return self.labels if self.labels.shape[0] == 1 else self.labels[rows]

    def table_of(self, resample: int, table: AnyTable) -> AnyTable:
        """The table as resample number `resample` sees it, under noise or a subset of features."""
        if self.features is not None:
            return table.take(np.flatnonzero(self.features[resample]))
        if self.noise == 0.0 or isinstance(table, SparseTable):
            return table  # noise on a sparse table was refused when the resamples were drawn
        rng = _generator(self.seed, resample, stream=1)
        numeric = np.isin(table.kinds, (Kind.NUMERIC, Kind.INTEGER))
        scale = np.zeros(table.n_features)
        scale[numeric] = self.noise * np.nanstd(table.values[:, numeric], axis=0)
        draws = rng.standard_normal(table.values.shape)
        kinds = np.where(numeric, np.int8(Kind.NUMERIC), table.kinds).astype(np.int8)
        noisy = table.with_values(table.values + draws * np.nan_to_num(scale))
        return Table(noisy.values, table.feature_names, kinds, table.levels)

    @property
    def changes_table(self) -> bool:
        """Whether resamples differ in more than row weights and labels."""
        return self.features is not None or self.noise > 0.0


@dataclass(frozen=True)
class PlanSpec:
    """A registered resampling plan: its parameter is called `parameter` and has a `default`."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    parameter: str | None
    default: float | None


PLANS: Registry[PlanSpec] = Registry("resampling plan")
for _spec in (
    PlanSpec("bootstrap", (), "draws as many rows as there are, with replacement", None, None),
    PlanSpec(
        "poisson_bootstrap",
        ("poisson",),
        "takes each row a Poisson(1) number of times, told by seed, row number and resample alone",
        None,
        None,
    ),
    PlanSpec(
        "stratified_bootstrap",
        ("stratified",),
        "bootstrap within each class, so that class sizes stay",
        None,
        None,
    ),
    PlanSpec(
        "subsample", ("subsampling",), "a fraction of the rows without replacement", "fraction", 0.5
    ),
    PlanSpec(
        "grouped_bootstrap",
        ("grouped",),
        "draws whole groups of rows with replacement (several rows of one subject)",
        None,
        None,
    ),
    PlanSpec(
        "k_fold",
        ("kfold", "cross_validation"),
        "stratified folds; resample r leaves fold r out, so n_resamples is the number of folds",
        None,
        None,
    ),
    PlanSpec(
        "feature_subspace",
        ("subspace",),
        "all rows, a random fraction of the features; the others have no score there",
        "fraction",
        0.5,
    ),
    PlanSpec(
        "label_noise",
        (),
        "all rows; a fraction of the labels is replaced by another class at random",
        "fraction",
        0.1,
    ),
    PlanSpec(
        "value_noise",
        (),
        "all rows; Gaussian noise of `scale` standard deviations on numeric features",
        "scale",
        0.1,
    ),
):
    PLANS.add(_spec)


def list_resampling_plans() -> pd.DataFrame:
    """The resampling plans by name, with their parameter and its default.

    Examples
    --------
    >>> float(list_resampling_plans().loc["subsample", "default"])
    0.5
    """
    return PLANS.to_frame()


def resolve_seed(random_state: object) -> int:
    """A seed that can be written down: an int as it is, None as fresh entropy, a generator's draw.

    Raises
    ------
    InputTypeError
        For anything else.
    """
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return check_integer("random_state", random_state, low=0)
    raise InputTypeError(
        f"random_state must be None, a whole number or a NumPy generator, got {random_state!r}"
    )


def draw_resamples(
    table: AnyTable,
    target: Target,
    *,
    plan: str = "bootstrap",
    n_resamples: int = 1000,
    seed: int = 0,
    groups: ArrayLike | None = None,
    sample_weight: NDArray[np.uint16] | None = None,
    parameters: Mapping[str, Any] | None = None,
    first: int = 0,
) -> Resamples:
    """Draw resamples number `first`, …, `first` + `n_resamples` - 1 of a plan.

    Parameters
    ----------
    table, target
        Validated data.
    plan : str
        A name from ``PLANS``.
    n_resamples : int
        At least 1; for ``"k_fold"`` the number of folds, at least 2.
    seed : int
        Determines the draw together with the number of the resample.
    groups : array of shape (n_samples,), for ``"grouped_bootstrap"``
        Group label of each row.
    sample_weight : ndarray of uint16 (n_samples,), optional
        How often each row stands in the population that is drawn from.
    parameters : mapping, optional
        The plan's own parameter, for instance ``{"fraction": 0.8}``.

    Raises
    ------
    UnknownNameError, ParameterError, DataError
        Unknown plan or parameter, value out of range, groups missing or of the wrong length, more
        folds than the smallest class has rows, weights with which a row is drawn more than 65,535
        times.
    """
    spec = PLANS.get(plan)
    check_integer("n_resamples", n_resamples, low=2 if spec.name == "k_fold" else 1)
    level = _plan_parameter(spec, parameters)
    n = table.n_samples
    weight = np.ones(n, dtype=np.uint16) if sample_weight is None else sample_weight
    if (groups is not None) != (spec.name == "grouped_bootstrap"):
        raise ParameterError(
            "groups and resampling='grouped_bootstrap' belong together, got "
            f"resampling={spec.name!r} and groups={'None' if groups is None else 'given'}"
        )
    _check_kind(spec.name, table, target)
    order = canonical_order(table, target)
    population = np.repeat(order, weight[order])
    everything = np.broadcast_to(weight, (n_resamples, n))
    weights: NDArray[np.uint16] = everything
    labels, features, noise = target.codes[np.newaxis, :], None, 0.0
    rows = range(first, first + n_resamples)
    if spec.name == "bootstrap":
        weights = _count_draws(rows, n, seed, lambda rng: rng.choice(population, population.size))
    elif spec.name == "poisson_bootstrap":
        weights = poisson_resamples(rows, weight, seed)
    elif spec.name == "stratified_bootstrap":
        strata = [population[target.codes[population] == c] for c in range(target.n_classes)]
        weights = _count_draws(
            rows,
            n,
            seed,
            lambda rng: np.concatenate([rng.choice(s, s.size) for s in strata if s.size]),
        )
    elif spec.name == "subsample":
        size = max(2, round(level * population.size))
        weights = _count_draws(
            rows, n, seed, lambda rng: rng.choice(population, size, replace=False)
        )
    elif spec.name == "grouped_bootstrap":
        members = _group_members(groups, population, n)
        weights = _count_draws(
            rows,
            n,
            seed,
            lambda rng: np.concatenate(
                [members[g] for g in rng.integers(len(members), size=len(members))]
            ),
        )
    elif spec.name == "k_fold":
        if first:
            raise ParameterError("k_fold has no further resamples: the folds are all there are")
        weights = _leave_fold_out(n_resamples, population, target, seed, n)
    elif spec.name == "feature_subspace":
        features = _subspaces(rows, table.n_features, level, seed)
    elif spec.name == "label_noise":
        labels = _flip_labels(rows, target, level, seed, order)
    else:
        noise = level
    recorded = {} if spec.parameter is None else {spec.parameter: level}
    return Resamples(
        np.ascontiguousarray(weights), labels, features, noise, spec.name, seed, recorded
    )


def _check_kind(plan: str, table: AnyTable, target: Target) -> None:
    """Refuse plans that need classes where there are none, or cells where they are not kept."""
    if plan == "value_noise" and isinstance(table, SparseTable):
        raise DataError(
            "resampling='value_noise' puts noise on every cell, also on those that are zero, and X is "
            "sparse; use another plan, or a dense table (X.toarray())"
        )
    if plan == "stratified_bootstrap" and target.kind == "none":
        raise ParameterError(
            "resampling='stratified_bootstrap' keeps the shares of the classes, and there is no target; "
            "use 'bootstrap'"
        )
    if plan == "label_noise" and target.kind != "classes":
        raise ParameterError(
            "resampling='label_noise' exchanges class labels, and the target has none; use another plan"
        )


def resamples_from_indices(row_indices: ArrayLike, target: Target) -> Resamples:
    """Resamples made elsewhere: an array (n_resamples, any number of draws) of 0-based rows.

    Raises
    ------
    ParameterError
        If the array is not two-dimensional, not whole numbers, or points outside the table; if a
        resample draws a row more than 65,535 times.
    """
    n = target.codes.size
    indices = np.asarray(row_indices)
    if indices.ndim != 2 or 0 in indices.shape:
        raise ParameterError(
            "row_indices must have the shape (n_resamples, n_draws), one row per resample; got "
            f"{indices.shape}"
        )
    if indices.dtype.kind == "f" and (indices == np.floor(indices)).all():
        indices = indices.astype(np.int64)
    if indices.dtype.kind not in "iu":
        raise ParameterError(f"row_indices must hold whole numbers, got the type {indices.dtype}")
    if indices.min() < 0 or indices.max() >= n:
        hint = "; R counts from 1: subtract 1" if indices.min() >= 1 and indices.max() == n else ""
        raise ParameterError(
            f"row_indices must lie between 0 and {n - 1} for a table of {n} rows, got "
            f"{indices.min()} to {indices.max()}{hint}"
        )
    weights = np.empty((indices.shape[0], n), dtype=np.uint16)
    remedy = "leave the same share of every row's draws out"
    for r, row in enumerate(indices):
        weights[r] = weights_from_counts(np.bincount(row, minlength=n), r, remedy)
    return Resamples(weights, target.codes[np.newaxis, :], None, 0.0, "row_indices", None, {})


def canonical_order(table: AnyTable, target: Target) -> NDArray[np.intp]:
    """Row positions in an order that depends on what the rows hold, not on where they stand."""
    key = target.codes if target.values is None else target.values
    return np.lexsort((key, row_digests(table)))


def _plan_parameter(spec: PlanSpec, parameters: Mapping[str, Any] | None) -> float:
    given = dict(parameters or {})
    level = given.pop(spec.parameter, spec.default) if spec.parameter else None
    if given:
        allowed = f"it takes {spec.parameter!r}" if spec.parameter else "it takes none"
        raise ParameterError(
            f"resampling={spec.name!r} has no parameter {next(iter(given))!r}; {allowed}"
        )
    if level is None:
        return 0.0
    high = None if spec.parameter == "scale" else 1.0
    return check_real(f"{spec.parameter} of {spec.name}", level, low=0.0, high=high, low_open=True)


def _generator(seed: int | None, resample: int, stream: int = 0) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream, resample)))


def _count_draws(rows: range, n: int, seed: int, draw: Any) -> NDArray[np.uint16]:
    weights = np.empty((len(rows), n), dtype=np.uint16)
    remedy = "divide sample_weight by a common factor"
    for position, row in enumerate(rows):
        counts = np.bincount(draw(_generator(seed, row)), minlength=n)
        weights[position] = weights_from_counts(counts, row, remedy)
    return weights


def _group_members(
    groups: ArrayLike | None, population: NDArray[np.intp], n: int
) -> list[NDArray[np.intp]]:
    array = np.asarray(groups)
    if array.shape != (n,):
        raise DataError(f"groups must have one label per sample ({n}), got the shape {array.shape}")
    names, codes = np.unique(array.astype(str), return_inverse=True)
    if len(names) < 2:
        raise DataError("groups has one group only; a grouped bootstrap needs at least two")
    return [
        members for g in range(len(names)) if (members := population[codes[population] == g]).size
    ]


def _leave_fold_out(
    n_folds: int, population: NDArray[np.intp], target: Target, seed: int, n: int
) -> NDArray[np.uint16]:
    """Stratified folds of (nearly) equal size: classes are dealt out one after the other."""
    smallest = int(np.bincount(target.codes[population]).min())
    if n_folds > smallest:
        raise DataError(
            f"{n_folds} stratified folds need at least {n_folds} rows of every class, and the "
            f"smallest class has {smallest}; "
            + (f"use at most {smallest} folds" if smallest > 1 else "leave that class out")
        )
    rng = _generator(seed, 0)
    shuffled = np.concatenate(
        [
            rng.permutation(population[target.codes[population] == c])
            for c in range(max(1, target.n_classes))
        ]
    )
    fold = np.arange(shuffled.size) % n_folds
    weights = np.empty((n_folds, n), dtype=np.uint16)
    for f in range(n_folds):
        weights[f] = np.bincount(shuffled[fold != f], minlength=n)
    return weights


def _subspaces(rows: range, p: int, fraction: float, seed: int) -> NDArray[np.bool_]:
    size = max(2, round(fraction * p))
    seen = np.zeros((len(rows), p), dtype=np.bool_)
    for position, row in enumerate(rows):
        seen[position, _generator(seed, row).choice(p, size, replace=False)] = True
    return seen


def _flip_labels(
    rows: range, target: Target, fraction: float, seed: int, order: NDArray[np.intp]
) -> NDArray[np.int32]:
    n, k = target.codes.size, target.n_classes
    labels = np.tile(target.codes, (len(rows), 1))
    for position, row in enumerate(rows):
        rng = _generator(seed, row)
        hit = order[rng.choice(n, max(1, round(fraction * n)), replace=False)]
        labels[position, hit] = (labels[position, hit] + rng.integers(1, k, size=hit.size)) % k
    return labels
