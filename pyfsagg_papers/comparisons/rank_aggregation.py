"""Rank aggregation: RobustRankAggreg, and adjusted p-values by base R."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.extending import AGGREGATORS
from pyfsagg.ranks import Rankings, rank_scores
from pyfsagg.statistics import adjust_p_values
from pyfsagg_papers.comparisons.base import Case, Departure, Tolerance, compare
from pyfsagg_papers.comparisons.material import Material
from pyfsagg_rpy2 import correlation
from pyfsagg_rpy2.rank_aggregation import Method, aggregate_ranks, rank_matrix

Lists = list[list[str]]

P_VALUE = Tolerance(
    1e-9, "relative", "tails of the Beta and normal distributions, to the accuracy of R's own"
)
MEAN = Tolerance(1e-12, "relative", "a mean, median or minimum of the same numbers")
SUBTRACTED = Tolerance(
    1e-9,
    "relative",
    "R subtracts a probability near 1 from 1, which leaves 1e-12 in absolute terms",
    floor=1e-3,
)
STUART = Tolerance(
    1e-6,
    "relative",
    "R's recursion alternates in sign and has lost up to ten digits with 20 lists",
)
RECURSION = (
    "R computes Stuart's Q by a recursion of alternating sign, which loses its digits with some tens "
    "of lists and gives negative values, values above 1 and NaN with hundreds; pyfsagg adds positive "
    "terms only"
)


# ---------------------------------------------------------------------------------------------
# data
# ---------------------------------------------------------------------------------------------
def _name_lists(material: Material) -> Iterator[tuple[str, Lists, int]]:
    """Lists cut off at different lengths, with the number of items there are."""
    for table in material.tables:
        yield f"best of {table.name}", table.lists(7), table.X.shape[1]
    rng = material.generator("lists")
    for m, items, longest in ((3, 12, 8), (7, 40, 25), (12, 200, 30)):
        names = np.array([f"g{j}" for j in range(items)])
        lists = [rng.permutation(names)[: rng.integers(3, longest)].tolist() for _ in range(m)]
        yield f"{m} lists of {items} items", lists, items


def _rank_arrays(
    material: Material, sizes: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Normalized ranks (m, p): random ones, with a tendency that puts some p-values in the tail."""
    rng = material.generator("ranks")
    for m, p in sizes:
        scores = rng.normal(size=(m, p)) + np.linspace(0, 1, p)
        yield f"{m} lists of {p} items", rank_scores(scores) / p


def _of(method: Method, table: Rankings, **options: Any) -> pd.Series[float]:
    """Our value of what RobustRankAggreg calls `method`, by name of item.

    Tied ranks are read as R reads them: as they are.
    """
    readings: dict[str, tuple[str, dict[str, Any]]] = {
        "RRA": ("robust_rank_aggregation", {"ties": "average"}),
        "mean": ("mean_p_value", {}),
        "median": ("median_rank", {"normalized": True}),
        "min": ("minimum_rank", {"normalized": True}),
        "geom.mean": ("geometric_mean_rank", {"normalized": True}),
        "stuart": ("stuart", {}),
    }
    name, fixed = readings[method]
    values = AGGREGATORS.get(name).compute(table, **fixed, **options)
    found = values.p_values if method == "RRA" else values.statistic
    return pd.Series(found, index=list(table.items))


def _list_cases(material: Material, method: Method) -> Iterator[Case]:
    """Cut-off lists without and with a universe, and complete lists of their own."""
    for label, lists, items in _name_lists(material):
        for universe in (None, items, 2 * items):
            ours = _of(method, Rankings.from_lists(lists, universe=universe))
            theirs = aggregate_ranks(lists, universe=universe, method=method)
            yield Case(f"{label}, N = {universe or 'as listed'}", ours[theirs.index], theirs)
        ours = _of(method, Rankings.from_lists(lists, absent="unknown"))
        theirs = aggregate_ranks(lists, full=True, method=method)
        yield Case(f"{label}, full = TRUE", ours[theirs.index], theirs)


def _matrix_cases(
    material: Material,
    method: Method,
    sizes: Sequence[tuple[int, int]],
    **options: Any,
) -> Iterator[Case]:
    for label, ranks in _rank_arrays(material, sizes):
        ours = _of(method, Rankings.from_normalized_ranks(ranks), **options)
        theirs = aggregate_ranks(normalized_ranks=ranks, method=method, **options)
        yield Case(label, ours[theirs.index], theirs)


FEW = ((2, 30), (5, 60), (10, 80), (20, 100))
SOME_TENS = ((40, 60), (50, 60), (60, 60))
HUNDREDS = ((100, 50), (200, 50), (400, 50))


# ---------------------------------------------------------------------------------------------
# comparisons
# ---------------------------------------------------------------------------------------------
@compare(
    name="rank_matrix",
    package="RobustRankAggreg",
    summary="normalized ranks of lists of names",
    ours="Rankings.from_lists(lists, universe=N, absent=absent)",
    theirs="rankMatrix(glist, N, full)",
    tolerance=Tolerance(1e-15, "absolute", "a position divided by the number of items"),
)
def _rank_matrix(material: Material) -> Iterator[Case]:
    for label, lists, items in _name_lists(material):
        sizes = [items + 10 * i for i in range(len(lists))]
        for universe, full in ((None, False), (items, False), (sizes, False), (None, True)):
            theirs = rank_matrix(lists, universe=universe, full=full)
            table = Rankings.from_lists(
                lists, universe=universe, absent="unknown" if full else "worst"
            )
            ours = table.to_frame("normalized").loc[theirs.index]
            yield Case(f"{label}, N = {universe or 'as listed'}, full = {full}", ours, theirs)


@compare(
    name="rra",
    package="RobustRankAggreg",
    summary="robust rank aggregation (RRA), p",
    ours="aggregate(lists, 'rra', ties='average').p_values",
    theirs="aggregateRanks(glist, N, method = 'RRA')",
    tolerance=P_VALUE,
)
def _rra(material: Material) -> Iterator[Case]:
    yield from _list_cases(material, "RRA")
    yield from _matrix_cases(material, "RRA", (*FEW, *SOME_TENS, *HUNDREDS))


@compare(
    name="rra_exact",
    package="RobustRankAggreg",
    summary="RRA, exact p, at most 10 lists",
    ours="aggregate(table, 'rra', exact=True, ties='average').p_values",
    theirs="aggregateRanks(rmat, method = 'RRA', exact = TRUE)",
    tolerance=SUBTRACTED,
)
def _rra_exact(material: Material) -> Iterator[Case]:
    yield from _matrix_cases(material, "RRA", FEW[:3], exact=True)


@compare(
    name="rra_exact_many",
    package="RobustRankAggreg",
    summary="RRA, exact p, 40 to 60 lists",
    ours="aggregate(table, 'rra', exact=True, ties='average').p_values",
    theirs="aggregateRanks(rmat, method = 'RRA', exact = TRUE)",
    tolerance=SUBTRACTED,
    departs=Departure(f"R takes the exact p-value as 1 minus Stuart's Q. {RECURSION}"),
)
def _rra_exact_many(material: Material) -> Iterator[Case]:
    yield from _matrix_cases(material, "RRA", SOME_TENS, exact=True)


@compare(
    name="rra_top_cutoff",
    package="RobustRankAggreg",
    summary="RRA of top lists with cutoffs, p",
    ours="aggregate(table, 'rra', top_cutoff=cutoffs, ties='average').p_values",
    theirs="aggregateRanks(rmat, topCutoff = cutoffs)",
    tolerance=SUBTRACTED,
)
def _rra_top_cutoff(material: Material) -> Iterator[Case]:
    rng = material.generator("cutoffs")
    for cutoffs in ([0.4] * 5, [0.3, 0.5, 0.7, 0.9, 0.5], [0.1, 0.2, 0.2, 0.2, 0.6]):
        ranks = rng.integers(1, 101, (5, 80)) / 100
        ranks = np.where(ranks > np.array(cutoffs)[:, None], 1.0, ranks)
        table = Rankings.from_normalized_ranks(ranks)
        for exact in (False, True):
            ours = _of("RRA", table, top_cutoff=cutoffs, exact=exact)
            theirs = aggregate_ranks(normalized_ranks=ranks, top_cutoff=cutoffs, exact=exact)
            yield Case(f"cutoffs {cutoffs}, exact = {exact}", ours[theirs.index], theirs)


@compare(
    name="stuart_few",
    package="RobustRankAggreg",
    summary="Stuart's Q, at most 20 lists",
    ours="aggregate(lists, 'stuart').statistic",
    theirs="aggregateRanks(glist, N, method = 'stuart')",
    tolerance=STUART,
)
def _stuart_few(material: Material) -> Iterator[Case]:
    yield from _list_cases(material, "stuart")
    yield from _matrix_cases(material, "stuart", FEW)


@compare(
    name="stuart_some_tens",
    package="RobustRankAggreg",
    summary="Stuart's Q, 40 to 60 lists",
    ours="aggregate(table, 'stuart').statistic",
    theirs="aggregateRanks(rmat, method = 'stuart')",
    tolerance=STUART,
    departs=Departure(RECURSION),
)
def _stuart_some_tens(material: Material) -> Iterator[Case]:
    yield from _matrix_cases(material, "stuart", SOME_TENS)


@compare(
    name="stuart_hundreds",
    package="RobustRankAggreg",
    summary="Stuart's Q, 100 to 400 lists",
    ours="aggregate(table, 'stuart').statistic",
    theirs="aggregateRanks(rmat, method = 'stuart')",
    tolerance=STUART,
    departs=Departure(RECURSION),
)
def _stuart_hundreds(material: Material) -> Iterator[Case]:
    yield from _matrix_cases(material, "stuart", HUNDREDS)


@compare(
    name="mean_p_value",
    package="RobustRankAggreg",
    summary="p-value of the mean normalized rank",
    ours="aggregate(lists, 'mean_p_value').statistic",
    theirs="aggregateRanks(glist, N, method = 'mean')",
    tolerance=P_VALUE,
)
def _mean(material: Material) -> Iterator[Case]:
    yield from _list_cases(material, "mean")
    yield from _matrix_cases(material, "mean", (*FEW, *HUNDREDS))


def _register_means(method: Method, name: str, words: str) -> None:
    @compare(
        name=name,
        package="RobustRankAggreg",
        summary=f"{words} of the normalized ranks",
        ours=f"aggregate(lists, '{name}', normalized=True).statistic",
        theirs=f"aggregateRanks(glist, N, method = '{method}')",
        tolerance=MEAN,
    )
    def _cases(material: Material) -> Iterator[Case]:
        yield from _list_cases(material, method)
        yield from _matrix_cases(material, method, (*FEW, *HUNDREDS))


_register_means("median", "median_rank", "median")
_register_means("geom.mean", "geometric_mean_rank", "geometric mean")
_register_means("min", "minimum_rank", "minimum")


@compare(
    name="adjusted_p_values",
    package="stats",
    summary="adjusted p-values: Bonferroni, Holm, BH",
    ours="statistics.adjust_p_values(p, method)",
    theirs="p.adjust(p, method)",
    tolerance=MEAN,
)
def _adjusted(material: Material) -> Iterator[Case]:
    for label, ranks in _rank_arrays(material, FEW):
        p = np.asarray(_of("RRA", Rankings.from_normalized_ranks(ranks)))
        for ours, theirs in (("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "BH")):
            expected = correlation.adjust(p, method=theirs)  # type: ignore[arg-type]
            yield Case(f"{label}, {ours}", adjust_p_values(p, ours), expected)
