from .consensus_affinity import frcm as frcm
from .evaluation import clustering_curve as clustering_curve
from .evaluation import evaluate_rankings as evaluate_rankings
from .laplacian import laplacian_score as laplacian_score
from .methods import rank_unsupervised as rank_unsupervised
from .multiple_views import frmv as frmv
from .registry import UNSUPERVISED_METHODS as UNSUPERVISED_METHODS
from .registry import UnsupervisedSpec as UnsupervisedSpec
from .result import ConsensusRanking as ConsensusRanking
from .selectors import ConsensusAffinitySelector as ConsensusAffinitySelector
from .selectors import LaplacianScoreSelector as LaplacianScoreSelector
from .selectors import MultipleViewsSelector as MultipleViewsSelector
from .selectors import SvdEntropySelector as SvdEntropySelector
from .singular_values import svd_entropy as svd_entropy

__all__ = [
    "UNSUPERVISED_METHODS",
    "ConsensusAffinitySelector",
    "ConsensusRanking",
    "LaplacianScoreSelector",
    "MultipleViewsSelector",
    "SvdEntropySelector",
    "UnsupervisedSpec",
    "clustering_curve",
    "evaluate_rankings",
    "frcm",
    "frmv",
    "laplacian_score",
    "rank_unsupervised",
    "svd_entropy",
]
