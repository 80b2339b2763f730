"""Partial conjunction and its adjustment against the R packages adaFilter and metarep.

`studies_r.json` holds normal deviates of 60 items in four studies, some missing, and of their one-sided
p-values: ``computePC(method = "Fisher")`` (each item without its missing p-values), ``adaFilter`` (FDR) of
both directions one below the other, and the largest ``truncatedPearson(alpha.tilde = 1)`` over all subsets of
n − r + 1 studies, which is what metarep calls the r-value of one side (missing for single studies).
"""

import numpy as np
import pandas as pd
import pytest
from golden import stored
from numpy.testing import assert_allclose
from scipy.special import log_ndtr, ndtr

import pyfsagg
from pyfsagg.study_tables._result import filtered, partial_conjunction

R = stored("studies_r.json")
Z = np.array(R["z"], dtype=float).T
LOG_P = np.stack([log_ndtr(-Z), log_ndtr(Z)])


@pytest.mark.parametrize("r", [1, 2, 3, 4])
@pytest.mark.parametrize("side", ["up", "down"])
def test_fisher_of_the_rest(r: int, side: str) -> None:
    expected = np.array(R[f"fisher_{side}_{r}"], dtype=float)
    found = np.exp(partial_conjunction(LOG_P[int(side == "down")])[r - 1])
    assert_allclose(found, expected, rtol=1e-11)
    if side == "up":  # over all subsets the worst is that of the largest p-values
        worst = np.array(R[f"metarep_up_{r}"], dtype=float)
        known = ~np.isnan(worst)
        assert known.sum() > 50 or r > 2
        assert_allclose(found[known], worst[known], rtol=1e-11)


@pytest.mark.parametrize("r", [2, 3, 4])
def test_adaptive_filter(r: int) -> None:
    expected = np.array(R[f"adafilter_{r}"], dtype=float)
    assert_allclose(filtered(np.concatenate(list(LOG_P), axis=1), r), expected, rtol=1e-11)


@pytest.mark.parametrize("r", [2, 3, 4])
def test_the_public_call_is_the_published_procedure(r: int) -> None:
    names = [f"g{j}" for j in range(Z.shape[1])]
    tables = {
        f"study{i}": pd.DataFrame({"gene": names, "logFC": row, "PValue": 2 * ndtr(-np.abs(row))})
        for i, row in enumerate(Z)
    }
    found = pyfsagg.studies(tables, min_studies=r, p_adjust="adafilter")
    up, down = np.array(R[f"adafilter_{r}"], dtype=float).reshape(2, -1)
    place = [names.index(name) for name in found.names]
    expected = np.where(found._up, up[place], down[place])
    assert_allclose(found.adjusted_p_values, expected, rtol=1e-7)
    assert (found.adjusted_p_values < 1.0).any()
