"""The definitions of the rank-order paper, word by word: slow, in plain Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import log

import numpy as np
import pandas as pd


def state(row, i: int, j: int) -> str:
    if np.isnan(row[i]) or np.isnan(row[j]):
        return "?"
    return "<" if row[i] < row[j] else ">" if row[i] > row[j] else "="


def boolean_order(X: pd.DataFrame) -> pd.DataFrame:
    """The state of every pair of features in each row, definition 4, as numbers."""
    pairs = list(combinations(range(X.shape[1]), 2))
    rows = [["<>=?".index(state(row, i, j)) for i, j in pairs] for row in X.to_numpy()]
    return pd.DataFrame(rows, columns=[f"{X.columns[i]}<{X.columns[j]}" for i, j in pairs])


def pattern(row, features) -> tuple[str, ...]:
    return tuple(state(row, i, j) for i, j in combinations(features, 2))


def divergence(X, y, kept, full) -> float:
    """Δ of `kept` with respect to `full`, definition 3."""
    whole = [pattern(row, full) for row in X]
    part = [pattern(row, kept) for row in X]
    groups, parts = defaultdict(Counter), defaultdict(Counter)
    for a, b, label in zip(whole, part, y, strict=True):
        groups[a][label] += 1
        parts[b][label] += 1
    total = 0.0
    for a, b in zip(whole, part, strict=True):
        before, after = groups[a], parts[b]
        for label, count in before.items():
            p = count / before.total()
            total += p * log(p / (after[label] / after.total()))
    return total / len(X)


def inversions(first, second, i: int) -> int:
    opposite = {("<", ">"), (">", "<")}
    return sum(
        (state(first, i, j), state(second, i, j)) in opposite for j in range(len(first)) if j != i
    )


def spoilers(X, y, features) -> list[int]:
    part = X[:, features]
    counts = [0] * len(features)
    for label in set(y):
        members = part[[a for a in range(len(y)) if y[a] == label]]
        for a, b in combinations(range(len(members)), 2):
            for i in range(len(features)):
                counts[i] += inversions(members[a], members[b], i)
    return counts


def ranks(values) -> list[Fraction]:
    return [
        Fraction(2 * sum(bool(v < x) for v in values) + sum(bool(v == x) for v in values) + 1, 2)
        for x in values
    ]


def centre_distances(X, y, features) -> list[Fraction]:
    centres = []
    for label in sorted(set(y)):
        members = [X[a, features] for a in range(len(y)) if y[a] == label]
        centres.append(ranks([sum(column) for column in zip(*map(ranks, members), strict=True)]))
    return [
        sum((a - b) ** 2 for a, b in zip(first, second, strict=True))
        for first, second in combinations(centres, 2)
    ]


def largest(p: int) -> Fraction:
    return Fraction(p**3 - p, 3) if p > 1 else Fraction(1)


def eliminate(
    X, y, method, *, center_distance="raw", blanket_size=2, partners="redundant", always=()
) -> list[int]:
    """Removal order; among equals the first column goes, and never what is always in."""
    left = list(range(X.shape[1]))
    original = centre_distances(X, y, left) if method == "cdv" else None
    full = list(left)
    removed = []
    while len(left) > max(len(always), 1):
        if method == "spoilers":
            costs = [-count for count in spoilers(X, y, left)]
        elif method == "cdv":
            costs = []
            for k in left:
                now = centre_distances(X, y, [f for f in left if f != k])
                share, base = Fraction(1), Fraction(1)
                if center_distance == "relative":
                    share, base = largest(len(left) - 1), largest(len(full))
                pairs = zip(now, original, strict=True)
                costs.append(sum((a / share - b / base) ** 2 for a, b in pairs))
        elif method == "greedy_kl":
            costs = [divergence(X, y, [f for f in left if f != k], full) for k in left]
        else:
            costs = [blanket_cost(X, y, k, left, blanket_size, partners) for k in left]
        least = min(cost for k, cost in zip(left, costs, strict=True) if k not in always)
        slack = 0 if method in ("spoilers", "cdv") else 1e-10  # exact where numbers are whole
        ties = [k for k, cost in zip(left, costs, strict=True) if cost <= least + slack]
        ties = [k for k in ties if k not in always]
        left.remove(ties[0])
        removed.append(ties[0])
    return removed + left


def blanket_cost(X, y, k, left, size, partners) -> float:
    others = [j for j in left if j != k]
    if partners == "redundant":
        keys = {j: divergence(X, y, [j], [j, k]) for j in others}
    else:
        keys = {j: divergence(X, y, [j, k], list(range(X.shape[1]))) for j in others}
    # Equally good partners: the last columns, which ties remove last.
    blanket = sorted(others, key=lambda j: (round(keys[j], 10), -j))[:size]
    return divergence(X, y, blanket, [*blanket, k])


def naive_bayes(X, y, features, folds, alpha: float, states: str) -> float:
    """Accuracy, each row classified by the rows of the other folds."""
    classes = sorted(set(y))
    pairs = list(combinations(features, 2))
    correct = 0
    for a, row in enumerate(X):
        train = [b for b in range(len(X)) if folds[b] != folds[a]]
        posterior = []
        for label in classes:
            members = [b for b in train if y[b] == label]
            value = log((len(members) + alpha) / (len(train) + alpha * len(classes)))
            for i, j in pairs:
                own = state(row, i, j)
                if own == "?":
                    continue
                known = [s for b in members if (s := state(X[b], i, j)) != "?"]
                value += log((known.count(own) + alpha) / (len(known) + alpha * len(states)))
            posterior.append(value)
        best = max(posterior)
        first = next(c for c, value in zip(classes, posterior, strict=True) if value > best - 1e-9)
        correct += first == y[a]
    return correct / len(X)
