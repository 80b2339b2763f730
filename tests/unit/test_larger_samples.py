"""What two samples agree on by their size, and what is expected of larger ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import pyfsagg
from pyfsagg.ensemble import ExpectedReplication, expected_replication
from pyfsagg.ensemble.larger_samples import _PLANS, ERRORS, SLOPE, _why_not
from pyfsagg.ensemble.run import set_up_run
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling import Bootstrap, ComplementaryPairs, GroupedBootstrap


def table(n: int, seed: int = 0, shift: float = 0.8) -> tuple[pd.DataFrame, np.ndarray]:
    """Two classes; forty features differ between them, the first most."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, 40)) + shift * y[:, np.newaxis] * np.exp(-np.arange(40) / 8)
    return pd.DataFrame(X).add_prefix("x"), y


def asked(n: int = 240, **options: Any) -> ExpectedReplication:
    defaults = {"filter": "spearman", "n_features_to_select": 8, "random_state": 1}
    return expected_replication(*table(n), **{**defaults, **options})


def test_parts_are_disjoint_and_of_their_size() -> None:
    X, y = table(83)
    for parts, kind in _PLANS.items():
        run = set_up_run(X, y, Ensemble(["spearman"], resampling=kind(), n_resamples=10))
        pairs = run.resamples.weights.reshape(5, 2, 83)
        assert (pairs.sum(axis=1) <= 1).all()
        sizes = [(pairs[:, :, y == c]).sum(axis=2) for c in (0, 1)]
        assert (sizes[0] == 42 // parts).all()
        assert (sizes[1] == 41 // parts).all()


def test_the_halves_are_those_of_a_run() -> None:
    found = asked()
    how = {"filter": "spearman", "n_resamples": 40, "random_state": 1, "checks": "none"}
    run = pyfsagg.wam(*table(240), resampling=ComplementaryPairs(), **how)
    expected = run.between_sample_stability(run.selection(8)).estimates.loc["nogueira"]
    halves = found.curve.loc[120]
    assert halves["source"] == "measured"
    for name, value in (("agreement", "estimate"), ("lower", "lower"), ("upper", "upper")):
        assert halves[name] == expected[value]


def test_the_limits_are_those_of_the_thinned_tables() -> None:
    file = Path(__file__).parents[2] / "data" / "validation" / "thinning.json"
    for times, found in json.loads(file.read_text(encoding="utf-8")).items():
        low, _, high = found["quantiles 0.05, 0.5, 0.95"]
        assert ERRORS[int(times)] == (low, high)
        assert 0.88 < found["mean"] < 0.92


def test_what_is_expected_follows_from_the_three_sizes() -> None:
    curve = asked().curve
    assert curve.index.tolist() == [30, 60, 120, 240, 480, 960]
    odds = logit(curve["agreement"].to_numpy(dtype=float))
    at_table = 0.1 * (odds[0] + 3 * SLOPE) + 0.3 * (odds[1] + 2 * SLOPE) + 0.6 * (odds[2] + SLOPE)
    for doublings, (times, (low, high)) in enumerate(ERRORS.items()):
        centre = at_table + doublings * SLOPE
        row = curve.loc[240 * times]
        assert row["agreement"] == pytest.approx(expit(centre))
        assert row["lower"] == pytest.approx(expit(centre + low))
        assert row["upper"] == pytest.approx(expit(centre + high))


def test_the_rows_for_an_agreement_are_where_the_curve_has_it() -> None:
    found = asked()
    for rows, value in found.curve["agreement"][3:].items():
        assert found.n_rows(value) == rows
    assert found.n_rows(found.curve["agreement"].iloc[-1] + 0.001) == float("inf")
    assert found.n_rows(0.01) < 240
    for wrong in (0.0, 1.0, 1.5):
        with pytest.raises(ParameterError, match="agreement"):
            found.n_rows(wrong)
    expected = found.curve[found.curve["source"] == "expected"]
    first, last = expected.index[0], expected.index[-1]
    odds = logit(expected["agreement"].iloc[0])
    for more, rows in ((0.4, last), (1.0, np.inf)):  # beyond the largest expected none are told
        assert found.n_rows(expit(odds + SLOPE * np.log2((last + more) / first))) == rows


def test_nothing_is_expected_of_noise() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 40)), np.arange(120) % 2
    found = expected_replication(X, y, filter="spearman", random_state=0)
    assert found.n_features_to_select == 10  # a quarter, where nothing is said
    assert "not distinguishable from that of noise" in found.reason
    assert set(found.curve["source"]) == {"measured"}
    assert np.isnan(found.n_rows(0.5))
    assert "Nothing is expected of larger samples" in str(found)
    # Columns of many levels do not make noise agree.
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 2, (160, 20)), rng.integers(0, 12, (160, 6))]
    X = pd.DataFrame(np.hstack(columns)).add_prefix("x").astype("category")
    y = rng.integers(0, 2, 160)
    options = {"filter": "chi_squared", "n_features_to_select": 6, "random_state": 0}
    assert expected_replication(X, y, **options).reason
    assert not expected_replication(X, y, normalize="none", **options).reason  # as the papers score


@pytest.mark.parametrize(
    ("halves", "way"),
    [(1.2, ""), (2.71, "more"), (-0.31, "less"), (3.0, "")],  # full agreement
)
def test_a_curve_that_grows_unlike_others_is_not_continued(halves: float, way: str) -> None:
    odds = {8: 0.0, 4: 0.6, 2: halves}
    reason = _why_not(odds, 0.1)
    assert (f"grows {way} than is usual" in reason) if way else not reason
    assert "not distinguishable" in _why_not(odds, 0.0)


def test_groups_and_weights_are_kept_together() -> None:
    X, groups = table(320)[0], np.arange(320) // 4
    how = {"n_features_to_select": 8, "filter": "spearman", "random_state": 0}
    grouped = expected_replication(X, groups % 2, resampling=GroupedBootstrap(groups), **how)
    assert grouped.curve.index[0] == 40
    twice = expected_replication(X, groups % 2, resampling=Bootstrap(counts=np.full(320, 2)), **how)
    assert twice.curve.index[:3].tolist() == [80, 160, 320]
    weights = Bootstrap(sample_weight=np.full(320, 2))
    assert expected_replication(X, groups % 2, resampling=weights, **how).curve.index[0] == 40


@pytest.mark.parametrize("task", ["regression", "survival"])
def test_other_targets(task: str) -> None:
    X, _ = table(200)
    rng = np.random.default_rng(0)
    number = X.iloc[:, :4].sum(axis=1).to_numpy() + rng.standard_normal(200)
    target = number if task == "regression" else np.column_stack([np.exp(number), np.ones(200)])
    filter = "pearson" if task == "regression" else "cox_score"
    how = {"filter": filter, "task": task, "n_features_to_select": 4, "random_state": 0}
    assert not expected_replication(X, target, **how).reason


def test_the_default_filters_the_sentences_and_what_cannot_be_asked() -> None:
    data = pyfsagg.load_dataset("wine")
    found = expected_replication(data.X, data.y, n_features_to_select=4, random_state=0)
    text = " ".join(found.sentences)
    assert "The best 4 of 13 features of two samples of 89 rows agree to" in text
    assert "Expected are" in text
    assert "with 178 rows" in text
    assert repr(found) == "\n".join(found.sentences)
    assert found.to_frame() is found.curve
    for options, error, message in (
        ({"n_features_to_select": 40}, ParameterError, "below the number of features, 40, got 40"),
        ({"n_pairs": 4}, ParameterError, "n_pairs"),
        ({"n": 14}, DataError, "too small to be divided into 8 parts"),
    ):
        with pytest.raises(error, match=message):
            asked(**options)
