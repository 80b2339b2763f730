"""Synthetic orders of a known concordance, for figures 9 and 10 of the paper on orders."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.extending import check_integer
from pyfsagg.rank_order.distances import concordance_of_ranks

MAX_BASES = 100_000
PROPOSALS = 200  # unsuccessful draws after which instances are drawn nearer to the base
CLOSER = 0.9


@dataclass(frozen=True, eq=False)
class ConcordantOrders:
    """Orders of given concordance within classes; `X` and `y` as those of :func:`make_planted_orders`."""

    X: pd.DataFrame
    y: pd.Series[Any]
    bases: pd.DataFrame  # (n_classes, n_features) the order that each class grew from
    base_concordance: float  # τ of the bases
    class_concordance: pd.Series[float]  # (n_classes,) τ within each class


def make_concordant_orders(
    n_classes: int = 5,
    n_per_class: int = 100,
    n_features: int = 25,
    *,
    min_concordance: float = 0.1,
    max_concordance: float = 0.9,
    random_state: Any = None,
) -> ConcordantOrders:
    """Classes grown around random orders, within bounds of concordance (orders, section 5.1).

    One random order per class is drawn, all of them together until their concordance is at most
    `max_concordance`.  Then random orders join a class as long as its concordance stays at least
    `min_concordance`.  They are uniformly random at first; whenever 200 of them in a row are
    refused, they are drawn nearer to the order of the class (by repeated insertion, Mallows' model,
    with its dispersion multiplied by 0.9): with uniform draws alone a high bound is never met.

    The paper calls C_min = 0.1, C_max = 0.9 (figure 9) "coherent and distinct" and C_min = 0.9,
    C_max = 0.1 (figure 10) "ill defined and indistinct".  By the construction it describes it is the
    other way round: a high C_min makes classes coherent.
    """
    c = check_integer("n_classes", n_classes, low=2)
    size = check_integer("n_per_class", n_per_class, low=1)
    p = check_integer("n_features", n_features, low=2)
    if factorial(min(p, 20)) < c:
        raise ParameterError(f"{p} features have fewer orders than {c} classes; take more features")
    rng = np.random.default_rng(random_state)
    bases = _draw_bases(c, p, max_concordance, rng)
    groups = [_grow_class(base, size, min_concordance, rng) for base in bases]
    names = [f"x{j}" for j in range(p)]
    taus = [concordance_of_ranks(group) if size > 1 else 1.0 for group in groups]
    classes = pd.Index([f"C{k + 1}" for k in range(c)], name="class")
    return ConcordantOrders(
        X=pd.DataFrame(np.vstack(groups) + 1, columns=names),
        y=pd.Series(np.repeat(classes, size), name="class"),
        bases=pd.DataFrame(bases + 1, index=classes, columns=names),
        base_concordance=concordance_of_ranks(bases),
        class_concordance=pd.Series(taus, index=classes, name="concordance"),
    )


def _draw_bases(c: int, p: int, high: float, rng: np.random.Generator) -> NDArray[np.int32]:
    for _ in range(MAX_BASES):
        bases = np.array([rng.permutation(p) for _ in range(c)], dtype=np.int32)
        if len(np.unique(bases, axis=0)) == c and concordance_of_ranks(bases) <= high:
            return bases
    raise DataError(
        f"no {c} orders of {p} features with a concordance of at most {high:g} were found ",
        f"in {MAX_BASES} draws; the least possible is {-1.0 / (c - 1):.3g}: raise ",
        "max_concordance",
    )


def _grow_class(
    base: NDArray[np.int32], size: int, low: float, rng: np.random.Generator
) -> NDArray[np.int32]:
    """`size` orders, the base among them, whose concordance is at least `low`."""
    p = base.size
    i, j = np.triu_indices(p, 1)
    members = [base]
    votes = np.sign(base[j] - base[i]).astype(np.int64)
    dispersion, refused = 1.0, 0
    while len(members) < size:
        order = _near(base, dispersion, rng)
        new = votes + np.sign(order[j] - order[i])
        m = len(members) + 1
        tau = (float(new @ new) / i.size / m - 1.0) / (m - 1)
        if tau >= low - 1e-12:
            members.append(order)
            votes, refused = new, 0
        else:
            refused += 1
            if refused == PROPOSALS:
                dispersion, refused = dispersion * CLOSER, 0
    return np.array(members, dtype=np.int32)


def _near(
    base: NDArray[np.int32], dispersion: float, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Ranks of a random order around `base`: uniform at dispersion 1, the base itself at 0."""
    p = base.size
    if dispersion == 1.0:
        return rng.permutation(p).astype(np.int32)
    order: list[int] = []
    for feature in np.argsort(base):
        # Inserting t places before the end makes t inversions, with weight dispersion^t.
        weights = dispersion ** np.arange(len(order) + 1)
        t = int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))
        order.insert(len(order) - min(t, len(order)), int(feature))
    ranks = np.empty(p, dtype=np.int32)
    ranks[order] = np.arange(p)
    return ranks
