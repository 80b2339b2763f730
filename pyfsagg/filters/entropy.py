"""Information gain, gain ratio and symmetric uncertainty, with discretisation in every resample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._kernels.class_tables import EQUAL_FREQUENCY, EQUAL_WIDTH
from pyfsagg._kernels.entropy_scores import SCORES, score_binned, score_mdl, score_nominal
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import AnyTable, Table, Weights
from pyfsagg._table.target import Target
from pyfsagg.discretization import (
    MDL_READINGS,
    METHODS,
    SortedColumns,
    check_classes,
    check_totals,
    numeric_columns,
)
from pyfsagg.filters._base import (
    FILTERS,
    FilterSpec,
    KernelScorer,
    Scorer,
    score_features,
    sorted_places,
    sparse_entropy,
)


class EntropyScorer:
    """The three entropy filters bound to a table: a :class:`~pyfsagg.filters._base.Scorer`.

    `columns` are those that are cut: they are sorted here, once; a call walks the sorted columns
    with the weights of each resample and never copies the table.
    """

    def __init__(
        self,
        table: Table,
        columns: NDArray[np.int64],
        n_classes: int,
        parity: bool,
        discretization: str,
        bins: int,
    ) -> None:
        self.outputs: tuple[str, ...] = SCORES
        self._n_classes, self._n_features = n_classes, table.n_features
        self._parity, self._discretization, self._bins = parity, discretization, bins
        self._sorted = SortedColumns.of(table.values, columns)
        self._values = table.values
        self._grid = self._sorted.grid(table.values)
        self._nominal = np.setdiff1d(np.arange(table.n_features), columns)
        codes = table.values[:, self._nominal].T
        n_levels = np.nan_to_num(codes, nan=-1.0).max(axis=1, initial=-1.0) + 1.0
        self._codes = np.where(np.isnan(codes), n_levels[:, np.newaxis], codes).astype(np.int32)
        self._n_levels = n_levels.astype(np.int64) + 1

    def __call__(self, weights: Weights, labels: NDArray[np.int32]) -> dict[str, Floats]:
        """Scores (n_resamples, n_features) by name of output."""
        # one memory layout, so that the kernels are compiled once
        weights = np.ascontiguousarray(weights, dtype=np.uint16)
        labels = np.ascontiguousarray(labels, dtype=np.int32)
        table_size = check_totals(weights) + 1
        scores = np.empty((weights.shape[0], self._n_features, len(SCORES)))
        if len(self._sorted.columns):
            scores[:, self._sorted.columns] = self._score_numeric(weights, labels, table_size)
        if len(self._nominal):
            scores[:, self._nominal] = score_nominal(
                self._codes, self._n_levels, weights, labels, self._n_classes, table_size
            )
        return {name: np.ascontiguousarray(scores[:, :, i]) for i, name in enumerate(SCORES)}

    def _score_numeric(
        self, weights: Weights, labels: NDArray[np.int32], table_size: int
    ) -> Floats:
        columns = self._sorted
        resamples = (weights, labels, self._n_classes, table_size)
        if self._discretization == "mdl":
            order = (columns.order, columns.n_known, columns.tied, columns.row_bits)
            scores = score_mdl(*order, *resamples, self._parity)
        else:
            kind = EQUAL_WIDTH if self._discretization == "equal_width" else EQUAL_FREQUENCY
            scores = score_binned(
                kind,
                self._bins,
                columns.order,
                columns.n_known,
                columns.row_bits,
                self._values,
                self._grid,
                columns.columns,
                *resamples,
            )
        return np.asarray(scores)


def prepare_entropy(
    table: AnyTable,
    target: Target,
    *,
    mdl: str = "textbook",
    discretization: str = "mdl",
    bins: int = 10,
) -> Scorer:
    """Bind the entropy filters to a table."""
    parity = check_choice("mdl", mdl, MDL_READINGS) == "fselectorrcpp"
    discretization = check_choice("discretization", discretization, METHODS)
    bins = check_integer("bins", bins, low=2, high=2**15)
    n_classes = check_classes(target).n_classes
    columns = numeric_columns(table, booleans=parity and discretization == "mdl")
    if isinstance(table, SparseTable):
        arguments = (sorted_places(table), columns, n_classes, parity, discretization, bins)
        return KernelScorer(sparse_entropy, arguments, SCORES, table.n_features)
    return EntropyScorer(table, columns, n_classes, parity, discretization, bins)


def information_gain(
    X: Any,
    y: ArrayLike | Any,
    *,
    mdl: str = "textbook",
    nominal: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Information gain H(Y) + H(X) - H(X, Y) of each feature, in nats.

    Numeric and integer features are cut by MDL first; nominal and boolean ones are taken as they
    are.  Missing values are a level of their own, in a numeric feature only if it is split.

    Parameters
    ----------
    X : array, data frame or SciPy sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Class labels.
    mdl : {"textbook", "fselectorrcpp"}
        Reading of the MDL criterion, see :func:`pyfsagg.discretize`.  The second one
        also cuts boolean features like numbers.
    nominal : sequence of names or positions, optional
        Columns to be taken as nominal whatever their type.
    sample_weight : array of shape (n_samples,), optional
        How often each row counts (whole numbers).

    Returns
    -------
    ndarray of float64, shape (n_features,)
        From 0 to H(Y); larger = more important.  A feature that is constant or not split has 0.

    See Also
    --------
    gain_ratio, symmetric_uncertainty : the same, divided by entropies.
    discretize : the cuts alone.

    References
    ----------
    U. M. Fayyad and K. B. Irani (1993), Multi-interval discretization of continuous-valued
    attributes for classification learning, IJCAI 93, 1022-1027.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0, 5], [2, 5], [3, 5], [10, 5], [11, 5], [12, 5]])
    >>> information_gain(X, ["a", "a", "a", "b", "b", "b"]).round(4)
    array([0.6931, 0.    ])
    """
    return _scores("information_gain", X, y, mdl, nominal, sample_weight)


def gain_ratio(
    X: Any,
    y: ArrayLike | Any,
    *,
    mdl: str = "textbook",
    nominal: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Gain ratio of each feature: information gain divided by H(X).

    Parameters, missing values and errors are those of :func:`information_gain`.

    Returns
    -------
    ndarray of float64, shape (n_features,)
        From 0 to 1; larger = more important.  A feature that is constant or not split has 0.

    References
    ----------
    J. R. Quinlan (1986), Induction of decision trees, Machine Learning 1, 81-106.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"colour": list("rrggbb"), "flag": [True] * 3 + [False] * 3})
    >>> gain_ratio(X, ["a", "a", "a", "b", "b", "b"]).round(4)
    array([0.4206, 1.    ])
    """
    return _scores("gain_ratio", X, y, mdl, nominal, sample_weight)


def symmetric_uncertainty(
    X: Any,
    y: ArrayLike | Any,
    *,
    mdl: str = "textbook",
    nominal: Sequence[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    """Symmetric uncertainty of each feature: twice the information gain over H(X) + H(Y).

    Parameters, missing values and errors are those of :func:`information_gain`.

    Returns
    -------
    ndarray of float64, shape (n_features,)
        From 0 to 1; larger = more important.  A feature that is constant or not split has 0.

    References
    ----------
    W. H. Press et al. (1988), Numerical Recipes in C, section 14.4.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"colour": list("rrggbb"), "flag": [True] * 3 + [False] * 3})
    >>> symmetric_uncertainty(X, ["a", "a", "a", "b", "b", "b"]).round(4)
    array([0.5158, 1.    ])
    """
    return _scores("symmetric_uncertainty", X, y, mdl, nominal, sample_weight)


def _scores(
    output: str,
    X: Any,
    y: ArrayLike | Any,
    mdl: str,
    nominal: Sequence[str | int] | None,
    sample_weight: ArrayLike | None,
) -> Floats:
    reading = {"nominal": nominal, "min_features": 1, "sparse": True}
    return score_features(prepare_entropy, output, X, y, sample_weight, reading, mdl=mdl)


_CUTS = "equal values are never cut apart; of equally good cuts the first"
FILTERS.add(
    FilterSpec(
        name="information_gain",
        aliases=("ig", "infogain"),
        summary="mutual information of the discretised feature and the class, in nats",
        formula="H(Y) + H(X) - H(X, Y)",
        latex=r"H(Y) + H(X) - H(X, Y)",
        bounds="[0, H(Y)]",
        ties=_CUTS,
        source="Fayyad and Irani (1993), IJCAI 93, 1022-1027",
        prepare=prepare_entropy,
        targets=("classes", "numeric", "survival"),
        sparse=True,
        counts_levels=True,
    ),
    FilterSpec(
        name="gain_ratio",
        aliases=("gr", "gainratio"),
        summary="information gain divided by the entropy of the discretised feature",
        formula="(H(Y) + H(X) - H(X, Y)) / H(X)",
        latex=r"\frac{H(Y) + H(X) - H(X, Y)}{H(X)}",
        bounds="[0, 1]",
        ties=_CUTS,
        source="Quinlan (1986), Machine Learning 1, 81-106",
        prepare=prepare_entropy,
        targets=("classes", "numeric", "survival"),
        sparse=True,
        counts_levels=True,
    ),
    FilterSpec(
        name="symmetric_uncertainty",
        aliases=("su", "symuncert"),
        summary="twice the information gain over the sum of the entropies of feature and class",
        formula="2 (H(Y) + H(X) - H(X, Y)) / (H(X) + H(Y))",
        latex=r"2 \, \frac{H(Y) + H(X) - H(X, Y)}{H(X) + H(Y)}",
        bounds="[0, 1]",
        ties=_CUTS,
        source="Press et al. (1988), Numerical Recipes in C, section 14.4",
        prepare=prepare_entropy,
        targets=("classes", "numeric", "survival"),
        sparse=True,
        counts_levels=True,
    ),
)
