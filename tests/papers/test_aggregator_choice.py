"""Which aggregator for lists that look like these: the measured answer."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pyfsagg import Rankings
from pyfsagg.aggregation.about_lists import TRAITS, _compared, advise, traits
from pyfsagg.cli import main
from pyfsagg_papers import AggregatorChoice, shipped_aggregator_choice
from pyfsagg_papers.lists.choice import measure_situations
from pyfsagg_papers.lists.simulation import METHODS


@pytest.fixture(scope="module")
def shipped() -> AggregatorChoice:
    return shipped_aggregator_choice()


def lists(n: int, length: int = 100, noise: float = 0.3, seed: int = 0) -> list[list[str]]:
    """Lists of the best of 3,000 names, of which one in ten is better than the others."""
    rng = np.random.default_rng(seed)
    quality = np.r_[np.ones(300), np.zeros(2700)]
    return [
        [f"g{j}" for j in np.argsort(-quality - noise * rng.standard_normal(3000))[:length]]
        for _ in range(n)
    ]


def test_traits_by_hand() -> None:
    given = Rankings.from_lists([list("abcdef"), list("abxyz")], unranked=[list("xy"), ["c"]])
    seen = traits(given)
    # of 5, 2, 1, 2, 1 and 1 names that a pair could share it shares 2, 0, 1, 2, 0 and 0
    assert seen["agreement"] == pytest.approx(5 / 12)
    assert (seen["n_lists"], seen["unranked"], seen["length"]) == (4.0, 0.25, 3.5)
    assert seen["length_spread"] == pytest.approx(np.log([6, 5, 2, 1]).std())
    assert seen["agreement_spread"] == pytest.approx(np.std([3 / 8, 4 / 8, 2 / 5, 1 / 3]))


def test_the_kept_run_is_of_this_code_and_does_not_depend_on_how_many_are_drawn(
    shipped: AggregatorChoice,
) -> None:
    few = measure_situations(2, n_jobs=1)
    pd.testing.assert_frame_equal(measure_situations(3, n_jobs=1).iloc[:2], few)
    assert list(few) == [*TRAITS, "M", "D", *METHODS]
    now = measure_situations(2, random_state=shipped.record["seed"], n_jobs=1)
    # An aggregator that fits by iteration may exchange names at the edge.
    kept = shipped.sets.iloc[:2]
    np.testing.assert_allclose(now[list(TRAITS)], kept[list(TRAITS)], atol=1e-4)
    np.testing.assert_allclose(now[list(METHODS)], kept[list(METHODS)], atol=0.02)


def test_the_nearest_are_near(shipped: AggregatorChoice) -> None:
    seen = shipped.sets.loc[10, list(TRAITS)].to_dict()
    found = shipped.simulated.nearest(seen)
    assert 10 in found.sets.index
    assert len(found.sets) == 100
    assert found.means[found.best] == found.means.max()
    assert found.sets["n_lists"].std() < shipped.sets["n_lists"].std()
    assert found.lead(found.best) == (0.0, 0.0)
    assert shipped.simulated.nearest({**seen, "n_lists": 4000.0}) is None


def test_the_answer_depends_on_what_the_lists_look_like(shipped: AggregatorChoice) -> None:
    few, many, long, noisy = lists(4), lists(30), lists(4, 600), lists(4, noise=3.0)
    tables = map(Rankings.from_lists, (few, many, long, noisy))
    said = {str(shipped.advice(table, "mean_rank")) for table in tables}
    assert len(said) == 4
    for text in said:
        assert "100 nearest of 1,600 sets" in text
        assert "all ranked" in text
    mixed = Rankings.from_lists(lists(5), unranked=lists(5, seed=1))
    assert "of them unranked" in str(shipped.advice(mixed, "mean_rank"))
    assert "birra" not in str(shipped.advice(mixed, "mean_rank"))
    assert "mc4 was not" in str(shipped.advice(Rankings.from_lists(lists(4)), "mc4"))
    best = shipped.simulated.nearest(traits(mixed))
    assert "next:" in str(shipped.advice(mixed, best.best))


def test_nothing_is_said_of_what_was_not_simulated(shipped: AggregatorChoice) -> None:
    ten = Rankings.from_lists(lists(10))
    for table in (
        Rankings.from_lists(lists(60)),  # more lists
        Rankings.from_lists([one[:30] for one in lists(3)]),  # less than 200 names
        Rankings.from_lists(lists(10, 3000)),  # nothing is cut off
        Rankings.from_lists(lists(10), absent="unknown"),
        Rankings.from_scores(np.random.default_rng(0).random((10, 300))),
        ten.weighted([2] + [1] * 9),
    ):
        assert shipped.advice(table, "mean_rank") is None
    said = shipped.advice(ten, "mean_rank")
    assert advise(ten, "mean_rank") == said


def test_the_advice_is_worth_something(shipped: AggregatorChoice) -> None:
    worth = shipped.simulated.check()
    fixed = worth.drop(["advised", "best"])
    assert worth["advised"] >= fixed.max()
    assert worth["best"] > worth["advised"]


def test_command(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", "aggregator-choice", "--sets", "12", "--jobs", "1"]) == 0
    assert "the advice leads to" in capsys.readouterr().out
    folder = tmp_path / "pyfsagg-aggregator-choice"
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "run.json", "sets.csv"]
    kept = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    assert kept["record"]["n_sets"] == 12
    assert len(AggregatorChoice.load(folder).sets) == 12


def test_what_is_said_of_a_method_beside_the_best() -> None:
    means = pd.Series({"borda": 0.5, "rra": 0.62, "maic": 0.6})
    nearest: Any = SimpleNamespace(means=means, best="rra", lead=lambda name: (0.12, 0.01))
    found = "rra found 62% of the true best 100 and borda 50%"
    assert _compared(nearest, "borda") == f"{found} (difference 12.0%, standard error 1.0%)"
    assert _compared(nearest, "rra").endswith("more than the others (next: maic (fit=none), 60%)")
    assert _compared(nearest, "mc4").endswith("mc4 was not")
    close: Any = SimpleNamespace(means=means, best="rra", lead=lambda name: (0.02, 0.02))
    assert _compared(close, "maic").startswith("no aggregator found clearly more")
