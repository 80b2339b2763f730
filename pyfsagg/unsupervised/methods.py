"""All unsupervised methods under one roof: by name, and as filters of an ensemble."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyfsagg._base.calls import Call
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.types import Floats
from pyfsagg._table.table import check_table, full_weights
from pyfsagg.exceptions import ParameterError
from pyfsagg.unsupervised._input import check_numbers
from pyfsagg.unsupervised.consensus_affinity import as_ranking
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS, UnsupervisedSpec
from pyfsagg.unsupervised.result import ConsensusRanking

__all__ = ["UnsupervisedFilter", "rank_unsupervised"]


def rank_unsupervised(X: Any, method: str = "frcm", **options: Any) -> ConsensusRanking:
    """Rank features without labels by any of the methods.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers without missing values.
    method : str
        A name in :func:`list_unsupervised_methods`.
    **options
        Parameters of the function of that name.

    Returns
    -------
    ConsensusRanking
        With a consensus matrix for the methods that make one.

    Raises
    ------
    UnknownNameError, ParameterError, DataError
        Unknown method, an option that it does not have, or data that the method refuses.

    Examples
    --------
    >>> X = [[0.0, 5.0], [0.1, 1.0], [0.2, 3.0], [9.0, 3.0], [9.1, 1.0], [9.2, 5.0]]
    >>> rank_unsupervised(X, "laplacian_score", n_neighbors=2)
    ConsensusRanking(laplacian_score: 2 features, 1 above mean + SD; best: x0, x1)
    """
    given = dict(locals())
    spec = UNSUPERVISED_METHODS.get(method)
    _check_options(spec, options)
    function = spec.load()
    if spec.clusters:
        ranking: ConsensusRanking = function(X, **options)
        return ranking
    standardize = options.get("standardize", "z_score")
    table = check_numbers(X, standardize=standardize)
    scores: Floats = function(table, **{**options, "standardize": "none"})
    given["options"] = {name: value for name, value in options.items() if name != "n_jobs"}
    call = Call.of(
        rank_unsupervised,
        given,
        name="unsupervised.rank_unsupervised",
        data=("X",),
        method=spec.name,
    )
    parameters = {**given["options"], "standardize": standardize, "call": call.record()}
    return as_ranking(spec.name, table, scores, parameters)


def _check_options(spec: UnsupervisedSpec, options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in spec.options:
            raise ParameterError(
                f"{spec.name} has no parameter {name!r}; it takes: {', '.join(spec.options)}"
            )


@dataclass(frozen=True)
class UnsupervisedFilter:
    """An unsupervised method as a filter of an ensemble: it ignores the labels.

    Parameters
    ----------
    method : str
        A name in :func:`list_unsupervised_methods`.
    options : dict, optional
        Parameters of the method.  ``random_state`` must be a whole number (0 by default); together
        with the weights it makes the seed, so that resamples differ in their clusterings too.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat([0.0, 6.0], 20)
    >>> X = rng.normal(size=(40, 6)) + np.outer(group, [1, 1, 1, 0, 0, 0])
    >>> weights = np.bincount(rng.integers(40, size=40), minlength=40)
    >>> scores = UnsupervisedFilter("frcm", {"n_clusterings": 30})(X, None, weights)
    >>> bool(scores[:3].min() > scores[3:].max())
    True
    """

    method: str = "frcm"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_options(UNSUPERVISED_METHODS.get(self.method), self.options)
        resolve_seed(self.options.get("random_state", 0))

    @property
    def __name__(self) -> str:
        return UNSUPERVISED_METHODS.get(self.method).name

    def __call__(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Scores (n_features,) of the table with each row as often as its weight says.

        Parameters
        ----------
        X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of whole numbers, shape (n_samples,), optional
        """
        table = check_table(X)
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
