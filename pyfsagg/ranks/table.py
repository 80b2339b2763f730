"""Tables of ranked lists: ranks, scores, missing entries, ties and universe sizes in one object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.fields import stored
from pyfsagg._message import FALSE, SCORES, TRUE, Got, Param, Phrase
from pyfsagg.exceptions import DataError, ParameterError, UnknownNameError
from pyfsagg.ranks import _files, ranking

Absent = Literal["worst", "unknown"] | None


def _is_full(full: bool, absent: Absent) -> bool:
    """Whether an absent item is unknown to a list: by `absent`, or else `full`."""
    known = absent is not None and validation.check_choice("absent", absent, ("worst", "unknown"))
    return absent == "unknown" if known else full


@dataclass(frozen=True, eq=False, repr=False)
class RankTable:
    """Several ranked lists over one set of items.

    Build one with :meth:`from_lists`, :meth:`from_ranks`, :meth:`from_scores` or :meth:`from_files`;
    these check their input, and raise a `DataError` that names the list, the item or the file.  The
    constructor does not check its arguments.

    Attributes
    ----------
    names : tuple of str
        The p items.
    list_names : tuple of str
        The m lists.
    scores : ndarray (m, p) or None
        Larger = better, NaN = missing; None if only ranks are known.
    sizes : ndarray (m,)
        N_i: the number of items that list i ranked, or would have ranked, in total.
    full : bool
        Meaning of a missing entry.  False: the list is truncated, so the item is worse
        than all listed ones (its normalized rank is 1).  True: the list has no information on the
        item (NaN).
    ties : str
        How ranks were made from scores.
    list_weights : ndarray (m,) or None
        Weight of each list; None if all count equally.  Set by :meth:`weighted`.

    Examples
    --------
    >>> table = RankTable.from_lists({"first": ["a", "b", "c"], "second": ["b", "a"]})
    >>> table
    RankTable(2 lists, 3 items, 1 missing entry, absent = worst)
    >>> table.normalized_ranks()
    array([[0.33333333, 0.66666667, 1.        ],
           [0.66666667, 0.33333333, 1.        ]])
    """

    names: tuple[str, ...]
    list_names: tuple[str, ...]
    scores: Floats | None
    sizes: Floats
    full: bool = False
    ties: ranking.Ties = "average"
    random_state: int | None = None
    given_ranks: Floats | None = field(default=None, metadata=stored(key="ranks"))
    list_weights: Floats | None = None

    @cached_property
    def ranks(self) -> Floats:
        """Ranks (m, p), 1 = best, NaN = missing; made from the scores at first use."""
        if self.given_ranks is not None:
            return self.given_ranks
        return ranking.rank_scores(self._matrix, self.ties, random_state=self.random_state)

    @property
    def n_lists(self) -> int:
        return int(self._matrix.shape[0])

    @property
    def _total_weight(self) -> float:
        """Sum of the weights of the lists; the number of lists if all count the same."""
        return float(self.n_lists if self.list_weights is None else self.list_weights.sum())

    @property
    def n_items(self) -> int:
        return int(self._matrix.shape[1])

    @property
    def _universe(self) -> int:
        """Number of items that could have been listed; unknown for normalized ranks, whose `sizes` are 1."""
        return max(self.n_items, int(self.sizes.max()))

    @property
    def _matrix(self) -> Floats:
        matrix = self.given_ranks if self.given_ranks is not None else self.scores
        if matrix is None:
            raise DataError(
                "a RankTable needs scores or ranks; build it with from_scores or from_ranks"
            )
        return matrix

    @cached_property
    def unranked(self) -> Booleans:
        """True (m,) for a list without an order: several items, all with the same rank."""
        same = np.nanmin(self.ranks, axis=1) == np.nanmax(self.ranks, axis=1)
        return np.asarray(same & ((~self.missing).sum(axis=1) > 1))

    @cached_property
    def missing(self) -> Booleans:
        """True (m, p) where a list does not contain an item."""
        return np.isnan(self._matrix)

    def _filled_ranks(self) -> Floats:
        """Ranks (m, p) in which an absent item has rank N_i (``full=False``) or NaN."""
        if self.full or not self.missing.any():
            return self.ranks
        return np.where(self.missing, self.sizes[:, np.newaxis], self.ranks)

    def normalized_ranks(self) -> Floats:
        """Ranks divided by the universe sizes, (m, p), in (0, 1], as ``rankMatrix`` of RobustRankAggreg.

        An absent item has 1 if lists are cut off (``full=False``), and NaN if each is complete in itself.
        """
        return self._normalized_columns(0, self.n_items).T

    def _normalized_columns(self, start: int, stop: int) -> Floats:
        """Normalized ranks of the items from `start` to `stop`, one row per item, contiguous."""
        columns = np.divide(self.ranks[:, start:stop].T, self.sizes, order="C")
        if not self.full:
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
            or (absent and (self.full or last > 65535))
        ):
            columns = self._normalized_columns(start, stop)
            columns.sort(axis=1)
            return columns
        rows = np.ascontiguousarray(places[:, start:stop].T)
        if absent:
            rows[rows == 0] = last
        rows.sort(axis=1)
        return np.asarray(rows / last)

    def reversed(self, lists: Sequence[str]) -> RankTable:
        """The same table with the scores of some lists reversed: the smallest becomes the best.

        Examples
        --------
        >>> table = RankTable.from_scores([[1.0, 2.0], [3.0, 4.0]])
        >>> table.reversed([table.list_names[1]]).ranks.tolist()
        [[2.0, 1.0], [1.0, 2.0]]
        """
        for name in lists:
            if name not in self.list_names:
                raise UnknownNameError("list", name, self.list_names)
        if self.scores is None:
            raise DataError("only ranks of these lists are known; scores can be reversed")
        sign = np.where(np.isin(self.list_names, list(lists)), -1.0, 1.0)
        return replace(self, scores=self.scores * sign[:, np.newaxis])

    def weighted(self, list_weights: Mapping[str, float] | Sequence[float] | None) -> RankTable:
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
        >>> table = RankTable.from_lists({"first": ["a", "b"], "second": ["b", "a"]})
        >>> table.weighted({"first": 2, "second": 1}).list_weights
        array([2., 1.])
        """
        if list_weights is None:
            return replace(self, list_weights=None)
        weights = ranking.read_list_weights(list_weights, self.list_names)
        counts = weights > 0
        table = self if counts.all() else self._of_lists(counts)
        even = bool((weights[counts] == 1.0).all())
        return replace(table, list_weights=None if even else weights[counts])

    def _written_out(self) -> RankTable:
        """The table without weights, with a list of weight k repeated k times."""
        if self.list_weights is None:
            return self
        rows = np.repeat(np.arange(self.n_lists), ranking.whole_weights(self.list_weights))
        return replace(self._of_lists(rows), list_weights=None)

    def _of_lists(self, rows: NDArray[Any]) -> RankTable:
        """Some of the lists, or some more than once, over the items that they hold."""
        held = ~self.missing[rows].all(axis=0)
        if not held.all():
            gone = int((~held).sum())
            remarks.warn(
                f"{gone} item(s) are held by lists of weight 0 only and are omitted, for instance "
                f"{self.names[int((~held).argmax())]!r}",
                stacklevel=4,
            )
        # Ties that were broken at random stay as they fell.
        ranks = self.ranks if self.ties == "random" else self.given_ranks
        return replace(
            self,
            names=tuple(name for name, stays in zip(self.names, held, strict=True) if stays),
            list_names=tuple(np.array(self.list_names, dtype=object)[rows]),
            scores=None if self.scores is None else self.scores[rows][:, held],
            given_ranks=None if ranks is None else ranks[rows][:, held],
            sizes=self.sizes[rows],
        )

    def _with_last_places(self) -> RankTable:
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
        """The table as a frame with one row per item and one column per list."""
        validation.check_choice("values", values, ("ranks", "scores", "normalized"))
        if values == "scores":
            matrix = self.scores
        else:
            matrix = self.ranks if values == "ranks" else self.normalized_ranks()
        if matrix is None:
            raise DataError("this RankTable contains ranks only; build it with ", SCORES)
        return pd.DataFrame(
            matrix.T,
            index=pd.Index(self.names, name="item"),
            columns=pd.Index(self.list_names, name="list"),
        )

    def __repr__(self) -> str:
        absent = int(self.missing.sum())
        gaps = ""
        if absent:
            meaning = "unknown" if self.full else "worst"
            gaps = f", {absent} missing entr{'y' if absent == 1 else 'ies'}, absent = {meaning}"
        lists = f"{self.n_lists} list{'' if self.n_lists == 1 else 's'}"
        return f"RankTable({lists}, {self.n_items} items{gaps})"

    @classmethod
    def _from_checked_scores(cls, scores: Floats, names: tuple[str, ...]) -> RankTable:
        """Wrap a complete and valid score matrix without a look, in loops over thousands of small ones."""
        m, p = scores.shape
        return cls(names, ("",) * m, scores, np.full(m, float(p)), True, "average")

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        higher_is_better: bool = True,
        *,
        names: Sequence[str] | None = None,
        ties: ranking.Ties = "average",
        random_state: int | None = None,
        full: bool = True,
        absent: Absent = None,
        universe: int | Sequence[int] | None = None,
    ) -> RankTable:
        """Build a table from a matrix of scores: one row per list, one column per item.

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
        full : bool
            A missing score is unknown (True, the default for scores) or worse than all others.
        absent : {"worst", "unknown"}, optional
            The same in words, which count instead of `full`.
        universe : int or one int per list, optional
            Universe sizes for ``full=False``; the number of items by default.

        Examples
        --------
        >>> RankTable.from_scores([[0.9, 0.1, 0.5], [0.8, 0.2, 0.2]]).ranks
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
        full = _is_full(full, absent)
        sizes = ranking.universe_sizes(universe, full, np.isnan(matrix))
        return cls(item_names, list_names, matrix, sizes, full, ties, random_state)

    @classmethod
    def from_ranks(
        cls,
        ranks: Any,
        *,
        names: Sequence[str] | None = None,
        full: bool = False,
        absent: Absent = None,
        universe: int | Sequence[int] | None = None,
    ) -> RankTable:
        """Build a table from a matrix of ranks: one row per list, one column per item, 1 = best.

        Parameters
        ----------
        ranks : array-like or DataFrame of shape (n_lists, n_items)
            Positive ranks, ties in any convention; NaN = not in the list.
        names, universe
            As in :meth:`from_scores`.
        full : bool
            False: lists are cut off, and an absent item is worse than all listed ones.  True: each
            list is complete and has no information on an absent item.
        absent : {"worst", "unknown"}, optional
            The same in words, which count instead of `full`.

        Examples
        --------
        >>> RankTable.from_ranks([[1, 2, 3], [3, 1, 2]]).normalized_ranks()
        array([[0.33333333, 0.66666667, 1.        ],
               [1.        , 0.33333333, 0.66666667]])
        """
        matrix, item_names, list_names = ranking.read_values(ranks, names, "ranks")
        ranking.check_entries(matrix, item_names, list_names, "rank")
        full = _is_full(full, absent)
        sizes = ranking.universe_sizes(universe, full, np.isnan(matrix))
        ranking.check_rank_range(matrix, sizes, item_names, list_names)
        return cls(item_names, list_names, None, sizes, full, given_ranks=matrix)

    @classmethod
    def from_normalized_ranks(
        cls, normalized: Any, *, names: Sequence[str] | None = None, full: bool = True
    ) -> RankTable:
        """Lists given as normalized ranks, (n_lists, n_items): a transposed R ``rankMatrix``.

        Entries in (0, 1], kept as `ranks`, are shares of a universe of size one; NaN = not in the list.

        Examples
        --------
        >>> RankTable.from_normalized_ranks([[0.1, 0.2], [0.3, 1.0]]).n_items
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
                Phrase("not_ranks", " (for ranks use RankTable.from_ranks)"),
            )
        sizes = np.ones(matrix.shape[0])
        return cls(item_names, list_names, None, sizes, full, given_ranks=matrix)

    @classmethod
    def from_groups(cls, scores: Any, groups: Any, higher_is_better: bool = True) -> RankTable:
        """Groups of members as items: each member has a score, and a group, such as guides their genes.

        All members are ranked together, and ranks are divided by their number; members of equal score
        have the last of the places that they share.  The k-th list holds the k-th best member of each
        group; a group of fewer members is unknown to it (``full=True``).  Methods that take all ranks of
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
        RankTable
            One row per member of the largest group, one column per group in the order of first
            appearance.

        Examples
        --------
        >>> RankTable.from_groups([3.0, 1.0, 2.0, 0.5], ["a", "b", "a", "b"]).ranks
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
        return cls(names, lists, None, np.ones(len(matrix)), True, "max", given_ranks=matrix)

    @classmethod
    def from_lists(
        cls,
        lists: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]],
        universe: int | Sequence[int] | None = None,
        full: bool = False,
        *,
        absent: Absent = None,
        unranked: Mapping[str, Iterable[Any]] | Iterable[Iterable[Any]] = (),
    ) -> RankTable:
        """Build a table from lists of names, best first.

        Parameters
        ----------
        lists : sequence of lists of names, or dict of list name to list of names
            A tuple of names inside a list is a tie: its members share the average of their ranks.
        universe : int or one int per list, optional
            How many items could have been listed (N_i) when lists are cut off (``full=False``); by
            default the number of different names.
        full : bool
            True: each list is complete in itself, and an absent item is unknown to it.
        absent : {"worst", "unknown"}, optional
            The same in words, which count instead of `full`: what an item is to a list without it.
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
        >>> RankTable.from_lists([["a", "b"], ["b", "c"]], universe=10).to_frame("normalized")
        list  list1  list2
        item
        a       0.1    1.0
        b       0.2    0.1
        c       1.0    0.2
        """
        names, list_names, matrix = ranking.read_lists(lists, unranked)
        full = _is_full(full, absent)
        sizes = ranking.universe_sizes(universe, full, np.isnan(matrix))
        return cls(names, list_names, None, sizes, full, given_ranks=matrix)

    @classmethod
    def from_files(
        cls,
        paths: _files.PathLike | Iterable[_files.PathLike],
        universe: int | Sequence[int] | None = None,
        full: bool = False,
        *,
        absent: Absent = None,
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
    ) -> RankTable:
        """Read lists from files, which may be gzipped.

        Parameters
        ----------
        paths : path or paths
            ``"-"`` is standard input.  None are needed if there are unranked lists.
        universe, full, absent
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
        full = _is_full(full, absent)
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
            return cls.from_lists(ranked, universe, full, unranked=loose)
        if matrix == "ranks":
            return cls.from_ranks(ranked, universe=universe, full=full)
        return cls.from_scores(
            ranked,
            higher_is_better,
            ties=ties,
            random_state=random_state,
            universe=universe,
            full=full,
        )
