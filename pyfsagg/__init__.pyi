from . import aggregation as aggregation
from . import error_control as error_control
from . import plotting as plotting
from . import rank_order as rank_order
from . import resampling as resampling
from . import statistics as statistics
from . import unsupervised as unsupervised
from ._base.memory import memory_limit as memory_limit
from ._base.settings import Task as Task
from ._run.execution import Checks as Checks
from ._run.execution import Execution as Execution
from ._version import __version__ as __version__
from .aggregation import Aggregation as Aggregation
from .aggregation import aggregate as aggregate
from .aggregation import list_agreement as list_agreement
from .aggregator_influence import InfluenceResult as InfluenceResult
from .aggregator_influence import compare_aggregators as compare_aggregators
from .aggregator_influence import influence as influence
from .committees import Committee as Committee
from .committees import LearnerSelection as LearnerSelection
from .committees import committee as committee
from .committees import vote as vote
from .datasets import check_table as check_table
from .datasets import load_dataset as load_dataset
from .datasets import read_table as read_table
from .discretization import discretize as discretize
from .ensemble import EnsembleResult as EnsembleResult
from .ensemble import bam as bam
from .ensemble import wam as wam
from .ensemble.data import ShuffledTargets as ShuffledTargets
from .ensemble.methods import permute_target as permute_target
from .ensemble.selection import Selection as Selection
from .ensemble.selectors import BetweenAggregationSelector as BetweenAggregationSelector
from .ensemble.selectors import WithinAggregationSelector as WithinAggregationSelector
from .ensemble.settings import Precision as Precision
from .evaluation import Evaluation as Evaluation
from .evaluation import Protocol as Protocol
from .evaluation import evaluate as evaluate
from .filters import chi_squared as chi_squared
from .filters import concordance as concordance
from .filters import cox_score as cox_score
from .filters import fit_criterion as fit_criterion
from .filters import gain_ratio as gain_ratio
from .filters import information_gain as information_gain
from .filters import mrmr as mrmr
from .filters import near_zero_variance as near_zero_variance
from .filters import spearman as spearman
from .filters import symmetric_uncertainty as symmetric_uncertainty
from .filters import value_difference_metric as value_difference_metric
from .listing import list_methods as list_methods
from .out_of_core import rank_out_of_core as rank_out_of_core
from .rank_order import RankOrderSelector as RankOrderSelector
from .ranks import RankTable as RankTable
from .results import load_result as load_result
from .screens import Screen as Screen
from .screens import screen as screen
from .stability_measures import adequacy as adequacy
from .stability_measures import between_sample_stability as between_sample_stability
from .stability_measures import feature_stability as feature_stability
from .stability_measures import nogueira as nogueira
from .stability_measures import stability as stability
from .stability_measures import stability_curve as stability_curve
from .unsupervised import ConsensusAffinitySelector as ConsensusAffinitySelector

__all__ = [
    "Aggregation",
    "BetweenAggregationSelector",
    "Checks",
    "Committee",
    "ConsensusAffinitySelector",
    "EnsembleResult",
    "Evaluation",
    "Execution",
    "InfluenceResult",
    "LearnerSelection",
    "Precision",
    "Protocol",
    "RankOrderSelector",
    "RankTable",
    "Screen",
    "Task",
    "WithinAggregationSelector",
    "__version__",
    "adequacy",
    "aggregate",
    "aggregation",
    "bam",
    "between_sample_stability",
    "check_table",
    "chi_squared",
    "committee",
    "compare_aggregators",
    "concordance",
    "cox_score",
    "discretize",
    "error_control",
    "evaluate",
    "feature_stability",
    "fit_criterion",
    "gain_ratio",
    "influence",
    "information_gain",
    "list_agreement",
    "list_methods",
    "load_dataset",
    "load_result",
    "memory_limit",
    "mrmr",
    "near_zero_variance",
    "nogueira",
    "permute_target",
    "plotting",
    "rank_order",
    "rank_out_of_core",
    "read_table",
    "resampling",
    "screen",
    "spearman",
    "stability",
    "stability_curve",
    "statistics",
    "symmetric_uncertainty",
    "unsupervised",
    "value_difference_metric",
    "vote",
    "wam",
]
