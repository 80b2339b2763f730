"""How long an elimination takes."""

from __future__ import annotations

from pyfsagg._base.checks import check_choice, check_integer

__all__ = ["METHODS", "estimate_seconds"]

METHODS = ("cdv", "spoilers", "greedy_kl", "koller_sahami")

# Seconds, measured with benchmarks/bench_rank_order.py on one core of a shared server; rounded up.
_SPOILERS = 1.0e-9  # per n p^2
_GREEDY = 0.12e-9  # per n^2 p^2 / 2, words of 64 features
_CDV = 1.0e-9  # per p^3 / 3 and class, average data
_BLANKET = 5.0e-9  # per n p^2


def estimate_seconds(method: str, n_samples: int, n_features: int, n_classes: int = 2) -> float:
    """Estimate the time of a complete elimination on one core, in seconds.

    The order of magnitude is meant: data with many ties or near-equal rank sums take longer, more
    cores less.

    Parameters
    ----------
    method : {"cdv", "spoilers", "greedy_kl", "koller_sahami"}
    n_samples, n_features, n_classes : int

    Examples
    --------
    >>> estimate_seconds("spoilers", 72, 7129) < 60
    True
    >>> estimate_seconds("cdv", 72, 100_000) > 3600
    True
    """
    check_choice("method", method, METHODS)
    n = check_integer("n_samples", n_samples, low=1)
    p = check_integer("n_features", n_features, low=1)
    c = check_integer("n_classes", n_classes, low=1)
    table = _SPOILERS * n * p**2
    if method == "spoilers":
        return table
    if method == "greedy_kl":
        return table + _GREEDY * n**2 * p**2 / 2.0
    if method == "cdv":
        return table + _CDV * c * p**3 / 3.0
    return _BLANKET * n * p**2
