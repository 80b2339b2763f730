"""Information gain, gain ratio and symmetric uncertainty, with discretisation in every resample."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Floats, Integers, TableLike
from pyfsagg._base.validation import check_choice, check_integer
from pyfsagg._kernels import Codes
from pyfsagg._kernels.class_tables import ENTROPY, EQUAL_FREQUENCY, EQUAL_WIDTH
from pyfsagg._kernels.entropy_scores import SCORES, TOGETHER, score_binned, score_mdl, score_nominal
from pyfsagg._kernels.sparse import SortedPlaces, sparse_mdl, sparse_tables
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import AnyTable, Weights
from pyfsagg._table.target import Target
from pyfsagg.discretization import (
    MDL_READINGS,
    METHODS,
    SortedColumns,
    check_classes,
    check_totals,
    numeric_columns,
)
from pyfsagg.filters import _base

_KINDS = {"equal_width": EQUAL_WIDTH, "equal_frequency": EQUAL_FREQUENCY}


def _dense_entropy(
    columns: SortedColumns,
    rising: Floats | None,
    nominal: tuple[Integers, Codes, Integers],
    n_classes: int,
    parity: bool,
    discretization: str,
    bins: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the scores of the entropy filters: `columns` were sorted once and are cut (by MDL,
    or by bins of their `rising` values); `nominal` has positions, codes and numbers of levels."""
    resamples = (n_classes, check_totals(weights) + 1, labels, weights, scores)
    if len(columns.columns) and rising is None:
        tied, row_bits, positions = columns.tied, columns.row_bits, columns.columns
        score_mdl(columns.order, columns.n_known, tied, row_bits, positions, parity, *resamples)
    elif rising is not None and len(columns.columns):
        cells = (columns.order, columns.n_known, columns.row_bits, rising, columns.columns)
        score_binned(ENTROPY, _KINDS[discretization], bins, *cells, *resamples)
    places, codes, n_levels = nominal
    if len(places):
        score_nominal(codes, n_levels, places, *resamples)


def _sparse_entropy(
    places: SortedPlaces,
    columns: Integers,
    n_classes: int,
    parity: bool,
    discretization: str,
    bins: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Write the scores of the entropy filters, bitwise equal to those of a dense table; `columns` are cut."""
    resamples = (n_classes, check_totals(weights) + 1, labels, weights, scores)
    binned = np.isin(np.arange(scores.shape[2]), columns)
    others = np.flatnonzero(~binned) if discretization == "mdl" else np.arange(len(binned))
    if discretization == "mdl" and len(columns):
        sparse_mdl(places, columns, parity, *resamples)
    if len(others):
        kind = _KINDS.get(discretization, EQUAL_WIDTH)
        sparse_tables(ENTROPY, kind, bins, places, others, binned, *resamples)


def prepare_entropy(
    table: AnyTable,
    target: Target,
    *,
    mdl: str = "textbook",
    discretization: str = "mdl",
    bins: int = 10,
) -> _base.Scorer:
    """Bind the entropy filters to a table."""
    parity = check_choice("mdl", mdl, MDL_READINGS) == "fselectorrcpp"
    discretization = check_choice("discretization", discretization, METHODS)
    bins = check_integer("bins", bins, low=2, high=2**15)
    n_classes = check_classes(target).n_classes
    columns = numeric_columns(table.kinds, booleans=parity and discretization == "mdl")
    how = (n_classes, parity, discretization, bins)
    if isinstance(table, SparseTable):
        sparse = (_base.sorted_places(table), columns, *how)
        return _base.KernelScorer(_sparse_entropy, sparse, SCORES, table.n_features)
    ordered = SortedColumns.of(table.values, columns)
    nominal = np.setdiff1d(np.arange(table.n_features), columns)
    codes = table.values[:, nominal].T
    n_levels = np.nan_to_num(codes, nan=-1.0).max(axis=1, initial=-1.0) + 1.0
    codes = np.where(np.isnan(codes), n_levels[:, np.newaxis], codes)
    others = (nominal, codes.astype(np.int32), n_levels.astype(np.int64) + 1)
    rising = None if discretization == "mdl" else ordered.rising(table.values)
    dense = (ordered, rising, others, *how)
    together = TOGETHER if table.n_samples <= _base.FEW_ROWS else 1
    return _base.KernelScorer(_dense_entropy, dense, SCORES, table.n_features, together=together)


def information_gain(
    X: TableLike,
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
    X: TableLike,
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
    X: TableLike,
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
    X: TableLike,
    y: ArrayLike | Any,
    mdl: str,
    nominal: Sequence[str | int] | None,
    sample_weight: ArrayLike | None,
) -> Floats:
    reading = {"nominal": nominal, "min_features": 1, "sparse": True}
    return _base.score_features(prepare_entropy, output, X, y, sample_weight, reading, mdl=mdl)


def _width_bins(parameters: Mapping[str, Any]) -> int:
    return _base.ten_bins(parameters) if parameters.get("discretization") == "equal_width" else 0


_spec = partial(
    _base.FilterSpec,
    bounds="[0, 1]",
    ties="equal values stay together; of equal cuts the first",
    prepare=prepare_entropy,
    targets=("classes", "numeric", "survival"),
    sparse=True,
    counts_levels=True,
    width_bins=_width_bins,
    own_column=True,
)
_base.FILTERS.add(
    _spec(
        name="information_gain", aliases=("ig", "infogain"),
        summary="Mutual information of the discretised feature and the class, in nats",
        formula="H(Y) + H(X) - H(X, Y)", latex=r"H(Y) + H(X) - H(X, Y)", bounds="[0, H(Y)]",
        source="Fayyad and Irani (1993), IJCAI 93, 1022-1027",
    ),
    _spec(
        name="gain_ratio", aliases=("gr", "gainratio"),
        summary="Information gain divided by the entropy of the discretised feature",
        formula="(H(Y) + H(X) - H(X, Y)) / H(X)", latex=r"\frac{H(Y) + H(X) - H(X, Y)}{H(X)}",
        source="Quinlan (1986), Machine Learning 1, 81-106",
    ),
    _spec(
        name="symmetric_uncertainty", aliases=("su", "symuncert"),
        summary="Twice the information gain over the sum of both entropies",
        formula="2 (H(Y) + H(X) - H(X, Y)) / (H(X) + H(Y))",
        latex=r"2 \, \frac{H(Y) + H(X) - H(X, Y)}{H(X) + H(Y)}",
        source="Press et al. (1988), Numerical Recipes in C, section 14.4",
    ),
)  # fmt: skip
