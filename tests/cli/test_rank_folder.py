"""``pyfsagg rank FOLDER``: a folder of Parquet files from the outside."""

import json

import numpy as np
import pytest

from pyfsagg import load_dataset
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.out_of_core import rank_out_of_core

WINE = load_dataset("wine")
FILES = ["matrices.npz", "ranking.csv", "report.html", "run.json", "run.toml", "selected.txt"]


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    frame = WINE.X.assign(kind=WINE.y, row=np.arange(178))
    for number, start in enumerate(range(0, 178, 60)):
        frame.iloc[start : start + 60].to_parquet(folder / f"{number}.parquet")
    return folder


def test_a_folder_is_ranked_like_in_python(pyfsagg, parts, tmp_path) -> None:
    done = pyfsagg(
        "rank parts --target kind --exclude row --n-resamples 30 --seed 2 --output out "
        "--binning equal_frequency --bins 5 --n-features-to-select 4 --memory-limit 3GB"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert "4 of 13 features are selected:" in done.stdout
    assert "534 of 534 rows done" in done.stderr
    options = {"exclude": ["row"], "binning": "equal_frequency", "bins": 5}
    expected = rank_out_of_core(parts, "kind", n_resamples=30, random_state=2, **options)
    result = EnsembleResult.load(tmp_path / "out")
    np.testing.assert_array_equal(result.combined, expected.combined)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["parameters"]["resampling"] == "poisson_bootstrap"
    assert "Feature ranking of parts" in (tmp_path / "out" / "report.html").read_text()


def test_one_filter(pyfsagg, parts) -> None:
    done = pyfsagg("rank parts --target kind --filter su --json --quiet")
    assert json.loads(done.stdout)["method"] == "wam"
    assert json.loads(done.stdout)["parameters"]["n_resamples"] == 200


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--target kynd", "unknown column 'kynd'; did you mean 'kind'?"),
        ("", "give the target by --target COLUMN"),
        ("--filter ig", "give the target by --target COLUMN"),
        ("--target kind --groups row", "--groups needs the table in memory"),
        ("--target kind --task regression", "--task needs the table in memory"),
        ("--target kind --resampling bootstrap", "--resampling needs the table in"),
        ("--target kind --n-resamples auto", "--n-resamples auto needs the table"),
        ("--target kind --memory-limit 9MB", "--memory-limit is 9 MB, and"),
        ("--target kind --filters ig,mrmr", "'mrmr' needs the table in memory"),
        ("--target kind --filter ig --filters ig,su", "give one of them"),
        ("--target kind --method wam --filters ig,su", "by one filter, got 2"),
        ("--target kind --method bam --filter ig", "several filters, got 1"),
        ("--target kind --n-features-to-select 15", "14"),
    ],
)
def test_flags_that_a_folder_of_tables_cannot_obey_are_refused(
    pyfsagg, parts, tmp_path, flags: str, message: str
) -> None:
    done = pyfsagg(f"rank parts --output out {flags}", code=2)
    lines = [line for line in done.stderr.splitlines() if " rows " not in line]
    assert len(lines) == 1
    assert message in lines[0]
    assert not (tmp_path / "out").exists()


def test_flags_of_a_folder_are_not_those_of_a_file(pyfsagg, parts) -> None:
    done = pyfsagg("rank parts/0.parquet --target kind --bins 5", code=2)
    assert "--bins needs a folder of Parquet files" in done.stderr


def test_a_folder_with_nothing_in_it(pyfsagg, tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    done = pyfsagg("rank empty --target kind", code=2)
    assert (
        done.stderr.strip() == "pyfsagg rank: the folder empty contains no Parquet file (*.parquet)"
    )
