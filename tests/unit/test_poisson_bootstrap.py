"""The Poisson bootstrap: its distribution, what its weights depend on, and the counts."""

import math

import numpy as np
import pytest

from pyfsagg import wam
from pyfsagg._kernels.poisson_bootstrap import (
    _T,
    LANES,
    LARGEST_WEIGHT,
    _thresholds,
    count_resamples,
    digest_column,
    padded,
    poisson_weights,
)
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import as_table, check_target
from pyfsagg.resampling import PoissonBootstrap, draw_resamples
from pyfsagg.resampling.plans import check_poisson_totals, poisson_key

MASK = 2**64 - 1


def weights(n_rows: int, m: int, seed: int = 0, first_row: int = 0, group: int = 0) -> np.ndarray:
    drawn = np.empty((n_rows, padded(m)), np.uint8)
    poisson_weights(poisson_key(seed), first_row, group, drawn)
    return drawn[:, :m]


def mix(bits: int) -> int:
    """splitmix64 in whole numbers of Python."""
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
    return bits ^ (bits >> 31)


def twin(key: int, row: int, resample: int) -> int:
    """One weight from its definition."""
    golden = 0x9E3779B97F4A7C15
    start = mix((key + (row + 1) * golden) & MASK)
    group, lane = divmod(resample, LANES)
    half, place = divmod(lane, LANES // 2)
    word = mix((start + (group * LANES // 2 + place + 1) * golden) & MASK)
    uniform = (word >> 32) if half else word & 0xFFFFFFFF
    below, k = math.exp(-1.0), 0
    term = below
    while uniform >= round(below * 2.0**32):
        k += 1
        term /= k
        below += term
    return k


def test_weights_are_as_defined_and_depend_on_row_and_resample_alone() -> None:
    key = int(poisson_key(5))
    found = weights(40, 70, seed=5, first_row=2**31 - 3)
    expected = [[twin(key, 2**31 - 3 + i, r) for r in range(70)] for i in range(40)]
    np.testing.assert_array_equal(found, expected)
    whole = weights(100, 96, seed=3)
    np.testing.assert_array_equal(weights(30, 96, seed=3, first_row=70), whole[70:])
    np.testing.assert_array_equal(weights(100, 40, seed=3), whole[:, :40])
    np.testing.assert_array_equal(weights(100, 64, seed=3, group=1), whole[:, 32:])
    assert (weights(100, 96, seed=4) != whole).mean() > 0.5
    data = as_table(np.arange(200.0).reshape(100, 2)), check_target(np.arange(100) % 2, 100)
    drawn = draw_resamples(*data, "poisson_bootstrap", n_resamples=43, seed=3, first=37)
    np.testing.assert_array_equal(drawn.weights, whole[:, 37:80].T)


@pytest.mark.parametrize("n_rows", [1, 1024, 2500])
def test_counts_are_sums_of_weights(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    n_codes = np.array([3, 11, 1])
    codes = np.array([rng.integers(k, size=n_rows) for k in n_codes], dtype=np.uint16)
    labels = rng.integers(4, size=n_rows).astype(np.uint16)
    counts = np.ones((4 * n_codes.sum(), padded(50)), np.int64)  # they are added to what is there
    count_resamples(codes, labels, 4, n_codes, poisson_key(1), 17, counts)
    drawn = weights(n_rows, padded(50), seed=1, first_row=17)
    expected = np.ones_like(counts)
    start = 0
    for j, k in enumerate(n_codes):
        np.add.at(expected, start + codes[j].astype(int) * 4 + labels, drawn)
        start += 4 * k
    np.testing.assert_array_equal(counts, expected)


def test_digests_are_sums_over_parts_and_thresholds_the_distribution_of_poisson() -> None:
    x = np.array([1.5, np.nan, -0.0, 3.0, 1.5])
    salt = np.uint64(9)
    whole = digest_column(x, salt, 10)
    parts = [int(digest_column(x[:2], salt, 10)), int(digest_column(x[2:], salt, 12))]
    assert sum(parts) % 2**64 == int(whole)
    assert digest_column(x + 0.0, salt, 10) == whole
    assert digest_column(np.where(np.isnan(x), -np.nan, x), salt, 10) == whole
    assert digest_column(x[::-1].copy(), salt, 10) != whole
    assert digest_column(x, np.uint64(8), 10) != whole
    # Rounded sums of 1 / k! / e, as long as 32 bits hold them.
    terms = np.cumsum([1 / math.factorial(k) for k in range(20)])
    expected = [edge for edge in (round(2**32 * share / math.e) for share in terms) if edge < 2**32]
    assert _thresholds().tolist() == _T.tolist() == expected
    assert len(expected) == LARGEST_WEIGHT


def test_weighted_tables_and_resamples_of_hardly_any_row_are_refused() -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 3)), [0, 1] * 10
    with pytest.raises(ParameterError, match="takes no sample_weight"):
        wam(X, y, resampling=PoissonBootstrap(sample_weight=[2] * 20), n_resamples=3)
    check_poisson_totals(np.array([2, 9]))
    with pytest.raises(DataError, match=r"resample 1 .* draws 0 row"):
        check_poisson_totals(np.array([2, 0, 1]))
    with pytest.raises(DataError, match="Poisson bootstrap draws"):
        wam([[1, 2], [2, 1]], ["a", "b"], resampling="poisson_bootstrap", random_state=0)
