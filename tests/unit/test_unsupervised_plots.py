"""Pictures of unsupervised rankings show the numbers that they are given."""

from dataclasses import replace

import numpy as np
import pytest

from pyfsagg._report.page import render_page
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.unsupervised import _report, clustering_curve, frcm, rank_unsupervised
from pyfsagg.unsupervised._report import consensus_order, plot_clustering_curve, plot_spectrum
from pyfsagg.unsupervised.evaluation import borda_curve

RNG = np.random.default_rng(0)
GROUP = np.arange(30) % 3
X = RNG.standard_normal((30, 12))
X[:, :4] += 5.0 * RNG.permuted(np.tile([[-1.0], [0.0], [1.0]], 4), axis=0)[GROUP]
RESULT = frcm(X, n_clusterings=30, random_state=0)


def test_consensus_order_puts_clusters_side_by_side_in_the_picture_too() -> None:
    order = consensus_order(RESULT.consensus)
    assert sorted(order) == list(range(30))
    assert (np.diff(GROUP[order]) != 0).sum() == 2
    axes = RESULT.plot("consensus")
    shown = np.asarray(axes.images[0].get_array())
    np.testing.assert_array_equal(shown, RESULT.consensus[np.ix_(order, order)])
    assert axes.images[0].get_clim() == (0.0, 1.0)
    with pytest.raises(DataError, match="makes no clusterings"):
        _report.plot_consensus_matrix(rank_unsupervised(X, "svd_entropy"))


def test_spectrum_shows_all_scores_and_the_cut() -> None:
    axes = RESULT.plot()
    points = np.vstack([np.asarray(each.get_offsets()) for each in axes.collections])
    np.testing.assert_array_equal(points[:, 0], np.arange(1, 13))
    np.testing.assert_array_equal(points[:, 1], np.sort(RESULT.scores)[::-1])
    assert len(axes.collections[0].get_offsets()) == len(RESULT.select())
    assert axes.lines[0].get_ydata()[0] == RESULT.cut
    chosen = plot_spectrum(RESULT, n_features_to_select=5).collections[0].get_offsets()
    assert len(chosen) == 5
    with pytest.raises(ParameterError, match="kind must be one of"):
        RESULT.plot("heatmap")
    with pytest.raises(InputTypeError, match="ax must be"):
        plot_spectrum(RESULT, ax=3)


def test_curves_show_means_over_trials() -> None:
    curve = clustering_curve(
        X, GROUP.astype(str), {"frcm": RESULT, "none": np.ones(12)}, [8, 2], n_trials=3, n_init=1,
        random_state=0,
    )  # fmt: skip
    axes = plot_clustering_curve(curve, measure="ari")
    assert [line.get_label() for line in axes.lines] == ["frcm", "none"]
    expected = curve.query("method == 'frcm'").groupby("size")["ari"].mean()
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), [2, 8])
    np.testing.assert_allclose(axes.lines[0].get_ydata(), expected)
    with pytest.raises(ParameterError, match="measure must be one of"):
        plot_clustering_curve(curve, measure="rand")
    borda = borda_curve(RESULT.scores, np.arange(12))
    line = _report.plot_borda_curve(borda).lines[0]
    np.testing.assert_allclose(line.get_ydata(), borda["mean_borda"])
    judged = replace(RESULT, curves={"clustering_curve": curve, "borda_curve": borda})
    page = render_page(judged._page(data_name="<b>"))
    assert page.count("<svg") == 5
    assert "&lt;b&gt;" in page
    assert page == render_page(judged._page(data_name="<b>"))
