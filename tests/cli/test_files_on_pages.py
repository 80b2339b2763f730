"""Every command says on its page, and in its record, which files were read: name and SHA-256."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

RNG = np.random.default_rng(0)


def section(page: str, name: str) -> str:
    return page.split(f'<div id="{name}" class="folded">')[1].split("</details>")[0]


@pytest.fixture
def files(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("\n".join(RNG.permutation(list("uvwxyz"))) + "\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("z\nu\nv\n")
    (tmp_path / "pool.txt").write_text("u\nv\n")
    (tmp_path / "weights.csv").write_text("a,1\nb,2\npool,1\n")
    scores = pd.DataFrame(RNG.random((6, 5)), columns=list("vwxyz"))
    scores.to_csv(tmp_path / "scores.csv", index=False)
    scores[::-1].to_csv(tmp_path / "second.csv", index=False)
    scores.corr().abs().to_csv(tmp_path / "alike.csv")
    guides = {"gene": np.repeat([f"g{i}" for i in range(9)], 3), "score": RNG.normal(size=27)}
    guide_names = [f"s{i}" for i in range(27)]
    pd.DataFrame(guides).assign(guide=guide_names).to_csv(tmp_path / "guides.csv", index=False)
    (tmp_path / "controls.txt").write_text("\n".join(guide_names[:6]))
    frame = pd.DataFrame(RNG.normal(size=(12, 4)), columns=list("wxyz"))
    (tmp_path / "pieces").mkdir()
    frame.assign(kind=["u", "v"] * 6).to_parquet(tmp_path / "pieces" / "1.parquet", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ("aggregate scores.csv --format columns", ["scores.csv"]),
        ("aggregate a.txt b.txt", ["a.txt", "b.txt"]),
        (
            "aggregate a.txt b.txt --unranked pool.txt --list-weights weights.csv",
            ["a.txt", "b.txt", "pool.txt", "weights.csv"],
        ),
        ("aggregate a.txt b.txt --list-weights 1,2", ["a.txt", "b.txt"]),
        ("aggregate a.txt other/a.txt", ["a.txt", "other/a.txt"]),
        ("aggregate guides.csv --item gene --member-score score", ["guides.csv"]),
        ("agreement a.txt b.txt", ["a.txt", "b.txt"]),
        ("screen guides.csv --item gene --score score", ["guides.csv"]),
        (
            "screen guides.csv --item gene --score score --guide guide --control-guides controls.txt",
            ["guides.csv", "controls.txt"],
        ),
        ("stability scores.csv --n-boot 20", ["scores.csv"]),
        (
            "stability scores.csv --n-boot 20 --compare second.csv --similarity alike.csv",
            ["scores.csv", "second.csv", "alike.csv"],
        ),
        ("stability a.txt b.txt --n-boot 20 --n-features 6", ["a.txt", "b.txt"]),
        ("vote a.txt", ["a.txt"]),
    ],
)
def test_files_are_named_with_their_hashes(pyfsagg, files, line, read):
    pyfsagg(f"{line} --output out")
    hashes = {name: hashlib.sha256((files / name).read_bytes()).hexdigest() for name in read}
    found = json.loads((files / "out" / "run.json").read_text())["view"]["read"]
    if len(read) == 1:
        assert found == {"file": read[0], "sha256": hashes[read[0]]}
    else:
        assert found == {"files": hashes}
    text = (files / "out" / "report.html").read_text()
    assert "if sha256sum prints the SHA-256" in section(text, "repeat")
    for name, digest in hashes.items():
        assert name in section(text, "source")
        assert digest in section(text, "source")
    pyfsagg("report out --output again.html")
    assert (files / "again.html").read_text() == text


def test_standard_input_and_folders_have_no_hash(pyfsagg, files) -> None:
    pyfsagg("vote - --output voted", stdin="x,y\nz\n")
    said = section((files / "voted" / "report.html").read_text(), "source")
    assert "standard input" in said
    assert "none: it is read once" in said
    pyfsagg("rank pieces --target kind --n-resamples 3 --output ranked")
    pyfsagg("stability ranked --n-boot 20 --output stable")
    for folder, name in (("ranked", "pieces"), ("stable", "ranked")):
        read = json.loads((files / folder / "run.json").read_text())["view"]["read"]
        assert (read["file"], read["sha256"]) == (name, "none: a folder")


def test_a_page_names_a_hundred_files_and_the_record_all(pyfsagg, files) -> None:
    for i in range(103):
        (files / f"list{i}.txt").write_text("u\nv\nw\n")
    pyfsagg(
        "aggregate " + " ".join(f"list{i}.txt" for i in range(103)) + " --method mean_rank -o out"
    )
    read = json.loads((files / "out" / "run.json").read_text())["view"]["read"]
    assert len(read["files"]) == 103
    said = section((files / "out" / "report.html").read_text(), "source")
    assert "list99.txt" in said
    assert "list100.txt" not in said
    assert "3; run.json has them all" in said
