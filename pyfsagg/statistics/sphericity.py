"""Sphericity of repeated measures: Mauchly's test and the epsilon corrections."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from pyfsagg._base.checks import as_array, check_choice
from pyfsagg._base.scale import scaled
from pyfsagg._base.types import Floats
from pyfsagg.exceptions import DataError

__all__ = ["Sphericity", "sphericity_test"]


@dataclass(frozen=True)
class Sphericity:
    """Mauchly's test and the estimates of epsilon.

    Attributes
    ----------
    w, p_value : float
        Mauchly's W and its p-value; NaN if they are undefined, with the reason in `note`.
    greenhouse_geisser : float
        Between 1 / (k − 1) and 1.
    huynh_feldt : float
        May exceed 1; a correction uses min(1, ·).
    note : str
        Empty, or why a value is special.
    """

    w: float
    p_value: float
    greenhouse_geisser: float
    huynh_feldt: float
    note: str


def sphericity_test(values: Floats, mauchly: str = "textbook") -> Sphericity:
    """Mauchly's W, Greenhouse-Geisser and Huynh-Feldt epsilon of subjects by conditions.

    Parameters
    ----------
    values : ndarray (n_subjects, n_conditions)
        Finite numbers, at least 2 by 2.
    mauchly : {"textbook", "r"}
        Second-order term of the p-value, see Notes.

    Raises
    ------
    DataError
        For another shape, missing or infinite values, or differences between conditions that do not
        vary.
    ParameterError
        For an unknown `mauchly`.

    Notes
    -----
    With S the covariance matrix of q = k − 1 orthonormal contrasts, W = det S / (tr S / q)^q and
    the Greenhouse-Geisser epsilon is (tr S)² / (q tr S²).  Huynh and Feldt's is
    (n q ε − 2) / (q (n − 1 − q ε)); for one within factor without between factors Lecoutre's
    correction of it, which R's car and afex use, is the same number.

    The p-value of W is Box's expansion to second order (Anderson, *An Introduction to Multivariate
    Statistical Analysis*, section 10.7.4), whose last coefficient holds 2q³ + 6q² + 3q + 2.
    R (``mauchly.test``, and with it car, afex and rstatix) writes 3k in place of 3q there;
    ``mauchly="r"`` reproduces that.  The two agree for k = 3 and differ little above.
    """
    values = as_array("values", values, np.float64)
    if values.ndim != 2 or min(values.shape) < 2 or not np.isfinite(values).all():
        raise DataError(
            "values must be finite numbers of at least 2 subjects (rows) under at least 2 conditions "
            f"(columns), got an array of shape {values.shape}"
        )
    check_choice("mauchly", mauchly, ("textbook", "r"))
    n, k = values.shape
    q = k - 1
    if k == 2:
        return Sphericity(1.0, 1.0, 1.0, 1.0, "two conditions: sphericity holds by definition")
    contrasts = _orthonormal_contrasts(k)
    values = scaled(values)[0]
    projected = (values - values.mean(axis=0)) @ contrasts.T
    eigenvalues = np.linalg.eigvalsh(projected.T @ projected / (n - 1))
    total = float(eigenvalues.sum())
    if total <= 0.0:
        raise DataError(
            "the differences between conditions are the same for all subjects: there is no variation "
            "whose shape could be tested"
        )
    gg = min(1.0, total**2 / (q * float(np.square(eigenvalues).sum())))
    room = n - 1 - q * gg
    # Without room every direction that n subjects can show varies alike: no sign of a departure.
    hf = (n * q * gg - 2.0) / (q * room) if room > 1e-10 * n else 1.0
    if n - 1 < q:
        note = f"Mauchly's test needs at least {k} subjects for {k} conditions"
        return Sphericity(math.nan, math.nan, gg, hf, note)
    if eigenvalues[0] <= 1e-13 * eigenvalues[-1]:
        note = "Mauchly's test is undefined: some contrast of the conditions is constant"
        return Sphericity(math.nan, math.nan, gg, hf, note)
    log_w = float(np.log(eigenvalues).sum()) - q * math.log(total / q)
    return Sphericity(math.exp(log_w), _mauchly_p_value(log_w, n, k, mauchly), gg, hf, "")


def _orthonormal_contrasts(k: int) -> Floats:
    """Helmert contrasts (k − 1, k) with unit rows."""
    contrasts = np.zeros((k - 1, k))
    for i in range(1, k):
        contrasts[i - 1, :i] = 1.0
        contrasts[i - 1, i] = -i
        contrasts[i - 1] /= math.sqrt(i * (i + 1))
    return contrasts


def _mauchly_p_value(log_w: float, n: int, k: int, reading: str) -> float:
    q = k - 1
    df = n - 1
    rho = 1.0 - (2 * q**2 + q + 2) / (6.0 * q * df)
    odd = k if reading == "r" else q
    second = (
        (q + 2)
        * (q - 1)
        * (q - 2)
        * (2 * q**3 + 6 * q**2 + 3 * odd + 2)
        / (288.0 * (df * q * rho) ** 2)
    )
    z = -df * rho * log_w
    f = q * (q + 1) / 2 - 1
    first_tail = float(stats.chi2.sf(z, f))
    p = first_tail + second * (float(stats.chi2.sf(z, f + 4)) - first_tail)
    return min(1.0, max(0.0, p))
