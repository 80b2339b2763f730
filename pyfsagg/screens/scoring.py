"""From the scores of guides to one effect, one value and one p-value per gene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Floats, adjust_p_values
from pyfsagg._base.fields import Part
from pyfsagg._kernels.order_statistics import log_group_p, log_group_rho
from pyfsagg.ranks import rank_scores


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


SideName = Literal["low", "high"]
DEFAULT_ALPHA = 0.05
GUIDE_P = 0.25
LEAST_SHARE = 0.01


@dataclass(frozen=True, eq=False, repr=False)
class Side(Part):
    """Results of a screen for one side, for G genes and n guides.

    Attributes
    ----------
    alpha : float
        Guides up to this percentile count.
    percentiles : ndarray (n,)
        Of the guides, in (0, 1); the best has the smallest.
    counted : ndarray of int (G,)
        How many guides of a gene count.
    log_rho, log_p_values : ndarray (G,)
        Natural logarithms, which do not underflow.
    adjusted_p_values : ndarray (G,)
        Benjamini–Hochberg over the genes of this side.
    q_values : ndarray (G,)
        The same with Storey's estimate of the share of genes without an effect.
    null_share : float
        That estimate, in (0, 1].
    """

    alpha: float
    percentiles: Floats
    counted: NDArray[np.int64]
    log_rho: Floats
    log_p_values: Floats
    adjusted_p_values: Floats
    q_values: Floats
    null_share: float

    @property
    def rho(self) -> Floats:
        """ρ (G,): smaller = better; 0 below 1e-308."""
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self.log_rho))

    @property
    def p_values(self) -> Floats:
        """p-values (G,); 0 below 1e-308."""
        with np.errstate(under="ignore"):
            return np.asarray(np.exp(self.log_p_values))

    @property
    def ranking(self) -> Floats:
        """Ranks of the genes by p-value (G,), 1 = best; equal ones share the average."""
        return rank_scores(-self.log_p_values)


def score_side(
    scores: Floats,
    starts: NDArray[np.int64],
    members: NDArray[np.int64],
    *,
    side: SideName,
    alpha: float,
    ties: Literal["average", "last"],
    null: str,
    controls: NDArray[np.bool_],
) -> Side:
    """One side of a screen."""
    n = len(scores)
    places = rank_scores(
        scores,
        "average" if ties == "average" else "max",
        higher_is_better=side == "high",
    )
    percentiles = (places - 0.5) / n
    sizes = np.diff(starts)
    gene = np.repeat(np.arange(len(sizes)), sizes)
    own = percentiles[members]
    log_rho, counted = log_group_rho(own[np.lexsort((own, gene))], starts, alpha)
    known = np.ones(n, dtype=bool) if null == "guides" else np.zeros(n, dtype=bool)
    if controls.any():
        known = controls
    log_p = _log_p(log_rho, sizes, alpha, percentiles, members, known)
    with np.errstate(under="ignore"):
        p = np.exp(log_p)
    adjusted = adjust_p_values(p, "bh")
    share = storey(p)
    return Side(alpha, percentiles, counted, log_rho, log_p, adjusted, share * adjusted, share)


def _log_p(
    log_rho: Floats,
    sizes: NDArray[np.int64],
    alpha: float,
    percentiles: Floats,
    members: NDArray[np.int64],
    known: NDArray[np.bool_],
) -> Floats:
    """log p of each gene: against the known guides and its own ones, or uniform numbers without any."""
    order = np.lexsort((log_rho, sizes))
    gene = np.repeat(np.argsort(order), sizes)
    outside = ~known[members] if known.any() else np.zeros(len(members), dtype=bool)
    place = np.argsort(gene[outside], kind="stable")
    starts = np.searchsorted(np.sort(gene[outside]), np.arange(len(sizes) + 1))
    log_p = np.empty_like(log_rho)
    log_p[order] = log_group_p(
        log_rho[order],
        sizes[order],
        alpha,
        np.sort(percentiles[known]),
        percentiles[members][outside][place],
        starts.astype(np.int64),
    )
    return log_p


def storey(p_values: Floats) -> float:
    """Storey's estimate of the share of true hypotheses, from the p-values above 1/2; at most 1.

    (1 + #{p > 1/2}) / (G/2): the 1 keeps the false discovery rate of q-values with few genes, too
    (Storey, Taylor and Siegmund 2004).
    """
    return min(1.0, (1.0 + float((p_values > 0.5).sum())) / (0.5 * len(p_values)))


def estimate_alpha(p_values: Floats | None) -> float:
    """α out of the p-values of guides: the share of at most 0.25; 0.05 if that is 0.01 or less."""
    if p_values is None:
        return DEFAULT_ALPHA
    known = p_values[~np.isnan(p_values)]
    share = float((known <= GUIDE_P).mean()) if len(known) else 0.0
    return share if share > LEAST_SHARE else DEFAULT_ALPHA
