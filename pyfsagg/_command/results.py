"""From a computation to a folder of results and what is said about them: the same for all commands."""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pyfsagg._base.output import new_folder
from pyfsagg._command.flags import free_folder, reporter

if TYPE_CHECKING:
    from pyfsagg._run.result import Result

__all__ = ["keep_result", "name_of_table", "reading_code"]

R = TypeVar("R", bound="Result")


def keep_result(
    options: argparse.Namespace,
    default_folder: str,
    compute: Callable[[Any], R],
    *,
    unit: str | None = None,
    view: Mapping[str, Any] | Callable[[R], Mapping[str, Any]] | None = None,
    draw: Callable[[R, Path], None] | None = None,
) -> R:
    """Compute a result, write it with its report into a folder, and say what it is.

    Parameters
    ----------
    options : Namespace
        With `output`, `json` and `quiet`.
    default_folder : str
        Where it is written unless `output` says so.
    compute : callable
        Returns the result; it is given a function that reports progress, or None.
    unit : str, optional
        What progress counts; without it there is no progress.
    view : mapping, or callable that makes one of the result
        How the result is shown, as its class takes it.
    draw : callable, optional
        Writes pictures of the result into the folder.
    """
    from pyfsagg._run.result import REPORT_FILE

    folder = free_folder(options.output, default_folder)
    with new_folder(folder) as draft:
        started = time.perf_counter()
        silent = options.quiet or unit is None
        with reporter(silent, unit or "") as progress:
            result = compute(progress)
        elapsed = time.perf_counter() - started
        own = view(result) if callable(view) else view or {}
        chosen = {"command": shlex.join(sys.argv[1:]), **own}
        if not silent:
            print("writing the files", file=sys.stderr, flush=True)
        result.write_into(draft, **chosen)
        if draw is not None:
            draw(result, draft)
        if not silent:
            print("drawing the report", file=sys.stderr, flush=True)
        result.report(draft / REPORT_FILE, **chosen)
        files = sorted(path.name for path in draft.iterdir() if path.name != REPORT_FILE)
    if options.json:
        print(result.to_json(**chosen))
    elif not options.quiet:
        slash = "/" if str(folder) != "." else ""
        print(
            f"{result.summary_text(**chosen)}\n\nResults are in {folder}{slash}: {', '.join(files)} "
            f"and the report {REPORT_FILE} ({elapsed:.1f} s)"
        )
    return result


def name_of_table(path: str) -> str:
    """What a table is called, for the title of a page."""
    return "standard input" if path == "-" else Path(path).name


def reading_code(
    table: str, target: str | None = None, exclude: Sequence[str] = (), groups: str | None = None
) -> list[str]:
    """Lines of code that read a table as the commands do."""
    left = [name for name in (target, groups, *exclude) if name]
    lines = [
        f"data = pyfsagg.read_table({table!r})",
        f"X = data.drop(columns={left!r})" if left else "X = data",
    ]
    if target:
        lines.append(f"y = data[{target!r}]")
    if groups:
        lines.append(f"groups = data[{groups!r}]")
    return lines
