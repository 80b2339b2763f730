"""Send Ctrl-C to calls of the R package at random moments, and count what each one ends in.

    python tools/r_interrupts.py --name "reticulate 1.46, idle" --output build/r_interrupts.json

R does one call after another and says when each begins.  A random time later it is sent one SIGINT, with its
workers, as a terminal does: before, while or after the arguments are converted, in the computation, in
an R function that Python calls, while the answer is converted, or when the call has ended; R then waits for
the signal, and says which of the two it was.  After that, no second interrupt may come, and a
small call must give the same bits as at first.  PYFSAGG_PYTHON and R_LIBS choose Python and reticulate.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from _timing import environment

CALLS = {
    # name: (call, seconds until which it is interrupted)
    "start": ("wam(x, y, n_resamples = 50, seed = 1)", 5.0),  # of a new R: this starts Python
    "small": ("wam(x, y, n_resamples = 2, seed = 1)", 0.15),
    "many names": ("aggregate_ranks(lists, method = 'borda')", 0.8),
    "large matrix": ("aggregate_ranks(rmat = large, method = 'mean')", 3.0),
    "large result": ("wam(wide, y, n_resamples = 20, seed = 1)", 1.0),
    "stability": ("stability(rankings, 'kendall', interval = 'bootstrap', n_boot = 1e6)", 2.0),
    "stability, finite": ("stability(scores, 'spearman')", 1.0),
    "R function": ("wam(x, y, slow, n_resamples = 1e6, seed = 1)", 2.0),
    "progress": ("wam(x, y, n_resamples = 1e6, seed = 1, progress = TRUE)", 2.0),
    "permute_target": ("permute_target(x, y, shuffles = 1e5, seed = 1)", 2.0),
    "influence": ("aggregator_influence(x, y, n_folds = 100, n_resamples = 1e5, seed = 1)", 2.0),
    "cores": ("evaluate(x, y, n_repeats = 1000, seed = 1, cores = 2)", 4.0),
}
SHORT = {
    "stability": "stability(rankings, 'kendall', interval = 'bootstrap', n_boot = 20)",
    "R function": "wam(x, y, slow, n_resamples = 2, seed = 1)",
    "progress": "wam(x, y, n_resamples = 2, seed = 1, progress = TRUE)",
    "permute_target": "permute_target(x[1:5], y, shuffles = 19, n_resamples = 2, seed = 1)",
    "influence": "aggregator_influence(x, y, n_folds = 2, n_resamples = 2, seed = 1)",
    "cores": "evaluate(x[1:5], y, n_resamples = 2, seed = 1)",
}
"""What compiles the loops of those that have no end: R does not interrupt the compiler."""
ENDS = (
    "interrupt in the call", "interrupt after the call", "crash", "hang", "error", "lost", "twice",
    "wrong value", "next call wrong", "restart asked for",
)  # fmt: skip
GOOD = ENDS[:2]
BAD = set(ENDS[2:-1])  # a terminal's Ctrl-C also ends what looks for Python before it starts
PATIENCE = 60.0  # seconds from the signal to the end of the call, after which it hangs

SCRIPT = """
suppressMessages(library(pyfsaggr))
x <- as.data.frame(matrix(sin((1:20000) ^ 1.5), 200))
wide <- matrix(sin((1:1e6) ^ 1.5), 200, dimnames = list(NULL, paste0("gene", 1:5000)))
y <- rep(c("a", "b"), 100)
lists <- lapply(1:5, function(i) paste0("item", (1:4000) * 7919 * i %% 20011))
large <- matrix((1:1.6e7 * 7919) %% 16000057, 4000) / 16000057
scores <- matrix(sin(1:4e6), 100)
rankings <- matrix(sin(1:2e5), 200)
slow <- function(x, y, weight) {
  for (i in 1:50) colMeans(x)
  Sys.sleep(0.01)
  colMeans(x * weight)
}
say <- function(...) { cat("\\n@", ..., "\\n"); flush(stdout()) }
small <- function() wam(x, y, n_resamples = 2, seed = 1, progress = FALSE)$scores
parts <- function(value) if (is.list(value)) value[!names(value) %in% c("call", "record")] else value
kept <- if (file.exists("values.rds")) readRDS("values.rds") else list()
input <- file("stdin", "r")
say("READY")
while (length(line <- readLines(input, 1L))) {
  task <- strsplit(line, "\\t")[[1]]
  call <- str2lang(task[2])
  if (task[3] == "compiled") {
    eval(call)
    say("KEPT")
    next
  }
  if (task[3] == "value") { # undisturbed
    kept[[task[1]]] <- parts(eval(call))
    kept$quick <- small()
    saveRDS(kept, "values.rds")
    say("KEPT")
    next
  }
  if (task[1] != "start") small()
  value <- failure <- NULL
  met <- tryCatch({
    say("BEGIN")
    tryCatch(value <- eval(call), error = function(e) failure <<- gsub("\\n", " ", conditionMessage(e)))
    Sys.sleep(10)
    "lost"
  }, interrupt = function(e) if (is.null(value)) "interrupt" else "after")
  if (!is.null(failure)) met <- paste("error", failure)
  again <- tryCatch({ Sys.sleep(0.05); "once" }, interrupt = function(e) "twice")
  if (!is.null(value) && !identical(parts(value), kept[[task[1]]])) met <- paste("wrong value,", met)
  after <- tryCatch(
    identical(small(), kept$quick), error = conditionMessage, interrupt = function(e) "interrupt"
  )
  say("END", met, "|", again, "|", after)
}
"""


class Session:
    """One process of R, whose lines are read as they come."""

    def __init__(self, library: str, folder: str) -> None:
        others = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        kept = {key: value for key, value in os.environ.items() if key not in others}
        folders = os.pathsep.join(one for one in (library, kept.get("R_LIBS")) if one)
        script = Path(folder) / "calls.R"
        script.write_text(SCRIPT, encoding="utf-8")
        self.process = subprocess.Popen(
            ["Rscript", str(script)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            env={**kept, "R_LIBS": folders},
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.seen: list[str] = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.wait_for("READY", 120.0)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def ask(self, name: str, call: str, kind: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{name}\t{call}\t{kind}\n")
        self.process.stdin.flush()

    def wait_for(self, word: str, seconds: float) -> str:
        """The rest of the line that begins with the word; or "crash" or "hang"."""
        until = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(until - time.monotonic(), 0.0))
            except queue.Empty:
                return "hang"
            if line is None:
                return "crash"
            self.seen.append(line)
            if line.startswith(f"@ {word}"):
                return line[len(word) + 2 :].strip()

    def interrupt(self) -> None:
        os.killpg(self.process.pid, signal.SIGINT)

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--interrupts", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=3600.0, help="begin none after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", help="names, with semicolons")
    parser.add_argument(
        "--busy", action="store_true", help="with two processes that do nothing else"
    )
    parser.add_argument("--name", default="all", help="under which the figures are kept")
    parser.add_argument("--output", type=Path, help="a JSON file, which keeps its other names")
    options = parser.parse_args()
    names = options.calls.split(";") if options.calls else list(CALLS)
    burn = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(burn) for _ in range(2 * options.busy)]
    try:
        record = interrupts(names, options.interrupts, options.seconds, options.seed)
    finally:
        for process in others:
            process.kill()
    print(json.dumps(record, indent=1))
    if options.output:
        kept = json.loads(options.output.read_text()) if options.output.exists() else {}
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps({**kept, options.name: record}, indent=1) + "\n")
    sys.exit(any(record["all"][end] for end in BAD))


def interrupts(
    names: list[str], times: int, seconds: float, seed: int, library: str | None = None
) -> dict[str, Any]:
    """Figures of so many interrupts, by call and together."""
    draw, made = random.Random(seed), environment()
    found = {name: dict.fromkeys(ENDS, 0) for name in names}
    slowest = dict.fromkeys(names, 0.0)
    load = os.getloadavg()[0]
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        library = library or _installed(folder)
        session = Session(library, folder)
        for name, (call, _) in CALLS.items():
            if name in {*names, "small"}:
                short = SHORT.get(name, call)
                session.ask(name, short, "value" if short == call else "compiled")
                assert session.wait_for("KEPT", 10 * PATIENCE) == "", session.seen
        session.end()
        session = None
        for number in range(times):
            if time.monotonic() > end:
                break
            name = names[number % len(names)]
            if session is not None and name == "start":
                session.end()
                session = None
            session = session or Session(library, folder)
            ends, waited, told = _one(session, name, draw)
            for each in ends:
                found[name][each] += 1
            slowest[name] = max(slowest[name], round(waited, 2))
            print(f"{number + 1} {name}: {', '.join(ends)} ({waited:.2f} s) {told}", flush=True)
            if not BAD.isdisjoint(ends):
                print("  " + "  ".join(session.seen[-30:]), flush=True)
            if {"crash", "hang", "restart asked for"} & set(ends):
                session.end()
                session = None
        if session is not None:
            session.end()
    together = {each: sum(figures[each] for figures in found.values()) for each in ENDS}
    return {
        "environment": made, "seed": seed, "load at the start": round(load, 1), "all": together,
        **found, "longest seconds from signal to end": slowest,
    }  # fmt: skip


def _one(session: Session, name: str, draw: random.Random) -> tuple[list[str], float, str]:
    """What one interrupt ended in, after how many seconds, and R's words."""
    call, last = CALLS[name]
    session.ask(name, call, "interrupt")
    begun = session.wait_for("BEGIN", 3 * PATIENCE)
    if begun in ("crash", "hang"):
        return [begun], 0.0, "before the call"
    time.sleep(draw.uniform(0.0, last))
    session.interrupt()
    sent = time.monotonic()
    told = session.wait_for("END", PATIENCE)
    waited = time.monotonic() - sent
    if told in ("crash", "hang"):
        return [told], waited, ""
    met, again, after = (part.strip() for part in told.split("|"))
    ends = []
    if met.startswith("wrong value,"):
        ends, met = ["wrong value"], met.removeprefix("wrong value,").strip()
    words = {"interrupt": GOOD[0], "after": GOOD[1], "lost": "lost"}
    ends.append(words.get(met, "error"))
    if again == "twice":
        ends.append("twice")
    if "restart R" in after:
        ends.append("restart asked for")
    elif after != "TRUE":
        ends.append("next call wrong")
    return ends, waited, told


def _installed(folder: str) -> str:
    """A library with the R package of this tree."""
    library = Path(folder) / "library"
    library.mkdir()
    package = Path(__file__).resolve().parents[1] / "r_bridge" / "pyfsaggr"
    subprocess.run(
        ["R", "CMD", "INSTALL", "--no-byte-compile", "--no-test-load", f"--library={library}", str(package)],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return str(library)


if __name__ == "__main__":
    main()
