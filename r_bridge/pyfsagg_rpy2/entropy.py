"""The R package FSelectorRcpp: entropy filters over features cut by the MDL principle."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg_rpy2.conversion import from_r, to_factor, to_frame
from pyfsagg_rpy2.session import call, environment, package

Type = Literal["infogain", "gainratio", "symuncert"]


def information_gain(
    X: Any, y: Any, *, type: Type = "infogain", discretize_integers: bool = True
) -> pd.Series[float]:
    """Scores of all features by ``FSelectorRcpp::information_gain``.

    Examples
    --------
    >>> X = pd.DataFrame({"cut": [1.0, 2, 3, 4, 9, 10, 11, 12], "flat": 5.0})
    >>> information_gain(X, list("aaaabbbb")).round(4).tolist()
    [0.6931, 0.0]
    """
    frame = from_r(
        call(
            package("FSelectorRcpp").information_gain,
            x=to_frame(X),
            y=to_factor(y),
            type=type,
            discIntegers=discretize_integers,
        )
    )
    index = pd.Index(frame["attributes"], name="feature")
    return pd.Series(frame["importance"].to_numpy(np.float64), index=index, name=type)


def discretize(X: Any, y: Any, *, discretize_integers: bool = True) -> pd.DataFrame:
    """The intervals of ``FSelectorRcpp::discretize`` with its MDL criterion.

    Examples
    --------
    >>> X = pd.DataFrame({"cut": [1.0, 2, 3, 4, 9, 10, 11, 12], "flat": 5.0})
    >>> discretize(X, list("aaaabbbb"))["cut"].cat.categories.tolist()
    ['(-Inf,6.5]', '(6.5, Inf]']
    """
    found: pd.DataFrame = from_r(_discretized(X, y, discretize_integers))
    return found.iloc[:, 1:]


def cut_points(
    X: Any, y: Any, *, discretize_integers: bool = True
) -> dict[str, NDArray[np.float64]]:
    """The cuts of ``FSelectorRcpp::discretize`` for each feature that R takes for a number.

    Parameters, types and errors are those of :func:`discretize`; a feature that is not split has an
    empty array.

    Examples
    --------
    >>> X = pd.DataFrame({"cut": [1.0, 2, 3, 4, 9, 10, 11, 12], "flat": 5.0})
    >>> cut_points(X, list("aaaabbbb"))
    {'cut': array([6.5]), 'flat': array([], dtype=float64)}
    """
    splits = environment().r["attr"](_discretized(X, y, discretize_integers), "fsSplitPointsList")
    names = [str(name) for name in splits.names]
    cuts = {name: pd.Series(from_r(splits.rx2(name)), dtype="float64") for name in names}
    # R puts the ends of the line around the cuts, and NA where there are none.
    return {name: each[np.isfinite(each)].to_numpy() for name, each in cuts.items()}


def _discretized(X: Any, y: Any, discretize_integers: bool) -> Any:
    """R's data frame: the class first, then the features that are kept."""
    table = to_frame(X)
    # R derives the name of the class from the call, which has none here, unless y is a data frame.
    label = "class_" + "_" * max(len(name) for name in table.names)
    return call(
        package("FSelectorRcpp").discretize,
        x=table,
        y=to_frame(pd.DataFrame({label: pd.Categorical(np.asarray(y))})),
        all=True,
        discIntegers=discretize_integers,
    )
