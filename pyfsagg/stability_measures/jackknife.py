"""What each resample adds to the stability of a collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.random import Generator

from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.types import Floats
from pyfsagg.stability_measures._base import STABILITY_MEASURES, require_defined
from pyfsagg.stability_measures.intervals import jackknife_values
from pyfsagg.stability_measures.measure import bind

__all__ = ["pseudo_values"]


def pseudo_values(
    data: Any,
    measure: str = "nogueira",
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    top: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    ties: str = "random",
    random_state: int | Generator | None = None,
    **options: Any,
) -> Floats:
    """Jackknife pseudo-values of a stability measure, one per resample.

    The pseudo-value of resample i is m S - (m - 1) S_(i), with S the stability of all m resamples
    and S_(i) that of the others.  A resample that agrees with the rest has a pseudo-value above S
    (below S for a distance).

    Parameters
    ----------
    data, measure, n_features, feature_names, top, similarity, input, ties, random_state, **options
        As in :func:`pyfsagg.stability`.

    Returns
    -------
    ndarray of shape (m,)
        In the unit and direction of the measure; single values may lie outside its bounds.  For an
        average over pairs, all of them defined, their mean is the stability itself.

    Raises
    ------
    DataError
        For fewer than 3 resamples, or a measure that is undefined on all or without one of them.
    ParameterError
        As in :func:`pyfsagg.stability`.

    Notes
    -----
    Quenouille (1956), Biometrika 43:353; Tukey (1958).  For an average over pairs one pass over the
    pairs gives all of them.

    Examples
    --------
    >>> from pyfsagg.stability_measures import pseudo_values
    >>> pseudo_values([{"a", "b"}, {"a", "b"}, {"a", "c"}, {"a", "b"}], "jaccard").round(4)
    array([ 1.    ,  1.    , -0.3333,  1.    ])
    """
    spec = STABILITY_MEASURES.get(measure)
    statistic = bind(
        spec,
        data,
        n_features=n_features,
        feature_names=feature_names,
        top=top,
        similarity=similarity,
        input=input,
        ties=ties,
        seed=resolve_seed(random_state),
        **options,
    ).statistic
    value = require_defined(statistic.estimate(), spec.name, statistic.unit).value
    m = statistic.n_rows
    found: Floats = m * value - (m - 1) * jackknife_values(statistic)
    return found
