"""Statistical comparison of methods: which differences are real, and how large they are."""

from __future__ import annotations

from pyfsagg.statistics.anova import (
    RepeatedMeasuresAnova,
    rm_anova,
)
from pyfsagg.statistics.average_ranks import (
    CriticalDifference,
    NemenyiTest,
    critical_difference,
    nemenyi,
    win_tie_loss,
)
from pyfsagg.statistics.bayesian import (
    BayesianTTests,
    bayesian_t_tests,
)
from pyfsagg.statistics.effect_sizes import (
    EffectSize,
    noncentral_f_interval,
    noncentral_t_interval,
    rank_biserial_paired,
    rank_biserial_unpaired,
)
from pyfsagg.statistics.nonparametric import (
    FriedmanTest,
    friedman,
)
from pyfsagg.statistics.one_way import (
    OneWayAnova,
    one_way_anova,
)
from pyfsagg.statistics.pairwise import (
    PairwiseTests,
    adjust_p_values,
    pairwise_tests,
)
from pyfsagg.statistics.rank_sets import (
    RankConfidence,
    rank_confidence,
)
from pyfsagg.statistics.signed_rank import (
    SignedRankTest,
    wilcoxon,
)
from pyfsagg.statistics.sphericity import (
    Sphericity,
    sphericity_test,
)

__all__ = [
    "BayesianTTests",
    "CriticalDifference",
    "EffectSize",
    "FriedmanTest",
    "NemenyiTest",
    "OneWayAnova",
    "PairwiseTests",
    "RankConfidence",
    "RepeatedMeasuresAnova",
    "SignedRankTest",
    "Sphericity",
    "adjust_p_values",
    "bayesian_t_tests",
    "critical_difference",
    "friedman",
    "nemenyi",
    "noncentral_f_interval",
    "noncentral_t_interval",
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
