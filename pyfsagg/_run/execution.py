"""How a run is executed; nothing here changes any bit of a result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, Self

from pyfsagg._base.memory import memory_limit, read_memory
from pyfsagg._base.settings import Settings, option
from pyfsagg.exceptions import ParameterError

__all__ = ["Execution", "Progress", "progress_reporter", "progress_sink"]

Progress = Callable[[int, int], None]
"""Called with (steps done, steps in all) as a run proceeds."""


@dataclass(frozen=True, eq=False)
class Execution(Settings):
    """How a run is executed.

    Parameters
    ----------
    checkpoint : path, optional
        A folder in which finished work is kept: after a kill or a crash the same call continues from
        there and ends in the same bits, with the seed of the first call where `random_state` leaves
        it open.  A checkpoint of other data or settings is refused, and one of other functions: those
        given by the caller are read with all that they use.  Objects that cannot be read need an attribute
        ``checkpoint_version``, a text that the caller changes whenever the function changes.
    scratch : path, optional
        An existing folder, best on a disk: score matrices are kept in unnamed files there, mapped
        into memory, and vanish with the result.  For wide tables, whose scores (`n_resamples` times
        the number of features) take more memory than the table.  Aggregators of scores then need a
        few columns at a time; those of ranks and most methods of the result look at whole matrices.
    memory_limit : int or str, optional
        Memory of the whole process, in bytes or as ``"2GB"``: a run that is estimated to need more is
        refused before it begins (:func:`pyfsagg.memory_limit`).  By default what counts is the memory
        that is free.
    progress : bool or callable (done, total), optional
        A progress bar, or a function that is called as the run proceeds.  `wam` and `bam` count all
        resamples that are scored, those of pairs of halves and of shuffled targets included.

    Examples
    --------
    >>> Execution(checkpoint="kept").changed()
    {'checkpoint': 'kept'}
    """

    kind: ClassVar[str] = "execution"

    checkpoint: str | os.PathLike[str] | None = option(
        None,
        metavar="FOLDER",
        help="folder for finished work: after a crash the same command continues from it",
    )
    scratch: str | os.PathLike[str] | None = option(
        None,
        metavar="FOLDER",
        help="folder for score matrices, which are then kept in files instead of memory",
    )
    memory_limit: int | str | None = option(
        None,
        metavar="SIZE",
        # The command line has this flag for all commands, also for those without a run.
        flag=False,
        help="refuse computations that need more memory than this, for instance 2GB",
    )
    progress: bool | Progress | None = option(
        None, flag=False, help="a progress bar, or a function (done, total)"
    )

    def check(self) -> None:
        """Raise for a limit that is none."""
        if self.memory_limit is not None:
            read_memory(self.memory_limit)

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Keep to the limit on memory inside the block; without one, to whatever limit there is."""
        if self.memory_limit is None:
            yield
        else:
            with memory_limit(self.memory_limit):
                yield

    @classmethod
    def without_scratch(cls, function: str, given: object) -> Self:
        """The argument ``execution`` of a function that has no score matrices to put into files.

        Raises
        ------
        ParameterError
            If a folder for them is named all the same.
        """
        execution = cls.read("execution", given)
        if execution.scratch is not None:
            raise ParameterError(
                f"scratch is for the score matrices of wam and bam, and {function} writes none: leave "
                "it out of execution"
            )
        return execution


@contextmanager
def progress_reporter(
    progress: bool | Progress | None, unit: str = "resample"
) -> Iterator[Progress | None]:
    """The caller's function, one that draws a bar, or None; the total may change from call to call."""
    if progress is True:
        from tqdm.auto import tqdm

        with tqdm(unit=unit) as bar:

            def report(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            yield report
    else:
        yield progress if callable(progress) else None


@contextmanager
def progress_sink(
    progress: bool | Progress | None, total: int, unit: str = "resample"
) -> Iterator[Callable[[int], None]]:
    """A function to call with what is done: it draws a bar, calls the caller's, or does nothing."""
    with progress_reporter(progress, unit) as report:
        yield (lambda done: None) if report is None else (lambda done: report(done, total))
