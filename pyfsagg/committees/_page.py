"""The report on a committee."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from pyfsagg._base.words import count, number, plural, ranks
from pyfsagg._page.closing import closing, settings_groups, software
from pyfsagg._page.page import Block, Column, Page, Section, Table, Text
from pyfsagg._run.picture import picture
from pyfsagg._version import __version__
from pyfsagg.committees._plot import plot_front, plot_votes
from pyfsagg.committees.result import Committee
from pyfsagg.committees.rules import VOTING_RULES
from pyfsagg.ensemble._page_groups import group_blocks

__all__ = ["committee_page"]

MOST_ROWS = 1000
KNEE = (
    "The knee of a front",
    "Das (1999). On characterizing the “knee” of the Pareto curve based on normal-boundary "
    "intersection. Structural Optimization 18, 107–115",
)


def committee_page(
    result: Committee,
    *,
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report on a committee as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : Committee
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page
        At most 1,000 features are shown.
    """
    rule = VOTING_RULES.get(result.parameters["rule"])
    known = bool(result.voters["performance"].notna().any())
    front = (
        [Section("front", "Performance and number of features", _front(result), short="Front")]
        if known
        else []
    )
    sections = [
        Section("summary", "Summary", [Text(text) for text in result.sentences()]),
        Section(
            "ranking",
            "Features in order",
            [*_ranking(result), *group_blocks(result, result.ranking.index)],
            short="Features",
        ),
        *front,
        Section("learners", "Voters", [_learners(result)]),
        Section("reading", "How to read it", _reading(result)),
        *closing(
            settings_groups(result),
            [software(__version__), ("Voting rule", rule.source), *([KNEE] * known)],
            command=command,
            code=result.code(result.full_view({"reading": reading})),
        ),
    ]
    title = f"Vote on the features of {data_name}" if data_name else "Vote of a committee"
    under = f"{plural(result.n_voters, 'voter')}, {plural(len(result.feature_names), 'feature')}"
    return Page(title, under, sections)


def _ranking(result: Committee) -> list[Block]:
    shown = result.ranking.head(MOST_ROWS)
    rows = [
        [str(name), rank, number(score), count(int(votes)), number(share), "yes" if tied else ""]
        for name, rank, (score, votes, share, tied) in zip(
            shown.index,
            ranks(shown["rank"]),
            shown[["score", "votes", "share", "tied"]].itertuples(index=False),
            strict=True,
        )
    ]
    hidden = len(result.ranking) - len(shown)
    more = f"{plural(hidden, 'more feature')} in ranking.csv. " if hidden else ""
    table = Table(
        "Features in the order of the vote.",
        [
            Column("Feature", numeric=False),
            Column("Rank"),
            Column("Score"),
            Column("Votes"),
            Column("Share of voters"),
            Column("Tied", numeric=False),
        ],
        rows,
        f"{more}Votes and their share are without weights. Tied: another feature had the same right to "
        "the place.",
        find="feature",
    )
    drawn = picture(
        "First features",
        "votes",
        plot_votes,
        result,
        label="Bars: share of the voters that select each of the first features",
        caption="Bars: share of the voters that select a feature, without weights, in the order of the vote.",
    )
    return [drawn, table]


def _front(result: Committee) -> list[Block]:
    drawn = picture(
        "Performance against number of features",
        "front",
        plot_front,
        result,
        label="Dots: performance of each voter against its number of features; line: Pareto front",
        caption="A dot per voter. Line: the front, the best performance with so many features or fewer. "
        "The knee is the point of the front farthest above the dashed line between its ends.",
    )
    rows = [
        [count(n), number(performance), count(voters), number(distance), "yes" if knee else ""]
        for n, performance, voters, distance, knee in result.pareto_front().itertuples(index=False)
    ]
    table = Table(
        "Points of the front.",
        [
            Column("Features"),
            Column("Performance"),
            Column("Voters"),
            Column("Distance from the line"),
            Column("Knee", numeric=False),
        ],
        rows,
        "The distance is on axes scaled to [0, 1].",
    )
    return [drawn, table]


def _learners(result: Committee) -> Table:
    rows = [
        [
            str(name),
            count(int(row["voters"])),
            count(int(row["empty"])),
            number(row["n_features"], 1),
            number(row["performance"]),
            number(row["jaccard"]),
        ]
        for name, row in result.summary().iterrows()
    ]
    return Table(
        "Voters by learner.",
        [
            Column("Learner", numeric=False),
            Column("Voters"),
            Column("Without selection"),
            Column("Mean number of features"),
            Column("Mean performance"),
            Column("Jaccard similarity"),
        ],
        rows,
        "Jaccard similarity: mean over the pairs of voters with a selection of the share of features "
        "that both select among those that one of them selects.",
    )


def _reading(result: Committee) -> list[Block]:
    rule = VOTING_RULES.get(result.parameters["rule"])
    texts = [
        Text(
            Markup("<b>{}.</b> {}").format(
                rule.name.replace("_", " ").capitalize(),
                f"{rule.summary}. Score: {rule.formula}, with the weight w_v of a voter and its "
                f"selection A_v. Ties: {rule.ties}.",
            )
        ),
        Text(
            "A share of voters depends on how many features they select and on the learners that were "
            "asked. It says how the committee votes, and not how probable it is that a feature matters."
        ),
    ]
    if rule.proportional:
        texts.append(
            Text(
                "Proportional: voters whose features have been elected count less for the next places, so "
                "that a feature that stands for the same voters as an elected one comes later. The "
                "order is that of a set to be used together."
            )
        )
    return list(texts)
