"""Statements on which method is better, best, worst or in the middle, row by row of a table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from pyfsagg_papers.published import load_published
from pyfsagg_papers.statements.data import (
    AGREES,
    FAILS,
    OPEN,
    SMALLER_IS_BETTER,
    Claim,
    Outcome,
    Tables,
    Variant,
    methods_table,
    narrow,
    need,
    outcome,
)

ROWS = "share of rows"
MOST_NAMED = 6  # rows that an evidence names


def _is_enough(held: int, n: int, quantifier: str) -> bool:
    """Whether `held` of `n` rows are what the word of quantity says."""
    enough = {
        "all": held == n,
        "almost all": held >= 0.8 * n,
        "most": held > 0.5 * n,
        "some": held >= 1,
    }
    return enough[quantifier]


def _rows(claim: Claim, own: Tables) -> pd.DataFrame:
    """The rows of all tables of the claim, signed so that larger is better."""
    parts = []
    for table in claim.tables:
        frame = narrow(methods_table(table, own.get(table)), claim.settings.get("where"))
        sign = np.ones(len(frame))
        if "measure" in frame.index.names:
            of_row = frame.index.get_level_values("measure")
            sign = np.where(of_row.isin(SMALLER_IS_BETTER), -1.0, 1.0)
        if not claim.settings.get("larger_is_better", True):
            sign = -sign
        parts.append(pd.concat({table: frame.mul(sign, axis=0)}, names=["table"]))
    return pd.concat(parts)


def _of_rows(
    claim: Claim, held: pd.Series[bool], test: str, others: str = "", lost: int = 0
) -> Outcome:
    """The verdict on rows that bear the statement out or do not, and on rows with lost cells.

    One rule for both directions: the statement holds if it would hold whatever the lost cells said,
    and does not hold if it could not hold whatever they said; else it is not checkable.
    """
    count, n = int(held.sum()), len(held)
    quantifier = str(claim.settings["quantifier"])
    evidence = f"{count} of {n} rows"
    against = held.index[~held.to_numpy(dtype=bool)]
    if 0 < len(against) <= MOST_NAMED:
        several = len(claim.tables) > 1
        evidence += f" (not {'; '.join(_row_name(label, several) for label in against)})"
    if others:
        evidence += f"; {others}"
    if lost:
        evidence += f"; {lost} more rows have lost cells"
    verdict = OPEN
    if n and _is_enough(count, n + lost, quantifier):
        verdict = AGREES
    elif not _is_enough(count + lost, n + lost, quantifier):
        verdict = FAILS
    share = count / n if n else math.nan
    return Outcome(verdict, f"{test}, {quantifier} rows", math.nan, share, evidence, quantity=ROWS)


def _row_name(label: object, several: bool) -> str:
    parts = [str(part) for part in label] if isinstance(label, tuple) else [str(label)]
    shown = parts if several else parts[1:]
    return ", ".join(part.replace("_", " ") for part in shown)


def extreme(claim: Claim, own: Tables) -> Outcome:
    """One of the methods has the best (or worst) value of the row; ties count."""
    frame = _rows(claim, own)
    methods, worst = claim.settings["methods"], claim.settings.get("worst", False)
    whole = need(frame, methods)
    frame = whole.dropna()
    edge = frame.min(axis=1) if worst else frame.max(axis=1)
    held = frame[methods].eq(edge, axis=0).any(axis=1)
    winners = frame.idxmin(axis=1) if worst else frame.idxmax(axis=1)
    counts = winners.value_counts()
    word = "worst" if worst else "best"
    others = f"{word}: " + ", ".join(
        f"{str(name).replace('_', ' ')} {count}" for name, count in counts.items()
    )
    test = f"{word} of {frame.shape[1]} methods"
    return _of_rows(claim, held, test, others, len(whole) - len(frame))


def beats(claim: Claim, own: Tables) -> Outcome:
    """`better` is above `worse`, by one of several rules; rows that lack a method are left out.

    "each": each of the first above each of the second; "any": some of the first is; "mean": the
    mean of the first above the mean of the second.  The first rule of the claim is the stated one.
    """
    better, worse = claim.settings["better"], claim.settings["worse"]
    whole = need(_rows(claim, own), [*better, *worse])[[*better, *worse]]
    frame = whole.dropna()
    first, second = frame[better], frame[worse]
    sides = {
        "each": (first.min(axis=1), second.max(axis=1), "each one better"),
        "any": (first.max(axis=1), second.max(axis=1), "the best one better"),
        "mean": (first.mean(axis=1), second.mean(axis=1), "their mean better"),
    }
    found = []
    for rule in claim.settings.get("rules", ["each"]):
        left, right, test = sides[rule]
        ties = f"equal in {int((left == right).sum())}" if (left == right).any() else ""
        found.append(_of_rows(claim, left > right, test, ties, len(whole) - len(frame)))
    if len(found) == 1:
        return found[0]
    variants = [
        Variant(each.test, math.nan, each.value, each.verdict == AGREES, each is found[0])
        for each in found
    ]
    evidence = "; ".join(f"{each.test.partition(', ')[0]}: {each.evidence}" for each in found)
    return outcome(variants, evidence, ROWS)


def middle(claim: Claim, own: Tables) -> Outcome:
    """The method is neither the best nor the worst of the row (ties with either count as such)."""
    whole = need(_rows(claim, own), [claim.settings["method"]])
    frame = whole.dropna()
    value = frame[claim.settings["method"]]
    held = (value < frame.max(axis=1)) & (value > frame.min(axis=1))
    ranks = frame.rank(axis=1, ascending=False)[claim.settings["method"]]
    others = f"mean rank {ranks.mean():.2f} of {frame.shape[1]}"
    return _of_rows(claim, held, "neither best nor worst", others, len(whole) - len(frame))


def among_best(claim: Claim, own: Tables) -> Outcome:
    """The method has one of the first places; equal values share a place."""
    frame = _rows(claim, own).dropna()
    ranks = frame.rank(axis=1, ascending=False, method="min")[claim.settings["method"]]
    held = ranks <= claim.settings["places"]
    others = "places " + ", ".join(f"{rank:.0f}" for rank in ranks)
    return _of_rows(claim, held, f"among the first {claim.settings['places']}", others)


def best_classifier(claim: Claim, own: Tables) -> Outcome:
    """The classifier has the highest mean over the methods, data set by data set."""
    frame = methods_table(claim.table).mean(axis=1).unstack()
    frame = frame.loc[claim.settings.get("datasets", frame.index)]
    winners = frame.idxmax(axis=1)
    held = winners == claim.settings["classifier"]
    counts = ", ".join(
        f"{str(name).replace('_', ' ')} {count}" for name, count in winners.value_counts().items()
    )
    held.index = pd.MultiIndex.from_tuples([(claim.table, name) for name in held.index])
    return _of_rows(claim, held, "highest mean over the methods", f"best: {counts}")


def measure_below(claim: Claim, own: Tables) -> Outcome:
    """One measure is smaller than another, data set by data set and method by method."""
    frame = methods_table(claim.table, own.get(claim.table)).reset_index()
    long = frame.melt(["dataset", "measure"], var_name="method")
    wide = long.pivot(index=["dataset", "method"], columns="measure", values="value")
    names = [claim.settings["smaller"], claim.settings["larger"]]
    both = need(wide, names)[names].dropna()
    held = both[claim.settings["smaller"]] < both[claim.settings["larger"]]
    held.index = pd.MultiIndex.from_tuples([(claim.table, *label) for label in held.index])
    return _of_rows(claim, held, "the first measure is smaller")


def improves(claim: Claim, own: Tables) -> Outcome:
    """Each aggregator of one table against the single filter of another, row by row."""
    settings = claim.settings
    before, after = (
        methods_table(table, own.get(table)) for table in (settings["before"], settings["after"])
    )
    single = need(before, [settings["method"]])[settings["method"]]
    both = after.join(single.rename("before"), how="inner")
    both = both[both["before"].notna()].drop(columns=settings.get("without", []), errors="ignore")
    sign = np.where(both.index.get_level_values("measure").isin(SMALLER_IS_BETTER), -1.0, 1.0)
    gain = both.drop(columns="before").sub(both["before"], axis=0).mul(sign, axis=0)
    counts = (gain >= 0).sum()
    labels = [
        (settings["after"], *row, name) for row in gain.index.tolist() for name in gain.columns
    ]
    cells = pd.Series(
        gain.to_numpy().ravel() >= 0, index=pd.MultiIndex.from_tuples(labels), dtype=bool
    )
    others = "by aggregator: " + ", ".join(
        f"{str(name).replace('_', ' ')} {count} of {len(gain)}" for name, count in counts.items()
    )
    return _of_rows(claim, cells, "at least as good as the single filter", others)


def small_deviation(claim: Claim, own: Tables) -> Outcome:
    """The method's standard deviation against the mean of those of the others."""
    frame = load_published(claim.table)
    long = frame.melt(["dataset", "method"], ["nmi_sd", "ari_sd"], var_name="measure")
    wide = long.pivot(index=["dataset", "measure"], columns="method", values="value")
    held = wide[claim.settings["method"]] < wide[claim.settings["others"]].mean(axis=1)
    smallest = (wide[claim.settings["method"]] < wide[claim.settings["others"]].min(axis=1)).sum()
    held.index = pd.MultiIndex.from_tuples([(claim.table, *label) for label in held.index])
    others = f"the smallest of all in {int(smallest)}"
    return _of_rows(claim, held, "standard deviation below the mean of the others", others)


def subset_sizes(claim: Claim, own: Tables) -> Outcome:
    """Largest over smallest subset per data set: below a ratio, but for one exception."""
    settings = claim.settings
    wide = load_published(claim.table).pivot(
        index="dataset", columns="method", values="n_features"
    )[settings["methods"]]
    ratio = wide.max(axis=1) / wide.min(axis=1)
    expected = ratio.index != settings["exception"]
    shaped = ((ratio < settings["ratio"]) == expected).all()
    least = wide.loc[settings["exception"]].idxmin() == settings["smallest"]
    evidence = "largest by smallest size: " + ", ".join(
        f"{str(name).replace('_', ' ')} {value:.2f}" for name, value in ratio.items()
    )
    test = f"ratio of sizes below {settings['ratio']:g} but for the exception"
    verdict = AGREES if shaped and least else FAILS
    return Outcome(verdict, test, math.nan, float(ratio.max()), evidence, quantity="ratio")
