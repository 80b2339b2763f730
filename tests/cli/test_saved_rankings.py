"""Commands of lists and selections take the folder of any result that has rankings."""

import numpy as np
import pandas as pd
import pytest

import pyfsagg as package

WINE = package.load_dataset("wine")
RUN = package.wam(WINE.X, WINE.y, filter="chi_squared", n_resamples=8, random_state=0)
VOTES = package.vote([["a", "b"], ["b", "c"], ["a"]])


@pytest.fixture
def saved(tmp_path):
    RUN.save(tmp_path / "run")
    VOTES.save(tmp_path / "votes")
    return tmp_path


def test_the_values_are_those_of_the_function(pyfsagg, saved) -> None:
    for command, file, expected in (
        (
            "aggregate run --method mean_rank",
            "aggregation.csv",
            package.aggregate(RUN, "mean_rank"),
        ),
        (
            "vote run --n-features-to-select 3",
            "ranking.csv",
            package.vote(RUN, n_features_to_select=3),
        ),
        ("vote votes --rule phragmen", "ranking.csv", VOTES.vote("phragmen")),
        ("agreement run", "pairs.csv", package.aggregation.list_agreement(RUN)),
    ):
        pyfsagg(f"{command} --output out --overwrite")
        found = pd.read_csv(saved / "out" / file)
        frame = expected.to_frame().reset_index(drop="list" in expected.to_frame())
        for column in ("rank", "score", "votes", "k", "rbo"):
            if column in frame:
                np.testing.assert_allclose(found[column], frame[column], rtol=1e-12)


def test_the_stability_of_a_committee(pyfsagg, saved) -> None:
    pyfsagg("stability votes --seed 0 --output out")
    found = pd.read_csv(saved / "out" / "stability.csv", index_col=0)
    expected = package.stability(VOTES, random_state=0).table
    np.testing.assert_allclose(found["value"], expected["value"], rtol=1e-12)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("aggregate run --universe 20", "--universe belongs to files of lists"),
        ("aggregate run votes", "a saved result is one source, got 2"),
        ("influence --lists run --absent unknown", "--absent belongs to files of lists"),
        ("vote run --matrix", "belong to a table, and run is a saved result"),
        ("stability votes --n-features-to-select 2", "these are selections"),
        ("stability votes --filter ig", "--filter belongs to a run of filters"),
    ],
)
def test_flags_of_other_sources_are_refused(pyfsagg, saved, command: str, message: str) -> None:
    assert message in pyfsagg(f"{command} --output out", code=2).stderr
