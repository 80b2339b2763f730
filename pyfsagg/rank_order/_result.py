"""What an elimination leaves behind."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import check_choice, check_integer, check_real
from pyfsagg.exceptions import DataError, OutputError

__all__ = ["Elimination"]

SCHEMA = 1
UNITS = {"nats": 1.0, "bits": 1.0 / np.log(2.0)}


@dataclass(frozen=True, eq=False, repr=False)
class Elimination:
    """A removal order, and what each removal costs.

    Attributes
    ----------
    method : str
    feature_names : tuple of str
        The p features, in the order of the table.
    removal_order : ndarray of int (n_features,)
        Positions of the features, the one removed first in front; the last entry is the feature
        that is never removed.
    criterion : ndarray (n_features,)
        What the method weighed at each removal: spoiler count, change of the centre distances, Δ,
        or Δ of the blanket; NaN for the last feature.
    divergence : ndarray (n_features,)
        Δ in nats of the features left after 0, 1, …, p − 1 removals.
    accuracy : ndarray (n_features,) or None
        Cross-validated accuracy of naive Bayes on the boolean-order features of the same subsets;
        NaN for sizes that were not asked for.
    parameters : dict
        How ties were treated, and whatever else repeats the run.
    """

    method: str
    feature_names: tuple[str, ...]
    removal_order: NDArray[np.intp]
    criterion: NDArray[np.float64]
    divergence: NDArray[np.float64]
    accuracy: NDArray[np.float64] | None
    parameters: Mapping[str, Any]

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

    def select(self, n: int) -> list[str]:
        """Names of the `n` features removed last, the very last first.

        Raises
        ------
        ParameterError
            If `n` is not from 1 to the number of features.
        """
        n = check_integer("n (features to select)", n, low=1, high=self.n_features)
        return [self.feature_names[j] for j in self.removal_order[::-1][:n]]

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
            raise DataError("this elimination has no accuracy; call eliminate(…, accuracy=True)")
        best = np.nanmax(self.accuracy)
        return int(self.n_features - np.flatnonzero(self.accuracy == best)[-1])

    def to_frame(self, unit: str = "nats") -> pd.DataFrame:
        """One row per feature in the order of removal.

        Columns: ``feature``; its ``rank`` (1 = kept longest); ``criterion`` at its removal; ``size``
        of the subset in which it was the next to go, and the ``divergence`` (in `unit`) and
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

    def plot(self, **options: Any) -> Any:
        """Draw divergence and accuracy along the path; returns Matplotlib axes."""
        from pyfsagg.rank_order._plot import plot_elimination

        return plot_elimination(self, **options)

    def to_json(self) -> str:
        """The result as JSON text; :meth:`from_json` reads it."""
        document = {
            "schema": SCHEMA,
            "kind": "elimination",
            "method": self.method,
            "parameters": dict(self.parameters),
            "features": list(self.feature_names),
            "removal_order": self.removal_order.tolist(),
            "criterion": _without_nan(self.criterion),
            "divergence": self.divergence.tolist(),
            "accuracy": None if self.accuracy is None else _without_nan(self.accuracy),
        }
        return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write :meth:`to_json` to a file; :meth:`load` reads it.

        Raises
        ------
        OutputError
            If the file exists, or cannot be written.
        """
        try:
            with Path(path).open("x", encoding="utf-8") as file:
                file.write(self.to_json())
        except FileExistsError:
            raise OutputError(f"{path} exists; name a new file") from None
        except OSError as error:
            raise OutputError(f"cannot write {path}: {error.strerror or error}") from None
        return Path(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Elimination:
        """Read what :meth:`save` wrote.

        Raises
        ------
        OutputError
            If the file cannot be read, or holds something else.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OutputError(f"cannot read {path}: {error}") from None
        return cls.from_json(text)

    @classmethod
    def from_json(cls, text: str) -> Elimination:
        """Read what :meth:`to_json` wrote.

        Raises
        ------
        OutputError
            If the text is something else, damaged, or of another schema.
        """
        try:
            document = json.loads(text)
            if document["kind"] != "elimination" or document["schema"] != SCHEMA:
                raise OutputError(
                    f"expected an 'elimination' of schema {SCHEMA}, got a {document['kind']!r} of "
                    f"schema {document['schema']!r}"
                )
            accuracy = document["accuracy"]
            return cls(
                method=document["method"],
                feature_names=tuple(document["features"]),
                removal_order=np.array(document["removal_order"], dtype=np.intp),
                criterion=np.array(document["criterion"], dtype=np.float64),
                divergence=np.array(document["divergence"], dtype=np.float64),
                accuracy=None if accuracy is None else np.array(accuracy, dtype=np.float64),
                parameters=document["parameters"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise OutputError(f"the saved elimination is damaged: {error!r}") from None

    def __repr__(self) -> str:
        kept = self.size_by_divergence(0.0)
        shown = ", ".join(self.select(min(3, self.n_features)))
        return (
            f"Elimination({self.method}: {self.n_features} features, zero divergence down to {kept}; "
            f"kept longest: {shown})"
        )


def _without_nan(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
