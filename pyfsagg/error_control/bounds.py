"""Bounds on the expected number of false selections of stability selection.

A feature counts as false here if a half of the rows selects it no more often than it selects a
feature on average, with probability q / p at most.  That holds of every noise feature if noise features
are exchangeable (none is favoured over another, by more levels or fewer missing values) and the
filter is no worse than guessing.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg.error_control._tails import largest_tail
from pyfsagg.exceptions import ParameterError

__all__ = [
    "ASSUMPTIONS",
    "bound_of_frequency",
    "largest_size",
    "pfer_bound",
    "pfer_size",
    "pfer_threshold",
]

ASSUMPTIONS = ("none", "unimodal", "r-concave")
"""What may be supposed of the selection frequencies of noise features, from weakest to strongest."""
UNIMODAL_SHARE = 1 / math.sqrt(3)
"""Largest q / p of the unimodal bound."""
ROUNDING = 1e-9


def pfer_bound(
    q: int, p: int, threshold: float, *, n_pairs: int = 50, assumption: str = "unimodal"
) -> float:
    """Upper bound on the expected number of false selections.

    The selection: the features that are among the best q in at least `threshold` of the 2B halves
    of B complementary pairs.

    Parameters
    ----------
    q : int
        Features selected in each half, 1 to p: exactly, at most, or on average.
    p : int
        Number of features.
    threshold : float
        Frequency from which a feature is selected, in (1/2, 1]; in (q / p, 1] for ``"r-concave"``.
    n_pairs : int
        Number B of complementary pairs, at least 2.  Without an assumption it does not matter, and
        halves that are not pairs can be given.
    assumption : {"none", "unimodal", "r-concave"}
        Assumption on the distribution, over data sets, of the share of pairs of which both
        halves select a noise feature: nothing (Meinshausen and Bühlmann, 2010, theorem 1);
        unimodal (Shah and Samworth, 2013, theorem 2); −1/2-concave, with −1/4-concave selection
        frequencies (their equation 8).

    Returns
    -------
    float
        The bound (per-family error rate); it may exceed p, and is then not informative.

    Raises
    ------
    ParameterError
        If q or the threshold is outside the range of the bound; the message gives the range.

    References
    ----------
    Meinshausen and Bühlmann (2010), JRSS B 72; Shah and Samworth (2013), JRSS B 75.

    Examples
    --------
    >>> round(pfer_bound(22, 50, 0.75, n_pairs=50), 2)
    9.88
    >>> round(pfer_bound(29, 200, 0.75, n_pairs=100, assumption="r-concave"), 3)
    1.167
    """
    _check(q, p, n_pairs, assumption)
    threshold = check_real("threshold", threshold, low=0.0, high=1.0, low_open=True)
    lowest = _lowest(q / p, n_pairs, assumption)
    if not threshold > lowest + ROUNDING / n_pairs:
        raise ParameterError(
            f"threshold must be above {lowest:.4g} for {q} of {p} features and assumption="
            f"{assumption!r}, got {threshold:g}; raise it, or select fewer features in each half"
        )
    return _bound(q, p, threshold, n_pairs, assumption)


def pfer_threshold(
    q: int, p: int, max_false: float, *, n_pairs: int = 50, assumption: str = "unimodal"
) -> float:
    """The smallest frequency threshold under which at most `max_false` false selections are expected.

    Parameters
    ----------
    q, p, n_pairs, assumption
        As in :func:`pfer_bound`.
    max_false : float
        Expected number of false selections that is accepted, above 0.

    Returns
    -------
    float
        A multiple of 1 / (2B), or any number without an assumption; infinity if even features
        that every half selects exceed the bound, so that nothing can be selected.

    Raises
    ------
    ParameterError
        As in :func:`pfer_bound`.

    Examples
    --------
    >>> pfer_threshold(9, 100, 1.0, n_pairs=25)
    0.72
    >>> pfer_threshold(16, 50, 1.0, assumption="none")
    inf
    """
    _check(q, p, n_pairs, assumption)
    max_false = _check_goal(max_false)
    if assumption == "none":
        threshold = (q * q / (max_false * p) + 1.0) / 2.0
        return threshold if threshold <= 1.0 else math.inf
    steps = 2 * n_pairs
    first = math.floor(_lowest(q / p, n_pairs, assumption) * steps + ROUNDING) + 1
    found = _first(
        lambda w: _bound(q, p, w / steps, n_pairs, assumption) <= max_false, first, steps
    )
    return found / steps if found <= steps else math.inf


def pfer_size(
    threshold: float, p: int, max_false: float, *, n_pairs: int = 50, assumption: str = "unimodal"
) -> int:
    """How many features each half may select so that at most `max_false` are expected to be false.

    Parameters
    ----------
    threshold, p, n_pairs, assumption
        As in :func:`pfer_bound`; the threshold in (1/2, 1] under every assumption but r-concavity.
    max_false : float
        Expected number of false selections that is accepted, above 0.

    Returns
    -------
    int
        The largest such q; 0 if not even one feature may be selected in each half.

    Raises
    ------
    ParameterError
        As in :func:`pfer_bound`.

    Examples
    --------
    >>> pfer_size(0.9, 1000, 1.0, n_pairs=100, assumption="r-concave")
    121
    """
    _check(1, p, n_pairs, assumption)
    max_false = _check_goal(max_false)
    low = 0.0 if assumption == "r-concave" else 0.5
    threshold = check_real("threshold", threshold, low=low, high=1.0, low_open=True)

    def too_many(q: int) -> bool:
        if threshold <= _lowest(q / p, n_pairs, assumption) + ROUNDING / n_pairs:
            return True
        return _bound(q, p, threshold, n_pairs, assumption) > max_false

    return _first(too_many, 1, largest_size(p, n_pairs, assumption)) - 1


def largest_size(p: int, n_pairs: int, assumption: str) -> int:
    """The largest q that a bound covers."""
    if assumption == "none":
        return p
    if assumption == "unimodal":
        return math.floor(p * UNIMODAL_SHARE)
    # The tail of a frequency is bounded on a grid that needs room above twice its mean.
    return math.floor((2 * n_pairs - 2) * p / (4 * n_pairs) + ROUNDING)


def _check(q: int, p: int, n_pairs: int, assumption: str) -> None:
    check_choice("assumption", assumption, ASSUMPTIONS)
    p = check_integer("p (the number of features)", p, low=1)
    if n_pairs == 1:
        raise ParameterError(
            "n_pairs must be at least 2, got 1: one pair gives no estimate; draw more"
        )
    check_integer("n_pairs", n_pairs, low=2)
    check_integer("q (features selected in each half)", q, low=1)
    high = largest_size(p, n_pairs, assumption)
    if q > high:
        raise ParameterError(
            f"q must be at most {high} of {p} features with assumption={assumption!r} and {n_pairs} "
            f"pairs, got {q}; select fewer features in each half, or use another assumption"
        )


def _check_goal(max_false: float) -> float:
    return check_real("max_false", max_false, low=0.0, low_open=True)


def _lowest(share: float, n_pairs: int, assumption: str) -> float:
    """The threshold has to lie above this one."""
    if assumption == "r-concave":
        return share
    if assumption == "unimodal":
        # The theorem begins at 1/2 + 1/B; frequencies are multiples of 1 / (2B).
        return 0.5 + max(0.5 / n_pairs, min(share**2, 0.5 / n_pairs + 0.75 * share**2))
    return 0.5


def _bound(q: int, p: int, threshold: float, n_pairs: int, assumption: str) -> float:
    share = q / p
    if assumption == "none":
        return q * share / (2.0 * threshold - 1.0)
    if assumption == "unimodal":
        step = 0.5 / n_pairs
        if threshold <= 0.75:
            return q * share / (2.0 * (2.0 * threshold - 1.0 - step))
        return q * share * 4.0 * (1.0 - threshold + step) / (1.0 + 2.0 * step)
    # As many halves as the threshold asks for; frequencies are multiples of 1 / (2B).
    halves = math.ceil(threshold * 2 * n_pairs - ROUNDING)
    both = largest_tail(share**2, halves - n_pairs, n_pairs, -1 / 2)
    each = largest_tail(share, halves, 2 * n_pairs, -1 / 4)
    return p * min(both, each, 1.0)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number from `low` to `high` for which `holds`, if it then holds of all larger ones.

    ``high + 1`` if there is none.
    """
    high += 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def bound_of_frequency(
    frequency: NDArray[np.float64], q: int, p: int, n_pairs: int, assumption: str
) -> NDArray[np.float64]:
    """For each frequency the bound if it were the threshold; p where it is not covered, or larger."""
    lowest = _lowest(q / p, n_pairs, assumption) + ROUNDING / n_pairs
    found, at = np.unique(frequency, return_inverse=True)
    covered = q <= largest_size(p, n_pairs, assumption)
    bounds = [
        min(float(p), _bound(q, p, each, n_pairs, assumption))
        if covered and each > lowest
        else float(p)
        for each in found.tolist()
    ]
    return np.array(bounds)[at.reshape(-1)]
