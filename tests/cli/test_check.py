"""`pyfsagg check`, and what the other commands say of a table that they read."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from scipy import sparse

RANK = "--filter ig --n-resamples 10 --seed 2 --output out"


@pytest.fixture
def wine(tmp_path) -> pd.DataFrame:
    bunch = sklearn.datasets.load_wine(as_frame=True)
    frame = bunch.data.rename(columns={"od280/od315_of_diluted_wines": "od280"})
    frame["kind"] = np.array(["Barolo", "Grignolino", "Barbera"])[bunch.target]
    return frame


def test_check_prints_findings_with_remedies(pyfsagg, wine: pd.DataFrame, tmp_path) -> None:
    wine.to_csv(tmp_path / "good.csv", index=False, sep=";", decimal=",")
    done = pyfsagg("check good.csv --target kind")
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "read: cells are separated by semicolons",
        "read: decimal commas were found",
        "178 samples, 13 features: 13 numeric",
        "missing cells: 0",
        "classes: Barbera: 48, Barolo: 59 and Grignolino: 71",
        "no problems found",
    ]
    wine.assign(nr=range(178), flat=1).to_csv(tmp_path / "bad.csv", index=False)
    done = pyfsagg("check bad.csv --target kind", code=1)
    assert "stop: [row_number] a row number: 'nr'; drop it: --drop nr" in done.stdout
    assert "warning: [constant] constant or empty: 'flat'" in done.stdout
    record = json.loads(pyfsagg("check bad.csv --target kind --json", code=1).stdout)
    assert [each["code"] for each in record["findings"]] == ["row_number", "constant"]
    assert record["sep"] == ","


def test_remedies_are_what_one_types(pyfsagg, wine: pd.DataFrame, tmp_path) -> None:
    """Names of columns are quoted as the shell needs it."""
    words = {f"CRP {i}": ["n.d.", "<5", *map(str, range(176))] for i in range(6)}
    wine.assign(**words).to_csv(tmp_path / "t.csv", index=False)
    many = pyfsagg("check t.csv --target kind", code=1).stdout
    assert "if there is a code for missing values, name it: --missing=CODE; or drop them: " in many
    assert f"--drop '{','.join(words)}'\n" in many
    others = ",".join(list(words)[1:])
    told = pyfsagg("check t.csv --target kind --drop", others, code=1).stdout
    assert "drop it: --drop 'CRP 0'\n" in told
    stops = pd.DataFrame({"nr": range(178), "note": [f"no. {i} of all" for i in range(178)]})
    pd.concat([wine, stops], axis=1).to_csv(tmp_path / "s.csv", index=False)
    refused = pyfsagg("rank s.csv --target kind", code=2).stderr
    assert "; or all at once, drop them: --drop note,nr; to accept it: --accept" in refused
    copies = {f"copy {i}": wine["ash"] for i in range(13)}
    wine.assign(**copies).to_csv(tmp_path / "c.csv", index=False)
    told = pyfsagg("check c.csv --target kind").stdout
    assert "drop these 13 columns by --drop (check --json has their names)" in told
    visits = pd.DataFrame({"my patient": np.arange(120) // 3, "a": np.arange(120) % 7 * 1.5})
    kind = np.where(visits["my patient"] % 2, "x", "y")
    visits.assign(kind=kind).to_csv(tmp_path / "v.csv", index=False)
    remedy = "if so, --groups 'my patient' of rank and evaluate keeps them together; or drop it: "
    told = pyfsagg("check v.csv --target kind --json", code=1).stdout
    assert json.loads(told)["findings"][0]["remedy"] == f"{remedy}--drop 'my patient'"
    accepted = f"{remedy}--drop 'my patient'; to accept it: --accept repeated_subject\n"
    assert accepted in pyfsagg("rank v.csv --target kind", code=2).stderr


def test_a_run_stops_unless_told_to_go_on(pyfsagg, wine: pd.DataFrame, tmp_path) -> None:
    wine.assign(nr=range(178)).to_csv(tmp_path / "t.csv", index=False)
    for command in ("rank", "influence", "evaluate", "order", "unsupervised"):
        done = pyfsagg(f"{command} t.csv --target kind", code=2)
        assert done.stderr.count("\n") == 1
        assert "--drop nr; to accept it: --accept row_number" in done.stderr
    flags = ("--drop nr", "--exclude nr", "--id nr", "--accept row_number", "--accept all")
    for number, flag in enumerate(flags):
        run = "--filter ig --n-resamples 5 --quiet"
        done = pyfsagg(f"rank t.csv --target kind {flag} {run} --output {number}")
        assert done.stderr == ""
        ranked = pd.read_csv(tmp_path / str(number) / "ranking.csv")["feature"].tolist()
        assert ("nr" in ranked) == ("accept" in flag)
    done = pyfsagg("rank t.csv --target kind --accept nr", code=2)
    assert "unknown finding 'nr' to accept; known are: identifier, row_number" in done.stderr


def test_what_was_read_is_said_recorded_and_repeated(pyfsagg, wine, tmp_path):
    frame = wine.assign(
        flat=3, alcohol=[f"{value} %".replace(".", ",") for value in wine["alcohol"]]
    )
    frame["hue"] = frame["hue"].mask(frame.index == 3, -999)
    frame.to_csv(tmp_path / "t.csv", index=False, sep=";", decimal=",")
    done = pyfsagg(f"rank t.csv --target kind --missing=-999 --drop ash {RANK}")
    for line in (
        "read: 178 samples, 13 features: 12 numeric and 1 integer",
        "read: missing cells: 1 (0.04%)",
        "read: cells are separated by semicolons",
        "read: read as numbers (unit %): alcohol",
        "check: [constant] constant or empty: 'flat'",
    ):
        assert line.replace(" and ", ", ") in done.stderr.replace(" and ", ", ")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    read = record["view"]["read"]
    assert (read["file"], read["sep"], read["decimal"]) == ("t.csv", ";", ",")
    assert read["n_missing"] == 1
    page = (tmp_path / "out" / "report.html").read_text()
    assert "What was read" in page
    assert read["sha256"] in page
    reading = record["view"]["reading"]
    assert (
        reading[0]
        == "data = pyfsagg.datasets.read_table('t.csv', missing=('-999',), drop=('ash',))"
    )
    names: dict[str, object] = {}
    exec("import pyfsagg\n" + "\n".join(reading), names)
    from pyfsagg.extending import as_table, check_target, data_hash

    again = data_hash(as_table(names["X"]), check_target(names["y"], 178))
    assert again == record["data"]["sha256"]
    # The same bits as from the plain file.
    plain = wine.drop(columns="ash").assign(flat=3, hue=frame["hue"].replace(-999, np.nan))
    plain.to_csv(tmp_path / "plain.csv", index=False)
    pyfsagg("rank plain.csv --target kind --filter ig --n-resamples 10 --seed 2 --output plain")
    other = json.loads((tmp_path / "plain" / "run.json").read_text())
    assert other["data"]["sha256"] == again
    ranking = (tmp_path / "out" / "ranking.csv").read_bytes()
    assert ranking == (tmp_path / "plain" / "ranking.csv").read_bytes()


def test_rows_without_a_target(pyfsagg, wine: pd.DataFrame, tmp_path) -> None:
    wine.assign(kind=wine["kind"].mask(wine.index < 2)).to_csv(tmp_path / "t.csv", index=False)
    done = pyfsagg(f"rank t.csv --target kind {RANK}", code=2)
    assert "the target 'kind' is missing (NaN) in 2 of 178 rows" in done.stderr
    done = pyfsagg(f"rank t.csv --target kind --accept missing_target {RANK}")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["n_samples"] == 176
    assert "data = data[data['kind'].notna()]" in record["view"]["reading"]


def test_genes_in_rows_and_labels_in_a_second_file(pyfsagg, tmp_path) -> None:
    rng = np.random.default_rng(0)
    samples = [f"s{i}" for i in range(30)]
    kinds = pd.DataFrame({"tumour": ["yes", "no"] * 15}, index=samples)
    genes = pd.DataFrame(rng.normal(size=(40, 30)), columns=samples).add_prefix("")
    genes.index = [f"g{j}" for j in range(40)]
    genes.loc["g7"] += 3.0 * (kinds["tumour"] == "yes").to_numpy()
    genes.to_csv(tmp_path / "genes.tsv", sep="\t")
    kinds.sample(frac=1, random_state=1).to_csv(tmp_path / "samples.csv")
    done = pyfsagg(f"rank genes.tsv --transpose --labels samples.csv --target tumour {RANK}")
    assert "samples.csv was joined by the names of the samples" in done.stderr
    assert pd.read_csv(tmp_path / "out" / "ranking.csv")["feature"][0] == "g7"


def test_settings_of_files_are_refused_elsewhere(pyfsagg, tmp_path) -> None:
    (tmp_path / "t.csv").write_text("a,b,kind\n1,2,x\n3,4,y\n")
    for flags, message in (
        ("--sep ab", "sep must be one character"),
        ("--decimal x", "decimal must be '.' or ','"),
        ("--sheet 2", "sheet needs a workbook"),
        ("--id kind", "cannot be both the target and omitted"),
        ("--labels none.csv", "no such file: none.csv"),
    ):
        done = pyfsagg(f"rank t.csv --target kind {flags}", code=2)
        assert message in done.stderr
        assert done.stderr.count("\n") == 1
    (tmp_path / "t.svm").write_text("1 1:2\n2 2:3\n")
    done = pyfsagg("rank t.svm --filters ig,su --decimal ,", code=2)
    assert "--decimal has no meaning here: t.svm is a sparse table" in done.stderr


def test_sparse_tables_are_looked_through(pyfsagg, tmp_path) -> None:
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 8)) < 0.5, rng.normal(size=(40, 8)), 0.0)
    kinds = np.where(np.arange(40) % 2, "a", "b").astype(object)
    sparse.save_npz(tmp_path / "good.npz", sparse.csr_matrix(X))
    pd.Series(kinds, name="target").to_csv(tmp_path / "good.target.csv", index=False)
    assert pyfsagg("check good.npz").stdout.splitlines() == [
        "40 samples, 8 features: 8 numeric",
        "missing cells: 0",
        "classes: a: 20 and b: 20",
        "no problems found",
    ]
    X[:, 2], X[:, 5] = np.arange(40) % 2, 0.0
    kinds[7] = None
    sparse.save_npz(tmp_path / "bad.npz", sparse.csr_matrix(X))
    pd.Series(kinds, name="target").to_csv(tmp_path / "bad.target.csv")
    done = pyfsagg("check bad.npz --json", code=1)
    record = json.loads(done.stdout)
    assert record["file"] == "bad.npz"
    assert {each["code"] for each in record["findings"]} == {
        "near_copy", "constant", "missing_target"
    }  # fmt: skip
    refused = pyfsagg(f"rank bad.npz {RANK}", code=2)
    assert "to accept it: --accept missing_target" in refused.stderr
    done = pyfsagg(f"rank bad.npz {RANK} --accept missing_target")
    assert (
        "check: [constant] constant or empty: 'x5'; it carries no information; drop it from the file"
        in (done.stderr)
    )
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["data"]["n_samples"] == 39
    digest = hashlib.sha256((tmp_path / "bad.npz").read_bytes()).hexdigest()
    assert record["view"]["read"]["sha256"] == digest
    assert digest in (tmp_path / "out" / "report.html").read_text()
    names: dict[str, object] = {}
    exec("\n".join(record["view"]["reading"]), names)
    assert names["X"].shape == (39, 8)
    assert "--target names columns" in pyfsagg("check bad.npz --target x1", code=2).stderr


def test_packed_files_have_the_hash_of_sha256sum(pyfsagg, wine, tmp_path):
    wine.to_csv(tmp_path / "t.csv.gz", index=False)
    record = json.loads(pyfsagg("check t.csv.gz --target kind --json").stdout)
    assert record["sha256"] == hashlib.sha256((tmp_path / "t.csv.gz").read_bytes()).hexdigest()


def test_other_spellings_of_the_target_are_copies(pyfsagg, wine, tmp_path):
    loud = wine["kind"].str.upper()
    mixed = loud.where(wine.index % 2 == 0, wine["kind"] + " ")
    other = wine["kind"].where(wine.index > 1, "Barbera")
    wine.assign(loud=loud, mixed=mixed, other=other).to_csv(tmp_path / "t.csv", index=False)
    done = pyfsagg("check t.csv --target kind", code=1)
    assert "stop: [target_copy] a copy of the target: 'loud' and 'mixed'; drop" in done.stdout
    assert "warning: [near_copy] nearly a copy of the target: 'other'" in done.stdout


def test_a_data_set_is_checked_by_its_name(pyfsagg) -> None:
    assert "178 samples, 13 features" in pyfsagg("check wine").stdout


def test_genes_in_rows_are_pointed_out(pyfsagg, tmp_path) -> None:
    text = "gene,symbol,s1,s2,s3,s4,s5,s6\n" + "".join(f"g{i},x{i},1,2,3,4,5,6\n" for i in range(9))
    (tmp_path / "genes.csv").write_text(text)
    told = pyfsagg("check genes.csv --target group", code=2).stderr
    assert "say --transpose, and --labels FILE" in told


def test_what_the_terminal_says_of_codes(pyfsagg, tmp_path) -> None:
    rows = "".join(f"{1 + i % 40},{i % 3},{(7 * i) % 11},{(3 * i) % 13}\n" for i in range(80))
    (tmp_path / "pbc.csv").write_text("time,status,a,b\n" + rows)
    told = pyfsagg("check pbc.csv --target time --event status", code=1).stdout
    assert "name the value that is the event: --event status=VALUE" in told
    assert "events: 26" in pyfsagg("check pbc.csv --target time --event status=2").stdout
    rows = "".join(f"{'ab'[i % 2]},{'<5' if i % 7 else i + 5},{i % 9}.5\n" for i in range(40))
    (tmp_path / "lod.csv").write_text("class,crp,x\n" + rows)
    told = pyfsagg("check lod.csv --target class", code=1).stdout
    assert "replace lower limits by their half: --limits half" in told
    assert (
        "limits of detection: half" in pyfsagg("check lod.csv --target class --limits half").stdout
    )
