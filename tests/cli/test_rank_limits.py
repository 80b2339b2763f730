"""``pyfsagg rank`` under a limit on false selections."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.normal(size=(80, 8))
    X[:, :2] += 2.5 * y[:, np.newaxis]
    path = tmp_path / "table.csv"
    pd.DataFrame(X, columns=[f"g{j}" for j in range(8)]).assign(kind=y).to_csv(path, index=False)
    return path


RUN = "rank table.csv --target kind --filter fit_criterion --n-resamples 40 --output out "


def test_a_limit_on_pairs_writes_columns(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg(RUN + "--max-false 0.6 --resampling complementary_pairs")
    text = " ".join(done.stdout.split())
    assert "With at most 0.6 expected false selections, 2 of 8 features can be selected: g" in text
    assert "Supposed: noise features are exchangeable" in text
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv", index_col="feature")
    assert set(ranking.index[ranking["controlled"]]) == {"g0", "g1"}
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["parameters"]["resampling"] == "complementary_pairs"
    assert set(record["error_control"]["selected"]) == {"g0", "g1"}
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "How many of the selected may be false?" in page


def test_p_values_against_shuffled_targets(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg(RUN + "--fdr 0.01 --shuffles 99")
    text = " ".join(done.stdout.split())
    assert "With a false discovery rate of at most 0.01, 2 of 8 features are selected: g" in text
    assert "independent or positively dependent p-values (Benjamini and Hochberg 1995)" in text
    ranking = pd.read_csv(tmp_path / "out" / "ranking.csv", index_col="feature")
    assert (ranking.loc[["g0", "g1"], "family_wise_p_value"] == 1 / 100).all()
    assert (ranking["family_wise_p_value"] >= ranking["p_value"]).all()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--fdr 1.5", "--fdr must be above 0 and below 1"),
        ("--max-false 0", "--max-false must be a number above 0"),
        ("--max-false 1 --fdr 0.1", "give one of them"),
    ],
)
def test_a_limit_that_cannot_be_is_refused(pyfsagg, table, tmp_path, flags, message):
    assert message in pyfsagg(RUN + flags, code=2).stderr
    assert not (tmp_path / "out").exists()


def test_a_limit_on_memory_is_kept_by_every_command(pyfsagg, refused, tmp_path) -> None:
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=list("abc"))
    table.assign(kind=np.arange(30) % 2).to_csv(tmp_path / "table.csv", index=False)
    table.to_csv(tmp_path / "plain.csv", index=False)
    for line in (
        "rank table.csv --target kind --n-resamples 4",
        "unsupervised plain.csv --n-clusterings 2",
        "influence table.csv --target kind --n-folds 2 --n-resamples 2",
    ):
        done = pyfsagg(f"{line} --memory-limit 1MB", code=2)
        last = done.stderr.splitlines()[-1]
        assert "left of the memory limit of 1 MB" in last
        assert "; " in last
    refused("stability plain.csv --memory-limit much")
