"""Array types, blocks of large matrices, safe squares and adjusted p-values."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.validation import as_array, check_choice, check_integer
from pyfsagg._message import NAN
from pyfsagg.exceptions import DataError

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Indices = NDArray[np.intp]
Integers = NDArray[np.int64]

Integer = int | np.int64  # a whole number as compiled loops see it


class Shaped(Protocol):
    """An array, a data frame or a column of one, a SciPy matrix."""

    @property
    def shape(self) -> Any: ...


class FrameLike(Protocol):
    """A table that was read before."""

    @property
    def feature_names(self) -> tuple[str, ...]: ...


class Kinded(Protocol):
    """A target that was read before."""

    @property
    def kind(self) -> str: ...


TableLike = Shaped | FrameLike | Sequence[Sequence[Any]]
"""What is read as a table: a row for each sample, a column for each feature."""

TargetLike = Shaped | Kinded | Sequence[Any] | None
"""What is read as a target: labels, numbers, or times with events."""

RandomState = int | np.integer[Any] | np.random.Generator | np.random.RandomState | None
""":func:`pyfsagg._base.validation.resolve_seed` makes a seed of it."""

PART = 2**26  # bytes of a matrix that are worked on at a time

CACHED = 2**19
"""Bytes of a matrix for which what is computed on the way stays in the cache."""


def row_blocks(shape: tuple[int, ...], part: int = PART) -> Iterator[slice]:
    """Rows of a matrix in parts of about this many bytes."""
    size = max(1, part // (8 * shape[1]))
    return (slice(start, min(start + size, shape[0])) for start in range(0, shape[0], size))


def column_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Columns in parts of about `PART` bytes, never a single one, which NumPy sums in another order."""
    m, p = shape
    n_parts = max(1, min(8 * m * p // PART, p // 2))
    edges = [p * i // n_parts for i in range(n_parts + 1)]
    return (slice(start, stop) for start, stop in pairwise(edges))


def scaled(values: Floats) -> tuple[Floats, int]:
    """Values times a power of two, so squares neither overflow nor vanish, exactly; its exponent."""
    largest = float(np.abs(values).max())
    exponent = int(np.frexp(largest)[1]) if largest > 0.0 else 0
    return np.ldexp(values, -exponent), exponent


def scaled_rows(values: Floats) -> Floats:
    """As :func:`scaled`, each row by a power of its own; it may have NaN."""
    largest: Floats = np.nanmax(np.abs(values), axis=1, keepdims=True)
    return np.ldexp(values, -np.frexp(largest)[1])


EPSILON = float(np.finfo(np.float64).eps)


def levelled(values: Floats, error: ArrayLike) -> Floats:
    """Values of which neighbours in ascending order along the last axis are equal if they differ by at most
    `error`, or the mean of both errors if each value has its own: sums that are equal but for rounding are
    then equal. They are set to the one of them with the smallest error by its power of two, the smallest of
    several; none is moved further than its own error, for each step on the way. NaN stays."""
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    error = np.take_along_axis(np.broadcast_to(error, ordered.shape), order, axis=-1)
    starts = np.ones(ordered.shape, dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):  # what is infinitely far apart starts anew
        starts[..., 1:] = ~(
            np.diff(ordered, axis=-1) <= 0.5 * error[..., 1:] + 0.5 * error[..., :-1]
        )
        first = np.maximum.accumulate(np.where(starts, np.arange(ordered.shape[-1]), 0), axis=-1)
        power = np.where(error > 0.0, np.frexp(error)[1], -2000)  # below that of any number
        surest = np.take_along_axis(np.lexsort((power, first), axis=-1), first, axis=-1)
        found = np.take_along_axis(ordered, surest, axis=-1)
        steps = np.abs(np.arange(ordered.shape[-1]) - surest)
        found = np.where(np.abs(found - ordered) <= steps * error, found, ordered)
    result = np.empty_like(values)
    np.put_along_axis(result, order, found, axis=-1)
    return result


def levelled_means(table: Floats) -> Floats:
    """Means (p,) of the columns of a table (n, p) without NaN; those whose difference can be rounding, at
    most n ε times the largest mean size of a column, are equal."""
    size = float(np.abs(table).mean(axis=0).max())
    return levelled(table.mean(axis=0), len(table) * EPSILON * size)


def content_order(table: Floats) -> Indices:
    """Positions of the rows of a table (n, p) in an order that depends on their contents: not on the order
    of rows or columns, nor on what is added to a row or multiplies the table. Rows that are alike but for
    that are ordered by their values."""
    known = ~np.isnan(table)
    values = np.where(known, table, 0.0)
    centres = values.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    centred = np.where(known, values - centres[:, None], 0.0)
    # Ten digits: what is added to a row changes the last ones.
    keys = np.rint(centred / (float(np.abs(centred).max()) or 1.0) * 1e10)
    keys[~known] = 2e10
    columns = np.lexsort(np.sort(keys, axis=0)[::-1])
    return np.lexsort((*table.T[columns[::-1]], *keys.T[columns[::-1]]))


def in_range(reduce: Callable[[Floats], Floats], values: Floats) -> Floats:
    """`reduce` (m, p) to (p,), of scaled-down numbers where a sum overflows, which changes no digit."""
    with np.errstate(over="ignore", invalid="ignore"):
        result = reduce(values)
        lost = ~np.isfinite(result)
        if lost.any():
            result[lost] = np.ldexp(reduce(np.ldexp(values[:, lost], -64)), 64)
    return result


def scaled_together(*samples: Floats) -> tuple[list[Floats], int]:
    """Several samples times one power of two, as :func:`scaled`; its exponent."""
    values, exponent = scaled(np.concatenate(samples))
    return np.split(values, np.cumsum([sample.size for sample in samples])[:-1]), exponent


def original(value: float, exponent: int) -> float:
    """A number in the unit of the data, from the unit of `scaled` values; infinite or 0 out of range."""
    with np.errstate(over="ignore", under="ignore"):
        return float(np.ldexp(value, exponent))


def unscaled(sum_of_squares: float, exponent: int) -> float:
    """A sum of squares of `scaled` values in the squared unit of the data; see :func:`original`."""
    return original(sum_of_squares, 2 * exponent)


def wilson_interval(
    share: Floats, size: ArrayLike, confidence_level: float
) -> tuple[Floats, Floats]:
    """Wilson's limits of a probability, from a `share` and the number of trials (1927, JASA 22:209)."""
    from scipy.special import ndtri  # heavy: what imports the package should not wait for it

    z, n = -float(ndtri((1.0 - confidence_level) / 2.0)), np.asarray(size)
    whole = 1.0 + z * z / n
    centre = (share + z * z / (2.0 * n)) / whole
    reach = z * np.sqrt(share * (1.0 - share) / n + z * z / (4.0 * n**2)) / whole
    return centre - reach, centre + reach


ADJUSTMENTS = ("bh", "by", "holm", "bonferroni")


def adjust_p_values(
    p_values: ArrayLike, method: str, *, n: int | None = None
) -> NDArray[np.float64]:
    """Correct p-values for the number of tests, as R's ``p.adjust`` does.

    Parameters
    ----------
    p_values : array-like (k,)
        Each in [0, 1].  NaN is no test: it is not counted and stays NaN.
    method : {"bh", "by", "holm", "bonferroni", "none"}
        Benjamini–Hochberg (false discovery rate; of independent or positively dependent tests),
        Benjamini–Yekutieli (of any tests), Holm or Bonferroni (family-wise error); "none" leaves the
        values as they are.
    n : int, optional
        How many tests there were in all, if more than are given: those that are omitted count
        as p = 1.  The number of given values by default.

    Returns
    -------
    ndarray (k,)
        Adjusted p-values in [0, 1], in the order of `p_values`; equal ones stay equal.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6; Benjamini and Hochberg (1995), JRSS B 57;
    Benjamini and Yekutieli (2001), Annals of Statistics 29.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.02, 0.04], "holm")
    array([0.03, 0.04, 0.04])
    >>> adjust_p_values([0.01, float("nan"), 0.04], "holm")
    array([0.02,  nan, 0.04])
    >>> adjust_p_values([0.01, 0.02, 0.04], "bonferroni", n=10)
    array([0.1, 0.2, 0.4])
    """
    check_choice("method", method, ("none", *ADJUSTMENTS))
    adjusted = as_array("p_values", p_values, np.float64).copy()
    outside = (adjusted < 0.0) | (adjusted > 1.0)
    if outside.any():
        wrong = f"a p-value is {adjusted[outside][0]:g}"
        raise DataError(wrong, "; p-values lie from 0 to 1 (", NAN, " = no test)")
    known = ~np.isnan(adjusted)
    p = adjusted[known]
    n = p.size if n is None else check_integer("n", n, low=p.size)
    if method == "none" or p.size == 0:
        return adjusted
    order = np.argsort(p, kind="stable")
    places = np.arange(1, p.size + 1)
    if method == "bonferroni":
        ordered = p[order] * n
    elif method == "holm":
        ordered = np.maximum.accumulate(p[order] * (n + 1 - places))
    else:
        # Tests that are omitted have p = 1, come last, and lower nobody's value.
        tests = n * (1.0 / np.arange(1, n + 1)).sum() if method == "by" else n
        ordered = np.minimum.accumulate((p[order] / (places / tests))[::-1])[::-1]
    p[order] = np.minimum(ordered, 1.0)
    adjusted[known] = p
    return adjusted
