"""Filters: FSelectorRcpp, praznik, mRMRe, and base R where it has the statistic."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import r_bridge.association as mrmre
import r_bridge.entropy as fselectorrcpp
import r_bridge.mutual_information as praznik
from pyfsagg.discretization import discretize
from pyfsagg.filters import mrmr
from r_bridge import correlation
from r_bridge.comparisons._base import CLOSED_FORM, SAME, Case, Tolerance, compare
from r_bridge.comparisons._material import Material, Resampled

__all__: list[str] = []

ENTROPY = Tolerance(
    1e-9,
    "absolute",
    "entropies in nats are sums of a few hundred terms, whose order differs",
)
CUTS = Tolerance(1e-12, "absolute", "a cut is the mean of two neighbouring values of the data")


# ---------------------------------------------------------------------------------------------
# FSelectorRcpp
# ---------------------------------------------------------------------------------------------
@compare(
    "mdl_cut_points",
    "FSelectorRcpp",
    "cut points of the MDL discretisation",
    ours="discretize(X, y, mdl='fselectorrcpp').cutpoints",
    theirs="discretize(x, y)",
    tolerance=CUTS,
)
def _cut_points(material: Material) -> Iterator[Case]:
    for table in material.tables:
        for label, X, y, _ in table.resamples():
            found = discretize(X, y, mdl="fselectorrcpp").cutpoints
            theirs = fselectorrcpp.cut_points(X, y)
            for name, cuts in theirs.items():
                # A different number of cuts shows as values that one side lacks.
                size = max(len(cuts), len(found[name]), 1)
                yield Case(f"{label}, {name}", _padded(found[name], size), _padded(cuts, size))


def _padded(values: object, size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    padded = np.full(size, np.nan)
    array = np.asarray(values, dtype=np.float64)
    padded[: len(array)] = array
    return padded


def _entropy_cases(material: Material, filter: str, kind: fselectorrcpp.Type) -> Iterator[Case]:
    for table in material.tables:
        ours = table.scores(filter, mdl="fselectorrcpp")
        for row, (label, X, y, _) in zip(ours, table.resamples(), strict=True):
            theirs = fselectorrcpp.information_gain(X, y, type=kind)
            # R divides 0 by 0 for a feature that is not split, and for one with a single value.
            yield Case(label, row, theirs.fillna(0.0))


@compare(
    "information_gain",
    "FSelectorRcpp",
    "information gain over MDL cuts",
    ours="wam(X, y, filter='information_gain', filter_params={'mdl': 'fselectorrcpp'})",
    theirs="information_gain(x, y, type = 'infogain')",
    tolerance=ENTROPY,
)
def _information_gain(material: Material) -> Iterator[Case]:
    yield from _entropy_cases(material, "information_gain", "infogain")


@compare(
    "gain_ratio",
    "FSelectorRcpp",
    "gain ratio over MDL cuts",
    ours="wam(X, y, filter='gain_ratio', filter_params={'mdl': 'fselectorrcpp'})",
    theirs="information_gain(x, y, type = 'gainratio'), NaN as 0",
    tolerance=ENTROPY,
)
def _gain_ratio(material: Material) -> Iterator[Case]:
    yield from _entropy_cases(material, "gain_ratio", "gainratio")


@compare(
    "symmetric_uncertainty",
    "FSelectorRcpp",
    "symmetric uncertainty over MDL cuts",
    ours="wam(X, y, filter='symmetric_uncertainty', filter_params={'mdl': 'fselectorrcpp'})",
    theirs="information_gain(x, y, type = 'symuncert')",
    tolerance=ENTROPY,
)
def _symmetric_uncertainty(material: Material) -> Iterator[Case]:
    yield from _entropy_cases(material, "symmetric_uncertainty", "symuncert")


# ---------------------------------------------------------------------------------------------
# praznik
# ---------------------------------------------------------------------------------------------
def _complete(material: Material) -> Iterator[Resampled]:
    """The tables without missing values, which praznik and its binning here refuse."""
    for table in material.tables:
        if table.has_missing:
            known = table.X.columns[~table.X.isna().any()]
            yield Resampled(f"{table.name} (complete columns)", table.X[known], table.y, table.rows)
        else:
            yield table


@compare(
    "mutual_information",
    "praznik",
    "mutual information with the class over praznik's bins",
    ours="mrmr of a table with one informative feature",
    theirs="miScores(X, Y)",
    tolerance=ENTROPY,
)
def _mutual_information(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        for label, X, y, _ in table.resamples():
            theirs = praznik.mutual_information(X, y)
            ours = [_own_information(X[[name]], y) for name in X.columns]
            yield Case(label, ours, theirs)


def _own_information(feature: pd.DataFrame, y: pd.Series[str]) -> float:
    """Mutual information of one feature with the class, as the first score of mRMR."""
    if feature.iloc[:, 0].nunique() < 2:
        return 0.0
    # mRMR needs two features; a constant one has no information.
    alone = feature.assign(**{f"{feature.columns[0]}, constant": 0})
    return float(mrmr(alone, y).scores[0])


@compare(
    "mrmr_scores",
    "praznik",
    "mRMR scores at selection",
    ours="wam(X, y, filter='mrmr')",
    theirs="MRMR(X, Y, k = ncol(X))$score",
    tolerance=ENTROPY,
)
def _mrmr_scores(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        for row, (label, X, y, _) in zip(table.scores("mrmr"), table.resamples(), strict=True):
            yield Case(label, row, praznik.mrmr(X, y)[[str(name) for name in X.columns]])


@compare(
    "mrmr_order",
    "praznik",
    "order of selection by mRMR",
    ours="mrmr(X, y).order",
    theirs="MRMR(X, Y, k = ncol(X))$selection",
    tolerance=SAME,
)
def _mrmr_order(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        for label, X, y, _ in table.resamples():
            names = pd.Index([str(name) for name in X.columns])
            yield Case(label, mrmr(X, y).order, names.get_indexer(praznik.mrmr(X, y).index))


# ---------------------------------------------------------------------------------------------
# mRMRe and base R
# ---------------------------------------------------------------------------------------------
@compare(
    "cramers_v",
    "mRMRe",
    "Cramér's V over bins of equal width, as mutual information −½ ln(1 − V²)",
    ours="wam(X, y, filter='cramers_v')",
    theirs="mim(mRMR.data(data)) of ordered factors",
    tolerance=ENTROPY,
)
def _cramers_v(material: Material) -> Iterator[Case]:
    for table in material.tables:
        for row, (label, X, y, _) in zip(table.scores("cramers_v"), table.resamples(), strict=True):
            codes = discretize(X, method="equal_width", bins=10).codes
            factors = pd.DataFrame(codes).assign(y=pd.Categorical(y).codes).astype(str)
            ordered = factors.apply(lambda column: pd.Categorical(column, ordered=True))
            matrix = mrmre.association_matrix(ordered)
            with np.errstate(divide="ignore"):
                ours = -0.5 * np.log1p(-np.square(np.minimum(row, 1.0)))
            varies = (ordered.nunique() > 1).to_numpy()[:-1]
            yield Case(label, ours[varies], matrix["y"].to_numpy()[:-1][varies])


@compare(
    "chi_squared",
    "stats",
    "chi-squared statistic over bins of equal width",
    ours="wam(X, y, filter='chi_squared')",
    theirs="chisq.test(table(cut, y), correct = FALSE)",
    tolerance=CLOSED_FORM,
)
def _chi_squared(material: Material) -> Iterator[Case]:
    for table in material.tables:
        ours = table.scores("chi_squared")
        for row, (label, X, y, _) in zip(ours, table.resamples(), strict=True):
            codes = np.asarray(discretize(X, method="equal_width", bins=10).codes)
            for j, name in enumerate(X.columns):
                counts = pd.crosstab(codes[:, j], y.to_numpy()).to_numpy()
                if len(counts) > 1:
                    yield Case(f"{label}, {name}", row[j], correlation.chi_squared(counts))


@compare(
    "spearman_with_class",
    "stats",
    "absolute rank correlation of a feature with two classes",
    ours="wam(X, y, filter='spearman')",
    theirs="abs(cor(X, as.integer(y), method = 'spearman'))",
    tolerance=Tolerance(1e-12, "absolute", "correlations are of order one"),
)
def _spearman(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        numeric = table.X.select_dtypes("number")
        if table.y.nunique() != 2 or numeric.shape[1] < 2:
            continue
        numbers = Resampled(table.name, numeric, table.y, table.rows)
        scores = numbers.scores("spearman")
        for row, (label, X, y, _) in zip(scores, numbers.resamples(), strict=True):
            classes = pd.Categorical(y).codes
            both = np.column_stack([X.to_numpy(dtype=np.float64), classes])
            theirs = np.abs(correlation.correlations(both.T, method="spearman")[-1, :-1])
            yield Case(label, row, np.nan_to_num(theirs))
