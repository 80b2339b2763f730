"""P-values of an ensemble against targets that were shuffled: no assumption but exchangeable rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg._run.beside import Checks
from pyfsagg.ensemble.bam import bam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.wam import wam
from pyfsagg.error_control import TargetPermutation
from pyfsagg.exceptions import DataError

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
    The same p-values are in a result of :func:`pyfsagg.wam` or :func:`pyfsagg.bam` with
    ``checks=pyfsagg.Checks(null="permutation")``.

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
    if y is None:
        raise DataError("there is no target to shuffle; give y")
    checks = Checks(
        pairs=0,
        shuffles=0,
        null="permutation",
        n_permutations=n_permutations,
        permutation_resamples=check_integer("n_resamples", n_resamples, low=1),
    )
    settings = {**options, "checks": checks, "n_resamples": n_resamples}
    found = METHODS[method](X, y, random_state=random_state, **settings).permutation
    assert found is not None  # the checks ask for it
    return found
