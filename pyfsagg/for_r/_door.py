"""What R calls: a task by its name, what was started, and the end."""

from __future__ import annotations

import atexit
import platform
import sys
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

import pyfsagg
from pyfsagg.exceptions import PyfsaggError
from pyfsagg.for_r._interrupts import interruptible
from pyfsagg.for_r._words import in_r_words
from pyfsagg.for_r.tasks import TASKS

__all__ = ["about", "answer", "close"]


def answer(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Do a task of :data:`pyfsagg.for_r.tasks.TASKS`, between :func:`enter` and :func:`leave`.

    Returns
    -------
    dict
        ``value`` (or ``error`` with its ``class``, ``message`` and, if it is a defect of pyfsagg, a
        ``traceback``; or neither after an interrupt, of which :func:`leave` tells), and
        ``warnings``, a list of texts.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = interruptible(lambda: _done(task, arguments)) or {}
    ours = [each for each in caught if issubclass(each.category, UserWarning)]
    found["warnings"] = list(dict.fromkeys(in_r_words(str(each.message)) for each in ours))
    return found


def _done(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"value": TASKS[task](**arguments)}
    except PyfsaggError as error:
        return {"error": {"class": type(error).__name__, "message": in_r_words(str(error))}}
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        told = {"class": "internal", "message": message, "traceback": traceback.format_exc()}
        return {"error": told}


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
