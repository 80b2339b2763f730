"""``pyfsagg agreement`` from the outside."""

import json

import pandas as pd


def test_files_and_sentences(command, tmp_path) -> None:
    for name, names in {"a": "abcdefgh", "b": "badcfegh", "c": "hgfed"}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(names))
    out, err = command("agreement", "a.txt", "b.txt", "c.txt")
    assert err == ""
    assert "Rank-biased overlap" in out
    folder = tmp_path / "pyfsagg-agreement"
    assert sorted(path.name for path in folder.iterdir()) == [
        "curve.csv", "pairs.csv", "report.html", "run.json", "run.toml",
    ]  # fmt: skip
    assert len(pd.read_csv(folder / "pairs.csv")) == 6
    out, _ = command("agreement a.txt b.txt --json --output again")
    assert json.loads(out)["k"] == 8


def test_bad_input(refused, tmp_path) -> None:
    (tmp_path / "a.txt").write_text("x\ny\n")
    assert "at least two lists" in refused("agreement a.txt")
