"""Between-aggregation: several filters over the same resamples, combined and aggregated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.blocks import row_blocks
from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_choice, check_list, check_mapping
from pyfsagg._base.task import Task
from pyfsagg._run.beside import Checks
from pyfsagg._run.execution import Execution
from pyfsagg.aggregation import AGGREGATORS, AggregatedValues
from pyfsagg.ensemble.precision import Precision
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.run import run_ensemble, set_up_run
from pyfsagg.ensemble.scoring import as_lists
from pyfsagg.ensemble.storage import MatrixStore
from pyfsagg.exceptions import ParameterError
from pyfsagg.ranks import RankTable
from pyfsagg.resampling import Plan

__all__ = ["DEFAULT_FILTERS", "NORMALIZATIONS", "bam", "combine_filters", "normalize_scores"]

DEFAULT_FILTERS = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared")
NORMALIZATIONS = ("per_resample", "per_feature")


def bam(
    X: Any,
    y: Any = None,
    *,
    filters: Sequence[Any] = DEFAULT_FILTERS,
    filter_params: Mapping[str, Mapping[str, Any]] | None = None,
    normalize: str = "per_resample",
    aggregator: str = "arithmetic_mean",
    aggregator_params: Mapping[str, Any] | None = None,
    n_resamples: int | str | Precision = 1000,
    resampling: str | Plan = "bootstrap",
    task: str | Task = "classification",
    checks: str | Checks = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> EnsembleResult:
    """Rank features by the between-aggregation method (BAM).

    Every filter scores the features in each of m resamples, scores are brought to the range from 0
    to 1, the aggregator combines the filters within each resample, and is used once more over the
    resamples.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`.
    filters : sequence of str, callable or estimator
        At least two filters.
    filter_params : mapping of filter name to mapping, optional
        Parameters of named filters, for instance ``{"mrmr": {"n_features": 100}}``.
    normalize : {"per_resample", "per_feature"}
        Range over which minimum and maximum are taken: the features of one resample, or the
        resamples of one feature.  The thesis prints the second; only the first agrees with its
        table 4.4, and it is the default.
    aggregator, aggregator_params, n_resamples, resampling, task, checks, random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`.

    Returns
    -------
    EnsembleResult
        Its ``combined`` matrix holds the combined scores of each resample.

    Raises
    ------
    ParameterError, DataError, InputTypeError
        With the parameter or column, the value met and the remedy.

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
    given = dict(locals())
    check_choice("normalize", normalize, NORMALIZATIONS)
    spec = AGGREGATORS.get(aggregator)
    aggregator_params = check_mapping("aggregator_params", aggregator_params)
    compute = spec.bind(**aggregator_params)
    if isinstance(filters, str) or len(filters := check_list("filters", filters)) < 2:
        raise ParameterError(
            f"bam needs at least two filters to aggregate between, got {filters!r}; wam takes one"
        )
    execution = Execution.read("execution", execution)
    with execution.limited():
        run = set_up_run(
            X,
            y,
            filters=filters,
            filter_params=filter_params,
            n_resamples=n_resamples,
            resampling=resampling,
            task=task,
            checks=checks,
            random_state=random_state,
            execution=execution,
            normalize=normalize,
            aggregator=spec.name,
            aggregator_params=aggregator_params,
        )

        def combine(matrices: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
            return combine_filters(matrices, run.names, normalize, compute, run.store)

        call = Call.of(bam, given, random_state=run.parameters["seed"])
        return run_ensemble("bam", run, combine, compute, n_jobs, call)


def combine_filters(
    matrices: Mapping[str, NDArray[np.float64]],
    names: tuple[str, ...],
    normalize: str,
    compute: Callable[[RankTable], AggregatedValues],
    store: MatrixStore | None = None,
) -> NDArray[np.float64]:
    """One score matrix (n_resamples, n_features) out of one per filter."""
    store = store or MatrixStore()
    given = list(matrices.values())
    if normalize == "per_feature":  # needs all resamples at once
        given = [normalize_scores(matrix, normalize) for matrix in given]
    combined = store.matrix((given[0].shape[0], given[0].shape[1]))
    labels = np.array(names)
    for rows in row_blocks(combined.shape):
        block = [matrix[rows] for matrix in given]
        if normalize == "per_resample":
            block = [normalize_scores(scores, normalize) for scores in block]
        for r, target in enumerate(combined[rows]):
            lists = np.stack([scores[r] for scores in block])
            seen = ~np.isnan(lists).any(axis=0)  # a resample shows the same features to all filters
            shown = names if seen.all() else tuple(labels[seen])
            target[:] = np.nan
            target[seen] = compute(as_lists(lists[:, seen], shown)).scores
        store.release()
    return combined


def normalize_scores(scores: NDArray[np.float64], normalize: str) -> NDArray[np.float64]:
    """Scores (n_resamples, n_features) moved and scaled to the range from 0 to 1.

    Each row (``"per_resample"``) or column (``"per_feature"``) is treated on its own; missing scores
    stay missing; where all scores are equal they become 0.
    """
    axis = 1 if normalize == "per_resample" else 0
    low = np.nanmin(scores, axis=axis, keepdims=True)
    span = np.nanmax(scores, axis=axis, keepdims=True) - low
    normalized: NDArray[np.float64] = (scores - low) / np.where(span > 0.0, span, 1.0)
    return normalized
