"""How R spells what messages name: its own names of arguments, ``NULL``, ``TRUE`` and ``list()``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from pyfsagg._message import Door, Name, Phrase, Use, Value

IN_R = {
    "list_weights": "weights",
    "sample_weight": "weights",  # the last one: `weights` of R without a list is of rows
    "n_jobs": "cores",
    "random_state": "seed",
}
"""Arguments that R users know under another name."""

PHRASES: dict[str, Callable[..., str]] = {
    # what to do about columns of a table
    "drop": lambda columns: "leave it out",
    "groups": lambda subject: "give that column as groups to wam, bam and evaluate",
    "missing": lambda: "replace it by NA",
    "rows": lambda: "leave these rows out",
    "number": lambda: 'say task = "regression"',
    "time": lambda: "give times and events as a Surv()",
    # types
    "mapping": lambda: "a named list",
    "filter": lambda: "a function (x, y, weight)",
    # code
    "scores": lambda: 'rank_table(x, input = "scores")',
    "not_ranks": lambda: "; ranks become such by dividing them by N",
    "sign": lambda: "scores * sign(log_fold_changes)",
    "dense": lambda: "as.matrix(x)",
    "shape": lambda: "",
    "inf": lambda: "",
    "plan": lambda: "",
    "groups_of_plan": lambda: " by the argument groups",
    "subsample": lambda: 'resampling = "subsample"',
}


class InR(Door):
    """R's spelling.

    Examples
    --------
    >>> from pyfsagg._message import Got, Message, Param
    >>> message = Message(Param("n_jobs"), " must be a number", Got(None), "; ", Use("Checks", pairs=30))
    >>> message.render(InR())
    'cores must be a number, got NULL; pairs = 30'
    """

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        self.names = {**IN_R, "X": "x", "universe": "N", **(names or {})}

    def param(self, name: str) -> str:
        return self.names.get(name, name)

    def public(self, name: str) -> str:
        return name

    def value(self, value: Value) -> str:
        plain = value.value
        if isinstance(plain, str):  # as Python shows it, also what was shortened
            return value.text
        return _of_list(plain, "'") if isinstance(plain, (list, tuple)) else in_r(plain)

    def use(self, use: Use) -> str:
        return ", ".join(
            f"{self.param(name)} = {in_r(value.value)}" for name, value in use.values.items()
        )

    def phrase(self, phrase: Phrase) -> str:
        words = PHRASES.get(phrase.key)
        return phrase.text if words is None else words(**phrase.about)


def in_r(value: object, quote: str = '"') -> str:
    """A plain value as code of R."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and not math.isfinite(value):
        return "NA" if math.isnan(value) else "Inf" if value > 0 else "-Inf"
    if isinstance(value, str):
        return str(value) if isinstance(value, Name) else f"{quote}{value}{quote}"
    if isinstance(value, Mapping):
        inner = (f"{key} = {in_r(each, quote)}" for key, each in value.items())
        return f"list({', '.join(inner)})"
    return _of_list(value, quote) if isinstance(value, (list, tuple)) else str(value)


def _of_list(values: list[object] | tuple[object, ...], quote: str) -> str:
    """R has no single values: one of a list is itself."""
    inner = ", ".join(in_r(each, quote) for each in values)
    return inner if len(values) == 1 else f"c({inner})"
