"""The report of an influence run: how stable the ranking is under each aggregator."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from pyfsagg._base.words import enumerate_names, number, plural, probabilities, readable, titled
from pyfsagg._page.closing import THESIS, closing, settings_groups, software
from pyfsagg._page.glossary import glossary
from pyfsagg._page.page import (
    Block,
    Column,
    Page,
    Section,
    Table,
    Text,
)
from pyfsagg._run.picture import picture
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.aggregator_influence._plot import plot_aggregator_stability, plot_pairwise
from pyfsagg.aggregator_influence.comparison import AggregatorComparison
from pyfsagg.aggregator_influence.result import THESIS_MEASURES, InfluenceResult
from pyfsagg.exceptions import DataError
from pyfsagg.filters import FILTERS
from pyfsagg.stability_measures import STABILITY_MEASURES
from pyfsagg.stability_measures._page import STABILITY_PAGE

__all__ = ["influence_page"]

TESTS = {
    "repeated": "Repeated-measures ANOVA (Greenhouse-Geisser)",
    "one_way": "One-way ANOVA",
    "friedman": "Friedman",
}


def influence_page(
    result: InfluenceResult,
    *,
    measures: Sequence[str] = THESIS_MEASURES,
    top: float | int = 0.25,
    adjust: str = "holm",
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
) -> Page:
    """The report of an influence run as a page for :func:`pyfsagg._page.page.write_page`.

    Parameters
    ----------
    result : InfluenceResult
    measures : sequence of str
        Measures of stability; the aggregators are compared by each of them.
    top : float or int
        Size of the subsets for measures of selections.
    adjust : {"holm", "bonferroni", "bh", "none"}
        Correction of the pairwise p-values.
    command, data_name, reading
        As in :data:`pyfsagg._run.result.ORIGIN`.

    Returns
    -------
    Page

    Raises
    ------
    ParameterError
        For an unknown measure or correction, or `top` out of range.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.influence(
    ...     data.X, data.y, aggregators=["am", "gm"], n_folds=4, n_resamples=10, random_state=0
    ... )
    >>> [section.id for section in influence_page(result).sections]
    ['summary', 'information-gain', 'words', 'settings', 'repeat', 'cite']
    """
    frame = result.to_frame(measures, top=top)
    names = list(dict.fromkeys(frame["measure"]))
    sections = [Section("summary", "Summary", [Text(_summary(result, frame, names[0]))])]
    for label in result.filters:
        blocks = _filter_blocks(result, frame[frame["filter"] == label], label, top, adjust)
        sections.append(Section(label.replace("_", "-").lower(), titled(label), blocks))
    kind = "a number of features" if isinstance(top, int) else "a fraction of the features"
    sections += glossary(
        (titled(name), STABILITY_MEASURES.get(name).summary, STABILITY_PAGE.entry(name))
        for name in names
    )
    sections += closing(
        settings_groups(result, last=[("Best features compared", f"{top} ({kind})")]),
        _references(result, names),
        command=command,
        code=result.code(result.full_view({"reading": reading})),
    )
    title = (
        f"Influence of the aggregator on {data_name}"
        if data_name
        else "Influence of the aggregator"
    )
    subtitle = (
        f"{plural(result.data['n_samples'], 'sample')}, {plural(result.n_features, 'feature')}, "
        f"{plural(result.n_folds, 'fold')}"
    )
    return Page(title, subtitle, sections)


def _summary(result: InfluenceResult, frame: pd.DataFrame, measure: str) -> str:
    parameters = result.parameters
    filters = enumerate_names([readable(label) for label in parameters["filters"]])
    ensemble = (
        f"the filters {filters} combined" if parameters["method"] == "bam" else f"each of {filters}"
    )
    sentences = [
        f"How far does the ranking depend on the samples, and how far on the aggregator? In each of "
        f"{plural(result.n_folds, 'stratified fold')} some samples were left out; the features were "
        f"ranked on the others by {ensemble} over {plural(parameters['n_resamples'], 'bootstrap')}, "
        f"once with each of {enumerate_names([readable(name) for name in result.aggregators])}. "
        "The stability of an aggregator is the agreement of its rankings over the folds."
    ]
    spec = STABILITY_MEASURES.get(measure)
    for label, part in frame[frame["measure"] == measure].groupby("filter", sort=False):
        known = part.dropna(subset="value").set_index("aggregator")["value"]
        if known.empty:
            continue
        ordered = known.sort_values(ascending=not spec.larger_is_stabler)
        sentences.append(
            f"{titled(str(label))}: by {titled(measure)} the most stable aggregator is "
            f"{readable(str(ordered.index[0]))} ({number(ordered.iloc[0])}), the least stable "
            f"{readable(str(ordered.index[-1]))} ({number(ordered.iloc[-1])})."
        )
    return " ".join(sentences)


def _filter_blocks(
    result: InfluenceResult, frame: pd.DataFrame, label: str, top: float | int, adjust: str
) -> list[Block]:
    measures = list(dict.fromkeys(frame["measure"]))
    blocks: list[Block] = [_stability_table(result, frame, measures)]
    prefix = label.replace("_", "-").lower()
    comparisons: dict[str, AggregatorComparison] = {}
    for measure in measures:
        try:
            if len(result.aggregators) > 1:
                comparisons[measure] = result.compare(measure, label, top=top, adjust=adjust)
        except DataError as reason:
            blocks.append(Text(f"No comparison by {titled(measure)}: {reason}.", quiet=True))
    first = frame[frame["measure"] == measures[0]]
    if first["value"].notna().any():
        blocks.append(
            picture(
                f"Stability by {titled(measures[0])}",
                f"{prefix}-stability",
                plot_aggregator_stability,
                *(result, measures[0]),
                filter=label,
                top=top,
                label=f"Stability by {titled(measures[0])} of each aggregator",
                caption="Dot: stability over the folds. Line: its 95 % jackknife interval, which shows how "
                "far single folds matter.",
            )
        )
    if comparisons:
        blocks.append(_tests_table(comparisons))
        for measure, comparison in comparisons.items():
            blocks.append(
                picture(
                    f"Pairs of aggregators by {titled(measure)}",
                    f"{prefix}-{measure}-pairs",
                    plot_pairwise,
                    comparison,
                    label=f"Adjusted p-values of all pairs of aggregators by {titled(measure)}",
                    caption="Paired t tests over the folds. Below the diagonal: adjusted p-value, the "
                    "darker the smaller. Above it: row minus column in the mean stability.",
                )
            )
        blocks.append(Text(next(iter(comparisons.values())).caution, quiet=True))
    return blocks


def _stability_table(
    result: InfluenceResult, frame: pd.DataFrame, measures: Sequence[str]
) -> Table:
    cells = {(row["measure"], row["aggregator"]): row for row in frame.to_dict("records")}
    rows = []
    for aggregator in result.aggregators:
        row = [readable(aggregator)]
        for measure in measures:
            cell = cells[measure, aggregator]
            text = number(cell["value"])
            if pd.notna(cell["lower"]):
                text += f" ({number(cell['lower'])} to {number(cell['upper'])})"
            row.append(text)
        rows.append(row)
    smaller = [
        titled(name) for name in measures if not STABILITY_MEASURES.get(name).larger_is_stabler
    ]
    direction = f"Smaller is more stable for {enumerate_names(smaller)}. " if smaller else ""
    reasons = [note for note in dict.fromkeys(frame["note"]) if note]
    return Table(
        f"Stability of the rankings over {plural(result.n_folds, 'fold')}, with 95 % jackknife "
        "intervals.",
        [Column("Aggregator", numeric=False), *(Column(titled(name)) for name in measures)],
        rows,
        direction
        + " ".join(
            [
                "The intervals show how far single folds matter; they do not cover what other "
                "samples of the same population would give.",
                *(f"{reason}." for reason in reasons),
            ]
        ),
    )


def _tests_table(comparisons: dict[str, AggregatorComparison]) -> Table:
    rows, reasons = [], []
    for measure, comparison in comparisons.items():
        for test, row in comparison.tests().iterrows():
            degrees = [number(row["df_effect"], 2), number(row["df_error"], 2)]
            p = probabilities([row["p"]])[0]
            rows.append(
                [titled(measure), TESTS[str(test)], number(row["statistic"], 2), *degrees, p]
            )
        reasons += [f"{titled(measure)}: {why}." for why in comparison.refused.values()]
    return Table(
        "Do the aggregators differ? Tests over the pseudo-values of the folds.",
        [
            Column("Measure", numeric=False),
            Column("Test", numeric=False),
            Column("F or χ²"),
            Column("df"),
            Column("df of error"),
            Column("p"),
        ],
        rows,
        " ".join(
            [
                "The pseudo-value of a fold is its contribution to the stability of all folds. The "
                "repeated-measures test pairs the aggregators by fold; the one-way test, which the "
                "thesis prints, takes them for independent groups.",
                *dict.fromkeys(reasons),
            ]
        ),
    )


def _references(result: InfluenceResult, measures: Sequence[str]) -> list[tuple[str, str]]:
    return [
        software(result.versions["pyfsagg"]),
        ("Influence of the aggregator", f"{THESIS}, section 3.3.2 (“thesis” below)"),
        *(
            (f"Filter {readable(label)}", FILTERS.get(label).source)
            for label in result.parameters["filters"]
            if label in FILTERS
        ),
        *(
            (f"Aggregator {readable(name)}", AGGREGATORS.get(name).source)
            for name in result.aggregators
        ),
        *((f"Measure {readable(name)}", STABILITY_MEASURES.get(name).source) for name in measures),
    ]
