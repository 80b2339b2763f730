"""``pyfsagg agreement``: how deep ranked lists agree."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from pyfsagg._command.flags import Flags, add_output_flags
from pyfsagg._command.results import keep_result
from pyfsagg.cli.aggregate import add_input_flags, origin_of_lists, read_list_files

if TYPE_CHECKING:
    from pyfsagg.aggregation import ListAgreement


DESCRIPTION = """\
Find how far down ranked lists agree. For each pair of lists, this is the place down to which most
items of one list are within DISTANCE places of their place in the other (the moderate-deviation
rule of Hall and Schimek). The largest of these places and rank-biased overlap are reported, too, the
latter with its limits if the lists have different lengths. Lists are given as for pyfsagg aggregate.
"""
EPILOG = """\
example:
  pyfsagg agreement lists.csv --format columns --distance 6 --pilot 10
"""


def add_commands(commands: Any) -> None:
    parser = commands.add_parser(
        "agreement", help="how deep ranked lists agree", description=DESCRIPTION, epilog=EPILOG
    )
    add_input_flags(parser)
    add = Flags(parser)
    add.number("--distance", default=6, metavar="D", text="places")
    text = "how many places are looked at in one step"
    add.number("--pilot", default=10, metavar="N", text=text)
    text = "of rank-biased overlap: the first 1/(1 - P) places carry most of it"
    add.number("--persistence", default=0.98, metavar="P", text=text)
    add.seed("random ties")
    add_output_flags(parser, "pyfsagg-agreement")
    parser.set_defaults(run=_agreement)


def _agreement(options: argparse.Namespace) -> None:
    from pyfsagg.aggregation import list_agreement

    table = read_list_files(options)

    def compute(progress: Any) -> ListAgreement:
        flags = ("distance", "pilot", "persistence")
        return list_agreement(table, **{flag: getattr(options, flag) for flag in flags})

    keep_result(options, compute, view=origin_of_lists(options, table))
