"""Calibrated stability selection: which number and which threshold make a selection most stable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import check_integer, check_list, check_real
from pyfsagg._base.words import count, enumerate_names, number, plural
from pyfsagg.error_control.bounds import (
    bound_of_frequency,
    matrix_of_halves,
    selection_frequency,
)
from pyfsagg.exceptions import DataError

THRESHOLDS = tuple(np.round(np.arange(0.6, 0.905, 0.01), 2).tolist())
"""The thresholds of the package sharp."""


@dataclass(frozen=True, eq=False)
class CalibratedSelection(Part):
    """Stability scores of selections by their number and threshold.

    Attributes
    ----------
    cells : DataFrame
        One row for each number of features ``q`` and ``threshold``: ``n_selected``, the features that are
        among the best q in so many of the halves; ``score``, missing where it is not defined; and two
        bounds on the expected number of false selections of that cell, had it been chosen without the
        data: ``bound`` (Meinshausen and Bühlmann) and ``unimodal_bound`` (Shah and Samworth; p where it
        covers nothing).
    q, threshold : int, float
        The cell with the largest score; the first of several, by q and then by threshold.
    selected : tuple of str
        Its features, the most frequent first.
    n_halves, n_features : int
    """

    cells: pd.DataFrame
    q: int
    threshold: float
    selected: tuple[str, ...]
    n_halves: int
    n_features: int

    def to_frame(self) -> pd.DataFrame:
        """The cells, the largest score first."""
        return self.cells.sort_values("score", ascending=False, kind="stable", ignore_index=True)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The calibrated cell, its bounds, and what it does not promise."""
        best = self.to_frame().iloc[0]
        names = f": {enumerate_names(self.selected)}" if self.selected else ""
        return (
            f"The selection is most stable with the best {count(self.q)} features of each half and a "
            f"threshold of {self.threshold:g}: {count(len(self.selected))} of "
            f"{plural(self.n_features, 'feature')}{names}.",
            "Had these two numbers been chosen without the data, at most "
            f"{number(best['bound'], 2)} false selections would be expected (Meinshausen and Bühlmann), "
            f"{number(best['unimodal_bound'], 2)} if the frequencies of noise features are unimodal "
            "(Shah and Samworth).",
            f"They were chosen by the data among {plural(len(self.cells), 'cell')}, and the score promises "
            "nothing about false selections: some cell has the largest score on noise, too. This is a "
            "diagnostic; for a limit on false selections use error_control.",
        )

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def calibrate_selection(
    scores: ArrayLike,
    *,
    sizes: Sequence[int] | None = None,
    thresholds: Sequence[float] | None = None,
    feature_names: Sequence[str] | None = None,
) -> CalibratedSelection:
    """Stability score of every number of features and threshold, beside the error bounds of each cell.

    Parameters
    ----------
    scores : array-like (2B, p)
        Scores in complementary pairs, two halves of a pair one after the other; larger = more important.
    sizes : sequence of int, optional
        How many features each half selects; by default up to 40 numbers from 1 to half of the features.
    thresholds : sequence of float, optional
        Shares of the halves from which a feature is selected, above 0.5; by default 0.6, 0.61, … 0.9.
    feature_names : sequence of str, optional

    Returns
    -------
    CalibratedSelection

    Raises
    ------
    DataError
        If no cell has a score, for instance with so few halves that every feature is in or out.

    Notes
    -----
    By its frequency a feature is stable-in (at least π), stable-out (at most 1 − π) or unstable.  If each
    half selected at random with the same probability q/p, the counts would be binomial, and the features
    fall into the three kinds with known probabilities.  The score of a cell is minus the logarithm of the
    likelihood of what is seen, up to a constant: the less it looks like random selections, the larger.  q
    is the number that the halves select on average, rounded, where ties keep it below the wish.
    The value is that of ``StabilityScore`` of the R package sharp.

    References
    ----------
    Bodinier, Filippi, Haugdahl Nøst, Chiquet and Chadeau-Hyam (2023), Automated calibration for stability
    selection in penalised regression and graphical models, JRSS C 72, 1375–1393; Meinshausen and Bühlmann
    (2010), JRSS B 72; Shah and Samworth (2013), JRSS B 75.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = np.r_[np.full(4, 2.5), np.zeros(36)] + rng.normal(size=(100, 40))
    >>> sorted(calibrate_selection(scores).selected)
    ['x0', 'x1', 'x2', 'x3']
    """
    matrix = matrix_of_halves(scores)
    n_halves, p = matrix.shape
    if n_halves < 4 or p < 2:
        raise DataError(
            f"calibration needs two pairs of halves and two features, got {matrix.shape}"
        )
    if sizes is None:
        sizes = np.unique(np.geomspace(1, max(p // 2, 1), 40).round().astype(int)).tolist()
    chosen = [check_integer("sizes", q, low=1, high=p) for q in check_list("sizes", sizes)]
    cuts = np.array([
        check_real("thresholds", cut, low=0.5, high=1.0, low_open=True)
        for cut in check_list("thresholds", THRESHOLDS if thresholds is None else thresholds)
    ])  # fmt: skip
    names = [f"x{j}" for j in range(p)] if feature_names is None else list(map(str, feature_names))
    if len(names) != p:
        raise DataError(f"there are {len(names)} names of {p} features")
    frequencies = [selection_frequency(matrix, q) for q in chosen]
    cells = pd.concat(
        pd.DataFrame({
            "q": q,
            "threshold": cuts,
            "n_selected": (frequency >= cuts[:, np.newaxis]).sum(axis=1),
            "score": stability_scores(frequency, cuts, n_halves),
            "bound": q * q / (p * (2.0 * cuts - 1.0)),
            "unimodal_bound": bound_of_frequency(cuts, q, p, n_halves // 2, "unimodal"),
        })
        for q, frequency in zip(chosen, frequencies, strict=True)
    ).reset_index(drop=True)  # fmt: skip
    if cells["score"].isna().all():
        raise DataError(
            "no number and threshold has a stability score: use more pairs, or other sizes"
        )
    best = cells.iloc[int(np.nanargmax(cells["score"].to_numpy()))]
    frequency = frequencies[chosen.index(int(best["q"]))]
    order = np.argsort(-frequency, kind="stable")[: int(best["n_selected"])]
    return CalibratedSelection(
        cells, int(best["q"]), float(best["threshold"]), tuple(names[j] for j in order), n_halves, p
    )


def stability_scores(frequency: Floats, thresholds: Floats, n_halves: int) -> Floats:
    """The score of each threshold for the selection frequencies (p,) of one number; NaN if not defined."""
    p = len(frequency)
    chance = round(float(frequency.sum())) / p
    up, down = np.round(n_halves * thresholds), np.round(n_halves * (1.0 - thresholds))
    beyond = scipy.stats.binom.sf(down, n_halves, chance)
    # The logarithm of a share near 1 has digits only in what is missing to 1.
    below = np.where(
        beyond < 0.5,
        np.log1p(-np.minimum(beyond, 0.5)),
        scipy.stats.binom.logcdf(down, n_halves, chance),
    )
    above = scipy.stats.binom.logsf(up - 1, n_halves, chance)
    counts = np.arange(n_halves + 1.0)[:, np.newaxis]
    between = np.where(
        (counts > down) & (counts < up), scipy.stats.binom.pmf(counts, n_halves, chance), 0.0
    )
    stable_in = (frequency >= thresholds[:, np.newaxis]).sum(axis=1)
    stable_out = (frequency <= (1.0 - thresholds)[:, np.newaxis]).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        unstable = np.log(between.sum(axis=0))
        score = -(stable_out * below + (p - stable_in - stable_out) * unstable + stable_in * above)
    return np.asarray(np.where(np.isfinite(score) & (down < up - 1), score, np.nan))
