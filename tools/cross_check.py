"""Compare with the R packages that are installed, and keep the outcome for the documentation.

    python tools/cross_check.py        # writes data/validation/cross_check.json

The file is what ``pyfsagg cross-check --output FOLDER`` writes as ``run.json``, with date and machine.
"""

from __future__ import annotations

import json
from pathlib import Path

from pyfsagg_papers.comparisons.run import cross_check
from pyfsagg_papers.records import record

FILE = Path(__file__).resolve().parents[1] / "data" / "validation" / "cross_check.json"


def main() -> None:
    found = cross_check()
    document = {**json.loads(found.to_json()), "record": record()}
    FILE.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(found.summary_text())


if __name__ == "__main__":
    main()
