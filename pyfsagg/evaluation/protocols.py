"""Evaluation of rankings by the classifiers that use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyfsagg._base.calls import Call
from pyfsagg._base.remarks import warn
from pyfsagg._base.task import Task
from pyfsagg._run.execution import Execution
from pyfsagg.evaluation.plan import read_plan
from pyfsagg.evaluation.protocol import Protocol
from pyfsagg.evaluation.result import Evaluation
from pyfsagg.evaluation.thresholds import THESIS_THRESHOLDS

__all__ = ["evaluate"]


def evaluate(
    X: Any,
    y: Any,
    rankings: Mapping[str, Any] | None = None,
    *,
    methods: Sequence[Any] | Mapping[str, Any] | None = None,
    classifiers: Any = None,
    thresholds: Sequence[float | int] = THESIS_THRESHOLDS,
    protocol: str | Sequence[str] | Protocol = "thesis",
    metrics: str | Sequence[str] | None = None,
    baselines: Sequence[str] = ("all_features", "random_subsets"),
    n_resamples: int = 1000,
    task: str | Task = "classification",
    random_state: Any = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> Evaluation:
    """Performance of classifiers on the selected features, threshold by threshold.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        As in :func:`pyfsagg.wam`.
    y : array of shape (n_samples,)
        Class labels, or numbers with ``task="regression"``; times and events with ``task="survival"``.
    rankings : mapping of label to ranking, optional
        Rankings made before: an :class:`pyfsagg.EnsembleResult`, an array of ranks (n_features,)
        with 1 = most important, or a list of all feature names, best first.  Under ``"nested"`` an
        ``EnsembleResult`` is repeated with its settings inside each fold; other rankings cannot be.
        Under ``"thesis"`` a ranking of the whole table is refused; one whose rows are not known gets
        a warning, unless the protocol's `ranking_rows` names them.
    methods : sequence or mapping of label to method, optional
        How to rank: the name of a filter (within-aggregation of it), ``"bam"``, either followed by
        ``"/"`` and an aggregator (``"mrmr/rra"``), a mapping of options of :func:`pyfsagg.wam` or
        :func:`pyfsagg.bam` (``filter`` or ``filters``, ``filter_params``, ``aggregator``,
        ``aggregator_params``, ``normalize``, ``resampling``), a function ``(X, y) -> scores`` or an
        estimator with importances (both called once for each ranking).  The four filters of the
        thesis and ``"bam"`` if neither rankings nor methods are given.
    classifiers : sequence, or mapping of label to classifier, optional
        Names from :func:`pyfsagg.evaluation.list_classifiers` (the four of the thesis by default),
        or scikit-learn classifiers, which are used unchanged (with a seed if they have none);
        put it into a pipeline with a scaler if it needs one.  For a regression names from
        :func:`pyfsagg.evaluation.list_regressors`, or scikit-learn regressors; for survival of
        :func:`pyfsagg.evaluation.list_survival_models` (penalised Cox regression by default), or
        estimators of scikit-survival.
    thresholds : sequence of float or int
        Shares of the features to keep (rounded up), or numbers of features.
    protocol : str, sequence of str, or Protocol
        ``"thesis"``, ``"nested"``, ``"both"`` or ``"leaky"``, or a :class:`pyfsagg.Protocol`, which
        also sets the number of folds and repeats, and which rows belong together.
    metrics : str or sequence of str, optional
        Names from :func:`pyfsagg.evaluation.list_metrics`; accuracy by default, R² for a regression,
        the concordance index for survival.
    baselines : sequence of {"all_features", "random_subsets", "single_filters"}
        Baselines for the comparison: no selection, random rankings, and each filter of the methods
        once without resampling.
    n_resamples : int
        Bootstrap resamples of each ensemble.
    task, random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`; folds are spread over the bins of a number, and over events and censored
        rows; the result does not depend on `n_jobs`.

    Returns
    -------
    Evaluation

    Raises
    ------
    ParameterError, UnknownNameError, DataError, InputTypeError
        With the parameter or column, the value met and the remedy; among them a class with fewer
        rows than folds.

    Warns
    -----
    PyfsaggWarning
        For a ranking that may have seen the rows it is tested on, and for classifiers that
        failed in some cells (which are missing in the result, with the reason).

    Notes
    -----
    Folds are the same for all methods, classifiers and thresholds, so that comparisons are paired;
    each classifier is fitted once for each different set of features in a fold.  Missing numbers
    are replaced by the median of the training rows, nominal columns are one-hot coded (naive Bayes
    takes them as they are), both inside the folds.

    Source: thesis 4.1 (``"thesis"``); Ambroise and McLachlan (2002), *Selection bias in gene
    extraction on the basis of microarray gene-expression data*, PNAS 99 (``"nested"`` and
    ``"leaky"``).

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> found = pyfsagg.evaluate(
    ...     data.X, data.y, methods=["information_gain"], classifiers="naive_bayes",
    ...     thresholds=[3, 13], baselines=["all_features"], n_resamples=20, random_state=0,
    ... )
    >>> found.summary()[["method", "n_features", "mean", "n"]].round(2)
                 method  n_features  mean  n
    0  information_gain           3  0.97  5
    1  information_gain          13  0.97  5
    2      all features          13  0.97  5
    """
    given = dict(locals())
    execution = Execution.read("execution", execution)
    with execution.limited():
        plan = read_plan(
            X,
            y,
            rankings,
            methods,
            classifiers=classifiers,
            thresholds=thresholds,
            protocol=Protocol.of_argument(protocol),
            metrics=metrics,
            baselines=baselines,
            n_resamples=n_resamples,
            task=Task.of_argument(task),
            random_state=random_state,
            execution=execution,
        )
        call = Call.of(evaluate, given, data=("X", "y", "rankings"), random_state=plan.seed)
        remarks = plan.remarks()
        for remark in remarks:
            warn(remark, stacklevel=2)
        result = plan.run(n_jobs, remarks, call)
        if result.n_failed:
            warn(result.failure_sentence, stacklevel=2)
        return result
