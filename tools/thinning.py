"""Errors of expected agreements, from tables that are thinned: ``PYFSAGG_DATA=… python tools/thinning.py``.

A table of 48, 96, … rows is drawn from a large one and divided as `expected_replication` divides it; what is
expected of it at once, twice and four times its rows is compared with the agreement of disjoint samples of
these sizes from the large table.  Quantiles of the errors, each data set with the same weight, are written to
data/validation/thinning.json; those of 0.05 and 0.95 are `ERRORS` of pyfsagg/ensemble/larger_samples.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit

import pyfsagg
from pyfsagg.ensemble.larger_samples import EDGE, SLOPE, WEIGHTS, _why_not
from pyfsagg.stability_measures import between_sample_stability

DATA = [
    *(
        "madelon",
        "semeion",
        "optdigits",
        "satellite",
        "image",
        "pendigits_test",
        "segmentation_test",
    ),
    *("gisette_valid_only", "ada", "jasmine", "scene", "drosophila_lifecycle_artiva"),
    *("armstrong_2002_v2", "arcene"),
]
EFFECTS = {
    "few": lambda rng, p: np.where(np.arange(p) < 10, 0.5, 0.0),
    "graded": lambda rng, p: 0.6 * np.exp(-np.arange(p) / 15),
    "many weak": lambda rng, p: np.where(np.arange(p) < 60, 0.25, 0.0),
    "dense": lambda rng, p: 0.2 * rng.standard_normal(p),
    "noise": lambda rng, p: np.zeros(p),
}
SMALLEST, TABLES, PAIRS, MOST_FEATURES = 48, 10, 20, 2000
FILE = Path(__file__).parents[1] / "data" / "validation" / "thinning.json"

Sample = tuple[np.ndarray, np.ndarray]


def tables() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, numbers and classes of every table."""
    for name, effects in EFFECTS.items():
        rng = np.random.default_rng(5)
        y = np.arange(4000) % 2
        X = rng.standard_normal((4000, 300)) + y[:, np.newaxis] * effects(rng, 300)
        yield f"simulated: {name}", X, y
    for name in DATA:
        data = pyfsagg.load_dataset(name)
        X = data.X.apply(pd.to_numeric, errors="coerce").iloc[:, :MOST_FEATURES]
        X = X.loc[:, X.notna().all() & (X.nunique() > 1)]
        yield name, X.to_numpy(dtype=float), pd.factorize(np.asarray(data.y))[0]


def between(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Share of the variance of each column between the classes, which ranks as F does."""
    centred = X - X.mean(axis=0)
    sums = sum((y == c).sum() * centred[y == c].mean(axis=0) ** 2 for c in np.unique(y))
    return np.asarray(sums / np.maximum((centred**2).sum(axis=0), 1e-300))


def scored_pairs(
    rng: np.random.Generator, X: np.ndarray, y: np.ndarray, rows: np.ndarray, size: int, number: int
) -> Sample:
    """Scores of so many pairs of disjoint samples of `size` of the `rows`, each class in its share."""
    strata = [rows[y[rows] == c] for c in np.unique(y[rows])]
    scores: tuple[list[np.ndarray], list[np.ndarray]] = [], []
    for _ in range(number):
        halves: tuple[list[np.ndarray], list[np.ndarray]] = [], []
        for stratum in strata:
            drawn = rng.permutation(stratum)
            m = min(max(1, round(size * len(stratum) / len(rows))), len(stratum) // 2)
            halves[0].append(drawn[:m])
            halves[1].append(drawn[m : 2 * m])
        for side, parts in zip(scores, halves, strict=True):
            chosen = np.concatenate(parts)
            side.append(between(X[chosen], y[chosen]))
    return np.array(scores[0]), np.array(scores[1])


def agreement(pairs: Sample, k: int) -> tuple[float, float]:
    """Nogueira's measure over pairs, and its lower 95 % limit."""
    row = between_sample_stability(*pairs, n_features_to_select=k).estimates.loc["nogueira"]
    return float(row["estimate"]), float(row["lower"])


def thinned(name: str, X: np.ndarray, y: np.ndarray) -> Iterator[dict[str, Any]]:
    """What was expected of each thinned table, and what larger samples had."""
    rng = np.random.default_rng(1)
    n, p = X.shape
    sizes = [k for k in sorted({5, 10, min(40, p // 4)}) if 1 < k < p / 2]
    truth: dict[tuple[int, int], float] = {}
    size = SMALLEST
    while 2 * size <= n:
        larger = {times: times * size for times in (1, 2, 4) if 2 * times * size <= n}
        for rows in larger.values():
            if (rows, sizes[0]) not in truth:
                pairs = scored_pairs(rng, X, y, np.arange(n), rows, 2 * PAIRS)
                truth |= {(rows, k): agreement(pairs, k)[0] for k in sizes}
        for _ in range(TABLES):
            kept = [
                rng.permutation(np.flatnonzero(y == c))[: max(8, round(size * (y == c).mean()))]
                for c in np.unique(y)
            ]
            table = np.concatenate(kept)
            parts = {
                part: scored_pairs(rng, X, y, table, len(table) // part, PAIRS) for part in WEIGHTS
            }
            for k in sizes:
                found = {part: agreement(pairs, k) for part, pairs in parts.items()}
                odds = {
                    part: float(logit(np.clip(value, EDGE, 1 - EDGE)))
                    for part, (value, _) in found.items()
                }
                if _why_not(odds, found[2][1]):
                    continue
                at_table = sum(
                    WEIGHTS[part] * (odds[part] + SLOPE * np.log2(part)) for part in odds
                )
                for times, rows in larger.items():
                    turned_out = logit(np.clip(truth[rows, k], EDGE, 1 - EDGE))
                    error = turned_out - at_table - SLOPE * np.log2(times)
                    yield {"data": name, "times": times, "error": float(error)}
        size *= 2


def quantiles(errors: pd.DataFrame, levels: list[float]) -> list[float]:
    """Quantiles in which every data set has the same weight."""
    ordered = errors.sort_values("error")
    weight = 1.0 / ordered.groupby("data")["error"].transform("size")
    reached = (weight.cumsum() / weight.sum()).to_numpy()
    places = np.minimum(np.searchsorted(reached, levels), len(ordered) - 1)
    return [round(float(value), 3) for value in ordered["error"].to_numpy()[places]]


def main() -> int:
    rows: list[dict[str, Any]] = []
    for name, X, y in tables():
        found = list(thinned(name, X, y))
        print(f"{name}: {X.shape[0]} x {X.shape[1]}, {len(found)} values", flush=True)
        rows += found
    errors = pd.DataFrame(rows)
    record = {}
    for times, of in errors.groupby("times"):
        held = {}
        for name, own in of.groupby("data"):
            low, high = quantiles(of[of["data"] != name], [0.05, 0.95])
            held[str(name)] = round(float(own["error"].between(low, high).mean()), 3)
        record[str(times)] = {
            "quantiles 0.05, 0.5, 0.95": quantiles(of, [0.05, 0.5, 0.95]),
            "values": len(of),
            "between the limits of the other data": held,
            "mean": round(float(np.mean(list(held.values()))), 3),
        }
    FILE.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(record, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
