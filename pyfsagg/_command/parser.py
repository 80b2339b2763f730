"""The argument parser of the terminal, flags kept in a file, and how the terminal spells parameters."""

import argparse
import difflib
import json
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, NoReturn

from pyfsagg._base.spellings import ARGUMENTS
from pyfsagg._base.words import it_or_them
from pyfsagg._message import Door, Name, Phrase, Use
from pyfsagg.exceptions import DataError, ParameterError

MEANT = {"format": "--xlsx", "force": "--overwrite"}  # what flags of other programs are called here


USUAL = (
    *(
        "target",
        "event",
        "task",
        "groups",
        "filters",
        "filter",
        "n_resamples",
        "n_features_to_select",
    ),
    *("max_false", "universe", "format", "aggregator", "measures", "method", "genes", "item"),
    *("score", "guide", "control_genes", "scores", "sizes", "learners"),
    *("classifiers", "n_features", "output", "seed", "drop", "top", "set"),
)
"""Settings that the short help of a command shows; that of all has the others."""

SHORT_ENOUGH = 9  # flags of a command whose help shows all of them anyway
SECTIONS = {
    "what is ranked": (
        *("target", "event", "task", "groups", "adjust", "always", "nominal", "feature_groups"),
        *("group_score", "target_bins", "drop_near_zero_variance", "accept"),
    ),
    "how it is ranked": (
        *("method", "filter", "filters", "filter_param", "normalize", "aggregator"),
        "aggregator_param",
    ),
    "resamples and checks": (
        *("n_resamples", "precision", "resampling", "resampling_param", "seed", "pairs"),
        *("shuffles", "null", "n_permutations", "permutation_resamples"),
    ),
    "how many are selected": ("n_features_to_select", "max_false", "fdr"),
    "results": ("output", "overwrite", "xlsx", "json", "quiet", "verbose", "config"),
    "work": ("jobs", "dask", "checkpoint", "scratch", "memory_limit"),
}
"""Where the long help shows flags that many commands have."""


class Lines(argparse.HelpFormatter):
    """Help that keeps the lines of examples, and is never wider than the terminal."""

    def __init__(self, prog: str) -> None:
        width = min(100, shutil.get_terminal_size().columns) - 1
        super().__init__(prog, max_help_position=26, width=max(40, width))

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(line for given in text.splitlines() for line in self._lines(given, width))

    def _lines(self, line: str, width: int) -> list[str]:
        command, mark, remark = line.partition("  #")
        if len(line) <= width or not line.startswith(" "):
            return textwrap.wrap(line, width) or [""]
        above = textwrap.wrap(f"# {remark.strip()}", width, initial_indent="  ") if mark else []
        if not command.startswith("  pyfsagg ") and not mark:  # a word with its meaning
            place = max(line.rfind("  ", 0, 24) + 2, 2)
            return textwrap.wrap(line, width, subsequent_indent=" " * place)
        first, *more = textwrap.wrap(
            command.strip(), width - 6, break_long_words=False, break_on_hyphens=False
        )
        parts = [f"  {first}", *(f"    {part}" for part in more)]
        return [*above, *(f"{part} \\" for part in parts[:-1]), parts[-1]]

    def _expand_help(self, action: argparse.Action) -> str:
        return super()._expand_help(action).removesuffix(" (default: ())")


class Help(argparse.Action):
    """``--help``, and ``--help all``."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        parser._print_message(parser.format_help(whole=values == "all"), sys.stdout)
        parser.exit()


class Parser(argparse.ArgumentParser):
    """An argument parser with errors of one line that name the nearest word, and a help that begins
    with examples; ``--help all`` has all flags."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": Lines, "add_help": False, **options})
        text = "this help; --help all: all flags"
        self.add_argument("-h", "--help", nargs="?", action=Help, metavar="all", help=text)

    def format_help(self, whole: bool = True) -> str:
        """Examples and flags: all of both if `whole`, else three and the usual ones."""
        flags = [action for action in self._actions if action.option_strings]
        places = [action for action in self._actions if not action.option_strings]
        short = not whole and len(flags) > SHORT_ENOUGH
        if short:
            usual = {a.dest: a for a in reversed(flags) if a.dest in USUAL or a.required}
            flags = [action for action in flags if action in usual.values()]
        formatter = self._get_formatter()
        needed = [action for action in flags if action.required or action.dest == "target"]
        words = [f"{action.option_strings[0]} {action.metavar}" for action in needed]
        description, _, more = (self.description or "").partition("\n\n")
        formatter.add_text(description)
        examples, _, remarks = (self.epilog or "").partition("\n\n")
        formatter.add_text("\n".join(examples.splitlines()[: 4 if short else None]))
        formatter.add_text(
            " ".join(["usage:", self.prog, *map(_shown, places), *words, "[options]"])
        )
        about = {str(group.title): group.description for group in self._action_groups[2:]}
        home = {name: title for title, names in SECTIONS.items() for name in names}
        groups = self._action_groups[2:]
        own = {action: group.title for group in groups for action in group._group_actions}
        sections: dict[str, list[argparse.Action]] = {"arguments and options": places}
        for action in flags:
            title = None if short else own.get(action) or home.get(action.dest)
            sections.setdefault(title or "arguments and options", []).append(action)
        for title, actions in sections.items():
            if actions:
                formatter.start_section(title)
                formatter.add_text(about.get(title))
                formatter.add_arguments(actions if not short else list(map(_shortened, actions)))
                formatter.end_section()
        if short:
            n_flags = sum(1 for action in self._actions if action.option_strings)
            formatter.add_text(f"All {n_flags} flags: {self.prog} --help all")
        else:
            formatter.add_text(more)
            formatter.add_text(remarks)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        options, strange = self.parse_known_args(args, namespace)
        if strange:
            parser = commands_of(self).get(getattr(options, "command", ""), self)
            name = strange[0].partition("=")[0]
            flags = [flag for action in parser._actions for flag in action.option_strings]
            word = name.strip("-").replace("-", "_")
            ours = flags_of(parser).items()
            theirs = (flag for name, flag in ours if word in (name, *ARGUMENTS.get(name, ())))
            meant = next(theirs, MEANT.get(word))
            if name[0] != "-" and "--target" in flags and options.target is None:
                parser.error(f"unexpected {name!r}; the target is named by a flag: --target {name}")
            if name[0] != "-" and all(action.option_strings for action in parser._actions):
                parser.error(
                    f"{name!r} is not needed; pyfsagg rank {name} ranks that table or data set"
                )
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


def _shortened(action: argparse.Action) -> argparse.Action:
    """A flag by its long name, with the first part of its help."""
    short = copy(action)
    text = re.split(r"; (?![^()]*\))", str(action.help or ""))[0]  # at one outside of brackets
    default = re.search(r"\(default: (?:[^()]|\([^()]*\))*\)", str(action.help or ""))
    short.help = text if default is None or default[0] in text else f"{text} {default[0]}"
    if action.choices is not None and action.metavar is None:
        short.metavar = "|".join(map(str, action.choices))
        if len(short.metavar) > 24:
            short.metavar = "WORD"
    if len(action.option_strings) > 1:
        short.option_strings = action.option_strings[-1:]
    return short


def _shown(action: argparse.Action) -> str:
    """A positional argument in the usage."""
    name = str(action.metavar or action.dest)
    return {"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} …"}.get(str(action.nargs), name)


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name; empty for a parser without commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def nearest(given: str, known: Iterable[str]) -> str:
    """A question that names what is nearest to `given`, to be put behind it; empty if nothing is near."""
    words = {word.strip("-"): word for word in known}  # hyphens make all flags alike
    close = difflib.get_close_matches(given.strip("-"), words, n=1, cutoff=0.6)
    return f"; did you mean {words[close[0]]}?" if close else ""


CONFIG_FILE = "run.toml"
NOT_KEPT = (
    *("checkpoint", "config", "dask", "help", "json", "output", "overwrite", "quiet", "scratch"),
    "verbose",
)
"""Flags that are typed: a file from elsewhere names no folder to write into, and no scheduler, whose
answers Python unpickles."""


def config_text(parser: argparse.ArgumentParser, options: argparse.Namespace) -> str:
    """The command and its flags other than defaults as TOML, without those for output and execution."""
    again = f"pyfsagg {options.command} --config {CONFIG_FILE}"
    first = f"# pyfsagg reads this file again: {again}. Flags on the command line come first."
    settings: dict[str, str] = {}
    for action in parser._actions:
        key = _key(action)
        value = getattr(options, action.dest, None)
        usual = options.usual.get(action.dest, parser.get_default(action.dest))
        if key not in NOT_KEPT and value is not None and value != usual:
            settings.setdefault(action.dest, f"{key} = {_toml(value)}")  # the first name of a flag
    command = f"command = {json.dumps(options.command)}"
    return "\n".join([first, command, *settings.values()]) + "\n"


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
    except (ValueError, RecursionError) as error:
        beside = "; the flags of a run are in its run.toml" if Path(path).suffix == ".json" else ""
        raise DataError(f"{path} is not TOML: {error}{beside}") from None
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
        if key not in actions:
            known = [name for name in actions if name not in NOT_KEPT]
            raise ParameterError(f"{path}: unknown setting {key!r}{nearest(key, known)}")
        action = actions[key]
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


MOST_TYPED = 12  # columns that a remedy names behind a flag


def _quoted(columns: Sequence[str]) -> str:
    """Columns for a flag, whole, to be pasted; for the shell, which divides words at blanks."""
    return shlex.quote(",".join(columns))


def _drop(columns: Sequence[str]) -> str:
    """How columns are dropped: by a flag that can be pasted, unless they are many."""
    if len(columns) <= MOST_TYPED:
        return f"drop {it_or_them(columns)}: --drop {_quoted(columns)}"
    return f"drop these {len(columns):,} columns by --drop (check --json has their names)"


PHRASES: dict[str, Callable[..., str]] = {
    # what to do about columns of a table in a file
    "drop": _drop,
    "groups": lambda subject: (
        f"--groups {shlex.quote(subject)} of rank and evaluate keeps them together"
    ),
    "missing": lambda: "name it: --missing=CODE",
    "answers": lambda codes: f"name it: --missing={_quoted(codes)}",
    "limits": lambda: "--limits half",
    "rows": lambda: "--accept missing_target continues without these rows",
    "number": lambda: "--task regression",
    "transpose": lambda: "say --transpose, and --labels FILE for a file with a row per sample",
    "time": lambda: "name the column of events: --event",
    # flags that stand for a line of code
    "event": lambda column, value: f"--event {column}={value}",
    "scores": lambda: "--scores",
    "unknown": lambda: "--absent unknown",
    "worst": lambda: "--absent worst",
    "one_filter": lambda: "; name one by --filter",
    "sign": lambda: "--sign COLUMN",
    "aggregate": lambda: "pyfsagg aggregate",
}

SPARSE: dict[str, Callable[..., str]] = {
    **PHRASES,
    "drop": lambda columns: f"drop {it_or_them(columns)} from the file",
    "missing": lambda: "write nan in the file",
}
"""The remedy for a sparse table, whose columns have no names."""


class Terminal(Door):
    """The flags of a command. ``called``, a default of its parser, maps parameters to flags with other
    names; None: no flag.

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
        switches = [action for action in self.parser._actions if action.nargs == 0]
        alone = {flag for action in switches for flag in action.option_strings}
        words = []
        for flag, value in ((flags[name], value.value) for name, value in use.values.items()):
            shown = flag if flag in alone else f"{flag} {_typed(value)}"
            words.append(f"no {flag}" if value is False else shown)
        return " ".join(words)

    def phrase(self, phrase: Phrase) -> str:
        words = self.phrases.get(phrase.key)
        return phrase.text if words is None else words(**phrase.about)


def flags_of(parser: argparse.ArgumentParser) -> dict[str, str]:
    """The long flag of each parameter that a command knows."""
    called: Mapping[str, str | None] = parser.get_default("called") or {}
    flags: dict[str, str] = {}
    for action in parser._actions:
        for flag in action.option_strings:
            if flag.startswith("--"):
                flags.setdefault(action.dest, flag)
    for name, dest in {**OTHER_NAMES, **called}.items():
        if dest is None:
            flags.pop(name, None)
        elif dest in flags and (name in called or name not in flags):
            flags[name] = flags[dest]
    return flags


def _typed(value: object) -> str:
    """A value as it is typed behind a flag, for the shell."""
    if isinstance(value, Mapping):
        return " ".join(
            f"{name}.{key}={_typed(each)}"
            for name, options in value.items()
            for key, each in (options.items() if isinstance(options, Mapping) else ())
        )
    text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return text if isinstance(value, Name) else shlex.quote(text)
