"""A selection from complementary pairs with a bound on its errors, and the assumptions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pyfsagg._base.arithmetic import Booleans, Floats, Indices
from pyfsagg._base.fields import Part
from pyfsagg._base.validation import check_choice, check_level, check_list, check_real
from pyfsagg._base.words import enumerate_names, plural
from pyfsagg._message import Name, Param, Remedy, Use
from pyfsagg.error_control import bounds, paths
from pyfsagg.error_control.permutation import limit_text, selections
from pyfsagg.exceptions import DataError, ParameterError

METHODS = {"max_false": ("stability_selection", "integrated_path"), "fdr": ("integrated_path",)}
"""Methods for each goal that read pairs of halves; the first one is the default."""
BY_P_VALUES = {
    "max_false": ("expected_number",),
    "fdr": ("benjamini_hochberg", "benjamini_yekutieli"),
}
"""Methods for each goal that read p-values from shuffled targets; the first one is the default of a run."""
THRESHOLD = 0.75
"""Default selection frequency from which stability selection selects: the middle of the range from 0.6 to 0.9
of Meinshausen and Bühlmann (2010)."""
EXCHANGEABLE = (
    "noise features are exchangeable (none is favoured, for instance by having more levels), and the "
    "filter does not do worse than guessing"
)
SUPPOSED = {
    "none": f"{EXCHANGEABLE}.",
    "unimodal": (
        f"{EXCHANGEABLE}; how often both halves of a pair select a noise feature has a unimodal "
        "distribution."
    ),
    "r-concave": (
        f"{EXCHANGEABLE}; how often halves, and both halves of a pair, select a noise feature has an "
        "r-concave distribution (r = −1/4 and −1/2)."
    ),
    "integrated_path": (
        f"{EXCHANGEABLE}; halves of different pairs select a noise feature as if they were independent, "
        "which halves that share rows are not."
    ),
}
SOURCES = {
    "none": "Meinshausen and Bühlmann 2010",
    "unimodal": "Shah and Samworth 2013, unimodal",
    "r-concave": "Shah and Samworth 2013, r-concave",
    "integrated_path": "Melikechi and Miller 2025",
}
FEW_OF_MANY = (
    "The method depends on the scale of the scores and needs the features related to the target to be few of "
    "many: where they are a large part, or a single one of very many, it can select none however strongly "
    "they are related. A larger limit may select some. P-values from shuffled targets, the default of a run, "
    "do not need them to be few."
)
ESTIMATE = "A q-value is an estimate of the false discovery rate, not a bound."


@dataclass(frozen=True, eq=False)
class ErrorControl(Part):
    """A selection of features under a limit on errors, with the bound on false selections.

    Attributes
    ----------
    feature_names : tuple of str
        The p features, in the order of the table.
    support : ndarray of bool (p,)
        The selected features; all False if none can be selected.
    goal : {"max_false", "fdr"}
        A limit on the expected number of false selections, or on their expected share.
    level : float
        The limit.
    method, assumption, function : str
        Settings of the method; `assumption` belongs to bounds, `function` to integrated paths.
    q : int
        Features that each half selected (stability selection); 0 if no number keeps the limit.
    threshold : float
        Frequency from which a feature is selected; infinite if none keeps the limit.
    bound : float
        Expected number of false selections at that threshold, at most.
    n_pairs : int
    frequency : ndarray (p,)
        Share of halves in which the feature is among the best q (of one, if q is 0); where a tie
        crosses the cut, none of the tied features is.
    expected_false : ndarray (p,)
        The bound if all features with at least this frequency were selected, at most p.  It holds for a
        frequency that is fixed beforehand; here each feature has its own.
    path_expected_false, q_values : ndarray (p,)
        Results of integrated path stability selection.
    """

    feature_names: tuple[str, ...]
    support: Booleans
    goal: str
    level: float
    method: str
    assumption: str
    function: str
    q: int
    threshold: float
    bound: float
    n_pairs: int
    frequency: Floats
    expected_false: Floats
    path_expected_false: Floats
    q_values: Floats

    @property
    def selected(self) -> list[str]:
        """Names of the selected features, the safest first; empty if nothing can be selected."""
        return [self.feature_names[j] for j in self._order() if self.support[j]]

    def _order(self) -> Indices:
        by_path = self.method == "integrated_path"
        key = self.path_expected_false if by_path else self.expected_false
        return np.lexsort((-self.frequency, key))

    def columns(self) -> dict[str, NDArray[Any]]:
        """What :meth:`to_frame` holds, in the order of the table."""
        return {
            "controlled": self.support,
            "pair_frequency": self.frequency,
            "expected_false": self.expected_false,
            "path_expected_false": self.path_expected_false,
            "q_value": self.q_values,
        }

    def to_frame(self) -> pd.DataFrame:
        """One row per feature, the safest first.

        ``controlled`` (selected under the limit), ``pair_frequency``, ``expected_false``,
        ``path_expected_false`` and ``q_value``.
        """
        frame = pd.DataFrame(self.columns(), index=pd.Index(self.feature_names, name="feature"))
        return frame.iloc[self._order()]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The selection, its error bound and the assumptions, in sentences."""
        by_path, p, names = self.method == "integrated_path", len(self.feature_names), self.selected
        finding = f"With {limit_text(self.goal, self.level)}, "
        if names:
            finding += (
                f"{len(names)} of {plural(p, 'feature')} can be selected: {enumerate_names(names)}."
            )
        else:
            finding += (
                f"no feature can be selected: {self._reason()} That does not say that no feature is "
                "related to the target."
            )
        source = SOURCES["integrated_path" if by_path else self.assumption]
        if by_path or not (self.q and math.isfinite(self.threshold)):
            how = "integrated path stability selection" if by_path else "stability selection"
            detail = f"{self.function}; {source}" if by_path else source
            ground = f"By {how} over {self.n_pairs} pairs of halves ({detail})."
        else:
            ground = (
                f"The limit asks for a place among the best {self.q} in at least {_share(self.threshold)} "
                f"of the {2 * self.n_pairs:,} halves of the rows; a noise feature has one in "
                f"{_share(self.q / p)} by chance. The bound is {self.bound:.2g} false "
                f"{selections(self.bound)} ({source})."
            )
        supposed = SUPPOSED["integrated_path" if by_path else self.assumption]
        estimate = (ESTIMATE,) if by_path and self.goal == "fdr" else ()
        return (finding, ground, f"Supposed: {supposed}", *estimate)

    def _reason(self) -> str:
        if self.method == "integrated_path":
            by_number = self.goal == "max_false"
            values = self.path_expected_false if by_number else self.q_values
            what = "number of expected false selections" if by_number else "q-value"
            best = int(values.argmin())
            smallest = f"the smallest {what} is {values[best]:.2g}, of {self.feature_names[best]}."
            return f"{smallest} {FEW_OF_MANY}"
        if not math.isfinite(self.threshold):
            return (
                "not even one feature that every half puts first would keep the limit, whatever the data. "
                "A larger limit does, and more pairs may."
            )
        best = int(self.frequency.argmax())
        return (
            f"the most frequent one, {self.feature_names[best]}, is among the best {self.q} in "
            f"{_share(self.frequency[best])} of the halves, and {_share(self.threshold)} are needed. If more "
            f"than {self.q} features are related to the target, they take these places from each other; a "
            "larger limit gives more places."
        )

    def record(self) -> dict[str, Any]:
        """Plain values, for a file."""
        names = ("goal", "level", "method", "assumption", "function", "q", "threshold", "bound")
        record = {name: getattr(self, name) for name in (*names, "n_pairs", "selected")}
        for name in ("threshold", "bound"):
            record[name] = record[name] if math.isfinite(record[name]) else None
        return {**record, "sentences": list(self.sentences)}

    def __repr__(self) -> str:
        return "\n".join(self.sentences)


def _share(value: float) -> str:
    return f"{100 * value:.3g} %"


def control_errors(
    scores: ArrayLike,
    feature_names: Sequence[str] | None = None,
    *,
    max_false: float | None = None,
    fdr: float | None = None,
    method: str | None = None,
    assumption: str = "unimodal",
    q: int | None = None,
    threshold: float | None = None,
    function: str = "h2",
) -> ErrorControl:
    """Select features under a limit on false selections, from the scores of complementary pairs.

    Parameters
    ----------
    scores : array-like (2B, p)
        Scores of the two halves of each pair, one after the other; larger = more important.
    feature_names : sequence of str, optional
    max_false : float, optional
        Accepted expected number of false selections, above 0; 1 if `fdr` is not given either.
    fdr : float, optional
        Accepted expected share of false selections among the selected, in (0, 1).
    method : {"stability_selection", "integrated_path"}, optional
        For `max_false`: ``"stability_selection"`` (default; a bound) or ``"integrated_path"``.
        For `fdr`: ``"integrated_path"`` (q-values; few of many features must be related to the target).
    assumption : {"unimodal", "r-concave", "none"}
        Of the bounds; see :func:`pfer_bound`.
    q, threshold : int, float, optional
        Number of features that each half selects, and smallest frequency of a selected feature.  By
        default the threshold is 0.75 and q the largest that keeps the limit.  They must not be chosen
        after a look at the result.
    function : {"h1", "h2", "h3"}
        Weight function of integrated paths.

    Returns
    -------
    ErrorControl
        Also if no feature can be selected.

    Raises
    ------
    DataError
        If there are fewer than two pairs, or a score is missing.

    See Also
    --------
    pfer_bound : The bound of stability selection.
    TargetPermutation : P-values from shuffled targets, which need no pairs.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(size=(100, 40))
    >>> scores[:, 3] += 5.0
    >>> control_errors(scores, max_false=0.5).selected
    ['x3']
    """
    matrix, names = _read(scores, feature_names)
    goal, level = check_goals(max_false, fdr)
    method = METHODS[goal][0] if method is None else check_choice("method", method, METHODS[goal])
    if method != "stability_selection" and not (q is None and threshold is None):
        raise ParameterError(
            "q and threshold need ",
            Use(method="stability_selection"),
            f"; {method!r} goes over all of them",
        )
    n_pairs, p = matrix.shape[0] // 2, matrix.shape[1]
    rule = level if goal == "max_false" else 1.0
    q, threshold = _size_and_threshold(q, threshold, p, n_pairs, rule, assumption)
    size = max(q, 1)
    frequency = bounds.selection_frequency(matrix, size)
    path = paths.integrated_path(matrix.reshape(n_pairs, 2, p), function=function)
    if method == "stability_selection":
        support = frequency >= threshold - 1e-9
    else:
        support = (path.expected_false if goal == "max_false" else path.q_values) <= level
    bound = math.inf
    if math.isfinite(threshold):
        bound = bounds.pfer_bound(size, p, threshold, n_pairs=n_pairs, assumption=assumption)
    return ErrorControl(
        feature_names=names,
        support=support,
        goal=goal,
        level=level,
        method=method,
        assumption=assumption,
        function=function,
        q=q,
        threshold=threshold,
        bound=bound,
        n_pairs=n_pairs,
        frequency=frequency,
        expected_false=bounds.bound_of_frequency(frequency, size, p, n_pairs, assumption),
        path_expected_false=path.expected_false,
        q_values=path.q_values,
    )


def check_goals(max_false: float | None = None, fdr: float | None = None) -> tuple[str, float]:
    """The given goal and its level; by default one false selection."""
    if max_false is not None and fdr is not None:
        raise ParameterError(
            Param("max_false"),
            " and ",
            Param("fdr"),
            " are two different goals",
            Remedy("give one of them"),
        )
    if fdr is not None:
        return "fdr", check_level("fdr", fdr)
    rule = 1.0 if max_false is None else max_false
    return "max_false", check_real("max_false", rule, low=0.0, low_open=True)


def require_pairs(plan: str, no_shuffles: str = "") -> None:
    """Refuse a run with neither complementary pairs nor shuffled targets."""
    if plan != "complementary_pairs":
        why = f". It has no p-values from shuffled targets either: {no_shuffles}."
        raise DataError(
            "this kind of error control reads the halves of complementary pairs, and this run was resampled ",
            f"by {plan!r}{why if no_shuffles else ''}",
            Remedy("run it again with ", Use(resampling="complementary_pairs")),
        )


def _read(scores: ArrayLike, names: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    matrix = bounds.matrix_of_halves(scores)
    if matrix.shape[0] < 4:
        raise DataError(
            f"{matrix.shape[0]} halves are too few to control errors: at least two pairs are ",
            "needed, and 50 are usual",
            Remedy("draw more, with ", Use(n_resamples=100)),
        )
    p = matrix.shape[1]
    names = [f"x{j}" for j in range(p)] if names is None else check_list("feature_names", names)
    if len(names) != p:
        raise DataError(f"{len(names)} names for {p} features")
    return matrix, tuple(names)


def _size_and_threshold(
    q: int | None, threshold: float | None, p: int, n_pairs: int, rule: float, assumption: str
) -> tuple[int, float]:
    """The size of the selections and the threshold that keep the limit `rule`; 0 and infinity if none do."""
    how: dict[str, Any] = {"n_pairs": n_pairs, "assumption": assumption}
    if q is not None and threshold is not None:
        bound = bounds.pfer_bound(q, p, threshold, **how)
        if bound > rule:
            raise ParameterError(
                "with ",
                Use(q=q),
                " and ",
                Use(threshold=Name(f"{threshold:g}")),
                f" up to {bound:.3g} false selections are expected, more than {rule:g}",
                Remedy("give one of the two, and the other is found"),
            )
        return q, threshold
    if q is not None:
        return q, bounds.pfer_threshold(q, p, rule, **how)
    frequency = THRESHOLD if threshold is None else threshold
    size = bounds.pfer_size(frequency, p, rule, **how)
    if size:
        return size, frequency
    if threshold is not None or bounds.largest_size(p, n_pairs, assumption) < 1:
        return 0, math.inf
    # A small limit: one feature in each half, in more of them.
    frequency = bounds.pfer_threshold(1, p, rule, **how)
    return (1, frequency) if math.isfinite(frequency) else (0, math.inf)
