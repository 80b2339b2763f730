"""The functions that rank a table by an ensemble: each argument of :class:`Ensemble` stands in them."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pyfsagg._base import remarks, spellings, validation
from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._base.registry import repeatable
from pyfsagg._base.settings import Task
from pyfsagg._message import ONE_FILTER, Got, Param, Remedy
from pyfsagg._run.execution import Checks, Execution
from pyfsagg.datasets import load_dataset, read_sparse_table, read_table
from pyfsagg.datasets._checked import CheckedTable
from pyfsagg.datasets._loaders import is_sparse_file, list_datasets
from pyfsagg.ensemble.job import carry_out
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.scoring import deep_enough, likely_filters
from pyfsagg.ensemble.selection import parse_rule
from pyfsagg.ensemble.settings import Ensemble, Precision, is_within
from pyfsagg.error_control import TargetPermutation
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling import Plan
from pyfsagg.resampling.plan import read_plan, with_data


@repeatable
@spellings.answers_spellings
def wam(
    X: TableLike,
    y: TargetLike = None,
    *,
    filter: Any = "information_gain",
    filter_params: Mapping[str, Any] | None = None,
    normalize: str = "auto",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank features by the within-aggregation method (WAM).

    A filter scores the features in each of m resamples; an aggregator combines the m scores (or ranks)
    of a feature.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numeric, integer, boolean or nominal columns; missing values as the filter allows.  A SciPy
        sparse matrix for the filters that ``pyfsagg.list_methods("filters")`` marks as sparse, with the
        result of the dense table.
    y : array of shape (n_samples,), optional
        Class labels; numbers with ``task="regression"``; with ``task="survival"`` two columns, times
        and events (1, or 0 where censored), or a structured array such as scikit-survival's ``Surv``;
        None for filters that need no target (see ``pyfsagg.list_methods("filters")``).
    filter : str, callable or estimator
        A name from ``pyfsagg.list_methods("filters")``, a function ``(X, y, sample_weight) -> scores``, or
        a scikit-learn estimator with ``feature_importances_`` or ``coef_``.
    filter_params : mapping, optional
        Parameters of a named filter, for instance ``{"mdl": "fselectorrcpp"}``.
    normalize : {"auto", "none", "against_noise"}
        Whether to keep the scores of the filter, or to replace each by minus the logarithm of the share of
        scores as high among columns of its kind in resamples of shuffled targets.  A filter that counts
        levels scores columns of many levels higher than columns of two, above all in a bootstrap.  ``"auto"``
        therefore compares with noise if there are nominal and numeric columns, or with different numbers
        of levels.  The thesis uses ``"none"``.
    aggregator : str
        A name from ``pyfsagg.list_methods("aggregators")``; `aggregator_params` are its options.
    n_resamples : int, "auto" or Precision
        Number of resamples m.  With a :class:`pyfsagg.ensemble.Precision` it is doubled until the precision
        is reached; ``"auto"`` is the default precision.
    resampling : str or plan
        A name from ``pyfsagg.list_methods("resampling")``, or a plan of :mod:`pyfsagg.resampling`:
        ``Subsample(0.8)``, ``GroupedBootstrap(groups)``, ``Bootstrap(sample_weight=weights)`` for rows with
        weights, ``Bootstrap(counts=counts)`` for rows that each stand for several equal samples,
        ``ComplementaryPairs()`` for disjoint halves, ``Rows(indices)`` to repeat a run made elsewhere.
    task : str or Task
        ``"classification"``, ``"regression"``, ``"survival"``, or a :class:`pyfsagg.Task`, which also
        sets which columns are nominal and whether near-constant ones are dropped.
    checks : {"auto", "none"} or Checks
        Additional computations, on which the ranking does not depend.  ``"auto"``: pairs of disjoint halves
        for :meth:`EnsembleResult.between_sample_stability`, and shuffled targets, which show the scores
        that noise reaches (:meth:`EnsembleResult.selection`); a :class:`pyfsagg.Checks` sets their numbers.
    random_state : None, int or NumPy generator
        Seed; if None, a random seed is drawn and recorded.
    n_jobs : int, optional
        Workers, as in joblib; the result does not depend on it.
    execution : Execution, optional
        Checkpoint, scratch files and progress: :class:`pyfsagg.Execution`.

    Returns
    -------
    EnsembleResult

    Raises
    ------
    OutputError
        If the checkpoint is damaged, in use, or cannot be written.
    WorkerError
        If a worker process died.

    See Also
    --------
    bam : Several filters, aggregated within each resample.
    rank_out_of_core : Tables that are larger than memory.
    aggregate : Existing ranked lists.

    Notes
    -----
    Source: thesis 3.2.1, algorithm 1.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(data.X, data.y, n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'proline', 'color_intensity']
    """
    ensemble = Ensemble(
        [filter], filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling
    )
    return carry_out(wam, X, y, ensemble, task, checks, random_state, n_jobs, execution)


@repeatable
@spellings.answers_spellings
def bam(
    X: TableLike,
    y: TargetLike = None,
    *,
    filters: Sequence[Any] | str = "auto",
    filter_params: Mapping[str, Mapping[str, Any]] | None = None,
    normalize: str = "auto",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank features by the between-aggregation method (BAM).

    Every filter scores the features in each of m resamples, and the scores are scaled to the range from 0
    to 1.  The aggregator combines the filters within each resample, and then the resamples.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`.
    filters : sequence of str, callable or estimator, or "auto"
        At least two filters.  ``"auto"``: information gain, symmetrical uncertainty, mRMR and chi-squared;
        for a numeric target and for survival times, if no column contains words with more than two levels,
        Spearman's correlation and information gain.
    filter_params : mapping of filter name to mapping, optional
        Parameters of named filters, for instance ``{"mrmr": {"n_features": 100}}``.
    normalize : {"auto", "per_resample", "per_feature", "against_noise"}
        Range over which minimum and maximum are taken: the features of one resample, or the
        resamples of one feature.  The thesis prints the second; only the first agrees with its
        table 4.4.  ``"against_noise"`` first compares the scores with noise, as :func:`pyfsagg.wam` does;
        ``"auto"`` does so if the columns differ in their levels.
    aggregator, aggregator_params, n_resamples, resampling, task, checks, random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`.

    Returns
    -------
    EnsembleResult
        Its ``combined`` matrix has the combined scores of each resample.

    See Also
    --------
    wam : One filter.

    Notes
    -----
    Source: thesis 3.2.2, algorithm 2.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.bam(data.X, data.y, n_resamples=50, random_state=0)
    >>> result.select(3)
    ['flavanoids', 'proline', 'od280/od315_of_diluted_wines']
    """
    if not isinstance(filters, str):
        filters = validation.check_list("filters", filters)
    if filters != "auto" and (isinstance(filters, str) or len(filters) < 2):
        raise ParameterError(
            "bam needs at least two filters to aggregate between", Got(filters), ONE_FILTER
        )
    ensemble = Ensemble(
        filters, filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling
    )
    return carry_out(bam, X, y, ensemble, task, checks, random_state, n_jobs, execution)


@spellings.answers_spellings
def rank(
    X: TableLike,
    y: TargetLike = None,
    *,
    groups: Any = None,
    event: Any = None,
    accept: Sequence[str] = (),
    filters: str | Sequence[Any] = "auto",
    filter_params: Mapping[str, Any] | None = None,
    normalize: str = "auto",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_features_to_select: int | float | str = "auto",
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Check a table and rank its features, as ``pyfsagg rank`` does on the terminal.

    Parameters
    ----------
    X : array, data frame, sparse matrix (n_samples, n_features), or path
        A file is read as by :func:`pyfsagg.datasets.read_table`, or
        :func:`pyfsagg.datasets.read_sparse_table`, which brings its target along.  The name of a data set,
        without `y`, ranks that set.
    y : str, array (n_samples,) or data frame, optional
        The column of `X` that is the target, or the target itself; for survival two columns, times and
        events, or their names.
    groups : str or array (n_samples,), optional
        Subjects with several rows, or their column: all rows of a subject are drawn together.
    event : scalar, optional
        The value in the column of events that is one; all other values are censored times.  The task is
        survival then.  Without it 1 is the event, and 2 if the values are 1 and 2, as in R's ``Surv``.
    accept : sequence of str
        Findings of :func:`pyfsagg.datasets.check_table` that do not stop the run, or ``["all"]``. Rows
        without a target are omitted if ``"missing_target"`` is accepted.
    filters : str or sequence
        One filter, as for :func:`pyfsagg.wam`, or several, or ``"auto"``, as for :func:`pyfsagg.bam`.
    n_features_to_select : int, float or str
        How many features the report of the result selects, as in :meth:`EnsembleResult.selection`.  Filters
        that select one feature after the other, such as mRMR, go as deep as a number needs.
    filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling, task, checks, \
random_state, n_jobs, execution
        As for :func:`pyfsagg.wam` and :func:`pyfsagg.bam`.  With `groups` the bootstrap draws groups.

    Returns
    -------
    EnsembleResult

    Raises
    ------
    DataError
        If the table would give a misleading ranking: identifiers, copies of the target, subjects with
        several rows. The message says what to do.

    See Also
    --------
    wam, bam : The same without checking the table.

    Examples
    --------
    >>> import pyfsagg
    >>> wine = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.rank(wine.X, wine.y, n_resamples=50, random_state=0, n_jobs=1)
    >>> result.select(3)
    ['flavanoids', 'proline', 'od280/od315_of_diluted_wines']
    """
    task = Task.of_argument(task)
    if event is not None and task.task != "survival":
        if task.task == "regression":
            raise ParameterError(Param("event"), " belongs to survival, not to a regression")
        task = replace(task, task="survival")
    if isinstance(X, str) and y is None and X in list_datasets().index and not os.path.exists(X):
        data = load_dataset(X)
        X, y = data.X, data.y
    elif isinstance(X, (str, os.PathLike)) and is_sparse_file(path := os.fspath(X)):
        X, beside = read_sparse_table(path)
        y = beside if y is None else y
    elif isinstance(X, (str, os.PathLike)):
        X = read_table(os.fspath(X))
    how: dict[str, Any] = {"nominal": task.nominal, "task": task.task}
    table = CheckedTable.of(X, y, groups=groups, event=event, **how)
    table.check.require(accept)
    for finding in table.check.findings:
        if finding.severity == "warning":
            remarks.warn(finding.message, stacklevel=3)
    if event is None:
        for note in table.notes:
            remarks.warn(note, stacklevel=3)
    ensemble = Ensemble(
        filters, filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling
    )
    return rank_checked(
        table.with_target(),
        ensemble,
        n_features_to_select,
        task=task,
        checks=checks,
        random_state=random_state,
        n_jobs=n_jobs,
        execution=execution,
    )


def rank_checked(
    table: CheckedTable,
    ensemble: Ensemble,
    n_features_to_select: int | float | str,
    *,
    task: str | Task = "classification",
    **how: Any,
) -> EnsembleResult:
    """Rank a table that was checked; `how` are the other arguments of :func:`pyfsagg.wam`."""
    parse_rule(n_features_to_select)  # refused before the work is done
    named = likely_filters(ensemble.filters, Task.of_argument(task).task)
    n_columns = len(table.table.feature_names)
    deep = deep_enough(named, ensemble.filter_params, n_columns, n_features_to_select)
    plan: str | Plan = ensemble.resampling
    if table.groups is not None:
        plan = ensemble.plan
        if plan.name == "bootstrap":  # of groups
            plan = with_data(read_plan("grouped_bootstrap"), **plan._of_rows())
        plan = with_data(plan, groups=table.groups)
    options = replace(ensemble, filter_params=deep, resampling=plan).options()
    result = method_for(options)(table.table, table.y, task=task, **options, **how)
    if n_features_to_select == "auto":
        return result
    return result._shown_with({"n_features_to_select": n_features_to_select})


def method_for(options: Mapping[str, Any]) -> Callable[..., EnsembleResult]:
    """The function that takes these options: `wam` where `filter` is one of them, otherwise `bam`."""
    return wam if is_within(options) else bam


def permute_target(
    X: TableLike,
    y: TargetLike,
    *,
    shuffles: int | str = "auto",
    random_state: RandomState = None,
    **options: Any,
) -> TargetPermutation:
    """P-values of the features, by comparing their scores with those for shuffled targets.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`; a target is required.
    shuffles : int or "auto"
        Number of shuffled targets, as in :class:`pyfsagg.Checks`.
    random_state : None, int or Generator
    **options
        Arguments of :func:`pyfsagg.wam` (with `filter`) or :func:`pyfsagg.bam`, such as `filters` and `task`;
        groups of rows by a plan such as ``resampling=GroupedBootstrap(groups)``, weights of rows by
        ``Bootstrap(sample_weight=weights)``, which then move with the targets, and counts of merged rows by
        ``Bootstrap(counts=counts)``.

    Returns
    -------
    TargetPermutation

    See Also
    --------
    wam : Results of wam and bam have the same p-values as ``permutation``.

    Notes
    -----
    The whole table is scored with each target, without resamples.  Columns of numbers, and columns with
    equal numbers of levels, share a null distribution of scores (of a filter that cuts numbers into bins of
    equal width, numbers with equally many occupied bins); in its tail, the largest one in fifty (from 20 to
    250 scores), it is taken as exponential.  If all filters bin numbers, numbers are also tested
    by their ranks (Kruskal and Wallis; Spearman for a numeric target, the score test of Cox's model for
    survival times), and the p-value of a filter is multiplied by four, since classes mostly differ in
    location.  Filters whose score depends on other columns are used only if there are no others.  Those
    that select one column after the other, such as mRMR, are judged by their relevance: what a column alone
    tells of the target by the same bins (``mim``; ``pearson`` for ``mrmr_correlation``), given the columns
    that are always in.  Under any target they choose some column first, so their own scores find nothing.
    The calibration report has simulated levels and power.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing; Phipson and Smyth (2010); Storey and
    Tibshirani (2003), on pooled null distributions.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> test = permute_target(data.X, data.y, random_state=0)
    >>> len(test.select(0.05))
    13
    """
    if y is None:
        raise DataError("there is no target to shuffle", Remedy("give ", Param("y")))
    plan = read_plan(options.get("resampling", "bootstrap"))
    run = method_for(options)
    settings = {
        "normalize": "none" if run is wam else "per_resample",  # of resamples, which nobody reads
        **options,
        "checks": Checks(pairs=0, shuffles=shuffles),
        "n_resamples": max(plan.fewest, plan.together),
    }
    result = run(X, y, random_state=random_state, **settings)
    if result.permutation is None:
        reason = result.parameters.get("shuffles", {}).get("reason", "shuffles = 0")
        raise DataError("the target cannot be shuffled: ", reason)
    return result.permutation
