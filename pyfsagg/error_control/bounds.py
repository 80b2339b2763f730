"""Error bounds of stability selection from complementary pairs."""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats, row_blocks
from pyfsagg._base.validation import as_array, check_choice, check_integer, check_real
from pyfsagg._message import Message, Param, Remedy, Use
from pyfsagg.exceptions import DataError, ParameterError

SPAN = (math.log(1e-5), math.log(1e5))  # where log a is looked for


@lru_cache(maxsize=2**14)
def largest_tail(mean: float, steps: int, n: int, r: float) -> float:
    """The largest P(X ≥ steps / n) of an r-concave X on 0, 1/n, …, 1 with at most this `mean`; 1 unless
    ``steps / n`` is above twice the mean."""
    if steps < math.ceil(2.0 * mean * n) + 1:
        return 1.0
    places = np.arange(n + 1.0)
    total = mean * n

    def surplus(log_a: float, size: int) -> float:
        weights = (math.exp(log_a) + places[:size]) ** (1.0 / r)
        return float(weights @ places[:size] / weights.sum() - total)

    def minus_tail(log_a: float) -> float:
        """Of the extreme distribution with mean `total` that belongs to a."""
        weights = (math.exp(log_a) + places) ** (1.0 / r)
        below, moments = np.cumsum(weights), np.cumsum(weights * places)
        k = int(np.searchsorted(moments / below, total, side="right")) - 1
        k = min(k, n - 1)
        if k + 1 < steps:
            return 0.0
        reach = (k + 1) * below[k] - moments[k]
        return float((k + 1 - total) * below[steps - 1] / reach - 1.0)

    # From where k + 1 = n to where k + 1 = steps; in between the tail has one maximum.
    ends = (_root(lambda x: surplus(x, n + 1)), _root(lambda x: surplus(x, steps)))
    best = scipy.optimize.minimize_scalar(
        minus_tail, bounds=ends, method="bounded", options={"xatol": 1e-7}
    )
    return float(0.0 - min(best.fun, minus_tail(ends[0]), minus_tail(ends[1])))


def _root(rising: Callable[[float], float]) -> float:
    """Where a rising function of log a is 0; the end of the span that is nearest, if nowhere."""
    if rising(SPAN[0]) >= 0.0:
        return SPAN[0]
    if rising(SPAN[1]) <= 0.0:
        return SPAN[1]
    return float(scipy.optimize.brentq(rising, *SPAN, xtol=1e-10))


def matrix_of_halves(scores: ArrayLike) -> Floats:
    """Scores (2 n_pairs, n_features) of complementary pairs, after a check of their shape."""
    matrix: Floats = as_array("scores", scores, np.float64)
    if matrix.ndim != 2 or matrix.shape[0] % 2:
        shape = " must have the shape (2 n_pairs, features)"
        halves = f", the halves of a pair one after the other, got {matrix.shape}"
        raise DataError(Param("scores"), shape, halves)
    return matrix


def selection_frequency(scores: ArrayLike, q: int) -> NDArray[np.float64]:
    """Share of halves in which each feature is among the best q.

    A feature is selected if fewer than q others have a score as high or higher; where a tie crosses
    the cut, none of the tied features is.  So the order of the columns does not matter, and at most q
    are selected.

    Parameters
    ----------
    scores : array-like (M, p)
        Larger = more important; a missing one is the worst.
    q : int
        From 1 to p.

    Returns
    -------
    ndarray (p,)
        Multiples of 1 / M.

    Examples
    --------
    >>> selection_frequency([[3, 2, 1, 0], [3, 2, 2, 0]], 2)
    array([1. , 0.5, 0. , 0. ])
    """
    matrix = as_array("scores", scores, np.float64)
    if matrix.ndim != 2:
        raise DataError(
            Param("scores"), f" must have the shape (halves, features), got {matrix.shape}"
        )
    m, p = matrix.shape
    q = check_integer(Message(Param("q"), " (features selected in each half)"), q, low=1, high=p)
    counts = np.zeros(p, dtype=np.intp)
    for rows in row_blocks(matrix.shape):
        block = np.where(np.isnan(matrix[rows]), -np.inf, matrix[rows])
        if q == p:
            counts += (block > -np.inf).sum(axis=0)
            continue
        # The best score that is omitted: what ties with it is omitted too.
        cut = np.partition(block, p - q - 1, axis=1)[:, p - q - 1 : p - q]
        counts += (block > cut).sum(axis=0)
    return np.asarray(counts / m)


ASSUMPTIONS = ("none", "unimodal", "r-concave")
"""What may be supposed of the selection frequencies of noise features, from weakest to strongest."""
UNIMODAL_SHARE = 1 / math.sqrt(3)  # largest q / p of the unimodal bound
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
            Param("threshold"),
            f" must be above {lowest:.4g} for {q} of {p} features and ",
            Use(assumption=assumption),
            f", got {threshold:g}",
            Remedy("raise it, or select fewer features in each half"),
        )
    return _bound(q, p, threshold, n_pairs, assumption)


def pfer_threshold(
    q: int, p: int, max_false: float, *, n_pairs: int = 50, assumption: str = "unimodal"
) -> float:
    """The smallest frequency threshold under which at most `max_false` false selections are expected."""
    _check(q, p, n_pairs, assumption)
    max_false = check_real("max_false", max_false, low=0.0, low_open=True)
    if assumption == "none":
        threshold = (q * q / (max_false * p) + 1.0) / 2.0
        return threshold if threshold <= 1.0 else math.inf
    steps = 2 * n_pairs
    first = math.floor(_lowest(q / p, n_pairs, assumption) * steps + ROUNDING) + 1
    step = _first(lambda w: _bound(q, p, w / steps, n_pairs, assumption) <= max_false, first, steps)
    return step / steps if step <= steps else math.inf


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

    Examples
    --------
    >>> pfer_size(0.9, 1000, 1.0, n_pairs=100, assumption="r-concave")
    121
    """
    _check(1, p, n_pairs, assumption)
    max_false = check_real("max_false", max_false, low=0.0, low_open=True)
    low = 0.0 if assumption == "r-concave" else 0.5
    threshold = check_real("threshold", threshold, low=low, high=1.0, low_open=True)

    too_many = _first(
        lambda q: (
            threshold <= _lowest(q / p, n_pairs, assumption) + ROUNDING / n_pairs
            or _bound(q, p, threshold, n_pairs, assumption) > max_false
        ),
        1,
        largest_size(p, n_pairs, assumption),
    )
    return too_many - 1


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
    p = check_integer(Message(Param("p"), " (the number of features)"), p, low=1)
    if n_pairs == 1:
        raise ParameterError(
            Param("n_pairs"),
            " must be at least 2, got 1: one pair gives no estimate",
            Remedy("draw more"),
        )
    check_integer("n_pairs", n_pairs, low=2)
    check_integer(Message(Param("q"), " (features selected in each half)"), q, low=1)
    high = largest_size(p, n_pairs, assumption)
    if q > high:
        raise ParameterError(
            Param("q"),
            f" must be at most {high} of {p} features with ",
            Use(assumption=assumption),
            f" and {n_pairs} pairs, got {q}",
            Remedy("select fewer features in each half, or use another assumption"),
        )


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
    single = largest_tail(share, halves, 2 * n_pairs, -1 / 4)
    return p * min(both, single, 1.0)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number from `low` to `high` for which the monotone `holds` is true, or ``high + 1``."""
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
    """Bound for each frequency if it were the threshold; at most p, also outside its range."""
    lowest = _lowest(q / p, n_pairs, assumption) + ROUNDING / n_pairs
    distinct, position = np.unique(frequency, return_inverse=True)
    bounds = np.full(distinct.size, float(p))
    if q <= largest_size(p, n_pairs, assumption):
        for i in np.flatnonzero(distinct > lowest).tolist():
            bounds[i] = min(float(p), _bound(q, p, float(distinct[i]), n_pairs, assumption))
    return np.asarray(bounds[position.reshape(-1)])
