"""Fields of dataclasses say how they are kept, and what is written is read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from pyfsagg._base.fields import Part, columns, plain, put_together, row_of, stored, taken_apart
from pyfsagg._run.result import KINDS, Result, Saved
from pyfsagg.exceptions import OutputError


@dataclass(frozen=True, eq=False, repr=False)
class Side(Part):
    names: tuple[str, ...]
    values: NDArray[np.float64]
    limit: float


@dataclass(frozen=True, eq=False, repr=False)
class Harvest(Result):
    _kind: ClassVar[str] = "harvest"

    names: tuple[str, ...] = field(metadata=stored(array=True))
    weights: NDArray[np.int64] = field(metadata=stored(key="kilos"))
    prices: NDArray[np.float64] | None
    by_tree: Mapping[tuple[str, str], NDArray[np.float64]] = field(
        metadata=stored(names="tree_{part}")
    )
    table: pd.DataFrame = field(
        metadata=stored(file="table.csv", index="fruit", words=("note",), types={"sold": float})
    )
    frames: Mapping[str, pd.DataFrame] = field(metadata=stored(file="{}.csv"))
    small: pd.DataFrame
    side: Side = field(metadata=stored(names="side_{}", shared=("names",)))
    others: tuple[Side, ...] = field(
        default=(), metadata=stored(names="{}_{part}", start=1, shared=("names",))
    )
    sides: Mapping[str, Side] = field(
        default_factory=dict, metadata=stored(names="{part}_{}", shared=("names",))
    )
    again: float | None = field(default=None, metadata=stored(kept=False))
    pair: tuple[float, str] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)


@pytest.fixture(scope="module", autouse=True)
def forgotten():
    yield
    KINDS.pop("harvest", None)


def harvest() -> Harvest:
    names = ("apple", "pear")
    side = Side(names, np.array([1.0, np.nan]), float("nan"))
    return Harvest(
        names=names,
        weights=np.array([3, 4]),
        prices=None,
        by_tree={("a", "old"): np.zeros(2), ("b", "new"): np.ones(3)},
        table=pd.DataFrame(
            {"note": ["", "NA"], "sold": [1, 2]}, index=pd.Index(["007", "=x"], name="fruit")
        ),
        frames={"extra": pd.DataFrame({"x": [0.1, 0.2]})},
        small=pd.DataFrame({"a": [1, 2], "b": [np.nan, np.nan]}),
        side=side,
        others=(side, side),
        sides={"left": side},
        again=1.5,
        pair=(float("nan"), "x"),
        parameters={"seed": 3},
    )


def test_what_is_written_is_read_again(tmp_path):
    result = harvest()
    folder = result.save(tmp_path / "run")
    assert sorted(path.name for path in folder.iterdir()) == [
        "extra.csv", "matrices.npz", "run.json", "table.csv"
    ]  # fmt: skip
    back = Harvest.load(folder)
    assert back.names == result.names
    assert (back.prices, back.again, back.parameters) == (None, None, {"seed": 3})
    np.testing.assert_array_equal(back.weights, result.weights)
    assert list(back.by_tree) == list(result.by_tree)
    np.testing.assert_array_equal(back.by_tree["b", "new"], np.ones(3))
    assert back.table.index.tolist() == ["007", "=x"]
    assert back.table["note"].tolist() == ["", "NA"]
    assert back.table["sold"].dtype == float
    pd.testing.assert_frame_equal(back.frames["extra"], result.frames["extra"])
    pd.testing.assert_frame_equal(back.small, result.small)
    for side in (back.side, *back.others, back.sides["left"]):
        assert side.names == result.names
        np.testing.assert_array_equal(side.values, result.side.values)
        assert np.isnan(side.limit)
    assert len(back.others) == 2
    assert np.isnan(back.pair[0])
    with np.load(folder / "matrices.npz") as arrays:
        assert {"kilos", "tree_0", "tree_1", "side_values", "values_2", "left_values"} < set(arrays)


def test_a_result_of_one_record_has_its_arrays_there():
    side = Side(("a",), np.array([0.5, np.nan]), 0.25)
    record = json.loads(side.to_json())
    assert record == {"names": ["a"], "values": [0.5, None], "limit": 0.25}
    back = put_together(Side, record)
    np.testing.assert_array_equal(back.values, side.values)
    assert repr(side) == "Side(names=('a'), values=<2>, limit=0.25)"


def test_what_is_missing_is_named(tmp_path):
    folder = harvest().save(tmp_path / "run")
    record = json.loads((folder / "run.json").read_text())
    del record["side"]
    (folder / "run.json").write_text(json.dumps(record))
    with pytest.raises(OutputError, match="side"):
        Harvest.load(folder)


def test_a_row_is_made_of_the_fields():
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


def test_plain_values_are_strict_json():
    assert plain((1.0, float("inf"), [None])) == [1.0, None, [None]]
    named = pd.DataFrame({"a": [1.0]}, index=pd.Index([7], name="size"))
    assert plain(named) == {"index": [7], "columns": ["a"], "data": [[1.0]]}


def test_a_saved_table_without_its_file_is_damaged(tmp_path):
    folder = harvest().save(tmp_path / "run")
    (folder / "table.csv").unlink()
    with pytest.raises(OutputError, match=r"table\.csv is missing"):
        Harvest.load(folder)
    assert taken_apart(harvest()).tables.keys() == {"table.csv", "extra.csv"}
    assert Saved.read(folder).document["kind"] == "harvest"
