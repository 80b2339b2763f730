"""A claim that can be checked, the designs that check it, and tables with a known truth."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pyfsagg.extending import collect_warnings

# -------------------------------------------------------------------------------------------------
# a claim that can be checked, and the designs that check it
# -------------------------------------------------------------------------------------------------

ALPHA = 0.05
"""The level of all tests in the designs."""

QUICK = 20
"""A quick run has one repetition for each so many of a full one."""

Kind = Literal["level", "coverage", "bound", "bias", "power", "reference"]

KINDS: dict[str, str] = {
    "level": "share of repetitions in which a true hypothesis was rejected",
    "coverage": "share of intervals (or sets) that contain the true value",
    "bound": "measured rate, divided by the bound",
    "bias": "mean of estimate minus truth",
    "power": "share of repetitions in which a false hypothesis was rejected; not judged",
    "reference": "another method on the same data; not judged",
}
CAUTIOUS_LEVEL, CAUTIOUS_COVERAGE = 0.7, 0.4
"""Shares of the stated error below which a claim is called conservative."""

TOO_LARGE = 1.5
"""An error so many times as large as the stated one is called kept with a probability of at most 0.1."""

ENOUGH = 1200
"""Repetitions of a design of which fewer could not tell."""

NORMAL_TENTH = 1.2816
"""A standard normal variable is larger with probability 0.1."""

NEAR = "within Monte Carlo error"
"""The verdict of a claim of which the repetitions cannot tell whether it was kept."""

_JUDGED = ("level", "coverage", "bound", "bias")


@dataclass(frozen=True)
class Claim:
    """The nominal value of a number, and the measured values that are consistent with it.

    Attributes
    ----------
    inference : str
        The number, as a user gets it: ``"nogueira.interval"``, ``"evaluate.compare"``.
    kind : {"level", "coverage", "bound", "bias", "power", "reference"}
        Kind of measurement; see `KINDS`.
    nominal : float
        Nominal value: 0.05, 0.95; 1 for a bound and 0 for a bias.
    accept : tuple of float, optional
        Smallest and largest measured value that keep the claim. Needed for the first four kinds.
    of : str
        Target of the number: the population or the repetition.
    caution : str
        The warning for users if the claim is not kept. A claim without one has to be kept.
    """

    inference: str
    kind: Kind
    nominal: float
    accept: tuple[float, float] | None = None
    of: str = ""
    caution: str = ""

    def __post_init__(self) -> None:
        if (self.kind in _JUDGED) == (self.accept is None):
            raise ValueError(f"{self.inference}: {self.kind} and accept={self.accept}")

    def verdict(self, measured: float, error: float) -> str:
        """Whether the claim was kept, as far as the Monte Carlo error can tell."""
        if self.accept is None:
            return "not judged"
        if np.isnan(measured):
            return "refused"
        low, high = self.accept
        if low <= measured <= high:
            if self._is_cautious(measured, error):
                return "conservative"
            return "kept" if self._can_be_told(measured, error) else NEAR
        missed = low - measured if measured < low else measured - high
        return NEAR if missed <= 2.0 * error else "not kept"

    def _can_be_told(self, measured: float, error: float) -> bool:
        """Whether an error of one and a half times the stated one would nearly always have been larger."""
        if self.kind not in ("level", "coverage") or not error:
            return True
        share, stated = measured, self.nominal
        if self.kind == "coverage":
            share, stated = 1.0 - measured, 1.0 - self.nominal
        far = TOO_LARGE * stated
        spread = error * np.sqrt(far * (1.0 - far) / (share * (1.0 - share)))
        return bool(share <= far - NORMAL_TENTH * spread)

    def _is_cautious(self, measured: float, error: float) -> bool:
        """Whether an error is far below what is stated: .035 for .05, coverage above .98 for .95."""
        if self.kind == "level":
            return measured + 2.0 * error < CAUTIOUS_LEVEL * self.nominal
        if self.kind == "coverage":
            return 1.0 - measured + 2.0 * error < CAUTIOUS_COVERAGE * (1.0 - self.nominal)
        return False


@dataclass(frozen=True)
class Design:
    """One simulation: a function of a random generator, with its settings.

    Attributes
    ----------
    topic : str
        What `calibrate` knows it by; a part of the seed.
    function : callable
        ``function(rng, **settings)`` returns one number for each claim, in their order; NaN where
        the package refused to state one. Its docstring describes the simulation.
    claims : tuple of Claim
    settings : mapping
    runs : int
        Repetitions of a full run.
    """

    topic: str
    function: Callable[..., Sequence[float]]
    claims: tuple[Claim, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    runs: int = 1000

    @property
    def name(self) -> str:
        """Function and settings as text: what the figures are kept under."""
        return f"{self.function.__name__}({self.settings_text})"

    @property
    def settings_text(self) -> str:
        """The settings as text."""
        return ", ".join(f"{key}={value}" for key, value in self.settings.items())

    def repetitions(self, quick: bool) -> int:
        """How many repetitions a run has; at least two, so that they have a spread."""
        return max(self.runs // QUICK, 2) if quick else self.runs

    def repeat(self, seed: int, number: int) -> np.ndarray:
        """The values of one repetition, which depend on seed, design and number alone."""
        label = zlib.crc32(f"{self.topic}.{self.name}".encode())
        rng = np.random.default_rng([seed, label, number])
        with collect_warnings():  # of noise there would be warnings: "the lists share no name"
            values = np.asarray(self.function(rng, **self.settings), dtype=float)
        if values.shape != (len(self.claims),):
            raise ValueError(
                f"{self.name} gave {values.shape} values for {len(self.claims)} claims"
            )
        return values


DESIGNS: list[Design] = []
"""Every design; importing the files of designs fills it."""


def calibrated(
    topic: str, *claims: Claim, designs: Sequence[Mapping[str, Any]] = ({},), runs: int
) -> Callable[[Callable[..., Sequence[float]]], Callable[..., Sequence[float]]]:
    """Add a function of a random generator to a topic, once for each mapping of settings."""

    def add(function: Callable[..., Sequence[float]]) -> Callable[..., Sequence[float]]:
        if not function.__doc__:
            raise ValueError(f"{function.__name__} has no docstring: it is the text of the page")
        DESIGNS.extend(
            Design(topic, function, claims, dict(settings), runs) for settings in designs
        )
        return function

    return add


def rejected(p_value: float | None) -> float:
    """Whether a test rejects; NaN where there is none."""
    return np.nan if p_value is None else float(p_value <= ALPHA)


# -------------------------------------------------------------------------------------------------
# tables with a known truth, for the designs
# -------------------------------------------------------------------------------------------------

N_SIGNAL = 10
"""So many first features differ between the classes, except with ``noise``."""

SIGNALS: dict[str, np.ndarray] = {
    "noise": np.zeros(0),
    "graded": np.linspace(1.0, 0.1, N_SIGNAL),
    "strong": np.full(N_SIGNAL, 1.5),
    "few weak": np.full(3, 0.6),
}
"""Distance of the class means in standard deviations, for each feature that has a signal."""


def labelled_table(
    rng: np.random.Generator, signal: str, n: int, p: int, correlation: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Normal features of two equally large classes."""
    y = np.arange(n) % 2
    X = rng.standard_normal((n, p))
    if correlation:
        X *= np.sqrt(1.0 - correlation)
        X += np.sqrt(correlation) * rng.standard_normal((n, 1))
    shift = SIGNALS[signal][:p]
    X[:, : len(shift)] += np.outer(y - 0.5, shift)
    return X, y


def scores_of_lists(
    rng: np.random.Generator, n_lists: int, n_items: int, zeros: float = 0.0
) -> np.ndarray:
    """Independent scores of items without any truth in them, shape (n_lists, n_items).

    `zeros` is the expected share of scores that are exactly 0, as of filters that find nothing.
    """
    scores = rng.random((n_lists, n_items))
    scores[rng.random(scores.shape) < zeros] = 0.0
    return scores


N_RESAMPLED, N_SELECTED = 50, 10
"""Features of :func:`resampled_scores`, and how many of them are selected."""

_RESAMPLED = {
    "noise": np.zeros(N_RESAMPLED),
    "graded": np.r_[np.linspace(2.5, 0.0, 2 * N_SELECTED), np.zeros(N_RESAMPLED - 2 * N_SELECTED)],
    "strong": np.r_[np.full(N_SELECTED, 4.0), np.zeros(N_RESAMPLED - N_SELECTED)],
}


def seen_by_filter(noise: np.ndarray, signal: str, filter: str) -> np.ndarray:
    """Scores of a signal and noise, shape (m, 50); of the filter "tied" those below 2 are 0."""
    scores = _RESAMPLED[signal] + noise
    return np.where(scores < 2.0, 0.0, scores) if filter == "tied" else scores


def resampled_scores(rng: np.random.Generator, m: int, signal: str, filter: str) -> np.ndarray:
    """Independent normal scores of 50 features in m resamples; see :func:`seen_by_filter`."""
    return seen_by_filter(rng.standard_normal((m, N_RESAMPLED)), signal, filter)
