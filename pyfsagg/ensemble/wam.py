"""Within-aggregation: one filter over many resamples, aggregated feature by feature."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.run import run_ensemble, set_up_run
from pyfsagg.ensemble.scoring import Progress, filter_label

__all__ = ["wam"]


def wam(
    X: Any,
    y: Any = None,
    *,
    filter: Any = "information_gain",
    filter_params: Mapping[str, Any] | None = None,
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int | str = 1000,
    precision: Mapping[str, Any] | None = None,
    resampling: str = "bootstrap",
    resampling_params: Mapping[str, Any] | None = None,
    row_indices: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    nominal: Sequence[str | int] | None = None,
    drop_near_zero_variance: bool = False,
    task: str = "classification",
    target_bins: int = 5,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    scratch: str | os.PathLike[str] | None = None,
) -> EnsembleResult:
    """Rank features by the within-aggregation method (WAM).

    A filter scores the features in each of m resamples; an aggregator turns the m scores (or ranks)
    of a feature into one.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, n_features)
        Numeric, integer, boolean or nominal columns; missing values as the filter allows.  A SciPy
        sparse matrix for the filters that :func:`pyfsagg.list_filters` marks as sparse: the result
        is that of the dense table.
    y : array of shape (n_samples,), optional
        Class labels; numbers with ``task="regression"``; None for filters that need no target
        (:func:`pyfsagg.list_filters` says which).
    filter : str, callable or estimator
        A name from :func:`pyfsagg.list_filters`, a function ``(X, y, sample_weight) -> scores``, or
        a scikit-learn estimator with ``feature_importances_`` or ``coef_``.
    filter_params : mapping, optional
        Parameters of a named filter, for instance ``{"mdl": "fselectorrcpp"}``.
    aggregator : str
        A name from :func:`pyfsagg.list_aggregators`; `aggregator_params` are its options.
    n_resamples : int or "auto"
        Number of resamples m; with ``"auto"`` it is doubled until `precision` is reached.
    precision : mapping, optional
        With ``n_resamples="auto"``: ``max_change``, the share of the best features that a
        repetition with another seed may be expected to replace (0.05); ``top``, how many features
        are the best ones (0.25); ``maximum``, where to stop in any case (10000).
    resampling : str
        A plan from :func:`pyfsagg.list_resampling_plans`; `resampling_params` are its parameters.
    row_indices : array of int, shape (n_resamples, n_draws), optional
        The rows (from 0) of each resample, to repeat a run made elsewhere; replaces the plan.
    groups : array of shape (n_samples,), optional
        Group of each sample, for ``resampling="grouped_bootstrap"``.
    sample_weight : array of whole numbers, shape (n_samples,), optional
        How often each sample counts in the population that is resampled.
    nominal : sequence of column names or positions, optional
        Columns to be taken as nominal whatever their type.
    drop_near_zero_variance : bool
        Leave near-constant features out first (see :func:`pyfsagg.near_zero_variance`).
    task : {"classification", "regression"}
        Whether `y` holds classes or numbers.
    target_bins : int
        With ``task="regression"``: bins of (nearly) equal size into which entropy filters and
        stratified plans put the numbers.
    random_state : None, int or NumPy generator
        Seed; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Workers, as in joblib; the result does not depend on it.
    progress : bool or callable (done, total), optional
        A progress bar, or a function that is told.
    checkpoint : path, optional
        A folder in which finished work is kept: after a kill or a crash the same call continues
        from there and ends in the same bits, with the seed of the first call where `random_state`
        leaves it open.  A checkpoint of other data or settings is refused.
    scratch : path, optional
        An existing folder, best on a disk: score matrices are kept in unnamed files there, mapped
        into memory, and vanish with the result.  For wide tables, whose scores (`n_resamples` times
        the number of features) take more memory than the table.  Aggregators of scores then need a
        few columns at a time; those of ranks and most methods of the result look at whole matrices.

    Returns
    -------
    EnsembleResult

    Raises
    ------
    ParameterError, DataError, InputTypeError
        With the parameter or column, the value met and the remedy.
    OutputError
        If the checkpoint is damaged, in use, or cannot be written.
    WorkerError
        If a worker process died.

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
    spec = AGGREGATORS.get(aggregator)
    compute = spec.bind(**(aggregator_params or {}))
    run = set_up_run(
        X,
        y,
        filters=[filter],
        filter_params={filter_label(filter): filter_params} if filter_params else {},
        n_resamples=n_resamples,
        precision=precision,
        resampling=resampling,
        resampling_params=resampling_params,
        row_indices=row_indices,
        groups=groups,
        sample_weight=sample_weight,
        nominal=nominal,
        drop_near_zero_variance=drop_near_zero_variance,
        task=task,
        target_bins=target_bins,
        random_state=random_state,
        checkpoint=checkpoint,
        scratch=scratch,
        aggregator=spec.name,
        aggregator_params=dict(aggregator_params or {}),
    )
    return run_ensemble(
        "wam", run, lambda matrices: matrices[run.labels[0]], compute, n_jobs, progress, checkpoint
    )
