"""How many features: a proposal with its reason, and where each feature stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.checks import is_word
from pyfsagg._base.selection import n_selected, size_of_share
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg.error_control import ErrorControl
from pyfsagg.error_control.control import read_goal

if TYPE_CHECKING:
    from pyfsagg.ensemble.result import EnsembleResult

__all__ = ["STATUSES", "Choice", "Selection", "choose", "knee_of", "select_features"]

STATUSES = {
    "firm": "selected, and in at least 80 % of the resamples",
    "borderline": "selected in fewer of them; or not selected, but in more than 20 % of the resamples",
    "noise": "its score is one that shuffled targets reach",
    "out": "above noise, but not selected and rarely among the best",
}
"""What the status of a feature means."""

FIRM, RARE = 0.8, 0.2
ROUNDING = 1e-9

FEWEST = 5
"""Features among which a knee is looked for."""

SHOWN = 10
"""For how many features frequencies and stability are told where none is selected."""


@dataclass(frozen=True, eq=False)
class Selection:
    """Selected features, why there are so many, and where each feature stands.

    Attributes
    ----------
    names : tuple of str
        The selected features, best first; empty if none can be selected.
    reason : str
        Why so many, in a sentence.
    sentences : tuple of str
        The reason, and what else is to be known: how many of the selected score like noise, and which
        number of features the frequencies are about if none is selected.
    frame : DataFrame
        One row per feature, best rank first: ``rank``, ``score``, ``selection_frequency`` (share of
        resamples that have it among the best `compared`), ``selected``, ``excess`` (only with shuffled
        targets: :class:`pyfsagg.ShuffledTargets`) and ``status``: ``"firm"`` (selected, and in at least
        80 % of the resamples), ``"borderline"`` (selected in fewer, or not selected but in more than
        20 %), ``"noise"`` (its score is one that shuffled targets reach) or ``"out"``.
    compared : int
        How many features each resample selects for the frequencies: as many as the ranking has down to
        the last selected one, that is all that are selected unless a better one is not, or 10 (of
        fewer than 40 features a quarter) if there are none.
    n_noise : int
        How many of the selected score like noise; 0 for a proposal.
    """

    names: tuple[str, ...]
    reason: str
    sentences: tuple[str, ...]
    frame: pd.DataFrame
    compared: int
    n_noise: int

    @property
    def number(self) -> int:
        """How many features are selected."""
        return len(self.names)

    def record(self) -> dict[str, Any]:
        """Plain values, for a file."""
        counts = self.frame["status"].value_counts()
        return {
            "number": self.number,
            "reason": self.reason,
            "sentences": list(self.sentences),
            "compared": self.compared,
            "n_noise": self.n_noise,
            "statuses": {name: int(counts.get(name, 0)) for name in STATUSES},
        }

    def __repr__(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, eq=False)
class Choice:
    """Which features (n_features,) are selected, and why.

    `depth` is the place of the last of them in the ranking, 0 if there are none.
    """

    chosen: NDArray[np.bool_]
    reason: str
    names: tuple[str, ...]
    depth: int

    @property
    def compared(self) -> int:
        """How many features frequencies and measures of stability are about.

        Features that may not be selected stand in the ranking all the same.  If their places were not
        counted, a feature behind them would be selected, and be so in none of the resamples.
        """
        return self.depth or min(SHOWN, size_of_share(0.25, len(self.chosen)))


def select_features(result: EnsembleResult, threshold: float | int | str) -> Selection:
    """See :meth:`pyfsagg.EnsembleResult.selection`."""
    choice = choose(result, threshold)
    names, compared = choice.names, choice.compared
    frequency = result.frequencies(compared)
    noise = result.shuffled
    columns: dict[str, Any] = {
        "rank": result.ranking,
        "score": result.scores,
        "selection_frequency": frequency,
        "selected": choice.chosen,
    }
    like_noise: list[str] = []
    if noise is not None:
        columns["excess"] = noise.excess
        above = dict(zip(result.feature_names, noise.above.tolist(), strict=True))
        like_noise = [name for name in names if not above[name]]
    columns["status"] = _statuses(result, choice.chosen, frequency)
    frame = pd.DataFrame(columns, index=pd.Index(result.feature_names, name="feature"))
    return Selection(
        names=names,
        reason=choice.reason,
        sentences=(choice.reason, *_remarks(names, like_noise, compared)),
        frame=frame.iloc[_order(result)],
        compared=compared,
        n_noise=len(like_noise),
    )


def _statuses(
    result: EnsembleResult, chosen: NDArray[np.bool_], frequency: NDArray[np.float64]
) -> NDArray[np.object_]:
    often = np.nan_to_num(frequency)
    found = np.where(chosen | (often > RARE), "borderline", "out")
    found = np.where(chosen & (often >= FIRM), "firm", found)
    if result.shuffled is not None:
        found = np.where(result.shuffled.above, found, "noise")
    return found.astype(np.object_)


def _remarks(names: tuple[str, ...], like_noise: list[str], compared: int) -> list[str]:
    if not names:
        return [
            f"Frequencies and stability are told for the best {plural(compared, 'feature')} all the same."
        ]
    remarks = []
    n, k, passed = len(like_noise), len(names), compared - len(names)
    if n:
        who = f"{n:,} of the {k:,} selected" if n < k else f"All {k:,} selected" if k > 1 else "It"
        score = "scores" if n == 1 else "score"
        remarks.append(f"{who} {score} like noise: {enumerate_names(like_noise)}.")
    if passed:
        remarks.append(
            f"{passed:,} of the best {compared:,} {'is' if passed == 1 else 'are'} not selected; "
            f"frequencies and stability are told for the best {compared:,}."
        )
    return remarks


# ---------------------------------------------------------------------------------------------
# how many
# ---------------------------------------------------------------------------------------------
def choose(result: EnsembleResult, threshold: float | int | str) -> Choice:
    """The user's number, a limit on false selections, or a proposal."""
    if is_word(threshold, "auto"):
        return _proposal(result)
    if isinstance(threshold, str):
        return _controlled(result, result.controlled(read_goal(threshold)))
    p = result.n_features
    k = n_selected(threshold, p)
    what = f"The best {k:,} of {plural(p, 'feature')} {'is' if k == 1 else 'are'} selected, as asked for."
    return _best(result, k, what)


def _controlled(result: EnsembleResult, control: ErrorControl | None) -> Choice:
    assert control is not None  # a goal was given
    names = tuple(control.selected)
    return Choice(control.support, control.sentences[0], names, _depth(result, control.support))


def _order(result: EnsembleResult) -> NDArray[np.intp]:
    """Positions of the features, best first; ties by column order."""
    return np.argsort(result.ranking, kind="stable")


def _depth(result: EnsembleResult, chosen: NDArray[np.bool_]) -> int:
    """Place of the last of the chosen features in the ranking."""
    return 1 + int(np.flatnonzero(chosen[_order(result)]).max(initial=-1))


def _best(
    result: EnsembleResult, k: int, reason: str, of: NDArray[np.bool_] | None = None
) -> Choice:
    """The best `k` features of all, or of some."""
    order = _order(result)
    positions = (order if of is None else order[of[order]])[:k]
    chosen = np.zeros(result.n_features, dtype=np.bool_)
    chosen[positions] = True
    names = tuple(result.feature_names[j] for j in positions)
    return Choice(chosen, reason, names, _depth(result, chosen))


def _proposal(result: EnsembleResult) -> Choice:
    """The features before the knee of the scores, of those that score above noise."""
    p = result.n_features
    noise = result.shuffled
    if noise is None:
        return _without_noise(result)
    above = noise.above
    n_above = int(above.sum())
    reached = (
        f"what {plural(noise.n_shuffles, 'shuffled target')} "
        f"{'reaches' if noise.n_shuffles == 1 else 'reach'}"
    )
    if not n_above:
        reason = f"No feature is proposed: none of {plural(p, 'feature')} scores above {reached}."
        return Choice(above, reason, (), 0)
    knee = knee_of(np.sort(result.scores[above])[::-1])
    k = n_above if knee is None else knee
    said = f"{k:,} of {plural(p, 'feature')} {'is' if k == 1 else 'are'} proposed"
    score = "scores" if n_above == 1 else "score"
    if knee is None:
        which = "the only one that" if n_above == 1 else "all that"
        return _best(result, k, f"{said}: {which} {score} above {reached}.", above)
    reason = f"{said}: {_before_knee(k)}. {n_above:,} score above {reached}."
    return _best(result, k, reason, above)


def _before_knee(k: int) -> str:
    own = "its score stands apart from" if k == 1 else "their scores are a group above"
    return f"{own} those that follow (the knee of the scores)"


def _without_noise(result: EnsembleResult) -> Choice:
    p = result.n_features
    knee = knee_of(np.sort(result.scores)[::-1])
    k = size_of_share(0.25, p) if knee is None else knee
    verb = "is" if k == 1 else "are"
    how = "the best quarter, for the scores have no knee" if knee is None else _before_knee(k)
    why = (result.parameters.get("shuffles") or {}).get("reason", "checks=Checks(shuffles=0)")
    reason = (
        f"{k:,} of {plural(p, 'feature')} {verb} proposed: {how}. Whether they score above noise is not "
        f"known, without shuffled targets: {why}."
    )
    return _best(result, k, reason)


def knee_of(scores: NDArray[np.float64]) -> int | None:
    """Number of scores before the knee of falling scores, or None if they have none.

    The knee divides the scores into the two groups that lie closest around their means.  It counts if the
    groups explain more of the variance of the scores than two halves of evenly falling ones do, which is
    three quarters (of n scores n² / (n² − 1) times as much), and if there are at least five scores.

    Notes
    -----
    With normal errors of the same variance this is the split with the highest profile likelihood.

    References
    ----------
    Zhu and Ghodsi (2006), Automatic dimensionality selection from the scree plot via the use of profile
    likelihood.

    Examples
    --------
    >>> knee_of(np.array([9.0, 8.5, 8.0, 1.0, 0.9, 0.8]))
    3
    >>> knee_of(np.array([6.0, 5.0, 4.0, 3.0, 2.0, 1.0])) is None
    True
    """
    n = scores.size
    if n < FEWEST or not np.isfinite(scores).all() or scores[0] == scores[-1]:
        return None
    centred = (scores - scores.mean()) / (scores[0] - scores[-1])
    sizes = np.arange(1, n)
    between = np.cumsum(centred)[:-1] ** 2 * n / (sizes * (n - sizes))
    explained = between / (centred**2).sum()
    best = int(np.argmax(explained))
    straight = 0.75 * n * n / (n * n - 1)
    return best + 1 if explained[best] > straight + ROUNDING else None
