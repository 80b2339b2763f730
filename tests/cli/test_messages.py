"""Errors of the terminal speak of flags, whatever the functions below call their parameters."""

import argparse
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest
from command_lines import write_tables

from pyfsagg._base.settings import Task
from pyfsagg._command.parser import Terminal, commands_of, flags_of
from pyfsagg._command.streams import visible_streams
from pyfsagg._message import Message, Name, Phrase, Use
from pyfsagg._run.execution import Checks, Execution
from pyfsagg.cli import build_parser
from pyfsagg.extending import Param


def test_the_target_of_a_data_set_is_offered(pyfsagg) -> None:
    for command in ("order", "evaluate", "committee", "influence"):
        done = pyfsagg(f"{command} wine -t class", code=2)
        assert "unknown column 'class'; did you mean 'target'?" in done.stderr


def test_every_setting_has_the_name_of_its_flag() -> None:
    for name, parser in commands_of(build_parser()).items():
        flags = flags_of(parser)
        for setting in (*Execution.names(), *Checks.names(), *Task.names()):
            if setting in flags:
                assert flags[setting].startswith("--"), name
                assert Terminal(parser).param(setting) == flags[setting]
        if any(action.dest == "seed" for action in parser._actions):
            assert flags["random_state"] == "--seed"


@pytest.mark.parametrize(
    ("parts", "spelled"),
    [
        ([Param("n_resamples"), " must be 1"], "--n-resamples must be 1"),
        ([Param("missing"), " must be 'error'"], "--missing-values must be 'error'"),
        ([Param("bins"), " must be 2"], "bins must be 2"),
        (["no file n_resamples.csv"], "no file n_resamples.csv"),
        (["use ", Use(ties="random")], "use --ties random"),
        (["use ", Use(full=True)], "use --full"),
        (["use ", Use(full=False)], "use no --full"),
        (["use ", Use(bins=3)], "use bins=3"),
        (["use ", Use("Checks", n_resamples=7)], "use --n-resamples 7"),
        (["use ", Use("Checks", bins=7)], "use checks=pyfsagg.Checks(bins=7)"),
        ([Use(ties=","), " or ", Use(ties=".")], "--ties , or --ties ."),
        (["accept: ", Use(ties=["a", "b_c"])], "accept: --ties a,b_c"),
        ([Use(ties="N T*"), " or ", Use(ties=["a*", "b"])], "--ties 'N T*' or --ties 'a*,b'"),
        ([Use(ties={"mrmr": {"n_features": 100}}), ": 9 s"], "--ties mrmr.n_features=100: 9 s"),
        (["into ", Use(ties=Name("FOLDER"))], "into --ties FOLDER"),
        (["declare them: ", Phrase("scores", "Rankings")], "declare them: --scores"),
        ([Phrase("event", "y['a'] == 2", column="a", value=2)], "--event a=2"),
    ],
)  # fmt: skip
def test_parameters_are_flags(parts: list[object], spelled: str) -> None:
    parser = argparse.ArgumentParser()
    for flag in ("--n-resamples", "--ties", "--missing", "--missing-values", "--bins", "--event"):
        parser.add_argument(flag)
    parser.add_argument("--full", action="store_true")
    parser.set_defaults(called={"missing": "missing_values", "bins": None})
    assert Message(*parts).render(Terminal(parser)) == spelled


def test_flags_of_other_programs_are_understood(pyfsagg, tmp_path) -> None:
    write_tables(tmp_path)
    for flag, meant in (
        ("--format xlsx", "--xlsx"),
        ("--force", "--overwrite"),
        ("--sed 1", "--seed"),
        ("--bootstraps 9", "--n-resamples"),
        ("--n_jobs 2", "--jobs"),
        ("--alpha 0.1", "--fdr"),
        ("--dryrun", ""),  # of which --fdr would be the nearest
    ):
        done = pyfsagg(f"rank t.csv -t class {flag}", code=2)
        hint = f"; did you mean {meant}?" if meant else " (see"
        assert f"unknown argument {flag.split()[0]}{hint}" in done.stderr


def test_a_table_or_data_set_where_none_is(refused) -> None:
    assert "'iris' is not needed; pyfsagg rank iris ranks that table" in refused("demo iris")
    assert "unknown data set 'iris'; did you mean" in refused("rank iris")
    assert "no such file: iris" in refused("rank iris -t class")


def test_a_folder_with_results_may_be_replaced(pyfsagg, refused, tmp_path) -> None:
    write_tables(tmp_path)
    line = "stability scores.csv --output out --quiet"
    pyfsagg(line)
    assert refused(line) == (
        "pyfsagg stability: the output folder out is not empty; name a new one, or replace the results "
        "there: --overwrite\n"
    )
    pyfsagg(f"{line} --overwrite")


def test_a_warning_is_said_once(pyfsagg, tmp_path) -> None:
    """Files, page and terminal each ask how stable scores are that are equal in some resamples."""
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.normal(size=(40, 3)), columns=list("abc"))
    noise.assign(kind=np.arange(40) % 2).to_csv(tmp_path / "noise.csv", index=False)
    done = pyfsagg("rank noise.csv --target kind --filter ig --n-resamples 12 --output out")
    assert done.stderr.count("have the same score for all features") == 1


STEERS = "\x1b]0;title\x07\x1b[31mred\x9b\u202e"
WRITTEN = "\\u001b]0;title\\u0007\\u001b[31mred\\u009b\\u202e"


def test_no_name_of_a_user_steers_the_terminal(pyfsagg, tmp_path) -> None:
    """Labels, columns, files and arguments, on both streams; what is read by programs has the same values."""
    write_tables(tmp_path)
    table = pd.read_csv(tmp_path / "t.csv").assign(y=[STEERS, "blue"] * 12)
    table.drop(columns="class").to_csv(tmp_path / "odd.csv", index=False)
    printed = [
        pyfsagg("check odd.csv --target y"),
        pyfsagg("rank odd.csv --target y --n-resamples 2 --filters ig,chi2 --output out"),
        pyfsagg("rank odd.csv --target y --drop", STEERS, code=2),
        pyfsagg("check", f"{STEERS}.csv", code=2),
        pyfsagg("aggregate lists.txt --format", STEERS, code=2),
        pyfsagg("show out"),
    ]
    for done in printed:
        for stream in (done.stdout, done.stderr):
            assert not set(STEERS) & set("\x1b\x07\x9b\u202e") & set(stream)
    assert f"classes: {WRITTEN}" in printed[0].stdout
    assert f"classes: {WRITTEN}" in printed[1].stderr
    assert f"no such file: {WRITTEN}.csv" in printed[3].stderr
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(f"{STEERS}\nblue\n", encoding="utf-8")
    lists = pyfsagg("aggregate one.txt two.txt --universe 9 --json --quiet --output lists")
    assert "\x9b" not in lists.stdout
    assert STEERS in {item["item"] for item in json.loads(lists.stdout)["items"]}
    assert STEERS in (tmp_path / "lists" / "aggregation.csv").read_text(encoding="utf-8")


def test_a_progress_bar_begins_its_line_again(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    with visible_streams():
        print("a\rb\tc")
        print("\r 50%|#####", end="", file=sys.stderr)
        sys.stderr.writelines(["\r100%", "\x1b[A\n"])
    assert (sys.stdout, sys.stderr) == (out, err)
    assert out.getvalue() == "a\\u000db\tc\n"
    assert err.getvalue() == "\r 50%|#####\r100%\\u001b[A\n"
