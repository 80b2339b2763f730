"""The report of an ensemble run: what was done, what was found, how to repeat and to cite it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from pyfsagg._base.checks import check_integer
from pyfsagg._base.remarks import set_aside
from pyfsagg._base.words import (
    count,
    enumerate_names,
    number,
    numbers,
    percentages,
    plural,
    ranks,
    readable,
)
from pyfsagg._page.closing import THESIS, closing, settings_groups, software, target_words
from pyfsagg._page.glossary import Topic, glossary, leads_to, linked
from pyfsagg._page.page import (
    Block,
    Column,
    Page,
    Section,
    Table,
    Text,
    render_page,
    write_page,
)
from pyfsagg._run.picture import picture
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble._between import between_blocks, between_sentence, repeated_rows
from pyfsagg.ensemble._page_errors import error_sections
from pyfsagg.ensemble._page_groups import group_blocks
from pyfsagg.ensemble._page_ranks import rank_set_columns, set_meanings, true_rank_blocks
from pyfsagg.ensemble._page_resamples import adequacy_blocks, size_block
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.selection import STATUSES, Selection
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.filters import FILTERS
from pyfsagg.resampling import PLANS
from pyfsagg.stability_measures import STABILITY_MEASURES
from pyfsagg.stability_measures._page import STABILITY_PAGE

__all__ = ["ensemble_page", "render_report", "write_report"]

MOST_ROWS = 500  # of the table; all that are selected, up to the next number
MOST_SELECTED = 2000
MOST_DRAWN = 20
FIRST = 10  # features that the summary names
NUMBER_OF_FEATURES = Topic(
    "how-to/number-of-features", "Choose the number of features", "help rank"
)
PROPOSAL = (
    "the number of features that the run selects unless a threshold is given: those before the knee of the "
    "scores, of those that score above shuffled targets"
)
KNEE = "the place that divides the falling scores into the two groups that lie closest around their means"
SHUFFLED = (
    "the target with its rows in random order, which no feature has to do with; the same filters score it to "
    "show what noise reaches"
)
METHODS = {"wam": "within-aggregation (WAM)", "bam": "between-aggregation (BAM)"}
MEASURES = {
    "pearson": ("Pearson", "correlation of the scores of two resamples"),
    "spearman": ("Spearman", "correlation of the rankings of two resamples"),
    "jaccard": ("Jaccard", "share of features in common among the best quarter of two resamples"),
    "canberra": ("Canberra", "distance of the rankings of two resamples, per feature"),
    "asd": ("ASD", "standard deviation of the standardised scores of a feature, averaged"),
}
"""Names and plain words for the measures of the thesis, each averaged over pairs of resamples."""


def write_report(
    result: EnsembleResult,
    path: str | os.PathLike[str],
    *,
    threshold: float | int | str = "auto",
    command: str | None = None,
    data_name: str | None = None,
) -> Path:
    """Write the report of a run to an HTML file, which is written completely or not at all.

    Parameters
    ----------
    result : EnsembleResult
    path : path
        The HTML file; an existing one is replaced.
    threshold : int, float or str
        The selection, as in :meth:`pyfsagg.EnsembleResult.selection`.
    command : str, optional
        The arguments of the ``pyfsagg`` command that made the result, quoted for a shell.
    data_name : str, optional
        Name of the data, for the title; by default the name of the target.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    OutputError
        If the file cannot be written.
    ParameterError, InputTypeError
        For a `threshold` out of range, or what is not the result of an ensemble run.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(data.X, data.y, filter="chi_squared", n_resamples=5, random_state=0)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(result, Path(folder) / "report.html", threshold=3).name
    'report.html'
    """
    page = ensemble_page(result, threshold=threshold, command=command, data_name=data_name)
    return write_page(page, path)


def render_report(
    result: EnsembleResult,
    *,
    threshold: float | int | str = "auto",
    command: str | None = None,
    data_name: str | None = None,
) -> str:
    """One self-contained HTML page about an ensemble run.

    It needs no network and no script to be read, and equal results give equal pages.

    Parameters
    ----------
    result : EnsembleResult
    threshold : int, float or str
        The selection, as in :meth:`pyfsagg.EnsembleResult.selection`.
    command : str, optional
        The arguments of the ``pyfsagg`` command that made the result, quoted for a shell.
    data_name : str, optional
        Name of the data, for the title; by default the name of the target.

    Returns
    -------
    str
        The page.  At most 500 features are listed.

    Raises
    ------
    ParameterError
        If `threshold` is out of range.
    InputTypeError
        If `result` is not the result of an ensemble run.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(data.X, data.y, filter="chi_squared", n_resamples=5, random_state=0)
    >>> page = render_report(result, threshold=3, data_name="wine")
    >>> "<h1>Feature ranking of wine</h1>" in page
    True
    """
    page = ensemble_page(result, threshold=threshold, command=command, data_name=data_name)
    return render_page(page)


def ensemble_page(
    result: EnsembleResult,
    *,
    threshold: float | int | str = "auto",
    command: str | None = None,
    data_name: str | None = None,
    reading: Sequence[str] = (),
    max_false: float | None = None,
    fdr: float | None = None,
) -> Page:
    """The report of :func:`render_report` as a page; `reading` is code that reads the data."""
    if not isinstance(result, EnsembleResult):
        raise InputTypeError(
            f"a report is made of an EnsembleResult, got {type(result).__name__}; wam and bam "
            "return one"
        )
    limits = {"max_false": max_false, "fdr": fdr}
    threshold = _plain_threshold(threshold)
    asked = result.threshold_of({"threshold": threshold, **limits})
    chosen = result.selection(asked)
    k = chosen.compared
    stability, spearman = _stability(result)
    sections = [
        Section("summary", "Summary", _summary(result, threshold, asked, chosen, spearman)),
        Section(
            "between",
            "Would another sample give the same?",
            between_blocks(result, asked),
            short="Another sample?",
        ),
        *error_sections(result, limits),
        Section(
            "ranking",
            "Ranking",
            [
                _ranking_table(result, chosen),
                *group_blocks(result, result.select(result.n_features)),
                *repeated_rows(result),
            ],
        ),
        Section("true-ranks", "Which features may be the best?", true_rank_blocks(result, k)),
        Section("pictures", "Pictures", _pictures(result, chosen, asked)),
        Section("stability", "Stability", stability),
        Section(
            "enough",
            "Was the number of resamples enough?",
            adequacy_blocks(result, k),
            short="Enough resamples?",
        ),
        Section("size", "Stability against subset size", [size_block(result)], short="Subset size"),
        *glossary(_words(result, chosen)),
        *closing(
            settings_groups(
                result,
                first=[("Method", result.method.upper())],
                last=[("Selection threshold", f"{threshold} ({_kind_of(threshold)})")],
            ),
            _references(result),
            command=command,
            code=result.code(
                result.full_view({"threshold": threshold, "reading": reading, **limits})
            ),
        ),
    ]
    title = f"Feature ranking of {data_name}" if data_name else "Feature ranking"
    return Page(title, _subtitle(result), sections)


def _plain_threshold(threshold: Any) -> float | int | str:
    """A threshold as Python's own numbers, which the code that repeats a run shows."""
    if isinstance(threshold, str):
        return threshold
    return int(threshold) if isinstance(threshold, Integral) else float(threshold)


def _words(result: EnsembleResult, chosen: Selection) -> list[tuple[str, str, Topic]]:
    """The words of the proposal that occur on the page."""
    said = " ".join(chosen.sentences)
    seen = set(chosen.frame["status"])
    words = [(name, meaning) for name, meaning in STATUSES.items() if name in seen]
    if "proposed" in said:
        words.append(("proposal", PROPOSAL))
    if "knee" in said:
        words.append(("knee", KNEE))
    if result.shuffled is not None:
        words.append(("shuffled target", SHUFFLED))
    return [(word, meaning, NUMBER_OF_FEATURES) for word, meaning in words]


def _kind_of(threshold: float | int | str) -> str:
    if isinstance(threshold, str):
        return "a proposal" if threshold == "auto" else "a limit on false selections"
    return "a number of features" if isinstance(threshold, int) else "a fraction of the features"


def _subtitle(result: EnsembleResult) -> str:
    data = result.data
    kind = data.get("target_kind", "classes")
    target = Markup("<b>{}</b>").format(data["target"])
    words = {
        "classes": Markup("{} in the target {}").format(
            plural(len(data["class_counts"]), "class"), target
        ),
        "numeric": Markup("numeric target {}").format(target),
        "survival": Markup("survival {}").format(target),
        "none": Markup("no target"),
    }[kind]
    columns = f" (groups of {count(data['n_columns'])} columns)" if result.groups else ""
    size = (
        f"{plural(data['n_samples'], 'sample')}, {plural(result.n_features, 'feature')}{columns}, "
    )
    return Markup("{}{}").format(size, words)


def _summary(
    result: EnsembleResult,
    threshold: float | int | str,
    asked: float | int | str,
    chosen: Selection,
    spearman: str,
) -> list[Block]:
    """What was found, how far it can be trusted, and what was done."""
    k = chosen.compared
    notes = [result.about_ties(k), result.about_copies(k), result.about_groups()]
    why = chosen.sentences if isinstance(threshold, str) else chosen.sentences[1:]
    trust = [*between_sentence(result, asked), *(note for note in notes if note)]
    if spearman:
        trust.append(
            f"The rankings of two resamples have a Spearman correlation of {spearman} on average"
            f"{_with_noise(result)}."
        )
    told = (" ".join(each) for each in (why, trust))
    found = [Text(_answer(result, threshold, chosen)), *(Text(each) for each in told if each)]
    return [*found, Text(" ".join(_procedure(result)))]


def _with_noise(result: EnsembleResult) -> str:
    """The same correlation with shuffled targets, as the end of a sentence."""
    noise = result.shuffled
    label = "bam" if result.method == "bam" else next(iter(result.score_matrices))
    value = float("nan") if noise is None else noise.reference(label)
    return "" if value != value else f"; with shuffled targets it is {number(value)}"


def _answer(result: EnsembleResult, threshold: float | int | str, chosen: Selection) -> str:
    """What is selected, and the first ten with the share of resamples that select them."""
    k = chosen.number
    if not k:
        return Markup("<b>No feature is selected.</b>")
    share = ""
    if isinstance(threshold, float):
        percent = number(100 * threshold, 1).removesuffix(".0")
        share = f" (the best {percent}\u00a0%, rounded up)"
    frequency = chosen.frame["selection_frequency"].loc[list(chosen.names[:FIRST])]
    names = [
        f"{name} ({number(100.0 * float(each), 0)}\u00a0%)" for name, each in frequency.items()
    ]
    more = f" and {count(k - len(names))} more" if k > len(names) else ""
    return Markup("<b>{} of {} {} selected{}:</b> {}. {}").format(
        count(k),
        plural(result.n_features, "feature"),
        "is" if k == 1 else "are",
        share,
        f"{', '.join(names)}{more}",
        f"In brackets: the share of resamples with the feature among their best {count(chosen.compared)}.",
    )


def _procedure(result: EnsembleResult) -> list[str]:
    """What was done, in sentences for the methods section of a paper."""
    data, parameters = result.data, result.parameters
    plan = parameters["resampling"]
    aggregator = AGGREGATORS.get(parameters["aggregator"])
    bam = result.method == "bam"
    filters = [readable(label) for label in result.score_matrices]
    plan_summary = PLANS.get(plan).summary if plan in PLANS else "rows given by the user"
    features = plural(result.n_features, "feature")
    sentences = [
        f"The features were ranked by {METHODS[result.method]}.",
        f"The {'filter' if len(filters) == 1 else 'filters'} {enumerate_names(filters)} scored "
        f"{features} of {plural(data['n_samples'], 'sample')} {target_words(data)}, in each of "
        f"{plural(result.n_resamples, 'resample')} ({readable(plan)}: {plan_summary}).",
    ]
    if "binning" in parameters:
        sentences.append(
            f"The table was read in pieces: numbers were cut into {parameters['bins']} bins of "
            f"{readable(parameters['binning'])} once, for all filters and resamples."
        )
    sentences += depth_sentences(
        parameters,
        data.get("n_columns", result.n_features),
        "column" if result.groups else "feature",
    )
    dropped = len(data["dropped_features"])
    if dropped:
        sentences.append(
            f"Before that, {plural(dropped, 'feature')} with almost no variation "
            f"{'was' if dropped == 1 else 'were'} dropped."
        )
    if bam:
        sentences.append(
            "The scores of each filter were brought to the range from 0 to 1 "
            f"({readable(parameters['normalize'])}), and combined within each resample."
        )
    sentences.append(
        f"The aggregator {readable(aggregator.name)} ({aggregator.summary}) "
        f"{'joined the filters and then' if bam else 'joined'} the resamples."
    )
    return sentences


def depth_sentences(
    parameters: Mapping[str, Any], n_features: int, noun: str = "feature"
) -> list[str]:
    """Sentences on greedy filters that select only some of the features (`noun`: what these are)."""
    return [
        f"The filter {readable(label)} selected {count(depth)} {noun}s one by one in each resample; "
        f"the other {count(n_features - depth) if noun == 'feature' else 'ones'} have the criterion that "
        f"they had when the last one was selected (n_features = 'all' selects them all, which takes longer)."
        for label, chosen in parameters.get("filter_params", {}).items()
        if isinstance(depth := chosen.get("n_features"), int) and depth < n_features
    ]


def _ranking_table(result: EnsembleResult, chosen: Selection) -> Table:
    """Best feature first."""
    k = chosen.compared
    frame = result.to_frame(k)
    selected = chosen.frame["selected"].to_numpy()
    last = int(np.flatnonzero(selected)[-1]) + 1 if chosen.number else 0
    best = frame.head(max(MOST_ROWS, min(last, MOST_SELECTED)))
    place = {name: j for j, name in enumerate(result.feature_names)}
    columns = [
        (Column("Rank"), ranks(best["rank"])),
        (Column("Feature", numeric=False), [str(name) for name in best.index]),
        (
            Column("Selected", numeric=False, sortable=False),
            ["yes" if each else "no" for each in selected[: len(best)]],
        ),
        (
            Column("Status", numeric=False),
            list(chosen.frame["status"].iloc[: len(best)]),
        ),
        (Column("Score"), numbers(best["score"])),
        *([(Column("Columns"), numbers(best["n_columns"]))] if result.groups else []),
        *rank_set_columns(result, [place[name] for name in best.index]),
        (Column("Median rank"), ranks(best["rank_median"])),
        (
            Column("95\u00a0% of resamples", sortable=False),
            _intervals(ranks(best["rank_lower"]), ranks(best["rank_upper"])),
        ),
        (Column("Selected in\u00a0%"), percentages(best["selection_frequency"])),
        (
            Column("Its 95\u00a0% interval", sortable=False),
            _intervals(percentages(best["frequency_lower"]), percentages(best["frequency_upper"])),
        ),
        *(
            (Column(f"Mean, {readable(label)}"), numbers(best[f"mean_{label}"]))
            for label in result.score_matrices
        ),
    ]
    hidden = len(frame) - len(best)
    more = (
        f"The first {count(len(best))} features are listed; the search also finds the rank and the "
        f"score of the {count(hidden)} others, and ranking.csv and result.to_frame() hold all. "
        if hidden
        else ""
    )
    meanings = [
        (
            "Score",
            "the aggregate over all resamples, larger = more important; its rank comes first, ties "
            "share their average rank",
        ),
        ("Status", "; ".join(f"{name} = {meaning}" for name, meaning in STATUSES.items())),
        *set_meanings(result),
        (
            "Median rank and 95\u00a0% of resamples",
            "median, and 2.5\u00a0% to 97.5\u00a0% quantile, of the ranks of the feature in single "
            "resamples; no statement about its true rank",
        ),
        (
            "Selected in %",
            f"share of resamples in which the feature is among the best {count(k)}, with its Wilson "
            f"interval. The interval says how exactly {plural(result.n_resamples, 'resample')} "
            f"{'determines' if result.n_resamples == 1 else 'determine'} that share; it is no "
            "statement about other samples of the same population. By chance alone a feature is "
            f"selected in {number(100 * k / result.n_features, 0)}\u00a0% of resamples on average, and a "
            "noise feature that this sample favours in many more, because resamples share rows: a high "
            "share is no evidence that a feature matters. How many of the selected may be false is "
            "answered by error control (max_false or fdr)",
        ),
        ("Mean", "mean score of a filter over the resamples, in the unit of the filter"),
    ]
    return Table.of_columns(
        "Features, most important first. Selected features have a tinted line.",
        columns,
        Markup("{}{}").format(
            more, Markup(" ").join(Markup("<b>{}</b>: {}.").format(*each) for each in meanings)
        ),
        header=1,
        tinted=frozenset(np.flatnonzero(selected).tolist()),
        find="feature",
        hidden=_hidden(chosen.frame.iloc[len(best) :]),
    )


def _hidden(rest: pd.DataFrame) -> list[tuple[str, str]]:
    """Features that the table leaves out: name, and what the search says of it."""
    told = zip(
        rest.index,
        ranks(rest["rank"]),
        numbers(rest["score"]),
        rest["selected"],
        rest["status"],
        strict=True,
    )
    return [
        (str(name), f"rank {rank}, score {score}, {status}{', selected' if chosen else ''}")
        for name, rank, score, chosen, status in told
    ]


def _intervals(low: list[str], high: list[str]) -> list[str]:
    return [f"{a} to {b}" for a, b in zip(low, high, strict=True)]


def _pictures(
    result: EnsembleResult, chosen: Selection, threshold: float | int | str
) -> list[Block]:
    k = chosen.compared
    drawn = min(MOST_DRAWN, result.n_features)
    best = result.select(check_integer("drawn", drawn))[:3]
    several = len(result.score_matrices) > 1
    some = " of 1,000 evenly spaced resamples" if result.n_resamples > 1000 else ""
    agreement = (
        "Spearman rank correlation between the rankings of two filters in the same resample, "
        "averaged over resamples. 1: same ranking. 0: no relation. −1: reversed. Filters that agree "
        "almost fully count several times in the aggregate, as if one of them had been given more "
        "weight."
        if several
        else "Spearman rank correlation between the rankings of two resamples, over all pairs"
        f"{some}. 1: same ranking. 0: no relation. The further to the right and the narrower, the "
        "less the ranking depends on the resample."
    )
    pictures: list[tuple[str, dict[str, Any], str, str, str]] = [
        (
            "ranking",
            {"n": MOST_DRAWN, "threshold": threshold},
            "Ranks",
            f"Median rank and 95 % of the ranks in resamples of the {drawn} best features; best first: "
            f"{', '.join(best)}",
            "Ranks in single resamples of the best features. Dot: median. Line: from the "
            "2.5\u00a0% to the 97.5\u00a0% quantile. Diamond: rank of the aggregate. A short line is "
            "a rank that hardly depends on the resample. Features whose lines overlap may change "
            "places from resample to resample. If the dashed cut is in the picture, a line that "
            "crosses it belongs to a feature that is selected in some resamples only. Colours: "
            "selected features, others, and features that score like noise.",
        ),
        (
            "scores",
            {"n": MOST_DRAWN},
            "Scores",
            f"Box plots of the scores of the {drawn} best features over the resamples",
            f"{'Combined scores' if result.method == 'bam' else 'Scores'} in single resamples of the "
            "same features. Box: lower to upper quartile. Bar: median. Line: from the 2.5\u00a0% to "
            "the 97.5\u00a0% quantile. A gap between boxes is a natural place for a cut; where boxes "
            "overlap there is none.",
        ),
        (
            "agreement",
            {},
            f"Agreement of the {'filters' if several else 'resamples'}",
            "Heat map of the rank correlation between filters"
            if several
            else "Histogram of the rank correlation between pairs of resamples",
            agreement,
        ),
        (
            "convergence",
            {"threshold": k},
            "Number of resamples",
            "Lines: agreement of the ranking from the first resamples with the final ranking",
            "Agreement of the ranking from the first 1, 2, … resamples with the final one: Spearman "
            f"rank correlation, and share of the {plural(k, 'best feature')} that "
            f"{'is' if k == 1 else 'are'} among the best {count(k)} already. Both curves end at 1 by "
            "construction. If they are flat long before the end, more resamples would change "
            "little; if they still rise at the end, draw more.",
        ),
    ]
    return [
        picture(title, kind, result.plot, kind, label=label, caption=caption, **options)
        for kind, options, title, label, caption in pictures
    ]


def _stability(result: EnsembleResult) -> tuple[list[Block], str]:
    """One row per measure, one value per filter, or the reason why there is none; and Spearman's."""
    try:
        frame, remarks = _stability_with_remarks(result)
    except DataError as error:
        return [Text(f"The stability of this run is not defined: {error}.")], ""
    rows = []
    for measure in frame.columns:
        spec = STABILITY_MEASURES.get(str(measure))
        name, meaning = MEASURES.get(spec.name, (readable(spec.name), spec.summary))
        rows.append(
            [
                linked(name, STABILITY_PAGE.entry(spec.name)),
                meaning,
                spec.bounds.replace("-", "−").replace("inf", "∞"),
                "larger" if spec.larger_is_stabler else "smaller",
                *_cells(frame[measure], result, str(measure)),
            ]
        )
    labels = ["all combined" if label == "bam" else readable(label) for label in frame.index]
    words = ("Measure", "What it is", "Range", "Stabler if")
    computed = "computed for each filter" if len(result.score_matrices) > 1 else "computed"
    table = Table(
        f"How far the resamples agree. Each measure is {computed} over all resamples.",
        [*(Column(title, numeric=False) for title in words), *map(Column, labels)],
        rows,
    )
    meaning = (
        "Stability measures the agreement of resamples of these data. It does not show the "
        "agreement with another sample of the population (resamples share rows, so that even "
        "noise agrees a little). A stable result can be wrong: a filter that always makes the "
        "same mistake is stable."
    )
    notes = [Text(Markup("<b>Note.</b> {}.").format(remark), quiet=True) for remark in remarks]
    if result.shuffled is not None:
        notes.insert(0, Text(f"In brackets: with shuffled targets. {result.shuffled.sentence}"))
    notes.append(Text(Markup("Formulas: {}.").format(leads_to(STABILITY_PAGE)), quiet=True))
    return [table, *notes, Text(meaning, quiet=True)], number(frame["spearman"].iloc[-1])


def _cells(values: pd.Series[float], result: EnsembleResult, measure: str) -> list[str]:
    """A measure of each filter, in brackets with shuffled targets."""
    noise = result.shuffled
    if noise is None:
        return [number(value) for value in values]
    return [
        f"{number(value)} ({number(noise.reference(str(label), measure))})"
        for label, value in values.items()
    ]


def _stability_with_remarks(result: EnsembleResult) -> tuple[pd.DataFrame, list[str]]:
    """The stability of a result, and what the measures had to warn of, for the reader."""
    with set_aside() as remarks:
        frame = result.stability()
    return frame, list(dict.fromkeys(remarks))


def _references(result: EnsembleResult) -> list[tuple[str, str]]:
    """What to cite, as (what for, where it comes from)."""
    aggregator = AGGREGATORS.get(result.parameters["aggregator"])
    own = "not part of pyfsagg: cite the source of your own function or estimator"
    return [
        software(result.versions["pyfsagg"]),
        (f"{result.method.upper()} and the stability of resamples", f"{THESIS} (“thesis” below)"),
        *(
            (f"Filter {readable(label)}", FILTERS.get(label).source if label in FILTERS else own)
            for label in result.score_matrices
        ),
        (f"Aggregator {readable(aggregator.name)}", aggregator.source),
    ]
