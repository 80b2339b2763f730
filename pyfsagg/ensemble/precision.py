"""As many resamples as a stated precision needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer, check_real, is_word, shown
from pyfsagg._base.settings import Settings, option
from pyfsagg.exceptions import InputTypeError, ParameterError
from pyfsagg.stability_measures import enough_resamples

__all__ = ["Precision", "read_number"]

FIRST_LOOK = 100


@dataclass(frozen=True, eq=False)
class Precision(Settings):
    """A stopping rule: the number of resamples is doubled until the ranking is precise enough.

    If one resample can decide the value of a feature, as with the minimum, two runs with half as many
    resamples are compared: a bootstrap would be too optimistic there (:func:`pyfsagg.adequacy`).

    Parameters
    ----------
    max_change : float
        Largest share of the best features that a repetition of the run, with as many resamples but
        another seed, may be expected to replace.
    top : float or int
        Number or fraction of features that count as the best.
    maximum : int
        Largest number of resamples; at least 100.

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> goal = pyfsagg.Precision(max_change=0.2, maximum=400)
    >>> pyfsagg.wam(data.X, data.y, n_resamples=goal, random_state=0).n_resamples
    100
    """

    kind: ClassVar[str] = "precision"

    max_change: float = option(0.05, help="share of the best features that may be replaced")
    top: float | int = option(0.25, help="how many features are the best ones")
    maximum: int = option(10_000, help="number of resamples at which to stop")

    def check(self) -> None:
        check_real("max_change", self.max_change, low=0.0, high=1.0, low_open=True)
        check_integer("maximum (a number of resamples)", self.maximum, low=FIRST_LOOK)

    def look(
        self,
        combined: NDArray[np.float64],
        aggregate: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None,
        by: str = "bootstrap",
    ) -> dict[str, Any]:
        """What the resamples so far say, as it is recorded with the run."""
        reached, found = enough_resamples(
            combined,
            top=self.top,
            max_change=self.max_change,
            aggregator=aggregate,
            by=by,
            random_state=0,  # a run that is repeated stops at the same place
        )
        return {
            **self.record(),
            "n_compared": found.n_compared,
            "expected_change": 1.0 - found.expected_top_overlap,
            "reached": bool(reached),
        }


def read_number(n_resamples: int | str | Precision) -> int | Precision:
    """A number of resamples, or the precision that decides it; ``"auto"`` is the default one.

    Raises
    ------
    ParameterError, InputTypeError
        For another word, a number below 1, or anything else.
    """
    if isinstance(n_resamples, Precision):
        return n_resamples
    if is_word(n_resamples, "auto"):
        return Precision()
    if isinstance(n_resamples, str):
        raise ParameterError(f"n_resamples must be a number or 'auto', got {n_resamples!r}")
    try:
        return check_integer("n_resamples", n_resamples, low=1)
    except ParameterError:
        if isinstance(n_resamples, (int, float)):
            raise
        raise InputTypeError(
            f"n_resamples must be a number, 'auto' or a pyfsagg.Precision, got {shown(n_resamples)}"
        ) from None
