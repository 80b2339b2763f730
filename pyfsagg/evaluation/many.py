"""The same evaluation of several data sets, and tests over data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from pyfsagg._base.seeds import resolve_seed
from pyfsagg._run.checkpoint import kept_seed
from pyfsagg._run.execution import Execution
from pyfsagg.evaluation.comparison import Comparison, compare_methods
from pyfsagg.evaluation.metrics import METRICS
from pyfsagg.evaluation.protocols import evaluate
from pyfsagg.evaluation.result import Evaluation, check_known, widen
from pyfsagg.exceptions import DataError, InputTypeError, PyfsaggError

__all__ = ["EvaluationSet", "evaluate_many"]


@dataclass(frozen=True, eq=False)
class EvaluationSet:
    """Result of :func:`evaluate_many`: one :class:`pyfsagg.Evaluation` per data set."""

    evaluations: Mapping[str, Evaluation]

    @property
    def first(self) -> Evaluation:
        """Any one of them, for what they have in common."""
        return next(iter(self.evaluations.values()))

    def to_frame(self) -> pd.DataFrame:
        """The cells of all evaluations, with a first column ``dataset``."""
        frames = {name: each.to_frame() for name, each in self.evaluations.items()}
        joined = pd.concat(frames, names=["dataset", None]).reset_index("dataset")
        return joined.reset_index(drop=True)

    def table(
        self,
        *,
        protocol: str | None = None,
        metric: str | None = None,
        baselines: bool = False,
    ) -> pd.DataFrame:
        """Weighted averages over thresholds, data sets and classifiers by methods (thesis table 4.3).

        Parameters
        ----------
        protocol, metric : str, optional
            The nested protocol by default, if it was run, else the first; the first metric.
        baselines : bool
            Whether baselines are columns too.

        Returns
        -------
        DataFrame
            Index (dataset, classifier), one column per method.
        """
        chosen = protocol or self.first.default_protocol
        check_known("protocol", chosen, self.first.protocols)
        frames = {
            name: each.weighted_average_accuracy(metric) for name, each in self.evaluations.items()
        }
        frame = pd.concat(frames, names=["dataset", None]).reset_index("dataset")
        frame = frame[frame["protocol"] == chosen]
        if not baselines:
            frame = frame[frame["kind"] != "baseline"]
        wide = widen(frame.set_index(["dataset", "classifier", "method"])["wacc"], "method")
        return wide.rename_axis(columns=None)

    def compare(
        self,
        *,
        classifier: str | None = None,
        protocol: str | None = None,
        metric: str | None = None,
        baselines: bool = False,
        alpha: float = 0.05,
    ) -> Comparison:
        """Which methods differ, tested over data sets by their weighted averages.

        Parameters
        ----------
        classifier : str, optional
            One classifier; the mean over all of them by default.
        protocol, metric, baselines
            As in :meth:`table`.
        alpha : float
            Significance level.

        Raises
        ------
        ParameterError
            For a protocol, classifier or metric that was not run.
        DataError
            If there are fewer than two methods.
        """
        table = self.table(protocol=protocol, metric=metric, baselines=baselines)
        name = self.first.check_metric(metric)
        if classifier is None:
            # A mean over classifiers exists only where all of them have a value.
            groups = table.groupby(level="dataset", sort=False)
            values = groups.mean().where(groups.count() == groups.size().max())
        else:
            check_known("classifier", classifier, self.first.classifiers)
            values = pd.DataFrame(table.xs(classifier, level="classifier"))
        return compare_methods(
            values,
            what=f"{name} (weighted average over thresholds), {classifier or 'mean of classifiers'}, "
            f"{protocol or self.first.default_protocol} protocol",
            higher_is_better=METRICS.get(name).higher_is_better,
            alpha=alpha,
            subjects="data sets",
        )

    def __repr__(self) -> str:
        return (
            f"EvaluationSet({', '.join(self.evaluations)}; {len(self.first.methods)} methods, "
            f"{len(self.first.classifiers)} classifiers)"
        )


def evaluate_many(
    datasets: Mapping[str, tuple[Any, Any]],
    *,
    random_state: Any = None,
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

    Returns
    -------
    EvaluationSet

    Raises
    ------
    ParameterError, DataError, InputTypeError
        As :func:`pyfsagg.evaluate`; the message names the data set.

    Examples
    --------
    >>> import pyfsagg
    >>> from pyfsagg.evaluation import evaluate_many
    >>> names = ["wine", "breast_cancer"]
    >>> datasets = {name: pyfsagg.load_dataset(name) for name in names}
    >>> found = evaluate_many(
    ...     {name: (data.X, data.y) for name, data in datasets.items()},
    ...     methods=["ig", "su"], classifiers="naive_bayes", thresholds=[0.2, 0.5],
    ...     baselines=[], n_resamples=5, random_state=0,
    ... )
    >>> found.table().shape
    (2, 2)
    """
    if not hasattr(datasets, "items") or not datasets:
        raise InputTypeError(
            "datasets must be a mapping of name to (X, y) with at least one entry, got "
            f"{type(datasets).__name__}"
        )
    execution = Execution.read("execution", execution)
    own = {name: _own(execution, name) for name in datasets}
    seed = resolve_seed(kept_seed(next(iter(own.values())).checkpoint, random_state))
    found = {}
    for name, pair in datasets.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputTypeError(
                f"the data set {name!r} must be a pair (X, y), got {type(pair).__name__}"
            )
        try:
            found[str(name)] = evaluate(*pair, random_state=seed, execution=own[name], **options)
        except PyfsaggError as error:
            raise DataError(f"data set {name!r}: {error}") from error
    return EvaluationSet(found)


def _own(execution: Execution, name: object) -> Execution:
    """The execution of one data set: a folder of its own, whatever its name holds."""
    if execution.checkpoint is None:
        return execution
    return replace(execution, checkpoint=Path(execution.checkpoint) / quote(str(name), safe=" "))
