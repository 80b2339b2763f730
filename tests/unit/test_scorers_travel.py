"""Scorers that are sent to the workers of a cluster: loops by name, compiled code is not made twice."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from numba import njit

from pyfsagg.extending import FILTERS, as_table, check_target
from pyfsagg.filters._base import KernelScorer

X = np.random.default_rng(0).normal(size=(30, 4))
Y = np.arange(30) % 2
WEIGHTS = np.ones((2, 30), dtype=np.uint16)
LABELS = Y[np.newaxis].astype(np.int32)


def _number(value: float, values: Any, labels: Any, weights: Any, scores: Any) -> None:
    scores[:] = value


def of(name: str) -> Any:
    return FILTERS.get(name).prepare(as_table(X), check_target(Y, 30))


@pytest.mark.parametrize("name", ["chi_squared", "spearman", "fit_criterion"])
def test_a_compiled_loop_travels_by_its_name(name: str) -> None:
    scorer = of(name)
    message = pickle.dumps(scorer)
    assert isinstance(scorer, KernelScorer)
    # In this process numba would find its own loop again: only the message tells what is sent.
    assert b"numba" not in message
    there = pickle.loads(message)
    here, again = scorer(WEIGHTS, LABELS), there(WEIGHTS, LABELS)
    assert all(here[output].tobytes() == again[output].tobytes() for output in scorer.outputs)


def test_what_has_no_name_of_its_own_travels_whole() -> None:
    @njit
    def first_column(values: Any, labels: Any, weights: Any, scores: Any) -> None:
        scores[:] = values[0, 0]

    message = pickle.dumps(KernelScorer(first_column, (X,), ("first",), 4))
    assert b"numba" in message
    assert pickle.loads(message)(WEIGHTS, LABELS)["first"][0, 0] == X[0, 0]
    scorer = KernelScorer(partial(_number, 3.0), (X,), ("three",), 4)
    assert pickle.loads(pickle.dumps(scorer))(WEIGHTS, LABELS)["three"][0, 0] == 3.0
