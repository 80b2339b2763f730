"""Minimum redundancy, maximum relevance (MID form) by plug-in mutual information over bins."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.memory import within_memory
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._kernels.class_tables import EQUAL_WIDTH, PRAZNIK, CountedColumns
from pyfsagg._kernels.mrmr import mrmr_block
from pyfsagg._message import DIVIDE_WEIGHTS, NAN, Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.table import Table, Weights, as_table, full_weights
from pyfsagg._table.target import Target, check_target
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters._base import (
    FILTERS,
    MOST_BINS,
    FilterSpec,
    counted_columns,
    is_kind,
    many_values,
    read_depth,
    settle_depth,
)

_READINGS = {"equal_width": EQUAL_WIDTH, "praznik": PRAZNIK}
_BINS = 10
_STEPS, _TIMED_PAIRS = 10, 200_000
"""Steps of a selection, at least, and pairs of features that are timed to forecast a whole selection."""


def _pairs(n_features: int, depth: int) -> int:
    """Pairs of features whose mutual information a selection of `depth` of them needs."""
    return (depth - 1) * n_features - depth * (depth - 1) // 2


@dataclass(frozen=True, eq=False)
class MrmrResult:
    """Outcome of :func:`mrmr`.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_features,)
        Score (nats) at which each feature was selected, in column order; a feature that was not
        selected has the criterion that it had when the last one was selected.  Scores need not fall
        along the selection order, and may be negative.
    order : ndarray of intp, shape (n_selected,)
        Columns in the order of selection.
    feature_names : tuple of str
    """

    scores: Floats
    order: NDArray[np.intp]
    feature_names: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """One row per selected feature, in selection order: `position` (1 = first), `score`."""
        names = [self.feature_names[j] for j in self.order]
        return pd.DataFrame(
            {"position": np.arange(1, len(self.order) + 1), "score": self.scores[self.order]},
            index=pd.Index(names, name="feature"),
        )

    def __repr__(self) -> str:
        first = ", ".join(self.feature_names[j] for j in self.order[:5])
        more = ", …" if len(self.order) > 5 else ""
        return f"MrmrResult({len(self.order)} of {len(self.scores)} features: {first}{more})"


@dataclass(frozen=True, eq=False)
class MrmrScorer:
    """mRMR bound to a table; output ``"mrmr"``."""

    columns: CountedColumns
    n_classes: int
    n_selected: int
    reading: int
    bins: int
    outputs: tuple[str, ...] = ("mrmr",)
    releases_gil: bool = True

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        return {"mrmr": self.select(weights, labels)[0]}

    def expected_seconds(
        self, weights: Weights, labels: NDArray[np.int32], depth: int | None = None
    ) -> float:
        """Time for one resample at a depth, from the first steps: it grows with the pairs of features."""
        p = self.columns.values.shape[1]
        depth = self.n_selected if depth is None else min(depth, p)
        few = min(2, p)
        more = min(few + max(_STEPS, _TIMED_PAIRS // p), p)
        replace(self, n_selected=1).select(weights, labels)  # the first call may compile
        seconds = {few: math.inf, more: math.inf}
        for steps in (few, more, few, more):  # the better one of two, against interruptions
            start = time.perf_counter()
            replace(self, n_selected=steps).select(weights, labels)
            seconds[steps] = min(seconds[steps], time.perf_counter() - start)
        slope = max(seconds[more] - seconds[few], 0.0) / max(_pairs(p, more) - _pairs(p, few), 1)
        return seconds[few] + slope * (_pairs(p, depth) - _pairs(p, few))

    def select(
        self, weights: Weights, labels: NDArray[np.int32]
    ) -> tuple[Floats, NDArray[np.intp]]:
        """Scores (b, n_features) and selection orders (b, n_selected) of b resamples."""
        columns = self.columns
        n_codes = np.append(columns.n_codes, self.n_classes)
        total = int(weights.sum(axis=1, dtype=np.int64).max(initial=0))
        # Bytes halve the traffic of the usual case, in which no column has more levels than that.
        like: NDArray[np.unsignedinteger[Any]]
        like = np.empty(0, dtype=np.uint8 if n_codes.max() <= 255 else np.uint32)
        scores = np.empty((len(weights), columns.values.shape[1]))
        orders = np.empty((len(weights), self.n_selected), dtype=np.int64)
        with within_memory(
            total * (12 + int(n_codes.sum()) // 8),
            f"the logarithms of counts up to {total:,}, the weights together,",
            DIVIDE_WEIGHTS,
        ):
            mrmr_block(
                columns,
                n_codes,
                self.bins,
                self.reading,
                np.ascontiguousarray(labels),
                np.ascontiguousarray(weights),
                like,
                scores,
                orders,
            )
        return scores, orders.astype(np.intp)


def prepare_mrmr(
    table: Table,
    target: Target,
    *,
    n_features: int | str | None = "auto",
    binning: str = "equal_width",
    bins: int = _BINS,
) -> MrmrScorer:
    """Bind mRMR to `table`; parameters as in :func:`mrmr`, but a depth above its width means all."""
    check_choice("binning", binning, _READINGS)
    check_integer("bins", bins, low=2, high=MOST_BINS)
    depth = read_depth(n_features, table.n_features)
    if binning == "praznik":
        if bins != _BINS:
            raise ParameterError(
                Use(bins=bins),
                " has no meaning with ",
                Use(binning="praznik"),
                ", which derives the number of bins from the number of samples",
                Remedy("leave bins out or use ", Use(binning="equal_width")),
            )
        for j, name in enumerate(table.feature_names):
            if n_missing := int(np.isnan(table.values[:, j]).sum()):
                raise DataError(
                    f"column {name!r} has {n_missing} missing value(s) (",
                    NAN,
                    "), which mRMR with ",
                    Use(binning="praznik"),
                    " does not define",
                    Remedy("fill them in, drop the column, or use ", Use(binning="equal_width")),
                    ", where they are a separate level",
                )
        binned = is_kind(table, Kind.NUMERIC)
    else:
        binned = many_values(table, bins)
    columns = counted_columns(table, binned, bins + 1)
    return MrmrScorer(columns, target.n_classes, depth, _READINGS[binning], bins)


def mrmr(
    X: Any,
    y: ArrayLike | Any,
    *,
    n_features: int | str | None = None,
    binning: str = "equal_width",
    bins: int = _BINS,
    nominal: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> MrmrResult:
    """Rank features by minimum redundancy and maximum relevance.

    The first feature has the largest mutual information with the class.  Each further one
    maximises I(X; Y) − mean over the selected W of I(X; W).  Mutual information is the plug-in
    estimate, in nats, over the joint counts; ties go to the lowest column.

    Parameters
    ----------
    X : array, data frame or Table, shape (n_samples, n_features)
    y : array-like, shape (n_samples,)
        Class labels.
    n_features : int, "auto" or "all", optional
        The depth: how many features to select.  None and ``"all"``, the default here: all of them.
        ``"auto"``, the default of a filter in an ensemble: all of up to 300 features, 100 of more
        (or four times the number that is selected later, if that is known and larger).  The time is
        proportional to the depth.  The features that are not selected keep the criterion that they had
        when the last one was, so that every feature has a score; the selected ones and their scores
        are the first of the full ranking.
    binning : {"equal_width", "praznik"}
        ``"equal_width"``, the textbook reading: columns of floating-point numbers, and columns of
        whole numbers with more than `bins` distinct values, are cut into `bins` bins of equal width
        by the rule of :func:`~pyfsagg.discretization.discretize`; other columns are categories; a
        missing value is a level of its own.  ``"praznik"``, as in the R package: columns of
        floating-point numbers are cut into max(2, min(10, ⌊n/3⌋)) bins of equal width over a range
        widened by a thousandth at either end (not where an end is 0 or of extreme magnitude; there
        the maximum joins the last bin); integer, boolean and nominal columns are categories;
        missing values are an error.  The range of a column is that of the rows with a positive
        weight, the number of its distinct values that of all rows.
    bins : int
        Number of bins with ``binning="equal_width"``.
    nominal : sequence of str or int, optional
        Columns to be taken as nominal whatever their type.
    sample_weight : array-like of int, shape (n_samples,), optional
        How often each row counts; the result is that of the table with its rows so repeated (and
        its columns read as here).

    Returns
    -------
    MrmrResult
        Scores in column order and the selection order; a large score is better, but compare the
        order rather than the scores: they do not fall monotonically.

    See Also
    --------
    bam, wam : ensembles, in which ``"mrmr"`` is one of the filters.
    information_gain, symmetric_uncertainty : relevance without redundancy.

    Notes
    -----
    A constant feature has mutual information 0 with everything, and so score 0.  Mutual information
    below the rounding of its own terms (about 1e-14) is returned as 0.

    References
    ----------
    Peng, Long and Ding (2005), Feature selection based on mutual information, IEEE Transactions on
    Pattern Analysis and Machine Intelligence 27(8), equation 6 (MID).  Kursa (2021), Praznik: high
    performance information-based feature selection, SoftwareX 16.

    Examples
    --------
    `twin` repeats `signal`: its redundancy of ln 2 cancels its relevance.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"signal": [0, 0, 1, 1], "twin": [5, 5, 7, 7], "noise": [0, 1, 0, 1]})
    >>> result = mrmr(X, ["a", "a", "b", "b"])
    >>> [X.columns[j] for j in result.order]
    ['signal', 'twin', 'noise']
    >>> result.scores.round(4).tolist()
    [0.6931, 0.0, 0.0]
    """
    table = as_table(X, nominal=nominal)
    target = check_target(y, table.n_samples)
    if not (n_features is None or isinstance(n_features, str)):
        check_integer("n_features", n_features, low=1, high=table.n_features)
    scorer = prepare_mrmr(table, target, n_features=n_features, binning=binning, bins=bins)
    weights = full_weights(table.n_samples, sample_weight)
    scores, orders = scorer.select(weights, target.codes[np.newaxis, :])
    return MrmrResult(scores[0], orders[0], table.feature_names)


FILTERS.add(
    FilterSpec(
        name="mrmr",
        aliases=("minimum_redundancy_maximum_relevance",),
        summary="Relevance to the class minus mean redundancy with the features selected before",
        formula="I(X; Y) - mean over the features W selected before of I(X; W)",
        latex=r"I(X; Y) - \frac{1}{|S|} \sum_{W \in S} I(X; W), \quad S \text{ the features "
        r"selected before}",
        bounds="(-inf, ln(n_classes)], nats",
        ties="equal values share a bin; of equally good features the first column is selected",
        source="thesis 3.4.4; Peng, Long and Ding (2005) eq. 6; praznik 11",
        prepare=prepare_mrmr,
        accepts_missing=lambda parameters: parameters.get("binning") != "praznik",
        settle=settle_depth,
        counts_levels=True,
        targets=("classes", "numeric", "survival"),
    )
)
