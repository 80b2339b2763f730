"""Within-aggregation: one filter over many resamples, aggregated feature by feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_mapping
from pyfsagg._base.task import Task
from pyfsagg._run.beside import Checks
from pyfsagg._run.execution import Execution
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble.precision import Precision
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.run import run_ensemble, set_up_run
from pyfsagg.resampling import Plan

__all__ = ["wam"]


def wam(
    X: Any,
    y: Any = None,
    *,
    filter: Any = "information_gain",
    filter_params: Mapping[str, Any] | None = None,
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
    """Rank features by the within-aggregation method (WAM).

    A filter scores the features in each of m resamples; an aggregator turns the m scores (or ranks)
    of a feature into one.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numeric, integer, boolean or nominal columns; missing values as the filter allows.  A SciPy
        sparse matrix for the filters that :func:`pyfsagg.list_filters` marks as sparse: the result
        is that of the dense table.
    y : array of shape (n_samples,), optional
        Class labels; numbers with ``task="regression"``; with ``task="survival"`` two columns, times
        and events (1, or 0 where censored), or a structured array such as scikit-survival's ``Surv``;
        None for filters that need no target (see :func:`pyfsagg.list_filters`).
    filter : str, callable or estimator
        A name from :func:`pyfsagg.list_filters`, a function ``(X, y, sample_weight) -> scores``, or
        a scikit-learn estimator with ``feature_importances_`` or ``coef_``.
    filter_params : mapping, optional
        Parameters of a named filter, for instance ``{"mdl": "fselectorrcpp"}``.
    aggregator : str
        A name from :func:`pyfsagg.list_aggregators`; `aggregator_params` are its options.
    n_resamples : int, "auto" or Precision
        Number of resamples m.  With a :class:`pyfsagg.Precision` it is doubled until the precision is
        reached; ``"auto"`` is the default one.
    resampling : str or plan
        A name from :func:`pyfsagg.list_resampling_plans`, or a plan: ``pyfsagg.Subsample(0.8)``,
        ``pyfsagg.GroupedBootstrap(groups)``, ``pyfsagg.Bootstrap(sample_weight=counts)``,
        ``pyfsagg.ComplementaryPairs()`` for disjoint halves, ``pyfsagg.Rows(indices)`` to repeat a
        run made elsewhere.
    task : str or Task
        ``"classification"``, ``"regression"``, ``"survival"``, or a :class:`pyfsagg.Task`, which also
        sets which columns are nominal and whether near-constant ones are left out.
    checks : {"auto", "none"} or Checks
        What is computed beside the resamples; the ranking does not depend on it.  ``"auto"``: pairs of
        disjoint halves for :meth:`EnsembleResult.between_sample_stability`, and shuffled targets that show
        what noise reaches (:meth:`EnsembleResult.selection`); a :class:`pyfsagg.Checks` says how many.
    random_state : None, int or NumPy generator
        Seed; a fresh one is drawn and recorded when None.
    n_jobs : int, optional
        Workers, as in joblib; the result does not depend on it.
    execution : Execution, optional
        Checkpoint, scratch files and progress: :class:`pyfsagg.Execution`.

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
    given = dict(locals())
    spec = AGGREGATORS.get(aggregator)
    aggregator_params = check_mapping("aggregator_params", aggregator_params)
    compute = spec.bind(**aggregator_params)
    execution = Execution.read("execution", execution)
    with execution.limited():
        run = set_up_run(
            X,
            y,
            filters=[filter],
            filter_params=filter_params,
            n_resamples=n_resamples,
            resampling=resampling,
            task=task,
            checks=checks,
            random_state=random_state,
            execution=execution,
            aggregator=spec.name,
            aggregator_params=aggregator_params,
        )
        call = Call.of(wam, given, random_state=run.parameters["seed"])
        return run_ensemble(
            "wam", run, lambda matrices: matrices[run.labels[0]], compute, n_jobs, call
        )
