"""What is to be said of a run: each fact once, as blocks that the page and the terminal render."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from pyfsagg._base.words import (
    count,
    enumerate_names,
    number,
    numbers,
    percentages,
    plural,
    probabilities,
)
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg.ensemble.data import Ranked, columns_of
from pyfsagg.ensemble.groups import about_copies, about_groups
from pyfsagg.ensemble.selection import (
    Auto,
    Limit,
    Share,
    Top,
    Wish,
    choose,
    controlled,
    ranking_frame,
    select_features,
)
from pyfsagg.ensemble.trust import MOST_SHOWN, agreement, between, shown_sets, why_no_sets
from pyfsagg.error_control import ErrorControl, TargetPermutation
from pyfsagg.exceptions import DataError
from pyfsagg.ranks.ranking import about_ties
from pyfsagg.stability_measures import BetweenSampleStability

# ---------------------------------------------------------------------------------------------
# would another sample give the same?
# ---------------------------------------------------------------------------------------------
SPLIT_BY_MDL = ("information_gain", "gain_ratio", "symmetric_uncertainty")

WORDS = {
    "nogueira": ("Selected features", "Nogueira: features in common beyond chance"),
    "spearman": ("Ranks", "Spearman correlation"),
    "pearson": ("Scores", "Pearson correlation"),
}


CHANCE = (
    "the agreement of as many features drawn at random, as on noise if all features are alike. Features that "
    "differ, for instance in their number of levels, agree on noise, too"
)
MOST = 0.75
"""Share of selected features above which their agreement is told by the few that are left out."""


def _sizes(pairs: BetweenSampleStability, data: Ranked, wish: Wish) -> tuple[str, str, str]:
    """Rows of a sample, features of a selection, and what has to be said of their number."""
    rows = "half of the rows" if pairs.n_rows is None else f"{count(pairs.n_rows)} rows"
    k, p = pairs.n_features_to_select, pairs.n_features
    remarks = []
    if not isinstance(wish, Top | Share) and choose(data, wish).names:
        remarks.append(
            "The number of features was chosen from the rows of both samples, so that the agreement may be "
            "too high."
        )
    if k > MOST * p:
        remarks.append(
            f"With {count(k)} of {count(p)} features, it is the agreement on the {count(p - k)} left out, "
            "and says little about the best."
        )
    return rows, f"the best {plural(k, 'feature')}", " ".join(remarks)


def _sentences(pairs: BetweenSampleStability, data: Ranked, wish: Wish) -> tuple[str, str]:
    rows, best, remarks = _sizes(pairs, data, wish)
    noise = (
        "; the agreement of resamples with shuffled targets, below, shows how far resamples of this table do"
        if data.shuffled is not None
        else ""
    )
    what = (
        f"Two samples of {rows} each, without a common row, were ranked by the same filters; "
        f"{count(pairs.n_pairs)} such pairs were drawn. Selected are {best} of each. 1: the same "
        f"ranking. 0: {CHANCE}{noise}. {remarks}"
    ).strip()
    tells = (
        "This estimates how far another sample of that size would give the same features. The "
        "agreement of the resamples below answers another question. Resamples of one sample share "
        "rows, so that they agree even on noise: it shows whether more resamples would change the ranking"
    )
    return what, tells


def _limits(row: Mapping[Any, Any]) -> str:
    low, high = row["lower"], row["upper"]
    return "too few pairs" if np.isnan(low) else f"{number(low, 2)} to {number(high, 2)}"


def between_sentence(data: Ranked, wish: Wish) -> list[str]:
    """The stability of the selection between samples in a sentence, if there is one."""
    try:
        pairs = between(data, choose(data, wish).compared)
    except DataError:
        return []
    row = pairs.estimates.loc["nogueira"].to_dict()
    estimate = float(row["estimate"])
    if np.isnan(estimate):
        return []
    rows, best, remarks = _sizes(pairs, data, wish)
    return [
        f"Two samples of {rows} each would agree on {best} to {number(estimate, 2)} "
        f"({100 * pairs.confidence_level:g}\u00a0% interval for the population: {_limits(row)}), where 1 "
        f"is the same selection and 0 {CHANCE}.{' ' * bool(remarks)}{remarks}"
    ]


def between_text(data: Ranked, wish: Wish) -> str:
    """The stability between samples for the terminal, or the reason why there is none."""
    try:
        pairs = between(data, choose(data, wish).compared)
    except DataError as reason:
        return f"Would another sample give the same? Not known: {reason}."
    what, tells = _sentences(pairs, data, wish)
    shown = pairs.estimates.dropna(subset=["estimate"])
    lines = [
        f"  {WORDS[str(name)][0]:<18}{row['estimate']:6.3f}   "
        f"({100 * pairs.confidence_level:g} % interval for the population: {_limits(row.to_dict())})"
        for name, row in shown.iterrows()
    ]
    told = textwrap.fill(f"{what} {tells}.", 88, break_on_hyphens=False)
    return "\n".join(["Would another sample give the same?", *lines, told])


def between_blocks(data: Ranked, wish: Wish) -> list[Block]:
    """The same for the page of a run."""
    try:
        pairs = between(data, choose(data, wish).compared)
    except DataError as reason:
        return [Text(f"This cannot be measured here: {reason}.")]
    rows = [
        [WORDS[str(name)][0], WORDS[str(name)][1], number(row["estimate"]), _limits(row.to_dict())]
        for name, row in pairs.estimates.dropna(subset=["estimate"]).iterrows()
    ]
    columns = [
        PageColumn("Agreement of", numeric=False),
        PageColumn("Measure", numeric=False),
        PageColumn("Estimate"),
        PageColumn(
            f"{100 * pairs.confidence_level:g}\u00a0% interval of the population", sortable=False
        ),
    ]
    what, tells = _sentences(pairs, data, wish)
    note = (
        "The interval is about the population, not about a repetition of this run, and usually "
        "wider than necessary. It may be too narrow if a filter finds nothing in most samples. "
        "The agreement of samples of the full size is not estimated, because no rule of "
        "extrapolation was correct in simulations; with signal, it is higher than this value."
    )
    table = PageTable("How far two independent samples agree", columns, rows)
    return [Text(what), table, Text(f"{tells}."), Text(note, quiet=True)]


def repeated_rows(data: Ranked) -> list[Block]:
    """A note where a bootstrap meets filters to which repeated rows look like evidence."""
    concerned = any(label in SPLIT_BY_MDL for label in data.score_matrices)
    if not concerned or "bootstrap" not in data.setup.plan or data.setup.binning is not None:
        return []
    return [
        Text(
            "Note. A bootstrap repeats rows, and repeated rows look like evidence to filters that split "
            "a feature by MDL (information gain and its kin): more features without any relation to the "
            "target get a score above 0 than on the data themselves. Compare the scores with each other, "
            "do not read them as information; resampling='subsample' and 'complementary_pairs' repeat "
            "no rows.",
            quiet=True,
        )
    ]


# ---------------------------------------------------------------------------------------------
# how many of the selected may be false?
# ---------------------------------------------------------------------------------------------
MOST_CONTROLLED = 50


def error_blocks(data: Ranked, limit: Limit | None) -> list[Block]:
    """How many of the selected may be false, if a limit was given or p-values were computed."""
    blocks: list[Block] = []
    if limit is not None:
        found = controlled(data, limit)
        blocks += [*_sentences_of(found), _control_table(found)]
    if data.permutation is not None:
        blocks += [*_sentences_of(data.permutation), _permutation_table(data.permutation)]
    return blocks


def _sentences_of(found: ErrorControl | TargetPermutation) -> list[Block]:
    first, *rest = found.sentences
    return [Text(Markup("<b>{}</b>").format(first)), *(Text(each) for each in rest)]


def _permutation_table(permutation: TargetPermutation) -> PageTable:
    best = permutation.to_frame().head(MOST_CONTROLLED)
    return PageTable.of_columns(
        "Features against shuffled targets, best first.",
        [
            (PageColumn("Feature", numeric=False), [str(name) for name in best.index]),
            (PageColumn("Score"), numbers(best["score"])),
            (PageColumn("p-value"), probabilities(best["p_value"])),
            (PageColumn("Family-wise p-value"), probabilities(best["family_wise_p_value"])),
        ],
        f"Scores of {permutation.n_resamples} resamples. The p-value is that of the feature by itself; the "
        "family-wise one is adjusted across features by the step-down maximum statistic.",
        tinted=len(permutation.select(0.05)),
    )


def _control_table(control: ErrorControl) -> PageTable:
    frame = control.to_frame()
    best = frame.head(MOST_CONTROLLED)
    columns = [
        (PageColumn("Feature", numeric=False), [str(name) for name in best.index]),
        (
            PageColumn("Selected", numeric=False, sortable=False),
            ["yes" if chosen else "no" for chosen in best["controlled"]],
        ),
        (
            PageColumn(f"Among the best {max(control.q, 1)} in\u00a0%"),
            percentages(best["pair_frequency"]),
        ),
        (PageColumn("Expected false"), numbers(best["expected_false"])),
        (PageColumn("Along the path"), numbers(best["path_expected_false"])),
        (PageColumn("q-value"), numbers(best["q_value"])),
    ]
    more = len(frame) - len(best)
    note = (
        "Expected false: bound on the number of false selections if this feature and all that are as "
        "frequent were selected. Along the path: the same by integrated path stability selection, and "
        "its q-value, the estimated share of false selections. Each value assumes that the limit "
        "was fixed before the table was seen."
    )
    hidden = f" {count(more)} more features are in ranking.csv." if more else ""
    return PageTable.of_columns(
        "Features, the safest first.",
        columns,
        note + hidden,
        tinted=int(control.support.sum()),
    )


# ---------------------------------------------------------------------------------------------
# which features may be the best?
# ---------------------------------------------------------------------------------------------
MOST_NAMED = 50
CENTRED = (
    " It is centred on the rank in the table itself: repeated rows raise the scores of features with many "
    "levels, so that such a feature may be ranked above its set."
)


def rank_set_columns(data: Ranked, order: list[int]) -> list[tuple[PageColumn, list[str]]]:
    """The column of confidence sets of a table of features, in the order given; or none."""
    sets = shown_sets(data)
    if sets is None:
        return []
    cells = [f"{count(int(sets.lower[j]))} to {count(int(sets.upper[j]))}" for j in order]
    return [(PageColumn("95\u00a0% set of the true rank", sortable=False), cells)]


def set_meanings(data: Ranked) -> list[tuple[str, str]]:
    """What the column of confidence sets says, where there is one."""
    sets = shown_sets(data)
    if sets is None:
        return []
    return [
        (
            "95\u00a0% set of the true rank",
            f"the ranks that the feature may have by {sets.of}, with 95\u00a0% confidence for "
            "this feature alone",
        )
    ]


def true_rank_blocks(data: Ranked, k: int) -> list[Block]:
    """Which features may be among the true best, or why nothing can be said."""
    sets = shown_sets(data)
    if sets is None:
        reason = why_no_sets(data) or (
            f"the sets are computed by default for at most {MOST_SHOWN} features; ask for them with "
            "result.rank_confidence()"
        )
        return [Text(f"There are no confidence sets for the ranks here: {reason}.")]
    best = sets.top(k)
    named = [
        *best[:MOST_NAMED],
        *([f"{count(len(best) - MOST_NAMED)} more"] if len(best) > 50 else []),
    ]
    one = k == 1
    centred = CENTRED if data.own_scores is not None else ""
    return [
        Text(
            f"The true best {'feature' if one else count(k)} of {plural(data.n_features, 'feature')} "
            f"{'is' if one else 'are'}, with 95\u00a0% confidence, among these "
            f"{plural(len(best), 'feature')}: {enumerate_names(named)}."
        ),
        Text(
            f"True ranks are those by {sets.of}. Two features count as different if their scores "
            "differ by more than all pairs together may differ by chance (Mogstad, Romano, Shaikh and "
            "Wilhelm 2024). The set is wide where the sample cannot separate features; a larger sample makes "
            f"it smaller, more resamples do not.{centred}",
            quiet=True,
        ),
    ]


# ---------------------------------------------------------------------------------------------
# on the terminal
# ---------------------------------------------------------------------------------------------
LISTED = 10  # features that are listed
LISTED_OF_NOISE = 5  # where none is selected
TEXT_COLUMNS = {
    "rank": ("rank", "{:g}"),
    "score": ("score", "{:.4f}"),
    "rank_set_lower": ("true rank from", "{:d}"),
    "rank_set_upper": ("to (95 %)", "{:d}"),
    "rank_lower": ("rank 2.5 %", "{:g}"),
    "rank_upper": ("rank 97.5 %", "{:g}"),
    "selection_frequency": ("selected in", "{:.0%}"),
    "status": ("status", "{}"),
}
SETS, RANKS = ("rank_set_lower", "rank_set_upper"), ("rank_lower", "rank_upper")
SHUFFLED_ROW = "with shuffled target"


def paragraphs_of(data: Ranked, wish: Wish, limit: Limit | None) -> list[str]:
    """The paragraphs of :meth:`pyfsagg.EnsembleResult.summary_text`."""
    setup, k = data.setup, choose(data, wish).compared
    noun = "columns" if data.groups else "features"
    depth = [
        f"The filter {label} selected {params['n_features']} {noun} greedily in each resample; the "
        "others keep the criterion of its last step."
        for label, params in setup.filter_params.items()
        if isinstance(params.get("n_features"), int) and params["n_features"] < setup.n_columns
    ]
    notes = (about_ties(data.scores, k), about_copies(data, k), about_groups(data))
    answers = (None if limit is None else controlled(data, limit), data.permutation)
    return [
        *depth,
        f"{data.method.upper()} with {', '.join(data.score_matrices)}; "
        f"{setup.recipe.aggregator} over {data.n_resamples} resamples ({setup.plan})",
        between_text(data, wish),
        *("\n".join(map(_filled, answer.sentences)) for answer in answers if answer is not None),
        _selected(data, wish, limit),
        _filled(_by_chance(data, k, wish)),
        *(textwrap.fill(note, 88) for note in notes if note),
        f"Agreement of the resamples, which share rows of one sample:\n{_stability(data)}",
    ]


def _selected(data: Ranked, wish: Wish, limit: Limit | None) -> str:
    """How many features, why, and the first of them."""
    chosen = select_features(data, wish)
    left_out = RANKS if shown_sets(data) is not None else SETS
    columns = {name: look for name, look in TEXT_COLUMNS.items() if name not in left_out}
    frame = ranking_frame(data, wish, limit)
    rows = frame.loc[list(chosen.names[:LISTED])] if chosen.names else frame.head(LISTED_OF_NOISE)
    rows = rows[list(columns)]
    rows.columns = pd.Index([title for title, _ in columns.values()])
    formatters = {title: form.format for title, form in columns.values()}
    table = rows.to_string(formatters=formatters, index_names=False)
    rest = f"\n… and {chosen.number - LISTED} more" if chosen.number > LISTED else ""
    # A number that was asked for needs no reason.
    sentences = chosen.sentences[1:] if isinstance(wish, Top | Share) else chosen.sentences
    head = f"Selected {chosen.number} of {data.n_features} features"
    if data.groups:
        n_columns = len(columns_of(data, chosen.names))
        head += f" ({count(n_columns)} of {count(data.setup.n_columns)} columns)"
    head = _filled(f"{head}. {' '.join(sentences)}") if sentences else f"{head}:"
    return f"{head}\n{table}{rest}"


def _stability(data: Ranked) -> str:
    """The measures of each filter, and below them those of shuffled targets."""
    measures, _ = agreement(data)
    if isinstance(measures, DataError):
        return f"not defined: {measures}"
    noise = data.shuffled
    if noise is None:
        return measures.round(3).to_string(index_names=False)
    table = noise.stability.reindex(index=measures.index, columns=measures.columns)
    rows = []
    for label in measures.index:
        rows += [measures.loc[[label]], table.loc[[label]].rename(index={label: SHUFFLED_ROW})]
    text: str = pd.concat(rows).round(3).to_string(index_names=False, na_rep="–")
    return f"{text}\n{_filled(noise.sentence)}"


def _by_chance(data: Ranked, k: int, wish: Wish) -> str:
    """What a selection frequency is without any signal."""
    first = (
        f"If the target were unrelated to all features, some would be proposed in at most "
        f"{data.shuffled.false_alarms:.0%} of runs. A high selection frequency alone is no evidence"
        if isinstance(wish, Auto) and data.shuffled is not None
        else "With a fixed number, features are selected even from noise"
    )
    return (
        f"{first}: by chance a feature is among the best {k} in {k / data.n_features:.0%} of resamples, "
        "and one that the sample favours in many more, because resamples share rows. How many of the "
        "selected may be false: error control (max_false or fdr)."
    )


def _filled(text: str) -> str:
    return textwrap.fill(text, 88, break_on_hyphens=False)
