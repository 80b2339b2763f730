"""Votes over selections that exist already."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.registry import Call
from pyfsagg._base.validation import as_array, check_list, check_writable_names
from pyfsagg._message import NAN, Got, Param, named
from pyfsagg._table.frames import pandas_frame
from pyfsagg.committees.result import Committee, Weights
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.stability_measures._input import SelectedSets, read_collection


def vote(
    selections: Any,
    rule: str = "approval",
    *,
    voter_weights: Weights = None,
    performance: ArrayLike | None = None,
    learners: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
    size: int | None = None,
) -> Committee:
    """Features in the order of a vote over selections.

    Parameters
    ----------
    selections : list of m lists, or boolean or 0/1 matrix of shape (m, p)
        The selection of each voter: names or zero-based positions of features, or a row of the matrix,
        whose columns are the features.  An empty selection is allowed and counts nothing.
    rule : str
        Name or alias of a voting rule: see ``pyfsagg.list_methods("voting_rules")``.
    voter_weights : None, "performance" or m numbers
        What each voter counts: 1; its performance (0 if that is negative or missing); or numbers that
        are not negative.  A voter of weight 2 counts as two voters with one selection.
    performance : m numbers, optional
        How well each voter predicts with its features, larger = better; NaN = not known.
    learners : m texts, optional
        Who made each selection.
    feature_names : sequence of str, optional
        All p features to choose from, in their order; for lists those that a voter selects, sorted, by
        default, and for an array of 0/1 x0, x1, ….
    size : int, optional
        How many places the sequential rules fill one by one, from 1 to p (the default); the other
        features follow by the scores that they then have.

    Raises
    ------
    DataError
        If there is no voter, no voter selects anything, or a selection names what is no feature.

    See Also
    --------
    committee : Learners as voters.

    Notes
    -----
    Features with equal scores (to within 1e-10 of the larger one) share the mean of their ranks under
    approval and satisfaction approval; the sequential rules elect the first one in the order of the
    features, in time in proportion to the places times the selected features of all voters together.

    Examples
    --------
    >>> selections = [["a", "b"], ["a", "b"], ["a", "b"], ["c"], ["c", "d"]]
    >>> vote(selections, "approval").select(2)
    ['a', 'b']
    >>> vote(selections, "phragmen").select(2)
    ['a', 'c']
    """
    call = Call.of(vote, locals(), data=("selections",))
    labels, support = _read_selections(selections, feature_names)
    m = len(support)
    voters = pd.DataFrame(
        {
            "learner": _one_per_voter("learners", learners, m),
            "n_features": support.sum(axis=1),
            "performance": _performance(performance, m),
        }
    )
    return Committee._counted(
        voters,
        support,
        labels,
        rule=rule,
        voter_weights=voter_weights,
        size=size,
        parameters={"call": call.record()},
        data={"n_voters": m, "n_features": len(labels), "sha256": _digest(labels, support, voters)},
    )


def _read_selections(
    selections: Any, feature_names: Sequence[str] | None
) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    if hasattr(selections, "support") and hasattr(selections, "voters"):
        raise InputTypeError(
            Param("selections"), " is a Committee; its method vote() counts by another rule"
        )
    selections = pandas_frame(selections)
    is_matrix = isinstance(selections, (np.ndarray, pd.DataFrame))
    if not is_matrix:
        selections = check_list("selections", selections)
    elif np.ndim(selections) == 0:
        raise InputTypeError(Param("selections"), " must be a list or a matrix", Got(selections))
    if len(selections) == 0:
        raise DataError("there is no voter; give at least one selection")
    read = read_collection(
        selections,
        kind="sets",
        compares="sets",
        n_features=None,
        feature_names=feature_names,
        least=1,
    )
    assert isinstance(read, SelectedSets)
    if read.support.shape[1] == 0:
        raise DataError("no voter selects anything; there is no vote")
    labels, support = read.labels, read.support
    if feature_names is None and not is_matrix:
        # Lists come in the order of the voters, which must not decide between equal features.
        order = sorted(range(len(labels)), key=lambda j: (isinstance(labels[j], str), labels[j]))
        labels, support = tuple(labels[j] for j in order), support[:, order]
    names = tuple(map(str, labels))
    check_writable_names(names, "a feature")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"the feature {twice!r} is there twice; name each feature in one way")
    return names, support


def _one_per_voter(name: str, texts: Sequence[str] | None, m: int) -> list[str]:
    if texts is None:
        return [""] * m
    labels = ["" if text is None else str(text) for text in check_list(name, texts)]
    if len(labels) != m:
        raise ParameterError(
            named(name), f" must be one text per voter, {m} in all, got {len(labels)}"
        )
    return labels


def _performance(performance: ArrayLike | None, m: int) -> NDArray[np.float64]:
    if performance is None:
        return np.full(m, np.nan)
    name = Param("performance")
    values = as_array("performance", performance, np.float64)
    if values.shape != (m,):
        must = f" must be one number per voter, {m} in all, got shape {values.shape}"
        raise ParameterError(name, must)
    if np.isinf(values).any():
        raise ParameterError(name, " must be finite, or ", NAN, " where it is not known")
    return values


def _digest(names: tuple[str, ...], support: NDArray[np.bool_], voters: pd.DataFrame) -> str:
    digest = hashlib.sha256("\0".join((*names, "", *voters["learner"])).encode())
    digest.update(np.packbits(support).tobytes())
    digest.update(voters["performance"].to_numpy(dtype=np.float64).tobytes())
    return digest.hexdigest()
