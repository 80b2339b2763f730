"""Prints the tests of the lowest versions: those of `make test`, with ``thorough`` those of `make thorough`.

Files that import a library other than numpy, pandas and scipy are found by their imports;
tests/lowest_selection.txt lists the others.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIBRARIES = (
    "pyarrow|polars|narwhals|duckdb|sklearn|statsmodels|joblib|distributed|numba|threadpoolctl|"
    r"matplotlib|scipy\.sparse"
)
_IMPORTS = re.compile(rf"^\s*(from|import) ({LIBRARIES})\b", re.MULTILINE)
TODAY_ONLY = ("tests/papers", "tests/r")
"""Folders from which only listed files are taken: R is called once, and each paper is one long run."""


def selections() -> tuple[list[str], list[str]]:
    """What is listed for `make test`, and what `make thorough` runs."""
    text = (ROOT / "tests" / "lowest_selection.txt").read_text(encoding="utf-8")
    first, listed = (re.sub("#.*", "", part).split() for part in text.split("thorough:"))
    own = [
        file.relative_to(ROOT).as_posix()
        for file in sorted((ROOT / "tests").rglob("test_*.py"))
        if _IMPORTS.search(file.read_text(encoding="utf-8"))
    ]
    here = (*first, *listed, *TODAY_ONLY)
    more = [file for file in own if not any(Path(file).is_relative_to(part) for part in here)]
    return first, listed + more


if __name__ == "__main__":
    print(*selections()[sys.argv[1:] == ["thorough"]])
