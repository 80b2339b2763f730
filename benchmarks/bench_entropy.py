"""Entropy filters: time per resample of the three discretisations against a plain kernel.

    python benchmarks/bench_entropy.py --output benchmarks/results/entropy.json

All three scores (information gain, gain ratio, symmetric uncertainty) of all features are computed
in every resample.  The plain kernel does the same work in a straightforward way: one pass over the
presorted rows per interval, every change of value a candidate, floats and a table of logarithms.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json
from joblib import Parallel, delayed
from numba import njit
from numpy.typing import NDArray

from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.filters.entropy import prepare_entropy

BLOCK = 8
VARIANTS: dict[str, dict[str, Any]] = {
    "mdl": {},
    "mdl fselectorrcpp": {"mdl": "fselectorrcpp"},
    "equal_width": {"discretization": "equal_width"},
    "equal_frequency": {"discretization": "equal_frequency"},
}


@njit(nogil=True)
def plain_entropy(counts, logs):
    total, gathered, present = 0, 0.0, 0
    for c in counts:
        total += c
        gathered += c * logs[c]
        present += c > 0
    return (logs[total] - gathered / total if total else 0.0), total, present


@njit(nogil=True)
def plain_kernel(values, order, weights, labels, n_classes):
    """Textbook MDL and the three scores, without any of the tricks."""
    n_resamples, n = weights.shape
    p = order.shape[0]
    out = np.zeros((3, n_resamples, p))
    logs = np.zeros(4 * n)
    logs[1:] = np.log(np.arange(1, 4 * n))
    rows = np.empty(n, np.int64)
    for r in range(n_resamples):
        w = weights[r]
        for j in range(p):
            m = 0
            for s in range(n):
                if w[order[j, s]] > 0:
                    rows[m] = order[j, s]
                    m += 1
            cuts = [0]
            stack = [(0, m)]
            while len(stack):
                start, stop = stack.pop()
                left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
                for s in range(start, stop):
                    right[labels[rows[s]]] += w[rows[s]]
                e, total, k = plain_entropy(right, logs)
                best, at, price = -1.0, -1, 0.0
                for s in range(start, stop - 1):
                    left[labels[rows[s]]] += w[rows[s]]
                    right[labels[rows[s]]] -= w[rows[s]]
                    if values[rows[s], j] == values[rows[s + 1], j]:
                        continue
                    e1, n1, k1 = plain_entropy(left, logs)
                    e2, n2, k2 = plain_entropy(right, logs)
                    gain = e - (n1 * e1 + n2 * e2) / total
                    if gain > best:
                        best, at = gain, s + 1
                        price = math.log(total - 1) + math.log(3.0**k - 2)
                        price -= k * e - k1 * e1 - k2 * e2
                if k > 1 and at > 0 and best >= price / total:
                    cuts.append(at)
                    stack.append((start, at))
                    stack.append((at, stop))
            cuts.sort()
            joint = np.zeros((len(cuts), n_classes), np.int64)
            for level in range(len(cuts)):
                stop = cuts[level + 1] if level + 1 < len(cuts) else m
                for s in range(cuts[level], stop):
                    joint[level, labels[rows[s]]] += w[rows[s]]
            h_x = plain_entropy(joint.sum(axis=1), logs)[0]
            h_y = plain_entropy(joint.sum(axis=0), logs)[0]
            gain = h_x + h_y - plain_entropy(joint.ravel(), logs)[0]
            if h_x > 0 and h_y > 0:
                out[0, r, j], out[1, r, j] = gain, gain / h_x
                out[2, r, j] = 2 * gain / (h_x + h_y)
    return out


Case = tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.uint16]]


def make_case(n: int, p: int, m: int, n_classes: int, decimals: int | None = None) -> Case:
    """A numeric table with signal in every tenth feature, and bootstrap weights."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n).astype(np.int32)
    X = rng.normal(size=(n, p))
    X[:, ::10] += y[:, np.newaxis]
    if decimals is not None:
        X = X.round(decimals)
    draws = rng.integers(0, n, (m, n))
    weights = np.stack([np.bincount(rows, minlength=n) for rows in draws]).astype(np.uint16)
    return np.asfortranarray(X), y, weights


def scorer_call(case: Case, jobs: int, **options: Any) -> Callable[[], object]:
    """Score all resamples in blocks, on `jobs` threads."""
    X, y, weights = case
    scorer = prepare_entropy(as_table(X), check_target(y, len(y)), **options)
    blocks = [weights[i : i + BLOCK] for i in range(0, len(weights), BLOCK)]

    def call() -> object:
        labels = y[np.newaxis]
        if jobs == 1:
            return [scorer(block, labels) for block in blocks]
        return Parallel(jobs, backend="threading")(
            delayed(scorer)(block, labels) for block in blocks
        )

    return call


def plain_call(case: Case, n_classes: int, n_resamples: int) -> Callable[[], NDArray[np.float64]]:
    X, y, weights = case
    order = np.ascontiguousarray(np.argsort(X, axis=0, kind="stable").T)
    few = weights[:n_resamples]
    return lambda: plain_kernel(X, order, few, y, n_classes)


def check_agreement(case: Case, n_classes: int) -> None:
    """The plain kernel and the product give the same scores, or the comparison means nothing."""
    X, y, weights = case
    scorer = prepare_entropy(as_table(X), check_target(y, len(y)))
    found = scorer(weights[:2], y[np.newaxis])
    expected = plain_call(case, n_classes, 2)()
    for name, matrix in zip(scorer.outputs, expected, strict=True):
        np.testing.assert_allclose(found[name], matrix, rtol=0, atol=1e-10)


def compare(n: int, p: int, m: int, jobs: int, rounds: int) -> list[dict[str, Any]]:
    """Discretisations, kinds of data and numbers of threads."""
    rows: list[dict[str, Any]] = []
    for data, n_classes, decimals in [
        ("continuous", 2, None),
        ("two decimals", 2, 2),
        ("integers", 2, 0),
        ("continuous", 5, None),
    ]:
        case = make_case(n, p, m, n_classes, decimals)
        check_agreement(case, n_classes)
        plain = min(m, 2)
        calls: dict[str, tuple[int, Callable[[], object]]] = {
            "mdl x 1": (m, scorer_call(case, 1)),
            "plain x 1": (plain, plain_call(case, n_classes, plain)),
        }
        for name, options in VARIANTS.items():
            for threads in sorted({1, jobs}):
                calls[f"{name} x {threads}"] = (m, scorer_call(case, threads, **options))
        timings = interleaved({name: call for name, (_, call) in calls.items()}, rounds=rounds)
        for name, timing in timings.items():
            count = calls[name][0]
            rows.append(
                {
                    "data": data,
                    "classes": n_classes,
                    "method x threads": name,
                    "ms per resample": timing.median / count * 1e3,
                    "best": timing.best / count * 1e3,
                    "times mdl x 1": timing.ratio * m / count,
                }
            )
    return rows


def growth(n: int, p: int, m: int, rounds: int) -> list[dict[str, Any]]:
    """Time of MDL while one of n, p and m doubles: linear if the last column stays level."""
    rows = []
    for what in ("n", "p", "m"):
        sizes = [
            {"n": n, "p": p, "m": m, what: {"n": n, "p": p, "m": m}[what] * 2**i // 4}
            for i in range(4)
        ]
        calls = {
            str(i): scorer_call(make_case(**size, n_classes=2), 1) for i, size in enumerate(sizes)
        }
        timings = interleaved(calls, rounds=rounds)
        for size, timing in zip(sizes, timings.values(), strict=True):
            cells = size["n"] * size["p"] * size["m"]
            rows.append(
                {
                    "grows": what,
                    **size,
                    "ms": timing.median * 1e3,
                    "ns/cell": timing.median / cells * 1e9,
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3888)
    parser.add_argument("--features", type=int, default=308)
    parser.add_argument("--resamples", type=int, default=32)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    if options.quick:
        options.samples, options.features, options.resamples, options.rounds = 1000, 64, 8, 3
    n, p, m = options.samples, options.features, options.resamples
    comparison = compare(n, p, m, options.jobs, options.rounds)
    print_table(comparison)
    print()
    curves = growth(n, max(4, p // 4), max(4, m // 2), options.rounds)
    print_table(curves)
    write_json(
        options.output,
        {"samples": n, "features": p, "resamples": m, "comparison": comparison, "growth": curves},
    )


if __name__ == "__main__":
    main()
