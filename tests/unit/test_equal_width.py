"""Bins of equal width are the same wherever they are made: `discretize` is the measure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loading import load_beside
from scipy.stats import chi2_contingency

from pyfsagg._kernels.class_tables import width_cutpoints, width_rows
from pyfsagg.discretization import discretize
from pyfsagg.extending import FILTERS, as_table, check_target
from pyfsagg.filters import chi_squared, information_selection, value_difference_metric

twins = load_beside(__file__, "twins")
N = 400


def columns_at_the_cuts(kind: str, seed: int = 0) -> np.ndarray:
    """Columns (N, 6) of which most values lie at or next to a cut of some number of bins."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 101, (N, 6))
    whole[:2] = [[0] * 6, [100] * 6]
    units = np.array([0.07, 0.1, 0.3, 1e-3, 1.1, 0.9])
    return {
        "random": rng.normal(size=(N, 6)) * 10.0 ** np.arange(-2, 4),
        "integers": whole.astype(float),
        "decimals": whole * units - np.array([0, 1, 0.2, 7, 0, 3]),
        "neighbours": np.nextafter(whole * 0.07, rng.choice([-1e9, 1e9], whole.shape)),
        # The cuts are no further apart than the numbers there are.
        "far from zero": 1e15 + rng.integers(0, 12, (N, 6)) * 0.125,
        "huge": whole / 100 * np.array([1e306, 1e307, 1.7e308, 1.7e308, 1e308, 1e300]),
    }[kind]


KINDS = ("random", "integers", "decimals", "neighbours", "far from zero", "huge")


@pytest.mark.parametrize("bins", [2, 3, 7, 10, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_all_filters_see_the_bins_of_discretize(kind: str, bins: int) -> None:
    X = columns_at_the_cuts(kind)
    y = np.random.default_rng(bins).integers(0, 2, N)
    codes = discretize(X, method="equal_width", bins=bins).codes
    np.testing.assert_array_equal(
        codes, np.column_stack([twins.equal_width_codes(x, bins) for x in X.T])
    )
    tables = [twins.contingency(code, y) for code in codes.T]
    expected = [chi2_contingency(table, correction=False).statistic for table in tables]
    np.testing.assert_allclose(chi_squared(X, y, bins=bins), expected, rtol=1e-12)
    shares = [table / table.sum(axis=0) for table in tables]
    expected = [np.abs(share[:, 1] - share[:, 0]).sum() / 2 for share in shares]
    np.testing.assert_allclose(value_difference_metric(X, y, bins=bins), expected, rtol=1e-12)
    expected = [twins.mutual_information(code, y) for code in codes.T]
    prepare = FILTERS.get("information_gain").prepare
    scorer = prepare(as_table(X), check_target(y, N), discretization="equal_width", bins=bins)
    found = scorer(np.ones((1, N), dtype=np.uint16), y[np.newaxis].astype(np.int32))
    np.testing.assert_allclose(found["information_gain"][0], expected, rtol=0, atol=1e-13)
    scores, order = twins.mrmr(codes, y, 6)
    result = information_selection(X, y, criterion="mrmr", binning="equal_width", bins=bins)
    np.testing.assert_allclose(result.scores, scores, rtol=0, atol=1e-12)
    assert result.order.tolist() == order


def between_cuts(x: np.ndarray, low: float, high: float, bins: int) -> np.ndarray:
    """The cuts, between which rows must fall."""
    cuts, codes = np.empty(bins - 1), np.empty(len(x), dtype=np.uint32)
    width_cutpoints(low, high, bins, cuts)
    used = width_rows(x, low, high, bins, codes)
    np.testing.assert_array_equal(codes, np.searchsorted(cuts, x) + np.isnan(x))
    assert codes.max() < used
    return cuts


@pytest.mark.parametrize("bins", [2, 3, 10, 50])
def test_rows_fall_between_cuts_that_rounding_brings_together(bins: int) -> None:
    # Neighbouring numbers above 1: some cuts coincide, and the quick place would miss them.
    for steps in range(1, 60):
        x = 1.0 + np.arange(steps + 1) * np.finfo(float).eps
        between_cuts(x, x[0], x[-1], bins)


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.floats(allow_infinity=False), min_size=2, max_size=40),
    bins=st.integers(2, 300),
)
def test_rows_fall_between_the_cuts_whatever_the_numbers(values: list[float], bins: int) -> None:
    x = np.array(values)
    known = x[~np.isnan(x)]
    low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
    if low < high:
        cuts = between_cuts(x, low, high, bins)
        assert np.isfinite(cuts).all()
        assert (np.diff(cuts) >= 0).all()
        assert low <= cuts[0]
        assert cuts[-1] <= high
    else:
        codes = np.empty(len(x), dtype=np.uint32)
        assert width_rows(x, low, high, bins, codes) == 2
        np.testing.assert_array_equal(codes, np.isnan(x))


@pytest.mark.parametrize("seed", range(3))
def test_rows_next_to_every_cut(seed: int) -> None:
    """The quick place is corrected by the cuts: at, just below and just above each of them."""
    rng = np.random.default_rng(seed)
    for bins in (2, 9, 10, 1000, 10_000):
        low = rng.normal() * 10.0 ** rng.integers(-3, 4)
        high = low + rng.uniform(0.1, 50)
        cuts = between_cuts(np.array([low, high]), low, high, bins)
        near = [cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)]
        between_cuts(np.concatenate([*near, [low, high]]), low, high, bins)
