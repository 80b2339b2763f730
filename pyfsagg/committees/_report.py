"""The report and the pictures of a committee."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pyfsagg._base.validation import check_integer
from pyfsagg._base.words import count, number, plural, ranks, readable
from pyfsagg._report import closing, drawing
from pyfsagg._report.page import Block, PageTable, Section, Text, heads
from pyfsagg._version import __version__
from pyfsagg.committees.result import Committee
from pyfsagg.committees.rules import VOTING_RULES
from pyfsagg.ensemble.groups import group_blocks


def plot_votes(result: Committee, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """The first features of the vote, with the share of the voters that select each."""
    n = min(check_integer("n", n, low=1), len(result.ranking))
    shown = result.ranking.head(n)
    axes, rows = drawing.feature_rows(ax, [str(name) for name in shown.index], 1.2, 0.22)
    axes.barh(rows, shown["share"], color=drawing.BLUE, height=0.7)
    axes.set_xlim(0, 1)
    axes.set_xlabel("Share of the voters that select the feature")
    title = f"First features by {result.parameters['rule'].replace('_', ' ')}"
    return drawing.finished(axes, title, grid="x", columns=0)


def plot_front(result: Committee, *, ax: Axes | None = None) -> Axes:
    """Performance of each voter against its number of features, with the Pareto front and its knee."""
    front = result.pareto_front()
    axes = drawing.new_axes(ax, 4.0)
    voters = result.voters[result.voters["n_features"] > 0]
    knee = front[front["knee"]]

    def draw(frame: pd.DataFrame, marks: str, colour: str, label: str, **look: Any) -> None:
        x, y = frame["n_features"], frame["performance"]
        axes.plot(x, y, marks, color=colour, label=label, **look)

    draw(voters, "o", drawing.GREY, "voters", mfc="white", ms=5)
    draw(front, "o-", drawing.BLUE, "front", ms=6, drawstyle="steps-post")
    draw(front.iloc[[0, -1]], "--", drawing.INK, "line between its ends", lw=0.9)
    if len(knee):
        draw(knee, "D", drawing.ORANGE, f"knee: {int(knee['n_features'].iloc[0])}", ms=9)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_xlabel("Number of features")
    metric = result.parameters.get("metric")
    axes.set_ylabel(f"Performance ({readable(metric)})" if metric else "Performance")
    return drawing.finished(axes, "Performance against number of features", grid="y")


COMMITTEE_PLOTS: dict[str, Callable[..., Axes]] = {"ranking": plot_votes, "front": plot_front}


MOST_ROWS = 1000
KNEE = (
    "The knee of a front",
    "Das (1999). On characterizing the “knee” of the Pareto curve based on normal-boundary "
    "intersection. Structural Optimization 18, 107–115",
)


def committee_page(result: Committee, view: Mapping[str, Any]) -> closing.Report:
    """The report on a committee."""
    rule = VOTING_RULES.get(result.parameters["rule"])
    known = bool(result.voters["performance"].notna().any())
    ranking = [*_ranking(result), *group_blocks(result, result.ranking.index)]
    sections = [Section("ranking", "Features in order", ranking, short="Features")]
    if known:
        title = "Performance and number of features"
        sections.append(Section("front", title, _front(result), short="Front"))
    meaning = (
        f"{rule.summary}. Score: {rule.formula}, with the weight w_v of a voter and its selection A_v. "
        f"Ties: {rule.ties}."
    )
    texts = [
        Markup("<b>{}.</b> {}").format(readable(rule.name).capitalize(), meaning),
        "A share of voters depends on the learners and on how many features they select. It is not the "
        "probability that a feature matters.",
    ]
    if rule.proportional:
        texts.append(
            "Proportional: voters with elected features count less for the next places, so a feature of "
            "the same voters comes later. The first k features are a set to be used together."
        )
    sections.append(Section("reading", "How to read it", list(map(Text, texts))))
    titles = ("Vote of a committee", "Vote on the features of {}")
    under = f"{plural(result.n_voters, 'voter')}, {plural(len(result.feature_names), 'feature')}"
    references = [closing.software(__version__), ("Voting rule", rule.source), *([KNEE] * known)]
    return closing.Report(titles, under, sections, closing.settings_groups(result), references)


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
    titles = ("Feature", "Rank", "Score", "Votes", "Share of voters", "Tied")
    hidden = len(result.ranking) - len(shown)
    more = f"{plural(hidden, 'more feature')} in ranking.csv. " if hidden else ""
    table = PageTable(
        "Features in the order of the vote.",
        heads(titles, words=("Feature", "Tied")),
        rows,
        f"{more}Votes and their share are unweighted. Tied: another feature could equally have this "
        "place.",
        find="feature",
    )
    drawn = drawing.picture(
        "First features",
        "votes",
        plot_votes,
        result,
        label="Bars: share of the voters that select each of the first features",
        caption="Bars: share of the voters that select a feature, without weights, in the order of the vote.",
    )
    return [drawn, table]


def _front(result: Committee) -> list[Block]:
    drawn = drawing.picture(
        "Performance against number of features",
        "front",
        plot_front,
        result,
        label="Dots: performance of each voter against its number of features; line: Pareto front",
        caption="A dot per voter. Line: the front, the best performance with at most this number of "
        "features. The knee is the point of the front farthest above the dashed line between its "
        "ends.",
    )
    rows = [
        [count(n), number(performance), count(voters), number(distance), "yes" if knee else ""]
        for n, performance, voters, distance, knee in result.pareto_front().itertuples(index=False)
    ]
    titles = ("Features", "Performance", "Voters", "Distance from the line", "Knee")
    note = "The distance is on axes scaled to [0, 1]."
    return [drawn, PageTable("Points of the front.", heads(titles, words=["Knee"]), rows, note)]
