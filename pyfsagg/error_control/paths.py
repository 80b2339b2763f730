"""Stability selection along a path: calibrated, or integrated over its settings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Floats
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import as_array, check_choice, check_integer, check_list, check_real
from pyfsagg._base.words import count, enumerate_names, number, plural
from pyfsagg._message import Param, Remedy
from pyfsagg.error_control.bounds import bound_of_frequency, matrix_of_halves, selection_frequency
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
        """The calibrated cell, its bounds, and their limitations."""
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
    """Stability score of every number of features and threshold, with the error bounds of each cell.

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
    is the number that the halves select on average, rounded, where ties keep it below the requested size.
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
            "no size and threshold has a stability score: use more pairs, or other sizes"
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


FUNCTIONS = {"h1": 1, "h2": 2, "h3": 3}  # the power m of h(π) = (2π − 1)^m above 1/2, and 0 below
NORMALIZATIONS = ("same", "ipss")
RANGE = 1e8  # chosen: ratio of the largest to the smallest threshold of scores
ABOVE = 0.01  # chosen: margin of the largest threshold above the largest score
SETTLED = 0.01
"""Mean selection frequency from which frequencies that do not change any more end the path (chosen)."""
DECIMALS = 8


@dataclass(frozen=True, eq=False, repr=False)
class IntegratedPath(Part):
    """Results of integrated path stability selection for each feature.

    Attributes
    ----------
    expected_false : ndarray (p,)
        Bound on the expected false positives if the features with a value up to this one are selected.
    q_values : ndarray (p,)
        The smallest ratio of expected false positives to selected features of a selection that
        includes the feature; at most 1.
    scores : ndarray (p,)
        Integral of h(frequency) along the path, larger = more important.
    integral : float
        The integrated bound, with which the scores are compared.
    thresholds : ndarray (L,)
        Thresholds of scores along the used part of the path, largest first.
    """

    expected_false: Floats
    q_values: Floats
    scores: Floats
    integral: float
    thresholds: Floats


def integrated_path(
    scores: ArrayLike,
    *,
    function: str = "h2",
    delta: float = 1.0,
    n_thresholds: int = 100,
    cutoff: float = 0.05,
    normalization: str = "same",
) -> IntegratedPath:
    """Integrate selection frequencies of complementary pairs over all thresholds of the scores.

    A feature is selected in a half if its score is above a threshold λ.  With q(λ) features
    selected on average, B pairs and p features, E(false positives among scores ≥ s) is at most
    I / s, where s is the integral of h over the measure λ^(−δ) dλ and I that of the bound, for
    instance q²/p for h1.

    Parameters
    ----------
    scores : array-like (B, 2, p)
        Scores of the two halves of each pair, larger = more important.  If some are negative, all
        are shifted up to 0.
    function : {"h1", "h2", "h3"}
        h(π) = (2π − 1)^m for π > 1/2, with m = 1, 2 or 3.  A larger m selects more and assumes more.
    delta : float
        δ; 1 weighs the thresholds evenly on a log scale, more than 1 the small ones, where noise is
        selected too.
    n_thresholds : int
        Thresholds in all, over eight powers of ten; at least 3.
    cutoff : float
        The path ends where the integrated bound would exceed this.
    normalization : {"same", "ipss"}
        Whether scores and bound are integrated over the same part of the path (``"same"``), as the
        theorem has it, or the bound is divided by the measure of the whole path and the scores by
        that of the part before the cutoff, as the Python package ipss does; its values are smaller.

    Returns
    -------
    IntegratedPath

    Notes
    -----
    The bound supposes that noise features are exchangeable, and for h2 and h3 that a noise feature is
    selected in all 2m halves of m pairs with probability (q/p)^(2m) at most.  Halves of different
    pairs share rows, so the second does not follow from the first, the less so the larger m.
    q-values are estimates of a false discovery rate, not bounds.  For their error rates in
    simulations see ``pyfsagg reproduce calibration``.

    References
    ----------
    Melikechi and Miller (2025), Integrated path stability selection, JASA.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.exponential(0.1, (25, 2, 20))
    >>> scores[:, :, 0] += 2.0
    >>> path = integrated_path(scores)
    >>> int(path.expected_false.argmin()), bool(path.q_values[1:].min() > 0.5)
    (0, True)
    """
    check_choice("function", function, tuple(FUNCTIONS))
    check_choice("normalization", normalization, NORMALIZATIONS)
    delta = check_real("delta", delta, low=0.0)
    n_thresholds = check_integer("n_thresholds", n_thresholds, low=3)
    cutoff = check_real("cutoff", cutoff, low=0.0, low_open=True)
    pairs = as_array("scores", scores, np.float64)
    if pairs.ndim != 3 or pairs.shape[1] != 2 or pairs.shape[0] < 2 or pairs.shape[2] < 1:
        raise DataError(
            Param("scores"),
            " must have the shape (n_pairs, 2, n_features)",
            f" with at least 2 pairs, got {pairs.shape}",
            Remedy("draw more complementary pairs"),
        )
    if not np.isfinite(pairs).all():
        raise DataError("a score is missing or infinite; every half must score every feature")
    pairs = pairs - min(0.0, float(pairs.min()))
    n_pairs, _, p = pairs.shape
    power = FUNCTIONS[function]

    top = np.log10(float(pairs.max()) + ABOVE)
    thresholds = np.logspace(top, top - np.log10(RANGE), n_thresholds)
    frequency = np.empty((n_thresholds, p))
    for j, column in enumerate(np.sort(pairs.reshape(-1, p), axis=0).T):
        above = column.size - np.searchsorted(column, thresholds, side="right")
        frequency[:, j] = above / column.size
    # The path ends before the frequencies have settled.
    same = np.isclose(frequency[2:], frequency[:-2]).all(axis=1)
    settled = same & (frequency[2:].mean(axis=1) > SETTLED)
    if settled.any():
        end = int(settled.argmax()) + 2
        thresholds, frequency = thresholds[:end], frequency[:end]
    steps = _measure(thresholds, delta)
    bound = _bound(frequency.sum(axis=1), p, n_pairs, power)[:-1] * steps
    reached = np.cumsum(bound)
    used = int(np.searchsorted(reached, cutoff, side="right"))
    integral = float(reached[used - 1]) if used else 0.0
    stop = used + 1  # of the thresholds
    part = _measure(thresholds[:stop], delta) if normalization == "ipss" else steps[: stop - 1]
    gained = np.maximum(2.0 * frequency[: stop - 1] - 1.0, 0.0) ** power
    totals = part @ gained if stop > 1 else np.zeros(p)
    # A feature without a score is as good as all features: p false ones at most.
    ratio = integral / np.maximum(totals, integral / p) if integral > 0 else np.full(p, float(p))
    expected = np.round(ratio, DECIMALS)
    return IntegratedPath(expected, q_values(expected), totals, integral, thresholds[:stop])


def q_values(expected_false: Floats) -> Floats:
    """The smallest share of expected false positives among selections that include a feature."""
    order = np.argsort(expected_false, kind="stable")
    ordered = expected_false[order]
    size = np.searchsorted(ordered, ordered, side="right")
    shares = np.minimum.accumulate((ordered / size)[::-1])[::-1]
    out = np.empty_like(ordered)
    out[order] = np.minimum(shares, 1.0)
    return out


def _measure(thresholds: Floats, delta: float) -> Floats:
    """Measure of the steps between thresholds (largest first) with density λ^(−δ), about 1 in all."""
    size = thresholds.size
    if size < 2:
        return np.zeros(0)
    low, high = thresholds[-1], thresholds[0]
    width = 1.0 - (low / high) ** (1.0 / size)
    if delta == 1.0:
        return np.full(size - 1, width / np.log(high / low))
    power = 1.0 - delta
    return np.asarray(thresholds[1:] ** power * width * power / (high**power - low**power))


def _bound(q: Floats, p: int, n_pairs: int, power: int) -> Floats:
    """p E(mean of B indicators of probability (q/p)²)^m, the bound at each threshold."""
    both = (q / p) ** 2
    b = float(n_pairs)
    if power == 1:
        return p * both
    if power == 2:
        return p * (both + (b - 1) * both**2) / b
    return p * (both + 3 * (b - 1) * both**2 + (b - 1) * (b - 2) * both**3) / b**2
