"""The five stability measures of the thesis in one pass over a score matrix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.remarks import warn
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.selection import n_selected
from pyfsagg._base.types import Floats
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures._base import Estimate, PairwiseAverage, require_defined
from pyfsagg.stability_measures._input import Selection, check_several, read_matrix
from pyfsagg.stability_measures._ties import check_ties, draw_selections, select
from pyfsagg.stability_measures.pairwise import bind_asd, bind_canberra, bind_correlation

__all__ = ["measures_of", "thesis_measures"]


def thesis_measures(
    scores: ArrayLike,
    *,
    top: float | int = 0.25,
    canberra_direction: str = "ascending",
    ties: str = "random",
    random_state: int | Generator | None = None,
) -> dict[str, float]:
    """The five stability measures of the thesis for one score matrix.

    Parameters
    ----------
    scores : array or frame of shape (m, p)
        Scores of m resamples, larger = more important.
    top : float or int, default 0.25
        Size of the subsets that Jaccard compares: a fraction of p (rounded up) or a count.
    canberra_direction : {"ascending", "descending"}
        Whether rank 1 is the least (as in the published tables) or the most important feature.
    ties : {"random", "first"}
        Equal scores that compete for the last places of a subset, as in :func:`pyfsagg.stability`;
        the published tables take the first columns.
    random_state : int, Generator or None
        Seed of the order of ties.

    Returns
    -------
    dict
        ``pearson``, ``spearman``, ``jaccard`` (larger = stabler), ``canberra`` and ``asd``
        (smaller = stabler).  Pairs with a constant score row are left out of the correlations;
        such a row is left out of ``asd``.

    Warns
    -----
    PyfsaggWarning
        If pairs or rows were left out, with their number.

    Raises
    ------
    DataError
        If the matrix has one row or one column, missing cells, or fewer than two rows that vary.

    Notes
    -----
    Equations 3.2 to 3.6 of the thesis.  Cost O(m p log p), plus O(p d^2) for Canberra with d the
    number of distinct ranks that a feature takes.

    Examples
    --------
    >>> from pyfsagg.stability_measures import thesis_measures
    >>> found = thesis_measures([[4.0, 3.0, 2.0, 1.0], [4.0, 2.0, 3.0, 1.0], [4.0, 3.0, 1.0, 2.0]])
    >>> {name: round(value, 4) for name, value in found.items()}
    {'pearson': 0.6667, 'spearman': 0.6667, 'canberra': 0.175, 'jaccard': 1.0, 'asd': 0.4173}
    """
    return measures_of(
        scores, top=top, direction=canberra_direction, ties=ties, random_state=random_state
    )


def measures_of(
    scores: ArrayLike,
    *,
    top: float | int = 0.25,
    direction: str = "ascending",
    ties: str = "random",
    random_state: int | Generator | None = None,
    n_orders: int | None = None,
) -> dict[str, float]:
    """The same; `n_orders` of ties are drawn, where it is not left to the number of pairs."""
    check_ties(ties)
    matrix = read_matrix(scores, kind="scores", name="scores")
    values = matrix.values
    check_several(values.shape[1])
    size = n_selected(top, values.shape[1], "top")
    ranks = rank_scores(values, higher_is_better=False)
    estimates = {
        "pearson": bind_correlation(values).estimate(),
        "spearman": bind_correlation(ranks).estimate(),
        "canberra": bind_canberra(ranks, direction=direction).estimate(),
        "jaccard": _mean_jaccard(select(matrix, size, ties), size, random_state, n_orders),
        "asd": bind_asd(values).estimate(),
    }
    undefined = estimates["pearson"].n_undefined
    if 0 < undefined < len(values) * (len(values) - 1) // 2:
        constant = estimates["asd"].n_undefined
        warn(
            f"{constant} of {len(values)} resamples have the same score for all features: "
            f"{undefined} pairs are left out of pearson and spearman, these resamples out of asd",
            stacklevel=3,
        )
    return {
        name: require_defined(found, name, "pairs or rows").value
        for name, found in estimates.items()
    }


def _mean_jaccard(
    selection: Selection,
    size: int,
    random_state: int | Generator | None,
    n_orders: int | None = None,
) -> Estimate:
    """Mean Jaccard index of subsets of one size, over drawn orders of ties."""
    if not selection.n_tied:
        return _jaccard_of(selection.support, size)
    drawn = draw_selections(selection, resolve_seed(random_state), n_orders)
    found = [_jaccard_of(support, size) for support in drawn]
    return replace(found[0], value=float(np.mean([each.value for each in found])))


def _jaccard_of(support: NDArray[np.bool_], size: int) -> Estimate:
    """Mean Jaccard index of subsets of one size: a function of the intersection alone."""
    m = len(support)
    member = support.astype(np.float32)

    def block(left: slice, right: slice) -> Floats:
        shared = (member[left] @ member[right].T).astype(np.float64)
        cells: Floats = shared / (2.0 * size - shared)
        return cells

    return PairwiseAverage(m, block).estimate()
