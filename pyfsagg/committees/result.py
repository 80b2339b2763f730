"""A committee: the votes of learners, and the features in the order of a voting rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base import memory, validation
from pyfsagg._base.arithmetic import Booleans, Floats
from pyfsagg._base.digest import digest
from pyfsagg._base.fields import stored
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.words import count, number, plural, ranks
from pyfsagg._message import NAN, NONE, Got, Param, Remedy, Use, named
from pyfsagg._report.closing import always_words
from pyfsagg._report.page import Block, PageTable, Text, heads
from pyfsagg._run.result import Recorded, Selecting, records
from pyfsagg.committees.rules import VOTING_RULES
from pyfsagg.ensemble.data import Grouped, columns_of
from pyfsagg.ensemble.groups import about_groups, table_of_groups
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.ranks import Rankings
from pyfsagg.stability_measures import _input, pareto_front
from pyfsagg.stability_measures.curves import select_seen
from pyfsagg.stability_measures.measure import measure_stability

ALL = "all voters"
_FIRST = 20  # features in the summary
BEST_OF_MANY = (
    "Each performance is that of one voter on its test rows. The front takes the best of many, so it is "
    "optimistic for new rows: use it to compare sizes, and evaluate the chosen features."
)

Weights = Sequence[float] | NDArray[Any] | str | None


@dataclass(frozen=True, eq=False, repr=False)
class Committee(Grouped, Selecting, Recorded):
    """Voters, their selections, and the order of the p features by a voting rule.

    Attributes
    ----------
    ranking : DataFrame
        Index ``feature``, the best first: ``rank``; ``score`` of the rule, larger = better; ``votes``
        (how many of the m voters select it) and ``share`` (of m), both without weights; ``tied``
        (whether another feature could equally have the place).
    voters : DataFrame
        One row per voter: ``learner`` (empty if it was not said), ``n_features`` (how many it selects),
        ``performance`` (larger = better, NaN = not known) and ``weight``; of :func:`committee` also
        ``resample`` (from 0), ``n_test`` (rows on which the performance was measured) and ``message``
        (what went wrong or was warned of).
    support : ndarray of bool, shape (m, p)
        Which voter selects which feature, in the order of `feature_names`.
    feature_names : tuple of str
    parameters, data, versions : dict
        How it was made, of what, and by which software.

    Notes
    -----
    Pictures: ``"ranking"``, the features with most votes; ``"front"``, performance against number of
    features with the Pareto front and its knee.
    """

    _kind: ClassVar[str] = "committee"
    _noun: ClassVar[str] = "committee"

    ranking: pd.DataFrame = field(
        metadata=stored(file="ranking.csv", index="feature", types={"rank": float, "score": float})
    )
    voters: pd.DataFrame = field(
        metadata=stored(
            file="voters.csv",
            words=("learner", "message"),
            types={"performance": float, "weight": float},
        )
    )
    support: Booleans
    feature_names: tuple[str, ...] = field(metadata=stored(array=True))

    @classmethod
    def _counted(
        cls,
        voters: pd.DataFrame,
        support: Booleans,
        feature_names: tuple[str, ...],
        *,
        rule: str,
        voter_weights: Weights,
        size: int | None,
        parameters: Mapping[str, Any],
        data: Mapping[str, Any],
    ) -> Self:
        """The committee with its votes counted by a rule."""
        spec = VOTING_RULES.get(rule)
        p = len(feature_names)
        places = p if size is None else validation.check_integer("size", size, low=1, high=p)
        weights = read_voter_weights(voter_weights, voters)
        # Voters without a vote are omitted, so they do not change a bit of any sum.
        voting = support.any(axis=1) & (weights > 0.0)
        if not voting.any():
            raise DataError("no voter of a weight above 0 selects any feature; there is no vote")
        count = spec.count(support[voting], weights[voting], places)
        votes = support.sum(axis=0)
        columns = {"rank": count.ranks, "score": count.scores, "votes": votes}
        columns |= {"share": votes / len(support), "tied": count.tied}
        names = pd.Index(feature_names, name="feature")
        ranking = pd.DataFrame(columns, index=names).iloc[count.order]
        by_name = voter_weights is None or isinstance(voter_weights, str)
        counted = {
            "rule": spec.name,
            "weights": voter_weights if by_name else "given",
            "size": size,
        }
        parameters = {**parameters, **counted}
        voters = voters.assign(weight=weights)
        return cls(ranking, voters, support, feature_names, parameters=parameters, data=data)

    def _rankings(self) -> Rankings:
        """The selections of the voters, which have no order, out of all features."""
        sizes = self.support.sum(axis=1, keepdims=True)
        ranks = np.where(self.support, (sizes + 1) / 2, np.nan)
        names = tuple(f"voter {i + 1}" for i in range(self.n_voters))
        universe = np.full(self.n_voters, float(len(self.feature_names)))
        return Rankings(
            self.feature_names, names, None, universe, given_ranks=ranks, dependent=True
        )

    @property
    def n_voters(self) -> int:
        """Number of voters, including those that select nothing."""
        return len(self.voters)

    @property
    def learners(self) -> list[str]:
        """Names of the learners in the order of the voters; empty without names."""
        return [str(name) for name in self.voters["learner"].unique() if name]

    def to_frame(self) -> pd.DataFrame:
        """`ranking`."""
        return self.ranking

    def select(self, n_features_to_select: int | float) -> list[str]:
        """The first features: a number of them, or a share of all (rounded up)."""
        p, name = len(self.feature_names), "n_features_to_select"
        return self.ranking.index[: validation.n_selected(n_features_to_select, p, name)].tolist()

    def columns(self, n_features_to_select: int | float) -> list[str]:
        """Columns of the features of :meth:`select`: for a group, all of its columns."""
        return columns_of(self, self.select(n_features_to_select))

    def vote(
        self, rule: str = "approval", *, voter_weights: Weights = None, size: int | None = None
    ) -> Committee:
        """The same voters and selections, counted by another rule; options as in :func:`pyfsagg.vote`."""
        options: dict[str, Any] = {"rule": rule, "voter_weights": voter_weights, "size": size}
        call = Call.from_record(self.parameters["call"])
        again = Call.of(Committee.vote, options, data=("self",))
        arguments = {k: v for k, v in call.arguments.items() if k not in options}
        own = {k: v for k, v in call.own.items() if k not in options}
        call = replace(call, arguments={**arguments, **again.arguments}, own={**own, **again.own})
        return type(self)._counted(
            self.voters,
            self.support,
            self.feature_names,
            **options,
            parameters={**self.parameters, "call": call.record()},
            data=self.data,
        )

    def pareto_front(self) -> pd.DataFrame:
        """Points that no voter with as many features or fewer exceeds in performance.

        One row per point, the fewest features first: ``n_features``, ``performance``, ``voters`` (how many
        stand there), ``distance`` (from the line between the ends, axes scaled to [0, 1]; positive above it)
        and ``knee``, the first of the points farthest above the line; the one point of a front, and none
        where no point lies above the line.  Voters without performance or feature do not count.
        """
        n = self.voters["n_features"].to_numpy(dtype=np.float64)
        performance = self.voters["performance"].to_numpy(dtype=np.float64)
        known = ~np.isnan(performance) & (n > 0)
        if not known.any():
            remedy = Remedy("give ", Param("performance"), " to vote()")
            raise DataError("no voter has a performance, so there is no front", remedy)
        n, performance = n[known], performance[known]
        on_front = pareto_front(n, performance, higher_is_better=False)
        points, counts = np.unique(
            np.column_stack([n, performance])[on_front], axis=0, return_counts=True
        )
        distance, knee = np.zeros(len(points)), np.zeros(len(points), dtype=bool)
        if len(points) > 1:  # the line goes from (0, 0) to (1, 1)
            scaled = (points - points.min(axis=0)) / np.ptp(points, axis=0)
            distance = (scaled[:, 1] - scaled[:, 0]) / np.sqrt(2.0)
        # The ends lie on the line; what lies above it by the last digit only does not lie above it.
        if len(points) == 1 or distance.max() > 1e-12:
            knee[np.flatnonzero(distance >= distance.max() - 1e-12)[0]] = True
        columns = {"n_features": points[:, 0].astype(np.int64), "performance": points[:, 1]}
        return pd.DataFrame({**columns, "voters": counts, "distance": distance, "knee": knee})

    def knee(self) -> tuple[int, float] | None:
        """Number of features and performance at the knee of :meth:`pareto_front`; None without one."""
        front = self.pareto_front()
        points = front.loc[front["knee"], ["n_features", "performance"]].itertuples(index=False)
        return next(((int(n), float(performance)) for n, performance in points), None)

    def agreement(self, measure: str = "jaccard", **measure_params: Any) -> pd.Series[float]:
        """Similarity of the selections, by a measure of sets of ``pyfsagg.list_methods("stability")``.

        Index: ``"all voters"``, then each learner; NaN where fewer than two voters select anything.
        Voters that select nothing are omitted, and weights do not count.
        """
        frame = pd.DataFrame(self.support, columns=list(self.feature_names))
        some = self.support.any(axis=1)
        values = dict.fromkeys(self._groups(), float("nan"))
        for name, rows in self._groups().items():
            chosen = frame[rows & some].reset_index(drop=True)
            if len(chosen) > 1:
                found = measure_stability(chosen, measure, input="sets", **measure_params)
                values[name] = float(found.value)
        return pd.Series(values, name=measure, dtype=float)

    @cached_property
    def _alike(self) -> pd.Series[float]:
        return self.agreement()

    def _groups(self) -> dict[str, Booleans]:
        """Which voters are all voters, and those of each of several learners."""
        learner, everybody = self.voters["learner"].to_numpy(), np.ones(self.n_voters, dtype=bool)
        names = self.learners if len(self.learners) > 1 else []
        return {ALL: everybody, **{name: learner == name for name in names}}

    def summary(self) -> pd.DataFrame:
        """Voters by learner (index ``learner``).

        Columns ``voters``, ``empty`` (those that select nothing), ``n_features`` (mean over the others),
        ``performance`` (mean where it is known) and ``jaccard`` (mean similarity of two selections).
        """
        rows = {}
        for name, group in self._groups().items():
            voters = self.voters[group]
            sizes = voters["n_features"][voters["n_features"] > 0].to_numpy(dtype=float)
            rows[name] = {
                "voters": len(voters),
                "empty": len(voters) - len(sizes),
                "n_features": float(sizes.mean()) if len(sizes) else float("nan"),
                "performance": float(voters["performance"].dropna().mean()),
                "jaccard": float(self._alike[name]),
            }
        return pd.DataFrame(list(rows.values()), index=pd.Index(rows, name="learner"))

    def _told(self) -> list[str]:
        n = self.voters["n_features"].to_numpy()
        rule = VOTING_RULES.get(self.parameters["rule"])
        best = ", ".join(map(str, self.ranking.index[:5]))
        words = {None: "", "given": ", voters weighted"}
        weighted = words.get(self.parameters["weights"], ", voters weighted by their performance")
        sizes = f"{n.min():,}" if n.min() == n.max() else f"{n.min():,} to {n.max():,}"
        voters, features = (
            plural(self.n_voters, "voter"),
            plural(len(self.feature_names), "feature"),
        )
        by = f"{rule.name.replace('_', ' ')}{weighted}"
        parts = [f"{voters} selected {sizes} of {features}. First by {by}: {best}."]
        empty = int((n == 0).sum())
        if empty:
            parts.append(f"{plural(empty, 'voter')} selected nothing and did not count.")
        failed = self.voters[self.voters["performance"].isna()].get("message", pd.Series(dtype=str))
        if len(failed):
            often = failed.value_counts().index[0]
            parts.append(f"Of {plural(len(failed), 'voter')} something is missing: {often}.")
        if sizes_matter := about_groups(self):
            parts.append(sizes_matter)
        return [*parts, *always_words(self.data), *self._of_front()]

    def _of_front(self) -> list[str]:
        if self.voters["performance"].isna().all():
            return []
        knee = self.knee()
        if knee is None:
            return [
                "The front of performance against number of features has no knee: no point lies above "
                "the straight line between its ends."
            ]
        size, performance = plural(knee[0], "feature"), f"{knee[1]:.3f}"
        found = (
            f"The front of performance against number of features has its knee at {size}, with a "
            f"performance of {performance}: the point farthest above the straight line between the ends of "
            "the front, both axes scaled to [0, 1]."
        )
        if len(self.pareto_front()) == 1:
            found = (
                f"The best performance is {performance}, by a voter with {size}; none with fewer or more "
                "features does better."
            )
        return [found, BEST_OF_MANY]

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        known = not self.voters["performance"].isna().all()
        return {
            **super()._record(view),
            "learners": records(self.summary().reset_index()),
            "front": records(self.pareto_front()) if known else [],
            "ranking": records(self.ranking.reset_index()),
        }

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        return {**super()._tables(view), **table_of_groups(self)}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.ranking"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        answer, *others = self._told()
        shown = self.ranking.head(_FIRST)
        hidden = len(self.ranking) - len(shown)
        cells = (
            map(str, shown.index),
            ranks(shown["rank"]),
            map(number, shown["score"]),
            (f"{votes:,} of {self.n_voters:,}" for votes in shown["votes"]),
            ("yes" if tied else "" for tied in shown["tied"]),
        )
        first = PageTable(
            "First features in the order of the vote.",
            heads(("Feature", "Rank", "Score", "Votes", "Tied"), words=("Feature", "Tied")),
            list(zip(*cells, strict=True)),
            f"{plural(hidden, 'more feature')} in ranking.csv." if hidden else "",
        )
        rows = [
            [name, count(voters), count(empty), number(size, 1), number(mean), number(jaccard)]
            for name, voters, empty, size, mean, jaccard in self.summary().itertuples()
        ]
        titles = ["Learner", "Voters", "Without selection", "Mean number of features"]
        by_learner = PageTable(
            "Voters by learner.",
            heads([*titles, "Mean performance", "Jaccard similarity"], words=["Learner"]),
            rows,
            "Jaccard similarity: of the features that either of two voters selects, the share that both "
            "select; mean over the pairs.",
        )
        return [Text(Markup("<b>{}</b>").format(answer)), first, *map(Text, others), by_learner]

    def __repr__(self) -> str:
        best = ", ".join(map(str, self.ranking.index[:3]))
        return (
            f"Committee({plural(self.n_voters, 'voter')}, "
            f"{plural(len(self.feature_names), 'feature')}; first by {self.parameters['rule']}: {best})"
        )


def read_voter_weights(voter_weights: Weights, voters: pd.DataFrame) -> Floats:
    """What each voter counts, shape (m,)."""
    m, name = len(voters), Param("voter_weights")
    if voter_weights is None:
        return np.ones(m)
    if isinstance(voter_weights, str):
        if voter_weights != "performance":
            must = ", 'performance' or one number per voter"
            raise ParameterError(name, " must be ", NONE, must, Got(voter_weights))
        performance = np.nan_to_num(voters["performance"].to_numpy(dtype=np.float64), nan=0.0)
        if not (performance > 0.0).any():
            values = ", one number per voter and larger = better, or other weights"
            raise DataError(
                Use(voter_weights="performance"),
                " needs a performance above 0 of at least one voter",
                Remedy("give ", Param("performance"), values),
            )
        return np.asarray(np.maximum(performance, 0.0))
    weights = _numbers_of_voters("voter_weights", voter_weights, m)
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ParameterError(name, " must be numbers that are not negative; one is not")
    if not weights.any():
        raise ParameterError(name, " are all 0, so no voter counts", Remedy("give one above 0"))
    return weights


def _numbers_of_voters(name: str, numbers: Any, m: int) -> Floats:
    values: Floats = validation.as_array(name, numbers, np.float64)
    if values.shape != (m,):
        must = f" must be one number per voter, {m} in all, got shape {values.shape}"
        raise ParameterError(named(name), must)
    return values


@repeatable
def vote(
    selections: Any,
    rule: str = "approval",
    *,
    voter_weights: Weights = None,
    performance: ArrayLike | None = None,
    learners: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    size: int | None = None,
    n_features_to_select: float | int = 0.25,
) -> Committee:
    """Features in the order of a vote over selections.

    Parameters
    ----------
    selections : list of m lists, matrix of shape (m, p), or any other rankings
        The selection of each voter: names or zero-based positions of features, or a row of a matrix,
        whose columns are the features.  A matrix of booleans or 0/1 says who selects what; any other
        contains scores (larger = better), or ranks if each row is a ranking from 1, and each voter
        selects its `n_features_to_select` best.  An empty selection is allowed and counts nothing.  Of
        rankings (see :meth:`pyfsagg.Rankings.of`) a list that is cut off, or a set, is a selection, and
        scores or ranks of all features select their best; weights of :class:`pyfsagg.Rankings` are those
        of the voters.
    rule : str
        Name or alias of a voting rule: see ``pyfsagg.list_methods("voting_rules")``.
    voter_weights : None, "performance" or m numbers
        What each voter counts: 1; its performance (0 if that is negative or missing); or numbers that
        are not negative.  A voter of weight 2 counts as two voters with one selection.
    performance : m numbers, optional
        How well each voter predicts with its features, larger = better; NaN = not known.
    learners : m texts, optional
        Who made each selection.
    feature_names : sequence of str, optional
        All p features to choose from, in their order; for lists those that a voter selects, sorted, by
        default, and for an array of 0/1 x0, x1, ….
    size : int, optional
        How many places the sequential rules fill one by one, from 1 to p (the default); the other
        features follow by the scores that they then have.
    n_features_to_select : float or int, default 0.25
        How many features scores and ranks select: a share (rounded up) or a number; of equal ones at the
        edge the first.  A voter that saw s of the p features selects as large a share of these.

    Raises
    ------
    DataError
        If there is no voter, no voter selects anything, or a selection names what is no feature.

    See Also
    --------
    committee : Learners as voters.

    Notes
    -----
    Features with equal scores (to within 1e-10 of the larger one) share the mean of their ranks under
    approval and satisfaction approval; the sequential rules elect the first one in the order of the
    features, in time in proportion to the places times the selected features of all voters together.

    Examples
    --------
    >>> selections = [["a", "b"], ["a", "b"], ["a", "b"], ["c"], ["c", "d"]]
    >>> vote(selections, "approval").select(2)
    ['a', 'b']
    >>> vote(selections, "phragmen").select(2)
    ['a', 'c']
    """
    call = Call.of(vote, data=("selections",))
    rankings = Rankings._held_by(selections)
    if rankings is not None:
        if voter_weights is None and rankings.weights is not None:
            voter_weights = rankings.weights
        selections = rankings.weighted(None)
    labels, support = _read_selections(selections, feature_names, n_features_to_select)
    m, p = support.shape
    memory.require_memory(9.5 * m * p, f"{m:,} votes on {p:,} features", "take fewer voters")
    names = [""] * m if learners is None else validation.check_list("learners", learners)
    if len(names) != m:
        must = f" must be one text per voter, {m} in all, got {len(names)}"
        raise ParameterError(Param("learners"), must)
    values = np.full(m, np.nan)
    if performance is not None:
        values = _numbers_of_voters("performance", performance, m)
        if np.isinf(values).any():
            must = " must be finite, or "
            raise ParameterError(Param("performance"), must, NAN, " where it is not known")
    names = ["" if name is None else str(name) for name in names]
    columns = {"learner": names, "n_features": support.sum(axis=1), "performance": values}
    voters = pd.DataFrame(columns)
    sha256 = digest([*labels, "", *voters["learner"]], np.packbits(support), values)
    return Committee._counted(
        voters,
        support,
        labels,
        rule=rule,
        voter_weights=voter_weights,
        size=size,
        parameters={"call": call.record()},
        data={"n_voters": m, "n_features": p, "sha256": sha256},
    )


def _read_selections(
    selections: Any, feature_names: Sequence[str] | None, n_features_to_select: float | int
) -> tuple[tuple[str, ...], Booleans]:
    if isinstance(selections, (list, tuple)) and not selections:
        raise DataError("there is no voter; give at least one selection")
    read = _input.read_collection(
        selections, feature_names=feature_names, per_feature=True, least=1, name="selections"
    )
    if isinstance(read, _input.Matrix):
        p = read.values.shape[1]
        size = validation.n_selected(n_features_to_select, p, "n_features_to_select")
        return read.feature_names, select_seen(read.values, size)[0]
    if read.support.shape[1] == 0:
        raise DataError("no voter selects anything; there is no vote")
    labels, support = read.labels, read.support
    if feature_names is None and read.lists:
        # Lists come in the order of the voters, which must not decide between equal features.
        order = np.argsort(np.array(labels))
        labels, support = tuple(labels[j] for j in order), support[:, order]
    names = tuple(map(str, labels))
    validation.check_writable_names(names, "a feature")
    return names, support
