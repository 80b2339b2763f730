"""Numba loops on plain arrays: no validation, no logging, no Python objects.

numba tells from the text of a kernel's own file whether the code on disk is still valid.  A kernel
that calls one of another file contains a copy of its code, old after an upgrade of that file only, and
versions of numba share file names.  So all that was compiled from different sources of this folder, or
by another numba, is thrown away here, before any kernel is loaded.  A digest at the end of each file tells
what a full disk, a crash or the years have damaged, which is compiled again.  Where nothing can be kept,
kernels are compiled into a folder for this process.

A wheel may bring what was compiled when it was built (`tools/compiled_kernels.py`), as archives in the
folder `compiled`: of these sources, for one version of numba and of Python and for processors that have
certain instructions.  What is found neither in the cache nor there is compiled.

Every loop is compiled by :func:`kernel`, whose files two processes may fill at once.
"""

import atexit
import functools
import hashlib
import io
import json
import os
import pickle
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, overload
from zipfile import ZipFile

import numpy as np
from numba import __version__, config, njit
from numba.core.caching import IndexDataCacheFile
from numba.core.registry import cpu_target
from numpy.typing import NDArray

Weights = NDArray[np.uint16]  # how often each row counts
Codes = NDArray[np.int32]  # labels, levels, rows
Words = NDArray[np.uint32]
Bits = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Unsigned = NDArray[np.unsignedinteger[Any]]  # codes in as few bytes as hold them

_STAMP = "sources.sha256"
_Loop = TypeVar("_Loop", bound=Callable[..., Any])


class _SharedCacheFile(IndexDataCacheFile):
    """The compiled code of one kernel, each set of argument types in a file named after these types. numba
    numbers the files: two processes that compile at the same time may take one number, and later ones run
    code on arrays of the wrong type. With these names the worst is to compile twice."""

    def save(self, key: Any, data: Any) -> None:
        files: Any = self  # numba has no types
        overloads = files._load_index()
        overloads[key] = name = files._data_name(_number(key))
        files._save_index(overloads)
        files._save_data(name, data)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        content = io.BytesIO()
        yield content
        numbas: Any = super()  # numba has no types
        with numbas._open_for_write(filepath) as file:
            file.write(content.getvalue() + hashlib.sha256(content.getbuffer()).digest())

    def _load_index(self) -> dict[Any, str]:
        files: Any = self
        numbas: Any = super()
        return numbas._load_index() if _undamaged(files._index_path) else {}

    def _load_data(self, name: str) -> Any:
        files: Any = self
        numbas: Any = super()
        if not _undamaged(files._data_path(name)):
            raise FileNotFoundError  # which numba bears with: it compiles
        return numbas._load_data(name)  # a pickle ends before the digest

    def load(self, key: Any) -> Any:
        """The code from the cache, or else what came with the package for this processor."""
        files: Any = super()  # numba has no types
        kept = files.load(key)
        if kept is not None:
            return kept
        signature, processor, code = key
        archive = _shipped(*processor)
        name = files._data_name(_number((signature, code)))
        if archive is None or name not in archive.namelist():
            return None
        return pickle.loads(archive.read(name))


def _undamaged(path: str) -> bool:
    """Whether a file is there and ends with the digest of what stands before."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return hashlib.sha256(content[:-32]).digest() == content[-32:]


def _number(key: Any) -> int:
    """A number for the name of a file."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:6], "big")


@functools.cache
def _shipped(system: str, processor: str, able: str) -> ZipFile | None:
    """What was compiled when the package was built and runs here: that which uses most instructions."""
    chosen, most = None, -1
    plain = config.BOUNDSCHECK is None and int(config.OPT) == 3  # type: ignore[attr-defined]
    for path in sorted((_SOURCES / "compiled").glob("*.zip")) if plain else []:
        with ZipFile(path) as archive:
            made = json.loads(archive.comment)
        fits = made["sources"] == _digest(_SOURCES) and made["system"] == system
        needs = set(made["needs"])
        if fits and made["python"] == sys.implementation.cache_tag and len(needs) > most:
            if needs <= set(able.split(",")):
                chosen, most = path, len(needs)
    # In memory: processes that are forked would share the place at which an open file is read.
    return None if chosen is None else ZipFile(io.BytesIO(chosen.read_bytes()))


@overload
def kernel(function: _Loop, /) -> _Loop: ...
@overload
def kernel(**options: Any) -> Callable[[_Loop], _Loop]: ...
def kernel(function: Any = None, /, **options: Any) -> Any:
    """Compile a loop when it is first called; `options` are those of :func:`numba.njit`."""
    if function is None:
        return lambda function: kernel(function, **options)
    # Nobody calls a kernel from C, and the way to do so takes a tenth of the time to compile.
    options["no_cfunc_wrapper"] = True
    compiled = njit(cache=True, nogil=True, **options)(function)
    if not config.DISABLE_JIT:  # type: ignore[attr-defined]
        compiled._cache._cache_file.__class__ = _SharedCacheFile
    return compiled


def _never_called() -> None:
    """Its code, given to another file, asks numba where the cache of that file is."""


def _caches(sources: Path) -> list[Path]:
    """Where numba keeps what it compiles from the files of a folder and of its rooms."""
    found = []
    for room in sorted(sources.rglob("__init__.py")):
        code = _never_called.__code__.replace(co_filename=str(room))
        found.append(Path(str(njit(cache=True)(FunctionType(code, {})).stats.cache_path)))
    return found


@functools.cache
def _digest(sources: Path) -> str:
    """A digest of this numba and these sources."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(sources.rglob("*.py")):
        digest.update(path.relative_to(sources).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _forget_other_sources(sources: Path) -> bool:
    """Empty the caches unless this numba made them from `sources`; whether kernels are left."""
    left = False
    for cache in _caches(sources):
        stamp = cache / _STAMP
        if stamp.is_file() and stamp.read_text() == _digest(sources):
            left = left or any(cache.glob("*.nbc"))
            continue
        # Of two processes that do this at once one may compile again; numba bears with missing files.
        for path in cache.glob("*.nb[ic]"):
            path.unlink(missing_ok=True)
        stamp.write_text(_digest(sources))
    return left


def compiled() -> bool:
    """Whether kernels are compiled already, by an earlier process or in the package, or numba is off."""
    if _KEPT or config.DISABLE_JIT:  # type: ignore[attr-defined]
        return True
    return _shipped(*cpu_target.target_context.codegen().magic_tuple()) is not None


_SOURCES = Path(__file__).parent
_KEPT = False
if not config.DISABLE_JIT:  # type: ignore[attr-defined]
    try:
        _KEPT = _forget_other_sources(_SOURCES)
    except (OSError, RuntimeError):  # numba's "no locator available" is the latter
        # In a folder of this user alone that vanishes with this process; its workers find them there.
        _folder = tempfile.mkdtemp(prefix="pyfsagg-kernels-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
        os.environ["NUMBA_CACHE_DIR"] = config.CACHE_DIR = _folder  # type: ignore[attr-defined]
