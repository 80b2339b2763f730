"""Stability: stabm, and base R where it has the correlation or distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyfsagg_rpy2.stability as stabm
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures.measure import measure_stability
from pyfsagg_papers.comparisons.base import Case, Tolerance, compare
from pyfsagg_papers.comparisons.material import Material
from pyfsagg_rpy2 import correlation

AVERAGE = Tolerance(1e-10, "absolute", "averages over pairs of numbers of order one")
SMALL = 6  # features in the cases that enumerate all subsets


def _selections(material: Material) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Selections (m, p): the best quarter by resample, and random ones of different sizes."""
    for table in material.tables:
        yield f"best quarter of {table.name}", table.selections
    rng = material.generator("selections")
    for m, p in ((4, 12), (10, 30)):
        likely = rng.beta(0.6, 1.2, p)
        support = rng.random((m, p)) < likely
        support[np.arange(m), rng.integers(0, p, m)] = True  # no empty selection
        yield f"{m} random selections of {p}", support


def _positions(support: NDArray[np.bool_]) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in support]


def _similarity(p: int) -> NDArray[np.float64]:
    """Similarities that fall with the distance of positions: neighbours count as alike."""
    position = np.arange(p)
    return np.asarray(np.exp(-np.abs(position[:, None] - position) / 3.0))


def _value(support: NDArray[np.bool_], measure: str, **options: Any) -> float:
    return measure_stability(
        _positions(support), measure, n_features=support.shape[1], **options
    ).value


def _register_sets(measure: str) -> None:
    @compare(
        name=f"stabm_{measure}",
        package="stabm",
        summary=f"stability of selections, {measure.capitalize()}",
        ours=f"stability(sets, '{measure}', n_features=p)",
        theirs=f"{stabm.MEASURES[measure]}(features, p)",
        tolerance=AVERAGE,
    )
    def _cases(material: Material) -> Iterator[Case]:
        for label, support in _selections(material):
            theirs = stabm.stability(_positions(support), measure, n_features=support.shape[1])
            yield Case(label, _value(support, measure), theirs)


def _register_adjusted(measure: str) -> None:
    words = measure.replace("_", " ").replace("mbm", "MBM")

    @compare(
        name=f"stabm_{measure}",
        package="stabm",
        summary=f"stability with similar features, {words}",
        ours=f"stability(sets, '{measure}', n_features=p, similarity=S, measure_params={{'threshold': 0.6}})",
        theirs=f"{stabm.ADJUSTED_MEASURES[measure]}(features, S, threshold = 0.6)",
        tolerance=AVERAGE,
    )
    def _cases(material: Material) -> Iterator[Case]:
        # The measure of Sechidis has no correction, that of the others is an option.
        corrected = {} if measure == "sechidis" else {"chance_correction": "none"}
        for label, support in _selections(material):
            p = support.shape[1]
            options: dict[str, Any] = {"similarity": _similarity(p), "threshold": 0.6, **corrected}
            theirs = stabm.stability(_positions(support), measure, n_features=p, **options)
            yield Case(label, _value(support, measure, **options), theirs)


for _name in stabm.MEASURES:
    _register_sets(_name)
for _name in stabm.ADJUSTED_MEASURES:
    _register_adjusted(_name)


@compare(
    name="stabm_exact_correction",
    package="stabm",
    summary="correction for chance over all subsets",
    ours="stability(sets, measure, n_features=p, measure_params={'correction': 'exact'})",
    theirs="stability…(features, p, correction.for.chance = 'exact')",
    tolerance=AVERAGE,
)
def _exact(material: Material) -> Iterator[Case]:
    rng = material.generator("exact")
    support = np.zeros((4, SMALL), dtype=bool)
    for row, size in zip(support, (2, 3, 2, 3), strict=True):
        row[rng.permutation(SMALL)[:size]] = True
    similar: dict[str, Any] = {"similarity": _similarity(SMALL), "threshold": 0.6}
    for measure in ("dice", "hamming", "jaccard", "ochiai", "intersection_count", "yu", "zucknick"):
        options = {
            "chance_correction": "exact",
            **(similar if measure in stabm.ADJUSTED_MEASURES else {}),
        }
        theirs = stabm.stability(_positions(support), measure, n_features=SMALL, **options)
        yield Case(measure, _value(support, measure, **options), theirs)


# ---------------------------------------------------------------------------------------------
# base R
# ---------------------------------------------------------------------------------------------
def _mean_of_pairs(matrix: NDArray[np.float64]) -> float:
    return float(matrix[np.triu_indices(len(matrix), 1)].mean())


def _register_correlations(measure: Any) -> None:
    @compare(
        name=f"stability_{measure}",
        package="stats",
        summary=f"stability of scores, {measure.capitalize()}",
        ours=f"stability(scores, '{measure}')",
        theirs=f"mean of cor(t(scores), method = '{measure}') over pairs",
        tolerance=AVERAGE,
    )
    def _cases(material: Material) -> Iterator[Case]:
        for table in material.tables:
            theirs = correlation.correlations(table.gains, method=measure)
            ours = measure_stability(table.gains, measure, input="scores").value
            yield Case(table.name, ours, _mean_of_pairs(theirs))


for _name in ("pearson", "spearman", "kendall"):
    _register_correlations(_name)


@compare(
    name="stability_canberra",
    package="stats",
    summary="stability of rankings, Canberra over p",
    ours="stability(scores, 'canberra')",
    theirs="mean of dist(ascending ranks, method = 'canberra') / p over pairs",
    tolerance=AVERAGE,
)
def _canberra(material: Material) -> Iterator[Case]:
    for table in material.tables:
        ascending = rank_scores(table.gains, higher_is_better=False)
        theirs = correlation.distances(ascending, method="canberra") / ascending.shape[1]
        ours = measure_stability(table.gains, "canberra", input="scores").value
        yield Case(table.name, ours, _mean_of_pairs(theirs))


@compare(
    name="stability_jaccard",
    package="stats",
    summary="stability of selections, Jaccard",
    ours="stability(sets, 'jaccard', n_features=p)",
    theirs="mean of 1 - dist(selections, method = 'binary') over pairs",
    tolerance=AVERAGE,
)
def _jaccard(material: Material) -> Iterator[Case]:
    for label, support in _selections(material):
        theirs = 1.0 - correlation.distances(support.astype(float), method="binary")
        yield Case(label, _value(support, "jaccard"), _mean_of_pairs(theirs))


@compare(
    name="ranks_with_ties",
    package="stats",
    summary="ranks with ties: mean, best, worst, ordinal",
    ours="ranks.rank_scores(scores, ties)",
    theirs="rank(-scores, ties.method)",
    tolerance=Tolerance(0.0, "absolute", "ranks are whole or half numbers"),
)
def _ranks(material: Material) -> Iterator[Case]:
    tied = material.generator("ties").integers(0, 6, 40).astype(float)
    vectors = {"rounded numbers": tied}
    vectors |= {table.name: np.round(table.gains[0], 2) for table in material.tables}
    rules = {"average": "average", "min": "min", "max": "max", "ordinal": "first"}
    for label, values in vectors.items():
        for ours, theirs in rules.items():
            expected = correlation.rank(-values, ties=theirs)  # type: ignore[arg-type]
            yield Case(f"{label}, {ours}", rank_scores(values, ours), expected)  # type: ignore[arg-type]
