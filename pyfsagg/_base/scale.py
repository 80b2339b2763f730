"""Arithmetic on numbers of any size: squares neither overflow nor vanish."""

from __future__ import annotations

import numpy as np

from pyfsagg._base.types import Floats

__all__ = ["original", "scaled", "scaled_together", "unscaled"]


def scaled(values: Floats) -> tuple[Floats, int]:
    """Values times a power of two, so that their squares neither overflow nor vanish; its exponent.

    The products are exact, and so are all ratios of their squares.
    """
    largest = float(np.abs(values).max())
    exponent = int(np.frexp(largest)[1]) if largest > 0.0 else 0
    return np.ldexp(values, -exponent), exponent


def scaled_together(*samples: Floats) -> tuple[list[Floats], int]:
    """Several samples times one power of two, as :func:`scaled`; its exponent."""
    values, exponent = scaled(np.concatenate(samples))
    return np.split(values, np.cumsum([sample.size for sample in samples])[:-1]), exponent


def original(value: float, exponent: int) -> float:
    """A number in the unit of `scaled` values in that of the data.

    Infinite or 0 where no number is that large or small.
    """
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def unscaled(sum_of_squares: float, exponent: int) -> float:
    """A sum of squares of `scaled` values in the squared unit of the data.

    Infinite or 0 where no number is that large or small.
    """
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(sum_of_squares, 2 * exponent))
