"""What a resampling plan is: its settings, the list of plans, and drawing by one of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.checks import check_integer
from pyfsagg._base.memory import require_memory
from pyfsagg._base.registry import Registry
from pyfsagg._base.settings import Settings, option
from pyfsagg._table.table import AnyTable, full_weights
from pyfsagg._table.target import Target
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.resampling.draws import Drawn, Resamples, Source

__all__ = [
    "PLANS",
    "Plan",
    "PlanSpec",
    "draw_resamples",
    "list_resampling_plans",
    "read_plan",
    "register_plan",
    "with_data",
]


@dataclass(frozen=True)
class PlanSpec:
    """A registered resampling plan; `parameter` is the first of its settings, with its `default`."""

    name: str
    aliases: tuple[str, ...]
    summary: str
    parameter: str | None
    default: float | None
    plan: type[Plan]


PLANS: Registry[PlanSpec] = Registry("resampling plan")


@dataclass(frozen=True, eq=False)
class Plan(Settings):
    """How rows are drawn; the base of all plans.

    Parameters
    ----------
    sample_weight : array of whole numbers, shape (n_samples,), optional
        How often each sample counts in the population that is resampled.
    """

    name: ClassVar[str] = ""
    only: ClassVar[bool] = False  # whether the resamples are all that there are
    together: ClassVar[int] = 1  # how many resamples belong together; their number is a multiple
    fewest: ClassVar[int] = 1  # the smallest number of resamples
    seeded: ClassVar[bool] = True  # whether a seed says which rows are drawn

    sample_weight: ArrayLike | None = option(
        None, flag=False, kw_only=True, help="how often each sample counts"
    )

    @abstractmethod
    def draw(self, source: Source, rows: range) -> Drawn:
        """Resamples number ``rows.start``, …, ``rows.stop`` - 1."""

    def refuse(self, table: AnyTable, target: Target) -> None:
        """Raise for a table or a target that the plan cannot use."""

    def take(self, rows: NDArray[np.intp]) -> Self:
        """The plan of a table that holds only the rows at these positions."""
        arrays = {
            field.name: np.asarray(value)[rows]
            for field in fields(self)
            if not field.metadata["flag"] and (value := getattr(self, field.name)) is not None
        }
        return replace(self, **arrays) if arrays else self

    def parameters(self) -> dict[str, Any]:
        """The plan's own settings, without arrays."""
        own = (field for field in fields(self) if field.metadata["flag"])
        return {field.name: getattr(self, field.name) for field in own}


PlanT = TypeVar("PlanT", bound=type[Plan])


def register_plan(name: str, *aliases: str, summary: str) -> Callable[[PlanT], PlanT]:
    """Make a class known as the plan `name`."""

    def add(plan: PlanT) -> PlanT:
        plan.name = name
        plan.kind = f"resampling={name!r}"
        own = [field for field in fields(plan) if field.metadata["flag"]]
        first = own[0] if own else None
        default = None if first is None or first.default is MISSING else first.default
        PLANS.add(
            PlanSpec(
                name=name,
                aliases=aliases,
                summary=summary,
                parameter=first.name if first else None,
                default=default,
                plan=plan,
            )
        )
        return plan

    return add


def read_plan(given: str | Plan, parameters: Mapping[str, Any] | None = None) -> Plan:
    """A plan, or the name of one with its parameters.

    Raises
    ------
    UnknownNameError, ParameterError, InputTypeError
        For an unknown name or parameter, or something that is not a plan.
    """
    if isinstance(given, Plan):
        if parameters:
            raise ParameterError(f"{given!r} has its parameters already")
        return given
    if not isinstance(given, str):
        raise InputTypeError(
            "resampling must be a name from list_resampling_plans() or a plan such as "
            f"pyfsagg.Subsample(0.8), got {given!r}"
        )
    return PLANS.get(given).plan.of(parameters)


def list_resampling_plans() -> pd.DataFrame:
    """The resampling plans by name, with their parameter and its default.

    Examples
    --------
    >>> float(list_resampling_plans().loc["subsample", "default"])
    0.5
    """
    frame = PLANS.to_frame()
    return frame.assign(plan=[plan.__name__ for plan in frame["plan"]])


def draw_resamples(
    table: AnyTable,
    target: Target,
    plan: str | Plan = "bootstrap",
    *,
    n_resamples: int = 1000,
    seed: int = 0,
    weight: NDArray[np.uint16] | None = None,
    first: int = 0,
) -> Resamples:
    """Draw resamples number `first`, …, `first` + `n_resamples` - 1 of a plan.

    Parameters
    ----------
    table, target
        Validated data.
    plan : str or Plan
    n_resamples : int
        At least 1; for ``"k_fold"`` the number of folds, at least 2; for ``"complementary_pairs"``
        the number of halves, which is even.
    seed : int
        Determines the draw together with the number of the resample.
    weight : ndarray of uint16 (n_samples,), optional
        How often each row occurs in the population; replaces the weights of the plan.

    Raises
    ------
    UnknownNameError, ParameterError, DataError
        Unknown plan, groups missing or of the wrong length, more folds than the smallest class has
        rows, a table or target that the plan cannot use.
    """
    chosen = read_plan(plan)
    check_integer("n_resamples", n_resamples, low=chosen.fewest)
    if weight is None:
        weight = full_weights(table.n_samples, chosen.sample_weight)[0]
    if n_resamples % chosen.together:
        raise ParameterError(
            f"resampling={chosen.name!r} draws {chosen.together} resamples together: n_resamples must "
            f"be a multiple of {chosen.together}, got {n_resamples}; use {n_resamples + 1}"
        )
    chosen.refuse(table, target)
    require_memory(
        2 * n_resamples * table.n_samples + 24 * int(weight.sum(dtype=np.int64)),
        f"the weights of {table.n_samples:,} rows in {n_resamples:,} resamples",
        "draw fewer resamples, or divide sample_weight by a common factor",
    )
    drawn = chosen.draw(Source(table, target, weight, seed), range(first, first + n_resamples))
    weights = drawn.weights
    if weights is None:
        weights = np.broadcast_to(weight, (n_resamples, table.n_samples))
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
    given = {name: array for name, array in arrays.items() if array is not None}
    for name in given:
        if name not in plan.names():
            raise ParameterError(
                f"{name} and resampling={plan.name!r} do not belong together"
                + (
                    "; use resampling='grouped_bootstrap' or 'complementary_pairs'"
                    if name == "groups"
                    else ""
                )
            )
    return replace(plan, **given) if given else plan
