"""How far the selection of another sample would agree, at this and at larger sizes: for planning a study."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import check_integer, check_level, n_selected
from pyfsagg._base.words import count, enumerate_names, number
from pyfsagg._message import Got, Param, Remedy
from pyfsagg._run.execution import Checks
from pyfsagg.ensemble.methods import method_for
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling import ComplementaryPairs
from pyfsagg.resampling.plan import read_plan
from pyfsagg.stability_measures import between_sample_stability

# From tables of eleven data sets, and four simulated ones, that tools/thinning.py thins.
SLOPE = 0.6
"""Growth of the log odds of the agreement when the rows double; Spearman and Brown's formula has log 2."""

WEIGHTS = {8: 0.1, 4: 0.3, 2: 0.6}
"""Weights of eighths, quarters and halves, each carried to the size of the table."""

ERRORS = {1: (-1.287, 0.779), 2: (-1.728, 0.796), 4: (-1.94, 0.94)}
"""Limits of the log odds minus expected ones, in nine of ten thinned tables, by multiple of the rows."""

DEPARTURE = 1.5
"""Log odds by which the halves may differ from what the smaller parts make expect (chosen)."""

FULL = 0.95  # chosen: agreement of the halves that larger samples can hardly exceed
EDGE = 0.02
"""Chosen: agreements are taken to be at least this and at most 1 less this, since log odds of 0 and 1 are
infinite."""


class _Quarters(ComplementaryPairs):
    parts: ClassVar[int] = 4


class _Eighths(ComplementaryPairs):
    parts: ClassVar[int] = 8


_PLANS = {8: _Eighths, 4: _Quarters, 2: ComplementaryPairs}


@dataclass(frozen=True, eq=False)
class ExpectedReplication(Part):
    """Agreement of the selections of two samples by their number of rows.

    Attributes
    ----------
    curve : DataFrame
        Index ``n_rows``.  ``agreement`` of the best features of two samples of so many rows (Nogueira's
        measure: 0 unrelated, 1 the same), ``lower``, ``upper`` and ``source``.  ``"measured"``: pairs of
        disjoint eighths, quarters and halves of the table, with 95 % limits for the population.
        ``"expected"``: the size of the table, twice and four times it; between the limits was what nine of
        ten thinned tables turned out to have.
    reason : str
        Why nothing is expected of larger samples; empty if something is.
    n_features_to_select, n_features, n_pairs : int
    """

    curve: pd.DataFrame
    reason: str
    n_features_to_select: int
    n_features: int
    n_pairs: int

    def to_frame(self) -> pd.DataFrame:
        """The curve."""
        return self.curve

    def n_rows(self, agreement: float) -> float:
        """Rows at which two samples are expected to agree so far; infinity if it takes more than four times
        the table, NaN if nothing is expected of larger samples."""
        level = check_level("agreement", agreement)
        expected = self.curve[self.curve["source"] == "expected"]
        if self.reason:
            return float("nan")
        n, odds = expected.index[0], _log_odds(expected["agreement"].iloc[0])
        rows = n * 2.0 ** ((_log_odds(level) - odds) / SLOPE)
        most = expected.index[-1] + 0.5
        return float(np.ceil(rows - 0.5)) if rows <= most else float("inf")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What two samples agree on, and what to expect of larger ones."""
        halves = self.curve[self.curve["source"] == "measured"].iloc[-1]
        first = (
            f"The best {count(self.n_features_to_select)} of {count(self.n_features)} features of two "
            f"samples of {count(int(str(halves.name)))} rows agree to {_limits(halves)} (1: the same, 0: "
            "unrelated; 95 % limits for the population)."
        )
        if self.reason:
            return first, f"Nothing is expected of larger samples: {self.reason}."
        expected = self.curve[self.curve["source"] == "expected"]
        sizes = [
            f"{_limits(row)} with {count(int(str(rows)))} rows" for rows, row in expected.iterrows()
        ]
        return first, (
            f"Expected are {enumerate_names(sizes)}. The limits were fitted to tables that were thinned; "
            "where signals weaken gradually, or columns nearly repeat one another, they may miss more often "
            "than not."
        )

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def _log_odds(share: float) -> float:
    return float(np.log(share / (1.0 - share)))


def _limits(row: pd.Series) -> str:
    low, high = number(row["lower"], 2), number(row["upper"], 2)
    return f"{number(row['agreement'], 2)} ({low} to {high})"


def expected_replication(
    X: TableLike,
    y: TargetLike,
    *,
    n_features_to_select: float | int = 0.25,
    n_pairs: int = 20,
    random_state: RandomState = None,
    **options: Any,
) -> ExpectedReplication:
    """Expected agreement of the selection with that of another sample, at this and at larger sizes.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`.
    n_features_to_select : float or int
        How many features are selected, or which share of them (rounded up); fewer than all.
    n_pairs : int
        Pairs of disjoint eighths, quarters and halves of the rows, at least 5.
    random_state : None, int or Generator
    **options
        Arguments of :func:`pyfsagg.wam` (with `filter`) or :func:`pyfsagg.bam` (without): `filters`, `task`,
        `normalize`, `n_jobs`; groups of rows or weights by a plan that has them, such as
        ``resampling=GroupedBootstrap(groups)``.

    Returns
    -------
    ExpectedReplication

    Raises
    ------
    DataError
        If the table is too small to be divided into eighths.

    See Also
    --------
    pyfsagg.ensemble.EnsembleResult.between_sample_stability : Two halves of the table of a run.

    Notes
    -----
    The filters rank each part by itself, without resamples.  The log odds of Nogueira's measure are carried
    from eighths, quarters and halves (weights 0.1, 0.3, 0.6) to larger sizes at 0.6 per doubling.  Weights,
    slope and limits are those that were best on tables that were thinned to 48 rows and more and compared
    with two, four and eight times the rows of a half.  With each data set omitted in turn, 0.89 to 0.90 of
    the values were between the limits; least often where features are either strong or noise, and agree fully
    sooner than expected (0.4 at four times), or are near copies of each other, so agreement hardly grows
    (0.5).  Nothing is expected where the 95 % limits of the halves contain 0, as a flat curve cannot be
    continued, or where the halves are far from what the smaller parts make expect.

    References
    ----------
    Ein-Dor, Zuk and Domany (2006), Thousands of samples are needed to generate a robust gene list for
    predicting outcome in cancer, PNAS 103; Nogueira, Sechidis and Brown (2018), JMLR 18.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> found = expected_replication(data.X, data.y, n_features_to_select=4, random_state=0)
    >>> found.curve["source"].tolist()
    ['measured', 'measured', 'measured', 'expected', 'expected', 'expected']
    """
    n_pairs = check_integer("n_pairs", n_pairs, low=5)
    plan = read_plan(options.pop("resampling", "bootstrap"))
    held = plan._of_rows()
    run = method_for(options)
    settings = {**options, "n_resamples": 2 * n_pairs, "checks": Checks(pairs=0, shuffles=0)}
    rows: dict[int, tuple[Any, ...]] = {}
    odds: dict[int, float] = {}
    for parts, kind in _PLANS.items():
        try:
            result = run(X, y, resampling=kind(**held), random_state=random_state, **settings)
        except DataError:
            if parts == 2:
                raise
            raise DataError(
                f"the table is too small to be divided into {parts} parts that can be ranked",
                Remedy("see what its halves agree on: between_sample_stability of a run"),
            ) from None
        k = n_selected(n_features_to_select, result.n_features, "n_features_to_select")
        if k == result.n_features:
            raise ParameterError(
                Param("n_features_to_select"),
                f" must be below the number of features, {result.n_features}",
                Got(k),
            )
        first, second = ComplementaryPairs.pairs(2 * n_pairs).T
        scores = result.combined
        agreement = between_sample_stability(scores[first], scores[second], n_features_to_select=k)
        found = agreement.estimates[["estimate", "lower", "upper"]].loc["nogueira"].to_numpy(float)
        n = int(plan._counts(result.data["n_samples"]).sum(dtype=np.int64))
        middle, lower, upper = map(float, found)
        rows[n // parts] = (middle, lower, upper, "measured")
        odds[parts] = _log_odds(float(np.clip(middle, EDGE, 1.0 - EDGE)))
    at_table = sum(
        weight * (odds[parts] + SLOPE * np.log2(parts)) for parts, weight in WEIGHTS.items()
    )
    reason = _why_not(odds, rows[n // 2][1])
    if not reason:
        for times, (low, high) in ERRORS.items():
            centre = at_table + SLOPE * np.log2(times)
            limits = (float(1.0 / (1.0 + np.exp(-(centre + by)))) for by in (0.0, low, high))
            rows[n * times] = (*limits, "expected")
    columns = ["agreement", "lower", "upper", "source"]
    curve = pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("n_rows")
    return ExpectedReplication(curve, reason, k, result.n_features, n_pairs)


def _why_not(odds: dict[int, float], lower: float) -> str:
    if lower <= 0.0:
        return "the agreement of the halves is not distinguishable from that of noise"
    usual = 0.7 * (odds[4] + SLOPE) + 0.3 * (odds[8] + 2 * SLOPE)
    full = odds[2] > _log_odds(FULL)  # from there on it can hardly grow
    if odds[2] < usual - DEPARTURE or (odds[2] > usual + DEPARTURE and not full):
        way = "more" if odds[2] > usual else "less"
        return f"from eighths over quarters to halves the agreement grows {way} than is usual"
    return ""
