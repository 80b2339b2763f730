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
from pyfsagg.exceptions import PyfsaggError, PyfsaggWarning
from pyfsagg.for_r._given import InR
from pyfsagg.for_r._interrupts import interruptible
from pyfsagg.for_r.calls import CALLS
from pyfsagg.for_r.tasks import TASKS


def answer(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Do a task of :data:`pyfsagg.for_r.tasks.TASKS`, between :func:`enter` and :func:`leave`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reply = interruptible(lambda: _done(task, arguments)) or {}
    door = _spelling(task, arguments)
    messages = [item.message for item in caught if issubclass(item.category, UserWarning)]
    texts = [m.render(door) if isinstance(m, PyfsaggWarning) else str(m) for m in messages]
    reply["warnings"] = list(dict.fromkeys(texts))
    return reply


def _done(task: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"value": TASKS[task](**arguments)}
    except PyfsaggError as error:
        message = error.render(_spelling(task, arguments))
        return {"error": {"class": type(error).__name__, "message": message}}
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        where = traceback.format_exc()
        return {"error": {"class": "internal", "message": message, "traceback": where}}


def _spelling(task: str, arguments: Mapping[str, Any]) -> InR:
    """The names that the function has in R."""
    called = CALLS.get(arguments["of"]) if task == "call" else None
    return InR(called.names if called else {"top_cutoff": "topCutoff"})


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
