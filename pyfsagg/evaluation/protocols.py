"""Evaluation of rankings by the learners that use them, on one or several data sets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._base.fields import Part
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Task
from pyfsagg._base.validation import check_integer, resolve_seed
from pyfsagg._message import Param
from pyfsagg._run.checkpoint import kept_seed
from pyfsagg._run.execution import Execution
from pyfsagg.evaluation.cells import THESIS_THRESHOLDS
from pyfsagg.evaluation.plan import read_design
from pyfsagg.evaluation.protocol import Protocol
from pyfsagg.evaluation.result import Evaluation, standings_over_data_sets, weighted_averages
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggError
from pyfsagg.score_tables import MetricStandings, Standings
from pyfsagg.score_tables.question import StandingsOptions


@repeatable
def evaluate(
    X: TableLike,
    y: TargetLike,
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
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> Evaluation:
    """Performance of classifiers with the selected features, threshold by threshold.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        As in :func:`pyfsagg.wam`.
    y : array of shape (n_samples,)
        Class labels, or numbers with ``task="regression"``; times and events with ``task="survival"``.
    rankings : mapping of label to ranking, optional
        An :class:`pyfsagg.ensemble.EnsembleResult`, an array of ranks (n_features,) with 1 = most important,
        or a list of all feature names, best first.  Under ``"nested"`` only the result of an ensemble, which
        is repeated inside each fold.  Under ``"thesis"`` a ranking of the whole table is refused; a ranking
        of unknown rows gives a warning, unless the protocol's `ranking_rows` names them.
    methods : sequence or mapping of label to method, optional
        How to rank: the name of a filter (within-aggregation) or ``"bam"``, optionally followed by
        ``"/"`` and an aggregator (``"mrmr/rra"``); a mapping of options of :func:`pyfsagg.wam` or
        :func:`pyfsagg.bam` (``filter`` or ``filters``, ``filter_params``, ``aggregator``,
        ``aggregator_params``, ``normalize``, ``resampling``); a function ``(X, y) -> scores``, or an
        estimator with importances.  By default, without rankings, the filters of :func:`pyfsagg.bam` for
        ``"auto"``, and ``"bam"``.
    classifiers : sequence, or mapping of label to classifier, optional
        Names from ``pyfsagg.list_methods("classifiers")`` (the four of the thesis by default),
        ``"regressors"`` or ``"survival_models"`` (penalised Cox regression by default), or estimators of
        scikit-learn or scikit-survival, which are used unchanged (with a seed if they have none): put
        one that needs a scaler into a pipeline.
    thresholds : sequence of float or int
        Shares of the features to select (rounded up), or numbers of features.
    protocol : str, sequence of str, or Protocol
        ``"thesis"``, ``"nested"``, ``"both"`` or ``"leaky"``, or a :class:`pyfsagg.evaluation.Protocol`,
        which also sets the number of folds and repeats, and groups of rows.
    metrics : str or sequence of str, optional
        Names from ``pyfsagg.list_methods("metrics")``; accuracy by default, R² for a regression,
        the concordance index for survival.
    baselines : sequence of {"all_features", "random_subsets", "single_filters"}
        No selection, random rankings, and each filter of the methods without resampling.
    n_resamples : int
        Bootstrap resamples of each ensemble.
    task, random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`; folds are stratified by the bins of a number, or by events and censored
        rows; the result does not depend on `n_jobs`.

    Raises
    ------
    DataError
        For instance for a class with fewer rows than folds.

    See Also
    --------
    pyfsagg.evaluation.evaluate_many : The same methods on several data sets.

    Warns
    -----
    PyfsaggWarning
        For a ranking that may have used its test rows, and for classifiers that
        failed in some cells (which are missing in the result, with the reason).

    Notes
    -----
    Folds are the same for all methods, classifiers and thresholds, so comparisons are paired.
    Inside the folds missing numbers are replaced by the median of the training rows, and nominal
    columns are one-hot encoded (naive Bayes uses them as they are).

    Source: thesis 4.1 (``"thesis"``); Ambroise and McLachlan (2002), *Selection bias in gene
    extraction on the basis of microarray gene-expression data*, PNAS 99 (``"nested"`` and
    ``"leaky"``).

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.evaluate(
    ...     data.X, data.y, methods=["information_gain"], classifiers="naive_bayes",
    ...     thresholds=[3, 13], baselines=["all_features"], n_resamples=20, random_state=0,
    ... )
    >>> result.summary()[["method", "n_features", "mean", "n"]].round(2)
                 method  n_features  mean  n
    0  information_gain           3  0.97  5
    1  information_gain          13  0.97  5
    2      all features          13  0.97  5
    """
    execution = Execution.read("execution", execution)
    with execution.limited():
        plan = read_design(
            X,
            y,
            rankings,
            methods=methods,
            classifiers=classifiers,
            thresholds=thresholds,
            protocol=Protocol.of_argument(protocol),
            metrics=metrics,
            baselines=baselines,
            n_resamples=check_integer("n_resamples", n_resamples, low=1),
            task=Task.of_argument(task),
            random_state=random_state,
            execution=execution,
        )
        call = Call.of(evaluate, data=("X", "y", "rankings"), random_state=plan.parameters["seed"])
        remarks = plan.remarks()
        for remark in remarks:
            warn(remark, stacklevel=2)
        result = plan.run(n_jobs, remarks, call)
        if result._n_failed:
            warn(result._failure_sentence, stacklevel=2)
        return result


@dataclass(frozen=True, eq=False, repr=False)
class EvaluationSet(Part):
    """Result of :func:`evaluate_many`: one :class:`pyfsagg.evaluation.Evaluation` per data set."""

    evaluations: Mapping[str, Evaluation]

    @property
    def first(self) -> Evaluation:
        """Any one of them, for what they have in common."""
        return next(iter(self.evaluations.values()))

    def to_frame(self) -> pd.DataFrame:
        """The cells of all evaluations, with a first column ``dataset``."""
        frames = {name: result.to_frame() for name, result in self.evaluations.items()}
        joined = pd.concat(frames, names=["dataset", None]).reset_index("dataset")
        return joined.reset_index(drop=True)

    def table(
        self, *, protocol: str | None = None, metric: str | None = None, baselines: bool = False
    ) -> pd.DataFrame:
        """Weighted averages over thresholds (thesis table 4.3), (dataset, classifier) by method.

        Parameters
        ----------
        protocol, metric : str, optional
            The nested protocol by default, if it was run, else the first; the first metric.
        baselines : bool
            Whether baselines are columns too.
        """
        return weighted_averages(self.evaluations, protocol, metric, baselines)

    def compare(
        self,
        *,
        classifier: str | None = None,
        protocol: str | None = None,
        metric: str | None = None,
        baselines: bool = False,
        confidence_level: float = 0.95,
    ) -> Standings:
        """Which methods differ, tested over data sets by their weighted averages.

        Parameters
        ----------
        classifier : str, optional
            One classifier; the mean over all of them by default.
        protocol, metric, baselines
            As in :meth:`table`.
        confidence_level : float
            1 − the significance level of the tests.
        """
        options = StandingsOptions(confidence_level=confidence_level)
        how: dict[str, Any] = {"classifier": classifier, "protocol": protocol}
        return standings_over_data_sets(
            self.evaluations, options, metric, baselines=baselines, **how
        )

    def _standings(
        self, options: StandingsOptions, call: Call | None = None
    ) -> Standings | MetricStandings:
        """What :func:`pyfsagg.standings` makes of them."""
        return Evaluation._standings_together(self.evaluations, options, call)

    def __repr__(self) -> str:
        return (
            f"EvaluationSet({', '.join(self.evaluations)}; {len(self.first.methods)} methods, "
            f"{len(self.first.classifiers)} classifiers)"
        )


def evaluate_many(
    datasets: Mapping[str, tuple[Any, Any]],
    *,
    random_state: RandomState = None,
    execution: Execution | None = None,
    **options: Any,
) -> EvaluationSet:
    """Evaluate the same methods and classifiers on several data sets.

    Parameters
    ----------
    datasets : mapping of name to (X, y)
    random_state : None, int or NumPy generator
        Seed, the same for all data sets.
    execution : Execution, optional
        As in :func:`pyfsagg.evaluate`; each data set has a folder of its own in the checkpoint.
    **options
        Of :func:`pyfsagg.evaluate`, except for ``rankings``, which belong to one data set.

    Examples
    --------
    >>> import pyfsagg
    >>> from pyfsagg.evaluation import evaluate_many
    >>> names = ["wine", "breast_cancer"]
    >>> datasets = {name: pyfsagg.load_dataset(name) for name in names}
    >>> results = evaluate_many(
    ...     {name: (data.X, data.y) for name, data in datasets.items()},
    ...     methods=["ig", "su"], classifiers="naive_bayes", thresholds=[0.2, 0.5],
    ...     baselines=[], n_resamples=5, random_state=0,
    ... )
    >>> results.table().shape
    (2, 2)
    """
    if not hasattr(datasets, "items") or not datasets:
        must = " must be a mapping of name to (X, y) with at least one entry, got "
        raise InputTypeError(Param("datasets"), must, type(datasets).__name__)
    execution = Execution.read("execution", execution)
    executions = dict.fromkeys(datasets, execution)
    if execution.checkpoint is not None:
        root = Path(execution.checkpoint)
        for name in datasets:  # a separate folder, with any characters in the name
            executions[name] = replace(execution, checkpoint=root / quote(str(name), safe=" "))
    seed = resolve_seed(kept_seed(next(iter(executions.values())).checkpoint, random_state))
    evaluations = {}
    for name, pair in datasets.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputTypeError(
                f"the data set {name!r} must be a pair (X, y), got {type(pair).__name__}"
            )
        try:
            evaluations[str(name)] = evaluate(
                *pair, random_state=seed, execution=executions[name], **options
            )
        except PyfsaggError as error:
            raise DataError(f"data set {name!r}: ", error) from error
    return EvaluationSet(evaluations)
