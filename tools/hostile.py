"""What a stranger's file can do: bombs, escapes, formulas, deep nesting and wrong shapes.

    python tools/hostile.py --output benchmarks/hostile.json
    python tools/hostile.py --only run-deep        # what the command says of one file
    python tools/hostile.py --growth --output benchmarks/hostile.json   # is reading linear?

Every file is made here and opened by commands in a process of its own that may hold `MEMORY` and work
`SECONDS`.  A command either does its work or refuses in a sentence (exit code 2).  Anything else is a
finding: a traceback, a signal, another exit code, the memory or the time used up, a file outside of the
output folder, or code of the file that ran.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "benchmarks"))
from _timing import environment

ROOT = Path(__file__).resolve().parents[1]
MEMORY = 1_500_000_000
SECONDS = 20
BOMB = 2_000_000_000
"""Bytes that a packed file of a few megabytes unpacks to."""

TABLE = ("check F --target y", "rank F --target y --n-resamples 3 --filters ig,cs --output out")
LISTS = ("aggregate F --output out", "agreement F", "vote F --output out")
SAVED = ("show F", "report F --output page.html", "stability F --output out")
CONFIG = ("rank table.csv --config F --output out",)

MAKERS: dict[str, tuple[tuple[str, ...], Callable[[Path], Path]]] = {}


def hostile(
    name: str, commands: tuple[str, ...]
) -> Callable[[Callable[[Path], Path]], Callable[[Path], Path]]:
    """A maker of a file or a folder inside of a folder, and the commands that open it."""

    def keep(maker: Callable[[Path], Path]) -> Callable[[Path], Path]:
        MAKERS[name] = commands, maker
        return maker

    return keep


# ---------------------------------------------------------------------------------------------
# tables and lists
# ---------------------------------------------------------------------------------------------
def _write(name: str, content: bytes | str) -> Callable[[Path], Path]:
    def maker(folder: Path) -> Path:
        data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        (folder / name).write_bytes(data)
        return folder / name

    return maker


class _Zeros(io.RawIOBase):
    """So many bytes of lines, which nobody holds."""

    def __init__(self, size: int, piece: bytes = b"1,0\n" * 250_000) -> None:
        self.left, self.piece = size, piece

    def pieces(self) -> Any:
        yield b"x,y\n"
        while self.left > 0:
            yield self.piece
            self.left -= len(self.piece)


@hostile("table-gzip-bomb", (*TABLE, *LISTS))
def _(folder: Path) -> Path:
    with gzip.open(folder / "bomb.csv.gz", "wb", compresslevel=6) as file:
        for piece in _Zeros(BOMB).pieces():
            file.write(piece)
    return folder / "bomb.csv.gz"


@hostile("table-zip-bomb", TABLE)
def _(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:  # noqa: SIM117
        with archive.open("bomb.csv", "w", force_zip64=True) as file:
            for piece in _Zeros(BOMB).pieces():
                file.write(piece)
    return folder / "bomb.zip"


def _workbook(
    path: Path, sheet: Callable[[Any], None], shared: bytes = b"", zip64: bool = True
) -> Path:
    space = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    ids = b'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
    relation = b'<Relationship Id="r%d" Type="%s" Target="%s"/>'
    package = (
        b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b'<Types xmlns="x"/>')
        archive.writestr(
            "_rels/.rels",
            package
            + relation % (1, office + b"officeDocument", b"xl/workbook.xml")
            + b"</Relationships>",
        )
        archive.writestr(
            "xl/workbook.xml",
            b"<workbook %s %s><sheets>" % (space, ids)
            + b'<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            package
            + relation % (1, office + b"worksheet", b"worksheets/sheet1.xml")
            + relation % (2, office + b"sharedStrings", b"sharedStrings.xml")
            + b"</Relationships>",
        )
        archive.writestr("xl/sharedStrings.xml", shared or b"<sst %s/>" % space)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=zip64) as file:
            file.write(b"<worksheet %s><sheetData>" % space)
            sheet(file)
            file.write(b"</sheetData></worksheet>")
    return path


def _lying(path: Path, size: int) -> Path:
    """An archive that says of a part of so many bytes that it has a thousand."""
    path.write_bytes(
        path.read_bytes().replace(size.to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    )
    return path


def _zeros(file: Any, size: int) -> int:
    for _ in range(size // 1_000_000):
        file.write(b" " * 1_000_000)
    return size


@hostile("workbook-lies", TABLE)
def _(folder: Path) -> Path:
    """A sheet that says it is small, of two gigabytes."""
    path = folder / "lies.xlsx"

    def sheet(file: Any) -> None:
        file.write(_row("x", "y", number=1))
        _zeros(file, BOMB)

    _workbook(path, sheet, zip64=False)
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    return _lying(path, size)


def _ods(path: Path, rows: str, blanks: int = 0) -> Path:
    urn = "urn:oasis:names:tc:opendocument:xmlns:"
    spaces = " ".join(f'xmlns:{each}="{urn}{each}:1.0"' for each in ("office", "table", "text"))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{urn}manifest:1.0"/>')
        with archive.open("content.xml", "w") as file:
            before = f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            file.write(f'{before}<table:table table:name="s">{rows}'.encode())
            _zeros(file, blanks)
            after = "</office:spreadsheet></office:body></office:document-content>"
            file.write(f"</table:table>{after}".encode())
    return path


def _ods_row(*cells: str, rows: int = 1, columns: int = 1) -> str:
    made = "".join(
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{columns}">'
        f"<text:p>{cell}</text:p></table:table-cell>"
        for cell in cells
    )
    return f'<table:table-row table:number-rows-repeated="{rows}">{made}</table:table-row>'


_ODS_EMPTY = (
    '<table:table-row table:number-rows-repeated="1048000"><table:table-cell '
    'table:number-columns-repeated="16384"/></table:table-row>'
)


@hostile("ods-lies", TABLE)
def _(folder: Path) -> Path:
    path = _ods(folder / "lies.ods", _ods_row("x", "y"), BOMB)
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("content.xml").file_size
    return _lying(path, size)


@hostile("table-zip-lies", TABLE)
def _(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "lies.zip", "w", zipfile.ZIP_DEFLATED) as archive:  # noqa: SIM117
        with archive.open("lies.csv", "w") as file:
            file.write(b"x,y\n")
            size = 4 + _zeros(file, BOMB)
    return _lying(folder / "lies.zip", size)


def _row(*cells: str, number: int) -> bytes:
    made = "".join(
        f'<c r="{chr(65 + j)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for j, cell in enumerate(cells)
    )
    return f'<row r="{number}">{made}</row>'.encode()


@hostile("workbook-bomb", TABLE)
def _(folder: Path) -> Path:
    def sheet(file: Any) -> None:
        file.write(_row("x", "y", number=1))
        piece = b" " * 1_000_000
        for _ in range(BOMB // len(piece)):
            file.write(piece)

    return _workbook(folder / "bomb.xlsx", sheet)


@hostile("workbook-cells", TABLE)
def _(folder: Path) -> Path:
    """A cell far away: a grid that is empty but for two corners."""

    def sheet(file: Any) -> None:
        file.write(_row("x", "y", number=1))
        file.write(b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')

    return _workbook(folder / "far.xlsx", sheet)


@hostile("workbook-entities", TABLE)
def _(folder: Path) -> Path:
    """Entities that name each other, ten times each."""
    entities = b'<!ENTITY a0 "lol">' + b"".join(
        b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 12)
    )
    shared = (
        b"<?xml version='1.0'?><!DOCTYPE sst [" + entities + b"]><sst><si><t>&a11;</t></si></sst>"
    )
    return _workbook(
        folder / "laughs.xlsx", lambda file: file.write(_row("x", "y", number=1)), shared
    )


@hostile("workbook-formulas", TABLE)
def _(folder: Path) -> Path:
    def sheet(file: Any) -> None:
        file.write(_row("x", "y", number=1))
        for i in range(2, 30):
            file.write(_row(f"=cmd|' /C touch RAN'!A{i}", "ab"[i % 2], number=i))

    return _workbook(folder / "formulas.xlsx", sheet)


_SETTINGS = "command = 'rank'\ntarget = 'y'\n"
_ROWS = "\n".join(f"{i % 7}.5,{i % 3},{'ab'[i % 2]}" for i in range(30))
MAKERS |= {
    "table-zip-traversal": (TABLE, lambda folder: _zip_of(folder, "../../outside.csv", "x,z,y\n" + _ROWS)),
    "ods-plain": (TABLE, lambda folder: _ods(folder / "t.ods", _ods_row("x", "z", "y") + "".join(
        _ods_row(str(i % 7), str(i % 3), "ab"[i % 2]) for i in range(30)) + _ODS_EMPTY)),
    "ods-repeated": (TABLE, lambda folder: _ods(folder / "t.ods", _ods_row("x", "y") + _ods_row(
        "1", rows=900_000, columns=100))),
    "ods-endless": (TABLE, lambda folder: _ods(folder / "t.ods", _ods_row("x", "y") + _ods_row(
        "1", rows=4_000_000_000, columns=4_000_000_000))),
    "ods-far": (TABLE, lambda folder: _ods(folder / "t.ods", _ods_row("x", "y") + _ODS_EMPTY
                                           + _ods_row("1", columns=90))),
    "ods-deep": (TABLE, lambda folder: _ods(folder / "t.ods", "<table:table-row>" * 500_000)),
    "table-long-cell": (TABLE, _write("long.csv", "x,y\n" + "a" * 30_000_000 + ",1\n2,0\n")),
    "table-open-quote": (TABLE, _write("quote.csv", 'x,y\n"' + "1,2\n" * 3_000_000)),
    "table-quotes": (TABLE, _write("quotes.csv", "x,y\n" + '"' * 10_000_001 + ",1\n")),
    "table-columns": (TABLE, _write("wide.csv", ",".join(f"c{j}" for j in range(300_000)) + ",y\n"
                                    + ",".join("1" * 300_000) + ",a\n")),
    "table-zero-bytes": (TABLE, _write("zero.csv", b"x,y\n" + b"\0" * 5_000_000)),
    "table-digits": (TABLE, _write("digits.csv", "x,z,y\n" + "9" * 1_000_000 + ",1,a\n" + _ROWS)),
    "table-exponents": (TABLE, _write("exponents.csv", "x,z,y\n1e" + "9" * 4000 + ",1,a\n" + _ROWS)),
    "table-spaces": (TABLE, _write("spaces.txt", ("x" + " " * 5_000_000 + "y\n") * 2)),
    "table-separators": (TABLE, _write("mixed.txt", ("a;b,c\td|e " * 100_000 + "\n") * 3)),
    "table-svmlight": (TABLE, _write("far.svmlight", "0 1:1 4000000000:1\n1 2:1\n")),
    "table-svmlight-many": (TABLE, _write("far.svmlight", "0 1:1 2000000000:1\n1 2:1\n0 3:1\n1 1:1\n")),
    "table-arff": (TABLE, _write("deep.arff", "@relation r\n@attribute x {" + "a," * 2_000_000
                                 + "b}\n@attribute y {a,b}\n@data\na,b\n")),
    "table-formulas": (TABLE, _write("formulas.csv", "=cmd|' /C touch RAN'!A0,@SUM(1),y\n" + _ROWS)),
    "table-markup": (TABLE, _write("markup.csv", "<script>alert(1)</script>,<img src=x>,y\n" + _ROWS)),
    "table-pickle": (TABLE, lambda folder: _write("table.pkl", _code(folder))(folder)),
    "table-parquet-cut": (TABLE, _write("cut.parquet", b"PAR1" + b"\xff" * 1003 + b"\x80PAR1")),
    "lists-one-line": (LISTS, _write("lists.txt", "a" * 20_000_000)),
    "lists-many": (LISTS, _write("lists.txt", "\n".join(f"g{i}" for i in range(300_000)))),
    "config-deep": (CONFIG, _write("run.toml", "command = 'rank'\ntarget = " + "[" * 50_000)),
    "config-dots": (CONFIG, _write("run.toml", _SETTINGS + ".".join("a" * 20_000) + " = 1\n")),
    "config-digits": (CONFIG, _write("run.toml", _SETTINGS + "n-resamples = " + "9" * 5000)),
    "config-outside": (CONFIG, _write("run.toml", _SETTINGS + "output = '../outside'\n")),
    "config-checkpoint": (CONFIG, _write("run.toml", _SETTINGS + "checkpoint = '../outside'\n")),
    "config-dask": (CONFIG, _write("run.toml", _SETTINGS + "dask = 'tcp://127.0.0.1:9'\n")),
    "config-resamples": (CONFIG, _write("run.toml", _SETTINGS + "n-resamples = 1000000000000\n")),
    "config-jobs": (CONFIG, _write("run.toml", _SETTINGS + "jobs = 100000000\nn-resamples = 3\n")),
}  # fmt: skip


def _zip_of(folder: Path, name: str, text: str) -> Path:
    with zipfile.ZipFile(folder / "table.zip", "w") as archive:
        archive.writestr(name, text)
    return folder / "table.zip"


class _Touch:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.path),)


def _code(folder: Path) -> bytes:
    return pickle.dumps(_Touch(folder / "RAN"))


@hostile("table-parquet-bomb", TABLE)
def _(folder: Path) -> Path:
    """Half a gigabyte of cells in a few kilobytes, by runs of one value."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(100_000_000, np.int32)), pa.array(["a" * 100])
    )
    pq.write_table(pa.table({"x": column, "y": column}), folder / "bomb.parquet")
    return folder / "bomb.parquet"


# ---------------------------------------------------------------------------------------------
# saved runs
# ---------------------------------------------------------------------------------------------
def _run(folder: Path) -> Path:
    """A saved run, to be spoilt."""
    shutil.copytree(folder / "whole", folder / "run")
    return folder / "run"


def _with_record(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Path]:
    def maker(folder: Path) -> Path:
        path = _run(folder) / "run.json"
        record = json.loads(path.read_text())
        changed = change(record)
        path.write_text(changed if isinstance(changed, str) else json.dumps(record))
        return path.parent

    return maker


def _with_arrays(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Path]:
    def maker(folder: Path) -> Path:
        run = _run(folder)
        with np.load(run / "matrices.npz") as file:
            arrays = dict(file)
        change(arrays)
        np.savez_compressed(run / "matrices.npz", **arrays)
        return run

    return maker


def _first(arrays: dict[str, Any]) -> str:
    return max(arrays, key=lambda name: arrays[name].size)


def _every(arrays: dict[str, Any], change: Callable[[Any], Any]) -> None:
    arrays |= {name: change(each) for name, each in arrays.items()}


_AWKWARD = {
    "null": None, "text": "x" * 10, "number": -1, "large": 10**300, "list": [], "object": {},
    "nested": [[[]]], "markup": "<script>alert(1)</script>", "path": "../../outside",
}  # fmt: skip


def spoilt_records(record: dict[str, Any]) -> dict[str, Callable[[dict[str, Any]], Any]]:
    """One change for each field of a record and each awkward value."""

    def put(key: str, value: Any) -> Callable[[dict[str, Any]], Any]:
        return lambda document: document.__setitem__(key, value)

    return {
        f"run-{key}-{kind}": put(key, value) for key in record for kind, value in _AWKWARD.items()
    }


def _npz_bomb(folder: Path) -> Path:
    run = _run(folder)
    header = np.lib.format.header_data_from_array_1_0(np.zeros((1, 1)))
    with np.load(run / "matrices.npz") as file:
        name = _first(dict(file))
    header["shape"] = (BOMB // 80, 10)
    with zipfile.ZipFile(run / "matrices.npz", "w", zipfile.ZIP_DEFLATED) as archive:  # noqa: SIM117
        with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array_header_1_0(file, header)
            for _ in range(BOMB // 1_000_000):
                file.write(bytes(1_000_000))
    return run


def _npz_claims(folder: Path) -> Path:
    """A header that claims more than there is."""
    run = _run(folder)
    with np.load(run / "matrices.npz") as file:
        name = _first(dict(file))
    header = np.lib.format.header_data_from_array_1_0(np.zeros((1, 1))) | {"shape": (10**12, 10)}
    with (
        zipfile.ZipFile(run / "matrices.npz", "w") as archive,
        archive.open(f"{name}.npy", "w") as file,
    ):
        np.lib.format.write_array_header_1_0(file, header)
    return run


def _checkpoint(change: Callable[[Path], None]) -> Callable[[Path], Path]:
    def maker(folder: Path) -> Path:
        shutil.copytree(folder / "kept", folder / "checkpoint")
        change(folder / "checkpoint")
        return folder / "checkpoint"

    return maker


def _link(folder: Path) -> Path:
    """A run whose files are links to another place."""
    run = _run(folder)
    (run / "run.json").unlink()
    (run / "run.json").symlink_to("/dev/zero")
    return run


def _pickled(arrays: dict[str, Any]) -> None:
    arrays[_first(arrays)] = np.array([_Touch(Path("RAN"))], dtype=object)


RESUME = ("rank table.csv --target y --n-resamples 20 --filters ig,cs --checkpoint F --output out",)
MAKERS |= {
    "run-deep": (SAVED, _with_record(lambda record: "[" * 200_000)),
    "run-objects": (SAVED, _with_record(lambda record: '{"a":' * 100_000)),
    "run-digits": (SAVED, _with_record(lambda record: '{"schema": ' + "9" * 100_000 + "}")),
    "run-list": (SAVED, _with_record(lambda record: "[1, 2]")),
    "run-empty": (SAVED, _with_record(lambda record: "")),
    "run-features": (SAVED, _with_record(lambda record: record.update(features=["f"] * 3_000_000))),
    "run-link": (SAVED, _link),
    "arrays-text": (SAVED, _with_arrays(lambda a: _every(a, lambda each: each.astype(str)))),
    "arrays-cut": (SAVED, _with_arrays(lambda a: _every(a, lambda each: each[:1]))),
    "arrays-turned": (SAVED, _with_arrays(lambda a: _every(a, np.transpose))),
    "arrays-scalar": (SAVED, _with_arrays(lambda a: _every(a, lambda each: np.array(1.0)))),
    "arrays-complex": (SAVED, _with_arrays(lambda a: _every(a, lambda each: each.astype(complex)))),
    "arrays-dates": (SAVED, _with_arrays(lambda a: _every(a, lambda each: each.astype("M8[s]")))),
    "arrays-nan": (SAVED, _with_arrays(lambda a: _every(a, lambda each: each * np.nan))),
    "arrays-infinite": (SAVED, _with_arrays(lambda a: _every(a, lambda each: each + np.inf))),
    "arrays-none": (SAVED, _with_arrays(lambda a: a.clear())),
    "arrays-names": (SAVED, _with_arrays(lambda a: a.update({"../../outside": np.zeros(3)}))),
    "arrays-pickle": (SAVED, _with_arrays(_pickled)),
    "arrays-bomb": (SAVED, _npz_bomb),
    "arrays-claims": (SAVED, _npz_claims),
    "checkpoint-deep": (RESUME, _checkpoint(lambda kept: _set(kept, "[" * 200_000))),
    "checkpoint-list": (RESUME, _checkpoint(lambda kept: _set(kept, "[]"))),
    "checkpoint-settings": (RESUME, _checkpoint(lambda kept: _set(kept, '{"schema": 1, "pyfsagg": []}'))),
    "checkpoint-parts": (RESUME, _checkpoint(lambda kept: _spoil_parts(kept))),
}  # fmt: skip


def _set(kept: Path, text: str) -> None:
    (kept / "checkpoint.json").write_text(text)


def _spoil_parts(kept: Path) -> None:
    for part in kept.rglob("*.npz"):
        part.write_bytes(pickle.dumps(_Touch(kept / "RAN")))


# ---------------------------------------------------------------------------------------------
# the run
# ---------------------------------------------------------------------------------------------
def prepare(folder: Path) -> None:
    """A table, a saved run and a checkpoint of it, in a folder."""
    from pyfsagg.cli import main

    (folder / "table.csv").write_text("x,z,y\n" + _ROWS + "\n")
    words = RESUME[0].partition(" --checkpoint")[0].split()
    here = Path.cwd()
    os.chdir(folder)
    try:
        main([*words, "--quiet", "--checkpoint", "kept", "--output", "whole"])
    finally:
        os.chdir(here)


def opened(folder: Path, words: list[str]) -> str:
    """What a command ends in: "done", "refused", or what is wrong with it."""
    before = _outside(folder)
    child = os.fork()
    if child == 0:
        _in_child(folder, words)
    _, status, used = os.wait4(child, 0)
    said = (folder / "said.txt").read_text(errors="replace")
    if (folder / "RAN").exists():
        return "code of the file ran"
    if _outside(folder) != before:
        return "a file outside"
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    code = os.WEXITSTATUS(status)
    if "Traceback" in said:
        return f"traceback: {said.strip().splitlines()[-1][:150]}"
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if used.ru_utime + used.ru_stime > SECONDS:
        return "too long"
    if "out of memory" in said:
        return "out of memory"
    return "refused" if code == 2 else "done"


def _in_child(folder: Path, words: list[str]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS, 2 * SECONDS))
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    os.chdir(folder)
    code: Any = 99
    with open("said.txt", "w", encoding="utf-8", errors="replace") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
        sys.stdout = sys.stderr = said
        sys.argv = ["pyfsagg", *words]
        try:
            from pyfsagg.cli import main

            code = main(words)
        except SystemExit as stop:
            code = stop.code
        except BaseException:
            traceback.print_exc()
        with contextlib.suppress(OSError):
            said.flush()
    os._exit(code if isinstance(code, int) else 1)


def _outside(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.parent.iterdir())


def tried(name: str, whole: Path, room: Path, show: bool = False) -> dict[str, str]:
    """The outcome of every command for one file; `whole` is a prepared folder."""
    commands, maker = MAKERS[name]
    found = {}
    folder = room / name / "in" / "side"
    shutil.copytree(whole, folder)
    target = maker(folder)
    for command in commands:
        words = [
            str(target.relative_to(folder)) if word == "F" else word for word in command.split()
        ]
        found[command.split()[0]] = opened(folder, words)
        if show:
            print(command, found[command.split()[0]], (folder / "said.txt").read_text()[-1500:])
        shutil.rmtree(folder / "out", ignore_errors=True)
    shutil.rmtree(room / name)
    return found


GOOD = ("done", "refused")

SIZE = 200_000
"""Characters of the texts whose reading is timed, and four times as many."""
LINEAR = 8.0
"""Between 4, the times as long of a linear reading, and 16, those of a quadratic one."""
TEXTS: dict[str, Callable[[int], str]] = {
    "one line": lambda n: "a" * n,
    "spaces": lambda n: "x" + " " * n + "y\n1 2\n",
    "quotes": lambda n: "x,y\n" + '"' * n + ",1\n",
    "an open quote": lambda n: 'x,y\n"' + "1,2\n" * (n // 4),
    "separators": lambda n: ("a;b,c\td|e " * (n // 30) + "\n") * 3,
    "blank lines": lambda n: "x,y\n" + "\n" * n + "1,2\n2,3\n",
    "comments": lambda n: "# x\n" * (n // 4) + "x,y\n1,2\n2,3\n",
    "digits": lambda n: "x,y\n" + "9" * n + ",1\n2,1\n",
    "percent signs": lambda n: "x,y\n" + "%" * n + ",1\n2,1\n",
    "dates": lambda n: "x,y\n" + "1/1/2020 1:1,1\n" * (n // 15) + "1/1/,2\n",
    "backslashes": lambda n: "x,y\n" + "\\" * n + ",1\n2,1\n",
    "dots": lambda n: "x,y\n" + "1." * (n // 2) + ",1\n2,1\n",
    "columns": lambda n: ",".join(f"c{j}" for j in range(n // 20)) + "\n"
    + (",".join("1" * (n // 20)) + "\n") * 2,
    "equal names": lambda n: ",".join("c" * (n // 2)) + "\n" + ",".join("1" * (n // 2)) + "\n",
    "numbers with a word": lambda n: "x,y\n" + "1,2\n" * (n // 4) + "a,2\n",
    "arff braces": lambda n: "@relation r\n@attribute x {" + "a," * (n // 2) + "b}\n@data\na\nb\n",
}  # fmt: skip


def growth() -> dict[str, dict[str, float]]:
    """How many times as long the readers take for four times as much of an awkward text."""
    import pyfsagg
    from pyfsagg.exceptions import PyfsaggError
    from pyfsagg.ranks import Rankings

    def seconds(read: Callable[[Path], Any], path: Path) -> float:
        started = time.process_time()
        with contextlib.suppress(PyfsaggError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
        return time.process_time() - started

    found: dict[str, dict[str, float]] = {}
    readers = {
        "table": pyfsagg.datasets.read_table,
        "lists": lambda path: Rankings.from_files([path]),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in TEXTS.items():
            found[name] = {}
            for reader, read in readers.items():
                path = Path(folder) / ("t.arff" if "arff" in name else "t.csv")
                took = []
                for size in (SIZE, 4 * SIZE):
                    path.write_text(text(size))
                    took.append(min(seconds(read, path) for _ in range(2)))
                # What takes no time in either size is as good as linear.
                ratio = took[1] / max(took[0], 0.02)
                found[name][reader] = round(ratio, 2)
            print(name, found[name], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="names that begin with this, and what their commands say")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where the figures go, as JSON")
    parser.add_argument("--again", action="store_true", help="only what --output has as findings")
    parser.add_argument("--growth", action="store_true", help="only time the readers of texts")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.growth:
        record = json.loads(options.output.read_text()) if options.output else {}
        record |= {"growth": growth(), "environment of growth": environment()}
        if options.output:
            options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        sys.exit(max(max(each.values()) for each in record["growth"].values()) > LINEAR)
    os.environ.setdefault("MPLBACKEND", "agg")
    import pyfsagg.cli  # before the forks

    assert pyfsagg.cli
    record: dict[str, Any] = {"files": 0, "memory": MEMORY, "seconds": SECONDS}
    record |= {"outcomes": dict.fromkeys((*GOOD, "finding"), 0), "findings": {}}
    names = None
    if options.again:
        record = json.loads(options.output.read_text())
        names, record["findings"] = record["findings"], {}
        record["files"] -= len(names)
        record["outcomes"]["finding"] = 0
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        whole.mkdir()
        prepare(whole)
        add_records(whole)
        for name in MAKERS:
            if not name.startswith(options.only or "") or name not in (names or MAKERS):
                continue
            found = tried(name, whole, Path(folder), show=bool(options.only))
            print(name, found, flush=True)
            record["files"] += 1
            for each in found.values():
                record["outcomes"][each if each in GOOD else "finding"] += 1
            if wrong := {command: each for command, each in found.items() if each not in GOOD}:
                record["findings"][name] = wrong
            record["environment"] = environment()
            if options.output:  # after each, so that a run that is stopped has its figures
                text = json.dumps(record, indent=1) + "\n"
                options.output.write_text(text, encoding="utf-8")
    print(json.dumps(record, indent=1))
    sys.exit(bool(record["findings"]))


def add_records(whole: Path) -> None:
    """The records with one spoilt field each, of the run in a prepared folder."""
    record = json.loads((whole / "whole" / "run.json").read_text())
    for name, change in spoilt_records(record).items():
        MAKERS[name] = ("show F",), _with_record(change)


if __name__ == "__main__":
    main()
