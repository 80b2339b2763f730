"""``pyfsagg cross-check`` from the outside."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from html_pages import Page
from r_packages import need

from pyfsagg import load_dataset
from pyfsagg_papers import CrossCheck

pytestmark = pytest.mark.r
need("RobustRankAggreg", "afex", "rstatix")

WINE = load_dataset("wine")


@pytest.fixture
def wine(tmp_path: Path) -> Path:
    path = tmp_path / "wine.csv"
    WINE.X.assign(kind=WINE.y).to_csv(path, index=False)
    return path


def test_command_prints_the_table_and_writes_a_folder(pyfsagg, wine: Path, tmp_path: Path) -> None:
    done = pyfsagg(
        "cross-check wine.csv --package RobustRankAggreg,stats --target kind "
        "--n-resamples 3 --output out"
    )
    lines = done.stdout.splitlines()
    assert any(re.match(r"RobustRankAggreg +Stuart's Q, .* agrees", x) for x in lines)
    assert "differs as documented" in done.stdout
    assert re.search(r"^R \d+\.\d+\.\d+, RobustRankAggreg \d", done.stdout, flags=re.MULTILINE)
    assert CrossCheck.load(tmp_path / "out").data.keys() == {"wine.csv"}
    assert (
        "pyfsagg cross-check wine.csv --package"
        in Page((tmp_path / "out/report.html").read_text()).words
    )


def test_command_prints_json(pyfsagg, wine: Path) -> None:
    done = pyfsagg(
        "cross-check - --package stats --target kind --n-resamples 3 --json --quiet",
        stdin=wine.read_text(),
    )
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["kind"] == "cross_check"
    assert document["agrees"] is True
    assert {each["package"] for each in document["outcomes"]} == {"stats"}


def test_command_ends_with_1_if_something_disagrees(monkeypatch, tmp_path, capsys):
    from pyfsagg.cli import main

    monkeypatch.chdir(tmp_path)
    wrong = pd.Series({"chi_squared": 0.0})
    monkeypatch.setattr("pyfsagg_rpy2.statistics.friedman", lambda values: wrong)
    arguments = ["cross-check", "wine", "--package", "rstatix", "--n-resamples", "3"]
    assert main([*arguments, "--quiet", "--output", "out"]) == 1
    found = CrossCheck.load("out").to_frame()["verdict"]
    assert found["friedman"] == "disagrees"
    assert found.drop("friedman").eq("agrees").all()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--package stabn", "did you mean 'stabm'"),
        ("--target kind", "belong to a table: name one first"),
        ("wine.csv", "a file needs --target"),
        ("wine --target kind", "which has its own"),
        ("nowhere", "unknown data set 'nowhere'"),
        ("wine --exclude hues", "unknown column 'hues'; did you mean 'hue'?"),
        ("--n-resamples 1", "--n-resamples must be a whole number of at least 3"),
        ("--seed -1", "--seed must be"),
    ],
)
def test_command_refuses_in_one_line(refused, wine: Path, arguments: str, message: str) -> None:
    assert message in refused(f"cross-check {arguments}")
