"""What noise reaches: the same filters with shuffled targets.

One engine makes all comparisons with noise: p-values from the scores of the whole table with many shuffled
targets, the agreement of two samples without signal from the halves of a few of them, and scores that are
comparable across columns.  A filter that counts levels scores a column of many levels higher than one of
two, above all in a bootstrap, which repeats rows.  Where columns differ in their levels, scores are compared
with those of columns of the same kind in resamples of shuffled targets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
import pandas as pd

from pyfsagg._base import memory, remarks
from pyfsagg._base.arithmetic import CACHED, Booleans, Floats, Indices, column_blocks, row_blocks
from pyfsagg._kernels.class_tables import width_rows
from pyfsagg._message import Message, Remedy, Use
from pyfsagg._run.execution import Progress
from pyfsagg._table.columns import Kind
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.table import Adjusters, AnyTable, Table, Weights
from pyfsagg._table.target import Target
from pyfsagg.ensemble import scoring
from pyfsagg.ensemble.core import AGAINST_NOISE, Matrices, MatrixStore
from pyfsagg.ensemble.run import Run
from pyfsagg.error_control import TargetPermutation
from pyfsagg.error_control.permutation import (
    comparable_evidence,
    evidence_against,
    numbers_with_other_shuffles,
    standardised,
    step_down_max_t,
)
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.filters import binding
from pyfsagg.ranks import rank_scores
from pyfsagg.resampling import Resamples, Rows
from pyfsagg.resampling.plan import canonical_order, generator

FEW_LEVELS = 30
"""Distinct values above which columns of numbers are of one kind, with one null distribution.

Chosen: levels of tables with such columns are simulated in the topic `proposal` of the calibration.
"""

RANK_TESTS = {"classes": "kruskal_wallis", "numeric": "spearman", "survival": "cox_score"}
"""Filters that bin numbers lose power, so numbers are also tested by their ranks."""

RANKS_AHEAD = 4.0
"""How many times smaller the p-value of such filters must be to count for as much as that of others.

Classes mostly differ in place, which ranks see best.  Four costs features that differ otherwise about as
much as the filters cost the others (the topic `proposal` of the calibration has both kinds).
"""

MANY, USUAL, LEAST = 999, 199, 19
"""Shuffled targets, for tables up to `SMALL` cells, for larger ones, and at least.

Chosen: p-values are then multiples of .001, .005 and .05.
"""

SMALL = 50_000

SLOW_SHARE = 5
"""Resamples per shuffled target for filters without a compiled loop for a column (chosen: a fifth
more work)."""

CELLS = 20_000_000
"""Weights, or scores of a filter, that are in memory for shuffled targets at the same time."""

FEW_ROWS = 30
"""Rows up to which a column that goes with the target perfectly may not be above noise.

Chosen: with more rows no run looks whether that is so, which takes time.
"""

MOST_PAIRS = 19
"""Pairs of halves with a shuffled target: their mean agreement is what noise gives (chosen: its error is then
a quarter of the spread of one pair)."""

FEWEST = 10
"""Different shuffled targets below which none are drawn (chosen: the smallest p-value would exceed .1)."""

MOST_ROWS = 20
"""Largest mean weight of a row: each unit is a row with a shuffled target (chosen: memory)."""

_STREAM = 2  # of random numbers; 0 draws rows, 1 noise


# How a target is shuffled.


@dataclass(frozen=True, eq=False)
class Shuffling:
    """Which rows exchange targets: any, or within strata of adjusters. Groups exchange them as wholes if
    each has one target, otherwise within groups; adjusting numbers and the weights of rows move with the
    target."""

    order: Indices  # rows as they are drawn from, wherever they stand in the table
    blocks: Indices  # of each row, or of each group, those within which targets are exchanged
    groups: Indices | None  # of each row, where whole groups exchange targets
    first: Indices | None  # a row of each group
    unit: str

    @classmethod
    def of(cls, run: Run, given: Sequence[Adjusters] = ()) -> Shuffling:
        """How the target of a run is shuffled, conditional on the columns in `given`."""
        weights = None if run.plan.sample_weight is None else run.row_weights
        groups = getattr(run.plan, "groups", None)
        labels = None if groups is None else np.asarray(groups).astype(str)
        order = canonical_order(run.table, run.target, weights, labels)
        levels = [each.strata for each in given]
        joined = np.column_stack([np.zeros(len(order), dtype=np.intp), *levels])
        strata = np.asarray(np.unique(joined, axis=0, return_inverse=True)[1]).ravel()
        within = " within strata" if strata.any() else ""
        if groups is None:
            return cls(order, strata, None, None, f"rows{within}")
        # Groups are numbered in the order in which their rows are drawn from.
        codes = np.empty(len(order), dtype=np.intp)
        codes[order] = pd.factorize(np.asarray(groups)[order])[0]
        first = np.full(codes.max() + 1, -1)
        first[codes[order[::-1]]] = order[::-1]
        if all((part == part[first[codes]]).all() for part in run.target.parts):
            seen = np.zeros((len(first), strata.max() + 1), dtype=np.bool_)
            seen[codes, strata] = True
            blocks = np.asarray(np.unique(seen, axis=0, return_inverse=True)[1]).ravel()
            return cls(order, blocks, codes, first, f"groups{within}")
        joined = codes * (strata.max() + 1) + strata
        within = " and strata" if within else ""
        return cls(order, joined, None, None, f"rows within groups{within}")

    def n_different(self, target: Target, weights: Weights) -> float:
        """How many shuffled targets there are, at most, that differ from each other, or in the weights
        that move with them."""
        units = np.arange(len(self.order)) if self.first is None else self.first
        moved = (*target.parts, weights)
        parts = [np.unique(part[units], return_inverse=True)[1] for part in moved]
        kinds = np.unique(np.column_stack(parts), axis=0, return_inverse=True)[1].ravel()
        if target.adjusters is not None and target.adjusters.by_numbers:
            kinds = np.arange(len(units))
        counts = np.unique(np.column_stack([self.blocks, kinds]), axis=0, return_counts=True)[1]
        sizes = np.unique(self.blocks, return_counts=True)[1]
        ways = sum(math.lgamma(size + 1.0) for size in sizes.tolist())
        ways -= sum(math.lgamma(size + 1.0) for size in counts.tolist())
        return math.exp(min(ways, 100.0))

    def rows(self, seed: int, k: int) -> Indices:
        """For each row the source of its target in shuffle `k`."""
        rng = generator(seed, k, _STREAM)
        if self.groups is None or self.first is None:
            rows = np.empty_like(self.order)
            rows[self.order] = self.order[_exchanged(rng, self.blocks[self.order])]
            return rows
        return np.asarray(self.first[_exchanged(rng, self.blocks)][self.groups])


def _exchanged(rng: np.random.Generator, blocks: Indices) -> Indices:
    """A permutation of places that leaves each in its block."""
    if not blocks.any():
        return rng.permutation(len(blocks))
    places = np.argsort(blocks, kind="stable")
    exchanged = np.empty_like(places)
    exchanged[places] = np.lexsort((rng.random(len(blocks)), blocks))
    return exchanged


@dataclass(frozen=True, eq=False)
class Nulls:
    """The targets of a run without relation to its features: whether, how and how many."""

    run: Run

    @cached_property
    def reason(self) -> str:
        """Why the target cannot be shuffled; empty if it can."""
        plan = self.run.plan
        if self.run.target.kind == "none":
            return "there is no target"
        if self.blind.issuperset(self.run.labels):
            return "the filters do not use the target"
        if isinstance(plan, Rows):
            return "the rows of the resamples were given, and it is not known how they were drawn"
        if plan.counts is not None:
            total = int(self.run.row_weights.sum(dtype=np.int64))
            if (
                isinstance(self.run.table, SparseTable)
                or total > MOST_ROWS * self.run.table.n_samples
            ):
                return "rows with counts stand for several samples, here too many to be shuffled one by one"
        if self.conditioned_on is not None and self.conditioned_on.by_numbers:
            name = self.conditioned_on.names_of(nominal=False)[0]
            return f"the column {name!r}, which is always in, is a number: no rows are alike in it"
        shuffling, adjusters = self.shuffling, self.expanded.target.adjusters
        weights = self.expanded.row_weights
        if shuffling.groups is not None and shuffling.first is not None:
            varies = weights != weights[shuffling.first][shuffling.groups]
            if varies.any():
                return "weights of rows vary within groups that have one target each"
        if adjusters is not None and adjusters.by_numbers:
            if shuffling.groups is not None and shuffling.first is not None:
                own = adjusters.numbers == adjusters.numbers[shuffling.first][shuffling.groups]
                if not own.all():
                    return "an adjusting number varies within groups that have one target each"
            if isinstance(self.run.table, SparseTable):
                return "a sparse table has no residuals given adjusting numbers"
        if shuffling.n_different(self.expanded.target, weights) < FEWEST:
            units = f"{len(shuffling.blocks)} groups with one target each"
            within = " within their strata" if shuffling.blocks.any() else ""
            return f"{'rows' if shuffling.first is None else units} can hardly be shuffled{within}"
        return ""

    @cached_property
    def expanded(self) -> Run:
        """The run with one row for each unit: a row counted k times is k rows, one of weight 0 is none."""
        run = self.run
        counts = run.plan._counts(run.table.n_samples)
        if (counts == 1).all():
            return run
        rows = np.repeat(np.arange(run.table.n_samples), counts)
        if isinstance(run.table, SparseTable):
            if run.plan.counts is not None:
                return run  # too many to be repeated
            table: AnyTable = run.table.take_rows(rows)
        else:
            table = replace(run.table, values=np.asfortranarray(run.table.values[rows]))
        plan = replace(run.plan._take(rows), counts=None)
        expanded = replace(run.using(resampling=plan), table=table, target=run.target.take(rows))
        return replace(expanded, filters=expanded.bind(expanded.target))

    @cached_property
    def residualised(self) -> Run:
        """The same with the residuals of the features given the adjusting numbers."""
        run = self.expanded
        adjusters = run.target.adjusters
        if adjusters is None or not adjusters.by_numbers or not isinstance(run.table, Table):
            return run
        run = replace(run, table=adjusters.residuals(run.table))
        return replace(run, filters=run.bind(run.target))

    @cached_property
    def shuffling(self) -> Shuffling:
        return Shuffling.of(self.expanded, self.conditioning)

    @property
    def conditioning(self) -> list[Adjusters]:
        """The columns on which shuffling is conditional."""
        columns = (self.expanded.target.adjusters, self.conditioned_on)
        return [each for each in columns if each is not None]

    @cached_property
    def conditioned_on(self) -> Adjusters | None:
        """The columns that are always in, if a tested filter begins with them: they are not noise."""
        always = self.expanded.target.always
        sources = [
            item for item in self.run.ensemble.filters if binding.filter_label(item) in self.sources
        ]
        return (
            Adjusters(always) if always and any(map(binding.begins_with_always, sources)) else None
        )

    @cached_property
    def blind(self) -> set[str]:
        """Filters that do not use the target."""
        return {name for name, spec in self.run.specs.items() if "none" in spec.targets}

    @cached_property
    def sources(self) -> list[str]:
        """The filters that are compared with noise: those that score a feature alone, or else those whose
        relevance does, or else all."""
        specs = self.run.specs
        by_column = [name for name, spec in specs.items() if spec.own_column]
        cut = [name for name in by_column if specs[name].counts_levels]
        ranked = len(self._ranked) == len(self.run.names) and self.run.target.adjusters is None
        if cut and ranked and set(by_column) - set(cut) == {"spearman"}:
            return cut  # all columns are also tested by their ranks
        relevant = [name for name, spec in specs.items() if spec.relevance]
        return by_column or relevant or [one for one in self.run.labels if one not in self.blind]

    @cached_property
    def testing(self) -> Run:
        """The run with the tested filters alone: the sources, or their relevance, with the parameters of the
        first source that names it, given the columns that the sources begin with."""
        run, chosen = self.run, set(self.sources)
        params: dict[str, dict[str, Any]] = {}
        for label in self.sources:
            if (spec := run.specs.get(label)) and not spec.own_column and spec.relevance:
                own = dict(run.ensemble.params.get(label, {}))
                own.pop("n_features", None)  # a depth; relevance has none
                params.setdefault(spec.relevance, own)
        if params:
            target = run.target
            if self.conditioned_on is not None and not self.conditioned_on.by_numbers:
                given = [
                    each.table
                    for each in (target.adjusters, self.conditioned_on)
                    if each is not None
                ]
                joined = given[0] if len(given) == 1 else given[0].joined(given[1])
                target = replace(target, adjusters=Adjusters(joined), always=None)
            run = replace(run.using(filters=[*params], filter_params=params), target=target)
            return replace(run, filters=run.bind(target))
        # The filters of the run, which have sorted the table; of those computed together the tested.
        filters = [
            replace(each, outputs={one: of for one, of in each.outputs.items() if one in chosen})
            for each in run.filters
        ]
        items = [item for item in run.ensemble.filters if binding.filter_label(item) in chosen]
        params = {one: own for one, own in run.ensemble.params.items() if one in chosen}
        alone = run.using(filters=items, filter_params=params)
        return replace(alone, filters=[each for each in filters if each.outputs])

    @property
    def tested_filters(self) -> list[str]:
        """The filters whose scores are compared with those of shuffled targets."""
        return self.testing.labels

    @property
    def counting(self) -> set[str]:
        """Tested filters that count levels, and cut numbers into ranges."""
        return {name for name, spec in self.testing.specs.items() if spec.counts_levels}

    @property
    def by_column(self) -> bool:
        """Whether the tested filters score one column at a time."""
        specs = self.testing.specs
        return all(label in specs and specs[label].own_column for label in self.tested_filters)

    @cached_property
    def numbers(self) -> Indices:
        """Numeric columns, which are also tested by their ranks if all filters bin them."""
        cut = self.by_column and self.counting.issuperset(self.tested_filters)
        return self._ranked if cut else self._ranked[:0]

    @cached_property
    def _ranked(self) -> Indices:
        """Columns of numbers, which have ranks."""
        table = self.run.table
        if not isinstance(table, Table) or self.run.groups is not None:
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(np.isin(table.kinds, (Kind.NUMERIC, Kind.INTEGER)))

    @property
    def by_ranks(self) -> str:
        """The additional tests of numbers; empty without any."""
        return RANK_TESTS[self.run.target.kind] if len(self.numbers) else ""

    @property
    def small(self) -> bool:
        """Whether the table is scored so soon that it may be done often, and need not be kept."""
        return self.by_column and self.run.table.n_samples * len(self.run.names) <= SMALL

    def n_shuffles(self, m: int) -> int:
        """Number of shuffled targets in a run of m resamples."""
        number = self.run.checks.shuffles
        if self.reason or not isinstance(number, str):
            return 0 if self.reason else int(number)
        if not self.by_column:
            return max(LEAST, min(USUAL, 20 * (m // (20 * SLOW_SHARE)) - 1))
        return MANY if self.small else USUAL

    def require_memory(self, m: int) -> None:
        """Refuse scores of shuffled targets that do not fit into memory."""
        number, p = self.n_shuffles(m), len(self.run.names)
        memory.require_memory(
            6 * 8 * number * p,
            f"the scores of {p:,} features with {number:,} shuffled targets",
            Message(
                "take fewer of them, with ", Use("Checks", shuffles=LEAST), ", or fewer features"
            ),
        )

    def n_pairs(self, m: int) -> int:
        """Pairs of halves with a shuffled target that all filters score."""
        return min(MOST_PAIRS, self.run.n_pairs(m)) if self.n_shuffles(m) else 0

    def n_scored(self, m: int) -> int:
        """Tables that are scored: by the true target, by each shuffled one, and halves."""
        number = self.n_shuffles(m)
        return number + bool(number) + 2 * self.n_pairs(m)

    def shuffled(self, run: Run, number: int) -> Iterator[Run]:
        """The run with each shuffled target; each row got the weight of the row whose target it got."""
        target, plan, weights = run.target, run.plan, run.row_weights
        for k in range(number):
            rows = self.shuffling.rows(run.seed, k)
            if plan.sample_weight is not None:
                plan = replace(plan, sample_weight=weights[rows])
            moved = replace(target.take(rows), always=target.always)
            yield replace(run.using(resampling=plan), target=moved)


# P-values from the whole table.


def score_permuted(nulls: Nulls, number: int, **how: Any) -> TargetPermutation:
    """P-values of the features from `number` shuffled targets; a DataError gives the reason for none."""
    if nulls.reason:
        raise DataError(nulls.reason)
    found = _permuted(nulls, number, **how)
    if found.above.any() or not nulls.by_column or nulls.run.table.n_samples > FEW_ROWS:
        return found
    if not len(nulls._ranked) or nulls.conditioning:
        return found
    # Nothing is above noise, of few rows: could numbers have been?
    weakest = int(nulls._ranked[found.p_values[nulls._ranked].argmax()])
    how.update(checkpoint=None, progress=lambda *_: None)
    perfect = _permuted(Nulls(_with_perfect_column(nulls.run, weakest)), number, **how)
    return replace(found, attainable=float(perfect.family_wise_p_values[0]))


def _with_perfect_column(run: Run, j: int) -> Run:
    """The run with numbers that go with the target perfectly in the place of column `j`, as the first of as
    many columns as are soon scored: each class, number or time is a narrow range of its own."""
    target, table = run.target, run.table
    assert isinstance(table, Table)
    goes_with = target.codes if target.values is None else target.values
    if target.survival is not None:
        goes_with = target.survival.time
    levels, ranges = np.unique(goes_with, return_inverse=True)
    centres = np.arange(len(levels)) if target.values is None else levels
    places = np.argsort(canonical_order(table, target))
    narrow = 1e-6 * np.diff(centres).min(initial=1.0) * places
    others = np.delete(np.arange(table.n_features), j)[: SMALL // table.n_samples]
    table = table.take(np.append(j, others))
    table.values[:, 0], table.kinds[0] = centres[ranges] + narrow, Kind.NUMERIC
    run = replace(run, table=table)
    return replace(run, filters=run.bind(run.target))


def _permuted(nulls: Nulls, number: int, **how: Any) -> TargetPermutation:
    """The same without a look at the smallest p-values that are possible."""
    relevance_of = (
        () if set(nulls.tested_filters) <= set(nulls.run.labels) else tuple(nulls.sources)
    )
    nulls = Nulls(nulls.testing)
    run = nulls.expanded
    kinds, adjusters = _kinds_by_filter(run), run.target.adjusters
    own, null = np.zeros(len(run.names)), np.zeros((number, len(run.names)))
    behind = np.zeros(len(run.names))
    cut = nulls.counting
    mixed = nulls.by_column and 0 < len(cut) < len(nulls.tested_filters)
    behind[slice(None) if mixed else nulls.numbers] = np.log(RANKS_AHEAD)
    for label, scores in _scores_by_test(nulls, number, **how):
        by_ranks = label == nulls.by_ranks
        of = nulls.numbers if by_ranks else slice(None)
        observed, drawn = scores[0], scores[1:]
        if not nulls.by_column:
            observed, drawn = standardised(observed, drawn)
        observed, drawn = comparable_evidence(observed, drawn, kinds["" if by_ranks else label][of])
        if label in cut:
            observed, drawn = observed - behind, drawn - behind
        own[of], null[:, of] = np.maximum(own[of], observed), np.maximum(null[:, of], drawn)
    tests = (*nulls.tested_filters, *([nulls.by_ranks] if nulls.by_ranks else []))
    if len(tests) > 1:  # the best of several is better by chance
        each = np.unique(np.stack(list(kinds.values())), axis=1, return_inverse=True)[1].ravel()
        own, null = comparable_evidence(own, null, each)
    return TargetPermutation(
        feature_names=run.names,
        p_values=np.exp(-own),
        family_wise_p_values=step_down_max_t(own, null)[1],
        judges=tests,
        unit=nulls.shuffling.unit,
        strata=tuple(name for each in nulls.conditioning for name in each.names_of(nominal=True)),
        cleared=() if adjusters is None else adjusters.names_of(nominal=False),
        weighted=run.plan.sample_weight is not None,
        strong=nulls.by_column,
        n_permutations=number,
        numbers=numbers_with_other_shuffles(own, null, run.seed),
        relevance_of=relevance_of,
    )


def _kinds_by_filter(run: Run) -> dict[str, Indices]:
    """Kinds of the features as each filter of the run sees them, and, under an empty name, as ranks are."""
    bins = {
        name: spec.width_bins(run.ensemble.params.get(name, {})) for name, spec in run.specs.items()
    }
    kinds = {number: kinds_of_features(run, number) for number in {0, *bins.values()}}
    return {"": kinds[0], **{label: kinds[bins.get(label, 0)] for label in run.labels}}


def _scores_by_test(nulls: Nulls, number: int, **how: Any) -> Iterator[tuple[str, Floats]]:
    """Scores (1 + number, n_features) of the table, the true target first, by one judge after the other."""
    run = nulls.residualised
    if nulls.small:
        how["checkpoint"] = None
    runs = chain([run], nulls.shuffled(run, number))
    scores = _scores_by_target(
        run,
        runs,
        1 + number,
        1,
        lambda one, _: one.whole_table(one.target),
        "shuffled targets",
        **how,
    )
    for label in nulls.tested_filters:
        yield label, scores.pop(label)
    if nulls.by_ranks:
        yield nulls.by_ranks, _rank_statistics(nulls, number)


def _scores_by_target(
    run: Run,
    runs: Iterator[Run],
    number: int,
    size: int,
    draw: Callable[[Run, int], Resamples],
    what: str,
    *,
    progress: Progress,
    **how: Any,
) -> dict[str, Floats]:
    """Scores (number · size, n_features) by filter: of one of the `runs`, which are `run` with other targets,
    after the other, in what `draw` gives."""
    table, adjusters = run.table, run.target.adjusters
    # Filters read labels of each resample, but one numeric target, and one set of adjusting numbers.
    classes = run.target.kind == "classes" and not (adjusters and adjusters.by_numbers)
    at_once = max(1, CELLS // (size * max(table.n_samples, table.n_features))) if classes else 1
    scores = {label: np.empty((number * size, len(run.names))) for label in run.labels}
    for first in range(0, number, at_once):
        chosen = list(islice(runs, at_once))
        done = first * size

        def advance(more: int, _: int, before: int = done) -> None:
            progress(before + more, number * size)

        # The resamples of several targets in a row, each with its labels.
        drawn = [draw(one, first + k) for k, one in enumerate(chosen)]
        labels = [np.broadcast_to(one.labels, one.weights.shape) for one in drawn]
        weights = np.concatenate([one.weights for one in drawn])
        scored = scoring.score_resamples(
            run.filters if classes else run.bind(chosen[0].target),
            replace(drawn[0], weights=weights, labels=np.concatenate(labels)),
            first=done,
            progress=advance,
            what=what,
            **how,
        )
        for label, matrix in scores.items():
            matrix[done : done + len(chosen) * size] = scored[label]
    return scores


def _rank_statistics(nulls: Nulls, number: int) -> Floats:
    """Kruskal–Wallis, squared rank correlations or scores of Cox's model, (1 + number, n_numbers)."""
    run = nulls.expanded
    table, target = run.table, run.target
    assert isinstance(table, Table)
    runs = [run, *nulls.shuffled(run, number)]
    weights = np.stack([one.row_weights for one in runs]).astype(np.float64)
    weighted = bool((weights != weights[0, 0]).any())
    strata = np.zeros(table.n_samples, np.intp)
    if target.adjusters is not None:
        strata = target.adjusters.strata
    if target.kind == "classes":
        labels = np.stack([one.target.codes for one in runs])
        contrasts = [(labels == c).astype(np.float64) for c in range(target.n_classes)]
    else:
        numbers = [one.target.numbers(one.row_weights[np.newaxis]) for one in runs]
        contrasts = [np.concatenate(numbers)]
    if target.kind == "numeric":
        contrasts = [_centred_ranks(contrasts[0], strata)]
    elif strata.any():
        contrasts = [_less_means(contrast, strata) for contrast in contrasts]
    if weighted and target.kind != "classes":
        middle = np.average(np.broadcast_to(contrasts[0], weights.shape), axis=1, weights=weights)
        contrasts = [contrasts[0] - middle[:, np.newaxis]]
    statistics = np.empty((1 + number, len(nulls.numbers)))
    for block in column_blocks((table.n_samples, len(nulls.numbers))):
        ranks = _centred_ranks(table.values[:, nulls.numbers[block]].T, strata)
        known = ~np.isnan(ranks)
        size = known.sum(axis=1)
        ranks = np.where(known, ranks, 0.0)
        if weighted:
            between, spread = _weighted_sums(contrasts, weights, ranks, known)
        else:
            between = sum(
                (contrast @ ranks.T) ** 2 / np.maximum((contrast**2) @ known.T, 1.0)
                for contrast in contrasts
            )
            spread = (ranks**2).sum(axis=1)
        statistics[:, block] = (size - 1) * between / np.where(spread > 0.0, spread, 1.0)
    return statistics


def _weighted_sums(
    contrasts: list[Floats], weights: Floats, ranks: Floats, known: Booleans
) -> tuple[Floats, Floats]:
    """Sums of squares of ranks between classes, or along a number, and in all, (k, p): of rows with weights
    (k, n), about the weighted mean of the known ranks (p, n)."""
    total = np.maximum(weights @ known.T, 1.0)
    mean = weights @ ranks.T / total
    spread = weights @ (ranks**2).T - total * mean**2
    between = np.zeros_like(spread)
    for contrast in contrasts:
        own = weights * contrast
        along = own @ ranks.T - (own @ known.T) * mean
        between += along**2 / np.maximum((own * contrast) @ known.T, 1.0)
    return between, np.where(spread > 1e-9 * total, spread, 0.0)


def _centred_ranks(values: Floats, strata: Indices) -> Floats:
    """Ranks (k, n) within strata minus their mean; of several divided by size + 1 (van Elteren)."""
    ranks = np.empty_like(values)
    several = bool(strata.any())
    for stratum in range(int(strata.max()) + 1):
        rows = strata == stratum
        own = rank_scores(values[:, rows])
        size = (~np.isnan(own)).sum(axis=1, keepdims=True) + 1.0
        ranks[:, rows] = (own - size / 2.0) / (size if several else 1.0)
    return ranks


def _less_means(values: Floats, strata: Indices) -> Floats:
    """Values (k, n) less their means within the strata."""
    indicators = np.eye(int(strata.max()) + 1)[strata]
    return np.asarray(values - (values @ indicators / indicators.sum(axis=0)) @ indicators.T)


def kinds_of_features(run: Run, bins: int = 0) -> Indices:
    """Equal numbers for equal distributions under shuffling: numbers; columns with equally many levels and,
    to a factor of two, equally many rows outside the most frequent one; groups of as many columns. Numbers
    that are cut into `bins` of equal width are what is seen of them: with, to factors of two, equally many
    occupied bins and an equal share of the rows outside the fullest one."""
    table = run.table
    n_levels, most = np.zeros((2, table.n_features), dtype=np.intp)
    if isinstance(table, Table):
        places = np.arange(1, table.n_samples + 1)
        for part in row_blocks((table.n_features, table.n_samples), CACHED):
            cells = np.sort(table.values[:, part].T, axis=1)  # missing ones last
            known = ~np.isnan(cells)
            first = known.copy()
            first[:, 1:] &= cells[:, 1:] != cells[:, :-1]
            since = np.maximum.accumulate(np.where(first, places - 1, 0), axis=1)
            n_levels[part] = first.sum(axis=1)
            most[part] = np.where(known, places - since, 0).max(axis=1)
    else:
        for j in range(table.n_features):
            counts = table.value_counts(j)
            n_levels[j], most[j] = len(counts), counts.max(initial=0)
    outside = np.log2(np.maximum(1, table.n_samples - most)).round().astype(np.intp)
    cut = np.flatnonzero(
        np.isin(table.kinds, (Kind.NUMERIC, Kind.INTEGER)) & (n_levels > bins) & (bins > 0)
    )
    n_levels = np.minimum(n_levels, FEW_LEVELS + 1)
    kinds = np.stack([np.ones_like(n_levels), n_levels, outside], axis=1)
    for j in cut.tolist():
        kinds[j] = (0, *_occupied(table.column(j), bins))
    if run.groups is not None:
        members = run.groups.columns
        kinds = np.array([kinds[of[0]] if len(of) == 1 else (len(of), 0, -1) for of in members])
    return np.asarray(np.unique(kinds, axis=0, return_inverse=True)[1]).ravel()


def _occupied(column: Floats, bins: int) -> tuple[int, int]:
    """The logarithm to base 2 of the number of occupied bins, and how often the share of the rows outside the
    fullest one is halved: normal columns of any number of rows are alike in both."""
    known = column[~np.isnan(column)]
    codes = np.empty(len(known), dtype=np.uint32)
    width_rows(known, known.min(), known.max(), bins, codes)
    counts = np.bincount(codes)
    halved = np.log2(len(known) / max(1, len(known) - int(counts.max())))
    return round(float(np.log2((counts > 0).sum()))), int(halved)


# Resamples of shuffled targets.

Drawn = Literal["table", "resamples", "halves"]
"""What is scored of a run: its table itself, what its plan draws, or the halves of pairs."""


def n_together(run: Run, drawn: Drawn) -> int:
    """How many of them belong together, and share a shuffled target."""
    return {"table": 1, "resamples": run.plan.together, "halves": 2}[drawn]


def score_shuffled(nulls: Nulls, number: int, drawn: Drawn, **how: Any) -> Matrices:
    """Scores by filter of the `drawn` resamples of each shuffled target, one after another."""
    run = nulls.residualised
    size = n_together(run, drawn)

    def resamples(one: Run, k: int) -> Resamples:
        if drawn == "table":
            return one.whole_table(one.target)
        plan = one.pairs if drawn == "halves" else one.plan
        return one.draw(size, first=size * k, plan=plan)

    what, runs = f"{drawn} of shuffled targets", nulls.shuffled(run, number)
    with remarks.collect_warnings():  # what there is to warn of was said with the true target
        return _scores_by_target(run, runs, number, size, resamples, what, **how)


MOST_NULLS, FEWEST_NULLS = 50, 20
"""Shuffled targets for the scale of scores, at most one for two resamples (chosen: at most half as
much work again, from 40 resamples on)."""

ENOUGH = 100_000
"""Null scores of one kind of columns that suffice; further shuffled targets are not used."""


def settle_normalization(normalize: str, run: Run, filters: Sequence[Any]) -> str:
    """The meaning of ``"auto"`` for some of the filters of a run; other values are validated."""
    reason = f"the plan {run.plan.name} does not draw rows of the whole table at random"
    if not run.plan.only and not run.resamples.changes_table:
        reason = Nulls(run).reason
    if normalize == AGAINST_NOISE and reason:
        raise ParameterError(
            Use(normalize=AGAINST_NOISE),
            f" compares scores with those of shuffled targets, and there are none: {reason}",
            Remedy("use another one"),
        )
    if normalize != "auto":
        return normalize
    table, counted = run.table, any(map(binding.counts_levels, filters))
    if reason or not counted or not isinstance(table, Table):
        return "per_resample"
    # Columns differ in kind: levels and numbers, or different numbers of levels.
    nominal = np.flatnonzero(np.isin(table.kinds, (Kind.BOOLEAN, Kind.NOMINAL)))
    sizes = {len(table.value_counts(j)) for j in nominal.tolist()}
    differ = len(sizes) > 1 or 0 < len(nominal) < table.n_features
    return AGAINST_NOISE if differ else "per_resample"


@dataclass(frozen=True, eq=False)
class NoiseScale:
    """The scale of a run, by which its score matrices are read."""

    nulls: Nulls
    n_shuffles: int
    null_scores: dict[Drawn, Matrices] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run, m: int) -> NoiseScale:
        """The scale of a run with `m` resamples."""
        return cls(Nulls(run), max(FEWEST_NULLS, min(MOST_NULLS, m // 2)))

    @cached_property
    def _kinds(self) -> dict[str, list[Indices]]:
        """Columns of one kind, by the filter that sees them so."""
        return {
            label: [np.flatnonzero(kinds == kind) for kind in range(kinds.max() + 1)]
            for label, kinds in _kinds_by_filter(self.nulls.expanded).items()
        }

    def n_scored(self, drawn: Drawn) -> int:
        """Number of tables scored for the null scores of `drawn`."""
        return self.n_shuffles * n_together(self.nulls.run, drawn)

    def read(self, matrices: Matrices, drawn: Drawn, store: MatrixStore, **how: Any) -> None:
        """Replace scores by their evidence against noise, unless a filter ignores the target."""
        if drawn not in self.null_scores:
            self.null_scores[drawn] = score_shuffled(self.nulls, self.n_shuffles, drawn, **how)
        for label, matrix in matrices.items():
            if label in self.nulls.blind:
                continue
            for columns in self._kinds[label]:
                pool = self.null_scores[drawn][label][: max(1, ENOUGH // len(columns)), columns]
                for rows in row_blocks(matrix.shape):
                    block = matrix[rows]
                    block[:, columns] = evidence_against(pool, block[:, columns])
                    store.release()
