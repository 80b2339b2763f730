"""What a resample and a resampling plan are, and drawing by a plan."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base import memory, registry, settings, validation
from pyfsagg._base.arithmetic import Booleans, Indices
from pyfsagg._message import (
    DIVIDE_COUNTS,
    DIVIDE_WEIGHTS,
    Got,
    Message,
    Param,
    Phrase,
    Remedy,
    Use,
)
from pyfsagg._table import columns, identity, sparse
from pyfsagg._table.table import AnyTable, Table, full_weights, weights_from_counts
from pyfsagg._table.target import Target
from pyfsagg.exceptions import InputTypeError, ParameterError


@dataclass(frozen=True, eq=False)
class Resamples:
    """The weights, labels and features of each resample.

    Attributes
    ----------
    weights : ndarray of uint16, shape (n_resamples, n_samples)
        How often each row occurs in each resample, times its weight if rows have weights.
    labels : ndarray of int32, shape (1 or n_resamples, n_samples)
        Class codes; one row when all resamples share the true labels.
    features : ndarray of bool, shape (n_resamples, n_features), or None
        Which features each resample sees; the others have no score there.
    noise : float
        Standard deviation of the noise on numeric cells, in standard deviations of the feature.
    plan, seed, parameters
        How the resamples were drawn; `seed` is None for rows given by the caller.
    """

    weights: NDArray[np.uint16]
    labels: NDArray[np.int32]
    features: Booleans | None
    noise: float
    plan: str
    seed: int | None
    parameters: Mapping[str, Any]

    def __len__(self) -> int:
        return int(self.weights.shape[0])

    def first(self, size: int) -> Resamples:
        """The first `size` of the resamples."""
        labels = self.labels if self.labels.shape[0] == 1 else self.labels[:size]
        features = None if self.features is None else self.features[:size]
        return replace(self, weights=self.weights[:size], labels=labels, features=features)

    def labels_of(self, rows: slice) -> NDArray[np.int32]:
        """The labels that belong to the resamples in `rows`."""
        return self.labels if self.labels.shape[0] == 1 else self.labels[rows]

    def table_of(self, resample: int, table: AnyTable) -> AnyTable:
        """The table as resample number `resample` sees it, under noise or a subset of features."""
        if self.features is not None:
            return table.take(np.flatnonzero(self.features[resample]))
        if self.noise == 0.0 or isinstance(table, sparse.SparseTable):
            return table  # noise on a sparse table was refused when the resamples were drawn
        rng = generator(self.seed, resample, stream=1)
        numeric = np.isin(table.kinds, (columns.Kind.NUMERIC, columns.Kind.INTEGER))
        scale = np.zeros(table.n_features)
        scale[numeric] = self.noise * np.nanstd(table.values[:, numeric], axis=0)
        draws = rng.standard_normal(table.values.shape)
        kinds = np.where(numeric, np.int8(columns.Kind.NUMERIC), table.kinds).astype(np.int8)
        noisy = table.with_values(table.values + draws * np.nan_to_num(scale))
        return Table(noisy.values, table.feature_names, kinds, table.levels)

    @property
    def changes_table(self) -> bool:
        """Whether resamples differ in more than row weights and labels."""
        return self.features is not None or self.noise > 0.0


@dataclass(frozen=True, eq=False)
class Population:
    """What resamples are drawn from: rows that stand for `counts` samples, and a seed. The canonical order
    makes draws independent of row order, and of repeated rows instead of counts."""

    table: AnyTable
    target: Target
    counts: NDArray[np.uint16]
    seed: int
    carried: NDArray[np.uint16] | None = None  # weights that rows carry into each resample

    @property
    def n_samples(self) -> int:
        return self.table.n_samples

    @cached_property
    def order(self) -> Indices:
        """Row positions in the canonical order."""
        return canonical_order(self.table, self.target, self.carried)

    @cached_property
    def population(self) -> Indices:
        """Row positions in the canonical order, repeated by their counts."""
        return np.repeat(self.order, self.counts[self.order])

    @cached_property
    def strata(self) -> list[Indices]:
        """The population of each class, bin or kind of event; one for all rows without a target."""
        codes = self.target.strata[self.population]
        return [self.population[codes == c] for c in range(max(1, self.target.n_strata))]

    def draw(self, rows: range, positions: Callable[[np.random.Generator], Indices]) -> Drawn:
        """Resamples with the row positions that a function draws."""
        return self.count(rows, lambda row: positions(generator(self.seed, row)))

    def count(
        self, rows: range, positions: Callable[[int], Indices], remedy: str = DIVIDE_COUNTS
    ) -> Drawn:
        """Resamples with the row positions that belong to the number of a resample."""
        weights = np.empty((len(rows), self.n_samples), dtype=np.uint16)
        for place, row in enumerate(rows):
            counts = np.bincount(positions(row), minlength=self.n_samples)
            weights[place] = weights_from_counts(counts, row, remedy)
        return Drawn(weights)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a plan draws: what it leaves at None is as in the source."""

    weights: NDArray[np.uint16] | None = None
    labels: NDArray[np.int32] | None = None
    features: Booleans | None = None
    noise: float = 0.0


def canonical_order(table: AnyTable, target: Target, *more: NDArray[Any] | None) -> Indices:
    """Row positions in an order that depends on the contents of the rows, not on their positions: the
    features, the target with the columns that are set apart, and arrays (n_samples,) of what `more` a caller
    reads of each row. Rows that are alike in all of these may be exchanged."""
    apart = [None if target.adjusters is None else target.adjusters.table, target.always]
    keys = [identity.row_digests(each) for each in apart if each is not None]
    known = [each for each in more if each is not None]
    return np.lexsort((*known, *keys, *target.parts, identity.row_digests(table)))


def generator(seed: int | None, resample: int, stream: int = 0) -> np.random.Generator:
    """The random numbers of one resample: they depend on seed and number alone."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(stream, resample)))


@dataclass(frozen=True)
class PlanSpec:
    """A registered resampling plan; `parameter` is the first of its settings, with its `default`."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    parameter: str | None
    default: float | None
    plan: type[Plan]


PLANS: registry.Registry[PlanSpec] = registry.Registry("resampling plan")


@dataclass(frozen=True, eq=False)
class Plan(settings.Settings):
    """How rows are drawn; the base of all plans.

    Parameters
    ----------
    sample_weight : array of whole numbers, shape (n_samples,), optional
        Weight of each row for any reason: a survey, the rarity of a class, importance.  A row is one
        unit: rows are drawn as if they had no weights, and a row that is drawn c times has c times its
        weight in the resample.  Halves are halves of the rows.  A weight of 0 omits a row.
    counts : array of whole numbers, shape (n_samples,), optional
        How many samples each row stands for, of a table in which equal rows were merged.  Everything is as
        in the table that has each row so often: as many draws, halves that may both have copies of a row.
        Not together with `sample_weight`.
    """

    name: ClassVar[str] = ""
    only: ClassVar[bool] = False  # whether the resamples are all that there are
    together: ClassVar[int] = 1  # how many resamples belong together; their number is a multiple
    fewest: ClassVar[int] = 1  # the smallest number of resamples
    seeded: ClassVar[bool] = True  # whether a seed says which rows are drawn

    sample_weight: ArrayLike | None = settings.option(
        None, flag=False, kw_only=True, help="weight of each row"
    )
    counts: ArrayLike | None = settings.option(
        None, flag=False, kw_only=True, help="how many samples each row stands for"
    )

    def __post_init__(self) -> None:
        if self.sample_weight is not None and self.counts is not None:
            raise ParameterError(
                Param("sample_weight"),
                " and ",
                Param("counts"),
                " cannot both be given",
                Remedy(
                    "give ",
                    Param("counts"),
                    " where a row stands for that many equal samples, and ",
                    Param("sample_weight"),
                    " for weights of any other meaning",
                ),
            )
        super().__post_init__()

    def _called(self, name: str) -> Any:
        return Message(Param(name), f" of {self.name}")

    @abstractmethod
    def _draw(self, source: Population, rows: range) -> Drawn:
        """Resamples number ``rows.start``, …, ``rows.stop`` - 1."""

    def _row_weights(self, n_samples: int) -> NDArray[np.uint16]:
        """How much each row counts in the table itself: its weight, or its count."""
        name = "sample_weight" if self.counts is None else "counts"
        return np.asarray(full_weights(n_samples, getattr(self, name), name)[0])

    def _counts(self, n_samples: int) -> NDArray[np.uint16]:
        """How many of the units that are drawn each row is: a row with a weight is one, unless that is 0."""
        weights = self._row_weights(n_samples)
        return weights if self.sample_weight is None else (weights > 0).astype(np.uint16)

    def _of_rows(self) -> dict[str, Any]:
        """The groups, weights or counts of the rows, as far as they were given."""
        names = "groups", "sample_weight", "counts"
        return {name: given for name in names if (given := getattr(self, name, None)) is not None}

    def _take(self, rows: Indices) -> Self:
        """The plan of a table that contains only the rows at these positions."""
        arrays = {
            field.name: np.asarray(value)[rows]
            for field in fields(self)
            if not field.metadata["flag"] and (value := getattr(self, field.name)) is not None
        }
        return replace(self, **arrays) if arrays else self

    def _check_multiple(self, name: str, number: int, *remedy: Remedy) -> None:
        """Refuse a number of resamples that would divide those that belong together."""
        if number % self.together:
            raise ParameterError(
                Use(resampling=self.name),
                f" draws {self.together} resamples together: ",
                Param(name),
                f" must be a multiple of {self.together}, got {number}",
                *remedy,
            )

    def parameters(self) -> dict[str, Any]:
        """The settings of the plan, without arrays."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.metadata["flag"]}


PlanT = TypeVar("PlanT", bound=type[Plan])


def register_plan(name: str, *aliases: str, summary: str) -> Callable[[PlanT], PlanT]:
    """Make a class known as the plan `name`."""

    def add(plan: PlanT) -> PlanT:
        plan.name = name
        plan.kind = f"resampling={name!r}"
        flags: list[tuple[Any, Any]] = [
            (field.name, field.default) for field in fields(plan) if field.metadata["flag"]
        ]
        PLANS.add(PlanSpec(name, aliases, summary, *(flags or [(None, None)])[0], plan))
        return plan

    return add


def read_plan(plan: str | Plan, parameters: Mapping[str, Any] | None = None) -> Plan:
    """A plan, or the name of one with its parameters."""
    if isinstance(plan, Plan):
        if parameters:
            raise ParameterError(f"{plan!r} has its parameters already")
        return plan
    if not isinstance(plan, str):
        raise InputTypeError(
            Param("resampling"),
            " must be a name from list_methods('resampling')",
            Phrase("plan", " or a plan such as pyfsagg.resampling.Subsample(0.8)"),
            Got(plan),
        )
    return PLANS.get(plan).plan.of(parameters)


def draw_resamples(
    table: AnyTable,
    target: Target,
    plan: str | Plan = "bootstrap",
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    counts: NDArray[np.uint16] | None = None,
    first: int = 0,
) -> Resamples:
    """Draw resamples number `first`, …, `first` + `n_resamples` - 1 of a plan from validated data.

    The seed and the number of a resample determine what is drawn.  `counts` (n_samples,), how often each
    row occurs in the population, replaces the counts of the plan.
    """
    chosen = read_plan(plan)
    validation.check_integer("n_resamples", n_resamples, low=chosen.fewest)
    if counts is None:
        counts = chosen._counts(table.n_samples)
    carried = None if chosen.sample_weight is None else chosen._row_weights(table.n_samples)
    chosen._check_multiple("n_resamples", n_resamples, Remedy(f"use {n_resamples + 1}"))
    memory.require_memory(
        2 * n_resamples * table.n_samples + 24 * int(counts.sum(dtype=np.int64)),
        f"the weights of {table.n_samples:,} rows in {n_resamples:,} resamples",
        Message("draw fewer resamples, or ", DIVIDE_COUNTS),
    )
    population = Population(table, target, counts, seed, carried)
    drawn = chosen._draw(population, range(first, first + n_resamples))
    weights = drawn.weights
    if weights is None:
        weights = np.broadcast_to(counts, (n_resamples, table.n_samples))
    if carried is not None:
        weights = np.stack([
            weights_from_counts(each.astype(np.intp) * carried, first + k, DIVIDE_WEIGHTS)
            for k, each in enumerate(weights)
        ])  # fmt: skip
    return Resamples(
        np.ascontiguousarray(weights),
        target.codes[np.newaxis, :] if drawn.labels is None else drawn.labels,
        drawn.features,
        drawn.noise,
        chosen.name,
        seed if chosen.seeded else None,
        chosen.parameters(),
    )


def with_data(plan: Plan, **arrays: Any) -> Plan:
    """The plan with arrays that were given apart from it, such as those of a call of ``fit``."""
    arrays = {name: array for name, array in arrays.items() if array is not None}
    for name in arrays:
        if name not in plan.names():
            message = [Param(name), " and ", Use(resampling=plan.name), " do not belong together"]
            if name == "groups":
                remedy = Use(resampling="grouped_bootstrap"), " or 'complementary_pairs'"
                message.append(Remedy("use ", *remedy))
            raise ParameterError(*message)
    return replace(plan, **arrays) if arrays else plan
