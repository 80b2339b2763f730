"""``pyfsagg agreement``: how deep ranked lists agree."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pyfsagg._command.flags import add_output_flags, output_place
from pyfsagg.cli.aggregate import add_input_flags, read_lists

__all__ = ["add_commands"]

OUTPUT = "pyfsagg-agreement"
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
    """Add ``agreement``."""
    parser = commands.add_parser(
        "agreement",
        help="how deep ranked lists agree",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_input_flags(parser)
    add = parser.add_argument
    add("--distance", type=int, default=6, metavar="D", help="places (default: %(default)s)")
    add(
        "--pilot",
        type=int,
        default=10,
        metavar="N",
        help="how many places are looked at in one step (default: %(default)s)",
    )
    add(
        "--persistence",
        type=float,
        default=0.98,
        metavar="P",
        help="of rank-biased overlap: the first 1/(1 - P) places carry most of it "
        "(default: %(default)s)",
    )
    add("-s", "--seed", type=int, default=0, help="seed of random ties (default: 0)")
    add_output_flags(parser, OUTPUT)
    parser.set_defaults(run=_agreement)


def _agreement(options: argparse.Namespace) -> None:
    from pyfsagg._table.writing import write_csv
    from pyfsagg.aggregation import list_agreement

    found = list_agreement(
        read_lists(options),
        distance=options.distance,
        pilot=options.pilot,
        persistence=options.persistence,
    )
    with output_place(options.output, OUTPUT, None) as place:
        write_csv(found.pairs, place.draft / "pairs.csv")
        write_csv(found.curve, place.draft / "curve.csv", index=True)
        picture = found.plot().figure
        picture.savefig(place.draft / "agreement.png", dpi=150)  # type: ignore[union-attr]
        place.publish()
    if options.json:
        pairs = json.loads(found.pairs.to_json(orient="records"))
        print(json.dumps({"k": found.k, "pairs": pairs, "sentences": found.sentences()}, indent=1))
    elif not options.quiet:
        print("\n".join(found.sentences()))
        print(f"\nResults are in {place.folder}/: pairs.csv, curve.csv, agreement.png")
