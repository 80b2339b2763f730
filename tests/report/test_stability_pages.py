"""Pictures and pages of stability and of the influence of the aggregator."""

import numpy as np
import pandas as pd
import pytest
from html_pages import Page
from matplotlib.figure import Figure

from pyfsagg import influence, load_dataset
from pyfsagg._report.page import render_page
from pyfsagg.aggregator_influence import InfluenceResult
from pyfsagg.aggregator_influence._report import plot_aggregator_stability
from pyfsagg.ensemble._page import adequacy_blocks, size_block
from pyfsagg.exceptions import DataError, InputTypeError, UnknownNameError
from pyfsagg.extending import STABILITY_MEASURES, Text, write_page
from pyfsagg.stability_measures import adequacy, stability, stability_curve
from pyfsagg.stability_measures._report import (
    plot_adequacy,
    plot_stability_curve,
    plot_trade_off,
)
from pyfsagg.stability_measures.measure import stability_table

WINE = load_dataset("wine")
RNG = np.random.default_rng(2)
SCORES = np.linspace(0, 1, 10) + 0.4 * RNG.random((20, 10))


@pytest.fixture(scope="module")
def result() -> InfluenceResult:
    return influence(
        WINE.X, WINE.y, filter=["ig", "cs"], aggregators=["am", "gm", "rra"], n_folds=6,
        n_resamples=10, random_state=0,
    )  # fmt: skip


def line(ax, label: str) -> tuple[np.ndarray, np.ndarray]:
    found = next(each for each in ax.lines if each.get_label() == label)
    return np.asarray(found.get_xdata()), np.asarray(found.get_ydata())


# --- pictures --------------------------------------------------------------------------------
def test_curve_draws_every_size_with_its_chance_level() -> None:
    curve = stability_curve(SCORES, ["jaccard", "nogueira"], [2, 5, 10])
    ax = plot_stability_curve(curve)
    for measure in ("jaccard", "nogueira"):
        part = curve[curve["measure"] == measure]
        x, y = line(ax, measure)
        assert x.tolist() == [2, 5, 10]
        np.testing.assert_array_equal(y, part["value"])
        np.testing.assert_array_equal(line(ax, f"{measure} by chance")[1], part["chance"])
    low, high = ax.get_ylim()
    assert low < 0 < 1 < high


def test_trade_off_joins_the_front() -> None:
    frame = pd.DataFrame(
        {"asd": [0.1, 0.5, 0.3, 0.4], "wacc": [0.7, 0.9, 0.8, 0.75]}, index=list("abcd")
    )
    ax = plot_trade_off(frame, stability="asd", accuracy="wacc", higher_is_better=False)
    x, y = line(ax, "Pareto front")
    assert sorted(zip(x, y, strict=True)) == [(0.1, 0.7), (0.3, 0.8), (0.5, 0.9)]
    assert line(ax, "others")[0].tolist() == [0.4]
    assert ax.xaxis_inverted()
    assert "smaller = more stable" in ax.get_xlabel()
    many = pd.DataFrame({"stability": RNG.random(40), "accuracy": RNG.random(40)})
    assert not plot_trade_off(many).texts


def test_adequacy_draws_both_agreements() -> None:
    curve = adequacy(SCORES, sizes=[5, 10, 20], n_features_to_select=3, n_boot=20).curve
    ax = plot_adequacy(curve)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), curve["expected_kendall"])
    np.testing.assert_array_equal(ax.lines[1].get_ydata(), curve["expected_top_overlap"])
    assert ax.get_xscale() == "log"


def test_aggregators_with_their_intervals(result: InfluenceResult) -> None:
    ax = result.plot("stability", measure="canberra", filter="chi_squared")
    frame = result.to_frame(["canberra"])
    frame = frame[frame["filter"] == "chi_squared"]
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), frame["value"])
    segments = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(segments[:, :, 0], frame[["lower", "upper"]])
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["arithmetic mean", "geometric mean", "robust rank aggregation"]
    assert "smaller = more stable" in ax.get_xlabel()


def test_pictures_refuse_what_they_cannot_draw(result: InfluenceResult) -> None:
    with pytest.raises(InputTypeError, match="as stability_curve returns it"):
        plot_stability_curve([1, 2])  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown column 'chance'"):
        plot_stability_curve(stability_curve(SCORES).drop(columns="chance"))
    with pytest.raises(UnknownNameError, match="unknown column 'accuracy'"):
        plot_trade_off(pd.DataFrame({"stability": [1.0]}))
    with pytest.raises(DataError, match="finite"):
        plot_trade_off(pd.DataFrame({"stability": [1.0, np.nan], "accuracy": [0.5, 0.6]}))
    with pytest.raises(DataError, match="no rows"):
        plot_adequacy(adequacy(SCORES, sizes=[20]).curve.iloc[:0])
    with pytest.raises(InputTypeError, match="Matplotlib axes"):
        plot_adequacy(adequacy(SCORES, sizes=[20]).curve, ax=3)  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError):
        plot_aggregator_stability(result, filter="mrmr")
    ax = Figure().add_subplot()
    assert plot_aggregator_stability(result, ax=ax) is ax


# --- pages -----------------------------------------------------------------------------------
def test_stability_page_shows_the_table(tmp_path) -> None:
    other = {"compare": SCORES[:9, ::-1], "names": ("one", "<other>")}
    report = stability(SCORES, n_features_to_select=3, input="scores", **other)
    table = stability_table(SCORES, n_features_to_select=3)
    page = report._page(command="stability scores.csv")
    path = write_page(page, tmp_path / "report.html")
    shown = Page(path.read_text())
    ids = shown.values("id")
    for section in ("summary", "measures", "comparison", "features", "repeat", "cite"):
        assert section in ids
    rows = {cells[0]: cells[1:] for _, cells in shown.rows if len(cells) not in (0, 3)}
    defined = {cells[0]: cells[1:] for _, cells in shown.rows if len(cells) == 3}
    assert len(defined) == 1 + len(table)
    assert defined["Jaccard"][1] == STABILITY_MEASURES.get("jaccard").formula
    assert rows["Nogueira"][0] == f"{table.loc['nogueira', 'value']:.4f}".replace("-", "−")
    assert rows["ASD"][3] == "smaller"
    assert "<other>" in rows
    assert f"Nogueira is {table.loc['nogueira', 'value']:.4f}" in shown.words


def test_influence_page_holds_values_and_the_caution(result: InfluenceResult) -> None:
    shown = Page(render_page(result._page(command="influence table.csv --target a")))
    ids = shown.values("id")
    assert {"information-gain", "chi-squared", "settings"} <= set(ids)
    assert "cannot be said from one table" in shown.words
    table = result.table("information_gain", intervals=True).loc["spearman", "geometric_mean"]
    cell = f"{table['value']:.3f} ({table['lower']:.3f} to {table['upper']:.3f})"
    assert any(cell in cells for _, cells in shown.rows)


def test_influence_page_of_one_aggregator_and_of_undefined_values() -> None:
    one = influence(WINE.X, WINE.y, aggregators=["am"], n_folds=3, n_resamples=3, random_state=0)
    assert "cannot be said from one table" not in render_page(one._page())
    flat = InfluenceResult(
        {("information_gain", "arithmetic_mean"): np.ones((4, 13)),
         ("information_gain", "median"): np.ones((4, 13))},
        one.feature_names,
        parameters={**one.parameters, "aggregators": ["arithmetic_mean", "median"]},
        data=one.data, versions=one.versions,
    )  # fmt: skip
    shown = Page(render_page(flat._page()))
    assert "The stability measure 'spearman' is undefined" in shown.words


def test_ensemble_report_answers_whether_resamples_were_enough(make) -> None:
    result = make(names=20, n_resamples=60)
    words = adequacy_blocks(result, 5)[0].text
    found = adequacy(result.combined, n_features_to_select=5, random_state=result.seed)
    enough = found.enough()
    assert ("60 were enough" in words) == enough
    assert f"replace {100 * (1 - found.expected_top_overlap):.1f} % of the 5 selected" in words
    page = Page(result.to_html(n_features_to_select=5))
    assert "Were there enough resamples?" in page.words
    assert words in page.words
    assert "Figure 7. Stability of the best k features" in page.words


def test_ensemble_report_uses_the_aggregator_of_the_run(make) -> None:
    by_mean = adequacy_blocks(make(names=20, n_resamples=30), 5)[0].text
    by_stuart = adequacy_blocks(make(names=20, n_resamples=30, aggregator="stuart"), 5)[0].text
    assert by_mean != by_stuart


def test_ensemble_report_says_why_there_is_no_curve(make) -> None:
    partly = make(names=12, n_resamples=40, missing=0.3)
    assert len(adequacy_blocks(partly, 5)) == 1
    assert "missing scores" in adequacy_blocks(partly, 5)[0].text
    assert "missing scores" in size_block(partly).text
    single = make(names=12, n_resamples=1)
    assert len(adequacy_blocks(single, 3)) == 1
    assert isinstance(size_block(single), Text)
    page = Page(partly.to_html())
    assert "Figure 6" not in page.words
