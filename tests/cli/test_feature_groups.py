"""Groups of columns from a terminal: by a prefix, by a file, in a saved run."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

Run = Callable[..., Any]


@pytest.fixture
def encoded(tmp_path) -> pd.DataFrame:
    """``encoded.csv`` with one-hot columns of two variables, a number and the target; ``groups.csv``."""
    rng = np.random.default_rng(0)
    plain = pd.DataFrame(
        {"colour": rng.choice(["red", "green", "blue"], 80), "shape": rng.choice(list("ab"), 80)}
    )
    yes = rng.random(80) < np.where(plain["colour"] == "red", 0.9, 0.2)
    table = pd.get_dummies(plain, prefix_sep="=").astype(int)
    table = table.assign(size=rng.normal(size=80).round(3), kind=np.where(yes, "yes", "no"))
    table.to_csv(tmp_path / "encoded.csv", index=False)
    rows = [(name, name.partition("=")[0]) for name in table if "=" in name]
    pd.DataFrame(rows, columns=["column", "group"]).to_csv(tmp_path / "groups.csv", index=False)
    return table


RANK = "rank encoded.csv --target kind -n 10 --n-features-to-select 1 --quiet"


def test_a_prefix_a_file_and_the_file_of_a_run(pyfsagg, encoded, tmp_path):
    for number, groups in enumerate(["prefix:=", "groups.csv", "run0/groups.csv"]):
        done = pyfsagg(f"{RANK} --feature-groups {groups} -o run{number}")
        assert done.stderr == ""
    rankings = [(tmp_path / f"run{number}" / "ranking.csv").read_bytes() for number in range(3)]
    assert rankings[0] == rankings[1] == rankings[2]
    assert (tmp_path / "run0" / "selected.txt").read_text() == "colour\n"
    selected = (tmp_path / "run0" / "selected_columns.txt").read_text().split()
    assert selected == [name for name in encoded if name.startswith("colour")]
    assert 'feature-groups = "prefix:="' in (tmp_path / "run0" / "run.toml").read_text()
    pyfsagg("rank --config run1/run.toml --overwrite -o run1 --quiet")
    assert (tmp_path / "run1" / "ranking.csv").read_bytes() == rankings[0]
    shown = pyfsagg("show run0")
    assert "1 of 3 features (3 of 6 columns) is selected:" in shown.stdout


def test_a_score_of_groups(pyfsagg: Run, encoded: pd.DataFrame, tmp_path) -> None:
    pyfsagg(f"{RANK} --feature-groups prefix:= --group-score mean -o run")
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["parameters"]["group_score"] == "mean"
    assert record["parameters"]["group_scores"]["mrmr"] == {"mean": ["colour", "shape"]}
    assert "Features have 1 to 3 columns" in record["about_groups"]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (
            "--feature-groups prefix:",
            "--feature-groups prefix: names no separator; give the text that ends the prefix",
        ),
        (
            "--feature-groups no.csv",
            "and there is no such file: no.csv; a rule is written 'prefix:='",
        ),
        (
            "--feature-groups prefix:= --n-features-to-select 4",
            "must be a whole number from 1 to 3, got 4",
        ),
        ("--group-score max", "there are no groups; give --feature-groups"),
        ("--feature-groups prefix:= --group-score sum", "known: auto, joint, max, mean"),
        (
            "--feature-groups prefix:= --drop colour=red,colour=green,colour=blue,shape=a",
            "finds no two columns with the same prefix: the names are shape=b, size",
        ),
        (
            "--feature-groups groups.csv --drop colour=red",
            "unknown column in --feature-groups 'colour=red'",
        ),
    ],
)
def test_bad_flags_of_groups_are_refused(refused, encoded, flags, message):
    said = refused(f"rank encoded.csv --target kind -n 10 --quiet -o run {flags}")
    assert message in said


def test_a_folder_of_files_has_no_groups(refused, encoded, tmp_path):
    (tmp_path / "parts").mkdir()
    encoded.to_parquet(tmp_path / "parts" / "one.parquet")
    for flags in ("--feature-groups prefix:=", "--group-score max"):
        said = refused(f"rank parts --target kind -n 10 --quiet -o run {flags}")
        assert f"{flags.split()[0]} needs the table in memory" in said


def test_check_counts_the_groups(pyfsagg: Run, encoded: pd.DataFrame) -> None:
    done = pyfsagg("check encoded.csv --target kind --feature-groups prefix:=")
    assert (
        "groups: 2 groups of 2 to 3 columns, and 1 column without a group: colour and shape\n"
        in done.stdout
    )
    record = json.loads(
        pyfsagg("check encoded.csv --target kind --feature-groups groups.csv --json").stdout
    )
    assert record["groups"]["shape"] == ["shape=a", "shape=b"]
    pyfsagg("check encoded.csv --target kind --feature-groups prefix:", code=2)


def test_evaluation_and_influence_of_groups(pyfsagg, encoded, tmp_path):
    pyfsagg(f"{RANK} --feature-groups prefix:= -o run")
    done = pyfsagg(
        "evaluate encoded.csv --target kind --from run -n 5 --protocol nested --n-folds 2 --n-repeats 1 "
        "--n-features-to-select 1 --classifiers naive_bayes --baselines all_features --quiet -o tested"
    )
    assert done.stderr == ""
    record = json.loads((tmp_path / "tested" / "run.json").read_text())
    assert list(record["data"]["groups"]) == ["colour", "shape"]
    assert record["data"]["n_features"] == 3
    done = pyfsagg(
        "influence encoded.csv --target kind --feature-groups prefix:= --folds 3 -n 4 "
        "--aggregators am,mean_rank --quiet -o influence"
    )
    assert done.stderr == ""
