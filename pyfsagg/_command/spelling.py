"""How the terminal spells what messages name: parameters are flags."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping, Sequence

from pyfsagg._message import Door, Phrase, Use, Value

OTHER_NAMES = {
    "random_state": "seed",
    "n_jobs": "jobs",
    "n_folds": "folds",
    "n_trials": "trials",
    "top_cutoff": "cutoff",
    "filter_params": "filter_param",
    "aggregator_params": "aggregator_param",
    "resampling_params": "resampling_param",
}
"""Parameters of functions that are called otherwise on the terminal; the names of the values there."""


def _quoted(columns: Sequence[str]) -> str:
    """Columns for a flag; for the shell, which divides words at blanks."""
    return shlex.quote(",".join([*columns[:5], *("…" for _ in columns[5:6])]))


PHRASES: dict[str, Callable[..., str]] = {
    # what to do about columns of a table in a file
    "drop": lambda columns: f"leave it out: --drop {_quoted(columns)}",
    "groups": lambda subject: (
        f"--groups {shlex.quote(subject)} of rank and evaluate keeps them together"
    ),
    "missing": lambda: "name it: --missing=CODE",
    "rows": lambda: "--accept missing_target continues without these rows",
    "number": lambda: "--task regression",
    "time": lambda: "name the column of events: --event",
    # flags that stand for a line of code
    "event": lambda column, value: f"--event {column}={value}",
    "scores": lambda: "--scores",
    "sign": lambda: "--sign COLUMN",
}

SPARSE: dict[str, Callable[..., str]] = {
    **PHRASES,
    "drop": lambda columns: "leave it out of the file",
    "missing": lambda: "write nan in the file",
}
"""Of a sparse table, whose columns have no names that a flag could take."""


class Terminal(Door):
    """The flags of a command.

    The default ``called`` of its parser maps parameters to the values that its flags give, where names
    differ in this command only; None is a parameter that no flag gives.

    Examples
    --------
    >>> from pyfsagg._message import Message, Param
    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--n-folds", dest="folds", type=int)
    >>> _ = parser.add_argument("--ties")
    >>> message = Message(Param("n_folds"), " must be at least 2; ", Use(ties="random"), " draws ties")
    >>> message.render(Terminal(parser))
    '--n-folds must be at least 2; --ties random draws ties'
    """

    def __init__(
        self, parser: argparse.ArgumentParser, phrases: Mapping[str, Callable[..., str]] = PHRASES
    ) -> None:
        self.parser, self.phrases = parser, phrases

    def param(self, name: str) -> str:
        return flags_of(self.parser).get(name, name)

    def use(self, use: Use) -> str:
        flags = flags_of(self.parser)
        if not use.values.keys() <= flags.keys():
            return super().use(use)
        return " ".join(self._given(flags[name], value) for name, value in use.values.items())

    def _given(self, flag: str, value: Value) -> str:
        if value.value is False:
            return f"no {flag}"
        alone = any(
            flag in each.option_strings and each.nargs == 0 for each in self.parser._actions
        )
        return flag if alone else f"{flag} {_typed(value.value)}"

    def phrase(self, phrase: Phrase) -> str:
        words = self.phrases.get(phrase.key)
        return phrase.text if words is None else words(**phrase.about)


def flags_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The long flag of each parameter that a command knows."""
    own: Mapping[str, str | None] = parser.get_default("called") or {}
    flags: dict[str, str] = {}
    for action in parser._actions:
        long = [flag for flag in action.option_strings if flag.startswith("--")]
        if long:
            flags.setdefault(action.dest, long[0])
    for name, dest in {**OTHER_NAMES, **own}.items():
        if dest is None:
            flags.pop(name, None)
        elif dest in flags and (name in own or name not in flags):
            flags[name] = flags[dest]
    return flags


def _typed(value: object) -> str:
    """A value as it is typed behind a flag."""
    if isinstance(value, Mapping):
        return " ".join(
            f"{name}.{key}={_typed(each)}"
            for name, options in value.items()
            for key, each in (options.items() if isinstance(options, Mapping) else ())
        )
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
