"""Scores to ranks and to selections of the best, with the rules for ties."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import CACHED, Booleans, Floats, Integers, RandomState, row_blocks
from pyfsagg._base.identifiers import about_spellings
from pyfsagg._base.memory import require_memory
from pyfsagg._kernels.ranks import tied_ranks
from pyfsagg._message import (
    INF,
    NAN,
    SCORES,
    UNKNOWN,
    WORST,
    Got,
    Message,
    Param,
    Remedy,
    Use,
    named,
)
from pyfsagg._table.frames import pandas_frame, pandas_series
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError


def tie_sizes(scores: Floats) -> Integers:
    """Number of entries with the score of each entry, itself included: 1 without ties."""
    _, group, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray(sizes[group])


def about_ties(scores: Floats, k: int | None = None, noun: str = "features") -> str:
    """A sentence on equal scores, and on those at the edge of the best `k`; empty without ties."""
    sizes = tie_sizes(scores)
    tied, p = int((sizes > 1).sum()), len(scores)
    if not tied:
        return ""
    largest = int(sizes.max())
    text = f"{tied:,} of {p:,} {noun} have the same score: their order is arbitrary."
    if largest < tied:
        text = (
            f"{tied:,} of {p:,} {noun} share their score with others (up to {largest:,} have the "
            "same): their order among these is arbitrary."
        )
    if k is None or k >= p:
        return text
    edge = np.partition(scores, p - k)[p - k]
    room = k - int((scores > edge).sum())
    group = int((scores == edge).sum())
    if room == group:
        return text
    verb = "is" if room == 1 else "are"
    return (
        f"{text} {room:,} of {'these' if group == tied else 'a group of'} {group:,} {verb} among the "
        f"best {k:,} only because of the order of the columns."
    )


Ties = Literal["average", "min", "max", "ordinal", "random"]
TIES: tuple[Ties, ...] = get_args(Ties)
_PLACES = {"min": 0.0, "average": 0.5, "max": 1.0}


def rank_scores(
    scores: ArrayLike,
    ties: Ties = "average",
    axis: int = -1,
    *,
    higher_is_better: bool = True,
    random_state: RandomState = None,
) -> Floats:
    """Turn scores into ranks; the largest score has rank 1.

    Parameters
    ----------
    scores : array-like of float
        Larger = more important.  NaN is a missing entry and keeps rank NaN.
    ties : {"average", "min", "max", "ordinal", "random"}
        Rank of equal scores: the mean, the best or the worst of the ranks they share, one by one in
        the order of the columns, or one by one in an order drawn with `random_state`.
    axis : int
        The axis along which the scores compete.
    higher_is_better : bool
        Direction of `scores`; with False the smallest has rank 1.
    random_state : int or Generator, optional
        Seed of ``ties="random"``, which needs one; no other rule draws anything.

    Returns
    -------
    ndarray of float64
        Ranks, in the shape of `scores`.

    Examples
    --------
    >>> rank_scores([0.5, 2.0, 0.5, 1.0])
    array([3.5, 1. , 3.5, 2. ])
    >>> rank_scores([0.5, 2.0, 0.5, 1.0], ties="ordinal")
    array([3., 1., 4., 2.])
    """
    check_tie_rule(ties, random_state)
    array = np.moveaxis(validation.as_array("scores", scores, np.float64), axis, -1)
    values = np.atleast_2d(array).reshape(-1, array.shape[-1])
    if ties == "random":  # distinct keys in the same order, equal scores in random order
        keys = -values if higher_is_better else values
        draws = np.random.default_rng(random_state).random(keys.shape)
        order, values = np.lexsort((draws, keys), axis=-1), np.empty(keys.shape)
        np.put_along_axis(values, order, np.arange(float(keys.shape[-1]))[np.newaxis], -1)
        values[np.isnan(keys)] = np.nan
        higher_is_better = False
    ranks = np.empty(values.shape)
    for rows in row_blocks(values.shape, CACHED):
        # NaN sorts last, so ranks of the known entries do not depend on the missing ones.
        keys = np.ascontiguousarray(-values[rows] if higher_is_better else values[rows])
        # Only the order of the columns makes ranks one by one depend on a stable sort.
        order = np.argsort(keys, axis=-1, kind="stable" if ties == "ordinal" else None)
        if ties == "ordinal":
            places = np.arange(1.0, keys.shape[-1] + 1.0)[np.newaxis]
            np.put_along_axis(ranks[rows], order, places, -1)
            ranks[rows][np.isnan(keys)] = np.nan
        else:
            ranks[rows] = tied_ranks(keys, order, _PLACES.get(ties, 0.5))
    return np.moveaxis(ranks.reshape(array.shape), -1, axis)


def check_tie_rule(ties: str, random_state: RandomState) -> None:
    """Refuse an unknown rule for ties, and a random one without a seed."""
    validation.check_choice("ties", ties, TIES)
    if ties == "random" and random_state is None:
        raise ParameterError(
            Use(ties="random"),
            " draws the order of ties: give ",
            Param("random_state"),
            ", for instance 0",
        )


def half_places(ranks: Floats) -> NDArray[np.uint16] | None:
    """Twice the ranks in two bytes (which sort several times faster), missing as 0; None if some are
    neither whole nor halves."""
    missing = np.isnan(ranks)
    twice = ranks + ranks
    if missing.any():
        twice[missing] = 0.0
    with np.errstate(invalid="ignore"):  # too large for two bytes
        places = twice.astype(np.uint16)
    return places if np.array_equal(places, twice) else None


def has_ties(ranks: Floats, places: NDArray[np.uint16] | None) -> bool:
    """Whether a row has equal ranks; `places` as :func:`half_places` has them."""
    if places is None:
        in_order = np.sort(ranks, axis=1)  # missing ones last, and never equal
        return bool((in_order[:, 1:] == in_order[:, :-1]).any())
    rows = np.sort(places, axis=1)
    return bool(((rows[:, 1:] == rows[:, :-1]) & (rows[:, 1:] > 0)).any())


def last_places(ranks: Floats, sizes: Floats) -> Floats:
    """Give each of several equal ranks the last of the places that they share."""
    if not has_ties(ranks, half_places(ranks)):
        return ranks
    at_least_as_good = rank_scores(ranks, "max", higher_is_better=False)
    group = at_least_as_good - rank_scores(ranks, "min", higher_is_better=False) + 1.0
    tied = group > 1.0
    known = (~np.isnan(ranks)).sum(axis=1)
    normalized = (sizes == 1.0) & (known > 1)
    unit = np.where(normalized, 1.0 / known, 1.0)[:, np.newaxis]
    counted = at_least_as_good * unit
    for i in np.flatnonzero(normalized):  # at most the next larger entry, or 1
        values = np.append(np.unique(ranks[i, ~np.isnan(ranks[i])]), 1.0)
        at = np.searchsorted(values, ranks[i], side="right")
        counted[i] = np.minimum(counted[i], values[np.minimum(at, values.size - 1)])
    # A relative 1e-12, because 3/30 and 0.1 need not be the same number.
    gaps = ranks > counted * (1.0 + 1e-12)
    last = np.where(gaps, ranks + 0.5 * (group - 1.0) * unit, np.maximum(ranks, counted))
    return np.where(tied, np.minimum(last, sizes[:, np.newaxis]), ranks)


def select_top(
    values: ArrayLike, k: int, *, higher_is_better: bool = True, axis: int = -1
) -> Booleans:
    """Mark the `k` best entries; among equal entries the first columns are taken."""
    array = np.moveaxis(validation.as_array("values", values, np.float64), axis, -1)
    k = validation.check_integer("k", k, low=1, high=array.shape[-1])
    known = (~np.isnan(array)).sum(axis=-1)
    if known.size and known.min() < k:
        raise DataError(
            Use(k=k),
            f" entries are to be selected, but only {int(known.min())} are known (not ",
            NAN,
            ")",
            Remedy("select fewer"),
        )
    keys = array if higher_is_better else -array
    n = keys.shape[-1]
    # Missing entries never pass a comparison; among the ordered they count as the worst.
    ordered = keys if known.size and known.min() == n else np.where(np.isnan(keys), -np.inf, keys)
    edge = np.partition(ordered, n - k, axis=-1)[..., n - k, np.newaxis]
    above, level = keys > edge, keys == edge
    room = k - above.sum(axis=-1, keepdims=True)
    mask = above | (level & (np.cumsum(level, axis=-1) <= room))
    return np.moveaxis(mask, -1, axis)


def shares_of_top(scores: Floats, k: int) -> tuple[Booleans, Floats | None]:
    """The cells that are among the k best of their row in all orders of ties, and the share of orders in
    which each cell is; None without ties at the edge."""
    p = scores.shape[1]
    support, shares = np.empty(scores.shape, dtype=np.bool_), None
    for rows in row_blocks(scores.shape, CACHED):
        block = scores[rows]
        edge = np.partition(block, p - k, axis=1)[:, p - k, np.newaxis]
        above, level = block > edge, block == edge
        group = level.sum(axis=1, keepdims=True)
        share = (k - above.sum(axis=1, keepdims=True)) / group
        support[rows] = above | (level & (share == 1.0))
        if (share < 1.0).any():
            shares = np.zeros(scores.shape) if shares is None else shares
            shares[rows] = np.where(level, share, 0.0)
    if shares is not None:
        shares[support] = 1.0
    return support, shares


MOST_COPIES = 10_000
GROUPS = (tuple, list, set, frozenset)  # what is a tie inside a list of names
ABSENT = ("worst", "unknown")  # what an item is to a list that does not have it


def read_names(
    lists: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]],
    unranked: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]] = (),
    *,
    selections: bool = False,
) -> tuple[tuple[str, ...], tuple[str, ...], list[dict[str, float]]]:
    """Item names (in order of first appearance), list names and the rank of each name in each list;
    `selections` may be empty."""
    named = _named(lists, "list", "lists")
    loose = _named(unranked, "unranked", "unranked")
    both = [name for name in loose if name in named]
    if both:
        raise DataError(f"two lists have the name {both[0]!r}; name them apart")
    for name, entries in named.items():
        if isinstance(
            entries, (set, frozenset)
        ):  # one tie, whose names come in the same order always
            named[name] = [tuple(sorted(entries, key=str))] if entries else []
    for name, entries in loose.items():
        tie = tuple(_entries(name, entries))
        if any(isinstance(one, GROUPS) for one in tie):
            raise DataError(
                f"the unranked list {name!r} contains a tie; all its names are tied already"
            )
        named[name] = [tie]
    if not named:
        raise DataError("no list was given; at least one is needed")
    ranked = [_read_list(label, entries, selections) for label, entries in named.items()]
    names = tuple(dict.fromkeys(chain.from_iterable(ranked)))
    validation.check_writable_names((*names, *named), "an item or a list")
    return names, tuple(named), ranked


def rank_matrix(names: tuple[str, ...], ranked: Sequence[Mapping[str, float]]) -> Floats:
    """The rank of each name in each list, (m, p); NaN = not in the list."""
    m, p = len(ranked), len(names)
    # Ranks, normalized ranks, and one of them sorted.
    require_memory(22 * m * p, f"{m:,} lists of {p:,} names", "take fewer lists, or their tops")
    position = {name: j for j, name in enumerate(names)}
    matrix = np.full((m, p), np.nan)
    for i, one in enumerate(ranked):
        matrix[i, [position[name] for name in one]] = list(one.values())
    return matrix


def remark_on_names(names: tuple[str, ...], ranked: Sequence[Mapping[str, float]]) -> None:
    """Warn of lists without a common name, and of names that are spelled in two ways."""
    if len(ranked) > 1 and len(names) == sum(map(len, ranked)):
        remarks.warn(
            "no name is in more than one list: there is no agreement to find, and the result only "
            "interleaves the lists. Check that all lists use the same kind of names.",
            stacklevel=4,
        )
    versions = Message("write identifiers without their versions")
    for said in about_spellings(ranked, versions, Message("write names alike in all lists")):
        remarks.warn(said, stacklevel=4)


def _named(
    lists: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]], prefix: str, argument: str
) -> dict[str, Iterable[Any]]:
    if isinstance(lists, Mapping):
        return {str(name): entries for name, entries in lists.items()}
    try:
        without_names = validation.check_list(argument, lists)
    except InputTypeError:
        raise InputTypeError(
            named(argument),
            " must be a sequence of lists of names, or a dict of them, got ",
            f"{type(lists).__name__}",
        ) from None
    return {f"{prefix}{i + 1}": entries for i, entries in enumerate(without_names)}


def _entries(label: str, entries: Iterable[Any], may_be_empty: bool = False) -> list[Any]:
    if isinstance(entries, (str, bytes)):
        raise InputTypeError(f"the list {label!r} is the text {entries!r}, not a list of names")
    names = validation.check_list(f"the list {label!r}", entries)
    if not names and not may_be_empty:
        raise DataError(f"the list {label!r} is empty; drop it")
    return names


def _read_list(label: str, entries: Iterable[Any], may_be_empty: bool) -> dict[str, float]:
    """Name → rank of one list; a tuple, list or set inside it is a tie."""
    ranks: dict[str, float] = {}
    names = _entries(label, entries, may_be_empty)
    loose = len(names) == 1 and isinstance(names[0], tuple)
    texts = names[0] if loose else names
    if {*map(type, texts)} == {str}:  # what most people give needs no look at each
        places = map(float, range(1, len(texts) + 1))
        middle = [(len(texts) + 1) / 2] * len(texts)
        plain = dict(zip(map(str.strip, texts), middle if loose else places, strict=True))
        if len(plain) == len(texts) and "" not in plain:
            return plain
    for entry in names:
        group = list(entry) if isinstance(entry, GROUPS) else [entry]
        if not group:
            raise DataError(f"the list {label!r} has an empty tie; drop it")
        rank = len(ranks) + (len(group) + 1) / 2
        for item in group:
            unknown = item is None or item is pd.NA
            unknown = unknown or (isinstance(item, (float, np.floating)) and np.isnan(item))
            name = str(item).strip()
            if unknown or not name:
                raise DataError(
                    f"the list {label!r} contains a missing or blank name ({item!r}); remove it"
                )
            if name in ranks:
                raise DataError(
                    f"the name {name!r} occurs twice in the list {label!r}; list it once"
                )
            ranks[name] = rank
    return ranks


def read_values(
    values: Any, names: Sequence[str] | None, label: str
) -> tuple[Floats, tuple[str, ...], tuple[str, ...]]:
    values = pandas_frame(values)
    columns, rows = list[str](), list[str]()
    if isinstance(values, pd.DataFrame):
        columns = [str(name) for name in values.columns]
        if not values.index.equals(pd.RangeIndex(len(values))):
            rows = [str(name) for name in values.index]
    values = validation.real_array(label, values)
    try:
        matrix = validation.one_nan(np.array(values, dtype=np.float64, order="C"))
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(
            named(label), f" must be numbers in a table of lists by items ({error})"
        ) from error
    if matrix.ndim != 2:
        raise DataError(
            named(label),
            f" must have two dimensions, lists by items, got shape {matrix.shape}; a single list "
            " is a table of one row: [values]",
        )
    m, p = matrix.shape
    if not m or not p:
        raise DataError(
            named(label), f" has shape {matrix.shape}: at least one list and one item are needed"
        )
    if names is not None:
        columns = [str(name) for name in validation.check_list("names", names)]
        if len(columns) != p:
            raise ParameterError(Param("names"), f" has {len(columns)} names for {p} items")
    columns = columns or [f"x{j}" for j in range(p)]
    rows = rows or [f"list{i + 1}" for i in range(m)]
    if len(set(columns)) < p:
        repeated = pd.Index(columns)[pd.Index(columns).duplicated()]
        raise DataError(f"the item name {repeated[0]!r} occurs twice; names must be unique")
    validation.check_writable_names((*columns, *rows), "an item or a list")
    return matrix, tuple(columns), tuple(rows)


def read_members(scores: Any, groups: Any) -> tuple[Floats, Integers, tuple[str, ...]]:
    """Scores of members, the position of the group of each, and the names of the groups."""
    scores = validation.real_array("scores", pandas_series(scores))
    try:
        values = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(
            Param("scores"), f" must be one number per member ({error})"
        ) from error
    names = pd.Series(validation.check_list("groups", pandas_series(groups)), dtype=object)
    if values.ndim != 1 or len(values) == 0 or len(values) != len(names):
        raise DataError(
            f"scores and groups must be one value per member, got shape {values.shape} and "
            f"{len(names)} groups"
        )
    if not np.isfinite(values).all():
        raise DataError(
            f"the score of member {int(np.argmin(np.isfinite(values))) + 1} is missing or infinite; "
            "leave that member out"
        )
    if names.isna().any():
        raise DataError(f"member {int(names.isna().argmax()) + 1} has no group; drop it")
    position, distinct = pd.factorize(names.astype(str).str.strip())
    return values, position.astype(np.int64), tuple(map(str, distinct))


def check_entries(
    matrix: Floats, names: tuple[str, ...], list_names: tuple[str, ...], what: str
) -> None:
    if np.isfinite(matrix).all():
        return
    if np.isinf(matrix).any():
        i, j = np.argwhere(np.isinf(matrix))[0]
        raise DataError(
            f"the {what} of {names[j]!r} in {list_names[i]!r} is infinite",
            INF,
            Remedy("use a finite number or ", NAN),
        )
    missing = np.isnan(matrix)
    empty, unlisted = missing.all(axis=1), missing.all(axis=0)
    if empty.any():
        label = list_names[int(empty.argmax())]
        raise DataError(
            f"every {what} of {label!r} is missing (", NAN, "): an empty list", Remedy("drop it")
        )
    if unlisted.any():
        name = names[int(unlisted.argmax())]
        remedy = Remedy(
            "drop it, and count it in ", Param("universe"), " if it could have been listed"
        )
        raise DataError(f"no list has a {what} for the item {name!r} (all ", NAN, ")", remedy)


def universe_sizes(
    universe: int | Sequence[int] | None, absent: str, m: int, p: int
) -> Floats | None:
    """The universe of each of m lists of p items, checked; None if it is not said."""
    validation.check_choice("absent", absent, ABSENT)
    if universe is None:
        return None
    if absent == "unknown":
        raise ParameterError(
            Param("universe"),
            " has no meaning with ",
            UNKNOWN,
            ", where every list is its own universe",
            Remedy("drop it, or use ", WORST, " for lists that are cut off"),
        )
    sizes = (
        [universe] * m
        if validation.is_single(universe)
        else validation.check_list("universe", universe)
    )
    if len(sizes) != m:
        raise ParameterError(
            Param("universe"),
            f" must be one number or one per list ({m}), got {len(sizes)} numbers",
        )
    for size in sizes:
        if validation.check_integer("universe", size, low=1) < p:
            raise ParameterError(
                Use(universe=size),
                f" is smaller than the {p} different items in the lists; it counts every item that ",
                "could have been listed",
            )
    return np.asarray(sizes, dtype=np.float64)


def check_rank_range(
    ranks: Floats, sizes: Floats, names: tuple[str, ...], list_names: tuple[str, ...]
) -> None:
    high = ranks > sizes[:, np.newaxis]
    if (ranks < 1).any():
        i, j = np.argwhere(ranks < 1)[0]
        raise DataError(
            f"the rank of {names[j]!r} in {list_names[i]!r} is {ranks[i, j]:g}; ranks start at 1 ",
            "for the best; if these are scores, declare them: ",
            SCORES,
        )
    if high.any():
        i, j = np.argwhere(high)[0]
        raise DataError(
            f"the rank of {names[j]!r} in {list_names[i]!r} is {ranks[i, j]:g}, above the ",
            f"universe of {sizes[i]:g} items",
            Remedy("raise ", Param("universe"), ", or use ", WORST, " if it is cut off"),
        )


def read_list_weights(
    list_weights: Mapping[str, float] | Sequence[float], list_names: tuple[str, ...]
) -> Floats:
    """One checked weight per list, in the order of the lists."""
    if isinstance(list_weights, Mapping):
        unknown = [str(name) for name in list_weights if str(name) not in list_names]
        if unknown:
            raise UnknownNameError("list with a weight", unknown[0], list_names)
        absent = [name for name in list_names if name not in list_weights]
        if absent:
            raise ParameterError(f"the list {absent[0]!r} has no weight; give one for each list")
        list_weights = [list_weights[name] for name in list_names]
    if isinstance(list_weights, str) or not isinstance(list_weights, (Sequence, np.ndarray)):
        raise InputTypeError(
            Param("list_weights"), " must be one number per list", Got(list_weights)
        )
    if len(list_weights) != len(list_names):
        raise ParameterError(
            Param("list_weights"),
            f" must be one number per list ({len(list_names)}), got {len(list_weights)}",
        )
    checked = np.array(
        [validation.check_real("list_weights", weight, low=0.0) for weight in list_weights]
    )
    if not checked.any():
        raise ParameterError("all weights are 0, so no list counts; give one a weight above 0")
    odd = checked[(checked > 0.0) & ((checked < 1e-100) | (checked > 1e100))]
    if odd.size:
        wrong = " must be 0 or from 1e-100 to 1e100, so sums and products of them are numbers"
        raise ParameterError(Param("list_weights"), wrong, Got(float(odd[0])))
    return checked


def whole_weights(list_weights: Floats) -> Integers:
    """Weights as numbers of copies."""
    copies = np.rint(list_weights)
    if (copies != list_weights).any():
        odd = float(list_weights[np.argmax(copies != list_weights)])
        raise ParameterError(
            f"a list is written a whole number of times, and one has the weight {odd:g}; give whole "
            "weights"
        )
    if copies.sum() > MOST_COPIES:
        raise ParameterError(
            f"whole weights mean lists written so many times, and these sum to {copies.sum():,.0f}, "
            f"more than {MOST_COPIES:,}; divide them by a common factor"
        )
    return copies.astype(np.int64)
