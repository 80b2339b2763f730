"""Side by side with what a user would use instead: ratios with intervals, in one process.

    python benchmarks/bench_alternatives.py --output benchmarks/results/alternatives.json

Every row times one task done by pyfsagg and by another package, in turn, so that a busy machine hits
both alike, and gives the ratio of the two times with a 95 % interval over the rounds.  Both use the
same number of threads, named in the row.  Where both compute the same quantity the values are compared
before anything is timed.  Packages that are not installed are named and left out: RobustRankAggreg,
FSelectorRcpp and praznik are R packages, pyensemblefs and ITMO_FS Python ones.  Set
OMP_WAIT_POLICY=passive, or the idle threads of R's packages burn the time of the others.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _timing import interleaved, print_table, write_json
from bench_ensemble import make_table
from scipy.stats import rankdata, t

import pyfsagg
from pyfsagg.exceptions import MissingDependencyError
from pyfsagg_rpy2 import session

Call = Callable[[], Any]


@dataclass(frozen=True)
class Comparison:
    """One task, `units` of it (resamples, pairs) per call of either side; `target` is a ratio."""

    task: str
    other: str
    threads: int
    ours: Call
    theirs: Call
    our_units: float = 1.0
    their_units: float = 1.0
    target: float | None = None


def measure(comparison: Comparison, rounds: int) -> dict[str, Any]:
    """Times per unit and the ratio theirs / ours with its interval (t, on logarithms)."""
    timings = interleaved({"ours": comparison.ours, "theirs": comparison.theirs}, rounds=rounds)
    pairs = zip(timings["ours"].seconds, timings["theirs"].seconds, strict=True)
    scale = comparison.our_units / comparison.their_units
    logs = [math.log(theirs / ours * scale) for ours, theirs in pairs]
    middle = statistics.fmean(logs)
    margin = float(t.ppf(0.975, rounds - 1)) * statistics.stdev(logs) / math.sqrt(rounds)
    return {
        "task": comparison.task,
        "other": comparison.other,
        "threads": comparison.threads,
        "pyfsagg ms": timings["ours"].median / comparison.our_units * 1e3,
        "other ms": timings["theirs"].median / comparison.their_units * 1e3,
        "times faster": math.exp(middle),
        "low": math.exp(middle - margin),
        "high": math.exp(middle + margin),
        "target": comparison.target,
    }


# ---------------------------------------------------------------------------------------------
# R packages
# ---------------------------------------------------------------------------------------------
def r_version(name: str) -> str:
    """An R package with its version; MissingDependencyError if R does not have it."""
    session.package(name)
    text = session.environment().r(f"as.character(packageVersion('{name}'))")[0]
    return f"{name} {text}"


def fselector(n: int, p: int, m: int, jobs: int) -> Iterator[Comparison]:
    """Within-aggregation by information gain, beside a loop over FSelectorRcpp."""
    label = r_version("FSelectorRcpp")
    X, y = make_table(n, p)
    rows = bootstrap_rows(n, m)
    one = session.environment().r(
        "function(x, y, rows, threads) FSelectorRcpp::information_gain("
        "x = x[rows, ], y = y[rows], type = 'infogain', threads = threads)$importance"
    )
    frame, target, r_rows = r_data(X, y, rows[0])
    ours = wam_call(
        X, y, rows, 1, filter="information_gain", filter_params={"mdl": "fselectorrcpp"}
    )
    np.testing.assert_allclose(
        ours().score_matrices["information_gain"][0], one(frame, target, r_rows, 1), atol=1e-10
    )
    for threads in sorted({1, jobs}):
        yield Comparison(
            "WAM, information gain (MDL)",
            f"loop over {label}",
            threads,
            wam_call(
                *(X, y, rows, threads),
                filter="information_gain",
                filter_params={"mdl": "fselectorrcpp"},
            ),
            lambda threads=threads: one(frame, target, r_rows, threads),
            our_units=m,
            target=25.0,
        )


def praznik(n: int, p: int, m: int, jobs: int) -> Iterator[Comparison]:
    """Within-aggregation by mRMR, all features ranked, beside a loop over praznik."""
    label = r_version("praznik")
    X, y = make_table(n, p)
    rows = bootstrap_rows(n, m)
    one = session.environment().r(
        "function(x, y, rows, k, threads) praznik::MRMR(x[rows, ], y[rows], k, threads = threads)$score"
    )
    frame, target, r_rows = r_data(X, y, rows[0])
    ours = {"filter": "mrmr", "filter_params": {"binning": "praznik", "n_features": "all"}}
    found = wam_call(X, y, rows, 1, **ours)().score_matrices["mrmr"][0]
    scores = one(frame, target, r_rows, p, 1)
    np.testing.assert_allclose(np.sort(found), np.sort(np.array(scores)), atol=1e-9)
    for threads in sorted({1, jobs}):
        yield Comparison(
            "WAM, mRMR (all features)",
            f"loop over {label}",
            threads,
            wam_call(X, y, rows, threads, **ours),
            lambda threads=threads: one(frame, target, r_rows, p, threads),
            our_units=m,
            target=8.0,
        )


def robust_rank_aggregation(cases: list[tuple[int, int, float]]) -> Iterator[Comparison]:
    """RRA of a matrix of ranks, beside RobustRankAggreg; the conversion to R is not counted."""
    label = r_version("RobustRankAggreg")
    robjects = session.environment()
    one = robjects.r("function(r) RobustRankAggreg::aggregateRanks(rmat = r, method = 'RRA')")
    for p, m, target in cases:
        rng = np.random.default_rng(1)
        ranks = np.array([rng.permutation(p) + 1.0 for _ in range(m)])
        table = pyfsagg.Rankings.from_ranks(ranks)
        matrix = robjects.r.matrix(robjects.FloatVector((ranks / p).ravel()), nrow=p)
        matrix.rownames = robjects.StrVector(list(table.items))
        yield Comparison(
            f"RRA, {p} items in {m} lists",
            label,
            1,
            lambda table=table: pyfsagg.aggregate(table, "rra").to_frame(),
            lambda matrix=matrix: one(matrix),
            target=target,
        )


def bootstrap_rows(n: int, m: int) -> np.ndarray:
    return np.random.default_rng(2).integers(0, n, (m, n))


def r_data(X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> tuple[Any, Any, Any]:
    """A data frame, a factor and row numbers from 1, as R holds them."""
    robjects = session.environment()
    frame = robjects.r["as.data.frame"](
        robjects.r.matrix(robjects.FloatVector(X.ravel(order="F")), nrow=len(X))
    )
    target = robjects.r["factor"](robjects.IntVector(y.tolist()))
    return frame, target, robjects.IntVector((rows + 1).tolist())


def wam_call(X: np.ndarray, y: np.ndarray, rows: np.ndarray, jobs: int, **options: Any) -> Call:
    return lambda: pyfsagg.wam(
        X, y, resampling=pyfsagg.resampling.Rows(rows), n_jobs=jobs, **options
    )


# ---------------------------------------------------------------------------------------------
# Python packages
# ---------------------------------------------------------------------------------------------
def python_label(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        raise MissingDependencyError(f"the Python package {name!r} is not installed") from None


def scikit_learn(n: int, p: int, m: int, jobs: int) -> Iterator[Comparison]:
    """Mutual information of all features: an estimate by nearest neighbours there, by bins here."""
    from sklearn.feature_selection import mutual_info_classif

    X, y = make_table(n, p)
    rows = bootstrap_rows(n, m)
    for threads in sorted({1, jobs}):
        yield Comparison(
            "WAM, mutual information",
            f"loop over mutual_info_classif, {python_label('scikit-learn')}",
            threads,
            wam_call(X, y, rows, threads, filter="information_gain"),
            lambda threads=threads: mutual_info_classif(
                X[rows[0]], y[rows[0]], random_state=0, n_jobs=threads
            ),
            our_units=m,
        )


def pyensemblefs(n: int, p: int, m: int, jobs: int) -> Iterator[Comparison]:
    """A bootstrap ensemble of a mutual information filter, aggregated by the mean."""
    label = python_label("pyensemblefs")
    from pyensemblefs.aggregators.score import MeanAggregator
    from pyensemblefs.ensemble.bootstrapper import Bootstrapper
    from pyensemblefs.ensemble.featureselector import EnsembleFeatureSelector
    from pyensemblefs.fsmethods.score import MIScore

    X, y = make_table(n, p)
    frame, few = pd.DataFrame(X), max(2, jobs)
    for threads in sorted({1, jobs}):

        def theirs(threads: int = threads) -> Any:
            inner = Bootstrapper(MIScore(), n_bootstraps=few, n_jobs=threads, random_state=0)
            return EnsembleFeatureSelector(inner, MeanAggregator()).fit(frame, y)

        yield Comparison(
            "bootstrap ensemble, mutual information",
            f"{label} (MIScore)",
            threads,
            lambda threads=threads: pyfsagg.wam(
                frame, y, filter="information_gain", n_resamples=m, n_jobs=threads, random_state=0
            ),
            theirs,
            our_units=m,
            their_units=few,
            target=50.0,
        )


def itmo_fs(n: int, p: int, m: int, jobs: int) -> Iterator[Comparison]:
    """Information gain of ten equal bins, resample by resample, on one thread."""
    label = python_label("ITMO_FS")
    from ITMO_FS.filters.univariate import information_gain

    X, y = make_table(n, p)
    codes = pyfsagg.discretization.discretize(X, method="equal_width", bins=10).codes
    rows = bootstrap_rows(n, m)
    words = pd.DataFrame(codes).astype("category")
    ours = wam_call(words, y, rows, 1, filter="information_gain")

    def theirs() -> Any:
        return information_gain(codes[rows[0]], y[rows[0]])

    np.testing.assert_allclose(ours().score_matrices["information_gain"][0], theirs(), atol=1e-9)
    yield Comparison("WAM, information gain (ten bins)", f"loop over {label}", 1, ours, theirs, m)


def pairwise_stability(m: int, p: int, loops: int) -> Iterator[Comparison]:
    """Stability over all pairs of resamples, beside a plain loop over the pairs of some."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(m, p)) + np.linspace(0, 3, p)
    support = scores >= np.sort(scores, axis=1)[:, [p - max(1, p // 4)]]
    plain: dict[str, tuple[np.ndarray, Callable[[np.ndarray, np.ndarray], float]]] = {
        "pearson": (scores, lambda a, b: float(np.corrcoef(a, b)[0, 1])),
        "spearman": (scores, lambda a, b: float(np.corrcoef(rankdata(a), rankdata(b))[0, 1])),
        "jaccard": (support, lambda a, b: float((a & b).sum() / (a | b).sum())),
    }
    pairs = list(itertools.combinations(range(loops), 2))
    for name, (data, similarity) in plain.items():

        def loop(data: np.ndarray = data, similarity: Any = similarity) -> float:
            return float(np.mean([similarity(data[a], data[b]) for a, b in pairs]))

        few = data[:loops]
        np.testing.assert_allclose(float(pyfsagg.stability(few, name)), loop(), rtol=1e-9)
        yield Comparison(
            f"stability, {name}, {m} resamples of {p} features",
            "loop over pairs",
            1,
            lambda data=data, name=name: pyfsagg.stability(data, name),
            loop,
            our_units=m * (m - 1) / 2,
            their_units=len(pairs),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=3888)
    parser.add_argument("--features", type=int, default=308)
    parser.add_argument("--resamples", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="a small table and few rounds")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    rra = [(20_000, 20, 20.0), (1000, 1000, 5.0)]
    pairs = (1000, 1000, 30)
    if options.quick:
        options.samples, options.features, options.resamples, options.rounds = 500, 32, 32, 3
        rra, pairs = [(2000, 20, 20.0), (200, 100, 5.0)], (200, 200, 10)
    size = (options.samples, options.features, options.resamples, options.jobs)
    rows: list[dict[str, Any]] = []
    skipped: list[str] = []
    for comparisons in (
        *(part(*size) for part in (fselector, praznik, scikit_learn, pyensemblefs, itmo_fs)),
        robust_rank_aggregation(rra),
        pairwise_stability(*pairs),
    ):
        try:
            rows += [measure(comparison, options.rounds) for comparison in comparisons]
        except MissingDependencyError as error:
            skipped.append(str(error))
    print_table(rows)
    for reason in skipped:
        print(f"left out: {reason}")
    write_json(options.output, {"rows": rows, "left_out": skipped, "size": size})


if __name__ == "__main__":
    main()
