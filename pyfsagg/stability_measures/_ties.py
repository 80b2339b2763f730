"""Ties at the edge of a selection: no evidence of agreement.

Where equal scores compete for the last places of a subset, their order is arbitrary.  A measure is
then the mean over all their orders, drawn independently for each resample: by formula where it
depends on the expected intersections alone, otherwise over seeded draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice
from pyfsagg._base.types import Floats
from pyfsagg._kernels.stability.ties import pick_tied
from pyfsagg.ranks import rank_scores, select_top
from pyfsagg.stability_measures._base import BoundStatistic, Estimate, PairwiseAverage
from pyfsagg.stability_measures._input import Matrix, Selection

__all__ = [
    "average_of_draws",
    "check_ties",
    "draw_orders",
    "draw_selections",
    "expected_shares",
    "n_draws",
    "select",
]

EDGE_TIES = ("random", "first")
ENOUGH_PAIRS = 2000
"""Pairs of resamples over which drawn orders are averaged, so that their own noise is small."""
MOST_CELLS = 2_000_000
"""Cells of drawn selections beyond which fewer orders are drawn."""


def check_ties(ties: str) -> None:
    """Refuse another rule for ties at the edge of a subset."""
    check_choice("ties", ties, EDGE_TIES)


def select(matrix: Matrix, k: int, ties: str) -> Selection:
    """The k best of every row; with ``ties="random"`` and ties at the edge, their expected shares."""
    names, p = matrix.feature_names, matrix.values.shape[1]
    if ties == "first":
        return Selection(select_top(matrix.values, k), p, names)
    support, shares = expected_shares(matrix.values, k)
    return Selection(support, p, names, shares)


def expected_shares(scores: Floats, k: int) -> tuple[NDArray[np.bool_], Floats | None]:
    """The cells that are selected in every order of ties, and the share of orders for each cell.

    Without ties at the edge of any row the shares are None, and the cells are the selection.
    """
    p = scores.shape[1]
    edge = np.partition(scores, p - k, axis=1)[:, p - k, np.newaxis]
    above, level = scores > edge, scores == edge
    room = k - above.sum(axis=1)
    group = level.sum(axis=1)
    if (room == group).all():
        return above | level, None
    whole = level & (room == group)[:, np.newaxis]
    above |= whole
    shares = np.where(level & ~whole, (room / group)[:, np.newaxis], above)
    return above, shares


def n_draws(m: int, p: int) -> int:
    """How many orders of ties are drawn for m resamples of p features."""
    wanted = -(-2 * ENOUGH_PAIRS // (m * (m - 1)))
    return max(1, min(wanted, MOST_CELLS // (m * p)))


def draw_selections(
    selection: Selection, seed: int | None, n_orders: int | None = None
) -> Iterator[NDArray[np.bool_]]:
    """Selections with the ties at the edge in random order, each (m, p); `n_orders` of them."""
    assert selection.shares is not None
    shares = selection.shares
    tied = (shares > 0) & (shares < 1)
    room = np.rint(np.where(tied, shares, 0.0).sum(axis=1)).astype(np.int64)
    rng = np.random.default_rng(seed)
    for _ in range(n_orders or n_draws(*shares.shape)):
        support = selection.support.copy()
        pick_tied(support, tied, room, rng.random(int(room.sum())))
        yield support


def draw_orders(ranks: Floats, seed: int | None) -> list[Floats]:
    """Ascending ranks with ties in random order; the ranks themselves where nothing is tied."""
    in_order = np.sort(ranks, axis=1)
    if not (in_order[:, 1:] == in_order[:, :-1]).any():
        return [ranks]
    rng = np.random.default_rng(seed)
    return [
        rank_scores(ranks, "random", higher_is_better=False, random_state=rng)
        for _ in range(n_draws(*ranks.shape))
    ]


def average_of_draws(bind: Callable[[Any], BoundStatistic], drawn: list[Any]) -> BoundStatistic:
    """The mean over draws of a bound statistic; of a single one, this itself."""
    first = bind(drawn[0])
    if len(drawn) == 1:
        return first
    if isinstance(first, PairwiseAverage):
        return _mean_over_draws(first, bind(_stacked(drawn)))
    return _AverageSample([first, *(bind(each) for each in drawn[1:])])


def _stacked(drawn: list[Any]) -> Any:
    if isinstance(drawn[0], Selection):
        first: Selection = drawn[0]
        support = np.concatenate([each.support for each in drawn])
        return Selection(support, first.n_features, first.labels)
    return np.concatenate(drawn)


def _mean_over_draws(first: PairwiseAverage, stacked: BoundStatistic) -> PairwiseAverage:
    """The average over pairs of m rows of the mean of n draws, bound to all n x m rows."""
    assert isinstance(stacked, PairwiseAverage)
    m = first.n_rows
    n = stacked.n_rows // m

    def block(left: slice, right: slice) -> Floats:
        total = np.zeros((left.stop - left.start, right.stop - right.start))
        for shift in range(0, n * m, m):
            rows = slice(left.start + shift, left.stop + shift)
            columns = slice(right.start + shift, right.stop + shift)
            total += stacked.block(rows, columns)
        return total / n

    return PairwiseAverage(m, block, least_variance=first.least_variance)


class _AverageSample:
    """The mean of a statistic of the whole collection over draws."""

    pairwise = False
    variance: Callable[[], float] | None = None
    least_variance: Callable[[], float] | None = None

    def __init__(self, parts: list[BoundStatistic]) -> None:
        self.parts = parts
        self.n_rows = parts[0].n_rows
        self.unit = parts[0].unit

    def estimate(self) -> Estimate:
        found = [part.estimate() for part in self.parts]
        value = float(np.mean([each.value for each in found]))
        return Estimate(value, found[0].n_pairs, found[0].n_undefined)

    def reweighted(self, weights: Floats) -> Floats:
        return self._mean([part.reweighted(weights) for part in self.parts])

    def leave_one_out(self) -> Floats:
        return self._mean([part.leave_one_out() for part in self.parts])

    def _mean(self, found: list[Floats]) -> Floats:
        mean: Floats = np.mean(found, axis=0)
        return mean
