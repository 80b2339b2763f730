"""One embedded R session: packages loaded on demand, R errors turned into Python ones."""

from __future__ import annotations

import ctypes
import os
import warnings
from functools import cache
from typing import Any

from pyfsagg.exceptions import MissingDependencyError, PyfsaggError
from pyfsagg.extending import ALONE
from pyfsagg_rpy2.packages import install_hint

RPY2 = "'pip install rpy2==3.5.17' for R before 4.5, 'pip install \"rpy2>=3.6.4\"' for later ones"


class RError(PyfsaggError, RuntimeError):
    """R raised an error; the message is R's own."""


class InsideRError(PyfsaggError, RuntimeError):
    """Python runs inside an R process, in which a second R cannot be started."""


def inside_r() -> bool:
    """Whether this Python was started by R in R's own process, as reticulate does.

    reticulate leaves the number of the process in the environment, which child processes inherit
    and therefore is compared with the own one.  Another program that embeds Python in R is
    recognised by R's constants, which are then global symbols of the process.
    """
    if f"PID={os.getpid()}" in os.environ.get("R_SESSION_INITIALIZED", "").split(":"):
        return True
    if f"current_pid={os.getpid()}" in os.environ.get("PYTHON_SESSION_INITIALIZED", "").split(":"):
        return False  # rpy2 started the R that is there
    try:
        return bool(ctypes.c_void_p.in_dll(ctypes.CDLL(None), "R_NilValue").value)
    except (ValueError, TypeError, OSError):  # no such symbol; no global namespace (Windows)
        return False


@cache
def environment() -> Any:
    """The module ``rpy2.robjects`` with R started."""
    if inside_r():
        raise InsideRError(
            "pyfsagg_rpy2 starts an R of its own, which is not possible inside an R process (Python was "
            "started by R, for instance through reticulate); call the R packages in R directly, or "
            "run 'pyfsagg cross-check' in a terminal"
        )
    library_path = os.environ.get("LD_LIBRARY_PATH")
    try:
        with ALONE, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import rpy2.rinterface_lib.callbacks as callbacks
            import rpy2.robjects as robjects
    except Exception as error:  # rpy2 raises whatever a missing or mismatched R makes it raise
        reason = " ".join(str(error).split())
        raise MissingDependencyError(
            f"R cannot be reached through rpy2 ({type(error).__name__}: {reason}); install R, then "
            f"{RPY2}, and make sure that the command R is on the PATH"
        ) from error
    finally:
        # rpy2 puts R's folders of libraries before the system's for every process started later,
        # whose Python may then load another OpenSSL than its own; this process needs no such thing.
        if library_path is None:
            os.environ.pop("LD_LIBRARY_PATH", None)
        else:
            os.environ["LD_LIBRARY_PATH"] = library_path
    # R writes warnings and progress to the console; results and errors arrive as values.
    callbacks.consolewrite_warnerror = lambda text: None
    callbacks.consolewrite_print = lambda text: None
    return robjects


@cache
def require(name: str) -> None:
    """Make sure that R has a package; one that was found stays."""
    robjects = environment()
    quietly = robjects.r["suppressWarnings"]
    if not quietly(robjects.r["requireNamespace"](name, quietly=True))[0]:
        raise MissingDependencyError(
            f"the R package {name!r} is not installed; {install_hint(name)}"
        )


class _Package:
    """The exported functions of an R package as attributes, fetched when they are first used.

    A dot in a name of R is an underscore here, as it is in the names of arguments.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        exported = environment().r["getNamespaceExports"](self._name)
        found = [each for each in exported if each.replace(".", "_") == attribute]
        if not found:
            raise AttributeError(
                f"the R package {self._name!r} exports nothing called {attribute!r}"
            )
        # Where two names differ by the dot only, the one that is written as asked for.
        name = attribute if attribute in found else found[0]
        function = environment().r["getExportedValue"](self._name, name)
        setattr(self, attribute, function)
        return function


@cache
def package(name: str) -> Any:
    """An installed R package as an object with its functions; errors as in :func:`require`."""
    require(name)
    return _Package(name)


def r_versions(*packages: str) -> dict[str, str]:
    """The version of R, and those of `packages`."""
    robjects = environment()
    found = {"R": str(robjects.r("as.character(getRversion())")[0])}
    for name in packages:
        require(name)
        found[name] = str(robjects.r["as.character"](robjects.r["packageVersion"](name))[0])
    return found


def call(function: Any, *arguments: Any, **named: Any) -> Any:
    """Call an R function."""
    environment()
    from rpy2.rinterface_lib.embedded import RRuntimeError

    try:
        return function(*arguments, **named)
    except RRuntimeError as error:
        raise RError(f"R: {str(error).strip()}") from error
