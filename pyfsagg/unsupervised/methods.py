"""All rankings without labels: as filters of an ensemble, and as selectors of scikit-learn."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pyfsagg._base.arithmetic import Floats, RandomState, TableLike, TargetLike
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import resolve_seed
from pyfsagg._run.execution import Execution
from pyfsagg._table.selectors import TableSelector
from pyfsagg._table.table import as_table, full_weights
from pyfsagg.exceptions import ParameterError
from pyfsagg.unsupervised import clusterings, registry
from pyfsagg.unsupervised.rankings import as_ranking
from pyfsagg.unsupervised.result import MEAN_PLUS_SD, ConsensusRanking


@repeatable
def rank_unsupervised(X: TableLike, method: str = "frcm", **method_params: Any) -> ConsensusRanking:
    """Rank features without labels by any of the methods.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values.
    method : str
        A name in ``pyfsagg.list_methods("unsupervised")``.
    **method_params
        Parameters of the function of that name.

    Returns
    -------
    ConsensusRanking
        With a consensus matrix for the methods that make one.

    See Also
    --------
    frcm, frmv, laplacian_score, svd_entropy : The methods, with their options.
    clustering_curve : Compares rankings on a table with known classes.

    Examples
    --------
    >>> X = [[0.0, 5.0], [0.1, 1.0], [0.2, 3.0], [9.0, 3.0], [9.1, 1.0], [9.2, 5.0]]
    >>> rank_unsupervised(X, "laplacian_score", n_neighbors=2)
    ConsensusRanking(laplacian_score: 2 features, 1 above mean + SD; best: x0, x1)
    """
    spec = registry.UNSUPERVISED_METHODS.get(method)
    _check_options(spec, method_params)
    function = spec.load()
    if spec.clusters:
        ranking: ConsensusRanking = function(X, **method_params)
        return ranking
    standardize = method_params.get("standardize", "z_score")
    table = clusterings.check_numbers(X, standardize=standardize)
    scores: Floats = function(table, **{**method_params, "standardize": "none"})
    recorded = {name: value for name, value in method_params.items() if name != "n_jobs"}
    settled: dict[str, Any] = {"method": spec.name, "method_params": recorded}
    call = Call.of(rank_unsupervised, name="unsupervised.rank_unsupervised", data=("X",), **settled)
    return as_ranking(spec.name, table, scores, {**recorded, "standardize": standardize}, call)


def _check_options(spec: registry.UnsupervisedSpec, options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in spec.options:
            raise ParameterError(
                f"{spec.name} has no parameter {name!r}; it takes: {', '.join(spec.options)}"
            )


@dataclass(frozen=True)
class UnsupervisedFilter:
    """An unsupervised method as a filter of an ensemble: it ignores the labels."""

    method: str = "frcm"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_options(registry.UNSUPERVISED_METHODS.get(self.method), self.options)
        resolve_seed(self.options.get("random_state", 0))

    @property
    def __name__(self) -> str:
        return registry.UNSUPERVISED_METHODS.get(self.method).name

    def __call__(self, X: TableLike, y: TargetLike = None, sample_weight: Any = None) -> Floats:
        """Scores (n_features,) of the table with rows repeated by their weights."""
        table = as_table(X)
        weights = full_weights(table.n_samples, sample_weight)[0]
        options = dict(self.options)
        if "random_state" in registry.UNSUPERVISED_METHODS.get(self.method).options:
            seed = resolve_seed(options.get("random_state", 0))
            drawn = np.random.SeedSequence([seed, zlib.crc32(weights.tobytes())])
            options["random_state"] = int(drawn.generate_state(1, np.uint32)[0])
        rows = np.repeat(np.arange(table.n_samples), weights)
        resample = table.with_values(table.values[rows])
        scores: Floats = rank_unsupervised(resample, self.method, **options).scores
        return scores


@dataclass(eq=False, repr=False, kw_only=True)
class _UnsupervisedSelector(TableSelector):
    """Selects features by a ranking without labels."""

    n_features_to_select: str | float | int = MEAN_PLUS_SD
    standardize: str = "z_score"

    _method: ClassVar[str]

    def fit(self, X: TableLike, y: TargetLike = None) -> _UnsupervisedSelector:
        """Rank the features and select the informative ones.

        Parameters
        ----------
        X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
            Numbers without missing values.
        y : ignored
        """
        X = self._record(X, None)
        options = self.get_params(deep=False)
        n_features_to_select = options.pop("n_features_to_select")
        self.result_ = rank_unsupervised(X, self._method, **options)
        self.scores_ = self.result_.scores
        self.ranking_ = self.result_.ranking
        self.support_ = self.result_.get_support(n_features_to_select=n_features_to_select)
        return self


@dataclass(eq=False, repr=False, kw_only=True)
class _SelectorByClusterings(_UnsupervisedSelector):
    """Selects features by a ranking that draws clusterings."""

    n_clusterings: int = 100
    feature_fraction: float = 0.5
    k_range: tuple[int, int] | None = None
    clusterer: Any = "k_means"
    random_state: RandomState = None
    n_jobs: int | None = None
    execution: Execution | None = None


class ConsensusAffinitySelector(_SelectorByClusterings):
    """Select features by consensus affinity (FRCM).

    Parameters
    ----------
    n_features_to_select : "mean_plus_sd", float or int
        Scores above their mean plus standard deviation (the best feature, if there is none), or a
        fraction of the features (rounded up), or their number.
    n_clusterings, feature_fraction, k_range, clusterer, standardize, random_state, n_jobs, \
execution
        As in :func:`pyfsagg.unsupervised.frcm`.

    Attributes
    ----------
    scores_ : ndarray (n_features,)
        Larger = more important.
    ranking_ : ndarray (n_features,)
        Ranks, 1 = most important; ties get average ranks.
    support_ : ndarray of bool (n_features,)
        The features kept; ties are broken by column order.
    result_ : ConsensusRanking
        The complete result.

    See Also
    --------
    frcm : The ranking as a function.
    MultipleViewsSelector, LaplacianScoreSelector, SvdEntropySelector : Selectors by other rankings.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(40, 6)) + np.outer(np.repeat([0, 6], 20), [1, 1, 1, 0, 0, 0])
    >>> selector = ConsensusAffinitySelector(n_features_to_select=3, n_clusterings=30, random_state=0).fit(X)
    >>> selector.get_feature_names_out()
    array(['x0', 'x1', 'x2'], dtype=object)
    """

    _method = "frcm"


@dataclass(eq=False, repr=False, kw_only=True)
class MultipleViewsSelector(_SelectorByClusterings):
    """Select features by their ranks in many clusterings (FRMV).

    `n_features_to_select` and the attributes are those of :class:`ConsensusAffinitySelector`, the other
    parameters those of :func:`pyfsagg.unsupervised.frmv`.
    """

    _method = "frmv"

    aggregator: str = "borda"
    association: str = "correlation_ratio"


@dataclass(eq=False, repr=False, kw_only=True)
class LaplacianScoreSelector(_UnsupervisedSelector):
    """Select features by the Laplacian score.

    `n_features_to_select` and the attributes are those of :class:`ConsensusAffinitySelector`, the other
    parameters those of :func:`pyfsagg.unsupervised.laplacian_score`.
    """

    _method = "laplacian_score"

    n_neighbors: int = 5
    bandwidth: float | str = "mean"


@dataclass(eq=False, repr=False, kw_only=True)
class SvdEntropySelector(_UnsupervisedSelector):
    """Select features by their contribution to the SVD entropy (UFF).

    `n_features_to_select` and the attributes are those of :class:`ConsensusAffinitySelector`, the other
    parameters those of :func:`pyfsagg.unsupervised.svd_entropy`.
    """

    _method = "svd_entropy"

    n_jobs: int | None = None
