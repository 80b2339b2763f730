"""Pictures of results: functions that take a result and return Matplotlib axes.

A list of public names; each picture lives beside the result that it shows.

Matplotlib is used through its objects only: nothing is registered with ``pyplot``, no backend is
chosen, and a figure lives as long as its axes do.  In a notebook show ``axes.figure``; to keep a
picture call ``axes.figure.savefig("picture.pdf")``.
"""

from pyfsagg.aggregation._plot import plot_consensus, plot_list_ranks
from pyfsagg.aggregation._plot_agreement import plot_list_agreement
from pyfsagg.aggregation._plot_comparison import plot_method_agreement, plot_overlap, plot_places
from pyfsagg.aggregator_influence._plot import plot_aggregator_stability, plot_pairwise
from pyfsagg.committees._plot import plot_front, plot_votes
from pyfsagg.ensemble._plot import plot_agreement, plot_convergence, plot_ranking, plot_scores
from pyfsagg.evaluation._plot import (
    plot_accuracy,
    plot_critical_difference,
    plot_p_values,
    plot_win_tie_loss,
)
from pyfsagg.rank_order._plot import plot_elimination
from pyfsagg.screens._plot import (
    plot_gene_ranks,
    plot_guides,
    plot_p_value_quantiles,
    plot_volcano,
)
from pyfsagg.stability_measures._plot import plot_adequacy, plot_stability_curve, plot_trade_off
from pyfsagg.unsupervised._plot import plot_borda_curve, plot_clustering_curve, plot_spectrum

__all__ = [
    "plot_accuracy",
    "plot_adequacy",
    "plot_aggregator_stability",
    "plot_agreement",
    "plot_borda_curve",
    "plot_clustering_curve",
    "plot_consensus",
    "plot_convergence",
    "plot_critical_difference",
    "plot_elimination",
    "plot_front",
    "plot_gene_ranks",
    "plot_guides",
    "plot_list_agreement",
    "plot_list_ranks",
    "plot_method_agreement",
    "plot_overlap",
    "plot_p_value_quantiles",
    "plot_p_values",
    "plot_pairwise",
    "plot_places",
    "plot_ranking",
    "plot_scores",
    "plot_spectrum",
    "plot_stability_curve",
    "plot_trade_off",
    "plot_volcano",
    "plot_votes",
    "plot_win_tie_loss",
]
