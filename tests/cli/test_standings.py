"""``pyfsagg standings`` from the outside."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pyfsagg


@pytest.fixture
def scores(tmp_path: Path) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(12, 3)).round(3)
    values[:, 0] += 2.0
    frame = pd.DataFrame(values, columns=["new", "old", "other"])
    frame.insert(0, "board", [f"board {i}" for i in range(12)])
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return frame


def test_files_and_sentences(command: Any, tmp_path: Path, scores: pd.DataFrame) -> None:
    out, err = command("standings", "scores.csv", "--xlsx")
    assert err == ""
    assert "the first is new" in out
    folder = tmp_path / "pyfsagg-standings"
    assert sorted(path.name for path in folder.iterdir()) == [
        "datasets.csv", "matrices.npz", "pairs.csv", "report.html", "run.json", "run.toml", "standings.csv",
        "tables.xlsx",
    ]  # fmt: skip
    known = pyfsagg.standings(scores).to_frame()
    written = pd.read_csv(folder / "standings.csv", index_col="method")
    assert written["upper_all"].tolist() == known["upper_all"].tolist()
    sheets = pd.read_excel(folder / "tables.xlsx", sheet_name=None, engine="calamine")
    assert set(sheets) == {"standings", "pairs", "datasets"}


def test_a_long_table_of_losses(command: Any, tmp_path: Path, scores: pd.DataFrame) -> None:
    long = scores.melt("board", var_name="model", value_name="loss")
    long.to_csv(tmp_path / "long.csv", index=False)
    flags = "--method model --dataset board --value loss --lower-is-better --by rank --json"
    out, _ = command(f"standings long.csv {flags}")
    found = json.loads(out)
    assert found["standings"][-1]["method"] == "new"
    assert found["parameters"]["by"] == "rank"
    known = pyfsagg.standings(scores, higher_is_better=False, by="rank")
    assert found["may_be_first"] == known.may_be_first


def test_bad_input(refused: Any, scores: pd.DataFrame) -> None:
    assert "--method" in refused("standings scores.csv --method nothing --value new")
    assert "name both for a long table" in refused("standings scores.csv --method board")
    assert "--top" in refused("standings scores.csv --top 0")
