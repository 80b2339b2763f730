"""The noun of the package: m rankings over p items, complete, cut off, or sets."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Booleans, Floats, Integers
from pyfsagg._base.fields import stored
from pyfsagg._message import FALSE, SCORES, TRUE, Got, Param, Phrase, Remedy
from pyfsagg._table.frames import pandas_frame
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.ranks import _files, ranking

Absent = Literal["worst", "unknown"]


@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """m rankings over p items: lists, resamples, voters or judges, complete, cut off, or without an order.

    :meth:`of` reads whatever says such a thing; :meth:`from_lists`, :meth:`from_ranks`, :meth:`from_scores`
    and :meth:`from_files` say how it is read.  These check their input, and raise a `DataError` that names
    the list, the item or the file; the constructor does not check its arguments.  Every function of lists,
    resamples and selections takes rankings: :func:`aggregate`, :func:`vote`, :func:`list_agreement`,
    :func:`influence_of_lists`, :func:`stability`, :func:`feature_stability`, :func:`nogueira`,
    :func:`adequacy`, :func:`stability_curve`, :func:`between_sample_stability`.

    Attributes
    ----------
    items : tuple of str
        The p items.
    names : tuple of str
        The m lists.
    scores : ndarray (m, p) or None
        Larger = better, NaN = missing; None if only ranks are known.
    universe : ndarray (m,) or None
        N_i: how many items list i could have contained; None if it was not said.
    absent : {"worst", "unknown"}
        Meaning of a missing entry.  "worst": the list is cut off, so the item is worse than all listed
        ones (its normalized rank is 1).  "unknown": the list has no information on the item (NaN).
    ties : str
        How ranks were made from scores.
    weights : ndarray (m,) or None
        Weight of each list; None if all count equally.  Set by :meth:`weighted`.
    dependent : bool
        Whether the lists come from one data set, as resamples, folds and voters do, so formulas for
        independent lists give no p-values.  Set by the results of this package.

    Examples
    --------
    >>> rankings = Rankings.from_lists({"first": ["a", "b", "c"], "second": ["b", "a"]})
    >>> rankings
    Rankings(2 lists, 3 items, 1 missing entry, absent = worst)
    >>> rankings.normalized_ranks()
    array([[0.33333333, 0.66666667, 1.        ],
           [0.66666667, 0.33333333, 1.        ]])
    """

    items: tuple[str, ...]
    names: tuple[str, ...]
    scores: Floats | None
    universe: Floats | None = None
    absent: Absent = "worst"
    ties: ranking.Ties = "average"
    random_state: int | None = None
    given_ranks: Floats | None = field(default=None, metadata=stored(key="ranks"))
    weights: Floats | None = None
    dependent: bool = False

    @classmethod
    def of(cls, data: Any, *, name: str = "data") -> Rankings:
        """Rankings from anything that says them.

        Parameters
        ----------
        data : Rankings, result, array, DataFrame, lists, sets, dict or files
            A result that has rankings gives its own: an ensemble the scores of its resamples, a committee
            its selections, an aggregation its lists.  A matrix has one row per list and one column per item
            and contains scores, larger = better.  Lists of names, or a dict of them, are best first and cut
            off; a tuple inside a list is a tie, and a set is a list without an order.  Names are strings;
            nested lists of numbers are scores.  A path, or several (a `pathlib.Path` each), is read by
            :meth:`from_files`.
        name : str
            What errors call the data.

        Raises
        ------
        InputTypeError
            For anything else.
        DataError
            If a list is empty or names an item twice, or a score is infinite.

        Examples
        --------
        >>> Rankings.of([["a", "b"], ["b", "c"]])
        Rankings(2 lists, 3 items, 2 missing entries, absent = worst)
        >>> Rankings.of([[0.9, 0.1, 0.5], [0.8, 0.2, 0.2]])
        Rankings(2 lists, 3 items)
        """
        own = cls._held_by(data)
        if own is not None:
            return own
        data = pandas_frame(data)
        if isinstance(data, (np.ndarray, pd.DataFrame)):
            return cls._from_table(data, name)
        if isinstance(data, Mapping):
            return cls.from_lists(data)
        if isinstance(data, os.PathLike):
            return cls.from_files(data)
        if isinstance(data, (list, tuple)):
            if not data:
                raise DataError("no list was given; at least one is needed")
            if all(isinstance(row, os.PathLike) for row in data):
                return cls.from_files(data)
            if all(isinstance(row, (*ranking.GROUPS, np.ndarray)) for row in data):
                loose = any(isinstance(row, (set, frozenset)) for row in data)
                if loose or any(isinstance(entry, (str, tuple)) for row in data for entry in row):
                    return cls.from_lists(data)
                return cls._from_table(data, name)
        raise InputTypeError(
            Param(name),
            " must be Rankings, a result that has them, a matrix of scores (lists by items), or lists or "
            f"sets of names, got {type(data).__name__}",
        )

    @classmethod
    def _held_by(cls, data: Any) -> Rankings | None:
        """`data` if they are rankings, or those that a result gives; None for anything else."""
        if isinstance(data, cls):
            return data
        give: Callable[[], Rankings] | None = getattr(data, "_rankings", None)
        return None if give is None or isinstance(data, type) else give()

    @cached_property
    def ranks(self) -> Floats:
        """Ranks (m, p), 1 = best, NaN = missing; made from the scores at first use."""
        if self.given_ranks is not None:
            return self.given_ranks
        return ranking.rank_scores(self._matrix, self.ties, random_state=self.random_state)

    @cached_property
    def sizes(self) -> Floats:
        """N_i (m,): the universe; without one all p items, or those of the list if others are unknown."""
        if self.universe is not None:
            return self.universe
        if self.absent == "unknown":
            return np.asarray(self.n_items - self.missing.sum(axis=1), dtype=np.float64)
        return np.full(self.n_lists, float(self.n_items))

    @property
    def depth(self) -> Integers:
        """How many items each list has, (m,)."""
        return np.asarray(self.n_items - self.missing.sum(axis=1))

    @property
    def n_lists(self) -> int:
        return int(self._matrix.shape[0])

    @property
    def _total_weight(self) -> float:
        """Sum of the weights of the lists; the number of lists if all count the same."""
        return float(self.n_lists if self.weights is None else self.weights.sum())

    @property
    def n_items(self) -> int:
        return int(self._matrix.shape[1])

    @property
    def _largest_universe(self) -> int:
        """Number of items that could have been listed; unknown for normalized ranks, whose `sizes` are 1."""
        return max(self.n_items, int(self.sizes.max()))

    @property
    def _matrix(self) -> Floats:
        matrix = self.given_ranks if self.given_ranks is not None else self.scores
        if matrix is None:
            raise DataError(
                "Rankings need scores or ranks; build them with from_scores or from_ranks"
            )
        return matrix

    @cached_property
    def unranked(self) -> Booleans:
        """True (m,) for a list without an order: several items, all with the same rank."""
        same = np.fmin.reduce(self.ranks, axis=1) == np.fmax.reduce(self.ranks, axis=1)
        return np.asarray(same & ((~self.missing).sum(axis=1) > 1))

    @cached_property
    def missing(self) -> Booleans:
        """True (m, p) where a list does not contain an item."""
        return np.isnan(self._matrix)

    def _filled_ranks(self) -> Floats:
        """Ranks (m, p) in which an absent item has rank N_i or NaN."""
        if self.absent == "unknown" or not self.missing.any():
            return self.ranks
        return np.where(self.missing, self.sizes[:, np.newaxis], self.ranks)

    def normalized_ranks(self) -> Floats:
        """Ranks divided by the universe sizes, (m, p), in (0, 1], as ``rankMatrix`` of RobustRankAggreg.

        An absent item has 1 if lists are cut off, and NaN if it is unknown to a list.
        """
        return self._normalized_columns(0, self.n_items).T

    def _normalized_columns(self, start: int, stop: int) -> Floats:
        """Normalized ranks of the items from `start` to `stop`, one row per item, contiguous."""
        columns = np.divide(self.ranks[:, start:stop].T, self.sizes, order="C")
        if self.absent == "worst":
            columns[np.isnan(columns)] = 1.0
        return columns

    @cached_property
    def _half_places(self) -> NDArray[np.uint16] | None:
        return ranking.half_places(self.ranks)

    def _sorted_columns(self, start: int, stop: int) -> Floats:
        """:meth:`_normalized_columns`, each row in ascending order with missing ones last."""
        places, last = self._half_places, 2.0 * self.sizes[0]
        absent = places is not None and not places.all()
        if (
            places is None
            or (2.0 * self.sizes != last).any()
            or (absent and (self.absent == "unknown" or last > 65535))
        ):
            columns = self._normalized_columns(start, stop)
            columns.sort(axis=1)
            return columns
        rows = np.ascontiguousarray(places[:, start:stop].T)
        if absent:
            rows[rows == 0] = last
        rows.sort(axis=1)
        return np.asarray(rows / last)

    def reversed(self, lists: Sequence[str]) -> Rankings:
        """The same table with the scores of some lists reversed: the smallest becomes the best.

        Examples
        --------
        >>> table = Rankings.from_scores([[1.0, 2.0], [3.0, 4.0]])
        >>> table.reversed([table.names[1]]).ranks.tolist()
        [[2.0, 1.0], [1.0, 2.0]]
        """
        for name in lists:
            if name not in self.names:
                raise UnknownNameError("list", name, self.names)
        if self.scores is None:
            raise DataError("only ranks of these lists are known; scores can be reversed")
        sign = np.where(np.isin(self.names, list(lists)), -1.0, 1.0)
        return replace(self, scores=self.scores * sign[:, np.newaxis])

    def weighted(self, list_weights: Mapping[str, float] | Sequence[float] | None) -> Rankings:
        """The same lists with weights; a whole weight k counts as k copies of the list.

        Parameters
        ----------
        list_weights : one number per list, or dict of list name to number
            0 or from 1e-100 to 1e100, in the order of the lists.  A list of weight 0 is omitted, and so
            are items that no other list holds (with a warning); universes stay.  None and weights that
            are all 1 leave the table without weights.

        Warns
        -----
        PyfsaggWarning
            If items are dropped because only lists of weight 0 contain them.

        Examples
        --------
        >>> table = Rankings.from_lists({"first": ["a", "b"], "second": ["b", "a"]})
        >>> table.weighted({"first": 2, "second": 1}).weights
        array([2., 1.])
        """
        if list_weights is None:
            return replace(self, weights=None)
        weights = ranking.read_list_weights(list_weights, self.names)
        counts = weights > 0
        table = self if counts.all() else self._of_lists(counts)
        even = bool((weights[counts] == 1.0).all())
        return replace(table, weights=None if even else weights[counts])

    def _written_out(self) -> Rankings:
        """The table without weights, with a list of weight k repeated k times."""
        if self.weights is None:
            return self
        rows = np.repeat(np.arange(self.n_lists), ranking.whole_weights(self.weights))
        return replace(self._of_lists(rows), weights=None)

    def _of_lists(self, rows: NDArray[Any]) -> Rankings:
        """Some of the lists, or some more than once, over the items that they hold."""
        held = ~self.missing[rows].all(axis=0)
        if not held.all():
            gone = int((~held).sum())
            remarks.warn(
                f"{gone} item(s) are held by lists of weight 0 only and are omitted, for instance "
                f"{self.items[int((~held).argmax())]!r}",
                stacklevel=4,
            )
        # Ties that were broken at random stay as they fell.
        ranks = self.ranks if self.ties == "random" else self.given_ranks
        return replace(
            self,
            items=tuple(item for item, stays in zip(self.items, held, strict=True) if stays),
            names=tuple(np.array(self.names, dtype=object)[rows]),
            scores=None if self.scores is None else self.scores[rows][:, held],
            given_ranks=None if ranks is None else ranks[rows][:, held],
            universe=None if self.universe is None and held.all() else self.sizes[rows],
        )

    def _of_listed(self) -> Rankings:
        """The rankings without items that no list has, which stay in the universe; refuses empty lists."""
        empty, held = self.missing.all(axis=1), np.asarray(~self.missing.all(axis=0))
        if empty.any():
            raise DataError(
                f"the list {self.names[int(empty.argmax())]!r} is empty", Remedy("leave it out")
            )
        if held.all():
            return self
        return replace(
            self,
            items=tuple(item for item, stays in zip(self.items, held, strict=True) if stays),
            scores=None if self.scores is None else self.scores[:, held],
            given_ranks=None if self.given_ranks is None else self.given_ranks[:, held],
            universe=None if self.absent == "unknown" else self.sizes,
        )

    def _in_order(self) -> list[list[str]]:
        """The names that each list has, best first, and those of a tie in the order of letters."""
        by_name = np.argsort(np.argsort(np.array(self.items, dtype=object)))
        orders = (
            np.lexsort((by_name, ranks))[:k]
            for ranks, k in zip(self.ranks, self.depth, strict=True)
        )
        return [[self.items[j] for j in order] for order in orders]

    def top(self, k: int | float) -> Floats:
        """Expected membership of each item in the best `k` of each list, shape (m, p).

        1 for an item of which fewer than k others are at least as good, 0 for one that k others beat or that
        the list does not have; items that tie at the edge share the places that are left, so a row sums to k,
        or to the length of a shorter list.

        Parameters
        ----------
        k : int or float
            A count, or a share of the items (rounded up).

        Examples
        --------
        >>> Rankings.of([[0.9, 0.5, 0.5, 0.1], [0.4, 0.3, 0.2, 0.1]]).top(2)
        array([[1. , 0.5, 0.5, 0. ],
               [1. , 1. , 0. , 0. ]])
        """
        k = validation.n_selected(k, self.n_items, "k")
        keys = -self.ranks if self.scores is None else self.scores
        keys = np.where(self.missing, -np.inf, keys)
        support, shares = ranking.shares_of_top(keys, k)
        return np.where(self.missing, 0.0, support if shares is None else shares)

    def _with_last_places(self) -> Rankings:
        """The table for p-values: tied entries have their last place, as average ranks give too small
        p-values. Random tie breaks are kept, those by column are not."""
        if self.ties in ("max", "random"):
            return self
        if self.ties != "ordinal" and not ranking.has_ties(self.ranks, self._half_places):
            return self
        scores = self.scores
        last = (
            ranking.last_places(self.ranks, self.sizes)
            if scores is None
            else ranking.rank_scores(scores, "max")
        )
        if np.array_equal(last, self.ranks, equal_nan=True):
            return self
        return replace(self, scores=None, given_ranks=last)

    def to_frame(self, values: Literal["ranks", "scores", "normalized"] = "ranks") -> pd.DataFrame:
        """One row per item and one column per list."""
        validation.check_choice("values", values, ("ranks", "scores", "normalized"))
        if values == "scores":
            matrix = self.scores
        else:
            matrix = self.ranks if values == "ranks" else self.normalized_ranks()
        if matrix is None:
            raise DataError("these rankings are ranks only; build them with ", SCORES)
        return pd.DataFrame(
            matrix.T,
            index=pd.Index(self.items, name="item"),
            columns=pd.Index(self.names, name="list"),
        )

    def __repr__(self) -> str:
        absent = int(self.missing.sum())
        gaps = ""
        if absent:
            gaps = f", {absent} missing entr{'y' if absent == 1 else 'ies'}, absent = {self.absent}"
        lists = f"{self.n_lists} list{'' if self.n_lists == 1 else 's'}"
        return f"Rankings({lists}, {self.n_items} items{gaps})"

    @classmethod
    def _from_checked_scores(cls, scores: Floats, items: tuple[str, ...]) -> Rankings:
        """Wrap a complete and valid score matrix without a look, in loops over thousands of small ones."""
        return cls(items, ("",) * len(scores), scores, absent="unknown")

    @classmethod
    def _from_table(cls, scores: Any, label: str, names: Sequence[str] | None = None) -> Rankings:
        """Rankings from scores, larger = better, which errors call `label`; a missing one is unknown."""
        matrix, item_names, list_names = ranking.read_values(scores, names, label)
        ranking.check_entries(matrix, item_names, list_names, "score")
        return cls(item_names, list_names, matrix, absent="unknown")

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        higher_is_better: bool = True,
        *,
        names: Sequence[str] | None = None,
        ties: ranking.Ties = "average",
        random_state: int | None = None,
        absent: Absent = "unknown",
        universe: int | Sequence[int] | None = None,
    ) -> Rankings:
        """Rankings from a matrix of scores: one row per list, one column per item.

        Parameters
        ----------
        scores : array-like or DataFrame of shape (n_lists, n_items)
            NaN = missing.  The columns of a frame name the items, its index the lists.
        higher_is_better : bool
            Direction of *all* lists; scores are stored so that larger is better.
        names : sequence of str, optional
            Item names for an array; ``x0, x1, …`` by default.
        ties, random_state
            See :func:`rank_scores`.
        absent : {"unknown", "worst"}
            What a missing score is: unknown, or worse than all others.
        universe : int or one int per list, optional
            How many items could have been listed, with ``absent="worst"``; the number of items by default.

        Examples
        --------
        >>> Rankings.from_scores([[0.9, 0.1, 0.5], [0.8, 0.2, 0.2]]).ranks
        array([[1. , 3. , 2. ],
               [1. , 2.5, 2.5]])
        """
        if not isinstance(higher_is_better, (bool, np.bool_)):
            raise ParameterError(
                Param("higher_is_better"),
                " must be ",
                TRUE,
                " or ",
                FALSE,
                " for the whole table",
                Got(higher_is_better),
                "; if directions are mixed, negate the lists that run the other way first",
            )
        ranking.check_tie_rule(ties, random_state)
        matrix, item_names, list_names = ranking.read_values(scores, names, "scores")
        ranking.check_entries(matrix, item_names, list_names, "score")
        matrix = matrix if higher_is_better else -matrix
        sizes = ranking.universe_sizes(universe, absent, *matrix.shape)
        return cls(item_names, list_names, matrix, sizes, absent, ties, random_state)

    @classmethod
    def from_ranks(
        cls,
        ranks: Any,
        *,
        names: Sequence[str] | None = None,
        absent: Absent = "worst",
        universe: int | Sequence[int] | None = None,
    ) -> Rankings:
        """Rankings from a matrix of ranks: one row per list, one column per item, 1 = best.

        Parameters
        ----------
        ranks : array-like or DataFrame of shape (n_lists, n_items)
            Positive ranks, ties in any convention; NaN = not in the list.
        names, universe
            As in :meth:`from_scores`.
        absent : {"worst", "unknown"}
            "worst": lists are cut off, and an absent item is worse than all listed ones.  "unknown": each
            list is complete in itself and has no information on an absent item.

        Examples
        --------
        >>> Rankings.from_ranks([[1, 2, 3], [3, 1, 2]]).normalized_ranks()
        array([[0.33333333, 0.66666667, 1.        ],
               [1.        , 0.33333333, 0.66666667]])
        """
        matrix, item_names, list_names = ranking.read_values(ranks, names, "ranks")
        ranking.check_entries(matrix, item_names, list_names, "rank")
        sizes = ranking.universe_sizes(universe, absent, *matrix.shape)
        made = cls(item_names, list_names, None, sizes, absent, given_ranks=matrix)
        ranking.check_rank_range(matrix, made.sizes, item_names, list_names)
        return made

    @classmethod
    def from_normalized_ranks(
        cls, normalized: Any, *, names: Sequence[str] | None = None, absent: Absent = "unknown"
    ) -> Rankings:
        """Lists given as normalized ranks, (n_lists, n_items): a transposed R ``rankMatrix``.

        Entries in (0, 1], kept as `ranks`, are shares of a universe of size one; NaN = not in the list, which
        is what `absent` says, as in :meth:`from_ranks`.

        Examples
        --------
        >>> Rankings.from_normalized_ranks([[0.1, 0.2], [0.3, 1.0]]).n_items
        2
        """
        matrix, item_names, list_names = ranking.read_values(normalized, names, "normalized ranks")
        ranking.check_entries(matrix, item_names, list_names, "rank")
        # Shares below 1e-280 leave no room for differences between them in floating numbers.
        outside = (matrix < 1e-280) | (matrix > 1)
        if outside.any():
            i, j = np.argwhere(outside)[0]
            raise DataError(
                f"the normalized rank of {item_names[j]!r} in {list_names[i]!r} is ",
                f"{matrix[i, j]:g}; it must be above 0 and at most 1",
                Phrase("not_ranks", " (for ranks use Rankings.from_ranks)"),
            )
        validation.check_choice("absent", absent, ranking.ABSENT)
        sizes = np.ones(matrix.shape[0])
        return cls(item_names, list_names, None, sizes, absent, given_ranks=matrix)

    @classmethod
    def from_groups(cls, scores: Any, groups: Any, higher_is_better: bool = True) -> Rankings:
        """Groups of members as items: each member has a score, and a group, such as guides their genes.

        All members are ranked together, and ranks are divided by their number; members of equal score
        have the last of the places that they share.  The k-th list holds the k-th best member of each
        group; a group of fewer members is unknown to it.  Methods that take all ranks of
        an item together (Stuart, robust rank aggregation, mean, median or minimum rank) then judge
        groups.  For CRISPR screens see :func:`pyfsagg.screen`.

        Parameters
        ----------
        scores : array-like (n_members,)
        groups : array-like (n_members,)
            The name of the group of each member.
        higher_is_better : bool
            Direction of the scores.

        Returns
        -------
        Rankings
            One row per member of the largest group, one column per group in the order of first
            appearance.

        Examples
        --------
        >>> Rankings.from_groups([3.0, 1.0, 2.0, 0.5], ["a", "b", "a", "b"]).ranks
        array([[0.25, 0.75],
               [0.5 , 1.  ]])
        """
        values, position, names = ranking.read_members(scores, groups)
        places = ranking.rank_scores(values, "max", higher_is_better=higher_is_better) / len(values)
        order = np.lexsort((places, position))
        sizes = np.bincount(position)
        within = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        matrix = np.full((sizes.max(), len(names)), np.nan)
        matrix[within, position[order]] = places[order]
        lists = tuple(f"member {k + 1}" for k in range(len(matrix)))
        return cls(names, lists, None, np.ones(len(matrix)), "unknown", "max", given_ranks=matrix)

    @classmethod
    def from_lists(
        cls,
        lists: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]],
        universe: int | Sequence[int] | None = None,
        *,
        absent: Absent = "worst",
        unranked: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]] = (),
    ) -> Rankings:
        """Rankings from lists of names, best first.

        Parameters
        ----------
        lists : sequence of lists of names, or dict of list name to list of names
            A tuple of names inside a list is a tie: its members share the average of their ranks.  A set
            of names has no order: all of its members are tied.
        universe : int or one int per list, optional
            How many items could have been listed (N_i) when lists are cut off; by default the number of
            different names.
        absent : {"worst", "unknown"}
            What an item is to a list without it.  "worst": lists are cut off, and the item is worse than
            all listed ones.  "unknown": each list is complete in itself.
        unranked : sequence of lists of names, or dict of list name to list of names
            Lists without an order, placed after the others: their names are tied, with the mean
            rank of the block.  Without names of their own they are ``unranked1, unranked2, …``.

        Warns
        -----
        PyfsaggWarning
            If no name is in two lists: there is then no agreement to find, and the result only
            interleaves the lists.  If names of different lists differ in case, blanks or the version of an
            identifier only.

        Examples
        --------
        >>> Rankings.from_lists([["a", "b"], ["b", "c"]], universe=10).to_frame("normalized")
        list  list1  list2
        item
        a       0.1    1.0
        b       0.2    0.1
        c       1.0    0.2
        """
        names, list_names, ranked = ranking.read_names(lists, unranked)
        matrix = ranking.rank_matrix(names, ranked)
        ranking.remark_on_names(names, ranked)
        sizes = ranking.universe_sizes(universe, absent, *matrix.shape)
        return cls(names, list_names, None, sizes, absent, given_ranks=matrix)

    @classmethod
    def _from_selections(cls, lists: Any) -> Rankings:
        """Rankings from lists or sets of names, of which some may be empty; they need not overlap."""
        names, list_names, ranked = ranking.read_names(lists, selections=True)
        return cls(names, list_names, None, given_ranks=ranking.rank_matrix(names, ranked))

    @classmethod
    def from_files(
        cls,
        paths: _files.PathLike | Iterable[_files.PathLike],
        universe: int | Sequence[int] | None = None,
        *,
        absent: Absent = "worst",
        format: _files.Format = "auto",
        ids: str | None = None,
        by: str | None = None,
        best_first: bool = False,
        header: bool = False,
        duplicates: Literal["error", "first"] = "error",
        matrix: Literal["ranks", "scores"] = "ranks",
        higher_is_better: bool = True,
        ties: ranking.Ties = "average",
        random_state: int | None = None,
        unranked: _files.PathLike | Iterable[_files.PathLike] = (),
    ) -> Rankings:
        """Read lists from files, which may be gzipped.

        Parameters
        ----------
        paths : path or paths
            ``"-"`` is standard input.  None are needed if there are unranked lists.
        universe, absent
            See :meth:`from_lists`.
        format : {"auto", "lists", "columns", "lines", "matrix"}
            *lists*: one file per list, one name per line, best first.  *columns*: one table whose
            columns are lists of names under a header.  *lines*: one file, each line a list, names
            between tabs or commas.  *matrix*: one table with a row per item and a column per list,
            an empty cell being a missing entry.  *auto*: a single ``.csv`` or ``.tsv`` file or
            standard input is a matrix, anything else lists.
        ids : str, optional
            The column that names the items of a matrix (the first one by default); or the column of
            names, if each list is a table in a file of its own.
        by : str, optional
            The column of such tables by which they are ranked, in the direction of `higher_is_better`;
            equal values are tied, and rows without one are not in the list.  Known without it are the
            ranks of MAGeCK, drugZ and BAGEL (``neg|rank``, ``rank_synth``, ``BF``; smallest first, but for
            ``BF``), if the table has one side.
        best_first : bool
            Whether tables and lists are known to be best first.  Otherwise an alphabetical order of ten
            names or more, and the same order of ten names in two tables, is an error.
        header : bool
            Skip the first line of each file of names.
        duplicates : {"error", "first"}
            Refuse a name that occurs twice in a list, or keep its best place.
        matrix : {"ranks", "scores"}
            Content of the cells of a matrix.
        higher_is_better, ties, random_state
            Of scores in a matrix, see :meth:`from_scores`; the direction also of `by`.
        unranked : path or paths
            Files of names in no order, one list each (tables with the column `ids`, if that is
            given); see :meth:`from_lists`.  Not with a matrix, in which equal cells mean the same.

        Warns
        -----
        PyfsaggWarning
            For blank lines between names, repeated names that are omitted, a first line that looks like
            a header, and a known column by which a table is ranked.

        Raises
        ------
        DataError
            Also for tables and lists whose order is no ranking; see `best_first`.
        """
        validation.check_choice("matrix", matrix, ("ranks", "scores"))
        ranked, loose = _files.read_rank_files(
            paths,
            unranked,
            format=format,
            ids=ids,
            header=header,
            duplicates=duplicates,
            by=by,
            higher_is_better=higher_is_better,
            best_first=best_first,
        )
        if isinstance(ranked, dict):
            return cls.from_lists(ranked, universe, absent=absent, unranked=loose)
        if matrix == "ranks":
            return cls.from_ranks(ranked, universe=universe, absent=absent)
        return cls.from_scores(
            ranked,
            higher_is_better,
            ties=ties,
            random_state=random_state,
            universe=universe,
            absent=absent,
        )
