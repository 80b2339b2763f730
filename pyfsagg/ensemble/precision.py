"""``n_resamples="auto"``: as many resamples as a stated precision needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.checks import check_integer, check_real
from pyfsagg._base.selection import n_selected
from pyfsagg.exceptions import ParameterError
from pyfsagg.stability_measures import enough_resamples

__all__ = ["Precision"]

FIRST_LOOK = 100


@dataclass(frozen=True)
class Precision:
    """When to stop drawing resamples.

    Attributes
    ----------
    max_change : float
        Largest share of the best features that a repetition of the run, with as many resamples but
        another seed, may be expected to replace.
    top : float or int
        How many features are the best ones: a number, or a fraction.
    maximum : int
        Number of resamples at which to stop in any case.
    """

    max_change: float = 0.05
    top: float | int = 0.25
    maximum: int = 10_000

    @classmethod
    def of(cls, parameters: Mapping[str, Any] | None, n_features: int) -> Precision:
        """A checked precision; what is not given has its default.

        Raises
        ------
        ParameterError
            For an unknown name or a value out of range.
        """
        given = dict(parameters or {})
        known = list(cls.__dataclass_fields__)
        for name in given:
            if name not in known:
                raise ParameterError(
                    f"precision has no parameter {name!r}; it takes: {', '.join(known)}"
                )
        precision = cls(**given)
        check_real("max_change", precision.max_change, low=0.0, high=1.0, low_open=True)
        check_integer("maximum (a number of resamples)", precision.maximum, low=FIRST_LOOK)
        n_selected(precision.top, n_features)
        return precision

    def look(
        self,
        combined: NDArray[np.float64],
        aggregate: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None,
    ) -> dict[str, Any]:
        """What the resamples so far say, as it is recorded with the run."""
        reached, found = enough_resamples(
            combined, top=self.top, max_change=self.max_change, aggregator=aggregate
        )
        return {
            **asdict(self),
            "expected_change": 1.0 - found.expected_top_overlap,
            "reached": bool(reached),
        }
