"""The rankings without labels as filters: they look at the features only, and ignore the target.

A row that a resample holds twice counts as two samples at distance 0: consensus affinity, views and
neighbourhoods are those of the table with its rows so repeated.
"""

from dataclasses import fields
from typing import Any

from pyfsagg._base.registry import Spec
from pyfsagg._table.table import Table
from pyfsagg._table.target import Target
from pyfsagg.filters._base import FILTERS, FilterSpec, Scorer, never
from pyfsagg.filters.model import prepare_callable
from pyfsagg.unsupervised.registry import UNSUPERVISED_METHODS, UnsupervisedSpec


def _as_filter(spec: UnsupervisedSpec) -> FilterSpec:
    def prepare(table: Table, target: Target, **options: Any) -> Scorer:
        """Bind a ranking without labels to `table`.

        Parameters
        ----------
        **options
            Options of the function of that name in :mod:`pyfsagg.unsupervised`.
        """
        from pyfsagg.unsupervised.clusterings import check_numbers  # bring scikit-learn along
        from pyfsagg.unsupervised.methods import UnsupervisedFilter

        check_numbers(table)
        return prepare_callable(table, target, UnsupervisedFilter(spec.name, options))

    return FilterSpec(
        **{field.name: getattr(spec, field.name) for field in fields(Spec)},
        prepare=prepare,
        output="callable",
        accepts_missing=never,
        targets=("classes", "numeric", "survival", "none"),
    )


UNSUPERVISED_METHODS.feed(FILTERS, _as_filter)
