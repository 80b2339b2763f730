"""How each published table was made: settings as data, and the function that repeats it once.

A repetition of a table on a data set gives one value for every cell: rows (filter, aggregator or
method) by measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyfsagg.exceptions import UnknownNameError
from pyfsagg_papers.orders.genes import genes_left, orders_of_removal
from pyfsagg_papers.tables.fpcps import AS_READ as OF_FPCPS
from pyfsagg_papers.tables.fpcps import auc_on_selected, tanimoto_of_aggregators
from pyfsagg_papers.tables.frcm import AS_READ as OF_FRCM
from pyfsagg_papers.tables.frcm import clustering_on_selected
from pyfsagg_papers.tables.thesis import (
    BY_AGGREGATOR_AS_READ,
    BY_FILTER_AS_READ,
    stability_by_aggregator_information_gain,
    stability_by_aggregator_mrmr,
    stability_by_filter,
    weighted_accuracy,
)

PAPERS = ("thesis", "fpcps", "frcm", "orders")


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """A published table.

    Attributes
    ----------
    table : str
        As :func:`pyfsagg_papers.load_published` names it.
    paper, caption : str
    repeat : callable (X, y, settings, seed, n_jobs) -> {(row, measure): value}
        One repetition.
    prepare : callable (X, y, settings, n_jobs) -> dict, optional
        What all repetitions share and no seed changes (values that JSON can hold); `repeat` is given
        it as a last argument.
    full, quick : mapping
        Settings; ``repetitions`` is how often the experiment is repeated.
    published_repetitions : int
        How many repetitions a printed value is the mean of.
    unit : float
        The last printed digit.
    what : str
        What a repetition is.
    readings : tuple of str
        How it was read where the paper is silent or two readings exist.
    renamed : mapping
        Our names of rows and measures that are printed under another.
    quick_remark : str
        Where the quick settings do not only widen the limits but move the values.
    """

    table: str
    paper: str
    caption: str
    repeat: Callable[..., dict[tuple[str, str], float]]
    full: Mapping[str, Any]
    quick: Mapping[str, Any]
    published_repetitions: int
    unit: float
    what: str
    prepare: Callable[..., dict[str, Any]] | None = None
    readings: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    quick_remark: str = ""

    def settings(self, quick: bool) -> dict[str, Any]:
        return dict(self.quick if quick else self.full)


_FOLDS = {**BY_AGGREGATOR_AS_READ, "n_folds": 100, "n_resamples": 1000, "repetitions": 3}
_FEW_FOLDS = {**BY_AGGREGATOR_AS_READ, "n_folds": 10, "n_resamples": 50, "repetitions": 3}
_FEW_FOLDS_REMARK = (
    "Quick settings leave out a tenth of the rows in each fold, not a hundredth, and aggregate few "
    "resamples: our values are then less stable than the printed ones, and “outside” says little. "
    "Only the full settings decide these cells."
)
_R = "filters as in the R packages: FSelectorRcpp's MDL, praznik's bins, ten bins for chi-squared"
_BY_AGGREGATOR: dict[str, Any] = {
    "paper": "thesis",
    "full": _FOLDS,
    "quick": _FEW_FOLDS,
    "published_repetitions": 1,
    "unit": 1e-6,
    "what": "a random division into folds",
    "readings": (
        _R,
        "Stuart exactly, not by the alternating recursion",
        "Canberra on ranks with 1 = best, near which the printed values are (in table 4.4: 1 = worst)",
    ),
    "renamed": {"robust_rank_aggregation": "rra"},
    "quick_remark": _FEW_FOLDS_REMARK,
}
_ATTRIBUTES = {**OF_FPCPS, "share": 0.15}
_FPCPS = (
    "every split keeps 15 % of the attributes; the paper has 10 to 25 %, by a rule that it does not "
    "give",
    "the value difference metric over ten bins of equal width; equal scores in random order",
)
_WEKA = {"most_neighbours": 1, "n_inner_folds": 5, "n_trees": 10}

EXPERIMENTS: dict[str, Experiment] = {
    each.table: each
    for each in (
        Experiment(
            table="4.3",
            paper="thesis",
            caption="Weighted average accuracy of classifiers, by filter",
            repeat=weighted_accuracy,
            full={"n_resamples": 1000, "n_trees": 500, "repetitions": 3},
            quick={"n_resamples": 30, "n_trees": 30, "repetitions": 3},
            published_repetitions=1,
            unit=1e-9,
            what="a random split of the rows, and of its test part into folds",
            readings=(_R, "logistic regression without penalty, as R's glm"),
        ),
        Experiment(
            table="4.4",
            paper="thesis",
            caption="Stability over bootstraps, by filter",
            repeat=stability_by_filter,
            full={**BY_FILTER_AS_READ, "n_resamples": 1000, "repetitions": 10},
            quick={**BY_FILTER_AS_READ, "n_resamples": 60, "repetitions": 5},
            published_repetitions=1,
            unit=1e-6,
            what="a random split of the rows",
            readings=(_R, "Canberra on ascending ranks"),
            renamed={"asd": "average_standard_deviation"},
        ),
        Experiment(
            table="4.5",
            caption="Stability over folds, by aggregator, information gain",
            repeat=stability_by_aggregator_information_gain,
            **_BY_AGGREGATOR,
        ),
        Experiment(
            table="4.6",
            caption="Stability over folds, by aggregator, mRMR",
            repeat=stability_by_aggregator_mrmr,
            **_BY_AGGREGATOR,
        ),
        Experiment(
            table="fpcps_1",
            paper="fpcps",
            caption="Stability over splits, by aggregator",
            repeat=tanimoto_of_aggregators,
            full={**_ATTRIBUTES, "n_splits": 10, "repetitions": 10},
            quick={**_ATTRIBUTES, "n_splits": 10, "repetitions": 3},
            published_repetitions=1,
            unit=1e-3,
            what="ten random splits into 60 % and 40 %, and the 45 pairs of them",
            readings=_FPCPS,
        ),
        Experiment(
            table="fpcps_2",
            paper="fpcps",
            caption="Area under the ROC curve on Madelon, by classifier",
            repeat=auc_on_selected,
            full={**_ATTRIBUTES, **_WEKA, "repetitions": 40},
            quick={**_ATTRIBUTES, **_WEKA, "repetitions": 10},
            published_repetitions=10,
            unit=1e-3,
            what="a random split into 60 % and 40 %; printed are means of ten",
            readings=(
                *_FPCPS,
                "classifiers with the defaults of Weka: one neighbour, ten trees, a linear support "
                "vector machine that votes for classes",
            ),
        ),
        Experiment(
            table="frcm_2",
            paper="frcm",
            caption="Clustering on the features that are selected without labels",
            repeat=clustering_on_selected,
            full={**OF_FRCM, "n_clusterings": 100, "repetitions": 40},
            quick={**OF_FRCM, "n_clusterings": 100, "repetitions": 5},
            published_repetitions=40,
            unit=1e-3,
            what="a trial with new clusterings",
            readings=(
                "the Laplacian score over five Euclidean neighbours, with a heat kernel as wide as the mean "
                "squared distance of neighbours; small is important",
            ),
            renamed={"svd_entropy": "uff"},
        ),
        Experiment(
            table="orders_genes",
            paper="orders",
            caption="Accuracy of naive Bayes on the genes that are kept",
            repeat=genes_left,
            prepare=orders_of_removal,
            full={"n_subsets": 100, "repetitions": 10},
            quick={"n_subsets": 5, "repetitions": 8},
            published_repetitions=1,
            unit=1e-2,
            what="a random division into five folds",
            readings=("equal values of a sample share their rank",),
        ),
    )
}


def find_experiment(table: str) -> Experiment:
    """The experiment behind a published table."""
    if table not in EXPERIMENTS:
        raise UnknownNameError("published table with an experiment", table, EXPERIMENTS)
    return EXPERIMENTS[table]
