"""The experiments behind figures 7 to 13 of the rank-order paper, by name."""

from __future__ import annotations

from collections.abc import Callable

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg.reproduce.orders.experiment import Experiment
from pyfsagg.reproduce.orders.generated import concordant_experiment, planted_experiment
from pyfsagg.reproduce.orders.genes import gene_experiment
from pyfsagg.reproduce.records import Log, silent

__all__ = ["EXPERIMENTS", "QUICK_REPEATS", "REPEATS", "run_experiment"]

REPEATS, QUICK_REPEATS = 5, 2

EXPERIMENTS: dict[str, Callable[[str, int, int, int | None, Log], Experiment]] = {
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
    n_repeats: int = REPEATS,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
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
    log : callable (str), optional
        Called with a line on each step.

    Returns
    -------
    Experiment

    Raises
    ------
    ParameterError, DataError
        For an unknown figure, or missing data.
    """
    check_choice("name", name, EXPERIMENTS)
    check_integer("n_repeats", n_repeats, low=1)
    return EXPERIMENTS[name](name, n_repeats, random_state, n_jobs, log or silent)
