"""Beside the packages that a user would take instead: the same values, one thread, from Python and from R.

    R_LIBS=... PYFSAGG_PYTHON=... python benchmarks/bench_peers.py --output benchmarks/peers.json
    R_LIBS=... PYFSAGG_PYTHON=... python benchmarks/bench_peers.py --first --output first_answer.json

Processor seconds, the least of some rounds, as other programs lengthen the others.  Python times a filter
as in each of many resamples, once its table has been read and sorted, and all else as one call on arrays; an
R process times the other package and one call of pyfsaggr, with the reading, the sorting and the conversion
both ways.  All three must give the same values before a row is written: `differs by` is the largest
difference in any value, for rank sets in ranks, as both sides draw random numbers.  MDL cuts are
compared on tall tables: on 72 x 2,000 one of 4,000 values differs from FSelectorRcpp's, a symmetrical
uncertainty by 0.004, because two cuts of a range gain exactly as much, and rounding decides which is taken.
R needs pyfsaggr and the
packages of the table; of Python abcvoting, which is left out where it is missing.

With --first it is the first answer in R after installation instead: a process that loads pyfsaggr and ranks
iris, with an empty folder of compiled kernels, so that there are those that came with the package, or none.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from _timing import environment, print_table, skip, write_json

import pyfsagg
from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.filters.entropy import prepare_entropy
from pyfsagg.filters.information import PREPARE

Values = Callable[[], np.ndarray]

IN_R = """
arguments <- commandArgs(TRUE); rounds <- as.integer(arguments[2])
read <- function(name, ...) readBin(file.path(arguments[1], name), ..., n = 1e8)
suppressMessages(library(pyfsaggr))
X <- as.data.frame(matrix(read("X", "double"), ncol = %(p)d)); y <- read("y", "double"); classes <- factor(y)
theirs <- function() %(theirs)s
ours <- function() %(ours)s
seconds <- function(run) { time <- system.time(value <<- run()); sum(time[1:2]) }
found <- list(theirs(), ours())
times <- replicate(rounds, c(seconds(theirs), seconds(ours)))
cat(as.character(packageVersion("%(package)s")), apply(times, 1, min), "\\n")
for (values in found) cat(format(unlist(values), digits = 17), "\\n")
"""


def least(run: Callable[[], object], rounds: int) -> float:
    """Processor seconds of the quickest round, after one that compiles."""
    run()
    seconds = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return min(seconds)


def in_r(
    X: np.ndarray, y: np.ndarray, package: str, theirs: str, ours: str, rounds: int
) -> tuple[str, list[float], list[np.ndarray]]:
    """The version of the package, seconds of both sides, and their values."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "X").write_bytes(X.astype(float).tobytes(order="F"))
        Path(folder, "y").write_bytes(y.astype(float).tobytes())
        parts = {"p": X.shape[1], "package": package, "theirs": theirs, "ours": ours}
        command = ["Rscript", "-e", IN_R % parts, folder, str(rounds)]
        alone = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "PYTHONPATH": ""}
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, env={**os.environ, **alone}
        )
    first, *values = done.stdout.strip().splitlines()
    label, *seconds = first.split()
    return label, [*map(float, seconds)], [np.array(line.split(), float) for line in values]


def make_table(n: int, p: int, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """A tenth of the columns has to do with the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    X = rng.normal(size=(n, p))
    X[:, ::10] += 0.5 * y[:, np.newaxis]
    return X, y


def greedy(criterion: str, k: int, X: np.ndarray, y: np.ndarray, **options: Any) -> Values:
    """Scores of the selected columns in the order of their selection."""
    target = check_target(y, len(y), task=options.get("task", "classification"))
    binning = options.get("binning", "praznik")
    scorer = PREPARE[criterion](as_table(X), target, binning=binning, n_features=k)
    weights = np.ones((1, len(y)), np.uint16)

    def run() -> np.ndarray:
        scores, orders = scorer.select(weights, target.codes[np.newaxis])
        return np.asarray(scores[0, orders[0]])

    return run


def entropy(X: np.ndarray, y: np.ndarray) -> Values:
    """Information gain and symmetrical uncertainty of all columns, which come from one pass."""
    target = check_target(y, len(y))
    scorer = prepare_entropy(as_table(X), target, mdl="fselectorrcpp")
    weights = np.ones((1, len(y)), np.uint16)

    def run() -> np.ndarray:
        found = scorer(weights, target.codes[np.newaxis])
        return np.append(found["information_gain"][0], found["symmetric_uncertainty"][0])

    return run


def r_rows(rounds: int, quick: bool) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    tasks: list[tuple[str, np.ndarray, np.ndarray, str, str, str, Values, float]] = []
    tables = [(300, 40, 2)] if quick else [(3888, 308, 2), (3888, 308, 5)]
    for n, p, c in tables:
        X, y = make_table(n, p, c)
        both = (
            "c({0}(x = X, y = classes, type = 'infogain')$importance, "
            "{0}(x = X, y = classes, type = 'symuncert')$importance)"
        )
        theirs, ours = (
            both.format("FSelectorRcpp::information_gain"),
            both.format("information_gain"),
        )
        name = f"information gain and symmetrical uncertainty by MDL, {n} x {p}, {c} classes"
        tasks.append((name, X, y, "FSelectorRcpp", theirs, ours, entropy(X, y), 1e-9))
    n, p = (300, 40) if quick else (3888, 308)
    X, y = make_table(n, p)
    for criterion in ("mrmr", "jmi", "disr", "jmim", "njmim", "cmim"):
        theirs = f"praznik::{criterion.upper()}(X, classes, k = {p // 2}, threads = 1)$score"
        ours = f"{criterion.upper()}(X, classes, k = {p // 2})$score"
        name = f"{criterion}, {p // 2} of {n} x {p}"
        tasks.append((name, X, y, "praznik", theirs, ours, greedy(criterion, p // 2, X, y), 1e-9))
    n, p = (20, 30) if quick else (72, 100)
    X, _ = make_table(n, p)
    y = X[:, 0] + rng.normal(size=n)
    theirs = f"sort(praznik::MRMR(praznik::kTransform(X), praznik::kTransform(y), {p}, threads = 1)$score)"
    ours = f"sort(score_features(X, y, 'mrmr', n_features = {p}, binning = 'kendall', task = 'regression'))"
    name = f"mrmr of Kendall's transformation, all of {n} x {p}, a number as target"
    of_pairs = greedy("mrmr", p, X, y, binning="kendall", task="regression")
    tasks.append((name, X, y, "praznik", theirs, ours, lambda: np.sort(of_pairs()), 1e-9))
    m, p = (20, 50) if quick else (200, 1000)
    chosen = np.array([np.sort(rng.permutation(p)[: p // 10]) + 1.0 for _ in range(m)])
    held = np.zeros((m, p), bool)
    np.put_along_axis(held, chosen.astype(int) - 1, True, 1)
    for measure, function in (("nogueira", "stabilityNogueira"), ("jaccard", "stabilityJaccard")):
        call = f"{function}(asplit(as.matrix(X), 1), p = {p})"
        tasks.append(
            (
                f"stability, {measure}, {m} selections of {p // 10} of {p}",
                chosen, np.zeros(1), "stabm", f"stabm::{call}", call,
                lambda measure=measure: np.array([float(pyfsagg.stability(held, measure))]), 1e-9,
            )
        )  # fmt: skip
    items = 20 if quick else 200
    estimates, draws = rng.normal(size=items), 1000
    theirs = f"unlist(csranks::csranks(y, diag(0.04, {items}), R = {draws}, seed = 1)[c('L', 'U')])"
    ours = (
        f"{{found <- rank_confidence(y, diag(0.04, {items}), names = seq_along(y), n_draws = {draws})$table; "
        "unlist(found[order(as.integer(as.character(found$item))), c('lower_all', 'upper_all')])}"
    )

    def sets() -> np.ndarray:
        found = pyfsagg.statistics.rank_confidence(
            estimates, np.diag(np.full(items, 0.04)), n_draws=draws
        )
        frame = found.to_frame().sort_index(key=lambda names: names.str[5:].astype(int))
        return np.asarray(frame[["lower_all", "upper_all"]].to_numpy(float).T.ravel())

    name = f"rank sets of {items} items, {draws} draws"
    tasks.append((name, np.zeros((1, 1)), estimates, "csranks", theirs, ours, sets, items / 20))
    p, m = (50, 10) if quick else (1000, 1000)
    ranks = np.array([rng.permutation(p) + 1.0 for _ in range(m)])
    table = pyfsagg.Rankings.from_ranks(ranks)
    shares = "`rownames<-`(as.matrix(X), seq_len(nrow(X)))"
    theirs = (
        f"with(RobustRankAggreg::aggregateRanks(rmat = {shares}), Score[order(as.integer(Name))])"
    )
    ours = f"with(aggregateRanks(rmat = {shares}), Score[order(as.integer(Name))])"

    def rra() -> np.ndarray:
        return np.asarray(pyfsagg.aggregate(table, "rra").p_values)

    name = f"robust rank aggregation, {p} items in {m} lists"
    tasks.append((name, ranks.T / p, estimates, "RobustRankAggreg", theirs, ours, rra, 1e-9))
    rows = []
    for name, X, y, package, theirs, ours, run, tolerance in tasks:
        label, (other, bridge), values = in_r(X, y, package, theirs, ours, rounds)
        ours_here = run()
        apart = max(float(np.abs(ours_here - each).max()) for each in values)
        assert apart <= tolerance, f"{name}: the values differ by {apart}"
        seconds = least(run, rounds)
        rows.append(row(name, f"{package} {label}", seconds, other, apart, bridge))
        print(rows[-1], flush=True)
    return rows


FIRST = (
    "suppressMessages(library(pyfsaggr)); found <- capture.output(wam(Species ~ ., iris, seed = 1))"
)


def first_answers(rounds: int) -> list[dict[str, Any]]:
    """Processor and wall seconds of a new R process, and how many kernels it compiled."""
    rows = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            before, start = os.times(), time.perf_counter()
            alone = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPATH": ""}
            subprocess.run(["Rscript", "-e", FIRST], check=True, env=alone)
            after, wall = os.times(), time.perf_counter() - start
            compiled = len(list(Path(folder).rglob("*.nbc")))
        used = after.children_user - before.children_user
        used += after.children_system - before.children_system
        rows.append({"CPU s": used, "wall s": wall, "kernels compiled": compiled})
    return rows


def row(
    task: str, other: str, seconds: float, theirs: float, apart: float, bridge: float | None = None
) -> dict[str, Any]:
    from_r = {"s, from R": bridge, "times faster from R": theirs / bridge} if bridge else {}
    return {
        "task": task,
        "other": other,
        "s": seconds,
        "s, other": theirs,
        "times faster": theirs / seconds,
        **from_r,
        "differs by": apart,
    }


def voting_rows(rounds: int, quick: bool) -> list[dict[str, Any]]:
    """Committees by two rules, beside abcvoting."""
    from abcvoting import abcrules
    from abcvoting.preferences import Profile

    rules = (("sequential_proportional_approval", "seqpav"), ("phragmen", "seqphragmen"))
    rows = []
    for m, p, size in ((20, 20, 5),) if quick else ((20, 20, 5), (200, 200, 20)):
        rng = np.random.default_rng(2)
        held = rng.random((m, p)) < rng.random(p) * 0.3
        held = held[held.any(axis=1)]
        profile = Profile(p)
        profile.add_voters([np.flatnonzero(ballot).tolist() for ballot in held])
        given = {"size": size, "feature_names": [*map(str, range(p))]}
        for rule, theirs in rules:
            ours = partial(pyfsagg.vote, held, rule, **given)
            other = partial(abcrules.compute, theirs, profile, size, resolute=True)
            chosen = set(map(int, ours().select(size)))
            assert chosen == set(other()[0]), f"{rule}: another committee"
            seconds, beside = least(ours, rounds), least(other, rounds)
            name = f"{rule}, {m} voters, {size} of {p}"
            rows.append(row(name, f"abcvoting {version('abcvoting')}", seconds, beside, 0.0))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small tables, to see that all run")
    parser.add_argument("--first", action="store_true", help="the first answer in R instead")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    if shutil.which("Rscript") is None:
        skip("Rscript was not found")
    if options.first:
        rows = first_answers(options.rounds)
    else:
        rows = r_rows(options.rounds, options.quick)
        try:
            rows += voting_rows(options.rounds, options.quick)
        except ImportError:
            print("left out: the Python package 'abcvoting' is not installed")
    print_table(rows)
    write_json(options.output, {"rows": rows, "load": environment()["load"]})


if __name__ == "__main__":
    main()
