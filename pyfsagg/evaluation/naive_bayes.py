"""Naive Bayes for tables that have numbers and categories side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import CategoricalNB, GaussianNB

__all__ = ["MixedNaiveBayes"]


class MixedNaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Normal densities for numbers, relative frequencies (plus one) for categories.

    Given the class all features are independent, so that the evidence of both kinds adds up:
    ln p(y | x) = ln p(y | numbers) + ln p(y | categories) − ln p(y) + constant.

    Parameters
    ----------
    n_levels : tuple of int
        Number of levels of each of the last ``len(n_levels)`` columns, which hold level codes 0, 1,
        …; a missing code (NaN) is a level of its own.  The columns before them are numbers.

    Examples
    --------
    >>> X = np.array([[0.1, 0], [0.3, 0], [0.2, 1], [0.9, 1], [1.1, 1], [1.0, 0]])
    >>> y = np.array([0, 0, 0, 1, 1, 1])
    >>> MixedNaiveBayes(n_levels=(2,)).fit(X, y).predict([[0.2, 0.0], [1.0, 1.0]])
    array([0, 1])
    """

    def __init__(self, n_levels: tuple[int, ...] = ()) -> None:
        self.n_levels = n_levels

    def fit(self, X: Any, y: Any) -> MixedNaiveBayes:
        """Estimate densities and frequencies from the rows of `X` (n_samples, n_features)."""
        numbers, codes = self._split(X)
        sizes = np.array(self.n_levels, dtype=np.int64) + 1
        self._categories = CategoricalNB(min_categories=sizes).fit(codes, y)
        self._numbers = GaussianNB().fit(numbers, y) if numbers.shape[1] else None
        self.classes_ = self._categories.classes_
        return self

    def _split(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        values = np.asarray(X, dtype=np.float64)
        first = values.shape[1] - len(self.n_levels)
        codes = values[:, first:]
        codes = np.where(np.isnan(codes), np.array(self.n_levels, dtype=np.float64), codes)
        return values[:, :first], codes.astype(np.int64)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities of the classes (n_samples, n_classes)."""
        numbers, codes = self._split(X)
        total = self._categories.predict_log_proba(codes)
        if self._numbers is not None:
            total = (
                total
                + self._numbers.predict_log_proba(numbers)
                - np.log(self._numbers.class_prior_)
            )
        return np.asarray(total - logsumexp(total, axis=1, keepdims=True), dtype=np.float64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes (n_samples, n_classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        return np.asarray(self.classes_[self.predict_log_proba(X).argmax(axis=1)])
