"""An argument parser that says in one line what is wrong, and what was probably meant."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable
from typing import Any, NoReturn

__all__ = ["Parser", "commands_of", "nearest"]


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
