"""Every report says how to repeat it, and that is true: the code is run and the bits are compared."""

import html
import json
import os
import re
import shlex
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command_line import words

import pyfsagg
from pyfsagg.cli import main
from pyfsagg.exceptions import PyfsaggWarning

# Every command that writes a report, with settings that are not the default.
RUNS = {
    "bam": "rank table.parquet --target kind --n-resamples 12 --resampling subsample "
    "--resampling-param fraction=0.8 --nominal hue --aggregator gm --aggregator-param "
    "shift=minimum --filters ig,mrmr --filter-param mrmr.binning=equal_width --normalize "
    "per_feature --exclude ash --seed 7 --n-features-to-select 3",
    "groups": "rank groups.csv --target kind --method wam --filter cs --groups patient "
    "--n-resamples 9 --seed 3",
    "regression": "rank table.csv --target proline --task regression --target-bins 4 --method wam "
    "--filter ig --aggregator rra --n-resamples 9 --pairs 2 --shuffles 3 --seed 2",
    "auto": "rank table.csv --target kind --method wam --filter su --n-resamples auto --precision "
    "max_change=0.3 --precision maximum=200 --seed 1",
    "folder": "rank parts --target kind --filters ig,cs --binning equal_frequency --bins 5 "
    "--n-resamples 11 --nominal hue --exclude ash --seed 5",
    "influence": "influence table.csv --target proline --task regression --target-bins 4 --filters ig "
    "--filter-param mdl=fselectorrcpp --aggregators am,gm --aggregator-param gm.shift=minimum "
    "--folds 4 --n-resamples 8 --nominal hue --drop-near-zero-variance --seed 4",
    "influence of lists": "influence --lists matrix.csv --scores --aggregators mean_rank,rra "
    "--folds 5 --seed 6",
    "studies": "studies long.csv --study cohort --item gene --effect beta --p-value p --min-studies 3 "
    "--evidence ranks --p-adjust holm --top 4 --fdr 0.2",
    "evaluate": "evaluate table.parquet --target kind --methods su,mrmr/rra --classifiers nb "
    "--n-features-to-select 2,50% --protocol nested --n-folds 3 --n-repeats 2 --metrics balanced_accuracy "
    "--nominal hue --n-resamples 7 --seed 6",
    "order": "order table.csv --target kind --method koller-sahami --method-param blanket_size=2 "
    "--ties random --tie-break last --accuracy 5 --seed 8",
    "unsupervised": "unsupervised numbers.csv --n-clusterings 12 --seed 9",
    "aggregate": "aggregate a.txt b.txt c.txt --universe 40 --method rra --exact --p-adjust holm",
    "compare": "aggregate a.txt b.txt c.txt --universe 40 --methods rra,borda,mean_rank",
    "members": "aggregate guides.csv --item gene --member-score z --lower-is-better --method stuart",
    "agreement": "agreement a.txt b.txt c.txt --distance 2 --pilot 3 --persistence 0.9",
    "screen": "screen guides.csv --item gene --score z --alpha 0.2 --null uniform",
    "vote": "vote votes.csv --selection features --learner learner --performance accuracy --rule spav "
    "--voter-weights performance --size 2",
    "vote of lines": "vote votes.txt --rule phragmen",
    "committee": "committee numbers-and-class.csv --target kind --learners lr --by elimination "
    "--n-features 3 --step 4 --metric balanced_accuracy --rule sav --voter-weights performance "
    "--resampling-param fraction=0.7 --n-resamples 3 --seed 4 --jobs 1",
    "standings": "standings scores.csv --dataset board --lower-is-better --by rank --seed 3",
    "metrics": "standings scores.csv losses.csv --dataset board --losses losses --rope 0.1",
    "stability": "stability a.txt b.txt c.txt --n-features 40 --confidence-level 0.9",
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    data = pyfsagg.load_dataset("wine")
    # Levels of a nominal column, and text as the class.
    table = data.X.assign(
        hue=(4 * data.X["hue"]).round().astype(int), kind="k" + data.y.astype(str)
    )
    table.to_csv(folder / "table.csv", index=False)
    table.to_parquet(folder / "table.parquet")
    table.assign(patient=np.arange(len(table)) // 3).to_csv(folder / "groups.csv", index=False)
    data.X.iloc[:60].to_csv(folder / "numbers.csv", index=False)
    guides = pd.DataFrame({"gene": np.repeat([f"g{i}" for i in range(30)], 4)})
    guides["z"] = np.random.default_rng(5).standard_normal(120).round(2)
    guides.to_csv(folder / "guides.csv", index=False)
    scores = pd.DataFrame(
        np.random.default_rng(6).normal(size=(30, 4)).round(3), columns=list("abcd")
    )
    scores.assign(board=np.arange(30) // 2).to_csv(folder / "scores.csv", index=False)
    (-scores).assign(board=np.arange(30) // 2).to_csv(folder / "losses.csv", index=False)
    data.X.assign(kind="k" + data.y.astype(str)).to_csv(
        folder / "numbers-and-class.csv", index=False
    )
    judged = guides["z"].to_numpy().reshape(15, 8)
    pd.DataFrame(judged, index=[f"i{i}" for i in range(15)]).to_csv(folder / "matrix.csv")
    long = pd.DataFrame(
        {"gene": np.tile(guides["gene"].unique(), 4), "cohort": np.repeat(list("abcd"), 30)}
    )
    long["beta"] = guides["z"]
    long["p"] = (np.arange(120) * 37 % 120 + 1) / 121
    long.to_csv(folder / "long.csv", index=False)
    (folder / "votes.txt").write_text("x y\nz\n\nx z\n")
    (folder / "votes.csv").write_text(
        "learner,accuracy,features\nforest,0.5,x y\nforest,0.75,z\nlinear,,\nlinear,0.5,x z\n"
    )
    (folder / "parts").mkdir()
    for k in range(2):
        table.iloc[100 * k : 100 * (k + 1)].to_parquet(folder / "parts" / f"{k}.parquet")
    for name, items in (("a", "xyzuv"), ("b", "xzywp"), ("c", "yxqzw")):
        (folder / f"{name}.txt").write_text("\n".join(items) + "\n")
    return folder


def code_of(page: str) -> str:
    """The Python code that a page shows."""
    blocks = [html.unescape(found) for found in re.findall(r"<code>(.*?)</code>", page, re.S)]
    (code,) = (block for block in blocks if block.startswith("import pyfsagg"))
    return code


def command_of(page: str) -> list[str]:
    """The command that a page shows, as a shell would divide it."""
    blocks = [html.unescape(found) for found in re.findall(r"<code>(.*?)</code>", page, re.S)]
    (command,) = (block for block in blocks if block.startswith("pyfsagg "))
    return shlex.split(command)[1:]


def record(result: Any, view: dict[str, Any]) -> dict[str, Any]:
    """What a result says, shown in the same way; of lists in files without how they were read."""
    document = json.loads(result.to_json(**view))
    if result._kind in ("aggregation", "stability"):
        # A comparison of methods is kept with the aggregation, and made in a line of its own.
        other = ("parameters", "data", "comparison", "others")
        document = {key: document[key] for key in document if key not in other}
    else:
        document["parameters"].pop("call")
    return document


@pytest.mark.usefixtures("composed")
@pytest.mark.parametrize("name", RUNS)
def test_what_a_report_says_gives_the_same_bits(name, tables, monkeypatch):
    monkeypatch.chdir(tables)
    first = tables / f"first-{name}"
    assert main(words(f"{RUNS[name]} --quiet", "--output", first.name)) == 0
    page = (first / "report.html").read_text(encoding="utf-8")
    before = set(tables.iterdir())
    assert main(command_of(page)) == 0  # pasted beside its results
    (again,) = set(tables.iterdir()) - before
    assert {path.name for path in again.iterdir()} == {path.name for path in first.iterdir()}
    for path in first.iterdir():
        if path.suffix in (".csv", ".npz", ".toml", ".txt"):
            assert (again / path.name).read_bytes() == path.read_bytes(), path.name
    code = code_of(page)
    assert "pd.read" not in code
    namespace: dict[str, Any] = {"folder": "parts"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PyfsaggWarning)  # wine is not on one scale
        exec(compile(code, name, "exec"), namespace)
    made, saved = namespace["result"], pyfsagg.load_result(first)
    assert type(made) is type(saved)
    assert record(made, dict(saved._view)) == record(saved, dict(saved._view))
    own, other = made._arrays(), saved._arrays()
    assert own.keys() == {key for key in other if name != "compare" or key in own}
    for key, array in own.items():
        np.testing.assert_array_equal(array, other[key], err_msg=key)


def test_every_command_that_writes_a_report_is_tried() -> None:
    commands = {line.split()[0] for line in RUNS.values()}
    written = {
        path.stem
        for path in (Path(pyfsagg.__file__).parent / "cli").glob("[a-z]*.py")
        if "compute_and_save(" in path.read_text(encoding="utf-8")
    }
    assert written <= commands | {"cross_check"}  # which needs R, and is repeated by its command


def test_tables_are_read_as_the_command_reads_them(tables: Path) -> None:
    assert os.fspath(tables)
    frame = pyfsagg.datasets.read_table(tables / "table.parquet")
    pd.testing.assert_frame_equal(
        frame, pyfsagg.datasets.read_table(tables / "table.csv"), check_dtype=False
    )
