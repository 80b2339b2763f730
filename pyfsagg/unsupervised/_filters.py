"""The rankings without labels as filters: they look at the features only, whatever the target.

A row that a resample holds twice counts as two samples at distance 0: consensus affinity, views and
neighbourhoods are those of the table with its rows so repeated.
"""

from __future__ import annotations

from typing import Any

from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.filters._base import FILTERS, FilterSpec, Scorer
from pyfsagg.filters.model import prepare_callable
from pyfsagg.unsupervised._input import check_numbers

__all__: list[str] = []


def _add(name: str, aliases: tuple[str, ...], summary: str, bounds: str, source: str) -> None:
    def prepare(table: Table, target: Target, **options: Any) -> Scorer:
        from pyfsagg.unsupervised.methods import UnsupervisedFilter  # brings scikit-learn along

        check_numbers(table)
        return prepare_callable(table, target, UnsupervisedFilter(name, options))

    FILTERS.add(
        FilterSpec(
            name=name,
            aliases=aliases,
            summary=summary,
            prepare=prepare,
            output="callable",
            bounds=bounds,
            source=source,
            accepts_missing=lambda parameters: False,
            targets=("classes", "numeric", "none"),
        )
    )


_add(
    "frcm",
    ("consensus_affinity",),
    "Agreement of the feature's affinities with an ensemble of clusterings (no labels)",
    "(-inf, 1]",
    "frcm eq. 7, 11 and 12",
)
_add(
    "laplacian_score",
    ("laplacian",),
    "How well the feature respects the nearest neighbours (no labels)",
    "[-1, 1]",
    "He, Cai and Niyogi (2005), NIPS 18",
)
_add(
    "svd_entropy",
    ("uff",),
    "How much the feature adds to the entropy of the singular values (no labels)",
    "(-inf, inf)",
    "Varshavsky et al. (2006), Bioinformatics 22(14)",
)
_add(
    "frmv",
    (),
    "Relevance to clusterings of many views of the features (no labels)",
    "(-inf, inf)",
    "Hong et al. (2008), Pattern Recognition Letters 29(5)",
)
