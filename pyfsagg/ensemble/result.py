"""The result of an ensemble run: selection, trust, saving and reporting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Self

import pandas as pd
from numpy.typing import ArrayLike

from pyfsagg._base.arithmetic import Floats, TableLike
from pyfsagg._base.remarks import warn
from pyfsagg._base.validation import check_flag
from pyfsagg._base.words import lines_of
from pyfsagg._report.page import Block
from pyfsagg._run.result import Saved, Selecting, records
from pyfsagg.ensemble import data, facts, groups, trust
from pyfsagg.ensemble.selection import (
    Selection,
    choose,
    compare_runs,
    controlled,
    parse_rule,
    ranking_frame,
    read_view,
    rule_of,
    select_features,
    view_by,
)
from pyfsagg.exceptions import DataError
from pyfsagg.ranks import Rankings
from pyfsagg.ranks.ranking import about_ties
from pyfsagg.stability_measures import BetweenSampleStability
from pyfsagg.statistics import RankConfidence
from pyfsagg.statistics._base import check_confidence_level

Number = int | float | str  # how many features: a number, a share, or a word


@dataclass(frozen=True, eq=False, kw_only=True)
class EnsembleResult(data.Ranked, Selecting):
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
        P-values of the features from shuffled targets; None without them
        (``parameters["shuffles"]`` has the reason).
    parameters, data, versions : dict
        Settings of the run (with the seed that repeats it), data and software versions.
    checked : Checked
        What the run computed for its checks (:class:`pyfsagg.Checks`): halves of the rows, scores of the
        whole table, and copies of features.
    groups : dict of str to tuple of str
        Columns of each group of columns; empty without groups.

    Notes
    -----
    How many features are selected, or under which limit on false selections, is said to :meth:`selection`;
    reports, tables and pictures take what it returns as `selection`, and show the proposal without it.
    Pictures: ``"ranking"`` (ranks with
    their intervals), ``"evidence"`` (the best features compared with the level of noise), ``"agreement"``
    (rank correlation between filters), ``"scores"`` (their distribution) and ``"convergence"`` (agreement
    with the final ranking as resamples are added).
    """

    _kind: ClassVar[str] = "ensemble"
    _inner = Selecting._inner | {"permutation", "checked"}
    _schema: ClassVar[int] = 3
    _noun: ClassVar[str] = "run"
    _options: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"n_features_to_select": "auto", "max_false": None, "fdr": None, "limit_options": ()}
    )

    # Which features.

    def select(
        self,
        n_features_to_select: Number = "auto",
        *,
        max_false: float | None = None,
        fdr: float | None = None,
        columns: bool = False,
        **limit_options: Any,
    ) -> list[str]:
        """Names of the selected features, best first; ties are broken by column order.

        Parameters
        ----------
        n_features_to_select, max_false, fdr, **limit_options
            As in :meth:`selection`.
        columns : bool
            Return the columns of the table instead, if features are groups of columns.

        See Also
        --------
        selection : With the reason, and the status of every feature.
        """
        rule = parse_rule(n_features_to_select, max_false=max_false, fdr=fdr, **limit_options)
        names = choose(self, rule).names
        return data.columns_of(self, names) if check_flag("columns", columns) else list(names)

    def selection(
        self,
        n_features_to_select: Number = "auto",
        *,
        max_false: float | None = None,
        fdr: float | None = None,
        **limit_options: Any,
    ) -> Selection:
        """The selected features, the reason for their number, and the status of every feature.

        Parameters
        ----------
        n_features_to_select : int, float or str
            A number of features, a fraction of them (above 0, at most 1; rounded up), ``"auto"`` for all
            features that score above noise, or ``"knee"`` for those before the knee of the scores.
        max_false : float, optional
            Accepted expected number of false selections.
        fdr : float, optional
            Accepted expected share of false selections among the selected, in (0, 1).  A proposal and both
            limits may select nothing, which is a valid answer.
        **limit_options
            `method` of a limit: for `fdr` ``"benjamini_hochberg"`` (default; independent or positively
            dependent p-values) or ``"benjamini_yekutieli"`` (any dependence), for `max_false`
            ``"expected_number"``; or one for pairs of halves, with the options of
            :func:`pyfsagg.error_control.control_errors`.

        Returns
        -------
        Selection
            Under a limit, its `control` has the bound and the assumptions.

        See Also
        --------
        select : The names alone.
        get_support : The same as a mask.

        Notes
        -----
        A feature scores above noise if its family-wise p-value from shuffled targets is at most 0.05
        (:func:`pyfsagg.ensemble.permute_target`): the whole table is scored with the true target and with
        shuffled ones, so the proposal does not depend on the resamples.  If the target is unrelated to all
        features, at most one run in twenty proposes any.  The reason says how often other shuffles would
        give the same proposal.  ``"knee"`` splits the scores of the proposal into the two groups that explain
        most of their variance (Zhu and Ghodsi 2006).  If the target cannot be shuffled
        (:class:`pyfsagg.Checks`), ``"auto"`` selects the features before the knee of all scores, or a
        quarter of them, and says so.

        Limits on false selections use the same p-values; a run with ``resampling="complementary_pairs"``
        limits `max_false` by stability selection, from its pairs of halves.  Nothing is recomputed.

        Filters whose score of a feature depends on other features, such as mRMR, are used only if there are
        no others; alone, they limit false proposals only for a target that is unrelated to all features.
        Simulations are in the calibration report.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> result = pyfsagg.wam(data.X, data.y, n_resamples=50, random_state=0)
        >>> result.selection().number
        13
        >>> len(result.selection(fdr=0.01).control.selected)
        13
        """
        rule = parse_rule(n_features_to_select, max_false=max_false, fdr=fdr, **limit_options)
        return select_features(self, rule)

    def to_frame(self, selection: Selection | None = None) -> pd.DataFrame:
        """One row per feature, best first.

        Columns: ``rank`` and ``score`` of the aggregate; ``tied``, the number of features with this score
        (1: no other one); ``rank_set_lower`` and ``rank_set_upper``, the 95 % confidence set of its
        true rank (:meth:`rank_confidence`; if available, for up to 200 features);
        with groups ``n_columns``, the number of columns of the feature;
        ``rank_lower``, ``rank_median``, ``rank_upper`` (2.5 %, 50 % and 97.5 % quantiles of its ranks
        over resamples, which are not a confidence set); ``status``, firm, borderline, indistinct or out
        (:class:`pyfsagg.ensemble.Selection`); ``selection_frequency``, the share of resamples in which it is
        among the best ``selection().compared`` (equal scores at the cut count with the share of
        their orders that selects them), with its Wilson interval ``frequency_lower`` to
        ``frequency_upper``; the mean score of each filter as ``mean_<filter>``.

        By default for the proposal, else for the `selection` that :meth:`selection` returned; a limit on
        false selections adds the columns of :meth:`pyfsagg.error_control.ErrorControl.to_frame`.
        """
        return ranking_frame(self, *read_view(rule_of(selection)))

    def methods_text(self, selection: Selection | None = None) -> str:
        """A paragraph for the methods section of a paper: the method, the selection, seed, versions.

        Parameters
        ----------
        selection : Selection, optional
            What :meth:`selection` returned; the proposal by default.
        """
        return facts.methods_paragraph(self, rule_of(selection))

    # How far it can be trusted.

    def between_sample_stability(
        self, selection: Selection | None = None, *, confidence_level: float = 0.95
    ) -> BetweenSampleStability:
        """Agreement of the rankings of two independent samples of half the size.

        The filters score both halves of each pair, which have no row in common; each half is ranked by
        these scores (combined, if there are several filters), without resampling it.  The interval refers
        to the population.  See :func:`pyfsagg.stability_measures.between_sample_stability` for measures, ties
        and limits.

        Parameters
        ----------
        selection : Selection, optional
            What :meth:`selection` returned, for the number of features; the proposal by default.
        confidence_level : float
            Confidence level of the limits.

        See Also
        --------
        stability : Agreement of the resamples, which share rows.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> result = pyfsagg.wam(data.X, data.y, n_resamples=40, random_state=0)
        >>> result.between_sample_stability().n_rows
        88
        """
        k = choose(self, rule_of(selection)).compared
        return trust.between(self, k, confidence_level)

    def stability(self, ties: str = "random") -> pd.DataFrame:
        """Agreement of the resamples by five measures: one row per filter (and one for BAM).

        Pearson (scores), Spearman and Canberra (ranks), Jaccard (best quarter) and the average
        standard deviation (ASD), as in thesis 3.3.1.

        Parameters
        ----------
        ties : {"random", "first"}
            Treatment of equal scores at the cut of the best quarter, as in :func:`pyfsagg.stability`; the
            published tables take the first columns.
        """
        table, remarks = trust.agreement(self, ties)
        for remark in remarks:
            warn(remark, stacklevel=2)
        if isinstance(table, DataError):
            raise table
        return table.copy()

    def rank_confidence(self, confidence_level: float = 0.95) -> RankConfidence:
        """Confidence sets for the true ranks of the features, from the spread over resamples.

        Parameters
        ----------
        confidence_level : float

        Returns
        -------
        RankConfidence
            Marginal and simultaneous sets, and ``top(k)``, the features that may be among the
            true top k.  They refer to the ranking by the expected score (or rank, with
            ``aggregator="mean_rank"``) in samples from the same population: of this size after a
            bootstrap, of the size of a resample after subsamples and complementary pairs.

        Raises
        ------
        DataError
            For an aggregator that is not a mean over resamples, fewer than 50 resamples, a plan other
            than bootstraps and subsamples, ``normalize="per_feature"`` with a bootstrap, or more than
            2,000 features.

        Notes
        -----
        The covariance of the errors is estimated from the resamples; for subsamples with a share f of the
        rows it is multiplied by f / (1 − f).  See :func:`pyfsagg.statistics.rank_confidence`.

        After a bootstrap the estimates are the scores of the table itself: repeated rows raise the scores
        of features with many levels (the mean of χ² by about (levels − 1)(classes − 1)), so such a
        feature may be ranked outside its set.
        """
        return trust.rank_sets(self, check_confidence_level("confidence_level", confidence_level))

    def clusters(
        self,
        X: TableLike | None = None,
        selection: Selection | None = None,
        *,
        similarity: str | ArrayLike | None = None,
        min_similarity: float | None = None,
    ) -> pd.DataFrame:
        """How often clusters of similar features are selected, each cluster counted as one.

        Copies of one signal split its votes: each of eight may be selected in 40 % of the resamples, so none
        looks stable, although one of them is nearly always selected.

        Parameters
        ----------
        X : table, optional
            The table of the run.  Without it, the clusters from the run (Pearson, 0.9).
        selection : Selection, optional
            What :meth:`selection` returned, for the number of features that a resample selects; the proposal
            by default.
        similarity : {"pearson", "spearman"} or array (n_features, n_features), optional
            The absolute correlation of two features (Pearson by default), or a matrix of similarities
            within [0, 1], for which no `X` is needed.
        min_similarity : float, optional
            Smallest similarity of any two features of a cluster, in (0, 1]; 0.9 by default.

        Returns
        -------
        DataFrame
            One row per cluster, single features included, best rank first; the index is the
            representative, the member with the best aggregated rank (ties by column order).
            ``members``, best first, and ``size``; ``rank`` of the representative; ``frequency``, the
            share of resamples that select at least one member, and ``largest_frequency``, the share for the
            member selected most often (equal scores at the cut count with the share of their
            orders); ``splits_vote``, whether at least half of the resamples select a member, and this
            share exceeds ``largest_frequency`` by 0.2 or more; and, if so, a sentence as ``note``.

        Raises
        ------
        DataError
            If the run did not look for copies and neither `X` nor a matrix is given, `X` lacks a
            feature, or the run ranks groups of columns and no matrix is given.

        Notes
        -----
        Correlations are over the rows in which both features are known, which must be half of the rows
        or more; nominal and constant features are not similar to any other.  Clusters by complete
        linkage.  The frequencies describe the resamples of this sample; one of several features is
        selected more often by chance, too.

        Examples
        --------
        >>> import pyfsagg
        >>> data = pyfsagg.load_dataset("wine")
        >>> result = pyfsagg.wam(data.X, data.y, n_resamples=50, random_state=0)
        >>> table = result.clusters(data.X, result.selection(3), min_similarity=0.8)
        >>> table.at["flavanoids", "members"]
        ('flavanoids', 'total_phenols')
        """
        k = choose(self, rule_of(selection)).compared
        return groups.clusters_of_run(self, k, X, similarity, min_similarity)

    def compare(self, other: EnsembleResult, selection: Selection | None = None) -> pd.DataFrame:
        """Changes of the ranking from this run to another one, largest first.

        Parameters
        ----------
        other : EnsembleResult
            A run on the same features, or some of them, with another seed, filter, aggregator or sample.
        selection : Selection, optional
            What :meth:`selection` of either run returned: both select by its rule.  By default each run has
            its own proposal.

        Returns
        -------
        DataFrame
            One row per feature of either run.  ``moved``: the rank in this run minus that in the other,
            positive for a feature that is better in the other; then for this run (``_1``) and the other
            (``_2``) ``rank``, the 95 % confidence set of the true rank (``rank_set_lower``,
            ``rank_set_upper``, if the run has them), ``selection_frequency`` and ``selected``.  Features of
            one run only have missing values in the other (``selected``: False).

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
        return compare_runs(self, other, rule_of(selection))

    # Saving and reporting.

    def _options_in_force(self, options: Mapping[str, Any]) -> dict[str, Any]:
        if "selection" in options:
            others = {name: value for name, value in options.items() if name != "selection"}
            options = {**self._options, **view_by(rule_of(options["selection"])), **others}
        return super()._options_in_force(options)

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        rule, limit = read_view(**view)
        chosen = select_features(self, rule)
        k = chosen.compared

        def unless_undefined(answer: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
            try:
                return answer()
            except DataError as reason:
                return {"undefined": str(reason)}

        return {
            **data.document_of(self),
            "ranking": records(ranking_frame(self, rule, limit).reset_index()),
            "n_features_to_select": view["n_features_to_select"],
            "selected": list(chosen.names),
            "selection": chosen.record(),
            "between_sample_stability": unless_undefined(lambda: trust.between(self, k).record()),
            "ties": about_ties(self.scores, k),
            "about_groups": groups.about_groups(self),
            "about_copies": groups.about_copies(self, k),
            # Which warns of resamples that are omitted.
            "stability": unless_undefined(lambda: self.stability().to_dict("index")),
            **({} if limit is None else {"error_control": controlled(self, limit).record()}),
        }

    def _arrays(self) -> dict[str, Floats]:
        return data.arrays_of(self)

    def _tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        rule, limit = read_view(**view)
        frame = ranking_frame(self, rule, limit)
        selected = frame.index.isin(choose(self, rule).names)
        frame.insert(frame.columns.get_loc("tied"), "selected", selected)  # type: ignore[arg-type]
        return {"ranking.csv": frame, **groups.table_of_groups(self)}

    def _texts(self, view: Mapping[str, Any]) -> dict[str, str]:
        names = choose(self, read_view(**view)[0]).names
        texts = {"selected.txt": lines_of(names)}
        if self.groups:
            texts["selected_columns.txt"] = lines_of(data.columns_of(self, names))
        return texts

    @classmethod
    def _from_files(cls, saved: Saved) -> Self:
        found = cls(**data.fields_of(saved.document, saved.arrays))
        if found.method not in ("wam", "bam"):
            raise ValueError(f"its method is {found.method!r}")
        found._ensemble  # noqa: B018 - fails here, where an incomplete record is reported as damaged
        return found

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        rule, limit = read_view(**view)
        lines = [f"selected = result.select({rule.argument})"]
        if limit is not None:
            lines.append(f"print(result.selection({limit.argument}).control)")
        return lines

    def _rankings(self) -> Rankings:
        """The combined scores of the resamples; a feature that one did not see is unknown to it."""
        names = tuple(f"resample {i + 1}" for i in range(self.n_resamples))
        return Rankings(self.feature_names, names, self.combined, absent="unknown", dependent=True)

    @property
    def _aggregates_extremes(self) -> bool:
        """Whether one resample can decide the value of a feature, as with the minimum."""
        return bool(self._ensemble.recipe.spec.extreme)

    def _reaggregate(self, combined: Floats) -> Floats:
        """Scores (n_features,) of other rows of `combined` by the aggregator of the run."""
        return self._ensemble.recipe.again(combined, self.feature_names)

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        return facts.facts_of(self, *read_view(**view))

    def __repr__(self) -> str:
        return (
            f"EnsembleResult({self.method}: {', '.join(self.score_matrices)}; "
            f"{self._ensemble.recipe.aggregator} of {self.n_resamples} resamples; "
            f"{self.n_features} features, best: {', '.join(data.best_names(self, 3))})"
        )
