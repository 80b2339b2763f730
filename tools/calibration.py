"""Measure what p-values, intervals and bounds keep: ``python tools/calibration.py [--only A,B]``.

The figures go to data/validation/calibration, a file for each topic, and from there to
docs/calibration.md. Without a topic all are measured; ``--page`` writes the page alone.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pyfsagg_papers import calibrate, shipped_calibration
from pyfsagg_papers.calibration.run import designs, markdown, topics

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "data" / "validation" / "calibration"
PAGE = ROOT / "docs" / "calibration.md"
ROWS = ROOT / "docs" / "_static" / "calibration.csv"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="topics, separated by commas")
    parser.add_argument("--page", action="store_true", help="write docs/calibration.md alone")
    parser.add_argument("--jobs", type=int, help="processes")
    options = parser.parse_args()
    asked = [] if options.page else options.only.split(",") if options.only else topics()
    FIGURES.mkdir(parents=True, exist_ok=True)
    for topic in asked:
        found = calibrate(topic, n_jobs=options.jobs, log=lambda text: print(text, flush=True))
        file = FIGURES / f"{topic}.json"
        file.unlink(missing_ok=True)
        found.save(file)
        print("\n".join(found.conclusions()))
    PAGE.write_text(markdown(shipped_calibration(), designs()), encoding="utf-8")
    shipped_calibration().rows.to_csv(ROWS, index=False, float_format="%.6g")
    return 0


if __name__ == "__main__":
    sys.exit(main())
