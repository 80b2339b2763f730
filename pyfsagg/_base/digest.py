"""The identity of data: one digest for every room."""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Part = str | bytes | NDArray[np.generic]


def digest(*parts: Part | Iterable[Part]) -> str:
    """SHA-256 of texts, bytes and arrays, one after the other, in hexadecimal digits.

    An iterable is read one by one, so columns of a large table need not be there together; texts in it
    are separated by NUL.  Arrays count with their bits: add 0.0 where -0.0 is to be the same.

    Examples
    --------
    >>> digest(["a", "b"]) == digest("a\\0b")
    True
    """
    found = hashlib.sha256()
    for part in parts:
        for number, one in enumerate(
            (part,) if isinstance(part, (str, bytes, np.ndarray)) else part
        ):
            if isinstance(one, str):
                one = b"\0" * (number > 0) + one.encode()
            found.update(np.ascontiguousarray(one).data if isinstance(one, np.ndarray) else one)
    return found.hexdigest()
