"""Live comparison with RobustRankAggreg through rpy2."""

import numpy as np
import pytest
from loading import python
from r_packages import need

from pyfsagg.exceptions import MissingDependencyError, ParameterError
from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings
from pyfsagg_rpy2 import aggregate_ranks, rank_matrix
from pyfsagg_rpy2.session import RError, package

pytestmark = pytest.mark.r

need("RobustRankAggreg")

METHODS = {
    "RRA": ("robust_rank_aggregation", {"ties": "average"}),  # as R reads them
    "mean": ("mean_p_value", {}),
    "median": ("median_rank", {"normalized": True}),
    "min": ("minimum_rank", {"normalized": True}),
    "geom.mean": ("geometric_mean_rank", {"normalized": True}),
    "stuart": ("stuart", {}),
}


def ours(table, method, **options):
    name, fixed = METHODS[method]
    values = AGGREGATORS.get(name).compute(table, **fixed, **options)
    return values.p_values if method == "RRA" else values.statistic


def random_lists(seed, m=7, universe=40, longest=25):
    rng = np.random.default_rng(seed)
    names = np.array([f"g{j}" for j in range(universe)])
    return [rng.permutation(names)[: rng.integers(3, longest)].tolist() for _ in range(m)]


def compare(table, method, theirs, rtol=1e-9, atol=0.0, **options):
    values = dict(zip(table.items, ours(table, method, **options), strict=True))
    assert set(values) == set(theirs.index)
    expected = theirs.to_numpy()
    np.testing.assert_allclose(
        [values[name] for name in theirs.index], expected, rtol=rtol, atol=atol
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("universe", [None, 60, [41, 60, 100, 45, 200, 41, 77]])
def test_cut_off_lists(method, universe):
    lists = random_lists(1)
    table = Rankings.from_lists(lists, universe=universe)
    if isinstance(universe, list):
        # A table of its own for R: aggregateRanks takes one N only, rankMatrix takes many.
        matrix = rank_matrix(lists, universe=universe)
        theirs = aggregate_ranks(normalized_ranks=matrix.to_numpy().T, method=method)
        theirs.index = [matrix.index[int(name[1:])] for name in theirs.index]
    else:
        theirs = aggregate_ranks(lists, universe=universe, method=method)
    values = dict(zip(table.items, ours(table, method), strict=True))
    rtol = 1e-6 if method == "stuart" else 1e-9
    np.testing.assert_allclose(
        [values[name] for name in theirs.index], theirs.to_numpy(), rtol=rtol
    )


@pytest.mark.parametrize("method", METHODS)
def test_complete_lists_of_their_own(method):
    lists = random_lists(2)
    theirs = aggregate_ranks(lists, full=True, method=method)
    rtol = 1e-6 if method == "stuart" else 1e-9
    compare(Rankings.from_lists(lists, absent="unknown"), method, theirs, rtol=rtol)


@pytest.mark.parametrize("full", [False, True])
def test_rank_matrix(full):
    lists = random_lists(3)
    table = Rankings.from_lists(lists, absent="unknown" if full else "worst")
    theirs = rank_matrix(lists, full=full)
    assert set(theirs.index) == set(table.items)
    mine = table.to_frame("normalized").loc[theirs.index]
    np.testing.assert_allclose(mine, theirs, rtol=1e-15)


@pytest.mark.parametrize("m", [2, 5, 9])
def test_exact_p(m):
    ranks = np.random.default_rng(m).integers(1, 51, (m, 60)) / 50
    table = Rankings.from_normalized_ranks(ranks)
    theirs = aggregate_ranks(normalized_ranks=ranks, exact=True)
    # R subtracts a probability from 1; its alternating recursion leaves 1e-12 of it at 9 lists.
    compare(table, "RRA", theirs, rtol=1e-9, atol=1e-12 if m > 2 else 1e-14, exact=True)


@pytest.mark.parametrize(
    "cutoffs", [[0.4] * 5, [0.3, 0.5, 0.7, 0.9, 0.5], [0.1, 0.2, 0.2, 0.2, 0.6]]
)
@pytest.mark.parametrize("exact", [False, True])
def test_top_cutoffs(cutoffs, exact):
    ranks = np.random.default_rng(4).integers(1, 101, (5, 80)) / 100
    ranks = np.where(ranks > np.array(cutoffs)[:, None], 1.0, ranks)
    table = Rankings.from_normalized_ranks(ranks)
    theirs = aggregate_ranks(normalized_ranks=ranks, top_cutoff=cutoffs, exact=exact)
    compare(table, "RRA", theirs, atol=1e-12 if exact else 0.0, top_cutoff=cutoffs, exact=exact)


def test_stuart_of_r_breaks_down_where_ours_does_not():
    ranks = np.random.default_rng(5).integers(1, 101, (200, 30)) / 100
    theirs = aggregate_ranks(normalized_ranks=ranks, method="stuart").to_numpy()
    assert (np.isnan(theirs) | (theirs < 0) | (theirs > 1)).any()
    mine = ours(Rankings.from_normalized_ranks(ranks), "stuart")
    assert ((mine > 0) & (mine <= 1)).all()


def test_errors_keep_their_message():
    with pytest.raises(RError, match="must be smaller than elements of sigma"):
        aggregate_ranks(normalized_ranks=[[0.1, 0.9], [0.5, 0.4]], top_cutoff=[0.5, 0.5])
    with pytest.raises(RError, match="method should be one of"):
        aggregate_ranks([["a", "b"]], method="RRB")
    with pytest.raises(ParameterError, match="not both"):
        aggregate_ranks()
    with pytest.raises(MissingDependencyError, match="'noSuchPackage' is not installed"):
        package("noSuchPackage")


def test_the_bridge_leaves_the_environment_of_child_processes_alone() -> None:
    code = (
        "import os; before = os.environ.get('LD_LIBRARY_PATH'); "
        "from pyfsagg_rpy2.session import environment; environment(); "
        "assert os.environ.get('LD_LIBRARY_PATH') == before"
    )
    python("-c", code)
