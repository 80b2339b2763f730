"""Plots: what is drawn and where, not how it looks."""

import numpy as np
import pytest
from loading import python
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.figure import Figure
from scipy.stats import spearmanr

from pyfsagg._report.drawing import feature_label, number_ticks
from pyfsagg.ensemble._plot import (
    ENSEMBLE_PLOTS,
    correlate_rows,
    plot_agreement,
    plot_convergence,
    plot_ranking,
    plot_scores,
)
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.ranks import rank_scores


def tick_labels(axis) -> list[str]:
    return [text.get_text() for text in axis.get_ticklabels()]


def segments(ax) -> np.ndarray:
    """Ends (x0, x1) of all horizontal lines, top to bottom."""
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    found = np.concatenate([np.asarray(c.get_segments()) for c in lines])
    found = found[found[:, 0, 1] == found[:, 1, 1]]
    return found[np.argsort(found[:, 0, 1], kind="stable")][:, :, 0]


def line(ax, label: str):
    return next(each for each in ax.lines if str(each.get_label()).startswith(label))


def draw(ax) -> None:
    """Lay out and render, so a warning on the way becomes an error of the test."""
    ax.figure.canvas.draw()


@pytest.mark.parametrize("threshold", [3, 0.25])
def test_ranking_shows_medians_intervals_and_the_cut(make, threshold: float) -> None:
    result = make(names=12)
    ax = plot_ranking(result, n=8, selection=result.selection(threshold))
    draw(ax)
    best = [result.feature_names.index(name) for name in result.select(8)]
    ranks = rank_scores(result.combined)[:, best]
    assert tick_labels(ax.yaxis) == result.select(8)
    assert ax.get_ylim() == (7.5, -0.5)  # the best on top
    medians = np.concatenate(
        [line(ax, "median, selected").get_xdata(), line(ax, "median, others").get_xdata()]
    )
    np.testing.assert_allclose(medians, np.median(ranks, axis=0))
    np.testing.assert_allclose(segments(ax), np.quantile(ranks, [0.025, 0.975], axis=0).T)
    assert line(ax, "median, selected").get_ydata().tolist() == [0, 1, 2]
    assert line(ax, "aggregated").get_xdata().tolist() == result.ranking[best].tolist()
    assert line(ax, "cut: best 3").get_xdata() == [3.5, 3.5]
    assert ax.get_xlim()[1] > segments(ax).max()
    assert "Rank" in ax.get_xlabel()


def test_ranking_draws_no_cut_where_there_is_none_to_see(make) -> None:
    for result, threshold in ((make(names=5), 5), (make(names=200), 0.9)):
        ax = plot_ranking(result, n=5, selection=result.selection(threshold))
        assert not [each for each in ax.lines if str(each.get_label()).startswith("cut")]
        assert not [each for each in ax.lines if str(each.get_label()).endswith("others")]


def test_scores_show_quantiles(make) -> None:
    result = make(names=9)
    ax = plot_scores(result, n=4)
    draw(ax)
    best = [result.feature_names.index(name) for name in result.select(4)]
    low, lower, median, upper, high = np.quantile(
        result.combined[:, best], [0.025, 0.25, 0.5, 0.75, 0.975], axis=0
    )
    np.testing.assert_allclose(segments(ax), np.column_stack([low, high]))
    boxes = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches]
    np.testing.assert_allclose(boxes, np.column_stack([lower, upper]))
    bars = ax.collections[-1].get_segments()
    np.testing.assert_allclose([bar[0][0] for bar in bars], median)
    assert ax.get_xlabel() == "Score: information gain, nats (larger = more important)"


def test_score_label_has_a_unit_only_where_there_is_one(make, bam_filters) -> None:
    for filters, words in (
        (["symmetric_uncertainty"], "Score: symmetric uncertainty (larger"),
        (["my_own"], "Score: my own (larger"),
        (bam_filters, "Combined score of the filters (larger"),
    ):
        ax = plot_scores(make(filters=filters))
        assert ax.get_xlabel().startswith(words)


def test_agreement_of_filters_is_the_mean_spearman_correlation(make, bam_filters) -> None:
    result = make(filters=bam_filters, n_resamples=15)
    ax = plot_agreement(result)
    draw(ax)
    first, third = (result.score_matrices[bam_filters[i]] for i in (0, 2))
    expected = np.mean([spearmanr(first[r], third[r]).statistic for r in range(15)])
    mesh = next(c for c in ax.collections if isinstance(c, QuadMesh))
    values = np.asarray(mesh.get_array()).reshape(4, 4)
    assert values[0, 2] == values[2, 0] == pytest.approx(expected, abs=1e-12)
    assert np.diag(values).tolist() == [1.0] * 4
    cell = next(text for text in ax.texts if text.get_position() == (2, 0))
    assert cell.get_text() == f"{expected:.2f}"
    words = ["information gain", "symmetric uncertainty", "mrmr", "chi squared"]
    assert tick_labels(ax.xaxis) == tick_labels(ax.yaxis) == words
    assert ax.get_ylim() == (3.5, -0.5)


def test_agreement_of_a_constant_filter_is_left_open(make) -> None:
    result = make(filters=["information_gain", "mrmr"], n_resamples=3, names=4)
    result.score_matrices["mrmr"][:] = 1.0
    ax = plot_agreement(result)
    draw(ax)
    assert sorted(text.get_text() for text in ax.texts) == ["1.00", "1.00", "–", "–"]


def test_agreement_of_resamples_counts_every_pair(make) -> None:
    result = make(n_resamples=25)
    ax = plot_agreement(result)
    draw(ax)
    pairs = [
        spearmanr(result.combined[a], result.combined[b]).statistic
        for a in range(25)
        for b in range(a)
    ]
    assert sum(bar.get_height() for bar in ax.patches) == 300
    assert line(ax, "mean").get_xdata()[0] == pytest.approx(np.mean(pairs), abs=1e-12)
    spearman = result.stability()["spearman"].iloc[0]
    assert line(ax, "mean").get_xdata()[0] == pytest.approx(spearman, abs=1e-12)


def test_agreement_of_very_many_resamples_takes_evenly_spaced_ones(make) -> None:
    ax = plot_agreement(make(names=3, n_resamples=2500))
    assert sum(bar.get_height() for bar in ax.patches) == 1000 * 999 / 2


@pytest.mark.parametrize("aggregator", ["arithmetic_mean", "borda"])
def test_convergence_aggregates_the_first_resamples(make, aggregator: str) -> None:
    result = make(names=10, n_resamples=30, aggregator=aggregator)
    ax = plot_convergence(result, selection=result.selection(3))
    draw(ax)
    correlation, overlap = line(ax, "rank correlation"), line(ax, "overlap of the best 3")
    sizes = correlation.get_xdata().tolist()
    assert (sizes[0], sizes[-1]) == (1, 30)
    assert correlation.get_ydata()[-1] == pytest.approx(1.0, abs=1e-12)
    assert overlap.get_ydata()[-1] == 1.0
    i = sizes.index(4)
    part = make(names=10, scores=result.combined[:4], aggregator=aggregator, n_resamples=4)
    expected = spearmanr(part.ranking, result.ranking).statistic
    assert correlation.get_ydata()[i] == pytest.approx(expected, abs=1e-12)
    common = set(part.select(3)) & set(result.select(3))
    assert overlap.get_ydata()[i] == pytest.approx(len(common) / 3)
    chance = line(ax, "overlap by chance")
    assert chance.get_ydata()[0] == pytest.approx(0.3)


def test_convergence_leaves_out_sizes_without_a_result(make) -> None:
    scores = np.array([[3.0, 2.0, np.nan], [np.nan, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 1.0, 2.0]])
    result = make(names=3, scores=scores)
    ax = plot_convergence(result, selection=result.selection(1))
    draw(ax)
    drawn = np.isfinite(line(ax, "rank correlation").get_ydata())
    assert drawn.tolist() == [False, True, True, True]


def test_correlation_of_rows_with_gaps() -> None:
    a = np.array(
        [[1.0, 2.0, 3.0, np.nan, 9.0], [1.0, 1.0, 1.0, 1.0, 1.0], [2.0, 1.0, 3.0, 4.0, 5.0]]
    )
    b = np.array(
        [[2.0, 4.0, np.nan, 1.0, 5.0], [5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0]]
    )
    found = correlate_rows(a, b)
    assert found[0] == pytest.approx(np.corrcoef([1.0, 2.0, 9.0], [2.0, 4.0, 5.0])[0, 1])
    assert np.isnan(found[1])
    assert found[2] == pytest.approx(np.corrcoef(a[2], b[2])[0, 1])


@pytest.mark.parametrize("kind", ENSEMBLE_PLOTS)
@pytest.mark.parametrize(
    "options",
    [
        {"names": 2},
        {"names": 2000, "n_resamples": 8},
        {"n_resamples": 1},
        {"scores": np.ones((4, 12))},
        {"missing": 0.4},
        {"filters": ("information_gain", "mrmr"), "aggregator": "median"},
        {"scores": np.full((3, 12), -1e-9) * np.arange(12)},
    ],
    ids=["two", "many", "one resample", "all tied", "missing", "bam", "tiny"],
)
def test_unusual_results_can_be_drawn(make, kind: str, options) -> None:
    ax = make(**options).plot(kind)
    draw(ax)
    assert ax.get_title(loc="left")
    assert ax.get_xlabel()


@pytest.mark.parametrize("kind", ENSEMBLE_PLOTS)
@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")  # DejaVu has no Chinese
def test_names_are_never_read_as_formulas(make, kind: str, hostile) -> None:
    ax = make(names=hostile).plot(kind)
    draw(ax)
    if kind in ("ranking", "scores"):
        labels = tick_labels(ax.yaxis)
        assert "$\\frac{x}{0$ & --> ]]>" in labels
        assert "mean_corpuscul…per_decilitre" in labels
        assert max(map(len, labels)) <= 28


@pytest.mark.parametrize("kind", ENSEMBLE_PLOTS)
def test_axes_are_the_given_ones_or_new_ones(make, kind: str) -> None:
    result = make()
    given = Figure().add_subplot()
    assert ENSEMBLE_PLOTS[kind](result, ax=given) is given
    assert result.plot(kind) is not given
    with pytest.raises(InputTypeError, match="ax must be Matplotlib axes or None, got 'here'"):
        ENSEMBLE_PLOTS[kind](result, ax="here")


def test_arguments_out_of_range(make) -> None:
    result = make()
    for plot in (plot_ranking, plot_scores):
        with pytest.raises(ParameterError, match="n must be a whole number of at least 1, got 0"):
            plot(result, n=0)
    for plot in (plot_ranking, plot_convergence):
        with pytest.raises(
            InputTypeError, match=r"selection must be a selection, got 13; give result"
        ):
            plot(result, selection=13)
    with pytest.raises(ParameterError, match="kind must be one of 'ranking'"):
        result.plot("pie")


def test_no_pyplot_state_is_left_behind() -> None:
    """In a process of its own: this one may have used pyplot for other reasons."""
    code = "import sys, pyfsagg.plotting; print('matplotlib.pyplot' in sys.modules)"
    assert python("-c", code).stdout.strip() == "False"


@pytest.mark.parametrize(
    ("name", "length", "label"),
    [
        ("short", 10, "short"),
        ("exactly_10", 10, "exactly_10"),
        ("eleven_long", 10, "eleve…long"),
        ("a\tb\x00c\u202ed", 10, "a\ufffdb\ufffdc\ufffdd"),
    ],
)
def test_labels_are_cut_in_the_middle(name: str, length: int, label: str) -> None:
    assert feature_label(name, length) == label


@pytest.mark.parametrize("high", [1.0, 2.0, 7.5, 33.0, 2000.0])
def test_rank_ticks_start_at_one(high: float) -> None:
    ticks = number_ticks(high)
    assert ticks[0] == 1.0
    assert all(tick == int(tick) and tick <= max(high, 1.0) for tick in ticks)
    assert len(ticks) <= 10
