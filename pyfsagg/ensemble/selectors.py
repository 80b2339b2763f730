"""Within- and between-aggregation as scikit-learn feature selectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import RandomState, TableLike, TargetLike
from pyfsagg._base.settings import Task
from pyfsagg._run.execution import Checks, Execution
from pyfsagg._table import frames, selectors, sparse
from pyfsagg.ensemble import data, scoring
from pyfsagg.ensemble.methods import bam, wam
from pyfsagg.ensemble.result import EnsembleResult
from pyfsagg.ensemble.selection import Fixed, choose, parse_rule
from pyfsagg.ensemble.settings import Precision
from pyfsagg.filters._base import FILTERS
from pyfsagg.resampling import Plan
from pyfsagg.resampling.plan import read_plan, with_data


@dataclass(eq=False, repr=False, kw_only=True)
class _AggregationSelector(selectors.TableSelector):
    """Fits an ensemble, keeps the best features."""

    filter_params: Mapping[str, Any] | None = None
    normalize: str = "auto"
    aggregator: str = "arithmetic_mean"
    aggregator_params: Mapping[str, Any] | None = None
    n_features_to_select: float | int | str = 0.25
    max_false: float | None = None
    fdr: float | None = None
    n_resamples: int | str | Precision = 1000
    resampling: str | Plan = "bootstrap"
    task: str | Task = "classification"
    random_state: RandomState = None
    n_jobs: int | None = None
    execution: Execution | None = None

    _method: ClassVar[Callable[..., EnsembleResult]]

    def fit(
        self,
        X: TableLike,
        y: TargetLike = None,
        *,
        sample_weight: ArrayLike | None = None,
        counts: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> _AggregationSelector:
        """Rank the features and choose the best of them.

        Parameters
        ----------
        X : array or data frame of any kind that narwhals knows, of shape (n_samples, n_features)
            Also a SciPy sparse matrix, if all filters read sparse tables.
        y : array of shape (n_samples,), optional
            Class labels; numbers, or times and events, as `task` says; None for filters that need no
            target.
        sample_weight : array of whole numbers, shape (n_samples,), optional
            Weight of each row, which is one unit: it is drawn as one, and a resample counts it by its weight.
            Where targets are shuffled, weights move with them.
        counts : array of whole numbers, shape (n_samples,), optional
            How many equal samples each row stands for: the result is that of the table with each row so
            often.
        groups : array of shape (n_samples,), optional
            Group of each sample, for ``resampling="grouped_bootstrap"`` or ``"complementary_pairs"``.
        """
        X = self._record(X, y)
        options = self.get_params(deep=False)
        n_features = getattr(self, "n_features_in_", 0)  # unknown of what is no table
        number, limits = options.pop("n_features_to_select"), (self.max_false, self.fdr)
        del options["max_false"], options["fdr"]
        # A limit on false selections replaces the number.
        limited = any(limit is not None for limit in limits)
        rule = parse_rule("auto" if limited else number, max_false=limits[0], fdr=limits[1])
        params = scoring.deep_enough(self._filters(), self.filter_params, n_features, number)
        options["filter_params"] = params
        checks = Checks(pairs=0, shuffles=0 if isinstance(rule, Fixed) else "auto")
        plan = read_plan(options.pop("resampling"))
        plan = with_data(plan, sample_weight=sample_weight, counts=counts, groups=groups)
        result = type(self)._method(X, y, resampling=plan, checks=checks, **options)
        self.result_, self.scores_, self.ranking_ = result, result.scores, result.ranking
        choice = choose(result, rule)
        self.support_ = choice.chosen.copy()
        if result.n_features != self.n_features_in_:
            # Of a group all columns, none that was dropped, and those always in.
            frame = frames.open_frame(X)
            names = [f"x{j}" for j in range(self.n_features_in_)] if frame is None else frame.names
            selected = [*data.columns_of(result, choice.names), *result.data.get("always", ())]
            self.support_ = np.isin(np.array(list(map(str, names))), selected)
        return self

    def transform(self, X: TableLike) -> Any:
        """Keep the selected features of `X` (n_samples, n_features), dense or sparse."""
        if sparse.is_sparse(X) and hasattr(X, "format"):
            sparse.check_sparse(X)
        return super().transform(X)

    @abstractmethod
    def _filters(self) -> Sequence[Any]: ...

    def _requires_target(self) -> bool:
        return any(
            "none" not in FILTERS.get(item).targets
            if isinstance(item, str)
            else hasattr(item, "fit")
            for item in self._filters()
        )

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn 1.5
        filters = self._filters()
        specs = [FILTERS.get(item) for item in filters if isinstance(item, str)]
        sparse = len(specs) == len(filters) and all(spec.sparse for spec in specs)
        params = scoring.read_filter_params(filters, self.filter_params)
        # Functions decide for themselves.
        models = [item for item in filters if not isinstance(item, str) and hasattr(item, "fit")]
        of_classes = getattr(self.task, "task", self.task) == "classification"
        return {
            "requires_y": self._requires_target(),
            "allow_nan": all(map(selectors.estimator_accepts_missing, models))
            and all(spec.accepts_missing(params.get(spec.name, {})) for spec in specs),
            "X_types": ["2darray", *(["sparse"] if sparse else [])],
            "binary_only": of_classes and any(spec.two_classes for spec in specs),
        }

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags  # scikit-learn 1.6

        tags, own = super().__sklearn_tags__(), self._more_tags()
        tags.target_tags.required = own["requires_y"]
        tags.input_tags.allow_nan = own["allow_nan"]
        tags.input_tags.sparse = "sparse" in own["X_types"]
        tags.classifier_tags = ClassifierTags(multi_class=not own["binary_only"])
        return tags


@dataclass(eq=False, repr=False)
class WithinAggregationSelector(_AggregationSelector):
    """Select features by the within-aggregation method.

    Parameters
    ----------
    n_features_to_select : float, int or "auto"
        Fraction of the features to keep (rounded up), or their number; ``"auto"``, a proposal of features
        that score above noise (:meth:`pyfsagg.ensemble.EnsembleResult.selection`), which may keep none.
    max_false, fdr : float, optional
        Limits on false selections in place of the number, with ``resampling="complementary_pairs"``
        (:meth:`pyfsagg.ensemble.EnsembleResult.selection`); they may keep no feature at all.
    filter, filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling, task, \
random_state, n_jobs, execution
        As in :func:`pyfsagg.wam`.

    Attributes
    ----------
    scores_ : ndarray (n_ranked,)
        Aggregated scores, larger = more important, of the features of ``result_``: the columns, or groups of
        them (``task=pyfsagg.Task(feature_groups=…)``), without near-constant ones that were omitted.
    ranking_ : ndarray (n_ranked,)
        Ranks, 1 = most important; ties get average ranks.
    support_ : ndarray of bool (n_features,)
        The selected columns, of a selected group all, and those of ``Task(always=…)``; ties are broken by
        column order.
    result_ : EnsembleResult
        The complete result.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = WithinAggregationSelector(
    ...     "su", n_features_to_select=3, n_resamples=50, random_state=0
    ... )
    >>> model = make_pipeline(selector, GaussianNB()).fit(X, y)
    >>> [int(j) for j in model[0].get_support(indices=True)]
    [6, 11, 12]
    """

    filter: Any = "information_gain"

    def _filters(self) -> Sequence[Any]:
        return [self.filter]

    _method = staticmethod(wam)


@dataclass(eq=False, repr=False)
class BetweenAggregationSelector(_AggregationSelector):
    """Select features by the between-aggregation method.

    Parameters
    ----------
    n_features_to_select, max_false, fdr
        As in :class:`WithinAggregationSelector`.
    filters, filter_params, normalize, aggregator, aggregator_params, n_resamples, resampling, task, \
random_state, n_jobs, execution
        As in :func:`pyfsagg.bam`.

    Attributes
    ----------
    scores_, ranking_, support_, result_
        As in :class:`WithinAggregationSelector`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = BetweenAggregationSelector(
    ...     n_features_to_select=0.2, n_resamples=50, random_state=0
    ... )
    >>> list(selector.set_output(transform="pandas").fit_transform(X, y))
    ['flavanoids', 'od280/od315_of_diluted_wines', 'proline']
    """

    filters: Sequence[Any] | str = "auto"

    def _filters(self) -> Sequence[Any]:
        return scoring.likely_filters(self.filters, Task.of_argument(self.task).task)

    _method = staticmethod(bam)
