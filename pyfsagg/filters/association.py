"""Association of a feature with the class: chi-squared, Spearman, value difference, fit, CAR scores."""

from functools import partial

import numpy as np

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.validation import check_integer
from pyfsagg._kernels import Codes, class_tables
from pyfsagg._kernels.ranks import correlation_mrmr, pearson_block, spearman_numeric_block
from pyfsagg._table.columns import Kind
from pyfsagg._table.table import AnyTable, Table, Weights, orthonormal
from pyfsagg._table.target import Target
from pyfsagg.filters import _base
from pyfsagg.filters._base import FilterSpec, KernelScorer
from pyfsagg.filters.adjusted import Residuals, cleared_mrmr, linear_scores, with_number


def _numbers(target: Target, weights: Weights) -> Floats:
    """The numbers to be explained (1 or b, n_samples), so scaled that their squares can be summed."""
    return np.ascontiguousarray(_base.within_range(target.numbers(weights).T).T)


def _correlations(
    values: Floats, target: Target, labels: Codes, weights: Weights, scores: Floats
) -> None:
    """|r|, and F = r² (n − 2) / (1 − r²) with n draws; for a perfect fit 1 − r² is its smallest
    positive value, so F and its square are finite."""
    pearson_block(values, _numbers(target, weights), weights, scores[0])
    square = scores[0] ** 2
    freedom = np.maximum(weights.sum(axis=1, dtype=np.float64) - 2.0, 0.0)[:, np.newaxis]
    rest = np.maximum(1.0 - square, np.finfo(np.float64).epsneg)
    scores[1] = np.nan_to_num(square / rest * freedom, nan=0.0)


def _rank_correlations(
    levels: _base.OrderedLevels, target: Target, labels: Codes, weights: Weights, scores: Floats
) -> None:
    """|rho| of the average ranks of feature and target."""
    codes = np.stack([_base.category_codes(numbers)[0] for numbers in target.numbers(weights)])
    n_levels, n_target = np.diff(levels.start), int(codes.max()) + 1
    spearman_numeric_block(levels.codes, n_levels, codes, n_target, weights, scores[0])


def _mrmr(
    values: Floats,
    target: Target,
    n_selected: int,
    given: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    found = np.empty((len(weights), values.shape[1]))
    orders = _base.begun_orders(len(weights), given, n_selected)
    correlation_mrmr(values, _numbers(target, weights), weights, orders.shape[1], found, orders)
    scores[0] = found[:, given:]


def prepare_correlation(table: Table, target: Target) -> _base.Scorer:
    """Bind |r| with a numeric target, and F of the regressions, to `table`; partial ones with adjusters.

    Notes
    -----
    Features are numeric, integer, boolean, or nominal with at most two levels, without missing values. A
    constant feature has 0. For survival the target is the martingale residuals.
    """
    outputs = ("pearson", "f_statistic")
    _base.require_ordered_complete(table, *outputs)
    values = _base.within_range(table.values)
    if target.adjusters is not None:
        model = (values, target, with_number, True, False)
        return KernelScorer(linear_scores, model, outputs, table.n_features)
    return KernelScorer(_correlations, (values, target), outputs, table.n_features)


def prepare_correlation_mrmr(
    table: Table, target: Target, *, n_features: int | str | None = "auto"
) -> KernelScorer:
    """Bind mRMR by correlation to `table`.

    Parameters
    ----------
    n_features : int, "auto" or "all", optional
        The depth, as in :func:`pyfsagg.filters.mrmr`.
    """
    joined, given = target.always_first(table)
    _base.require_ordered_complete(joined, "mrmr_correlation")
    depth = _base.read_depth(n_features, table.n_features)
    arguments = (_base.within_range(joined.values), target, depth, given)
    kernel = _mrmr if target.adjusters is None else cleared_mrmr
    return KernelScorer(kernel, arguments, ("mrmr_correlation",), table.n_features)


_of_numbers = partial(
    FilterSpec,
    prepare=prepare_correlation,
    within="model",
    ties="do not matter",
    accepts_missing=_base.never,
    targets=("numeric", "survival"),
)
_base.FILTERS.add(
    _of_numbers(
        name="pearson", own_column=True, aliases=("correlation",),
        summary="Absolute correlation with a numeric target", formula="|r(X, Y)|",
        latex=r"\lvert r(X, Y) \rvert", bounds="[0, 1]", source="Pearson (1896)",
    ),
    _of_numbers(
        name="f_statistic", own_column=True, aliases=("f_regression",),
        summary="F of the simple regression of a numeric target",
        formula="r^2 (n - 2) / (1 - r^2), r = r(X, Y)",
        latex=r"\frac{r^2 (n - 2)}{1 - r^2}, \quad r = r(X, Y)", bounds="[0, inf)",
        source="Fisher (1925), Statistical Methods for Research Workers",
    ),
    _of_numbers(
        name="mrmr_correlation", aliases=("mrmr_fcd",),
        summary="Correlation with a numeric target minus mean correlation with features selected before",
        formula="|r(X, Y)| - mean over the features W selected before of |r(X, W)|",
        latex=r"\lvert r(X, Y) \rvert - \frac{1}{|S|} \sum_{W \in S} \lvert r(X, W) \rvert, "
        r"\quad S \text{ the features selected before}", bounds="[-1, 1]",
        ties="in a step the first of equal columns, on which later steps depend",
        source="Ding and Peng (2005), J. Bioinformatics and Computational Biology 3(2), difference form",
        prepare=prepare_correlation_mrmr, begins=True, relevance="pearson",
        settle=_base.settle_depth,
    ),
)  # fmt: skip


_OUTPUTS = {"chi2": "chi_squared", "cramers_v": "cramers_v"}


def prepare_chi_squared(table: AnyTable, target: Target, *, bins: int = 10) -> _base.Scorer:
    """Bind chi-squared and Cramér's V to `table`.

    Parameters
    ----------
    bins : int
        Numeric and integer columns are cut into this many bins of equal width between the
        smallest and the largest value among the rows of positive weight, by the rule of
        :func:`~pyfsagg.discretization.discretize`: cuts at min + k·(max − min)/bins, and a value
        that equals a cut belongs to the bin below it.

    Notes
    -----
    Boolean and nominal columns are taken as they are, and a missing value is a level of its own. The
    sum runs over the levels and classes that occur.  A constant feature, and rows of one class, give 0.
    """
    check_integer("bins", bins, low=2, high=_base.MOST_BINS)
    binned = _base.is_kind(table, Kind.NUMERIC, Kind.INTEGER)
    return _base.table_scorer(
        table, class_tables.CHI_SQUARED, tuple(_OUTPUTS.values()), target.n_classes, binned, bins
    )


_of_counts = partial(
    FilterSpec,
    prepare=prepare_chi_squared,
    ties="equal values share a bin",
    targets=("classes", "numeric", "survival"),
    sparse=True,
    counts_levels=True,
    width_bins=_base.ten_bins,
    own_column=True,
)
_base.FILTERS.add(
    _of_counts(
        name="chi_squared", aliases=("cs", "chi2"),
        summary="Pearson's chi-squared statistic over bins of equal width",
        formula="chi2 = sum over levels and classes of (observed - expected)^2 / expected",
        latex=r"\chi^2 = \sum_{v} \sum_{c} \frac{(O_{vc} - E_{vc})^2}{E_{vc}}, \quad v \text{ a "
        r"level of } X, \; c \text{ a class}", bounds="[0, n·(n_classes − 1)]", source="thesis 3.4.3",
        within="sum",
    ),
    _of_counts(
        name="cramers_v", aliases=("cv",), summary="Cramér's V over bins of equal width",
        formula="sqrt(chi2 / (n (min(levels, classes) - 1)))",
        latex=r"\sqrt{\frac{\chi^2}{n \, (\min(l, c) - 1)}}, \quad l \text{ levels}, \; c "
        r"\text{ classes}", bounds="[0, 1]", source="thesis 3.4.3; Cramér (1946)",
    ),
)  # fmt: skip


def prepare_spearman(table: Table, target: Target) -> _base.Scorer:
    """Bind |rho| to `table`; the partial rank correlation with adjusters.

    Notes
    -----
    Features are numeric, integer, boolean, or nominal with at most two levels.  Rows with a missing
    value of a feature are omitted for that feature.  0 where the feature or the target is constant.
    """
    if target.kind == "classes":
        _base.require_two_classes(target, "the filter 'spearman' is")
        _base.require_order(table, "'spearman'", "value_difference_metric")
    elif target.adjusters is not None:
        _base.require_ordered_complete(table, "spearman")
    else:
        _base.require_order(table, "'spearman'", "information_gain")
    outputs, p = ("spearman",), table.n_features
    if target.adjusters is not None:
        model = (table.values, target, with_number, True, True)
        return KernelScorer(linear_scores, model, outputs, p)
    levels = _base.ordered_levels(table)
    if target.kind == "classes":
        arguments = (levels.codes, np.diff(levels.start))
        return KernelScorer(class_tables.spearman_block, arguments, outputs, p)
    return KernelScorer(_rank_correlations, (levels, target), outputs, p)


def prepare_value_difference_metric(
    table: AnyTable, target: Target, *, bins: int | None = None
) -> _base.Scorer:
    """Bind the value difference metric to `table`.

    Parameters
    ----------
    bins : int, optional
        Cut numeric and integer columns into this many bins of equal width (by the rule of
        :func:`~pyfsagg.discretization.discretize`).  By default the sum runs over the distinct values,
        which gives 1 to every feature without ties.

    Notes
    -----
    A missing value is a value of its own.  0 where the feature is constant or a class is absent.
    """
    _base.require_two_classes(target, "the filter 'value_difference_metric' is")
    if bins is None:
        binned, bins = np.zeros(table.n_features, dtype=np.bool_), 2
    else:
        check_integer("bins", bins, low=2, high=_base.MOST_BINS)
        binned = _base.is_kind(table, Kind.NUMERIC, Kind.INTEGER)
    outputs = ("value_difference_metric",)
    return _base.table_scorer(table, class_tables.VALUE_DIFFERENCE, outputs, 2, binned, bins)


def prepare_fit_criterion(table: Table, target: Target) -> KernelScorer:
    """Bind the fit criterion to `table`.

    Notes
    -----
    A row is assigned to the class l with the smaller ``|x − mean_l| / var_l`` (a tie goes to the
    first class); the score is the share of rows that are assigned to their own class.  Means and
    variances are those of the known values; a missing value is not assigned and counts as wrong.  0
    where the feature is constant or a class is absent.

    The variance is that of the class's own distribution (divisor n).  The printed formula divides
    by it, which is undefined for a class without spread.  Here such a class takes the rows exactly at
    its mean and no others; a row for which the ratios of both classes are 0/0 or both are x/0 is
    not assigned.
    """
    _base.require_two_classes(target, "the filter 'fit_criterion' is")
    _base.require_order(table, "'fit_criterion'", "value_difference_metric")
    levels = _base.scaled_levels(table)
    arguments = (levels.values, levels.start, levels.codes)
    return KernelScorer(
        class_tables.fit_criterion_block, arguments, ("fit_criterion",), table.n_features
    )


_base.FILTERS.add(
    FilterSpec(
        name="spearman", aliases=("sp",),
        summary="Absolute rank correlation with two classes or a numeric target",
        formula="|r(rank X, rank Y)|, the classes taken as 0 and 1",
        latex=r"\lvert r(\operatorname{rank} X, \operatorname{rank} Y) \rvert", bounds="[0, 1]",
        ties="average ranks", source="fpcps 4.3", prepare=prepare_spearman,
        within="model", own_column=True, two_classes=True,
        targets=("classes", "numeric", "survival"),
    ),
    FilterSpec(
        name="value_difference_metric", aliases=("vdm",),
        summary="Half the difference of the value distributions of two classes",
        formula="1/2 sum over values v of |P(v | class 1) - P(v | class 2)|",
        latex=r"\frac{1}{2} \sum_{v} \lvert P(v \mid 1) - P(v \mid 2) \rvert, \quad v \text{ a "
        r"value of } X", bounds="[0, 1]", ties="equal values are one value", source="fpcps 4.3",
        prepare=prepare_value_difference_metric, two_classes=True, sparse=True, counts_levels=True,
        width_bins=lambda parameters: parameters.get("bins") or 0, own_column=True,
    ),
    FilterSpec(
        name="fit_criterion", aliases=("fc",),
        summary="Share of rows nearer to the mean of their class, in variances (two classes)",
        formula="share of rows whose class l has the smaller |x - mean_l| / var_l",
        latex=r"\frac{1}{n} \sum_{i=1}^{n} 1 \left[ y_i = \operatorname{argmin}_{l} \frac{\lvert x_i - \mu_l "
        r"\rvert}{\sigma_l^2} \right]", bounds="[0, 1]",
        ties="a row equally near to both classes counts for the first", source="fpcps 4.3",
        prepare=prepare_fit_criterion, own_column=True, two_classes=True,
    ),
)  # fmt: skip


_TINY = 1e-12  # share of the largest eigenvalue of a correlation matrix below which one is rounding


def _car_scores(
    values: Floats, target: Target, labels: Codes, weights: Weights, scores: Floats
) -> None:
    """CAR scores, given the adjusters, if any."""
    if target.kind == "classes":
        answers = np.eye(target.n_classes)[labels]
    else:
        answers = _base.within_range(target.numbers(weights).T).T[:, :, np.newaxis]
    known = target.adjusters
    design = np.ones((len(values), 1)) if known is None else known.design
    scores[:] = 0.0
    for r, row in enumerate(weights):
        drawn = np.flatnonzero(row)
        times = row[drawn].astype(np.float64)
        rows = Residuals.of(values[drawn], design[drawn], times)
        rest = orthonormal(rows.residuals(answers[r % len(answers), drawn]))
        length = np.sqrt(rows.squares)
        x = np.where(length > 0.0, rows.values / np.where(length > 0.0, length, 1.0), 0.0)
        freedom = rows.size - rows.basis.shape[1]
        if freedom > 1.0 and rest.size:
            scores[0, r] = _car(rest, x, times, rows.size, freedom)


def _car(y: Floats, x: Floats, times: Floats, n: float, freedom: float) -> Floats:
    """CAR scores (p,) of columns x (n, p) of length 1 for orthonormal ones y (n, k); rows count `times`."""
    # Of several columns the shrinkage would depend on the axes chosen.
    columns = np.hstack([y, x]) if y.shape[1] == 1 else x
    shrinkage = _shrinkage(columns, times, n, freedom)
    correlations = (1.0 - shrinkage) * (x.T @ y)
    # Powers of a matrix of p features by the eigenvectors that its rows, or features, span.
    wide = x.shape[1] > x.shape[0]
    values, vectors = np.linalg.eigh(x @ x.T if wide else x.T @ x)
    kept = values > _TINY * values[-1]
    values, vectors = values[kept], vectors[:, kept]
    vectors = x.T @ vectors / np.sqrt(values) if wide else vectors
    along = vectors.T @ correlations
    scaled = vectors @ (along / np.sqrt(shrinkage + (1.0 - shrinkage) * values)[:, np.newaxis])
    if shrinkage > 0.0:
        scaled += (correlations - vectors @ along) / np.sqrt(shrinkage)
    return np.asarray(np.sqrt((scaled**2).sum(axis=1)))


def _shrinkage(columns: Floats, times: Floats, n: float, freedom: float) -> float:
    """Share of the identity in the correlation matrix of all columns, by Schäfer and Strimmer."""
    few = columns.shape[0] < columns.shape[1]
    products = columns @ columns.T if few else columns.T @ columns
    squares = columns**2
    between = (freedom / n) ** 2 * ((products**2).sum() - (squares.sum(axis=0) ** 2).sum())
    by_row = squares.sum(axis=1) ** 2 - (squares**2).sum(axis=1)
    spread = freedom**2 / n * (by_row / times).sum() - between
    return float(np.clip(spread / between / freedom, 0.0, 1.0)) if between > 0.0 else 1.0


def prepare_car_score(table: Table, target: Target) -> KernelScorer:
    """Bind CAR scores to `table`."""
    if target.kind == "classes":
        _base.require_order(table, "'car_score'", "information_gain")
    _base.require_ordered_complete(table, "car_score")
    arguments = (_base.within_range(table.values), target)
    return KernelScorer(_car_scores, arguments, ("car_score",), table.n_features)


_base.FILTERS.add(
    FilterSpec(
        name="car_score", aliases=("car",),
        summary="Correlation with the target after decorrelation of the features",
        formula="|R^(-1/2) r|, r the correlations with Y and R those of the features, both shrunken; the "
        "length of these for several orthonormal contrasts of classes",
        latex=r"\lvert (R^{-1/2} r)_X \rvert, \quad R = \lambda I + (1 - \lambda) \hat R, \; "
        r"r = (1 - \lambda) \hat r", bounds="[0, 1]", ties="do not matter",
        source="Zuber and Strimmer (2011), Statistical Applications in Genetics and Molecular Biology 10; "
        "shrinkage: Schäfer and Strimmer (2005)", prepare=prepare_car_score, within="model",
        accepts_missing=_base.never, targets=("classes", "numeric", "survival"),
    ),
)  # fmt: skip
