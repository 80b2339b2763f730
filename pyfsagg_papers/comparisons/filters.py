"""Filters: FSelectorRcpp, praznik, mRMRe, and base R where it has the statistic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

import pyfsagg_rpy2.association as mrmre
import pyfsagg_rpy2.entropy as fselectorrcpp
import pyfsagg_rpy2.mutual_information as praznik
from pyfsagg.discretization import discretize
from pyfsagg.filters import information_gain, information_selection, score_features
from pyfsagg_papers.comparisons.base import CLOSED_FORM, SAME, Case, Departure, Tolerance, compare
from pyfsagg_papers.comparisons.material import Material, Resampled
from pyfsagg_rpy2 import correlation

ENTROPY = Tolerance(
    1e-9,
    "absolute",
    "entropies in nats are sums of a few hundred terms, whose order differs",
)
CUTS = Tolerance(1e-12, "absolute", "a cut is the mean of two neighbouring values of the data")
IDLE = (
    "FSelectorRcpp cuts an interval of two samples of one class (an idle cut): its criterion is then "
    "met with 0 ≥ 0; pyfsagg leaves such intervals whole. That changes the entropy of the feature, and "
    "with it the gain ratio and the symmetric uncertainty, and the information gain where the sample "
    "before them, which R leaves out of the right part, is of another class"
)


# ---------------------------------------------------------------------------------------------
# FSelectorRcpp
# ---------------------------------------------------------------------------------------------
def _without_ties(material: Material) -> Iterator[Resampled]:
    """Tables on which FSelectorRcpp is determined: it sorts without regard to the order of ties."""
    for table in material.tables:
        yield table.untied().with_logicals_as_integers()


@compare(
    name="mdl_cut_points",
    package="FSelectorRcpp",
    summary="MDL cut points, no ties and no idle cuts",
    ours="discretize(X, y, mdl='fselectorrcpp').cutpoints",
    theirs="discretize(x, y)",
    tolerance=CUTS,
)
def _cut_points(material: Material) -> Iterator[Case]:
    for table in _without_ties(material):
        for label, X, y, _ in table.resamples():
            found = discretize(X, y, mdl="fselectorrcpp").cutpoints
            for name, cuts in fselectorrcpp.cut_points(X, y).items():
                if not _has_idle_cut(X[name], y, cuts):
                    # A different number of cuts shows as values that one side lacks.
                    size = max(len(cuts), len(found[name]), 1)
                    yield Case(f"{label}, {name}", _padded(found[name], size), _padded(cuts, size))


@compare(
    name="mdl_idle_cuts",
    package="FSelectorRcpp",
    summary="number of MDL cuts where R has an idle cut",
    ours="discretize(X, y, mdl='fselectorrcpp').cutpoints",
    theirs="discretize(x, y)",
    tolerance=SAME,
    departs=Departure(IDLE),
)
def _idle_cuts(material: Material) -> Iterator[Case]:
    # The smallest case: the right half, without its first sample, has two samples of one class.
    X, y = pd.DataFrame({"x": [1.0, 2, 3, 10, 11, 12]}), pd.Series(list("aaabbb"))
    few = discretize(X, y, mdl="fselectorrcpp").cutpoints["x"]
    yield Case("six samples", len(few), len(fselectorrcpp.cut_points(X, y)["x"]))
    for table in _without_ties(material):
        for label, X, y, _ in table.resamples():
            found = discretize(X, y, mdl="fselectorrcpp").cutpoints
            for name, cuts in fselectorrcpp.cut_points(X, y).items():
                if _has_idle_cut(X[name], y, cuts):
                    yield Case(f"{label}, {name}", len(found[name]), len(cuts))


def _has_idle_cut(column: pd.Series[Any], y: pd.Series[Any], cuts: NDArray[np.float64]) -> bool:
    """Whether a cut lies between two samples of one class that R had left over.

    Below them the interval may hold one more, of any class: the one that R leaves out of the right part."""
    known = column.notna().to_numpy()
    values = column.to_numpy(dtype=np.float64)[known]
    order = np.argsort(values, kind="stable")
    classes = y.to_numpy()[known][order]
    ends = np.searchsorted(values[order], [*cuts, np.inf], side="right")
    starts = np.r_[0, ends[:-1]]
    alone = (ends - starts)[1:] == 1
    few = (ends - starts)[:-1] <= 2
    alike = classes[ends[:-1] - 1] == classes[np.minimum(ends[:-1], len(classes) - 1)]
    return bool((alone & few & alike).any())


def _padded(values: ArrayLike, size: int) -> NDArray[np.float64]:
    padded = np.full(size, np.nan)
    array = np.asarray(values, dtype=np.float64)
    padded[: len(array)] = array
    return padded


def _entropy_cases(
    tables: Iterable[Resampled], filter: str, kind: fselectorrcpp.Type
) -> Iterator[Case]:
    for table in tables:
        ours = table.scores(filter, mdl="fselectorrcpp")
        for row, (label, X, y, _) in zip(ours, table.resamples(), strict=True):
            theirs = fselectorrcpp.information_gain(X, y, type=kind)
            # R divides 0 by 0 for a feature that is not split, and for one with a single value.
            keep = np.ones(len(row), dtype=bool)
            for name, cuts in fselectorrcpp.cut_points(X, y).items():
                keep[X.columns.get_loc(name)] = not _has_idle_cut(X[name], y, cuts)
            yield Case(label, row[keep], theirs.fillna(0.0).to_numpy()[keep])


def _register_entropy(filter: str, kind: fselectorrcpp.Type, which: str) -> None:
    @compare(
        name=filter,
        package="FSelectorRcpp",
        summary=f"{filter.replace('_', ' ')}, {which}",
        ours=f"wam(X, y, filter='{filter}', filter_params={{'mdl': 'fselectorrcpp'}})",
        theirs=f"information_gain(x, y, type = '{kind}'), NaN as 0",
        tolerance=ENTROPY,
    )
    def _cases(material: Material) -> Iterator[Case]:
        yield from _entropy_cases(_without_ties(material), filter, kind)


_register_entropy("information_gain", "infogain", "no ties and no idle cuts")
_register_entropy("gain_ratio", "gainratio", "no ties and no idle cuts")
_register_entropy("symmetric_uncertainty", "symuncert", "no ties and no idle cuts")


@compare(
    name="information_gain_ties",
    package="FSelectorRcpp",
    summary="information gain, with ties",
    ours="wam(X, y, filter='information_gain', filter_params={'mdl': 'fselectorrcpp'})",
    theirs="information_gain(x, y, type = 'infogain')",
    tolerance=ENTROPY,
    departs=Departure(
        "FSelectorRcpp orders equal values as its sorting algorithm happens to leave them, and its "
        "reading of the criterion depends on that order where they belong to different classes; "
        "pyfsagg takes them in the order of the rows",
        at_most=0.1,
    ),
)
def _information_gain_ties(material: Material) -> Iterator[Case]:
    tables = (table.with_logicals_as_integers() for table in material.tables)
    yield from _entropy_cases(tables, "information_gain", "infogain")


@compare(
    name="information_gain_logical",
    package="FSelectorRcpp",
    summary="information gain of logical features",
    ours="information_gain(X, y, mdl='fselectorrcpp')",
    theirs="information_gain(x, y, type = 'infogain')",
    tolerance=ENTROPY,
    departs=Departure(
        "FSelectorRcpp 0.3.13 passes over logical columns and returns the entropy of the class for "
        "each of them, whatever their values; pyfsagg scores them (in R, convert them to integers)"
    ),
)
def _information_gain_logical(material: Material) -> Iterator[Case]:
    for table in material.tables:
        logical = pd.DataFrame(
            {name: table.X[name] > table.X[name].median() for name in _numbers(table)}
        )
        ours = information_gain(logical, table.y, mdl="fselectorrcpp")
        yield Case(table.name, ours, fselectorrcpp.information_gain(logical, table.y))


def _numbers(table: Resampled) -> list[str]:
    """The first numeric columns that vary."""
    numeric = table.X.select_dtypes("number")
    return [str(name) for name in numeric if numeric[name].nunique() > 2][:5]


# ---------------------------------------------------------------------------------------------
# praznik
# ---------------------------------------------------------------------------------------------
def _complete(material: Material) -> Iterator[Resampled]:
    """The columns without missing values, which praznik refuses, and factors in place of text."""
    for table in material.tables:
        known = table.X.columns[~table.X.isna().any()]
        if len(known):
            yield replace(table, X=table.X[known]).with_text_as_factors()


@compare(
    name="mutual_information",
    package="praznik",
    summary="mutual information with the class",
    ours="mrmr of a table with one informative feature",
    theirs="miScores(X, Y)",
    tolerance=ENTROPY,
)
def _mutual_information(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        for label, X, y, _ in islice(table.resamples(), 4):
            theirs = praznik.mutual_information(X, y)
            ours = [_own_information(X[[name]], y) for name in X.columns]
            yield Case(label, ours, theirs)


def _own_information(feature: pd.DataFrame, y: pd.Series[str]) -> float:
    """Mutual information of one feature with the class, as the first score of mRMR."""
    if feature.iloc[:, 0].nunique() < 2:
        return 0.0
    # mRMR needs two features; a constant one has no information.
    alone = feature.assign(**{f"{feature.columns[0]}, constant": 0})
    return float(score_features(alone, y, "mrmr", binning="praznik")[0])


@compare(
    name="mrmr_scores",
    package="praznik",
    summary="mRMR scores at selection",
    ours="wam(X, y, filter='mrmr', filter_params={'binning': 'praznik'})",
    theirs="MRMR(X, Y, k = ncol(X))$score",
    tolerance=ENTROPY,
)
def _mrmr_scores(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        rows = table.scores("mrmr", binning="praznik")
        for row, (label, X, y, _) in zip(rows, table.resamples(), strict=True):
            yield Case(label, row, praznik.mrmr(X, y)[[str(name) for name in X.columns]])


@compare(
    name="mrmr_order",
    package="praznik",
    summary="order of selection by mRMR",
    ours="information_selection(X, y, criterion='mrmr', binning='praznik').order",
    theirs="MRMR(X, Y, k = ncol(X))$selection",
    tolerance=SAME,
)
def _mrmr_order(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        for label, X, y, _ in table.resamples():
            names = pd.Index([str(name) for name in X.columns])
            ours = information_selection(X, y, criterion="mrmr", binning="praznik").order
            yield Case(label, ours, names.get_indexer(praznik.mrmr(X, y).index))


# ---------------------------------------------------------------------------------------------
# mRMRe and base R
# ---------------------------------------------------------------------------------------------
@compare(
    name="cramers_v",
    package="mRMRe",
    summary="Cramér's V of equal-width bins, as −½ ln(1 − V²)",
    ours="wam(X, y, filter='cramers_v')",
    theirs="mim(mRMR.data(data)) of ordered factors",
    tolerance=ENTROPY,
)
def _cramers_v(material: Material) -> Iterator[Case]:
    for table in material.tables:
        for row, (label, X, y, _) in zip(table.scores("cramers_v"), table.resamples(), strict=True):
            codes = discretize(X, method="equal_width", bins=10).codes
            columns = [*codes.T, pd.factorize(y)[0]]
            ordered = pd.DataFrame(
                {str(j): pd.Categorical(each, ordered=True) for j, each in enumerate(columns)}
            )
            matrix = mrmre.association_matrix(ordered)
            with np.errstate(divide="ignore"):
                ours = -0.5 * np.log1p(-np.square(np.minimum(row, 1.0)))
            varies = (ordered.nunique() > 1).to_numpy()[:-1]
            yield Case(label, ours[varies], matrix.to_numpy()[-1, :-1][varies])


@compare(
    name="chi_squared",
    package="stats",
    summary="chi-squared statistic of equal-width bins",
    ours="wam(X, y, filter='chi_squared')",
    theirs="chisq.test(table(cut, y), correct = FALSE)",
    tolerance=CLOSED_FORM,
)
def _chi_squared(material: Material) -> Iterator[Case]:
    for table in material.tables:
        ours = table.scores("chi_squared")
        for row, (label, X, y, _) in zip(ours, table.resamples(), strict=True):
            codes = np.asarray(discretize(X, method="equal_width", bins=10).codes)
            classes = pd.factorize(y)[0]
            for j, name in enumerate(X.columns):
                counts = _counts(codes[:, j], classes)
                if len(counts) > 1:
                    yield Case(f"{label}, {name}", row[j], correlation.chi_squared(counts))


def _counts(codes: NDArray[Any], classes: NDArray[np.intp]) -> NDArray[np.float64]:
    """The table of levels and classes that occur; missing values are a level."""
    counts = np.zeros((codes.max() + 2, classes.max() + 1))
    np.add.at(counts, (codes + 1, classes), 1.0)
    occurs: NDArray[np.bool_] = counts.sum(axis=1) > 0
    return np.asarray(counts[occurs])


@compare(
    name="spearman_with_class",
    package="stats",
    summary="rank correlation with two classes, absolute",
    ours="wam(X, y, filter='spearman')",
    theirs="abs(cor(X, as.integer(y), method = 'spearman'))",
    tolerance=Tolerance(1e-12, "absolute", "correlations are of order one"),
)
def _spearman(material: Material) -> Iterator[Case]:
    for table in _complete(material):
        numeric = table.X.select_dtypes("number")
        if table.y.nunique() != 2 or numeric.shape[1] < 2:
            continue
        numbers = replace(table, X=numeric)
        scores = numbers.scores("spearman")
        for row, (label, X, y, _) in zip(scores, numbers.resamples(), strict=True):
            classes = pd.Categorical(y).codes
            both = np.column_stack([X.to_numpy(dtype=np.float64), classes])
            theirs = np.abs(correlation.correlations(both.T, method="spearman")[-1, :-1])
            yield Case(label, row, np.nan_to_num(theirs))
