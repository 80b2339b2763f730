"""Backward elimination in rank-order space: four methods, one engine, one result."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import ArrayLike

from pyfsagg._base import validation
from pyfsagg._base.arithmetic import Floats, Indices, RandomState, TableLike, TargetLike
from pyfsagg._base.fields import stored
from pyfsagg._base.registry import Call, Registry, Spec, repeatable
from pyfsagg._base.remarks import warn
from pyfsagg._base.settings import Settings
from pyfsagg._base.words import count, duration, enumerate_names, number, plural
from pyfsagg._message import Message, Name, Param, Use
from pyfsagg._report.page import Block, Text
from pyfsagg._run.checkpoint import kept_seed, open_checkpoint
from pyfsagg._run.execution import Execution, progress_sink
from pyfsagg._run.result import Recorded, Selecting
from pyfsagg._table.identity import versions
from pyfsagg._table.selectors import TableSelector
from pyfsagg._table.table import as_table, column_positions
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError, UnknownNameError
from pyfsagg.rank_order import criteria, distances, naive_bayes
from pyfsagg.rank_order._orders import Orders, doubts, read_orders


@dataclass(frozen=True, eq=False, repr=False)
class Elimination(Selecting, Recorded):
    """A removal order, with the loss of each removal.

    Attributes
    ----------
    method : str
    feature_names : tuple of str
        The p features, in the order of the table.
    removal_order : ndarray of int (n_features,)
        Positions of the features, the one removed first in front; the last entry is the feature
        that is never removed.
    criterion : ndarray (n_features,)
        Criterion of the method at each removal: spoiler count, change of the centre distances, Δ,
        or Δ of the blanket; NaN for the last feature.
    divergence : ndarray (n_features,)
        Δ in nats of the features left after 0, 1, …, p − 1 removals.
    accuracy : ndarray (n_features,) or None
        Cross-validated accuracy of naive Bayes on the boolean-order features of the same subsets;
        NaN for sizes that were not requested.
    parameters, data, versions : dict
        Settings that repeat the run (ties among them), data and software versions.
    baseline : DataFrame or None
        Accuracy of random subsets, for comparison.
    remarks : tuple of str
        Warnings for the reader, for instance that the features seem not to be on one scale.

    See Also
    --------
    eliminate : Makes one.

    Notes
    -----
    Shown with `n_features_to_select`, the number of features selected (a quarter of them by default), or a
    fraction of them.  The picture takes `measure`, ``"divergence"`` or ``"accuracy"``.
    """

    _kind: ClassVar[str] = "elimination"
    _noun: ClassVar[str] = "elimination"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"n_features_to_select": 0.25})
    _one_file: ClassVar[bool] = True

    method: str
    feature_names: tuple[str, ...] = field(metadata=stored(key="features"))
    removal_order: Indices
    criterion: Floats
    divergence: Floats
    accuracy: Floats | None
    baseline: pd.DataFrame | None = field(default=None, metadata=stored(index="size"))
    remarks: tuple[str, ...] = ()

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def scores(self) -> Floats:
        """Place in the removal order (n_features,): 1 = removed first; larger = more important."""
        return np.argsort(self.removal_order).astype(np.float64) + 1.0

    @property
    def ranking(self) -> Floats:
        """Ranks (n_features,): 1 = removed last."""
        return self.n_features + 1 - self.scores

    def select(self, n_features_to_select: float | int) -> list[str]:
        """Names of the features removed last, the very last first: their number, or their share."""
        size = validation.n_selected(n_features_to_select, self.n_features, "n_features_to_select")
        return [self.feature_names[j] for j in self.removal_order[::-1][:size]]

    def select_by_divergence(self, threshold: float, unit: str = "nats") -> list[str]:
        """Names of the smallest subset of the path whose divergence is at most `threshold`.

        The divergence is in `unit`, ``"nats"`` or ``"bits"``.
        """
        return self.select(self.size_by_divergence(threshold, unit))

    def size_by_divergence(self, threshold: float, unit: str = "nats") -> int:
        """Size of the smallest subset of the path whose divergence is at most `threshold`."""
        validation.check_choice("unit", unit, distances.UNITS)
        limit = validation.check_real("threshold", threshold, low=0.0) / distances.UNITS[unit]
        return int(self.n_features - np.flatnonzero(self.divergence <= limit)[-1])

    def best_size(self) -> int:
        """Size of the smallest subset with the best accuracy on the path."""
        accuracy = self._measured_accuracy()
        return int(self.n_features - np.flatnonzero(accuracy == np.nanmax(accuracy))[-1])

    def _measured_accuracy(self) -> Floats:
        if self.accuracy is None:
            remedy = "this elimination has no accuracy; call eliminate(…, "
            raise DataError(remedy, Use(accuracy=True), ")")
        return self.accuracy

    def to_frame(self, unit: str = "nats") -> pd.DataFrame:
        """One row per feature in the order of removal.

        Columns: ``feature``; its ``rank`` (1 = kept longest); ``criterion`` at its removal; ``size``
        of the subset from which it was removed, and the ``divergence`` (in `unit`) and
        ``accuracy`` of that subset.
        """
        validation.check_choice("unit", unit, distances.UNITS)
        p = self.n_features
        return pd.DataFrame(
            {
                "feature": [self.feature_names[j] for j in self.removal_order],
                "rank": np.arange(p, 0, -1),
                "criterion": self.criterion,
                "size": np.arange(p, 0, -1),
                "divergence": self.divergence * distances.UNITS[unit],
                "accuracy": np.full(p, np.nan) if self.accuracy is None else self.accuracy,
            },
            index=pd.RangeIndex(p, name="removed_before"),
        )

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        baseline = {} if self.baseline is None else {"baseline.csv": self.baseline}
        return {"removal.csv": self.to_frame(), **baseline}

    def _size(self, view: Mapping[str, Any]) -> int:
        name = "n_features_to_select"
        return validation.n_selected(view[name], self.n_features, name)

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f"selected = result.select({self._size(view)})"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        size = self._size(view)
        left, kept = self.n_features - size, count(size) if size > 1 else "one"
        names = enumerate_names(self.select(size), most=20)
        lossless, lost = self.size_by_divergence(0.0), ""
        if lossless < self.n_features:
            lost = f"; nothing is lost down to {plural(lossless, 'feature')}"
        accuracy, always = "", self.parameters.get("always")
        if self.accuracy is not None and not np.isnan(self.accuracy[left]):
            share = f"{self.accuracy[left]:.1%}"
            accuracy = f" Naive Bayes on their orders is right in {share} (cross-validated)."
        return [
            Text(Markup("<b>The last {} kept:</b> {}.").format(kept, names)),
            Text(
                f"Each sample was read as an order of its features, and {self.method.replace('_', '-')} "
                f"removed {count(left)} of {plural(self.n_features, 'feature')} one by one. The orders "
                f"of the remaining ones lose {number(float(self.divergence[left]), 4)} nats of "
                f"information on the class{lost}.{accuracy}"
            ),
            *([Text(f"Always in: {enumerate_names(always)}.")] if always else []),
            *(Text(f"Take care: {remark}.") for remark in self.remarks),
        ]

    def __repr__(self) -> str:
        best = ", ".join(self.select(min(3, self.n_features)))
        return (
            f"Elimination({self.method}: {self.n_features} features, zero divergence down to "
            f"{self.size_by_divergence(0.0)}; kept longest: {best})"
        )


@dataclass(frozen=True, eq=False)
class NoSettings(Settings):
    """The settings of a method that has none."""

    kind: ClassVar[str] = "this method"


@dataclass(frozen=True, kw_only=True)
class EliminationSpec(Spec):
    """A registered method of elimination.

    `formula`, `bounds` and `higher_is_better` describe its criterion for a feature f among the features F
    that are present; `title` and `criterion` name both on pages.  `build(orders, **options)` returns a
    :class:`Strategy`; its options are the `settings` of the method (``method_params`` of
    :func:`~pyfsagg.rank_order.eliminate`) and those of ``n_jobs`` and ``priority`` that `takes` lists;
    of equally good features, the one with the largest ``priority`` (n_features,) is removed.
    `seconds(n_samples, n_features, n_classes)` estimates the time of a run on one core.
    """

    title: str
    criterion: str
    build: Callable[..., criteria.Strategy]
    settings: type[Settings] = NoSettings
    takes: tuple[str, ...] = ()
    seconds: Callable[[int, int, int], float]

    def strategy(self, orders: Orders, settings: Settings, **options: Any) -> criteria.Strategy:
        """The method with its settings, for some orders."""
        values = {name: getattr(settings, name) for name in settings.names()}
        return self.build(orders, **values, **{name: options[name] for name in self.takes})


ELIMINATIONS = Registry("elimination", EliminationSpec, group="pyfsagg.eliminations")


def find_elimination(method: str) -> EliminationSpec:
    """The method of that name; the error lists all of them."""
    try:
        return ELIMINATIONS.get(method)
    except (UnknownNameError, InputTypeError):
        validation.check_choice("method", method, ELIMINATIONS.names())
        raise


_TIES = "within a sample by ties=, of features by tie_break="
# Seconds were measured with benchmarks/bench_rank_order.py on one core of a shared server, and rounded up.
ELIMINATIONS.add(
    EliminationSpec(
        name="cdv",
        summary="removes the feature that changes the distances of class centres least",
        formula="root of sum over pairs of classes of (d(F - f) - d(all))^2, d the squared Spearman "
        "distance of two class centres; center_distance='relative': as shares of the largest d",
        latex=r"\sqrt{\sum_{a < b} \left( d_{ab}(F - f) - d_{ab}(\text{all}) \right)^2}",
        bounds="[0, inf)",
        ties=_TIES,
        source="orders, section 4",
        title="CDV",
        criterion="Change of the distances between the class centres, from those of all features",
        build=criteria.CentreStrategy,
        settings=criteria.CentreSettings,
        takes=("n_jobs",),
        seconds=lambda n, p, c: 1.0e-9 * n * p**2 + 1.0e-9 * c * p**3 / 3.0,  # average data
    ),
    EliminationSpec(
        name="spoilers",
        summary="removes the feature with most inversions within classes",
        formula="sum over classes and features g in F of B(f, g) B(g, f), B(f, g) the number of "
        "instances with f before g",
        latex=r"\sum_{c} \sum_{g \in F} B_c(f, g) \, B_c(g, f)",
        bounds="[0, inf)",
        higher_is_better=False,
        ties=_TIES,
        source="orders, section 4, definitions 8 and 9",
        title="Spoilers",
        criterion="Inversions of the feature within the classes",
        build=criteria.SpoilerStrategy,
        takes=("n_jobs",),
        seconds=lambda n, p, c: 1.0e-9 * n * p**2,
    ),
    EliminationSpec(
        name="greedy_kl",
        summary="removes the feature whose removal costs least information",
        formula="H(class | order of F - f) - H(class | order of all features)",
        latex=r"H(Y \mid \text{order of } F - f) - H(Y \mid \text{order of all features})",
        bounds="[0, H(class)], nats",
        ties=_TIES + "; divergences within 1e-12 nats are equal",
        source="orders, section 4, definition 3",
        title="Greedy KL",
        criterion="Divergence without the feature, in nats",
        build=criteria.GreedyStrategy,
        # Words hold 64 features.
        seconds=lambda n, p, c: 1.0e-9 * n * p**2 + 0.12e-9 * n**2 * p**2 / 2.0,
    ),
    EliminationSpec(
        name="koller_sahami",
        summary="removes the feature that adds least to its approximate Markov blanket",
        formula="H(class | order of M) - H(class | order of M + f), M the blanket of f in F",
        latex=r"H(Y \mid \text{order of } M) - H(Y \mid \text{order of } M + f)",
        bounds="[0, H(class)], nats",
        ties=_TIES,
        source="orders, section 4, after Koller and Sahami",
        title="Koller–Sahami",
        criterion="What the feature adds to its blanket, in nats",
        build=criteria.BlanketStrategy,
        settings=criteria.BlanketSettings,
        takes=("priority", "n_jobs"),
        seconds=lambda n, p, c: 5.0e-9 * n * p**2,
    ),
)


TIE_BREAKS = ("first", "last", "random")


@repeatable
def eliminate(
    X: TableLike,
    y: TargetLike,
    method: str = "cdv",
    *,
    method_params: Mapping[str, Any] | None = None,
    sample_weight: ArrayLike | None = None,
    always: Sequence[str | int] | None = None,
    ties: str = "average",
    missing: str = "error",
    tie_break: str = "first",
    accuracy: bool | int = False,
    n_folds: int = 5,
    max_seconds: float | None = 3600.0,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    execution: Execution | None = None,
) -> Elimination:
    """Remove features one by one, by what their orders tell about the classes.

    Each sample is read as an order of the features, the smallest value first.

    Parameters
    ----------
    X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        Numbers on one scale, so the values of different features can be compared.
    y : array of shape (n_samples,)
        Class labels.
    method : str
        A name in ``pyfsagg.list_methods("eliminations")``.  What is removed at each step:

        - ``"cdv"``: the feature without which the Spearman distances between the class centres
          stay nearest to those of all features;
        - ``"spoilers"``: the feature with most inversions between instances of the same class;
        - ``"greedy_kl"``: the feature without which the subset divergence Δ is least;
        - ``"koller_sahami"``: the feature that adds least to its approximate Markov blanket.
    method_params : mapping, optional
        Parameters of the method; there are

        - ``center_distance`` of ``"cdv"``: ``"raw"`` (default) compares the Spearman distances as the
          paper prints them, ``"relative"`` their shares of the largest distance that as many features
          can have.  The raw distance of two centres falls with every removal, so features which
          only separate others are kept; the relative one finds the planted features of generated data
          far more often, the raw one is better on the leukaemia data of the paper (7129 features);
        - ``blanket_size`` of ``"koller_sahami"``: features per blanket (κ), 5 by default;
        - ``partners`` of ``"koller_sahami"``: the blanket of k consists of the features to which the
          order with k adds least information on the class (``"redundant"``, the default, as in Koller
          and Sahami) or of those whose order with k has most (``"informative"``, the other reading of
          the paper).
    sample_weight : array of whole numbers (n_samples,), optional
        How often each instance counts.
    always : sequence of column names or positions, optional
        Features that are always in: they are in every subset, and last in the order.
    ties : {"average", "ordinal", "random", "error"}
        Equal values in one instance: tied (a state of their own, average ranks), ordered by column,
        ordered at random, or refused.
    missing : {"error", "unknown"}
        Refuse missing values, or treat the place of the feature as unknown in that instance (not for
        ``"cdv"``, which needs ranks).
    tie_break : {"first", "last", "random"}
        The feature that is removed among equally good ones: the first column, the last, or the first
        in a random order that is drawn once.
    accuracy : bool or int
        Also measure the accuracy of naive Bayes along the path: at all sizes, or at sizes up to a
        number.  O(n c s²) for sizes up to s.
    n_folds : int
        Folds of that cross-validation, stratified.
    max_seconds : float or None
        Refuse a run that is estimated to take longer; None: never.
    random_state : None, int or NumPy generator
        Seed of the folds, of ``ties="random"`` and of ``tie_break="random"``; a fresh one is drawn
        and recorded when None.
    n_jobs : int, optional
        Threads, as in joblib; the result does not depend on it.
    execution : Execution, optional
        :class:`pyfsagg.Execution`: the checkpoint keeps removals, and a later call repeats them
        without weighing; progress counts removals.  There are no scratch files.

    Returns
    -------
    Elimination
        ``removal_order``, ``divergence``, ``accuracy``, ``ranking``, ``select`` …

    Raises
    ------
    DataError
        For missing or nominal values, one class, one feature, samples that are all equal, or a run
        that would take too long.

    Warns
    -----
    PyfsaggWarning
        If the features seem not to be on one scale, or a class has one instance.

    See Also
    --------
    RankOrderSelector : The same as a scikit-learn selector.

    Notes
    -----
    Source: orders, section 4.  Cost of a complete elimination of p features from n instances of c
    classes: Spoilers O(n p²); Greedy KL O(n p² + n² p² / 64); CDV O(n p² + p³ (w c + c²)) simple
    operations on bytes, w being the number of features near another one in a class centre;
    Koller–Sahami O(n p²) for the partners, then O(n (p + n κ²)) for each blanket that loses a
    member and finds no spare partner.  CDV holds c p² counts of 1 or 2 bytes in memory.

    Examples
    --------
    >>> from pyfsagg.rank_order import eliminate, make_planted_orders
    >>> data = make_planted_orders(n_classes=3, n_per_class=10, n_extraneous=4, random_state=1)
    >>> result = eliminate(data.X, data.y, "spoilers")
    >>> sorted(result.select(3)) == sorted(data.planted)
    True
    >>> result.select_by_divergence(0.0) == result.select(3)
    True
    """
    spec = find_elimination(method)
    validation.check_choice("tie_break", tie_break, TIE_BREAKS)
    settings = spec.settings.of(method_params)
    if not isinstance(accuracy, bool):
        message = Message(Param("accuracy"), " (the largest size of a subset)")
        validation.check_integer(message, accuracy, low=1)
    if max_seconds is not None:
        validation.check_real("max_seconds", max_seconds, low=0.0, low_open=True)
    execution = Execution._without_scratch("eliminate", execution)
    with execution.limited():
        seed = validation.resolve_seed(kept_seed(execution.checkpoint, random_state))
        rules: dict[str, Any] = {"ties": ties, "missing": missing, "random_state": seed}
        orders = read_orders(X, y, sample_weight=sample_weight, **rules)
        remarks = doubts(orders)
        for remark in remarks:
            warn(remark, stacklevel=2)
        n, p = orders.n_samples, orders.n_features
        seconds = spec.seconds(n, p, orders.n_classes)
        if max_seconds is not None and seconds > max_seconds:
            raise DataError(
                f"the elimination of {p} features from {n} samples by {spec.name!r} would take ",
                f"about {duration(seconds)}, more than ",
                Use(max_seconds=Name(f"{max_seconds:g}")),
                '. Reduce the features first, take "spoilers", which is the fastest, or pass ',
                Use(max_seconds=None),
            )
        kept = sorted(column_positions("always", always, list(orders.feature_names)))
        if len(kept) == p:
            raise DataError(Param("always"), " names all columns, and leaves none to be removed")
        priority = _priority(p, tie_break, seed)
        identity = {
            "kind": "eliminate",
            "method": spec.name,
            "tie_break": tie_break,
            **settings.record(),
            "seed": seed,
            "data": [orders.ranks, orders.weights, orders.starts],
            "priority": priority,
            "always": np.array(kept, dtype=np.int64),
            "versions": versions(),
        }
        with (
            open_checkpoint(execution.checkpoint, identity) as checkpoint,
            progress_sink(execution.progress, p - max(len(kept), 1), "feature") as advance,
        ):
            strategy = spec.strategy(orders, settings, priority=priority, n_jobs=n_jobs)
            way = (priority, advance, checkpoint, kept)
            order, criterion = criteria.run_elimination(strategy, *way)
        accuracies = None
        if accuracy is not False:
            largest = p if accuracy is True else min(int(accuracy), p)
            accuracies = np.full(p, np.nan)
            accuracies[p - largest :] = naive_bayes.accuracy_path(
                orders, order[::-1][:largest], n_folds=n_folds, random_state=seed
            )[::-1]
        call = Call.of(eliminate, name="rank_order.eliminate", random_state=seed)
        return Elimination(
            method=spec.name,
            feature_names=orders.feature_names,
            removal_order=order,
            criterion=criterion,
            divergence=distances.divergence_path(orders, order),
            accuracy=accuracies,
            parameters={
                "ties": ties,
                "missing": missing,
                "tie_break": tie_break,
                **({"always": [orders.feature_names[j] for j in kept]} if kept else {}),
                **settings.record(),
                **({"n_folds": n_folds} if accuracies is not None else {}),
                "seed": seed,
                "call": call.record(),
            },
            remarks=remarks,
        )


def elimination_scores(
    X: TableLike,
    y: TargetLike,
    sample_weight: ArrayLike | None = None,
    *,
    method: str = "spoilers",
    method_params: Mapping[str, Any] | None = None,
    ties: str = "average",
    missing: str = "error",
    tie_break: str = "random",
    random_state: int = 0,
) -> Floats:
    """Place of each feature in a removal order, as a filter of ensembles; parameters of
    :func:`eliminate`, but ties are broken at random by `random_state` and the resample, since a fixed
    order of columns would look perfectly stable."""
    spec = find_elimination(method)
    validation.check_choice("tie_break", tie_break, TIE_BREAKS)
    settings = spec.settings.of(method_params)
    orders = read_orders(
        X, y, sample_weight=sample_weight, ties=ties, missing=missing, random_state=random_state
    )
    # Each resample has a seed of its own, the same for equal ones.
    seed = validation.check_integer("random_state", random_state, low=0)
    weights = validation.as_array(
        "sample_weight", () if sample_weight is None else sample_weight, np.float64
    )
    digest = hashlib.blake2b((weights + 0.0).tobytes(), digest_size=16).digest()
    seeds = np.random.SeedSequence([seed, int.from_bytes(digest, "little")])
    priority = _priority(orders.n_features, tie_break, seeds)
    strategy = spec.strategy(orders, settings, priority=priority, n_jobs=1)
    order, _ = criteria.run_elimination(strategy, priority)
    return np.argsort(order).astype(np.float64) + 1.0


def _priority(p: int, tie_break: str, random_state: Any) -> Indices:
    """Among equals the feature of largest priority is removed."""
    if tie_break == "random":
        return np.random.default_rng(random_state).permutation(p)
    return np.arange(p) if tie_break == "last" else np.arange(p)[::-1].copy()


@dataclass(eq=False, repr=False)
class RankOrderSelector(TableSelector):
    """Keep the features that a backward elimination on orders removes last.

    Parameters
    ----------
    method : {"cdv", "spoilers", "greedy_kl", "koller_sahami"}
        As in :func:`pyfsagg.rank_order.eliminate`.
    n_features_to_select : float, int or None
        Fraction of the features to keep (rounded up), or their number; None with `divergence`.
    divergence : float, optional
        Keep the smallest subset whose divergence, in nats, is at most this; replaces `n_features_to_select`.
    method_params, always, ties, missing, tie_break, max_seconds, random_state, n_jobs, execution
        As in :func:`pyfsagg.rank_order.eliminate`.

    Attributes
    ----------
    result_ : Elimination
    scores_ : ndarray (n_features,)
        Places in the removal order, larger = kept longer.
    ranking_ : ndarray (n_features,)
        1 = kept longest.
    support_ : ndarray of bool (n_features,)

    See Also
    --------
    eliminate : The elimination as a function.

    Examples
    --------
    >>> from pyfsagg.rank_order import RankOrderSelector, make_planted_orders
    >>> data = make_planted_orders(3, 10, n_extraneous=4, random_state=1)
    >>> selector = RankOrderSelector("spoilers", n_features_to_select=3).fit(data.X, data.y)
    >>> sorted(selector.get_feature_names_out().tolist())
    ['planted_1', 'planted_2', 'planted_3']
    """

    method: str = "cdv"
    _: KW_ONLY
    n_features_to_select: float | int | None = 0.25
    divergence: float | None = None
    method_params: Mapping[str, Any] | None = None
    always: Sequence[str | int] | None = None
    ties: str = "average"
    missing: str = "error"
    tie_break: str = "first"
    max_seconds: float | None = 3600.0
    random_state: RandomState = None
    n_jobs: int | None = None
    execution: Execution | None = None

    def fit(
        self, X: TableLike, y: TargetLike = None, *, sample_weight: ArrayLike | None = None
    ) -> RankOrderSelector:
        """Eliminate features, and select the remaining ones.

        Parameters
        ----------
        X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of whole numbers (n_samples,), optional
            How often each instance counts.
        """
        X = self._record(X, y)
        n_features = as_table(X, allow_constant=True).n_features
        options = self.get_params(deep=False)
        size, divergence = options.pop("n_features_to_select"), options.pop("divergence")
        if divergence is not None:
            divergence = validation.check_real("divergence", divergence, low=0.0)
        elif size is None:
            raise ParameterError("give n_features_to_select or divergence (how much loss)")
        else:
            size = validation.n_selected(size, n_features, "n_features_to_select")
        self.result_ = eliminate(X, y, sample_weight=sample_weight, **options)
        if divergence is not None:
            size = self.result_.size_by_divergence(divergence)
        self.scores_ = self.result_.scores
        self.ranking_ = self.result_.ranking
        self.support_ = self.ranking_ <= size
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing == "unknown"
        return tags

    def _more_tags(self) -> dict[str, bool]:  # scikit-learn 1.5
        return {"requires_y": True, "allow_nan": self.missing == "unknown"}
