"""What several studies leave behind: items, studies, and pairs of studies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import scipy
from markupsafe import Markup
from numpy.typing import NDArray

from pyfsagg._base import words
from pyfsagg._base.arithmetic import Booleans, Floats, adjust_p_values
from pyfsagg._base.fields import stored
from pyfsagg._base.validation import check_choice, check_real
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._report.page import Block, PageTable, Text
from pyfsagg._run.result import Recorded, Selecting, records
from pyfsagg.ranks import rank_scores


def partial_conjunction(log_p: Floats) -> Floats:
    """Log p-values (m, G) of "fewer than r studies", r = 1 to m, from those of studies (m, G): Fisher's
    statistic without the r − 1 smallest of n known ones, χ² with 2 (n − r + 1) degrees of freedom; NaN
    for n < r."""
    m = len(log_p)
    ordered = np.sort(log_p, axis=0)  # unknown ones last
    known = (~np.isnan(ordered)).sum(axis=0)
    half = 0.0 - np.cumsum(np.nan_to_num(ordered)[::-1], axis=0)[::-1]
    left = known - np.arange(m)[:, np.newaxis]
    with np.errstate(divide="ignore"):
        log_half = np.log(half)
    terms = np.zeros_like(half)
    for j in range(1, m):
        more = np.logaddexp(terms, j * log_half - scipy.special.gammaln(j + 1))
        terms = np.where(j < left, more, terms)
    return np.minimum(0.0, np.where(left > 0, terms - half, np.nan))


def filtered(log_p: Floats, r: int) -> Floats:
    """Adjusted p-values (G,) of "fewer than r studies", r ≥ 2, by adaFilter: S = (n − r + 1) p_(r)
    decides, and only items with F = (n − r + 1) p_(r−1) at most S count as tests (Wang et al. 2022)."""
    ordered = np.sort(log_p, axis=0)
    rest = (~np.isnan(ordered)).sum(axis=0) - r + 1
    tested = np.flatnonzero(rest > 0)
    with np.errstate(under="ignore"):
        decides, before = (np.exp(row[tested]) * rest[tested] for row in ordered[[r - 1, r - 2]])
    order = np.argsort(decides, kind="stable")
    sorted_ = decides[order]
    candidates = np.searchsorted(np.sort(before), sorted_, side="right")
    steps = candidates * sorted_ / np.arange(1, len(tested) + 1)
    adjusted = np.full(log_p.shape[1], np.nan)
    adjusted[tested[order]] = np.minimum(1.0, np.minimum.accumulate(steps[::-1])[::-1])
    return adjusted


def two_sided(log_p: Floats) -> Floats:
    """p-values of the better of two directions."""
    with np.errstate(under="ignore"):
        return np.asarray(np.minimum(1.0, 2.0 * np.exp(log_p)))


ADAPTIVE = ("adafilter", "adafilter_bounded")
"""Corrections by adaptive filtering, as it is published, and never below the p-value of the item."""
NOMINAL = 0.05  # one-sided p-value up to which a study carries an item, or speaks against it
MIDDLE = 1.2816
"""Normal scores up to here are the middle 80 % of a study, where most items are null."""
QUARTILES = 1.34898
"""Distance of the quartiles of a normal distribution of variance 1."""
SHARED = 0.2
"""Correlation in the middle, in excess of other pairs, above which two studies may share something (chosen;
how often it is exceeded is simulated in the topic `studies` of the calibration)."""
OVERLAP = 0.3
"""Share of common errors above which two studies seem to share samples, without regard to other pairs
(chosen; simulated in the same topic)."""
INDEPENDENT = (
    "The p-values assume independent studies with valid p-values. Copies of a study, or overlapping "
    "cohorts, make them too small."
)


OF_ITEMS: dict[str, Any] = {
    "rank": ("Rank", words.ranks),
    "item": ("Item", words.words),
    "direction": ("Sign", words.words),
    "p_value": ("P-value", words.probabilities),
    "adjusted_p_value": ("Adjusted p", words.probabilities),
    "at_least": ("Studies at least", words.whole_numbers),
    "carried_by": ("Carried by", words.words),
    "against": ("Against", words.words),
    "rests_on": ("Rests on", words.words),
    "adjusted_p_without": ("Adjusted p without it", words.probabilities),
    "median_effect": ("Median effect", words.numbers),
    "i_squared": ("I²", lambda shares: [words.number(share, 2) for share in shares]),
}
OF_STUDIES: dict[str, Any] = {
    "study": ("Study", words.words),
    "items": ("Items", words.whole_numbers),
    "front": ("In its tails, %", words.percentages),
    "carried": ("Carries", words.whole_numbers),
    "against": ("Against", words.whole_numbers),
    "left": ("Found without it", words.whole_numbers),
}


@dataclass(frozen=True, eq=False, repr=False)
class Studies(Selecting, Recorded):
    """What m studies find together with the same sign, of G items.

    Attributes
    ----------
    names, studies : tuple of str
    log_p : ndarray (2, m, G)
        Natural logarithms of one-sided p-values, up and down; NaN where a study does not know an item.
    effects, standard_errors : ndarray (m, G)
        NaN where unknown.
    min_studies, p_adjust
        As in :func:`studies`.
    parameters, data, versions : dict
        Settings, data and software versions.

    Notes
    -----
    Shown with `top`, how many of the best items (10 by default), and `fdr`, up to which adjusted p-value
    items are found (0.05).  Picture: ``"evidence"`` (of each study, for the best items).
    """

    _kind: ClassVar[str] = "studies"
    _noun: ClassVar[str] = "comparison of studies"
    _selectable: ClassVar[str] = "names"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType({"top": 10, "fdr": 0.05})

    names: tuple[str, ...] = field(metadata=stored(array=True))
    studies: tuple[str, ...]
    log_p: Floats
    effects: Floats
    standard_errors: Floats
    min_studies: int
    p_adjust: str

    @cached_property
    def _combined(self) -> Floats:
        """Log p-values (2, m, G) of "fewer than r studies"."""
        return np.stack([partial_conjunction(log_p) for log_p in self.log_p])

    @cached_property
    def _up(self) -> Booleans:
        """Whether up is the direction of each item: by `min_studies`, or by one where fewer know it."""
        up, down = self._combined[:, self.min_studies - 1]
        alone = np.less_equal(*self._combined[:, 0])
        return np.asarray(np.where(np.isnan(up), alone, up <= down))

    def _with_sign(self, values: Floats, other: bool = False) -> Floats:
        """Values (2, …, G) of the direction of each item, or of the other one."""
        return np.asarray(np.where(self._up != other, *values))

    def _adjusted(self, r: int, log_p: Floats, combined: Floats) -> Floats:
        """Adjusted p-values (G,) of "fewer than r studies, in the direction of the item", from those (2, m,
        G) of studies and `combined` ones (2, G); adaFilter takes both directions as 2 G tests."""
        p = two_sided(self._with_sign(combined))
        if self.p_adjust not in ADAPTIVE or r == 1:
            return adjust_p_values(p, "bh" if self.p_adjust in ADAPTIVE else self.p_adjust)
        both = filtered(np.concatenate(list(log_p), axis=1), r).reshape(2, -1)
        adjusted = self._with_sign(both)
        return adjusted if self.p_adjust == "adafilter" else np.asarray(np.maximum(adjusted, p))

    @cached_property
    def _by_number(self) -> Floats:
        """Adjusted p-values (m, G) of "fewer than r studies"; NaN where fewer know the item."""
        rs = range(len(self.studies))
        return np.stack([self._adjusted(r + 1, self.log_p, self._combined[:, r]) for r in rs])

    @property
    def adjusted_p_values(self) -> Floats:
        """Adjusted p-values (G,) of "in fewer than `min_studies` studies"; NaN where fewer know an item."""
        return np.asarray(self._by_number[self.min_studies - 1])

    @property
    def p_values(self) -> Floats:
        """Unadjusted p-values (G,) of the same."""
        return two_sided(self._with_sign(self._combined[:, self.min_studies - 1]))

    @cached_property
    def _without(self) -> Floats:
        """Adjusted p-values (m, G) without each study; 1 where too few others know the item."""
        r, left = self.min_studies, []
        for k in range(len(self.studies)):
            rest = np.delete(self.log_p, k, axis=1)
            if len(rest[0]) < r:
                return np.ones(self.effects.shape)
            combined = np.stack([partial_conjunction(log_p)[r - 1] for log_p in rest])
            left.append(np.nan_to_num(self._adjusted(r, rest, combined), nan=1.0))
        return np.stack(left)

    @cached_property
    def _carries(self) -> tuple[Booleans, Booleans]:
        """Which studies (m, G) carry an item, and which speak against it."""
        small = self.log_p <= np.log(NOMINAL)
        return self._with_sign(small) > 0, self._with_sign(small, other=True) > 0

    def _order(self) -> Any:
        """Positions of the items, best first."""
        return np.lexsort((self.p_values, self.adjusted_p_values))

    def _found(self, fdr: float) -> Booleans:
        return np.asarray(self.adjusted_p_values <= fdr)

    def select(self, fdr: float = 0.05, direction: str = "both") -> list[str]:
        """Names of the items whose adjusted p-value is at most `fdr`, best first.

        `direction` is ``"both"``, ``"up"`` or ``"down"``.
        """
        check_real("fdr", fdr, low=0.0, high=1.0, low_open=True)
        check_choice("direction", direction, ("both", "up", "down"))
        wanted = self._found(fdr) & ((direction == "both") | (self._up == (direction == "up")))
        return [self.names[j] for j in self._order() if wanted[j]]

    def at_least(self, fdr: float = 0.05) -> NDArray[np.int64]:
        """In how many studies (G,) at least: all adjusted p-values up to that number are at most `fdr`."""
        return np.asarray(np.logical_and.accumulate(self._by_number <= fdr).sum(axis=0))

    def to_frame(self, fdr: float = 0.05) -> pd.DataFrame:
        """One row per item, best first.

        ``direction``, ``p_value`` and ``adjusted_p_value`` of "in fewer than `min_studies` studies",
        ``at_least`` (as :meth:`at_least`), ``n_studies`` (that know it), ``carried_by`` and ``against``
        (studies whose one-sided p-value with its sign, or with the other one, is at most 0.05), ``rests_on``
        (the study without which least remains; several if they tie, and none if all do) and
        ``adjusted_p_without`` it, ``median_effect``, and ``i_squared`` (the share of the variation of its
        effects beyond their standard errors).
        """
        p, adjusted = self.p_values, self.adjusted_p_values
        keys = np.unique(np.nan_to_num([adjusted, p], nan=2.0), axis=1, return_inverse=True)[1]
        (carried, against), worst = self._carries, self._without.max(axis=0)
        columns = {
            "rank": rank_scores(keys, higher_is_better=False),
            "direction": np.where(self._up, "up", "down"),
            "p_value": p,
            "adjusted_p_value": adjusted,
            "at_least": self.at_least(fdr),
            "n_studies": (~np.isnan(self.log_p[0])).sum(axis=0),
            "carried_by": self._named(carried),
            "against": self._named(against),
            "rests_on": self._named((self._without == worst) & (self._without < worst).any(axis=0)),
            "adjusted_p_without": worst,
            "median_effect": pd.DataFrame(self.effects).median().to_numpy(),
            "i_squared": i_squared(self.effects, self.standard_errors),
        }
        frame = pd.DataFrame(columns, index=pd.Index(self.names, name="item"))
        return frame.take(self._order())

    def _named(self, which: Booleans) -> list[str]:
        names = np.array(self.studies, dtype=object)
        return [", ".join(names[row]) for row in which.T]

    def by_study(self, fdr: float = 0.05) -> pd.DataFrame:
        """One row per study: its share in the items that are found.

        ``items``, ``front`` (share of its items with a one-sided p-value of at most 0.05 up or down, 0.1
        by chance), and of the items that are found ``carried``, ``against``, and how many are ``left``
        without the study.
        """
        found, (carried, against) = self._found(fdr), self._carries
        items = (~np.isnan(self.log_p[0])).sum(axis=1)
        columns = {
            "items": items,
            "front": (carried | against).sum(axis=1) / items,
            "carried": carried[:, found].sum(axis=1),
            "against": against[:, found].sum(axis=1),
            "left": (self._without[:, found] <= fdr).sum(axis=1),
        }
        return pd.DataFrame(columns, index=pd.Index(self.studies, name="study"))

    def pairs(self) -> pd.DataFrame:
        """One row per pair of studies: how far they agree, and whether they seem to share samples.

        ``common`` items, the ``correlation`` of their normal scores with signs, items that both carry in one
        direction (``both_tails``) and how many are ``expected`` of independent studies, the correlation in
        the ``middle`` 80 % of both, the ``overlap``, and whether the pair seems to have ``shared`` something.
        What is true makes tails agree, and the middle too if it has many small effects; samples, controls or
        an artefact in common make the middle agree and errors cancel.  The differences of the normal
        deviates of two independent studies have variance 2 under any truth, and 2 (1 − c) if the errors
        have correlation c: ``overlap`` is c by their quartiles, NaN without p-values.  A pair is ``shared``
        if ``middle`` is above 0.2 (more with few items) and either ``overlap`` above 0.3 (likewise), or
        ``middle`` 0.2 above the median of the other pairs.
        """
        return self._pairs.copy()

    @cached_property
    def _deviates(self) -> Floats:
        """Normal deviates (m, G) with the signs of the effects; NaN where ranks leave them unknown."""
        if self.parameters["evidence"] == "ranks":
            with np.errstate(divide="ignore", invalid="ignore"):
                return self.effects / self.standard_errors
        up, down = self.log_p
        sizes = -scipy.special.ndtri_exp(np.minimum(up, down))
        return np.asarray(np.where(up <= down, sizes, -sizes))

    @cached_property
    def _pairs(self) -> pd.DataFrame:
        evidence = pd.DataFrame((self.log_p[1] - self.log_p[0]).T, columns=self.studies)
        scores = scipy.special.ndtri(((evidence.rank() - 0.5) / evidence.count()).to_numpy().T)
        tails = self.log_p <= np.log(NOMINAL)
        rows = []
        for i, j in combinations(range(len(scores)), 2):
            both = ~np.isnan(scores[i] + scores[j])
            middle = both & (np.abs(scores[[i, j]]) < MIDDLE).all(axis=0)
            shares = tails[:, [i, j]][:, :, both].mean(axis=2) if both.any() else np.zeros((2, 2))
            rows.append({
                "study": self.studies[i],
                "other": self.studies[j],
                "common": int(both.sum()),
                "correlation": _correlation(scores[i][both], scores[j][both]),
                "both_tails": int((tails[:, i] & tails[:, j]).sum()),
                "expected": float(shares.prod(axis=1).sum() * both.sum()),
                "middle": _correlation(scores[i][middle], scores[j][middle]),
                "overlap": _common_errors(self._deviates[i], self._deviates[j]),
            })  # fmt: skip
        frame = pd.DataFrame(rows)
        root = np.sqrt(np.maximum(frame["common"], 1))
        enough, middle = np.maximum(SHARED, 3.0 / root), frame["middle"]
        others = np.nan_to_num([middle.drop(k).median() for k in frame.index])
        # Of one pair the middle decides alone, if its deviates are unknown.
        apart = middle - others > enough if len(frame) > 1 else frame["overlap"].isna()
        cancel = frame["overlap"] > np.maximum(OVERLAP, 5.0 / root)
        frame["shared"] = (middle > enough) & (apart | cancel)
        return frame

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        fdr, best = view["fdr"], self.to_frame(view["fdr"]).head(view["top"]).reset_index()
        found = {way: len(self.select(fdr, way)) for way in ("up", "down")}
        return {**super()._record(view), "found": found, "best": records(best)}

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        items, studies = self.to_frame(view["fdr"]), self.by_study(view["fdr"])
        return {"items.csv": items, "studies.csv": studies, "pairs.csv": self._pairs}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return [f"result.to_frame().head({view['top']})", "result.by_study()", "result.pairs()"]

    def _told(self, fdr: float) -> list[str]:
        """What was found, and what it rests on; first of all, whether studies seem to share samples."""
        found, left = self._found(fdr), self.by_study(fdr)["left"]
        up, total, m = int((found & self._up).sum()), int(found.sum()), len(self.studies)
        sentences = [
            *self._warning(),
            f"{plural(total, 'item')} of {len(self.names):,} in at least {self.min_studies} of {m} studies "
            f"with one sign, with a false discovery rate of at most {fdr:g}: {up:,} up, {total - up:,} down.",
            self._overlap(),
        ]
        if total and m > self.min_studies:
            least, rest = (
                self.studies[int(left.argmin())],
                "It rests" if total == 1 else "They rest",
            )
            remain = f"{left.min():,} of {total:,} {'remains' if total == 1 else 'remain'}."
            sentences.append(f"{rest} most on {least}: without it {remain}")
        if conflicts := int(self._carries[1][:, found].any(axis=0).sum()):
            among = "It" if total == 1 else f"{conflicts:,} of them"
            one = "is" if conflicts == 1 else "are"
            sentences.append(f"{among} {one} significant with the other sign in some study.")
        spread = i_squared(self.effects, self.standard_errors)[found]
        if not np.isnan(spread).all():
            share = f"{np.nanmedian(spread):.0%}"
            of = "its effects" if total == 1 else "their effects"
            median = "I²" if total == 1 else "median I²"
            sentences.append(
                f"Between studies {of} vary no more than their standard errors explain ({median} 0%)."
                if share == "0%"
                else f"Of the variation of {of} between studies, {share} is beyond the standard errors "
                f"({median})."
            )
        return sentences

    def _overlap(self) -> str:
        """How many items are in all studies, and in one only."""
        m, known = len(self.studies), (~np.isnan(self.log_p[0])).sum(axis=0)
        everywhere, once = int((known == m).sum()), int((known == 1).sum())
        studies = "both studies" if m == 2 else f"all {m} studies"
        if everywhere == len(known):
            return f"All items are in {studies}."
        return f"{everywhere:,} of {plural(len(known), 'item')} are in {studies}, {once:,} in one only."

    def _warning(self) -> list[str]:
        """A sentence on the pairs that seem to share something, if there are any."""
        pairs = self._pairs[self._pairs["shared"]].sort_values(
            "middle", ascending=False, kind="stable"
        )
        if not len(pairs):
            return []
        both = list(zip(pairs["study"], pairs["other"], strict=True))
        if len(pairs) == 1:
            which, where = (
                " and ".join(both[0]),
                f"correlation {pairs['middle'].iloc[0]:.2f} in the middle 80 %",
            )
        else:
            names = enumerate_names([" with ".join(pair) for pair in both], 3)
            which = f"{len(pairs):,} pairs of studies ({names})"
            low, high = pairs["middle"].iloc[[-1, 0]]
            where = f"correlations from {low:.2f} to {high:.2f} in the middle 80 %"
        doubt = ""
        if len(self._pairs) == 1 and pairs["overlap"].isna().any():
            doubt = "; many small effects would do the same"
        return [
            f"{which} agree where most items are null ({where}){doubt}. Copies and analyses of one data set, "
            "or studies with samples or controls in common, count as one study: keep one of them. "
            "Otherwise the p-values are too small."
        ]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        first, *rest = self._told(view["fdr"])
        frame = self.to_frame(view["fdr"]).head(view["top"]).reset_index()
        best = f"The best {plural(len(frame), 'item')}."
        for column in ("carried_by", "against"):  # how many studies: the page has their names
            frame[column] = frame[column].str.count(", ") + (frame[column] != "")
        found = plural(int(self._found(view["fdr"]).sum()), "item")
        return [
            Text(Markup("<b>{}</b>").format(first)),
            *map(Text, rest),
            PageTable.of_frame(best, frame, self._columns, header=1),
            PageTable.of_frame(
                f"The studies, and their share in the {found} that were found.",
                self.by_study(view["fdr"]).reset_index(),
                OF_STUDIES,
                "In its tails: one-sided p-value of at most 0.05 up or down, 10 % by chance. Carries, "
                "against: significant items in its tail with their sign, or with the other. Far more than "
                "in other studies may be power or an artefact.",
            ),
            Text(INDEPENDENT, quiet=True),
        ]

    @property
    def _columns(self) -> dict[str, Any]:
        """The columns of tables of items, those of effects if there are any."""
        left_out = () if (~np.isnan(self.effects)).any() else ("median_effect", "i_squared")
        return {name: column for name, column in OF_ITEMS.items() if name not in left_out}

    def __repr__(self) -> str:
        best = ", ".join(self.names[j] for j in self._order()[:3])
        found = f"{plural(int(self._found(0.05).sum()), 'item')} of {len(self.names):,}"
        return (
            f"Studies({plural(len(self.studies), 'study')}; {found} in at least {self.min_studies}; "
            f"best first: {best})"
        )


def _correlation(left: Floats, right: Floats) -> float:
    """NaN for fewer than three items, or where a study has one value for all of them."""
    if len(left) < 3 or np.ptp(left) == 0.0 or np.ptp(right) == 0.0:
        return float("nan")
    return float(np.corrcoef(left, right)[0, 1])


def _common_errors(left: Floats, right: Floats) -> float:
    """Correlation of the errors of two studies, from the quartiles of the differences of their deviates
    (2 (1 − c) is the variance); items without a sign, such as those with p = 1, say nothing."""
    told = np.isfinite(left + right) & (left != 0.0) & (right != 0.0)
    if not told.any():
        return float("nan")
    low, high = np.quantile(left[told] - right[told], [0.25, 0.75])
    return float(1.0 - 0.5 * ((high - low) / QUARTILES) ** 2)


def i_squared(effects: Floats, errors: Floats) -> Floats:
    """I² (G,): the share of the variation of effects beyond sampling errors, max(0, 1 − (k − 1)/Q)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(np.isnan(effects) | ~(errors > 0.0), 0.0, errors**-2.0)
        known, values = (weights > 0.0).sum(axis=0), np.nan_to_num(effects)
        mean = (weights * values).sum(axis=0) / weights.sum(axis=0)
        q = (weights * (values - mean) ** 2).sum(axis=0)
        return np.where(known > 1, np.maximum(0.0, 1.0 - (known - 1) / q), np.nan)
