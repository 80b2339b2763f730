"""Install what ``make dist`` built in empty environments, and use it from an empty folder.

    python tools/installed.py build/dist

The wheel is installed with the newest and the lowest supported versions, the source archive with the newest.
Each installation must name its version, rank a table, show the saved run, and find its embedded data.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

LOWEST = Path(__file__).resolve().parents[1] / "tests" / "lowest.txt"
DATA = """
import pyfsagg
import pyfsagg_papers

data = pyfsagg.load_dataset("wine")
data.X.assign(grower=data.y).to_csv("wine.csv", index=False)
print(pyfsagg_papers.list_shipped_runs().index.tolist())
"""


def run(*command: str | Path, folder: Path) -> str:
    """The output of a command in a folder, without this checkout on the path."""
    environment = {
        k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "NUMBA_CACHE_DIR")
    }
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check(archive: Path, constraints: Path | None) -> str:
    """Install an archive and use it; what was installed, in one line."""
    with tempfile.TemporaryDirectory() as name:
        place, empty = Path(name) / "environment", Path(name) / "empty"
        empty.mkdir()
        run(sys.executable, "-m", "venv", place, folder=empty)
        python, pyfsagg = place / "bin" / "python", place / "bin" / "pyfsagg"
        limits = ["--constraint", constraints] if constraints else []
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        run(*install, *limits, archive, folder=empty)
        run(python, "-c", DATA, folder=empty)
        rank = ["rank", "wine.csv", "--target", "grower", "--n-resamples", "10", "--output", "run"]
        run(pyfsagg, *rank, "--quiet", folder=empty)
        run(pyfsagg, "show", "run", folder=empty)
        written = {path.name for path in (empty / "run").iterdir()}
        missing = {"report.html", "ranking.csv", "run.json"} - written
        if missing:
            raise SystemExit(f"{archive.name}: rank did not write {', '.join(sorted(missing))}")
        numpy = run(python, "-c", "import numpy; print(numpy.__version__)", folder=empty).strip()
        version = run(pyfsagg, "--version", folder=empty).strip()
        return f"{archive.name}: {version}, numpy {numpy}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="folder of a wheel and a source archive")
    folder = parser.parse_args().folder.resolve()
    wheels, sources = list(folder.glob("*.whl")), list(folder.glob("pyfsagg-*.tar.gz"))
    if len(wheels) != 1 or len(sources) != 1:
        raise SystemExit(f"{folder} must hold one wheel and one source archive; run make dist")
    for archive, constraints in ((wheels[0], None), (wheels[0], LOWEST), (sources[0], None)):
        print(check(archive, constraints), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
