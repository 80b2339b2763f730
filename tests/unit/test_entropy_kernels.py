"""The numba kernels against slow NumPy twins that count the rows of the materialised resample."""

import math

import numpy as np
import pytest

from pyfsagg._kernels import class_tables, entropy_bins
from pyfsagg._kernels import entropy_scores as kernels
from pyfsagg._kernels.class_tables import CHI_SQUARED
from pyfsagg.discretization import SortedColumns
from pyfsagg.extending import as_table
from pyfsagg.filters._base import KernelScorer, counted_columns, table_scorer

CASES = range(20)


def entropy(counts):
    """Entropy in nats of any table of counts."""
    counts = np.asarray(counts, float).ravel()
    counts = counts[counts > 0]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum()) if len(counts) else 0.0


def twin_mdl_levels(x, y, n_classes, parity):
    """Level of each row by the MDL criterion as it is written: every candidate, plain counts."""
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    first_of_level = []

    def count(start, stop):
        return np.bincount(y[start:stop], minlength=n_classes)

    def divide(start, stop):
        n, whole = stop - start, count(start, stop)
        if (whole > 0).sum() < 2:
            return
        best, best_value = None, math.inf
        for i in range(start + 1, stop):
            if x[i] == x[i - 1]:
                continue
            value = (i - start) * entropy(count(start, i)) + (stop - i) * entropy(count(i, stop))
            if value < best_value - 1e-10:
                best, best_value = i, value
        if best is None:
            return
        left = count(start, best - 1 if parity else best)
        right = count(best, stop)
        terms = [(c > 0).sum() * entropy(c) for c in (whole, left, right)]
        cost = math.log(3.0 ** (whole > 0).sum() - 2) - (terms[0] - terms[1] - terms[2])
        if n * entropy(whole) - best_value >= math.log(n - 1) + cost:
            first_of_level.append(best)
            divide(start, best)
            divide(best + parity, stop)

    divide(0, len(x))
    levels = np.zeros(len(x), int)
    levels[order] = np.searchsorted(np.sort(first_of_level), np.arange(len(x)), side="right")
    return levels


def twin_scores(levels, y):
    h_x, h_y = (entropy(np.unique(codes, return_counts=True)[1]) for codes in (levels, y))
    pairs = np.unique(np.stack([levels, y]), axis=1, return_counts=True)[1]
    gain = h_x + h_y - entropy(pairs)
    if h_x == 0 or h_y == 0:
        return [0.0, 0.0, 0.0]
    return [gain, gain / h_x, 2 * gain / (h_x + h_y)]


def twin_numeric(x, y, cut):
    """Scores with missing values as a level of their own once the column is split."""
    known = ~np.isnan(x)
    levels = np.full(len(x), -1)
    levels[known] = cut(x[known], y[known])
    if levels.max(initial=-1) < 1:
        return [0.0, 0.0, 0.0]
    levels[~known] = levels.max() + 1
    return twin_scores(levels, y)


def twin_bins(x, kind, bins):
    if kind == class_tables.EQUAL_WIDTH:
        low, high = x.min(), x.max()
        cuts = [low + (high - low) * k / bins for k in range(1, bins)] if high > low else []
        return np.array([sum(value > cut for cut in cuts) for value in x], int)
    share = [int((x < value).sum()) * bins // len(x) for value in x]
    return np.unique(share, return_inverse=True)[1]


def draw(case, n=None):
    """A small table with signal, ties, missing values, and resamples that lose rows and classes."""
    rng = np.random.default_rng(case)
    small, n_classes = int(rng.integers(4, 60)), int(rng.integers(2, 6))
    n = small if n is None else n
    y = rng.integers(0, n_classes, n).astype(np.int32)
    x = rng.normal(size=(n, 4)) + y[:, np.newaxis] * rng.choice([0, 1, 3, 8], 4)
    x[:, 2:] = np.round(x[:, 2:])
    x[rng.random((n, 4)) < [0, 0.2, 0.2, 0]] = np.nan
    weights = rng.integers(0, 4, (3, n)).astype(np.uint16)
    labels = np.stack([y, rng.permutation(y), y]).astype(np.int32)
    return np.asfortranarray(x), weights, labels, n_classes


def scored(kernel, p, *columns, resamples):
    """What a kernel writes, (n_resamples, p, 3)."""
    weights, labels, n_classes = resamples
    scores = np.empty((3, len(weights), p))
    kernel(*columns, n_classes, int(weights.sum(axis=1).max()) + 1, labels, weights, scores)
    return np.moveaxis(scores, 0, 2)


def by_mdl(x, weights, labels, n_classes, parity):
    columns, places = SortedColumns.of(x, np.arange(x.shape[1])), np.arange(x.shape[1])
    order = (columns.order, columns.n_known, columns.tied, columns.row_bits, places, parity)
    return scored(kernels.score_mdl, len(places), *order, resamples=(weights, labels, n_classes))


def binned(x, weights, labels, n_classes, kind, bins):
    columns, places = SortedColumns.of(x, np.arange(x.shape[1])), np.arange(x.shape[1])
    order = (columns.order, columns.n_known, columns.row_bits, columns.rising(x), places)
    how, resamples = (class_tables.ENTROPY, kind, bins), (weights, labels, n_classes)
    return scored(kernels.score_binned, len(places), *how, *order, resamples=resamples)


def materialised(x, weights, labels):
    rows = np.repeat(np.arange(len(weights)), weights)
    return x[rows], labels[rows]


@pytest.mark.parametrize("parity", [False, True], ids=["textbook", "fselectorrcpp"])
@pytest.mark.parametrize("case", CASES)
def test_score_mdl_equals_twin(case, parity):
    x, weights, labels, n_classes = draw(case)
    found = by_mdl(x, weights, labels, n_classes, parity)

    def cut(v, c):
        return twin_mdl_levels(v, c, n_classes, parity)

    for r, j in np.ndindex(3, 4):
        rows, classes = materialised(x[:, j], weights[r], labels[r])
        if len(classes):
            expected = twin_numeric(rows, classes, cut)
            np.testing.assert_allclose(found[r, j], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("parity", [False, True], ids=["textbook", "fselectorrcpp"])
@pytest.mark.parametrize("n", [2, 3, 5, 12, 72, 300])
def test_columns_that_are_left_unsearched_are_those_that_mdl_does_not_cut(n, parity):
    """Of many columns those without missing values are asked first; of few none is."""
    rng = np.random.default_rng(n)
    y = (np.arange(n) % 3 == 0).astype(np.int32)
    x = rng.normal(size=(n, 2 * kernels.MANY))
    x[:, : kernels.MANY] += np.linspace(0, 4, kernels.MANY) * y[:, None]
    x[:, ::2] = np.rint(2 * x[:, ::2])
    x[0, 7] = np.nan
    weights = rng.multinomial(n, np.full(n, 1.0 / n), size=9).astype(np.uint16)
    weights[0] = 1
    labels = np.stack([y, *(rng.permutation(y) for _ in range(8))])
    found = by_mdl(x, weights, labels, 2, parity)
    few = [by_mdl(part, weights, labels, 2, parity) for part in np.split(x, 4, axis=1)]
    np.testing.assert_array_equal(found, np.concatenate(few, axis=1))
    assert n < 72 or 0.02 < (found[..., 0] > 0).mean() < 0.5


@pytest.mark.parametrize("bins", [2, 3, 10])
@pytest.mark.parametrize("kind", [class_tables.EQUAL_WIDTH, class_tables.EQUAL_FREQUENCY])
@pytest.mark.parametrize(
    ("case", "n"),  # and columns longer than the step of the grid in which cuts are looked up
    [*((case, None) for case in CASES[:12]), *((0, n) for n in (64, 65, 128, 129, 500))],
)
def test_score_binned_equals_twin(case, n, kind, bins):
    x, weights, labels, n_classes = draw(case, n)
    found = binned(x, weights, labels, n_classes, kind, bins)
    for r, j in np.ndindex(3, 4):
        rows, classes = materialised(x[:, j], weights[r], labels[r])
        if np.isnan(rows).all():
            expected = [0.0, 0.0, 0.0]
        else:
            expected = twin_numeric(rows, classes, lambda v, _: twin_bins(v, kind, bins))
        np.testing.assert_allclose(found[r, j], expected, rtol=0, atol=1e-12)


def test_binned_counts_do_not_depend_on_how_they_are_gathered():
    """So many classes that their counts do not fit into one word take the plain table of counts."""
    rng = np.random.default_rng(5)
    x = np.asfortranarray(rng.normal(size=(200, 3)))
    labels = rng.integers(0, 3, (1, 200)).astype(np.int32)
    weights = rng.integers(0, 3, (4, 200)).astype(np.uint16)
    few, many = (binned(x, weights, labels, n, class_tables.EQUAL_WIDTH, 5) for n in (3, 30))
    np.testing.assert_array_equal(few, many)


def uneven_resamples(n):
    """More resamples than one pass takes, some empty, some of one row, with totals of unlike size."""
    rng = np.random.default_rng(n)
    weights = rng.integers(0, 4, (21, n)).astype(np.uint16)
    weights[3], weights[4], weights[5], weights[9:12] = 0, np.arange(n) == 2, 60_000, 900
    x = np.asfortranarray(rng.normal(size=(n, 5)))
    x[:, 1], x[:, 2] = np.round(x[:, 1]), 7.0
    x[rng.random((n, 5)) < [0.3, 0.1, 0.2, 0.0, 0.0]] = np.nan
    x[:, 3] = np.nan
    return x, weights, rng.integers(0, 3, (21, n)).astype(np.int32)


@pytest.mark.parametrize("kind", [class_tables.EQUAL_WIDTH, class_tables.EQUAL_FREQUENCY])
def test_a_resample_scores_the_same_alone_and_beside_others(kind):
    x, weights, labels = uneven_resamples(40)
    weights[5] = 60  # as much as the tables of x·log x hold in a test
    together = binned(x, weights, labels, 3, kind, 6)
    for r in range(len(weights)):
        alone = binned(x, weights[[r]], labels[[r]], 3, kind, 6)
        np.testing.assert_array_equal(together[r], alone[0])
    assert len(np.unique(together[:, 4, 0])) > 15


@pytest.mark.parametrize("n_classes", [3, 12])  # 12 do not fit into one word beside such totals
def test_chi_squared_of_sorted_columns_equals_that_of_codes(n_classes):
    x, weights, labels = uneven_resamples(40)
    codes = np.round(x[:, [4]])
    table = as_table(np.hstack([x, codes]), nominal=[1, 5], allow_constant=True)
    numbers = np.array([True, False, True, True, True, False])
    how = (CHI_SQUARED, ("chi_squared", "cramers_v"), n_classes, numbers, 6)
    sorted_once = table_scorer(table, *how)
    assert sorted_once.kernel is not class_tables.class_tables
    arguments = (CHI_SQUARED, counted_columns(table, numbers, 7), 6, n_classes)
    plain = KernelScorer(class_tables.class_tables, arguments, how[1], table.n_features)
    few, many = sorted_once(weights, labels), plain(weights, labels)
    for name in how[1]:
        np.testing.assert_array_equal(few[name], many[name])
    assert (few["chi_squared"] > 0).mean() > 0.5


@pytest.mark.parametrize("case", CASES[:12])
def test_score_nominal_equals_twin(case):
    x, weights, labels, n_classes = draw(case)
    codes = np.nan_to_num(np.round(x.T), nan=0.0)
    codes = np.stack([np.unique(row, return_inverse=True)[1] for row in codes]).astype(np.int32)
    n_levels = codes.max(axis=1).astype(np.int64) + 1
    resamples = (weights, labels, n_classes)
    found = scored(kernels.score_nominal, 4, codes, n_levels, np.arange(4), resamples=resamples)
    for r, j in np.ndindex(3, 4):
        expected = twin_scores(*materialised(codes[j], weights[r], labels[r]))
        np.testing.assert_allclose(found[r, j], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("total", [0, 1, 2, 3888, 10**6])
def test_table_holds_x_log_x(total):
    shift = entropy_bins.xlogx_shift(total)
    table = np.full(min(total, 5000) + 1, -1, np.int64)
    entropy_bins.fill_xlogx(table, 0, len(table), shift)
    x = np.arange(len(table), dtype=float)
    exact = np.zeros(len(table))
    np.multiply(x, np.log(np.maximum(x, 1)), out=exact)
    found = np.ldexp(table.astype(float), -shift)
    np.testing.assert_allclose(found, exact, rtol=1e-15, atol=2.0**-shift)
    top = total * math.log(total) if total > 1 else 0.0
    assert math.ldexp(top, shift) < 2**entropy_bins.TABLE_BITS


@pytest.mark.parametrize("classes", [[0, 1, 0, 1, 1], [0, 0, 0, 0, 0], [1, 0, 0, 1, 0]])
@pytest.mark.parametrize("sizes", [[2, 1, 4, 1, 3], [0, 1, 4, 1, 3], [0, 0, 5, 0, 2]])
def test_the_sweep_of_two_classes_finds_the_cut_of_the_general_sweep(classes, sizes):
    # The first entry of a right part may be cut, and may be empty: no cut has nothing on its left.
    classes, sizes = np.array(classes, np.int32), np.array(sizes, np.int32)
    table = np.zeros(21, np.int64)
    entropy_bins.fill_xlogx(table, 0, len(table), entropy_bins.xlogx_shift(20))
    counts = np.bincount(classes, sizes, minlength=2).astype(np.int64)
    for marked in range(32):
        cut = np.array([marked >> i & 1 for i in range(5)], np.uint8)
        room, gathered = (np.zeros(2, np.int64), counts.copy()), table[counts].sum()
        general = entropy_bins._sweep(classes, sizes, cut, table, *room, gathered)
        assert entropy_bins._sweep_two(classes, sizes, cut, table, counts.copy()) == general
        assert general[0] < 0 or sizes[: general[0]].sum() > 0


def test_code_lengths_do_not_overflow():
    codes = entropy_bins.log_codes(2000)
    assert codes[1] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(codes[2:30], [math.log(3**k - 2) for k in range(2, 30)], rtol=1e-14)
    assert codes[2000] == pytest.approx(2000 * math.log(3.0))
