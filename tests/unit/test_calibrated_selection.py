"""Calibrated stability selection: by hand, against R's sharp, and what it does and does not promise."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from pyfsagg.error_control import calibrate_selection, paths, pfer_bound
from pyfsagg.exceptions import DataError, ParameterError

FILE = Path(__file__).parents[1] / "golden" / "data" / "stability_score_sharp.json"
SHARP = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("case", SHARP["cases"], ids=lambda c: f"{c['halves']}-{len(c['counts'])}")
def test_cells_are_those_of_sharp(case: dict) -> None:
    frequency = np.array(case["counts"]) / case["halves"]
    expected = np.array(case["scores"], dtype=float)
    assert SHARP["thresholds"] == list(paths.THRESHOLDS)
    found = paths.stability_scores(frequency, np.array(paths.THRESHOLDS), case["halves"])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_by_hand() -> None:
    # of 10 halves: one feature always, one in five, two never; q = round(1.5) = 2
    chance = 2 / 4
    found = paths.stability_scores(np.array([1.0, 0.5, 0.0, 0.0]), np.array([0.8]), 10)
    low, high = binom.cdf(2, 10, chance), binom.sf(7, 10, chance)
    expected = -(np.log(high) + np.log(1 - low - high) + 2 * np.log(low))
    np.testing.assert_allclose(found, [expected], rtol=1e-12)


def scores(signal: float, rng: np.random.Generator, p: int = 40) -> np.ndarray:
    return np.r_[np.full(4, signal), np.zeros(p - 4)] + rng.normal(size=(60, p))


def test_a_signal_is_found_with_the_bounds_of_its_cell() -> None:
    found = calibrate_selection(
        scores(3.0, np.random.default_rng(0)), sizes=[2, 4, 8], thresholds=[0.6, 0.8]
    )
    assert set(found.selected) == {"x0", "x1", "x2", "x3"}
    frame = found.to_frame()
    assert len(frame) == 6
    assert (frame.loc[0, "q"], frame.loc[0, "threshold"]) == (found.q, found.threshold)
    for row in frame.itertuples():
        how = {"q": row.q, "p": 40, "threshold": row.threshold, "n_pairs": 30}
        assert row.bound == pytest.approx(pfer_bound(**how, assumption="none"))
        assert row.unimodal_bound == pytest.approx(min(40, pfer_bound(**how)))
    assert "promises nothing about false selections" in found.sentences[2]
    assert repr(found).startswith("The selection is most stable with the best ")


def test_order_ties_and_missing_scores() -> None:
    matrix = scores(2.0, np.random.default_rng(1))
    names = [f"f{j}" for j in range(40)]
    order = np.random.default_rng(2).permutation(40)
    one = calibrate_selection(matrix, feature_names=names)
    two = calibrate_selection(matrix[:, order], feature_names=[names[j] for j in order])
    assert (one.q, one.threshold) == (two.q, two.threshold)
    assert set(one.selected) == set(two.selected)
    matrix = scores(3.0, np.random.default_rng(3))
    matrix[:, 10:] = 0.0  # at most ten features have an order
    matrix[:, 39] = np.nan
    found = calibrate_selection(matrix, sizes=[4, 20])
    assert np.isfinite(found.cells["score"]).any()
    assert "x39" not in found.selected


def test_thresholds_and_sizes_that_cannot_be_calibrated_are_refused() -> None:
    for given, options, error in (
        *((np.zeros((n, 4)), {}, DataError) for n in (5, 2, 20)),
        (np.eye(20), {"thresholds": [0.5]}, ParameterError),
        (np.eye(20), {"thresholds": [1.5]}, ParameterError),
        (np.eye(20), {"sizes": [0]}, ParameterError),
        (np.eye(20), {"sizes": [21]}, ParameterError),
        (np.eye(20), {"feature_names": ["a"]}, DataError),
    ):
        with pytest.raises(error):
            calibrate_selection(given, **options)
