"""How strong the effect of a gene is: summaries of the log fold changes of its guides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.types import Floats

__all__ = ["alpha_mean", "median", "second_best"]


def _sorted_groups(
    values: Floats, gene: NDArray[np.int64], n_genes: int
) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    """Known values gene by gene, smallest first; where each gene begins, and how many it has."""
    known = ~np.isnan(values)
    values, gene = values[known], gene[known]
    sizes = np.bincount(gene, minlength=n_genes)
    return values[np.lexsort((values, gene))], np.r_[0, np.cumsum(sizes)[:-1]], sizes


def median(values: Floats, gene: NDArray[np.int64], n_genes: int) -> Floats:
    """The median of each gene (n_genes,); NaN without a value."""
    ordered, starts, sizes = _sorted_groups(values, gene, n_genes)
    out = np.full(n_genes, np.nan)
    some = sizes > 0
    first = starts[some]
    lower, upper = first + (sizes[some] - 1) // 2, first + sizes[some] // 2
    out[some] = (ordered[lower] + ordered[upper]) / 2.0
    return out


def second_best(values: Floats, gene: NDArray[np.int64], n_genes: int, *, low: bool) -> Floats:
    """The second smallest (`low`) or second largest value of each gene; NaN with fewer than two."""
    ordered, starts, sizes = _sorted_groups(values, gene, n_genes)
    out = np.full(n_genes, np.nan)
    enough = sizes > 1
    place = starts + (1 if low else sizes - 2)
    out[enough] = ordered[place[enough]]
    return out


def alpha_mean(
    values: Floats, gene: NDArray[np.int64], n_genes: int, counted: NDArray[np.bool_]
) -> Floats:
    """The mean over the guides that count; NaN where none does."""
    use = counted & ~np.isnan(values)
    size = np.bincount(gene[use], minlength=n_genes)
    total = np.bincount(gene[use], weights=values[use], minlength=n_genes)
    mean: Floats = np.divide(total, size, out=np.full(n_genes, np.nan), where=size > 0)
    return mean
