"""Work that is usually short shows its progress once it takes long, and large files are named."""

import numpy as np
import pandas as pd
import pytest

import pyfsagg.cli as terminal
from pyfsagg._command import results

COMMANDS = {
    "agreement lists.txt --format lines": [
        "6 pairs to do", "1 of 6 pairs done", "6 curve pairs to do", "1 of 6 curve pairs done",
    ],
    "vote lists.txt": ["1 blocks to do"],
    "standings scores.csv": ["4 methods to do", "1 of 4 methods done"],
}  # fmt: skip


@pytest.fixture
def here(tmp_path, monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(0)
    lists = [",".join(f"g{j}" for j in rng.permutation(12)[:8]) for _ in range(4)]
    (tmp_path / "lists.txt").write_text("\n".join(lists) + "\n")
    scores = pd.DataFrame(rng.normal(size=(12, 5)).round(3), columns=list("abcde"))
    scores.to_csv(tmp_path / "scores.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("line", COMMANDS)
def test_long_work_shows_its_progress_and_short_work_nothing(line, here, command, monkeypatch):
    assert command(line, "--output", "first")[1] == ""
    monkeypatch.setattr(results, "DELAY", 0.0)
    said = [text.partition(" (")[0] for text in command(line, "--output", "second")[1].splitlines()]
    assert {"drawing the report", "writing the files"} <= set(said)
    places = [said.index(expected) for expected in COMMANDS[line]]
    assert places == sorted(places)
    assert command(line, "--quiet", "--output", "third")[1] == ""


def test_no_progress_is_left_to_calls_after_a_command(here, command, capsys, monkeypatch):
    import pyfsagg

    monkeypatch.setattr(results, "DELAY", 0.0)
    command("standings scores.csv")
    capsys.readouterr()
    pyfsagg.standings(pd.read_csv("scores.csv")).pairs()
    assert capsys.readouterr().err == ""


def test_a_large_file_is_named_when_it_is_read(here, command, monkeypatch):
    monkeypatch.setattr(terminal, "LARGE", 10)
    assert command("vote lists.txt")[1] == "reading lists.txt (1 MB)\n"
    assert command("vote lists.txt --quiet")[1] == ""
