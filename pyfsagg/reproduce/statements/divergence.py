"""Statements of the rank-order paper on the orders that its figure 5 prints."""

from __future__ import annotations

import itertools
import math
from functools import cache

import pandas as pd

from pyfsagg._base.remarks import set_aside
from pyfsagg.datasets._loaders import data_folder
from pyfsagg.rank_order import subset_divergence
from pyfsagg.reproduce.statements.data import Claim, Outcome, Tables, Variant, agrees, outcome

__all__ = ["divergence", "highest_divergence", "zero_divergence"]

FEATURES = "abcdef"


@cache
def _orders() -> tuple[pd.DataFrame, pd.Series[str]]:
    """Positions of the features (1 = first), and classes."""
    printed = pd.read_csv(data_folder() / "published" / "orders_figure_5.csv")
    ranks = [[order.index(name) + 1 for name in FEATURES] for order in printed["order"]]
    return pd.DataFrame(ranks, columns=list(FEATURES)), printed["class"]


@cache
def _divergence(kept: str, unit: str = "nats") -> float:
    X, y = _orders()
    with set_aside():  # positions are on one scale
        return subset_divergence(X, y, list(kept), unit=unit)


def _without(removed: str) -> str:
    return "".join(name for name in FEATURES if name not in removed)


def _is_free(removed: tuple[str, ...]) -> bool:
    return _divergence(_without("".join(removed))) == 0.0


def divergence(claim: Claim, own: Tables) -> Outcome:
    """The features named are kept, or removed; in nats, or in bits."""
    named = claim.settings["features"]
    variants = [
        Variant(
            f"the features are {role}, {unit}",
            math.nan,
            value := _divergence(kept, unit),
            agrees(claim.published, value),
            (role, unit) == ("kept", "nats"),
        )
        for role, kept in (("kept", named), ("removed", _without(named)))
        for unit in ("nats", "bits")
    ]
    evidence = "; ".join(f"{each.test}: {each.value:.4f}" for each in variants)
    return outcome(variants, evidence, "divergence")


def highest_divergence(claim: Claim, own: Tables) -> Outcome:
    """The subset has the highest divergence of all of some sizes, when kept or when removed."""
    named = claim.settings["features"]
    variants, evidence = [], []
    for role in ("kept", "removed"):
        values = {
            subset: _divergence("".join(subset) if role == "kept" else _without("".join(subset)))
            for size in claim.settings["sizes"]
            for subset in itertools.combinations(FEATURES, size)
        }
        top = max(values, key=lambda subset: values[subset])
        holds = values[tuple(named)] >= values[top]
        variants.append(
            Variant(f"the features are {role}, nats", math.nan, values[tuple(named)], holds,
                    role == "kept")
        )  # fmt: skip
        evidence.append(
            f"{role}: {values[tuple(named)]:.4f}, the highest is {values[top]:.4f} for "
            f"({', '.join(top)})"
        )
    return outcome(variants, "; ".join(evidence), "divergence")


def zero_divergence(claim: Claim, own: Tables) -> Outcome:
    """How many sets, or orders of removal, cost nothing."""

    def sets(size: int) -> int:
        return sum(_is_free(subset) for subset in itertools.combinations(FEATURES, size))

    def paths(size: int) -> int:
        """Orders of removal whose every step costs nothing."""
        return sum(
            all(_is_free(path[:step]) for step in range(1, size + 1))
            for path in itertools.permutations(FEATURES, size)
        )

    counts = {
        "single features": [("sets", sets(1))],
        "triples": [("sets", sets(3))],
        "paths of two": [("orders of removal", paths(2)), ("sets", sets(2))],
        "paths of three": [("orders of removal", paths(3)), ("sets", sets(3))],
    }[claim.settings["count"]]
    variants = [
        Variant(name, math.nan, float(count), agrees(claim.published, count), position == 0)
        for position, (name, count) in enumerate(counts)
    ]
    return outcome(variants, "; ".join(f"{name}: {count}" for name, count in counts), "count")
