"""The rankings without labels by name; their functions, which bring scikit-learn along, on demand."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyfsagg._base.registry import Registry, Spec


@dataclass(frozen=True, kw_only=True)
class UnsupervisedSpec(Spec):
    """A registered ranking without labels; it is a filter of that name as well.

    `load()` returns the function ``(X, **options) -> scores`` (n_features,), larger = more important.
    X may be a validated table, and one option is `standardize`.  If `clusters`, the function draws
    clusterings of the samples, with the options of :func:`pyfsagg.unsupervised.frcm`, and returns a
    :class:`~pyfsagg.unsupervised.ConsensusRanking`.
    """

    load: Callable[[], Callable[..., Any]]
    clusters: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options of the function."""
        return tuple(inspect.signature(self.load()).parameters)[1:]


UNSUPERVISED_METHODS = Registry(
    "unsupervised method", UnsupervisedSpec, group="pyfsagg.unsupervised_methods"
)


def _load(name: str) -> Callable[..., Any]:
    from pyfsagg.unsupervised import rankings

    function: Callable[..., Any] = getattr(rankings, name)
    return function


_TIES = "do not matter"
UNSUPERVISED_METHODS.add(
    UnsupervisedSpec(
        name="frcm",
        aliases=("consensus_affinity",),
        summary="Agreement of affinities with an ensemble of clusterings (no labels)",
        formula="adjusted Rand index between M and A, M_ij the share of clusterings that join samples "
        "i and j, A_ij = sqrt(1 - (x_i - x_j)^2 / ||i - j||^2)",
        latex=r"\operatorname{ARI}(M, A), \quad M_{ij} = \frac{1}{T} \sum_{t=1}^{T} 1 [ c_t(i) "
        r"= c_t(j) ], \quad A_{ij} = \sqrt{1 - \frac{(x_i - x_j)^2}{\lVert i - j "
        r"\rVert^2}}",
        bounds="(-inf, 1]",
        ties="identical samples have affinity 1",
        source="frcm eq. 7, 11 and 12",
        load=partial(_load, "frcm"),
        clusters=True,
    ),
    UnsupervisedSpec(
        name="frmv",
        summary="Relevance to clusterings of many feature subsets (no labels)",
        formula="aggregate over clusterings t (borda by default) of the correlation ratio of x with "
        "the clusters of t",
        latex=r"\operatorname{agg}_{t} \; \eta(x, c_t), \quad \eta^2 = "
        r"\frac{\operatorname{var}(\text{means of the clusters})}{\operatorname{var}(x)}",
        bounds="(-inf, inf)",
        ties="as in the aggregator",
        source="Hong et al. (2008), Pattern Recognition Letters 29(5)",
        load=partial(_load, "frmv"),
        clusters=True,
    ),
    UnsupervisedSpec(
        name="laplacian_score",
        aliases=("laplacian",),
        summary="How well the feature preserves nearest neighbours (no labels)",
        formula="x' S x / x' D x, S the weights of the nearest-neighbour graph, D = diag(S 1), x the "
        "feature minus its D-weighted mean",
        latex=r"\frac{x^\top S x}{x^\top D x}, \quad D = \operatorname{diag}(S 1)",
        bounds="[-1, 1]",
        ties=_TIES,
        source="He, Cai and Niyogi (2005), NIPS 18",
        load=partial(_load, "laplacian_score"),
    ),
    UnsupervisedSpec(
        name="svd_entropy",
        aliases=("uff",),
        summary="What the feature adds to the entropy of the singular values (no labels)",
        formula="E(table) - E(table without the feature), E = -sum_k v_k ln v_k / ln r, v the squared "
        "singular values over their sum, r = min(n_samples, n_features)",
        latex=r"E(A) - E(A_{-x}), \quad E = - \frac{1}{\ln r} \sum_{k=1}^{r} v_k \ln v_k, \quad "
        r"v_k = \frac{\sigma_k^2}{\sum_l \sigma_l^2}",
        bounds="(-inf, inf)",
        ties=_TIES,
        source="Varshavsky et al. (2006), Bioinformatics 22(14)",
        load=partial(_load, "svd_entropy"),
    ),
)
