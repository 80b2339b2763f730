"""The report of an ensemble run: what was done, what was found, how to repeat and to cite it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from markupsafe import Markup

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.words import count, number, numbers, percentages, plural, ranks, readable
from pyfsagg._report import closing
from pyfsagg._report.drawing import picture
from pyfsagg._report.page import Block, PageColumn, PageTable, Section, Text
from pyfsagg.ensemble import facts, groups, selection
from pyfsagg.ensemble.data import best_names
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.trust import agreement
from pyfsagg.exceptions import DataError
from pyfsagg.filters._base import FILTERS
from pyfsagg.stability_measures import _base, adequacy, stability_curve
from pyfsagg.stability_measures._report import STABILITY_PAGE, curve_picture, plot_adequacy

MOST_ROWS = 500  # of the table; all that are selected, up to the next number
MOST_SELECTED = 2000
MOST_DRAWN, MOST_SHOWN = 20, 10
NUMBER_OF_FEATURES = closing.Topic(
    "how-to/number-of-features", "Choose the number of features", "help rank"
)
MEANINGS = {
    "proposal": "the selection of the run unless a number is given: all features that score above "
    "shuffled targets",
    "knee": "the split of the sorted scores into two groups that are closest around their means",
}
SHUFFLED = (
    "the target with its rows in random order, unrelated to every feature; the scores of the same filters "
    "show what noise reaches"
)
MEASURES = {
    "pearson": ("Pearson", "correlation of the scores of two resamples"),
    "spearman": ("Spearman", "correlation of the rankings of two resamples"),
    "jaccard": ("Jaccard", "share of features in common among the best quarter of two resamples"),
    "canberra": ("Canberra", "distance of the rankings of two resamples, per feature"),
    "asd": ("ASD", "standard deviation of the standardised scores of a feature, averaged"),
}
"""Names and plain words for the measures of the thesis, each averaged over pairs of resamples."""


def ensemble_page(result: EnsembleResult, view: Mapping[str, Any]) -> closing.Report:
    """The report of a run."""
    rule, limit = selection.read_view(**view)
    chosen = selection.select_features(result, rule)
    k = chosen.compared
    best, shuffled = best_names(result, MOST_SHOWN), result.permutation is not None
    beside = "the level of noise" if shuffled else "their scores"
    evidence = picture(
        "Effect and stability",
        "evidence",
        result.plot,
        "evidence",
        label=f"Bars: the {len(best)} best features and {beside}; best first: {', '.join(best)}",
        caption="Shaded: what shuffled targets reach (family-wise error 0.05)." if shuffled else "",
        n=MOST_SHOWN,
        selection=chosen,
    )
    front: list[Block] = [facts.front_text(result, rule), evidence]
    front.append(facts.front_table(result, rule))
    between, errors = facts.between_blocks(result, rule), facts.error_tables(result, limit)
    title = "Would another sample give the same selection?"
    sections = [Section("between", title, between, short="Another sample?")]
    if errors:
        title = "How many of the selected may be false?"
        sections.append(Section("errors", title, errors, short="Errors"))
    of_groups = groups.group_blocks(result, best_names(result, result.n_features))
    ranking = [_ranking_table(result, chosen), *of_groups, *facts.repeated_rows(result)]
    size, enough = [size_block(result)], adequacy_blocks(result, k)
    sections += [
        Section("ranking", "Ranking", ranking),
        Section("true-ranks", "Which features may be the best?", facts.true_rank_blocks(result, k)),
        Section("pictures", "Pictures", _pictures(result, chosen)),
        Section("stability", "Stability", _stability(result)),
        Section("enough", "Were there enough resamples?", enough, short="Enough resamples?"),
        Section("size", "Stability against subset size", size, short="Subset size"),
    ]
    seen = set(chosen.frame["status"])
    words = {name: meaning for name, meaning in selection.STATUSES.items() if name in seen}
    words |= {word: MEANINGS[word] for word in selection.choose(result, rule).by}
    if shuffled:
        words["shuffled target"] = SHUFFLED
    sections += closing.glossary((*entry, NUMBER_OF_FEATURES) for entry in words.items())
    data, kind = result.data, result.data.get("target_kind", "classes")
    kinds = {"numeric": "numeric target ", "survival": "survival ", "none": "no target"}
    if kind == "classes":
        kinds[kind] = f"{plural(len(data['class_counts']), 'class')} in the target "
    target = "" if kind == "none" else Markup("<b>{}</b>").format(data["target"])
    columns = f" (groups of {count(data['n_columns'])} columns)" if result.groups else ""
    of = f"{plural(data['n_samples'], 'sample')}, {plural(result.n_features, 'feature')}{columns}"
    subtitle = Markup("{}, {}{}").format(of, kinds[kind], target)
    aggregator = result._ensemble.recipe.spec
    of_the_user = "not part of pyfsagg: cite the source of your own function or estimator"
    references = [
        closing.software(result.versions["pyfsagg"]),
        (
            f"{result.method.upper()} and the stability of resamples",
            f"{closing.THESIS} (“thesis” below)",
        ),
        *(
            (f"Filter {readable(x)}", FILTERS.get(x).source if x in FILTERS else of_the_user)
            for x in result.score_matrices
        ),
        (f"Aggregator {readable(aggregator.name)}", aggregator.source),
    ]
    first, last = [("Method", result.method.upper())], [("Features to select", rule.words)]
    settings = closing.settings_groups(result, first=first, last=last)
    titles = ("Feature ranking", "Feature ranking of {}")
    return closing.Report(titles, subtitle, sections, settings, references, front)


def _ranking_table(result: EnsembleResult, chosen: selection.Selection) -> PageTable:
    """Best feature first."""
    k = chosen.compared
    frame = selection.ranking_frame(result, selection.Fixed(k))
    selected = chosen.frame["selected"].to_numpy()
    last = int(np.flatnonzero(selected)[-1]) + 1 if chosen.number else 0
    best = frame.head(max(MOST_ROWS, min(last, MOST_SELECTED)))
    shown = chosen.frame.iloc[: len(best)]
    of_ranks = ranks(best["rank_lower"]), ranks(best["rank_upper"])
    of_frequency = percentages(best["frequency_lower"]), percentages(best["frequency_upper"])
    columns = [
        (PageColumn("Rank"), ranks(best["rank"])),
        facts.text_column("Feature", best.index),
        facts.text_column("Selected", shown["selected"].map(facts.YES_NO), sortable=False),
        facts.text_column("Status", shown["status"]),
        (PageColumn("Score"), numbers(best["score"])),
        *([(PageColumn("Columns"), numbers(best["n_columns"]))] if result.groups else []),
        *facts.rank_set_columns(result, best.index),
        (PageColumn("Median rank"), ranks(best["rank_median"])),
        facts.range_column("95\u00a0% of resamples", *of_ranks),
        (PageColumn("Selected in\u00a0%"), percentages(best["selection_frequency"])),
        facts.range_column("Its 95\u00a0% interval", *of_frequency),
        *(
            (PageColumn(f"Mean, {readable(label)}"), numbers(best[f"mean_{label}"]))
            for label in result.score_matrices
        ),
    ]
    hidden = len(frame) - len(best)
    more = (
        f"The first {count(len(best))} features are listed; the search also finds the rank and the "
        f"score of the {count(hidden)} others, and ranking.csv and result.to_frame() have all. "
        if hidden
        else ""
    )
    determines = "determines" if result.n_resamples == 1 else "determine"
    meanings = {
        "Score": "the aggregate over all resamples, larger = more important; the first column has its rank, "
        "with the average for ties",
        "Status": "; ".join(map(" = ".join, selection.STATUSES.items())),
        **dict(facts.set_meanings(result)),
        "Median rank and 95\u00a0% of resamples": "median, and 2.5\u00a0% to 97.5\u00a0% quantile, of the "
        "ranks of the feature in single resamples; not a confidence interval for its true rank",
        "Selected in %": "share of resamples in which the feature is among the best "
        f"{count(k)}, with its Wilson interval. The interval shows how precisely "
        f"{plural(result.n_resamples, 'resample')} {determines} that share; it does not refer to "
        "other samples of the same population. By chance alone a feature is "
        f"selected in {number(100 * k / result.n_features, 0)}\u00a0% of resamples on average, and more "
        "often if this sample happens to favour it, because resamples share rows: a high "
        "share is no evidence that a feature matters. Error control (max_false or fdr) limits the "
        "false selections",
        "Mean": "mean score of a filter over the resamples, in the unit of the filter",
    }
    explained = Markup(" ").join(
        Markup("<b>{}</b>: {}.").format(*each) for each in meanings.items()
    )
    rest = chosen.frame.iloc[len(best) :]
    found = ranks(rest["rank"]), numbers(rest["score"]), rest["selected"], rest["status"]
    return PageTable.of_columns(
        "Features, most important first. The rows of selected features are tinted.",
        columns,
        Markup("{}{}").format(more, explained),
        header=1,
        tinted=frozenset(np.flatnonzero(selected).tolist()),
        find="feature",
        hidden=[
            (str(name), f"rank {rank}, score {score}, {status}{', selected' if selected else ''}")
            for name, rank, score, selected, status in zip(rest.index, *found, strict=True)
        ],
    )


def _pictures(result: EnsembleResult, chosen: selection.Selection) -> list[Block]:
    k = chosen.compared
    drawn = min(MOST_DRAWN, result.n_features)
    best = best_names(result, 3)
    several = len(result.score_matrices) > 1
    some = " of 1,000 evenly spaced resamples" if result.n_resamples > 1000 else ""
    agreement = (
        "Spearman rank correlation between the rankings of two filters in the same resample, "
        "averaged over resamples. 1: same ranking. 0: no relation. −1: reversed. Filters that agree "
        "almost perfectly count several times in the aggregate, as if one of them had a larger weight."
        if several
        else "Spearman rank correlation between the rankings of two resamples, over all pairs"
        f"{some}. 1: same ranking. 0: no relation. The further to the right and the narrower, the "
        "less the ranking depends on the resample."
    )
    pictures: list[tuple[str, dict[str, Any], str, str, str]] = [
        (
            "ranking",
            {"n": MOST_DRAWN, "selection": chosen},
            "Ranks",
            f"Median and central 95 % of the ranks of the {drawn} best features in resamples; best first: "
            f"{', '.join(best)}",
            "Ranks in single resamples of the best features. Dot: median. Line: from the "
            "2.5\u00a0% to the 97.5\u00a0% quantile. Diamond: rank of the aggregate. A short line means "
            "a rank that hardly depends on the resample. Features whose lines overlap may change "
            "places between resamples. A line that crosses the dashed cut belongs to a feature that only "
            "some resamples select. Colours: "
            "selected features, others, and features that are not distinguishable from noise.",
        ),
        (
            "scores",
            {"n": MOST_DRAWN},
            "Scores",
            f"Box plots of the scores of the {drawn} best features over the resamples",
            f"{'Combined scores' if result.method == 'bam' else 'Scores'} in single resamples of the "
            "same features. Box: lower to upper quartile. Bar: median. Line: from the 2.5\u00a0% to "
            "the 97.5\u00a0% quantile. A gap between boxes is a natural cut; overlapping boxes have none.",
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
            {"selection": chosen},
            "Number of resamples",
            "Lines: agreement of the ranking from the first resamples with the final ranking",
            "Agreement of the ranking from the first 1, 2, … resamples with the final one: Spearman "
            f"rank correlation, and share of the {plural(k, 'best feature')} that "
            f"{'is' if k == 1 else 'are'} already among the best {count(k)}. Both curves end at 1 by "
            "construction. If they are flat long before the end, more resamples would change "
            "little; if they still rise at the end, draw more.",
        ),
    ]
    return [
        picture(title, kind, result.plot, kind, label=label, caption=caption, **options)
        for kind, options, title, label, caption in pictures
    ]


def _stability(result: EnsembleResult) -> list[Block]:
    """One row per measure, one value per filter, or the reason for their absence."""
    frame, remarks = agreement(result, "random")
    if isinstance(frame, DataError):
        return [Text(f"The stability of this run is not defined: {frame}.")]
    rows = []
    for measure in frame.columns:
        spec = _base.STABILITY_MEASURES.get(str(measure))
        name, meaning = MEASURES.get(spec.name, (readable(spec.name), spec.summary))
        bounds = spec.bounds.replace("-", "−").replace("inf", "∞")
        better = "larger" if spec.higher_is_better else "smaller"
        link = closing.linked(name, STABILITY_PAGE.entry(spec.name))
        rows.append([link, meaning, bounds, better, *map(number, frame[measure])])
    labels = ["all combined" if label == "bam" else readable(label) for label in frame.index]
    words = ("Measure", "Meaning", "Range", "More stable if")
    computed = "computed for each filter" if len(result.score_matrices) > 1 else "computed"
    table = PageTable(
        f"Agreement of the resamples. Each measure is {computed} over all resamples.",
        [*(PageColumn(title, numeric=False) for title in words), *map(PageColumn, labels)],
        rows,
    )
    meaning = (
        "Stability measures the agreement of resamples of these data, not the "
        "agreement with another sample of the population (resamples share rows, so even "
        "noise agrees a little). A stable result can be wrong: a filter that always makes the "
        "same mistake is stable."
    )
    notes = [Text(Markup("<b>Note.</b> {}.").format(remark), quiet=True) for remark in remarks]
    notes.append(Text(Markup("Formulas: {}.").format(closing.leads_to(STABILITY_PAGE)), quiet=True))
    return [table, *notes, Text(meaning, quiet=True)]


MOST_REPEATS = 200
REPEATED_CELLS = 20_000_000
"""Cells of score matrices that a report aggregates again, so large runs stay quick."""

ENOUGH = 0.05  # share of the selection that a repetition may replace if there are enough resamples


def adequacy_blocks(result: EnsembleResult, k: int) -> list[Block]:
    """Whether there were enough resamples, in words and numbers, with the curve."""
    m, n_boot, recipe = result.n_resamples, MOST_REPEATS, result._ensemble.recipe
    if m < 2:
        return [Text("One resample cannot show how much another one would differ.")]
    again: Callable[[Floats], Floats] | None = None
    if not recipe.is_mean:
        # All but the mean are computed again for every repetition.
        n_boot = int(np.clip(REPEATED_CELLS // result.combined.size, 20, MOST_REPEATS))
        again = partial(recipe.again, names=result.feature_names)
    extreme = recipe.spec.extreme
    sizes = [size for size in (25 * 2**i for i in range(40)) if size < m]
    try:
        curve = adequacy(
            result.combined,
            sizes=[*sizes, m],
            n_features_to_select=k,
            aggregator=again,
            by="halves" if extreme else "bootstrap",
            n_boot=n_boot,
            random_state=result.seed,
        ).curve
    except DataError as reason:
        return [Text(f"This cannot be measured here: {reason}.")]
    assert curve is not None  # sizes were given
    last = curve.iloc[-1]
    replaced = 1.0 - float(last["expected_top_overlap"])
    verdict = f"{count(m)} were enough"
    if replaced > ENOUGH:
        verdict = (
            f"{count(m)} were not enough: draw more, or select another number of features, at a gap "
            "between the scores"
        )
    repetition = f"Another {plural(m, 'resample')}"
    how = f"{count(n_boot)} bootstraps of the resamples"
    if extreme:
        repetition = (
            "One resample can decide the value of a feature here, so two runs of half the size "
            f"are compared. Another {plural(m // 2, 'resample')}"
        )
        how = f"{count(n_boot // 2)} splits of the resamples into halves"
    text = (
        f"{repetition} of the same data would replace "
        f"{number(100 * replaced, 1)} % of the {plural(k, 'selected feature')} on average, and change "
        f"the selection at all with probability {number(last['probability_top_changes'], 2)}. The "
        f"ranks would move by {number(last['expected_rank_move'], 2)} on average; the two rankings "
        f"would have a Kendall correlation of {number(last['expected_kendall'], 3)}. If at most "
        f"{100 * ENOUGH:g} % of the selection may depend on chance, {verdict}. This refers to a "
        f"repetition on these data with another seed, not to another sample. (Estimated by {how}.)"
    )
    drawn = picture(
        "Agreement of two repetitions",
        "adequacy",
        plot_adequacy,
        curve,
        label="Lines: expected agreement of two repetitions against the number of resamples",
        caption="Agreement of two independent repetitions with that many resamples: Kendall correlation "
        f"of the rankings, and share of the best {count(k)} that both select. This measures only the "
        "randomness of the resamples, given these data.",
    )
    return [Text(text), drawn]


def size_block(result: EnsembleResult) -> Block:
    """Stability of the best k features against k, with the level of chance."""
    try:
        curve = stability_curve(result.combined, input="scores", random_state=result.seed)
    except DataError as reason:
        return Text(f"This curve is not available: {reason}.")
    if curve["value"].isna().all():
        return Text("This curve is not available: the measures are undefined at every size.")
    return curve_picture(curve)
