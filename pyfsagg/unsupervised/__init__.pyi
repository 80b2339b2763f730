from .adequacy import ClusteringAdequacy as ClusteringAdequacy
from .adequacy import enough_clusterings as enough_clusterings
from .affinity import adjusted_rand_between_matrices as adjusted_rand_between_matrices
from .affinity import affinity_matrix as affinity_matrix
from .clusterings import CLUSTERERS as CLUSTERERS
from .consensus import consensus_matrix as consensus_matrix
from .consensus import consensus_partition as consensus_partition
from .consensus_affinity import frcm as frcm
from .evaluation import borda_curve as borda_curve
from .evaluation import clustering_curve as clustering_curve
from .evaluation import evaluate_rankings as evaluate_rankings
from .evaluation import summarise_trials as summarise_trials
from .laplacian import laplacian_score as laplacian_score
from .methods import UnsupervisedFilter as UnsupervisedFilter
from .methods import rank_unsupervised as rank_unsupervised
from .multiple_views import correlation_ratio as correlation_ratio
from .multiple_views import frmv as frmv
from .registry import UNSUPERVISED_METHODS as UNSUPERVISED_METHODS
from .registry import UnsupervisedSpec as UnsupervisedSpec
from .registry import list_unsupervised_methods as list_unsupervised_methods
from .result import ConsensusRanking as ConsensusRanking
from .result import mean_plus_sd as mean_plus_sd
from .selectors import ConsensusAffinitySelector as ConsensusAffinitySelector
from .selectors import LaplacianScoreSelector as LaplacianScoreSelector
from .selectors import MultipleViewsSelector as MultipleViewsSelector
from .selectors import SvdEntropySelector as SvdEntropySelector
from .singular_values import svd_entropy as svd_entropy

__all__ = [
    "CLUSTERERS",
    "UNSUPERVISED_METHODS",
    "ClusteringAdequacy",
    "ConsensusAffinitySelector",
    "ConsensusRanking",
    "LaplacianScoreSelector",
    "MultipleViewsSelector",
    "SvdEntropySelector",
    "UnsupervisedFilter",
    "UnsupervisedSpec",
    "adjusted_rand_between_matrices",
    "affinity_matrix",
    "borda_curve",
    "clustering_curve",
    "consensus_matrix",
    "consensus_partition",
    "correlation_ratio",
    "enough_clusterings",
    "evaluate_rankings",
    "frcm",
    "frmv",
    "laplacian_score",
    "list_unsupervised_methods",
    "mean_plus_sd",
    "rank_unsupervised",
    "summarise_trials",
    "svd_entropy",
]
