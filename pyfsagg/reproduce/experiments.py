"""How each published table was made: settings as data, and the function that repeats it once.

A repetition of a table on a data set gives one value for every cell: rows (filter, aggregator or
method) by measure.  The thesis readings are those of its R packages: FSelectorRcpp's MDL, praznik's
bins, ten bins of equal width for chi-squared, Canberra on ascending ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pyfsagg._target import Target, check_target
from pyfsagg._validation import Table, check_table
from pyfsagg.aggregator_influence import influence
from pyfsagg.ensemble import bam
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.filters import drop_near_zero_variance
from pyfsagg.resampling import canonical_order
from pyfsagg.unsupervised import evaluate_rankings

__all__ = ["EXPERIMENTS", "PAPERS", "Experiment", "find_experiment"]

PAPERS = ("thesis", "frcm")

PARITY = {"mdl": "fselectorrcpp"}
THESIS_FILTERS = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared")
LOCAL_NAMES = {"musk": "musk_v2"}
UNOBTAINABLE = {
    "philippine": "the data set could not be obtained",
    "indian_pines": "the data set could not be obtained",
}

Values = dict[tuple[str, str], float]
"""One repetition: (row, measure) -> value."""


@dataclass(frozen=True)
class Experiment:
    """A published table.

    Attributes
    ----------
    table : str
        As :func:`pyfsagg.load_published` names it.
    paper, caption : str
    row : str
        The column of the published file that names the rows.
    repeat : callable (table, target, settings, seed, n_jobs) -> dict
        One repetition.
    full, quick : mapping
        Settings; ``repetitions`` is how often the experiment is repeated.
    published_repetitions : int
        How many repetitions a printed value is the mean of.
    unit : float
        The last printed digit.
    what : str
        What a repetition is.
    renamed : mapping
        Our names of rows and measures that are printed under another.
    """

    table: str
    paper: str
    caption: str
    row: str
    repeat: Callable[..., Values]
    full: Mapping[str, Any]
    quick: Mapping[str, Any]
    published_repetitions: int
    unit: float
    what: str
    renamed: Mapping[str, str] = field(default_factory=dict)

    def settings(self, quick: bool) -> dict[str, Any]:
        return dict(self.quick if quick else self.full)


def _prepare(X: Any, y: Any, drop: bool) -> tuple[Table, Target]:
    table = check_table(X)
    target = check_target(y, table.n_samples)
    return (drop_near_zero_variance(table) if drop else table), target


def _two_thirds(table: Table, target: Target, seed: int) -> tuple[Table, Target]:
    """A stratified random two thirds of the rows."""
    rng = np.random.default_rng(seed)
    order = canonical_order(table, target)
    codes = target.codes[order]
    kept = [
        rng.permutation(order[codes == c])[: round(2 * int((codes == c).sum()) / 3)]
        for c in range(target.n_classes)
    ]
    rows = np.sort(np.concatenate(kept))
    return table.with_values(table.values[rows]), target.take(rows)


def stability_by_filter(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    """Thesis table 4.4: stability over the bootstraps of each filter and of all four (BAM)."""
    table, target = _prepare(X, y, drop=True)
    table, target = _two_thirds(table, target, seed)
    result = bam(
        table,
        target,
        filters=THESIS_FILTERS,
        filter_params={"information_gain": PARITY, "symmetric_uncertainty": PARITY},
        n_resamples=settings["n_resamples"],
        random_state=seed,
        n_jobs=n_jobs,
    )
    found = result.stability()
    return {
        (str(row), str(measure)): float(found.loc[row, measure])
        for row in found.index
        for measure in found.columns
    }


def _by_aggregator(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None, name: str
) -> Values:
    table, target = _prepare(X, y, drop=True)
    parity = {name: PARITY} if name == "information_gain" else {}
    # Scores of mRMR can be negative, which the geometric mean does not define.
    shift = {"geometric_mean": {"shift": "minimum"}} if name == "mrmr" else {}
    found = influence(
        table,
        target,
        filter=name,
        filter_params=parity,
        aggregator_params=shift,
        n_folds=settings["n_folds"],
        n_resamples=settings["n_resamples"],
        random_state=seed,
        n_jobs=n_jobs,
    ).table()
    return {
        (str(row), str(measure)): float(found.loc[measure, row])
        for row in found.columns
        for measure in found.index
    }


def stability_by_aggregator_information_gain(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    """Thesis table 4.5: stability over the folds of the ranking by each aggregator."""
    return _by_aggregator(X, y, settings, seed, n_jobs, "information_gain")


def stability_by_aggregator_mrmr(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    """Thesis table 4.6: the same for mRMR."""
    return _by_aggregator(X, y, settings, seed, n_jobs, "mrmr")


def clustering_on_selected(
    X: Any, y: Any, settings: Mapping[str, Any], seed: int, n_jobs: int | None
) -> Values:
    """One trial of Table 2 of the consensus affinity paper: k-means on the selected features."""
    trial = evaluate_rankings(
        X, y, n_trials=1, n_clusterings=settings["n_clusterings"], random_state=seed, n_jobs=n_jobs
    ).set_index("method")
    return {
        (str(row), measure): float(trial.loc[row, measure])
        for row in trial.index
        for measure in ("n_features", "nmi", "ari")
    }


_FOLDS = {"n_folds": 100, "n_resamples": 1000, "repetitions": 3}
_FEW_FOLDS = {"n_folds": 10, "n_resamples": 50, "repetitions": 3}
_NAMES = {"robust_rank_aggregation": "rra"}

EXPERIMENTS: dict[str, Experiment] = {
    each.table: each
    for each in (
        Experiment(
            "4.4",
            "thesis",
            "Stability over bootstraps, by filter",
            "method",
            stability_by_filter,
            {"n_resamples": 1000, "repetitions": 10},
            {"n_resamples": 60, "repetitions": 5},
            1,
            1e-6,
            "a random split of the rows",
            {"asd": "average_standard_deviation"},
        ),
        Experiment(
            "4.5",
            "thesis",
            "Stability over folds, by aggregator, information gain",
            "aggregator",
            stability_by_aggregator_information_gain,
            _FOLDS,
            _FEW_FOLDS,
            1,
            1e-6,
            "a random division into folds",
            _NAMES,
        ),
        Experiment(
            "4.6",
            "thesis",
            "Stability over folds, by aggregator, mRMR",
            "aggregator",
            stability_by_aggregator_mrmr,
            _FOLDS,
            _FEW_FOLDS,
            1,
            1e-6,
            "a random division into folds",
            _NAMES,
        ),
        Experiment(
            "frcm_2",
            "frcm",
            "Clustering on the features that are selected without labels",
            "method",
            clustering_on_selected,
            {"n_clusterings": 100, "repetitions": 40},
            {"n_clusterings": 100, "repetitions": 5},
            40,
            1e-3,
            "a trial with new clusterings",
            {"svd_entropy": "uff"},
        ),
    )
}


def find_experiment(table: str) -> Experiment:
    """The experiment behind a published table.

    Raises
    ------
    UnknownNameError
        For a table that is not repeated here.
    """
    if table not in EXPERIMENTS:
        raise UnknownNameError("published table with an experiment", table, EXPERIMENTS)
    return EXPERIMENTS[table]
