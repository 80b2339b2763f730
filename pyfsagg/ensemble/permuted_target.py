"""P-values of an ensemble against targets that were shuffled: no assumption but exchangeable rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg._base.memory import require_memory
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.task import Task
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._table.reading import read_any_table, read_target
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble.bam import bam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.shuffled import OWN_COLUMN
from pyfsagg.ensemble.wam import wam
from pyfsagg.error_control import TargetPermutation, step_down_max_t
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters import FILTERS
from pyfsagg.resampling import read_plan

__all__ = ["permute_target"]

METHODS: dict[str, Callable[..., EnsembleResult]] = {"wam": wam, "bam": bam}


def permute_target(
    X: Any,
    y: Any,
    *,
    method: str = "wam",
    n_permutations: int = 199,
    n_resamples: int = 50,
    random_state: Any = None,
    **options: Any,
) -> TargetPermutation:
    """Permutation p-values of an ensemble: the same run with the target shuffled many times.

    Parameters
    ----------
    X, y
        As in :func:`pyfsagg.wam`; there must be a target.
    method : {"wam", "bam"}
    n_permutations : int
        Number K of shuffled targets; no p-value is below 1 / (K + 1).
    n_resamples : int
        Resamples of each run, also of the one with the true target: the score of few resamples is a test
        statistic like that of many.
    random_state : None, int or Generator
    **options
        Arguments of :func:`pyfsagg.wam` or :func:`pyfsagg.bam`.

    Returns
    -------
    TargetPermutation

    Raises
    ------
    DataError
        Without a target.
    ParameterError
        For a plan with groups or weights, whose rows cannot be shuffled one by one, and as in ``wam``.

    Notes
    -----
    All runs draw the same resamples.  A null score that equals the observed one counts as a tie
    against the feature: the p-value becomes larger.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing; Phipson and Smyth (2010).

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> test = permute_target(
    ...     data.X, data.y, filter="chi_squared", n_permutations=99, n_resamples=5, random_state=0
    ... )
    >>> len(test.select(0.05))
    13
    """
    check_choice("method", method, tuple(METHODS))
    n_permutations = check_integer("n_permutations", n_permutations, low=1)
    n_resamples = check_integer("n_resamples", n_resamples, low=1)
    if y is None:
        raise DataError("there is no target to shuffle; give y")
    _refuse_plan(options)
    task = Task.of_argument(options.get("task", "classification"))
    table = read_any_table(task, X)
    target = read_target(task, y, table.n_samples)
    seed = resolve_seed(random_state)
    execution = Execution.read("execution", options.pop("execution", None))
    quiet = Execution(progress=False, memory_limit=execution.memory_limit)
    options |= {"execution": quiet, "checks": "none"}

    def run(labels: Any) -> EnsembleResult:
        return METHODS[method](table, labels, n_resamples=n_resamples, random_state=seed, **options)

    rng = np.random.default_rng([seed, n_permutations])
    observed = run(target)
    p = len(observed.feature_names)
    require_memory(
        3 * 8 * n_permutations * p,
        f"the scores of {p:,} features with {n_permutations:,} shuffled targets",
        "take fewer permutations or fewer features",
    )
    null = np.empty((n_permutations, p))
    with progress_sink(execution.progress, n_permutations) as advance:
        for k in range(n_permutations):
            null[k] = run(target.take(rng.permutation(table.n_samples))).scores
            advance(k + 1)
    p_values, family_wise = step_down_max_t(observed.scores, null)
    return TargetPermutation(
        feature_names=observed.feature_names,
        scores=observed.scores,
        p_values=p_values,
        family_wise_p_values=family_wise,
        strong=_own_columns(observed.parameters, method),
        n_permutations=n_permutations,
        n_resamples=n_resamples,
    )


def _refuse_plan(options: Mapping[str, Any]) -> None:
    plan = read_plan(options.get("resampling", "bootstrap"))
    if plan.sample_weight is not None or getattr(plan, "groups", None) is not None:
        raise ParameterError(
            "rows of one group, or with weights, cannot be shuffled one by one; leave groups and weights "
            "out, or use error_control with complementary pairs, which keep groups together"
        )


def _own_columns(parameters: Mapping[str, Any], method: str) -> bool:
    """Whether the score of a feature depends on no other feature."""
    aggregator = AGGREGATORS.get(parameters["aggregator"])
    labels = parameters["filters"]
    return (
        method == "wam"
        and all(label in FILTERS and label in OWN_COLUMN for label in labels)
        and aggregator.input == "scores"
        and aggregator.by_item(parameters["aggregator_params"])
    )
