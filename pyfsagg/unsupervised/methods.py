"""All rankings without labels by name, and as filters of an ensemble."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.registry import Call
from pyfsagg._base.validation import resolve_seed
from pyfsagg._table.table import as_table, full_weights
from pyfsagg.exceptions import ParameterError
from pyfsagg.unsupervised.clusterings import check_numbers
from pyfsagg.unsupervised.consensus_affinity import as_ranking
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS, UnsupervisedSpec
from pyfsagg.unsupervised.result import ConsensusRanking


def rank_unsupervised(X: Any, method: str = "frcm", **method_params: Any) -> ConsensusRanking:
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
    evaluate_rankings : Compares the methods on a table with known classes.

    Examples
    --------
    >>> X = [[0.0, 5.0], [0.1, 1.0], [0.2, 3.0], [9.0, 3.0], [9.1, 1.0], [9.2, 5.0]]
    >>> rank_unsupervised(X, "laplacian_score", n_neighbors=2)
    ConsensusRanking(laplacian_score: 2 features, 1 above mean + SD; best: x0, x1)
    """
    arguments = dict(locals())
    spec = UNSUPERVISED_METHODS.get(method)
    _check_options(spec, method_params)
    function = spec.load()
    if spec.clusters:
        ranking: ConsensusRanking = function(X, **method_params)
        return ranking
    standardize = method_params.get("standardize", "z_score")
    table = check_numbers(X, standardize=standardize)
    scores: Floats = function(table, **{**method_params, "standardize": "none"})
    recorded = {name: value for name, value in method_params.items() if name != "n_jobs"}
    arguments["method_params"] = recorded
    name = "unsupervised.rank_unsupervised"
    call = Call.of(rank_unsupervised, arguments, name=name, data=("X",), method=spec.name)
    return as_ranking(spec.name, table, scores, {**recorded, "standardize": standardize}, call)


def _check_options(spec: UnsupervisedSpec, options: Mapping[str, Any]) -> None:
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
        _check_options(UNSUPERVISED_METHODS.get(self.method), self.options)
        resolve_seed(self.options.get("random_state", 0))

    @property
    def __name__(self) -> str:
        return UNSUPERVISED_METHODS.get(self.method).name

    def __call__(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Scores (n_features,) of the table with each row as often as its weight says."""
        table = as_table(X)
        weights = full_weights(table.n_samples, sample_weight)[0]
        options = dict(self.options)
        if "random_state" in UNSUPERVISED_METHODS.get(self.method).options:
            seed = resolve_seed(options.get("random_state", 0))
            drawn = np.random.SeedSequence([seed, zlib.crc32(weights.tobytes())])
            options["random_state"] = int(drawn.generate_state(1, np.uint32)[0])
        rows = np.repeat(np.arange(table.n_samples), weights)
        resample = table.with_values(table.values[rows])
        scores: Floats = rank_unsupervised(resample, self.method, **options).scores
        return scores
