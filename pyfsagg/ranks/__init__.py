"""Ranks: made from scores, and tables of ranked lists."""

from pyfsagg.ranks.ranking import rank_scores
from pyfsagg.ranks.table import RankTable

__all__ = ["RankTable", "rank_scores"]
