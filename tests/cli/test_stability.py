"""``pyfsagg stability`` from the outside."""

import json

import numpy as np
import pandas as pd
import pytest

from pyfsagg import load_dataset, wam
from pyfsagg.extending import STABILITY_MEASURES
from pyfsagg.ranks import rank_scores
from pyfsagg.ranks.ranking import select_top
from pyfsagg.stability_measures import feature_stability, nogueira
from pyfsagg.stability_measures.measure import stability_table

WINE = load_dataset("wine")
RUN = wam(WINE.X, WINE.y, n_resamples=12, random_state=0)
OTHER = wam(WINE.X, WINE.y, filter="mrmr", n_resamples=9, random_state=1)
LISTS = [["a", "b", "c"], ["b", "a", "d"], ["a", "c", "e"], ["a", "b", "e"]]
FILES = ["features.csv", "report.html", "run.json", "run.toml", "stability.csv"]


@pytest.fixture
def run(tmp_path) -> str:
    RUN.save(tmp_path / "run")
    return "run"


@pytest.fixture
def lists(tmp_path) -> list[str]:
    for i, names in enumerate(LISTS):
        (tmp_path / f"fold{i}.txt").write_text("\n".join(names) + "\n")
    return [f"fold{i}.txt" for i in range(4)]


def test_a_saved_run(pyfsagg, run: str, tmp_path) -> None:
    done = pyfsagg(f"stability {run} --n-features-to-select 4 --output out")
    out = tmp_path / "out"
    assert sorted(path.name for path in out.iterdir()) == sorted([*FILES, "curve.csv"])
    table = pd.read_csv(out / "stability.csv", index_col=0)
    expected = stability_table(RUN, n_features_to_select=4, random_state=0)
    np.testing.assert_allclose(table["value"], expected["value"], rtol=1e-12)
    np.testing.assert_allclose(table["lower"], expected["lower"], rtol=1e-12)
    assert table.index.tolist() == expected.index.tolist()
    features = pd.read_csv(out / "features.csv", index_col=0)
    counts = feature_stability(
        RUN.combined, n_features_to_select=4, feature_names=RUN.feature_names
    )["count"]
    assert features["count"].to_dict() == counts.to_dict()
    assert f"Nogueira is {expected.loc['nogueira', 'value']:.4f} (95 % interval" in done.stdout
    assert "were compared: scores of 13 features; selections are the best 4." in done.stdout
    assert "Results are in out/" in done.stdout
    document = json.loads((out / "run.json").read_text())
    assert document["kind"] == "stability"
    assert document["data"]["n_resamples"] == 12
    assert [row["measure"] for row in document["stability"]] == expected.index.tolist()


@pytest.mark.parametrize("labelled", [False, True])
def test_a_table_of_scores_on_standard_input(pyfsagg, labelled: bool) -> None:
    frame = pd.DataFrame(RUN.combined, columns=list(RUN.feature_names))
    if labelled:
        frame.insert(0, "resample", [f"r{i}" for i in range(12)])
    done = pyfsagg(
        "stability - --measures nogueira,canberra --interval bootstrap --n-boot 60 "
        "--confidence-level 0.9 --seed 5 --json --quiet",
        stdin=frame.to_csv(index=False),
    )
    assert done.stderr == ""
    found = {row["measure"]: row for row in json.loads(done.stdout)["stability"]}
    options = {"interval": "bootstrap", "n_boot": 60, "confidence_level": 0.9}
    expected = stability_table(RUN, ["nogueira", "canberra"], random_state=5, **options)
    for name, row in expected.iterrows():
        assert found[name]["upper"] == pytest.approx(row["upper"], rel=1e-12)


def test_a_table_of_ranks_and_one_of_selections(pyfsagg, tmp_path) -> None:
    scores = RUN.combined
    names = list(RUN.feature_names)
    pd.DataFrame(rank_scores(scores), columns=names).to_csv(tmp_path / "ranks.csv", index=False)
    chosen = select_top(scores, 3)
    pd.DataFrame(chosen.astype(int), columns=names).to_csv(
        tmp_path / "sets.tsv", sep="\t", index=False
    )
    ranks = pyfsagg("stability ranks.csv --n-features-to-select 3 --json --output a")
    sets = pyfsagg("stability sets.tsv --json --output b")
    of_ranks = {row["measure"]: row["value"] for row in json.loads(ranks.stdout)["stability"]}
    of_sets = {row["measure"]: row["value"] for row in json.loads(sets.stdout)["stability"]}
    assert json.loads(ranks.stdout)["parameters"]["input"] == "ranks"
    assert "spearman" in of_ranks
    assert "spearman" not in of_sets
    expected = nogueira(chosen).estimate
    assert of_ranks["nogueira"] == pytest.approx(expected, rel=1e-12)
    assert of_sets["nogueira"] == pytest.approx(expected, rel=1e-12)
    assert not (tmp_path / "b" / "curve.csv").exists()


def test_ties_and_paired_collections(pyfsagg, refused, tmp_path) -> None:
    rng = np.random.default_rng(0)
    scores = np.where(rng.random((12, 8)) < 0.8, 0.0, rng.random((12, 8)))
    for name, table in {"one": scores, "two": scores + 0.1 * rng.random((12, 8))}.items():
        pd.DataFrame(table).add_prefix("g").to_csv(tmp_path / f"{name}.csv", index=False)
    told = pyfsagg(
        "stability one.csv --input scores --n-features-to-select 3 --measures nogueira --output a"
    )
    assert "resamples equal scores compete" in " ".join(told.stdout.split())
    table = pd.read_csv(tmp_path / "a" / "stability.csv", index_col="measure")
    pyfsagg(
        "stability one.csv --input scores --n-features-to-select 3 --ties first "
        "--measures nogueira --output b"
    )
    by_columns = pd.read_csv(tmp_path / "b" / "stability.csv", index_col="measure")
    assert by_columns.loc["nogueira", "value"] > table.loc["nogueira", "value"] + 0.05
    pyfsagg(
        "stability one.csv --compare two.csv --paired --input scores --n-features-to-select 3 "
        "--measures nogueira --output c"
    )
    pair = json.loads((tmp_path / "c" / "run.json").read_text("utf-8"))["comparison"]
    assert pair["paired"] is True
    assert pair["test"]["degrees_of_freedom"] == 11
    assert "--paired belongs to --compare" in refused("stability one.csv --paired")


def test_lists_in_files_and_in_columns(pyfsagg, lists: list[str], tmp_path) -> None:
    done = pyfsagg("stability --n-features 9 --json --output a", *lists)
    found = json.loads(done.stdout)
    table = {row["measure"]: row["value"] for row in found["stability"]}
    assert table["nogueira"] == pytest.approx(nogueira(LISTS, n_features=9).estimate, rel=1e-12)
    pd.DataFrame({f"r{i}": names for i, names in enumerate(LISTS)}).to_csv(
        tmp_path / "columns.csv", index=False
    )
    again = pyfsagg("stability columns.csv --n-features 9 --json --output b")
    assert json.loads(again.stdout)["stability"] == found["stability"]
    assert json.loads(again.stdout)["data"]["sha256"] == found["data"]["sha256"]


def test_lists_are_cut_and_measures_that_need_p_are_left_out(pyfsagg, lists: list[str]) -> None:
    done = pyfsagg("stability --n-features-to-select 2 --json --quiet", *lists)
    assert done.stderr == ""
    table = {row["measure"]: row["value"] for row in json.loads(done.stdout)["stability"]}
    assert "nogueira" not in table
    expected = stability_table([names[:2] for names in LISTS])
    assert table["jaccard"] == pytest.approx(expected.loc["jaccard", "value"], rel=1e-12)


def test_two_runs_are_compared(pyfsagg, run: str, tmp_path) -> None:
    OTHER.save(tmp_path / "other")
    done = pyfsagg(f"stability {run} --compare other --n-features-to-select 4 --output out")
    test = nogueira(RUN.combined, n_features_to_select=4).compare(
        nogueira(OTHER.combined, n_features_to_select=4)
    )
    assert f"difference of the stability is {test.difference:.4f}" in " ".join(done.stdout.split())
    document = json.loads((tmp_path / "out" / "run.json").read_text())["comparison"]
    assert document["test"]["p_value"] == pytest.approx(test.p_value, rel=1e-9)
    assert "two-sided p =" in (tmp_path / "out" / "report.html").read_text()


def test_one_filter_of_a_run_and_a_similarity_matrix(pyfsagg, run: str, tmp_path) -> None:
    names = list(RUN.feature_names)
    block = np.arange(13) // 4
    values = np.where(np.equal.outer(block, block), 0.95, 0.1)
    np.fill_diagonal(values, 1.0)
    similarity = pd.DataFrame(values, names, names)
    similarity.iloc[::-1].to_csv(tmp_path / "similar.csv")
    done = pyfsagg(
        f"stability {run} --filter information_gain --similarity similar.csv "
        "--measures yu,jaccard --interval none --json --output out"
    )
    found = {row["measure"]: row for row in json.loads(done.stdout)["stability"]}
    expected = stability_table(RUN, ["yu"], similarity=similarity, interval=None, random_state=0)
    assert found["yu"]["value"] == pytest.approx(expected.loc["yu", "value"], rel=1e-12)
    assert found["jaccard"]["lower"] is None


BAD_FILES = {
    "missing.csv": "a,b,c\n0.1,,0.3\n0.2,0.4,0.1\n0.3,0.2,0.1\n",
    "words.csv": "a,b,c\n0.1,x,0.3\n0.2,y,0.1\n0.3,z,0.1\n",
    "good.csv": "a,b,c\n0.1,0.2,0.3\n0.2,0.4,0.1\n0.3,0.2,0.1\n",
    "others.csv": "a,b,d\n0.1,0.2,0.3\n0.2,0.4,0.1\n0.3,0.2,0.1\n",
    "wide.csv": "a,b,c,d\n0.1,0.2,0.3,0.4\n0.2,0.4,0.1,0.7\n",
    "full.csv": "a,b,c\n1,1,1\n1,1,1\n1,1,1\n",
    "empty_sets.csv": "a,b,c\n0,0,0\n0,0,0\n0,0,0\n",
    "oblong.csv": ",a,b,c\na,1,0.5,0\nb,0.5,1,0\n",
    "one.txt": "a\nb\n",
    "two.txt": "a\nc\n",
    "nothing.txt": "",
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("nowhere.csv", "no such file: nowhere.csv"),
        ("nothing.txt one.txt", "nothing"),
        ("one.txt", "--format lines"),
        ("missing.csv", "give missing scores a value"),
        ("words.csv --format matrix", "column 'b' of words.csv contains words"),
        ("empty_sets.csv --compare full.csv", "undefined when all subsets are empty"),
        ("one.txt two.txt --measures nogueira", "--n-features"),
        ("one.txt two.txt --n-features-to-select 0.5", "needs --n-features"),
        ("one.txt two.txt --sizes 1,2", "--sizes applies to scores or ranks"),
        ("one.txt two.txt --input ranks", "belongs to a matrix"),
        ("one.txt two.txt --filter ig", "--filter belongs to a saved run"),
        ("good.csv --n-features 7", "--n-features is 7, but the matrix has 3 columns"),
        ("good.csv --measures yu", "similarity"),
        ("good.csv --sizes 9", "each of --sizes"),
        ("good.csv --n-boot 1 --interval bootstrap", "--n-boot"),
        ("good.csv wide.csv --format matrix", "a matrix is one source"),
        ("good.csv --compare wide.csv", "has 3 features and wide.csv has 4"),
        ("good.csv --compare others.csv", "others.csv has the feature 'd'"),
        ("good.csv --similarity oblong.csv", "one row for each"),
        ("folder", "no saved result"),
        ("run --filter mrmr", "filter of this run"),
        ("good.csv --output taken", "not empty"),
        ("good.csv --interval guess", "unknown choice"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, tmp_path, arguments, message):
    for name, content in BAD_FILES.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "folder").mkdir()
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "precious").touch()
    RUN.save(tmp_path / "run")
    assert message in refused(f"stability {arguments}")


def test_undefined_measures_are_explained_and_not_fatal(pyfsagg, tmp_path) -> None:
    (tmp_path / "full.csv").write_text(BAD_FILES["full.csv"])
    done = pyfsagg("stability full.csv --measures nogueira,jaccard --output out")
    reason = "Nogueira: the stability measure 'nogueira' is undefined on these data"
    assert reason in " ".join(done.stdout.split())
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert document["stability"][0]["value"] is None
    assert document["stability"][1]["value"] == 1.0


def test_a_column_that_counts_the_rows_is_a_label(pyfsagg, tmp_path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((6, 5)), columns=list("abcde"))
    frame.to_csv(tmp_path / "plain.csv", index=False)
    frame.to_csv(tmp_path / "numbered.csv", index_label="fold")
    frame.assign(f=[1, 2, 3, 4, 5, 6]).to_csv(tmp_path / "feature.csv", index=False)
    plain, numbered, feature = (
        pyfsagg(f"stability {name}.csv --n-features-to-select 2 --json -o {name}")
        for name in ("plain", "numbered", "feature")
    )
    tables = [json.loads(done.stdout)["stability"] for done in (plain, numbered)]
    assert tables[0] == tables[1]
    assert "'fold' of numbered.csv numbers the rows and is read as their label" in numbered.stderr
    assert json.loads(feature.stdout)["data"]["n_features"] == 6


def test_features_in_rows(pyfsagg, tmp_path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((100, 4)), index=[f"g{i}" for i in range(100)])
    frame.add_prefix("run").to_csv(tmp_path / "tall.csv", index_label="gene")
    frame.T.to_csv(tmp_path / "wide.csv", index=False)
    done = pyfsagg("stability tall.csv --n-features-to-select 2 --json -o a")
    assert "if the rows are the features, give --transpose" in done.stderr
    tall, wide = (
        pyfsagg("stability tall.csv --transpose --json -o b"),
        pyfsagg("stability wide.csv --json -o c"),
    )
    assert "--transpose" not in tall.stderr
    assert json.loads(tall.stdout)["stability"] == json.loads(wide.stdout)["stability"]
    page = (tmp_path / "b" / "report.html").read_text(encoding="utf-8")
    assert "data = data.set_index(data.columns[0]).T" in page


def test_intervals_stay_in_the_range_of_their_measure(pyfsagg, tmp_path) -> None:
    rows = [[0.51, 0.95, 0.14, 0.95], [0.31, 0.42, 0.83, 0.41], [0.55, 0.03, 0.75, 0.54]]
    frame = pd.DataFrame(rows, columns=list("abcd"))
    frame.to_csv(tmp_path / "few.csv", index=False)
    pyfsagg("stability few.csv --n-features-to-select 1 -o out")
    found = pd.read_csv(tmp_path / "out" / "stability.csv", index_col="measure")
    for name, row in found.dropna(subset=["lower"]).iterrows():
        within = STABILITY_MEASURES.get(str(name)).within
        assert within(-np.inf, 3) <= row["lower"] <= row["upper"] <= within(np.inf, 3)
    assert found.loc["spearman", ["lower", "upper"]].tolist() == [-1.0, 1.0]
    assert found.loc["asd", "lower"] == 0.0


def test_words_beside_numbers_are_no_lists(pyfsagg, refused, tmp_path) -> None:
    (tmp_path / "mixed.csv").write_text("gene,fold,other\na,0.3,x\nb,0.2,y\nc,0.5,z\n")
    assert refused("stability mixed.csv -o out").startswith(
        "pyfsagg stability: mixed.csv contains words in 'gene' and 'other' and numbers in 'fold': it is "
    )
    pyfsagg("stability mixed.csv --format columns -o out --n-features 20")
    # A list that is empty is none of numbers.
    (tmp_path / "empty.csv").write_text("one,two,none\na,x,\nb,a,\n")
    assert "numbers in" not in pyfsagg("stability empty.csv -o other").stderr


def test_one_file_of_selections_needs_to_be_called_that(pyfsagg, refused, tmp_path) -> None:
    (tmp_path / "sel.txt").write_text("a,b,c\na,b\nb,c,a\n")
    said = refused("stability sel.txt --output no")
    assert "--format lines if each line is a selection" in said
    pyfsagg("stability sel.txt --format lines --n-features 9 --output out")
