"""What is found, and how much of it is false, beside what users of other packages would take."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from pyfsagg.error_control import benjamini_hochberg
from pyfsagg_papers.calibration.design import Claim, calibrated
from pyfsagg_papers.calibration.shuffles import (
    FDR,
    OF_RELATED,
    _of,
    _tested,
    plain_tests,
    table_with_signal,
)

MOST_PERMUTED = 200
"""Columns up to which a forest is asked again for each that is permuted: of 1,000 it takes minutes."""

WAYS = {
    "above noise": "selection (above noise)",
    "fdr": "error_control(fdr=0.1)",
    "plain": "Benjamini-Hochberg on plain tests",
    "boruta": "BorutaPy (forest of 100 trees, 50 rounds)",
    "knockoffs": "hidimstat.ModelXKnockoff (lasso, fdr=0.1)",
    "permuted": "permutation importance of a forest (above two standard deviations)",
}


@calibrated(
    "peers",
    *(Claim(f"{way}: related features", "power", 1.0, of=OF_RELATED) for way in WAYS.values()),
    *(
        Claim(f"{way}: share unrelated", "reference", FDR, of="the selected")
        for way in WAYS.values()
    ),
    designs=[
        {"table": table} for table in ("5 of 40", "20 of 60", "a giant and 9 of 60", "20 of 1,000")
    ],
    runs=20,
)
def beside_other_packages(rng: np.random.Generator, table: str) -> tuple[float, ...]:
    """The tables of the topic proposal: which share of the related features is found, and which share of what
    is selected is unrelated, by the default filters and by what users of other packages would take, as they
    come. Boruta and the permutation importance promise no rate; the latter is left out of wide tables.
    Without the packages Boruta and hidimstat their numbers are missing."""
    sample = table_with_signal(rng, table)
    seed = int(rng.integers(2**31))
    found = _tested(rng, sample, "default")
    X, y = sample.X.to_numpy(dtype=float), np.asarray(sample.y)
    selected: dict[str, Any] = {
        "above noise": found.above,
        "fdr": found.limited("fdr", FDR).support,
        "plain": benjamini_hochberg(plain_tests(sample)) <= FDR,
        "boruta": _boruta(X, y, seed),
        "knockoffs": _knockoffs(X, y, seed),
        "permuted": _permuted(X, y, seed),
    }
    rates = [
        (np.nan, np.nan) if support is None else _of(np.asarray(support), sample.related)
        for support in selected.values()
    ]
    return (*(found for found, _ in rates), *(false for _, false in rates))


def _boruta(X: np.ndarray, y: np.ndarray, seed: int) -> Any:
    if find_spec("boruta") is None:
        return None
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_jobs=1, max_depth=5)
    return BorutaPy(forest, n_estimators=100, max_iter=50, random_state=seed).fit(X, y).support_


def _knockoffs(X: np.ndarray, y: np.ndarray, seed: int) -> Any:
    if find_spec("hidimstat") is None:
        return None
    from hidimstat import ModelXKnockoff

    knockoffs = ModelXKnockoff(random_state=seed)
    knockoffs.fit_importance(X, y.astype(float))
    return np.asarray(knockoffs.fdr_selection(FDR)) > 0


def _permuted(X: np.ndarray, y: np.ndarray, seed: int) -> Any:
    if X.shape[1] > MOST_PERMUTED:
        return None
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    parts = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=seed)
    forest = RandomForestClassifier(200, n_jobs=1, random_state=seed).fit(parts[0], parts[2])
    drop = permutation_importance(forest, parts[1], parts[3], n_repeats=10, random_state=seed)
    return np.asarray(drop.importances_mean > 2.0 * drop.importances_std)
