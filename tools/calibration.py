"""Measure what p-values, intervals and bounds keep: ``python tools/calibration.py [--only A,B]``.

The figures go to data/validation/calibration, a file for each topic, and from there to
docs/calibration.md. Without a topic all are measured; ``--page`` writes the page alone. With
``--where TEXT`` only designs whose settings or name have the text are measured again; the other rows of
the file stay, since each design has random numbers of its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

from pyfsagg_papers import calibrate, shipped_calibration
from pyfsagg_papers.calibration.run import Calibration, designs, markdown, topics

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "data" / "validation" / "calibration"
PAGE = ROOT / "docs" / "calibration.md"
ROWS = ROOT / "docs" / "_static" / "calibration.csv"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", help="topics, separated by commas")
    parser.add_argument("--page", action="store_true", help="write docs/calibration.md alone")
    parser.add_argument("--jobs", type=int, help="processes")
    parser.add_argument("--where", default="", help="a text of the designs to measure again")
    options = parser.parse_args()
    asked = [] if options.page else options.only.split(",") if options.only else topics()
    FIGURES.mkdir(parents=True, exist_ok=True)
    for topic in asked:
        found = calibrate(
            topic,
            where=options.where,
            n_jobs=options.jobs,
            log=lambda text: print(text, flush=True),
        )
        file = FIGURES / f"{topic}.json"
        if options.where and file.exists():
            found = with_other_rows(found, Calibration.load(file))
        file.unlink(missing_ok=True)
        found.save(file)
        print("\n".join(found.conclusions()))
    PAGE.write_text(markdown(shipped_calibration(), designs()), encoding="utf-8")
    shipped_calibration().rows.to_csv(ROWS, index=False, float_format="%.6g")
    return 0


def with_other_rows(found: Calibration, before: Calibration) -> Calibration:
    """What was found, with the rows before of designs that were not measured again, in order."""
    keys = ["simulation", "design"]
    again = set(map(tuple, found.rows[keys].to_numpy()))
    kept = [key not in again for key in map(tuple, before.rows[keys].to_numpy())]
    rows = pd.concat([before.rows[kept], found.rows])
    places = {(d.function.__name__, d.settings_text): place for place, d in enumerate(designs())}
    order = [places.get(key, -1) for key in map(tuple, rows[keys].to_numpy())]
    rows = rows.assign(place=order).query("place >= 0").sort_values("place", kind="stable")
    return Calibration(rows.drop(columns="place").reset_index(drop=True), found.record)


if __name__ == "__main__":
    sys.exit(main())
