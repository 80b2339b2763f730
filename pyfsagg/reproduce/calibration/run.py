"""Run designs: each repetition is a simulation of its own seed, wherever it runs."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

import numpy as np
import pandas as pd

from pyfsagg._base.seeds import resolve_seed
from pyfsagg._run.parallel import run_tasks
from pyfsagg.exceptions import UnknownNameError
from pyfsagg.reproduce.calibration._row import DESIGNS, Design
from pyfsagg.reproduce.calibration.result import Calibration
from pyfsagg.reproduce.records import Log, record, silent

__all__ = ["calibrate", "topics"]

_PIECES = 8
"""Tasks a worker gets of one design: few enough to cost nothing, many enough to share the work."""


def designs() -> list[Design]:
    """Every design."""
    from pyfsagg.reproduce.calibration import designs as registered  # noqa: F401  # adds them

    return DESIGNS


def topics() -> list[str]:
    """The topics of the designs: the files in ``designs/``."""
    return list(dict.fromkeys(design.topic for design in designs()))


def calibrate(
    only: str | Sequence[str] | None = None,
    *,
    quick: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    log: Log | None = None,
) -> Calibration:
    """Measure the level, coverage and error of p-values, intervals and bounds by simulation.

    Parameters
    ----------
    only : str or sequence of str, optional
        Topics, such as ``"lists"``; all by default.
    quick : bool
        One repetition for each twenty of a full run: minutes, with a larger Monte Carlo error.
    random_state : int
        Values do not depend on `n_jobs`.
    n_jobs : int, optional
        Processes.
    log : callable, optional
        Called with a line after each design.

    Returns
    -------
    Calibration
        One row per design and claim: nominal and measured value, with its Monte Carlo error.

    Raises
    ------
    UnknownNameError
        For an unknown topic.

    Examples
    --------
    >>> from pyfsagg.reproduce import calibrate
    >>> calibrate("lists", quick=True).to_frame()  # doctest: +SKIP
    """
    asked = topics() if only is None else [only] if isinstance(only, str) else list(only)
    for name in asked:
        if name not in topics():
            raise UnknownNameError("topic of the calibration", name, topics())
    say = log or silent
    seed = resolve_seed(random_state)
    start = time.perf_counter()
    rows: list[dict[str, object]] = []
    for design in (each for each in designs() if each.topic in asked):
        began = time.perf_counter()
        values = _values(design, design.repetitions(quick), seed, n_jobs)
        seconds = time.perf_counter() - began
        rows += _rows(design, values, seconds)
        say(f"{design.topic}: {design.name}, {len(values)} repetitions in {seconds:.1f} s")
    return Calibration(
        pd.DataFrame(rows),
        {
            **record(),
            "quick": quick,
            "seed": seed,
            "elapsed_seconds": round(time.perf_counter() - start, 1),
        },
    )


def _values(design: Design, n: int, seed: int, n_jobs: int | None) -> np.ndarray:
    """The values of all repetitions, shape (n, claims)."""
    pieces = np.array_split(np.arange(n), min(n, _PIECES * (os.cpu_count() or 1)))
    place = designs().index(design)
    answers = run_tasks(_piece, (place, seed), pieces, n_jobs=n_jobs, threads=False)
    return np.concatenate(list(answers))


def _piece(shared: tuple[int, int], numbers: np.ndarray) -> np.ndarray:
    place, seed = shared
    design = designs()[place]
    return np.array([design.repeat(seed, int(number)) for number in numbers])


def _rows(design: Design, values: np.ndarray, seconds: float) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for claim, column in zip(design.claims, values.T, strict=True):
        stated = column[~np.isnan(column)]
        measured = float(stated.mean()) if len(stated) else np.nan
        spread = float(stated.std(ddof=1)) if len(stated) > 1 else np.nan
        error = spread / np.sqrt(max(len(stated), 1))
        low, high = claim.accept or (np.nan, np.nan)
        rows.append(
            {
                "topic": design.topic,
                "simulation": design.function.__name__,
                "design": design.settings_text,
                "inference": claim.inference,
                "kind": claim.kind,
                "of": claim.of,
                "nominal": claim.nominal,
                "low": low,
                "high": high,
                "measured": measured,
                "error": error,
                "runs": len(column),
                "stated": len(stated) / len(column),
                "verdict": claim.verdict(measured, error),
                "caution": claim.caution,
                "seconds": round(seconds, 1),
            }
        )
    return rows
