"""Fields of dataclasses say how they are kept, and what is written is read again."""

import json
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from pyfsagg._base.fields import columns, plain, row_of, to_parts
from pyfsagg._run.result import Saved
from pyfsagg.aggregation import list_agreement
from pyfsagg.exceptions import OutputError


def test_what_is_missing_is_named(tmp_path):
    """What is there is read again: test_results.py saves a result of every kind."""
    result = list_agreement([["a", "b", "c"], ["b", "a"], ["c", "b"]])
    folder = result.save(tmp_path / "run")
    assert Saved.read(folder).document["kind"] == "list_agreement"
    record = json.loads((folder / "run.json").read_text())
    without = {name: value for name, value in record.items() if name != "parameters"}
    (folder / "run.json").write_text(json.dumps(without))
    with pytest.raises(OutputError, match="parameters"):
        type(result).load(folder)
    (folder / "run.json").write_text(json.dumps(record))
    assert to_parts(result).tables.keys() == {"pairs.csv", "curve.csv"}
    (folder / "curve.csv").unlink()
    with pytest.raises(OutputError, match=r"curve\.csv is missing"):
        type(result).load(folder)


def test_rows_and_records_are_made_of_the_fields():
    @dataclass(frozen=True)
    class Test:
        statistic: float
        p_value: float = field(metadata=columns("p"))
        interval: tuple[float, float] | None = field(metadata=columns("lower", "upper"))
        level: float = field(metadata=columns())

    assert row_of(Test(1.0, 0.5, (0.0, 2.0), 0.95)) == {
        "statistic": 1.0, "p": 0.5, "lower": 0.0, "upper": 2.0
    }  # fmt: skip
    assert np.isnan(row_of(Test(1.0, 0.5, None, 0.95))["upper"])
    assert plain((1.0, float("inf"), [None])) == [1.0, None, [None]]
    named = pd.DataFrame({"a": [1.0]}, index=pd.Index([7], name="size"))
    assert plain(named) == {"index": [7], "columns": ["a"], "data": [[1.0]]}
