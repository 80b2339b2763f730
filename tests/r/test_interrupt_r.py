"""Ctrl-C in R, as a terminal sends it: to R and to its workers. And what is left when R has ended."""

import os
import random
import re
import runpy
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pyfsaggr import clean, libraries, need_pyfsaggr

pytestmark = pytest.mark.r
need_pyfsaggr()

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "r_interrupts.py"))
CALLS = {
    "wam": "wam(x, y, n_resamples = 1e6, seed = 1, progress = TRUE)",
    "wam, checkpoint": "wam(x, y, n_resamples = 1e6, seed = 1, progress = TRUE, checkpoint = tempfile())",
    "wam, cores": "wam(x, y, n_resamples = 1e6, seed = 1, progress = TRUE, cores = 2)",
    "wam, R function": "wam(x, y, slow, n_resamples = 1e6, seed = 1, progress = TRUE)",
    "bam": "bam(x, y, n_resamples = 1e5, seed = 1, progress = FALSE)",
    "influence": "aggregator_influence(x, y, n_folds = 100, n_resamples = 1e5, seed = 1, progress = TRUE, "
    "checkpoint = tempfile())",
    "evaluate": "evaluate(x, y, n_repeats = 1000, seed = 1, progress = TRUE)",
    "evaluate, cores": "evaluate(x, y, n_repeats = 1000, seed = 1, progress = TRUE, cores = 2, "
    "checkpoint = tempfile())",
    "permute_target": "permute_target(x, y, shuffles = 1e6, seed = 1, progress = TRUE)",
    "stability": "stability(matrix(sin(1:2e5), 500), 'kendall', interval = 'bootstrap', n_boot = 1e6)",
    "aggregate_ranks": "aggregate_ranks(rmat = matrix(runif(1.6e7), 4000), method = 'stuart')",
}

SCRIPT = """
suppressMessages(library(pyfsaggr))
x <- as.data.frame(matrix(sin((1:20000) ^ 1.5), 200))
y <- rep(c("a", "b"), 100)
slow <- function(x, y, weight) { for (i in 1:50) colMeans(x); Sys.sleep(0.01); colMeans(x * weight) }
quick <- wam(x, y, n_resamples = 2, seed = 1, progress = FALSE)$scores
calls <- commandArgs(TRUE)
for (i in seq_along(calls)) {
  cat("\\nBEGIN", i, "\\n")
  met <- tryCatch({
    eval(str2lang(calls[i]))
    "nothing"
  }, interrupt = function(e) "interrupt", error = conditionMessage)
  same <- identical(wam(x, y, n_resamples = 2, seed = 1, progress = FALSE)$scores, quick)
  cat("\\nEND", i, met, same, "\\n")
}
"""


def until(stream, pattern: str) -> re.Match[str]:
    """The first line with the pattern; the test fails where the output ends before."""
    seen = []
    for line in stream:
        seen.append(line)
        found = re.search(pattern, line)
        if found:
            return found
    raise AssertionError(f"{pattern!r} is not in " + "".join(seen)[-2000:])


def started(command: list[str], folder: Path, library: Path, **how) -> subprocess.Popen[str]:
    """R at work, with its output in a pipe."""
    how |= {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "cwd": folder}
    environment = clean({**os.environ, "R_LIBS": libraries(library)})
    return subprocess.Popen(["Rscript", *command], env=environment, **how)


def test_ctrl_c_is_an_interrupt_of_r_in_every_function(library: Path, tmp_path: Path) -> None:
    """At any moment: none of these calls ends before it is interrupted."""
    draw = random.Random(1)
    script = tmp_path / "interrupts.R"
    script.write_text(SCRIPT)
    command = [str(script), *CALLS.values()]
    with started(command, tmp_path, library, start_new_session=True) as process:
        try:
            met = {}
            for number, name in enumerate(CALLS, 1):
                until(process.stdout, f"BEGIN {number} ")
                time.sleep(draw.uniform(0.0, 1.0))
                os.killpg(process.pid, signal.SIGINT)
                met[name] = until(process.stdout, f"END {number} (.*)")[1].strip()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    assert met == dict.fromkeys(CALLS, "interrupt TRUE")


@pytest.mark.thorough
def test_ctrl_c_at_random_moments_is_one_interrupt(library: Path) -> None:
    """In conversions, in the computation, in an R function that Python calls, and after the call."""
    calls = [
        "small", "many names", "R function", "small", "large result", "stability", "R function"
    ]  # fmt: skip
    found = TOOL["interrupts"](calls, 21, 300.0, 1, str(library))
    ended = {end: times for end, times in found["all"].items() if times}
    assert sum(ended.values()) == 21
    assert set(ended) <= set(TOOL["GOOD"]), found


def test_workers_end_with_r(library: Path, tmp_path: Path) -> None:
    """They hold what R prints to: a pipe would wait for them for minutes."""
    code = (
        "suppressMessages(library(pyfsaggr)); "
        "invisible(evaluate(iris[1:4], iris$Species, methods = 'cs', classifiers = 'nb', "
        "n_resamples = 2, seed = 1, cores = 2, progress = FALSE)); cat('END\\n')"
    )
    with started(["-e", code], tmp_path, library) as process:
        until(process.stdout, "^END$")
        start = time.monotonic()
        rest = process.stdout.read()  # returns when nobody holds the pipe any more
        waited = time.monotonic() - start
    assert waited < 240  # workers that are left alone stay for 300 seconds
    assert "Warning" not in rest
    assert process.returncode == 0
