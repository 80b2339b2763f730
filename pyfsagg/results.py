"""Any saved result, by its kind."""

import os

from pyfsagg._run.result import Result, read_result

# A class registers itself when it is made: these are all that the package saves.
from pyfsagg.aggregation import Aggregation, ListAgreement
from pyfsagg.aggregation._result import AggregationComparison
from pyfsagg.aggregator_influence import InfluenceResult, ListInfluence
from pyfsagg.committees import Committee
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.evaluation import Evaluation
from pyfsagg.rank_order import Elimination
from pyfsagg.score_tables import MetricStandings, Standings
from pyfsagg.screens import Screen
from pyfsagg.stability_measures import StabilityResult
from pyfsagg.study_tables import Studies
from pyfsagg.unsupervised import ConsensusRanking

__all__ = ["load_result"]

CLASSES: tuple[type[Result], ...] = (
    Aggregation,
    Committee,
    AggregationComparison,
    ConsensusRanking,
    Elimination,
    EnsembleResult,
    Evaluation,
    InfluenceResult,
    ListAgreement,
    ListInfluence,
    MetricStandings,
    Screen,
    StabilityResult,
    Standings,
    Studies,
)


def load_result(path: str | os.PathLike[str]) -> Result:
    """Read any saved result.

    Parameters
    ----------
    path : path
        The folder that ``save`` or a command wrote; or the file, for a result that is kept in one.

    Returns
    -------
    Result
        Of the class that was saved, for instance :class:`pyfsagg.ensemble.EnsembleResult`.

    Raises
    ------
    OutputError
        If there is no such result, or if it is damaged or of a version that this one does not read.

    Examples
    --------
    >>> import tempfile
    >>> import pyfsagg
    >>> result = pyfsagg.aggregate([["a", "b", "c"], ["b", "a", "c"]], "mean_rank")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pyfsagg.load_result(result.save(folder)).select(1)
    ['a']
    """
    return read_result(path)
