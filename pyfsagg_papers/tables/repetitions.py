"""The data of a published table, and repetitions on them, each kept in a checkpoint when it is done."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg import list_methods
from pyfsagg.datasets import Dataset, load_dataset
from pyfsagg.exceptions import ParameterError, UnknownNameError
from pyfsagg.extending import (
    Param,
    as_table,
    check_integer,
    check_target,
    collect_warnings,
    data_hash,
    open_checkpoint,
    versions,
    warn,
)
from pyfsagg_papers.orders.genes import leukaemia_subtypes
from pyfsagg_papers.records import Log, silent
from pyfsagg_papers.tables.experiments import Experiment

# -------------------------------------------------------------------------------------------------
# the data behind the names of published tables: what is here, and where it differs
# -------------------------------------------------------------------------------------------------

LOCAL_NAMES = {
    "musk": "musk_v2",
    "gisette": "gisette_valid_only",
    "drosophila": "drosophila_lifecycle_artiva",
    "leukaemia_two_classes": "golub",
    "leukaemia_three_classes": "golub",
}
UNOBTAINABLE = {
    "philippine": "the data set could not be obtained",
    "indian_pines": "the data set could not be obtained",
}
OTHER_DATA = {
    "gisette": "other data: of the 7000 rows only the 1000 of the validation part could be obtained",
    "drosophila": "other data: a version with 67 samples of 4028 genes, where the paper has 74 of 3107",
}


@dataclass(frozen=True)
class Source:
    """Data of a published table, or why there are none.

    Attributes
    ----------
    data : Dataset or None
    reason : str
        Why there are none, or where they differ from the published description.
    comparable : bool
        Whether values on these data can decide a cell.
    """

    data: Dataset | None
    reason: str
    comparable: bool


def find_source(name: str) -> Source:
    """The data of a data set as published tables name it."""
    local = name if name in list_methods("datasets").index else LOCAL_NAMES.get(name, name)
    try:
        data = load_dataset(local)
    except UnknownNameError:
        missing = "the data set is not here; PYFSAGG_DATA names the folder of data sets"
        return Source(None, UNOBTAINABLE.get(name, missing), False)
    if name == "leukaemia_three_classes":
        data = replace(data, y=leukaemia_subtypes(len(data.y)).rename("target"))
    if local != name and name in OTHER_DATA:
        return Source(data, OTHER_DATA[name], False)
    differs = f"the data differ: {'; '.join(data.differences)}" if data.differences else ""
    return Source(data, differs, True)


def identity(data: Dataset) -> str:
    """SHA-256 of the cells and labels of a data set."""
    table = as_table(data.X, sparse=True)
    return data_hash(table, check_target(data.y, table.n_samples))


# -------------------------------------------------------------------------------------------------
# repetitions of an experiment on a data set, each kept in a checkpoint when it is done
# -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Options:
    """How repetitions are run; the fields are those of :func:`pyfsagg_papers.table`."""

    quick: bool = False
    random_state: int = 0
    n_jobs: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    log: Log = silent
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, **options: Any) -> Options:
        """Checked options; what is None takes its default."""
        check_integer("random_state", options.get("random_state", 0), low=0)
        return cls(**{name: value for name, value in options.items() if value is not None})

    def of(self, experiment: Experiment) -> dict[str, Any]:
        """The settings of an experiment under these options."""
        settings = experiment.settings(self.quick)
        for name in self.settings:
            if name not in settings:
                raise ParameterError(
                    Param("settings"),
                    f" has no meaning for {name!r}; table {experiment.table} has {', '.join(settings)}",
                )
        settings.update(self.settings)
        check_integer("repetitions", settings["repetitions"], low=1)
        return settings

    @contextmanager
    def work(self, name: str, dataset: str, **run: Any) -> Iterator[Work]:
        """The work on an experiment and a data set; what is done is kept in a sub-folder of theirs.

        Quick and full runs, and those of other seeds, have sub-folders of their own, so that one
        folder serves them all.
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

    checkpoint: Any
    log: Log

    def answer(self, key: str, what: str, compute: Callable[[], Any]) -> tuple[Any, float]:
        """The answer of `compute`, and the seconds that it took when it was computed."""
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
                with collect_warnings() as remarks:
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
