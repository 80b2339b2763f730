"""The content of a file or of standard input: unpacked, and as text."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import os
import sys
import zipfile
import zlib
from pathlib import Path

from pyfsagg._base.checks import check_path
from pyfsagg.exceptions import DataError

__all__ = ["decode_text", "read_bytes", "read_hashed", "shown_source", "unpack_zip"]

_PACKED = {
    b"\x1f\x8b": ("gzip", gzip.decompress),
    b"BZh": ("bz2", bz2.decompress),
    b"\xfd7zXZ\x00": ("xz", lzma.decompress),
}
_DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def shown_source(source: str | os.PathLike[str]) -> str:
    """What a file is called in messages."""
    return "standard input" if str(source) == "-" else str(source)


def read_bytes(source: str | os.PathLike[str]) -> bytes:
    """The content of a file, or of standard input (``"-"``); unpacked if it is packed by gzip, bz2 or xz.

    Raises
    ------
    DataError
        If there is no such file, or it cannot be read or unpacked.
    """
    return read_hashed(source)[0]


def read_hashed(source: str | os.PathLike[str]) -> tuple[bytes, str]:
    """As :func:`read_bytes`, with the SHA-256 of the file as it lies there: what ``sha256sum`` prints."""
    check_path("a file", source)
    label = shown_source(source)
    if str(source) == "-":
        content = sys.stdin.buffer.read()
    else:
        path = Path(source)
        try:
            if path.is_dir():
                raise DataError(f"{label} is a folder, not a file")
            content = path.read_bytes()
        except FileNotFoundError:
            raise DataError(f"no such file: {label}") from None
        except OSError as error:
            raise DataError(f"cannot read {label}: {error.strerror or error}") from None
    digest = hashlib.sha256(content).hexdigest()
    for mark, (packer, unpack) in _PACKED.items():
        if content.startswith(mark):
            try:
                return unpack(content), digest
            except _DAMAGED as error:
                raise DataError(f"{label} is a damaged {packer} file: {error}") from None
    return content, digest


def unpack_zip(content: bytes, label: str) -> tuple[bytes, str]:
    """The one file in a zip archive, and its name.

    Raises
    ------
    DataError
        If the archive is damaged or encrypted, or does not hold exactly one file.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            hidden = ("__MACOSX", ".")
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
            names = [name for name in names if not name.startswith(hidden)]
            if len(names) != 1:
                raise DataError(
                    f"{label} is a zip archive of {len(names)} files, and a table is one file; unpack "
                    "it and name the file"
                )
            return archive.read(names[0]), names[0]
    except (*_DAMAGED, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{label} is a damaged or encrypted zip file: {error}") from None


def decode_text(content: bytes, label: str, encoding: str | None = None) -> tuple[str, str]:
    """Text with every line end as ``\\n``, and the encoding it was in.

    Without the name of an encoding it is what a byte order mark says, UTF-16 where every other byte of
    the beginning is zero, and UTF-8 otherwise.

    Raises
    ------
    DataError
        For an unknown encoding, or bytes that are not in it.
    """
    found = encoding or _sniff_encoding(content)
    try:
        text = content.decode(found)
    except LookupError:
        raise DataError(
            f"unknown encoding {found!r}; known are, for instance, utf-8, utf-16, cp1252 (Windows), "
            "latin-1 and mac-roman"
        ) from None
    except UnicodeDecodeError as error:
        advice = (
            "say which encoding it is in: encoding='cp1252' for most Windows files, or latin-1, "
            "utf-16 …"
            if encoding is None
            else "say another encoding"
        )
        raise DataError(
            f"{label} is not {found.upper()} text (byte {error.start}); {advice}"
        ) from None
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text, found


def _sniff_encoding(content: bytes) -> str:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    start = content[:200]
    if len(start) >= 4 and not any(start[1::2]):
        return "utf-16-le"
    if len(start) >= 4 and not any(start[0::2]):
        return "utf-16-be"
    return "utf-8"
