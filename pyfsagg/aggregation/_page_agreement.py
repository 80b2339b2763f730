"""The report on how deep lists agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from pyfsagg._base.words import count, number, plural
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.page import Block, Column, Page, Picture, Section, Table, Text
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.aggregation._plot_agreement import plot_list_agreement
from pyfsagg.aggregation.agreement import ListAgreement

__all__ = ["agreement_page"]

MOST_ROWS = 500
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
REFERENCES = [
    (
        "End of agreement",
        "Hall, Schimek (2012). Moderate-deviation-based inference for random degeneration in paired "
        "rank lists. Journal of the American Statistical Association 107, 661–672",
    ),
    (
        "Rank-biased overlap",
        "Webber, Moffat, Zobel (2010). A similarity measure for indefinite rankings. ACM Transactions "
        "on Information Systems 28, 20",
    ),
]


def agreement_page(
    result: ListAgreement,
    *,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report on how deep lists agree as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : ListAgreement
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 500 pairs of lists are shown.
    """
    lists, items = result.data["n_lists"], result.data["n_items"]
    sections = [
        Section("summary", "Summary", [Text(text) for text in result.sentences()]),
        Section(
            "curve", "Common items by depth", [_picture(result), _curve(result)], short="Curve"
        ),
        Section("pairs", "Pairs of lists", [_pairs(result)], short="Pairs"),
        Section("reading", "How to read it", _reading(result)),
        *closing(
            settings_groups(result),
            [software(__version__), *REFERENCES],
            command=command,
            code=result.code(result.full_view({"reading": reading})),
        ),
    ]
    title = f"Agreement of the lists in {data_name}" if data_name else "Agreement of lists"
    return Page(title, f"{plural(lists, 'list')}, {plural(items, 'item')}", sections)


def _picture(result: ListAgreement) -> Picture:
    return picture(
        "Common items by depth",
        "agreement",
        plot_list_agreement,
        result,
        label="Line: share of common items among the first places of two lists, by depth",
        caption="Line: of the first so many places of two lists the share of items that both have, mean over "
        "the pairs; band: all pairs. Upright line: the largest place of a pair at which agreement "
        "ends. Dots on the right: rank-biased overlap of each pair, on a bar from its least to its "
        "largest possible value.",
    )


def _curve(result: ListAgreement) -> Table:
    shown = [depth for depth in DEPTHS if depth < len(result.curve)] + [len(result.curve)]
    rows = [
        [count(depth), *map(number, result.curve.to_numpy(dtype=float)[depth - 1].tolist())]
        for depth in shown
    ]
    return Table(
        "Share of common items among the first places of two lists.",
        [Column("Depth"), Column("Mean"), Column("Lowest pair"), Column("Highest pair")],
        rows,
        "Every depth is in curve.csv. A list that has ended stays as it is, so that beyond the end of "
        "short lists the share falls.",
    )


def _pairs(result: ListAgreement) -> Table:
    pairs = result.pairs.sort_values("rbo", ascending=False, kind="stable")
    shown = pairs.head(MOST_ROWS)
    rows = [
        [*names, "–" if np.isnan(k) else count(int(k)), *map(number, values)]
        for names, (k, *values) in zip(
            shown[["list", "other"]].astype(str).to_numpy().tolist(),
            shown.drop(columns=["list", "other"]).to_numpy(dtype=float).tolist(),
            strict=True,
        )
    ]
    hidden = len(pairs) - len(shown)
    more = f"{count(hidden)} more pairs are in pairs.csv. " if hidden else ""
    return Table(
        "Ordered pairs of lists, the largest overlap first.",
        [
            Column("List", numeric=False),
            Column("Other list", numeric=False),
            Column("Agreement ends at place"),
            Column("Rank-biased overlap"),
            Column("Least"),
            Column("Most"),
        ],
        rows,
        f"{more}The place is one of the first list; a dash: the rule finds none. Least and most: what "
        "the overlap is if the unseen ends of the lists share nothing, or all that they can.",
        find="list" if len(pairs) > 30 else "",
    )


def _reading(result: ListAgreement) -> list[Block]:
    settings = result.parameters
    return [
        Text(
            Markup("<b>Where agreement ends.</b> {}").format(
                "An item of a list is confirmed if the other list has it within "
                f"{plural(settings['distance'], 'place')}. The rule walks down and up again over "
                f"stretches of {plural(settings['pilot'], 'place')}, and finds where confirmed items "
                "cease to be the majority by more than chance deviates. It is an estimate without an "
                "error bound, and depends on both numbers: try others."
            )
        ),
        Text(
            Markup("<b>Rank-biased overlap.</b> {}").format(
                "The share of common items, averaged over all depths with weights that fall by the "
                f"factor {settings['persistence']:g} from place to place: the first "
                f"{1 / (1 - settings['persistence']):.0f} places carry most of it. 0: nothing in "
                "common, 1: the same list."
            )
        ),
        Text(
            "Neither is a test of chance: of long lists over few items the share of common items is "
            "large in any case."
        ),
    ]
