"""How few features are enough: the fewest within a standard error of the best, and one list of all folds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg.evaluation.comparison import DECIMALS, divisions_of

MEAN = "mean of classifiers"


def fewest_of_folds(
    folds: pd.DataFrame, *, protocol: str, higher_is_better: bool, design: Mapping[str, Any]
) -> dict[str, Any]:
    """The best number of features and the fewest within its standard error.

    `folds` has values by repeat and fold (index) and number of features (columns).  The standard error is
    sd · √(1/n + test rows / training rows) of the best, over the n divisions in which no cell failed (Nadeau
    and Bengio 2003): folds share rows, so that sd/√n is too small.  Missing with fewer than two of them.
    """
    divisions = divisions_of(folds.dropna(axis=1, how="all"), protocol=protocol, **design)
    values = divisions.values.dropna().round(DECIMALS).sort_index(axis=1)
    n = len(values)
    if n < 2:
        names = ("best_n_features", "best", "standard_error", "n_features", "value")
        return {**dict.fromkeys(names, float("nan")), "n": n}
    sizes = values.columns.to_numpy(dtype=np.float64)
    means = values.to_numpy().mean(axis=0).round(DECIMALS)
    gains = means if higher_is_better else -means
    best = int(gains.argmax())  # the fewest of several
    spread = values.to_numpy()[:, best].std(ddof=1)
    error = float(spread * np.sqrt(1.0 / n + divisions.test_train_ratio))
    enough = int((gains >= gains[best] - error).argmax())
    return {
        "best_n_features": float(sizes[best]),
        "best": float(means[best]),
        "standard_error": error,
        "n_features": float(sizes[enough]),
        "value": float(means[enough]),
        "n": n,
    }


def list_of_folds(places: NDArray[np.int32], names: tuple[str, ...], size: int) -> pd.DataFrame:
    """Features by how often they were among the best `size` of a fold, then by their mean place.

    `places` (n_folds, p) are those of the rankings inside the training folds, 1 = best.
    """
    among, mean = (places <= size).mean(axis=0), places.mean(axis=0)
    order = np.lexsort((mean, -among))
    frame = pd.DataFrame(
        {
            "rank": np.arange(1, len(names) + 1),
            "share_of_folds": among[order],
            "mean_place": mean[order],
            "best_place": places.min(axis=0)[order],
            "worst_place": places.max(axis=0)[order],
        },
        index=pd.Index([names[j] for j in order], name="feature"),
    )
    return frame[frame["share_of_folds"] > 0]
