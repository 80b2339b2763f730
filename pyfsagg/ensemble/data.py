"""The data of a finished run, from which all statements on a ranking are derived."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from types import SimpleNamespace
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Floats, Indices, column_blocks, in_range
from pyfsagg._base.fields import Parts, from_parts, plain, to_parts
from pyfsagg.ensemble.core import Matrices
from pyfsagg.ensemble.settings import Ensemble
from pyfsagg.error_control import TargetPermutation
from pyfsagg.ranks import rank_scores
from pyfsagg.stability_measures import feature_stability

P = ParamSpec("P")
R = TypeVar("R")

ROUNDING = 1e-9
MOST_KEPT = 50
"""Answers about a run that are kept: those for its file, its page and its text, several times over."""

_COLUMNS = {
    "rank_q2.5": "rank_lower",
    "rank_median": "rank_median",
    "rank_q97.5": "rank_upper",
    "frequency": "selection_frequency",
    "lower": "frequency_lower",
    "upper": "frequency_upper",
}


@dataclass(frozen=True)
class Copies:
    """Clusters of two or more features that are nearly copies, and how they were found."""

    similarity: str
    min_similarity: float
    clusters: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Checked:
    """What a run computed for its checks (:class:`pyfsagg.Checks`).

    Attributes
    ----------
    own_scores : ndarray (n_features,) or None
        Combined scores of the table itself, each row once, on which confidence sets of ranks are centred if
        resamples repeat rows.
    halves : ndarray (2 n_pairs, n_features) or None
        Combined scores of pairs of disjoint halves of the rows, which the stability between samples compares;
        rows 2j and 2j + 1 are a pair.
    noise_halves : ndarray (2 n_pairs, n_features) or None
        The same with a shuffled target for each pair: the agreement of two samples on noise.
    copies : Copies or None
        Numeric features that are near copies (``|r|`` at least 0.9); None if the run did not look for
        them, as in sparse or wide tables.
    """

    own_scores: Floats | None = None
    halves: Floats | None = None
    noise_halves: Floats | None = None
    copies: Copies | None = None


class Grouped:
    """What has features that may be groups of columns."""

    feature_names: tuple[str, ...]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Columns of each feature group (:class:`pyfsagg.Task`) by name; others are single columns."""
        recorded = self.data.get("groups") or {}
        return {name: tuple(columns) for name, columns in recorded.items()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Ranked(Grouped):
    """What a run left: see :class:`pyfsagg.ensemble.EnsembleResult`, which is this with methods."""

    method: str
    feature_names: tuple[str, ...]
    score_matrices: Matrices
    combined: Floats
    scores: Floats
    ranking: Floats
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]
    permutation: TargetPermutation | None = None
    checked: Checked = field(default_factory=Checked)

    @cached_property
    def _ensemble(self) -> Ensemble:
        """The settings of the run, with the filters by name; a plan without arrays of rows."""
        return Ensemble.of_record(self.parameters, self.score_matrices, self.n_resamples)

    def _reason(self, part: str) -> str:
        """Why the run has no ``"pairs"`` of halves or no ``"shuffles"``, if it says so."""
        return str((self.parameters.get(part) or {}).get("reason", ""))

    @property
    def _rows_stand_alone(self) -> bool:
        """Whether rows have no weights, counts or groups, so a half of a pair has half of the rows."""
        return not any(self.parameters.get(name) for name in ("weighted", "counted", "grouped"))

    @property
    def _n_columns(self) -> int:
        """The number of columns; features may be groups of them."""
        return int(self.data.get("n_columns", self.data["n_features"]))

    @property
    def seed(self) -> int:
        """The seed of the run, also used for draws in its tables."""
        return int(self.parameters.get("seed") or 0)

    @property
    def n_resamples(self) -> int:
        return int(self.combined.shape[0])

    @property
    def n_features(self) -> int:
        return len(self.feature_names)


# How a run is kept, in files and in R alike.

OF_CHECKS = ("own_scores", "halves", "noise_halves")  # arrays of `Checked`


def document_of(data: Ranked) -> dict[str, Any]:
    """What :func:`fields_of` reads in addition to the arrays and the settings."""
    document = {
        "method": data.method,
        "features": list(data.feature_names),
        "copies": plain(data.checked.copies),
    }
    if data.permutation is not None:
        sentences = list(data.permutation.sentences)
        document["permutation"] = {**_to_parts(data.permutation).record, "sentences": sentences}
    return document


def _to_parts(permutation: TargetPermutation) -> Parts:
    return to_parts(permutation, names="permutation_{}", without=("feature_names",))


def arrays_of(data: Ranked) -> dict[str, Floats]:
    """All arrays, by the names under which they are kept."""
    arrays = {
        **{f"filter_{i}": matrix for i, matrix in enumerate(data.score_matrices.values())},
        **{name: getattr(data.checked, name) for name in OF_CHECKS},
        **{name: getattr(data, name) for name in ("combined", "scores", "ranking")},
        **({} if data.permutation is None else _to_parts(data.permutation).arrays),
    }
    return {name: array for name, array in arrays.items() if array is not None}


def fields_of(document: Mapping[str, Any], arrays: Mapping[str, Floats]) -> dict[str, Any]:
    """The fields of :class:`Ranked`, from a document with settings and arrays, wherever they were kept."""
    labels = document["parameters"]["filters"]
    names = document["features"]
    if len(names) != arrays["combined"].shape[1] or len(set(names)) != len(names):
        raise ValueError(
            f"{len(names)} names of features, {len(set(names))} of them different, for "
            f"{arrays['combined'].shape[1]} columns of scores"
        )
    m, p = document["parameters"]["n_resamples"], len(names)
    shapes = {"combined": (m, p), "scores": (p,), "ranking": (p,)}
    shapes |= {f"filter_{i}": (m, p) for i in range(len(labels))}
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype.kind not in "iuf":
            raise ValueError(
                f"the array {name} must contain numbers of shape {shape}, but contains "
                f"{arrays[name].dtype} of shape {arrays[name].shape}"
            )
    copies, permutation = document.get("copies"), document.get("permutation")
    if permutation is not None:
        known = {"feature_names": tuple(names)}
        source = SimpleNamespace(arrays=arrays)
        permutation = from_parts(TargetPermutation, permutation, source, "permutation_{}", known)
    return {
        **{name: document[name] for name in ("method", "parameters", "data", "versions")},
        "feature_names": tuple(names),
        "score_matrices": {label: arrays[f"filter_{i}"] for i, label in enumerate(labels)},
        **{name: arrays[name] for name in ("combined", "scores", "ranking")},
        "permutation": permutation,
        "checked": Checked(
            **{name: arrays.get(name) for name in OF_CHECKS},
            copies=None if copies is None else from_parts(Copies, copies),
        ),
    }


def once(function: Callable[Concatenate[Ranked, P], R]) -> Callable[Concatenate[Ranked, P], R]:
    """Cache the answers of a function of a run: arguments are hashable, and answers not to be changed."""

    @wraps(function)
    def remembering(data: Ranked, *arguments: P.args, **options: P.kwargs) -> R:
        answers: dict[Any, R] = data.__dict__.setdefault("_answers", {})
        key = (function.__qualname__, arguments, *sorted(options.items()))
        if key not in answers:
            answers[key] = function(data, *arguments, **options)
            while len(answers) > MOST_KEPT:
                answers.pop(next(iter(answers)), None)
        return answers[key]

    return cast("Callable[Concatenate[Ranked, P], R]", remembering)


def best_first(data: Ranked) -> Indices:
    """Positions of the features, best first; ties by column order."""
    return np.argsort(data.ranking, kind="stable")


def best_names(data: Ranked, k: int) -> list[str]:
    """The best `k` features, selected or not."""
    return [data.feature_names[j] for j in best_first(data)[:k]]


@once
def resample_ranks(data: Ranked) -> Floats:
    """Ranks of the features in each resample, (n_resamples, n_features)."""
    return rank_scores(data.combined)


@once
def mean_scores(data: Ranked) -> dict[str, Floats]:
    """The mean of each feature over the resamples that saw it, by filter."""
    found = {}
    for label, matrix in data.score_matrices.items():
        blocks = (matrix[:, part] for part in column_blocks(matrix.shape))
        means = [in_range(lambda block: np.nanmean(block, axis=0), block) for block in blocks]
        found[label] = np.concatenate(means)
    return found


@once
def over_resamples(data: Ranked, k: int) -> pd.DataFrame:
    """Where the features rank in the resamples, and how often they are among the best `k`."""
    frame = feature_stability(
        data.combined,
        n_features_to_select=k,
        quantiles=(0.025, 0.975),
        feature_names=data.feature_names,
        input="scores",
    )
    return frame[list(_COLUMNS)].rename(columns=_COLUMNS)


def frequencies(data: Ranked, features: Indices, most: int) -> Floats:
    """Shares of resamples with a feature among their best 1, 2, … `most`, (most, n features)."""
    ranked = resample_ranks(data)
    seen = np.isfinite(ranked).sum(axis=1, keepdims=True)
    ranked = ranked[:, features]
    before = rank_scores(data.combined, "min")[:, features] - 1.0
    tied = 2.0 * (ranked - before) - 1.0  # the mean of the places is the rank
    shares = np.empty((most, len(features)))
    for k in range(1, most + 1):
        size = np.ceil(k * seen / data.n_features - ROUNDING)
        shares[k - 1] = np.nanmean(np.clip((size - before) / tied, 0.0, 1.0), axis=0)
    return shares


def columns_of(data: Grouped, features: tuple[str, ...] | list[str]) -> list[str]:
    """Columns of the table that features represent."""
    return [column for name in features for column in data.groups.get(name, (name,))]
