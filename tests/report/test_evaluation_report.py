"""Pictures and report of an evaluation."""

import re
import warnings
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from pyfsagg import evaluate, load_dataset
from pyfsagg.evaluation import Evaluation
from pyfsagg.evaluation._report import COLORS, plot_accuracy
from pyfsagg.evaluation.result import COLUMNS
from pyfsagg.exceptions import InputTypeError, ParameterError

SHARES = [0.1, 0.4, 1.0]


def simulated(
    methods, classifiers=("naive_bayes", "svm"), protocols=("thesis", "nested"), n_folds=8, failed=0
):
    """An evaluation in which each method is worse than the one before."""
    rng = np.random.default_rng(0)
    rows = []
    kinds = [*((m, "method", 1) for m in methods), ("random subsets", "baseline", 3)]
    for protocol in protocols:
        for number, (method, kind, draws) in enumerate(kinds):
            for classifier in classifiers:
                for share in SHARES:
                    for fold in range(n_folds):
                        for draw in range(draws):
                            value = 0.9 - 0.05 * number + 0.01 * rng.standard_normal()
                            cell = (protocol, method, kind, classifier, share, int(20 * share))
                            rows.append((*cell, 0, fold, draw, "accuracy", value, "ok", ""))
        for classifier in classifiers:
            cell = (protocol, "all features", "baseline", classifier, 1.0, 20)
            rows += [(*cell, 0, fold, 0, "accuracy", 0.8, "ok", "") for fold in range(n_folds)]
    cells = pd.DataFrame(rows, columns=list(COLUMNS))
    if failed:
        cells.loc[: failed - 1, ["value", "status", "message"]] = [np.nan, "failed", "<b>no</b>"]
    parameters = {
        "protocols": list(protocols),
        "rankings": {},
        "methods": {method: {"method": "wam"} for method in methods},
        "classifiers": dict.fromkeys(classifiers, "a classifier"),
        **{
            "n_features_to_select": SHARES,
            "metrics": ["accuracy"],
            "n_folds": n_folds,
            "n_repeats": 1,
        },
        **{"test_size": 1 / 3, "n_cells": len(cells), "n_fits": 7},
    }
    data = {"sha256": "0" * 64, "n_samples": 100, "n_features": 20, "target": "class"}
    data["class_counts"] = {"a": 50, "b": 50}
    return Evaluation(cells, parameters=parameters, data=data, versions={"pyfsagg": "0.1.0"})


@pytest.fixture(scope="module")
def result() -> Evaluation:
    return simulated(["first", "second", "third", "fourth"])


def test_curves_show_the_means_and_their_errors(result: Evaluation) -> None:
    axes = plot_accuracy(result, protocol="thesis")
    assert [ax.get_title() for ax in axes] == ["naive bayes", "svm"]
    (line,) = [line for line in axes[1].lines if line.get_label() == "third"]
    third = "protocol == 'thesis' and method == 'third' and classifier == 'svm'"
    own = result.summary().query(third)
    assert line.get_xdata().tolist() == SHARES
    np.testing.assert_allclose(line.get_ydata(), own["mean"])
    bands = [each.get_paths()[0].get_extents() for each in axes[1].collections]
    error = own["sd"] / np.sqrt(own["n"])
    low, high = (own["mean"] - error).min(), (own["mean"] + error).max()
    assert any(np.allclose([band.y0, band.y1], [low, high]) for band in bands)


def test_curves_choose_classifiers_and_methods(result: Evaluation) -> None:
    (ax,) = plot_accuracy(result, classifiers=["svm"], methods=["second"])
    labels = {line.get_label() for line in ax.lines}
    assert labels == {"second", "random subsets", "all features"}
    for options in ({"protocol": "leaky"}, {"classifiers": ["lr"]}, {"methods": ["fifth"]}):
        with pytest.raises(ParameterError, match="must be one of"):
            plot_accuracy(result, **options)


def test_lines_can_be_told_apart_beyond_the_number_of_colours() -> None:
    (ax,) = plot_accuracy(simulated([f"m{i}" for i in range(9)], classifiers=("nb",)))
    own = [line for line in ax.lines if str(line.get_label()).startswith("m")]
    looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in own}
    assert len(looks) == 9
    assert len(set(COLORS)) == 7


def test_pictures_take_an_evaluation_and_refuse_the_rest(result: Evaluation) -> None:
    with pytest.raises(InputTypeError, match="draws an Evaluation"):
        plot_accuracy(result.compare())
    assert len(result.plot()) == 2
    with pytest.raises(ParameterError, match="kind must be one of"):
        result.plot("pie")


# --- report ----------------------------------------------------------------------------------
def test_report_has_its_sections_and_figures(result: Evaluation, tmp_path) -> None:
    about = {"data_name": "table.csv", "command": "evaluate table.csv"}
    page = result.report(tmp_path / "report.html", **about).read_text()
    sections = "summary details curves averages optimism differences values settings repeat cite"
    found = re.findall(r'<(?:section class="answer"|div) id="([a-z-]+)"', page)
    assert found == sections.split()
    assert page.count("<svg") == 4
    for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        ElementTree.fromstring(svg)
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    comparison = result.compare()
    assert comparison._told_apart().split(".")[0] in page
    assert "P(equivalent)" in page
    wacc = result.weighted_average_accuracy()["wacc"][0]
    assert f"{wacc:.4f}" in page


def test_equal_results_give_equal_pages(result: Evaluation) -> None:
    assert result.to_html() == result.to_html()


def test_failures_are_told_and_names_are_escaped() -> None:
    failed = simulated(["<script>alert(1)</script>", "$x_1$ & b"], failed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = failed.to_html()
    assert 'id="failures"' in page
    assert "&lt;b&gt;no&lt;/b&gt;" in page
    assert "<b>no</b>" not in page
    assert "<script>alert" not in page
    assert "3 of" in page


def test_one_method_is_compared_with_baselines_and_one_protocol_has_no_optimism() -> None:
    page = simulated(["only"], protocols=("nested",)).to_html()
    assert 'id="optimism"' not in page
    assert "corrected t tests of the folds" in page


def test_a_real_evaluation_can_be_reported() -> None:
    data = load_dataset("wine")
    options = {
        "methods": ["ig", "su"],
        "classifiers": "nb",
        "n_features_to_select": [13],
        "n_resamples": 3,
    }
    baselines = ["all_features", "single_filters"]
    found = evaluate(data.X, data.y, baselines=baselines, random_state=0, **options)
    page = found.to_html()
    # With all features no method differs from another.
    assert "No pair can be distinguished" in page
    assert 'id="averages"' not in page


def test_report_refuses(result: Evaluation) -> None:
    with pytest.raises(ParameterError, match="confidence_level"):
        result.to_html(confidence_level=2.0)
