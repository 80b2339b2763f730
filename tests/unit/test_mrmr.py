"""mRMR: hand-worked values, the NumPy twin, weights, missing values, refusals."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from loading import load_beside
from numba import njit

from pyfsagg._kernels import mrmr as rows
from pyfsagg._kernels import mrmr_counts as masks
from pyfsagg._kernels.class_tables import praznik_bins, praznik_rows
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import as_table, check_target
from pyfsagg.filters._base import counted_columns, read_depth
from pyfsagg.filters.information import InformationSelection, information_selection, prepare_mrmr

twins = load_beside(__file__, "twins")
mrmr = partial(information_selection, criterion="mrmr")


def mixed_table(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Every kind of column: some with rare bins, one with a level per row, one constant."""
    y = rng.integers(0, 3, n)
    normal = rng.normal(size=n) + y
    columns = {
        "normal": normal,
        "skewed": np.exp(2 * rng.normal(size=n)),
        "uniform": rng.uniform(size=n) + 1,
        "copy": normal,
        "identifier": np.arange(n),
        "many": rng.integers(0, max(n // 3, 2), n) + 7,
        "few": rng.integers(0, 4, n) * (y > 0),
        "flag": rng.uniform(size=n) < 0.01,
        "word": pd.Categorical(rng.choice(["a", "b", "c"], n)),
        "constant": 1.5,
    }
    return pd.DataFrame(columns), y


def agrees(result: InformationSelection, codes: np.ndarray, y: np.ndarray) -> None:
    scores, order = twins.mrmr(codes, y, codes.shape[1])
    assert result.order.tolist() == order
    np.testing.assert_allclose(result.scores, scores, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [12, 90, 700, 2600])
def test_equals_the_twin_on_every_kind_of_column(n: int) -> None:
    X, y = mixed_table(np.random.default_rng(n), n)
    columns = [
        twins.praznik_codes(column.to_numpy())
        if column.dtype == np.float64
        else np.unique(column.astype(str), return_inverse=True)[1]
        for _, column in X.items()
    ]
    agrees(mrmr(X, y, binning="praznik"), np.column_stack(columns), y)


def praznik_bin(value: float, column: list[float], bins: int) -> int:
    """praznik's bin of one value, 1 to `bins`, from the words of its description."""
    low, high = min(column), max(column)
    if low == high:
        return 1
    if 1e-14 < abs(low) < 1e300 and 1e-14 < abs(high) < 1e300:
        low = low - (high - low) / 1000
        high = high + (high - low) / 1000
    place = math.floor((value - low) / (high - low) * bins) + 1
    return min(place, bins)


_WHOLE = [7.0 * i % 11 for i in range(44)]
RANGES = {
    "whole numbers from 0": _WHOLE,
    "whole numbers up to 0": [-v for v in _WHOLE],
    "from -0.0": [-0.0 if v == 0 else v for v in _WHOLE],
    "across 0": [v - 5 for v in _WHOLE],
    "below 0": [-1 - v for v in _WHOLE],
    "above 0": [1 + v for v in _WHOLE],
    "the maximum in every other row": [float(i % 2) for i in range(44)],
    "tenths from 0": [v / 10 for v in _WHOLE],
    "thirds up to 0": [-v / 3 for v in _WHOLE],
    "an end just within the limits": [2e-14 + v for v in _WHOLE],
    "an end at the lower limit": [1e-14 + v for v in _WHOLE],
    "an end near the upper limit": [1.0 + v * 0.99e299 for v in _WHOLE],
    "an end at the upper limit": [1.0 + v * 1e299 for v in _WHOLE],
    "neighbouring numbers": [1.0 + v * 2.0**-52 for v in _WHOLE],
    "constant": [3.5] * 44,
    "constant 0": [0.0] * 44,
}


@pytest.mark.parametrize("kind", list(RANGES))
def test_bins_of_praznik_by_its_formula(kind: str) -> None:
    for n in [5, 6, 8, 9, 30, 31, 44]:
        column = RANGES[kind][:n]
        bins = 2 if n < 6 else n // 3 if n <= 30 else 10
        expected = [praznik_bin(value, column, bins) - 1 for value in column]
        codes = np.empty(n, dtype=np.uint32)
        used = praznik_rows(np.array(column), min(column), max(column), praznik_bins(n), codes)
        assert codes.tolist() == expected
        assert max(expected) < bins
        assert used > max(expected)


@pytest.mark.parametrize("bins", [2, 7, 10, 300])
def test_equal_width_reading_equals_the_twin_with_missing_values(bins: int) -> None:
    rng = np.random.default_rng(bins)
    X = rng.normal(size=(400, 6))
    X[:, 5] = 3.0
    X[rng.uniform(size=X.shape) < 0.1] = np.nan
    y = rng.integers(0, 2, 400)
    X[:, 1] += y
    codes = np.column_stack([twins.equal_width_codes(X[:, j], bins) for j in range(6)])
    agrees(mrmr(X, y, binning="equal_width", bins=bins), codes, y)


def test_hand_worked_scores() -> None:
    # I(a; y) = ln 2.  b agrees with y in 3 of 4: I = (3/4) ln(4/3) ... worked out below by cells.
    X = pd.DataFrame({"b": [0, 0, 0, 1], "a": [0, 0, 1, 1]})
    information = 0.5 * np.log(4 / 3) + 0.25 * np.log(2 / 3) + 0.25 * np.log(2)
    result = mrmr(X, [0, 0, 1, 1])
    assert result.order.tolist() == [1, 0]
    assert result.scores == pytest.approx([information - information, np.log(2)], abs=1e-15)


def test_the_features_not_selected_keep_the_criterion_of_the_last_step() -> None:
    rng = np.random.default_rng(11)
    codes, y = rng.integers(0, 4, (90, 7)), rng.integers(0, 2, 90)
    codes[:, 2] = np.where(rng.uniform(size=90) < 0.8, y, codes[:, 2])
    information = twins.mutual_information
    result = mrmr(codes, y, n_features=3)
    before = result.order[:2]  # those that were selected when the third was chosen
    for j in set(range(7)) - set(result.order.tolist()):
        mean = np.mean([information(codes[:, j], codes[:, w]) for w in before])
        assert result.scores[j] == pytest.approx(information(codes[:, j], y) - mean, abs=1e-12)
    alone = mrmr(codes, y, n_features=1)
    expected = [information(codes[:, j], y) for j in range(7)]
    np.testing.assert_allclose(alone.scores, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("given", "n_features", "largest", "depth"),
    [
        (None, 5000, None, 5000),
        ("all", 5000, 10, 5000),
        (17, 5000, 10, 17),
        (17, 12, None, 12),
        ("auto", 300, 10, 300),
        ("auto", 301, None, 100),
        ("auto", 5000, 25, 100),
        ("auto", 5000, 26, 104),
        ("auto", 350, 100, 350),
    ],
)
def test_depth(given: object, n_features: int, largest: int | None, depth: int) -> None:
    assert read_depth(given, n_features, largest) == depth


def test_whole_numbers_are_binned_where_there_are_more_than_ten() -> None:
    rng = np.random.default_rng(12)
    few, many = rng.integers(0, 10, 200) * 7, rng.integers(0, 60, 200)
    few[:10] = np.arange(10) * 7
    many[:60] = np.arange(60)
    y = (many + rng.normal(size=200) * 20 > 30).astype(int)
    X = pd.DataFrame({"few": few, "many": many, "gaps": pd.array(many, dtype="Int64")})
    X.loc[:4, "gaps"] = pd.NA
    with_gap = X["gaps"].to_numpy(dtype=float, na_value=np.nan)
    codes = [few, twins.equal_width_codes(many.astype(float), 10)]
    codes.append(twins.equal_width_codes(with_gap, 10))
    agrees(mrmr(X, y), np.column_stack(codes), y)


@pytest.mark.parametrize("n", [20, 72, 255, 256, 300])  # bytes hold up to 255 draws
@pytest.mark.parametrize("p", [5, 6, 7, 8, 64, 130])
def test_all_ways_of_counting_give_the_same_bits(n: int, p: int) -> None:
    rng = np.random.default_rng([n, p])
    levels = np.resize([2, 3, 11, 40, 1, 7, 5, 2], p)
    codes = np.column_stack([rng.integers(0, k, n) for k in levels] + [rng.integers(0, 3, n)])
    codes = codes.astype(np.uint32)
    weights = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.uint16)
    n_codes = codes.max(axis=0).astype(np.int64) + 1
    like, tables, draws = np.empty(0, np.uint8), masks.log_table(n), masks.place_draws(weights)
    encoded = masks.allocate(n, n_codes, like)
    few = rows.place_rows(weights, n_codes, p, like, tables)
    word = 0
    for j in range(p + 1):
        word = masks.encode(encoded, j, word, codes[:, j], n_codes[j], weights, draws, tables)
        rows.encode_rows(few, j, codes[:, j], n_codes[j], tables)
    assert (few.blocks.shape[0] > 0) == (n <= 255)
    for wanted in (p - 1, p // 5):  # blocks of features are counted where enough of them are wanted
        others = np.sort(rng.choice(np.delete(np.arange(p), 1), wanted, replace=False))
        for a in range(p + 1):
            one, other = np.zeros(p, np.int64), np.zeros(p, np.int64)
            masks.write_information(encoded, draws, a, others, tables, one, -1, one)
            rows.write_row_by_row(few, a, others, tables, other)
            np.testing.assert_array_equal(one, other)
            assert one[1] == 0


def test_a_block_counts_a_row_of_255_draws() -> None:
    weights = np.array([254, 1], dtype=np.uint16)
    codes = np.zeros((2, 65), dtype=np.uint32)
    codes[1, ::2] = 1
    n_codes, like, tables = np.full(65, 2), np.empty(0, np.uint8), masks.log_table(255)
    few = rows.place_rows(weights, n_codes, 64, like, tables)
    for j in range(65):
        rows.encode_rows(few, j, codes[:, j], 2, tables)
    found = np.zeros(64, np.int64)
    rows.write_row_by_row(few, 64, np.arange(64), tables, found)
    entropy = tables.value[255] - tables.value[254]
    np.testing.assert_array_equal(found, np.where(np.arange(64) % 2, 0, entropy))


def test_the_way_of_counting_follows_the_rows_and_the_levels() -> None:
    ten, two = np.full(9, 11, dtype=np.int64), np.full(9, 2, dtype=np.int64)
    assert rows.takes_few_rows(np.ones(72, np.uint16), ten)
    assert not rows.takes_few_rows(np.ones(5000, np.uint16), ten)
    assert not rows.takes_few_rows(np.ones(600, np.uint16), two)
    assert not rows.takes_few_rows(np.ones(600, np.uint16), np.array([600, 2]))  # too many cells
    assert not rows.takes_few_rows(np.full(60, 5000, np.uint16), ten)  # too many steps


@pytest.mark.parametrize("binning", ["praznik", "equal_width"])
def test_weights_equal_the_materialised_resample_exactly(binning: str) -> None:
    rng = np.random.default_rng(5)
    X, y = mixed_table(rng, 300)
    table, target = as_table(X), check_target(y, 300)
    scorer = prepare_mrmr(table, target, binning=binning)
    drawn = [rng.integers(0, 300, size) for size in (300, 5, 25, 290, 4000)]
    weights = np.stack([np.bincount(one, minlength=300) for one in drawn]).astype(np.uint16)
    weights[3, y == 1] = 0  # a resample without one of the classes
    scores, orders = scorer.select(weights, target.codes[np.newaxis])
    for r, weight in enumerate(weights):
        drawn_rows = np.repeat(np.arange(300), weight)
        # A bin stays a bin where fewer than ten values are left in the resample.
        drawn = table.with_values(table.values[drawn_rows])
        counted = counted_columns(drawn, scorer.columns.source < 0, scorer.bins + 1)
        again = replace(scorer, columns=counted)
        ones = np.ones((1, len(drawn_rows)), dtype=np.uint16)
        expected, order = again.select(ones, target.codes[np.newaxis, drawn_rows])
        np.testing.assert_array_equal(scores[r], expected[0])
        np.testing.assert_array_equal(orders[r], order[0])


def test_fewer_features_are_the_first_of_the_full_ranking() -> None:
    X, y = mixed_table(np.random.default_rng(7), 150)
    full, short = mrmr(X, y), mrmr(X, y, n_features=4)
    assert short.order.tolist() == full.order[:4].tolist()
    np.testing.assert_array_equal(short.scores[short.order], full.scores[full.order[:4]])
    rest = np.delete(np.arange(10), short.order)
    assert np.isfinite(short.scores[rest]).all()
    assert short.scores[rest].max() <= short.scores[short.order[-1]]
    assert short.to_frame().index.tolist() == [X.columns[j] for j in short.order]
    assert short.to_frame()["position"].tolist() == [1, 2, 3, 4]
    assert "4 of 10" in repr(short)


def test_extreme_magnitudes_stay_finite() -> None:
    rng = np.random.default_rng(8)
    y = rng.integers(0, 2, 60)
    base = rng.uniform(-1, 1, 60) + y
    X = np.column_stack([base, base / np.abs(base).max() * 1.6e308, base * 1e-305])
    expected = twins.mutual_information(twins.equal_width_codes(base, 10), y)
    scores = mrmr(X, y, binning="equal_width", n_features=1).scores
    assert scores[0] == pytest.approx(expected, abs=1e-12)
    assert np.isfinite(mrmr(X, y).scores).all()


def test_refusals_name_the_cause() -> None:
    X = pd.DataFrame({"whole": [1.0, 2.0, 3.0, 4.0], "gappy": [1.0, np.nan, 3.0, 4.0]})
    y = [0, 0, 1, 1]
    with pytest.raises(DataError, match="'gappy' has 1 missing"):
        mrmr(X, y, binning="praznik")
    for options, message in (
        ({"n_features": 3}, "n_features must be a whole number from 1 to 2, got 3"),
        ({"binning": "quantile"}, "binning must be one of 'equal_width', 'praznik'"),
        ({"binning": "praznik", "bins": 5}, "use binning='equal_width'"),
        ({"n_features": "many"}, "a whole number, 'all' or 'auto', got 'many'"),
    ):
        with pytest.raises(ParameterError, match=message):
            mrmr(X, y, **options)


@pytest.mark.parametrize("highest", [1, 2, 3, 900])
@pytest.mark.parametrize("n", [3, 400, 3000])
def test_every_draw_has_a_place(n: int, highest: int) -> None:
    weights = np.random.default_rng(n).integers(0, highest + 1, n).astype(np.uint16)
    draws = masks.place_draws(weights)
    times = np.repeat([1, 2], [draws.n_single, len(draws.rows) - draws.n_single])
    np.testing.assert_array_equal(np.bincount(draws.rows, times, minlength=n), weights)
    assert draws.n_single <= draws.first_double
    assert len(draws.rows) - draws.n_single <= draws.n_words * masks.WORD_BITS - draws.first_double
    assert draws.n_words <= masks.words_for(int(weights.sum()))
    if highest == 1:
        assert draws.n_single == weights.sum()
    drawn = np.random.default_rng(0).integers(0, 3888, 3888)
    bootstrap = np.bincount(drawn, minlength=3888).astype(np.uint16)
    assert masks.place_draws(bootstrap).n_words == 48  # shorter by a quarter
    assert masks.words_for(3888) == 64


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (3, 3)])
def test_mask_intersections_against_python_integers(shape: tuple[int, int]) -> None:
    meet = getattr(masks, "meet_{}x{}".format(*shape))

    @njit
    def count(words, first, second, n_words, n_single, out, stride):  # type: ignore[no-untyped-def]
        meet(words, first, second, n_words, n_single, out, 1, stride)

    rng = np.random.default_rng(0)
    given = rng.integers(0, 2**63, 6 * 16, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    words = given.reshape(6, 16).tolist()
    for n_single in (16, 8, 0):
        out, expected = np.full(40, -1), np.full(40, -1)
        count(given, 0, 48, 16, n_single, out, 5)
        for i in range(shape[0]):
            for j in range(shape[1]):
                both = [a & b for a, b in zip(words[i], words[3 + j], strict=True)]
                bits = [word.bit_count() for word in both]
                expected[1 + 5 * i + j] = sum(bits) + sum(bits[n_single:])
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32])
def test_equal_bits(dtype: type) -> None:
    equal = masks.equal_bits

    @njit
    def bits(codes, position, level):  # type: ignore[no-untyped-def]
        return equal(codes, position, level)

    codes = np.random.default_rng(1).integers(0, 4, 130).astype(dtype)
    expected = sum(1 << k for k in range(64) if codes[5 + k] == 3)
    assert int(bits(codes, 5, 3)) == expected


@pytest.mark.parametrize(("dense_a", "dense_b"), [(1, 1), (3, 2), (4, 5), (2, 5)])
def test_the_last_dense_row_and_column_follow_from_the_counts(dense_a: int, dense_b: int) -> None:
    table = np.random.default_rng(dense_a).integers(0, 9, (4, 5))
    counts = np.zeros((2, 5), dtype=np.int64)
    counts[0, :dense_a] = table.sum(axis=1)[:dense_a]
    counts[1, :dense_b] = table.sum(axis=0)[:dense_b]
    known = table.copy()
    known[dense_a - 1, :dense_b] = 0
    known[:dense_a, dense_b - 1] = 0
    cells = known.ravel()
    masks._complete(cells, 4, 5, dense_a, dense_b, counts, 0, 1)
    np.testing.assert_array_equal(cells.reshape(4, 5), table)
