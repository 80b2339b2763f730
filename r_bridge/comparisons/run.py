"""Run comparisons, and give each a verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from pyfsagg._base.checks import check_integer
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import DataError, MissingDependencyError, ParameterError, UnknownNameError
from r_bridge._packages import PACKAGES, install_hint
from r_bridge._session import RError, environment, r_versions, require
from r_bridge.comparisons import (  # noqa: F401 - each registers its comparisons
    filters,
    rank_aggregation,
    stability,
    statistics,
)
from r_bridge.comparisons._base import COMPARISONS, Comparison, Difference
from r_bridge.comparisons._material import Material, embedded_material, given_material
from r_bridge.comparisons.outcome import Outcome
from r_bridge.comparisons.result import CrossCheck

__all__ = ["cross_check", "list_comparisons"]

Progress = Callable[[int, int], None]


def list_comparisons() -> pd.DataFrame:
    """Table of all comparisons.

    Returns
    -------
    DataFrame
        One row per comparison (index ``name``): ``package``, ``quantity``, ``ours``, ``theirs``,
        ``tolerance``, ``scale``, ``reason``, ``departs`` (why the sides are known to differ, or "").

    Examples
    --------
    >>> list_comparisons().loc["rra", ["package", "scale"]].tolist()
    ['RobustRankAggreg', 'relative']
    """
    rows = [
        {
            "name": each.name,
            "package": each.package,
            "quantity": each.summary,
            "ours": each.ours,
            "theirs": each.theirs,
            "tolerance": each.tolerance.limit,
            "scale": each.tolerance.scale,
            "reason": each.tolerance.reason,
            "departs": each.departs.reason if each.departs else "",
        }
        for each in COMPARISONS
    ]
    return pd.DataFrame(rows).set_index("name")


def cross_check(
    packages: Sequence[str] | None = None,
    *,
    X: pd.DataFrame | None = None,
    y: pd.Series[Any] | None = None,
    name: str = "table",
    row_indices: ArrayLike | None = None,
    n_resamples: int = 10,
    random_state: int = 0,
    progress: Progress | None = None,
) -> CrossCheck:
    """Compare pyfsagg with R, value by value, on the same data and the same row numbers.

    Parameters
    ----------
    packages : sequence of str, optional
        R packages to compare with; all that are installed by default, the others are listed as
        missing.
    X, y : DataFrame and Series, optional
        A table of your own.  By default: Ionosphere, wine, a table with columns of all types, and
        for the statistical tests tables of the thesis.
    name : str
        What the table is called.
    row_indices : array of int (m, n), optional
        Row numbers (from 0) of each resample; drawn with replacement by default.
    n_resamples : int
        How many resamples are drawn, at least 3.
    random_state : int
        Seed of the resamples and of the generated lists.
    progress : callable, optional
        Called with the number of comparisons done and to do.

    Returns
    -------
    CrossCheck

    Raises
    ------
    MissingDependencyError
        If R or rpy2 is missing, a package that was asked for, or all packages.
    InsideRError
        If Python itself runs inside R.
    UnknownNameError
        For a package with which nothing is compared.
    ParameterError
        If only one of `X` and `y` is given, or a number is out of range.
    DataError
        If the table or its classes cannot be ranked.
    """
    wanted = _wanted(packages)
    environment()
    seed = check_integer("random_state", random_state, low=0)
    material = _material(X, y, name, row_indices, n_resamples, seed)
    missing = {each: install_hint(each) for each in wanted if _is_missing(each)}
    present = [each for each in wanted if each not in missing]
    if missing and (packages is not None or not present):
        first = next(iter(missing))
        raise MissingDependencyError(
            f"nothing can be compared with {', '.join(missing)}: not installed; {missing[first]}"
        )
    chosen = [each for package in present for each in COMPARISONS if each.package == package]
    outcomes = []
    for done, comparison in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen))
        outcomes.append(_outcome(comparison, material))
    if progress is not None:
        progress(len(chosen), len(chosen))
    return CrossCheck(
        tuple(outcomes),
        missing,
        {"packages": wanted, "random_state": seed, "row_indices": row_indices is not None},
        material.record(),
        {**r_versions(*present), "rpy2": version("rpy2"), **versions()},
    )


def _wanted(packages: Sequence[str] | None) -> list[str]:
    """Names of packages as R spells them."""
    if packages is None:
        return list(PACKAGES)
    spelled = {name.lower(): name for name in PACKAGES}
    for package in packages:
        if package.lower() not in spelled:
            raise UnknownNameError("R package to compare with", package, PACKAGES)
    if not packages:
        raise ParameterError(f"name at least one package of {', '.join(PACKAGES)}")
    return list(dict.fromkeys(spelled[package.lower()] for package in packages))


def _is_missing(package: str) -> bool:
    try:
        require(package)
    except MissingDependencyError:
        return True
    return False


def _material(
    X: pd.DataFrame | None,
    y: pd.Series[Any] | None,
    name: str,
    row_indices: ArrayLike | None,
    n_resamples: int,
    seed: int,
) -> Material:
    if (X is None) != (y is None):
        raise ParameterError("X and y go together: give both, or neither for the embedded data")
    if X is None or y is None:
        if row_indices is not None:
            raise ParameterError("row_indices belong to a table: give X and y as well")
        return embedded_material(n_resamples, seed)
    return given_material(
        X, y, name=name, row_indices=row_indices, n_resamples=n_resamples, seed=seed
    )


def _outcome(comparison: Comparison, material: Material) -> Outcome:
    """All cases of a comparison, as far as R and the data allow."""
    difference = Difference(comparison.tolerance)
    verdict, note = "", ""
    try:
        for case in comparison.cases(material):
            difference.add(case)
    except RError as error:
        verdict, note = "R failed", " ".join(str(error).split())
    except MissingDependencyError as error:  # a package that the package itself asks for
        verdict, note = "no case", str(error)
    except DataError as error:
        verdict, note = "no case", f"not with these data: {error}"
    if not verdict:
        verdict, note = _verdict(comparison, difference)
    return Outcome(
        comparison.name,
        comparison.package,
        comparison.summary,
        comparison.ours,
        comparison.theirs,
        difference.n_cases,
        difference.n_values,
        difference.n_beyond,
        difference.largest if difference.worst and math.isfinite(difference.largest) else None,
        difference.worst,
        comparison.tolerance.limit,
        comparison.tolerance.scale,
        comparison.tolerance.reason,
        verdict,
        note,
    )


def _verdict(comparison: Comparison, difference: Difference) -> tuple[str, str]:
    if difference.n_values == 0:
        return "no case", ""
    if difference.n_beyond == 0:
        return "agrees", ""
    departs = comparison.departs
    if departs is not None and difference.n_beyond <= departs.at_most * difference.n_values:
        return "differs as documented", departs.reason
    note = f"the largest in: {difference.worst}" if difference.worst else ""
    if difference.n_one_sided:
        note = f"{note}; {difference.n_one_sided} values are defined on one side only".lstrip("; ")
    return "disagrees", note
