"""Repetitions of an experiment on a data set, each kept in a checkpoint when it is done."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.checks import check_integer
from pyfsagg._base.remarks import set_aside, warn
from pyfsagg._run.checkpoint import Checkpoint, open_checkpoint
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import ParameterError
from pyfsagg.reproduce.records import Log, silent
from pyfsagg.reproduce.tables.experiments import Experiment
from pyfsagg.reproduce.tables.sources import find_source, identity

__all__ = ["Options", "Repeated", "Work", "repeat_on"]


@dataclass(frozen=True)
class Options:
    """How repetitions are run; the fields are those of :func:`pyfsagg.reproduce.table`."""

    quick: bool = False
    random_state: int = 0
    n_jobs: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    log: Log = silent
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, **options: Any) -> Options:
        """Checked options; what is None takes its default.

        Raises
        ------
        ParameterError
            For a negative seed.
        """
        check_integer("random_state", options.get("random_state", 0), low=0)
        return cls(**{name: value for name, value in options.items() if value is not None})

    def of(self, experiment: Experiment) -> dict[str, Any]:
        """The settings of an experiment under these options.

        Raises
        ------
        ParameterError
            For a setting that the experiment does not have.
        """
        settings = experiment.settings(self.quick)
        for name in self.settings:
            if name not in settings:
                raise ParameterError(
                    f"settings has no meaning for {name!r}; table {experiment.table} has "
                    f"{', '.join(settings)}"
                )
        settings.update(self.settings)
        check_integer("repetitions", settings["repetitions"], low=1)
        return settings

    @contextmanager
    def work(self, name: str, dataset: str, **run: Any) -> Iterator[Work]:
        """The work on an experiment and a data set; what is done is kept in a sub-folder of theirs.

        Quick and full runs, and those of other seeds, have sub-folders of their own, so that one
        folder serves them all.

        Parameters
        ----------
        name, dataset : str
        **run
            Everything else on which the answers depend.

        Raises
        ------
        ParameterError
            If the sub-folder is that of a run on other data, with other settings or versions.
        OutputError
            If the checkpoint is damaged, in use, or cannot be written.
        """
        folder = None
        if self.checkpoint is not None:
            size = "quick" if self.quick else "full"
            folder = Path(self.checkpoint) / f"{name}-{dataset}-{size}-seed-{self.random_state}"
        whole = {
            "kind": "reproduction", "table": name, "dataset": dataset, **run,
            "seed": self.random_state, "versions": versions(),
        }  # fmt: skip
        with open_checkpoint(folder, whole) as checkpoint:
            yield Work(checkpoint, self.log)


@dataclass(frozen=True)
class Work:
    """Answers that JSON can hold, taken from a checkpoint or computed and put there."""

    checkpoint: Checkpoint | None
    log: Log

    def answer(self, key: str, what: str, compute: Callable[[], Any]) -> tuple[Any, float]:
        """The answer of `compute`, and the seconds that it took when it was computed.

        Parameters
        ----------
        key : str
            The name of the answer in the checkpoint.
        what : str
            What is computed, for the log.
        compute : callable
        """
        if self.checkpoint is not None and key in self.checkpoint:
            answer, seconds = json.loads(str(self.checkpoint.get(key)["json"]))
            return answer, seconds
        self.log(what)
        start = time.perf_counter()
        answer = compute()
        seconds = round(time.perf_counter() - start, 1)
        if self.checkpoint is not None:
            self.checkpoint.put(key, {"json": np.array(json.dumps([answer, seconds]))})
        return answer, seconds


@dataclass(frozen=True)
class Repeated:
    """Values of all repetitions on a data set, or why there are none.

    Attributes
    ----------
    values : DataFrame or None
        ``repetition``, ``row``, ``measure``, ``value``, rows and measures as printed.
    reason : str
        Why there are none, or how the data differ.
    comparable : bool
        Whether the values can decide a cell.
    seconds : float
        What the computation took, when it was done.
    """

    values: pd.DataFrame | None
    reason: str
    comparable: bool
    seconds: float = 0.0


def repeat_on(experiment: Experiment, name: str, options: Options) -> Repeated:
    """All repetitions of an experiment on a data set, named as published."""
    settings = options.of(experiment)
    repetitions = settings.pop("repetitions")
    source = find_source(name)
    if source.data is None:
        return Repeated(None, source.reason, source.comparable)
    X, y = source.data.X, source.data.y
    title = f"table {experiment.table}, {name}"
    prepare = experiment.prepare
    shared, total, frames = [], 0.0, []
    with options.work(
        experiment.table, name, data=identity(source.data), settings=settings
    ) as work:
        if prepare is not None:
            found, seconds = work.answer(
                "shared",
                f"{title}: what all repetitions share",
                lambda: prepare(X, y, settings, options.n_jobs),
            )
            shared.append(found)
            total += seconds
        for r in range(repetitions):
            sequence = np.random.SeedSequence(options.random_state, spawn_key=(7, r))
            draw = int(sequence.generate_state(1)[0])

            def compute(draw: int = draw) -> list[list[Any]]:
                with set_aside() as remarks:
                    found = experiment.repeat(X, y, settings, draw, options.n_jobs, *shared)
                for remark in remarks:
                    if not remark.startswith("this will take about"):
                        warn(remark)  # the settings are the paper's: none can be shortened
                return [[row, measure, value] for (row, measure), value in found.items()]

            rows, seconds = work.answer(
                f"repetition-{r}", f"{title}: repetition {r + 1} of {repetitions}", compute
            )
            total += seconds
            frame = pd.DataFrame(rows, columns=["row", "measure", "value"])
            frames.append(frame.assign(repetition=r))
    values = pd.concat(frames, ignore_index=True)
    for column in ("row", "measure"):
        values[column] = values[column].replace(dict(experiment.renamed))
    return Repeated(values, source.reason, source.comparable, round(total, 1))
