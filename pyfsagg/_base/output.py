"""Folders and files of results that are written completely or not at all, at a place that is held before."""

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pyfsagg._base.interrupts import note_written, raise_if_interrupted
from pyfsagg.exceptions import OutputError

LAST = "run.json"  # where files arrive one by one, its presence says that all are there


class TakenError(OutputError):
    """The folder is a file, not empty, or in use; `results`: it has replaceable ones of an earlier run."""

    results = False


class Place:
    """A folder for results, held from the start of a run to its end. A `draft` beside it replaces it in
    one step; inside it (a working directory, a mount point) files move one by one."""

    def __init__(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Hold a new or empty folder, with `overwrite` also one with results of a run, and remove
        drafts of killed runs. Files that its record does not name are kept."""
        self.folder = Path(folder)
        self._lock: int | None = None
        self._made = False
        self._replaces = overwrite and (self.folder / LAST).is_file()
        if self.folder.exists() and not self.folder.is_dir():
            raise TakenError(f"the output folder {folder} is a file")
        try:
            with suppress(FileExistsError):
                self.folder.mkdir(parents=True)
                self._made = True
            self._real = self.folder.resolve()
            self._inside = self._replaces or _stays(self._real)
            where = self._real if self._inside else self._real.parent
            stem = ".pyfsagg" if self._inside else f".{self._real.name}"
            self._hold(re.compile(re.escape(stem) + r"-[0-9a-f]{8}\.draft"), where)
            self.draft = where / f"{stem}-{os.urandom(4).hex()}.draft"
            self.draft.mkdir()
        except OutputError:
            self.release()
            raise
        except OSError as error:
            self.release()
            raise OutputError(f"cannot write {folder}: {error.strerror or error}") from None

    def _hold(self, leftover: re.Pattern[str], where: Path) -> None:
        """Lock the folder until this process lets it go or ends; the system sees to that."""
        with suppress(ImportError):
            import fcntl

            self._lock = os.open(self._real, os.O_RDONLY)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TakenError(
                    f"the output folder {self.folder} is in use by another run; name a new one"
                ) from None
            except OSError:  # a file system without locks
                leftover = re.compile("(?!)")
            if not os.path.samestat(os.fstat(self._lock), self._real.stat()):
                raise TakenError(f"the output folder {self.folder} is not empty; name a new one")
            for entry in where.iterdir():
                if leftover.fullmatch(entry.name):
                    shutil.rmtree(entry, ignore_errors=True)
        if not self._replaces and any(self._real.iterdir()):
            taken = TakenError(f"the output folder {self.folder} is not empty; name a new one")
            taken.results = (self._real / LAST).is_file()
            raise taken

    def publish(self) -> None:
        """Let the draft become the folder."""
        raise_if_interrupted()
        try:
            if self._inside:
                if self._replaces:  # while files change the folder is incomplete
                    earlier: set[str] = set()
                    with suppress(ValueError, TypeError, KeyError, RecursionError):
                        record = json.loads((self._real / LAST).read_text(encoding="utf-8"))
                        earlier = set(map(str, record["files"]))
                    (self._real / LAST).unlink()
                    for path in list(self._real.iterdir()):
                        if path.name in earlier and path.is_file():
                            path.unlink()
                for path in sorted(self.draft.iterdir(), key=lambda file: file.name == LAST):
                    path.rename(self._real / path.name)
                self.draft.rmdir()
            else:
                os.replace(self.draft, self._real)
            note_written(self.folder)
        except OSError as error:
            saved = self.draft
            for number in range(2, 100):  # under a name that shows, if there is one that is free
                other = self._real.with_name(f"{self._real.name}-{number}")
                with suppress(OSError):
                    if not other.exists():
                        saved = self.draft.rename(other)
                        break
            self.draft = self._real  # release() leaves it alone
            raise OutputError(
                f"cannot write {self.folder}: {error.strerror or error}; the results are in {saved}"
            ) from None

    def release(self) -> None:
        """Let the folder go; nothing is left of it that was not there before."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        if hasattr(self, "draft") and self.draft != self._real:
            shutil.rmtree(self.draft, ignore_errors=True)
        if self._made:
            with suppress(OSError):  # a folder with results stays
                self.folder.rmdir()


@contextmanager
def new_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft folder that becomes `folder` when the block ends, and vanishes if it fails."""
    place = Place(folder)
    try:
        yield place.draft
        place.publish()
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        place.release()


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft beside `path` that replaces it in the end, or vanishes, as do drafts of killed runs."""
    target = Path(path)
    draft: Path | None = None
    lock: int | None = None
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _remove_deserted(target)
        draft, lock = _locked_draft(target)
        yield draft
        os.replace(draft, target)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            if lock is not None:
                os.close(lock)
            if draft is not None:
                draft.unlink(missing_ok=True)


@contextmanager
def result_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file that its user asked for, unlike those by which a run goes on later."""
    with new_file(path) as draft:
        yield draft
        raise_if_interrupted()
    note_written(Path(path))


def _locked_draft(target: Path) -> tuple[Path, int | None]:
    """A new empty draft, and the file that locks it until it is closed or this process ends."""
    while True:
        draft = target.parent / f".{target.name}-{os.urandom(4).hex()}"
        # With the permissions that the user's mask leaves.
        lock = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            import fcntl
        except ImportError:  # where an open file cannot take the place of another
            os.close(lock)
            return draft, None
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if os.fstat(lock).st_nlink:  # or another run took it for deserted before it was locked
            return draft, lock
        os.close(lock)


def _remove_deserted(target: Path) -> None:
    """Remove the drafts of a file that no process holds any more."""
    leftover = re.compile(re.escape(f".{target.name}-") + "[0-9a-f]{8}")
    with suppress(ImportError, OSError):
        import fcntl

        for draft in [each for each in target.parent.iterdir() if leftover.fullmatch(each.name)]:
            with suppress(OSError):
                lock = os.open(draft, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    draft.unlink()
                finally:
                    os.close(lock)


def _stays(real: Path) -> bool:
    """Whether a folder cannot be replaced: it is a working directory or a mount point."""
    with suppress(OSError):
        if real == Path.cwd():
            return True
    return os.path.ismount(real) or not os.access(real.parent, os.W_OK | os.X_OK)
