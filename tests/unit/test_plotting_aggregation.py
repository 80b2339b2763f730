"""Pictures of rank aggregation: what is drawn and where, not how it looks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, QuadMesh
from matplotlib.figure import Figure

from pyfsagg.aggregation import _report, aggregate
from pyfsagg.aggregation._call import compare_aggregations
from pyfsagg.aggregation._result import AggregationComparison
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks import Rankings

pytestmark = pytest.mark.filterwarnings("ignore:the p-values assume independent lists from")


def lists_of(m: int, p: int = 40, length: int = 20) -> Rankings:
    rng = np.random.default_rng(m)
    noise = 6 * rng.standard_normal((m, p))
    orders = np.argsort(np.arange(p) + noise, axis=1)[:, :length]
    lists = [[f"$g_{j}$" for j in order] for order in orders]
    return Rankings.from_lists(lists, universe=max(100, p))


def line(ax: Axes, label: str) -> Any:
    return next(each for each in ax.lines if str(each.get_label()) == label)


def y_labels(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


def draw(ax: Axes) -> None:
    """Lay out and render, so a warning on the way becomes an error of the test."""
    ax.figure.canvas.draw()


@pytest.fixture(scope="module")
def table() -> Rankings:
    return lists_of(8)


@pytest.fixture(scope="module")
def comparison(table: Rankings) -> AggregationComparison:
    return compare_aggregations(table, ["rra", "mean_rank", "minimum_rank"])


def test_consensus_shows_both_p_values(table):
    result = aggregate(table, "rra", p_adjust="holm")
    ax = _report.plot_consensus(result, n=6)
    draw(ax)
    best = result._order()[:6]
    assert y_labels(ax) == result.select(6)
    np.testing.assert_allclose(line(ax, "p-value").get_xdata(), -np.log10(result.p_values[best]))
    adjusted = -np.log10(result.adjusted_p_values[best])
    np.testing.assert_allclose(line(ax, "adjusted p-value").get_xdata(), adjusted)
    assert line(ax, "p = 0.05").get_xdata()[0] == pytest.approx(1.30103, abs=1e-5)
    # P-values that underflow
    table = Rankings.from_ranks([[1, 2]] * 200, universe=10**6)
    result = aggregate(table, "rra")
    assert result.p_values.max() == 0
    ax = _report.plot_consensus(result)
    draw(ax)
    assert line(ax, "p-value").get_xdata().tolist() == [300, 300]


@pytest.mark.parametrize(("method", "word"), [("mean_rank", "smaller"), ("borda", "larger")])
def test_consensus_of_a_method_without_p_values(table, method, word):
    result = aggregate(table, method)
    ax = _report.plot_consensus(result, n=5)
    draw(ax)
    assert ax.lines[0].get_xdata().tolist() == result.statistic[result._order()[:5]].tolist()
    assert f"({word} = better)" in ax.get_xlabel()


def test_every_rank_in_a_list_is_a_dot(table):
    result = aggregate(table, "rra")
    ax = _report.plot_list_ranks(result, n=15)
    draw(ax)
    ranks = table.ranks[:, result._order()[:15]]
    dots = line(ax, "rank in a list")
    drawn = sorted(zip(np.round(dots.get_ydata()), dots.get_xdata(), strict=True))
    expected = sorted((j, r) for j in range(15) for r in ranks[:, j] if not np.isnan(r))
    assert drawn == expected
    bars = next(c for c in ax.collections if isinstance(c, LineCollection)).get_segments()
    np.testing.assert_allclose([bar[0][0] for bar in bars], np.nanmedian(ranks, axis=0))
    counts = [text.get_text() for text in ax.texts]
    assert counts == [f"in {n} of 8" for n in (~np.isnan(ranks)).sum(axis=0)]
    assert ax.get_xscale() == "linear"


def test_many_lists_are_a_line_and_long_ones_a_logarithm():
    table = lists_of(61, p=200, length=200)
    result = aggregate(table, "mean_rank")
    ax = _report.plot_list_ranks(result, n=200)
    draw(ax)
    ranks = table.ranks[:, result._order()]
    first = next(c for c in ax.collections if isinstance(c, LineCollection))
    found = np.array([segment[:, 0] for segment in first.get_segments()])
    np.testing.assert_allclose(found, np.quantile(ranks, [0.025, 0.975], axis=0).T)
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.texts] == []


def test_agreement_shows_kendall(comparison):
    ax = _report.plot_method_agreement(comparison)
    draw(ax)
    mesh = next(c for c in ax.collections if isinstance(c, QuadMesh))
    np.testing.assert_allclose(np.ravel(mesh.get_array()), comparison.kendall().to_numpy().ravel())
    assert y_labels(ax) == ["robust rank aggregation", "mean rank", "minimum rank"]
    assert ax.texts[0].get_text() == "1.00"


def test_bump_chart_shows_places(comparison):
    n = 5
    ax = _report.plot_places(comparison, n=n)
    draw(ax)
    shown = {j for places in comparison.places for j in np.flatnonzero(places <= n)}
    solid = [each for each in ax.lines if each.get_marker() == "o"]
    assert len(solid) == len(shown)
    found = sorted(tuple(np.nan_to_num(each.get_ydata(), nan=0)) for each in solid)
    among = np.where(comparison.places <= n, comparison.places, 0)
    assert found == sorted(tuple(among[:, j]) for j in shown)
    best = comparison.results[0].select(n)
    assert y_labels(ax) == [f"{name}  {i}" for i, name in enumerate(best, start=1)] + ["> 5"]
    at_right = {text.get_text() for text in ax.texts if text.xy[0] == 2}
    assert set(comparison.results[-1].select(n)) <= at_right
    named = {text.get_text() for text in ax.texts} | set(best)
    assert named == {comparison.names[j] for j in shown}


def test_overlap_curves_are_shares(comparison):
    ax = _report.plot_overlap(comparison)
    draw(ax)
    for method in ("mean rank", "minimum rank"):
        curve = line(ax, method)
        for k, share in zip(curve.get_xdata(), curve.get_ydata(), strict=True):
            common = comparison.overlap(int(k))["robust_rank_aggregation"]
            assert share == pytest.approx(common[method.replace(" ", "_")] / k)
    assert line(ax, "by chance").get_ydata()[-1] == 1
    assert _report.plot_overlap(comparison, n=3).lines[0].get_xdata().tolist() == [1, 2, 3]
    # Many items
    table = lists_of(4, p=2000, length=2000).ranks
    comparison = compare_aggregations(Rankings.from_ranks(table), ["mean_rank", "borda"])
    sizes = _report.plot_overlap(comparison).lines[0].get_xdata()
    assert len(sizes) <= 60
    assert (sizes[0], sizes[-1]) == (1, 2000)


def test_two_items_and_one_list():
    table = Rankings.from_lists([["a", "b"]])
    comparison = compare_aggregations(table, ["rra", "borda"])
    best = comparison.results[0]
    for ax in (
        _report.plot_consensus(best),
        _report.plot_list_ranks(best),
        _report.plot_places(comparison),
    ):
        draw(ax)
        assert [label[:1] for label in y_labels(ax)[:2]] == ["a", "b"]
    overlap = _report.plot_overlap(comparison)
    draw(overlap)
    assert line(overlap, "borda").get_ydata().tolist() == [1.0, 1.0]
    assert line(overlap, "by chance").get_ydata().tolist() == [0.5, 1.0]


def test_given_axes_are_used_and_arguments_are_checked(comparison):
    result = comparison.results[0]
    of_result, of_methods = _report.AGGREGATION_PLOTS.values(), _report.COMPARISON_PLOTS.values()
    for plot, of in (*((p, result) for p in of_result), *((p, comparison) for p in of_methods)):
        ax = Figure().add_subplot()
        assert plot(of, ax=ax) is ax
        with pytest.raises(InputTypeError, match="Matplotlib axes"):
            plot(of, ax="here")
    with pytest.raises(ParameterError, match="n must be"):
        _report.plot_consensus(result, n=0)
    with pytest.raises(ParameterError, match="n must be"):
        _report.plot_places(comparison, n=0)
    with pytest.raises(DataError, match="does not contain its lists"):
        _report.plot_list_ranks(replace(result, table=None))
