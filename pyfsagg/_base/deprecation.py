"""A public name that will go away: announced for one minor version at least, then removed."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["deprecated"]

P = ParamSpec("P")
T = TypeVar("T")


def deprecated(
    *, since: str, removed_in: str, instead: str
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a public function that will go away.

    Each call warns with a ``FutureWarning``, which Python shows by default, and names the remedy.

    Parameters
    ----------
    since, removed_in : str
        Versions that announced it and that will no longer have it, for instance ``"0.3"``.
    instead : str
        What to write instead.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def announced(*args: P.args, **kwargs: P.kwargs) -> T:
            warnings.warn(
                f"{function.__name__} is deprecated since pyfsagg {since} and will be removed in "
                f"{removed_in}; use {instead}",
                FutureWarning,
                stacklevel=2,
            )
            return function(*args, **kwargs)

        return announced

    return decorate
