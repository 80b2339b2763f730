"""Run comparisons, give each a verdict, and keep what they found."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, ClassVar

import pandas as pd
from numpy.typing import ArrayLike

from pyfsagg.exceptions import DataError, MissingDependencyError, ParameterError, UnknownNameError
from pyfsagg.extending import Block, PageColumn, PageTable, Result, Text, check_integer, versions
from pyfsagg_papers.comparisons import (  # noqa: F401 - each adds its comparisons
    filters,
    rank_aggregation,
    stability,
    statistics,
)
from pyfsagg_papers.comparisons.base import COMPARISONS, VERDICTS, Comparison, Difference, Outcome
from pyfsagg_papers.comparisons.material import Material, embedded_material, given_material
from pyfsagg_rpy2.packages import PACKAGES, install_hint
from pyfsagg_rpy2.session import RError, environment, r_versions, require

# -------------------------------------------------------------------------------------------------
# what a cross-check found, and how it is kept
# -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CrossCheck(Result):
    """The outcome of :func:`pyfsagg_papers.cross_check`.

    Attributes
    ----------
    outcomes : tuple of Outcome
    missing : dict of str to str
        Packages that are not installed, with a line on how to install them.
    parameters, data : dict
        Seed, resamples and packages asked for; size and hash of each table.
    versions : dict
        Of R, its packages, rpy2, pyfsagg and what pyfsagg computes with.

    Examples
    --------
    >>> outcome = Outcome("rra", "RobustRankAggreg", "p", "a", "b", 1, 9, 0, 1e-13, "7 lists",
    ...                   1e-9, "relative", "tails", "agrees", "")
    >>> found = CrossCheck((outcome,), {}, {}, {}, {"R": "4.2.2"})
    >>> found
    CrossCheck(1 comparison with R 4.2.2; agrees: 1)
    >>> found.agrees
    True
    """

    _kind: ClassVar[str] = "cross_check"
    _noun: ClassVar[str] = "cross-check"
    _one_file: ClassVar[bool] = True

    outcomes: tuple[Outcome, ...]
    missing: Mapping[str, str]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]

    @property
    def agrees(self) -> bool:
        """Whether nothing disagrees and no R function failed."""
        return not any(each.verdict in ("disagrees", "R failed") for each in self.outcomes)

    @property
    def packages(self) -> list[str]:
        """The R packages that were compared with, in the order of the comparisons."""
        return list(dict.fromkeys(each.package for each in self.outcomes))

    def counts(self) -> dict[str, int]:
        """How often each verdict was given; verdicts that were not are left out."""
        found = dict.fromkeys(VERDICTS, 0)
        for each in self.outcomes:
            found[each.verdict] += 1
        return {verdict: count for verdict, count in found.items() if count}

    def in_words(self) -> str:
        """The verdicts and how often each was given."""
        return ", ".join(f"{verdict}: {number}" for verdict, number in self.counts().items())

    def to_frame(self) -> pd.DataFrame:
        """One row per comparison (index ``name``), columns as the attributes of `Outcome`."""
        columns = list(Outcome.__dataclass_fields__)
        frame = pd.DataFrame([asdict(each) for each in self.outcomes], columns=columns)
        return frame.astype({"largest": "float64"}).set_index("name")

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        derived = {"agrees": self.agrees, "counts": self.counts(), "verdicts": VERDICTS}
        return {**derived, **super()._record(view)}

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {"cross_check.csv": self.to_frame()}

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        counts = self.counts()
        answer = (
            "Every quantity that was compared agrees with R within its tolerance, or differs for a "
            "reason that is stated."
            if self.agrees
            else "At least one quantity disagrees with R, or could not be computed there."
        )
        versions = ", ".join(
            f"{name} {self.versions[name]}" for name in ("R", *self.packages, "rpy2", "pyfsagg")
        )
        n_values = sum(outcome.n_values for outcome in self.outcomes)
        facts: list[Block] = [
            Text(f"{answer} {len(self.outcomes)} comparisons; {self.in_words()}."),
            *(
                Text(
                    f"{outcome.package}, {outcome.quantity}: {outcome.verdict}; {outcome.n_beyond} of "
                    f"{outcome.n_values} values{f'. {outcome.note}' if outcome.note else ''}"
                )
                for outcome in self.outcomes
                if outcome.verdict != "agrees"
            ),
            Text(
                f"Both sides computed {n_values:,} values from the same tables and the same row numbers "
                f"of the resamples, in one process."
            ),
            Text(f"{versions}."),
            PageTable(
                "Comparisons with R.",
                [
                    PageColumn("Package", numeric=False),
                    PageColumn("Quantity", numeric=False),
                    PageColumn("Cases"),
                    PageColumn("Largest difference"),
                    PageColumn("Tolerance"),
                    PageColumn("Verdict", numeric=False),
                ],
                [
                    (
                        outcome.package,
                        outcome.quantity,
                        f"{outcome.n_cases:,}",
                        "–" if outcome.largest is None else f"{outcome.largest:.1e}",
                        f"{outcome.tolerance:.0e} {outcome.scale}",
                        outcome.verdict,
                    )
                    for outcome in self.outcomes
                ],
                header=1,
            ),
            PageTable(
                "Verdicts",
                [
                    PageColumn("Verdict", False),
                    PageColumn("Comparisons"),
                    PageColumn("What it means", False),
                ],
                [(verdict, str(counts[verdict]), VERDICTS[verdict]) for verdict in counts],
            ),
        ]
        if self.missing:
            heads = ("Package", "For", "How to install")
            facts.append(
                PageTable(
                    "Packages that are not installed",
                    [PageColumn(head, numeric=False) for head in heads],
                    [(name, PACKAGES[name].purpose, hint) for name, hint in self.missing.items()],
                )
            )
        return facts

    def __repr__(self) -> str:
        number = len(self.outcomes)
        comparisons = f"{number} comparison{'' if number == 1 else 's'}"
        r = self.versions.get("R", "unknown")
        return f"CrossCheck({comparisons} with R {r}; {self.in_words()})"


# -------------------------------------------------------------------------------------------------
# run comparisons, and give each a verdict
# -------------------------------------------------------------------------------------------------

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
