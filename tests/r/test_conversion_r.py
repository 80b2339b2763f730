"""Values cross the bridge with their types, both ways."""

import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from r_packages import need

from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg_rpy2.conversion import from_r, to_factor, to_frame, to_matrix, to_strings, to_vector
from pyfsagg_rpy2.session import environment

pytestmark = pytest.mark.r
need("stats")

FRAME = pd.DataFrame(
    {
        "a double": [1.5, np.nan, -0.0],
        "whole": [1, -2, 2**31 - 1],
        "whole or missing": pd.array([1, None, 3], dtype="Int64"),
        "logical": [True, False, True],
        "logical or missing": pd.array([True, None, False], dtype="boolean"),
        "text": ["x", None, "ü €"],
        "factor": pd.Categorical(["u", "v", None], categories=["v", "unused", "u"]),
        "ordered": pd.Categorical(["lo", "hi", "lo"], categories=["lo", "hi"], ordered=True),
    }
)


def in_r(expression: str, value: object) -> object:
    """What R says of a value that crossed."""
    return from_r(environment().r(f"function(x) {expression}")(value))


def test_r_sees_the_types_of_a_data_frame() -> None:
    frame = to_frame(FRAME)
    assert in_r("class(x)", frame).tolist() == ["data.frame"]
    assert in_r("dim(x)", frame).tolist() == [3, 8]
    assert in_r("names(x)", frame).tolist() == list(FRAME.columns)
    kinds = in_r("vapply(x, function(each) class(each)[1], '')", frame)
    assert kinds.tolist() == [
        "numeric", "integer", "integer", "logical", "logical", "character", "factor", "ordered",
    ]  # fmt: skip
    missing = in_r("vapply(x, function(each) sum(is.na(each) & !is.nan(each)), 1L)", frame)
    assert missing.tolist() == [1, 0, 1, 0, 1, 1, 1, 0]
    assert in_r("levels(x$factor)", frame).tolist() == ["v", "unused", "u"]
    assert in_r("x$ordered[1] < x$ordered[2]", frame).tolist() == [True]
    assert in_r("rowSums(is.na(x[2, ]))", frame).tolist() == [4.0]  # indexing works as for any


def test_a_data_frame_comes_back_as_it_went() -> None:
    back = from_r(to_frame(FRAME))
    pd.testing.assert_frame_equal(
        back.drop(columns="text"), FRAME.drop(columns="text"), check_column_type=False
    )
    assert back["text"].isna().tolist() == [False, True, False]
    assert back.loc[2, "text"] == "ü €"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.one_of(st.floats(width=64), st.just(np.nan)), min_size=1, max_size=20),
    st.lists(st.one_of(st.integers(-(2**31) + 1, 2**31 - 1), st.none()), min_size=1, max_size=20),
    st.lists(
        st.one_of(st.text(st.characters(exclude_categories=["C"])), st.none()),
        min_size=1,
        max_size=20,
    ),
)
def test_vectors_come_back(doubles, wholes, texts) -> None:
    np.testing.assert_array_equal(from_r(to_vector(doubles)), doubles)
    back = pd.Series(from_r(to_vector(pd.array(wholes, dtype="Int64"))), dtype="Int64")
    assert [None if pd.isna(each) else int(each) for each in back] == wholes
    assert from_r(to_strings(texts)).tolist() == texts


def test_matrices_keep_their_layout_and_their_names() -> None:
    values = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(from_r(to_matrix(values)), values)
    assert in_r("x[2, 3]", to_matrix(values)).tolist() == [5.0]
    named = from_r(to_matrix(values, rows=["p", "q"]))
    assert list(named.index) == ["p", "q"]
    np.testing.assert_array_equal(named, values)
    both = from_r(to_matrix(values.astype(int), rows=["p", "q"], columns=["a", "b", "c"]))
    assert both.loc["q", "a"] == 3
    assert from_r(to_matrix(np.zeros((0, 3)))).shape == (0, 3)
    gaps = from_r(environment().r("matrix(c(1L, NA, 3L, 4L), 2)"))
    np.testing.assert_array_equal(gaps, [[1, 3], [np.nan, 4]])


def test_row_names_of_r_become_an_index() -> None:
    frame = from_r(environment().r("data.frame(a = 1:2, row.names = c('u', 'v'))"))
    assert frame.loc["v", "a"] == 2


def test_strided_and_read_only_arrays_cross() -> None:
    values = np.arange(12.0).reshape(3, 4)[:, ::2]
    values.flags.writeable = False
    np.testing.assert_array_equal(from_r(to_matrix(values)), values)
    np.testing.assert_array_equal(from_r(to_vector(values[:, 1])), values[:, 1])


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), InputTypeError, "'c' contains .* datetime"),
        ([[1], [2, 3]], InputTypeError, "'c' contains values of type"),
        ([1, "a"], InputTypeError, "'c' contains values of type mixed"),
        ([1, 2**31], DataError, "'c' has the whole number 2147483648, beyond R's largest integer"),
    ],
)
def test_what_r_has_no_type_for_is_refused_by_name(column, error, message) -> None:
    frame = pd.DataFrame({"fine": [1, 2], "c": column})
    with pytest.raises(error, match=message):
        to_frame(frame)


def test_crossing_often_takes_no_references_from_none() -> None:
    value = to_vector([1.0, 2.0])
    before = sys.getrefcount(None)
    for _ in range(3000):
        from_r(value)
    assert sys.getrefcount(None) > before - 1000


def test_shapes_and_names_are_checked() -> None:
    with pytest.raises(DataError, match="two dimensions"):
        to_matrix([1.0, 2.0])
    with pytest.raises(DataError, match="two dimensions"):
        to_frame(np.zeros(3))
    with pytest.raises(ParameterError, match="rows has 1 names for 2 rows"):
        to_matrix(np.zeros((2, 2)), rows=["a"])
    with pytest.raises(DataError, match="2 levels have only 1 different"):
        to_factor(pd.Categorical([1, "1"]))
    with pytest.raises(InputTypeError, match="no counterpart"):
        from_r(environment().r("sum"))
