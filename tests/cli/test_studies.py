"""``pyfsagg studies``, ``pyfsagg influence --lists`` and ``pyfsagg stability --similarity sets.gmt``."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import pyfsagg

Command = Callable[..., Any]


@pytest.fixture
def studies(tmp_path) -> list[str]:
    z = np.random.default_rng(0).normal(size=(3, 200))
    z[:2, :4] += 6.0
    paths = []
    for name, row in zip("abc", z, strict=True):
        frame = pd.DataFrame({"gene": [f"g{j}" for j in range(200)], "logFC": row})
        paths.append(str(tmp_path / f"{name}.tsv"))
        frame.assign(PValue=2 * ndtr(-np.abs(row))).to_csv(paths[-1], sep="\t", index=False)
    return paths


def test_studies(studies: list[str], tmp_path, command: Command) -> None:
    out = tmp_path / "out"
    said, _ = command("studies", *studies, "--top", "3", "--output", str(out))
    assert "4 items of 200 in at least 2 of 3 studies with one sign" in " ".join(said.split())
    found = pyfsagg.load_result(out)
    assert set(found.select()) == {"g0", "g1", "g2", "g3"}
    items = pd.read_csv(out / "items.csv", index_col="item")
    assert items.loc["g0", "carried_by"] == "a, b"
    assert items.loc["g0", "at_least"] == 2
    assert len(pd.read_csv(out / "pairs.csv")) == 3
    scope: dict[str, Any] = {}
    exec(found.repeat(), scope)
    np.testing.assert_array_equal(scope["result"].log_p, found.log_p)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Rests on" in page
    assert "Shared samples?" in page


def test_names_and_tests_of_studies(studies: list[str], tmp_path, command: Command) -> None:
    first, second = (pd.read_csv(path, sep="\t") for path in studies[:2])
    genes = [f"ENSG{j:011d}" for j in range(200)]
    for frame, version in ((first, 1), (second, 4)):
        frame["gene"] = [f"{gene}.{version if j > 9 else 1}" for j, gene in enumerate(genes)]
        frame.to_csv(tmp_path / f"{version}.csv", index=False)
    paths = [str(tmp_path / "1.csv"), str(tmp_path / "4.csv")]
    said, noted = (
        " ".join(text.split())
        for text in command("studies", *paths, "--output", str(tmp_path / "versions"))
    )
    assert "10 of 390 items are in both studies, 380 in one only." in said
    assert "190 names differ between lists in the version only" in noted
    assert noted.count("cut the versions with --strip-version") == 1
    said, noted = command("studies", *paths, "--strip-version", "--output", str(tmp_path / "cut"))
    assert "All items are in both studies." in " ".join(said.split())
    assert "strip-version" not in noted
    scope: dict[str, Any] = {}
    exec(pyfsagg.load_result(tmp_path / "cut").repeat(), scope)
    assert scope["result"].names[0] == genes[0]


def test_influence_of_lists(tmp_path, command: Command) -> None:
    scores = np.random.default_rng(1).normal(np.arange(15) / 4, size=(7, 15))
    frame = pd.DataFrame(scores.T, columns=[f"judge{i}" for i in range(7)])
    frame.iloc[::3, 0] = np.nan
    frame.rename(index="item{}".format).to_csv(tmp_path / "votes.csv", index_label="item")
    out = tmp_path / "out"
    said, _ = command(
        *("influence", "--lists", str(tmp_path / "votes.csv"), "--scores", "--folds", "4"),
        *("--aggregators", "am,minimum", "--output", str(out)),
    )
    assert "7 lists were split 4 times into halves" in " ".join(said.split())
    found = pyfsagg.load_result(out)
    assert pd.read_csv(out / "influence.csv")["aggregator"].tolist() == [
        "arithmetic_mean",
        "minimum",
    ]
    scope: dict[str, Any] = {}
    exec(found.repeat(), scope)
    np.testing.assert_array_equal(scope["result"].agreement, found.agreement)


def test_sets_that_share_members(tmp_path, command: Command) -> None:
    (tmp_path / "sets.gmt").write_text("one\tna\ta\tb\ntwo\tna\tc\td\n")
    for name, genes in (("1", "a\nc\n"), ("2", "b\nd\n"), ("3", "a\ne\n")):
        (tmp_path / f"{name}.txt").write_text(genes)
    lists = [str(tmp_path / f"{name}.txt") for name in "123"]
    more = ("--n-features", "5", "--similarity", str(tmp_path / "sets.gmt"))
    out = tmp_path / "out"
    command("stability", *lists, *more, "--measures", "zucknick,jaccard", "--output", str(out))
    values = pd.read_csv(out / "stability.csv", index_col="measure")["value"]
    # 1 and 2 share no gene, and every gene has a stand-in.
    assert values["jaccard"] == pytest.approx((0 + 0 + 1 / 3) / 3)
    assert values["zucknick"] > 3 * values["jaccard"]
