"""Backward elimination in rank-order space as a scikit-learn feature selector."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from pyfsagg._base.validation import check_real, n_selected
from pyfsagg._run.execution import Execution
from pyfsagg._table.selectors import TableSelector
from pyfsagg._table.table import as_table
from pyfsagg.exceptions import ParameterError
from pyfsagg.rank_order.elimination import eliminate


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
    method_params, ties, missing, tie_break, max_seconds, random_state, n_jobs, execution
        As in :func:`pyfsagg.rank_order.eliminate`.

    Attributes
    ----------
    result_ : Elimination
    scores_ : ndarray (n_features,)
        Places in the removal order, larger = kept longer.
    ranking_ : ndarray (n_features,)
        1 = kept longest.
    support_ : ndarray of bool (n_features,)

    Examples
    --------
    >>> from pyfsagg.rank_order import RankOrderSelector, make_planted_orders
    >>> data = make_planted_orders(3, 10, n_extraneous=4, random_state=1)
    >>> selector = RankOrderSelector("spoilers", n_features_to_select=3).fit(data.X, data.y)
    >>> sorted(selector.get_feature_names_out().tolist())
    ['planted_1', 'planted_2', 'planted_3']
    """

    def __init__(
        self,
        method: str = "cdv",
        *,
        n_features_to_select: float | int | None = 0.25,
        divergence: float | None = None,
        method_params: Mapping[str, Any] | None = None,
        ties: str = "average",
        missing: str = "error",
        tie_break: str = "first",
        max_seconds: float | None = 3600.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        execution: Execution | None = None,
    ) -> None:
        self.method = method
        self.n_features_to_select = n_features_to_select
        self.divergence = divergence
        self.method_params = method_params
        self.ties = ties
        self.missing = missing
        self.tie_break = tie_break
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.execution = execution

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> RankOrderSelector:
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
        threshold = self._threshold(as_table(X, allow_constant=True).n_features)
        options = self.get_params(deep=False)
        for name in ("n_features_to_select", "divergence"):
            options.pop(name)
        self.result_ = eliminate(X, y, sample_weight=sample_weight, **options)
        by_number = isinstance(threshold, int)
        size = threshold if by_number else self.result_.size_by_divergence(threshold)
        self.scores_ = self.result_.scores
        self.ranking_ = self.result_.ranking
        self.support_ = self.ranking_ <= size
        return self

    def _threshold(self, n_features: int) -> int | float:
        """The number of features asked for, or, a float, the divergence that decides."""
        if self.divergence is not None:
            return check_real("divergence", self.divergence, low=0.0)
        if self.n_features_to_select is None:
            raise ParameterError("give n_features_to_select or divergence (how much loss)")
        return n_selected(self.n_features_to_select, n_features, "n_features_to_select")

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = self.missing == "unknown"
        return tags

    def _more_tags(self) -> dict[str, bool]:  # scikit-learn 1.5
        return {"requires_y": True, "allow_nan": self.missing == "unknown"}
