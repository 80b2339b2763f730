"""The settings of an ensemble, said once for all functions that rank by one and for its record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.settings import Settings, option
from pyfsagg._base.validation import check_choice, check_integer, check_list, is_word
from pyfsagg._message import Got, Message, Param, Public
from pyfsagg.ensemble import scoring
from pyfsagg.ensemble.core import NORMALIZATIONS, Recipe
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.filters import binding
from pyfsagg.resampling import Bootstrap, Plan, Rows
from pyfsagg.resampling.plan import PLANS, read_plan
from pyfsagg.stability_measures.adequacy import adequacy

FIRST_LOOK = 100
"""Resamples after which the precision is looked at first, then at each doubling (chosen)."""


@dataclass(frozen=True, eq=False)
class Precision(Settings):
    """A stopping rule: the number of resamples is doubled until the ranking is precise enough.

    If one resample can decide the value of a feature, as with the minimum, two runs with half as many
    resamples are compared: a bootstrap would be too optimistic there
    (:func:`pyfsagg.stability_measures.adequacy`).

    Parameters
    ----------
    max_change : float
        Largest share of the best features that a repetition of the run, with as many resamples but
        another seed, may be expected to replace.
    top : float or int
        Number or fraction of features that count as the best.
    maximum : int
        Largest number of resamples; at least 100.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> goal = pyfsagg.ensemble.Precision(max_change=0.2, maximum=400)
    >>> pyfsagg.wam(data.X, data.y, n_resamples=goal, random_state=0).n_resamples
    100
    """

    kind: ClassVar[str] = "precision"

    max_change: float = option(
        0.05, above=0.0, high=1.0, help="share of the best features that may be replaced"
    )
    top: float | int = option(0.25, help="how many features are the best ones")
    maximum: int = option(10_000, low=FIRST_LOOK, help="number of resamples at which to stop")

    def _called(self, name: str) -> Any:
        return Message(Param(name), " (a number of resamples)") if name == "maximum" else name

    def look(
        self, combined: Floats, aggregate: Callable[[Floats], Floats] | None, by: str = "bootstrap"
    ) -> dict[str, Any]:
        """The precision reached so far, as recorded with the run."""
        answer = adequacy(
            combined,
            n_features_to_select=self.top,
            aggregator=aggregate,
            by=by,
            random_state=0,  # a run that is repeated stops at the same place
        )
        return {
            **self.record(),
            "n_compared": answer.n_compared,
            "expected_change": 1.0 - answer.expected_top_overlap,
            "reached": answer.enough(self.max_change),
        }


def read_number(n_resamples: int | str | Precision) -> int | Precision:
    """A number of resamples, or the precision that decides it; ``"auto"`` is the default one."""
    if isinstance(n_resamples, Precision):
        return n_resamples
    if is_word(n_resamples, "auto"):
        return Precision()
    if isinstance(n_resamples, str):
        raise ParameterError(Param("n_resamples"), " must be a number or 'auto'", Got(n_resamples))
    try:
        return check_integer("n_resamples", n_resamples, low=1)
    except ParameterError:
        if isinstance(n_resamples, (int, float)):
            raise
        words = " must be a number, 'auto' or a ", Public("Precision")
        raise InputTypeError(Param("n_resamples"), *words, Got(n_resamples)) from None


def is_within(options: Mapping[str, Any]) -> bool:
    """Whether options are those of `wam`, which has a `filter`, and not of `bam`, which has `filters`."""
    return "filter" in options


@dataclass(frozen=True, eq=False)
class Ensemble(Settings):
    """How features are ranked: filters score them in resamples, and an aggregator combines the scores.

    The fields are the arguments of :func:`pyfsagg.wam` (one filter) and :func:`pyfsagg.bam` (several).
    """

    kind: ClassVar[str] = "an ensemble"

    filters: Sequence[Any] | str = option("auto", help="a filter, several of them, or auto")
    filter_params: Mapping[str, Any] | None = option(None, help="parameters of named filters")
    normalize: str = option("auto", help="how scores are made comparable")
    aggregator: str = option("arithmetic_mean", help="how scores are combined")
    aggregator_params: Mapping[str, Any] | None = option(None, help="options of the aggregator")
    n_resamples: int | str | Precision = option(1000, help="number of resamples")
    resampling: str | Plan = option("bootstrap", help="how rows are drawn")

    def _check(self) -> None:
        given: Any = self.filters
        if not is_word(given, "auto"):
            alone = isinstance(given, str) or callable(given) or hasattr(given, "fit")
            items = (given,) if alone else tuple(check_list("filters", given))
            object.__setattr__(self, "filters", items)
        self.recipe.compute  # noqa: B018 - refuses options that the aggregator does not have

    def __getstate__(self) -> dict[str, Any]:
        # What is derived from the fields does not travel, and no checkpoint depends on it.
        return {name: getattr(self, name) for name in self.names()}

    def with_checked_normalize(self) -> Self:
        """The settings, if scores of as many filters can be normalized so."""
        check_choice("normalize", self.normalize, NORMALIZATIONS[self.method])
        return self

    @classmethod
    def of_record(cls, record: Mapping[str, Any], labels: Iterable[str], n_resamples: int) -> Self:
        """The settings that a run recorded, its filters by name; of rows given as arrays an empty plan."""
        filters = tuple(labels)
        known = record["resampling"] in PLANS
        return cls(
            filters,
            filter_params=record.get("filter_params", {}),
            normalize=record.get("normalize", "none" if len(filters) == 1 else "per_resample"),
            aggregator=record["aggregator"],
            aggregator_params=record["aggregator_params"],
            n_resamples=n_resamples,
            resampling=read_plan(record["resampling"], record.get("resampling_params"))
            if known
            else Rows(),
        )

    @classmethod
    def of_options(cls, options: Mapping[str, Any], **others: Any) -> Self:
        """The settings from arguments of `wam` (with `filter`) or of `bam`, and `others`."""
        given = {**options, **others}
        if is_within(options):
            given["filters"] = (given.pop("filter"),)
        return cls(**given)

    def options(self) -> dict[str, Any]:
        """The settings as arguments of `wam` or `bam`, those with their defaults left out."""
        given = self.changed()
        filters = given.pop("filters", "auto")
        return (
            {"filter": filters[0], **given}
            if self.method == "wam"
            else {"filters": filters, **given}
        )

    @property
    def method(self) -> str:
        """``"wam"`` for one filter, ``"bam"`` for several."""
        alone = not isinstance(self.filters, str) and len(self.filters) == 1
        return "wam" if alone else "bam"

    @cached_property
    def items(self) -> dict[str, Any]:
        """The filters by name, once it is settled which they are."""
        return {binding.filter_label(item): item for item in self.filters}

    @cached_property
    def params(self) -> dict[str, dict[str, Any]]:
        """The parameters of each filter that has some, by its name."""
        return scoring.read_filter_params(self.filters, self.filter_params)

    @cached_property
    def plan(self) -> Plan:
        """How rows are drawn."""
        return read_plan(self.resampling)

    @cached_property
    def number(self) -> int | Precision:
        """The number of resamples, or the precision that decides it."""
        return read_number(self.n_resamples)

    @cached_property
    def recipe(self) -> Recipe:
        """From score matrices to one score per feature."""
        return Recipe.of(self.aggregator, self.aggregator_params, self.normalize)

    def functions(self) -> list[Any]:
        """What computes, behind the names, by which a checkpoint knows the ensemble."""
        return [*map(binding.function_of, self.filters), self.recipe.spec.compute]

    def record(self) -> dict[str, Any]:
        """The method, and the settings that differ from those of most."""
        options = {
            "filter_params": {label: dict(chosen) for label, chosen in self.params.items()},
            "aggregator_params": dict(self.recipe.options),
            "normalize": self.normalize,
            "resampling": None if isinstance(self.plan, Bootstrap) else self.plan.name,
            "resampling_params": self.plan.parameters(),
        }
        return {
            "method": self.method,
            "filters": [*self.items],
            "aggregator": self.recipe.aggregator,
            **{name: value for name, value in options.items() if value},
        }
