"""``pyfsagg evaluate`` from the outside."""

import json

import pandas as pd
import pytest

from pyfsagg import evaluate, load_dataset
from pyfsagg.evaluation import Evaluation

WINE = load_dataset("wine")
FILES = [
    "evaluation.csv", "fewest.csv", "final_list.csv", "matrices.npz", "report.html", "run.json", "run.toml",
    "summary.csv",
]  # fmt: skip
TABLE = "wine.csv --target kind --exclude subject"
QUICK = "--classifiers nb --n-features-to-select 3,50% --n-resamples 10 --jobs 1 --seed 3"


def test_evaluate_writes_everything_and_agrees_with_python(pyfsagg, table, tmp_path):
    done = pyfsagg(f"evaluate {TABLE} --methods ig,mrmr/rra {QUICK} --metrics acc,auc --output out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert "Best mean accuracy of each classifier" in done.stdout
    text = " ".join(done.stdout.split())  # as wide as the terminal is
    assert "corrected t tests of the folds, Holm" in text
    assert "the correction allows for common rows" in text
    assert "Results are in out/" in done.stdout
    assert "steps done" in done.stderr
    found = Evaluation.load(tmp_path / "out")
    options = {
        "methods": ["ig", "mrmr/rra"],
        "classifiers": ["nb"],
        "n_features_to_select": [3, 0.5],
    }
    options |= {"metrics": ["accuracy", "roc_auc"], "n_resamples": 10, "random_state": 3}
    expected = evaluate(WINE.X, WINE.y.rename("kind"), protocol="both", **options)
    pd.testing.assert_frame_equal(
        found.cells, expected.cells, check_dtype=False, check_column_type=False
    )
    assert found.data["sha256"] == expected.data["sha256"]
    summary = pd.read_csv(tmp_path / "out" / "summary.csv")
    assert len(summary) == len(expected.summary())


def test_a_saved_ranking_is_reused_for_its_own_table_only(pyfsagg, refused, table, tmp_path):
    pyfsagg(f"rank {TABLE} --n-resamples 10 --output run --quiet")
    done = pyfsagg(f"evaluate {TABLE} --from run {QUICK} --json --quiet")
    document = json.loads(done.stdout)
    assert document["parameters"]["rankings"] == {
        "bam (saved)": {"method": "given ranking", "leakage": "certain"}
    }
    assert document["parameters"]["protocols"] == ["nested"]
    said = refused(f"evaluate {TABLE} --from run {QUICK} --protocol thesis --output no")
    assert "was computed on the whole table" in said
    assert (tmp_path / "pyfsagg-evaluate" / "report.html").is_file()
    # The same table with one other value, and the same file without --exclude.
    pd.read_csv(table).assign(alcohol=lambda f: f["alcohol"] + 1e-6).to_csv(
        tmp_path / "other.csv", index=False
    )
    for wrong in (TABLE.replace("wine", "other"), "wine.csv --target kind --accept all"):
        said = refused(f"evaluate {wrong} --from run {QUICK} --output no")
        assert "was made for another table" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--n-features-to-select 0", "from 1 to 13"),
        ("--n-features-to-select few", "expected a number of features"),
        ("--from nowhere", "contains no saved run"),
        ("--target vintage", "unknown column 'vintage'"),
        ("--output wine.csv", "is a file"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, table, arguments, message):
    assert message in refused(f"evaluate {TABLE} --output out {QUICK} {arguments} --quiet")


def test_failed_cells_are_said_and_the_rest_is_written(pyfsagg, table, tmp_path):
    done = pyfsagg(
        f"evaluate {TABLE} --methods ig {QUICK} --classifiers nb,svm --metrics acc,log_loss "
        "--protocol thesis --output out"
    )
    assert "cells failed and have no value: svm" in done.stdout
    assert "no probabilities" in (tmp_path / "out" / "report.html").read_text()
    cells = pd.read_csv(tmp_path / "out" / "evaluation.csv")
    failed = cells["status"] == "failed"
    assert cells.loc[failed, ["classifier", "metric"]].drop_duplicates().to_numpy().tolist() == [
        ["svm", "log_loss"]
    ]
    assert cells.loc[~failed, "value"].notna().all()
