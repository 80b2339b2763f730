"""Aggregators built on uniform order statistics: Stuart, robust rank aggregation, mean p-value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_choice, check_list, check_real, is_single
from pyfsagg._kernels.order_statistics import log_stuart
from pyfsagg._kernels.rho import log_exact_p, log_rho, log_rho_with_cutoffs
from pyfsagg._message import Param, Remedy
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import RankTable

IntArray = NDArray[np.int64]

BLOCK_ENTRIES = 1 << 18
LAST_PLACES = (
    "Some items are tied in a list. In the p-values a tied entry counts with the last of the places "
    "that its ties share: with average ranks p-values are too small. Scores and ranking go by "
    "average ranks, so that the p-values need not have the same order."
)


def stuart(table: RankTable) -> AggregatedValues:
    """Stuart's Q: the chance that sorted uniform numbers stay below the sorted ranks of an item.

    Q = P(U_(1) ≤ r_(1), …, U_(n) ≤ r_(n)) for the n normalized ranks that the item has.  It is
    computed as P(N(r_(i)) ≥ i for all i), N(t) = #{U ≤ t}, by a recursion of positive terms in
    logarithms: exact to rounding for any number of lists, where the published recursion alternates
    in sign and loses all digits from about 40 lists.

    An absent item has normalized rank 1 (``full=False``) or is left out of its n (``full=True``).

    References
    ----------
    Stuart et al. (2003), Science 302, 249–255; Aerts et al. (2006), Nature Biotechnology 24.

    Examples
    --------
    >>> stuart(RankTable.from_ranks([[1, 2, 3], [2, 1, 3]])).statistic.round(6)
    array([0.333333, 0.333333, 1.      ])
    """
    log_q = np.empty(table.n_items)
    for start, ranks in _blocks(table):
        counts = _sort_rows(ranks)
        log_q[start : start + len(ranks)] = log_stuart(ranks, counts)
    return AggregatedValues(0.0 - log_q, np.exp(log_q))


def robust_rank_aggregation(
    table: RankTable,
    *,
    exact: bool = False,
    top_cutoff: float | Sequence[float] | None = None,
    ties: Literal["last", "average"] = "last",
) -> AggregatedValues:
    """Robust rank aggregation: the most surprising order statistic of an item's ranks.

    ρ = min over k of P(the k-th of n uniform numbers ≤ r_(k)), the Beta(k, n − k + 1)
    distribution at the k-th smallest normalized rank (Kolde et al. 2012; thesis eq. 3.19).

    Notes
    -----
    The p-values suppose independent lists; bootstraps of one data set are not.

    Examples
    --------
    >>> table = RankTable.from_ranks([[1, 2, 3, 4], [2, 1, 4, 3], [1, 3, 2, 4]])
    >>> robust_rank_aggregation(table).p_values.round(4)
    array([0.375, 1.   , 1.   , 1.   ])
    >>> robust_rank_aggregation(table, exact=True).p_values.round(4)
    array([0.2674, 0.6792, 0.9706, 0.9995])
    """
    check_choice("ties", ties, ("last", "average"))
    cutoffs = None if top_cutoff is None else _check_cutoffs(top_cutoff, table.n_lists)
    log_rhos, counts = _log_rhos(table, cutoffs)
    log_p = _rra_log_p(log_rhos, counts, exact)
    if (counts == counts[0]).all():
        scores = 0.0 - log_rhos
    else:
        scores = 0.0 - (log_p if exact else log_p - np.log(counts.max()))
    remarks: tuple[str, ...] = ()
    last = table._with_last_places() if ties == "last" else table
    if last is not table:
        safe = _rra_log_p(_log_rhos(last, cutoffs, beyond="drop")[0], counts, exact)
        if (np.minimum(0.0, safe) != np.minimum(0.0, log_p)).any():
            log_p, remarks = safe, (LAST_PLACES,)
    with np.errstate(under="ignore"):
        rho = np.exp(log_rhos)
    return _with_p(scores, rho, np.minimum(0.0, log_p), remarks)


def _log_rhos(
    table: RankTable, cutoffs: Floats | None, beyond: Literal["refuse", "drop"] = "refuse"
) -> tuple[Floats, IntArray]:
    """log ρ of each item and the number of its ranks; a rank beyond its cutoff is as good as absent.

    A last place may lie beyond the cutoff although the list keeps the item: that is no error.
    """
    log_rhos = np.empty(table.n_items)
    counts = np.empty(table.n_items, dtype=np.int64)
    for start, ranks in _blocks(table):
        span = slice(start, start + len(ranks))
        if cutoffs is not None:
            if beyond == "refuse":
                _check_within(ranks, cutoffs, table, start)
            else:
                ranks[_beyond(ranks, cutoffs)] = 1.0
        if cutoffs is None or (cutoffs == cutoffs[0]).all():
            counts[span] = _sort_rows(ranks)
            log_rhos[span] = log_rho(ranks, counts[span])
        else:
            known = ~np.isnan(ranks)
            counts[span] = known.sum(axis=1)
            limits = np.where(known, cutoffs, np.nan)
            log_rhos[span] = log_rho_with_cutoffs(np.where(ranks < 1.0, ranks, np.nan), limits)
    return log_rhos, counts


def _rra_log_p(log_rhos: Floats, counts: IntArray, exact: bool) -> Floats:
    """log p before the cap at 1."""
    with np.errstate(under="ignore"):
        return _exact(log_rhos, counts) if exact else log_rhos + np.log(counts)


def _with_p(
    scores: Floats, statistic: Floats, log_p: Floats, remarks: tuple[str, ...]
) -> AggregatedValues:
    with np.errstate(under="ignore"):
        p_values = np.exp(log_p)
    return AggregatedValues(scores, statistic, p_values, remarks, log_p / np.log(10.0))


def mean_p_value(
    table: RankTable, *, ties: Literal["last", "average"] = "last"
) -> AggregatedValues:
    """Normal approximation to the chance of so small a mean of n uniform numbers.

    Φ((mean of the normalized ranks − 1/2)·√(12 n)), the method ``mean`` of RobustRankAggreg; the
    n ranks that the item has (``full=True``) or all m with 1 for an absent one (``full=False``).

    Examples
    --------
    >>> mean_p_value(RankTable.from_ranks([[1, 2, 4, 3], [1, 3, 4, 2]])).statistic.round(4)
    array([0.1103, 0.7299, 0.9928, 0.7299])
    """
    check_choice("ties", ties, ("last", "average"))
    log_p = _log_mean_p(table)
    scores, statistic = 0.0 - log_p, np.exp(log_p)
    remarks: tuple[str, ...] = ()
    last = table._with_last_places() if ties == "last" else table
    if last is not table:
        log_p, remarks = _log_mean_p(last), (LAST_PLACES,)
    return _with_p(scores, statistic, log_p, remarks)


def _log_mean_p(table: RankTable) -> Floats:
    log_p = np.empty(table.n_items)
    for start, ranks in _blocks(table):
        known = (~np.isnan(ranks)).sum(axis=1)
        mean = np.nanmean(ranks, axis=1)
        log_p[start : start + len(ranks)] = log_ndtr((mean - 0.5) * np.sqrt(12.0 * known))
    return log_p


# ---------------------------------------------------------------------------------------------
# helpers
# ---------------------------------------------------------------------------------------------
def _blocks(table: RankTable) -> Iterator[tuple[int, Floats]]:
    """Normalized ranks in blocks of items, so that no second copy of the table is made."""
    width = max(1, BLOCK_ENTRIES // table.n_lists)
    for start in range(0, table.n_items, width):
        yield start, table._normalized_columns(start, min(start + width, table.n_items))


def _sort_rows(ranks: Floats) -> IntArray:
    """Sort rows in place, NaN last; returns the number of known entries of each."""
    ranks.sort(axis=1)
    if not np.isnan(ranks[:, -1]).any():
        return np.full(len(ranks), ranks.shape[1], dtype=np.int64)
    return np.asarray((~np.isnan(ranks)).sum(axis=1), dtype=np.int64)


def _exact(log_rhos: Floats, counts: IntArray) -> Floats:
    """Exact log p; equal values are brought together so that each is computed once."""
    order = np.lexsort((log_rhos, counts))
    log_p = np.empty_like(log_rhos)
    log_p[order] = log_exact_p(log_rhos[order], counts[order])
    return log_p


def _check_cutoffs(top_cutoff: float | Sequence[float], m: int) -> Floats:
    given = [top_cutoff] * m if is_single(top_cutoff) else check_list("top_cutoff", top_cutoff)
    if len(given) != m:
        raise ParameterError(
            Param("top_cutoff"),
            f" must be one share or one per list ({m}), got {len(given)} of them",
        )
    return np.array(
        [check_real("top_cutoff", value, low=0.0, high=1.0, low_open=True) for value in given]
    )


def _beyond(ranks: Floats, cutoffs: Floats) -> NDArray[np.bool_]:
    # A relative 1e-12, because 3/30 and 0.1 need not be the same number.
    return np.asarray((ranks < 1.0) & (ranks > cutoffs * (1.0 + 1e-12)))


def _check_within(ranks: Floats, cutoffs: Floats, table: RankTable, start: int) -> None:
    beyond = _beyond(ranks, cutoffs)
    if beyond.any():
        j, i = np.argwhere(beyond)[0]
        raise DataError(
            f"the normalized rank of {table.names[start + j]!r} in list {i + 1} is ",
            f"{ranks[j, i]:.6g}, beyond its ",
            Param("top_cutoff"),
            f" of {cutoffs[i]:g}",
            Remedy("raise the cutoff, or mark such items missing"),
        )


_NORMALIZED = "r_(k) the k-th smallest of the n normalized ranks of the item"
_TIES = (
    "scores take ranks as they are, average ranks by default; p-values take the last place of a tie, so "
    "that they hold their level"
)
_BLOCK = "its k items share the mean rank (k + 1)/2 in scores, and the last rank k in p-values"
AGGREGATORS.add(
    AggregatorSpec(
        name="stuart",
        summary="joint probability of the sorted ranks (Q)",
        formula=f"P(U_(1) <= r_(1), ..., U_(n) <= r_(n)), U uniform, {_NORMALIZED}",
        latex=r"P \left( U_{(1)} \le r_{(1)}, \dots, U_{(n)} \le r_{(n)} \right), \quad U_1, "
        r"\dots, U_n \sim \operatorname{Uniform}(0, 1)",
        bounds="[0, 1]",
        higher_is_better=False,
        ties=_TIES,
        source="Stuart et al. (2003); Aerts et al. (2006)",
        compute=stuart,
        input="ranks",
        unranked=_BLOCK,
    ),
    AggregatorSpec(
        name="robust_rank_aggregation",
        aliases=("rra",),
        summary="smallest Beta probability of the sorted ranks (rho)",
        formula=f"min_k P(Beta(k, n - k + 1) <= r_(k)), {_NORMALIZED}",
        latex=r"\min_{k} P \left( \operatorname{Beta}(k, n - k + 1) \le r_{(k)} \right)",
        bounds="[0, 1]",
        higher_is_better=False,
        ties=_TIES,
        source="Kolde, Laur, Adler, Vilo (2012), Bioinformatics 28(4)",
        compute=robust_rank_aggregation,
        input="ranks",
        per_list=("top_cutoff",),
        unranked=_BLOCK,
        options=("exact", "top_cutoff", "ties"),
        in_loops={"ties": "average"},
    ),
    AggregatorSpec(
        name="mean_p_value",
        summary="normal p-value of the mean normalized rank",
        formula="Phi((mean of the n normalized ranks - 1/2) sqrt(12 n))",
        latex=r"\Phi \left( \left( \bar{r} - \frac{1}{2} \right) \sqrt{12 n} \right)",
        bounds="[0, 1]",
        higher_is_better=False,
        ties=_TIES,
        source="RobustRankAggreg 1.2.1, method 'mean'",
        compute=mean_p_value,
        input="ranks",
        unranked=_BLOCK,
        list_weights="its value is a p-value of independent lists; mean_rank takes weights",
        options=("ties",),
        in_loops={"ties": "average"},
    ),
)
