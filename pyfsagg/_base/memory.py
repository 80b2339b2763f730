"""What a computation may hold in memory: estimated from shapes, and refused before it is spent."""

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from pyfsagg._base.remarks import set_inside
from pyfsagg._base.validation import check_integer
from pyfsagg._message import Got, Message, Param, Remedy
from pyfsagg.exceptions import DataError, ParameterError

UNITS = {
    "": 1,
    **{f"{prefix}B": 1000**i for i, prefix in enumerate(["", "k", "M", "G", "T"])},
    **{f"{prefix}iB": 1024**i for i, prefix in enumerate(["", "K", "M", "G", "T"]) if i},
}
VARIABLE = "PYFSAGG_MEMORY_LIMIT"  # of the environment: a limit for a whole process

NOT_WORTH_A_LOOK = 50_000_000  # bytes below which free memory is not looked up, without a limit

_limit: ContextVar[int | None] = ContextVar("limit", default=None)
_estimates: ContextVar[list[tuple[str, float, int]] | None] = ContextVar("estimates", default=None)


def read_memory(value: int | str) -> int:
    """Bytes: a number as it is, or a text such as ``"2GB"`` or ``"512 MiB"``."""
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", value)
        units = {unit.lower(): size for unit, size in UNITS.items()}
        if match is None or match[2].lower() not in units:
            words = " must be a number of bytes, or a text such as '2GB'"
            raise ParameterError(Param("memory_limit"), words, Got(value))
        value = int(float(match[1]) * units[match[2].lower()])
    return check_integer(Message(Param("memory_limit"), " (in bytes)"), value, low=1)


def memory_limit(size: int | str | None) -> AbstractContextManager[Any]:
    """A memory limit inside a ``with`` block: larger computations are refused.

    The memory of a computation is estimated from the shapes of its arrays before any of it is allocated.
    Without a limit, the memory that is free on the machine counts.  The variable PYFSAGG_MEMORY_LIMIT of
    the environment sets a limit for a whole process.

    Parameters
    ----------
    size : int, str or None
        Memory of the whole process: bytes, or a text such as ``"2GB"``.  None sets no limit.

    Examples
    --------
    >>> import numpy as np
    >>> import pyfsagg
    >>> with pyfsagg.out_of_core.memory_limit("4GB"):
    ...     answer = pyfsagg.stability_measures.nogueira([{1, 2}, {2, 3}], n_features=10)
    """
    return set_inside(_limit, None if size is None else read_memory(size))


def limit_in_force() -> int | None:
    """The limit of :func:`memory_limit`, or of the variable; None without one."""
    limit = _limit.get()
    if limit is None and os.environ.get(VARIABLE):
        return read_memory(os.environ[VARIABLE])
    return limit


def require_memory(needed: float, what: str, remedy: str) -> None:
    """Refuse `what` if it takes more than may be held."""
    estimated = _estimates.get()
    if estimated is not None:
        estimated.append((what, needed, resident()))
    limit = limit_in_force()
    if limit is None and needed < NOT_WORTH_A_LOOK:
        return
    free = free_bytes()
    room = float("inf") if free is None else float(free)
    there = f"{in_words(room)} are free"
    if limit is not None and limit - resident() < room:
        room = max(0.0, float(limit - resident()))
        there = f"{in_words(room)} are left of the memory limit of {in_words(limit)}"
    if needed > room:
        raise DataError(f"{what} would take about {in_words(needed)}, and {there}", Remedy(remedy))


@contextmanager
def within_memory(needed: float, what: str, remedy: str) -> Iterator[None]:
    """As :func:`require_memory`, and the same error if an allocation in the block fails all the same."""
    require_memory(needed, what, remedy)
    try:
        yield
    except MemoryError:
        raise DataError(
            f"{what} would take about {in_words(needed)}, which could not be had", Remedy(remedy)
        ) from None


def estimates() -> AbstractContextManager[list[tuple[str, float, int]]]:
    """The requests of :func:`require_memory` inside the block, with the memory of the process at the time."""
    return set_inside(_estimates, [])


def in_words(size: float) -> str:
    """Bytes as a person reads them."""
    if size >= 1e9:
        return f"{size / 1e9:,.1f} GB"
    return f"{max(1, round(size / 1e6)):,} MB"


def resident() -> int:
    """Bytes that this process holds now; 0 if the system does not report them."""
    return _stated("/proc/self/status", "VmRSS:") or 0


def _stated(path: str, field: str) -> int | None:
    """Bytes stated by a system file; None without one."""
    if Path(path).is_file():
        for line in Path(path).read_text().splitlines():
            if line.startswith(field):
                return 1024 * int(line.split()[1])
    return None


def free_bytes() -> int | None:
    """The least memory that the machine, its container and the limit of this process leave, if known."""
    sizes = [_stated("/proc/meminfo", "MemAvailable:")]
    with suppress(OSError, ValueError):  # no container, or no number: "max"
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()) - resident())
    with suppress(ImportError):  # Windows has no such limit
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most != resource.RLIM_INFINITY:  # of addresses, not of pages that are held
            sizes.append(max(0, most - (_stated("/proc/self/status", "VmSize:") or 0)))
    return min((size for size in sizes if size is not None), default=None)
