from .evaluation import clustering_curve as clustering_curve
from .methods import ConsensusAffinitySelector as ConsensusAffinitySelector
from .methods import LaplacianScoreSelector as LaplacianScoreSelector
from .methods import MultipleViewsSelector as MultipleViewsSelector
from .methods import SvdEntropySelector as SvdEntropySelector
from .methods import rank_unsupervised as rank_unsupervised
from .rankings import frcm as frcm
from .rankings import frmv as frmv
from .rankings import laplacian_score as laplacian_score
from .rankings import svd_entropy as svd_entropy
from .result import ConsensusRanking as ConsensusRanking

__all__ = [
    "ConsensusAffinitySelector",
    "ConsensusRanking",
    "LaplacianScoreSelector",
    "MultipleViewsSelector",
    "SvdEntropySelector",
    "clustering_curve",
    "frcm",
    "frmv",
    "laplacian_score",
    "rank_unsupervised",
    "svd_entropy",
]
