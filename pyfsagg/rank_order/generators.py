"""Synthetic orders with a known answer, or with a known concordance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.memory import require_memory
from pyfsagg._base.validation import check_flag, check_integer, check_real, random_numbers
from pyfsagg._message import Param, Remedy, Use
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.rank_order.distances import concordance_of_ranks

MAX_BASES = 100_000
PROPOSALS = 200  # unsuccessful draws after which instances are drawn nearer to the base
CLOSER = 0.9


@dataclass(frozen=True, eq=False)
class PlantedOrders:
    """Orders with a few planted features that separate the classes.

    Attributes
    ----------
    X : DataFrame (n_samples, n_features)
        Ranks from 1.
    y : Series (n_samples,)
        Classes ``C1``, ``C2``, ….
    planted : tuple of str
        The features that define the classes.
    extraneous : tuple of str
        Features at random places.
    redundant : dict of str to str
        Features that stand next to another one in every instance → that other one.
    """

    X: pd.DataFrame
    y: pd.Series[Any]
    planted: tuple[str, ...]
    extraneous: tuple[str, ...]
    redundant: Mapping[str, str]

    def origin(self, feature: str) -> str:
        """The feature itself, or the one it is redundant with in the end."""
        while feature in self.redundant:
            feature = self.redundant[feature]
        return feature

    def recovery(self, selected: Iterable[str]) -> float:
        """Share of the planted features that are selected, themselves or by a redundant one."""
        origins = {self.origin(feature) for feature in selected}
        return len(origins & set(self.planted)) / len(self.planted)


@dataclass(frozen=True, eq=False)
class ConcordantOrders:
    """Orders of given concordance within classes; `X` and `y` as in :class:`PlantedOrders`."""

    X: pd.DataFrame
    y: pd.Series[Any]
    bases: pd.DataFrame  # (n_classes, n_features) the order that each class grew from
    base_concordance: float  # τ of the bases
    class_concordance: pd.Series[float]  # (n_classes,) τ within each class


def make_planted_orders(
    n_classes: int = 7,
    n_per_class: int = 20,
    n_extraneous: int = 4,
    n_redundant: int = 0,
    *,
    shuffle: bool = True,
    random_state: Any = None,
) -> PlantedOrders:
    """Classes that differ in the order of a few planted features, among features without information.

    The planted features are as few as have an order for each class (their number n₀ is the least
    with n₀! ≥ n_classes); each class has an order of its own.  An extraneous feature is inserted at
    a random place of each instance.  A redundant feature picks one of the features that are there
    and is inserted next to it, on a random side in each instance.

    Parameters
    ----------
    n_classes, n_per_class : int
        Classes (at least 2), and instances of each.
    n_extraneous, n_redundant : int
        Numbers of features to be added.
    shuffle : bool
        Put the columns in random order, so that ties by column do not favour the planted ones.
    random_state : None, int or Generator

    Returns
    -------
    PlantedOrders

    Notes
    -----
    Source: orders, section 5.1.

    Examples
    --------
    >>> data = make_planted_orders(3, 3, n_extraneous=2, n_redundant=1, random_state=0)
    >>> data.X.shape, data.planted, data.extraneous
    ((9, 6), ('planted_1', 'planted_2', 'planted_3'), ('extraneous_1', 'extraneous_2'))
    >>> data.recovery(data.planted)
    1.0
    """
    c = check_integer("n_classes", n_classes, low=2)
    size = check_integer("n_per_class", n_per_class, low=1)
    e = check_integer("n_extraneous", n_extraneous, low=0)
    r = check_integer("n_redundant", n_redundant, low=0)
    rng = random_numbers(random_state)
    n_planted = next(k for k in range(2, c + 2) if factorial(k) >= c)
    orders: dict[tuple[int, ...], None] = {}
    while len(orders) < c:
        orders[tuple(int(j) for j in rng.permutation(n_planted))] = None
    instances = [list(order) for order in orders for _ in range(size)]
    names = [f"planted_{i + 1}" for i in range(n_planted)]
    redundant: dict[str, str] = {}
    for i in range(e):
        _insert(instances, len(names), [int(rng.integers(len(names) + 1)) for _ in instances])
        names.append(f"extraneous_{i + 1}")
    for i in range(r):
        chosen = int(rng.integers(len(names)))
        sides = rng.integers(0, 2, len(instances))
        places = [row.index(chosen) + int(side) for row, side in zip(instances, sides, strict=True)]
        _insert(instances, len(names), places)
        redundant[f"redundant_{i + 1}"] = names[chosen]
        names.append(f"redundant_{i + 1}")
    # An order lists features from first to last; its inverse holds the rank of each feature.
    X = pd.DataFrame(np.argsort(np.array(instances), axis=1) + 1, columns=names)
    if check_flag("shuffle", shuffle):
        X = X.iloc[:, rng.permutation(len(names))]
    return PlantedOrders(
        X,
        _labels(c, size),
        tuple(names[:n_planted]),
        tuple(names[n_planted : n_planted + e]),
        redundant,
    )


def _insert(instances: list[list[int]], feature: int, places: list[int]) -> None:
    for instance, place in zip(instances, places, strict=True):
        instance.insert(place, feature)


def _labels(c: int, size: int) -> pd.Series[Any]:
    return pd.Series(np.repeat([f"C{k + 1}" for k in range(c)], size), name="class")


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
    low = check_real("min_concordance", min_concordance, high=1.0)
    high = check_real("max_concordance", max_concordance, high=1.0)
    if factorial(min(p, 20)) < c:
        raise ParameterError(
            f"{p} features have fewer orders than ", Use(n_classes=c), Remedy("take more features")
        )
    require_memory(
        16 * p * (p - 1),
        f"the pairs of {p:,} features",
        "every pair of features counts in a concordance: take fewer features",
    )
    rng = random_numbers(random_state)
    bases = _draw_bases(c, p, high, rng)
    groups = [_grow_class(base, size, low, rng) for base in bases]
    names = [f"x{j}" for j in range(p)]
    taus = [concordance_of_ranks(group) if size > 1 else 1.0 for group in groups]
    classes = pd.Index([f"C{k + 1}" for k in range(c)], name="class")
    return ConcordantOrders(
        X=pd.DataFrame(np.vstack(groups) + 1, columns=names),
        y=_labels(c, size),
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
        Param("max_concordance"),
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
