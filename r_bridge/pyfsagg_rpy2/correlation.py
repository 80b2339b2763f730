"""Base R: ranks, correlations, distances, adjusted p-values, the chi-squared statistic."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg_rpy2.conversion import from_r, to_matrix, to_vector
from pyfsagg_rpy2.session import call, package


def rank(
    values: ArrayLike, *, ties: Literal["average", "min", "max", "first"] = "average"
) -> NDArray[np.float64]:
    """Ascending ranks (n,) by ``rank``.

    Examples
    --------
    >>> rank([0.3, 0.1, 0.3])
    array([2.5, 1. , 2.5])
    """
    return _floats(call(package("base").rank, to_vector(values), ties_method=ties))


def correlations(
    values: ArrayLike, *, method: Literal["pearson", "spearman", "kendall"] = "pearson"
) -> NDArray[np.float64]:
    """Correlations (m, m) of the rows of `values` (m, p) by ``cor``; Kendall's is tau-b.

    Examples
    --------
    >>> correlations([[1, 2, 3], [3, 2, 1]], method="spearman").round(12)[0]
    array([ 1., -1.])
    """
    columns = to_matrix(np.asarray(values, dtype=np.float64).T)
    return _floats(call(package("stats").cor, columns, method=method))


def distances(
    values: ArrayLike, *, method: Literal["canberra", "binary", "manhattan", "euclidean"]
) -> NDArray[np.float64]:
    """Distances (m, m) of the rows of `values` (m, p) by ``dist``.

    Examples
    --------
    >>> distances([[1, 2], [2, 4]], method="manhattan")[0]
    array([0., 3.])
    """
    rows = to_matrix(np.asarray(values, dtype=np.float64))
    found = call(package("stats").dist, rows, method=method)
    matrix = from_r(call(package("base").as_matrix, found))
    return np.asarray(matrix, dtype=np.float64)


def adjust(
    p_values: ArrayLike, *, method: Literal["bonferroni", "holm", "BH"]
) -> NDArray[np.float64]:
    """Adjusted p-values (n,) by ``p.adjust``.

    Examples
    --------
    >>> adjust([0.01, 0.04], method="bonferroni")
    array([0.02, 0.08])
    """
    return _floats(call(package("stats").p_adjust, to_vector(p_values), method=method))


def chi_squared(counts: ArrayLike) -> float:
    """Pearson's statistic of a table of counts by ``chisq.test`` without continuity correction.

    Examples
    --------
    >>> round(chi_squared([[10, 0], [0, 10]]), 6)
    20.0
    """
    table = to_matrix(np.asarray(counts, dtype=np.float64))
    quiet = package("base").suppressWarnings
    return float(quiet(call(package("stats").chisq_test, table, correct=False)).rx2("statistic")[0])


def _floats(value: object) -> NDArray[np.float64]:
    return np.asarray(from_r(value), dtype=np.float64)
