"""Huge, tiny, denormal and mixed numbers against rational arithmetic, and logarithms of 60 digits.

Where a number is not exact, the bound is a few units in the last place for each operation on the way (UNIT,
2^-53, is the relative error of one), plus the smallest number above 0 where a result is below the normal
range.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg._kernels.order_statistics import log_stuart
from pyfsagg._kernels.rho import log_rho
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import FILTERS, as_table, check_target
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.statistics import adjust_p_values, friedman, one_way_anova

UNIT, SMALLEST = Fraction(2) ** -53, Fraction(5e-324)
SIZES = [5e-324, 1.5e-323, 1e-308, 2.3e-308, 1e-160, 0.1, 1.0, 1 + 2.0**-52, 3.0, 1e160, 1e308]
SIZES += [1.7e308, 1.7976931348623157e308]
WEIGHTS = (None, [1, 2, 1, 0, 3], [0.1, 0.7, 1e-100, 1e100, 2.5], [1e-100] * 5)


def drawn(seed: int, shape: tuple[int, int] = (5, 12), *, signs: bool = True) -> np.ndarray:
    """Numbers of all sizes with ties."""
    rng = np.random.default_rng(seed)
    return rng.choice(SIZES, shape) * (rng.choice([-1.0, 1.0], shape) if signs else 1.0)


def fractions(values) -> list[Fraction]:
    return [Fraction(float(value)) for value in values]


def numbers(scores, method, weights=None, **options) -> list[float]:
    """The aggregated scores; those beyond the range are infinite."""
    table = Rankings.from_scores(scores)
    table = table if weights is None else table.weighted(weights)
    return [float(value) for value in pyfsagg.aggregate(table, method, **options).scores]


def aggregated(*arguments, **options) -> list[Fraction]:
    return fractions(numbers(*arguments, **options))


def with_weights(scores, weights):
    """The columns as rationals, and the weights."""
    w = fractions([1] * len(scores) if weights is None else weights)
    return [fractions(column) for column in scores.T], w


def decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def log(value: Fraction) -> Decimal:
    return decimal(value).ln()


@pytest.fixture(autouse=True)
def sixty_digits():
    with localcontext() as context:
        context.prec = 60
        yield


@pytest.mark.parametrize("seed", range(4))
def test_ranks_count_what_is_larger(seed):
    scores = drawn(seed)
    for row, found in zip(scores, rank_scores(scores), strict=True):
        v = fractions(row)
        expected = [sum(b > a for b in v) + Fraction(sum(b == a for b in v) + 1, 2) for a in v]
        assert fractions(found) == expected


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(4))
def test_means_and_medians_of_scores(seed, weights):
    scores = drawn(seed)
    columns, w = with_weights(scores, weights)
    means = aggregated(scores, "arithmetic_mean", weights)
    for column, found in zip(columns, means, strict=True):
        mean = sum(a * b for a, b in zip(column, w, strict=True)) / sum(w)
        size = sum(abs(a) * b for a, b in zip(column, w, strict=True)) / sum(w)
        assert abs(found - mean) <= 12 * UNIT * size + 5 * SMALLEST
    for column, found in zip(columns, aggregated(scores, "median", weights), strict=True):
        pairs, half = sorted(zip(column, w, strict=True)), sum(w) / 2
        reached = [sum(b for _, b in pairs[: i + 1]) for i in range(len(pairs))]
        near = half * Fraction(2, 10**12)  # sums of weights count as equal to their half within it
        steps = [(a, r) for (a, _), r in zip(pairs, reached, strict=True)]
        low = next(a for a, r in steps if r >= half - near)
        high = next(a for a, r in steps if r > half + near)
        assert abs(found - (low + high) / 2) <= UNIT * abs(low + high) / 2 + SMALLEST


def test_means_do_not_depend_on_the_order_in_which_sums_overflow():
    huge = 1.7e308 * np.array([[1, -1], [1, -1], [-1, 1], [-1, 0]])
    huge[3, 1] = 3.0
    for order in ([0, 1, 2, 3], [3, 0, 2, 1], [2, 3, 1, 0]):
        # In floating point the second column's small part is lost beside the others.
        assert aggregated(huge[order], "arithmetic_mean") == fractions([0.0, -1.7e308 / 4])
        assert aggregated(huge[order], "comb_sum", normalize="none") == fractions([0.0, -1.7e308])
    assert aggregated(huge[:2], "median") == fractions([1.7e308, -1.7e308])


@pytest.mark.parametrize("weights", WEIGHTS[:3])
@pytest.mark.parametrize("seed", range(3))
def test_geometric_means_and_norms_have_the_digits_of_a_logarithm(seed, weights):
    scores = drawn(seed, signs=False)
    columns, w = with_weights(scores, weights)
    for column, found in zip(columns, aggregated(scores, "geometric_mean", weights), strict=True):
        logs = [log(a) for a in column]
        mean = sum(a * decimal(b) for a, b in zip(logs, w, strict=True)) / decimal(sum(w))
        # Errors of logarithms up to 745 become relative errors.
        assert float(found) == pytest.approx(float(mean.exp()), rel=1e-12, abs=5e-324)
    for column, found in zip(columns, numbers(scores, "l2_norm", weights), strict=True):
        square = sum(a * a * b for a, b in zip(column, w, strict=True))
        expected = float(decimal(square).sqrt())  # infinite if it is beyond the largest number
        assert found == pytest.approx(expected, rel=4e-15, abs=1e-323)


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_normalized_scores(seed):
    scores = drawn(seed)
    rows = [fractions(row) for row in scores]
    spreads = [max(row) - min(row) for row in rows]
    z = [[(a - min(row)) / s for a in row] for row, s in zip(rows, spreads, strict=True)]
    for item, found in enumerate(aggregated(scores, "comb_sum")):
        expected = sum(row[item] for row in z)
        assert abs(found - expected) <= 10 * UNIT * expected + 5 * SMALLEST


@pytest.mark.parametrize("scale", [-1000, 0, 1020])
def test_components_do_not_depend_on_the_unit(scale):
    scores = np.random.default_rng(0).normal(size=(4, 9)).round(1) + np.arange(9)
    other = aggregated(np.ldexp(scores, scale), "fpcps", n_features_to_select=None)
    assert aggregated(scores, "fpcps", n_features_to_select=None) == other


@pytest.mark.parametrize("weight", [1e-101, 1e101, 5e-324, 1.7e308])
def test_weights_have_sums_and_products_and_scores_are_finite(weight):
    with pytest.raises(ParameterError, match="from 1e-100 to 1e100"):
        Rankings.from_scores(np.eye(3)).weighted([1.0, 0.0, weight])
    for wrong in (np.inf, -np.inf):
        with pytest.raises(DataError, match="infinite"):
            Rankings.from_scores(np.array([[1.0, wrong], [1.0, 2.0]]))


@pytest.mark.parametrize(
    "places",
    [
        [2.3e-308, 0.5, 1.0],
        [2.3e-308, 2.3e-308, 2.3e-308, 1.0],
        [1 - 2.0**-53, 1 - 2.0**-53, 1 - 2.0**-52],
        [2.0**-1022, 2.0**-537, 2.0**-100, 0.25, 0.75],
        [1e-5] * 12,
    ],
)
def test_order_statistics_of_tiny_places(places):
    """Down to the normal range: no list is so long that a place in it is below."""
    n = len(places)
    exact = sorted(map(Fraction, places))
    tails = [
        sum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(k, n + 1))
        for k, x in enumerate(exact, start=1)
    ]
    row, count = np.sort(np.array([places])), np.array([n])
    assert log_rho(row, count)[0] == pytest.approx(float(log(min(tails))), rel=1e-13, abs=1e-15)
    state, before = {0: Fraction(1)}, Fraction(0)
    for k, level in enumerate(exact, start=1):
        step, before = level - before, level
        moved: dict[int, Fraction] = {}
        for a, value in state.items():
            for b in range(max(a, k), n + 1):
                part = value * step ** (b - a) / math.factorial(b - a)
                moved[b] = moved.get(b, Fraction(0)) + part
        state = moved
    exact_q = state[n] * math.factorial(n)
    assert log_stuart(row, count)[0] == pytest.approx(float(log(exact_q)), rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("method", ["mc1", "mc4"])
def test_chains_solve_their_linear_equations(method):
    ranks = np.array([[1.0, 2, 3, 4, 5], [2, 1, 4, 3, 5], [5, 1, 2.5, 2.5, 4]])
    m, p = ranks.shape
    chain = [[Fraction(0)] * p for _ in range(p)]
    for a in range(p):
        above = [[ranks[i, b] <= ranks[i, a] for b in range(p)] for i in range(m)]
        for b in range(p):
            if method == "mc1":
                chain[a][b] = Fraction(sum(row[b] for row in above), sum(map(sum, above)))
            elif b != a and 2 * sum(ranks[i, b] < ranks[i, a] for i in range(m)) > m:
                chain[a][b] = Fraction(1, p)
        chain[a][a] += 1 - sum(chain[a])
    jump = Fraction(1, 20)
    moved = [[jump / p + (1 - jump) * cell for cell in row] for row in chain]
    # pi (T - 1) = 0 with the last equation replaced by the sum of pi.
    system = [[moved[a][b] - (a == b) for a in range(p)] + [Fraction(0)] for b in range(p - 1)]
    expected = solved([*system, [Fraction(1)] * (p + 1)])
    found = pyfsagg.aggregate(Rankings.from_ranks(ranks), method).scores
    assert np.abs(np.array(list(map(float, expected))) - found).max() <= 1e-12


def solved(rows: list[list[Fraction]]) -> list[Fraction]:
    rows, p = [list(row) for row in rows], len(rows)
    for i in range(p):
        pivot = next(r for r in range(i, p) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [cell / rows[i][i] for cell in rows[i]]
        for r in range(p):
            if r != i:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def filtered(name, X, y, task) -> list[float]:
    spec, target = FILTERS.get(name), check_target(y, len(X), task=task)
    scorer = spec.prepare(as_table(X, min_features=1), target)
    return scorer(np.ones((1, len(X)), dtype=np.uint16), target.codes[np.newaxis])[spec.output][
        0
    ].tolist()


def table_of_sizes(seed: int) -> np.ndarray:
    """Columns of one size each, and one with numbers of every size."""
    rng = np.random.default_rng(seed)
    sized = np.ldexp(rng.normal(size=(24, 6)).round(2), [1020, -1000, -1060, 0, 500, -500])
    return np.column_stack([sized, rng.choice(SIZES, 24)])


@pytest.mark.parametrize("seed", range(3))
def test_correlations_and_analyses_of_variance(seed):
    X = table_of_sizes(seed)
    y = np.arange(24) % 3
    far = np.ldexp(np.random.default_rng(9).normal(size=24).round(2), 1000)
    found_r = filtered("pearson", X, far, "regression")
    found_f, target = filtered("anova_f", X, y, "classification"), fractions(far)
    for column, r, f in zip(X.T, found_r, found_f, strict=True):
        x = fractions(column)
        mean_x, mean_y = sum(x) / 24, sum(target) / 24
        products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, target, strict=True))
        squares = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in target)
        expected = float(decimal(products**2 / squares).sqrt())
        assert r == pytest.approx(expected, abs=1e-14)
        groups = [[a for a, c in zip(x, y, strict=True) if c == g] for g in range(3)]
        within = sum((a - sum(g) / len(g)) ** 2 for g in groups for a in g)
        between = sum(len(g) * (sum(g) / len(g) - mean_x) ** 2 for g in groups)
        assert f == pytest.approx(float(between / 2 / (within / 21)), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_information_of_levels(seed):
    X = drawn(seed, (40, 3))
    y = np.arange(40) % 2

    def entropy(labels) -> Decimal:
        counts = [labels.count(level) for level in set(labels)]
        shares = [Fraction(count, len(labels)) for count in counts]
        return -sum((decimal(s) * log(s) for s in shares), Decimal(0))

    # Sums of c log c up to n log n, divided by n; an entropy has up to 26 terms.
    bound = float(3 * 26 * UNIT) * math.log(40)
    found = pyfsagg.filters.information_gain(X, y, nominal=[0, 1, 2])
    gains = pyfsagg.filters.gain_ratio(X, y, nominal=[0, 1, 2])
    for j in range(3):
        levels, classes = X[:, j].tolist(), y.tolist()
        pair = list(zip(levels, classes, strict=True))
        gain = entropy(levels) + entropy(classes) - entropy(pair)
        assert found[j] == pytest.approx(float(gain), abs=bound)
        assert gains[j] == pytest.approx(float(gain / entropy(levels)), abs=bound)


@pytest.mark.parametrize("seed", range(3))
def test_agreement_of_scores_of_every_size(seed):
    scores = drawn(seed, (2, 9))
    one, two = (fractions(row) for row in scores)
    pairs = list(combinations(range(9), 2))
    signs = [(sign(one[i] - one[j]), sign(two[i] - two[j])) for i, j in pairs]
    free = [sum(bool(pair[side]) for pair in signs) for side in (0, 1)]
    tau = sum(a * b for a, b in signs) / math.sqrt(free[0] * free[1])
    assert measured(scores, "kendall") == pytest.approx(tau, abs=4e-16)
    centred = [[a - sum(row) / 9 for a in row] for row in (one, two)]
    product = sum(a * b for a, b in zip(*centred, strict=True))
    squares = sum(a * a for a in centred[0]) * sum(b * b for b in centred[1])
    pearson = sign(product) * float(decimal(product**2 / squares).sqrt())
    assert measured(scores, "pearson") == pytest.approx(pearson, abs=4e-15)


def sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def measured(scores, measure) -> float:
    return float(pyfsagg.stability(scores, measure, interval=None).table["value"].iloc[0])


@pytest.mark.parametrize("seed", range(3))
def test_agreement_of_sets(seed):
    m, p, k = 7, 12, 4
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(p, k, replace=False).tolist()) for _ in range(m)]
    scores = np.array([[5e-324 if j in s else -1.7e308 for j in range(p)] for s in sets])
    pairs = list(combinations(sets, 2))
    jaccard = sum(Fraction(len(a & b), len(a | b)) for a, b in pairs) / len(pairs)
    shares = [Fraction(sum(j in s for s in sets), m) for j in range(p)]
    variance = sum(Fraction(m, m - 1) * f * (1 - f) for f in shares) / p
    nogueira = 1 - variance / (Fraction(k, p) * (1 - Fraction(k, p)))
    for measure, expected in (("jaccard", jaccard), ("nogueira", nogueira)):
        found = pyfsagg.stability(scores, measure, interval=None, n_features_to_select=k)
        assert float(found.table["value"].iloc[0]) == pytest.approx(float(expected), abs=1e-15)


def test_adjusted_p_values():
    p = [5e-324, 1e-308, 2.3e-308, 1e-160, 1e-160, 0.1, 1 - 2.0**-53, 1.0]
    exact, n = list(map(Fraction, p)), len(p)
    bh = [min(exact[j] * n / (j + 1) for j in range(i, n)) for i in range(n)]
    holm = [min(Fraction(1), max(exact[j] * (n - j) for j in range(i + 1))) for i in range(n)]
    for method, expected in (("bh", bh), ("holm", holm)):
        for found, value in zip(fractions(adjust_p_values(p, method)), expected, strict=True):
            assert abs(found - value) <= 3 * UNIT * value + 2 * SMALLEST


@pytest.mark.parametrize("seed", range(3))
def test_tests_of_scores_of_every_size(seed):
    table = drawn(seed, (8, 4))
    ranks = [
        [sum(b < a for b in row) + Fraction(sum(b == a for b in row) + 1, 2) for a in row]
        for row in table
    ]
    sums = [sum(row[j] for row in ranks) for j in range(4)]
    squares = sum(r * r for row in ranks for r in row)
    statistic = 3 * sum((s - 20) ** 2 for s in sums) / (squares - 8 * 25)
    assert friedman(table).statistic == pytest.approx(float(statistic), rel=1e-14)
    groups = [fractions(column) for column in table.T]
    grand = sum(map(sum, groups)) / 32
    between = sum(8 * (sum(g) / 8 - grand) ** 2 for g in groups)
    within = sum((a - sum(g) / 8) ** 2 for g in groups for a in g)
    assert one_way_anova(table).f == pytest.approx(float(between / 3 / (within / 28)), rel=1e-12)


def test_mean_scores_of_a_ranking_stay_numbers():
    """The variance of such a column is beyond the range, and counts as the largest number."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    X["a"] *= 1e200
    options = {"filter": "variance", "n_resamples": 4, "random_state": 0, "checks": "none"}
    frame = pyfsagg.wam(X, np.arange(20) % 2, **options).to_frame()
    assert frame.loc["a", ["score", "mean_variance"]].tolist() == [np.finfo(float).max] * 2
