"""Any result that a command saved, those of comparisons with papers and with R included."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyfsagg._run.result import Result

__all__ = ["load_saved"]


def load_saved(path: str) -> Result:
    """As :func:`pyfsagg.load_result`, which knows nothing of what lies above it.

    Raises
    ------
    OutputError
        As there.
    """
    # A class registers itself when it is made.
    from pyfsagg.reproduce import shipped  # noqa: F401
    from pyfsagg.results import load_result
    from r_bridge.comparisons import CrossCheck  # noqa: F401

    return load_result(path)
