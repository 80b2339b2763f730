"""``pyfsagg screen`` from the outside."""

import json

import numpy as np
import pandas as pd
import pytest

from pyfsagg import load_result, screen
from pyfsagg.exceptions import PyfsaggWarning

RNG = np.random.default_rng(5)
GENES = np.repeat([f"g{i}" for i in range(50)], 4)
SIGNED = RNG.standard_normal(200).round(3) - 3.0 * (np.arange(200) < 12)
TABLE = pd.DataFrame(
    {
        "guide": [f"s{i}" for i in range(200)],
        "gene": GENES,
        "z": SIGNED,
        "strength": np.abs(SIGNED),
        "lfc": SIGNED / 2,
        "p.low": RNG.random(200),
        "p.high": RNG.random(200),
    }
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "guides.tsv"
    TABLE.to_csv(path, index=False, sep="\t")
    return path


def test_screen_writes_everything(pyfsagg, table, tmp_path) -> None:
    done = pyfsagg("screen guides.tsv --item gene --score z --guide guide --lfc lfc --output out")
    assert done.stderr == ""
    files = "genes.csv guides.csv matrices.npz report.html run.json run.toml"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == files.split()
    expected = screen(SIGNED, GENES, guides=TABLE["guide"], log_fold_changes=TABLE["lfc"])
    again = load_result(tmp_path / "out")
    pd.testing.assert_frame_equal(again.to_frame(), expected.to_frame())
    assert "50 genes of 4 guides tested by α-RRA (null: guides)" in " ".join(done.stdout.split())
    assert "Depleted (low scores, α = 0.05): 2 genes" in done.stdout
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Screen: guides.tsv" in page


def test_the_code_of_the_report_makes_it_again(pyfsagg, table, tmp_path) -> None:
    (tmp_path / "controls.txt").write_text("g40\ng41\n")
    done = pyfsagg(
        "screen guides.tsv --item gene --score strength --sign lfc --lfc lfc --guide guide --p-low "
        "p.low --p-high p.high --control-genes controls.txt --ties last --min-guides 2 --fdr 0.1 "
        "--output out --quiet"
    )
    assert done.stdout == ""
    assert (
        "rests on 8 control guides: no gene with 4 guides can have a p-value below" in done.stderr
    )
    found = load_result(tmp_path / "out")
    assert found.controls.sum() == 8
    np.testing.assert_array_equal(found.scores, SIGNED)
    assert found.of_side("low").alpha == np.mean(TABLE["p.low"] <= 0.25)
    space: dict = {}
    with pytest.warns(PyfsaggWarning, match="rests on 8 control guides"):
        exec(found.repeat(), space)
    pd.testing.assert_frame_equal(space["result"].to_frame(), found.to_frame())


def test_the_columns_of_mageck_are_known(pyfsagg, refused, table, tmp_path) -> None:
    names = {"guide": "sgrna", "gene": "Gene", "strength": "score", "lfc": "LFC"}
    TABLE.drop(columns="z").rename(columns=names).to_csv(table, index=False, sep="\t")
    done = pyfsagg("screen guides.tsv --output short --quiet")
    assert done.stdout == done.stderr == ""
    flags = "--item Gene --score score --sign LFC --lfc LFC --guide sgrna --p-low p.low"
    pyfsagg(f"screen guides.tsv {flags} --p-high p.high --output long --quiet")
    short, long = (load_result(tmp_path / name) for name in ("short", "long"))
    pd.testing.assert_frame_equal(short.to_frame(), long.to_frame())
    np.testing.assert_array_equal(short.scores, SIGNED)
    pyfsagg("screen guides.tsv --side low --output low --quiet")
    assert load_result(tmp_path / "low").of_side("low").alpha == np.mean(TABLE["p.low"] <= 0.25)
    assert "a screen needs --score" in refused("screen guides.tsv --item Gene")


def test_screen_as_json_of_one_side(pyfsagg, table) -> None:
    done = pyfsagg("screen guides.tsv --item gene --score z --side low --alpha 0.1 --json --quiet")
    record = json.loads(done.stdout)
    assert list(record["sides"]) == ["low"]
    assert record["sides"]["low"]["alpha"] == 0.1
    assert record["best"]["low"][0]["low_rank"] == 1.0
    both = pyfsagg(
        "screen guides.tsv --item gene --score z --alpha 0.1,0.2 --null uniform --json --quiet"
    )
    assert json.loads(both.stdout)["sides"]["high"]["alpha"] == 0.2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--item Gene --score z", "unknown --item column 'Gene'; did you mean 'gene'?"),
        ("--item gene --score z --lfc x", "unknown --lfc column 'x'"),
        (
            "--item gene --score z --p-low p",
            "takes --p-low and --p-high together, got --p-low alone",
        ),
        ("--item gene --score z --side low --p-low p", "unknown --p-low column 'p'"),
        ("--item gene --score z --alpha two", "expected one number or two, got 'two'"),
        ("--item gene --score z --control-guides x1", "no guide of the screen is a control"),
        ("--item gene --score guide", "scores must be one number per guide"),
        ("--item gene --score z --guide gene", "the guide 'g0' of the gene 'g0' is given twice"),
        ("--item gene --score z --top 0", "--top must be a whole number of at least 1"),
        ("--item gene --score z --fdr 0", "--fdr must be a number above 0.0"),
        ("--score z", "a screen needs --item; the columns of the table are guide"),
    ],
)
def test_bad_flags_of_a_screen_are_refused_in_one_line(refused, table, flags, message) -> None:
    assert message in refused(f"screen guides.tsv {flags}")


def test_guides_without_a_score(pyfsagg, refused, table) -> None:
    TABLE.assign(z=TABLE["z"].where(TABLE.index != 4)).to_csv(table, index=False, sep="\t")
    said = refused("screen guides.tsv --item gene --score z --guide guide")
    assert "1 guide of 200 without a score, the first is 's4'" in said
    assert said.endswith("drop them with --drop-missing\n")
    done = pyfsagg("screen guides.tsv --item gene --score z --guide guide --drop-missing")
    assert "1 guide without a score omitted." in done.stdout


def test_a_score_without_a_sign_is_noticed(pyfsagg, table) -> None:
    done = pyfsagg("screen guides.tsv --item gene --score strength --lfc lfc --quiet")
    assert "no score is below 0 although log fold changes are" in done.stderr
    assert done.stderr.endswith("the sign of the log fold change: --sign COLUMN\n")


def test_replicates_weights_and_named_genes(pyfsagg, table) -> None:
    twice = pd.concat([TABLE, TABLE.iloc[[0]].assign(gene="g49")], ignore_index=True)
    twice["b"], twice["w"] = -twice["strength"], 0.2 + np.arange(201) % 7
    twice.to_csv(table, index=False, sep="\t")
    flags = "--item gene --guide guide --score z --replicates b --weight w --null uniform"
    pyfsagg(f"screen guides.tsv {flags} --shared-guides each --genes g3,g49 --output out")
    found = load_result(table.parent / "out")
    same = screen(
        twice["z"].to_numpy(),
        twice["gene"],
        guides=twice["guide"],
        replicates=[twice["b"]],
        guide_weights=twice["w"],
        shared_guides="each",
        null="uniform",
    )
    np.testing.assert_array_equal(found.of_side("low").p_values, same.of_side("low").p_values)
    page = (table.parent / "out" / "report.html").read_text(encoding="utf-8")
    assert "Guides of named genes" in page
    assert "replicates=[replicates]" in page
