"""``pyfsagg rank`` and ``pyfsagg demo`` from the outside."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfsagg import load_dataset, load_result, wam
from pyfsagg.ensemble import EnsembleResult
from pyfsagg.resampling import Subsample

WINE = load_dataset("wine")
FILES = ["matrices.npz", "ranking.csv", "report.html", "run.json", "run.toml", "selected.txt"]


def test_rank_writes_everything_and_says_where(process, table: Path, tmp_path: Path) -> None:
    done = process(
        "rank wine.csv --target kind --exclude subject --n-resamples 40 --seed 3 "
        "--n-features-to-select 4 --output out"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    assert "4 of 13 features are selected:" in done.stdout
    paragraphs = done.stdout.split("\n\n")  # the answer, how sure it is, the table, what to do next
    assert paragraphs[0].startswith("4 of 13 features are selected:")
    assert paragraphs[1].startswith("Would another sample") or "agree" in paragraphs[1]
    assert paragraphs[2].startswith("The first of the selected features.")
    assert paragraphs[3].startswith("Results are in out/")
    assert paragraphs[3].endswith("pyfsagg show out prints the details.\n")
    assert len(paragraphs) == 4
    said = done.stderr.splitlines()
    scored = (
        40 + 2 * 5 + 1000 + 2 * 5
    )  # with those of halves and of shuffled targets, which a line says
    assert "progress includes halves and shuffled targets" in said
    assert said[-3:] == [
        f"{scored} of {scored} resamples done", "drawing the report", "writing the files"
    ]  # fmt: skip
    result = EnsembleResult.load(tmp_path / "out")
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv")
    assert ranking["feature"].tolist() == result.select(13)
    assert json.loads((tmp_path / "out" / "run.json").read_text())["selected"] == result.select(4)


def test_rank_agrees_with_python(pyfsagg, table: Path) -> None:
    done = pyfsagg(
        "rank wine.csv --target kind --exclude subject --filter su --filter-param "
        "su.mdl=fselectorrcpp --resampling subsample --resampling-param fraction=0.7 "
        "--aggregator median --n-resamples 25 --seed 9 --json --quiet"
    )
    assert done.stderr == ""
    options = {"filter": "su", "filter_params": {"mdl": "fselectorrcpp"}, "aggregator": "median"}
    plan = {"resampling": Subsample(0.7), "n_resamples": 25, "random_state": 9}
    result = wam(WINE.X, WINE.y, **options, **plan)
    found = {row["feature"]: row["score"] for row in json.loads(done.stdout)["ranking"]}
    assert found == dict(zip(result.feature_names, result.scores, strict=True))


def test_standard_input_groups_and_quiet(process, table: Path, tmp_path: Path) -> None:
    done = process(
        "rank - --target kind --groups subject --n-resamples 10 --quiet", stdin=table.read_text()
    )
    assert done.stdout == done.stderr == ""
    document = json.loads((tmp_path / "pyfsagg-rank" / "run.json").read_text())
    assert document["parameters"]["resampling"] == "grouped_bootstrap"
    assert "subject" not in document["features"]


@pytest.mark.parametrize(
    ("flags", "plan"),
    [
        ("--groups subject --resampling bootstrap", "grouped_bootstrap"),
        ("--groups subject --resampling complementary_pairs", "complementary_pairs"),
        ("--exclude subject", "bootstrap"),
    ],
)
def test_groups_are_drawn_whole_by_a_bootstrap(pyfsagg, table, tmp_path, flags, plan) -> None:
    pyfsagg(
        f"rank {table} --target kind --filter ig -n 4 --quiet --pairs 0 --shuffles 0 -o run {flags}"
    )
    assert load_result(tmp_path / "run").parameters["resampling"] == plan


def test_demo_takes_the_next_free_name(pyfsagg, tmp_path: Path) -> None:
    rankings = set()
    for name, flag in (("pyfsagg-demo", ""), ("pyfsagg-demo-2", "--filters auto")):
        done = pyfsagg(f"demo --n-resamples 20 {flag}")
        assert f"Results are in {name}/" in done.stdout
        assert sorted(path.name for path in (tmp_path / name).iterdir()) == FILES
        rankings.add((tmp_path / name / "ranking.csv").read_bytes())
    assert len(rankings) == 1  # auto is the default


BAD_FILES = {
    "empty.csv": "",
    "ragged.csv": "a,b,kind\n1,2,x\n3,4\n",
    "one_class.csv": "a,b,kind\n" + "1,2,x\n3,4,x\n" * 4,
    "some_labels.csv": "a,b,kind\n" + "1,2,x\n3,4,\n5,1,y\n" * 4,
    "constant.csv": "a,b,kind\n" + "1,2,x\n1,2,y\n" * 4,
    "mixed.csv": "a,b,kind\n" + "1,2,x\n3,many,y\n" * 4,
    "good.csv": "a,b,kind\n" + "1,2,x\n3,4,y\n2,9,x\n" * 4,
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.csv", "no such file: nowhere.csv"),
        ("empty.csv", "empty.csv is empty"),
        ("ragged.csv", "ragged rows"),
        ("one_class.csv", "one class only"),
        ("some_labels.csv", "missing (NaN) in 4 of 12 rows"),
        ("constant.csv", "every feature is constant"),
        ("mixed.csv", "'b' mixes numbers and words"),
        ("good.csv --target knd", "unknown column 'knd'; did you mean 'kind'"),
        ("good.csv --resampling boots", "did you mean 'bootstrap'"),
        ("good.csv --n-resamples many", "expected a number or auto"),
        ("good.csv --n-features-to-select 3", "--n-features-to-select"),
        ("good.csv --n-features-to-select few", "expected a number of features"),
        ("good.csv --filter-param mdl", "expected NAME=VALUE"),
        ("good.csv --method bam --filter ig", "--method bam ranks by several filters, got 1"),
        ("good.csv --method wam --filters ig,su", "--method wam ranks by one filter, got 2"),
        ("good.csv --output taken", "not empty"),
        ("good.csv --output good.csv/run", "cannot write"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, tmp_path, arguments, message):
    for name, content in BAD_FILES.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "precious").touch()
    target = "" if "--target" in arguments else "--target kind"
    assert message in refused(f"rank {arguments} {target}")


def test_usage_errors_are_one_line(pyfsagg, refused) -> None:
    for line in ("rnk", "rank", "rank t.csv --target a --nonsense"):
        assert "--help" in refused(line)
    pyfsagg("--help")
    pyfsagg("rank --help")
    assert pyfsagg("--version").stdout.startswith("pyfsagg ")


def test_interrupt_leaves_no_broken_file(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "pyfsagg", "demo", "--n-resamples", "60000", "--output", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        # A shell starts jobs in the background with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr is not None
    said = iter(process.stderr)
    assert any(re.match(r"\d+ of \d+ resamples done", line) for line in said)  # it is at work
    process.send_signal(signal.SIGINT)
    errors = "".join(said)
    process.stderr.close()
    process.wait()
    # A shell says 130 of both: Python ends by the signal if it came inside of its own exec().
    assert process.returncode in (130, -signal.SIGINT)
    assert errors.strip().endswith("interrupted; nothing was written")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("flags", ["--n-resamples 1", "--resampling feature_subspace"])
def test_runs_without_a_stability_say_why(pyfsagg, table: Path, tmp_path: Path, flags) -> None:
    done = pyfsagg(
        f"rank wine.csv --target kind --exclude subject --n-resamples 20 -v --output out {flags}"
    )
    assert "The agreement of the resamples is not defined: " in done.stdout
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert "undefined" in document["stability"]
    assert len(document["ranking"]) == 13
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_table_without_a_target(pyfsagg, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(30, 4)), columns=list("abcd")).to_csv(
        tmp_path / "t.csv", index=False
    )
    pyfsagg("rank t.csv --filter laplacian_score --n-resamples 5 --quiet")
    assert (tmp_path / "pyfsagg-rank" / "report.html").is_file()
    refused = pyfsagg("rank t.csv", code=2)
    assert "--target COLUMN, or name filters that need none" in refused.stderr


def test_a_numeric_target(pyfsagg, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(60, 4)), columns=list("abcd"))
    table.assign(dose=table["b"] + rng.normal(size=60)).to_csv(tmp_path / "t.csv", index=False)
    pyfsagg(
        "rank t.csv --target dose --task regression --filters pearson,spearman --quiet "
        "--n-resamples 20"
    )
    ranking = pd.read_csv(tmp_path / "pyfsagg-rank" / "ranking.csv")
    assert ranking["feature"][0] == "b"
    report = (tmp_path / "pyfsagg-rank" / "report.html").read_text(encoding="utf-8")
    assert "numeric target <b>dose</b>" in report
    refused = pyfsagg("rank t.csv --target dose", code=2)
    assert "--task regression" in refused.stderr


def outcome(folder: Path):
    """What a run found, without the command that made it."""
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    del record["view"]
    return (folder / "ranking.csv").read_bytes(), record


def test_rank_continues_from_a_checkpoint(pyfsagg, table: Path, tmp_path: Path) -> None:
    rank = "rank wine.csv --target kind --exclude subject --n-resamples 24 --checkpoint kept"
    first = pyfsagg(f"{rank} --output first")
    assert "finished work is in kept" in first.stderr
    again = pyfsagg(f"{rank} --output again")
    assert "continuing from kept: 5 pieces of work are done" in again.stderr
    assert outcome(tmp_path / "again") == outcome(tmp_path / "first")
    other = pyfsagg(f"{rank} --seed 9 --output other", code=2)
    assert other.stderr.endswith(
        "pyfsagg rank: the checkpoint kept belongs to another run: --seed is 0 there and 9 here. "
        "Repeat that run, or name another folder\n"
    )
    assert not (tmp_path / "other").exists()


def test_a_data_set_is_ranked_by_its_name(pyfsagg, refused, tmp_path: Path) -> None:
    pyfsagg("rank wine --n-resamples 10 --filter chi_squared --output out")
    expected = wam(WINE.X, WINE.y, filter="chi_squared", n_resamples=10, random_state=0)
    found = pd.read_csv(tmp_path / "out" / "ranking.csv")
    assert found.iloc[:, 0].tolist() == expected.to_frame().index.tolist()
    for flags, message in (
        ("--target class", "the data set of that name has its own target; leave --target out"),
        ("--drop ash", "--drop has no meaning here: wine is a data set, and not a file"),
    ):
        assert message in refused(f"rank wine {flags} --output no")
    # A file of that name comes first.
    (tmp_path / "wine").write_text("a,b,kind\n1,2,x\n")
    assert "has one class only" in pyfsagg("rank wine --target kind --output no", code=2).stderr
