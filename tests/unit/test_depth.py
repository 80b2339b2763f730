"""The depth of mRMR in ensembles, and what the default filters take."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from pyfsagg import bam, evaluate, wam
from pyfsagg.ensemble import BetweenAggregationSelector
from pyfsagg.evaluation.cells import largest_count

RNG = np.random.default_rng(3)
WIDE, Y = RNG.normal(size=(24, 420)), np.arange(24) % 2
QUICK: dict[str, Any] = {"n_resamples": 2, "random_state": 0}


def test_the_depth_is_recorded_where_not_all_features_are_selected() -> None:
    for n, params, depth in (
        (420, {}, 100),
        (420, {"n_features": "auto"}, 100),
        (420, {"n_features": 7}, 7),
        (420, {"n_features": "all"}, "all"),
        (300, {}, None),
    ):
        found = wam(WIDE[:, :n], Y, filter="mrmr", filter_params=params, **QUICK)
        expected = {} if depth is None else {"mrmr": {"n_features": depth}}
        assert found.parameters["filter_params"] == expected


def test_depths_and_thresholds() -> None:
    short = wam(WIDE, Y, filter="mrmr", filter_params={"n_features": 5}, **QUICK)
    full = wam(WIDE, Y, filter="mrmr", filter_params={"n_features": "all"}, **QUICK)
    assert np.isfinite(short.combined).all()
    same = short.combined == full.combined
    assert (same.sum(axis=1) >= 5).all()
    assert not same.all()
    found = bam(WIDE, Y, **QUICK)
    page = found.to_html()
    for text in (" ".join(found.summary_text().split()), page):
        assert "mrmr selected 100 features one by one" in text
    assert "the score of the other 320 is their criterion" in page
    assert largest_count([0.1, 0.5]) is None
    assert largest_count([0.1, 30, 20]) == 30
    assert largest_count(7) == 7
    X, y = np.random.default_rng(6).normal(size=(60, 310)), np.arange(60) % 2
    options = {
        "methods": ["mrmr"],
        "classifiers": "nb",
        "n_features_to_select": [30],
        "baselines": (),
    }
    found = evaluate(X, y, **options, **QUICK)
    assert found.cells["value"].notna().all()


@pytest.mark.parametrize(("threshold", "depth"), [(0.25, 100), (25, 100), (30, 120), (110, "all")])
def test_selectors_go_as_deep_as_their_threshold_needs(threshold: Any, depth: Any) -> None:
    selector = BetweenAggregationSelector(["ig", "mrmr"], n_features_to_select=threshold, **QUICK)
    given = selector.fit(WIDE, Y).result_.parameters["filter_params"]["mrmr"]
    assert given == {"n_features": depth}


def test_the_default_filters_take_gaps_whole_numbers_and_words() -> None:
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 60)
    X = pd.DataFrame({"gaps": np.where(rng.random(60) < 0.2, np.nan, rng.normal(size=60) + y)})
    X["whole"] = rng.integers(0, 500, 60) + 200 * y
    X["whole with gaps"] = pd.array(rng.integers(0, 90, 60), dtype="Int64")
    X["word"] = rng.choice(["a", "b", "c"], 60)
    X["word with gaps"] = np.where(rng.random(60) < 0.2, None, "x")
    X["flag"], X["never known"] = rng.random(60) < 0.5, np.nan
    X.loc[3, "whole with gaps"] = pd.NA
    found = bam(X, y, n_resamples=5, random_state=0)
    assert np.isfinite(found.combined).all()
    assert {"whole", "gaps"} == set(found.select(2))
