"""Ranks: made from scores, and tables of ranked lists."""

from pyfsagg.ranks.ranking import TIES, Ties, rank_scores, select_top
from pyfsagg.ranks.table import RankTable
from pyfsagg.ranks.tied import about_ties, tie_sizes

__all__ = ["TIES", "RankTable", "Ties", "about_ties", "rank_scores", "select_top", "tie_sizes"]
