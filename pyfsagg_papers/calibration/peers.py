"""What is found, and how much of it is false, beside what users of other packages would take."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from pyfsagg.exceptions import MissingDependencyError
from pyfsagg.extending import ALONE
from pyfsagg.filters import information_gain
from pyfsagg.statistics import adjust_p_values
from pyfsagg_papers.calibration.design import Claim, calibrated
from pyfsagg_papers.calibration.shuffles import (
    FDR,
    OF_RELATED,
    Sample,
    _of,
    _tested,
    plain_tests,
    table_with_signal,
)

MOST_PERMUTED, MOST_WIDE = 200, 1_000
"""Columns up to which a forest is asked again for each that is permuted, and up to which knock-offs (with
their covariances) and IPSS are asked: beyond, a table takes minutes."""

WAYS = {
    "above noise": "selection (above noise)",
    "fdr": "error_control(fdr=0.1)",
    "plain": "Benjamini-Hochberg on plain tests",
    "gain": "information gain above 0",
    "boruta": "BorutaPy (forest of 100 trees, 50 rounds)",
    "knockoffs": "hidimstat.ModelXKnockoff (lasso, fdr=0.1)",
    "ipss": "ipss (lasso, fdr=0.1)",
    "stabs": "stabs::stabsel (lasso, PFER=1, cutoff=0.75)",
    "permuted": "permutation importance of a forest (above two standard deviations)",
}

TABLES = (
    "5 of 40", "20 of 60", "a giant and 9 of 60", "20 of 1,000", "5 of 20, 40 rows", "5 of 50, weak",
    "10 of 100, 1,000 rows, weak", "20 of 5,000", "blocks", "near copies", "mixed columns",
    "spread, not place", "a number", "survival",
)  # fmt: skip


@calibrated(
    "peers",
    *(Claim(f"{way}: related features", "power", 1.0, of=OF_RELATED) for way in WAYS.values()),
    *(
        Claim(f"{way}: share unrelated", "reference", FDR, of="the selected")
        for way in WAYS.values()
    ),
    designs=[{"table": table} for table in TABLES],
    runs=12,
)
def beside_other_packages(rng: np.random.Generator, table: str) -> tuple[float, ...]:
    """Tables of 40 to 1,000 rows and 20 to 5,000 columns: share of the related features that is found, and
    share of unrelated ones among the selected, by the default filters and by other packages with their
    defaults (levels as numbers if a package reads only numbers). In blocks of five (correlation 0.6)
    and of three near copies (0.95), all columns are related or none. Boruta, stabs (which bounds the
    number of false selections), information gain above 0 and permutation importance promise no rate. A
    package has no number if it does not know the kind of target, takes minutes for a wide table, or is
    not installed."""
    sample = table_with_signal(rng, table)
    seed = int(rng.integers(2**31))
    found = _tested(rng, sample, "default")
    selected: dict[str, Any] = {
        "above noise": found.above,
        "fdr": found.limited("fdr", FDR).support,
        "plain": adjust_p_values(plain_tests(sample), "bh") <= FDR,
    }
    with ALONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for way, select in PEERS.items():
            selected[way] = select(_as_numbers(sample), sample, seed)
    rates = [
        (np.nan, np.nan) if chosen is None else _of(np.asarray(chosen, dtype=bool), sample.related)
        for chosen in selected.values()
    ]
    return (*(found for found, _ in rates), *(false for _, false in rates))


def _as_numbers(sample: Sample) -> np.ndarray:
    numbers = sample.X.apply(
        lambda column: column.cat.codes if column.dtype == "category" else column
    )
    return np.asarray(numbers, dtype=float)


def _task(sample: Sample) -> str:
    return str(sample.options.get("task", "classification"))


def _gain(X: np.ndarray, sample: Sample, seed: int) -> Any:
    return information_gain(sample.X, sample.y) > 0.0 if _task(sample) == "classification" else None


def _boruta(X: np.ndarray, sample: Sample, seed: int) -> Any:
    if find_spec("boruta") is None or _task(sample) == "survival":
        return None
    from boruta import BorutaPy
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    forest = RandomForestRegressor if _task(sample) == "regression" else RandomForestClassifier
    boruta = BorutaPy(
        forest(n_jobs=1, max_depth=5), n_estimators=100, max_iter=50, random_state=seed
    )
    return boruta.fit(X, np.asarray(sample.y)).support_


def _knockoffs(X: np.ndarray, sample: Sample, seed: int) -> Any:
    if find_spec("hidimstat") is None or _task(sample) == "survival" or X.shape[1] > MOST_WIDE:
        return None
    from hidimstat import ModelXKnockoff

    knockoffs = ModelXKnockoff(random_state=seed)
    knockoffs.fit_importance(X, np.asarray(sample.y, dtype=float))
    return np.asarray(knockoffs.fdr_selection(FDR)) > 0


def _ipss(X: np.ndarray, sample: Sample, seed: int) -> Any:
    if find_spec("ipss") is None or _task(sample) == "survival" or X.shape[1] > MOST_WIDE:
        return None
    from ipss import ipss

    np.random.seed(seed % 2**32)  # noqa: NPY002 - the package knows no other generator
    chosen = ipss(X, np.asarray(sample.y, dtype=float), selector="l1", target_fdr=FDR)
    return np.isin(np.arange(X.shape[1]), chosen["selected_features"])


FAMILIES = {"classification": "binomial", "regression": "gaussian", "survival": "cox"}
STABSEL = """function(x, y, family, seed) {
  set.seed(seed)
  colnames(x) <- paste0("x", seq_len(ncol(x)))
  if (family == "cox") colnames(y) <- c("time", "status") else y <- drop(y)
  fit <- list(family = family)
  stabs::stabsel(x, y, stabs::glmnet.lasso, fit, cutoff = 0.75, PFER = 1, papply = lapply)$selected
}"""


def _stabs(X: np.ndarray, sample: Sample, seed: int) -> Any:
    try:
        from pyfsagg_rpy2.conversion import to_matrix
        from pyfsagg_rpy2.session import environment, require

        require("stabs")
        require("glmnet")
    except (ImportError, MissingDependencyError):
        return None
    y = np.asarray(sample.y, dtype=float).reshape(len(X), -1)
    stabsel = environment().r(STABSEL)
    chosen = stabsel(to_matrix(X), to_matrix(y), FAMILIES[_task(sample)], seed)
    return np.isin(np.arange(X.shape[1]), np.asarray(chosen) - 1)


def _permuted(X: np.ndarray, sample: Sample, seed: int) -> Any:
    if X.shape[1] > MOST_PERMUTED or _task(sample) == "survival":
        return None
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    y, numbers = np.asarray(sample.y), _task(sample) == "regression"
    parts = train_test_split(
        X, y, test_size=1 / 3, stratify=None if numbers else y, random_state=seed
    )
    forest = RandomForestRegressor if numbers else RandomForestClassifier
    fitted = forest(200, n_jobs=1, random_state=seed).fit(parts[0], parts[2])
    drop = permutation_importance(fitted, parts[1], parts[3], n_repeats=10, random_state=seed)
    return np.asarray(drop.importances_mean > 2.0 * drop.importances_std)


PEERS: dict[str, Callable[[np.ndarray, Sample, int], Any]] = {
    "gain": _gain,
    "boruta": _boruta,
    "knockoffs": _knockoffs,
    "ipss": _ipss,
    "stabs": _stabs,
    "permuted": _permuted,
}
