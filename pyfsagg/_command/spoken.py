"""Messages of functions in the words of the terminal: parameters are called by their flags."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping

__all__ = ["flags_of", "with_flags"]

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

FOR_CODE = {
    "event": (re.compile(r"y\[(['\"])(.+?)\1\] == (\w+)"), r"--event \2=\3"),
    "scores": (re.compile(r"RankTable\.from_scores"), "--scores"),
    "sign": (re.compile(r"scores \* np\.sign\(log_fold_changes\)"), "--sign COLUMN"),
}
"""Flags that stand for a line of code, which no parameter does."""

_QUOTED = r"(?<!\w)'[^']*'(?!\w)|\"[^\"]*\""
_VALUE = (
    r"(?:'(?P<word>[^'\s]+)'|(?P<number>-?[\d.]+\d|-?\d)|(?P<yes>True)"
    r"|\['(?P<words>[^'\s]+(?:', '[^'\s]+)*)'\]"
    r"|\{'(?P<of>\w+)': \{'(?P<inner>\w+)': (?P<set>[\w.]+)\}\})(?![\w'])"
)
_VERBS = r"(?= (?:\([^)]*\) )?(?:must|needs?|names?|belongs?|exclude|was|is|are|has|have|takes?|cannot)\b)"


def flags_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The long flag of each parameter that a command knows.

    The default ``called`` of a parser maps parameters to the values that its flags give, where names
    differ in this command only; None is a parameter that no flag gives.
    """
    own: Mapping[str, str | None] = parser.get_default("called") or {}
    long: dict[str, str] = {}
    for action in parser._actions:
        flags = [flag for flag in action.option_strings if flag.startswith("--")]
        if flags:
            long.setdefault(action.dest, flags[0])
    for name, dest in {**OTHER_NAMES, **own}.items():
        if dest is None:
            long.pop(name, None)
        elif dest in long and (name in own or name not in long):
            long[name] = long[dest]
    return long


def with_flags(message: str, parser: argparse.ArgumentParser) -> str:
    """A message about parameters as one about the flags of a command.

    A parameter is one where it begins a clause and has a verb (``n_folds must be …``), is given a
    value (``ties='random'``, ``accept=['a', 'b']``, ``checks=Checks(pairs=0)``), or is a name with an
    underscore.  Some lines of code have flags as well (`FOR_CODE`).  What stands in quotation marks came
    from the user and stays.

    Examples
    --------
    >>> parser = argparse.ArgumentParser()
    >>> _ = parser.add_argument("--n-folds", dest="folds", type=int)
    >>> _ = parser.add_argument("--ties")
    >>> with_flags("n_folds must be at least 2; with ties='random' also", parser)
    '--n-folds must be at least 2; with --ties random also'
    >>> with_flags("there are ties in 'n_folds'", parser)
    "there are ties in 'n_folds'"
    """
    flags = flags_of(parser)
    if not flags:
        return message
    for name in FOR_CODE.keys() & flags.keys():
        message = re.sub(*FOR_CODE[name], message)
    alone = {word for each in parser._actions if each.nargs == 0 for word in each.option_strings}
    names = "|".join(sorted(map(re.escape, flags), key=len, reverse=True))
    joined = "|".join(name for name in map(re.escape, flags) if "_" in name) or "(?!)"
    pattern = re.compile(
        rf"(?<![\w.'\"/=-])(?P<call>(?:[a-z_]+=)?[A-Z]\w*\()?(?P<given>{names})={_VALUE}(?(call)\))"
        rf"|(?:^|(?<=; )|(?<=: )|(?<=each of ))(?P<clause>{names}){_VERBS}"
        rf"|(?<![\w.'\"/-])(?P<joined>{joined})(?![\w.'\"/=(-]|\.\w)"
        rf"|{_QUOTED}"
    )

    def spoken(found: re.Match[str]) -> str:
        name = found["given"] or found["clause"] or found["joined"]
        if name is None:
            return found[0]
        flag = flags[name]
        if found["given"] is None or found["yes"] or flag in alone:
            return flag
        if found["inner"]:
            return f"{flag} {found['of']}.{found['inner']}={found['set']}"
        words = (found["words"] or "").replace("', '", ",")
        return f"{flag} {found['word'] or found['number'] or words}"

    return pattern.sub(spoken, message)
