"""What an elimination leaves behind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from markupsafe import Markup
from numpy.typing import NDArray

from pyfsagg._base.fields import stored
from pyfsagg._base.validation import check_choice, check_integer, check_real, n_selected
from pyfsagg._base.words import count, enumerate_names, number, plural
from pyfsagg._message import Message, Param, Use
from pyfsagg._report.page import Block, Text
from pyfsagg._run.result import Result
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import DataError

UNITS = {"nats": 1.0, "bits": 1.0 / np.log(2.0)}


@dataclass(frozen=True, eq=False, repr=False)
class Elimination(Result):
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
    removal_order: NDArray[np.intp]
    criterion: NDArray[np.float64]
    divergence: NDArray[np.float64]
    accuracy: NDArray[np.float64] | None
    parameters: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=versions)
    baseline: pd.DataFrame | None = field(default=None, metadata=stored(index="size"))

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    @property
    def scores(self) -> NDArray[np.float64]:
        """Place in the removal order (n_features,): 1 = removed first; larger = more important."""
        scores = np.empty(self.n_features)
        scores[self.removal_order] = np.arange(1, self.n_features + 1)
        return scores

    @property
    def ranking(self) -> NDArray[np.float64]:
        """Ranks (n_features,): 1 = removed last."""
        return self.n_features + 1 - self.scores

    def select(self, n_features_to_select: int) -> list[str]:
        """Names of the `n_features_to_select` features removed last, the very last first."""
        n_features_to_select = check_integer(
            Message(Param("n"), " (features to select)"),
            n_features_to_select,
            low=1,
            high=self.n_features,
        )
        return [self.feature_names[j] for j in self.removal_order[::-1][:n_features_to_select]]

    def select_by_divergence(self, threshold: float, unit: str = "nats") -> list[str]:
        """Names of the smallest subset of the path whose divergence is at most `threshold`.

        Parameters
        ----------
        threshold : float
            At least 0.
        unit : {"nats", "bits"}
        """
        return self.select(self.size_by_divergence(threshold, unit))

    def size_by_divergence(self, threshold: float, unit: str = "nats") -> int:
        """Size of the smallest subset of the path whose divergence is at most `threshold`."""
        check_choice("unit", unit, UNITS)
        limit = check_real("threshold", threshold, low=0.0) / UNITS[unit]
        return int(self.n_features - np.flatnonzero(self.divergence <= limit)[-1])

    def best_size(self) -> int:
        """Size of the smallest subset with the best accuracy on the path.

        Raises
        ------
        DataError
            If the elimination was run without accuracy.
        """
        if self.accuracy is None:
            raise DataError(
                "this elimination has no accuracy; call eliminate(…, ", Use(accuracy=True), ")"
            )
        best = np.nanmax(self.accuracy)
        return int(self.n_features - np.flatnonzero(self.accuracy == best)[-1])

    def to_frame(self, unit: str = "nats") -> pd.DataFrame:
        """One row per feature in the order of removal.

        Columns: ``feature``; its ``rank`` (1 = kept longest); ``criterion`` at its removal; ``size``
        of the subset from which it was removed, and the ``divergence`` (in `unit`) and
        ``accuracy`` of that subset.
        """
        check_choice("unit", unit, UNITS)
        p = self.n_features
        return pd.DataFrame(
            {
                "feature": [self.feature_names[j] for j in self.removal_order],
                "rank": np.arange(p, 0, -1),
                "criterion": self.criterion,
                "size": np.arange(p, 0, -1),
                "divergence": self.divergence * UNITS[unit],
                "accuracy": np.full(p, np.nan) if self.accuracy is None else self.accuracy,
            },
            index=pd.RangeIndex(p, name="removed_before"),
        )

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        baseline = {} if self.baseline is None else {"baseline.csv": self.baseline}
        return {"removal.csv": self.to_frame(), **baseline}

    def _size(self, view: Mapping[str, Any]) -> int:
        """How many features are selected."""
        return n_selected(view["n_features_to_select"], self.n_features, "n_features_to_select")

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f"selected = result.select({self._size(view)})"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        size = self._size(view)
        left = self.n_features - size
        accuracy = ""
        if self.accuracy is not None and not np.isnan(self.accuracy[left]):
            share = f"{self.accuracy[left]:.1%}"
            accuracy = f" Naive Bayes on their orders is right in {share} (cross-validated)."
        return [
            Text(
                Markup("<b>The last {} kept:</b> {}.").format(
                    count(size), enumerate_names(self.select(size), most=20)
                )
            ),
            Text(
                f"Each sample was read as an order of its features, and {self.method.replace('_', '-')} "
                f"removed {count(left)} of {plural(self.n_features, 'feature')} one by one. The orders of "
                f"those left lose {number(float(self.divergence[left]), 4)} nats about the class against "
                f"those of all features; nothing is lost down to "
                f"{plural(self.size_by_divergence(0.0), 'feature')}.{accuracy}"
            ),
        ]

    def __repr__(self) -> str:
        kept = self.size_by_divergence(0.0)
        shown = ", ".join(self.select(min(3, self.n_features)))
        return (
            f"Elimination({self.method}: {self.n_features} features, zero divergence down to {kept}; "
            f"kept longest: {shown})"
        )
