"""CSV files that a spreadsheet opens without running anything, and that we read back as they were."""

import csv
import re

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg._table.delimited import escaped, read_delimited, unescaped, unescaped_frame, write_csv

NAMES = ["=HYPERLINK(1)", "+1+1", "-x", "@SUM(1)", "\tcell", "'=was", "''@", "-1.5e3", "plain"]
NAMES += ["'quoted'"]
FORMULA = re.compile(r"[=+\-@\t\r\n]")


def test_every_text_comes_back() -> None:
    assert [unescaped(escaped(name)) for name in NAMES] == NAMES
    rng = np.random.default_rng(0)
    for _ in range(2000):
        name = "".join(rng.choice(list("'=+-@\t\n1a."), rng.integers(0, 6)))
        assert unescaped(escaped(name)) == name
        assert not FORMULA.match(escaped(name)) or float(escaped(name)) is not None


def test_numbers_and_harmless_texts_stay_as_they_are() -> None:
    for cell in (-1.5, None, "-1.5", "+2", "-.5e-3", "gene", "'quoted'", ""):
        assert escaped(cell) is cell


def test_a_table_is_written_without_formulas_and_read_as_it_was(tmp_path) -> None:
    frame = pd.DataFrame({"name": NAMES, "=score": np.linspace(-1, 1, len(NAMES))})
    write_csv(frame, tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        rows = list(csv.reader(file))
    cells = [cell for row in rows for cell in row if FORMULA.match(cell)]
    assert all(float(cell) < 0 for cell in cells)  # negative numbers are numbers
    assert rows[1][0] == "'=HYPERLINK(1)"
    pd.testing.assert_frame_equal(unescaped_frame(pd.read_csv(tmp_path / "table.csv")), frame)
    found = read_delimited((tmp_path / "table.csv").read_bytes(), "t", text_columns=["name"])
    assert found["name"].tolist() == NAMES
    assert list(found.columns) == ["name", "=score"]


def test_labels_of_rows_are_escaped_too(tmp_path) -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=pd.Index(["=a", "b"], name="-name"))
    write_csv(frame, tmp_path / "t.csv", index=True)
    assert (tmp_path / "t.csv").read_text() == "'-name,x\n'=a,1\nb,2\n"
    again = unescaped_frame(pd.read_csv(tmp_path / "t.csv", index_col=0))
    assert again.index.tolist() == ["=a", "b"]
    assert again.index.name == "-name"


@pytest.mark.parametrize("header", ["plain", "'=odd"])
def test_a_frame_without_formulas_is_not_touched(header: str) -> None:
    frame = pd.DataFrame({"a": [1.0], "b": ["x"]}, index=pd.RangeIndex(1))
    pd.testing.assert_frame_equal(unescaped_frame(frame), frame, check_index_type="exact")
    read = read_delimited(f"{header},b\n1,2\n".encode(), "t")
    assert list(read.columns) == [unescaped(header), "b"]


def test_the_tables_of_a_result_have_no_formula_and_the_names_stay(tmp_path) -> None:
    names = NAMES[:4]
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)), columns=names)
    result = pyfsagg.wam(X, np.arange(20) % 2, filter="chi_squared", n_resamples=4, random_state=0)
    result.save(tmp_path / "run")
    text = (path := tmp_path / "run" / "ranking.csv").read_text()
    assert "'=HYPERLINK(1)" in text
    assert not re.search(r"^[=+@]", text, re.MULTILINE)
    assert set(pyfsagg.load_result(tmp_path / "run").feature_names) == set(names)
    lists = pyfsagg.Rankings.from_files(path, ids="feature", format="lists")
    assert set(lists.items) == set(names)


def test_saved_stability_reads_its_features_again(tmp_path) -> None:
    found = pyfsagg.stability([{"=a", "b"}, {"=a", "'=c"}, {"b", "=a"}])
    found.save(tmp_path / "run")
    assert "'=a" in (tmp_path / "run" / "features.csv").read_text()
    again = pyfsagg.load_result(tmp_path / "run")
    assert again.features.index.tolist() == found.features.index.tolist()
