"""What the files and the report of a run cost beside its ranking, by the number of features.

The table is sparse with three entries per row, so that ranking it is quick: the worst case for a
report, which may take as long as the ranking, or ten seconds.  Seconds of the processor, so that other
work on the machine does not count.

    python benchmarks/bench_report.py --output report.json [--quick]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import random as random_sparse

import pyfsagg

ROWS = 20
ALLOWED = 10.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the figures go, as JSON")
    parser.add_argument("--quick", action="store_true", help="a smaller table only")
    options = parser.parse_args()
    sizes = [2_000] if options.quick else [12_500, 25_000, 50_000, 100_000]
    measure(500, 5)  # the first one compiles
    found = [measure(p, m) for p, m in [*((p, 5) for p in sizes), (sizes[-1], 100)]]
    for row in found:
        print(
            f"{row['features']:7,} features, {row['resamples']:3} resamples: ranking "
            f"{row['ranking_s']:6.2f} s, files {row['files_s']:6.2f} s, report {row['report_s']:6.2f} s"
        )
    if options.output:
        options.output.write_text(json.dumps({"runs": found}, indent=2) + "\n", encoding="utf-8")


def measure(n_features: int, n_resamples: int) -> dict[str, Any]:
    """Seconds of the ranking, of the files and of the report."""
    rng = np.random.default_rng(0)
    X = random_sparse(ROWS, n_features, 3 / n_features, format="csr", random_state=rng)
    start = time.process_time()
    result = pyfsagg.wam(X, np.arange(ROWS) % 2, n_resamples=n_resamples, random_state=0, n_jobs=1)
    ranked = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "run")
        result.summary_text()
        saved = time.process_time()
        result.report(Path(folder) / "report.html")
        reported = time.process_time()
    return {
        "features": n_features,
        "resamples": n_resamples,
        "ranking_s": round(ranked - start, 3),
        "files_s": round(saved - ranked, 3),
        "report_s": round(reported - saved, 3),
        "within": reported - saved <= max(ALLOWED, ranked - start),
    }


if __name__ == "__main__":
    main()
