"""Published cells beside ours: verdicts, what cannot be checked, and the checkpoint."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

import pyfsagg_papers.tables.repetitions as module
from pyfsagg.cli import main
from pyfsagg.datasets import Dataset, load_dataset
from pyfsagg.exceptions import OutputError, ParameterError, UnknownNameError
from pyfsagg.extending import as_table, check_target
from pyfsagg_papers import cells, coverage, load_published, table
from pyfsagg_papers.tables.comparison import _verdict
from pyfsagg_papers.tables.experiments import EXPERIMENTS, find_experiment
from pyfsagg_papers.tables.repetitions import Repeated
from pyfsagg_papers.tables.thesis import two_thirds

ONE = EXPERIMENTS["4.4"]
OWN = np.array([0.50, 0.52, 0.54])
HERE = Repeated(None, "", True)
NO_MEANING = (
    r"settings has no meaning for 'n_folds'; table 4\.4 has near_zero_variance, .*repetitions"
)
MARGIN = t.ppf(0.975, 2) * 0.02 * np.sqrt(1 / 3 + 1) + 5e-7


def test_limits_are_those_of_prediction() -> None:
    for away, verdict in (
        (0.99, "inside"),
        (-0.99, "inside"),
        (1.01, "near"),
        (2.99, "near"),
        (-3.01, "outside"),
    ):
        found = _verdict(ONE, 0.52 + away * MARGIN, OWN, HERE, None)
        assert found["verdict"] == verdict
        limits = [found["lower"], found["upper"]]
        assert limits == pytest.approx([0.52 - MARGIN, 0.52 + MARGIN], abs=1e-12)
    of_many = _verdict(EXPERIMENTS["frcm_2"], 0.52, OWN, HERE, None)  # has narrower limits
    expected = t.ppf(0.975, 2) * 0.02 * np.sqrt(1 / 3 + 1 / 40) + 5e-4
    assert of_many["upper"] - 0.52 == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("published", "own", "reason", "note", "why"),
    [
        (np.nan, OWN, "", None, "prints no value"),
        (np.nan, OWN, "", "illegible in the source text", "illegible"),
        (0.52, OWN, "", "identical to the jasmine row", "identical"),
        (0.52, np.empty(0), "the data could not be had", None, "could not be had"),
        (0.52, np.empty(0), "", None, "no such value"),
    ],
)
def test_what_cannot_be_checked_says_why(published, own, reason, note, why):
    found = _verdict(ONE, published, own, Repeated(None, reason, True), note)
    assert found["verdict"] == "not checkable"
    assert why in found["reason"]


def test_data_that_are_not_here_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)
    found = table("4.4", ["philippine", "jasmine"], quick=True)
    assert set(found["verdict"]) == {"not checkable"}
    reasons = found.groupby("dataset")["reason"].unique()
    assert list(reasons["philippine"]) == ["the data set could not be obtained"]
    assert "PYFSAGG_DATA" in reasons["jasmine"][0]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Table 4.4 with a computation that counts its calls."""
    calls: list[int] = []

    def repeat(X, y, settings, seed, n_jobs):
        calls.append(seed)
        rng = np.random.default_rng(seed)
        rows = ("information_gain", "symmetric_uncertainty", "mrmr", "chi_squared", "bam")
        measures = ("pearson", "spearman", "jaccard", "canberra", "asd")
        return {(row, measure): float(rng.uniform()) for row in rows for measure in measures}

    experiment = ONE.__class__(**{**ONE.__dict__, "repeat": repeat})
    monkeypatch.setitem(EXPERIMENTS, "4.4", experiment)
    return calls


def test_repetitions_are_kept_and_taken_again(small: list[int], tmp_path: Path) -> None:
    first = table("4.4", "ionosphere", quick=True, checkpoint=tmp_path)
    assert len(small) == len(set(small)) == 5
    printed = load_published("4.4").query("dataset == 'ionosphere'")
    assert len(first) == len(printed) == 25
    assert first["n"].eq(5).all()
    assert first["mean"].notna().all()
    counts = coverage(first)
    assert counts[["inside", "near", "outside", "not checkable"]].to_numpy().sum() == 25
    second = table("4.4", "ionosphere", quick=True, checkpoint=tmp_path)
    assert len(small) == 5
    pd.testing.assert_frame_equal(first, second)
    more = table("4.4", "ionosphere", quick=True, checkpoint=tmp_path, settings={"repetitions": 7})
    assert len(small) == 7
    assert more["n"].eq(7).all()
    table("4.4", "ionosphere", quick=True, checkpoint=tmp_path, random_state=1)
    assert len(small) == 12  # another seed is another computation


def test_an_interrupted_run_goes_on_where_it_was(small, tmp_path, monkeypatch):
    experiment = EXPERIMENTS["4.4"]

    def stops(X, y, settings, seed, n_jobs):
        if len(small) == 3:
            raise KeyboardInterrupt
        return experiment.repeat(X, y, settings, seed, n_jobs)

    stopping = experiment.__class__(**{**experiment.__dict__, "repeat": stops})
    with monkeypatch.context() as patch:
        patch.setitem(EXPERIMENTS, "4.4", stopping)
        with pytest.raises(KeyboardInterrupt):
            table("4.4", "ionosphere", quick=True, checkpoint=tmp_path)
    lines: list[str] = []
    table("4.4", "ionosphere", quick=True, checkpoint=tmp_path, log=lines.append)
    assert lines == [f"table 4.4, ionosphere: repetition {r} of 5" for r in (4, 5)]


def test_a_checkpoint_of_other_settings_or_data_or_a_damaged_one_is_refused(
    small, tmp_path, monkeypatch
):
    table("4.4", "ionosphere", quick=True, checkpoint=tmp_path)
    with pytest.raises(ParameterError, match=r"settings\.n_resamples is 60 there and 9 here"):
        table("4.4", "ionosphere", quick=True, checkpoint=tmp_path, settings={"n_resamples": 9})
    data = load_dataset("ionosphere")
    changed = Dataset(data.X.assign(V3=data.X["V3"] + 1), data.y, data.name, data.source)
    with monkeypatch.context() as patch:
        patch.setattr(module, "load_dataset", lambda name: changed)
        with pytest.raises(ParameterError, match="the table or the target differs"):
            table("4.4", "ionosphere", quick=True, checkpoint=tmp_path)
    assert len(small) == 5
    (victim,) = tmp_path.glob("*/part-*.npz")
    victim.write_bytes(victim.read_bytes()[:-20])
    with pytest.raises(OutputError, match=r"is damaged .* delete this file"):
        table("4.4", "ionosphere", quick=True, checkpoint=tmp_path)
    table("4.4", "ionosphere", checkpoint=tmp_path)  # the full settings have a folder of their own
    assert len(small) == 15
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"4.4-ionosphere-quick-seed-0", "4.4-ionosphere-full-seed-0"}


def test_two_thirds_of_every_class() -> None:
    data = load_dataset("ionosphere")
    table_, target = as_table(data.X), check_target(data.y, 351)
    part, kept = two_thirds(table_, target, 0)
    assert np.bincount(kept.codes).tolist() == [84, 150]
    assert part.n_samples == 234


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: table("4.9"), UnknownNameError, "unknown published table"),
        (lambda: table("4.4", "iris"), UnknownNameError, "unknown data set of table 4.4 'iris'"),
        (lambda: table("4.4", random_state=-1), ParameterError, "random_state"),
        (lambda: cells("nature"), ParameterError, "paper must be one of"),
        (lambda: table("4.4", "ionosphere", settings={"n_folds": 3}), ParameterError, NO_MEANING),
        (lambda: cells("frcm", "ionosphere"), UnknownNameError, "data set of table frcm_2"),
        (lambda: find_experiment("4.1"), UnknownNameError, "4.1"),
    ],
)
def test_bad_input(call, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_the_command_says_why_cells_cannot_be_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)
    command = ["reproduce", "thesis", "--table", "4.4", "--dataset", "jasmine", "--quick"]
    assert main([*command, "--output", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "Not checkable (25): the data set is not here; PYFSAGG_DATA names the folder" in said
