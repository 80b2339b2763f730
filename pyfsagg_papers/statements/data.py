"""The statements of the papers, and the tables that they rest on in one common form."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pandas as pd

from pyfsagg.exceptions import DataError
from pyfsagg.extending import Param, data_folder
from pyfsagg_papers.published import WEIGHTED_ACCURACY, load_published

AGREES, FAILS = "holds", "does not hold"
OTHERWISE, OPEN = "holds under another reading", "not checkable"
VERDICTS = (AGREES, OTHERWISE, FAILS, OPEN)

SMALLER_IS_BETTER = ("canberra", "average_standard_deviation")
"""Measures of distance and spread; of all others larger is better."""

Tables = Mapping[str, pd.DataFrame]
"""Own values by table; empty for the published ones."""

_DOUBTFUL = "identical"  # a note of the table on rows that repeat another data set's
_PIVOTS = {
    "4.4": ("measure", "method"),
    "4.5": ("measure", "aggregator"),
    "4.6": ("measure", "aggregator"),
}


@dataclass(frozen=True)
class Claim:
    """A statement, as the data file has it; the fields are explained at its head."""

    id: str
    paper: str
    section: str
    table: str
    statement: str
    published: str
    check: str
    remark: str = ""
    proxy: str = ""
    conclusion: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tables(self) -> list[str]:
        """The single tables of ``4.5+4.6``."""
        return self.table.split("+")


@dataclass(frozen=True)
class Variant:
    """One way of recomputing a number, and whether it gives the printed one.

    Attributes
    ----------
    test : str
        What was computed, with everything that distinguishes it from the other ways.
    statistic, value : float
        The test statistic (NaN if there is none); the p-value, mean, count or divergence.
    agrees : bool
    stated : bool
        Whether the text describes this way; any other is another reading.
    """

    test: str
    statistic: float
    value: float
    agrees: bool
    stated: bool


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes
    ----------
    verdict : str
    test, reading : str
        The form whose numbers are shown; the other reading under which the statement holds.
    statistic, value : float
    evidence : str
        The numbers as the end of a sentence.
    variants : tuple of Variant
        Everything that was tried.
    quantity : str
        What `value` is: "p-value", "mean", "share of rows", "divergence", "count" or "ratio".
    """

    verdict: str
    test: str
    statistic: float
    value: float
    evidence: str
    reading: str = ""
    variants: tuple[Variant, ...] = ()
    quantity: str = "p-value"


@cache
def list_claims() -> tuple[Claim, ...]:
    """All statements, in the order of the data file."""
    with (data_folder() / "published" / "claims.toml").open("rb") as file:
        entries = tomllib.load(file)["claim"]
    return tuple(Claim(**entry) for entry in entries)


def agrees(published: str, value: float) -> bool:
    """Whether the printed number is `value` rounded or cut off, or a bound that it keeps.

    Examples
    --------
    >>> agrees("0.0002", 2.0**-12), agrees("0.0002", 0.00391), agrees("<0.0001", 1e-9)
    (True, False, True)
    >>> agrees("0.249", 0.2499), agrees("0.249", 0.2501)
    (True, False)
    """
    if published.startswith("<"):
        return value < float(published[1:])
    unit = 10.0 ** -len(published.partition(".")[2])
    excess = (value - float(published)) / unit
    return -0.5 - 1e-9 <= excess < 1.0 - 1e-9


def judge(variants: Sequence[Variant]) -> tuple[str, Variant, str]:
    """Verdict, the variant to show, and the other reading if there is one.

    A variant that the text describes goes before one that it does not; of several that agree, or
    none, the first is shown.
    """
    stated = [each for each in variants if each.stated]
    for each in stated:
        if each.agrees:
            return AGREES, each, ""
    for each in variants:
        if each.agrees:
            return OTHERWISE, each, each.test
    return FAILS, stated[0], ""


def outcome(variants: Sequence[Variant], evidence: str, quantity: str) -> Outcome:
    """The outcome that :func:`judge` gives for what was tried."""
    verdict, shown, reading = judge(variants)
    return Outcome(
        verdict,
        shown.test,
        shown.statistic,
        shown.value,
        evidence,
        reading,
        tuple(variants),
        quantity,
    )


def methods_table(table: str, own: pd.DataFrame | None = None) -> pd.DataFrame:
    """A published table as rows of conditions by columns of methods."""
    if own is not None and table == "4.3":
        classifiers = own["measure"].str.removeprefix(WEIGHTED_ACCURACY)
        return own.assign(classifier=classifiers).pivot(
            index=["dataset", "classifier"], columns="method", values="value"
        )
    if own is not None:
        return own.pivot(index=["dataset", "measure"], columns="method", values="value")
    frame = load_published(table)
    if "note" in frame:
        frame = frame[~frame["note"].astype(str).str.startswith(_DOUBTFUL)]
    if table in _PIVOTS:
        row, column = _PIVOTS[table]
        wide = frame.pivot(index=["dataset", row], columns=column, values="value")
        return wide[list(dict.fromkeys(frame[column]))]
    if table == "4.3":
        return frame.set_index(["dataset", "classifier"])
    if table == "4.2":
        return frame.set_index("dataset").astype("float64")
    if table == "fpcps_1":
        return frame.set_index("aggregator").T.rename_axis("dataset")
    if table == "fpcps_2":
        return frame.set_index("classifier")
    long = frame.melt(["dataset", "method"], ["nmi", "ari"], var_name="measure")
    return long.pivot(index=["dataset", "measure"], columns="method", values="value")


def narrow(frame: pd.DataFrame, where: Mapping[str, str | Sequence[str]] | None) -> pd.DataFrame:
    """Rows whose index levels have one of the values of `where`."""
    for level, wanted in (where or {}).items():
        values = [wanted] if isinstance(wanted, str) else list(wanted)
        frame = frame[frame.index.get_level_values(level).isin(values)]
    return frame


def need(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """`frame` if it has all the columns `names`."""
    missing = [name for name in names if name not in frame]
    if missing:
        raise DataError(f"there are no values of {missing[0].replace('_', ' ')}")
    return frame


def own_tables(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Own values by table, from a frame of :func:`pyfsagg_papers.table`."""
    needed = ["table", "dataset", "measure", "method", "value"]
    missing = [name for name in needed if name not in runs]
    if missing:
        raise DataError(
            Param("runs"),
            f" has no column {missing[0]!r}; a frame with the columns {', '.join(needed)} is ",
            "needed, one row per cell",
        )
    known = runs.loc[runs["value"].notna(), needed]
    twice = known.duplicated(needed[:-1])
    if twice.any():
        cell = known.loc[twice, needed[:-1]].iloc[0].tolist()
        raise DataError(
            Param("runs"),
            f" has two values for the cell {', '.join(map(str, cell))}; give one row per cell",
        )
    return {str(name): part for name, part in known.groupby(known["table"].astype(str))}
