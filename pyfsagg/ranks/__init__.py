"""Ranks: made from scores, and rankings of all kinds: lists, resamples, voters."""

from pyfsagg.ranks.ranking import rank_scores
from pyfsagg.ranks.rankings import Rankings

__all__ = ["Rankings", "rank_scores"]
