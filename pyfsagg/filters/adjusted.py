"""Scores adjusted for known columns: by linear and Cox models that contain them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, Indices, column_blocks
from pyfsagg._kernels import Codes
from pyfsagg._kernels.ranks import correlation_mrmr
from pyfsagg._table.table import ALIASED, Weights, orthonormal
from pyfsagg._table.target import Survival, Target
from pyfsagg.filters._base import begun_orders, within_range

_LEAST = 2.0**-53
"""The smallest number above 0 that 1 less a share can be: statistics of a perfect fit stay finite."""


# Linear models.


@dataclass(frozen=True, eq=False)
class Residuals:
    """A linear model of one resample, scaled by roots of weights: `values` (n, p) are features minus
    their fit by the adjusters, `lengths` their norms before, `basis` (n, rank) spans the adjusters."""

    values: Floats
    lengths: Floats
    basis: Floats
    root: Floats

    @classmethod
    def of(cls, values: Floats, adjusters: Floats, weights: Floats) -> Residuals:
        root = np.sqrt(weights)[:, np.newaxis]
        basis = orthonormal(root * adjusters)
        mean = weights @ values / weights.sum()
        values = root * (values - mean)
        lengths = (values**2).sum(axis=0)
        return cls(values - basis @ (basis.T @ values), lengths, basis, root[:, 0])

    def residuals(self, columns: Floats) -> Floats:
        """Residuals of other columns (n, k) given the adjusters; 0 if they are determined."""
        columns = self.root[:, np.newaxis] * columns
        rest = columns - self.basis @ (self.basis.T @ columns)
        lengths = (columns**2).sum(axis=0)
        return np.asarray(np.where((rest**2).sum(axis=0) > ALIASED**2 * lengths, rest, 0.0))

    @cached_property
    def squares(self) -> Floats:
        """Residual sums of squares (p,) of each feature; 0 if that is rounding error."""
        left = (self.values**2).sum(axis=0)
        return np.asarray(np.where(left > ALIASED**2 * self.lengths, left, 0.0))

    @property
    def size(self) -> float:
        return float((self.root**2).sum())


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0.0)


def with_number(rows: Residuals, y: Floats) -> tuple[Floats, Floats]:
    """|partial correlation| with `y` (n,), and F of the feature in the regression on it and the adjusters."""
    rest = rows.residuals(y[:, np.newaxis])[:, 0]
    r = np.abs(rest @ rows.values)
    r = np.minimum(_ratio(r, np.sqrt((rest @ rest) * rows.squares)), 1.0)
    freedom = max(rows.size - rows.basis.shape[1] - 1.0, 0.0)
    return r, r**2 / np.maximum(1.0 - r**2, _LEAST) * freedom


def with_classes(rows: Residuals, labels: Codes, n_classes: int) -> tuple[Floats, Floats]:
    """Adjusted F of the classes in a linear model of each feature, and for two classes |t| with HC2
    standard errors (Welch's without adjusters)."""
    classes = rows.residuals(np.eye(n_classes)[labels])
    basis = orthonormal(classes)
    k, rest = basis.shape[1], rows.size - rows.basis.shape[1] - basis.shape[1]
    if not k or rest <= 0.0:
        return np.zeros(rows.values.shape[1]), np.zeros(rows.values.shape[1])
    inside = basis.T @ rows.values
    between = (inside**2).sum(axis=0)
    share = np.minimum(_ratio(between, rows.squares), 1.0)
    f = share / np.maximum(1.0 - share, _LEAST) * rest / k
    t = np.zeros_like(f)
    if n_classes == 2:
        weights = rows.root**2
        leverage = _ratio((rows.basis**2).sum(axis=1) + basis[:, 0] ** 2, weights)
        by = _ratio(basis[:, 0] ** 2, weights * (1.0 - leverage))
        by = np.where(1.0 - leverage > ALIASED, by, 0.0)  # a row that any model fits says nothing
        error = by @ (rows.values - basis @ inside) ** 2
        gap = np.where(rows.squares > 0.0, np.abs(inside[0]), 0.0)
        t = _ratio(gap, np.sqrt(np.maximum(error, gap**2 * _LEAST)))
    return f, t


def average_ranks(values: Floats, weights: Floats) -> Floats:
    """Ranks (n, k) of the rows by each column, as if repeated by their weights; ties share the mean."""
    ranks = np.empty_like(values)
    for j in range(values.shape[1]):
        _, codes = np.unique(values[:, j], return_inverse=True)
        sizes = np.bincount(codes, weights)
        ranks[:, j] = (np.cumsum(sizes) - (sizes - 1.0) / 2.0)[codes]
    return ranks


def linear_scores(
    values: Floats,
    target: Target,
    statistic: Callable[[Residuals, NDArray[Any]], tuple[Floats, ...]],
    numeric: bool,
    ranks: bool,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """Filters by a linear model of each feature with the adjusters; `statistic` gives a row of scores for
    each output, of ranks if `ranks`."""
    adjusters = target.adjusters
    assert adjusters is not None
    answers: NDArray[Any] = labels
    if numeric and target.kind != "classes":
        answers = within_range(target.numbers(weights).T).T
    missing, scores[:] = np.isnan(values), 0.0
    incomplete = np.flatnonzero(missing.any(axis=0))  # each with different rows
    complete = np.setdiff1d(np.arange(values.shape[1]), incomplete)
    blocks = column_blocks((len(values), len(complete))) if complete.size else ()
    together = [complete[block] for block in blocks]
    for r, row in enumerate(weights):
        drawn = np.flatnonzero(row)
        alone = [(np.array([j]), drawn[~missing[drawn, j]]) for j in incomplete]
        alone = [(column, rows) for column, rows in alone if len(rows) > 1]
        for columns, rows in [*((columns, drawn) for columns in together), *alone]:
            part, times = values[np.ix_(rows, columns)], row[rows].astype(np.float64)
            y, numbers = answers[r % len(answers), rows], adjusters.numbers[rows]
            if ranks:
                part, numbers = average_ranks(part, times), average_ranks(numbers, times)
                y = average_ranks(y[:, np.newaxis].astype(np.float64), times)[:, 0]
                numbers = numbers - numbers.mean(axis=0)
            design = np.hstack([adjusters.indicators[rows], numbers])
            found = statistic(Residuals.of(part, design, times), y)
            scores[:, r, columns] = found[: len(scores)]


def cleared_mrmr(
    values: Floats,
    target: Target,
    n_selected: int,
    given: int,
    labels: Codes,
    weights: Weights,
    scores: Floats,
) -> None:
    """mRMR by the correlation of the residuals of features and target."""
    assert target.adjusters is not None
    design, numbers = target.adjusters.design, within_range(target.numbers(weights).T).T
    found = np.empty((1, values.shape[1]))
    for r, row in enumerate(weights):
        drawn = np.flatnonzero(row)
        times = np.ascontiguousarray(row[drawn][np.newaxis])
        rows = Residuals.of(values[drawn], design[drawn], times[0].astype(np.float64))
        y = rows.residuals(numbers[r % len(numbers), drawn, np.newaxis])[:, 0]
        left = np.where(rows.squares > 0.0, rows.values, 0.0) / rows.root[:, np.newaxis]
        left, y = np.asfortranarray(left), (y / rows.root)[np.newaxis]
        orders = begun_orders(1, given, n_selected)
        correlation_mrmr(left, y, times, orders.shape[1], found, orders)
        scores[0, r] = found[0, given:]


# Cox models.

_STEPS, _CLOSE = 30, 1e-12
"""Newton's method ends at this relative gain of the log-likelihood."""


@dataclass(frozen=True, eq=False)
class RiskSets:
    """Rows of a stratum by descending time, and those at risk at each event (Efron) or time of events
    (Breslow, counted `times`): up to `last`, those from `first` on by 1 - `share`."""

    rows: Indices
    weights: Floats
    event: Booleans
    first: Indices
    last: Indices
    share: Floats
    times: Floats

    @classmethod
    def of(cls, survival: Survival, rows: Indices, weights: Floats, efron: bool) -> RiskSets:
        """Of the rows at positions `rows`, which count by `weights` (n_samples,)."""
        rows = rows[np.lexsort((survival.event[rows], -survival.time[rows]))]  # events come last
        times, event, weights = survival.time[rows], survival.event[rows], weights[rows]
        opens = np.flatnonzero(np.r_[True, times[1:] != times[:-1]])
        last = np.r_[opens[1:], len(rows)] - 1
        first = last + 1 - np.add.reduceat(event, opens, dtype=np.intp)
        n_events = np.add.reduceat(weights * event, opens)
        entries = np.flatnonzero(n_events)
        share, times = np.zeros(len(entries)), n_events[entries]
        if efron:
            entries = np.repeat(entries, times.astype(np.intp))
            share = (np.arange(len(entries)) - np.searchsorted(entries, entries)) / n_events[
                entries
            ]
            times = np.ones(len(entries))
        return cls(rows, weights, event, first[entries], last[entries], share, times)

    def sums(self, columns: Floats) -> Floats:
        """Sums (entries, k) over those at risk of columns (n, k)."""
        until = np.vstack([np.zeros(columns.shape[1]), np.cumsum(columns, axis=0)])
        before, at_risk = until[self.first], until[self.last + 1]
        return np.asarray(at_risk - self.share[:, np.newaxis] * (at_risk - before))

    def hazards(self, at_risk: Floats) -> Floats:
        """Cumulative hazard of each row (n,), from the numbers at risk in each entry."""
        steps, by = np.zeros(len(self.rows) + 1), self.times / at_risk
        steps[0] = by.sum()
        np.subtract.at(steps, self.first, self.share * by)
        np.subtract.at(steps, self.last + 1, (1.0 - self.share) * by)
        return np.asarray(np.maximum(np.cumsum(steps)[:-1], 0.0))


@dataclass(frozen=True, eq=False)
class RiskModel:
    """Sums of a stratum at the coefficients of its adjusting numbers: x has the score ``residuals @
    x``, and x, z the information ``x @ (expected * z)`` minus the product of their :meth:`means`."""

    sets: RiskSets
    risks: Floats
    at_risk: Floats
    expected: Floats

    @classmethod
    def of(cls, sets: RiskSets, linear: Floats) -> RiskModel:
        risks = sets.weights * np.exp(linear)
        at_risk = sets.sums(risks[:, np.newaxis])[:, 0]
        return cls(sets, risks, at_risk, risks * sets.hazards(at_risk))

    @property
    def residuals(self) -> Floats:
        return np.asarray(self.sets.weights * self.sets.event - self.expected)

    def means(self, columns: Floats) -> Floats:
        """Means (entries, k) of columns (n, k) over those at risk, by the roots of what the entries count."""
        by = np.sqrt(self.sets.times) / self.at_risk
        return np.asarray(by[:, np.newaxis] * self.sets.sums(self.risks[:, np.newaxis] * columns))

    def log_likelihood(self, linear: Floats) -> float:
        sets = self.sets
        events = float((sets.weights * sets.event) @ linear)
        return events - float(sets.times @ np.log(self.at_risk))


def _fitted(sets: list[RiskSets], numbers: Floats) -> list[RiskModel]:
    """The Cox model of the adjusting numbers (n_samples, q) alone, with a baseline for each stratum."""
    q = numbers.shape[1]
    own = [numbers[each.rows] for each in sets]

    def at(slopes: Floats) -> tuple[list[RiskModel], float]:
        linear = [columns @ slopes for columns in own]
        models = [RiskModel.of(each, line) for each, line in zip(sets, linear, strict=True)]
        return models, sum(
            model.log_likelihood(line) for model, line in zip(models, linear, strict=True)
        )

    slopes = np.zeros(q)
    models, reached = at(slopes)
    for _ in range(_STEPS if q else 0):
        score, information = np.zeros(q), np.zeros((q, q))
        for model, z in zip(models, own, strict=True):
            means = model.means(z)
            score += model.residuals @ z
            information += z.T @ (model.expected[:, np.newaxis] * z) - means.T @ means
        step = np.linalg.lstsq(information, score, rcond=ALIASED)[0]
        before = reached
        for _ in range(_STEPS):
            models, reached = at(slopes + step)
            if reached >= before:
                break
            step /= 2.0
        slopes = slopes + step
        if reached - before <= _CLOSE * abs(reached):
            break
    return models


def cox_scores(
    values: Floats, target: Target, efron: bool, labels: Codes, weights: Weights, scores: Floats
) -> None:
    """Score tests of features in a Cox model with the adjusting numbers, stratified by the levels."""
    adjusters, survival = target.adjusters, target.survival
    assert adjusters is not None
    assert survival is not None
    groups = [np.flatnonzero(adjusters.strata == s) for s in range(adjusters.n_strata)]
    for r, row in enumerate(weights.astype(np.float64)):
        drawn = [rows for group in groups if (rows := group[row[group] > 0]).size]
        sets = [RiskSets.of(survival, rows, row, efron) for rows in drawn]
        models = _fitted([each for each in sets if each.times.size], adjusters.numbers)
        for block in column_blocks(values.shape):
            scores[0, r, block] = _score_tests(values[:, block], adjusters.numbers, models)


def _score_tests(values: Floats, numbers: Floats, models: list[RiskModel]) -> Floats:
    p, q = values.shape[1], numbers.shape[1]
    score, spread, total = np.zeros(p), np.zeros(p), np.zeros(p)
    shared, own = np.zeros((q, p)), np.zeros((q, q))
    for model in models:
        x, z = values[model.sets.rows], numbers[model.sets.rows]
        x = x - model.sets.weights @ x / model.sets.weights.sum()
        of_x, of_z = model.means(x), model.means(z)
        by = model.expected[:, np.newaxis]
        score += model.residuals @ x
        total += model.expected @ x**2
        spread += model.expected @ x**2 - (of_x**2).sum(axis=0)
        shared += (by * z).T @ x - of_z.T @ of_x
        own += (by * z).T @ z - of_z.T @ of_z
    explained = (shared * np.linalg.lstsq(own, shared, rcond=ALIASED)[0]).sum(axis=0)
    spread = spread - explained
    return _ratio(score**2, np.where(spread > ALIASED * total, spread, 0.0))
