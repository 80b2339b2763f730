"""The methods of elimination by name, and how long they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from pyfsagg._base.checks import check_choice, check_integer
from pyfsagg._base.registry import Registry, Spec
from pyfsagg._base.settings import Settings
from pyfsagg.exceptions import InputTypeError, UnknownNameError
from pyfsagg.rank_order._engine import Strategy
from pyfsagg.rank_order._orders import Orders
from pyfsagg.rank_order.cdv import CentreSettings, CentreStrategy
from pyfsagg.rank_order.greedy_kl import GreedyStrategy
from pyfsagg.rank_order.koller_sahami import BlanketSettings, BlanketStrategy
from pyfsagg.rank_order.spoilers import SpoilerStrategy

__all__ = [
    "ELIMINATIONS",
    "EliminationSpec",
    "estimate_seconds",
    "find_elimination",
    "list_eliminations",
]


@dataclass(frozen=True, eq=False)
class NoSettings(Settings):
    """Of a method that has none."""

    kind: ClassVar[str] = "this method"


@dataclass(frozen=True, kw_only=True)
class EliminationSpec(Spec):
    """A registered method of elimination.

    `formula`, `bounds` and `higher_is_better` are about its criterion: what it weighs of a feature f
    among the features F that are present.

    `title` is its name in pictures, `criterion` that of its criterion.  `build(orders, **taken)`
    returns a :class:`Strategy`; it takes the `settings` of the method (``method_params`` of
    :func:`~pyfsagg.rank_order.eliminate`) by name, and what `takes` names of ``n_jobs`` and
    ``priority``, an array (n_features,) whose largest entry among equally good features says which
    one goes.
    `seconds(n_samples, n_features, n_classes)` estimates the time of a run on one core.
    """

    title: str
    criterion: str
    build: Callable[..., Strategy]
    settings: type[Settings] = NoSettings
    takes: tuple[str, ...] = ()
    seconds: Callable[[int, int, int], float]

    def strategy(self, orders: Orders, settings: Settings, **given: Any) -> Strategy:
        """The method with its settings, for some orders."""
        own = {name: getattr(settings, name) for name in settings.names()}
        return self.build(orders, **own, **{name: given[name] for name in self.takes})


ELIMINATIONS = Registry("elimination", EliminationSpec, group="pyfsagg.eliminations")


def list_eliminations() -> pd.DataFrame:
    """The methods of :func:`~pyfsagg.rank_order.eliminate` by name.

    ``formula``, ``bounds`` and ``higher_is_better`` (kept longer) are about the criterion.

    Examples
    --------
    >>> list_eliminations().loc["cdv", "options"]
    'center_distance'
    """
    frame = ELIMINATIONS.to_frame("latex", "title", "build", "seconds", "settings", "takes")
    return frame.assign(options=[", ".join(spec.settings.names()) for spec in ELIMINATIONS])


def find_elimination(method: str) -> EliminationSpec:
    """The method of that name; the error lists all of them."""
    try:
        return ELIMINATIONS.get(method)
    except (UnknownNameError, InputTypeError):
        check_choice("method", method, ELIMINATIONS.names())
        raise


def estimate_seconds(method: str, n_samples: int, n_features: int, n_classes: int = 2) -> float:
    """Estimate the time of a complete elimination on one core, in seconds.

    The order of magnitude is meant: data with many ties or near-equal rank sums take longer, more
    cores less.

    Parameters
    ----------
    method : str
        A name in :func:`list_eliminations`.
    n_samples, n_features, n_classes : int

    Examples
    --------
    >>> estimate_seconds("spoilers", 72, 7129) < 60
    True
    >>> estimate_seconds("cdv", 72, 100_000) > 3600
    True
    """
    return find_elimination(method).seconds(
        check_integer("n_samples", n_samples, low=1),
        check_integer("n_features", n_features, low=1),
        check_integer("n_classes", n_classes, low=1),
    )


# Seconds, measured with benchmarks/bench_rank_order.py on one core of a shared server; rounded up.
def _spoiler_seconds(n: int, p: int, c: int) -> float:
    return 1.0e-9 * n * p**2


def _greedy_seconds(n: int, p: int, c: int) -> float:
    return 1.0e-9 * n * p**2 + 0.12e-9 * n**2 * p**2 / 2.0  # words of 64 features


def _centre_seconds(n: int, p: int, c: int) -> float:
    return 1.0e-9 * n * p**2 + 1.0e-9 * c * p**3 / 3.0  # average data


def _blanket_seconds(n: int, p: int, c: int) -> float:
    return 5.0e-9 * n * p**2


_TIES = "equal values in a sample by ties=, equally good features by tie_break="
ELIMINATIONS.add(
    EliminationSpec(
        name="cdv",
        summary="removes the feature without which the distances of the class centres stay nearest",
        formula="root of sum over pairs of classes of (d(F - f) - d(all))^2, d the squared Spearman "
        "distance of two class centres; center_distance='relative': as shares of the largest d",
        latex=r"\sqrt{\sum_{a < b} \left( d_{ab}(F - f) - d_{ab}(\text{all}) \right)^2}",
        bounds="[0, inf)",
        ties=_TIES,
        source="orders, section 4",
        title="CDV",
        criterion="Change of the distances between the class centres, from those of all features",
        build=CentreStrategy,
        settings=CentreSettings,
        takes=("n_jobs",),
        seconds=_centre_seconds,
    ),
    EliminationSpec(
        name="spoilers",
        summary="removes the feature with most inversions inside the classes",
        formula="sum over classes and features g in F of B(f, g) B(g, f), B(f, g) the number of "
        "instances with f before g",
        latex=r"\sum_{c} \sum_{g \in F} B_c(f, g) \, B_c(g, f)",
        bounds="[0, inf)",
        higher_is_better=False,
        ties=_TIES,
        source="orders, section 4, definitions 8 and 9",
        title="Spoilers",
        criterion="Inversions within the classes that the feature takes part in",
        build=SpoilerStrategy,
        takes=("n_jobs",),
        seconds=_spoiler_seconds,
    ),
    EliminationSpec(
        name="greedy_kl",
        summary="removes the feature without which the subset divergence is least",
        formula="H(class | order of F - f) - H(class | order of all features)",
        latex=r"H(Y \mid \text{order of } F - f) - H(Y \mid \text{order of all features})",
        bounds="[0, H(class)], nats",
        ties=_TIES + "; divergences within 1e-12 nats are equal",
        source="orders, section 4, definition 3",
        title="Greedy KL",
        criterion="Divergence without the feature, in nats",
        build=GreedyStrategy,
        seconds=_greedy_seconds,
    ),
    EliminationSpec(
        name="koller_sahami",
        summary="removes the feature that adds least to its approximate Markov blanket",
        formula="H(class | order of M) - H(class | order of M + f), M the blanket of f in F",
        latex=r"H(Y \mid \text{order of } M) - H(Y \mid \text{order of } M + f)",
        bounds="[0, H(class)], nats",
        ties=_TIES,
        source="orders, section 4, after Koller and Sahami",
        title="Koller–Sahami",
        criterion="What the feature adds to its blanket, in nats",
        build=BlanketStrategy,
        settings=BlanketSettings,
        takes=("priority", "n_jobs"),
        seconds=_blanket_seconds,
    ),
)
