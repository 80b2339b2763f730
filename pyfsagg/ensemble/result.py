"""What an ensemble run leaves behind, and how it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pyfsagg._base.blocks import column_blocks
from pyfsagg._base.remarks import set_aside, warn
from pyfsagg._base.words import lines_of
from pyfsagg._run.result import Result, Saved, records
from pyfsagg.aggregation import AGGREGATORS
from pyfsagg.ensemble._between import halves_of, split_pairs
from pyfsagg.ensemble._terminal import paragraphs_of
from pyfsagg.ensemble.clusters import Copies, about_copies, clusters_of_run
from pyfsagg.ensemble.compare import compare_runs
from pyfsagg.ensemble.groups import Grouped
from pyfsagg.ensemble.rank_sets import MOST_SHOWN, sets_of_run, why_no_sets
from pyfsagg.ensemble.scoring import as_lists
from pyfsagg.ensemble.selection import Choice, Selection, choose, select_features
from pyfsagg.ensemble.shuffled import ShuffledTargets
from pyfsagg.error_control import (
    ErrorControl,
    TargetPermutation,
    control_errors,
)
from pyfsagg.error_control.control import require_pairs
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import about_ties, rank_scores, tie_sizes
from pyfsagg.stability_measures import (
    BetweenSampleStability,
    between_sample_stability,
    feature_stability,
    thesis_measures,
)
from pyfsagg.statistics import RankConfidence
from pyfsagg.statistics._input import check_level

__all__ = ["EnsembleResult"]

_COLUMNS = {
    "rank_q2.5": "rank_lower",
    "rank_median": "rank_median",
    "rank_q97.5": "rank_upper",
    "frequency": "selection_frequency",
    "lower": "frequency_lower",
    "upper": "frequency_upper",
}


_Measured = tuple[pd.DataFrame | DataError, list[str]]


@dataclass(frozen=True, eq=False)
class EnsembleResult(Grouped, Result):
    """Ranking of features by an ensemble of filter scores over resamples.

    Attributes
    ----------
    method : {"wam", "bam"}
    feature_names : tuple of str
    score_matrices : dict of str to ndarray (n_resamples, n_features)
        Scores of each filter in each resample, larger = more important; missing (NaN) where a
        resample did not see a feature.
    combined : ndarray (n_resamples, n_features)
        Scores that the aggregator was given: of the only filter (WAM), or of all filters combined
        within each resample (BAM).
    scores : ndarray (n_features,)
        Aggregated scores, larger = more important.
    ranking : ndarray (n_features,)
        Ranks of `scores`, 1 = most important; ties get average ranks.
    permutation : TargetPermutation or None
        P-values against shuffled targets, of a run with ``checks=Checks(null="permutation")``.
    parameters, data, versions : dict
        Settings of the run (with the seed that repeats it), data and software versions.
    own_scores : ndarray (n_features,) or None
        Combined scores of the table itself, each row once, on which :meth:`rank_confidence` centres
        its sets if resamples repeat rows.
    halves : ndarray (2 n_pairs, n_features) or None
        Combined scores of pairs of disjoint halves of the rows, which
        :meth:`between_sample_stability` compares; rows 2j and 2j + 1 are a pair.
    copies : Copies or None
        Numeric features that are nearly copies (``|r|`` at least 0.9); None if the run did not look for
        them, as in sparse or wide tables.  :meth:`clusters` shows how often they are selected.
    shuffled : ShuffledTargets or None
        What the same filters give with shuffled targets; None where there are none
        (``parameters["shuffles"]`` has the reason).

    Notes
    -----
    Shown with a `threshold`, the selection (``"auto"`` by default: :meth:`selection`), and with `max_false`
    or `fdr`, a limit on false selections (:meth:`error_control`).  Pictures: ``"ranking"`` (ranks with
    their intervals), ``"agreement"`` (rank correlation between filters), ``"scores"`` (their
    distribution) and ``"convergence"`` (agreement with the final ranking as resamples are added).
    """

    kind: ClassVar[str] = "ensemble"
    noun: ClassVar[str] = "run"
    options: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"threshold": "auto", "max_false": None, "fdr": None}
    )

    method: str
    feature_names: tuple[str, ...]
    score_matrices: Mapping[str, NDArray[np.float64]]
    combined: NDArray[np.float64]
    scores: NDArray[np.float64]
    ranking: NDArray[np.float64]
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]
    own_scores: NDArray[np.float64] | None = None
    halves: NDArray[np.float64] | None = None
    permutation: TargetPermutation | None = None
    copies: Copies | None = None
    shuffled: ShuffledTargets | None = None

    @property
    def n_resamples(self) -> int:
        return int(self.combined.shape[0])

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    def columns(self, threshold: float | int | str = "auto") -> list[str]:
        """Columns of the table that the features of :meth:`select` stand for, best feature first.

        They are the features themselves unless the run had groups.

        Parameters
        ----------
        threshold : int, float or str
            As in :meth:`select`: a number of features, which may be groups, not of columns.

        Raises
        ------
        ParameterError, DataError
            As in :meth:`select`.
        """
        return self._columns_of(self.select(threshold))

    @cached_property
    def resample_ranks(self) -> NDArray[np.float64]:
        """Ranks of the features in each resample, shape (n_resamples, n_features)."""
        return rank_scores(self.combined)

    def select(self, threshold: float | int | str = "auto") -> list[str]:
        """Names of the selected features, best first; ties are broken by column order.

        Parameters
        ----------
        threshold : int, float or str
            As in :meth:`selection`.

        Raises
        ------
        ParameterError
            If the number is below 1 or above the number of features, or the fraction out of range.
        """
        return list(choose(self, threshold).names)

    def support(self, threshold: float | int | str = "auto") -> NDArray[np.bool_]:
        """Boolean mask (n_features,) of the features that :meth:`select` returns."""
        return choose(self, threshold).chosen

    def selection(self, threshold: float | int | str = "auto") -> Selection:
        """The selected features, why there are so many, and where each feature stands.

        Parameters
        ----------
        threshold : int, float or str
            A number of features, or a fraction of them (above 0, at most 1; rounded up); a limit on false
            selections, ``"pfer:1"`` or ``"fdr:0.1"`` (:meth:`error_control`); or ``"auto"``, a proposal.
            The last two may select nothing.

        Returns
        -------
        Selection

        Raises
        ------
        ParameterError
            If the number is below 1 or above the number of features, or the fraction out of range.
        DataError
            For a limit on false selections, if the run has no complementary pairs.

        Notes
        -----
        A proposal has only features that score above noise: further above their own usual score with
        shuffled targets than any feature with any of 19 shuffled targets (with more of them, further than
        in all but 5 % of the targets).  If the target is unrelated to all features, at most one run in
        twenty proposes any.  Of the features above noise those before the knee of the aggregated scores are
        proposed (the split into two groups that explains most of their variance: Zhu and Ghodsi 2006), or
        all of them if the scores have no knee.  Where the rows of the target cannot be shuffled
        (:func:`pyfsagg.wam`), only the knee decides, or a quarter is proposed, and the reason says so.

        Filters whose score of a feature depends on other features, such as mRMR, are not asked where there
        are others: their score of a feature without relation to the target is not that of shuffled targets
        if other features are related to it.  Alone, they keep the share of false proposals for a target
        without any relation to the features only.  Simulations are in the calibration report.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> result = pyfsagg.wam(data.X, data.y, n_resamples=50, random_state=0)
        >>> result.selection().number
        7
        """
        return select_features(self, threshold)

    def compared(self, threshold: float | int | str = "auto") -> int:
        """How many features frequencies and measures of stability are about.

        As many as the ranking has down to the last selected one; 10, of fewer than 40 features a quarter,
        if none is selected.
        """
        return choose(self, threshold).compared

    def chosen(self, view: Mapping[str, Any]) -> Choice:
        """What the view selects."""
        return choose(self, self.threshold_of(view))

    def threshold_of(self, view: Mapping[str, Any]) -> float | int | str:
        """The threshold of the view; a limit on false selections takes the place of a proposal."""
        if view["threshold"] == "auto":
            for name, word in (("max_false", "pfer"), ("fdr", "fdr")):
                if view.get(name) is not None:
                    return f"{word}:{view[name]!r}"
        threshold: float | int | str = view["threshold"]
        return threshold

    def frequencies(self, k: int) -> NDArray[np.float64]:
        """Share of the resamples (n_features,) that have a feature among their best `k`.

        Equal scores at the edge count with the share of their orders that selects them.
        """
        return np.asarray(self._over_resamples(k)["selection_frequency"])

    def _best(self, k: int) -> NDArray[np.intp]:
        return np.argsort(self.ranking, kind="stable")[:k]

    def error_control(
        self, *, max_false: float | None = None, fdr: float | None = None, **options: Any
    ) -> ErrorControl:
        """Select features under a limit on false selections.

        It reads the halves of a run with ``resampling="complementary_pairs"``; nothing is computed
        again.

        Parameters
        ----------
        max_false : float, optional
            Accepted expected number of false selections; 1 if `fdr` is not given either.
        fdr : float, optional
            Accepted expected share of false selections among the selected, in (0, 1).
        **options
            As in :func:`pyfsagg.error_control.control_errors`: `method`, `assumption`, `q`,
            `threshold`, `function`.

        Returns
        -------
        ErrorControl
            Its ``sentences`` state the selection, its error bound and the assumptions.  An empty
            selection is a valid answer.

        Raises
        ------
        DataError
            If the run has no complementary pairs, or fewer than two.
        ParameterError
            As in :func:`pyfsagg.error_control.control_errors`.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> pairs = pyfsagg.ComplementaryPairs()
        >>> result = pyfsagg.wam(
        ...     data.X, data.y, resampling=pairs, n_resamples=100, random_state=0
        ... )
        >>> result.error_control(max_false=0.5).selected
        ['flavanoids']
        """
        require_pairs(self.parameters["resampling"])
        return control_errors(
            self.combined, self.feature_names, max_false=max_false, fdr=fdr, **options
        )

    def controlled(self, view: Mapping[str, Any]) -> ErrorControl | None:
        """Error control as the view asks for it."""
        goals = {name: view.get(name) for name in ("max_false", "fdr")}
        asked = {name: level for name, level in goals.items() if level is not None}
        if not asked:
            return None
        key = tuple(asked.items())
        if key not in self._controls:
            self._controls[key] = self.error_control(**asked)
        return self._controls[key]

    @cached_property
    def _controls(self) -> dict[tuple[tuple[str, float], ...], ErrorControl]:
        """What was asked for, so that the table, the page and the record share it."""
        return {}

    @property
    def seed(self) -> int:
        """The seed of the run, which also settles what is drawn for its tables."""
        return int(self.parameters.get("seed") or 0)

    def about_ties(self, threshold: float | int | str = "auto") -> str:
        """Number of features with equal scores, and whether ties decide which are selected.

        Empty without ties.  :meth:`select` breaks ties by the order of the columns.
        """
        return about_ties(self.scores, self.compared(threshold))

    @property
    def aggregates_extremes(self) -> bool:
        """Whether one resample can decide the value of a feature, as with the minimum."""
        return bool(AGGREGATORS.get(self.parameters["aggregator"]).extreme)

    def reaggregate(self, combined: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores (n_features,) of other rows of `combined` by the aggregator of the run."""
        if self.parameters["aggregator"] == "arithmetic_mean" and not np.isnan(combined).any():
            return np.asarray(combined.mean(axis=0))
        compute = AGGREGATORS.get(self.parameters["aggregator"]).bind(
            **self.parameters["aggregator_params"]
        )
        with set_aside():  # what an aggregator has to say about these data it has said in the run
            return compute(as_lists(combined, self.feature_names)).scores

    def between_sample_stability(
        self, threshold: float | int | str = "auto", *, level: float = 0.95
    ) -> BetweenSampleStability:
        """Agreement of the rankings of two independent samples of half the size.

        The filters score both halves of each pair, which have no row in common; each half is ranked by
        these scores (of several filters: combined ones), without resamples inside it.  The interval is
        about the population.  See :func:`pyfsagg.between_sample_stability` for measures, ties and limits.

        Parameters
        ----------
        threshold : int, float or str
            How many features are selected, as in :meth:`selection`.
        level : float
            Confidence level of the limits.

        Raises
        ------
        DataError
            If the run has no pairs, with the reason.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> result = pyfsagg.wam(data.X, data.y, n_resamples=40, random_state=0)
        >>> result.between_sample_stability().n_rows
        88
        """
        halves, n_rows = halves_of(self)
        first, second = split_pairs(halves)
        return between_sample_stability(
            first,
            second,
            top=self.compared(threshold),
            level=level,
            n_rows=n_rows,
            feature_names=self.feature_names,
        )

    def compare(self, other: EnsembleResult, threshold: float | int | str = "auto") -> pd.DataFrame:
        """Which features moved from this run to another one, the farthest first.

        Parameters
        ----------
        other : EnsembleResult
            Of the same features, or some of them: another seed, filter, aggregator or sample.
        threshold : int, float or str
            How many features are selected, as in :meth:`selection`; a proposal is one for each run.

        Returns
        -------
        DataFrame
            One row per feature of either run.  ``moved``: the rank here minus the rank there, positive
            for a feature that is better there; then for this run (``_1``) and the other (``_2``)
            ``rank``, the 95 % confidence set of the true rank (``rank_set_lower``, ``rank_set_upper``,
            where the run has them; each speaks of its own run), ``selection_frequency`` and
            ``selected``.  What only one run has is missing (``selected``: False).

        Raises
        ------
        DataError
            If the runs have no feature in common.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> first, second = (
        ...     pyfsagg.wam(data.X, data.y, filter=name, n_resamples=20, random_state=0)
        ...     for name in ("chi_squared", "mrmr")
        ... )
        >>> first.compare(second)["moved"].head(2).to_dict()
        {'od280/od315_of_diluted_wines': -3.0, 'magnesium': 3.0}
        """
        return compare_runs(self, other, threshold)

    def clusters(
        self,
        X: Any = None,
        threshold: float | int | str = "auto",
        *,
        similarity: Any = None,
        min_similarity: float | None = None,
    ) -> pd.DataFrame:
        """How often clusters of similar features are selected, each as one.

        Copies of one signal share its votes: with eight of them each may be selected in 40 % of the
        resamples, so that none looks stable, although one of them nearly always is.

        Parameters
        ----------
        X : table, optional
            The table of the run.  Without it the clusters that the run found, by Pearson and 0.9.
        threshold : int, float or str
            How many features a resample selects, as in :meth:`selection`.
        similarity : {"pearson", "spearman"} or array (n_features, n_features), optional
            The absolute correlation of two features (Pearson by default), or a matrix of similarities
            within [0, 1], for which no `X` is needed.
        min_similarity : float, optional
            Every two features of a cluster are at least so similar, in (0, 1]; 0.9 by default.

        Returns
        -------
        DataFrame
            One row per cluster, single features included, best rank first; the index is the
            representative, the member with the best aggregated rank (ties by column order).
            ``members``, best first, and ``size``; ``rank`` of the representative; ``frequency``, the
            share of resamples that select at least one member, and ``largest_frequency`` that of the
            member that is selected most often (equal scores at the edge count with the share of their
            orders); ``splits_vote``, whether at least half of the resamples select a member, and this
            share exceeds ``largest_frequency`` by 0.2 or more; and a sentence as ``note`` if it does.

        Raises
        ------
        DataError
            If the run did not look for copies and neither `X` nor a matrix is given, `X` lacks a
            feature, or the run ranks groups of columns and no matrix is given.
        InputTypeError
            For a sparse `X`.
        ParameterError
            For a similarity or a limit out of range.

        Notes
        -----
        Correlations are over the rows in which both features are known, which must be half of the rows
        or more; nominal and constant features are similar to no other one.  Clusters by complete
        linkage.  The frequencies describe the resamples of this sample; of several features one is
        selected more often by chance, too.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> result = pyfsagg.wam(data.X, data.y, n_resamples=50, random_state=0)
        >>> found = result.clusters(data.X, threshold=3, min_similarity=0.8)
        >>> found.at["flavanoids", "members"]
        ('flavanoids', 'total_phenols')
        """
        return clusters_of_run(self, X, threshold, similarity, min_similarity)

    def about_copies(self, threshold: float | int | str = "auto") -> str:
        """Which features are nearly copies and split the vote, in words; empty if there are none."""
        return about_copies(self, threshold)

    def stability(self, ties: str = "random") -> pd.DataFrame:
        """Agreement of the resamples by five measures: one row per filter (and one for BAM).

        Pearson (scores), Spearman and Canberra (ranks), Jaccard (best quarter) and the average
        standard deviation (ASD), as in thesis 3.3.1.

        Parameters
        ----------
        ties : {"random", "first"}
            Equal scores that compete for the last places of the best quarter, as in
            :func:`pyfsagg.stability`; the published tables take the first columns.
        """
        found, remarks = self._measured(ties)
        for remark in remarks:
            warn(remark, stacklevel=2)
        if isinstance(found, DataError):
            raise found
        return found.copy()

    def _measured(self, ties: str) -> _Measured:
        """The measures, or why there are none, and what was warned of; computed once.

        The file, the summary and the report of a run all show them, and in a wide table they take as long
        as the scores.
        """
        if ties not in self._kept:
            matrices = dict(self.score_matrices)
            if self.method == "bam":
                matrices["bam"] = self.combined
            found: pd.DataFrame | DataError
            with set_aside() as remarks:
                try:
                    rows = {
                        label: thesis_measures(matrix, ties=ties, random_state=self.seed)
                        for label, matrix in matrices.items()
                    }
                    found = pd.DataFrame.from_dict(rows, orient="index").rename_axis("filter")
                except DataError as reason:
                    found = reason
            self._kept[ties] = found, remarks
        return self._kept[ties]

    @cached_property
    def _kept(self) -> dict[str, _Measured]:
        return {}

    def to_frame(
        self,
        threshold: float | int | str = "auto",
        *,
        max_false: float | None = None,
        fdr: float | None = None,
    ) -> pd.DataFrame:
        """One row per feature, best first.

        Columns: ``rank`` and ``score`` of the aggregate; ``tied``, how many features have this score
        (1: no other one); ``rank_set_lower`` and ``rank_set_upper``, the 95 % confidence set of its
        true rank (:meth:`rank_confidence`; only where there is one, and up to 200 features);
        with groups ``n_columns``, how many columns the feature has;
        ``rank_lower``, ``rank_median``, ``rank_upper`` (2.5 %, 50 % and 97.5 % quantiles of its ranks
        over resamples, which are not a confidence set); ``status``, firm, borderline, noise or out
        (:class:`pyfsagg.Selection`); ``selection_frequency`` among the best features of a resample, as many
        as the ranking has down to the last one that `threshold` selects (equal scores at its edge count
        with the share of their orders that
        selects them), with its Wilson interval ``frequency_lower`` to ``frequency_upper``; the mean score of
        each filter as ``mean_<filter>``.

        With `max_false` or `fdr` also those of :meth:`pyfsagg.error_control.ErrorControl.to_frame`.
        """
        limits = {"max_false": max_false, "fdr": fdr}
        chosen = self.selection_of({"threshold": threshold, **limits})
        frame = self._over_resamples(chosen.compared).copy()
        frame.insert(0, "rank", self.ranking)
        frame.insert(1, "score", self.scores)
        frame.insert(2, "status", chosen.frame["status"].reindex(frame.index))
        if self.rank_sets is not None:
            frame.insert(3, "rank_set_lower", self.rank_sets.lower)
            frame.insert(4, "rank_set_upper", self.rank_sets.upper)
        frame.insert(3, "tied", tie_sizes(self.scores))
        if self.groups:
            sizes = [len(self.groups.get(name, (name,))) for name in self.feature_names]
            frame.insert(3, "n_columns", sizes)
        for label, matrix in self.score_matrices.items():
            means = [np.nanmean(matrix[:, part], axis=0) for part in column_blocks(matrix.shape)]
            frame[f"mean_{label}"] = np.concatenate(means)
        control = self.controlled(limits)
        if control is not None:
            frame = frame.assign(**control.columns())
        if self.permutation is not None:
            frame = frame.assign(**self.permutation.columns())
        return frame.iloc[self._best(self.n_features)]

    def _over_resamples(self, k: int) -> pd.DataFrame:
        """Where the features rank in the resamples, and how often they are among the best `k`.

        The last one is kept: the record, the table, the summary and the report of a run all show it.
        """
        if k not in self._standings:
            found = feature_stability(
                self.combined,
                top=k,
                quantiles=(0.025, 0.975),
                feature_names=self.feature_names,
                input="scores",
            )
            self._standings.clear()
            self._standings[k] = found[list(_COLUMNS)].rename(columns=_COLUMNS)
        return self._standings[k]

    @cached_property
    def _standings(self) -> dict[int, pd.DataFrame]:
        return {}

    @cached_property
    def rank_sets(self) -> RankConfidence | None:
        """The 95 % sets of :meth:`rank_confidence`, if there are some, of at most 200 features."""
        if self.n_features > MOST_SHOWN or why_no_sets(self):
            return None
        return self.rank_confidence()

    def rank_confidence(self, confidence: float = 0.95) -> RankConfidence:
        """Confidence sets for the true ranks of the features, from the spread over resamples.

        Parameters
        ----------
        confidence : float

        Returns
        -------
        RankConfidence
            Marginal and simultaneous sets, and with ``top(k)`` the features that may be among the
            true top k.  They refer to the ranking by the expected score (or rank, with
            ``aggregator="mean_rank"``) in samples from the same population: of this size after a
            bootstrap, of the size of a resample after subsamples and complementary pairs.

        Raises
        ------
        DataError
            For an aggregator that is not a mean over resamples, fewer than 50 resamples, a plan other
            than bootstraps and subsamples, ``normalize="per_feature"`` with a bootstrap, or more than
            2,000 features.
        ParameterError
            For a `confidence` outside (0, 1).

        Notes
        -----
        The covariance of the errors is that of the resamples; of subsamples with a share f of the
        rows it is multiplied by f / (1 − f).  See :func:`pyfsagg.rank_confidence`.

        After a bootstrap the estimates are the scores of the table itself, not their means over the
        resamples: repeated rows look like evidence, the more so the more levels a feature has (the mean
        of χ² is too large by about (levels − 1)(classes − 1)).  Therefore a feature may be ranked
        outside its set where features differ in their number of levels.
        """
        return sets_of_run(self, check_level("confidence", confidence))

    # -----------------------------------------------------------------------------------------
    # how it is kept and shown
    # -----------------------------------------------------------------------------------------
    def kept_record(self) -> dict[str, Any]:
        """What :meth:`of_parts` reads beside :meth:`origin` and :meth:`arrays`, in files and in R alike."""
        return {
            "method": self.method,
            "features": list(self.feature_names),
            "copies": None if self.copies is None else self.copies.record(),
            **({} if self.shuffled is None else {"shuffled": self.shuffled.record()}),
            **({} if self.permutation is None else {"permutation": self.permutation.record()}),
        }

    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        chosen = self.chosen(view)
        table: dict[str, Any]
        try:
            table = {str(label): row.to_dict() for label, row in self.stability().iterrows()}
        except DataError as reason:
            table = {"undefined": str(reason)}
        between: dict[str, Any]
        try:
            between = self.between_sample_stability(chosen.compared).record()
        except DataError as reason:
            between = {"undefined": str(reason)}
        control = self.controlled(view)
        return {
            **self.kept_record(),
            "ranking": records(self.frame_of(view).reset_index()),
            "threshold": view["threshold"],
            "selected": list(chosen.names),
            "selection": self.selection_of(view).record(),
            "between_sample_stability": between,
            "ties": self.about_ties(chosen.compared),
            "about_groups": self.about_groups(),
            "about_copies": self.about_copies(chosen.compared),
            "stability": table,
            **({} if control is None else {"error_control": control.record()}),
        }

    def selection_of(self, view: Mapping[str, Any]) -> Selection:
        """The selection of the view."""
        return self.selection(self.threshold_of(view))

    def frame_of(self, view: Mapping[str, Any]) -> pd.DataFrame:
        """The table of the view."""
        return self.to_frame(
            view["threshold"], max_false=view.get("max_false"), fdr=view.get("fdr")
        )

    def arrays(self) -> dict[str, NDArray[np.float64]]:
        matrices = {f"filter_{i}": matrix for i, matrix in enumerate(self.score_matrices.values())}
        permuted = {} if self.permutation is None else self.permutation.arrays()
        shuffled = {} if self.shuffled is None else self.shuffled.arrays()
        return {
            **matrices,
            **({} if self.own_scores is None else {"own_scores": self.own_scores}),
            **({} if self.halves is None else {"halves": self.halves}),
            "combined": self.combined,
            "scores": self.scores,
            "ranking": self.ranking,
            **permuted,
            **shuffled,
        }

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        frame = self.frame_of(view)
        place = frame.columns.get_loc("tied")
        selected = frame.index.isin(self.chosen(view).names)
        frame.insert(place, "selected", selected)  # type: ignore[arg-type]
        return {"ranking.csv": frame, **self._table_of_groups()}

    def texts(self, view: Mapping[str, Any]) -> dict[str, str]:
        texts = {"selected.txt": lines_of(self.chosen(view).names)}
        if self.groups:
            texts["selected_columns.txt"] = lines_of(self.columns(self.threshold_of(view)))
        return texts

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        return cls.of_parts(saved.document, saved.arrays)

    @classmethod
    def of_parts(
        cls, document: Mapping[str, Any], arrays: Mapping[str, NDArray[np.float64]]
    ) -> Self:
        """The result of its record and its arrays, wherever they were kept."""
        labels = document["parameters"]["filters"]
        names = document["features"]
        if len(names) != arrays["combined"].shape[1] or len(set(names)) != len(names):
            raise ValueError(
                f"{len(names)} names of features, {len(set(names))} of them different, for "
                f"{arrays['combined'].shape[1]} columns of scores"
            )
        m, p = document["parameters"]["n_resamples"], len(names)
        shapes = {"combined": (m, p), "scores": (p,), "ranking": (p,)}
        shapes |= {f"filter_{i}": (m, p) for i in range(len(labels))}
        for name, shape in shapes.items():
            if arrays[name].shape != shape or arrays[name].dtype.kind not in "iuf":
                raise ValueError(
                    f"the array {name} must hold numbers of shape {shape}, and holds "
                    f"{arrays[name].dtype} of shape {arrays[name].shape}"
                )
        return cls(
            method=document["method"],
            feature_names=tuple(document["features"]),
            score_matrices={label: arrays[f"filter_{i}"] for i, label in enumerate(labels)},
            combined=arrays["combined"],
            scores=arrays["scores"],
            ranking=arrays["ranking"],
            parameters=document["parameters"],
            data=document["data"],
            versions=document["versions"],
            copies=Copies.of_record(document.get("copies")),
            own_scores=arrays.get("own_scores"),
            halves=arrays.get("halves"),
            permutation=TargetPermutation.of_files(document, arrays),
            shuffled=ShuffledTargets.of_files(document, arrays),
        )

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        goals = ((name, view.get(name)) for name in ("max_false", "fdr"))
        limits = [
            f"print(result.error_control({name}={level!r}))" for name, level in goals if level
        ]
        return [f"selected = result.select({self.threshold_of(view)!r})", *limits]

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        return paragraphs_of(self, view)

    def __repr__(self) -> str:
        shown = ", ".join(self.select(min(3, self.n_features)))
        return (
            f"EnsembleResult({self.method}: {', '.join(self.score_matrices)}; "
            f"{self.parameters['aggregator']} of {self.n_resamples} resamples; "
            f"{self.n_features} features, best: {shown})"
        )
