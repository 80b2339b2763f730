"""Time and memory are said before they are spent; progress is said as it is made."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pyfsagg import Checks, bam, evaluate, influence, wam
from pyfsagg._command.flags import reporter
from pyfsagg.ensemble import scoring
from pyfsagg.exceptions import DataError, PyfsaggWarning
from pyfsagg.extending import as_table, check_target, duration
from pyfsagg.filters._base import KernelScorer
from pyfsagg.filters.information import InformationScorer, _pairs, prepare_mrmr
from pyfsagg.out_of_core import memory_limit

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(30, 320)), np.arange(30) % 2
QUICK = {"n_resamples": 3, "random_state": 0}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is long."""
    monkeypatch.setattr(scoring, "LONG", 0.0)
    monkeypatch.setattr(scoring, "SMALL", 0)


def messages_of(run: Callable[..., Any], *given: Any, **options: Any) -> list[str]:
    with pytest.warns(PyfsaggWarning) as caught:
        run(X, Y, *given, **{"random_state": 0, "n_resamples": 3, **options})
    return [str(one.message) for one in caught]


def test_a_shallower_search_is_timed_with_one_resample(slow: None, monkeypatch) -> None:
    usual = InformationScorer.expected_seconds
    timed: list[tuple[int, int]] = []

    def spy(self: InformationScorer, weights: Any, labels: Any, *depth: int) -> float:
        if depth:
            timed.append((len(weights), len(labels)))
        return usual(self, weights, labels, *depth)

    monkeypatch.setattr(InformationScorer, "expected_seconds", spy)
    messages_of(bam, filters=["ig", "mrmr"], filter_params={"mrmr": {"n_features": "all"}})
    assert timed == [(1, 1)]


def test_long_runs_are_announced_once_with_what_would_shorten_them(slow: None) -> None:
    params = {"mrmr": {"n_features": "all"}}
    (message,) = messages_of(bam, filters=["ig", "mrmr"], filter_params=params)
    assert re.match(r"this will take about \d+ seconds with 1 worker\(s\); ", message)
    assert "filter_params={'mrmr': {'n_features': 100}}: about" in message
    assert "a tenth of the resamples: about" in message
    (message,) = messages_of(wam, filter="mrmr")
    assert "this will take about" in message
    assert "n_features" not in message  # which is shallow already
    assert len(messages_of(influence, n_folds=3, n_resamples=2, aggregators=["am"])) == 1
    how = {"classifiers": "naive_bayes", "n_features_to_select": [5], "protocol": "nested"}
    found = messages_of(evaluate, methods=["ig"], **how)
    assert sum("this will take" in message for message in found) == 1


# 12 pairs are 24 halves, and each of 19 targets is scored in 2 resamples; of a tenth, one pair.
def test_halves_and_shuffled_targets_are_in_the_forecast(slow, monkeypatch) -> None:
    monkeypatch.setattr(scoring, "expected_seconds", lambda bound, _: dict.fromkeys(bound, 1.0))
    for checks, total, tenth in (
        ("none", 100, 10),
        (Checks(pairs=0, shuffles=19), 120, 30),
        (Checks(shuffles=0), 124, 12),
        ("auto", 1148, 1014),
        (Checks(shuffles=190), 339, 205),
    ):
        message = messages_of(wam, n_resamples=100, checks=checks)[0]
        assert message.startswith(f"this will take about {duration(total)} with 1 worker(s); ")
        assert f"a tenth of the resamples: about {duration(tenth)}" in message
        remedy = "; checks=pyfsagg.Checks(shuffles=0): about 2 minutes"
        assert message.endswith(remedy) == ("shuffles=0" in message) == (total > 300)


def test_small_runs_say_nothing_and_what_does_not_fit_is_refused(monkeypatch, tmp_path) -> None:
    with memory_limit(1), pytest.raises(DataError, match=r"Execution\(scratch='FOLDER'\)"):
        scoring.require_score_memory(1, (20, 320))
    with memory_limit("100TB"):
        wam(X, Y, **QUICK)
    monkeypatch.setattr(scoring, "LONG", 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wam(X, Y, **QUICK)
        monkeypatch.setattr(scoring, "SMALL", 0)
        wam(X, Y, filter=lambda X, y, sample_weight: np.ones(X.shape[1]), **QUICK)


def test_blocks_get_smaller_as_tables_get_larger_and_change_nothing(monkeypatch) -> None:
    for n, p, size in ((100, 10, 8), (72, 7129, 1), (72, 5000, 2), (9, 10**7, 1)):
        assert scoring.block_size(n, p) == size
        assert scoring.block_size(n, p, together=4) == max(size, 4)
    one = bam(X, Y, n_resamples=9, random_state=0)
    monkeypatch.setattr(scoring, "_BLOCK_CELLS", 0)
    assert scoring.block_size(2, 2) == 1
    other = bam(X, Y, n_resamples=9, random_state=0)
    np.testing.assert_array_equal(one.combined, other.combined)


def test_resamples_that_are_scored_at_once_are_handed_out_together(monkeypatch) -> None:
    monkeypatch.setattr(scoring, "_BLOCK_CELLS", 0)
    monkeypatch.setattr(scoring, "SMALL", 0)
    seen = []
    scored = KernelScorer.__call__

    def told(self: KernelScorer, weights: np.ndarray, labels: np.ndarray) -> dict[str, np.ndarray]:
        seen.append((self.outputs[0], len(weights)))
        return scored(self, weights, labels)

    monkeypatch.setattr(KernelScorer, "__call__", told)
    y = np.column_stack([1.0 + np.arange(30), np.ones(30)])
    run = {"task": "survival", "n_resamples": 11, "random_state": 0, "checks": "none"}
    wam(X, y, filter="cox_score", **run)
    bam(X, y, filters=["cox_score", "concordance"], **run)
    alone, both = [("cox_score", 1)] * 13, [("cox_score", 8), ("concordance", 8)]
    timed = [("cox_score", 1)] * 2 + [("concordance", 8)] * 2
    assert seen == alone + timed + both + [(name, 3) for name, _ in both]


def test_the_time_of_a_selection_follows_from_its_first_steps(monkeypatch) -> None:
    for depth in (1, 2, 5, 12):
        assert _pairs(12, depth) == sum(12 - k for k in range(1, depth))
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


# The time of each step, and how many are done; the first has that of compilation, perhaps.
LATE, EARLY = (
    {0.0: 0, 10.0: 1, 11.0: 2, 60.0: 3, 100.0: 10},
    {k * 1.0: k for k in (0, 1, 2, 5, 6, 7)},
)


@pytest.mark.parametrize(
    ("steps", "of", "lines"),
    [
        (LATE, 10, ["1 of 10", "3 of 10 resamples done, about 3 minutes left", "10 of 10"]),
        (EARLY, 1000, ["1 of 1000", "5 of 1000 resamples done, about 17 minutes left"]),
    ],
)
def test_progress_says_what_is_left(capsys, monkeypatch, steps, of, lines):
    clock = iter(steps)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    with reporter(quiet=False) as report:
        assert report is not None
        for done in steps.values():
            report(done, of)
    expected = [line if "left" in line else f"{line} resamples done" for line in lines]
    assert capsys.readouterr().err.splitlines()[1:] == expected


def test_durations() -> None:
    words = {3.4: "3 seconds", 119: "119 seconds", 300: "5 minutes", 7200: "2 hours"}
    assert {seconds: duration(seconds) for seconds in words} == words
