"""Greedy selection by plug-in mutual information over bins: mRMR (MID form) and its relatives."""

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Booleans, Floats, Indices, TableLike
from pyfsagg._base.settings import Task
from pyfsagg._kernels import Codes
from pyfsagg._kernels.class_tables import (
    EQUAL_WIDTH,
    PRAZNIK,
    CountedColumns,
    praznik_bins,
    praznik_rows,
    width_rows,
)
from pyfsagg._kernels.joint_information import joint_block
from pyfsagg._kernels.mrmr import CMIM, DISR, JMI, JMIM, MIM, MRMR, NJMIM, mrmr_block
from pyfsagg._message import DIVIDE_WEIGHTS, NAN, Message, Remedy, Use
from pyfsagg._table.columns import Kind
from pyfsagg._table.table import Table, Weights, as_table, full_weights
from pyfsagg._table.target import IN_A_RUN, Target, read_target
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters import _base

_READINGS = {"equal_width": EQUAL_WIDTH, "praznik": PRAZNIK, "kendall": EQUAL_WIDTH}
_CRITERIA = {
    "mrmr": MRMR, "jmi": JMI, "disr": DISR, "jmim": JMIM, "njmim": NJMIM, "cmim": CMIM, "mim": MIM,
}  # fmt: skip
_RISING = (JMI, DISR, JMIM, NJMIM)
"""Criteria that are larger for the second feature than for the first, so only the order counts."""
_BINS = 10
_ROUNDING = 1e-12  # nats below which information is the rounding of larger terms
_STEPS, _TIMED_PAIRS = 10, 200_000
"""Steps of a selection, at least, and pairs of features that are timed to forecast a whole selection."""


def _pairs(n_features: int, depth: int) -> int:
    """Pairs of features whose mutual information a selection of `depth` features needs."""
    return (depth - 1) * n_features - depth * (depth - 1) // 2


@dataclass(frozen=True, eq=False)
class InformationSelection:
    """Outcome of :func:`information_selection`.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_features,)
        Criterion at which each feature was selected, in column order; a feature that was not
        selected has the criterion that it had when the last one was selected.  Scores need not fall
        along the selection order.
    order : ndarray of intp, shape (n_selected,)
        Columns in the order of selection.
    feature_names : tuple of str
    """

    scores: Floats
    order: Indices
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
        return (
            f"InformationSelection({len(self.order)} of {len(self.scores)} features: {first}{more})"
        )


def _order(numbers: NDArray[Any]) -> NDArray[np.uint32]:
    """How each row of a column compares with each row: 0 below, 1 above, 2 equal, 3 unknown."""
    one, other = numbers[:, np.newaxis], numbers[np.newaxis]
    codes = np.full((len(numbers), len(numbers)), 3, dtype=np.uint32)
    for code, holds in enumerate((one < other, one > other, one == other)):
        codes[holds] = code
    return codes.ravel()


@dataclass(frozen=True, eq=False)
class InformationScorer:
    """A criterion bound to a table; the selection begins with the first `given` columns, which have no
    scores. `pairs`: rows are ordered pairs (Kendall's transformation); `strata`: information within
    strata, whose entropy it is."""

    columns: CountedColumns
    n_classes: int
    n_selected: int
    reading: int
    bins: int
    criterion: str = "mrmr"
    given: int = 0
    strata: Indices | None = None
    pairs: Target | None = None
    releases_gil: bool = True

    @property
    def outputs(self) -> tuple[str, ...]:
        return (self.criterion,)

    def __call__(self, weights: Weights, labels: Codes) -> dict[str, Floats]:
        scores, orders = self.select(weights, labels)
        if _CRITERIA[self.criterion] in _RISING:
            scores = _places(scores, orders)
        return {self.criterion: scores}

    def expected_seconds(self, weights: Weights, labels: Codes, depth: int | None = None) -> float:
        """Time for one resample at a depth, from the first steps: it grows with the pairs of features."""
        p = len(self.columns.values) - self.given
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

    def select(self, weights: Weights, labels: Codes) -> tuple[Floats, Indices]:
        """Scores (b, n_features) and selection orders (b, n_selected) of b resamples."""
        columns, criterion, n_classes = self.columns, _CRITERIA[self.criterion], self.n_classes
        if self.pairs is not None:
            weights, labels = _pairs_of_rows(self.pairs, weights, labels)
        if self.strata is not None:
            labels = labels + n_classes * self.strata
            n_classes *= self.strata.max() + 1
        orders = _base.begun_orders(len(weights), self.given, self.n_selected)
        n_codes = np.append(columns.n_codes, n_classes)
        if criterion >= JMI:  # features joined with the class: see the kernel
            lazy = criterion >= JMIM and orders.shape[1] < columns.values.shape[1]
            most = columns.n_codes.max() * n_classes
            n_codes = np.append(n_codes, np.full(orders.shape[1] if lazy else 1, most))
        total = int(weights.sum(axis=1, dtype=np.int64).max(initial=0))
        # Bytes halve the traffic of the usual case, in which no column has more levels than that.
        like: NDArray[np.unsignedinteger[Any]]
        like = np.empty(0, dtype=np.uint8 if n_codes.max() <= 255 else np.uint32)
        scores = np.empty((len(weights), len(columns.values)))
        block = joint_block if criterion >= JMI else mrmr_block
        codes = np.ascontiguousarray(labels, dtype=np.int32)
        times = np.ascontiguousarray(weights, dtype=np.uint16)
        what = f"the logarithms of counts up to {total:,}, the weights together,"
        with memory.within_memory(total * (12 + int(n_codes.sum()) // 8), what, DIVIDE_WEIGHTS):
            how = (self.bins, self.reading, criterion)
            block(columns, n_codes, *how, codes, times, like, scores, orders)
        scores = scores[:, self.given :]
        orders = orders[:, self.given :].astype(np.intp) - self.given
        if self.strata is not None and (criterion == MIM or (criterion == MRMR and not self.given)):
            # Redundancy has the entropy of the strata, too, so only scores without it keep theirs.
            every = criterion == MIM or self.n_selected == 1
            alone = np.arange(scores.shape[1])[np.newaxis] if every else orders[:, :1]
            rows = np.arange(len(scores))[:, np.newaxis]
            counts = weights.astype(np.float64) @ np.eye(self.strata.max() + 1)[self.strata]
            scores[rows, alone] -= np.asarray(scipy.stats.entropy(counts, axis=1))[:, np.newaxis]
            scores[np.abs(scores) < _ROUNDING] = 0.0
        return scores, orders


def _places(scores: Floats, orders: Indices) -> Floats:
    """Share of the features that are not placed before each: the selected ones, then by criterion."""
    p, rows = scores.shape[1], np.arange(len(scores))[:, np.newaxis]
    last = scores.copy()
    last[rows, orders] = np.inf
    places: Floats = scipy.stats.rankdata(-last, axis=1)
    places[rows, orders] = np.arange(1, orders.shape[1] + 1)
    return np.asarray((p + 1 - places) / p)


def _pairs_of_rows(target: Target, weights: Weights, labels: Codes) -> tuple[Weights, Codes]:
    """Weights and labels of the ordered pairs of different draws, from those of the rows."""
    times = weights.astype(np.int64)
    together = times[:, :, np.newaxis] * times[:, np.newaxis]
    if target.adjusters is not None:
        strata = target.adjusters.strata
        together *= strata[:, np.newaxis] == strata
    rows = np.arange(times.shape[1])
    together[:, rows, rows] -= times
    if together.max(initial=0) > np.iinfo(np.uint16).max:
        heaviest = int(times.max())
        raise DataError(
            f"a row counts {heaviest:,} times, too often for the pairs of rows of ",
            Use(binning="kendall"),
            Remedy(DIVIDE_WEIGHTS),
        )
    numbers = labels if target.kind == "classes" else target.numbers(weights)
    pairs = np.stack([_order(row) for row in numbers]).astype(np.int32)
    return together.reshape(len(times), -1).astype(np.uint16), pairs


def _orders_of_pairs(table: Table, target: Target) -> Iterator[NDArray[np.uint32]]:
    """The columns of `table` as the order of each pair of rows."""
    for j, levels in table.levels.items():
        if len(levels) > 2:
            raise DataError(
                f"column {table.feature_names[j]!r} is nominal with {len(levels)} levels, which have no ",
                "order for ",
                Use(binning="kendall"),
                Remedy(
                    "drop it, code it by indicator columns, or use ", Use(binning="equal_width")
                ),
            )
    if target.kind == "classes" and target.n_classes > 2:
        raise DataError(
            f"the target {target.name!r} has {target.n_classes} classes, which have no order for ",
            Use(binning="kendall"),
            Remedy("use two classes or ", Use(binning="equal_width"), *IN_A_RUN),
        )
    n, p = table.values.shape
    what = f"the order of the pairs of {n:,} rows in {p:,} features"
    memory.require_memory(5 * p * n**2, what, Message("use ", Use(binning="equal_width")))
    return (_order(table.values[:, j]) for j in range(p))


def _cut_within(
    table: Table, strata: Indices, binned: Booleans, reading: int, bins: int
) -> Iterator[NDArray[np.uint32]]:
    """The columns of `table` as codes, where `binned` holds those of bins of each stratum."""
    groups = [np.flatnonzero(strata == s) for s in range(strata.max() + 1)]
    for j in range(table.n_features):
        codes = _base.category_codes(table.values[:, j])[0].astype(np.uint32)
        for rows in groups if binned[j] else ():
            column, part = table.values[rows, j], np.empty(len(rows), dtype=np.uint32)
            known = column[~np.isnan(column)]
            low, high = known.min(initial=np.inf), known.max(initial=-np.inf)
            if reading == PRAZNIK:
                praznik_rows(column, low, high, praznik_bins(len(rows)), part)
            else:
                width_rows(column, low, high, bins, part)
            codes[rows] = part
        yield codes


def _categories(
    codes: Iterable[NDArray[np.uint32]], strata: Indices | None, criterion: str
) -> tuple[CountedColumns, int]:
    """Columns of categories, joined with strata if there are any, and the number of added columns: CMIM
    begins with the strata, a term of its minimum."""
    categories, n_codes, more = [], [], 0
    if strata is not None and criterion == "cmim":
        codes, more = chain([np.zeros(len(strata), dtype=np.uint32)], codes), 1
    for column in codes:
        if strata is not None:
            levels = column * (int(strata.max()) + 1) + strata
            column = np.unique(levels, return_inverse=True)[1].astype(np.uint32)
        categories.append(column)
        n_codes.append(int(column.max()) + 1)
    p, n = len(categories), len(categories[0])
    none = np.zeros((p, 0), dtype=np.int32)
    values = np.empty((p, n))  # never written: every column is one of categories
    columns = CountedColumns(
        values, np.stack(categories), np.arange(p), np.array(n_codes), none, none
    )
    return columns, more


def _prepare(
    criterion: str,
    table: Table,
    target: Target,
    *,
    n_features: int | str | None = "auto",
    binning: str = "equal_width",
    bins: int = _BINS,
) -> InformationScorer:
    """Bind a criterion to `table`; with adjusting levels columns are cut within strata, and information
    is conditional on them.

    Parameters
    ----------
    n_features : int, "auto" or "all", optional
        The depth: how many features to select.  ``"auto"``: all of up to 300 features, 100 of more
        (in an ensemble four times the number that is selected later, if that is known and larger);
        None and ``"all"``: all of them.  The time is proportional to the depth.  The features that are not
        selected keep the criterion that they had when the last one was, so every feature has a score; the
        selected ones and their scores are the first of the full ranking.
    binning : {"equal_width", "praznik", "kendall"}
        ``"equal_width"``, the textbook reading: columns of floating-point numbers, and columns of
        whole numbers with more than `bins` distinct values, are cut into `bins` bins of equal width
        by the rule of :func:`~pyfsagg.discretization.discretize`; other columns are categories; a
        missing value is a level of its own.  ``"praznik"``, as in the R package: columns of
        floating-point numbers are cut into max(2, min(10, ⌊n/3⌋)) bins of equal width over a range
        widened by a thousandth at either end (not where an end is 0 or of extreme magnitude; there
        the maximum joins the last bin); integer, boolean and nominal columns are categories;
        missing values are an error.  ``"kendall"``, Kendall's transformation: no bins, but the order
        of every pair of rows (below, above, equal, and unknown where one is missing), of the target
        too, which has two classes or is a number; columns of words with more than two levels are an
        error; time and memory grow by the square of the number of rows.  The range of a column is
        that of the rows with a positive weight, the number of its distinct values that of all rows.
    bins : int
        Number of bins with ``binning="equal_width"``.

    Notes
    -----
    Mutual information is the plug-in estimate, in nats, over the joint counts; below the rounding of its
    own terms (about 1e-14) it is 0.  Features with exactly the same criterion in a step are frequent
    where rows and levels are few.  The first column is taken, and the steps that follow depend on it, so
    scores may change with the order of the columns.  A constant feature has mutual information 0 with
    everything.  Scores need not fall along the order of selection, which
    :func:`pyfsagg.filters.information_selection` returns as well.
    """
    validation.check_choice("binning", binning, _READINGS)
    validation.check_integer("bins", bins, low=2, high=_base.MOST_BINS)
    depth = _base.read_depth(n_features, table.n_features)
    table, given = target.always_first(table)
    strata = None if target.adjusters is None else target.adjusters.strata
    if binning != "equal_width" and bins != _BINS:
        reason = {
            "praznik": ", which derives the number of bins from the number of samples",
            "kendall": ", which compares pairs of rows",
        }
        raise ParameterError(
            Use(bins=bins),
            " has no meaning with ",
            Use(binning=binning),
            reason[binning],
            Remedy("leave bins out or use ", Use(binning="equal_width")),
        )
    if binning == "kendall":
        strata = None if strata is None else np.repeat(strata, len(strata))
        columns, more = _categories(_orders_of_pairs(table, target), strata, criterion)
        return InformationScorer(
            columns, 3, depth, EQUAL_WIDTH, bins, criterion, given + more, strata, target
        )
    if binning == "praznik":
        for j, name in enumerate(table.feature_names):
            if n_missing := int(np.isnan(table.values[:, j]).sum()):
                raise DataError(
                    f"column {name!r} has {n_missing} missing value(s) (",
                    NAN,
                    f"), which the filter {criterion!r} with ",
                    Use(binning="praznik"),
                    " does not define",
                    Remedy("fill them in, drop the column, or use ", Use(binning="equal_width")),
                    ", where they are a separate level",
                )
        binned = _base.is_kind(table, Kind.NUMERIC)
    else:
        binned = _base.many_values(table, bins)
    reading = _READINGS[binning]
    if strata is None:
        columns, more = _base.counted_columns(table, binned, bins + 1), 0
    else:
        codes = _cut_within(table, strata, binned, reading, bins)
        columns, more = _categories(codes, strata, criterion)
    return InformationScorer(
        columns, target.n_classes, depth, reading, bins, criterion, given + more, strata
    )


PREPARE = {criterion: partial(_prepare, criterion) for criterion in _CRITERIA}
prepare_mrmr = PREPARE["mrmr"]


def information_selection(
    X: TableLike,
    y: ArrayLike | Any,
    *,
    criterion: str = "jmi",
    n_features: int | str | None = None,
    binning: str = "equal_width",
    bins: int = _BINS,
    nominal: Sequence[str | int] | None = None,
    always: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> InformationSelection:
    """Select features one after the other by a criterion of mutual information.

    The first feature has the largest mutual information with the class.  Each further one maximises
    the criterion, in which W runs over the features that were selected before.

    Parameters
    ----------
    X : array, data frame or Table, shape (n_samples, n_features)
    y : array-like, shape (n_samples,)
        Class labels.
    criterion : {"jmi", "disr", "jmim", "njmim", "cmim", "mim", "mrmr"}
        ``"jmi"``: Σ_W I(X, W; Y), what X and each W say together.  ``"disr"``: the same, each term
        divided by the entropy H(X, W, Y).  ``"jmim"`` and ``"njmim"``: the smallest term in place of
        the sum.  ``"cmim"``: the smallest of I(X; Y) and all I(X; Y | W), what X adds to each W.
        ``"mim"``: I(X; Y) alone.  ``"mrmr"``: I(X; Y) − mean over W of I(X; W).
    n_features : int, "auto" or "all", optional
        The depth: how many features to select, by default all of them.
    binning, bins
        As in :func:`pyfsagg.filters.mrmr`.
    nominal : sequence of str or int, optional
        Columns to be taken as nominal regardless of their type.
    always : sequence of str or int, optional
        Columns that count as selected before the first one, and are omitted from the result.
    sample_weight : array-like of int, shape (n_samples,), optional
        How often each row counts; the result is that of the table with its rows so repeated (and
        its columns read as here).

    Returns
    -------
    InformationSelection
        The order of selection, and the criterion at which each feature was selected.  Sums grow with
        the number of terms, and two features say at least as much as one, so only the order of
        ``"jmi"``, ``"disr"``, ``"jmim"`` and ``"njmim"`` says which feature is better.  As filters of
        an ensemble these four score a feature by its place: the share of features that are not
        placed before it, those that were not selected placed last, by their criterion.

    See Also
    --------
    bam, wam : ensembles, in which each criterion is a filter by its name.

    Notes
    -----
    Mutual information, and its difference, below the rounding of its own terms is taken as 0, and a
    ratio 0/0 is 0.  Ties go to the lowest column.  praznik stops where the criterion of JMIM, NJMIM
    and CMIM reaches 0, and at once where no feature has any information; here the remaining
    features follow, so the first feature that has a use with another one only can be found.

    References
    ----------
    mRMR: Peng, Long and Ding (2005), Feature selection based on mutual information, IEEE Transactions on
    Pattern Analysis and Machine Intelligence 27(8), equation 6 (MID).  Kursa (2022), Kendall transformation
    brings a robust categorical representation of ordinal data, Scientific Reports 12, 8341.
    Brown, Pocock, Zhao and Luján (2012), Conditional likelihood maximisation, Journal of Machine
    Learning Research 13.  JMI: Yang and Moody (1999).  DISR: Meyer and Bontempi (2006).  JMIM, NJMIM:
    Bennasar, Hicks and Setchi (2015).  CMIM: Fleuret (2004).  Kursa (2021), Praznik, SoftwareX 16.

    Examples
    --------
    `left` and `right` say nothing alone and all together.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"noise": [0, 0, 0, 1], "left": [0, 0, 1, 1], "right": [0, 1, 0, 1]})
    >>> y = ["a", "b", "b", "a"]
    >>> information_selection(X, y).to_frame()["score"].round(3).to_dict()
    {'noise': 0.216, 'left': 0.347, 'right': 1.04}
    >>> information_selection(X, y, criterion="mim").scores.round(3).tolist()
    [0.216, 0.0, 0.0]
    """
    validation.check_choice("criterion", criterion, _CRITERIA)
    task = Task(nominal=nominal, always=always)
    table, target = read_target(task, as_table(X, nominal=task.nominal), y, instead=IN_A_RUN)
    if not (n_features is None or isinstance(n_features, str)):
        validation.check_integer("n_features", n_features, low=1, high=table.n_features)
    prepare = PREPARE[criterion]
    scorer = prepare(table, target, n_features=n_features, binning=binning, bins=bins)
    weights = full_weights(table.n_samples, sample_weight)
    scores, orders = scorer.select(weights, target.codes[np.newaxis, :])
    return InformationSelection(scores[0], orders[0], table.feature_names)


_of_information = partial(
    _base.FilterSpec,
    ties="equal values share a bin; in a step the first of equal columns, on which later steps depend",
    accepts_missing=lambda parameters: parameters.get("binning") != "praznik",
    settle=_base.settle_depth,
    counts_levels=True,
    width_bins=lambda parameters: (
        0 if parameters.get("binning") == "kendall" else _base.ten_bins(parameters)
    ),
    begins=True,
    relevance="mim",
    within="condition",
    targets=("classes", "numeric", "survival"),
)
_SHARE = r"\frac{I(X, W; Y)}{H(X, W, Y)}"
_BENNASAR = "Bennasar, Hicks and Setchi (2015)"
_JOINT = (
    ("jmi", "joint_mutual_information", "sum", False,
     "Information on the class jointly with each feature selected before", "Yang and Moody (1999)"),
    ("disr", "double_input_symmetrical_relevance", "sum", True,
     "As jmi, with each term divided by the joint entropy", "Meyer and Bontempi (2006)"),
    ("jmim", "joint_mutual_information_maximisation", "min", False,
     "As jmi, with the smallest term instead of the sum", _BENNASAR),
    ("njmim", "normalised_joint_mutual_information_maximisation", "min", True,
     "As disr, with the smallest term instead of the sum", _BENNASAR),
)  # fmt: skip
"""Filters of pairs with the features selected before: name, alias, how terms are joined, whether they are
shares of the entropy, summary and source."""
_SELECTED = r", \quad S \text{ the features selected before}"
_base.FILTERS.add(
    _of_information(
        name="mrmr", aliases=("minimum_redundancy_maximum_relevance",),
        summary="Relevance to the class minus mean redundancy with features selected before",
        formula="I(X; Y) - mean over the features W selected before of I(X; W)",
        latex=r"I(X; Y) - \frac{1}{|S|} \sum_{W \in S} I(X; W)" + _SELECTED,
        bounds="(-inf, ln(n_classes)], nats",
        source="thesis 3.4.4; Peng, Long and Ding (2005) eq. 6; praznik 11", prepare=prepare_mrmr,
    ),
    *(
        _of_information(
            name=name,
            aliases=(alias,),
            summary=summary,
            formula=f"place by {how} over the features W selected before of I(X, W; Y)"
            + " / H(X, W, Y)" * share,
            latex=rf"\{how}_{{W \in S}} " + (_SHARE if share else "I(X, W; Y)") + _SELECTED,
            bounds="(0, 1], by the order of selection",
            source=f"{source}; praznik 11",
            prepare=PREPARE[name],
        )
        for name, alias, how, share, summary, source in _JOINT
    ),
    _of_information(
        name="cmim", aliases=("conditional_mutual_information_maximisation",),
        summary="Least information that a feature adds to one selected before",
        formula="min of I(X; Y) and, over the features W selected before, I(X; Y | W)",
        latex=r"\min \bigl( I(X; Y), \min_{W \in S} I(X; Y \mid W) \bigr)" + _SELECTED,
        bounds="[0, ln(n_classes)], nats", source="Fleuret (2004); praznik 11", prepare=PREPARE["cmim"],
    ),
    _of_information(
        name="mim", own_column=True, relevance="", begins=False, ties="equal values share a bin",
        aliases=("mutual_information_maximisation", "mutual_information"),
        summary="Mutual information with the class, with bins that ignore the class",
        formula="I(X; Y)", latex=r"I(X; Y)", bounds="[0, ln(n_classes)], nats",
        source="Lewis (1992); praznik 11", prepare=PREPARE["mim"],
    ),
)  # fmt: skip
