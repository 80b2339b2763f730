"""What R calls: a task by its name, what was started, and the end."""

from __future__ import annotations

import atexit
import platform
import sys
import time
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

import pyfsagg
from pyfsagg.exceptions import PyfsaggError
from pyfsagg.for_r._words import in_r_words
from pyfsagg.for_r.tasks import TASKS

__all__ = ["about", "answer", "close"]


def answer(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Do a task of :data:`pyfsagg.for_r.tasks.TASKS`.

    Returns
    -------
    dict
        ``value`` (or ``interrupt``; or ``error`` with its ``class``, ``message`` and, if it is a
        defect of pyfsagg, a ``traceback``), and ``warnings``, a list of texts.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found: dict[str, Any]
        try:
            found = {"value": TASKS[task](**arguments)}
        except KeyboardInterrupt:
            found = {"interrupt": True}
        except PyfsaggError as error:
            found = {"error": {"class": type(error).__name__, "message": in_r_words(str(error))}}
        except Exception as error:
            found = _unexpected(error)
    if "interrupt" in found:
        with suppress(KeyboardInterrupt):  # Ctrl-C reaches R and Python, and is one interrupt
            time.sleep(0.1)
    ours = [each for each in caught if issubclass(each.category, UserWarning)]
    found["warnings"] = list(dict.fromkeys(in_r_words(str(each.message)) for each in ours))
    return found


def _unexpected(error: Exception) -> dict[str, Any]:
    """A defect; or an interrupt that reticulate met between two statements and could not name."""
    met: BaseException | None = error
    while met is not None:
        if isinstance(met, KeyboardInterrupt) or "Unknown exception occurred" in str(met):
            return {"interrupt": True}
        met = met.__cause__ or met.__context__
    message = f"{type(error).__name__}: {error}"
    return {"error": {"class": "internal", "message": message, "traceback": traceback.format_exc()}}


def about() -> dict[str, str]:
    """What R has started: versions, as words, so that R can read them whatever NumPy there is."""
    return {
        "pyfsagg": pyfsagg.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "executable": sys.executable,
    }


def close() -> None:
    """End the worker processes, and do what Python does at its end, which R never lets it reach.

    Workers would hold what R prints to for minutes after its end.
    """
    if "joblib.externals.loky.reusable_executor" in sys.modules:
        from joblib.externals.loky import reusable_executor

        if reusable_executor._executor is not None:
            reusable_executor._executor.shutdown(wait=True, kill_workers=True)
    atexit._run_exitfuncs()
