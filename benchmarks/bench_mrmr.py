"""Time of mRMR and chi-squared per resample, beside a plain joint-histogram mRMR, in one run.

    python benchmarks/bench_mrmr.py --output benchmarks/results/mrmr.json

The baseline counts every pair by a loop over the draws into one table, as one would write it first;
its scores are compared with those of the package before anything is timed.  With --praznik the R
package runs in turn with the others on the first resample; set OMP_WAIT_POLICY=passive, or its idle
threads burn the time of the others.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _timing import interleaved, print_table, write_json
from joblib import Parallel, delayed
from numba import njit

from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.filters._base import Scorer
from pyfsagg.filters.association import prepare_chi_squared
from pyfsagg.filters.information import prepare_mrmr


@njit(nogil=True)
def baseline_mrmr(codes, y, n_classes, scores):  # type: ignore[no-untyped-def]
    """Full ranking of coded columns (p, n), below 16 codes each, by weightless joint histograms."""
    p, n = codes.shape
    logs = np.zeros(n + 1)
    for count in range(2, n + 1):
        logs[count] = count * np.log(count)
    entropy = np.zeros(p + 1)
    relevance, redundancy = np.zeros(p), np.zeros(p)
    table = np.zeros(256, dtype=np.int32)

    left = np.ones(p, dtype=np.bool_)
    for j in range(p + 1):
        table[:] = 0
        for i in range(n):
            table[codes[j, i] if j < p else y[i]] += 1
        entropy[j] = logs[n] - logs[table].sum()
    last = p
    for k in range(p + 1):
        for j in range(p):
            if left[j]:
                table[:] = 0
                for i in range(n):
                    other = y[i] if last == p else codes[last, i]
                    table[codes[j, i] * 16 + other] += 1
                shared = (entropy[j] + entropy[last] - (logs[n] - logs[table].sum())) / n
                if last == p:
                    relevance[j] = shared
                else:
                    redundancy[j] += shared
        if k == p:
            break
        criterion = np.where(left, relevance - redundancy / max(k, 1), -np.inf)
        last = int(criterion.argmax())
        scores[last] = criterion[last]
        left[last] = False


def praznik_codes(x: np.ndarray) -> np.ndarray:
    """Codes (n, p) of praznik's ten bins."""
    low, high = x.min(axis=0), x.max(axis=0)
    widen = (np.minimum(abs(low), abs(high)) > 1e-14) & (np.maximum(abs(low), abs(high)) < 1e300)
    low = np.where(widen, low - (high - low) / 1000, low)
    high = np.where(widen, high + (high - low) / 1000, high)
    return np.minimum(np.floor((x - low) / (high - low) * 10), 9).astype(np.uint8)


def make_data(n: int, p: int, kind: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, p)) if kind == "normal" else rng.uniform(1, 2, size=(n, p))
    X[:, : p // 10] += 0.5 * y[:, None]
    return X, y


def praznik_call(X: np.ndarray, y: np.ndarray, threads: int) -> Callable[[], list[str]]:
    """praznik's full ranking of a table that R already holds; returns the names in order."""
    from pyfsagg_rpy2.session import environment, package

    robjects = environment()
    frame = robjects.r["as.data.frame"](
        robjects.r.matrix(robjects.FloatVector(X.ravel(order="F")), nrow=len(X))
    )
    target = robjects.r["factor"](robjects.IntVector(y.tolist()))
    library = package("praznik")
    return lambda: [
        str(name)
        for name in library.MRMR(frame, target, k=X.shape[1], threads=threads)
        .rx2("selection")
        .names
    ]


def measure(n: int, p: int, kind: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Time per resample of all methods on one table, taken in turn."""
    X, y = make_data(n, p, kind, options.seed)
    table, target = as_table(X), check_target(y, n)
    rng = np.random.default_rng(options.seed + 1)
    m, jobs = options.resamples, options.jobs
    rows = np.sort(rng.integers(0, n, (m, n)), axis=1)
    weights = np.stack([np.bincount(r, minlength=n) for r in rows]).astype(np.uint16)
    labels = target.codes[np.newaxis]
    mrmr, chi_squared = (
        prepare_mrmr(table, target, binning="praznik", n_features="all"),
        prepare_chi_squared(table, target),
    )

    def baseline() -> np.ndarray:
        scores = np.zeros(p)
        codes = np.ascontiguousarray(praznik_codes(X[rows[0]]).T)
        baseline_mrmr(codes, target.codes[rows[0]], 2, scores)
        return scores

    scores, orders = mrmr.select(weights[:1], labels)
    np.testing.assert_allclose(scores[0], baseline(), atol=1e-9)
    calls: dict[str, tuple[int, Callable[[], object]]] = {
        "mrmr x 1": (m, blocks_call(mrmr, weights, labels, 1)),
        "plain joint histograms x 1": (1, baseline),
    }
    for name, scorer in (("mrmr", mrmr), ("chi_squared", chi_squared)):
        for threads in sorted({1, jobs}):
            calls[f"{name} x {threads}"] = (m, blocks_call(scorer, weights, labels, threads))
    if options.praznik:
        for threads in sorted({1, jobs}):
            call = praznik_call(X[rows[0]], y[rows[0]], threads)
            assert call() == [f"V{j + 1}" for j in orders[0]], "praznik ranks otherwise"
            calls[f"praznik x {threads}"] = (1, call)
    timings = interleaved({name: call for name, (_, call) in calls.items()}, rounds=options.rounds)
    return [
        {
            "n": n,
            "p": p,
            "data": kind,
            "method x threads": name,
            "ms per resample": timing.median / calls[name][0] * 1e3,
            "best": timing.best / calls[name][0] * 1e3,
            "times mrmr x 1": timing.ratio * m / calls[name][0],
        }
        for name, timing in timings.items()
    ]


def blocks_call(
    scorer: Scorer, weights: np.ndarray, labels: np.ndarray, threads: int
) -> Callable[[], object]:
    """Score all resamples, one block for each thread."""
    blocks = np.array_split(weights, threads)
    return lambda: Parallel(threads, backend="threading")(
        delayed(scorer)(block, labels) for block in blocks
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3888)
    parser.add_argument("--features", type=int, default=308)
    parser.add_argument("--resamples", type=int, default=16, help="resamples per measurement")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=4, help="threads of the parallel measurement")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--growth", action="store_true", help="also vary n and p")
    parser.add_argument("--praznik", action="store_true", help="beside the R package praznik")
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    if options.quick:
        options.samples, options.features, options.resamples, options.rounds = 1000, 64, 8, 3
    n, p = options.samples, options.features
    cases = [(n, p, "normal"), (n, p, "uniform")]
    if options.growth:
        cases += [(n * 2**i // 8, p, "normal") for i in (0, 1, 2, 4)]
        cases += [(n, p * 2**i // 4, "normal") for i in (0, 1, 3)]
    rows = [row for case in cases for row in measure(*case, options)]
    print_table(rows)
    write_json(options.output, {"resamples": options.resamples, "rows": rows})


if __name__ == "__main__":
    main()
