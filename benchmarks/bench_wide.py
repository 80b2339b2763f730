"""Wide tables: mRMR beside an earlier checkout, and whole commands with all defaults.

    python benchmarks/bench_wide.py --before ../other-checkout --output benchmarks/wide.json
    python benchmarks/bench_wide.py --praznik --output benchmarks/wide_praznik.json
    python benchmarks/bench_wide.py --relatives --output benchmarks/information_praznik.json
    python benchmarks/bench_wide.py --commands --output benchmarks/wide_commands.json

Times of kernels are CPU times of one thread, so that other programs disturb them little; both checkouts run
in processes of their own, in turn, and must give the same scores.  With --praznik the R package selects from
the same rows, on one thread, and must select alike (Rscript and praznik, in R_LIBS if need be); --relatives
does so for all greedy filters, where features that are equally good may part the two.  The commands
rank a table of 72 × 7129 whole numbers and one of 200 × 20000 decimals by 1000 resamples; their wall time
needs an idle machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from _timing import environment, print_table, skip, write_json

ROOT = Path(__file__).parents[1]
CASES = {
    "72 x 7129, all": (72, 7129, None),
    "72 x 7129, 100 features": (72, 7129, 100),
    "200 x 2000, all": (200, 2000, None),
    "3888 x 308, all": (3888, 308, None),
}
QUICK = {"72 x 500, all": (72, 500, None)}


def make_data(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Skewed columns, as of gene expression, a tenth of which have to do with the class."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, : p // 10] += 0.5 * y[:, None]
    return np.exp(X), y


def work(cases: dict[str, Any]) -> None:
    """Print for each case the CPU seconds of one resample and a digest of the selected scores."""
    from pyfsagg._table.table import as_table
    from pyfsagg._table.target import check_target
    from pyfsagg.filters.information import prepare_mrmr

    found = {}
    for name, (n, p, depth) in cases.items():
        X, y = make_data(n, p)
        table, target = as_table(X), check_target(y, n)
        given = {"binning": "praznik", "n_features": p if depth is None else depth}
        scorer = prepare_mrmr(table, target, **given)
        drawn = np.random.default_rng(1).integers(0, n, n)
        weights = np.bincount(drawn, minlength=n)[np.newaxis].astype(np.uint16)
        labels = target.codes[np.newaxis]
        prepare_mrmr(table, target, binning="praznik", n_features=1).select(weights, labels)
        start = time.thread_time()
        scores, orders = scorer.select(weights, labels)
        seconds = time.thread_time() - start
        digest = hashlib.sha256(scores[0][orders[0]].tobytes()).hexdigest()[:16]
        found[name] = [seconds, digest]
    print(json.dumps(found))


PRAZNIK = """
args <- commandArgs(TRUE); n <- as.integer(args[2]); p <- as.integer(args[3]); k <- as.integer(args[4])
cells <- readBin(args[1], "double", n * (p + 1))
X <- as.data.frame(matrix(cells[seq_len(n * p)], n)); y <- factor(cells[n * p + seq_len(n)])
time <- system.time(found <- getExportedValue("praznik", args[5])(X, y, k = k, threads = 1))
cat(sum(time[1:2]), as.character(packageVersion("praznik")), found$selection)
"""


def compare_praznik(
    cases: dict[str, Any], criteria: tuple[str, ...] = ("mrmr",)
) -> list[dict[str, Any]]:
    """CPU seconds of both packages for the same draws of rows, and that both select the same."""
    from pyfsagg._table.table import as_table
    from pyfsagg._table.target import check_target
    from pyfsagg.filters.information import PREPARE

    if shutil.which("Rscript") is None:
        skip("Rscript was not found")
    rows = []
    pairs = [(name, criterion) for name in cases for criterion in criteria]
    for name, criterion in pairs:
        n, p, k = cases[name]
        X, y = make_data(n, p)
        drawn = np.sort(np.random.default_rng(1).integers(0, n, n))
        X, y, depth = X[drawn], y[drawn], p if k is None else k
        prepare = PREPARE[criterion]
        scorer = prepare(as_table(X), check_target(y, n), binning="praznik", n_features=depth)
        weights, labels = np.ones((1, n), np.uint16), y.astype(np.int32)[np.newaxis]
        scorer.select(weights, labels)  # compiles
        start = time.thread_time()
        order = scorer.select(weights, labels)[1][0]
        seconds = time.thread_time() - start
        with tempfile.NamedTemporaryFile() as file:
            file.write(np.append(X.ravel(order="F"), y.astype(float)).tobytes())
            file.flush()
            command = ["Rscript", "-e", PRAZNIK, file.name, str(n), str(p), str(depth)]
            command.append(criterion.upper())
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        theirs, version, *selected = done.stdout.split()
        same = [int(j) - 1 for j in selected] == order[: len(selected)].tolist()
        assert same or criterion != "mrmr", f"{name}: praznik selects otherwise"
        rows.append(
            {
                "case": name,
                "filter": criterion,
                "same order": same,
                "CPU s": seconds,
                f"CPU s, praznik {version}": float(theirs),
                "times faster": float(theirs) / seconds,
            }
        )
    return rows


def run_worker(checkout: Path, quick: bool) -> dict[str, list[Any]]:
    """The numbers of :func:`work` in a process that imports the package of `checkout`."""
    cache = os.environ.get("NUMBA_CACHE_DIR", tempfile.gettempdir())
    where = {"PYTHONPATH": str(checkout), "NUMBA_CACHE_DIR": f"{cache}-{checkout.name}"}
    done = subprocess.run(
        [sys.executable, __file__, "--worker", *(["--quick"] if quick else [])],
        env={**os.environ, **where},
        cwd=checkout,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def compare(before: Path | None, rounds: int, quick: bool) -> list[dict[str, Any]]:
    sides = {"after": ROOT} | ({} if before is None else {"before": before})
    seconds: dict[tuple[str, str], list[float]] = {}
    digests: dict[str, set[str]] = {}
    for _ in range(rounds):
        for side, checkout in sides.items():
            for case, (value, digest) in run_worker(checkout.resolve(), quick).items():
                seconds.setdefault((case, side), []).append(value)
                digests.setdefault(case, set()).add(digest)
    rows = []
    for case, found in digests.items():
        assert len(found) == 1, f"{case}: the scores differ"
        row: dict[str, Any] = {"case": case, "CPU s": statistics.median(seconds[case, "after"])}
        if before is not None:
            pairs = zip(seconds[case, "before"], seconds[case, "after"], strict=True)
            row["CPU s before"] = statistics.median(seconds[case, "before"])
            row["times faster"] = statistics.median(one / other for one, other in pairs)
        rows.append(row)
    return rows


def run_commands(m: int) -> list[dict[str, Any]]:
    """``pyfsagg rank`` with all defaults but the number of resamples."""
    rows = []
    for n, p, whole in ((72, 7129, True), (200, 20000, False)):
        with tempfile.TemporaryDirectory() as folder:
            X, y = make_data(n, p)
            X = np.rint(X * 200).astype(int) if whole else X
            header = ",".join([*(f"x{j}" for j in range(p)), "target"])
            path = Path(folder) / "table.csv"
            form = "%d" if whole else "%.6g"
            np.savetxt(
                path, np.column_stack([X, y]), form, delimiter=",", header=header, comments=""
            )
            start = time.perf_counter()
            command = ["rank", str(path), "--target", "target", "--n-resamples", str(m)]
            subprocess.run(
                [sys.executable, "-m", "pyfsagg", *command, "--output", f"{folder}/out"],
                check=True,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            wall = time.perf_counter() - start
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        rows.append(
            {
                "n": n,
                "p": p,
                "resamples": m,
                "wall s": wall,
                "CPU s": used.ru_utime + used.ru_stime - sum(row["CPU s"] for row in rows),
                "peak MB so far": used.ru_maxrss / 1024,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="another checkout to compare with")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--praznik", action="store_true", help="beside the R package praznik")
    parser.add_argument(
        "--relatives", action="store_true", help="all greedy filters, not mRMR only"
    )
    parser.add_argument("--commands", action="store_true", help="whole commands instead")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help="one small table")
    parser.add_argument("--output", type=Path, help="write the numbers to this JSON file")
    options = parser.parse_args()
    if options.worker:
        work(QUICK if options.quick else CASES)
        return
    cases = QUICK if options.quick else CASES
    if options.praznik:
        rows = compare_praznik(cases)
    elif options.relatives:
        from pyfsagg.filters.information import PREPARE

        some = {
            name: cases[name] for name in cases if name not in ("72 x 7129, all", "200 x 2000, all")
        }
        rows = compare_praznik(some, tuple(PREPARE))
    elif options.commands:
        rows = run_commands(options.resamples)
    else:
        rows = compare(options.before, options.rounds, options.quick)
    print_table(rows)
    write_json(options.output, {"rows": rows, "load": environment()["load"]})


if __name__ == "__main__":
    main()
