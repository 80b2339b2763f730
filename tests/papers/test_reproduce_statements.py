"""``pyfsagg reproduce claims`` and ``stuart`` from the outside."""

import json
from pathlib import Path

import pandas as pd
import pytest

from pyfsagg.cli import main
from pyfsagg_papers import StuartFinding, claim_variants, claims


def test_claims_writes_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    assert main(["reproduce", "claims", "--table", "4.2", "--output", str(folder)]) == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["claims.csv", "claims.json", "forms.csv", "report.html"]
    table = pd.read_csv(folder / "claims.csv")
    expected = claims(table="4.2")
    assert list(table["verdict"]) == list(expected["verdict"])
    assert list(table["recomputed"]) == pytest.approx(list(expected["recomputed"]))
    assert len(pd.read_csv(folder / "forms.csv")) == len(claim_variants(table="4.2"))
    document = json.loads((folder / "claims.json").read_text())
    assert [row["id"] for row in document["claims"]] == list(expected["id"])
    assert document["claims"][0]["statistic"] is None
    said = capsys.readouterr().out
    assert "does not hold: 3" in said
    assert "thesis bam-slower-p" in said


def test_claims_on_own_runs_as_json(pyfsagg, tmp_path):
    order = ["stuart", "geometric_mean", "rra", "l2_norm", "arithmetic_mean"]
    cells = [
        ("4.6", name, measure, method, 0.5 + 0.1 * place)
        for name in ("jasmine", "optdigits", "indian_pines")
        for measure in ("spearman", "jaccard")
        for place, method in enumerate(order)
    ]
    columns = ["table", "dataset", "measure", "method", "value"]
    pd.DataFrame(cells, columns=columns).to_csv("runs.csv", index=False)
    done = pyfsagg("reproduce claims --paper thesis --table 4.6 --runs runs.csv --json")
    rows = json.loads(done.stdout)["claims"]
    own = {row["id"]: row for row in rows if row["basis"] == "own runs"}
    assert own["mean-and-l2-peak-on-three"]["verdict"] == "holds"
    assert own["mean-and-l2-lead-mrmr"]["recomputed"] == 1.0
    assert (tmp_path / "pyfsagg-claims" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["claims", "--table", "9"], "unknown table '9'"),
        (["claims", "--runs", "nowhere.csv"], "nowhere.csv"),
        (["stuart", "--datasets", "nowhere"], "unknown data set 'nowhere'"),
        (["stuart", "--quick", "--folds", "1"], "--folds"),
        (["stuart", "--lists", "10,many"], "expected whole numbers, got '10,many'"),
        (["stuart", "--quick", "--filters", "vdm"], "information_gain, mrmr, got vdm"),
    ],
)
def test_bad_input_is_one_line(refused, arguments, words):
    assert words in refused("reproduce", *arguments, "--output", "out", "--quiet")


def test_stuart_without_r(pyfsagg, tmp_path, no_r):
    said = pyfsagg("reproduce stuart --quick --folds 3 --lists 5,10 --jobs 1 --output out")
    folder = tmp_path / "out"
    names = " ".join(sorted(path.name for path in folder.iterdir()))
    assert names == "lists.png printed.csv report.html run.json runs.csv stability.csv"
    finding = StuartFinding.load(folder)
    assert finding.parameters["list_counts"] == [5, 10]
    assert not finding.r["available"]
    assert "The recursion was not run: R is <not> here." in said.stdout
    assert "without R's recursion: R is <not> here" in said.stderr
    assert "3 of 3 folds done" in said.stderr
    assert len(pd.read_csv(folder / "stability.csv")) == len(finding.stability)
    done = pyfsagg("reproduce claims --table 4.5 --runs out/runs.csv --output claims")
    assert "stuart-least-stable (own runs)" in done.stdout


@pytest.mark.parametrize("flag", ["--overwrite", "--xlsx"])
def test_flags_of_results_that_are_read_again_are_not_offered(refused, flag: str) -> None:
    assert f"unknown argument {flag}" in refused(f"reproduce claims {flag} --quiet")
