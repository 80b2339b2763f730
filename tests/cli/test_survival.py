"""Survival at the terminal: --target names the times, --event whether they were seen."""

import json

import numpy as np
import pandas as pd
import pytest

RANK = "rank trial.csv --target time --event status --n-resamples 10 --seed 1 --output out"


@pytest.fixture
def trial(tmp_path) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(60, 5)), columns=list("abcde"))
    frame["time"] = np.ceil(30 * rng.exponential(np.exp(-frame["a"])))
    frame["status"] = rng.integers(0, 4, 60).clip(0, 1)
    frame.to_csv(tmp_path / "trial.csv", index=False)
    return frame


def test_rank_writes_a_ranking_and_a_report(pyfsagg, trial, tmp_path) -> None:
    done = pyfsagg(RANK + " --filters cox_score,concordance,pearson")
    events = trial["status"].sum()
    assert f"events: {events}; the other times are censored" in done.stdout + done.stderr
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv")
    assert ranking.iloc[0, 0] == "a"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert f"with survival (time, status; {events} events)" in page
    assert "data[[&#39;time&#39;, &#39;status&#39;]]" in page


def test_check_says_how_many_events_there_are(pyfsagg, trial) -> None:
    done = pyfsagg("check trial.csv --target time --event status --json")
    assert json.loads(done.stdout)["n_events"] == trial["status"].sum()


def test_other_codes_of_the_event(pyfsagg, trial, tmp_path) -> None:
    """1 and 2 as R's Surv() reads them; of three values, or words, the one that is named."""
    pyfsagg(RANK + " --filter cox_score")
    expected = pd.read_csv(tmp_path / "out" / "ranking.csv")

    def ranked(codes: list[object], event: str) -> str:
        trial.assign(status=trial["status"].map(dict(enumerate(codes)))).to_csv(
            tmp_path / "trial.csv", index=False
        )
        flags = RANK.replace("--event status", f"--event {event}")
        done = pyfsagg(flags + " --filter cox_score --overwrite")
        found = pd.read_csv(tmp_path / "out" / "ranking.csv")
        pd.testing.assert_frame_equal(found, expected)
        return done.stdout + done.stderr

    assert "as in R's Surv(), 1 means censored and 2 the event" in ranked([1, 2], "status")
    assert "all other values of 'status' count as censored" in ranked(
        ["alive", "dead"], "status=dead"
    )
    ranked([7, 3], "status=3")
    ranked([1.5, 2.0], "status=2")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "data[&#39;status&#39;] = (data[&#39;status&#39;] == 2.0).astype(float)" in page
    done = pyfsagg("check trial.csv --target time --event status=4", code=2)
    assert "the column 'status' has no such value; it has 1.5, 2" in done.stderr
    pyfsagg("check trial.csv --target time --event state=4", code=2)
    # A missing event stays missing, and is not censored.
    events = trial["status"].astype(float).where(trial.index > 1) + 1
    trial.assign(status=events).to_csv(tmp_path / "trial.csv", index=False)
    for event in ("status", "status=2"):
        done = pyfsagg(f"check trial.csv --target time --event {event}", code=1)
        assert "2 of 60 rows" in done.stdout
    # Of several kinds none is taken without a word.
    trial.assign(status=np.arange(60) % 3).to_csv(tmp_path / "trial.csv", index=False)
    done = pyfsagg(RANK + " --filter cox_score --overwrite", code=2)
    assert "0, 1 and 2; name the value that is the event: --event status=VALUE" in done.stderr


def test_times_without_events_are_no_classes(pyfsagg, trial) -> None:
    trial.assign(time=np.arange(60) + 0.5).to_csv("trial.csv", index=False)
    done = pyfsagg("check trial.csv --target time", code=1)
    assert "60 in 60 rows" in done.stdout
    assert "name the column of events: --event" in done.stdout


def test_rows_without_a_time_can_be_left_out(pyfsagg, trial, tmp_path) -> None:
    trial.assign(time=trial["time"].where(trial.index > 1)).to_csv(
        tmp_path / "trial.csv", index=False
    )
    done = pyfsagg(RANK + " --filter cox_score", code=2)
    assert "[missing_target]" in done.stderr
    done = pyfsagg(RANK + " --filter cox_score --accept missing_target")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "58 samples" in page
    assert ".notna().all(axis=1)" in page


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--target time --task survival", "--task survival needs --target"),
        ("--event status --filter cox_score", "--event goes with --target"),
        ("--target time --event time", "--event goes with --target"),
        ("--target time --event status --task regression", "not to a regression"),
        ("--target time --event statsu", "'statsu'"),
        ("--target time --event status --drop status", "cannot be both the target and omitted"),
        ("--target status --event time", "the time comes first"),
    ],
)
def test_flags_that_do_not_go_together(pyfsagg, trial, flags: str, message: str) -> None:
    done = pyfsagg(f"rank trial.csv {flags} --n-resamples 2 --output out", code=2)
    assert message in done.stderr
