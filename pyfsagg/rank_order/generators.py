"""Synthetic orders with a known answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import RandomState
from pyfsagg._base.validation import check_flag, check_integer, random_numbers


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


def make_planted_orders(
    n_classes: int = 7,
    n_per_class: int = 20,
    n_extraneous: int = 4,
    n_redundant: int = 0,
    *,
    shuffle: bool = True,
    random_state: RandomState = None,
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
        Put the columns in random order, so ties by column do not favour the planted ones.
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
    y = pd.Series(np.repeat([f"C{k + 1}" for k in range(c)], size), name="class")
    planted, extraneous = names[:n_planted], names[n_planted : n_planted + e]
    return PlantedOrders(X, y, tuple(planted), tuple(extraneous), redundant)


def _insert(instances: list[list[int]], feature: int, places: list[int]) -> None:
    for instance, place in zip(instances, places, strict=True):
        instance.insert(place, feature)
