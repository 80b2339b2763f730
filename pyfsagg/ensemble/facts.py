"""The facts of a run, each stated once, as blocks that the page and the terminal render."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from markupsafe import Markup

from pyfsagg._base.words import (
    count,
    enumerate_names,
    number,
    numbers,
    percentages,
    plural,
    probabilities,
    ranks,
    readable,
    titled,
)
from pyfsagg._report.closing import always_words, target_words
from pyfsagg._report.page import Block, Movable, PageColumn, PageTable, Text
from pyfsagg.ensemble import core, groups, selection
from pyfsagg.ensemble.data import Ranked, best_first, best_names, columns_of, frequencies
from pyfsagg.ensemble.selection import Limit, SelectionRule
from pyfsagg.ensemble.trust import (
    MOST_SHOWN,
    agreement,
    between,
    noise_between,
    shown_sets,
    why_no_sets,
)
from pyfsagg.error_control import ErrorControl, TargetPermutation
from pyfsagg.error_control.permutation import LEVEL
from pyfsagg.exceptions import DataError
from pyfsagg.filters._base import FILTERS
from pyfsagg.ranks.ranking import about_ties
from pyfsagg.resampling.plan import PLANS
from pyfsagg.stability_measures import BetweenSampleStability

Cells = tuple[PageColumn, list[str]]


def text_column(title: str, values: Iterable[object], **look: bool) -> Cells:
    """A column of words."""
    return PageColumn(title, numeric=False, **look), list(map(str, values))


def range_column(title: str, low: list[str], high: list[str]) -> Cells:
    """A column of intervals."""
    cells = [f"{a} to {b}" for a, b in zip(low, high, strict=True)]
    return PageColumn(title, sortable=False), cells


# Would another sample give the same selection?

SPLIT_BY_MDL = ("information_gain", "gain_ratio", "symmetric_uncertainty")

WORDS = {
    "nogueira": ("Selected features", "Nogueira: features in common beyond chance"),
    "spearman": ("Ranks", "Spearman correlation"),
    "pearson": ("Scores", "Pearson correlation"),
}

CHANCE = (
    "the agreement of as many features drawn at random, as expected on noise if all features are of one "
    "kind. Selections from noise can agree if features differ, for instance in their number of levels"
)
MOST = 0.75
"""Share of selected features above which their agreement depends on the few others (chosen)."""


def _sizes(
    pairs: BetweenSampleStability, data: Ranked, rule: SelectionRule
) -> tuple[str, str, str]:
    """Rows of a sample, features of a selection, and remarks on their number."""
    rows = "half of the rows" if pairs.n_rows is None else f"{count(pairs.n_rows)} rows"
    k, p = pairs.n_features_to_select, pairs.n_features
    remarks = []
    if not isinstance(rule, selection.Fixed) and selection.choose(data, rule).names:
        remarks.append(
            "The number of features was chosen from the rows of both samples, so the agreement may be "
            "too high."
        )
    if k > MOST * p:
        remarks.append(
            f"With {count(k)} of {count(p)} features selected, it depends only on the {count(p - k)} not "
            "selected, and says little about the best."
        )
    return rows, f"the best {plural(k, 'feature').removeprefix('1 ')}", " ".join(remarks)


def _limits(row: Mapping[Any, Any]) -> str:
    low, high = row["lower"], row["upper"]
    return "too few pairs" if np.isnan(low) else f"{number(low, 2)} to {number(high, 2)}"


def between_sentence(data: Ranked, rule: SelectionRule, *, brief: bool = False) -> str:
    """The stability between samples, or why it is unknown; without limitations if `brief`."""
    try:
        pairs = between(data, selection.choose(data, rule).compared)
    except DataError as reason:
        return f"Would another sample give the same selection? Unknown: {reason}."
    row = pairs.estimates.loc["nogueira"].to_dict()
    estimate = float(row["estimate"])
    if np.isnan(estimate):
        return ""
    rows, best, remarks = _sizes(pairs, data, rule)
    noise = noise_between(data, pairs.n_features_to_select)
    without = (
        float("nan") if noise is None else float(noise.estimates["estimate"].to_dict()["nogueira"])
    )
    if brief:
        zero = "0 (chance)" if np.isnan(without) else f"{number(without, 2)} (shuffled targets)"
        return (
            f"Two samples of {rows} each would agree on {best} to {number(estimate, 2)} "
            f"({100 * pairs.confidence_level:g}\u00a0% interval: {_limits(row)}), on a scale from {zero} to "
            "1 (the same features)."
        )
    reference = f"0 {CHANCE}"
    if not np.isnan(without):
        reference = f"{number(without, 2)} the agreement of two samples with shuffled targets"
    return (
        f"Two samples of {rows} each would agree on {best} to {number(estimate, 2)} "
        f"({100 * pairs.confidence_level:g}\u00a0% interval for the population: {_limits(row)}), where 1 "
        f"is the same selection and {reference}.{' ' * bool(remarks)}{remarks}"
    )


def between_blocks(data: Ranked, rule: SelectionRule) -> list[Block]:
    """The same for the page of a run."""
    try:
        pairs = between(data, selection.choose(data, rule).compared)
    except DataError as reason:
        return [Text(f"This cannot be measured here: {reason}.")]
    noise = noise_between(data, pairs.n_features_to_select)
    without = {} if noise is None else noise.estimates["estimate"].to_dict()
    rows = [
        [
            *WORDS[str(name)],
            number(row["estimate"]),
            _limits(row.to_dict()),
            *([number(without[name])] if without else []),
        ]
        for name, row in pairs.estimates.dropna(subset=["estimate"]).iterrows()
    ]
    interval = f"{100 * pairs.confidence_level:g}\u00a0% interval of the population"
    columns = [
        PageColumn("Agreement of", numeric=False),
        PageColumn("Measure", numeric=False),
        PageColumn("Estimate"),
        PageColumn(interval, sortable=False),
        *([PageColumn("With shuffled targets")] if without else []),
    ]
    n_rows, best, remarks = _sizes(pairs, data, rule)
    chance = CHANCE
    if noise is not None:
        chance = (
            "the agreement of as many features drawn at random. On noise, the agreement is higher if "
            f"features differ, for instance in their number of levels: the last column has the agreement of "
            f"{plural(noise.n_pairs, 'pair')} of halves with shuffled targets"
        )
    what = (
        f"Two samples of {n_rows} each, without a common row, were ranked by the same filters; "
        f"{count(pairs.n_pairs)} such pairs were drawn, and {best} of each selected. 1: the same "
        f"ranking. 0: {chance}. {remarks}"
    )
    purpose = (
        "This estimates how closely another sample of that size would reproduce the selection. The "
        "agreement of the resamples below answers another question: resamples of one sample share "
        "rows and agree even on noise, so it shows only whether more resamples would change the ranking."
    )
    note = (
        "The interval refers to the population, not to a repetition of this run, and is usually "
        "wider than necessary. It may be too narrow if a filter finds nothing in most samples. "
        "The agreement of samples of the full size is not estimated, because no rule of "
        "extrapolation was correct in simulations; with signal, it is higher than this value."
    )
    table = PageTable("Agreement of two independent samples", columns, rows)
    return [Text(what.strip()), table, Text(purpose), Text(note, quiet=True)]


def repeated_rows(data: Ranked) -> list[Block]:
    """A note if a bootstrap is used with filters that take repeated rows for evidence."""
    concerned = any(label in SPLIT_BY_MDL for label in data.score_matrices)
    if (
        not concerned
        or "bootstrap" not in data._ensemble.plan.name
        or data.parameters.get("binning")
    ):
        return []
    return [
        Text(
            "Note. A bootstrap repeats rows, which filters that split a feature by MDL (information gain "
            "and its relatives) take for evidence: more unrelated features get a score above 0 than on the "
            "data themselves. Compare the scores with each other, but do not interpret them as information; "
            "resampling='subsample' and 'complementary_pairs' repeat no rows.",
            quiet=True,
        )
    ]


# How many of the selected may be false?

MOST_CONTROLLED = 50
YES_NO = {True: "yes", False: "no"}


def error_tables(data: Ranked, limit: Limit | None) -> list[Block]:
    """How many of the selected may be false, if a limit was given or p-values were computed."""
    control = None if limit is None else selection.controlled(data, limit)
    # A limit by p-values is read off their table.
    tables: list[Block] = [_control_table(control)] if isinstance(control, ErrorControl) else []
    return [*tables, *([] if data.permutation is None else [_permutation_table(data.permutation)])]


def _permutation_table(permutation: TargetPermutation) -> PageTable:
    best = permutation.to_frame().head(MOST_CONTROLLED)
    return PageTable.of_columns(
        "P-values of the features from shuffled targets, smallest first.",
        [
            text_column("Feature", best.index),
            (PageColumn("p-value"), probabilities(best["p_value"])),
            (PageColumn("q-value"), probabilities(best["q_value"])),
            (PageColumn("Family-wise p-value"), probabilities(best["family_wise_p_value"])),
        ],
        "The p-value is not adjusted for the other features. The features with a q-value of at most 0.1 have "
        "a false discovery rate of 0.1 (Benjamini and Hochberg). The family-wise p-value is adjusted across "
        f"features by the step-down maximum. {permutation.scale}",
        tinted=len(permutation.select()),
    )


def _control_table(control: ErrorControl) -> PageTable:
    frame = control.to_frame()
    best = frame.head(MOST_CONTROLLED)
    among = PageColumn(f"Among the best {max(control.q, 1)} in\u00a0%")
    columns = [
        text_column("Feature", best.index),
        text_column("Selected", best["controlled"].map(YES_NO), sortable=False),
        (among, percentages(best["pair_frequency"])),
        (PageColumn("Expected false"), numbers(best["expected_false"])),
        (PageColumn("Along the path"), numbers(best["path_expected_false"])),
        (PageColumn("q-value"), numbers(best["q_value"])),
    ]
    more = len(frame) - len(best)
    note = (
        "Expected false: bound on the number of false selections if this feature and all that are at least "
        "as frequent were selected. Along the path: the same by integrated path stability selection, with "
        "its q-value, the estimated share of false selections. Each value assumes that the limit "
        "was fixed before seeing the table."
    )
    hidden = f" {count(more)} more features are in ranking.csv." if more else ""
    return PageTable.of_columns(
        "Features, the safest first.", columns, note + hidden, tinted=int(control.support.sum())
    )


# Which features may be the best?

MOST_NAMED = 50
CENTRED = (
    " It is centred on the rank in the table itself: repeated rows raise the scores of features with many "
    "levels, so such a feature may be ranked above its set."
)


def rank_set_columns(data: Ranked, features: Iterable[str]) -> list[Cells]:
    """The column of confidence sets of a table of these features, or none."""
    sets = shown_sets(data)
    if sets is None:
        return []
    place = {name: j for j, name in enumerate(data.feature_names)}
    rows = [place[name] for name in features]
    low, high = ([count(int(limit[j])) for j in rows] for limit in (sets.lower, sets.upper))
    return [range_column("95\u00a0% set of the true rank", low, high)]


def set_meanings(data: Ranked) -> list[tuple[str, str]]:
    """The meaning of the column of confidence sets, if there is one."""
    sets = shown_sets(data)
    if sets is None:
        return []
    meaning = f"the ranks that the feature may have by {sets.of}, with 95\u00a0% confidence for "
    return [("95\u00a0% set of the true rank", f"{meaning}this feature alone")]


def true_rank_blocks(data: Ranked, k: int) -> list[Block]:
    """Which features may be among the true best, or why this is unknown."""
    sets = shown_sets(data)
    if sets is None:
        reason = why_no_sets(data) or (
            f"by default they are computed for at most {MOST_SHOWN} features; call result.rank_confidence() "
            "for more"
        )
        return [Text(f"There are no confidence sets for the ranks: {reason}.")]
    best = sets.top(k)
    named = best[:MOST_NAMED]
    if len(best) > MOST_NAMED:
        named = [*named, f"{count(len(best) - MOST_NAMED)} more"]
    one = k == 1
    centred = CENTRED if data.checked.own_scores is not None else ""
    return [
        Text(
            f"The true best {'feature' if one else count(k)} of {plural(data.n_features, 'feature')} "
            f"{'is' if one else 'are'}, with 95\u00a0% confidence, among these "
            f"{plural(len(best), 'feature')}: {enumerate_names(named)}."
        ),
        Text(
            f"True ranks are those by {sets.of}. Two features count as different if their scores "
            "differ by more than chance allows for all pairs simultaneously (Mogstad, Romano, Shaikh and "
            "Wilhelm 2024). The set is large if the sample cannot separate features; a larger sample makes "
            f"it smaller, more resamples do not.{centred}",
            quiet=True,
        ),
    ]


# The answer, and the consequences of selecting another number of features.

MOST_MOVED, FEWEST_MOVED = 100, 30


def front_text(data: Ranked, rule: SelectionRule) -> Text:
    """The answer in two sentences: what is selected, or why nothing is, and how certain that is."""
    chosen, test = selection.select_features(data, rule), data.permutation
    sure = between_sentence(data, rule, brief=True) if chosen.number else ""
    if not chosen.number and test is not None and not isinstance(rule, Limit):
        nearest = test.to_frame().iloc[0]
        sure = (
            "No feature can be distinguished from noise, which does not show that they are noise; the "
            f"nearest is {nearest.name} (family-wise p-value {nearest['family_wise_p_value']:.2g})."
        )
    return Text(
        Markup("<b>{}.</b> {}").format(how_many_selected(data, rule), sure or chosen.reason)
    )


def front_table(data: Ranked, rule: SelectionRule) -> PageTable:
    """The best features by a movable number, with selection frequencies. The sentences hold for all
    numbers at once: with probability 0.95, no more of the best are unrelated than are indistinct."""
    chosen = selection.select_features(data, rule)
    p, k = data.n_features, chosen.compared
    movable = k <= MOST_MOVED
    shown = min(p, max(FEWEST_MOVED, k) if movable else MOST_MOVED)
    names = best_names(data, shown)
    best = chosen.frame.iloc[:shown]
    steps = None
    if movable and shown > 1:
        shares = frequencies(data, best_first(data)[:shown], shown)
        above = None
        if data.permutation is not None and data.permutation.strong:
            above = np.cumsum(data.permutation.above[best_first(data)[:shown]]).tolist()
        told = [_told(data, size, above) for size in range(1, shown + 1)]
        steps = Movable(
            "features", k, told, {3: [[f"{share:.0%}" for share in row] for row in shares]}
        )
    return PageTable.of_columns(
        f"The best {count(shown)} features; the selected ones are tinted."
        if shown < p
        else "All features; the selected ones are tinted.",
        [
            (PageColumn("Rank"), ranks(best["rank"])),
            text_column("Feature", names),
            (PageColumn("Score"), numbers(best["score"])),
            (PageColumn("In resamples"), [f"{share:.0%}" for share in best["selection_frequency"]]),
            text_column("Status", best["status"]),
        ],
        Markup("In resamples: the share in which the feature is among the best {}. {}").format(
            count(k), Markup('<a href="#ranking">All columns and features</a>')
        ),
        header=1,
        tinted=frozenset(np.flatnonzero(best["selected"]).tolist()),
        steps=steps,
    )


def _told(data: Ranked, k: int, above: list[int] | None) -> str:
    """A sentence on the best `k`."""
    best = f"The best {count(k)}" if k > 1 else "The best feature"
    try:
        row = between(data, k).estimates.loc["nogueira"].to_dict()
    except DataError:
        row = {"estimate": np.nan}
    said = [f"{best}:"]
    if not np.isnan(row["estimate"]):
        said.append(f"two samples would agree to {number(row['estimate'], 2)} ({_limits(row)}).")
    if above is not None:
        told, open_ = above[k - 1], k - above[k - 1]
        said.append(
            f"{count(told)} distinguishable from noise, so at most {count(open_)} "
            f"{'is' if open_ == 1 else 'are'} unrelated to the target (95\u00a0% confidence, simultaneously "
            "for all numbers)."
        )
    return " ".join(said) if len(said) > 1 else f"{best}."


# The summary.

FIRST = 10  # features that are listed
FIRST_OF_NOISE = 5  # where none is selected
METHODS = {"wam": "within-aggregation (WAM)", "bam": "between-aggregation (BAM)"}

WEIGHTED = (
    "Rows had weights: each row was drawn as one row and counted by its weight, and where targets were "
    "shuffled, its weight moved with its target."
)
COUNTED = "Each row stood for as many equal samples as its count says, and was drawn and shuffled as so many."


def facts_of(data: Ranked, rule: SelectionRule, limit: Limit | None) -> list[Block]:
    """The selection, how far it can be trusted, and how it was made."""
    k = selection.choose(data, rule).compared
    chosen = selection.select_features(data, rule)
    # A number that was asked for needs no reason, and that of a limit is told with it.
    why = chosen.sentences[1:] if isinstance(rule, selection.Fixed | Limit) else chosen.sentences
    errors: list[Block] = []
    if limit is not None:
        first, *others = selection.controlled(data, limit).sentences
        errors = [Text(Markup("<b>{}</b>").format(first)), *map(Text, others)]
    trust = [
        between_sentence(data, rule),
        about_ties(data.scores, k),
        groups.about_copies(data, k),
        groups.about_groups(data),
        _by_chance(data, k, rule),
    ]
    return [
        Text(_answer(data, rule, chosen)),
        *([Text(" ".join(why))] if why else []),
        *errors,
        _first_features(data, rule, limit),
        *(Text(sentence) for sentence in trust if sentence),
        *_agreement_of_resamples(data),
        Text(" ".join(_procedure(data))),
    ]


def how_many_selected(data: Ranked, rule: SelectionRule) -> str:
    """How many features are selected, of how many, without a full stop."""
    names = selection.choose(data, rule).names
    if not names:
        return "No feature is selected"
    among = columns = ""
    if isinstance(rule, selection.Fixed) and rule.share:
        percent = number(100 * rule.value, 1).removesuffix(".0")
        among = f" (the best {percent}\u00a0%, rounded up)"
    if data.groups:
        n_columns = len(columns_of(data, names))
        columns = f" ({count(n_columns)} of {count(data._n_columns)} columns)"
    verb = "is" if len(names) == 1 else "are"
    features = plural(data.n_features, "feature")
    return f"{count(len(names))} of {features}{columns} {verb} selected{among}"


def _answer(data: Ranked, rule: SelectionRule, chosen: selection.Selection) -> str:
    """What is selected, and the first ten with the share of resamples that select them."""
    k = chosen.number
    if not k:
        return Markup("<b>{}.</b>").format(how_many_selected(data, rule))
    names, note = list(chosen.names[:FIRST]), ""
    if chosen.compared < data.n_features:  # of all, every resample has every one
        shares = chosen.frame["selection_frequency"].loc[names]
        names = [f"{name} ({number(100.0 * share, 0)}\u00a0%)" for name, share in shares.items()]
        place = f"among its best {count(chosen.compared)}" if chosen.compared > 1 else "as its best"
        note = f" In brackets: how often a resample has the feature {place}."
    more = f" and {count(k - len(names))} more" if k > len(names) else ""
    answer = f"{', '.join(names)}{more}."
    return Markup("<b>{}:</b> {}{}").format(how_many_selected(data, rule), answer, note)


def _first_features(data: Ranked, rule: SelectionRule, limit: Limit | None) -> PageTable:
    """The first selected features, or the first of the ranking if none is selected."""
    names = selection.select_features(data, rule).names
    frame = selection.ranking_frame(data, rule, limit)
    best = frame.loc[list(names[:FIRST])] if names else frame.head(FIRST_OF_NOISE)
    limits = ranks(best["rank_lower"]), ranks(best["rank_upper"])
    ranges = rank_set_columns(data, best.index) or [range_column("95\u00a0% of ranks", *limits)]
    more = len(names) - len(best)
    return PageTable.of_columns(
        "The first of the selected features." if names else "The first features; none is selected.",
        [
            (PageColumn("Rank"), ranks(best["rank"])),
            text_column("Feature", best.index),
            (PageColumn("Score"), numbers(best["score"])),
            *ranges,
            (PageColumn("Selected in\u00a0%"), percentages(best["selection_frequency"])),
            text_column("Status", best["status"]),
        ],
        f"{plural(more, 'more feature')} {'is' if more == 1 else 'are'} selected."
        if more > 0
        else "",
        header=1,
    )


def _agreement_of_resamples(data: Ranked) -> list[Block]:
    """The measures of each filter."""
    measures, remarks = agreement(data, "random")
    if isinstance(measures, DataError):
        return [Text(f"The agreement of the resamples is not defined: {measures}.")]
    rows = [
        [readable(str(label)), *(number(value) for value in values)]
        for label, values in measures.iterrows()
    ]
    heads = [PageColumn(titled(str(measure))) for measure in measures.columns]
    table = PageTable(
        "Agreement of the resamples, which share the rows of one sample.",
        [PageColumn("Filter", numeric=False), *heads],
        rows,
    )
    return [table, *(Text(f"{remark}.") for remark in remarks)]


def _by_chance(data: Ranked, k: int, rule: SelectionRule) -> str:
    """The selection frequency without any signal."""
    if k >= data.n_features:
        return f"All {count(k)} features are selected in every resample, so the frequencies say nothing."
    place = f"among the best {k}" if k > 1 else "the best"
    chance = (
        f"by chance a feature is {place} in {k / data.n_features:.0%} of resamples, and more "
        "often if this sample happens to favour it, because resamples share rows."
    )
    if isinstance(rule, selection.Fixed):
        return (
            f"With a fixed number, features are selected even from noise: {chance} Error control (max_false "
            "or fdr) limits false selections."
        )
    first = ""
    if isinstance(rule, selection.Auto | selection.Knee) and data.permutation is not None:
        first = (
            f"If the target were unrelated to all features, some would be selected in at most {LEVEL:.0%} "
            "of runs. "
        )
    return f"{first}A high selection frequency alone is no evidence: {chance}"


def _procedure(data: Ranked) -> list[str]:
    """How the ranking was made, in sentences for the methods section of a paper."""
    about, ensemble = data.data, data._ensemble
    plan, aggregator = ensemble.plan.name, ensemble.recipe.spec
    bam = data.method == "bam"
    filters = [readable(label) for label in data.score_matrices]
    plan_summary = PLANS.get(plan).summary if plan in PLANS else "rows given by the user"
    features = plural(data.n_features, "feature")
    sentences = [
        f"The features were ranked by {METHODS[data.method]}.",
        f"The {'filter' if len(filters) == 1 else 'filters'} {enumerate_names(filters)} scored "
        f"{features} of {plural(about['n_samples'], 'sample')} {target_words(about)}, in each of "
        f"{plural(data.n_resamples, 'resample')} ({readable(plan)}: {plan_summary}).",
    ]
    if binning := data.parameters.get("binning"):
        sentences.append(
            f"The table was read in pieces: numbers were cut into {data.parameters['bins']} bins of "
            f"{readable(binning)} once, for all filters and resamples."
        )
    if data.parameters.get("weighted"):
        sentences.append(WEIGHTED)
    if data.parameters.get("counted"):
        sentences.append(COUNTED)
    if about.get("adjusters"):
        sentences.append(_adjusted(data))
    sentences += always_words(about)
    noun = "column" if data.groups else "feature"
    for label, params in (ensemble.filter_params or {}).items():
        depth = params.get("n_features")
        if isinstance(depth, int) and depth < data._n_columns:
            rest = "ones" if data.groups else count(data._n_columns - depth)
            sentences.append(
                f"The filter {readable(label)} selected {count(depth)} {noun}s one by one in each resample; "
                f"the score of the other {rest} is their criterion at the last selection "
                "(n_features = 'all' selects them all, which takes longer)."
            )
    dropped = len(about["dropped_features"])
    if dropped:
        sentences.append(
            f"Before that, {plural(dropped, 'feature')} with almost no variation "
            f"{'was' if dropped == 1 else 'were'} dropped."
        )
    against_noise = ensemble.recipe.normalize == core.AGAINST_NOISE
    if against_noise:
        sentences.append(
            "Because columns differ in their levels, each score was replaced by minus the logarithm of the "
            "share of scores as high among those of columns of its kind with shuffled targets."
        )
    if bam:
        sentences.append(
            "The scores of each filter were scaled to the range from 0 to 1 "
            f"({readable('per_resample' if against_noise else ensemble.recipe.normalize)}), and combined "
            "within each resample."
        )
    sentences.append(
        f"The aggregator {readable(aggregator.name)} ({aggregator.summary}) "
        f"{'combined the filters and then' if bam else 'combined'} the resamples."
    )
    return sentences


def _adjusted(data: Ranked) -> str:
    """For what the scores are adjusted, and how each filter does it."""
    told = [f"{name} ({kind})" for name, kind in data.data["adjusters"].items()]
    by_way: dict[str, list[str]] = {"by a model that contains them": []}
    for label in data.score_matrices:
        by_model = label in FILTERS and FILTERS.get(label).within == "model"
        way = "by a model that contains them" if by_model else "within the strata of their levels"
        by_way.setdefault(way, []).append(readable(label))
    ways = [f"{enumerate_names(labels)} {way}" for way, labels in by_way.items() if labels]
    return f"The scores are adjusted for {enumerate_names(told)}: {', '.join(ways)}."


_CITED = {"robust_rank_aggregation": "Kolde et al., 2012", "stuart": "Stuart et al., 2003"}
"""Papers of aggregators."""


def methods_paragraph(data: Ranked, rule: SelectionRule) -> str:
    """The method, the number of selected features with its reason, seed and versions, in one paragraph."""
    chosen = selection.select_features(data, rule)
    sentences = _procedure(data)
    cited = _CITED.get(data._ensemble.recipe.aggregator)
    if cited:
        sentences[-1] = f"{sentences[-1].rstrip('.')} ({cited})."
    if isinstance(rule, (selection.Auto, Limit)):
        sentences.append(f"{chosen.reason.rstrip('.')}.")
    else:
        sentences.append(
            f"The best {chosen.number:,} of {data.n_features:,} features were selected, a number "
            "fixed beforehand."
        )
    versions = data.versions
    sentences.append(
        f"The analysis used pyfsagg {versions['pyfsagg']} (Python {versions['python']}, NumPy "
        f"{versions['numpy']}) with the seed {data.seed}."
    )
    return " ".join(sentences)
