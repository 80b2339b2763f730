"""``pyfsagg compare``: which features moved between two runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pyfsagg._base.words import setting
from pyfsagg._command.flags import threshold_or_auto
from pyfsagg.exceptions import DataError

if TYPE_CHECKING:
    from pyfsagg.ensemble import EnsembleResult


EPILOG = """\
examples:
  pyfsagg compare pyfsagg-rank pyfsagg-rank-2
  pyfsagg compare before after --threshold 20 --json
"""
MOST = 15  # features shown on the terminal
SHORT = 40  # characters of a setting


def add_commands(commands: Any) -> None:
    """Add ``compare``."""
    parser = commands.add_parser(
        "compare",
        help="show which features moved between two runs",
        description="Compare two runs of `pyfsagg rank`: their settings, what both select, and the "
        "features that moved farthest, with the confidence sets of their ranks.",
        epilog=EPILOG,
    )
    add = parser.add_argument
    add("first", metavar="RUN", help="folder of a run")
    add("second", metavar="RUN", help="folder of another run with the same features")
    add(
        "--threshold",
        type=threshold_or_auto,
        default="auto",
        metavar="K",
        help="features to select: a number (10), a fraction (0.25 or 25%%), or auto, the proposal of each "
        "run (default: auto)",
    )
    add("--json", action="store_true", help="print all features as JSON")
    parser.set_defaults(run=_compare)


def _compare(options: argparse.Namespace) -> None:
    first, second = (_run_in(folder) for folder in (options.first, options.second))
    found = first.compare(second, options.threshold)
    if options.json:
        print(found.reset_index().to_json(orient="records", indent=1, force_ascii=False))
        return
    print("\n".join(_lines(first, second, options)))
    shown = found.head(MOST)
    for column in ("selection_frequency_1", "selection_frequency_2"):
        shown = shown.assign(**{column: shown[column].map("{:.0%}".format, na_action="ignore")})
    print(shown.to_string(float_format="{:g}".format, na_rep="–", index_names=False))
    if len(found) > MOST:
        print(f"{len(found) - MOST:,} more features: --json")


def _run_in(folder: str) -> EnsembleResult:
    from pyfsagg.ensemble import EnsembleResult
    from pyfsagg.results import load_result

    found = load_result(folder)
    if not isinstance(found, EnsembleResult):
        raise DataError(
            f"{folder} holds a result of kind {found._kind!r}; name runs of pyfsagg rank"
        )
    return found


def _lines(first: EnsembleResult, second: EnsembleResult, options: argparse.Namespace) -> list[str]:
    from pyfsagg.ensemble.selection import differing_settings

    differing = differing_settings(first, second)
    lines = [f"1: {options.first}, 2: {options.second}"]
    for name, row in differing.iterrows():
        pair = (setting(value)[:SHORT] for value in (row["first"], row["second"]))
        lines.append(f"{str(name).replace('_', ' ')}: {' | '.join(pair)}")
    if not len(differing):
        lines.append("all settings and the data are the same")
    chosen = [set(each.select(options.threshold)) for each in (first, second)]
    both, either = len(chosen[0] & chosen[1]), len(chosen[0] | chosen[1])
    shared = f"Jaccard {both / either:.3f}" if either else "none by either"
    lines += [
        f"selected by 1: {len(chosen[0])}, by 2: {len(chosen[1])}, by both: {both} ({shared})",
        "",
        "moved: rank in 1 minus rank in 2; rank sets: 95 % confidence, each for its own run",
    ]
    return lines
