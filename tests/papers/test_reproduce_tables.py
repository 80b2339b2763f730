"""``pyfsagg reproduce thesis`` and ``orders`` as users run them."""

import json
from pathlib import Path

import pandas as pd
import pytest


def test_a_table_of_the_thesis(pyfsagg, tmp_path: Path) -> None:
    flags = ("--table", "4.5", "--dataset", "ionosphere", "--quick", "--jobs", "2")
    pyfsagg("reproduce", "thesis", *flags, "--checkpoint", "kept")
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
    again = pyfsagg("reproduce", "thesis", *flags, "--checkpoint", "kept", "--json")
    assert again.stderr == "continuing from kept: 3 pieces of work are done\n"
    assert json.loads(again.stdout)["cells"] == document["cells"]


def test_a_figure_of_the_rank_order_paper(pyfsagg, tmp_path: Path) -> None:
    done = pyfsagg("reproduce", "orders", "--figure", "7", "--repeats", "1", "--seed", "3")
    folder = tmp_path / "pyfsagg-orders"
    names = {path.name for path in folder.iterdir()}
    assert names == {"curves.csv", "curves.png", "findings.json", "report.html"}
    assert "figure-7: Planted orders" in done.stdout
    assert "hold" in done.stdout
    assert len(pd.read_csv(folder / "curves.csv")) == 5 * (12 + 12 + 20)
    assert "pyfsagg reproduce orders --figure 7" in (folder / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--figure", "1"], "unknown choice"),
        (["--figure", "7", "--table", "genes"], "not allowed with argument"),
        (["--figure", "7", "--checkpoint", "c"], "--checkpoint belongs to tables"),
        (["--figure", "7", "--dataset", "wine"], "--dataset belongs to tables"),
        (["--figure", "7", "--repeats", "0"], "n_repeats"),
        (["--repeats", "2"], "--repeats belongs to a --figure"),
    ],
)
def test_flags_of_figures_and_tables_do_not_mix(pyfsagg, tmp_path, arguments, message):
    assert message in pyfsagg("reproduce", "orders", *arguments, "--quiet", code=2).stderr
    assert list(tmp_path.iterdir()) == []


def test_what_is_wrong_is_said_in_a_line(refused) -> None:
    said = refused("reproduce", "thesis", "--table", "4.4", "--dataset", "iris")
    assert "unknown data set of table 4.4 'iris'" in said
