"""What is done with a run when it is there, and how a command line helps to write the next one."""

import importlib.util
import json
import shutil
import subprocess
import tomllib
import zipfile

import numpy as np
import pandas as pd
import pytest

import pyfsagg
from pyfsagg.extending import data_folder

WINE = pyfsagg.load_dataset("wine")
RANK = "rank wine.csv -t kind --exclude subject -n 10 -q"


@pytest.fixture
def run(command, table, tmp_path):
    command(f"{RANK} -o run --threshold 4")
    return tmp_path / "run"


# --- files beside the record -----------------------------------------------------------------
def test_the_selection_is_in_the_table_and_a_list(run) -> None:
    names = pyfsagg.load_result(run).select(4)
    assert (run / "selected.txt").read_text().splitlines() == names
    frame = pd.read_csv(run / "ranking.csv", index_col="feature")
    assert frame.index[frame["selected"]].tolist() == names


def test_a_list_of_names_is_read_again_as_a_list(command, run) -> None:
    shutil.copy(run / "selected.txt", run.parent / "again.txt")
    out, _ = command("stability run/selected.txt again.txt --n-features 13 -q --json")
    assert json.loads(out)["parameters"]


def test_a_workbook_holds_texts_and_not_formulas(command, table, tmp_path) -> None:
    frame = pd.read_csv(table).rename(columns={"alcohol": "=1+1", "hue": "http://x.org"})
    frame.to_csv(table, index=False)
    for folder in ("a", "b"):
        command(f"{RANK} -o {folder} --xlsx")
    read = pd.read_excel(tmp_path / "a" / "tables.xlsx", sheet_name="ranking", engine="calamine")
    written = pyfsagg.load_result(tmp_path / "a").to_frame()
    assert read["feature"].tolist() == written.index.tolist()
    assert "=1+1" in set(read["feature"])
    np.testing.assert_allclose(read["score"], written["score"], rtol=1e-15)
    with zipfile.ZipFile(tmp_path / "a" / "tables.xlsx") as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")
    same = [(tmp_path / folder / "tables.xlsx").read_bytes() for folder in ("a", "b")]
    assert same[0] == same[1]


# --- a file of flags -------------------------------------------------------------------------
def test_the_flags_of_a_run_repeat_it(command, table, tmp_path) -> None:
    flags = (
        "-n 12 -s 5 --filters ig,su --filter-param ig.bins=4 --filter-param su.bins=5 "
        "--resampling subsample --resampling-param fraction=0.8 --drop-near-zero-variance"
    )
    command(f"rank wine.csv -t kind --exclude subject -q {flags} --checkpoint kept -o first")
    given = tomllib.loads((tmp_path / "first" / "run.toml").read_text())
    assert given == {
        "command": "rank",
        "table": "wine.csv",
        "target": "kind",
        "drop": ["subject"],
        "n-resamples": 12,
        "seed": 5,
        "filters": ["ig", "su"],
        "filter-param": ["ig.bins=4", "su.bins=5"],
        "resampling": "subsample",
        "resampling-param": ["fraction=0.8"],
        "drop-near-zero-variance": True,
    }
    for folder, more in (("second", ""), ("third", "--seed 6")):
        command(f"rank --config first/run.toml -o {folder} -q {more}")
    tables = [(tmp_path / name / "ranking.csv").read_bytes() for name in ("first", "second")]
    assert tables[0] == tables[1]
    assert (tmp_path / "third" / "ranking.csv").read_bytes() != tables[0]
    kept = [
        tomllib.loads((tmp_path / each / "run.toml").read_text()) for each in ("second", "third")
    ]
    assert kept == [given, {**given, "seed": 6}]
    assert json.loads((tmp_path / "third" / "run.json").read_text())["parameters"]["seed"] == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('command = "evaluate"', "run.toml is for pyfsagg evaluate, not for pyfsagg rank"),
        ("n-resample = 10", "unknown setting 'n-resample'; did you mean n-resamples?"),
        ('n-resamples = "many"', "n-resamples: expected a number or auto, got 'many'"),
        ('task = "regresion"', "task: unknown choice 'regresion'; did you mean regression?"),
        ("quiet = true", "type --quiet on the command line instead"),
        ('dask = "tcp://127.0.0.1:1"', "dask belongs to one run and is not read from a file"),
        ('checkpoint = "kept"', "type --checkpoint on the command line instead"),
        ('scratch = "kept"', "type --scratch on the command line instead"),
        ('drop-near-zero-variance = "yes"', "must be true or false, got 'yes'"),
        ("seed = {}", "must be a number, a text or a list"),
        ("seed = ", "run.toml is not TOML"),
    ],
)
def test_a_file_of_flags_that_is_wrong(refused, table, tmp_path, text, message):
    (tmp_path / "run.toml").write_text(text, encoding="utf-8")
    assert message in refused("rank wine.csv -t kind --config run.toml -o out")


def test_a_file_of_flags_that_is_absent(refused, table) -> None:
    assert refused("rank wine.csv -t kind --config nowhere.toml") == (
        "pyfsagg rank: cannot read nowhere.toml: No such file or directory\n"
    )


# --- the same place --------------------------------------------------------------------------
def test_overwrite_replaces_a_run_and_nothing_else(command, refused, run, tmp_path):
    (run / "notes.txt").write_text("mine")
    before = (run / "ranking.csv").read_bytes()
    command(f"{RANK} -o run -s 9", code=2)
    command(f"{RANK} -o run -s 9 --overwrite")
    assert (run / "ranking.csv").read_bytes() != before
    assert pyfsagg.load_result(run).seed == 9
    assert (run / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.rglob(".*"))
    command(f"{RANK} -s 9 --overwrite --output=run")
    for flags in ("-o again -s 8", "--output again -s 7 --overwrite"):  # the place is not repeated
        command(f"{RANK} {flags}")
        record = json.loads((tmp_path / "again" / "run.json").read_text())
        assert record["view"]["command"] == f"{RANK} -s {record['parameters']['seed']}"
    assert json.loads((run / "run.json").read_text())["view"]["command"] == f"{RANK} -s 9"
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    assert refused(f"{RANK} -o other --overwrite") == (
        "pyfsagg rank: the output folder other is not empty; name a new one\n"
    )


def test_overwrite_leaves_no_file_of_the_earlier_run(command, run, tmp_path) -> None:
    usual = {path.name for path in run.iterdir()}
    grouped = {"alcohol": "a", "ash": "a"}
    lines = [f"{name},{grouped.get(name, name)}\n" for name in WINE.X.columns]
    (tmp_path / "groups.csv").write_text("".join(["column,group\n", *lines]))
    command(f"{RANK} -o run --overwrite --xlsx --feature-groups groups.csv")
    own = {"groups.csv", "selected_columns.txt", "tables.xlsx"}
    assert {path.name for path in run.iterdir()} == usual | own
    (run / "curve.csv").write_text("of another kind of run, and mine")
    (run / "tables.xlsx").unlink()
    (run / "tables.xlsx").mkdir()
    command(f"{RANK} -o run --overwrite")
    assert {path.name for path in run.iterdir()} == usual | {"curve.csv", "tables.xlsx"}


@pytest.mark.parametrize("named", [None, [], ["../notes.txt", "notes.txt/", ".."], 3, [[1]]])
def test_overwrite_removes_only_files_of_the_folder(command, run, tmp_path, named):
    record = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**record, "files": named}))
    for folder in (tmp_path, run):
        (folder / "notes.txt").write_text("mine")
    command(f"{RANK} -o run -s 9 --overwrite")
    assert pyfsagg.load_result(run).seed == 9
    assert all((folder / "notes.txt").read_text() == "mine" for folder in (tmp_path, run))


def test_a_run_that_fails_leaves_what_it_would_have_replaced(command, run) -> None:
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    command("rank wine.csv -t kind -o run --overwrite --filters ig,nothing -q", code=2)
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


# --- another look at a run -------------------------------------------------------------------
def test_another_threshold_without_a_new_run(command, run) -> None:
    result = pyfsagg.load_result(run)
    out, _ = command("show run --threshold 2")
    assert out.split() == result.summary_text(n_features_to_select=2).split()
    assert "2 of 13 features are selected:" in out
    by_file, _ = command("show run/run.json --set n_features_to_select=2")
    assert by_file == out
    command("report run --threshold 2 -q")
    assert (run / "report.html").read_text() == result.to_html(n_features_to_select=2)


def test_a_threshold_of_what_selects_nothing(command, refused, run) -> None:
    for name, items in (("one", "a b c"), ("two", "b a c")):
        (run.parent / f"{name}.txt").write_text(items.replace(" ", "\n"))
    command("aggregate one.txt two.txt -o i -q")
    assert refused("show i --threshold 3") == (
        "pyfsagg show: --threshold belongs to results that select features; this one is shown by: "
        "top, adjusted\n"
    )
    assert "has no option 'tip'" in refused("show run --set tip=3")


def test_two_runs_are_compared(command, run, tmp_path) -> None:
    command(f"{RANK} -o other --filters cs,mrmr --aggregator median")
    first, second = (pyfsagg.load_result(tmp_path / name) for name in ("run", "other"))
    expected = first.compare(second, first.selection(4))
    out, _ = command("compare run other --threshold 4 --json")
    found = pd.DataFrame(json.loads(out)).set_index("feature")
    assert found.index.tolist() == expected.index.tolist()
    assert found["moved"].tolist() == expected["moved"].tolist()
    by_hand = dict(zip(first.feature_names, first.ranking - second.ranking, strict=True))
    assert expected["moved"].to_dict() == by_hand
    assert expected["moved"].abs().is_monotonic_decreasing
    assert set(expected.index[expected["selected_2"]]) == set(second.select(4))
    out, _ = command("compare run other --threshold 4")
    both = set(first.select(4)) & set(second.select(4))
    assert f"selected by 1: 4, by 2: 4, by both: {len(both)}" in out
    assert "aggregator: arithmetic_mean | median" in out
    assert max(map(len, out.splitlines())) <= 88
    same = command("compare run run")[0]
    assert same.startswith("The selections are the same")
    assert "all settings and the data are the same" in same


def test_runs_with_other_features(refused, run, table, tmp_path) -> None:
    full = pyfsagg.load_result(run)
    part = pyfsagg.wam(WINE.X[["hue", "ash"]], WINE.y, n_resamples=5, random_state=0)
    found = full.compare(part, full.selection(2))
    assert len(found) == 13
    assert found["moved"].notna().sum() == 2
    assert found.index[:2].isin(["hue", "ash"]).all()
    assert not found["selected_2"][2:].any()
    other = pyfsagg.wam(
        WINE.X[["hue", "ash"]].set_axis(["a", "b"], axis=1), WINE.y, n_resamples=5, random_state=0
    )
    with pytest.raises(pyfsagg.exceptions.DataError, match="no feature in common"):
        full.compare(other)
    refused("compare run wine.csv")


# --- help ------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", pyfsagg.list_methods().index)
def test_methods_are_listed(command, kind: str) -> None:
    kind = kind.replace("_", "-")
    out, err = command(f"list {kind}")
    assert err == ""
    assert len(out.splitlines()) == len(pyfsagg.list_methods(kind)) + 1
    rows = json.loads(command(f"list {kind} --json")[0])
    assert [row["name"] for row in rows] == [line.split()[0] for line in out.splitlines()[1:]]


def test_the_kinds_are_listed(command) -> None:
    rows = json.loads(command("list --json")[0])
    assert [row["kind"] for row in rows] == pyfsagg.list_methods().index.tolist()
    with pytest.raises(pyfsagg.exceptions.UnknownNameError, match="did you mean 'filters'"):
        pyfsagg.list_methods("filter")


def test_a_model_of_survival_says_what_it_needs(command) -> None:
    rows = {row["name"]: row for row in json.loads(command("list survival-models --json")[0])}
    assert (rows["cox"]["needs"], rows["cox"]["installed"]) == ("", True)
    there = importlib.util.find_spec("sksurv") is not None
    forest = rows["random_survival_forest"]
    assert (forest["needs"], forest["installed"]) == ("sksurv", there)


def test_one_method_is_described(command, refused) -> None:
    by_name, by_alias = (command(f"list filters {name}")[0] for name in ("mrmr", "MRMR"))
    assert by_name == by_alias
    assert by_name.splitlines()[0] == "mrmr"
    assert "source" in by_name
    said = refused("list stability nogeira")
    assert "unknown stability measure 'nogeira'; did you mean 'nogueira'?" in said


def test_a_shell_completes_commands_and_flags(command, tmp_path) -> None:
    script = command("completion bash")[0]
    (tmp_path / "complete.sh").write_text(script)
    ask = (
        "source complete.sh; COMP_WORDS=(pyfsagg {}); COMP_CWORD={}; COMPREPLY=(); "
        "$(complete -p pyfsagg | sed 's/.*-F \\([^ ]*\\) .*/\\1/'); echo \"${{COMPREPLY[@]}}\""
    )
    for words, number, expected in (("evalu", 1, "evaluate"), ("rank --tar", 2, "--target")):
        done = subprocess.run(
            ["bash", "-c", ask.format(words, number)], cwd=tmp_path, capture_output=True, text=True
        )
        assert expected in done.stdout.split(), done.stderr
    assert "_pyfsagg" in command("completion zsh")[0]
    command("completion fish", code=2)


def test_a_record_stands_for_its_folder(command, table) -> None:
    line = "evaluate wine.csv -t kind --exclude subject --methods ig --classifiers nb -n 3 -o e -q"
    command(line + " --thresholds 2,50% --protocol nested")
    assert command("show e/run.json") == command("show e")


def test_a_comparison_with_r_is_shown_and_reported_again(pyfsagg, tmp_path) -> None:
    """The one that comes with the package, which needs no R."""
    saved = data_folder() / "validation" / "cross_check.json"
    done = pyfsagg("show", str(saved))
    assert "RobustRankAggreg" in done.stdout
    pyfsagg("report", str(saved), "--output", "page.html")
    assert "Compar" in (tmp_path / "page.html").read_text()
