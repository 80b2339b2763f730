"""How stable a collection is, by everything there is to say about it: a result that can be kept."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence, Sized
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from pyfsagg._base.calls import Call
from pyfsagg._base.checks import check_list
from pyfsagg._base.seeds import resolve_seed
from pyfsagg._base.selection import n_selected
from pyfsagg._base.words import count
from pyfsagg._run.result import Result, Saved, records
from pyfsagg._table.identity import versions
from pyfsagg.exceptions import DataError, ParameterError
from pyfsagg.stability_measures._input import Selection, read_collection
from pyfsagg.stability_measures.curves import stability_curve
from pyfsagg.stability_measures.features import feature_stability
from pyfsagg.stability_measures.nogueira import NogueiraResult, StabilityTest, nogueira
from pyfsagg.stability_measures.table import stability_table

__all__ = ["Pair", "StabilityReport", "stability_report"]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two collections of selections and the test that their stability is the same."""

    names: tuple[str, str]
    results: tuple[NogueiraResult, NogueiraResult]
    paired: bool
    test: StabilityTest

    @property
    def sentence(self) -> str:
        """The test, in words."""
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


@dataclass(frozen=True, eq=False, repr=False)
class StabilityReport(Result):
    """Result of :func:`stability_report`.

    Attributes
    ----------
    table : DataFrame
        Result of :func:`stability_table`.
    features : DataFrame
        Result of :func:`feature_stability`.
    curve : DataFrame or None
        Result of :func:`stability_curve`; None for selections, which have one size only.
    pair : Pair or None
        The comparison with a second collection.
    parameters, data, versions : dict
        Settings, data and software versions.

    Notes
    -----
    Picture: ``"curve"``, stability against subset size.
    """

    kind: ClassVar[str] = "stability"

    table: pd.DataFrame
    features: pd.DataFrame
    curve: pd.DataFrame | None
    pair: Pair | None
    parameters: Mapping[str, Any]
    data: Mapping[str, Any]
    versions: Mapping[str, str]

    @property
    def what(self) -> str:
        """What was compared, in words."""
        p, kind = self.data["n_features"], self.parameters["input"]
        sizes = self.data.get("selection_sizes")
        if sizes:
            span = count(sizes[0]) if sizes[0] == sizes[1] else f"{sizes[0]:,} to {sizes[1]:,}"
            return f"selections of {span}{f' of {p:,}' if p else ''} features"
        if kind == "sets":
            return f"0/1 selections of {p:,} features"
        k = n_selected(self.parameters["top"], p, "top")
        return f"{kind} of {p:,} features; selections are the best {k:,}"

    def own_record(self, view: Mapping[str, Any]) -> dict[str, Any]:
        record: dict[str, Any] = {
            "stability": records(self.table.reset_index()),
            "curve": self.curve is not None,
        }
        if self.pair is not None:
            record["comparison"] = {
                "collections": [
                    {"name": name, **result.record()}
                    for name, result in zip(self.pair.names, self.pair.results, strict=True)
                ],
                "paired": self.pair.paired,
                "test": asdict(self.pair.test),
            }
        return record

    def tables(self, view: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        curve = {} if self.curve is None else {"curve.csv": self.curve}
        return {"stability.csv": self.table, "features.csv": self.features, **curve}

    @classmethod
    def made_of(cls, saved: Saved) -> Self:
        document = saved.document
        table = saved.frame("stability.csv", index="measure")
        notes = table["note"].astype(object)
        table["note"] = notes.where(notes.notna(), "")
        pair = None
        if "comparison" in document:
            names, results = [], []
            for each in document["comparison"]["collections"]:
                names.append(each.pop("name"))
                results.append(NogueiraResult.of_record(each))
            paired = document["comparison"]["paired"]
            test = results[0].compare(results[1], paired=paired)
            pair = Pair((names[0], names[1]), (results[0], results[1]), paired, test)
        return cls(
            table,
            saved.frame("features.csv", index="feature"),
            saved.frame("curve.csv") if document.get("curve") else None,
            pair,
            document["parameters"],
            document["data"],
            document["versions"],
        )

    def lines_after(self, view: Mapping[str, Any]) -> list[str]:
        return ["result.table"]

    def paragraphs(self, view: Mapping[str, Any]) -> list[str]:
        table = self.table
        columns = table[["value", "lower", "upper"]].copy()
        columns["range"] = table["bounds"]
        columns["stabler if"] = [
            "larger" if larger else "smaller" for larger in table["larger_is_stabler"]
        ]
        columns["chance"] = ["corrected" if yes else "" for yes in table["corrected_for_chance"]]
        text = columns.to_string(float_format="{:.4f}".format, na_rep="–", index_names=False)
        notes = [f"{name}: {note}" for name, note in table["note"].items() if note]
        parts = [f"{self.data['n_resamples']:,} resamples: {self.what}", text, *notes]
        parts += [each for each in (self.about_ties, self.about_intervals) if each]
        if self.pair is not None:
            a, b = self.pair.results
            parts.append(
                f"Nogueira's stability of {self.pair.names[0]}: {a.estimate:.4f}, of "
                f"{self.pair.names[1]}: {b.estimate:.4f}. {self.pair.sentence}"
            )
        return parts

    @property
    def about_ties(self) -> str:
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

    @property
    def about_intervals(self) -> str:
        """Of what the intervals speak; empty without any."""
        if not self.table["lower"].notna().any():
            return ""
        return (
            "The intervals are about other resamples drawn in the same way: a repetition with "
            "another seed, if these come from one data set; the population, if they come from "
            "independent samples."
        )

    def __repr__(self) -> str:
        return (
            f"StabilityReport({self.data['n_resamples']:,} resamples: {self.what}; "
            f"{len(self.table)} measures)"
        )


def stability_report(
    data: Any,
    measures: Sequence[str] | None = None,
    *,
    compare: Any = None,
    paired: bool = False,
    names: Sequence[str] = ("first", "second"),
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    top: float | int = 0.25,
    similarity: Any = None,
    input: str = "auto",
    interval: str | None = "jackknife",
    level: float = 0.95,
    n_boot: int = 1000,
    sizes: Sequence[float | int] | None = None,
    ties: str = "random",
    random_state: Any = None,
) -> StabilityReport:
    """Everything about the stability of scores, rankings or selections, in one result.

    Parameters
    ----------
    data, measures, n_features, feature_names, top, similarity, input, interval, level, n_boot, ties
        As in :func:`stability_table`.
    compare : EnsembleResult, array, frame or list, optional
        A second collection over the same features: equal stability of both selections is
        tested.
    paired : bool
        Whether row i of both comes from the same resample; see :meth:`NogueiraResult.compare`.
    names : two str
        Names of the two collections.
    sizes : sequence of float or int, optional
        Subset sizes of the curve, as in :func:`stability_curve`.
    random_state : int, Generator or None
        Seed of the bootstrap and of orders of ties; None draws one.  It is recorded.

    Returns
    -------
    StabilityReport

    Raises
    ------
    DataError, ParameterError
        As :func:`stability_table`; if `sizes` are given for selections, or `compare` is over other
        features.

    Examples
    --------
    >>> from pyfsagg.stability_measures import stability_report
    >>> scores = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1], [0.4, 0.3, 0.1, 0.2]]
    >>> stability_report(scores, ["spearman"], top=2)
    StabilityReport(3 resamples: scores of 4 features; selections are the best 2; 1 measures)
    """
    seed = resolve_seed(random_state)
    call = Call.of(stability_report, locals(), data=("data",), random_state=seed)
    shared: dict[str, Any] = {"n_features": n_features, "top": top, "ties": ties}
    own = {**shared, "feature_names": feature_names, "input": input}
    table = stability_table(
        data,
        measures,
        **own,
        similarity=similarity,
        interval=interval,
        level=level,
        n_boot=n_boot,
        random_state=seed,
    )
    features = feature_stability(data, **own, level=level)
    read = read_collection(
        data, kind=input, wanted="sets", n_features=n_features, feature_names=feature_names
    )
    kind = "sets" if isinstance(read, Selection) else read.kind
    curve = None
    if kind != "sets":
        curve = stability_curve(
            data,
            sizes=sizes,
            feature_names=feature_names,
            input=kind,
            ties=ties,
            random_state=seed,
        )
    elif sizes is not None:
        raise ParameterError("sizes belongs to scores or ranks; selections have their sizes")
    pair = None
    names = check_list("names", names)
    if len(names) != 2:
        raise ParameterError(f"names must be two names, got {len(names)}")
    if compare is not None:
        found = (
            nogueira(data, **own, level=level),
            nogueira(compare, **shared, input=input, level=level),
        )
        called = (str(names[0]), str(names[1]))
        pair = _pair(found, called, paired, _labels(data), _labels(compare))
    lists = _as_lists(data)
    return StabilityReport(
        table,
        features,
        curve,
        pair,
        {
            "measures": list(table.index),
            "top": top,
            "input": kind,
            "interval": interval or "none",
            "level": level,
            "n_boot": n_boot if interval == "bootstrap" else None,
            "similarity": None if similarity is None else "given",
            "ties": ties,
            "seed": seed,
            "call": call.record(),
        },
        {
            "n_resamples": len(lists) if lists else len(getattr(data, "combined", data)),
            "n_features": n_features or _n_features(read),
            **({"selection_sizes": _span(lists)} if lists else {}),
            "sha256": _hash(data, lists, feature_names),
        },
        versions(),
    )


def _pair(
    results: tuple[NogueiraResult, NogueiraResult],
    names: tuple[str, str],
    paired: bool,
    first: Sequence[str],
    second: Sequence[str],
) -> Pair:
    if results[0].n_features != results[1].n_features:
        raise DataError(
            f"{names[0]} has {results[0].n_features} features and {names[1]} has "
            f"{results[1].n_features}; stability is compared for the same features to choose from"
        )
    strange = sorted(set(second) - set(first))
    if strange and first:
        raise DataError(f"{names[1]} has the feature {strange[0]!r}, {names[0]} does not")
    if names[0] == names[1]:
        names = (f"{names[0]} (first)", f"{names[1]} (second)")
    return Pair(names, results, paired, results[0].compare(results[1], paired=paired))


def _labels(data: Any) -> list[str]:
    """The names of the features that the data bring along."""
    return [str(name) for name in getattr(data, "feature_names", getattr(data, "columns", ()))]


def _n_features(read: Any) -> int | None:
    p = read.n_features if isinstance(read, Selection) else read.values.shape[1]
    return None if p is None else int(p)


def _as_lists(data: Any) -> list[list[str]]:
    """Selections given by the names of their features; empty for a matrix."""
    if not isinstance(data, (list, tuple)):
        return []
    ragged = len({len(row) for row in data if isinstance(row, Sized)}) > 1
    if (
        ragged
        or any(isinstance(row, (set, frozenset)) for row in data)
        or any(isinstance(name, str) for row in data for name in row)
    ):
        return [sorted(map(str, row)) if isinstance(row, (set, frozenset)) else list(map(str, row))
                for row in data]  # fmt: skip
    return []


def _span(lists: list[list[str]]) -> list[int]:
    sizes = [len(names) for names in lists]
    return [min(sizes), max(sizes)]


def _hash(data: Any, lists: list[list[str]], feature_names: Sequence[str] | None) -> str:
    """SHA-256 of names and numbers; equal collections have the same."""
    if lists:
        text = "\n\n".join("\n".join(names) for names in lists)
        return hashlib.sha256(text.encode()).hexdigest()
    digest = hashlib.sha256(
        "\0".join(_labels(data) if feature_names is None else map(str, feature_names)).encode()
    )
    matrix = np.ascontiguousarray(getattr(data, "combined", data), dtype=np.float64)
    digest.update((matrix + 0.0).tobytes())
    return digest.hexdigest()
