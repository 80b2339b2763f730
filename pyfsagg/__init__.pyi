from . import aggregation as aggregation
from . import error_control as error_control
from . import plotting as plotting
from . import rank_order as rank_order
from . import reproduce as reproduce
from . import statistics as statistics
from . import unsupervised as unsupervised
from ._base.memory import memory_limit as memory_limit
from ._base.task import Task as Task
from ._run.beside import Checks as Checks
from ._run.execution import Execution as Execution
from ._version import __version__ as __version__
from .aggregation import Aggregation as Aggregation
from .aggregation import ListAgreement as ListAgreement
from .aggregation import aggregate as aggregate
from .aggregation import list_aggregators as list_aggregators
from .aggregation import list_agreement as list_agreement
from .aggregator_influence import InfluenceResult as InfluenceResult
from .aggregator_influence import compare_aggregators as compare_aggregators
from .aggregator_influence import influence as influence
from .committees import Committee as Committee
from .committees import LearnerSelection as LearnerSelection
from .committees import committee as committee
from .committees import vote as vote
from .datasets import check_table as check_table
from .datasets import list_datasets as list_datasets
from .datasets import load_dataset as load_dataset
from .datasets import load_published as load_published
from .datasets import read_table as read_table
from .discretization import discretize as discretize
from .ensemble import EnsembleResult as EnsembleResult
from .ensemble import bam as bam
from .ensemble import list_filters as list_filters
from .ensemble import wam as wam
from .ensemble._page import write_report as write_report
from .ensemble.permuted_target import permute_target as permute_target
from .ensemble.precision import Precision as Precision
from .ensemble.selection import Selection as Selection
from .ensemble.selectors import BetweenAggregationSelector as BetweenAggregationSelector
from .ensemble.selectors import WithinAggregationSelector as WithinAggregationSelector
from .ensemble.shuffled import ShuffledTargets as ShuffledTargets
from .evaluation import Evaluation as Evaluation
from .evaluation import Protocol as Protocol
from .evaluation import evaluate as evaluate
from .evaluation import weighted_average_accuracy as weighted_average_accuracy
from .filters import chi_squared as chi_squared
from .filters import concordance as concordance
from .filters import cox_score as cox_score
from .filters import fit_criterion as fit_criterion
from .filters import gain_ratio as gain_ratio
from .filters import information_gain as information_gain
from .filters import martingale_residuals as martingale_residuals
from .filters import mrmr as mrmr
from .filters import near_zero_variance as near_zero_variance
from .filters import spearman as spearman
from .filters import symmetric_uncertainty as symmetric_uncertainty
from .filters import value_difference_metric as value_difference_metric
from .out_of_core import rank_out_of_core as rank_out_of_core
from .rank_order import RankOrderSelector as RankOrderSelector
from .ranks import RankTable as RankTable
from .resampling import BalancedBootstrap as BalancedBootstrap
from .resampling import Bootstrap as Bootstrap
from .resampling import ComplementaryPairs as ComplementaryPairs
from .resampling import FeatureSubspace as FeatureSubspace
from .resampling import GroupedBootstrap as GroupedBootstrap
from .resampling import KFold as KFold
from .resampling import LabelNoise as LabelNoise
from .resampling import PoissonBootstrap as PoissonBootstrap
from .resampling import Rows as Rows
from .resampling import StratifiedBootstrap as StratifiedBootstrap
from .resampling import Subsample as Subsample
from .resampling import ValueNoise as ValueNoise
from .resampling import list_resampling_plans as list_resampling_plans
from .results import load_result as load_result
from .screens import Screen as Screen
from .screens import screen as screen
from .stability_measures import adequacy as adequacy
from .stability_measures import between_sample_stability as between_sample_stability
from .stability_measures import feature_stability as feature_stability
from .stability_measures import list_stability_measures as list_stability_measures
from .stability_measures import nogueira as nogueira
from .stability_measures import pareto_front as pareto_front
from .stability_measures import stability as stability
from .stability_measures import stability_curve as stability_curve
from .stability_measures import stability_report as stability_report
from .stability_measures import stability_table as stability_table
from .statistics import RankConfidence as RankConfidence
from .statistics import rank_confidence as rank_confidence
from .unsupervised import ConsensusAffinitySelector as ConsensusAffinitySelector

__all__ = [
    "Aggregation",
    "BalancedBootstrap",
    "BetweenAggregationSelector",
    "Bootstrap",
    "Checks",
    "Committee",
    "ComplementaryPairs",
    "ConsensusAffinitySelector",
    "EnsembleResult",
    "Evaluation",
    "Execution",
    "FeatureSubspace",
    "GroupedBootstrap",
    "InfluenceResult",
    "KFold",
    "LabelNoise",
    "LearnerSelection",
    "ListAgreement",
    "PoissonBootstrap",
    "Precision",
    "Protocol",
    "RankConfidence",
    "RankOrderSelector",
    "RankTable",
    "Rows",
    "Screen",
    "Selection",
    "ShuffledTargets",
    "StratifiedBootstrap",
    "Subsample",
    "Task",
    "ValueNoise",
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
    "list_aggregators",
    "list_agreement",
    "list_datasets",
    "list_filters",
    "list_resampling_plans",
    "list_stability_measures",
    "load_dataset",
    "load_published",
    "load_result",
    "martingale_residuals",
    "memory_limit",
    "mrmr",
    "near_zero_variance",
    "nogueira",
    "pareto_front",
    "permute_target",
    "plotting",
    "rank_confidence",
    "rank_order",
    "rank_out_of_core",
    "read_table",
    "reproduce",
    "screen",
    "spearman",
    "stability",
    "stability_curve",
    "stability_report",
    "stability_table",
    "statistics",
    "symmetric_uncertainty",
    "unsupervised",
    "value_difference_metric",
    "vote",
    "wam",
    "weighted_average_accuracy",
    "write_report",
]
