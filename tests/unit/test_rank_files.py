"""Ranked lists from files: formats, and what real files are like."""

import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfsagg.exceptions import DataError, ParameterError, PyfsaggWarning, UnknownNameError
from pyfsagg.ranks import Rankings
from pyfsagg.ranks._files import _rows, read_rank_files


def write(folder: Path, **texts: str) -> list[Path]:
    paths = []
    for name, text in texts.items():
        paths.append(folder / name.replace("_", "."))
        paths[-1].write_text(text, encoding="utf-8", newline="")
    return paths


def test_names_with_spaces_windows_line_ends_and_gzip(tmp_path):
    (one,) = write(tmp_path, one_txt="alpha beta \r\n gamma, delta\r\n\r\n")
    two = tmp_path / "two.txt.gz"
    two.write_bytes(gzip.compress(b"\xef\xbb\xbfgamma, delta\nalpha beta\nnew"))
    table = Rankings.from_files([one, two])
    assert table.names == ("one", "two")
    assert table.items == ("alpha beta", "gamma, delta", "new")
    np.testing.assert_array_equal(table.ranks, [[1, 2, np.nan], [2, 1, 3]])


def test_blank_lines_between_names_are_skipped_and_said(tmp_path):
    (path,) = write(tmp_path, gap_txt="a\n\nb\n \nc\n\n")
    with pytest.warns(PyfsaggWarning, match="2 blank line.* of 'gap' were skipped, .* after 1 "):
        table = Rankings.from_files(path)
    np.testing.assert_array_equal(table.ranks, [[1, 2, 3]])


def test_header_of_a_list(tmp_path):
    paths = write(tmp_path, one_txt="Gene_ID\na\nb\n", two_txt="b\na\n")
    with pytest.warns(PyfsaggWarning, match="first line of 1 of 2 lists looks like a header"):
        assert "Gene_ID" in Rankings.from_files(paths).items
    assert Rankings.from_files(paths[0], header=True).items == ("a", "b")
    assert read_rank_files(paths[1], format="lists")[0] == {"two": ["b", "a"]}  # no header


def test_names_that_occur_again(tmp_path):
    (path,) = write(tmp_path, one_txt="a\nb\na\nc\n")
    with pytest.raises(DataError, match="'a' occurs twice in the list 'one'"):
        Rankings.from_files(path)
    with pytest.warns(PyfsaggWarning, match=r"1 name\(s\) of 'one' that had occurred before"):
        table = Rankings.from_files(path, duplicates="first")
    assert table.items == ("a", "b", "c")
    np.testing.assert_array_equal(table.ranks, [[1, 2, 3]])


def test_lists_in_tables_of_their_own(tmp_path):
    paths = write(tmp_path, one_csv="p,gene\n0.1,7157\n0.2,007\n", two_tsv="gene\tp\n007\t1\n")
    table = Rankings.from_files(paths, ids="gene")
    assert table.items == ("7157", "007")
    np.testing.assert_array_equal(table.ranks, [[1, 2], [np.nan, 1]])
    single = Rankings.from_files(paths[0], ids="gene", format="lists")
    assert single.items == ("7157", "007")


def test_lists_in_columns_of_different_length(tmp_path):
    (path,) = write(tmp_path, lists_csv="first,second\nTP53,12\nNA,TP53\n,NA\n")
    table = Rankings.from_files(path, format="columns")
    assert table.names == ("first", "second")
    assert table.items == ("TP53", "NA", "12")
    np.testing.assert_array_equal(table.ranks, [[1, 2, np.nan], [2, 3, 1]])


def test_lists_in_lines(tmp_path):
    (path,) = write(tmp_path, votes_txt='ann,bob\n\n"smith, j.",ann,bob\n')
    table = Rankings.from_files(path, format="lines")
    assert table.items == ("ann", "bob", "smith, j.")
    np.testing.assert_array_equal(table.ranks, [[1, 2, np.nan], [2, 3, 1]])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_matrix_of_scores(tmp_path, separator):
    text = "gene,a,b\r\ng1,0.5,1\r\ng2,0.7,\r\ng3,0.5,NA\r\ng4,,0.1\r\n".replace(",", separator)
    (path,) = write(tmp_path, m_csv=text)
    table = Rankings.from_files(path, matrix="scores", ties="min")
    assert (table.items, table.names) == (("g1", "g2", "g3", "g4"), ("a", "b"))
    np.testing.assert_array_equal(table.ranks, [[2, 1, 2, np.nan], [1, np.nan, np.nan, 2]])
    reverse = Rankings.from_files(path, matrix="scores", higher_is_better=False)
    np.testing.assert_array_equal(reverse.ranks, [[1.5, 3, 1.5, np.nan], [2, np.nan, np.nan, 1]])


def test_standard_input_is_a_matrix(monkeypatch):
    class Input:
        buffer = io.BytesIO(b"gene,a,b\nx,1,2\ny,2,1\n")

    monkeypatch.setattr("sys.stdin", Input)
    assert Rankings.from_files("-").names == ("a", "b")


def test_files_of_the_same_name_in_two_folders(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "top.txt").write_text("a\nb\n")
    paths = [tmp_path / "x" / "top.txt", tmp_path / "y" / "top.txt"]
    assert Rankings.from_files(paths).names == tuple(map(str, paths))


@pytest.mark.parametrize(
    ("name", "text", "options", "words"),
    [
        ("t.txt", "gene\tp\nTP53\t0.1\n", {}, "line 1 of .*t.txt has a tab"),
        ("m.csv", "a,b\n1,2\n2,1\n", {}, "first column of .*'a', contains numbers"),
        ("m.csv", "g,a,b\nx,TP53,BRCA\n", {}, "row 2.*format='columns'"),
        ("m.csv", "g,a,b\nx,1,2\ny,bad,1\n", {}, "'a' of .* is not numeric .'bad' in row 3"),
        ("m.csv", "g,a,b\nx,1,2\nx,2,1\n", {}, "'x' occurs twice"),
        ("m.csv", "g,a\nx,1,2\n", {}, "ragged rows"),
        ("m.csv", "g,a\nx,0\ny,1\n", {}, "ranks start at 1"),
        ("m.csv", "g,a\nx,9\ny,1\n", {}, "above the universe of 2"),
        ("m.csv", "g,a\nx,\ny,1\n", {}, "no list has a rank for the item 'x'"),
        ("m.csv", "g,a,b\nx,,1\ny,,2\n", {}, "every rank of 'a' is missing"),
        ("c.csv", "a,b\nx,\ny,\n", {"format": "columns"}, "the list 'b' is empty"),
        ("l.txt", "\n \n", {"format": "lines"}, "l.txt is empty"),
        ("e.txt", "", {}, "'e' is empty"),
        ("e.csv", " \n", {}, "is empty, not a table"),
        ("a.csv", "gene\ng1\n", {}, "has no list"),
        ("u.csv", "gene,a\n,1\n", {}, "row 2 of .* has no item name"),
    ],
)
def test_bad_files(tmp_path, name, text, options, words):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        Rankings.from_files(path, **options)


def test_bad_arguments(tmp_path):
    (path,) = write(tmp_path, one_txt="a\n")
    two = [path, "b.csv"]
    for files, options, error, message in (
        ([path, path], {}, DataError, "named twice"),
        (two, {"format": "columns"}, DataError, "a table of lists in columns is one file, got 2"),
        (path, {"format": "excel"}, ParameterError, "format must be one of"),
        (path, {"duplicates": "last"}, ParameterError, "duplicates must be one of"),
        (tmp_path, {}, DataError, "is a folder"),
    ):
        with pytest.raises(error, match=message):
            Rankings.from_files(files, **options)


@pytest.mark.parametrize("text", ["a\tb\nc\n\nd\t\te\n", "a,b\nc\n\n , \nd,,e\n"])
def test_lines_of_one_name_and_empty_cells(tmp_path, text):
    """One line with a tab makes tabs of all; a line of empty cells is none."""
    path = tmp_path / "lists.txt"
    path.write_text(text)
    assert _rows(str(path))[1] == [["a", "b"], ["c"], ["d", "", "e"]]


GENES = [f"GENE{i}" for i in range(12)]  # in the order of a library


def table_of(folder: Path, name: str, genes: list[str] = GENES, **columns: object) -> Path:
    path = folder / name
    pd.DataFrame({"GENE": genes, **columns}).to_csv(path, sep="\t", index=False)
    return path


def test_tables_are_ranked_by_a_column(tmp_path):
    scores = [3.0, 9.0, 5.0, 5.0, np.nan, *range(-1, -8, -1)]
    one, two = (table_of(tmp_path, f"{name}.txt", score=scores) for name in ("one", "two"))
    table = Rankings.from_files([one, two], ids="GENE", by="score")
    of_gene = table.to_frame()["one"]
    assert of_gene[["GENE1", "GENE2", "GENE3", "GENE0"]].tolist() == [1.0, 2.5, 2.5, 4.0]
    assert "GENE4" not in of_gene.index
    low = Rankings.from_files([one], ids="GENE", by="score", higher_is_better=False)
    assert low.to_frame()["one"][["GENE11", "GENE1"]].tolist() == [1.0, 11.0]
    with pytest.raises(UnknownNameError, match=r"'scor'.*score"):
        Rankings.from_files([one, two], ids="GENE", by="scor")
    with pytest.raises(ParameterError, match="by ranks the rows of tables"):
        Rankings.from_files([one], by="score")
    twice = table_of(tmp_path, "twice.txt", ["a", "b", "a"], score=[1, 2, 3])
    with pytest.warns(PyfsaggWarning, match="had occurred before"):
        best = Rankings.from_files([twice], ids="GENE", by="score", duplicates="first")
    assert best.to_frame()["twice"].to_dict() == {"a": 1.0, "b": 2.0}


def test_tables_of_known_tools_are_ranked_by_their_columns(tmp_path):
    order = np.random.default_rng(0).permutation(12)
    drugz = table_of(tmp_path, "drugz.txt", sumZ=0.0, rank_synth=order + 1)
    bagel = table_of(tmp_path, "bagel.bf", BF=-order.astype(float))
    with pytest.warns(PyfsaggWarning, match="ranked by its column"):
        table = Rankings.from_files([drugz, bagel], ids="GENE")
    expected = dict(zip(GENES, order + 1.0, strict=True))
    for name in ("drugz", "bagel"):
        assert table.to_frame()[name].to_dict() == expected
    both = table_of(tmp_path, "mageck.txt", **{"neg|rank": order + 1, "pos|rank": 12 - order})
    with pytest.raises(DataError, match=r"neg\|rank, pos\|rank: name one of them with by"):
        Rankings.from_files([both], ids="GENE")
    depleted = Rankings.from_files([both], ids="GENE", by="neg|rank")  # its direction is known
    assert depleted.to_frame()["mageck"].to_dict() == expected


def test_an_order_that_is_no_ranking_stops_the_run(tmp_path):
    shuffled = [GENES[i] for i in np.random.default_rng(1).permutation(12)]
    one, two = (table_of(tmp_path, f"{name}.txt", shuffled, z=0.0) for name in ("one", "two"))
    with pytest.raises(
        DataError, match=r"'one' and 'two' have the same order.*\(by\).*best_first=True"
    ):
        Rankings.from_files([one, two], ids="GENE")
    assert Rankings.from_files([one, two], ids="GENE", best_first=True).n_lists == 2
    (library,) = (table_of(tmp_path, "library.txt", z=0.0),)
    plain = tmp_path / "plain.txt"
    plain.write_text("\n".join(sorted(GENES)))
    for path, ids in ((library, "GENE"), (plain, None)):
        with pytest.raises(DataError, match=r"12 names of .* alphabetical order.*best_first=True"):
            Rankings.from_files([path], ids=ids)
        assert Rankings.from_files([path], ids=ids, best_first=True).n_items == 12
    nine = tmp_path / "nine.txt"  # may be in this order by chance
    nine.write_text("\n".join(GENES[:9]))
    assert Rankings.from_files([nine]).n_items == 9
    for name in ("x", "y"):  # two studies may agree
        (tmp_path / f"{name}.txt").write_text("\n".join(shuffled))
    assert Rankings.from_files([tmp_path / "x.txt", tmp_path / "y.txt"]).n_lists == 2
