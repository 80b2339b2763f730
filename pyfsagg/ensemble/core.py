"""From the scores of the filters to one score per feature: the way that every ensemble takes."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pyfsagg._base import remarks, validation
from pyfsagg._base.arithmetic import Floats, column_blocks, row_blocks
from pyfsagg._message import Got, Param, Remedy, Use
from pyfsagg.aggregation._base import AGGREGATORS, AggregatedValues, AggregatorSpec
from pyfsagg.exceptions import OutputError, ParameterError
from pyfsagg.ranks import Rankings

AGAINST_NOISE = "against_noise"
NORMALIZATIONS = {
    "wam": ("auto", "none", AGAINST_NOISE),
    "bam": ("auto", "per_resample", "per_feature", AGAINST_NOISE),
}
"""How the scores of unlike columns, and of several filters, are made comparable."""

Names = tuple[str, ...]
Matrices = Mapping[str, Floats]
"""Score matrices (n_resamples, n_features) by filter, larger = more important."""


class MatrixStore:
    """Score matrices in memory, or mapped from unnamed files of a folder, which vanish with them."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        if folder is not None and not Path(folder).is_dir():
            raise ParameterError(Param("scratch"), " must be an existing folder", Got(str(folder)))
        self._folder = folder
        self.on_disk = folder is not None
        self._maps: list[mmap.mmap] = []

    def matrix(self, shape: tuple[int, int]) -> Floats:
        """A new matrix, its cells not set."""
        if self._folder is None:
            return np.empty(shape)
        size = shape[0] * shape[1] * 8
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                # Claimed now: a full disk would end the process later.
                if hasattr(os, "posix_fallocate"):
                    os.posix_fallocate(file.fileno(), 0, size)
                else:
                    chunk = bytes(2**20)
                    for start in range(0, size, len(chunk)):
                        os.write(file.fileno(), chunk[: size - start])
                mapped = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise OutputError(
                Use(scratch=str(self._folder)),
                f" cannot take a score matrix of {size / 1000000.0:,.0f} MB: {error.strerror}",
                Remedy("name a folder with more room"),
            ) from None
        self._maps.append(mapped)
        return np.frombuffer(mapped, dtype=np.float64).reshape(shape)

    def columns(self, matrix: Floats, columns: slice) -> Floats:
        """A copy of some columns; of a mapped matrix only a part is in memory meanwhile."""
        part = np.empty((matrix.shape[0], columns.stop - columns.start))
        for rows in row_blocks(matrix.shape):
            part[rows] = matrix[rows, columns]
            self.release()
        return part

    def release(self) -> None:
        """Release the memory of pages read and written; the files keep the contents."""
        if hasattr(mmap, "MADV_DONTNEED"):
            for mapped in self._maps:
                mapped.madvise(mmap.MADV_DONTNEED)


@dataclass(frozen=True, eq=False)
class Recipe:
    """How score matrices become one score per feature: `normalize` of several filters, an aggregator."""

    aggregator: str
    options: Mapping[str, Any]
    normalize: str

    @classmethod
    def of(
        cls,
        aggregator: str,
        options: Mapping[str, Any] | None = None,
        normalize: str = "per_resample",
    ) -> Recipe:
        """The recipe of a user's arguments, which are checked here but for `normalize`."""
        spec = AGGREGATORS.get(aggregator)
        recipe = cls(spec.name, validation.check_mapping("aggregator_params", options), normalize)
        _ = recipe.compute  # refuses options that the aggregator does not have
        return recipe

    @cached_property
    def spec(self) -> AggregatorSpec:
        return AGGREGATORS.get(self.aggregator)

    @cached_property
    def compute(self) -> Callable[[Rankings], AggregatedValues]:
        """The aggregator with its options."""
        return self.spec.bind(**self.options)

    def __reduce__(self) -> tuple[Any, ...]:
        # The bound aggregator is a closure, which does not travel to worker processes.
        return type(self), (self.aggregator, self.options, self.normalize)

    def combine(self, matrices: Matrices, names: Names, store: MatrixStore | None = None) -> Floats:
        """The matrix of a single filter, or that of several filters combined within each resample."""
        if len(matrices) == 1:
            return next(iter(matrices.values()))
        store = store or MatrixStore()
        parts = list(matrices.values())
        if self.normalize == "per_feature":  # needs all resamples at once
            parts = [normalize_scores(matrix, self.normalize) for matrix in parts]
        combined = store.matrix((parts[0].shape[0], parts[0].shape[1]))
        labels = np.array(names)
        for rows in row_blocks(combined.shape):
            block = [matrix[rows] for matrix in parts]
            if self.normalize != "per_feature":
                block = [normalize_scores(scores, "per_resample") for scores in block]
            for r, target in enumerate(combined[rows]):
                lists = np.stack([scores[r] for scores in block])
                # A resample shows all filters the same features.
                seen = ~np.isnan(lists).any(axis=0)
                seen_names = names if seen.all() else tuple(labels[seen])
                target[:] = np.nan
                target[seen] = self.compute(as_lists(lists[:, seen], seen_names)).scores
            store.release()
        return combined

    def aggregate(
        self,
        combined: Floats,
        names: Names,
        store: MatrixStore | None = None,
        *,
        in_parts: bool = False,
    ) -> Floats:
        """One score per feature; `in_parts` takes some columns at a time, if the aggregator allows it."""
        if not in_parts or not self.spec.by_item(self.options):
            return self.compute(as_lists(combined, names)).scores
        store = store or MatrixStore()
        scores = np.empty(len(names))
        for columns in column_blocks(combined.shape):
            part = store.columns(combined, columns)
            scores[columns] = self.compute(as_lists(part, names[columns])).scores
        return scores

    def scores(self, matrices: Matrices, names: Names) -> Floats:
        """One score per feature out of the matrices of all filters."""
        return self.aggregate(self.combine(matrices, names), names)

    @property
    def is_mean(self) -> bool:
        """Whether scores are averaged, for which there are quicker ways."""
        return self.aggregator == "arithmetic_mean"

    def again(self, combined: Floats, names: Names) -> Floats:
        """Scores of other rows of a matrix that was aggregated before, without the warnings of then."""
        if self.is_mean and not np.isnan(combined).any():
            return np.asarray(combined.mean(axis=0))
        with remarks.collect_warnings():
            return self.aggregate(combined, names)


def normalize_scores(scores: Floats, normalize: str) -> Floats:
    """Scores (n_resamples, n_features) scaled to 0..1 per row or column; constant ones become 0."""
    axis = 1 if normalize == "per_resample" else 0
    low = np.nanmin(scores, axis=axis, keepdims=True)
    span = np.nanmax(scores, axis=axis, keepdims=True) - low
    normalized: Floats = (scores - low) / np.where(span > 0.0, span, 1.0)
    return normalized


def as_lists(scores: Floats, names: Names) -> Rankings:
    """Rows of scores as lists to be aggregated; features that a resample did not see are unknown."""
    if any(np.isnan(scores[rows]).any() for rows in row_blocks(scores.shape)):
        return Rankings.from_scores(scores, names=names)
    return Rankings._from_checked_scores(scores, names)
