"""``pyfsagg unsupervised`` from the outside."""

import json

import pandas as pd
import pytest

from pyfsagg import load_dataset
from pyfsagg.unsupervised import ConsensusRanking, frcm, frmv

WINE = load_dataset("wine")
FILES = [
    "consensus.png", "matrices.npz", "ranking.csv", "report.html", "run.json", "run.toml",
    "selected.txt", "spectrum.png",
]  # fmt: skip
CURVES = ["borda_curve.csv", "borda_curve.png", "clustering_curve.csv", "clustering_curve.png"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "wine.csv"
    WINE.X.assign(kind=WINE.y).to_csv(path, index=False)
    return path


def test_writes_everything_and_says_where(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg(
        "unsupervised wine.csv --classes kind --n-clusterings 20 --seed 3 "
        "--n-features-to-select 4 --trials 2 --output out"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(FILES + CURVES)
    assert "Selected 4 of 13 features" in done.stdout
    assert "Results are in out/" in done.stdout
    assert "20 of 20 clusterings done" in done.stderr
    result = ConsensusRanking.load(tmp_path / "out")
    expected = frcm(WINE.X, n_clusterings=20, random_state=3)
    assert result.scores.tolist() == expected.scores.tolist()
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv")
    assert ranking["feature"].tolist() == expected.select(13)
    assert ranking["selected"].sum() == 4
    page = (tmp_path / "out" / "report.html").read_text()
    for words in ("Consensus matrix", "Spectrum of the scores", "Mean Borda value", "--seed 3"):
        assert words in page
    assert page.count("<svg") == 5
    curve = pd.read_csv(tmp_path / "out" / "clustering_curve.csv")
    assert curve["size"].max() == 13


def test_json_without_classes_from_standard_input(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg(
        "unsupervised - --exclude kind --method frmv --aggregator median "
        "--n-clusterings 15 --k-range 2,4 --clusterer ward --standardize min_max "
        "--jobs 2 --json --quiet",
        stdin=table.read_text(),
    )
    assert done.stderr == ""
    expected = frmv(
        WINE.X, aggregator="median", n_clusterings=15, k_range=(2, 4), clusterer="ward",
        standardize="min_max", random_state=0,
    )  # fmt: skip
    document = json.loads(done.stdout)
    found = {row["feature"]: row["score"] for row in document["ranking"]}
    assert found == dict(zip(expected.feature_names, expected.scores, strict=True))
    folder = tmp_path / "pyfsagg-unsupervised"
    assert sorted(path.name for path in folder.iterdir()) == FILES


@pytest.mark.parametrize("method", ["laplacian_score", "svd_entropy"])
def test_methods_without_clusterings(pyfsagg, table, tmp_path, method: str) -> None:
    pyfsagg(f"unsupervised wine.csv --exclude kind --method {method}")
    names = [path.name for path in (tmp_path / "pyfsagg-unsupervised").iterdir()]
    assert sorted(names) == [name for name in FILES if name != "consensus.png"]


BAD_FILES = {
    "words.csv": "a,b\n1,x\n2,y\n3,z\n",
    "good.csv": "a,b,kind\n" + "1,2,x\n3,4,y\n2,9,x\n4,4,y\n" * 3,
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.csv", "no such file: nowhere.csv"),
        ("words.csv", "column 'b' is nominal"),
        ("good.csv", "column 'kind' is nominal"),
        ("good.csv --classes knd", "did you mean 'kind'"),
        ("good.csv --exclude knd", "did you mean 'kind'"),
        ("good.csv --exclude kind --k-range 2,9", "only 4 distinct samples"),
        ("good.csv --exclude kind --k-range 2", "expected two whole numbers"),
        ("good.csv --exclude kind --n-features-to-select 3", "n-features-to-select"),
        ("good.csv --exclude kind --n-neighbors 3", "belongs to --method laplacian"),
        ("good.csv --exclude kind --aggregator rra", "belongs to --method frmv"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, tmp_path, arguments, message):
    for name, content in BAD_FILES.items():
        (tmp_path / name).write_text(content)
    assert message in refused(f"unsupervised --quiet {arguments}")
