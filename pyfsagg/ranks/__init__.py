"""Ranks: made from scores, and tables of ranked lists."""

from pyfsagg.ranks._files import read_weight_file
from pyfsagg.ranks._input import whole_weights
from pyfsagg.ranks.ranking import TIES, Ties, rank_scores, select_top
from pyfsagg.ranks.table import RankTable
from pyfsagg.ranks.tied import about_ties, tie_sizes

__all__ = [
    "TIES",
    "RankTable",
    "Ties",
    "about_ties",
    "rank_scores",
    "read_weight_file",
    "select_top",
    "tie_sizes",
    "whole_weights",
]
