"""``pyfsagg reproduce all`` and ``pyfsagg datasets`` as users run them."""

import json
from pathlib import Path

import pandas as pd
import pytest

from pyfsagg.extending import duration
from pyfsagg_papers import shipped_run


def test_all_papers_at_once(pyfsagg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)
    done = pyfsagg("reproduce", "all", "--quick", "--dataset", "philippine,leukaemia_two_classes")
    # of Philippine nothing was ever computed
    times = shipped_run("quick").times.set_index("dataset")["seconds"]
    took = f"took {duration(times['leukaemia_two_classes'])} (Linux x86_64"
    assert done.stderr.startswith(f"The runs of 1 table that come with the package {took}")
    folder = tmp_path / "pyfsagg-reproduction"
    cells = pd.read_csv(folder / "cells.csv")
    assert set(cells["verdict"]) == {"not checkable"}
    assert set(cells["paper"]) == {"thesis", "orders"}
    reasons = pd.read_csv(folder / "not_checkable.csv").set_index("table")["reason"]
    assert reasons["4.3"] == "the data set could not be obtained"
    assert "PYFSAGG_DATA" in reasons["orders_genes"]
    document = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert document["kind"] == "reproduction"
    assert {"date", "machine", "versions", "seed", "quick"} <= set(document["record"])
    statements = pd.read_csv(folder / "statements.csv")
    assert set(statements["paper"]) == {"thesis", "fpcps", "frcm", "orders"}
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "0 of 0 checkable cells are inside" in page
    assert (folder / "thesis.html").is_file()
    assert (folder / "coverage.csv").read_text().startswith("paper,table,dataset,measure,inside")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--quick", "thesis"), "unknown argument --quick"),
        ((), "required: WHAT"),
        (("all", "--dataset", "ionosphere,iris"), "unknown data set of these tables 'iris'"),
        (("all", "--table", "4.1"), "unknown published table with an experiment '4.1'"),
        (("fpcps", "--table", "1", "--dataset", "iris"), "unknown data set of table fpcps_1"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(refused, arguments, message):
    assert message in refused("reproduce", *arguments)


def test_data_sets_are_listed(pyfsagg, refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)
    listed = pyfsagg("datasets")
    line = next(row for row in listed.stdout.splitlines() if row.startswith("ionosphere"))
    assert "351" in line
    assert line.endswith("thesis")
    (one,) = json.loads(pyfsagg("datasets", "ionosphere", "--json").stdout)
    assert one["match"] == "as printed"
    assert "OpenML 41145" in listed.stdout
    asked = pyfsagg("datasets", "madelon", "--json")
    (only,) = json.loads(asked.stdout)
    assert (only["printed"], only["match"]) == ("2600 × 500", "not here")
    assert "did you mean 'wine'" in refused("datasets", "whine")
