"""``pyfsagg reproduce thesis`` as users run it."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd


def test_a_table_of_the_thesis(pyfsagg, tmp_path: Path) -> None:
    flags = ("--table", "4.5", "--dataset", "ionosphere", "--quick", "--jobs", "2")
    done = pyfsagg("reproduce", "thesis", *flags, "--cache", "kept")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "pyfsagg-thesis"
    cells = pd.read_csv(folder / "cells.csv")
    assert len(cells) == 15
    stuart = cells[(cells["row"] == "stuart") & (cells["measure"] == "spearman")].iloc[0]
    assert stuart["verdict"] == "outside"
    assert "breaks down" in stuart["reason"]
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Published tables, cell by cell" in page
    assert page.count("<svg") == 3
    document = json.loads((folder / "cells.json").read_text(encoding="utf-8"))
    assert document["quick"] is True
    again = pyfsagg("reproduce", "thesis", *flags, "--cache", "kept", "--json")
    assert "repetition" not in again.stderr
    assert json.loads(again.stdout)["cells"] == document["cells"]


def test_what_is_wrong_is_said_in_a_line(pyfsagg, tmp_path: Path) -> None:
    done = pyfsagg("reproduce", "thesis", "--table", "4.4", "--dataset", "iris")
    assert done.returncode == 2
    assert done.stderr.strip().count("\n") == 0
    assert "unknown data set of table 4.4 'iris'" in done.stderr
    assert not (tmp_path / "pyfsagg-thesis").exists()
