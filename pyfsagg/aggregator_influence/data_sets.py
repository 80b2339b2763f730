"""The comparison of aggregators over several data sets."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pyfsagg.aggregator_influence.comparison import AggregatorComparison, compare_values
from pyfsagg.aggregator_influence.result import InfluenceResult
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.stability_measures import stability

__all__ = ["compare_aggregators"]


def compare_aggregators(
    results: Mapping[str, InfluenceResult],
    measure: str = "spearman",
    *,
    filter: str | None = None,
    top: float | int = 0.25,
    adjust: str = "holm",
    confidence: float = 0.95,
) -> AggregatorComparison:
    """Compare aggregators over several data sets.

    The stability over folds of each data set is one value per aggregator; data sets are the subjects
    of the repeated-measures comparison, and the replicates of the one-way comparison.

    Parameters
    ----------
    results : mapping of data set name to InfluenceResult
        At least three, with the same aggregators.
    measure : str
        A measure of :func:`pyfsagg.list_stability_measures` that works on scores or ranks, or on
        subsets of size `top`.
    filter : str, optional
        Which filter of the results; the first one by default.
    top : float or int
        Size of the subsets: a fraction of the features of a data set, or a count.
    adjust : {"holm", "bonferroni", "bh", "none"}
        Correction of the pairwise p-values.
    confidence : float
        Level of intervals and sentences.

    Returns
    -------
    AggregatorComparison

    Raises
    ------
    ParameterError
        For fewer than three data sets, different aggregators, or an unknown filter or option.
    DataError
        If the measure is undefined on a data set.

    Notes
    -----
    Source: the comparison of tables 4.5 and 4.6 of the thesis, which prints one-way results with
    Bonferroni correction; the repeated-measures form takes into account that the aggregators were
    used on the same data sets.

    Examples
    --------
    >>> import pyfsagg
    >>> results = {}
    >>> for name in ("wine", "breast_cancer", "ionosphere"):
    ...     data = pyfsagg.load_dataset(name)
    ...     results[name] = pyfsagg.influence(
    ...         data.X, data.y, aggregators=["am", "gm"], n_folds=4, n_resamples=10, random_state=0
    ...     )
    >>> found = pyfsagg.compare_aggregators(results)
    >>> found.values.shape, found.unit
    ((3, 2), 'data set')
    """
    if not isinstance(results, Mapping):
        raise InputTypeError(
            "results must be a mapping of data set name to InfluenceResult, got "
            f"{type(results).__name__}"
        )
    if len(results) < 3:
        raise ParameterError(
            f"a comparison over data sets needs at least three of them, got {len(results)}; "
            "InfluenceResult.compare compares over the folds of one"
        )
    rows = {}
    expected = next(iter(results.values())).aggregators
    for name, result in results.items():
        if set(result.aggregators) != set(expected):
            raise ParameterError(
                f"the result of {name!r} has the aggregators {', '.join(result.aggregators)}, the "
                f"first one has {', '.join(expected)}; they must be the same"
            )
        label = result.filter_label(filter)
        rows[name] = {
            aggregator: stability(
                result.scores[label, aggregator],
                measure,
                input="scores",
                top=top,
                random_state=result.seed,
            ).value
            for aggregator in expected
        }
    values = pd.DataFrame.from_dict(rows, orient="index").rename_axis("data set")
    data = {name: result.data for name, result in results.items()}
    return compare_values(
        values, measure, "data set", adjust=adjust, confidence=confidence, data=data
    )
