"""The tests of stats, afex and rstatix, called with arrays; the R code is in statistics.R.

Values that R leaves undefined are NaN.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg_rpy2.conversion import to_matrix, to_strings, to_vector
from pyfsagg_rpy2.session import call, environment, require

Alternative = Literal["two-sided", "less", "greater"]
_SOURCE = Path(__file__).with_name("statistics.R")


@cache
def _functions() -> Any:
    """The functions of statistics.R in an R environment of their own."""
    robjects = environment()
    found = robjects.r["new.env"]()
    robjects.r["sys.source"](str(_SOURCE), found)
    return found


def _call(name: str, *arguments: Any, needs: str = "stats") -> Any:
    require(needs)
    return call(_functions()[name], *arguments)


def _series(result: Any) -> pd.Series[float]:
    """A named list of numbers as a series."""
    return pd.Series({name: float(value[0]) for name, value in result.items()}, dtype=np.float64)


def _vector(values: ArrayLike) -> Any:
    return to_vector(np.asarray(values, dtype=np.float64))


def _matrix(values: ArrayLike) -> Any:
    return to_matrix(np.asarray(values, dtype=np.float64))


def rm_anova(values: ArrayLike) -> pd.Series[float]:
    """Repeated-measures analysis of variance by ``afex::aov_ez`` (and car, which it calls).

    Examples
    --------
    >>> values = [[45, 50, 55], [42, 42, 45], [36, 41, 43], [39, 35, 40], [51, 55, 59]]
    >>> round(float(rm_anova(values)["f"]), 3)
    8.427
    """
    return _series(_call("rm_anova", _matrix(values), needs="afex"))


def rm_anova_rstatix(values: ArrayLike) -> pd.Series[float]:
    """The same by ``rstatix::anova_test``, which rounds to three digits."""
    return _series(_call("rm_anova_rstatix", _matrix(values), needs="rstatix"))


def one_way_anova(values: ArrayLike, groups: ArrayLike, *, welch: bool = False) -> pd.Series[float]:
    """``aov``, or for Welch's test ``oneway.test``; the sums of squares are those of ``aov``.

    Examples
    --------
    >>> round(float(one_way_anova([1, 2, 3, 4], ["a", "a", "b", "b"])["f"]), 6)
    8.0
    """
    return _series(_call("one_way_anova", _vector(values), _labels(groups), welch))


def t_test(x: ArrayLike, y: ArrayLike, *, paired: bool) -> pd.Series[float]:
    """``t.test`` (Welch's if not paired), with Cohen's d by rstatix.

    Examples
    --------
    >>> round(float(t_test([1, 2, 3], [2, 4, 6], paired=False)["estimate"]), 6)
    -2.0
    """
    return _series(_call("t_test", _vector(x), _vector(y), paired, needs="rstatix"))


def pooled_t_tests(
    values: ArrayLike, groups: ArrayLike, *, adjust: str = "none"
) -> NDArray[np.float64]:
    """p-values of ``pairwise.t.test`` in the order (1, 2), (1, 3), …, (2, 3), …

    Examples
    --------
    >>> pooled_t_tests([1, 2, 3, 4], ["a", "a", "b", "b"]).round(4)
    array([0.1056])
    """
    return np.asarray(_call("pooled_t_tests", _vector(values), _labels(groups), adjust))


def wilcoxon(
    x: ArrayLike,
    y: ArrayLike,
    *,
    paired: bool,
    alternative: Alternative = "two-sided",
    exact: bool | None = None,
    correction: bool = True,
) -> pd.Series[float]:
    """``wilcox.test`` with the interval of the shift, its root search carried to the end.

    Examples
    --------
    >>> float(wilcoxon([1.1, 2.3, 3.2, 4.6], [0.1, 0.2, 0.3, 0.4], paired=True)["p"])
    0.125
    """
    logical = environment().NA_Logical if exact is None else exact
    side = alternative.replace("-", ".")
    return _series(_call("wilcoxon", _vector(x), _vector(y), paired, side, logical, correction))


def friedman(values: ArrayLike) -> pd.Series[float]:
    """``friedman.test`` and the effect size of rstatix: chi_squared, df, p, kendall_w.

    Examples
    --------
    >>> float(friedman([[1, 2, 3], [2, 3, 4], [1, 3, 5]])["kendall_w"])
    1.0
    """
    return _series(_call("friedman", _matrix(values), needs="rstatix"))


def studentized_range_tail(q: ArrayLike, n_means: int) -> NDArray[np.float64]:
    """``ptukey`` with infinite degrees of freedom, upper tail."""
    return np.asarray(_call("studentized_range_tail", _vector(q), n_means))


def _labels(groups: ArrayLike) -> Any:
    return to_strings([str(group) for group in np.asarray(groups).tolist()])
