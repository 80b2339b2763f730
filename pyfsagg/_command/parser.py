"""The argument parser of the terminal, flags kept in a file, and how the terminal spells parameters."""

from __future__ import annotations

import argparse
import difflib
import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from pyfsagg._message import Door, Phrase, Use, Value
from pyfsagg.exceptions import DataError, ParameterError

MEANT = {
    "--format": "--xlsx",
    "--force": "--overwrite",
    "--random-state": "--seed",
    "--n-jobs": "--jobs",
}
"""What flags of other programs and arguments of Python are called here."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line with the nearest command, flag or choice.

    With examples as `epilog`, these and the description keep their lines.
    """

    def __init__(self, **options: Any) -> None:
        if options.get("epilog"):
            options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(**options)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, strange = self.parse_known_args(args, namespace)
        if strange:
            parser = commands_of(self).get(getattr(options, "command", ""), self)
            name = strange[0].partition("=")[0]
            flags = [flag for action in parser._actions for flag in action.option_strings]
            meant = MEANT.get(name)
            close = f"; did you mean {meant}?" if meant in flags else nearest(name, flags)
            parser.error(f"unknown argument {name}{close}")
        return options

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(each) for each in action.choices]
        command = action.metavar == "COMMAND"
        raise argparse.ArgumentError(
            None if command else action,
            f"unknown {'command' if command else 'choice'} {value!r}"
            f"{nearest(str(value), choices) or ';'} known: {', '.join(choices)}",
        )


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name; empty for a parser without commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def nearest(given: str, known: Iterable[str]) -> str:
    """A question that names what is nearest to `given`, to be put behind it; empty if nothing is near."""
    close = difflib.get_close_matches(given, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]}?" if close else ""


CONFIG_FILE = "run.toml"
NOT_KEPT = frozenset(
    {"checkpoint", "config", "dask", "help", "json", "output", "overwrite", "quiet", "scratch"}
)
"""Flags that are typed: a file from elsewhere names no folder to write into, and no scheduler, whose
answers Python unpickles."""


def config_text(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """The command and its flags that differ from their defaults, as TOML.

    Where results go, where the work is done and kept, and how much is said belongs to one run and is
    left out.
    """
    lines = [
        "# pyfsagg reads this file again: pyfsagg "
        f"{options.command} --config {CONFIG_FILE}. Flags on the command line come first.",
        f"command = {json.dumps(options.command)}",
    ]
    settings: dict[str, str] = {}
    for action in parser._actions:
        key = _key(action)
        value = getattr(options, action.dest, None)
        usual = options.usual.get(action.dest, parser.get_default(action.dest))
        if key not in NOT_KEPT and value is not None and value != usual:
            settings.setdefault(action.dest, f"{key} = {_toml(value)}")  # the first name of a flag
    return "\n".join([*lines, *settings.values()]) + "\n"


def take_config(parser: argparse.ArgumentParser, arguments: list[str]) -> None:
    """Let the file that ``--config`` names give the defaults of the command in `arguments`."""
    path = _config_of(arguments)
    command = commands_of(parser).get(arguments[0]) if arguments else None
    if path is None or command is None:
        return
    import tomllib

    try:
        settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not valid UTF-8"
        raise DataError(f"cannot read {path}: {reason}") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    if (name := settings.pop("command", arguments[0])) != arguments[0]:
        raise ParameterError(f"{path} is for pyfsagg {name}, not for pyfsagg {arguments[0]}")
    actions = {_key(action): action for action in command._actions}
    usual = {}
    for key, value in settings.items():
        if key in NOT_KEPT:
            raise ParameterError(
                f"{path}: {key} belongs to one run and is not read from a file; type --{key} on the "
                "command line instead"
            )
        action = actions.get(key)
        if action is None:
            known = [name for name in actions if name not in NOT_KEPT]
            raise ParameterError(f"{path}: unknown setting {key!r}{nearest(key, known)}")
        usual[action.dest] = action.default
        action.default = _value(command, action, value, f"{path}: {key}")
        action.required = False
        if not action.option_strings:
            action.nargs = "*" if isinstance(action.default, list) else "?"
    command.set_defaults(usual=usual)  # the defaults without the file, for config_text


def _config_of(arguments: list[str]) -> str | None:
    for place, word in enumerate(arguments):
        if word == "--config" and place + 1 < len(arguments):
            return arguments[place + 1]
        if word.startswith("--config="):
            return word.partition("=")[2]
    return None


def _key(action: argparse.Action) -> str:
    """The name of a setting: that of its long flag."""
    long = [flag[2:] for flag in action.option_strings if flag.startswith("--")]
    return long[0] if long else action.dest


def _value(command: argparse.ArgumentParser, action: argparse.Action, value: Any, what: str) -> Any:
    """The value of a file as the flag would have read it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise ParameterError(f"{what} must be true or false, got {value!r}")
        return value
    if isinstance(value, list):
        return list(map(str, value))
    if isinstance(value, (dict, bool)):
        raise ParameterError(f"{what} must be a number, a text or a list, got {value!r}")
    try:
        read = command._get_value(action, str(value))
        command._check_value(action, read)
    except argparse.ArgumentError as error:
        raise ParameterError(f"{what}: {error.message}") from None
    return read


def _toml(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


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
    "answers": lambda codes: f"name it: --missing={_quoted(codes)}",
    "limits": lambda: "--limits half",
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
        switches = [action for action in self.parser._actions if action.nargs == 0]
        alone = any(flag in action.option_strings for action in switches)
        return flag if alone else f"{flag} {_typed(value.value)}"

    def phrase(self, phrase: Phrase) -> str:
        words = self.phrases.get(phrase.key)
        return phrase.text if words is None else words(**phrase.about)


def flags_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The long flag of each parameter that a command knows."""
    called: Mapping[str, str | None] = parser.get_default("called") or {}
    flags: dict[str, str] = {}
    for action in parser._actions:
        long = [flag for flag in action.option_strings if flag.startswith("--")]
        if long:
            flags.setdefault(action.dest, long[0])
    for name, dest in {**OTHER_NAMES, **called}.items():
        if dest is None:
            flags.pop(name, None)
        elif dest in flags and (name in called or name not in flags):
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
