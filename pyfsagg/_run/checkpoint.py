"""Runs that survive: finished pieces of work are kept in a folder, and taken from there later.

A checkpoint folder holds ``checkpoint.json`` (whose pieces these are), ``part-*.npz`` (the pieces, a
second's worth of work in each) and ``lock``.  Every file is written completely or not at all; the name of
a part ends in a digest of its content.  A kill costs the pieces in work and those of the last second.
"""

import io
import json
import os
import stat
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import partial
from importlib.metadata import packages_distributions, version
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import RandomState
from pyfsagg._base.digest import digest
from pyfsagg._base.interrupts import note_kept
from pyfsagg._base.output import new_file
from pyfsagg._base.remarks import warn
from pyfsagg._message import Message, Param, Phrase, named
from pyfsagg._run.parallel import run_tasks
from pyfsagg._table.identity import arithmetic
from pyfsagg._version import __version__
from pyfsagg.exceptions import MissingDependencyError, OutputError, ParameterError

SCHEMA = 3
RECORD = "checkpoint.json"
RUN = "run"  # the member of a part that says whose it is
VERSION_ATTRIBUTE = "checkpoint_version"  # by which functions of the user are known
EVERY = 1.0  # seconds of work that a kill may cost

Piece = dict[str, NDArray[Any]]
Item = TypeVar("Item")


class Checkpoint:
    """The finished pieces of one run, by key; to be made by :func:`open_checkpoint`."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        for pattern in (".part-*", f".{RECORD}-*"):
            for draft in filter(Path.is_file, folder.glob(pattern)):
                draft.unlink()  # half-written by a run that was killed
        self._run = self._claim(settings)
        self._where: dict[str, Path] = {}
        self._loaded: tuple[Path | None, dict[str, Piece]] = None, {}
        self._fresh: dict[str, Piece] = {}
        self._written = time.monotonic()
        for path in sorted(folder.glob("part-*.npz")):
            self._where |= dict.fromkeys(_read_part(path, self._run), path)

    def __contains__(self, key: str) -> bool:
        return key in self._where or key in self._fresh

    def __len__(self) -> int:
        return len(self._where) + len(self._fresh)

    def get(self, key: str) -> Piece:
        """The arrays of a piece, by name."""
        if key in self._fresh:
            return self._fresh[key]
        path = self._where[key]
        if self._loaded[0] != path:
            self._loaded = path, _read_part(path, self._run)
        return self._loaded[1][key]

    def put(self, key: str, piece: Piece) -> None:
        """Keep a piece; it is on disk a second later at most, or when the checkpoint is closed."""
        self._fresh[key] = piece
        if time.monotonic() - self._written >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Write what is not yet on disk."""
        if not self._fresh:
            return
        arrays: dict[str, Any] = {
            f"{key}|{name}": array
            for key, piece in self._fresh.items()
            for name, array in piece.items()
        }
        file = io.BytesIO()
        arrays[RUN] = np.array(self._run)
        np.savez(file, **arrays)
        content = file.getvalue()
        number = len(set(self._where.values())) + 1
        path = self.folder / f"part-{number:06d}-{digest(content)[:16]}.npz"
        _write(path, content)
        self._where |= dict.fromkeys(self._fresh, path)
        self._fresh = {}
        self._written = time.monotonic()

    def close(self) -> None:
        """Write what is not yet on disk, and note where the finished part is."""
        self.flush()
        if self._where:
            note_kept(self.folder)

    def _claim(self, settings: Mapping[str, Any]) -> str:
        """Write the settings of this checkpoint, or compare with them; returns their digest."""
        plain, here = _plain(settings), arithmetic()
        known = read_record(self.folder)
        if known is None:
            made = {"schema": SCHEMA, "pyfsagg": __version__, "settings": plain, "arithmetic": here}
            _write(self.folder / RECORD, json.dumps(made, indent=1, sort_keys=True).encode())
        elif (difference := _difference(known["settings"], plain)) is not None:
            raise ParameterError(
                f"the checkpoint {self.folder} belongs to another run: ",
                difference,
                ". Repeat that run, or name another folder",
            )
        elif (difference := _difference(known.get("arithmetic"), here)) is not None:
            warn(
                f"the checkpoint {self.folder} was started on a machine with different numerics ",
                f"({difference}): its results and those computed now may differ in the last digits ",
                "from a run in one place",
                stacklevel=5,
            )
        return digest(json.dumps(plain, sort_keys=True))


@contextmanager
def open_checkpoint(
    folder: str | os.PathLike[str] | None, settings: Mapping[str, Any]
) -> Iterator[Checkpoint | None]:
    """The checkpoint of a run, locked for this process; `settings` hold all that the pieces depend on."""
    if folder is None:
        yield None
        return
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ParameterError(f"the checkpoint {path} is a file; name a folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
        names = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
    except OSError as error:
        raise OutputError(f"cannot use the checkpoint {path}: {error.strerror}") from None
    if names - {"lock"} and RECORD not in names:
        raise ParameterError(
            f"the folder {path} contains other files than a checkpoint; name a new or empty one"
        )
    with _lock(path):
        checkpoint = Checkpoint(path, settings)
        try:
            yield checkpoint
        except BaseException:
            with suppress(OutputError):  # what stopped the run is what its user has to hear
                checkpoint.close()
            raise
        checkpoint.close()


def resume_tasks(
    checkpoint: Checkpoint | None,
    keys: Sequence[str],
    function: Callable[[Any, Item], Piece],
    shared: Any,
    items: Sequence[Item],
    *,
    n_jobs: int | None = None,
    threads: bool = True,
) -> Iterator[Piece]:
    """As :func:`pyfsagg._run.parallel.run_tasks`, with answers that the checkpoint keeps by their keys."""
    if checkpoint is None:
        yield from run_tasks(function, shared, items, n_jobs=n_jobs, threads=threads)
        return
    missing = {key: item for key, item in zip(keys, items, strict=True) if key not in checkpoint}
    fresh = run_tasks(function, shared, [*missing.values()], n_jobs=n_jobs, threads=threads)
    for key in keys:
        if key in missing:
            checkpoint.put(key, next(fresh))
        yield checkpoint.get(key)


def kept_seed(folder: str | os.PathLike[str] | None, random_state: RandomState) -> Any:
    """The seed of an existing checkpoint, if the caller gave none."""
    if folder is None or random_state is not None:
        return random_state
    record = read_record(Path(folder))
    return None if record is None else record["settings"].get("seed")


def spoken_state(folder: str | os.PathLike[str]) -> str:
    """What a rerun will find in a folder and its sub-folders, in one sentence."""
    runs = [file.parent for file in Path(folder).rglob(RECORD) if read_record(file.parent)]
    if not runs:
        return f"finished work is in {folder}"
    pieces = sum(len(_read_part(part)) for run in runs for part in run.glob("part-*.npz"))
    return f"continuing from {folder}: {pieces} pieces of work are done"


def read_record(folder: Path) -> dict[str, Any] | None:
    """The content of ``checkpoint.json``, or None."""
    path = folder / RECORD
    if not path.is_file():
        return None
    try:
        record: dict[str, Any] = json.loads(path.read_bytes())
        schema, made_by = record["schema"], record["pyfsagg"]
        if schema == SCHEMA:
            dict(record["settings"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OutputError(f"{path} is damaged ({error}); begin in another folder") from None
    if schema != SCHEMA:
        raise OutputError(
            f"the checkpoint {folder} has the schema {schema} of pyfsagg {made_by}; this is pyfsagg "
            f"{__version__} with schema {SCHEMA}. Begin in another folder"
        )
    return record


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Two runs must not write into one folder; the system frees the lock of a killed process."""
    try:
        import fcntl
    except ImportError:
        raise MissingDependencyError(
            "a checkpoint needs the file locks of Unix (fcntl), which this system does not have"
        ) from None
    path = folder / "lock"
    try:
        # No link of this name is followed, no pipe is read, and no file is truncated.
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
    except OSError as error:
        if path.is_symlink():
            raise OutputError(f"{path} is a symbolic link; remove it") from None
        raise OutputError(f"cannot write the checkpoint {folder}: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(lock).st_mode):
            raise OutputError(f"{path} is not a file; remove it")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OutputError(
                f"the checkpoint {folder} is in use by another process; wait for it, or name another "
                "folder"
            ) from None
        yield
    finally:
        os.close(lock)


def _write(path: Path, content: bytes) -> None:
    """Write a file that is complete, and on disk, or not there."""
    try:
        with new_file(path) as draft, open(draft, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name is on disk, too
        finally:
            os.close(folder)
    except OSError as error:
        raise OutputError(
            f"{error}; what was kept before is intact: make room and repeat the call"
        ) from None


def _read_part(path: Path, run: str | None = None) -> dict[str, Piece]:
    """The pieces of a part, after a check that it is what was written, and by this `run`."""
    try:
        content = path.read_bytes()
        if digest(content)[:16] != path.stem.rpartition("-")[2]:
            raise ValueError("its content does not match its name")
        pieces: dict[str, Piece] = {}
        with np.load(io.BytesIO(content), allow_pickle=False) as members:
            if run not in (None, str(members[RUN])):
                raise ValueError("it belongs to another run")
            for member in members.files:
                if member == RUN:
                    continue
                key, _, name = member.partition("|")
                pieces.setdefault(key, {})[name] = members[member]
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise OutputError(
            f"{path} is damaged ({error}); delete this file, and its part is computed again"
        ) from None
    return pieces


def _plain(value: Any) -> Any:
    """A value as JSON keeps it, the same in every process: data by content, code by its version."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}:{digest(value)}"
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if type(value).__module__.startswith("pyfsagg.") and is_dataclass(value):
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        return {"": type(value).__qualname__, **_plain(parts)}
    name = str(getattr(value, "__qualname__", getattr(value, "__name__", type(value).__name__)))
    if (given := _given_version(value)) is not None:
        return f"{name} {given}"
    if isinstance(value, partial):
        return {"": _plain(value.func), "arguments": _plain([value.args, value.keywords])}
    if not isinstance(value, type) and hasattr(value, "get_params") and hasattr(value, "fit"):
        # It is cloned before it is fitted, so what it has learned before is no part of it.
        return {"": _plain(type(value)), "parameters": _plain(value.get_params(deep=False))}
    held: Any = sys.modules.get(module := getattr(value, "__module__", None) or "")
    for part in name.split("."):
        held = getattr(held, part, None)
    if held is value and (release := _installed_version(module)) is not None:
        return f"{module}.{name} {release}"
    short = name.rpartition(".")[2]
    own = short if isinstance(value, (FunctionType, type)) and short.isidentifier() else "f"
    raise ParameterError(
        Param("checkpoint"),
        f" cannot tell whether {short!r} has changed since the run was begun: it is not part of an "
        "installed package, and has no version. Give it one, and another whenever it changes or "
        "something that it uses: ",
        Phrase("version", f"{own}.{VERSION_ATTRIBUTE} = '1'"),
        "; or leave out ",
        Param("checkpoint"),
    )


def _given_version(value: Any) -> str | None:
    """The version of an object itself; that of its class would not know its attributes."""
    owner = getattr(value, "__self__", value)  # the object of a bound method
    given = getattr(owner, "__dict__", {}).get(VERSION_ATTRIBUTE)
    return str(given) if isinstance(given, (str, int)) else None


def _installed_version(module: str) -> str | None:
    """The version of an installed package; None for files of the user, which change without one."""
    top = module.partition(".")[0]
    if top in ("pyfsagg", "builtins"):
        return __version__
    file = Path(getattr(sys.modules.get(top), "__file__", None) or "")
    if {"site-packages", "dist-packages"}.isdisjoint(file.parts):
        return None
    packages = packages_distributions().get(top, [])
    return " ".join(version(package) for package in sorted(packages)) or None


_IN_WORDS = {
    "data": "the table or the target differs",
    "weights": "the resamples differ",
    "functions": "a function or an estimator that ranks features differs",
}


def _difference(there: Any, here: Any, name: str = "") -> str | None:
    """The first setting that differs, in words, or None."""
    if isinstance(there, dict) or isinstance(here, dict):
        there, here = (part if isinstance(part, dict) else {} for part in (there, here))
        for key in sorted(there.keys() | here.keys(), key=lambda key: (key != "kind", key)):
            inner = _difference(there.get(key), here.get(key), f"{name}.{key}" if name else key)
            if inner:
                return inner
        return None
    if json.dumps(there, sort_keys=True) == json.dumps(here, sort_keys=True):
        return None
    if name in _IN_WORDS:
        return _IN_WORDS[name]
    return Message(named(name), f" is {_short(there)} there and {_short(here)} here")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
