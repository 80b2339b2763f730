"""Data sets by name, and tables from files."""

import contextlib
import gzip
import http.server
import io
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from pyfsagg.datasets import load_dataset, read_table
from pyfsagg.datasets._loaders import catalogue, list_datasets
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.extending import data_folder, split_target
from pyfsagg_papers import load_published


@pytest.fixture(autouse=True)
def no_folder_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYFSAGG_DATA", raising=False)


def test_data_sets_that_are_always_there() -> None:
    for name, shape, classes in (
        ("ionosphere", (351, 34), 2),
        ("wine", (178, 13), 3),
        ("breast_cancer", (569, 30), 2),
        ("digits", (1797, 64), 10),
    ):
        data = load_dataset(name)
        assert data.X.shape == shape
        assert data.y.nunique() == classes
        assert name in repr(data)
        assert name in list_datasets().index


def test_published_tables() -> None:
    assert len(load_published("4.1")) == 12
    stability = load_published("4.4").set_index(["dataset", "measure", "method"])["value"]
    assert stability["ionosphere", "pearson", "bam"] == pytest.approx(0.678, abs=5e-4)
    for table in ("4.2", "4.3", "4.5", "4.6", "fpcps_1", "fpcps_2", "frcm_2"):
        assert not load_published(table).empty
    with pytest.raises(UnknownNameError, match=r"unknown published table '9\.9'"):
        load_published("9.9")
    with pytest.raises(UnknownNameError, match="did you mean 'ionosphere'"):
        load_dataset("ionsphere")


def test_local_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYFSAGG_DATA", str(tmp_path))
    for name in ("letters", "wide", "broken"):
        (tmp_path / name).mkdir()
    sparse.save_npz(tmp_path / "wide" / "wide.npz", sparse.csr_matrix(np.eye(3)))
    for name, text in (
        ("letters/letters", b"base,x,target\nN,1,NA\nA,,yes\n"),
        ("wide/wide.target", b"target\n1\n2\n1\n"),
        ("broken/broken", b"target,x\n1,2\n"),
    ):
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(text, mtime=0))
    letters = load_dataset("letters")
    assert letters.X["base"].tolist() == ["N", "A"]
    assert letters.y.tolist() == ["NA", "yes"]
    assert np.isnan(letters.X["x"].iloc[1])
    assert load_dataset("wide").X.shape == (3, 3)
    assert {"letters", "wide", "wine"} <= set(list_datasets().index)
    with pytest.raises(DataError, match="last column 'target'"):
        load_dataset("broken")
    monkeypatch.setenv("PYFSAGG_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DataError, match="not a folder"):
        load_dataset("letters")


EXPECTED = pd.DataFrame({"a": [1, 3], "b": [2.5, np.nan], "t": ["x", "y"]})


def flipped(packed: bytes) -> bytes:
    """With one byte in the middle turned over."""
    middle = len(packed) // 2
    return packed[:middle] + bytes([packed[middle] ^ 0xFF]) + packed[middle + 1 :]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "a,b,t\n1,2.5,x\n3,,y\n"),
        ("t.csv", "\ufeffa,b,t\r\n1,2.5,x\r\n3,NA,y\r\n"),
        ("t.txt", "a;b;t\n1;2.5;x\n3;?;y\n"),
        ("t.csv", "a,b,t\r1,2.5,x\r3,,y\r"),  # an old Mac
        ("t.csv", "\n , \n\na,b,t\n1,2.5,x\n3,,y\n"),
        ("t.tsv", "a\tb\tt\n1\t2.5\tx\n3\tnan\ty"),
        ("t.csv.gz", gzip.compress(b'"a","b","t"\n1,2.5,"x"\n3,,"y"\n', mtime=0)),
        (
            "t.arff",
            "@relation r\n@attribute a numeric\n@attribute b real\n@attribute t {x,y}\n"
            "@data\n1,2.5,x\n3,?,y\n",
        ),
    ],
)
def test_formats_read_alike(tmp_path: Path, name: str, content: str | bytes) -> None:
    frame = read_table(write(tmp_path, name, content)).astype({"a": int, "b": float, "t": str})
    pd.testing.assert_frame_equal(frame, EXPECTED.astype({"t": str}))


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3,4\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_table("-")["b"].tolist() == [2, 4]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "", "is empty"),
        ("t.csv", " \n\n", "is empty"),
        ("t.csv", "a,b\n", "header but no rows"),
        ("t.csv", "a,b\n1,2\n3\n", "ragged rows: line 3 has 1 cell and the header 2"),
        ("t.csv", "a,b\n1,2\n3,4,5\n", "ragged rows"),
        ("t.csv", "a,b\n1,2\na,b\n3,4\n", "header twice .again in line 3"),
        ("t.csv", "a,b,a\n1,2,3\n", "duplicate column name.*'a'"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n3,4\n", mtime=0)[:-9], "damaged gzip"),
        ("t.csv.gz", flipped(gzip.compress(b"a,b\n" + b"1,2\n" * 5000, mtime=0)), "damaged gzip"),
        ("t.parquet", "no", "not a readable Parquet"),
        ("t.arff", "no", "not a readable ARFF"),
        ("t.arff", "@relation r\n@attribute a string\n@data\nx\n", "not a readable ARFF"),
    ],
)
def test_files_that_are_no_tables(tmp_path, name, content, message) -> None:
    with pytest.raises(DataError, match=message):
        read_table(write(tmp_path, name, content))


def test_names_and_cells_of_any_content(tmp_path: Path) -> None:
    text = '"x;y;z;u","two\nlines","plain",long;er\n1,2,3,4\n5,6,7,8\n'
    frame = read_table(write(tmp_path, "t.csv", text))
    assert list(frame) == ["x;y;z;u", "two\nlines", "plain", "long;er"]
    assert frame.iloc[1].tolist() == [5, 6, 7, 8]
    with pytest.raises(DataError, match=r"ragged rows: line 4"):
        read_table(write(tmp_path, "t.csv", text.replace("5,6,7,8", "5,6,7")))
    long = '"' + "word\n" * 500_000 + '"'
    frame = read_table(write(tmp_path, "t.csv", f"a,b\n1,{long}\n2,short\n"))
    assert frame["b"].str.len().tolist() == [2_500_000, 5]


def test_header_lines_of_any_length(tmp_path: Path) -> None:
    n_features = 22_000
    names = [f"a_gene_with_a_long_name_{j}" for j in range(n_features)]
    row = ",".join(map(str, range(n_features)))
    assert len(",".join(names)) > 2**19
    frame = read_table(write(tmp_path, "t.csv", f"{','.join(names)}\n{row}\n{row}\n"))
    assert list(frame) == names
    assert frame.iloc[1].tolist() == list(range(n_features))
    with pytest.raises(DataError, match="duplicate column name"):
        read_table(write(tmp_path, "t.csv", f"{','.join(names)},{names[7]}\n{row},1\n"))


def test_files_with_odd_notes_and_no_files(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(EXPECTED)
    for note in (b"no json", b'{"index_columns": [3]}', b"\xff", b"[" * 20_000):
        pq.write_table(table.replace_schema_metadata({b"pandas": note}), tmp_path / "t.parquet")
        assert read_table(tmp_path / "t.parquet")["a"].tolist() == [1, 3]
    for path, message in ((tmp_path / "none.csv", "no such file"), (tmp_path, "is a folder")):
        with pytest.raises(DataError, match=message):
            read_table(path)


def test_columns_are_split_off_and_listed() -> None:
    features, target = split_target(EXPECTED, "t", exclude=["a"])
    assert list(features) == ["b"]
    assert target.tolist() == ["x", "y"]
    with pytest.raises(UnknownNameError, match="unknown column 'tt'; did you mean 't'"):
        split_target(EXPECTED, "tt")
    with pytest.raises(ParameterError, match="both the target and omitted"):
        split_target(EXPECTED, "t", exclude=["t"])
    every = pd.DataFrame(list(catalogue(data_folder()).values()))
    listed = every[every["paper"] == "thesis"].set_index("published_as")
    printed = load_published("4.1").set_index("dataset")
    assert list(listed.index) == list(printed.index)
    assert listed["n_samples"].astype(int).equals(printed["n_observations"])
    assert listed["n_features"].astype(int).equals(printed["n_features"])
    for name, row in printed.iterrows():
        if row["n_classes"] == 2:
            sizes = sorted([int(row["class_count_a"]), int(row["class_count_b"])])
            assert listed.loc[name, "classes"] == " ".join(map(str, sizes))


class Bunch:
    """What fetch_openml returns, as far as it is used."""

    def __init__(self, n: int, p: int, sizes: list[int]) -> None:
        rng = np.random.default_rng(0)
        self.data = pd.DataFrame(rng.normal(size=(n, p))).add_prefix("f")
        labels = np.repeat([str(k) for k in range(len(sizes))], sizes)
        self.target = pd.Series(pd.Categorical(labels), name="class")


@pytest.fixture
def fetch(monkeypatch, tmp_path) -> Callable[..., Any]:
    """The download of a data set, with `answer` in the place of OpenML."""

    def fetch(answer: Callable[..., Any], **options: Any) -> Any:
        monkeypatch.setattr("sklearn.datasets.fetch_openml", answer)
        return load_dataset("philippine", download=True, cache=tmp_path, **options)

    return fetch


def test_the_thesis_sets_are_fetched_from_openml_only_when_asked(fetch, tmp_path) -> None:
    openml = Mock(return_value=Bunch(5832, 308, [2916, 2916]))
    with pytest.raises(UnknownNameError, match="unknown data set 'philippine'"):
        load_dataset("philippine")
    data = fetch(openml)
    openml.assert_called_once()
    asked = openml.call_args.kwargs
    assert (asked["data_id"], asked["data_home"]) == (41145, str(tmp_path))
    assert data.source.startswith("OpenML, data set 41145, SHA-256 of its content ")
    assert data.differences == ()
    assert data.y.tolist()[:2] == ["0", "0"]


def test_differences_from_table_4_1_are_said(fetch) -> None:
    data = fetch(lambda **_: Bunch(100, 300, [60, 40]))
    assert data.differences == (
        "100 samples, printed 5832",
        "300 features, printed 308 beside the class",
        "classes of 40 60 samples, printed 2916 2916",
    )
    assert "differs from the paper: 100 samples" in repr(data)
    assert load_dataset("ionosphere").differences == load_dataset("wine").differences == ()


def test_a_download_that_fails_says_what_to_do(fetch) -> None:
    for error, message in (
        (OSError("Name or service not known"), "PYFSAGG_DATA names"),
        (ValueError("md5 checksum of local file does not match"), "is incomplete"),
    ):
        with pytest.raises(DataError, match=message):
            fetch(Mock(side_effect=error))


def test_a_download_is_what_it_was_the_first_time(fetch, tmp_path) -> None:
    sent = Bunch(30, 4, [10, 20])
    first = fetch(lambda **_: sent)
    pin = first.source.rpartition(" ")[2]
    assert len(pin) == 64
    assert fetch(lambda **_: sent, sha256=pin).source == first.source
    with pytest.raises(DataError, match=f"has the SHA-256 {pin}, and the one pinned is 00"):
        fetch(lambda **_: sent, sha256="00")
    sent.data.iloc[3, 2] += 1e-9
    with pytest.raises(DataError, match="its content has changed"):
        fetch(lambda **_: sent)
    (tmp_path / "pyfsagg-sha256.json").write_text("[")
    with pytest.raises(DataError, match="is damaged; delete it"):
        fetch(lambda **_: sent)


def test_a_download_without_end_is_stopped(fetch, monkeypatch) -> None:
    class Endless(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):
                for _ in range(1000):
                    self.wfile.write(bytes(10_000))

        def log_message(self, *_) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endless)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    read: list[int] = []

    def stand_in(**_):
        with urllib.request.urlopen(address) as response:
            while part := response.read(4096):
                read.append(len(part))

    monkeypatch.setattr("pyfsagg.datasets._loaders.MOST_BYTES", 1_000_000)
    with pytest.raises(DataError, match="stopped: more than 1 MB were sent"):
        fetch(stand_in)
    assert sum(read) <= 1_000_000
    with urllib.request.urlopen(address) as response:  # the limit was of the download alone
        assert len(response.read()) == 10_000_000
    server.shutdown()
    server.server_close()
