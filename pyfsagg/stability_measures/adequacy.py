"""Is the number of resamples large enough?  How far the ranking would move with more of them.

Everything here takes the score matrix (m, p) that the resamples gave and bootstraps its rows: the
spread of the aggregated scores over these bootstrap samples is the Monte Carlo error that m
resamples leave, apart from the sampling error of the data themselves.  Where one resample can decide
the value of a feature (minimum, maximum), a bootstrap says too little; there the two halves of the
resamples are compared, which are two runs of m/2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.random import Generator
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_integer, check_list, check_real
from pyfsagg._base.memory import require_memory
from pyfsagg._base.scale import scaled
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.selection import n_selected
from pyfsagg._base.types import Floats
from pyfsagg._kernels.stability.pairs import kendall_block
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.ranks import rank_scores, select_top
from pyfsagg.stability_measures._input import read_matrix

__all__ = ["Adequacy", "adequacy", "adequacy_curve", "enough_resamples"]

Aggregator = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class Adequacy:
    """Monte Carlo precision of an aggregation over m resamples.

    Attributes
    ----------
    features : DataFrame
        Index ``feature``; ``score``, ``score_se`` (Monte Carlo standard error of the aggregated
        score), ``rank`` (1 = most important), ``rank_se`` (root mean square move of the rank) and
        ``probability_in_top`` (share of repetitions with the feature among the top k).
    probability_top_changes : float
        Probability that another m resamples would give another top-k set.
    expected_top_overlap : float
        Expected share of the top k that another m resamples would keep.
    expected_kendall : float
        Expected Kendall tau-b between the ranking and that of another m resamples.
    expected_rank_move : float
        Expected mean absolute move of a rank, in ranks.
    relative_error : float
        Largest score_se, divided by the standard deviation of the aggregated scores over features;
        infinite if all aggregated scores are equal.
    n_resamples, top : int
        m and k.
    n_boot : int
        Number of bootstrap samples, or of halves.
    n_compared : int
        Resamples in each of the two repetitions that are compared: m, or m/2 where halves are.
    seed : int
        Seed of the bootstrap.
    """

    features: pd.DataFrame
    probability_top_changes: float
    expected_top_overlap: float
    expected_kendall: float
    expected_rank_move: float
    relative_error: float
    n_resamples: int
    top: int
    n_boot: int
    n_compared: int
    seed: int

    def summary(self) -> dict[str, float]:
        """The numbers for the ranking as a whole."""
        return {
            "n_resamples": self.n_resamples,
            "top": self.top,
            "probability_top_changes": self.probability_top_changes,
            "expected_top_overlap": self.expected_top_overlap,
            "expected_kendall": self.expected_kendall,
            "expected_rank_move": self.expected_rank_move,
            "relative_error": self.relative_error,
        }

    def to_frame(self) -> pd.DataFrame:
        """The table per feature."""
        return self.features

    def to_json(self) -> str:
        """Summary and table per feature as a JSON object; an infinite relative error is null."""
        summary = {k: v if np.isfinite(v) else None for k, v in self.summary().items()}
        table = self.features.reset_index().to_dict(orient="records")
        return json.dumps({"summary": summary, "features": table})

    def __repr__(self) -> str:
        return (
            f"Adequacy({self.n_compared} resamples, {len(self.features)} features: top "
            f"{self.top} changes with probability {self.probability_top_changes:.3g}, Kendall to "
            f"a repetition {self.expected_kendall:.3g}, ranks move by "
            f"{self.expected_rank_move:.3g})"
        )


def adequacy(
    scores: Any,
    *,
    top: float | int = 0.25,
    aggregator: Aggregator | None = None,
    by: str | None = None,
    n_boot: int = 200,
    random_state: int | Generator | None = None,
    feature_names: Sequence[str] | None = None,
) -> Adequacy:
    """Expected change of aggregated scores and ranks with another m resamples.

    Parameters
    ----------
    scores : EnsembleResult, array or frame of shape (m, p)
        Scores of m resamples, larger = more important; of a result the combined ones.
    top : float or int, default 0.25
        Subset size k: a fraction of p (rounded up) or a count.
    aggregator : callable, optional
        Takes a score matrix (m, p) and returns scores (p,), larger = more important.  The default
        is that of the result, and for an array the mean over resamples, which is evaluated for all
        bootstrap samples by one matrix product; a callable is called `n_boot` times.
    by : {"bootstrap", "halves"}, optional
        Method to imitate repetitions; see the notes.  The default depends on the aggregator of the result,
        and is "bootstrap" for an array.
    n_boot : int, default 200
        Bootstrap samples.
    random_state : int, Generator or None
        Seed of the bootstrap, recorded in the result; None draws one.
    feature_names : sequence of str, optional
        Names of the columns of an array.

    Returns
    -------
    Adequacy

    Raises
    ------
    DataError
        For one resample (fewer than four for halves), missing scores, or an aggregator that returns
        something other than p finite numbers.

    Notes
    -----
    Two independent repetitions are imitated by two bootstrap samples: sample b is compared with
    sample b + n_boot/2.  The comparison of a bootstrap sample with the original would be between a
    repetition and its own centre, and would understate the difference by a factor of about sqrt(2).
    ``rank_se`` and ``score_se`` are around the aggregation at hand.

    A bootstrap sample of m resamples holds 63 % of them, and has the same extremes as the run most of the
    time: for an aggregator that one resample can decide (minimum, maximum, best_go_first, the geometric
    mean of scores that may be 0) it promises fewer changes than there are (``pyfsagg reproduce
    calibration --only adequacy``).  There, ``by="halves"``: two halves of the resamples, drawn at
    random, are two runs of m/2 resamples, and all numbers are about runs of that size.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import adequacy
    >>> rng = np.random.default_rng(0)
    >>> scores = np.array([3.0, 2.0, 1.0, 0.0]) + 0.1 * rng.normal(size=(50, 4))
    >>> found = adequacy(scores, top=2)
    >>> found.probability_top_changes, found.expected_kendall
    (0.0, 1.0)
    """
    matrix = read_matrix(scores, feature_names=feature_names, kind="scores", name="scores")
    values = matrix.values
    m, p = values.shape
    k = n_selected(top, p, "top")
    n_boot = check_integer("n_boot", n_boot, low=4)
    n_boot += n_boot % 2
    require_memory(
        8 * n_boot * (m + 4 * p),
        f"{n_boot:,} repetitions of the aggregation",
        "take a smaller n_boot",
    )
    if aggregator is None:
        aggregator = getattr(scores, "reaggregate", None)
        if by is None and getattr(scores, "aggregates_extremes", False):
            by = "halves"
    by = check_choice("by", "bootstrap" if by is None else by, ("bootstrap", "halves"))
    seed = resolve_seed(random_state)
    weights = _repetitions(m, n_boot, by, np.random.default_rng(seed))
    size = int(weights[0].sum())
    if aggregator is None:
        unit, exponent = scaled(values)
        centre = np.ldexp(unit.mean(axis=0), exponent)
        repeated = np.ldexp(weights @ unit / size, exponent)
    else:
        centre = _aggregate(aggregator, values)
        rows = np.arange(m)
        repeated = np.array(
            [_aggregate(aggregator, values[np.repeat(rows, row)]) for row in weights]
        )
    return _compare(centre, repeated, k, m, size, matrix.feature_names, seed)


def _repetitions(m: int, n_boot: int, by: str, rng: Generator) -> NDArray[np.int64]:
    """How often each resample is in each repetition; b and b + n_boot/2 are compared."""
    if by == "bootstrap":
        return rng.multinomial(m, np.full(m, 1.0 / m), size=n_boot)
    if m < 4:
        raise DataError(
            f"{m} resamples have no two halves of at least two; draw at least 4 resamples"
        )
    orders = rng.permuted(np.tile(np.arange(m), (n_boot // 2, 1)), axis=1)
    return np.concatenate([orders < m // 2, (orders >= m // 2) & (orders < 2 * (m // 2))]).astype(
        np.int64
    )


def _aggregate(aggregator: Aggregator, values: Floats) -> Floats:
    if not callable(aggregator):
        raise InputTypeError(f"aggregator must be callable, got {type(aggregator).__name__}")
    found = np.asarray(aggregator(values), dtype=np.float64)
    if found.shape != (values.shape[1],) or not np.isfinite(found).all():
        raise DataError(
            f"the aggregator must return {values.shape[1]} finite numbers for a score matrix of "
            f"shape {values.shape}, got shape {found.shape}"
        )
    return found


def _compare(
    centre: Floats, repeated: Floats, k: int, m: int, size: int, names: tuple[str, ...], seed: int
) -> Adequacy:
    p = len(centre)
    n_boot = len(repeated)
    half = n_boot // 2
    rank = rank_scores(centre)
    ranks = rank_scores(repeated)
    tops = select_top(repeated, k)
    kept = (tops[:half] & tops[half:]).sum(axis=1)
    both, exponent = scaled(np.vstack([centre, repeated]))
    error = both[1:].std(axis=0, ddof=1)
    spread = float(both[0].std(ddof=1)) if p > 1 else 0.0
    taus = _row_kendall(ranks[:half], ranks[half:])
    features = pd.DataFrame(
        {
            "score": centre,
            "score_se": np.ldexp(error, exponent),
            "rank": rank,
            "rank_se": np.sqrt(((ranks - rank) ** 2).mean(axis=0)),
            "probability_in_top": tops.mean(axis=0),
        },
        index=pd.Index(list(names), name="feature"),
    )
    return Adequacy(
        features,
        float((kept < k).mean()),
        float(kept.mean() / k),
        taus,
        float(np.abs(ranks[:half] - ranks[half:]).mean()),
        float(error.max()) / spread if spread > 0 else float("inf"),
        m,
        k,
        n_boot,
        size,
        seed,
    )


def _row_kendall(left: Floats, right: Floats) -> float:
    """Mean tau-b of row b of `left` with row b of `right`; equal rankings without order count 1."""
    weights = np.ones((1, left.shape[1]))
    total = 0.0
    order_left, order_right = np.argsort(left, axis=1), np.argsort(right, axis=1)
    for b in range(len(left)):
        one = slice(b, b + 1)
        tau = kendall_block(
            left[one], right[one], order_left[one], order_right[one], weights, weights, False
        )[0, 0]
        # tau-b is undefined when one ranking is all ties; two such rankings agree entirely.
        total += float(np.array_equal(left[b], right[b])) if np.isnan(tau) else float(tau)
    return total / len(left)


def adequacy_curve(
    scores: Any,
    sizes: Sequence[int] | None = None,
    *,
    top: float | int = 0.25,
    aggregator: Aggregator | None = None,
    by: str | None = None,
    n_boot: int = 200,
    random_state: int | Generator | None = None,
) -> pd.DataFrame:
    """The numbers of :func:`adequacy` for the first 25, 50, 100, … resamples.

    Parameters
    ----------
    scores : array or frame of shape (m, p)
        Score matrix in the order in which the resamples were drawn.
    sizes : sequence of int, optional
        Numbers of resamples, each in 2..m; doublings from 25 up to m, and m itself, by default.
    top, aggregator, by, n_boot, random_state
        As in :func:`adequacy`.

    Returns
    -------
    DataFrame
        One row per size with the columns of ``Adequacy.summary()``.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import adequacy_curve
    >>> scores = np.array([2.0, 1.0, 0.0]) + np.random.default_rng(0).normal(size=(60, 3))
    >>> adequacy_curve(scores, top=1)["n_resamples"].tolist()
    [25, 50, 60]
    """
    values = read_matrix(scores, kind="scores", name="scores").values
    m = len(values)
    if sizes is None:
        doublings = [25 * 2**i for i in range(40) if 25 * 2**i < m]
        sizes = [*doublings, m]
    seed = resolve_seed(random_state)
    rows = []
    for size in check_list("sizes", sizes):
        count = check_integer("each of sizes", size, low=2, high=m)
        found = adequacy(
            values[:count],
            top=top,
            aggregator=aggregator,
            by=by,
            n_boot=n_boot,
            random_state=seed,
        )
        rows.append(found.summary())
    return pd.DataFrame(rows)


def enough_resamples(
    scores: Any,
    *,
    top: float | int = 0.25,
    max_change: float = 0.05,
    max_rank_move: float | None = None,
    max_relative_error: float | None = None,
    aggregator: Aggregator | None = None,
    by: str | None = None,
    n_boot: int = 200,
    random_state: int | Generator | None = None,
) -> tuple[bool, Adequacy]:
    """Stopping rule for ``n_resamples="auto"``: is the stated precision reached?

    Parameters
    ----------
    scores : array or frame of shape (m, p)
        Scores of the resamples so far.
    max_change : float, default 0.05
        Largest allowed share of the top k that another m resamples would replace, in (0, 1].
    max_rank_move : float, optional
        Largest allowed mean absolute move of a rank, in ranks.
    max_relative_error : float, optional
        Largest allowed ``Adequacy.relative_error``.
    top, aggregator, by, n_boot, random_state
        As in :func:`adequacy`.

    Returns
    -------
    tuple of (bool, Adequacy)
        Whether every stated limit holds, and the numbers.

    Notes
    -----
    The caller should double the number of resamples between two checks and set a maximum: checking
    after every resample would stop at the first lucky moment.  The share of the top k that changes
    is used and not the probability that any feature changes, because two features that are equally
    important swap at the edge of the top k whatever the number of resamples.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import enough_resamples
    >>> scores = np.arange(8.0) + 0.2 * np.random.default_rng(0).normal(size=(40, 8))
    >>> enough_resamples(scores, top=2)[0]
    True
    """
    limit = check_real("max_change", max_change, low=0.0, high=1.0, low_open=True)
    found = adequacy(
        scores, top=top, aggregator=aggregator, by=by, n_boot=n_boot, random_state=random_state
    )
    reached = 1.0 - found.expected_top_overlap <= limit
    if max_rank_move is not None:
        allowed = check_real("max_rank_move", max_rank_move, low=0.0)
        reached = reached and found.expected_rank_move <= allowed
    if max_relative_error is not None:
        allowed = check_real("max_relative_error", max_relative_error, low=0.0)
        reached = reached and found.relative_error <= allowed
    return reached, found
