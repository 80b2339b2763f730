"""``pyfsagg aggregate`` from the outside."""

import gzip
import html
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from html_pages import Page

from pyfsagg.aggregation import aggregate, permutation_p_values
from pyfsagg.exceptions import PyfsaggWarning
from pyfsagg.ranks import Rankings

FILES = ["aggregation.csv", "matrices.npz", "report.html", "run.json", "run.toml"]


def make_lists(m: int = 6, p: int = 40) -> dict[str, list[str]]:
    rng = np.random.default_rng(4)
    return {
        f"screen {i}": [
            f"gene {j}" for j in np.argsort(np.arange(p) + 5 * rng.standard_normal(p))[: 15 + i]
        ]
        for i in range(m)
    }


@pytest.fixture
def lists(tmp_path) -> dict[str, list[str]]:
    """Six lists of different length in files of three kinds."""
    made = make_lists()
    for i, (label, names) in enumerate(made.items()):
        text = ("\r\n" if i % 2 else "\n").join([*names, "", ""])
        if i == 5:
            (tmp_path / f"{label}.txt.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (tmp_path / f"{label}.txt").write_bytes(text.encode())
    return made


def paths(lists: dict[str, list[str]]) -> list[str]:
    return [f"{label}.txt" + (".gz" if i == 5 else "") for i, label in enumerate(lists)]


def test_files_of_names(pyfsagg: Any, lists: Any, tmp_path) -> None:
    done = pyfsagg(
        f"aggregate {shlex.join(paths(lists))} --universe 100 --exact --p-adjust holm --top 5 "
        "--output out"
    )
    assert done.stderr.startswith(
        "pyfsagg: warning: the p-values assume independent lists from 100"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == FILES
    table = Rankings.from_lists(lists, universe=100)
    with pytest.warns(PyfsaggWarning, match="repeat far more items"):
        expected = aggregate(table, "rra", exact=True, p_adjust="holm").to_frame()
    found = pd.read_csv(tmp_path / "out" / "aggregation.csv", index_col="item")
    assert found.index.tolist() == expected.index.tolist()
    np.testing.assert_allclose(found[expected.columns], expected, rtol=1e-12)
    assert "Results are in out/" in done.stdout
    shown = done.stdout.split("The best 5.")[1].split("The p-values")[0]
    assert re.findall(r"gene \d+", shown) == expected.index[:5].tolist()
    assert "The p-values assume independent lists" in done.stdout
    said = "adjusted over all 100 items that could have been listed"
    assert said in " ".join(done.stdout.split())
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["adjusted_over"] == 100
    assert said in " ".join(record["sentences"])
    page = Page((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    for part in (
        "6 lists of 15 to 20 items (out of a universe of 100): ",
        "Lists from one data set (bootstraps",
        said,
        "Permutation p-values can respect the dependence: with sources",
        "pyfsagg aggregate 'screen 0.txt'",
        "Kolde",
    ):
        assert part in page.words
    rows = [cells for kind, cells in page.rows if kind == "selected"]
    assert [cells[1] for cells in rows] == expected.index[:5].tolist()


def test_report_code_gives_the_same_result(command: Any, lists: Any, tmp_path) -> None:
    flags = "--universe 100 --exact --permutations 30 --sources a,a,b,b,c,c --methods rra,stuart"
    command(f"aggregate {flags} --output o --quiet", *paths(lists))
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    snippet = html.unescape(re.findall(r"<code>(import pyfsagg.*?)</code>", page, re.DOTALL)[0])
    space: dict[str, Any] = {}
    with pytest.warns(PyfsaggWarning, match="repeat far more items"):
        exec(snippet, space)
    frame = pd.read_csv(tmp_path / "o" / "aggregation.csv", index_col="item")
    np.testing.assert_allclose(frame["score"], space["result"].to_frame()["score"], rtol=1e-12)
    np.testing.assert_allclose(
        frame["permutation_p_value"], space["test"].to_frame()["p_value"][frame.index], rtol=1e-12
    )
    compared = pd.read_csv(tmp_path / "o" / "comparison.csv", index_col="item")
    np.testing.assert_allclose(compared, space["comparison"].to_frame())


def test_matrix_on_standard_input(pyfsagg: Any, tmp_path) -> None:
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.random((12, 4)).round(1), columns=list("abcd"))
    scores.insert(0, "id", [f"x {j}" for j in range(12)])
    scores.insert(0, "entrez", range(100, 112))
    scores.loc[3, "b"] = np.nan
    options = "--ids entrez --lower-is-better --ties min"
    text = scores.drop(columns="id").to_csv(index=False, sep="\t")
    done = pyfsagg(f"aggregate - {options} --json --quiet", stdin=text)
    assert done.stderr == ""
    document = json.loads(done.stdout)
    record = json.loads((tmp_path / "pyfsagg-aggregate" / "run.json").read_text())
    assert {**document, "arrays": record["arrays"], "files": record["files"]} == record
    values = scores.set_index(scores["entrez"].astype(str))[list("abcd")].T
    table = Rankings.from_scores(values, False, ties="min", absent="worst")
    expected = aggregate(table, "rra").to_frame()
    assert [item["item"] for item in document["items"]] == expected.index.tolist()
    found = [item["score"] for item in document["items"]]
    np.testing.assert_allclose(found, expected["score"], rtol=1e-12)
    assert document["sentences"][-1].startswith("The p-values assume")
    assert document["lists"][1]["items"] == 11


def test_several_methods(pyfsagg: Any, lists: Any, tmp_path) -> None:
    done = pyfsagg(
        "aggregate --methods stuart,borda,mc4 --param mc4.damping=0.2 --top 4 --output out",
        *paths(lists),
    )
    assert done.stderr == ""
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(
        [*FILES, "comparison.csv"]
    )
    assert "In common with stuart" in done.stdout
    table = Rankings.from_lists(lists)
    frame = pd.read_csv(tmp_path / "out" / "comparison.csv", index_col="item")
    for method, params in (("stuart", {}), ("borda", {}), ("mc4", {"damping": 0.2})):
        expected = aggregate(table, method, **params).to_frame()["rank"]
        assert frame[method].to_dict() == expected.to_dict()
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert document["comparison"]["overlap"]["stuart"]["stuart"] == 4
    assert -1 <= document["comparison"]["kendall"]["stuart"]["mc4"] < 1
    assert not any("p-values" in sentence for sentence in document["sentences"])
    page = Page((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert page.tags.count("svg") == 5
    ids = page.values("id")
    assert len(ids) == len(set(ids)), "identifiers of the pictures collide"


def test_permutations_keep_sources_together(command: Any, lists: Any, tmp_path) -> None:
    sources = ["x", "x", "x", "y", "y", "y"]
    flags = f"--method mean_rank --permutations 25 --sources {','.join(sources)} --seed 7"
    out, _ = command(f"aggregate {flags} --output o", *paths(lists))
    assert "Permutation p" in out
    frame = pd.read_csv(tmp_path / "o" / "aggregation.csv", index_col="item")
    expected = permutation_p_values(
        Rankings.from_lists(lists), "mean_rank", groups=sources, n_permutations=25, random_state=7
    ).to_frame()
    np.testing.assert_allclose(
        frame["permutation_p_value"], expected["p_value"][frame.index], rtol=1e-12
    )
    assert "come from 25 tables" in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")


def test_full_lists_and_no_adjustment(command: Any, lists: Any, tmp_path) -> None:
    out, _ = command("aggregate --absent unknown --p-adjust none --output o", *paths(lists))
    assert "adjusted" not in out
    record = json.loads((tmp_path / "o" / "run.json").read_text(encoding="utf-8"))
    assert (record["adjusted_over"], record["remarks"]) == (None, [])
    frame = pd.read_csv(tmp_path / "o" / "aggregation.csv", index_col="item")
    assert "adjusted_p_value" not in frame
    expected = aggregate(Rankings.from_lists(lists, absent="unknown"), "rra").to_frame()
    np.testing.assert_allclose(frame["p_value"], expected["p_value"], rtol=1e-12)
    assert "Adjusted p" not in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")


def test_lists_in_columns_and_lines(command: Any, lists: Any, tmp_path) -> None:
    columns = pd.DataFrame({label: pd.Series(names) for label, names in lists.items()})
    columns.to_csv(tmp_path / "columns.csv", index=False)
    lines = "\n".join("\t".join(names) for names in lists.values())
    (tmp_path / "lines.txt").write_text(lines + "\n")
    documents = []
    for file, kind in (("columns.csv", "columns"), ("lines.txt", "lines")):
        out, err = command(f"aggregate {file} --format {kind} --json --output {kind}")
        assert err == ""
        documents.append(json.loads(out))
    assert documents[0]["items"] == documents[1]["items"]
    expected = aggregate(Rankings.from_lists(lists), "rra").to_frame()
    assert [item["item"] for item in documents[0]["items"]] == expected.index.tolist()


def test_report_of_many_files_stays_short(command: Any, tmp_path, monkeypatch: Any) -> None:
    files = [f"list {i}.txt" for i in range(31)]
    for i, file in enumerate(files):
        (tmp_path / file).write_text("a\nb\nc\n" if i % 3 else "b\na\nc\n")
    out, _ = command("aggregate --output out --json", *files)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "and 19 more" in Page(page).words
    snippet = html.unescape(re.findall(r"<code>(import pyfsagg.*?)</code>", page, re.DOTALL)[0])
    (tmp_path / "run.json").write_bytes((tmp_path / "out" / "run.json").read_bytes())
    space: dict[str, Any] = {}
    exec(snippet, space)
    assert space["files"] == files
    assert space["result"].select(3) == [item["item"] for item in json.loads(out)["items"]]


@pytest.mark.parametrize("given", ["file", "numbers"])
def test_weights_of_lists(command: Any, lists: Any, tmp_path, given: str) -> None:
    weights = [3.0, 1.0, 1.0, 1.0, 2.0, 1.0]
    text = "list,weight\n" + "".join(
        f"{name},{weight:g}\n" for name, weight in reversed(list(zip(lists, weights, strict=True)))
    )
    (tmp_path / "weights.csv").write_text(text)
    flag = "weights.csv" if given == "file" else "3,1,1,1,2,1"
    _, err = command("aggregate --method mean_rank --list-weights", flag, *paths(lists))
    assert err == ""
    expected = aggregate(Rankings.from_lists(lists), "mean_rank", list_weights=weights)
    found = pd.read_csv(tmp_path / "pyfsagg-aggregate" / "aggregation.csv", index_col="item")
    assert found["statistic"].to_dict() == pytest.approx(
        dict(zip(expected.names, expected.statistic, strict=True))
    )
    record = json.loads((tmp_path / "pyfsagg-aggregate" / "run.json").read_text())
    assert record["parameters"]["weights"] == weights
    assert [each["weight"] for each in record["lists"]] == weights
    page = (tmp_path / "pyfsagg-aggregate" / "report.html").read_text(encoding="utf-8")
    assert "table.weighted(" in html.unescape(page)


def test_unranked_lists(command: Any, lists: Any, tmp_path) -> None:
    ranked, loose = paths(lists)[:4], paths(lists)[4:]
    _, err = command("aggregate --methods maic,votes --universe 100", *ranked, "--unranked", *loose)
    assert err == ""
    names = list(lists)
    table = Rankings.from_lists(
        {name: lists[name] for name in names[:4]},
        100,
        unranked={name: lists[name] for name in names[4:]},
    )
    expected = aggregate(table, "maic")
    found = pd.read_csv(tmp_path / "pyfsagg-aggregate" / "aggregation.csv", index_col="item")
    assert found["statistic"].to_dict() == pytest.approx(
        dict(zip(expected.names, expected.statistic, strict=True))
    )
    page = (tmp_path / "pyfsagg-aggregate" / "report.html").read_text(encoding="utf-8")
    assert "unranked=unranked" in html.unescape(page)


@pytest.mark.parametrize(("n", "turned", "told"), [(12, 11, True), (12, 10, False), (9, 9, False)])
def test_list_is_suspicious_from_ten_items_on_and_below_a_correlation(
    pyfsagg: Any, tmp_path: Path, n: int, turned: int, told: bool
) -> None:
    """With its first `turned` items in reverse order, a list of 12 has a correlation of −0.15 or −0.54."""
    names = [f"g{j:02}" for j in range(n)]
    other = [*names[:turned][::-1], *names[turned:]]
    correlation = 1 - 6 * sum((other.index(g) - j) ** 2 for j, g in enumerate(names)) / (n**3 - n)
    assert (correlation < -0.5) == (told or n == 9)
    for label in "abcd":
        (tmp_path / f"{label}.txt").write_text("\n".join(other if label == "d" else names))
    done = pyfsagg("aggregate a.txt b.txt c.txt d.txt --method mean_rank --quiet --best-first")
    assert ("'d'" in done.stderr) == told


def test_list_that_is_worst_first_is_noticed(pyfsagg: Any, tmp_path) -> None:
    names = [f"g{j:02}" for j in range(30)]
    for label in "abcd":
        order = names[::-1] if label == "d" else names
        (tmp_path / f"{label}.txt").write_text("\n".join(order))
    done = pyfsagg("aggregate a.txt b.txt c.txt d.txt --method mean_rank --quiet --best-first")
    assert done.stderr == (
        "pyfsagg: warning: the list 'd' runs against the result (Spearman -1.00); make sure that "
        "it is best first\n"
    )
    scores = pd.DataFrame({"g": names, **{c: np.arange(30.0) for c in "abcd"}})
    scores["d"] = -scores["d"]
    scores.to_csv(tmp_path / "m.csv", index=False)
    done = pyfsagg("aggregate m.csv --scores --reverse d --quiet --output reversed")
    assert done.stderr == ""


def test_unreadable_names_do_not_steer_the_terminal(command: Any, tmp_path) -> None:
    (tmp_path / "a.txt").write_text("\x1b[31mred\nblue\n")
    (tmp_path / "b.txt").write_text("blue\n\x1b[31mred\n")
    out, _ = command("aggregate a.txt b.txt")
    assert "\x1b" not in out
    page = (tmp_path / "pyfsagg-aggregate" / "report.html").read_text(encoding="utf-8")
    assert "\x1b" not in page


BAD_FILES = {
    "a.txt": "x\ny\nz\n",
    "b.txt": "y\nx\n",
    "c.txt": "u\nv\n",
    "ranks.csv": "g,l,r\nx,1,2\ny,2,1\n",
    "scores.csv": "g,l,r\nx,0.5,-0.1\ny,0.2,0.4\n",
    "words.csv": "g,l,r\nx,low,1\ny,high,2\n",
    "half.csv": "list,weight\na,2\n",
    "other.csv": "list,weight\na,2\nb,1\nc,1\n",
}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("a.txt absent.txt", "no such file: absent.txt"),
        ("a.txt a.txt", "named twice"),
        ("ranks.csv --ids id", "unknown ids column"),
        ("ranks.csv a.txt", "must be the only file"),
        ("a.txt b.txt --universe 9,9,9", "one per list (2), got 3"),
        ("a.txt b.txt --universe many", "expected whole numbers"),
        ("a.txt b.txt --cutoff 0.1", "beyond its --cutoff"),
        ("a.txt b.txt --cutoff 0.1 --method borda", "--cutoff belongs to"),
        ("a.txt b.txt --exact --method borda", "--exact belongs to"),
        ("a.txt b.txt --methods rra", "at least two methods"),
        ("a.txt b.txt --methods rra,rra", "named twice"),
        ("a.txt b.txt --method rra --methods rra,borda", "one of the two"),
        ("a.txt b.txt --method am", "combines scores: give a matrix with --scores"),
        ("a.txt b.txt --param borda.ties=half", "--param is given for borda"),
        ("a.txt b.txt --param damping=0.1", "has no option 'damping'"),
        ("a.txt b.txt --methods rra,borda --param ties=half", "name its method"),
        ("a.txt b.txt --top 0", "--top must be"),
        ("a.txt b.txt --permutations 0", "--permutations must be"),
        ("a.txt b.txt --sources a,b", "--sources belongs to --permutations"),
        ("a.txt b.txt --permutations 9 --sources a", "one label per list (2)"),
        ("a.txt b.txt --list-weights 1", "one number per list (2), got 1"),
        ("a.txt b.txt --list-weights absent.csv", "no such file: absent.csv"),
        ("a.txt b.txt --list-weights half.csv", "the list 'b' has no weight"),
        ("a.txt b.txt --list-weights words.csv", "line 1 of words.csv is not the name of a list"),
        ("a.txt b.txt --list-weights other.csv", "unknown list with a weight 'c'"),
        ("--method borda", "no file was given"),
        ("a.txt b.txt --scores", "belong to a matrix"),
        ("ranks.csv --ties min", "--ties belongs to --scores"),
        ("scores.csv --scores --reverse nobody", "unknown list 'nobody'"),
        ("a.txt b.txt --output taken", "not empty"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(refused, tmp_path, arguments, message):
    for name, content in BAD_FILES.items():
        (tmp_path / name).write_text(content)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "precious").touch()
    assert message in refused(f"aggregate {arguments}")


def test_bad_input_of_a_process(process: Any, tmp_path) -> None:
    (tmp_path / "twice.txt").write_text("x\ny\nx\n")
    done = process("aggregate twice.txt", code=2)
    assert done.stdout == ""
    assert done.stderr.startswith("pyfsagg aggregate: the name 'x' occurs twice")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["a.txt", "c.txt"], "no name is in more than one list"),
        (["a.txt"], "a single list was given"),
    ],
)
def test_what_is_allowed_but_strange_is_said(pyfsagg, tmp_path, files, message):
    for name in files:
        (tmp_path / name).write_text(BAD_FILES[name])
    done = pyfsagg("aggregate --quiet", *files)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_ties_in_p_values_are_mentioned(command: Any, tmp_path) -> None:
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(np.where(rng.random((40, 5)) < 0.7, 0.0, rng.random((40, 5))))
    scores.rename(index=lambda j: f"x {j}", columns=lambda i: f"list {i}").to_csv(
        tmp_path / "scores.csv"
    )
    for options, said in (
        ("", "a tied entry counts with the last of the places that its ties share"),
        ("--param rra.ties=average", "count with their average rank in the p-values"),
    ):
        out, _ = command(f"aggregate scores.csv --scores {options} --output o{len(options)}")
        assert said in " ".join(out.split())
        folder = tmp_path / f"o{len(options)}"
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        assert any(said in remark for remark in record["remarks"])
        assert said in Page((folder / "report.html").read_text(encoding="utf-8")).words


def test_names_with_scores_are_no_list_of_names(pyfsagg, refused, tmp_path) -> None:
    (tmp_path / "scored.txt").write_text("g1,0.1\ng2, 2e-3\ng3,5\n")
    (tmp_path / "plain.txt").write_text("g2\ng1\n")
    (tmp_path / "chemical.txt").write_text("1,2-diol\n2,4\n")
    said = refused("aggregate scored.txt plain.txt -o out")
    assert "every line of scored.txt is a name and a number ('g1,0.1')" in said
    pyfsagg("aggregate chemical.txt plain.txt -o out")


def test_groups_of_members_are_items(pyfsagg: Any, refused: Any, tmp_path) -> None:
    rng = np.random.default_rng(0)
    members = pd.DataFrame({"gene": np.repeat(list("abcde"), [3, 1, 4, 2, 2])})
    members["z"] = rng.standard_normal(len(members)).round(1)
    members.to_csv(tmp_path / "guides.csv", index=False)
    line = "aggregate guides.csv --item gene --member-score z --method stuart --output out"
    done = pyfsagg(line)
    assert done.stderr == ""
    table = Rankings.from_groups(members["z"], members["gene"])
    expected = aggregate(table, "stuart").to_frame()
    found = pd.read_csv(tmp_path / "out" / "aggregation.csv", index_col="item")
    assert found.index.tolist() == expected.index.tolist()
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-12)
    for flags, said in (
        ("--item gene", "give both"),
        ("--item gene --member-score w", "member-score column"),
        ("--item gene --member-score z --universe 9", "--universe belongs to files of lists"),
        ("b.csv --item gene --member-score z", "one table of members, got 2"),
    ):
        assert said in refused(f"aggregate guides.csv {flags}")


def test_complete_lists_are_asked_themselves(command: Any, tmp_path) -> None:
    rows = "".join(f"item{i},{i},{i + 1},{9 - i},{i},{i * 2},{i}\n" for i in range(6))
    (tmp_path / "votes.csv").write_text("item,a,b,c,d,e,f\n" + rows)
    out, _ = command("aggregate votes.csv --scores --method mean_rank --output one")
    assert "pyfsagg influence --lists" in out
    (tmp_path / "votes.csv").write_text("item,a,b,c,d,e,f\n" + rows + "last,1,,1,1,1,1\n")
    out, _ = command("aggregate votes.csv --scores --method mean_rank --absent worst --output two")
    assert "influence" not in out


def test_tables_are_ranked_by_a_column(pyfsagg: Any, tmp_path) -> None:
    rng = np.random.default_rng(0)
    genes = [f"GENE{i}" for i in range(30)]
    frames = {name: pd.DataFrame({"GENE": genes, "p": rng.random(30)}) for name in ("one", "two")}
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.txt", sep="\t", index=False)
    files = "one.txt two.txt --ids GENE --universe 100"
    refused = pyfsagg(f"aggregate {files}", code=2)
    assert "alphabetical order" in refused.stderr
    assert "--by" in refused.stderr
    assert "--best-first" in refused.stderr
    pyfsagg(f"aggregate {files} --best-first --output given")
    pyfsagg(f"aggregate {files} --by p --lower-is-better --method borda --output ranked")
    found = pd.read_csv(tmp_path / "ranked" / "aggregation.csv", index_col="item")
    ordered = {name: frame.sort_values("p")["GENE"].tolist() for name, frame in frames.items()}
    expected = aggregate(Rankings.from_lists(ordered, universe=100), "borda").to_frame()
    assert found.index.tolist() == expected.index.tolist()
    record = json.loads((tmp_path / "ranked" / "run.json").read_text(encoding="utf-8"))
    assert record["parameters"]["by"] == "p"
    assert "by='p'" in html.unescape(
        (tmp_path / "ranked" / "report.html").read_text(encoding="utf-8")
    )
