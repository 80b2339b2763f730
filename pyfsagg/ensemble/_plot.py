"""Pictures of a run: its ranking, its scores, how far filters and resamples agree."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Floats, Indices
from pyfsagg._base.words import readable
from pyfsagg._report import drawing
from pyfsagg.ensemble.data import Ranked, best_first, over_resamples, resample_ranks
from pyfsagg.ensemble.selection import Selection, choose, rule_of
from pyfsagg.exceptions import DataError
from pyfsagg.filters._base import FILTERS
from pyfsagg.ranks import rank_scores, ranking

NARROW = 5.0  # inches, so a telephone shows it with words of a readable size
INTERVAL = (0.025, 0.5, 0.975)
QUARTILES = (0.025, 0.25, 0.5, 0.75, 0.975)


def plot_ranking(
    result: Ranked, *, n: int = 20, selection: Selection | None = None, ax: Axes | None = None
) -> Axes:
    """Ranks of the best features over the resamples, and the cut of the selection.

    A dot is the median rank over resamples, the line through it the range from the 2.5 % to the
    97.5 % quantile, the diamond the rank of the aggregate.  Selected features have blue dots, features
    not distinguishable from noise (:meth:`pyfsagg.ensemble.EnsembleResult.selection`) grey ones or, if
    selected, grey lines.  The dashed line separates the ranks inside the cut from those outside, if the best
    are selected without exception.  A resample that saw only
    some of the features ranks only these, so its ranks are smaller numbers.
    """
    best = best_features(result, n)
    selected = choose(result, rule_of(selection)).chosen
    k = int(selected.sum())
    cut = k if selected[best_features(result, max(k, 1))].all() else 0  # or one is skipped
    low, median, high = np.nanquantile(resample_ranks(result)[:, best], INTERVAL, axis=0)
    aggregate = result.ranking[best]
    ax, rows = drawing.feature_rows(ax, [result.feature_names[j] for j in best], 1.5, 0.24)
    test, chosen = result.permutation, selected[best]
    above = np.ones(len(best), dtype=np.bool_) if test is None else test.above[best]
    looks = (
        (chosen & above, drawing.BLUE, drawing.BLUE, "median, selected"),
        (chosen & ~above, drawing.GREY, drawing.BLUE, "median, selected but not above noise"),
        (~chosen & above, drawing.GREY, "white", "median, others"),
        (~chosen & ~above, drawing.GREY, drawing.GREY, "median, not above noise"),
    )
    for chosen, colour, fill, label in looks:
        if chosen.any():
            ax.hlines(rows[chosen], low[chosen], high[chosen], color=colour, linewidth=2.0)
            dots: dict[str, Any] = {"color": colour, "mfc": fill, "markersize": 6.0, "label": label}
            ax.plot(median[chosen], rows[chosen], "o", **dots)
    look: dict[str, Any] = {"color": drawing.ORANGE, "mfc": "none", "markersize": 9.0}
    ax.plot(aggregate, rows, "D", label="aggregated rank", **look)
    right = float(max(high.max(), aggregate.max()))
    if 0 < cut < result.n_features and cut <= right:
        dashes: dict[str, Any] = {"linestyle": (0, (4, 3)), "linewidth": 1.0}
        ax.axvline(cut + 0.5, color=drawing.INK, label=f"cut: best {cut}", **dashes)
    margin = max(0.5, 0.03 * right)
    ax.set_xlim(1.0 - margin, right + margin)
    ax.set_xticks(drawing.number_ticks(right))
    ax.set_xlabel("Rank in a resample, 95 % interval (1 = most important)")
    return drawing.finished(ax, _title("Rank", len(best), result), grid="x")


def plot_evidence(
    result: Ranked, *, n: int = 10, selection: Selection | None = None, ax: Axes | None = None
) -> Axes:
    """Effect and stability of the best features, beside the level of noise.

    A bar is the evidence of a feature, minus the common logarithm of its p-value from shuffled
    targets; what lies in the shaded part is not distinguishable from noise (family-wise error 0.05).  Without
    shuffled targets it is the score.  On the right, how often the feature is among the best of a resample
    (:meth:`pyfsagg.ensemble.EnsembleResult.selection`).
    """
    best, choice = best_features(result, n), choose(result, rule_of(selection))
    test = result.permutation
    frequency = over_resamples(result, choice.compared)["selection_frequency"].to_numpy()[best]
    ax, rows = drawing.feature_rows(ax, [result.feature_names[j] for j in best], 0.95, 0.23)
    ax.figure.set_figwidth(NARROW)  # type: ignore[union-attr]
    if test is None:
        values = result.scores[best]
        ax.set_xlabel("Score (larger = more important)")
    else:
        values = -np.log10(np.maximum(test.p_values[best], np.finfo(float).tiny))
        noise = -np.log10(test.noise)
        ax.axvspan(0.0, noise, color="#E3E3E3", zorder=0.5, label="level of noise")
        ax.set_xlim(0.0, 1.05 * max(noise, float(values.max())))
        ax.set_xlabel("Evidence: −log10 of the p-value")
    chosen = choice.chosen[best]
    looks = ((chosen, drawing.BLUE, "selected"), (~chosen, drawing.GREY, "not selected"))
    for of, colour, label in looks:
        if of.any():
            ax.barh(rows[of], values[of], height=0.62, color=colour, label=label, zorder=2.0)
    for row, share in enumerate(frequency):
        drawing.write_at_right(ax, row, f"{share:.0%}")
    drawing.write_at_right(ax, -0.85, "in resamples")
    return drawing.finished(ax, "Effect and stability of the best features", grid="x")


def plot_scores(result: Ranked, *, n: int = 20, ax: Axes | None = None) -> Axes:
    """Distribution of the scores of the best features over the resamples.

    The box goes from the lower to the upper quartile, the bar in it is the median, and the line
    goes from the 2.5 % to the 97.5 % quantile.  Scores are those that the aggregator was given: of
    the only filter (WAM) or of all filters combined (BAM).
    """
    best = best_features(result, n)
    low, lower, median, upper, high = np.nanquantile(result.combined[:, best], QUARTILES, axis=0)
    ax, rows = drawing.feature_rows(ax, [result.feature_names[j] for j in best], 1.3, 0.24)
    ax.hlines(rows, low, high, color=drawing.BLUE, linewidth=1.2, zorder=1.5)
    boxes: dict[str, Any] = {"color": "#CFE3F0", "edgecolor": drawing.BLUE, "zorder": 2.0}
    ax.barh(rows, upper - lower, left=lower, height=0.56, **boxes)
    ax.vlines(median, rows - 0.28, rows + 0.28, color=drawing.INK, linewidth=2.0, zorder=2.5)
    # Bars would end exactly at the edge of the axes, as if they were cut off there.
    ax.use_sticky_edges = False
    ax.autoscale_view(scaley=False)
    label, unit = next(iter(result.score_matrices)), ""
    if label in FILTERS:
        spec = FILTERS.get(label)
        unit = ", nats" if "nats" in f"{spec.summary} {spec.bounds}" else ""
    bam = result.method == "bam"
    what = "Combined score of the filters" if bam else f"Score: {readable(label)}{unit}"
    ax.set_xlabel(f"{what} (larger = more important)")
    return drawing.finished(ax, _title("Scores", len(best), result), grid="x", columns=0)


def _title(what: str, shown: int, result: Ranked) -> str:
    which = f"the {shown} best" if shown < result.n_features else f"all {shown}"
    plural = "" if result.n_resamples == 1 else "s"
    return f"{what} of {which} features over {result.n_resamples:,} resample{plural}"


def best_features(result: Ranked, n: int) -> Indices:
    """Positions of the `n` best features (or of all, if there are fewer), best first."""
    n = validation.check_integer("n", n, low=1)
    return best_first(result)[:n]


MOST_RESAMPLES = 1000  # half a million pairs show the shape of a distribution well enough
N_SIZES = 20
ROWS_AT_ONCE = 10  # resamples whose ranks are in memory at once


def plot_agreement(result: Ranked, *, ax: Axes | None = None) -> Axes:
    """Agreement of the filters, or of the resamples if there is one filter.

    With several filters: a heat map of the Spearman rank correlation between two filters within
    the same resample, averaged over resamples.  With one filter: a histogram of the Spearman rank
    correlation between two resamples, over all pairs (of 1000 evenly spaced resamples if there are
    more), with its mean.  Features that one of two rankings does not hold are omitted from that
    pair; a ranking without any differences agrees with none and is omitted.
    """
    if len(result.score_matrices) == 1:
        return _histogram(result, ax)
    labels, matrices = zip(*result.score_matrices.items(), strict=True)
    correlations: dict[tuple[int, int], list[Floats]] = {}
    for start in range(0, len(matrices[0]), ROWS_AT_ONCE):
        ranks = [rank_scores(matrix[start : start + ROWS_AT_ONCE]) for matrix in matrices]
        for i, j in combinations(range(len(matrices)), 2):
            correlations.setdefault((i, j), []).append(correlate_rows(ranks[i], ranks[j]))
    values = np.eye(len(matrices))
    for (i, j), parts in correlations.items():
        defined = _defined(np.concatenate(parts))
        values[i, j] = values[j, i] = defined.mean() if defined.size else np.nan
    ax = drawing.new_axes(ax, 1.6 + 0.5 * len(labels))
    drawing.draw_correlations(ax, values, [readable(label) for label in labels])
    ax.set_xlabel("Mean Spearman rank correlation (−1 to 1)")
    drawing.set_title(ax, "Agreement of the filters within a resample")
    return ax


def _defined(values: Floats) -> Floats:
    return values[~np.isnan(values)]


def _histogram(result: Ranked, ax: Axes | None) -> Axes:
    """Rank correlations of pairs of resamples; undefined ones are omitted."""
    m = result.n_resamples
    rows = np.linspace(0, m - 1, min(m, MOST_RESAMPLES)).round().astype(np.intp)
    ranks = resample_ranks(result)[rows]
    if np.isnan(ranks).any():
        parts = [correlate_rows(ranks[i : i + 1], ranks[i + 1 :]) for i in range(len(rows) - 1)]
        values: Floats = np.concatenate([np.empty(0), *parts])
    else:
        unit = _unit_rows(ranks)
        values = np.clip((unit @ unit.T)[np.triu_indices(len(rows), 1)], -1.0, 1.0)
    values = _defined(values)
    ax = drawing.new_axes(ax, 3.2)
    if values.size:
        mean = float(values.mean())
        low = min(float(values.min()), 0.98)
        ax.hist(values, bins=np.linspace(low, 1.0, 31).tolist(), color=drawing.BLUE, alpha=0.75)
        label = f"mean {mean:.2f}".replace("-", "−")
        ax.axvline(mean, color=drawing.ORANGE, linewidth=2.0, label=label)
        drawing.legend_above(ax)
    else:
        ax.text(0.5, 0.5, "no two rankings to compare", ha="center", transform=ax.transAxes)
    ax.set_xlabel("Spearman rank correlation of two resamples (1 = same ranking)")
    ax.set_ylabel("Pairs of resamples")
    ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    drawing.clear_frame(ax, grid="y")
    drawing.set_title(ax, "Agreement of the resamples", above_legend=True)
    return ax


def correlate_rows(a: Floats, b: Floats) -> Floats:
    """Pearson correlation of row r of `a` with row r of `b` over the columns known in both; shapes (m,
    p) broadcast, and constant rows give NaN in (m,)."""
    known = ~np.isnan(a) & ~np.isnan(b)
    left, right = (_unit_rows(np.where(known, values, np.nan)) for values in (a, b))
    products = np.where(known, left * right, 0.0).sum(axis=-1)
    return np.asarray(np.clip(products, -1.0, 1.0), dtype=np.float64)


def _unit_rows(values: Floats) -> Floats:
    """Rows centred and scaled to length one; a row that does not vary becomes NaN."""
    known = ~np.isnan(values)
    count = np.maximum(known.sum(axis=-1, keepdims=True), 1)
    filled = np.where(known, values, 0.0)
    centred = np.where(known, values - filled.sum(axis=-1, keepdims=True) / count, 0.0)
    length = np.sqrt((centred * centred).sum(axis=-1, keepdims=True))
    # Ranks differ by at least a half, so anything below is rounding.
    varies = length > 1e-6
    return np.asarray(np.where(varies, centred / np.where(varies, length, 1.0), np.nan))


def plot_convergence(
    result: Ranked, *, selection: Selection | None = None, ax: Axes | None = None
) -> Axes:
    """Agreement of the ranking from the first resamples with the final ranking.

    The first 1, 2, … resamples, at about 20 sizes, are aggregated as the run was, and compared with
    the final ranking: by Spearman rank correlation, and by the share of the final selection that is
    already selected.  Both end at 1 by construction; the question is how early they become flat.
    The dotted line is the overlap that random rankings have on average, k/p.

    Sizes at which the aggregator has no result (a feature that no resample has scored yet, a
    method that needs several lists) are omitted.
    """
    k = choose(result, rule_of(selection)).compared
    m = result.n_resamples
    sizes = np.unique(np.geomspace(1, m, N_SIZES).round().astype(np.intp))
    correlation, overlap = np.full((2, len(sizes)), np.nan)
    aggregate = result._ensemble.recipe.aggregate
    final = ranking.select_top(result.ranking, k, higher_is_better=False)
    with remarks.collect_warnings():  # the aggregator warned in the run
        for position, size in enumerate(sizes):
            try:
                scores = aggregate(result.combined[:size], result.feature_names)
            except DataError:
                continue
            ranks = rank_scores(scores)
            correlation[position] = correlate_rows(ranks[np.newaxis], result.ranking[np.newaxis])[0]
            overlap[position] = (ranking.select_top(scores, k) & final).sum() / k
    ax = drawing.new_axes(ax, 3.4)
    ax.plot(sizes, correlation, "o-", color=drawing.BLUE, markersize=4.5, label="rank correlation")
    label = f"overlap of the best {k}"
    ax.plot(sizes, overlap, "s--", color=drawing.ORANGE, markersize=4.5, label=label)
    ax.axhline(k / result.n_features, color=drawing.GREY, linestyle=":", label="overlap by chance")
    series = (step * 10**power for power in range(len(str(m))) for step in (1, 2, 5))
    drawing.log_ticks(ax, [tick for tick in series if tick <= max(m, 2)])
    ax.set_xlim(0.9, max(m, 2) * 1.1)
    lowest = float(np.nanmin(np.append(correlation, 0.0)))
    ax.set_ylim(1.08 * lowest - 0.02, 1.05)
    ax.set_xlabel("Number of resamples (logarithmic)")
    ax.set_ylabel("Agreement with the final ranking")
    return drawing.finished(ax, "How the ranking settles", grid="y")


ENSEMBLE_PLOTS: dict[str, Callable[..., Any]] = {
    "ranking": plot_ranking,
    "evidence": plot_evidence,
    "agreement": plot_agreement,
    "scores": plot_scores,
    "convergence": plot_convergence,
}
