"""Time and memory are said before they are spent; progress is said as it is made."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

from pyfsagg import Checks, bam, evaluate, influence, memory_limit, wam
from pyfsagg._base.words import duration
from pyfsagg._command.flags import reporter
from pyfsagg._table.table import as_table
from pyfsagg._table.target import check_target
from pyfsagg.ensemble import scoring
from pyfsagg.exceptions import DataError, PyfsaggWarning
from pyfsagg.filters._base import KernelScorer
from pyfsagg.filters.mrmr import _pairs, prepare_mrmr

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 320)), np.arange(30) % 2
QUICK = {"n_resamples": 3, "random_state": 0}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is long."""
    monkeypatch.setattr(scoring, "LONG", 0.0)
    monkeypatch.setattr(scoring, "SMALL", 0)


def test_a_long_run_is_announced_with_what_would_shorten_it(slow: None) -> None:
    with pytest.warns(PyfsaggWarning) as caught:
        bam(X, Y, filters=["ig", "mrmr"], filter_params={"mrmr": {"n_features": "all"}}, **QUICK)
    (message,) = (str(one.message) for one in caught)
    assert re.match(r"this will take about \d+ seconds with 1 worker\(s\); ", message)
    assert "filter_params={'mrmr': {'n_features': 100}}: about" in message
    assert "a tenth of the resamples: about" in message


def test_halves_and_shuffled_targets_are_in_the_forecast(
    slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "expected_seconds", lambda bound, _: dict.fromkeys(bound, 1.0))
    said = []
    checks = ("none", Checks(pairs=0), Checks(shuffles=0), "auto", Checks(shuffles=90))
    for each in checks:
        with pytest.warns(PyfsaggWarning) as caught:
            wam(X, Y, n_resamples=100, random_state=0, checks=each)
        said.append(str(caught[0].message))
    # 12 pairs are 24 halves, and each of 19 targets is scored in 2 resamples; of a tenth, one pair.
    for message, total, tenth in zip(
        said, (100, 138, 124, 162, 304), (10, 48, 12, 50, 192), strict=True
    ):
        assert message.startswith(f"this will take about {duration(total)} with 1 worker(s); ")
        assert f"a tenth of the resamples: about {duration(tenth)}" in message
    assert not any("shuffles=0" in message for message in said[:4])
    assert said[4].endswith("; checks=pyfsagg.Checks(shuffles=0): about 2 minutes")


def test_what_is_shallow_already_is_not_named(slow: None) -> None:
    with pytest.warns(PyfsaggWarning, match="this will take about") as caught:
        wam(X, Y, filter="mrmr", **QUICK)
    assert "n_features" not in str(caught[0].message)


def test_a_command_of_many_rankings_announces_itself_once(slow: None) -> None:
    with pytest.warns(PyfsaggWarning) as caught:
        influence(X, Y, n_folds=3, n_resamples=2, aggregators=["am"], random_state=0)
    assert len(caught) == 1
    with pytest.warns(PyfsaggWarning) as caught:
        evaluate(
            X, Y, methods=["ig"], classifiers="naive_bayes", thresholds=[5], protocol="nested",
            **QUICK,
        )  # fmt: skip
    assert sum("this will take" in str(one.message) for one in caught) == 1


def test_small_runs_and_functions_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "LONG", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wam(X, Y, **QUICK)
        monkeypatch.setattr(scoring, "SMALL", 0)
        wam(X, Y, filter=lambda X, y, sample_weight: np.ones(X.shape[1]), **QUICK)


def test_score_matrices_that_do_not_fit_are_refused(tmp_path) -> None:
    with memory_limit(1), pytest.raises(DataError, match=r"Execution\(scratch='FOLDER'\)"):
        scoring.require_score_memory(1, (20, 320))
    with memory_limit("100TB"):
        wam(X, Y, **QUICK)


@pytest.mark.parametrize(
    ("n", "p", "size"), [(100, 10, 8), (72, 7129, 1), (72, 5000, 2), (9, 10**7, 1)]
)
def test_blocks_get_smaller_as_tables_get_larger(n: int, p: int, size: int) -> None:
    assert scoring.block_size(n, p) == size
    assert scoring.block_size(n, p, together=4) == max(size, 4)


def test_the_result_does_not_depend_on_the_size_of_the_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = bam(X, Y, n_resamples=9, random_state=0)
    monkeypatch.setattr(scoring, "_BLOCK_CELLS", 0)
    assert scoring.block_size(2, 2) == 1
    other = bam(X, Y, n_resamples=9, random_state=0)
    np.testing.assert_array_equal(one.combined, other.combined)


def test_resamples_that_are_scored_at_once_are_handed_out_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scoring, "_BLOCK_CELLS", 0)
    monkeypatch.setattr(scoring, "SMALL", 0)
    seen = []
    scored = KernelScorer.__call__

    def told(self: KernelScorer, weights: np.ndarray, labels: np.ndarray) -> dict[str, np.ndarray]:
        seen.append((self.outputs[0], len(weights)))
        return scored(self, weights, labels)

    monkeypatch.setattr(KernelScorer, "__call__", told)
    y = np.column_stack([1.0 + np.arange(30), np.ones(30)])
    for filters in (["cox_score"], ["cox_score", "concordance"]):
        run = {"task": "survival", "n_resamples": 11, "random_state": 0, "checks": "none"}
        if len(filters) == 1:
            wam(X, y, filter=filters[0], **run)
        else:
            bam(X, y, filters=filters, **run)
    alone, both = [("cox_score", 1)] * 13, [("cox_score", 8), ("concordance", 8)]
    timed = [("cox_score", 1)] * 2 + [("concordance", 8)] * 2
    assert seen == alone + timed + both + [(name, 3) for name, _ in both]


def test_pairs_of_a_selection() -> None:
    for depth in (1, 2, 5, 12):
        assert _pairs(12, depth) == sum(12 - k for k in range(1, depth))


def test_the_time_of_a_selection_follows_from_its_first_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, target = as_table(X), check_target(Y, 30)
    scorer = prepare_mrmr(table, target, n_features="all")
    monkeypatch.setitem(type(scorer).expected_seconds.__globals__, "_TIMED_PAIRS", 0)
    given = np.ones((1, 30), np.uint16), target.codes[np.newaxis]
    for depth in (None, 100, 2):
        # 1 second for two steps and 3 for twelve, each once more with an interruption
        clock = iter([0.0, 5.0, 10.0, 13.0, 20.0, 21.0, 30.0, 37.0])
        monkeypatch.setattr("time.perf_counter", lambda clock=clock: next(clock))
        per_pair = 2.0 / (_pairs(320, 12) - _pairs(320, 2))
        expected = 1.0 + per_pair * (_pairs(320, depth or 320) - _pairs(320, 2))
        assert scorer.expected_seconds(*given, depth) == pytest.approx(expected)


def test_progress_says_what_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 10.0, 11.0, 60.0, 100.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with reporter(quiet=False) as report:
        assert report is not None
        for done in (0, 1, 2, 3, 10):
            report(done, 10)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "1 of 10 resamples done",  # with the time of compilation, perhaps
        "3 of 10 resamples done, about 3 minutes left",
        "10 of 10 resamples done",
    ]


def test_a_long_run_says_soon_how_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 2.0, 5.0, 6.0, 7.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with reporter(quiet=False) as report:
        assert report is not None
        for done in (0, 1, 2, 5, 6, 7):
            report(done, 1000)
    assert capsys.readouterr().err.splitlines()[1:] == [
        "1 of 1000 resamples done",
        "5 of 1000 resamples done, about 17 minutes left",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.4, "3 seconds"), (119, "119 seconds"), (300, "5 minutes"), (7200, "2 hours")]
)  # fmt: skip
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
