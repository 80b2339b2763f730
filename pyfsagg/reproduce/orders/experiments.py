"""The experiments of the rank-order paper, with its findings checked one by one."""

from __future__ import annotations

from collections.abc import Callable

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg.reproduce.orders.experiment import CURVES, Experiment, Finding, Say
from pyfsagg.reproduce.orders.gene_experiments import compare_with_random, gene_experiment
from pyfsagg.reproduce.orders.generated_experiments import concordant_experiment, planted_experiment

__all__ = [
    "CURVES",
    "EXPERIMENTS",
    "Experiment",
    "Finding",
    "compare_with_random",
    "run_experiment",
]

EXPERIMENTS: dict[str, Callable[[str, int, int, int | None, Say], Experiment]] = {
    "figure-7": planted_experiment,
    "figure-8": planted_experiment,
    "figure-9": concordant_experiment,
    "figure-10": concordant_experiment,
    "figure-11": gene_experiment,
    "figure-12": gene_experiment,
    "figure-13": gene_experiment,
}


def run_experiment(
    name: str,
    *,
    n_repeats: int = 5,
    random_state: int = 0,
    n_jobs: int | None = None,
    say: Say | None = None,
) -> Experiment:
    """Repeat one figure of the paper.

    Parameters
    ----------
    name : str
        ``"figure-7"`` to ``"figure-13"``; 11 to 13 need the data sets ``drosophila_lifecycle_artiva``
        and ``golub`` in the folder that ``PYFSAGG_DATA`` names.
    n_repeats : int
        Generated data sets per curve (7 to 10).
    random_state : int
    n_jobs : int, optional
        Threads.
    say : callable (str), optional
        Told what is being done.

    Returns
    -------
    Experiment

    Raises
    ------
    ParameterError, DataError
        For an unknown figure, or data that are not there.
    """
    check_choice("name", name, EXPERIMENTS)
    check_integer("n_repeats", n_repeats, low=1)
    return EXPERIMENTS[name](name, n_repeats, random_state, n_jobs, say or (lambda _: None))
