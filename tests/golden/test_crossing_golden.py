"""Stuart's Q, exact RRA and screens against crossing probabilities of Moscovich's program in 128 bits."""

from typing import Any

import numpy as np
import pytest
from crossing_cases import ranks
from golden import stored

from pyfsagg._kernels.order_statistics import log_group_p, log_stuart
from pyfsagg._kernels.rho import log_exact_p

CASES = stored("crossing_probability.json")


def found(case: dict[str, Any]) -> float:
    """Logarithm of the same probability by the package."""
    n = np.array([case["n"]])
    if case["what"] == "stuart":
        return log_stuart(ranks(case["n"], case["shape"])[np.newaxis], n)[0]
    rho = np.array([case["log_rho"]])
    if case["what"] == "rra":
        return log_exact_p(rho, n)[0]
    none = np.empty(0)
    return log_group_p(rho, n, case["alpha"], none, none, np.zeros(2, dtype=np.int64))[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['what']}-{case['n']}")
def test_crossing_probabilities(case: dict[str, Any]) -> None:
    assert np.exp(found(case)) == pytest.approx(case["value"], rel=1e-12)
