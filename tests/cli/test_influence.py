"""``pyfsagg influence`` from the outside."""

import json

import numpy as np
import pandas as pd
import pytest

from pyfsagg import influence, load_dataset
from pyfsagg.aggregator_influence import InfluenceResult

WINE = load_dataset("wine")
FILES = ["influence.csv", "matrices.npz", "report.html", "run.json", "run.toml"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "wine.csv"
    WINE.X.assign(kind=WINE.y).to_csv(path, index=False)
    return path


def test_influence_writes_everything_and_agrees_with_python(pyfsagg, table, tmp_path):
    done = pyfsagg(
        "influence wine.csv --target kind --filters ig,mrmr --aggregators am,gm,median "
        "--aggregator-param gm.shift=minimum --folds 5 --n-resamples 8 "
        "--measures spearman,nogueira --n-features-to-select 4 --seed 2 --output out"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert "5 of 5 folds done" in done.stderr
    assert "Stability of the rankings by mrmr over" in done.stdout
    result = influence(
        WINE.X, WINE.y, filter=["ig", "mrmr"],
        aggregators={"am": {}, "gm": {"shift": "minimum"}, "median": {}},
        n_folds=5, n_resamples=8, random_state=2,
    )  # fmt: skip
    back = InfluenceResult.load(tmp_path / "out")
    for key, matrix in result.scores.items():
        np.testing.assert_array_equal(back.scores[key], matrix)
    table = pd.read_csv(tmp_path / "out" / "influence.csv")
    expected = result.to_frame(["spearman", "nogueira"], n_features_to_select=4)
    np.testing.assert_allclose(table["value"], expected["value"], rtol=1e-12)


def test_bam_from_standard_input_as_json(pyfsagg, table) -> None:
    done = pyfsagg(
        "influence - --target kind --method bam --filters ig,su --aggregators am "
        "--folds 3 --n-resamples 4 --json --quiet",
        stdin=table.read_text(),
    )
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert document["kind"] == "influence"
    assert document["matrices"] == [["bam", "arithmetic_mean"]]
    assert document["parameters"]["method"] == "bam"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--folds 49", "smallest class has 48; use at most 48 folds"),
        ("--aggregator-param shift=minimum", "name its aggregator"),
        ("--filters ig,su --filter-param mdl=textbook", "must name them"),
        ("--measures yu", "needs a matrix of feature similarities"),
        ("--n-features-to-select 99", "--n-features-to-select"),
        ("--exclude nobody", "unknown column 'nobody'"),
        ("--output taken", "not empty"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, table, tmp_path, arguments, message):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "precious").touch()
    target = "" if "--target" in arguments else "--target kind"
    small = "--folds 3 --n-resamples 3 --quiet"
    assert message in refused(f"influence wine.csv {target} {small} {arguments}")
