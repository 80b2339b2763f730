"""Run all benchmarks one after the other: tables on the terminal, one JSON file each, one page.

    python benchmarks/run_all.py --output benchmarks/results

Small sizes by default, a few minutes in all; --full takes the sizes of the published targets, and
--record adds the ratios to other packages to the history.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from _timing import SKIPPED
from page import make_page, record

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=HERE / "results", help="folder of the JSON")
    parser.add_argument("--full", action="store_true", help="full sizes, which take long")
    parser.add_argument("--record", action="store_true", help="add the ratios to the history")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="for instance mrmr ensemble")
    options = parser.parse_args()
    scripts = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    names = list(scripts) if options.only is None else options.only
    unknown = sorted(set(names) - set(scripts))
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]!r}; there are {', '.join(scripts)}")
    options.output.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        command = [sys.executable, str(scripts[name]), "--output"]
        command += [str(options.output / f"{name}.json"), *([] if options.full else ["--quick"])]
        start = time.perf_counter()
        code = subprocess.run(command, check=False).returncode
        print(f"-- {time.perf_counter() - start:.0f} s\n", flush=True)
        if code not in (0, SKIPPED):
            failed.append(name)
    if options.record:
        record(options.output)
    if (options.output / "alternatives.json").is_file():
        print(make_page(options.output))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
