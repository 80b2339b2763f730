"""The experiments of the paper, in small, and their pictures."""

import functools
import json

import numpy as np
import pytest
from matplotlib.axes import Axes

from pyfsagg import aggregate, wam
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.rank_order import eliminate, make_planted_orders
from pyfsagg.rank_order._report import plot_elimination
from pyfsagg.rank_order.elimination import elimination_scores
from pyfsagg.rank_order.naive_bayes import random_subset_baseline
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg_papers.orders import experiment, genes
from pyfsagg_papers.orders.experiment import CURVES, Experiment
from pyfsagg_papers.orders.figures import plot_experiment, run_experiment


@pytest.fixture(scope="module")
def figure_8() -> Experiment:
    lines = []
    found = run_experiment("figure-8", n_repeats=1, log=lines.append)
    assert lines[0] == "0 extraneous, 8 redundant: data set 1 of 1"
    return found


def test_planted_orders(figure_8: Experiment) -> None:
    curves = figure_8.curves
    assert set(curves["method"]) == set(CURVES)
    sizes = curves.groupby("panel")["size"].max().to_dict()
    names = [f"{a} extraneous, {b} redundant" for a, b in ((0, 8), (8, 0), (8, 8))]
    assert sizes == dict(zip(names, (12, 12, 20), strict=True))
    assert not curves[["divergence", "accuracy"]].isna().any().any()
    first = curves[curves["removed"] == 0]
    assert (first["divergence"] == 0.0).all()
    # All methods start from the same features.
    assert first.groupby("panel")["accuracy"].nunique().max() == 1
    spoilers = curves[(curves["method"] == "spoilers") & (curves["size"] == 4)]
    assert (spoilers["divergence"] == 0.0).all()
    recovered = figure_8.parameters["recovery"]
    assert all(share == 1.0 for name, share in recovered.items() if name.endswith("spoilers"))
    document = json.loads(figure_8.to_json())
    assert document["name"] == "figure-8"
    assert {type(finding["holds"]) for finding in document["findings"]} == {bool}


def test_findings_follow_the_curves(figure_8: Experiment) -> None:
    """A finding turns over when the curves do."""
    worse = figure_8.curves.copy()
    worse.loc[worse["method"] == "koller_sahami", "divergence"] = 5.0
    assert experiment._planted_divergence(worse)[0].holds
    worse.loc[worse["method"] == "koller_sahami", "divergence"] = 0.0
    assert not experiment._planted_divergence(worse)[0].holds


def test_unknown_figure_and_missing_data(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="name must be one of 'figure-7'"):
        run_experiment("figure-6")
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)
    with pytest.raises(ParameterError, match="golub"):
        run_experiment("figure-12")
    with pytest.raises(DataError, match=r"golub\.samples"):
        genes.leukaemia_subtypes(72)


def gene_table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, y = rng.random((45, 60)), np.repeat(["a", "b", "c"], 15)
    X[y == "a", :4] += 0.7
    X[y == "b", 4:8] += 0.7
    return X, y


def test_comparison_with_random_subsets() -> None:
    how = {"panel": "genes", "n_subsets": 20, "largest": 30}
    curves, baseline = genes.compare_with_random(*gene_table(), **how)
    assert set(curves["method"]) == {"cdv", "spoilers"}
    assert baseline["size"].tolist() == list(range(2, 31))
    table = genes._compared(curves, baseline)
    assert list(table) == ["cdv", "spoilers", "random"]
    assert table.index.tolist() == list(range(2, 31))
    found = genes.leukaemia_findings(curves, baseline, 0.5, 30)
    assert [finding.holds for finding in found][-1]
    assert len(genes.fly_findings(curves, baseline)) == 5


# --- removal orders in ensembles -------------------------------------------------------------
@pytest.mark.parametrize("method", ["spoilers", "cdv", "greedy_kl", "koller_sahami"])
def test_eliminations_feed_ensembles(method: str) -> None:
    data = make_planted_orders(3, 12, n_extraneous=5, random_state=4)

    params = {"blanket_size": 2} if method == "koller_sahami" else {}
    by_elimination = functools.partial(elimination_scores, method=method, method_params=params)
    result = wam(data.X, data.y, filter=by_elimination, n_resamples=12, random_state=0)
    matrix = result.combined
    p = data.X.shape[1]
    np.testing.assert_array_equal(np.sort(matrix, axis=1), np.tile(np.arange(1.0, p + 1), (12, 1)))
    if method == "spoilers":
        assert set(result.select(3)) == set(data.planted)
    pairs = np.corrcoef(matrix)[np.triu_indices(12, 1)]  # without ties scores are their own ranks
    assert float(measure_stability(matrix, "spearman")) == pytest.approx(pairs.mean())
    best = np.argsort(-matrix.mean(axis=0), kind="stable")
    np.testing.assert_array_equal(np.argsort(aggregate(matrix, "borda").ranking), best)


def test_ties_do_not_pass_for_stability() -> None:
    """Greedy KL may remove nearly any feature at first: by column it would always agree."""
    X, y = gene_table()
    found = {}
    for rule in ("first", "random"):
        by_elimination = functools.partial(elimination_scores, method="greedy_kl", tie_break=rule)
        how = {"filter": by_elimination, "n_resamples": 10, "random_state": 0}
        result, again = wam(X, y, **how), wam(X, y, **how, n_jobs=2)
        np.testing.assert_array_equal(result.combined, again.combined)
        found[rule] = float(measure_stability(result.combined, "spearman"))
    assert found["first"] > 0.95
    assert abs(found["random"]) < 0.3


# --- pictures --------------------------------------------------------------------------------
def test_pictures(figure_8: Experiment) -> None:
    data = make_planted_orders(3, 10, n_extraneous=5, random_state=0)
    result = eliminate(data.X, data.y, "spoilers", accuracy=True, random_state=0)
    band = random_subset_baseline(data.X, data.y, max_size=8, n_subsets=5)
    axes = result.plot(baseline=band)
    assert axes.get_ylabel().startswith("Accuracy")
    line = next(line for line in axes.lines if line.get_label() == "Spoilers")
    np.testing.assert_array_equal(line.get_ydata(), result.accuracy)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["random (mean, 95 %)", "Spoilers"]
    low = plot_elimination(result, measure="divergence", max_size=3)
    np.testing.assert_array_equal(low.lines[0].get_ydata(), result.divergence[-3:])
    assert low.get_xlim() == (3.5, 0.5)
    panels = plot_experiment(figure_8)
    assert len(panels) == 3
    assert all(isinstance(ax, Axes) and len(ax.lines) == 5 for ax in panels)
    bare = eliminate(data.X, data.y, "spoilers")
    assert bare.plot().get_ylabel().startswith("Divergence")
    with pytest.raises(DataError, match="accuracy=True"):
        bare.plot(measure="accuracy")
    with pytest.raises(ParameterError, match="measure must be one of"):
        bare.plot(measure="auc")
