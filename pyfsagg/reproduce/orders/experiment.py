"""What the experiments of the rank-order paper have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from pyfsagg._base.remarks import set_aside
from pyfsagg.rank_order._result import Elimination
from pyfsagg.rank_order.elimination import eliminate

__all__ = [
    "CURVES",
    "Experiment",
    "Finding",
    "curve_of",
    "eliminated",
    "mean_curves",
    "path_means",
    "to_words",
]

CURVES: dict[str, dict[str, Any]] = {
    "cdv": {"method": "cdv"},
    "cdv_relative": {"method": "cdv", "method_params": {"center_distance": "relative"}},
    "spoilers": {"method": "spoilers"},
    "greedy_kl": {"method": "greedy_kl"},
    "koller_sahami": {"method": "koller_sahami"},
}
"""What is compared: the four methods of the paper, and CDV with relative distances."""


@dataclass(frozen=True)
class Finding:
    """A statement of the paper, whether it holds on our data, and the numbers that decide it."""

    statement: str
    holds: bool
    evidence: str


@dataclass(frozen=True, eq=False)
class Experiment:
    """Curves and findings of one figure.

    Attributes
    ----------
    name, title : str
    measure : {"divergence", "accuracy"}
        The measure of the figure.
    curves : DataFrame
        ``panel``, ``method``, ``removed``, ``size``, ``divergence`` (nats), ``accuracy``; means over
        the samples of generated data.
    baseline : DataFrame or None
        Random subsets (``panel``, ``size``, mean and band), on real data.
    findings : tuple of Finding
    parameters : dict
    """

    name: str
    title: str
    measure: str
    curves: pd.DataFrame
    baseline: pd.DataFrame | None
    findings: tuple[Finding, ...]
    parameters: dict[str, Any]

    def to_json(self) -> str:
        """Parameters and findings as JSON text."""
        document = {
            "kind": "rank_order_experiment",
            "name": self.name,
            "title": self.title,
            "parameters": self.parameters,
            "findings": [vars(finding) for finding in self.findings],
        }
        return json.dumps(document, indent=1, ensure_ascii=False)


def eliminated(X: Any, y: Any, method: str, **options: Any) -> Elimination:
    """By a method of ``CURVES``, without advice on the scale of the data: those of the paper are known."""
    with set_aside():
        return eliminate(X, y, **CURVES[method], **options)


def curve_of(result: Elimination, panel: str, method: str) -> pd.DataFrame:
    frame: pd.DataFrame = result.to_frame()[["size", "divergence", "accuracy"]].assign(
        panel=panel, method=method
    )
    return frame.reset_index(names="removed")


def mean_curves(rows: list[pd.DataFrame]) -> pd.DataFrame:
    keys = ["panel", "method", "removed"]
    return pd.concat(rows).groupby(keys, sort=False).mean().reset_index()


def path_means(curves: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean over the path, panels by methods."""
    return curves.pivot_table(index="panel", columns="method", values=column, sort=False)


def to_words(values: Mapping[Any, Any] | pd.Series[Any] | pd.DataFrame) -> str:
    """Numbers by name; those of a table row by row."""
    if isinstance(values, pd.DataFrame):
        return "; ".join(f"{panel}: {to_words(row)}" for panel, row in values.iterrows())
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())
