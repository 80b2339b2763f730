"""Help that fits a screen: examples first, commands by what one has, and all of it on request."""

import shutil

import pytest

from pyfsagg._command.parser import commands_of
from pyfsagg.cli import GROUPS, build_parser

COMMANDS = sorted(commands_of(build_parser()))


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert shutil.get_terminal_size().columns == 80


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_screen(pyfsagg, command: str) -> None:
    short = pyfsagg(f"{command} --help").stdout.splitlines()
    assert len(short) <= 40
    assert max(map(len, short)) <= 80
    said = " ".join(short)
    assert said.count("(") == said.count(")")  # a default is whole, or not there
    whole = pyfsagg(f"{command} --help all").stdout
    assert max(map(len, whole.splitlines())) <= 80
    flags = [
        flag
        for action in commands_of(build_parser())[command]._actions
        for flag in action.option_strings
        if flag.startswith("--")
    ]
    assert [flag for flag in flags if flag not in whole] == []
    assert pyfsagg(f"help {command}").stdout.splitlines() == short


@pytest.mark.usefixtures("narrow")
def test_commands_stand_by_what_one_has(pyfsagg) -> None:
    short = pyfsagg("--help").stdout
    assert pyfsagg("").stdout == short
    assert len(short.splitlines()) <= 25
    assert max(map(len, short.splitlines())) <= 80
    for command in COMMANDS:
        assert f" {command}" in short
    assert len(GROUPS["a table"]) == 7
    whole = pyfsagg("--help all").stdout
    assert "  aggregate     combine ranked lists into one ranking" in whole


def test_rank_shows_three_examples_and_sends_for_more(pyfsagg) -> None:
    short = pyfsagg("rank --help").stdout
    assert short.count("  pyfsagg rank ") == 3
    assert short.index("examples:") < short.index("usage:") < short.index("arguments and options:")
    assert "--permutation-resamples" not in short
    assert "pyfsagg rank --help all" in short


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rnk", "pyfsagg: unknown command 'rnk'; did you mean rank?"),
        (
            "rank t.csv -t a --task regresion",
            "unknown choice 'regresion'; did you mean regression?",
        ),
        ("rank t.csv u.csv -t a", "unknown argument u.csv ("),
        (
            "rank wine --threshold 3",
            "unknown argument --threshold; did you mean --n-features-to-select?",
        ),
        (
            "show run --threshold 3",
            "unknown argument --threshold; did you mean --n-features-to-select?",
        ),
        (
            "evaluate wine --thresholds 3",
            "unknown argument --thresholds; did you mean --n-features-to-select?",
        ),
        (
            "aggregate a.txt b.txt --adjust bh",
            "unknown argument --adjust; did you mean --p-adjust?",
        ),
        ("--verison", "unknown argument --verison; did you mean --version?"),
        ("rank a.csv Species", "the target is named by a flag: --target Species"),
        ("rank a.csv -t b --jobs 0", "must be a whole number of workers, or -1"),
        ("rank wine --max-false 1 --fdr 0.1", "--max-false and --fdr are two different goals"),
    ],
)
def test_slips_are_answered(refused, words: str, told: str) -> None:
    assert told in refused(words)


def test_what_is_no_result_is_said(pyfsagg, tmp_path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    assert (
        "t.csv is not a saved result, or damaged: it is not JSON"
        in pyfsagg("show t.csv", code=2).stderr
    )
    (tmp_path / "run.json").write_text("{}")
    told = pyfsagg("rank --config run.json", code=2).stderr
    assert "the flags of a run are in its run.toml" in told
