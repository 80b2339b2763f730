"""Folders and files of results that appear complete or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyfsagg.exceptions import OutputError

__all__ = ["new_file", "new_folder"]


@contextmanager
def new_folder(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft folder that becomes `folder` when the block ends, and vanishes if it fails.

    Raises
    ------
    OutputError
        If `folder` is a file, is not empty, or its parent cannot be written.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise OutputError(f"the output folder {folder} is a file")
    if target.is_dir() and any(target.iterdir()):
        raise OutputError(f"the output folder {folder} is not empty; name a new one")
    draft: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        yield draft
        draft.chmod(0o755)
        os.replace(draft, target)
        draft = None
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def new_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A draft beside `path` that takes its place when the block ends, and vanishes if it fails.

    An existing file is replaced.

    Raises
    ------
    OutputError
        If `path` is a folder, or its folder does not exist or cannot be written.
    """
    target = Path(path)
    draft: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
        os.close(handle)
        draft = Path(name)
        yield draft
        draft.chmod(0o644)
        os.replace(draft, target)
        draft = None
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if draft is not None:
            draft.unlink(missing_ok=True)
