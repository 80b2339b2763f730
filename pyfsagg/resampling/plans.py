"""Resampling plans, one class each."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Indices, Integers
from pyfsagg._base.settings import option
from pyfsagg._base.validation import as_array
from pyfsagg._kernels.poisson_bootstrap import LANES, padded, poisson_weights
from pyfsagg._message import DENSE, Param, Phrase, Remedy, Use
from pyfsagg._table.sparse import SparseTable
from pyfsagg._table.target import Target
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.resampling.plan import Drawn, Plan, Population, generator, register_plan


def poisson_key(seed: int) -> np.uint64:
    """What the weights of the Poisson bootstrap depend on, in addition to row and resample."""
    return np.uint64(np.random.SeedSequence(seed, spawn_key=(2,)).generate_state(1, np.uint64)[0])


def check_poisson_totals(totals: Integers) -> None:
    """Refuse resamples of fewer than two rows, which tables of a few rows may have."""
    if totals.min() < 2:
        raise DataError(
            f"resample {int(totals.argmin())} of the Poisson bootstrap draws ",
            f"{int(totals.min())} row(s) of this small table",
            Remedy("use ", Use(resampling="bootstrap"), ", or another seed"),
        )


@register_plan("bootstrap", summary="draws as many rows as the table has, with replacement")
@dataclass(frozen=True, eq=False)
class Bootstrap(Plan):
    """As many rows as there are, with replacement.

    A row that is drawn several times looks like evidence: filters that test whether a split is worthwhile
    (MDL) or sum deviations (chi-squared) score noise higher on bootstraps than on the data themselves.
    Compare such scores with each other only, or draw without replacement (:class:`Subsample`,
    :class:`ComplementaryPairs`).  ``pyfsagg reproduce calibration --only pairs`` measures it.
    """

    def _draw(self, source: Population, rows: range) -> Drawn:
        population = source.population
        return source.draw(rows, lambda rng: rng.choice(population, population.size))


@register_plan(
    "poisson_bootstrap",
    "poisson",
    summary="takes each row a Poisson(1) number of times, which depends on seed, row number and "
    "resample alone",
)
@dataclass(frozen=True, eq=False)
class PoissonBootstrap(Plan):
    """Each row a Poisson(1) number of times; for tables that are read in pieces."""

    def _draw(self, source: Population, rows: range) -> Drawn:
        if self.sample_weight is not None or (source.counts != 1).any():
            name = "counts" if self.sample_weight is None else "sample_weight"
            why = " draws by row number and takes no ", Param(name)
            raise ParameterError(Use(resampling=self.name), *why, Remedy("use 'bootstrap'"))
        group, start = divmod(rows.start, LANES)
        drawn = np.empty((source.n_samples, padded(rows.stop - group * LANES)), np.uint8)
        poisson_weights(poisson_key(source.seed), 0, group, drawn)
        weights = np.ascontiguousarray(drawn[:, start : start + len(rows)].T, dtype=np.uint16)
        check_poisson_totals(weights.sum(axis=1, dtype=np.int64))
        return Drawn(weights)


@register_plan(
    "stratified_bootstrap", "stratified", summary="bootstrap within each class, so class sizes stay"
)
@dataclass(frozen=True, eq=False)
class StratifiedBootstrap(Plan):
    """A bootstrap within each class, so class sizes stay; with survival, of events and of others."""

    def _draw(self, source: Population, rows: range) -> Drawn:
        if source.target.kind == "none":
            why = " keeps the shares of the classes, and there is no target"
            raise ParameterError(Use(resampling=self.name), why, Remedy("use 'bootstrap'"))
        strata = [stratum for stratum in source.strata if stratum.size]
        return source.draw(
            rows, lambda rng: np.concatenate([rng.choice(s, s.size) for s in strata])
        )


@register_plan(
    "balanced_bootstrap",
    "balanced",
    summary="draws the same number of rows of each class, with replacement (for rare classes)",
)
@dataclass(frozen=True, eq=False)
class BalancedBootstrap(Plan):
    """The same number of rows of each class, with replacement: a rare class counts like a frequent one.

    Scores then show how the classes would be separated if they were equally frequent; otherwise a
    filter that counts rows hardly notices a class of a few per cent (Chen, Liaw and Breiman 2004,
    balanced random forests).

    Parameters
    ----------
    per_class : int, optional
        Rows of each class in a resample; as many as the smallest class has if not given.
    """

    per_class: int | None = option(
        None, low=1, help="rows of each class; default: of the smallest class"
    )

    def _draw(self, source: Population, rows: range) -> Drawn:
        if source.target.kind != "classes":
            why = " draws as many rows of each class, and the target has no classes"
            raise ParameterError(Use(resampling=self.name), why, Remedy("use 'bootstrap'"))
        strata = [stratum for stratum in source.strata if stratum.size]
        size = self.per_class or min(stratum.size for stratum in strata)
        return source.draw(rows, lambda rng: np.concatenate([rng.choice(s, size) for s in strata]))


@register_plan("subsample", "subsampling", summary="a fraction of the rows without replacement")
@dataclass(frozen=True, eq=False)
class Subsample(Plan):
    """A fraction of the rows without replacement.

    Parameters
    ----------
    fraction : float
        Above 0, at most 1; at least two rows are drawn.
    """

    fraction: float = option(0.5, above=0.0, high=1.0, help="share of the rows")

    def _draw(self, source: Population, rows: range) -> Drawn:
        population = source.population
        size = max(2, round(self.fraction * population.size))
        return source.draw(rows, lambda rng: rng.choice(population, size, replace=False))


@register_plan(
    "complementary_pairs",
    "pairs",
    summary="disjoint halves of the rows, class by class; resamples 0 and 1 are a pair, 2 and 3 the "
    "next, so n_resamples counts halves and is even",
)
@dataclass(frozen=True, eq=False)
class ComplementaryPairs(Plan):
    """Disjoint halves of the rows, class by class: each pair is two samples without a common row.

    The two halves of a pair are independent samples of half the size, which resamples that share rows
    are not: they show how far rankings of different samples agree, and give bounds on the number of false
    selections (Shah and Samworth 2013).  Resamples 2j and 2j + 1 are pair j (:meth:`pairs`), so
    ``n_resamples`` counts halves and is even.

    Both halves hold equally many rows of each class; a row that is left over, another one in each
    pair, is in neither, and so is the only row of a class.  With survival they hold equally many
    events, and equally many censored rows.  A target of numbers or none has no classes: any half of the
    rows.

    Parameters
    ----------
    groups : array of shape (n_samples,), optional
        Group label of each row: several rows of one subject stay in the same half.  Then both halves
        hold equally many groups of each class, where the class of a group is that of most of its rows
        (the first of those that are as frequent).

    Examples
    --------
    >>> import pyfsagg
    >>> data = pyfsagg.load_dataset("wine")
    >>> result = pyfsagg.wam(
    ...     data.X, data.y, resampling="complementary_pairs", n_resamples=20, random_state=0
    ... )
    >>> first, second = pyfsagg.resampling.ComplementaryPairs.pairs(result.n_resamples).T
    >>> result.combined[first].shape
    (10, 13)
    """

    together: ClassVar[int] = 2
    parts: ClassVar[int] = 2  # into which the rows are divided; the first two are a pair

    groups: ArrayLike | None = option(None, flag=False, help="group of each row")

    @staticmethod
    def pairs(n_resamples: int) -> Indices:
        """The numbers of the resamples that form each pair, shape (n_resamples / 2, 2)."""
        return np.arange(n_resamples - n_resamples % 2).reshape(-1, 2)

    def _draw(self, source: Population, rows: range) -> Drawn:
        # The units that are drawn, by class: positions of rows, or numbers of groups.
        units = None if self.groups is None else _groups(self.groups, source)
        classes = source.target.kind in ("classes", "survival")
        if units is None:
            strata = source.strata if classes else [source.population]
        elif classes:
            of = [np.bincount(source.target.strata[members]).argmax() for members in units]
            strata = [np.flatnonzero(np.array(of) == c) for c in range(source.target.n_strata)]
        else:
            strata = [np.arange(len(units))]

        def half(row: int) -> Indices:
            rng = generator(source.seed, row // 2)
            drawn = []
            for stratum in strata:
                size = stratum.size // self.parts
                start = size * (row % 2)
                drawn.append(rng.permutation(stratum)[start : start + size])
            positions = np.concatenate(drawn)
            if units is not None:
                positions = np.concatenate([units[u] for u in positions] or [positions])
            self._check_half(positions, row, source.target)
            return positions

        return source.count(rows, half)

    def _check_half(self, positions: Indices, row: int, target: Target) -> None:
        unit = "rows" if self.groups is None else "groups"
        more = ""
        if target.kind == "classes":
            if np.unique(target.codes[positions]).size >= 2:
                return
            holds = f"fewer than two classes: at least two classes need two {unit} or more, one for each half"
            more = f"gather more {unit} of the rare classes, or "
        elif positions.size < 2:
            holds = f"{positions.size} row(s) and needs at least 2"
            more = f"gather more {unit}, or "
        elif target.kind == "survival" and not target.strata[positions].any():
            holds = f"no event: at least two {unit} with an event are needed, one for each half"
        else:
            return
        raise DataError(
            f"half {row} of ",
            Use(resampling="complementary_pairs"),
            f" would contain {holds}",
            Remedy(f"{more}use ", Use(resampling="bootstrap")),
        )


@register_plan(
    "grouped_bootstrap",
    "grouped",
    summary="draws whole groups of rows with replacement (several rows of one subject)",
)
@dataclass(frozen=True, eq=False)
class GroupedBootstrap(Plan):
    """Whole groups of rows with replacement, as many as there are.

    Parameters
    ----------
    groups : array of shape (n_samples,)
        Group label of each row: several rows of one subject belong together.
    """

    groups: ArrayLike | None = option(None, flag=False, help="group of each row")

    def _draw(self, source: Population, rows: range) -> Drawn:
        if self.groups is None:
            example = ", as in resampling=pyfsagg.resampling.GroupedBootstrap(groups)"
            raise ParameterError(
                Use(resampling="grouped_bootstrap"),
                " draws whole groups: give the group of each row",
                Phrase("groups_of_plan", example),
            )
        members = _groups(self.groups, source)
        n = len(members)
        return source.draw(
            rows, lambda rng: np.concatenate([members[g] for g in rng.integers(n, size=n)])
        )


def _groups(groups: ArrayLike, source: Population) -> list[Indices]:
    """The population of each group."""
    array = as_array("groups", groups)
    if array.shape != (source.n_samples,):
        raise DataError(
            Param("groups"),
            f" must have one label per sample ({source.n_samples}), got the shape {array.shape}",
        )
    names, codes = np.unique(array.astype(str), return_inverse=True)
    if len(names) < 2:
        raise DataError(Param("groups"), " has one group only; at least two are needed")
    population = source.population
    members = (population[codes[population] == g] for g in range(len(names)))
    return [rows for rows in members if rows.size]


@register_plan(
    "k_fold",
    "kfold",
    "cross_validation",
    summary="stratified folds; resample r leaves fold r out, so n_resamples is the number of folds",
)
@dataclass(frozen=True, eq=False)
class KFold(Plan):
    """Stratified folds of (nearly) equal size: resample r leaves fold r out.

    The number of resamples is the number of folds, at least 2 and at most the size of the smallest
    class, or the number of events.
    """

    only: ClassVar[bool] = True
    fewest: ClassVar[int] = 2

    def _draw(self, source: Population, rows: range) -> Drawn:
        n_folds = rows.stop
        if rows.start:
            raise ParameterError("k_fold cannot draw more resamples than folds")
        survival = source.target.kind == "survival"
        # Each fold omits a row of every class, or an event.
        smallest = min(part.size for part in source.strata[1 if survival else 0 :])
        if n_folds > smallest:
            of_classes = "rows of every class, and the smallest class has "
            fewer = f"use at most {smallest} folds (", Param("n_folds"), ")"
            raise DataError(
                f"{n_folds} stratified folds need at least {n_folds} ",
                f"{'events, and there are ' if survival else of_classes}{smallest}",
                Remedy(*(fewer if survival or smallest > 1 else ("leave that class out",))),
            )
        rng = generator(source.seed, 0)
        # Classes are dealt out one after the other.
        shuffled = np.concatenate([rng.permutation(stratum) for stratum in source.strata])
        fold = np.arange(shuffled.size) % n_folds
        return source.count(rows, lambda f: shuffled[fold != f])


@register_plan(
    "feature_subspace",
    "subspace",
    summary="all rows, a random fraction of the features; the others have no score there",
)
@dataclass(frozen=True, eq=False)
class FeatureSubspace(Plan):
    """All rows, a random fraction of the features; the others have no score there.

    Parameters
    ----------
    fraction : float
        Above 0, at most 1; at least two features are seen, if there are two.
    """

    fraction: float = option(0.5, above=0.0, high=1.0, help="share of the features")

    def _draw(self, source: Population, rows: range) -> Drawn:
        p = source.table.n_features
        size = min(p, max(2, round(self.fraction * p)))
        seen = np.zeros((len(rows), p), dtype=np.bool_)
        for position, row in enumerate(rows):
            seen[position, generator(source.seed, row).choice(p, size, replace=False)] = True
        return Drawn(features=seen)


@register_plan(
    "label_noise",
    summary="all rows; a fraction of the labels is replaced by another class at random",
)
@dataclass(frozen=True, eq=False)
class LabelNoise(Plan):
    """All rows; a fraction of the labels is replaced by another class at random.

    Parameters
    ----------
    fraction : float
        Above 0, at most 1.
    """

    fraction: float = option(0.1, above=0.0, high=1.0, help="share of the labels")

    def _draw(self, source: Population, rows: range) -> Drawn:
        target = source.target
        if target.kind != "classes":
            why = " exchanges class labels, and the target has none"
            raise ParameterError(Use(resampling=self.name), why, Remedy("use another plan"))
        n, k = target.codes.size, target.n_classes
        labels = np.tile(target.codes, (len(rows), 1))
        for position, row in enumerate(rows):
            rng = generator(source.seed, row)
            hit = source.order[rng.choice(n, max(1, round(self.fraction * n)), replace=False)]
            labels[position, hit] = (labels[position, hit] + rng.integers(1, k, size=hit.size)) % k
        return Drawn(labels=labels)


@register_plan(
    "value_noise",
    summary="all rows; Gaussian noise of `scale` standard deviations on numeric features",
)
@dataclass(frozen=True, eq=False)
class ValueNoise(Plan):
    """All rows; Gaussian noise on numeric features.

    Parameters
    ----------
    scale : float
        Standard deviation of the noise, in standard deviations of the feature; above 0.
    """

    scale: float = option(0.1, above=0.0, help="noise in standard deviations of the feature")

    def _draw(self, source: Population, rows: range) -> Drawn:
        if isinstance(source.table, SparseTable):
            why = " puts noise on every cell, also on zeros, and ", Param("X"), " is sparse"
            remedy = Remedy("use another plan, or a dense table (", DENSE, ")")
            raise DataError(Use(resampling=self.name), *why, remedy)
        return Drawn(noise=self.scale)


@dataclass(frozen=True, eq=False)
class Rows(Plan):
    """Resamples made elsewhere, to repeat a run row by row.

    Parameters
    ----------
    indices : array of int, shape (n_resamples, n_draws)
        The rows (from 0) of each resample.
    """

    kind: ClassVar[str] = "resampling=Rows(...)"
    name: ClassVar[str] = "row_indices"
    only: ClassVar[bool] = True
    seeded: ClassVar[bool] = False

    indices: ArrayLike | None = option(None, flag=False, help="rows of each resample, from 0")

    def _check(self) -> None:
        for name in ("sample_weight", "counts"):
            if getattr(self, name) is not None:
                raise ParameterError(
                    "the rows say how often each sample is drawn; ",
                    Param(name),
                    " cannot be given with them",
                )

    def _draw(self, source: Population, rows: range) -> Drawn:
        n = source.n_samples
        indices = as_array("indices", self.indices)
        if indices.ndim != 2 or 0 in indices.shape:
            raise ParameterError(
                Param("indices"),
                " must have the shape (n_resamples, n_draws), one row per resample; got ",
                f"{indices.shape}",
            )
        if indices.dtype.kind == "f" and (indices == np.floor(indices)).all():
            indices = indices.astype(np.int64)
        if indices.dtype.kind not in "iu":
            raise ParameterError(
                Param("indices"), f" must contain whole numbers, got the type {indices.dtype}"
            )
        if indices.min() < 0 or indices.max() >= n:
            r_counts = indices.min() >= 1 and indices.max() == n
            hint = "; R counts from 1: subtract 1" if r_counts else ""
            raise ParameterError(
                Param("indices"),
                f" must lie between 0 and {n - 1} for a table of {n} rows, got ",
                f"{indices.min()} to {indices.max()}{hint}",
            )
        remedy = "draw every row less often, in the same proportion"
        return source.count(range(len(indices)), lambda row: indices[row], remedy)
