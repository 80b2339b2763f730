"""Repetitions of an experiment on a data set, each kept in a file as soon as it is done."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.checks import check_integer
from pyfsagg._base.output import new_file
from pyfsagg._version import __version__
from pyfsagg.exceptions import OutputError, ParameterError
from pyfsagg.reproduce.experiments import Experiment
from pyfsagg.reproduce.sources import find_source, identity

__all__ = ["Options", "Repeated", "kept_or_computed", "repeat_on"]

SCHEMA = 2

Say = Callable[[str], None]


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True)
class Options:
    """How repetitions are run; the fields are those of :func:`pyfsagg.reproduce.table`."""

    quick: bool = False
    random_state: int = 0
    n_jobs: int | None = None
    cache: str | os.PathLike[str] | None = None
    say: Say = _silent
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
    key = {
        "table": experiment.table,
        "dataset": name,
        "data": identity(source.data),
        "settings": settings,
    }
    shared, total = [], 0.0
    if experiment.prepare is not None:
        found, seconds = kept_or_computed(
            options,
            {**key, "part": "shared"},
            f"table {experiment.table}, {name}: what all repetitions share",
            lambda: experiment.prepare(X, y, settings, options.n_jobs),  # type: ignore[misc]
        )
        shared.append(found)
        total += seconds
    frames = []
    for r in range(repetitions):
        draw = int(
            np.random.SeedSequence(options.random_state, spawn_key=(7, r)).generate_state(1)[0]
        )

        def compute(draw: int = draw) -> list[list[Any]]:
            found = experiment.repeat(X, y, settings, draw, options.n_jobs, *shared)
            return [[row, measure, value] for (row, measure), value in found.items()]

        kept, seconds = kept_or_computed(
            options,
            {**key, "part": str(r), "seed": options.random_state},
            f"table {experiment.table}, {name}: repetition {r + 1} of {repetitions}",
            compute,
        )
        total += seconds
        frame = pd.DataFrame(kept, columns=["row", "measure", "value"])
        frames.append(frame.assign(repetition=r))
    values = pd.concat(frames, ignore_index=True)
    for column in ("row", "measure"):
        values[column] = values[column].replace(dict(experiment.renamed))
    return Repeated(values, source.reason, source.comparable, round(total, 1))


def kept_or_computed(
    options: Options, key: Mapping[str, Any], what: str, compute: Callable[[], Any]
) -> tuple[Any, float]:
    """A result that JSON can hold, and its seconds: from the cache, or computed and kept there.

    Parameters
    ----------
    options : Options
    key : mapping
        Everything that the result depends on, among it ``table``, ``dataset`` and ``part``, after
        which the file is called.  This version of the package is added.
    what : str
        Said when it is computed.
    compute : callable

    Raises
    ------
    OutputError
        If the cache cannot be written or holds a damaged file.
    """
    full = {"schema": SCHEMA, "pyfsagg": __version__, **key}
    path = None if options.cache is None else _path(options.cache, full)
    if path is not None and path.is_file():
        return _read_kept(path, full)
    options.say(what)
    start = time.perf_counter()
    found = compute()
    seconds = round(time.perf_counter() - start, 1)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path) as draft:
            document = {"key": full, "seconds": seconds, "values": found}
            draft.write_text(json.dumps(document), encoding="utf-8")
    return found, seconds


def _path(cache: str | os.PathLike[str], key: Mapping[str, Any]) -> Path:
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
    return Path(cache) / f"{key['table']}-{key['dataset']}-{key['part']}-{digest}.json"


def _read_kept(path: Path, key: Mapping[str, Any]) -> tuple[Any, float]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["key"] != key:
            raise ValueError("it belongs to another computation")
        return document["values"], float(document["seconds"])
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(f"{path} is damaged ({error}); delete it to compute it again") from None
