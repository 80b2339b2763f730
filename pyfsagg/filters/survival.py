"""Filters for survival: the score test of a Cox model with one feature, and the concordance index."""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Booleans, Floats, Indices, Integers, TargetLike
from pyfsagg._base.validation import check_choice
from pyfsagg._kernels import Codes
from pyfsagg._kernels import survival as pairs
from pyfsagg._kernels.survival import cox_score_block
from pyfsagg._message import Remedy, Use
from pyfsagg._table.table import Table, Weights, full_weights
from pyfsagg._table.target import TIES, Survival, Target, read_survival
from pyfsagg.exceptions import DataError
from pyfsagg.filters import _base, adjusted

_Times = tuple[Indices, Booleans, Integers]


def _latest_first(survival: Survival) -> _Times:
    """Rows by descending time, their events, and where each distinct time begins, with the number of rows."""
    rows = np.ascontiguousarray(survival.order[::-1])
    start = np.r_[0, len(rows) - survival.start[::-1]].astype(np.int64)
    return rows, survival.event[rows], start


def _survival(target: Target) -> Survival:
    if target.survival is None:
        raise DataError(
            f"the target {target.name!r} has no times and events, which this filter needs",
            Remedy("set ", Use(task="survival")),
        )
    return target.survival


def _cox_scores(
    values: Floats,
    times: _Times,
    efron: bool,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    rows, event, start = times
    cox_score_block(values, event, start, efron, np.ascontiguousarray(weights[:, rows]), scores[0])


def _concordances(
    levels: Codes,
    n_levels: Integers,
    times: _Times,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    rows, event, start = times
    ordered, counts = np.ascontiguousarray(weights[:, rows]), np.empty((3, *scores.shape[1:]))
    pairs.comparable_pairs(levels, n_levels, event, start, ordered, counts)
    all_pairs = counts.sum(axis=0)
    share = np.divide(counts[0] + 0.5 * counts[2], all_pairs, out=scores[0], where=all_pairs > 0.0)
    share[all_pairs == 0.0] = 0.5
    np.maximum(share, 1.0 - share, out=share)


def prepare_cox_score(table: Table, target: Target, *, ties: str = "efron") -> _base.Scorer:
    """Bind Cox's score test to `table`; in a model that holds the adjusters, if there are any.

    Parameters
    ----------
    ties : {"efron", "breslow"}
        Treatment of events at the same time.  With rows that count several times
        there are always such events.

    Notes
    -----
    Features are numeric, integer, boolean, or nominal with at most two levels, without missing values.
    The statistic, with one degree of freedom, is as large for either direction, and 0 for a feature
    that is constant among those at risk.  Ties by Efron (1977), J. American Statistical Association 72(359).
    """
    check_choice("ties", ties, TIES)
    _base.require_ordered_complete(table, "cox_score")
    values = _base.within_range(table.values)
    if target.adjusters is not None:
        model = (values, target, ties == "efron")
        return _base.KernelScorer(adjusted.cox_scores, model, ("cox_score",), table.n_features)
    times = _latest_first(_survival(target))
    arguments = (np.asfortranarray(values[times[0]]), times, ties == "efron")
    return _base.KernelScorer(_cox_scores, arguments, ("cox_score",), table.n_features)


def prepare_concordance(table: Table, target: Target) -> _base.KernelScorer:
    """Bind Harrell's concordance to `table`.

    Notes
    -----
    The share of pairs that the feature orders correctly, in the better of the two directions.  A pair is
    comparable if the earlier of its rows has an event; a row censored at the time of an event counts as
    later.  Pairs with equal values of the feature count half, two events at the same time not at all.
    Features are numeric, integer, boolean, or nominal with at most two levels, without missing values.
    """
    _base.require_ordered_complete(table, "concordance")
    times, levels = _latest_first(_survival(target)), _base.ordered_levels(table)
    arguments = (np.asfortranarray(levels.codes[times[0]]), np.diff(levels.start), times)
    outputs, p = ("concordance",), table.n_features
    return _base.KernelScorer(_concordances, arguments, outputs, p, together=pairs.TOGETHER)


def count_comparable_pairs(survival: Survival, values: Floats) -> tuple[float, float, float]:
    """Comparable pairs of rows, by whether the number of the longer survivor is larger, smaller or equal."""
    rows, event, start = _latest_first(survival)
    levels, n_levels = _base.category_codes(values[rows])
    weights = np.ones((1, len(levels)), dtype=np.uint16)
    column = np.asfortranarray(levels[:, np.newaxis])
    counts = np.empty((3, 1, 1))
    pairs.comparable_pairs(column, np.array([n_levels]), event, start, weights, counts)
    larger, smaller, tied = counts.ravel().tolist()
    return larger, smaller, tied


def martingale_residuals(
    y: TargetLike, *, ties: str = "efron", sample_weight: ArrayLike | None = None
) -> Floats:
    """Martingale residuals of the Cox model without features.

    The event of a row (0 or 1) minus the number of events expected until its time.  With
    ``task="survival"``, filters for a numeric target use these residuals as the target; a function
    of your own can do the same by calling this with its `y` and `sample_weight`.

    Parameters
    ----------
    y, ties, sample_weight
        As in :func:`cox_score`.

    Returns
    -------
    ndarray of float64, shape (n_samples,)
        At most 1; above 0: earlier than expected.

    References
    ----------
    Therneau, Grambsch and Fleming (1990), Biometrika 77(1).

    Examples
    --------
    >>> import numpy as np
    >>> time, event = [2, 4, 5, 7, 9], [1, 1, 0, 1, 1]
    >>> martingale_residuals(np.column_stack([time, event])).round(2).tolist()
    [0.8, 0.55, -0.45, 0.05, -0.95]
    """
    check_choice("ties", ties, TIES)
    survival, _ = read_survival(y)
    weights = full_weights(len(survival.time), sample_weight)
    residuals: Floats = survival.residuals(weights, ties)[0]
    return residuals


_of_survival = partial(
    _base.FilterSpec, accepts_missing=_base.never, targets=("survival",), own_column=True
)
_base.FILTERS.add(
    _of_survival(
        name="cox_score", aliases=("cox",),
        summary="Score test of a Cox model of the feature alone (chi-squared)",
        formula="U^2 / V: U = sum over events of X - mean of X over those at risk, V its variance; at tied "
        "times by Efron or Breslow",
        latex=r"\frac{U^2}{V}, \quad U = \sum_{i:\, \delta_i = 1} (X_i - \bar X(t_i)), \quad "
        r"V = \sum_{i:\, \delta_i = 1} \overline{(X - \bar X(t_i))^2}(t_i), "
        r"\quad \bar X(t) \text{ the mean of } X \text{ over those at risk at } t", bounds="[0, inf)",
        ties="tied event times by Efron (default) or Breslow",
        source="Cox (1972), J. Royal Statistical Society B 34(2)", prepare=prepare_cox_score,
        within="model",
    ),
    _of_survival(
        name="concordance", aliases=("c_index", "harrell"),
        summary="Harrell's concordance index with survival, in its better direction",
        formula="max(C, 1 - C), C = share of comparable pairs whose row with the larger X lives longer",
        latex=r"\max(C, 1 - C), \quad C = P(X_i < X_j \mid t_i < t_j, \delta_i = 1) "
        r"+ \frac{1}{2} P(X_i = X_j \mid t_i < t_j, \delta_i = 1)", bounds="[0.5, 1]",
        ties="equal values count half; two events at one time are no pair",
        source="Harrell et al. (1982), J. American Medical Association 247(18)",
        prepare=prepare_concordance,
    ),
)  # fmt: skip
