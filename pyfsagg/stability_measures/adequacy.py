"""Is the number of resamples large enough?  How far the ranking would move with more of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base import validation
from pyfsagg._base.arithmetic import Floats, RandomState, scaled
from pyfsagg._base.fields import Part, plain
from pyfsagg._base.memory import require_memory
from pyfsagg._kernels.stability import kendall_block
from pyfsagg._message import Param
from pyfsagg.exceptions import DataError, InputTypeError
from pyfsagg.ranks import rank_scores, ranking
from pyfsagg.stability_measures._input import read_matrix

Aggregator = Callable[[Floats], Floats]
SUMMARY = (
    *("n_resamples", "n_features_to_select", "probability_top_changes", "expected_top_overlap"),
    *("expected_kendall", "expected_rank_move", "relative_error"),
)


@dataclass(frozen=True, eq=False)
class Adequacy(Part):
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
    n_resamples, n_features_to_select, n_boot, seed : int
        m, k, the number of bootstrap samples or halves, and their seed.
    n_compared : int
        Resamples in each of the two repetitions that are compared: m, or m/2 where halves are.
    curve : DataFrame or None
        One row for each number of resamples in `sizes`, with the columns of ``Adequacy.summary()``.
    """

    features: pd.DataFrame
    probability_top_changes: float
    expected_top_overlap: float
    expected_kendall: float
    expected_rank_move: float
    relative_error: float
    n_resamples: int
    n_features_to_select: int
    n_boot: int
    n_compared: int
    seed: int
    curve: pd.DataFrame | None = None

    def summary(self) -> dict[str, float]:
        """The numbers for the ranking as a whole."""
        return {name: getattr(self, name) for name in SUMMARY}

    def enough(
        self,
        max_change: float = 0.05,
        *,
        max_rank_move: float | None = None,
        max_relative_error: float | None = None,
    ) -> bool:
        """Whether a stated precision is reached: the rule of ``n_resamples="auto"``.

        Parameters
        ----------
        max_change : float, default 0.05
            Largest allowed share of the top k that another m resamples would replace, in (0, 1].
        max_rank_move : float, optional
            Largest allowed mean absolute move of a rank, in ranks.
        max_relative_error : float, optional
            Largest allowed `relative_error`.

        Notes
        -----
        Double the number of resamples between two looks, and set a maximum: looking after every
        resample would stop at the first lucky moment.  The rule takes the share of the top k that
        changes, because two equally important features swap at its edge however many resamples there are.
        """
        limit = validation.check_real("max_change", max_change, low=0.0, high=1.0, low_open=True)
        reached = 1.0 - self.expected_top_overlap <= limit
        for name, most, found in (
            ("max_rank_move", max_rank_move, self.expected_rank_move),
            ("max_relative_error", max_relative_error, self.relative_error),
        ):
            if most is not None:
                reached &= found <= validation.check_real(name, most, low=0.0)
        return reached

    def to_frame(self) -> pd.DataFrame:
        """The table per feature."""
        return self.features

    def _contents(self) -> dict[str, Any]:
        summary = {name: plain(value) for name, value in self.summary().items()}
        return {"summary": summary, "features": self.features.reset_index().to_dict("records")}

    def __repr__(self) -> str:
        return (
            f"Adequacy({self.n_compared} resamples, {len(self.features)} features: top "
            f"{self.n_features_to_select} changes with probability {self.probability_top_changes:.3g}, "
            f"Kendall to a repetition {self.expected_kendall:.3g}, ranks move by "
            f"{self.expected_rank_move:.3g})"
        )


def adequacy(
    scores: Any,
    *,
    n_features_to_select: float | int = 0.25,
    aggregator: Aggregator | None = None,
    by: str | None = None,
    n_boot: int = 200,
    sizes: Sequence[int] | str | None = None,
    random_state: RandomState = None,
    feature_names: Sequence[str] | None = None,
) -> Adequacy:
    """Expected change of aggregated scores and ranks with another m resamples.

    Parameters
    ----------
    scores : EnsembleResult, array or frame of shape (m, p)
        Scores of m resamples, larger = more important; of a result the combined ones.
    n_features_to_select : float or int, default 0.25
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
    sizes : sequence of int or "auto", optional
        Numbers of resamples, each in 2..m, for whose first so many ``result.curve`` has the same
        numbers; "auto": doublings from 25 up to m, and m itself.
    random_state : int, Generator or None
        Seed of the bootstrap, recorded in the result; None draws one.
    feature_names : sequence of str, optional
        Names of the columns of an array.

    Raises
    ------
    DataError
        For one resample (fewer than four for halves), missing scores, or an aggregator that returns
        something other than p finite numbers.

    See Also
    --------
    stability : Agreement of the resamples with one another.

    Notes
    -----
    Two independent repetitions are imitated by two bootstrap samples, b and b + n_boot/2: the original
    is the centre of its samples, and a comparison with it would understate the difference by a factor
    of about sqrt(2).  ``rank_se`` and ``score_se`` are around the aggregation at hand.

    A bootstrap sample mostly has the same extremes as the run: for an aggregator that one resample can
    decide (minimum, maximum, best_go_first, the geometric mean of scores that may be 0) it promises
    fewer changes than there are (``pyfsagg reproduce calibration --only adequacy``).  There, with
    ``by="halves"``, two random halves of the resamples are two runs, and all numbers are about runs of
    m/2 resamples.

    Examples
    --------
    >>> import numpy as np
    >>> from pyfsagg.stability_measures import adequacy
    >>> rng = np.random.default_rng(0)
    >>> scores = np.array([3.0, 2.0, 1.0, 0.0]) + 0.1 * rng.normal(size=(50, 4))
    >>> result = adequacy(scores, n_features_to_select=2)
    >>> result.probability_top_changes, result.expected_kendall, result.enough()
    (0.0, 1.0, True)
    """
    matrix = read_matrix(scores, feature_names=feature_names, kind="scores", name="scores")
    k = validation.n_selected(n_features_to_select, matrix.values.shape[1], "n_features_to_select")
    if aggregator is None:
        aggregator = getattr(scores, "_reaggregate", None)
        if by is None and getattr(scores, "_aggregates_extremes", False):
            by = "halves"
    by = validation.check_choice("by", "bootstrap" if by is None else by, ("bootstrap", "halves"))
    n_boot = validation.check_integer("n_boot", n_boot, low=4)
    seed = validation.resolve_seed(random_state)
    m = len(matrix.values)

    def of_first(n_resamples: int) -> Adequacy:
        scores = matrix.values[:n_resamples]
        return _adequacy(scores, matrix.feature_names, k, aggregator, by, n_boot, seed)

    result = of_first(m)
    if sizes is None:
        return result
    if validation.is_word(sizes, "auto"):
        sizes = [*(25 * 2**i for i in range(40) if 25 * 2**i < m), m]
    counts = [
        validation.check_integer("each of sizes", size, low=2, high=m)
        for size in validation.check_list("sizes", sizes)
    ]
    rows = [(result if count == m else of_first(count)).summary() for count in counts]
    return replace(result, curve=pd.DataFrame(rows))


def _adequacy(
    values: Floats,
    names: tuple[str, ...],
    k: int,
    aggregator: Aggregator | None,
    by: str,
    n_boot: int,
    seed: int,
) -> Adequacy:
    """The precision of an aggregation of the rows of `values`."""
    m, p = values.shape
    n_boot += n_boot % 2
    memory = 8 * n_boot * (m + 4 * p)
    require_memory(memory, f"{n_boot:,} repetitions of the aggregation", "take a smaller n_boot")
    half, rng = n_boot // 2, np.random.default_rng(seed)
    # How often each resample is in each repetition; b and b + n_boot/2 are compared.
    if by == "bootstrap":
        weights = rng.multinomial(m, np.full(m, 1.0 / m), size=n_boot)
    elif m < 4:
        raise DataError(
            f"{m} resamples have no two halves of at least two; draw at least 4 resamples"
        )
    else:
        orders = rng.permuted(np.tile(np.arange(m), (half, 1)), axis=1)
        halves = [orders < m // 2, (orders >= m // 2) & (orders < 2 * (m // 2))]
        weights = np.concatenate(halves).astype(np.int64)
    size = int(weights[0].sum())
    if aggregator is None:
        unit, exponent = scaled(values)
        centre = np.ldexp(unit.mean(axis=0), exponent)
        repeated = np.ldexp(weights @ unit / size, exponent)
    else:
        centre = _aggregate(aggregator, values)
        repeated = np.array(
            [_aggregate(aggregator, np.repeat(values, row, axis=0)) for row in weights]
        )
    rank, ranks = rank_scores(centre), rank_scores(repeated)
    selected = ranking.select_top(repeated, k)
    common = (selected[:half] & selected[half:]).sum(axis=1)
    both, exponent = scaled(np.vstack([centre, repeated]))
    error = both[1:].std(axis=0, ddof=1)
    spread = float(both[0].std(ddof=1)) if p > 1 else 0.0
    features = pd.DataFrame(
        {
            "score": centre,
            "score_se": np.ldexp(error, exponent),
            "rank": rank,
            "rank_se": np.sqrt(((ranks - rank) ** 2).mean(axis=0)),
            "probability_in_top": selected.mean(axis=0),
        },
        index=pd.Index(list(names), name="feature"),
    )
    return Adequacy(
        features,
        probability_top_changes=float((common < k).mean()),
        expected_top_overlap=float(common.mean() / k),
        expected_kendall=_row_kendall(ranks[:half], ranks[half:]),
        expected_rank_move=float(np.abs(ranks[:half] - ranks[half:]).mean()),
        relative_error=float(error.max()) / spread if spread > 0 else float("inf"),
        n_resamples=m,
        n_features_to_select=k,
        n_boot=n_boot,
        n_compared=size,
        seed=seed,
    )


def _aggregate(aggregator: Aggregator, values: Floats) -> Floats:
    if not callable(aggregator):
        raise InputTypeError(
            Param("aggregator"), f" must be callable, got {type(aggregator).__name__}"
        )
    scores = np.asarray(aggregator(values), dtype=np.float64)
    if scores.shape != (values.shape[1],) or not np.isfinite(scores).all():
        raise DataError(
            f"the aggregator must return {values.shape[1]} finite numbers for a score matrix of "
            f"shape {values.shape}, got shape {scores.shape}"
        )
    return scores


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
