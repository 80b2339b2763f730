"""How a run is executed, and what it computes in addition to check its answer."""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

from pyfsagg._base.interrupts import raise_if_interrupted
from pyfsagg._base.memory import memory_limit, read_memory
from pyfsagg._base.settings import Settings, number_or_auto, option
from pyfsagg._base.validation import check_integer
from pyfsagg._message import Got, Param, Public, named
from pyfsagg.exceptions import InputTypeError, ParameterError

MOST_PAIRS = 30
RESAMPLES_PER_PAIR = 8
"""A run draws one pair, which is two halves, for each so many resamples, at most `MOST_PAIRS`.

Chosen: halves then take at most a quarter of the time of the resamples, and pairs of one data set share its
rows, so more than 30 hardly narrow an interval (`MOST_FREEDOM` of `stability_measures.chance`).
"""


@dataclass(frozen=True, eq=False)
class Checks(Settings):
    """What a run computes in addition to its resamples, to check its answer.

    The ranking does not depend on it.

    Parameters
    ----------
    pairs : int or "auto"
        Pairs of disjoint halves that are scored in addition to the resamples, for
        :meth:`EnsembleResult.between_sample_stability`.  ``"auto"`` is one for every 8 resamples and at
        most 30; 0 turns it off.  The plan ``"complementary_pairs"`` needs none.
    shuffles : int or "auto"
        Targets with shuffled rows, by which the same filters score the whole table: features are above
        noise, and have p-values, by comparison with them (:meth:`EnsembleResult.selection`,
        :func:`pyfsagg.ensemble.permute_target`).  With pairs, the halves of some of them show how far two
        samples agree without signal.  ``"auto"`` is 999 for tables of up to 50,000 cells and 199 for larger
        ones; with filters that look at several columns at once (not mRMR and its like, which are judged by
        their relevance), or functions and estimators, a fifth of the resamples (19 to 199).  0 turns it
        off.  Groups of rows exchange their targets as wholes, or within the groups where these contain
        several.

    Examples
    --------
    >>> Checks(pairs=12).changed()
    {'pairs': 12}
    """

    kind: ClassVar[str] = "checks"

    pairs: int | str = option(
        "auto",
        metavar="N",
        read=number_or_auto,
        help="pairs of disjoint halves that measure the agreement of samples; auto: one for every "
        f"{RESAMPLES_PER_PAIR} resamples, at most {MOST_PAIRS}; 0: none",
    )
    shuffles: int | str = option(
        "auto",
        metavar="K",
        read=number_or_auto,
        help="targets with shuffled rows that show what noise reaches, and give p-values; auto: by the "
        "size of the table, 999 or 199; 0: none",
    )

    def _check(self) -> None:
        for name, value in (("pairs", self.pairs), ("shuffles", self.shuffles)):
            if not isinstance(value, str):
                check_integer(name, value, low=0)
            elif value != "auto":
                raise ParameterError(named(name), " must be a number or 'auto'", Got(value))

    @classmethod
    def of_argument(cls, given: object) -> Self:
        """Checks, or a word: ``"auto"``, the defaults, or ``"none"``."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str) and given in _WORDS:
            return cls(**_WORDS[given])
        refused = ParameterError if isinstance(given, str) else InputTypeError
        raise refused(
            Param("checks"), " must be 'auto', 'none' or a ", Public("Checks"), Got(given)
        )

    def n_pairs(self, n_resamples: int) -> int:
        """Number of pairs for this many resamples."""
        if isinstance(self.pairs, str):
            return min(MOST_PAIRS, n_resamples // RESAMPLES_PER_PAIR)
        return self.pairs

    @property
    def any(self) -> bool:
        """Whether anything is scored in addition to the resamples."""
        return bool(self.pairs or self.shuffles)


_WORDS: dict[str, dict[str, Any]] = {"auto": {}, "none": {"pairs": 0, "shuffles": 0}}


Progress = Callable[[int, int], None]  # called with (steps done, steps in all) as a run proceeds


@dataclass(frozen=True, eq=False)
class Execution(Settings):
    """How a run is executed.

    Parameters
    ----------
    checkpoint : path, optional
        A folder in which finished work is kept: after a kill or a crash the same call continues from
        there and ends in the same bits, with the seed of the first call where `random_state` leaves
        it open.  A checkpoint of other data, settings or functions is refused.  Functions and classes
        of your own need an attribute ``checkpoint_version``, such as ``"1"``, that you change whenever
        they change, or something that they use; installed ones are known by the version of their package.
    scratch : path, optional
        An existing folder, best on a disk: score matrices are kept in unnamed files there, mapped
        into memory, and vanish with the result.  For wide tables, whose scores (`n_resamples` times
        the number of features) take more memory than the table.  Aggregators of scores then need a
        few columns at a time; those of ranks and most methods of the result look at whole matrices.
    memory_limit : int or str, optional
        Memory of the whole process, in bytes or as ``"2GB"``: a run that is estimated to need more is
        refused before it begins (:func:`pyfsagg.out_of_core.memory_limit`).  By default what counts is the
        memory that is free.
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

    def _check(self) -> None:
        if self.memory_limit is not None:
            read_memory(self.memory_limit)

    def limited(self) -> AbstractContextManager[None]:
        """Keep to the limit on memory inside the block; without one, to the limit that is in force."""
        return nullcontext() if self.memory_limit is None else memory_limit(self.memory_limit)

    @classmethod
    def _without_scratch(cls, function: str, given: object) -> Self:
        """The argument ``execution`` of a function that has no score matrices to put into files."""
        execution = cls.read("execution", given)
        if execution.scratch is not None:
            raise ParameterError(
                Param("scratch"),
                f" is for the score matrices of wam and bam, and {function} writes none: drop it ",
                "from execution",
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
    elif progress is None and (reporter := REPORTER.get()) is not None:
        with reporter(unit) as told:
            yield told
    else:
        yield progress if callable(progress) else None


Reporter = Callable[[str], AbstractContextManager[Progress | None]]
Item = TypeVar("Item")
REPORTER: ContextVar[Reporter | None] = ContextVar("reporter", default=None)
"""Makes the progress function, for their unit, of loops that were given none."""


@contextmanager
def progress_sink(
    progress: bool | Progress | None, total: int, unit: str = "resample"
) -> Iterator[Callable[[int], None]]:
    """A function to call with what is done: it looks for interrupts and reports progress."""
    with progress_reporter(progress, unit) as report:

        def advance(done: int) -> None:
            raise_if_interrupted()
            if report is not None:
                report(done, total)

        yield advance


def counted(items: Iterable[Item], total: int, unit: str) -> Iterator[Item]:
    """The items of a loop, counted for the display of progress (`REPORTER`)."""
    with progress_sink(None, total, unit) as advance:
        for done, item in enumerate(items):
            advance(done)
            yield item


def end_workers() -> None:
    """Kill the worker processes; one that died may have left its queue locked, so they are not asked."""
    if "joblib.externals.loky.reusable_executor" in sys.modules:
        from joblib.externals.loky import reusable_executor

        if reusable_executor._executor is not None:
            feeders = [each for each in threading.enumerate() if each.name == "QueueFeederThread"]
            reusable_executor._executor.shutdown(wait=True, kill_workers=True)
            for feeder in feeders:  # for which loky does not wait; they may be removing semaphores
                feeder.join(5.0)
