"""Names of items that differ in their spelling only: versions of identifiers, case, blanks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import chain

from pyfsagg._message import Message

_VERSIONED = re.compile(r"(ENS[A-Z]*\d+|[NX][MRP]_\d+)\.\d+(_PAR_Y)?")


def without_version(name: str) -> str:
    """An identifier of Ensembl or RefSeq without its version, any other name as it is.

    Examples
    --------
    >>> [without_version(name) for name in ("ENSG00000141510.18", "NM_000546.6", "RP11-34P13.7")]
    ['ENSG00000141510', 'NM_000546', 'RP11-34P13.7']
    """
    found = _VERSIONED.fullmatch(name) if "." in name else None
    return name if found is None else found[1] + (found[2] or "")


def _without_case(name: str) -> str:
    return "".join(name.split()).casefold()


def about_spellings(
    lists: Sequence[Collection[str]], version: Message, spelling: Message
) -> list[Message]:
    """What to say of names that different lists spell differently, by version, or by case and blanks, each
    with its remedy; names that one list has in both spellings are different items."""
    told = []
    for alike, difference, remedy in (
        (without_version, "the version", version),
        (_without_case, "case or blanks", spelling),
    ):
        if apart := _spelled_apart(lists, alike):
            one, other, *_ = apart[0]
            names = "1 name differs" if len(apart) == 1 else f"{len(apart):,} names differ"
            said = (
                f"{names} between lists in {difference} only, such as {one!r} and {other!r}, and "
                "count as different items; "
            )
            told.append(Message(said, remedy))
    return told


def _spelled_apart(
    lists: Sequence[Collection[str]], alike: Callable[[str], str]
) -> list[list[str]]:
    """The spellings of each name that has several, none of them together in one list."""
    spellings: dict[str, list[str]] = {}
    for name in dict.fromkeys(chain.from_iterable(lists)):
        spellings.setdefault(alike(name), []).append(name)
    several = {name: key for key, names in spellings.items() if len(names) > 1 for name in names}
    if not several:
        return []
    together = set()
    for one in lists:
        counts = Counter(several[name] for name in one if name in several)
        together |= {key for key, times in counts.items() if times > 1}
    return [names for key, names in spellings.items() if len(names) > 1 and key not in together]
