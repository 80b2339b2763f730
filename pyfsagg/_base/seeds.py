"""Seeds that can be written down."""

from __future__ import annotations

import secrets

import numpy as np

from pyfsagg._base.checks import check_integer
from pyfsagg.exceptions import InputTypeError

__all__ = ["random_numbers", "resolve_seed"]


def resolve_seed(random_state: object) -> int:
    """A seed that can be written down: an int as it is, None as fresh entropy, a generator's draw.

    Raises
    ------
    InputTypeError
        For anything else.
    """
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return check_integer("random_state", random_state, low=0)
    raise InputTypeError(
        f"random_state must be None, a whole number or a NumPy generator, got {random_state!r}"
    )


def random_numbers(random_state: object) -> np.random.Generator:
    """A generator: the one given, which goes on where it is, or one of a seed.

    Raises
    ------
    ParameterError, InputTypeError
        As :func:`resolve_seed`.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(resolve_seed(random_state))
