"""Voting rules: how the selections of many voters become an order of the features.

Every rule is a function of the selections, the weights of the voters and the number of places.  The
order of the voters does not matter, and a voter of weight 2 counts as two voters with one selection.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from pyfsagg._base.arithmetic import Booleans, Floats, Indices
from pyfsagg._base.registry import Registry, Spec

EQUAL = 1e-10
"""Scores that differ by less than this share of the larger one are equal: a tie must not depend on the
last digits, which the order of the terms of a sum decides."""

BY_SCORE = "average ranks"
BY_STEP = "the first feature is elected, and `tied` marks it"


@dataclass(frozen=True, eq=False)
class Count:
    """What a rule makes of the selections, each of shape (p,).

    `scores` are larger = better, and 0 for a feature that nobody selects; `order` has the positions of
    the features, the best first; `ranks` go from 1; a `tied` one had no more right to its place than
    another feature.
    """

    scores: Floats
    order: Indices
    ranks: Floats
    tied: Booleans


@dataclass(frozen=True, kw_only=True)
class VotingRule(Spec):
    """A registered voting rule.

    ``count(support, weights, size)`` returns a :class:`Count`, for selections (m, p) of booleans, weights
    (m,) above 0 and the number of places that are filled one by one.  It is `proportional` if a voter
    whose features were elected counts less for the next places.
    """

    proportional: bool
    count: Callable[[Booleans, Floats, int], Count]


VOTING_RULES: Registry[VotingRule] = Registry(
    "voting rule", VotingRule, group="pyfsagg.voting_rules"
)


def _by_score(scores: Floats) -> Count:
    scores = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    new = np.ones(scores.size, dtype=bool)
    new[1:] = ordered[1:] < ordered[:-1] * (1.0 - EQUAL)
    block = np.cumsum(new) - 1
    sizes = np.bincount(block)
    ends = np.cumsum(sizes)
    # Equal but for the last digit: the order of the features decides within a block.
    order = order[np.lexsort((order, block))]
    ranks = np.empty(scores.size)
    ranks[order] = (ends - (sizes - 1) / 2.0)[block]
    tied = np.empty(scores.size, dtype=bool)
    tied[order] = (sizes > 1)[block]
    return Count(scores, order, ranks, tied)


def _by_step(
    scores: Callable[[sparse.csr_matrix, Floats, Floats, Floats], Floats],
    held: Callable[[Floats, float], Floats | float],
) -> Callable[[Booleans, Floats, int], Count]:
    """A rule that elects one feature after the other; the rest follow by the scores that they then have.

    Voters hold something, at first 0, of which ``scores(voters, weights, approval, holding)`` depend, and of
    which a voter has ``held(holding, score)`` when its feature is elected by that score.
    """

    def count(support: Booleans, weights: Floats, size: int) -> Count:
        p = support.shape[1]
        voters = sparse.csr_matrix(support.T.astype(np.float64))
        approval, holding = np.asarray(voters @ weights), np.zeros(len(support))
        final, tied = np.zeros(p), np.zeros(p, dtype=bool)
        order: list[int] = []
        free = approval > 0.0
        for _ in range(min(size, int(free.sum()))):
            current = np.where(free, scores(voters, weights, approval, holding), 0.0)
            best = np.flatnonzero(current >= current.max() * (1.0 - EQUAL))
            chosen = int(best[0])
            final[chosen], tied[chosen] = current[chosen], best.size > 1
            free[chosen] = False
            order.append(chosen)
            approvers = voters.indices[voters.indptr[chosen] : voters.indptr[chosen + 1]]
            holding[approvers] = held(holding[approvers], final[chosen])
        ranks = np.empty(p)
        ranks[order] = np.arange(1.0, len(order) + 1.0)
        rest = np.flatnonzero(~np.isin(np.arange(p), order))
        if rest.size:
            left = _by_score(scores(voters, weights, approval, holding)[rest])
            final[rest], tied[rest] = left.scores, left.tied
            ranks[rest] = left.ranks + len(order)
            order += rest[left.order].tolist()
        return Count(final, np.array(order, dtype=np.intp), ranks, tied)

    return count


VOTING_RULES.add(
    VotingRule(
        name="approval",
        aliases=("av",),
        summary="number of voters that select the feature",
        formula="sum over voters that select f of w_v",
        latex=r"\sum_{v:\, f \in A_v} w_v",
        bounds="[0, sum of w]",
        ties=BY_SCORE,
        source="Brams, Fishburn (1978), American Political Science Review 72, 831–847",
        proportional=False,
        count=lambda support, weights, size: _by_score(weights @ support),
    ),
    VotingRule(
        name="satisfaction_approval",
        aliases=("sav",),
        summary="each voter splits one vote evenly among its features",
        formula="sum over voters that select f of w_v / |A_v|",
        latex=r"\sum_{v:\, f \in A_v} \frac{w_v}{|A_v|}",
        bounds="[0, sum of w]",
        ties=BY_SCORE,
        source="Brams, Kilgour (2015), in The Mathematics of Decisions, Elections, and Games, AMS",
        proportional=False,
        count=lambda support, weights, size: _by_score(
            (weights / np.maximum(1, support.sum(axis=1))) @ support
        ),
    ),
    VotingRule(
        name="sequential_proportional_approval",
        aliases=("spav", "seq_pav"),
        summary="one feature at a time; a voter with k elected features counts 1/(1 + k)",
        formula="when f is elected: sum over voters that select f of w_v / (1 + k_v)",
        latex=r"\sum_{v:\, f \in A_v} \frac{w_v}{1 + k_v}",
        bounds="[0, sum of w]",
        ties=BY_STEP,
        source="Thiele (1895), Om flerfoldsvalg; Aziz et al. (2017), Social Choice and Welfare 48, "
        "461–485",
        proportional=True,
        count=_by_step(
            lambda voters, weights, approval, elected: voters @ (weights / (1.0 + elected)),
            lambda elected, score: elected + 1.0,
        ),
    ),
    VotingRule(
        name="phragmen",
        aliases=("sequential_phragmen", "seq_phragmen"),
        summary="one feature at a time; its voters share a load of 1, and the largest load is kept "
        "smallest",
        formula="when f is elected: 1 / load, load = (1 + sum of w_v x_v) / sum of w_v over voters that "
        "select f, whose x_v then is the load",
        latex=r"\frac{\sum_{v:\, f \in A_v} w_v}{1 + \sum_{v:\, f \in A_v} w_v x_v}",
        bounds="[0, sum of w]",
        ties=BY_STEP,
        source="Phragmén (1894); Brill et al. (2024), Mathematical Programming 203, 47–76",
        proportional=True,
        count=_by_step(
            lambda voters, weights, approval, load: approval / (1.0 + voters @ (weights * load)),
            lambda load, score: 1.0 / score,
        ),
    ),
)
