"""Short names for the arrays that everything here computes with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Booleans", "Floats", "Integer"]

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

Integer = int | np.int64
"""A whole number as compiled loops see it."""
