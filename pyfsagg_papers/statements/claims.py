"""Statements of the four papers, recomputed one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pandas as pd

from pyfsagg.exceptions import DataError, InputTypeError, UnknownNameError
from pyfsagg.extending import Param, collect_warnings, data_folder
from pyfsagg.rank_order.distances import subset_divergence
from pyfsagg_papers.statements import orderings, p_values
from pyfsagg_papers.statements.data import (
    FAILS,
    OPEN,
    OTHERWISE,
    Claim,
    Outcome,
    Tables,
    Variant,
    agrees,
    list_claims,
    outcome,
    own_tables,
)

# -------------------------------------------------------------------------------------------------
# statements of the rank-order paper on the orders that its figure 5 prints
# -------------------------------------------------------------------------------------------------

FEATURES = "abcdef"


@cache
def _orders() -> tuple[pd.DataFrame, pd.Series[str]]:
    """Positions of the features (1 = first), and classes."""
    printed = pd.read_csv(data_folder() / "published" / "orders_figure_5.csv")
    ranks = [[order.index(name) + 1 for name in FEATURES] for order in printed["order"]]
    return pd.DataFrame(ranks, columns=list(FEATURES)), printed["class"]


@cache
def _divergence(kept: str, unit: str = "nats") -> float:
    X, y = _orders()
    with collect_warnings():  # positions are on one scale
        return subset_divergence(X, y, list(kept), unit=unit)


def _without(removed: str) -> str:
    return "".join(name for name in FEATURES if name not in removed)


def _is_free(removed: tuple[str, ...]) -> bool:
    return _divergence(_without("".join(removed))) == 0.0


def divergence(claim: Claim, own: Tables) -> Outcome:
    """The features named are kept, or removed; in nats, or in bits."""
    named = claim.settings["features"]
    variants = [
        Variant(
            f"the features are {role}, {unit}",
            math.nan,
            value := _divergence(kept, unit),
            agrees(claim.published, value),
            (role, unit) == ("kept", "nats"),
        )
        for role, kept in (("kept", named), ("removed", _without(named)))
        for unit in ("nats", "bits")
    ]
    evidence = "; ".join(f"{each.test}: {each.value:.4f}" for each in variants)
    return outcome(variants, evidence, "divergence")


def highest_divergence(claim: Claim, own: Tables) -> Outcome:
    """The subset has the highest divergence of all of some sizes, when kept or when removed."""
    named = claim.settings["features"]
    variants, evidence = [], []
    for role in ("kept", "removed"):
        values = {
            subset: _divergence("".join(subset) if role == "kept" else _without("".join(subset)))
            for size in claim.settings["sizes"]
            for subset in itertools.combinations(FEATURES, size)
        }
        top = max(values, key=lambda subset: values[subset])
        holds = values[tuple(named)] >= values[top]
        variants.append(
            Variant(f"the features are {role}, nats", math.nan, values[tuple(named)], holds,
                    role == "kept")
        )  # fmt: skip
        evidence.append(
            f"{role}: {values[tuple(named)]:.4f}, the highest is {values[top]:.4f} for "
            f"({', '.join(top)})"
        )
    return outcome(variants, "; ".join(evidence), "divergence")


def zero_divergence(claim: Claim, own: Tables) -> Outcome:
    """How many sets, or orders of removal, cost nothing."""

    def sets(size: int) -> int:
        return sum(_is_free(subset) for subset in itertools.combinations(FEATURES, size))

    def paths(size: int) -> int:
        """Orders of removal whose every step costs nothing."""
        return sum(
            all(_is_free(path[:step]) for step in range(1, size + 1))
            for path in itertools.permutations(FEATURES, size)
        )

    counts = {
        "single features": [("sets", sets(1))],
        "triples": [("sets", sets(3))],
        "paths of two": [("orders of removal", paths(2)), ("sets", sets(2))],
        "paths of three": [("orders of removal", paths(3)), ("sets", sets(3))],
    }[claim.settings["count"]]
    variants = [
        Variant(name, math.nan, float(count), agrees(claim.published, count), position == 0)
        for position, (name, count) in enumerate(counts)
    ]
    return outcome(variants, "; ".join(f"{name}: {count}" for name, count in counts), "count")


# -------------------------------------------------------------------------------------------------
# statements of the four papers, recomputed one by one
# -------------------------------------------------------------------------------------------------

CHECKS: dict[str, Callable[[Claim, Tables], Outcome]] = {
    check.__name__: check
    for check in (
        p_values.anova,
        p_values.mean,
        p_values.pairs,
        p_values.signed_rank,
        p_values.summary_t,
        orderings.among_best,
        orderings.beats,
        orderings.best_classifier,
        orderings.extreme,
        orderings.improves,
        orderings.measure_below,
        orderings.middle,
        orderings.small_deviation,
        orderings.subset_sizes,
        divergence,
        highest_divergence,
        zero_divergence,
    )
}
"""How a statement can be decided, by the name that the data file uses."""

PUBLISHED, OWN = "published table", "own runs"
_OF_RUNS = ("extreme", "beats", "middle", "improves", "measure_below", "anova", "pairs")


def claims(
    paper: str | None = None, table: str | None = None, *, runs: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Recompute the statistical statements of the papers from their printed tables.

    Every form of a test that may have produced a printed p-value is tried (one- and two-sided, exact
    and normal, with and without correction); :func:`claim_variants` lists them all.

    Parameters
    ----------
    paper : {"thesis", "fpcps", "frcm", "orders"}, optional
        The statements of one paper only.
    table : str, optional
        The statements that rest on one table only, for instance ``"4.5"``.
    runs : DataFrame, optional
        Own values, one row per cell with the columns ``table`` ("4.4", "4.5", "4.6"), ``dataset``,
        ``measure``, ``method`` and ``value`` (a table of :func:`pyfsagg_papers.table`).  The
        statements that can be decided on them are checked again, in separate rows.

    Returns
    -------
    DataFrame
        One row per statement and basis: ``id``, ``paper``, ``section``, ``table``, ``basis``
        (published table or own runs), ``statement``, ``published`` (the printed number, digit for
        digit), ``recomputed`` and what it is (``quantity``: p-value, mean, divergence in nats, count,
        ratio, or the share of rows in which an ordering holds), ``statistic``, ``test`` (the form
        shown), ``verdict``, ``reading`` (under which other reading it holds), ``sentence`` (what was
        found).

        The verdict is "holds", "holds under another reading", "does not hold" or "not checkable".
        A printed number holds if a form that the text describes rounds to it, and holds under
        another reading if only some other form does.  A statement of significance is decided at the
        5 % level by the test that the text names.  A statement on all (almost all, most) rows of a
        table holds if all (80 %, more than half) of its rows bear it out, whatever the cells that are
        lost said; if they decide it, it is not checkable.

    Raises
    ------
    InputTypeError, DataError
        If `runs` is not a frame, lacks a column, or has a cell twice.

    Examples
    --------
    >>> found = claims("thesis", "4.2").set_index("id")
    >>> print(found.loc["bam-slower-p", ["published", "recomputed", "verdict"]].to_string())
    published                          0.0002
    recomputed                       0.000244
    verdict       holds under another reading
    """
    own = {} if runs is None else _own(runs)
    rows = []
    for claim in _select(paper, table):
        rows.append(statement_row(claim, _on_print(claim.id), PUBLISHED))
        if claim.check in _OF_RUNS and own.keys() >= set(claim.tables):
            rows.append(statement_row(claim, _on_runs(claim, own), OWN))
    return pd.DataFrame(rows)


def claim_variants(paper: str | None = None, table: str | None = None) -> pd.DataFrame:
    """Every form in which a number was recomputed.

    Parameters
    ----------
    paper, table : str, optional
        As in :func:`claims`.

    Returns
    -------
    DataFrame
        ``id``, ``published``, ``test``, ``statistic`` (missing if there is none), ``value``,
        ``agrees`` (with the printed number, or with the statement if no number is printed) and
        ``stated`` (whether the text describes this form).

    Examples
    --------
    >>> found = claim_variants("thesis", "4.2")
    >>> found[found["agrees"] & (found["id"] == "bam-slower-p")]["test"].tolist()
    ['signed rank, one-sided, exact, zeros counted as differences of the same sign']
    """
    rows = [
        {
            "id": claim.id,
            "published": claim.published,
            "test": variant.test,
            "statistic": variant.statistic,
            "value": variant.value,
            "agrees": variant.agrees,
            "stated": variant.stated,
        }
        for claim in _select(paper, table)
        for variant in _on_print(claim.id).variants
    ]
    columns = ["id", "published", "test", "statistic", "value", "agrees", "stated"]
    return pd.DataFrame(rows, columns=columns)


def _select(paper: str | None, table: str | None) -> list[Claim]:
    every = list_claims()
    papers = list(dict.fromkeys(claim.paper for claim in every))
    tables = list(dict.fromkeys(name for claim in every for name in claim.tables))
    if paper is not None and paper not in papers:
        raise UnknownNameError("paper", paper, papers)
    if table is not None and table not in tables:
        raise UnknownNameError("table", table, tables)
    return [
        claim
        for claim in every
        if paper in (None, claim.paper) and (table is None or table in claim.tables)
    ]


def _own(runs: pd.DataFrame) -> Tables:
    if not isinstance(runs, pd.DataFrame):
        raise InputTypeError(Param("runs"), f" must be a data frame, got {type(runs).__name__}")
    return own_tables(runs)


def _decide(claim: Claim, own: Tables) -> Outcome:
    if claim.check == "none":
        return Outcome(OPEN, "none", math.nan, math.nan, "")
    found = CHECKS[claim.check](claim, own)
    if not claim.proxy:
        return found
    # The table stands in for what the text speaks of: it can support a statement, not refute it.
    verdict = OPEN if found.verdict == FAILS else OTHERWISE
    reading = "" if verdict == OPEN else found.test
    return replace(found, verdict=verdict, reading=reading)


@cache
def _on_print(name: str) -> Outcome:
    """The statement on the printed tables, which do not change."""
    return _decide(next(claim for claim in list_claims() if claim.id == name), {})


def _on_runs(claim: Claim, own: Tables) -> Outcome:
    """The statement on own values; a run of too few data sets cannot decide it, and says so."""
    try:
        found = _decide(claim, own)
    except DataError as reason:
        return Outcome(OPEN, "none", math.nan, math.nan, f"the runs do not decide it: {reason}")
    if math.isnan(found.value):
        return Outcome(OPEN, found.test, math.nan, math.nan, "the runs hold none of these rows")
    return found


def statement_row(claim: Claim, found: Outcome, basis: str) -> dict[str, object]:
    """The row of a statement in the frame of :func:`claims`."""
    found_text = f"{found.evidence[:1].upper()}{found.evidence[1:]}." if found.evidence else ""
    reading = f"The reading: {found.reading}." if found.reading else ""
    proxy = f"Note that {claim.proxy}." if claim.proxy else ""
    sentence = " ".join(filter(None, (found_text, reading, claim.remark, proxy)))
    return {
        "id": claim.id,
        "paper": claim.paper,
        "section": claim.section,
        "table": claim.table,
        "basis": basis,
        "statement": claim.statement,
        "published": claim.published,
        "recomputed": found.value,
        "quantity": found.quantity,
        "statistic": found.statistic,
        "test": found.test,
        "verdict": found.verdict,
        "reading": found.reading,
        "sentence": sentence,
    }
