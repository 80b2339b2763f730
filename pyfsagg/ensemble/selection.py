"""How many features: the request of the user, the answer with its reason, and the status of each feature."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from pyfsagg._base.arithmetic import Booleans, Floats, scaled
from pyfsagg._base.validation import check_real, is_word, n_selected, size_of_share
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._message import Got, Param, Remedy
from pyfsagg.ensemble.data import Ranked, best_first, mean_scores, once, over_resamples
from pyfsagg.ensemble.trust import control, shown_sets
from pyfsagg.error_control import ErrorControl, LimitedSelection, TargetPermutation
from pyfsagg.error_control.control import check_goals
from pyfsagg.error_control.permutation import LEVEL
from pyfsagg.exceptions import DataError, InputTypeError, ParameterError
from pyfsagg.ranks.ranking import tie_sizes

STATUSES = {
    "firm": "selected, and in at least 80 % of the resamples",
    "borderline": "selected, but in fewer resamples; or not selected, but in more than 20 % of them",
    "indistinct": "not distinguishable from noise: shuffled targets reach such a score",
    "out": "not selected and rarely among the best, though distinguishable from noise",
}
"""The meaning of the status of a feature."""

FIRM, RARE = 0.8, 0.2
"""Selection frequencies from which a selected feature is firm, and above which another one is borderline.

Chosen: words for a reader; no error rate depends on them.
"""

ROUNDING = 1e-9

FEWEST = 5  # chosen: features among which a knee is sought
RATE = 0.1  # chosen: the false discovery rate that is tried if no feature is distinguishable from noise
NEAREST = 3  # the nearest candidates that are named then
SHOWN = 10  # features for which frequencies and stability are reported if none is selected


# Rules of selection.


@dataclass(frozen=True)
class Fixed:
    """A number of features, or a share of all, rounded up; `argument` is what `select` takes."""

    value: int | float
    share: bool = False  # answers are kept by requests, and 1 equals 1.0

    @property
    def argument(self) -> str:
        return repr(self.value)

    @property
    def words(self) -> str:
        kind = "fraction of the features" if self.share else "number of features"
        return f"{self.value} (a {kind})"


@dataclass(frozen=True)
class Auto:
    """A proposal."""

    argument = "'auto'"
    words = "auto (all that score above noise)"


@dataclass(frozen=True)
class Knee:
    """The features of the proposal before the knee of the scores."""

    argument = "'knee'"
    words = "knee (before the knee of the scores)"


@dataclass(frozen=True)
class Limit:
    """A limit on the expected number (`goal` "max_false") or share ("fdr") of false selections."""

    goal: str
    level: float
    options: tuple[tuple[str, Any], ...] = ()  # of `control`

    @property
    def argument(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())

    @property
    def arguments(self) -> dict[str, Any]:
        return {self.goal: self.level, **dict(self.options)}

    @property
    def words(self) -> str:
        return f"{self.goal} = {self.level:g} (a limit on false selections)"


SelectionRule = Fixed | Auto | Knee | Limit


def parse_rule(
    n_features_to_select: object = "auto",
    *,
    max_false: float | None = None,
    fdr: float | None = None,
    **options: Any,
) -> SelectionRule:
    """The rule in the arguments of a method: a number, a share, a word, or a limit on false selections."""
    limit = _limit(max_false, fdr, options)
    if limit is None and options:
        raise ParameterError(
            Param(next(iter(options))),
            " is an option of a limit on false selections",
            Remedy("give ", Param("max_false"), " or ", Param("fdr"), " as well"),
        )
    if limit is None:
        return _of_value(n_features_to_select)
    if not is_word(n_features_to_select, "auto"):
        raise ParameterError(
            "n_features_to_select sets the number of features, and so does a limit on false "
            "selections (max_false or fdr); give one of them"
        )
    return limit


def read_view(
    n_features_to_select: object = "auto",
    max_false: float | None = None,
    fdr: float | None = None,
    limit_options: Iterable[tuple[str, Any]] = (),
    **_: object,
) -> tuple[SelectionRule, Limit | None]:
    """What a page selects, and the limit to show, which replaces the default but not a given number."""
    limit = _limit(max_false, fdr, dict(limit_options))
    if limit is not None and is_word(n_features_to_select, "auto"):
        return limit, limit
    rule = _of_value(n_features_to_select)
    return rule, limit or (rule if isinstance(rule, Limit) else None)


def _limit(max_false: float | None, fdr: float | None, options: Mapping[str, Any]) -> Limit | None:
    if max_false is None and fdr is None:
        return None
    return Limit(*check_goals(max_false, fdr), tuple(sorted(options.items())))


def _of_value(value: object) -> SelectionRule:
    if isinstance(value, SelectionRule):
        return value
    if is_word(value, "auto"):
        return Auto()
    if is_word(value, "knee"):
        return Knee()
    if isinstance(value, str):
        raise ParameterError(
            Param("n_features_to_select"),
            " must be a number of features, a fraction, 'auto' (all above noise) or 'knee' (those before the "
            "knee of the scores)",
            Got(value),
            Remedy("limits on false selections are ", Param("max_false"), " and ", Param("fdr")),
        )
    if isinstance(value, Integral) and not isinstance(value, bool):
        return Fixed(int(value))
    what = "n_features_to_select (a fraction)"
    return Fixed(check_real(what, value, low=0.0, high=1.0, low_open=True), share=True)


@once
def controlled(data: Ranked, limit: Limit) -> ErrorControl | LimitedSelection:
    """The selection under a limit on false selections, with its bound."""
    return control(data, **limit.arguments)


@dataclass(frozen=True, eq=False)
class Selection:
    """Selected features, the reason for their number, and the status of every feature.

    Attributes
    ----------
    names : tuple of str
        The selected features, best first; empty if none can be selected.
    reason : str
        The reason for their number, in a sentence.
    sentences : tuple of str
        The reason, with remarks: how many of the selected features are not distinguishable from noise, and
        the number of features to which the frequencies refer if none is selected.
    frame : DataFrame
        One row per feature, best rank first: ``rank``, ``score``, ``selection_frequency`` (share of
        resamples in which it is among the best `compared`), ``selected``, ``p_value`` and
        ``family_wise_p_value`` (only with shuffled targets: ``result.permutation``) and ``status``:
        ``"firm"`` (selected, and in at least 80 % of the resamples), ``"borderline"`` (selected in fewer, or
        not selected but in more than 20 %), ``"indistinct"`` (not distinguishable from noise: its
        family-wise p-value is above 0.05) or ``"out"``.
    compared : int
        Number of features that a resample selects for the frequencies: the place of the last selected
        feature in the ranking (their number, unless a better feature is not selected); if none is
        selected, 10, or a quarter of fewer than 40 features.
    n_indistinct : int
        Number of selected features that are not distinguishable from noise; 0 for a proposal.
    criterion : Fixed, Auto, Knee or Limit
        What was asked for; other methods of the run select by it if they are given this selection.
    control : LimitedSelection, ErrorControl or None
        Under a limit on false selections: its bound and assumptions as ``sentences``, and a table.
    """

    names: tuple[str, ...]
    reason: str
    sentences: tuple[str, ...]
    frame: pd.DataFrame
    compared: int
    n_indistinct: int
    criterion: SelectionRule
    control: ErrorControl | LimitedSelection | None = None

    @property
    def number(self) -> int:
        """Number of selected features."""
        return len(self.names)

    def record(self) -> dict[str, Any]:
        """Plain values, for a file."""
        counts = self.frame["status"].value_counts()
        return {
            "number": self.number,
            "reason": self.reason,
            "sentences": list(self.sentences),
            "compared": self.compared,
            "n_indistinct": self.n_indistinct,
            "statuses": {name: int(counts.get(name, 0)) for name in STATUSES},
        }

    def __repr__(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, eq=False)
class Choice:
    """Which features are `chosen`, `by` which rules, and the rank of the last of them (`depth`)."""

    chosen: Booleans
    reason: str
    names: tuple[str, ...]
    depth: int
    by: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """Number of features for frequencies and measures of stability; see :class:`Selection`."""
        return self.depth or min(SHOWN, size_of_share(0.25, len(self.chosen)))


def select_features(data: Ranked, rule: SelectionRule) -> Selection:
    """See :meth:`pyfsagg.ensemble.EnsembleResult.selection`."""
    choice = choose(data, rule)
    names, compared, test = choice.names, choice.compared, data.permutation
    frequency = np.asarray(over_resamples(data, compared)["selection_frequency"])
    columns: dict[str, Any] = {
        "rank": data.ranking,
        "score": data.scores,
        "selection_frequency": frequency,
        "selected": choice.chosen,
    }
    often = np.nan_to_num(frequency)
    status = np.where(choice.chosen | (often > RARE), "borderline", "out")
    status = np.where(choice.chosen & (often >= FIRM), "firm", status)
    indistinct: list[str] = []
    if test is not None:
        columns["p_value"] = test.p_values
        columns["family_wise_p_value"] = test.family_wise_p_values
        by_limit = choice.chosen & isinstance(rule, Limit)
        status = np.where(test.above | by_limit, status, "indistinct")
        above = dict(zip(data.feature_names, test.above.tolist(), strict=True))
        indistinct = [name for name in names if not above[name]]
    columns["status"] = status.astype(np.object_)
    frame = pd.DataFrame(columns, index=pd.Index(data.feature_names, name="feature"))
    return Selection(
        names=names,
        reason=choice.reason,
        sentences=(choice.reason, *_remarks(names, indistinct, compared, rule)),
        frame=frame.iloc[best_first(data)],
        compared=compared,
        n_indistinct=len(indistinct),
        criterion=rule,
        control=controlled(data, rule) if isinstance(rule, Limit) else None,
    )


def rule_of(selection: Selection | None) -> SelectionRule:
    """The rule of a selection; without one, that of a proposal."""
    if selection is None:
        return Auto()
    if isinstance(selection, Selection):
        return selection.criterion
    raise InputTypeError(
        Param("selection"),
        " must be a selection",
        Got(selection),
        Remedy("give result.selection(…), which takes numbers and limits"),
    )


def view_by(rule: SelectionRule) -> dict[str, Any]:
    """The options by which pages show what a rule selects."""
    if isinstance(rule, Limit):
        return {rule.goal: rule.level, "limit_options": rule.options}
    if isinstance(rule, Fixed):
        return {"n_features_to_select": rule.value}
    return {"n_features_to_select": "auto" if isinstance(rule, Auto) else "knee"}


def _remarks(
    names: tuple[str, ...], indistinct: list[str], compared: int, rule: SelectionRule
) -> list[str]:
    if not names:
        best = plural(compared, "feature").removeprefix("1 ")
        return [f"Frequencies and stability are still reported for the best {best}."]
    remarks = []
    n, k, passed = len(indistinct), len(names), compared - len(names)
    if n:
        who = f"{n:,} of the {k:,} selected" if n < k else f"All {k:,} selected" if k > 1 else "It"
        verb = "is" if n == 1 else "are"
        stricter = ", a stricter criterion than the limit" if isinstance(rule, Limit) else ""
        remarks.append(
            f"{who} {verb} not distinguishable from noise at a family-wise error of {LEVEL}{stricter}: "
            f"{enumerate_names(indistinct)}."
        )
    if passed:
        remarks.append(
            f"{passed:,} of the best {compared:,} {'is' if passed == 1 else 'are'} not selected; "
            f"frequencies and stability are reported for the best {compared:,}."
        )
    return remarks


# How many.
@once
def choose(data: Ranked, rule: SelectionRule) -> Choice:
    """The selection for a request."""
    if isinstance(rule, Auto | Knee):
        if data.permutation is None:
            return _without_noise(data)
        return _proposal(data, data.permutation, only_before_knee=isinstance(rule, Knee))
    if isinstance(rule, Limit):
        selected = controlled(data, rule)
        depth = _depth(data, selected.support)
        return Choice(selected.support, selected.sentences[0], tuple(selected.selected), depth)
    p = data.n_features
    k = n_selected(rule.value, p, "n_features_to_select")
    verb = "is" if k == 1 else "are"
    return _best(
        data, k, f"The best {k:,} of {plural(p, 'feature')} {verb} selected, as requested."
    )


def _depth(data: Ranked, chosen: Booleans) -> int:
    """Place of the last of the chosen features in the ranking."""
    return 1 + int(np.flatnonzero(chosen[best_first(data)]).max(initial=-1))


def _best(
    data: Ranked, k: int, reason: str, by: tuple[str, ...] = (), of: Booleans | None = None
) -> Choice:
    """The best `k` features of all, or of some."""
    order = best_first(data)
    positions = (order if of is None else order[of[order]])[:k]
    chosen = np.zeros(data.n_features, dtype=np.bool_)
    chosen[positions] = True
    names = tuple(data.feature_names[j] for j in positions)
    return Choice(chosen, reason, names, _depth(data, chosen), by)


def _what_would_help(data: Ranked, test: TargetPermutation) -> str:
    """What to do where nothing is above noise, if anything could have been."""
    by_shuffles, by_rows = 1.0 / (1 + test.n_permutations), 0.0
    if test.unit == "rows" and (sizes := list(data.data.get("class_counts", {}).values())):
        # Of two classes of one size the exchanged ones are the same division of the rows.
        same = math.log(2.0) if len(sizes) == 2 and sizes[0] == sizes[1] else 0.0
        targets = math.lgamma(sum(sizes) + 1) - math.fsum(math.lgamma(size + 1) for size in sizes)
        by_rows = math.exp(same - targets)
    if max(by_shuffles, by_rows) <= LEVEL:
        if test.attainable is not None and test.attainable > LEVEL:
            goes = "separate the classes" if data.data.get("class_counts") else "follow the target"
            return (
                "More rows are needed, or fewer features: in this table even numbers that "
                f"{goes} perfectly have a family-wise p-value of {test.attainable:.2g}"
            )
        return "More rows would help, or a filter for the expected kind of effect"
    what = (
        "so few rows" if by_rows > by_shuffles else plural(test.n_permutations, "shuffled target")
    )
    return (
        f"No feature could have been: with {what} the smallest possible p-value is "
        f"{max(by_shuffles, by_rows):.2g}"
    )


def _proposal(data: Ranked, test: TargetPermutation, *, only_before_knee: bool) -> Choice:
    """The features that score above noise, or those of them before the knee of the scores."""
    p, above, k = data.n_features, test.above, int(test.above.sum())
    if not k:
        nearest = test.to_frame().head(NEAREST)["family_wise_p_value"]
        named = enumerate_names([f"{name} ({value:.2g})" for name, value in nearest.items()])
        reason = (
            f"No feature is proposed: none of {plural(p, 'feature')} can be distinguished from noise, which "
            f"does not show that they are noise. Closest are, with their family-wise p-values (at "
            f"most {LEVEL} is needed): {named}. {test.repetition} "
            f"{_what_would_help(data, test)}; a false discovery rate of {RATE} (fdr), which allows some "
            "errors, would select "
            f"{len(test.limited('fdr', RATE).selected):,}."
        )
        return Choice(above, reason, (), 0, ("proposal",))
    told = (
        f"{k:,} of {plural(p, 'feature')} {'scores' if k == 1 else 'score'} above what "
        f"{plural(test.n_permutations, 'shuffled target')} "
        f"{'reaches' if test.n_permutations == 1 else 'reach'} (family-wise error {LEVEL})"
    )
    knee = knee_of(np.sort(data.scores[above])[::-1]) if only_before_knee else None
    if knee is None:
        none = ", and their scores have no knee" if only_before_knee else ""
        return _best(data, k, f"{told}{none}. {test.repetition}", ("proposal",), above)
    reason = f"{knee:,} {'is' if knee == 1 else 'are'} selected: {_before_knee(knee)}. {told}."
    return _best(data, knee, reason, ("proposal", "knee"), above)


def _before_knee(k: int) -> str:
    apart = "its score stands apart from" if k == 1 else "their scores are a group above"
    return f"{apart} those that follow (the knee of the scores)"


def _without_noise(data: Ranked) -> Choice:
    """The features before the knee, or a quarter of them."""
    p = data.n_features
    knee = knee_of(np.sort(data.scores)[::-1])
    k = size_of_share(0.25, p) if knee is None else knee
    verb = "is" if k == 1 else "are"
    how = (
        "the best quarter, because the scores show no clear drop"
        if knee is None
        else _before_knee(k)
    )
    why = data._reason("shuffles") or "shuffles = 0"
    reason = (
        f"{k:,} of {plural(p, 'feature')} {verb} proposed: {how}. Without shuffled targets it is unknown "
        f"whether they score above noise: {why}."
    )
    # In both cases the sentence speaks of a knee.
    return _best(data, k, reason, ("proposal", "knee"))


def knee_of(scores: Floats) -> int | None:
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
    scores = scaled(scores)[0]
    centred = (scores - scores.mean()) / (scores[0] - scores[-1])
    sizes = np.arange(1, n)
    between = np.cumsum(centred)[:-1] ** 2 * n / (sizes * (n - sizes))
    explained = between / (centred**2).sum()
    best = int(np.argmax(explained))
    straight = 0.75 * n * n / (n * n - 1)
    return best + 1 if explained[best] > straight + ROUNDING else None


# Tables.
def ranking_frame(data: Ranked, rule: SelectionRule, limit: Limit | None = None) -> pd.DataFrame:
    """See :meth:`pyfsagg.ensemble.EnsembleResult.to_frame`."""
    chosen, sets = select_features(data, rule), shown_sets(data)
    spread = over_resamples(data, chosen.compared)
    columns: dict[str, Any] = {"rank": data.ranking, "score": data.scores}
    columns["status"] = chosen.frame["status"].reindex(spread.index)
    if data.groups:
        columns["n_columns"] = [len(data.groups.get(name, (name,))) for name in data.feature_names]
    columns["tied"] = tie_sizes(data.scores)
    if sets is not None:
        columns |= {"rank_set_lower": sets.lower, "rank_set_upper": sets.upper}
    columns |= {str(name): spread[name] for name in spread}
    columns |= {f"mean_{label}": means for label, means in mean_scores(data).items()}
    if limit is not None:
        columns |= controlled(data, limit).columns()
    if data.permutation is not None:
        columns |= data.permutation.columns()
    return pd.DataFrame(columns, index=spread.index).iloc[best_first(data)]


COMPARED = ("rank", "rank_set_lower", "rank_set_upper", "selection_frequency", "selected")
"""Columns of two runs that are set side by side."""


def compare_runs(first: Ranked, second: Ranked, rule: SelectionRule) -> pd.DataFrame:
    """See :meth:`pyfsagg.ensemble.EnsembleResult.compare`."""
    frames = []
    for number, data in enumerate((first, second), start=1):
        frame = ranking_frame(data, rule)
        frame["selected"] = frame.index.isin(choose(data, rule).names)
        frame = frame[[name for name in COMPARED if name in frame]]
        frames.append(frame.add_suffix(f"_{number}"))
    if not len(frames[0].index.intersection(frames[1].index)):
        raise DataError("the two runs have no feature in common: they rank different things")
    joined = frames[0].join(frames[1], how="outer")
    for number in (1, 2):
        name = f"selected_{number}"
        joined[name] = joined[name].eq(True)
    joined.insert(0, "moved", joined["rank_1"] - joined["rank_2"])
    order = joined.assign(_by=-joined["moved"].abs()).sort_values(
        ["_by", "rank_1", "rank_2"], kind="stable"
    )
    return order.drop(columns="_by").rename_axis("feature")


def differing_settings(first: Ranked, second: Ranked) -> pd.DataFrame:
    """Settings and facts about the data that are not the same in two runs, a row for each."""
    records = [
        {
            "method": data.method,
            **data.parameters,
            **{f"data: {name}": value for name, value in data.data.items()},
        }
        for data in (first, second)
    ]
    names = dict.fromkeys([*records[0], *records[1]])
    names.pop("call", None)  # it says the settings again
    differing = [name for name in names if records[0].get(name) != records[1].get(name)]
    columns = {
        which: pd.Series([record.get(name) for name in differing], differing, dtype=object)
        for which, record in zip(("first", "second"), records, strict=True)
    }
    return pd.DataFrame(columns)
