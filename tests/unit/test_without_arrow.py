"""Text and frames of polars are read where pyarrow is not installed; what needs it says how to get it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pyfsagg._table.delimited import read_delimited

SCRIPT = """
import sys
sys.modules["pyarrow"] = None
import warnings
warnings.simplefilter("ignore")
import numpy as np, polars as pl, pyfsagg
from pyfsagg.cli import main

wine = pyfsagg.load_dataset("wine")
wine.X.assign(cultivar=wine.y).to_csv("wine.csv", index=False)
rank = "rank wine.csv --target cultivar --filter cs --n-resamples 5 -o run -q"
assert not main(rank.split())
frame = pl.DataFrame(
    {
        "whole": [1, None, 3, 4],
        "flag": [True, False, None, True],
        "word": ["a", None, "b", "a"],
        "level": pl.Series(["x", "y", "x", "y"], dtype=pl.Categorical),
        "number": [0.5, 1.5, None, 2.0],
    }
)
check = pyfsagg.datasets.check_table(frame, pl.Series("y", ["p", "q", "p", "q"]))
print(sorted(check.kinds.items()))
for call in (
    lambda: pyfsagg.datasets.read_table("t.parquet"),
    lambda: pyfsagg.out_of_core.rank_out_of_core("t.parquet", "y"),
):
    try:
        call()
    except pyfsagg.exceptions.MissingDependencyError as error:
        print(error)
"""


def test_only_parquet_and_what_is_larger_than_memory_need_pyarrow(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    said = subprocess.check_output([sys.executable, "-c", SCRIPT], cwd=tmp_path, text=True)
    kinds, file, large = said.splitlines()[-3:]
    assert kinds == "[('boolean', 1), ('integer', 1), ('nominal', 2), ('numeric', 1)]"
    assert 'needs the package pyarrow; install it with: pip install "pyfsagg[parquet]"' in file
    assert file.startswith("t.parquet, a Parquet file,")
    assert 'pip install "pyfsagg[parquet]"' in large


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "-0", "007"], [1, 0, 7]),
        (["0.1", "", "1e400"], [0.1, None, float("inf")]),
        (["12345678901234567890123", "1"], [1.2345678901234568e22, 1.0]),
        (['"NA"', "NA", '""', "x"], ["NA", None, "", "x"]),  # in quotes it is a word
        (['"a,"",b"', '5" pipe', '""""'], ['a,",b', '5" pipe', '"']),
        (['5" pipe', '""', ""], ['5" pipe', "", None]),
        (['"two\nlines"', "NA"], ["two\nlines", None]),
        (["true", "FALSE", ""], [True, False, None]),
    ],
)
def test_cells_are_read_as_they_are_written(cells: list[str], expected: list[object]) -> None:
    text = "k,c\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells))
    column = read_delimited(text.encode(), "t")["c"]
    assert [None if pd.isna(cell) else cell for cell in column] == expected


def test_dates_are_no_words() -> None:
    text = "day,time,both,word\n2020-01-31,12:30,2020-01-31 12:30:05,2020-13-45\n,08:00,,x\n"
    frame = read_delimited(text.encode(), "t")
    expected = ["2020-01-31", "12:30:00", "2020-01-31 12:30:05", "2020-13-45"]
    assert [str(frame[name][0]) for name in frame] == expected
    assert isinstance(frame["word"][0], str)
    assert not isinstance(frame["day"][0], str)


def test_the_last_digit_is_that_of_the_text() -> None:
    numbers = [0.1 + 0.2, 1 / 3, 2.2250738585072014e-308, 123456789.12345679]
    text = "a,b\n" + "".join(f"{number!r},1\n" for number in numbers)
    assert read_delimited(text.encode(), "t")["a"].tolist() == numbers
