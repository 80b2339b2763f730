"""The R package RobustRankAggreg, called with Python lists and arrays.

Where pyfsagg and RobustRankAggreg 1.2.1 differ
-----------------------------------------------
==================  ===============================  ============================================
What                RobustRankAggreg                 pyfsagg
==================  ===============================  ============================================
Stuart's Q          alternating recursion; wrong     positive terms, logarithms; full accuracy
                    digits from 30 to 50 lists, all  for any number of lists
                    wrong at 100, NaN at 1000
exact p of RRA      1 minus that recursion, so an    positive terms; full relative accuracy
                    absolute error from 1e-16 (few   however small p is
                    lists) to meaningless (60)
order of RRA        by min(1, n ρ): many ties at 1   by log ρ before the cap
deep tails          ρ and p underflow to 0           scores stay finite in logarithms
topCutoff           one per list that holds the      one number, or one per list of the table
                    item; a single number fails
N with full=TRUE    ignored                          an error
name twice in list  last position counts             an error
==================  ===============================  ============================================

The measured error of the recursion by number of lists is in ``benchmarks/stuart_breakdown.json``,
written by ``benchmarks/stuart_breakdown.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg.exceptions import ParameterError
from pyfsagg_rpy2.conversion import from_r, to_matrix, to_strings, to_vector
from pyfsagg_rpy2.session import call, environment, package

Method = Literal["RRA", "stuart", "mean", "median", "min", "geom.mean"]
Lists = Mapping[str, Sequence[str]] | Iterable[Sequence[str]]


def rank_matrix(
    lists: Lists, *, universe: int | Sequence[int] | None = None, full: bool = False
) -> pd.DataFrame:
    """Normalized ranks by R's ``rankMatrix``: one row per item, one column per list.

    Parameters
    ----------
    lists : dict or sequence of lists of names, best first
    universe : int or one int per list, optional
        R's argument ``N``.
    full : bool

    Raises
    ------
    MissingDependencyError
        If R, rpy2 or RobustRankAggreg is not installed.

    Examples
    --------
    >>> rank_matrix([["a", "b"], ["b", "c"]], universe=4).loc["b"].tolist()
    [0.5, 0.25]
    """
    library = package("RobustRankAggreg")
    matrix = call(library.rankMatrix, _r_lists(lists), **_universe(universe), full=full)
    found: pd.DataFrame = from_r(matrix)
    return found.set_axis(list(_named(lists)), axis="columns").rename_axis("name")


def aggregate_ranks(
    lists: Lists | None = None,
    *,
    normalized_ranks: ArrayLike | None = None,
    universe: int | Sequence[int] | None = None,
    method: Method = "RRA",
    full: bool = False,
    exact: bool = False,
    top_cutoff: Sequence[float] | None = None,
) -> pd.Series[float]:
    """R's ``aggregateRanks``.

    Parameters
    ----------
    lists : dict or sequence of lists of names, best first
    normalized_ranks : array (n_lists, n_items), optional
        In place of `lists`: the transposed argument ``rmat``, NaN = not in the list; the items are
        then called ``x0, x1, …``.
    universe, full, exact, top_cutoff
        R's ``N``, ``full``, ``exact`` and ``topCutoff``.
    method : {"RRA", "stuart", "mean", "median", "min", "geom.mean"}

    Returns
    -------
    Series
        R's score by item name, in R's order; NaN where R gives one.

    Raises
    ------
    MissingDependencyError
        If R, rpy2 or RobustRankAggreg is not installed.

    Examples
    --------
    >>> round(float(aggregate_ranks([["a", "b"], ["a", "c"]], universe=4)["a"]), 9)
    0.125
    """
    if (lists is None) == (normalized_ranks is None):
        raise ParameterError("give either lists or normalized_ranks, and not both")
    library = package("RobustRankAggreg")
    arguments: dict[str, Any] = {"method": method, "exact": exact}
    if top_cutoff is not None:
        arguments["topCutoff"] = to_vector(np.asarray(top_cutoff, dtype=np.float64))
    if lists is not None:
        frame = call(
            library.aggregateRanks, _r_lists(lists), **_universe(universe), full=full, **arguments
        )
    else:
        ranks = np.asarray(normalized_ranks, dtype=np.float64)
        frame = call(library.aggregateRanks, rmat=_r_matrix(ranks), **arguments)
    found = from_r(frame)
    names = pd.Index(found["Name"].astype(str), name="name")
    return pd.Series(found["Score"].to_numpy(), index=names, name=method)


def _named(lists: Lists) -> dict[str, list[str]]:
    if isinstance(lists, Mapping):
        return {str(name): [str(entry) for entry in entries] for name, entries in lists.items()}
    return {f"list{i + 1}": [str(entry) for entry in one] for i, one in enumerate(lists)}


def _r_lists(lists: Lists) -> Any:
    robjects = environment()
    return robjects.ListVector({name: to_strings(one) for name, one in _named(lists).items()})


def _universe(universe: int | Sequence[int] | None) -> dict[str, Any]:
    if universe is None:
        return {}
    sizes = [universe] if isinstance(universe, int) else universe
    return {"N": to_vector(np.asarray(sizes, dtype=np.float64))}


def _r_matrix(ranks: NDArray[np.float64]) -> Any:
    """The transpose as an R matrix with row names."""
    return to_matrix(ranks.T, rows=[f"x{j}" for j in range(ranks.shape[1])])
