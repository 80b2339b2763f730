"""The errors that pyfsagg raises on purpose.

Every one of them derives from :class:`PyfsaggError`, so a caller can tell "my input was
refused" from a defect, and from the built-in class that Python users expect.  A message names the
parameter or the column, the value that was met, what is allowed, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pyfsagg._message import Door, Got, Message, Param, Remedy

__all__ = [
    "DataError",
    "InputTypeError",
    "MissingDependencyError",
    "OutputError",
    "ParameterError",
    "PyfsaggError",
    "PyfsaggWarning",
    "UnknownNameError",
    "WorkerError",
]


class _Spelled(Exception):  # noqa: N818 (warnings are such, too)
    """An error or warning whose message each door (Python, terminal, R) can spell."""

    def __init__(self, *parts: object) -> None:
        super().__init__(Message(*parts))

    @property
    def message(self) -> Message:
        """The sentence with its parts."""
        return Message(*self.args)

    def render(self, door: Door) -> str:
        """The sentence as another door spells it."""
        return self.message.render(door)


class PyfsaggError(_Spelled):
    """Base class of all errors raised by pyfsagg.

    Attributes
    ----------
    parameter : str or None
        The parameter that the message names first.
    got : object
        The value that was met, or the text of its ``repr`` if it is not a plain value; None if the message
        names none.
    remedy : str or None
        What to do.
    """

    @property
    def parameter(self) -> str | None:
        return getattr(self.message.first(Param), "name", None)

    @property
    def got(self) -> Any:
        return getattr(self.message.first(Got), "value", None)

    @property
    def remedy(self) -> str | None:
        return getattr(self.message.first(Remedy), "text", None)


class ParameterError(PyfsaggError, ValueError):
    """A parameter has a value that is not allowed."""


class InputTypeError(PyfsaggError, TypeError):
    """An argument has a type that is not supported."""


class DataError(PyfsaggError, ValueError):
    """The data do not allow the requested computation."""


class OutputError(PyfsaggError, OSError):
    """A result cannot be written, or a saved result cannot be read."""


class MissingDependencyError(PyfsaggError, ImportError):
    """An optional program or package is needed and is not installed."""


class WorkerError(PyfsaggError, RuntimeError):
    """A worker process died, or the cluster is gone, before the work was done."""


class PyfsaggWarning(_Spelled, UserWarning):
    """A result is well defined but deserves a second look."""


_MEANT = {
    "anova_f": ("anova", "f_classif", "f_test", "aov", "f_score"),
    "welch_t": ("t_test", "ttest", "t", "student", "ttest_ind", "limma"),
    "kruskal_wallis": ("kruskal", "h_test"),
    "wilcoxon": ("mann_whitney", "mannwhitney", "ranksum", "rank_sum", "u_test"),
    "information_gain": (
        "mutual_info",
        "mutual_information",
        "mutual_info_classif",
        "mi",
        "entropy",
    ),
    "chi_squared": ("chi2", "chisq", "chi_square"),
    "f_statistic": ("f_regression",),
    "pearson": ("correlation", "r_regression", "cor"),
}
"""Filters, and what they are called elsewhere."""

_MODELS = (
    *("boruta", "rfe", "lasso", "elastic_net", "random_forest", "rf", "forest", "xgboost"),
    *("relief", "logistic_regression", "svm", "shap", "glmnet"),
)


class UnknownNameError(ParameterError):
    """A filter, aggregator, measure, data set or column of that name does not exist."""

    def __init__(
        self,
        kind: str,
        name: object,
        known: Iterable[str],
        aliases: Iterable[str] = (),
        meant: str | None = None,
    ) -> None:
        known, aliases = list(known), list(aliases)
        close = difflib.get_close_matches(str(name).lower(), [*known, *aliases], n=1, cutoff=0.5)
        key = str(name).strip().lower().replace("-", "_").replace(" ", "_")
        of_filters = _MEANT.items() if kind == "filter" else ()
        ours = [own for own, theirs in of_filters if key in theirs and own in known]
        near = next(filter(None, (*ours, meant, *close)), None)
        hint = f"; did you mean {near!r}?" if near else "."
        if kind == "filter" and not ours and key in _MODELS:
            hint = (
                "; no filter is a model: wam takes a scikit-learn estimator in its place, and a committee "
                "lets models vote."
            )
        listed = ", ".join(known[:30]) + (", …" if len(known) > 30 else "")
        super().__init__("unknown ", kind, f" {name!r}{hint} Known: {listed}.")
        self._arguments = (kind, name, tuple(known), tuple(aliases), meant)

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[object, ...]]:
        return type(self), self._arguments
