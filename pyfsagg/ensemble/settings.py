"""Settings of a run: how precise it has to be, and settings that come as flat names from flags or from R."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, get_args, get_type_hints

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.settings import Settings, Task, option
from pyfsagg._base.validation import check_integer, check_real, is_word
from pyfsagg._message import Got, Message, Param, Public, Use
from pyfsagg._run.execution import Checks, Execution
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.resampling import Rows
from pyfsagg.resampling.plan import read_plan, with_data
from pyfsagg.stability_measures.adequacy import adequacy

FIRST_LOOK = 100


@dataclass(frozen=True, eq=False)
class Precision(Settings):
    """A stopping rule: the number of resamples is doubled until the ranking is precise enough.

    If one resample can decide the value of a feature, as with the minimum, two runs with half as many
    resamples are compared: a bootstrap would be too optimistic there (:func:`pyfsagg.adequacy`).

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
    >>> goal = pyfsagg.Precision(max_change=0.2, maximum=400)
    >>> pyfsagg.wam(data.X, data.y, n_resamples=goal, random_state=0).n_resamples
    100
    """

    kind: ClassVar[str] = "precision"

    max_change: float = option(0.05, help="share of the best features that may be replaced")
    top: float | int = option(0.25, help="how many features are the best ones")
    maximum: int = option(10_000, help="number of resamples at which to stop")

    def _check(self) -> None:
        check_real("max_change", self.max_change, low=0.0, high=1.0, low_open=True)
        what = Message(Param("maximum"), " (a number of resamples)")
        check_integer(what, self.maximum, low=FIRST_LOOK)

    def look(
        self,
        combined: Floats,
        aggregate: Callable[[Floats], Floats] | None,
        by: str = "bootstrap",
    ) -> dict[str, Any]:
        """What the resamples so far say, as it is recorded with the run."""
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


_GROUPS: dict[str, type[Settings]] = {"task": Task, "checks": Checks, "execution": Execution}
_OF_PLAN = ("groups", "sample_weight")


def flat_names(run: Callable[..., Any], **groups: type[Settings]) -> list[str]:
    """What :func:`gather_settings` takes for a run: its arguments, and the fields of its groups."""
    arguments = list(signature(run).parameters)[2:]
    names = [name for name in arguments if name not in (*_GROUPS, *groups)]
    for argument, group in {**_GROUPS, **groups}.items():
        names += group.names() if argument in arguments else ()
    if "n_resamples" in arguments and "resampling" in arguments:
        names += ["row_indices", "resampling_params", *_OF_PLAN]
        if Precision in get_args(get_type_hints(run)["n_resamples"]):
            names.append("precision")
    return names


def gather_settings(flat: Mapping[str, Any], **groups: type[Settings]) -> dict[str, Any]:
    """Arguments of :func:`pyfsagg.wam` and its like, from names without groups."""
    arguments = {name: value for name, value in flat.items() if value is not None}
    for argument, group in {**_GROUPS, **groups}.items():
        names = [name for name in group.names() if name in arguments]
        settings = group(**{name: arguments.pop(name) for name in names})
        if settings.changed():
            arguments[argument] = settings
    precision = arguments.pop("precision", None)
    if precision is not None:
        if arguments.get("n_resamples") != "auto":
            raise ParameterError(Param("precision"), " belongs to ", Use(n_resamples="auto"))
        arguments["n_resamples"] = Precision.of(precision)
    rows = arguments.pop("row_indices", None)
    arrays = {name: arguments.pop(name) for name in _OF_PLAN if name in arguments}
    params = arguments.pop("resampling_params", None)
    if rows is not None:
        if params or arrays:
            raise ParameterError(
                Param("row_indices"),
                " say which rows are drawn; groups, ",
                Param("sample_weight"),
                " and resampling_params cannot be given with them",
            )
        arguments["resampling"] = Rows(rows)
    elif params or arrays:
        plan = read_plan(arguments.get("resampling", "bootstrap"), params)
        arguments["resampling"] = with_data(plan, **arrays)
    return arguments
