"""How stable a collection is: one result with every measure that applies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from markupsafe import Markup

from pyfsagg._base.arithmetic import RandomState
from pyfsagg._base.digest import digest
from pyfsagg._base.fields import Finding, from_parts, plain, stored
from pyfsagg._base.registry import Call, repeatable
from pyfsagg._base.validation import check_level, check_list, n_selected, resolve_seed
from pyfsagg._base.words import MISSING, count, number, plural, titled
from pyfsagg._message import Param
from pyfsagg._report.page import Block, PageColumn, PageTable, Text
from pyfsagg._run.result import Recorded, records
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures import _base, measure
from pyfsagg.stability_measures._input import Matrix, SelectedSets, names_in, read_collection
from pyfsagg.stability_measures.curves import feature_stability, stability_curve
from pyfsagg.stability_measures.nogueira import NogueiraResult, StabilityTest, nogueira


@dataclass(frozen=True, eq=False, repr=False)
class Pair(Finding):
    """Two collections of selections and the test that their stability is the same."""

    names: tuple[str, str]
    results: tuple[NogueiraResult, NogueiraResult]
    paired: bool
    test: StabilityTest

    def _contents(self) -> dict[str, Any]:
        """Both collections by name, and the test."""
        named = zip(self.names, self.results, strict=True)
        return {
            "collections": [{"name": name, **plain(result)} for name, result in named],
            "paired": self.paired,
            "test": plain(self.test),
        }

    @classmethod
    def _of_contents(cls, record: Mapping[str, Any]) -> Self:
        """The same; the test is made again."""
        first, second = record["collections"]
        results = from_parts(NogueiraResult, first), from_parts(NogueiraResult, second)
        test = results[0].compare(results[1], paired=record["paired"])
        return cls((first["name"], second["name"]), results, record["paired"], test)

    @property
    def sentence(self) -> str:
        test = self.test
        text = f"The difference of the stability is {test.difference:.4f}"
        if test.p_value is None or test.standard_error is None:
            return f"{text}. No test: {test.note[0].lower()}{test.note[1:]}"
        how = (
            "resample by resample, because both collections come from the same resamples"
            if self.paired
            else "the two collections taken for independent"
        )
        return (
            f"{text} (standard error {test.standard_error:.4f}); two-sided p = {test.p_value:.3g} "
            f"for the hypothesis that both are the same ({how})."
        )


DECIMALS = 4
ABOUT_INTERVALS = (
    "The intervals are about other resamples drawn in the same way: a repetition with another seed, "
    "if these come from one data set; the population, if they come from independent samples."
)
HEADLINES = {
    "nogueira": "1 is perfect agreement of the selections, 0 what chance gives",
    "spearman": "the mean rank correlation of two resamples",
    "jaccard": "the mean share of the features of two selections that are in both",
}
"""Measures that come first, and what they are."""


@dataclass(frozen=True, eq=False, repr=False)
class StabilityResult(Recorded):
    """Result of :func:`stability`; ``float(result)`` is the value of the measure, if one was named.

    Attributes
    ----------
    table : DataFrame
        One row per measure (index ``measure``): ``value``, ``lower``, ``upper``, ``bounds``,
        ``corrected_for_chance``, ``higher_is_better``, ``kind`` (scores, ranks or sets),
        ``n_pairs`` and ``n_undefined`` (in the unit ``unit``), ``n_tied`` (resamples in which equal
        scores compete for places, so the value is a mean over their orders), and ``note``,
        the reason why a value or an interval is missing, empty otherwise.
    features : DataFrame or None
        Result of :func:`feature_stability`; None if one measure was named.
    curve : DataFrame or None
        Result of :func:`stability_curve`; None for selections, which have one size only, and if one
        measure was named without `sizes`.
    pair : Pair or None
        The comparison with a second collection.
    parameters, data, versions : dict
        Settings, data and software versions.

    Notes
    -----
    Picture: ``"curve"``, stability against subset size.
    """

    _kind: ClassVar[str] = "stability"

    table: pd.DataFrame = field(
        metadata=stored(file="stability.csv", index="measure", words=("note",))
    )
    features: pd.DataFrame | None = field(metadata=stored(file="features.csv", index="feature"))
    curve: pd.DataFrame | None = field(metadata=stored(file="curve.csv"))
    pair: Pair | None = field(
        metadata=stored(key="comparison", write=Pair._contents, read=Pair._of_contents)
    )

    @property
    def value(self) -> float:
        """The value of the measure."""
        return float(self._only_row()["value"])

    @property
    def interval(self) -> tuple[float, float] | None:
        """The interval of the measure, if it has one."""
        row = self._only_row()
        return None if pd.isna(row["lower"]) else (float(row["lower"]), float(row["upper"]))

    def __float__(self) -> float:
        return self.value

    def _only_row(self) -> pd.Series[Any]:
        if len(self.table) > 1:
            raise ParameterError(
                f"this result has {len(self.table)} measures: read its table, or ask for one of them "
                "by its name"
            )
        return self.table.iloc[0]

    @property
    def _level(self) -> str:
        return f"{100 * self.parameters['confidence_level']:g} %"

    @property
    def _what(self) -> str:
        """What was compared, in words."""
        p, kind = self.data["n_features"], self.parameters["input"]
        sizes = self.data.get("selection_sizes")
        if sizes:
            span = " to ".join(count(size) for size in sorted(set(sizes)))
            return f"selections of {span}{f' of {p:,}' if p else ''} features"
        if kind == "sets":
            return f"0/1 selections of {p:,} features"
        k = n_selected(self.parameters["n_features_to_select"], p, "n_features_to_select")
        return f"{kind} of {p:,} features; selections are the best {k:,}"

    def to_frame(self) -> pd.DataFrame:
        """`table`."""
        return self.table

    def _record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        return {"stability": records(self.table.reset_index()), **super()._record(view)}

    def _lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.table"]

    def _facts(self, view: Mapping[str, Any]) -> list[Block]:
        rows = self.table.to_dict("index")
        said = []
        for name, meaning in HEADLINES.items():
            row = rows.get(name)
            if row is None or pd.isna(row["value"]):
                continue
            text = f"{titled(name)} is {number(row['value'], DECIMALS)}"
            if pd.notna(row["lower"]):
                text += f" ({self._level} interval {_limits(row)})"
            said.append(f"{text}: {meaning}.")
        answer = " ".join(said)
        resamples = plural(self.data["n_resamples"], "resample").capitalize()
        facts: list[Block] = [Text(Markup("<b>{}</b>").format(answer))] if answer else []
        facts += [Text(f"{resamples} were compared: {self._what}."), self._measures()]
        facts += [Text(self._about_ties)] if self._about_ties else []
        if self.table["lower"].notna().any():
            facts.append(Text(ABOUT_INTERVALS))
        if self.pair is not None:
            a, b = self.pair.results
            facts.append(
                Text(
                    f"Nogueira's stability of {self.pair.names[0]} is {a.estimate:.4f}, of "
                    f"{self.pair.names[1]} {b.estimate:.4f}. {self.pair.sentence}"
                )
            )
        return facts

    def _measures(self) -> PageTable:
        rows = self.table.to_dict("records")
        names = [titled(str(name)) for name in self.table.index]
        columns = {
            "Measure": names,
            "Value": [number(row["value"], DECIMALS) for row in rows],
            "Interval": [_limits(row) for row in rows],
            "Range": [str(row["bounds"]).replace("-", "−").replace("inf", "∞") for row in rows],
            "More stable if": ["larger" if row["higher_is_better"] else "smaller" for row in rows],
            "Corrected for chance": [
                "yes" if row["corrected_for_chance"] else "no" for row in rows
            ],
            "Compares": [str(row["kind"]) for row in rows],
            "Undefined": [count(int(row["n_undefined"])) for row in rows],
        }
        interval = self.parameters["interval"]
        with_intervals = f", with {self._level} intervals ({interval} over resamples)"
        notes = [
            "Undefined: pairs of resamples (or resamples) for which the measure has no value; they "
            "are omitted. Stability says how far the given results agree, not whether they are "
            "right; resamples of one table say nothing of another sample.",
            *(
                f"{name}: {row['note']}."
                for name, row in zip(names, rows, strict=True)
                if row["note"]
            ),
        ]
        return PageTable.of_columns(
            f"Measures of stability{with_intervals if interval != 'none' else ''}.",
            [
                (PageColumn(head, numeric=head in ("Value", "Interval", "Undefined")), cells)
                for head, cells in columns.items()
            ],
            " ".join(notes),
        )

    @property
    def _about_ties(self) -> str:
        """In how many resamples equal scores compete for the last places; empty if in none."""
        sets = self.table[self.table["kind"] == "sets"]
        tied = int(sets["n_tied"].max()) if len(sets) else 0
        if not tied:
            return ""
        m = self.data["n_resamples"]
        return (
            f"In {tied:,} of {m:,} resamples equal scores compete for the last selected places. Their "
            "order is arbitrary: measures of selections are means over all their orders."
        )

    def __repr__(self) -> str:
        shown = f"{len(self.table)} measures"
        if len(self.table) == 1:
            shown = f"{self.table.index[0]} = {self.value:.6g}"
            if self.interval is not None:
                low, high = self.interval
                shown += f", {self._level} [{low:.4g}, {high:.4g}]"
        return f"StabilityResult({self.data['n_resamples']:,} resamples: {self._what}; {shown})"


def _limits(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["lower"]):
        return MISSING
    return f"{number(row['lower'], DECIMALS)} to {number(row['upper'], DECIMALS)}"


@repeatable
def stability(
    data: Any,
    measures: str | Sequence[str] | None = None,
    *,
    compare: Any = None,
    paired: bool = False,
    names: Sequence[str] = ("first", "second"),
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    n_features_to_select: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    undefined: float | None = None,
    interval: str | None = "jackknife",
    confidence_level: float = 0.95,
    n_boot: int = 1000,
    sizes: Sequence[float | int] | None = None,
    ties: str = "random",
    random_state: RandomState = None,
    measure_params: Mapping[str, Any] | None = None,
) -> StabilityResult:
    """Stability of scores, rankings or selections over resamples.

    Parameters
    ----------
    data : Rankings, result, array, frame, list or dict
        A score matrix (m, p), larger = more important; a rank matrix (m, p), 1 = most important; a
        boolean or 0/1 matrix of selections; m lists or sets of names or zero-based positions, or a dict
        of them; or :class:`pyfsagg.Rankings`, or a result that has some, such as the combined scores of
        :func:`pyfsagg.wam` and the selections of a committee.  Rankings that are cut off are selections
        out of their universe; complete ones are scores or ranks.
    measures : str or sequence of str, optional
        Names or aliases of ``pyfsagg.list_methods("stability")``.  By default every measure that
        applies: measures of selections only for selections, measures that need `n_features` or
        `similarity` only if it is known.  With a single name the result has no table of features, and
        an undefined value is an error instead of a note.
    compare : EnsembleResult, array, frame or list, optional
        A second collection over the same features, to test equal stability of both selections.
    paired : bool
        Whether row i of both comes from the same resample; see
        :meth:`pyfsagg.stability_measures.NogueiraResult.compare`.
    names : two str
        Names of the two collections.
    n_features : int, optional
        Number of features p to choose from; needed by most set measures when `data` is a list.
    feature_names : sequence of str, optional
        Names of the columns; for a list of sets, all features to choose from.
    n_features_to_select : float or int, default 0.25
        For measures of sets on scores or ranks: number of the most important features that are
        selected, a fraction of p (rounded up) or a count.
    similarity : array or frame of shape (p, p), optional
        Similarities within [0, 1] for the similarity-adjusted measures.
    input : {"auto", "scores", "ranks", "sets"}
        How to read `data`.  "auto" reads a matrix in which every row is a ranking of 1..p (average
        ties) as ranks, booleans and 0/1 as selections, and any other matrix as scores.
    undefined : float, optional
        For one measure: value of pairs that are undefined (two empty subsets, a constant score row).
        By default they are omitted and counted in ``n_undefined``.
    interval : {"jackknife", "bootstrap", "analytic", None}
        Interval over resamples.  For resamples of one data set it refers to a repetition with another
        seed; for independent samples, to the population.  "jackknife" and "bootstrap" use Student's
        quantile and have at least the nominal coverage from 5 resamples on, except for davis and
        novovicova, and for scores and ranks if most features are tied (see ``docs/calibration.md``);
        "analytic" (nogueira only) is asymptotic and needs 30 resamples.  For the Kendall measures an
        interval takes time of the order m^2 p log p; with many resamples it is omitted, with a note,
        unless `measures` names them.
    confidence_level : float, default 0.95
        Confidence level of the intervals.
    n_boot : int, default 1000
        Bootstrap samples.
    sizes : sequence of float or int, optional
        Subset sizes of the curve, as in :func:`stability_curve`.
    ties : {"random", "first"}
        Treatment of equal scores at the cut of a subset.  "random": the mean over all orders,
        independent between resamples: exact if it follows from expected intersections (nogueira,
        somol, sechidis, and all averages over pairs except those of jaccard and of similar features),
        otherwise over orders drawn with the seed.  "first": the first columns, as in published results;
        a filter with many equal scores is then stable on pure noise.
    random_state : int, Generator or None
        Seed of the bootstrap, of orders of ties and of estimated chance levels; None draws one.
    measure_params : dict, optional
        For one measure: `direction`, `location` (canberra), `feature_weights` (pearson, spearman),
        `persistence` (rank_biased_overlap), `penalty` (davis), `chance_correction` ("none", "exact",
        "estimate") where the measure has one, `threshold` (0.9) and `n_random` (similarity-adjusted).

    Raises
    ------
    DataError
        For one resample, missing or infinite scores, a similarity matrix that does not fit; if
        `compare` is over other features; for one measure, no pair for which it is defined.

    See Also
    --------
    nogueira : One measure with tests of its value and of a difference.
    feature_stability : Stability of the place of each feature.

    Notes
    -----
    ``measure_params={"chance_correction": "exact"}`` maps the score to (score - E) / (maximum - E),
    with E the mean under random selection of subsets of the same sizes: pair by pair for averages
    over pairs; for davis and novovicova over all m subsets together, where stabm 1.2.2 takes E over
    pairs of subsets.

    Examples
    --------
    >>> from pyfsagg.stability_measures import stability
    >>> scores = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1], [0.4, 0.3, 0.1, 0.2]]
    >>> stability(scores, ["spearman", "canberra"], interval=None).table["value"].round(4)
    measure
    spearman    0.6667
    canberra    0.1750
    Name: value, dtype: float64
    >>> sets = [{"a", "b"}, {"a", "b"}, {"a", "c"}]
    >>> stability(sets, "nogueira", n_features=4, interval=None)
    StabilityResult(3 resamples: selections of 2 of 4 features; nogueira = 0.333333)
    """
    seed = resolve_seed(random_state)
    call = Call.of(stability, data=("data",), random_state=seed)
    shared: dict[str, Any] = {
        "n_features": n_features,
        "n_features_to_select": n_features_to_select,
        "input": input,
        "ties": ties,
    }
    reading = {**shared, "feature_names": feature_names}
    read = read_collection(data, kind=input, n_features=n_features, feature_names=feature_names)
    of_rows = isinstance(read, Matrix)
    alone = isinstance(measures, str)
    if isinstance(measures, str):
        spec = _base.STABILITY_MEASURES.get(measures)
        confidence_level = check_level("confidence_level", confidence_level)
        bound = measure.bind(
            spec,
            data,
            measure_params or {},
            **reading,
            similarity=similarity,
            undefined=undefined,
            seed=seed,
        )
        estimate = bound.estimate()  # or an error
        row = measure.table_row(bound, estimate, interval, confidence_level, n_boot, seed)
        table = measure.measures_frame({spec.name: row})
    else:
        for name, value in (("undefined", undefined), ("measure_params", measure_params)):
            if value is not None:
                raise ParameterError(
                    f"{name} applies to a single measure; name it: measures='davis'"
                )
        table = measure.stability_table(
            read if of_rows else data,  # names in lists are matched to those of similarity
            measures,
            **reading,
            similarity=similarity,
            interval=interval,
            confidence_level=confidence_level,
            n_boot=n_boot,
            random_state=seed,
        )
    kind = read.kind if isinstance(read, Matrix) else "sets"
    p = read.values.shape[1] if isinstance(read, Matrix) else read.n_features
    curve = None
    if kind == "sets" and sizes is not None:
        raise ParameterError(
            Param("sizes"), " applies to scores or ranks; a selection has a fixed size"
        )
    if kind != "sets" and not (alone and sizes is None):
        curve = stability_curve(read, sizes=sizes, ties=ties, random_state=seed)
    pair = None
    names = check_list("names", names)
    if len(names) != 2:
        raise ParameterError(Param("names"), f" must be two names, got {len(names)}")
    if compare is not None:
        results = (
            nogueira(read, **reading, confidence_level=confidence_level),
            nogueira(compare, **shared, confidence_level=confidence_level),
        )
        a, b = str(names[0]), str(names[1])
        if results[0].n_features != results[1].n_features:
            raise DataError(
                f"{a} has {results[0].n_features} features and {b} has {results[1].n_features}; ",
                "stability is compared for the same features to choose from",
            )
        labels = names_in(data) or ()
        strange = sorted(set(names_in(compare) or ()) - set(labels))
        if strange and labels:
            raise DataError(f"{b} has the feature {strange[0]!r}, {a} does not")
        called = (f"{a} (first)", f"{b} (second)") if a == b else (a, b)
        pair = Pair(called, results, paired, results[0].compare(results[1], paired=paired))
    lists = read.lists if isinstance(read, SelectedSets) else ()
    return StabilityResult(
        table,
        None if alone else feature_stability(read, **reading, confidence_level=confidence_level),
        curve,
        pair,
        parameters={
            "measures": list(table.index),
            "n_features_to_select": n_features_to_select,
            "input": kind,
            "interval": interval or "none",
            "confidence_level": confidence_level,
            "n_boot": n_boot if interval == "bootstrap" else None,
            "similarity": None if similarity is None else "given",
            "ties": ties,
            "seed": seed,
            "call": call.record(),
        },
        data={
            "n_resamples": len(read.values if isinstance(read, Matrix) else read.support),
            "n_features": n_features or p,
            **({"selection_sizes": [min(map(len, lists)), max(map(len, lists))]} if lists else {}),
            "sha256": _hash(read, names_in(data) if feature_names is None else feature_names),
        },
    )


def _hash(read: Matrix | SelectedSets, names: Sequence[str] | None) -> str:
    """SHA-256 of names and numbers; equal collections have the same."""
    if isinstance(read, SelectedSets) and read.lists:
        return digest("\n\n".join("\n".join(row) for row in read.lists))
    if isinstance(read, SelectedSets):
        values = read.support.astype(np.float64)
    else:
        p = read.values.shape[1]
        values = read.values if read.kind == "scores" else p + 1 - read.values
    return digest(map(str, names or ()), values + 0.0)
