"""One table in every format that people keep tables in: the same bits as from its plain CSV file."""

import bz2
import gzip
import io
import lzma
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets

from pyfsagg._base.settings import Reading
from pyfsagg._table.source import read_source
from pyfsagg.datasets import read_table
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.extending import as_table, check_target, data_hash


@pytest.fixture(scope="module")
def wine() -> pd.DataFrame:
    bunch = sklearn.datasets.load_wine(as_frame=True)
    names = {"od280/od315_of_diluted_wines": "od280"}
    frame = bunch.data.rename(columns=names).astype({"proline": int, "magnesium": int})
    frame["ash"] = frame["ash"].mask(frame.index == 7)  # one missing cell
    frame["kind"] = np.array(["Barolo", "Grignolino", "Barbera"])[bunch.target]
    return frame


@pytest.fixture(scope="module")
def plain(wine: pd.DataFrame) -> pd.DataFrame:
    return read_text(wine.to_csv(index=False))


def read_text(text: str | bytes, name: str = "t.csv", **settings: object) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, **settings)


def identity(frame: pd.DataFrame) -> str:
    table = as_table(frame.drop(columns="kind"))
    return data_hash(table, check_target(frame["kind"], len(frame)))


def zipped(content: bytes) -> bytes:
    store = io.BytesIO()
    with zipfile.ZipFile(store, "w") as archive:
        archive.writestr("wine.csv", content)
        archive.writestr("__MACOSX/._wine.csv", b"junk")
    return store.getvalue()


def as_words(frame: pd.DataFrame, write: Callable[[float], str], *columns: str) -> pd.DataFrame:
    new = frame.astype(dict.fromkeys(columns, object))
    for name in columns:
        new[name] = [write(value) for value in frame[name]]
    return new


def grouped(mark: str) -> Callable[[float], str]:
    return lambda value: f"{value:,}".replace(",", mark)


TEXTS: dict[str, Callable[[pd.DataFrame], str | bytes]] = {
    "tabs": lambda f: f.to_csv(index=False, sep="\t"),
    "pipes": lambda f: f.to_csv(index=False, sep="|"),
    "semicolons, decimal commas": lambda f: f.to_csv(index=False, sep=";", decimal=","),
    "tabs, decimal commas": lambda f: f.to_csv(index=False, sep="\t", decimal=","),
    "quoted decimal commas": lambda f: f.to_csv(index=False, decimal=","),
    "decimal commas, thousands points": lambda f: as_words(f, grouped("."), "proline").to_csv(
        index=False, sep=";", decimal=","
    ),
    "thousands commas": lambda f: as_words(f, grouped(","), "proline").to_csv(index=False),
    "thousands blanks": lambda f: as_words(f, grouped(" "), "proline").to_csv(index=False),
    "per cent": lambda f: as_words(f, lambda v: f"{v!r}%", "alcohol").to_csv(index=False),
    "units": lambda f: as_words(f, lambda v: f"{v!r} mg", "alcohol", "hue").to_csv(index=False),
    "currency": lambda f: as_words(f, lambda v: f"${v:,}", "proline").to_csv(index=False),
    "minus signs": lambda f: f.to_csv(index=False),
    "UTF-16": lambda f: f.to_csv(index=False).encode("utf-16"),
    "UTF-16 without a mark": lambda f: f.to_csv(index=False).encode("utf-16-be"),
    "byte order mark": lambda f: f.to_csv(index=False).encode("utf-8-sig"),
    "old Mac": lambda f: f.to_csv(index=False, lineterminator="\r"),
    "Windows": lambda f: f.to_csv(index=False, lineterminator="\r\n"),
    "blank lines first": lambda f: "\n\n,,,\n" + f.to_csv(index=False),
    "row names of pandas": lambda f: f.to_csv(),
    "row names of R": lambda f: (
        f.set_axis([f"r{i}" for i in range(len(f))]).to_csv(quoting=2).replace('"",', "", 1)
    ),
    "blanks": lambda f: f.to_csv(index=False, sep=" ", na_rep="NA").replace(" ", "   "),
    "an empty last column": lambda f: "\n".join(
        line + "," for line in f.to_csv(index=False).splitlines()
    ),
    "gzip": lambda f: gzip.compress(f.to_csv(index=False).encode()),
    "bz2": lambda f: bz2.compress(f.to_csv(index=False).encode()),
    "xz": lambda f: lzma.compress(f.to_csv(index=False).encode()),
    "zip": lambda f: zipped(f.to_csv(index=False).encode()),
}
for gap in ("n/a", ".", "-", "#N/A", "None", "?", "N/A", "*"):
    TEXTS[f"missing is {gap}"] = lambda f, gap=gap: f.to_csv(index=False, na_rep=gap)


@pytest.mark.parametrize("kind", TEXTS)
def test_texts(wine: pd.DataFrame, plain: pd.DataFrame, kind: str) -> None:
    read = read_text(TEXTS[kind](wine))
    assert identity(read) == identity(plain)
    assert list(read) == list(plain)


def test_binary_formats(wine: pd.DataFrame, plain: pd.DataFrame, tmp_path: Path) -> None:
    wine.to_feather(tmp_path / "t.feather")
    wine.to_parquet(tmp_path / "t.parquet")
    for name in ("t.feather", "t.parquet"):
        assert identity(read_table(tmp_path / name)) == identity(plain)
    content = (tmp_path / "t.feather").read_bytes()
    assert identity(read_text(content, "no_ending")) == identity(plain)
    with pytest.raises(DataError, match="not a readable Feather"):
        read_text(content[:2000], "t.feather")


def test_settings_say_what_is_not_found_out(wine: pd.DataFrame, plain: pd.DataFrame) -> None:
    want = identity(plain)
    text = wine.to_csv(index=False)
    assert identity(read_text(text.replace(",", "~"), sep="~")) == want
    assert identity(read_text(wine.to_csv(index=False, sep=";", decimal=","), decimal=",")) == want
    assert identity(read_text(wine.to_csv(index=False, na_rep="-999"), missing=[-999])) == want
    assert identity(read_text(wine.to_csv(index=False, na_rep="-999.0"), missing="-999")) == want
    assert identity(read_text(wine.to_csv(index=False, na_rep="below"), missing="below")) == want
    assert identity(read_text(text.encode("cp037"), encoding="cp037")) == want
    extra = wine.assign(code=[f"s{i}" for i in range(len(wine))], note="x")
    assert identity(read_text(extra.to_csv(index=False), id="code", drop=["note"])) == want
    turned = wine.set_axis([f"s{i}" for i in range(len(wine))]).T
    assert identity(read_text(turned.to_csv(), transpose=True)) == want
    assert identity(read_text(turned.to_csv(index_label="gene"), transpose=True)) == want
    assert identity(read_text(turned.to_csv(sep="\t"), transpose=True)) == want


def test_labels_in_a_second_file(wine: pd.DataFrame, plain: pd.DataFrame, tmp_path: Path) -> None:
    named = wine.set_axis([f"s{i}" for i in range(len(wine))])
    features = named.drop(columns="kind")
    features.astype(object).T.to_csv(tmp_path / "genes.csv")
    named[["kind"]].sample(frac=1, random_state=0).to_csv(tmp_path / "labels.tsv", sep="\t")
    labels = tmp_path / "labels.tsv"
    by_name = read_table(tmp_path / "genes.csv", transpose=True, labels=labels)
    assert identity(by_name) == identity(plain)
    named[["kind"]].to_csv(tmp_path / "rows.csv", index=False)
    features.to_csv(tmp_path / "features.csv", index=False)
    by_row = read_table(tmp_path / "features.csv", labels=tmp_path / "rows.csv")
    assert identity(by_row) == identity(plain)
    named[["kind"]].rename_axis("sample").reset_index().iloc[:-1].to_csv(labels, index=False)
    with pytest.raises(DataError, match=r"no row for 1 of 178 samples.*'s177'"):
        read_table(tmp_path / "genes.csv", transpose=True, labels=labels)
    with pytest.raises(DataError, match="177 rows for 178 samples"):
        read_table(tmp_path / "features.csv", labels=labels)


@pytest.mark.parametrize(
    ("text", "settings", "message"),
    [
        ("a;b\n1,5;2.5\n", {}, "'b' has decimal points and others have decimal commas"),
        ('a,b\n"1,065",1\n"2,100",2\n', {}, "'a' may be decimal or divide thousands"),
        ("患者,年齢,性別\n1,2,女\n".encode("shift_jis"), {}, "not UTF-8.*encoding='cp1252'"),
        (b"\xe4,b\n1,2\n", {"encoding": "utf9"}, "unknown encoding 'utf9'"),
        (b"\x80\x04abc", {}, "Python pickle"),
        ('{"a": 1}', {}, "is JSON"),
        (b"\x89HDF\r\n", {}, "HDF5"),
        (b"$FL2@(#) SPSS DATA FILE", {}, "SPSS; save it there as CSV, as a workbook or for Stata"),
        (b"<stata_dta>damaged", {}, "not a readable Stata file"),
        ("a,b\n1,\0\n", {}, "NUL"),
        ("a,b\n1,2\n", {"sheet": "x"}, "sheet needs a workbook"),
        (",a\nx,1\nx,2\n", {}, "'x' occurs twice"),
        ("a,,b\n1,2,3\n1,2,3\n", {}, "no name"),
    ],
)
def test_what_cannot_be_known_is_asked(text: str | bytes, settings: dict, message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        as_table(read_text(text, **settings))


def test_separators_and_what_they_make_of_a_comma() -> None:
    plain = read_text("a;b\n1,5;x\n2,5;y\n")
    for first in ("sep=;\n", "SEP=;\r\n", '"sep=;"\n'):
        pd.testing.assert_frame_equal(read_text(f"{first}a;b\n1,5;x\n2,5;y\n"), plain)
    assert list(read_text("sep=|\na;c|b\n1|x\n").columns) == ["a;c", "b"]
    # Semicolons make a comma decimal.
    assert read_text("a;b\n1,065;1\n2,100;2\n")["a"].tolist() == [1.065, 2.1]
    assert read_text('a,b\n"1,065",1.5\n"2,100",2\n')["a"].tolist() == [1065, 2100]


def test_a_column_that_is_no_sample_is_dropped_before_the_table_is_turned(tmp_path: Path) -> None:
    (tmp_path / "genes.csv").write_text("gene_id,symbol,s1,s2\nE1,TP53,1.5,3\nE2,KRAS,2.0,4\n")
    (tmp_path / "samples.csv").write_text("sample,kind\ns2,a\ns1,b\n")
    how = {"transpose": True, "labels": str(tmp_path / "samples.csv")}
    found = read_table(tmp_path / "genes.csv", drop=["symbol"], **how)
    assert found.index.tolist() == ["s1", "s2"]
    assert [dtype.kind for dtype in found.dtypes[:2]] == ["f", "f"]
    assert found.to_dict("list") == {"E1": [1.5, 3.0], "E2": [2, 4], "kind": ["b", "a"]}
    both = read_table(tmp_path / "genes.csv", drop=["symbol", "E2"], **how)
    assert list(both.columns) == ["E1", "kind"]
    left_out = read_source(tmp_path / "genes.csv", Reading(**how))
    pd.testing.assert_frame_equal(left_out.frame, found)
    assert left_out.notes[0].startswith("'symbol': columns of ")
    by_symbol = read_table(tmp_path / "genes.csv", id="symbol", **how)
    assert by_symbol.to_dict("list") == {"TP53": [1.5, 3.0], "KRAS": [2, 4], "kind": ["b", "a"]}
    with pytest.raises(UnknownNameError, match="symbl"):
        read_table(tmp_path / "genes.csv", drop=["symbol", "symbl"], **how)


@pytest.mark.parametrize("words", [["12a", "13a"], ["1 mg", "2 kg"], ["None", "mild"], ["-", "+"]])
def test_words_that_are_nearly_numbers_stay_words(words: list[str]) -> None:
    read = read_text(f"a,b\n{words[0]},1\n{words[1]},2\n")
    assert read["a"].tolist() == words


def test_choices_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('\n;a;b;t\nr1;"1,5";3 %;x\nr2;2,5;n/a;y\n')
    found = read_source(path)
    assert found.notes == (
        "cells are separated by semicolons",
        "1 blank line(s) before the header were skipped",
        "decimal commas were found",
        "the first column has no name and was taken as names of the rows, not as a feature",
        "read as numbers (unit %): b",
        "read as numbers (missing: 'n/a'): b",
    )
    assert found.record["decimal"] == ","
    assert len(found.record["sha256"]) == 64
    path.write_text("a,b\n1,2\n")
    assert read_source(path).notes == ()


def test_settings_are_checked() -> None:
    for wrong in ({"sep": "ab"}, {"decimal": "x"}, {"sep": ",", "decimal": ","}, {"sepp": ","}):
        with pytest.raises(ParameterError):
            Reading.of(wrong)
    assert Reading(sep="semicolon").sep == ";"
    assert Reading(missing=-999).missing == ("-999",)
    with pytest.raises(UnknownNameError, match="unknown column 'aa'"):
        read_text("a,b\n1,2\n", drop="aa")


def test_sheets(wine: pd.DataFrame, plain: pd.DataFrame, tmp_path: Path) -> None:
    pytest.importorskip("python_calamine")
    pytest.importorskip("xlsxwriter")
    write_workbook(tmp_path / "t.xlsx", {"Notes": pd.DataFrame({"by": ["me"]}), "Data": wine})
    for sheet in ("Data", "2", 2):
        assert identity(read_table(tmp_path / "t.xlsx", sheet=sheet)) == identity(plain)
    assert "'Notes', the first of 2" in read_source(tmp_path / "t.xlsx").notes[0]
    with pytest.raises(UnknownNameError, match="did you mean 'Data'"):
        read_table(tmp_path / "t.xlsx", sheet="Dat")
    words = as_words(wine, lambda v: str(v).replace(".", ","), "alcohol")
    write_workbook(tmp_path / "w.xlsx", {"Data": words})
    assert identity(read_table(tmp_path / "w.xlsx")) == identity(plain)
    write_open_document(tmp_path / "t.ods", wine)
    assert identity(read_table(tmp_path / "t.ods")) == identity(plain)
    with pytest.raises(DataError, match="not a readable workbook"):
        read_text(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 damaged", "t.xls")


def write_workbook(path: Path, sheets: dict[str, pd.DataFrame]) -> None:
    """A workbook with these sheets."""
    with pd.ExcelWriter(path, engine="xlsxwriter") as book:
        for name, frame in sheets.items():
            frame.to_excel(book, sheet_name=name, index=False)


def write_open_document(path: Path, frame: pd.DataFrame) -> None:
    """A sheet as LibreOffice writes it, by its own parts."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    rows = [list(frame.columns), *frame.astype(object).to_numpy().tolist()]
    lines = (f"<table:table-row>{''.join(map(_open_cell, row))}</table:table-row>" for row in rows)
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    parts = {
        "mimetype": kind,
        "META-INF/manifest.xml": f'<m:manifest xmlns:m="{space}:manifest:1.0"><m:file-entry '
        f'm:full-path="/" m:media-type="{kind}"/></m:manifest>',
        "content.xml": f'<office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="Data">{"".join(lines)}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, text)


def _open_cell(value: object) -> str:
    if isinstance(value, str):
        text = f"<text:p>{value}</text:p>"
        return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'
    if pd.isna(value):
        return "<table:table-cell/>"
    return f'<table:table-cell office:value-type="float" office:value="{value!r}"/>'


@pytest.mark.parametrize("version", [114, 118])
def test_files_of_stata(tmp_path: Path, version: int) -> None:
    """Value labels are levels, and missing values are missing, in old files (known by name) and new ones."""
    sexes = pd.Categorical(["male", "female", None, "male"], categories=["male", "female"])
    ages, indices = [31, 52, 44, 27], [21.5, np.nan, 30.25, 24.0]
    frame = pd.DataFrame({"age": ages, "bmi": indices, "sex": sexes})
    frame.to_stata(tmp_path / "t.dta", write_index=False, version=version)
    read = read_source(tmp_path / "t.dta")
    assert read.record["format"] == "Stata"
    table = as_table(read.frame)
    assert table.feature_names == ("age", "bmi", "sex")
    expected = [[31, 21.5, 0], [52, np.nan, 1], [44, 30.25, np.nan], [27, 24.0, 0]]
    np.testing.assert_array_equal(table.values, expected)
    assert table.levels[2] == ("male", "female")
