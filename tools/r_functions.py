"""Write the functions of R that call one of Python as it is: ``python tools/r_functions.py``.

Their names, arguments and defaults are those of :data:`pyfsagg.for_r.calls.CALLS` and the signatures
behind it; the help pages on which they stand are written by hand in the other files of the R package.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_args, get_type_hints

from pyfsagg._run.result import Result
from pyfsagg.for_r.calls import CALLS, Called

FILE = Path(__file__).resolve().parents[1] / "r_bridge" / "pyfsaggr" / "R" / "functions.R"
HEAD = "# Written by tools/r_functions.py from pyfsagg/for_r/calls.py; do not edit."
WIDTH = 110


def source() -> str:
    """The whole file."""
    written = [function(name, called) for name, called in CALLS.items() if not called.by_hand]
    return "\n\n".join([HEAD, *written]) + "\n"


def function(name: str, called: Called) -> str:
    """One function with its tags for roxygen."""
    head = f"{name} <- function("
    given = [
        argument if default is None else f"{argument} = {default}"
        for argument, default in arguments(called).items()
    ]
    # A default stays on the line of its argument.
    one_word = ", ".join(given).replace(" = ", "\0=\0").replace('", "', '",\0"')
    lines = textwrap.wrap(
        one_word + ")", WIDTH - len(head), break_long_words=False, break_on_hyphens=False
    )
    formals = head + f"\n{' ' * len(head)}".join(lines).replace("\0", " ")
    tags = f"#' @rdname {called.page}\n#' @export\n"
    body = called.value.format(call(name, called))
    line = f"{formals} {body}"
    if "\n" not in line and len(line) <= WIDTH:
        return tags + line
    return f"{tags}{formals} {{\n  {body}\n}}"


def arguments(called: Called) -> dict[str, str | None]:
    """The arguments of a function of R with their defaults, None where there is none."""
    shown: dict[str, str | None] = {}
    parameters = called.parameters
    for name, parameter in parameters.items():
        if name in ("execution", *called.without) or parameter.kind is Parameter.VAR_KEYWORD:
            continue
        shown[called.in_r(name)] = default(called, name, parameter)
        if len(shown) == 1 and called.method:
            method = _method(called)
            shown |= {mine: in_r(method[theirs].default) for mine, theirs in called.later.items()}
    if "execution" in parameters:
        shown["progress"] = "interactive()"
    if _is_kept(called):
        shown |= {"save": "NULL", "report": "NULL"}
    if _is_open(parameters):
        shown["..."] = None
    return shown


def default(called: Called, name: str, parameter: Parameter) -> str | None:
    """A default of Python in R; of what R does not know there is none that it could write."""
    if parameter.default is Parameter.empty:
        return None
    if name == "n_jobs":
        return "1"
    # R reads what a collection is before Python does.
    if name == "input" and "collection" in called.kinds.values():
        return "NULL"
    return in_r(parameter.default)


def in_r(value: Any) -> str:
    """A value as R code."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return f"{value:.15g}"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, Sequence):
        return f"c({', '.join(map(in_r, value))})"
    return "NULL"


def call(name: str, called: Called) -> str:
    """The call of Python: the name, and the arguments that R reads in ways of their own."""
    kinds = {called.in_r(python): called.kind(python) for python in called.parameters}
    parts = [f'"{name}"', *(f'{mine} = "{kind}"' for mine, kind in kinds.items() if kind)]
    if _is_open(called.parameters):
        parts.append("more = list(...)")
    line = f"call_python({', '.join(parts)})"
    if len(called.value.format(line)) + 2 <= WIDTH:
        return line
    wrapped = textwrap.wrap(", ".join(parts).replace(" = ", "\0=\0"), WIDTH - 4)
    return "\n    ".join(["call_python(", *wrapped]).replace("\0", " ") + "\n  )"


def _is_open(parameters: dict[str, Parameter]) -> bool:
    """Whether arguments may be given that have no place of their own."""
    return "execution" in parameters or any(
        parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()
    )


def _answer(called: Called) -> Any:
    return get_type_hints(called.python).get("return")


def _is_kept(called: Called) -> bool:
    """Whether the answer can be written into a folder."""
    answer = _answer(called)
    kinds = get_args(answer) or (answer,)
    return not called.method and all(
        isinstance(one, type) and issubclass(one, Result) for one in kinds
    )


def _method(called: Called) -> Any:
    return signature(getattr(_answer(called), called.method)).parameters


def main() -> None:
    FILE.write_text(source(), encoding="utf-8")


if __name__ == "__main__":
    main()
