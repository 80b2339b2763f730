from .rank_aggregation import aggregate_ranks as aggregate_ranks
from .rank_aggregation import rank_matrix as rank_matrix
from .session import InsideRError as InsideRError
from .session import RError as RError

__all__ = ["InsideRError", "RError", "aggregate_ranks", "rank_matrix"]
