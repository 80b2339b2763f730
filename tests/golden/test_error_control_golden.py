"""Bounds against `stabsel_parameters` of R's stabs 0.7, integrated paths against the package ipss."""

import math
from typing import Any

import numpy as np
import pytest
from golden import stored
from scipy.optimize import brentq, minimize_scalar

from pyfsagg.error_control import integrated_path, pfer_bound
from pyfsagg.error_control.bounds import pfer_size, pfer_threshold

STABS = stored("stability_selection_stabs.json")
IPSS = stored("integrated_path_ipss.json")
# stabs finds the r-concave bound with R's optimize, whose tolerance stops short of the maximum: its
# bounds are up to this share too small.
SHORT = 0.02  # and they are rounded to three digits
R_TOLERANCE = 2.0**-13


def rounded(value: float) -> float:
    return float(f"{value:.3g}")


@pytest.mark.parametrize("case", STABS, ids=lambda case: "-".join(map(str, case["given"].values())))
def test_stabs(case: dict[str, Any]) -> None:
    given, value = case["given"], case["value"]
    p, how = given["p"], {"n_pairs": given["B"], "assumption": given["assumption"]}
    threshold, q = given.get("cutoff"), given.get("q")
    if threshold is None:
        threshold = pfer_threshold(q, p, given["PFER"], **how)
        if value["PFER"] > given["PFER"]:
            # stabs returns the frequency 1 although it does not keep the bound.
            assert threshold == math.inf
            threshold = 1.0
        assert threshold == pytest.approx(value["cutoff"], rel=1e-12)
    if q is None:
        q = pfer_size(threshold, p, given["PFER"], **how)
        assert q == value["q"]
    bound = pfer_bound(q, p, threshold, **how)
    if given["assumption"] != "r-concave":
        assert rounded(bound) == value["PFER"]
        return
    assert rounded(stopped_short(q, p, threshold, given["B"])) == value["PFER"]
    assert value["PFER"] * 0.995 <= bound <= value["PFER"] * (1 + SHORT)


def stopped_short(q: int, p: int, threshold: float, b: int) -> float:
    """The r-concave bound as a search of one a per k with the tolerance of R's `optimize` finds it."""
    halves = math.ceil(threshold * 2 * b - 1e-6)
    share = q / p
    tails = ((share**2, halves - b, b, 2), (share, halves, 2 * b, 4))
    return p * min(1.0, *(_tail_stopped_short(*each) for each in tails))


def _tail_stopped_short(mean: float, steps: int, n: int, power: int) -> float:
    total = mean * n
    first = math.ceil(2 * total) + 1
    if steps < first:
        return 1.0

    def surplus(a: float, k: int) -> float:
        weights = (a + np.arange(k + 1)) ** -power
        return float(weights @ np.arange(k + 1) / weights.sum() - total)

    ends = {first - 1: 1e5}
    for k in range(first, n + 1):
        ends[k] = brentq(surplus, 1e-5, ends[k - 1], args=(k,), xtol=1e-13)

    def minus_tail(a: float, k: int) -> float:
        inside = np.arange(k + 1)
        lost = ((a + np.arange(steps)) ** -power).sum()
        reach = ((k + 1 - inside) * (a + inside) ** -power).sum()
        return float((k + 1 - total) * lost / reach - 1.0)

    best = 0.0
    for k in range(first, n):
        how = {"bounds": (ends[k + 1], ends[k]), "method": "bounded"}
        found = minimize_scalar(minus_tail, args=(k,), options={"xatol": R_TOLERANCE}, **how)
        best = max(best, -found.fun)
    return best


def scores_of(case: int) -> Any:
    return next(each["scores"] for each in IPSS if each["case"] == case and each["scores"])


@pytest.mark.parametrize(
    "case", IPSS, ids=lambda case: f"{case['case']}-{case['function']}-{case['delta']}"
)
def test_ipss(case: dict[str, Any]) -> None:
    how = {name: case[name] for name in ("function", "delta", "cutoff")}
    how |= {"n_thresholds": case["n_alphas"], "normalization": "ipss"}
    found = integrated_path(scores_of(case["case"]), **how)
    close = {"rtol": 0, "atol": 1.1e-8}  # ipss rounds to eight decimals
    np.testing.assert_allclose(found.expected_false, case["expected_false_positives"], **close)
    np.testing.assert_allclose(found.q_values, case["q_values"], **close)


def test_one_part_of_the_path_for_both_integrals_gives_larger_values() -> None:
    ours, theirs = (
        integrated_path(scores_of(1), function="h3", normalization=each)
        for each in ("same", "ipss")
    )
    best = ours.expected_false.argmin()
    assert best == theirs.expected_false.argmin()
    ratio = ours.expected_false / theirs.expected_false
    inside = (ours.expected_false < 40) & (theirs.expected_false < 40)
    assert inside.sum() >= 3
    np.testing.assert_allclose(ratio[inside], ratio[best], rtol=1e-6)
    assert ratio[best] > 2
