"""``pyfsagg standings`` from the outside."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pyfsagg


@pytest.fixture
def scores(tmp_path) -> pd.DataFrame:
    values = np.random.default_rng(0).normal(size=(12, 3)).round(3)
    values[:, 0] += 2.0
    frame = pd.DataFrame(values, columns=["new", "old", "other"])
    frame.insert(0, "board", [f"board {i}" for i in range(12)])
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return frame


def test_files_and_sentences(command: Any, tmp_path, scores: pd.DataFrame) -> None:
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


def test_a_long_table_of_losses(command: Any, tmp_path, scores: pd.DataFrame) -> None:
    long = scores.melt("board", var_name="model", value_name="loss")
    long.to_csv(tmp_path / "long.csv", index=False)
    flags = "--method model --dataset board --value loss --lower-is-better --by rank --json"
    out, _ = command(f"standings long.csv {flags}")
    found = json.loads(out)
    assert found["standings"][-1]["method"] == "new"
    assert found["parameters"]["by"] == "rank"
    known = pyfsagg.standings(scores, higher_is_better=False, by="rank")
    assert found["may_be_first"] == known.may_be_first


def test_several_metrics(command: Any, tmp_path, scores: pd.DataFrame) -> None:
    worse = scores.assign(**(-(scores.drop(columns="board") ** 3)))
    worse.to_csv(tmp_path / "loss.csv", index=False)
    out, err = command("standings scores.csv loss.csv --losses loss --xlsx")
    assert err == ""
    assert "By loss:" in out
    folder = tmp_path / "pyfsagg-standings"
    assert {"agreement.csv", "pairs.csv", "standings.csv", "report.html"} <= {
        path.name for path in folder.iterdir()
    }
    known: Any = pyfsagg.standings(
        {"scores": scores, "loss": worse}, higher_is_better={"scores": True, "loss": False}
    )
    written = pd.read_csv(folder / "standings.csv")
    assert written["upper_all"].tolist() == known.to_frame()["upper_all"].tolist()
    long = pd.concat([scores.assign(by="scores"), worse.assign(by="loss")])
    long.to_csv(tmp_path / "long.csv", index=False)
    out, _ = command("standings long.csv --dataset board --metric by --losses loss --json -o o")
    assert json.loads(out)["may_be_first"] == known.may_be_first


def test_folders_of_runs(command: Any, tmp_path) -> None:
    wine = pyfsagg.load_dataset("wine")
    for i in range(2):
        one = pyfsagg.evaluate(
            wine.X.iloc[i::2], wine.y.iloc[i::2], methods=["cs", "su"], classifiers="nb",
            n_features_to_select=[0.3], n_resamples=3, random_state=0,
            protocol=pyfsagg.evaluation.Protocol("nested", n_folds=3),
        )  # fmt: skip
        one.save(tmp_path / f"run{i}")
    out, _ = command("standings run0 -o one")
    assert "corrected t tests of the folds" in out
    known: Any = pyfsagg.standings(pyfsagg.load_result(tmp_path / "run0"))
    written = pd.read_csv(tmp_path / "one" / "pairs.csv")
    np.testing.assert_allclose(written["p"], known.pairs()["p"])
    out, _ = command("standings run0 run1 -o two")
    assert "2 data sets are too few" in out
    record = json.loads((tmp_path / "two" / "run.json").read_text())
    assert record["data"]["n_datasets"] == 2


def test_bad_input(refused: Any, scores: pd.DataFrame) -> None:
    assert "--method" in refused("standings scores.csv --method nothing --value new")
    assert "name both for a long table" in refused("standings scores.csv --method board")
    assert "--top" in refused("standings scores.csv --top 0")
    assert "but not both" in refused("standings scores.csv .")
    assert "--losses names some of several metrics" in refused("standings scores.csv --losses new")
