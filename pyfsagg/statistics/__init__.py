"""Statistical comparison of methods: which differences are real, and how large they are."""

from pyfsagg._base.arithmetic import adjust_p_values
from pyfsagg.statistics.anova import one_way_anova, rm_anova, sphericity_test
from pyfsagg.statistics.average_ranks import critical_difference, friedman, nemenyi, win_tie_loss
from pyfsagg.statistics.effect_sizes import (
    bayesian_t_tests,
    rank_biserial_paired,
    rank_biserial_unpaired,
)
from pyfsagg.statistics.pairwise import pairwise_tests
from pyfsagg.statistics.rank_sets import RankConfidence, rank_confidence
from pyfsagg.statistics.rank_tests import wilcoxon

__all__ = [
    "RankConfidence",
    "adjust_p_values",
    "bayesian_t_tests",
    "critical_difference",
    "friedman",
    "nemenyi",
    "one_way_anova",
    "pairwise_tests",
    "rank_biserial_paired",
    "rank_biserial_unpaired",
    "rank_confidence",
    "rm_anova",
    "sphericity_test",
    "wilcoxon",
    "win_tie_loss",
]
