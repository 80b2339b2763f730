"""Resampling plans: what is drawn, and what it depends on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from pyfsagg._base.validation import resolve_seed
from pyfsagg._table.table import Table, full_weights
from pyfsagg._table.target import Target
from pyfsagg.datasets import load_dataset
from pyfsagg.ensemble import wam
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.extending import as_table, check_target
from pyfsagg.resampling import (
    BalancedBootstrap,
    ComplementaryPairs,
    GroupedBootstrap,
    Rows,
    Subsample,
    ValueNoise,
    draw_resamples,
)
from pyfsagg.resampling.plan import PLANS, read_plan, with_data

N, P = 40, 6


@pytest.fixture
def data() -> tuple[Table, Target]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, P))
    y = np.repeat(["a", "b"], [25, 15])
    return as_table(X), check_target(y, N)


GROUPS = np.repeat(np.arange(10), 4)
OF_ROWS = "bootstrap stratified_bootstrap balanced_bootstrap subsample complementary_pairs k_fold"
of_rows = pytest.mark.parametrize("plan", OF_ROWS.split())


def draw(data, plan, m=6, sample_weight=None, counts=None, **options):
    groups = GROUPS if plan == "grouped_bootstrap" else None
    made = with_data(read_plan(plan), groups=groups, sample_weight=sample_weight, counts=counts)
    return draw_resamples(*data, made, n_resamples=m, **options)


def given_rows(indices: object, data: tuple[Table, Target]):
    return draw_resamples(*data, Rows(indices), n_resamples=1)


@pytest.mark.parametrize("plan", [name for name in PLANS.names() if name != "k_fold"])
def test_a_resample_depends_on_seed_and_number_only(data, plan: str) -> None:
    few, many = draw(data, plan, 2, seed=5), draw(data, plan, 6, seed=5)
    later = draw(data, plan, 4, seed=5, first=2)
    np.testing.assert_array_equal(few.weights, many.weights[:2])
    np.testing.assert_array_equal(later.weights, many.weights[2:])
    if many.labels.shape[0] > 1:
        np.testing.assert_array_equal(few.labels, many.labels[:2])
    if many.features is not None:
        np.testing.assert_array_equal(few.features, many.features[:2])
    other = draw(data, plan, 6, seed=6)
    assert (
        (other.weights != many.weights).any()
        or (other.labels != many.labels).any()
        or (many.features is not None and (other.features != many.features).any())
        or (other.table_of(0, data[0]).values != many.table_of(0, data[0]).values).any()
    )


@of_rows
def test_order_of_rows_has_no_influence(data, plan: str) -> None:
    table, target = data
    shuffle = np.random.default_rng(0).permutation(N)
    labels = np.asarray(target.classes)[target.codes[shuffle]]
    moved = as_table(table.values[shuffle]), check_target(labels, N)
    np.testing.assert_array_equal(draw(moved, plan).weights, draw(data, plan).weights[:, shuffle])


@pytest.mark.parametrize("plan", ["bootstrap", "rows", "poisson_bootstrap"])
def test_runs_on_different_columns_share_given_rows(plan: str) -> None:
    """A seed alone draws other rows from other columns, as docs/questions.md says."""
    data = load_dataset("wine")
    n = len(data.X)
    rows = Rows(np.random.default_rng(0).integers(n, size=(8, n)))

    def scores(X: pd.DataFrame) -> pd.DataFrame:
        how = rows if plan == "rows" else plan
        result = wam(X, data.y, filter="chi_squared", resampling=how, n_resamples=8, random_state=0)
        return pd.DataFrame(result.combined, columns=list(result.feature_names))

    whole = scores(data.X)
    fewer = scores(data.X.drop(columns="malic_acid"))
    renamed = scores(data.X.rename(columns={"ash": "zash"})).rename(columns={"zash": "ash"})
    more = scores(data.X.assign(constant=1.0))
    for other in (fewer, renamed, more):
        shared = [name for name in whole if name in other]
        assert len(shared) >= 12
        assert (whole[shared] == other[shared]).all(axis=None) == (plan != "bootstrap")


@pytest.mark.parametrize("weight", [1, 6000, 20_000, 65_535])
@pytest.mark.parametrize(
    "plan", ["bootstrap", "stratified_bootstrap", "grouped_bootstrap", "subsample", "k_fold"]
)
def test_totals_are_exact_or_the_weights_are_refused(data, plan: str, weight: int) -> None:
    weights = np.full(N, weight, dtype=np.uint16)
    resampled = plan.endswith("bootstrap")
    if resampled and weight == 65_535:
        said = r"resample \d draws row \d+ .* 65535 times; divide"
        with pytest.raises(ParameterError, match=said):
            draw(data, plan, seed=1, counts=weights)
        return
    found = draw(data, plan, seed=1, counts=weights).weights
    totals = found.sum(axis=1, dtype=np.int64)
    whole = N * weight
    expected = {
        "subsample": np.full(6, whole // 2),
        "k_fold": whole - np.array([len(part) for part in np.array_split(np.arange(whole), 6)]),
    }
    np.testing.assert_array_equal(totals, expected.get(plan, np.full(6, whole)))


@pytest.mark.parametrize("times", [65_534, 65_535, 65_536, 65_537, 200_000])
def test_a_row_may_be_drawn_65535_times(data, times: int) -> None:
    indices = np.zeros((2, times + 3), dtype=np.int64)
    indices[:, :3] = [1, 1, 2]
    indices[0, 3:] = np.arange(times) % N
    if times > 65_535:
        with pytest.raises(ParameterError, match=f"resample 1 draws row 0 .* {times} times, and"):
            given_rows(indices, data)
        return
    found = given_rows(indices, data).weights
    assert found[1].tolist()[:4] == [times, 2, 1, 0]
    assert found.sum(axis=1, dtype=np.int64).tolist() == [times + 3] * 2


@given(
    groups=hnp.arrays(np.int64, 12, elements=st.integers(0, 3)),
    weights=hnp.arrays(np.uint16, 12, elements=st.sampled_from([0, 1, 7, 21_845, 32_768, 65_535])),
    seed=st.integers(0, 100),
)
def test_weights_are_those_of_the_drawn_groups(groups, weights, seed) -> None:
    """Each row counts its own weight times the number of draws of its group, or there is an error."""
    assume(len(set(groups)) > 1 and len(set(groups[weights > 0])) > 1)
    table = as_table(np.random.default_rng(0).normal(size=(12, 2)))
    target = check_target(np.arange(12) % 2, 12)

    def drawn(sample_weight: np.ndarray) -> np.ndarray:
        plan = GroupedBootstrap(groups, sample_weight=sample_weight)
        return draw_resamples(table, target, plan, n_resamples=2, seed=seed).weights

    times = drawn((weights > 0).astype(np.uint16)).astype(np.int64)
    expected = times * weights
    if expected.max() > 65_535:
        with pytest.raises(ParameterError, match="at most 65535 times"):
            drawn(weights)
    else:
        np.testing.assert_array_equal(drawn(weights), expected)


@of_rows
def test_count_k_is_the_row_written_k_times(data, plan: str) -> None:
    table, target = data
    weight = np.random.default_rng(1).integers(0, 4, N).astype(np.uint16)
    rows = np.repeat(np.arange(N), weight)
    labels = np.asarray(target.classes)[target.codes]
    written = draw((as_table(table.values[rows]), check_target(labels[rows], rows.size)), plan)
    counted = draw(data, plan, counts=weight)
    for r in range(6):
        back = np.bincount(rows, weights=written.weights[r], minlength=N)
        np.testing.assert_array_equal(back, counted.weights[r])


@of_rows
def test_a_row_with_a_weight_is_drawn_as_one_row(data, plan: str) -> None:
    """A resample has each row so often as without weights, times its weight; weight 0 omits a row."""
    weight = np.random.default_rng(1).integers(1, 4, N).astype(np.uint16)
    plain = draw(data, plan).weights
    np.testing.assert_array_equal(draw(data, plan, sample_weight=np.full(N, 3)).weights, 3 * plain)
    drawn = draw(data, plan, sample_weight=weight).weights
    assert (drawn % weight == 0).all()
    assert ((drawn // weight).sum(axis=1) == plain.sum(axis=1)).all()
    table, target = data
    kept = np.flatnonzero(np.arange(N) % 5)
    labels = np.asarray(target.classes)[target.codes]
    fewer = as_table(table.values[kept]), check_target(labels[kept], kept.size)
    if plan != "grouped_bootstrap":
        omitted = draw(data, plan, sample_weight=np.where(np.arange(N) % 5, 2, 0)).weights
        np.testing.assert_array_equal(omitted[:, kept], 2 * draw(fewer, plan).weights)
        assert not np.delete(omitted, kept, axis=1).any()


def test_weights_and_counts_are_not_given_together() -> None:
    with pytest.raises(
        ParameterError, match="sample_weight and counts cannot both be given; give counts where"
    ):
        Subsample(sample_weight=np.ones(3), counts=np.ones(3))


def test_sizes_of_each_plan(data) -> None:
    _, target = data
    assert (draw(data, "bootstrap").weights.sum(axis=1) == N).all()
    stratified = draw(data, "stratified_bootstrap").weights
    assert (stratified[:, target.codes == 0].sum(axis=1) == 25).all()
    half = draw(data, "subsample").weights
    assert (half.sum(axis=1) == 20).all()
    assert half.max() == 1
    grouped = draw(data, "grouped_bootstrap").weights.reshape(6, 10, 4)
    assert (grouped == grouped[:, :, :1]).all()
    assert (grouped.sum(axis=(1, 2)) == N).all()
    folds = draw(data, "k_fold", 5).weights
    assert (folds.sum(axis=0) == 4).all()
    assert (folds[:, target.codes == 1].sum(axis=1) == 12).all()
    noisy = draw(data, "label_noise").labels
    assert ((noisy != target.codes).sum(axis=1) == 4).all()
    seen = draw(data, "feature_subspace").features
    assert (seen.sum(axis=1) == 3).all()
    # A balanced bootstrap draws every class alike.
    table, target = data
    for plan, size in ((BalancedBootstrap(), 15), (BalancedBootstrap(per_class=40), 40)):
        drawn = draw_resamples(table, target, plan, n_resamples=30).weights
        for c in range(2):
            assert (drawn[:, target.codes == c].sum(axis=1) == size).all()
        assert drawn.max() > 1
        assert drawn.any(axis=0).all()


@pytest.mark.parametrize(("sizes", "half"), [((20, 20), 20), ((25, 15), 19), ((30, 9, 1), 19)])
def test_pairs_are_disjoint_halves_of_each_class(sizes: tuple[int, ...], half: int) -> None:
    table = as_table(np.random.default_rng(7).normal(size=(N, P)))
    target = check_target(np.repeat(["a", "b", "c"][: len(sizes)], sizes), N)
    drawn = draw_resamples(table, target, "complementary_pairs", n_resamples=60).weights
    pairs = ComplementaryPairs.pairs(60)
    assert pairs[:2].tolist() == [[0, 1], [2, 3]]
    both = drawn[pairs]  # (pairs, halves, rows)
    assert both.sum(axis=1).max() == 1
    for c, size in enumerate(sizes):
        assert (both[:, :, target.codes == c].sum(axis=2) == size // 2).all()
    assert (both.sum(axis=2) == half).all()
    # Every row that has a partner is drawn, and as often on one side as on the other.
    partnered = np.array(sizes)[target.codes] > 1
    assert both.any(axis=(0, 1)).tolist() == partnered.tolist()
    assert abs(both[:, 0, partnered].mean() - both[:, 1, partnered].mean()) == 0.0
    together = (both[:, 0, 0] * both[:, 0, 1]).mean()
    assert 0.05 < together < 0.45


@pytest.mark.parametrize("y", [np.arange(9.0), None])
def test_pairs_without_classes(y: object) -> None:
    table = as_table(np.random.default_rng(7).normal(size=(9, P)))
    target = check_target(y, 9, task="regression", optional=True)
    drawn = draw_resamples(table, target, "complementary_pairs", n_resamples=40).weights
    both = drawn[ComplementaryPairs.pairs(40)]
    assert (both.sum(axis=2) == 4).all()
    assert (both.sum(axis=1) <= 1).all()
    assert (both.sum(axis=1) == 0).any(axis=0).all()  # each row is omitted at times


def test_pairs_keep_groups_together(data) -> None:
    table, target = data
    drawn = draw_resamples(table, target, ComplementaryPairs(GROUPS), n_resamples=40).weights
    each = drawn.reshape(40, 10, 4)
    assert (each == each[:, :, :1]).all()
    groups = each[ComplementaryPairs.pairs(40), :, 0]
    assert groups.sum(axis=1).max() == 1
    # Groups 0 to 5 are of class a, 6 to 9 of class b: (group 6 has one row of a).
    assert (groups[:, :, :6].sum(axis=2) == 3).all()
    assert (groups[:, :, 6:].sum(axis=2) == 2).all()


def test_noise_leaves_nominal_columns_alone() -> None:
    frame = pd.DataFrame({"x": np.arange(8.0), "word": [*"ababab", None, "b"]})
    table, target = as_table(frame), check_target([0, 1] * 4, 8)
    noisy = draw_resamples(table, target, ValueNoise(scale=0.5), n_resamples=2).table_of(1, table)
    assert (noisy.values[:, 0] != table.values[:, 0]).all()
    np.testing.assert_array_equal(noisy.values[:, 1], table.values[:, 1])


def three_rows() -> tuple[Table, Target]:
    return as_table([[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]]), check_target(["a", "b", "a"], 3)


@pytest.mark.parametrize("kind", [int, float])
def test_given_rows(kind: type) -> None:
    drawn = given_rows(np.array([[0, 0, 2, 1], [2, 2, 2, 2]], dtype=kind), three_rows())
    assert drawn.weights.tolist() == [[2, 1, 1], [0, 0, 4]]
    assert drawn.seed is None


def test_given_rows_that_make_no_sense() -> None:
    for rows, message in (
        ([0, 1, 2], r"shape \(n_resamples, n_draws\)"),
        ([[]], "shape"),
        ([[0.5, 1.0]], "whole numbers"),
        ([[0, -1]], "between 0 and 2"),
        ([[1, 2, 3]], "R counts from 1"),
        ([[0, 7]], "got 0 to 7"),
    ):
        with pytest.raises(ParameterError, match=message):
            given_rows(rows, three_rows())


def test_bad_plans(data) -> None:
    for options, error, message in (
        ({"plan": "boostrap"}, UnknownNameError, "did you mean 'bootstrap'"),
        ({"n_resamples": 0}, ParameterError, "n_resamples must be a whole number of at least 1"),
        ({"n_resamples": -3}, ParameterError, "got -3"),
        ({"n_resamples": 2.5}, ParameterError, "got 2.5"),
        ({"plan": "k_fold", "n_resamples": 1}, ParameterError, "at least 2"),
        ({"plan": "k_fold", "n_resamples": 16}, DataError, "class has 15; use at most 15 folds"),
        ({"plan": "complementary_pairs"}, ParameterError, "must be a multiple of 2, got 5; use 6"),
        (
            {"plan": ComplementaryPairs(np.repeat([1, 2, 3], [25, 8, 7])), "n_resamples": 2},
            DataError,
            "fewer than two classes: at least two classes need two groups or more",
        ),
        ({"plan": ComplementaryPairs([1, 2]), "n_resamples": 2}, DataError, "one label per sample"),
        ({"plan": "grouped_bootstrap"}, ParameterError, "give the group of each row"),
        ({"plan": GroupedBootstrap([1, 2])}, DataError, "one label per sample"),
        ({"plan": GroupedBootstrap(["g"] * N)}, DataError, "one group only"),
    ):
        with pytest.raises(error, match=message):
            draw_resamples(*data, **{"n_resamples": 5, **options})


def test_bad_parameters_of_a_plan() -> None:
    for plan, given_, message in (
        ("subsample", {"fraction": 0}, "above 0"),
        ("subsample", {"fraction": 1.5}, "got 1.5"),
        ("subsample", {"size": 3}, "no parameter 'size'; it takes: .*fraction"),
        ("bootstrap", {"fraction": 0.5}, "resampling='bootstrap' has no parameter 'fraction'"),
        ("balanced_bootstrap", {"per_class": 0}, "at least 1"),
        (Subsample(0.8), {"fraction": 0.5}, "has its parameters already"),
    ):
        with pytest.raises(ParameterError, match=message):
            read_plan(plan, given_)


def test_tables_that_a_plan_cannot_use() -> None:
    halves = "two rows or more, one for each half"
    for plan, n, y, error, message in (
        ("complementary_pairs", 5, [0, 1, 1, 1, 1], DataError, halves),
        ("complementary_pairs", 3, None, DataError, "would contain 1 row"),
        ("balanced_bootstrap", 5, None, ParameterError, "the target has no classes"),
    ):
        table = as_table(np.random.default_rng(7).normal(size=(n, P)))
        with pytest.raises(error, match=message):
            draw_resamples(table, check_target(y, n, optional=True), plan, n_resamples=2)
    # Folds of survival divide the events, however few rows are censored.
    table = as_table(np.random.default_rng(7).normal(size=(12, P)))
    times = np.column_stack([np.arange(1.0, 13.0), np.arange(12) < 9])
    data = table, check_target(times, 12, task="survival")
    assert len(draw_resamples(*data, "k_fold", n_resamples=9)) == 9
    with pytest.raises(DataError, match="at least 10 events, and there are 9"):
        draw_resamples(*data, "k_fold", n_resamples=10)
    with pytest.raises(ParameterError, match="use resampling='grouped_bootstrap'"):
        with_data(read_plan("bootstrap"), groups=GROUPS)


def test_seeds_and_weights() -> None:
    assert resolve_seed(3) == 3
    assert resolve_seed(None) != resolve_seed(None)
    assert resolve_seed(np.random.default_rng(0)) == resolve_seed(np.random.default_rng(0))
    assert resolve_seed(np.random.RandomState(0)) == resolve_seed(np.random.RandomState(0))
    for bad in ("7", True, 1.5):
        with pytest.raises(InputTypeError, match="random_state"):
            resolve_seed(bad)
    with pytest.raises(ParameterError, match="at least 0"):
        resolve_seed(-1)
    assert full_weights(2, [65_535, 0]).tolist() == [[65_535, 0]]
    said = "counts a row 65536 times, and a row counts at most 65535"
    with pytest.raises(ParameterError, match=said):
        full_weights(2, [65_536, 0])
