"""The data on which both sides compute: tables with resamples, lists, selections, repeated measures."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg.datasets import load_dataset
from pyfsagg.ensemble import wam
from pyfsagg.exceptions import ParameterError
from pyfsagg.extending import as_table, check_integer, check_target, data_hash
from pyfsagg.ranks import rank_scores
from pyfsagg.ranks.ranking import select_top
from pyfsagg.resampling import Rows
from pyfsagg_papers.published import load_published
from pyfsagg_papers.records import Floats


@dataclass(frozen=True, eq=False)
class Resampled:
    """A table with the row numbers of its resamples, the same for both sides.

    Attributes
    ----------
    name : str
    X : DataFrame (n_samples, n_features)
    y : Series (n_samples,)
    rows : ndarray of int (m, n)
        Row numbers from 0, ascending within a resample: R then meets equal values in the order in
        which pyfsagg takes them.
    """

    name: str
    X: pd.DataFrame
    y: pd.Series[Any]
    rows: NDArray[np.intp]

    def resamples(self) -> Iterator[tuple[str, pd.DataFrame, pd.Series[Any], NDArray[np.intp]]]:
        """Label, features, classes and row numbers: the table itself, then each resample."""
        everything = np.arange(len(self.X), dtype=np.intp)
        yield self.name, self.X, self.y, everything
        for number, rows in enumerate(self.rows, start=1):
            label = f"{self.name}, resample {number}"
            X = self.X.iloc[rows].reset_index(drop=True)
            yield label, X, self.y.iloc[rows].reset_index(drop=True), rows

    def untied(self) -> Resampled:
        """The table with its numbers replaced by their ranks, equal values in order of the rows."""
        numbers = set(self.X.select_dtypes("number"))
        columns = {
            name: rank_scores(column, "ordinal", higher_is_better=False)
            if name in numbers
            else column.array
            for name, column in self.X.items()
        }
        return replace(self, name=f"ranks of {self.name}", X=pd.DataFrame(columns))

    def with_logicals_as_integers(self) -> Resampled:
        """The table with 0 and 1 for False and True."""
        logical = [name for name in self.X if self.X[name].dtype.kind == "b"]
        return replace(self, X=self.X.astype(dict.fromkeys(logical, "int64")))

    def with_text_as_factors(self) -> Resampled:
        """The table with categorical columns in place of text."""
        text = [name for name in self.X if pd.api.types.is_string_dtype(self.X[name].dtype)]
        return replace(self, X=self.X.astype(dict.fromkeys(text, "category")))

    def scores(self, filter: str, **params: Any) -> Floats:
        """Scores (m + 1, n_features) by pyfsagg, on the table itself and then on each resample."""
        everything = np.arange(len(self.X), dtype=np.intp)[np.newaxis]
        # The table itself need not have the size of a resample.
        parts = [
            wam(self.X, self.y, filter=filter, filter_params=params or None, resampling=Rows(rows))
            for rows in (everything, self.rows)
        ]
        return np.vstack([next(iter(part.score_matrices.values())) for part in parts])

    @cached_property
    def gains(self) -> Floats:
        """Information gain (m, n_features) in the resamples: what is ranked and selected from."""
        return self.scores("information_gain")[1:]

    @cached_property
    def selections(self) -> NDArray[np.bool_]:
        """The best quarter of the features in each resample (m, n_features)."""
        return select_top(self.gains, max(1, self.X.shape[1] // 4))

    def lists(self, n_lists: int) -> list[list[str]]:
        """Names of the best quarter by resample, best first."""
        size = max(1, self.X.shape[1] // 4)
        orders = np.argsort(-self.gains[:n_lists], axis=1, kind="stable")[:, :size]
        return [[str(self.X.columns[j]) for j in order] for order in orders]


@dataclass(frozen=True, eq=False)
class Material:
    """Everything that the comparisons compute on.

    Attributes
    ----------
    tables : tuple of Resampled
    blocks : dict of str to ndarray (n_subjects, n_conditions)
        Repeated measures for the statistical tests.
    seed : int
    """

    tables: tuple[Resampled, ...]
    blocks: dict[str, Floats]
    seed: int

    def generator(self, label: str) -> np.random.Generator:
        """Random numbers that depend on the seed and on `label` only."""
        return np.random.default_rng([self.seed, zlib.crc32(label.encode())])

    def pairs(self) -> Iterator[tuple[str, Floats, Floats]]:
        """Pairs of samples from the blocks: their first and last condition."""
        for label, values in self.blocks.items():
            yield label, values[:, 0], values[:, -1]

    def record(self) -> dict[str, Any]:
        """What the data were, for the record of the run."""
        return {
            table.name: {
                "n_samples": len(table.X),
                "n_features": table.X.shape[1],
                "n_resamples": len(table.rows),
                "sha256": data_hash(as_table(table.X), check_target(table.y, len(table.X))),
            }
            for table in self.tables
        }


def embedded_material(n_resamples: int = 20, seed: int = 0) -> Material:
    """Ionosphere, wine, and Ionosphere with all types, with ranges that end at 0, in whole numbers."""
    ionosphere, wine = load_dataset("ionosphere"), load_dataset("wine")
    tables = [
        ("ionosphere", ionosphere.X, ionosphere.y),
        ("wine", wine.X, wine.y),
        ("mixed types", _mixed_types(ionosphere.X), ionosphere.y),
        ("ranges that end at 0", _ends_at_zero(ionosphere.X), ionosphere.y),
        ("whole numbers", _whole_numbers(ionosphere.X), ionosphere.y),
    ]
    return _material(tables, None, _published_blocks(seed), n_resamples, seed)


def _ends_at_zero(X: pd.DataFrame) -> pd.DataFrame:
    """Distances from the smallest and to the largest value of some columns, in turn."""
    chosen = X.iloc[:, 2:14].astype(float)
    return pd.DataFrame(
        {
            name: column - (column.min() if j % 2 else column.max())
            for j, (name, column) in enumerate(chosen.items())
        }
    )


def _whole_numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Columns of three to thirteen different whole numbers: nearly every value is tied."""
    chosen = X.iloc[:, 2:14].astype(float)
    return pd.DataFrame(
        {
            name: (column * (1 + j % 6)).round().astype(int)
            for j, (name, column) in enumerate(chosen.items())
        }
    )


def given_material(
    X: pd.DataFrame,
    y: pd.Series[Any],
    *,
    name: str = "table",
    row_indices: ArrayLike | None = None,
    n_resamples: int = 20,
    seed: int = 0,
) -> Material:
    """A table of one's own, for the comparisons of filters, rankings and selections.

    The statistical tests compare the scores of its best features over the resamples.
    """
    as_table(X)
    check_target(y, len(X))
    found = _material([(name, X, y)], row_indices, {}, n_resamples, seed)
    gains = found.tables[0].gains
    best = np.argsort(-gains.mean(axis=0), kind="stable")[: min(5, gains.shape[1])]
    blocks = {f"{name}, scores of the best features": gains[:, best]}
    return Material(found.tables, blocks, seed)


def _material(
    tables: list[tuple[str, pd.DataFrame, pd.Series[Any]]],
    row_indices: ArrayLike | None,
    blocks: dict[str, Floats],
    n_resamples: int,
    seed: int,
) -> Material:
    resampled = []
    for name, X, y in tables:
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        if row_indices is None:
            m = check_integer("n_resamples", n_resamples, low=3)
            rows = rng.integers(0, len(X), (m, len(X)))
        else:
            rows = np.asarray(row_indices)
            if rows.ndim != 2 or len(rows) < 3:
                raise ParameterError(
                    f"row_indices must have one row of row numbers for each of at least 3 resamples, "
                    f"got shape {rows.shape}"
                )
        resampled.append(Resampled(name, X, y, np.sort(rows, axis=1).astype(np.intp)))
    return Material(tuple(resampled), blocks, seed)


def _mixed_types(X: pd.DataFrame) -> pd.DataFrame:
    """Numbers, integers, logicals, text, a factor with an unused level, and missing values."""
    frame = X.iloc[:, 2:10].copy()
    frame["whole"] = (X["V5"] * 3).round().astype(int)
    frame["yes"] = X["V3"] > 0.5
    frame["word"] = np.where(X["V7"] > 0.2, "high", "low")
    frame["factor"] = pd.Categorical(
        np.where(X["V9"] > 0, "p", "q"), categories=["q", "unused", "p"]
    )
    frame.loc[::7, "V3"] = np.nan
    frame.loc[::11, "V8"] = np.nan
    return frame


def _published_blocks(seed: int) -> dict[str, Floats]:
    """Accuracies of the thesis, and tables that are correlated, of unequal spread, small, rounded."""
    blocks = {
        f"thesis 4.3, {str(name).replace('_', ' ')}": part.iloc[:, 2:].to_numpy(dtype=np.float64)
        for name, part in load_published("4.3").groupby("classifier")
    }
    rng = np.random.default_rng([seed, 20])
    for n, k in ((6, 4), (12, 4), (30, 6)):
        values = rng.normal(size=(n, 1)) * 3 + rng.normal(size=(n, k)) @ rng.normal(size=(k, k))
        blocks[f"correlated, {n} by {k}"] = values
        blocks[f"rounded, {n} by {k}"] = np.round(values * np.arange(1, k + 1))
    return blocks
