"""Files of strangers: a few of those that the tool makes are opened in every suite."""

from __future__ import annotations

import gzip
import sys
import zipfile
from pathlib import Path

import pytest

import pyfsagg
from pyfsagg.exceptions import DataError

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import hostile

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the tool limits a process by /proc"
)

FEW = [
    "workbook-cells", "workbook-entities", "ods-plain", "ods-repeated", "ods-endless",
    "table-zip-traversal", "table-digits",
    "table-pickle", "config-deep", "config-digits", "config-dask",
    "config-outside", "run-deep", "run-link", "run-list",
    "arrays-claims", "arrays-pickle", "arrays-text", "checkpoint-deep",
    "checkpoint-parts", "run-method-null", "run-method-list",
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    hostile.prepare(folder)
    hostile.add_records(folder)
    return folder


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("name", FEW)
def test_a_file_of_a_stranger_is_refused_in_a_sentence(
    name: str, whole: Path, tmp_path: Path
) -> None:
    found = hostile.tried(name, whole, tmp_path)
    assert set(found.values()) <= set(hostile.GOOD), found


def test_what_is_packed_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "table.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(bytes(1_000_000))
    with (
        pyfsagg.out_of_core.memory_limit("300MB"),
        pytest.raises(DataError, match=r"unpacks to .* or more"),
    ):
        pyfsagg.datasets.read_table(path)


def test_an_archive_that_understates_a_size_is_read_to_its_end(tmp_path: Path) -> None:
    path, rows = tmp_path / "table.zip", "1,2\n" * 50_000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("table.csv", "x,y\n" + rows)
    hostile._lying(path, 4 + len(rows))
    with zipfile.ZipFile(path) as archive:
        assert archive.getinfo("table.csv").file_size == 1000
    assert len(pyfsagg.datasets.read_table(path)) == 50_000
