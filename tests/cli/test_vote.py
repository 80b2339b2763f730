"""``pyfsagg vote`` and ``pyfsagg committee``."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfsagg

SELECTIONS = [["x", "y"], ["z"], [], ["x", "z", "a b"]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("commas.txt").write_text("x, y\nz\n\nx,z,a b\n")
    Path("tabs.txt").write_text("x\ty\nz\n\nx\tz\ta b\n")
    table = pd.DataFrame({"who": list("ffgg"), "features": map(";".join, SELECTIONS)})
    table["accuracy"] = [0.5, 0.75, np.nan, 0.25]
    table.to_csv("table.csv", index=False)
    columns = ["x", "y", "z", "a b"]
    rows = [[int(name in names) for name in columns] for names in SELECTIONS]
    matrix = pd.DataFrame(rows, columns=columns)
    matrix.assign(accuracy=table["accuracy"]).to_csv("matrix.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "commas.txt",
        "tabs.txt",
        "table.csv --selection features",
        "matrix.csv --matrix --performance accuracy",
    ],
)
def test_selections_of_every_form(command, files: Path, line: str) -> None:
    out, _ = command(f"vote {line} --output run")
    found = pyfsagg.load_result("run")
    expected = pyfsagg.vote(SELECTIONS, feature_names=["x", "z", "y", "a b"])
    assert found.ranking["votes"].to_dict() == expected.ranking["votes"].to_dict()
    assert found.voters["n_features"].tolist() == [2, 1, 0, 3]
    assert "4 voters selected 0 to 3 of 4 features" in " ".join(out.split())


@pytest.mark.parametrize("of_ranks", [False, True])
def test_a_matrix_of_scores_or_ranks_selects_the_best_as_in_python(
    command, files: Path, of_ranks: bool
) -> None:
    scores = pd.DataFrame(np.random.default_rng(0).normal(size=(5, 8))).add_prefix("g")
    table = scores.rank(axis=1, ascending=False) if of_ranks else scores
    table.to_csv("scores.csv", index=False)
    command("vote scores.csv --matrix --n-features-to-select 3 --output three")
    _, said = command("vote scores.csv --matrix --output quarter")
    assert "each voter selects the best 0.25" in said
    for folder, size in (("three", 3), ("quarter", 0.25)):
        found = pyfsagg.load_result(folder)
        assert (found.voters["n_features"] == (3 if size == 3 else 2)).all()
        expected = pyfsagg.vote(table, n_features_to_select=size)
        pd.testing.assert_frame_equal(found.ranking, expected.ranking, check_dtype=False)
        of_scores = pyfsagg.vote(scores, n_features_to_select=size)
        assert expected.ranking.equals(of_scores.ranking)


def test_learners_weights_and_rule(command, files: Path) -> None:
    out, _ = command(
        "vote table.csv --selection features --learner who --performance accuracy "
        "--voter-weights performance --rule seq-phragmen --size 2 --output run"
    )
    found = pyfsagg.load_result("run")
    assert found.parameters["rule"] == "phragmen"
    assert found.voters["weight"].tolist() == [0.5, 0.75, 0.0, 0.25]
    assert found.learners == ["f", "g"]
    assert found.select(1) == ["z"]
    assert "Jaccard similarity" in out


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("nowhere.txt", "cannot read nowhere.txt"),
        ("commas.txt --performance accuracy", "--selection COLUMN or --matrix"),
        ("table.csv --selection feature", "did you mean 'features'"),
        ("table.csv --selection features --matrix", "--matrix has none"),
        ("commas.txt --n-features-to-select 2", "a --matrix that ranks all features"),
        (
            "matrix.csv --matrix --performance accuracy --n-features-to-select 2",
            "a 0/1 table is selected",
        ),
        ("commas.txt --voter-weights performance", "performance above 0"),
        ("commas.txt --rule av --size 9", "size must be"),
    ],
)
def test_what_is_wrong_is_said(refused, files: Path, line: str, said: str) -> None:
    assert said in refused(f"vote {line} --output run")


def test_committee(command, files: Path) -> None:
    rng = np.random.default_rng(0)
    kind = np.arange(40) % 2
    table = pd.DataFrame(rng.normal(size=(40, 4)), columns=["a", "b", "c", "d"])
    table["b"] += 4.0 * kind
    table.assign(kind=np.where(kind, "yes", "no")).to_csv("data.csv", index=False)
    out, err = command(
        "committee data.csv --target kind --learners nb,knn --by sequential --n-features 2 --folds 3 "
        "--n-resamples 2 --jobs 1 --output run"
    )
    found = pyfsagg.load_result("run")
    assert found.learners == ["naive_bayes", "nearest_neighbors"]
    assert found.parameters["resampling_params"] == {"fraction": 0.8}
    assert found.select(1) == ["b"]
    assert found.ranking["votes"].iloc[0] == 4
    assert "4 voters" in out
    # A room that nobody imported is no attribute of the package.
    assert "from pyfsagg.evaluation import named_learners" in Path("run/report.html").read_text()
    command(
        "committee data.csv --target kind --learners lr --by elimination --n-features auto --folds 3 "
        "--n-resamples 2 --jobs 1 --output auto"
    )
    assert pyfsagg.load_result("auto").voters["n_features"].min() >= 1
    _, err = command("committee data.csv --target kind --learners nb --output other", code=2)
    assert "neither coefficients nor importances" in err


def test_voters_of_one_size_have_one_whole_number_below_their_picture() -> None:
    selections = [["a", "b"], ["b", "c"], ["a", "c"]]
    axes = pyfsagg.vote(selections, performance=[0.5, 0.6, 0.7]).plot("front")
    low, high = axes.get_xlim()
    assert [tick for tick in axes.get_xticks() if low <= tick <= high] == [2.0]
