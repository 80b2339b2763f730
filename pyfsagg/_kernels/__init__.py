"""Numba loops on plain arrays: no validation, no logging, no Python objects.

numba keeps compiled kernels on disk and tells from the text of a kernel's own file whether they are
still valid.  A kernel that calls one of another file holds a copy of its code, and would go on with
the old copy after an upgrade that changes the other file only.  Versions of numba, too, give their
files the same names.  So whatever was compiled from different sources of this folder, or by another
numba, is thrown away here, before any kernel is loaded.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from numba import __version__, config, njit

_STAMP = "sources.sha256"


@njit(cache=True)
def _cached() -> None:
    """Never called: it knows where the cache of this folder is."""


def _forget_other_sources(sources: Path, cache: Path) -> None:
    """Empty `cache` unless this numba made it from what the folder `sources` holds now."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(sources.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    stamp = cache / _STAMP
    if stamp.is_file() and stamp.read_text() == digest.hexdigest():
        return
    # Of two processes that do this at once one may compile again; numba bears with missing files.
    for pattern in ("*.nbi", "*.nbc"):
        for path in cache.glob(pattern):
            path.unlink(missing_ok=True)
    stamp.write_text(digest.hexdigest())


if not config.DISABLE_JIT:  # type: ignore[attr-defined]
    _folder = _cached.stats.cache_path
    assert _folder is not None
    _forget_other_sources(Path(__file__).parent, Path(_folder))
