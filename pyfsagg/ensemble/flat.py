"""Settings that come as flat names, from flags or from R, gathered into their objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any, get_args, get_type_hints

from pyfsagg._base.settings import Settings
from pyfsagg._base.task import Task
from pyfsagg._run.beside import Checks
from pyfsagg._run.execution import Execution
from pyfsagg.ensemble.precision import Precision
from pyfsagg.exceptions import ParameterError
from pyfsagg.resampling import Rows, read_plan, with_data

__all__ = ["flat_names", "gather_settings"]

_GROUPS: dict[str, type[Settings]] = {"task": Task, "checks": Checks, "execution": Execution}
_OF_PLAN = ("groups", "sample_weight")


def flat_names(run: Callable[..., Any], **groups: type[Settings]) -> list[str]:
    """What :func:`gather_settings` takes for a run: its arguments, and the fields of its groups.

    Parameters
    ----------
    run : callable
        :func:`pyfsagg.wam` or its like; the table and the target come first.
    **groups : class of settings
        Of arguments that this room does not know.
    """
    own = list(signature(run).parameters)[2:]
    names = [name for name in own if name not in (*_GROUPS, *groups)]
    for argument, group in {**_GROUPS, **groups}.items():
        names += group.names() if argument in own else ()
    if "n_resamples" in own and "resampling" in own:
        names += ["row_indices", "resampling_params", *_OF_PLAN]
        if Precision in get_args(get_type_hints(run)["n_resamples"]):
            names.append("precision")
    return names


def gather_settings(flat: Mapping[str, Any], **groups: type[Settings]) -> dict[str, Any]:
    """Arguments of :func:`pyfsagg.wam` and its like, from names without groups.

    Parameters
    ----------
    flat : mapping
        The fields of :class:`pyfsagg.Task`, :class:`pyfsagg.Checks` and :class:`pyfsagg.Execution` by
        name; ``resampling`` with ``resampling_params``, ``groups``, ``sample_weight``; or
        ``row_indices``; ``n_resamples`` with ``precision``; everything else is passed on.  Values of
        None are left out, and a group in which nothing differs from the defaults.
    **groups : class of settings
        Of more arguments: their fields are taken by name, too.

    Raises
    ------
    ParameterError, UnknownNameError
        For parameters that do not belong together, or that a plan does not have.
    """
    given = {name: value for name, value in flat.items() if value is not None}
    for argument, group in {**_GROUPS, **groups}.items():
        made = group(**{name: given.pop(name) for name in group.names() if name in given})
        if made.changed():
            given[argument] = made
    precision = given.pop("precision", None)
    if precision is not None:
        if given.get("n_resamples") != "auto":
            raise ParameterError("precision belongs to n_resamples='auto'")
        given["n_resamples"] = Precision.of(precision)
    rows = given.pop("row_indices", None)
    arrays = {name: given.pop(name, None) for name in _OF_PLAN}
    params = given.pop("resampling_params", None)
    if rows is not None:
        if params or any(array is not None for array in arrays.values()):
            raise ParameterError(
                "row_indices say which rows are drawn; groups, sample_weight and resampling_params "
                "cannot be given with them"
            )
        given["resampling"] = Rows(rows)
    elif params or any(array is not None for array in arrays.values()):
        plan = read_plan(given.get("resampling", "bootstrap"), params)
        given["resampling"] = with_data(plan, **arrays)
    return given
